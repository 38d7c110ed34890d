/* The costs of a time step of a problem on the emulated machine, without running: to compare operators, such as voltages at the vertices
 * with those at the centres of the elements, on the same mesh. */
#pragma once

#include "solver/monodomain.h"
#include "solver/plan/tile_counts.h"
#include "solver/plan/tiling.h"

typedef struct mt_step_costs {
    bool fits;
    char why[1024]; /* the reason if it does not fit; the other members are then 0 except the counts */
    mt_tile_spread own, received; /* unknowns per tile, and received ones */
    /* of a time step: the first is the sum of the other three; exchange includes copies */
    uint64_t cycles, compute_cycles, exchange_cycles, sync_cycles;
    double balance;                   /* mean tile / slowest tile, of the compute sets of a time step */
    size_t memory_max, memory_median; /* bytes per tile */
} mt_step_costs;

/* Computes the costs of a problem of one variant without stimuli, on one chip per group of the halo. A problem that does not fit is not an
 * error. With multirate stepping all cells are evaluated. MT_INPUT: as mt_monodomain_check_nodal. MT_MEMORY. */
MT_NODISCARD mt_status mt_step_costs_find(
    const mt_monodomain *problem, const mt_tiling *tiling, const mt_halo *halo, mt_step_costs *costs);

/* Partitions the unknowns of an explicit operator for a number of IPUs, with the options of `tiling`, and builds their halo in `arena`.
 * Vertices are partitioned with the weights of their rows if `weighted` (mt_plan_nodal_weights), elements without weights. The workers of a
 * tile process unknowns together (mesh/cut/cut_graph.h). `adjacency`: of the mesh. Fails as mt_tiling_partition and mt_halo_make. */
MT_NODISCARD mt_status mt_step_halo_make(mt_arena *arena, const mt_monodomain *problem,
    const mt_adjacency *adjacency, const mt_tiling *tiling, const mt_scheme *scheme, uint32_t ipus,
    bool weighted, mt_halo *halo);
