/* myotile reproduce nodes: a time step with voltages at the vertices and at the centres of the elements of a heart, side by side.
 *
 * Section 8.1 of the study names node-centred discretisations as future work: their rows have different lengths, so that they are stored
 * compressed, and a partition should have weights by non-zeros. All numbers follow from programs for the emulated machine, without running
 * them: the cost of a step does not depend on its values. Tissue, ionic model and spreading of the reaction are the defaults of a case. */
#include <math.h>

#include "app/run/operator.h"
#include "app/study/paper/heart.h"
#include "app/study/published.h"
#include "app/study/reproduce.h"
#include "data/core/progress.h"
#include "solver/plan/step_costs.h"

static mt_status nodes(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_HEART_MESH_OPTIONS, MT_REPRODUCE_IPUS,
    {.name = "--scheme", .value = "NAME", .help = "separator scheme; default: mixed-clean"},
    {.name = "--pde-steps",
        .value = "P",
        .help =
            "least number of diffusion substeps per time step, more where stability requires; default: as "
            "in the study: 4"},
    MT_TILING_OPTIONS, MT_OPTION_FORMAT, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_nodes = {
    .name = "reproduce nodes",
    .operands = "",
    .summary = "voltages at the vertices of a heart compared with its elements, on 1 to 16 IPUs",
    .example = "myotile reproduce nodes --mesh slab.hdf --ipus 1,2",
    .options = options,
    .run = nodes,
};

/* Kinds of rows: places of the voltages, and weights of the partition. */
enum { ELEMENTS, WEIGHTED, UNWEIGHTED, KINDS };
static const struct {
    const char *voltages, *weights;
} kinds[KINDS] = {
    [ELEMENTS] = {"elements", "none"},
    [WEIGHTED] = {"vertices", "row costs"},
    [UNWEIGHTED] = {"vertices", "none"},
};

static const double dt_ms = 0.02; /* of the study */

typedef struct row {
    mt_step_costs costs;
    double tiles; /* with at least one unknown */
} row;

typedef struct comparison {
    mt_reproduce base; /* without its mesh */
    mt_heart heart;    /* without its case */
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_tissues tissues;        /* borrowed by the operators */
    mt_diffusion diffusion[2]; /* of elements, of vertices */
    mt_monodomain problem[2];  /* the same */
    unsigned long pde_steps;   /* least number */
    double ode_steps;          /* time steps of the study's run */
    row rows[MT_TILING_COUNTS][KINDS];
} comparison;

/* ---- options ---- */

static mt_status parse(mt_arena *arena, const mt_arguments *arguments, comparison *c)
{
    uint32_t ranges;
    double study;
    MT_TRY(mt_published("heart04_pde_steps", &study, &study));
    MT_TRY(mt_published("ode_steps", &c->ode_steps, &c->ode_steps));
    const char *steps = mt_option_value(arguments, "--pde-steps", NULL);
    c->pde_steps = (unsigned long)study;
    if (steps) MT_TRY(mt_integer("--pde-steps", steps, 1, 1000000, &c->pde_steps));
    MT_TRY(mt_reproduce_parse(arena, arguments, &c->base));
    MT_TRY(mt_tiling_options_ranges(arguments, &ranges));
    MT_TRY(mt_scheme_find(mt_option_value(arguments, "--scheme", "mixed-clean"), ranges, &c->base.scheme[0]));
    return mt_heart_parse_mesh(arguments, &c->heart);
}

/* ---- costs ---- */

/* Builds both operators of the mesh and a problem with each. Both take the least number of substeps, or more if stability requires. */
static mt_status make_problems(mt_arena *arena, comparison *c)
{
    const mt_nodal_spreading spreading = {1, &mt_nodal_law_default, NULL};
    mt_progress_stage("computing the diffusion operators and their stability limits");
    c->tissues = mt_tissues_uniform(&mt_tissue_default);
    MT_TRY(mt_operator_make(arena, &c->mesh, &c->adjacency, &c->tissues, &mt_diffusion_scheme_default, NULL,
        c->heart.cached, &c->diffusion[0]));
    MT_TRY(mt_operator_make_nodal(arena, &c->mesh, &c->tissues, &spreading, &c->diffusion[1]));
    for (int k = 0; k < 2; k++) {
        const size_t needed = mt_monodomain_pde_steps(&c->diffusion[k], dt_ms);
        c->problem[k] = (mt_monodomain){.diffusion = &c->diffusion[k],
            .model = mt_cell_models[0],
            .dt_ms = dt_ms,
            .pde_steps = needed > c->pde_steps ? needed : c->pde_steps,
            .splitting = MT_SPLITTING_COMPENSATED};
    }
    return MT_OK;
}

/* Warns with the reason that a kind does not fit. */
static void warn(const comparison *c, size_t i, int kind, const char *why)
{
    mt_reproduce_name name;
    mt_reproduce_ipus(c->base.ipus[i], name);
    mt_warn("%s on %s, weights of the partition: %s: does not fit: %s", kinds[kind].voltages, name,
        kinds[kind].weights, why);
}

static mt_status find_row(comparison *c, size_t i, int kind)
{
    MT_SCRATCH(scratch);
    mt_halo halo;
    row *r = &c->rows[i][kind];
    const mt_monodomain *problem = &c->problem[kind != ELEMENTS];
    MT_TRY(mt_step_halo_make(scratch, problem, &c->adjacency, &c->base.tiling, &c->base.scheme[0],
        c->base.ipus[i], kind == WEIGHTED, &halo));
    MT_TRY(mt_step_costs_find(problem, &c->base.tiling, &halo, &r->costs));
    r->tiles = 0;
    for (uint32_t part = 0; part < halo.n_parts; part++) r->tiles += mt_tile_elements(&halo, part) > 0;
    if (!r->costs.fits) warn(c, i, kind, r->costs.why);
    return MT_OK;
}

static mt_status find_costs(mt_arena *arena, comparison *c)
{
    MT_TRY(mt_heart_mesh(arena, &c->heart, &c->mesh, &c->adjacency));
    MT_TRY(make_problems(arena, c));
    for (size_t i = 0; i < c->base.n_ipus; i++) {
        mt_reproduce_name name;
        char stage[64];
        mt_reproduce_ipus(c->base.ipus[i], name);
        (void)snprintf(stage, sizeof stage, "partitioning for %s", name);
        mt_progress_stage(stage);
        for (int kind = 0; kind < KINDS; kind++) MT_TRY(find_row(c, i, kind));
    }
    mt_progress_stage(NULL);
    return MT_OK;
}

/* ---- tables ---- */

/* Begins a table with the columns that identify a row of a kind. */
static mt_table begin(mt_arena *arena, const char *key, const char *title)
{
    mt_table table = mt_table_begin(arena, key, title);
    mt_table_decimals(&table, "ipus", "IPUs", "", 0);
    mt_table_strings(&table, "voltages", "voltages");
    mt_table_strings(&table, "weights", "weights");
    return table;
}

static void begin_row(mt_table *table, const comparison *c, size_t i, int kind)
{
    mt_table_number(table, c->base.ipus[i]);
    mt_table_text(table, kinds[kind].voltages);
    mt_table_text(table, kinds[kind].weights);
}

static void add_step(mt_table *table, const comparison *c, size_t i, int kind)
{
    const mt_step_costs *s = &c->rows[i][kind].costs, *elements = &c->rows[i][ELEMENTS].costs;
    const double cycles = s->fits ? (double)s->cycles : NAN;
    begin_row(table, c, i, kind);
    MT_TABLE_NUMBERS(table, s->own.sum, (double)c->problem[kind != ELEMENTS].pde_steps, cycles,
        100 * (double)(s->exchange_cycles + s->sync_cycles) / cycles,
        cycles * c->ode_steps / c->base.tiling.one.clock_hz,
        elements->fits ? (double)elements->cycles / cycles : NAN);
    mt_table_text(table, s->fits ? "yes" : "does not fit");
}

static mt_table make_steps(mt_arena *arena, const comparison *c)
{
    char title[320];
    (void)snprintf(title, sizeof title,
        "Voltages at elements and vertices: %s on %s, %s partition%s, %s; time of %.0f steps", c->heart.name,
        c->base.tiling.one.name, mt_partition_methods[c->base.tiling.method],
        c->base.tiling.balance_halo ? " with balanced halos" : "", c->base.scheme[0].name, c->ode_steps);
    mt_table table = begin(arena, "steps", title);
    mt_table_decimals(&table, "unknowns", "unknowns", "", 0);
    mt_table_decimals(&table, "substeps", "substeps", "", 0);
    mt_table_decimals(&table, "time_step_cycles", "time step", "cycles", 0);
    mt_table_decimals(&table, "exchange_sync_percent", "exchange, sync", "%", 1);
    mt_table_decimals(&table, "time_s", "time", "s", 2);
    mt_table_decimals(&table, "faster_than_elements", "faster", "times", 2);
    mt_table_strings(&table, "fits", "fits");
    for (size_t i = 0; i < c->base.n_ipus; i++)
        for (int kind = 0; kind < KINDS; kind++) add_step(&table, c, i, kind);
    return table;
}

static mt_table make_tiles(mt_arena *arena, const comparison *c)
{
    mt_table table = begin(arena, "tiles", "Load, received voltages and memory of the tiles");
    mt_table_decimals(&table, "tiles", "tiles with voltages", "", 0);
    mt_table_decimals(&table, "unknowns_mean", "unknowns", "mean", 1);
    mt_table_decimals(&table, "load_balance_percent", "load balance", "%", 1);
    mt_table_decimals(&table, "received_mean", "received", "mean", 1);
    mt_table_decimals(&table, "received_max", "received", "largest", 0);
    mt_table_decimals(&table, "fullest_tile_bytes", "fullest tile", "bytes", 0);
    for (size_t i = 0; i < c->base.n_ipus; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            const row *r = &c->rows[i][kind];
            const mt_step_costs *s = &r->costs;
            begin_row(&table, c, i, kind);
            MT_TABLE_NUMBERS(&table, r->tiles, s->own.sum / r->tiles, s->fits ? 100 * s->balance : NAN,
                s->received.sum / r->tiles, s->received.max, s->fits ? (double)s->memory_max : NAN);
        }
    return table;
}

/* Returns the index of the fewest IPUs on which a kind fits; SIZE_MAX if there are none. */
static size_t fewest(const comparison *c, int kind)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < c->base.n_ipus; i++)
        if (c->rows[i][kind].costs.fits && (least == SIZE_MAX || c->base.ipus[i] < c->base.ipus[least]))
            least = i;
    return least;
}

