#include <criterion/criterion.h>

#include "data/core/utf8.h"
#include "mesh/files/formats.h"
#include "mesh/files/gmsh.h"
#include "mesh/vtk/vtkhdf.h"
#include "mesh/make/refine.h"
#include "mesh/make/slab.h"
#include "mesh/repair/repair.h"
#include "mesh/names.h"
#include "tests/answers.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/examples.h"
#include "tests/temporary.h"

/* Names of tags and groups of elements, in all formats that store them. */

static char folder[64], path[96];

static void enter(void)
{
    temporary_pattern(folder, sizeof folder, "myotile_names_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void leave(void)
{
    char command[96];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(names, .init = enter, .fini = leave);

/* Names the test's file, and writes a text into it if there is one. */
static void file(const char *ending, const char *text)
{
    (void)snprintf(path, sizeof path, "%s/heart%s", folder, ending);
    if (text) write_bytes(path, text, strlen(text));
}

static void read_path(mt_arena *arena, mt_mesh *mesh)
{
    const mt_mesh_format *format = NULL;
    ok(mt_mesh_format_find(path, false, &format));
    ok(format->read(arena, path, 1, mesh));
}

static void assert_name(const mt_mesh *mesh, int32_t dimension, int32_t tag, const char *expected)
{
    const char *name = mt_names_text(mesh, dimension, tag);
    if (!expected) cr_assert_null(name, "%d %d: %s", dimension, tag, name);
    if (expected)
        cr_assert(name && strcmp(name, expected) == 0, "%d %d: %s", dimension, tag, name ? name : "none");
}

/* Checks the content of msh2_groups and msh4_groups, in any order of the elements. */
static void assert_example(const mt_mesh *mesh)
{
    size_t n[3][2][2] = {{{0}}};
    assert_name(mesh, 2, MT_SURFACE_LV, "ENDO");
    assert_name(mesh, 3, 5, "tissue");
    assert_name(mesh, 3, 7, "scar  core ");
    assert_name(mesh, 3, 9, NULL);
    cr_assert(mesh->n_names == 3 && mesh->n_elements == 3 && mesh->n_groups == 2);
    for (size_t c = 0; c < 3; c++) {
        cr_assert(mesh->region[c] == 5 || mesh->region[c] == 0, "%d", mesh->region[c]);
        n[mesh->region[c] == 5][mt_groups_has(mesh, 7, c)][mt_groups_has(mesh, 9, c)]++;
    }
    cr_assert(n[0][0][0] == 1 && n[1][0][0] == 1 && n[1][1][1] == 1);
}

static const struct {
    const char *text;
} groups_in[] = {{msh2_groups}, {msh4_groups}};

Test(names, groups_and_names_of_gmsh_are_preserved_by_every_format_that_stores_them)
{
    static const char *const endings[] = {".hdf", ".msh", ".vtu"};
    for (size_t k = 0; k < 2; k++)
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
            mt_arena arena = {0};
            mt_mesh mesh, back;
            const mt_mesh_format *format = NULL;
            file(".msh", groups_in[k].text);
            read_path(&arena, &mesh);
            assert_example(&mesh);
            cr_assert(
                strstr(mesh.notes, "1 of 3 elements have no region in the file: they are assigned tag 0"));
            cr_assert_eq(k == 0, strstr(mesh.notes, "2 elements repeat an earlier one") != NULL);
            file(endings[e], NULL);
            ok(mt_mesh_format_find(path, true, &format));
            ok(format->write(path, &mesh));
            read_path(&arena, &back);
            assert_example(&back);
            mt_arena_free(&arena);
        }
}

/* The surface of the first triangle is in two groups; the file of version 4.1 names one of them twice. */
Test(names, a_triangle_in_two_physical_groups_has_both_tags)
{
    static const char *const texts[] = {
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 6 \"outside\"\n2 7 "
        "\"ENDO\"\n$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 "
        "-1\n$EndNodes\n$Elements\n5\n1 2 2 6 1 1 2 4\n2 2 2 6 2 1 2 5\n3 2 2 7 1 1 2 4\n4 4 2 5 1 1 2 3 "
        "4\n5 4 2 5 1 1 3 2 5\n$EndElements\n",
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 6 \"outside\"\n2 7 "
        "\"ENDO\"\n$EndPhysicalNames\n$Entities\n0 0 2 1\n1 0 0 0 1 1 1 3 6 7 6 0\n2 0 0 0 1 1 1 1 6 0\n1 0 "
        "0 0 1 1 1 1 5 0\n$EndEntities\n$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 "
        "1\n0 0 -1\n$EndNodes\n$Elements\n3 4 1 4\n2 1 2 1\n1 1 2 4\n2 2 2 1\n2 1 2 5\n3 1 4 2\n3 1 2 3 4\n4 "
        "1 3 2 5\n$EndElements\n"};
    static const uint32_t vertex[9] = {0, 1, 3, 0, 1, 4, 0, 1, 3};
    static const int32_t tag[3] = {6, 6, MT_SURFACE_LV};
    for (size_t k = 0; k < 2; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        file(".msh", texts[k]);
        read_path(&arena, &mesh);
        cr_assert_eq(mesh.n_faces, 3, "%zu: %zu triangles", k, mesh.n_faces);
        cr_assert_arr_eq(mesh.face_vertex, vertex, sizeof vertex);
        cr_assert_arr_eq(mesh.face_tag, tag, sizeof tag);
        assert_name(&mesh, 2, 6, "outside");
        assert_name(&mesh, 2, MT_SURFACE_LV, "ENDO");
        mt_arena_free(&arena);
    }
}

/* Reads the test's file and writes the mesh with another ending. */
static void convert(mt_arena *arena, const char *ending)
{
    mt_mesh mesh;
    const mt_mesh_format *format = NULL;
    read_path(arena, &mesh);
    assert_example(&mesh);
    file(ending, NULL);
    if (strcmp(ending, ".vtk") == 0) {
        const buffer b = vtk_names_file(&mesh);
        write_bytes(path, b.bytes, b.n);
        return;
    }
    ok(mt_mesh_format_find(path, true, &format));
    ok(format->write(path, &mesh));
}

Test(names, names_and_groups_survive_conversion_through_all_formats)
{
    static const char *const tour[] = {".vtu", ".vtk", ".hdf", ".msh", ".vtk", ".vtu", ".hdf"};
    mt_arena arena = {0};
    mt_mesh mesh;
    file(".msh", msh2_groups);
    for (size_t k = 0; k < sizeof tour / sizeof *tour; k++) convert(&arena, tour[k]);
    read_path(&arena, &mesh);
    assert_example(&mesh);
    cr_assert_null(mesh.notes, "%s", mesh.notes);
    mt_arena_free(&arena);
}

/* Changes a text in a legacy file with the names and groups of the example. */
static mt_status read_changed(mt_arena *arena, const char *from, const char *to, mt_mesh *mesh)
{
    buffer b = {.n = 0};
    file(".msh", msh2_groups);
    convert(arena, ".vtk");
    read_path(arena, mesh);
    const buffer good = vtk_names_file(mesh);
    const unsigned char *at = memmem(good.bytes, good.n, from, strlen(from));
    cr_assert_not_null(at, "%s", from);
    const size_t before = (size_t)(at - good.bytes);
    add(&b, good.bytes, before);
    text(&b, "%s", to);
    add(&b, at + strlen(from), good.n - before - strlen(from));
    write_bytes(path, b.bytes, b.n);
    return mt_vtk_read(arena, path, 1, mesh);
}

Test(names, damaged_names_and_groups_in_vtk_files_are_rejected_with_the_file)
{
    static const struct {
        const char *from, *to, *why;
    } damage[] = {{"\n35 32 ", "\n55 32 ", "heart.vtk: names, line 1: '7'; allowed: '2 TAG NAME'"},
        {"\n35 32 ", "\n35 300 ", ": names: number 1 is 300; allowed: bytes of a text, 0 to 255"},
        {"\n35 32 ", "\n35 nan ", ": names: number 1 is nan; allowed: bytes of a text, 0 to 255"},
        {"SCALARS groups", "SCALARS grouped",
            "heart.vtk: its names have 2 groups, but there is no array 'groups' of cells"},
        {"unsigned_int\nLOOKUP_TABLE default\n0 3 ", "int\nLOOKUP_TABLE default\n0 4 ",
            "heart.vtk: cell 1: groups is 4; allowed: a whole number from 0 to 3"}};
    for (size_t k = 0; k < sizeof damage / sizeof *damage; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        cr_assert_eq(read_changed(&arena, damage[k].from, damage[k].to, &mesh), MT_INPUT, "%zu", k);
        assert_message(damage[k].why);
        mt_arena_free(&arena);
    }
}

Test(names, an_array_called_groups_without_group_names_is_only_listed)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    ok(read_changed(&arena, "\nnames 1 ", "\nother 1 ", &mesh));
    cr_assert(mesh.n_groups == 0 && mesh.n_names == 0 && !mesh.groups);
    cr_assert_str_eq(mesh.notes, "found but not used: groups (cells)\n");
    mt_arena_free(&arena);
}

Test(names, refined_selected_and_repaired_meshes_keep_names_and_groups)
{
    mt_arena arena = {0};
    mt_mesh mesh, fine, part, repaired;
    mt_repair repair;
    size_t n[2] = {0};
    file(".msh", msh4_groups);
    read_path(&arena, &mesh);
    (void)mt_mesh_orient(&mesh);
    ok(mt_refine(&arena, &mesh, &fine));
    for (size_t c = 0; c < fine.n_elements; c++) {
        n[0] += mt_groups_has(&fine, 7, c);
        cr_assert_eq(mt_groups_has(&fine, 7, c), mt_groups_has(&mesh, 7, c / 8));
    }
    cr_assert_eq(n[0], 8);
    assert_name(&fine, 3, 7, "scar  core ");
    ok(mt_mesh_select(&arena, &mesh, (uint8_t[]){0, 1, 0}, &part));
    cr_assert(part.n_elements == 1 && mt_groups_has(&part, 9, 0) && part.groups != mesh.groups);
    assert_name(&part, 3, 5, "tissue");
    read_path(&arena, &repaired);
    /* the element in groups moves to the end, after a copy of the first */
    memcpy(repaired.element_vertex + 8, repaired.element_vertex + 4, 4 * sizeof *repaired.element_vertex);
    memcpy(repaired.element_vertex + 4, repaired.element_vertex, 4 * sizeof *repaired.element_vertex);
    repaired.groups[2] = repaired.groups[1], repaired.groups[1] = 0;
    ok(mt_repair_mesh(&arena, &repaired, &repair));
    cr_assert(repaired.n_elements == 2 && !mt_groups_has(&repaired, 7, 0) && mt_groups_has(&repaired, 7, 1));
    assert_name(&repaired, 2, MT_SURFACE_LV, "ENDO");
    mt_arena_free(&arena);
}

Test(names, names_and_groups_change_the_fingerprint_and_their_absence_does_not)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    char plain[MT_HASH_SIZE], named[MT_HASH_SIZE], grouped[MT_HASH_SIZE];
    bool full;
    ok(mt_slab_make(&arena, (double[]){1, 1, 1}, 1, &mesh));
    ok(mt_mesh_hash(&mesh, plain));
    ok(mt_names_put(&arena, &mesh, 3, 1, "tissue", 6));
    ok(mt_mesh_hash(&mesh, named));
    ok(mt_groups_put(&arena, &mesh, 8, 2, &full));
    ok(mt_mesh_hash(&mesh, grouped));
    cr_assert(strcmp(plain, named) != 0 && strcmp(named, grouped) != 0 && strcmp(plain, grouped) != 0);
    mesh.groups[3] = 1;
    ok(mt_mesh_hash(&mesh, named));
    cr_assert_str_neq(named, grouped);
    mt_arena_free(&arena);
}

