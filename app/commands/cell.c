/* myotile cell: one cell of the model, by itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/commands.h"
#include "app/cli/table.h"
#include "app/stages/warnings.h"
#include "data/file.h"
#include "ipu/run/engine.h"
#include "solver/cells/tp06.h"

static mt_status cell(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {.name = "--type", .value = "epi|mid|endo", .help = "the kind of cell; default: epi"},
    {.name = "--dt-ms", .value = "DT", .help = "time step, at most 0.05; default: 0.02"},
    {.name = "--end-ms", .value = "T", .help = "simulated time; default: 500"},
    {.name = "--stimulus",
        .value = "START,DURATION,STRENGTH",
        .help = "in ms, ms and mV/ms (= pA/pF); default: 1,1,52"},
    {.name = "--precision", .value = "float|double", .help = "arithmetic; default: double"},
    MT_OPTION_OUTPUT("TRACE.csv", "the file to write: V and the 18 states each ms"), MT_OPTION_FORCE,
    MT_OPTIONS_END};

const mt_command mt_command_cell = {
    .name = "cell",
    .operands = "",
    .summary = "run one ten Tusscher-Panfilov 2006 cell and write all its 19 values each ms",
    .example = "myotile cell --type epi --dt-ms 0.02 --end-ms 500 --stimulus 1,1,52 -o trace.csv",
    .options = options,
    .run = cell,
};

typedef struct request {
    mt_cell_type type;
    bool single;
    double dt_ms, end_ms;
    double stimulus[3]; /* start ms, duration ms, strength mV/ms */
    const char *path;
} request;

static mt_status read_request(const mt_arguments *arguments, request *r)
{
    const char *precision = mt_option_value(arguments, "--precision", "double");
    r->path = mt_option_value(arguments, "--output", NULL);
    MT_TRY(mt_file_check(r->path, mt_option_replace(arguments)));
    MT_TRY(mt_tp06_type_find(mt_option_value(arguments, "--type", "epi"), &r->type));
    MT_TRY(mt_numbers("--dt-ms", mt_option_value(arguments, "--dt-ms", "0.02"), 1, 0, &r->dt_ms));
    MT_TRY(mt_numbers("--end-ms", mt_option_value(arguments, "--end-ms", "500"), 1, 0, &r->end_ms));
    MT_TRY(mt_numbers(
        "--stimulus", mt_option_value(arguments, "--stimulus", "1,1,52"), 3, -INFINITY, r->stimulus));
    if (r->dt_ms > 0.05)
        return mt_fail(MT_INPUT, "--dt-ms %g; allowed: at most 0.05, where the model is stable", r->dt_ms);
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

/* V, then the states. */
typedef struct values {
    double v[1 + TP06_STATES];
} values;

static values at_rest(mt_cell_type type)
{
    values x = {{mt_tp06_types[type].v_mV}};
    memcpy(x.v + 1, mt_tp06_types[type].state, sizeof mt_tp06_types[type].state);
    return x;
}

static void step(const request *r, bool stimulated, values *x)
{
    const mt_tp06_type *type = &mt_tp06_types[r->type];
    if (r->single) {
        float f[1 + TP06_STATES];
        for (int k = 0; k <= TP06_STATES; k++) f[k] = (float)x->v[k];
        if (stimulated) f[0] += (float)(r->dt_ms * r->stimulus[2]);
        uint64_t before = ipu_begin_flushing(); /* as on the machine */
        mt_tp06_step_float(type, r->dt_ms, 1, f + 1, f, f);
        ipu_end_flushing(before);
        for (int k = 0; k <= TP06_STATES; k++) x->v[k] = (double)f[k];
    } else {
        if (stimulated) x->v[0] += r->dt_ms * r->stimulus[2];
        mt_tp06_step_double(type, r->dt_ms, 1, x->v + 1, x->v, x->v);
    }
}

static mt_table begin_trace(mt_arena *arena)
{
    mt_table table = mt_table_begin(arena, "One cell");
    mt_table_digits(&table, "t", "ms", 9);
    mt_table_digits(&table, "V", "mV", 9);
    for (int k = 0; k < TP06_STATES; k++)
        mt_table_digits(&table, mt_tp06_state_name[k], mt_tp06_state_unit[k], 9);
    return table;
}

static void trace_row(mt_table *table, double t_ms, const values *x)
{
    mt_table_number(table, t_ms);
    for (int k = 0; k <= TP06_STATES; k++) mt_table_number(table, x->v[k]);
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
    mt_warn_of_time(r->path, "--end-ms", r->end_ms, t->n, r->dt_ms);
    mt_warn_of_time(r->path, "--stimulus, its start", r->stimulus[0], t->on, r->dt_ms);
    mt_warn_of_time(r->path, "--stimulus, its duration", r->stimulus[1], t->off - t->on, r->dt_ms);
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

static mt_status integrate(const request *r, const timing *t, mt_table *trace)
{
    values x = at_rest(r->type);
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

static mt_status cell(mt_arena *arena, const mt_arguments *arguments)
{
    request r;
    MT_TRY(read_request(arguments, &r));
    mt_table trace = begin_trace(arena);
    const timing t = timing_of(&r);
    warn_of_request(&r, &t);
    MT_TRY(integrate(&r, &t, &trace));
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return mt_fail(MT_MEMORY, "%s: out of memory", r.path);
    mt_status status = mt_table_print(memory, &trace, MT_FORMAT_CSV);
    if (fclose(memory) != 0 && status == MT_OK) status = mt_fail(MT_MEMORY, "%s: out of memory", r.path);
    if (status == MT_OK) status = mt_file_write_text(r.path, text, size);
    free(text);
    MT_TRY(status);
    (void)fprintf(arguments->out, "%s: %s cell, %g ms at dt %g ms in %s precision\n", r.path,
        mt_tp06_types[r.type].name, (double)t.n * r.dt_ms, r.dt_ms, r.single ? "single" : "double");
    return MT_OK;
}
