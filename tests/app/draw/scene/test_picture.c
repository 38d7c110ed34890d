#include <criterion/criterion.h>

#include "app/draw/colour.h"
#include "app/draw/scene/figure.h"
#include "app/draw/scene/picture.h"
#include "mesh/make/slab.h"
#include "tests/app/draw/pixels.h"
#include "tests/mesh/tagged_slab.h"
#include "tests/temporary.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

/* A slab of 20 x 7 x 3 cubes, an activation that spreads from its corner, and a temporary folder. */
typedef struct bench {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    float *time_ms;
    const char *grey;
    char folder[64];
    char path[128];
} bench;

static bench make_bench(void)
{
    bench b = {.grey = "not before 100 ms"};
    const double size_mm[3] = {20, 7, 3};
    temporary_pattern(b.folder, sizeof b.folder, "test_picture.XXXXXX");
    cr_assert_not_null(mkdtemp(b.folder));
    (void)snprintf(b.path, sizeof b.path, "%s/activation.png", b.folder);
    cr_assert_eq(mt_slab_make(&b.arena, size_mm, 1, &b.mesh), MT_OK);
    cr_assert_eq(mt_adjacency_make(&b.arena, &b.mesh, &b.adjacency), MT_OK);
    b.time_ms = mt_arena_alloc(&b.arena, b.mesh.n_elements, sizeof *b.time_ms);
    for (size_t c = 0; c < b.mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&b.mesh, c, x);
        b.time_ms[c] = (float)hypot(hypot(x[0] / 0.6, x[1] / 0.3), x[2] / 0.2);
    }
    return b;
}

static mt_status draw(bench *b, const char *path)
{
    return mt_picture_map(path, &b->mesh, &b->adjacency, b->time_ms,
        &(mt_picture_scale){"Activation time", "ms", "isochrones", b->grey, false, false}, NULL, "A slab");
}

static void end_bench(bench *b)
{
    (void)unlink(b->path);
    cr_assert_eq(files_in(b->folder), 0, "files remain in the folder");
    (void)rmdir(b->folder);
    mt_arena_free(&b->arena);
}

/* PNG, 5.2 and 11.2.1: the signature, then a chunk IHDR with width and height, big-endian. */
Test(picture, the_picture_is_a_reproducible_png_of_the_specified_size)
{
    static const unsigned char head[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13, 'I', 'H',
        'D', 'R', 0, 0, MT_PAGE_WIDTH >> 8, MT_PAGE_WIDTH & 255, 0, 0, MT_PAGE_HEIGHT >> 8,
        MT_PAGE_HEIGHT & 255};
    bench b = make_bench();
    size_t n, m;
    cr_assert_eq(draw(&b, b.path), MT_OK, "%s", mt_message());
    unsigned char *first = read_all(b.path, &n);
    cr_assert_eq(draw(&b, b.path), MT_OK);
    unsigned char *second = read_all(b.path, &m);
    cr_assert(n > sizeof head && memcmp(first, head, sizeof head) == 0);
    cr_assert(n == m && memcmp(first, second, n) == 0, "two drawings differ");
    free(first);
    free(second);
    end_bench(&b);
}

static size_t count_pixels(const char *path, pixel_test *passes, double t)
{
    return count_within(
        path, (const size_t[]){0, MT_PAGE_WIDTH}, (const size_t[]){0, MT_PAGE_HEIGHT}, passes, t);
}

/* True if red, green and blue differ by more than rounding. */
static bool is_coloured(const unsigned char rgb[3], double t)
{
    (void)t;
    return abs(rgb[0] - rgb[1]) > 2 || abs(rgb[1] - rgb[2]) > 2;
}

static size_t coloured_pixels(const char *path) { return count_pixels(path, is_coloured, 0); }

/* True if a pixel has the map's colour at t under any light. The strongest channel determines the light. The others must agree to 2 of 255:
 * half a level of rounding for each of the two, and one level for the table of the curve. */
