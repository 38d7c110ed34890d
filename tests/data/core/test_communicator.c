/* Functions of ranks in addition to messages: agreement on failures, even shares, and lists of exchanged pieces. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/threads.h"

static thread_world world;

Test(communicator, shares_are_even_and_complete)
{
    for (size_t n = 0; n < 40; n++)
        for (uint32_t ranks = 1; ranks < 9; ranks++) {
            cr_expect_eq(mt_communicator_share(n, ranks, 0), 0);
            cr_expect_eq(mt_communicator_share(n, ranks, ranks), n);
            for (uint32_t r = 0; r < ranks; r++) {
                const size_t own =
                    mt_communicator_share(n, ranks, r + 1) - mt_communicator_share(n, ranks, r);
                cr_expect(own == n / ranks || own == n / ranks + 1, "rank %u of %u has %zu of %zu", r, ranks,
                    own, n);
            }
        }
}

/* ---- agreement ---- */

/* The ranks that fail, and the status and message of each after agreement. */
typedef struct minds {
    bool fails[THREADS_MOST];
    mt_status heard[THREADS_MOST];
    char message[THREADS_MOST][64];
} minds;

static void agree(void *user, const mt_communicator *c)
{
    minds *m = user;
    const mt_status own = m->fails[c->rank] ? mt_fail(MT_INPUT, "rank %u, 100 %%", c->rank) : MT_OK;
    m->heard[c->rank] = mt_communicator_agree(c, own);
    (void)snprintf(m->message[c->rank], sizeof m->message[0], "%s", mt_message());
}

Test(communicator, all_ranks_receive_the_status_of_the_lowest_failed_rank)
{
    minds m = {.fails = {false, false, true, true}};
    on_threads(&world, 4, agree, &m);
    for (int r = 0; r < 4; r++) {
        cr_expect_eq(m.heard[r], MT_INPUT);
        cr_expect_str_eq(m.message[r], "rank 2, 100 %");
    }
}

Test(communicator, all_ranks_continue_if_none_failed)
{
    minds m = {.heard = {MT_FILE, MT_FILE, MT_FILE}};
    on_threads(&world, 3, agree, &m);
    for (int r = 0; r < 3; r++) cr_expect_eq(m.heard[r], MT_OK);
}

/* ---- the largest ---- */

enum { REALS = 100 };

/* Returns a test value of rank r: negative, positive or infinite. */
static double real_at(uint32_t rank, int k)
{
    if (k == 7) return -INFINITY;
    if (k == 8 && rank == 1) return INFINITY;
    return (k % 2 ? -1.0 : 1.0) * (1.0 + k) * (1.0 + rank);
}

static void find_largest(void *user, const mt_communicator *c)
{
    double value[REALS];
    bool *right = user;
    for (int k = 0; k < REALS; k++) value[k] = real_at(c->rank, k);
    mt_communicator_largest(c, value, REALS);
    right[c->rank] = true;
    for (int k = 0; k < REALS; k++) {
        double most = real_at(0, k);
        for (uint32_t r = 1; r < c->n_ranks; r++) most = fmax(most, real_at(r, k));
        right[c->rank] &= value[k] == most;
    }
}

Test(communicator, the_maximum_of_real_numbers_can_have_any_sign)
{
    bool right[3] = {false};
    double alone = -3;
    on_threads(&world, 3, find_largest, right);
    for (int r = 0; r < 3; r++) cr_expect(right[r], "rank %d", r);
    mt_communicator_largest(NULL, &alone, 1);
    cr_expect(alone == -3);
}

/* ---- messages ---- */

enum { RANKS = 5 };

/* Each rank sends to each higher rank that rank's number, a number of times equal to it, after it has received from the lower
 * ranks. */
static void send_up(void *user, const mt_communicator *c)
{
    uint32_t(*got)[RANKS] = user;
    for (uint32_t from = 0; from < c->rank; from++)
        for (uint32_t k = 0, number = 99; k < c->rank; k++) {
            c->receive(c, from, &number, sizeof number);
            got[c->rank][from] += number == from;
        }
    for (uint32_t to = c->rank + 1; to < RANKS; to++)
        for (uint32_t k = 0; k < to; k++) c->send(c, to, &c->rank, sizeof c->rank);
}

Test(communicator, each_rank_receives_what_the_other_sends)
{
    uint32_t got[RANKS][RANKS] = {{0}};
    on_threads(&world, RANKS, send_up, got);
    for (uint32_t to = 0; to < RANKS; to++)
        for (uint32_t from = 0; from < to; from++) cr_expect_eq(got[to][from], to);
}

/* memory[r] of a rank is its data for rank r; memory[n + r] the data received from rank r. */
static void list(const mt_communicator *c, mt_neighbour *neighbour)
{
    for (uint32_t r = 0; r < c->n_ranks; r++) {
        if (r == c->rank) continue;
        mt_neighbour_send(&neighbour[r], r * sizeof(double), sizeof(double));
        mt_neighbour_receive(&neighbour[r], (c->n_ranks + r) * sizeof(double), sizeof(double));
    }
}

static void exchange(void *user, const mt_communicator *c)
{
    mt_arena arena = {0};
    mt_neighbour neighbour[RANKS] = {{0}};
    double memory[2 * RANKS] = {0};
    bool *right = user;
    void *messages;
    list(c, neighbour);
    right[c->rank] = mt_neighbours_allocate(&arena, c->n_ranks, neighbour) == MT_OK;
    list(c, neighbour);
    right[c->rank] &= c->connect(c, memory, neighbour, &messages) == MT_OK;
    for (int turn = 0; turn < 3; turn++) {
        for (uint32_t r = 0; r < c->n_ranks; r++) memory[r] = 100.0 * turn + 10.0 * c->rank + r;
        c->start(messages);
        c->finish(messages);
        for (uint32_t r = 0; r < c->n_ranks; r++)
            right[c->rank] &= r == c->rank || memory[c->n_ranks + r] == 100.0 * turn + 10.0 * r + c->rank;
    }
    mt_arena_free(&arena);
}

Test(communicator, a_listed_exchange_can_be_repeated)
{
    bool right[RANKS] = {false};
    on_threads(&world, RANKS, exchange, right);
    for (int r = 0; r < RANKS; r++) cr_expect(right[r], "rank %d", r);
}
