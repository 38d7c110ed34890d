/* Lines as VTKHDF: the arrays of the format, frames, and a file that is complete or absent. */
#include <criterion/criterion.h>

#include "mesh/network/network_hdf.h"
#include "tests/room.h"

#include <math.h>

TestSuite(network_hdf, .init = enter_room, .fini = leave_room);

enum { POINTS = 4, LINES = 3, FRAMES = 2 };

static double xyz_mm[3 * POINTS] = {0, 0, -1, 0, 4, -1, 4, 4, -1, 4, 0.5, -1};
static uint32_t ends[2 * LINES] = {0, 1, 1, 2, 1, 3};
static double radius_mm[LINES] = {0.5, 0.5, 0.25};
static int32_t kind[LINES] = {7, 7, -2};
static const double activation[POINTS] = {1, 2, 3, (double)NAN}, times[FRAMES] = {0, 2.5};
static const mt_line_field fields[] = {{"activation", activation}};
static mt_lines lines = {.n_points = POINTS,
    .n_segments = LINES,
    .xyz_mm = xyz_mm,
    .segment_point = ends,
    .radius_mm = radius_mm,
    .kind = kind,
    .n_fields = 1,
    .field = fields};

static float v_mV(size_t frame, size_t point) { return -80 + 30 * (float)frame + (float)point; }

static size_t last_frame;

static mt_status give(void *context, size_t frame, float *values)
{
    if (frame > *(size_t *)context) return mt_fail(MT_FILE, "frame %zu is lost", frame);
    for (size_t k = 0; k < POINTS; k++) values[k] = v_mV(frame, k);
    return MT_OK;
}

static mt_network_series series_of(size_t n_frames)
{
    static const mt_vtkhdf_note note = {.name = "end_ms", .number = 3};
    return (mt_network_series){.lines = &lines,
        .field_unit = "ms",
        .n_frames = n_frames,
        .time_ms = times,
        .name = "V",
        .unit = "mV",
        .give = give,
        .context = &last_frame,
        .n_notes = 1,
        .notes = &note};
}

static void expect_whole(mt_h5 *h5, const char *name, size_t n, const int64_t *expected)
{
    int64_t there[16];
    cr_assert_eq(mt_h5_read(h5, name, MT_H5_INT64, 1, &n, there), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < n; k++)
        cr_expect_eq(there[k], expected[k], "%s %zu: %ld", name, k, (long)there[k]);
}

static void expect_empty(mt_h5 *h5, const char *group)
{
    static const char *const zero[] = {"NumberOfCells", "NumberOfConnectivityIds", "Offsets"};
    char name[100];
    size_t n;
    for (int k = 0; k < 3; k++) {
        (void)snprintf(name, sizeof name, "VTKHDF/%s/%s", group, zero[k]);
        expect_whole(h5, name, 1, (int64_t[]){0});
    }
    (void)snprintf(name, sizeof name, "VTKHDF/%s/Connectivity", group);
    cr_assert_eq(mt_h5_shape(h5, name, 1, &n), MT_OK, "%s", mt_message());
    cr_expect_eq(n, 0);
}

/* VTK's documentation of PolyData: four groups of cells, of which only the lines are not empty. */
Test(network_hdf, lines_are_polydata_with_their_fields)
{
    char type[32];
    double points[3 * POINTS], field[POINTS], radius[LINES], end_ms;
    int32_t kinds[LINES];
    bool has;
    MT_H5_SCOPE(h5);
    const mt_network_series series = series_of(0);
    cr_assert_eq(mt_network_hdf_write("net.hdf", &series), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_open("net.hdf", h5), MT_OK);
    cr_assert_eq(mt_h5_read_text(h5, "VTKHDF", "Type", type, sizeof type), MT_OK);
    cr_expect_str_eq(type, "PolyData");
    expect_whole(h5, "VTKHDF/NumberOfPoints", 1, (int64_t[]){POINTS});
    expect_empty(h5, "Vertices"), expect_empty(h5, "Polygons"), expect_empty(h5, "Strips");
    expect_whole(h5, "VTKHDF/Lines/NumberOfCells", 1, (int64_t[]){LINES});
    expect_whole(h5, "VTKHDF/Lines/NumberOfConnectivityIds", 1, (int64_t[]){2 * LINES});
    expect_whole(h5, "VTKHDF/Lines/Offsets", LINES + 1, (int64_t[]){0, 2, 4, 6});
    expect_whole(h5, "VTKHDF/Lines/Connectivity", 2 * LINES, (int64_t[]){0, 1, 1, 2, 1, 3});
    cr_assert_eq(mt_h5_read(h5, "VTKHDF/Points", MT_H5_DOUBLE, 2, (size_t[]){POINTS, 3}, points), MT_OK);
    cr_expect_arr_eq(points, xyz_mm, sizeof points);
    cr_assert_eq(
        mt_h5_read(h5, "VTKHDF/PointData/activation", MT_H5_DOUBLE, 1, (size_t[]){POINTS}, field), MT_OK);
    cr_expect(field[0] == 1 && field[2] == 3 && isnan(field[3]));
    cr_assert_eq(mt_h5_read(h5, "VTKHDF/CellData/radius", MT_H5_DOUBLE, 1, (size_t[]){LINES}, radius), MT_OK);
    cr_assert_eq(mt_h5_read(h5, "VTKHDF/CellData/kind", MT_H5_INT32, 1, (size_t[]){LINES}, kinds), MT_OK);
    cr_expect_arr_eq(radius, radius_mm, sizeof radius);
    cr_expect_arr_eq(kinds, kind, sizeof kinds);
    cr_assert_eq(mt_h5_read_number(h5, "run", "end_ms", &end_ms), MT_OK);
    cr_expect_eq(end_ms, 3);
    cr_assert_eq(mt_h5_has(h5, "VTKHDF/Steps", &has), MT_OK);
    cr_expect_not(has);
}

