#include "solver/plan/step_costs.h"

#include <stdio.h>

#include "solver/diffusion/nodal_rows.h"
#include "solver/plan/nodal.h"
#include "solver/plan/plan.h"

/* Adds up the compute sets of a time step. */
static void add_up(const ipu_profile *profile, mt_step_costs *costs)
{
    double mean = 0;
    for (size_t e = 0; e < profile->n_executions; e++) {
        const ipu_profile_step *step = &profile->steps[profile->executions[e].step];
        const uint64_t times = profile->executions[e].times;
        costs->compute_cycles += times * step->compute.max;
        costs->exchange_cycles += times * (step->rearrangement_phase_cycles + step->exchange_phase_cycles);
        costs->sync_cycles += times * step->sync_cycles;
        mean += (double)times * step->compute.mean;
    }
    costs->cycles = costs->compute_cycles + costs->exchange_cycles + costs->sync_cycles;
    costs->balance = mean / (double)costs->compute_cycles;
    costs->memory_max = profile->memory_max;
    costs->memory_median = profile->memory_median;
}

mt_status mt_step_costs_find(
    const mt_monodomain *problem, const mt_tiling *tiling, const mt_halo *halo, mt_step_costs *costs)
{
    MT_SCRATCH(scratch);
    ipu_target target;
    ipu_profile profile;
    *costs = (mt_step_costs){0};
    if (problem->diffusion->nodal) MT_TRY(mt_monodomain_check_nodal(problem, true));
    MT_TRY(ipu_target_several(&tiling->one, mt_halo_groups(halo), &target));
    MT_TRY(mt_tile_spread_find(halo, mt_tile_elements, &costs->own));
    MT_TRY(mt_tile_spread_find(halo, mt_tile_received, &costs->received));
    const mt_layout layout = {.target = &target, .halo = halo, .checked = tiling->checked};
    const mt_status status = mt_plan_costs_of(scratch, problem, &layout, &profile);
    if (status == MT_OK) add_up(&profile, costs);
    costs->fits = status == MT_OK;
    if (status != MT_FIT && status != MT_INPUT)
        return status; /* MT_INPUT: messages between chips could deadlock */
    (void)snprintf(costs->why, sizeof costs->why, "%s", mt_message());
    return MT_OK;
}

/* Returns the graph of the unknowns in `arena`. */
static mt_status graph_of(mt_arena *arena, const mt_monodomain *problem, const mt_adjacency *adjacency,
    const mt_tiling *tiling, bool weighted, mt_cut_graph *graph)
{
    const mt_nodal *nodal = problem->diffusion->nodal;
    uint32_t *weight = NULL;
    *graph = mt_cut_graph_of(adjacency);
    graph->together = (uint32_t)tiling->one.worker_contexts;
    if (!nodal) return MT_OK;
    if (weighted) MT_TRY(mt_plan_nodal_weights(arena, problem, &tiling->one, &weight));
    *graph = (mt_cut_graph){.n_nodes = problem->diffusion->n_unknowns,
        .start = nodal->start,
        .near = nodal->column,
        .weight = weight,
        .together = graph->together};
    return MT_OK;
}

mt_status mt_step_halo_make(mt_arena *arena, const mt_monodomain *problem, const mt_adjacency *adjacency,
    const mt_tiling *tiling, const mt_scheme *scheme, uint32_t ipus, bool weighted, mt_halo *halo)
{
    MT_SCRATCH(scratch);
    mt_cut_graph graph;
    mt_pattern pattern;
    mt_partition parts;
    mt_balance balance;
    MT_TRY(graph_of(scratch, problem, adjacency, tiling, weighted, &graph));
    if (problem->diffusion->nodal)
        pattern = mt_diffusion_pattern(problem->diffusion);
    else
        MT_TRY(mt_tiling_pattern(scratch, adjacency, &pattern));
    MT_TRY(mt_tiling_partition_of(scratch, tiling, &graph, &pattern, ipus, &parts, &balance));
    MT_TRY(mt_tiling_balance_sent_of(tiling, scheme, &graph, &pattern, &parts, &balance));
    return mt_halo_make(arena, &pattern, &parts, scheme, halo);
}
