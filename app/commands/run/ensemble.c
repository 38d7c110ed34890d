#include "app/commands/run/ensemble.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "data/core/progress.h"
#include "app/commands/run/members.h"
#include "app/commands/run/one_run.h"
#include "app/commands/run/workers.h"
#include "app/results/ensemble_messages.h"
#include "app/results/ensemble_picture.h"
#include "app/results/member_file.h"
#include "app/run/case_lines.h"
#include "data/files/folder.h"

enum { JOBS_MAX = 1024 };

/* A member and its run. */
typedef struct variant {
    mt_one_run run;
    mt_member_row row;
    char fingerprint[MT_HASH_SIZE]; /* of its case */
    char problem[MT_HASH_SIZE];     /* of the keys that affect mesh, operator or mapping */
    mt_messages said;               /* warnings and notes */
    bool complete, resumes;         /* from an earlier command: its results; checkpoints to resume from */
    bool begun;
} variant;

typedef struct ensemble {
    const mt_arguments *arguments;
    const char *folder;                 /* entered */
    const char *file_name, *one, *many; /* of the table; words for a member */
    mt_arena *arena;
    mt_members members;
    const char **name;         /* [n] of the members */
    const char *const **value; /* [n][n_keys] */
    variant *of;               /* [n] */
    size_t n, jobs, n_left;    /* members, processes, members that are not complete at the start */
    size_t *order;             /* [n_left] members in the order of execution */
    size_t n_ended, n_failed;  /* of those */
    mt_shared shared;
    mt_status status; /* of the first failed or stopped run */
    char why[1024];   /* its message */
    /* With several processes: the state of the check (CHECK), the last member of each process, and the times of the progress. */
    enum { UNCHECKED, CHECKING, CHECKED, REFUSED } check;
    size_t *last; /* [jobs] SIZE_MAX: none */
    double begun_s, told_s;
} ensemble;

/* ---- before the first run ---- */

/* Refuses options that do not apply to several runs, and finds the number of processes. */
static mt_status check_options(const mt_arguments *arguments, const char *option, size_t *jobs)
{
    unsigned long n = 1;
    const char *text = mt_option_value(arguments, "--jobs", NULL);
    if (mt_option_given(arguments, "--profile"))
        return mt_fail(
            MT_INPUT, "--profile with %s; allowed: with a single run (--set with one of the values)", option);
    if (!mt_operand(arguments, 0)[0])
        return mt_fail(MT_INPUT, "%s without CASE.yaml; see myotile run --help", option);
    if (text) MT_TRY(mt_integer("--jobs", text, 1, JOBS_MAX, &n));
    *jobs = n;
    return MT_OK;
}

/* Concatenates three texts. */
static mt_status join(mt_arena *arena, const char *a, const char *b, const char *c, const char **joined)
{
    char *text;
    const size_t n = strlen(a) + strlen(b) + strlen(c) + 1;
    MT_ALLOC(arena, text, n);
    (void)snprintf(text, n, "%s%s%s", a, b, c);
    *joined = text;
    return MT_OK;
}

/* Puts the line of the table before the message of a failure, unless it begins with it. */
static mt_status fail_at(const ensemble *s, size_t k, mt_status status)
{
    const char *place = s->members.member[k].place;
    if (status == MT_OK || s->members.sweep || strncmp(mt_message(), place, strlen(place)) == 0)
        return status;
    return mt_fail(status, "%s %s", place, mt_message());
}

/* Names a run in messages and in the progress. */
static mt_status name_run(mt_arena *arena, const ensemble *s, size_t k, mt_one_run *r)
{
    char number[64] = "";
    const char *name = s->name[k];
    if (!s->members.sweep) (void)snprintf(number, sizeof number, " (%zu of %zu)", k + 1, s->n);
    MT_TRY(join(arena, r->run.path, ", ", name, &r->run.path));
    MT_TRY(join(arena, r->run.what, " ", name, &r->run.what));
    return join(arena, r->run.what, number, "", &r->run.what);
}

