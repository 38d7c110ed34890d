#include <criterion/criterion.h>

#include "tests/answers.h"
#include "tests/app/program.h"
#include "tests/leftovers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "mesh/files/gmsh.h"
#include "mesh/make/slab.h"
#include "mesh/names.h"
#include "mesh/vtk/vtkhdf.h"

TestSuite(convert, .init = enter_room, .fini = leave_room);

/* Creates a slab of 40 x 20 x 20 mm with coordinates and fibres that use every bit, two regions in sequence (MSH sorts by
 * region), and tagged triangles on its lower side. */
static void make(mt_arena *arena, mt_mesh *mesh)
{
    uint32_t f = 0;
    ok(mt_slab_make_cut(arena, (double[]){4, 2, 2}, 1, MT_SLAB_KUHN, mesh));
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) mesh->xyz_mm[k] *= 10.0 + 1.0 / 3;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        mesh->region[c] = c < mesh->n_elements / 3 ? 1 : 5;
        mesh->fibre[3 * c] = cos((double)c), mesh->fibre[3 * c + 1] = sin((double)c);
    }
    ok(mt_mesh_new_faces(arena, 16, mesh));
    for (uint32_t y = 0; y < 2; y++)
        for (uint32_t x = 0; x < 4; x++) {
            const uint32_t v = 5 * y + x, corner[6] = {v, v + 6, v + 1, v, v + 5, v + 6};
            memcpy(mesh->face_vertex + (size_t)6 * (f / 2), corner, sizeof corner);
            mesh->face_tag[f++] = 3, mesh->face_tag[f++] = 3;
        }
}

static void assert_same_mesh(const mt_mesh *a, const mt_mesh *b, double relative, double fibre)
{
    cr_assert(a->n_vertices == b->n_vertices && a->n_elements == b->n_elements);
    for (size_t k = 0; k < 3 * a->n_vertices; k++)
        cr_assert_float_eq(a->xyz_mm[k], b->xyz_mm[k], relative * fabs(a->xyz_mm[k]));
    cr_assert_arr_eq(a->element_vertex, b->element_vertex, 4 * a->n_elements * sizeof *a->element_vertex);
    cr_assert_arr_eq(a->region, b->region, a->n_elements * sizeof *a->region);
    cr_assert(!a->fibre == !b->fibre);
    for (size_t k = 0; a->fibre && k < 3 * a->n_elements; k++)
        cr_assert_float_eq(a->fibre[k], b->fibre[k], fibre);
}

static void assert_same_faces(const mt_mesh *a, const mt_mesh *b)
{
    cr_assert_eq(a->n_faces, b->n_faces);
    cr_assert_arr_eq(a->face_vertex, b->face_vertex, 3 * a->n_faces * sizeof *a->face_vertex);
    cr_assert_arr_eq(a->face_tag, b->face_tag, a->n_faces * sizeof *a->face_tag);
}

/* VTKHDF to MSH and back: everything, bit for bit. VTKHDF to CARP and back: everything, to the digits derived in
 * tests/mesh/files/test_carp.c. VTKHDF to VTU and back: everything, bit for bit. MSH to VTKHDF to CARP to VTU to VTKHDF:
 * everything, to CARP's digits. */
Test(convert, a_mesh_survives_conversion_through_all_formats)
{
    mt_arena arena = {0};
    mt_mesh made, from_msh, from_carp, from_vtu, round;
    char *table;
    make(&arena, &made);
    ok(mt_vtkhdf_write("a.hdf", &made, 0, NULL));
    free(warnings(&table, "mesh convert a.hdf a.msh")), free(table);
    free(warnings(&table, "mesh convert a.msh b.hdf")), free(table);
    ok(mt_vtkhdf_read(&arena, "b.hdf", &from_msh));
    assert_same_mesh(&made, &from_msh, 0, 0);
    assert_same_faces(&made, &from_msh);
    free(works("mesh convert a.hdf c.pts"));
    cr_assert(there("c.pts") && there("c.elem") && there("c.lon") && there("c.3.surf"));
    free(works("mesh convert c.elem c.hdf"));
    ok(mt_vtkhdf_read(&arena, "c.hdf", &from_carp));
    assert_same_mesh(&made, &from_carp, 3.4e-16, 1.5e-9);
    assert_same_faces(&made, &from_carp);
    free(works("mesh convert a.hdf e.vtu"));
    free(works("mesh convert e.vtu e.hdf"));
    ok(mt_vtkhdf_read(&arena, "e.hdf", &from_vtu));
    assert_same_mesh(&made, &from_vtu, 0, 0);
    assert_same_faces(&made, &from_vtu);
    free(works("mesh convert b.hdf d.elem"));
    free(works("mesh convert d.pts d.vtu"));
    free(works("mesh convert d.vtu d.hdf"));
    ok(mt_vtkhdf_read(&arena, "d.hdf", &round));
    assert_same_mesh(&from_msh, &round, 3.4e-16, 1.5e-9);
    assert_same_faces(&from_msh, &round);
    (void)things(); /* no incomplete files */
    mt_arena_free(&arena);
}

