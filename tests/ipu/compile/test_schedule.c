#include <criterion/criterion.h>

#include "ipu/compile/schedule.h"
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
    cr_assert_leq(s.words_sent, taken, "every word that leaves is received");
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

Test(schedule, one_transfer_takes_170_cycles_plus_its_words_plus_two_per_row)
{
    static const struct {
        uint32_t receiver;
        size_t row;
    } cases[] = {{1, 0}, {2, 1}, {44, 22}, {47, 22}, {49, 21}};
    const ipu_target target = ring_target(1472);
    for (size_t i = 0; i < 5; i++) {
        for (size_t words = 1; words <= 10000; words *= 100) {
            const ipu_fragment f = {700, cases[i].receiver, 5, words, 0};
            const ipu_schedule s = checked(&target, &f, 1);
            const size_t way = ipu_route_latency(&target, 700, cases[i].receiver);
            cr_expect_eq(s.cycles, 170 + 2 * cases[i].row + words);
            cr_expect_eq(s.bound, s.cycles);
            cr_expect_eq(s.tile_cycles[700], 170 + 2 * cases[i].row - way + words, "the last word has left");
            cr_expect_eq(s.words_sent, words);
        }
    }
}

/* The longest distance of all is 164 cycles. Its destination is in row 0, and its words leave in cycle 6. */
Test(schedule, tile_positions_delay_no_single_transfer)
{
    const ipu_target target = ring_target(1472);
    uint32_t from = 0, to = 1;
    for (uint32_t s = 0; s < 1472; s++)
        for (uint32_t d = 0; d < 1472; d++)
            if (s != d && ipu_route_latency(&target, s, d) > ipu_route_latency(&target, from, to))
                from = s, to = d;
    cr_expect_eq(ipu_route_latency(&target, from, to), 164);
    for (uint32_t d = 0; d < 1472; d++) {
        const ipu_fragment f = {from == d ? 0 : from, d == 0 && from == d ? 1 : d, 0, 3, 0};
        size_t row, column;
        ipu_target_place(&target, f.receiver, &row, &column);
        ipu_schedule s;
        cr_assert_eq(ipu_schedule_make(&arena, &target, &f, 1, &s), MT_OK);
        cr_assert_eq(s.cycles, 170 + 2 * row + 3, "%u to %u", f.source, f.receiver);
        if (d == to) cr_expect_eq(s.sends[0].cycle, 170 + 2 * row - 164);
        mt_arena_free(&arena);
    }
}

/* With a set-up of 5 cycles tile 0 could not send in time: a word sent in cycle 0 arrives at tile 1 in cycle 24. */
Test(schedule, tile_positions_delay_words_that_cannot_be_sent_in_time)
{
    ipu_target target = ring_target(8);
    target.exchange_fragment_cycles = 5;
    const ipu_fragment f[] = {{0, 1, 0, 10, 0}, {4, 0, 0, 10, 0}};
    const ipu_schedule s = checked(&target, f, 2);
    cr_expect_eq(s.tile_cycles[1], 24 + 10);
    cr_expect_eq(s.tile_cycles[0], 32 + 10, "from the next column outwards");
    target.exchange_columns = 0;
    cr_expect_eq(checked(&target, f, 2).cycles, 10 + 5 + 10, "if only rows are known");
}

Test(schedule, an_empty_phase_costs_nothing)
{
    const ipu_target target = ring_target(3);
    const ipu_schedule s = checked(&target, NULL, 0);
    cr_expect_eq(s.cycles, 0);
    cr_expect_eq(s.bound, 0);
    cr_expect_eq(s.n_sends, 0);
}

/* Two windows of one run: words 10 to 29, and words 20 to 39, whose receiver listens 10 cycles later. A word takes 24 cycles to tile 1
 * and 27 to tile 2. Tile 1 receives word 10, sent in cycle 146, in cycle 170. Tile 2 is ready at the same time and receives word 20 in
 * cycle 156 + 27. */
