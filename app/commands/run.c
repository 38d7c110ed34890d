/* myotile run: a case from its file to its tables and files. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "app/commands/commands.h"
#include "app/cli/machines.h"
#include "app/cli/progress.h"
#include "app/results/report.h"
#include "app/results/trace_file.h"
#include "app/stages/mapping.h"
#include "app/stages/problem.h"
#include "app/stages/simulation.h"
#include "app/stages/warnings.h"
#include "data/folder.h"

static const mt_option options[] = {
    {.name = "--output",
        .letter = 'o',
        .value = "DIR",
        .help = "folder for the files (made if missing); default: the case's name"},
    {.name = "--resume",
        .value = "DIR",
        .help = "go on from the newest checkpoint in this folder, of a run that was stopped; the files go "
                "there, too, "
                "unless --output is given. With CASE.yaml, which must be its case, the run begins at its "
                "start where there is none yet"},
    {.name = "--set",
        .value = "path.to.key=value",
        .help = "use this value in place of the case's",
        .repeats = true},
    MT_OPTION_MACHINE_SET,
    {.name = "--profile",
        .value = "DIR",
        .help = "folder (made if missing) for profile.json, tiles.csv, memory.csv, links.csv and pictures of "
                "how busy and how full each tile and link is; default: only profile.json, beside the other "
                "files"},
    {.name = "--trace",
        .value = "FIRST:LAST",
        .help = "also write trace.json, for Perfetto, beside profile.json: what each tile does in these time "
                "steps, from 0"},
    {.name = "--trace-tiles", .value = "FIRST:LAST", .help = "only these tiles in it, from 0; default: all"},
    MT_OPTION_NO_CACHE, MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

static mt_status run(mt_arena *arena, const mt_arguments *arguments);

const mt_command mt_command_run = {
    .name = "run",
    .operands = "[CASE.yaml]",
    .n_optional = 1,
    .summary = "simulate a case; print activation times and cycles; write map, picture and profile",
    .example = "myotile run data/cases/niederer-0.5.yaml --set time.end_ms=20 --output quick",
    .options = options,
    .run = run,
};

/* ---- the folder ---- */

/* DIR, or the case's file name without folder and ending. */
static const char *folder_name(const char *asked, const char *case_path, char *name, size_t size)
{
    if (asked) return asked;
    (void)snprintf(name, size, "%s", basename(case_path));
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = 0;
    else
        (void)strncat(name, ".out", size - strlen(name) - 1);
    return name;
}

/* ---- what is asked for ---- */

typedef struct request {
    const char *path;    /* of the case; of the checkpoint where only that has it */
    const char *resumed; /* the folder to go on from; NULL: from rest */
    mt_checkpoint from;  /* there */
    mt_checkpoint start; /* where the case begins, if it says so and is not resumed */
    mt_case input;
    const mt_backend *backend;
    bool cached;         /* mt_operator_make */
    const char *details; /* the folder for all files of the machine's profile; NULL: only profile.json */
    bool trace;
    mt_tracing tracing;
    mt_format format;
} request;

/* --machine-set adds to the case's machine.set. */
static mt_status add_machine_sets(mt_arena *arena, const mt_arguments *arguments, mt_case *input)
{
    mt_yaml_override *more, *all;
    size_t n;
    MT_TRY(mt_option_overrides(arena, arguments, "--machine-set", &n, &more));
    MT_ALLOC(arena, all, input->machine.n_sets + n + 1);
    for (size_t k = 0; k < input->machine.n_sets; k++) all[k] = input->machine.sets[k];
    for (size_t k = 0; k < n; k++) all[input->machine.n_sets + k] = more[k];
    input->machine.sets = all;
    input->machine.n_sets += n;
    return MT_OK;
}

