/* Communication between processes that share one computation, such as MPI ranks.
 *
 * Rank 0 reads the input, writes the output and reports; the others hold their parts of meshes and machines. This is only the
 * interface, so that modules above need no MPI: app/cli/ranks.h implements it with MPI, and tests may implement it with threads.
 * A single process has NULL instead of a communicator and calls none of these functions.
 *
 * All functions except send, receive, arrived, start and finish are collective: every rank calls them, in the same order and with the same
 * sizes. They do not fail: if a rank is lost, all ranks end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* A range of a rank's memory: `bytes` bytes at `offset` from its beginning. */
typedef struct mt_piece {
    size_t offset, bytes;
} mt_piece;

/* The messages to and from one other rank in an exchange, in the order of both lists: the bytes that one rank sends are the bytes
 * that the other receives. The lists are built in two passes of the same calls; without memory for the lists, the calls only
 * count. */
typedef struct mt_neighbour {
    size_t n_send, n_receive;
    mt_piece *send, *receive; /* NULL: not yet allocated */
} mt_neighbour;

void mt_neighbour_send(mt_neighbour *to, size_t offset, size_t bytes);
void mt_neighbour_receive(mt_neighbour *from, size_t offset, size_t bytes);

/* Allocates the lists of all ranks in `arena` for the counted pieces, and empties them. MT_MEMORY. */
MT_NODISCARD mt_status mt_neighbours_allocate(mt_arena *arena, uint32_t n_ranks, mt_neighbour *neighbour);

typedef enum mt_reduction { MT_REDUCE_SUM, MT_REDUCE_MIN, MT_REDUCE_MAX } mt_reduction;

typedef struct mt_communicator mt_communicator;
struct mt_communicator {
    uint32_t rank, n_ranks;
    void *self;

    /* Copies the data of rank `from` to every rank. */
    void (*broadcast)(const mt_communicator *c, uint32_t from, void *data, size_t bytes);

    /* Computes the sums, minima or maxima of n numbers over all ranks; every rank receives them. */
    void (*reduce)(const mt_communicator *c, mt_reduction how, uint64_t *values, size_t n);

    /* Sends data to one other rank, and receives it from one, in the order of the calls. Both ranks specify the same number of
     * bytes. */
    void (*send)(const mt_communicator *c, uint32_t to, const void *data, size_t bytes);
    void (*receive)(const mt_communicator *c, uint32_t from, void *data, size_t bytes);

    /* True if a sent message of this rank has arrived, so that `receive` does not wait. NULL: not supported. */
    bool (*arrived)(const mt_communicator *c, uint32_t from);

    /* Creates a persistent exchange between places in this rank's `memory` and in that of other ranks. The lists of the other
     * ranks, in their neighbour [n_ranks], match. Keeps the memory and borrows the neighbours; several exchanges are created in
     * the same order on every rank. `exchange` ends with the communicator. MT_MEMORY. */
    mt_status (*connect)(
        const mt_communicator *c, void *memory, const mt_neighbour *neighbour, void **exchange);

    /* From start on, sent data must not change; received data is available when finish returns. */
    void (*start)(void *exchange);
    void (*finish)(void *exchange);

    /* With true, computes with the threads of all ranks of this computer, but at most the number of processors available to the
     * process; with false, with the process's own threads again. Not collective. NULL: threads are not shared. */
    void (*take_threads)(bool all);
};

/* Returns the first of n items, distributed evenly and in order, that belongs to a rank: rank r has [first(r), first(r + 1)). */
size_t mt_communicator_share(size_t n, uint32_t n_ranks, uint32_t rank);

/* Replaces n real numbers of each rank (no NaN) by their maxima over all ranks. NULL: leaves them unchanged. Collective. */
void mt_communicator_largest(const mt_communicator *c, double *values, size_t n);

/* Calls take_threads if there is one. NULL: a single process. */
void mt_communicator_take_threads(const mt_communicator *c, bool all);

/* Makes all ranks agree on one status: the status and message of the lowest rank that failed, or MT_OK. Collective. */
MT_NODISCARD mt_status mt_communicator_agree(const mt_communicator *c, mt_status status);
