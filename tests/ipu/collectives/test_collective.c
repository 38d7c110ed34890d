/* Collective operations that are executed: the vector of every chip, for every ring and method, is compared with sums computed here. */
#include <criterion/criterion.h>

#include <omp.h>
#include <stdio.h>

#include "ipu/collectives/collective.h"
#include "ipu/collectives/prism.h"
#include "ipu/machine/half.h"
#include "tests/answers.h"
#include "tests/ipu/test_ring.h"
#include "tests/random.h"

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(collective, .fini = teardown);

enum { TILES = 2, MOST_CHIPS = 16, MOST = 64 };

typedef struct collecting {
    ipu_shape shape;
    size_t chips, n;
    ipu_ring_choice choice;
    ipu_collective collective;
    ipu_method method;
    ipu_operator with;
    ipu_type type;
    size_t root;
} collecting;

typedef struct done {
    ipu_rings rings;
    ipu_plan plan;
    uint64_t cycles;
    unsigned char vector[MOST_CHIPS][4 * MOST];
} done;

/* Returns a vector of n elements on one chip: two thirds on its first tile, in two ranges, the rest on its second tile. */
static ipu_tensor vector_on(ipu_graph *g, uint32_t chip, ipu_type type, size_t n)
{
    const uint32_t tile = TILES * chip;
    ipu_tensor whole;
    uint32_t v;
    ok(ipu_graph_add_variable(g, "vector", type, n, &v));
    ok(ipu_graph_set_tile_mapping(g, v, 0, n / 3, tile));
    ok(ipu_graph_set_tile_mapping(g, v, n / 3, n - 2 * (n / 3), tile + 1));
    ok(ipu_graph_set_tile_mapping(g, v, n - n / 3, n / 3, tile));
    ok(ipu_graph_variable_tensor(g, v, &whole));
    return whole;
}

/* Runs a collective. Initially element i of chip c is values[c][i], of at most 4 bytes. */
static done *collect(const collecting *c, unsigned char values[MOST_CHIPS][4 * MOST])
{
    done *d = mt_arena_alloc(&arena, 1, sizeof *d);
    ipu_target target = ring_target(TILES * c->chips);
    ipu_tensor vectors[MOST_CHIPS];
    const ipu_program *program;
    ipu_executable *e;
    ipu_engine *engine;
    ipu_graph *g;
    cr_assert_not_null(d);
    target.ipus = c->chips;
    target.links = ring_links();
    target.links.shape = c->shape;
    ok(ipu_graph_new(&arena, &target, &g));
    for (uint32_t chip = 0; chip < c->chips; chip++) vectors[chip] = vector_on(g, chip, c->type, c->n);
    ok(ipu_rings_make(&arena, c->shape, c->chips, &c->choice, &d->rings));
    ok(ipu_plan_make(
        &arena, &d->rings, c->collective, c->method, c->n, ipu_type_bytes(c->type), c->root, &d->plan));
    ok(ipu_collective_program(g, &d->plan, c->with, vectors, c->chips, &program));
    ok(ipu_compile(&arena, g, &program, 1, &e));
    ok(ipu_executable_check(e));
    ok(ipu_engine_new(&arena, e, true, &engine));
    for (size_t chip = 0; chip < c->chips; chip++) ipu_engine_write(engine, &vectors[chip], values[chip]);
    ok(ipu_engine_run(engine, 0));
    for (size_t chip = 0; chip < c->chips; chip++) ipu_engine_read(engine, &vectors[chip], d->vector[chip]);
    d->cycles = ipu_engine_cycles(engine);
    return d;
}

