/* Hearts by command: made, fibred, simulated. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "program.h"

#include "mesh/vtkhdf.h"

TestSuite(hearts, .init = enter_room, .fini = leave_room);

Test(hearts, ventricles_are_made_with_the_wanted_number_of_cells_and_tagged_surfaces)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    free(works("mesh ventricles --cells 10000 -o heart.hdf"));
    cr_assert_eq(mt_vtkhdf_read(&arena, "heart.hdf", &mesh), MT_OK, "%s", mt_message());
    cr_assert(fabs((double)mesh.n_cells / 10000 - 1) <= 0.01, "%zu cells", mesh.n_cells);
    size_t faces[5] = {0};
    for (size_t f = 0; f < mesh.n_faces; f++) {
        cr_assert(
            mesh.face_tag[f] >= MT_SURFACE_BASE && mesh.face_tag[f] <= MT_SURFACE_RV, "%d", mesh.face_tag[f]);
        faces[mesh.face_tag[f]]++;
    }
    for (int tag = MT_SURFACE_BASE; tag <= MT_SURFACE_RV; tag++)
        cr_assert(faces[tag] > 100, "surface %d", tag);
    mt_arena_free(&arena);

    /* fibres: unit vectors that are not all alike, and the depth in the wall */
    double *depth;
    free(works("mesh fibres heart.hdf -o fibred.hdf"));
    cr_assert_eq(mt_vtkhdf_read(&arena, "fibred.hdf", &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_vtkhdf_read_field(&arena, "fibred.hdf", "depth", mesh.n_cells, &depth), MT_OK, "%s", mt_message());
    double least = 1, most = 0;
    for (size_t c = 0; c < mesh.n_cells; c++) {
        least = fmin(least, depth[c]);
        most = fmax(most, depth[c]);
    }
    cr_assert(least < 0.2 && most > 0.8, "depth from %g to %g", least, most);
    mt_arena_free(&arena);
}

Test(hearts, a_mesh_without_tagged_surfaces_gets_no_fibres)
{
    free(works("mesh slab --size-mm 2,1,1 --edge-mm 0.5 -o slab.hdf"));
    refuses(2, "base", "mesh fibres slab.hdf -o fibred.hdf");
    cr_assert(!there("fibred.hdf"));
}

Test(hearts, options_that_make_no_sense_are_refused)
{
    refuses(2, "--cells 12; allowed: a whole number from 5000", "mesh ventricles --cells 12 -o heart.hdf");
    refuses(2, "--like heart06; allowed: heart04, heart05", "mesh ventricles --like heart06 -o heart.hdf");
    refuses(2, "allowed: one of them", "mesh ventricles --like heart04 --cells 10000 -o heart.hdf");
    refuses(2, "-o is needed", "mesh ventricles");
    refuses(2, "--variant smoth; allowed: smooth, bayer", "mesh fibres heart.hdf -o out.hdf --variant smoth");
    refuses(3, "heart.hdf", "mesh fibres heart.hdf -o out.hdf");
}
