#include "mesh/cut/metis.h"

#include <errno.h>
#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(sizeof(idx_t) == sizeof(uint32_t), "part[] is passed to METIS unchanged");

enum { HEARD = 1024, SAID = 240, MOST_WEIGHT = 1 << 30 };

/* Shared memory of child and parent. */
struct answer {
    int code;  /* return value of METIS */
    bool done; /* true if METIS has returned */
    idx_t cut, part[];
};

/* One call of METIS. */
struct question {
    const mt_cut_graph *graph;
    uint32_t n_parts, seed;
    double imbalance;
    struct answer *answer;
    size_t bytes; /* size of the answer */
};

/* The status and output of a child, as seen by the parent. */
struct seen {
    int ended; /* wait status of waitpid; -1 if it failed */
    size_t n;
    char heard[HEARD + 1]; /* the last n characters of its output */
};

/* ---- the child ---- */

/* Redirects stdout and stderr to the parent: METIS prints a message if it cannot split a graph further, and the cause of a failure.
 * Discards the parent's unflushed output. */
static void speak_into(int pipe_end)
{
    __fpurge(stdout);
    (void)dup2(pipe_end, STDOUT_FILENO);
    (void)dup2(pipe_end, STDERR_FILENO);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
}

static void leave_at_exit(void) { _exit(EXIT_FAILURE); }

/* Resets signal handlers, process group and exit handlers. Signals have been blocked since before the fork, so that no handler of the
 * parent has run here. */
static void forget_the_parent(pid_t parent)
{
    sigset_t none;
    (void)setpgid(0, 0);
    for (int number = 1; number < NSIG; number++) (void)signal(number, SIG_DFL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_FAILURE);
    (void)sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
    if (atexit(leave_at_exit) != 0) _exit(EXIT_FAILURE);
}

static void fill_graph(const mt_cut_graph *graph, idx_t *start, idx_t *neighbour)
{
    idx_t n = 0;
    for (size_t c = 0; c < graph->n_nodes; c++) {
        size_t n_near;
        const uint32_t *near = mt_cut_graph_near(graph, c, &n_near);
        start[c] = n;
        for (size_t f = 0; f < n_near; f++)
            if (near[f] != MT_NO_ELEMENT) neighbour[n++] = (idx_t)near[f];
    }
    start[graph->n_nodes] = n;
}

/* Converts weights to METIS' 32-bit numbers, whose sum must not overflow. */
static void fill_weights(const mt_cut_graph *graph, idx_t *weight)
{
    const uint64_t divisor = mt_cut_graph_total(graph) / MOST_WEIGHT + 1;
    for (size_t c = 0; c < graph->n_nodes; c++) {
        const uint64_t scaled = (graph->weight[c] + divisor / 2) / divisor;
        weight[c] = scaled > 0 ? (idx_t)scaled : 1;
    }
}

static int ask(const struct question *q)
{
    const size_t n = q->graph->n_nodes;
    idx_t options[METIS_NOPTIONS], one = 1, n_elements = (idx_t)n, n_parts = (idx_t)q->n_parts;
    idx_t *start = malloc((n + 1) * sizeof *start),
          *neighbour = malloc((mt_cut_graph_entries(q->graph) + 1) * sizeof *neighbour),
          *weight = q->graph->weight ? malloc(n * sizeof *weight) : NULL;
    real_t bound = (real_t)q->imbalance;
    if (!start || !neighbour || (q->graph->weight && !weight)) return METIS_ERROR_MEMORY;
    fill_graph(q->graph, start, neighbour);
    if (weight) fill_weights(q->graph, weight);
    (void)METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)q->seed;
    return METIS_PartGraphKway(&n_elements, &one, start, neighbour, weight, NULL, NULL, &n_parts, NULL,
        &bound, options, &q->answer->cut, q->answer->part);
}

static _Noreturn void be_the_child(const struct question *q, int pipe_end, pid_t parent)
{
    speak_into(pipe_end);
    forget_the_parent(parent);
    q->answer->code = ask(q);
    q->answer->done = true;
    (void)fflush(stdout);
    _exit(EXIT_SUCCESS);
}

/* ---- the parent ---- */

/* Reads until all writers have closed the pipe; stores the end of the output. */
static void hear(int pipe_end, struct seen *seen)
{
    char piece[HEARD];
    for (ssize_t n; (n = read(pipe_end, piece, sizeof piece)) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        const size_t add = (size_t)n, over = seen->n + add > HEARD ? seen->n + add - HEARD : 0;
        memmove(seen->heard, seen->heard + over, seen->n - over);
        memcpy(seen->heard + seen->n - over, piece, add);
        seen->n += add - over;
    }
    seen->heard[seen->n] = 0;
}

static void watch(pid_t child, int pipe_end, struct seen *seen)
{
    seen->n = 0;
    hear(pipe_end, seen);
    pid_t who;
    do who = waitpid(child, &seen->ended, 0);
    while (who < 0 && errno == EINTR);
    if (who != child) seen->ended = -1;
}

/* Calls METIS once, in a child. Blocks signals of this thread until the child has reset the parent's handlers. */
static mt_status ask_in_a_child(const struct question *q, struct seen *seen)
{
    int ends[2];
    sigset_t all, before;
    const pid_t parent = getpid();
    if (pipe(ends) != 0)
        return mt_fail(MT_FILE, "METIS: cannot create a pipe to its process: %s", strerror(errno));
    q->answer->done = false;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = fork();
    const int error = errno;
    if (child == 0) be_the_child(q, ends[1], parent);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)close(ends[1]);
    if (child > 0) watch(child, ends[0], seen);
    (void)close(ends[0]);
    return child > 0 ? MT_OK
                     : mt_fail(MT_FILE, "METIS: cannot start a separate process: %s", strerror(error));
}

