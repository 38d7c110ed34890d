/* The conduction network in a report: its data equals the files of the run. */
#include <criterion/criterion.h>

#include "data/files/csv.h"
#include "tests/app/network_case.h"
#include "tests/app/report/page_data.h"

#include <omp.h>

static mt_arena arena;

#define BODY                                                                                                 \
    NETWORK_SLAB "time: {dt_ms: 0.05, end_ms: 30}\n"                                                         \
                 "network:\n"                                                                                \
                 "  file: net.csv\n" NETWORK_CABLES "  spacing_mm: 0.2\n"                                    \
                 "  stimuli: [{node: 0, duration_ms: 2}]\n"                                                  \
                 "machine: {backend: cpu}\n"                                                                 \
                 "output: {report: false}\n"
static const char body[] = BODY "series: {every_ms: 3}\n";
enum { FRAMES = 11, JUNCTIONS = 3 };

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
    write_text("plain.yaml", BODY);
    write_text("net.csv", small_network);
    write_text("page.html", bare_page);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(network_part, .init = enter, .fini = leave);

static page report(const char *more)
{
    free(works("report out -o r.html --force --template page.html%s", more));
    return open_page(&arena, "r.html");
}

static const json *network_of(const page *p)
{
    return json_at(json_at(p->data, "runs")->first, "heart.network");
}

/* ---- the files of the run */

typedef struct network {
    size_t n;
    double *xyz_mm, *at_ms; /* [n][3], [n] */
    float *v_mV;            /* [FRAMES][n] */
} network;

