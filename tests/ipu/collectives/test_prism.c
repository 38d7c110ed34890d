/* Prisms of three or more faces and two to eight layers, compared with counts by hand. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "ipu/collectives/prism.h"
#include "ipu/collectives/plan.h"
#include "tests/answers.h"

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(prism, .fini = teardown);

static ipu_topology *network_of(const ipu_prism *p)
{
    ipu_links links = {.shape = IPU_LINK_LIST, .lane_bits_per_second = 8e9, .efficiency = 1};
    ipu_topology *network;
    ok(ipu_prism_links(&arena, p, &links.list, &links.n_list));
    ok(ipu_topology_check_links("prism", &links));
    ok(ipu_topology_of(&arena, &links, p->layers * p->faces, &network));
    return network;
}

/* Columns a, b and c: the path of the first face through four layers. */
Test(prism, a_ring_ascends_its_face_and_descends_an_edge)
{
    static const char *const expected[] = {
        "0a", "0b", "1b", "1a", "2a", "2b", "3b", "3a", "3c", "2c", "1c", "0c"};
    const ipu_prism p = ipu_prism_claimed(4, 3, 1);
    ipu_rings rings;
    ok(ipu_prism_rings(&arena, &p, &rings));
    cr_assert(rings.n_rings == 3 && rings.streams == 3);
    for (size_t k = 0; k < 12; k++) {
        const uint32_t chip = (uint32_t)(expected[k][0] - '0') * 3 + (uint32_t)(expected[k][1] - 'a');
        cr_expect_eq(rings.ring[0].chip[k], chip, "%s", expected[k]);
        cr_expect_eq(
            rings.ring[1].chip[k], chip / 3 * 3 + (chip + 1) % 3, "the next face: columns one further");
    }
}

/* Each ring visits every chip once, over existing links. With three and four faces no link carries more rings than it has lanes. */
Test(prism, every_ring_visits_all_chips_and_link_lanes_suffice)
{
    for (size_t faces = 3; faces <= 6; faces++)
        for (size_t layers = 2; layers <= 8; layers++) {
            const ipu_prism p = ipu_prism_claimed(layers, faces, 1);
            const size_t n = layers * faces;
            const ipu_topology *network = network_of(&p);
            uint64_t *bytes = mt_arena_alloc(&arena, n * n, sizeof *bytes),
                     *load = mt_arena_alloc(&arena, network->n_links, sizeof *load);
            size_t between = 0;
            ipu_rings rings;
            ok(ipu_prism_rings(&arena, &p, &rings));
            for (size_t r = 0; r < rings.n_rings; r++) {
                uint64_t seen = 0;
                cr_assert_eq(rings.ring[r].n, n);
                for (size_t k = 0; k < n; k++) {
                    seen |= UINT64_C(1) << rings.ring[r].chip[k];
                    bytes[rings.ring[r].chip[k] * n + rings.ring[r].chip[(k + 1) % n]]++;
                }
                cr_assert_eq(
                    seen, (UINT64_C(1) << n) - 1, "%zu layers, %zu faces, ring %zu", layers, faces, r);
            }
            cr_assert(
                !ipu_topology_has_multi_link_routes(network, bytes), "%zu layers, %zu faces", layers, faces);
            ipu_topology_load(network, bytes, load);
            for (uint32_t l = 0; l < network->n_links; l++) {
                const ipu_link *link = &network->links[l];
                const bool up = link->from / faces != link->to / faces;
                between += up ? load[l] : 0;
                if (faces <= 4)
                    cr_assert_leq(load[l], (uint64_t)(link->bytes_per_second / 1e9), "link %u", l);
                if (up) cr_assert_leq(load[l], 1);
            }
            cr_assert_eq(between, 2 * (layers - 1) * faces, "each ring goes up and down once");
        }
}

/* Three faces, four layers: a pair of chips in an inner layer carries one ring in one direction, in an end layer two; each link between
 * layers carries one in each direction. */
Test(prism, link_loads_with_three_faces_match_the_patent_claims)
{
    const ipu_prism p = ipu_prism_claimed(4, 3, 1);
    const ipu_topology *network = network_of(&p);
    uint64_t bytes[12 * 12] = {0}, load[64];
    ipu_rings rings;
    ok(ipu_prism_rings(&arena, &p, &rings));
    for (size_t r = 0; r < 3; r++)
        for (size_t k = 0; k < 12; k++)
            bytes[rings.ring[r].chip[k] * 12 + rings.ring[r].chip[(k + 1) % 12]]++;
    ipu_topology_load(network, bytes, load);
    for (uint32_t l = 0; l < network->n_links; l++) {
        const uint32_t from = network->links[l].from, to = network->links[l].to, layer = from / 3;
        const bool inside = layer == to / 3, forward = (from + 1) % 3 == to % 3,
                   end = layer == 0 || layer == 3;
        const uint64_t wanted = !inside ? 1 : forward != (layer % 2 == 0) ? 0 : end ? 2 : 1;
        cr_expect_eq(load[l], wanted, "%u to %u: %zu", from, to, (size_t)load[l]);
    }
}

/* 2 (n - 1) steps; in each of them a link between layers carries V / (3 n). */
Test(prism, an_all_reduce_takes_a_third_of_the_time_of_a_single_ring)
{
    const ipu_prism p = ipu_prism_claimed(4, 3, 1);
    const ipu_topology *network = network_of(&p);
    uint64_t bytes[12 * 12], load[64];
    ipu_rings rings;
    ipu_plan plan;
    ok(ipu_prism_rings(&arena, &p, &rings));
    ok(ipu_plan_make(&arena, &rings, IPU_ALL_REDUCE, IPU_AUTO, 3600, 4, 0, &plan));
    cr_expect_eq(plan.method, IPU_CLOCKWISE);
    cr_expect_eq(plan.n_steps, 22);
    for (size_t s = 0; s < plan.n_steps; s++) {
        double longest = 0;
        ipu_plan_bytes(&plan, s, 4, 12, bytes);
        ipu_topology_load(network, bytes, load);
        for (uint32_t l = 0; l < network->n_links; l++)
            longest = fmax(longest, (double)load[l] / network->links[l].bytes_per_second);
        cr_expect_float_eq(longest, 3600 * 4 / 36 / 1e9, 1e-15, "step %zu", s);
    }
}

Test(prism, invalid_prisms_are_rejected)
{
    ipu_prism p = ipu_prism_claimed(1, 3, 1);
    ipu_rings rings;
    ipu_listed_link *list;
    size_t n;
    cr_expect_eq(ipu_prism_rings(&arena, &p, &rings), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "prism: 1 layers of 3 chips; allowed: at least 2 layers of at least 3 chips");
    p = ipu_prism_claimed(2, 2, 1);
    cr_expect_eq(ipu_prism_links(&arena, &p, &list, &n), MT_INPUT);
    p = ipu_prism_claimed(2, 3, 0);
    cr_expect_eq(ipu_prism_links(&arena, &p, &list, &n), MT_INPUT);
    cr_expect_str_eq(mt_message(), "prism: 0, 0 and 0 lanes; allowed: at least 1 each");
}
