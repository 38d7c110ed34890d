/* Charts of stacked bars. */
#include "tests/app/draw/pixels.h"

#include <unistd.h>

#include "app/draw/chart/chart.h"
#include "tests/answers.h"
#include "tests/temporary.h"

static char folder[64], path[128], other[128];

static void enter(void)
{
    temporary_pattern(folder, sizeof folder, "test_chart.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/chart.png", folder);
    (void)snprintf(other, sizeof other, "%s/other.png", folder);
}

static void leave(void)
{
    (void)unlink(path);
    (void)unlink(other);
    cr_assert_eq(files_in(folder), 0, "files remain in the folder");
    (void)rmdir(folder);
}

TestSuite(chart, .init = enter, .fini = leave);

enum { GROUPS = 3, BARS = 2, KINDS = 3, ALL = GROUPS * BARS };

static const char *const group[] = {"1 IPU", "4 IPUs", "16 IPUs"}, *const bar[] = {"full", "exact"},
                         *const kind[] = {"own", "needed", "unused"};
static const double value[ALL][KINDS] = {
    {2060, 1021, 7500}, {2060, 1021, 100}, {515, 447, 3400}, {515, 447, 0}, {129, 0, 1250}, {129, 204, 0}};
static const double sums[ALL] = {10581, 3181, 4362, 962, 1379, 333};

static mt_chart make(bool logarithmic)
{
    return (mt_chart){.title = "What tiles hold",
        .caption = "elements",
        .logarithmic = logarithmic,
        .n_groups = GROUPS,
        .n_bars = BARS,
        .n_kinds = KINDS,
        .group = group,
        .bar = bar,
        .kind = kind,
        .value = &value[0][0]};
}

static bool has_colour(const unsigned char rgb[3], size_t of_kind)
{
    static double shown[KINDS][3]; /* [bytes] of the colours requested so far */
    double linear[3], *colour = shown[of_kind];
    cr_assert_lt(of_kind, KINDS);
    if (!(colour[0] + colour[1] + colour[2] > 0)) {
        mt_chart_colour(of_kind, linear);
        for (int k = 0; k < 3; k++) colour[k] = 255 * srgb_of_linear(linear[k]);
    }
    for (int k = 0; k < 3; k++)
        if (fabs(colour[k] - rgb[k]) > 1) return false;
    return true;
}

/* Returns the kind with this colour; KINDS if there is none. */
static size_t kind_of(const unsigned char rgb[3])
{
    size_t k = 0;
    while (k < KINDS && !has_colour(rgb, k)) k++;
    return k;
}

/* Counts the pixels of each kind along the vertical centre line of each bar, from the left. The legend, below 0.9 of the page, is
 * excluded. */
static size_t read_bars(const char *file, size_t height[ALL][KINDS])
{
    enum { AXIS = 773, END = MT_PAGE_HEIGHT * 9 / 10 };
    unsigned char *pixels = read_pixels(file);
    size_t n = 0, begin = 0;
    memset(height, 0, ALL * sizeof *height);
    for (size_t x = 1; x < MT_PAGE_WIDTH; x++) {
        const bool before = kind_of(pixel_at(pixels, x - 1, AXIS)) < KINDS,
                   here = kind_of(pixel_at(pixels, x, AXIS)) < KINDS;
        if (here && !before) begin = x;
        if (here || !before) continue;
        cr_assert_lt(n, ALL);
        for (size_t y = 0; y < END; y++) {
            const size_t k = kind_of(pixel_at(pixels, (begin + x) / 2, y));
            if (k < KINDS) height[n][k]++;
        }
        n++;
    }
    free(pixels);
    return n;
}

/* One pixel at each end of a run is blended, so that heights are accurate to 2. */
Test(chart, bar_heights_are_proportional_to_values)
{
    const mt_chart chart = make(false);
    size_t height[ALL][KINDS];
    ok(mt_chart_write(path, &chart));
    cr_assert_eq(read_bars(path, height), ALL);
    const double pixels_each = (double)height[0][2] / value[0][2];
    cr_assert_gt(pixels_each * sums[0], 500);
    for (size_t b = 0; b < ALL; b++)
        for (size_t k = 0; k < KINDS; k++)
            cr_assert_float_eq((double)height[b][k], value[b][k] * pixels_each,
                2 + 2.0 * value[b][k] / value[0][2], "bar %zu, kind %zu: %zu pixels for %g", b, k,
                height[b][k], value[b][k]);
}

