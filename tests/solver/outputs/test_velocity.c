/* Conduction velocities from activation times with closed-form gradients. */
#include <criterion/criterion.h>

#include <omp.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/make/slab.h"
#include "mesh/unknowns.h"
#include "solver/diffusion/nodal.h"
#include "solver/outputs/velocity.h"
#include "tests/solver/gmsh_box.h"

static const double speed_mm_ms = 0.6;
static const double cube_mm[3] = {1.6, 1.6, 1.6};

typedef struct tissue {
    mt_arena arena;
    mt_mesh mesh;
    mt_diffusion diffusion;
    size_t n;
    double (*centre)[3], *activation_ms, (*velocity)[3];
    uint8_t *stimulated, *reason;
} tissue;

/* Builds the places of the diffusion operator of t. */
static void make_places(tissue *t)
{
    const mt_unknowns unknowns = {&t->mesh, t->diffusion.nodal != NULL};
    t->n = t->diffusion.n_unknowns;
    t->centre = mt_arena_alloc(&t->arena, t->n, sizeof *t->centre);
    t->activation_ms = mt_arena_alloc(&t->arena, t->n, sizeof *t->activation_ms);
    t->velocity = mt_arena_alloc(&t->arena, t->n, sizeof *t->velocity);
    t->stimulated = mt_arena_alloc(&t->arena, t->n, sizeof *t->stimulated);
    t->reason = mt_arena_alloc(&t->arena, t->n, sizeof *t->reason);
    for (size_t c = 0; c < t->n; c++) mt_unknowns_place(&unknowns, c, t->centre[c]);
}

/* Builds the velocity operator for the mesh of t. */
static void make(tissue *t)
{
    mt_adjacency adjacency;
    cr_assert_eq(mt_adjacency_make(&t->arena, &t->mesh, &adjacency), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_diffusion_make(&t->arena, &t->mesh, &adjacency, &mt_tissue_default,
                     &mt_diffusion_scheme_default, &t->diffusion),
        MT_OK, "%s", mt_message());
    make_places(t);
}

/* Same, with voltages at the vertices. */
static tissue at_vertices(tissue t)
{
    const mt_tissues tissues = {.n = 1, .tissue = &mt_tissue_default};
    const mt_watch nobody = {0};
    cr_assert_eq(mt_nodal_diffusion_make(&t.arena, &t.mesh, &tissues, NULL, &nobody, &t.diffusion), MT_OK,
        "%s", mt_message());
    make_places(&t);
    return t;
}

static tissue slab(const double size_mm[3], double edge_mm, mt_slab_cut cut)
{
    tissue t = {0};
    cr_assert_eq(mt_slab_make_cut(&t.arena, size_mm, edge_mm, cut, &t.mesh), MT_OK, "%s", mt_message());
    make(&t);
    return t;
}

static tissue gmsh_cube(double edge_mm)
{
    tissue t = {0};
    gmsh_box(&t.arena, edge_mm, &t.mesh);
    make(&t);
    return t;
}

static void find_within(tissue *t, double radius_mm, const uint8_t *stimulated)
{
    cr_assert_eq(mt_velocity(&t->mesh, &t->diffusion, radius_mm, t->activation_ms, stimulated, NULL,
                     t->velocity[0], t->reason),
        MT_OK, "%s", mt_message());
    for (size_t c = 0; c < t->n; c++)
        cr_assert_eq(isnan(t->velocity[c][0]), t->reason[c] != MT_VELOCITY_DEFINED, "element %zu", c);
}

static void find(tissue *t, const uint8_t *stimulated) { find_within(t, MT_VELOCITY_RADIUS_MM, stimulated); }

static void plane_wave(tissue *t, const double direction[3])
{
    for (size_t c = 0; c < t->n; c++) t->activation_ms[c] = mt_dot3(direction, t->centre[c]) / speed_mm_ms;
}

/* Returns the error of an element with velocity speed_mm_ms in a direction, or NaN if its velocity is undefined. */
static double error_of(const tissue *t, size_t element, const double direction[3])
{
    double expected[3];
    for (int k = 0; k < 3; k++) expected[k] = speed_mm_ms * direction[k];
    return sqrt(mt_square3(t->velocity[element], expected)) / speed_mm_ms;
}

