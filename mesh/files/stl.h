/* Surfaces in STL, text or binary. The normals and the names of solids in it are passed over. */
#pragma once

#include "mesh/mesh.h"

/* Gives the surface (a mesh without elements, see mesh/triangles.h; all tags 0) of a file whose numbers are of unit_mm
 * millimetres each. As STL has it, each triangle has three vertices of its own: vertices 3 t, 3 t + 1, 3 t + 2.
 * A file is binary where its length is that of the count in it. MT_FILE: cannot be read. MT_MEMORY.
 * MT_INPUT, with file and line or byte: damage, or no triangles. */
MT_NODISCARD mt_status mt_stl_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);
