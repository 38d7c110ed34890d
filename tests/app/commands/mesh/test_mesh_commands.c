#include <criterion/criterion.h>

#include "tests/answers.h"
#include "tests/app/program.h"

#include "data/core/vec3.h"
#include "mesh/make/slab.h"
#include "mesh/names.h"
#include "mesh/vtk/vtkhdf.h"
#include "solver/diffusion/diffusion.h"
#include "tests/random.h"

TestSuite(mesh_commands, .init = enter_room, .fini = leave_room);

/* The file gives back the slab that the library makes, to the bit. */
static void check_slab(const char *options, mt_slab_cut cut)
{
    mt_arena arena = {0};
    mt_mesh made, read;
    const double size_mm[3] = {2, 1.5, 1};
    char *text =
        works("mesh slab --size-mm 2,1.5,1 --edge-mm 0.5%s -o %s.hdf", options, mt_slab_cut_name[cut]);
    cr_assert(
        strstr(text, ".hdf: 144 elements, 60 vertices\n"), "%s", text); /* 4 3 2 boxes of 6; 5 4 3 corners */
    free(text);
    cr_assert_eq(mt_slab_make_cut(&arena, size_mm, 0.5, cut, &made), MT_OK);
    ok(mt_vtkhdf_read(&arena, cut == MT_SLAB_KUHN ? "kuhn.hdf" : "mirrored.hdf", &read));
    cr_assert(read.n_elements == made.n_elements && read.n_vertices == made.n_vertices);
    cr_assert_eq(memcmp(read.xyz_mm, made.xyz_mm, 3 * made.n_vertices * sizeof *made.xyz_mm), 0);
    cr_assert_eq(
        memcmp(read.element_vertex, made.element_vertex, 4 * made.n_elements * sizeof *made.element_vertex),
        0);
    cr_assert_eq(memcmp(read.fibre, made.fibre, 3 * made.n_elements * sizeof *made.fibre), 0);
    mt_arena_free(&arena);
}

Test(mesh_commands, slab_writes_the_mesh_that_was_asked_for)
{
    check_slab("", MT_SLAB_MIRRORED);
    check_slab(" --cut mirrored", MT_SLAB_MIRRORED);
    check_slab(" --cut kuhn", MT_SLAB_KUHN);
    cr_assert(!same_file("mirrored.hdf", "kuhn.hdf"));
}

/* 2 x 1 x 1 mm in 4 x 2 x 2 boxes of h = 0.5 mm, by hand.
 * Edges along the axes: 4*3*3 + 5*2*3 + 5*3*2 = 96; diagonals of box faces, one a face: 4*2*3 + 4*3*2 + 5*2*2
 * = 68; of boxes: 16. Each outer face of a box is two boundary faces: 2 * 2 * (4*2 + 4*2 + 2*2) = 80; the
 * other 4 * 96 - 80 element faces meet in pairs. An element has volume h^3 / 6, faces h^2 (1 + sqrt 2) together, so
 * r = 3 V / that, and half the box's diagonal is R. */
Test(mesh_commands, info_tells_what_can_be_counted_by_hand)
{
    const double h = 0.5, quality = 3 * (h / 2 / (1 + sqrt(2))) / (h * sqrt(3) / 2);
    const struct {
        const char *name;
        double value;
    } rows[] = {{"elements", 96}, {"vertices", 45}, {"edges", 96 + 68 + 16}, {"boundary_faces", 80},
        {"interior_faces", 152}, {"components", 1}, {"regions", 1}, {"unreferenced_vertices", 0},
        {"tagged_triangles", 0}, {"smallest_dihedral_angle_deg", 45}, {"extent_x_mm", 2}, {"extent_y_mm", 1},
        {"extent_z_mm", 1}, {"volume_mm3", 2}, {"characteristic_length_mm", h / cbrt(6)},
        {"shortest_edge_mm", h}, {"mean_edge_mm", h * (96 + 68 * sqrt(2) + 16 * sqrt(3)) / 180},
        {"longest_edge_mm", h * sqrt(3)}, {"worst_radius_ratio", quality}, {"mean_radius_ratio", quality}};
    free(works("mesh slab --size-mm 2,1,1 --edge-mm 0.5 -o slab.hdf"));
    char *text = works("mesh info slab.hdf --format json");
    cr_assert(is_json(text), "%s", text);
    /* sums over a few hundred edges and elements, each rounded to 1.1e-16 */
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        cr_assert_float_eq(
            json_property(text, rows[k].name), rows[k].value, 1e-13 * rows[k].value, "%s", rows[k].name);
    free(text);
}

