/* What the runs of an engine cost: cycles by compute set, phase, kind of vertex and link; cycles and memory of every
 * tile. Modelled numbers only, exact and the same on every host; nothing here is measured. Whoever prints, prints
 * this. */
#ifndef IPU_RUN_PROFILE_H
#define IPU_RUN_PROFILE_H

#include "ipu/run/engine.h"

/* Over the tiles that have work: cycles above 0. The others wait as they would without the program, and would make any
 * balance look bad. All 0 where no tile has any. */
typedef struct ipu_spread {
    uint64_t min, max;
    double mean, sd; /* sd: of all these tiles, not of a sample of them */
    size_t tiles;    /* how many they are */
} ipu_spread;

/* How far the slowest tile is from the others: mean / max, 1 where no tile has work. */
double ipu_spread_effectiveness(const ipu_spread *spread);

/* One compute set. One run takes cycles = sync_cycles + exchange_phase_cycles + compute.max. Where compute depends
 * on data these are the typical run's; the totals, and workers_busy, are what the runs took. */
typedef struct ipu_profile_step {
    const char *name;
    uint64_t runs;
    uint64_t cycles, total_cycles;              /* of one run; of all runs */
    uint64_t total_compute_cycles;              /* of all runs */
    uint64_t sync_cycles, external_sync_cycles; /* both kinds; of these the one of all chips */
    uint64_t exchange_phase_cycles;             /* the schedule's, and external_cycles */
    uint64_t external_cycles;                   /* of the busiest link between chips */
    uint64_t exchange_bound_cycles;             /* what no schedule inside chips can be below */
    ipu_spread exchange, compute;               /* cycles that a tile is busy in one run */
    const uint64_t *tile_exchange_cycles, *tile_compute_cycles;         /* [n_tiles] the same of each tile */
    uint64_t ranges_received, bytes_received, bytes_sent, bytes_copied; /* all tiles, one run */
    uint64_t bytes_crossing;                                            /* from chip to chip, one run */
    const char *busiest_link;                                           /* NULL where nothing crosses */
    double
        workers_busy; /* issue slots that workers used, of all tiles' in compute phases (ipu/cost/workers.h) */
    const uint64_t *link_bytes, *link_cycles; /* [n_links] one run; both NULL where nothing crosses */
} ipu_profile_step;

/* All vertices of one codelet in one compute set, by their typical cost. Where none is for a single worker the sum of
 * their cycles in a compute set is that of its tiles; a single-worker vertex counts with its entry and the slots it
 * uses. */
typedef struct ipu_profile_vertices {
    size_t step; /* the compute set */
    const char *codelet;
    size_t instances;
    uint64_t cycles; /* of a tile, of all of them in one run */
} ipu_profile_vertices;

/* One way between two chips. */
typedef struct ipu_profile_link {
    const char *name;
    uint32_t from, to; /* chips */
} ipu_profile_link;

typedef struct ipu_profile {
    ipu_profile_step *steps; /* in the order of the graph's compute sets */
    size_t n_steps;
    ipu_profile_vertices *vertices; /* by (compute set, first tile that has one) */
    size_t n_vertices;
    ipu_profile_link *links; /* in the network's order; none on one chip */
    size_t n_links;
    uint64_t cycles; /* of all runs = sync, exchange, compute, control and host cycles */
    uint64_t sync_cycles, exchange_cycles, compute_cycles; /* of supersteps */
    uint64_t control_cycles;                               /* of predicates (ipu/cost/control.h) */
    uint64_t host_cycles;                                  /* of transfers from and to the host */
    uint64_t external_sync_cycles;                         /* of sync_cycles: of all chips */
    uint64_t predicates, transfers;                        /* how often each happened */
    double seconds;                                        /* cycles at the target's clock */
    uint64_t host_bytes_written, host_bytes_read;
    size_t memory_max, memory_median; /* bytes of a tile, gaps among them; the median is the lower of two */
    size_t memory_there;
    size_t fullest_tile;
    ipu_tile_memory fullest, memory_all; /* of that tile; the sums over all tiles */
    ipu_tile_map fullest_map;            /* where everything lies on that tile */
    size_t n_tiles;
    const ipu_tile_memory *memory; /* [n_tiles] */
} ipu_profile;

/* Gives the profile of all runs so far in `arena`, everything in it a copy. MT_MEMORY. */
MT_NODISCARD mt_status ipu_profile_make(mt_arena *arena, const ipu_engine *engine, ipu_profile *profile);

/* The same of what has been compiled and not been run: the costs of one run of each compute set, and memory. */
MT_NODISCARD mt_status ipu_profile_costs(
    mt_arena *arena, const ipu_executable *executable, ipu_profile *profile);

#endif
