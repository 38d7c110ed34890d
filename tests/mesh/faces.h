/* For tests: the outer faces of a mesh. */
#pragma once

#include <math.h>

#include "mesh/adjacency.h"

/* Returns the area of all outer faces [mm^2]. */
static inline double boundary_area(const mt_mesh *mesh, const mt_adjacency *adjacency)
{
    double sum = 0;
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) {
        double area[3];
        if (adjacency->neighbour[k] != MT_NO_ELEMENT) continue;
        mt_mesh_face_area(mesh, k / 4, k % 4, area);
        sum += hypot(hypot(area[0], area[1]), area[2]);
    }
    return sum;
}

/* True if the triangle is an outer face of an element with the same orientation, by brute force. */
static inline bool is_outer_face(const mt_mesh *mesh, const mt_adjacency *adjacency, const uint32_t *triangle)
{
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) {
        uint32_t v[3];
        if (adjacency->neighbour[k] != MT_NO_ELEMENT) continue;
        for (size_t i = 0; i < 3; i++) v[i] = mesh->element_vertex[4 * (k / 4) + mt_mesh_face[k % 4][i]];
        for (int i = 0; i < 3; i++)
            if (v[i] == triangle[0] && v[(i + 1) % 3] == triangle[1] && v[(i + 2) % 3] == triangle[2])
                return true;
    }
    return false;
}