Test(schedule, overlapping_ranges_are_sent_once)
{
    const ipu_target target = ring_target(3);
    const ipu_fragment f[] = {{0, 1, 10, 20, 0}, {0, 2, 20, 20, 0}};
    const ipu_schedule s = checked(&target, f, 2);
    cr_expect_eq(s.n_sends, 1);
    cr_expect_eq(s.words_sent, 30);
    cr_expect_eq(s.tile_cycles[0], 146 + 30);
    cr_expect_eq(s.tile_cycles[1], 170 + 20);
    cr_expect_eq(s.tile_cycles[2], 183 + 20);
}

/* Tile 44 is ready in cycle 170 + 2 x 22 and is 23 cycles away, the nearest of its row, so tile 0 sends from cycle 191 on. The longest
 * path leads to the middle of the right half, 7 columns from the edge: 18 + 4 + 7 x (6 - 3) + 5 = 48. */
Test(schedule, a_broadcast_costs_its_sender_one_send)
{
    const ipu_target target = ring_target(1472);
    static ipu_fragment f[1471];
    for (uint32_t t = 1; t < 1472; t++) f[t - 1] = (ipu_fragment){0, t, 0, 1000, 0};
    const ipu_schedule s = checked(&target, f, 1471);
    cr_expect_eq(s.n_sends, 1);
    cr_expect_eq(s.sends[0].cycle, 191);
    cr_expect_eq(s.cycles, 191 + 48 + 1000);
}

/* Four fragments of 10 words, each set up during the words before it, for any number of senders: the first words are 160 cycles apart.
 * Of 200 words, set-ups take none. */
Test(schedule, a_fragment_takes_its_setup_or_its_words)
{
    const ipu_target target = ring_target(5);
    const ipu_fragment f[] = {{1, 0, 0, 10, 0}, {2, 0, 0, 10, 0}, {3, 0, 0, 10, 0}, {3, 0, 10, 10, 0}};
    const ipu_schedule s = checked(&target, f, 4);
    cr_expect_eq(s.cycles, FIXED + 4 * SETUP + 10);
    cr_expect_eq(s.cycles, s.bound);
    const ipu_fragment longer[] = {{1, 0, 0, 200, 0}, {2, 0, 0, 200, 0}, {3, 0, 0, 10, 0}};
    cr_expect_eq(checked(&target, longer, 3).cycles, FIXED + SETUP + 200 + 200 + 10);
}

/* Tile 0 has 64 words for each of 4 tiles, which are ready at once and are 24, 27, 26 and 24 cycles away. It sends to tile 1 in cycle
 * 146 and to the others as soon as it is free, to the last in cycle 338. It could have started with tile 2 in cycle 143. */
Test(schedule, a_sender_sends_messages_sequentially)
{
    const ipu_target target = ring_target(5);
    const ipu_fragment f[] = {{0, 1, 0, 64, 0}, {0, 2, 64, 64, 0}, {0, 3, 128, 64, 0}, {0, 4, 192, 64, 0}};
    const ipu_schedule s = checked(&target, f, 4);
    cr_expect_eq(s.tile_cycles[0], 146 + 4 * 64);
    cr_expect_eq(s.cycles, 146 + 3 * 64 + 24 + 64);
    cr_expect_eq(s.bound, 143 + 4 * 64 + 24);
}

/* Tile 0 has 5,000 words for tiles 1 to 4, tile 7 has words for tiles 3 to 5, and tile 1 needs 9,000 others: 10 + 160 + 5,000 +
 * 9,000 cycles, the bound. Tiles 1 to 4 take the words of tile 0 first, since it has the most to send: from cycle 146 on. Tile
 * 3, 26 cycles away, is ready again in 5,172 and tile 4, 24 cycles away, in 5,170. Tile 7 is 35 cycles from tile 3 and 27 from
 * tile 4, so tile 4 can take its words from 5,143 on. Tile 5, 26 cycles away, could take them at once; it waits, since this
 * does not delay the end. With one word more to take it waits only a part of the 14,170 - 5,171 cycles of possible idle time,
 * and tile 7 sends twice. */
