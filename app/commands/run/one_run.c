#include "app/commands/run/one_run.h"

#include <signal.h>
#include <string.h>

#include "data/core/progress.h"
#include "solver/case/findings.h"
#include "app/cli/ranks.h"
#include "app/report/html_report.h"
#include "app/run/simulation.h"
#include "app/heart/mesh_file.h"
#include "app/run/start_cell.h"

enum { TRACE_SLICES_MAX = 2000000 }; /* of tiles; some 300 MB of trace.json */

/* ---- what is asked for ---- */

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
static mt_status read_case(
    mt_arena *arena, const mt_arguments *arguments, const mt_yaml_override *also, mt_one_run *r)
{
    mt_yaml_override *sets;
    size_t n_sets;
    MT_TRY(mt_option_overrides(arena, arguments, "--set", &n_sets, &sets));
    if (also) sets[n_sets++] = *also; /* there is room for one more */
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
static mt_status read_profile_options(const mt_arguments *arguments, size_t n_tiles, mt_one_run *r)
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
    *t = (mt_tracing){.last_tile = n_tiles - 1, .slices_max = TRACE_SLICES_MAX};
    MT_TRY(
        parse_range("--trace", steps, "time steps", mt_case_steps(&r->input), &t->first_step, &t->last_step));
    if (r->resumed && t->first_step < r->from.step)
        return mt_fail(MT_INPUT, "--trace %s: %s begins with step %zu; allowed: from there on", steps,
            r->from.path, r->from.step);
    if (!tiles) return MT_OK;
    return parse_range("--trace-tiles", tiles, "tiles", n_tiles, &t->first_tile, &t->last_tile);
}

mt_status mt_one_run_read(
    mt_arena *arena, const mt_arguments *arguments, const mt_yaml_override *also, mt_one_run *r)
{
    *r = (mt_one_run){.path = mt_operand(arguments, 0),
        .resumed = mt_option_value(arguments, "--resume", NULL),
        .cached = !mt_option_given(arguments, "--no-cache"),
        .what = "simulating"};
    MT_TRY(read_case(arena, arguments, also, r));
    MT_TRY(add_machine_sets(arena, arguments, &r->input));
    r->backend = mt_backends[r->input.machine.backend];
    MT_TRY(mt_mapping_choose(arena, r->path, &r->input, mt_ranks(), &r->choice));
    r->choice.cached = r->cached;
    return read_profile_options(arguments, r->choice.target.tiles, r);
}

/* ---- the steps ---- */

/* A run under way. */
typedef struct way {
    mt_one_run *run;
    const char *folder;
    mt_problem problem;
    const mt_mapping *mapping;
    mt_checkpoint start; /* where the case begins, if it says so and is not resumed */
    mt_checkpoints checkpoints;
    mt_sampling sampling;
    mt_one_run_results *results;
    void *user;
} way;

static mt_status simulate(mt_arena *arena, way *w, mt_simulated *o)
{
    const mt_one_run *r = w->run;
    const mt_simulation simulation = {.path = r->path,
        .backend = r->backend,
        .problem = &w->problem.monodomain,
        .layout = &w->mapping->layout,
        .n_steps = mt_case_steps(&r->input),
        .until_activated = r->input.time.until == MT_CASE_UNTIL_ACTIVATED,
        .start = w->start.path[0] ? &w->start : NULL,
        .from = r->resumed ? &r->from : NULL,
        .checkpoints = &w->checkpoints,
        .sampling = &w->sampling,
        .tracing = r->trace ? &r->tracing : NULL,
        .what = r->what,
        .on_signal = "\nmyotile: stopping: writing the results so far; a second signal quits at once\n"};
    return mt_simulate(arena, &simulation, o);
}

static const char *name_of_signal(int number)
{
    return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
}

static mt_status report(mt_arena *arena, const way *w, const mt_simulated *o)
{
    const mt_one_run *r = w->run;
    const bool stopped = !o->activated && o->n_steps < mt_case_steps(&r->input);
    mt_run done = {.input = &r->input,
        .problem = &w->problem,
        .n_steps = o->n_steps,
        .segments = &o->segments,
        .stopped_by = stopped ? name_of_signal(mt_progress_signal()) : NULL,
        .n_beats = o->n_beats,
        .beats = o->beats,
        .sampling = &w->sampling,
        .profile = r->backend->profile ? &o->profile : NULL,
        .target = &r->choice.target,
        .details = r->details,
        .trace = o->trace,
        .traced_tiles = {r->tracing.first_tile, r->tracing.last_tile}};
    const double reached_ms = mt_run_reached_ms(&done);
    MT_TRY(mt_run_find_velocities(arena, &done));
    MT_TRY(w->results(w->user, arena, &done));
    /* a signal that came while the files were written asks for nothing more */
    if (stopped)
        return mt_fail(MT_STOPPED, "stopped at %.9g of %.9g ms; what there is by then is in %s/%s%s",
            reached_ms, r->input.time.end_ms, w->folder,
            r->input.checkpoint.keep > 0 ? "; to go on: myotile run --resume " : "",
            r->input.checkpoint.keep > 0 ? w->folder : "");
    mt_findings_of_run(r->path, &r->input, &w->problem.monodomain, o->n_beats, o->beats, reached_ms);
    return MT_OK;
}

