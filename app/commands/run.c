/* myotile run: a case from its file to its tables and files. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/command.h"
#include "app/stages/operator.h"
#include "app/cli/progress.h"
#include "app/results/report.h"
#include "app/stages/tiling.h"
#include "app/results/trace_file.h"
#include "app/stages/warnings.h"
#include "data/folder.h"
#include "mesh/files/formats.h"
#include "mesh/make/slab.h"
#include "mesh/files/vtkhdf.h"
#include "solver/backends/backend.h"

static const mt_option options[] = {
    {"--output", "DIR", "folder for the files (made if missing); default: the case's name", false},
    {"--set", "path.to.key=value", "use this value in place of the case's; may be given several times", true},
    {"--profile", NULL,
        "also write tiles.csv, memory.csv, links.csv and pictures of how busy and how full each tile and "
        "link is",
        false},
    {"--trace", "FIRST:LAST",
        "also write trace.json, for Perfetto: what each tile does in these time steps, from 0", false},
    {"--trace-tiles", "FIRST:LAST", "only these tiles in it, from 0; default: all", false},
    {"--no-cache", NULL, "measure the longest stable step anew, even where the cache knows it", false},
    {"--format", "text|json|csv", "of the tables on standard output; default: text", false}, MT_OPTION_FORCE,
    MT_OPTION_PROGRESS, {NULL, NULL, NULL, false}};

static mt_status run(mt_arena *arena, const mt_arguments *arguments);

const mt_command mt_command_run = {
    .name = "run",
    .operands = "CASE.yaml",
    .n_operands = 1,
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
    (void)snprintf(name, size, "%s", mt_name_in_folder(case_path));
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = 0;
    else
        (void)strncat(name, ".out", size - strlen(name) - 1);
    return name;
}

/* ---- from the case to the problem ---- */

/* Everything a run is made of; lives in one arena. */
typedef struct parts {
    const char *path; /* of the case, which is */
    mt_case input;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion diffusion;
    mt_stimulus *stimuli;
    mt_monodomain problem;
    mt_tiling tiling;
    ipu_target target; /* all chips */
    bool saved;        /* the partition is the mesh file's */
    mt_partition partition;
    mt_scheme scheme;
    mt_halo halo;
    mt_places places;
    mt_layout layout;
    const mt_backend *backend;
    bool cached;         /* of the operator: what is known of it */
    bool profile, trace; /* asked for */
    mt_tracing tracing;
} parts;

/* A path that means the same from every folder. */
static mt_status make_absolute(mt_arena *arena, const char **path)
{
    char *found = realpath(*path, NULL);
    if (!found) return mt_fail(MT_FILE, "%s: %s", *path, strerror(errno));
    char *kept = mt_arena_take(arena, strlen(found) + 1, 1);
    if (kept) *path = strcpy(kept, found);
    free(found);
    return kept ? MT_OK : MT_FILE;
}

static mt_status get_mesh(mt_arena *arena, mt_case *input, mt_mesh *mesh)
{
    if (!input->mesh.file[0])
        return mt_slab_make_cut(arena, input->mesh.slab.size_mm, input->mesh.slab.edge_mm,
            (mt_slab_cut)input->mesh.slab.cut, mesh);
    MT_TRY(make_absolute(arena, &input->mesh.file));
    return mt_mesh_read(arena, input->mesh.file, mesh);
}

static const char *mesh_name(const mt_case *input)
{
    return input->mesh.file[0] ? input->mesh.file : "mesh.slab";
}

/* Diffusion steps in a time step that are made without being asked for: with more of them a run would do little else (the
 * cell model costs as much as some ten), and what asks for them is a wrong unit or a wrong number. */
static const double MOST_STEPS = 10000;

static mt_status too_many_steps(const parts *p, const char *least, double steps, const char *because)
{
    return mt_fail(MT_INPUT,
        "%s: %s%.3g diffusion steps in time.dt_ms %g are needed: %s; allowed: at most %g, unless "
        "time.pde_steps asks for "
        "more. Are the mesh's unit and tissue (conductivities, chi_per_mm, cm_uF_mm2) right?",
        mesh_name(&p->input), least, steps, p->input.time.dt_ms, because, MOST_STEPS);
}

/* Before the operator is made: no mesh allows steps longer than its mean cell's h^2 / D_l (slabs a quarter of that). */
static mt_status check_scale(const parts *p, const mt_tissue *tissue)
{
    char because[128];
    const double h_mm = mt_mesh_length_mm(&p->mesh), d = mt_tissue_diffusivity_l(tissue),
                 steps = p->input.time.dt_ms * d / (h_mm * h_mm);
    if (p->input.time.pde_steps > 0 || steps <= MOST_STEPS) return MT_OK;
    (void)snprintf(because, sizeof because,
        "elements of %.3g mm (cube root of their mean volume) and a diffusivity of %.3g mm^2/ms", h_mm, d);
    return too_many_steps(p, "at least ", steps, because);
}

