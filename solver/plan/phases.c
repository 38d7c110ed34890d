#include "solver/plan/phases.h"

#include <assert.h>

#include "solver/plan/plan.h"

const mt_phase_words mt_phase_words_of[MT_PHASES] = {
    [MT_PHASE_PDE_COMPUTE] = {"pde_compute", "PDE compute"},
    [MT_PHASE_PDE_EXCHANGE] = {"pde_exchange", "PDE exchange"},
    [MT_PHASE_ODE] = {"ode_compute", "ODE compute"},
    [MT_PHASE_ACTIVATION] = {"activation", "activation times"},
    [MT_PHASE_STIMULUS] = {"stimulus", "stimulus"},
    [MT_PHASE_BEATS] = {"beats", "from beat to beat"},
    [MT_PHASE_SYNC] = {"sync", "sync"},
    [MT_PHASE_LINKS] = {"links", "links between IPUs"},
};

void mt_phase_sets(mt_phase phase, size_t n_stimuli, size_t *first, size_t *last)
{
    switch (phase) {
    case MT_PHASE_PDE_COMPUTE:
    case MT_PHASE_PDE_EXCHANGE:
        *first = MT_PLAN_PDE_AB, *last = MT_PLAN_PDE_BA;
        return;
    case MT_PHASE_ODE:
        *first = *last = MT_PLAN_ODE;
        return;
    case MT_PHASE_ACTIVATION:
        *first = *last = MT_PLAN_ACTIVATION;
        return;
    case MT_PHASE_STIMULUS:
        *first = MT_PLAN_STIMULUS, *last = MT_PLAN_STIMULUS + n_stimuli - 1;
        return;
    case MT_PHASE_BEATS:
        *first = MT_PLAN_STIMULUS + n_stimuli, *last = SIZE_MAX;
        return;
    case MT_PHASE_SYNC:
    case MT_PHASE_LINKS:
    case MT_PHASES:
        break;
    }
    assert(phase < MT_PHASE_SYNC); /* it is one of compute or exchange */
    *first = 0, *last = SIZE_MAX;  /* all */
}

/* What a compute set adds to a phase, where it is one of the phase's. */
static uint64_t cycles_of(mt_phase phase, const ipu_profile_step *step)
{
    if (phase == MT_PHASE_SYNC) return step->runs * step->sync_cycles;
    if (phase == MT_PHASE_LINKS) return step->runs * step->external_cycles;
    if (phase == MT_PHASE_PDE_EXCHANGE)
        return step->runs * (step->exchange_phase_cycles - step->external_cycles);
    return step->total_compute_cycles;
}

void mt_phases_count(const ipu_profile *profile, size_t n_stimuli, uint64_t cycles[MT_PHASES])
{
    for (int phase = 0; phase < MT_PHASES; phase++) {
        size_t first = 0, last = SIZE_MAX; /* all compute sets synchronise, and may cross links */
        cycles[phase] = 0;
        if (phase < MT_PHASE_SYNC) mt_phase_sets((mt_phase)phase, n_stimuli, &first, &last);
        for (size_t s = first; s < profile->n_steps && s <= last; s++)
            cycles[phase] += cycles_of((mt_phase)phase, &profile->steps[s]);
    }
}
