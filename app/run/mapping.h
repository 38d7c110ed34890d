/* The mapping of a case's problem to the tiles of its machine. */
#pragma once

#include "app/run/problem.h"
#include "solver/plan/plan.h"
#include "solver/plan/tiling.h"

/* The machine of a case, and how to cut a mesh for it. */
typedef struct mt_mapping_choice {
    mt_tiling tiling;
    ipu_target target; /* all its chips */
    mt_scheme scheme;
    const mt_communicator *ranks; /* that share the problem; NULL: the process is alone */
    bool saved;                   /* the partition is the mesh file's */
    bool cached;                  /* the cache may have it, and is given it (app/run/kept_partition.h) */
} mt_mapping_choice;

/* Gives the choice of a case before its mesh is read: quick, so that mistakes show before the long work. Fills in what the case
 * leaves open, machine.ranges and machine.tiles, and makes a path absolute. The keys are checked even where the backend has no
 * tiles: whether a case is right does not depend on what runs it. Warns where the emulator needs much memory. MT_INPUT: keys of
 * `machine` that make no sense or contradict each other; the message begins with `path`, the case's, or with where a value of the
 * machine was set. MT_FILE: the machine's file cannot be read, or there is not enough memory for
 * the emulator (mt_tiling_check_room). Keeps `ranks`. MT_MEMORY. */
MT_NODISCARD mt_status mt_mapping_choose(mt_arena *arena, const char *path, mt_case *input,
    const mt_communicator *ranks, mt_mapping_choice *choice);

typedef struct mt_mapping {
    mt_partition partition;
    mt_halo halo;
    mt_layout layout; /* points to the choice's target and to halo: a mapping stays where it was made */
} mt_mapping;

/* Cuts the mesh of the problem and gives the mapping in `arena`; where the backend has no tiles, a saved partition is checked and
 * nothing else is made, but for ranks that share the problem: these get a part each. On rank 0 alone. Keeps the choice.
 * Shows progress; warns where METIS failed. MT_INPUT: a saved partition is for another machine. Otherwise fails as mt_tiling_cut,
 * mt_vtkhdf_read_partition and mt_halo_make. */
MT_NODISCARD mt_status mt_mapping_make(mt_arena *arena, const mt_case *input, const mt_mapping_choice *choice,
    const mt_problem *problem, mt_mapping *mapping);