/* ---- result ---- */

/* Converts the end of the output to one line of printable characters. */
static void squeeze(const struct seen *seen, char said[SAID])
{
    char line[HEARD + 1];
    size_t n = 0;
    for (size_t i = 0; i < seen->n; i++) {
        const unsigned char c = (unsigned char)seen->heard[i];
        const bool blank = c <= ' ';
        if (blank && (n == 0 || line[n - 1] == ' ')) continue;
        line[n++] = blank ? ' ' : c < 0x7f ? (char)c : '?';
    }
    while (n > 0 && line[n - 1] == ' ') n--;
    const size_t from = n >= SAID ? n - SAID + 1 : 0;
    memcpy(said, line + from, n - from);
    said[n - from] = 0;
}

/* True if memory was exhausted: METIS returned it, or printed it with another return value ("Memory allocation failed", "Memory realloc
 * failed"), or the system killed the process. */
static bool out_of_memory(const struct question *q, const struct seen *seen)
{
    if (!q->answer->done)
        return seen->ended != -1 && WIFSIGNALED(seen->ended) && WTERMSIG(seen->ended) == SIGKILL;
    return q->answer->code == METIS_ERROR_MEMORY ||
           (q->answer->code == METIS_ERROR && strstr(seen->heard, "***Memory "));
}

static bool parts_in_bounds(const struct question *q)
{
    for (size_t c = 0; c < q->graph->n_nodes; c++)
        if ((uint32_t)q->answer->part[c] >= q->n_parts) return false;
    return true;
}

/* True if the attempt failed; writes the reason to `why`. */
static bool failed(const struct question *q, const struct seen *seen, char *why, size_t size)
{
    char said[SAID], cause[128];
    const int ended = seen->ended;
    if (q->answer->done && q->answer->code == METIS_OK && parts_in_bounds(q)) return false;
    if (q->answer->done && q->answer->code == METIS_OK)
        (void)snprintf(cause, sizeof cause, "it returned invalid part numbers");
    else if (q->answer->done)
        (void)snprintf(cause, sizeof cause, "answer %d", q->answer->code);
    else if (ended != -1 && WIFSIGNALED(ended))
        (void)snprintf(
            cause, sizeof cause, "killed by signal %d, %s", WTERMSIG(ended), strsignal(WTERMSIG(ended)));
    else
        (void)snprintf(cause, sizeof cause, "it ended without a result");
    squeeze(seen, said);
    (void)snprintf(
        why, size, "%s%s%s%s", cause, *said ? "; output: \"" : "; no output", said, *said ? "\"" : "");
    return true;
}

static mt_status attempt(const struct question *q, mt_metis_outcome *outcome, bool *succeeded)
{
    struct seen seen;
    char why[sizeof outcome->failure];
    const size_t n = q->graph->n_nodes;
    MT_TRY(ask_in_a_child(q, &seen));
    outcome->attempts++;
    *succeeded = !failed(q, &seen, why, sizeof why);
    if (*succeeded) return MT_OK;
    if (out_of_memory(q, &seen))
        return mt_fail(
            MT_MEMORY, "METIS: out of memory for %zu elements in %u parts (%s)", n, q->n_parts, why);
    if (q->answer->done && q->answer->code == METIS_ERROR_INPUT)
        return mt_fail(MT_INPUT, "METIS: rejected %zu elements in %u parts (%s)", n, q->n_parts, why);
    if (!*outcome->failure) memcpy(outcome->failure, why, sizeof why);
    return MT_OK;
}

static mt_status attempts(struct question *q, double imbalance, mt_metis_outcome *outcome)
{
    bool succeeded = false;
    const double looser = 1 + MT_METIS_LOOSER * (imbalance - 1);
    for (uint32_t k = 0; k < 2 * MT_METIS_SEEDS; k++) {
        q->seed = 1 + k % MT_METIS_SEEDS;
        q->imbalance = k < MT_METIS_SEEDS ? imbalance : looser;
        MT_TRY(attempt(q, outcome, &succeeded));
        outcome->seed = q->seed;
        outcome->imbalance = q->imbalance;
        if (succeeded) return MT_OK;
    }
    return mt_fail(MT_INPUT,
        "METIS: failed on %zu elements in %u parts with seeds 1 to %d at imbalance %g and %g; first failure: "
        "%s",
        q->graph->n_nodes, q->n_parts, MT_METIS_SEEDS, imbalance, looser, outcome->failure);
}

mt_status mt_metis_divide(
    const mt_cut_graph *graph, uint32_t n_parts, double imbalance, uint32_t *part, mt_metis_outcome *outcome)
{
    struct question q = {.graph = graph, .n_parts = n_parts};
    *outcome = (mt_metis_outcome){0};
    q.bytes = sizeof *q.answer + graph->n_nodes * sizeof *part;
    q.answer = mmap(NULL, q.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (q.answer == MAP_FAILED)
        return mt_fail(MT_MEMORY, "METIS: out of memory: %zu bytes for its result", q.bytes);
    const mt_status status = attempts(&q, imbalance, outcome);
    if (status == MT_OK) memcpy(part, q.answer->part, graph->n_nodes * sizeof *part);
    (void)munmap(q.answer, q.bytes);
    return status;
}
