/* The QRS tables of a run, against plain loops over its ecg.csv. */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/json.h"
#include "tests/solver/small_case.h"

#include <omp.h>

/* Two beats of activation along x, from RA towards LA, and a third without a stimulus. */
enum { BEATS = 3, PACED = 2, CYCLE_MS = 350, STIMULUS_MS = 2, LEADS = 12, CHEST = 6 };

static const char *const lead_name[LEADS] = {
    "I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"};

#define CASE(end_ms, stimuli, output)                                                                        \
    SMALL_SLAB USUAL_TISSUE "diffusion: {spreading: 0}\nmachine: {backend: cpu}\necg: {every_ms: 0.1}\n"     \
                            "time: {dt_ms: 0.05, end_ms: " end_ms                                            \
                            "}\nstimuli:\n  - {min_mm: [0, 0, 0], max_mm: [0.5, 2, 1], duration_ms: 2, "     \
                            "strength_uA_mm3: 50" stimuli "}\n" output

static const char several[] =
    CASE("720", ", period_ms: 350, count: 2", "output: {beats: every, beat_ms: 350}\n");
static const char single[] = CASE("20", "", "");

static const char electrodes[] =
    "electrodes:\n  - {name: V4, at_mm: [2, 1, -4]}\n  - {name: LA, at_mm: [11, 6, 0.5]}\n"
    "  - {name: RA, at_mm: [-8, 6, 0.5]}\n  - {name: LL, at_mm: [1.5, -12, 0.5]}\n"
    "  - {name: V1, at_mm: [-3, 1, -4]}\n  - {name: V2, at_mm: [-1, 1, -4]}\n"
    "  - {name: V3, at_mm: [0.5, 1, -4]}\n  - {name: V5, at_mm: [4, 1, -4]}\n"
    "  - {name: V6, at_mm: [6, 1, -4]}\n  - {name: back, at_mm: [1, 1, 7]}\n";

static mt_arena arena;

