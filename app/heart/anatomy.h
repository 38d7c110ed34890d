/* Which triangles of a heart are base, epicardium, left and right endocardium: given by tags, or found by the shape. */
#pragma once

#include "mesh/anatomy/surfaces.h"

/* For the tables of options: the values of --surfaces, and what this option and --tags (MT_MEANING_EXAMPLE) are for. */
#define MT_SURFACES_VALUE "given|found"
#define MT_TAGS_HELP "what the tags of the triangles mean, where they are not base 1, epi 2, lv 3, rv 4"
#define MT_SURFACES_HELP                                                                                     \
    "take the tagged triangles, or find the surfaces by the shape; default: found where none is tagged"

/* What says which triangles are the surfaces. A number alone never does. */
typedef enum mt_anatomy {
    MT_ANATOMY_NONE,   /* nothing does; mt_message() has why the shape does not */
    MT_ANATOMY_TOLD,   /* the options of the command */
    MT_ANATOMY_NAMED,  /* the names of the tags (mt_names_confirm) */
    MT_ANATOMY_AGREED, /* tags without names, which the shape confirms */
    MT_ANATOMY_FOUND   /* the shape */
} mt_anatomy;

/* Returns this in words, to follow "surfaces:". `how` is used if the shape says it. */
const char *mt_anatomy_text(mt_anatomy anatomy, mt_found how);

/* Decides which triangles of a mesh are its surfaces, and counts them. The values of the options --tags (mt_meaning_rename) and
 * --surfaces ("given" or "found") say it; without them (NULL) the names of the tags do, or tags that the shape confirms; a mesh without tags has its surfaces found by the shape.
 * Afterwards the mesh has no triangle with tag 0, and the surfaces have names. `path` and `adjacency` are the mesh's. A warning: some
 * tags are no surfaces; it has the option --tags that would use them (mesh/anatomy/meaning.h). MT_INPUT: as mt_surfaces_find; --tags
 * together with --surfaces found; tags without names that the shape contradicts or does not show; no tag is that of a surface.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_anatomy_choose(mt_arena *arena, const char *tags, const char *from,
    const char *path, const mt_adjacency *adjacency, mt_mesh *mesh, mt_surfaces *surfaces,
    mt_anatomy *anatomy);

/* Checks that the tags 1 to 4 of a mesh's triangles mean the surfaces mt_surface, for a run that uses these: by their names or, if they
 * have none, by the shape of the mesh; then they get names. Prints which, as a note. Does nothing for a mesh without such tags.
 * MT_INPUT: tags without names that the shape contradicts or does not show; the message has the command that names them. MT_MEMORY. */
MT_NODISCARD mt_status mt_anatomy_confirm(mt_arena *arena, const char *path, mt_mesh *mesh);

/* The same for a closed surface without elements, before it is filled, whose triangles all have tags 1 to 4 (`named`: their names are
 * these). Gives what says so. MT_INPUT: as mt_anatomy_confirm; the message has the options that decide. MT_MEMORY. */
MT_NODISCARD mt_status mt_anatomy_confirm_surface(
    const char *path, const mt_mesh *surface, bool named, mt_anatomy *anatomy);

/* Decides without options, for a mesh, whose adjacency is given, or a closed surface, whose is NULL. Tags of base, epicardium and left
 * endocardium are taken if they have names or the shape confirms them. Otherwise the surfaces are found by the shape, and *unused is
 * true if there were tags. The mesh then has the boundary's triangles that are tagged, a surface all its triangles; without an anatomy
 * they are unchanged. MT_MEMORY. */
MT_NODISCARD mt_status mt_anatomy_decide(mt_arena *arena, const mt_adjacency *adjacency, mt_mesh *mesh,
    mt_surfaces *surfaces, mt_anatomy *anatomy, bool *unused);
