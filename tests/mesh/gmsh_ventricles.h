/* For tests: the two ventricles of data/geometry/ventricles.geo, meshed by the gmsh program, and a reader
 * of the little of MSH 2.2 ASCII that it writes. Without gmsh the test fails and says so. */
#ifndef MT_TESTS_MESH_GMSH_VENTRICLES_H
#define MT_TESTS_MESH_GMSH_VENTRICLES_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/gmsh_run.h"

#include "mesh/mesh.h"

/* Goes through `count` elements: triangles (type 2) and tetrahedra (type 4), into the mesh where it has
 * arrays. */
static void gmsh_elements(FILE *file, size_t count, mt_mesh *mesh, size_t *n_faces, size_t *n_cells)
{
    *n_faces = *n_cells = 0;
    for (size_t e = 0; e < count; e++) {
        char line[512];
        int type = 0, tags = 0, physical = 0, read = 0;
        cr_assert(fgets(line, sizeof line, file) &&
                  sscanf(line, "%*d %d %d %d%n", &type, &tags, &physical, &read) == 3);
        if (type != 2 && type != 4) continue;
        size_t corners = type == 2 ? 3 : 4, at = type == 2 ? (*n_faces)++ : (*n_cells)++;
        if (!mesh) continue;
        uint32_t *vertex = type == 2 ? mesh->face_vertex : mesh->cell_vertex;
        const char *next = line + read;
        char *end;
        for (int k = 1; k < tags; k++, next = end) (void)strtol(next, &end, 10);
        for (size_t k = 0; k < corners; k++, next = end)
            vertex[corners * at + k] = (uint32_t)strtoul(next, &end, 10) - 1;
        if (type == 2) mesh->face_tag[at] = physical;
    }
}

/* The mesh in a MSH 2.2 ASCII file whose vertices are numbered 1 to n in order, with its triangles and their
 * first tag; fibres along x, cells turned positive. */
static void gmsh_read(mt_arena *arena, const char *path, mt_mesh *mesh)
{
    char line[512];
    size_t n_vertices = 0, n_elements = 0, n_faces, n_cells;
    FILE *file = fopen(path, "r");
    cr_assert(file, "no mesh at %s", path);
    while (fgets(line, sizeof line, file) && strncmp(line, "$Nodes", 6) != 0) continue;
    cr_assert(fscanf(file, "%zu\n", &n_vertices) == 1);
    long nodes = ftell(file);
    while (fgets(line, sizeof line, file) && strncmp(line, "$Elements", 9) != 0) continue;
    cr_assert(fscanf(file, "%zu\n", &n_elements) == 1);
    long elements = ftell(file);
    gmsh_elements(file, n_elements, NULL, &n_faces, &n_cells);
    cr_assert(n_cells > 0 && n_faces > 0, "no tagged mesh in %s", path);
    cr_assert(mt_mesh_new(arena, n_vertices, n_cells, mesh) == MT_OK, "%s", mt_message());
    mesh->n_faces = n_faces;
    mesh->face_vertex = mt_arena_take(arena, 3 * n_faces, sizeof *mesh->face_vertex);
    mesh->face_tag = mt_arena_take(arena, n_faces, sizeof *mesh->face_tag);
    cr_assert(mesh->face_vertex && mesh->face_tag);
    fseek(file, nodes, SEEK_SET);
    for (size_t k = 0; k < n_vertices; k++) {
        double *p = mesh->xyz_mm + 3 * k;
        cr_assert(fgets(line, sizeof line, file) && sscanf(line, "%*d %lf %lf %lf", p, p + 1, p + 2) == 3);
    }
    fseek(file, elements, SEEK_SET);
    gmsh_elements(file, n_elements, mesh, &n_faces, &n_cells);
    fclose(file);
    for (size_t c = 0; c < n_cells; c++) {
        uint32_t *v = mesh->cell_vertex + 4 * c, t = v[0];
        if (mt_mesh_volume_mm3(mesh, c) < 0) v[0] = v[1], v[1] = t;
        mesh->fibre[3 * c] = mesh->region[c] = 1;
    }
    cr_assert(mt_mesh_check(mesh) == MT_OK, "%s", mt_message());
}

static inline void gmsh_ventricles(mt_arena *arena, double h_mm, mt_mesh *mesh)
{
    char folder[] = "/tmp/myotile_XXXXXX", msh[64], h[32];
    cr_assert(mkdtemp(folder));
    snprintf(msh, sizeof msh, "%s/ventricles.msh", folder);
    snprintf(h, sizeof h, "%g", h_mm);
    char *arguments[] = {"gmsh", "data/geometry/ventricles.geo", "-3", "-nt", "1", "-v", "1", "-format",
        "msh2", "-algo", "hxt", "-setnumber", "h", h, "-o", msh, NULL};
    int code = gmsh_run(arguments);
    if (code == 0) gmsh_read(arena, msh, mesh);
    unlink(msh);
    rmdir(folder);
    cr_assert(code == 0, "the gmsh program is needed to make this test's mesh, and it ended with %d", code);
}

#endif