/* The upper end of a kind is the sum from the axis up. */
Test(chart, on_a_logarithmic_axis_bar_heights_follow_the_logarithms_of_sums)
{
    const mt_chart chart = make(true);
    size_t height[ALL][KINDS];
    ok(mt_chart_write(path, &chart));
    cr_assert_eq(read_bars(path, height), ALL);
    const double own = (double)height[0][0] - (double)height[5][0];
    const double pixels_each = own / log(2060.0 / 129);
    cr_assert_gt(own, 200);
    for (size_t b = 0; b < ALL; b++) {
        double sum = 0, pixels = 0;
        for (size_t k = 0; k < KINDS; k++) {
            sum += value[b][k];
            pixels += (double)height[b][k];
            cr_assert_float_eq(pixels - (double)height[5][0], pixels_each * log(sum / 129), 8,
                "bar %zu, kind %zu: %g pixels for %g", b, k, pixels, sum);
            if (value[b][k] == 0) cr_assert_eq(height[b][k], 0);
        }
    }
}

/* Returns the mean height of the black pixels in the right half of the plot, above the names of the bars, where only a mark is black. */
static double mark_height(const char *file)
{
    unsigned char *pixels = read_pixels(file);
    double sum = 0, n = 0;
    for (size_t y = 145; y < 770; y++)
        for (size_t x = MT_PAGE_WIDTH / 2; x < MT_PAGE_WIDTH; x++) {
            const unsigned char *rgb = pixel_at(pixels, x, y);
            if (rgb[0] > 60 || rgb[1] > 60 || rgb[2] > 60) continue;
            sum += (double)y;
            n++;
        }
    free(pixels);
    cr_assert(n == 0 || (n > 40 && n < 150), "%g", n);
    return n > 0 ? sum / n : NAN;
}

Test(chart, a_mark_is_drawn_at_its_value)
{
    double mark[ALL] = {NAN, NAN, NAN, NAN, 2000, NAN}, at[3];
    mt_chart chart = make(false);
    ok(mt_chart_write(path, &chart));
    cr_assert(isnan(mark_height(path)));
    chart.mark = mark, chart.mark_name = "published";
    for (size_t k = 0; k < 3; k++) {
        mark[4] = (double[]){2000, 4000, 8000}[k];
        ok(mt_chart_write(path, &chart));
        at[k] = mark_height(path);
    }
    cr_assert_float_eq(at[1] - at[2], 2 * (at[0] - at[1]), 1.5, "%g %g %g", at[0], at[1], at[2]);
    cr_assert_gt(at[0] - at[1], 50);
}

static bool is_line(const unsigned char rgb[3])
{
    return rgb[0] > 200 && rgb[0] < 240 && rgb[0] == rgb[1] && rgb[1] == rgb[2];
}

/* Counts the grid lines that cross the column between the numbers of the axis and the first bar. */
static size_t count_lines(const char *file)
{
    unsigned char *pixels = read_pixels(file);
    size_t n = 0;
    for (size_t y = 100; y < 773; y++) {
        n += is_line(pixel_at(pixels, 134, y));
    }
    free(pixels);
    return n;
}

/* 0 to 12,000 in steps of 2,000, the lowest under the axis. 50 to 20,000: 100, 200, 500 and so on; 1e-9 to 1e15: powers of ten. */
Test(chart, grid_lines_are_at_round_numbers)
{
    mt_chart chart = make(false);
    ok(mt_chart_write(path, &chart));
    cr_assert_eq(count_lines(path), 6, "%zu", count_lines(path));
    chart.logarithmic = true;
    ok(mt_chart_write(path, &chart));
    cr_assert_eq(count_lines(path), 8, "%zu", count_lines(path));
    const double wide[] = {1e-9, 0, 0, 1e15, 0, 0};
    chart.n_groups = 1, chart.value = wide;
    ok(mt_chart_write(path, &chart));
    cr_assert(count_lines(path) >= 5 && count_lines(path) <= 9, "%zu", count_lines(path));
}

/* A bar of 1000 in a chart up to 2000, linear with lines every 500, logarithmic with 1000 between 500 and 2000. The highest line left of
 * the bar, except the top one, must be at the top of the bar, to a pixel. */
