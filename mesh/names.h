/* Names of the parts of a mesh, and groups: regions that share elements.
 *
 * A name belongs to a dimension (2: triangles, 3: elements) and a tag. Files call it a physical name. Each pair of dimension
 * and tag has one name at most.
 *
 * An element has one region. If the file puts it into more parts than one, the first is its region and the others are groups:
 * sets of elements, with a tag and perhaps a name, as regions have. A group contains the elements of its bit in mt_mesh.groups
 * and those whose region has its tag. Invariants: group tags differ; bits from n_groups on are 0.
 *
 * As text, for formats without a place of their own for names (mt_names_print, mt_names_parse), a line each:
 *
 *   2 TAG NAME    the name of a tag of triangles
 *   3 TAG NAME    the name of a region or group
 *   group TAG     the tag of the next group, in the order of the bits of mt_mesh.groups
 *   # ...         a remark */
#pragma once

#include <stdio.h>

#include "mesh/mesh.h"

enum { MT_NAMES_FACES = 2, MT_NAMES_ELEMENTS = 3, MT_NAMES_MAX = 1024, MT_NAMES_LIST = 400 };

/* ---- names */

/* Names a tag, in place of its earlier name. `text` has n characters. Control characters and double quotes become blanks, and
 * a name that is too long is cut; an empty one does nothing. MT_INPUT: more than MT_NAMES_MAX names. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_put(
    mt_arena *arena, mt_mesh *mesh, int32_t dimension, int32_t tag, const char *text, size_t n);

/* Removes the names of a dimension. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_forget(mt_arena *arena, mt_mesh *mesh, int32_t dimension);

/* Returns the name of a tag; NULL if it has none. */
const char *mt_names_text(const mt_mesh *mesh, int32_t dimension, int32_t tag);

/* Finds the tag that a text means: a whole number, or a name of this dimension (exact or, failing that, without regard to
 * case). The number need not be a tag of the mesh. MT_INPUT: an unknown name, or one of several tags; the message lists the
 * tags and names. */
MT_NODISCARD mt_status mt_names_find(const mt_mesh *mesh, int32_t dimension, const char *text, int32_t *tag);

/* Lists the tags of triangles, or of regions and groups, with their names, the first ten: "1 (base), 7". */
void mt_names_list(const mt_mesh *mesh, int32_t dimension, char list[MT_NAMES_LIST]);

/* Copies the names and the tags of groups (not their elements) of a mesh to another one. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_copy(mt_arena *arena, const mt_mesh *from, mt_mesh *to);

/* Writes names and tags of groups as text. */
void mt_names_print(FILE *out, const mt_mesh *mesh);

/* Gives the same text of n characters in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_make_text(mt_arena *arena, const mt_mesh *mesh, const char **text, size_t *n);

/* Reads them from a text of n characters. MT_INPUT: another kind of line, a tag outside of 32 bits, a group twice or more than
 * MT_GROUPS_MAX of them; the message begins with the line. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_parse(mt_arena *arena, mt_mesh *mesh, const char *text, size_t n);

/* ---- names with a meaning */

/* Returns our name of a tag mt_surface: base, epicardium, lv_endocardium or rv_endocardium; NULL for another tag. */
const char *mt_surface_name(int32_t tag);

/* Returns the surface that a common name means, without regard to case and to the characters " _-.": base; epi, epicardium;
 * lv, lvendo, lv endocardium, left ventricle (endocardium), ...; rv in the same way; endo, endocardium, which is the left
 * ventricle's unless `has_rv`. 0: none of them. */
int32_t mt_names_surface(const char *text, bool has_rv);

/* Returns the surface that the name of a tag of triangles means; 0: it has none, or it means no surface. */
int32_t mt_names_surface_of(const mt_mesh *mesh, int32_t tag);

/* Names the tags mt_surface, of those that triangles have: base, epicardium, lv_endocardium, rv_endocardium; a name that means the
 * same stays. For meshes whose tags are known to mean these. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_put_surfaces(mt_arena *arena, mt_mesh *mesh);

/* Renumbers the tags of triangles so that names decide their meaning: a tag whose name means a surface becomes that mt_surface,
 * and any other tag from 1 to 4 the lowest unused one from 5 on; names go with their tags. Adds a note if a tag changes. Does
 * nothing if no name means a surface. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_settle(mt_arena *arena, mt_mesh *mesh);

/* True if the name of a tag of triangles means the surface whose number it is. */
bool mt_names_confirm(const mt_mesh *mesh);

/* ---- groups */

/* Adds an element to a group, which is created if needed. *full: there are MT_GROUPS_MAX others already, and nothing is done.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_groups_put(mt_arena *arena, mt_mesh *mesh, int32_t tag, size_t element, bool *full);

/* True if an element has this region or belongs to this group. */
bool mt_groups_has(const mt_mesh *mesh, int32_t tag, size_t element);

/* ---- elements without a region */

/* Gives the elements with without[c] not 0 a tag that no other element has: 0 or, if it is taken, the lowest above. If all
 * elements are without a region, their region is 1, and there is no note. Otherwise adds a note with their number. MT_MEMORY. */
MT_NODISCARD mt_status mt_names_unassigned(mt_arena *arena, mt_mesh *mesh, const uint8_t *without);
