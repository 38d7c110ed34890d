#include <criterion/criterion.h>

#include "ipu/schedule.h"
#include "tests/ipu/test_ring.h"

enum { SETUP = 160, FIXED = 10 };

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(schedule, .fini = teardown);

static uint64_t state;

static size_t below(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

static ipu_schedule checked(const ipu_target *target, const ipu_fragment *fragments, size_t n)
{
    ipu_schedule s;
    cr_assert_eq(ipu_schedule_make(&arena, target, fragments, n, &s), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_schedule_check(target, fragments, n, &s), MT_OK, "%s", mt_message());
    cr_assert_leq(s.bound, s.cycles);
    size_t taken = 0;
    for (size_t i = 0; i < n; i++) taken += fragments[i].words;
    cr_assert_leq(s.words_sent, taken, "no word leaves that nobody takes");
    for (size_t t = 0; t < target->tiles; t++)
        cr_assert_leq(s.tile_bound[t], s.tile_cycles[t], "tile %zu", t);
    return s;
}

static void expect_fault(const ipu_target *target, const ipu_fragment *fragments, size_t n,
    const ipu_schedule *s, const char *message)
{
    cr_expect_eq(ipu_schedule_check(target, fragments, n, s), MT_INPUT, "%s", message);
    cr_expect_str_eq(mt_message(), message);
}

/* Pairs go up the 23 rows of one column, tiles 0 to 45, and down those of the next, 46 to 91. */
Test(schedule, rows_of_a_chip_are_those_of_its_numbering)
{
    static const size_t rows[][2] = {{0, 0}, {1, 0}, {2, 1}, {45, 22}, {46, 22}, {48, 21}, {91, 0}, {92, 0},
        {94, 1}, {1471, 0}, {1426, 22}};
    const ipu_target one = ring_target(1472);
    ipu_target several = ring_target(3 * 1472);
    several.ipus = 3;
    size_t on_row[23] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(ipu_target_row(&one, rows[i][0]), rows[i][1], "tile %zu", rows[i][0]);
        cr_expect_eq(ipu_target_row(&several, 2 * 1472 + rows[i][0]), rows[i][1], "tile %zu", rows[i][0]);
    }
    for (size_t t = 0; t < 1472; t++) on_row[ipu_target_row(&one, t)]++;
    for (size_t r = 0; r < 23; r++) cr_expect_eq(on_row[r], 64);
}

Test(schedule, one_transfer_takes_170_and_its_words_and_two_cycles_a_row)
{
    static const struct {
        uint32_t receiver;
        size_t row;
    } cases[] = {{1, 0}, {2, 1}, {44, 22}, {47, 22}, {49, 21}};
    const ipu_target target = ring_target(1472);
    for (size_t i = 0; i < 5; i++) {
        for (size_t words = 1; words <= 10000; words *= 100) {
            const ipu_fragment f = {700, cases[i].receiver, 5, words};
            const ipu_schedule s = checked(&target, &f, 1);
            cr_expect_eq(s.cycles, 170 + 2 * cases[i].row + words);
            cr_expect_eq(s.bound, s.cycles);
            cr_expect_eq(s.tile_cycles[700], 170 + words, "the last word has left");
            cr_expect_eq(s.words_sent, words);
        }
    }
}

Test(schedule, an_empty_phase_costs_nothing)
{
    const ipu_target target = ring_target(3);
    const ipu_schedule s = checked(&target, NULL, 0);
    cr_expect_eq(s.cycles, 0);
    cr_expect_eq(s.bound, 0);
    cr_expect_eq(s.n_sends, 0);
}

/* Two windows of one run: words 10 to 29, and 20 to 39, whose receiver listens 10 cycles later. */
Test(schedule, overlapping_windows_leave_once)
{
    const ipu_target target = ring_target(3);
    const ipu_fragment f[] = {{0, 1, 10, 20}, {0, 2, 20, 20}};
    const ipu_schedule s = checked(&target, f, 2);
    cr_expect_eq(s.n_sends, 1);
    cr_expect_eq(s.words_sent, 30);
    cr_expect_eq(s.tile_cycles[0], 170 + 30);
    cr_expect_eq(s.tile_cycles[1], 170 + 20);
    cr_expect_eq(s.tile_cycles[2], 170 + 30);
    cr_expect_eq(s.cycles, s.bound);
}

