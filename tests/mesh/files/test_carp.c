#include <criterion/criterion.h>

#include <math.h>
#include <unistd.h>

#include "mesh/adjacency.h"
#include "mesh/files/carp.h"
#include "mesh/make/slab.h"
#include "mesh/names.h"
#include "tests/answers.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/examples.h"
#include "tests/temporary.h"

static char folder[64], name[96], file[3][128];

static void enter(void)
{
    temporary_pattern(folder, sizeof folder, "myotile_carp_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(name, sizeof name, "%s/heart", folder);
    for (int k = 0; k < 3; k++) (void)snprintf(file[k], sizeof file[k], "%s%s", name, carp_endings[k]);
}

static const char *const surface_endings[] = {".base.surf", ".epi.surf", ".7.surf", ".-3.surf", ".ear.surf",
    ".7x.surf", ".base.vtx", ".8.surf", ".8.vtx", ".epi.vtx", ".epi.surf.vtx"};

static void remove_surfaces(void)
{
    for (size_t k = 0; k < sizeof surface_endings / sizeof *surface_endings; k++) {
        char path[160];
        (void)snprintf(path, sizeof path, "%s%s", name, surface_endings[k]);
        (void)unlink(path);
    }
}

static void leave(void)
{
    for (int k = 0; k < 3; k++) (void)unlink(file[k]);
    remove_surfaces();
    (void)rmdir(folder);
}

TestSuite(carp, .init = enter, .fini = leave);

static void write_good(void)
{
    for (int k = 0; k < 3; k++) write_bytes(file[k], carp_good[k], strlen(carp_good[k]));
}

Test(carp, the_three_files_form_a_mesh_for_any_specified_extension)
{
    static const double xyz[15] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1},
                        fibre[6] = {0, 0, 1, 0.6, 0.8, 0};
    static const uint32_t elements[8] = {1, 0, 2, 3, 1, 0, 2, 4};
    const char *const names[4] = {name, file[0], file[1], file[2]};
    write_good();
    for (int k = 0; k < 4; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        ok(mt_carp_read(&arena, names[k], 0.001, &mesh));
        cr_assert(mesh.n_vertices == 5 && mesh.n_elements == 2 && mesh.n_faces == 0 && mesh.fibre);
        for (int i = 0; i < 15; i++) cr_assert_float_eq(mesh.xyz_mm[i], xyz[i], 1e-15);
        cr_assert_arr_eq(mesh.element_vertex, elements, sizeof elements);
        for (int i = 0; i < 6; i++) cr_assert_float_eq(mesh.fibre[i], fibre[i], 1e-15);
        cr_assert(mesh.region[0] == -7 && mesh.region[1] == 0, "%d", mesh.region[1]);
        cr_assert_not_null(strstr(mesh.notes, "1 of 2 elements have no region in the file"));
        mt_arena_free(&arena);
    }
}

Test(carp, fibres_can_have_sheets_lack_a_header_or_be_missing)
{
    static const char *const lon[] = {
        "2\n0 3 0 1 0 0\n0 1 0 0 0 1\n", "0 1 0\n0 1 0\n", "0 1 0 1 0 0\n0 1 0 0 0 1", NULL};
    write_good();
    for (size_t k = 0; k < sizeof lon / sizeof *lon; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        (void)unlink(file[2]);
        if (lon[k]) write_bytes(file[2], lon[k], strlen(lon[k]));
        ok(mt_carp_read(&arena, name, 0.001, &mesh));
        cr_assert_eq(mesh.fibre != NULL, lon[k] != NULL);
        cr_assert_eq(mesh.sheet != NULL, k == 0 || k == 2);
        for (size_t c = 0; c < 2 && mesh.fibre; c++) cr_assert_eq(mesh.fibre[3 * c + 1], 1);
        for (size_t c = 0; c < 2 && mesh.sheet; c++) cr_assert_eq(mesh.sheet[3 * c + 2 * c], 1);
        mt_arena_free(&arena);
    }
}

struct fault {
    int file;
    const char *text, *why;
};