static bool is_map_colour(const unsigned char rgb[3], double t)
{
    static double map[3], map_t = NAN; /* cached from the previous pixel */
    if (t != map_t) mt_colour_map(map_t = t, map);
    int k = map[2] > map[1] ? 2 : map[0] > map[1] ? 0 : 1;
    double light = linear_of_byte(rgb[k]) / map[k];
    if (light < 0.4 || light > 1.05) return false;
    for (int i = 0; i < 3; i++)
        if (fabs(255 * srgb_of_linear(fmin(1, light * map[i])) - rgb[i]) > 2) return false;
    return true;
}

Test(picture, the_picture_shows_the_colours_of_the_map_with_shading)
{
    bench b = make_bench();
    for (size_t c = 0; c < b.mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&b.mesh, c, x);
        b.time_ms[c] = x[0] < 10 ? 10 : 24; /* the scale is 10 to 24 in steps of 1 */
    }
    cr_assert_eq(draw(&b, b.path), MT_OK);
    /* Half of the surface is early and half late, except a few cubes around the step. */
    double all = (double)coloured_pixels(b.path);
    double early = (double)count_pixels(b.path, is_map_colour, 0),
           late = (double)count_pixels(b.path, is_map_colour, 1);
    cr_assert(early > 0.3 * all && late > 0.3 * all, "%g and %g of %g", early, late, all);
    end_bench(&b);
}

/* The thirds of the page, and the gaps between them; the colour bar is below 0.85 of the page. */
static const size_t left_third[2] = {0, 530}, cut[2] = {556, 1044}, right_third[2] = {1070, MT_PAGE_WIDTH},
                    gaps[2][2] = {{530, 556}, {1044, 1070}}, above[2] = {80, MT_PAGE_HEIGHT * 85 / 100};

/* Builds a septum from the left ventricle at x = 0 to the right one, with z up to the base. */
static bench make_septum_bench(void)
{
    bench b = make_bench();
    mt_arena_free(&b.arena);
    tagged_slab(&b.arena, (const double[]){20, 7, 3}, 0.5, &b.mesh);
    make_septum(&b.mesh);
    cr_assert_eq(mt_adjacency_make(&b.arena, &b.mesh, &b.adjacency), MT_OK);
    b.time_ms = mt_arena_alloc(&b.arena, b.mesh.n_elements, sizeof *b.time_ms);
    return b;
}

/* No element at the surface has a value: both outside views are grey, and the section between them shows the inside. */
Test(picture, a_heart_without_values_on_its_surface_is_shown_in_section)
{
    bench b = make_septum_bench();
    for (size_t c = 0; c < b.mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&b.mesh, c, x);
        const bool inside = x[0] > 1 && x[0] < 19 && x[1] > 1 && x[1] < 6 && x[2] > 1 && x[2] < 2;
        b.time_ms[c] = inside ? (float)x[0] : NAN;
    }
    cr_assert_eq(draw(&b, b.path), MT_OK, "%s", mt_message());
    cr_expect_eq(count_within(b.path, left_third, above, is_coloured, 0), 0);
    cr_expect_eq(count_within(b.path, right_third, above, is_coloured, 0), 0);
    cr_expect_gt(count_within(b.path, cut, above, is_coloured, 0), 5000);
    end_bench(&b);
}

/* Its front, at large y, is early and its back is late. */
Test(picture, a_heart_is_shown_from_the_front_and_the_back)
{
    bench b = make_septum_bench();
    for (size_t c = 0; c < b.mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&b.mesh, c, x);
        b.time_ms[c] = x[1] > 3.5 ? 10 : 24;
    }
    cr_assert_eq(draw(&b, b.path), MT_OK, "%s", mt_message());
    const double front = (double)count_within(b.path, left_third, above, is_coloured, 0),
                 back = (double)count_within(b.path, right_third, above, is_coloured, 0);
    cr_assert(front > 2e4 && back > 2e4, "%g and %g", front, back);
    for (size_t k = 0; k < 2; k++) cr_assert_eq(count_within(b.path, gaps[k], above, is_coloured, 0), 0);
    /* The view is from slightly above, so that the far half of the base is visible, too. */
    cr_assert_gt((double)count_within(b.path, left_third, above, is_map_colour, 0), 0.5 * front);
    cr_assert_gt((double)count_within(b.path, right_third, above, is_map_colour, 1), 0.5 * back);
    end_bench(&b);
}

