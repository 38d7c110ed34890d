/* Faces of the same three vertices, in a mesh where there may be any number of them: one in a run is on the boundary, two
 * are between neighbours, more are a defect. */
#pragma once

#include "mesh/adjacency.h"

/* Is told of a run of n faces; may change their order. */
typedef void mt_run_act(void *context, mt_face *run, size_t n);

/* Visits one run after the other, without faces that have a vertex twice. */
void mt_runs_each(const mt_faces *faces, mt_run_act *act, void *context);

/* Puts in front the faces of a run whose elements have no vertex twice, those of elements with the same four vertices behind
 * each other, the first of them first. Returns how many. */
size_t mt_run_order(const mt_mesh *mesh, mt_face *run, size_t n);

/* The vertex of its element that a face does not have. */
uint32_t mt_run_opposite(const mt_mesh *mesh, const mt_face *face);

/* On which side of its face, its corners taken ascending, an element lies: 1 or -1. Its volume is not 0. */
int mt_run_side(const mt_mesh *mesh, const mt_face *face);
