#include "solver/plan/step_costs.h"

#include <math.h>
#include <stdio.h>

#include "solver/diffusion/nodal_rows.h"
#include "solver/plan/nodal.h"
#include "solver/plan/plan.h"

/* Returns the part of a compute set. */
static int part_of(const mt_monodomain *problem, size_t set)
{
    const mt_nodal *nodal = problem->diffusion->nodal;
    if (nodal && nodal->spread && set == mt_plan_nodal_spreading_set(problem)) return MT_STEP_SPREADING;
    if (set == MT_PLAN_PDE_AB || set == MT_PLAN_PDE_BA) return MT_STEP_PDE;
    return set == MT_PLAN_ODE ? MT_STEP_ODE : MT_STEP_RECORD;
}

/* Adds the runs of a compute set; both sets of the diffusion have the same costs. */
static void add_part(const ipu_profile_step *step, uint64_t times, mt_step_part *part)
{
    const uint64_t between = step->external_cycles + step->external_sync_cycles,
                   exchange =
                       step->rearrangement_phase_cycles + step->exchange_phase_cycles + step->sync_cycles;
    part->runs += times;
    part->compute = step->compute, part->exchange = step->exchange;
    part->compute_cycles += times * step->compute.max;
    part->dram_cycles += times * step->dram_cycles;
    part->between_cycles += times * between;
    part->inside_cycles += times * (exchange - between);
}

/* Adds up the compute sets of a time step. */
static void add_up(const ipu_profile *profile, const mt_monodomain *problem, mt_step_costs *costs)
{
    double mean = 0;
    for (size_t e = 0; e < profile->n_executions; e++) {
        const ipu_profile_step *step = &profile->steps[profile->executions[e].step];
        const uint64_t times = profile->executions[e].times;
        costs->compute_cycles += times * step->compute.max;
        costs->exchange_cycles += times * (step->rearrangement_phase_cycles + step->exchange_phase_cycles);
        costs->sync_cycles += times * step->sync_cycles;
        costs->dram_cycles += times * step->dram_cycles;
        mean += (double)times * step->compute.mean;
        add_part(step, times, &costs->part[part_of(problem, profile->executions[e].step)]);
        for (int end = 0; end < IPU_ENDS; end++) costs->band.at[end] += times * step->band.at[end];
    }
    const uint64_t sum =
        costs->compute_cycles + costs->exchange_cycles + costs->sync_cycles + costs->dram_cycles;
    costs->overlapped_cycles = profile->step_overlapped_cycles;
    costs->cycles = sum - costs->overlapped_cycles;
    for (int end = 0; costs->overlapped_cycles > 0 && end < IPU_ENDS; end++)
        costs->band.at[end] =
            (uint64_t)llround((double)costs->band.at[end] * (double)costs->cycles / (double)sum);
    costs->balance = mean / (double)costs->compute_cycles;
    costs->memory_max = profile->memory_max;
    costs->memory_median = profile->memory_median;
}

static mt_status find_counts(const mt_halo *halo, mt_step_costs *costs)
{
    MT_TRY(mt_tile_spread_find(halo, mt_tile_elements, &costs->own));
    MT_TRY(mt_tile_spread_find(halo, mt_tile_received, &costs->received));
    MT_TRY(mt_tile_spread_find(halo, mt_tile_unused, &costs->unused));
    MT_TRY(mt_tile_spread_find(halo, mt_tile_local, &costs->local));
    MT_TRY(mt_tile_spread_find(halo, mt_tile_pieces_received, &costs->pieces));
    costs->crossing = mt_tile_crossing(halo);
    return MT_OK;
}

