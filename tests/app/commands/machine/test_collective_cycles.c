#include <criterion/criterion.h>

#include "app/commands/machine/collective.h"
#include "ipu/collectives/prism.h"
#include "tests/answers.h"
#include "tests/ipu/test_ring.h"

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(collective_cycles, .fini = teardown);

enum { TILES = 4, CHIPS = 16 };

static mt_collective chips_of(ipu_links links, size_t chips)
{
    mt_collective c = {.target = ring_target(TILES * chips)};
    c.target.ipus = chips;
    c.target.links = links;
    return c;
}

/* Returns the cycles counted by an engine that executes the entire collective. */
static uint64_t cycles_done(const mt_collective *c)
{
    mt_collective_program made;
    ipu_engine *engine;
    ok(mt_collective_make(&arena, c, &made));
    ok(mt_collective_execute(&arena, c, &made, &engine));
    return ipu_engine_cycles(engine);
}

/* Compares all methods, with fragments of two lengths and of one. */
static size_t compare(mt_collective *c)
{
    size_t compared = 0;
    for (int operation = 0; operation < IPU_COLLECTIVES; operation++)
        for (int m = IPU_CLOCKWISE; m < IPU_METHODS; m++) {
            for (size_t n = 150; n <= 576; n += 426) {
                uint64_t cycles;
                c->operation = (ipu_collective)operation;
                if (mt_collective_plan(&arena, (ipu_method)m, n, c) != MT_OK) continue;
                ok(mt_collective_cycles(c, &cycles));
                cr_assert_eq(cycles, cycles_done(c), "%s, %s, %s, %zu: %lu",
                    ipu_logical_name[c->rings.logical], ipu_collective_name[operation], ipu_method_name[m], n,
                    cycles);
                compared++;
            }
        }
    return compared;
}

/* On one ring, on two at once and in turns; in one direction, in both directions and from both sides. */
Test(collective_cycles, cycles_per_kind_of_step_sum_to_the_cycles_of_a_run)
{
    static const size_t replica[IPU_PRISM] = {1, 1, 2, 2, 4, 8};
    size_t shapes = 0;
    for (int shape = IPU_LADDER; shape <= IPU_TORUS; shape++)
        for (int l = 0; l < IPU_PRISM; l++) {
            ipu_links links = ring_links();
            links.shape = (ipu_shape)shape;
            mt_collective c = chips_of(links, CHIPS);
            const ipu_ring_choice choice = {.logical = (ipu_logical)l,
                .routing = l == IPU_BARLEY_TWIST ? IPU_BTNC : IPU_DNC,
                .replica = replica[l]};
            if (ipu_rings_make(&arena, links.shape, CHIPS, &choice, &c.rings) != MT_OK) continue;
            cr_assert_geq(compare(&c), 24);
            shapes++;
            mt_arena_free(&arena);
        }
    cr_expect_eq(shapes, 9);
    const ipu_prism prism = ipu_prism_claimed(3, 3, 1);
    ipu_links links = ring_links();
    links.shape = IPU_LINK_LIST;
    links.direct = links.cross = links.rail = 0;
    ok(ipu_prism_links(&arena, &prism, &links.list, &links.n_list));
    mt_collective c = chips_of(links, 9);
    ok(ipu_prism_rings(&arena, &prism, &c.rings));
    cr_expect_geq(compare(&c), 24);
}