Test(schedule, a_receiver_waits_to_share_a_send_if_no_time_is_lost)
{
    const ipu_target target = ring_target(8);
    const ipu_fragment f[] = {{0, 1, 0, 5000, 0}, {0, 2, 0, 5000, 0}, {0, 3, 0, 5000, 0}, {0, 4, 0, 5000, 0},
        {7, 3, 0, 5000, 0}, {7, 4, 0, 5000, 0}, {7, 5, 0, 5000, 0}, {2, 1, 0, 9000, 0}, {6, 5, 0, 1, 0}};
    const ipu_schedule s = checked(&target, f, 8);
    cr_expect_eq(s.bound, 10 + 160 + 5000 + 9000);
    cr_expect_eq(s.cycles, s.bound);
    cr_expect_eq(s.words_sent, 2 * 5000 + 9000);
    cr_expect_eq(s.tile_cycles[5], 5143 + 26 + 5000);
    const ipu_schedule more = checked(&target, f, 9);
    cr_expect_eq(more.cycles, more.bound);
    cr_expect_eq(more.words_sent, 3 * 5000 + 9000 + 1);
    cr_expect_eq(more.tile_cycles[5], 10 + 160 + 5000 + 1);
}

/* ---- single words ---- */

/* Adds a word from every tile to every other one. */
static size_t transpose(uint32_t tiles, ipu_fragment *f)
{
    size_t n = 0;
    for (uint32_t s = 0; s < tiles; s++)
        for (uint32_t r = 0; r < tiles; r++)
            if (s != r) f[n++] = (ipu_fragment){s, r, r, 1, s};
    return n;
}

/* Every tile of a die of 184 sends a word to every other one. A set-up of two cycles leaves every tile free to send in every other
 * cycle, and the exchange is as short as its bound; if all receivers began with the same senders, it would take 1.2 times as many
 * cycles. A set-up of one leaves no cycle free, and the words of a tile cannot arrive in every cycle, as their ways differ. */
Test(schedule, receivers_of_a_transpose_begin_with_different_senders)
{
    enum { TILES = 184 };
    static ipu_fragment f[TILES * TILES];
    ipu_target target = ring_target(TILES);
    const size_t n = transpose(TILES, f);
    target.exchange_fixed_cycles = 168;
    target.exchange_fragment_cycles = 2;
    ipu_schedule s = checked(&target, f, n);
    cr_expect_leq(s.cycles, s.bound * 105 / 100, "%ju of %ju", (uintmax_t)s.cycles, (uintmax_t)s.bound);
    target.exchange_fragment_cycles = 1;
    s = checked(&target, f, n);
    cr_expect_leq(s.cycles, s.bound * 14 / 10, "%ju of %ju", (uintmax_t)s.cycles, (uintmax_t)s.bound);
}

/* One word from each of 1,471 tiles to tile 0, one in each cycle from the set-up on; and back. */
Test(schedule, single_words_are_gathered_and_scattered_one_in_each_cycle)
{
    static ipu_fragment f[1471];
    ipu_target target = ring_target(1472);
    target.exchange_fixed_cycles = 169;
    target.exchange_fragment_cycles = 1;
    for (uint32_t t = 1; t < 1472; t++) f[t - 1] = (ipu_fragment){t, 0, 0, 1, t};
    cr_expect_eq(checked(&target, f, 1471).tile_cycles[0], 169 + 1 + 1471);
    for (uint32_t t = 1; t < 1472; t++) f[t - 1] = (ipu_fragment){0, t, t, 1, 0};
    const ipu_schedule s = checked(&target, f, 1471);
    cr_expect_leq(s.cycles, s.bound + 10, "%ju of %ju", (uintmax_t)s.cycles, (uintmax_t)s.bound);
}

