#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/info.h"
#include "mesh/make/bisect.h"
#include "mesh/make/slab.h"
#include "mesh/names.h"
#include "tests/answers.h"
#include "mesh/triangles.h"
#include "tests/mesh/check_adjacency.h"
#include "tests/mesh/faces.h"
#include "tests/random.h"

static uint64_t state = 1984;

/* 4 x 3 x 2 boxes of 1 mm, with vertices displaced by up to `jitter`, all optional data, and region c - 9 for element c. The lower side is
 * tagged 7 and 8 alternately; one triangle is not a face. */
static void slab(mt_arena *arena, double jitter, mt_mesh *mesh)
{
    uint32_t f = 0;
    ok(mt_slab_make_cut(arena, (double[]){4, 3, 2}, 1, MT_SLAB_KUHN, mesh));
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) mesh->xyz_mm[k] += between(&state, -jitter, jitter);
    mesh->sheet = mt_arena_alloc(arena, 3 * mesh->n_elements, sizeof *mesh->sheet);
    mesh->depth = mt_arena_alloc(arena, mesh->n_elements, sizeof *mesh->depth);
    mesh->layer = mt_arena_alloc(arena, mesh->n_elements, sizeof *mesh->layer);
    cr_assert(mesh->sheet && mesh->depth && mesh->layer);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const double a = (double)c;
        bool full;
        mesh->region[c] = (int32_t)c - 9, mesh->layer[c] = (int32_t)(c % 3) + 1, mesh->depth[c] = a / 200;
        memcpy(mesh->fibre + 3 * c, (double[]){cos(a), sin(a), 0}, 3 * sizeof(double));
        memcpy(mesh->sheet + 3 * c, (double[]){-sin(a), cos(a), 0}, 3 * sizeof(double));
        if (c % 5 == 0) ok(mt_groups_put(arena, mesh, 1000, c, &full));
    }
    ok(mt_names_put(arena, mesh, MT_NAMES_FACES, 7, "lower", 5));
    ok(mt_mesh_new_faces(arena, 25, mesh));
    for (uint32_t y = 0; y < 3; y++)
        for (uint32_t x = 0; x < 4; x++) {
            const uint32_t v = 5 * y + x, corner[6] = {v, v + 6, v + 1, v, v + 5, v + 6};
            memcpy(mesh->face_vertex + (size_t)6 * (f / 2), corner, sizeof corner);
            mesh->face_tag[f++] = 7, mesh->face_tag[f++] = 8;
        }
    memcpy(mesh->face_vertex + 72, (uint32_t[]){0, 1, 59}, 3 * sizeof(uint32_t));
    mesh->face_tag[24] = 9;
    ok(mt_mesh_check(mesh));
}

/* Selects the elements with a centroid within a distance of a point. */
static uint8_t *select_sphere(mt_arena *arena, const mt_mesh *mesh, const double at_mm[3], double radius_mm)
{
    uint8_t *selected = mt_arena_alloc(arena, mesh->n_elements, sizeof *selected);
    cr_assert_not_null(selected);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double x[3];
        mt_mesh_centroid(mesh, c, x);
        selected[c] = hypot(hypot(x[0] - at_mm[0], x[1] - at_mm[1]), x[2] - at_mm[2]) < radius_mm;
    }
    return selected;
}

static const double corner_mm[3] = {0, 0, 0};

static double mean_edge(const mt_mesh *mesh, size_t c)
{
    double sum = 0;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < i; j++) {
            const double *a = mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * c + i],
                         *b = mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * c + j];
            sum += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        }
    return sum / 6;
}

/* The regions number the coarse elements. */
static size_t root_of(const mt_mesh *fine, size_t c) { return (size_t)(fine->region[c] + 9); }

