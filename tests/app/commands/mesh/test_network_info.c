#include <criterion/criterion.h>

#include "mesh/network/network_files.h"
#include "mesh/make/slab.h"
#include "mesh/vtk/vtk.h"
#include "tests/answers.h"
#include "tests/app/program.h"

/* `mesh info` of conduction networks. */

TestSuite(network_info, .init = enter_room, .fini = leave_room);

/* A trunk of 10 mm, two branches of 5 mm with a joined end, and a separate segment of 2 mm. */
static const char net[] = "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm,radius_mm,kind\n0,0,10,0,0,0,0.5,1\n"
                          "0,0,0,3,4,0,0.25,2\n0,0,0,-3,4,0,0.25,2\n-3,4,0,3,4,0,0.125,2\n7,7,7,9,7,7,1,-3\n";

static const struct {
    const char *key;
    double value;
} rows[] = {{"nodes", 6}, {"segments", 5}, {"branches", 3}, {"branch_points", 1}, {"terminals", 3},
    {"components", 2}, {"loops", 1}, {"length_mm", 28}, {"shortest_segment_mm", 2}, {"mean_segment_mm", 5.6},
    {"longest_segment_mm", 10}, {"smallest_radius_mm", 0.125}, {"largest_radius_mm", 1}, {"extent_x_mm", 12},
    {"extent_y_mm", 7}, {"extent_z_mm", 10}, {"x_min_mm", -3}, {"x_max_mm", 9}, {"y_min_mm", 0},
    {"y_max_mm", 7}, {"z_min_mm", 0}, {"z_max_mm", 10}};

Test(network_info, every_property_and_kind_is_reported_for_both_written_formats)
{
    mt_arena arena = {0};
    mt_network network;
    write_text("a.csv", net);
    ok(mt_network_read(&arena, "a.csv", NULL, &network));
    ok(mt_network_write("b.vtp", &network));
    for (int k = 0; k < 2; k++) {
        char *text = works("mesh info %s --format json", k ? "b.vtp" : "a.csv");
        cr_assert(is_json(text), "%s", text);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            cr_assert_eq(json_property(text, rows[i].key), rows[i].value, "%s", rows[i].key);
        cr_assert(strstr(text, "{\"kind\": -3, \"segments\": 1, \"length_mm\": 2}"), "%s", text);
        cr_assert(strstr(text, "{\"kind\": 1, \"segments\": 1, \"length_mm\": 10}"), "%s", text);
        cr_assert(strstr(text, "{\"kind\": 2, \"segments\": 3, \"length_mm\": 16}"), "%s", text);
        free(text);
    }
    mt_arena_free(&arena);
}

Test(network_info, unknown_radii_and_kinds_are_left_out)
{
    write_text("a.csv", "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm\n0,0,0,3,4,0\n");
    char *text = works("mesh info a.csv --format json");
    cr_assert(strstr(text, "\"smallest_radius_mm\": null, \"largest_radius_mm\": null"), "%s", text);
    cr_assert_not(strstr(text, "kinds"), "%s", text);
    free(text);
}

Test(network_info, of_many_kinds_the_first_are_shown)
{
    char csv[1024] = "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm,kind\n";
    for (int k = 0; k < 9; k++) (void)sprintf(csv + strlen(csv), "%d,0,0,%d,0,0,%d\n", k, k + 1, 100 + k);
    write_text("a.csv", csv);
    char *text = works("mesh info a.csv");
    cr_assert(strstr(text, "Kinds, the first") && strstr(text, "107") && !strstr(text, "108"), "%s", text);
    free(text);
}

Test(network_info, notes_and_an_implausible_unit_are_printed)
{
    char *text;
    write_text("a.pts", "4\n0 0 0\n1000 0 0\n1000 0 0\n9e9 0 0\n");
    write_text("a.elem", "2\nLn 0 1\nLn 2 3\n");
    char *said = warnings(&text, "mesh info a.elem --format json");
    cr_assert_eq(json_property(text, "segments"), 2);
    cr_assert(strstr(said, "points at the place of another one, merged with it: 1"), "%s", said);
    cr_assert(strstr(said, "a.elem: the longest side is 9e+06 mm"), "%s", said);
    free(said), free(text);
}

/* A mesh with lines remains a mesh, and faults of a network are those of a network. */
Test(network_info, meshes_are_not_mistaken_for_networks)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    ok(mt_slab_make(&arena, (double[]){2, 1, 1}, 1, &mesh));
    ok(mt_vtu_write("mesh.vtu", &mesh));
    char *text = works("mesh info mesh.vtu --format json");
    cr_assert_eq(json_property(text, "elements"), 12);
    free(text);
    static const char head[] = "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n"
                               "0 0 0\n1 0 0\n0 1 0\n";
    char vtk[512];
    (void)sprintf(vtk, "%sLINES 1 3\n2 0 1\nPOLYGONS 1 4\n3 0 1 2\n", head);
    write_text("both.vtk", vtk);
    refuses(2, "both.vtk: a surface of 1 triangles without elements", "mesh info both.vtk");
    (void)sprintf(vtk, "%sVERTICES 1 2\n1 0\n", head);
    write_text("points.vtk", vtk);
    refuses(2, "points.vtk: has no tetrahedra and no triangles among its 1 cells", "mesh info points.vtk");
    (void)sprintf(vtk, "%sLINES 2 6\n2 0 1\n2 1 1\n", head);
    write_text("flat.vtk", vtk);
    refuses(2, "flat.vtk: cell 1: a segment of length 0, from [1, 0, 0] mm", "mesh info flat.vtk");
    refuses(3, "none.csv: ", "mesh info none.csv");
    write_text("a.csv", net);
    refuses(2, "a.csv: --trial-steps: a conduction network has no diffusion operator",
        "mesh info a.csv --trial-steps 5");
    refuses(2, "--trial-steps 0; allowed: a whole number from 1", "mesh info a.csv --trial-steps 0");
    mt_arena_free(&arena);
}
