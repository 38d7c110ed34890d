/* METIS, in a separate process.
 *
 * METIS 5.1 has these effects on the calling process, according to its source (GKlib/error.c, memory.c, random.c):
 *   it reports its own errors by raising SIGTERM, and failed allocations by raising SIGABRT, and catches both during a call. It therefore
 *     mistakes a SIGTERM from outside (a time limit, a batch system) for its own error, prints "Failed during initial partitioning" and
 *     returns METIS_ERROR, and the program continues;
 *   a failed allocation during the initial partitioning returns the same code; only the message differs;
 *   it prints to standard output, may call exit(), and seeds rand().
 * Each call therefore forks a child, which confines METIS' signal handlers, output, random numbers and memory. The child inherits the graph
 * and returns the parts in shared memory. It has its own process group, so that signals from a terminal or a time limit to the program's
 * group reach only the parent, which handles them. It dies with the calling thread, and exits without the parent's exit handlers. */
#pragma once

#include "mesh/cut/cut_graph.h"

/* If METIS fails, it is called again with the next seed. If all seeds fail, it is called with each seed again, with MT_METIS_LOOSER times
 * the excess of the imbalance over 1. */
#define MT_METIS_SEEDS 4 /* 1, 2, 3, 4 */
#define MT_METIS_LOOSER 3

/* The attempts that led to a partition; if attempts = 1, it is the standard, reproducible partition of this graph. */
typedef struct mt_metis_outcome {
    uint32_t attempts;
    uint32_t seed;     /* of the successful attempt */
    double imbalance;  /* of the successful attempt */
    char failure[400]; /* the first failure, with METIS' output; "" if there was no failure */
} mt_metis_outcome;

/* Partitions the graph (borrowed) into 2 <= n_parts < n_elements parts with an imbalance of at least 1.001: of the sums of weights, which
 * are passed to METIS with at least 9 digits of their sum. Writes part[n_elements], with values below n_parts. METIS may exceed the
 * imbalance and leave parts empty. The result is deterministic unless a failure has an external cause; `outcome` then reports it. The
 * calling thread waits; other threads may exist. Calls are independent of each other.
 * MT_MEMORY, without another attempt: METIS reports it, or its process was killed by SIGKILL, as the system does when memory is exhausted.
 * MT_FILE: no pipe or process can be created. MT_INPUT: METIS rejects the graph or the options, or all attempts failed; the message
 * contains METIS' output. */
MT_NODISCARD mt_status mt_metis_divide(
    const mt_cut_graph *graph, uint32_t n_parts, double imbalance, uint32_t *part, mt_metis_outcome *outcome);
