/* A machine whose chips several processes have: what each computes, and what goes between them.
 *
 * Rank r of R has the chips [C r / R, C (r + 1) / R) of C, all tiles of each. Messages from a tile of one rank to a tile of another go by the
 * communicator, one exchange a superstep, from tiles' memory to tiles' memory.
 *
 * Each rank has an executable of its own, in which tiles that it has nothing to do with may be empty. What those of all must agree in: the
 * machine, the compute sets and programs, and what goes from tile to tile in each superstep, byte by byte in the order of what a tile receives. */
#pragma once

#include "data/core/arena.h"
#include "data/core/communicator.h"
#include "ipu/compile/executable.h"

typedef struct ipu_ranks {
    const mt_communicator *with; /* NULL: the process is alone, and has all tiles */
    size_t first_tile, end_tile; /* it has the tiles [first_tile, end_tile) */
    void **exchange;             /* [n_compute_sets]; an element NULL: nothing goes between ranks */
    bool **waits;  /* [n_compute_sets][tiles], of these: does the tile receive from another rank? */
    bool *depends; /* [n_compute_sets] do cycles depend on data, on any rank? */
} ipu_ranks;

/* Gives those of an executable whose tiles have their memory at `image`; with NULL for the communicator, of a process that is alone.
 * MT_INPUT: fewer chips than ranks. MT_MEMORY. Collective. */
MT_NODISCARD mt_status ipu_ranks_make(mt_arena *arena, const mt_communicator *with,
    const ipu_executable *executable, unsigned char *image, ipu_ranks *ranks);

/* The rank of a tile; 0 where the process is alone. */
uint32_t ipu_ranks_of(const ipu_ranks *ranks, const ipu_target *target, size_t tile);

/* The first tile of a rank; of the number of ranks: the number of tiles. */
size_t ipu_ranks_first(const ipu_target *target, uint32_t n_ranks, uint32_t rank);

/* Is the tile its own? */
static inline bool ipu_ranks_has(const ipu_ranks *ranks, size_t tile)
{
    return tile - ranks->first_tile < ranks->end_tile - ranks->first_tile;
}
