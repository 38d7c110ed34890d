/* Functions of V in the steps of imported models: the targets and decays of gates, or their rates with multirate stepping; never one that a
 * polynomial cannot represent. */
#include <criterion/criterion.h>

#include <math.h>

#include "solver/cells/graph/imported.h"
#include "solver/cells/tabulated.h"
#include "tests/one_file.h"
#include "tests/solver/cells/graph/small_cells.h"

#define DT_MS 0.01

static mt_arena arena;

static void leave_all(void)
{
    mt_arena_free(&arena);
    leave();
}

TestSuite(functions_of_v, .init = enter, .fini = leave_all);

static const mt_imported *import(mt_equations *equations)
{
    const mt_system_names none = {0};
    mt_imported *imported = NULL;
    cr_assert_eq(mt_imported_make(&arena, equations, &none, &imported), MT_OK, "%s", mt_message());
    return imported;
}

/* True if the functions at -30 mV contain a number, with either sign. */
static bool contain(const mt_imported *i, bool multirate, double number)
{
    const double v_mV = -30;
    double of_v[64], constants[64];
    bool any = false;
    cr_assert_leq(i->row.n_functions, 64);
    cr_assert_leq(i->row.n_constants, 64);
    mt_cell_constants_double(&i->row, i->row.variants, 1, constants);
    i->row.functions[mt_kernels_used()->set](&i->row, constants, DT_MS, multirate, 1, &v_mV, of_v);
    for (size_t k = 0; k < i->row.n_functions; k++)
        any |= fabs(fabs(of_v[k]) - fabs(number)) < 1e-12 * fabs(number);
    return any;
}

/* Expects tables of all functions to be possible. */
static void expect_tables(const mt_imported *i)
{
    const mt_cell_model *with;
    double error;
    for (int multirate = 0; multirate < 2; multirate++)
        cr_expect_eq(mt_cell_tabulate(&arena, &i->row, i->row.variants, 1, DT_MS, multirate, &with, &error),
            MT_OK, "%s", mt_message());
}

Test(functions_of_v, a_gate_has_its_target_and_its_decay_or_with_multirate_stepping_its_rate)
{
    const mt_imported *i = import(read_cell(&arena, squid_axon, "ms", "ms", "1000", "1000", "mV"));
    const double v = -30, a = 0.1 * (v + 40) / (1 - exp(-0.1 * v - 4)), b = 4 * exp(-(v + 65) / 18);
    for (int multirate = 0; multirate < 2; multirate++) {
        /* m and h have two; n three: both of its rates, and (1 - exp(-rate dt)) / (rate dt), since its rate contains a case */
        cr_expect_eq(i->program.tabulated[multirate].n, 7, "%zu", i->program.tabulated[multirate].n);
        cr_expect(contain(i, multirate, a / (a + b)), "multirate %d: target of m", multirate);
        cr_expect_eq(contain(i, multirate, expm1(-(a + b) * DT_MS)), !multirate, "multirate %d", multirate);
        cr_expect_eq(contain(i, multirate, a + b), multirate, "multirate %d: rate of m", multirate);
    }
    expect_tables(i);
}

/* A gate x whose target doubles at a value of V. */
static const char jump[] =
    "[[model]]\n"
    "c.V = -80\n"
    "c.x = 0.1\n"
    "[c]\n"
    "time = 0 [ms] in [ms] bind time\n"
    "pace = 0 bind pace\n"
    "i_stim = pace * -60\n"
    "dot(V) = -(0.5 * (V + 80) + x + i_stim)\n"
    "    in [mV]\n"
    "    label membrane_potential\n"
    "dot(x) = (3 * if(V < %g, exp(V / 50), 2 * exp(V / 50)) - x) / (2 + exp((V + 20) / 9))\n";

Test(functions_of_v, of_a_function_with_a_jump_the_smooth_parts_are_chosen)
{
    const double target = 6 * exp(-30 / 50.0);
    const mt_imported *between = import(read_cell(&arena, jump, -34.0)),
                      *within = import(read_cell(&arena, jump, -33.0));
    for (int multirate = 0; multirate < 2; multirate++) {
        cr_expect(contain(between, multirate, target), "a jump between two intervals is none in either");
        cr_expect_not(contain(within, multirate, target));
        cr_expect(contain(within, multirate, target / 6), "multirate %d: exp(V / 50)", multirate);
    }
    expect_tables(between);
    expect_tables(within);
}