/* Reads the case with the values of a member. `resumed`: folder with its checkpoint, or NULL. */
static mt_status read_run(mt_arena *arena, const ensemble *s, size_t k, const char *resumed, mt_one_run *r)
{
    static const mt_yaml_override files_only[] = {
        {"--ensemble", "output.report=false"}, {"--ensemble", "output.pictures=false"}};
    const mt_one_run_variant changes = {.n_before = s->members.sweep ? 0 : 2,
        .before = files_only,
        .n_after = s->members.n_keys,
        .after = s->members.member[k].set,
        .resumed = resumed};
    MT_TRY(mt_one_run_read(arena, s->arguments, &changes, r));
    MT_TRY(name_run(arena, s, k, r));
    return mt_fail_in(r->run.path, mt_problem_find_files(arena, &r->input));
}

/* Finds the keys that have to agree for members to share data. */
static mt_status find_problem(variant *v)
{
    MT_SCRATCH(scratch);
    const char *lines;
    MT_TRY(mt_yaml_write_lines(scratch, &mt_case_table, &v->run.input, &lines));
    return mt_case_lines_hash(lines, MT_AFFECTS_PROBLEM | MT_AFFECTS_MAPPING, v->problem);
}

/* Adds messages to those of a member. */
static mt_status add_messages(ensemble *s, size_t k, const mt_messages *added)
{
    const variant *v = &s->of[k];
    return mt_member_messages_add(&s->of[k].said, added, v->run.run.path, mt_operand(s->arguments, 0));
}

/* Reads the case of a member, with its messages. */
static mt_status read_member_run(ensemble *s, size_t k)
{
    MT_SCRATCH(scratch);
    mt_messages said;
    variant *v = &s->of[k];
    v->said = (mt_messages){.arena = s->arena};
    mt_messages_begin(&said, scratch);
    const mt_status status = fail_at(s, k, read_run(s->arena, s, k, NULL, &v->run));
    mt_messages_end(&said);
    if (status == MT_OK) return add_messages(s, k, &said);
    mt_messages_report(&said);
    return status;
}

static mt_status read_member(ensemble *s, size_t k)
{
    variant *v = &s->of[k];
    s->name[k] = s->members.member[k].name;
    s->value[k] = s->members.member[k].value;
    v->row = (mt_member_row){.outcome = "not begun", .error = "", .chosen = "", .step_cycles = NAN};
    MT_TRY(read_member_run(s, k));
    MT_TRY(mt_member_fingerprint(&v->run.input, v->fingerprint));
    return find_problem(v);
}

static mt_status read_members(ensemble *s)
{
    s->n = s->members.n;
    MT_ALLOC(s->arena, s->of, s->n);
    MT_ALLOC(s->arena, s->name, s->n);
    MT_ALLOC(s->arena, s->value, s->n);
    MT_ALLOC(s->arena, s->order, s->n);
    for (size_t k = 0; k < s->n; k++) MT_TRY(read_member(s, k));
    return MT_OK;
}

/* Finds out what an earlier command left of a member. */
static mt_status find_earlier(ensemble *s, size_t k)
{
    char path[MT_FILE_PATH_MAX];
    mt_member_record record;
    variant *v = &s->of[k];
    MT_TRY(mt_folder_path(s->folder, s->name[k], path));
    if (mt_folder_is_taken(path))
        return mt_fail(MT_FILE, "%s: another run is writing into this folder", path);
    MT_TRY(mt_member_record_read(s->arena, path, &record));
    const bool same = strcmp(record.fingerprint, v->fingerprint) == 0;
    v->complete = same && record.complete;
    v->resumes = same && !record.complete && mt_checkpoints_any(path);
    if (!v->complete) return MT_OK;
    v->row = record.row;
    return add_messages(s, k, &record.messages);
}

/* Orders the members that are not complete: those that share data after one another. */
static mt_status order_members(ensemble *s)
{
    char text[128];
    for (size_t k = 0; k < s->n; k++) MT_TRY(find_earlier(s, k));
    for (size_t k = 0; k < s->n; k++) {
        if (s->of[k].complete || s->of[k].begun) continue;
        for (size_t m = k; m < s->n; m++) {
            variant *v = &s->of[m];
            if (v->complete || v->begun || strcmp(v->problem, s->of[k].problem) != 0) continue;
            v->begun = true;
            s->order[s->n_left++] = m;
        }
    }
    for (size_t k = 0; k < s->n; k++) s->of[k].begun = false;
    if (s->n_left == s->n) return MT_OK;
    (void)snprintf(
        text, sizeof text, "%zu of %zu %s are complete and not repeated", s->n - s->n_left, s->n, s->many);
    mt_note(s->folder, text, strlen(text));
    return MT_OK;
}

