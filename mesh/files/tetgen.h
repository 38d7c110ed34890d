/* TetGen's mesh files and Chaste's variant of them, read only:
 *
 *   NAME.node   "n 3 [attributes [markers]]", then "id x y z ..." for each vertex
 *   NAME.ele    "n 4 [attributes]", then "id v0 v1 v2 v3 ..." for each element; region: its first attribute. If that is not a
 *               32-bit integer, the element has no region (mt_names_unassigned), with a note.
 *               "n 10 ...": second order; the four corners are used, the vertices on edges are dropped with a note
 *   NAME.face   "n [markers]", then "id v0 v1 v2 marker" for each triangle, tagged if the marker is not 0
 *   NAME.ortho  "n", then a line of 9 numbers for each element: fibre, sheet, and normal, which is not read
 *   NAME.axi    "n", then a line of 3 numbers for each element: fibre; ignored if there is .ortho, with a note
 *
 * The last three files are optional. Ids are consecutive, starting at the id of the first vertex, 0 or 1, and elements refer
 * to vertices by id; # begins a comment. A first line that ends in BIN is Chaste's: the data are binary and little-endian,
 * without ids, from 0; vertex indices of elements are int32 and all other numbers double.
 *
 * Chaste's coordinates are usually in centimetres; TetGen's have the unit that its user chose. Points in .poly or .smesh are
 * not read. */
#pragma once

#include "mesh/mesh.h"

/* Reads the mesh of the files. `name`: their path, without or with one of the endings. `unit_mm`: unit of .node in
 * millimetres. The vertices of elements and triangles are in range, coordinates finite and directions unit vectors; the rest
 * of mt_mesh_check is left to the caller: elements may be inverted or flat. MT_FILE: .node or .ele cannot be read, or an
 * existing optional file cannot. MT_MEMORY. MT_INPUT, with file and line (or byte, if binary): a fibre of length 0 or
 * parallel to its sheet, or damage. */
MT_NODISCARD mt_status mt_tetgen_read(mt_arena *arena, const char *name, double unit_mm, mt_mesh *mesh);
