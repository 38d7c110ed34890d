#include <criterion/criterion.h>

#include <sys/wait.h>

#include "solver/cells/model.h"
#include "tests/app/program.h"

TestSuite(cell, .init = enter_room, .fini = leave_room);

enum { COLUMNS = 32, ROWS_MAX = 600 };

typedef struct trace {
    size_t n;
    double value[ROWS_MAX][COLUMNS]; /* t [ms], V [mV], 18 states, 12 currents */
} trace;

static trace read_trace(const char *path)
{
    trace t = {0};
    size_t size;
    char *text = bytes_of(path, &size), *save, *row = strtok_r(text, "\n", &save);
    cr_assert(strncmp(row, "t[ms],V[mV],", 12) == 0, "%s", row);
    size_t columns = 1;
    for (const char *p = row; *p; p++) columns += *p == ',';
    cr_assert_eq(columns, COLUMNS, "%s", row);
    while ((row = strtok_r(NULL, "\n", &save))) {
        cr_assert_lt(t.n, ROWS_MAX);
        for (int k = 0; k < COLUMNS; k++) {
            char *end;
            t.value[t.n][k] = strtod(row, &end);
            cr_assert(end > row && *end == (k + 1 < COLUMNS ? ',' : 0), "row %zu, column %d", t.n, k);
            row = end + 1;
        }
        t.n++;
    }
    free(text);
    return t;
}

static void expect_name(const mt_cell_quantity *q, const char *column)
{
    char name[64];
    (void)snprintf(name, sizeof name, *q->unit ? "%s[%s]" : "%s", q->name, q->unit);
    cr_assert(column && strcmp(column, name) == 0, "%s; %s", column, name);
}

/* Checks the columns: the states in the order of the equations, then the currents, each with its unit. The first row has the
 * initial values. */
static void expect_columns(const mt_cell_model *model, const mt_cell_variant *variant)
{
    size_t size;
    free(works("cell -o trace.csv --end-ms 1 --model %s --type %s", model->name, variant->name));
    char *text = bytes_of("trace.csv", &size), *save, *row = strtok_r(text, "\n", &save),
         *values = strtok_r(NULL, "\n", &save), *column = strtok_r(row, ",", &row);
    cr_assert_str_eq(column, "t[ms]");
    cr_assert_str_eq(strtok_r(NULL, ",", &row), "V[mV]");
    const double t_ms = strtod(strtok_r(values, ",", &values), NULL),
                 v_mV = strtod(strtok_r(NULL, ",", &values), NULL);
    cr_assert(t_ms == 0 && fabs(v_mV - variant->v_mV) < 1e-6, "%g ms, %g mV", t_ms, v_mV);
    for (size_t k = 0; k < model->n_states; k++) {
        const double value = strtod(strtok_r(NULL, ",", &values), NULL), rest = variant->states[k];
        expect_name(&model->states[k], strtok_r(NULL, ",", &row));
        /* nine digits */
        cr_assert(fabs(value - rest) <= 5e-9 * fabs(rest), "%s", model->states[k].name);
    }
    double current[64];
    if (model->currents_of)
        model->currents_of(model, variant->parameters, variant->v_mV, variant->states, current);
    for (size_t k = 0; k < model->n_currents; k++) {
        expect_name(&model->currents[k], strtok_r(NULL, ",", &row));
        cr_assert_eq(strtod(strtok_r(NULL, ",", &values), NULL), current[k], "%s", model->currents[k].name);
    }
    cr_assert(strtok_r(NULL, ",", &row) == NULL && strtok_r(NULL, ",", &values) == NULL, "%s", model->name);
    free(text);
    cr_assert_eq(remove("trace.csv"), 0);
}

Test(cell, csv_columns_are_named_after_the_states)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        for (size_t v = 0; v < (*m)->n_variants; v++) expect_columns(*m, &(*m)->variants[v]);
}

/* Lists the values of --model and --type of all models. */
Test(cell, models_are_listed)
{
    char *out = works("cell --list --format json");
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++) {
        cr_expect(
            strstr(out, (*m)->name) && strstr(out, (*m)->title) && strstr(out, (*m)->source), "%s", out);
        for (size_t v = 0; v < (*m)->n_variants; v++)
            cr_expect(strstr(out, (*m)->variants[v].name), "%s", out);
    }
    free(out);
}

