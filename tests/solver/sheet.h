/* For tests: the monodomain equation in a 2-D sheet on a Cartesian grid, without a mesh: the reference solution for activation through
 * gaps between non-conducting regions. It shares only the ionic model with the program.
 *
 *       dv/dt = f(v, states) + D_x v_xx + D_y v_yy,     no flux through the borders and the sides of non-conducting regions
 *
 * Points are the centres of squares of dx. The flux between two adjacent conducting points is a central difference; it is zero between
 * any other two. The scheme is conservative and of second order, except next to the convex corners of a non-conducting region, where the
 * gradient is unbounded. Activation times beyond a gap converge with the second order (test_sheet_slow.c).
 *
 * A time step is a step of the ionic model, from v to v*, and p explicit diffusion substeps of w = v* + s, after which s is subtracted: s =
 * (v* - v) (1 - 1/p) / 2 cancels the first-order splitting error of CV (solver/monodomain.h). p is the smallest number with (D_x + D_y) dt
 * <= 0.4 p dx^2. */
#pragma once

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "data/core/arena.h"
#include "solver/cells/model.h"
#include "solver/kernels/block.h"

/* Kinds of points: without cells, or the index of the variant of the cells. */
enum { SHEET_WALL = -1, SHEET_ORDINARY, SHEET_WEAK, SHEET_VARIANTS };

/* Points per call of the ionic model: a multiple of MT_BLOCK. */
enum { SHEET_CHUNK = 512 };

/* A sheet of n_x times n_y points, stored by rows of constant y in a frame of wall one point wide. */
typedef struct sheet {
    const mt_cell_model *model;
    const mt_cell_variant *variant[SHEET_VARIANTS]; /* borrowed; start at their resting states */
    double diffusivity_x_mm2_ms, diffusivity_y_mm2_ms;
    size_t n_x, n_y;
    double dx_mm, dt_ms;
    double duration_ms, rise_mV_ms; /* of the stimulus, which is on from the start */

    mt_arena arena;
    size_t n, row; /* number of points with the frame; n_x + 2 */
    /* [n] set by the caller after sheet_new, which makes all points ordinary and none stimulated */
    int8_t *kind;
    bool *stimulated;
    double *activation_ms; /* [n] first passage through 0 mV, interpolated; infinite if not activated */
    double *v, *next, *s, *states, *to_east, *to_north, *constants;
    uint16_t *of;
    size_t substeps, n_conducting, n_activated;
} sheet;

/* Returns the index of a point. */
static inline size_t sheet_at(const sheet *a, size_t i, size_t j) { return (j + 1) * a->row + i + 1; }

/* Allocates the arrays of a sheet of n_x times n_y points. */
static inline void sheet_new(sheet *a)
{
    a->row = a->n_x + 2;
    a->n = a->row * (a->n_y + 2);
    double **const arrays[] = {&a->activation_ms, &a->v, &a->next, &a->s, &a->to_east, &a->to_north};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = mt_arena_alloc(&a->arena, a->n, sizeof **arrays[k]);
    a->states = mt_arena_alloc(&a->arena, a->n * a->model->n_states, sizeof *a->states);
    a->constants = mt_arena_alloc(&a->arena, SHEET_VARIANTS * a->model->n_constants, sizeof *a->constants);
    a->of = mt_arena_alloc(&a->arena, a->n, sizeof *a->of);
    a->kind = mt_arena_alloc(&a->arena, a->n, sizeof *a->kind);
    a->stimulated = mt_arena_alloc(&a->arena, a->n, sizeof *a->stimulated);
    cr_assert(a->states && a->constants && a->of && a->kind && a->stimulated);
    for (size_t k = 0; k < a->n; k++) a->kind[k] = SHEET_WALL;
    for (size_t j = 0; j < a->n_y; j++)
        for (size_t i = 0; i < a->n_x; i++) a->kind[sheet_at(a, i, j)] = SHEET_ORDINARY;
}

/* Sets the share of the difference to the next point in x or y that a substep transfers. */
static inline void sheet_couple(sheet *a)
{
    const double per_mm2 = a->dt_ms / (a->dx_mm * a->dx_mm),
                 rate = (a->diffusivity_x_mm2_ms + a->diffusivity_y_mm2_ms) * per_mm2;
    a->substeps = (size_t)ceil(rate / 0.4);
    for (size_t k = 0; k < a->n; k++) {
        const bool conducts = a->kind[k] != SHEET_WALL, east = k + 1 < a->n && a->kind[k + 1] != SHEET_WALL,
                   north = k + a->row < a->n && a->kind[k + a->row] != SHEET_WALL;
        a->to_east[k] = conducts && east ? a->diffusivity_x_mm2_ms * per_mm2 / (double)a->substeps : 0;
        a->to_north[k] = conducts && north ? a->diffusivity_y_mm2_ms * per_mm2 / (double)a->substeps : 0;
        a->n_conducting += conducts;
    }
}

