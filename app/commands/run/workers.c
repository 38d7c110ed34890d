#include "app/commands/run/workers.h"

#include <errno.h>
#include <omp.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* A message on the socket of a worker, or from another rank; of the latter also the completed part of its task, and its last message. */
typedef enum kind { TASK_ENDED, WARNING, NOTE, PART, LEFT } kind;
typedef struct report {
    kind what;
    mt_status status;
    unsigned per_million;
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
    pid_t process; /* 0: none, or of another rank */
    int socket;
    bool busy;
    bool told_stop, left; /* of another rank: it was told to stop; its last message has arrived */
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
            WTERMSIG(ended) == SIGKILL ? ", perhaps for lack of memory: fewer runs at once need less" : "");
    if (busy) end_task(c, k, task, MT_FILE, why);
}

static void handle(crew *c, size_t k, const report *r)
{
    switch (r->what) {
    case TASK_ENDED:
        end_task(c, k, c->of[k].task, r->status, r->text);
        break;
    case PART:
        atomic_store(&c->slot[k].per_million, r->per_million);
        break;
    case LEFT:
        c->of[k].left = true;
        break;
    case WARNING:
    case NOTE:
        keep_failure(c, c->w->said(c->w->user, c->of[k].task, r->what == NOTE, r->text));
        break;
    }
}

/* Handles a report of a worker, or its death. */
static void hear(crew *c, size_t k)
{
    report r = {.what = NOTE};
    const ssize_t n = recv(c->of[k].socket, &r, sizeof r, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0)
        bury(c, k);
    else
        handle(c, k, &r);
}

/* ---- other ranks, seen from rank 0 ---- */

/* A message of rank 0. `value`: the task, or the signal. */
typedef enum request { GIVE_TASK, STOP, LEAVE } request;
typedef struct order {
    request what;
    uint64_t value;
} order;

static bool is_elsewhere(const crew *c, size_t k) { return c->w->ranks && k > 0; }

static void send_order(const crew *c, size_t k, request what, uint64_t value)
{
    const order o = {.what = what, .value = value};
    c->w->ranks->send(c->w->ranks, (uint32_t)k, &o, sizeof o);
}

static void receive_report(const crew *c, size_t k, report *r)
{
    c->w->ranks->receive(c->w->ranks, (uint32_t)k, r, sizeof *r);
}

/* Handles the reports that have arrived. */
static void hear_ranks(crew *c)
{
    report r;
    for (size_t k = 1; k < c->w->n; k++)
        while (c->w->ranks->arrived(c->w->ranks, (uint32_t)k)) {
            receive_report(c, k, &r);
            handle(c, k, &r);
        }
}

/* Makes the other ranks return from mt_workers_serve, and waits for their last messages. Reports before those are lost. */
static void release_ranks(crew *c)
{
    report r;
    for (size_t k = 1; k < c->w->n; k++) send_order(c, k, LEAVE, 0);
    for (size_t k = 1; k < c->w->n; k++)
        while (!c->of[k].left) {
            receive_report(c, k, &r);
            c->of[k].left = r.what == LEFT;
        }
}

/* ---- the loop ---- */

