#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "solver/cells/mitchell_schaeffer/mitchell_schaeffer.h"
#include "solver/cells/model.h"
#include "tests/random.h"
#include "tests/solver/cells/mitchell_schaeffer_oracle.h"

static const mt_cell_model *model;

static void find_model(void) { cr_assert_eq(mt_cell_model_find("mitchell-schaeffer", &model), MT_OK); }

TestSuite(mitchell_schaeffer, .init = find_model);

/* Advances by one step of the solver's equations with other time constants. */
static void step(const ms_times *t, double dt_ms, double *v_mV, double *h)
{
    const double parameters[MS_PARAMETERS] = {[MS_TAU_IN] = t->in,
        [MS_TAU_OUT] = t->out,
        [MS_TAU_OPEN] = t->open,
        [MS_TAU_CLOSE] = t->close,
        [MS_V_GATE] = 0.13};
    const mt_cell_variant variant = {.parameters = parameters};
    double constants[MS_PARAMETERS];
    mt_cell_constants_double(model, &variant, 1, constants);
    model->kernel_double[MT_ISA_BASE](model, constants, 1, NULL, dt_ms, 1, h, v_mV, v_mV);
}

Test(mitchell_schaeffer, parameters_are_the_published_ones)
{
    const double *found = model->variants[MS_STANDARD].parameters;
    cr_expect(found[MS_TAU_IN] == ms_paper.in && found[MS_TAU_OUT] == ms_paper.out);
    cr_expect(found[MS_TAU_OPEN] == ms_paper.open && found[MS_TAU_CLOSE] == ms_paper.close);
    cr_expect_eq(found[MS_V_GATE], 0.13);
}

/* V = 100 v - 80 mV costs one rounding of 100; the remaining operations cost about ten roundings of numbers of the size of the terms,
 * the largest being h v^2 / tau_in. */
Test(mitchell_schaeffer, a_step_equals_forward_euler_to_rounding)
{
    uint64_t seed = 3;
    for (int sample = 0; sample < 20000; sample++) {
        const double v_mV = (float)between(&seed, -100, 60), h = (float)between(&seed, 0, 1), dt_ms = 0.0625;
        const double y[2] = {(v_mV + 80) / 100, h};
        double rate[2], after[2] = {v_mV, h};
        float single[2] = {(float)v_mV, (float)h};
        if (fabs(y[0] - 0.13) < 1e-6) continue; /* rounding decides the branch */
        ms_rates(&ms_paper, y, rate);
        const double expected[2] = {v_mV + 100 * dt_ms * rate[0], h + dt_ms * rate[1]},
                     size[2] = {100 + 100 * dt_ms * (4 / ms_paper.in + 2 / ms_paper.out), 1};
        mt_cell_step_double(model, MS_STANDARD, NULL, dt_ms, 1, &after[1], &after[0], &after[0]);
        mt_cell_step_float(model, MS_STANDARD, NULL, dt_ms, 1, &single[1], &single[0], &single[0]);
        for (int k = 0; k < 2; k++) {
            cr_assert(fabs(after[k] - expected[k]) <= 10 * DBL_EPSILON * size[k], "%.17g, %.17g: %.17g", v_mV,
                h, after[k]);
            cr_assert(fabs((double)single[k] - expected[k]) <= 10 * (double)FLT_EPSILON * size[k],
                "%.9g, %.9g: %.9g, not %.9g", v_mV, h, (double)single[k], expected[k]);
        }
    }
}

/* The gate opens below v_gate and closes from v_gate on. */
Test(mitchell_schaeffer, the_gate_switches_at_v_gate)
{
    double below[2] = {100 * nextafter(0.13, 0) - 80.001, 0.5}, above[2] = {100 * 0.13 - 79.999, 0.5};
    mt_cell_step_double(model, MS_STANDARD, NULL, 0.02, 1, &below[1], &below[0], &below[0]);
    mt_cell_step_double(model, MS_STANDARD, NULL, 0.02, 1, &above[1], &above[0], &above[0]);
    cr_expect(below[1] > 0.5 && above[1] < 0.5, "%.17g and %.17g", below[1], above[1]);
}

/* The resting state is a fixed point of the equations, and V = -80 mV is v = 0 exactly. */
Test(mitchell_schaeffer, the_resting_state_is_preserved_to_the_bit)
{
    const mt_cell_variant *rest = &model->variants[MS_STANDARD];
    double v = rest->v_mV, h = rest->states[MS_H];
    float v_single = (float)v, h_single = (float)h;
    for (int s = 0; s < 1000; s++) {
        mt_cell_step_double(model, MS_STANDARD, NULL, 0.05, 1, &h, &v, &v);
        mt_cell_step_float(model, MS_STANDARD, NULL, 0.05, 1, &h_single, &v_single, &v_single);
    }
    cr_expect(v == -80 && h == 1 && v_single == -80 && h_single == 1);
}

