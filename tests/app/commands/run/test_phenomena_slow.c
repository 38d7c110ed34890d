/* Known phenomena of cardiac tissue: an activation wavefront travels around a scar, I_Kr block prolongs action potentials as in a
 * single cell, and a spiral wave rotates. */
#include <criterion/criterion.h>

#include "tests/json.h"
#include "tests/app/program.h"

static mt_arena arena;

static void enter(void) { enter_room(); }

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(phenomena, .init = enter, .fini = leave, .timeout = 900);

/* Returns the output of the line as JSON; warnings are ignored. */
static const json *tables_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const json *tables_of(const char *format, ...)
{
    char line[LINE_SIZE], *out;
    FORMAT_LINE(line, format);
    free(warnings(&out, line));
    return json_parse_and_free(&arena, out);
}

/* Returns the number in a column of the first row that has this text. */
static double number_at(
    const json *tables, const char *table, const char *of, const char *text, const char *column)
{
    const json *row = json_item(json_rows(tables, table), of, text);
    return json_at(row, column)->number;
}

#define TISSUE                                                                                               \
    "tissue: {intracellular_l_mS_mm: 0.17, intracellular_t_mS_mm: 0.17, extracellular_l_mS_mm: 0.62, "       \
    "extracellular_t_mS_mm: 0.62, chi_per_mm: 140, cm_uF_mm2: 0.01}\n"                                       \
    "machine: {backend: cpu}\n"

/* ---- a scar ---- */

/* An isotropic sheet with a wall of scar from its lower side up to y = 15 mm. */
static const char sheet[] =
    "mesh: {slab: {size_mm: [30, 20, 1], edge_mm: 0.5}}\n" TISSUE "cell: {type: epi}\n"
    "time: {dt_ms: 0.05, end_ms: 75}\n"
    "regions: [{min_mm: [10, 0, 0], max_mm: [11, 15, 1], non_conducting: true}]\n"
    "stimuli: [{min_mm: [0, 0, 0], max_mm: [1, 20, 1], duration_ms: 2, strength_uA_mm3: 50}]\n"
    "points:\n"
    "  - {name: before, at_mm: [8, 1, 0.5]}\n"
    "  - {name: behind, at_mm: [12, 1, 0.5]}\n"
    "  - {name: far, at_mm: [28, 19, 0.5]}\n";

static double arrival_ms(const json *tables, const char *point)
{
    return number_at(tables, "activation", "point", point, "activation_ms");
}

/* Without the scar the wavefront is planar, and `before` and `far` give the CV. With it the wavefront travels to the end of the
 * scar, around it and back down, which is longer by a known distance; its curvature at the corner slows it a little. */
Test(phenomena, activation_distal_to_a_scar_is_delayed_by_the_detour_around_it)
{
    write_text("sheet.yaml", sheet);
    const json *whole = tables_of("run sheet.yaml --set regions=[] --output whole --format json"),
               *scarred = tables_of("run sheet.yaml --output scarred --format json");
    const double speed = (28 - 8) / (arrival_ms(whole, "far") - arrival_ms(whole, "before")),
                 longer_mm = (10 + 1 + hypot(12 - 11, 15 - 1)) - 12,
                 later_ms = arrival_ms(scarred, "behind") - arrival_ms(whole, "behind");
    cr_log_info("%.4f mm/ms, %.2f ms later, the way %.2f ms", speed, later_ms, longer_mm / speed);
    cr_assert(speed > 0.5 && speed < 0.75, "%g mm/ms", speed);
    cr_assert_float_eq(arrival_ms(scarred, "before"), arrival_ms(whole, "before"), 0.2);
    cr_assert(later_ms > longer_mm / speed && later_ms < 1.15 * longer_mm / speed, "%g ms, %g ms", later_ms,
        longer_mm / speed);
}

/* ---- a drug ---- */

static const char strand[] =
    "mesh: {slab: {size_mm: [20, 3, 1], edge_mm: 0.5}}\n" TISSUE "cell: {type: epi}\n"
    "time: {dt_ms: 0.02, end_ms: 420}\n"
    "output: {maps: [apd]}\n"
    "stimuli: [{min_mm: [0, 0, 0], max_mm: [1, 3, 1], duration_ms: 2, strength_uA_mm3: 50}]\n";

static double of_tissue_ms(const char *set)
{
    const json *tables = tables_of("run strand.yaml %s --output out --force --format json", set);
    return number_at(tables, "maps", "map", "apd90", "median");
}

static double of_cell_ms(const char *set)
{
    const json *tables = tables_of("cell --type epi --bcl 1000 --beats 1 %s --format json", set);
    return json_at(json_rows(tables, "beats")->first, "apd90_ms")->number;
}

