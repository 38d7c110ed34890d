/* Curves with a common axis. */
#include "tests/app/draw/pixels.h"
#include "tests/temporary.h"

#include <unistd.h>

#include "app/draw/chart/curves.h"

static char folder[64], path[128], other[128];
static mt_arena arena;

static void enter(void)
{
    temporary_pattern(folder, sizeof folder, "test_curves.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/curves.png", folder);
    (void)snprintf(other, sizeof other, "%s/other.png", folder);
}

static void leave(void)
{
    mt_arena_free(&arena);
    (void)unlink(path);
    (void)unlink(other);
    cr_assert_eq(files_in(folder), 0, "files remain in the folder");
    (void)rmdir(folder);
}

TestSuite(curves, .init = enter, .fini = leave);

enum { POINTS = 100000 };

static mt_curve begin(double from, double to)
{
    mt_curve c;
    cr_assert_eq(mt_curve_begin(&arena, from, to, &c), MT_OK);
    return c;
}

static mt_status write_one(const char *to, const mt_curve *curve, const char *caption)
{
    const mt_curve_panel panel[] = {{.caption = caption, .curve = curve}};
    return mt_curves_write(to, &(mt_curves){"A title", "time, ms", 1, panel, NULL});
}

static bool is_coloured(const unsigned char rgb[3], double least)
{
    return abs(rgb[0] - rgb[2]) > (int)least;
}

/* One high point among very many is drawn at its full height and in its place, with nothing else at that height. */
Test(curves, every_point_is_drawn_in_curves_of_any_length)
{
    mt_curve c = begin(0, 10);
    for (size_t k = 0; k <= POINTS; k++) mt_curve_add(&c, 10.0 * (double)k / POINTS, k == 31234 ? 1 : 0);
    cr_assert_eq(write_one(path, &c, "V, mV"), MT_OK, "%s", mt_message());
    const size_t middle = 130 + (size_t)(1410 * 0.31234), height[] = {142, 880}, left[] = {0, middle - 3},
                 at[] = {middle - 3, middle + 4}, right[] = {middle + 4, MT_PAGE_WIDTH};
    cr_expect_geq(count_within(path, at, height, is_coloured, 40), (size_t)(2 * 730));
    cr_expect_eq(count_within(path, left, height, is_coloured, 40), 0);
    cr_expect_eq(count_within(path, right, height, is_coloured, 40), 0);
}

Test(curves, each_reduced_section_keeps_its_first_lowest_highest_and_last_point)
{
    mt_curve c = begin(0, MT_CURVE_PARTS);
    const double y[] = {3, 1, 4, 1, 5, 9, 2, 6};
    for (size_t k = 0; k < 8; k++) mt_curve_add(&c, 7 + (double)k / 8, y[k]);
    const mt_curve_part *p = &c.part[7];
    cr_assert(p->n == 8 && p->first.y == 3 && p->last.y == 6 && p->lowest.y == 1 && p->highest.y == 9);
    cr_assert(p->lowest.x == 7.125 && p->highest.x == 7.625 && p->last.x == 7.875 && c.part[8].n == 0);
    mt_curve_add(&c, MT_CURVE_PARTS, 2); /* the end belongs to the last part */
    cr_assert_eq(c.part[MT_CURVE_PARTS - 1].n, 1);
}

/* Draws n constants at different heights, with names of the given length. */
static void draw_many(size_t n, size_t name_length, const char *to)
{
    static const char letters[] = "point at the apex of the left ventricle and more of it";
    mt_curve *c = mt_arena_alloc(&arena, n, sizeof *c);
    const char **names = mt_arena_alloc(&arena, n, sizeof *names);
    for (size_t k = 0; k < n; k++) {
        char *name = mt_arena_alloc(&arena, 80, 1);
        (void)snprintf(name, 80, "P%zu %.*s", k + 1, (int)name_length, letters);
        names[k] = name;
        c[k] = begin(0, 10);
        for (size_t i = 0; i <= 10; i++) mt_curve_add(&c[k], (double)i, (double)k);
    }
    const mt_curve_panel panel[] = {
        {.caption = "V, mV", .curve = c, .n_others = n - 1, .other = c + 1, .name = names}};
    cr_assert_eq(
        mt_curves_write(to, &(mt_curves){"Many", "time, ms", 1, panel, "a note"}), MT_OK, "%s", mt_message());
}