static trace run_cell(const char *options)
{
    free(works("cell -o trace.csv %s", options));
    return read_trace("trace.csv");
}

static double peak_mV(const trace *t)
{
    double peak = -INFINITY;
    for (size_t k = 0; k < t->n; k++) peak = fmax(peak, t->value[k][1]);
    return peak;
}

Test(cell, trace_has_all_values_at_each_ms_of_500)
{
    trace t = run_cell("");
    cr_assert_eq(t.n, 501);
    for (size_t k = 0; k < t.n; k++) cr_assert_float_eq(t.value[k][0], (double)k, 1e-9);
}

/* Published resting state of the epicardial cell: the first row; then V exceeds 0 mV, and is at rest again after 500 ms. */
Test(cell, an_action_potential_depolarises_and_repolarises)
{
    trace t = run_cell("--type epi");
    cr_assert_eq(t.value[0][1], -85.23);
    cr_assert(peak_mV(&t) > 0 && peak_mV(&t) < 60, "%g mV", peak_mV(&t));
    cr_assert_gt(t.value[100][1], 0); /* plateau */
    cr_assert_float_eq(t.value[500][1], -85.23, 1);
}

Test(cell, without_a_stimulus_the_cell_stays_at_rest)
{
    trace t = run_cell("--stimulus 1,1,0");
    cr_assert_lt(peak_mV(&t), -84);
}

/* Before the stimulus all values equal, bit for bit, those without stimulus; afterwards they differ. */
Test(cell, the_stimulus_starts_at_the_specified_time)
{
    trace with = run_cell("--stimulus 10,1,52 --end-ms 20"),
          without = run_cell("--stimulus 10,1,0 --end-ms 20");
    cr_assert_eq(with.n, 21);
    for (size_t k = 0; k < 21; k++)
        cr_assert_eq(
            memcmp(with.value[k], without.value[k], sizeof with.value[k]) == 0, k <= 10, "%zu ms", k);
}

/* Mid-myocardial cells have the longest action potential of the three (ten Tusscher & Panfilov 2006): when the others are nearly
 * at rest, they are not. */
Test(cell, cell_types_differ_and_mid_has_the_longest_action_potential)
{
    trace epi = run_cell("--type epi"), mid = run_cell("--type mid"), endo = run_cell("--type endo");
    cr_assert(epi.value[320][1] < -80 && endo.value[320][1] < -80);
    cr_assert_gt(mid.value[320][1], -60);
    cr_assert(epi.value[0][1] != endo.value[0][1] && epi.value[0][1] != mid.value[0][1]);
}

/* V is below 128 mV, so a step in single precision rounds it by at most 2^-18 mV = 3.8e-6 mV. If all 25,000 rounding errors had
 * the same sign and were not damped, the error would be 0.1 mV; the rounding of the states contributes about the same. (Measured:
 * 0.024 mV.) The difference must not be zero, because the arithmetic differs. */
Test(cell, single_and_double_precision_agree_to_within_rounding)
{
    static const char *const types[] = {"epi", "mid", "endo"};
    for (int k = 0; k < 3; k++) {
        char single[64], both[64];
        (void)snprintf(both, sizeof both, "--type %s --precision double", types[k]);
        (void)snprintf(single, sizeof single, "--type %s --precision float", types[k]);
        trace a = run_cell(both), b = run_cell(single);
        double worst = 0;
        for (size_t r = 0; r < a.n; r++) worst = fmax(worst, fabs(a.value[r][1] - b.value[r][1]));
        cr_assert(worst > 0 && worst < 0.2, "%s: %g mV", types[k], worst);
    }
}

/* A step that does not divide 1 ms: the row of each ms is the first step at or after it. */
Test(cell, any_time_step_writes_one_row_per_ms)
{
    trace t = run_cell("--dt-ms 0.03 --end-ms 50");
    cr_assert_eq(t.n, 51);
    for (size_t k = 0; k < t.n; k++)
        cr_assert(t.value[k][0] >= (double)k - 1e-9 && t.value[k][0] < (double)k + 0.03, "%g", t.value[k][0]);
}

