/* When a variable must keep its content: liveness over the programs.
 *
 * Time is counted in *moments*: one for each compute set, and one for each transfer from or to the host and each
 * predicate in each place of a program. They are numbered in the order in which the programs, one after the other,
 * first come to them; compute sets that no program executes come behind them. A live range is from the first to the
 * last moment at which there is content to keep, all between included, which may be more than needed and is never
 * less.
 *
 * What was received for a compute set is live in its moment alone.
 *
 * A variable is always live, unless it was marked as temporary (ipu_graph_set_temporary) and in no program, whichever
 * way it goes, anything of it is read before all of it was written there. Written is all of it by a compute set whose
 * outputs hold every element of it (an output gives all its elements new values; IPU_INOUT reads them first), or by a
 * transfer of the whole variable. A compute set that no program executes is taken as a program of its own. A
 * temporary variable that nobody touches is always live.
 *
 * Method: the programs as a graph of what may follow what, and along its edges, backwards until nothing changes: live
 * before = read, or live behind and not all written. Time and memory: places of compute sets and transfers in the
 * programs x temporary variables. */
#ifndef IPU_COMPILE_LIVE_H
#define IPU_COMPILE_LIVE_H

#include "ipu/graph/graph.h"
#include "ipu/graph/program.h"

typedef struct ipu_live {
    bool always;
    uint32_t first, last; /* moments; where not always */
} ipu_live;

typedef struct ipu_liveness {
    uint32_t n_moments;
    uint32_t *set_moment; /* [n_compute_sets] */
    ipu_live *variable;   /* [n_variables] */
} ipu_liveness;

/* Gives all of it in `arena`. The graph compiles but for memory: no element has two writers in a compute set. Fails with
 * MT_MEMORY. */
MT_NODISCARD mt_status ipu_liveness_find(mt_arena *arena, const ipu_graph *graph,
    const ipu_program *const *programs, size_t n_programs, ipu_liveness *liveness);

#endif
