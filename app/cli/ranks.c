#include "app/cli/ranks.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data/core/arena.h"

#ifdef MT_MPI
#    include <mpi.h>
#    include <omp.h>
#endif

mt_status mt_ranks_agree(mt_status status)
{
    return mt_ranks() ? mt_communicator_agree(mt_ranks(), status) : status;
}

/* Environment variables of launchers: the number of processes, or the number of this process. */
static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
static const char *const numbers[] = {"PMIX_RANK", "PMI_RANK", NULL};

static long launched_size(void)
{
    for (const char *const *name = sizes; *name; name++)
        if (getenv(*name)) return strtol(getenv(*name), NULL, 10);
    return 1;
}

static bool launched(void)
{
    for (const char *const *name = numbers; *name; name++)
        if (getenv(*name)) return true;
    return launched_size() > 1;
}

#ifndef MT_MPI

mt_status mt_ranks_begin(void)
{
    if (!launched() || launched_size() == 1) return MT_OK;
    return mt_fail(MT_INPUT,
        "started as one of %ld ranks, but built without MPI; allowed: one rank, or a build with cmake -D "
        "MT_MPI=ON",
        launched_size());
}

const mt_communicator *mt_ranks(void) { return NULL; }
bool mt_ranks_prints(void) { return true; }

bool mt_ranks_end(mt_status status) { return status != MT_OK; }
void mt_ranks_exit(int code) { (void)code; }

mt_status mt_ranks_join(const void *comm, mt_communicator *c)
{
    (void)comm, (void)c;
    return mt_fail(
        MT_INPUT, "communicator: built without MPI; allowed: none, or a build with cmake -D MT_MPI=ON");
}

void mt_ranks_leave(mt_communicator *c) { (void)c; }

#else

/* The data of a communicator. */
typedef struct ranks {
    MPI_Comm comm;
    int own_threads, of_the_node; /* of this process; total of all ranks on this node */
    struct posts *made;           /* by all calls of connect; freed at the end */
    int n_made;
} ranks;

/* Of the program. */
static mt_communicator world;
static ranks of_world;
/* same ranks, used only at the end: others may still be in a reduction */
static MPI_Comm ending;
static bool together, lost; /* lost: some ranks did not reach the end */

static MPI_Comm comm_of(const mt_communicator *c) { return ((const ranks *)c->self)->comm; }

const mt_communicator *mt_ranks(void) { return together ? &world : NULL; }
bool mt_ranks_prints(void) { return !together || world.rank == 0; }

/* ---- threads ---- */

static void count_threads(ranks *r)
{
    MPI_Comm node;
    r->own_threads = omp_get_max_threads();
    (void)MPI_Comm_split_type(r->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    (void)MPI_Allreduce(&r->own_threads, &r->of_the_node, 1, MPI_INT, MPI_SUM, node);
    (void)MPI_Comm_free(&node);
    if (r->of_the_node > omp_get_num_procs()) r->of_the_node = omp_get_num_procs();
    if (r->of_the_node < r->own_threads) r->of_the_node = r->own_threads;
}

static void take_threads(bool all) { omp_set_num_threads(all ? of_world.of_the_node : of_world.own_threads); }

/* ---- the functions of the communicator ---- */

static void sleep_for(long nanoseconds)
{
    const struct timespec time = {.tv_nsec = nanoseconds};
    (void)nanosleep(&time, NULL);
}

/* Waits for a request without blocking a processor: there may be more ranks than processors, or rank 0 may work for all. Not every
 * MPI yields. Long waits sleep for increasing times, up to 10 ms. */
static void wait_for(MPI_Request *request)
{
    enum { BUSY = 100, TESTS = 20000, SHORT_NS = 100000, LONG_NS = 10000000 };
    int done = 0;
    for (long tests = 0; !done; tests++) {
        const long longer = (tests - TESTS) * (SHORT_NS / 16);
        (void)MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && tests > TESTS)
            sleep_for(SHORT_NS + longer < LONG_NS ? SHORT_NS + longer : LONG_NS);
        else if (!done && tests > BUSY)
            (void)sched_yield();
    }
}

/* Limits the bytes of one message: MPI counts with a 32-bit int. */
static size_t at_most(size_t bytes)
{
    enum { MOST = 1 << 30 };
    return bytes < MOST ? bytes : MOST;
}

static void broadcast(const mt_communicator *c, uint32_t from, void *data, size_t bytes)
{
    for (unsigned char *at = data; bytes > 0;) {
        const size_t n = at_most(bytes);
        MPI_Request request;
        (void)MPI_Ibcast(at, (int)n, MPI_BYTE, (int)from, comm_of(c), &request);
        wait_for(&request);
        at += n;
        bytes -= n;
    }
}