static void expect_plane_waves(tissue t)
{
    static const double directions[][3] = {{1, 0, 0}, {0, -1, 0}, {0.48, -0.6, 0.64}};
    for (int d = 0; d < 3; d++) {
        plane_wave(&t, directions[d]);
        find(&t, NULL);
        for (size_t c = 0; c < t.n; c++)
            cr_assert_lt(error_of(&t, c, directions[d]), 1e-9, "direction %d, element %zu: %g", d, c,
                error_of(&t, c, directions[d]));
    }
    mt_arena_free(&t.arena);
}

/* In all elements, including those at the boundary. */
Test(velocity, a_plane_wave_has_its_cv_everywhere)
{
    expect_plane_waves(slab(cube_mm, 0.4, MT_SLAB_MIRRORED));
    expect_plane_waves(slab(cube_mm, 0.4, MT_SLAB_KUHN));
    expect_plane_waves(gmsh_cube(0.3));
}

Test(velocity, a_plane_wave_has_its_cv_at_all_vertices)
{
    expect_plane_waves(at_vertices(slab(cube_mm, 0.4, MT_SLAB_MIRRORED)));
    expect_plane_waves(at_vertices(gmsh_cube(0.3)));
}

/* Sets a spherical wave from a point 3 mm or more outside the cube. Returns the largest error over (radius / distance)^2, in the inner
 * part, where balls are complete, or everywhere. */
static double spherical_error(tissue *t, double radius_mm, bool inner_only)
{
    const double source[3] = {-2.2, -1.8, -1.4};
    double largest = 0;
    for (size_t c = 0; c < t->n; c++)
        t->activation_ms[c] = sqrt(mt_square3(t->centre[c], source)) / speed_mm_ms;
    find_within(t, radius_mm, NULL);
    for (size_t c = 0; c < t->n; c++) {
        double outward[3];
        bool inner = true;
        for (int k = 0; k < 3; k++) inner = inner && fabs(t->centre[c][k] - 0.8) < 0.8 - radius_mm;
        if (inner_only && !inner) continue;
        mt_minus3(t->centre[c], source, outward);
        const double distance = mt_length3(outward);
        for (int k = 0; k < 3; k++) outward[k] /= distance;
        const double error = error_of(t, c, outward) / pow(radius_mm / distance, 2);
        cr_assert(error < 10, "element %zu: %g", c, error);
        largest = fmax(largest, error);
    }
    return largest;
}

/* The third-order term of T is -z (x^2 + y^2) / (2 R^2), with z along the propagation. A second-order fit in a complete ball maps it to
 * -(2/7) r^2 z / (2 R^2), so the slowness has an error of (r / R)^2 / 7. Elements are either inside or outside a ball, and share fits. */
Test(velocity, cv_errors_of_a_spherical_wave_are_second_order_in_the_radius)
{
    tissue t = slab(cube_mm, 0.2, MT_SLAB_MIRRORED);
    cr_expect_lt(spherical_error(&t, 0.7, true), 0.2);
    cr_expect_lt(spherical_error(&t, 0.5, true), 0.2);
    cr_expect_lt(spherical_error(&t, 0.7, false), 0.5);
    cr_expect_lt(spherical_error(&t, 0.5, false), 0.5);
    mt_arena_free(&t.arena);
    t = gmsh_cube(0.15);
    cr_expect_lt(spherical_error(&t, 0.5, false), 0.5);
    mt_arena_free(&t.arena);
}

/* Returns the error for activation times with an error that alternates between elements, or from rounding to time steps. */
static double noisy_error(tissue t, double noise_ms, double step_ms)
{
    static const double oblique[3] = {0.48, -0.6, 0.64};
    double squares = 0;
    plane_wave(&t, oblique);
    for (size_t c = 0; c < t.n; c++) {
        t.activation_ms[c] += c % 2 ? noise_ms : -noise_ms;
        if (step_ms > 0) t.activation_ms[c] = step_ms * ceil(t.activation_ms[c] / step_ms);
    }
    find(&t, NULL);
    for (size_t c = 0; c < t.n; c++) squares += pow(error_of(&t, c, oblique), 2) / (double)t.n;
    mt_arena_free(&t.arena);
    return sqrt(squares);
}

Test(velocity, scatter_of_activation_times_is_averaged)
{
    const double size_mm[3] = {5, 4, 3};
    cr_expect_lt(noisy_error(slab(size_mm, 0.5, MT_SLAB_MIRRORED), 0.3, 0), 0.05);
    cr_expect_lt(noisy_error(slab(size_mm, 0.5, MT_SLAB_MIRRORED), 0, 0.1), 0.01);
    cr_expect_lt(noisy_error(gmsh_cube(0.2), 0, 0.1), 0.05);
}

