/* Errors of a cell's beats, for tests of ionic models: of single steps against Runge-Kutta steps, and of multirate against uniform
 * stepping. */
#pragma once

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "solver/cells/model.h"

enum { BEAT_VALUES_MOST = 64, BEAT_EVERY_US = 20, BEAT_US = 400000 };

/* A model, its initial values [n_states + 1] with V at the end, and what is done with them. */
typedef struct paced_cell {
    const mt_cell_model *model;
    const double *start;
    size_t calcium;               /* index of Ca_i */
    double (*rise_mV_ms)(int us); /* stimulus, by the time in its cycle */
    void (*exact_step)(double dt_ms, double rise_mV_ms, double *y);
    int exact_us; /* step of exact_step */
} paced_cell;

/* Differences from exact steps in the first beat: in the upstroke up to 22 ms, later, and of the peak of Ca_i. */
typedef struct beat_error {
    double upstroke_mV, later_mV, calcium;
} beat_error;

static inline void exact_beat(const paced_cell *b, double exact[BEAT_US / BEAT_EVERY_US][2])
{
    const size_t n = b->model->n_states;
    double y[BEAT_VALUES_MOST];
    memcpy(y, b->start, (n + 1) * sizeof *y);
    for (int us = 0; us < BEAT_US; us += b->exact_us) {
        const int end = us + b->exact_us;
        b->exact_step(1e-3 * b->exact_us, b->rise_mV_ms(us), y);
        if (end % BEAT_EVERY_US == 0)
            exact[end / BEAT_EVERY_US - 1][0] = y[n], exact[end / BEAT_EVERY_US - 1][1] = y[b->calcium];
    }
}

static inline beat_error error_of_beat(
    const paced_cell *b, const double exact[BEAT_US / BEAT_EVERY_US][2], int dt_us)
{
    const size_t n = b->model->n_states;
    double y[BEAT_VALUES_MOST], calcium = 0, expected = 0;
    beat_error d = {0};
    memcpy(y, b->start, (n + 1) * sizeof *y);
    for (int us = 0; us < BEAT_US; us += dt_us) {
        y[n] += 1e-3 * dt_us * b->rise_mV_ms(us);
        mt_cell_step_double(b->model, 0, NULL, 1e-3 * dt_us, 1, y, &y[n], &y[n]);
        if ((us + dt_us) % BEAT_EVERY_US != 0) continue;
        const double *at = exact[(us + dt_us) / BEAT_EVERY_US - 1], error = fabs(y[n] - at[0]);
        double *largest = us < 22000 ? &d.upstroke_mV : &d.later_mV;
        *largest = fmax(*largest, error);
        calcium = fmax(calcium, y[b->calcium]), expected = fmax(expected, at[1]);
    }
    d.calcium = fabs(calcium / expected - 1);
    return d;
}

/* Halving the step must halve the errors: the scheme is of first order, with a few percent of second-order terms. Returns those with
 * 0.02 ms. */
static inline beat_error expect_first_order(const paced_cell *b)
{
    static double exact[BEAT_US / BEAT_EVERY_US][2];
    exact_beat(b, exact);
    const beat_error coarse = error_of_beat(b, (const double(*)[2])exact, 20),
                     fine = error_of_beat(b, (const double(*)[2])exact, 10);
    cr_log_info("upstroke %.3f and %.3f mV, later %.4f and %.4f mV, calcium %.3f and %.3f %%",
        coarse.upstroke_mV, fine.upstroke_mV, coarse.later_mV, fine.later_mV, 100 * coarse.calcium,
        100 * fine.calcium);
    const double upstroke = coarse.upstroke_mV / fine.upstroke_mV, later = coarse.later_mV / fine.later_mV;
    cr_expect(upstroke > 1.7 && upstroke < 2.3, "%g", upstroke);
    cr_expect(later > 1.7 && later < 2.3, "%g, %g mV", later, coarse.later_mV);
    return coarse;
}

/* Returns the peak of Ca_i in the third beat, and adds the evaluations to *evaluated. */
static inline double multirate_calcium(
    const paced_cell *b, double dt_ms, double tolerance_mV, double bcl_ms, size_t *evaluated)
{
    const size_t n = b->model->n_states, per_beat = (size_t)round(bcl_ms / dt_ms);
    double constants[MT_CELL_CONSTANTS], y[BEAT_VALUES_MOST], kept = INFINITY, change = 0, since = 0,
                                                              peak = 0;
    memcpy(y, b->start, (n + 1) * sizeof *y);
    mt_cell_constants_double(b->model, b->model->variants, 1, constants);
    for (size_t step = 0; step < 3 * per_beat; step++) {
        const mt_multirate_step at = {dt_ms, tolerance_mV, step};
        y[n] += dt_ms * b->rise_mV_ms((int)lround(1000 * (double)(step % per_beat) * dt_ms));
        mt_cell_multirate_react_double(
            b->model, constants, 1, NULL, &at, 1, y, &kept, &change, &since, &y[n], &y[n]);
        *evaluated += since == 0;
        if (step >= 2 * per_beat) peak = fmax(peak, y[b->calcium]);
    }
    return peak;
}

/* Compares the peak of Ca_i at a BCL with that of uniform stepping, with time steps of 0.05 ms and a tolerance of 0.1 mV. */
static inline void expect_multirate_calcium(
    const paced_cell *b, double bcl_ms, double bound, size_t evaluations_saved)
{
    size_t all = 0, some = 0;
    const double uniform_mM = multirate_calcium(b, 0.05, 0, bcl_ms, &all),
                 multirate_mM = multirate_calcium(b, 0.05, 0.1, bcl_ms, &some);
    cr_log_info("BCL %g ms: %.3f %%, %.3f of the evaluations", bcl_ms, 100 * (multirate_mM / uniform_mM - 1),
        (double)some / (double)all);
    cr_expect_lt(fabs(multirate_mM / uniform_mM - 1), bound, "%g ms", bcl_ms);
    cr_expect_lt(some, all / evaluations_saved, "%g ms", bcl_ms);
}
