/* Fully automatic preparation of a heart mesh from files. A closed surface is filled with elements, or a mesh is repaired. Its
 * surfaces are identified. The mesh is refined until the conduction delay is at most the allowed one, or to a number of
 * elements, and gets fibres. Each decision is reported (mt_decision).
 *
 * - input: one mesh, or one or several surfaces that together are closed
 * - anatomy: as in mt_anatomy_decide; of a surface before it is filled, since the mesh gets its tags from the surface
 * - fibres: those in the mesh, unless there is an anatomy and all are parallel to one axis; with an anatomy by rule (60 to -60
 *   degrees); else none
 * - tissue: mt_medium_default; without fibres its transverse conductivities in all directions
 * - element size: mt_delay_length_mm of that tissue. A mesh is refined uniformly, so elements can be half as long. gmsh generates
 *   at most MT_HEART_FILLED_MOST elements, which are then refined; this is much faster than generating all */
#pragma once

#include "app/heart/anatomy.h"
#include "app/heart/refining.h"
#include "mesh/anatomy/fibres.h"
#include "mesh/info.h"
#include "solver/tissue/medium.h"

#define MT_HEART_LATE_PERCENT 10

enum { MT_HEART_FILLED_MOST = 100000 };

/* The request; borrowed. */
typedef struct mt_heart_request {
    size_t n; /* number of files */
    const char *const *path;
    const char *unit;        /* unit of their coordinates; NULL: default of each format */
    double elements;         /* maximum number, within 5 % for a surface; 0: as required by the delay */
    double accuracy_percent; /* allowed delay, by default MT_HEART_LATE_PERCENT */
    const char *mesh;        /* path of the mesh file to be written */
} mt_heart_request;

typedef struct mt_heart_mesh {
    mt_mesh mesh; /* in an arena of the mt_refining */
    bool has_anatomy;
    mt_landmarks landmarks; /* if has_anatomy */
    bool has_rv;
    mt_medium tissue;
    mt_element_size size;
    double late_percent;  /* expected conduction delay (mt_delay_percent) */
    bool beyond_measured; /* true if it may be larger: elements exceed the measured range */
} mt_heart_mesh;

/* Builds the mesh. `refining`: has two empty arenas. Fails with MT_INPUT if a surface is not closed, if one of several files is a
 * mesh, if a mesh cannot be repaired, or if the body needs too many elements. Returns the errors of the readers, `mt_filling_make`
 * and `mt_fibres_make`. */
MT_NODISCARD mt_status mt_heart_mesh_make(
    const mt_heart_request *asked, mt_refining *refining, mt_heart_mesh *heart);
