/* Time stepping schemes compared along a cable and in a single cell: a second implementation of the schemes of solver/monodomain.h, and
 * others. */
#pragma once

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "solver/cells/model.h"
#include "solver/kernels/block.h"
#include "tests/solver/cells/tp06_oracle.h"

/* Computes one step of dt_ms of n cells. State k of cell c is at mt_block_index. */
typedef void splitting_step(const void *user, double dt_ms, size_t n, double *state, double *v);

/* The step of a model; user: const mt_cell_model *, with its first variant. */
static inline void step_of_model(const void *user, double dt_ms, size_t n, double *state, double *v)
{
    mt_cell_step_double(user, 0, NULL, dt_ms, n, state, v, v);
}

/* Rush-Larsen for all gates of TP06, forward Euler for the other states. The rate of a gate is (inf - y) / tau and does not depend on
 * the other gates, so its values at y = 0 and y = 1 determine inf and tau. */
static inline void step_with_all_gates_by_rush_larsen(
    const void *user, double dt_ms, size_t n, double *state, double *v)
{
    enum { GATES = 12, STATES = ORACLE_N - 1 };
    (void)user;
    for (size_t c = 0; c < n; c++) {
        double y[ORACLE_N], closed[ORACLE_N], opened[ORACLE_N];
        for (size_t k = 0; k < STATES; k++) y[k] = state[mt_block_index(n, STATES, c, k)];
        y[ORACLE_V] = v[c];
        memcpy(closed, y, sizeof y), memcpy(opened, y, sizeof y);
        for (size_t k = 0; k < GATES; k++) closed[k] = 0, opened[k] = 1;
        const oracle_rates now = oracle_rhs(ORACLE_EPI, y), at_0 = oracle_rhs(ORACLE_EPI, closed),
                           at_1 = oracle_rhs(ORACLE_EPI, opened);
        for (size_t k = 0; k < STATES; k++) {
            const double per_ms = at_0.rate[k] - at_1.rate[k], inf = at_0.rate[k] / per_ms;
            state[mt_block_index(n, STATES, c, k)] =
                k < GATES ? inf + (y[k] - inf) * exp(-dt_ms * per_ms) : y[k] + dt_ms * now.rate[k];
        }
        v[c] += dt_ms * now.rate[ORACLE_V];
    }
}

/* Points at (i + 1/2) dx_mm along 8 mm; the first 1.5 mm are stimulated for 2 ms. */
typedef struct splitting_cable {
    const mt_cell_model *model;
    splitting_step *step;
    double d_mm2_ms, dx_mm, dt_ms;
    size_t substeps; /* diffusion steps per time step; 0: as few as D dt <= 0.4 dx^2 allows */
    double a;        /* s = a (v* - v); NaN: (1 - 1 / substeps) / 2 */
    bool strang;     /* half of the diffusion before the reaction; each half has `substeps` steps */
} splitting_cable;

typedef struct splitting_wave {
    double speed_mm_ms; /* between 3.2 and 7.2 mm; NaN if not reached */
    double peak_mV;     /* the peak voltage there, sampled after time steps */
} splitting_wave;

enum { CABLE_POINTS_MOST = 512, CABLE_STATES_MOST = 18 };

static inline void diffuse_cable(size_t n, double *v, double ratio)
{
    double left = v[0];
    for (size_t i = 0; i < n; i++) {
        const double here = v[i], right = v[i + 1 < n ? i + 1 : i];
        v[i] += ratio * (left - 2 * here + right);
        left = here;
    }
}

static inline double slope_between(size_t n, double dx_mm, const double *t, double from_mm, double to_mm)
{
    double points = 0, x1 = 0, t1 = 0, xx = 0, xt = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = ((double)i + 0.5) * dx_mm;
        if (x < from_mm || x > to_mm) continue;
        points++, x1 += x, t1 += t[i], xx += x * x, xt += x * t[i];
    }
    return (points * xt - x1 * t1) / (points * xx - x1 * x1);
}

