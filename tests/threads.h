/* Ranks implemented by threads of the test instead of processes: a communicator that reads the memory of the others.
 *
 * It is strict: between start and finish the receive buffers contain poison (all bits 1), and sent data must not change. */
#pragma once

#include <criterion/criterion.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/arena.h"
#include "data/core/communicator.h"

enum { THREADS_MOST = 8, EXCHANGES_MOST = 64 };

typedef struct thread_exchange {
    struct thread_world *world;
    uint32_t rank;
    unsigned char *memory;
    mt_neighbour of[THREADS_MOST];
    unsigned char *sent[THREADS_MOST]; /* copy at start */
} thread_exchange;

/* A message in transit; data NULL: no message. */
typedef struct thread_letter {
    const void *data;
    size_t bytes;
} thread_letter;

/* State shared by the threads. */
typedef struct thread_world {
    uint32_t n;
    pthread_barrier_t all;
    pthread_mutex_t lock; /* for the letters */
    pthread_cond_t change;
    thread_letter letter[THREADS_MOST][THREADS_MOST]; /* by sender and receiver */
    void *place[THREADS_MOST];
    thread_exchange *exchange[EXCHANGES_MOST][THREADS_MOST];
    size_t n_exchanges[THREADS_MOST];
    uint64_t crossed[THREADS_MOST]; /* bytes received by each */
    mt_arena arena[THREADS_MOST];
    mt_communicator rank[THREADS_MOST];
    void (*run)(void *user, const mt_communicator *c);
    void *user;
} thread_world;

static inline void thread_broadcast(const mt_communicator *c, uint32_t from, void *data, size_t bytes)
{
    thread_world *w = c->self;
    w->place[c->rank] = data;
    (void)pthread_barrier_wait(&w->all);
    if (c->rank != from) memcpy(data, w->place[from], bytes);
    (void)pthread_barrier_wait(&w->all);
}

static inline void thread_reduce(const mt_communicator *c, mt_reduction how, uint64_t *values, size_t n)
{
    thread_world *w = c->self;
    uint64_t *out = calloc(n, sizeof *out);
    w->place[c->rank] = values;
    (void)pthread_barrier_wait(&w->all);
    for (size_t k = 0; k < n; k++)
        for (uint32_t r = 0; r < w->n; r++) {
            const uint64_t x = ((const uint64_t *)w->place[r])[k];
            if (r == 0)
                out[k] = x;
            else if (how == MT_REDUCE_SUM)
                out[k] += x;
            else if ((how == MT_REDUCE_MAX) == (x > out[k]))
                out[k] = x;
        }
    (void)pthread_barrier_wait(&w->all);
    memcpy(values, out, n * sizeof *out);
    free(out);
}

/* The sender waits until the receiver has copied its bytes. */
static inline void thread_send(const mt_communicator *c, uint32_t to, const void *data, size_t bytes)
{
    thread_world *w = c->self;
    thread_letter *letter = &w->letter[c->rank][to];
    if (bytes == 0) return;
    (void)pthread_mutex_lock(&w->lock);
    *letter = (thread_letter){data, bytes};
    (void)pthread_cond_broadcast(&w->change);
    while (letter->data) (void)pthread_cond_wait(&w->change, &w->lock);
    (void)pthread_mutex_unlock(&w->lock);
}

static inline void thread_receive(const mt_communicator *c, uint32_t from, void *data, size_t bytes)
{
    thread_world *w = c->self;
    thread_letter *letter = &w->letter[from][c->rank];
    if (bytes == 0) return;
    (void)pthread_mutex_lock(&w->lock);
    while (!letter->data) (void)pthread_cond_wait(&w->change, &w->lock);
    if (letter->bytes != bytes) abort(); /* sender and receiver disagree on the size */
    memcpy(data, letter->data, bytes);
    letter->data = NULL;
    (void)pthread_cond_broadcast(&w->change);
    (void)pthread_mutex_unlock(&w->lock);
}

static inline size_t bytes_of(size_t n, const mt_piece *piece)
{
    size_t bytes = 0;
    for (size_t k = 0; k < n; k++) bytes += piece[k].bytes;
    return bytes;
}

static inline mt_piece *copy_of(mt_arena *arena, size_t n, const mt_piece *piece)
{
    mt_piece *copy = mt_arena_alloc(arena, n, sizeof *copy);
    if (n > 0) memcpy(copy, piece, n * sizeof *copy);
    return copy;
}