Test(mesh_commands, info_speaks_text_and_csv_too)
{
    free(works("mesh slab --size-mm 1,1,1 --edge-mm 0.5 -o slab.hdf"));
    char *csv = works("mesh info --format csv slab.hdf"), *text = works("mesh info slab.hdf");
    cr_assert(
        strncmp(csv, "# mesh: slab.hdf\nkey,value,unit\nelements,48,\nvertices,27,\n", 58) == 0, "%s", csv);
    cr_assert(strstr(csv, "\nextent_z_mm,1,mm\n"), "%s", csv);
    cr_assert(strncmp(text, "slab.hdf\n", 9) == 0 && strstr(text, "elements"), "%s", text);
    free(csv), free(text);
}

Test(mesh_commands, bad_slabs_are_refused_and_write_nothing)
{
    refuses(2, "mesh slab: --size-mm is needed", "mesh slab --edge-mm 0.5 -o a.hdf");
    refuses(2, "mesh slab: --edge-mm is needed", "mesh slab --size-mm 1,1,1 -o a.hdf");
    refuses(2, "mesh slab: --output is needed", "mesh slab --size-mm 1,1,1 --edge-mm 0.5");
    refuses(2, "--size-mm 1,1; allowed: 3 numbers above 0", "mesh slab --size-mm 1,1 --edge-mm 0.5 -o a.hdf");
    refuses(2, "--size-mm 1,0,1", "mesh slab --size-mm 1,0,1 --edge-mm 0.5 -o a.hdf");
    refuses(
        2, "--edge-mm -0.5; allowed: 1 number above 0", "mesh slab --size-mm 1,1,1 --edge-mm -0.5 -o a.hdf");
    refuses(2, "--cut fair; allowed: mirrored, kuhn",
        "mesh slab --size-mm 1,1,1 --edge-mm 0.5 --cut fair -o a.hdf");
    refuses(2, "--edge-mm half", "mesh slab --size-mm 1,1,1 --edge-mm half -o a.hdf");
    refuses(2, "whole multiple of the edge", "mesh slab --size-mm 1,1,1 --edge-mm 0.3 -o a.hdf");
    refuses(2, "", "mesh slab --size-mm 1e9,1e9,1e9 --edge-mm 1e-3 -o a.hdf");
    refuses(2, ".hdf", "mesh slab --size-mm 1,1,1 --edge-mm 0.5 -o a.vtk");
}

Test(mesh_commands, files_that_cannot_be_written_or_read_are_refused)
{
    write_text("file", "no mesh");
    write_text("file.hdf", "no mesh");
    refuses(3, "file/a.hdf: ", "mesh slab --size-mm 1,1,1 --edge-mm 0.5 -o file/a.hdf");
    refuses(3, "none/a.hdf: ", "mesh slab --size-mm 1,1,1 --edge-mm 0.5 -o none/a.hdf");
    refuses(3, "none.hdf: ", "mesh info none.hdf");
    refuses(2, "file: the ending tells the format", "mesh info file");
    refuses(3, "file.hdf: ", "mesh info file.hdf");
}

/* ---- info: tags, what is there, and the step limit */