/* Sends a task to a worker of this process, which is started if necessary. */
static mt_status start_task(crew *c, size_t k, size_t task)
{
    worker *of = &c->of[k];
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

/* Gives a task to an idle worker. *waits: set to true if there may be one later. */
static mt_status give_task(crew *c, size_t k, bool *waits)
{
    worker *of = &c->of[k];
    if (of->busy || c->stop) return MT_OK;
    const size_t task = c->w->next(c->w->user, k);
    *waits |= task == MT_WORKERS_WAIT;
    if (task == MT_WORKERS_NONE) (void)end_worker(c, k, false);
    if (task == MT_WORKERS_NONE || task == MT_WORKERS_WAIT) return MT_OK;
    if (!is_elsewhere(c, k)) return start_task(c, k, task);
    of->busy = true;
    of->task = task;
    send_order(c, k, GIVE_TASK, task);
    return MT_OK;
}

/* Stops all tasks: those that can be stopped gently, gently. */
static void stop_all(crew *c)
{
    for (size_t k = 0; k < c->w->n; k++) {
        if (is_elsewhere(c, k) && !c->of[k].told_stop) send_order(c, k, STOP, (uint64_t)c->stop);
        if (is_elsewhere(c, k)) c->of[k].told_stop = true;
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

/* Waits for reports, at most a tenth of a second; with several ranks, whose messages do not end the waiting, a hundredth. */
static void listen_to_all(crew *c, struct pollfd *heard)
{
    const int most_ms = c->w->ranks || c->w->stop ? 10 : 100;
    for (size_t k = 0; k < c->w->n; k++)
        heard[k] = (struct pollfd){.fd = c->of[k].process ? c->of[k].socket : -1, .events = POLLIN};
    const int n = poll(heard, c->w->n, most_ms);
    if (c->w->ranks) hear_ranks(c);
    if (n <= 0) return;
    for (size_t k = 0; k < c->w->n; k++)
        if (heard[k].revents) hear(c, k);
}

static mt_status work_through(crew *c, struct pollfd *heard)
{
    double fractions;
    for (;;) {
        bool waits = false;
        for (size_t k = 0; k < c->w->n; k++) MT_TRY(give_task(c, k, &waits));
        const size_t n = n_busy(c, &fractions);
        if ((n == 0 && !waits) || c->status != MT_OK) return c->status;
        c->w->look(c->w->user, n, fractions);
        listen_to_all(c, heard);
        c->stop = c->w->stop ? c->w->stop(c->w->user) : mt_progress_signal();
        if (c->stop == MT_WORKERS_LEAVE) return c->status;
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
    if (workers->ranks) release_ranks(&c);
    (void)munmap(c.slot, bytes);
    return status;
}

/* ---- on another rank ---- */

/* A rank that passes tasks and reports between rank 0 and its worker. */
typedef struct served {
    const mt_workers *of;
    bool given, leave; /* given: a task that has not begun */
    size_t task;
    int stop; /* the signal; 0: none */
    unsigned per_million;
    double told_s; /* host clock when rank 0 was last told of the completed part */
} served;

static void read_orders(served *s)
{
    const mt_communicator *ranks = s->of->ranks;
    while (ranks->arrived(ranks, 0)) {
        order o;
        ranks->receive(ranks, 0, &o, sizeof o);
        s->leave |= o.what == LEAVE;
        if (o.what == STOP) s->stop = (int)o.value;
        if (o.what == GIVE_TASK) s->given = true, s->task = (size_t)o.value;
    }
}

static void tell_rank_0(const served *s, report *r) { s->of->ranks->send(s->of->ranks, 0, r, sizeof *r); }

/* Executes a task in the worker. */
static mt_status served_work(void *user, size_t task)
{
    const served *s = user;
    return s->of->work(s->of->user, task);
}

static size_t served_next(void *user, size_t k)
{
    served *s = user;
    (void)k;
    read_orders(s);
    if (s->leave) return MT_WORKERS_NONE;
    if (!s->given) return MT_WORKERS_WAIT;
    s->given = false;
    return s->task;
}

static mt_status served_ended(void *user, size_t k, size_t task, mt_status status, const char *message)
{
    report r = {.what = TASK_ENDED, .status = status};
    (void)k, (void)task;
    (void)snprintf(r.text, sizeof r.text, "%s", message);
    tell_rank_0(user, &r);
    return MT_OK;
}

static mt_status served_said(void *user, size_t task, bool is_note, const char *text)
{
    report r = {.what = is_note ? NOTE : WARNING};
    (void)task;
    (void)snprintf(r.text, sizeof r.text, "%s", text);
    tell_rank_0(user, &r);
    return MT_OK;
}

/* Reports the completed part, at most four times a second. */
static void served_look(void *user, size_t n_running, double fractions)
{
    served *s = user;
    report r = {.what = PART, .per_million = (unsigned)(1e6 * fractions)};
    if (n_running == 0 || r.per_million == s->per_million || mt_now_s() - s->told_s < 0.25) return;
    s->per_million = r.per_million;
    s->told_s = mt_now_s();
    tell_rank_0(s, &r);
}

static int served_stop(void *user)
{
    served *s = user;
    read_orders(s);
    return s->leave ? MT_WORKERS_LEAVE : s->stop;
}

mt_status mt_workers_serve(const mt_workers *workers)
{
    served s = {.of = workers};
    report last = {.what = LEFT};
    const struct timespec moment = {.tv_nsec = 10000000};
    const mt_workers relay = {.n = 1,
        .threads = workers->threads,
        .user = &s,
        .work = served_work,
        .next = served_next,
        .ended = served_ended,
        .said = served_said,
        .look = served_look,
        .stop = served_stop};
    MT_TRY(mt_workers_run(&relay));
    for (read_orders(&s); !s.leave; read_orders(&s)) (void)nanosleep(&moment, NULL);
    tell_rank_0(&s, &last);
    return MT_OK;
}
