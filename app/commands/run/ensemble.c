#include "app/commands/run/ensemble.h"

#include <math.h>
#include <string.h>

#include "app/cli/ranks.h"
#include "app/commands/run/ensemble_files.h"
#include "app/commands/run/ensemble_jobs.h"
#include "app/commands/run/ensemble_runs.h"
#include "app/results/member_file.h"
#include "app/run/case_lines.h"
#include "data/files/folder.h"

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
    if (text) MT_TRY(mt_integer("--jobs", text, 1, MT_ENSEMBLE_JOBS_MAX, &n));
    if (mt_ranks() && n > 1)
        return mt_fail(MT_INPUT,
            "--jobs %lu on %u ranks; allowed: 1, since each rank executes a run at a time", n,
            mt_ranks()->n_ranks);
    if (mt_ranks()) n = mt_ranks()->n_ranks;
    *jobs = n;
    return MT_OK;
}

/* Finds the keys that have to agree for members to share data. */
static mt_status find_problem(mt_variant *v)
{
    MT_SCRATCH(scratch);
    const char *lines;
    MT_TRY(mt_yaml_write_lines(scratch, &mt_case_table, &v->run.input, &lines));
    return mt_case_lines_hash(lines, MT_AFFECTS_PROBLEM | MT_AFFECTS_MAPPING, v->problem);
}

/* Reads the case of a member, with its messages. */
static mt_status read_member_run(mt_ensemble_state *s, size_t k)
{
    MT_SCRATCH(scratch);
    mt_messages said;
    mt_variant *v = &s->of[k];
    v->said = (mt_messages){.arena = s->arena};
    mt_messages_begin(&said, scratch);
    const mt_status status = mt_ensemble_fail_at(s, k, mt_ensemble_read_run(s->arena, s, k, NULL, &v->run));
    mt_messages_end(&said);
    if (status == MT_OK) return mt_ensemble_add_messages(s, k, &said);
    mt_messages_report(&said);
    return status;
}

static mt_status read_member(mt_ensemble_state *s, size_t k)
{
    mt_variant *v = &s->of[k];
    s->name[k] = s->members.member[k].name;
    s->value[k] = s->members.member[k].value;
    v->row = (mt_member_row){.outcome = "not begun", .error = "", .chosen = "", .step_cycles = NAN};
    MT_TRY(read_member_run(s, k));
    MT_TRY(mt_member_fingerprint(&v->run.input, v->fingerprint));
    return find_problem(v);
}

static mt_status read_members(mt_ensemble_state *s)
{
    s->n = s->members.n;
    MT_ALLOC(s->arena, s->of, s->n);
    MT_ALLOC(s->arena, s->name, s->n);
    MT_ALLOC(s->arena, s->value, s->n);
    MT_ALLOC(s->arena, s->order, s->n);
    for (size_t k = 0; k < s->n; k++) MT_TRY(read_member(s, k));
    return s->members.sweep ? MT_OK : mt_ensemble_read_base(s);
}

/* Finds out what an earlier command left of a member. */
static mt_status find_earlier(mt_ensemble_state *s, size_t k)
{
    char path[MT_FILE_PATH_MAX];
    mt_member_record record;
    mt_variant *v = &s->of[k];
    MT_TRY(mt_folder_path(s->folder, s->name[k], path));
    if (mt_folder_is_taken(path))
        return mt_fail(MT_FILE, "%s: another run is writing into this folder", path);
    MT_TRY(mt_member_record_read(s->arena, path, &record));
    const bool same = strcmp(record.fingerprint, v->fingerprint) == 0;
    v->complete = same && record.complete;
    v->resumes = same && !record.complete && mt_checkpoints_any(path);
    if (!v->complete) return MT_OK;
    v->row = record.row;
    return mt_ensemble_add_messages(s, k, &record.messages);
}