/* 3 x 2 x 1 mm in boxes of 1 mm, two regions, two tagged triangles of 1/2 mm^2 and one of another tag, a vertex of no
 * element. */
static void tagged(mt_arena *arena, mt_mesh *mesh)
{
    mt_mesh made;
    ok(mt_slab_make(arena, (double[]){3, 2, 1}, 1, &made));
    ok(mt_mesh_new(arena, made.n_vertices + 1, made.n_elements, mesh));
    memcpy(mesh->xyz_mm, made.xyz_mm, 3 * made.n_vertices * sizeof *made.xyz_mm);
    memcpy(mesh->element_vertex, made.element_vertex, 4 * made.n_elements * sizeof *made.element_vertex);
    for (size_t c = 0; c < mesh->n_elements; c++) mesh->region[c] = c < 12 ? 40 : 50;
    ok(mt_mesh_new_faces(arena, 3, mesh));
    memcpy(mesh->face_vertex, (uint32_t[]){0, 5, 1, 0, 4, 5, 1, 2, 6}, 9 * sizeof(uint32_t));
    memcpy(mesh->face_tag, (int32_t[]){MT_SURFACE_LV, MT_SURFACE_LV, 77}, 3 * sizeof(int32_t));
}

Test(mesh_commands, info_tells_regions_and_tagged_surfaces_by_name_and_what_elements_have)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    tagged(&arena, &mesh);
    ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
    char *text = works("mesh info a.hdf --format json");
    cr_assert(is_json(text), "%s", text);
    cr_assert_eq(json_property(text, "unreferenced_vertices"), 1);
    cr_assert(strstr(text, "\"fibres\": \"no\"") && strstr(text, "\"layers\": \"no\""), "%s", text);
    cr_assert(strstr(text, "{\"tag\": 40, \"name\": null, \"elements\": 12, \"volume_mm3\": "), "%s", text);
    cr_assert(strstr(text, "{\"tag\": 50, \"name\": null, \"elements\": 24, \"volume_mm3\": "), "%s", text);
    cr_assert(
        strstr(text, "{\"tag\": 3, \"name\": null, \"surface\": null, \"triangles\": 2, \"area_mm2\": 1}"),
        "a number alone means no surface: %s", text);
    cr_assert(
        strstr(text, "{\"tag\": 77, \"name\": null, \"surface\": null, \"triangles\": 1, \"area_mm2\": 0.5}"),
        "%s", text);
    free(text);
    ok(mt_names_put_surfaces(&arena, &mesh));
    ok(mt_mesh_new_fibres(&arena, &mesh));
    mesh.depth = mt_arena_alloc(&arena, mesh.n_elements, sizeof *mesh.depth);
    ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
    text = works("mesh info a.hdf --format json");
    cr_assert_eq(json_number(text, "lv_endocardium", "triangles"), 2);
    cr_assert(strstr(text, "\"fibres\": \"yes, all alike\"") && strstr(text, "\"depth\": \"yes\"") &&
                  strstr(text, "\"sheets\": \"no\""),
        "%s", text);
    free(text);
    mt_arena_free(&arena);
}

/* Of nine regions the first eight are shown. */
Test(mesh_commands, info_shows_the_first_of_many_regions)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    tagged(&arena, &mesh);
    for (size_t c = 0; c < mesh.n_elements; c++) mesh.region[c] = (int32_t)(c % 9) + 100;
    ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
    char *text = works("mesh info a.hdf");
    cr_assert(strstr(text, "Regions, the first") && strstr(text, "107") && !strstr(text, "108"), "%s", text);
    free(text);
    mt_arena_free(&arena);
}