Test(bisect, selected_elements_become_small_and_distant_ones_stay)
{
    mt_arena arena = {0};
    mt_mesh coarse, fine;
    mt_bisected done;
    size_t n_divided = 0, n_selected = 0;
    slab(&arena, 0.15, &coarse);
    const uint8_t *selected = select_sphere(&arena, &coarse, corner_mm, 1);
    ok(mt_bisect(&arena, &coarse, selected, 0.4, &fine, &done));
    ok(mt_mesh_check(&fine));
    for (size_t c = 0, last = 0; c < fine.n_elements; c++) {
        const size_t root = root_of(&fine, c);
        cr_assert(root >= last && root <= last + 1, "coarse elements in their order");
        if (selected[root]) cr_assert_leq(mean_edge(&fine, c), 0.4 * (1 + 1e-9), "element %zu", c);
        last = root;
    }
    for (size_t c = 0, k = 0; c < coarse.n_elements; c++) {
        size_t parts = 0;
        double volume = 0, x[3];
        for (; k < fine.n_elements && root_of(&fine, k) == c; k++, parts++)
            volume += mt_mesh_volume_mm3(&fine, k);
        cr_assert_float_eq(volume, mt_mesh_volume_mm3(&coarse, c), 1e-13);
        mt_mesh_centroid(&coarse, c, x);
        n_divided += parts > 1, n_selected += selected[c];
        if (x[0] > 3.2)
            cr_assert_arr_eq(
                fine.element_vertex + 4 * (k - 1), coarse.element_vertex + 4 * c, 4 * sizeof(uint32_t));
    }
    cr_assert_eq(done.n_selected, n_selected);
    cr_assert_eq(done.n_others, n_divided - n_selected);
    cr_assert_lt(n_divided, coarse.n_elements * 3 / 4);
    mt_arena_free(&arena);
}

/* A vertex within a face or an edge of another element would add faces to the boundary. A ball has V - E + F - C = 1. */
Test(bisect, the_mesh_is_conforming_at_every_depth)
{
    static const double edges_mm[] = {1, 0.6, 0.3, 0.15};
    mt_arena arena = {0};
    mt_mesh coarse;
    mt_adjacency adjacency;
    mt_info before;
    slab(&arena, 0.2, &coarse);
    coarse.n_faces = 0; /* the one that is not a face would add a vertex */
    ok(mt_adjacency_make(&arena, &coarse, &adjacency));
    ok(mt_info_make(&coarse, &adjacency, &before));
    const double area = boundary_area(&coarse, &adjacency);
    for (size_t k = 0; k < 4; k++) {
        mt_mesh fine;
        mt_info info;
        mt_bisected done;
        ok(mt_bisect(&arena, &coarse, select_sphere(&arena, &coarse, (double[]){2, 1.5, 2}, 0.8), edges_mm[k],
            &fine, &done));
        ok(mt_mesh_check(&fine));
        ok(mt_adjacency_make(&arena, &fine, &adjacency));
        ok(adjacency_check(&adjacency));
        ok(mt_info_make(&fine, &adjacency, &info));
        cr_assert_gt(info.n_elements, before.n_elements);
        cr_assert_float_eq(boundary_area(&fine, &adjacency), area, 1e-11);
        cr_assert_float_eq(info.volume_mm3, before.volume_mm3, 1e-11);
        cr_assert_eq(
            info.n_vertices + info.n_inner_faces + info.n_boundary_faces, 1 + info.n_edges + info.n_elements);
    }
    mt_arena_free(&arena);
}

/* Kuhn's tetrahedron, with edges 1, sqrt 2 and sqrt 3 of a box, has mean edge 1.26. Three halvings yield eight of half the size. Radius
 * ratios: few roundings. */
Test(bisect, three_generations_halve_boxes)
{
    mt_arena arena = {0};
    mt_mesh coarse, fine;
    mt_bisected done;
    slab(&arena, 0, &coarse);
    ok(mt_bisect(&arena, &coarse, select_sphere(&arena, &coarse, corner_mm, 9),
        (3 + 2 * sqrt(2) + sqrt(3)) / 12, &fine, &done));
    cr_assert_eq(done.generations, 3);
    cr_assert_eq(fine.n_elements, 8 * coarse.n_elements);
    cr_assert_eq(fine.n_vertices, 9 * 7 * 5);
    for (size_t c = 0; c < fine.n_elements; c++)
        cr_assert_float_eq(mt_info_quality(&fine, c), mt_info_quality(&coarse, 0), 1e-13);
    mt_arena_free(&arena);
}

/* Creates a tetrahedron of random corners with a radius ratio of at least 0.3, the worst that Gmsh makes. */
static void random_element(mt_arena *arena, mt_mesh *mesh)
{
    ok(mt_mesh_new(arena, 4, 1, mesh));
    for (uint32_t k = 0; k < 4; k++) mesh->element_vertex[k] = k;
    do {
        for (size_t k = 0; k < 12; k++) mesh->xyz_mm[k] = between(&state, 0, 1);
        (void)mt_mesh_orient(mesh);
    } while (mt_info_quality(mesh, 0) < 0.3);
}

