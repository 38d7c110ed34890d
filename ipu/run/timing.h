/* The modelled time of an executable: the cycles of each superstep and of each control (ipu/cost/control.h), computed once.
 *
 * A superstep, in tile cycles (ipu/README.md explains):
 *   gather         = max over tiles of the copies before the exchange (ipu/compile/assembly.h)
 *   exchange       = the cycle in which the last tile has its last word, by the schedule (ipu/compile/schedule.h)
 *   exchange(tile) = the busy time of the tile: its bound in the schedule
 *   scatter        = max over tiles of the copies after the exchange
 *   compute(tile)  = sum over its vertices (entry + worker_contexts * slowest worker), if all of them are multi-worker;
 *                    ipu/cost/workers.h has the others
 *   dram           = the additional time to stream data outside of the chips (ipu/cost/dram.h)
 *   T              = gather + sync_cycles + exchange + scatter + max compute + dram
 * Gather and scatter together are the rearrangement. On a machine of several chips (ipu/machine/topology.h), if any data are
 * sent between chips, the busiest link's cycles (with a fixed time, ipu/cost/links.h) are added to the exchange, and the sync
 * of all chips to the sync of each chip. Data that several tiles of a chip receive from one tile of another chip cross once,
 * each range in packets. If no tile receives data, sync_cycles is 0.
 *
 * If the time of a codelet depends on data (compute_timed), compute and T are of a typical run, and the engine counts the
 * cycles of each run; dram remains that of a typical one. */
#pragma once

#include "ipu/compile/executable.h"
#include "ipu/cost/control.h"

/* One run of one superstep. */
typedef struct ipu_superstep_timing {
    const uint64_t *gather_cycles, *exchange_cycles, *scatter_cycles, *compute_cycles; /* [tiles] */
    uint64_t used_slots;           /* worker cycles of all workers, out of tiles * compute_phase_cycles */
    uint64_t sync_cycles;          /* inside chips and, if data are sent between chips, of all chips */
    uint64_t external_sync_cycles; /* of all chips, included in sync_cycles */
    uint64_t gather_phase_cycles, scatter_phase_cycles; /* max over tiles */
    uint64_t exchange_phase_cycles;                     /* of the schedule, plus external */
    uint64_t exchange_bound_cycles;                     /* lower bound on any schedule, without external */
    /* included in the bound: cycles in which its tile sends or receives words; the rest is set-up */
    uint64_t exchange_words_cycles;
    uint64_t external_cycles;         /* between chips: of the busiest link, plus the fixed time */
    uint64_t external_fixed_cycles;   /* the fixed time, included in external_cycles */
    uint64_t compute_phase_cycles;    /* max compute */
    uint64_t dram_cycles;             /* of data outside of the chips, in addition to max compute */
    uint64_t dram_read, dram_written; /* bytes of all chips */
    uint64_t cycles;                  /* of all phases */
    uint64_t bytes_crossing;  /* between chips, complete words; a byte counts once per receiving chip */
    const char *busiest_link; /* between chips; NULL if nothing is sent between them */
    /* [links of the network] including headers; NULL if nothing is sent between chips */
    const uint64_t *link_bytes;
} ipu_superstep_timing;

typedef struct ipu_timing {
    const ipu_executable *executable;
    const ipu_topology *network;      /* between the chips; NULL for one chip */
    ipu_superstep_timing *supersteps; /* [graph->n_compute_sets] */
    ipu_control_cost *controls;       /* [n_controls] */
} ipu_timing;

/* Computes the timing in `arena`; it borrows the executable. Fails with MT_INPUT if there are more worker contexts than
 * ipu/cost/workers.h supports, a cost is impossible for the kind of its vertex, routes may deadlock, or a transfer needs a host
 * link that the machine lacks. Also returns the errors of `ipu_target_network`, and MT_MEMORY. */
MT_NODISCARD mt_status ipu_timing_make(mt_arena *arena, const ipu_executable *executable, ipu_timing *timing);

/* Builds the timing of an untimed executable, with zero cycles. MT_MEMORY. */
MT_NODISCARD mt_status ipu_timing_none(mt_arena *arena, const ipu_executable *executable, ipu_timing *timing);

/* Returns the cost of a vertex that does not depend on data: the `cost` of its codelet. */
ipu_cycles ipu_timing_vertex(const ipu_executable *executable, const ipu_task *task);

/* Returns the tile cycles of this cost: a single-worker vertex counts with its entry and the slots it uses. */
uint64_t ipu_timing_tile_cycles(const ipu_executable *executable, const ipu_task *task);

/* Scratch space of ipu_timing_stream. */
typedef struct ipu_stream_buffers {
    uint64_t *chip_bytes; /* [chips] */
    uint64_t *tile_words; /* [tiles] */
} ipu_stream_buffers;

/* Allocates it in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status ipu_stream_buffers_new(
    mt_arena *arena, const ipu_timing *timing, ipu_stream_buffers *room);

/* Computes the cost of one transfer of slices, all of one type, from the tiles to the host (ipu/cost/control.h), within a
 * program or outside. Fails with MT_INPUT if the machine has no host link, or if nothing accesses a range of a temporary variable
 * (ipu/graph/graph.h). */
MT_NODISCARD mt_status ipu_timing_stream(const ipu_timing *timing, const ipu_slice *slices, size_t n_slices,
    const ipu_stream_buffers *room, ipu_control_cost *cost);
