/* For tests: activation through a gap in a wall, on a converged sheet of points. A reference for meshes that shares neither their operator
 * nor their time loop.
 *
 *       dv/dt = f(v, states) + D_x v_xx + D_y v_yy,   0 < x < length, 0 < y < width, no flux through borders
 *
 * The wall, from wall_mm[0] to wall_mm[1] on the x axis, does not conduct where y > gap_mm / 2. The line y = 0 is an axis of symmetry: the
 * whole sheet is twice as wide, with the gap in its middle. Points are at (i + 1/2, j + 1/2) dx; differences are central, of second order.
 * Time steps are those of solver/cable.h. */
#pragma once

#include <criterion/criterion.h>

#include <math.h>

#include "data/core/arena.h"
#include "solver/kernels/block.h"
#include "solver/monodomain.h"

typedef struct sheet {
    const mt_cell_model *model;
    const mt_cell_variant *cells;
    double diffusivity_mm2_ms[2], size_mm[2], wall_mm[2], gap_mm;
    double dx_mm, dt_ms, end_ms;
    double stimulated_mm, duration_ms, rise_mV_ms; /* from the start, at x < stimulated_mm */
    double far_mm;                                 /* x of the place, at y = 0, of the result */
} sheet;

/* The conducting points. A missing neighbour is the point itself. */
typedef struct sheet_points {
    size_t n;
    uint32_t (*neighbour)[4];
    double *x_mm, *y_mm;
} sheet_points;

static inline bool sheet_conducts(const sheet *s, double x, double y)
{
    return x > 0 && y > 0 && x < s->size_mm[0] && y < s->size_mm[1] &&
           (x < s->wall_mm[0] || x > s->wall_mm[1] || y < s->gap_mm / 2);
}

static inline sheet_points sheet_make_points(mt_arena *arena, const sheet *s)
{
    const size_t n_x = (size_t)llround(s->size_mm[0] / s->dx_mm),
                 n_y = (size_t)llround(s->size_mm[1] / s->dx_mm);
    sheet_points p = {0};
    uint32_t *number = mt_arena_alloc(arena, n_x * n_y, sizeof *number);
    p.neighbour = mt_arena_alloc(arena, n_x * n_y, sizeof *p.neighbour);
    p.x_mm = mt_arena_alloc(arena, n_x * n_y, sizeof *p.x_mm);
    p.y_mm = mt_arena_alloc(arena, n_x * n_y, sizeof *p.y_mm);
    for (size_t k = 0; k < n_x * n_y; k++) {
        const double x = ((double)(k % n_x) + 0.5) * s->dx_mm, y = ((double)(k / n_x) + 0.5) * s->dx_mm;
        if (!sheet_conducts(s, x, y)) continue;
        p.x_mm[p.n] = x, p.y_mm[p.n] = y;
        number[k] = (uint32_t)p.n++;
    }
    for (size_t i = 0; i < p.n; i++) {
        static const int step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
        for (int k = 0; k < 4; k++) {
            const double x = p.x_mm[i] + step[k][0] * s->dx_mm, y = p.y_mm[i] + step[k][1] * s->dx_mm;
            p.neighbour[i][k] = (uint32_t)i;
            if (sheet_conducts(s, x, y))
                p.neighbour[i][k] = number[(size_t)(y / s->dx_mm) * n_x + (size_t)(x / s->dx_mm)];
        }
    }
    return p;
}

/* Returns the activation time at (far_mm, 0), interpolated between points; infinite if the wave does not arrive by end_ms. */
static inline double sheet_far_time(const sheet *s)
{
    mt_arena arena = {0};
    const sheet_points p = sheet_make_points(&arena, s);
    const size_t n = p.n, n_states = s->model->n_states;
    const double ratio[2] = {s->diffusivity_mm2_ms[0] * s->dt_ms / (s->dx_mm * s->dx_mm),
        s->diffusivity_mm2_ms[1] * s->dt_ms / (s->dx_mm * s->dx_mm)};
    const size_t substeps = (size_t)ceil((ratio[0] + ratio[1]) / 0.4),
                 steps = (size_t)llround(s->duration_ms / s->dt_ms);
    const double x = ratio[0] / (double)substeps, y = ratio[1] / (double)substeps,
                 share = mt_splitting_compensation(MT_SPLITTING_COMPENSATED, substeps);
    double constants[MT_CELL_CONSTANTS], far_ms[2] = {INFINITY, INFINITY};
    double *v = mt_arena_alloc(&arena, n, sizeof *v), *next = mt_arena_alloc(&arena, n, sizeof *next),
           *spread = mt_arena_alloc(&arena, n, sizeof *spread),
           *states = mt_arena_alloc(&arena, n * n_states, sizeof *states);
    cr_assert(v && next && spread && states);
    mt_cell_constants_double(s->model, s->cells, 1, constants);
    for (size_t i = 0; i < n; i++) {
        v[i] = s->cells->v_mV;
        for (size_t k = 0; k < n_states; k++) states[mt_block_index(n, n_states, i, k)] = s->cells->states[k];
    }
    /* the two points of the row y = dx / 2 on both sides of far_mm; symmetry makes the error in y of second order */
    const size_t right = (size_t)ceil(s->far_mm / s->dx_mm - 0.5);
    size_t watched[2] = {0, 0};
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            if (p.y_mm[i] < s->dx_mm && fabs(p.x_mm[i] / s->dx_mm - ((double)right - 1 + k + 0.5)) < 0.1)
                watched[k] = i;
    for (size_t step = 0; (double)step * s->dt_ms < s->end_ms && !isfinite(far_ms[1]); step++) {
        const double before[2] = {v[watched[0]], v[watched[1]]};
        for (size_t i = 0; step < steps && i < n; i++)
            if (p.x_mm[i] < s->stimulated_mm) v[i] += s->dt_ms * s->rise_mV_ms;
        mt_cell_react_double(s->model, constants, 1, NULL, s->dt_ms, n, states, v, next);
        for (size_t i = 0; i < n; i++) {
            spread[i] = share * (next[i] - v[i]);
            v[i] = next[i] + spread[i];
        }
        for (size_t k = 0; k < substeps; k++) {
            for (size_t i = 0; i < n; i++) {
                const uint32_t *at = p.neighbour[i];
                next[i] = v[i] + x * (v[at[0]] + v[at[1]] - 2 * v[i]) + y * (v[at[2]] + v[at[3]] - 2 * v[i]);
            }
            double *old = v;
            v = next, next = old;
        }
        for (size_t i = 0; i < n; i++) v[i] -= spread[i];
        for (int k = 0; k < 2; k++) {
            const double now = v[watched[k]];
            if (before[k] < 0 && now >= 0 && !isfinite(far_ms[k]))
                far_ms[k] = s->dt_ms * ((double)step + before[k] / (before[k] - now));
        }
    }
    mt_arena_free(&arena);
    const double share_of_right = s->far_mm / s->dx_mm - ((double)right - 0.5);
    if (!isfinite(far_ms[0]) || !isfinite(far_ms[1])) return INFINITY;
    return far_ms[0] + share_of_right * (far_ms[1] - far_ms[0]);
}