static bool is_ink(const unsigned char rgb[3], double t)
{
    (void)t;
    return rgb[0] < 255 || rgb[1] < 255 || rgb[2] < 255;
}

/* A heart that fills the height leaves an empty line between the names and its top. */
Test(picture, the_names_of_the_views_are_above_the_heart)
{
    static const size_t page[2] = {0, MT_PAGE_WIDTH}, names[2] = {72, 94}, paper[2] = {94, 100},
                        top[2] = {100, 110};
    bench b = make_bench();
    mt_arena_free(&b.arena);
    tagged_slab(&b.arena, (const double[]){3, 3, 12}, 1, &b.mesh);
    cr_assert_eq(mt_adjacency_make(&b.arena, &b.mesh, &b.adjacency), MT_OK);
    b.time_ms = mt_arena_alloc(&b.arena, b.mesh.n_elements, sizeof *b.time_ms);
    cr_assert_eq(draw(&b, b.path), MT_OK, "%s", mt_message());
    cr_assert_gt(count_within(b.path, page, names, is_ink, 0), 100);
    cr_assert_eq(count_within(b.path, page, paper, is_ink, 0), 0);
    cr_assert_gt(count_within(b.path, page, top, is_ink, 0), 100);
    end_bench(&b);
}

/* Titles of one line, of two lines, and too long ones never extend below the space for titles or beyond the margin, and keep their end. */
Test(picture, a_long_title_has_two_lines_and_stays_above_the_names_of_the_views)
{
    static const size_t page[2] = {0, MT_PAGE_WIDTH}, margin[2] = {MT_PAGE_WIDTH - 58, MT_PAGE_WIDTH},
                        upper[2] = {10, 38}, lower[2] = {40, MT_TITLE_BOTTOM},
                        between[2] = {MT_TITLE_BOTTOM, 73}, all[2] = {0, 73};
    static const size_t n_words[] = {1, 12, 20, 80};
    bench b = make_septum_bench();
    const mt_picture_scale scale = {"Activation time", "ms", "", "", false, false};
    for (size_t c = 0; c < b.mesh.n_elements; c++) b.time_ms[c] = (float)c;
    for (size_t k = 0; k < 4; k++) {
        char title[2][1024];
        size_t ink[2], n = 0;
        for (size_t w = 0; w < n_words[k]; w++)
            n += (size_t)snprintf(title[0] + n, 1024 - n, "%s", w % 5 ? "ventricles " : "pgäjq ");
        strcpy(title[1], title[0]);
        strcpy(title[0] + n, "(stopped at 12 ms)");
        strcpy(title[1] + n, "(stopped at 4 ms)");
        for (size_t t = 0; t < 2; t++) {
            cr_assert_eq(
                mt_picture_map(b.path, &b.mesh, &b.adjacency, b.time_ms, &scale, NULL, title[t]), MT_OK);
            ink[t] = count_within(b.path, page, all, is_ink, 0);
            cr_expect_eq(count_within(b.path, page, between, is_ink, 0), 0, "%zu words", n_words[k]);
            cr_expect_eq(count_within(b.path, margin, all, is_ink, 0), 0, "%zu words", n_words[k]);
            cr_expect_gt(count_within(b.path, page, upper, is_ink, 0), 0);
            cr_expect_gt(count_within(b.path, page, lower, is_ink, 0), 500);
        }
        cr_expect_neq(ink[0], ink[1], "%zu words", n_words[k]);
    }
    end_bench(&b);
}

