/* The partition of the tissue together with its conduction system (mesh/cut/partition.h).
 *
 * Each chain of the cables (solver/conduction/cables.h) is attached to an unknown of the tissue and is on the tile of that unknown, whose
 * weight it adds to. So a tile with chains has less tissue. Chains are not joined with each other: two numbers per chain are exchanged
 * through hubs, and chains on different tiles are eliminated at the same time. The weight of a chain, with one hub, is to the mean weight
 * of an unknown as the cycles of their cells in a time step: these are computed together, so a tile with chains has as many cells as the
 * others, and less work in the diffusion steps. */
#pragma once

#include "mesh/cut/partition.h"
#include "solver/conduction/conduction.h"

typedef struct mt_joint_cut {
    uint32_t *attached;     /* [n_chains] unknown */
    uint32_t *weight;       /* [unknowns] with the chains that are attached */
    uint32_t *chain_weight; /* [n_chains] */
} mt_joint_cut;

/* Attaches the chains of a problem's conduction system, in ascending order, each to the unknown nearest to its middle among those that are
 * coupled to the junctions with the fewest chains so far, so that chains are spread over the tissue; without junctions to unknowns at equal
 * distances in their order. The result is in `arena`. `tissue` has the weights of its rows, or none. MT_MEMORY. Time: O(chains x coupled
 * unknowns). */
MT_NODISCARD mt_status mt_joint_cut_make(mt_arena *arena, const mt_monodomain *problem,
    const mt_cut_graph *tissue, const ipu_target *target, mt_joint_cut *joint);

/* Find the part of each chain, if the partition was made with the weights, or without chains. First: that of its unknown; then, as long as
 * this reduces the largest sum of weights, a chain of that part moves to the part with the least sum, at most once per chain on average.
 * (METIS can put several neighbours that weigh more than a part together.) Second: the heaviest chain first, each on the part with the
 * least sum. Of equal parts the first. chain_part: [n_chains], in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_joint_cut_parts(mt_arena *arena, const mt_joint_cut *joint, size_t n_chains,
    const mt_partition *partition, uint32_t **chain_part);
MT_NODISCARD mt_status mt_joint_cut_place(mt_arena *arena, const mt_joint_cut *joint, size_t n_chains,
    const mt_partition *partition, uint32_t **chain_part);