/* 4 2 2 boxes of 6 elements; 5 3 3 corners. */
Test(convert, the_table_reports_the_mesh_that_was_read)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    char *table;
    const double h = 10.0 + 1.0 / 3;
    const struct {
        const char *name;
        double value;
    } rows[] = {{"elements", 96}, {"vertices", 45}, {"regions", 2}, {"tagged_triangles", 16},
        {"triangle_tags", 1}, {"extent_x_mm", 4 * h}, {"extent_y_mm", 2 * h}, {"extent_z_mm", 2 * h},
        {"volume_mm3", 16 * h * h * h}};
    make(&arena, &mesh);
    ok(mt_gmsh_write("a.msh", &mesh));
    free(warnings(&table, "mesh convert a.msh a.hdf --format json"));
    cr_assert(is_json(table), "%s", table);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        cr_assert_float_eq(
            json_property(table, rows[k].name), rows[k].value, 1e-13 * rows[k].value, "%s", rows[k].name);
    cr_assert(strstr(table, "\"fibres\": \"yes\""), "%s", table);
    free(table);

    /* both tables distinguish uniform fibres, as programs generate them, from others */
    ok(mt_vtkhdf_write("b.hdf", &mesh, 0, NULL));
    free(works("mesh slab --size-mm 20,1,1 --edge-mm 1 -o c.hdf"));
    static const char *const alike[] = {"mesh info b.hdf", "mesh info c.hdf", "mesh convert c.hdf d.hdf"};
    for (size_t k = 0; k < 3; k++) {
        table = works("%s --format json", alike[k]);
        cr_assert(strstr(table, k > 0 ? "\"fibres\": \"yes, uniform\"" : "\"fibres\": \"yes\""), "%s", table);
        free(table);
    }
    mt_arena_free(&arena);
}

Test(convert, the_unit_option_applies_to_the_input_file)
{
    static const struct {
        const char *options;
        double mm;
    } units[] = {{"a.msh b.hdf", 1}, {"a.msh b.hdf --unit mm", 1}, {"a.msh b.hdf --unit um", 1e-3},
        {"--unit cm a.msh b.hdf", 10}, {"a.msh b.hdf --unit m", 1000}, {"c.pts b.hdf", 1},
        {"c.pts b.hdf --unit mm", 1000}, {"a.hdf b.hdf --unit mm", 1}, {"a.hdf b.hdf", 1}};
    mt_arena arena = {0};
    mt_mesh mesh, read;
    char *table, line[128];
    make(&arena, &mesh);
    ok(mt_gmsh_write("a.msh", &mesh));
    ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
    free(works("mesh convert a.hdf c.pts"));
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
        (void)snprintf(line, sizeof line, "mesh convert %s", units[k].options);
        free(warnings(&table, line)), free(table);
        ok(mt_vtkhdf_read(&arena, "b.hdf", &read));
        for (size_t i = 0; i < 3 * mesh.n_vertices; i++)
            cr_assert_float_eq(read.xyz_mm[i], units[k].mm * mesh.xyz_mm[i],
                4.5e-16 * units[k].mm * mesh.xyz_mm[i], "%s", line);
    }
    mt_arena_free(&arena);
}

Test(convert, lost_data_and_implausible_mesh_sizes_cause_warnings)
{
    static const struct {
        const char *line, *warning;
    } cases[] = {{"mesh convert a.hdf a.msh", NULL},
        {"mesh convert deep.hdf deep.msh", "deep.msh: MSH does not store transmural depth"},
        {"mesh convert a.hdf a.pts", NULL}, {"mesh convert a.msh b.hdf", NULL},
        {"mesh convert a.msh b.hdf --unit cm",
            "a.msh: the longest side is 413.333 mm; usual for a heart: 20 to 300"},
        {"mesh convert a.msh b.hdf --unit um", "a.msh: the longest side is 0.0413333 mm"},
        {"mesh convert a.hdf b.hdf", NULL},
        {"mesh convert deep.hdf a.pts", "a.pts: CARP does not store transmural depth"},
        {"mesh convert deep.hdf b.hdf", NULL}, {"mesh convert deep.hdf b.vtu", NULL}};
    mt_arena arena = {0};
    mt_mesh mesh;
    make(&arena, &mesh);
    ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
    mesh.depth = mt_arena_alloc(&arena, mesh.n_elements, sizeof *mesh.depth);
    cr_assert_not_null(mesh.depth);
    ok(mt_vtkhdf_write("deep.hdf", &mesh, 0, NULL));
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char *table, *said = warnings(&table, cases[k].line);
        cr_assert(cases[k].warning ? strstr(said, cases[k].warning) != NULL : !*said, "%s: %s", cases[k].line,
            said);
        cr_assert(!*said || strncmp(said, "myotile: warning: ", 18) == 0, "%s", said);
        cr_assert_eq(strchr(said, '\n') == strrchr(said, '\n'), true, "one line: %s", said);
        free(said), free(table);
    }
    mt_arena_free(&arena);
}

