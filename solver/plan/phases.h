/* The phases of a heart's time steps on the machine: what the cycles of all its compute sets are told by. */
#pragma once

#include "ipu/run/profile.h"
#include "solver/monodomain.h"

typedef enum mt_phase {
    MT_PHASE_PDE_COMPUTE,
    MT_PHASE_PDE_EXCHANGE, /* inside chips: of the busiest tile by itself; of an implicit step all that is not its sums' */
    MT_PHASE_ODE,
    MT_PHASE_ACTIVATION,
    MT_PHASE_STIMULUS,
    MT_PHASE_BEATS,         /* from beat to beat */
    MT_PHASE_SOLVER,        /* iterations of an implicit step */
    MT_PHASE_SUMS,          /* its sums over tiles, and scalars */
    MT_PHASE_SUMS_EXCHANGE, /* as that of the PDE */
    MT_PHASE_GATHER,  /* copies inside tiles before an exchange; of all compute sets, as all that follow */
    MT_PHASE_SCATTER, /* after one */
    MT_PHASE_SYNC,
    MT_PHASE_WAITING, /* in the exchange inside chips: how much longer it takes than its busiest tile by itself */
    MT_PHASE_LINKS,   /* the exchange between chips */
    MT_PHASE_CONTROL, /* of an implicit step: whether it goes on; in no compute set */
    MT_PHASES
} mt_phase;

/* "pde_compute", "PDE compute". */
typedef struct mt_phase_words {
    const char *key, *label;
} mt_phase_words;
extern const mt_phase_words mt_phase_words_of[MT_PHASES];

/* The compute sets [first, last] of a phase, of a problem; there may be none in a graph. */
void mt_phase_sets(mt_phase phase, const mt_monodomain *problem, size_t *first, size_t *last);

/* The tiles' cycles in a phase of one run of a compute set; of a phase that takes every tile as long, NULL. */
const ipu_spread *mt_phase_spread(mt_phase phase, const ipu_profile_step *step);

/* Cycles of a phase in one run of a compute set that is one of the phase's. */
uint64_t mt_phase_cycles(mt_phase phase, const ipu_profile_step *step);

/* Cycles of each phase in all runs of a profile. They do not overlap. */
void mt_phases_count(const ipu_profile *profile, const mt_monodomain *problem, uint64_t cycles[MT_PHASES]);

/* Iterations of implicit steps that a profile has counted, and the cycles of their sums over tiles with all that belongs to them: exchange, sync,
 * links, scalars, their way back to all tiles where it takes an exchange of its own, and the decisions. */
uint64_t mt_phases_iterations(const ipu_profile *profile, const mt_monodomain *problem);
uint64_t mt_phases_sum_cycles(const ipu_profile *profile, const mt_monodomain *problem);
