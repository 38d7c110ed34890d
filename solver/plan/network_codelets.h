/* The codelets of a conduction system on a tile, and their costs. The equations are those of the host
 * (solver/conduction/chain_equations.h); the ionic model is mt_codelet_ode with increments d.
 *
 *     STATE      v d                                                -> w = v + d, for the points of the tile
 *     JUNCTION   v d tissue[n] coupling[n] weight[n]                -> current, mean; v, d of the free end
 *     SHARED     the same; a junction with several shares            -> and shares[2 * MT_JUNCTION_SHARES], their currents and means
 *     FORWARD    w left right conductance along across              -> b, added[2]; left, right: w of the hubs
 *     PIECE      left right conductance                             -> added[2], of a chain without points
 *     UP         added got, and the rows of mt_elimination          -> x = b of the hubs of a group; got: b of hubs below
 *     DOWN       got, and the columns of mt_elimination             -> x of the hubs of a group; got: x of hubs above
 *     BACKWARD   left right inverse along across                    -> v, w, b = 0; left, right: x of the hubs
 *     GAIN       x                                                  -> v = v + x, of the hubs of the tile, as in implicit steps
 *     CHARGE     w cell entries junction gain                       -> v of the tissue; w of the junctions that it reads
 *     COUNT                                                         -> substep + 1
 *     POINTS     v                                                  -> before free activation, step + 1
 *     JUNCTIONS  v step                                             -> before free activation
 *     BEAT                                                          -> activation infinite, step 0
 *
 * FORWARD, PIECE, BACKWARD and JUNCTION are executed by one worker for each chain or junction, so that a tile computes several chains at
 * the same time; the others by all workers. The workers divide the shares of a SHARED junction, and then one of them adds these. UP and
 * DOWN solve level by level: a hub is one level above the highest of the earlier hubs of its group in its row. The workers share the hubs
 * of a level, and the supervisor starts them again for each level. x has the hubs of the group in their order, then room for what is
 * received, to which the indices of the rows and columns refer, too. */
#pragma once

#include "ipu/graph/graph.h"

typedef enum mt_network_part {
    MT_NETWORK_STATE,
    MT_NETWORK_JUNCTION,
    MT_NETWORK_SHARED,
    MT_NETWORK_FORWARD,
    MT_NETWORK_PIECE,
    MT_NETWORK_UP,
    MT_NETWORK_DOWN,
    MT_NETWORK_BACKWARD,
    MT_NETWORK_GAIN,
    MT_NETWORK_CHARGE,
    MT_NETWORK_COUNT,
    MT_NETWORK_POINTS,
    MT_NETWORK_JUNCTIONS,
    MT_NETWORK_BEAT,
    MT_NETWORK_PARTS
} mt_network_part;

/* Context of BACKWARD: hubs at the ends. At a free end the field is not read. */
typedef struct mt_network_ends {
    bool left, right;
} mt_network_ends;

/* Context of UP and DOWN: of each hub of the group its level from 0, the number of ends of chains, and of entries of its list. */
typedef struct mt_network_hubs {
    size_t n, n_levels;
    uint32_t *level, *ends, *entries; /* [n]; no ends downwards */
} mt_network_hubs;

/* Context of POINTS and JUNCTIONS. */
typedef struct mt_network_record {
    float dt_ms, threshold_mV;
} mt_network_record;

/* Returns a codelet, valid as long as the program. */
ipu_codelet mt_codelet_network(mt_network_part part);