/* True if its temporary file is not empty. */
static bool is_being_written(const char *path)
{
    char pattern[64];
    glob_t found;
    struct stat info;
    bool any = false;
    (void)snprintf(pattern, sizeof pattern, ".%s.*.part", path);
    if (glob(pattern, GLOB_PERIOD, NULL, &found) != 0) return false;
    for (size_t k = 0; k < found.gl_pathc; k++)
        any = any || (stat(found.gl_pathv[k], &info) == 0 && info.st_size > 0);
    globfree(&found);
    return any;
}

/* Runs a command in a child. The test itself starts no threads, which a child would wait for without having them. */
static pid_t start(const char *line)
{
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) _exit(myotile("%s", line).code);
    return child;
}

/* During the write, which takes a tenth of a second or more. */
Test(convert, an_interrupt_deletes_the_partial_file)
{
    int ended = 0;
    const pid_t slab = start("mesh slab --size-mm 20,10,10 --edge-mm 0.5 -o slab.hdf");
    cr_assert_eq(waitpid(slab, &ended, 0), slab);
    cr_assert_eq(ended, 0);
    const pid_t child = start("mesh convert slab.hdf out.vtu");
    while (!is_being_written("out.vtu") && waitpid(child, &ended, WNOHANG) == 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    cr_assert_eq(kill(child, SIGINT), 0, "it ended before its file was seen");
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 130, "status %d", ended);
    cr_assert(!there("out.vtu") && leftovers("out.vtu") == 0);
}

Test(convert, invalid_options_are_rejected_and_leave_no_file)
{
    static const char *const twice =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 9 0 0\n3 0 9 0\n"
        "4 0 0 9\n$EndNodes\n$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 1 1 1 2 3 4\n"
        "$EndElements\n";
    free(works("mesh slab --size-mm 20,1,1 --edge-mm 1 -o a.hdf"));
    write_text("bad.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 zero\n");
    write_text("twice.msh", twice);
    write_text("triangle.vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n"
                               "0 0 0 1 0 0 0 1 0\nPOLYGONS 1 4\n3 0 1 2\n");
    write_text("turned.vtk",
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
        "0 0 0 60 0 0 0 60 0 0 0 60\nCELLS 1 5\n4 0 2 1 3\nCELL_TYPES 1\n10\n");
    refuses(2, "turned.vtk: inverted elements: 1 (element 0", "mesh convert turned.vtk c.hdf");
    free(works("mesh convert turned.vtk b.hdf --repair"));
    write_text("flat.vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n"
                           "0 0 0 1 0 0 0 1 0\nCELLS 1 5\n4 0 1 2 2\nCELL_TYPES 1\n10\n");
    refuses(2,
        "a.ply: unknown file name extension; allowed: .hdf (VTKHDF), .msh (MSH), .pts (CARP), .elem (CARP), ",
        "mesh convert a.ply a.msh");
    refuses(2, "a.vtk: .vtk files can only be read; allowed for writing: .hdf (VTKHDF), ",
        "mesh convert a.hdf a.vtk");
    refuses(2, "a.vtp: .vtp files can only be read; allowed for writing: ", "mesh convert a.hdf a.vtp");
    refuses(2, "a.xyz: unknown file name extension; allowed: ", "mesh convert a.hdf a.xyz");
    refuses(2, ".msh: unknown file name extension; allowed: ", "mesh convert a.hdf .msh");
    refuses(2, "unit inch; allowed: um, mm, cm, m", "mesh convert a.hdf b.hdf --unit inch");
    refuses(2, "bad.msh:6: coordinate is 'zero'", "mesh convert bad.msh b.hdf");
    refuses(2,
        "twice.msh: duplicate elements: 1 (element 1 at 2.25 2.25 2.25 mm); --repair removes duplicates",
        "mesh convert twice.msh b.hdf");
    refuses(2, "triangle.vtk: a surface of 1 triangles without elements; `myotile mesh fill`",
        "mesh convert triangle.vtk b.hdf");
    refuses(2, "flat.vtk: flat elements: 1 (element 0", "mesh convert flat.vtk b.hdf");
    refuses(3, "none.msh: ", "mesh convert none.msh b.hdf");
    refuses(3, "none.pts: ", "mesh convert none.pts b.hdf");
    refuses(3, "none/b.pts: ", "mesh convert a.hdf none/b.pts");
    refuses(2, "an argument is missing", "mesh convert a.hdf");
}

