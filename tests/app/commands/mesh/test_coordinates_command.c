/* `mesh coordinates`: files, tables and messages. */
#include <criterion/criterion.h>

#include "mesh/names.h"
#include "mesh/vtk/vtkhdf.h"
#include "data/files/h5.h"
#include "tests/app/program.h"
#include "tests/mesh/shell.h"

static mt_arena arena;

static void end(void)
{
    mt_arena_free(&arena);
    leave_room();
}

#define MT_COPY_OR_FAIL(to, from, n)                                                                         \
    cr_assert_not_null((to) = mt_arena_copy(&arena, (from), (n), sizeof *(to)))

TestSuite(coordinates_command, .init = enter_room, .fini = end);

/* A left ventricle with the apex at -z, and fibres, as "lv.hdf". */
static void write_shell(mt_mesh *mesh)
{
    const shell s = {6, 3, 1.5};
    shell_make(&arena, &s, mesh);
    cr_assert_eq(mt_mesh_new_fibres(&arena, mesh), MT_OK);
    for (size_t e = 0; e < mesh->n_elements; e++) mesh->region[e] = 7 + (int32_t)(e % 2);
    cr_assert_eq(mt_vtkhdf_write("lv.hdf", mesh, 0, NULL), MT_OK, "%s", mt_message());
}

/* Returns a field of the output: doubles at vertices. */
static double *field(const char *name, size_t n)
{
    MT_H5_SCOPE(h5);
    double *values = mt_arena_alloc(&arena, n, sizeof *values);
    cr_assert_eq(mt_h5_open("out.hdf", h5), MT_OK);
    cr_assert_eq(mt_h5_read(h5, name, MT_H5_DOUBLE, 1, &n, values), MT_OK, "%s", mt_message());
    return values;
}

Test(coordinates_command, the_output_is_the_mesh_with_coordinates_and_segments)
{
    mt_mesh mesh, out;
    write_shell(&mesh);
    free(works("mesh coordinates lv.hdf -o out.hdf --septum 0,1,0"));
    cr_assert_eq(mt_vtkhdf_read(&arena, "out.hdf", &out), MT_OK, "%s", mt_message());
    const int32_t *segment = out.segment;
    cr_assert_not_null(segment);
    out.segment = NULL; /* otherwise the mesh is the same */
    char before[MT_HASH_SIZE], after[MT_HASH_SIZE];
    cr_assert_eq(mt_mesh_hash(&mesh, before), MT_OK);
    cr_assert_eq(mt_mesh_hash(&out, after), MT_OK);
    cr_assert_str_eq(after, before);

    const size_t n = mesh.n_vertices;
    const double *transmural = field("VTKHDF/PointData/transmural", n);
    const double *rotational = field("VTKHDF/PointData/rotational", n);
    const double *apicobasal = field("VTKHDF/PointData/apicobasal", n);
    const double *transventricular = field("VTKHDF/PointData/transventricular", n);
    for (size_t v = 0; v < n; v++) {
        const double *x = mesh.xyz_mm + 3 * v;
        cr_assert_eq(transventricular[v], 0);
        cr_assert(transmural[v] >= 0 && transmural[v] <= 1 && rotational[v] >= 0 && rotational[v] <= 1);
        if (x[2] >= 0) cr_assert_eq(apicobasal[v], 1);
        /* the middle of the septum is at +y; anterior is z x y, -x */
        if (x[2] < -20 || fabs(x[0]) > 1e-9) continue;
        cr_assert_float_eq(rotational[v], x[1] > 0 ? 5.0 / 6 : 1.0 / 3, 0.02, "%g", rotational[v]);
    }
    for (size_t e = 0; e < mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&mesh, e, x);
        cr_assert(segment[e] >= 1 && segment[e] <= 17);
        if (segment[e] <= 2) cr_assert(x[0] < 1, "%zu: %g", e, x[0]); /* anterior and anteroseptal */
    }
}

