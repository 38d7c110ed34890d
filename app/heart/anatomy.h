/* Surfaces of a heart: which triangles are base, epicardium, left and right endocardium. They are specified by tags or found by the
 * shape. */
#pragma once

#include "mesh/anatomy/coordinates.h"
#include "mesh/anatomy/surfaces.h"

/* For option tables: the values of --surfaces, and the help of this option and of --tags (MT_TAG_MEANING_EXAMPLE). */
#define MT_SURFACES_VALUE "given|found"
#define MT_TAGS_HELP "meaning of the triangle tags, if not base 1, epi 2, lv 3, rv 4"
#define MT_SURFACES_HELP                                                                                     \
    "use the tagged triangles (given), or identify the surfaces by shape (found); default: found if no "     \
    "triangle is tagged"

/* The help of --septum, a direction for mt_coordinates_make. */
#define MT_SEPTUM_HELP                                                                                       \
    "for a left ventricle alone: direction from its axis towards the septum; default: an arbitrary one"

/* How the surfaces are known. The numbers of tags alone never suffice. */
typedef enum mt_anatomy {
    MT_ANATOMY_NONE,   /* unknown; mt_message() explains why the shape does not suffice */
    MT_ANATOMY_TOLD,   /* by the options of the command */
    MT_ANATOMY_NAMED,  /* by the names of the tags (mt_names_confirm) */
    MT_ANATOMY_AGREED, /* by tags without names, confirmed by the shape */
    MT_ANATOMY_FOUND   /* by the shape */
} mt_anatomy;

/* Returns this in words, to follow "surfaces:". `how` is used for MT_ANATOMY_FOUND. */
const char *mt_anatomy_text(mt_anatomy anatomy, mt_found how);

/* Decides which triangles of a mesh are its surfaces, and counts them. The values of --tags (mt_tag_meaning_rename) and --surfaces
 * ("given" or "found") decide. Without them (NULL) the tags decide, if they have names or the shape confirms them; in a mesh
 * without tags the surfaces are found by the shape. Afterwards no triangle has tag 0, and the surfaces have names. `path` and
 * `adjacency` belong to the mesh. Warns if some tags are not surfaces, with the value of --tags that would use them
 * (mesh/anatomy/tag_meaning.h). Returns the errors of `mt_surfaces_find`. Fails with MT_INPUT if --tags and --surfaces found are
 * combined, if the shape contradicts or does not confirm tags without names, or if no tag is a surface. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_anatomy_choose(mt_arena *arena, const char *tags, const char *from,
    const char *path, const mt_adjacency *adjacency, mt_mesh *mesh, mt_surfaces *surfaces,
    mt_anatomy *anatomy);

/* Checks, before a run, that the triangle tags 1 to 4 of a mesh are the surfaces of mt_surface: by their names, or else by the
 * shape of the mesh, after which they get names. Prints the decision as a note. Does nothing for a mesh without such tags. Fails
 * with MT_INPUT if the shape contradicts or does not confirm tags without names; the message contains the command that names them.
 * Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_anatomy_confirm(mt_arena *arena, const char *path, mt_mesh *mesh);

/* Same, for a closed surface without elements before it is filled, with tags 1 to 4 on all triangles. `named`: true if the tags
 * have these names. Returns how the surfaces are known. Fails as mt_anatomy_confirm; the message contains the options that decide. */
MT_NODISCARD mt_status mt_anatomy_confirm_surface(
    const char *path, const mt_mesh *surface, bool named, mt_anatomy *anatomy);

/* Same as mt_anatomy_choose, without options. `adjacency`: of the mesh, or NULL for a closed surface. Tags of base, epicardium and
 * left endocardium are accepted if they have names or the shape confirms them. Otherwise the surfaces are found by the shape, and
 * *unused is true if there were tags. Afterwards a mesh has only tagged boundary triangles, and a surface all its triangles;
 * without an anatomy they are unchanged. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_anatomy_decide(mt_arena *arena, const mt_adjacency *adjacency, mt_mesh *mesh,
    mt_surfaces *surfaces, mt_anatomy *anatomy, bool *unused);

/* Computes the ventricular coordinates of a mesh of the file `path` in `arena` (mt_coordinates_make). Notes if the direction to the septum
 * is arbitrary, and warns if the surfaces are unlikely to be those of ventricles. MT_INPUT: several pieces, and as mt_coordinates_make. */
MT_NODISCARD mt_status mt_anatomy_coordinates(mt_arena *arena, const char *path,
    const mt_adjacency *adjacency, const mt_mesh *mesh, const double *to_septum, mt_coordinates *coordinates);

/* Repeats the notes and warnings of mt_anatomy_coordinates for stored coordinates; uses `arbitrary`, `to_septum` and `nonlinearity`. */
void mt_anatomy_remark_coordinates(const char *path, const mt_coordinates *coordinates);
