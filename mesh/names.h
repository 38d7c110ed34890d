/* Names of tags of a mesh, and groups, which are regions that share elements.
 *
 * A name belongs to a dimension (2: triangles, 3: elements) and a tag. Gmsh calls it a physical name. Each pair of dimension and tag has at
 * most one name.
 *
 * An element has one region. If a file assigns it to several, the first is its region and the others are groups: sets of elements with a
 * tag and optionally a name, like regions. A group contains the elements with its bit in mt_mesh.groups, and the elements of the region
 * with its tag. Invariants: group tags are distinct; bits from n_groups on are 0.
 *
 * The text form, for file formats without names (mt_names_print, mt_names_parse), has these lines:
 *
 *   2 TAG NAME    the name of a tag of triangles
 *   3 TAG NAME    the name of a region or group
 *   group TAG     the tag of the next group, in the order of the bits of mt_mesh.groups
 *   # ...         a comment */
#pragma once

#include <stdio.h>

#include "mesh/mesh.h"

enum { MT_NAMES_FACES = 2, MT_NAMES_ELEMENTS = 3, MT_NAMES_MAX = 1024, MT_NAMES_LIST = 400 };

/* ---- names */

/* Sets or replaces the name of a tag. `text` has n characters. Control characters and double quotes become blanks, and too long names are
 * truncated. Does nothing if the name is empty. MT_INPUT: more than MT_NAMES_MAX names. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_put(
    mt_arena *arena, mt_mesh *mesh, int32_t dimension, int32_t tag, const char *text, size_t n);

/* Removes all names of a dimension. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_remove(mt_arena *arena, mt_mesh *mesh, int32_t dimension);

/* Returns the name of a tag, or NULL if it has no name. */
const char *mt_names_text(const mt_mesh *mesh, int32_t dimension, int32_t tag);

/* Parses a tag: an integer, which need not be a tag of the mesh, or a name of this dimension. Names are compared exactly, then ignoring
 * case. MT_INPUT: an unknown name, or a name of several tags; the message lists the tags and names. */
MT_NODISCARD mt_status mt_names_find(const mt_mesh *mesh, int32_t dimension, const char *text, int32_t *tag);

/* Lists the first ten tags of triangles, or of regions and groups, with their names: "1 (base), 7". */
void mt_names_list(const mt_mesh *mesh, int32_t dimension, char list[MT_NAMES_LIST]);

/* Copies the names and group tags (not the groups' elements) of a mesh to another. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_copy(mt_arena *arena, const mt_mesh *from, mt_mesh *to);

/* Writes the names and group tags in their text form. */
void mt_names_print(FILE *out, const mt_mesh *mesh);

/* Returns the same text, of n characters, in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_make_text(mt_arena *arena, const mt_mesh *mesh, const char **text, size_t *n);

/* Reads names and group tags from a text of n characters. MT_INPUT: an unknown kind of line, a tag beyond 32 bits, a repeated group, or
 * more than MT_GROUPS_MAX groups; the message begins with the line number. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_parse(mt_arena *arena, mt_mesh *mesh, const char *text, size_t n);

/* ---- names of surfaces */

/* Returns the standard name of an mt_surface: base, epicardium, lv_endocardium or rv_endocardium; NULL for other tags. */
const char *mt_surface_name(int32_t tag);

/* Returns the mt_surface of a common name, ignoring case and the characters " _-."; 0 for other names. Recognises base; epi, epicardium;
 * lv, lvendo, lv endocardium, left ventricle (endocardium), ...; likewise rv; and, unless `has_rv`, endo and endocardium for the left
 * ventricle. */
int32_t mt_names_surface(const char *text, bool has_rv);

/* Returns the mt_surface denoted by the name of a triangle tag; 0 if the tag has no name or the name denotes no surface. */
int32_t mt_names_surface_of(const mt_mesh *mesh, int32_t tag);

/* Assigns standard names to the mt_surface tags in use, except tags with a name of the same meaning. For meshes with triangle tags that
 * are known to be mt_surface. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_put_surfaces(mt_arena *arena, mt_mesh *mesh);

/* Renumbers triangle tags by their names. A tag with the name of a surface becomes that mt_surface; any other tag from 1 to 4 becomes the
 * lowest unused tag from 5 on. Names move with their tags. Adds a note if a tag changes. Does nothing if no name denotes a surface.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_names_settle(mt_arena *arena, mt_mesh *mesh);

/* True if at least one triangle tag is an mt_surface with a name of the same meaning. */
bool mt_names_confirm(const mt_mesh *mesh);

/* ---- groups */

/* Adds an element to a group, which is created if necessary. Sets *full and does nothing else if there are MT_GROUPS_MAX other groups.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_groups_put(mt_arena *arena, mt_mesh *mesh, int32_t tag, size_t element, bool *full);

/* True if an element belongs to the region or group with this tag. */
bool mt_groups_has(const mt_mesh *mesh, int32_t tag, size_t element);

/* ---- elements without a region */

/* Assigns the elements c with without[c] != 0 the lowest unused region tag from 0 on, and adds a note with their number. If no element has
 * a region, all get region 1, without a note. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_unassigned(mt_arena *arena, mt_mesh *mesh, const uint8_t *without);
