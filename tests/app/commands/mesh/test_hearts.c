/* Hearts by command: generated, with fibres, simulated. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>
#include <sys/personality.h>

#include "tests/app/program.h"

#include "mesh/make/slab.h"
#include "mesh/names.h"
#include "mesh/vtk/vtkhdf.h"

TestSuite(hearts, .init = enter_room, .fini = leave_room);

Test(hearts, ventricles_have_the_requested_number_of_elements_and_tagged_surfaces)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    free(works("mesh ventricles --elements 5200 -o heart.hdf")); /* with few attempts of gmsh */
    cr_assert_eq(mt_vtkhdf_read(&arena, "heart.hdf", &mesh), MT_OK, "%s", mt_message());
    cr_assert(fabs((double)mesh.n_elements / 5200 - 1) <= 0.01, "%zu elements", mesh.n_elements);
    size_t faces[5] = {0};
    for (size_t f = 0; f < mesh.n_faces; f++) {
        cr_assert(
            mesh.face_tag[f] >= MT_SURFACE_BASE && mesh.face_tag[f] <= MT_SURFACE_RV, "%d", mesh.face_tag[f]);
        faces[mesh.face_tag[f]]++;
    }
    for (int tag = MT_SURFACE_BASE; tag <= MT_SURFACE_RV; tag++)
        cr_assert(faces[tag] > 100, "surface %d", tag);
    mt_arena_free(&arena);

    /* fibres: unit vectors that are not uniform, and the transmural depth */
    double *depth;
    char *table = works("mesh fibres heart.hdf -o fibred.hdf --format json");
    /* the apex of the left ventricle, 1.1 (72 + 10) mm below the base, to within half an edge laterally */
    cr_assert_float_eq(json_property(table, "apex_x_mm"), 0, 3, "%s", table);
    cr_assert_float_eq(json_property(table, "apex_y_mm"), 0, 3, "%s", table);
    cr_assert_float_eq(json_property(table, "apex_z_mm"), -90.2, 0.1, "%s", table);
    free(table);
    cr_assert_eq(mt_vtkhdf_read(&arena, "fibred.hdf", &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_vtkhdf_read_field(&arena, "fibred.hdf", "depth", mesh.n_elements, &depth), MT_OK, "%s",
        mt_message());
    double least = 1, most = 0;
    for (size_t c = 0; c < mesh.n_elements; c++) {
        least = fmin(least, depth[c]);
        most = fmax(most, depth[c]);
    }
    cr_assert(least < 0.2 && most > 0.8, "depth from %g to %g", least, most);
    mt_arena_free(&arena);
}

/* gmsh sorts by addresses, and some systems do not allow address randomisation to be disabled. */
Test(hearts, the_same_command_generates_the_same_ventricles)
{
    const int usual = personality(0xffffffff);
    if (personality((unsigned long)usual | ADDR_NO_RANDOMIZE) < 0)
        cr_skip_test("SKIPPED: address randomisation cannot be disabled here");
    (void)personality((unsigned long)usual);
    (void)unsetenv("MT_GMSH_RUNS"); /* tests/gmsh/gmsh */
    free(works("mesh ventricles --elements 5200 -o a.hdf"));
    free(works("mesh ventricles --elements 5200 -o another.hdf"));
    cr_assert(same_file("a.hdf", "another.hdf"));
}

/* Writes a wall of 8 mm thickness: x = 0 is the left endocardium, x = 8 the epicardium, z = 4 the base. */
static void write_wall(const char *path)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(mt_slab_make(&arena, (double[]){8, 4, 4}, 1, &mesh), MT_OK);
    mesh.fibre = NULL;
    cr_assert_eq(mt_mesh_new_faces(&arena, 4 * mesh.n_elements, &mesh), MT_OK);
    mesh.n_faces = 0;
    for (size_t f = 0; f < 4 * mesh.n_elements; f++) {
        uint32_t *face = mesh.face_vertex + 3 * mesh.n_faces;
        double low_x = 8, high_x = 0, low_z = 4;
        for (size_t k = 0; k < 3; k++) {
            face[k] = mesh.element_vertex[4 * (f / 4) + mt_mesh_face[f % 4][k]];
            low_x = fmin(low_x, mesh.xyz_mm[3 * face[k]]);
            high_x = fmax(high_x, mesh.xyz_mm[3 * face[k]]);
            low_z = fmin(low_z, mesh.xyz_mm[3 * face[k] + 2]);
        }
        int32_t tag = high_x == 0  ? MT_SURFACE_LV
                      : low_x == 8 ? MT_SURFACE_EPI
                      : low_z == 4 ? MT_SURFACE_BASE
                                   : 0;
        if (tag) mesh.face_tag[mesh.n_faces++] = tag;
    }
    cr_assert_eq(mt_names_put_surfaces(&arena, &mesh), MT_OK);
    cr_assert_eq(mt_vtkhdf_write(path, &mesh, 0, NULL), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
}