static const struct fault faults[] = {
    {0, "", "heart.pts:1: the file ends before the number of points"},
    {0, "6\n1000 0 0\n0 0 0\n0 1e3 0\n0 0 1000\n0 0 -1000.0\n",
        ".pts:7: the file ends before the coordinate"},
    {0, "4\n1000 0 0\n0 0 0\n0 1e3 0\n0 0 1000\n0 0 -1000.0\n", ".pts:6: '0' after the last of 4 points"},
    {0, "400\n1000 0 0\n", ".pts:1: number of points is 400; the rest of the file has space for "},
    {0, "2\n1000 0\n0 0 0\n", ".pts:2: the line ends after 2 of 3 numbers"},
    {0, "1\n1000 0 0 0\n", ".pts:2: '0' after three coordinates"},
    {0, "1\n1000 0 nan\n", ".pts:2: coordinate is 'nan'"},
    {0, "1\n1000 0 1e20\n", ".pts:2: coordinate is '1e20'"},
    {0, "0\n", ".pts:1: number of points is 0"},
    {1, "2\nTt 1 0 2 3 1\nHx 1 0 2 3 4 5 6 7 1\n", ".elem:3: element 'Hx'; allowed: Tt"},
    {1, "2\nTt 1 0 2 3 1\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
        "the file ends; allowed: Tt (a tetrahedron); after 1 of 2 elements"},
    {1, "1\nTt 1 0 2 5 1\n", ".elem:2: vertex is '5'; allowed: a whole number from 0 to 4"},
    {1, "1\nTt 1 0 2 -1 1\n", ".elem:2: vertex is '-1'"},
    {1, "1\nTt 1 0 2\n", ".elem:2: the line ends after 3 of 4 numbers"},
    {1, "1\nTt 1 0 2 3 1.5\n", ".elem:2: region is '1.5'"},
    {1, "1\nTt 1 0 2 3 1 1\n", ".elem:2: '1' after the region"},
    {2, "1\n1 0 0\n", ".lon:3: the file ends before the component of a fibre"},
    {2, "1\n1 0 0\n0 0 0\n", ".lon:3: a fibre of length 0"},
    {2, "1\n1 0 0\n0 nan 0\n", ".lon:3: component of a fibre is 'nan'"},
    {2, "1\n1 0 0\n0 1 0\n0 0 1\n", ".lon:4: '0' after the last of 2 fibres"},
    {2, "3\n1 0 0\n0 1 0\n", ".lon:1: number of vectors per element is '3'"},
    {2, "1 0\n0 1\n", ".lon:1: 2 numbers; allowed: a header of 1 or 2"},
    {2, "2\n1 0 0 2 0 0\n0 1 0 0 0 1\n",
        ".lon:2: a fibre of length 0 (bath, or isotropic), or a sheet parallel to its fibre; every element "
        "needs directions"},
    {2, "2\n1 0 0\n0 1 0\n", ".lon:2: the line ends after 3 of 6 numbers"},
};

Test(carp, every_fault_is_reported_with_its_line)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        write_good();
        write_bytes(file[faults[i].file], faults[i].text, strlen(faults[i].text));
        cr_assert_eq(mt_carp_read(&arena, name, 0.001, &mesh), MT_INPUT, "fault %zu", i);
        assert_message(name);
        assert_message(faults[i].why);
        mt_arena_free(&arena);
    }
}

Test(carp, missing_files_and_invalid_names_are_rejected)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(mt_carp_read(&arena, name, 0.001, &mesh), MT_FILE);
    assert_message(file[0]);
    cr_assert_eq(mt_carp_read(&arena, ".pts", 0.001, &mesh), MT_INPUT);
    ok(mt_slab_make(&arena, (double[]){1, 1, 1}, 1, &mesh));
    cr_assert_eq(mt_carp_write("", &mesh), MT_INPUT);
    cr_assert_eq(mt_carp_write("/tmp/myotile_no_such_directory/a", &mesh), MT_FILE);
    assert_message("/tmp/myotile_no_such_directory/a.pts");
    mt_arena_free(&arena);
}

/* Times 1000 and times 0.001, three roundings including that of 0.001: 3 * 1.1e-16 of the number, and 15 to 17 digits without loss. Fibres
 * have nine decimals, each with an error of at most 5e-10; normalisation adds at most that again. */
Test(carp, written_meshes_are_read_back)
{
    mt_arena arena = {0};
    mt_mesh out, in;
    ok(mt_slab_make(&arena, (double[]){2, 1, 1}, 0.5, &out));
    for (size_t k = 0; k < 3 * out.n_vertices; k++) out.xyz_mm[k] = out.xyz_mm[k] / 3 - 0.1;
    for (size_t c = 0; c < out.n_elements; c++) {
        out.region[c] = (int32_t)c - 5;
        out.fibre[3 * c] = cos((double)c), out.fibre[3 * c + 2] = sin((double)c);
    }
    ok(mt_carp_write(name, &out));
    ok(mt_carp_read(&arena, name, 0.001, &in));
    cr_assert(in.n_vertices == out.n_vertices && in.n_elements == out.n_elements && in.fibre);
    for (size_t k = 0; k < 3 * out.n_vertices; k++)
        cr_assert_float_eq(in.xyz_mm[k], out.xyz_mm[k], 3.4e-16 * fabs(out.xyz_mm[k]), "%zu", k);
    for (size_t k = 0; k < 3 * out.n_elements; k++) cr_assert_float_eq(in.fibre[k], out.fibre[k], 1.5e-9);
    cr_assert_arr_eq(in.element_vertex, out.element_vertex, 4 * out.n_elements * sizeof *out.element_vertex);
    cr_assert_arr_eq(in.region, out.region, out.n_elements * sizeof *out.region);
    mt_arena_free(&arena);
}