/* Nothing is written if one of the pictures exists and is not of this program. */
Test(coordinates_command, four_pictures_show_coordinates_and_segments)
{
    static const char *const names[] = {"transmural", "rotational", "apicobasal", "segment"};
    mt_mesh mesh;
    char path[64];
    write_shell(&mesh);
    free(works("mesh coordinates lv.hdf -o out.hdf --septum 0,1,0 --pictures lv"));
    for (size_t k = 0; k < 4; k++) {
        (void)snprintf(path, sizeof path, "lv-%s.png", names[k]);
        cr_expect(there(path), "%s", path);
        for (size_t other = 0; other < k; other++) {
            char before[64];
            (void)snprintf(before, sizeof before, "lv-%s.png", names[other]);
            cr_expect_not(same_file(before, path), "%s and %s", before, path);
        }
    }
    write_text("mine-segment.png", "not a picture");
    refuses(3, "mine-segment.png", "mesh coordinates lv.hdf -o new.hdf --septum 0,1,0 --pictures mine");
    cr_expect_not(there("new.hdf") || there("mine-transmural.png"));
}

static void expect_coordinates(const char *path, size_t n, const double *rotational)
{
    mt_mesh mesh;
    cr_assert_eq(mt_vtkhdf_read(&arena, path, &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mesh.n_vertices, n);
    for (size_t k = 0; k < MT_COORDINATES; k++) cr_assert_not_null(mesh.coordinate[k], "%s", path);
    for (size_t v = 0; v < n; v++) cr_assert_eq(mesh.coordinate[MT_ROTATIONAL][v], rotational[v], "%s", path);
}

Test(coordinates_command, other_commands_keep_coordinates)
{
    mt_mesh mesh, fine;
    write_shell(&mesh);
    free(works("mesh coordinates lv.hdf -o out.hdf --septum 0,1,0"));
    const double *rotational = field("VTKHDF/PointData/rotational", mesh.n_vertices);
    expect_coordinates("out.hdf", mesh.n_vertices, rotational);
    free(works("mesh convert out.hdf again.hdf"));
    free(works("mesh fibres again.hdf -o fibred.hdf"));
    expect_coordinates("fibred.hdf", mesh.n_vertices, rotational);
    char *table, *text = warnings(&table, "mesh convert out.hdf out.vtu");
    cr_assert(strstr(text, "does not store ventricular coordinates"), "%s", text);
    free(text), free(table);
    free(works("mesh refine out.hdf -o fine.hdf"));
    cr_assert_eq(mt_vtkhdf_read(&arena, "fine.hdf", &fine), MT_OK);
    for (size_t k = 0; k < MT_COORDINATES; k++) cr_assert_null(fine.coordinate[k]);
}

/* A mesh with an unused vertex in front has other numbers after its removal. */
Test(coordinates_command, coordinates_belong_to_their_vertices_and_are_checked)
{
    mt_mesh mesh;
    write_shell(&mesh);
    const size_t n = mesh.n_vertices;
    uint8_t *keep = mt_arena_alloc(&arena, n, 1);
    double *value = mt_arena_alloc(&arena, n, sizeof *value);
    for (size_t v = 0; v < n; v++) value[v] = (double)v / (double)n;
    for (size_t k = 0; k < MT_COORDINATES; k++) MT_COPY_OR_FAIL(mesh.coordinate[k], value, n);
    for (size_t v = 0; v < n; v++) mesh.coordinate[MT_TRANSVENTRICULAR][v] = (double)(v % 2);
    cr_assert_eq(mt_mesh_check(&mesh), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < MT_COORDINATES; k++) {
        mt_mesh wrong = mesh;
        MT_COPY_OR_FAIL(wrong.coordinate[k], mesh.coordinate[k], n);
        wrong.coordinate[k][7] = k == MT_TRANSVENTRICULAR ? 0.5 : 1.5;
        cr_assert_eq(mt_mesh_check(&wrong), MT_INPUT);
        cr_assert(strstr(mt_message(), "vertex 7: ") && strstr(mt_message(), mt_coordinate_name[k]), "%s",
            mt_message());
    }
    mesh.n_elements = mesh.n_faces = 0;
    for (size_t v = 0; v < n; v++) keep[v] = v % 3 != 0;
    cr_assert_eq(mt_mesh_keep_vertices(&arena, &mesh, keep), MT_OK);
    for (size_t v = 0; v < mesh.n_vertices; v++)
        cr_assert_eq(mesh.coordinate[MT_APICOBASAL][v], value[v / 2 * 3 + 1 + v % 2], "%zu", v);
}

Test(coordinates_command, the_table_has_all_segments_and_their_volumes)
{
    mt_mesh mesh;
    double total = 0;
    write_shell(&mesh);
    char *text = works("mesh coordinates lv.hdf -o out.hdf --septum 0,1,0 --format json");
    cr_assert_eq(json_property(text, "ventricles"), 1, "%s", text);
    cr_assert_float_eq(json_property(text, "left_wall_mm"), 12, 2, "%s", text);
    cr_assert_float_eq(json_property(text, "septal_normal_y"), 1, 1e-9);
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, "\"volume_ml\": ")) != NULL; at++, n++)
        total += strtod(at + strlen("\"volume_ml\": "), NULL);
    cr_assert_eq(n, 17, "%zu", n);
    for (size_t e = 0; e < mesh.n_elements; e++) total -= mt_mesh_volume_mm3(&mesh, e) / 1000;
    cr_assert_lt(fabs(total), 1e-9, "%g", total);
    cr_assert(
        strstr(text, "\"basal anteroseptal\"") && strstr(text, "\"apex\"") && !strstr(text, "free wall"));
    free(text);
}

