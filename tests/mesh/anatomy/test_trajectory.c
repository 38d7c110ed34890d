/* Distances along trajectories. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/anatomy/trajectory.h"
#include "mesh/make/slab.h"
#include "tests/random.h"

static mt_arena arena;
static mt_mesh mesh;
static double *direction, *potential, *distance;
static uint8_t *start;
static uint64_t state = 815;

static void end(void) { mt_arena_free(&arena); }

TestSuite(trajectory, .fini = end);

/* A slab with vertices inside displaced by up to a fifth of an edge, all directions `along`, and potential `along` . x. */
static void slab(const double size[3], const double along[3])
{
    cr_assert_eq(mt_slab_make(&arena, size, 1, &mesh), MT_OK);
    for (size_t v = 0; v < mesh.n_vertices; v++)
        for (size_t k = 0; k < 3; k++) {
            double *x = mesh.xyz_mm + 3 * v + k;
            if (*x > 0 && *x < size[k]) *x += between(&state, -0.2, 0.2);
        }
    cr_assert_eq(mt_mesh_check(&mesh), MT_OK, "%s", mt_message());
    direction = mt_arena_alloc(&arena, 3 * mesh.n_elements, sizeof *direction);
    potential = mt_arena_alloc(&arena, mesh.n_vertices, sizeof *potential);
    distance = mt_arena_alloc(&arena, mesh.n_vertices, sizeof *distance);
    start = mt_arena_alloc(&arena, mesh.n_vertices, 1);
    for (size_t e = 0; e < mesh.n_elements; e++) memcpy(direction + 3 * e, along, 3 * sizeof *along);
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        const double *x = mesh.xyz_mm + 3 * v;
        potential[v] = along[0] * x[0] + along[1] * x[1] + along[2] * x[2];
    }
}

static mt_trajectories usual(void)
{
    return (mt_trajectories){.mesh = &mesh, .direction = direction, .potential = potential, .start = start};
}

static void measure(const mt_trajectories *t)
{
    cr_assert_eq(mt_trajectory_distance(t, distance), MT_OK, "%s", mt_message());
}

Test(trajectory, parallel_trajectories_have_exact_lengths_in_both_directions)
{
    const double size[3] = {6, 3, 3}, along[3] = {1, 0, 0};
    slab(size, along);
    for (int upstream = 0; upstream < 2; upstream++) {
        mt_trajectories t = usual();
        t.upstream = upstream;
        for (size_t v = 0; v < mesh.n_vertices; v++)
            start[v] = upstream ? mesh.xyz_mm[3 * v] >= 6 : mesh.xyz_mm[3 * v] <= 0;
        measure(&t);
        for (size_t v = 0; v < mesh.n_vertices; v++) {
            const double x = mesh.xyz_mm[3 * v];
            cr_assert_float_eq(distance[v], upstream ? 6 - x : x, 1e-9, "%zu", v);
        }
    }
}

/* Oblique trajectories start at the plane z = 0 of an infinitely wide slab; of a finite one also at its side x = 0. */
Test(trajectory, oblique_trajectories_are_longer_than_the_distance_of_the_planes)
{
    const double size[3] = {8, 3, 4}, along[3] = {0.6, 0, 0.8};
    slab(size, along);
    for (size_t v = 0; v < mesh.n_vertices; v++) start[v] = mesh.xyz_mm[3 * v + 2] <= 0;
    const mt_trajectories t = usual();
    measure(&t);
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        const double *x = mesh.xyz_mm + 3 * v;
        if (x[0] < x[2] * 0.75 + 3) continue; /* its trajectory comes from the side, or close to it */
        cr_assert_float_eq(distance[v], x[2] / 0.8, 0.01, "%zu", v);
    }
}

/* Circles around the edge x = y = 0, from y = 0: the length is the radius times the angle. Lines instead of arcs would have errors of first
 * order, 1/6 at the mean radius; curved steps have a tenth of that. */
Test(trajectory, curved_trajectories_have_the_length_of_arcs)
{
    const double size[3] = {8, 8, 2}, along[3] = {0};
    double worst = 0;
    slab(size, along);
    for (size_t e = 0; e < mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&mesh, e, x);
        direction[3 * e] = -x[1] / hypot(x[0], x[1]);
        direction[3 * e + 1] = x[0] / hypot(x[0], x[1]);
    }
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        const double *x = mesh.xyz_mm + 3 * v;
        potential[v] = atan2(x[1], x[0]);
        start[v] = x[1] <= 0;
    }
    const mt_trajectories t = usual();
    measure(&t);
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        const double *x = mesh.xyz_mm + 3 * v, r = hypot(x[0], x[1]);
        if (r < 3 || r > 7.5)
            continue; /* away from the axis, and within circles that do not leave the slab */
        worst = fmax(worst, fabs(distance[v] / (r * potential[v]) - 1) * (potential[v] > 0));
    }
    cr_assert_lt(worst, 0.03, "%g", worst);
}

