/* Pictures of a machine's profile. */
#include "tests/app/draw/pixels.h"

#include <unistd.h>

#include "app/draw/scene/picture.h"
#include "app/draw/chart/profile_picture.h"
#include "data/core/arena.h"
#include "tests/answers.h"

static char folder[64], path[128], other[128];
static mt_arena arena;

static void enter(void)
{
    strcpy(folder, "/tmp/test_profile_picture.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/one.png", folder);
    (void)snprintf(other, sizeof other, "%s/other.png", folder);
}

static void leave(void)
{
    mt_arena_free(&arena);
    (void)unlink(path);
    (void)unlink(other);
    cr_assert_eq(files_in(folder), 0, "something was left behind");
    (void)rmdir(folder);
}

TestSuite(profile_picture, .init = enter, .fini = leave);

static void *take(size_t n, size_t size)
{
    void *memory = mt_arena_alloc(&arena, n, size);
    cr_assert_not_null(memory);
    return memory;
}

/* Is it the colour of the map at this share? A shade more or less for rounding. */
static bool has_shade(const unsigned char rgb[3], double share)
{
    double linear[3];
    mt_picture_colour(share, linear);
    for (int k = 0; k < 3; k++)
        if (fabs(255 * srgb_of_linear(linear[k]) - rgb[k]) > 1) return false;
    return true;
}

/* A machine of so many chips of so many tiles, tile t busy for t + 1 cycles and, of several chips, each link for its
 * number + 1. */
static ipu_profiled invent(size_t chips, size_t tiles)
{
    static ipu_target target;
    static ipu_profile profile;
    static ipu_profile_step step;
    enum { LINKS = 70 };
    const size_t n = chips * tiles;
    uint64_t *cycles = take(n, sizeof *cycles), *load = take(LINKS, sizeof *load);
    ipu_tile_memory *memory = take(n, sizeof *memory);
    ipu_profile_link *links = take(LINKS, sizeof *links);
    for (size_t t = 0; t < n; t++) {
        cycles[t] = t + 1;
        memory[t].bytes[0] = memory[t].total = 600 * (t + 1) / n;
    }
    for (size_t l = 0; l < LINKS; l++) load[l] = l + 1, links[l] = (ipu_profile_link){"a link", 0, 1};
    target =
        (ipu_target){.name = "invented", .ipus = chips, .tiles = n, .exchange_rows = 23, .clock_hz = 1e9};
    step = (ipu_profile_step){.name = "work",
        .exchange = {1, n, 0.5 * (double)n, 1, n},
        .compute = {1, n, 0.5 * (double)n, 1, n},
        .tile_exchange_cycles = cycles,
        .tile_compute_cycles = cycles,
        .exchange_phase_cycles = n > LINKS ? n : LINKS,
        .external_cycles = LINKS,
        .link_bytes = load,
        .link_cycles = load};
    profile = (ipu_profile){.steps = &step,
        .n_steps = 1,
        .links = links,
        .n_links = LINKS,
        .n_tiles = n,
        .memory = memory,
        .memory_max = 600,
        .memory_median = 300,
        .memory_there = 1000,
        .fullest_tile = n - 1,
        .fullest = memory[n - 1]};
    return (ipu_profiled){.title = "Invented", .profile = &profile, .target = &target};
}

/* One chip of 1472 tiles: 64 columns of 21 pixels, 23 rows of 16, above for the exchange and below for computing. */
Test(profile_picture, every_tile_stands_in_its_place_on_the_die_in_the_colour_of_its_cycles)
{
    const ipu_profiled of = invent(1, 1472);
    ok(mt_profile_picture_tiles(&of, path));
    unsigned char *pixels = read_pixels(path);
    for (size_t t = 0; t < 1472; t++) {
        const size_t turn = t / 46, row = turn % 2 ? 22 - t % 46 / 2 : t % 46 / 2,
                     column = 4 * (turn / 2) + turn % 2 + 2 * (t % 2);
        const size_t x = 60 + 21 * column + 10, y = 16 * row + 8;
        cr_assert(has_shade(pixel_at(pixels, x, 130 + y), (double)(t + 1) / 1472), "exchange of tile %zu", t);
        cr_assert(has_shade(pixel_at(pixels, x, 575 + y), (double)(t + 1) / 1472), "compute of tile %zu", t);
    }
    cr_assert(has_shade(pixel_at(pixels, 60 + 21 * 63 + 10, 138), 1),
        "the slowest: last column, up to the first row");
    cr_assert(!has_shade(pixel_at(pixels, 60 + 21 * 62 + 10, 138 + 16 * 8), 1));
    free(pixels);
}

