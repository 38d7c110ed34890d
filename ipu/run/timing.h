/* How long an executable takes: the cycles of each superstep and of each control (ipu/cost/control.h), found once.
 *
 * A superstep, in tile cycles (ipu/README.md explains):
 *   gather         = max over tiles of the copies before the exchange (ipu/compile/assembly.h)
 *   exchange       = the cycle in which the last tile has its last word, by the schedule (ipu/compile/schedule.h)
 *   exchange(tile) = how long the tile itself is busy: its bound in the schedule
 *   scatter        = max over tiles of the copies after the exchange
 *   compute(tile)  = sum over its vertices (entry + worker_contexts * slowest worker), where all of them are multi-worker;
 *                    ipu/cost/workers.h has the others
 *   T              = gather + sync_cycles + exchange + scatter + max compute
 * Gather and scatter together are the rearrangement. On a machine of several chips (ipu/machine/topology.h), where anything
 * goes from chip to chip, the busiest link's cycles (with a fixed time, ipu/cost/links.h) are added to the exchange, and
 * the sync of all chips to that of each. What several tiles of a chip receive from one tile of another chip crosses once,
 * each range in packets. Where no tile receives anything, sync_cycles is 0.
 *
 * Where a codelet's time depends on data (compute_timed), compute and T are those of a typical run, and the engine counts what
 * each run takes. */
#pragma once

#include "ipu/compile/executable.h"
#include "ipu/cost/control.h"

/* One run of one superstep. */
typedef struct ipu_superstep_timing {
    const uint64_t *gather_cycles, *exchange_cycles, *scatter_cycles, *compute_cycles; /* [tiles] */
    uint64_t used_slots;           /* worker cycles of all workers, of tiles * compute_phase_cycles */
    uint64_t sync_cycles;          /* inside chips and, where anything crosses, of all chips */
    uint64_t external_sync_cycles; /* of these: of all chips */
    uint64_t gather_phase_cycles, scatter_phase_cycles; /* max over tiles */
    uint64_t exchange_phase_cycles;                     /* the schedule's + external */
    uint64_t exchange_bound_cycles; /* no schedule has a shorter phase, without external */
    uint64_t
        exchange_words_cycles; /* of the bound: in which its tile sends or receives words; the rest is set-up */
    uint64_t external_cycles;       /* the busiest link's between chips, and the fixed time */
    uint64_t external_fixed_cycles; /* of these: the fixed time */
    uint64_t compute_phase_cycles;  /* max compute */
    uint64_t cycles;                /* of all phases */
    uint64_t bytes_crossing;  /* from chip to chip, whole words; a byte counts once a chip that receives it */
    const char *busiest_link; /* between chips; NULL where nothing crosses */
    const uint64_t *link_bytes; /* [links of the network], headers with them; NULL where nothing crosses */
} ipu_superstep_timing;

typedef struct ipu_timing {
    const ipu_executable *executable;
    const ipu_topology *network;      /* between the chips; NULL for one chip */
    ipu_superstep_timing *supersteps; /* [graph->n_compute_sets] */
    ipu_control_cost *controls;       /* [n_controls] */
} ipu_timing;

/* Gives the timing in `arena`; it keeps the executable. MT_INPUT: more worker contexts than ipu/cost/workers.h has; a cost that
 * no vertex of its kind has; a network as ipu_target_network, or whose routes may deadlock; a transfer on a machine without a
 * link to the host. MT_MEMORY. */
MT_NODISCARD mt_status ipu_timing_make(mt_arena *arena, const ipu_executable *executable, ipu_timing *timing);

/* The same for one that is only to run, and takes no time. MT_MEMORY. */
MT_NODISCARD mt_status ipu_timing_none(mt_arena *arena, const ipu_executable *executable, ipu_timing *timing);

/* What a vertex takes where that does not depend on data: its codelet's `cost`. */
ipu_cycles ipu_timing_vertex(const ipu_executable *executable, const ipu_task *task);

/* Of that, cycles of its tile: a single-worker vertex counts with its entry and the slots it uses. */
uint64_t ipu_timing_tile_cycles(const ipu_executable *executable, const ipu_task *task);

/* Room for ipu_timing_stream to count in. */
typedef struct ipu_stream_room {
    uint64_t *chip_bytes; /* [chips] */
    uint64_t *tile_words; /* [tiles] */
} ipu_stream_room;

/* Gives it in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status ipu_stream_room_new(mt_arena *arena, const ipu_timing *timing, ipu_stream_room *room);

/* What one transfer of slices, all of one type, from the tiles to the host costs (ipu/cost/control.h), in a program or outside.
 * MT_INPUT: the machine has no link to the host. */
MT_NODISCARD mt_status ipu_timing_stream(const ipu_timing *timing, const ipu_slice *slices, size_t n_slices,
    const ipu_stream_room *room, ipu_control_cost *cost);
