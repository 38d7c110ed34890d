#include "app/run/checkpoints.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/core/progress.h"
#include "app/run/case_lines.h"
#include "data/files/folder.h"
#include "data/files/input.h"
#include "data/core/number.h"

enum { DIGITS = 10, NAME = 32 };

/* ---- names ---- */

static mt_status path_of(const char *folder, size_t step, char path[MT_FILE_PATH_MAX])
{
    char name[NAME];
    (void)snprintf(name, sizeof name, "checkpoint-%0*zu.hdf", DIGITS, step);
    return mt_folder_path(folder, name, path);
}

/* True if this is the name of a checkpoint; then sets its step. */
static bool is_checkpoint(const char *name, size_t *step)
{
    char same[NAME];
    if (sscanf(name, "checkpoint-%zu", step) != 1) return false;
    return snprintf(same, sizeof same, "checkpoint-%0*zu.hdf", DIGITS, *step) < NAME &&
           strcmp(name, same) == 0;
}

bool mt_checkpoints_own(const char *folder, const char *path)
{
    char above[MT_FILE_PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t step;
    if (!is_checkpoint(slash ? slash + 1 : path, &step)) return false;
    (void)snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return mt_file_same(above, folder);
}

static int later_first(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x < y) - (x > y);
}

/* Lists the steps of the checkpoints in a folder, the latest first. */
static mt_status list(mt_arena *arena, const char *folder, size_t *n, size_t **steps)
{
    size_t room = 0, step;
    *n = 0;
    *steps = NULL;
    DIR *dir = opendir(folder);
    if (!dir) return mt_fail(MT_FILE, "%s: this folder cannot be read: %s", folder, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(dir));) room += is_checkpoint(entry->d_name, &step);
    *steps = mt_arena_alloc(arena, room + 1, sizeof **steps);
    rewinddir(dir);
    for (const struct dirent *entry; *steps && *n < room && (entry = readdir(dir));)
        if (is_checkpoint(entry->d_name, &step)) (*steps)[(*n)++] = step;
    (void)closedir(dir);
    if (!*steps) return MT_MEMORY;
    qsort(*steps, *n, sizeof **steps, later_first);
    return MT_OK;
}

/* ---- deleting ---- */

/* Deletes all checkpoints but the latest `keep` of those up to the step `newest`. Ignores failures to delete. */
static void remove_all_but(const char *folder, size_t newest, size_t keep)
{
    MT_SCRATCH(scratch);
    size_t n, *steps;
    char path[MT_FILE_PATH_MAX];
    if (list(scratch, folder, &n, &steps) != MT_OK) n = 0;
    for (size_t k = 0, kept = 0; k < n; k++) {
        const bool stays = steps[k] <= newest && kept < keep;
        kept += stays;
        if (!stays && path_of(folder, steps[k], path) == MT_OK) (void)unlink(path);
    }
}

/* ---- writing ---- */

/* True if its run had reached its end. */
static bool is_the_end(mt_arena *scratch, const mt_checkpoint *c)
{
    mt_case input;
    return mt_yaml_read(scratch, c->path, c->case_text, &mt_case_table, NULL, 0, &input) == MT_OK &&
           c->step >= mt_case_steps(&input);
}

static void warn_of_others(const char *folder)
{
    MT_SCRATCH(scratch);
    mt_checkpoint other;
    size_t n, *steps;
    if (list(scratch, folder, &n, &steps) == MT_OK && n > 0 &&
        mt_checkpoints_newest(scratch, folder, &other) == MT_OK && !is_the_end(scratch, &other))
        mt_warn("%s: the results of a stopped run will be replaced; to resume that run instead: `myotile run "
                "--resume %s`",
            other.path, folder);
}