static const collecting choices[] = {
    {IPU_LADDER, 2, 10, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, .method = IPU_MEET_IN_THE_MIDDLE},
    {IPU_LADDER, 4, 13, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, .method = IPU_CLOCKWISE},
    {IPU_LADDER, 6, 40, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, .method = IPU_ANTICLOCKWISE},
    {IPU_LADDER, 8, 37, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, .method = IPU_BIDIRECTIONAL},
    {IPU_LADDER, 8, 5, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, .method = IPU_MEET_IN_THE_MIDDLE},
    {IPU_LADDER, 8, 61, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1, .grouping = IPU_CONSECUTIVE, .group = 4},
        .method = IPU_AUTO},
    {IPU_TORUS, 8, 64, {IPU_BARLEY_TWIST, IPU_BTNC, .replica = 1}, .method = IPU_QUAD},
    {IPU_TORUS, 8, 29, {IPU_BARLEY_TWIST, IPU_BTNC, .replica = 1}, .method = IPU_MEET_IN_THE_MIDDLE},
    {IPU_LADDER, 12, 30, {IPU_RING_ON_LINE, IPU_SWNC, .replica = 2}, .method = IPU_CLOCKWISE},
    {IPU_TORUS, 6, 30, {IPU_RUNG_RING_2, IPU_DNC, .replica = 2}, .method = IPU_MEET_IN_THE_MIDDLE},
    {IPU_TORUS, 12, 33, {IPU_RUNG_RING_4, IPU_RINGSWNC, .replica = 4}, .method = IPU_BIDIRECTIONAL},
    {IPU_LADDER, 16, 24, {IPU_RUNG_RING_8, IPU_DNC, .replica = 8}, .method = IPU_CLOCKWISE},
};
enum { CHOICES = sizeof choices / sizeof *choices };

static uint32_t combined(ipu_operator with, uint32_t x, uint32_t y)
{
    switch (with) {
    case IPU_SUM:
        return x + y;
    case IPU_PRODUCT:
        return x * y;
    case IPU_MINIMUM_OF:
        return x < y ? x : y;
    case IPU_MAXIMUM_OF:
        return x > y ? x : y;
    case IPU_AND:
        return x & y;
    case IPU_OR:
    case IPU_OPERATORS:
        break;
    }
    return x | y;
}

/* Returns the ring of `stream` that contains the chip, and the rank of the chip in it. */
static const ipu_ring *ring_of(const ipu_rings *rings, size_t chip, unsigned stream, size_t *rank)
{
    for (size_t r = 0; r < rings->n_rings; r++) {
        const ipu_ring *of = &rings->ring[r];
        bool there = false;
        *rank = 0;
        for (size_t k = 0; k < of->n; k++) {
            there |= of->chip[k] == chip;
            *rank += of->chip[k] < chip;
        }
        if (there && of->stream == stream) return of;
    }
    cr_assert(false, "chip %zu is in no ring", chip);
    return NULL;
}

/* Returns the reduction of element i over all chips of a ring. */
static uint32_t together(const ipu_ring *of, ipu_operator with, uint32_t values[MOST_CHIPS][MOST], size_t i)
{
    uint32_t all = values[of->chip[0]][i];
    for (size_t k = 1; k < of->n; k++) all = combined(with, all, values[of->chip[k]][i]);
    return all;
}

static void fill(uint32_t values[MOST_CHIPS][MOST], uint64_t seed)
{
    for (size_t c = 0; c < MOST_CHIPS; c++)
        for (size_t i = 0; i < MOST; i++) values[c][i] = (uint32_t)draw(&seed, 1u << 30);
}

Test(collective, all_reduce_leaves_the_reduction_of_the_ring_on_every_chip)
{
    static uint32_t values[MOST_CHIPS][MOST];
    for (size_t k = 0; k < CHOICES; k++) {
        collecting c = choices[k];
        c.with = (ipu_operator)(k % IPU_OPERATORS);
        c.type = IPU_UNSIGNED_INT;
        fill(values, k);
        const done *d = collect(&c, (unsigned char(*)[4 * MOST]) values);
        for (size_t chip = 0; chip < c.chips; chip++)
            for (size_t i = 0; i < c.n; i++) {
                size_t rank;
                const uint32_t got = ((const uint32_t *)d->vector[chip])[i];
                cr_assert_eq(got, together(ring_of(&d->rings, chip, 0, &rank), c.with, values, i),
                    "choice %zu, chip %zu, element %zu", k, chip, i);
            }
        mt_arena_free(&arena);
    }
}

/* Returns the rank of the fragment that contains element i, and its stream, from a separate calculation: all parts have the same number
 * of elements, and so do the fragments of a part. */