Test(chart, a_bar_of_a_round_value_ends_at_its_grid_line)
{
    const double values[] = {1000}, mark[] = {2000};
    mt_chart chart = make(false);
    chart.n_groups = chart.n_bars = chart.n_kinds = 1, chart.value = values;
    chart.mark = mark, chart.mark_name = "mark";
    for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
        size_t line = 0, top = 0, above = 0;
        chart.logarithmic = logarithmic;
        ok(mt_chart_write(path, &chart));
        unsigned char *pixels = read_pixels(path);
        for (size_t y = 770; y > 100; y--) {
            if (kind_of(pixel_at(pixels, 835, y)) < KINDS) top = y;
            if (is_line(pixel_at(pixels, 134, y))) above += y < top - 2, line = y >= top - 2 ? y : line;
        }
        free(pixels);
        cr_assert(
            top > 200 && line + 1 >= top && line <= top + 1, "a line at %zu, the bar to %zu", line, top);
        cr_assert_eq(above, logarithmic ? 1 : 2);
    }
}

/* Checks that the legend has boxes of 20 x 20 pixels with the first n colours, in order from the left, and no others. */
static void check_legend(size_t n)
{
    unsigned char *pixels = read_pixels(path);
    size_t seen[KINDS + 1] = {0}, last[KINDS + 1] = {0};
    for (size_t x = 0; x < MT_PAGE_WIDTH; x++)
        for (size_t y = MT_PAGE_HEIGHT * 9 / 10; y < MT_PAGE_HEIGHT; y++) {
            const size_t k = kind_of(pixel_at(pixels, x, y));
            seen[k]++;
            last[k] = x;
        }
    free(pixels);
    for (size_t k = 0; k < KINDS; k++) {
        cr_assert_eq(seen[k], k < n ? 20 * 20 : 0, "kind %zu: %zu", k, seen[k]);
        cr_assert(k == 0 || k >= n || last[k] > last[k - 1] + 20, "kind %zu ends at %zu", k, last[k]);
    }
}

Test(chart, the_legend_lists_all_kinds)
{
    const mt_chart chart = make(false);
    ok(mt_chart_write(path, &chart));
    check_legend(KINDS);
}

Test(chart, kinds_are_distinguishable_in_colour_and_in_greyscale)
{
    for (size_t i = 0; i < MT_CHART_KINDS_MAX; i++)
        for (size_t k = 0; k < i; k++) {
            double a[3], b[3];
            mt_chart_colour(i, a), mt_chart_colour(k, b);
            cr_assert_gt(oklab_distance(a, b), 0.15, "%zu and %zu", i, k);
            oklab(a, a), oklab(b, b);
            if (i < 3) cr_assert_gt(fabs(a[0] - b[0]), 0.15, "%zu and %zu", i, k);
        }
}

Test(chart, the_largest_chart_fits_and_is_reproducible)
{
    enum { N = MT_CHART_GROUPS_MAX * MT_CHART_BARS_MAX };
    static const char *names[MT_CHART_GROUPS_MAX];
    double many[N][MT_CHART_KINDS_MAX], mark[N];
    for (size_t k = 0; k < MT_CHART_GROUPS_MAX; k++) names[k] = "a name that is much too long for its place";
    for (size_t k = 0; k < N; k++) {
        mark[k] = 100 + (double)k;
        for (size_t i = 0; i < MT_CHART_KINDS_MAX; i++) many[k][i] = (double)(k + i);
    }
    const mt_chart chart = {.title = "All",
        .caption = "of it",
        .n_groups = MT_CHART_GROUPS_MAX,
        .n_bars = MT_CHART_BARS_MAX,
        .n_kinds = MT_CHART_KINDS_MAX,
        .group = names,
        .bar = names,
        .kind = names,
        .value = &many[0][0],
        .mark = mark,
        .mark_name = "mark"};
    ok(mt_chart_write(path, &chart));
    ok(mt_chart_write(other, &chart));
    assert_same_bytes(path, other);
}

/* ---- lines ---- */

/* Computes the mean position of all pixels of a colour in the plot, and returns their number. */
static size_t middle_of(const char *file, size_t of_kind, size_t from, size_t to, double *x_at, double *y_at)
{
    unsigned char *pixels = read_pixels(file);
    size_t n = 0;
    *x_at = *y_at = 0;
    for (size_t y = 125; y < 775; y++)
        for (size_t x = from; x < to; x++)
            if (has_colour(pixel_at(pixels, x, y), of_kind)) *x_at += (double)x, *y_at += (double)y, n++;
    free(pixels);
    *x_at /= (double)n, *y_at /= (double)n;
    return n;
}