/* The first beat of resting cells. Electrotonic load shortens all action potentials in propagation alike. */
Test(phenomena, halved_g_Kr_prolongs_apd_in_tissue_as_in_a_cell)
{
    write_text("strand.yaml", strand);
    const double tissue_ms = of_tissue_ms(""), drugged_ms = of_tissue_ms("--set cell.scale=[g_Kr=0.5]"),
                 cell_ms = of_cell_ms(""), drugged_cell_ms = of_cell_ms("--scale g_Kr=0.5");
    const double longer = drugged_ms - tissue_ms, expected = drugged_cell_ms - cell_ms;
    cr_log_info(
        "tissue %.2f to %.2f ms, a cell %.2f to %.2f ms", tissue_ms, drugged_ms, cell_ms, drugged_cell_ms);
    cr_assert_gt(expected, 5);
    cr_assert(fabs(longer - expected) < 0.05 * expected, "%g ms, in a cell %g ms", longer, expected);
}

/* ---- a spiral ---- */

/* Finds the times when V crosses -20 mV upwards in a column of traces.csv; returns their number. */
static size_t upstrokes(const char *csv, size_t column, size_t most, double *at_ms)
{
    size_t n = 0;
    double before = NAN;
    for (const char *line = strchr(csv, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        const char *value = line + 1;
        const double now_ms = strtod(value, NULL);
        for (size_t k = 0; k < column; k++) value = strchr(value, ',') + 1;
        const double v_mV = strtod(value, NULL);
        if (before < -20 && v_mV >= -20 && n < most) at_ms[n++] = now_ms;
        before = v_mV;
    }
    return n;
}

/* S2 ends after 224 ms; later activations of the points are caused by the spiral wave alone. */
Test(phenomena, a_spiral_wave_persists_for_a_second_after_the_last_stimulus)
{
    enum { ROOM = 64 };
    static const double s2_ends_ms = 224, end_ms = 1300;
    size_t size;
    (void)tables_of("run data/cases/spiral.yaml --set machine.backend=cpu --output spiral --format json");
    char *csv = bytes_of("spiral/traces.csv", &size);
    for (size_t point = 1; point <= 2; point++) {
        double at_ms[ROOM];
        size_t turns = 0;
        const size_t n = upstrokes(csv, point, ROOM, at_ms);
        for (size_t k = 1; k < n; k++) {
            turns += at_ms[k] > s2_ends_ms;
            cr_assert(at_ms[k] - at_ms[k - 1] > 90, "a rotation of %g ms", at_ms[k] - at_ms[k - 1]);
        }
        cr_log_info("point %zu: %zu upstrokes behind S2, the last after %g ms", point, turns, at_ms[n - 1]);
        cr_assert_geq(turns, 6);
        cr_assert_gt(at_ms[n - 1], end_ms - 130);
    }
    free(csv);
}

/* ---- the T wave ---- */

/* Returns the sum of a lead's values over the times from `from_ms` to before `to_ms`. */
static double area_of(const char *path, int column, double from_ms, double to_ms)
{
    double sum = 0;
    char line[1024];
    FILE *file = fopen(path, "r");
    cr_assert(file && fgets(line, sizeof line, file), "%s", path);
    while (fgets(line, sizeof line, file)) {
        const char *at = line;
        const double now_ms = strtod(line, NULL);
        for (int k = 0; k < column; k++) at = strchr(at, ',') + 1;
        if (now_ms >= from_ms && now_ms < to_ms) sum += strtod(at, NULL);
    }
    cr_assert_eq(fclose(file), 0);
    return sum;
}

/* Checks that QRS is upright, and the sign of T, in I, II, V5 and V6 of ecg.csv; the first column is the time. */
static void expect_t(const char *folder, double sign)
{
    static const int column[] = {1, 2, 11, 12};
    char path[64];
    (void)snprintf(path, sizeof path, "%s/ecg.csv", folder);
    for (size_t k = 0; k < sizeof column / sizeof *column; k++) {
        const double qrs = area_of(path, column[k], 0, 230), t = area_of(path, column[k], 250, 560);
        cr_expect_gt(qrs, 0, "%s, lead %d: QRS %g", folder, column[k], qrs);
        cr_expect_gt(sign * t, 0, "%s, lead %d: T %g", folder, column[k], t);
    }
}

static void run_beat(const char *options)
{
    char line[LINE_SIZE], *table;
    (void)snprintf(line, sizeof line, "run data/cases/ecg-beat.yaml %s", options);
    free(warnings(&table, line));
    free(table);
}

Test(phenomena, the_t_wave_has_the_polarity_of_the_qrs_only_with_an_apicobasal_gradient_of_i_ks)
{
    free(works("mesh ventricles --elements 40000 -o heart.hdf"));
    free(works("mesh fibres heart.hdf -o fibred.hdf"));
    run_beat("-o usual");
    run_beat("-o less --set gradients.0.first=2.3");
    run_beat("-o layers --set cell.type=layers --set regions.0.type=endo --set gradients.0.first=1");
    expect_t("usual", 1);
    expect_t("less", 1);
    expect_t("layers", -1);
}
