/* The phases of a heart's time steps on the machine, to which the cycles of all compute sets are attributed. */
#pragma once

#include "ipu/run/profile.h"
#include "solver/monodomain.h"

typedef enum mt_phase {
    MT_PHASE_PDE_COMPUTE,
    /* inside chips, of the busiest tile alone; in an implicit step, without the sums */
    MT_PHASE_PDE_EXCHANGE,
    MT_PHASE_ODE,
    MT_PHASE_ACTIVATION,
    MT_PHASE_STIMULUS,
    MT_PHASE_BEATS,         /* between beats */
    MT_PHASE_SOLVER,        /* iterations of an implicit step */
    MT_PHASE_SUMS,          /* sums over tiles and scalars of an implicit step */
    MT_PHASE_SUMS_EXCHANGE, /* exchange of the sums, as that of the PDE */
    /* copies inside tiles before an exchange; of all compute sets, like the following phases */
    MT_PHASE_GATHER,
    MT_PHASE_SCATTER, /* copies inside tiles after an exchange */
    MT_PHASE_SYNC,
    MT_PHASE_WAITING, /* exchange inside chips: excess over its busiest tile alone */
    MT_PHASE_LINKS,   /* exchange between chips */
    MT_PHASE_CONTROL, /* decisions of an implicit step to continue; in no compute set */
    /* increments that spread along the rows of voltages at the vertices; their exchange is that of the PDE */
    MT_PHASE_SPREADING,
    /* the conduction system, but for its cells, which are part of the ODE; and its exchange, as that of the PDE */
    MT_PHASE_NETWORK,
    MT_PHASE_NETWORK_EXCHANGE,
    MT_PHASE_DRAM, /* data outside of the chips, in addition to compute; of all compute sets */
    MT_PHASES
} mt_phase;

/* Key and label of a phase, such as "pde_compute" and "PDE compute". */
typedef struct mt_phase_words {
    const char *key, *label;
} mt_phase_words;
extern const mt_phase_words mt_phase_words_of[MT_PHASES];

/* Returns the compute sets [first, last] of a phase, of n_sets in the graph of the problem; some may be missing there. */
void mt_phase_sets(mt_phase phase, const mt_monodomain *problem, size_t n_sets, size_t *first, size_t *last);

/* True if a phase is the exchange of some compute sets inside chips, which is counted as in the PDE. */
bool mt_phase_is_exchange(mt_phase phase);

/* Returns the cycles per tile of a phase in one run of a compute set; NULL if they are equal on all tiles. */
const ipu_spread *mt_phase_spread(mt_phase phase, const ipu_profile_step *step);

/* Returns the cycles of a phase in one run of a compute set of the phase. */
uint64_t mt_phase_cycles(mt_phase phase, const ipu_profile_step *step);

/* Counts the cycles of each phase in all runs of a profile. With a global sync phases do not overlap; on other machines their
 * sum exceeds the cycles of the time steps by profile->overlapped_cycles. */
void mt_phases_count(const ipu_profile *profile, const mt_monodomain *problem, uint64_t cycles[MT_PHASES]);

/* Return the number of iterations of implicit steps in a profile, and the cycles of their sums over tiles:
 * exchange, sync, links, scalars, their distribution to all tiles if it needs a separate exchange, and the
 * decisions. */
uint64_t mt_phases_iterations(const ipu_profile *profile, const mt_monodomain *problem);
uint64_t mt_phases_sum_cycles(const ipu_profile *profile, const mt_monodomain *problem);
