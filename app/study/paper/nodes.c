/* myotile reproduce nodes: a time step with voltages at the vertices and at the centres of the elements of a heart, side by side.
 *
 * Section 8.1 of the study names node-centred discretisations as future work: their rows have different lengths, so that they are stored
 * compressed, and a partition should have weights by non-zeros. All numbers follow from programs for the emulated machine, without running
 * them: the cost of a step does not depend on its values. Tissue, ionic model and spreading of the reaction are the defaults of a case. */
#include <math.h>
#include <string.h>

#include "app/draw/chart/chart.h"
#include "app/run/operator.h"
#include "app/study/paper/heart.h"
#include "app/study/paper/nodes_tables.h"
#include "app/study/published.h"
#include "app/study/reproduce.h"
#include "data/core/progress.h"

static mt_status nodes(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_HEART_MESH_OPTIONS, MT_REPRODUCE_IPUS,
    {.name = "--scheme", .value = "NAME", .help = "separator scheme; default: mixed-clean"},
    {.name = "--schemes",
        .value = "NAME,...",
        .help = "further separator schemes, for the table of halos; default: none"},
    {.name = "--pde-steps",
        .value = "P",
        .help =
            "least number of diffusion substeps per time step, more where stability requires; default: as "
            "in the study: 4"},
    MT_TILING_OPTIONS,
    {.name = "--picture", .value = "OUT.png", .help = "chart of the times, both axes logarithmic"},
    {.name = "--shares-picture", .value = "OUT.png", .help = "chart of the shares of a time step"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_nodes = {
    .name = "reproduce nodes",
    .operands = "",
    .summary = "voltages at the vertices of a heart compared with its elements, on 1 to 16 IPUs",
    .example = "myotile reproduce nodes --mesh slab.hdf --ipus 1,2",
    .options = options,
    .run = nodes,
};

static const double dt_ms = 0.02; /* of the study */

typedef struct comparison {
    mt_nodes_costs costs;
    const char *shares_picture; /* path, or NULL */
    mt_heart heart;             /* without its case */
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_tissues tissues;        /* borrowed by the operators */
    mt_diffusion diffusion[2]; /* of elements, of vertices */
    mt_monodomain problem[2];  /* the same */
    unsigned long pde_steps;   /* least number */
    size_t at_ipus;            /* in progress */
    int at_kind;
} comparison;

/* ---- options ---- */

/* Reads --scheme, the first, and --schemes, without those that it repeats. */
static mt_status parse_schemes(const mt_arguments *arguments, mt_reproduce *base)
{
    uint32_t ranges;
    mt_scheme first;
    size_t n = 1;
    const char *further = mt_option_value(arguments, "--schemes", NULL);
    MT_TRY(mt_tiling_options_ranges(arguments, &ranges));
    MT_TRY(mt_scheme_find(mt_option_value(arguments, "--scheme", "mixed-clean"), ranges, &first));
    if (further) MT_TRY(mt_reproduce_schemes("--schemes", further, ranges, base));
    mt_scheme all[1 + MT_REPRODUCE_SCHEMES] = {first};
    for (size_t k = 0; k < base->n_schemes; k++)
        if (strcmp(base->scheme[k].name, first.name) != 0) all[n++] = base->scheme[k];
    if (n > MT_REPRODUCE_SCHEMES)
        return mt_fail(MT_INPUT, "--schemes %s; allowed: at most %d", further, MT_REPRODUCE_SCHEMES - 1);
    memcpy(base->scheme, all, n * sizeof *all);
    base->n_schemes = n;
    return MT_OK;
}

/* Refuses, before the work, requests that a chart cannot show. */
static mt_status check_pictures(const mt_arguments *arguments, comparison *c)
{
    c->shares_picture = mt_option_value(arguments, "--shares-picture", NULL);
    if (c->shares_picture) MT_TRY(mt_page_check_name(c->shares_picture, mt_option_replace(arguments)));
    if ((!c->costs.base.picture && !c->shares_picture) || c->costs.base.n_ipus <= MT_CHART_GROUPS_MAX)
        return MT_OK;
    return mt_fail(MT_INPUT, "a picture with %zu counts of IPUs; allowed: at most %d", c->costs.base.n_ipus,
        MT_CHART_GROUPS_MAX);
}

static mt_status parse(mt_arena *arena, const mt_arguments *arguments, comparison *c)
{
    double study;
    MT_TRY(mt_published("heart04_pde_steps", &study, &study));
    MT_TRY(mt_published("ode_steps", &c->costs.ode_steps, &c->costs.ode_steps));
    const char *steps = mt_option_value(arguments, "--pde-steps", NULL);
    c->pde_steps = (unsigned long)study;
    if (steps) MT_TRY(mt_integer("--pde-steps", steps, 1, 1000000, &c->pde_steps));
    MT_TRY(mt_reproduce_parse(arena, arguments, &c->costs.base));
    MT_TRY(parse_schemes(arguments, &c->costs.base));
    MT_TRY(check_pictures(arguments, c));
    for (size_t i = 0; i < c->costs.base.n_ipus; i++)
        for (int kind = 0; kind < MT_NODES_KINDS; kind++)
            MT_ALLOC(arena, c->costs.rows[i][kind].schemes, c->costs.base.n_schemes);
    for (int kind = 0; kind < MT_NODES_KINDS; kind++)
        MT_ALLOC(arena, c->costs.cycles[kind], c->costs.base.n_ipus);
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
            .splitting = MT_SPLITTING_COMPENSATED,
            .mesh = &c->mesh};
    }
    return MT_OK;
}