/* ---- pairs ---- */

static ipu_target paired_target(size_t tiles)
{
    ipu_target target = ring_target(tiles);
    target.exchange_paired = true;
    return target;
}

/* Tiles 2 and 3 are a pair, 27 and 26 cycles from tile 0; both receive at the time of the farther one. */
Test(schedule, a_tile_pair_receives_two_words_per_cycle)
{
    const ipu_fragment f[] = {{0, 2, 4, 200, 6}, {0, 3, 4, 200, 2}};
    ipu_target target = paired_target(4);
    ipu_schedule s = checked(&target, f, 2);
    cr_expect_eq(s.cycles, 170 + 100);
    cr_expect_eq(s.cycles, s.bound);
    cr_assert_eq(s.n_sends, 1);
    cr_expect(s.sends[0].paired);
    cr_expect_eq(s.sends[0].cycle, 170 - 27);
    cr_expect_eq(s.words_sent, 200);
    cr_expect_eq(s.tile_cycles[3], 170 + 100);
    target.exchange_paired = false;
    s = checked(&target, f, 2);
    cr_expect_eq(s.cycles, 144 + 27 + 200, "tile 3 is ready for words that leave in cycle 144");
    cr_expect_not(s.sends[0].paired);
}

Test(schedule, only_allowed_transfers_are_paired)
{
    static const ipu_fragment others[][2] = {
        {{0, 2, 4, 126, 0}, {0, 3, 4, 126, 0}}, /* too short */
        {{0, 2, 4, 201, 0}, {0, 3, 4, 201, 0}}, /* half an item */
        {{0, 2, 5, 200, 0}, {0, 3, 5, 200, 0}}, /* not aligned to two words at the sender */
        {{0, 2, 4, 200, 0}, {0, 3, 4, 200, 1}}, /* not aligned to two words at a receiver */
        {{0, 2, 4, 200, 0}, {0, 3, 6, 200, 0}}, /* different words */
        {{0, 1, 4, 200, 0}, {0, 2, 4, 200, 0}}, /* neighbours that are not a pair */
        {{0, 6, 4, 200, 0}, {0, 7, 4, 200, 0}}, /* on another chip */
        {{4, 2, 4, 200, 0}, {4, 3, 4, 200, 0}}, /* a sender without a partner */
    };
    ipu_target target = paired_target(10);
    target.ipus = 2;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const ipu_schedule s = checked(&target, others[i], 2);
        for (size_t k = 0; k < s.n_sends; k++) cr_expect_not(s.sends[k].paired, "%zu", i);
        for (size_t k = 0; k < 2; k++) cr_expect_not(s.arrivals[k].paired, "%zu", i);
    }
}

/* Tile 0 sends 2,000 items to the pair 2, 3 from cycle 143 on. Its partner, tile 1, must wait before it sends to tile 4, 24 cycles away,
 * but receives the words of tile 5 at once. */
Test(schedule, a_paired_send_occupies_the_output_of_the_partner_tile)
{
    const ipu_target target = paired_target(6);
    const ipu_fragment f[] = {{0, 2, 0, 4000, 0}, {0, 3, 0, 4000, 0}, {1, 4, 0, 1000, 0}, {5, 1, 0, 100, 0}};
    const ipu_schedule s = checked(&target, f, 4);
    cr_expect_eq(s.tile_cycles[2], 170 + 2000);
    cr_expect_eq(s.arrivals[2].cycle, 143 + 2000 + 24);
    cr_expect_eq(s.arrivals[3].cycle, 170);
    cr_expect_eq(s.cycles, 143 + 2000 + 24 + 1000);
}

/* 1,000 words from tile 1 to tile 4 leave in cycles 146 to 1,145, and only afterwards could 500 items leave tile 0: 1,146 + 27 + 500.
 * Without pairs all words have arrived after 144 + 27 + 1,000. */
