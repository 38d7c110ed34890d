/* For tests: bars and cables of tissue under two stimuli, and the conduction velocities of the first and the second wavefront.
 *
 * A bar is a slab of mirrored boxes, BAR_WIDE boxes wide in the transverse directions. A cable is the same problem in one dimension: an
 * operator of central differences replaces the finite volumes in the same backend. Both have the same ionic model, tissue, and stimuli
 * in mm and ms. */
#pragma once

#include <math.h>

#include "data/core/line_fit.h"
#include "tests/solver/slab_problem.h"

enum { BAR_WIDE = 4, BAR_MOST_WAVES = 2 };

typedef struct bar {
    slab_problem s;
    size_t n, axis;
    double *place_mm; /* [n] position along the axis */
    double *before, *v;
    double *time_ms[BAR_MOST_WAVES]; /* [n] k-th upward crossing of 0 mV, or infinite */
} bar;

/* The stimuli and the duration of a run. The first stimulated_mm are stimulated at 0 and, if coupling_ms > 0, again after it. */
typedef struct beats {
    const mt_cell_model *model;
    double length_mm, stimulated_mm, coupling_ms, end_ms;
} beats;

static inline void bar_places(bar *b)
{
    b->n = b->s.diffusion.n_unknowns;
    b->before = mt_arena_alloc(&b->s.arena, b->n, sizeof *b->before);
    b->v = mt_arena_alloc(&b->s.arena, b->n, sizeof *b->v);
    for (int k = 0; k < BAR_MOST_WAVES; k++) {
        b->time_ms[k] = mt_arena_alloc(&b->s.arena, b->n, sizeof *b->time_ms[k]);
        for (size_t c = 0; c < b->n; c++) b->time_ms[k][c] = INFINITY;
    }
}

/* Builds the problem on the mesh of the bar, with a stimulus below stimulated_mm on the axis. */
static inline void bar_on_mesh(bar *b, const beats *w)
{
    double near[3] = {INFINITY, INFINITY, INFINITY};
    near[b->axis] = w->stimulated_mm;
    make_problem(&b->s, near);
    b->s.problem.model = w->model;
    bar_places(b);
    b->place_mm = mt_arena_alloc(&b->s.arena, b->n, sizeof *b->place_mm);
    for (size_t c = 0; c < b->n; c++) {
        double x[3];
        mt_mesh_centroid(&b->s.mesh, c, x);
        b->place_mm[c] = x[b->axis];
    }
}

/* Builds a bar of elements of size h (the cube root of their volume), about length_mm long along the axis. */
static inline void bar_of_boxes(
    bar *b, const mt_diffusion_scheme *scheme, size_t axis, double h_mm, const beats *w)
{
    const double edge_mm = cbrt(6) * h_mm;
    double size[3] = {BAR_WIDE * edge_mm, BAR_WIDE * edge_mm, BAR_WIDE * edge_mm};
    *b = (bar){.s = {.scheme = scheme}, .axis = axis};
    size[axis] = ceil(w->length_mm / edge_mm - 1e-9) * edge_mm;
    cr_assert_eq(mt_slab_make(&b->s.arena, size, edge_mm, &b->s.mesh), MT_OK, "%s", mt_message());
    bar_on_mesh(b, w);
}

/* Builds an operator of points at (i + 1/2) dx, coupled to both neighbours; stable up to dt D / dx^2 = 1/2, here at most 0.4. */
static inline void cable_operator(bar *b, double diffusivity, double dx_mm)
{
    mt_diffusion *d = &b->s.diffusion;
    d->volume_mm3 = mt_arena_alloc(&b->s.arena, d->n_unknowns, sizeof *d->volume_mm3);
    d->rate = mt_arena_alloc(&b->s.arena, d->n_unknowns * MT_DIFFUSION_ROW, sizeof *d->rate);
    d->column = mt_arena_alloc(&b->s.arena, d->n_unknowns * MT_DIFFUSION_ROW, sizeof *d->column);
    d->limit_dt_ms = 0.4 * dx_mm * dx_mm / diffusivity;
    for (uint32_t i = 0; i < d->n_unknowns; i++) {
        size_t at = MT_DIFFUSION_ROW * (size_t)i;
        d->volume_mm3[i] = dx_mm;
        for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) d->column[at + k] = i;
        if (i > 0) d->column[at] = i - 1, d->rate[at++] = diffusivity / (dx_mm * dx_mm);
        if (i + 1 < d->n_unknowns) d->column[at] = i + 1, d->rate[at] = diffusivity / (dx_mm * dx_mm);
    }
}

