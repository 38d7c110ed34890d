/* For tests: the two ventricles of data/geometry/ventricles.geo, meshed by the gmsh program. Without gmsh the test fails and
 * says so. */
#ifndef MT_TESTS_MESH_GMSH_VENTRICLES_H
#define MT_TESTS_MESH_GMSH_VENTRICLES_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/gmsh_run.h"

#include "mesh/gmsh.h"

static inline void gmsh_ventricles(mt_arena *arena, double h_mm, mt_mesh *mesh)
{
    char folder[] = "/tmp/myotile_XXXXXX", msh[64], h[32];
    cr_assert(mkdtemp(folder));
    snprintf(msh, sizeof msh, "%s/ventricles.msh", folder);
    snprintf(h, sizeof h, "%g", h_mm);
    char *arguments[] = {"gmsh", "data/geometry/ventricles.geo", "-3", "-nt", "1", "-v", "1", "-format",
        "msh2", "-algo", "hxt", "-setnumber", "h", h, "-o", msh, NULL};
    int code = gmsh_run(arguments);
    mt_status status = code == 0 ? mt_gmsh_read(arena, msh, 1, mesh) : MT_FILE;
    if (status == MT_OK) status = mt_mesh_check(mesh);
    unlink(msh);
    rmdir(folder);
    cr_assert(code == 0, "the gmsh program is needed to make this test's mesh, and it ended with %d", code);
    cr_assert(status == MT_OK, "%s", mt_message());
}

#endif
