/* The mapping of a case's problem to the tiles of its machine. */
#pragma once

#include "app/run/problem.h"
#include "solver/plan/plan.h"
#include "solver/plan/tiling.h"

/* The machine of a case, and the options of the partition for it. */
typedef struct mt_mapping_choice {
    mt_tiling tiling;
    ipu_target target; /* all its chips */
    mt_scheme scheme;
    const mt_communicator *ranks; /* the ranks that share the problem; NULL for a single process */
    bool saved;                   /* true if the partition is read from the mesh file */
    bool cached;                  /* true if the cache is used (app/run/cached_partition.h) */
} mt_mapping_choice;

/* Reads the mapping options of a case before its mesh is read, so that errors appear before long computations. Fills in the defaults of
 * machine.ranges and machine.tiles, and makes a path absolute. All keys are checked even if the backend has no tiles, as the validity of a
 * case does not depend on the backend. Warns if the emulator needs much memory. Borrows `ranks` for the lifetime of the choice. Fails with
 * - MT_INPUT if keys of `machine` are invalid or contradict each other; the message starts with `path`, the path of the case, or with the
 *   place that sets the machine's value;
 * - MT_FILE if the machine's file cannot be read, or if memory does not suffice for the emulator (`mt_tiling_check_memory`). */
MT_NODISCARD mt_status mt_mapping_choose(mt_arena *arena, const char *path, mt_case *input,
    const mt_communicator *ranks, mt_mapping_choice *choice);

typedef struct mt_mapping {
    mt_partition partition; /* of elements, or of vertices, without their weights */
    uint32_t *
        chain_part; /* of the conduction system, if it is on the tiles (solver/plan/joint_cut.h); else NULL */
    mt_halo halo;
    mt_layout layout; /* points to the choice's target and to `halo`: a mapping must not be copied */
} mt_mapping;

/* Partitions the elements of the problem, or its vertices by the costs of their rows, and builds the mapping in `arena`; called on rank 0
 * only. Without tiles it builds one part for each rank that shares the problem, or only checks a saved partition if there is a single
 * process. Borrows the choice for the lifetime of the mapping. Reports progress; warns if METIS failed. Fails with MT_INPUT if a saved
 * partition belongs to another machine, and with the errors of `mt_tiling_partition`, `mt_vtkhdf_read_partition` and `mt_halo_make`. */
MT_NODISCARD mt_status mt_mapping_make(mt_arena *arena, const mt_case *input, const mt_mapping_choice *choice,
    const mt_problem *problem, mt_mapping *mapping);