/* Returns the largest angle, in degrees, between the sheets of two meshes if the depth of `first` is from low to high. */
static double sheets_apart(const mt_mesh *first, const mt_mesh *second, double low, double high)
{
    double most = 0;
    for (size_t c = 0; c < first->n_elements; c++) {
        const double *a = first->sheet + 3 * c, *b = second->sheet + 3 * c;
        if (first->depth[c] < low || first->depth[c] > high) continue;
        most = fmax(most, acos(fmin(1, fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]))));
    }
    return most * 180 / M_PI;
}

/* The outermost elements have a mean depth within 1/16 of their side, so the sheet angle deviates by that fraction. */
Test(hearts, sheets_and_layers_follow_the_options)
{
    mt_arena arena = {0};
    mt_mesh flat, inner, outer;
    write_wall("wall.hdf");
    free(works("mesh fibres wall.hdf -o flat.hdf --epi-deg 60 --layers 0.25,0.5,0.25"));
    free(works("mesh fibres wall.hdf -o inner.hdf --epi-deg 60 --sheet-endo-deg 40"));
    free(works("mesh fibres wall.hdf -o outer.hdf --epi-deg 60 --sheet-epi-deg -40"));
    cr_assert_eq(mt_vtkhdf_read(&arena, "flat.hdf", &flat), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_vtkhdf_read(&arena, "inner.hdf", &inner), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_vtkhdf_read(&arena, "outer.hdf", &outer), MT_OK, "%s", mt_message());
    cr_assert_gt(sheets_apart(&flat, &inner, 0, 0.1), 35);
    cr_assert_lt(sheets_apart(&flat, &inner, 0.9, 1), 5);
    cr_assert_lt(sheets_apart(&flat, &outer, 0, 0.1), 5);
    cr_assert_gt(sheets_apart(&flat, &outer, 0.9, 1), 35);
    for (size_t c = 0; c < flat.n_elements; c++) {
        double d = flat.depth[c];
        if (fabs(d - 0.25) > 1e-6 && fabs(d - 0.75) > 1e-6) /* either layer on a border */
            cr_assert_eq(flat.layer[c],
                d < 0.25   ? MT_LAYER_ENDO
                : d < 0.75 ? MT_LAYER_MID
                           : MT_LAYER_EPI,
                "%g", d);
        if (fabs(d - 1.0 / 3) > 1e-6 && fabs(d - 2.0 / 3) > 1e-6)
            cr_assert_eq(inner.layer[c], 1 + (int)(3 * inner.depth[c]));
    }
    mt_arena_free(&arena);
}

/* Returns the largest angle between their fibres, as above. */
static double fibres_apart(const mt_mesh *first, const mt_mesh *second, double low, double high)
{
    mt_mesh a = *first, b = *second;
    a.sheet = first->fibre, b.sheet = second->fibre;
    return sheets_apart(&a, &b, low, high);
}

/* Within a tenth of the wall from a side the fibre angle is that of the side, to within a tenth of the total rotation of 50
 * degrees. Each layer has its specified share of a wall of uniform thickness. */
