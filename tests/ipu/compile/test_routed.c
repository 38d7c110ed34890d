#include <criterion/criterion.h>

#include <string.h>

#include "ipu/compile/routed.h"
#include "ipu/compile/schedule.h"
#include "tests/ipu/test_ring.h"
#include "tests/random.h"

enum { WAY = 5, HOP = 2 };

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(routed, .fini = teardown);

/* A machine with these links between tiles, which receives from cycle 1 on. */
static ipu_target machine(size_t tiles, ipu_fabric_rules fabric)
{
    ipu_target target = ring_target(tiles);
    target.fabric = fabric;
    if (fabric.hop_cycles == 0) target.fabric.hop_cycles = HOP;
    target.exchange_way_cycles = WAY;
    target.exchange_rows = target.exchange_columns = target.exchange_row_cycles = 0;
    target.exchange_fixed_cycles = 0;
    target.exchange_fragment_cycles = 1;
    return target;
}

static ipu_target mesh(size_t width, size_t height)
{
    return machine(
        width * height, (ipu_fabric_rules){.kind = IPU_MESH, .width = width, .words_per_cycle = 1});
}

static ipu_schedule checked(const ipu_target *target, const ipu_fragment *fragments, size_t n)
{
    ipu_schedule s;
    cr_assert_eq(ipu_schedule_make(&arena, target, fragments, n, &s), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_schedule_check(target, fragments, n, &s), MT_OK, "%s", mt_message());
    cr_assert_leq(s.bound, s.cycles);
    for (size_t t = 0; t < target->tiles; t++)
        cr_assert_leq(s.tile_bound[t], s.tile_cycles[t], "tile %zu", t);
    return s;
}

static uint64_t cycles_of(const ipu_target *target, const ipu_fragment *fragments, size_t n)
{
    return checked(target, fragments, n).cycles;
}

Test(routed, a_transfer_takes_its_way_its_hops_and_its_words)
{
    const ipu_target line = mesh(12, 1), flat = mesh(4, 3);
    const ipu_fragment far = {0, 11, 0, 7, 0}, near = {0, 1, 0, 7, 0};
    cr_expect_eq(cycles_of(&line, &far, 1), WAY + 11 * HOP + 7);
    cr_expect_eq(cycles_of(&flat, &far, 1), WAY + 5 * HOP + 7, "three columns and two rows");
    cr_expect_eq(cycles_of(&flat, &near, 1), WAY + HOP + 7);
}

Test(routed, a_route_of_hops_with_half_a_cycle_takes_their_sum_rounded_up)
{
    static const uint64_t rounded[] = {2, 3, 5, 6, 8, 9, 11};
    const ipu_target line =
        machine(8, (ipu_fabric_rules){.kind = IPU_MESH, .width = 8, .words_per_cycle = 1, .hop_cycles = 1.5});
    for (uint32_t k = 0; k < 7; k++) {
        const ipu_fragment f = {0, k + 1, 0, 7, 0};
        cr_expect_eq(cycles_of(&line, &f, 1), WAY + rounded[k] + 7, "%u links", k + 1);
    }
}

Test(routed, a_torus_takes_the_shorter_way)
{
    ipu_target target = mesh(12, 1);
    const ipu_fragment over_the_joint = {0, 11, 0, 7, 0}, half = {0, 6, 0, 7, 0};
    target.fabric.kind = IPU_TILE_TORUS;
    cr_expect_eq(cycles_of(&target, &over_the_joint, 1), WAY + HOP + 7);
    cr_expect_eq(cycles_of(&target, &half, 1), WAY + 6 * HOP + 7);
}

/* Tiles 0, 1 and 2 of a line send 10 words to tiles 3, 4 and 5: all pass from tile 2 to tile 3, which takes 30 cycles. The first word there
 * comes from tile 2, the last word goes on to tile 3. With two words in a cycle one of them waits: best the longest route, for 6 cycles, at
 * worst the shortest one, for 12. With three none waits. */
Test(routed, words_share_a_link_at_its_rate)
{
    const ipu_fragment f[] = {{0, 3, 0, 10, 0}, {1, 4, 0, 10, 0}, {2, 5, 0, 10, 0}};
    ipu_target target = mesh(6, 1);
    const ipu_schedule s = checked(&target, f, 3);
    cr_expect_eq(s.bound, 30 + HOP + WAY);
    cr_expect_eq(s.cycles, s.bound);
    target.fabric.words_per_cycle = 2;
    const uint64_t two = cycles_of(&target, f, 3);
    cr_expect_geq(two, 6 + WAY + 3 * HOP + 10);
    cr_expect_leq(two, 12 + WAY + HOP + 10);
    target.fabric.words_per_cycle = 3;
    cr_expect_eq(cycles_of(&target, f, 3), 10 + WAY + 3 * HOP);
}

