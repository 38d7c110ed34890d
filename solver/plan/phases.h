/* The phases of a heart's time steps on the machine: what the cycles of all its compute sets are told by. */
#ifndef MT_SOLVER_PLAN_PHASES_H
#define MT_SOLVER_PLAN_PHASES_H

#include "ipu/run/profile.h"

typedef enum mt_phase {
    MT_PHASE_PDE_COMPUTE,
    MT_PHASE_PDE_EXCHANGE, /* inside chips */
    MT_PHASE_ODE,
    MT_PHASE_ACTIVATION,
    MT_PHASE_STIMULUS,
    MT_PHASE_BEATS, /* from beat to beat */
    MT_PHASE_SYNC,  /* of all compute sets, as the next */
    MT_PHASE_LINKS, /* the exchange between chips */
    MT_PHASES
} mt_phase;

/* "pde_compute", "PDE compute". */
typedef struct mt_phase_words {
    const char *key, *label;
} mt_phase_words;
extern const mt_phase_words mt_phase_words_of[MT_PHASES];

/* The compute sets [first, last] of a phase of compute or exchange, of a problem with so many stimuli; there may be none in a graph. */
void mt_phase_sets(mt_phase phase, size_t n_stimuli, size_t *first, size_t *last);

/* Cycles of each phase in all runs of a profile. They do not overlap. */
void mt_phases_count(const ipu_profile *profile, size_t n_stimuli, uint64_t cycles[MT_PHASES]);

#endif