/* The legend explains the grey below the bar, if there is any. */
Test(picture, elements_that_are_not_activated_are_grey)
{
    static const size_t note[2][2] = {{MT_LEGEND_X, MT_LEGEND_X + MT_LEGEND_W}, {MT_GREY_Y, MT_PAGE_HEIGHT}};
    bench b = make_bench();
    size_t all, half;
    cr_assert_eq(draw(&b, b.path), MT_OK);
    all = coloured_pixels(b.path);
    cr_assert_eq(count_within(b.path, note[0], note[1], is_ink, 0), 0);
    for (size_t c = 0; c < b.mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&b.mesh, c, x);
        if (x[0] > 10) b.time_ms[c] = NAN;
    }
    cr_assert_eq(draw(&b, b.path), MT_OK);
    half = coloured_pixels(b.path);
    cr_assert_geq(count_within(b.path, note[0], note[1], is_ink, 0), 16 * 16);
    for (size_t c = 0; c < b.mesh.n_elements; c++) b.time_ms[c] = NAN;
    cr_assert_eq(draw(&b, b.path), MT_OK);
    cr_assert_eq(coloured_pixels(b.path), 0);
    /* Half of the two visible long sides, the complete short one, and the colour bar remain coloured. */
    cr_assert(half > all * 45 / 100 && half < all * 65 / 100, "%zu of %zu", half, all);
    end_bench(&b);
}

/* The test cannot read the number, but checks that it is below the colour bar only if there is grey. */
Test(picture, the_note_not_activated_is_printed_only_if_elements_are_grey)
{
    static const size_t note_x[2] = {MT_LEGEND_X, MT_LEGEND_X + MT_LEGEND_W},
                        note_y[2] = {MT_GREY_Y, MT_PAGE_HEIGHT};
    bench b = make_bench();
    for (int grey = 0; grey < 2; grey++) {
        size_t n, m, ink[2];
        if (grey) b.time_ms[0] = NAN;
        b.grey = "not before 1 ms";
        cr_assert_eq(draw(&b, b.path), MT_OK);
        unsigned char *one = read_all(b.path, &n);
        ink[0] = count_within(b.path, note_x, note_y, is_ink, 0);
        b.grey = "not before 111 ms";
        cr_assert_eq(draw(&b, b.path), MT_OK);
        unsigned char *other = read_all(b.path, &m);
        ink[1] = count_within(b.path, note_x, note_y, is_ink, 0);
        cr_assert_eq(n == m && memcmp(one, other, n) == 0, !grey);
        cr_assert(grey ? ink[1] > ink[0] && ink[0] > 400 : ink[0] == 0 && ink[1] == 0, "%zu and %zu", ink[0],
            ink[1]);
        free(one), free(other);
    }
    end_bench(&b);
}

/* Sets times that increase along the slab, from 0 to `most` in its last elements. */
static void run_along(bench *b, float most)
{
    double x[3], last = 0;
    for (size_t c = 0; c < b->mesh.n_elements; c++) {
        mt_mesh_centroid(&b->mesh, c, x);
        last = fmax(last, x[0]);
    }
    for (size_t c = 0; c < b->mesh.n_elements; c++) {
        mt_mesh_centroid(&b->mesh, c, x);
        b->time_ms[c] = most * (float)(x[0] / last);
    }
}

/* The bar from 0 to 14, between its lines, without light, to 2 of 255. */
Test(picture, the_colour_bar_ranges_from_the_first_to_the_last_activation_time)
{
    bench b = make_bench();
    run_along(&b, 14);
    cr_assert_eq(draw(&b, b.path), MT_OK);
    unsigned char *pixels = read_pixels(b.path);
    for (size_t k = 0; k < 14; k++) {
        double map[3];
        mt_colour_map(((double)k + 0.5) / 14, map);
        const unsigned char *rgb =
            pixel_at(pixels, MT_LEGEND_X + (2 * k + 1) * MT_LEGEND_W / 28, MT_LEGEND_Y + MT_LEGEND_H / 2);
        for (int i = 0; i < 3; i++)
            cr_assert_leq(fabs(255 * srgb_of_linear(map[i]) - rgb[i]), 2.5, "at %zu", k);
    }
    free(pixels);
    end_bench(&b);
}