/* Estimates the largest heart by the bytes per unknown of the fullest tile. A lower bound: fixed memory
 * and halos, which grow less, count as proportional. */
static void add_largest(mt_table *table, const comparison *c, int kind)
{
    const size_t i = fewest(c, kind);
    mt_table_text(table, kinds[kind].voltages);
    mt_table_text(table, kinds[kind].weights);
    if (i == SIZE_MAX) {
        MT_TABLE_NUMBERS(table, NAN, NAN, NAN, NAN);
        return;
    }
    const mt_step_costs *s = &c->rows[i][kind].costs;
    const double on_one = s->own.sum / c->base.ipus[i];
    const double room = (double)c->base.tiling.one.bytes_per_tile / (double)s->memory_max;
    MT_TABLE_NUMBERS(table, c->base.ipus[i], (double)s->memory_max * c->base.tiling.tiles / on_one,
        floor(on_one * room), floor(on_one * room * (double)c->mesh.n_elements / s->own.sum));
}

static mt_table make_largest(mt_arena *arena, const comparison *c)
{
    char title[256];
    (void)snprintf(title, sizeof title,
        "Largest heart on one IPU, estimated, at least: memory of the fullest tile proportional to the "
        "unknowns, %zu bytes per tile",
        (size_t)c->base.tiling.one.bytes_per_tile);
    mt_table table = mt_table_begin(arena, "largest", title);
    mt_table_strings(&table, "voltages", "voltages");
    mt_table_strings(&table, "weights", "weights");
    mt_table_decimals(&table, "measured_ipus", "measured on", "IPUs", 0);
    mt_table_decimals(&table, "unknown_bytes", "an unknown", "bytes", 0);
    mt_table_decimals(&table, "largest_unknowns", "unknowns", "", 0);
    mt_table_decimals(&table, "largest_elements", "elements of the mesh", "", 0);
    for (int kind = 0; kind < KINDS; kind++) add_largest(&table, c, kind);
    return table;
}

static mt_status nodes(mt_arena *arena, const mt_arguments *arguments)
{
    comparison *c;
    MT_ALLOC(arena, c, 1);
    MT_TRY(parse(arena, arguments, c));
    const mt_status status = find_costs(arena, c);
    mt_heart_free(&c->heart);
    MT_TRY(status);
    const mt_table tables[] = {make_steps(arena, c), make_tiles(arena, c), make_largest(arena, c)};
    return mt_print_tables(arguments, tables, sizeof tables / sizeof *tables);
}
