/* Time series of a run, by command: traces, series and ECG. */
#include <criterion/criterion.h>

#include "tests/app/draw/pixels.h"
#include "tests/app/program.h"

#include "data/files/h5.h"
#include "tests/solver/small_case.h"

#include <omp.h>

/* 288 elements, some of them non-conducting. Activation propagates along x, towards the electrode "ahead". */
enum { N = 288, CONDUCTING = 264, STEPS = 450, FRAMES = 10, END_MS = 9 };

static const char body[] = SMALL_SLAB USUAL_TISSUE
    "time: {end_ms: 9}\nregions:\n  - {min_mm: [1.5, 0, 0], max_mm: [2, 1, 1], non_conducting: true}\n"
    "stimuli:\n  - {min_mm: [0, 0, 0], max_mm: [0.5, 2, 1], duration_ms: 2, strength_uA_mm3: 50}\n"
    "points:\n  - {name: 'at, the end', at_mm: [2.7, 1, 0.5]}\n  - {name: scar, at_mm: [1.7, 0.5, 0.5]}\n"
    "machine: {tiles: 3}\n"
    "traces: {every_ms: 0.02, fields: [V, Ca_i]}\n"
    "series: {every_ms: 1, fields: [V, m]}\n"
    "ecg: {every_ms: 0.5}\n"
    "electrodes:\n  - {name: ahead, at_mm: [6, 1, 0.5]}\n  - {name: behind, at_mm: [-3, 1, 0.5]}\n";

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
}

TestSuite(samples, .init = enter, .fini = leave_room);

static const char series[] = "--set series.every_ms=3";

static const char *const files[] = {
    "traces.csv", "traces.png", "series.hdf", "series.xdmf", "ecg.csv", "ecg.png"};
enum { FILES = sizeof files / sizeof *files };