static inline mt_status thread_connect(
    const mt_communicator *c, void *memory, const mt_neighbour *neighbour, void **exchange)
{
    thread_world *w = c->self;
    mt_arena *arena = &w->arena[c->rank];
    thread_exchange *e = mt_arena_alloc(arena, 1, sizeof *e);
    *e = (thread_exchange){.world = w, .rank = c->rank, .memory = memory};
    for (uint32_t r = 0; r < c->n_ranks; r++) {
        mt_neighbour *of = &e->of[r];
        *of = neighbour[r];
        of->send = copy_of(arena, of->n_send, of->send);
        of->receive = copy_of(arena, of->n_receive, of->receive);
        e->sent[r] = mt_arena_alloc(arena, bytes_of(of->n_send, of->send), 1);
    }
    cr_assert_lt(w->n_exchanges[c->rank], EXCHANGES_MOST);
    w->exchange[w->n_exchanges[c->rank]++][c->rank] = e;
    *exchange = e;
    return MT_OK;
}

static inline void thread_start(void *exchange)
{
    thread_exchange *e = exchange;
    for (uint32_t r = 0; r < e->world->n; r++) {
        unsigned char *sent = e->sent[r];
        for (size_t k = 0; k < e->of[r].n_receive; k++)
            memset(e->memory + e->of[r].receive[k].offset, 0xff, e->of[r].receive[k].bytes);
        for (size_t k = 0; k < e->of[r].n_send; sent += e->of[r].send[k++].bytes)
            memcpy(sent, e->memory + e->of[r].send[k].offset, e->of[r].send[k].bytes);
    }
}

/* Returns the corresponding exchange of another rank. */
static inline const thread_exchange *of_rank(const thread_exchange *e, uint32_t rank)
{
    size_t k = 0;
    while (e->world->exchange[k][e->rank] != e) k++;
    return e->world->exchange[k][rank];
}

static inline void thread_finish(void *exchange)
{
    thread_exchange *e = exchange;
    for (uint32_t r = 0; r < e->world->n; r++) {
        const unsigned char *sent = e->sent[r];
        for (size_t k = 0; k < e->of[r].n_send; sent += e->of[r].send[k++].bytes)
            if (memcmp(sent, e->memory + e->of[r].send[k].offset, e->of[r].send[k].bytes) != 0)
                abort(); /* sent data has changed */
    }
    (void)pthread_barrier_wait(&e->world->all);
    for (uint32_t r = 0; r < e->world->n; r++) {
        if (e->of[r].n_receive == 0) continue;
        const thread_exchange *from = of_rank(e, r);
        const unsigned char *sent = from->sent[e->rank];
        if (bytes_of(from->of[e->rank].n_send, from->of[e->rank].send) !=
            bytes_of(e->of[r].n_receive, e->of[r].receive))
            abort(); /* sender and receiver disagree on the size */
        for (size_t k = 0; k < e->of[r].n_receive; sent += e->of[r].receive[k++].bytes)
            memcpy(e->memory + e->of[r].receive[k].offset, sent, e->of[r].receive[k].bytes);
        e->world->crossed[e->rank] += bytes_of(e->of[r].n_receive, e->of[r].receive);
    }
    (void)pthread_barrier_wait(&e->world->all);
}

static inline void *thread_main(void *rank)
{
    const mt_communicator *c = rank;
    const thread_world *w = c->self;
    w->run(w->user, c);
    return NULL;
}

/* Runs a function on n ranks. */
static inline void on_threads(
    thread_world *w, uint32_t n, void (*run)(void *user, const mt_communicator *c), void *user)
{
    pthread_t thread[THREADS_MOST];
    *w = (thread_world){.n = n, .run = run, .user = user};
    cr_assert_leq(n, (uint32_t)THREADS_MOST);
    (void)pthread_barrier_init(&w->all, NULL, n);
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_cond_init(&w->change, NULL);
    for (uint32_t r = 0; r < n; r++) {
        w->rank[r] = (mt_communicator){.rank = r,
            .n_ranks = n,
            .self = w,
            .broadcast = thread_broadcast,
            .reduce = thread_reduce,
            .send = thread_send,
            .receive = thread_receive,
            .connect = thread_connect,
            .start = thread_start,
            .finish = thread_finish};
        cr_assert_eq(pthread_create(&thread[r], NULL, thread_main, &w->rank[r]), 0);
    }
    for (uint32_t r = 0; r < n; r++) (void)pthread_join(thread[r], NULL);
    for (uint32_t r = 0; r < n; r++) mt_arena_free(&w->arena[r]);
    (void)pthread_barrier_destroy(&w->all);
    (void)pthread_mutex_destroy(&w->lock);
    (void)pthread_cond_destroy(&w->change);
}
