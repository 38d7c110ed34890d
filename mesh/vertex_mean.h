/* Values of elements at the vertices: for programs that know no values of elements. */
#pragma once

#include "mesh/mesh.h"

/* Gives means[n_vertices] in `arena`: for each vertex the mean of the values [n_elements] of the elements that have it, each with the
 * weight of its volume. Elements without a value (not a number) do not count; a vertex of none that has one gets none. A field that is
 * linear in space is met where the elements around a vertex lie evenly; at the surface a mean is one of places inside it. MT_MEMORY. */
MT_NODISCARD mt_status mt_vertex_mean(
    mt_arena *arena, const mt_mesh *mesh, const float *values, double **means);

/* The elements that have each of some vertices, with their volumes: for many fields at few vertices. */
typedef struct mt_vertex_stars {
    size_t n;
    size_t *start;     /* [n + 1] */
    uint32_t *element; /* those of the k-th vertex, ascending, are element[start[k] .. start[k + 1]) */
    double *volume_mm3;
} mt_vertex_stars;

/* Gives the stars of n vertices, none of them twice, in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_vertex_stars_make(
    mt_arena *arena, const mt_mesh *mesh, size_t n, const uint32_t *vertex, mt_vertex_stars *stars);

/* The same means, to the bit, at these vertices: means[n]. */
void mt_vertex_stars_mean(const mt_vertex_stars *stars, const float *values, double *means);
