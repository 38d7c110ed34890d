/* myotile cell: one cell of the model, by itself. */
#include <math.h>
#include <string.h>

#include "app/commands/commands.h"
#include "app/cli/table.h"
#include "app/stages/warnings.h"
#include "data/file.h"
#include "data/number.h"
#include "ipu/run/engine.h"
#include "solver/cells/model.h"

static mt_status cell(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {.name = "--model", .value = "NAME", .help = "the cell model; default: the first of --list"},
    {.name = "--type", .value = "NAME", .help = "the kind of cell; default: the model's first"},
    {.name = "--list", .help = "list the models with their types, and do nothing else"},
    {.name = "--dt-ms", .value = "DT", .help = "time step; default: 0.02"},
    {.name = "--end-ms", .value = "T", .help = "simulated time; default: 500"},
    {.name = "--stimulus",
        .value = "START,DURATION,STRENGTH",
        .help = "in ms, ms and mV/ms (= pA/pF); default: 1,1,52"},
    {.name = "--precision", .value = "float|double", .help = "arithmetic; default: double"},
    {.name = "--output",
        .letter = 'o',
        .value = "TRACE.csv",
        .help = "the file to write: V and the states each ms"},
    MT_OPTION_FORCE, MT_OPTIONS_END};

const mt_command mt_command_cell = {
    .name = "cell",
    .operands = "",
    .summary = "run one cell of a model and write all its values each ms",
    .example = "myotile cell --type epi --dt-ms 0.02 --end-ms 500 --stimulus 1,1,52 -o trace.csv",
    .options = options,
    .run = cell,
};

typedef struct request {
    const mt_cell_model *model;
    size_t variant;
    bool single;
    double dt_ms, end_ms;
    double stimulus[3]; /* start ms, duration ms, strength mV/ms */
    const char *path;
} request;

static mt_status read_cell(const mt_arguments *arguments, request *r)
{
    MT_TRY(mt_cell_model_find(mt_option_value(arguments, "--model", mt_cell_models[0]->name), &r->model));
    return mt_cell_variant_find(
        r->model, mt_option_value(arguments, "--type", r->model->variants[0].name), &r->variant);
}

static mt_status read_request(const mt_arguments *arguments, request *r)
{
    const char *precision = mt_option_value(arguments, "--precision", "double");
    r->path = mt_option_value(arguments, "--output", NULL);
    if (!r->path) return mt_fail(MT_INPUT, "cell: --output is needed; see myotile cell --help");
    MT_TRY(mt_file_check(r->path, mt_option_replace(arguments)));
    MT_TRY(read_cell(arguments, r));
    MT_TRY(mt_numbers("--dt-ms", mt_option_value(arguments, "--dt-ms", "0.02"), 1, 0, &r->dt_ms));
    MT_TRY(mt_numbers("--end-ms", mt_option_value(arguments, "--end-ms", "500"), 1, 0, &r->end_ms));
    MT_TRY(mt_numbers(
        "--stimulus", mt_option_value(arguments, "--stimulus", "1,1,52"), 3, -INFINITY, r->stimulus));
    if (r->dt_ms > r->model->dt_max_ms)
        return mt_fail(MT_INPUT, "--dt-ms %g; allowed: at most %g, where the model is stable", r->dt_ms,
            r->model->dt_max_ms);
    if (!(r->end_ms / r->dt_ms <= 1e9))
        return mt_fail(MT_INPUT, "--end-ms %g is %.3g steps of --dt-ms %g; allowed: at most 1e9", r->end_ms,
            r->end_ms / r->dt_ms, r->dt_ms);
    if (r->stimulus[0] < 0 || r->stimulus[1] < 0)
        return mt_fail(MT_INPUT, "--stimulus: start %g, duration %g; allowed: at least 0", r->stimulus[0],
            r->stimulus[1]);
    if (!((r->stimulus[0] + r->stimulus[1]) / r->dt_ms <= 1e9))
        return mt_fail(MT_INPUT,
            "--stimulus: start %g, duration %g: ends after %.3g steps of --dt-ms %g; allowed: at most 1e9",
            r->stimulus[0], r->stimulus[1], (r->stimulus[0] + r->stimulus[1]) / r->dt_ms, r->dt_ms);
    r->single = strcmp(precision, "float") == 0;
    if (!r->single && strcmp(precision, "double") != 0)
        return mt_fail(MT_INPUT, "--precision %s; allowed: float, double", precision);
    return MT_OK;
}

