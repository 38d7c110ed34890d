/* Repeated refinement of a mesh (mesh/make/refine.h) with little memory: each coarser mesh is freed after its refinement. */
#pragma once

#include "mesh/mesh.h"

/* Two alternating arenas: arenas[at] contains only the mesh, the other one is empty. */
typedef struct mt_refining {
    mt_arena *arenas[2];
    int at;
} mt_refining;

/* Halves the edges of the mesh `times` times. Fails with MT_INPUT if there would be too many elements (mt_refine_check), or if
 * rounding reduces the volume of a child of a nearly flat element to zero. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_refining_times(mt_refining *refining, unsigned long times, mt_mesh *mesh);