/* Sets all cells to rest. */
static inline void sheet_rest(sheet *a)
{
    const size_t n_states = a->model->n_states;
    for (size_t k = 0; k < SHEET_VARIANTS; k++)
        mt_cell_constants_double(a->model, a->variant[k], 1, a->constants + k * a->model->n_constants);
    for (size_t k = 0; k < a->n; k++) {
        a->of[k] = a->kind[k] == SHEET_WEAK;
        const mt_cell_variant *variant = a->variant[a->of[k]];
        a->v[k] = variant->v_mV;
        a->activation_ms[k] = INFINITY;
        for (size_t i = 0; i < n_states; i++)
            a->states[mt_block_index(a->n, n_states, k, i)] = variant->states[i];
    }
}

static inline void sheet_stimulate(sheet *a)
{
    for (size_t k = 0; k < a->n; k++) a->v[k] += a->stimulated[k] ? a->dt_ms * a->rise_mV_ms : 0;
}

/* Steps the ionic model: from v to v* + s. Points of the wall have cells at rest, which are coupled to none. */
static inline void sheet_react(sheet *a)
{
    const double share = (1 - 1 / (double)a->substeps) / 2;
#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < a->n; first += SHEET_CHUNK) {
        const size_t n = a->n - first < SHEET_CHUNK ? a->n - first : SHEET_CHUNK;
        mt_cell_react_double(a->model, a->constants, SHEET_VARIANTS, a->of + first, a->dt_ms, n,
            a->states + first * a->model->n_states, a->v + first, a->next + first);
        for (size_t k = first; k < first + n; k++) {
            a->s[k] = share * (a->next[k] - a->v[k]);
            a->v[k] = a->next[k] + a->s[k];
        }
    }
}

static inline void sheet_diffuse(sheet *a)
{
    const size_t row = a->row;
#pragma omp parallel for schedule(static)
    for (size_t j = 1; j <= a->n_y; j++)
        for (size_t k = j * row + 1; k <= j * row + a->n_x; k++) {
            const double *v = a->v + k, *east = a->to_east + k, *north = a->to_north + k;
            a->next[k] = v[0] + east[0] * (v[1] - v[0]) - east[-1] * (v[0] - v[-1]) +
                         north[0] * (v[row] - v[0]) - north[-(ptrdiff_t)row] * (v[0] - v[-(ptrdiff_t)row]);
        }
    double *swapped = a->v;
    a->v = a->next, a->next = swapped;
}

/* Subtracts s, and records activation times; `before` has v at the start of the step. */
static inline void sheet_record(sheet *a, const double *before, double from_ms)
{
    for (size_t k = 0; k < a->n; k++) {
        a->v[k] -= a->s[k];
        cr_assert(isfinite(a->v[k]), "V of point %zu is not a number at %g ms", k, from_ms);
        if (a->kind[k] == SHEET_WALL || !(before[k] < 0 && a->v[k] >= 0) || isfinite(a->activation_ms[k]))
            continue;
        a->activation_ms[k] = from_ms + a->dt_ms * before[k] / (before[k] - a->v[k]);
        a->n_activated++;
    }
}

/* Runs until all conducting points are activated, until none has been for quiet_ms, or until end_ms. */
static inline void sheet_run(sheet *a, double quiet_ms, double end_ms)
{
    const size_t stimulated_steps = (size_t)llround(a->duration_ms / a->dt_ms);
    double *before = mt_arena_alloc(&a->arena, a->n, sizeof *before), last_ms = 0;
    cr_assert(before);
    sheet_couple(a);
    sheet_rest(a);
    for (size_t step = 0; a->n_activated < a->n_conducting; step++) {
        const double now_ms = (double)step * a->dt_ms;
        const size_t n_before = a->n_activated;
        if (now_ms >= end_ms || now_ms > last_ms + quiet_ms) break;
        memcpy(before, a->v, a->n * sizeof *before);
        if (step < stimulated_steps) sheet_stimulate(a);
        sheet_react(a);
        for (size_t p = 0; p < a->substeps; p++) sheet_diffuse(a);
        sheet_record(a, before, now_ms);
        if (a->n_activated > n_before) last_ms = now_ms;
    }
}

/* Returns the activation time at a place, linear between the four nearest points, and constant beyond the outermost ones; infinite if one
 * of the four is not activated. */
static inline double sheet_time(const sheet *a, double x_mm, double y_mm)
{
    const double x = fmin(fmax(x_mm / a->dx_mm - 0.5, 0), (double)a->n_x - 1),
                 y = fmin(fmax(y_mm / a->dx_mm - 0.5, 0), (double)a->n_y - 1);
    const size_t i = (size_t)fmin(x, (double)a->n_x - 2), j = (size_t)fmin(y, (double)a->n_y - 2);
    const double u = x - (double)i, w = y - (double)j, *low = a->activation_ms + sheet_at(a, i, j),
                 *high = low + a->row;
    for (int k = 0; k < 2; k++)
        if (isinf(low[k]) || isinf(high[k])) return INFINITY;
    return (1 - w) * ((1 - u) * low[0] + u * low[1]) + w * ((1 - u) * high[0] + u * high[1]);
}
