#include "benchmarks/cluster/timed.h"

#include <time.h>

#include "benchmarks/cluster/costs.h"

static const mt_communicator *of;
static mt_communicator outer;
static double spent_s[TIMED_PLACES], since_s;

double timed_now_s(void)
{
    struct timespec now;
    costs_pay();
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Attributes the time since the last call to a place. */
static void note(timed_place place)
{
    const double now_s = timed_now_s();
    spent_s[place] += now_s - since_s;
    since_s = now_s;
}

static void broadcast(const mt_communicator *c, uint32_t from, void *data, size_t bytes)
{
    (void)c;
    note(TIMED_ELSEWHERE);
    of->broadcast(of, from, data, bytes);
    note(TIMED_BROADCAST);
}

static void send_bytes(const mt_communicator *c, uint32_t to, const void *data, size_t bytes)
{
    (void)c;
    note(TIMED_ELSEWHERE);
    of->send(of, to, data, bytes);
    note(TIMED_LETTERS);
}

static void receive_bytes(const mt_communicator *c, uint32_t from, void *data, size_t bytes)
{
    (void)c;
    note(TIMED_ELSEWHERE);
    of->receive(of, from, data, bytes);
    note(TIMED_LETTERS);
}

static void reduce(const mt_communicator *c, mt_reduction how, uint64_t *values, size_t n)
{
    (void)c;
    note(TIMED_ELSEWHERE);
    of->reduce(of, how, values, n);
    note(TIMED_REDUCE);
}

static void start(void *exchange)
{
    note(TIMED_ELSEWHERE);
    of->start(exchange);
    note(TIMED_EXCHANGE);
}

static void finish(void *exchange)
{
    note(TIMED_ELSEWHERE);
    of->finish(exchange);
    note(TIMED_EXCHANGE);
}

const mt_communicator *timed_around(const mt_communicator *inner)
{
    of = inner;
    outer = *inner;
    outer.broadcast = broadcast;
    outer.reduce = reduce;
    outer.send = send_bytes;
    outer.receive = receive_bytes;
    outer.start = start;
    outer.finish = finish;
    timed_begin();
    return &outer;
}

void timed_begin(void)
{
    for (int k = 0; k < TIMED_PLACES; k++) spent_s[k] = 0;
    since_s = timed_now_s();
}

void timed_tell(double seconds[TIMED_PLACES])
{
    note(TIMED_ELSEWHERE);
    for (int k = 0; k < TIMED_PLACES; k++) seconds[k] = spent_s[k];
}
