/* Decimated triangles and tetrahedra: all are part of the mesh, within the reported error. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/decimate.h"
#include "data/core/vec3.h"
#include "mesh/adjacency.h"
#include "mesh/make/slab.h"
#include "mesh/triangles.h"
#include "tests/random.h"

static mt_arena arena;
static mt_mesh mesh;
static mt_display_cells boundary, all;

/* Builds a bent slab of 12 x 6 x 3 mm with about 12,000 elements. */
static void enter(void)
{
    mt_adjacency adjacency;
    cr_assert_eq(mt_slab_make(&arena, (double[]){12, 6, 3}, 0.5, &mesh), MT_OK, "%s", mt_message());
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        double *x = mesh.xyz_mm + 3 * v;
        x[2] += 0.05 * x[0] * x[0] + 0.3 * sin(x[1]);
    }
    cr_assert_eq(mt_mesh_check(&mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_display_cells_boundary(&arena, &mesh, adjacency.neighbour, &boundary), MT_OK, "%s", mt_message());
    all = (mt_display_cells){mesh.n_elements, 4, mesh.element_vertex, NULL};
}

static void leave(void) { mt_arena_free(&arena); }

TestSuite(decimate, .init = enter, .fini = leave);

static const double *place(uint32_t vertex) { return mesh.xyz_mm + 3 * (size_t)vertex; }

static mt_coarse coarse_of(const mt_display_cells *cells, size_t most)
{
    mt_coarse coarse;
    cr_assert_eq(mt_coarse_make(&arena, &mesh, cells, most, &coarse), MT_OK, "%s", mt_message());
    return coarse;
}

/* Searches all triangles of the boundary. */
static double distance_to_boundary(const double x[3])
{
    double nearest = INFINITY;
    for (size_t t = 0; t < boundary.n; t++) {
        double corner[3][3];
        for (size_t k = 0; k < 3; k++) memcpy(corner[k], place(boundary.vertex[3 * t + k]), sizeof corner[k]);
        nearest = fmin(nearest, mt_triangle_distance_squared(corner, x));
    }
    return sqrt(nearest);
}

Test(decimate, every_drawn_point_is_within_the_stated_error_of_the_surface)
{
    static const size_t most[] = {400, 100, 30};
    uint64_t state = 1;
    for (size_t m = 0; m < 3; m++) {
        const mt_coarse coarse = coarse_of(&boundary, most[m]);
        double farthest = 0;
        for (size_t t = 0; t < coarse.n; t++)
            for (int i = 0; i < 3; i++) {
                double weight[3], sum = 0, x[3] = {0};
                for (int k = 0; k < 3; k++) sum += weight[k] = between(&state, 0, 1);
                for (size_t k = 0; k < 3; k++)
                    for (size_t d = 0; d < 3; d++)
                        x[d] += weight[k] / sum * place(coarse.vertex[coarse.corner[3 * t + k]])[d];
                farthest = fmax(farthest, distance_to_boundary(x));
            }
        cr_expect_leq(farthest, coarse.error_mm * (1 + 1e-9), "at most %zu vertices", most[m]);
        cr_expect_gt(farthest, 0.02 * coarse.error_mm, "at most %zu vertices: %g of %g", most[m], farthest,
            coarse.error_mm);
        cr_expect_leq(coarse.error_mm, sqrt(3) * coarse.cube_mm * (1 + 1e-9));
        cr_expect_gt(coarse.error_mm, 0);
    }
}

Test(decimate, the_error_bounds_the_distance_of_a_vertex_to_its_representative)
{
    const mt_coarse coarse = coarse_of(&boundary, 100);
    double farthest = 0;
    for (size_t k = 0; k < 3 * boundary.n; k++) {
        double nearest = INFINITY;
        for (size_t v = 0; v < coarse.n_vertices; v++)
            nearest = fmin(nearest, mt_square3(place(boundary.vertex[k]), place(coarse.vertex[v])));
        farthest = fmax(farthest, sqrt(nearest));
    }
    cr_expect_leq(farthest, coarse.error_mm * (1 + 1e-9));
    cr_expect_gt(farthest, 0.3 * coarse.error_mm);
}

