#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/progress.h"
#include "data/core/vec3.h"
#include "mesh/make/slab.h"
#include "solver/eikonal/curvature.h"
#include "tests/random.h"

/* The curvature of a wavefront against the exact laws of its equation (spheres, cylinders, plane waves, an ellipsoid), links and bits.
 * In all of them the CV is 0.5 mm/ms and tau is 0.2 ms, so that D = 0.05 mm^2/ms and e = D / v = 0.1 mm, unless stated. */

#define ok(call) cr_assert_eq((call), MT_OK, "%s", mt_message())

static const double v_mm_ms = 0.5, tau_ms = 0.2, e_mm = 0.1;

/* ---- a solved mesh ---- */

typedef struct solved {
    mt_arena arena;
    mt_mesh mesh;
    double axes[3][3]; /* C = v^2 A A' */
    mt_eikonal eikonal;
    double *tau, *time_ms;
    mt_curvature_report report;
} solved;

static bool velocity_of(const void *context, size_t element, double squared[3][3])
{
    const solved *s = context;
    (void)element;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) squared[i][k] = v_mm_ms * v_mm_ms * mt_dot3(s->axes[i], s->axes[k]);
    return true;
}

/* Builds a box of mirrored cubes, mapped by A. */
static void prepare(solved *s, const double size_mm[3], double edge_mm, double a[3][3], size_t n_links,
    const mt_eikonal_link *link)
{
    static const double one[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    *s = (solved){0};
    memcpy(s->axes, a ? (const void *)a : one, sizeof s->axes);
    ok(mt_slab_make(&s->arena, size_mm, edge_mm, &s->mesh));
    for (size_t v = 0; v < s->mesh.n_vertices; v++) {
        double *x = &s->mesh.xyz_mm[3 * v];
        const double at[3] = {x[0], x[1], x[2]};
        for (size_t k = 0; k < 3; k++) x[k] = mt_dot3(s->axes[k], at);
    }
    const mt_eikonal_problem problem = {&s->mesh, velocity_of, s, n_links, n_links, link};
    ok(mt_eikonal_make(&s->arena, &problem, &s->eikonal));
    s->time_ms = mt_arena_alloc(&s->arena, s->eikonal.n_points, sizeof *s->time_ms);
    s->tau = mt_arena_alloc(&s->arena, s->eikonal.n_elements, sizeof *s->tau);
    for (size_t c = 0; c < s->eikonal.n_elements; c++) s->tau[c] = tau_ms;
}

static mt_status add(solved *s, size_t n, const mt_eikonal_source *source, double tolerance_ms)
{
    const mt_curvature curvature = {&s->mesh, s->tau, tolerance_ms};
    return mt_curvature_add(&s->eikonal, &curvature, n, source, s->time_ms, &s->report);
}

static void solve(solved *s, size_t n, const mt_eikonal_source *source)
{
    mt_eikonal_report report;
    ok(mt_eikonal_solve(&s->eikonal, n, source, MT_EIKONAL_TOLERANCE_MS, s->time_ms, &report));
    ok(add(s, n, source, MT_CURVATURE_TOLERANCE_MS));
}

/* ---- spheres and cylinders ---- */

static const double first_mm = 1; /* radius where times are 0 */

/* Returns the radius in `dimensions` before the mapping. */
static double radius_of(const double x[3], size_t dimensions)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + (dimensions == 3 ? x[2] * x[2] : 0));
}

/* Returns the time of the law: v dT/dr = 1 + 2 e / r + 2 e^2 / r^2, or 1 + e / r. */
static double law(double r, size_t dimensions)
{
    const double first = log(r / first_mm), second = 1 / first_mm - 1 / r;
    return (r - first_mm + (dimensions == 3 ? 2 * e_mm * first + 2 * e_mm * e_mm * second : e_mm * first)) /
           v_mm_ms;
}

typedef struct deviation {
    double mean_ms, largest_ms, latest_ms; /* latest time of the law */
    size_t n;
} deviation;

/* Starts with the times of the law in a shell, which a wavefront in the corner of a box continues. Compares at least 6 e from the other
 * faces. xyz: places before the mapping. */
static deviation deviation_from_law(solved *s, const double *xyz, double length_mm, size_t dimensions)
{
    deviation found = {0};
    mt_eikonal_source *source = malloc(s->mesh.n_vertices * sizeof *source);
    size_t n = 0;
    for (size_t v = 0; v < s->mesh.n_vertices; v++) {
        const double r = radius_of(&xyz[3 * v], dimensions);
        if (r > 0.3 && r <= first_mm) source[n++] = (mt_eikonal_source){(uint32_t)v, law(r, dimensions)};
    }
    solve(s, n, source);
    for (size_t v = 0; v < s->mesh.n_vertices; v++) {
        const double *x = &xyz[3 * v], r = radius_of(x, dimensions);
        if (r <= first_mm || fmax(x[0], x[1]) > length_mm - 6 * e_mm) continue;
        if (dimensions == 3 && x[2] > length_mm - 6 * e_mm) continue;
        const double expected = law(r, dimensions), error = s->time_ms[v] - expected;
        found.n++;
        found.mean_ms += error;
        found.largest_ms = fmax(found.largest_ms, fabs(error));
        found.latest_ms = fmax(found.latest_ms, expected);
    }
    found.mean_ms /= (double)found.n;
    free(source);
    return found;
}

