/* Variables outside of the chip: their place, their buffers, their time, and accesses that are refused. */
#include "ipu/compile/memory.h"
#include "ipu/compile/streaming.h"
#include "tests/ipu/small_graph.h"

static void free_all(void) { mt_arena_free(&arena); }

TestSuite(streaming, .fini = free_all);

static const ipu_codelet streamed_codelet = {
    "copy", 2, ring_joined_fields, ring_copy, ring_cost, .code_bytes = 50, .vertex_bytes = 8, .streamed = 3};

enum { N = 4096 };

/* Returns a machine with two tiles and memory of 1 MiB outside, which reads 2 bytes per cycle and writes 1. */
static ipu_target target_with(bool overlap)
{
    ipu_target target = ring_target(2);
    target.dram = (ipu_dram){.bytes = 1 << 20,
        .read_bytes_per_second = 2 * target.clock_hz,
        .write_bytes_per_second = target.clock_hz,
        .latency_cycles = 100,
        .buffer_bytes = 8192,
        .overlap = overlap};
    return target;
}

/* The variables "from" and "to" of a graph with a copy of N elements on each tile. */
typedef struct copying {
    ipu_graph *graph;
    uint32_t from, to, set;
} copying;

static copying graph_of(const ipu_target *target, const ipu_codelet *codelet)
{
    copying c;
    cr_assert_eq(ipu_graph_new(&arena, target, &c.graph), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(c.graph, "from", IPU_FLOAT, 2 * N, &c.from), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(c.graph, "to", IPU_FLOAT, 2 * N, &c.to), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(c.graph, "set", &c.set), MT_OK);
    for (uint32_t tile = 0; tile < 2; tile++) {
        size_t vertex;
        ipu_tensor in, out;
        cr_assert_eq(ipu_graph_set_tile_mapping(c.graph, c.from, tile * N, N, tile), MT_OK);
        cr_assert_eq(ipu_graph_set_tile_mapping(c.graph, c.to, tile * N, N, tile), MT_OK);
        cr_assert_eq(ipu_graph_add_vertex(c.graph, c.set, codelet, tile, NULL, &vertex), MT_OK);
        cr_assert_eq(ipu_graph_add_tensor(c.graph, &(ipu_slice){c.from, tile * N, N}, 1, &in), MT_OK);
        cr_assert_eq(ipu_graph_add_tensor(c.graph, &(ipu_slice){c.to, tile * N, N}, 1, &out), MT_OK);
        cr_assert_eq(ipu_graph_connect(c.graph, vertex, "in", in), MT_OK);
        cr_assert_eq(ipu_graph_connect(c.graph, vertex, "out", out), MT_OK);
    }
    return c;
}

Test(streaming, a_variable_outside_takes_buffers_instead_of_its_size)
{
    const ipu_target target = target_with(false);
    const copying inside = graph_of(&target, &streamed_codelet),
                  outside = graph_of(&target, &streamed_codelet);
    cr_assert_eq(ipu_graph_set_dram(outside.graph, outside.from), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_graph_set_dram(outside.graph, outside.to), MT_OK);
    const ipu_tile_memory *all = compiled(inside.graph)->memory, *buffers = compiled(outside.graph)->memory;
    cr_expect_eq(all[0].bytes[IPU_MEMORY_VARIABLES], 2 * N * sizeof(float));
    cr_expect_eq(buffers[0].bytes[IPU_MEMORY_VARIABLES], 0);
    cr_expect_eq(buffers[0].bytes[IPU_MEMORY_RECEIVED], 8192);
}

/* Each tile loads and stores 16,384 bytes, in 4 chunks of 8,192 bytes of both; both tiles 32,768 at 2 and 1 bytes a cycle. */
Test(streaming, its_time_is_that_of_the_shared_rate)
{
    const ipu_target target = target_with(false);
    const copying c = graph_of(&target, &streamed_codelet);
    cr_assert_eq(ipu_graph_set_dram(c.graph, c.from), MT_OK);
    cr_assert_eq(ipu_graph_set_dram(c.graph, c.to), MT_OK);
    const ipu_superstep_timing *step = timed(c.graph)->supersteps;
    const uint64_t launches = 3 * (target.vertex_launch_cycles + target.vertex_entry_cycles);
    cr_expect_eq(step->dram_read, 2 * N * sizeof(float));
    cr_expect_eq(step->dram_written, 2 * N * sizeof(float));
    cr_expect_eq(step->dram_cycles, 32768 / 2 + 32768 + launches);
    cr_expect_eq(step->cycles, step->compute_phase_cycles + step->dram_cycles);
}

/* At 100 times the rate the port of a tile, 4 bytes a cycle, and the latency of its 4 chunks limit. */
Test(streaming, a_fast_memory_is_limited_by_ports_and_latency)
{
    ipu_target target = target_with(false);
    target.dram.read_bytes_per_second *= 100, target.dram.write_bytes_per_second *= 100;
    const copying c = graph_of(&target, &streamed_codelet);
    cr_assert_eq(ipu_graph_set_dram(c.graph, c.from), MT_OK);
    const ipu_superstep_timing *step = timed(c.graph)->supersteps;
    const uint64_t launches = target.vertex_launch_cycles + target.vertex_entry_cycles;
    cr_expect_eq(step->dram_written, 0);
    cr_expect_eq(step->dram_cycles, 16384 / 4 + 2 * 100 + launches, "in 2 chunks, as only the input streams");
}

