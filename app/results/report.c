#include "app/results/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/stages/operator.h"
#include "app/draw/picture.h"
#include "app/results/trace_file.h"
#include "data/folder.h"
#include "mesh/files/vtkhdf.h"
#include "solver/findings.h"
#include "solver/probe.h"
#include "solver/plan/plan.h"

/* The simulated time of the last step that was done. */
static double reached_ms(const mt_run *run) { return (double)run->n_steps * run->input->time.dt_ms; }

/* ---- tables ---- */

static mt_table summary_table(mt_arena *arena, const mt_run *run)
{
    const mt_diffusion *diffusion = run->diffusion;
    const mt_tissue tissue = mt_case_tissue(run->input);
    mt_table table = mt_table_properties(arena, run->input->title[0] ? run->input->title : "Run");
    mt_table_property(&table, "cells", (double)run->mesh->n_cells, "");
    mt_table_property(&table, "diffusivity along fibres", mt_tissue_diffusivity_l(&tissue), "mm^2/ms");
    mt_table_property(&table, "diffusivity across fibres", mt_tissue_diffusivity_t(&tissue), "mm^2/ms");
    mt_table_property(&table, "time step of the cells", run->input->time.dt_ms, "ms");
    mt_table_property(&table, "diffusion steps in it", (double)run->input->time.pde_steps, "");
    mt_table_property(&table, "longest stable diffusion step", diffusion->limit_dt_ms, "ms");
    mt_operator_rows(&table, diffusion);
    mt_table_property(&table, "fastest growth of any pattern", diffusion->top_per_ms, "1/ms");
    double latest_ms = NAN;
    size_t activated = 0, lately = 0;
    const double end_ms = (double)run->n_steps * run->input->time.dt_ms;
    for (size_t cell = 0; cell < run->mesh->n_cells; cell++) {
        if (!isfinite(run->activation_ms[cell])) continue;
        activated++;
        lately += run->activation_ms[cell] > end_ms - MT_FINDINGS_WAVE_MS;
        latest_ms = fmax(latest_ms, run->activation_ms[cell]); /* fmax leaves out what is no number */
    }
    mt_table_property(&table, "cells activated", 100 * (double)activated / (double)run->mesh->n_cells, "%");
    mt_table_property(
        &table, "cells activated in the last 5 ms", 100 * (double)lately / (double)run->mesh->n_cells, "%");
    mt_table_property(&table, "latest activation of a cell", latest_ms, "ms");
    mt_table_property(&table, "simulated time", end_ms, "ms");
    if (run->stopped_by) mt_table_property(&table, "stopped; asked for", run->input->time.end_ms, "ms");
    return table;
}

static void probe_columns(mt_table *table)
{
    mt_table_strings(table, "point");
    mt_table_decimals(table, "x", "mm", 2);
    mt_table_decimals(table, "y", "mm", 2);
    mt_table_decimals(table, "z", "mm", 2);
    mt_table_decimals(table, "activation", "ms", 2);
}

/* Not a number where the wave does not reach the probe within the simulated time. */
static double activation_at(const mt_run *run, size_t probe)
{
    const mt_probes *probes = run->probes;
    const double t_ms = mt_probe_value(
        run->mesh, run->diffusion, run->activation_ms, probes->xyz_mm + 3 * probe, probes->cell[probe]);
    return t_ms <= reached_ms(run) ? t_ms : NAN;
}

/* The points, and behind them the line if asked for. */
static mt_table probes_table(mt_arena *arena, const mt_run *run, bool with_line)
{
    const mt_probes *probes = run->probes;
    mt_table table =
        mt_table_begin(arena, "Activation times at points, by linear fits to the cells nearest to each");
    probe_columns(&table);
    for (size_t k = 0; k < (with_line ? probes->n : probes->n_points); k++) {
        mt_table_text(&table, k < probes->n_points ? run->input->points[k].name : "line");
        for (size_t axis = 0; axis < 3; axis++) mt_table_number(&table, probes->xyz_mm[3 * k + axis]);
        mt_table_number(&table, activation_at(run, k));
    }
    return table;
}

