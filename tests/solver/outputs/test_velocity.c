/* Velocities from activation times that are known in closed form. */
#include <criterion/criterion.h>

#include <omp.h>
#include <string.h>

#include "data/vec3.h"
#include "mesh/make/slab.h"
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
    uint8_t *stimulated;
} tissue;

/* On the mesh that is there. */
static void make(tissue *t)
{
    mt_adjacency adjacency;
    t->n = t->mesh.n_elements;
    cr_assert_eq(mt_adjacency_make(&t->arena, &t->mesh, &adjacency), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_diffusion_make(&t->arena, &t->mesh, &adjacency, &mt_tissue_usual,
                     &mt_diffusion_scheme_usual, &t->diffusion),
        MT_OK, "%s", mt_message());
    t->centre = mt_arena_alloc(&t->arena, t->n, sizeof *t->centre);
    t->activation_ms = mt_arena_alloc(&t->arena, t->n, sizeof *t->activation_ms);
    t->velocity = mt_arena_alloc(&t->arena, t->n, sizeof *t->velocity);
    t->stimulated = mt_arena_alloc(&t->arena, t->n, sizeof *t->stimulated);
    for (size_t c = 0; c < t->n; c++) mt_mesh_centroid(&t->mesh, c, t->centre[c]);
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

static void find(tissue *t, const uint8_t *stimulated)
{
    cr_assert_eq(mt_velocity(&t->mesh, &t->diffusion, t->activation_ms, stimulated, t->velocity[0]), MT_OK,
        "%s", mt_message());
}

static void plane_wave(tissue *t, const double direction[3])
{
    for (size_t c = 0; c < t->n; c++) t->activation_ms[c] = mt_dot3(direction, t->centre[c]) / speed_mm_ms;
}

/* Of an element that moves at speed_mm_ms in a direction; NaN where no velocity is given. */
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
            cr_assert_lt(error_of(&t, c, directions[d]), 1e-10, "direction %d, element %zu: %g", d, c,
                error_of(&t, c, directions[d]));
    }
    mt_arena_free(&t.arena);
}

/* In all elements, those at the boundary too. */
Test(velocity, a_plane_wave_has_its_velocity_everywhere)
{
    expect_plane_waves(slab(cube_mm, 0.4, MT_SLAB_MIRRORED));
    expect_plane_waves(slab(cube_mm, 0.4, MT_SLAB_KUHN));
    expect_plane_waves(gmsh_cube(0.3));
}

/* How far off a wave from a point is in the middle of the cube, over its speed. */
typedef struct errors {
    double rms, mean_speed;
} errors;

static errors spherical_errors(double edge_mm)
{
    const double source[3] = {-2, -1.5, -1.1};
    tissue t = slab(cube_mm, edge_mm, MT_SLAB_MIRRORED);
    for (size_t c = 0; c < t.n; c++) t.activation_ms[c] = sqrt(mt_square3(t.centre[c], source)) / speed_mm_ms;
    find(&t, NULL);
    double squares = 0, sum = 0, n = 0;
    for (size_t c = 0; c < t.n; c++) {
        double outward[3];
        bool inner = true;
        for (int k = 0; k < 3; k++) inner = inner && fabs(t.centre[c][k] - 0.8) < 0.4;
        if (!inner) continue;
        mt_minus3(t.centre[c], source, outward);
        const double distance = mt_length3(outward);
        for (int k = 0; k < 3; k++) outward[k] /= distance;
        squares += pow(error_of(&t, c, outward), 2);
        sum += mt_length3(t.velocity[c]) / speed_mm_ms - 1;
        n++;
    }
    mt_arena_free(&t.arena);
    return (errors){sqrt(squares / n), fabs(sum / n)};
}