Test(decimate, the_number_of_vertices_is_close_to_the_limit_and_not_above_it)
{
    for (size_t most = 20; most < 1200; most *= 2) {
        const mt_coarse surface = coarse_of(&boundary, most), cut = coarse_of(&all, most);
        cr_expect(surface.n_vertices <= most && surface.n_vertices > most / 4, "%zu of %zu",
            surface.n_vertices, most);
        cr_expect(cut.n_vertices <= most && cut.n_vertices > most / 4, "%zu of %zu", cut.n_vertices, most);
    }
}

static int compare(const void *a, const void *b) { return memcmp(a, b, 4 * sizeof(uint32_t)); }

static void check_cells(const mt_coarse *coarse)
{
    uint32_t(*set)[4] = mt_arena_alloc(&arena, coarse->n, sizeof *set);
    uint8_t *used = mt_arena_alloc(&arena, coarse->n_vertices, 1);
    cr_assert(set && used);
    for (size_t c = 0; c < coarse->n; c++) {
        const uint32_t *corner = coarse->corner + c * coarse->corners;
        for (size_t k = 0; k < coarse->corners; k++) {
            cr_assert_lt(corner[k], coarse->n_vertices);
            set[c][k] = corner[k] + 1, used[corner[k]] = 1;
        }
        qsort(set[c], 4, sizeof **set, mt_compare_ids);
        for (size_t k = 5 - coarse->corners; k < 4; k++) cr_assert_neq(set[c][k], set[c][k - 1], "%zu", c);
    }
    qsort(set, coarse->n, sizeof *set, compare);
    for (size_t c = 1; c < coarse->n; c++) cr_assert_neq(compare(set[c], set[c - 1]), 0, "twice");
    for (size_t v = 0; v < coarse->n_vertices; v++) cr_assert(used[v], "vertex %zu is unused", v);
}

Test(decimate, no_cell_is_degenerate_or_duplicated_and_every_vertex_is_used)
{
    for (size_t most = 20; most < 6000; most *= 3) {
        const mt_coarse surface = coarse_of(&boundary, most), cut = coarse_of(&all, most);
        check_cells(&surface);
        check_cells(&cut);
        cr_expect(surface.n > 10 && cut.n > 10);
    }
}

/* Returns six times the volume inside closed triangles, or of tetrahedra. */
static double volume_six(const mt_coarse *coarse)
{
    static const double origin[3];
    double sum = 0;
    for (size_t c = 0; c < coarse->n; c++) {
        const uint32_t *corner = coarse->corner + c * coarse->corners;
        const double *from = coarse->corners == 4 ? place(coarse->vertex[corner[0]]) : origin;
        double side[3][3], area[3];
        for (size_t k = 0; k < 3; k++)
            mt_minus3(place(coarse->vertex[corner[k + coarse->corners - 3]]), from, side[k]);
        mt_cross3(side[0], side[1], area);
        const double six = mt_dot3(area, side[2]);
        if (coarse->corners == 4) cr_assert_gt(six, 0, "%zu", c);
        sum += six;
    }
    return sum;
}

Test(decimate, triangles_face_outward_and_tetrahedra_are_positively_oriented)
{
    double whole = 0;
    for (size_t c = 0; c < mesh.n_elements; c++) whole += 6 * mt_mesh_volume_mm3(&mesh, c);
    mt_coarse coarse = coarse_of(&boundary, 500);
    cr_expect_float_eq(volume_six(&coarse), whole, 0.2 * whole);
    coarse = coarse_of(&all, 1500);
    cr_expect_float_eq(volume_six(&coarse), whole, 0.35 * whole);
}

