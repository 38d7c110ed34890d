/* A conduction system as a program of the tiles (solver/conduction/conducting.h, solver/plan/network_codelets.h).
 *
 * Each chain of the cables is on the tile of its part (mt_layout.chain_part), with its points; a hub is on the tile of the first chain that
 * ends there, and a junction on that of its free end. The network's variables, part by part, have the points of the part's chains in
 * ascending order, then its hubs. In a time step, before the tissue:
 *
 *     state        receives V of the tissue at the junctions; w, currents of the junctions
 *     means        records the tissue at the junctions
 *     forward      receives w of hubs; eliminates the points of each chain
 *     up           receives what chains add; eliminates the hubs of each group below the top
 *     top up       one tile receives the same for its hubs, and b of hubs below; eliminates its hubs
 *     top down     solves for them
 *     down         receives x of hubs above; solves for the hubs of each group
 *     backward     receives x of hubs; solves for the points of each chain
 *     charge       tiles with coupled tissue receive w of free ends; V of the tissue changes
 *     points       records the points
 *     stimuli
 *
 * and the cells take their step in the same compute set as those of the tissue, so that tiles with a part of the network can have less
 * tissue. With several steps of the cables, stimuli, `cells` and the implicit step without its records are repeated in between. Each
 * receiving compute set has a sync. The groups of hubs are those of solver/conduction/hub_groups.h. */
#pragma once

#include "solver/conduction/conducting.h"
#include "solver/conduction/hub_groups.h"
#include "solver/plan/codelets.h"
#include "solver/plan/network_codelets.h"
#include "solver/plan/variables.h"

/* Compute sets, after all others of the graph; then one for each stimulus of the network. */
enum {
    MT_NETWORK_SET_CELLS, /* with several steps of the cables */
    MT_NETWORK_SET_STATE,
    MT_NETWORK_SET_MEANS,
    MT_NETWORK_SET_FORWARD,
    MT_NETWORK_SET_UP,
    MT_NETWORK_SET_TOP_UP,
    MT_NETWORK_SET_TOP_DOWN,
    MT_NETWORK_SET_DOWN,
    MT_NETWORK_SET_BACKWARD,
    MT_NETWORK_SET_CHARGE,
    MT_NETWORK_SET_POINTS,
    MT_NETWORK_SETS
};

/* A group of hubs on its tile. */
typedef struct mt_placed_group {
    uint32_t part;
    size_t x_from; /* its first in x */
    mt_network_hubs up, down;
} mt_placed_group;

typedef struct mt_plan_network {
    const mt_conduction *conduction;
    uint32_t n_parts, first_set;
    /* [n_parts + 1] first of each part in the orders of points, points of chains, pieces, chains, junctions and places. A part's places are
     * its points, then its junctions */
    size_t *point_from, *chained_from, *piece_from, *chain_from, *junction_from, *place_from;
    uint32_t *chain;       /* [n_chains] in the order of the parts */
    uint32_t *chain_at;    /* [n_chains] position of a chain in it */
    uint32_t *chained_at;  /* [n_chains] position of its first point in the orders of points of chains, */
    uint32_t *point_at;    /* [n_points] and of a point in that of points */
    uint32_t *junction_at; /* [n_junctions] */
    uint32_t *hub_part_of; /* [n_hubs] part with the hub's cell */
    mt_hub_groups groups;
    mt_placed_group *placed; /* [groups.n_below + 1] */
    size_t n_x;              /* length of x */
    size_t *x_at;            /* [n_hubs] position in x */
    ipu_codelet codelet[MT_NETWORK_PARTS], cells;
    mt_ode_context ode;
    mt_network_record record;
    ipu_tensor v, d, w, b, state, paced[MT_PACED], added, x, mean;
    ipu_tensor recorded[MT_CONDUCTING_RECORDED]; /* of the places */
    ipu_tensor step, substep; /* [parts] in the beat; of the cables, with multirate stepping */
} mt_plan_network;

/* Adds the variables, vertices and compute sets of the conduction system of a plan's problem, and sets plan->network. Constants are in
 * `values`, or in `arena` if it is NULL. turn: the compute set that begins a beat, if there are several. MT_FIT: too many elements of an
 * index. MT_MEMORY. */
MT_NODISCARD mt_status mt_plan_add_network(
    mt_arena *arena, mt_arena *values, mt_plan *plan, const mt_layout *layout, const uint32_t *turn);

/* Returns the number of compute sets of the problem's conduction system. */
size_t mt_plan_network_sets(const mt_monodomain *problem);

/* Builds the program of the network before the tissue in a time step, in `arena`. on [n_stimuli of the network]: stimuli that are on. */
MT_NODISCARD mt_status mt_plan_network_program(
    mt_arena *arena, const mt_plan *plan, const bool *on, const ipu_program **program);

/* Returns the position of a place in the order of the parts: a point, or n_points + a junction. */
size_t mt_plan_network_place(const mt_plan_network *network, uint32_t part, size_t place);

/* Returns the part of a point or junction. */
uint32_t mt_plan_network_part(const mt_plan_network *network, size_t place);
