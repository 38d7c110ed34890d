#include "solver/plan/phases.h"

#include "solver/diffusion/nodal_rows.h"
#include "solver/plan/implicit.h"
#include "solver/plan/network.h"

const mt_phase_words mt_phase_words_of[MT_PHASES] = {
    [MT_PHASE_PDE_COMPUTE] = {"pde_compute", "PDE compute"},
    [MT_PHASE_PDE_EXCHANGE] = {"pde_exchange", "PDE exchange"},
    [MT_PHASE_ODE] = {"ode_compute", "ODE compute"},
    [MT_PHASE_ACTIVATION] = {"activation", "activation times"},
    [MT_PHASE_STIMULUS] = {"stimulus", "stimulus"},
    [MT_PHASE_BEATS] = {"beats", "start of a beat"},
    [MT_PHASE_SOLVER] = {"solver_compute", "implicit solver compute"},
    [MT_PHASE_SUMS] = {"sums_compute", "sums over tiles, compute"},
    [MT_PHASE_SUMS_EXCHANGE] = {"sums_exchange", "sums over tiles, exchange"},
    [MT_PHASE_GATHER] = {"rearrangement_before", "copies before the exchange"},
    [MT_PHASE_SCATTER] = {"rearrangement_after", "copies after the exchange"},
    [MT_PHASE_SYNC] = {"sync", "sync"},
    [MT_PHASE_WAITING] = {"waiting", "waiting in the exchange"},
    [MT_PHASE_LINKS] = {"links", "links between IPUs"},
    [MT_PHASE_CONTROL] = {"control", "control of the implicit solver"},
    [MT_PHASE_SPREADING] = {"spreading_compute", "spreading compute"},
    [MT_PHASE_NETWORK] = {"network_compute", "conduction system compute"},
    [MT_PHASE_NETWORK_EXCHANGE] = {"network_exchange", "conduction system exchange"},
    [MT_PHASE_DRAM] = {"dram", "memory outside of the IPUs"},
};

/* True if increments spread along the rows, in the compute set after those of the beats. */
static bool spreads_along_rows(const mt_monodomain *problem)
{
    const mt_nodal *nodal = problem->diffusion ? problem->diffusion->nodal : NULL;
    return nodal && nodal->spread;
}

/* First compute sets of the beats, of an implicit step's iterations and sums, and of the conduction system; beyond the sets before the
 * latter for explicit steps. The set of the spreading, if there is one, is before the iterations. */
typedef struct behind {
    size_t beats, spreading, iterations, sums, network;
} behind;

static behind behind_of(const mt_monodomain *problem, size_t n_sets)
{
    const size_t beats = MT_PLAN_STIMULUS + problem->n_stimuli,
                 spreading = beats + (mt_record_beats(&problem->record) > 1 ? 2 : 0),
                 iterations = spreading + spreads_along_rows(problem);
    return (behind){beats, spreading, iterations, iterations + MT_IMPLICIT_ITERATION_SETS,
        n_sets - mt_plan_network_sets(problem)};
}

bool mt_phase_is_exchange(mt_phase phase)
{
    return phase == MT_PHASE_PDE_EXCHANGE || phase == MT_PHASE_SUMS_EXCHANGE ||
           phase == MT_PHASE_NETWORK_EXCHANGE;
}

/* Returns the last of the sets up to one that precede the conduction system. */
static size_t before_network(const behind *b, size_t last)
{
    return last < b->network ? last : b->network - 1;
}

void mt_phase_sets(mt_phase phase, const mt_monodomain *problem, size_t n_sets, size_t *first, size_t *last)
{
    const behind b = behind_of(problem, n_sets);
    switch (phase) {
    case MT_PHASE_PDE_COMPUTE:
        *first = MT_PLAN_PDE_AB, *last = MT_PLAN_PDE_BA;
        return;
    case MT_PHASE_PDE_EXCHANGE:
        *first = MT_PLAN_ODE, *last = before_network(&b, b.sums - 1);
        return;
    case MT_PHASE_ODE:
        *first = *last = MT_PLAN_ODE;
        return;
    case MT_PHASE_ACTIVATION:
        *first = *last = MT_PLAN_ACTIVATION;
        return;
    case MT_PHASE_STIMULUS:
        *first = MT_PLAN_STIMULUS, *last = b.beats - 1;
        return;
    case MT_PHASE_BEATS:
        *first = b.beats, *last = b.spreading - 1;
        return;
    case MT_PHASE_SOLVER:
        *first = b.iterations, *last = before_network(&b, b.sums - 1);
        return;
    case MT_PHASE_SPREADING:
        *first = b.spreading, *last = b.iterations - 1;
        return;
    case MT_PHASE_SUMS:
    case MT_PHASE_SUMS_EXCHANGE:
        *first = b.sums, *last = b.network - 1;
        return;
    case MT_PHASE_NETWORK:
    case MT_PHASE_NETWORK_EXCHANGE:
        *first = b.network, *last = n_sets - 1;
        return;
    case MT_PHASE_CONTROL:
        *first = 1, *last = 0; /* none */
        return;
    case MT_PHASE_GATHER:
    case MT_PHASE_SCATTER:
    case MT_PHASE_SYNC:
    case MT_PHASE_WAITING:
    case MT_PHASE_LINKS:
    case MT_PHASE_DRAM:
    case MT_PHASES:
        break;
    }
    *first = 0, *last = SIZE_MAX; /* all */
}

