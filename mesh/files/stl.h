/* Surfaces in STL format, text or binary. The normals and the names of solids are ignored. */
#pragma once

#include "mesh/mesh.h"

/* Reads the surface (a mesh without elements, see mesh/triangles.h; all tags 0) of a file with coordinates in units of
 * unit_mm millimetres. As in STL, triangles share no vertices: triangle t has vertices 3 t, 3 t + 1, 3 t + 2. A file is
 * binary if its length agrees with the count in its header. MT_FILE: cannot be read. MT_MEMORY. MT_INPUT, with file and line
 * or byte: damage, or no triangles. */
MT_NODISCARD mt_status mt_stl_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);
