/* A mesh refined several times (mesh/make/refine.h) in little memory: what was refined goes as soon as the finer one is there. */
#pragma once

#include "mesh/mesh.h"

/* Two arenas in turn; arenas[at] has the mesh and nothing else that is needed, the other is empty. */
typedef struct mt_refining {
    mt_arena *arenas[2];
    int at;
} mt_refining;

/* Halves the edges of the mesh so many times. MT_INPUT: there would be too many elements (mt_refine_check), or the children of a nearly
 * flat element have lost their volume to rounding. MT_MEMORY. */
MT_NODISCARD mt_status mt_refining_times(mt_refining *refining, unsigned long times, mt_mesh *mesh);