static size_t fragment_of(const done *d, size_t n_elements, size_t i, unsigned *stream)
{
    const size_t halves = d->plan.method == IPU_BIDIRECTIONAL || d->plan.method == IPU_QUAD ? 2 : 1;
    const size_t parts = d->rings.streams * halves, n = d->rings.ring[0].n;
    size_t f = 0;
    while (n_elements * (f + 1) / (parts * n) <= i) f++;
    *stream = (unsigned)(f / n / halves);
    return f % n;
}

Test(collective, reduce_scatter_leaves_each_rank_its_fragments_and_all_gather_distributes_them)
{
    static uint32_t values[MOST_CHIPS][MOST];
    for (size_t k = 0; k < CHOICES; k++) {
        collecting c = choices[k];
        c.type = IPU_INT;
        c.collective = IPU_REDUCE_SCATTER;
        fill(values, k);
        const done *d = collect(&c, (unsigned char(*)[4 * MOST]) values);
        for (size_t chip = 0; chip < c.chips; chip++)
            for (size_t i = 0; i < c.n; i++) {
                unsigned stream;
                size_t rank;
                const size_t owner = fragment_of(d, c.n, i, &stream);
                const ipu_ring *of = ring_of(&d->rings, chip, stream, &rank);
                if (rank == owner)
                    cr_assert_eq(((const uint32_t *)d->vector[chip])[i], together(of, IPU_SUM, values, i));
            }
        c.collective = IPU_ALL_GATHER;
        d = collect(&c, (unsigned char(*)[4 * MOST]) values);
        for (size_t chip = 0; chip < c.chips; chip++)
            for (size_t i = 0; i < c.n; i++) {
                unsigned stream;
                size_t rank, from = 0, other;
                const size_t owner = fragment_of(d, c.n, i, &stream);
                const ipu_ring *of = ring_of(&d->rings, chip, stream, &rank);
                for (size_t m = 0; m < of->n; m++) {
                    (void)ring_of(&d->rings, of->chip[m], stream, &other);
                    if (other == owner) from = of->chip[m];
                }
                cr_assert_eq(((const uint32_t *)d->vector[chip])[i], values[from][i], "choice %zu", k);
            }
        mt_arena_free(&arena);
    }
}

Test(collective, a_broadcast_copies_the_vector_of_one_rank_to_all)
{
    static uint32_t values[MOST_CHIPS][MOST];
    for (size_t k = 0; k < CHOICES; k++) {
        collecting c = choices[k];
        c.type = IPU_UNSIGNED_INT;
        c.collective = IPU_BROADCAST;
        c.root = 1;
        fill(values, k);
        const done *d = collect(&c, (unsigned char(*)[4 * MOST]) values);
        for (size_t chip = 0; chip < c.chips; chip++) {
            size_t rank, other, root = 0;
            const ipu_ring *of = ring_of(&d->rings, chip, 0, &rank);
            for (size_t m = 0; m < of->n; m++) {
                (void)ring_of(&d->rings, of->chip[m], 0, &other);
                if (other == c.root) root = of->chip[m];
            }
            cr_assert_arr_eq(d->vector[chip], values[root], c.n * 4, "choice %zu, chip %zu", k, chip);
        }
        mt_arena_free(&arena);
    }
}

/* The sums of these floats depend on the order. All chips must have the same bits, for any number of host threads. */
Test(collective, all_replicas_are_bit_identical)
{
    static float values[MOST_CHIPS][MOST];
    uint64_t seed = 7;
    for (size_t c = 0; c < MOST_CHIPS; c++)
        for (size_t i = 0; i < MOST; i++) values[c][i] = (float)between(&seed, -1, 1);
    for (int m = IPU_AUTO; m < IPU_QUAD; m++) {
        const collecting c = {IPU_LADDER, 8, 41, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1},
            .method = (ipu_method)m, .type = IPU_FLOAT};
        omp_set_num_threads(1);
        const done *one = collect(&c, (unsigned char(*)[4 * MOST]) values);
        omp_set_num_threads(3);
        const done *three = collect(&c, (unsigned char(*)[4 * MOST]) values);
        cr_assert_arr_eq(one->vector, three->vector, sizeof one->vector);
        for (size_t chip = 1; chip < 8; chip++) cr_assert_arr_eq(one->vector[chip], one->vector[0], 4 * c.n);
        for (size_t i = 0; i < c.n; i++) {
            double sum = 0;
            for (size_t chip = 0; chip < 8; chip++) sum += (double)values[chip][i];
            cr_assert_float_eq(((const float *)one->vector[0])[i], sum, 8 * 8 * 0x1p-24);
        }
    }
}

