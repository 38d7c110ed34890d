/* The cost of the runs of an engine: cycles by compute set, phase, kind of vertex and link; cycles and memory of every tile.
 * All values are modelled, exact and the same on every host; nothing is measured. A profile is the source of every report. */
#pragma once

#include "ipu/compile/memory.h"
#include "ipu/machine/fabric.h"
#include "ipu/run/engine.h"

/* Statistics over the tiles that have work, with cycles above 0. Idle tiles would only worsen the load balance. All members are
 * 0 if no tile has work. */
typedef struct ipu_spread {
    uint64_t min, max;
    double mean, sd; /* sd: with divisor n, not n - 1 */
    size_t tiles;    /* number of tiles that have work */
} ipu_spread;

/* Returns the load balance: mean / max, or 1 if no tile has work. */
double ipu_spread_effectiveness(const ipu_spread *spread);

/* Cycles with all constants of the machine at the same end of their bands (ipu_target.bands). By ipu_end; both are 0 if not
 * requested. */
typedef struct ipu_cycles_band {
    uint64_t at[IPU_ENDS];
} ipu_cycles_band;

/* One compute set. One run takes cycles = rearrangement_phase_cycles + sync_cycles + exchange_phase_cycles + compute.max + dram_cycles. If
 * compute depends on data, these are of a typical run; the totals and workers_busy are of the actual runs. */
typedef struct ipu_profile_step {
    const char *name;
    uint64_t runs;
    uint64_t cycles, total_cycles;      /* of one run; of all runs */
    ipu_cycles_band band, compute_band; /* of cycles; of compute.max */
    uint64_t total_compute_cycles;      /* of all runs */
    uint64_t overlapped_cycles;         /* of all runs, not subtracted from total_cycles (ipu/run/clocks.h) */
    uint64_t sync_cycles, external_sync_cycles; /* inside chips and of all chips; only of all chips */
    uint64_t rearrangement_phase_cycles;        /* of copies inside tiles, gather.max + scatter.max */
    uint64_t exchange_phase_cycles;             /* of the schedule, plus external_cycles */
    uint64_t external_cycles;                   /* between chips, of the busiest link plus fixed */
    uint64_t external_fixed_cycles;             /* included in external_cycles */
    uint64_t exchange_bound_cycles;             /* lower bound on the schedule inside chips */
    /* data outside of the chips: time in addition to compute.max, and bytes, in one run (ipu/cost/dram.h) */
    uint64_t dram_cycles, dram_read, dram_written;
    /* included in the bound: words of its tile; the rest is set-up */
    uint64_t exchange_words_cycles;
    ipu_spread gather, exchange, scatter, compute; /* busy cycles of the tiles in one run */
    /* [n_tiles] the same of each tile */
    const uint64_t *tile_gather_cycles, *tile_exchange_cycles, *tile_scatter_cycles, *tile_compute_cycles;
    const uint64_t *tile_received, *tile_sent; /* [n_tiles] bytes in one run; the sums are given below */
    /* [n_tiles] number of other tiles it receives from; number of its vertices */
    const uint32_t *tile_senders, *tile_vertices;
    uint64_t ranges_received, bytes_received, bytes_sent, bytes_copied; /* sums over tiles, one run */
    uint64_t bytes_crossing;                                            /* between chips, one run */
    /* NULL if there are no bytes between chips */
    const char *busiest_link;
    /* fraction of the issue slots of all tiles in compute phases that workers used (ipu/cost/workers.h) */
    double workers_busy;
    /* [n_links] one run; both NULL if there are no bytes between chips */
    const uint64_t *link_bytes, *link_cycles;
} ipu_profile_step;

/* All vertices of one codelet in one compute set, with their typical cost. A single-worker vertex counts with its entry and the
 * slots it uses. In a compute set without single-worker vertices the sum of these cycles is the sum over its tiles. */
typedef struct ipu_profile_vertices {
    size_t step; /* the compute set */
    const char *codelet;
    size_t instances;
    uint64_t cycles; /* tile cycles of all instances in one run */
} ipu_profile_vertices;

/* A link from one chip to another. */
typedef struct ipu_profile_link {
    const char *name;
    uint32_t from, to; /* chips */
} ipu_profile_link;

