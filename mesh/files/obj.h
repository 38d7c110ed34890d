/* Surfaces in Wavefront's OBJ format: lines "v x y z" and "f a b c ..." are read, others ignored.
 *
 * A corner is "a", "a/b", "a//c" or "a/b/c"; only a is used: the number of a point, from 1, or from -1 backwards from the
 * most recent point. A face of more than three corners becomes a fan of triangles around its first corner. Triangles with a
 * repeated corner are skipped. */
#pragma once

#include "mesh/mesh.h"

/* Reads the surface (a mesh without elements, see mesh/triangles.h; all tags 0) of a file with coordinates in units of
 * unit_mm millimetres. MT_FILE: cannot be read. MT_MEMORY. MT_INPUT, with file and line: damage, or no triangles. */
MT_NODISCARD mt_status mt_obj_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);
