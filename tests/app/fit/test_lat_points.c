/* Files of local activation times, and options of `myotile fit`: valid and invalid ones. */
#include <criterion/criterion.h>

#include "tests/app/fit/fit_case.h"
#include "tests/app/sketch.h"

#include "app/fit/lat_points.h"
#include "data/files/h5.h"

#define CASE                                                                                                 \
    "mesh: {slab: {size_mm: [6, 4, 1], edge_mm: 1}}\n" FIT_CELLS FIT_TISSUE(                                 \
        "0.17", "0.04") "stimuli: [{centre_mm: [1, 1, 1], radius_mm: 2, " FIT_PULSE "}]\n"
#define HEAD "x_mm,y_mm,z_mm,lat_ms"

static void enter(void)
{
    enter_room();
    share_cache();
    write_text("slab.yaml", CASE);
    write_text("points.csv", HEAD "\n1,1,1,0\n2,1,1,3\n");
}

TestSuite(lat_points, .init = enter, .fini = leave_room, .timeout = 60);

#define FIT "fit slab.yaml --lat points.csv -o out --eikonal-only"

Test(lat_points, a_csv_is_read_with_weights_from_standard_deviations)
{
    mt_arena arena = {0};
    mt_lat_points points;
    write_text("points.csv", "lat_ms,sd_ms,z_mm,x_mm,y_mm\n-4.5,2,3,1,2\n7,0.5,6,4,5\n");
    cr_assert_eq(mt_lat_points_read(&arena, "points.csv", &points), MT_OK, "%s", mt_message());
    cr_assert_eq(points.n, 2);
    cr_expect(points.has_sd && points.n_left_out == 0);
    const mt_lat_point *p = points.point;
    cr_expect(p[0].xyz_mm[0] == 1 && p[0].xyz_mm[1] == 2 && p[0].xyz_mm[2] == 3 && p[0].lat_ms == -4.5);
    cr_expect(p[0].weight == 0.25 && p[1].weight == 4 && p[0].row == 2 && p[1].row == 3);
    mt_arena_free(&arena);
}

Test(lat_points, invalid_csv_is_refused_with_line_and_column)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"x_mm,y_mm,lat_ms\n1,2,3\n", "points.csv:1: no column z_mm"},
        {HEAD ",colour\n1,2,3,4,5\n", "points.csv:1: column 'colour'; allowed"},
        {HEAD ",x_mm\n1,2,3,4,5\n", "points.csv:1: duplicate column x_mm"},
        {HEAD ",weight,sd_ms\n1,2,3,4,5,6\n", "points.csv:1: columns weight and sd_ms"},
        {HEAD "\n1,2,3,4\n1,2,east,4\n", "points.csv:3: z_mm: found 'east'; allowed: a number"},
        {HEAD "\n1,2,3,\n", "points.csv:2: lat_ms: found ''"},
        {HEAD ",sd_ms\n1,2,3,4,0\n", "points.csv:2: sd_ms: found '0'; allowed: a number above 0"},
        {HEAD ",weight\n1,2,3,4,-1\n", "points.csv:2: weight: found '-1'; allowed: a number above 0"},
        {HEAD "\n", "points.csv: found no points"},
        {HEAD "\n1,2,3\n", "points.csv:2"},
        {"MATLAB 5.0 MAT-file\n", "found a MATLAB file of an old version; allowed: version 7.3"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        write_text("points.csv", wrong[k].text);
        refuses(2, wrong[k].message, FIT);
    }
    refuses(3, "nowhere.csv", "fit slab.yaml --lat nowhere.csv -o out");
}

Test(lat_points, invalid_options_and_cases_are_refused)
{
    refuses(2, "--sites", FIT " --sites 17");
    refuses(2, "--max-sites with --sites", FIT " --sites 2 --max-sites 3");
    refuses(2, "--corrections with --eikonal-only", FIT " --corrections 1");
    refuses(2, "--regions: found '3'; allowed: default", FIT " --regions 3");
    refuses(2, "--regions: found 'x'", FIT " --regions default,x");
    refuses(2, "--max-distance-mm", FIT " --max-distance-mm 0");
    refuses(2, "--fibre-sd-deg -1; allowed: from 0 to 90", FIT " --fibre-sd-deg -1");
    refuses(2, "nose", FIT " --surface nose");
    refuses(2, "points.csv: found 2 points; needed: at least 9, for CV and ratio in 1 tissue and 2 sites",
        FIT " --sites 2");
    refuses(2, "points.csv: found 2 points; needed: at least 6", FIT);
    refuses(2, "--lat", "fit slab.yaml -o out");
    write_text("points.csv", HEAD "\n100,1,1,0\n");
    refuses(2,
        "points.csv: found no point within 10 mm of the surface 'all': x_mm 100 to 100, y_mm 1 to 1, z_mm 1 "
        "to "
        "1; needed: coordinates of the mesh, 0 to 6, 0 to 4, 0 to 1 mm",
        FIT);
    write_text("paced.yaml", CASE "start: {state: other.hdf}\n");
    write_text("points.csv", HEAD "\n1,1,1,0\n2,1,1,3\n");
    refuses(2, "start.state", "fit paced.yaml --lat points.csv -o out");
}

/* ---- units ---- */

/* Writes 20 points of a plane wave along x at 0.5 mm/ms, with coordinates and times in other units. */
static void write_plane_wave(double mm, double ms)
{
    FILE *file = fopen("points.csv", "w");
    (void)fprintf(file, HEAD "\n");
    for (int k = 0; k < 20; k++) {
        const double x = 0.3 * k, y = 0.2 * (k * 7 % 20);
        (void)fprintf(file, "%.9g,%.9g,%.9g,%.9g\n", mm * x, mm * y, mm, ms * (x / 0.5 + 0.1 * (k % 3)));
    }
    (void)fclose(file);
}

