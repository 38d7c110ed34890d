/* Which triangles of a heart are base, epicardium, left and right endocardium: as tagged, or as found. */
#ifndef MT_APP_STAGES_ANATOMY_H
#define MT_APP_STAGES_ANATOMY_H

#include "app/cli/command.h"
#include "app/cli/table.h"
#include "mesh/anatomy/surfaces.h"

/* For the tables of options: the values of --tags and of --surfaces, and what they are for. */
#define MT_TAGS_VALUE "base=3+4,epi=2,lv=1"
#define MT_SURFACES_VALUE "given|found"
#define MT_TAGS_HELP "what the tags of the triangles mean, where they are not base 1, epi 2, lv 3, rv 4"
#define MT_SURFACES_HELP                                                                                     \
    "take the tagged triangles, or find the surfaces by the shape; default: found where none is tagged"

/* Gives the tags of a mesh or surface the meaning that `text` tells: names base, epi, lv and rv, each once at most, with
 * one or several tags. Triangles of other tags get the tag 0. MT_INPUT: anything else; a tag given twice, or one that no
 * triangle has (a misspelt one would leave a surface out, and a heart without its right ventricle runs). */
MT_NODISCARD mt_status mt_anatomy_translate(const char *text, mt_mesh *mesh);

/* Gives the surface called base, epi, lv or rv (n characters); 0 for any other name. */
int32_t mt_anatomy_named(const char *name, size_t n);

/* Decides on the triangles of a mesh, by the options --tags (translated first; tags that it does not name stay, but those
 * of 1 to 4 are taken away) and --surfaces (given, found; without it
 * they are found where none is tagged), and says what there is. Afterwards the mesh has no triangle with tag 0.
 * Tags other than 1 to 4 are not passed over in silence: the message or warning has the line --tags that would use them
 * (mesh/anatomy/meaning.h). `path` and `adjacency` are the mesh's. MT_INPUT: see mt_surfaces_find; --tags where they shall be
 * found; without --tags: all tags are others, or some are and those of 1 to 4 do not mean these surfaces by their shape.
 * A warning: some are others. */
MT_NODISCARD mt_status mt_anatomy_choose(mt_arena *arena, const mt_arguments *arguments, const char *path,
    const mt_adjacency *adjacency, mt_mesh *mesh, mt_surfaces *surfaces);

/* Takes the triangles with tag 0 out of a mesh. */
void mt_anatomy_drop_untagged(mt_mesh *mesh);

/* Rows for a table of properties: how the surfaces of a mesh were had, the triangles and area of each, and what became of
 * the other triangles that it had when they were counted. */
void mt_anatomy_rows(mt_table *table, const mt_mesh *mesh, const mt_surfaces *surfaces);

/* The same for the apex: what to look at first where fibres or a stimulus seem wrong. Fails as mt_landmarks_find. */
MT_NODISCARD mt_status mt_anatomy_apex_rows(mt_table *table, const mt_mesh *mesh);

#endif
