/* Pictures of networks. */
#include "tests/app/draw/pixels.h"

#include <unistd.h>

#include "app/draw/chart/network_picture.h"
#include "app/draw/scene/picture.h"
#include "tests/answers.h"

static mt_arena arena;
static char folder[64], path[128], other[128];

static void enter(void)
{
    strcpy(folder, "/tmp/test_network.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/network.png", folder);
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

TestSuite(network_picture, .init = enter, .fini = leave);

/* The network of n chips, with these bytes over every link. */
static mt_network_picture picture_of(ipu_shape shape, size_t n, uint64_t bytes)
{
    const ipu_links links = {.shape = shape,
        .direct = 4,
        .cross = 2,
        .rail = 2,
        .lane_bits_per_second = 8e9,
        .efficiency = 1,
        .buffers = 1};
    ipu_topology *t;
    ok(ipu_topology_of(&arena, &links, n, &t));
    uint64_t *load = mt_arena_alloc(&arena, t->n_links, sizeof *load);
    for (uint32_t l = 0; l < t->n_links; l++) load[l] = bytes;
    return (mt_network_picture){.title = "T", .caption = "C", .network = t, .load = load};
}

static unsigned char *drawn(const mt_network_picture *p)
{
    ok(mt_network_picture_write(path, p));
    return read_pixels(path);
}

/* Pixels between two heights that have exactly this colour. */
static size_t count(const unsigned char *pixels, const double linear[3], size_t top, size_t bottom)
{
    size_t n = 0;
    for (size_t y = top; y < bottom; y++)
        for (size_t x = 0; x < MT_PAGE_WIDTH; x++) {
            const unsigned char *p = pixel_at(pixels, x, y);
            bool same = true;
            for (int k = 0; k < 3; k++)
                same &= abs((int)p[k] - (int)lround(255 * srgb_of_linear(linear[k]))) <= 1;
            n += same;
        }
    return n;
}

/* The legend, below 880, has all colours. Lanes count: with as many bytes everywhere a link of four is half as busy as one of two. */
Test(network_picture, the_busiest_links_are_darkest_and_idle_ones_have_no_colour)
{
    enum { TOP = 110, LEGEND = 880 };
    double dark[3], half[3];
    mt_picture_colour(0, dark);
    mt_picture_colour(0.5, half);
    mt_network_picture p = picture_of(IPU_LADDER, 8, 0);
    unsigned char *idle = drawn(&p);
    ((uint64_t *)p.load)[16] = 700; /* a rail's */
    unsigned char *one = drawn(&p);
    ((uint64_t *)p.load)[0] = 700; /* a direct one */
    unsigned char *two = drawn(&p);
    cr_expect_eq(count(idle, dark, TOP, LEGEND), 0);
    cr_expect_gt(count(one, dark, TOP, LEGEND), 300);
    cr_expect_lt(count(one, half, TOP, LEGEND), 20);
    cr_expect_eq(count(two, dark, TOP, LEGEND), count(one, dark, TOP, LEGEND));
    cr_expect_gt(count(two, half, TOP, LEGEND), 300);
    free(idle), free(one), free(two);
}

/* Ladders and tori of all sizes: nothing leaves the page's margins, nothing is drawn over the legend, the same bytes each time. */
Test(network_picture, all_sizes_stay_on_the_page_and_are_the_same_each_time)
{
    for (int shape = IPU_LADDER; shape <= IPU_TORUS; shape++)
        for (size_t n = 1; n <= 64; n = n < 8 ? n + (n == 1 ? 1 : 2) : 2 * n) {
            const mt_network_picture p = picture_of((ipu_shape)shape, n, 1234567890);
            unsigned char *pixels = drawn(&p);
            for (size_t y = 110; y < 840; y++)
                for (size_t x = 0; x < MT_PAGE_WIDTH; x++)
                    if (x < 15 || x >= MT_PAGE_WIDTH - 15 || y > 830)
                        cr_assert_eq(pixel_at(pixels, x, y)[1], 255, "%zu chips: %zu, %zu", n, x, y);
            free(pixels);
        }
    const mt_network_picture p = picture_of(IPU_TORUS, 16, 7);
    ok(mt_network_picture_write(path, &p));
    ok(mt_network_picture_write(other, &p));
    assert_same_bytes(path, other);
}

Test(network_picture, what_cannot_be_drawn_is_refused)
{
    mt_network_picture p = picture_of(IPU_LADDER, 66, 1);
    cr_expect_eq(mt_network_picture_write(path, &p), MT_INPUT);
    assert_message("a picture of 66 IPUs; allowed: at most 64");
    p = picture_of(IPU_LADDER, 2, 1);
    p.title = "\xff";
    cr_expect_eq(mt_network_picture_write(path, &p), MT_INPUT);
    cr_expect_eq(files_in(folder), 0);
}
