#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/adjacency.h"
#include "mesh/make/slab.h"
#include "solver/diffusion/diffusion.h"
#include "solver/case/probe.h"

static const mt_tissue muscle = {0.133418, 0.0176062, 140, 0.01, 0};
static const double size_mm[3] = {3, 2, 1.5};

typedef struct slab {
    mt_arena arena;
    mt_mesh mesh;
    mt_diffusion diffusion;
    double *field;
} slab;

static void make(slab *s)
{
    *s = (slab){0};
    mt_adjacency adjacency;
    cr_assert_eq(mt_slab_make(&s->arena, size_mm, 0.5, &s->mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(&s->arena, &s->mesh, &adjacency), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_diffusion_make(
                     &s->arena, &s->mesh, &adjacency, &muscle, &mt_diffusion_scheme_default, &s->diffusion),
        MT_OK, "%s", mt_message());
    s->field = mt_arena_alloc(&s->arena, s->mesh.n_elements, sizeof *s->field);
    cr_assert_not_null(s->field);
}

static double linear(const double x[3]) { return 7 - 2.5 * x[0] + 11 * x[1] + 0.75 * x[2]; }

static void fill(slab *s, double (*function)(const double *))
{
    for (size_t element = 0; element < s->mesh.n_elements; element++) {
        double x[3];
        mt_mesh_centroid(&s->mesh, element, x);
        s->field[element] = function(x);
    }
}

static double read(const slab *s, const double x[3])
{
    uint32_t element = 0;
    cr_assert_eq(mt_probe_find(&s->mesh, 1, x, &element), MT_OK, "%s", mt_message());
    return mt_probe_fit(&s->mesh, &s->diffusion, s->field, x, element);
}

static double distance_mm(const slab *s, size_t element, const double at[3])
{
    double x[3];
    mt_mesh_centroid(&s->mesh, element, x);
    return hypot(hypot(x[0] - at[0], x[1] - at[1]), x[2] - at[2]);
}

static size_t nearest(const slab *s, const double at[3])
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t element = 0; element < s->mesh.n_elements; element++) {
        const double distance = distance_mm(s, element, at);
        if (distance < least) {
            least = distance;
            best = element;
        }
    }
    return best;
}

/* Corners, middles of edges and faces, the centre, and points between them. The rounding error of a fit on values of order 30 is far
 * below 1e-10. Many points have several nearest elements, distinguished only by rounding: a distance below 1 mm from coordinates below 3
 * mm is accurate to 10 * 2^-51 mm. */
Test(probe, linear_fields_are_interpolated_exactly_at_corners_and_inside)
{
    slab s;
    make(&s);
    fill(&s, linear);
    enum { SIDE = 7, PLACES = SIDE * SIDE * SIDE };
    static double at[PLACES][3];
    static uint32_t element[PLACES];
    for (size_t k = 0; k < PLACES; k++) {
        at[k][0] = size_mm[0] * (double)(k % SIDE) / (SIDE - 1);
        at[k][1] = size_mm[1] * (double)(k / SIDE % SIDE) / (SIDE - 1);
        at[k][2] = size_mm[2] * (double)(k / SIDE / SIDE) / (SIDE - 1);
    }
    cr_assert_eq(mt_probe_find(&s.mesh, PLACES, at[0], element), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < PLACES; k++) {
        double value = mt_probe_fit(&s.mesh, &s.diffusion, s.field, at[k], element[k]);
        cr_expect_float_eq(
            distance_mm(&s, element[k], at[k]), distance_mm(&s, nearest(&s, at[k]), at[k]), 5e-15);
        cr_expect_float_eq(value, linear(at[k]), 1e-10, "at (%g, %g, %g): %.15g, expected %.15g", at[k][0],
            at[k][1], at[k][2], value, linear(at[k]));
    }
    mt_arena_free(&s.arena);
}

static double bowl(const double x[3]) { return x[0] * x[0] + 3 * x[1] * x[1]; }

static double far_bowl(const double x[3])
{
    return bowl((const double[3]){size_mm[0] - x[0], size_mm[1] - x[1], x[2]});
}

/* The slab has even numbers of boxes along x and y, so it is its own mirror image. Up to 48 elements meet at its vertices, many at equal
 * distance, and the bowl is not a linear function: the choice between them would change the third digit. A fit of numbers below 30 is
 * accurate to 1e-10, as above. */
Test(probe, a_mirrored_field_has_equal_values_at_mirrored_points)
{
    slab s;
    make(&s);
    for (size_t v = 0; v < s.mesh.n_vertices; v++) {
        const double *at = s.mesh.xyz_mm + 3 * v;
        const double there[3] = {size_mm[0] - at[0], size_mm[1] - at[1], at[2]};
        fill(&s, bowl);
        const double value = read(&s, at);
        fill(&s, far_bowl);
        cr_assert_float_eq(read(&s, there), value, 1e-10, "at (%g, %g, %g): %.15g and %.15g", at[0], at[1],
            at[2], value, read(&s, there));
    }
    mt_arena_free(&s.arena);
}