Test(carp, accompanying_surface_files_are_the_tagged_triangles_in_order_of_tag)
{
    static const uint32_t triangles[12] = {0, 1, 4, 1, 0, 3, 0, 2, 3, 1, 2, 4};
    static const int32_t tags[4] = {-3, 2, 2, 7};
    static const char *const texts[] = {
        NULL, "2\nTr 1 0 3\nTr 0 2 3 9\n", "1\nTr 1 2 4\n", "1\nTr 0 1 4\n", "no surface", "no surface"};
    mt_arena arena = {0};
    mt_mesh mesh;
    write_good();
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (texts[k]) cr_assert(put_texts(name, surface_endings + k, 1, texts + k));
    ok(mt_carp_read(&arena, name, 0.001, &mesh));
    cr_assert_eq(mesh.n_faces, 4);
    cr_assert_arr_eq(mesh.face_vertex, triangles, sizeof triangles);
    cr_assert_arr_eq(mesh.face_tag, tags, sizeof tags);
    cr_assert_str_eq(mt_names_text(&mesh, MT_NAMES_FACES, MT_SURFACE_EPI), "epi");
    cr_assert_null(mt_names_text(&mesh, MT_NAMES_FACES, 7));
    mesh.face_tag[0] = 1, mesh.face_tag[3] = 1;
    ok(mt_names_put(&arena, &mesh, MT_NAMES_FACES, 1, "base", 4));
    ok(mt_carp_write(name, &mesh));
    ok(mt_carp_read(&arena, name, 0.001, &mesh));
    cr_assert_eq(mesh.n_faces, 4);
    cr_assert_arr_eq(mesh.face_tag, ((int32_t[]){1, 1, 2, 2}), sizeof tags, "those of 7 and -3 are gone");
    mt_arena_free(&arena);
}

/* The elements are 1 0 2 3 and 1 0 2 4, the second inverted. The list of the epicardium, which has a file, contains a vertex that does not
 * exist; the other files that meshtool writes with a .surf are not lists of a surface. */
Test(carp, accompanying_vertex_lists_tag_the_boundary_triangles_within_them)
{
    static const uint32_t triangles[4][3] = {{1, 0, 3}, {0, 1, 4}, {1, 2, 3}, {1, 2, 4}};
    static const int32_t tags[4] = {2, 1, 8, 8};
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert(make_carp_lists(name));
    cr_assert(put_texts(name, (const char *const[]){".epi.vtx", ".epi.surf.vtx"}, 2,
        (const char *const[]){"1\nintra\n99\n", "no list"}));
    ok(mt_carp_read(&arena, name, 0.001, &mesh));
    cr_assert_eq(mesh.n_faces, 4);
    cr_assert_arr_eq(mesh.face_tag, tags, sizeof tags);
    for (size_t f = 0; f < 4; f++) {
        uint32_t *v = mesh.face_vertex + 3 * f,
                 sorted[3] = {triangles[f][0], triangles[f][1], triangles[f][2]};
        mt_face_sort(v), mt_face_sort(sorted);
        cr_assert_arr_eq(v, sorted, sizeof sorted, "triangle %zu", f);
    }
    mt_arena_free(&arena);
}