static const char *in(const char *folder, const char *name)
{
    static char path[4][96];
    static int next;
    next = (next + 1) % 4;
    (void)snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static void expect_frames(const char *a, const char *b)
{
    static const char *const names[] = {"series.hdf", "series.xdmf"};
    for (int k = 0; k < 2; k++) cr_expect(same_file(in(a, names[k]), in(b, names[k])), "%s", names[k]);
}

static void expect_same(const char *a, const char *b)
{
    for (int k = 0; k < FILES; k++) cr_expect(same_file(in(a, files[k]), in(b, files[k])), "%s", files[k]);
    cr_expect(same_file(in(a, "result.hdf"), in(b, "result.hdf")));
    cr_expect(same_file(in(a, "profile.json"), in(b, "profile.json")));
}

static void expect_no_frames(const char *folder)
{
    cr_expect(!there(in(folder, "traces.frames")) && !there(in(folder, "series.frames")) &&
              !there(in(folder, "ecg.frames")));
}

static void read_array(const char *path, const char *name, mt_h5_type type, size_t n, void *values)
{
    mt_h5 h5 = {0};
    cr_assert_eq(mt_h5_open(path, &h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_read(&h5, name, type, 1, &n, values), MT_OK, "%s", mt_message());
    mt_h5_close(&h5);
}

/* The last frame equals the checkpoint of the same time, on both backends. */
Test(samples, frames_contain_voltage_and_states_at_the_frame_times)
{
    static float frames[FRAMES * CONDUCTING], v[CONDUCTING];
    static double m[CONDUCTING], time_ms[FRAMES];
    free(works("run case.yaml -o one --set checkpoint.at_end=true"));
    read_array("one/series.hdf", "VTKHDF/CellData/V", MT_H5_FLOAT, FRAMES * CONDUCTING, frames);
    read_array("one/checkpoint-0000000450.hdf", "array/V", MT_H5_FLOAT, CONDUCTING, v);
    cr_expect_arr_eq(frames + (FRAMES - 1) * CONDUCTING, v, sizeof v);
    for (size_t k = 0; k < CONDUCTING; k++) cr_assert_eq(frames[k], -85.23F, "at rest");
    read_array("one/series.hdf", "VTKHDF/Steps/Values", MT_H5_DOUBLE, FRAMES, time_ms);
    for (size_t k = 0; k < FRAMES; k++) cr_expect_eq(time_ms[k], (double)k);
    free(works("run case.yaml -o two --set checkpoint.at_end=true --set machine.backend=cpu"));
    read_array("two/series.hdf", "VTKHDF/CellData/m", MT_H5_FLOAT, FRAMES * CONDUCTING, frames);
    read_array("two/checkpoint-0000000450.hdf", "array/m", MT_H5_DOUBLE, CONDUCTING, m);
    for (size_t k = 0; k < CONDUCTING; k++) cr_assert_eq(frames[(FRAMES - 1) * CONDUCTING + k], (float)m[k]);
}

/* Returns the time when the trace at the end, in the first column, crosses 0 mV upwards; checks that the point in the scar has no
 * values. */
static double crossing_of_trace(const char *path)
{
    size_t n;
    char *text = bytes_of(path, &n), *save, *line = strtok_r(text, "\n", &save);
    double before_ms = 0, before_mV = NAN, crossing = NAN;
    size_t rows = 0;
    cr_expect_str_eq(line, "time_ms,\"at, the end V[mV]\",\"at, the end Ca_i[mM]\",scar V[mV],scar Ca_i[mM]");
    for (; (line = strtok_r(NULL, "\n", &save)); rows++) {
        double ms, mV, ca;
        char rest[8] = "";
        cr_assert_eq(sscanf(line, "%lf,%lf,%lf%7s", &ms, &mV, &ca, rest), 4, "%s", line);
        cr_assert_str_eq(rest, ",,", "no value in the scar");
        cr_assert(ca > 1e-5 && ca < 1e-3);
        if (before_mV < 0 && mV >= 0) crossing = before_ms + (ms - before_ms) * before_mV / (before_mV - mV);
        before_ms = ms, before_mV = mV;
    }
    cr_expect_eq(rows, STEPS + 1);
    free(text);
    return crossing;
}

/* V at a point is interpolated from V around it, its activation time from those around it: they agree to within the travel time
 * over an edge of 0.5 mm at 0.4 mm/ms. */
Test(samples, the_upstroke_of_a_trace_agrees_with_the_activation_time_of_its_point)
{
    char *table = works("run case.yaml -o one --format json");
    const double activation_ms = json_number(table, "at, the end", "activation_ms");
    cr_expect(activation_ms > 2 && activation_ms < END_MS);
    cr_expect_float_eq(crossing_of_trace("one/traces.csv"), activation_ms, 0.5 / 0.4);
    free(table);
}

/* At the surface an extrapolation across the wavefront exceeds the range of V by tens of mV. 1e-5 mV allows for the seven digits
 * of the table. */
Test(samples, traces_at_corners_stay_within_the_range_of_the_elements)
{
    static float frames[FRAMES * CONDUCTING];
    static const char *const corners = "points=[{\"name\":a,\"at_mm\":[3,2,1]},{\"name\":b,\"at_mm\":[3,0,0]}"
                                       ",{\"name\":c,\"at_mm\":[3,1,1]}]";
    free(works("run case.yaml -o one --set machine.backend=cpu --set traces.every_ms=1 --set "
               "traces.fields=[V] --set %s",
        corners));
    read_array("one/series.hdf", "VTKHDF/CellData/V", MT_H5_FLOAT, FRAMES * CONDUCTING, frames);
    size_t n, frame = 0;
    char *text = bytes_of("one/traces.csv", &n), *save, *line = strtok_r(text, "\n", &save);
    for (; (line = strtok_r(NULL, "\n", &save)); frame++) {
        float ms, v_mV[3], low_mV = INFINITY, high_mV = -INFINITY;
        cr_assert_eq(sscanf(line, "%f,%f,%f,%f", &ms, &v_mV[0], &v_mV[1], &v_mV[2]), 4, "%s", line);
        for (size_t k = CONDUCTING * frame; k < CONDUCTING * (frame + 1); k++)
            low_mV = fminf(low_mV, frames[k]), high_mV = fmaxf(high_mV, frames[k]);
        for (int k = 0; k < 3; k++)
            cr_expect(low_mV - 1e-5F <= v_mV[k] && v_mV[k] <= high_mV + 1e-5F,
                "%g ms: %g mV, outside %g .. %g", (double)ms, (double)v_mV[k], (double)low_mV,
                (double)high_mV);
    }
    cr_expect_eq(frame, FRAMES);
    free(text);
}

/* V is streamed once at each of the 19 times of the ECG, m with each of the 10 frames, and both fields at the points at each of
 * the 451 times, except V at times when all of it is streamed; and at the end the activation times. */
Test(samples, each_sample_is_streamed_to_the_host_once)
{
    char *table = works("run case.yaml -o one --format json");
    cr_expect_eq(json_number(table, "streams", "streams"), 19 + 10 + 2 * 451 - 19 + 1);
    free(table);
}

Test(samples, the_ecg_is_positive_ahead_of_a_wavefront_and_negative_after_it)
{
    size_t n;
    free(works("run case.yaml -o one"));
    char *text = bytes_of("one/ecg.csv", &n);
    cr_expect_eq(strncmp(text, "time_ms,ahead,behind\n0,0,0\n", 27), 0, "%s", text);
    double ahead, behind;
    const char *row = strstr(text, "\n3,");
    cr_assert_not_null(row);
    cr_assert_eq(sscanf(row, "\n3,%lf,%lf", &ahead, &behind), 2);
    cr_expect(ahead > 0.01 && behind < -0.01, "%g and %g", ahead, behind);
    free(text);
}

static bool is_blue(const unsigned char rgb[3], double least) { return rgb[2] - rgb[0] > (int)least; }

Test(samples, the_picture_of_an_ecg_marks_the_stimuli_of_its_case)
{
    static const size_t x[] = {0, MT_PAGE_WIDTH}, y[] = {0, 850};
    free(works("run case.yaml -o one --set time.end_ms=3"));
    free(works("run case.yaml -o two --set time.end_ms=3 --set stimuli.0.duration_ms=20"));
    cr_expect_geq(count_within("one/ecg.png", x, y, is_blue, 60), (size_t)(2 * 12));
    cr_expect_eq(count_within("two/ecg.png", x, y, is_blue, 60), 0);
}

/* A run that is resumed, in its folder or in another, ends with the files of an uninterrupted run, and leaves no frames. */
Test(samples, a_resumed_run_writes_the_samples_of_an_uninterrupted_run)
{
    free(works("run case.yaml -o one %s", series));
    expect_no_frames("one");
    free(works("run case.yaml -o two %s --set time.end_ms=3.5 --set checkpoint.at_end=true", series));
    free(works("run --resume two -o three --set time.end_ms=9 --set checkpoint.at_end=false"));
    expect_same("one", "three");
    expect_no_frames("three");
    cr_assert_eq(truncate("two/traces.frames", 9000), 0);
    refuses(2, "two/traces.frames: found 136 of the 176 frames up to the checkpoint",
        "run --resume two --set time.end_ms=9 -o four");
}

Test(samples, sample_files_of_an_earlier_run_are_deleted)
{
    free(works("run case.yaml -o one --set time.end_ms=6 %s", series));
    for (int k = 0; k < FILES; k++) cr_assert(there(in("one", files[k])), "%s", files[k]);
    write_text("other.yaml", SMALL_SLAB USUAL_TISSUE "time: {end_ms: 1}\n" SMALL_STIMULUS("1"));
    free(works("run other.yaml -o one"));
    for (int k = 0; k < FILES; k++) cr_expect_not(there(in("one", files[k])), "%s", files[k]);
}

/* Runs with n points, one of them in a non-conducting element; returns the warnings, which the caller frees. */
static char *warnings_with(int n, const char *fields, const char *folder)
{
    char text[4096], line[128], *table = NULL;
    size_t used = (size_t)snprintf(text, sizeof text, "%s",
        SMALL_SLAB USUAL_TISSUE
        "time: {end_ms: 7}\n"
        "regions:\n  - {min_mm: [1.5, 0, 0], max_mm: [2, 1, 1], non_conducting: true}\n" SMALL_STIMULUS(
            "2") "machine: {backend: cpu}\npoints:\n");
    for (int k = 0; k < n; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  - {name: P%d, at_mm: [%g, 0.5, 0.5]}\n",
            k + 1, k == 0 ? 1.7 : 0.1 + 0.05 * k);
    (void)snprintf(text + used, sizeof text - used, "traces: {every_ms: 0.5, fields: [%s]}\n", fields);
    write_text("points.yaml", text);
    (void)snprintf(line, sizeof line, "run points.yaml -o %s", folder);
    char *said = warnings(&table, line);
    free(table);
    return said;
}

static bool is_dark(const unsigned char rgb[3], double most) { return rgb[0] < most && rgb[1] < most; }

/* Counts the dark pixels at the bottom of a picture, the place of its note. */
static size_t note_of(const char *path)
{
    static const size_t x[] = {130, MT_PAGE_WIDTH}, y[] = {MT_PAGE_HEIGHT - 30, MT_PAGE_HEIGHT};
    return count_within(path, x, y, is_dark, 150);
}

/* The first point is in a non-conducting element and has no trace: eight and nine others are drawn. */
Test(samples, a_picture_of_traces_shows_each_of_nine_points_and_lists_omitted_ones)
{
    char *eight = warnings_with(9, "V", "eight"), *nine = warnings_with(10, "V", "nine"),
         *many = warnings_with(28, "V, m, h, Ca_i", "many");
    cr_expect(!strstr(eight, "traces.png") && !strstr(nine, "traces.png"), "%s%s", eight, nine);
    cr_expect_not(same_file("eight/traces.png", "nine/traces.png"));
    cr_expect(strstr(many, "warning: traces.png shows the first 24 of 28 points; without 1 point in "
                           "non-conducting elements; the first 3 of 4 fields; traces.csv contains all\n"),
        "%s", many);
    const size_t short_note = note_of("nine/traces.png"), long_note = note_of("many/traces.png");
    cr_expect(short_note > 300 && long_note > 3 * short_note / 2, "%zu, %zu", short_note, long_note);
    free(eight), free(nine), free(many);
}

/* All elements have the tag 1, so that the series are equal. */
Test(samples, a_series_of_a_tag_has_the_numbers_of_the_complete_mesh)
{
    free(works("run case.yaml -o one --set machine.backend=cpu"));
    free(works("run case.yaml -o two --set machine.backend=cpu --set series.tag=1"));
    static int64_t number[2][CONDUCTING];
    read_array("one/series.hdf", "VTKHDF/CellData/element", MT_H5_INT64, CONDUCTING, number[0]);
    read_array("two/series.hdf", "VTKHDF/CellData/element", MT_H5_INT64, CONDUCTING, number[1]);
    cr_assert_arr_eq(number[0], number[1], sizeof number[0]);
    cr_expect_gt(number[0][CONDUCTING - 1], CONDUCTING);
}

Test(samples, impossible_samples_are_rejected)
{
    refuses(2, "electrodes: electrode 'ahead' at [1, 1, 0.5] mm is in the tissue, in element ",
        "run case.yaml --set electrodes.0.at_mm=[1,1,0.5]");
    refuses(2, "series.tag: no conducting element has the tag 7", "run case.yaml --set series.tag=7");
    refuses(2, "series.tag: 0.5 is not a tag name; allowed: of the mesh's elements: ",
        "run case.yaml --set series.tag=0.5");
    refuses(2, ": traces.every_ms: set, but there are no points; allowed: with points",
        "run case.yaml --set points=[]");
    refuses(2, "Na; allowed: any of V, Xr1", "run case.yaml --set traces.fields=[Na]");
}

/* A removed key, and its file, which a run into the same folder deletes. */
Test(samples, the_removed_movie_output_is_ignored_and_its_old_file_is_deleted)
{
    free(works("run case.yaml -o one --set time.end_ms=1 --set series.every_ms=1 --set series.movie=true"));
    cr_assert_eq(rename("one/traces.png", "one/movie.png"), 0);
    free(works("run case.yaml -o one --set time.end_ms=1"));
    cr_expect(there("one/traces.png") && !there("one/movie.png"));
}

/* ---- at given times ---- */

static const char at_times[] = SMALL_SLAB USUAL_TISSUE
    "time: {end_ms: 6}\n" SMALL_STIMULUS("2") "points:\n  - {name: end, at_mm: [2.7, 1, 0.5]}\n"
                                              "machine: {tiles: 3}\n"
                                              "series: {at_ms: [0.5, 2.009, 6]}\n";

static void write_at_times(void) { write_text("case.yaml", at_times); }

/* The frames of a list equal those of a run with a frame at every step, at these steps, rounded, and there are no others. */
Test(samples, frames_at_listed_times_equal_those_of_a_run_that_records_every_step)
{
    enum { LISTED = 3, TAKEN = 301 };
    static const size_t step[LISTED] = {25, 100, 300};
    static float listed[LISTED * N], all[TAKEN * N];
    static double time_ms[LISTED];
    char *xdmf;
    size_t n;
    write_at_times();
    free(works("run case.yaml -o one"));
    free(works("run case.yaml -o two --set series.every_ms=0.02 --set series.at_ms=[]"));
    read_array("one/series.hdf", "VTKHDF/CellData/V", MT_H5_FLOAT, LISTED * N, listed);
    read_array("two/series.hdf", "VTKHDF/CellData/V", MT_H5_FLOAT, TAKEN * N, all);
    read_array("one/series.hdf", "VTKHDF/Steps/Values", MT_H5_DOUBLE, LISTED, time_ms);
    xdmf = bytes_of("one/series.xdmf", &n);
    for (size_t k = 0; k < LISTED; k++) {
        char time[64];
        cr_expect_eq(time_ms[k], (double)step[k] * 0.02);
        cr_expect_arr_eq(listed + k * N, all + step[k] * N, N * sizeof *all, "frame %zu", k);
        (void)snprintf(time, sizeof time, "<Time Value=\"%g\"/>", (double)step[k] * 0.02);
        cr_expect_not_null(strstr(xdmf, time), "%s", time);
    }
    free(xdmf);
}

/* A time that is also a multiple of every_ms has one frame. */
Test(samples, listed_and_periodic_frame_times_are_combined)
{
    enum { TAKEN = 5 };
    static const double expected[TAKEN] = {0, 2, 2.5, 4, 6};
    static double time_ms[TAKEN];
    write_at_times();
    free(works("run case.yaml -o one --set series.every_ms=2 --set series.at_ms=[2,2.5]"));
    read_array("one/series.hdf", "VTKHDF/Steps/Values", MT_H5_DOUBLE, TAKEN, time_ms);
    for (size_t k = 0; k < TAKEN; k++) cr_expect_float_eq(time_ms[k], expected[k], 1e-12);
}

Test(samples, traces_at_listed_times_have_one_row_per_time)
{
    size_t n;
    write_at_times();
    free(works("run case.yaml -o one --set traces.at_ms=[1,6]"));
    char *text = bytes_of("one/traces.csv", &n);
    cr_expect(strstr(text, "\n1,") && strstr(text, "\n6,"), "%s", text);
    cr_expect_eq(strlen(text) - strcspn(strstr(text, "\n6,") + 1, "\n") - 1,
        (size_t)(strstr(text, "\n6,") + 1 - text));
    cr_expect_not(strstr(text, "\n0,"), "the start is not in the list");
    free(text);
}

/* A resumed run has the frames of an uninterrupted one. Times after the checkpoint may be added to the list, others not. */
Test(samples, a_resumed_run_continues_the_list_of_times)
{
    const char *const half = "run case.yaml -o two --set checkpoint.at_end=true --set time.end_ms=3";
    write_at_times();
    free(works("run case.yaml -o one"));
    free(works("%s --set series.at_ms=[0.5,2]", half));
    free(works("run case.yaml --resume two -o three"));
    expect_frames("one", "three");
    refuses(2, "of a run with series.at_ms.1: 2, here 1; allowed to differ: times above 3",
        "run case.yaml --resume two -o four --set series.at_ms=[0.5,1]");
    refuses(2, "of a run with series.at_ms.1: 2, here none",
        "run case.yaml --resume two -o four --set series.at_ms=[0.5,4]");
    refuses(2, "of a run with series.at_ms.2: none, here 2.5",
        "run case.yaml --resume two -o four --set series.at_ms=[0.5,2,2.5]");
}

/* Also if no time of the list was before the checkpoint. */
Test(samples, a_list_of_times_can_start_after_the_checkpoint)
{
    write_at_times();
    free(works("run case.yaml -o one --set series.at_ms=[5]"));
    free(
        works("run case.yaml -o two --set checkpoint.at_end=true --set time.end_ms=3 --set series.at_ms=[]"));
    free(works("run case.yaml --resume two -o three --set series.at_ms=[5]"));
    cr_expect(same_file("one/series.hdf", "three/series.hdf"));
}

Test(samples, invalid_lists_of_times_are_rejected)
{
    write_at_times();
    refuses(2, "case.yaml: series.at_ms.1: 6.02; allowed: at most time.end_ms = 6",
        "run case.yaml --set series.at_ms=[1,6.02]");
    refuses(2,
        "case.yaml: series.at_ms.1: 1.001, after 1; allowed: at least one step of time.dt_ms = 0.02 later",
        "run case.yaml --set series.at_ms=[1,1.001]");
    refuses(2, "series.at_ms.1: 1, after 2; allowed: at least one step of time.dt_ms = ",
        "run case.yaml --set series.at_ms=[2,1]");
    refuses(2, "series.at_ms=[-1]: -1; allowed: at least 0", "run case.yaml --set series.at_ms=[-1]");
    refuses(2, "series.at_ms=5: 5; allowed: numbers in brackets, each at least 0",
        "run case.yaml --set series.at_ms=5");
    refuses(2, ": traces.at_ms: set, but there are no points; allowed: with points",
        "run case.yaml --set points=[] --set traces.at_ms=[1]");
}