/* Returns the largest difference in V from Runge-Kutta steps of 5 us over an action potential of 350 ms; stimulus of 52 mV/ms from 1 to
 * 2 ms. */
static double largest_difference(size_t dt_us)
{
    enum { END_US = 350000, FINE_US = 5 };
    double exact[2] = {0, 1}, v = -80, h = 1, largest = 0, peak = 0;
    for (size_t us = 0; us < END_US; us += dt_us) {
        for (size_t k = 0; k < dt_us; k += FINE_US)
            ms_runge_kutta(&ms_paper, 0.001 * FINE_US, us + k >= 1000 && us + k < 2000 ? 0.52 : 0, exact);
        if (us >= 1000 && us < 2000) v += 52 * 0.001 * (double)dt_us;
        mt_cell_step_double(model, MS_STANDARD, NULL, 0.001 * (double)dt_us, 1, &h, &v, &v);
        largest = fmax(largest, fabs(v - (100 * exact[0] - 80)));
        peak = fmax(peak, exact[0]);
    }
    cr_assert(peak > 0.9 && exact[0] < 0.01, "an action potential from %g to %g", peak, exact[0]);
    return largest;
}

/* Forward Euler is of first order. */
Test(mitchell_schaeffer, halving_the_step_halves_the_error_of_an_action_potential)
{
    const double coarse = largest_difference(40), middle = largest_difference(20),
                 fine = largest_difference(10);
    cr_log_info("%.4f mV at 0.04 ms, %.4f at 0.02, %.4f at 0.01", coarse, middle, fine);
    cr_expect(coarse < 2, "%g mV", coarse);
    cr_expect(coarse / middle > 1.8 && coarse / middle < 2.2, "%g, then %g mV", coarse, middle);
    cr_expect(middle / fine > 1.8 && middle / fine < 2.2, "%g, then %g mV", middle, fine);
}

/* Returns the time for which v stays above v_gate after a rest. It starts at 1/2, above any threshold, with the gate as the rest left
 * it. The fast time constants and the step are multiplied by `scale`. */
static double duration(const ms_times *t, double scale, double rest_ms)
{
    const double dt_ms = 0.02 * scale;
    double v = 100 * 0.5 - 80, h = ms_h_after(t, rest_ms), before = v;
    size_t s = 0;
    for (; v > 100 * 0.13 - 80; s++) {
        cr_assert_lt((double)s * dt_ms, 1000);
        before = v;
        step(t, dt_ms, &v, &h);
    }
    return dt_ms * ((double)s - (v - (100 * 0.13 - 80)) / (v - before));
}

/* The paper's restitution is the limit of tau_in and tau_out to 0. The next order is the lag at the end of the plateau, of order
 * scale^(2/3), so an eighth of the fast time constants leaves a quarter of the difference. With the lag included the remainder falls
 * faster: it is of order scale (an eighth), with a logarithm. With the time constants of the paper the lag is 41 ms. */
Test(mitchell_schaeffer, action_potential_durations_follow_the_analytical_restitution)
{
    static const double rest_ms[] = {100, 150, 250, 500, 2000};
    for (size_t k = 0; k < sizeof rest_ms / sizeof rest_ms[0]; k++) {
        double leading[3], next[3], scale = 1;
        for (int e = 0; e < 3; e++, scale /= 8) {
            const ms_times t = {ms_paper.in * scale, ms_paper.out * scale, ms_paper.open, ms_paper.close};
            leading[e] = duration(&t, scale, rest_ms[k]) - ms_apd(&t, rest_ms[k]);
            next[e] = leading[e] - ms_lag(&t);
        }
        cr_expect(
            leading[0] > 38 && leading[0] < 46, "%g ms: %g ms at the paper's times", rest_ms[k], leading[0]);
        cr_expect(fabs(next[0]) < 3, "%g ms: %g ms with the lag", rest_ms[k], next[0]);
        for (int e = 1; e < 3; e++) {
            cr_expect_float_eq(leading[e] / leading[e - 1], 0.25, 0.01, "%g ms: %g, then %g ms", rest_ms[k],
                leading[e - 1], leading[e]);
            cr_expect(next[e] > 0 && next[e] < 0.35 * next[e - 1], "%g ms: with the lag %g, then %g ms",
                rest_ms[k], next[e - 1], next[e]);
        }
    }
}