/* What the operator's own module says, to the last digit; without fibres equal conductivities, and so it is called. */
Test(mesh_commands, info_gives_the_step_limit_of_the_usual_tissue)
{
    for (int bare = 0; bare < 2; bare++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_adjacency adjacency;
        mt_diffusion diffusion;
        mt_tissue tissue = mt_tissue_usual;
        ok(mt_slab_make(&arena, (double[]){2, 1, 1}, 0.5, &mesh));
        if (bare) mesh.fibre = NULL, tissue.sigma_t_mS_mm = tissue.sigma_l_mS_mm;
        ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
        ok(mt_adjacency_make(&arena, &mesh, &adjacency));
        ok(mt_diffusion_make(&arena, &mesh, &adjacency, &tissue, &mt_diffusion_scheme_usual, &diffusion));
        char *text = works("mesh info a.hdf --trial-steps 50 --format json");
        cr_assert_eq(json_property(text, "largest_stable_substep_ms"), diffusion.limit_dt_ms);
        cr_assert_eq(json_property(text, "elements_with_limited_gradients"), 0);
        cr_assert_eq(json_property(text, "trial_substeps"), 50);
        const double left = json_property(text, "noise_ratio");
        cr_assert(left > 0 && left < 1);
        cr_assert(json_property(text, "largest_noise_growth") < 0);
        cr_assert(!strstr(text, "limited_elements"), "%s", text);
        free(text);
        mt_arena_free(&arena);
    }
}

/* Boxes four times as high as wide, their inner corners off their places, with fibres along x. */
static void tall_boxes(mt_arena *arena, mt_mesh *mesh)
{
    uint64_t state = 1;
    ok(mt_slab_make(arena, (double[]){1, 1, 1}, 0.125, mesh));
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) {
        const double at = mesh->xyz_mm[k], shift = between(&state, -1, 1);
        if (at > 0 && at < 1) mesh->xyz_mm[k] += 0.15 * 0.125 * shift;
        if (k % 3 == 2) mesh->xyz_mm[k] *= 4;
    }
}

Test(mesh_commands, info_names_the_first_elements_that_are_limited)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion diffusion;
    tall_boxes(&arena, &mesh);
    ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
    ok(mt_adjacency_make(&arena, &mesh, &adjacency));
    ok(mt_diffusion_make(
        &arena, &mesh, &adjacency, &mt_tissue_usual, &mt_diffusion_scheme_usual, &diffusion));
    cr_assert(diffusion.n_limited > 0, "the test needs a worse mesh");
    char *text, *said = warnings(&text, "mesh info a.hdf --format json"), row[64];
    free(said);
    cr_assert_eq(json_property(text, "elements_with_limited_gradients"), (double)diffusion.n_limited);
    size_t shown = 0;
    for (size_t c = 0; c < mesh.n_elements && shown < 8; c++) {
        if (!(diffusion.theta[c] < 1)) continue;
        (void)snprintf(row, sizeof row, "{\"element\": %zu, \"x_mm\": ", c);
        const char *at = strstr(text, row), *theta = at ? strstr(at, "\"theta\": ") : NULL;
        cr_assert(theta, "no %s in %s", row, text);
        cr_assert_eq(strtod(theta + strlen("\"theta\": "), NULL), (double)diffusion.theta[c]);
        double x[3], told[4];
        mt_mesh_centroid(&mesh, c, x);
        cr_assert_eq(sscanf(at + strlen(row) - strlen("\"x_mm\": "),
                         "\"x_mm\": %lf, \"y_mm\": %lf, \"z_mm\": %lf, \"volume_mm3\": %lf", &told[0],
                         &told[1], &told[2], &told[3]),
            4);
        cr_assert_arr_eq(told, x, sizeof x);
        cr_assert_eq(told[3], diffusion.volume_mm3[c]);
        shown++;
    }
    free(text);
    mt_arena_free(&arena);
}

