/* The costs of a partitioned mesh on the emulated machine, without running: cycles of a step, and memory. For the
 * first ionic model of the table (solver/cells/model.h), with spreading if the tiling says so; or for a problem. */
#pragma once

#include "ipu/run/profile.h"
#include "solver/monodomain.h"
#include "solver/plan/tiling.h"

/* The costs. Phases are those of a run alone. If the problem does not fit, `why` has the reason and the other values are 0. */
typedef struct mt_costs {
    bool fits;
    bool may_deadlock; /* True if it does not fit since messages between chips could deadlock */
    char why[1024];
    size_t memory_max, memory_median; /* bytes per tile */
    /* of one diffusion step, with copies and without synchronisation; of these: */
    uint64_t exchange_cycles;
    uint64_t rearrangement_cycles;  /* copies inside tiles */
    uint64_t external_cycles;       /* between chips: the busiest link, and the fixed part */
    ipu_exchange_parts parts;       /* inside chips */
    uint64_t exchange_bound_cycles; /* lower bound of `parts` for any schedule */
    uint64_t bytes_crossing;        /* between chips: each byte once per receiving chip */
    char busiest_link[64];          /* its name; "" if there is no traffic between chips */
    double effectiveness;           /* of the exchange on a chip: mean tile / slowest tile */
    uint64_t sync_cycles;           /* before that exchange, on-chip and external */
    uint64_t external_sync_cycles;  /* of these: of all chips */
    /* of a complete diffusion step and a complete step of the ionic model */
    ipu_cycles_band pde_step, ode_step;
    /* of a time step: data outside of the chips, in addition to compute; 0 if none are streamed */
    uint64_t dram_cycles;
    /* of a time step of the program, if time steps follow each other on a machine whose phases overlap (ipu/run/clocks.h); else 0 */
    uint64_t overlapping_step_cycles;
    /* cycles per tile: copies, exchange (without links) and compute of one diffusion step, compute of one step of
     * the ionic model */
    ipu_spread gather, exchange, scatter, pde, ode;
} mt_costs;

/* Returns "yes", "does not fit" or "may deadlock", for tables and warnings. */
const char *mt_costs_verdict(const mt_costs *costs);

/* Computes the costs of a halo on one chip per group. Returns the machine with that number of chips and, if the
 * halo fits, its profile in `arena`: one run of each compute set. A halo that does not fit is not an error.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_costs_profile(mt_arena *arena, const mt_tiling *tiling, const mt_halo *halo,
    ipu_target *target, ipu_profile *profile, mt_costs *costs);

/* Same for a problem, of which only the structure matters: it needs no values of an operator. */
MT_NODISCARD mt_status mt_costs_profile_of(mt_arena *arena, const mt_monodomain *problem,
    const mt_tiling *tiling, const mt_halo *halo, ipu_target *target, ipu_profile *profile, mt_costs *costs);

/* Computes the costs only. */
MT_NODISCARD mt_status mt_costs_find(const mt_tiling *tiling, const mt_halo *halo, mt_costs *costs);
