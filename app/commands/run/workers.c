#include "app/commands/run/workers.h"

#include <errno.h>
#include <omp.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "data/core/arena.h"
#include "data/core/progress.h"

/* ---- the shared memory ---- */

/* State of a worker, in memory that it shares with the command. */
typedef struct slot {
    atomic_int gentle;       /* true while the task can be stopped gently */
    atomic_int stop;         /* the signal that stops it; 0: none */
    atomic_uint per_million; /* completed part of the task */
} slot;

/* A message on the socket of a worker. */
typedef enum kind { TASK_ENDED, WARNING, NOTE } kind;
typedef struct report {
    kind what;
    mt_status status;
    char text[1536]; /* as of a note */
} report;

/* ---- in the worker ---- */

/* The worker that this process is; its listener has no other access to it. */
static struct {
    slot *slot;
    int socket;
    double total;
} own;

/* Sends a report, without unused bytes. If the command has ended, this process is about to be killed. */
static void send_report(const report *r)
{
    (void)send(own.socket, r, offsetof(report, text) + strlen(r->text) + 1, MSG_NOSIGNAL);
}

static void send_message(const char *what, const char *text)
{
    report r = {.what = strcmp(what, "note") == 0 ? NOTE : WARNING};
    (void)snprintf(r.text, sizeof r.text, "%s", text);
    send_report(&r);
}

static void begin(const char *what, const char *counted, double total)
{
    (void)what, (void)counted;
    own.total = total;
}

static void update(double now, double element_steps)
{
    (void)element_steps;
    const double part = own.total > 0 ? now / own.total : 0;
    atomic_store(&own.slot->per_million, (unsigned)(1e6 * (part < 0 ? 0 : part > 1 ? 1 : part)));
}

static void defer_stop(const char *message)
{
    (void)message;
    atomic_store(&own.slot->gentle, 1);
}

static void stop_at_once(void) { atomic_store(&own.slot->gentle, 0); }

static int stop_signal(void) { return atomic_load(&own.slot->stop); }

static void leave_signals_to_the_command(void)
{
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
}

/* Executes tasks until the command closes the socket. */
static _Noreturn void be_a_worker(const mt_workers *w, slot *of, int socket, pid_t parent)
{
    static const mt_listener listener = {.message = send_message,
        .begin = begin,
        .update = update,
        .defer_stop = defer_stop,
        .stop_at_once = stop_at_once,
        .stop_signal = stop_signal};
    size_t task;
    leave_signals_to_the_command();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0); /* the command has already ended */
    own.slot = of, own.socket = socket;
    mt_listen(&listener);
    omp_set_num_threads(w->threads);
    while (recv(socket, &task, sizeof task, 0) == (ssize_t)sizeof task) {
        mt_progress_exit_on_interrupt();
        report end = {.what = TASK_ENDED, .status = w->work(w->user, task)};
        if (end.status != MT_OK) (void)snprintf(end.text, sizeof end.text, "%s", mt_message());
        send_report(&end);
    }
    _exit(0);
}

/* ---- in the command ---- */

typedef struct worker {
    pid_t process; /* 0: none */
    int socket;
    bool busy;
    size_t task;
} worker;

typedef struct crew {
    const mt_workers *w;
    worker *of; /* [n] */
    slot *slot; /* [n], shared */
    int stop;   /* the signal; 0: none */
    mt_status status;
} crew;

static mt_status start(crew *c, size_t k)
{
    int ends[2];
    sigset_t all, before;
    const pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return mt_fail(MT_FILE, "cannot connect to a worker process: %s", strerror(errno));
    atomic_store(&c->slot[k].stop, 0), atomic_store(&c->slot[k].gentle, 0);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler of the command runs in the worker */
    const pid_t process = fork();
    const int error = errno;
    if (process == 0) {
        for (size_t other = 0; other < c->w->n; other++)
            if (c->of[other].process) (void)close(c->of[other].socket);
        (void)close(ends[0]);
        leave_signals_to_the_command();
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
        be_a_worker(c->w, &c->slot[k], ends[1], parent);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)close(ends[1]);
    if (process < 0) {
        (void)close(ends[0]);
        return mt_fail(MT_FILE, "cannot start a worker process: %s", strerror(error));
    }
    c->of[k] = (worker){.process = process, .socket = ends[0]};
    return MT_OK;
}

/* Ends a worker, at once or, if it is idle, by closing its socket. Returns its status. */
static int end_worker(crew *c, size_t k, bool at_once)
{
    worker *of = &c->of[k];
    int ended = 0;
    if (!of->process) return 0;
    if (at_once) (void)kill(of->process, SIGKILL);
    (void)close(of->socket);
    while (waitpid(of->process, &ended, 0) < 0 && errno == EINTR) continue;
    *of = (worker){0};
    return ended;
}

static void keep_failure(crew *c, mt_status status)
{
    if (c->status == MT_OK) c->status = status;
}