static mt_status find(mt_arena *arena, const mt_monodomain *problem, const mt_tiling *tiling,
    const mt_halo *halo, bool fabric, ipu_profile *profile, mt_step_costs *costs)
{
    ipu_target target;
    *costs = (mt_step_costs){0};
    *profile = (ipu_profile){0};
    MT_TRY(ipu_target_several(&tiling->one, mt_halo_groups(halo), &target));
    MT_TRY(find_counts(halo, costs));
    const mt_layout layout = {.target = &target,
        .halo = halo,
        .streamed = tiling->streamed,
        .checked = tiling->checked,
        .fabric = fabric};
    const mt_status status = mt_plan_costs_of(arena, problem, &layout, profile);
    if (status == MT_OK) add_up(profile, problem, costs);
    costs->fits = status == MT_OK;
    if (status == MT_OK) return MT_OK;
    *profile = (ipu_profile){0};
    if (status != MT_FIT && status != MT_INPUT)
        return status; /* MT_INPUT: messages between chips could deadlock */
    (void)snprintf(costs->why, sizeof costs->why, "%s", mt_message());
    return MT_OK;
}

mt_status mt_step_costs_profile(mt_arena *arena, const mt_monodomain *problem, const mt_tiling *tiling,
    const mt_halo *halo, ipu_profile *profile, mt_step_costs *costs)
{
    return find(arena, problem, tiling, halo, true, profile, costs);
}

mt_status mt_step_costs_find(
    const mt_monodomain *problem, const mt_tiling *tiling, const mt_halo *halo, mt_step_costs *costs)
{
    MT_SCRATCH(scratch);
    ipu_profile profile;
    return find(scratch, problem, tiling, halo, false, &profile, costs);
}

mt_status mt_step_graph_make(mt_arena *arena, const mt_monodomain *problem, const mt_adjacency *adjacency,
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

/* A partition of the unknowns, before the balance of what a scheme sends. */
typedef struct cut {
    mt_cut_graph graph;
    mt_pattern pattern;
    mt_partition parts;
    mt_balance balance;
} cut;

static mt_status make_cut(mt_arena *arena, const mt_monodomain *problem, const mt_adjacency *adjacency,
    const mt_tiling *tiling, uint32_t ipus, bool weighted, cut *c)
{
    const mt_unknowns unknowns = mt_monodomain_unknowns(problem);
    MT_TRY(mt_step_graph_make(arena, problem, adjacency, tiling, weighted, &c->graph));
    if (problem->mesh) MT_TRY(mt_tiling_place(arena, tiling, &unknowns, &c->graph));
    if (problem->diffusion->nodal)
        c->pattern = mt_diffusion_pattern(problem->diffusion);
    else
        MT_TRY(mt_tiling_pattern(arena, adjacency, &c->pattern));
    return mt_tiling_partition(arena, tiling, &c->graph, &c->pattern, ipus, &c->parts, &c->balance);
}

/* Changes the parts of the cut if the tiling balances halos. */
static mt_status make_halo(
    mt_arena *arena, const mt_tiling *tiling, const mt_scheme *scheme, cut *c, mt_halo *halo)
{
    MT_TRY(mt_tiling_balance_sent(tiling, scheme, &c->graph, &c->pattern, &c->parts, &c->balance));
    return mt_halo_make(arena, &c->pattern, &c->parts, scheme, halo);
}

mt_status mt_step_halo_make(mt_arena *arena, const mt_monodomain *problem, const mt_adjacency *adjacency,
    const mt_tiling *tiling, const mt_scheme *scheme, uint32_t ipus, bool weighted, mt_halo *halo)
{
    MT_SCRATCH(scratch);
    cut c;
    MT_TRY(make_cut(scratch, problem, adjacency, tiling, ipus, weighted, &c));
    return make_halo(arena, tiling, scheme, &c, halo);
}

mt_status mt_step_halos_visit(const mt_monodomain *problem, const mt_adjacency *adjacency,
    const mt_tiling *tiling, size_t n, const mt_scheme *scheme, uint32_t ipus, bool weighted,
    mt_step_visit *visit, void *context)
{
    MT_SCRATCH(scratch);
    cut common;
    MT_TRY(make_cut(scratch, problem, adjacency, tiling, ipus, weighted, &common));
    for (size_t k = 0; k < n; k++) {
        MT_SCRATCH(arena);
        cut own = common;
        mt_halo halo;
        MT_COPY(arena, own.parts.part, common.parts.part, common.parts.n_elements);
        MT_TRY(make_halo(arena, tiling, &scheme[k], &own, &halo));
        MT_TRY(visit(context, k, &halo));
    }
    return MT_OK;
}