/* Two flat pyramids seen from the side (as in tests/solver/diffusion/test_slivers.c): both are limited, and told with place and effect. */
Test(mesh_commands, info_tells_of_slivers)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    ok(mt_mesh_new(&arena, 5, 2, &mesh));
    memcpy(
        mesh.xyz_mm, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, -20, 0, 0.02, 20, 0, -0.02}, 15 * sizeof(double));
    memcpy(mesh.element_vertex, (uint32_t[]){0, 1, 2, 3, 0, 2, 1, 4}, 8 * sizeof(uint32_t));
    ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
    char *text, *said = warnings(&text, "mesh info a.hdf --format json");
    cr_assert(strstr(said, "2 of 2 elements (100 %) are slivers"), "%s", said);
    cr_assert(json_property(text, "largest_stable_substep_ms") > 0);
    cr_assert_eq(json_property(text, "elements_with_limited_gradients"), 0);
    cr_assert_eq(json_property(text, "limited_slivers"), 2);
    const char *row = strstr(text, "{\"element\": 1, \"x_mm\": 5.25, "),
               *cosine = row ? strstr(row, "\"worst_cosine\": ") : 0;
    cr_assert(cosine, "%s", text);
    cr_assert_float_eq(strtod(cosine + strlen("\"worst_cosine\": "), NULL), 1e-3, 1e-4);
    free(text), free(said);
    refuses(2, "--trial-steps 0; allowed: a whole number from 1", "mesh info a.hdf --trial-steps 0");
    mt_arena_free(&arena);
}

/* ---- refine */

/* Eighths of the slab of 1 mm are the slab of 0.5 mm in another order: the same counts, edges and volume. */
Test(mesh_commands, refine_halves_the_edges_as_often_as_told)
{
    static const char *const same[] = {
        "elements", "vertices", "boundary_faces", "interior_faces", "edges", "volume_mm3"};
    free(works("mesh slab --size-mm 2,1,1 --edge-mm 1 -o a.hdf"));
    free(works("mesh slab --size-mm 2,1,1 --edge-mm 0.25 -o b.hdf"));
    char *once = works("mesh refine a.hdf -o once.hdf --format json"),
         *twice = works("mesh refine a.hdf -o c.hdf --times 2");
    cr_assert_eq(json_property(once, "elements"), 96);
    cr_assert_float_eq(json_property(once, "characteristic_length_before_mm"), 1 / cbrt(6), 1e-13);
    cr_assert_float_eq(json_property(once, "characteristic_length_mm"), 0.5 / cbrt(6), 1e-13);
    char *fine = works("mesh info c.hdf --format json"), *slab = works("mesh info b.hdf --format json");
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        cr_assert_float_eq(json_property(fine, same[k]), json_property(slab, same[k]), 1e-13, "%s", same[k]);
    free(once), free(twice), free(fine), free(slab);
}

Test(mesh_commands, refinement_that_makes_no_sense_is_refused)
{
    free(works("mesh slab --size-mm 2,1,1 --edge-mm 1 -o a.hdf"));
    refuses(2, "mesh refine: --output is needed", "mesh refine a.hdf");
    refuses(2, "--times 0; allowed: a whole number from 1 to 10", "mesh refine a.hdf -o b.hdf --times 0");
    refuses(
        2, "12 elements refined 10 times make 1.28849e+10 elements", "mesh refine a.hdf -o b.hdf --times 10");
    refuses(2, "only read", "mesh refine a.hdf -o b.node");
    refuses(3, "none.hdf", "mesh refine none.hdf -o b.hdf");
}

Test(mesh_commands, refine_and_fibres_write_every_format_that_convert_writes)
{
    static const char *const endings[] = {"hdf", "vtu", "pts", "msh"};
    free(works("mesh slab --size-mm 2,1,1 --edge-mm 1 -o a.hdf"));
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        free(works("mesh refine a.hdf -o fine.%s --force", endings[k]));
        free(works(
            "mesh fibres fine.%s -o %s.%s --axis 0,0,-3 --sheet 1,1,1", endings[k], endings[k], endings[k]));
        char *text = works("mesh info %s.%s --format json", endings[k], endings[k]);
        cr_assert_eq(json_property(text, "elements"), 96);
        cr_assert(strstr(text, "\"fibres\": \"yes, all alike\"") && strstr(text, "\"sheets\": \"yes\""), "%s",
            text);
        free(text);
    }
}