/* The case of a file, or the one that the checkpoint has. */
static mt_status read_case(mt_arena *arena, const mt_arguments *arguments, request *r)
{
    mt_yaml_override *sets;
    size_t n_sets;
    MT_TRY(mt_option_overrides(arena, arguments, "--set", &n_sets, &sets));
    if (r->resumed && r->path[0] && !mt_checkpoints_any(r->resumed)) {
        mt_warn("%s: there is no checkpoint yet; the run begins at its start", r->resumed);
        r->resumed = NULL;
    }
    if (r->resumed) MT_TRY(mt_checkpoints_newest(arena, r->resumed, &r->from));
    if (r->path[0]) return mt_case_load(arena, r->path, sets, n_sets, &r->input);
    if (!r->resumed)
        return mt_fail(MT_INPUT, "run: CASE.yaml or --resume DIR is needed; see myotile run --help");
    r->path = r->from.path;
    return mt_case_read(arena, r->path, r->from.case_text, sets, n_sets, &r->input);
}

static mt_status read_request(mt_arena *arena, const mt_arguments *arguments, request *r)
{
    *r = (request){.path = mt_operand(arguments, 0),
        .resumed = mt_option_value(arguments, "--resume", NULL),
        .cached = !mt_option_given(arguments, "--no-cache")};
    MT_TRY(mt_format_option(arguments, &r->format));
    MT_TRY(read_case(arena, arguments, r));
    MT_TRY(add_machine_sets(arena, arguments, &r->input));
    r->backend = mt_backends[r->input.machine.backend];
    return MT_OK;
}

/* FIRST:LAST of n things, numbered from 0. */
static mt_status parse_range(
    const char *option, const char *text, const char *what, size_t n, size_t *first, size_t *last)
{
    char list[64] = "";
    unsigned long number[2];
    size_t found = 0;
    const char *colon = strchr(text, ':');
    if (colon && !strchr(text, ',') && strlen(text) < sizeof list) {
        (void)strcpy(list, text);
        list[colon - text] = ',';
    }
    if (mt_whole_numbers(option, list, 0, n - 1, 2, &found, number) != MT_OK || found != 2 ||
        number[0] > number[1])
        return mt_fail(MT_INPUT,
            "%s %s; allowed: FIRST:LAST, two of the %s 0 to %zu, the first not above the last", option, text,
            what, n - 1);
    *first = number[0];
    *last = number[1];
    return MT_OK;
}

/* Which files about the machine, which has so many tiles, are asked for. */
static mt_status read_profile_options(const mt_arguments *arguments, size_t n_tiles, request *r)
{
    static const char *const of_machine[] = {"--profile", "--trace", "--trace-tiles"};
    const char *steps = mt_option_value(arguments, "--trace", NULL),
               *tiles = mt_option_value(arguments, "--trace-tiles", NULL);
    for (int k = 0; !r->backend->profile && k < 3; k++)
        if (mt_option_given(arguments, of_machine[k]))
            return mt_fail(MT_INPUT, "%s with machine.backend: %s; allowed: with ipu, which has tiles",
                of_machine[k], r->backend->name);
    r->details = mt_option_value(arguments, "--profile", NULL);
    r->trace = steps != NULL;
    if (tiles && !steps) return mt_fail(MT_INPUT, "--trace-tiles without --trace; allowed: with it");
    if (!steps) return MT_OK;
    mt_tracing *t = &r->tracing;
    *t = (mt_tracing){.last_tile = n_tiles - 1, .slices_max = MT_TRACE_SLICES_MAX};
    MT_TRY(
        parse_range("--trace", steps, "time steps", mt_case_steps(&r->input), &t->first_step, &t->last_step));
    if (r->resumed && t->first_step < r->from.step)
        return mt_fail(MT_INPUT, "--trace %s: %s begins with step %zu; allowed: from there on", steps,
            r->from.path, r->from.step);
    if (!tiles) return MT_OK;
    return parse_range("--trace-tiles", tiles, "tiles", n_tiles, &t->first_tile, &t->last_tile);
}

/* ---- the steps ---- */

static mt_status simulate(mt_arena *arena, const request *r, const mt_monodomain *problem,
    const mt_layout *layout, mt_checkpoints *checkpoints, mt_sampling *sampling, mt_simulated *o)
{
    const mt_simulation simulation = {.path = r->path,
        .backend = r->backend,
        .problem = problem,
        .layout = layout,
        .n_steps = mt_case_steps(&r->input),
        .start = r->start.path[0] ? &r->start : NULL,
        .from = r->resumed ? &r->from : NULL,
        .checkpoints = checkpoints,
        .sampling = sampling,
        .tracing = r->trace ? &r->tracing : NULL,
        .what = "simulating",
        .on_signal = "\nmyotile: stopping: writing the results so far; a second signal quits at once\n"};
    return mt_simulate(arena, &simulation, o);
}

