/* A machine whose chips several processes have: what each computes, and what goes between them.
 *
 * Rank r of R has the chips [C r / R, C (r + 1) / R) of C, all tiles of each. All have the same executable; of its messages, those from a
 * tile of one rank to a tile of another go by the communicator, one exchange a superstep, from tiles' memory to tiles' memory.
 * Which they are, both sides find in the executable: the messages of a superstep, in its order. */
#ifndef IPU_RUN_RANKS_H
#define IPU_RUN_RANKS_H

#include "data/arena.h"
#include "data/communicator.h"
#include "ipu/compile/executable.h"

typedef struct ipu_ranks {
    const mt_communicator *with; /* NULL: the process is alone, and has all tiles */
    size_t first_tile, end_tile; /* it has the tiles [first_tile, end_tile) */
    void **exchange;             /* [n_compute_sets]; an element NULL: nothing goes between ranks */
    bool **waits; /* [n_compute_sets][tiles], of these: does the tile receive from another rank? */
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

#endif