/* As the header says: first order at an element, second order in the mean. At 0.4 mm and some 3.5 mm from the source it is 1 %. */
Test(velocity, errors_of_a_spherical_wave_fall_with_the_elements)
{
    const errors coarse = spherical_errors(0.4), middle = spherical_errors(0.2), fine = spherical_errors(0.1);
    cr_expect_lt(coarse.rms, 0.01, "%g", coarse.rms);
    cr_expect_float_eq(coarse.rms / middle.rms, 2, 0.1, "%g, %g", coarse.rms, middle.rms);
    cr_expect_float_eq(middle.rms / fine.rms, 2, 0.1, "%g, %g", middle.rms, fine.rms);
    cr_expect_float_eq(
        coarse.mean_speed / middle.mean_speed, 4, 0.2, "%g, %g", coarse.mean_speed, middle.mean_speed);
    cr_expect_float_eq(
        middle.mean_speed / fine.mean_speed, 4, 0.2, "%g, %g", middle.mean_speed, fine.mean_speed);
}

/* Two plane waves along x, which meet at middle_mm: nothing is given where they do, a speed that is given beside it is off by a third
 * at most, and farther than two edges all is as if there were one wave. */
static void expect_collision(tissue t, double edge_mm, double middle_mm)
{
    for (size_t c = 0; c < t.n; c++)
        t.activation_ms[c] = (middle_mm - fabs(t.centre[c][0] - middle_mm)) / speed_mm_ms;
    find(&t, NULL);
    for (size_t c = 0; c < t.n; c++) {
        const double from_mm = t.centre[c][0] - middle_mm, edges = fabs(from_mm) / edge_mm,
                     direction[3] = {from_mm < 0 ? 1 : -1, 0, 0}, error = error_of(&t, c, direction);
        if (edges < 0.3) cr_assert(isnan(error), "%g edges from the collision: off by %g", edges, error);
        const double speed = mt_length3(t.velocity[c]) / speed_mm_ms;
        cr_assert(
            isnan(error) || (speed > 0.7 && speed < 1.33), "%g edges from the collision: %g", edges, speed);
        if (edges > 2) cr_assert_lt(error, 1e-10, "%g edges from the collision: %g", edges, error);
    }
    mt_arena_free(&t.arena);
}

Test(velocity, where_waves_collide_none_is_given)
{
    const double size_mm[3] = {4, 1.2, 1.2};
    expect_collision(slab(size_mm, 0.2, MT_SLAB_MIRRORED), 0.2, 2);
    expect_collision(slab(size_mm, 0.2, MT_SLAB_MIRRORED), 0.2, 1.93);
    expect_collision(slab(size_mm, 0.2, MT_SLAB_KUHN), 0.2, 2);
    expect_collision(gmsh_cube(0.15), 0.15, 0.47);
}

/* The first 0.8 mm are switched on at once, and the wave starts from there. Its velocity is exact from the first element on. */
Test(velocity, stimulated_elements_have_none_and_do_not_disturb_others)
{
    static const double along[3] = {1, 0, 0};
    tissue t = slab(cube_mm, 0.2, MT_SLAB_MIRRORED);
    plane_wave(&t, along);
    for (size_t c = 0; c < t.n; c++) {
        t.stimulated[c] = t.centre[c][0] < 0.8;
        if (t.stimulated[c]) t.activation_ms[c] = 1;
    }
    find(&t, t.stimulated);
    for (size_t c = 0; c < t.n; c++) {
        const double error = error_of(&t, c, along);
        cr_assert(t.stimulated[c] ? isnan(error) : error < 1e-10, "at %g mm: %g", t.centre[c][0], error);
    }
    mt_arena_free(&t.arena);
}

/* Only half of the cube was reached, infinite or NaN elsewhere. */
Test(velocity, elements_that_were_not_activated_have_none_and_do_not_disturb_others)
{
    static const double oblique[3] = {0.48, -0.6, 0.64};
    tissue t = slab(cube_mm, 0.2, MT_SLAB_MIRRORED);
    plane_wave(&t, oblique);
    for (size_t c = 0; c < t.n; c++)
        if (t.centre[c][0] > 0.8) t.activation_ms[c] = c % 2 ? NAN : INFINITY;
    find(&t, NULL);
    for (size_t c = 0; c < t.n; c++) {
        const double error = error_of(&t, c, oblique);
        cr_assert(t.centre[c][0] > 0.8 ? isnan(error) : error < 1e-10, "at %g mm: %g", t.centre[c][0], error);
    }
    mt_arena_free(&t.arena);
}