/* One element and its mirror image in the same vertex order, so the second is inverted. A third duplicates the first. */
static const char *const broken =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 90 0 0\n3 0 90 0\n4 0 0 90\n5 0 0 -90\n"
    "$EndNodes\n$Elements\n3\n1 4 2 1 1 1 2 3 4\n2 4 2 2 1 1 2 3 5\n3 4 2 1 1 2 3 1 4\n$EndElements\n";

Test(convert, an_unusable_mesh_is_rejected_with_a_remedy_and_repaired_on_request)
{
    mt_arena arena = {0};
    bool full;
    mt_mesh mesh;
    const struct {
        const char *name;
        double value;
    } rows[] = {{"elements", 2}, {"vertices", 5}, {"regions", 2}, {"volume_mm3", 243000},
        {"inverted_elements_reoriented", 1}, {"duplicate_elements_removed", 1}, {"pieces_removed", 0},
        {"vertices_removed", 0}};
    write_text("broken.msh", broken);
    refuses(2,
        "broken.msh: inverted elements: 1 (element 1 at 22.5 22.5 -22.5 mm); duplicate elements: 1 (element "
        "2 at 22.5 22.5 22.5 mm); --repair reorients inverted elements, removes duplicates",
        "mesh convert broken.msh a.hdf");
    refuses(2,
        "mm: volume -121500 mm^3; it must be above 0; `myotile mesh convert broken.msh OUT.hdf --repair` may",
        "mesh info broken.msh");
    char *table = works("mesh convert --repair broken.msh a.hdf --format json");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        cr_assert_float_eq(
            json_property(table, rows[k].name), rows[k].value, 1e-13 * rows[k].value, "%s", rows[k].name);
    free(table);
    ok(mt_vtkhdf_read(&arena, "a.hdf", &mesh));
    ok(mt_names_put(&arena, &mesh, MT_NAMES_ELEMENTS, 2, "scar", 4));
    ok(mt_names_put(&arena, &mesh, MT_NAMES_ELEMENTS, 7, "all", 3));
    for (size_t c = 0; c < 2; c++) ok(mt_groups_put(&arena, &mesh, 7, c, &full));
    ok(mt_vtkhdf_write("named.hdf", &mesh, 0, NULL));
    table = works("mesh info named.hdf --format json");
    cr_assert(json_number(table, "scar", "elements") == 1 && json_number(table, "all", "elements") == 2, "%s",
        table);
    free(table);
    cr_assert_arr_eq(mesh.region, ((int32_t[]){1, 2}), 2 * sizeof(int32_t));
    mt_arena_free(&arena);
}

/* Two boxes 100 mm apart, an unreferenced vertex, and a triangle that connects the boxes. */
Test(convert, harmless_defects_are_reported_and_removed_by_a_repair)
{
    mt_arena arena = {0};
    mt_mesh box, mesh;
    char *table;
    ok(mt_slab_make(&arena, (double[]){40, 40, 40}, 40, &box));
    ok(mt_mesh_new(&arena, 17, 12, &mesh));
    for (size_t k = 0; k < 48; k++) mesh.xyz_mm[k] = box.xyz_mm[k % 24] + (k >= 24 && k % 3 == 0 ? 100 : 0);
    for (size_t k = 0; k < 48; k++) mesh.element_vertex[k] = box.element_vertex[k % 24] + (k >= 24 ? 8 : 0);
    ok(mt_mesh_new_faces(&arena, 1, &mesh));
    memcpy(mesh.face_vertex, (uint32_t[]){0, 1, 9}, 3 * sizeof(uint32_t));
    ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
    char *said = warnings(&table, "mesh convert a.hdf b.hdf --format json");
    cr_assert(strstr(said, "warning: a.hdf: unreferenced vertices: 1 (vertex 16 at 0 0 0 mm)\n"), "%s", said);
    cr_assert(strstr(said, "warning: a.hdf: pieces detached from the largest: 1 (element 6 at "), "%s", said);
    cr_assert(
        strstr(said, "warning: a.hdf: tagged triangles that are not faces: 1 (triangle 0 at "), "%s", said);
    cr_assert_eq(json_property(table, "detached_pieces"), 1);
    free(said), free(table);
    table = works("mesh convert a.hdf b.hdf --repair --format json");
    cr_assert_eq(json_property(table, "elements_of_removed_pieces"), 6);
    cr_assert_eq(json_property(table, "vertices_removed"), 9);
    cr_assert_eq(json_property(table, "tagged_triangles_removed"), 1);
    cr_assert_null(strstr(table, "detached_pieces"));
    free(table);
    mt_arena_free(&arena);
}

