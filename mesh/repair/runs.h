/* Runs of faces with the same three vertices, in a mesh with any number of them: a run of one face is on the boundary, a run
 * of two is between neighbours, a longer run is a defect. */
#pragma once

#include "mesh/adjacency.h"

/* Processes a run of n faces; may change their order. */
typedef void mt_run_act(void *context, mt_face *run, size_t n);

/* Calls `act` for each run. Faces with a repeated vertex are skipped. */
void mt_runs_each(const mt_faces *faces, mt_run_act *act, void *context);

/* Moves to the front the faces of a run with elements without a repeated vertex, and groups faces of elements with the same
 * four vertices, the first element first. Returns the number of these faces. */
size_t mt_run_order(const mt_mesh *mesh, mt_face *run, size_t n);

/* Returns the vertex of its element opposite a face. */
uint32_t mt_run_opposite(const mt_mesh *mesh, const mt_face *face);

/* Returns the side of its face, with corners in ascending order, on which an element is located: 1 or -1. Its volume is not
 * 0. */
int mt_run_side(const mt_mesh *mesh, const mt_face *face);