static mt_status choose_steps(parts *p)
{
    char because[128];
    const double steps = p->input.time.dt_ms / p->diffusion.limit_dt_ms;
    if (p->input.time.pde_steps > 0) return MT_OK;
    (void)snprintf(because, sizeof because, "the longest stable one is %.3g ms", p->diffusion.limit_dt_ms);
    if (!(steps <= MOST_STEPS)) return too_many_steps(p, "", steps, because);
    p->input.time.pde_steps = mt_monodomain_pde_steps(&p->diffusion, p->input.time.dt_ms);
    return MT_OK;
}

static mt_status make_operator(mt_arena *arena, parts *p, const mt_tissue *tissue)
{
    mt_progress_stage("building the diffusion operator and measuring its limits");
    MT_TRY(mt_in_file(mesh_name(&p->input),
        mt_operator_make(arena, &p->mesh, &p->adjacency, tissue, p->cached, &p->diffusion)));
    mt_operator_warn(mesh_name(&p->input), &p->adjacency, &p->diffusion);
    return choose_steps(p);
}

static mt_status make_problem(mt_arena *arena, parts *p)
{
    const mt_tissue tissue = mt_case_tissue(&p->input);
    mt_progress_stage("getting the mesh");
    MT_TRY(get_mesh(arena, &p->input, &p->mesh));
    for (size_t s = 0; s < p->input.n_stimuli; s++)
        if (p->input.stimuli[s].site.vtx[0]) MT_TRY(make_absolute(arena, &p->input.stimuli[s].site.vtx));
    MT_TRY(check_scale(p, &tissue));
    mt_warnings_of_mesh(&p->input, &p->mesh);
    MT_TRY(mt_places_make(arena, &p->input, &p->mesh, &p->places));
    MT_TRY(mt_adjacency_make(arena, &p->mesh, &p->adjacency));
    MT_TRY(mt_case_stimuli(arena, &p->input, &p->mesh, &p->stimuli));
    MT_TRY(mt_case_cells(arena, &p->input, &p->mesh, &p->problem));
    MT_TRY(make_operator(arena, p, &tissue));
    p->problem.diffusion = &p->diffusion;
    p->problem.dt_ms = p->input.time.dt_ms;
    p->problem.pde_steps = p->input.time.pde_steps;
    p->problem.n_stimuli = p->input.n_stimuli;
    p->problem.stimulus = p->stimuli;
    p->problem.mesh = &p->mesh;
    MT_TAKE(arena, p->problem.peak_mV, p->input.n_stimuli);
    return mt_monodomain_check(&p->problem);
}

/* The machine and how to cut for it: quick, so that what is wrong with them shows before the long work. Also where the host
 * computes, which needs neither: a case is right or wrong whatever runs it. */
static mt_status choose_machine(mt_arena *arena, parts *p)
{
    const char *path;
    mt_tiling *tiling = &p->tiling;
    p->saved = strcmp(p->input.machine.partition, "saved") == 0;
    if (p->saved && !p->input.mesh.file[0])
        return mt_fail(
            MT_INPUT, "machine.partition: saved; allowed: with mesh.file, whose partition is meant");
    if (p->saved && p->input.machine.balance_halo)
        return mt_fail(MT_INPUT, "machine.balance_halo: true; allowed: where the partition is made here, "
                                 "which a saved one is not");
    if (!p->saved)
        MT_TRY(mt_in_file("machine.partition: saved, or a method",
            mt_partition_method_find(p->input.machine.partition, &tiling->method)));
    MT_TRY(mt_in_file("machine.scheme",
        mt_scheme_find(p->input.machine.scheme, (uint32_t)p->input.machine.ranges, &p->scheme)));
    p->input.machine.ranges = p->scheme.ranges;
    MT_TRY(mt_machine_path(arena, p->input.machine.target, &path));
    MT_TRY(ipu_target_load(arena, path, NULL, 0, &tiling->one));
    if (mt_machine_is_path(p->input.machine.target)) MT_TRY(make_absolute(arena, &p->input.machine.target));
    if (p->input.machine.tiles == 0) p->input.machine.tiles = tiling->one.tiles;
    if (p->input.machine.tiles > tiling->one.tiles)
        return mt_fail(MT_INPUT, "machine.tiles: %zu; allowed: at most %zu, the tiles of %s",
            p->input.machine.tiles, tiling->one.tiles, tiling->one.name);
    tiling->tiles = (uint32_t)p->input.machine.tiles;
    tiling->imbalance = p->input.machine.imbalance;
    tiling->balance_halo = p->input.machine.balance_halo;
    MT_TRY(mt_in_file("machine.ipus", ipu_target_several(&tiling->one, p->input.machine.ipus, &p->target)));
    if (!p->backend->profile) return MT_OK; /* no emulator needs room */
    return mt_in_file("machine.ipus", mt_tiling_check_room(tiling, (uint32_t)p->input.machine.ipus));
}

