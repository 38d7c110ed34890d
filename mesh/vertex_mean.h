/* Values of elements at the vertices: for programs that know no values of elements. */
#ifndef MT_MESH_VERTEX_MEAN_H
#define MT_MESH_VERTEX_MEAN_H

#include "mesh/mesh.h"

/* Gives means[n_vertices] in `arena`: for each vertex the mean of the values [n_elements] of the elements that have it, each with the
 * weight of its volume. Elements without a value (not a number) do not count; a vertex of none that has one gets none. A field that is
 * linear in space is met where the elements around a vertex lie evenly; at the surface a mean is one of places inside it. MT_MEMORY. */
MT_NODISCARD mt_status mt_vertex_mean(
    mt_arena *arena, const mt_mesh *mesh, const float *values, double **means);

#endif
