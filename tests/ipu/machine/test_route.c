#include <criterion/criterion.h>

#include <stdlib.h>

#include "ipu/machine/route.h"
#include "tests/ipu/test_ring.h"

enum { TILES = 1472 };

static size_t row_of(const ipu_target *target, size_t tile)
{
    size_t row, column;
    ipu_target_place(target, tile, &row, &column);
    return row;
}

/* A histogram of the latencies between pairs of tiles, sender first, that are `joined`. */
typedef struct counts {
    size_t of[256], n, sum;
} counts;

static counts count(bool (*joined)(size_t, size_t))
{
    const ipu_target target = ring_target(TILES);
    counts c = {0};
    for (size_t s = 0; s < TILES; s++) {
        for (size_t d = 0; d < TILES; d++) {
            if (s == d || !joined(s, d)) continue;
            const size_t cycles = ipu_route_latency(&target, s, d);
            cr_assert_lt(cycles, 256);
            c.of[cycles]++;
            c.sum += cycles;
            c.n++;
        }
    }
    return c;
}

/* Returns the smallest latency such that more than a share of all are not above it. */
static size_t at_share(const counts *c, double share)
{
    size_t below = 0, value = 0;
    while ((double)(below += c->of[value]) <= share * (double)c->n) value++;
    return value;
}

static bool any(size_t s, size_t d) { return s != d; }
static bool neighbours(size_t s, size_t d) { return s + 1 == d || d + 1 == s; }
static bool one_column(size_t s, size_t d) { return s / 92 == d / 92; } /* 23 rows of 4 */

/* The expected figures result from the recovered formula, from the send to the memory of the receiver. */
Test(route, latencies_match_the_published_reverse_engineered_exchange)
{
    const counts all = count(any);
    cr_expect_eq(all.n, TILES * (TILES - 1));
    cr_expect_eq(at_share(&all, 0), 18);
    cr_expect_eq(at_share(&all, 0.05), 31);
    cr_expect_eq(at_share(&all, 0.5), 62);
    cr_expect_eq(at_share(&all, 0.95), 108);
    cr_expect_eq(at_share(&all, 1 - 1e-9), 164);
    cr_expect_eq(all.sum, 138878048, "mean 64.14");
    const counts column = count(one_column);
    cr_expect_eq(at_share(&column, 0), 23);
    cr_expect_eq(at_share(&column, 1 - 1e-9), 71);
    cr_expect_float_eq((double)column.sum / (double)column.n, 47.016, 0.001);
    const counts next = count(neighbours);
    cr_expect_eq(at_share(&next, 0), 18);
    cr_expect_eq(at_share(&next, 1 - 1e-9), 71);
    cr_expect_float_eq((double)next.sum / (double)next.n, 45.553, 0.001);
}

/* Four programs for a C600 that the same source uses to check its formula: the sender waits 112 - mux cycles. From the multiplexer to
 * memory it takes 52 cycles and 2 per row. */
Test(route, latencies_match_known_programs)
{
    static const struct {
        size_t from, to;
        int waits;
    } programs[] = {{0, 1286, 0x86 + 1}, {736, 100, 0x3e + 1}, {1286, 1471, 0x7d + 1}, {32, 0, 0x6c + 1}};
    const ipu_target target = ring_target(TILES);
    for (size_t i = 0; i < 4; i++) {
        const size_t to = programs[i].to;
        const int mux = 112 - programs[i].waits;
        cr_expect_eq((int)ipu_route_latency(&target, programs[i].from, to),
            mux + 52 + 2 * (int)row_of(&target, to), "%zu to %zu", programs[i].from, to);
    }
}

/* Tile 700 is in pair 350 = 15 x 23 + 5, so in the downward half of column 7: in its far pair and in row 22 - 5. To tile 1, at the near
 * inlet of column 0: 18 + 4 + 2 x 17 + 5 x 7 + |2 - (42 + 6)|. */
Test(route, a_latency_matches_a_hand_calculation)
{
    const ipu_target target = ring_target(TILES);
    cr_expect_eq(row_of(&target, 700), 17);
    cr_expect_eq(ipu_route_latency(&target, 700, 1), 18 + 4 + 34 + 35 + 46);
    cr_expect_eq(ipu_route_latency(&target, 700, 0), 18 + 4 + 34 + 35 + 47);
    cr_expect_eq(ipu_route_paired_latency(&target, 700, 1), 18 + 4 + 34 + 35 + 47);
    cr_expect_eq(ipu_route_paired_latency(&target, 700, 0), 18 + 4 + 34 + 35 + 47);
}

Test(route, without_columns_the_latency_depends_on_the_row_of_the_receiver)
{
    ipu_target target = ring_target(TILES);
    target.exchange_columns = 0;
    for (size_t d = 0; d < TILES; d++)
        cr_assert_eq(ipu_route_latency(&target, 700, d), 2 * row_of(&target, d));
}

Test(route, latencies_are_equal_on_all_chips)
{
    const ipu_target one = ring_target(TILES);
    ipu_target two = one;
    two.ipus = 2;
    two.tiles = (size_t)2 * TILES;
    cr_expect_eq(ipu_route_latency(&two, TILES + 700, TILES + 3), ipu_route_latency(&one, 700, 3));
    cr_expect_eq(ipu_route_latency(&two, TILES + 700, 3), ipu_route_latency(&one, 700, 3));
}
