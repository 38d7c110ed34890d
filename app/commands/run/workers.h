/* Worker processes that execute tasks of a command, on one computer or on the ranks of a launcher.
 *
 * Workers are forked from the command before it uses OpenMP or opens files of HDF5, so that each has its own threads, HDF5 library,
 * open files and signals. The command gives a task to each idle worker and hears how it ended, and everything that it reports. A worker
 * that dies, for example for lack of memory, fails its task only; another process takes its place. Workers die with the command,
 * however that ends.
 *
 * On several ranks (app/cli/ranks.h) each rank has one worker, a process that it forks. The command is rank 0; the others call
 * mt_workers_serve, and pass tasks, stops and reports between rank 0 and their worker. A worker that dies fails its task only; if a rank
 * dies, the launcher ends all.
 *
 * Signals are left to the command. The first one stops the workers: a task that has requested to be stopped gently
 * (mt_progress_catch_interrupt) is told to, any other is killed. The second ends the command, and so the workers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/communicator.h"
#include "data/core/status.h"

/* Values of mt_workers.next: the worker has to wait for the end of another task; there are no more tasks. */
#define MT_WORKERS_WAIT ((size_t)-1)
#define MT_WORKERS_NONE ((size_t)-2)
/* Value of mt_workers.stop: kill the workers and return. */
#define MT_WORKERS_LEAVE (-1)

typedef struct mt_workers {
    size_t n;                     /* of several ranks: their number */
    const mt_communicator *ranks; /* NULL: all workers are processes of this computer */
    int threads;                  /* of OpenMP in each */
    void *user;
    /* Executes a task, in a worker. */
    mt_status (*work)(void *user, size_t task);
    /* Returns the next task for worker 0 <= k < n. */
    size_t (*next)(void *user, size_t k);
    /* Receives the status and the message of a task: MT_STOPPED after a signal, MT_FILE if its process died. A failure ends all. */
    mt_status (*ended)(void *user, size_t k, size_t task, mt_status status, const char *message);
    /* Receives a warning or note of a running task. A failure ends all. */
    mt_status (*said)(void *user, size_t task, bool is_note, const char *text);
    /* Called several times a second, with the number of running tasks and the sum of their completed fractions. */
    void (*look)(void *user, size_t n_running, double fractions);
    /* Returns the signal that stops the workers, or MT_WORKERS_LEAVE; 0: none. NULL: mt_progress_signal. */
    int (*stop)(void *user);
} mt_workers;

/* Executes the tasks until there are no more or a signal arrives; no worker is left then. Returns the first failure of `ended`; fails
 * with MT_FILE if the system cannot start a process, or with MT_MEMORY. */
MT_NODISCARD mt_status mt_workers_run(const mt_workers *workers);

/* Executes tasks of mt_workers_run on rank 0 in the worker of another rank, until rank 0 returns. Needs ranks, threads, user and work.
 * Fails with MT_FILE if the system cannot start a process, or with MT_MEMORY. */
MT_NODISCARD mt_status mt_workers_serve(const mt_workers *workers);
