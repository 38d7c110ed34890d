/* Surfaces in Wavefront's OBJ: of its lines "v x y z" and "f a b c ..." are read, others passed over.
 *
 * A corner may be "a", "a/b", "a//c" or "a/b/c", of which a counts: the number of a point, from 1, or from -1
 * backwards from the newest. A face of more corners becomes a fan of triangles from its first one. Triangles with a
 * corner twice are passed over. */
#pragma once

#include "mesh/mesh.h"

/* Gives the surface (a mesh without elements, see mesh/triangles.h; all tags 0) of a file whose numbers are of unit_mm
 * millimetres each. MT_FILE: cannot be read. MT_MEMORY. MT_INPUT, with file and line: damage, or no triangles. */
MT_NODISCARD mt_status mt_obj_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);