/* Of the elements in an inner one's row only those whose bits are set in `kept` were activated. Six times the volume between the
 * first four places that are left. */
static double keep_in_row(tissue *t, size_t element, unsigned kept)
{
    static const double oblique[3] = {0.48, -0.6, 0.64};
    const uint32_t *row = t->diffusion.column + MT_DIFFUSION_ROW * element;
    double edge[3][3], normal[3];
    int n = 0;
    plane_wave(t, oblique);
    for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) {
        if (row[k] == element) continue; /* padding */
        if (!(kept >> k & 1))
            t->activation_ms[row[k]] = INFINITY;
        else if (n < 3)
            mt_minus3(t->centre[row[k]], t->centre[element], edge[n++]);
    }
    find(t, NULL);
    mt_cross3(edge[0], edge[1], normal);
    return fabs(mt_dot3(normal, edge[2]));
}

/* All sets of three and of four elements of a row; where the first three of four lie in no plane with the element, four suffice. */
Test(velocity, four_neighbours_are_needed)
{
    tissue t = slab(cube_mm, 0.4, MT_SLAB_MIRRORED);
    const size_t element = t.n / 2 + 50;
    int n_three = 0, n_four = 0;
    size_t n_row = MT_DIFFUSION_ROW;
    while (t.diffusion.column[MT_DIFFUSION_ROW * element + n_row - 1] == element) n_row--;
    for (unsigned kept = 0; kept < 1u << n_row; kept++) {
        const int n = __builtin_popcount(kept);
        if (n != 3 && n != 4) continue;
        const bool spatial = keep_in_row(&t, element, kept) > 1e-9, given = !isnan(t.velocity[element][0]);
        if (n == 3) cr_assert(!given, "%x", kept);
        if (n == 4 && spatial) cr_assert(given, "%x", kept);
        n_three += n == 3 && spatial, n_four += n == 4 && spatial;
    }
    cr_expect(n_three > 100 && n_four > 100, "%d, %d", n_three, n_four);
    mt_arena_free(&t.arena);
}

/* The centres of the six elements of a box lie in one plane across its diagonal. */
Test(velocity, neighbours_in_one_plane_do_not_suffice)
{
    static const double oblique[3] = {0.48, -0.6, 0.64};
    const double size_mm[3] = {0.4, 0.4, 0.4};
    tissue t = slab(size_mm, 0.4, MT_SLAB_MIRRORED);
    cr_assert_eq(t.n, 6);
    plane_wave(&t, oblique);
    find(&t, NULL);
    for (size_t c = 0; c < t.n; c++) cr_assert(isnan(t.velocity[c][0]), "element %zu", c);
    mt_arena_free(&t.arena);
}

Test(velocity, above_10_mm_ms_none_is_given)
{
    tissue t = slab(cube_mm, 0.4, MT_SLAB_MIRRORED);
    for (size_t c = 0; c < t.n; c++) t.activation_ms[c] = 3;
    find(&t, NULL);
    for (size_t c = 0; c < t.n; c++) cr_assert(isnan(t.velocity[c][0]));
    for (double speed = 9.9; speed < 10.2; speed += 0.2) {
        for (size_t c = 0; c < t.n; c++) t.activation_ms[c] = t.centre[c][1] / speed;
        find(&t, NULL);
        for (size_t c = 0; c < t.n; c++)
            cr_assert(speed > 10 ? isnan(t.velocity[c][1]) : fabs(t.velocity[c][1] - speed) < 1e-9);
    }
    mt_arena_free(&t.arena);
}

Test(velocity, any_number_of_threads_gives_the_same_bits)
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