Test(schedule, pairing_is_not_used_if_it_takes_longer)
{
    const ipu_target target = paired_target(6);
    const ipu_fragment f[] = {{0, 2, 0, 1000, 0}, {0, 3, 0, 1000, 0}, {1, 4, 0, 1000, 0}};
    const ipu_schedule s = checked(&target, f, 3);
    cr_expect_not(s.sends[0].paired);
    cr_expect_eq(s.cycles, 144 + 27 + 1000);
}

/* The four pairs are 27, 25, 28 and 26 cycles away: the second pair is ready for words that leave in cycle 145, and the third receives
 * them last. A ninth tile would need another 4,000 words sent to it alone; then all tiles take the words singly, from one run. */
Test(schedule, several_tile_pairs_share_one_send)
{
    const ipu_target target = paired_target(64);
    ipu_fragment f[9];
    for (uint32_t t = 0; t < 9; t++) f[t] = (ipu_fragment){0, 2 + t, 0, 4000, 0};
    ipu_schedule s = checked(&target, f, 8);
    cr_expect_eq(s.n_sends, 1);
    cr_expect(s.sends[0].paired);
    cr_expect_eq(s.cycles, 145 + 28 + 2000);
    s = checked(&target, f, 9);
    cr_expect_eq(s.n_sends, 1);
    cr_expect_not(s.sends[0].paired);
}

/* ---- at random ---- */

static size_t random_fragments(size_t n_tiles, size_t n, ipu_fragment *f)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t source = (uint32_t)below(n_tiles);
        const uint32_t receiver = (uint32_t)((source + 1 + below(n_tiles - 1)) % n_tiles);
        f[i] = (ipu_fragment){source, receiver, below(100), 1 + below(i % 7 == 0 ? 400 : 20), below(2)};
        if (i % 5 != 1) continue;
        f[i] = f[i - 1]; /* the same for its partner, in items */
        f[i].receiver ^= 1;
        if (f[i].receiver == f[i].source || f[i].receiver >= n_tiles) f[i].receiver = f[i - 1].receiver;
        f[i - 1].from = f[i].from = 2 * below(50);
        f[i - 1].words = f[i].words = 128 + 2 * below(80);
    }
    return n;
}

/* Sets a random die with places for all tiles, or a target with only the rows known. */
static void random_die(ipu_target *target)
{
    target->exchange_way_cycles = below(100);
    target->exchange_rows = 1 + below(30);
    const size_t needed = (target->tiles + 4 * target->exchange_rows - 1) / (4 * target->exchange_rows);
    target->exchange_columns = below(4) == 0 ? 0 : needed + needed % 2 + 2 * below(3);
}

Test(schedule, schedules_of_random_fragments_are_valid)
{
    static ipu_fragment f[400];
    size_t paired = 0;
    for (state = 1; state < 200; state++) {
        const uint64_t seed = state;
        ipu_target target = ring_target(2 + below(150));
        target.exchange_fragment_cycles = seed % 3 == 0 ? 0 : below(200);
        target.exchange_row_cycles = below(9);
        target.exchange_paired = seed % 2 == 0;
        random_die(&target);
        target.ipus = target.tiles % 2 == 0 && seed % 3 == 1 ? 2 : 1;
        const size_t n = random_fragments(target.tiles, 1 + below(400), f);
        const ipu_schedule s = checked(&target, f, n);
        for (size_t i = 0; i < s.n_sends; i++) paired += s.sends[i].paired;
        mt_arena_free(&arena);
        state = seed;
    }
    cr_expect_gt(paired, 100, "of %zu runs that are paired", paired);
}

Test(schedule, scheduling_is_deterministic)
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

/* The schedule in which the faults below are planted: tile 0 sends 4 words each to tiles 1 and 2, 24 and 27 cycles away; tile 3 sends 4
 * to tile 1, 26 cycles away. */
static const ipu_fragment plain[] = {{0, 1, 0, 4, 0}, {0, 2, 4, 4, 0}, {3, 1, 0, 4, 0}};
static ipu_send plain_sends[3];
static ipu_arrival plain_arrivals[4];