/* A written file specifies mm. */
Test(convert, a_unit_that_contradicts_the_file_is_rejected)
{
    free(works("mesh slab --size-mm 2,1,1 --edge-mm 0.5 -o a.hdf"));
    free(works("mesh convert a.hdf b.hdf --unit mm"));
    refuses(2,
        "a.hdf: --unit cm, but the file states mm; allowed: mm, or no --unit; if the stated unit is wrong, "
        "convert the original again",
        "mesh convert a.hdf c.hdf --unit cm");
}

/* CARP keeps the names of surfaces as names of files; it has no place for the others. */
Test(convert, names_and_groups_that_carp_cannot_store_are_reported_once)
{
    mt_arena arena = {0};
    mt_mesh mesh, back;
    char *table;
    bool full;
    make(&arena, &mesh);
    ok(mt_names_put_surfaces(&arena, &mesh));
    ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
    free(works("mesh convert a.hdf a.pts"));
    cr_assert(there("a.lvendo.surf") && !there("a.3.surf"));
    free(works("mesh convert a.pts b.hdf"));
    ok(mt_vtkhdf_read(&arena, "b.hdf", &back));
    cr_assert_str_eq(mt_names_text(&back, MT_NAMES_FACES, MT_SURFACE_LV), "lvendo");
    ok(mt_names_put(&arena, &mesh, MT_NAMES_ELEMENTS, 5, "scar", 4));
    ok(mt_groups_put(&arena, &mesh, 8, 2, &full));
    ok(mt_vtkhdf_write("c.hdf", &mesh, 0, NULL));
    char *said = warnings(&table, "mesh convert c.hdf c.elem");
    cr_assert_str_eq(said,
        "myotile: warning: c.elem: CARP does not store tag names (1 are lost) and groups (1 are lost)\n");
    free(said), free(table);
    mt_arena_free(&arena);
}

/* The third element duplicates the first, in another region. */
Test(convert, a_repair_keeps_the_region_of_a_duplicate_as_a_group_and_reports_both_regions)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    char *table;
    write_text("a.pts", "5\n0 0 0\n90000 0 0\n0 90000 0\n0 0 90000\n0 0 -90000\n");
    write_text("a.elem", "3\nTt 0 1 2 3 1\nTt 0 2 1 4 1\nTt 1 2 0 3 7\n");
    refuses(2, "a.elem: duplicate elements: 1 (element 2", "mesh convert a.elem a.hdf");
    char *said = warnings(&table, "mesh convert a.elem a.hdf --repair --format json");
    cr_assert(
        strstr(said, "a.elem: 1 elements repeat an earlier one with another region (regions 1 and 7: 1): "
                     "each is merged into one element of the first region, in the groups of the others"),
        "%s", said);
    cr_assert_eq(json_property(table, "duplicate_elements_merged"), 1);
    cr_assert_eq(json_property(table, "duplicate_elements_removed"), 0);
    free(said), free(table);
    ok(mt_vtkhdf_read(&arena, "a.hdf", &mesh));
    cr_assert(mesh.n_elements == 2 && mt_groups_has(&mesh, 7, 0) && !mt_groups_has(&mesh, 7, 1));
    mt_arena_free(&arena);
}

Test(convert, an_implausible_mesh_size_causes_a_warning_with_the_likely_unit)
{
    char *table;
    free(works("mesh slab --size-mm 2,1,1 --edge-mm 0.5 -o a.hdf"));
    char *said = warnings(&table, "mesh info a.hdf");
    cr_expect_null(strstr(said, "longest side"), "%s", said);
    free(said), free(table);
    free(works("mesh slab --size-mm 20000,10000,10000 --edge-mm 5000 -o large.hdf"));
    said = warnings(&table, "mesh info large.hdf");
    cr_expect(
        strstr(said, "large.hdf: the longest side is 20000 mm; usual: 0.5 to 1000 mm; this appears to be "
                     "in micrometres (--unit um)"),
        "%s", said);
    free(said), free(table);
}
