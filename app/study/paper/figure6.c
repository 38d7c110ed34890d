/* myotile reproduce figure6: shares of the phases in a time step, against the number of IPUs. */
#include "app/draw/chart/chart.h"
#include "app/study/paper/charts.h"

static mt_status figure6(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_REPRODUCE_MESH, MT_STEPS_OPTIONS,
    {.name = "--picture", .value = "OUT.png", .help = "chart of the shares"}, MT_OPTION_FORCE,
    MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_figure6 = {
    .name = "reproduce figure6",
    .operands = "",
    .summary = "shares of compute and exchange in a time step on 1 to 16 IPUs",
    .example = "myotile reproduce figure6 --mesh heart.hdf --ipus 1,2 --picture figure6.png",
    .options = options,
    .run = figure6,
};

static mt_table make_shares(mt_arena *arena, const mt_steps *s, const char *title)
{
    static const struct {
        const char *cycles_key, *cycles, *share_key, *share;
    } phases[MT_STEPS_PHASES] = {
        [MT_STEPS_ODE] = {"ode_compute_cycles", "ODE compute", "ode_compute_percent", "ODE share"},
        [MT_STEPS_PDE] = {"pde_compute_cycles", "PDE compute", "pde_compute_percent", "PDE share"},
        [MT_STEPS_INSIDE] = {"exchange_inside_ipus_cycles", "inside IPUs, sync",
            "exchange_inside_ipus_percent", "inside share"},
        [MT_STEPS_BETWEEN] = {"exchange_between_ipus_cycles", "between IPUs, sync",
            "exchange_between_ipus_percent", "between share"}};
    mt_table table = mt_table_begin(arena, "phases", title);
    mt_table_decimals(&table, "ipus", "IPUs", "", 0);
    for (size_t f = 0; f < MT_STEPS_PHASES; f++)
        mt_table_decimals(&table, phases[f].cycles_key, phases[f].cycles, "cycles", 0);
    mt_table_decimals(&table, "time_step_cycles", "time step", "cycles", 0);
    for (size_t f = 0; f < MT_STEPS_PHASES; f++)
        mt_table_decimals(&table, phases[f].share_key, phases[f].share, "%", 2);
    mt_table_strings(&table, "fits", "fits");
    for (size_t i = 0; i < s->base.n_ipus; i++) {
        const mt_steps_costs *step = &s->step[i];
        mt_table_number(&table, s->base.ipus[i]);
        for (size_t f = 0; f < MT_STEPS_PHASES; f++) mt_table_number(&table, step->phase[f]);
        mt_table_number(&table, step->cycles);
        for (size_t f = 0; f < MT_STEPS_PHASES; f++)
            mt_table_number(&table, 100 * step->phase[f] / step->cycles);
        mt_table_text(&table, mt_costs_verdict(&step->one));
    }
    return table;
}

static mt_status draw(mt_arena *arena, const mt_steps *s, const char *title)
{
    static const char *const bars[] = {""};
    const size_t n = s->base.n_ipus;
    double *cycles;
    MT_ALLOC(arena, cycles, n * MT_STEPS_PHASES);
    for (size_t k = 0; k < n * MT_STEPS_PHASES; k++)
        cycles[k] = s->step[k / MT_STEPS_PHASES].phase[k % MT_STEPS_PHASES];
    return mt_shares_draw(arena, s->base.picture, title, &(mt_shares){n, 1, s->base.ipus, bars, cycles});
}

static mt_status figure6(mt_arena *arena, const mt_arguments *arguments)
{
    mt_steps *s;
    char title[MT_STEPS_TITLE];
    MT_ALLOC(arena, s, 1);
    MT_TRY(mt_steps_parse(arena, arguments, s));
    if (s->base.picture && s->base.n_ipus > MT_CHART_GROUPS_MAX)
        return mt_fail(MT_INPUT, "--picture with %zu counts of IPUs; allowed: at most %d", s->base.n_ipus,
            MT_CHART_GROUPS_MAX);
    MT_TRY(mt_steps_make(mt_option_value(arguments, "--mesh", NULL), s));
    mt_steps_title(s, "Phases of a time step", title);
    const mt_table table = make_shares(arena, s, title);
    if (s->base.picture) MT_TRY(draw(arena, s, title));
    return mt_print_tables(arguments, &table, 1);
}
