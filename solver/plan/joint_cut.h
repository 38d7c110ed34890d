/* The joint graph of the tissue and its conduction system, to be partitioned for tiles (mesh/cut/partition.h).
 *
 * Its nodes are the unknowns of the tissue, then the chains of the cables (solver/conduction/cables.h). A chain is joined with the unknowns
 * that its free ends are coupled to. It is not joined with other chains: two words per chain are exchanged through hubs, and chains on
 * different tiles are eliminated at the same time. Weights are the worker cycles of a time step: of the
 * unknown's cell and row; of the chain's points, and of the hubs that are on its tile (solver/plan/network.h). */
#pragma once

#include "mesh/cut/partition.h"
#include "solver/conduction/conduction.h"

/* Builds the joint graph in `arena` from that of the tissue, which has the weights of its rows or none, for a problem with a conduction
 * system. MT_MEMORY. */
MT_NODISCARD mt_status mt_joint_graph_make(mt_arena *arena, const mt_monodomain *problem,
    const mt_cut_graph *tissue, const ipu_target *target, mt_cut_graph *joint);

/* Finds the part of each chain if the partition of the tissue is given: the heaviest chain first, each on the part with the least sum of
 * weights, the first of several. chain_part: [n_chains], in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_joint_place(
    mt_arena *arena, const mt_cut_graph *joint, const mt_partition *tissue, uint32_t **chain_part);