/* "0" below the left end takes less ink than "1000" below the right one. */
Test(picture, the_labels_of_the_colour_bar_increase_along_it)
{
    static const size_t y[2] = {MT_LEGEND_Y + MT_LEGEND_H + 8, MT_LEGEND_Y + MT_LEGEND_H + 26};
    static const size_t left[2] = {MT_LEGEND_X - 25, MT_LEGEND_X + 25},
                        right[2] = {MT_LEGEND_X + MT_LEGEND_W - 25, MT_LEGEND_X + MT_LEGEND_W + 25};
    bench b = make_bench();
    run_along(&b, 1000);
    cr_assert_eq(draw(&b, b.path), MT_OK);
    const size_t first = count_within(b.path, left, y, is_ink, 0),
                 last = count_within(b.path, right, y, is_ink, 0);
    cr_assert(first > 10 && last > 2 * first, "%zu and %zu pixels", first, last);
    end_bench(&b);
}

static double luminance(const unsigned char *rgb)
{
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}

/* Counts the thin dark lines across a row of pixels: darker by a tenth than the pixels three before and three after. */
static size_t lines_across(const unsigned char *pixels, size_t y)
{
    size_t n = 0, last = 0;
    for (size_t x = 10; x + 10 < MT_PAGE_WIDTH; x++) {
        const double here = luminance(pixel_at(pixels, x, y)), before = luminance(pixel_at(pixels, x - 3, y)),
                     behind = luminance(pixel_at(pixels, x + 3, y));
        if (!is_coloured(pixel_at(pixels, x - 3, y), 0) || !is_coloured(pixel_at(pixels, x + 3, y), 0))
            continue;
        if (here < 0.9 * before && here < 0.9 * behind && x > last + 6) n++, last = x;
    }
    return n;
}

/* Returns the largest number of isochrones along the slab. Each round time has one, interrupted by its label. From 0 to 14 ms there are 13
 * inside; edges and labels may count, too. */
static size_t most_lines(const char *path)
{
    unsigned char *pixels = read_pixels(path);
    size_t most = 0;
    for (size_t y = 80; y < MT_LEGEND_Y - 30; y++) {
        const size_t n = lines_across(pixels, y);
        if (n > most) most = n;
    }
    free(pixels);
    return most;
}

Test(picture, isochrones_are_drawn_for_activation_maps_only)
{
    bench b = make_bench();
    run_along(&b, 14);
    cr_assert_eq(draw(&b, b.path), MT_OK);
    const size_t with = most_lines(b.path);
    cr_assert_eq(mt_picture_map(b.path, &b.mesh, &b.adjacency, b.time_ms,
                     &(mt_picture_scale){"Velocity", "mm/ms", "", b.grey, false, false}, NULL, "A slab"),
        MT_OK);
    const size_t without = most_lines(b.path);
    cr_assert(with >= 10 && with <= 18 && without <= 3, "%zu and %zu", with, without);
    end_bench(&b);
}

Test(picture, a_uniform_activation_time_can_be_drawn)
{
    bench b = make_bench();
    for (size_t c = 0; c < b.mesh.n_elements; c++) b.time_ms[c] = 7;
    cr_assert_eq(draw(&b, b.path), MT_OK);
    cr_assert(coloured_pixels(b.path) > 100000);
    end_bench(&b);
}