/* A compute set of a program, and the number of its runs in one run of the program; 0 if it depends on data. */
typedef struct ipu_profile_execution {
    size_t step;
    uint64_t times;
} ipu_profile_execution;

typedef struct ipu_profile {
    ipu_profile_step *steps; /* in the order of the graph's compute sets */
    size_t n_steps;
    ipu_profile_vertices *vertices; /* by (compute set, first tile that has one) */
    size_t n_vertices;
    ipu_profile_link *links; /* in the network's order; none on one chip */
    size_t n_links;
    /* of all runs: sum of rearrangement, sync, exchange, compute, DRAM, control and host cycles, less overlapped_cycles */
    uint64_t cycles;
    uint64_t rearrangement_cycles, sync_cycles, exchange_cycles, compute_cycles,
        dram_cycles; /* of supersteps */
    uint64_t
        overlapped_cycles;   /* in which phases of tiles overlap (ipu/run/clocks.h); 0 with a global sync */
    uint64_t control_cycles; /* of predicates (ipu/cost/control.h) */
    uint64_t host_cycles;    /* of transfers from and to the host, including streams */
    ipu_cycles_band band;    /* of `cycles` without host_cycles */
    uint64_t external_sync_cycles;  /* included in sync_cycles: of all chips */
    uint64_t predicates, transfers; /* numbers of executions */
    double seconds;                 /* cycles at the target's clock */
    uint64_t host_bytes_written, host_bytes_read;
    size_t memory_max, memory_median; /* bytes per tile, including gaps; lower median */
    size_t memory_available;
    size_t fullest_tile;
    ipu_tile_memory fullest, memory_all; /* of the fullest tile; sums over all tiles */
    ipu_profile_execution *executions;   /* of one time step, in order (ipu_profile_add_executions) */
    size_t n_executions;
    uint64_t step_overlapped_cycles;   /* of one time step (ipu_clocks_steady) */
    ipu_link_words fabric;             /* of one compute set (ipu_profile_add_fabric); else zeros */
    const struct ipu_details *details; /* of single tiles (ipu_details_add); may be NULL */
    size_t n_tiles;
    const ipu_tile_memory *memory; /* [n_tiles] */
} ipu_profile;

/* The cycles of the exchange inside chips in one run, in parts: of the busiest tile start and set-up of fragments, and words;
 * and the additional time in which words or tiles wait for each other. */
typedef struct ipu_exchange_parts {
    uint64_t setup, words, waiting;
} ipu_exchange_parts;
ipu_exchange_parts ipu_profile_exchange_parts(const ipu_profile_step *step);

/* True if any data are sent between chips. */
bool ipu_profile_crosses(const ipu_profile *profile);

/* Adds the bands to the profile of an executable, whether it has run or not. If compute depends on data, the band of all runs
 * is scaled from that of typical ones, and overlapped cycles are scaled in proportion to the phases. Takes the time of scheduling
 * all exchange twice. Returns the errors of `ipu_timing_make`. */
MT_NODISCARD mt_status ipu_profile_add_bands(const ipu_executable *executable, ipu_profile *profile);

/* Adds the compute sets of the program of one time step in their order; a repeated one occurs once. MT_MEMORY. */
MT_NODISCARD mt_status ipu_profile_add_executions(
    mt_arena *arena, const ipu_program *program, ipu_profile *profile);

/* Adds step_overlapped_cycles of the program of one time step of an executable, whether it has run or not. Returns the errors of
 * `ipu_timing_make`. */
MT_NODISCARD mt_status ipu_profile_add_overlap(
    const ipu_executable *executable, const ipu_program *program, ipu_profile *profile);

/* Adds the words of the links between tiles in one run of a compute set, copied to `arena`. MT_MEMORY. */
MT_NODISCARD mt_status ipu_profile_add_fabric(
    mt_arena *arena, const ipu_executable *executable, size_t compute_set, ipu_profile *profile);

/* Builds the profile of all runs so far, copied to `arena`. MT_MEMORY. */
MT_NODISCARD mt_status ipu_profile_make(mt_arena *arena, const ipu_engine *engine, ipu_profile *profile);

/* The same for an executable that has not run: the costs of one run of each compute set, and memory. Also returns the errors of
 * `ipu_timing_make`. */
MT_NODISCARD mt_status ipu_profile_costs(
    mt_arena *arena, const ipu_executable *executable, ipu_profile *profile);