/* ---- uniform fibres */

Test(mesh_commands, uniform_fibres_need_no_surfaces_and_replace_sheets_of_others)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    free(works("mesh slab --size-mm 2,1,1 --edge-mm 1 -o a.hdf"));
    free(works("mesh fibres a.hdf -o b.hdf --axis 0,3,4 --sheet 1,1,0"));
    ok(mt_vtkhdf_read(&arena, "b.hdf", &mesh));
    for (size_t c = 0; c < mesh.n_elements; c++) {
        cr_assert(fabs(mesh.fibre[3 * c + 1] - 0.6) < 1e-15 && fabs(mesh.fibre[3 * c + 2] - 0.8) < 1e-15);
        cr_assert_float_eq(mt_dot3(mesh.fibre + 3 * c, mesh.sheet + 3 * c), 0, 1e-15);
    }
    refuses(2, "would replace", "mesh fibres b.hdf -o b.hdf --axis 1,0,0 --force");
    char *text = works("mesh fibres b.hdf -o b.hdf --axis 0,4,-3 --force --replace-fibres --format json");
    cr_assert_float_eq(json_property(text, "mean_angle_to_previous_fibres_deg"), 90, 1e-6);
    free(text);
    ok(mt_vtkhdf_read(&arena, "b.hdf", &mesh));
    cr_assert_null(mesh.sheet);
    mt_arena_free(&arena);
}

Test(mesh_commands, uniform_fibres_that_make_no_sense_are_refused)
{
    static const char *const options[] = {"--endo-deg 60", "--epi-deg 3", "--sheet-endo-deg 3",
        "--sheet-epi-deg 3", "--layers 1,1,1", "--surfaces found", "--tags epi=2", "--variant bayer"};
    free(works("mesh slab --size-mm 2,1,1 --edge-mm 1 -o a.hdf"));
    refuses(2, "--axis 0,0,0; allowed: three numbers that are not all 0",
        "mesh fibres a.hdf -o b.hdf --axis 0,0,0");
    refuses(2, "--axis 1,0; allowed: 3 numbers", "mesh fibres a.hdf -o b.hdf --axis 1,0");
    refuses(2, "--sheet -2,0,0 is parallel to --axis 1,0,0",
        "mesh fibres a.hdf -o b.hdf --axis 1,0,0 --sheet -2,0,0");
    refuses(2, "--sheet is given without --axis", "mesh fibres a.hdf -o b.hdf --sheet 1,0,0");
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        refuses(2, "are both given", "mesh fibres a.hdf -o b.hdf --axis 1,0,0 %s", options[k]);
    cr_assert(!there("b.hdf"));
}

/* ---- notes on files */

Test(mesh_commands, what_a_file_has_and_the_mesh_does_not_use_is_said_once)
{
    static const char vtk[] =
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
        "0 0 0 30 0 0 0 30 0 0 0 30\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nCELL_DATA 1\n"
        "SCALARS scar float\nLOOKUP_TABLE default\n1\nVECTORS longitudinal float\n0 0 2\n";
    FILE *file = fopen("a.vtk", "w");
    cr_assert(file && fputs(vtk, file) >= 0 && fclose(file) == 0);
    const char *const commands[] = {
        "mesh convert a.vtk a.hdf", "mesh info a.vtk", "mesh refine a.vtk -o b.hdf"};
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
        char *table, *said = warnings(&table, commands[k]);
        cr_assert_str_eq(
            said, "myotile: note: a.vtk: found and not used: scar (cells)\n", "%s: %s", commands[k], said);
        free(table), free(said);
    }
}
