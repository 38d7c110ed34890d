/* myotile reproduce figure3: the slab benchmark on coarse meshes. */
#include <criterion/criterion.h>

#include "tests/json.h"
#include "tests/app/program.h"

#include <omp.h>

static mt_arena arena;

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1); /* the meshes are small */
    write_machine("eight.yaml", 8);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(figure3, .init = enter, .fini = leave, .timeout = 300);

#define COARSE "reproduce figure3 --edges-mm 1 --dt-ms 0.05 --set machine.target=eight.yaml"
#define CHEAP " --set cell.model=mitchell-schaeffer --set cell.type=standard"

enum { POINTS = 9, PLACES = 11, FIELD = 64 };

static const double size_mm[3] = {20, 7, 3};

/* Runs a command line and parses its JSON output; warnings about coarse meshes are ignored. */
static const json *tables_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const json *tables_of(const char *format, ...)
{
    char line[LINE_SIZE - 16], whole[LINE_SIZE], *out;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    (void)snprintf(whole, sizeof whole, "%s --format json", line);
    free(warnings(&out, whole));
    return json_parse_and_free(&arena, out);
}

/* Returns a value of a row (from 0); NaN for null. */
static double value_at(const json *rows, size_t row, const char *column)
{
    const json *r = rows->first;
    for (; row > 0; row--) r = r->next;
    const json *value = json_at(r, column);
    return value->kind == JSON_NULL ? NAN : value->number;
}

static const char *text_at(const json *rows, size_t row, const char *column)
{
    const json *r = rows->first;
    for (; row > 0; row--) r = r->next;
    return json_at(r, column)->text;
}

static double point_at(const json *rows, size_t row, size_t point)
{
    char column[FIELD];
    (void)snprintf(column, sizeof column, "p%zu_ms", point + 1);
    return value_at(rows, row, column);
}

static double place_at(const json *rows, size_t row, size_t place)
{
    char column[FIELD];
    (void)snprintf(column, sizeof column, "at_%zu_percent_ms", 10 * place);
    return value_at(rows, row, column);
}

/* Single precision on tiles and double precision differ, but not visibly. */
Test(figure3, machine_and_double_precision_agree_on_boxes_and_on_a_gmsh_mesh)
{
    const json *tables = tables_of(COARSE " --gmsh --set time.end_ms=50"),
               *meshes = json_rows(tables, "meshes"), *points = json_rows(tables, "activation"),
               *diagonal = json_rows(tables, "diagonal");
    static const char *const kinds[] = {"mirrored", "mirrored", "gmsh", "gmsh"};
    static const char *const backends[] = {"cpu", "ipu", "cpu", "ipu"};
    cr_assert_eq(json_length(meshes), 4);
    cr_assert_eq(value_at(meshes, 0, "elements"), 20 * 7 * 3 * 6);
    cr_assert_neq(value_at(meshes, 2, "elements"), value_at(meshes, 0, "elements"));
    for (size_t row = 0; row < 4; row++) {
        const double difference = value_at(meshes, row, "difference_to_cpu_ms");
        const double length = value_at(meshes, row, "characteristic_length_mm");
        cr_assert_str_eq(text_at(meshes, row, "mesh"), kinds[row]);
        cr_assert_str_eq(text_at(meshes, row, "backend"), backends[row]);
        cr_assert(row % 2 == 0 ? isnan(difference) : difference > 0 && difference < 0.01, "%g", difference);
        cr_assert_float_eq(value_at(meshes, row, "elements") * length * length * length,
            size_mm[0] * size_mm[1] * size_mm[2], 1e-6);
        for (size_t p = 0; p < POINTS; p++) {
            const double at_ms = point_at(points, row, p);
            cr_assert(at_ms > 0.5 && at_ms < 50, "row %zu, P%zu: %g", row, p + 1, at_ms);
        }
        cr_assert_eq(point_at(points, row, 7), value_at(meshes, row, "p8_ms"));
        cr_assert_eq(place_at(diagonal, row, 0), point_at(points, row, 0));
        cr_assert_eq(place_at(diagonal, row, PLACES - 1), point_at(points, row, 7));
        for (size_t k = 1; k < PLACES; k++)
            cr_assert_gt(place_at(diagonal, row, k), place_at(diagonal, row, k - 1), "%zu", k);
        for (size_t k = 0; k < PLACES && row % 2 == 1; k++)
            cr_assert_leq(fabs(place_at(diagonal, row, k) - place_at(diagonal, row - 1, k)), difference);
    }
}

