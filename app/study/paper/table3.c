/* myotile reproduce table3: seconds of the study's simulation by part, compared with numbers derived from the study. */
#include <math.h>

#include "app/study/validation/comparison.h"
#include "app/study/validation/steps.h"

static mt_status table3(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_REPRODUCE_MESH, MT_STEPS_OPTIONS, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_table3 = {
    .name = "reproduce table3",
    .operands = "",
    .summary = "time of the study's simulation on 1 to 16 IPUs, compared with the study",
    .example = "myotile reproduce table3 --mesh heart.hdf --ipus 1,2 --target bow",
    .options = options,
    .run = table3,
};

static mt_table make_seconds(mt_arena *arena, const mt_steps *s)
{
    char what[64], title[MT_STEPS_TITLE];
    (void)snprintf(what, sizeof what, "Time of %.0f time steps", s->ode_steps);
    mt_steps_title(s, what, title);
    mt_table table = mt_table_begin(arena, "seconds", title);
    mt_table_decimals(&table, "ipus", "IPUs", "", 0);
    mt_table_decimals(&table, "pde_s", "PDE part", "s", 2);
    mt_table_decimals(&table, "pde_exchange_s", "PDE exchange", "s", 2);
    mt_table_decimals(&table, "ode_s", "ODE part", "s", 2);
    mt_table_decimals(&table, "total_s", "total", "s", 2);
    mt_table_decimals(&table, "total_fast_s", "from", "s", 2);
    mt_table_decimals(&table, "total_slow_s", "to", "s", 2);
    mt_table_digits(&table, "element_steps_per_s", "rate", "element steps/s", 4);
    mt_table_strings(&table, "fits", "fits");
    for (size_t i = 0; i < s->base.n_ipus; i++) {
        const mt_steps_costs *step = &s->step[i];
        const double exchange = step->phase[MT_STEPS_INSIDE] + step->phase[MT_STEPS_BETWEEN];
        const double seconds = mt_steps_seconds(s, step->cycles);
        MT_TABLE_NUMBERS(&table, s->base.ipus[i], mt_steps_seconds(s, step->phase[MT_STEPS_PDE] + exchange),
            mt_steps_seconds(s, exchange), mt_steps_seconds(s, step->phase[MT_STEPS_ODE]), seconds);
        for (int end = 0; end < IPU_ENDS; end++) mt_table_number(&table, mt_steps_seconds(s, step->at[end]));
        mt_table_number(&table, (double)s->n_elements * s->ode_steps / seconds);
        mt_table_text(&table, mt_costs_verdict(&step->one));
    }
    return table;
}

static mt_status compare(mt_arena *arena, const mt_steps *s, const mt_steps_costs *one, mt_comparison *c)
{
    static const char by_cycles[] =
        "From the cycles of `reproduce table2`; the study's range is that of its mean and slowest tile.",
                      gpu[] =
                          "No GPU is emulated; computed from the study's bandwidth and the operator's bytes.";
    const double ode = mt_steps_seconds(s, one->phase[MT_STEPS_ODE]), all = mt_steps_seconds(s, one->cycles);
    MT_TRY(mt_steps_compare(arena, s, c));
    MT_TRY(mt_comparison_add(c, "PDE part with its exchange", "heart04_seconds_pde_1", all - ode, by_cycles));
    MT_TRY(mt_comparison_add(c, "ODE part", "heart04_seconds_ode_1", ode, by_cycles));
    MT_TRY(mt_comparison_add(c, "total", "heart04_seconds_1", all, by_cycles));
    return mt_comparison_add(c, "PDE part on one A100", "heart04_seconds_pde_a100", NAN, gpu);
}

static mt_status table3(mt_arena *arena, const mt_arguments *arguments)
{
    mt_steps *s;
    mt_comparison comparison;
    mt_table tables[1 + MT_COMPARISON_TABLES];
    size_t n = 1;
    MT_ALLOC(arena, s, 1);
    MT_TRY(mt_steps_parse(arena, arguments, s));
    MT_TRY(mt_steps_make(mt_option_value(arguments, "--mesh", NULL), s));
    tables[0] = make_seconds(arena, s);
    const mt_steps_costs *one = mt_steps_on_one(s);
    if (one) {
        MT_TRY(compare(arena, s, one, &comparison));
        n += mt_comparison_tables(&comparison, tables + n);
    }
    return mt_print_tables(arguments, tables, n);
}
