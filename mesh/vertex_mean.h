/* Interpolation of element values to vertices, for programs without element fields. */
#pragma once

#include "mesh/mesh.h"

/* Computes means[n_vertices] in `arena`: the volume-weighted mean of values[n_elements] over the elements of each vertex. Ignores NaN
 * values; a vertex without elements with a value gets NaN. The mean is exact for linear fields if the elements around the vertex are
 * symmetric. At the surface it is biased towards the interior. MT_MEMORY. */
MT_NODISCARD mt_status mt_vertex_mean(
    mt_arena *arena, const mt_mesh *mesh, const float *values, double **means);

/* Computes means[n_elements] in `arena` in the other direction: the mean of values[n_vertices] over the four vertices of an element; NaN if
 * one is NaN. MT_MEMORY. */
MT_NODISCARD mt_status mt_element_mean(
    mt_arena *arena, const mt_mesh *mesh, const float *values, float **means);

/* The elements around each of a few vertices, with their volumes; for interpolating many fields. */
typedef struct mt_vertex_stars {
    size_t n;
    size_t *start;      /* [n + 1] */
    uint32_t *element;  /* elements of the k-th vertex, ascending: element[start[k] .. start[k + 1]) */
    double *volume_mm3; /* same layout as `element` */
} mt_vertex_stars;

/* Builds the stars of vertex[n], which are distinct, in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_vertex_stars_make(
    mt_arena *arena, const mt_mesh *mesh, size_t n, const uint32_t *vertex, mt_vertex_stars *stars);

/* Computes means[n] at these vertices, bitwise equal to those of mt_vertex_mean. */
void mt_vertex_stars_mean(const mt_vertex_stars *stars, const float *values, double *means);