/* Elements that are not yet activated are infinite; the edge of the wavefront is fitted on the elements behind it. */
Test(probe, infinite_values_are_excluded_from_the_fit)
{
    slab s;
    make(&s);
    fill(&s, linear);
    size_t without = 0;
    for (size_t element = 0; element < s.mesh.n_elements; element++) {
        double x[3];
        mt_mesh_centroid(&s.mesh, element, x);
        if (x[0] > 1.5) s.field[element] = element % 3 == 0 ? NAN : INFINITY;
    }
    for (double y = 0.1; y < 2; y += 0.3)
        for (double z = 0.1; z < 1.5; z += 0.2) {
            const double at[3] = {1.37, y, z};
            const size_t element = nearest(&s, at);
            if (!isfinite(s.field[element])) continue;
            size_t left_out = 0;
            for (size_t k = 0; k < MT_DIFFUSION_ROW; k++)
                left_out += isfinite(s.field[s.diffusion.column[MT_DIFFUSION_ROW * element + k]]) ? 0 : 1;
            without += left_out > 0;
            cr_expect_float_eq(read(&s, at), linear(at), 1e-10, "at (1.37, %g, %g): %g", y, z, read(&s, at));
        }
    cr_expect(without > 10, "only %zu of the points are near elements that are not finite", without);
    mt_arena_free(&s.arena);
}

/* A wavefront normal to (1, 1, 1) between rest and plateau, less than one element thick. */
static double front_at_mm;
static double front(const double x[3]) { return x[0] + x[1] + x[2] < front_at_mm ? 20 : -85; }

/* The fit leaves the range at the surface (otherwise the test would be empty); the state does not. */
Test(probe, states_stay_within_the_range_of_the_elements_across_a_front)
{
    size_t beyond = 0;
    slab s;
    make(&s);
    for (front_at_mm = 0.1; front_at_mm < 6.5; front_at_mm += 0.4) {
        fill(&s, front);
        for (size_t v = 0; v < s.mesh.n_vertices; v++) {
            const double *at = s.mesh.xyz_mm + 3 * v;
            uint32_t element = 0;
            cr_assert_eq(mt_probe_find(&s.mesh, 1, at, &element), MT_OK, "%s", mt_message());
            const double fit = mt_probe_fit(&s.mesh, &s.diffusion, s.field, at, element);
            const double state = mt_probe_state(&s.mesh, &s.diffusion, s.field, at, element);
            cr_assert(-85 <= state && state <= 20, "%g mV at (%g, %g, %g)", state, at[0], at[1], at[2]);
            beyond += fit < -85 || fit > 20;
        }
    }
    cr_expect(beyond > 100, "the fit leaves the range at %zu vertices", beyond);
    mt_arena_free(&s.arena);
}

/* Half an edge inside the surface a point is between centroids, so a linear field is not limited there. */
Test(probe, states_of_a_linear_field_are_exact_inside)
{
    slab s;
    make(&s);
    fill(&s, linear);
    for (size_t k = 0; k < 60; k++) {
        const double at[3] = {
            0.5 + 0.5 * (double)(k % 5), 0.5 + 0.25 * (double)(k / 5 % 4), 0.4 + 0.3 * (double)(k / 20)};
        uint32_t element = 0;
        cr_assert_eq(mt_probe_find(&s.mesh, 1, at, &element), MT_OK, "%s", mt_message());
        cr_expect_float_eq(
            mt_probe_state(&s.mesh, &s.diffusion, s.field, at, element), linear(at), 1e-10, "%zu", k);
    }
    mt_arena_free(&s.arena);
}

/* Activation times of a plane wave along (1, 1, 1). The far corner is activated after all centroids. */
static double arrival(const double x[3]) { return x[0] + x[1] + x[2]; }

Test(probe, a_corner_is_activated_after_the_last_centre_and_its_nearby_elements)
{
    slab s;
    make(&s);
    fill(&s, arrival);
    double corner[3] = {3, 2, 1.5}, last_ms = 0;
    uint32_t element = 0;
    cr_assert_eq(mt_probe_find(&s.mesh, 1, corner, &element), MT_OK, "%s", mt_message());
    const mt_probes probes = {.n = 1, .n_points = 1, .xyz_mm = corner, .element = &element};
    for (size_t k = 0; k < s.mesh.n_elements; k++) last_ms = fmax(last_ms, s.field[k]);
    cr_assert_lt(last_ms, 6.4);
    cr_expect_float_eq(
        mt_probe_activation_ms(&probes, 0, &s.mesh, &s.diffusion, s.field, last_ms), 6.5, 1e-10);
    const uint32_t *row = &s.diffusion.column[MT_DIFFUSION_ROW * element];
    for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) {
        if (row[k] == element) continue;
        const double kept = s.field[row[k]];
        s.field[row[k]] = INFINITY;
        cr_expect(isnan(mt_probe_activation_ms(&probes, 0, &s.mesh, &s.diffusion, s.field, last_ms)));
        s.field[row[k]] = kept;
    }
    s.field[element] = INFINITY;
    cr_expect(isnan(mt_probe_activation_ms(&probes, 0, &s.mesh, &s.diffusion, s.field, 100)));
    mt_arena_free(&s.arena);
}

