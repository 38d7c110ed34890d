#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/info.h"
#include "mesh/make/refine.h"
#include "mesh/make/slab.h"
#include "tests/answers.h"
#include "mesh/triangles.h"
#include "tests/mesh/check_adjacency.h"
#include "tests/mesh/faces.h"
#include "tests/random.h"

static uint64_t state = 2024;

static double uniform(void) { return between(&state, 0, 1); }

/* 3 x 2 x 2 boxes of 1 mm with all optional data; the lower side is tagged 7 and 8 alternately, and one triangle is not a face. Vertices
 * are displaced by up to `jitter` in each direction. */
static void slab(mt_arena *arena, double jitter, mt_mesh *mesh)
{
    uint32_t f = 0;
    ok(mt_slab_make_cut(arena, (double[]){3, 2, 2}, 1, MT_SLAB_KUHN, mesh));
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) mesh->xyz_mm[k] += jitter * (2 * uniform() - 1);
    mesh->sheet = mt_arena_alloc(arena, 3 * mesh->n_elements, sizeof *mesh->sheet);
    mesh->depth = mt_arena_alloc(arena, mesh->n_elements, sizeof *mesh->depth);
    mesh->layer = mt_arena_alloc(arena, mesh->n_elements, sizeof *mesh->layer);
    cr_assert(mesh->sheet && mesh->depth && mesh->layer);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const double a = (double)c;
        mesh->region[c] = (int32_t)c - 9, mesh->layer[c] = (int32_t)(c % 3) + 1, mesh->depth[c] = a / 100;
        memcpy(mesh->fibre + 3 * c, (double[]){cos(a), sin(a), 0}, 3 * sizeof(double));
        memcpy(mesh->sheet + 3 * c, (double[]){-sin(a), cos(a), 0}, 3 * sizeof(double));
    }
    ok(mt_mesh_new_faces(arena, 13, mesh));
    for (uint32_t y = 0; y < 2; y++)
        for (uint32_t x = 0; x < 3; x++) {
            const uint32_t v = 4 * y + x, corner[6] = {v, v + 5, v + 1, v, v + 4, v + 5};
            memcpy(mesh->face_vertex + (size_t)6 * (f / 2), corner, sizeof corner);
            mesh->face_tag[f++] = 7, mesh->face_tag[f++] = 8;
        }
    memcpy(mesh->face_vertex + 36, (uint32_t[]){0, 1, 35}, 3 * sizeof(uint32_t));
    mesh->face_tag[12] = 9;
    ok(mt_mesh_check(mesh));
}

/* Coordinates below 4 and edges of about 1 mm round a volume of 1/6 by a few 1e-16 * 4: relative 1e-14; a child, an eighth with edges of a
 * half, by twice as much. Sum of some hundred: 1e-12. */
Test(refine, each_element_has_eight_consecutive_children_of_an_eighth_of_its_volume)
{
    mt_arena arena = {0};
    mt_mesh coarse, fine;
    slab(&arena, 0.15, &coarse);
    ok(mt_refine(&arena, &coarse, &fine));
    ok(mt_mesh_check(&fine));
    cr_assert_eq(fine.n_elements, 8 * coarse.n_elements);
    for (size_t c = 0; c < coarse.n_elements; c++) {
        const double volume = mt_mesh_volume_mm3(&coarse, c);
        double middle[3], mean[3] = {0};
        mt_mesh_centroid(&coarse, c, middle);
        for (size_t k = 8 * c; k < 8 * c + 8; k++) {
            double child[3];
            cr_assert_float_eq(mt_mesh_volume_mm3(&fine, k), volume / 8, 1e-13 * volume, "child %zu", k);
            mt_mesh_centroid(&fine, k, child);
            for (int i = 0; i < 3; i++) mean[i] += child[i] / 8;
        }
        for (int i = 0; i < 3; i++) cr_assert_float_eq(mean[i], middle[i], 1e-14);
    }
    mt_arena_free(&arena);
}

