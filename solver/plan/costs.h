/* What a mesh that has been cut costs on the emulated machine, without running: cycles of a step, and memory.
 * With spreading where the tiling says so. They are those of the first cell model of the table (solver/cells/model.h). */
#pragma once

#include "ipu/run/profile.h"
#include "solver/plan/tiling.h"

/* What the emulated machine would need. Where it does not fit, `why` says what does not, and the rest is 0. */
typedef struct mt_costs {
    bool fits;
    bool may_deadlock; /* why it does not fit: messages between chips could wait for each other for ever */
    char why[1024];
    size_t memory_max, memory_median; /* bytes of a tile */
    uint64_t
        exchange_cycles; /* of one diffusion step, with its copies and without its synchronisation; of these: */
    uint64_t rearrangement_cycles;      /* copies inside tiles */
    uint64_t external_cycles;           /* between chips: the busiest link, and fixed */
    ipu_exchange_parts parts;           /* inside chips */
    uint64_t exchange_bound_cycles;     /* lower bound, for any schedule, of these parts */
    uint64_t bytes_crossing;            /* from chip to chip: a byte once for each chip that receives it */
    char busiest_link[64];              /* its name; "" where nothing crosses */
    double effectiveness;               /* of the exchange on a chip: mean tile / slowest */
    uint64_t sync_cycles;               /* before that exchange, both kinds */
    uint64_t external_sync_cycles;      /* of these: of all chips */
    ipu_cycles_band pde_step, ode_step; /* of a whole diffusion step and a whole step of the cell model */
    ipu_spread gather, exchange, scatter, pde,
        ode; /* cycles of a tile: copies, exchange (without links) and compute of
                                         one diffusion step, compute of one step of the cell model */
} mt_costs;

/* "yes", "does not fit" or "may deadlock", for tables and warnings. */
const char *mt_costs_verdict(const mt_costs *costs);

/* Gives the costs of a halo on as many chips as it has groups, the machine with that many chips and, where the halo fits, its
 * profile in `arena`: one run of each compute set. A halo that does not fit is no failure. MT_MEMORY. */
MT_NODISCARD mt_status mt_costs_profile(mt_arena *arena, const mt_tiling *tiling, const mt_halo *halo,
    ipu_target *target, ipu_profile *profile, mt_costs *costs);

/* Gives the costs alone. */
MT_NODISCARD mt_status mt_costs_find(const mt_tiling *tiling, const mt_halo *halo, mt_costs *costs);
