/* For tests: an unstructured mesh of the unit cube, made by the gmsh program, and a reader of the little of
 * MSH 2.2 ASCII that it writes. Without gmsh the test fails and says so. */
#ifndef MT_TESTS_SOLVER_GMSH_BOX_H
#define MT_TESTS_SOLVER_GMSH_BOX_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/gmsh_run.h"

#include "mesh/mesh.h"

/* Reads `count` elements after $Elements; the tetrahedra (type 4) go to cell_vertex where that is given. */
static size_t gmsh_read_cells(FILE *file, size_t count, uint32_t *cell_vertex)
{
    size_t cells = 0;
    for (size_t e = 0; e < count; e++) {
        char line[512];
        int type = 0, tags = 0, read = 0;
        if (!fgets(line, sizeof line, file) || sscanf(line, "%*d %d %d%n", &type, &tags, &read) != 2)
            return 0;
        if (type != 4) continue;
        const char *at = line + read;
        for (int k = 0; k < tags + 4; k++) {
            char *end;
            unsigned long number = strtoul(at, &end, 10);
            if (k >= tags && cell_vertex) cell_vertex[4 * cells + (size_t)(k - tags)] = (uint32_t)number - 1;
            at = end;
        }
        cells++;
    }
    return cells;
}

/* The mesh in a MSH 2.2 ASCII file whose vertices are numbered 1 to n in order; fibres along x, cells turned
 * positive. */
static void gmsh_read(mt_arena *arena, const char *path, mt_mesh *mesh)
{
    char line[512];
    size_t n_vertices = 0, n_elements = 0;
    FILE *file = fopen(path, "r");
    cr_assert(file, "gmsh left no mesh at %s", path);
    while (fgets(line, sizeof line, file) && strncmp(line, "$Nodes", 6) != 0) continue;
    cr_assert(fscanf(file, "%zu\n", &n_vertices) == 1);
    long nodes = ftell(file);
    while (fgets(line, sizeof line, file) && strncmp(line, "$Elements", 9) != 0) continue;
    cr_assert(fscanf(file, "%zu\n", &n_elements) == 1);
    long elements = ftell(file);
    size_t n_cells = gmsh_read_cells(file, n_elements, NULL);
    cr_assert(n_cells > 0, "no tetrahedra in %s", path);
    cr_assert(mt_mesh_new(arena, n_vertices, n_cells, mesh) == MT_OK, "%s", mt_message());
    fseek(file, nodes, SEEK_SET);
    for (size_t k = 0; k < n_vertices; k++) {
        double *p = mesh->xyz_mm + 3 * k;
        cr_assert(fgets(line, sizeof line, file) && sscanf(line, "%*d %lf %lf %lf", p, p + 1, p + 2) == 3);
    }
    fseek(file, elements, SEEK_SET);
    gmsh_read_cells(file, n_elements, mesh->cell_vertex);
    fclose(file);
    for (size_t c = 0; c < n_cells; c++) {
        uint32_t *v = mesh->cell_vertex + 4 * c, second = v[1];
        if (mt_mesh_volume_mm3(mesh, c) < 0) v[1] = v[2], v[2] = second;
        mesh->fibre[3 * c] = 1;
        mesh->region[c] = 1;
    }
}

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
    if (code == 0) gmsh_read(arena, msh, mesh);
    unlink(geo);
    unlink(msh);
    rmdir(folder);
    cr_assert(code == 0, "the gmsh program is needed to make this test's mesh, and it ended with %d", code);
}

#endif
