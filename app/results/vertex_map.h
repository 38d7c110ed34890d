/* A map at the vertices as text, for other programs. The value at a vertex is its own, or mt_vertex_mean of its elements,
 * with nine digits. The vertices are in the order of the mesh file, including vertices without elements.
 *
 *   csv   x_mm,y_mm,z_mm,NAME: one line for each vertex; nan if there is no value
 *   dat   CARP's format, for meshalyzer: one number for each vertex. An undefined value is -1, as openCARP writes for vertices that were
 *   not
 *         activated; for potentials, which can be -1 mV, it is nan */
#pragma once

#include "mesh/unknowns.h"

/* A map of the elements or the vertices of a mesh; borrowed. */
typedef struct mt_vertex_map {
    const char *name, *unit; /* "apd90", "ms" */
    mt_unknowns places;
    const float *values; /* one for each of `places` */
} mt_vertex_map;

/* Write the complete file or none (data/files/file.h). Fail with MT_FILE. */
MT_NODISCARD mt_status mt_vertex_map_csv(const char *path, const mt_vertex_map *map);
MT_NODISCARD mt_status mt_vertex_map_dat(const char *path, const mt_vertex_map *map);
