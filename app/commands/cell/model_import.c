/* myotile model import: an ionic model from a file: its content, time steps, beats and propagation. */
#include <math.h>

#include "app/cli/command.h"
#include "app/cli/table.h"
#include "app/waves/plane_wave.h"
#include "data/core/progress.h"
#include "solver/cells/cell_state.h"
#include "solver/cells/open.h"
#include "solver/cells/pacing.h"
#include "solver/cells/trial.h"
#include "solver/waves/calibration.h"

static mt_status import(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {.name = "--voltage",
        .value = "NAME",
        .help = "the state that is the transmembrane voltage, NAME or COMPONENT.NAME; default: by annotation "
                "or usual name"},
    {.name = "--stimulus-current",
        .value = "NAME",
        .help = "the stimulus in the equations, which is removed; default: by annotation or usual name"},
    {.name = "--beats", .value = "N", .help = "number of pacing cycles of 1000 ms; default: 10"},
    {.name = "--save", .value = "STATE.yaml", .help = "write the state after pacing, for `cell --start`"},
    {.name = "--no-tissue", .help = "without conduction velocity and calibration"}, MT_OPTION_FORMAT,
    MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_model_import = {
    .name = "model import",
    .operands = "FILE",
    .n_operands = 1,
    .summary = "examine an ionic model of a CellML, Myokit, gotran or EasyML file: equations, time steps, "
               "beats, CV",
    .example = "myotile model import data/models/beeler-reuter-1977.mmt --save beeler-reuter.yaml",
    .options = options,
    .run = import,
};

typedef struct request {
    const char *path, *save; /* save: NULL if not written */
    mt_system_names names;
    unsigned long beats;
    bool in_tissue;
} request;

static mt_status read_request(const mt_arguments *arguments, request *r)
{
    *r = (request){.path = mt_operand(arguments, 0),
        .save = mt_option_value(arguments, "--save", NULL),
        .names = {.voltage = mt_option_value(arguments, "--voltage", NULL),
            .stimulus = mt_option_value(arguments, "--stimulus-current", NULL)},
        .in_tissue = !mt_option_given(arguments, "--no-tissue")};
    MT_TRY(mt_integer("--beats", mt_option_value(arguments, "--beats", "10"), 1, 100000, &r->beats));
    if (r->save && mt_file_same(r->save, r->path))
        return mt_fail(MT_INPUT, "--save %s is the file of the model; allowed: another file", r->save);
    return r->save ? mt_file_check(r->save, mt_option_replace(arguments)) : MT_OK;
}

/* ---- the measurements ---- */

static const double trial_steps_ms[] = {0.01, 0.02, 0.05};
enum { TRIALS = sizeof trial_steps_ms / sizeof *trial_steps_ms };

#define CONVERGED_MS 0.00125
#define STEP_MS 0.02 /* of pacing and tissue, if it is stable */
#define BCL_MS 1000
#define LENGTH_MM 0.4 /* element size of the calibration */

/* A beat with a time step. NaN: it is unstable, or has no such number. */
typedef struct trial {
    double dt_ms, error_mV, peak_mV, apd90_ms;
} trial;

typedef struct measured {
    mt_imported *model;
    double dt_ms; /* of pacing and tissue */
    trial trial[TRIALS];
    double converged_ms; /* time step of the reference of trials */
    mt_beats beats;      /* the last one or two */
    double v_mV, *states;
    double speed_mm_ms; /* longitudinal CV along a converged cable; NaN: no propagation */
    mt_calibration calibration;
} measured;

static mt_status run_trials(measured *m)
{
    const mt_cell_model *model = &m->model->row;
    mt_trial converged, one;
    mt_progress_stage("comparing time steps");
    m->converged_ms = fmin(CONVERGED_MS, model->dt_max_ms);
    const mt_status found = mt_trial_run(NULL, model, model->variants, m->converged_ms, &converged);
    if (found == MT_NUMERICS)
        mt_warn("%s: found no beat with time steps of %g ms: %s; the errors of others are unknown",
            model->name, m->converged_ms, mt_message());
    else
        MT_TRY(found);
    for (size_t k = 0; k < TRIALS; k++) {
        const mt_status status = mt_trial_run(NULL, model, model->variants, trial_steps_ms[k], &one);
        m->trial[k] = (trial){trial_steps_ms[k], NAN, NAN, NAN};
        if (status == MT_NUMERICS) continue;
        MT_TRY(status);
        if (found == MT_OK) m->trial[k].error_mV = mt_trial_difference_mV(&one, &converged);
        m->trial[k].peak_mV = one.peak_mV;
        m->trial[k].apd90_ms = one.apd90_ms;
    }
    return MT_OK;
}

static bool report_beats(void *user, size_t beats)
{
    mt_progress_stage_part("beats", (double)beats / (double)*(const unsigned long *)user);
    return true;
}

/* Paces a cell, and records the last two beats. */
static mt_status pace(mt_arena *arena, const request *r, measured *m)
{
    const mt_cell_model *model = &m->model->row;
    const size_t recorded = r->beats < 2 ? 1 : 2;
    mt_pulses pulses = {
        .bcl_ms = BCL_MS, .beats = r->beats - recorded, .start_ms = 1, .duration_ms = 1, .rise_mV_ms = 52};
    unsigned long beats = r->beats;
    mt_pulse_steps steps;
    mt_lone_cell cell;
    mt_progress_stage("pacing a cell");
    m->v_mV = model->variants->v_mV;
    MT_COPY(arena, m->states, model->variants->states, model->n_states);
    MT_TRY(
        mt_cell_pace(model, model->variants, m->dt_ms, &pulses, report_beats, &beats, &m->v_mV, m->states));
    pulses.beats = recorded;
    MT_TRY(mt_pulses_in_steps(&pulses, m->dt_ms, &steps));
    MT_TRY(mt_lone_cell_make(arena, model, model->variants, m->dt_ms, false, m->v_mV, m->states, &cell));
    MT_TRY(mt_fail_in("pacing, the last beats", mt_lone_cell_record(arena, &cell, &steps, pulses.rise_mV_ms,
                                                    recorded * steps.cycle, recorded, &m->beats)));
    m->v_mV = cell.v_mV;
    m->states = cell.state;
    return MT_OK;
}

/* Measures propagation in the default tissue by cells at rest. */
static mt_status measure_tissue(mt_arena *arena, measured *m)
{
    mt_cell_variant rested;
    mt_cell_model model = m->model->row; /* with one variant, at rest */
    mt_diffusion_scheme scheme = mt_diffusion_scheme_default;
    const mt_corner corner = {.model = &model,
        .cells = &rested,
        .tissue = &mt_tissue_default,
        .length_mm = LENGTH_MM,
        .dt_ms = m->dt_ms};
    mt_progress_stage("measuring propagation along a cable");
    MT_TRY(mt_calibration_rest(arena, &m->model->row, m->model->row.variants, &rested));
    model.variants = &rested;
    scheme.front_ms = model.front_ms;
    const mt_status status = mt_plane_wave_cable_speed(
        &model, 0, fmin(MT_PLANE_WAVE_CONVERGED_MS, model.dt_max_ms), &m->speed_mm_ms);
    if (status == MT_NUMERICS) m->speed_mm_ms = NAN;
    if (status != MT_NUMERICS) MT_TRY(status);
    m->calibration.errors = (mt_corner_errors){.mean = NAN, .rms = NAN};
    if (isnan(m->speed_mm_ms)) return MT_OK;
    mt_progress_stage("calibrating the reaction spreading");
    return mt_calibrate(&corner, &scheme, NULL, &m->calibration);
}

static mt_status measure(mt_arena *arena, const request *r, measured *m)
{
    mt_progress_stage("importing the model");
    MT_TRY(mt_cell_model_import(arena, r->path, &r->names, &m->model));
    m->dt_ms = fmin(STEP_MS, m->model->row.dt_max_ms);
    MT_TRY(run_trials(m));
    MT_TRY(mt_fail_in(r->path, pace(arena, r, m)));
    if (r->in_tissue) MT_TRY(mt_fail_in(r->path, measure_tissue(arena, m)));
    mt_progress_stage(NULL);
    return MT_OK;
}

/* ---- warnings and files ---- */

static void warn(const request *r, const measured *m)
{
    const mt_equations *e = m->model->system.equations;
    for (size_t k = 0; k < e->n_warnings; k++) mt_warn("%s", e->warning[k]);
    if (e->n_more_warnings > 0) mt_warn("%s: %zu more warnings", r->path, e->n_more_warnings);
    if (!isfinite(m->beats.beat[m->beats.n - 1].peak_mV))
        mt_warn("%s: found no action potential after a stimulus of 52 mV/ms for 1 ms; usual: V rises from "
                "below 0 mV to above it, which defines activation",
            r->path);
}

static mt_status save_state(const request *r, const measured *m)
{
    const mt_cell_model *model = &m->model->row;
    const mt_cell_state state = {.model = model,
        .dt_ms = m->dt_ms,
        .bcl_ms = BCL_MS,
        .beats = r->beats,
        .v_mV = m->v_mV,
        .states = m->states};
    return mt_cell_state_save(r->save, model->variants, &state);
}

/* ---- the tables ---- */

static void text_property(mt_table *table, const char *key, const char *label, const char *text)
{
    mt_table_property_text(table, key, label, text && *text ? text : NULL);
}

static mt_table model_table(mt_arena *arena, const measured *m)
{
    const mt_system *s = &m->model->system;
    const mt_equations *e = s->equations;
    const mt_cell_model *row = &m->model->row;
    char name[MT_VARIABLE_NAME];
    mt_table t = mt_table_properties(arena, "imported_model", "Imported ionic model");
    text_property(&t, "file", "file", row->name);
    text_property(&t, "format", "format", e->format);
    text_property(&t, "model", "model", e->name);
    text_property(&t, "title", "title", e->title);
    text_property(&t, "source", "source", e->source);
    text_property(&t, "voltage", "V", mt_variable_name(&e->variable[s->v], name));
    mt_table_property(&t, "initial_v_mv", "initial V", row->variants->v_mV, "mV");
    text_property(&t, "stimulus", "stimulus, removed",
        s->stimulus == SIZE_MAX ? NULL : mt_variable_name(&e->variable[s->stimulus], name));
    text_property(&t, "carrier", "ions that carry the stimulus",
        s->carrier < s->n_states ? row->states[s->carrier].name : NULL);
    mt_table_property(&t, "states", "states without V", (double)row->n_states, "");
    mt_table_property(&t, "parameters", "parameters", (double)row->n_parameters, "");
    mt_table_property(
        &t, "instructions", "instructions of a time step", (double)m->model->program.step.n_instructions, "");
    mt_table_property(&t, "largest_time_step_ms", "largest time step", row->dt_max_ms, "ms");
    mt_table_property(&t, "warnings", "warnings", (double)(e->n_warnings + e->n_more_warnings), "");
    return t;
}

static mt_table state_table(mt_arena *arena, const measured *m)
{
    const mt_cell_model *row = &m->model->row;
    const mt_step *step = &m->model->step;
    char implicit[64];
    (void)snprintf(
        implicit, sizeof implicit, "%s, %u substeps", mt_method_name(MT_METHOD_IMPLICIT), step->substeps);
    mt_table t = mt_table_begin(arena, "imported_states", "States");
    mt_table_strings(&t, "name", "name");
    mt_table_digits(&t, "initial", "initial value", "", 6);
    mt_table_strings(&t, "unit", "unit");
    mt_table_strings(&t, "method", "method");
    mt_table_digits(&t, "fastest_per_ms", "fastest rate", "1/ms", 3);
    for (size_t k = 0; k < row->n_states; k++) {
        mt_table_text(&t, row->states[k].name);
        mt_table_number(&t, row->variants->states[k]);
        mt_table_text(&t, row->states[k].unit);
        const bool divided = step->method[k] == MT_METHOD_IMPLICIT && step->substeps > 1;
        mt_table_text(&t, divided ? implicit : mt_method_name(step->method[k]));
        mt_table_number(&t, step->fastest[k]);
    }
    return t;
}

static mt_table parameter_table(mt_arena *arena, const measured *m)
{
    const mt_cell_model *row = &m->model->row;
    mt_table t = mt_table_begin(arena, "imported_parameters", "Parameters");
    mt_table_strings(&t, "name", "name");
    mt_table_digits(&t, "value", "value", "", 8);
    mt_table_strings(&t, "unit", "unit");
    for (size_t k = 0; k < row->n_parameters; k++) {
        mt_table_text(&t, row->parameters[k].name);
        mt_table_number(&t, row->variants->parameters[k]);
        mt_table_text(&t, row->parameters[k].unit);
    }
    return t;
}

static mt_table trial_table(mt_arena *arena, const measured *m)
{
    char title[160];
    (void)snprintf(title, sizeof title,
        "Time steps: one beat of %g ms, compared with time steps of %g ms; -: unstable, or no action "
        "potential",
        MT_TRIAL_MS, m->converged_ms);
    mt_table t = mt_table_begin(arena, "time_steps", title);
    mt_table_digits(&t, "time_step_ms", "time step", "ms", 3);
    mt_table_digits(&t, "error_mv", "V, root mean square error", "mV", 2);
    mt_table_decimals(&t, "peak_mv", "peak", "mV", 2);
    mt_table_decimals(&t, "apd90_ms", "APD90", "ms", 2);
    for (size_t k = 0; k < TRIALS; k++) {
        const trial *one = &m->trial[k];
        MT_TABLE_NUMBERS(&t, one->dt_ms, one->error_mV, one->peak_mV, one->apd90_ms);
    }
    return t;
}

static mt_table beat_table(mt_arena *arena, const request *r, const measured *m)
{
    char title[160];
    (void)snprintf(title, sizeof title,
        "Last beats of pacing; number of cycles: %lu, BCL %d ms, time step %g ms", r->beats, BCL_MS,
        m->dt_ms);
    mt_table t = mt_table_begin(arena, "paced_beats", title);
    mt_table_decimals(&t, "beat", "beat", "", 0);
    mt_table_decimals(&t, "rest_mv", "rest", "mV", 2);
    mt_table_decimals(&t, "peak_mv", "peak", "mV", 2);
    mt_table_decimals(&t, "largest_dvdt_mv_per_ms", "dV/dt max", "mV/ms", 1);
    mt_table_decimals(&t, "apd90_ms", "APD90", "ms", 2);
    mt_table_decimals(&t, "apd90_change_ms", "change", "ms", 3);
    mt_table_decimals(&t, "apd50_ms", "APD50", "ms", 2);
    mt_table_decimals(&t, "apd30_ms", "APD30", "ms", 2);
    for (size_t k = 0; k < m->beats.n; k++) {
        const mt_beat *b = &m->beats.beat[k];
        MT_TABLE_NUMBERS(&t, (double)(r->beats - m->beats.n + k + 1), b->rest_mV, b->peak_mV, b->dvdt_mV_ms,
            b->apd_ms[MT_APD90], mt_beat_change_ms(&m->beats, k), b->apd_ms[MT_APD50], b->apd_ms[MT_APD30]);
    }
    return t;
}

static mt_table tissue_table(mt_arena *arena, const measured *m)
{
    const mt_calibration *c = &m->calibration;
    const bool conducts = !isnan(m->speed_mm_ms), on_elements = isfinite(c->errors.rms);
    char title[200];
    (void)snprintf(title, sizeof title,
        "In the default tissue, from rest: CV, and activation times on elements of %g mm with the calibrated "
        "reaction spreading",
        LENGTH_MM);
    mt_table t = mt_table_begin(arena, "imported_in_tissue", title);
    mt_table_strings(&t, "propagation", "propagation");
    mt_table_digits(&t, "cv_along_mm_per_ms", "longitudinal CV", "mm/ms", 3);
    mt_table_digits(&t, "spreading", "strength of spreading", "", 3);
    mt_table_decimals(&t, "error_percent", "expected error, root mean square", "%", 1);
    mt_table_decimals(&t, "error_along_percent", "longitudinal (positive: late)", "%", 1);
    mt_table_decimals(&t, "error_across_percent", "transverse", "%", 1);
    mt_table_text(&t, !conducts ? "fails" : on_elements ? "succeeds" : "fails on these elements");
    mt_table_number(&t, m->speed_mm_ms);
    mt_table_number(&t, conducts ? c->law.beta : NAN);
    mt_table_number(&t, on_elements ? 100 * c->errors.rms : NAN);
    mt_table_number(&t, on_elements ? 100 * c->errors.sector[0] : NAN);
    mt_table_number(&t, on_elements ? 100 * c->errors.sector[MT_CORNER_SECTORS - 1] : NAN);
    return t;
}

static mt_status print(mt_arena *arena, const mt_arguments *arguments, const request *r, const measured *m)
{
    mt_table table[6];
    size_t n = 0;
    table[n++] = model_table(arena, m);
    table[n++] = state_table(arena, m);
    table[n++] = parameter_table(arena, m);
    table[n++] = trial_table(arena, m);
    table[n++] = beat_table(arena, r, m);
    if (r->in_tissue) table[n++] = tissue_table(arena, m);
    return mt_print_tables(arguments, table, n);
}

/* ---- the command ---- */

static mt_status import(mt_arena *arena, const mt_arguments *arguments)
{
    request r;
    measured m = {0};
    MT_TRY(read_request(arguments, &r));
    MT_TRY(measure(arena, &r, &m));
    warn(&r, &m);
    if (r.save) MT_TRY(save_state(&r, &m));
    return print(arena, arguments, &r, &m);
}
