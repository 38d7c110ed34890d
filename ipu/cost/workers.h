/* How the workers of a tile share the vertices of a compute set, and how long that takes.
 *
 * First come the tile's multi-worker and supervisor's vertices, one after the other; then its single-worker ones,
 * all together. These are dealt in their order: each to the worker that has least to do so far, of equals the first.
 * With W = worker_contexts the tile takes, in tile cycles,
 *
 *     sum over all vertices            entry
 *   + sum over multi-worker vertices   W * worker
 *   + W * the most, over workers, of the sum of `worker` over the single-worker vertices dealt to it
 *
 * Every tile cycle is one issue slot, and a worker cycle uses one. Slots that workers use:
 *
 *     sum over multi-worker vertices (W * worker - idle) + sum over single-worker vertices worker */
#ifndef IPU_COST_WORKERS_H
#define IPU_COST_WORKERS_H

#include <stdbool.h>

#include "ipu/graph/graph.h"

enum { IPU_MAX_WORKERS = 64 }; /* as in a machine file */

/* One tile's time in one compute set, so far. */
typedef struct ipu_workers {
    size_t n;
    uint64_t apart;                 /* tile cycles of all entries and of multi-worker vertices */
    uint64_t used;                  /* slots */
    uint64_t load[IPU_MAX_WORKERS]; /* worker cycles of single-worker vertices */
} ipu_workers;

/* MT_INPUT: a machine of no worker contexts or of more than IPU_MAX_WORKERS. */
MT_NODISCARD mt_status ipu_workers_check(const ipu_target *target);

ipu_workers ipu_workers_begin(const ipu_target *target);

/* That a cost is one that a vertex of its kind can have: a supervisor's needs no worker, a single-worker vertex
 * has no idle ones, and the slowest worker is never idle. */
bool ipu_workers_can(const ipu_target *target, ipu_vertex_kind kind, ipu_cycles cost);

/* The next vertex, in their order; its cost is one that it can have. */
void ipu_workers_add(ipu_workers *workers, ipu_vertex_kind kind, ipu_cycles cost);

/* Tile cycles of all that was added. */
uint64_t ipu_workers_cycles(const ipu_workers *workers);

/* MT_INPUT: says what is wrong with a cost that a vertex of this codelet cannot have. */
MT_NODISCARD mt_status ipu_workers_fail(const ipu_target *target, const char *compute_set, size_t tile,
    const ipu_codelet *codelet, ipu_cycles cost);

#endif
