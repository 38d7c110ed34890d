/* A machine with chips distributed over several processes: the tiles of each, and the communication between them.
 *
 * Rank r of R has chips [C r / R, C (r + 1) / R) of C, with all their tiles. The communicator transfers messages between tiles
 * of different ranks directly between the tiles' memory, in one exchange per superstep.
 *
 * Each rank has its own executable, in which tiles without relevance for it may be empty. All executables must agree in the
 * machine, the compute sets and programs, and in the data between tiles in each superstep: byte by byte, in the order of the
 * receiving tile. */
#pragma once

#include "data/core/arena.h"
#include "data/core/communicator.h"
#include "ipu/compile/executable.h"

typedef struct ipu_ranks {
    const mt_communicator *with; /* NULL: one process with all tiles */
    size_t first_tile, end_tile; /* its tiles are [first_tile, end_tile) */
    void **exchange;             /* [n_compute_sets] NULL if nothing is sent between ranks */
    bool **waits;                /* [n_compute_sets][tiles] True if an own tile receives from another rank */
    bool *depends;               /* [n_compute_sets] True if cycles depend on data on any rank */
} ipu_ranks;

/* Builds the ranks of an executable with the memory of its tiles at `image`. `with`: NULL for a single process. Fails with
 * MT_INPUT if there are fewer chips than ranks, or MT_MEMORY. Collective. */
MT_NODISCARD mt_status ipu_ranks_make(mt_arena *arena, const mt_communicator *with,
    const ipu_executable *executable, unsigned char *image, ipu_ranks *ranks);

/* Returns the rank of a tile; 0 for a single process. */
uint32_t ipu_ranks_of(const ipu_ranks *ranks, const ipu_target *target, size_t tile);

/* Returns the first tile of a rank; for rank n_ranks the number of tiles. */
size_t ipu_ranks_first(const ipu_target *target, uint32_t n_ranks, uint32_t rank);

/* True if the tile belongs to this process. */
static inline bool ipu_ranks_has(const ipu_ranks *ranks, size_t tile)
{
    return tile - ranks->first_tile < ranks->end_tile - ranks->first_tile;
}
