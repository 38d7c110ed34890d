/* From files to the mesh of a heart that can be simulated, without a question: the body in a closed surface is filled, or a mesh mended;
 * its surfaces are found; it is refined until waves are late by no more than MT_HEART_LATE_PERCENT, or to a number of elements; it gets its
 * fibres. Each decision is reported (mt_decision).
 *
 *   what is given          one mesh, or one or several surfaces that close together
 *   anatomy                as mt_anatomy_decide; of a surface before it is filled, for the mesh has its tags from there
 *   fibres                 the mesh's own, unless they are all along one axis where there is an anatomy; by rule (60 to -60 degrees)
 *                          where there is one; else none
 *   tissue                 mt_medium_usual; without fibres it conducts in all directions as that does across them
 *   size of the elements   by mt_delay_length_mm of that tissue. A mesh is refined as a whole, so that elements may be half as long. gmsh
 *                          makes at most MT_HEART_FILLED_MOST elements, which are refined: that is much faster than to let it make all */
#pragma once

#include "app/heart/anatomy.h"
#include "app/heart/refining.h"
#include "mesh/anatomy/fibres.h"
#include "mesh/info.h"
#include "solver/tissue/medium.h"

#define MT_HEART_LATE_PERCENT 10

enum { MT_HEART_FILLED_MOST = 100000 };

/* What is asked for; borrowed. */
typedef struct mt_heart_asked {
    size_t n; /* files */
    const char *const *path;
    const char *unit; /* of their numbers; NULL: each format's */
    double elements;  /* at most, of a surface within 5 %; 0: as many as the error asks for */
    const char *mesh; /* where it will stand */
} mt_heart_asked;

typedef struct mt_heart_mesh {
    mt_mesh mesh; /* in the arena of the refining */
    bool has_anatomy;
    mt_landmarks landmarks; /* where it has */
    bool has_rv;
    mt_medium tissue;
    mt_element_size size;
    double late_percent;  /* expected in them (mt_delay_percent), */
    bool beyond_measured; /*   or more: they are longer than any in which waves were measured */
} mt_heart_mesh;

/* Gives the mesh. `refining` has two empty arenas. MT_INPUT: a surface that is not closed, several files of which one is a mesh, a mesh that
 * cannot be mended, a body that would need too many elements. Fails also as the readers, mt_filling_make, mt_fibres_make. */
MT_NODISCARD mt_status mt_heart_mesh_make(
    const mt_heart_asked *asked, mt_refining *refining, mt_heart_mesh *heart);
