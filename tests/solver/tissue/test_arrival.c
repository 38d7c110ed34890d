/* The expected latest activation time. */
#include <criterion/criterion.h>

#include <math.h>

#include "mesh/make/slab.h"
#include "solver/tissue/arrival.h"

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(arrival, .fini = leave);

static void make_slab(double edge_mm, mt_mesh *mesh)
{
    cr_assert_eq(mt_slab_make(&arena, (const double[]){12, 6, 2}, edge_mm, mesh), MT_OK);
}

/* From the corner at 0 to the opposite one: not earlier than along a straight line, and at most a quarter later. */
Test(arrival, the_latest_arrival_follows_the_path_along_edges_at_anisotropic_cv)
{
    const uint32_t first = 0;
    mt_mesh mesh;
    double latest_ms;
    make_slab(0.5, &mesh);
    cr_assert_eq(mt_arrival_latest(&mesh, 1, &first, 0.6, 0.3, &latest_ms), MT_OK);
    const double straight_ms = hypot(11.5 / 0.6, hypot(5.5, 1.5) / 0.3);
    cr_assert(latest_ms >= straight_ms && latest_ms <= 1.25 * straight_ms, "%g ms, straight %g", latest_ms,
        straight_ms);
}

/* All of one end is activated at the start, and edges lead straight to the other. */
Test(arrival, the_shortest_path_is_used)
{
    mt_mesh mesh;
    double latest_ms;
    size_t n = 0;
    make_slab(0.5, &mesh);
    uint32_t *end = mt_arena_alloc(&arena, mesh.n_elements, sizeof *end);
    for (uint32_t c = 0; c < mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        if (x[0] < 0.5) end[n++] = c;
    }
    cr_assert_eq(mt_arrival_latest(&mesh, n, end, 0.6, 0.3, &latest_ms), MT_OK);
    cr_assert_float_eq(latest_ms, 11.5 / 0.6, 1e-9, "%g ms", latest_ms);
}

Test(arrival, without_fibres_the_transverse_cv_is_used)
{
    const uint32_t first = 0;
    mt_mesh mesh;
    double latest_ms;
    make_slab(0.5, &mesh);
    mesh.fibre = NULL;
    cr_assert_eq(mt_arrival_latest(&mesh, 1, &first, 0.6, 0.3, &latest_ms), MT_OK);
    const double straight_ms = hypot(11.5, hypot(5.5, 1.5)) / 0.3;
    cr_assert(latest_ms >= straight_ms && latest_ms <= 1.25 * straight_ms, "%g ms, straight %g", latest_ms,
        straight_ms);
}

Test(arrival, stimulation_everywhere_has_arrival_times_of_0)
{
    mt_mesh mesh;
    double latest_ms;
    make_slab(2, &mesh);
    uint32_t *all = mt_arena_alloc(&arena, mesh.n_elements, sizeof *all);
    for (uint32_t c = 0; c < mesh.n_elements; c++) all[c] = c;
    cr_assert_eq(mt_arrival_latest(&mesh, mesh.n_elements, all, 0.6, 0.3, &latest_ms), MT_OK);
    cr_assert_eq(latest_ms, 0);
}
