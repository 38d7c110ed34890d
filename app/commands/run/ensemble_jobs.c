#include "app/commands/run/ensemble_jobs.h"

#include <math.h>
#include <omp.h>
#include <string.h>
#include <time.h>

#include "app/commands/run/ensemble_runs.h"
#include "app/commands/run/workers.h"
#include "app/results/member_file.h"
#include "data/files/folder.h"

enum {
    CHECK = MT_ENSEMBLE_JOBS_MAX * MT_ENSEMBLE_JOBS_MAX
}; /* the task of checking all members; others are members */

/* Executes a task in a process. */
static mt_status work(void *user, size_t task)
{
    MT_SCRATCH(scratch);
    mt_ensemble_state *s = user;
    mt_member_row row;
    if (task == CHECK) return mt_ensemble_check_runs(s);
    const mt_status status = mt_ensemble_make_run(scratch, s, task, &row);
    mt_messages_report(&s->of[task].said);
    return status;
}

/* Returns the next member for a process that has the shared data of member `last`: one that shares them, or else the first of those
 * whose data no other process has, or else the first. MT_WORKERS_NONE if all have begun. */
static size_t next_member(const mt_ensemble_state *s, size_t last)
{
    size_t first = MT_WORKERS_NONE, own = MT_WORKERS_NONE;
    for (size_t i = 0; i < s->n_left; i++) {
        const mt_variant *v = &s->of[s->order[i]];
        bool elsewhere = false;
        if (v->begun) continue;
        if (last != SIZE_MAX && strcmp(v->problem, s->of[last].problem) == 0) return s->order[i];
        for (size_t j = 0; j < s->jobs; j++)
            elsewhere |= s->last[j] != SIZE_MAX && strcmp(v->problem, s->of[s->last[j]].problem) == 0;
        if (first == MT_WORKERS_NONE) first = s->order[i];
        if (own == MT_WORKERS_NONE && !elsewhere) own = s->order[i];
    }
    return own != MT_WORKERS_NONE ? own : first;
}

/* Returns the next task of process j: the check for the first, which others wait for. */
static size_t next_task(void *user, size_t j)
{
    mt_ensemble_state *s = user;
    if (s->check == REFUSED) return MT_WORKERS_NONE;
    if (s->check == CHECKING || (s->check == UNCHECKED && j > 0)) return MT_WORKERS_WAIT;
    if (s->check == UNCHECKED) {
        s->check = CHECKING;
        s->last[j] = s->order[0];
        return CHECK;
    }
    const size_t k = next_member(s, s->last[j]);
    if (k == MT_WORKERS_NONE) return k;
    s->of[k].begun = true;
    s->last[j] = k;
    mt_folder_keep(s->folder); /* a process has a folder in it */
    return k;
}

/* Reads the results of a member that a process has written. *found: true if there are any. */
static mt_status read_results(mt_ensemble_state *s, size_t k, bool *found)
{
    char path[MT_FILE_PATH_MAX];
    mt_member_record record;
    MT_TRY(mt_folder_path(s->folder, s->name[k], path));
    MT_TRY(mt_member_record_read(s->arena, path, &record));
    *found = record.row.n_beats > 0 && strcmp(record.fingerprint, s->of[k].fingerprint) == 0;
    if (*found) s->of[k].row = record.row;
    return MT_OK;
}

/* Reads the results of a complete member; waits for them at most 40 s, since a network file system can show new files of another computer
 * late. Otherwise replaces *status. */
static mt_status await_results(mt_ensemble_state *s, size_t k, mt_status *status, char why[1024])
{
    enum { TRIES = 400 };
    const struct timespec moment = {.tv_nsec = 100000000};
    bool found = false;
    for (int tries = 0; !found && tries < TRIES && !mt_progress_interrupted(); tries++) {
        if (tries > 0) (void)nanosleep(&moment, NULL);
        MT_TRY(read_results(s, k, &found));
    }
    if (found) return MT_OK;
    *status = MT_FILE;
    (void)snprintf(why, 1024, "%s/%s: its results are not here; allowed: a folder that all processes share",
        s->folder, s->name[k]);
    return MT_OK;
}

static mt_status task_ended(void *user, size_t j, size_t task, mt_status status, const char *why)
{
    mt_ensemble_state *s = user;
    (void)j;
    if (task == CHECK) {
        s->check = status == MT_OK ? CHECKED : REFUSED;
        return status == MT_OK ? MT_OK : mt_fail(status, "%s", why);
    }
    char message[1024];
    (void)snprintf(message, sizeof message, "%s", why);
    bool found;
    if (status == MT_OK) MT_TRY(await_results(s, task, &status, message));
    if (status == MT_STOPPED) MT_TRY(read_results(s, task, &found));
    return mt_ensemble_note_end(s, task, status, message);
}

