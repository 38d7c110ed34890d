/* Brings to rank 0 the values of elements that several ranks have. */
#ifndef MT_SOLVER_BACKENDS_GATHER_H
#define MT_SOLVER_BACKENDS_GATHER_H

#include <stdint.h>

#include "data/communicator.h"

/* Who has which element, in an order in which those of each rank follow one another; borrows all. */
typedef struct mt_rank_order {
    const mt_communicator *ranks;
    const size_t *first;   /* [n_ranks + 1] where each rank's begin */
    const uint32_t *place; /* [n] of each element of the mesh */
} mt_rank_order;

/* Makes values [n], of `size` bytes each, on rank 0 those of the ranks that have these elements; each rank has filled in its own. An
 * element may be named twice. Time O(n n_ranks). MT_MEMORY. Collective. */
MT_NODISCARD mt_status mt_gather(
    const mt_rank_order *order, size_t n, const uint32_t *element, size_t size, void *values);

#endif
