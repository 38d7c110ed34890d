#include "data/core/communicator.h"

#include <stdio.h>
#include <string.h>

size_t mt_communicator_share(size_t n, uint32_t n_ranks, uint32_t rank) { return n * rank / n_ranks; }

/* Maps a number to an integer of the same order, and back. */
static uint64_t ordered(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double real_of(uint64_t integer)
{
    const uint64_t bits = integer >> 63 ? integer & ~(UINT64_C(1) << 63) : ~integer;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

void mt_communicator_largest(const mt_communicator *c, double *values, size_t n)
{
    enum { SOME = 64 };
    uint64_t integer[SOME];
    for (size_t first = 0; c && first < n; first += SOME) {
        const size_t some = n - first < SOME ? n - first : SOME;
        for (size_t k = 0; k < some; k++) integer[k] = ordered(values[first + k]);
        c->reduce(c, MT_REDUCE_MAX, integer, some);
        for (size_t k = 0; k < some; k++) values[first + k] = real_of(integer[k]);
    }
}

void mt_communicator_take_threads(const mt_communicator *c, bool all)
{
    if (c && c->take_threads) c->take_threads(all);
}

static void put(mt_piece *list, size_t *n, size_t offset, size_t bytes)
{
    if (list) list[*n] = (mt_piece){offset, bytes};
    (*n)++;
}

void mt_neighbour_send(mt_neighbour *to, size_t offset, size_t bytes)
{
    put(to->send, &to->n_send, offset, bytes);
}

void mt_neighbour_receive(mt_neighbour *from, size_t offset, size_t bytes)
{
    put(from->receive, &from->n_receive, offset, bytes);
}

mt_status mt_neighbours_allocate(mt_arena *arena, uint32_t n_ranks, mt_neighbour *neighbour)
{
    for (uint32_t r = 0; r < n_ranks; r++) {
        MT_ALLOC(arena, neighbour[r].send, neighbour[r].n_send);
        MT_ALLOC(arena, neighbour[r].receive, neighbour[r].n_receive);
        neighbour[r].n_send = neighbour[r].n_receive = 0;
    }
    return MT_OK;
}

mt_status mt_communicator_agree(const mt_communicator *c, mt_status status)
{
    struct {
        mt_status status;
        char message[1024];
    } failure = {.status = status};
    uint64_t lowest = status == MT_OK ? c->n_ranks : c->rank;
    c->reduce(c, MT_REDUCE_MIN, &lowest, 1);
    if (lowest == c->n_ranks) return MT_OK;
    (void)snprintf(failure.message, sizeof failure.message, "%s", mt_message());
    c->broadcast(c, (uint32_t)lowest, &failure, sizeof failure);
    return mt_fail(failure.status, "%s", failure.message);
}