/* A ball, so V - E + F - C = 1 before and after; one midpoint per edge, and two more for the triangle that is not a face. */
Test(refine, the_refined_mesh_is_conforming_and_its_surface_unchanged)
{
    mt_arena arena = {0};
    mt_mesh mesh[3];
    mt_adjacency adjacency[3];
    mt_info info[3];
    slab(&arena, 0.15, &mesh[0]);
    for (int k = 0; k < 3; k++) {
        if (k > 0) ok(mt_refine(&arena, &mesh[k - 1], &mesh[k]));
        ok(mt_mesh_check(&mesh[k]));
        ok(mt_adjacency_make(&arena, &mesh[k], &adjacency[k]));
        ok(adjacency_check(&adjacency[k]));
        ok(mt_info_make(&mesh[k], &adjacency[k], &info[k]));
    }
    for (int k = 1; k < 3; k++) {
        cr_assert_eq(info[k].n_boundary_faces, 4 * info[k - 1].n_boundary_faces);
        cr_assert_eq(info[k].n_components, 1);
        cr_assert_float_eq(
            boundary_area(&mesh[k], &adjacency[k]), boundary_area(&mesh[0], &adjacency[0]), 1e-11);
        cr_assert_float_eq(info[k].volume_mm3, info[0].volume_mm3, 1e-11);
    }
    cr_assert_eq(info[1].n_vertices, info[0].n_vertices + info[0].n_edges + 2);
    for (int k = 0; k < 2; k++) {
        const size_t used = info[k].n_vertices - (k == 1 ? 2 : 0);
        cr_assert_eq(used + info[k].n_inner_faces + info[k].n_boundary_faces,
            1 + info[k].n_edges + info[k].n_elements);
    }
    mt_arena_free(&arena);
}

/* The corner children of a regular element are regular. The octahedron of edge 1 has R = sqrt(2) / 2, also for its quarters, of volume
 * sqrt(2) / 12 and areas 2 sqrt(3) / 4 + 2 / 2: 3 r / R = 1.5 / (1 + sqrt(3) / 2). Few roundings: 1e-14. */
Test(refine, children_of_a_regular_element_have_the_analytical_shapes)
{
    mt_arena arena = {0};
    mt_mesh coarse, fine;
    ok(mt_mesh_new(&arena, 4, 1, &coarse));
    memcpy(coarse.xyz_mm, (double[]){1, 1, 1, -1, -1, 1, 1, -1, -1, -1, 1, -1}, 12 * sizeof(double));
    for (uint32_t k = 0; k < 4; k++) coarse.element_vertex[k] = k;
    (void)mt_mesh_orient(&coarse);
    ok(mt_refine(&arena, &coarse, &fine));
    for (size_t c = 0; c < 8; c++)
        cr_assert_float_eq(
            mt_info_quality(&fine, c), c < 4 ? 1 : 1.5 / (1 + sqrt(3) / 2), 1e-14, "child %zu", c);
    mt_arena_free(&arena);
}

Test(refine, children_inherit_all_data_of_their_parent)
{
    mt_arena arena = {0};
    mt_mesh coarse, fine;
    slab(&arena, 0, &coarse);
    ok(mt_refine(&arena, &coarse, &fine));
    for (size_t c = 0; c < fine.n_elements; c++) {
        cr_assert(fine.region[c] == coarse.region[c / 8] && fine.layer[c] == coarse.layer[c / 8]);
        cr_assert_eq(fine.depth[c], coarse.depth[c / 8]);
        cr_assert_arr_eq(fine.fibre + 3 * c, coarse.fibre + 3 * (c / 8), 3 * sizeof(double));
        cr_assert_arr_eq(fine.sheet + 3 * c, coarse.sheet + 3 * (c / 8), 3 * sizeof(double));
    }
    coarse.fibre = coarse.sheet = coarse.depth = NULL, coarse.layer = NULL;
    ok(mt_refine(&arena, &coarse, &fine));
    cr_assert(!fine.fibre && !fine.sheet && !fine.depth && !fine.layer);
    mt_arena_free(&arena);
}

Test(refine, a_tagged_triangle_becomes_four_with_its_tag)
{
    mt_arena arena = {0};
    mt_mesh coarse, fine;
    mt_adjacency adjacency;
    slab(&arena, 0.15, &coarse);
    ok(mt_refine(&arena, &coarse, &fine));
    ok(mt_adjacency_make(&arena, &fine, &adjacency));
    cr_assert_eq(fine.n_faces, 4 * coarse.n_faces);
    for (size_t f = 0; f < fine.n_faces; f++) {
        cr_assert_eq(fine.face_tag[f], coarse.face_tag[f / 4]);
        cr_assert_float_eq(mt_triangle_mm2(&fine, f), mt_triangle_mm2(&coarse, f / 4) / 4, 1e-14);
        cr_assert_eq(is_outer_face(&fine, &adjacency, fine.face_vertex + 3 * f), f < 48, "triangle %zu", f);
    }
    mt_arena_free(&arena);
}

static double distance(const mt_mesh *mesh, const double *a, uint32_t b)
{
    const double *p = mesh->xyz_mm + 3 * (size_t)b;
    return hypot(hypot(a[0] - p[0], a[1] - p[1]), a[2] - p[2]);
}

