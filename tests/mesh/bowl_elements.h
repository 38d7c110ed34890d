/* For tests: the mesh of a left ventricle without gmsh: the wall between two half ellipsoids below the base z = 0, 28 and 40 mm wide and 72
 * and 90 mm deep. Its surfaces are tagged. */
#pragma once

#include <criterion/criterion.h>

#include <math.h>

#include "mesh/adjacency.h"
#include "mesh/make/slab.h"

/* Maps a square of 16 mm to a half ball, with its rim on the base; the slab's 3 mm become the wall, from outside inwards. */
static inline void bowl_point(double x[3])
{
    const double u = x[0] / 8 - 1, v = x[1] / 8 - 1, in = x[2] / 3, far = fmax(fabs(u), fabs(v)),
                 down = far * M_PI / 2;
    const double around = far == 0             ? 0
                          : fabs(u) >= fabs(v) ? M_PI / 4 * v / u + (u < 0 ? M_PI : 0)
                                               : M_PI / 2 - M_PI / 4 * u / v + (v < 0 ? M_PI : 0);
    const double r = 40 - 12 * in, depth = 90 - 18 * in;
    x[0] = r * sin(down) * cos(around);
    x[1] = r * sin(down) * sin(around);
    x[2] = far == 1 ? 0 : -depth * cos(down);
}

/* Returns the tag of a side of the slab. */
static inline int32_t bowl_tag(const mt_mesh *mesh, const uint32_t v[3])
{
    double low = 3, high = 0;
    for (size_t k = 0; k < 3; k++) low = fmin(low, mesh->xyz_mm[3 * (size_t)v[k] + 2]);
    for (size_t k = 0; k < 3; k++) high = fmax(high, mesh->xyz_mm[3 * (size_t)v[k] + 2]);
    return high == 0 ? MT_SURFACE_EPI : low == 3 ? MT_SURFACE_LV : MT_SURFACE_BASE;
}

/* Removes the elements in two corners of the square that have all vertices on its rim and would be flat on the base. */
static inline void bowl_drop_flat(mt_mesh *mesh)
{
    size_t n = 0;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        size_t at_rim = 0;
        for (size_t k = 0; k < 4; k++) {
            const double *x = mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * c + k];
            at_rim += x[0] == 0 || x[0] == 16 || x[1] == 0 || x[1] == 16;
        }
        memmove(mesh->element_vertex + 4 * n, mesh->element_vertex + 4 * c, 4 * sizeof *mesh->element_vertex);
        n += at_rim < 4;
    }
    mesh->n_elements = n;
}

static inline void bowl_elements(mt_arena *arena, mt_mesh *mesh)
{
    mt_adjacency adjacency;
    size_t n = 0;
    cr_assert_eq(mt_slab_make(arena, (double[]){16, 16, 3}, 1, mesh), MT_OK, "%s", mt_message());
    mesh->fibre = NULL;
    bowl_drop_flat(mesh);
    cr_assert_eq(mt_adjacency_make(arena, mesh, &adjacency), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_mesh_new_faces(arena, mt_adjacency_boundary_faces(&adjacency), mesh), MT_OK);
    for (size_t i = 0; i < 4 * mesh->n_elements; i++) {
        if (adjacency.neighbour[i] != MT_NO_ELEMENT) continue;
        uint32_t *v = mesh->face_vertex + 3 * n;
        for (size_t k = 0; k < 3; k++) v[k] = mesh->element_vertex[4 * (i / 4) + mt_mesh_face[i % 4][k]];
        mesh->face_tag[n++] = bowl_tag(mesh, v);
    }
    for (size_t v = 0; v < mesh->n_vertices; v++) bowl_point(mesh->xyz_mm + 3 * v);
    cr_assert_eq(mt_mesh_check(mesh), MT_OK, "%s", mt_message());
}