Test(schedule, a_broadcast_costs_its_sender_one_send)
{
    const ipu_target target = ring_target(1472);
    static ipu_fragment f[1471];
    for (uint32_t t = 1; t < 1472; t++) f[t - 1] = (ipu_fragment){0, t, 0, 1000};
    const ipu_schedule s = checked(&target, f, 1471);
    cr_expect_eq(s.n_sends, 1);
    cr_expect_eq(s.cycles, 170 + 2 * 22 + 1000);
}

/* Four fragments of 10 words: each has its set-up, whoever sends them and however many. */
Test(schedule, every_fragment_pays_its_set_up)
{
    const ipu_target target = ring_target(5);
    const ipu_fragment f[] = {{1, 0, 0, 10}, {2, 0, 0, 10}, {3, 0, 0, 10}, {3, 0, 10, 10}};
    const ipu_schedule s = checked(&target, f, 4);
    cr_expect_eq(s.cycles, FIXED + 4 * (SETUP + 10));
    cr_expect_eq(s.cycles, s.bound);
}

/* Tile 0 has 64 words for each of 4 tiles, which are ready at once: the last waits for the other 3. */
Test(schedule, a_sender_sends_one_after_the_other)
{
    const ipu_target target = ring_target(5);
    const ipu_fragment f[] = {{0, 1, 0, 64}, {0, 2, 64, 64}, {0, 3, 128, 64}, {0, 4, 192, 64}};
    const ipu_schedule s = checked(&target, f, 4);
    cr_expect_eq(s.cycles, 170 + 4 * 64);
    cr_expect_eq(s.cycles, s.bound);
}

/* Tile 0 has 5,000 words for tiles 1 to 4, tile 7 for 3 to 5, and tile 1 needs 9,000 others: 10 + 5,160 + 9,160 cycles,
 * the bound. Tiles 1 to 4 take tile 0's words first, it has most to send; 3 and 4 have tile 7's from cycle 5,330 on.
 * Tile 5 could have these at once, but waits, for nothing is lost. With one word more to take it spends on that only a
 * part of the 14,330 - 5,331 cycles that it could be idle, and tile 7 sends twice. */
Test(schedule, a_tile_waits_where_nothing_is_lost)
{
    const ipu_target target = ring_target(8);
    const ipu_fragment f[] = {{0, 1, 0, 5000}, {0, 2, 0, 5000}, {0, 3, 0, 5000}, {0, 4, 0, 5000},
        {7, 3, 0, 5000}, {7, 4, 0, 5000}, {7, 5, 0, 5000}, {2, 1, 0, 9000}, {6, 5, 0, 1}};
    const ipu_schedule s = checked(&target, f, 8);
    cr_expect_eq(s.bound, 10 + 5160 + 9160);
    cr_expect_eq(s.cycles, s.bound);
    cr_expect_eq(s.words_sent, 2 * 5000 + 9000);
    cr_expect_eq(s.tile_cycles[5], 5330 + 5000);
    const ipu_schedule more = checked(&target, f, 9);
    cr_expect_eq(more.cycles, more.bound);
    cr_expect_eq(more.words_sent, 3 * 5000 + 9000 + 1);
    cr_expect_eq(more.tile_cycles[5], 10 + 5160 + 161);
}

static size_t random_fragments(size_t n_tiles, size_t n, ipu_fragment *f)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t source = (uint32_t)below(n_tiles);
        const uint32_t receiver = (uint32_t)((source + 1 + below(n_tiles - 1)) % n_tiles);
        f[i] = (ipu_fragment){source, receiver, below(100), 1 + below(i % 7 == 0 ? 400 : 20)};
    }
    return n;
}

Test(schedule, random_fragments_give_schedules_that_run)
{
    static ipu_fragment f[400];
    for (state = 1; state < 200; state++) {
        const uint64_t seed = state;
        ipu_target target = ring_target(2 + below(150));
        target.exchange_fragment_cycles = seed % 3 == 0 ? 0 : below(200);
        target.exchange_row_cycles = below(9);
        target.exchange_row_tiles = 1 + below(64);
        const size_t n = random_fragments(target.tiles, 1 + below(400), f);
        (void)checked(&target, f, n);
        mt_arena_free(&arena);
        state = seed;
    }
}

Test(schedule, the_same_fragments_give_the_same_schedule)
{
    const ipu_target target = ring_target(20);
    static ipu_fragment f[300];
    state = 7;
    (void)random_fragments(20, 300, f);
    const ipu_schedule a = checked(&target, f, 300);
    const ipu_schedule b = checked(&target, f, 300);
    cr_assert_eq(a.n_sends, b.n_sends);
    for (size_t i = 0; i < a.n_sends; i++) {
        cr_expect_eq(a.sends[i].cycle, b.sends[i].cycle);
        cr_expect_eq(a.sends[i].from, b.sends[i].from);
    }
    for (size_t i = 0; i < 300; i++) cr_expect_eq(a.arrivals[i].cycle, b.arrivals[i].cycle);
}