/* Reduces values. Minimum and maximum use signed integers, shifted to keep their order, because MPICH 4.0 compares unsigned ones as
 * signed. */
static void reduce(const mt_communicator *c, mt_reduction how, uint64_t *values, size_t n)
{
    const MPI_Op operation = how == MT_REDUCE_SUM ? MPI_SUM : how == MT_REDUCE_MIN ? MPI_MIN : MPI_MAX;
    const uint64_t shift = how == MT_REDUCE_SUM ? 0 : UINT64_C(1) << 63;
    MPI_Request request;
    for (size_t k = 0; k < n; k++) values[k] ^= shift;
    (void)MPI_Iallreduce(MPI_IN_PLACE, values, (int)n, MPI_INT64_T, operation, comm_of(c), &request);
    wait_for(&request);
    for (size_t k = 0; k < n; k++) values[k] ^= shift;
}

static void send_bytes(const mt_communicator *c, uint32_t to, const void *data, size_t bytes)
{
    for (const unsigned char *at = data; bytes > 0;) {
        const size_t n = at_most(bytes);
        (void)MPI_Send(at, (int)n, MPI_BYTE, (int)to, 0, comm_of(c));
        at += n;
        bytes -= n;
    }
}

static void receive_bytes(const mt_communicator *c, uint32_t from, void *data, size_t bytes)
{
    for (unsigned char *at = data; bytes > 0;) {
        const size_t n = at_most(bytes);
        MPI_Request request;
        (void)MPI_Irecv(at, (int)n, MPI_BYTE, (int)from, 0, comm_of(c), &request);
        wait_for(&request);
        at += n;
        bytes -= n;
    }
}

static bool arrived(const mt_communicator *c, uint32_t from)
{
    int has = 0;
    (void)MPI_Iprobe((int)from, 0, comm_of(c), &has, MPI_STATUS_IGNORE);
    return has != 0;
}

/* ---- persistent messages ---- */

typedef struct posts {
    int n;
    MPI_Request *request; /* [n] */
    struct posts *next;
} posts;

/* Builds one datatype for the pieces of a memory. MPI counts list entries with int. */
static mt_status type_of(mt_arena *scratch, size_t n, const mt_piece *piece, MPI_Datatype *type)
{
    int *bytes;
    MPI_Aint *offset;
    MT_ALLOC(scratch, bytes, n);
    MT_ALLOC(scratch, offset, n);
    for (size_t k = 0; k < n; k++) {
        bytes[k] = (int)piece[k].bytes;
        offset[k] = (MPI_Aint)piece[k].offset;
    }
    (void)MPI_Type_create_hindexed((int)n, bytes, offset, MPI_BYTE, type);
    (void)MPI_Type_commit(type);
    return MT_OK;
}

/* Adds a message to or from a rank. Each exchange has its own tag; both sides create them in the same order. */
static mt_status add_message(mt_arena *scratch, const mt_communicator *c, void *memory, uint32_t rank,
    size_t n, const mt_piece *piece, bool sends, posts *m)
{
    const int tag = ((const ranks *)c->self)->n_made;
    MPI_Datatype type;
    if (n == 0) return MT_OK;
    MT_TRY(type_of(scratch, n, piece, &type));
    if (sends)
        (void)MPI_Send_init(memory, 1, type, (int)rank, tag, comm_of(c), &m->request[m->n++]);
    else
        (void)MPI_Recv_init(memory, 1, type, (int)rank, tag, comm_of(c), &m->request[m->n++]);
    (void)MPI_Type_free(&type); /* the message keeps a reference */
    return MT_OK;
}

static mt_status connect_with(
    mt_arena *scratch, const mt_communicator *c, void *memory, const mt_neighbour *neighbour, posts *m)
{
    for (uint32_t r = 0; r < c->n_ranks; r++)
        MT_TRY(add_message(scratch, c, memory, r, neighbour[r].n_receive, neighbour[r].receive, false, m));
    for (uint32_t r = 0; r < c->n_ranks; r++)
        MT_TRY(add_message(scratch, c, memory, r, neighbour[r].n_send, neighbour[r].send, true, m));
    return MT_OK;
}

static size_t messages(uint32_t n_ranks, const mt_neighbour *neighbour)
{
    size_t n = 0;
    for (uint32_t r = 0; r < n_ranks; r++)
        n += (size_t)(neighbour[r].n_send > 0) + (size_t)(neighbour[r].n_receive > 0);
    return n;
}

