#include "app/commands/run/one_run.h"

#include <string.h>

#include "mesh/vtk/vtkhdf.h"
#include "data/core/progress.h"
#include "solver/case/findings.h"
#include "app/cli/ranks.h"
#include "app/eikonal/prescribed.h"
#include "app/report/html_report.h"
#include "app/results/qrs_tables.h"
#include "app/heart/mesh_file.h"
#include "app/run/start_cell.h"

enum { TRACE_SLICES_MAX = 2000000 }; /* slices of tiles; some 300 MB of trace.json */

/* ---- options ---- */

/* Appends --machine-set to machine.set of the case. */
static mt_status add_machine_sets(mt_arena *arena, const mt_arguments *arguments, mt_case *input)
{
    mt_yaml_override *more, *all;
    size_t n;
    MT_TRY(mt_option_overrides(arena, arguments, "--machine-set", &n, &more));
    MT_ALLOC(arena, all, input->machine.n_sets + n + 1);
    for (size_t k = 0; k < input->machine.n_sets; k++) all[k] = input->machine.sets[k];
    for (size_t k = 0; k < n; k++) all[input->machine.n_sets + k] = more[k];
    input->machine.sets = all;
    input->machine.n_sets += n;
    return MT_OK;
}

void mt_one_run_give(mt_one_run *r, const mt_placing *placing)
{
    if (!mt_case_is_auto(&r->input)) return;
    r->given = *placing;
    mt_case_fix_discretisation(&r->input, placing->at_vertices);
}

/* With auto, takes the discretisation of the checkpoint. */
static mt_status take_from_checkpoint(mt_one_run *r)
{
    MT_SCRATCH(scratch);
    mt_case before;
    if (!r->resumed || !mt_case_is_auto(&r->input)) return MT_OK;
    MT_TRY(mt_checkpoints_case(scratch, &r->from, &r->input, &before));
    const mt_placing placing = mt_placing_given(mt_case_at_vertices(&before), "as in the checkpoint");
    if (placing.at_vertices) MT_TRY(mt_fail_in(r->run.path, mt_case_check_vertices(&r->input)));
    mt_one_run_give(r, &placing);
    return MT_OK;
}

/* With auto, takes what the saved partition is of, or the elements if the machine excludes the vertices. */
static mt_status check_machine(mt_arena *arena, mt_one_run *r)
{
    mt_case vertices = r->input;
    mt_mapping_choice choice;
    char why[sizeof r->given.why];
    if (!mt_case_is_auto(&r->input)) return MT_OK;
    mt_case_fix_discretisation(&vertices, true);
    const mt_status status = mt_mapping_choose(arena, "", &vertices, r->ranks, &choice);
    if (status == MT_OK && choice.saved) {
        bool at_vertices;
        MT_TRY(mt_vtkhdf_has_partition(r->input.mesh.file, true, &at_vertices));
        const mt_placing same = mt_placing_given(at_vertices, "as in the saved partition");
        mt_one_run_give(r, &same);
    }
    if (status != MT_INPUT) return status;
    const char *message = mt_message();
    (void)snprintf(why, sizeof why, "since the vertices are excluded: %.200s",
        strncmp(message, ": ", 2) == 0 ? message + 2 : message);
    const mt_placing elements = mt_placing_given(false, why);
    mt_one_run_give(r, &elements);
    return MT_OK;
}

/* Joins the values of --set and of the variant, in the order in which they are applied. */
static mt_status join_sets(mt_arena *arena, const mt_arguments *arguments, const mt_one_run_variant *variant,
    size_t *n, mt_yaml_override **sets)
{
    const mt_one_run_variant none = {0}, *v = variant ? variant : &none;
    mt_yaml_override *given;
    size_t n_given;
    MT_TRY(mt_option_overrides(arena, arguments, "--set", &n_given, &given));
    MT_ALLOC(arena, *sets, v->n_before + n_given + v->n_after);
    *n = 0;
    for (size_t k = 0; k < v->n_before; k++) (*sets)[(*n)++] = v->before[k];
    for (size_t k = 0; k < n_given; k++) (*sets)[(*n)++] = given[k];
    for (size_t k = 0; k < v->n_after; k++) (*sets)[(*n)++] = v->after[k];
    return MT_OK;
}

