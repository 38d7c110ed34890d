/* Options of the partition of a mesh for the tiles of a machine. */
#pragma once

#include "ipu/machine/target.h"
#include "mesh/cut/balance.h"
#include "mesh/cut/halo.h"
#include "mesh/unknowns.h"

/* The variables outside of the chip of a machine with such memory (ipu_dram): none; the states of the ionic model, and the stored values of
 * multirate stepping; or all that vertices process in order: also the record, and with voltages at the centres the shares of spreading and
 * the rows of explicit diffusion steps. Voltages, stimuli and the conduction system are always on the tiles. */
typedef enum mt_streamed { MT_STREAMED_NONE, MT_STREAMED_STATES, MT_STREAMED_ALL } mt_streamed;

/* "none", "states", "all"; then NULL. */
extern const char *const mt_streamed_words[];

typedef struct mt_tiling {
    ipu_target one; /* one chip; its name includes the values that were set */
    uint32_t tiles; /* used tiles per chip; curve and bisection use at most these, of the grid of all tiles */
    mt_partition_method method; /* not auto */
    double imbalance;
    bool balance_halo;
    /* True if the reaction is spread (solver/diffusion/spreading.h), the default; not in the reference study */
    bool spread;
    mt_streamed streamed; /* variables outside of the chip */
    bool checked; /* True if executables are checked, with the schedules of the exchange word by word */
} mt_tiling;

/* Checks that the machine has memory for the streamed variables. MT_INPUT: it has none; the message names the key or option `name`. */
MT_NODISCARD mt_status mt_tiling_check_streamed(const char *name, const mt_tiling *tiling);

/* Checks that this number of chips can be linked and that their tiles can be counted. MT_INPUT: they cannot. */
MT_NODISCARD mt_status mt_tiling_check_ipus(const mt_tiling *tiling, unsigned long ipus);

/* Checks that the host has memory for the emulator's tables of this number of IPUs: at least MT_TILE_HOST_BYTES per
 * tile, used or not, for any mesh; the mesh needs more. MT_FILE: it has not (data/files/available_memory.h); the message has
 * the numbers. Warns with them from 1 GB on. */
MT_NODISCARD mt_status mt_tiling_check_memory(const mt_tiling *tiling, uint32_t ipus);

/* Memory of an idle tile on the host. Measured, with `partition` of 20,160 elements on 64 and on 1,024 GC200: 700
 * bytes more per tile; with `run`: 756. */
#define MT_TILE_HOST_BYTES 700

/* Computes in `arena` the elements that each row of the diffusion step reads, as mt_diffusion_pattern. */
MT_NODISCARD mt_status mt_tiling_pattern(mt_arena *arena, const mt_adjacency *adjacency, mt_pattern *pattern);

/* Selects the method, with the width of the machine's grid for auto. */
void mt_tiling_choose(mt_tiling *tiling, mt_partition_method method);

/* Returns the number of parts of a chip: its tiles, including unused ones, if part numbers are numbers of tiles of a grid, else `tiles`. */
uint32_t mt_tiling_parts(const mt_tiling *tiling);

/* Sets the positions of the unknowns in their graph, if the method needs them; new ones are in `arena`, those of vertices are borrowed.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_tiling_place(
    mt_arena *arena, const mt_tiling *tiling, const mt_unknowns *unknowns, mt_cut_graph *graph);

/* Partitions the graph of a mesh's elements, or any other, such as that of its vertices with weights, for a number of IPUs and, with
 * `balance_halo`, balances the elements that tiles need. `balance` has the result, zeros without balancing. Warns if METIS failed and the
 * partition is a fallback (parts->remark). The partition borrows the weights. */
MT_NODISCARD mt_status mt_tiling_partition(mt_arena *arena, const mt_tiling *tiling,
    const mt_cut_graph *graph, const mt_pattern *pattern, uint32_t ipus, mt_partition *parts,
    mt_balance *balance);

/* Balances the elements that the scheme sends, with `balance_halo` and if the scheme sends more than tiles need.
 * Call once, after mt_tiling_partition. Adds its moves to `balance`. */
MT_NODISCARD mt_status mt_tiling_balance_sent(const mt_tiling *tiling, const mt_scheme *scheme,
    const mt_cut_graph *graph, const mt_pattern *pattern, mt_partition *parts, mt_balance *balance);
