/* CARP's mesh files (openCARP, CARPentry), as text: NAME.pts, NAME.elem, NAME.lon and surfaces, in and out.
 *
 *   NAME.pts   the count, then a line "x y z" a vertex
 *   NAME.elem  the count, then a line "Tt v0 v1 v2 v3 [region]" an element, vertices from 0; without a region: mt_names_unassigned
 *   NAME.lon   1 or 2, then a line of 3 (fibre) or 6 (fibre, sheet) numbers an element; the first line may be missing
 *   NAME.SURFACE.surf  the count, then a line "Tr v0 v1 v2 [region]" a triangle. SURFACE is base, epi, lvendo or
 *              rvendo, which becomes the name of its tag (mt_surface), or the number of another tag; files of other names are passed
 *              over. Besides named ones, the numbers 1 to 4 are changed as by mt_names_settle, as they mean no surface
 *   NAME.SURFACE.vtx   the same as a list of its vertices (mesh/files/vtx.h), in only. A triangle of the boundary with all its
 *              corners in a list is part of that surface. Triangles along the border of two surfaces may lie in both
 *              lists: they go to the first of base, epi, lvendo, rvendo, and then by number. A .surf file wins: where
 *              there is one for a surface its list is passed over, and its triangles stay its own
 *
 * Their binary twins are not read. */
#pragma once

#include "data/files/file.h"
#include "mesh/mesh.h"

/* Gives the mesh of these files; `name` is their path without or with one of the endings, unit_mm what the numbers of .pts are in
 * millimetres (0.001 for CARP's micrometres). Vertices and elements are as in the files, including vertices of no element and inverted
 * or flat elements; fibres are made unit vectors and sheets too, perpendicular to them; without .lon there are none. Triangles of
 * .surf come ascending by the tag in the name of their file, then those of .vtx in the order above. The mesh has passed
 * mt_mesh_check_content. MT_FILE: .pts or .elem cannot be read, or another that is there. MT_MEMORY. MT_INPUT, with file and line: an
 * element that is no Tt, a fibre of length 0 (an element of the bath) or along its sheet, a list with no triangle of its own, damage. */
MT_NODISCARD mt_status mt_carp_read(mt_arena *arena, const char *name, double unit_mm, mt_mesh *mesh);

enum { MT_CARP_TAGS_MAX = 1000 };

/* Writes mesh (borrowed), vertices in micrometres to the last bit (of the product by 1000), fibres and sheets to nine decimals, and a
 * file for each tag of triangles, named as a surface if the name of the tag means it and by the tag otherwise, as a set (data/files/file.h):
 * all files are whole, or as they were. Without fibres there is no .lon, and one that was there goes; so do other surfaces of this
 * name. Other names and groups are lost. MT_FILE: cannot be written. MT_INPUT: a name that is empty or too long; triangles of more
 * than MT_CARP_TAGS_MAX different tags; a list of vertices stands there that would be read as a surface which the mesh does not have. */
MT_NODISCARD mt_status mt_carp_write(const char *name, const mt_mesh *mesh);

/* Can it be written there? As mt_file_check, for each of these files and for the surfaces that would go. */
MT_NODISCARD mt_status mt_carp_check(const char *name, mt_file_replace replace);