static ipu_schedule plain_schedule(void)
{
    memcpy(plain_sends, (ipu_send[]){{0, 0, 4, 146, false}, {0, 4, 4, 150, false}, {3, 0, 4, 304, false}},
        sizeof plain_sends);
    memcpy(plain_arrivals,
        (ipu_arrival[]){{0, 170, false}, {1, 177, false}, {2, 330, false}, {2, 600, false}},
        sizeof plain_arrivals);
    return (ipu_schedule){.sends = plain_sends, .n_sends = 3, .arrivals = plain_arrivals, .n_arrivals = 3};
}

Test(schedule, planted_faults_are_reported_with_tile_and_cycle)
{
    const ipu_target target = ring_target(4);
    ipu_schedule s = plain_schedule();
    cr_expect_eq(ipu_schedule_check(&target, plain, 3, &s), MT_OK, "%s", mt_message());
    plain_sends[1].cycle = 149;
    expect_fault(&target, plain, 3, &s, "schedule: tile 0 sends two words in cycle 149");
    s = plain_schedule();
    plain_sends[2].cycle = 173 - 26;
    plain_arrivals[2].cycle = 173;
    expect_fault(&target, plain, 3, &s, "schedule: tile 1 takes two words in cycle 173");
    plain_sends[2].cycle = 329 - 26;
    plain_arrivals[2].cycle = 329;
    expect_fault(&target, plain, 3, &s,
        "schedule: tile 1 takes the first word of a fragment in cycle 329; its set-up of 160 cycles begins "
        "in cycle 170");
    s = plain_schedule();
    plain_sends[0].cycle = 169 - 24;
    plain_arrivals[0].cycle = 169;
    expect_fault(&target, plain, 3, &s,
        "schedule: tile 1 takes the first word of a fragment in cycle 169; its set-up of 160 cycles begins "
        "in cycle 10");
    s = plain_schedule();
    plain_sends[1].words = 3;
    expect_fault(
        &target, plain, 3, &s, "schedule: tile 2 takes word 7 of tile 0 in cycle 180, but none was sent");
    s = plain_schedule();
    plain_arrivals[1].cycle = 176;
    expect_fault(
        &target, plain, 3, &s, "schedule: tile 2 takes word 4 of tile 0 in cycle 176, but word 3 was sent");
    s = plain_schedule();
    s.n_arrivals = 2;
    expect_fault(&target, plain, 3, &s, "schedule: tile 1 never takes word 0 of tile 3");
    s.n_arrivals = 4;
    expect_fault(&target, plain, 3, &s, "schedule: tile 1 takes word 0 of tile 3 a second time in cycle 600");
    s = plain_schedule();
    plain_arrivals[1].fragment = 3;
    plain_arrivals[1].cycle = 174;
    expect_fault(&target, plain, 3, &s, "schedule: fragment 3 arrives in cycle 174; there are 3 fragments");
}

/* Words 0 to 3 leave in cycles 146 to 149. A word that reaches tile 1 in cycle 170 reaches tile 2 three cycles later. With two rows,
 * tile 2 is located above tile 0, 23 cycles away. */
Test(schedule, the_check_uses_the_latency_of_every_tile_pair)
{
    ipu_target target = ring_target(4);
    const ipu_fragment f[] = {{0, 1, 0, 4, 0}, {0, 2, 0, 4, 0}};
    ipu_schedule s = plain_schedule();
    s.n_sends = 1;
    s.n_arrivals = 2;
    plain_arrivals[1].cycle = 170;
    expect_fault(
        &target, f, 2, &s, "schedule: tile 2 takes word 0 of tile 0 in cycle 170, but none was sent");
    plain_arrivals[1].cycle = 173;
    cr_expect_eq(ipu_schedule_check(&target, f, 2, &s), MT_OK, "%s", mt_message());
    target.exchange_rows = 2;
    target.exchange_fixed_cycles = 0;
    expect_fault(
        &target, f, 2, &s, "schedule: tile 2 takes word 0 of tile 0 in cycle 173, but none was sent");
}

