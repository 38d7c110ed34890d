/* Processes that compute one thing together, as MPI's ranks, and how they reach one another.
 *
 * Rank 0 talks to the person and to the disk; the others have what they own of meshes and machines. This is the interface alone, so that
 * what stands upon it needs no MPI: app/cli/ranks.h fills it in by MPI, and a test may by threads. A process that is alone has
 * NULL in place of a communicator, and calls none of this.
 *
 * All functions but send, receive, start and finish are collective: every rank calls them, in the same order and with the same sizes. They do
 * not fail: where a rank is lost, all end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* `bytes` of a rank's memory, `offset` behind where that begins. */
typedef struct mt_piece {
    size_t offset, bytes;
} mt_piece;

/* What goes to and from another rank at a time, in the order of both lists: the bytes that one sends are those that the other receives.
 * Lists are made in two rounds of the same calls: without room they only count. */
typedef struct mt_neighbour {
    size_t n_send, n_receive;
    mt_piece *send, *receive; /* NULL: no room yet */
} mt_neighbour;

void mt_neighbour_send(mt_neighbour *to, size_t offset, size_t bytes);
void mt_neighbour_receive(mt_neighbour *from, size_t offset, size_t bytes);

/* Gives the lists of all ranks room in `arena` for what was counted, and empties them. MT_MEMORY. */
MT_NODISCARD mt_status mt_neighbours_room(mt_arena *arena, uint32_t n_ranks, mt_neighbour *neighbour);

typedef enum mt_reduction { MT_REDUCE_SUM, MT_REDUCE_MIN, MT_REDUCE_MAX } mt_reduction;

typedef struct mt_communicator mt_communicator;
struct mt_communicator {
    uint32_t rank, n_ranks;
    void *self;

    /* Gives every rank what rank `from` has. */
    void (*broadcast)(const mt_communicator *c, uint32_t from, void *data, size_t bytes);

    /* Sums, least or largest of n numbers of each rank, on all of them. */
    void (*reduce)(const mt_communicator *c, mt_reduction how, uint64_t *values, size_t n);

    /* Gives one other rank what it receives in as many bytes, one call after the other. */
    void (*send)(const mt_communicator *c, uint32_t to, const void *data, size_t bytes);
    void (*receive)(const mt_communicator *c, uint32_t from, void *data, size_t bytes);

    /* Gives in `exchange` messages that go again and again between places of this memory, and those of other ranks', which say the same of
     * them in neighbour [n_ranks]; keeps the memory, borrows the neighbours. Several exchanges are made in the same order on every rank. It
     * ends with the communicator. MT_MEMORY. */
    mt_status (*connect)(
        const mt_communicator *c, void *memory, const mt_neighbour *neighbour, void **exchange);

    /* From start on, what is sent must not change, and what is received is not there before finish returns. */
    void (*start)(void *exchange);
    void (*finish)(void *exchange);

    /* Computes with as many threads as all ranks of this computer have, but no more than the processors that the process may use; with false,
     * with its own again. Not collective. NULL: threads are not shared. */
    void (*take_threads)(bool all);
};

/* The first of n things, shared out evenly in their order, that is a rank's: rank r has [first(r), first(r + 1)). */
size_t mt_communicator_share(size_t n, uint32_t n_ranks, uint32_t rank);

/* Makes n real numbers of each rank, none of them NaN, the largest that some rank has; NULL: they are. Collective. */
void mt_communicator_largest(const mt_communicator *c, double *values, size_t n);

/* take_threads, if there is one. NULL: a process that is alone. */
void mt_communicator_take_threads(const mt_communicator *c, bool all);

/* Makes ranks of one mind on how something went: all return the status of the lowest rank where it is not MT_OK, with its message. */
MT_NODISCARD mt_status mt_communicator_agree(const mt_communicator *c, mt_status status);