static void enter(void)
{
    char text[4096];
    enter_room();
    omp_set_num_threads(1);
    (void)snprintf(text, sizeof text, "%s%s", several, electrodes);
    write_text("several.yaml", text);
    (void)snprintf(text, sizeof text, "%s%s", single, electrodes);
    write_text("case.yaml", text);
    write_text("bare.yaml", single);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(qrs_tables, .init = enter, .fini = leave);

static const json *tables_of(const char *line)
{
    return json_parse_and_free(&arena, works("%s --format json", line));
}

/* ---- plain loops ---- */

enum { SAMPLES_MAX = 8000 };
static double time_ms[SAMPLES_MAX], lead_mV[SAMPLES_MAX][LEADS];
static size_t n_samples;

/* Reads the time and the standard leads, which are the first columns. */
static void read_ecg(const char *path)
{
    size_t size;
    char *text = bytes_of(path, &size), *save, *line = strtok_r(text, "\n", &save);
    cr_assert_eq(strncmp(line, "time_ms,I,II,III,aVR,aVL,aVF,V1,V2,V3,V4,V5,V6,back", 52), 0, "%s", line);
    for (n_samples = 0; (line = strtok_r(NULL, "\n", &save)); n_samples++) {
        cr_assert_lt(n_samples, SAMPLES_MAX);
        time_ms[n_samples] = strtod(line, &line);
        for (int k = 0; k < LEADS; k++) lead_mV[n_samples][k] = strtod(line + 1, &line);
    }
    free(text);
}

static double slope(size_t k)
{
    double sum = 0;
    for (int l = 0; l < LEADS; l++) sum += pow(lead_mV[k + 1][l] - lead_mV[k][l], 2);
    return sqrt(sum / LEADS) / (time_ms[k + 1] - time_ms[k]);
}

static double middle(size_t k) { return (time_ms[k] + time_ms[k + 1]) / 2; }

static double value(int lead, double t_ms)
{
    size_t k = 0;
    while (time_ms[k + 1] < t_ms) k++;
    return lead_mV[k][lead] +
           (lead_mV[k + 1][lead] - lead_mV[k][lead]) * (t_ms - time_ms[k]) / (time_ms[k + 1] - time_ms[k]);
}

/* Returns the index of the first sample at a time or after it. */
static size_t at(double t_ms)
{
    size_t k = 0;
    while (time_ms[k] < t_ms - 1e-6) k++;
    return k;
}

/* The last crossing of 5 % of the largest slope in the 30 ms after a stimulus: T waves are later than that. */
static double end_of_qrs(double stimulus_end_ms)
{
    const size_t from = at(stimulus_end_ms), to = at(stimulus_end_ms + 30);
    double most = 0;
    size_t last = from;
    for (size_t k = from; k < to; k++) most = fmax(most, slope(k));
    for (size_t k = from; k < to; k++)
        if (slope(k) > 0.05 * most) last = k;
    cr_assert_gt(slope(from), 0.05 * most, "the onset is the end of the stimulus");
    return middle(last) +
           (middle(last + 1) - middle(last)) * (slope(last) - 0.05 * most) / (slope(last) - slope(last + 1));
}

typedef struct wave {
    double r, s, area;
} wave;

static wave wave_of(int lead, double before_ms, double onset_ms, double end_ms)
{
    const double base = lead_mV[at(before_ms)][lead];
    wave w = {0};
    const size_t first = at(onset_ms), last = at(end_ms) - 1;
    for (size_t k = first; k <= last; k++) {
        const double here = lead_mV[k][lead] - base, next_ms = k < last ? time_ms[k + 1] : end_ms,
                     next = value(lead, next_ms) - base;
        w.r = fmax(w.r, fmax(here, next));
        w.s = fmax(w.s, -fmin(here, next));
        w.area += (here + next) / 2 * (next_ms - time_ms[k]);
    }
    return w;
}

/* ---- the tables ---- */

static const json *row_of(const json *rows, size_t number)
{
    const json *row = rows->first;
    for (size_t k = 0; k < number; k++) row = row->next;
    return row;
}

static void expect_near(const json *row, const char *key, double expected, double tolerance)
{
    cr_expect_float_eq(json_value(row, key), expected, tolerance, "%s: %.9g, %.9g expected", key,
        json_value(row, key), expected);
}

/* ecg.csv has 7 digits. */
static void expect_beat(const json *row, const json *leads, size_t beat)
{
    const double begin_ms = (double)(beat * CYCLE_MS), onset_ms = begin_ms + STIMULUS_MS,
                 end_ms = end_of_qrs(onset_ms);
    wave w[LEADS];
    char text[32] = "";
    expect_near(row, "beat", (double)beat + 1, 0);
    expect_near(row, "onset_ms", onset_ms, 1e-9);
    expect_near(row, "end_ms", end_ms, 1e-3);
    expect_near(row, "duration_ms", end_ms - onset_ms, 1e-3);
    cr_expect(json_value(row, "shorter_ms") < end_ms - onset_ms &&
              json_value(row, "longer_ms") > end_ms - onset_ms);
    cr_expect_str_eq(json_at(row, "onset_at")->text, "stimulus");
    cr_expect_str_eq(json_at(row, "end_at")->text, "threshold");
    for (int k = 0; k < LEADS; k++) {
        const json *lead = row_of(leads, beat * LEADS + (size_t)k);
        w[k] = wave_of(k, begin_ms, onset_ms, end_ms);
        cr_expect_str_eq(json_at(lead, "lead")->text, lead_name[k]);
        expect_near(lead, "beat", (double)beat + 1, 0);
        expect_near(lead, "r_mv", w[k].r, 1e-7);
        expect_near(lead, "s_mv", w[k].s, 1e-7);
        expect_near(lead, "net_mv", w[k].r - w[k].s, 2e-7);
        expect_near(lead, "area_mv_ms", w[k].area, 1e-5);
    }
    expect_near(row, "axis_degrees", atan2(2 / sqrt(3) * w[5].area, w[0].area) * 180 / M_PI, 0.01);
    cr_expect_str_eq(json_at(row, "axis")->text, "normal");
    for (int k = 1; k < CHEST && !text[0]; k++) {
        const double before = w[5 + k].r - w[5 + k].s, net = w[6 + k].r - w[6 + k].s;
        if (net >= 0) (void)snprintf(text, sizeof text, "V%.1f", k + before / (before - net));
    }
    cr_expect_str_eq(json_at(row, "transition")->text, text);
}

Test(qrs_tables, each_beat_has_the_values_of_plain_loops_over_ecg_csv)
{
    const json *tables = tables_of("run several.yaml -o out"), *rows = json_rows(tables, "qrs"),
               *leads = json_rows(tables, "qrs_leads");
    read_ecg("out/ecg.csv");
    cr_assert_eq(json_length(rows), BEATS);
    cr_assert_eq(json_length(leads), PACED * LEADS);
    for (size_t beat = 0; beat < PACED; beat++) expect_beat(row_of(rows, beat), leads, beat);
    const json *none = row_of(rows, PACED);
    cr_expect_str_eq(json_at(none, "onset_at")->text, "no QRS");
    cr_expect_null(json_at(none, "transition")->text);
}

/* With an APD of some 10 ms, the leads change by more than 2.5 % of the largest slope until 40 ms: the search ends before, 20 ms after the
 * activation. */
Test(qrs_tables, the_search_ends_after_the_activation)
{
    const json *tables = tables_of("run case.yaml -o out --set time.end_ms=80 --set "
                                   "cell.model=mitchell-schaeffer --set "
                                   "cell.type=standard --set cell.set=[tau_close=10]");
    const json *row = row_of(json_rows(tables, "qrs"), 0);
    const double latest_ms = json_value(tables->first, "properties.latest_activation_ms");
    cr_expect_str_eq(json_at(row, "end_at")->text, "threshold");
    cr_expect(json_value(row, "end_ms") > latest_ms && json_value(row, "end_ms") < latest_ms + 5);
    cr_expect_eq(json_at(row, "longer_ms")->kind, JSON_NULL);
}

Test(qrs_tables, a_run_that_ends_during_the_complex_says_so)
{
    const json *tables = tables_of("run case.yaml -o out --set time.end_ms=4");
    const json *row = row_of(json_rows(tables, "qrs"), 0);
    cr_expect_str_eq(json_at(row, "end_at")->text, "last sample");
    expect_near(row, "end_ms", 4, 1e-9);
}

static bool has_table(const json *tables, const char *key)
{
    const json *table = tables->first;
    while (table && strcmp(json_at(table, "table")->text, key) != 0) table = table->next;
    return table != NULL;
}

Test(qrs_tables, missing_leads_are_named_and_runs_without_electrodes_have_no_table)
{
    const json *some = tables_of(
                   "run case.yaml -o some --set "
                   "electrodes=[{\"name\":V1,\"at_mm\":[-3,1,-4]},{\"name\":LA,\"at_mm\":[11,6,0.5]}]"),
               *limbs =
                   tables_of("run case.yaml -o limbs --set "
                             "electrodes=[{\"name\":RA,\"at_mm\":[-8,6,0.5]},{\"name\":LA,\"at_mm\":[11,6,"
                             "0.5]},{\"name\":LL,\"at_mm\":[1,-12,0.5]}]"),
               *none = tables_of("run bare.yaml -o none");
    const json *row = row_of(json_rows(some, "qrs"), 0);
    cr_expect_str_eq(json_at(row, "end_at")->text, "threshold");
    cr_expect_str_eq(json_at(row, "axis")->text, "no limb leads");
    cr_expect_str_eq(json_at(row, "transition")->text, "no chest leads");
    cr_expect_not(has_table(some, "qrs_leads"));
    row = row_of(json_rows(limbs, "qrs"), 0);
    cr_expect_str_eq(json_at(row, "axis")->text, "normal");
    cr_expect_str_eq(json_at(row, "transition")->text, "no chest leads");
    cr_expect_eq(json_length(json_rows(limbs, "qrs_leads")), 6);
    cr_expect_not(has_table(none, "qrs") || has_table(none, "qrs_leads"));
}

Test(qrs_tables, qrs_csv_is_the_table_and_a_run_without_electrodes_deletes_it)
{
    char *csv = works("run case.yaml -o out --format csv");
    size_t n;
    char *file = bytes_of("out/qrs.csv", &n);
    cr_expect_eq(strncmp(file, "beat,onset_ms,onset_at,end_ms,end_at,duration_ms,", 49), 0, "%s", file);
    cr_expect(strstr(csv, file), "'%s' is not part of %s", file, csv);
    free(works("run bare.yaml -o out"));
    cr_expect_not(there("out/qrs.csv"));
    free(csv), free(file);
}