static deviation deviation_in_box(double edge_mm, size_t dimensions)
{
    const double length_mm = 3, size[3] = {length_mm, length_mm, dimensions == 3 ? length_mm : 2 * edge_mm};
    solved s;
    prepare(&s, size, edge_mm, NULL, 0, NULL);
    const deviation found = deviation_from_law(&s, s.mesh.xyz_mm, length_mm, dimensions);
    mt_arena_free(&s.arena);
    return found;
}

/* The error is proportional to the element size, and the extrapolation to elements of size 0 is the law. Without the term the times would
 * be earlier by up to (2 e ln 3.4 + 2 e^2 0.7) / v = 0.52 ms, and by half as much for the cylinder. */
Test(curvature, spheres_and_cylinders_converge_to_their_laws_with_first_order)
{
    static const double edges[2][3] = {{0.25, 0.125, 0.0625}, {0.3, 0.2, 0.15}};
    for (size_t k = 0; k < 2; k++) {
        deviation found[3];
        const double *h = edges[k];
        for (size_t i = 0; i < 3; i++) found[i] = deviation_in_box(h[i], 2 + k);
        const double order = log(found[1].mean_ms / found[2].mean_ms) / log(h[1] / h[2]),
                     slope = (found[1].mean_ms - found[2].mean_ms) / (h[1] - h[2]),
                     limit_ms = found[2].mean_ms - slope * h[2];
        cr_expect_gt(found[2].n, 1000);
        cr_expect_gt(found[2].latest_ms, 4.5);
        cr_expect(order > 0.75 && order < 1.25, "%zu: order %g", k + 2, order);
        cr_expect_lt(found[2].largest_ms, 0.05, "%zu: %g ms", k + 2, found[2].largest_ms);
        cr_expect_lt(fabs(limit_ms), 0.01, "%zu: %g ms from %g, %g, %g", k + 2, limit_ms, found[0].mean_ms,
            found[1].mean_ms, found[2].mean_ms);
    }
}

/* A linear map A of the sphere: with C = v^2 A A' and the same tau the equation is that of the sphere in other coordinates, and so is its
 * discretisation. Times are equal to rounding, which the order of the sweeps can amplify to the tolerance. */
Test(curvature, an_ellipsoid_in_anisotropic_tissue_is_a_sphere_in_other_coordinates)
{
    double a[3][3] = {{2, 0.5, -0.3}, {0.1, 0.7, 0.4}, {-0.2, 0.3, 0.5}};
    const double size[3] = {3, 3, 3}, edge_mm = 0.3;
    solved sphere, ellipsoid;
    prepare(&sphere, size, edge_mm, NULL, 0, NULL);
    prepare(&ellipsoid, size, edge_mm, a, 0, NULL);
    const deviation expected = deviation_from_law(&sphere, sphere.mesh.xyz_mm, 3, 3),
                    found = deviation_from_law(&ellipsoid, sphere.mesh.xyz_mm, 3, 3);
    cr_expect_lt(found.largest_ms, 0.1, "%g ms", found.largest_ms);
    cr_expect_float_eq(found.mean_ms, expected.mean_ms, 1e-5);
    for (size_t v = 0; v < sphere.mesh.n_vertices; v++)
        cr_assert_float_eq(ellipsoid.time_ms[v], sphere.time_ms[v], 1e-4, "vertex %zu: %g, not %g ms", v,
            ellipsoid.time_ms[v], sphere.time_ms[v]);
    mt_arena_free(&sphere.arena), mt_arena_free(&ellipsoid.arena);
}

/* ---- plane waves ---- */

/* Solves a plane wave along x from the face x = 0, at time 0. */
static void solve_plane(solved *s, double edge_mm)
{
    prepare(s, (double[]){6, 2 * edge_mm, 2 * edge_mm}, edge_mm, NULL, 0, NULL);
    mt_eikonal_source *source = malloc(s->mesh.n_vertices * sizeof *source);
    size_t n = 0;
    for (size_t v = 0; v < s->mesh.n_vertices; v++)
        if (s->mesh.xyz_mm[3 * v] == 0) source[n++] = (mt_eikonal_source){(uint32_t)v, 0};
    solve(s, n, source);
    free(source);
}