static inline splitting_wave wave_along(const splitting_cable *l)
{
    static double v[CABLE_POINTS_MOST], before[CABLE_POINTS_MOST], s[CABLE_POINTS_MOST], t[CABLE_POINTS_MOST],
        state[CABLE_POINTS_MOST * CABLE_STATES_MOST];
    const mt_cell_variant *rest = &l->model->variants[0];
    const size_t n = (size_t)llround(8 / l->dx_mm), n_states = l->model->n_states;
    const double part_ms = l->strang ? l->dt_ms / 2 : l->dt_ms,
                 ratio = l->d_mm2_ms * part_ms / (l->dx_mm * l->dx_mm);
    const size_t substeps = l->substeps ? l->substeps : (size_t)ceil(ratio / 0.4);
    const double a = isnan(l->a) ? (1 - 1 / (double)substeps) / 2 : l->a;
    splitting_wave wave = {.peak_mV = -INFINITY};
    size_t reached = 0;
    cr_assert(n <= CABLE_POINTS_MOST && n_states <= CABLE_STATES_MOST && ratio / (double)substeps <= 0.5);
    for (size_t i = 0; i < n; i++) {
        v[i] = before[i] = rest->v_mV, t[i] = NAN;
        for (size_t k = 0; k < n_states; k++) state[mt_block_index(n, n_states, i, k)] = rest->states[k];
    }
    for (size_t step = 0; reached < n && (double)step * l->dt_ms < 60; step++) {
        for (size_t i = 0; (double)step * l->dt_ms < 2 - 1e-9 && ((double)i + 0.5) * l->dx_mm < 1.5; i++)
            v[i] += l->dt_ms * 50 / 1.4;
        for (size_t k = 0; l->strang && k < substeps; k++) diffuse_cable(n, v, ratio / (double)substeps);
        memcpy(s, v, n * sizeof *s);
        l->step(l->model, l->dt_ms, n, state, v);
        for (size_t i = 0; i < n; i++) s[i] = a * (v[i] - s[i]), v[i] += s[i];
        for (size_t k = 0; k < substeps; k++) diffuse_cable(n, v, ratio / (double)substeps);
        for (size_t i = 0; i < n; i++) {
            v[i] -= s[i];
            if (isnan(t[i]) && v[i] >= 0)
                t[i] = l->dt_ms * ((double)step + before[i] / (before[i] - v[i])), reached++;
            before[i] = v[i];
            if (((double)i + 0.5) * l->dx_mm > 3.2) wave.peak_mV = fmax(wave.peak_mV, v[i]);
        }
    }
    wave.speed_mm_ms = 1 / slope_between(n, l->dx_mm, t, 3.2, 7.2);
    return wave;
}

/* A cell that starts at rest, stimulated with 52 mV/ms from 1 to 2 ms. */
typedef struct splitting_cell {
    double apd90_ms; /* APD90 from the upward crossing of 0 mV; NaN if V leaves -200 .. 200 mV */
    double peak_mV;
} splitting_cell;

static inline splitting_cell cell_alone(const mt_cell_model *model, splitting_step *step, double dt_ms)
{
    const mt_cell_variant *rest = &model->variants[0];
    double state[CABLE_STATES_MOST], v = rest->v_mV, rose_ms = NAN;
    splitting_cell cell = {NAN, -INFINITY};
    cr_assert_leq(model->n_states, (size_t)CABLE_STATES_MOST);
    memcpy(state, rest->states, model->n_states * sizeof *state);
    for (size_t k = 0; (double)k * dt_ms < 600 && fabs(v) < 200; k++) {
        const double now_ms = (double)k * dt_ms, before = v;
        if (now_ms > 1 - 1e-9 && now_ms < 2 - 1e-9) v += 52 * dt_ms;
        step(model, dt_ms, 1, state, &v);
        cell.peak_mV = fmax(cell.peak_mV, v);
        if (isnan(rose_ms) && v >= 0) rose_ms = now_ms + dt_ms * before / (before - v);
        const double level = cell.peak_mV - 0.9 * (cell.peak_mV - rest->v_mV);
        if (!(now_ms > rose_ms + 50 && before > level && v <= level)) continue;
        cell.apd90_ms = now_ms + dt_ms * (before - level) / (before - v) - rose_ms;
        break;
    }
    return cell;
}