/* Tile 0 sends 64 items to the pair 2, 3, then its partner, tile 1, sends 4 words to tile 4. */
static const ipu_fragment pairs[] = {{0, 2, 0, 128, 0}, {0, 3, 0, 128, 0}, {1, 4, 0, 4, 0}};

static ipu_schedule pair_schedule(void)
{
    memcpy(plain_sends, (ipu_send[]){{0, 0, 128, 143, true}, {1, 0, 4, 207, false}}, 2 * sizeof *plain_sends);
    memcpy(plain_arrivals, (ipu_arrival[]){{0, 170, true}, {1, 170, true}, {2, 231, false}},
        3 * sizeof *plain_arrivals);
    return (ipu_schedule){.sends = plain_sends, .n_sends = 2, .arrivals = plain_arrivals, .n_arrivals = 3};
}

Test(schedule, planted_faults_of_pairs_are_reported)
{
    ipu_target target = paired_target(5);
    ipu_fragment odd[3];
    ipu_schedule s = pair_schedule();
    cr_expect_eq(ipu_schedule_check(&target, pairs, 3, &s), MT_OK, "%s", mt_message());
    plain_sends[1].cycle = 206;
    expect_fault(
        &target, pairs, 3, &s, "schedule: tile 1 sends in cycle 206, in which its partner 0 sends paired");
    s = pair_schedule();
    plain_arrivals[1].paired = false;
    expect_fault(&target, pairs, 3, &s,
        "schedule: tile 2 takes words 0 to 128 of tile 0 paired in cycle 170, but its partner 3 does not");
    s = pair_schedule();
    plain_sends[0].paired = false;
    expect_fault(
        &target, pairs, 3, &s, "schedule: tile 2 takes word 0 of tile 0 paired in cycle 170, but it was not");
    s = pair_schedule();
    plain_arrivals[0].cycle = plain_arrivals[1].cycle = 171;
    expect_fault(
        &target, pairs, 3, &s, "schedule: tile 2 takes word 0 of tile 0 in cycle 171, but word 2 was sent");
    s = pair_schedule();
    memcpy(odd, pairs, sizeof odd);
    odd[0].to = 1;
    expect_fault(
        &target, odd, 3, &s, "schedule: tile 2 cannot take words 0 to 128 of tile 0 paired in cycle 170");
    target.exchange_paired = false;
    expect_fault(&target, pairs, 3, &s, "schedule: tile 0 cannot send words 0 to 128 paired in cycle 143");
}

static size_t bytes_of_plain(size_t tiles)
{
    const ipu_target target = ring_target(tiles);
    const size_t before = mt_arena_allocated();
    ipu_schedule s;
    cr_assert_eq(ipu_schedule_make(&arena, &target, plain, 3, &s), MT_OK, "%s", mt_message());
    return mt_arena_allocated() - before;
}

/* The number of a participant takes 4 bytes per tile; the results of each of at most four plans take 16. */
Test(schedule, memory_per_idle_tile_is_its_result_entry_only)
{
    enum { FEW = 1472, MANY = 64 * 1472, BYTES = 4 + 4 * 16 };
    cr_expect_leq(bytes_of_plain(MANY) - bytes_of_plain(FEW), (size_t)BYTES * (MANY - FEW));
}

static mt_status make_and_check(const ipu_target *target, const ipu_fragment *f, size_t n)
{
    ipu_schedule s;
    MT_TRY(ipu_schedule_make(&arena, target, f, n, &s));
    return ipu_schedule_check(target, f, n, &s);
}

Test(schedule, every_failed_allocation_is_reported)
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
        cr_assert_eq(status, MT_MEMORY, "take %zu: %s", n, mt_message());
        cr_assert_lt(n, 100);
    }
}