/* Checks that a case fits the mesh of the first, if it has the same mesh. */
static mt_status check_fit(const mt_shared *shared, const mt_case *input)
{
    bool has;
    MT_TRY(mt_shared_has(shared, input, &has));
    return has ? mt_problem_check_like(&shared->problem, input) : MT_OK;
}

/* Builds the shared data if this is the first member, and checks the member on its mesh. */
static mt_status check_run(ensemble *s, size_t k)
{
    const mt_one_run *r = &s->of[k].run;
    mt_status status = k == s->order[0] ? mt_shared_make(&s->shared, &r->input, r->cached) : MT_OK;
    if (status == MT_OK) status = check_fit(&s->shared, &r->input);
    return fail_at(s, k, mt_fail_in(r->run.path, status));
}

/* Builds the shared data of the first member, and checks all others on its mesh. Only the messages of a failure are reported: the runs
 * repeat the others. */
static mt_status check_runs(ensemble *s)
{
    for (size_t i = 0; i < s->n_left; i++) {
        MT_SCRATCH(scratch);
        mt_messages said;
        mt_messages_begin(&said, scratch);
        const mt_status status = check_run(s, s->order[i]);
        mt_messages_end(&said);
        if (status != MT_OK) mt_messages_report(&said);
        MT_TRY(status);
    }
    return MT_OK;
}

/* ---- the table ---- */

static mt_status make_table(mt_arena *arena, const ensemble *s, bool exact, mt_table *table)
{
    const char *title = s->of[0].run.input.title;
    mt_member_row *row;
    MT_ALLOC(arena, row, s->n);
    for (size_t k = 0; k < s->n; k++) row[k] = s->of[k].row;
    const mt_ensemble_rows rows = {.title = title[0]           ? title
                                            : s->members.sweep ? "Sweep"
                                                               : "Ensemble",
        .sweep = s->members.sweep,
        .n = s->n,
        .n_keys = s->members.n_keys,
        .key = s->members.key,
        .name = s->name,
        .value = s->value,
        .row = row};
    *table = mt_ensemble_table(arena, &rows, exact);
    return MT_OK;
}

static mt_status write_table(const ensemble *s)
{
    MT_SCRATCH(scratch);
    char path[MT_FILE_PATH_MAX];
    mt_file file;
    mt_table table;
    MT_TRY(make_table(scratch, s, true, &table));
    MT_TRY(mt_folder_path(s->folder, s->file_name, path));
    MT_TRY(mt_file_begin(path, &file));
    mt_folder_keep(s->folder);
    return mt_file_end(&file, mt_table_put_csv(file.stream, &table));
}

static const char picture_name[] = "ensemble.png";

/* Writes the picture of an ensemble, or deletes that of an earlier one if there is nothing to draw. */
static mt_status write_picture(const ensemble *s, bool *written)
{
    MT_SCRATCH(scratch);
    char path[MT_FILE_PATH_MAX];
    mt_table table;
    *written = false;
    if (s->members.sweep) return MT_OK;
    MT_TRY(make_table(scratch, s, false, &table));
    MT_TRY(mt_folder_path(s->folder, picture_name, path));
    MT_TRY(mt_ensemble_picture(path, &table, s->members.n_keys, written));
    return *written || access(path, F_OK) != 0 ? MT_OK : mt_file_remove(path);
}

static mt_status print_table(const ensemble *s, bool picture)
{
    MT_SCRATCH(scratch);
    FILE *out = s->arguments->out;
    mt_table table;
    MT_TRY(make_table(scratch, s, false, &table));
    MT_TRY(mt_print_tables(s->arguments, &table, 1));
    if (s->arguments->format != MT_FORMAT_TEXT) return MT_OK;
    (void)fprintf(out, "\nIn %s/: %s (this table)%s%s and one folder for each %s: %s/ ...\n", s->folder,
        s->file_name, picture ? ", " : "", picture ? picture_name : "", s->one, s->name[0]);
    if (fflush(out) == 0 && !ferror(out)) return MT_OK;
    return mt_fail(MT_FILE, "standard output: %s; the results are in %s/", strerror(errno), s->folder);
}