Test(decimate, nothing_is_decimated_below_the_limit)
{
    double whole = 0;
    for (size_t c = 0; c < mesh.n_elements; c++) whole += 6 * mt_mesh_volume_mm3(&mesh, c);
    const mt_coarse surface = coarse_of(&boundary, 1000000), cut = coarse_of(&all, mesh.n_vertices);
    cr_expect(surface.n == boundary.n && surface.error_mm == 0);
    cr_expect(cut.n == mesh.n_elements && cut.n_vertices == mesh.n_vertices && cut.error_mm == 0);
    cr_expect_float_eq(volume_six(&surface), whole, 1e-9 * whole);
    cr_expect_float_eq(volume_six(&cut), whole, 1e-9 * whole);
    for (size_t t = 0; t < surface.n; t++) { /* a face of its element */
        const uint32_t *of = mesh.element_vertex + 4 * (size_t)surface.element[t];
        for (size_t k = 0; k < 3; k++) {
            const uint32_t v = surface.vertex[surface.corner[3 * t + k]];
            cr_assert(v == of[0] || v == of[1] || v == of[2] || v == of[3], "triangle %zu", t);
        }
    }
}

Test(decimate, a_cell_is_within_the_stated_error_of_its_element)
{
    const mt_coarse coarse = coarse_of(&boundary, 100);
    for (size_t t = 0; t < coarse.n; t++)
        for (size_t k = 0; k < 3; k++) {
            double nearest = INFINITY;
            for (size_t i = 0; i < 4; i++)
                nearest = fmin(nearest, mt_square3(place(coarse.vertex[coarse.corner[3 * t + k]]),
                                            place(mesh.element_vertex[4 * (size_t)coarse.element[t] + i])));
            cr_assert_leq(sqrt(nearest), coarse.error_mm * (1 + 1e-9), "triangle %zu", t);
        }
}

/* The surfaces of two plates, 0.1 mm apart. */
Test(decimate, adjacent_walls_are_not_merged)
{
    mt_adjacency adjacency;
    mt_mesh plates, *one = &mesh;
    const size_t n = mesh.n_vertices, m = mesh.n_elements;
    cr_assert_eq(mt_mesh_new(&arena, 2 * n, 2 * m, &plates), MT_OK);
    for (size_t k = 0; k < 6 * n; k++)
        plates.xyz_mm[k] = one->xyz_mm[k % (3 * n)] + (k >= 3 * n && k % 3 == 1 ? 6.1 : 0);
    for (size_t k = 0; k < 8 * m; k++)
        plates.element_vertex[k] = one->element_vertex[k % (4 * m)] + (k >= 4 * m ? (uint32_t)n : 0);
    mesh = plates;
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_display_cells_boundary(&arena, &mesh, adjacency.neighbour, &boundary), MT_OK);
    const mt_coarse coarse = coarse_of(&boundary, 200);
    cr_expect_gt(coarse.cube_mm, 0.5);
    size_t of_first = 0;
    for (size_t t = 0; t < coarse.n; t++) {
        size_t in_first = 0;
        for (size_t k = 0; k < 3; k++) in_first += coarse.vertex[coarse.corner[3 * t + k]] < n;
        cr_assert(in_first == 0 || in_first == 3, "triangle %zu joins both", t);
        of_first += in_first / 3;
    }
    cr_expect(of_first > 50 && coarse.n - of_first > 50);
}

Test(decimate, decimation_is_reproducible)
{
    const mt_coarse a = coarse_of(&all, 300), b = coarse_of(&all, 300);
    cr_assert(a.n == b.n && a.n_vertices == b.n_vertices && a.error_mm == b.error_mm);
    cr_expect_arr_eq(a.corner, b.corner, a.n * 4 * sizeof *a.corner);
    cr_expect_arr_eq(a.vertex, b.vertex, a.n_vertices * sizeof *a.vertex);
}

/* An isolated vertex, and a mesh with all vertices in one place. */
Test(decimate, a_mesh_with_all_vertices_in_one_place_decimates_to_nothing)
{
    for (size_t v = 0; v < mesh.n_vertices; v++) memcpy(mesh.xyz_mm + 3 * v, mesh.xyz_mm, 3 * sizeof(double));
    const mt_coarse coarse = coarse_of(&boundary, 10);
    cr_expect(coarse.n == 0 && coarse.n_vertices == 0 && coarse.error_mm == 0);
}
