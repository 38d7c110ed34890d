/* The vertices of a region: each condition alone, and several together. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/unknowns.h"
#include "solver/tissue/region.h"
#include "tests/mesh/tagged_slab.h"
#include "tests/room.h"

/* Boxes of 0.5 mm. Elements at x < 2 have the tag 7, others 1; elements at y < 3 are endo, others epi; z < 2.5 is in the group 20. */
static mt_arena arena;
static mt_mesh mesh;
static const double size_mm[3] = {4, 6, 5};

static void make(void)
{
    enter_room();
    tagged_slab(&arena, size_mm, 0.5, &mesh);
    mesh.layer = mt_arena_alloc(&arena, mesh.n_elements, sizeof *mesh.layer);
    mesh.groups = mt_arena_alloc(&arena, mesh.n_elements, sizeof *mesh.groups);
    mesh.group_tag = mt_arena_alloc(&arena, 1, sizeof *mesh.group_tag);
    mesh.n_groups = 1;
    mesh.group_tag[0] = 20;
    for (size_t c = 0; c < mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        mesh.region[c] = x[0] < 2 ? 7 : 1;
        mesh.layer[c] = x[1] < 3 ? MT_LAYER_ENDO : MT_LAYER_EPI;
        mesh.groups[c] = x[2] < 2.5;
    }
}