/* Forward Euler is of first order: the difference to dt / 4 at least halves with dt (the exact ratio of 1/2 - 1/4 to 1 - 1/4 is a
 * third). The upstroke is omitted, because there a shift in time is a large difference. */
Test(cell, halving_the_time_step_at_least_halves_the_error)
{
    trace coarse = run_cell("--dt-ms 0.04"), middle = run_cell("--dt-ms 0.02"),
          fine = run_cell("--dt-ms 0.01");
    double far = 0, near = 0;
    for (size_t k = 10; k < fine.n; k++) {
        far = fmax(far, fabs(coarse.value[k][1] - fine.value[k][1]));
        near = fmax(near, fabs(middle.value[k][1] - fine.value[k][1]));
    }
    cr_assert(near > 0 && near < 0.5 * far, "%g and %g mV", far, near);
}

Test(cell, the_same_command_writes_the_same_file)
{
    free(works("cell -o a.csv --end-ms 50"));
    free(works("cell -o b.csv --end-ms 50"));
    cr_assert(same_file("a.csv", "b.csv"));
}

Test(cell, invalid_options_are_rejected_and_write_no_file)
{
    refuses(2, "cell type 'atrial'; allowed: epi, mid, endo", "cell -o a.csv --type atrial");
    refuses(2, "ionic model 'purkinje'; allowed: tp06", "cell -o a.csv --model purkinje");
    refuses(2, "--precision half; allowed: double, float", "cell -o a.csv --precision half");
    refuses(2, "--dt-ms 0.06; allowed: at most 0.05", "cell -o a.csv --dt-ms 0.06");
    refuses(2, "--dt-ms 0; allowed: 1 number above 0", "cell -o a.csv --dt-ms 0");
    refuses(2, "--end-ms -1; allowed: 1 number above 0", "cell -o a.csv --end-ms -1");
    refuses(2, "--end-ms soon", "cell -o a.csv --end-ms soon");
    refuses(2, "--stimulus 1,1; allowed: 3 numbers", "cell -o a.csv --stimulus 1,1");
    refuses(2, "--stimulus: start -1, duration 1", "cell -o a.csv --stimulus -1,1,52");
    refuses(2, "allowed: at most 1e9", "cell -o a.csv --end-ms 1e300");
    refuses(2, "--stimulus: start 1e+300, duration 1: ends after 5e+301 steps",
        "cell -o a.csv --stimulus 1e300,1,52");
    refuses(2, "allowed: at most 1e9", "cell -o a.csv --dt-ms 1e-300");
}

/* Runs a cell that must succeed with this one-line warning and write its file. */
static void expect_warning(const char *options, const char *warning)
{
    char line[256], expected[256], *out;
    (void)snprintf(line, sizeof line, "cell -o trace.csv %s", options);
    char *said = warnings(&out, line);
    (void)snprintf(expected, sizeof expected, "myotile: warning: trace.csv: %s", warning);
    if (!*warning) expected[0] = 0;
    cr_expect(
        strncmp(said, expected, strlen(expected)) == 0 && (*warning || !*said), "%s: %s", options, said);
    cr_expect(
        strchr(said, '\n') == (*said ? said + strlen(said) - 1 : NULL), "%s: one line: %s", options, said);
    cr_assert(there("trace.csv"));
    cr_assert_eq(remove("trace.csv"), 0);
    free(said), free(out);
}

