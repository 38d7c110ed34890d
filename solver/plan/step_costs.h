/* The costs of a time step of a problem with explicit diffusion steps on the emulated machine, without running: to compare operators, such
 * as voltages at the vertices with those at the centres of the elements, on the same mesh. */
#pragma once

#include "ipu/run/profile.h"
#include "solver/monodomain.h"
#include "solver/plan/tile_counts.h"
#include "solver/plan/tiling.h"

/* Parts of a time step: the ionic model; the spreading of its increments between vertices; diffusion substeps; and the record of activation
 * times. */
enum { MT_STEP_ODE, MT_STEP_SPREADING, MT_STEP_PDE, MT_STEP_RECORD, MT_STEP_PARTS };

typedef struct mt_step_part {
    uint64_t runs;                /* in a time step; 0: the problem lacks this part */
    ipu_spread compute, exchange; /* of a run; exchange inside chips, without copies */
    uint64_t compute_cycles;      /* of all runs, like the following ones */
    uint64_t dram_cycles;         /* data outside of the chips, in addition to compute */
    uint64_t inside_cycles;       /* exchange with copies, and sync, inside chips */
    uint64_t between_cycles;      /* links, and sync of all chips */
} mt_step_part;

typedef struct mt_step_costs {
    bool fits;
    char why[1024]; /* the reason if it does not fit; the other members are then 0 except the counts */
    /* unknowns per tile: own, received, received and not used, their sum; and pieces of received ones */
    mt_tile_spread own, received, unused, local, pieces;
    size_t crossing; /* unknowns received from other chips */
    /* of a time step: the first is the sum of the next four less the last; exchange includes copies. `dram_cycles`: data outside of the
     * chips, in addition to compute. `overlapped_cycles`: in which phases overlap if time steps follow each other (ipu/run/clocks.h) */
    uint64_t cycles, compute_cycles, exchange_cycles, sync_cycles, dram_cycles, overlapped_cycles;
    double balance;                   /* mean tile / slowest tile, of the compute sets of a time step */
    size_t memory_max, memory_median; /* bytes per tile */
    ipu_cycles_band band;             /* of `cycles` */
    mt_step_part part[MT_STEP_PARTS]; /* their cycles add up to `cycles` + `overlapped_cycles` */
} mt_step_costs;

/* Computes the costs of a problem of one variant without stimuli, on one chip per group of the halo. A problem that does not fit is not an
 * error. With multirate stepping all cells are evaluated. MT_MEMORY. */
MT_NODISCARD mt_status mt_step_costs_find(
    const mt_monodomain *problem, const mt_tiling *tiling, const mt_halo *halo, mt_step_costs *costs);

/* Same, with the profile in `arena`, which has the words of the links between tiles in a diffusion step; zeros if it does not fit. */
MT_NODISCARD mt_status mt_step_costs_profile(mt_arena *arena, const mt_monodomain *problem,
    const mt_tiling *tiling, const mt_halo *halo, ipu_profile *profile, mt_step_costs *costs);

/* Returns the graph of the unknowns in `arena`: of elements without weights, or of vertices, with the weights of their rows if `weighted`
 * (mt_plan_nodal_weights), without positions. The workers of a tile process unknowns together (mesh/cut/cut_graph.h). Borrows the
 * operator and `adjacency`, of the mesh. MT_MEMORY. */
MT_NODISCARD mt_status mt_step_graph_make(mt_arena *arena, const mt_monodomain *problem,
    const mt_adjacency *adjacency, const mt_tiling *tiling, bool weighted, mt_cut_graph *graph);

/* Visits the halo of a scheme. */
typedef mt_status mt_step_visit(void *context, size_t scheme, const mt_halo *halo);

/* Partitions the unknowns of an explicit operator for a number of IPUs, with the options of `tiling`, and visits the halos of n schemes.
 * The graph is as above, with the positions of problem->mesh, which curve and bisection need. `adjacency`: of the mesh.
 * Fails as mt_tiling_partition, mt_halo_make and `visit`. */
MT_NODISCARD mt_status mt_step_halos_visit(const mt_monodomain *problem, const mt_adjacency *adjacency,
    const mt_tiling *tiling, size_t n, const mt_scheme *scheme, uint32_t ipus, bool weighted,
    mt_step_visit *visit, void *context);

/* The same for one scheme; the halo is in `arena`. */
MT_NODISCARD mt_status mt_step_halo_make(mt_arena *arena, const mt_monodomain *problem,
    const mt_adjacency *adjacency, const mt_tiling *tiling, const mt_scheme *scheme, uint32_t ipus,
    bool weighted, mt_halo *halo);
