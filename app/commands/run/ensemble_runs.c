#include "app/commands/run/ensemble_runs.h"

#include <string.h>

#include "app/commands/run/ensemble_files.h"
#include "app/results/ensemble_messages.h"
#include "app/results/member_file.h"
#include "data/files/folder.h"

/* ---- reading ---- */

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

mt_status mt_ensemble_fail_at(const mt_ensemble_state *s, size_t k, mt_status status)
{
    const char *place = s->members.member[k].place;
    if (status == MT_OK || s->members.sweep || strncmp(mt_message(), place, strlen(place)) == 0)
        return status;
    return mt_fail(status, "%s %s", place, mt_message());
}

/* Names a run in messages and in the progress. */
static mt_status name_run(mt_arena *arena, const mt_ensemble_state *s, size_t k, mt_one_run *r)
{
    char number[64] = "";
    const char *name = s->name[k];
    if (!s->members.sweep) (void)snprintf(number, sizeof number, " (%zu of %zu)", k + 1, s->n);
    MT_TRY(join(arena, r->run.path, ", ", name, &r->run.path));
    MT_TRY(join(arena, r->run.what, " ", name, &r->run.what));
    return join(arena, r->run.what, number, "", &r->run.what);
}

mt_status mt_ensemble_read_run(
    mt_arena *arena, const mt_ensemble_state *s, size_t k, const char *resumed, mt_one_run *r)
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

mt_status mt_ensemble_add_messages(mt_ensemble_state *s, size_t k, const mt_messages *added)
{
    MT_SCRATCH(scratch);
    char folder[MT_FILE_PATH_MAX] = "";
    mt_messages of_results = {.arena = scratch}, of_files = {.arena = scratch};
    if (s->folder) MT_TRY(mt_folder_path(s->folder, s->name[k], folder));
    const size_t n = strlen(folder);
    for (const mt_message_line *line = added->first; line; line = line->next) {
        const bool of_file = n > 0 && strncmp(line->text, folder, n) == 0;
        MT_TRY(mt_messages_add(of_file ? &of_files : &of_results, line->is_note, line->text));
    }
    mt_messages_report(&of_files);
    return mt_member_messages_add(
        &s->of[k].said, &of_results, s->of[k].run.run.path, mt_operand(s->arguments, 0));
}

mt_status mt_ensemble_read_base(mt_ensemble_state *s)
{
    MT_SCRATCH(scratch);
    mt_messages said;
    mt_yaml_override *set;
    size_t n = 0;
    MT_ALLOC(s->arena, set, s->members.n_keys);
    for (size_t k = 0; k < s->members.n_keys; k++)
        if (strcmp(s->members.key[k], "output.report") != 0) set[n++] = s->members.member[0].set[k];
    const mt_one_run_variant changes = {.n_after = n, .after = set};
    mt_messages_begin(&said, scratch); /* those of the first member */
    const mt_status status = mt_one_run_read(s->arena, s->arguments, &changes, &s->base);
    mt_messages_end(&said);
    return mt_ensemble_fail_at(s, 0, status);
}

/* ---- checks ---- */

/* Checks that a case fits the mesh of the first, if it has the same mesh. */
static mt_status check_fit(const mt_shared *shared, const mt_case *input)
{
    bool has;
    MT_TRY(mt_shared_has(shared, input, &has));
    return has ? mt_problem_check_like(&shared->problem, input) : MT_OK;
}

/* Builds the shared data if this is the first member, and checks the member on its mesh. */
static mt_status check_run(mt_ensemble_state *s, size_t k)
{
    const mt_one_run *r = &s->of[k].run;
    mt_status status = k == s->order[0] ? mt_shared_make(&s->shared, &r->input, r->cached) : MT_OK;
    if (status == MT_OK) status = check_fit(&s->shared, &r->input);
    return mt_ensemble_fail_at(s, k, mt_fail_in(r->run.path, status));
}

mt_status mt_ensemble_check_runs(mt_ensemble_state *s)
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
    mt_arena *arena, const mt_ensemble_state *s, size_t k, const char *folder, mt_one_run **r)
{
    mt_one_run *resumed;
    MT_ALLOC(arena, resumed, 1);
    const mt_status status = mt_ensemble_read_run(arena, s, k, folder, resumed);
    if (status == MT_MEMORY) return status;
    if (status == MT_OK)
        *r = resumed;
    else
        mt_warn(
            "%s: starts at 0 ms, since its checkpoint cannot be used: %.600s", (*r)->run.path, mt_message());
    return MT_OK;
}

/* Executes run k in its folder, which was entered, with its record before it. */
static mt_status execute_run(mt_arena *own, mt_ensemble_state *s, size_t k, keeping *to)
{
    mt_one_run *r = &s->of[k].run;
    if (s->of[k].resumes) MT_TRY(read_resumed(own, s, k, to->folder, &r));
    MT_TRY(mt_member_record_write(to->folder, to->record));
    return mt_one_run_execute(own, r, &s->shared, to->folder, keep_results, to);
}

/* Executes it with its messages, which become those of the member and of the record of its results. */
static mt_status execute(
    mt_arena *arena, mt_ensemble_state *s, size_t k, const char *folder, mt_member_row *row)
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
    MT_TRY(mt_ensemble_add_messages(s, k, &said));
    record.messages = s->of[k].said;
    if (to.written) MT_TRY(mt_member_record_write(folder, &record));
    if (record.row.n_beats > 0)
        *row = record.row;
    else if (!mt_checkpoints_any(folder))
        mt_member_record_remove(folder);
    return status;
}

mt_status mt_ensemble_make_run(mt_arena *arena, mt_ensemble_state *s, size_t k, mt_member_row *row)
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
static mt_status note_failure(mt_ensemble_state *s, size_t k, mt_status status, const char *why)
{
    char text[704], message[1024];
    mt_variant *v = &s->of[k];
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

mt_status mt_ensemble_note_end(mt_ensemble_state *s, size_t k, mt_status status, const char *why)
{
    s->n_ended++;
    s->of[k].row.outcome = "done";
    if (status != MT_OK) MT_TRY(note_failure(s, k, status, why));
    return mt_ensemble_write_table(s);
}
