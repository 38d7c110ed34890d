/* myotile reproduce figure4: transmembrane voltage of a heart at several times, as in the study's figure 4. */
#include <math.h>
#include <string.h>

#include "data/core/progress.h"
#include "app/draw/page.h"
#include "app/draw/scene/snapshots.h"
#include "app/study/validation/comparison.h"
#include "app/study/paper/heart.h"
#include "app/study/published.h"
#include "app/study/reproduce.h"

static mt_status figure4(mt_arena *arena, const mt_arguments *arguments);

#define TIMES "10,40,80,150,300,400"

static const mt_option options[] = {MT_HEART_OPTIONS,
    {.name = "--times", .value = "MS,...", .help = "times, up to 8; default: " TIMES},
    {.name = "--backends",
        .value = "NAME,...",
        .help =
            "backends: the first is drawn, the second is compared with it; default: that of the case, ipu"},
    {.name = "--picture", .value = "OUT.png", .help = "picture of all times, in two views of the heart"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_figure4 = {
    .name = "reproduce figure4",
    .operands = "",
    .summary = "transmembrane voltage of a heart at several times of a beat",
    .example = "myotile reproduce figure4 --mesh heart.hdf --times 2,5 --picture figure4.png",
    .options = options,
    .run = figure4,
};

/* Published ranges of the values; also the range of the colours. */
static const char low_key[] = "heart04_potential_low", high_key[] = "heart04_potential_high",
                  difference_key[] = "heart04_potential_difference";

enum { BACKENDS_MAX = 2, TITLE = 160 };

typedef struct request {
    mt_heart heart;
    const char *picture; /* path, or NULL */
    size_t n_times, n_backends;
    double time_ms[MT_SNAPSHOTS_MAX];
    size_t step[MT_SNAPSHOTS_MAX];
    const mt_backend *backend[BACKENDS_MAX];
    float *v_mV[BACKENDS_MAX][MT_SNAPSHOTS_MAX]; /* [n_elements] */
    const double *at_ms;                         /* [n_elements] activation times of the first backend */
} request;

/* ---- options ---- */

static mt_status read_times(const char *text, request *r)
{
    r->n_times = 1;
    for (const char *comma = text; (comma = strchr(comma, ',')); comma++) r->n_times++;
    if (r->n_times > MT_SNAPSHOTS_MAX)
        return mt_fail(MT_INPUT, "--times %s; allowed: at most %d", text, MT_SNAPSHOTS_MAX);
    MT_TRY(mt_numbers("--times", text, r->n_times, 0, r->time_ms));
    for (size_t k = 1; k < r->n_times; k++)
        if (!(r->time_ms[k] > r->time_ms[k - 1]))
            return mt_fail(MT_INPUT, "--times %s; allowed: increasing times", text);
    return MT_OK;
}

/* Converts the times to time steps. They must be integer multiples. */
static mt_status find_steps(request *r)
{
    const double dt_ms = r->heart.input.time.dt_ms;
    for (size_t k = 0; k < r->n_times; k++) {
        const double steps = r->time_ms[k] / dt_ms;
        if (fabs(steps - round(steps)) > MT_CASE_PART_OF_A_STEP)
            return mt_fail(
                MT_INPUT, "--times: %g ms; allowed: multiples of the time step, %g ms", r->time_ms[k], dt_ms);
        r->step[k] = (size_t)round(steps);
    }
    return MT_OK;
}

static mt_status parse(mt_arena *arena, const mt_arguments *arguments, request *r)
{
    const char *backends = mt_option_value(arguments, "--backends", NULL);
    r->picture = mt_option_value(arguments, "--picture", NULL);
    MT_TRY(read_times(mt_option_value(arguments, "--times", TIMES), r));
    if (backends) MT_TRY(mt_reproduce_backends(backends, BACKENDS_MAX, &r->n_backends, r->backend));
    MT_TRY(mt_heart_parse(arena, arguments, r->time_ms[r->n_times - 1], &r->heart));
    if (!backends) r->backend[r->n_backends++] = mt_case_backend(&r->heart.input);
    MT_TRY(find_steps(r));
    return r->picture ? mt_page_check_name(r->picture, mt_option_replace(arguments)) : MT_OK;
}

/* ---- the runs ---- */

typedef struct watching {
    const request *request;
    size_t of; /* index of the backend */
    double *values;
} watching;

/* Stores the membrane potential at the requested times. */
static mt_status keep(void *context, const mt_backend *backend, void *self, size_t steps_done)
{
    const watching *w = context;
    const request *r = w->request;
    for (size_t k = 0; k < r->n_times; k++) {
        if (r->step[k] != steps_done) continue;
        MT_TRY(backend->read(self, MT_ARRAY_V, w->values));
        for (size_t c = 0; c < r->heart.problem.mesh.n_elements; c++)
            r->v_mV[w->of][k][c] = (float)w->values[c];
    }
    return MT_OK;
}

static mt_status run_on(mt_arena *arena, request *r, size_t of)
{
    const size_t n = r->heart.problem.mesh.n_elements;
    mt_run run = mt_heart_run(&r->heart, r->backend[of]);
    watching w = {.request = r, .of = of};
    MT_ALLOC(arena, w.values, n);
    for (size_t k = 0; k < r->n_times; k++) MT_ALLOC(arena, r->v_mV[of][k], n);
    run.look = keep;
    run.looking = &w;
    MT_TRY(mt_run_make(arena, &run));
    if (of == 0) r->at_ms = run.results.beats[0].activation_ms;
    return MT_OK;
}

/* ---- the tables ---- */

typedef struct moment {
    double activated, excited;             /* fractions of the elements */
    double low_mV, high_mV, difference_mV; /* difference_mV: NaN for a single backend */
} moment;

/* Threshold of excitation: half-way from resting to peak voltage. */
static const double excited_mV = -25;

static moment look_at(const request *r, size_t k)
{
    const size_t n = r->heart.problem.mesh.n_elements;
    const float *v = r->v_mV[0][k], *other = r->n_backends > 1 ? r->v_mV[1][k] : NULL;
    moment m = {.low_mV = INFINITY, .high_mV = -INFINITY, .difference_mV = other ? 0 : NAN};
    /* includes times that single precision rounds up */
    const double until_ms = r->time_ms[k] * (1 + 0x1p-22);
    for (size_t c = 0; c < n; c++) {
        m.activated += r->at_ms[c] <= until_ms;
        m.excited += (double)v[c] > excited_mV;
        m.low_mV = fmin(m.low_mV, (double)v[c]);
        m.high_mV = fmax(m.high_mV, (double)v[c]);
        if (other) m.difference_mV = fmax(m.difference_mV, fabs((double)v[c] - (double)other[c]));
    }
    m.activated /= (double)n;
    m.excited /= (double)n;
    return m;
}

static mt_table make_moments(mt_arena *arena, const request *r, const char *title, moment *all)
{
    mt_table table = mt_table_begin(arena, "moments", title);
    *all = (moment){.low_mV = INFINITY, .high_mV = -INFINITY, .difference_mV = NAN};
    mt_table_digits(&table, "time_ms", "time", "ms", 6);
    mt_table_decimals(&table, "activated_percent", "activated", "%", 2);
    mt_table_decimals(&table, "excited_percent", "excited", "%", 2);
    mt_table_decimals(&table, "lowest_mv", "lowest V", "mV", 2);
    mt_table_decimals(&table, "highest_mv", "highest V", "mV", 2);
    mt_table_digits(&table, "difference_mv", "maximum difference", "mV", 2);
    for (size_t k = 0; k < r->n_times; k++) {
        const moment m = look_at(r, k);
        MT_TABLE_NUMBERS(
            &table, r->time_ms[k], 100 * m.activated, 100 * m.excited, m.low_mV, m.high_mV, m.difference_mV);
        all->low_mV = fmin(all->low_mV, m.low_mV);
        all->high_mV = fmax(all->high_mV, m.high_mV);
        all->difference_mV = fmax(all->difference_mV, m.difference_mV);
    }
    return table;
}

/* Compares with the ranges that the study reports for 500 ms. */
static mt_status compare(mt_arena *arena, const moment *all, mt_comparison *c)
{
    *c = mt_comparison_begin(arena, "Comparison with the study", true);
    MT_TRY(mt_comparison_add(
        c, "lowest voltage", low_key, all->low_mV, "the study rounds to tens; ours is over the times above"));
    MT_TRY(mt_comparison_add(c, "highest voltage", high_key, all->high_mV,
        "the study rounds to tens; ours is over the times above"));
    if (isnan(all->difference_mV)) return MT_OK;
    return mt_comparison_add(c, "maximum difference of two codes", difference_key, all->difference_mV,
        "study: IPU and GPU over 500 ms; ours: two backends at the times above");
}

/* ---- the picture ---- */

static mt_status draw(const request *r, const char *title)
{
    const float *values[MT_SNAPSHOTS_MAX];
    double low, high, unused;
    MT_TRY(mt_published(low_key, &low, &unused));
    MT_TRY(mt_published(high_key, &high, &unused));
    for (size_t k = 0; k < r->n_times; k++) values[k] = r->v_mV[0][k];
    return mt_snapshots_write(r->picture, &(mt_snapshots){.mesh = &r->heart.problem.mesh,
                                              .adjacency = &r->heart.problem.adjacency,
                                              .n = r->n_times,
                                              .time_ms = r->time_ms,
                                              .values = values,
                                              .title = title,
                                              .label = "Transmembrane voltage",
                                              .unit = "mV",
                                              .low = low,
                                              .high = high});
}

/* ---- the command ---- */

enum { TABLES = 2 + MT_COMPARISON_TABLES };

static mt_status make_tables(
    mt_arena *arena, const request *r, const char *title, mt_table tables[TABLES], size_t *n)
{
    moment all;
    mt_comparison comparison;
    tables[0] = make_moments(arena, r, title, &all);
    MT_TRY(compare(arena, &all, &comparison));
    *n = 1 + mt_comparison_tables(&comparison, tables + 1);
    return mt_heart_differences(arena, &r->heart, &tables[(*n)++]);
}

static mt_status simulate(mt_arena *arena, request *r, mt_table tables[TABLES], size_t *n)
{
    char title[TITLE];
    MT_TRY(mt_heart_make(arena, &r->heart));
    for (size_t b = 0; b < r->n_backends; b++) MT_TRY(run_on(arena, r, b));
    (void)snprintf(title, sizeof title, "Transmembrane voltage of a heart: %s", r->heart.name);
    mt_progress_stage(r->picture ? "drawing" : NULL);
    if (r->picture) MT_TRY(draw(r, title));
    mt_progress_stage(NULL);
    return make_tables(arena, r, title, tables, n);
}

static mt_status figure4(mt_arena *arena, const mt_arguments *arguments)
{
    mt_table tables[TABLES];
    size_t n;
    request *r;
    MT_ALLOC(arena, r, 1);
    MT_TRY(parse(arena, arguments, r));
    const mt_status status = simulate(arena, r, tables, &n);
    mt_heart_free(&r->heart);
    MT_TRY(status);
    return mt_print_tables(arguments, tables, n);
}