static double worst_quality(const mt_mesh *mesh)
{
    double worst = 1;
    for (size_t c = 0; c < mesh->n_elements; c++) worst = fmin(worst, mt_info_quality(mesh, c));
    return worst;
}

/* Edges of 1/4 to 1/10 of the original mean, after 6 to 10 generations, and then of 1/11 to 1/19. Rounding: 1e-9. */
Test(bisect, shapes_do_not_become_worse_with_depth)
{
    double worst[2] = {1, 1};
    for (int k = 0; k < 15; k++) {
        mt_arena arena = {0};
        mt_mesh coarse, fine;
        mt_bisected done;
        const uint8_t all = 1;
        random_element(&arena, &coarse);
        double edge_mm = mean_edge(&coarse, 0) / 4;
        for (int step = 0; step < 10; step++, edge_mm /= sqrt(sqrt(2))) {
            ok(mt_bisect(&arena, &coarse, &all, edge_mm, &fine, &done));
            worst[step / 6] = fmin(worst[step / 6], worst_quality(&fine));
        }
        mt_arena_free(&arena);
    }
    cr_log_info("worst radius ratios %g, deeper %g", worst[0], worst[1]);
    cr_assert_geq(worst[1], worst[0] * (1 - 1e-9));
    cr_assert_gt(worst[0], 0.025);
}

/* As good as elements of Gmsh: the worst radius ratio is about 0.3. */
Test(bisect, radius_ratios_of_good_meshes_stay_above_a_fifth_of_the_worst)
{
    for (int k = 0; k < 3; k++) {
        mt_arena arena = {0};
        mt_mesh coarse, fine;
        mt_bisected done;
        slab(&arena, 0.15, &coarse);
        ok(mt_bisect(&arena, &coarse, select_sphere(&arena, &coarse, corner_mm, 1.2), 0.1, &fine, &done));
        cr_log_info("worst radius ratio %g, before %g", worst_quality(&fine), worst_quality(&coarse));
        cr_assert_gt(worst_quality(&fine), worst_quality(&coarse) / 5);
        mt_arena_free(&arena);
    }
}

/* Volumes of elements that share a face. */
Test(bisect, element_sizes_change_gradually)
{
    mt_arena arena = {0};
    mt_mesh coarse, fine;
    mt_adjacency adjacency;
    mt_bisected done;
    double most = 1;
    slab(&arena, 0, &coarse);
    ok(mt_bisect(&arena, &coarse, select_sphere(&arena, &coarse, corner_mm, 1), 0.08, &fine, &done));
    ok(mt_adjacency_make(&arena, &fine, &adjacency));
    for (size_t k = 0; k < 4 * fine.n_elements; k++)
        if (adjacency.neighbour[k] != MT_NO_ELEMENT)
            most = fmax(
                most, mt_mesh_volume_mm3(&fine, k / 4) / mt_mesh_volume_mm3(&fine, adjacency.neighbour[k]));
    cr_log_info("%zu elements; neighbours differ by up to %g", fine.n_elements, most);
    cr_assert_leq(most, 4 * (1 + 1e-9));
    mt_arena_free(&arena);
}

Test(bisect, descendants_inherit_all_data)
{
    mt_arena arena = {0};
    mt_mesh coarse, fine;
    mt_bisected done;
    slab(&arena, 0, &coarse);
    ok(mt_bisect(&arena, &coarse, select_sphere(&arena, &coarse, corner_mm, 1.5), 0.5, &fine, &done));
    for (size_t c = 0; c < fine.n_elements; c++) {
        const size_t root = root_of(&fine, c);
        cr_assert(fine.layer[c] == coarse.layer[root] && fine.depth[c] == coarse.depth[root]);
        cr_assert_eq(mt_groups_has(&fine, 1000, c), root % 5 == 0);
        cr_assert_arr_eq(fine.fibre + 3 * c, coarse.fibre + 3 * root, 3 * sizeof(double));
        cr_assert_arr_eq(fine.sheet + 3 * c, coarse.sheet + 3 * root, 3 * sizeof(double));
    }
    cr_assert_str_eq(mt_names_text(&fine, MT_NAMES_FACES, 7), "lower");
    coarse.fibre = coarse.sheet = coarse.depth = NULL, coarse.layer = NULL, coarse.n_groups = 0,
    coarse.groups = NULL;
    ok(mt_bisect(&arena, &coarse, select_sphere(&arena, &coarse, corner_mm, 1.5), 0.5, &fine, &done));
    cr_assert(!fine.fibre && !fine.sheet && !fine.depth && !fine.layer && !fine.groups);
    mt_arena_free(&arena);
}