Test(cell, suspicious_option_values_cause_warnings)
{
    expect_warning("--end-ms 20", "");
    expect_warning("--end-ms 20 --stimulus 1,1,0", "");
    expect_warning("--end-ms 20 --stimulus 1,1,-52",
        "--stimulus: found a strength of -52 mV/ms, which hyperpolarises; usual");
    expect_warning("--end-ms 20 --stimulus 1,1,5", "--stimulus: found no activation by 20 ms: V rose to -8");
    expect_warning("--end-ms 20 --stimulus 20,1,52", "--stimulus: found a start at 20 ms, after the end");
    expect_warning("--end-ms 20.01",
        "--end-ms: found 20.01 ms, which are 1000.5 steps of 0.02 ms; used: 1001 steps, 20.02 ms\n");
    expect_warning("--end-ms 20 --stimulus 1,1.013,52", "--stimulus, its duration: found 1.013 ms, which are "
                                                        "50.65 steps of 0.02 ms; used: 51 steps, 1.02 ms\n");
    expect_warning(
        "--end-ms 20 --stimulus 0.995,1,52", "--stimulus, its start: found 0.995 ms, which are 49.75 steps");
    expect_warning("--model stewart --end-ms 1400 --stimulus 1,1,0",
        "found action potentials without a stimulus: 1, every 1224.3 ms on average");
    char *out = works("cell -o a.csv --end-ms 20.01");
    cr_assert(strstr(out, "epi cell, 20.02 ms, time step 0.02 ms"),
        "the simulated time, not the requested one: %s", out);
    free(out);
}

Test(cell, an_unwritable_file_is_rejected)
{
    write_text("file", "");
    refuses(3, "file/trace.csv: cannot be written: Not a directory", "cell -o file/trace.csv --end-ms 1");
    refuses(3, "none/trace.csv: cannot be written: ", "cell -o none/trace.csv --end-ms 1");
}

/* 20,000 mV in 2 ms: no cell survives that, and no number of it is written. */
Test(cell, a_diverging_simulation_is_a_failure)
{
    static const char line[] = "cell -o a.csv --stimulus 1,2,10000 --end-ms 5";
    refuses(5, "ms V is ", "%s", line);
    refuses(5,
        "must stay within -200 .. 200 mV; the stimulus is 10000 mV/ms from 1 ms for 2 ms: a "
        "weaker --stimulus",
        "%s", line);
}

/* ---- pacing ---- */

/* Returns V at every step of a run, from its trace. */
static double *potential_of(const char *path, size_t *n)
{
    size_t size;
    char *text = bytes_of(path, &size), *save;
    double *v = calloc(size, sizeof *v);
    *n = 0;
    (void)strtok_r(text, "\n", &save);
    for (char *row; (row = strtok_r(NULL, "\n", &save));) v[(*n)++] = strtod(strchr(row, ',') + 1, NULL);
    free(text);
    return v;
}

/* Returns the time from 0 mV upwards, the first in this range of steps, to 90 % repolarisation between rest and peak. */
static double apd90_ms(const double *v, size_t from, size_t to, double dt_ms)
{
    size_t up = from, down;
    double peak = -INFINITY, low = INFINITY;
    while (!(v[up] < 0 && v[up + 1] >= 0)) low = fmin(low, v[up++]);
    for (size_t s = up; s < to; s++) peak = fmax(peak, v[s]);
    const double level = peak - 0.9 * (peak - low);
    for (down = up + 1; !(v[down] > level && v[down + 1] <= level);) down++;
    return dt_ms * ((double)down + (v[down] - level) / (v[down] - v[down + 1]) - (double)up +
                       v[up] / (v[up + 1] - v[up]));
}

/* Returns the number of `key` in the n-th row, from 0, of a table of numbers. */
static double row_number(const char *json, size_t n, const char *key)
{
    char mark[64];
    const char *at = strstr(json, "\"rows\"");
    (void)snprintf(mark, sizeof mark, "\"%s\": ", key);
    for (size_t k = 0; at && k <= n; k++) at = strstr(at + 1, mark);
    cr_assert_not_null(at, "no %s in row %zu of %s", key, n, json);
    return strncmp(at + strlen(mark), "null", 4) == 0 ? NAN : strtod(at + strlen(mark), NULL);
}

Test(cell, apd90_of_the_table_equals_apd90_of_the_trace)
{
    char *json =
        works("cell --type endo --bcl 450 --beats 2 --dt-ms 0.05 --every-ms 0.05 -o trace.csv --format json");
    size_t n;
    double *v = potential_of("trace.csv", &n);
    cr_assert_eq(n, 18001);
    for (size_t beat = 0; beat < 2; beat++) {
        const double expected = apd90_ms(v, beat * 9000, (beat + 1) * 9000, 0.05),
                     found = row_number(json, beat, "apd90_ms");
        cr_assert(fabs(found - expected) < 1e-6, "beat %zu: %.10g, %.10g", beat, found, expected);
    }
    cr_assert_float_eq(row_number(json, 1, "apd90_change_ms"),
        row_number(json, 1, "apd90_ms") - row_number(json, 0, "apd90_ms"), 1e-9);
    cr_assert(
        row_number(json, 1, "ca_i_highest_umol_per_l") > 2 * row_number(json, 1, "ca_i_lowest_umol_per_l"));
    free(v), free(json);
}