/* Counts the columns of the panel that have the colour of a line at this height. */
static size_t columns_of_line(const unsigned char *pixels, double y)
{
    size_t n = 0;
    for (size_t x = 140; x < 1530; x++) {
        bool any = false;
        for (size_t j = (size_t)(y - 2); j < (size_t)(y + 3); j++)
            any |= is_coloured(pixel_at(pixels, x, j), 40);
        n += any;
    }
    return n;
}

/* Counts the rows of pixels in a box that have ink of words. */
static size_t rows_of_words(const unsigned char *pixels, const size_t xs[2], const size_t ys[2])
{
    size_t n = 0;
    for (size_t y = ys[0]; y < ys[1]; y++) {
        bool any = false;
        for (size_t x = xs[0]; x < xs[1]; x++)
            any |= pixel_at(pixels, x, y)[0] < 120 && !is_coloured(pixel_at(pixels, x, y), 20);
        n += any;
    }
    return n;
}

Test(curves, long_names_of_many_curves_are_shortened_at_a_readable_size)
{
    static const size_t right[2] = {900, 1546}, rows[2][2] = {{78, 98}, {101, 121}};
    draw_many(24, 50, path);
    unsigned char *pixels = read_pixels(path);
    for (size_t k = 0; k < 2; k++) cr_expect_geq(rows_of_words(pixels, right, rows[k]), 7, "row %zu", k);
    free(pixels);
}

/* Lines are dashed from the ninth on and dotted from the 17th on. */
Test(curves, up_to_24_curves_each_have_a_line_and_a_legend_entry_on_the_page)
{
    static const size_t legend_y[2] = {68, 122}, all_x[2] = {0, MT_PAGE_WIDTH},
                        margin_x[2] = {1546, MT_PAGE_WIDTH}, numbers[] = {2, 9, 24};
    static const double high[] = {1, 8, 25}; /* upper ends of the axes */
    for (size_t t = 0; t < 6; t++) {
        const size_t n = numbers[t / 2];
        draw_many(n, t % 2 ? 50 : 0, path);
        unsigned char *pixels = read_pixels(path);
        for (size_t k = 0; k < n; k++) {
            const size_t columns = columns_of_line(pixels, 890 - 750 * (double)k / high[t / 2]);
            cr_expect(
                k < 8 ? columns == 1390 : columns > 300 && columns < 1200, "%zu of %zu: %zu", k, n, columns);
        }
        free(pixels);
        cr_expect_geq(count_within(path, all_x, legend_y, is_coloured, 40), n * 24);
        cr_expect_eq(count_within(path, margin_x, legend_y, is_coloured, 10), 0);
    }
}

Test(curves, the_same_input_writes_the_same_bytes)
{
    mt_curve c = begin(-5, 5), d = begin(-5, 5);
    for (size_t k = 0; k <= 1000; k++) {
        const double x = 0.01 * (double)k - 5;
        mt_curve_add(&c, x, sin(x)), mt_curve_add(&d, x, 2e-4);
    }
    const mt_curve_panel panels[] = {{.caption = "one", .curve = &c},
        {.caption = "a constant", .curve = &d, .look = MT_CURVE_DOTS},
        {.caption = "once more", .curve = &c, .look = MT_CURVE_DOTTED_LINE}};
    const mt_curves all = {"Three", "x", 3, panels, NULL};
    cr_assert_eq(mt_curves_write(path, &all), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_curves_write(other, &all), MT_OK, "%s", mt_message());
    assert_same_bytes(path, other);
}

Test(curves, invalid_curves_are_rejected)
{
    mt_curve c = begin(0, 1);
    cr_expect_eq(write_one(path, &c, "V"), MT_INPUT);
    cr_expect(strstr(mt_message(), "'V'"), "%s", mt_message());
    mt_curve_add(&c, 0.5, INFINITY);
    cr_expect_eq(write_one(path, &c, "V"), MT_INPUT);
    mt_curve d = begin(0, 1);
    mt_curve_add(&d, 0, 1), mt_curve_add(&d, 0, NAN), mt_curve_add(&d, 0, 2);
    cr_expect_eq(write_one(path, &d, "V"), MT_INPUT);
    mt_curve e = begin(0, 1);
    mt_curve_add(&e, 0, 1);
    cr_expect_eq(write_one(path, &e, "\xff"), MT_INPUT);
    cr_expect_eq(write_one("/nowhere/a.png", &e, "V"), MT_FILE);
    cr_expect_eq(files_in(folder), 0);
}
