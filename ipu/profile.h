/* What the runs of an engine cost: cycles by compute set and phase, memory by tile. Modelled numbers only,
 * exact and the same on every host; nothing here is measured. Whoever prints, prints this. */
#ifndef IPU_PROFILE_H
#define IPU_PROFILE_H

#include "ipu/engine.h"

/* Over all tiles. */
typedef struct ipu_spread {
    uint64_t min, max;
    double mean, sd; /* sd: of all tiles, not of a sample of them */
} ipu_spread;

/* One compute set. One run takes cycles = sync_cycles + exchange_phase_cycles + compute.max. */
typedef struct ipu_profile_step {
    const char *name;
    uint64_t runs;
    uint64_t cycles, total_cycles;              /* of one run; of all runs */
    uint64_t sync_cycles, external_sync_cycles; /* both kinds; of these the one of all chips */
    uint64_t exchange_phase_cycles;             /* the schedule's, and external_cycles */
    uint64_t external_cycles;                   /* of the busiest link between chips */
    uint64_t exchange_bound_cycles;             /* what no schedule inside chips can be below */
    ipu_spread exchange, compute;               /* cycles that a tile is busy in one run */
    uint64_t ranges_received, bytes_received, bytes_sent, bytes_copied; /* all tiles, one run */
    uint64_t bytes_crossing;                                            /* from chip to chip, one run */
    const char *busiest_link;                                           /* NULL where nothing crosses */
} ipu_profile_step;

typedef struct ipu_profile {
    ipu_profile_step *steps; /* in the order of the graph's compute sets */
    size_t n_steps;
    uint64_t cycles; /* of all runs = sync_cycles + exchange_cycles + compute_cycles */
    uint64_t sync_cycles, exchange_cycles, compute_cycles;
    double seconds;                                 /* cycles at the target's clock */
    uint64_t host_bytes_written, host_bytes_read;   /* not in the cycles */
    size_t memory_max, memory_median, memory_there; /* bytes of a tile; the median is the lower of two */
    size_t fullest_tile;
    ipu_tile_memory fullest;
} ipu_profile;

/* Gives the profile of all runs so far in `arena`, names with it. MT_FILE: no memory. */
MT_NODISCARD mt_status ipu_profile_make(mt_arena *arena, const ipu_engine *engine, ipu_profile *profile);

/* The same of what has been compiled and not been run: the costs of one run of each compute set, and memory. */
MT_NODISCARD mt_status ipu_profile_costs(
    mt_arena *arena, const ipu_executable *executable, ipu_profile *profile);

#endif
