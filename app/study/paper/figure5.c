/* myotile reproduce figure5: strong scaling, time against the number of IPUs. */
#include <math.h>

#include "app/draw/chart/chart.h"
#include "app/study/validation/steps.h"

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
    mt_steps *mesh; /* [n_meshes] */
} scaling;

/* Returns the index of the fewest IPUs that the mesh fits, the reference of speed-up; SIZE_MAX if there is none. */
static size_t fewest(const mt_steps *s)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < s->base.n_ipus; i++)
        if (s->step[i].one.fits && (least == SIZE_MAX || s->base.ipus[i] < s->base.ipus[least])) least = i;
    return least;
}

/* Returns the cycles of a time step for ideal scaling from the fewest IPUs; NaN if there are none. */
static double ideal_cycles(const mt_steps *s, size_t i)
{
    const size_t least = fewest(s);
    return least == SIZE_MAX ? NAN
                             : s->step[least].cycles * (double)s->base.ipus[least] / (double)s->base.ipus[i];
}

/* ---- the table ---- */

static void add_mesh(mt_table *table, const mt_steps *s)
{
    const size_t least = fewest(s);
    for (size_t i = 0; i < s->base.n_ipus; i++) {
        const double cycles = s->step[i].cycles;
        mt_table_text(table, s->name);
        MT_TABLE_NUMBERS(
            table, (double)s->n_elements, s->pde_steps, s->base.ipus[i], cycles, mt_steps_seconds(s, cycles));
        for (int end = 0; end < IPU_ENDS; end++)
            mt_table_number(table, mt_steps_seconds(s, s->step[i].at[end]));
        MT_TABLE_NUMBERS(table, least == SIZE_MAX ? NAN : (double)s->base.ipus[least],
            least == SIZE_MAX ? NAN : s->step[least].cycles / cycles, 100 * ideal_cycles(s, i) / cycles);
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
    mt_table_decimals(&table, "reference_ipus", "relative to", "IPUs", 0);
    mt_table_decimals(&table, "speedup", "speed-up", "", 2);
    mt_table_decimals(&table, "efficiency_percent", "efficiency", "%", 1);
    mt_table_strings(&table, "fits", "fits");
    for (size_t m = 0; m < all->n_meshes; m++) add_mesh(&table, &all->mesh[m]);
    return table;
}

/* ---- the picture ---- */

static mt_status draw(mt_arena *arena, const scaling *all, const char *title)
{
    const mt_reproduce *base = &all->mesh[0].base;
    const size_t n = base->n_ipus;
    static const char *const kinds[] = {"time"};
    const char **groups, *lines[MT_CHART_KINDS_MAX];
    double *seconds, *ideal, *places;
    bool any = false;
    mt_reproduce_name *names;
    MT_ALLOC(arena, groups, n);
    MT_ALLOC(arena, names, n);
    MT_ALLOC(arena, seconds, n * all->n_meshes);
    MT_ALLOC(arena, ideal, n * all->n_meshes);
    MT_ALLOC(arena, places, n);
    for (size_t i = 0; i < n; i++) {
        mt_reproduce_ipus(base->ipus[i], names[i]);
        groups[i] = names[i];
        places[i] = base->ipus[i];
        for (size_t m = 0; m < all->n_meshes; m++) {
            const mt_steps *s = &all->mesh[m];
            lines[m] = s->name;
            const bool fits = s->step[i].one.fits;
            any |= fits;
            seconds[i * all->n_meshes + m] = fits ? mt_steps_seconds(s, s->step[i].cycles) : 0;
            ideal[i * all->n_meshes + m] = fits ? mt_steps_seconds(s, ideal_cycles(s, i)) : NAN;
        }
    }
    if (!any) return mt_fail(MT_FIT, "--picture %s: no mesh fits any of these machines", base->picture);
    return mt_chart_write(base->picture, &(mt_chart){.title = title,
                                             .caption = "Time [s]; both axes are logarithmic",
                                             .logarithmic = true,
                                             .n_groups = n,
                                             .n_bars = all->n_meshes,
                                             .n_kinds = 1,
                                             .group = groups,
                                             .bar = lines,
                                             .kind = kinds,
                                             .value = seconds,
                                             .mark = ideal,
                                             .mark_name = "ideal",
                                             .place = places});
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
    for (size_t m = 0; m < all.n_meshes; m++) {
        all.mesh[m] = *asked;
        MT_TRY(mt_steps_make(paths[m], &all.mesh[m]));
    }
    char title[MT_STEPS_TITLE], setting[MT_STEPS_SETTING];
    const mt_reproduce *base = &asked->base;
    mt_steps_setting(base, setting);
    (void)snprintf(title, sizeof title, "Seconds of %.0f time steps on %s", all.mesh[0].ode_steps, setting);
    const mt_table table = make_table(arena, &all, title);
    if (base->picture) MT_TRY(draw(arena, &all, title));
    return mt_print_tables(arguments, &table, 1);
}