static mt_status connect(
    const mt_communicator *c, void *memory, const mt_neighbour *neighbour, void **exchange)
{
    MT_SCRATCH(scratch);
    posts *m = calloc(1, sizeof *m);
    if (m) m->request = calloc(messages(c->n_ranks, neighbour) + 1, sizeof *m->request);
    if (!m || !m->request) {
        free(m);
        return mt_fail(MT_MEMORY, "no memory for messages to other ranks");
    }
    ranks *r = c->self;
    r->n_made++;
    m->next = r->made;
    r->made = m;
    *exchange = m;
    return connect_with(scratch, c, memory, neighbour, m);
}

static void start(void *exchange)
{
    const posts *m = exchange;
    (void)MPI_Startall(m->n, m->request);
}

static void finish(void *exchange)
{
    const posts *m = exchange;
    for (int k = 0; k < m->n; k++) wait_for(&m->request[k]);
}

static void free_messages(ranks *r)
{
    while (r->made) {
        posts *m = r->made;
        r->made = m->next;
        for (int k = 0; k < m->n; k++) (void)MPI_Request_free(&m->request[k]);
        free(m->request);
        free(m);
    }
}

static mt_communicator functions_of(ranks *r)
{
    int rank, n;
    (void)MPI_Comm_rank(r->comm, &rank);
    (void)MPI_Comm_size(r->comm, &n);
    return (mt_communicator){.rank = (uint32_t)rank,
        .n_ranks = (uint32_t)n,
        .self = r,
        .broadcast = broadcast,
        .reduce = reduce,
        .send = send_bytes,
        .receive = receive_bytes,
        .arrived = arrived,
        .connect = connect,
        .start = start,
        .finish = finish};
}

/* ---- beginning and end ---- */

mt_status mt_ranks_begin(void)
{
    int provided;
    if (!launched()) return MT_OK;
    (void)MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    (void)MPI_Comm_dup(MPI_COMM_WORLD, &ending);
    of_world.comm = MPI_COMM_WORLD;
    world = functions_of(&of_world);
    world.take_threads = take_threads;
    if (world.n_ranks == 1 && launched_size() > 1)
        return mt_fail(MT_INPUT,
            "started as one of %ld ranks by the launcher of another MPI; allowed: the launcher of the MPI in "
            "this build",
            launched_size());
    together = world.n_ranks > 1;
    count_threads(&of_world);
    return MT_OK;
}

mt_status mt_ranks_join(const void *comm, mt_communicator *c)
{
    int begun = 0;
    ranks *r = calloc(1, sizeof *r);
    if (!r) return mt_fail(MT_MEMORY, "communicator: out of memory");
    (void)MPI_Initialized(&begun);
    if (!begun) {
        free(r);
        return mt_fail(MT_INPUT, "communicator: MPI is not initialised; allowed: after MPI_Init_thread");
    }
    (void)MPI_Comm_dup(*(const MPI_Comm *)comm, &r->comm);
    *c = functions_of(r);
    return MT_OK;
}

void mt_ranks_leave(mt_communicator *c)
{
    ranks *r = c->self;
    if (!r) return;
    free_messages(r);
    (void)MPI_Comm_free(&r->comm);
    free(r);
    *c = (mt_communicator){0};
}

/* True if all ranks have reached the end. Returns the lowest rank that failed, n_ranks if none did. Waits without limit if this
 * rank succeeded. */
static bool all_come(mt_status status, uint64_t *lowest)
{
    enum { LOOKS = 200 }; /* times 10 ms */
    const uint64_t own = status == MT_OK ? world.n_ranks : world.rank;
    MPI_Request request;
    int done = 0;
    (void)MPI_Iallreduce(&own, lowest, 1, MPI_UINT64_T, MPI_MIN, ending, &request);
    for (int looks = 0; !done && (status == MT_OK || looks < LOOKS); looks++) {
        (void)MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done) sleep_for(10000000);
    }
    return done;
}

bool mt_ranks_end(mt_status status)
{
    uint64_t lowest = 0;
    int begun = 0;
    (void)MPI_Initialized(&begun);
    if (!begun) return status != MT_OK;
    if (world.rank > 0 && status != MT_OK)
        (void)mt_fail(status, "rank %u of %u: %s", world.rank, world.n_ranks, mt_message());
    lost = !all_come(status, &lowest);
    return lost || (status != MT_OK && lowest == world.rank);
}

void mt_ranks_exit(int code)
{
    int begun = 0;
    (void)MPI_Initialized(&begun);
    if (!begun) return;
    /* sent by launchers after another rank left with a failure; everything has been printed */
    (void)signal(SIGTERM, SIG_IGN);
    if (lost) {
        sleep_for(500000000); /* otherwise MPICH's launcher ends without reading all output */
        (void)MPI_Abort(MPI_COMM_WORLD, code);
    }
    (void)MPI_Barrier(ending);
    (void)MPI_Comm_free(&ending);
    free_messages(&of_world);
    (void)MPI_Finalize();
}

#endif