/* ---- all of it ---- */

/* The state that the case begins with, if it is not at rest. */
static mt_status open_start(mt_arena *arena, way *w)
{
    const mt_case *input = &w->run->input;
    if (w->run->resumed || !input->start.state[0]) return MT_OK;
    if (mt_checkpoints_own(w->folder, input->start.state))
        return mt_fail(MT_INPUT,
            "start.state: %s is in the folder of the results, where this run removes it; allowed: another "
            "--output",
            input->start.state);
    if (mt_start_is_cell(input->start.state))
        return mt_start_cell(arena, w->run->path, input->start.state, &w->problem.monodomain);
    MT_TRY(mt_checkpoint_open(arena, input->start.state, &w->start));
    MT_TRY(mt_fail_in("start.state", mt_checkpoint_check_start(&w->start, &w->problem.monodomain)));
    return mt_checkpoints_warn_of_start(&w->start, input, w->run->path);
}

/* Is the checkpoint one of this case and its problem? */
static mt_status check_checkpoint(const way *w)
{
    MT_TRY(mt_checkpoints_agree(&w->run->from, &w->run->input));
    return mt_checkpoint_check(&w->run->from, &w->problem.monodomain);
}

static mt_status make_problem(mt_arena *arena, mt_shared *shared, way *w)
{
    mt_one_run *r = w->run;
    if (shared) return mt_shared_problem(shared, arena, &r->input, r->cached, &w->problem);
    return mt_problem_make(arena, &r->input, r->cached, &w->problem);
}

static mt_status make_mapping(mt_arena *arena, mt_shared *shared, way *w)
{
    const mt_one_run *r = w->run;
    mt_mapping *own;
    if (shared) return mt_shared_mapping(shared, &r->input, &r->choice, &w->mapping);
    MT_ALLOC(arena, own, 1);
    w->mapping = own;
    return mt_mapping_make(arena, &r->input, &r->choice, &w->problem, own);
}

/* Warns of places, and of a mesh file, that are likely in another unit. */
static void warn_of_places(const way *w)
{
    const mt_case *input = &w->run->input;
    double low_mm[3], high_mm[3];
    mt_mesh_box(&w->problem.whole, low_mm, high_mm);
    if (input->mesh.file[0]) mt_warn_of_scale(input->mesh.file, low_mm, high_mm);
    mt_findings_of_places(w->run->path, input, &w->problem.mesh, &w->problem.monodomain);
}

/* Everything before the first step. */
static mt_status prepare(mt_arena *arena, mt_shared *shared, way *w)
{
    mt_one_run *r = w->run;
    const mt_checkpoint *from = r->resumed ? &r->from : NULL;
    MT_TRY(mt_report_check(w->folder, &r->input, r->backend->profile != NULL, r->details, r->trace));
    MT_TRY(mt_html_report_check(&r->input, w->folder));
    mt_findings_of_case(r->path, &r->input);
    MT_TRY(mt_fail_in(r->path, make_problem(arena, shared, w)));
    warn_of_places(w);
    MT_TRY(mt_fail_in(r->path, mt_sampling_make(arena, &r->input, &w->problem, &w->sampling)));
    MT_TRY(open_start(arena, w));
    if (from)
        MT_TRY(check_checkpoint(w));
    else
        MT_TRY(mt_fail_in(r->path, mt_problem_prepace(arena, &r->input, r->cached, &w->problem)));
    MT_TRY(mt_checkpoints_begin(arena, &r->input, w->folder, from, &w->checkpoints));
    MT_TRY(mt_fail_in(r->path, make_mapping(arena, shared, w)));
    /* once more: none of them may be a file that was read since */
    MT_TRY(mt_report_check(w->folder, &r->input, r->backend->profile != NULL, r->details, r->trace));
    return mt_sampling_open(arena, &w->sampling, w->folder, r->resumed, from ? from->step : 0);
}

mt_status mt_one_run_make_part(const mt_one_run *run)
{
    const mt_layout layout = {
        .target = &run->choice.target, .checked = run->input.machine.checked, .ranks = mt_ranks()};
    MT_TRY(mt_ranks_agree(MT_OK)); /* rank 0 is ready */
    return mt_simulate_part(run->backend, &layout);
}

mt_status mt_one_run_make(mt_arena *arena, mt_one_run *run, mt_shared *shared, const char *folder,
    mt_one_run_results *results, void *user)
{
    way *w;
    mt_simulated o;
    MT_ALLOC(arena, w, 1);
    *w = (way){.run = run, .folder = folder, .results = results, .user = user};
    mt_communicator_take_threads(mt_ranks(), true); /* until the first step */
    MT_TRY(mt_ranks_agree(prepare(arena, shared, w)));
    mt_status status = simulate(arena, w, &o);
    if (status == MT_OK) status = report(arena, w, &o);
    if (status == MT_OK) mt_checkpoints_end(&w->checkpoints);
    /* a checkpoint that could not be removed still needs the samples */
    const bool ended = status == MT_OK && !run->input.checkpoint.at_end && !mt_checkpoints_any(folder);
    mt_sampling_close(&w->sampling, ended || !w->checkpoints.any);
    return status;
}