static size_t steps_of(const mt_case *input)
{
    return (size_t)llround(input->time.end_ms / input->time.dt_ms);
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

/* What is to be told of the machine besides its tables. */
static mt_status choose_profile(const mt_arguments *arguments, parts *p)
{
    static const char *const of_machine[] = {"--profile", "--trace", "--trace-tiles"};
    const char *steps = mt_option_value(arguments, "--trace", NULL),
               *tiles = mt_option_value(arguments, "--trace-tiles", NULL);
    for (int k = 0; !p->backend->profile && k < 3; k++)
        if (mt_option_given(arguments, of_machine[k]))
            return mt_fail(MT_INPUT, "%s with machine.backend: %s; allowed: with ipu, which has tiles",
                of_machine[k], p->backend->name);
    p->profile = mt_option_given(arguments, "--profile");
    p->trace = steps != NULL;
    if (tiles && !steps) return mt_fail(MT_INPUT, "--trace-tiles without --trace; allowed: with it");
    if (!steps) return MT_OK;
    mt_tracing *what = &p->tracing;
    *what = (mt_tracing){.last_tile = p->target.tiles - 1, .slices_max = MT_TRACE_SLICES_MAX};
    MT_TRY(parse_range(
        "--trace", steps, "time steps", steps_of(&p->input), &what->first_step, &what->last_step));
    if (!tiles) return MT_OK;
    return parse_range("--trace-tiles", tiles, "tiles", p->target.tiles, &what->first_tile, &what->last_tile);
}

/* The partition that the mesh file has: it must be one for this machine. */
static mt_status read_partition(mt_arena *arena, parts *p)
{
    const uint32_t ipus = (uint32_t)p->input.machine.ipus, tiles = p->tiling.tiles;
    MT_TRY(mt_vtkhdf_read_partition(arena, p->input.mesh.file, &p->adjacency, &p->partition));
    const uint32_t its_ipus = mt_partition_groups(&p->partition), its_tiles = p->partition.parts_per_group;
    if (its_ipus == ipus && its_tiles == tiles) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: its partition is for %u IPUs of %u tiles; machine.ipus and machine.tiles ask for %u of %u",
        p->input.mesh.file, its_ipus, its_tiles, ipus, tiles);
}

static mt_status make_layout(mt_arena *arena, parts *p)
{
    mt_balance balance;
    mt_progress_stage("cutting the mesh for the tiles");
    if (p->saved) MT_TRY(read_partition(arena, p));
    if (!p->backend->profile) return MT_OK; /* it has no tiles */
    if (!p->saved) {
        MT_TRY(mt_tiling_cut(arena, &p->tiling, &p->adjacency, p->diffusion.column,
            (uint32_t)p->input.machine.ipus, &p->partition, &balance));
        MT_TRY(mt_tiling_suit(
            &p->tiling, &p->scheme, &p->adjacency, p->diffusion.column, &p->partition, &balance));
    }
    MT_TRY(mt_halo_make(
        arena, p->mesh.n_cells, MT_DIFFUSION_ROW, p->diffusion.column, &p->partition, &p->scheme, &p->halo));
    p->layout = (mt_layout){&p->target, &p->halo, p->input.machine.checked, -1};
    return MT_OK;
}

/* ---- the run ---- */

typedef struct watching {
    mt_progress progress;
    const parts *p;
    size_t steps_done;
} watching;

static bool watch(void *user, size_t steps_done)
{
    watching *w = user;
    w->steps_done = steps_done;
    mt_progress_update(&w->progress, (double)steps_done * w->p->problem.dt_ms,
        (double)steps_done * (double)w->p->mesh.n_cells);
    return !mt_progress_interrupted();
}

/* Gives the steps that were done; being stopped behind the first of them is no failure. */
static mt_status simulate(mt_arena *arena, parts *p, void **self, ipu_trace **trace, size_t *n_steps)
{
    mt_progress_stage("laying it out");
    MT_TRY(p->backend->open(arena, &p->problem, &p->layout, self));
    *trace = NULL;
    if (mt_progress_interrupted()) return mt_fail(MT_STOPPED, "stopped before the first step");
    if (p->trace) MT_TRY(p->backend->trace(*self, arena, &p->tracing, trace));
    watching w = {mt_progress_begin("simulating", p->input.time.end_ms), p, 0};
    mt_progress_catch_interrupt(
        "\nmyotile: stopping: writing the results so far; a second signal quits at once\n");
    const mt_status status = mt_in_file(
        p->path, mt_backend_run(&p->problem, p->backend, *self, steps_of(&p->input), watch, &w));
    mt_progress_end(&w.progress);
    *n_steps = w.steps_done;
    return status == MT_STOPPED && w.steps_done > 0 ? MT_OK : status;
}