/* Builds a cable, longitudinal (axis 0) or transverse. */
static inline void bar_of_points(bar *b, size_t axis, double dx_mm, const beats *w)
{
    const double diffusivity =
        axis == 0 ? mt_tissue_diffusivity_l(&mt_tissue_default) : mt_tissue_diffusivity_t(&mt_tissue_default);
    *b = (bar){.axis = axis};
    b->s.diffusion = (mt_diffusion){.n_unknowns = (size_t)llround(w->length_mm / dx_mm)};
    cable_operator(b, diffusivity, dx_mm);
    bar_places(b);
    b->place_mm = mt_arena_alloc(&b->s.arena, b->n, sizeof *b->place_mm);
    uint32_t *element = mt_arena_alloc(&b->s.arena, b->n, sizeof *element);
    size_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        b->place_mm[i] = (i + 0.5) * dx_mm;
        if (b->place_mm[i] < w->stimulated_mm) element[n++] = i;
    }
    b->s.stimulus[0] = (mt_stimulus){0, 2, 50 / 1.4, n, element, 0, 0, NULL, 0, 0, 0, 0};
    b->s.problem = (mt_monodomain){.diffusion = &b->s.diffusion,
        .model = w->model,
        .dt_ms = 0.02,
        .pde_steps = mt_monodomain_pde_steps(&b->s.diffusion, 0.02),
        .splitting = MT_SPLITTING_COMPENSATED,
        .n_stimuli = 1,
        .stimulus = b->s.stimulus};
}

/* Stores the times at which V crosses 0 mV upwards in a step. Returns the number of points that have crossed for the last time. */
static inline size_t bar_note(bar *b, size_t step, int n_waves)
{
    size_t n_last = 0;
    for (size_t c = 0; c < b->n; c++) {
        const double before = b->before[c], now = b->v[c];
        b->before[c] = now;
        int k = 0;
        while (k < n_waves && isfinite(b->time_ms[k][c])) k++;
        if (before < 0 && now >= 0 && k < n_waves)
            b->time_ms[k++][c] = b->s.problem.dt_ms * ((double)step + before / (before - now));
        n_last += k == n_waves;
    }
    return n_last;
}

/* Stops early if all wavefronts have passed all points. */
static inline void bar_run(bar *b, const beats *w)
{
    mt_arena arena = {0};
    void *self;
    const size_t n_steps = (size_t)llround(w->end_ms / b->s.problem.dt_ms);
    const int n_waves = w->coupling_ms > 0 ? 2 : 1;
    if (w->coupling_ms > 0) b->s.stimulus[0].period_ms = w->coupling_ms, b->s.stimulus[0].repeats = 1;
    cr_assert_eq(mt_backend_cpu.open(&arena, &b->s.problem, NULL, &self), MT_OK, "%s", mt_message());
    mt_backend_cpu.read(self, MT_ARRAY_V, b->before);
    for (size_t step = 0; step < n_steps; step++) {
        cr_assert_eq(mt_backend_cpu.advance(self, step, 1), MT_OK);
        mt_backend_cpu.read(self, MT_ARRAY_V, b->v);
        if (bar_note(b, step, n_waves) == b->n) break;
    }
    mt_arena_free(&arena);
}

/* Returns the conduction velocity [mm/ms] of the k-th wavefront between 0.4 and 0.9 of the length, or NaN if it does not arrive. */
static inline double bar_speed(const bar *b, const beats *w, int k)
{
    mt_line_fit fit = {0};
    for (size_t c = 0; c < b->n; c++)
        if (b->place_mm[c] >= 0.4 * w->length_mm && b->place_mm[c] <= 0.9 * w->length_mm)
            mt_line_fit_add(&fit, b->place_mm[c], b->time_ms[k][c]);
    return 1 / mt_line_fit_slope(&fit);
}

/* Returns the conduction velocity on a fine cable: spacing 0.05 mm longitudinal, 0.02 mm transverse, accurate to 0.4 %. */
static inline double cable_speed_of(const beats *w, size_t axis, int k)
{
    bar cable;
    bar_of_points(&cable, axis, axis == 0 ? 0.05 : 0.02, w);
    bar_run(&cable, w);
    const double speed = bar_speed(&cable, w, k);
    cr_log_info("axis %zu, wave %d: %.4f mm/ms on a cable", axis, k, speed);
    mt_arena_free(&cable.s.arena);
    return speed;
}

/* Expects that the conduction velocity of the k-th wavefront in the bar exceeds the correct one by `percent`, within 0.6, since the
 * figures are whole numbers. Frees the bar. */
static inline void expect_faster(bar *b, const beats *w, int k, double right_mm_ms, double percent)
{
    bar_run(b, w);
    const double found = 100 * (bar_speed(b, w, k) / right_mm_ms - 1);
    const char *spreading = b->s.diffusion.kappa_ms ? "with" : "without";
    cr_log_info("  %zu elements, %s spreading: %.2f %%", b->n, spreading, found);
    cr_expect_float_eq(
        found, percent, 0.6, "axis %zu, wave %d, %s spreading: %g %%", b->axis, k, spreading, found);
    mt_arena_free(&b->s.arena);
}

/* Differences in conduction velocity from the correct one in per cent; negative if it is underestimated. */
typedef struct late {
    double plain, usual;
} late;

/* Compares the k-th wavefront along an axis (0: longitudinal) in boxes with elements of size h, without and with spreading. */
static inline void expect_late(const beats *w, double h_mm, size_t axis, int k, late expected)
{
    const double right_mm_ms = cable_speed_of(w, axis, k);
    bar plain, usual;
    bar_of_boxes(&plain, &mt_diffusion_scheme_plain, axis, h_mm, w);
    bar_of_boxes(&usual, &mt_diffusion_scheme_default, axis, h_mm, w);
    expect_faster(&plain, w, k, right_mm_ms, expected.plain);
    expect_faster(&usual, w, k, right_mm_ms, expected.usual);
}
