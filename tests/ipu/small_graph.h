/* Small graphs for the tests of compilation and timing, and their arena. */
#pragma once

#include <criterion/criterion.h>

#include "tests/ipu/test_ring.h"

static mt_arena arena;

static inline const ipu_executable *compiled(const ipu_graph *graph)
{
    ipu_executable *e = NULL;
    cr_assert_eq(ipu_compile(&arena, graph, NULL, 0, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_executable_check(e), MT_OK, "%s", mt_message());
    return e;
}

static inline const ipu_timing *timed(const ipu_graph *graph)
{
    ipu_timing *timing = mt_arena_alloc(&arena, 1, sizeof *timing);
    cr_assert_not_null(timing);
    cr_assert_eq(ipu_timing_make(&arena, compiled(graph), timing), MT_OK, "%s", mt_message());
    return timing;
}

/* Expects that compilation or timing refuses the graph. */
static inline void expect_refused(const ipu_graph *graph, mt_status status, const char *message)
{
    ipu_timing timing;
    cr_expect_eq(ring_time(&arena, graph, NULL, 0, &timing), status, "%s", message);
    cr_expect_str_eq(mt_message(), message);
}

/* Returns a machine of one worker that issues single instructions: half a cycle for loads and stores, two for float instructions, a quarter
 * for addresses and loops, in vectors of 4 floats or 8 halves. */
static inline ipu_target single_target(size_t tiles)
{
    ipu_target target = ring_target(tiles);
    target.worker_contexts = 1;
    target.instructions = (ipu_instruction_costs){.issue = IPU_SINGLE,
        .memory = 0.5,
        .floats = 2,
        .integer = 0.25,
        .f32_div = 3,
        .f32_exp = 7,
        .f32_lanes = 4,
        .f16_lanes = 8};
    return target;
}

/* Returns a graph of one variable "v" of 8 floats on `tiles` tiles, mapped to tile 0 unless `map` is false, and one compute set "set". */
static inline ipu_graph *small_graph(size_t tiles, bool map)
{
    ipu_graph *g = NULL;
    uint32_t id;
    ipu_target target = ring_target(tiles);
    cr_assert_eq(ipu_graph_new(&arena, &target, &g), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(g, "v", IPU_FLOAT, 8, &id), MT_OK);
    if (map) cr_assert_eq(ipu_graph_set_tile_mapping(g, id, 0, 8, 0), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(g, "set", &id), MT_OK);
    return g;
}

static inline uint32_t add_variable(ipu_graph *g, const char *name, size_t n, uint32_t tile)
{
    uint32_t id;
    cr_assert_eq(ipu_graph_add_variable(g, name, IPU_FLOAT, n, &id), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(g, id, 0, n, tile), MT_OK);
    return id;
}

/* Adds a vertex "copy" on `tile` from `n_in` slices to one slice. */
static inline void add_copy(ipu_graph *g, uint32_t tile, const ipu_slice *in, size_t n_in, ipu_slice out)
{
    size_t vertex;
    ipu_tensor t;
    cr_assert_eq(ipu_graph_add_vertex(g, 0, &ring_copy_codelet, tile, NULL, &vertex), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, in, n_in, &t), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "in", t), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, &out, 1, &t), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "out", t), MT_OK);
}