/* ---- the results ---- */

static const char *name_of_signal(int number)
{
    return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
}

/* The names of the files. */
static bool print_files(const mt_run *done, const char *folder, FILE *out)
{
    char profile[128], samples[128];
    mt_sample_files_names(done->input, samples, sizeof samples);
    const bool apart = mt_report_profile_apart(done, folder);
    (void)snprintf(profile, sizeof profile, "%s%s%s", done->profile ? "profile.json" : "",
        done->details ? ", tables and pictures of its tiles" : "", done->trace ? ", trace.json" : "");
    (void)fprintf(out,
        "\nIn %s/: activation.png (the picture), result.hdf (for ParaView), activation.csv, "
        "%s%s%s%sused.yaml\n",
        folder, samples, samples[0] ? ", " : "", apart ? "" : profile, apart || !done->profile ? "" : ", ");
    if (apart) (void)fprintf(out, "In %s/: %s\n", done->details, profile);
    return fflush(out) == 0 && !ferror(out);
}

/* Files, then tables: what was computed does not depend on who reads the output. */
static mt_status write_and_print(
    mt_arena *arena, const mt_run *done, const char *folder, mt_format format, FILE *out)
{
    mt_table tables[MT_REPORT_TABLES];
    size_t n;
    mt_progress_stage("writing the files");
    const mt_status written = mt_report_write(done, folder);
    char why[512] = "";
    if (written != MT_OK) (void)snprintf(why, sizeof why, "%s", mt_message());
    mt_progress_stage(NULL);
    MT_TRY(mt_report_tables(arena, done, tables, &n));
    mt_status status = mt_tables_print(out, tables, n, format);
    if (written != MT_OK)
        return mt_fail(written, "%s; %s", why,
            status == MT_OK ? "the tables are printed" : "the tables cannot be printed either");
    if (status == MT_OK && format == MT_FORMAT_TEXT && !print_files(done, folder, out))
        status = mt_fail(MT_FILE, "standard output: %s", strerror(errno));
    if (status != MT_FILE && status != MT_MEMORY) return status;
    return mt_fail(status, "%s; the results are in %s/", mt_message(), folder);
}

static mt_status report(mt_arena *arena, const request *r, const mt_problem *problem,
    const ipu_target *target, const mt_sampling *sampling, const mt_simulated *o, const char *folder,
    FILE *out)
{
    const bool stopped = o->n_steps < mt_case_steps(&r->input);
    const mt_run done = {.input = &r->input,
        .problem = problem,
        .n_steps = o->n_steps,
        .n_counted = o->n_counted,
        .stopped_by = stopped ? name_of_signal(mt_progress_signal()) : NULL,
        .n_beats = o->n_beats,
        .beats = o->beats,
        .sampling = sampling,
        .profile = r->backend->profile ? &o->profile : NULL,
        .target = target,
        .details = r->details,
        .trace = o->trace,
        .traced_tiles = {r->tracing.first_tile, r->tracing.last_tile}};
    const double reached_ms = mt_run_reached_ms(&done);
    MT_TRY(write_and_print(arena, &done, folder, r->format, out));
    /* a signal that came while the files were written asks for nothing more */
    if (stopped)
        return mt_fail(MT_STOPPED, "stopped at %.9g of %.9g ms; what there is by then is in %s/%s%s",
            reached_ms, r->input.time.end_ms, folder,
            r->input.checkpoint.keep > 0 ? "; to go on: myotile run --resume " : "",
            r->input.checkpoint.keep > 0 ? folder : "");
    mt_findings_of_run(
        mt_warnings, r->path, &r->input, &problem->monodomain, o->n_beats, o->beats, reached_ms);
    return MT_OK;
}

/* ---- the command ---- */