/* Each of the three rings of a prism carries a third of the data. */
Test(collective, rings_of_a_prism_run_concurrently)
{
    static uint32_t values[MOST_CHIPS][MOST];
    for (int m = IPU_AUTO; m < IPU_QUAD; m++) {
        const ipu_prism p = ipu_prism_claimed(4, 3, 1);
        ipu_target target = ring_target(TILES * 12);
        ipu_tensor vectors[12];
        const ipu_program *program;
        ipu_executable *e;
        ipu_engine *engine;
        ipu_rings rings;
        ipu_plan plan;
        ipu_graph *g;
        target.ipus = 12;
        target.links = ring_links();
        target.links.shape = IPU_LINK_LIST;
        target.links.direct = target.links.cross = target.links.rail = 0;
        ok(ipu_prism_links(&arena, &p, &target.links.list, &target.links.n_list));
        ok(ipu_prism_rings(&arena, &p, &rings));
        ok(ipu_plan_make(&arena, &rings, IPU_ALL_REDUCE, (ipu_method)m, 50, 4, 0, &plan));
        ok(ipu_graph_new(&arena, &target, &g));
        for (uint32_t c = 0; c < 12; c++) vectors[c] = vector_on(g, c, IPU_UNSIGNED_INT, 50);
        ok(ipu_collective_program(g, &plan, IPU_SUM, vectors, 12, &program));
        ok(ipu_compile(&arena, g, &program, 1, &e));
        ok(ipu_engine_new(&arena, e, true, &engine));
        fill(values, (uint64_t)m);
        for (size_t c = 0; c < 12; c++) ipu_engine_write(engine, &vectors[c], values[c]);
        ok(ipu_engine_run(engine, 0));
        for (size_t c = 0; c < 12; c++) {
            uint32_t got[50];
            ipu_engine_read(engine, &vectors[c], got);
            for (size_t i = 0; i < 50; i++)
                cr_assert_eq(got[i], together(&rings.ring[0], IPU_SUM, values, i), "%s", ipu_method_name[m]);
        }
        mt_arena_free(&arena);
    }
}

/* Two layers of three chips. The route from chip 0 to chip 1 through chip 2 has one link more, and its messages share both links with
 * others. A route over a link that does not exist is refused. */
Test(collective, messages_follow_the_specified_routes)
{
    enum { CHIPS = 6 };
    const ipu_prism p = ipu_prism_claimed(2, 3, 1);
    uint32_t by[] = {2};
    ipu_listed_route route = {0, 1, by, 1};
    uint64_t cycles[2];
    for (size_t n_routes = 0; n_routes < 2; n_routes++) {
        ipu_target target = ring_target(TILES * CHIPS);
        ipu_tensor vectors[CHIPS];
        const ipu_program *program;
        ipu_executable *e;
        ipu_timing timing;
        ipu_rings rings;
        ipu_plan plan;
        ipu_graph *g;
        target.ipus = CHIPS;
        target.links = ring_links();
        target.links.shape = IPU_LINK_LIST;
        target.links.direct = target.links.cross = target.links.rail = 0;
        target.links.routes = &route;
        target.links.n_routes = n_routes;
        target.links.through_ns = 1000;
        ok(ipu_prism_links(&arena, &p, &target.links.list, &target.links.n_list));
        ok(ipu_prism_rings(&arena, &p, &rings));
        ok(ipu_plan_make(&arena, &rings, IPU_ALL_REDUCE, IPU_CLOCKWISE, 54, 4, 0, &plan));
        ok(ipu_graph_new(&arena, &target, &g));
        for (uint32_t c = 0; c < CHIPS; c++) vectors[c] = vector_on(g, c, IPU_FLOAT, 54);
        ok(ipu_collective_program(g, &plan, IPU_SUM, vectors, CHIPS, &program));
        ok(ipu_compile(&arena, g, &program, 1, &e));
        ok(ipu_timing_make(&arena, e, &timing));
        cycles[n_routes] = timing.supersteps[0].external_cycles;
        if (n_routes == 0) continue;
        by[0] = 4;
        cr_expect_eq(ipu_timing_make(&arena, e, &timing), MT_INPUT);
        cr_expect_not_null(strstr(
            mt_message(), ": links.routes.0: no link from IPU 0 to IPU 4; allowed: a route over links.list"));
    }
    cr_expect_geq(cycles[1], cycles[0] + 1325, "%lu, %lu", cycles[0], cycles[1]);
}

