/* For tests: hearts meshed by the gmsh program. The test fails with a message if gmsh is missing. */
#pragma once

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/gmsh_run.h"

#include "mesh/files/gmsh.h"

/* Meshes a gmsh script with parameter h by one of its algorithms: hxt is fast, and del3d is reproducible. */
static inline void gmsh_mesh(
    mt_arena *arena, const char *script, const char *algorithm, double h_mm, mt_mesh *mesh)
{
    char folder[] = "/tmp/myotile_XXXXXX", msh[64], h[32];
    cr_assert(mkdtemp(folder));
    snprintf(msh, sizeof msh, "%s/heart.msh", folder);
    snprintf(h, sizeof h, "%g", h_mm);
    char *arguments[] = {"gmsh", (char *)(uintptr_t)script, "-3", "-nt", "1", "-v", "1", "-format", "msh41",
        "-bin", "-algo", (char *)(uintptr_t)algorithm, "-setnumber", "h", h, "-o", msh, NULL};
    int code = gmsh_run(arguments);
    mt_status status = code == 0 ? mt_gmsh_read(arena, msh, 1, mesh) : MT_FILE;
    if (status == MT_OK) status = mt_mesh_check(mesh);
    unlink(msh);
    rmdir(folder);
    cr_assert(code == 0, "the gmsh program is needed to make this test's mesh, and it ended with %d", code);
    cr_assert(status == MT_OK, "%s", mt_message());
}

/* The two ventricles of data/geometry/ventricles.geo. */
static inline void gmsh_ventricles(mt_arena *arena, double h_mm, mt_mesh *mesh)
{
    gmsh_mesh(arena, "data/geometry/ventricles.geo", "hxt", h_mm, mesh);
}

/* The same, with a reproducible mesh. */
static inline void gmsh_ventricles_alike(mt_arena *arena, double h_mm, mt_mesh *mesh)
{
    gmsh_mesh(arena, "data/geometry/ventricles.geo", "del3d", h_mm, mesh);
}

/* The left ventricle alone, of the same size: between half ellipsoids with the axes 26.4, 26.4, 79.2 and 37.4, 37.4, 90.2 mm below the base
 * z = 0. */
static inline void gmsh_left_ventricle(mt_arena *arena, double h_mm, mt_mesh *mesh)
{
    static const char geometry[] =
        "SetFactory(\"OpenCASCADE\");\n"
        "Sphere(1) = {0, 0, 0, 1, -Pi/2, 0, 2*Pi}; Dilate{{0, 0, 0}, {37.4, 37.4, 90.2}}{ Volume{1}; }\n"
        "Sphere(2) = {0, 0, 0, 1, -Pi/2, 0, 2*Pi}; Dilate{{0, 0, 0}, {26.4, 26.4, 79.2}}{ Volume{2}; }\n"
        "wall() = BooleanDifference{ Volume{1}; Delete; }{ Volume{2}; Delete; };\n"
        "faces() = Abs(Boundary{ Volume{wall()}; });\n"
        "For i In {0 : #faces() - 1}\n"
        "  box() = BoundingBox Surface{ faces(i) };\n"
        "  If (box(5) - box(2) < 1)\n"
        "    Physical Surface(1) = {faces(i)};\n"
        "  ElseIf (box(2) < -85)\n"
        "    Physical Surface(2) = {faces(i)};\n"
        "  Else\n"
        "    Physical Surface(3) = {faces(i)};\n"
        "  EndIf\n"
        "EndFor\n"
        "Physical Volume(1) = {wall()};\n"
        "Mesh.CharacteristicLengthFromPoints = 0;\n"
        "Mesh.CharacteristicLengthMin = h;\n"
        "Mesh.CharacteristicLengthMax = h;\n";
    char script[] = "/tmp/myotile_XXXXXX.geo";
    int file = mkstemps(script, 4);
    cr_assert(file >= 0 && write(file, geometry, sizeof geometry - 1) == (ssize_t)(sizeof geometry - 1));
    close(file);
    gmsh_mesh(arena, script, "hxt", h_mm, mesh);
    unlink(script);
}