static void expect_zeros(mt_h5 *h5, const char *name, size_t width)
{
    char full[100];
    int64_t there[4 * FRAMES];
    (void)snprintf(full, sizeof full, "VTKHDF/Steps/%s", name);
    cr_assert_eq(mt_h5_read(h5, full, MT_H5_INT64, width > 1 ? 2 : 1, (size_t[]){FRAMES, width}, there),
        MT_OK, "%s", mt_message());
    for (size_t k = 0; k < width * FRAMES; k++) cr_expect_eq(there[k], 0, "%s", name);
}

Test(network_hdf, frames_follow_each_other_and_share_the_lines)
{
    const size_t all = POINTS * FRAMES;
    float values[POINTS * FRAMES];
    double time_ms[FRAMES];
    int64_t n_steps;
    MT_H5_SCOPE(h5);
    last_frame = FRAMES;
    const mt_network_series series = series_of(FRAMES);
    cr_assert_eq(mt_network_hdf_write("net.hdf", &series), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_open("net.hdf", h5), MT_OK);
    cr_assert_eq(mt_h5_read_integers(h5, "VTKHDF/Steps", "NSteps", 1, &n_steps), MT_OK);
    cr_expect_eq(n_steps, FRAMES);
    cr_assert_eq(mt_h5_read(h5, "VTKHDF/Steps/Values", MT_H5_DOUBLE, 1, (size_t[]){FRAMES}, time_ms), MT_OK);
    cr_expect_arr_eq(time_ms, times, sizeof times);
    cr_assert_eq(
        mt_h5_read(h5, "VTKHDF/PointData/V", MT_H5_FLOAT, 1, &all, values), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < all; k++) cr_expect_eq(values[k], v_mV(k / POINTS, k % POINTS));
    expect_whole(h5, "VTKHDF/Steps/PointDataOffsets/V", FRAMES, (int64_t[]){0, POINTS});
    expect_whole(h5, "VTKHDF/Steps/NumberOfParts", FRAMES, (int64_t[]){1, 1});
    expect_zeros(h5, "PointDataOffsets/activation", 1);
    expect_zeros(h5, "CellDataOffsets/radius", 1), expect_zeros(h5, "CellDataOffsets/kind", 1);
    expect_zeros(h5, "PartOffsets", 1), expect_zeros(h5, "PointOffsets", 1);
    expect_zeros(h5, "CellOffsets", 4), expect_zeros(h5, "ConnectivityIdOffsets", 4);
}

/* ParaView's test of it is mesh/test_viewers_slow. */
Test(network_hdf, the_xdmf_file_of_a_series_names_arrays_of_the_other)
{
    char text[8000] = "", name[200];
    size_t n_names = 0, n_times = 0;
    bool has;
    MT_H5_SCOPE(h5);
    last_frame = FRAMES;
    mt_network_series series = series_of(FRAMES);
    cr_assert_eq(mt_network_hdf_write("net.hdf", &series), MT_OK, "%s", mt_message());
    FILE *file = fopen("net.xdmf", "r");
    cr_assert_not_null(file);
    cr_assert_lt(fread(text, 1, sizeof text - 1, file), sizeof text - 1);
    (void)fclose(file);
    cr_assert_eq(mt_h5_open("net.hdf", h5), MT_OK);
    for (const char *at = text; (at = strstr(at, "net.hdf:")); n_names++) {
        at += strlen("net.hdf:");
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "<"), at);
        cr_assert_eq(mt_h5_has(h5, name, &has), MT_OK);
        cr_expect(has, "%s", name);
    }
    for (const char *at = text; (at = strstr(at, "<Time ")); at++) n_times++;
    cr_expect_eq(n_names, 6 * FRAMES);
    cr_expect_eq(n_times, FRAMES);
    cr_expect(strstr(text, "<Time Value=\"2.5\"/>") && strstr(text, "net.hdf:/frames/V/000001<"), "%s", text);
    cr_assert_eq(remove("net.xdmf"), 0);
    series.n_frames = 0;
    cr_assert_eq(mt_network_hdf_write("net.hdf", &series), MT_OK);
    cr_expect_neq(access("net.xdmf", F_OK), 0, "without frames");
}

Test(network_hdf, a_file_is_complete_or_absent)
{
    mt_network_series series = series_of(FRAMES);
    last_frame = 0;
    cr_assert_eq(mt_network_hdf_write("net.hdf", &series), MT_FILE);
    cr_expect_str_eq(mt_message(), "frame 1 is lost");
    cr_expect_neq(access("net.hdf", F_OK), 0);
    cr_expect_eq(mt_network_hdf_write("net.vtp", &series), MT_INPUT);
    series.n_frames = 1;
    cr_assert_eq(mt_network_hdf_write("net.hdf", &series), MT_OK, "%s", mt_message());
    cr_expect_eq(access("net.hdf", F_OK), 0);
}
