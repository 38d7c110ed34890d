/* CARP's mesh files (openCARP, CARPentry) in text format: NAME.pts, NAME.elem, NAME.lon and surfaces, read and written.
 *
 *   NAME.pts   the count, then a line "x y z" for each vertex
 *   NAME.elem  the count, then a line "Tt v0 v1 v2 v3 [region]" for each element, vertices from 0; without a region:
 *              mt_names_unassigned
 *   NAME.lon   1 or 2, then a line of 3 (fibre) or 6 (fibre, sheet) numbers for each element; the first line is optional
 *   NAME.SURFACE.surf  the count, then a line "Tr v0 v1 v2 [region]" for each triangle. SURFACE is base, epi, lvendo or
 *              rvendo, which becomes the name of its tag (mt_surface), or the number of another tag; files with other names are
 *              ignored. If there are named surfaces, the numbers 1 to 4 are changed as by mt_names_settle, because they are not
 *              surfaces
 *   NAME.SURFACE.vtx   the same as a list of vertices (mesh/files/vtx.h), read only. A boundary triangle with all its
 *              corners in the list belongs to that surface. A triangle along the border of two surfaces may have its corners in
 *              both lists; it belongs to the first of base, epi, lvendo, rvendo, then by number. If there is a .surf file for a
 *              surface, its list is ignored, and the triangles of the .surf file are not changed
 *
 * The binary versions of these files are not read. */
#pragma once

#include "data/files/file.h"
#include "mesh/lines.h"
#include "mesh/mesh.h"

/* Reads the mesh of these files. `name`: their path, without or with one of the endings. `unit_mm`: unit of .pts in
 * millimetres (0.001 for CARP's micrometres). Vertices and elements are read unchanged, including vertices of no element and
 * inverted or flat elements. Fibres are normalised; sheets are normalised and made perpendicular to them; without .lon there
 * are none. Triangles of .surf files are ordered by the tag in the file name, then triangles of .vtx files in the order above.
 * The mesh has passed mt_mesh_check_content. MT_FILE: .pts or .elem cannot be read, or another existing file cannot.
 * MT_MEMORY. MT_INPUT, with file and line: an element that is not Tt, a fibre of length 0 (an element of the bath) or
 * parallel to its sheet, a list that adds no triangle, or damage. */
MT_NODISCARD mt_status mt_carp_read(mt_arena *arena, const char *name, double unit_mm, mt_mesh *mesh);

/* Reads instead the lines of NAME.elem, "Ln v0 v1 [region]", for conduction networks. Regions become kinds, 0 for lines without one, with
 * a note; if no line has a region, kinds are unknown. Elements of other types are not used, with a note; .lon and surfaces are not read.
 * Places are lines of .elem. Fails as above, and if there are no lines. *lines is zeroed first. */
MT_NODISCARD mt_status mt_carp_read_lines(mt_arena *arena, const char *name, double unit_mm, mt_lines *lines);

enum { MT_CARP_TAGS_MAX = 1000 };

/* Writes mesh (borrowed): vertices in micrometres without loss (of the product by 1000), fibres and sheets with nine
 * decimals, and one file for each tag of triangles. The file is named after the surface that the name of the tag means,
 * otherwise after the number of the tag. The files are written as a set (data/files/file.h), all or none. Without fibres
 * there is no .lon, and an existing one is deleted, as are other surfaces of this name. Other names and groups are lost.
 * MT_FILE: cannot be written. MT_INPUT: the name is empty or too long, triangles have more than MT_CARP_TAGS_MAX different
 * tags, or an existing list of vertices would be read as a surface that the mesh does not have. */
MT_NODISCARD mt_status mt_carp_write(const char *name, const mt_mesh *mesh);

/* Checks that the mesh can be written, as mt_file_check does, for each of these files and for the surfaces to be deleted. */
MT_NODISCARD mt_status mt_carp_check(const char *name, mt_file_replace replace);