/* One phase of the machine's work over the compute sets [first, last]; the spread is over the tiles that have work in it, in
 * one run. */
typedef struct phase {
    const char *name;
    uint64_t runs, total;
    ipu_spread spread;
    double busy, slowest; /* cycles of the mean and of the slowest tile by themselves, in all runs */
    double instances;     /* vertices of a run */
    double tiles;         /* that have work in a run */
} phase;

static void add_spread(phase *to, uint64_t runs, const ipu_spread *spread)
{
    if (runs == 0) return;
    double before = (double)to->runs, now = (double)runs;
    to->spread.min = to->runs == 0 || spread->min < to->spread.min ? spread->min : to->spread.min;
    to->spread.max = to->runs == 0 || spread->max > to->spread.max ? spread->max : to->spread.max;
    to->spread.mean = (to->spread.mean * before + spread->mean * now) / (before + now);
    to->tiles = (to->tiles * before + (double)spread->tiles * now) / (before + now);
    to->runs += runs;
}

static void add_busy(phase *to, uint64_t runs, const ipu_spread *spread)
{
    to->busy += (double)runs * spread->mean;
    to->slowest += (double)runs * (double)spread->max;
}

/* The vertices of the compute sets [first, last]. */
static void add_vertices(phase *to, const ipu_profile *profile, size_t first, size_t last)
{
    for (size_t v = 0; v < profile->n_vertices; v++) {
        const ipu_profile_vertices *kind = &profile->vertices[v];
        const uint64_t runs = profile->steps[kind->step].runs;
        if (kind->step < first || kind->step > last || runs == 0) continue;
        to->instances += (double)(runs * kind->instances) / (double)to->runs;
    }
}

static phase compute_phase(const ipu_profile *profile, const char *name, size_t first, size_t last)
{
    phase p = {.name = name};
    for (size_t s = first; s <= last && s < profile->n_steps; s++) {
        const ipu_profile_step *step = &profile->steps[s];
        add_spread(&p, step->runs, &step->compute);
        add_busy(&p, step->runs, &step->compute);
        p.total += step->total_compute_cycles;
    }
    add_vertices(&p, profile, first, last);
    return p;
}

static phase exchange_phase(const ipu_profile *profile, const char *name, size_t first, size_t last)
{
    phase p = {.name = name};
    for (size_t s = first; s <= last && s < profile->n_steps; s++) {
        const ipu_profile_step *step = &profile->steps[s];
        add_spread(&p, step->runs, &step->exchange);
        add_busy(&p, step->runs, &step->exchange);
        p.total += step->runs * (step->exchange_phase_cycles - step->external_cycles);
    }
    return p;
}

/* What takes every tile as long: so many cycles of a run of each compute set. */
typedef uint64_t common_cycles(const ipu_profile_step *step);

static uint64_t cycles_of_sync(const ipu_profile_step *step) { return step->sync_cycles; }
static uint64_t cycles_of_links(const ipu_profile_step *step) { return step->external_cycles; }

static phase common_phase(const ipu_profile *profile, const char *name, common_cycles *cycles_of)
{
    phase p = {.name = name};
    for (size_t s = 0; s < profile->n_steps; s++) {
        const ipu_profile_step *step = &profile->steps[s];
        const uint64_t cycles = cycles_of(step);
        if (cycles == 0) continue;
        const ipu_spread same = {.min = cycles, .max = cycles, .mean = (double)cycles};
        add_spread(&p, step->runs, &same);
        p.total += step->runs * cycles;
    }
    return p;
}