/* Distances from a line inside the slab in all directions: a cone. Without straight rings they are too long by a share of an edge. */
Test(trajectory, distances_from_a_curve_are_those_of_a_cone)
{
    const double size[3] = {12, 12, 3}, along[3] = {0};
    double off[2] = {0};
    slab(size, along);
    for (size_t v = 0; v < mesh.n_vertices; v++) { /* the middle line is straight */
        double *x = mesh.xyz_mm + 3 * v;
        start[v] = hypot(x[0] - 6, x[1] - 6) < 0.4;
        if (start[v]) x[0] = x[1] = 6;
        potential[v] = hypot(x[0] - 6, x[1] - 6);
    }
    for (size_t e = 0; e < mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&mesh, e, x);
        direction[3 * e] = (x[0] - 6) / hypot(x[0] - 6, x[1] - 6);
        direction[3 * e + 1] = (x[1] - 6) / hypot(x[0] - 6, x[1] - 6);
    }
    for (unsigned rings = 0; rings < 2; rings++) {
        mt_trajectories t = usual();
        t.straight_rings = 2 * rings;
        measure(&t);
        for (size_t v = 0; v < mesh.n_vertices; v++)
            off[rings] += (distance[v] - potential[v]) / (double)mesh.n_vertices;
    }
    cr_assert(off[1] < 0.1 && off[1] < off[0] / 2, "%g, %g", off[0], off[1]);
}

/* A rough potential has minima everywhere, and directions that circle never reach the start; still every line must end there, so that
 * distances are positive and finite. The start is the only place with distance 0. */
Test(trajectory, lines_end_at_the_start_for_any_potential_and_directions)
{
    const double size[3] = {7, 5, 5}, along[3] = {1, 0, 0};
    slab(size, along);
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        start[v] = mesh.xyz_mm[3 * v] <= 0;
        potential[v] += between(&state, -3, 3);
    }
    for (size_t e = 0; e < mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&mesh, e, x);
        const double r = hypot(x[0] - 4, x[1] - 2.5);
        direction[3 * e] = e % 5 ? -(x[1] - 2.5) / r : 0; /* of every fifth element, unknown */
        direction[3 * e + 1] = e % 5 ? (x[0] - 4) / r : 0;
    }
    const mt_trajectories t = usual();
    measure(&t);
    for (size_t v = 0; v < mesh.n_vertices; v++)
        cr_assert(
            start[v] ? distance[v] == 0 : distance[v] >= 0 && distance[v] < 30, "%zu: %g", v, distance[v]);
}

/* Directions point to the start, so that lines lead away from it. At (2, 1, 1) the line ends at (3, 1, 1), which is a minimum of the
 * potential and whose way to the start is over (2, 1, 1): without raising the potential, these two would refer to each other. */
Test(trajectory, lines_leave_a_minimum_of_the_potential)
{
    const double size[3] = {5, 2, 2}, along[3] = {-1, 0, 0};
    slab(size, along);
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        double *x = mesh.xyz_mm + 3 * v;
        for (int k = 0; k < 3; k++) x[k] = round(x[k]);
        const bool middle = x[1] == 1 && x[2] == 1;
        start[v] = x[0] == 0;
        potential[v] = middle && x[0] == 3 ? 0.5 : middle && x[0] == 2 ? 1.9 : x[0];
    }
    const mt_trajectories t = usual();
    measure(&t);
    for (size_t v = 0; v < mesh.n_vertices; v++)
        cr_assert(
            start[v] ? distance[v] == 0 : distance[v] >= 0 && distance[v] < 30, "%zu: %g", v, distance[v]);
}

/* Two halves of a slab, of which one counts at a time, and a start in only one of them. */
Test(trajectory, only_active_elements_connect_vertices_to_the_start)
{
    const double size[3] = {6, 2, 2}, along[3] = {1, 0, 0};
    slab(size, along);
    uint8_t *half = mt_arena_alloc(&arena, mesh.n_elements, 1);
    for (size_t e = 0; e < mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&mesh, e, x);
        half[e] = x[0] > 3;
    }
    for (size_t v = 0; v < mesh.n_vertices; v++) start[v] = mesh.xyz_mm[3 * v] <= 0, distance[v] = -7;
    mt_trajectories t = usual();
    t.active = half;
    measure(&t);
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        const double x = mesh.xyz_mm[3 * v];
        cr_assert(
            x < 2.7 ? fabs(distance[v] - x) < 0.4 : x < 3.3 || distance[v] == -7, "%zu: %g", v, distance[v]);
    }
    t.active_value = 1;
    measure(&t);
    for (size_t v = 0; v < mesh.n_vertices; v++)
        if (mesh.xyz_mm[3 * v] > 3.3) cr_assert(isinf(distance[v]), "%zu: %g", v, distance[v]);
}
