#include "solver/backends/gather.h"

#include <string.h>

#include "data/arena.h"

static uint32_t rank_of(const mt_rank_order *order, uint32_t element)
{
    uint32_t rank = 0;
    while (order->first[rank + 1] <= order->place[element]) rank++;
    return rank;
}

static mt_status gather(mt_arena *scratch, const mt_rank_order *order, size_t n, const uint32_t *element,
    size_t size, unsigned char *values)
{
    const mt_communicator *ranks = order->ranks;
    size_t *first, *next;
    unsigned char *packed; /* rank by rank, each in the order of the list */
    MT_ALLOC(scratch, first, ranks->n_ranks + (size_t)1);
    MT_ALLOC(scratch, next, ranks->n_ranks);
    MT_ALLOC(scratch, packed, n * size);
    for (size_t i = 0; i < n; i++) first[rank_of(order, element[i]) + 1]++;
    for (uint32_t r = 0; r < ranks->n_ranks; r++) first[r + 1] += next[r] = first[r];
    for (size_t i = 0; i < n; i++)
        memcpy(packed + size * next[rank_of(order, element[i])]++, values + size * i, size);
    ranks->gather(ranks, size, packed + size * first[ranks->rank], packed, first);
    memcpy(next, first, ranks->n_ranks * sizeof *next);
    for (size_t i = 0; i < n; i++)
        memcpy(values + size * i, packed + size * next[rank_of(order, element[i])]++, size);
    return MT_OK;
}

mt_status mt_gather(const mt_rank_order *order, size_t n, const uint32_t *element, size_t size, void *values)
{
    mt_arena scratch = {0};
    const mt_status status = gather(&scratch, order, n, element, size, values);
    mt_arena_free(&scratch);
    return status;
}
