/* The mapping of a case's problem to the tiles of its machine. */
#ifndef MT_APP_STAGES_MAPPING_H
#define MT_APP_STAGES_MAPPING_H

#include "solver/case.h"
#include "solver/monodomain.h"
#include "solver/plan/tiling.h"

/* The machine of a case, and how to cut a mesh for it. */
typedef struct mt_mapping_choice {
    mt_tiling tiling;
    ipu_target target; /* all its chips */
    mt_scheme scheme;
    bool saved; /* the partition is the mesh file's */
} mt_mapping_choice;

/* Gives the choice of a case, before its mesh is read: quick, so that mistakes show before the long work. What the case leaves
 * open is filled in: machine.ranges and machine.tiles; a path becomes absolute. Also where the backend has no tiles and needs
 * nothing of it: a case is right or wrong whatever runs it. A warning where the emulator needs much memory. MT_INPUT: keys of
 * `machine` that make no sense, or contradict each other. MT_FILE: the machine's file cannot be read; no memory, or not enough
 * for the emulator. */
MT_NODISCARD mt_status mt_mapping_choose(mt_arena *arena, mt_case *input, mt_mapping_choice *choice);

typedef struct mt_mapping {
    mt_partition partition;
    mt_halo halo;
    mt_layout layout; /* points to the choice's target and to halo: a mapping stays where it was made */
} mt_mapping;

/* Cuts the mesh that the operator is of and gives the mapping in `arena`; nothing but a saved partition where the backend has
 * no tiles. Keeps the choice. Shows progress; a warning where METIS failed. MT_INPUT: a saved partition is for another
 * machine. Fails else as mt_tiling_cut, mt_vtkhdf_read_partition and mt_halo_make. */
MT_NODISCARD mt_status mt_mapping_make(mt_arena *arena, const mt_case *input, const mt_mapping_choice *choice,
    const mt_adjacency *adjacency, const mt_diffusion *diffusion, mt_mapping *mapping);

#endif