/* A named list has precedence for a triangle in both; among numbered lists the lower number. */
Test(carp, named_lists_precede_numbered_ones_and_a_list_without_triangles_is_rejected)
{
    static const char *const endings[] = {".base.vtx", ".8.vtx"};
    static const char all[] = "5\nintra\n0\n1\n2\n3\n4\n", one[] = "3\nintra\n0\n1\n3\n",
                      inner[] = "3\nintra\n0\n1\n2\n";
    mt_arena arena = {0};
    mt_mesh mesh;
    write_good();
    cr_assert(put_texts(name, endings, 2, (const char *const[]){one, all}));
    ok(mt_carp_read(&arena, name, 0.001, &mesh));
    cr_assert(mesh.n_faces == 6 && mesh.face_tag[0] == MT_SURFACE_BASE && mesh.face_tag[1] == 8);
    cr_assert(put_texts(name, endings, 2, (const char *const[]){all, one}));
    cr_assert_eq(mt_carp_read(&arena, name, 0.001, &mesh), MT_INPUT);
    assert_message(
        "heart.8.vtx: 3 vertices with 1 triangles of the boundary between them, all in other surfaces");
    cr_assert(put_texts(name, endings, 2, (const char *const[]){all, inner}));
    cr_assert_eq(mt_carp_read(&arena, name, 0.001, &mesh), MT_INPUT);
    assert_message("heart.8.vtx: 3 vertices with 0 triangles of the boundary between them; allowed");
    mt_arena_free(&arena);
}

/* The surfaces of a mesh have precedence over lists of that name; another list next to the file would add a surface. */
Test(carp, a_mesh_is_not_written_next_to_lists_that_would_become_its_surfaces)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert(make_carp_lists(name));
    ok(mt_carp_read(&arena, name, 0.001, &mesh));
    ok(mt_carp_write(name, &mesh));
    ok(mt_carp_read(&arena, name, 0.001, &mesh));
    cr_assert_arr_eq(mesh.face_tag, ((int32_t[]){1, 2, 8, 8}), 4 * sizeof *mesh.face_tag);
    mesh.n_faces = 2;
    cr_assert_eq(mt_carp_write(name, &mesh), MT_INPUT);
    assert_message("heart.8.vtx: this list of vertices would be read as a surface of the written mesh; "
                   "allowed: another name for one of them");
    mt_arena_free(&arena);
}

Test(carp, faults_in_vertex_lists_are_reported_with_their_line)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    write_good();
    cr_assert(put_texts(name, (const char *const[]){".8.vtx"}, 1, (const char *const[]){"2\nintra\n4\n5\n"}));
    cr_assert_eq(mt_carp_read(&arena, name, 0.001, &mesh), MT_INPUT);
    assert_message("heart.8.vtx:4: vertex is '5'; allowed: a whole number from 0 to 4");
    mt_arena_free(&arena);
}

/* An array of distinct numbers used as tags would create as many files. */
Test(carp, a_mesh_with_too_many_tags_is_rejected_before_any_file_is_written)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    ok(mt_slab_make(&arena, (double[]){1, 1, 1}, 1, &mesh));
    ok(mt_mesh_new_faces(&arena, MT_CARP_TAGS_MAX + 1, &mesh));
    for (size_t f = 0; f < mesh.n_faces; f++) mesh.face_tag[f] = -(int32_t)f;
    cr_assert_eq(mt_carp_write(name, &mesh), MT_INPUT);
    assert_message("triangles of 1001 different tags; allowed: at most 1000");
    cr_assert_neq(access(file[0], F_OK), 0);
    mt_arena_free(&arena);
}

Test(carp, faults_in_surface_files_are_reported)
{
    static const char *const bad[][2] = {{"2\nTr 1 0 3\n", ".base.surf:3: the file ends; allowed: Tr"},
        {"1\nTt 1 0 3 2\n", ".base.surf:2: element 'Tt'; allowed: Tr (a triangle); after 0 of 1"},
        {"1\nTr 1 0 5\n", ".base.surf:2: vertex is '5'; allowed: a whole number from 0 to 4"},
        {"1\nTr 1 0\n", ".base.surf:2: the line ends after 2 of 3 numbers"},
        {"1\nTr 1 0 3\nTr 1 0 2\n", ".base.surf:3: 'Tr' after the last of 1 triangles"},
        {"9999\nTr 1 0 3\n", ".base.surf:1: number of triangles"},
        {"0\n", ".base.surf:1: number of triangles"}};
    write_good();
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        cr_assert(put_texts(name, surface_endings, 1, bad[k]));
        cr_assert_eq(mt_carp_read(&arena, name, 0.001, &mesh), MT_INPUT, "%s", bad[k][0]);
        assert_message(bad[k][1]);
        mt_arena_free(&arena);
    }
}

Test(carp, out_of_memory_is_reported_without_a_leak)
{
    mt_status status = MT_MEMORY;
    write_good();
    cr_assert(make_carp_lists(name));
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_arena_fail_at(n);
        status = mt_carp_read(&arena, name, 0.001, &mesh);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK ? n > 13 : status == MT_MEMORY, "take %zu: %s", n, mt_message());
    }
}