/* The law has x / v - tau exp(-(L - x) / e): unchanged but for the last millimetre, and early by tau at the wall, to first order. */
Test(curvature, a_plane_wave_is_unchanged_but_for_the_last_millimetre_before_a_wall)
{
    double wall_ms[2];
    for (size_t k = 0; k < 2; k++) {
        solved s;
        solve_plane(&s, k == 0 ? 0.1 : 0.05);
        for (size_t v = 0; v < s.mesh.n_vertices; v++) {
            const double x = s.mesh.xyz_mm[3 * v], late_ms = s.time_ms[v] - x / v_mm_ms;
            if (x < 4) cr_assert_lt(fabs(late_ms), 1e-4, "at %g mm: %g ms", x, late_ms);
            if (x == 6) wall_ms[k] = late_ms;
        }
        mt_arena_free(&s.arena);
    }
    cr_expect_float_eq(
        2 * wall_ms[1] - wall_ms[0], -tau_ms, 0.1 * tau_ms, "%g, %g ms", wall_ms[0], wall_ms[1]);
}

/* ---- links and sources ---- */

/* A link carries activation from one end of a bar to the other through an extra point, and each end keeps the earlier time. */
Test(curvature, links_and_sources_keep_their_times)
{
    solved s;
    const double size[3] = {10, 0.5, 0.5};
    prepare(&s, size, 0.25, NULL, 0, NULL);
    size_t near = 0, far = 0;
    for (size_t v = 0; v < s.mesh.n_vertices; v++) {
        if (mt_dot3(&s.mesh.xyz_mm[3 * v], &s.mesh.xyz_mm[3 * v]) == 0) near = v;
        if (s.mesh.xyz_mm[3 * v] == 10) far = v;
    }
    const uint32_t n = (uint32_t)s.mesh.n_vertices;
    mt_arena_free(&s.arena);
    const mt_eikonal_link link[] = {{(uint32_t)near, n, 3}, {n, (uint32_t)far, 2}};
    prepare(&s, size, 0.25, NULL, 2, link);
    const mt_eikonal_source source[] = {{(uint32_t)near, 10}, {(uint32_t)near, 7}};
    solve(&s, 2, source);
    cr_expect_eq(s.time_ms[near], 7);
    cr_expect_eq(s.time_ms[n], 10);
    cr_expect_eq(s.time_ms[far], 12); /* 27 ms or later through the tissue */
    cr_expect(isinf(s.time_ms[n + 1]));
    mt_arena_free(&s.arena);
}

/* ---- elements of poor quality ---- */

/* Randomly displaced vertices, elements down to an eighth of the mean volume, with edges of e, and oblique anisotropy of 1 : 0.36: diffusion
 * dominates, with weights of either sign. Sweeps converge since a point's own time is implicit. */
Test(curvature, sweeps_converge_on_elements_of_poor_quality)
{
    const double a[3][3] = {{0.8, -0.6 * 0.36, 0}, {0.6, 0.8 * 0.36, 0}, {0, 0, 0.36}};
    solved s;
    uint64_t seed = 1;
    prepare(&s, (double[]){1, 1, 1}, 0.1, NULL, 0, NULL);
    memcpy(s.axes, a, sizeof a);
    for (size_t k = 0; k < 3 * s.mesh.n_vertices; k++) s.mesh.xyz_mm[k] += between(&seed, -0.022, 0.022);
    const mt_eikonal_problem problem = {.mesh = &s.mesh, .velocity = velocity_of, .context = &s};
    ok(mt_eikonal_make(&s.arena, &problem, &s.eikonal));
    solve(&s, 1, &(mt_eikonal_source){0, 0});
    cr_expect_lt(s.report.n_sweeps, 100);
    mt_arena_free(&s.arena);
}

/* ---- bits and stops ---- */

Test(curvature, times_have_the_same_bits_for_any_number_of_threads)
{
    solved s[2];
    for (int k = 0; k < 2; k++) {
        omp_set_num_threads(k == 0 ? 1 : 5);
        prepare(&s[k], (double[]){3, 2, 2}, 0.25, NULL, 0, NULL);
        solve(&s[k], 1, &(mt_eikonal_source){0, 0});
    }
    cr_expect_eq(memcmp(s[0].time_ms, s[1].time_ms, s[0].eikonal.n_points * sizeof(double)), 0);
    cr_expect_eq(s[0].report.n_updates, s[1].report.n_updates);
    mt_arena_free(&s[0].arena), mt_arena_free(&s[1].arena);
}

static int stops(void) { return 15; }

Test(curvature, a_requested_stop_ends_the_sweeps)
{
    static const mt_listener listener = {.stop_signal = stops};
    solved s;
    const mt_eikonal_source source = {0, 0};
    prepare(&s, (double[]){2, 2, 2}, 0.5, NULL, 0, NULL);
    solve(&s, 1, &source);
    mt_listen(&listener);
    cr_expect_eq(add(&s, 1, &source, MT_CURVATURE_TOLERANCE_MS), MT_STOPPED);
    mt_listen(NULL);
    mt_arena_free(&s.arena);
}