/* Orders the members that are not complete: those that share data after one another. */
static mt_status order_members(mt_ensemble_state *s)
{
    char text[128];
    for (size_t k = 0; k < s->n; k++) MT_TRY(find_earlier(s, k));
    for (size_t k = 0; k < s->n; k++) {
        if (s->of[k].complete || s->of[k].begun) continue;
        for (size_t m = k; m < s->n; m++) {
            mt_variant *v = &s->of[m];
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

/* Executes the runs one after another, until all are done or a signal arrives. */
static mt_status make_runs(mt_ensemble_state *s)
{
    MT_TRY(mt_ensemble_check_runs(s));
    for (size_t i = 0; i < s->n_left && !mt_progress_interrupted(); i++) {
        const size_t k = s->order[i];
        const mt_status status = mt_ensemble_make_run(s->arena, s, k, &s->of[k].row);
        MT_TRY(mt_ensemble_note_end(s, k, status, mt_message()));
        if (status == MT_STOPPED) break;
    }
    return MT_OK;
}

/* ---- the end ---- */

/* Warns if the discretisation was chosen differently for different members, since their results then differ by its error, too. */
static void warn_of_choices(const mt_ensemble_state *s)
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

/* Returns the status of all runs, with one message. */
static mt_status outcome(const mt_ensemble_state *s)
{
    const size_t left = s->n_left - s->n_ended;
    if (s->status == MT_STOPPED || left > 0)
        return mt_fail(MT_STOPPED, "%s%s%zu of %zu %s %s not begun", s->why, s->why[0] ? "; " : "", left,
            s->n, s->many, left == 1 ? "was" : "were");
    if (s->status == MT_OK) return MT_OK;
    return mt_fail(
        s->status, "%zu of %zu %s failed; the first error: %s", s->n_failed, s->n, s->many, s->why);
}

/* Checks the files, and orders the members, on rank 0; tells the other ranks. */
static mt_status prepare(mt_ensemble_state *s)
{
    mt_status status = mt_ensemble_check_files(s);
    if (status == MT_OK) status = order_members(s);
    MT_TRY(mt_ranks_agree(status));
    return mt_ensemble_share(s);
}

static mt_status ensemble_in(mt_ensemble_state *s)
{
    bool picture, page;
    MT_TRY(prepare(s));
    if (!s->ranks && s->jobs > s->n_left) s->jobs = s->n_left;
    if (s->jobs > 1 && s->n_left > 0)
        MT_TRY(mt_ensemble_run_at_once(s));
    else if (s->n_left > 0)
        MT_TRY(make_runs(s));
    if (s->n_left == 0) MT_TRY(mt_ensemble_write_table(s));
    mt_progress_stage(NULL);
    mt_messages_begin(&s->said, s->arena);
    warn_of_choices(s);
    mt_messages_end(&s->said);
    if (s->n_ended == 0 && s->n_left == s->n) return outcome(s);
    MT_TRY(mt_ensemble_write_picture(s, &picture));
    mt_ensemble_write_page(s, &page);
    MT_TRY(mt_ensemble_print_table(s, picture, page));
    return outcome(s);
}

/* Reads the members of --sweep or --ensemble. */
static mt_status find_members(mt_ensemble_state *s)
{
    const char *sweep = mt_option_value(s->arguments, "--sweep", NULL),
               *table = mt_option_value(s->arguments, "--ensemble", NULL);
    if (sweep && table) return mt_fail(MT_INPUT, "--ensemble with --sweep; allowed: one of them");
    MT_TRY(check_options(s->arguments, sweep ? "--sweep" : "--ensemble", &s->jobs));
    s->file_name = sweep ? "sweep.csv" : "ensemble.csv";
    s->one = sweep ? "value" : "member";
    s->many = sweep ? "values" : "members";
    return sweep ? mt_members_of_sweep(s->arena, sweep, &s->members)
                 : mt_members_read(s->arena, table, mt_ensemble_file_names, &s->members);
}

/* Executes runs on another rank than 0. */
static mt_status serve(mt_ensemble_state *s)
{
    MT_TRY(mt_ranks_agree(MT_OK)); /* rank 0 is ready */
    MT_TRY(mt_ensemble_share(s));
    return mt_ensemble_serve(s);
}

static mt_status ensemble_of(mt_ensemble_state *s, const char *folder)
{
    mt_folder entered;
    MT_TRY(find_members(s));
    MT_TRY(read_members(s));
    if (s->ranks && s->ranks->rank > 0) return serve(s);
    mt_status status = mt_folder_enter(folder, mt_option_replace(s->arguments), &entered);
    if (status != MT_OK) return mt_ranks_agree(status); /* the other ranks wait for it */
    s->folder = entered.path;
    status = ensemble_in(s);
    mt_shared_free(&s->shared);
    mt_folder_close(&entered);
    return status;
}

mt_status mt_ensemble(mt_arena *arena, const mt_arguments *arguments, const char *folder)
{
    mt_ensemble_state *s;
    MT_ALLOC(arena, s, 1);
    s->arguments = arguments;
    s->arena = arena;
    s->ranks = mt_ranks();
    s->shared.repeats_messages = true;
    const mt_status status = ensemble_of(s, folder);
    mt_ensemble_report_messages(s);
    return status;
}