static const char *name_of_signal(int number)
{
    return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
}

/* Files, then tables: what was computed does not depend on who reads the output. */
static mt_status tell(mt_arena *arena, const mt_run *done, const char *folder, mt_format format, FILE *out)
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
    if (status == MT_OK && format == MT_FORMAT_TEXT &&
        (fprintf(out,
             "\nIn %s/: activation.png (the picture), result.hdf (for ParaView), activation.csv, "
             "%s%s%sused.yaml\n",
             folder, done->profile ? "profile.json, " : "",
             done->details ? "tables and pictures of its tiles, " : "",
             done->trace ? "trace.json, " : "") < 0 ||
            fflush(out) != 0))
        status = mt_fail(MT_FILE, "standard output: %s", strerror(errno));
    if (status != MT_FILE) return status;
    (void)snprintf(why, sizeof why, "%s", mt_message());
    return mt_fail(status, "%s; the results are in %s/", why, folder);
}

static mt_status simulate_and_tell(mt_arena *arena, parts *p, const char *folder, mt_format format, FILE *out)
{
    void *self = NULL;
    ipu_trace *trace;
    size_t n_steps = 0;
    double *activation_ms;
    ipu_profile profile;
    MT_TRY(simulate(arena, p, &self, &trace, &n_steps));
    const bool stopped = n_steps < steps_of(&p->input);
    MT_TAKE(arena, activation_ms, p->mesh.n_cells);
    MT_TRY(p->backend->read(self, NULL, activation_ms));
    if (p->backend->profile) MT_TRY(p->backend->profile(self, arena, &profile));
    const mt_run done = {.input = &p->input,
        .mesh = &p->mesh,
        .adjacency = &p->adjacency,
        .diffusion = &p->diffusion,
        .places = &p->places,
        .n_steps = n_steps,
        .stopped_by = stopped ? name_of_signal(mt_progress_signal()) : NULL,
        .activation_ms = activation_ms,
        .profile = p->backend->profile ? &profile : NULL,
        .target = &p->target,
        .details = p->profile,
        .trace = trace,
        .traced_tiles = {p->tracing.first_tile, p->tracing.last_tile}};
    MT_TRY(tell(arena, &done, folder, format, out));
    if (!stopped)
        mt_warnings_of_run(
            p->path, &p->input, &p->problem, activation_ms, (double)n_steps * p->problem.dt_ms);
    if (!stopped) return MT_OK; /* a signal that came while the files were written asks for nothing more */
    return mt_fail(MT_STOPPED, "stopped at %.9g of %.9g ms; what there is by then is in %s/",
        (double)n_steps * p->input.time.dt_ms, p->input.time.end_ms, folder);
}

/* From the case to its results, in the folder that is entered. */
static mt_status run_in(
    mt_arena *arena, parts *p, const char *path, const char *folder, mt_format format, FILE *out)
{
    MT_TRY(mt_report_check(folder));
    mt_warnings_of_case(path, &p->input);
    MT_TRY(mt_in_file(path, make_problem(arena, p)));
    MT_TRY(mt_in_file(path, make_layout(arena, p)));
    return simulate_and_tell(arena, p, folder, format, out);
}

static mt_status run(mt_arena *arena, const mt_arguments *arguments)
{
    mt_format format;
    MT_TRY(mt_format_parse(mt_option_value(arguments, "--format", "text"), &format));
    const char *path = mt_operand(arguments, &mt_command_run, 0);
    const char **sets;
    size_t n_sets;
    MT_TRY(mt_option_all(arena, arguments, "--set", &n_sets, &sets));
    parts *p;
    MT_TAKE(arena, p, 1);
    p->path = path;
    MT_TRY(mt_case_load(arena, path, sets, n_sets, &p->input));
    p->backend = mt_backends[p->input.machine.backend];
    char name[MT_FILE_PATH_MAX];
    const char *asked = folder_name(mt_option_value(arguments, "--output", NULL), path, name, sizeof name);
    MT_TRY(mt_in_file(path, choose_machine(arena, p)));
    MT_TRY(choose_profile(arguments, p));
    p->cached = !mt_option_given(arguments, "--no-cache");
    mt_folder folder;
    MT_TRY(mt_folder_enter(asked, mt_option_replace(arguments), &folder));
    const mt_status status = run_in(arena, p, path, folder.path, format, arguments->out);
    mt_folder_leave(&folder);
    return status;
}
