/* The words on the links between tiles in a superstep, and supersteps that share their exchange, on a mesh of 3 x 2 tiles:
 *
 *     0 1 2
 *     3 4 5
 */
#include <criterion/criterion.h>

#include "ipu/compile/exchange.h"
#include "ipu/machine/fabric.h"
#include "tests/ipu/small_graph.h"

enum { WIDTH = 3, TILES = 6, WORDS = 7, SETS = 5, EAST = 0, SOUTH = 2 };

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(loads, .fini = teardown);

/* Returns a graph in which tile 0 sends variables of WORDS floats to tiles 2 and 5: v in compute sets 0 and 1, w in 2, v in 3 also to tile
 * 4. In 4, tile 1 sends x to tiles 2 and 5. */
static ipu_graph *sending_graph(bool multicast)
{
    ipu_graph *g;
    uint32_t v[SETS], out, set;
    ipu_target target = ring_target(TILES);
    target.fabric = (ipu_fabric_rules){
        .kind = IPU_MESH, .width = WIDTH, .words_per_cycle = 1, .hop_cycles = 1, .multicast = multicast};
    target.exchange_rows = target.exchange_columns = target.exchange_row_cycles = 0;
    target.copies = IPU_COPIES_NEVER;
    cr_assert_eq(ipu_graph_new(&arena, &target, &g), MT_OK);
    v[0] = v[1] = v[3] = add_variable(g, "v", WORDS, 0);
    v[2] = add_variable(g, "w", WORDS, 0);
    v[4] = add_variable(g, "x", WORDS, 1);
    for (uint32_t s = 0; s < SETS; s++) {
        static const uint32_t to[] = {2, 5, 4};
        cr_assert_eq(ipu_graph_add_compute_set(g, "set", &set), MT_OK);
        for (uint32_t k = 0; k < (s == 3 ? 3u : 2u); k++) {
            ipu_tensor from, here;
            size_t vertex;
            out = add_variable(g, "out", WORDS, to[k]);
            cr_assert_eq(ipu_graph_variable_tensor(g, v[s], &from), MT_OK);
            cr_assert_eq(ipu_graph_variable_tensor(g, out, &here), MT_OK);
            cr_assert_eq(ipu_graph_add_vertex(g, set, &ring_copy_codelet, to[k], NULL, &vertex), MT_OK);
            cr_assert_eq(ipu_graph_connect(g, vertex, "in", from), MT_OK);
            cr_assert_eq(ipu_graph_connect(g, vertex, "out", here), MT_OK);
        }
    }
    return g;
}

static ipu_link_words loads_of(const ipu_executable *e, size_t set)
{
    ipu_link_words loads;
    cr_assert_eq(ipu_exchange_loads(&arena, e, &e->supersteps[set], &loads), MT_OK, "%s", mt_message());
    return loads;
}

/* Both routes go east from 0 over 1 to 2; the second one then goes south to 5. */
Test(loads, words_are_counted_on_each_link_of_their_routes)
{
    for (int multicast = 0; multicast < 2; multicast++) {
        const ipu_link_words loads = loads_of(compiled(sending_graph(multicast)), 0);
        const uint64_t shared = multicast ? WORDS : 2 * WORDS;
        uint64_t sum = 0;
        cr_assert_eq(loads.n_links, (size_t)IPU_SIDES * TILES);
        cr_expect_eq(loads.words[IPU_SIDES * 0 + EAST], shared);
        cr_expect_eq(loads.words[IPU_SIDES * 1 + EAST], shared);
        cr_expect_eq(loads.words[IPU_SIDES * 2 + SOUTH], WORDS);
        for (size_t l = 0; l < loads.n_links; l++) sum += loads.words[l];
        cr_expect_eq(sum, 2 * shared + WORDS, "no other link is used");
        cr_expect_eq(loads.received, 2 * WORDS);
        cr_expect_eq(loads.hops, (2 + 3) * WORDS);
        mt_arena_free(&arena);
    }
}

Test(loads, a_crossbar_has_no_links)
{
    const ipu_link_words loads = loads_of(compiled(small_graph(2, true)), 0);
    cr_expect_eq(loads.n_links, 0);
    cr_expect_eq(loads.received, 0);
}

/* Shared arrays are the same memory; a superstep with another receiver has its own. */
Test(loads, only_supersteps_with_the_same_messages_share_their_exchange)
{
    const ipu_executable *e = compiled(sending_graph(true));
    const uint64_t *first = e->supersteps[0].exchange.tile_cycles;
    cr_expect_eq(e->supersteps[1].exchange.tile_cycles, first, "the same messages");
    cr_expect_eq(e->supersteps[2].exchange.tile_cycles, first, "another variable of the same length");
    cr_expect_neq(e->supersteps[3].exchange.tile_cycles, first, "one more receiver");
    cr_expect_neq(e->supersteps[4].exchange.tile_cycles, first, "another sender");
    cr_expect_eq(e->supersteps[3].exchange.bytes_received, 3 * WORDS * sizeof(float));
}