/* Cycles of one time step, in which the phase runs runs / n_steps times. */
static void phase_row(mt_table *table, const mt_run *run, const phase *p)
{
    const double runs = (double)p->runs / (double)run->n_steps, total = (double)p->total;
    mt_table_text(table, p->name);
    mt_table_number(table, p->instances > 0 ? p->instances : NAN);
    mt_table_number(table, p->slowest > 0 ? p->tiles : NAN);
    mt_table_number(table, runs);
    mt_table_number(table, runs * (double)p->spread.min);
    mt_table_number(table, runs * p->spread.mean);
    mt_table_number(table, runs * (double)p->spread.max);
    mt_table_number(table, p->slowest > 0 ? 100 * p->busy / p->slowest : NAN);
    mt_table_number(table, 100 * total / (double)run->profile->cycles);
    mt_table_number(table, total / run->target->clock_hz);
}

/* A row of a whole time step, of which only cycles and shares are told. Nothing of exchange and synchronisation overlaps
 * with compute: all of both is exposed. */
static void sum_row(mt_table *table, const mt_run *run, const char *name, uint64_t cycles)
{
    mt_table_text(table, name);
    for (int k = 0; k < 5; k++) mt_table_number(table, NAN);
    mt_table_number(table, (double)cycles / (double)run->n_steps);
    mt_table_number(table, NAN);
    mt_table_number(table, 100 * (double)cycles / (double)run->profile->cycles);
    mt_table_number(table, (double)cycles / run->target->clock_hz);
}

static mt_table cycles_table(mt_arena *arena, const mt_run *run)
{
    const ipu_profile *profile = run->profile;
    mt_table table = mt_table_begin(arena,
        "Cycles of a time step on the emulated machine: min, mean and max over the tiles that have work");
    mt_table_strings(&table, "phase");
    mt_table_decimals(&table, "vertices", "", 0);
    mt_table_decimals(&table, "tiles", "", 0);
    mt_table_decimals(&table, "runs", "", 2);
    mt_table_decimals(&table, "min", "cycles", 0);
    mt_table_decimals(&table, "mean", "cycles", 0);
    mt_table_decimals(&table, "max", "cycles", 0);
    mt_table_decimals(&table, "mean/max", "%", 1);
    mt_table_decimals(&table, "share", "%", 1);
    mt_table_digits(&table, "whole run", "s", 4);
    phase phases[] = {
        compute_phase(profile, "PDE compute", MT_PLAN_PDE_AB, MT_PLAN_PDE_BA),
        exchange_phase(profile, "PDE exchange", MT_PLAN_PDE_AB, MT_PLAN_PDE_BA),
        compute_phase(profile, "ODE compute", MT_PLAN_ODE, MT_PLAN_ODE),
        compute_phase(profile, "activation", MT_PLAN_ACTIVATION, MT_PLAN_ACTIVATION),
        compute_phase(profile, "stimulus", MT_PLAN_STIMULUS, profile->n_steps),
        common_phase(profile, "sync", cycles_of_sync),
        common_phase(profile, "links", cycles_of_links),
    };
    const size_t n = sizeof phases / sizeof phases[0] - !mt_profile_crosses(profile); /* links come last */
    for (size_t k = 0; k < n; k++) phase_row(&table, run, &phases[k]);
    sum_row(&table, run, "all", profile->cycles);
    sum_row(&table, run, "  exposed exchange", profile->exchange_cycles + profile->sync_cycles);
    return table;
}

