#include "solver/plan/costs.h"

#include <stdio.h>

#include "solver/plan/plan.h"

/* Returns the cycles of a time step with overlapping phases. */
static uint64_t overlapping_step(const ipu_profile *profile)
{
    uint64_t sum = 0;
    for (size_t e = 0; e < profile->n_executions; e++)
        sum += profile->executions[e].times * profile->steps[profile->executions[e].step].cycles;
    return sum - profile->step_overlapped_cycles;
}

/* Returns the additional cycles of streamed data in a time step. */
static uint64_t streaming(const ipu_profile *profile)
{
    uint64_t sum = 0;
    for (size_t e = 0; e < profile->n_executions; e++)
        sum += profile->executions[e].times * profile->steps[profile->executions[e].step].dram_cycles;
    return sum;
}

static mt_costs read_profile(const ipu_target *target, const ipu_profile *profile)
{
    const ipu_profile_step *step = &profile->steps[MT_PLAN_PDE_AB];
    mt_costs costs = {.fits = true,
        .memory_max = profile->memory_max,
        .memory_median = profile->memory_median,
        .exchange_cycles = step->rearrangement_phase_cycles + step->exchange_phase_cycles,
        .rearrangement_cycles = step->rearrangement_phase_cycles,
        .parts = ipu_profile_exchange_parts(step),
        .external_cycles = step->external_cycles,
        .exchange_bound_cycles = step->exchange_bound_cycles,
        .bytes_crossing = step->bytes_crossing,
        .effectiveness = ipu_spread_effectiveness(&step->exchange),
        .sync_cycles = step->sync_cycles,
        .external_sync_cycles = step->external_sync_cycles,
        .pde_step = step->band,
        .ode_step = profile->steps[MT_PLAN_ODE].band,
        .dram_cycles = streaming(profile),
        .overlapping_step_cycles = ipu_clocks_needed(target) ? overlapping_step(profile) : 0,
        .gather = step->gather,
        .exchange = step->exchange,
        .scatter = step->scatter,
        .pde = step->compute,
        .ode = profile->steps[MT_PLAN_ODE].compute};
    if (step->busiest_link)
        (void)snprintf(costs.busiest_link, sizeof costs.busiest_link, "%s", step->busiest_link);
    return costs;
}

const char *mt_costs_verdict(const mt_costs *costs)
{
    return costs->fits ? "yes" : costs->may_deadlock ? "may deadlock" : "does not fit";
}

/* Returns the costs of a profile, or the reason that there is none. */
static mt_status read_costs(
    mt_status status, const ipu_target *target, const ipu_profile *profile, mt_costs *costs)
{
    *costs = (mt_costs){0};
    if (status == MT_OK) *costs = read_profile(target, profile);
    if (status != MT_FIT && status != MT_INPUT) return status;
    costs->may_deadlock = status == MT_INPUT;
    (void)snprintf(costs->why, sizeof costs->why, "%s", mt_message());
    return MT_OK;
}

mt_status mt_costs_profile(mt_arena *arena, const mt_tiling *tiling, const mt_halo *halo, ipu_target *target,
    ipu_profile *profile, mt_costs *costs)
{
    MT_TRY(ipu_target_several(&tiling->one, mt_halo_groups(halo), target));
    const mt_layout layout = {
        .target = target, .halo = halo, .streamed = tiling->streamed, .checked = tiling->checked};
    const mt_status status = mt_plan_costs(arena, mt_cell_models[0], tiling->spread, &layout, profile);
    return read_costs(status, target, profile, costs);
}

mt_status mt_costs_profile_of(mt_arena *arena, const mt_monodomain *problem, const mt_tiling *tiling,
    const mt_halo *halo, ipu_target *target, ipu_profile *profile, mt_costs *costs)
{
    MT_TRY(ipu_target_several(&tiling->one, mt_halo_groups(halo), target));
    const mt_layout layout = {
        .target = target, .halo = halo, .streamed = tiling->streamed, .checked = tiling->checked};
    return read_costs(mt_plan_costs_of(arena, problem, &layout, profile), target, profile, costs);
}

mt_status mt_costs_find(const mt_tiling *tiling, const mt_halo *halo, mt_costs *costs)
{
    MT_SCRATCH(scratch);
    ipu_target target;
    ipu_profile profile;
    return mt_costs_profile(scratch, tiling, halo, &target, &profile, costs);
}
