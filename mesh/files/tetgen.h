/* TetGen's mesh files and Chaste's flavour of them, in:
 *
 *   NAME.node   "n 3 [attributes [markers]]", then "id x y z ..." a vertex
 *   NAME.ele    "n 4 [attributes]", then "id v0 v1 v2 v3 ..." an element; region: its first attribute. If it is no
 *               whole number of 32 bits, with a note, the element has no region (mt_names_unassigned).
 *               "n 10 ...": of second order; the four corners are used, the vertices on edges are dropped with a note
 *   NAME.face   "n [markers]", then "id v0 v1 v2 marker" a triangle, tagged where the marker is not 0
 *   NAME.ortho  "n", then a line of 9 numbers an element: fibre, sheet and normal, which is not read
 *   NAME.axi    "n", then a line of 3 numbers an element: fibre; not used if there is .ortho, with a note
 *
 * The last three need not be there. Ids count on from 0 or 1, as the first vertex does, and vertices are
 * named by them; # begins a remark. A first line that ends in BIN is Chaste's: what follows is raw and
 * little-endian, without ids, from 0; vertices of elements are int32 and all else double.
 *
 * Chaste's numbers are usually centimetres, and the user of TetGen chooses the unit. Points in .poly or .smesh are
 * not read. */
#pragma once

#include "mesh/mesh.h"

/* Gives the mesh of the files; `name` is their path without or with one of the endings, unit_mm what the numbers of .node are in
 * millimetres. Vertices of elements and triangles are in range, coordinates finite and directions unit vectors; the rest of
 * mt_mesh_check is for the caller: elements may be inverted or flat. MT_FILE: .node or .ele cannot be read, or one of the others that
 * is there. MT_MEMORY. MT_INPUT, with file and line (the byte, in binary): a fibre of length 0 or along its sheet, damage. */
MT_NODISCARD mt_status mt_tetgen_read(mt_arena *arena, const char *name, double unit_mm, mt_mesh *mesh);