static network read_network(void)
{
    network net = {0};
    size_t shape[2], all;
    MT_H5_SCOPE(h5);
    cr_assert_eq(mt_h5_open("out/network.hdf", h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_shape(h5, "VTKHDF/Points", 2, shape), MT_OK);
    net.n = shape[0], all = net.n * FRAMES;
    net.xyz_mm = json_take(&arena, 3 * net.n, sizeof *net.xyz_mm);
    net.at_ms = json_take(&arena, net.n, sizeof *net.at_ms);
    net.v_mV = json_take(&arena, all, sizeof *net.v_mV);
    cr_assert_eq(mt_h5_read(h5, "VTKHDF/Points", MT_H5_DOUBLE, 2, shape, net.xyz_mm), MT_OK);
    cr_assert_eq(mt_h5_read(h5, "VTKHDF/PointData/activation", MT_H5_DOUBLE, 1, &net.n, net.at_ms), MT_OK);
    cr_assert_eq(mt_h5_read(h5, "VTKHDF/PointData/V", MT_H5_FLOAT, 1, &all, net.v_mV), MT_OK);
    return net;
}

/* Returns the point of the network at a point of the page; `near`: the largest error. */
static size_t point_at(const network *net, const double *x, double near)
{
    for (size_t k = 0; k < net->n; k++) {
        const double *y = net->xyz_mm + 3 * k;
        if (fabs(x[0] - y[0]) <= near && fabs(x[1] - y[1]) <= near && fabs(x[2] - y[2]) <= near) return k;
    }
    cr_assert_fail("[%g %g %g] is no point of the network", x[0], x[1], x[2]);
    return 0;
}

static void expect_close(const json *about, double there, double value)
{
    cr_assert_eq(isnan(there) != 0, isnan(value) != 0, "%g and %g", there, value);
    if (!isnan(value)) cr_assert_leq(fabs(there - value), half_step(about), "%g and %g", there, value);
}

/* ---- lines */

/* Checks that each drawn point has the values of a point of the network. Returns their number. */
static size_t expect_points(const page *p, const json *drawn, const network *net)
{
    size_t n, n_times, n_volts;
    const json *position = json_at(drawn, "position"),
               *value = json_at(json_at(drawn, "activation")->first, "value"),
               *volts = json_at(drawn, "v_mV");
    const double *x = array(&arena, p, position, &n), *at_ms = array(&arena, p, value, &n_times),
                 *v_mV = array(&arena, p, volts, &n_volts);
    n /= 3;
    cr_assert(n_times == n && n_volts == FRAMES * n);
    for (size_t k = 0; k < n; k++) {
        const size_t point = point_at(net, x + 3 * k, half_step(position));
        expect_close(value, at_ms[k], net->at_ms[point]);
        for (size_t f = 0; f < FRAMES; f++)
            expect_close(volts, v_mV[f * n + k], (double)net->v_mV[f * net->n + point]);
    }
    return n;
}

/* Returns the length of the drawn lines. */
static double length_of(const page *p, const json *drawn, size_t *n_lines)
{
    size_t n;
    double length = 0;
    const double *x = array_at(&arena, p, drawn, "position", &n),
                 *end = array_at(&arena, p, drawn, "line", n_lines);
    *n_lines /= 2;
    for (size_t k = 0; k < *n_lines; k++) {
        const double *a = x + 3 * (size_t)end[2 * k], *b = x + 3 * (size_t)end[2 * k + 1];
        length += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    }
    return length;
}

/* The segments of small_network are straight, so that fewer points have the same length. */
static double network_length(void)
{
    static const double x[7][6] = {{2.5, 2.5, 7, 2.5, 2.5, 4}, {2.5, 2.5, 4, 1.5, 2, 3},
        {2.5, 2.5, 4, 3.5, 3, 3}, {1.5, 2, 3, 3.5, 3, 3}, {1.5, 2, 3, 1, 1, 1}, {1.5, 2, 3, 1.8, 1.2, 1},
        {3.5, 3, 3, 4, 4, 1}};
    double length = 0;
    for (int k = 0; k < 7; k++)
        length += hypot(hypot(x[k][0] - x[k][3], x[k][1] - x[k][4]), x[k][2] - x[k][5]);
    return length;
}

Test(network_part, the_lines_have_the_points_and_values_of_the_network)
{
    size_t n_lines;
    free(works("run case.yaml -o out"));
    const network net = read_network();
    const page p = report("");
    const json *drawn = network_of(&p);
    cr_expect_eq(json_value(drawn, "n_points"), (double)net.n);
    cr_expect_eq(expect_points(&p, drawn, &net), net.n);
    cr_expect_float_eq(length_of(&p, drawn, &n_lines), network_length(), 1e-3);
    cr_expect_eq(n_lines, net.n); /* a tree has one less; there is one loop */
    cr_expect_eq(json_at(json_at(drawn, "activation")->first, "beat")->kind, JSON_NULL);
}

/* The limit is 6000 points. */
Test(network_part, a_small_report_draws_fewer_points_of_the_same_lines)
{
    size_t n_lines;
    free(works("run case.yaml -o out --set network.spacing_mm=0.002 --set time.end_ms=3 --set "
               "series.every_ms=0.3"));
    const network net = read_network();
    cr_assert_gt(net.n, 6001);
    const page p = report("");
    const json *drawn = network_of(&p);
    const size_t n = expect_points(&p, drawn, &net);
    cr_expect(n > 2000 && n <= 6000 && n < net.n, "%zu", n);
    cr_expect_eq(json_value(drawn, "n_points"), (double)net.n);
    cr_expect_float_eq(length_of(&p, drawn, &n_lines), network_length(), 1e-2);
    cr_expect_eq(n_lines, n);
    const page all = report(" --full");
    cr_expect_eq(expect_points(&all, network_of(&all), &net), net.n);
}

/* Neither has an end or a branch point, and so no junction. */
Test(network_part, rings_are_drawn)
{
    size_t n_lines, n;
    write_text("net.csv", "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm\n0,0,3,2,0,3\n2,0,3,2,2,3\n2,2,3,0,0,3\n"
                          "4,4,3,5,4,3\n5,4,3,5,5,3\n5,5,3,4,4,3\n");
    free(works("run plain.yaml -o out --set time.end_ms=2"));
    const page p = report("");
    const json *drawn = network_of(&p);
    cr_expect_float_eq(length_of(&p, drawn, &n_lines), 3 * (2 + M_SQRT2), 1e-3);
    (void)array_at(&arena, &p, drawn, "position", &n);
    cr_expect_eq(n, 3 * n_lines);
    cr_expect_eq(json_at(drawn, "junctions")->kind, JSON_NULL);
}

/* ---- junctions */

Test(network_part, junctions_and_summary_are_those_of_the_tables)
{
    static junction_row row[ROWS_MOST];
    size_t n;
    free(works("run case.yaml -o out"));
    cr_assert_eq(read_junctions("out", row), JUNCTIONS);
    const page p = report("");
    const json *junctions = json_at(network_of(&p), "junctions"), *beat = json_at(junctions, "beats")->first,
               *position = json_at(junctions, "position"), *cable = json_at(beat, "cable_ms"),
               *tissue = json_at(beat, "tissue_ms");
    const double *x = array(&arena, &p, position, &n), *cable_ms = array(&arena, &p, cable, &n),
                 *tissue_ms = array(&arena, &p, tissue, &n),
                 *passage = array_at(&arena, &p, beat, "passage", &n);
    cr_assert_eq(n, JUNCTIONS);
    for (size_t k = 0; k < n; k++) {
        const json *word = json_at(junctions, "passages")->first;
        for (size_t i = 0; i < (size_t)passage[k]; i++) word = word->next;
        cr_expect_str_eq(word->text, row[k].passage);
        for (size_t i = 0; i < 3; i++) expect_close(position, x[3 * k + i], row[k].x_mm[i]);
        expect_close(cable, cable_ms[k], row[k].cable_ms);
        expect_close(tissue, tissue_ms[k], row[k].tissue_ms);
    }
    const json *table =
        json_item(json_at(json_at(p.data, "runs")->first, "tables"), "title", "Conduction system");
    const json *cells = json_at(table, "rows")->first->first;
    cr_expect_eq(cells->number, 1);
    cr_expect_eq(cells->next->number, JUNCTIONS); /* antegrade */
}

Test(network_part, failed_junctions_have_their_passage)
{
    size_t n;
    free(works("run case.yaml -o out --set network.junction.resistance_kOhm=3000"));
    const page p = report("");
    const json *junctions = json_at(network_of(&p), "junctions"), *beat = json_at(junctions, "beats")->first;
    const double *passage = array_at(&arena, &p, beat, "passage", &n);
    const double *tissue_ms = array_at(&arena, &p, beat, "tissue_ms", &n);
    for (size_t k = 0; k < JUNCTIONS; k++) {
        const json *word = json_at(junctions, "passages")->first;
        for (size_t i = 0; i < (size_t)passage[k]; i++) word = word->next;
        cr_expect_str_eq(word->text, "antegrade_failed");
        cr_expect(isnan(tissue_ms[k]));
    }
}

/* ---- other runs */

Test(network_part, a_run_without_series_or_network_has_no_voltages_or_no_network)
{
    free(works("run plain.yaml -o out"));
    const page p = report("");
    cr_expect_eq(json_at(network_of(&p), "v_mV")->kind, JSON_NULL);
    cr_expect_eq(json_length(json_at(network_of(&p), "activation")), 1);
    free(works("run plain.yaml -o out --set network.file= --set network.stimuli=[] --set "
               "stimuli=[{\"max_mm\":[1,1,1],\"min_mm\":[0,0,0],\"duration_ms\":1,\"strength_uA_mm3\":50}]"));
    const page none = report("");
    cr_expect_eq(network_of(&none)->kind, JSON_NULL);
}

Test(network_part, each_beat_has_its_activation)
{
    static junction_row row[ROWS_MOST];
    size_t n;
    free(works(
        "run plain.yaml -o out --set network.stimuli.0.period_ms=60 --set network.stimuli.0.count=2 --set "
        "output.beats=every --set time.end_ms=65 --set time.until=end"));
    cr_assert_eq(read_junctions("out", row), 2 * JUNCTIONS);
    const page p = report("");
    const json *list = json_at(network_of(&p), "activation"),
               *beats = json_at(json_at(network_of(&p), "junctions"), "beats");
    cr_assert(json_length(list) == 2 && json_length(beats) == 2);
    cr_expect_eq(json_value(list->first->next, "beat"), 2);
    cr_expect_eq(json_value(beats->first->next, "beat"), 2);
    const double *second_ms = array(&arena, &p, json_at(list->first->next, "value"), &n);
    for (size_t k = 0; k < n; k++) cr_expect(isnan(second_ms[k]) || second_ms[k] > 60, "%g", second_ms[k]);
    for (size_t beat = 0; beat < 2; beat++) {
        const json *cable = json_at(beat ? beats->first->next : beats->first, "cable_ms");
        const double *cable_ms = array(&arena, &p, cable, &n);
        for (size_t k = 0; k < n; k++) expect_close(cable, cable_ms[k], row[2 * k + beat].cable_ms);
    }
}

Test(network_part, a_damaged_table_is_an_error_with_its_place)
{
    size_t n;
    free(works("run plain.yaml -o out"));
    char *text = bytes_of("out/junctions.csv", &n), *word = strstr(text, "antegrade");
    memcpy(word, "elsewhere", 9);
    write_text("out/junctions.csv", text);
    refuses(2, "junctions.csv: passage elsewhere in row 0", "report out -o r.html --template page.html");
    free(text);
    write_text("out/junctions.csv", "junction,beat\n0,1\n");
    refuses(2, "junctions.csv: has no column x_mm", "report out -o r.html --template page.html");
    write_text("out/network.hdf", "no file of HDF5");
    refuses(3, "network.hdf", "report out -o r.html --template page.html");
}