/* The octahedron's children begin with the ends of its diagonal. In any element no pair of midpoints of opposite edges is closer. */
Test(refine, the_shortest_of_three_diagonals_is_chosen)
{
    static const int opposite[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
    mt_arena arena = {0};
    mt_mesh coarse, fine;
    int chosen[3] = {0};
    slab(&arena, 0.15, &coarse);
    ok(mt_refine(&arena, &coarse, &fine));
    for (size_t c = 0; c < coarse.n_elements; c++) {
        const uint32_t *child = fine.element_vertex + 4 * (8 * c + 4);
        const double length = distance(&fine, fine.xyz_mm + 3 * (size_t)child[0], child[1]);
        for (int d = 0; d < 3; d++) {
            double apart[3];
            for (size_t k = 0; k < 3; k++) {
                double x[4];
                for (int i = 0; i < 4; i++)
                    x[i] =
                        coarse.xyz_mm[3 * (size_t)coarse.element_vertex[4 * c + (size_t)opposite[d][i]] + k];
                apart[k] = (x[0] + x[1] - x[2] - x[3]) / 2;
            }
            const double other = hypot(hypot(apart[0], apart[1]), apart[2]);
            cr_assert(length <= other + 1e-14, "element %zu: length %g, other diagonal %g", c, length, other);
            chosen[d] += fabs(length - other) < 1e-14;
        }
    }
    cr_assert(chosen[0] > 0 && chosen[1] > 0 && chosen[2] > 0,
        "each diagonal must be the shortest in some element");
    mt_arena_free(&arena);
}

static int compare_places(const void *left, const void *right)
{
    const double *a = left, *b = right;
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static void child_places(const mt_mesh *fine, size_t parent, double place[24])
{
    for (size_t k = 0; k < 8; k++) mt_mesh_centroid(fine, 8 * parent + k, place + 3 * k);
    qsort(place, 8, 3 * sizeof *place, compare_places);
}

/* In a slab of boxes two diagonals of each element have the same length; all coordinates are exact. */
Test(refine, the_choice_between_equal_diagonals_does_not_depend_on_the_numbering)
{
    static const int even[3][4] = {{1, 2, 0, 3}, {3, 0, 2, 1}, {1, 0, 3, 2}};
    mt_arena arena = {0};
    mt_mesh coarse, fine, other;
    slab(&arena, 0, &coarse);
    ok(mt_refine(&arena, &coarse, &fine));
    mt_mesh turned = coarse;
    const size_t n = coarse.n_elements;
    for (int p = 0; p < 3; p++) {
        turned.element_vertex = mt_arena_alloc(&arena, 4 * n, sizeof *turned.element_vertex);
        for (size_t c = 0; c < n; c++)
            for (size_t k = 0; k < 4; k++)
                turned.element_vertex[4 * (n - 1 - c) + k] =
                    coarse.element_vertex[4 * c + (size_t)even[p][k]];
        ok(mt_refine(&arena, &turned, &other));
        for (size_t c = 0; c < n; c++) {
            double here[24], there[24];
            child_places(&fine, c, here), child_places(&other, n - 1 - c, there);
            cr_assert_arr_eq(here, there, sizeof here, "element %zu", c);
        }
    }
    mt_arena_free(&arena);
}

/* Such meshes exceed the memory, and the arrays are not allocated. */
Test(refine, meshes_beyond_32_bits_are_rejected_before_allocation)
{
    const mt_mesh large[] = {{.n_elements = UINT32_MAX / 8 + 1, .n_vertices = 4},
        {.n_elements = 1, .n_faces = 1u << 30},
        {.n_elements = 1u << 28, .n_vertices = UINT32_MAX - 6u * (1u << 28)}};
    for (size_t k = 0; k < 3; k++) {
        mt_arena arena = {0};
        mt_mesh fine;
        mt_arena_fail_at(1);
        cr_assert_eq(mt_refine(&arena, &large[k], &fine), MT_INPUT, "mesh %zu", k);
        mt_arena_fail_at(0);
        cr_assert(
            strstr(mt_message(), " vertices; allowed: fewer than 4294967295 of each"), "%s", mt_message());
    }
    const mt_mesh small = {.n_elements = 6, .n_vertices = 8};
    ok(mt_refine_check(&small, 9));
    cr_assert_eq(mt_refine_check(&small, 10), MT_INPUT); /* 6 * 8^10 */
    ok(mt_refine_check(&(mt_mesh){0}, 1000000));
}

Test(refine, out_of_memory_is_reported_without_a_leak)
{
    mt_arena lasting = {0};
    mt_mesh coarse;
    mt_status status = MT_MEMORY;
    slab(&lasting, 0, &coarse);
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_mesh fine;
        mt_arena_fail_at(n);
        status = mt_refine(&arena, &coarse, &fine);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK ? n > 10 : status == MT_MEMORY, "take %zu", n);
    }
    mt_arena_free(&lasting);
}
