#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/cells/model.h"
#include "solver/cells/tp06/tp06.h"
#include "tests/solver/cells/tp06_oracle.h"

/* 500 ms of one cell, stimulated with 52 mV/ms from 1 to 2 ms; compared every 10 us, or every dt if it is longer. */
enum { END_US = 500000, EVERY_US = 10, SAMPLES = END_US / EVERY_US };

static double rise(size_t us) { return us >= 1000 && us < 2000 ? 52 : 0; }

/* Computes V after each 10 us by classical Runge-Kutta steps of 1 us. The fastest rate, that of gate m, is about 900 per ms, so the
 * steps are stable; a quarter of the step changes V by less than 3e-5 mV over the upstroke. */
static void exact_trace(int type, double *v)
{
    double y[ORACLE_N];
    memcpy(y, oracle_start[type], sizeof y);
    for (size_t us = 0; us < END_US; us++) {
        oracle_runge_kutta(type, 0.001, rise(us), y);
        if ((us + 1) % EVERY_US == 0) v[(us + 1) / EVERY_US - 1] = y[ORACLE_V];
    }
}

typedef struct difference {
    double largest_mV, at_ms;
    double later_mV; /* the largest after 10 ms */
} difference;

static difference compare(int type, size_t dt_us, const double *exact)
{
    double state[TP06_STATES], v = oracle_start[type][ORACLE_V];
    memcpy(state, oracle_start[type], sizeof state);
    difference d = {0};
    for (size_t us = 0; us < END_US; us += dt_us) {
        const double dt_ms = 0.001 * (double)dt_us;
        v += dt_ms * rise(us);
        mt_cell_step_double(&mt_cell_tp06, (size_t)type, NULL, dt_ms, 1, state, &v, &v);
        double error = fabs(v - exact[(us + dt_us) / EVERY_US - 1]);
        if (error > d.largest_mV) d = (difference){error, 0.001 * (double)(us + dt_us), d.later_mV};
        if (us >= 10000) d.later_mV = fmax(d.later_mV, error);
    }
    return d;
}

/* The scheme is of first order. The largest difference occurs in the upstroke, which is late by a time proportional to dt while V rises
 * by about 350 mV/ms. Second-order terms contribute a few percent. */
Test(tp06_accuracy, halving_the_step_halves_the_largest_difference_over_500_ms)
{
    double *exact = malloc(SAMPLES * sizeof *exact);
    cr_assert_not_null(exact);
    for (int type = 0; type < ORACLE_TYPES; type++) {
        exact_trace(type, exact);
        difference coarse = compare(type, 20, exact), fine = compare(type, 10, exact);
        const double ratio = coarse.largest_mV / fine.largest_mV;
        (void)printf("%-4s largest |dV| %.3f mV (at %.2f ms) at dt 0.02 ms, %.3f mV (at %.2f ms) at 0.01 ms, "
                     "ratio %.3f; after 10 ms %.3f and %.3f mV\n",
            mt_cell_tp06.variants[type].name, coarse.largest_mV, coarse.at_ms, fine.largest_mV, fine.at_ms,
            ratio, coarse.later_mV, fine.later_mV);
        cr_expect(ratio > 1.7 && ratio < 2.3, "%s: ratio %g", mt_cell_tp06.variants[type].name, ratio);
        cr_expect(coarse.at_ms < 5, "%s: the largest difference is not the upstroke's but at %g ms",
            mt_cell_tp06.variants[type].name, coarse.at_ms);
    }
    free(exact);
}