/* The state that the case begins with, if it is not at rest. */
static mt_status open_start(mt_arena *arena, request *r, const mt_problem *problem, const char *folder)
{
    if (r->resumed || !r->input.start.state[0]) return MT_OK;
    if (mt_checkpoints_own(folder, r->input.start.state))
        return mt_fail(MT_INPUT,
            "start.state: %s is in the folder of the results, where this run removes it; allowed: another "
            "--output",
            r->input.start.state);
    MT_TRY(mt_checkpoint_open(arena, r->input.start.state, &r->start));
    return mt_fail_in("start.state", mt_checkpoint_check_start(&r->start, &problem->monodomain));
}

/* Is the checkpoint one of this case and its problem? */
static mt_status check_checkpoint(const request *r, const mt_problem *problem)
{
    MT_TRY(mt_checkpoints_agree(&r->from, &r->input));
    return mt_checkpoint_check(&r->from, &problem->monodomain);
}

/* From the case to its results, in the folders that are entered. */
static mt_status run_in(
    mt_arena *arena, request *r, const mt_mapping_choice *choice, const char *folder, FILE *out)
{
    mt_problem problem;
    mt_mapping mapping;
    mt_simulated o;
    mt_checkpoints checkpoints;
    mt_sampling sampling;
    MT_TRY(mt_report_check(folder, &r->input, r->backend->profile != NULL, r->details, r->trace));
    mt_findings_of_case(mt_warnings, r->path, &r->input);
    MT_TRY(mt_fail_in(r->path, mt_problem_make(arena, &r->input, r->cached, &problem)));
    MT_TRY(open_start(arena, r, &problem, folder));
    if (r->resumed)
        MT_TRY(check_checkpoint(r, &problem));
    else
        MT_TRY(mt_fail_in(r->path, mt_problem_prepace(arena, &r->input, r->cached, &problem)));
    MT_TRY(mt_checkpoints_begin(arena, &r->input, folder, r->resumed ? &r->from : NULL, &checkpoints));
    MT_TRY(mt_fail_in(r->path, mt_mapping_make(arena, &r->input, choice, &problem, &mapping)));
    MT_TRY(mt_fail_in(r->path, mt_sampling_make(arena, &r->input, &problem, &sampling)));
    MT_TRY(mt_sampling_open(arena, &sampling, folder, r->resumed, r->resumed ? r->from.step : 0));
    mt_status status = simulate(arena, r, &problem.monodomain, &mapping.layout, &checkpoints, &sampling, &o);
    if (status == MT_OK) status = report(arena, r, &problem, &choice->target, &sampling, &o, folder, out);
    if (status == MT_OK) mt_checkpoints_end(&checkpoints);
    mt_sampling_close(&sampling, status == MT_OK || r->input.checkpoint.keep == 0);
    return status;
}

/* The same in this folder, which is entered, and that of the profile. */
static mt_status run_beside(mt_arena *arena, request *r, const mt_mapping_choice *choice, const char *folder,
    const mt_arguments *arguments)
{
    mt_folder profile;
    if (r->details && mt_file_same(r->details, folder)) r->details = folder;
    const bool apart = r->details && r->details != folder;
    if (apart) MT_TRY(mt_folder_enter(r->details, mt_option_replace(arguments), &profile));
    const mt_status status = run_in(arena, r, choice, folder, arguments->out);
    if (apart) mt_folder_leave(&profile);
    return status;
}

static mt_status run(mt_arena *arena, const mt_arguments *arguments)
{
    request r;
    mt_mapping_choice choice;
    mt_folder folder;
    char name[MT_FILE_PATH_MAX];
    MT_TRY(read_request(arena, arguments, &r));
    MT_TRY(mt_mapping_choose(arena, r.path, &r.input, &choice));
    MT_TRY(read_profile_options(arguments, choice.target.tiles, &r));
    const char *asked =
        folder_name(mt_option_value(arguments, "--output", mt_option_value(arguments, "--resume", NULL)),
            r.path, name, sizeof name);
    MT_TRY(mt_folder_enter(asked, mt_option_replace(arguments), &folder));
    const mt_status status = run_beside(arena, &r, &choice, folder.path, arguments);
    mt_folder_leave(&folder);
    return status;
}
