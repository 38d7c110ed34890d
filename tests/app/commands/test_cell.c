#include <criterion/criterion.h>

#include "solver/cells/model.h"
#include "tests/app/program.h"

TestSuite(cell, .init = enter_room, .fini = leave_room);

enum { COLUMNS = 20, ROWS_MAX = 600 };

typedef struct trace {
    size_t n;
    double value[ROWS_MAX][COLUMNS]; /* t [ms], V [mV], 18 states */
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

/* The states in the order of the equations, each named with its unit; the first row is where the cell begins. */
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
        char name[64];
        const char *unit = model->states[k].unit;
        const double value = strtod(strtok_r(NULL, ",", &values), NULL), rest = variant->states[k];
        (void)snprintf(name, sizeof name, *unit ? "%s[%s]" : "%s", model->states[k].name, unit);
        cr_assert((column = strtok_r(NULL, ",", &row)) && strcmp(column, name) == 0, "%s; %s", column, name);
        /* nine digits */
        cr_assert(fabs(value - rest) <= 5e-9 * fabs(rest), "%s", name);
    }
    cr_assert(strtok_r(NULL, ",", &row) == NULL && strtok_r(NULL, ",", &values) == NULL, "%s", model->name);
    free(text);
    cr_assert_eq(remove("trace.csv"), 0);
}

Test(cell, columns_have_the_names_of_their_states)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        for (size_t v = 0; v < (*m)->n_variants; v++) expect_columns(*m, &(*m)->variants[v]);
}

/* What --model and --type may be, of all models. */
Test(cell, models_are_listed)
{
    char *out = works("cell --list");
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

/* Published rest of the epicardial cell: the first row; then up above 0 mV, and back to rest after 500 ms. */
Test(cell, an_action_potential_goes_up_and_comes_back)
{
    trace t = run_cell("--type epi");
    cr_assert_eq(t.value[0][1], -85.23);
    cr_assert(peak_mV(&t) > 0 && peak_mV(&t) < 60, "%g mV", peak_mV(&t));
    cr_assert_gt(t.value[100][1], 0); /* plateau */
    cr_assert_float_eq(t.value[500][1], -85.23, 1);
}

Test(cell, without_a_stimulus_the_cell_rests)
{
    trace t = run_cell("--stimulus 1,1,0");
    cr_assert_lt(peak_mV(&t), -84);
}

/* Until the stimulus starts the cell is the one without, to the bit; then it is not. */
Test(cell, the_stimulus_starts_when_it_is_said_to)
{
    trace with = run_cell("--stimulus 10,1,52 --end-ms 20"),
          without = run_cell("--stimulus 10,1,0 --end-ms 20");
    cr_assert_eq(with.n, 21);
    for (size_t k = 0; k < 21; k++)
        cr_assert_eq(
            memcmp(with.value[k], without.value[k], sizeof with.value[k]) == 0, k <= 10, "%zu ms", k);
}

/* The middle wall's cells have the longest action potential of the three (ten Tusscher & Panfilov 2006):
 * where the others are back near rest, they are not. */
Test(cell, types_differ_and_mid_lasts_longest)
{
    trace epi = run_cell("--type epi"), mid = run_cell("--type mid"), endo = run_cell("--type endo");
    cr_assert(epi.value[320][1] < -80 && endo.value[320][1] < -80);
    cr_assert_gt(mid.value[320][1], -60);
    cr_assert(epi.value[0][1] != endo.value[0][1] && epi.value[0][1] != mid.value[0][1]);
}

/* V is below 128 mV: a step in single precision rounds it by at most 2^-18 mV = 3.8e-6 mV. If all of the
 * 25,000 roundings went one way and none was forgotten, that were 0.1 mV; as much again for the states'
 * roundings. (Seen: 0.024 mV.) And it is not the same arithmetic. */
Test(cell, precisions_agree_as_far_as_rounding_lets_them)
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

/* A step that does not divide 1 ms: the row of each ms is the first step at or behind it. */
Test(cell, any_time_step_gives_a_row_for_each_ms)
{
    trace t = run_cell("--dt-ms 0.03 --end-ms 50");
    cr_assert_eq(t.n, 51);
    for (size_t k = 0; k < t.n; k++)
        cr_assert(t.value[k][0] >= (double)k - 1e-9 && t.value[k][0] < (double)k + 0.03, "%g", t.value[k][0]);
}

/* Euler is of first order: the difference to dt / 4 falls at least by half when dt does (1 - 1/4 to 1/2 - 1/4
 * would be a third; the upstroke is left out, where a shift in time is a large difference). */
Test(cell, a_smaller_step_changes_less)
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

Test(cell, the_same_command_gives_the_same_file)
{
    free(works("cell -o a.csv --end-ms 50"));
    free(works("cell -o b.csv --end-ms 50"));
    cr_assert(same_file("a.csv", "b.csv"));
}

Test(cell, bad_options_are_refused_and_write_nothing)
{
    refuses(2, "cell: --output is needed", "cell");
    refuses(2, "cell type 'atrial'; allowed: epi, mid, endo", "cell -o a.csv --type atrial");
    refuses(2, "cell model 'purkinje'; allowed: tp06", "cell -o a.csv --model purkinje");
    refuses(2, "--precision half; allowed: float, double", "cell -o a.csv --precision half");
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

/* It runs, says one line, and leaves its file. */
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

Test(cell, what_may_not_be_meant_is_warned_of)
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
    char *out = works("cell -o a.csv --end-ms 20.01");
    cr_assert(strstr(out, "a.csv: epi cell, 20.02 ms at dt 0.02 ms"),
        "what was simulated, not what was asked: %s", out);
    free(out);
}

Test(cell, a_file_that_cannot_be_written_is_refused)
{
    write_text("file", "");
    refuses(3, "file/trace.csv: cannot be written: Not a directory", "cell -o file/trace.csv --end-ms 1");
    refuses(3, "none/trace.csv: cannot be written", "cell -o none/trace.csv --end-ms 1");
}

/* 20,000 mV in 2 ms: no cell lives through that, and no number of it is written. */
Test(cell, a_cell_that_blows_up_is_refused)
{
    static const char line[] = "cell -o a.csv --stimulus 1,2,10000 --end-ms 5";
    refuses(5, "cell: V is ", "%s", line);
    refuses(5,
        "must stay within -200 .. 200 mV; --stimulus changes it by 10000 mV/ms from 1 ms on for 2 ms: a "
        "weaker",
        "%s", line);
}
