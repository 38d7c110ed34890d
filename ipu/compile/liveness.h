/* Liveness: the time in which a variable must keep its content, over all programs.
 *
 * Time is counted in *moments*: one for each compute set, and one for each predicate and each transfer from or to the host at
 * each place in a program. Moments are numbered in the order in which the programs, one after the other, first reach them;
 * compute sets that no program executes come last. A live range extends from the first to the last moment at which there is
 * content to keep. It includes all moments between them, so it may be longer than necessary, but never shorter.
 *
 * Data that a compute set receives are live only at its moment.
 *
 * A variable is always live unless it was marked as temporary (ipu_graph_set_temporary) and every program, on every path,
 * writes all of it before it reads any of it. Here "all" are the elements that anything accesses: vertices, copies, predicates,
 * and transfers that programs reach. A compute set writes all of a variable if its copies cover these elements (its vertices
 * then read the copied values), or if its outputs do (an output overwrites all its elements; an IPU_INOUT reads them first). A
 * transfer does so if one of its slices covers them. A compute set that no program executes counts as a separate program.
 *
 * A temporary variable that nothing accesses is never live. Elements of temporary variables that nothing accesses are `unused`:
 * a part of which all elements are unused has no memory on its tile (ipu/compile/memory.h).
 *
 * Method: backward data-flow analysis on the control-flow graph of the programs, repeated until nothing changes. A variable is
 * live before a moment if the moment reads it, or if it is live after the moment and the moment does not write all of it. Time
 * and memory: (compute sets and transfers in the programs) x (temporary variables), and a byte for each of their elements. */
#pragma once

#include "ipu/graph/graph.h"
#include "ipu/graph/program.h"

typedef struct ipu_live_range {
    bool always;
    uint32_t first, last; /* moments; undefined if `always`; first > last: never live */
} ipu_live_range;

typedef struct ipu_liveness {
    uint32_t n_moments;
    uint32_t *set_moment;     /* [n_compute_sets] */
    ipu_live_range *variable; /* [n_variables] */
    /* [graph->n_mappings] in the order of (variable, from): True if nothing accesses these elements of a temporary variable */
    bool *unused;
} ipu_liveness;

/* Computes the liveness in `arena`. The graph must have passed the checks of ipu_compile: no element is written by two vertices
 * of a compute set, or is the destination of two copies. MT_MEMORY. */
MT_NODISCARD mt_status ipu_liveness_find(mt_arena *arena, const ipu_graph *graph,
    const ipu_program *const *programs, size_t n_programs, ipu_liveness *liveness);