/* Same mesh, stimulus and points. */
Test(figure3, activation_times_at_the_points_equal_those_of_run)
{
    static const char settings[] = "--set mesh.slab.cut=kuhn --set machine.target=eight.yaml" CHEAP;
    char line[LINE_SIZE], *out;
    const json *points =
        json_rows(tables_of("reproduce figure3 --edges-mm 1 --backends ipu %s", settings), "activation");
    (void)snprintf(line, sizeof line,
        "run data/cases/niederer-0.5.yaml --set mesh.slab.edge_mm=1 %s --output out --format json", settings);
    free(warnings(&out, line));
    cr_assert_str_eq(text_at(points, 0, "mesh"), "kuhn");
    cr_assert(isfinite(point_at(points, 0, 2)), "P3 is not activated");
    for (size_t p = 0; p < POINTS; p++) {
        char name[FIELD];
        (void)snprintf(name, sizeof name, "P%zu", p + 1);
        const double of_run = json_number(out, name, "activation_ms"), ours = point_at(points, 0, p);
        cr_assert(isnan(of_run) ? isnan(ours) : of_run == ours, "%s: %g and %g", name, ours, of_run);
    }
    free(out);
}

/* A slab of 20 x 8 x 4 mirrored cubes is symmetric, so that corners differ by rounding only. Cubes that are all divided alike prefer one
 * diagonal, with start and end of the benchmark on it. */
Test(figure3, corners_agree_on_mirrored_boxes_and_differ_on_kuhn_boxes)
{
    static const double corner_mm[4][2] = {{0, 0}, {20, 0}, {0, 8}, {20, 8}};
    static const char even[] =
        COARSE CHEAP " --set mesh.slab.size_mm=[20,8,4] --set time.end_ms=100 --backends cpu --corners 4";
    const json *tables = tables_of("%s", even), *points = json_rows(tables, "activation");
    cr_assert_eq(json_length(points), 4);
    for (size_t c = 0; c < 4; c++) {
        cr_assert_eq(value_at(points, c, "corner_x_mm"), corner_mm[c][0]);
        cr_assert_eq(value_at(points, c, "corner_y_mm"), corner_mm[c][1]);
        for (size_t p = 0; p < POINTS; p++)
            cr_assert_float_eq(
                point_at(points, c, p), point_at(points, 0, p), 1e-8, "corner %zu, P%zu", c, p + 1);
    }
    cr_assert_lt(value_at(json_rows(tables, "meshes"), 0, "p8_spread_ms"), 1e-8);
    tables = tables_of("%s --set mesh.slab.cut=kuhn", even), points = json_rows(tables, "activation");
    double least = INFINITY, most = 0;
    for (size_t c = 0; c < 4; c++) {
        least = fmin(least, point_at(points, c, 7)), most = fmax(most, point_at(points, c, 7));
        cr_assert_geq(point_at(points, c, 7), point_at(points, 0, 7));
    }
    cr_assert_gt(most - least, 0.5);
    cr_assert_float_eq(value_at(json_rows(tables, "meshes"), 0, "p8_spread_ms"), most - least, 1e-12);
}

/* With one corner and one backend, the values of others are missing. */
Test(figure3, values_that_were_not_requested_are_missing)
{
    const json *meshes = json_rows(tables_of(COARSE CHEAP " --backends ipu --set time.end_ms=4"), "meshes");
    cr_assert_eq(json_length(meshes), 1);
    static const char *const missing[] = {
        "p8_ms", "p8_to_converged_ms", "p8_spread_ms", "difference_to_cpu_ms"};
    for (size_t k = 0; k < 4; k++) cr_assert(isnan(value_at(meshes, 0, missing[k])), "%s", missing[k]);
}