mt_status mt_checkpoints_begin(mt_arena *arena, const mt_case *input, const char *folder,
    const mt_checkpoint *from, mt_checkpoints *checkpoints)
{
    *checkpoints = (mt_checkpoints){.keep = input->checkpoint.keep,
        .every_s = 60 * input->checkpoint.every_minutes,
        .written_s = mt_now_s(),
        .at_end = input->checkpoint.at_end};
    if (!from) warn_of_others(folder);
    checkpoints->folder = folder;
    if (!isnan(input->checkpoint.every_ms))
        checkpoints->every_steps = (size_t)fmax(1, round(input->checkpoint.every_ms / input->time.dt_ms));
    if (from && mt_checkpoints_own(folder, from->path)) {
        checkpoints->any = true;
        checkpoints->newest = from->step;
    }
    return mt_yaml_write(arena, &mt_case_table, input, &checkpoints->case_text);
}

bool mt_checkpoints_due(const mt_checkpoints *c, size_t steps_done, bool wanted)
{
    if (c->keep == 0) return false;
    if (wanted) return true;
    if (c->every_steps > 0 && steps_done % c->every_steps == 0) return true;
    return c->every_s > 0 && mt_now_s() - c->written_s >= c->every_s;
}

void mt_checkpoints_write(mt_checkpoints *c, const mt_monodomain *problem, const mt_results *results,
    const mt_backend *backend, void *self, mt_segments *segments, size_t steps_done)
{
    char path[MT_FILE_PATH_MAX];
    mt_status status = path_of(c->folder, steps_done, path);
    mt_folder_keep(c->folder);
    if (status == MT_OK) status = mt_input_change_in_place(path); /* one of this step may have been read */
    if (status == MT_OK) status = mt_segments_count(segments, problem, backend, self, steps_done);
    if (status == MT_OK)
        status = mt_checkpoint_write(path, problem, results, backend, self, segments, c->case_text);
    c->written_s = mt_now_s();
    if (status != MT_OK) {
        mt_warn("no checkpoint at %g ms; earlier ones remain: %s", (double)steps_done * problem->dt_ms,
            mt_message());
        return;
    }
    remove_all_but(c->folder, steps_done, c->any ? c->keep : 1);
    c->any = true;
    c->newest = steps_done;
}

void mt_checkpoints_end(const mt_checkpoints *c)
{
    if (c->folder) remove_all_but(c->folder, c->newest, c->at_end && c->any ? 1 : 0);
}

/* ---- reading ---- */

bool mt_checkpoints_any(const char *folder)
{
    mt_arena scratch = {0};
    size_t n = 0, *steps;
    const mt_status status = list(&scratch, folder, &n, &steps);
    mt_arena_free(&scratch);
    return status == MT_OK && n > 0;
}

mt_status mt_checkpoints_newest(mt_arena *arena, const char *folder, mt_checkpoint *newest)
{
    size_t n, *steps;
    char path[MT_FILE_PATH_MAX];
    MT_TRY(list(arena, folder, &n, &steps));
    for (size_t k = 0; k < n; k++) {
        MT_TRY(path_of(folder, steps[k], path));
        const mt_status status = mt_checkpoint_open(arena, path, newest);
        if (status == MT_OK || status == MT_MEMORY) return status;
        if (k + 1 < n)
            mt_warn("%s; resuming from the previous checkpoint", mt_message());
        else
            return status;
    }
    return mt_fail(MT_FILE, "%s: found no checkpoint in this folder", folder);
}

/* ---- comparing ---- */

static mt_status compare(const mt_checkpoint *from, const char *was, const char *is)
{
    mt_case_line before, now;
    if (!mt_case_lines_differ(was, is, MT_AFFECTS_STATE, &before, &now)) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: a checkpoint of a run with %.*s, here %.*s; allowed to differ: mesh.file, time.end_ms, "
        "time.until, at_ms after the checkpoint, machine, checkpoint",
        from->path, before.text ? (int)before.n : 4, before.text ? before.text : "less",
        now.text ? (int)now.n : 4, now.text ? now.text : "less");
}

/* Writes the k-th time of a list, or "none" if there is none up to the checkpoint. */
static void listed(const mt_checkpoint *from, const mt_moments_request *asked, const mt_moments *moments,
    size_t k, char text[MT_NUMBER_SIZE])
{
    (void)strcpy(text, "none");
    if (k < moments->n && moments->at[k] <= from->step) mt_number_text(asked->at_ms[k], text);
}