Test(lat_points, points_in_other_units_are_refused)
{
    static const struct {
        double mm, ms;
        const char *message;
    } wrong[] = {
        {1e-3, 1, "points.csv: found 20 points with an extent of 0.0057 mm, less than an element of"},
        {1, 1e-3,
            "points.csv: lat_ms: found 0 (line 2) to 0.0115 (line 21) at points with an extent of 5.7 mm"},
        {1, 1e3, "allowed: 0.01 to 20 mm/ms, with times in ms"},
        {1e3, 1, "y_mm 0 to 3800, z_mm 1000 to 1000; needed: coordinates of the mesh, 0 to 6"},
        {0, 1, "points.csv: found 20 points with an extent of 0 mm"},
        {1, 0, "points.csv: lat_ms: found 0 (line 2) to 0 (line 2)"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        write_plane_wave(wrong[k].mm, wrong[k].ms);
        refuses(2, wrong[k].message, FIT);
    }
}

static void warns(const char *message, const char *line)
{
    char *table, *said = warnings(&table, line);
    cr_expect(strstr(said, message), "no '%s' in: %s", message, said);
    free(said), free(table);
}

/* Warnings, after which the fit continues: centimetres, or a map of a small part; repeated lines; one wrong LAT. */
Test(lat_points, implausible_points_are_reported)
{
    write_text("slab.yaml", "mesh: {slab: {size_mm: [12, 8, 1], edge_mm: 1}}\n" FIT_CELLS FIT_TISSUE("0.17",
                                "0.04") "stimuli: [{centre_mm: [1, 1, 1], radius_mm: 2, " FIT_PULSE "}]\n");
    write_plane_wave(0.25, 1);
    warns("points.csv: found points with an extent of 1.43 mm on tissue of 12 mm", FIT " --force --sites 1");
    write_plane_wave(1, 1);
    size_t n;
    char *text = bytes_of("points.csv", &n), more[2048];
    (void)snprintf(more, sizeof more, "%s%s", text, strchr(text, '\n') + 1);
    write_text("points.csv", more);
    warns("points.csv: found 20 points with the place and the LAT of an earlier line, the first in line 22",
        FIT " --force --sites 1");
    (void)snprintf(more, sizeof more, "%s3,2,1,80\n", text);
    write_text("points.csv", more);
    warns("points.csv: found 1 residual above 6 standard deviations, ", FIT " --force --sites 1");
    free(text);
}

/* ---- OpenEP ---- */

enum { POINTS = 5 };

/* Writes a file as MATLAB does: the shapes are reversed, and the text of the header is in a block before the data. */
static void write_openep(const char *path, const double *map, const double *include, double frequency_hz)
{
    const double place[] = {1, 2, 3, 4, 5, 10, 20, 30, 40, 50, -1, -2, -3, -4, -5},
                 reference[] = {100, 100, 100, 100, 100},
                 window[] = {-50, -50, -50, -50, -50, 80, 80, 80, 80, 80};
    size_t n;
    MT_H5_SCOPE(h5);
    cr_assert_eq(mt_h5_create("plain.h5", h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_group(h5, "userdata"), MT_OK);
    cr_assert_eq(mt_h5_group(h5, "userdata/electric"), MT_OK);
    cr_assert_eq(mt_h5_group(h5, "userdata/electric/annotations"), MT_OK);
#define WRITE(name, rows, columns, values)                                                                   \
    cr_assert_eq(mt_h5_write(h5, "userdata/electric/" name, MT_H5_DOUBLE, 2, (size_t[]){rows, columns},      \
                     NULL, values),                                                                          \
        MT_OK, "%s", mt_message())
    WRITE("egmX", 3, POINTS, place);
    WRITE("annotations/mapAnnot", 1, POINTS, map);
    WRITE("annotations/referenceAnnot", 1, POINTS, reference);
    WRITE("annotations/woi", 2, POINTS, window);
    if (include) WRITE("include", 1, POINTS, include);
    if (frequency_hz > 0) WRITE("sampleFrequency", 1, 1, &frequency_hz);
    cr_assert_eq(mt_h5_commit(h5), MT_OK);
    char *bytes = bytes_of("plain.h5", &n), head[512] = "MATLAB 7.3 MAT-file, made by a test";
    FILE *file = fopen(path, "w");
    cr_assert(fwrite(head, sizeof head, 1, file) == 1 && fwrite(bytes, n, 1, file) == 1);
    (void)fclose(file);
    free(bytes);
}

/* LAT are samples after the reference over the frequency; points outside of their window, or not included, are left out. */
Test(lat_points, a_file_of_openep_is_read)
{
    static const double map[] = {110, 60, 181, 120, 40}, include[] = {1, 1, 1, 0, 1};
    mt_arena arena = {0};
    mt_lat_points points;
    write_openep("map.mat", map, include, 500);
    cr_assert_eq(mt_lat_points_read(&arena, "map.mat", &points), MT_OK, "%s", mt_message());
    cr_assert_eq(points.n, 2);
    cr_expect_eq(points.n_left_out, 3);
    cr_expect(points.point[0].lat_ms == 20 && points.point[1].lat_ms == -80);
    cr_expect(
        points.point[1].xyz_mm[0] == 2 && points.point[1].xyz_mm[1] == 20 && points.point[1].xyz_mm[2] == -2);
    cr_expect_eq(points.point[1].row, 2);
    write_openep("map.mat", map, NULL, 0);
    cr_assert_eq(mt_lat_points_read(&arena, "map.mat", &points), MT_OK, "%s", mt_message());
    cr_expect_eq(points.n, 3);
    cr_expect_eq(points.point[0].lat_ms, 10);
    mt_arena_free(&arena);
}