Test(collective, halves_and_bools_are_reduced)
{
    static unsigned char values[MOST_CHIPS][4 * MOST];
    collecting c = choices[1];
    c.type = IPU_HALF;
    for (size_t chip = 0; chip < 4; chip++)
        for (size_t i = 0; i < c.n; i++) ((uint16_t *)values[chip])[i] = ipu_half_of((float)(i + chip));
    const done *d = collect(&c, values);
    for (size_t i = 0; i < c.n; i++)
        cr_expect_eq(ipu_half_value(((const uint16_t *)d->vector[2])[i]), (float)(4 * i + 6));
    c.type = IPU_BOOL;
    c.with = IPU_AND;
    for (size_t chip = 0; chip < 4; chip++)
        for (size_t i = 0; i < c.n; i++) values[chip][i] = i % 4 != chip;
    d = collect(&c, values);
    for (size_t i = 0; i < c.n; i++) cr_expect_eq(d->vector[3][i], 0, "one of four is false");
    c.with = IPU_OR;
    d = collect(&c, values);
    for (size_t i = 0; i < c.n; i++) cr_expect_eq(d->vector[0][i], 1);
}

/* Number of steps of a ring of n chips: n - 1 for each phase, half as many if data arrives from both sides. */
Test(collective, the_number_of_steps_matches_the_method)
{
    static const struct {
        ipu_method method;
        size_t chips, reducing, all;
    } rows[] = {{IPU_CLOCKWISE, 8, 7, 14}, {IPU_BIDIRECTIONAL, 8, 7, 14}, {IPU_MEET_IN_THE_MIDDLE, 8, 4, 8},
        {IPU_MEET_IN_THE_MIDDLE, 2, 1, 2}, {IPU_MEET_IN_THE_MIDDLE, 6, 3, 6}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const ipu_ring_choice choice = {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1};
        ipu_rings rings;
        ipu_plan plan;
        ok(ipu_rings_make(&arena, IPU_LADDER, rows[k].chips, &choice, &rings));
        ok(ipu_plan_make(&arena, &rings, IPU_ALL_REDUCE, rows[k].method, 4800, 4, 0, &plan));
        cr_expect_eq(plan.n_reducing, rows[k].reducing);
        cr_expect_eq(plan.n_steps, rows[k].all);
        ok(ipu_plan_make(&arena, &rings, IPU_BROADCAST, rows[k].method, 4800, 4, 0, &plan));
        cr_expect_eq(plan.n_steps, rows[k].reducing + rows[k].chips - 1);
    }
}

/* On a torus the rings of the two rungs of a replica alternate, in twice as many steps. On a ladder all rings move in every step. */
Test(collective, replicas_of_several_rungs_alternate_on_a_torus)
{
    const ipu_ring_choice choice = {IPU_RUNG_RING_4, IPU_DNC, .replica = 4};
    ipu_rings rings;
    ipu_plan plan;
    ok(ipu_rings_make(&arena, IPU_TORUS, 16, &choice, &rings));
    ok(ipu_plan_make(&arena, &rings, IPU_ALL_REDUCE, IPU_CLOCKWISE, 48, 4, 0, &plan));
    cr_expect(plan.n_steps == 2 * 2 * 3 && plan.n_reducing == 2 * 3);
    for (size_t s = 0; s < plan.n_steps; s++)
        for (size_t h = plan.first_hop[s]; h < plan.first_hop[s + 1]; h++)
            cr_expect_eq(plan.hops[h].from % 4 / 2, s % 2);
    ok(ipu_rings_make(&arena, IPU_LADDER, 16, &choice, &rings));
    ok(ipu_plan_make(&arena, &rings, IPU_ALL_REDUCE, IPU_CLOCKWISE, 48, 4, 0, &plan));
    cr_expect_eq(plan.n_steps, 2 * 3);
}

