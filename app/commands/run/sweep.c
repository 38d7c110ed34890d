#include "app/commands/run/sweep.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "data/core/progress.h"
#include "app/commands/run/one_run.h"
#include "app/commands/run/sweep_values.h"
#include "app/results/sweep_table.h"
#include "data/files/folder.h"

static const char file_name[] = "sweep.csv";

typedef struct sweep {
    const mt_arguments *arguments;
    const char *folder; /* entered */
    mt_sweep_values values;
    mt_one_run *run;   /* [values.n] */
    mt_sweep_row *row; /* [values.n] */
    mt_shared shared;
    size_t n_failed, n_begun;
    mt_status status; /* of the first failed or stopped run */
    char why[1024];   /* its message */
} sweep;

/* ---- before the first run ---- */

/* Refuses options that do not apply to several values. */
static mt_status check_options(const mt_arguments *arguments)
{
    static const char *const alone[] = {"--resume", "--profile"};
    for (int k = 0; k < 2; k++)
        if (mt_option_given(arguments, alone[k]))
            return mt_fail(MT_INPUT,
                "%s with --sweep; allowed: with a single run (--set with one of the values)", alone[k]);
    if (!mt_operand(arguments, 0)[0])
        return mt_fail(MT_INPUT, "--sweep without CASE.yaml; see myotile run --help");
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

/* Reads the case with each value. */
static mt_status read_runs(mt_arena *arena, sweep *s)
{
    MT_ALLOC(arena, s->run, s->values.n);
    MT_ALLOC(arena, s->row, s->values.n);
    for (size_t k = 0; k < s->values.n; k++) {
        const mt_sweep_value *value = &s->values.value[k];
        const mt_yaml_override set = {"--sweep", value->set};
        mt_one_run *r = &s->run[k];
        MT_TRY(mt_one_run_read(arena, s->arguments, &set, r));
        MT_TRY(join(arena, r->run.path, ", ", value->name, &r->run.path));
        MT_TRY(join(arena, r->run.what, " ", value->name, &r->run.what));
        MT_TRY(mt_fail_in(r->run.path, mt_problem_find_files(arena, &r->input)));
        s->row[k] = (mt_sweep_row){.value = value->text, .outcome = "not begun", .step_cycles = NAN};
    }
    return MT_OK;
}

/* Checks that a case fits the mesh of the first, if it has the same mesh. */
static mt_status check_fit(const mt_shared *shared, const mt_case *input)
{
    bool has;
    MT_TRY(mt_shared_has(shared, input, &has));
    return has ? mt_problem_check_like(&shared->problem, input) : MT_OK;
}

static mt_status check_runs(sweep *s)
{
    MT_TRY(mt_fail_in(s->run[0].run.path, mt_shared_make(&s->shared, &s->run[0].input, s->run[0].cached)));
    for (size_t k = 0; k < s->values.n; k++)
        MT_TRY(mt_fail_in(s->run[k].run.path, check_fit(&s->shared, &s->run[k].input)));
    return MT_OK;
}

/* ---- the table ---- */

static mt_table table_of(mt_arena *arena, const sweep *s)
{
    const char *title = s->run[0].input.title;
    return mt_sweep_table(arena, title[0] ? title : "Sweep", s->values.key, s->values.n, s->row);
}

static mt_status write_table(const sweep *s)
{
    MT_SCRATCH(scratch);
    char path[MT_FILE_PATH_MAX];
    mt_file file;
    mt_status status = mt_folder_path(s->folder, file_name, path);
    if (status == MT_OK) status = mt_file_begin(path, &file);
    if (status == MT_OK) {
        const mt_table table = table_of(scratch, s);
        mt_folder_keep(s->folder);
        status = mt_file_end(&file, mt_table_put_csv(file.stream, &table));
    }
    return status;
}

static mt_status print_table(mt_arena *arena, const sweep *s)
{
    FILE *out = s->arguments->out;
    const mt_table table = table_of(arena, s);
    MT_TRY(mt_print_tables(s->arguments, &table, 1));
    if (s->arguments->format != MT_FORMAT_TEXT) return MT_OK;
    (void)fprintf(out, "\nIn %s/: %s (this table) and one folder for each value: %s/ ...\n", s->folder,
        file_name, s->values.value[0].name);
    if (fflush(out) == 0 && !ferror(out)) return MT_OK;
    return mt_fail(MT_FILE, "standard output: %s; the results are in %s/", strerror(errno), s->folder);
}

/* ---- the runs ---- */

/* Destinations of a run's results. */
typedef struct keeping {
    mt_arena *arena; /* of the sweep */
    const char *folder;
    mt_sweep_row *row;
} keeping;

static mt_status keep_results(void *user, mt_arena *arena, const mt_run *done)
{
    const keeping *to = user;
    bool page;
    (void)arena;
    MT_TRY(mt_sweep_row_fill(to->arena, done, to->row));
    return mt_one_run_write(done, to->folder, &page);
}

/* Executes run k in its folder. */
static mt_status make_run(mt_arena *arena, sweep *s, size_t k)
{
    char path[MT_FILE_PATH_MAX];
    mt_folder folder;
    MT_SCRATCH(own);
    MT_TRY(mt_folder_path(s->folder, s->values.value[k].name, path));
    MT_TRY(mt_folder_enter(path, mt_option_replace(s->arguments), &folder));
    keeping to = {arena, folder.path, &s->row[k]};
    const mt_status status = mt_one_run_execute(own, &s->run[k], &s->shared, folder.path, keep_results, &to);
    mt_folder_close(&folder);
    return status;
}

/* Records a failure. The message is prefixed with the case and its value unless it begins with them. */
static void note_failure(sweep *s, size_t k, mt_status status)
{
    char message[900];
    (void)snprintf(message, sizeof message, "%s", mt_message());
    const char *path = s->run[k].run.path;
    if (strncmp(message, path, strlen(path)) != 0)
        (void)snprintf(message, sizeof message, "%.200s: %.600s", path, mt_message());
    s->row[k].outcome = status == MT_STOPPED ? "stopped" : "failed";
    s->n_failed += status != MT_STOPPED;
    if (status != MT_STOPPED) mt_warn("%s", message);
    if (s->status != MT_OK && status != MT_STOPPED) return;
    s->status = status;
    (void)snprintf(s->why, sizeof s->why, "%s", message);
}

/* Executes the runs one after another, until all are done or a signal arrives. */
static mt_status make_runs(mt_arena *arena, sweep *s)
{
    for (size_t k = 0; k < s->values.n && !mt_progress_interrupted(); k++) {
        const mt_status status = make_run(arena, s, k);
        s->n_begun++;
        s->row[k].outcome = "done";
        if (status != MT_OK) note_failure(s, k, status);
        MT_TRY(write_table(s));
        if (status == MT_STOPPED) break;
    }
    return MT_OK;
}

/* Warns if the discretisation was chosen differently for different values, since their results then differ by its error, too. */
static void warn_of_choices(const sweep *s)
{
    const mt_one_run *of[2] = {NULL, NULL};
    for (size_t k = 0; k < s->n_begun; k++) {
        const mt_placing *placing = &s->run[k].problem.placing;
        if (placing->automatic && !of[placing->at_vertices]) of[placing->at_vertices] = &s->run[k];
    }
    if (of[0] && of[1])
        mt_warn("diffusion.discretisation: auto: found voltages at the elements (%s) and at the vertices "
                "(%s) in one sweep, "
                "so that the results also differ by their errors; to compare values: --set "
                "diffusion.discretisation=elements, or nodes",
            of[0]->run.path, of[1]->run.path);
}

/* Returns the status of all runs, with one message. */
static mt_status outcome(const sweep *s)
{
    const size_t left = s->values.n - s->n_begun;
    if (s->status == MT_STOPPED || left > 0)
        return mt_fail(MT_STOPPED, "%s%s%zu of %zu values %s not begun", s->why, s->why[0] ? "; " : "", left,
            s->values.n, left == 1 ? "was" : "were");
    if (s->status == MT_OK) return MT_OK;
    return mt_fail(
        s->status, "%zu of %zu values failed; the first error: %s", s->n_failed, s->values.n, s->why);
}

static mt_status sweep_in(mt_arena *arena, sweep *s)
{
    char path[MT_FILE_PATH_MAX];
    MT_TRY(mt_folder_path(s->folder, file_name, path));
    MT_TRY(mt_file_check(path, MT_FILE_ANY));
    MT_TRY(check_runs(s));
    MT_TRY(make_runs(arena, s));
    mt_progress_stage(NULL);
    warn_of_choices(s);
    if (s->n_begun > 0) MT_TRY(print_table(arena, s));
    return outcome(s);
}

mt_status mt_sweep(mt_arena *arena, const mt_arguments *arguments, const char *folder)
{
    sweep *s;
    mt_folder entered;
    MT_ALLOC(arena, s, 1);
    s->arguments = arguments;
    MT_TRY(check_options(arguments));
    MT_TRY(mt_sweep_values_read(arena, mt_option_value(arguments, "--sweep", ""), &s->values));
    MT_TRY(read_runs(arena, s));
    MT_TRY(mt_folder_enter(folder, mt_option_replace(arguments), &entered));
    s->folder = entered.path;
    const mt_status status = sweep_in(arena, s);
    mt_shared_free(&s->shared);
    mt_folder_close(&entered);
    return status;
}