Test(picture, an_invalid_path_leaves_no_file)
{
    bench b = make_bench();
    char path[192];
    (void)snprintf(path, sizeof path, "%s/no/where.png", b.folder);
    cr_assert_eq(draw(&b, path), MT_FILE);
    cr_assert(strstr(mt_message(), path), "%s", mt_message());
    cr_assert_eq(draw(&b, b.folder), MT_FILE); /* a folder: the drawing cannot replace it */
    (void)snprintf(path, sizeof path, "%s.part", b.folder);
    cr_assert_neq(access(path, F_OK), 0, "%s remains", path);
    end_bench(&b);
}

/* A file size limit simulates a full disk: the write fails in the middle. */
Test(picture, a_full_disk_leaves_the_old_picture_and_no_other_file)
{
    bench b = make_bench();
    const struct rlimit little = {.rlim_cur = 5000, .rlim_max = RLIM_INFINITY};
    FILE *file = fopen(b.path, "w");
    size_t n;
    fputs("old", file);
    fclose(file);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
    cr_assert_eq(draw(&b, b.path), MT_FILE);
    unsigned char *bytes = read_all(b.path, &n);
    cr_assert(n == 3 && memcmp(bytes, "old", 3) == 0);
    free(bytes);
    cr_assert_eq(files_in(b.folder), 1);
    end_bench(&b);
}

Test(picture, invalid_input_is_rejected)
{
    bench b = make_bench();
    mt_adjacency other = b.adjacency;
    other.n_elements--;
    cr_assert_eq(mt_picture_map(b.path, &b.mesh, &other, b.time_ms,
                     &(mt_picture_scale){"", "", "", "", false, false}, NULL, ""),
        MT_INPUT);
    cr_assert_eq(mt_picture_map(b.path, &b.mesh, &b.adjacency, b.time_ms,
                     &(mt_picture_scale){"", "", "", "", false, false}, NULL, "\xff\xfe"),
        MT_INPUT);
    cr_assert(strstr(mt_message(), "UTF-8"), "%s", mt_message());
    end_bench(&b);
}

Test(picture, the_picture_needs_no_installed_fonts)
{
    bench b = make_bench();
    char path[128];
    (void)snprintf(path, sizeof path, "%s/fonts.conf", b.folder);
    FILE *file = fopen(path, "w");
    fputs(
        "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig></fontconfig>\n", file);
    fclose(file);
    setenv("FONTCONFIG_FILE", path, 1);
    cr_assert_eq(draw(&b, b.path), MT_OK, "%s", mt_message());
    unlink(path);
    end_bench(&b);
}

Test(picture, every_failed_allocation_is_returned_as_a_status)
{
    bench b = make_bench();
    size_t n = 1;
    for (; n < 100; n++) {
        mt_arena_fail_at(n);
        mt_status status = draw(&b, b.path);
        if (status == MT_OK) break;
        cr_assert_eq(status, MT_MEMORY);
        cr_assert_eq(files_in(b.folder), 0);
    }
    cr_assert(n > 10 && n < 100, "%zu", n);
    mt_arena_fail_at(0);
    end_bench(&b);
}

static double lightness_of(const double rgb[3])
{
    double lab[3];
    oklab(rgb, lab);
    return lab[0];
}

/* The published matrices have ten digits and are inverse to about 1e-8, so that steps are equal to about 1e-5 of a step. A colour outside
 * sRGB would be clipped and differ more. */
Test(picture, the_colour_map_increases_in_lightness_in_even_steps)
{
    enum { STEPS = 255 };
    double before[3], here[3];
    const double step = 0.56 / STEPS;
    mt_colour_map(0, before);
    cr_assert_float_eq(lightness_of(before), 0.36, 1e-6);
    for (int k = 1; k <= STEPS; k++) {
        mt_colour_map((double)k / STEPS, here);
        cr_assert_float_eq(lightness_of(here) - lightness_of(before), step, 1e-4 * step,
            "step %d: %g, not %g", k, lightness_of(here) - lightness_of(before), step);
        memcpy(before, here, sizeof here);
    }
    cr_assert_float_eq(lightness_of(here), 0.92, 1e-6);
}
