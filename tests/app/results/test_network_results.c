/* The results of a conduction network: V at the times of the series, the table of the passages, and the columns of a sweep. */
#include <criterion/criterion.h>

#include "app/draw/scene/figure.h"
#include "data/files/csv.h"
#include "tests/app/draw/pixels.h"
#include "tests/app/network_case.h"
#include "tests/app/sketch.h"

#include <omp.h>

static mt_arena arena;

#define BODY                                                                                                 \
    NETWORK_SLAB "time: {dt_ms: 0.05, end_ms: 30}\n"                                                         \
                 "network:\n"                                                                                \
                 "  file: net.csv\n" NETWORK_CABLES "  spacing_mm: 0.2\n"                                    \
                 "  stimuli: [{node: 0, duration_ms: 2}]\n"                                                  \
                 "machine: {backend: cpu}\n"
static const char plain[] = BODY, body[] = BODY "series: {every_ms: 0.5}\n";
enum { FRAMES = 61, THRESHOLD_mV = 0 }; /* output.threshold_mV */

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
    write_text("plain.yaml", plain);
    write_text("net.csv", small_network);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(network_results, .init = enter, .fini = leave);

static void run_case(const char *more) { free(works("run case.yaml%s", more)); }

/* ---- V in the frames */

/* Reads an array of floats or doubles of rank 1 from a file; *n: its length. */
static void *read_array(const char *path, const char *name, mt_h5_type type, size_t *n)
{
    MT_H5_SCOPE(h5);
    cr_assert_eq(mt_h5_open(path, h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_shape(h5, name, 1, n), MT_OK, "%s", mt_message());
    void *values = mt_arena_alloc(&arena, *n, sizeof(double));
    cr_assert_eq(mt_h5_read(h5, name, type, 1, n, values), MT_OK, "%s", mt_message());
    return values;
}

/* Before its activation V of a point is below the threshold, and for some time after it above. V is that of the beginning of the last time
 * step. */
Test(network_results, v_in_the_frames_agrees_with_the_activation_times)
{
    size_t n, n_all, n_frames, n_series, before = 0, after = 0;
    run_case(" -o out");
    const double *at_ms = read_array("out/network.hdf", "VTKHDF/PointData/activation", MT_H5_DOUBLE, &n),
                 *time_ms = read_array("out/network.hdf", "VTKHDF/Steps/Values", MT_H5_DOUBLE, &n_frames),
                 *series_ms = read_array("out/series.hdf", "VTKHDF/Steps/Values", MT_H5_DOUBLE, &n_series);
    const float *v_mV = read_array("out/network.hdf", "VTKHDF/PointData/V", MT_H5_FLOAT, &n_all);
    cr_assert(n_frames == FRAMES && n_series == FRAMES && n_all == n * FRAMES);
    cr_expect_arr_eq(time_ms, series_ms, FRAMES * sizeof *time_ms);
    for (size_t k = 0; k < n; k++)
        for (size_t f = 0; f < FRAMES; f++) {
            const double v = (double)v_mV[f * n + k], since_ms = time_ms[f] - at_ms[k];
            cr_assert(isfinite(at_ms[k]));
            if (since_ms <= 0) cr_assert_leq(v, THRESHOLD_mV, "point %zu, %g ms: %g", k, time_ms[f], v);
            if (since_ms > 0.05 && since_ms < 3)
                cr_assert_gt(v, THRESHOLD_mV, "point %zu, %g ms: %g", k, time_ms[f], v);
            before += since_ms <= 0, after += since_ms > 0.05 && since_ms < 3;
        }
    cr_expect(before > 3 * n && after > 4 * n, "%zu and %zu", before, after);
}

static bool has_steps(const char *path)
{
    MT_H5_SCOPE(h5);
    bool has;
    cr_assert_eq(mt_h5_open(path, h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_has(h5, "VTKHDF/Steps", &has), MT_OK);
    return has;
}

/* The points and their activations are those of network.vtp. */
Test(network_results, a_run_without_a_series_has_the_network_without_frames)
{
    size_t n, n_vtp;
    free(works("run plain.yaml -o out"));
    cr_expect_not(there("out/series.hdf"));
    cr_expect_not(has_steps("out/network.hdf"));
    const double *at_ms = read_array("out/network.hdf", "VTKHDF/PointData/activation", MT_H5_DOUBLE, &n);
    double *vtp_ms = read_network_array("out", "activation", &n_vtp);
    cr_assert_eq(n, n_vtp);
    cr_expect_arr_eq(at_ms, vtp_ms, n * sizeof *at_ms);
    free(vtp_ms);
}

/* The frames do not depend on the discretisation, the device or other kinds of samples in the order of their points. */
Test(network_results, each_kind_of_run_stores_the_frames)
{
    static const char *const kinds[] = {" --set diffusion.discretisation=nodes",
        " --set machine.backend=opencl", " --set machine.precision=double", " --set series.at_ms=[0.07,3]"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const size_t frame = k == 3 ? 7 : 6; /* at 3 ms */
        char line[200];
        size_t n, n_all, n_frames;
        (void)snprintf(line, sizeof line, " -o out --set time.end_ms=4%s", kinds[k]);
        run_case(line);
        (void)read_array("out/network.hdf", "VTKHDF/PointData/activation", MT_H5_DOUBLE, &n);
        const double *time_ms = read_array("out/network.hdf", "VTKHDF/Steps/Values", MT_H5_DOUBLE, &n_frames);
        const float *v_mV = read_array("out/network.hdf", "VTKHDF/PointData/V", MT_H5_FLOAT, &n_all);
        cr_assert(
            n_frames >= 9 && n_all == n * n_frames && time_ms[frame] == 3, "%s: %zu", kinds[k], n_frames);
        cr_expect(v_mV[0] < -60, "%s: %g", kinds[k], (double)v_mV[0]);
        float highest = -INFINITY;
        for (size_t p = 0; p < n; p++) highest = fmaxf(highest, v_mV[frame * n + p]);
        cr_expect(highest > 0 && highest < 150, "%s: %g", kinds[k], (double)highest);
    }
}

/* ---- the tables */

static double cell(const mt_csv *csv, size_t row, const char *column)
{
    const size_t k = mt_csv_find(csv, column);
    cr_assert_lt(k, csv->n_columns, "%s", column);
    return mt_csv_number(csv, row, k);
}

static mt_csv read_csv(const char *path)
{
    mt_csv csv;
    cr_assert_eq(mt_csv_read(&arena, path, &csv), MT_OK, "%s", mt_message());
    return csv;
}

/* Three delays: the median is neither the smallest nor the largest. */
Test(network_results, the_table_has_counts_and_medians_of_the_junctions)
{
    static junction_row row[ROWS_MOST];
    double sum = 0, low = INFINITY, high = -INFINITY;
    char *table = works("run case.yaml -o out --format json");
    const mt_csv csv = read_csv("out/network.csv");
    cr_assert_eq(read_junctions("out", row), 3);
    cr_assert_eq(csv.n_rows, 1);
    for (int k = 0; k < 3; k++) {
        sum += row[k].delay_ms;
        low = fmin(low, row[k].delay_ms), high = fmax(high, row[k].delay_ms);
    }
    cr_expect_eq(cell(&csv, 0, "antegrade"), 3);
    cr_expect(isnan(cell(&csv, 0, "retrograde_delay_ms")));
    cr_expect_float_eq(cell(&csv, 0, "antegrade_delay_ms"), sum - low - high, 1e-9);
    cr_expect_neq(sum - low - high, sum / 3);
    cr_expect_float_eq(
        cell(&csv, 0, "first_ms"), fmin(row[0].tissue_ms, fmin(row[1].tissue_ms, row[2].tissue_ms)), 1e-9);
    cr_expect(strstr(table, "\"antegrade_delay_ms\":"), "%s", table);
    free(table);
}

/* Of two delays the median is their mean. */
Test(network_results, the_median_of_two_delays_is_their_mean)
{
    static junction_row row[ROWS_MOST];
    run_case(" -o out --set network.block=[{\"kind\":5}]");
    const mt_csv csv = read_csv("out/network.csv");
    cr_assert_eq(read_junctions("out", row), 2);
    cr_assert_gt(fabs(row[0].delay_ms - row[1].delay_ms), 0.01);
    cr_expect_float_eq(cell(&csv, 0, "antegrade_delay_ms"), (row[0].delay_ms + row[1].delay_ms) / 2, 1e-9);
}

static bool is_red(const unsigned char rgb[3], double t)
{
    (void)t;
    return rgb[0] > 200 && rgb[1] < 60 && rgb[2] < 60;
}

/* Returns the number of red pixels of out/activation.png: above the legend or below it. */
static size_t red_pixels(bool below)
{
    return count_within("out/activation.png", (const size_t[]){0, MT_PAGE_WIDTH},
        (const size_t[]){below ? MT_LEGEND_Y : 0, below ? MT_PAGE_HEIGHT : MT_LEGEND_Y}, is_red, 0);
}

/* The free ends are activated before 3 ms. Before 22 ms a junction that does not pass is open: it is counted so in all tables and in the
 * legend of the picture, which marks failed ones only. */
Test(network_results, a_junction_reached_shortly_before_the_end_is_open)
{
    static const struct {
        const char *end_ms, *passage;
        int failed, open;
    } run[] = {{"15", "open", 0, 3}, {"30", "antegrade_failed", 3, 0}};
    static junction_row row[ROWS_MOST];
    sketch_draws = true;
    for (size_t k = 0; k < 2; k++) {
        char line[300];
        (void)snprintf(line, sizeof line,
            " -o out --set network.junction.resistance_kOhm=3000 --set time.end_ms=%s", run[k].end_ms);
        run_case(line);
        (void)snprintf(line, sizeof line,
            " -o swept --sweep network.junction.resistance_kOhm=3000 --set time.end_ms=%s", run[k].end_ms);
        run_case(line);
        const mt_csv csv = read_csv("out/network.csv"), swept = read_csv("swept/sweep.csv");
        cr_assert_eq(read_junctions("out", row), 3);
        for (int j = 0; j < 3; j++) cr_expect_str_eq(row[j].passage, run[k].passage, "junction %d", j);
        cr_expect_eq(cell(&csv, 0, "open"), run[k].open);
        cr_expect_eq(cell(&csv, 0, "antegrade_failed"), run[k].failed);
        cr_expect_eq(cell(&swept, 0, "junctions_open"), run[k].open);
        cr_expect_eq(cell(&swept, 0, "junctions_failed"), run[k].failed);
        cr_expect_eq(red_pixels(false) > 0, run[k].failed > 0, "marks");
        cr_expect_gt(red_pixels(true), 100, "the legend");
    }
}

/* Vertices 1 mm apart, of which each junction has one. In tissue that hardly conducts they are activated, but not most of their neighbours:
 * the wavefront ends there. */
Test(network_results, a_junction_has_not_passed_if_only_its_vertex_is_activated)
{
    static const char *const tissue[] = {
        "", " --set tissue.intracellular_l_mS_mm=0.001 --set tissue.intracellular_t_mS_mm=0.001"};
    static junction_row row[ROWS_MOST];
    for (int k = 0; k < 2; k++) {
        char line[400];
        (void)snprintf(line, sizeof line,
            " -o out --set mesh.slab={\"size_mm\":[5,5,2],\"edge_mm\":1} --set "
            "diffusion.discretisation=nodes "
            "--set network.junction.radius_mm=0.6%s",
            tissue[k]);
        run_case(line);
        const mt_csv csv = read_csv("out/network.csv");
        cr_assert_eq(read_junctions("out", row), 3);
        for (int j = 0; j < 3; j++) {
            cr_expect_str_eq(row[j].passage, k == 0 ? "antegrade" : "antegrade_failed", "junction %d", j);
            cr_expect(row[j].delay_ms > 0 && row[j].delay_ms < 10, "junction %d: %g ms", j, row[j].delay_ms);
        }
        cr_expect_eq(cell(&csv, 0, k == 0 ? "antegrade" : "antegrade_failed"), 3);
    }
}

/* With this resistance no junction passes; with electrodes there is a QRS complex if the tissue is activated. */
#define ELECTRODES                                                                                           \
    " --set ecg.every_ms=0.5 --set "                                                                         \
    "electrodes=[{\"name\":\"LA\",\"at_mm\":[15,2,1]},{\"name\":\"RA\",\"at_mm\":[-10,2,1]}]"

Test(network_results, a_sweep_lists_failed_junctions_and_qrs_durations)
{
    run_case(" -o swept --sweep network.junction.resistance_kOhm=3,3000" ELECTRODES);
    const mt_csv csv = read_csv("swept/sweep.csv"), qrs = read_csv("swept/resistance_kOhm=3/qrs.csv");
    cr_assert_eq(csv.n_rows, 2);
    cr_expect_eq(cell(&csv, 0, "junctions_failed"), 0);
    cr_expect_eq(cell(&csv, 1, "junctions_failed"), 3);
    cr_expect_eq(cell(&csv, 0, "qrs_duration_ms"), cell(&qrs, 0, "duration_ms"));
    cr_expect_gt(cell(&csv, 0, "qrs_duration_ms"), 3);
    cr_expect(isnan(cell(&csv, 1, "qrs_duration_ms")));
}

Test(network_results, a_sweep_without_network_and_electrodes_has_no_such_columns)
{
    size_t n;
    free(works("run plain.yaml -o swept --sweep time.end_ms=1,2 --set network.file= --set "
               "network.stimuli=[] --set "
               "stimuli=[{\"max_mm\":[1,1,1],\"min_mm\":[0,0,0],\"duration_ms\":1,\"strength_uA_mm3\":50}]"));
    char *text = bytes_of("swept/sweep.csv", &n);
    cr_expect_null(strstr(text, "junctions_failed"), "%s", text);
    cr_expect_null(strstr(text, "qrs"), "%s", text);
    free(text);
}