/* The methods that poplibs of January 2021 chooses for 4-byte elements, just below and at its thresholds. */
Test(collective, the_method_is_chosen_by_bytes)
{
    static const struct {
        ipu_shape shape;
        size_t chips;
        ipu_ring_choice choice;
        ipu_collective collective;
        size_t threshold; /* bytes of a vector */
        ipu_method below, from;
    } rows[] = {
        {IPU_TORUS, 8, {IPU_BARLEY_TWIST, IPU_BTNC, .replica = 1}, IPU_ALL_REDUCE, 196608 * 8,
            IPU_MEET_IN_THE_MIDDLE, IPU_QUAD},
        {IPU_TORUS, 8, {IPU_BARLEY_TWIST, IPU_BTNC, .replica = 1}, IPU_ALL_GATHER, 196608 * 8,
            IPU_MEET_IN_THE_MIDDLE, IPU_QUAD},
        {IPU_LADDER, 4, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, IPU_REDUCE_SCATTER, 1245184,
            IPU_MEET_IN_THE_MIDDLE, IPU_BIDIRECTIONAL},
        {IPU_LADDER, 8, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, IPU_ALL_GATHER, 2490368 * 8,
            IPU_MEET_IN_THE_MIDDLE, IPU_BIDIRECTIONAL},
        {IPU_LADDER, 16, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, IPU_ALL_REDUCE, 39845888,
            IPU_MEET_IN_THE_MIDDLE, IPU_BIDIRECTIONAL},
        {IPU_LADDER, 4, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, IPU_ALL_GATHER, 622592 * 4,
            IPU_MEET_IN_THE_MIDDLE, IPU_BIDIRECTIONAL},
        {IPU_LADDER, 8, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, IPU_ALL_REDUCE, 4980736,
            IPU_MEET_IN_THE_MIDDLE, IPU_BIDIRECTIONAL},
        {IPU_LADDER, 16, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, IPU_ALL_GATHER, (size_t)19922944 * 16,
            IPU_MEET_IN_THE_MIDDLE, IPU_BIDIRECTIONAL},
        {IPU_LADDER, 32, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, IPU_ALL_REDUCE, 39845888,
            IPU_MEET_IN_THE_MIDDLE, IPU_MEET_IN_THE_MIDDLE},
        {IPU_LADDER, 2, {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1}, IPU_ALL_REDUCE, 39845888, IPU_CLOCKWISE,
            IPU_CLOCKWISE},
        {IPU_LADDER, 8, {IPU_RING_ON_LINE, IPU_DNC, .replica = 2}, IPU_ALL_REDUCE, 39845888, IPU_CLOCKWISE,
            IPU_CLOCKWISE},
        {IPU_TORUS, 8, {IPU_RUNG_RING_2, IPU_DNC, .replica = 2}, IPU_ALL_REDUCE, 39845888,
            IPU_MEET_IN_THE_MIDDLE, IPU_MEET_IN_THE_MIDDLE},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ipu_rings rings;
        ipu_plan plan;
        ok(ipu_rings_make(&arena, rows[k].shape, rows[k].chips, &rows[k].choice, &rings));
        ok(ipu_plan_make(&arena, &rings, rows[k].collective, IPU_AUTO, rows[k].threshold / 4, 4, 0, &plan));
        cr_expect_eq(plan.method, rows[k].from, "row %zu: %s", k, ipu_method_name[plan.method]);
        ok(ipu_plan_make(&arena, &rings, rows[k].collective, IPU_AUTO, rows[k].threshold / 4 - rows[k].chips,
            4, 0, &plan));
        cr_expect_eq(plan.method, rows[k].below, "row %zu: %s", k, ipu_method_name[plan.method]);
    }
}