Test(coordinates_command, an_arbitrary_septum_is_reported)
{
    mt_mesh mesh;
    write_shell(&mesh);
    char *table, *text = warnings(&table, "mesh coordinates lv.hdf -o out.hdf");
    cr_assert(strstr(text, "lv.hdf: no right ventricle") && strstr(text, "(1.000, 0.000, "), "%s", text);
    free(text), free(table);
}

Test(coordinates_command, invalid_input_is_rejected_and_writes_nothing)
{
    mt_mesh mesh;
    write_shell(&mesh);
    refuses(2, "in .hdf", "mesh coordinates lv.hdf -o out.vtu");
    refuses(2, "--septum 1,2; allowed: 3 numbers", "mesh coordinates lv.hdf -o out.hdf --septum 1,2");
    refuses(2, "along the long axis", "mesh coordinates lv.hdf -o out.hdf --septum 0,0,3");
    refuses(2, "lv.hdf", "mesh coordinates lv.hdf -o lv.hdf --force");
    refuses(2, "MESH", "mesh coordinates -o out.hdf");
    for (size_t f = 0; f < mesh.n_faces; f++) mesh.face_tag[f] += mesh.face_tag[f] == MT_SURFACE_LV;
    mesh.n_names = 0;
    cr_assert_eq(mt_names_put_surfaces(&arena, &mesh), MT_OK);
    cr_assert_eq(mt_vtkhdf_write("rv.hdf", &mesh, 0, NULL), MT_OK);
    refuses(2, "left endocardium", "mesh coordinates rv.hdf -o out.hdf");
    free(works("mesh slab -o slab.hdf --size-mm 2,2,2 --edge-mm 1"));
    refuses(2, "slab.hdf", "mesh coordinates slab.hdf -o out.hdf");
    cr_assert_neq(access("out.hdf", F_OK), 0);
}

