/* A map at the vertices as a text, for programs of others. A value at a vertex is mt_vertex_mean of its elements, with nine digits; the
 * vertices stand in the order of the mesh's file, with those of no element.
 *
 *   csv   x_mm,y_mm,z_mm,NAME: a line a vertex; nan where there is no value
 *   dat   CARP's, for meshalyzer: one number a vertex. Where there is none, -1, as openCARP writes for what was not activated; nan
 *         for potentials, which may be -1 mV */
#pragma once

#include "mesh/mesh.h"

/* A map of the elements of a mesh; borrowed. */
typedef struct mt_vertex_map {
    const char *name, *unit; /* "apd90", "ms" */
    const mt_mesh *mesh;
    const float *values; /* [n_elements] */
} mt_vertex_map;

/* Write it, whole or not at all (data/files/file.h). MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_vertex_map_csv(const char *path, const mt_vertex_map *map);
MT_NODISCARD mt_status mt_vertex_map_dat(const char *path, const mt_vertex_map *map);