const ipu_spread *mt_phase_spread(mt_phase phase, const ipu_profile_step *step)
{
    switch (phase) {
    case MT_PHASE_PDE_EXCHANGE:
    case MT_PHASE_SUMS_EXCHANGE:
    case MT_PHASE_NETWORK_EXCHANGE:
        return &step->exchange;
    case MT_PHASE_GATHER:
        return &step->gather;
    case MT_PHASE_SCATTER:
        return &step->scatter;
    case MT_PHASE_SYNC:
    case MT_PHASE_WAITING:
    case MT_PHASE_LINKS:
    case MT_PHASE_CONTROL:
    case MT_PHASE_DRAM:
    case MT_PHASES:
        return NULL;
    case MT_PHASE_PDE_COMPUTE:
    case MT_PHASE_ODE:
    case MT_PHASE_ACTIVATION:
    case MT_PHASE_STIMULUS:
    case MT_PHASE_BEATS:
    case MT_PHASE_SOLVER:
    case MT_PHASE_SUMS:
    case MT_PHASE_SPREADING:
    case MT_PHASE_NETWORK:
        break;
    }
    return &step->compute;
}

uint64_t mt_phase_cycles(mt_phase phase, const ipu_profile_step *step)
{
    const ipu_spread *tiles = mt_phase_spread(phase, step);
    if (tiles == &step->exchange) return step->exchange_bound_cycles;
    if (phase == MT_PHASE_WAITING) return ipu_profile_exchange_parts(step).waiting;
    if (phase == MT_PHASE_SYNC) return step->sync_cycles;
    if (phase == MT_PHASE_LINKS) return step->external_cycles;
    if (phase == MT_PHASE_DRAM) return step->dram_cycles;
    return tiles->max;
}

/* Compute cycles may depend on data and are summed over the runs. */
static uint64_t cycles_of_runs(mt_phase phase, const ipu_profile_step *step)
{
    return mt_phase_spread(phase, step) == &step->compute ? step->total_compute_cycles
                                                          : step->runs * mt_phase_cycles(phase, step);
}

void mt_phases_count(const ipu_profile *profile, const mt_monodomain *problem, uint64_t cycles[MT_PHASES])
{
    for (int phase = 0; phase < MT_PHASES; phase++) {
        size_t first, last;
        cycles[phase] = 0;
        mt_phase_sets((mt_phase)phase, problem, profile->n_steps, &first, &last);
        for (size_t s = first; s < profile->n_steps && s <= last; s++)
            cycles[phase] += cycles_of_runs((mt_phase)phase, &profile->steps[s]);
    }
    cycles[MT_PHASE_CONTROL] = profile->control_cycles;
}

uint64_t mt_phases_iterations(const ipu_profile *profile, const mt_monodomain *problem)
{
    const behind b = behind_of(problem, profile->n_steps);
    const size_t first = b.iterations;
    return first < b.network ? profile->steps[first].runs : 0;
}

uint64_t mt_phases_sum_cycles(const ipu_profile *profile, const mt_monodomain *problem)
{
    const behind b = behind_of(problem, profile->n_steps);
    uint64_t cycles = profile->control_cycles;
    for (size_t s = b.sums; s < b.network; s++) cycles += profile->steps[s].total_cycles;
    for (size_t s = b.iterations; s < b.sums && s < b.network; s++)
        if (mt_plan_implicit_receives_scalars(s - b.iterations))
            cycles += profile->steps[s].total_cycles - profile->steps[s].total_compute_cycles;
    return cycles;
}