/* Tile 0 sends the same 10 words to tiles 1, 2, 3, and 4 of them to tile 4. */
Test(routed, multicast_sends_words_for_several_tiles_once)
{
    const ipu_fragment f[] = {{0, 1, 0, 10, 0}, {0, 2, 0, 10, 0}, {0, 3, 0, 10, 0}, {0, 4, 3, 4, 0}};
    ipu_target target = mesh(5, 1);
    const ipu_schedule one_by_one = checked(&target, f, 4);
    target.fabric.multicast = true;
    const ipu_schedule once = checked(&target, f, 4);
    cr_expect_eq(one_by_one.words_sent, 34);
    cr_expect_eq(once.words_sent, 10);
    cr_expect_eq(one_by_one.bound, 34 + HOP + WAY);
    cr_expect_leq(once.cycles, WAY + 4 * HOP + 10);
    ipu_fabric fabric;
    uint64_t *words;
    cr_assert_eq(ipu_fabric_make(&arena, &target, &fabric), MT_OK);
    cr_assert_eq(ipu_routed_loads(&arena, &fabric, f, &once, &words), MT_OK);
    cr_expect(words[0] == 10 && words[4] == 10 && words[8] == 10 && words[12] == 4, "east of tiles 0 to 3");
}

/* Two clusters of four tiles: tiles 0 to 3 send 10 words each to 4 to 7, over the common links; inside a cluster nothing is shared. */
Test(routed, clusters_share_a_link_out_and_a_link_in)
{
    const ipu_fragment out[] = {{0, 4, 0, 10, 0}, {1, 5, 0, 10, 0}, {2, 6, 0, 10, 0}, {3, 7, 0, 10, 0}};
    const ipu_fragment inside[] = {{0, 1, 0, 10, 0}, {1, 2, 0, 10, 0}, {2, 3, 0, 10, 0}, {3, 0, 0, 10, 0}};
    ipu_target target =
        machine(8, (ipu_fabric_rules){.kind = IPU_CLUSTERS, .cluster_tiles = 4, .words_per_cycle = 2});
    cr_expect_eq(cycles_of(&target, inside, 4), WAY + 10);
    cr_expect_eq(cycles_of(&target, out, 4), WAY + 2 * HOP + 20);
}

/* The links of a line of six tiles as a list are a mesh with one row. */
Test(routed, a_list_of_the_links_of_a_mesh_is_the_mesh)
{
    ipu_listed_link links[10];
    for (uint32_t k = 0; k < 5; k++) {
        links[2 * k] = (ipu_listed_link){k, k + 1, 1};
        links[2 * k + 1] = (ipu_listed_link){k + 1, k, 1};
    }
    const ipu_target list =
        machine(6, (ipu_fabric_rules){.kind = IPU_TILE_LINKS, .list = links, .n_list = 10});
    const ipu_target line = mesh(6, 1);
    const ipu_fragment f[] = {{0, 3, 0, 10, 0}, {1, 4, 0, 10, 0}, {5, 0, 0, 4, 0}};
    cr_expect_eq(cycles_of(&list, f, 3), cycles_of(&line, f, 3));
}

/* In an all-to-all exchange of single words on n x n tiles, n even, the routes cross the middle of each row n / 2 x n / 2 x n times in each
 * direction: the words of n / 2 tiles of the row to the n / 2 x n tiles of the other half. */
Test(routed, an_all_to_all_exchange_is_limited_by_the_middle_of_the_mesh)
{
    enum { N = 8, TILES = N * N };
    static ipu_fragment f[TILES * TILES];
    const ipu_target target = mesh(N, N);
    size_t n = 0;
    for (uint32_t a = 0; a < TILES; a++)
        for (uint32_t b = 0; b < TILES; b++)
            if (a != b) f[n++] = (ipu_fragment){a, b, b, 1, a};
    const ipu_schedule s = checked(&target, f, n);
    ipu_fabric fabric;
    uint64_t *words;
    cr_assert_eq(ipu_fabric_make(&arena, &target, &fabric), MT_OK);
    cr_assert_eq(ipu_routed_loads(&arena, &fabric, f, &s, &words), MT_OK);
    uint64_t most = 0;
    for (uint32_t l = 0; l < fabric.n_links; l++) most = words[l] > most ? words[l] : most;
    cr_expect_eq(most, N / 2 * N / 2 * N);
    cr_expect_eq(s.bound, most + WAY + HOP, "from one side of the middle to the other");
    cr_expect_leq((double)s.cycles, 1.3 * (double)s.bound);
}