/* A segment as a region of a refinement and of a case; refined elements inherit theirs. */
Test(coordinates_command, segments_select_elements_and_survive_refinement)
{
    mt_mesh mesh, fine;
    write_shell(&mesh);
    free(works("mesh coordinates lv.hdf -o out.hdf --septum 0,1,0"));
    refuses(2, "has no segments: `myotile mesh coordinates` writes them",
        "mesh refine lv.hdf -o fine.hdf --where {\"segment\":7} --edge-mm 2");
    free(works("mesh refine out.hdf -o fine.hdf --where {\"segment\":mid_anterior} --edge-mm 2.5"));
    cr_assert_eq(mt_vtkhdf_read(&arena, "out.hdf", &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_vtkhdf_read(&arena, "fine.hdf", &fine), MT_OK, "%s", mt_message());
    double volume[2][MT_SEGMENT_LAST + 1] = {{0}};
    size_t n[2][MT_SEGMENT_LAST + 1] = {{0}};
    for (int k = 0; k < 2; k++) {
        const mt_mesh *m = k ? &fine : &mesh;
        cr_assert_not_null(m->segment);
        for (size_t e = 0; e < m->n_elements; e++)
            volume[k][m->segment[e]] += mt_mesh_volume_mm3(m, e), n[k][m->segment[e]]++;
    }
    for (int s = 1; s <= MT_SEGMENT_LAST; s++)
        cr_assert_float_eq(volume[0][s], volume[1][s], 1e-9 * volume[0][s], "%d", s);
    cr_assert(n[1][7] > 4 * n[0][7] && n[1][4] == n[0][4], "%zu, %zu", n[0][7], n[1][7]);
    char *table = works("mesh info out.hdf --trial-steps 2 --format json");
    cr_assert(strstr(table, "\"segments\": \"yes\""), "%s", table);
    free(table);
}

/* The shell twice, the second one far away. */
Test(coordinates_command, a_mesh_of_two_pieces_is_refused)
{
    mt_mesh one, two;
    write_shell(&one);
    cr_assert_eq(mt_mesh_new(&arena, 2 * one.n_vertices, 2 * one.n_elements, &two), MT_OK);
    cr_assert_eq(mt_mesh_new_faces(&arena, 2 * one.n_faces, &two), MT_OK);
    for (size_t k = 0; k < 3 * two.n_vertices; k++)
        two.xyz_mm[k] = one.xyz_mm[k % (3 * one.n_vertices)] + (k < 3 * one.n_vertices ? 0 : 300);
    for (size_t k = 0; k < 4 * two.n_elements; k++)
        two.element_vertex[k] = one.element_vertex[k % (4 * one.n_elements)] +
                                (k < 4 * one.n_elements ? 0 : (uint32_t)one.n_vertices);
    for (size_t k = 0; k < 3 * two.n_faces; k++)
        two.face_vertex[k] =
            one.face_vertex[k % (3 * one.n_faces)] + (k < 3 * one.n_faces ? 0 : (uint32_t)one.n_vertices);
    for (size_t f = 0; f < two.n_faces; f++) two.face_tag[f] = one.face_tag[f % one.n_faces];
    for (size_t e = 0; e < two.n_elements; e++) two.region[e] = 1;
    cr_assert_eq(mt_names_put_surfaces(&arena, &two), MT_OK);
    cr_assert_eq(mt_vtkhdf_write("two.hdf", &two, 0, NULL), MT_OK, "%s", mt_message());
    refuses(2, "two.hdf: 2 connected pieces; allowed: 1; `myotile mesh convert --repair` keeps the largest",
        "mesh coordinates two.hdf -o out.hdf");
    refuses(2, "two.hdf: 2 connected pieces", "mesh purkinje two.hdf -o out.vtp");
}

/* One of seven triangles has a wrong tag. */
Test(coordinates_command, unlikely_surfaces_give_a_warning)
{
    mt_mesh mesh;
    char *out;
    write_shell(&mesh);
    for (size_t f = 0; f < mesh.n_faces; f += 7)
        mesh.face_tag[f] = mesh.face_tag[f] == MT_SURFACE_EPI ? MT_SURFACE_LV : MT_SURFACE_EPI;
    cr_assert_eq(mt_names_put_surfaces(&arena, &mesh), MT_OK);
    cr_assert_eq(mt_vtkhdf_write("noisy.hdf", &mesh, 0, NULL), MT_OK, "%s", mt_message());
    char *text = warnings(&out, "mesh coordinates noisy.hdf -o out.hdf --surfaces given --septum 0,1,0");
    cr_expect(strstr(text, "noisy.hdf: the transmural coordinate differs from a linear one by "), "%s", text);
    free(text), free(out);
}