/* V, then the states, in both precisions. */
typedef struct values {
    size_t n;
    double *v;
    float *single;
} values;

static mt_status at_rest(mt_arena *arena, const request *r, values *x)
{
    const mt_cell_variant *variant = &r->model->variants[r->variant];
    x->n = 1 + r->model->n_states;
    MT_ALLOC(arena, x->v, x->n);
    MT_ALLOC(arena, x->single, x->n);
    x->v[0] = variant->v_mV;
    memcpy(x->v + 1, variant->states, r->model->n_states * sizeof *x->v);
    return MT_OK;
}

static void step(const request *r, bool stimulated, values *x)
{
    if (r->single) {
        float *f = x->single;
        for (size_t k = 0; k < x->n; k++) f[k] = (float)x->v[k];
        if (stimulated) f[0] += (float)(r->dt_ms * r->stimulus[2]);
        uint64_t before = ipu_begin_flushing(); /* as on the machine */
        mt_cell_step_float(r->model, r->variant, NULL, r->dt_ms, 1, f + 1, f, f);
        ipu_end_flushing(before);
        for (size_t k = 0; k < x->n; k++) x->v[k] = (double)f[k];
    } else {
        if (stimulated) x->v[0] += r->dt_ms * r->stimulus[2];
        mt_cell_step_double(r->model, r->variant, NULL, r->dt_ms, 1, x->v + 1, x->v, x->v);
    }
}

/* Names and units are those of the model. */
static void begin_trace(FILE *trace, const mt_cell_model *model)
{
    (void)fputs("t[ms],V[mV]", trace);
    for (size_t k = 0; k < model->n_states; k++) {
        (void)fprintf(trace, ",%s", model->states[k].name);
        if (*model->states[k].unit) (void)fprintf(trace, "[%s]", model->states[k].unit);
    }
    (void)fputc('\n', trace);
}

static void trace_row(FILE *trace, double t_ms, const values *x)
{
    char number[MT_NUMBER_SIZE];
    mt_number_text(t_ms, number);
    (void)fputs(number, trace);
    for (size_t k = 0; k < x->n; k++) {
        mt_number_text(x->v[k], number);
        (void)fprintf(trace, ",%s", isnan(x->v[k]) ? "" : number);
    }
    (void)fputc('\n', trace);
}

static mt_status impossible(const request *r, double v_mV, double t_ms)
{
    char value[32] = "not a number";
    if (!isnan(v_mV)) (void)snprintf(value, sizeof value, "%g mV", v_mV);
    return mt_fail(MT_NUMERICS,
        "cell: V is %s after %g ms; it must stay within -200 .. 200 mV; --stimulus changes it by %g mV/ms "
        "from %g ms on for %g ms: a weaker one or a smaller --dt-ms may help",
        value, t_ms, r->stimulus[2], r->stimulus[0], r->stimulus[1]);
}

/* Times in steps. */
typedef struct timing {
    size_t n, on, off;
} timing;

static timing timing_of(const request *r)
{
    return (timing){(size_t)llround(r->end_ms / r->dt_ms), (size_t)llround(r->stimulus[0] / r->dt_ms),
        (size_t)llround((r->stimulus[0] + r->stimulus[1]) / r->dt_ms)};
}