/* Two plane waves along x that collide at middle_mm. */
static void expect_collision(tissue t, double radius_mm, double middle_mm)
{
    for (size_t c = 0; c < t.n; c++)
        t.activation_ms[c] = (middle_mm - fabs(t.centre[c][0] - middle_mm)) / speed_mm_ms;
    size_t n_turns = 0;
    find_within(&t, radius_mm, NULL);
    for (size_t c = 0; c < t.n; c++) {
        const double from_mm = t.centre[c][0] - middle_mm, part = fabs(from_mm) / radius_mm,
                     direction[3] = {from_mm < 0 ? 1 : -1, 0, 0}, error = error_of(&t, c, direction);
        if (part < 0.3) cr_assert(isnan(error), "at %g of the radius: off by %g", part, error);
        if (isnan(error)) cr_assert_geq(t.reason[c], MT_VELOCITY_UNEVEN);
        n_turns += t.reason[c] == MT_VELOCITY_TURNS;
        const double speed = mt_length3(t.velocity[c]) / speed_mm_ms;
        cr_assert(isnan(error) || (speed > 0.7 && speed < 1.7), "at %g of the radius: %g", part, speed);
        if (part > 1.25) cr_assert_lt(error, 1e-8, "at %g of the radius: %g", part, error);
    }
    cr_expect_gt(n_turns, 0);
    mt_arena_free(&t.arena);
}

Test(velocity, cv_is_undefined_at_collisions)
{
    const double size_mm[3] = {4, 1.2, 1.2};
    expect_collision(slab(size_mm, 0.2, MT_SLAB_MIRRORED), 0.6, 2);
    expect_collision(slab(size_mm, 0.2, MT_SLAB_MIRRORED), 0.6, 1.93);
    expect_collision(slab(size_mm, 0.2, MT_SLAB_KUHN), 0.6, 2);
}

/* Random times have no meaningful gradient. */
Test(velocity, cv_is_undefined_for_random_activation_times)
{
    tissue t = slab(cube_mm, 0.2, MT_SLAB_MIRRORED);
    unsigned long state = 1;
    for (size_t c = 0; c < t.n; c++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        t.activation_ms[c] = (double)(state >> 40);
    }
    find(&t, NULL);
    for (size_t c = 0; c < t.n; c++) cr_assert_eq(t.reason[c], MT_VELOCITY_UNEVEN, "element %zu", c);
    mt_arena_free(&t.arena);
}

/* The first 0.8 mm are activated at once, and propagation starts from there. The velocity is exact from the next element on. */
Test(velocity, stimulated_elements_have_no_cv_and_do_not_affect_others)
{
    static const double along[3] = {1, 0, 0};
    tissue t = slab(cube_mm, 0.2, MT_SLAB_MIRRORED);
    plane_wave(&t, along);
    for (size_t c = 0; c < t.n; c++) {
        t.stimulated[c] = t.centre[c][0] < 0.8;
        if (t.stimulated[c]) t.activation_ms[c] = 1;
    }
    find_within(&t, 0.5, t.stimulated);
    for (size_t c = 0; c < t.n; c++) {
        const double error = error_of(&t, c, along);
        cr_assert(t.stimulated[c] ? t.reason[c] == MT_VELOCITY_STIMULATED : error < 1e-9, "at %g mm: %g",
            t.centre[c][0], error);
    }
    mt_arena_free(&t.arena);
}

/* Only half of the cube is activated; elsewhere times are infinite or NaN. */
Test(velocity, unactivated_elements_have_no_cv_and_do_not_affect_others)
{
    static const double oblique[3] = {0.48, -0.6, 0.64};
    tissue t = slab(cube_mm, 0.2, MT_SLAB_MIRRORED);
    plane_wave(&t, oblique);
    for (size_t c = 0; c < t.n; c++)
        if (t.centre[c][0] > 0.8) t.activation_ms[c] = c % 2 ? NAN : INFINITY;
    find(&t, NULL);
    for (size_t c = 0; c < t.n; c++) {
        const double error = error_of(&t, c, oblique);
        cr_assert(t.centre[c][0] > 0.8 ? t.reason[c] == MT_VELOCITY_NOT_ACTIVATED : error < 1e-9,
            "at %g mm: %g", t.centre[c][0], error);
    }
    mt_arena_free(&t.arena);
}

