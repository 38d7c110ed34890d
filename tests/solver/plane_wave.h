/* Plane waves in the usual tissue, through slabs and along a cable.
 *
 * In a slab: by finite volumes and the cpu backend, longitudinal or transverse (fibres along x). Along a cable: by central differences
 * and the ionic model of tests/solver/cells/tp06_oracle.h. It shares only the splitting with the solver: reaction first (forward Euler,
 * gate m by Rush-Larsen), then explicit diffusion steps. */
#pragma once

#include <math.h>
#include <string.h>

#include "tests/solver/slab_problem.h"

#include "tests/solver/cells/tp06_oracle.h"

/* Returns the slope of a line fitted to n points. */
static inline double slope_of(size_t n, const double *x, const double *y)
{
    double mean_x = 0, mean_y = 0, above = 0, below = 0;
    for (size_t k = 0; k < n; k++) mean_x += x[k] / (double)n, mean_y += y[k] / (double)n;
    for (size_t k = 0; k < n; k++) {
        above += (x[k] - mean_x) * (y[k] - mean_y);
        below += (x[k] - mean_x) * (x[k] - mean_x);
    }
    return above / below;
}

/* Returns the conduction velocity [mm/ms] from the activation times of elements with centres in [from, to] along an axis, or 0 if one is
 * not activated. */
static inline double speed_between(
    mt_arena *scratch, const mt_mesh *mesh, const double *activation_ms, size_t axis, double from, double to)
{
    double *x = mt_arena_alloc(scratch, mesh->n_elements, sizeof *x);
    double *t = mt_arena_alloc(scratch, mesh->n_elements, sizeof *t);
    size_t n = 0;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double centre[3];
        mt_mesh_centroid(mesh, c, centre);
        if (centre[axis] < from || centre[axis] > to) continue;
        if (!isfinite(activation_ms[c])) return 0;
        x[n] = centre[axis], t[n++] = activation_ms[c];
    }
    cr_assert_gt(n, 10);
    return 1 / slope_of(n, x, t);
}

enum { WIDE = 4 }; /* boxes; with 8 the velocities differ by 0.6 % at most */

/* Returns the conduction velocity in a slab of WIDE boxes of edge_mm in the transverse directions, long enough for 16 mm along x or 10
 * mm along y. The first 3 mm are stimulated. The velocity is measured in the middle half, where the wavefront is fully formed and far
 * from the ends. 0 if it does not arrive in the time that a wavefront of velocity `slowest` takes for the entire slab. */
static inline double slab_speed(const mt_cell_model *model, const mt_diffusion_scheme *scheme, size_t axis,
    double edge_mm, double slowest)
{
    const double long_mm = ceil((axis == 0 ? 16 : 10) / edge_mm - 1e-9) * edge_mm;
    double size[3] = {WIDE * edge_mm, WIDE * edge_mm, WIDE * edge_mm},
           near[3] = {INFINITY, INFINITY, INFINITY};
    slab_problem s = {.scheme = scheme};
    size[axis] = long_mm, near[axis] = 3;
    cr_assert_eq(mt_slab_make(&s.arena, size, edge_mm, &s.mesh), MT_OK, "%s", mt_message());
    make_problem(&s, near);
    s.problem.model = model;
    double *v = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *v);
    double *activation = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *activation);
    run_backend(&s, "cpu", NULL, (size_t)llround(long_mm / slowest / s.problem.dt_ms), v, activation);
    const double speed = speed_between(&s.arena, &s.mesh, activation, axis, 0.4 * long_mm, 0.9 * long_mm);
    mt_arena_free(&s.arena);
    return speed;
}

enum { CABLE_MM = 8 };

/* Computes one step of dt_ms of the elements i < n of a cable; the first n_stimulated have `rise` [mV/ms]. All rates are taken at the
 * start of the step. */
static inline void react(size_t n, double (*y)[ORACLE_N], double dt_ms, size_t n_stimulated, double rise)
{
    for (size_t i = 0; i < n; i++) {
        y[i][ORACLE_V] += i < n_stimulated ? dt_ms * rise : 0;
        const oracle_rates r = oracle_rhs(ORACLE_EPI, y[i]);
        const double m = r.m_inf + (y[i][3] - r.m_inf) * exp(-dt_ms / r.tau_m);
        for (int k = 0; k < ORACLE_N; k++) y[i][k] += dt_ms * r.rate[k];
        y[i][3] = m;
    }
}

/* V += ratio (left - 2 V + right), with no flux through the ends. */
static inline void diffuse(size_t n, double (*y)[ORACLE_N], double ratio)
{
    double left = y[0][ORACLE_V];
    for (size_t i = 0; i < n; i++) {
        const double v = y[i][ORACLE_V], right = y[i + 1 < n ? i + 1 : i][ORACLE_V];
        y[i][ORACLE_V] += ratio * (left - 2 * v + right);
        left = v;
    }
}

/* Returns the longitudinal conduction velocity [mm/ms] along a cable of points dx_mm apart, with time steps of dt_ms. */
static inline double cable_speed(double dx_mm, double dt_ms)
{
    enum { MOST = 400 };
    const double d = 0.17 * 0.62 / (0.17 + 0.62) / (140 * 0.01); /* mm^2/ms */
    static double y[MOST][ORACLE_N], x[MOST], t[MOST];
    const size_t n = (size_t)llround(CABLE_MM / dx_mm),
                 substeps = (size_t)ceil(d * dt_ms / (dx_mm * dx_mm) / 0.4);
    size_t reached = 0;
    cr_assert_leq(n, MOST);
    for (size_t i = 0; i < n; i++) {
        memcpy(y[i], oracle_start[ORACLE_EPI], sizeof y[i]);
        x[i] = ((double)i + 0.5) * dx_mm, t[i] = NAN;
    }
    for (size_t step = 0; reached < n; step++) {
        static double before[MOST];
        const double now_ms = (double)step * dt_ms;
        cr_assert_lt(now_ms, 100, "only %zu of %zu points were activated", reached, n);
        for (size_t i = 0; i < n; i++) before[i] = y[i][ORACLE_V];
        react(n, y, dt_ms, (size_t)llround(1.5 / dx_mm), now_ms < 2 - 1e-9 ? 50 / 1.4 : 0);
        for (size_t k = 0; k < substeps; k++) diffuse(n, y, d * dt_ms / (double)substeps / (dx_mm * dx_mm));
        for (size_t i = 0; i < n; i++)
            if (isnan(t[i]) && y[i][ORACLE_V] > 0) {
                t[i] = now_ms + dt_ms * before[i] / (before[i] - y[i][ORACLE_V]);
                reached++;
            }
    }
    return 1 / slope_of(n / 2, x + n * 2 / 5, t + n * 2 / 5);
}

/* Returns the longitudinal (axis 0) or transverse conduction velocity for dt -> 0; transverse lengths scale with the square root of the
 * ratio of diffusivities. The first-order error of the time step is eliminated by extrapolation with twice the step; about 0.2 %
 * remains. */
static inline double usual_speed(size_t axis)
{
    static double along;
    const double ratio = (0.019 * 0.24 / (0.019 + 0.24)) / (0.17 * 0.62 / (0.17 + 0.62));
    if (along == 0) along = 2 * cable_speed(0.02, 0.01) - cable_speed(0.02, 0.02);
    return along * (axis == 0 ? 1 : sqrt(ratio));
}
