/* myotile partition: partitions a mesh for a number of tiles and reports the cost. */
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "app/cli/command.h"
#include "app/draw/page.h"
#include "app/draw/scene/part_colours.h"
#include "app/draw/scene/picture.h"
#include "ipu/run/profile_files.h"
#include "data/core/progress.h"
#include "app/cli/table.h"
#include "app/cli/tiling_options.h"
#include "app/heart/mesh_file.h"
#include "data/files/file.h"
#include "data/files/folder.h"
#include "mesh/cut/part_grid.h"
#include "mesh/files/formats.h"
#include "solver/diffusion/diffusion.h"
#include "solver/diffusion/nodal.h"
#include "solver/plan/costs.h"
#include "solver/plan/step_costs.h"
#include "solver/plan/tile_counts.h"
#include "mesh/vtk/vtkhdf.h"

static mt_status partition(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {.name = "--ipus",
        .value = "N,...",
        .help = "number of IPUs, one or several; the mesh has one part per tile; default: 1"},
    {.name = "--discretisation",
        .value = "elements|nodes",
        .help =
            "elements (default): parts have elements; nodes: parts have vertices, balanced by the costs of "
            "their rows, for cases with `diffusion.discretisation: nodes`"},
    {.name = "--scheme",
        .value = "NAME",
        .help = "separator scheme: full, ranged, mixed-clean (default), exact or budget"},
    MT_TILING_OPTIONS, MT_OPTION_STREAM,
    {.name = "--output",
        .letter = 'o',
        .value = "OUT.hdf",
        .help = "write the mesh with its partition, for `run` and ParaView; for one number of IPUs"},
    {.name = "--picture",
        .value = "OUT.png",
        .help = "draw the mesh, coloured by tile; for one number of IPUs"},
    {.name = "--profile",
        .value = "DIR",
        .help = "folder (created if missing) for profile.json and tables of the modelled load of each tile "
                "and link; for one number of IPUs"},
    {.name = "--check", .help = "replay the exchange word by word to verify its schedule; slow"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_partition = {
    .name = "partition",
    .operands = "MESH.hdf",
    .n_operands = 1,
    .summary = "partition a mesh for the tiles of a machine, and compute its exchange and memory",
    .example = "myotile partition slab.hdf --ipus 1,4 --partition hierarchical --scheme exact",
    .options = options,
    .run = partition,
};

/* ---- stages and their times ---- */

typedef struct stages {
    mt_table table;
    double started_s;
} stages;

static stages begin_stages(mt_arena *arena)
{
    stages s = {.table = mt_table_begin(arena, "stages", "Stages")};
    mt_table_strings(&s.table, "stage", "stage");
    mt_table_decimals(&s.table, "ipus", "IPUs", "", 0);
    mt_table_decimals(&s.table, "time_s", "time", "s", 2);
    mt_table_decimals(&s.table, "peak_memory_gb", "peak memory", "GB", 2);
    s.started_s = mt_now_s();
    return s;
}

/* Begins a stage for a number of IPUs; 0: independent of it. */
static void begin_stage(stages *s, const char *name, uint32_t ipus)
{
    mt_progress_stage(name);
    mt_table_text(&s->table, name);
    mt_table_number(&s->table, ipus ? (double)ipus : NAN);
    s->started_s = mt_now_s();
}

static void end_stage(stages *s)
{
    struct rusage ours, of_metis; /* memory shared with the child process counts in both */
    (void)getrusage(RUSAGE_SELF, &ours);
    (void)getrusage(RUSAGE_CHILDREN, &of_metis);
    mt_table_number(&s->table, mt_now_s() - s->started_s);
    mt_table_number(&s->table, fmax((double)ours.ru_maxrss, (double)of_metis.ru_maxrss) * 1024 / 1e9);
}

/* ---- tables ---- */

enum { WORDS = 96 };

/* Replaces a word in a text of fewer than WORDS bytes. */
static void replace(char text[WORDS], const char *word, const char *by)
{
    char rest[WORDS];
    for (char *at = strstr(text, word); at; at = strstr(text, word)) {
        (void)snprintf(rest, sizeof rest, "%s", at + strlen(word));
        (void)snprintf(at, WORDS - (size_t)(at - text), "%s%s", by, rest);
    }
}

/* Copies a key or label; with parts of vertices, with their words. */
static const char *worded(bool at_vertices, const char *from, char text[WORDS])
{
    (void)snprintf(text, WORDS, "%s", from);
    if (!at_vertices) return text;
    replace(text, "elements", "vertices");
    replace(text, "faces", "edges");
    return text;
}

static mt_status tile_table(
    mt_arena *arena, const char *title, bool at_vertices, const mt_halo *halo, mt_table *table)
{
    static const struct {
        const char *key, *label;
        int level;
        mt_tile_count *count;
    } rows[] = {{"elements", "elements", 0, mt_tile_elements},
        {"separator_elements", "separator elements", 0, mt_tile_separator},
        {"halo_elements", "halo elements needed", 0, mt_tile_needed},
        {"elements_received", "elements received", 0, mt_tile_received},
        {"elements_unused", "unused", 1, mt_tile_unused},
        {"neighbours", "neighbour tiles", 0, mt_tile_neighbours},
        {"ranges_sent", "ranges sent", 0, mt_tile_ranges_sent},
        {"pieces_received", "pieces received", 0, mt_tile_pieces_received}};
    *table = mt_table_begin(arena, "tiles", title);
    mt_table_strings(table, "item", "item");
    mt_table_decimals(table, "min", "min", "", 0);
    mt_table_decimals(table, "median", "median", "", 0);
    mt_table_decimals(table, "max", "max", "", 0);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        mt_tile_spread spread;
        char key[WORDS], label[WORDS];
        MT_TRY(mt_tile_spread_find(halo, rows[r].count, &spread));
        mt_table_item(table, worded(at_vertices, rows[r].key, key), worded(at_vertices, rows[r].label, label),
            rows[r].level);
        MT_TABLE_NUMBERS(table, spread.min, spread.median, spread.max);
    }
    return MT_OK;
}

/* A property of the complete partition. */
typedef struct whole_row {
    const char *key, *label;
    double value;
    const char *unit;
} whole_row;

static void add_whole_row(mt_table *table, bool at_vertices, const whole_row *row)
{
    char key[WORDS], label[WORDS];
    mt_table_property(table, worded(at_vertices, row->key, key), worded(at_vertices, row->label, label),
        row->value, row->unit);
}

/* Adds the cost; NaN if the mesh does not fit. */
static void add_cost_rows(mt_table *table, const mt_costs *costs)
{
    const whole_row rows[] = {
        {"fullest_tile_bytes", "memory of the fullest tile", (double)costs->memory_max, "bytes"},
        {"median_tile_bytes", "memory of the median tile", (double)costs->memory_median, "bytes"},
        {"exchange_cycles", "exchange of a diffusion substep, including copies",
            (double)costs->exchange_cycles, "cycles"},
        {"exchange_setup_cycles", "set-up, within IPUs", (double)costs->parts.setup, "cycles"},
        {"exchange_words_cycles", "words", (double)costs->parts.words, "cycles"},
        {"exchange_waiting_cycles", "waiting", (double)costs->parts.waiting, "cycles"},
        {"rearrangement_cycles", "copies within tiles", (double)costs->rearrangement_cycles, "cycles"},
        {"between_ipus_cycles", "between IPUs", (double)costs->external_cycles, "cycles"},
        {"substep_least_cycles", "diffusion substep, constants at their fast ends",
            (double)costs->pde_step.at[IPU_FAST], "cycles"},
        {"substep_most_cycles", "diffusion substep, constants at their slow ends",
            (double)costs->pde_step.at[IPU_SLOW], "cycles"},
        {"exchange_lower_bound_cycles", "lower bound of the exchange within IPUs",
            (double)costs->exchange_bound_cycles, "cycles"},
        {"between_ipus_bytes", "bytes between IPUs, counted once per receiving IPU",
            (double)costs->bytes_crossing, "bytes"},
        {"exchange_load_balance_percent", "load balance of the exchange (mean/max)",
            100 * costs->effectiveness, "%"}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        mt_table_property(table, rows[r].key, rows[r].label, costs->fits ? rows[r].value : NAN, rows[r].unit);
    if (costs->dram_cycles > 0)
        mt_table_property(table, "dram_cycles",
            "memory outside of the chip, of a time step, in addition to compute", (double)costs->dram_cycles,
            "cycles");
    if (costs->overlapping_step_cycles > 0)
        mt_table_property(table, "overlapping_step_cycles", "time step, with overlapping phases",
            (double)costs->overlapping_step_cycles, "cycles");
}

/* Adds the rectangle of the grid that has all elements, and the distance between tiles with a common face. */
static void add_grid_rows(mt_table *table, bool at_vertices, const mt_part_grid_use *use)
{
    const whole_row rows[] = {{"used_columns", "used columns of the grid of tiles", use->columns, ""},
        {"used_rows", "used rows", use->rows, ""},
        {"grid_distance", "distance between tiles at cut faces (mean)", use->distance, "tiles"}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) add_whole_row(table, at_vertices, &rows[r]);
}

static mt_status whole_table(mt_arena *arena, const char *title, bool at_vertices, const mt_partition *parts,
    const mt_part_grid_use *use, const mt_balance *balance, const mt_halo *halo, const mt_costs *costs,
    mt_table *table)
{
    mt_tile_spread received;
    MT_TRY(mt_tile_spread_find(halo, mt_tile_received, &received));
    size_t words = 0, empty = 0;
    for (uint32_t p = 0; p < halo->n_parts; p++) empty += mt_halo_own(halo, p) == 0;
    for (size_t r = 0; r < halo->n_ranges; r++) words += halo->range[r].end - halo->range[r].begin;
    const whole_row rows[] = {{"parts", "parts", halo->n_parts, ""},
        {"empty_parts", "empty parts", (double)empty, ""},
        {"elements", "elements", (double)halo->n_elements, ""},
        {"faces_cut", "faces cut", (double)parts->edge_cut, ""},
        {"ranges", "ranges", (double)halo->n_ranges, ""},
        {"elements_sent", "elements sent (each range once)", (double)words, ""},
        {"elements_received", "elements received", received.sum, ""},
        {"elements_from_other_ipus", "elements received from other IPUs", (double)mt_tile_crossing(halo), ""},
        {"received_percent", "share of received elements",
            100 * received.sum / (received.sum + (double)halo->n_elements), "%"}};
    *table = mt_table_properties(arena, "partition", title);
    const whole_row balanced[] = {
        {"elements_moved", "elements moved to balance halos", (double)balance->moves, ""},
        {"halo_elements_before_max", "largest number of halo elements needed before balancing",
            (double)balance->largest_before, ""}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) add_whole_row(table, at_vertices, &rows[r]);
    if (use->columns > 0) add_grid_rows(table, at_vertices, use);
    add_cost_rows(table, costs);
    for (size_t r = 0; balance->largest_before > 0 && r < 2; r++)
        add_whole_row(table, at_vertices, &balanced[r]);
    return MT_OK;
}

/* ---- the command ---- */

typedef struct cutting {
    const char *path, *out, *picture, *profile; /* optional except the first; NULL: not written */
    mt_tiling tiling;
    mt_scheme scheme;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_pattern pattern;
    mt_cut_graph graph;
    bool at_vertices; /* parts have vertices; the next three then describe their rows, without values */
    mt_nodal nodal;
    mt_diffusion rows;
    mt_monodomain problem;
    stages stages;
} cutting;

static mt_status write_profile(cutting *job, const ipu_target *target, const ipu_profile *profile)
{
    char title[MT_FILE_PATH_MAX];
    begin_stage(&job->stages, "profile", (uint32_t)target->ipus);
    (void)snprintf(title, sizeof title, "%s on %zu IPU%s", basename(job->path), target->ipus,
        target->ipus > 1 ? "s" : "");
    const ipu_profiled profiled = {.title = title, .profile = profile, .target = target};
    MT_TRY(mt_file_set_begin());
    const mt_status status = ipu_profile_write(&profiled, job->profile, true);
    if (status == MT_OK) mt_folder_keep(job->profile);
    MT_TRY(mt_file_set_end(status));
    end_stage(&job->stages);
    return MT_OK;
}

static mt_status cut(mt_arena *arena, cutting *job, uint32_t ipus, mt_partition *parts, mt_balance *balance)
{
    MT_TRY(mt_tiling_partition(arena, &job->tiling, &job->graph, &job->pattern, ipus, parts, balance));
    return mt_tiling_balance_sent(&job->tiling, &job->scheme, &job->graph, &job->pattern, parts, balance);
}

static mt_status find_costs(mt_arena *arena, const cutting *job, const mt_halo *halo, ipu_target *target,
    ipu_profile *profile, mt_costs *costs)
{
    if (!job->at_vertices) return mt_costs_profile(arena, &job->tiling, halo, target, profile, costs);
    return mt_costs_profile_of(arena, &job->problem, &job->tiling, halo, target, profile, costs);
}

/* Partitions for one count of IPUs; returns its two tables in `arena`. */
static mt_status cut_for(mt_arena *arena, cutting *job, uint32_t ipus, mt_table tables[2])
{
    MT_SCRATCH(scratch);
    mt_partition parts;
    mt_balance balance;
    mt_halo halo;
    mt_costs costs;
    ipu_target target;
    ipu_profile profile;
    begin_stage(&job->stages, "partition", ipus);
    MT_TRY(cut(scratch, job, ipus, &parts, &balance));
    const mt_part_grid_use use = mt_part_grid_use_of(
        (uint32_t)job->tiling.one.fabric.width, parts.parts_per_group, &job->graph, parts.part);
    end_stage(&job->stages);
    begin_stage(&job->stages, "halo", ipus);
    MT_TRY(mt_halo_make(scratch, &job->pattern, &parts, &job->scheme, &halo));
    end_stage(&job->stages);
    begin_stage(&job->stages, job->tiling.checked ? "graph, compiled and checked" : "graph, compiled", ipus);
    MT_TRY(find_costs(scratch, job, &halo, &target, &profile, &costs));
    end_stage(&job->stages);
    if (job->profile && !costs.fits)
        return mt_fail(MT_FIT, "--profile of %s on %u IPU%s: %s: %s", job->path, ipus, ipus > 1 ? "s" : "",
            mt_costs_verdict(&costs), costs.why);
    if (job->profile) MT_TRY(write_profile(job, &target, &profile));
    if (job->out)
        MT_TRY(mt_vtkhdf_write_partition(job->out, &(mt_unknowns){&job->mesh, job->at_vertices}, &parts));
    if (job->picture)
        MT_TRY(mt_picture_parts(job->picture, &job->mesh, &job->adjacency, &parts, basename(job->path)));
    mt_progress_stage(NULL);
    const char *plural = ipus > 1 ? "s" : "";
    if (!costs.fits)
        mt_warn("%s on %u IPU%s %s: %s", job->path, ipus, plural, mt_costs_verdict(&costs), costs.why);
    char title[MT_FILE_PATH_MAX];
    (void)snprintf(title, sizeof title, "%s on %u IPU%s%s%s", job->path, ipus, plural,
        costs.busiest_link[0] ? ", busiest link: " : "", costs.busiest_link);
    MT_TRY(whole_table(arena, title, job->at_vertices, &parts, &use, &balance, &halo, &costs, &tables[0]));
    (void)snprintf(title, sizeof title, "Tiles of %u IPU%s", ipus, plural);
    return tile_table(arena, title, job->at_vertices, &halo, &tables[1]);
}

/* Finds the rows of the vertices. Their values do not affect a partition or its cost. */
static mt_status get_rows(mt_arena *arena, cutting *job)
{
    double *some;
    MT_TRY(mt_nodal_pattern_make(arena, &job->mesh, &job->nodal));
    MT_ALLOC(arena, some, 1);
    job->nodal.spread = some; /* increments spread along the rows */
    job->rows = (mt_diffusion){.n_unknowns = job->mesh.n_vertices, .nodal = &job->nodal};
    job->pattern = mt_diffusion_pattern(&job->rows);
    job->problem = (mt_monodomain){.diffusion = &job->rows,
        .model = mt_cell_models[0],
        .dt_ms = 1,
        .pde_steps = 2,
        .splitting = MT_SPLITTING_COMPENSATED};
    return MT_OK;
}

static mt_status get_graph(mt_arena *arena, cutting *job)
{
    job->graph = mt_cut_graph_of(&job->adjacency);
    if (job->at_vertices)
        MT_TRY(mt_step_graph_make(arena, &job->problem, &job->adjacency, &job->tiling, true, &job->graph));
    return mt_tiling_place(arena, &job->tiling, &(mt_unknowns){&job->mesh, job->at_vertices}, &job->graph);
}

static mt_status get_mesh(mt_arena *arena, cutting *job)
{
    begin_stage(&job->stages, "mesh and adjacency", 0);
    MT_TRY(mt_read_mesh(arena, job->path, &job->mesh));
    MT_TRY(mt_adjacency_make(arena, &job->mesh, &job->adjacency));
    MT_TRY(
        job->at_vertices ? get_rows(arena, job) : mt_tiling_pattern(arena, &job->adjacency, &job->pattern));
    MT_TRY(get_graph(arena, job));
    end_stage(&job->stages);
    return MT_OK;
}

/* Returns two tables for each of n counts of IPUs. */
static mt_status cut_for_all(mt_arena *arena, cutting *job, size_t n, const uint32_t *ipus, mt_table *tables)
{
    if (job->profile) MT_TRY(ipu_profile_check(job->profile, true));
    MT_TRY(get_mesh(arena, job));
    for (size_t k = 0; k < n; k++) MT_TRY(cut_for(arena, job, ipus[k], tables + 2 * k));
    return MT_OK;
}

static mt_status parse_discretisation(const mt_arguments *arguments, bool *at_vertices)
{
    static const char *const names[] = {"elements", "nodes", NULL};
    size_t which;
    MT_TRY(mt_option_word(arguments, "--discretisation", names[0], names, 2, &which));
    *at_vertices = which == 1;
    if (*at_vertices && mt_option_value(arguments, "--picture", NULL))
        return mt_fail(MT_INPUT, "--picture with --discretisation nodes; allowed: elements");
    return MT_OK;
}

static mt_status partition(mt_arena *arena, const mt_arguments *arguments)
{
    mt_folder folder;
    uint32_t ipus[MT_TILING_COUNTS], ranges;
    size_t n;
    mt_table tables[2 * MT_TILING_COUNTS + 1];
    const mt_file_replace replace = mt_option_replace(arguments);
    cutting job = {.path = mt_operand(arguments, 0)};
    MT_TRY(mt_tiling_options_parse(arena, arguments, &job.tiling));
    job.tiling.spread = mt_diffusion_scheme_default.spreading > 0;
    MT_TRY(mt_tiling_options_counts(&job.tiling, mt_option_value(arguments, "--ipus", "1"), &n, ipus));
    MT_TRY(mt_tiling_options_ranges(arguments, &ranges));
    MT_TRY(mt_scheme_find(mt_option_value(arguments, "--scheme", "mixed-clean"), ranges, &job.scheme));
    MT_TRY(parse_discretisation(arguments, &job.at_vertices));
    job.out = mt_option_value(arguments, "--output", NULL);
    job.picture = mt_option_value(arguments, "--picture", NULL);
    job.profile = mt_option_value(arguments, "--profile", NULL);
    if (job.out) MT_TRY(mt_vtkhdf_check_name(job.out));
    if (job.out) MT_TRY(mt_file_check(job.out, replace));
    if (job.picture) MT_TRY(mt_page_check_name(job.picture, replace));
    if (n > 1 && (job.out || job.picture || job.profile))
        return mt_fail(MT_INPUT, "%s with %zu counts of IPUs; allowed: one",
            job.out       ? "--output"
            : job.picture ? "--picture"
                          : "--profile",
            n);
    if (job.profile) MT_TRY(ipu_profile_check_words(basename(job.path), job.tiling.one.name));
    if (job.picture && ipus[0] > MT_PART_GROUPS_MAX)
        return mt_fail(MT_INPUT, "--picture with %u IPUs; allowed: at most %d", ipus[0], MT_PART_GROUPS_MAX);
    job.tiling.checked = mt_option_given(arguments, "--check");
    MT_TRY(mt_tiling_options_stream(arguments, &job.tiling.streamed));
    MT_TRY(mt_tiling_check_streamed("--stream", &job.tiling));
    job.stages = begin_stages(arena);
    if (job.profile) MT_TRY(mt_folder_enter(job.profile, replace, &folder));
    const mt_status status = cut_for_all(arena, &job, n, ipus, tables);
    if (job.profile) mt_folder_close(&folder);
    MT_TRY(status);
    tables[2 * n] = job.stages.table;
    return mt_print_tables(arguments, tables, 2 * n + 1);
}
