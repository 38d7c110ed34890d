/* myotile cell: simulation of a single cell. */
#include <math.h>
#include <string.h>

#include "data/core/progress.h"
#include "solver/case/findings.h"
#include "app/cli/table.h"
#include "app/cli/command.h"
#include "app/draw/chart/curves.h"
#include "app/results/cell_trace.h"
#include "app/cli/cell_options.h"
#include "data/files/file.h"
#include "solver/cells/beats.h"

static mt_status cell(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_CELL_OPTIONS,
    {.name = "--list",
        .help = "only list the ionic models and their types; with --model, --type or --start: the parameters "
                "of that cell"},
    {.name = "--end-ms", .value = "T", .help = "simulated time; default: 500, or all beats"},
    {.name = "--bcl", .value = "MS", .help = "pace at this basic cycle length; requires --beats"},
    {.name = "--beats", .value = "N", .help = "number of pacing cycles; requires --bcl"},
    MT_CELL_OPTION_STIMULUS,
    {.name = "--precision", .value = "float|double", .help = "arithmetic; default: double"},
    {.name = "--output",
        .letter = 'o',
        .value = "TRACE.csv",
        .help = "write time series of V, all states and all currents"},
    {.name = "--every-ms",
        .value = "DT",
        .help = "interval between rows of --output, a multiple of the time step; default: 1"},
    {.name = "--last-beats", .value = "K", .help = "write and draw only the last K beats; default: all"},
    {.name = "--save", .value = "STATE.yaml", .help = "write the final state, for --start"},
    {.name = "--picture", .value = "OUT.png", .help = "draw V and intracellular calcium over time"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_cell = {
    .name = "cell",
    .operands = "",
    .summary = "simulate or pace a single cell: APDs of its beats, time series, picture and final state",
    .example = "myotile cell --type epi --bcl 1000 --beats 10 --last-beats 1 -o trace.csv --save paced.yaml",
    .options = options,
    .run = cell,
};

typedef struct request {
    mt_chosen_cell cell;
    const char *file; /* prefix of warnings */
    bool single;
    double end_ms;
    mt_pulses pulses;
    mt_pulse_steps steps;
    size_t n;                           /* number of time steps */
    size_t first;                       /* first step of trace and picture */
    double every;                       /* steps between rows */
    const char *trace, *save, *picture; /* paths; NULL if not written */
} request;

/* ---- times ---- */

static mt_status read_beats(const mt_arguments *arguments, request *r)
{
    const char *bcl = mt_option_value(arguments, "--bcl", NULL),
               *beats = mt_option_value(arguments, "--beats", NULL);
    unsigned long n = 1;
    if (!bcl != !beats)
        return mt_fail(MT_INPUT, "%s without %s; pacing requires both", bcl ? "--bcl" : "--beats",
            bcl ? "--beats" : "--bcl");
    r->pulses.bcl_ms = INFINITY;
    if (bcl) MT_TRY(mt_numbers("--bcl", bcl, 1, 0, &r->pulses.bcl_ms));
    if (beats) MT_TRY(mt_integer("--beats", beats, 1, MT_PULSE_STEPS_MAX, &n));
    r->pulses.beats = n;
    if (bcl && r->pulses.bcl_ms < r->cell.dt_ms)
        return mt_fail(
            MT_INPUT, "--bcl %g; allowed: at least one time step, %g", r->pulses.bcl_ms, r->cell.dt_ms);
    return MT_OK;
}

static mt_status read_end(const mt_arguments *arguments, request *r)
{
    const char *end = mt_option_value(arguments, "--end-ms", NULL);
    const bool paced = isfinite(r->pulses.bcl_ms);
    const double beats_ms = (double)r->pulses.beats * r->pulses.bcl_ms;
    r->end_ms = paced ? beats_ms : 500;
    if (end) MT_TRY(mt_numbers("--end-ms", end, 1, 0, &r->end_ms));
    if (paced && r->end_ms < beats_ms)
        return mt_fail(MT_INPUT,
            "--end-ms %g is before the end of %zu pacing cycles of %g ms; allowed: at least %g", r->end_ms,
            r->pulses.beats, r->pulses.bcl_ms, beats_ms);
    if (!(r->end_ms / r->cell.dt_ms <= MT_PULSE_STEPS_MAX))
        return mt_fail(MT_INPUT, "%s %g is %.3g steps of --dt-ms %g; allowed: at most 1e9",
            end ? "--end-ms" : "the duration of all beats,", r->end_ms, r->end_ms / r->cell.dt_ms,
            r->cell.dt_ms);
    return MT_OK;
}

static mt_status read_times(const mt_arguments *arguments, request *r)
{
    MT_TRY(read_beats(arguments, r));
    MT_TRY(read_end(arguments, r));
    MT_TRY(mt_cell_option_stimulus(arguments, r->cell.model, &r->pulses));
    MT_TRY(mt_fail_in("--stimulus", mt_pulses_in_steps(&r->pulses, r->cell.dt_ms, &r->steps)));
    const bool all_beats = r->steps.cycle != SIZE_MAX && !mt_option_given(arguments, "--end-ms");
    r->n = all_beats ? r->steps.beats * r->steps.cycle : (size_t)llround(r->end_ms / r->cell.dt_ms);
    return MT_OK;
}

/* ---- output files ---- */

static mt_status read_interval(const mt_arguments *arguments, request *r)
{
    const char *every = mt_option_value(arguments, "--every-ms", NULL);
    double every_ms = 1;
    if (every && !r->trace) return mt_fail(MT_INPUT, "--every-ms without --output; allowed: with --output");
    if (every) MT_TRY(mt_numbers("--every-ms", every, 1, 0, &every_ms));
    r->every = every_ms / r->cell.dt_ms;
    if (every && !(fabs(r->every - round(r->every)) <= 1e-6 && r->every >= 0.5))
        return mt_fail(MT_INPUT,
            "--every-ms %g is %.10g steps of --dt-ms %g; allowed: a whole number of steps", every_ms,
            r->every, r->cell.dt_ms);
    return MT_OK;
}

static mt_status read_last_beats(const mt_arguments *arguments, request *r)
{
    const char *last = mt_option_value(arguments, "--last-beats", NULL);
    unsigned long beats;
    if (!last) return MT_OK;
    if (r->steps.cycle == SIZE_MAX)
        return mt_fail(MT_INPUT, "--last-beats without --bcl and --beats; allowed: with both");
    if (!r->trace && !r->picture)
        return mt_fail(MT_INPUT, "--last-beats without --output or --picture; allowed: with one of them");
    MT_TRY(mt_integer("--last-beats", last, 1, r->steps.beats, &beats));
    r->first = (r->steps.beats - beats) * r->steps.cycle;
    return MT_OK;
}

static mt_status check_apart(const char *a, const char *b)
{
    if (!a || !b || (strcmp(a, b) != 0 && !mt_file_same(a, b))) return MT_OK;
    return mt_fail(MT_INPUT, "%s and %s are the same file; allowed: a separate file for each output", a, b);
}

static mt_status read_files(const mt_arguments *arguments, request *r)
{
    const mt_file_replace replace = mt_option_replace(arguments);
    r->trace = mt_option_value(arguments, "--output", NULL);
    r->save = mt_option_value(arguments, "--save", NULL);
    r->picture = mt_option_value(arguments, "--picture", NULL);
    r->file = r->trace ? r->trace : r->save ? r->save : r->picture ? r->picture : "cell";
    if (r->trace) MT_TRY(mt_file_check(r->trace, replace));
    if (r->save) MT_TRY(mt_file_check(r->save, replace));
    if (r->picture) MT_TRY(mt_page_check_name(r->picture, replace));
    MT_TRY(check_apart(r->trace, r->save));
    MT_TRY(check_apart(r->trace, r->picture));
    MT_TRY(check_apart(r->save, r->picture));
    MT_TRY(read_interval(arguments, r));
    return read_last_beats(arguments, r);
}

static mt_status read_request(mt_arena *arena, const mt_arguments *arguments, request *r)
{
    static const char *const precisions[] = {"double", "float"};
    size_t precision;
    MT_TRY(mt_option_word(arguments, "--precision", precisions[0], precisions, 2, &precision));
    *r = (request){.single = precision == 1};
    MT_TRY(mt_cell_options_read(arena, arguments, &r->cell));
    MT_TRY(read_times(arguments, r));
    return read_files(arguments, r);
}

/* ---- warnings ---- */

static void warn_of_request(const request *r)
{
    const mt_pulses *p = &r->pulses;
    const mt_pulse_steps *s = &r->steps;
    mt_findings_of_time(r->file, "--end-ms", r->end_ms, r->n, r->cell.dt_ms);
    if (s->cycle != SIZE_MAX) mt_findings_of_time(r->file, "--bcl", p->bcl_ms, s->cycle, r->cell.dt_ms);
    mt_findings_of_time(r->file, "--stimulus, its start", p->start_ms, s->on, r->cell.dt_ms);
    mt_findings_of_time(r->file, "--stimulus, its duration", p->duration_ms, s->off - s->on, r->cell.dt_ms);
    if (s->on >= r->n && p->rise_mV_ms != 0)
        mt_warn("%s: --stimulus: found a start at %g ms, after the end; usual: before --end-ms %g", r->file,
            p->start_ms, r->end_ms);
    if (p->rise_mV_ms < 0)
        mt_warn(
            "%s: --stimulus: found a strength of %g mV/ms, which hyperpolarises; usual: above 0, such as 52",
            r->file, p->rise_mV_ms);
}

/* Warns if a positive stimulus did not depolarise the cell. */
static void warn_of_stimulus(const request *r, double peak_mV)
{
    if (peak_mV >= 0 || r->pulses.rise_mV_ms <= 0 || r->steps.off == r->steps.on || r->steps.on >= r->n)
        return;
    mt_warn("%s: --stimulus: found no activation by %g ms: V rose to %.1f mV at most; usual: 52 mV/ms for 1 "
            "ms, to above 0 mV",
        r->file, (double)r->n * r->cell.dt_ms, peak_mV);
}

/* Warns of action potentials that are not in the table. */
static void warn_of_further(const request *r, const mt_beats *beats)
{
    if (beats->n_further == 0) return;
    mt_warn(
        "%s: found action potentials without a stimulus: %zu, every %.1f ms on average, not in the table; "
        "usual: one per stimulus",
        r->file, beats->n_further, beats->further_ms / (double)beats->n_further);
}

/* ---- the run ---- */

enum { MICROMOLAR = 1000 }; /* per millimolar */

/* Recorded data of the run. */
typedef struct record {
    mt_lone_cell cell;
    mt_beats beats;
    double peak_mV;
    mt_cell_trace trace;
    mt_curve v, below;               /* curves of the picture */
    double time_unit_ms, drawn_unit; /* units of its axes */
    size_t calcium, drawn;           /* indices of states; SIZE_MAX: none */
} record;

static double calcium_of(const record *x)
{
    return x->calcium == SIZE_MAX ? NAN : mt_lone_cell_state(&x->cell, x->calcium);
}

/* Begins the picture. Below V it shows calcium, or the first state if the model has no calcium. */
static mt_status begin_picture(mt_arena *arena, const request *r, record *x)
{
    const double from_ms = (double)r->first * r->cell.dt_ms, to_ms = (double)r->n * r->cell.dt_ms;
    x->time_unit_ms = to_ms - from_ms > 10000 ? 1000 : 1;
    x->drawn = x->calcium == SIZE_MAX ? 0 : x->calcium;
    x->drawn_unit = x->calcium == SIZE_MAX ? 1 : MICROMOLAR;
    MT_TRY(mt_curve_begin(arena, from_ms / x->time_unit_ms, to_ms / x->time_unit_ms, &x->v));
    return mt_curve_begin(arena, x->v.from, x->v.to, &x->below);
}

static mt_status begin_record(mt_arena *arena, const request *r, FILE *trace, record *x)
{
    const mt_pulse_steps *s = &r->steps;
    x->calcium = mt_cell_model_calcium(r->cell.model);
    MT_TRY(mt_lone_cell_make(arena, r->cell.model, &r->cell.variant, r->cell.dt_ms, r->single, r->cell.v_mV,
        r->cell.states, &x->cell));
    x->cell.carried = r->pulses.carried;
    x->peak_mV = x->cell.v_mV;
    MT_TRY(mt_beats_begin(arena, s->cycle == SIZE_MAX ? 1 : s->beats, s->cycle, r->cell.dt_ms, x->cell.v_mV,
        calcium_of(x), &x->beats));
    if (r->picture) MT_TRY(begin_picture(arena, r, x));
    return trace ? mt_cell_trace_begin(arena, trace, r->cell.model, r->first, r->every, &x->trace) : MT_OK;
}

/* Records the cell after this number of steps. */
static void record_step(const request *r, size_t steps, record *x)
{
    if (steps > 0) mt_beats_add(&x->beats, x->cell.v_mV, calcium_of(x));
    x->peak_mV = fmax(x->peak_mV, x->cell.v_mV);
    if (r->trace) mt_cell_trace_add(&x->trace, steps, &x->cell);
    if (!r->picture || steps < r->first) return;
    const double t = (double)steps * r->cell.dt_ms / x->time_unit_ms;
    mt_curve_add(&x->v, t, x->cell.v_mV);
    mt_curve_add(&x->below, t, x->drawn_unit * mt_lone_cell_state(&x->cell, x->drawn));
}

static mt_status all_steps(const request *r, record *x)
{
    enum { STEPS_FROM_REPORT_TO_REPORT = 256 };
    record_step(r, 0, x);
    for (size_t s = 0; s < r->n; s++) {
        const mt_status status =
            mt_lone_cell_step(&x->cell, mt_pulse_is_on(&r->steps, s) ? r->pulses.rise_mV_ms : 0);
        const double t_ms = (double)(s + 1) * r->cell.dt_ms;
        if (status != MT_OK)
            return mt_fail(status,
                "cell: after %g ms %s; the stimulus is %g mV/ms from %g ms for %g ms: a weaker --stimulus, a "
                "smaller --dt-ms or smaller changes of parameters may help",
                t_ms, mt_message(), r->pulses.rise_mV_ms, r->pulses.start_ms, r->pulses.duration_ms);
        record_step(r, s + 1, x);
        if (s % STEPS_FROM_REPORT_TO_REPORT == 0) mt_progress_update(t_ms, (double)s);
    }
    mt_beats_end(&x->beats);
    return MT_OK;
}

static mt_status run_and_record(mt_arena *arena, const request *r, FILE *trace, record *x)
{
    MT_TRY(begin_record(arena, r, trace, x));
    mt_progress_begin(
        r->steps.cycle == SIZE_MAX ? "simulating a cell" : "pacing a cell", (double)r->n * r->cell.dt_ms);
    const mt_status status = all_steps(r, x);
    mt_progress_end();
    return status;
}

/* ---- files ---- */

static mt_status save_state(const request *r, const record *x)
{
    const bool paced = r->steps.cycle != SIZE_MAX;
    const size_t before =
        r->cell.started && r->cell.start.bcl_ms == r->pulses.bcl_ms ? r->cell.start.beats : 0;
    const mt_cell_state state = {.model = r->cell.model,
        .dt_ms = r->cell.dt_ms,
        .bcl_ms = paced ? r->pulses.bcl_ms : NAN,
        .beats = before + r->pulses.beats,
        .v_mV = x->cell.v_mV,
        .states = mt_lone_cell_states(&x->cell)};
    return mt_cell_state_save(r->save, &r->cell.variant, &state);
}

static void title_of(const request *r, char *title, size_t size)
{
    char cell[128], paced[64] = "";
    mt_cell_title(&r->cell, cell, sizeof cell);
    if (r->steps.cycle != SIZE_MAX)
        (void)snprintf(paced, sizeof paced, ", %zu beats, BCL %g ms", r->steps.beats,
            (double)r->steps.cycle * r->cell.dt_ms);
    (void)snprintf(title, size, "%s %s%s", r->cell.model->title, cell, paced);
}

static mt_status draw_picture(const request *r, const record *x)
{
    const mt_cell_quantity *drawn = &r->cell.model->states[x->drawn];
    const char *unit = *drawn->unit ? ", " : "";
    char title[256], below[128] = "[Ca]i, µM";
    if (x->drawn != x->calcium) (void)snprintf(below, sizeof below, "%s%s%s", drawn->name, unit, drawn->unit);
    title_of(r, title, sizeof title);
    const mt_curve_panel panels[] = {
        {.caption = "V, mV", .curve = &x->v}, {.caption = below, .curve = &x->below}};
    const mt_curves curves = {title, x->time_unit_ms > 1 ? "time, s" : "time, ms", 2, panels, NULL};
    return mt_curves_write(r->picture, &curves);
}

static mt_status write_all(mt_arena *arena, const request *r, record *x)
{
    mt_file trace = {0};
    if (r->trace) MT_TRY(mt_file_begin(r->trace, &trace));
    const mt_status status = run_and_record(arena, r, trace.stream, x);
    MT_TRY(r->trace ? mt_file_end(&trace, status) : status);
    if (r->save) MT_TRY(save_state(r, x));
    return r->picture ? draw_picture(r, x) : MT_OK;
}

/* ---- the table ---- */

enum { BEATS_SHOWN = 6 }; /* number of beats in text; other formats have all */

static void beat_columns(mt_table *table, bool calcium)
{
    mt_table_decimals(table, "beat", "beat", "", 0);
    mt_table_decimals(table, "upstroke_ms", "upstroke", "ms", 2);
    mt_table_decimals(table, "rest_mv", "rest", "mV", 2);
    mt_table_decimals(table, "peak_mv", "peak", "mV", 2);
    mt_table_decimals(table, "largest_dvdt_mv_per_ms", "dV/dt max", "mV/ms", 1);
    mt_table_decimals(table, "apd90_ms", "APD90", "ms", 2);
    mt_table_decimals(table, "apd90_change_ms", "change", "ms", 3);
    mt_table_decimals(table, "apd50_ms", "APD50", "ms", 2);
    mt_table_decimals(table, "apd30_ms", "APD30", "ms", 2);
    mt_table_decimals(table, "diastolic_interval_ms", "DI", "ms", 2);
    if (!calcium) return;
    mt_table_decimals(table, "ca_i_lowest_umol_per_l", "[Ca]i from", "µM", 4);
    mt_table_decimals(table, "ca_i_highest_umol_per_l", "to", "µM", 4);
}

static void beat_row(mt_table *table, const mt_beats *beats, size_t k, bool calcium)
{
    const mt_beat *b = &beats->beat[k];
    MT_TABLE_NUMBERS(table, (double)(k + 1), b->upstroke_ms, b->rest_mV, b->peak_mV, b->dvdt_mV_ms,
        b->apd_ms[MT_APD90], mt_beat_change_ms(beats, k), b->apd_ms[MT_APD50], b->apd_ms[MT_APD30],
        b->interval_ms);
    if (!calcium) return;
    MT_TABLE_NUMBERS(table, MICROMOLAR * b->calcium_low_mM, MICROMOLAR * b->calcium_high_mM);
}

static mt_status print_beats(
    mt_arena *arena, const mt_arguments *arguments, const request *r, const record *x)
{
    const bool calcium = x->calcium != SIZE_MAX;
    const bool in_text = arguments->format == MT_FORMAT_TEXT;
    const size_t n = x->beats.n, from = in_text && n > BEATS_SHOWN ? n - BEATS_SHOWN : 0;
    char title[320], cell[128], shown[64] = "";
    mt_cell_title(&r->cell, cell, sizeof cell);
    if (from > 0) (void)snprintf(shown, sizeof shown, "; the last %d of %zu beats", BEATS_SHOWN, n);
    (void)snprintf(title, sizeof title, "%s, %.10g ms, time step %g ms, %s precision%s", cell,
        (double)r->n * r->cell.dt_ms, r->cell.dt_ms, r->single ? "single" : "double", shown);
    mt_table table = mt_table_begin(arena, "beats", title);
    beat_columns(&table, calcium);
    for (size_t k = from; k < n; k++) beat_row(&table, &x->beats, k, calcium);
    return mt_print_table(arguments, &table);
}

/* ---- the command ---- */

static mt_status list_models(mt_arena *arena, const mt_arguments *arguments)
{
    mt_table table = mt_table_begin(arena, "cell_models", "Ionic models");
    mt_table_strings(&table, "name", "name");
    mt_table_strings(&table, "model", "model");
    mt_table_strings(&table, "types", "types");
    mt_table_decimals(&table, "states", "states", "", 0);
    mt_table_digits(&table, "largest_time_step_ms", "largest time step", "ms", 3);
    mt_table_digits(&table, "spontaneous_cycle_ms", "spontaneous cycle", "ms", 4);
    mt_table_strings(&table, "published_in", "published in");
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++) {
        char types[256];
        mt_cell_variant_names(*m, types, sizeof types);
        mt_table_text(&table, (*m)->name);
        mt_table_text(&table, (*m)->title);
        mt_table_text(&table, types);
        MT_TABLE_NUMBERS(
            &table, (double)(*m)->n_states, (*m)->dt_max_ms, (*m)->rhythm_ms > 0 ? (*m)->rhythm_ms : NAN);
        mt_table_text(&table, (*m)->source);
    }
    return mt_print_table(arguments, &table);
}

static mt_status list_parameters(mt_arena *arena, const mt_arguments *arguments)
{
    mt_chosen_cell chosen;
    char title[256], cell[128];
    MT_TRY(mt_cell_options_read(arena, arguments, &chosen));
    mt_cell_title(&chosen, cell, sizeof cell);
    (void)snprintf(title, sizeof title, "Parameters of the ionic model %s, %s", chosen.model->name, cell);
    mt_table table = mt_table_begin(arena, "cell_parameters", title);
    mt_table_strings(&table, "name", "name");
    mt_table_digits(&table, "value", "value", "", 8);
    mt_table_strings(&table, "unit", "unit");
    for (size_t k = 0; k < chosen.model->n_parameters; k++) {
        mt_table_text(&table, chosen.model->parameters[k].name);
        mt_table_number(&table, chosen.variant.parameters[k]);
        mt_table_text(&table, chosen.model->parameters[k].unit);
    }
    return mt_print_table(arguments, &table);
}

/* Lists all models, or the parameters of the cell selected by options. */
static mt_status list(mt_arena *arena, const mt_arguments *arguments)
{
    static const char *const choosing[] = {"--model", "--type", "--start", "--scale", "--set"};
    for (size_t k = 0; k < sizeof choosing / sizeof *choosing; k++)
        if (mt_option_given(arguments, choosing[k])) return list_parameters(arena, arguments);
    return list_models(arena, arguments);
}

static mt_status cell(mt_arena *arena, const mt_arguments *arguments)
{
    request r;
    record x = {0};
    if (mt_option_given(arguments, "--list")) return list(arena, arguments);
    MT_TRY(read_request(arena, arguments, &r));
    warn_of_request(&r);
    MT_TRY(mt_file_set_begin());
    MT_TRY(mt_file_set_end(write_all(arena, &r, &x)));
    warn_of_stimulus(&r, x.peak_mV);
    warn_of_further(&r, &x.beats);
    return print_beats(arena, arguments, &r, &x);
}