/* ---- a run ---- */

/* Destinations of a run's results. */
typedef struct keeping {
    mt_arena *arena;
    const char *folder;
    mt_member_record *record;
    bool written; /* true if the results are in the folder */
} keeping;

static mt_status keep_results(void *user, mt_arena *arena, const mt_run *done)
{
    keeping *to = user;
    mt_member_record *record = to->record;
    bool page;
    (void)arena;
    MT_TRY(mt_member_row_fill(to->arena, done, &record->row));
    MT_TRY(mt_one_run_write(done, to->folder, &page));
    record->complete = !done->stopped_by;
    record->row.outcome = record->complete ? "done" : "stopped";
    to->written = true;
    return MT_OK;
}

/* Reads the run again, to resume it from its checkpoint. *r: unchanged if the checkpoint cannot be read, which is a warning. */
static mt_status read_resumed(
    mt_arena *arena, const ensemble *s, size_t k, const char *folder, mt_one_run **r)
{
    mt_one_run *resumed;
    MT_ALLOC(arena, resumed, 1);
    const mt_status status = read_run(arena, s, k, folder, resumed);
    if (status == MT_MEMORY) return status;
    if (status == MT_OK)
        *r = resumed;
    else
        mt_warn(
            "%s: starts at 0 ms, since its checkpoint cannot be used: %.600s", (*r)->run.path, mt_message());
    return MT_OK;
}

/* Executes run k in its folder, which was entered, with its record before it. */
static mt_status execute_run(mt_arena *own, ensemble *s, size_t k, keeping *to)
{
    mt_one_run *r = &s->of[k].run;
    if (s->of[k].resumes) MT_TRY(read_resumed(own, s, k, to->folder, &r));
    MT_TRY(mt_member_record_write(to->folder, to->record));
    return mt_one_run_execute(own, r, &s->shared, to->folder, keep_results, to);
}

/* Executes it with its messages, which become those of the member and of the record of its results. */
static mt_status execute(mt_arena *arena, ensemble *s, size_t k, const char *folder, mt_member_row *row)
{
    MT_SCRATCH(own);
    mt_messages said;
    mt_member_record record = {.row = s->of[k].row};
    keeping to = {arena, folder, &record, false};
    (void)strcpy(record.fingerprint, s->of[k].fingerprint);
    record.row.outcome = "begun";
    mt_messages_begin(&said, own);
    const mt_status status = execute_run(own, s, k, &to);
    mt_messages_end(&said);
    MT_TRY(add_messages(s, k, &said));
    record.messages = s->of[k].said;
    if (to.written) MT_TRY(mt_member_record_write(folder, &record));
    if (record.row.n_beats > 0)
        *row = record.row;
    else if (!mt_checkpoints_any(folder))
        mt_member_record_remove(folder);
    return status;
}

/* Executes run k. `row`: its results, in `arena`, if there are any. */
static mt_status make_run(mt_arena *arena, ensemble *s, size_t k, mt_member_row *row)
{
    char path[MT_FILE_PATH_MAX];
    mt_folder folder;
    MT_TRY(mt_folder_path(s->folder, s->name[k], path));
    MT_TRY(mt_folder_enter(path, mt_option_replace(s->arguments), &folder));
    const mt_status status = execute(arena, s, k, folder.path, row);
    mt_folder_close(&folder);
    return status;
}

/* Records a failure. In messages it begins with the case and its member, in the table without them. */
static mt_status note_failure(ensemble *s, size_t k, mt_status status, const char *why)
{
    char text[704], message[1024];
    variant *v = &s->of[k];
    const char *path = v->run.run.path;
    const size_t n = strlen(path);
    const bool prefixed = strncmp(why, path, n) == 0 && strncmp(why + n, ": ", 2) == 0;
    (void)snprintf(text, sizeof text, "%.700s", prefixed ? why + n + 2 : why);
    (void)snprintf(message, sizeof message, "%.200s: %s", path, text);
    v->row.outcome = status == MT_STOPPED ? "stopped" : "failed";
    v->row.error = mt_arena_text(s->arena, text);
    if (!v->row.error) return MT_MEMORY;
    s->n_failed += status != MT_STOPPED;
    if (status != MT_STOPPED) mt_warn("%s", message);
    if (s->status != MT_OK && status != MT_STOPPED) return MT_OK;
    s->status = status;
    (void)snprintf(s->why, sizeof s->why, "%s", message);
    return MT_OK;
}