/* Checks that the sample times up to the checkpoint are the same. */
static mt_status compare_lists(mt_arena *scratch, const mt_checkpoint *from, const char *key,
    const mt_moments_request *was, const mt_moments_request *is, double dt_ms)
{
    mt_moments before, now;
    char old[MT_NUMBER_SIZE], new[MT_NUMBER_SIZE];
    MT_TRY(mt_moments_make(scratch, key, was, dt_ms, INFINITY, &before));
    MT_TRY(mt_moments_make(scratch, key, is, dt_ms, INFINITY, &now));
    for (size_t k = 0; k < before.n || k < now.n; k++) {
        listed(from, was, &before, k, old);
        listed(from, is, &now, k, new);
        if (strcmp(old, new) == 0 || (k < before.n && k < now.n && before.at[k] == now.at[k])) continue;
        return mt_fail(MT_INPUT,
            "%s: a checkpoint of a run with %s.at_ms.%zu: %s, here %s; allowed to differ: times above %.9g",
            from->path, key, k, old, new, (double)from->step * dt_ms);
    }
    return MT_OK;
}

mt_status mt_checkpoints_case(
    mt_arena *arena, const mt_checkpoint *from, const mt_case *input, mt_case *before)
{
    static const char key[] = "cell.model=";
    const bool same = strcmp(from->model, mt_case_model(input)->identity) == 0;
    const size_t n = sizeof key + strlen(input->cell.named);
    char *set;
    if (!same && strchr(from->model, '#')) /* an imported model, which may no longer exist */
        return mt_fail(MT_INPUT, "%s: from a run of the ionic model %s; here %s", from->path, from->model,
            mt_case_model(input)->identity);
    MT_ALLOC(arena, set, n);
    (void)snprintf(set, n, "%s%s", key, input->cell.named);
    return mt_yaml_read(arena, from->path, from->case_text, &mt_case_table,
        &(mt_yaml_override){from->path, set}, same ? 1 : 0, before);
}

mt_status mt_checkpoints_agree(const mt_checkpoint *from, const mt_case *input)
{
    MT_SCRATCH(scratch);
    mt_case before;
    const char *was, *is;
    MT_TRY(mt_checkpoints_case(scratch, from, input, &before));
    MT_TRY(mt_yaml_write_lines(scratch, &mt_case_table, &before, &was));
    MT_TRY(mt_yaml_write_lines(scratch, &mt_case_table, input, &is));
    MT_TRY(compare(from, was, is));
    if (from->step > mt_case_steps(input))
        return mt_fail(MT_INPUT, "time.end_ms: %g; allowed: at least %g, the time of %s", input->time.end_ms,
            (double)from->step * input->time.dt_ms, from->path);
    MT_TRY(
        compare_lists(scratch, from, "traces", &before.traces.when, &input->traces.when, input->time.dt_ms));
    return compare_lists(
        scratch, from, "series", &before.series.samples.when, &input->series.samples.when, input->time.dt_ms);
}

/* ---- initial state from another run ---- */

mt_status mt_checkpoints_warn_of_start(const mt_checkpoint *from, const mt_case *input, const char *name)
{
    MT_SCRATCH(scratch);
    mt_case before;
    mt_case_line found, here;
    const char *was, *is;
    MT_TRY(mt_checkpoints_case(scratch, from, input, &before));
    MT_TRY(mt_yaml_write_lines(scratch, &mt_case_table, &before, &was));
    MT_TRY(mt_yaml_write_lines(scratch, &mt_case_table, input, &is));
    if (mt_case_lines_differ(was, is, MT_AFFECTS_CELLS | MT_AFFECTS_TISSUE, &found, &here))
        mt_warn("%s: start.state: %s: a state of a run with %.*s, here %.*s; usual: the same, unless it "
                "changes at time 0",
            name, from->path, found.text ? (int)found.n : 4, found.text ? found.text : "less",
            here.text ? (int)here.n : 4, here.text ? here.text : "less");
    return MT_OK;
}