/* Without spreading CV is underestimated on such a coarse mesh. Also checks that keys of the case are used. */
Test(figure3, without_spreading_activation_is_delayed)
{
    const json *with = tables_of(COARSE " --backends cpu --set time.end_ms=70"),
               *without =
                   tables_of(COARSE " --backends cpu --set time.end_ms=70 --set diffusion.spreading=0");
    const double at_ms = value_at(json_rows(with, "meshes"), 0, "p8_ms"),
                 late_ms = value_at(json_rows(without, "meshes"), 0, "p8_ms"),
                 low = json_value(json_rows(with, "published")->first, "published_ms"),
                 high = json_value(json_rows(with, "published")->first, "published_to_ms");
    cr_assert(low > 40 && high < 45 && low < high);
    cr_assert_gt(late_ms, at_ms + 5);
    cr_assert_float_eq(value_at(json_rows(without, "meshes"), 0, "p8_to_converged_ms"), late_ms - high, 1e-9);
    cr_assert_float_eq(value_at(json_rows(with, "meshes"), 0, "p8_to_converged_ms"),
        at_ms > high  ? at_ms - high
        : at_ms < low ? at_ms - low
                      : 0,
        1e-9);
}

Test(figure3, the_diagonal_is_drawn)
{
    size_t n;
    (void)tables_of(COARSE CHEAP " --picture diagonal.png");
    char *png = bytes_of("diagonal.png", &n);
    cr_assert(n > 5000 && memcmp(png, "\x89PNG", 4) == 0, "%zu bytes", n);
    free(png);
}

Test(figure3, invalid_options_are_rejected_before_the_runs)
{
    refuses(
        2, "--edges-mm: slab: size x is 20 mm and the edge 0.3 mm", "reproduce figure3 --edges-mm 0.5,0.3");
    refuses(2, "--edges-mm 1,,0.5; allowed: 3 numbers above 0", "reproduce figure3 --edges-mm 1,,0.5");
    refuses(2, "--edges-mm 1,1,1,1,1,1,1,1,1; allowed: at most 8",
        "reproduce figure3 --edges-mm 1,1,1,1,1,1,1,1,1");
    refuses(2, "--corners 0; allowed", "reproduce figure3 --corners 0");
    refuses(2, "--corners 5; allowed", "reproduce figure3 --corners 5");
    refuses(2, "--backends: backend 'gpu'; allowed: cpu, ipu", "reproduce figure3 --backends cpu,gpu");
    refuses(
        2, "--backends cpu,cpu; allowed: each of cpu and ipu once", "reproduce figure3 --backends cpu,cpu");
    refuses(2, "--dt-ms 0; allowed", "reproduce figure3 --dt-ms 0");
    refuses(2, "--dt-ms", "reproduce figure3 --dt-ms 7");
    refuses(2, "--set mesh.slab.edge_mm; allowed here: --edges-mm",
        "reproduce figure3 --set mesh.slab.edge_mm=1");
    refuses(
        2, "--set machine.backend; allowed here: --backends", "reproduce figure3 --set machine.backend=cpu");
    refuses(2, "--dt-ms and --set time.dt_ms are both given",
        "reproduce figure3 --dt-ms 0.02 --set time.dt_ms=0.01");
    refuses(2, "both file and slab are given", "reproduce figure3 --set mesh.file=heart.hdf");
    refuses(2, "line.points: 50; allowed here: 11, 21, 31", "reproduce figure3 --set line.points=50");
    refuses(2, "--picture with 6 meshes; allowed: at most 4",
        "reproduce figure3 --edges-mm 1,0.5,0.25 --gmsh --picture x.png");
    refuses(2, "x.jpg", "reproduce figure3 --picture x.jpg");
}
