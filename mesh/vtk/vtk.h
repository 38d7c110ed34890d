/* VTK's own mesh files: legacy .vtk (1.0 to 5.1; ASCII, or BINARY, which is big-endian; DATASET
 * UNSTRUCTURED_GRID and POLYDATA), and XML .vtu (UnstructuredGrid) and .vtp (PolyData), in; .vtu out. Layouts
 * as in VTK's "File Formats" and, where that is silent, as the VTK of ParaView 5.11 reads and writes.
 *
 * What becomes of a file's content:
 *   points      all are vertices, in the order of the file, also those of no cell;
 *   cells       tetrahedra (10) become cells and triangles (5, and polygons of three corners) tagged
 *               triangles, both in the order of the file and wound as they are there; vertices and lines (1
 *               to 4) and empty cells (0) are passed over; of quadratic cells (24, 22; 71, 69) the corners are used and the points
 *               on edges dropped, with a note; any other type is an error;
 *   pieces      of XML are joined, one behind the other;
 *   region      the best cell array of one number a cell of the table of names (mesh/vtk/vtk_names.h), as elemTag or labels. Its
 *               values are the regions of tetrahedra and the tags of triangles. If the value is nan, a tetrahedron has no region
 *               (mt_names_unassigned) and a triangle the tag 0; the same, with a note, if it is no whole number of 32 bits.
 *               Without the array all regions are 1 and all tags 0;
 *   names       the field array of bytes `names`: names of tags, and tags of groups, as text (mesh/names.h). Names that mean surfaces
 *               decide the tags of triangles (mt_names_settle);
 *   groups      with names of groups, the cell array of just this name: bit g is set if the tetrahedron belongs to group g;
 *   repeats     tetrahedra with the same corners and other regions or groups are merged, with a note (mesh/mend/repeats.h);
 *   fibres      the best array of three numbers of that table, of cells or else of points. Those of points become a cell's by the
 *               principal axis of the sum of f f' over its four vertices: f and -f are the same fibre; a note says so, and in
 *               how many elements the four differ so much that their mean means little;
 *   sheets      in the same way; only with fibres. If one is 0 or along its fibre (as placeholders are) the mesh has no sheets;
 *   depth       the cell array of just this name, one number a cell;
 *   layer       the same, whole numbers.
 * Directions that are unit vectors to 1e-6, and perpendicular, are taken as they are, others are made so.
 * Other arrays are listed in a note.
 *
 * The mesh is what the file says: its indices are vertices and its coordinates finite, but cells may be
 * inverted or flat, and it has not passed mt_mesh_check. A file of triangles gives a surface: n_elements 0,
 * n_faces above.
 *
 * No memory is taken for what cannot be there. Plain data must be in the file; compressed data may become at
 * most 1032 times longer, which is the best that zlib can do, and has to have just the length that the mesh
 * needs; points, cells and corners are at most mt_vtk_most_each times as many as the file has bytes
 * (vtk_grid.h). */
#pragma once

#include "mesh/mesh.h"

/* Gives the mesh of a legacy file whose numbers are of unit_mm millimetres each. MT_FILE: cannot be read.
 * MT_MEMORY. MT_INPUT, with the file and the line, or the cell or point from 0: damage; another kind of file or
 * cell; fibres of length 0 (bath), names that are no such text. */
MT_NODISCARD mt_status mt_vtk_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);

/* The same for an XML file of either kind: ascii, binary (base64) or appended, raw or base64; plain or
 * compressed with zlib, either order of bytes. What mesh/vtk/xml.h does not allow is refused. */
MT_NODISCARD mt_status mt_vtu_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);

/* Writes mesh (borrowed) as .vtu, in mm: Points Float64, the tetrahedra and behind them the tagged triangles, and of cells `region`
 * (of triangles their tag) and, where the mesh has them, `fibre`, `sheet`, `normal` (fibre x sheet, for viewers), `depth`, `layer`,
 * `groups` (all 0 for triangles), and its names as field data. mt_vtu_read gives back the same mesh to the bit. Arrays are base64 in
 * their elements: appended ones are smaller, but the ParaView 5.11 of Debian 12 cannot open them any more since expat puts off parsing
 * (VTK's issue 19258). The file is whole or as it was. MT_FILE: cannot be written. */
MT_NODISCARD mt_status mt_vtu_write(const char *path, const mt_mesh *mesh);