/* What the faults below are planted in: tile 0 gives 4 words each to 1 and 2, tile 3 gives 4 to 1. */
static const ipu_fragment plain[] = {{0, 1, 0, 4}, {0, 2, 4, 4}, {3, 1, 0, 4}};
static ipu_send plain_sends[3];
static ipu_arrival plain_arrivals[4];

static ipu_schedule plain_schedule(void)
{
    memcpy(plain_sends, (ipu_send[]){{0, 0, 4, 170}, {0, 4, 4, 174}, {3, 0, 4, 334}}, sizeof plain_sends);
    memcpy(plain_arrivals, (ipu_arrival[]){{0, 170}, {1, 174}, {2, 334}, {2, 600}}, sizeof plain_arrivals);
    return (ipu_schedule){.sends = plain_sends, .n_sends = 3, .arrivals = plain_arrivals, .n_arrivals = 3};
}

Test(schedule, planted_faults_are_named_with_tile_and_cycle)
{
    const ipu_target target = ring_target(4);
    ipu_schedule s = plain_schedule();
    cr_expect_eq(ipu_schedule_check(&target, plain, 3, &s), MT_OK, "%s", mt_message());
    plain_sends[1].cycle = 173;
    expect_fault(&target, plain, 3, &s, "schedule: tile 0 sends two words in cycle 173");
    s = plain_schedule();
    plain_sends[2].cycle = plain_arrivals[2].cycle = 173;
    expect_fault(&target, plain, 3, &s, "schedule: tile 1 takes two words in cycle 173");
    plain_sends[2].cycle = plain_arrivals[2].cycle = 333;
    expect_fault(&target, plain, 3, &s,
        "schedule: tile 1 takes the first word of a fragment in cycle 333; its set-up of 160 cycles begins "
        "in "
        "cycle 174");
    s = plain_schedule();
    plain_sends[0].cycle = plain_arrivals[0].cycle = 169;
    expect_fault(&target, plain, 3, &s,
        "schedule: tile 1 takes the first word of a fragment in cycle 169; its set-up of 160 cycles begins "
        "in "
        "cycle 10");
    s = plain_schedule();
    plain_sends[1].words = 3;
    expect_fault(
        &target, plain, 3, &s, "schedule: tile 2 takes word 7 of tile 0 in cycle 177, but none was sent");
    s = plain_schedule();
    plain_arrivals[1].cycle = 173;
    expect_fault(
        &target, plain, 3, &s, "schedule: tile 2 takes word 4 of tile 0 in cycle 173, but word 3 was sent");
    s = plain_schedule();
    s.n_arrivals = 2;
    expect_fault(&target, plain, 3, &s, "schedule: tile 1 takes word 0 of tile 3 in no cycle");
    s.n_arrivals = 4;
    expect_fault(&target, plain, 3, &s, "schedule: tile 1 takes word 0 of tile 3 a second time in cycle 600");
}

/* Tile 2 of 4 stands in row 1 when rows hold two tiles: what leaves in cycle 174 is there in 176. */
Test(schedule, the_check_knows_the_way)
{
    ipu_target target = ring_target(4);
    target.exchange_row_tiles = 2;
    ipu_schedule s = plain_schedule();
    expect_fault(
        &target, plain, 3, &s, "schedule: tile 2 takes word 4 of tile 0 in cycle 174, but word 2 was sent");
    plain_arrivals[1].cycle = 176;
    cr_expect_eq(ipu_schedule_check(&target, plain, 3, &s), MT_OK, "%s", mt_message());
}

static mt_status make_and_check(const ipu_target *target, const ipu_fragment *f, size_t n)
{
    ipu_schedule s;
    MT_TRY(ipu_schedule_make(&arena, target, f, n, &s));
    return ipu_schedule_check(target, f, n, &s);
}

Test(schedule, every_allocation_may_fail)
{
    const ipu_target target = ring_target(4);
    for (size_t n = 1;; n++) {
        mt_arena_fail_at(n);
        mt_status status = make_and_check(&target, plain, 3);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        if (status == MT_OK) {
            cr_assert_gt(n, 20);
            return;
        }
        cr_assert_eq(status, MT_FILE, "take %zu: %s", n, mt_message());
        cr_assert_lt(n, 100);
    }
}