/* What goes over the exchange in one run of each compute set that receives anything. */
static mt_table exchange_table(mt_arena *arena, const ipu_profile *profile)
{
    const bool crosses = mt_profile_crosses(profile);
    mt_table table = mt_table_begin(arena, "Exchange, all tiles, each time it runs");
    mt_table_strings(&table, "compute set");
    mt_table_decimals(&table, "runs", "", 0);
    mt_table_decimals(&table, "pieces received", "", 0);
    mt_table_decimals(&table, "received", "bytes", 0);
    mt_table_decimals(&table, "sent", "bytes", 0);
    mt_table_decimals(&table, "copied", "bytes", 0);
    if (crosses) mt_table_decimals(&table, "between IPUs", "bytes", 0);
    if (crosses) mt_table_decimals(&table, "busiest link", "cycles", 0);
    if (crosses) mt_table_strings(&table, "which");
    for (size_t s = 0; s < profile->n_steps; s++) {
        const ipu_profile_step *step = &profile->steps[s];
        if (step->ranges_received == 0 || step->runs == 0) continue;
        mt_table_text(&table, step->name);
        mt_table_number(&table, (double)step->runs);
        mt_table_number(&table, (double)step->ranges_received);
        mt_table_number(&table, (double)step->bytes_received);
        mt_table_number(&table, (double)step->bytes_sent);
        mt_table_number(&table, (double)step->bytes_copied);
        if (crosses) mt_table_number(&table, (double)step->bytes_crossing);
        if (crosses) mt_table_number(&table, (double)step->external_cycles);
        if (crosses) mt_table_text(&table, step->busiest_link);
    }
    return table;
}

/* all: bytes of all tiles; not a number where that says nothing. */
static void memory_row(
    mt_table *table, const char *what, size_t bytes, double all, const ipu_profile *profile)
{
    mt_table_text(table, what);
    mt_table_number(table, (double)bytes);
    mt_table_number(table, 100 * (double)bytes / (double)profile->memory_there);
    mt_table_number(table, all);
}

static mt_table memory_table(mt_arena *arena, const ipu_profile *profile)
{
    const ipu_tile_memory *tile = &profile->fullest, *all = &profile->memory_all;
    mt_table table = mt_table_begin(arena, "Memory of a tile");
    mt_table_strings(&table, "what");
    mt_table_decimals(&table, "bytes", "", 0);
    mt_table_decimals(&table, "of what is there", "%", 1);
    mt_table_decimals(&table, "all tiles", "bytes", 0);
    memory_row(&table, "median tile", profile->memory_median, NAN, profile);
    memory_row(&table, "fullest tile", profile->memory_max, (double)(all->total + all->gaps), profile);
    for (int k = 0; k < IPU_MEMORY_CATEGORIES; k++) {
        char what[64];
        (void)snprintf(what, sizeof what, "  %s", ipu_memory_category_name[k]);
        memory_row(&table, what, tile->bytes[k], (double)all->bytes[k], profile);
    }
    memory_row(&table, "  gaps", tile->gaps, (double)all->gaps, profile);
    memory_row(&table, "fullest tile: always live", tile->always_live, (double)all->always_live, profile);
    memory_row(&table, "fullest tile: others, the most at once", tile->not_always_live, NAN, profile);
    memory_row(&table, "there", profile->memory_there, NAN, profile);
    return table;
}

mt_status mt_report_tables(mt_arena *arena, const mt_run *run, mt_table tables[MT_REPORT_TABLES], size_t *n)
{
    tables[0] = summary_table(arena, run);
    *n = 1;
    if (mt_operator_limits(run->diffusion))
        tables[(*n)++] = mt_operator_table(arena, run->mesh, run->adjacency, run->diffusion);
    if (run->probes->n_points > 0) tables[(*n)++] = probes_table(arena, run, false);
    if (run->profile) {
        tables[(*n)++] = cycles_table(arena, run);
        tables[(*n)++] = exchange_table(arena, run->profile);
        tables[(*n)++] = memory_table(arena, run->profile);
    }
    return MT_OK;
}

/* ---- files ---- */

/* As files and pictures want it: not a number where a cell has not activated. */
static mt_status activation_for_files(mt_arena *arena, const mt_run *run, float **activation_ms)
{
    MT_TAKE(arena, *activation_ms, run->mesh->n_cells);
    for (size_t c = 0; c < run->mesh->n_cells; c++)
        (*activation_ms)[c] = isfinite(run->activation_ms[c]) ? (float)run->activation_ms[c] : NAN;
    return MT_OK;
}

