/* myotile reproduce figure5: strong scaling, time against the number of IPUs. */
#include "app/draw/chart/chart.h"
#include "app/study/paper/charts.h"

static mt_status figure5(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {.name = "--mesh",
        .value = "MESH.hdf",
        .help = "mesh of a heart, up to 4 times; default: one like heart04, generated with gmsh",
        .repeats = true},
    MT_STEPS_OPTIONS,
    {.name = "--picture", .value = "OUT.png", .help = "chart of the times, both axes logarithmic"},
    MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_figure5 = {
    .name = "reproduce figure5",
    .operands = "",
    .summary = "strong scaling of the study's simulation on 1 to 16 IPUs: time, speed-up, efficiency",
    .example = "myotile reproduce figure5 --mesh slab.hdf --mesh heart.hdf --ipus 1,2 --picture figure5.png",
    .options = options,
    .run = figure5,
};

typedef struct scaling {
    size_t n_meshes;
    mt_steps *mesh;   /* [n_meshes] */
    mt_scaling *line; /* [n_meshes] */
} scaling;

/* Returns the line of a mesh, with cycles in `arena`. */
static mt_status line_of(mt_arena *arena, const mt_steps *s, mt_scaling *line)
{
    double *cycles;
    MT_ALLOC(arena, cycles, s->base.n_ipus);
    for (size_t i = 0; i < s->base.n_ipus; i++) cycles[i] = s->step[i].cycles;
    *line = (mt_scaling){
        s->name, s->base.n_ipus, s->base.ipus, cycles, s->ode_steps, s->base.tiling.one.clock_hz};
    return MT_OK;
}

/* ---- the table ---- */

static void add_mesh(mt_table *table, const mt_steps *s, const mt_scaling *line)
{
    for (size_t i = 0; i < s->base.n_ipus; i++) {
        const double cycles = s->step[i].cycles;
        mt_table_text(table, s->name);
        MT_TABLE_NUMBERS(
            table, (double)s->n_elements, s->pde_steps, s->base.ipus[i], cycles, mt_steps_seconds(s, cycles));
        for (int end = 0; end < IPU_ENDS; end++)
            mt_table_number(table, mt_steps_seconds(s, s->step[i].at[end]));
        mt_scaling_numbers(table, line, i);
        mt_table_text(table, mt_costs_verdict(&s->step[i].one));
    }
}

static mt_table make_table(mt_arena *arena, const scaling *all, const char *title)
{
    mt_table table = mt_table_begin(arena, "scaling", title);
    mt_table_strings(&table, "mesh", "mesh");
    mt_table_decimals(&table, "elements", "elements", "", 0);
    mt_table_decimals(&table, "substeps", "substeps", "", 0);
    mt_table_decimals(&table, "ipus", "IPUs", "", 0);
    mt_table_decimals(&table, "time_step_cycles", "time step", "cycles", 0);
    mt_table_decimals(&table, "time_s", "time", "s", 2);
    mt_table_decimals(&table, "time_fast_s", "from", "s", 2);
    mt_table_decimals(&table, "time_slow_s", "to", "s", 2);
    mt_scaling_columns(&table);
    mt_table_strings(&table, "fits", "fits");
    for (size_t m = 0; m < all->n_meshes; m++) add_mesh(&table, &all->mesh[m], &all->line[m]);
    return table;
}

/* ---- the command ---- */

/* Refuses, before the work, requests that a chart cannot show. */
static mt_status check(const scaling *all, const mt_reproduce *base)
{
    if (all->n_meshes > MT_CHART_KINDS_MAX)
        return mt_fail(MT_INPUT, "--mesh %zu times; allowed: at most %d", all->n_meshes, MT_CHART_KINDS_MAX);
    if (base->picture && base->n_ipus > MT_CHART_GROUPS_MAX)
        return mt_fail(MT_INPUT, "--picture with %zu counts of IPUs; allowed: at most %d", base->n_ipus,
            MT_CHART_GROUPS_MAX);
    return MT_OK;
}

static mt_status figure5(mt_arena *arena, const mt_arguments *arguments)
{
    const char **paths;
    mt_steps *asked;
    scaling all;
    MT_ALLOC(arena, asked, 1);
    MT_TRY(mt_option_all(arena, arguments, "--mesh", &all.n_meshes, &paths));
    if (all.n_meshes == 0) all.n_meshes = 1; /* paths[0] is NULL: a mesh generated with gmsh */
    MT_TRY(mt_steps_parse(arena, arguments, asked));
    MT_TRY(check(&all, &asked->base));
    MT_ALLOC(arena, all.mesh, all.n_meshes);
    MT_ALLOC(arena, all.line, all.n_meshes);
    for (size_t m = 0; m < all.n_meshes; m++) {
        all.mesh[m] = *asked;
        MT_TRY(mt_steps_make(paths[m], &all.mesh[m]));
        MT_TRY(line_of(arena, &all.mesh[m], &all.line[m]));
    }
    char title[MT_STEPS_TITLE], setting[MT_STEPS_SETTING];
    const mt_reproduce *base = &asked->base;
    mt_steps_setting(base, setting);
    (void)snprintf(title, sizeof title, "Seconds of %.0f time steps on %s", all.mesh[0].ode_steps, setting);
    const mt_table table = make_table(arena, &all, title);
    if (base->picture) MT_TRY(mt_scaling_draw(arena, base->picture, title, all.n_meshes, all.line));
    return mt_print_tables(arguments, &table, 1);
}