/* Reads the case of the file, or the case in the checkpoint. */
static mt_status read_case(
    mt_arena *arena, const mt_arguments *arguments, const mt_one_run_variant *variant, mt_one_run *r)
{
    mt_yaml_override *sets;
    size_t n_sets;
    MT_TRY(join_sets(arena, arguments, variant, &n_sets, &sets));
    if (r->resumed && r->run.path[0] && !mt_checkpoints_any(r->resumed)) {
        mt_warn("%s: found no checkpoint; the run starts at 0 ms", r->resumed);
        r->resumed = NULL;
    }
    if (r->resumed) MT_TRY(mt_checkpoints_newest(arena, r->resumed, &r->from));
    if (r->run.path[0]) {
        MT_TRY(mt_case_load(arena, r->run.path, sets, n_sets, &r->input));
        return take_from_checkpoint(r);
    }
    if (!r->resumed)
        return mt_fail(MT_INPUT, "run: CASE.yaml or --resume DIR is required; see myotile run --help");
    r->run.path = r->from.path;
    MT_TRY(mt_case_read(arena, r->run.path, r->from.case_text, sets, n_sets, &r->input));
    return take_from_checkpoint(r);
}

/* Parses FIRST:LAST, two of n indices counted from 0. */
static mt_status parse_range(
    const char *option, const char *text, const char *what, size_t n, size_t *first, size_t *last)
{
    char list[64] = "";
    unsigned long number[2];
    size_t found = 0;
    const char *colon = strchr(text, ':');
    if (colon && !strchr(text, ',') && strlen(text) < sizeof list) {
        (void)strcpy(list, text);
        list[colon - text] = ',';
    }
    if (mt_integers(option, list, 0, n - 1, 2, &found, number) != MT_OK || found != 2 ||
        number[0] > number[1])
        return mt_fail(MT_INPUT, "%s %s; allowed: FIRST:LAST, %s from 0 to %zu, FIRST at most LAST", option,
            text, what, n - 1);
    *first = number[0];
    *last = number[1];
    return MT_OK;
}

/* Reads the options for profile and trace of a machine with n_tiles. */
static mt_status read_profile_options(const mt_arguments *arguments, size_t n_tiles, mt_one_run *r)
{
    static const char *const of_machine[] = {"--profile", "--trace", "--trace-tiles"};
    const char *steps = mt_option_value(arguments, "--trace", NULL),
               *tiles = mt_option_value(arguments, "--trace-tiles", NULL);
    for (int k = 0; !r->run.backend->profile && k < 3; k++)
        if (mt_option_given(arguments, of_machine[k]))
            return mt_fail(MT_INPUT, "%s with machine.backend: cpu; allowed: with ipu", of_machine[k]);
    r->run.details = mt_option_value(arguments, "--profile", NULL);
    if (tiles && !steps) return mt_fail(MT_INPUT, "--trace-tiles without --trace; allowed: with --trace");
    if (!steps) return MT_OK;
    mt_tracing *t = &r->tracing;
    *t = (mt_tracing){.last_tile = n_tiles - 1, .slices_max = TRACE_SLICES_MAX};
    r->run.tracing = t;
    MT_TRY(
        parse_range("--trace", steps, "time steps", mt_case_steps(&r->input), &t->first_step, &t->last_step));
    if (r->resumed && t->first_step < r->from.step)
        return mt_fail(MT_INPUT, "--trace %s: %s starts at step %zu; allowed: this step or later", steps,
            r->from.path, r->from.step);
    if (!tiles) return MT_OK;
    return parse_range("--trace-tiles", tiles, "tiles", n_tiles, &t->first_tile, &t->last_tile);
}

/* Begins a run without a case. */
static void begin(const char *path, bool cached, const mt_communicator *ranks, mt_one_run *r)
{
    *r = (mt_one_run){.cached = cached,
        .ranks = ranks,
        .run = {.path = path,
            .input = &r->input,
            .problem = &r->problem,
            .checkpoints = &r->checkpoints,
            .sampling = &r->sampling,
            .what = "simulating",
            .on_signal =
                "\nmyotile: stopping: writing the results so far; a second signal quits immediately\n"}};
}

/* Selects backend and machine of the case that was read. */
static mt_status choose_machine(mt_arena *arena, mt_one_run *r)
{
    r->run.backend = mt_case_backend(&r->input);
    r->run.until_activated = r->input.time.until == MT_CASE_UNTIL_ACTIVATED;
    MT_TRY(mt_mapping_choose(arena, r->run.path, &r->input, r->ranks, &r->choice));
    MT_TRY(check_machine(arena, r));
    r->choice.cached = r->cached;
    return MT_OK;
}

mt_status mt_one_run_read(
    mt_arena *arena, const mt_arguments *arguments, const mt_one_run_variant *variant, mt_one_run *r)
{
    begin(
        mt_operand(arguments, 0), !mt_option_given(arguments, "--no-cache"), variant ? NULL : mt_ranks(), r);
    r->resumed = variant ? variant->resumed : mt_option_value(arguments, "--resume", NULL);
    MT_TRY(read_case(arena, arguments, variant, r));
    if (r->resumed) r->run.from = &r->from;
    MT_TRY(add_machine_sets(arena, arguments, &r->input));
    MT_TRY(choose_machine(arena, r));
    return read_profile_options(arguments, r->choice.target.tiles, r);
}