Test(probe, the_value_is_infinite_if_that_of_the_nearest_element_is)
{
    slab s;
    make(&s);
    fill(&s, linear);
    const double at[3] = {1.2, 0.9, 0.6};
    s.field[nearest(&s, at)] = INFINITY;
    cr_expect_eq(read(&s, at), INFINITY);
    s.field[nearest(&s, at)] = NAN;
    cr_expect(isnan(read(&s, at)));
    mt_arena_free(&s.arena);
}

/* Sets all others in the row of the element to infinity, except the n listed places of the row. */
static void keep_only(slab *s, size_t element, size_t n, const size_t *kept)
{
    const uint32_t *row = &s->diffusion.column[MT_DIFFUSION_ROW * element];
    for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) {
        bool keep = row[k] == element;
        for (size_t i = 0; i < n; i++) keep = keep || kept[i] == k;
        if (!keep) s->field[row[k]] = INFINITY;
    }
}

Test(probe, with_too_few_elements_the_nearest_value_is_used)
{
    static const size_t kept[] = {0, 5};
    const double at[3] = {1.45, 1.05, 0.77};
    slab s;
    make(&s);
    for (size_t others = 0; others <= 2; others++) {
        fill(&s, bowl);
        const size_t element = nearest(&s, at);
        keep_only(&s, element, others, kept);
        cr_expect_eq(read(&s, at), s.field[element], "%zu others", others);
    }
    mt_arena_free(&s.arena);
}

/* Returns six times the volume spanned by the centroids of the element and three others. */
static double volume(const slab *s, size_t element, const size_t other[3])
{
    double o[3], d[3][3];
    mt_mesh_centroid(&s->mesh, element, o);
    for (int k = 0; k < 3; k++) {
        mt_mesh_centroid(&s->mesh, s->diffusion.column[MT_DIFFUSION_ROW * element + other[k]], d[k]);
        for (int axis = 0; axis < 3; axis++) d[k][axis] -= o[axis];
    }
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
           d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
           d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

/* All sets of three other elements of a row. If they are in one plane with the element, its own value is used; otherwise the linear
 * field results, which differs from its own value. */
Test(probe, with_coplanar_elements_the_nearest_value_is_used)
{
    size_t flat = 0, full = 0;
    slab s;
    omp_set_num_threads(1); /* for one point at a time a second thread only adds waiting */
    make(&s);
    double at[3];
    const size_t element = s.mesh.n_elements / 2 + 3 * 6 + 2;
    mt_mesh_centroid(&s.mesh, element, at);
    for (int axis = 0; axis < 3; axis++) at[axis] += 0.0137 * (axis + 1);
    cr_assert_eq(nearest(&s, at), element);
    for (size_t i = 2; i < MT_DIFFUSION_ROW; i++)
        for (size_t j = 1; j < i; j++)
            for (size_t k = 0; k < j; k++) {
                const size_t others[3] = {i, j, k};
                fill(&s, linear);
                keep_only(&s, element, 3, others);
                const bool in_plane = fabs(volume(&s, element, others)) < 1e-12;
                *(in_plane ? &flat : &full) += 1;
                cr_expect_float_eq(
                    read(&s, at), in_plane ? s.field[element] : linear(at), 1e-10, "%zu, %zu, %zu", i, j, k);
            }
    cr_expect(flat > 20 && full > 100, "%zu sets in one plane, %zu not", flat, full);
    mt_arena_free(&s.arena);
}

Test(probe, points_outside_the_mesh_are_rejected_with_their_distance)
{
    slab s;
    make(&s);
    uint32_t element[2];
    const double places[2][3] = {{3, 2, 1.5}, {300, 0, 0}}, just_outside[3] = {3.6, 1, 1};
    cr_assert_eq(mt_probe_find(&s.mesh, 1, places[0], element), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_probe_find(&s.mesh, 2, places[0], element), MT_INPUT);
    cr_assert(strstr(mt_message(),
                  "[300, 0, 0] mm is outside the mesh: 297.1 mm from the centre of the nearest element, "),
        "%s", mt_message());
    cr_assert(
        strstr(mt_message(), "]; the mesh extends from [0, 0, 0] to [3, 2, 1.5] mm"), "%s", mt_message());
    cr_assert_eq(mt_probe_find(&s.mesh, 1, just_outside, element), MT_INPUT);
    mt_arena_free(&s.arena);
}
