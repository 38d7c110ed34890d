/* METIS, in a process of its own.
 *
 * What METIS 5.1 does to the process that calls it, according to its source (GKlib/error.c, memory.c, random.c):
 *   it reports its own errors by raising SIGTERM, and failed allocations by raising SIGABRT, and catches both while it
 *     works. A SIGTERM from outside (a time limit, a batch system) is therefore mistaken for an error of its own: it
 *     says "Failed during initial partitioning", returns METIS_ERROR, and the program goes on;
 *   a failed allocation during the initial partitioning gives the same answer; only the message tells the two apart;
 *   it prints on standard output, may call exit(), and seeds rand().
 * So a child is forked for each call: it alone has METIS' signal handlers, output, random numbers and memory. It inherits
 * the graph from the parent and returns the parts in shared memory. It is a process group of its own, so that
 * signals that a terminal or a time limit sends to the whole group reach the parent alone, which decides; it dies with the
 * calling thread, and ends without running the parent's exit handlers. */
#pragma once

#include "mesh/adjacency.h"

/* If METIS fails, it is called again with the next seed; if all of these fail, once more with each seed and with
 * MT_METIS_LOOSER times the imbalance above 1. */
#define MT_METIS_SEEDS 4 /* 1, 2, 3, 4 */
#define MT_METIS_LOOSER 3

/* How a cut was obtained; with attempts = 1 it is the one that this graph always gets. */
typedef struct mt_metis_outcome {
    uint32_t attempts;
    uint32_t seed; /* of the attempt that succeeded */
    double imbalance;
    char failure[400]; /* the first one, with what METIS said; "": none */
} mt_metis_outcome;

/* Divides the dual graph (borrowed) into 2 <= n_parts < n_elements parts, all elements weighing the same, with an imbalance of at
 * least 1.001, and writes part[n_elements], each below n_parts. METIS may miss the imbalance, and leave parts empty. Same
 * input, same outcome, unless a failure comes from outside: then `outcome` tells it. The parent waits; other threads may
 * exist. Calls are independent of each other.
 * MT_MEMORY for METIS, which is not tried again: METIS says so, or its process was killed by SIGKILL, as the
 * system does where memory runs out; or there can be no process. MT_INPUT: METIS finds the graph or the options wrong, or
 * all attempts failed; the message has what METIS said. */
MT_NODISCARD mt_status mt_metis_divide(const mt_adjacency *adjacency, uint32_t n_parts, double imbalance,
    uint32_t *part, mt_metis_outcome *outcome);
