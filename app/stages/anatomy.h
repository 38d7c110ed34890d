/* Which triangles of a heart are base, epicardium, left and right endocardium: given by tags, or found by the shape. */
#ifndef MT_APP_STAGES_ANATOMY_H
#define MT_APP_STAGES_ANATOMY_H

#include "app/cli/command.h"
#include "app/cli/table.h"
#include "mesh/anatomy/surfaces.h"

/* For the tables of options: the values of --surfaces, and what this option and --tags (MT_MEANING_EXAMPLE) are for. */
#define MT_SURFACES_VALUE "given|found"
#define MT_TAGS_HELP "what the tags of the triangles mean, where they are not base 1, epi 2, lv 3, rv 4"
#define MT_SURFACES_HELP                                                                                     \
    "take the tagged triangles, or find the surfaces by the shape; default: found where none is tagged"

/* Decides which triangles of a mesh are its surfaces, by the options --tags (mt_meaning_rename) and --surfaces (given or found;
 * without it they are found where none is tagged), and counts them. Afterwards the mesh has no triangle with tag 0.
 * Tags other than 1 to 4 never pass in silence: the message or warning has the option --tags that would use them
 * (mesh/anatomy/meaning.h). `path` and `adjacency` are the mesh's. MT_INPUT: see mt_surfaces_find; --tags together with
 * --surfaces found; without --tags: no tag is 1 to 4, or some are others and those of 1 to 4 do not mean these surfaces by
 * their shape. A warning: some are others. */
MT_NODISCARD mt_status mt_anatomy_choose(mt_arena *arena, const mt_arguments *arguments, const char *path,
    const mt_adjacency *adjacency, mt_mesh *mesh, mt_surfaces *surfaces);

/* Checks that the tags 1 to 4 of a mesh's triangles mean the surfaces mt_surface, for a run that uses these: by their names or, if they
 * have none, by the shape of the mesh. Prints which, as a note; a warning if the shape does not show it. Does nothing for a mesh without
 * such tags. MT_INPUT: the shape contradicts; the message has the command that names the surfaces. MT_MEMORY. */
MT_NODISCARD mt_status mt_anatomy_confirm(const char *path, const mt_mesh *mesh);

/* How mt_anatomy_decide came to what it says. */
typedef enum mt_anatomy {
    MT_ANATOMY_NONE, /* neither tags nor shape tell base, epicardium and left endocardium; mt_message() has why by the shape */
    MT_ANATOMY_GIVEN, /* by the tags, which the shape does not contradict */
    MT_ANATOMY_FOUND  /* by the shape; triangles had no tags */
} mt_anatomy;

/* Decides the same without being told anything, for a mesh, whose adjacency is given, or a closed surface, whose is NULL: tags of base,
 * epicardium and left endocardium are taken unless the shape says that they mean something else; otherwise the surfaces are found by the
 * shape, and `unused` says that there were tags. The mesh then has the boundary's triangles that are tagged, a surface all its triangles;
 * where there is no anatomy they are as they were. MT_MEMORY. */
MT_NODISCARD mt_status mt_anatomy_decide(mt_arena *arena, const mt_adjacency *adjacency, mt_mesh *mesh,
    mt_surfaces *surfaces, mt_anatomy *anatomy, bool *unused);

/* Adds rows to a table of properties: where the surfaces of a mesh come from, the triangles and area of each, and what became
 * of the other triangles that the mesh had when they were counted. */
void mt_anatomy_rows(mt_table *table, const mt_mesh *mesh, const mt_surfaces *surfaces);

/* Adds rows with the apex, the first thing to check where fibres or a stimulus seem wrong. Fails as mt_landmarks_find. */
MT_NODISCARD mt_status mt_anatomy_apex_rows(mt_table *table, const mt_mesh *mesh);

#endif