/* Ten elements are 2 per worker, 8 bytes: one vector from each of two neighbours. 13 floats are 3 per worker: two vectors. */
Test(collective, vertex_costs_match_the_cost_model)
{
    static const struct {
        ipu_type type;
        size_t n, ranges;
        uint64_t worker;
    } rows[] = {{IPU_FLOAT, 10, 2, 29 + 6}, {IPU_INT, 13, 1, 29 + 6}, {IPU_HALF, 24, 1, 29 + 3},
        {IPU_HALF, 25, 1, 29 + 6}};
    const ipu_target target = ring_target(1);
    const ipu_codelet *list[40];
    const size_t n_codelets = ipu_collective_codelets(list);
    cr_assert_eq(ipu_collective_codelets(NULL), n_codelets);
    cr_assert_eq(n_codelets, 4 * 4 + 2 * 2);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (size_t c = 0; c < n_codelets; c++) {
            if (list[c]->fields[0].type != rows[k].type) continue;
            const size_t n[] = {rows[k].n * rows[k].ranges, rows[k].n, rows[k].ranges, 1};
            const ipu_cycles cost = list[c]->cost(&target, n, NULL);
            cr_expect_eq(cost.worker, rows[k].worker, "%s, row %zu", list[c]->name, k);
            cr_expect_eq(cost.entry, 11);
        }
}

/* Ring of 8 chips. Clockwise: every chip sends an eighth to its successor in each step. From both sides: an eighth each way, except in
 * the last step of an even ring. In halves: a sixteenth each way. */
Test(collective, bytes_of_a_step_are_counted)
{
    static const struct {
        ipu_method method;
        uint64_t forward, back, last_back;
    } rows[] = {{IPU_CLOCKWISE, 600, 0, 0}, {IPU_ANTICLOCKWISE, 0, 600, 600},
        {IPU_BIDIRECTIONAL, 300, 300, 300}, {IPU_MEET_IN_THE_MIDDLE, 600, 600, 0}};
    const ipu_ring_choice choice = {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1};
    ipu_rings rings;
    ok(ipu_rings_make(&arena, IPU_LADDER, 8, &choice, &rings));
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ipu_plan plan;
        uint64_t bytes[64], sum = 0;
        ok(ipu_plan_make(&arena, &rings, IPU_ALL_REDUCE, rows[k].method, 1200, 4, 0, &plan));
        for (size_t s = 0; s < plan.n_steps; s++) {
            const bool last = s + 1 == plan.n_reducing || s + 1 == plan.n_steps;
            ipu_plan_bytes(&plan, s, 4, 8, bytes);
            cr_expect_eq(bytes[0 * 8 + 1], rows[k].forward);
            cr_expect_eq(bytes[1 * 8 + 0], last ? rows[k].last_back : rows[k].back, "%s step %zu",
                ipu_method_name[rows[k].method], s);
            for (size_t i = 0; i < 64; i++) sum += bytes[i];
        }
        cr_expect_eq(sum, 2 * 7 * 4800, "every fragment takes n - 1 hops, twice");
    }
}

static void expect_kinds(
    const ipu_rings *rings, ipu_method method, size_t n, size_t n_kinds, const size_t *wanted)
{
    ipu_plan plan, kinds;
    size_t *times;
    ok(ipu_plan_make(&arena, rings, IPU_ALL_REDUCE, method, n, 4, 0, &plan));
    ok(ipu_plan_kinds(&arena, &plan, &kinds, &times));
    cr_expect_eq(kinds.n_fragments, plan.n_fragments);
    cr_assert_eq(kinds.n_steps, n_kinds, "%zu kinds", kinds.n_steps);
    cr_expect_arr_eq(times, wanted, n_kinds * sizeof *times);
    cr_expect_eq(kinds.hops[0].begin, plan.hops[0].begin, "the first of each kind");
    cr_expect_eq(kinds.n_reducing, n_kinds / 2);
}

/* All clockwise steps are equal. With data from both sides, the last reducing step receives from one side only, and the first gathering
 * step sends one fragment both ways. With one element fewer one fragment is shorter, at a different place in each step. */
