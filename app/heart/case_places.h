/* Places of a case by anatomy: positions by ventricular coordinates (mesh/anatomy/position.h), and points at the apex. */
#pragma once

#include "mesh/mesh.h"
#include "solver/case/case.h"

/* The lists of a case with its places; NULL: those of the case. */
typedef struct mt_case_places {
    mt_case_region *regions;
    mt_case_stimulus *stimuli;
    mt_case_point *points;
} mt_case_places;

/* Finds the places of a case on its mesh, in `arena`: regions and stimuli with a position get centre_mm, points with `at` get at_mm. A
 * place that has them already must agree to MT_CASE_PLACES_TOLERANCE_MM. Coordinates are those of the mesh, or are computed and stored in
 * it, or taken from the cache if `cached`; then the labels of the surfaces are confirmed first, unless *confirmed, which is set.
 * MT_INPUT: the mesh is not of ventricles, has no point with these coordinates or another one than stated; the message has the entry of
 * the case, and the name of the mesh. Also returns the errors of mt_anatomy_confirm and mt_anatomy_coordinates. */
#define MT_CASE_PLACES_TOLERANCE_MM 1e-3
MT_NODISCARD mt_status mt_case_places_find(mt_arena *arena, const mt_case *input, bool cached, mt_mesh *mesh,
    bool *confirmed, mt_case_places *places);

/* Stores the places in a case; borrows them. */
void mt_case_places_put(const mt_case_places *places, mt_case *input);

/* Finds the position of a region alone on a mesh of the file `path`, as above; does nothing for other regions. */
MT_NODISCARD mt_status mt_case_places_find_region(
    mt_arena *arena, const char *path, mt_mesh *mesh, bool *confirmed, mt_region *region);

/* Makes sure that a mesh of the file `path` has ventricular coordinates, as above. */
MT_NODISCARD mt_status mt_case_places_coordinates(
    mt_arena *arena, const char *path, bool cached, mt_mesh *mesh, bool *confirmed);