/* The value in solver/README.md for steps of 0.02 ms. */
Test(cell, apd90_of_one_beat_equals_the_value_in_the_readme)
{
    char *json = works("cell --format json");
    cr_assert_float_eq(row_number(json, 0, "apd90_ms"), 290.18, 0.02);
    cr_assert_float_eq(row_number(json, 0, "peak_mv"), 38.5, 0.05);
    cr_assert(isnan(row_number(json, 0, "diastolic_interval_ms")));
    free(json);
}

Test(cell, text_output_lists_the_last_beats_and_json_all_beats)
{
    char *text = works("cell --model mitchell-schaeffer --bcl 400 --beats 9"),
         *json = works("cell --model mitchell-schaeffer --bcl 400 --beats 9 --format json");
    cr_assert(strstr(text, "the last 6 of 9 beats") && strstr(text, "\n   4 ") && !strstr(text, "\n   3 "),
        "%s", text);
    cr_assert_not(strstr(text, "[Ca]i"), "%s", text);
    cr_assert_eq(row_number(json, 0, "beat"), 1);
    cr_assert_eq(row_number(json, 8, "beat"), 9);
    free(text), free(json);
}

/* A saved state is continued bit for bit: two beats and one more equal three. */
Test(cell, a_run_resumes_from_the_saved_state_of_another)
{
    static const char *const cells[] = {"--type mid", "--type epi --precision float",
        "--model mitchell-schaeffer", "--model mitchell-schaeffer --precision float"};
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        free(works("cell %s --bcl 400 --beats 3 --save whole.yaml --force", cells[k]));
        free(works("cell %s --bcl 400 --beats 2 --save two.yaml --force", cells[k]));
        free(works("cell %s --start two.yaml --bcl 400 --beats 1 --save three.yaml --force", cells[k]));
        cr_assert(same_file("whole.yaml", "three.yaml"), "%s", cells[k]);
        cr_assert_not(same_file("whole.yaml", "two.yaml"), "%s", cells[k]);
    }
    char *out = works("cell --start two.yaml --end-ms 1"); /* model and type are read from the file */
    cr_assert(strstr(out, "standard cell"), "%s", out);
    free(out);
}

/* A changed parameter of the file changes the cell, and is saved again. */
Test(cell, parameters_in_a_state_file_are_applied_and_saved_again)
{
    size_t n;
    free(works("cell --model mitchell-schaeffer --end-ms 1 --save usual.yaml"));
    char *text = bytes_of("usual.yaml", &n), *at = strstr(text, "dt_ms"), changed[1024];
    (void)snprintf(
        changed, sizeof changed, "%.*sparameters: {tau_close: 100}\n%s", (int)(at - text), text, at);
    write_text("changed.yaml", changed);
    char *usual = works("cell --start usual.yaml --format json"),
         *shorter = works("cell --start changed.yaml --format json --save again.yaml");
    cr_assert_lt(row_number(shorter, 0, "apd90_ms"), row_number(usual, 0, "apd90_ms") - 20);
    free(text);
    text = bytes_of("again.yaml", &n);
    cr_assert(strstr(text, "parameters:\n  tau_close: 100 # ms\n"), "%s", text);
    free(text), free(usual), free(shorter);
}

