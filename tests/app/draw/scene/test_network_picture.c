/* The lines of a conduction network in pictures: colours, visibility, marks and the common scale. */
#include <criterion/criterion.h>

#include "app/draw/colour.h"
#include "app/draw/scene/figure.h"
#include "app/draw/scene/picture.h"
#include "mesh/make/slab.h"
#include "tests/app/draw/pixels.h"
#include "tests/temporary.h"

#include <unistd.h>

/* A slab of 10 x 8 x 4 mm, activated everywhere at the same time, and a network: a vertical trunk above its top, a line along the top, one
 * deep inside, and one that is not activated. */
enum { POINTS = 8, LINES = 4, ENDS = 2 };

typedef struct bench {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    float *time_ms;
    double xyz_mm[3 * POINTS];
    uint32_t line[2 * LINES], end[ENDS];
    float values[POINTS];
    uint8_t failed[ENDS];
    mt_network_lines network;
    mt_figure figure; /* as that of the picture */
    char folder[64], path[128];
} bench;

static bench *open_bench(void)
{
    static bench b;
    static const double xyz_mm[3 * POINTS] = {
        5, 4, 14, 5, 4, 4.5,  /* the trunk */
        2, 2, 4.1, 8, 2, 4.1, /* on the top */
        2, 6, 2, 8, 6, 2,     /* inside */
        2, 7, 4.1, 8, 7, 4.1  /* on the top, not activated */
    };
    static const double size_mm[3] = {10, 8, 4};
    b = (bench){.line = {0, 1, 2, 3, 4, 5, 6, 7}, .values = {0, 0, 5, 5, 0, 0, NAN, NAN}, .end = {3, 7}};
    memcpy(b.xyz_mm, xyz_mm, sizeof xyz_mm);
    temporary_pattern(b.folder, sizeof b.folder, "test_network_picture.XXXXXX");
    cr_assert_not_null(mkdtemp(b.folder));
    (void)snprintf(b.path, sizeof b.path, "%s/activation.png", b.folder);
    cr_assert_eq(mt_slab_make(&b.arena, size_mm, 1, &b.mesh), MT_OK);
    cr_assert_eq(mt_adjacency_make(&b.arena, &b.mesh, &b.adjacency), MT_OK);
    b.time_ms = mt_arena_alloc(&b.arena, b.mesh.n_elements, sizeof *b.time_ms);
    for (size_t c = 0; c < b.mesh.n_elements; c++) b.time_ms[c] = 10;
    b.network = (mt_network_lines){POINTS, LINES, ENDS, b.xyz_mm, b.line, b.values, b.end, b.failed, ""};
    return &b;
}

static const unsigned char *draw(bench *b, const mt_network_lines *network)
{
    const mt_picture_scale scale = {"Activation time", "ms", "isochrones", "not before 20 ms", false, false};
    cr_assert_eq(mt_picture_map(b->path, &b->mesh, &b->adjacency, b->time_ms, &scale, network, ""), MT_OK,
        "%s", mt_message());
    b->figure = (mt_figure){.cut = true};
    cr_assert_eq(
        mt_view_surface_make(&b->arena, &b->mesh, &b->adjacency, b->time_ms, &b->figure.surface), MT_OK);
    b->figure.surface.n_places = POINTS, b->figure.surface.place_mm = b->xyz_mm;
    cr_assert_eq(mt_figure_make(&b->arena, &b->figure), MT_OK);
    cr_assert_eq(b->figure.n_panels, 1);
    return last_pixels(b->path);
}

static void close_bench(bench *b)
{
    (void)unlink(b->path);
    cr_assert_eq(files_in(b->folder), 0);
    (void)rmdir(b->folder);
    mt_arena_free(&b->arena);
}

/* Returns the pixel of the page at a position between two points of the network. */
static const unsigned char *pixel_between(
    const bench *b, const unsigned char *pixels, size_t from, size_t to, double f)
{
    const mt_panel *panel = &b->figure.panel[0];
    double at_mm[3], sample[3];
    for (size_t k = 0; k < 3; k++) at_mm[k] = (1 - f) * b->xyz_mm[3 * from + k] + f * b->xyz_mm[3 * to + k];
    mt_plot_place(&panel->plot, &panel->view, at_mm, sample);
    return pixel_at(pixels, (size_t)(panel->left + sample[0] / MT_VIEW_SUPER),
        (size_t)(panel->top + sample[1] / MT_VIEW_SUPER));
}

static double away(const unsigned char rgb[3], const double linear[3])
{
    double most = 0;
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(rgb[k] - 255 * srgb_of_linear(linear[k])));
    return most;
}

