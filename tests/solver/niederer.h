/* The slab benchmark of Niederer et al. 2011, stimulated in any corner of its base. */
#pragma once

#include <math.h>

#include "tests/solver/slab_problem.h"
#include "solver/case/probe.h"
#include "solver/stimulus.h"

enum { POINTS = 9, CORNERS = 4 };

static const double benchmark_mm[3] = {20, 7, 3};

/* P1 .. P9. */
static const double points_mm[POINTS][3] = {{0, 0, 0}, {0, 7, 0}, {20, 0, 0}, {20, 7, 0}, {0, 0, 3},
    {0, 7, 3}, {20, 0, 3}, {20, 7, 3}, {10, 3.5, 1.5}};

/* README.md, "Output": in single precision on the tiles of the machine. Rounding errors, and the two printed digits, are below
 * 0.015 ms. Another time step of the same order, or a conductivity or capacitance wrong by 1 %, changes P8 by 0.2 ms or more. */
static const double printed_ms[POINTS] = {1.23, 28.21, 32.73, 42.10, 9.48, 29.26, 33.69, 42.84, 19.74};

/* Mirrors a coordinate. Corner 0 is that of the benchmark; bit 0 mirrors along x, bit 1 along y. */
static inline double from_corner(size_t corner, size_t axis, double size, double x)
{
    return axis < 2 && corner >> axis & 1 ? size - x : x;
}

/* Replaces the stimulus of the problem by one of the cube of 1.5 mm in a corner. */
static inline void stimulate_corner(slab_problem *s, const double size_mm[3], size_t corner)
{
    mt_region region = mt_region_empty;
    uint32_t *elements;
    size_t n;
    for (size_t k = 0; k < 3; k++) {
        const double a = from_corner(corner, k, size_mm[k], 0), b = from_corner(corner, k, size_mm[k], 1.5);
        region.min_mm[k] = fmin(a, b), region.max_mm[k] = fmax(a, b);
    }
    cr_assert_eq(mt_region_elements(&s->arena, &region, &s->mesh, &n, &elements), MT_OK, "%s", mt_message());
    s->stimulus[0].n_elements = n, s->stimulus[0].element = elements;
}

/* Computes the activation times at the points, mirrored with the corner. */
static inline void corner_times(slab_problem *s, const char *backend, const double size_mm[3], size_t corner,
    double end_ms, double at_point_ms[POINTS])
{
    double *v = mt_arena_alloc(&s->arena, s->mesh.n_elements, sizeof *v);
    double *activation = mt_arena_alloc(&s->arena, s->mesh.n_elements, sizeof *activation);
    stimulate_corner(s, size_mm, corner);
    run_backend(s, backend, NULL, (size_t)llround(end_ms / s->problem.dt_ms), v, activation);
    for (size_t p = 0; p < POINTS; p++) {
        double at[3];
        uint32_t element;
        for (size_t k = 0; k < 3; k++)
            at[k] = from_corner(corner, k, size_mm[k], points_mm[p][k] * size_mm[k] / benchmark_mm[k]);
        cr_assert_eq(mt_probe_find(&s->mesh, 1, at, &element), MT_OK, "%s", mt_message());
        at_point_ms[p] = mt_probe_fit(&s->mesh, &s->diffusion, activation, at, element);
    }
}