/* Records the end of a run, whose results are in its row, and writes the table. */
static mt_status note_end(ensemble *s, size_t k, mt_status status, const char *why)
{
    s->n_ended++;
    s->of[k].row.outcome = "done";
    if (status != MT_OK) MT_TRY(note_failure(s, k, status, why));
    return write_table(s);
}

/* Executes the runs one after another, until all are done or a signal arrives. */
static mt_status make_runs(ensemble *s)
{
    MT_TRY(check_runs(s));
    for (size_t i = 0; i < s->n_left && !mt_progress_interrupted(); i++) {
        const size_t k = s->order[i];
        const mt_status status = make_run(s->arena, s, k, &s->of[k].row);
        MT_TRY(note_end(s, k, status, mt_message()));
        if (status == MT_STOPPED) break;
    }
    return MT_OK;
}

/* ---- several runs at once ---- */

enum { CHECK = JOBS_MAX * JOBS_MAX }; /* the task of checking all members; others are members */

/* Executes a task in a process. */
static mt_status work(void *user, size_t task)
{
    MT_SCRATCH(scratch);
    ensemble *s = user;
    mt_member_row row;
    if (task == CHECK) return check_runs(s);
    const mt_status status = make_run(scratch, s, task, &row);
    mt_messages_report(&s->of[task].said);
    return status;
}

/* Returns the next member for a process that has the shared data of member `last`: one that shares them, or else the first of those
 * whose data no other process has, or else the first. MT_WORKERS_NONE if all have begun. */