/* A stack of 600 bytes below a line at 1000: from the axis at 830 up to 830 - 0.6 * 700. */
Test(profile_picture, the_fullest_tile_stands_at_the_right_and_the_line_at_what_is_there)
{
    const ipu_profiled of = invent(1, 100);
    ok(mt_profile_picture_memory(&of, path));
    unsigned char *pixels = read_pixels(path);
    const unsigned char *in = pixel_at(pixels, 1539, 829);
    size_t height[2] = {0, 0};
    for (size_t y = 131; y < 830; y++)
        for (size_t k = 0; k < 2; k++) height[k] += memcmp(pixel_at(pixels, k ? 1539 : 152, y), in, 3) == 0;
    cr_assert_eq(height[1], 420);
    cr_assert_eq(height[0], 4, "6 bytes");
    cr_assert_lt(pixel_at(pixels, 800, 130)[0], 60, "a dark line");
    free(pixels);
}

/* 2340 to 2486 cycles, a spread of 6 %: it looks like 6 % of the colours, not like all. */
Test(profile_picture, cycles_that_are_near_one_another_look_so)
{
    const ipu_profiled of = invent(1, 1472);
    static uint64_t cycles[1472];
    for (size_t t = 0; t < 1472; t++) cycles[t] = 2340 + t / 10;
    of.profile->steps[0].tile_compute_cycles = cycles;
    of.profile->steps[0].compute = (ipu_spread){2340, 2487, 2413.5, 42, 1472};
    ok(mt_profile_picture_tiles(&of, path));
    unsigned char *pixels = read_pixels(path);
    for (size_t t = 0; t < 46; t += 2) { /* the first tiles go up the first column */
        const size_t y = 575 + 16 * (t / 2) + 8;
        cr_assert(has_shade(pixel_at(pixels, 60 + 10, y), (double)cycles[t] / 2487), "tile %zu", t);
    }
    cr_assert(has_shade(pixel_at(pixels, 60 + 21 * 63 + 10, 583), 1));
    free(pixels);
}

/* Busy for 70 cycles of a phase of 437, 16 %; and the next for 69. The grey behind them is the phase. */
Test(profile_picture, bars_of_links_are_shares_of_the_phase)
{
    const ipu_profiled of = invent(2, 2); /* more links than are shown */
    size_t width[2] = {0, 0}, phase = 0;
    of.profile->steps[0].exchange_phase_cycles = 437;
    ok(mt_profile_picture_links(&of, path));
    unsigned char *pixels = read_pixels(path);
    for (size_t x = 300; x < 1160; x++) {
        const unsigned char *in = pixel_at(pixels, x, 133);
        width[0] += has_shade(in, 70.0 / 437);
        width[1] += has_shade(pixel_at(pixels, x, 133 + 13), 69.0 / 437); /* 60 links from 130 to 945 */
        phase += in[0] == in[1] && in[1] == in[2] && in[0] < 255;
    }
    cr_assert_eq(width[0], 138, "860 * 70 / 437, not %zu", width[0]);
    cr_assert_eq(width[1], 136, "860 * 69 / 437, not %zu", width[1]);
    cr_assert_eq(phase, 860 - 138);
    free(pixels);
}

/* Of a machine on which that one never ran there is another step, the first, in which nothing crosses. */
Test(profile_picture, links_are_those_of_a_step_in_which_something_crosses)
{
    ipu_profiled of = invent(2, 2);
    ipu_profile_step steps[2] = {of.profile->steps[0], of.profile->steps[0]};
    ipu_profile profile = *of.profile;
    steps[0].link_bytes = steps[0].link_cycles = NULL, steps[0].external_cycles = 0, steps[0].runs = 1;
    ok(mt_profile_picture_links(&of, other));
    profile.steps = steps, profile.n_steps = 2;
    of.profile = &profile, of.time_steps = 1;
    ok(mt_profile_picture_links(&of, path));
    assert_same_bytes(path, other);
}

Test(profile_picture, pictures_have_the_same_bytes_each_time_and_machines_of_any_size_are_drawn)
{
    static const size_t sizes[][2] = {{1, 1}, {1, 3}, {2, 40000}, {4096, 2}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const ipu_profiled of = invent(sizes[k][0], sizes[k][1]);
        ok(mt_profile_picture_tiles(&of, path));
        ok(mt_profile_picture_tiles(&of, other));
        assert_same_bytes(path, other);
        ok(mt_profile_picture_memory(&of, path));
        ok(mt_profile_picture_memory(&of, other));
        assert_same_bytes(path, other);
    }
}
