/* Transfer of fields from one heart to another by ventricular coordinates: each vertex or element of the target has the value at its
 * position in the source (mesh/anatomy/position.h), in the same ventricle. An element's position is that of its centroid.
 *
 * A field of vertices is interpolated linearly. A field of elements is u + sum_k (w_k - 1/4) m_k in an element with the value u, with the
 * barycentric coordinates w_k and the volume-weighted means m_k of the field at its vertices (mesh/vertex_mean.h): u at the centroid.
 * Numbers such as tags are those of the element, or of the vertex with the largest w_k. A place that does not correspond to a point of the
 * source (mt_positions_has) has no value. A transfer to the same mesh returns the field, unless elements overlap at the apex. */
#pragma once

#include "mesh/anatomy/position.h"

typedef struct mt_transfer {
    size_t n;                 /* vertices or elements of the target */
    bool at_vertices;         /* of source and target */
    const mt_positions *from; /* borrowed */
    mt_located *at;           /* [n]; element MT_NO_ELEMENT: without a counterpart */
    size_t n_without;         /* number of those, except vertices without elements */
    size_t n_used;            /* number of elements, or of vertices of elements */
    double farthest_mm;       /* largest distance_mm of a counterpart */
} mt_transfer;

/* Finds the vertices or elements of `to`, with coordinates, in the source, in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_transfer_make(
    mt_arena *arena, const mt_positions *from, const mt_mesh *to, bool at_vertices, mt_transfer *transfer);

/* Computes out[n] from a field of the vertices or elements of the source, in `arena`; NaN without a counterpart, or if a value that it
 * depends on is not finite. MT_MEMORY. */
MT_NODISCARD mt_status mt_transfer_values(
    mt_arena *arena, const mt_transfer *transfer, const double *values, double **out);

/* Same, for numbers such as tags; `without`: the number without a counterpart. */
MT_NODISCARD mt_status mt_transfer_numbers(
    mt_arena *arena, const mt_transfer *transfer, const int64_t *numbers, int64_t without, int64_t **out);