/* Adds the area of the triangles of each tag and its first moments. */
static void add_moments(const mt_mesh *mesh, double moment[10][4])
{
    for (size_t f = 0; f < mesh->n_faces; f++) {
        const double area = mt_triangle_mm2(mesh, f);
        double *m = moment[mesh->face_tag[f]];
        m[3] += area;
        for (size_t k = 0; k < 9; k++)
            m[k % 3] += area / 3 * mesh->xyz_mm[3 * (size_t)mesh->face_vertex[3 * f + k / 3] + k % 3];
    }
}

Test(bisect, tagged_triangles_stay_faces_with_their_tags)
{
    mt_arena arena = {0};
    mt_mesh coarse, fine;
    mt_adjacency adjacency;
    mt_bisected done;
    double before[10][4] = {{0}}, after[10][4] = {{0}};
    slab(&arena, 0.2, &coarse);
    ok(mt_bisect(&arena, &coarse, select_sphere(&arena, &coarse, corner_mm, 2), 0.4, &fine, &done));
    ok(mt_mesh_check(&fine));
    ok(mt_adjacency_make(&arena, &fine, &adjacency));
    cr_assert_gt(fine.n_faces, 3 * coarse.n_faces);
    add_moments(&coarse, before), add_moments(&fine, after);
    for (size_t k = 0; k < 4; k++)
        for (int tag = 7; tag <= 9; tag++) cr_assert_float_eq(before[tag][k], after[tag][k], 1e-11);
    for (size_t f = 0; f < fine.n_faces; f++)
        cr_assert(fine.face_tag[f] == 9 || is_outer_face(&fine, &adjacency, fine.face_vertex + 3 * f),
            "triangle %zu", f);
    mt_arena_free(&arena);
}

Test(bisect, without_large_selected_elements_the_mesh_is_unchanged)
{
    mt_arena arena = {0};
    mt_mesh coarse, fine;
    mt_bisected done;
    char before[MT_HASH_SIZE], after[MT_HASH_SIZE];
    slab(&arena, 0.1, &coarse);
    ok(mt_mesh_hash(&coarse, before));
    for (int k = 0; k < 2; k++) {
        ok(mt_bisect(&arena, &coarse, select_sphere(&arena, &coarse, corner_mm, k == 0 ? 9 : 0),
            k == 0 ? 3 : 0.1, &fine, &done));
        ok(mt_mesh_hash(&fine, after));
        cr_assert_str_eq(before, after);
        cr_assert(done.n_selected == 0 && done.n_others == 0 && done.generations == 0);
    }
    mt_arena_free(&arena);
}

Test(bisect, impossible_edges_are_rejected)
{
    mt_arena arena = {0};
    mt_mesh coarse, fine;
    mt_bisected done;
    slab(&arena, 0, &coarse);
    const uint8_t *selected = select_sphere(&arena, &coarse, corner_mm, 9);
    const double edges_mm[] = {0, -1, NAN};
    for (size_t k = 0; k < 3; k++) {
        cr_assert_eq(mt_bisect(&arena, &coarse, selected, edges_mm[k], &fine, &done), MT_INPUT);
        assert_message("allowed: above 0");
    }
    cr_assert_eq(mt_bisect(&arena, &coarse, selected, 0.003, &fine, &done), MT_INPUT);
    assert_message(
        "edges of 0.003 mm in 144 of 144 elements result in about 1.1e+10 elements; allowed: fewer than");
    mt_arena_free(&arena);
}

Test(bisect, out_of_memory_is_reported_without_a_leak)
{
    mt_arena lasting = {0};
    mt_mesh coarse;
    mt_status status = MT_MEMORY;
    slab(&lasting, 0, &coarse);
    const uint8_t *selected = select_sphere(&lasting, &coarse, corner_mm, 9);
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_mesh fine;
        mt_bisected done;
        mt_arena_fail_at(n);
        status = mt_bisect(&arena, &coarse, selected, 0.3, &fine, &done);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK || status == MT_MEMORY);
        mt_arena_free(&arena);
        cr_assert_lt(n, 1000);
    }
    mt_arena_free(&lasting);
}
