/* Systems of equations: V and the stimulus are found, and units are those of the program. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "solver/cells/graph/system.h"
#include "tests/one_file.h"
#include "tests/solver/cells/graph/small_cells.h"

static mt_arena arena;

static void leave_all(void)
{
    mt_arena_free(&arena);
    leave();
}

TestSuite(system, .init = enter, .fini = leave_all);

static const mt_system_names no_names;

/* Computes dV/dt [mV/ms] and the derivatives at V and the initial states. */
static void rates_of(const mt_system *s, double v_mV, double *v_rate, double *rate)
{
    const size_t n = s->algebra.graph->n;
    bool *used = mt_arena_alloc(&arena, n, sizeof *used);
    double *value = mt_arena_alloc(&arena, n, sizeof *value),
           *states = mt_arena_alloc(&arena, s->n_states, sizeof *states);
    for (size_t k = 0; k < s->n_states; k++) states[k] = s->equations->variable[s->state[k]].value;
    mt_graph_mark(s->algebra.graph, s->v_rate, used);
    for (size_t k = 0; k < s->n_states; k++) mt_graph_mark(s->algebra.graph, s->rate[k], used);
    cr_assert_eq(mt_system_values(s, used, v_mV, states, value), MT_OK);
    *v_rate = value[s->v_rate];
    for (size_t k = 0; k < s->n_states; k++) rate[k] = value[s->rate[k]];
}

Test(system, seconds_and_volts_become_milliseconds_and_millivolts)
{
    const char *const units[][4] = {{"ms", "1000", "1000", "mV"}, {"s", "1", "1", "V"},
        {"us", "1000000", "1", "V"}, {"s", "1", "1000", "mV"}};
    for (size_t k = 0; k < 4; k++) {
        const char *const *u = units[k];
        mt_system s;
        cr_assert_eq(mt_system_build(
                         &arena, read_cell(&arena, squid_axon, u[0], u[0], u[1], u[2], u[3]), &no_names, &s),
            MT_OK, "%s", mt_message());
        cr_expect_eq(s.n_states, 3);
        for (double v = -90; v < 60; v += 7) {
            double v_rate, rate[3];
            rates_of(&s, v, &v_rate, rate);
            const double m = 0.0529, h = 0.596, n = 0.318, x = v + 40;
            const double expected =
                -(120 * m * m * m * h * (v - 50) + 36 * pow(n, 4) * (v + 77) + 0.3 * (v + 54.387));
            const double a = fabs(x) < 1e-9 ? 1 : 0.1 * x / (1 - exp(-0.1 * x));
            cr_assert(fabs(v_rate - expected) < 1e-9 * (1 + fabs(expected)),
                "%s, %g mV: %.12g, expected %.12g", u[0], v, v_rate, expected);
            const double of_m = a * (1 - m) - 4 * exp(-(v + 65) / 18) * m;
            cr_assert(fabs(rate[0] - of_m) < 1e-9 * (1 + fabs(of_m)), "%s, %g mV: %.12g, expected %.12g",
                u[0], v, rate[0], of_m);
        }
    }
}

static const char ions[] = "[[model]]\nc.V = -80\nc.Na = 10\nc.K = 140\n"
                           "[engine]\ntime = 0 [ms] in [ms] bind time\n"
                           "[c]\ndot(V) = -(g * (V + 80) + i_stim) / C\n    in [mV]\n"
                           "g = 0.1\nC = 2\nspare = 7\n"
                           "i_stim = if(engine.time > 5, amplitude, 0)\namplitude = -30\n"
                           "dot(Na) = -1e-6 * i_stim\ndot(K) = -3e-6 * (i_stim + g * (V + 80))\n";

Test(system, a_stimulus_is_removed_and_its_carrier_found)
{
    mt_system s;
    double v_rate, rate[2];
    cr_assert_eq(
        mt_system_build(&arena, read_cell(&arena, "%s", ions), &no_names, &s), MT_OK, "%s", mt_message());
    cr_assert_eq(s.n_states, 2);
    cr_expect_str_eq(s.equations->variable[s.stimulus].name, "i_stim");
    cr_expect_str_eq(s.equations->variable[s.state[s.carrier]].name, "K");
    cr_expect_float_eq(s.carrier_per_mV, 3e-6 * 2, 1e-15); /* dK/dt over dV/dt by the stimulus */
    rates_of(&s, -70, &v_rate, rate);
    cr_expect_float_eq(v_rate, -0.1 * 10 / 2, 1e-12);
    cr_expect_eq(rate[0], 0);
    /* amplitude and spare have no effect without it */
    cr_assert_eq(s.n_parameters, 2);
    for (size_t k = 0; k < 2; k++)
        cr_expect(strcmp(s.equations->variable[s.parameter[k]].name, k ? "C" : "g") == 0 ||
                  strcmp(s.equations->variable[s.parameter[k]].name, k ? "g" : "C") == 0);
}

Test(system, names_of_the_user_are_taken_before_those_of_the_file)
{
    static const char two[] =
        "[[model]]\na.V = -80\na.E = -70\n[engine]\ntime = 0 [ms] bind time\npulse = 0\n"
        "[a]\ndot(V) = -V + engine.pulse\ndot(E) = -(E + V) + if(engine.time < 1, 1, 0)\n";
    const mt_system_names names = {.voltage = "a.E", .stimulus = "pulse"}, absent = {.voltage = "U"},
                          not_a_state = {.voltage = "pulse"};
    mt_system s;
    mt_equations *e = read_cell(&arena, "%s", two);
    cr_expect_eq(mt_system_build(&arena, e, &no_names, &s), MT_INPUT);
    cr_expect(strstr(mt_message(), "more than one") && strstr(mt_message(), "V, E"), "%s", mt_message());
    cr_expect_eq(mt_system_build(&arena, e, &absent, &s), MT_INPUT);
    cr_expect(strstr(mt_message(), "'U'"), "%s", mt_message());
    cr_expect_eq(mt_system_build(&arena, e, &not_a_state, &s), MT_INPUT);
    cr_expect(strstr(mt_message(), "no derivative"), "%s", mt_message());
    cr_expect_eq(mt_system_build(&arena, e, &names, &s), MT_INPUT);
    cr_expect(strstr(mt_message(), "depends on time"), "%s", mt_message());
}
