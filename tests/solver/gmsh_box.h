/* For tests: an unstructured mesh of the unit cube, made by the gmsh program. Without gmsh the test fails and says so. */
#pragma once

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/gmsh_run.h"

#include "mesh/files/gmsh.h"

/* The unit cube with edges of about `edge`, fibres along x. */
static void gmsh_box(mt_arena *arena, double edge, mt_mesh *mesh)
{
    char folder[] = "/tmp/myotile_box_XXXXXX", geo[64], msh[64];
    cr_assert(mkdtemp(folder));
    snprintf(geo, sizeof geo, "%s/box.geo", folder);
    snprintf(msh, sizeof msh, "%s/box.msh", folder);
    FILE *file = fopen(geo, "w");
    cr_assert(file);
    fprintf(file,
        "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\n"
        "Mesh.CharacteristicLengthMin = %g;\nMesh.CharacteristicLengthMax = %g;\n",
        edge, edge);
    fclose(file);
    char *arguments[] = {
        "gmsh", "-3", "-nt", "1", "-v", "1", "-format", "msh2", "-algo", "del3d", "-o", msh, geo, NULL};
    int code = gmsh_run(arguments);
    mt_status status = code == 0 ? mt_gmsh_read(arena, msh, 1, mesh) : MT_FILE;
    if (status == MT_OK) status = mt_mesh_check(mesh);
    if (status == MT_OK) status = mt_mesh_new_fibres(arena, mesh);
    unlink(geo);
    unlink(msh);
    rmdir(folder);
    cr_assert(code == 0, "the gmsh program is needed to make this test's mesh, and it ended with %d", code);
    cr_assert(status == MT_OK, "%s", mt_message());
}