static void warn_of_request(const request *r, const timing *t)
{
    mt_findings_of_time(mt_warnings, r->path, "--end-ms", r->end_ms, t->n, r->dt_ms);
    mt_findings_of_time(mt_warnings, r->path, "--stimulus, its start", r->stimulus[0], t->on, r->dt_ms);
    mt_findings_of_time(
        mt_warnings, r->path, "--stimulus, its duration", r->stimulus[1], t->off - t->on, r->dt_ms);
    if (t->on >= t->n && r->stimulus[2] != 0)
        mt_warn("%s: --stimulus: found a start at %g ms, after the end; usual: before --end-ms, %g", r->path,
            r->stimulus[0], r->end_ms);
    if (r->stimulus[2] < 0)
        mt_warn(
            "%s: --stimulus: found a strength of %g mV/ms, which hyperpolarises; usual: above 0, such as 52",
            r->path, r->stimulus[2]);
}

/* What was meant to raise V and did not depolarise the cell. */
static void warn_of_stimulus(const request *r, const timing *t, double peak_mV)
{
    if (peak_mV >= 0 || r->stimulus[2] <= 0 || t->off == t->on || t->on >= t->n) return;
    mt_warn("%s: --stimulus: found no activation by %g ms: V rose to %.1f mV at most; usual: 52 mV/ms for "
            "1 ms, to above 0 mV",
        r->path, (double)t->n * r->dt_ms, peak_mV);
}

static mt_status integrate(mt_arena *arena, const request *r, const timing *t, FILE *trace)
{
    values x;
    MT_TRY(at_rest(arena, r, &x));
    double written_ms = 0, peak_mV = x.v[0];
    trace_row(trace, 0, &x);
    for (size_t s = 0; s < t->n; s++) {
        step(r, s >= t->on && s < t->off, &x);
        const double t_ms = (double)(s + 1) * r->dt_ms;
        if (!(fabs(x.v[0]) <= 200)) return impossible(r, x.v[0], t_ms);
        peak_mV = fmax(peak_mV, x.v[0]);
        if (t_ms + 1e-9 < written_ms + 1) continue;
        written_ms = floor(t_ms + 1e-9);
        trace_row(trace, t_ms, &x);
    }
    warn_of_stimulus(r, t, peak_mV);
    return MT_OK;
}

static mt_status list_models(mt_arena *arena, FILE *out)
{
    mt_table table = mt_table_begin(arena, "cell_models", "Cell models");
    mt_table_strings(&table, "name", "name");
    mt_table_strings(&table, "model", "model");
    mt_table_strings(&table, "types", "types");
    mt_table_decimals(&table, "states", "states", "", 0);
    mt_table_digits(&table, "largest_time_step_ms", "largest time step", "ms", 3);
    mt_table_strings(&table, "published_in", "published in");
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++) {
        char types[256];
        mt_cell_variant_names(*m, types, sizeof types);
        mt_table_text(&table, (*m)->name);
        mt_table_text(&table, (*m)->title);
        mt_table_text(&table, types);
        mt_table_number(&table, (double)(*m)->n_states);
        mt_table_number(&table, (*m)->dt_max_ms);
        mt_table_text(&table, (*m)->source);
    }
    return mt_table_print(out, &table, MT_FORMAT_TEXT);
}

static mt_status write_trace(mt_arena *arena, const request *r, const timing *t)
{
    mt_file file;
    MT_TRY(mt_file_begin(r->path, &file));
    begin_trace(file.stream, r->model);
    return mt_file_end(&file, integrate(arena, r, t, file.stream));
}

static mt_status cell(mt_arena *arena, const mt_arguments *arguments)
{
    request r;
    if (mt_option_given(arguments, "--list")) return list_models(arena, arguments->out);
    MT_TRY(read_request(arguments, &r));
    const timing t = timing_of(&r);
    warn_of_request(&r, &t);
    MT_TRY(write_trace(arena, &r, &t));
    (void)fprintf(arguments->out, "%s: %s cell, %g ms at dt %g ms in %s precision\n", r.path,
        r.model->variants[r.variant].name, (double)t.n * r.dt_ms, r.dt_ms, r.single ? "single" : "double");
    return MT_OK;
}
