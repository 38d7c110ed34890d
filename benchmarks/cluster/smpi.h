/* Adapts app/cli/ranks.c to SMPI 3.32; included before all other headers. SMPI differs from the common MPI libraries in three
 * ways.
 *
 * Nonblocking collectives. SMPI sends a broadcast directly from one rank to all others, and a reduction from each to each: 1,024
 * ranks would exchange a million messages, where Open MPI's binomial trees have 2,046 (ompi/mca/coll/libnbc/nbc_ibcast.c and
 * nbc_iallreduce.c, for messages as short as ours). They are replaced by blocking collectives with configurable algorithms
 * (smpi/bcast and smpi/reduce); every caller waits for them immediately anyway.
 *
 * Tests. SMPI estimates the duration of a test, which would dominate the waiting time. Every caller tests until completion, so a
 * test waits.
 *
 * Persistent messages. SMPI packs the pieces of a message when the request is created, not when it is started, so every start
 * sends the same data. They are replaced by a new message for each start. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static inline int smpi_broadcast(
    void *data, int n, MPI_Datatype type, int from, MPI_Comm all, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_Bcast(data, n, type, from, all);
}

/* Reduces to rank 0 and broadcasts; `mine` may be MPI_IN_PLACE. */
static inline int smpi_reduce(const void *mine, void *values, int n, MPI_Datatype type, MPI_Op operation,
    MPI_Comm all, MPI_Request *request)
{
    int rank;
    *request = MPI_REQUEST_NULL;
    (void)MPI_Comm_rank(all, &rank);
    if (rank > 0 && mine == MPI_IN_PLACE) mine = values;
    (void)MPI_Reduce(mine, values, n, type, operation, 0, all);
    return MPI_Bcast(values, n, type, 0, all);
}

/* ---- persistent messages: a request is the address of an smpi_message plus one, so it is odd ---- */

typedef struct smpi_message {
    void *memory;
    MPI_Datatype type;
    int n, rank, tag;
    MPI_Comm all;
    bool sends;
    MPI_Request started;
} smpi_message;

static inline int smpi_keep(smpi_message message, MPI_Request *request)
{
    smpi_message *kept = malloc(sizeof *kept);
    if (!kept) abort();
    *kept = message;
    (void)MPI_Type_dup(message.type, &kept->type); /* the caller frees its type */
    *request = (MPI_Request)((uintptr_t)kept + 1);
    return MPI_SUCCESS;
}

static inline int smpi_send_init(
    const void *memory, int n, MPI_Datatype type, int to, int tag, MPI_Comm all, MPI_Request *request)
{
    return smpi_keep(
        (smpi_message){(void *)(uintptr_t)memory, type, n, to, tag, all, true, MPI_REQUEST_NULL}, request);
}

static inline int smpi_recv_init(
    void *memory, int n, MPI_Datatype type, int from, int tag, MPI_Comm all, MPI_Request *request)
{
    return smpi_keep((smpi_message){memory, type, n, from, tag, all, false, MPI_REQUEST_NULL}, request);
}

/* Returns NULL for a request of SMPI itself. */
static inline smpi_message *smpi_kept(MPI_Request request)
{
    const uintptr_t address = (uintptr_t)request;
    return address % 2 == 1 ? (smpi_message *)(address - 1) : NULL;
}

static inline int smpi_startall(int n, MPI_Request *request)
{
    for (int k = 0; k < n; k++) {
        smpi_message *m = smpi_kept(request[k]);
        if (m->sends)
            (void)MPI_Isend(m->memory, m->n, m->type, m->rank, m->tag, m->all, &m->started);
        else
            (void)MPI_Irecv(m->memory, m->n, m->type, m->rank, m->tag, m->all, &m->started);
    }
    return MPI_SUCCESS;
}

static inline int smpi_test(MPI_Request *request, int *done, MPI_Status *status)
{
    smpi_message *m = smpi_kept(*request);
    *done = 1;
    return MPI_Wait(m ? &m->started : request, status);
}

static inline int smpi_request_free(MPI_Request *request)
{
    smpi_message *m = smpi_kept(*request);
    (void)MPI_Type_free(&m->type);
    free(m);
    return MPI_SUCCESS;
}

#define MPI_Ibcast smpi_broadcast
#define MPI_Iallreduce smpi_reduce
#define MPI_Test smpi_test
#define MPI_Send_init smpi_send_init
#define MPI_Recv_init smpi_recv_init
#define MPI_Startall smpi_startall
#define MPI_Request_free smpi_request_free