static void end(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(region_vertices, .init = make, .fini = end);

/* Expects that the region consists of the vertices of `part`, ascending, for which `wanted` holds. */
static void expect_in(const mt_mesh *part, mt_region region, bool (*wanted)(const double x[3]))
{
    size_t n, k = 0;
    uint32_t *vertices;
    cr_assert_eq(mt_region_check(&region), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_region_vertices(&arena, &region, &mesh, part, &n, &vertices), MT_OK, "%s", mt_message());
    for (size_t v = 0; v < part->n_vertices; v++) {
        const double *x = part->xyz_mm + 3 * v;
        const bool is = k < n && vertices[k] == v;
        cr_assert_eq(is, wanted(x), "vertex %zu at [%g, %g, %g]", v, x[0], x[1], x[2]);
        k += is;
    }
    cr_assert(k == n && n > 0, "%zu of %zu", k, n);
}

static void expect(mt_region region, bool (*wanted)(const double x[3])) { expect_in(&mesh, region, wanted); }

static void set3(double to[3], double x, double y, double z) { to[0] = x, to[1] = y, to[2] = z; }

/* ---- by the position of the vertex */

static bool in_box(const double x[3]) { return x[0] >= 1 && x[0] <= 2.5 && x[1] <= 3 && x[2] <= 5; }
static bool in_sphere(const double x[3]) { return hypot(hypot(x[0] - 1, x[1] - 3), x[2] - 2) <= 1.3; }

Test(region_vertices, a_box_selects_the_vertices_in_it_and_on_its_border)
{
    mt_region region = mt_region_empty;
    set3(region.min_mm, 1, 0, 0);
    set3(region.max_mm, 2.5, 3, 5);
    expect(region, in_box);
}

Test(region_vertices, a_sphere_selects_the_vertices_in_it)
{
    mt_region region = mt_region_empty;
    set3(region.centre_mm, 1, 3, 2);
    region.radius_mm = 1.3;
    expect(region, in_sphere);
}

static bool on_side(const double x[3]) { return x[0] == 0; }
static bool near_side(const double x[3]) { return x[0] <= 1; }

Test(region_vertices, a_surface_selects_its_corners_and_with_a_depth_the_vertices_within_it)
{
    mt_region region = mt_region_empty;
    region.surface = "lv_endocardium";
    expect(region, on_side);
    region.depth_mm = 1.2;
    expect(region, near_side);
}

/* ---- by lists and elements */

static bool is_listed(const double x[3])
{
    const double *a = mesh.xyz_mm + 3 * 5, *b = mesh.xyz_mm + 3 * 100;
    return memcmp(x, a, 3 * sizeof *x) == 0 || memcmp(x, b, 3 * sizeof *x) == 0;
}

Test(region_vertices, a_list_of_vertices_selects_exactly_these)
{
    mt_region region = mt_region_empty;
    write_text("some.vtx", "2\nintra\n5\n100\n");
    region.vtx = "some.vtx";
    expect(region, is_listed);
}

static bool not_beyond_2(const double x[3]) { return x[0] <= 2; }
static bool from_2_on(const double x[3]) { return x[0] >= 2; }
static bool not_beyond_3(const double x[3]) { return x[1] <= 3; }
static bool lower_half(const double x[3]) { return x[2] <= 2.5; }

/* A vertex in the plane between two tags has half of its volume in each. */
Test(region_vertices, a_tag_selects_the_vertices_with_at_least_half_of_their_volume_in_it)
{
    mt_region region = mt_region_empty;
    region.tag = "7";
    expect(region, not_beyond_2);
    region.tag = "1";
    expect(region, from_2_on);
}

Test(region_vertices, a_layer_and_a_group_select_vertices_as_a_tag_does)
{
    mt_region region = mt_region_empty;
    region.layer = 0;
    expect(region, not_beyond_3);
    region.layer = -1;
    region.group = "20";
    expect(region, lower_half);
}

static bool not_beyond_1_5(const double x[3]) { return x[0] <= 1.5; }

Test(region_vertices, a_list_of_elements_selects_vertices_as_a_tag_does)
{
    mt_region region = mt_region_empty;
    FILE *file = fopen("some.txt", "w");
    for (size_t c = 0; c < mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        if (x[0] < 1.5) (void)fprintf(file, "%zu\n", c);
    }
    cr_assert_eq(fclose(file), 0);
    region.elements = "some.txt";
    expect(region, not_beyond_1_5);
}

static bool all_of_them(const double x[3]) { return not_beyond_2(x) && not_beyond_3(x) && in_sphere(x); }

/* Vertices on the edge x = 2, y = 3 have a quarter of their volume in both the tag and the layer, but half in each. */
Test(region_vertices, each_of_several_conditions_must_hold)
{
    mt_region region = mt_region_empty;
    region.tag = "7", region.layer = 0;
    set3(region.centre_mm, 1, 3, 2);
    region.radius_mm = 1.3;
    expect(region, all_of_them);
}

/* ---- parts of a mesh */

static bool from_2_on_again(const double x[3]) { return x[0] >= 2; }

/* Without the elements at x < 2, the vertices at x = 2 are completely in the tag 1, and none has the tag 7. */
Test(region_vertices, only_conducting_elements_count)
{
    mt_mesh part;
    mt_region region = mt_region_empty;
    size_t n;
    uint32_t *vertices;
    uint8_t *keep = mt_arena_alloc(&arena, mesh.n_elements, 1);
    for (size_t c = 0; c < mesh.n_elements; c++) keep[c] = mesh.region[c] == 1;
    cr_assert_eq(mt_mesh_select(&arena, &mesh, keep, &part), MT_OK);
    cr_assert_eq(mt_unknowns_mesh(&arena, &part, &part), MT_OK);
    cr_assert_lt(part.n_vertices, mesh.n_vertices);
    region.tag = "1";
    expect_in(&part, region, from_2_on_again);
    region.tag = "7";
    cr_expect_eq(mt_region_vertices(&arena, &region, &mesh, &part, &n, &vertices), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "no vertex of conducting elements, at least half of their volume with the tag 7");
}

Test(region_vertices, a_region_without_vertices_is_refused_with_the_nearest)
{
    mt_region region = mt_region_empty;
    size_t n;
    uint32_t *vertices;
    set3(region.min_mm, 0.1, 0.1, 0.1);
    set3(region.max_mm, 0.25, 0.4, 0.4);
    cr_expect_eq(mt_region_vertices(&arena, &region, &mesh, &mesh, &n, &vertices), MT_INPUT);
    cr_expect_str_eq(mt_message(), "no vertex of conducting elements is in the box [0.1, 0.1, 0.1] .. [0.25, "
                                   "0.4, 0.4] mm; the nearest is "
                                   "0.173 mm outside");
    region.tag = "9";
    cr_expect_eq(mt_region_vertices(&arena, &region, &mesh, &mesh, &n, &vertices), MT_INPUT);
    cr_expect(strstr(mt_message(), "tag: no element has the tag 9"), "%s", mt_message());
}