/* A pipeline of 8 chunks, each 1,024 bytes a tile in either direction twice: R = 16,384, W = 32,768; the bus limits. */
Test(streaming, overlap_hides_the_computation)
{
    const ipu_target target = target_with(true);
    const copying c = graph_of(&target, &streamed_codelet);
    cr_assert_eq(ipu_graph_set_dram(c.graph, c.from), MT_OK);
    cr_assert_eq(ipu_graph_set_dram(c.graph, c.to), MT_OK);
    const ipu_superstep_timing *step = timed(c.graph)->supersteps;
    const double bus = 16384 + 32768, own = (double)step->compute_phase_cycles,
                 compute = own + 7 * (double)(target.vertex_launch_cycles + target.vertex_entry_cycles);
    cr_assert_lt(compute, bus);
    cr_expect_float_eq((double)step->cycles, bus + compute / 8, 1);
}

Test(streaming, values_do_not_depend_on_the_place_of_variables)
{
    const ipu_target target = target_with(true);
    const copying c = graph_of(&target, &streamed_codelet);
    const ipu_program *program;
    ipu_executable *e;
    ipu_engine *engine;
    float in[2 * N], out[2 * N];
    for (size_t k = 0; k < 2 * N; k++) in[k] = (float)k;
    cr_assert_eq(ipu_graph_set_dram(c.graph, c.from), MT_OK);
    cr_assert_eq(ipu_program_execute(&arena, c.set, &program), MT_OK);
    cr_assert_eq(ipu_compile(&arena, c.graph, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, true, &engine), MT_OK, "%s", mt_message());
    ipu_engine_write_slice(engine, &(ipu_slice){c.from, 0, 2 * N}, in);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    ipu_engine_read_slice(engine, &(ipu_slice){c.to, 0, 2 * N}, out);
    cr_expect_arr_eq(in, out, sizeof in);
}

/* A tile without a global sync takes the transfers as well, also if its vertex computes for no cycle. */
static ipu_cycles free_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)target, (void)n, (void)context;
    return (ipu_cycles){0};
}

Test(streaming, tiles_with_their_own_clocks_take_the_transfers)
{
    static const ipu_codelet free_codelet = {"copy", 2, ring_joined_fields, ring_copy, free_cost,
        .code_bytes = 50, .vertex_bytes = 8, .streamed = 3};
    ipu_target target = target_with(false);
    target.sync = IPU_SYNC_NONE;
    const copying c = graph_of(&target, &free_codelet);
    const ipu_program *program;
    ipu_executable *e;
    ipu_engine *engine;
    cr_assert_eq(ipu_graph_set_dram(c.graph, c.from), MT_OK);
    cr_assert_eq(ipu_program_execute(&arena, c.set, &program), MT_OK);
    cr_assert_eq(ipu_compile(&arena, c.graph, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, false, &engine), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    cr_expect_geq(ipu_engine_cycles(engine), 32768 / 2);
    cr_expect_eq(ipu_engine_cycles(engine), engine->timing.supersteps[c.set].cycles);
}

/* ---- refused ---- */

Test(streaming, a_codelet_must_stream_the_field)
{
    const ipu_target target = target_with(false);
    const copying c = graph_of(&target, &ring_copy_codelet);
    cr_assert_eq(ipu_graph_set_dram(c.graph, c.from), MT_OK);
    expect_refused(c.graph, MT_INPUT,
        "compute set 'set': field 'in' of codelet 'copy' takes variable 'from', which is outside of the "
        "chip; "
        "allowed: fields that the codelet streams");
}

Test(streaming, other_tiles_cannot_receive_it)
{
    const ipu_target target = target_with(false);
    const copying c = graph_of(&target, &streamed_codelet);
    size_t vertex;
    ipu_tensor in, out;
    cr_assert_eq(ipu_graph_set_dram(c.graph, c.from), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(c.graph, "other", &(uint32_t){0}), MT_OK);
    cr_assert_eq(ipu_graph_add_vertex(c.graph, 1, &streamed_codelet, 1, NULL, &vertex), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(c.graph, &(ipu_slice){c.from, 0, 8}, 1, &in), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(c.graph, &(ipu_slice){c.to, N, 8}, 1, &out), MT_OK);
    cr_assert_eq(ipu_graph_connect(c.graph, vertex, "in", in), MT_OK);
    cr_assert_eq(ipu_graph_connect(c.graph, vertex, "out", out), MT_OK);
    expect_refused(c.graph, MT_INPUT,
        "compute set 'other': tile 1 copies or receives elements of variable 'from', which is outside of the "
        "chip; allowed: vertices on the tile of the elements that take them as one range");
}

Test(streaming, it_must_fit)
{
    ipu_target target = target_with(false);
    target.dram.bytes = 2 * N * sizeof(float) - 1;
    const copying c = graph_of(&target, &streamed_codelet);
    cr_assert_eq(ipu_graph_set_dram(c.graph, c.from), MT_OK);
    ipu_timing timing;
    cr_expect_eq(ring_time(&arena, c.graph, NULL, 0, &timing), MT_FIT);
    cr_expect(
        strstr(mt_message(), "more than dram.bytes = 32767 bytes outside of chip 0, with variable 'from'"),
        "%s", mt_message());
}

Test(streaming, a_machine_without_such_memory_is_refused)
{
    const ipu_target target = ring_target(2);
    const copying c = graph_of(&target, &streamed_codelet);
    cr_expect_eq(ipu_graph_set_dram(c.graph, c.from), MT_INPUT);
    cr_expect(strstr(mt_message(), "variable 'from' outside of the chip"), "%s", mt_message());
}