/* Options and files have the same effect. Factors apply to the type's own value, and the last option for a parameter counts. */
Test(cell, options_change_parameters)
{
    size_t n;
    free(works("cell --end-ms 5 --scale g_Kr=0.5 --set K_o=6 --scale g_Na=0.25 --save changed.yaml"));
    char *text = bytes_of("changed.yaml", &n);
    cr_assert(strstr(text, "  g_Na: 3.7095 # nS/pF\n") && strstr(text, "  K_o: 6 # mM\n") &&
                  strstr(text, "  g_Kr: 0.0765 # nS/pF\n"),
        "%s", text);
    free(text);
    free(works("cell --start changed.yaml --end-ms 5 --save by_file.yaml"));
    free(works("cell --start changed.yaml --end-ms 5 --scale g_Kr=0.5 --set K_o=6 --set g_Na=3.7095 --save "
               "by_options.yaml"));
    cr_assert(same_file("by_file.yaml", "by_options.yaml"));
    free(works("cell --start changed.yaml --end-ms 5 --scale g_Kr=2 --set K_o=5.4 --save on_top.yaml"));
    text = bytes_of("on_top.yaml", &n);
    cr_assert(strstr(text, "  g_Kr: 0.306 # nS/pF\n") && !strstr(text, "K_o"), "%s", text);
    free(text);
}

/* Halving g_Kr prolongs the first action potential by 22 ms, as stated in solver/README.md. */
Test(cell, halved_g_Kr_prolongs_the_action_potential_and_is_stated_in_the_title)
{
    char *usual = works("cell --format json"), *changed = works("cell --scale g_Kr=0.5 --format json");
    cr_assert_float_eq(row_number(changed, 0, "apd90_ms") - row_number(usual, 0, "apd90_ms"), 22, 0.5);
    cr_assert(strstr(changed, "epi cell with other parameters, 500 ms") && strstr(usual, "epi cell, 500 ms"),
        "%s", changed);
    free(usual), free(changed);
}

Test(cell, parameters_of_a_type_are_listed_with_values_and_units)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        for (size_t v = 0; v < (*m)->n_variants; v++) {
            const mt_cell_variant *variant = &(*m)->variants[v];
            char *out = works("cell --list --model %s --type %s --format json", (*m)->name, variant->name);
            for (size_t k = 0; k < (*m)->n_parameters; k++) {
                const mt_cell_quantity *q = &(*m)->parameters[k];
                char unit[64];
                (void)snprintf(unit, sizeof unit, "\"unit\": \"%s\"", q->unit);
                cr_expect_eq(json_number(out, q->name, "value"), variant->parameters[k], "%s", q->name);
                cr_expect(strstr(out, unit), "%s: %s", q->name, unit);
            }
            free(out);
        }
    char *changed = works("cell --list --scale g_Kr=0.5 --format json");
    cr_assert_eq(json_number(changed, "g_Kr", "value"), 0.0765, "%s", changed);
    free(changed);
}

Test(cell, invalid_parameters_are_rejected)
{
    refuses(
        2, "--scale g_X=2: not a parameter of the ionic model tp06; allowed: g_Na, ", "cell --scale g_X=2");
    refuses(2, "--set K_o=-1; allowed after K_o=: 0, or a number at least 5.4e-06 and at most 270, in mM",
        "cell --set K_o=-1");
    refuses(
        2, "--set K_o=5: K_o already has a factor; allowed: one of them", "cell --set K_o=5 --scale K_o=2");
    refuses(
        2, "--set K_o=0: a step of this cell (epi) does not result in finite numbers", "cell --set K_o=0");
    refuses(2, "--set g_Na=1: not a parameter", "restitution --model mitchell-schaeffer --set g_Na=1");
    write_text("wild.yaml",
        "model: mitchell-schaeffer\ntype: standard\nv_mV: -80\nparameters: {tau_in: 1e39}\nstates: {h: 1}\n");
    refuses(2, "wild.yaml: a step of this cell (standard) does not result in finite numbers",
        "cell --start wild.yaml");
}

Test(cell, trace_and_picture_can_be_limited_to_the_last_beats)
{
    free(works("cell --model mitchell-schaeffer --bcl 400 --beats 3 -o all.csv --every-ms 0.5"));
    free(works("cell --model mitchell-schaeffer --bcl 400 --beats 3 -o last.csv --every-ms 0.5 --last-beats "
               "1 --picture last.png"));
    size_t n;
    char *all = bytes_of("all.csv", &n), *last = bytes_of("last.csv", &n), *from = strstr(all, "\n800,");
    cr_assert(there("last.png") && from && strcmp(strchr(last, '\n'), from) == 0);
    free(all), free(last);
}