Test(names, a_tag_is_found_by_number_or_case_insensitive_name_or_all_are_listed)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    int32_t tag = 0;
    file(".msh", msh2_groups);
    read_path(&arena, &mesh);
    ok(mt_names_find(&mesh, MT_NAMES_FACES, "endo", &tag));
    cr_assert_eq(tag, MT_SURFACE_LV);
    ok(mt_names_find(&mesh, MT_NAMES_ELEMENTS, "-12", &tag));
    cr_assert_eq(tag, -12);
    cr_assert_eq(mt_names_find(&mesh, MT_NAMES_FACES, "tissue", &tag), MT_INPUT);
    assert_message("tissue is not a tag name; allowed: of the mesh's triangles: 3 (ENDO)");
    cr_assert_eq(mt_names_find(&mesh, MT_NAMES_ELEMENTS, "core", &tag), MT_INPUT);
    assert_message("of the mesh's elements: 0, 5 (tissue), 7 (scar  core ), 9");
    ok(mt_names_put(&arena, &mesh, 3, 9, "tissue", 6));
    cr_assert_eq(mt_names_find(&mesh, MT_NAMES_ELEMENTS, "tissue", &tag), MT_INPUT);
    assert_message("tissue is the name of several tags");
    mt_arena_free(&arena);
}