mt_status mt_one_run_of_case(mt_arena *arena, const char *path, const mt_yaml_override *sets, size_t n_sets,
    bool cached, const mt_communicator *ranks, mt_one_run *r)
{
    begin(path, cached, ranks, r);
    MT_TRY(mt_case_load(arena, path, sets, n_sets, &r->input));
    return choose_machine(arena, r);
}

/* ---- before the first step ---- */

/* Checks that all files of the run can be written. */
static mt_status check_files(const mt_one_run *r, const char *folder)
{
    return mt_run_files_check(
        folder, &r->input, r->run.backend->profile != NULL, r->run.details, r->run.tracing != NULL);
}

/* Opens the initial state of the case, if it is not the resting state. */
static mt_status open_start(mt_arena *arena, const char *folder, mt_one_run *r)
{
    const char *state = r->input.start.state;
    if (r->resumed || !state[0]) return MT_OK;
    if (folder && mt_checkpoints_own(folder, state))
        return mt_fail(MT_INPUT,
            "start.state: %s is in the output folder, where this run would delete it; allowed: another "
            "--output",
            state);
    if (mt_start_is_cell(state)) return mt_start_cell(arena, r->run.path, state, &r->problem.monodomain);
    MT_TRY(mt_checkpoint_open(arena, state, &r->start));
    MT_TRY(mt_fail_in("start.state", mt_checkpoint_check_start(&r->start, &r->problem.monodomain)));
    r->run.start = &r->start;
    return mt_checkpoints_warn_of_start(&r->start, &r->input, r->run.path);
}

static mt_status make_problem(mt_arena *arena, mt_shared *shared, mt_one_run *r)
{
    MT_TRY(mt_problem_find_files(arena, &r->input));
    MT_TRY(shared ? mt_shared_problem(shared, arena, &r->input, r->cached, &r->problem)
                  : mt_problem_make(arena, &r->input, r->cached, &r->problem));
    if (r->given.automatic) r->problem.placing = r->given;
    if (!r->placing_told) mt_placing_report(r->run.path, &r->problem.placing);
    return mt_problem_fix(arena, &r->problem, &r->input);
}

/* Sets the initial cells: from the checkpoint, which must belong to this case and problem, or by pre-pacing. */
static mt_status begin_cells(mt_arena *arena, mt_one_run *r)
{
    if (!r->resumed)
        return mt_fail_in(r->run.path, mt_problem_prepace(arena, &r->input, r->cached, &r->problem));
    MT_TRY(mt_checkpoints_agree(&r->from, &r->input));
    return mt_checkpoint_check(&r->from, &r->problem.monodomain);
}

/* Adds the current of a prescribed activation, and reports it. */
static mt_status prescribe(mt_arena *arena, mt_one_run *r)
{
    mt_prescribed prescribed;
    char text[160];
    if (r->input.activation != MT_CASE_EIKONAL) return MT_OK;
    MT_TRY(mt_prescribe(arena, r->run.path, &r->input, !r->resumed, r->cached, &r->problem, &prescribed));
    (void)snprintf(text, sizeof text,
        "activation: prescribed by the eikonal equation at %zu of %zu %s, the last at %.4g ms",
        prescribed.n_unknowns, mt_unknowns_count(&r->problem.unknowns),
        mt_unknowns_word(&r->problem.unknowns, 2), prescribed.latest_ms);
    mt_note(r->run.path, text, strlen(text));
    return MT_OK;
}

static mt_status make_mapping(mt_arena *arena, mt_shared *shared, mt_one_run *r)
{
    mt_mapping *own = NULL;
    if (shared) {
        MT_TRY(
            mt_shared_mapping(shared, &r->input, &r->choice, r->problem.monodomain.conduction, &r->mapping));
    } else {
        MT_ALLOC(arena, own, 1);
        MT_TRY(mt_mapping_make(arena, &r->input, &r->choice, &r->problem, own));
        r->mapping = own;
    }
    r->run.layout = &r->mapping->layout;
    return MT_OK;
}

/* Warns of coordinates, and of a mesh file, that probably have another unit. */
static mt_status warn_of_places(const mt_one_run *r)
{
    double low_mm[3], high_mm[3];
    mt_mesh_box(&r->problem.whole, low_mm, high_mm);
    if (r->input.mesh.file[0]) mt_warn_of_scale(r->input.mesh.file, low_mm, high_mm);
    return mt_findings_of_places(r->run.path, &r->input, &r->problem.mesh, &r->problem.monodomain);
}