static ipu_target random_machine(uint64_t *state)
{
    const size_t width = 1 + draw(state, 9), height = 1 + draw(state, 9);
    ipu_fabric_rules fabric = {.kind = IPU_MESH + (ipu_fabric_kind)draw(state, 3),
        .words_per_cycle = 1 + draw(state, 3),
        .hop_cycles = (double)(1 + draw(state, 8)) / 2,
        .multicast = draw(state, 2)};
    if (fabric.kind == IPU_CLUSTERS)
        fabric.cluster_tiles = width;
    else
        fabric.width = width, fabric.first = draw(state, 2) ? IPU_COLUMNS_FIRST : IPU_ROWS_FIRST;
    ipu_target target = machine(width * height + (width * height == 1) * width, fabric);
    target.exchange_fixed_cycles = draw(state, 30);
    target.exchange_fragment_cycles = draw(state, 12);
    return target;
}

Test(routed, schedules_of_random_fragments_are_valid)
{
    static ipu_fragment f[300];
    for (uint64_t seed = 1; seed < 150; seed++) {
        uint64_t state = seed;
        const ipu_target target = random_machine(&state);
        const size_t n = target.tiles > 1 ? draw(&state, 300) : 0;
        for (size_t i = 0; i < n; i++) {
            const uint32_t source = (uint32_t)draw(&state, target.tiles);
            const uint32_t on = 1 + (uint32_t)draw(&state, target.tiles - 1);
            f[i] = (ipu_fragment){source, (source + on) % (uint32_t)target.tiles, draw(&state, 40),
                1 + draw(&state, draw(&state, 9) ? 5 : 200), draw(&state, 40)};
        }
        (void)checked(&target, f, n);
        mt_arena_free(&arena);
    }
}

/* ---- planted faults: in the schedule of three sends that share a link ---- */

static const ipu_fragment shared[] = {{0, 3, 0, 4, 0}, {1, 4, 0, 4, 0}, {1, 5, 8, 4, 0}};
static ipu_send sends[3];
static size_t first_stop[4], stop[3];

/* All pass from tile 2 to 3: tile 0 sends in cycles 0 to 3, tile 1 in 6 to 9 and 10 to 13. */
static ipu_schedule planted(void)
{
    memcpy(sends, (ipu_send[]){{0, 0, 4, 0, false}, {1, 0, 4, 6, false}, {1, 8, 4, 10, false}}, sizeof sends);
    memcpy(first_stop, (size_t[]){0, 1, 2, 3}, sizeof first_stop);
    memcpy(stop, (size_t[]){0, 1, 2}, sizeof stop);
    return (ipu_schedule){.sends = sends, .n_sends = 3, .first_stop = first_stop, .stop = stop};
}

static void expect_fault(const ipu_target *target, const ipu_schedule *s, const char *message)
{
    cr_expect_eq(ipu_schedule_check(target, shared, 3, s), MT_INPUT, "%s", message);
    cr_expect_str_eq(mt_message(), message);
}

Test(routed, planted_faults_are_reported_with_tile_and_cycle)
{
    ipu_target target = mesh(6, 1);
    ipu_schedule s = planted();
    cr_assert_eq(ipu_schedule_check(&target, shared, 3, &s), MT_OK, "%s", mt_message());
    sends[1].cycle = 5;
    expect_fault(&target, &s, "schedule: link east of tile 1 carries more than 1 words in cycle 5");
    sends[1].cycle = 6, sends[2].cycle = 9;
    expect_fault(&target, &s, "schedule: link east of tile 1 carries more than 1 words in cycle 9");
    s = planted();
    sends[2].words = 3;
    expect_fault(&target, &s, "schedule: tile 5 never takes word 11 of tile 1");
    s = planted();
    stop[2] = 1;
    expect_fault(
        &target, &s, "schedule: tile 4 takes words 8 to 12 of tile 1, which its fragment 1 does not have");
    s = planted();
    s.n_sends = 2;
    expect_fault(&target, &s, "schedule: tile 5 never takes word 8 of tile 1");
    s = planted();
    target.exchange_fixed_cycles = 11;
    expect_fault(&target, &s,
        "schedule: tile 3 takes the first word of a send in cycle 11; its set-up of 1 cycles begins in cycle "
        "11");
}

/* Tiles 0 and 2 send to tile 1 over different links. */
Test(routed, a_tile_takes_one_word_in_a_cycle)
{
    const ipu_fragment f[] = {{0, 1, 0, 4, 0}, {2, 1, 0, 4, 0}};
    const ipu_target target = mesh(3, 1);
    ipu_send both[] = {{0, 0, 4, 0, false}, {2, 0, 4, 3, false}};
    size_t first[] = {0, 1, 2}, at[] = {0, 1};
    const ipu_schedule s = {.sends = both, .n_sends = 2, .first_stop = first, .stop = at};
    cr_expect_eq(ipu_schedule_check(&target, f, 2, &s), MT_INPUT);
    cr_expect_str_eq(mt_message(), "schedule: tile 1 takes two words in cycle 10");
    cr_expect_eq(cycles_of(&target, f, 2), WAY + HOP + 8);
}