/* Warns with the reason that a kind does not fit. */
static void warn(const comparison *c, size_t i, int kind, size_t scheme)
{
    mt_reproduce_name name;
    char with[64] = "";
    mt_reproduce_ipus(c->costs.base.ipus[i], name);
    if (scheme > 0) (void)snprintf(with, sizeof with, ", %s", c->costs.base.scheme[scheme].name);
    mt_warn("%s on %s, weights of the partition: %s%s: does not fit: %s", mt_nodes_kinds[kind].voltages, name,
        mt_nodes_kinds[kind].weights, with, c->costs.rows[i][kind].schemes[scheme].why);
}

static mt_status find_halo_costs(void *context, size_t scheme, const mt_halo *halo)
{
    comparison *c = context;
    const int kind = c->at_kind;
    mt_nodes_row *r = &c->costs.rows[c->at_ipus][kind];
    MT_TRY(mt_step_costs_find(
        &c->problem[kind != MT_NODES_ELEMENTS], &c->costs.base.tiling, halo, &r->schemes[scheme]));
    if (!r->schemes[scheme].fits) warn(c, c->at_ipus, kind, scheme);
    r->tiles = 0;
    for (uint32_t part = 0; part < halo->n_parts; part++) r->tiles += mt_tile_elements(halo, part) > 0;
    return MT_OK;
}

static mt_status find_row(comparison *c, size_t i, int kind)
{
    const mt_reproduce *base = &c->costs.base;
    c->at_ipus = i, c->at_kind = kind;
    MT_TRY(mt_step_halos_visit(&c->problem[kind != MT_NODES_ELEMENTS], &c->adjacency, &base->tiling,
        base->n_schemes, base->scheme, base->ipus[i], kind == MT_NODES_WEIGHTED, find_halo_costs, c));
    const mt_step_costs *s = c->costs.rows[i][kind].schemes;
    c->costs.cycles[kind][i] = s->fits ? (double)s->cycles : NAN;
    return MT_OK;
}

/* Sets the members of the costs that are not rows. */
static void complete(comparison *c)
{
    c->costs.heart = c->heart.name;
    c->costs.n_elements = c->mesh.n_elements;
    for (int k = 0; k < 2; k++) c->costs.substeps[k] = (double)c->problem[k].pde_steps;
    for (int kind = 0; kind < MT_NODES_KINDS; kind++)
        c->costs.line[kind] = (mt_scaling){mt_nodes_kinds[kind].name, c->costs.base.n_ipus,
            c->costs.base.ipus, c->costs.cycles[kind], c->costs.ode_steps, c->costs.base.tiling.one.clock_hz};
}

static mt_status find_costs(mt_arena *arena, comparison *c)
{
    MT_TRY(mt_heart_mesh(arena, &c->heart, &c->mesh, &c->adjacency));
    MT_TRY(make_problems(arena, c));
    for (size_t i = 0; i < c->costs.base.n_ipus; i++) {
        mt_reproduce_name name;
        char stage[64];
        mt_reproduce_ipus(c->costs.base.ipus[i], name);
        (void)snprintf(stage, sizeof stage, "partitioning for %s", name);
        mt_progress_stage(stage);
        for (int kind = 0; kind < MT_NODES_KINDS; kind++) MT_TRY(find_row(c, i, kind));
    }
    complete(c);
    mt_progress_stage(NULL);
    return MT_OK;
}

static mt_status nodes(mt_arena *arena, const mt_arguments *arguments)
{
    comparison *c;
    mt_table tables[MT_NODES_TABLES];
    MT_ALLOC(arena, c, 1);
    MT_TRY(parse(arena, arguments, c));
    const mt_status status = find_costs(arena, c);
    mt_heart_free(&c->heart);
    MT_TRY(status);
    mt_nodes_tables(arena, &c->costs, tables);
    if (c->costs.base.picture)
        MT_TRY(mt_scaling_draw(arena, c->costs.base.picture, tables[0].title, MT_NODES_KINDS, c->costs.line));
    if (c->shares_picture) MT_TRY(mt_nodes_draw_shares(arena, &c->costs, c->shares_picture, tables[0].title));
    return mt_print_tables(arguments, tables, MT_NODES_TABLES);
}
