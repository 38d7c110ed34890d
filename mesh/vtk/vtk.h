/* VTK mesh files. Read: legacy .vtk (1.0 to 5.1; ASCII, or BINARY, which is big-endian; DATASET
 * UNSTRUCTURED_GRID and POLYDATA), XML .vtu (UnstructuredGrid) and .vtp (PolyData). Written: .vtu of meshes,
 * .vtp of lines. The layouts follow VTK's "File Formats" and, for details it leaves open, the VTK of ParaView 5.11.
 *
 * A file is converted as follows:
 *   points      all become vertices, in file order, including points of no cell;
 *   cells       tetrahedra (10) become elements; triangles (5, and polygons of three corners) become tagged triangles. Both
 *               keep the order and the winding of the file. Vertices, lines (1 to 4) and empty cells (0) are skipped. For
 *               quadratic cells (24, 22; 71, 69) the corners are used and the points on edges dropped, with a note. Any other type
 *               is an error;
 *   pieces      of XML files are concatenated;
 *   region      the scalar cell array that is first in the table of names (mesh/vtk/vtk_names.h), such as elemTag or labels. Its
 *               values are the regions of tetrahedra and the tags of triangles. If a value is nan, the tetrahedron has no region
 *               (mt_names_unassigned) and the triangle has tag 0. The same holds, with a note, for values that are not 32-bit
 *               integers. Without such an array all regions are 1 and all tags 0;
 *   names       the field array of bytes `names`: names of tags, and tags of groups, as text (mesh/names.h). Names of surfaces
 *               determine the tags of triangles (mt_names_settle);
 *   groups      the cell array `groups`, read only if there are names of groups; bit g is set if the tetrahedron belongs to group g;
 *   repeats     tetrahedra with the same corners and different regions or groups are merged, with a note (mesh/repair/repeats.h);
 *   fibres      the vector array that is first in that table, of cells or, without one, of points. Point values are averaged over
 *               the four vertices of an element: the principal axis of the sum of f f^T, since f and -f are the same fibre. A note
 *               says so, and counts the elements with directions too different for a representative mean;
 *   sheets      read in the same way, only if there are fibres. If a sheet is 0 or parallel to its fibre, as in placeholders, the
 *               mesh has no sheets;
 *   depth       the scalar cell array `depth`;
 *   layer       the scalar cell array `layer`, of integers.
 * Directions that are perpendicular unit vectors to within 1e-6 are stored unchanged, others are
 * orthonormalised. Other arrays are listed in a note.
 *
 * The mesh has vertex indices in range and finite coordinates. Its elements may be inverted or flat, and it
 * has not passed mt_mesh_check. A file of triangles alone yields a surface: n_elements = 0, n_faces > 0.
 *
 * Memory use is bounded by the size of the file. Uncompressed data must be in the file. Compressed data must
 * have the length that the mesh requires and may expand by a factor of at most 1032, the limit of zlib.
 * Points, cells and corners number at most mt_vtk_most_each for each byte of the file (vtk_grid.h). */
#pragma once

#include "mesh/lines.h"
#include "mesh/mesh.h"

/* Reads the mesh of a legacy file with coordinates in units of unit_mm millimetres. MT_FILE: cannot be read.
 * MT_MEMORY. MT_INPUT, with the file and the line, or the cell or point from 0: damage, an unsupported kind
 * of file or cell, fibres of length 0 (bath), or names that are not valid text. */
MT_NODISCARD mt_status mt_vtk_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);

/* The same for an XML file (.vtu or .vtp): ascii, binary (base64) or appended (raw or base64), uncompressed
 * or compressed with zlib, in either byte order. Refuses XML that data/files/xml.h does not allow. */
MT_NODISCARD mt_status mt_vtu_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);

/* Read the lines of such files instead, for conduction networks: lines (3) of two points and poly lines (4), of which k points are k - 1
 * segments, in file order. `radius` and `kind` are the scalar cell arrays of these names, without regard to case; without `kind`, the
 * region. The radius is in the unit of the coordinates, and `kind` has 32-bit integers. All other cells are not used; their number is a
 * note, as are unused arrays. MT_INPUT, with the file and the cell or line: also a file without lines, a line of too few points, or a
 * kind that is not an integer. *lines is zeroed first, and borrows the path. */
MT_NODISCARD mt_status mt_vtk_read_lines(mt_arena *arena, const char *path, double unit_mm, mt_lines *lines);
MT_NODISCARD mt_status mt_vtu_read_lines(mt_arena *arena, const char *path, double unit_mm, mt_lines *lines);

/* Writes lines (borrowed) as .vtp, in mm: Points Float64, a line for each segment, the cell arrays `radius` (Float64) and `kind`
 * (Int32) if known, and the fields of the points (Float64). mt_vtu_read_lines returns the same bits. Encoded and written as below.
 * MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_vtp_write_lines(const char *path, const mt_lines *lines);

/* Writes mesh (borrowed) as .vtu, in mm: Points Float64, the tetrahedra followed by the tagged triangles, and
 * the cell arrays `region` (the tag for triangles) and, if the mesh has them, `fibre`, `sheet`, `normal`
 * (fibre x sheet, for viewers), `depth`, `layer` and `groups` (all 0 for triangles), and its names as field
 * data. mt_vtu_read returns an identical mesh. Arrays are inline base64: appended arrays are smaller, but the
 * ParaView 5.11 of Debian 12 cannot open them since expat defers parsing (VTK issue 19258). The file is
 * written atomically. MT_FILE: cannot be written. */
MT_NODISCARD mt_status mt_vtu_write(const char *path, const mt_mesh *mesh);
