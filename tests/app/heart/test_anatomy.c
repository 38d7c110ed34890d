/* Surfaces and fibres of a heart, through the commands. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/app/program.h"

#include "mesh/files/formats.h"
#include "mesh/anatomy/patch.h"
#include "mesh/anatomy/surfaces.h"
#include "mesh/files/gmsh.h"
#include "mesh/vtk/vtkhdf.h"
#include "mesh/names.h"
#include "tests/answers.h"
#include "tests/mesh/bowl_elements.h"
#include "tests/mesh/tagged_slab.h"

static mt_arena arena;
static mt_mesh heart;

/* Writes heart.hdf, a heart with all optional data of a mesh. Rule-based fibres represent measured ones. */
static void enter(void)
{
    enter_room();
    bowl_elements(&arena, &heart);
    ok(mt_vtkhdf_write("bare.hdf", &heart, 0, NULL));
    free(works("mesh fibres bare.hdf -o heart.hdf --endo-deg 37"));
    ok(mt_mesh_read(&arena, "heart.hdf", &heart));
    for (size_t c = 0; c < heart.n_elements; c++) heart.region[c] = (int32_t)c % 5 + 1;
    ok(mt_vtkhdf_write("heart.hdf", &heart, 0, NULL));
}

static void end(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(anatomy, .init = enter, .fini = end);

/* Writes the heart with other tags and without names: triangles with tag t get renamed[t], and every second one twins[t]. */
static void write_renamed(const char *path, const int32_t renamed[5], const int32_t twins[5])
{
    mt_mesh other = heart;
    other.face_tag = mt_arena_alloc(&arena, heart.n_faces, sizeof *other.face_tag);
    for (size_t f = 0; f < heart.n_faces; f++)
        other.face_tag[f] = (f % 2 ? twins : renamed)[heart.face_tag[f]];
    ok(mt_names_remove(&arena, &other, MT_NAMES_FACES));
    ok(mt_vtkhdf_write(path, &other, 0, NULL));
}

/* Checks that a file has the same bits as the heart, in the same order, and the same number of triangles with each tag. */
static void assert_same_heart(const char *path)
{
    mt_mesh m;
    mt_surfaces a, b;
    const size_t n = heart.n_elements;
    ok(mt_mesh_read(&arena, path, &m));
    cr_assert(
        m.n_elements == n && m.n_vertices == heart.n_vertices && m.fibre && m.sheet && m.depth && m.layer);
    cr_assert_arr_eq(m.xyz_mm, heart.xyz_mm, 3 * m.n_vertices * sizeof *m.xyz_mm);
    cr_assert_arr_eq(m.element_vertex, heart.element_vertex, 4 * n * sizeof *m.element_vertex);
    cr_assert_arr_eq(m.region, heart.region, n * sizeof *m.region);
    cr_assert_arr_eq(m.fibre, heart.fibre, 3 * n * sizeof *m.fibre);
    cr_assert_arr_eq(m.sheet, heart.sheet, 3 * n * sizeof *m.sheet);
    cr_assert_arr_eq(m.depth, heart.depth, n * sizeof *m.depth);
    cr_assert_arr_eq(m.layer, heart.layer, n * sizeof *m.layer);
    mt_surfaces_count(&heart, &a), mt_surfaces_count(&m, &b);
    cr_assert_arr_eq(a.n_triangles, b.n_triangles, sizeof a.n_triangles, "%s", path);
}

static const int32_t tens[5] = {0, 10, 20, 30, 0};

/* The lowest point of the outer ellipsoid is a vertex. */
Test(anatomy, mesh_surfaces_tags_a_heart_and_leaves_all_other_data_unchanged)
{
    mt_mesh untagged = heart;
    mt_surfaces had;
    mt_surfaces_count(&heart, &had);
    untagged.n_faces = 0;
    ok(mt_vtkhdf_write("untagged.hdf", &untagged, 0, NULL));
    char *text = works("mesh surfaces untagged.hdf -o tagged.hdf --format json");
    cr_assert(strstr(text, "found by the flat base"), "%s", text);
    cr_assert_eq(json_property(text, "epicardium_triangles"), (double)had.n_triangles[2]);
    cr_assert_float_eq(
        json_property(text, "left_endocardium_area_mm2"), had.area_mm2[3], 1e-9 * had.area_mm2[3]);
    cr_assert_float_eq(json_property(text, "apex_z_mm"), -90, 1e-6, "%s", text);
    free(text);
    assert_same_heart("tagged.hdf");
    free(works("mesh surfaces untagged.hdf -o tagged.vtu"));
    assert_same_heart("tagged.vtu");
    /* in its own file, and in CARP's format: fibres have nine decimals, with an error below 1e-9 of their length 1 */
    free(works("mesh surfaces untagged.hdf -o untagged.hdf"));
    assert_same_heart("untagged.hdf");
    free(warnings(&text, "mesh surfaces untagged.hdf -o tagged.pts"));
    free(text);
    mt_mesh carp;
    ok(mt_mesh_read(&arena, "tagged.pts", &carp));
    cr_assert_eq(carp.n_faces, heart.n_faces);
    for (size_t k = 0; k < 3 * heart.n_elements; k++)
        cr_assert_float_eq(carp.fibre[k], heart.fibre[k], 1.5e-9);
    char *said = warnings(&text, "mesh surfaces untagged.hdf -o tagged.msh");
    cr_assert(
        strstr(said, "warning: tagged.msh: MSH does not store transmural depth and layers\n"), "%s", said);
    free(said), free(text);
    refuses(2, "mesh surfaces: --output is required", "mesh surfaces untagged.hdf");
    refuses(2, ".vtk files can only be read", "mesh surfaces untagged.hdf -o a.vtk");
}

/* A slab has the surfaces of a wall, and no apex, as it has no base. */
Test(anatomy, surfaces_of_bodies_other_than_hearts_are_tagged_too)
{
    mt_mesh some = heart;
    some.n_faces = 0;
    for (size_t f = 0; f < heart.n_faces; f++) {
        if (heart.face_tag[f] != MT_SURFACE_EPI) continue;
        memmove(some.face_vertex + 3 * some.n_faces, some.face_vertex + 3 * f, 3 * sizeof *some.face_vertex);
        some.face_tag[some.n_faces++] = 7;
    }
    ok(mt_vtkhdf_write("outside.hdf", &some, 0, NULL));
    char *text, *said = warnings(&text, "mesh surfaces outside.hdf -o epi.hdf --tags epi=7 --format json");
    cr_assert(
        strstr(said, "warning: outside.hdf: no apex: no triangle of the mesh is tagged as base"), "%s", said);
    cr_assert_eq(json_property(text, "epicardium_triangles"), (double)some.n_faces);
    free(said), free(text);
}

static const char line[] = "`--tags base=10,epi=20,lv=30` (overlap with the surfaces found from the shape: "
                           "base 100 %, epi 100 %, lv 100 %)";

Test(anatomy, foreign_tags_are_rejected_with_the_option_that_maps_them)
{
    write_renamed("other.hdf", tens, tens);
    refuses(2, line, "mesh fibres other.hdf -o fibred.hdf");
    refuses(2,
        "other.hdf: the triangle tags are 10, 20 and 30; surface tags are base 1, epi 2, lv 3 and rv 4",
        "mesh surfaces other.hdf -o tagged.hdf");
    refuses(2, line, "mesh fibres other.hdf -o fibred.hdf --surfaces given");
    free(works("mesh surfaces other.hdf -o tagged.hdf --tags base=10,epi=20,lv=30"));
    assert_same_heart("tagged.hdf");
    free(works("mesh surfaces other.hdf -o found.hdf --surfaces found"));
    assert_same_heart("found.hdf");
    refuses(2, "--surfaces found are both given",
        "mesh surfaces other.hdf -o a.hdf --tags epi=20 --surfaces found");
}

/* Every second triangle of the left endocardium has the tag 50: half of it would be missed. */
Test(anatomy, additional_tags_are_reported_and_kept_and_contradicting_standard_tags_rejected)
{
    static const int32_t beside[5] = {0, 1, 2, 3, 0}, twins[5] = {0, 1, 2, 50, 0},
                         turned[5] = {0, 2, 1, 30, 0};
    char *text, *said;
    mt_mesh m;
    double left[2] = {0}; /* triangles of the left endocardium with 3 and with 50 */
    for (size_t f = 0; f < heart.n_faces; f++) left[f % 2] += heart.face_tag[f] == MT_SURFACE_LV;
    write_renamed("beside.hdf", beside, twins);
    said = warnings(&text, "mesh fibres beside.hdf -o half.hdf --format json");
    cr_assert(strstr(said, "warning: beside.hdf: the triangle tags are 1, 2, 3 and 50;") &&
                  strstr(said, "`--tags base=1,epi=2,lv=3+50` (overlap"),
        "%s", said);
    cr_assert_eq(json_property(text, "left_endocardium_triangles"), left[0], "%s", text);
    cr_assert_eq(json_property(text, "other_triangles"), left[1], "%s", text);
    free(said), free(text);
    text = works("mesh fibres beside.hdf -o whole.hdf --tags base=1,epi=2,lv=3+50 --format json");
    cr_assert_eq(json_property(text, "left_endocardium_triangles"), left[0] + left[1]);
    free(text);
    /* unnamed tags are retained under numbers that are not ambiguous */
    free(warnings(&text, "mesh surfaces beside.hdf -o part.hdf --tags base=1,epi=2 --format json"));
    ok(mt_mesh_read(&arena, "part.hdf", &m));
    ok(mt_surface_check(&m, 50));
    cr_assert_eq(mt_surface_check(&m, 3), MT_INPUT);
    cr_assert_eq(json_property(text, "other_triangles"), left[1]);
    cr_assert_eq(json_property(text, "triangles_dropped"), left[0]);
    free(text);
    write_renamed("turned.hdf", turned, turned);
    refuses(2, "`--tags base=2,epi=1,lv=30`", "mesh fibres turned.hdf -o fibred.hdf");
    refuses(2, "To use the tags as they are instead: --surfaces given", "mesh surfaces turned.hdf -o a.hdf");
    free(warnings(&text, "mesh surfaces turned.hdf -o given.hdf --surfaces given"));
    free(text);
}

/* Gmsh numbers groups as they are written: endocardium, epicardium, base. */
Test(anatomy, unnamed_tags_that_contradict_the_shape_are_rejected)
{
    static const int32_t turned[5] = {0, MT_SURFACE_LV, MT_SURFACE_EPI, MT_SURFACE_BASE, 0};
    mt_mesh plain;
    write_renamed("named.hdf", turned, turned);
    ok(mt_mesh_read(&arena, "named.hdf", &plain));
    ok(mt_names_remove(&arena, &plain, MT_NAMES_FACES));
    ok(mt_gmsh_write("plain.msh", &plain));
    refuses(2, "`--tags base=3,epi=2,lv=1`", "mesh fibres plain.msh -o fibred.hdf");
    refuses(2, "`--tags base=3,epi=2,lv=1`", "mesh surfaces plain.msh -o tagged.hdf");
    static const char *const names[] = {"ENDO", "EPI", "BASE"};
    for (int32_t t = 1; t <= 3; t++)
        ok(mt_names_put(&arena, &plain, MT_NAMES_FACES, t, names[t - 1], strlen(names[t - 1])));
    ok(mt_gmsh_write("named.msh", &plain));
    free(works("mesh surfaces named.msh -o named.hdf"));
    free(works("mesh surfaces plain.msh -o told.hdf --tags base=3,epi=2,lv=1"));
    free(works("mesh surfaces named.msh -o by_name.hdf --tags base=base,epi=EPI,lv=Endo"));
    refuses(2, "--tags lv=END: END is not a tag name; allowed: of the mesh's triangles: 1 (BASE), ",
        "mesh surfaces named.msh -o no.hdf --tags lv=END");
    cr_assert(same_file("told.hdf", "by_name.hdf"));
    ok(mt_mesh_read(&arena, "named.hdf", &plain));
    mt_surfaces a, b;
    mt_surfaces_count(&heart, &a), mt_surfaces_count(&plain, &b);
    cr_assert_arr_eq(a.n_triangles, b.n_triangles, sizeof a.n_triangles);
}

/* A piece of a wall: its shape does not reveal the meaning of the tags. */
Test(anatomy, foreign_tags_that_the_shape_cannot_identify_are_reported_too)
{
    mt_mesh wall;
    char *text;
    tagged_slab(&arena, (double[]){2, 3, 3}, 1, &wall);
    for (size_t f = 0; f < wall.n_faces; f++) wall.face_tag[f] *= wall.face_tag[f] == MT_SURFACE_LV ? 10 : 1;
    ok(mt_vtkhdf_write("some.hdf", &wall, 0, NULL));
    for (size_t f = 0; f < wall.n_faces; f++) wall.face_tag[f] += 20;
    ok(mt_vtkhdf_write("all.hdf", &wall, 0, NULL));
    refuses(2, "all.hdf: no triangle has a surface tag (surface tags are base 1, epi 2, lv 3 and rv 4)",
        "mesh surfaces all.hdf -o a.hdf");
    refuses(2, "The shape does not identify the surfaces: ", "mesh fibres all.hdf -o a.hdf");
    char *said = warnings(&text, "mesh surfaces some.hdf -o a.hdf");
    cr_assert(
        strstr(said, "warning: some.hdf: 18 triangles have tags other than surface tags ("), "%s", said);
    free(said), free(text);
}

/* Refused without changing any file, also through a relative path or a link. */
Test(anatomy, fibres_are_not_replaced_in_their_own_file_without_the_option)
{
    static const char *const names[] = {"heart.hdf", "./heart.hdf", "soft.hdf", "hard.hdf"};
    mt_mesh m;
    cr_assert(symlink("heart.hdf", "soft.hdf") == 0 && link("heart.hdf", "hard.hdf") == 0);
    for (size_t k = 0; k < 4; k++)
        refuses(2, "heart.hdf: the mesh has fibres, which -o ", "mesh fibres heart.hdf -o %s", names[k]);
    assert_same_heart("heart.hdf");
    refuses(2, "or --replace-fibres", "mesh fibres soft.hdf -o hard.hdf");
    (void)unlink("soft.hdf");
    free(works("mesh fibres heart.hdf -o another.hdf"));
    free(works("mesh fibres another.hdf -o another.hdf --replace-fibres --endo-deg 37"));
    ok(mt_mesh_read(&arena, "another.hdf", &m));
    cr_assert_arr_eq(m.fibre, heart.fibre, 3 * m.n_elements * sizeof *m.fibre);
    /* a mesh without fibres is replaced; one with only layers is refused */
    free(works("mesh fibres bare.hdf -o bare.hdf"));
    m = heart;
    m.fibre = m.sheet = m.depth = NULL;
    ok(mt_vtkhdf_write("layers.hdf", &m, 0, NULL));
    refuses(2, "layers.hdf: the mesh has layers, which", "mesh fibres layers.hdf -o layers.hdf");
}