Test(cell, pictures_are_drawn_reproducibly_for_every_model)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++) {
        free(works("cell --model %s --end-ms 50 --picture a.png --force", (*m)->name));
        free(works("cell --model %s --end-ms 50 --picture b.png --force", (*m)->name));
        cr_assert(same_file("a.png", "b.png"), "%s", (*m)->name);
    }
}

Test(cell, contradicting_options_are_rejected)
{
    refuses(2, "--bcl without --beats; pacing requires both", "cell --bcl 500");
    refuses(2, "--beats without --bcl; pacing requires both", "cell --beats 5");
    refuses(2, "--bcl 0; allowed: 1 number above 0", "cell --bcl 0 --beats 5");
    refuses(2, "--bcl 0.01; allowed: at least one time step, 0.02", "cell --bcl 0.01 --beats 5");
    refuses(2, "--beats 0; allowed: ", "cell --bcl 500 --beats 0");
    refuses(2, "--end-ms 900 is before the end of 2 pacing cycles of 500 ms; allowed: at least 1000",
        "cell --bcl 500 --beats 2 --end-ms 900");
    refuses(2, "the duration of all beats, 1e+08 is 5e+09 steps of --dt-ms 0.02; allowed: at most 1e9",
        "cell --bcl 1000 --beats 100000");
    refuses(2, "--stimulus: start 499.5, duration 1: ends after the cycle of 500 ms",
        "cell --bcl 500 --beats 2 --stimulus 499.5,1,52");
    refuses(2, "--every-ms without --output", "cell --every-ms 1");
    refuses(2, "--every-ms 0.03 is 1.5 steps of --dt-ms 0.02; allowed: a whole number",
        "cell -o a.csv --every-ms 0.03");
    refuses(2, "--every-ms 1e-09 is ", "cell -o a.csv --every-ms 1e-9");
    refuses(2, "--last-beats without --bcl", "cell -o a.csv --last-beats 1");
    refuses(2, "--last-beats without --output or --picture", "cell --bcl 500 --beats 2 --last-beats 1");
    refuses(2, "--last-beats 3; allowed: ", "cell -o a.csv --bcl 500 --beats 2 --last-beats 3");
    refuses(2, "ending in .png", "cell --picture a.jpg");
    refuses(2, "a.csv and a.csv are the same file", "cell -o a.csv --save a.csv");
    refuses(2, "a.png and a.png are the same file", "cell -o a.png --picture a.png");
}

Test(cell, states_of_other_models_or_types_and_invalid_state_files_are_rejected)
{
    free(works("cell --end-ms 1 --save epi.yaml"));
    refuses(2, "epi.yaml: a state of epi; --type requests mid", "cell --start epi.yaml --type mid");
    refuses(2, "epi.yaml: a state of tp06; --model requests mitchell-schaeffer",
        "cell --start epi.yaml --model mitchell-schaeffer");
    refuses(3, "none.yaml: cannot be read: No such file", "cell --start none.yaml");
    write_text("atrial.yaml", "model: mitchell-schaeffer\ntype: atrial\nv_mV: -80\nstates: {h: 1}\n");
    refuses(2, "atrial.yaml: cell type 'atrial'; allowed: standard", "cell --start atrial.yaml");
    write_text("empty.yaml", "model: mitchell-schaeffer\ntype: standard\nv_mV: -80\n");
    refuses(2, "empty.yaml:1: states.h: missing", "cell --start empty.yaml");
    write_text("mine.yaml", "is: mine\n");
    refuses(3, "mine.yaml", "cell --end-ms 1 --save mine.yaml");
}

/* A very long run; no table is printed and no file exists. */
Test(cell, a_signal_interrupts_long_pacing_immediately)
{
    const pid_t child = fork();
    if (child == 0) {
        (void)freopen("/dev/null", "w", stderr);
        reply r = myotile("cell --bcl 1000 --beats 10000 -o long.csv --save long.yaml");
        _exit(r.code);
    }
    int status;
    (void)usleep(300000);
    cr_assert_eq(kill(child, SIGTERM), 0);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 143);
    cr_assert(!there("long.csv") && !there("long.yaml"));
    (void)things(); /* no incomplete file either */
}
