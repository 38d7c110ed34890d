#include "ipu/compile/assembly.h"

#include "tests/ipu/small_graph.h"

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(assembly, .fini = teardown);

/* Assembly of inputs by copies. Costs: 100 cycles per call, 10 per range, 8 bytes per cycle; 12 bytes of exchange code per fragment or
 * run. */
static ipu_graph *copying_graph(ipu_copies copies, size_t fragment_cycles)
{
    ipu_graph *g = small_graph(3, true);
    g->target.copies = copies;
    g->target.exchange_fragment_cycles = fragment_cycles;
    g->target.copy_call_cycles = 100;
    g->target.copy_range_cycles = 10;
    g->target.memory.exchange_code_bytes = 12;
    g->target.memory.copy_range_bytes = 8;
    return g;
}

/* The input of tile 1 is the last 2 of its own 4 elements, then elements 0 and 4 of the 8 on tile 0, as two separate slices: a tail. */
static const ipu_superstep_timing *tail_of_two(ipu_copies copies, size_t fragment_cycles)
{
    ipu_graph *g = copying_graph(copies, fragment_cycles);
    const uint32_t own = add_variable(g, "own", 4, 1), out = add_variable(g, "out", 4, 1);
    const ipu_slice slices[] = {{own, 2, 2}, {0, 0, 1}, {0, 4, 1}};
    add_copy(g, 1, slices, 3, (ipu_slice){out, 0, 4});
    return &timed(g)->supersteps[0];
}

static const ipu_exchange *exchange_of(const ipu_superstep_timing *step, const ipu_timing *timing)
{
    return &timing->executable->supersteps[step - timing->supersteps].exchange;
}

/* Two fragments, no copies. */
Test(assembly, with_never_every_range_is_received_in_place)
{
    const ipu_superstep_timing *step = tail_of_two(IPU_COPIES_NEVER, 160);
    cr_expect_eq(step->gather_phase_cycles, 0);
    cr_expect_eq(step->scatter_phase_cycles, 0);
    cr_expect_eq(step->exchange_bound_cycles, 10 + 2 * 160 + 1);
    cr_expect_eq(step->exchange_words_cycles, 2);
}

/* The 8 bytes of the buffer are fewer than the 24 bytes of code that one fragment less saves. So tile 0 gathers 2 ranges (100 + 20 + 1
 * cycles) and sends one fragment. Tile 1 copies 3 pieces of 16 bytes: 100 + 30 + 2. */
Test(assembly, with_always_sender_and_receiver_copy)
{
    const ipu_superstep_timing *step = tail_of_two(IPU_COPIES_ALWAYS, 160);
    cr_expect_eq(step->gather_cycles[0], 121);
    cr_expect_eq(step->gather_phase_cycles, 121);
    cr_expect_eq(step->scatter_cycles[1], 132);
    cr_expect_eq(step->scatter_phase_cycles, 132);
    cr_expect_eq(step->exchange_bound_cycles, 10 + 160 + 2);
    cr_expect_eq(step->cycles,
        121 + step->sync_cycles + step->exchange_phase_cycles + 132 + step->compute_phase_cycles);
}

/* With copies: 5 + 132 + 121 = f + 253 cycles; without: 2 f. Copies are faster from f = 254 on. */
Test(assembly, with_auto_the_variant_with_fewer_cycles_is_chosen)
{
    cr_expect_eq(tail_of_two(IPU_COPIES_AUTO, 253)->scatter_phase_cycles, 0);
    cr_expect_eq(tail_of_two(IPU_COPIES_AUTO, 254)->scatter_phase_cycles, 132);
}

/* Three ranges of 8 words (96 bytes) save 48 bytes of code on each side. The buffers would take as many, so the ranges remain three
 * fragments. */
Test(assembly, long_ranges_are_not_gathered)
{
    ipu_graph *g = copying_graph(IPU_COPIES_ALWAYS, 160);
    const uint32_t far = add_variable(g, "far", 26, 0), out = add_variable(g, "out", 24, 1);
    const ipu_slice slices[] = {{far, 0, 8}, {far, 9, 8}, {far, 18, 8}};
    add_copy(g, 1, slices, 3, (ipu_slice){out, 0, 4});
    const ipu_timing *timing = timed(g);
    cr_expect_eq(timing->supersteps[0].gather_phase_cycles, 0);
    cr_expect_eq(timing->supersteps[0].exchange_bound_cycles, 10 + 3 * 160 + 8);
    cr_expect_eq(timing->supersteps[0].scatter_phase_cycles, 100 + 3 * 10 + 96 / 8);
}

/* Elements 1 and 2, then 0 and 1 of tile 0: one range of 3, received once; two pieces are copied from it. */
Test(assembly, elements_needed_twice_are_received_once)
{
    ipu_graph *g = copying_graph(IPU_COPIES_ALWAYS, 160);
    const uint32_t out = add_variable(g, "out", 4, 1);
    const ipu_slice slices[] = {{0, 1, 2}, {0, 0, 2}};
    add_copy(g, 1, slices, 2, (ipu_slice){out, 0, 4});
    const ipu_timing *timing = timed(g);
    cr_expect_eq(timing->supersteps[0].exchange_bound_cycles, 10 + 160 + 3);
    cr_expect_eq(timing->supersteps[0].scatter_phase_cycles, 100 + 20 + 2);
}

