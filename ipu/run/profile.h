/* What the runs of an engine cost: cycles by compute set, phase, kind of vertex and link; cycles and memory of every tile. All
 * numbers are modelled, exact and the same on every host; nothing is measured. Every report is made from a profile. */
#pragma once

#include "ipu/compile/memory.h"
#include "ipu/run/engine.h"

/* Statistics over the tiles that have work: cycles above 0. Idle tiles would only make the load balance look worse. All 0 where
 * no tile has work. */
typedef struct ipu_spread {
    uint64_t min, max;
    double mean, sd; /* sd: of all these tiles, not of a sample */
    size_t tiles;    /* how many have work */
} ipu_spread;

/* The load balance: mean / max, 1 where no tile has work. */
double ipu_spread_effectiveness(const ipu_spread *spread);

/* What something takes with the machine's constants at the ends of their bands (ipu_target.bands): if all are off in the same
 * direction. By ipu_end; both 0 where they were not asked for. */
typedef struct ipu_cycles_band {
    uint64_t at[IPU_ENDS];
} ipu_cycles_band;

/* One compute set. One run takes cycles = rearrangement_phase_cycles + sync_cycles + exchange_phase_cycles + compute.max.
 * Where compute depends on data, these are a typical run's; the totals and workers_busy are those of the actual runs. */
typedef struct ipu_profile_step {
    const char *name;
    uint64_t runs;
    uint64_t cycles, total_cycles;                 /* of one run; of all runs */
    ipu_cycles_band band, compute_band;            /* of cycles; of compute.max */
    uint64_t total_compute_cycles;                 /* of all runs */
    uint64_t sync_cycles, external_sync_cycles;    /* both kinds; of these, that of all chips */
    uint64_t rearrangement_phase_cycles;           /* of copies inside tiles, gather.max + scatter.max */
    uint64_t exchange_phase_cycles;                /* the schedule's, and external_cycles */
    uint64_t external_cycles;                      /* between chips, of the busiest link and fixed */
    uint64_t external_fixed_cycles;                /* of these */
    uint64_t exchange_bound_cycles;                /* lower bound on the schedule inside chips */
    uint64_t exchange_words_cycles;                /* of the bound: words of its tile; the rest is set-up */
    ipu_spread gather, exchange, scatter, compute; /* cycles that a tile is busy in one run */
    const uint64_t *tile_gather_cycles, *tile_exchange_cycles, *tile_scatter_cycles,
        *tile_compute_cycles; /* [n_tiles] the same of each tile */
    const uint64_t *tile_received,
        *tile_sent; /* [n_tiles] bytes in one run; the sums are those of all tiles */
    const uint32_t *tile_senders,
        *tile_vertices; /* [n_tiles] other tiles that it receives from; its vertices */
    uint64_t ranges_received, bytes_received, bytes_sent, bytes_copied; /* all tiles, one run */
    uint64_t bytes_crossing;                                            /* from chip to chip, one run */
    const char *busiest_link;                                           /* NULL where nothing crosses */
    double
        workers_busy; /* share of all tiles' issue slots in compute phases that workers used (ipu/cost/workers.h) */
    const uint64_t *link_bytes, *link_cycles; /* [n_links] one run; both NULL where nothing crosses */
} ipu_profile_step;

/* All vertices of one codelet in one compute set, by their typical cost. A single-worker vertex counts with its entry and the
 * slots it uses. In a compute set without single-worker vertices, all these cycles add up to those of its tiles. */
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

/* A compute set of a program, and how often it runs in one run of the program; 0: that depends on data. */
typedef struct ipu_profile_turn {
    size_t step;
    uint64_t times;
} ipu_profile_turn;

typedef struct ipu_profile {
    ipu_profile_step *steps; /* in the order of the graph's compute sets */
    size_t n_steps;
    ipu_profile_vertices *vertices; /* by (compute set, first tile that has one) */
    size_t n_vertices;
    ipu_profile_link *links; /* in the network's order; none on one chip */
    size_t n_links;
    uint64_t cycles; /* of all runs = rearrangement, sync, exchange, compute, control and host cycles */
    uint64_t rearrangement_cycles, sync_cycles, exchange_cycles, compute_cycles; /* of supersteps */
    uint64_t control_cycles;        /* of predicates (ipu/cost/control.h) */
    uint64_t host_cycles;           /* of transfers from and to the host, streams with them */
    ipu_cycles_band band;           /* of cycles without host_cycles */
    uint64_t external_sync_cycles;  /* of sync_cycles: of all chips */
    uint64_t predicates, transfers; /* how often each happened */
    double seconds;                 /* cycles at the target's clock */
    uint64_t host_bytes_written, host_bytes_read;
    size_t memory_max, memory_median; /* bytes of a tile, with gaps; the median is the lower of two */
    size_t memory_there;
    size_t fullest_tile;
    ipu_tile_memory fullest, memory_all; /* of the fullest tile; the sums over all tiles */
    ipu_profile_turn *turns;             /* of one time step, in order: ipu_profile_add_turns */
    size_t n_turns;
    const struct ipu_details *details; /* of single tiles: ipu_details_make; NULL: none */
    size_t n_tiles;
    const ipu_tile_memory *memory; /* [n_tiles] */
} ipu_profile;

/* Cycles of the exchange inside chips in one run, its parts: what its busiest tile takes to begin and to set up fragments, its
 * words, and for how long words or tiles wait for each other beyond that. */
typedef struct ipu_exchange_parts {
    uint64_t setup, words, waiting;
} ipu_exchange_parts;
ipu_exchange_parts ipu_profile_exchange_parts(const ipu_profile_step *step);

/* Does anything go from chip to chip? */
bool ipu_profile_crosses(const ipu_profile *profile);

/* Adds the bands to the profile of an executable, whether it has run or not. Where compute depends on data, that of all runs
 * is off by as much as a typical one. Takes the time of scheduling all exchange twice. MT_INPUT: as ipu_timing_make.
 * MT_MEMORY. */
MT_NODISCARD mt_status ipu_profile_add_bands(const ipu_executable *executable, ipu_profile *profile);

/* Adds the compute sets of the program of one time step in their order. What repeats stands there once. MT_MEMORY. */
MT_NODISCARD mt_status ipu_profile_add_turns(
    mt_arena *arena, const ipu_program *program, ipu_profile *profile);

/* Gives the profile of all runs so far in `arena`; everything in it is a copy. MT_MEMORY. */
MT_NODISCARD mt_status ipu_profile_make(mt_arena *arena, const ipu_engine *engine, ipu_profile *profile);

/* The same for an executable that has not run: the costs of one run of each compute set, and memory. MT_INPUT also: as
 * ipu_timing_make. */
MT_NODISCARD mt_status ipu_profile_costs(
    mt_arena *arena, const ipu_executable *executable, ipu_profile *profile);