Test(collective, steps_with_equal_traffic_on_equal_hops_are_of_one_kind)
{
    const ipu_ring_choice choice = {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1};
    ipu_rings rings;
    ok(ipu_rings_make(&arena, IPU_LADDER, 4, &choice, &rings));
    expect_kinds(&rings, IPU_MEET_IN_THE_MIDDLE, 80, 4, (const size_t[]){1, 1, 1, 1});
    ok(ipu_rings_make(&arena, IPU_LADDER, 8, &choice, &rings));
    expect_kinds(&rings, IPU_CLOCKWISE, 80, 2, (const size_t[]){7, 7});
    expect_kinds(&rings, IPU_BIDIRECTIONAL, 80, 2, (const size_t[]){7, 7});
    expect_kinds(&rings, IPU_MEET_IN_THE_MIDDLE, 80, 5, (const size_t[]){3, 1, 1, 2, 1});
    expect_kinds(&rings, IPU_CLOCKWISE, 79, 14, (const size_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
}

/* The second and the third of 8 fragments have one element each and follow each other without an empty step. */
Test(collective, a_broadcast_of_few_elements_has_no_empty_steps)
{
    const ipu_ring_choice choice = {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1};
    ipu_rings rings;
    ipu_plan plan;
    ok(ipu_rings_make(&arena, IPU_LADDER, 8, &choice, &rings));
    for (size_t n = 1; n <= 9; n++) {
        ok(ipu_plan_make(&arena, &rings, IPU_BROADCAST, IPU_CLOCKWISE, n, 4, 0, &plan));
        cr_expect_eq(plan.n_steps, 7 + (n < 8 ? n : 8) - 1);
        for (size_t s = 0; s < plan.n_steps; s++) cr_expect_lt(plan.first_hop[s], plan.first_hop[s + 1]);
    }
}

Test(collective, impossible_collectives_are_rejected)
{
    const ipu_ring_choice peripheral = {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1},
                          twisted = {IPU_BARLEY_TWIST, IPU_BTNC, .replica = 1};
    ipu_target target = ring_target(8);
    ipu_rings rings, twist;
    ipu_plan plan;
    ipu_graph *g;
    ipu_tensor vectors[4];
    const ipu_program *program;
    ok(ipu_rings_make(&arena, IPU_LADDER, 4, &peripheral, &rings));
    ok(ipu_rings_make(&arena, IPU_TORUS, 4, &twisted, &twist));
    cr_expect_eq(ipu_plan_make(&arena, &rings, IPU_ALL_REDUCE, IPU_QUAD, 9, 4, 0, &plan), MT_INPUT);
    cr_expect_str_eq(mt_message(),
        "collective: quad on a peripheral-ring; allowed: quad on a barley-twist, all other methods here");
    cr_expect_eq(ipu_plan_make(&arena, &twist, IPU_ALL_REDUCE, IPU_BIDIRECTIONAL, 9, 4, 0, &plan), MT_INPUT);
    cr_expect_eq(ipu_plan_make(&arena, &rings, IPU_BROADCAST, IPU_CLOCKWISE, 9, 4, 4, &plan), MT_INPUT);
    cr_expect_str_eq(mt_message(), "collective: a broadcast from rank 4; allowed: below 4");
    ok(ipu_plan_make(&arena, &rings, IPU_ALL_REDUCE, IPU_CLOCKWISE, 9, 4, 0, &plan));
    target.ipus = 4;
    ok(ipu_graph_new(&arena, &target, &g));
    for (uint32_t c = 0; c < 4; c++) vectors[c] = vector_on(g, c, IPU_FLOAT, 9);
    cr_expect_eq(ipu_collective_program(g, &plan, IPU_AND, vectors, 4, &program), MT_INPUT);
    cr_expect_str_eq(mt_message(), "collective: and of type float; allowed: unsigned int, bool");
    cr_expect_eq(ipu_collective_program(g, &plan, IPU_SUM, vectors, 3, &program), MT_INPUT);
    cr_expect_str_eq(mt_message(), "collective: no vector of chip 3 among 3");
    vectors[2] = vector_on(g, 2, IPU_FLOAT, 10);
    cr_expect_eq(ipu_collective_program(g, &plan, IPU_SUM, vectors, 4, &program), MT_INPUT);
    cr_expect_str_eq(mt_message(), "collective: 10 elements on chip 2; allowed: 9, as planned");
    vectors[2] = vectors[1];
    cr_expect_eq(ipu_collective_program(g, &plan, IPU_SUM, vectors, 4, &program), MT_INPUT);
    cr_expect_str_eq(mt_message(),
        "collective: element 0 of the vector of chip 2 is on chip 1; allowed: on the same chip");
    vectors[2] = vector_on(g, 2, IPU_HALF, 9);
    cr_expect_eq(ipu_collective_program(g, &plan, IPU_SUM, vectors, 4, &program), MT_INPUT);
}