/* The same text, every line a comment. */
static void print_as_comment(FILE *out, const char *text)
{
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        (void)fprintf(out, "#   %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

/* The case as it was used, and the machine, as YAML. */
static mt_status used_text(mt_arena *arena, const mt_run *run, const char **text)
{
    const char *body, *machine = NULL;
    char *whole = NULL, *kept = NULL;
    size_t size = 0;
    MT_TRY(mt_yaml_write(arena, &mt_case_table, run->input, &body));
    if (run->profile) MT_TRY(mt_yaml_write(arena, &ipu_target_table, run->target, &machine));
    FILE *memory = open_memstream(&whole, &size);
    if (!memory) return mt_fail(MT_MEMORY, "used.yaml: out of memory");
    (void)fprintf(memory,
        "# Every value used by a run of myotile %s, compiled with %s. Running this file gives the same "
        "bits.\n%s",
        MT_VERSION, MT_COMPILER, body);
    if (machine) {
        (void)fprintf(memory, "# The machine was:\n");
        print_as_comment(memory, machine);
    }
    if (fclose(memory) == 0) kept = mt_arena_take(arena, size + 1, 1);
    if (kept) *text = memcpy(kept, whole, size);
    free(whole);
    return kept ? MT_OK : mt_fail(MT_MEMORY, "used.yaml: out of memory");
}

/* What it means that a cell has no activation time. */
static void nan_text(const mt_run *run, char *text, size_t size)
{
    if (run->stopped_by)
        (void)snprintf(text, size, "not reached before the run was stopped at %.9g ms; later is not known",
            reached_ms(run));
    else
        (void)snprintf(text, size, "not activated within the %.9g ms of the run", reached_ms(run));
}

static mt_status write_result(mt_arena *arena, const mt_run *run, const char *path)
{
    const size_t n = run->mesh->n_cells;
    float *activation;
    int64_t *number;
    const char *used;
    char hash[MT_HASH_SIZE], nan[128];
    MT_TRY(activation_for_files(arena, run, &activation));
    MT_TAKE(arena, number, n);
    for (size_t c = 0; c < n; c++) number[c] = (int64_t)c;
    MT_TRY(used_text(arena, run, &used));
    MT_TRY(mt_mesh_hash(run->mesh, hash));
    nan_text(run, nan, sizeof nan);
    const mt_vtkhdf_field fields[] = {{.name = "activation", .unit = "ms", .f32 = activation, .nan = nan},
        {.name = "element", .i64 = number}};
    const mt_vtkhdf_note notes[] = {{.name = "mesh_hash", .text = hash},
        {.name = "time_reached_ms", .number = reached_ms(run)},
        {.name = "end_ms", .number = run->input->time.end_ms},
        {.name = "stopped_by", .text = run->stopped_by ? run->stopped_by : "its end"},
        {.name = "used", .text = used}};
    return mt_vtkhdf_write_result(
        path, run->mesh, sizeof fields / sizeof *fields, fields, sizeof notes / sizeof *notes, notes);
}

static mt_status write_picture(mt_arena *arena, const mt_run *run, const char *path)
{
    float *activation;
    char title[1024];
    MT_TRY(activation_for_files(arena, run, &activation));
    if (!run->stopped_by)
        return mt_picture_activation(
            path, run->mesh, run->adjacency, activation, reached_ms(run), run->input->title);
    (void)snprintf(title, sizeof title, "%.900s%s(stopped at %.6g ms)", run->input->title,
        run->input->title[0] ? " " : "", reached_ms(run));
    return mt_picture_activation(path, run->mesh, run->adjacency, activation, reached_ms(run), title);
}

static mt_status write_table(const char *path, const mt_table *table, mt_format format)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return mt_fail(MT_MEMORY, "%s: out of memory", path);
    mt_status status = mt_table_print(memory, table, format);
    if (fclose(memory) != 0 && status == MT_OK) status = mt_fail(MT_MEMORY, "%s: out of memory", path);
    if (status == MT_OK) status = mt_file_write_text(path, text, size);
    free(text);
    return status;
}

static mt_status write_activation_csv(mt_arena *arena, const mt_run *run, const char *path)
{
    mt_table table = probes_table(arena, run, true);
    return write_table(path, &table, MT_FORMAT_CSV);
}

static mt_status write_used(mt_arena *arena, const mt_run *run, const char *path)
{
    const char *text;
    MT_TRY(used_text(arena, run, &text));
    return mt_file_write_text(path, text, strlen(text));
}

typedef mt_status writer(mt_arena *arena, const mt_run *run, const char *path);

/* The first is what a run is for. */
static const struct {
    const char *name;
    writer *write;
} files[] = {{"result.hdf", write_result}, {"activation.csv", write_activation_csv},
    {"used.yaml", write_used}, {"activation.png", write_picture}};
enum { N_FILES = sizeof files / sizeof *files };

static mt_status write_one(const mt_run *run, const char *folder, const char *name, writer *write)
{
    char path[MT_FILE_PATH_MAX];
    MT_TRY(mt_folder_path(folder, name, path));
    mt_arena arena = {0};
    mt_status status = write(&arena, run, path);
    mt_arena_free(&arena);
    return status;
}

/* Without an emulated machine nothing stays of a profile that an earlier run had. */
static mt_status write_profile(const mt_run *run, const char *folder)
{
    const mt_profiled profiled = {
        run->input->title[0] ? run->input->title : "Run", run->n_steps, run->profile, run->target};
    char path[MT_FILE_PATH_MAX];
    if (!run->profile) return mt_profile_forget(folder);
    MT_TRY(mt_profile_write(&profiled, folder, run->details));
    if (!run->trace) return MT_OK;
    MT_TRY(mt_folder_path(folder, "trace.json", path));
    return mt_trace_write(run->trace, profiled.title, run->traced_tiles[0], run->traced_tiles[1], path);
}

/* Keeps the first failure of several, and its message. */
typedef struct first_failure {
    mt_status status;
    char message[1024];
} first_failure;

static void keep_failure(first_failure *first, mt_status status)
{
    if (status == MT_OK || first->status != MT_OK) return;
    first->status = status;
    (void)snprintf(first->message, sizeof first->message, "%s", mt_message());
}

/* Those behind the first. What an earlier run left under the name of one that fails goes. */
static void write_others(const mt_run *run, const char *folder, first_failure *first)
{
    char path[MT_FILE_PATH_MAX];
    for (int f = 1; f < N_FILES; f++) {
        const mt_status status = write_one(run, folder, files[f].name, files[f].write);
        keep_failure(first, status);
        if (status != MT_OK && mt_folder_path(folder, files[f].name, path) == MT_OK)
            keep_failure(first, mt_file_remove(path));
    }
    keep_failure(first, write_profile(run, folder));
}

mt_status mt_report_write(const mt_run *run, const char *folder)
{
    first_failure first = {.status = MT_OK};
    MT_TRY(mt_file_set_begin());
    mt_status status = write_one(run, folder, files[0].name, files[0].write);
    if (status == MT_OK) write_others(run, folder, &first);
    if (status == MT_OK) mt_folder_keep();
    MT_TRY(mt_file_set_end(status));
    return first.status == MT_OK ? MT_OK : mt_fail(first.status, "%s", first.message);
}

mt_status mt_report_check(const char *folder, bool profile, bool details, bool trace)
{
    char path[MT_FILE_PATH_MAX];
    for (int f = 0; f < N_FILES; f++) {
        MT_TRY(mt_folder_path(folder, files[f].name, path));
        MT_TRY(mt_file_check(path, MT_FILE_ANY));
    }
    if (profile) MT_TRY(mt_profile_check(folder, details));
    if (!trace) return MT_OK;
    MT_TRY(mt_folder_path(folder, "trace.json", path));
    return mt_file_check(path, MT_FILE_ANY);
}