/* Finds the position of the disc of a single point of one line. */
static void point_of(size_t group_of_it, bool logarithmic, double at[2])
{
    static const double place[] = {1, 100, 10};
    static const double amounts[] = {1000, 10, 100};
    double values[GROUPS] = {0}, marks[GROUPS] = {1000, 10, NAN};
    mt_chart chart = make(logarithmic);
    values[group_of_it] = amounts[group_of_it];
    chart.n_bars = chart.n_kinds = 1, chart.place = place, chart.value = values;
    chart.mark = marks, chart.mark_name = "ideal";
    ok(mt_chart_write(path, &chart));
    const size_t n = middle_of(path, 0, 0, MT_PAGE_WIDTH, &at[0], &at[1]);
    cr_assert(n > 80 && n < 160, "a disc of %zu pixels", n);
}

/* Places 1, 100 and 10, values 1000, 10 and 100: place 10 and value 100 are midway between the others. */
Test(chart, points_of_a_line_are_at_the_logarithms_of_their_coordinates)
{
    double at[GROUPS][2];
    for (size_t g = 0; g < GROUPS; g++) point_of(g, true, at[g]);
    cr_assert_gt(at[1][0] - at[0][0], 1000);
    cr_assert_gt(at[1][1] - at[0][1], 300);
    for (int k = 0; k < 2; k++)
        cr_assert_float_eq(at[2][k], 0.5 * (at[0][k] + at[1][k]), 1.5, "%g", at[2][k]);
}

/* Places 0, 100 and 25: the last is at a quarter of the distance. */
Test(chart, points_on_a_linear_axis_are_at_their_coordinates)
{
    static const double place[] = {0, 100, 25}, values[] = {10, 10, 10};
    double at[GROUPS][2];
    for (size_t g = 0; g < GROUPS; g++) {
        double one[GROUPS] = {0};
        mt_chart chart = make(false);
        one[g] = values[g];
        chart.n_bars = chart.n_kinds = 1, chart.place = place, chart.linear_places = true, chart.value = one;
        ok(mt_chart_write(path, &chart));
        (void)middle_of(path, 0, 0, MT_PAGE_WIDTH, &at[g][0], &at[g][1]);
    }
    cr_assert_gt(at[1][0] - at[0][0], 1000);
    cr_assert_float_eq(at[2][0], 0.75 * at[0][0] + 0.25 * at[1][0], 1.5, "%g", at[2][0]);
}

/* At a quarter of the distance the first line is at the geometric mean of 1000 and 700, the second at 20 times the square root of 1000. At
 * three quarters the second is a power of ten lower. */
Test(chart, a_line_connects_its_points_in_order_of_the_coordinate)
{
    static const double place[] = {1, 100, 10}, values[GROUPS][2] = {{1000, 2000}, {10, 20}, {700, 200}};
    mt_chart chart = make(true);
    double x, y[2], lower, first[2], last[2];
    point_of(0, true, first), point_of(1, true, last);
    chart.n_kinds = 1, chart.place = place, chart.value = &values[0][0];
    ok(mt_chart_write(path, &chart));
    const size_t quarter = (size_t)(0.75 * first[0] + 0.25 * last[0]),
                 three = (size_t)(0.25 * first[0] + 0.75 * last[0]);
    for (size_t line = 0; line < 2; line++) {
        const size_t n = middle_of(path, line, quarter, quarter + 1, &x, &y[line]);
        cr_assert(n >= 1 && n <= 6, "line %zu: %zu pixels", line, n);
    }
    cr_assert_geq(middle_of(path, 1, three, three + 1, &x, &lower), 1);
    const double power = lower - y[1];
    cr_assert_gt(power, 100);
    cr_assert_float_eq(
        y[1] - y[0], power * log10(sqrt(1000 * 700) / (20 * sqrt(1000))), 2, "%g %g", y[1] - y[0], power);
}

/* True if the pixel belongs to a line of marks, which may be blended into two rows; the lines of the scale are lighter. */
static bool is_grey(const unsigned char *rgb)
{
    return rgb[0] < 200 && abs(rgb[0] - rgb[1]) < 3 && abs(rgb[1] - rgb[2]) < 3;
}