/* The first 59 or 60 of the 162 elements of a cube are activated. */
Test(velocity, cv_needs_sixty_elements)
{
    static const double oblique[3] = {0.48, -0.6, 0.64};
    const double size_mm[3] = {1.2, 1.2, 1.2};
    for (size_t n = MT_VELOCITY_PLACES - 1; n <= MT_VELOCITY_PLACES; n++) {
        tissue t = slab(size_mm, 0.4, MT_SLAB_MIRRORED);
        plane_wave(&t, oblique);
        for (size_t c = n; c < t.n; c++) t.activation_ms[c] = INFINITY;
        find(&t, NULL);
        for (size_t c = 0; c < n; c++)
            cr_assert_eq(t.reason[c], n < MT_VELOCITY_PLACES ? MT_VELOCITY_FEW : MT_VELOCITY_DEFINED,
                "%zu elements, element %zu: %d", n, c, t.reason[c]);
        mt_arena_free(&t.arena);
    }
}

/* A bar of 2 x 2 boxes: the ball grows along it until it contains enough elements. */
Test(velocity, the_radius_increases_until_enough_elements_are_included)
{
    const double size_mm[3] = {10, 2, 2}, along[3] = {1, 0, 0};
    tissue t = slab(size_mm, 1, MT_SLAB_MIRRORED);
    plane_wave(&t, along);
    find_within(&t, 1, NULL);
    for (size_t c = 0; c < t.n; c++) cr_assert_lt(error_of(&t, c, along), 1e-8, "element %zu", c);
    mt_arena_free(&t.arena);
}

Test(velocity, cv_above_10_mm_per_ms_is_undefined)
{
    tissue t = slab(cube_mm, 0.4, MT_SLAB_MIRRORED);
    for (size_t c = 0; c < t.n; c++) t.activation_ms[c] = 3;
    find(&t, NULL);
    for (size_t c = 0; c < t.n; c++) cr_assert(isnan(t.velocity[c][0]), "element %zu", c);
    for (double speed = 9.9; speed < 10.2; speed += 0.2) {
        for (size_t c = 0; c < t.n; c++) t.activation_ms[c] = t.centre[c][1] / speed;
        find(&t, NULL);
        for (size_t c = 0; c < t.n; c++)
            cr_assert(speed > 10 ? isnan(t.velocity[c][1]) : fabs(t.velocity[c][1] - speed) < 1e-9);
    }
    mt_arena_free(&t.arena);
}

Test(velocity, cv_is_bit_identical_for_any_number_of_threads)
{
    tissue t = slab(cube_mm, 0.2, MT_SLAB_MIRRORED);
    for (size_t c = 0; c < t.n; c++)
        t.activation_ms[c] = mt_length3(t.centre[c]) / speed_mm_ms + 0.1 * sin((double)c);
    const size_t size = t.n * sizeof *t.velocity;
    omp_set_num_threads(1);
    find(&t, NULL);
    double(*one)[3] = t.velocity;
    t.velocity = mt_arena_alloc(&t.arena, t.n, sizeof *t.velocity);
    omp_set_num_threads(3);
    find(&t, NULL);
    cr_expect(memcmp(one, t.velocity, size) == 0);
    mt_arena_free(&t.arena);
}

/* Coarse elements have a fit each, fine ones share it. */
Test(velocity, wanted_elements_have_the_cv_that_they_have_among_all)
{
    static const double edge_mm[] = {0.4, 0.2};
    for (int fine = 0; fine < 2; fine++) {
        tissue t = slab(cube_mm, edge_mm[fine], MT_SLAB_MIRRORED);
        bool *wanted = mt_arena_alloc(&t.arena, t.n, sizeof *wanted);
        double(*some)[3] = mt_arena_alloc(&t.arena, t.n, sizeof *some);
        uint8_t *reason = mt_arena_alloc(&t.arena, t.n, sizeof *reason);
        for (size_t c = 0; c < t.n; c++) {
            t.activation_ms[c] = mt_length3(t.centre[c]) / speed_mm_ms + 0.1 * sin((double)c);
            wanted[c] = t.centre[c][0] > 0.8;
            some[c][0] = reason[c] = 77;
        }
        find(&t, NULL);
        cr_assert_eq(mt_velocity(&t.mesh, &t.diffusion, MT_VELOCITY_RADIUS_MM, t.activation_ms, NULL, wanted,
                         some[0], reason),
            MT_OK, "%s", mt_message());
        for (size_t c = 0; c < t.n; c++)
            if (wanted[c])
                cr_assert(memcmp(some[c], t.velocity[c], sizeof *some) == 0 && reason[c] == t.reason[c]);
            else
                cr_assert(some[c][0] == 77 && reason[c] == 77, "element %zu", c);
        mt_arena_free(&t.arena);
    }
}