Test(hearts, angles_and_layer_fractions_apply_to_the_named_side_of_the_wall)
{
    mt_arena arena = {0};
    mt_mesh mesh, steep, flat;
    write_wall("wall.hdf");
    free(works("mesh fibres wall.hdf -o steep.hdf --endo-deg 60 --epi-deg 60"));
    free(works("mesh fibres wall.hdf -o flat.hdf --endo-deg 10 --epi-deg 10"));
    char *json = works(
        "mesh fibres wall.hdf -o out.hdf --endo-deg 60 --epi-deg 10 --layers 0.25,0.25,0.5 --format json");
    cr_assert_eq(mt_vtkhdf_read(&arena, "out.hdf", &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_vtkhdf_read(&arena, "steep.hdf", &steep), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_vtkhdf_read(&arena, "flat.hdf", &flat), MT_OK, "%s", mt_message());
    cr_assert_leq(fibres_apart(&mesh, &steep, 0, 0.1), 5.0001);
    cr_assert_leq(fibres_apart(&mesh, &flat, 0.9, 1), 5.0001);
    cr_assert_gt(fibres_apart(&mesh, &steep, 0.9, 1), 40);
    const double inner = json_property(json, "inner_layer_percent"),
                 middle = json_property(json, "middle_layer_percent"),
                 outer = json_property(json, "outer_layer_percent");
    cr_assert_float_eq(inner + middle + outer, 100, 1e-9);
    cr_assert(outer > 1.5 * inner && outer > 1.5 * middle, "%g, %g, %g", inner, middle, outer);
    free(json);
    mt_arena_free(&arena);
}

Test(hearts, new_fibres_are_compared_with_previous_fibres)
{
    write_wall("wall.hdf");
    char *first = works("mesh fibres wall.hdf -o first.hdf --endo-deg 20 --epi-deg 20 --format json");
    char *again = works("mesh fibres first.hdf -o again.hdf --endo-deg 20 --epi-deg 20 --format json");
    char *other = works("mesh fibres first.hdf -o other.hdf --endo-deg -30 --epi-deg -30 --format json");
    cr_assert(!strstr(first, "previous_fibres"), "%s", first);
    const char *const rows[] = {"mean_angle_to_previous_fibres_deg", "median_angle_to_previous_fibres_deg",
        "p90_angle_to_previous_fibres_deg"};
    for (size_t k = 0; k < 3; k++) {
        cr_assert_float_eq(json_property(again, rows[k]), 0, 1e-6, "%s", again);
        cr_assert_float_eq(json_property(other, rows[k]), 50, 1e-6, "%s", other);
    }
    cr_assert_float_eq(json_property(first, "inner_layer_percent") +
                           json_property(first, "middle_layer_percent") +
                           json_property(first, "outer_layer_percent"),
        100, 1e-9);
    free(first), free(again), free(other);
}

/* Before any file is read or written. */
Test(hearts, an_unsupported_output_format_is_rejected_before_any_file_is_read)
{
    static const char text[] = "a.vtk: .vtk files can only be read; allowed for writing: .hdf (VTKHDF), ";
    refuses(2, text, "mesh fibres none.hdf -o a.vtk");
    refuses(2, text, "mesh refine none.hdf -o a.vtk");
    cr_assert_eq(setenv("PATH", "/nowhere", 1), 0);
    refuses(2,
        "a.vtu: name of a mesh file to write; allowed: names ending in .hdf, the only ones that ParaView "
        "5.11 opens",
        "mesh ventricles -o a.vtu");
}

Test(hearts, a_mesh_without_tagged_surfaces_is_rejected)
{
    free(works("mesh slab --size-mm 2,1,1 --edge-mm 0.5 -o slab.hdf"));
    refuses(2, "slab.hdf: the anatomy is ambiguous", "mesh fibres slab.hdf -o fibred.hdf");
    refuses(2, "slab.hdf: no triangle", "mesh fibres slab.hdf -o fibred.hdf --surfaces given");
    refuses(2, "--endo-deg steep; allowed: 1 number\n", "mesh fibres slab.hdf -o a.hdf --endo-deg steep");
    refuses(2, "base", "mesh fibres slab.hdf -o fibred.hdf");
    cr_assert(!there("fibred.hdf"));
}

Test(hearts, invalid_options_are_rejected)
{
    refuses(
        2, "--elements 12; allowed: a whole number from 5000", "mesh ventricles --elements 12 -o heart.hdf");
    refuses(2, "--like heart06; allowed: heart04, heart05", "mesh ventricles --like heart06 -o heart.hdf");
    refuses(2, "allowed: one of them", "mesh ventricles --like heart04 --elements 10000 -o heart.hdf");
    refuses(2, "--output is required", "mesh ventricles");
    refuses(2, "--variant smoth; allowed: smooth, bayer", "mesh fibres heart.hdf -o out.hdf --variant smoth");
    refuses(3, "heart.hdf", "mesh fibres heart.hdf -o out.hdf");
    refuses(2, "--sheet-epi-deg x", "mesh fibres heart.hdf -o out.hdf --sheet-epi-deg x");
    refuses(2, "--layers 0.5,0.5; allowed: 3 numbers", "mesh fibres heart.hdf -o out.hdf --layers 0.5,0.5");
    write_wall("heart.hdf");
    refuses(2, "with sum 1.2", "mesh fibres heart.hdf -o out.hdf --layers 0.4,0.4,0.4");
    refuses(2, "sheet angle at the epicardium is 91", "mesh fibres heart.hdf -o out.hdf --sheet-epi-deg 91");
}