/* Two lines with marks of constant value have two level dashed lines. */
Test(chart, every_line_has_its_own_marks)
{
    static const double place[] = {1, 10, 100}, values[GROUPS][2] = {{1, 2}, {1, 2}, {1, 2}},
                        marks[GROUPS][2] = {{50, 1000}, {50, 1000}, {50, 1000}};
    mt_chart chart = make(true);
    chart.n_kinds = 1, chart.place = place, chart.value = &values[0][0];
    chart.mark = &marks[0][0], chart.mark_name = "ideal";
    ok(mt_chart_write(path, &chart));
    unsigned char *pixels = read_pixels(path);
    size_t lines = 0, last = 0;
    for (size_t y = 0; y < 770; y++) { /* above the axis */
        size_t n = 0;
        for (size_t x = 0; x < MT_PAGE_WIDTH; x++) n += is_grey(pixel_at(pixels, x, y));
        if (n < 400) continue;
        lines += y > last + 3;
        last = y;
    }
    free(pixels);
    cr_assert_eq(lines, 2, "%zu", lines);
}

/* The legend names the lines by their colours, instead of the single kind. */
Test(chart, the_legend_lists_all_lines)
{
    static const double place[] = {1, 4, 16}, values[GROUPS][2] = {{4, 2}, {1, 0.5}, {0.3, 0.2}};
    mt_chart chart = make(true);
    chart.n_kinds = 1, chart.place = place, chart.value = &values[0][0];
    ok(mt_chart_write(path, &chart));
    check_legend(2);
}

Test(chart, a_chart_without_values_is_empty)
{
    static const double nothing[ALL * KINDS] = {0};
    mt_chart chart = make(false);
    size_t height[ALL][KINDS];
    chart.value = nothing;
    ok(mt_chart_write(path, &chart));
    cr_assert_eq(read_bars(path, height), 0);
}

static void refuse(const mt_chart *chart, const char *why)
{
    cr_assert_eq(mt_chart_write(path, chart), MT_INPUT, "%s", why);
    assert_message(why);
    cr_assert_eq(files_in(folder), 0);
}

Test(chart, invalid_values_sizes_and_texts_are_rejected_and_leave_no_file)
{
    static const double bad[] = {-1, NAN, INFINITY, 1e16, 1e-10};
    double values[ALL][KINDS], mark[ALL] = {NAN, 0, NAN, NAN, NAN, NAN};
    memcpy(values, value, sizeof values);
    mt_chart chart = make(false);
    chart.value = &values[0][0];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        values[3][2] = bad[k];
        refuse(&chart, "group '4 IPUs', bar 'exact', 'unused' is");
    }
    values[3][2] = 0;
    chart.mark = mark, chart.mark_name = "mark";
    refuse(&chart, "group '1 IPU', bar 'exact': the mark is at 0");
    chart.mark = NULL;
    chart.n_kinds = MT_CHART_KINDS_MAX + 1;
    refuse(&chart, "a chart of 5 kinds; allowed: 1 to 4");
    chart = make(true);
    chart.n_bars = 0;
    refuse(&chart, "a chart of 0 bars in a group");
    chart = make(true);
    chart.value = (double[ALL * KINDS]){0};
    refuse(&chart, "no value above 0");
    chart = make(true);
    chart.place = (const double[]){1, 2, 3};
    refuse(&chart, "a chart of 2 lines of 3 kinds; allowed: 1 to 4 lines of one kind");
    chart.n_kinds = 1, chart.place = (const double[]){1, 0, 3};
    refuse(&chart, "group '4 IPUs' is at 0; allowed: 1e-9");
    chart.linear_places = true, chart.place = (const double[]){0, -1, 3};
    refuse(&chart, "group '4 IPUs' is at -1; allowed: 0, 1e-9");
    chart = make(false);
    chart.caption = "\xff\xfe";
    refuse(&chart, "UTF-8");
}

Test(chart, an_invalid_path_leaves_no_file)
{
    const mt_chart chart = make(false);
    char nowhere[192];
    (void)snprintf(nowhere, sizeof nowhere, "%s/no/where.png", folder);
    cr_assert_eq(mt_chart_write(nowhere, &chart), MT_FILE);
    assert_message(nowhere);
    cr_assert_eq(files_in(folder), 0);
}