static size_t next_member(const ensemble *s, size_t last)
{
    size_t first = MT_WORKERS_NONE, own = MT_WORKERS_NONE;
    for (size_t i = 0; i < s->n_left; i++) {
        const variant *v = &s->of[s->order[i]];
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
    ensemble *s = user;
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

/* Reads the results of a member that a process has written. */
static mt_status read_results(ensemble *s, size_t k)
{
    char path[MT_FILE_PATH_MAX];
    mt_member_record record;
    MT_TRY(mt_folder_path(s->folder, s->name[k], path));
    MT_TRY(mt_member_record_read(s->arena, path, &record));
    if (strcmp(record.fingerprint, s->of[k].fingerprint) == 0) s->of[k].row = record.row;
    return MT_OK;
}

static mt_status task_ended(void *user, size_t j, size_t task, mt_status status, const char *why)
{
    ensemble *s = user;
    (void)j;
    if (task == CHECK) {
        s->check = status == MT_OK ? CHECKED : REFUSED;
        return status == MT_OK ? MT_OK : mt_fail(status, "%s", why);
    }
    char message[1024];
    (void)snprintf(message, sizeof message, "%s", why);
    if (status == MT_OK || status == MT_STOPPED) MT_TRY(read_results(s, task));
    return note_end(s, task, status, message);
}

/* Adds a message of a process to those of its member; a message of the check is reported. */
static mt_status task_said(void *user, size_t task, bool is_note, const char *text)
{
    MT_SCRATCH(scratch);
    ensemble *s = user;
    mt_messages one = {.arena = scratch};
    MT_TRY(mt_messages_add(&one, is_note, text));
    if (task != CHECK) return add_messages(s, task, &one);
    mt_messages_report(&one);
    return MT_OK;
}

/* Shows the progress of all, at most once a second. */
static void show_progress(void *user, size_t n_running, double fractions)
{
    ensemble *s = user;
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

/* Executes the runs in processes. */
static mt_status make_runs_at_once(ensemble *s)
{
    const int threads = omp_get_max_threads() / (int)s->jobs;
    const mt_workers workers = {.n = s->jobs,
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

/* ---- the end ---- */

/* Warns if the discretisation was chosen differently for different members, since their results then differ by its error, too. */
static void warn_of_choices(const ensemble *s)
{
    static const char *const choices[] = {"elements", "nodes"};
    const mt_one_run *of[2] = {NULL, NULL};
    for (size_t k = 0; k < s->n; k++)
        for (int c = 0; c < 2; c++)
            if (!of[c] && strcmp(s->of[k].row.chosen, choices[c]) == 0) of[c] = &s->of[k].run;
    if (of[0] && of[1])
        mt_warn("diffusion.discretisation: auto: found voltages at the elements (%s) and at the vertices "
                "(%s) in one %s, "
                "so that the results also differ by their errors; to compare values: --set "
                "diffusion.discretisation=elements, or nodes",
            of[0]->run.path, of[1]->run.path, s->members.sweep ? "sweep" : "ensemble");
}

/* Builds the list of the messages of all members in `arena`. */
static mt_status list_messages(mt_arena *arena, const ensemble *s, mt_messages *all)
{
    const mt_messages **of;
    MT_ALLOC(arena, of, s->n);
    for (size_t k = 0; k < s->n; k++) of[k] = &s->of[k].said;
    return mt_ensemble_messages(arena, s->n, of, s->name, s->many, all);
}

/* Reports the messages of all members as one list. */
static void report_messages(const ensemble *s)
{
    MT_SCRATCH(scratch);
    mt_messages all;
    if (list_messages(scratch, s, &all) == MT_OK) mt_messages_report(&all);
}

/* Returns the status of all runs, with one message. */
static mt_status outcome(const ensemble *s)
{
    const size_t left = s->n_left - s->n_ended;
    if (s->status == MT_STOPPED || left > 0)
        return mt_fail(MT_STOPPED, "%s%s%zu of %zu %s %s not begun", s->why, s->why[0] ? "; " : "", left,
            s->n, s->many, left == 1 ? "was" : "were");
    if (s->status == MT_OK) return MT_OK;
    return mt_fail(
        s->status, "%zu of %zu %s failed; the first error: %s", s->n_failed, s->n, s->many, s->why);
}

static mt_status ensemble_in(ensemble *s)
{
    char path[MT_FILE_PATH_MAX];
    bool picture;
    MT_TRY(mt_folder_path(s->folder, s->file_name, path));
    MT_TRY(mt_file_check(path, MT_FILE_ANY));
    MT_TRY(order_members(s));
    if (s->jobs > s->n_left) s->jobs = s->n_left;
    if (s->jobs > 1)
        MT_TRY(make_runs_at_once(s));
    else if (s->n_left > 0)
        MT_TRY(make_runs(s));
    if (s->n_left == 0) MT_TRY(write_table(s));
    mt_progress_stage(NULL);
    warn_of_choices(s);
    if (s->n_ended == 0 && s->n_left == s->n) return outcome(s);
    MT_TRY(write_picture(s, &picture));
    MT_TRY(print_table(s, picture));
    return outcome(s);
}

/* Reads the members of --sweep or --ensemble. */
static mt_status find_members(ensemble *s)
{
    static const char *const taken[] = {"ensemble.csv", "ensemble.png", NULL};
    const char *sweep = mt_option_value(s->arguments, "--sweep", NULL),
               *table = mt_option_value(s->arguments, "--ensemble", NULL);
    if (sweep && table) return mt_fail(MT_INPUT, "--ensemble with --sweep; allowed: one of them");
    MT_TRY(check_options(s->arguments, sweep ? "--sweep" : "--ensemble", &s->jobs));
    s->file_name = sweep ? "sweep.csv" : "ensemble.csv";
    s->one = sweep ? "value" : "member";
    s->many = sweep ? "values" : "members";
    return sweep ? mt_members_of_sweep(s->arena, sweep, &s->members)
                 : mt_members_read(s->arena, table, taken, &s->members);
}

static mt_status ensemble_of(ensemble *s, const char *folder)
{
    mt_folder entered;
    MT_TRY(find_members(s));
    MT_TRY(read_members(s));
    MT_TRY(mt_folder_enter(folder, mt_option_replace(s->arguments), &entered));
    s->folder = entered.path;
    const mt_status status = ensemble_in(s);
    mt_shared_free(&s->shared);
    mt_folder_close(&entered);
    return status;
}

mt_status mt_ensemble(mt_arena *arena, const mt_arguments *arguments, const char *folder)
{
    ensemble *s;
    MT_ALLOC(arena, s, 1);
    s->arguments = arguments;
    s->arena = arena;
    s->shared.repeats_messages = true;
    const mt_status status = ensemble_of(s, folder);
    report_messages(s);
    return status;
}