/* Checks the colour of a line that is two pixels wide: of the nearest of the pixels around a place of it. */
#define EXPECT_COLOUR(at, linear)                                                                            \
    do {                                                                                                     \
        const unsigned char *centre = (at);                                                                  \
        double nearest = INFINITY;                                                                           \
        for (long k = 0; k < 9; k++)                                                                         \
            nearest = fmin(nearest, away(centre + 3 * ((k / 3 - 1) * MT_PAGE_WIDTH + k % 3 - 1), linear));   \
        cr_expect_lt(nearest, 4, "%d %d %d, expected: %.0f %.0f %.0f", centre[0], centre[1], centre[2],      \
            255 * srgb_of_linear((linear)[0]), 255 * srgb_of_linear((linear)[1]),                            \
            255 * srgb_of_linear((linear)[2]));                                                              \
    } while (0)

/* The scale is 0 to 10 ms: from the trunk to the tissue. */
Test(network_picture, lines_have_the_colours_of_their_times_on_the_scale_of_the_tissue)
{
    bench *b = open_bench();
    static const double grey[3] = {0.55, 0.55, 0.55};
    double first[3], middle[3];
    mt_colour_map(0, first), mt_colour_map(0.5, middle);
    const unsigned char *pixels = draw(b, &b->network);
    for (double f = 0.1; f < 0.9; f += 0.1) {
        EXPECT_COLOUR(pixel_between(b, pixels, 0, 1, f), first); /* over the background */
        EXPECT_COLOUR(pixel_between(b, pixels, 2, 3, f), middle);
        EXPECT_COLOUR(pixel_between(b, pixels, 6, 7, f), grey);
    }
    close_bench(b);
}

Test(network_picture, lines_behind_the_surface_are_hidden)
{
    bench *b = open_bench();
    size_t n, m;
    (void)draw(b, &b->network);
    unsigned char *with = read_all(b->path, &n);
    b->line[5] = b->line[4] = 2; /* no line inside */
    (void)draw(b, &b->network);
    unsigned char *without = read_all(b->path, &m);
    cr_expect(n == m && memcmp(with, without, n) == 0, "a hidden line is visible");
    free(with), free(without);
    b->xyz_mm[3 * 4 + 2] = b->xyz_mm[3 * 5 + 2] = 4.1; /* the same line on the top */
    b->line[4] = 4, b->line[5] = 5;
    double first[3];
    mt_colour_map(0, first);
    const unsigned char *pixels = draw(b, &b->network);
    EXPECT_COLOUR(pixel_between(b, pixels, 4, 5, 0.5), first);
    close_bench(b);
}

static bool is_red(const unsigned char rgb[3], double t)
{
    (void)t;
    return rgb[0] > 200 && rgb[1] < 60 && rgb[2] < 60;
}

static size_t red_pixels(const bench *b, size_t y0, size_t y1)
{
    return count_within(b->path, (const size_t[]){0, MT_PAGE_WIDTH}, (const size_t[]){y0, y1}, is_red, 0);
}

/* The note is below the legend, the marks are above it. */
Test(network_picture, failed_ends_are_marked_and_explained)
{
    bench *b = open_bench();
    (void)draw(b, &b->network);
    cr_expect_eq(red_pixels(b, 0, MT_PAGE_HEIGHT), 0);
    b->failed[1] = 1;
    b->network.note = "1 of 2 junctions failed";
    const unsigned char *pixels = draw(b, &b->network);
    const size_t one = red_pixels(b, 0, MT_LEGEND_Y);
    cr_expect(is_red(pixel_between(b, pixels, 6, 7, 1), 0));
    cr_expect_not(is_red(pixel_between(b, pixels, 2, 3, 1), 0));
    cr_expect_gt(one, 20);
    cr_expect_gt(red_pixels(b, MT_LEGEND_Y, MT_PAGE_HEIGHT), 100);
    b->failed[0] = 1;
    pixels = draw(b, &b->network);
    cr_expect(is_red(pixel_between(b, pixels, 2, 3, 1), 0));
    cr_expect_gt(red_pixels(b, 0, MT_LEGEND_Y), one + 20);
    close_bench(b);
}

/* Without its lines, the slab alone would fill the picture. */
Test(network_picture, the_picture_contains_lines_outside_of_the_mesh)
{
    bench *b = open_bench();
    double first[3];
    mt_colour_map(0, first);
    const unsigned char *pixels = draw(b, &b->network);
    const mt_panel *panel = &b->figure.panel[0];
    double sample[3];
    for (size_t k = 0; k < POINTS; k++) {
        mt_plot_place(&panel->plot, &panel->view, b->xyz_mm + 3 * k, sample);
        cr_expect(sample[0] > 0 && sample[0] < panel->plot.w && sample[1] > 0 && sample[1] < panel->plot.h,
            "%zu: %g %g", k, sample[0], sample[1]);
    }
    EXPECT_COLOUR(pixel_between(b, pixels, 0, 1, 0.02), first);
    close_bench(b);
}