/* Opens the checkpoints and samples in a folder, where nothing may be overwritten that was read meanwhile. */
static mt_status open_files(mt_arena *arena, const char *folder, mt_one_run *r)
{
    MT_TRY(check_files(r, folder));
    MT_TRY(mt_checkpoints_begin(arena, &r->input, folder, r->run.from, &r->checkpoints));
    return mt_sampling_open(arena, &r->sampling, folder, r->resumed, r->resumed ? r->from.step : 0);
}

mt_status mt_one_run_prepare(mt_arena *arena, mt_shared *shared, const char *folder, mt_one_run *r)
{
    const char *path = r->run.path;
    if (folder) MT_TRY(check_files(r, folder));
    if (folder) MT_TRY(mt_html_report_check(&r->input, folder));
    mt_findings_of_case(path, &r->input);
    MT_TRY(mt_fail_in(path, make_problem(arena, shared, r)));
    MT_TRY(mt_fail_in(path, warn_of_places(r)));
    MT_TRY(mt_fail_in(path, mt_sampling_make(arena, &r->input, &r->problem, &r->sampling)));
    MT_TRY(open_start(arena, folder, r));
    MT_TRY(begin_cells(arena, r));
    MT_TRY(mt_fail_in(path, prescribe(arena, r)));
    MT_TRY(mt_fail_in(path, make_mapping(arena, shared, r)));
    return folder ? open_files(arena, folder, r) : mt_sampling_open_in_memory(arena, &r->sampling);
}

/* ---- the run ---- */

static mt_status agree(const mt_communicator *ranks, mt_status status)
{
    return ranks ? mt_communicator_agree(ranks, status) : status;
}

mt_status mt_one_run_write(const mt_run *run, const char *folder, bool *page)
{
    mt_progress_stage("writing the files");
    const mt_status status = mt_run_files_write(run, folder);
    *page = status == MT_OK && mt_html_report_of_run(run, folder);
    mt_progress_stage(NULL);
    return status;
}

void mt_one_run_warn(const mt_one_run *r)
{
    const mt_run *run = &r->run;
    mt_findings_of_run(run->path, &r->input, &r->problem.monodomain, &run->results, mt_run_reached_ms(run));
    mt_fronts_warn_of_block(run->path, &r->input, &r->problem.monodomain, &run->results, &r->problem.fronts);
}

static mt_status report(
    mt_arena *arena, mt_one_run *r, const char *folder, mt_one_run_results *results, void *user)
{
    const double reached_ms = mt_run_reached_ms(&r->run);
    const bool resumes = r->input.checkpoint.keep > 0;
    MT_TRY(mt_run_find_velocities(arena, &r->run));
    MT_TRY(mt_run_find_qrs(arena, &r->run));
    MT_TRY(results(user, arena, &r->run));
    /* a signal during the output has no further effect */
    if (r->run.stopped_by)
        return mt_fail(MT_STOPPED, "stopped at %.9g of %.9g ms; the results so far are in %s/%s%s",
            reached_ms, r->input.time.end_ms, folder, resumes ? "; to resume: myotile run --resume " : "",
            resumes ? folder : "");
    mt_one_run_warn(r);
    return MT_OK;
}

mt_status mt_one_run_make_part(const mt_one_run *run)
{
    const mt_layout layout = {.target = &run->choice.target,
        .checked = run->input.machine.checked,
        .ranks = run->ranks,
        .device = run->input.machine.device,
        .lenient = !run->input.machine.strict};
    MT_TRY(agree(run->ranks, MT_OK)); /* rank 0 is ready */
    return mt_run_part(run->run.backend, &layout);
}

mt_status mt_one_run_execute(mt_arena *arena, mt_one_run *r, mt_shared *shared, const char *folder,
    mt_one_run_results *results, void *user)
{
    mt_communicator_take_threads(r->ranks, true); /* until the first step */
    MT_TRY(agree(r->ranks, mt_one_run_prepare(arena, shared, folder, r)));
    mt_status status = mt_run_make(arena, &r->run);
    if (status == MT_OK) status = report(arena, r, folder, results, user);
    if (status == MT_OK) mt_checkpoints_end(&r->checkpoints);
    /* a checkpoint that could not be deleted still needs the samples */
    const bool ended = status == MT_OK && !r->input.checkpoint.at_end && !mt_checkpoints_any(folder);
    mt_sampling_close(&r->sampling, ended || !r->checkpoints.any);
    return status;
}