/* 100 characters of two bytes. */
Test(names, a_long_name_is_truncated_between_characters)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    char long_name[200], list[MT_NAMES_LIST];
    for (size_t k = 0; k < sizeof long_name; k += 2) memcpy(long_name + k, "\xc3\xa9", 2);
    ok(mt_slab_make(&arena, (double[]){1, 1, 1}, 1, &mesh));
    ok(mt_names_put(&arena, &mesh, 3, 1, long_name, sizeof long_name));
    cr_assert_eq(strlen(mt_names_text(&mesh, 3, 1)), MT_NAME_SIZE - 2);
    cr_assert_null(mt_utf8_invalid(mt_names_text(&mesh, 3, 1)));
    ok(mt_names_put(&arena, &mesh, 3, 1,
        "a\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
        "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
        25));
    mt_names_list(&mesh, 3, list);
    cr_assert_null(mt_utf8_invalid(list), "%s", list);
    mt_arena_free(&arena);
}

Test(names, common_names_identify_surfaces_and_others_do_not)
{
    static const struct {
        const char *name;
        int32_t surface;
    } names[] = {{"base", 1}, {"BASE", 1}, {"epi", 2}, {"Epicardium", 2}, {"ENDO", 3}, {"lv", 3},
        {"LV_endo", 3}, {"left ventricle endocardium", 3}, {"lv_endocardium", 3}, {"endo_lv", 3},
        {"lvendo", 3}, {"rv", 4}, {"right ventricle endocardium", 4}, {"RV-ENDO", 4}, {"left", 0},
        {"epicardial fat", 0}, {"basement", 0}, {"", 0}, {"lv free wall", 0}, {"2", 0}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        cr_assert_eq(mt_names_surface(names[k].name, false), names[k].surface, "%s", names[k].name);
    cr_assert_eq(mt_names_surface("ENDO", true), 0, "of two ventricles it does not say which");
}

/* Sets the tags of n triangles, and names of tags up to 4. */
static void settle(mt_arena *arena, mt_mesh *mesh, size_t n, const int32_t *tag, const char *const name[5])
{
    ok(mt_slab_make(arena, (double[]){1, 1, 1}, 1, mesh));
    ok(mt_mesh_new_faces(arena, n, mesh));
    memcpy(mesh->face_tag, tag, n * sizeof *tag);
    for (int32_t t = 1; t <= 4; t++)
        if (name[t]) ok(mt_names_put(arena, mesh, MT_NAMES_FACES, t, name[t], strlen(name[t])));
    ok(mt_names_settle(arena, mesh));
}

Test(names, names_and_not_numbers_identify_the_surface_of_a_tag)
{
    static const int32_t tag[] = {1, 2, 3, 4, 5, 7}, named[] = {3, 2, 1, 6, 5, 7};
    mt_arena arena = {0};
    mt_mesh mesh;
    settle(&arena, &mesh, 6, tag, (const char *const[5]){NULL, "ENDO", "EPI", "BASE", "patch"});
    cr_assert_arr_eq(mesh.face_tag, named, sizeof named);
    assert_name(&mesh, 2, MT_SURFACE_BASE, "BASE");
    assert_name(&mesh, 2, MT_SURFACE_EPI, "EPI");
    assert_name(&mesh, 2, MT_SURFACE_LV, "ENDO");
    assert_name(&mesh, 2, MT_SURFACE_RV, NULL);
    assert_name(&mesh, 2, 6, "patch");
    cr_assert(mt_names_confirm(&mesh));
    cr_assert_not_null(strstr(mesh.notes, "ENDO 1 is now 3, BASE 3 is now 1, other patch 4 is now 6"));
    settle(&arena, &mesh, 6, tag,
        (const char *const[5]){
            NULL, "base", "epicardium", "left ventricle endocardium", "right ventricle endocardium"});
    cr_assert_arr_eq(mesh.face_tag, tag, sizeof tag);
    cr_assert_null(mesh.notes);
    settle(&arena, &mesh, 6, tag, (const char *const[5]){NULL, "inside", NULL, NULL, NULL});
    cr_assert_arr_eq(mesh.face_tag, tag, sizeof tag);
    cr_assert(!mt_names_confirm(&mesh));
    mt_arena_free(&arena);
}

Test(names, elements_without_a_region_get_an_unused_tag)
{
    static const struct {
        int32_t region[4], expected[4];
        uint8_t without[4];
    } cases[] = {{{1, 2, 1, 2}, {0, 2, 0, 2}, {1, 0, 1, 0}}, {{0, 0, 1, 3}, {0, 2, 1, 3}, {0, 1, 0, 0}},
        {{9, 9, 9, 9}, {1, 1, 1, 1}, {1, 1, 1, 1}}, {{4, 5, 6, 7}, {4, 5, 6, 7}, {0, 0, 0, 0}},
        {{-1, 0, 1, 0}, {-1, 0, 1, 2}, {0, 0, 0, 1}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mt_arena arena = {0};
        mt_mesh mesh = {.n_elements = 4};
        int32_t region[4];
        memcpy(region, cases[k].region, sizeof region);
        mesh.region = region;
        ok(mt_names_unassigned(&arena, &mesh, cases[k].without));
        cr_assert_arr_eq(region, cases[k].expected, sizeof region, "case %zu", k);
        mt_arena_free(&arena);
    }
}

Test(names, an_invalid_list_of_names_is_rejected_with_its_line)
{
    static const struct {
        const char *text, *why;
    } bad[] = {{"2 1 a\n1 2 line\n", "names, line 2: '1'; allowed"}, {"2 x a", "line 1: '2'"},
        {"2 1\n", "line 1"}, {"3 99999999999 a\n", "line 1"}, {"group 1 x\n", "line 1"},
        {"group 4\n# x\ngroup 4\n", "line 3: group 4 is a duplicate"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        ok(mt_slab_make(&arena, (double[]){1, 1, 1}, 1, &mesh));
        cr_assert_eq(mt_names_parse(&arena, &mesh, bad[k].text, strlen(bad[k].text)), MT_INPUT, "%zu", k);
        assert_message(bad[k].why);
        mt_arena_free(&arena);
    }
}

Test(names, the_number_of_names_and_groups_is_limited)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    bool full = false;
    ok(mt_slab_make(&arena, (double[]){1, 1, 1}, 1, &mesh));
    for (int32_t k = 0; k < MT_NAMES_MAX; k++)
        ok(mt_names_put(&arena, &mesh, 3, (k * 7) % MT_NAMES_MAX, "x", 1));
    for (int32_t k = 0; k < MT_NAMES_MAX; k++) assert_name(&mesh, 3, k, "x");
    cr_assert_eq(mt_names_put(&arena, &mesh, 2, 1, "x", 1), MT_INPUT);
    for (int32_t k = 0; k < MT_GROUPS_MAX; k++) {
        ok(mt_groups_put(&arena, &mesh, 100 + k, 0, &full));
        cr_assert(!full);
    }
    ok(mt_groups_put(&arena, &mesh, 99, 0, &full));
    cr_assert(full && !mt_groups_has(&mesh, 99, 0) && mt_groups_has(&mesh, 131, 0) &&
              !mt_groups_has(&mesh, 131, 1));
    ok(mt_mesh_check(&mesh));
    mt_arena_free(&arena);
}