/* Adds a message of a process to those of its member; a message of the check is reported. */
static mt_status task_said(void *user, size_t task, bool is_note, const char *text)
{
    MT_SCRATCH(scratch);
    mt_ensemble_state *s = user;
    mt_messages one = {.arena = scratch};
    MT_TRY(mt_messages_add(&one, is_note, text));
    if (task != CHECK) return mt_ensemble_add_messages(s, task, &one);
    mt_messages_report(&one);
    return MT_OK;
}

/* Shows the progress of all, at most once a second. */
static void show_progress(void *user, size_t n_running, double fractions)
{
    mt_ensemble_state *s = user;
    const double now_s = mt_now_s(), done = (double)s->n_ended + fractions, elapsed_s = now_s - s->begun_s;
    char line[200], left[64] = "";
    if (now_s - s->told_s < 1) return;
    s->told_s = now_s;
    if (s->check != CHECKED) s->begun_s = now_s;
    const long left_s = done > 0 ? lround(fmin(elapsed_s * ((double)s->n_left - done) / done, 1e7)) : 0;
    if (elapsed_s > 5 && done > 0)
        (void)snprintf(
            left, sizeof left, ", %ld:%02ld:%02ld left", left_s / 3600, left_s / 60 % 60, left_s % 60);
    (void)snprintf(line, sizeof line, "%s: %zu of %zu done, %zu running, %zu failed%s", s->many,
        s->n - s->n_left + s->n_ended - s->n_failed, s->n, s->check == CHECKED ? n_running : 0, s->n_failed,
        left);
    mt_progress_stage(line);
}

mt_status mt_ensemble_run_at_once(mt_ensemble_state *s)
{
    const int threads = s->ranks ? omp_get_max_threads() : omp_get_max_threads() / (int)s->jobs;
    const mt_workers workers = {.n = s->jobs,
        .ranks = s->ranks,
        .threads = threads > 0 ? threads : 1,
        .user = s,
        .work = work,
        .next = next_task,
        .ended = task_ended,
        .said = task_said,
        .look = show_progress};
    MT_ALLOC(s->arena, s->last, s->jobs);
    for (size_t j = 0; j < s->jobs; j++) s->last[j] = SIZE_MAX;
    s->begun_s = mt_now_s();
    mt_progress_catch_interrupt(
        "\nmyotile: stopping: the runs write their results so far; a second signal quits "
        "immediately\n");
    return mt_workers_run(&workers);
}

/* ---- ranks ---- */

/* The data of rank 0, followed by a state for each member. */
typedef struct shared_state {
    uint64_t n, n_left;
    char folder[MT_FILE_PATH_MAX];
} shared_state;

typedef struct member_state {
    char fingerprint[MT_HASH_SIZE];
    bool resumes;
} member_state;

/* Takes over the states of rank 0. */
static mt_status take_members(mt_ensemble_state *s, const member_state *state)
{
    for (size_t k = 0; k < s->n; k++) {
        if (strcmp(state[k].fingerprint, s->of[k].fingerprint) != 0)
            return mt_fail(MT_INPUT, "%s: another case than on rank 0; allowed: the same files on all ranks",
                s->of[k].run.run.path);
        s->of[k].resumes = state[k].resumes;
    }
    return MT_OK;
}

mt_status mt_ensemble_share(mt_ensemble_state *s)
{
    const mt_communicator *ranks = s->ranks;
    shared_state *all;
    member_state *state;
    if (!ranks) return MT_OK;
    MT_ALLOC(s->arena, all, 1);
    all->n = s->n, all->n_left = s->n_left;
    if (ranks->rank == 0) (void)snprintf(all->folder, sizeof all->folder, "%s", s->folder);
    ranks->broadcast(ranks, 0, all, sizeof *all);
    if (all->n != s->n)
        return mt_fail(MT_INPUT, "%zu members, on rank 0 %llu; allowed: the same files on all ranks", s->n,
            (unsigned long long)all->n);
    MT_ALLOC(s->arena, state, s->n);
    for (size_t k = 0; k < s->n; k++) {
        (void)strcpy(state[k].fingerprint, s->of[k].fingerprint);
        state[k].resumes = s->of[k].resumes;
    }
    ranks->broadcast(ranks, 0, state, s->n * sizeof *state);
    if (ranks->rank > 0) s->folder = all->folder;
    s->n_left = (size_t)all->n_left;
    return take_members(s, state);
}

mt_status mt_ensemble_serve(mt_ensemble_state *s)
{
    const mt_workers workers = {
        .n = 1, .ranks = s->ranks, .threads = omp_get_max_threads(), .user = s, .work = work};
    return s->n_left > 0 ? mt_workers_serve(&workers) : MT_OK;
}