/* Reports the end of a worker's task. */
static void end_task(crew *c, size_t k, size_t task, mt_status status, const char *message)
{
    atomic_store(&c->slot[k].per_million, 0);
    c->of[k].busy = false;
    keep_failure(c, c->w->ended(c->w->user, k, task, status, message));
}

/* Describes the death of a worker, and fails its task. */
static void bury(crew *c, size_t k)
{
    const bool busy = c->of[k].busy;
    const size_t task = c->of[k].task;
    char why[256];
    const int ended = end_worker(c, k, false);
    if (!WIFSIGNALED(ended))
        (void)snprintf(why, sizeof why, "its process ended with exit code %d", WEXITSTATUS(ended));
    else
        (void)snprintf(why, sizeof why, "its process was ended by signal %d (%s)%s", WTERMSIG(ended),
            strsignal(WTERMSIG(ended)),
            WTERMSIG(ended) == SIGKILL ? ", perhaps for lack of memory: fewer --jobs need less" : "");
    if (busy) end_task(c, k, task, MT_FILE, why);
}

/* Handles a report of a worker, or its death. */
static void hear(crew *c, size_t k)
{
    report r = {.what = NOTE};
    const ssize_t n = recv(c->of[k].socket, &r, sizeof r, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0)
        bury(c, k);
    else if (r.what == TASK_ENDED)
        end_task(c, k, c->of[k].task, r.status, r.text);
    else
        keep_failure(c, c->w->said(c->w->user, c->of[k].task, r.what == NOTE, r.text));
}

/* Gives a task to an idle worker, which is started if necessary. */
static mt_status give_task(crew *c, size_t k)
{
    worker *of = &c->of[k];
    if (of->busy || c->stop) return MT_OK;
    const size_t task = c->w->next(c->w->user, k);
    if (task == MT_WORKERS_NONE) (void)end_worker(c, k, false);
    if (task == MT_WORKERS_NONE || task == MT_WORKERS_WAIT) return MT_OK;
    if (!of->process) {
        const mt_status status = start(c, k);
        if (status != MT_OK) end_task(c, k, task, status, mt_message());
        MT_TRY(status);
    }
    of->busy = true;
    of->task = task;
    (void)send(of->socket, &task, sizeof task, MSG_NOSIGNAL); /* its death is heard later */
    return MT_OK;
}

/* Stops all tasks: those that can be stopped gently, gently. */
static void stop_all(crew *c)
{
    for (size_t k = 0; k < c->w->n; k++) {
        if (!c->of[k].process) continue;
        const bool busy = c->of[k].busy;
        const size_t task = c->of[k].task;
        atomic_store(&c->slot[k].stop, c->stop);
        if (busy && atomic_load(&c->slot[k].gentle)) continue;
        (void)end_worker(c, k, true);
        if (busy) end_task(c, k, task, MT_STOPPED, "stopped before the first step");
    }
}

static size_t n_busy(const crew *c, double *fractions)
{
    size_t n = 0;
    *fractions = 0;
    for (size_t k = 0; k < c->w->n; k++) {
        n += c->of[k].busy;
        if (c->of[k].busy) *fractions += 1e-6 * atomic_load(&c->slot[k].per_million);
    }
    return n;
}

/* Waits for reports, at most a tenth of a second. */
static void listen_to_all(crew *c, struct pollfd *heard)
{
    for (size_t k = 0; k < c->w->n; k++)
        heard[k] = (struct pollfd){.fd = c->of[k].process ? c->of[k].socket : -1, .events = POLLIN};
    if (poll(heard, c->w->n, 100) <= 0) return;
    for (size_t k = 0; k < c->w->n; k++)
        if (heard[k].revents) hear(c, k);
}

static mt_status work_through(crew *c, struct pollfd *heard)
{
    double fractions;
    for (;;) {
        for (size_t k = 0; k < c->w->n; k++) MT_TRY(give_task(c, k));
        const size_t n = n_busy(c, &fractions);
        if (n == 0 || c->status != MT_OK) return c->status;
        c->w->look(c->w->user, n, fractions);
        listen_to_all(c, heard);
        c->stop = mt_progress_signal();
        if (c->stop) stop_all(c);
    }
}

mt_status mt_workers_run(const mt_workers *workers)
{
    MT_SCRATCH(scratch);
    crew c = {.w = workers};
    struct pollfd *heard;
    const size_t bytes = workers->n * sizeof *c.slot;
    MT_ALLOC(scratch, c.of, workers->n);
    MT_ALLOC(scratch, heard, workers->n);
    c.slot = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c.slot == MAP_FAILED) return mt_fail(MT_MEMORY, "worker processes: %s", strerror(errno));
    const mt_status status = work_through(&c, heard);
    for (size_t k = 0; k < workers->n; k++) (void)end_worker(&c, k, c.of[k].busy);
    (void)munmap(c.slot, bytes);
    return status;
}
