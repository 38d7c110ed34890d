#include <criterion/criterion.h>

#include "tests/app/program.h"

#include "mesh/slab.h"
#include "mesh/vtkhdf.h"

TestSuite(mesh_commands, .init = enter_room, .fini = leave_room);

/* The file gives back the slab that the library makes, to the bit. */
Test(mesh_commands, slab_writes_the_mesh_that_was_asked_for)
{
    mt_arena arena = {0};
    mt_mesh made, read;
    const double size_mm[3] = {2, 1.5, 1};
    char *text = works("mesh slab --size-mm 2,1.5,1 --edge-mm 0.5 -o slab.hdf");
    cr_assert_str_eq(text, "slab.hdf: 144 cells, 60 vertices\n"); /* 4 3 2 boxes of 6; 5 4 3 corners */
    free(text);
    cr_assert_eq(mt_slab_make(&arena, size_mm, 0.5, &made), MT_OK);
    cr_assert_eq(mt_vtkhdf_read(&arena, "slab.hdf", &read), MT_OK);
    cr_assert(read.n_cells == made.n_cells && read.n_vertices == made.n_vertices);
    cr_assert_eq(memcmp(read.xyz_mm, made.xyz_mm, 3 * made.n_vertices * sizeof *made.xyz_mm), 0);
    cr_assert_eq(memcmp(read.cell_vertex, made.cell_vertex, 4 * made.n_cells * sizeof *made.cell_vertex), 0);
    cr_assert_eq(memcmp(read.fibre, made.fibre, 3 * made.n_cells * sizeof *made.fibre), 0);
    mt_arena_free(&arena);
}

/* 2 x 1 x 1 mm in 4 x 2 x 2 boxes of h = 0.5 mm, by hand.
 * Edges along the axes: 4*3*3 + 5*2*3 + 5*3*2 = 96; diagonals of box faces, one a face: 4*2*3 + 4*3*2 + 5*2*2
 * = 68; of boxes: 16. Each outer face of a box is two boundary faces: 2 * 2 * (4*2 + 4*2 + 2*2) = 80; the
 * other 4 * 96 - 80 cell faces meet in pairs. A cell has volume h^3 / 6, faces h^2 (1 + sqrt 2) together, so
 * r = 3 V / that, and half the box's diagonal is R. */
Test(mesh_commands, info_tells_what_can_be_counted_by_hand)
{
    const double h = 0.5, quality = 3 * (h / 2 / (1 + sqrt(2))) / (h * sqrt(3) / 2);
    const struct {
        const char *name;
        double value;
    } rows[] = {{"cells", 96}, {"vertices", 45}, {"edges", 96 + 68 + 16}, {"boundary faces", 80},
        {"inner faces", 152}, {"components", 1}, {"regions", 1}, {"extent x", 2}, {"extent y", 1},
        {"extent z", 1}, {"volume", 2}, {"characteristic length V^(1/3)", h / cbrt(6)}, {"shortest edge", h},
        {"mean edge", h * (96 + 68 * sqrt(2) + 16 * sqrt(3)) / 180}, {"longest edge", h * sqrt(3)},
        {"worst radius ratio 3 r / R", quality}, {"mean radius ratio", quality}};
    free(works("mesh slab --size-mm 2,1,1 --edge-mm 0.5 -o slab.hdf"));
    char *text = works("mesh info slab.hdf --format json");
    cr_assert(is_json(text), "%s", text);
    /* sums over a few hundred edges and cells, each rounded to 1.1e-16 */
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        cr_assert_float_eq(json_number(text, rows[k].name, "value"), rows[k].value, 1e-13 * rows[k].value,
            "%s", rows[k].name);
    free(text);
}

Test(mesh_commands, info_speaks_text_and_csv_too)
{
    free(works("mesh slab --size-mm 1,1,1 --edge-mm 0.5 -o slab.hdf"));
    char *csv = works("mesh info --format csv slab.hdf"), *text = works("mesh info slab.hdf");
    cr_assert(strncmp(csv, "property,value,unit\ncells,48,\nvertices,27,\n", 43) == 0, "%s", csv);
    cr_assert(strstr(csv, "\nextent z,1,mm\n"), "%s", csv);
    cr_assert(strncmp(text, "slab.hdf\n", 9) == 0 && strstr(text, "cells"), "%s", text);
    free(csv), free(text);
}

Test(mesh_commands, bad_slabs_are_refused_and_write_nothing)
{
    refuses(2, "mesh slab: --size-mm is needed", "mesh slab --edge-mm 0.5 -o a.hdf");
    refuses(2, "mesh slab: --edge-mm is needed", "mesh slab --size-mm 1,1,1 -o a.hdf");
    refuses(2, "mesh slab: -o is needed", "mesh slab --size-mm 1,1,1 --edge-mm 0.5");
    refuses(2, "--size-mm 1,1; allowed: 3 numbers above 0", "mesh slab --size-mm 1,1 --edge-mm 0.5 -o a.hdf");
    refuses(2, "--size-mm 1,0,1", "mesh slab --size-mm 1,0,1 --edge-mm 0.5 -o a.hdf");
    refuses(
        2, "--edge-mm -0.5; allowed: 1 number above 0", "mesh slab --size-mm 1,1,1 --edge-mm -0.5 -o a.hdf");
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
