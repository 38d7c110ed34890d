/* Assignment of the vertices of a compute set to the workers of a tile, and the resulting time.
 *
 * The tile first executes its multi-worker and supervisor vertices, one after another, and then all its single-worker vertices
 * concurrently. The latter are assigned in order, each to the worker with the least work so far (on a tie the first). With W =
 * worker_contexts the tile takes, in tile cycles,
 *
 *     launch, if it has vertices
 *   + sum over all vertices            entry
 *   + sum over multi-worker vertices   W * worker
 *   + W * max over workers of the sum of `worker` over the single-worker vertices assigned to it
 *
 * Every tile cycle is one issue slot, and a worker cycle uses one slot. The workers use
 *
 *     sum over multi-worker vertices (W * worker - idle) + sum over single-worker vertices worker */
#pragma once

#include <stdbool.h>

#include "ipu/graph/graph.h"

enum { IPU_MAX_WORKERS = 64 }; /* the limit of a machine file */

/* The time of one tile in one compute set, accumulated over its vertices. */
typedef struct ipu_workers {
    size_t n;
    uint64_t apart;                 /* tile cycles of launch, all entries and multi-worker vertices */
    uint64_t used;                  /* issue slots used */
    uint64_t load[IPU_MAX_WORKERS]; /* [n] worker cycles of single-worker vertices */
} ipu_workers;

/* Fails with MT_INPUT if a machine has no worker contexts or more than IPU_MAX_WORKERS. */
MT_NODISCARD mt_status ipu_workers_check(const ipu_target *target);

/* Begins a tile with vertices. */
ipu_workers ipu_workers_begin(const ipu_target *target);

/* True if a vertex of this kind can have this cost: a supervisor vertex uses no worker, a single-worker vertex has no idle
 * workers, and the slowest worker is never idle. */
bool ipu_workers_cost_valid(const ipu_target *target, ipu_vertex_kind kind, ipu_cycles cost);

/* Adds the next vertex; its cost must be possible (ipu_workers_cost_valid). */
void ipu_workers_add(ipu_workers *workers, ipu_vertex_kind kind, ipu_cycles cost);

/* Returns the tile cycles of all added vertices. */
uint64_t ipu_workers_cycles(const ipu_workers *workers);

/* Returns MT_INPUT, with a message why a vertex of this codelet cannot have this cost. */
MT_NODISCARD mt_status ipu_workers_fail(const ipu_target *target, const char *compute_set, size_t tile,
    const ipu_codelet *codelet, ipu_cycles cost);
