/* For tests: a heart with its fibres, and the deviation of their helix angles from the rule. */
#pragma once

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "data/core/vec3.h"
#include "mesh/anatomy/fibres.h"
#include "tests/mesh/anatomy/check_fibres.h"

static const double degree = M_PI / 180;

/* Computes c, the normalised part of a orthogonal to the unit vector b. */
static inline void across(const double a[3], const double b[3], double c[3])
{
    double along = mt_dot3(a, b), length = 0;
    for (int k = 0; k < 3; k++) c[k] = a[k] - along * b[k], length += c[k] * c[k];
    for (int k = 0; k < 3; k++) c[k] /= sqrt(length);
}

/* Returns the angle of an axis in degrees, within 90 of `near`: positive from `round` towards `along`, with round = along x out. */
static inline double angle_of(const double axis[3], const double along[3], const double out[3], double near)
{
    double round[3];
    mt_cross3(along, out, round);
    double angle = atan2(mt_dot3(axis, along), mt_dot3(axis, round)) / degree;
    return angle - 180 * nearbyint((angle - near) / 180);
}

typedef struct heart {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_fibres fibres;
} heart;

static inline void connect(heart *h)
{
    cr_assert_eq(mt_mesh_check(&h->mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(&h->arena, &h->mesh, &h->adjacency), MT_OK, "%s", mt_message());
}

static inline void grow(heart *h, const mt_fibres_rule *rule)
{
    cr_assert_eq(
        mt_fibres_make(&h->arena, &h->mesh, &h->adjacency, rule, &h->fibres), MT_OK, "%s", mt_message());
    cr_assert_eq(fibres_check(&h->fibres), MT_OK, "%s", mt_message());
}

static inline double jump_share(const heart *h)
{
    return (double)h->fibres.n_jumps / (double)h->fibres.n_inner_faces;
}

static inline int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { LV_WALL, RV_WALL, SEPTUM, WHOLE_LV };

/* True if a point is in a region of data/geometry/ventricles.geo (or of the left ventricle alone, of the same size), away from base, apex
 * and the insertions of the right ventricle. `out`: outward normal (in the septum: to the right) of the ellipsoid through the middle of the
 * wall. The height is between 15 and 65 % of the way from base to apex or vice versa. In the left wall the point is at least 0.2 of its
 * half axis on the other side of the middle; in the right wall 0.3 beyond its own middle and within 0.6 of its half width; in the septum
 * within 0.4 of it. */
static inline int in_region(int region, const double x[3], double out[3])
{
    const double s = 1.10, none[3] = {0};
    double a = s * (region == RV_WALL ? 38 : 29), b = s * (region == RV_WALL ? 34 : 29);
    double c = s * (region == RV_WALL ? 68 : 77), centre = region == RV_WALL ? s * 28 : 0;
    const double g[3] = {(x[0] - centre) / (a * a), x[1] / (b * b), x[2] / (c * c)};
    across(g, none, out);
    if (x[2] > -0.15 * c || x[2] < -0.65 * c) return 0;
    if (region == LV_WALL) return x[0] < -0.2 * a;
    if (region == WHOLE_LV) return 1;
    if (region == RV_WALL) return x[0] > centre + 0.3 * a && fabs(x[1]) < 0.6 * b;
    return x[0] > 0 && x[0] < s * 40 && fabs(x[1]) < 0.4 * b;
}

/* Computes the apex-to-base direction in the wall: in the left wall and the septum that of the ellipsoid. The right ventricle is attached
 * to the left one's apex, so that the gradient of psi crosses the meridians of its ellipsoid by 4 degrees in the median and 12 in the 95th
 * percentile, on fine and coarse meshes. There the gradient of psi is used. */
static inline void up_the_wall(
    const heart *h, int region, size_t element, const double out[3], double along[3])
{
    double up[3] = {0, 0, 1};
    if (region == RV_WALL) mt_laplace_gradient(&h->mesh, element, h->fibres.psi, up);
    across(up, out, along);
}

/* Returns the angle of the rule in an element, by the solutions at its vertices. */
static inline double linear_rule(const heart *h, int region, size_t element)
{
    double lv = 0, rv = 0;
    for (size_t k = 0; k < 4; k++) {
        lv += h->fibres.phi_lv[h->mesh.element_vertex[4 * element + k]] / 4;
        rv += h->fibres.phi_rv[h->mesh.element_vertex[4 * element + k]] / 4;
    }
    return 60 - 120 * (region == SEPTUM ? rv / (rv + lv) : 1 - lv - rv);
}

/* Computes the median and the 95th percentile [degrees] of the deviation of helix angles from the rule, from 60 at the endocardium (or
 * left) to -60 at the epicardium (or right), in a region of in_region. */
static inline void angle_errors(heart *h, int region, double *median, double *high)
{
    double *error = mt_arena_alloc(&h->arena, h->mesh.n_elements, sizeof *error);
    size_t n = 0;
    cr_assert(error);
    for (size_t c = 0; c < h->mesh.n_elements; c++) {
        double x[3], out[3], along[3], expected = linear_rule(h, region, c);
        mt_mesh_centroid(&h->mesh, c, x);
        if (!in_region(region, x, out)) continue;
        up_the_wall(h, region, c, out, along);
        error[n++] = fabs(angle_of(h->fibres.fibre + 3 * c, along, out, expected) - expected);
    }
    cr_assert_gt(n, 100, "region %d: %zu elements", region, n);
    qsort(error, n, sizeof *error, compare);
    *median = error[n / 2], *high = error[n * 95 / 100];
}

/* At most 2 degrees in the median and 5 in the 95th percentile. */
static inline void assert_follows_the_rule(heart *h, int region)
{
    double median, high;
    angle_errors(h, region, &median, &high);
    cr_assert_lt(median, 2, "region %d: median %g", region, median);
    cr_assert_lt(high, 5, "region %d: 95th percentile %g", region, high);
}