/* Own elements between received ones are copied with every setting. */
Test(assembly, local_ranges_of_an_edge_are_copied)
{
    ipu_graph *g = copying_graph(IPU_COPIES_NEVER, 160);
    const uint32_t own = add_variable(g, "own", 4, 1), out = add_variable(g, "out", 4, 1);
    const ipu_slice slices[] = {{0, 0, 1}, {own, 0, 4}, {0, 7, 1}};
    add_copy(g, 1, slices, 3, (ipu_slice){out, 0, 4});
    const ipu_timing *timing = timed(g);
    cr_expect_eq(timing->supersteps[0].scatter_phase_cycles, 100 + 10 + 2);
    cr_expect_eq(exchange_of(&timing->supersteps[0], timing)->bytes_copied, 16);
}

/* Five pieces of two elements, each three after the one before, are the rows of a strided copy: 4 cycles each instead of 10, and one entry
 * in the table of copies. Three rows, or rows of which one has another length, are none. */
Test(assembly, equal_ranges_at_equal_distances_are_rows_of_a_strided_copy)
{
    static const struct {
        ipu_slice slices[6];
        size_t n, elements;
        uint64_t ranges, rows;
    } cases[] = {{{{1, 0, 2}, {1, 3, 2}, {1, 6, 2}, {1, 9, 2}, {1, 12, 2}, {1, 18, 2}}, 6, 12, 1, 5},
        {{{1, 0, 2}, {1, 3, 2}, {1, 6, 2}, {1, 10, 2}}, 4, 8, 4, 0},
        {{{1, 0, 2}, {1, 3, 2}, {1, 6, 1}, {1, 9, 2}, {1, 12, 2}}, 5, 9, 5, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ipu_graph *g = copying_graph(IPU_COPIES_NEVER, 160);
        g->target.copy_row_cycles = 4;
        cr_assert_eq(add_variable(g, "own", 20, 1), 1);
        const uint32_t out = add_variable(g, "out", cases[k].elements, 1);
        add_copy(g, 1, cases[k].slices, cases[k].n, (ipu_slice){out, 0, cases[k].elements});
        const ipu_timing *timing = timed(g);
        cr_expect_eq(timing->supersteps[0].scatter_phase_cycles,
            100 + 10 * cases[k].ranges + 4 * cases[k].rows + (4 * cases[k].elements + 7) / 8, "%zu", k);
        cr_expect_eq(timing->executable->memory[1].bytes[IPU_MEMORY_REARRANGEMENT],
            8 * (cases[k].ranges + (cases[k].rows > 0)), "%zu", k);
        teardown();
    }
}

/* Tile 0 has a buffer of 8 bytes and a table of two ranges. Tile 1 has a receive buffer of 8 bytes, the assembled input of 16 bytes, and
 * a table of three ranges. */
Test(assembly, buffers_and_tables_take_memory)
{
    ipu_graph *g = copying_graph(IPU_COPIES_ALWAYS, 160);
    const uint32_t own = add_variable(g, "own", 4, 1), out = add_variable(g, "out", 4, 1);
    const ipu_slice slices[] = {{own, 2, 2}, {0, 0, 1}, {0, 4, 1}};
    add_copy(g, 1, slices, 3, (ipu_slice){out, 0, 4});
    const ipu_executable *e = compiled(g);
    cr_expect_eq(e->memory[0].bytes[IPU_MEMORY_REARRANGEMENT], 8 + 2 * 8);
    cr_expect_eq(e->memory[0].bytes[IPU_MEMORY_RECEIVED], 0);
    cr_expect_eq(e->memory[1].bytes[IPU_MEMORY_REARRANGEMENT], 8 + 3 * 8);
    cr_expect_eq(e->memory[1].bytes[IPU_MEMORY_RECEIVED], 16);
    cr_expect_eq(e->memory[1].bytes[IPU_MEMORY_EXCHANGE_CODE], 16, "one fragment, 12 in units of 8");
}

/* Copies change the time, never the result. */
Test(assembly, results_are_equal_in_every_copy_mode)
{
    float expected[24], found[24];
    for (int copies = IPU_COPIES_AUTO; copies <= IPU_COPIES_ALWAYS; copies++) {
        ipu_target target = ring_target(4);
        const ipu_program *program;
        ipu_engine *engine;
        ipu_executable *e;
        ring r;
        target.copies = (ipu_copies)copies;
        target.exchange_fragment_cycles = 1000;
        cr_assert_eq(ring_make(&arena, &target, 4, 6, RING_TAIL, &r), MT_OK);
        cr_assert_eq(ring_program(&arena, &r, 5, &program), MT_OK);
        cr_assert_eq(ipu_compile(&arena, r.graph, &program, 1, &e), MT_OK, "%s", mt_message());
        cr_assert_eq(ipu_executable_check(e), MT_OK, "%s", mt_message());
        cr_assert_eq(ipu_engine_new(&arena, e, true, &engine), MT_OK);
        for (size_t i = 0; i < 24; i++) found[i] = (float)(i * i % 7);
        ipu_engine_write(engine, &r.whole_v, found);
        cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
        ipu_engine_read(engine, &r.whole_v, found);
        if (copies == IPU_COPIES_AUTO) memcpy(expected, found, sizeof found);
        cr_expect_arr_eq(found, expected, sizeof found);
    }
}
