/* How a mesh is cut for the tiles of a machine. */
#pragma once

#include "ipu/machine/target.h"
#include "mesh/cut/balance.h"
#include "mesh/cut/halo.h"

typedef struct mt_tiling {
    ipu_target one; /* one chip; its name tells which of its values were set */
    uint32_t tiles; /* of each chip that are used */
    mt_partition_method method;
    double imbalance;
    bool balance_halo;
    bool
        spread; /* the reaction is spread (solver/diffusion/spreading.h), as is usual and was not in the study */
    bool checked; /* what is compiled is checked, the schedules of its exchange word by word */
} mt_tiling;

/* Checks that so many chips can be linked and that their tiles can be counted. MT_INPUT: they cannot. */
MT_NODISCARD mt_status mt_tiling_check_ipus(const mt_tiling *tiling, unsigned long ipus);

/* Checks that the host has room for the emulator's own tables of so many IPUs: at least MT_TILE_HOST_BYTES for each tile, whatever
 * the mesh and whether the tile is used or not; the mesh needs more. MT_FILE: it has not (data/files/room.h); the message has the
 * numbers. Warns with them from 1 GB on. */
MT_NODISCARD mt_status mt_tiling_check_room(const mt_tiling *tiling, uint32_t ipus);

/* What an idle tile takes; measured, `partition` of 20,160 elements on 64 and on 1,024 GC200: 700 bytes a tile more, `run`: 756. */
#define MT_TILE_HOST_BYTES 700

/* Gives the elements that each element's row of the diffusion step reads, as mt_diffusion_pattern has them, but kept. */
MT_NODISCARD mt_status mt_tiling_pattern(mt_arena *arena, const mt_adjacency *adjacency, mt_pattern *pattern);

/* Gives a partition for so many IPUs and, where balanced halos are asked for, balances what tiles need. `balance` says what
 * that did; all 0 where it is not asked for. Warns where METIS failed and the cut is another one than usual
 * (parts->remark). */
MT_NODISCARD mt_status mt_tiling_cut(mt_arena *arena, const mt_tiling *tiling, const mt_adjacency *adjacency,
    const mt_pattern *pattern, uint32_t ipus, mt_partition *parts, mt_balance *balance);

/* Balances what the scheme sends, where balanced halos are asked for and the scheme sends more than tiles need: once, after
 * mt_tiling_cut. Adds its moves to `balance`. */
MT_NODISCARD mt_status mt_tiling_balance_sent(const mt_tiling *tiling, const mt_scheme *scheme,
    const mt_adjacency *adjacency, const mt_pattern *pattern, mt_partition *parts, mt_balance *balance);
