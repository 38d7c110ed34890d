/* The currents of a model that was read from a file: the terms of dV/dt that have names, in pA/pF, and no others. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "solver/cells/graph/imported.h"
#include "tests/one_file.h"
#include "tests/solver/cells/graph/small_cells.h"

static mt_arena arena;

static void leave_all(void)
{
    mt_arena_free(&arena);
    leave();
}

TestSuite(currents, .init = enter, .fini = leave_all);

static const mt_cell_model *import(mt_equations *equations)
{
    const mt_system_names none = {0};
    mt_imported *imported = NULL;
    cr_assert_eq(mt_imported_make(&arena, equations, &none, &imported), MT_OK, "%s", mt_message());
    return &imported->row;
}

/* Expects these currents in this order, and returns their values in the first state of the file with these parameters. */
static const double *currents_of(
    const mt_cell_model *model, const double *parameters, size_t n, const char *const *names)
{
    static double value[8];
    const mt_cell_variant *variant = model->variants;
    cr_assert_eq(model->n_currents, n);
    for (size_t k = 0; k < n; k++) {
        cr_assert(strcmp(model->currents[k].name, names[k]) == 0, "%s, expected %s", model->currents[k].name,
            names[k]);
        cr_assert(strcmp(model->currents[k].unit, "pA/pF") == 0);
    }
    model->currents_of(model, parameters, variant->v_mV, variant->states, value);
    return value;
}

static void expect_near(double value, double expected)
{
    cr_assert(fabs(value - expected) <= 1e-13 * fabs(expected), "%.17g, expected %.17g", value, expected);
}

/* The leak of the file has no name, and the voltage in it is no current. */
static void expect_squid(const char *time_unit, const char *per_s, const char *v_unit, const char *per_V)
{
    static const char *const names[] = {"i_ion", "sodium_i", "potassium_i"};
    const mt_cell_model *model =
        import(read_cell(&arena, squid_axon, time_unit, time_unit, per_s, per_V, v_unit));
    const double *i = currents_of(model, model->variants->parameters, 3, names),
                 sodium = 120 * pow(0.0529, 3) * 0.596 * (-65 - 50),
                 potassium = 36 * pow(0.318, 4) * (-65 + 77);
    expect_near(i[1], sodium);
    expect_near(i[2], potassium);
    expect_near(i[0], sodium + potassium + 0.3 * (-65 + 54.387));
}

Test(currents, are_the_same_in_every_unit_of_time_and_voltage)
{
    expect_squid("ms", "1000", "mV", "1000");
    expect_squid("s", "1", "V", "1");
}

/* A capacitance, a total with a name, a current that is scaled in dV/dt, and products with differences of voltages. */
static const char various[] = "[[model]]\n"
                              "membrane.V = -80\n"
                              "fast.a = 0.25\n"
                              "[engine]\n"
                              "time = 0 [ms] in [ms] bind time\n"
                              "pace = 0 bind pace\n"
                              "[membrane]\n"
                              "C = 2\n"
                              "E = -90 [mV] in [mV]\n"
                              "dot(V) = -(fast.i_total + fast.I_k / 4 - i_pump + g_b * (V - E_b) + i_stim) / "
                              "C in [mV] label membrane_potential\n"
                              "i_stim = engine.pace * 50\n"
                              "i_pump = 3 * V / 40\n"
                              "g_b = 0.5\n"
                              "E_b = E + 10 [mV] in [mV]\n"
                              "[fast]\n"
                              "use membrane.V as V, membrane.E as E\n"
                              "g = 0.8\n"
                              "I_k = g * a * (V - E)\n"
                              "i_total = i_in + i_out\n"
                              "i_in = -0.1 * (V - 50)\n"
                              "i_out = I_k * 2\n"
                              "dot(a) = (0.5 - a) / 100\n";

Test(currents, are_named_terms_with_their_factors)
{
    static const char *const names[] = {"i_pump", "I_k", "i_total", "i_in", "i_out"};
    const mt_cell_model *model = import(read_cell(&arena, "%s", various));
    const double *parameters = model->variants->parameters, *i = currents_of(model, parameters, 5, names),
                 i_k = 0.8 * 0.25 * 10;
    expect_near(i[0], 3. * 80 / 40 / 2); /* outward with the sign of dV/dt */
    expect_near(i[1], i_k / 4 / 2);
    expect_near(i[2], (0.1 * 130 + 2 * i_k) / 2);
    expect_near(i[3], 0.1 * 130 / 2);
    expect_near(i[4], 2 * i_k / 2);
}

Test(currents, change_with_parameters)
{
    static const char *const names[] = {"i_pump", "I_k", "i_total", "i_in", "i_out"};
    const mt_cell_model *model = import(read_cell(&arena, "%s", various));
    double parameters[8];
    cr_assert_leq(model->n_parameters, (size_t)8);
    memcpy(parameters, model->variants->parameters, model->n_parameters * sizeof *parameters);
    for (size_t k = 0; k < model->n_parameters; k++)
        if (strcmp(model->parameters[k].name, "C") == 0) parameters[k] = 4;
    expect_near(currents_of(model, parameters, 5, names)[3], 0.1 * 130 / 4);
}
