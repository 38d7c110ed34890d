#include <criterion/criterion.h>

#include <stdio.h>

#include "tests/ipu/test_ring.h"

static mt_arena arena;
static ipu_graph *graph;
static uint32_t a;
static uint32_t b;
static uint32_t ids;

static void setup(void)
{
    ipu_target target = ring_target(4);
    arena = (mt_arena){0};
    cr_assert_eq(ipu_graph_new(&arena, &target, &graph), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(graph, "a", IPU_FLOAT, 10, &a), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(graph, "b", IPU_FLOAT, 5, &b), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(graph, "ids", IPU_UNSIGNED_SHORT, 5, &ids), MT_OK);
}

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(graph, .init = setup, .fini = teardown);

static void expect_slice(ipu_tensor t, size_t i, uint32_t variable, size_t from, size_t n)
{
    const ipu_slice *s = &graph->slices[t.first_slice + i];
    cr_expect_eq(s->variable, variable);
    cr_expect_eq(s->from, from);
    cr_expect_eq(s->n, n);
}

Test(graph, a_slice_of_a_tensor_can_span_several_slices)
{
    const ipu_slice both[] = {{a, 0, graph->variables[a].n}, {b, 0, graph->variables[b].n}};
    ipu_tensor joined;
    ipu_tensor cut;
    cr_assert_eq(ipu_graph_add_tensor(graph, both, 2, &joined), MT_OK);
    cr_expect_eq(joined.n, 15);
    cr_assert_eq(ipu_graph_slice(graph, joined, 7, 5, &cut), MT_OK);
    cr_assert_eq(cut.n_slices, 2);
    expect_slice(cut, 0, a, 7, 3);
    expect_slice(cut, 1, b, 0, 2);
    cr_assert_eq(ipu_graph_slice(graph, cut, 3, 2, &cut), MT_OK);
    cr_assert_eq(cut.n_slices, 1);
    expect_slice(cut, 0, b, 0, 2);
    cr_assert_eq(ipu_graph_slice(graph, joined, 15, 0, &cut), MT_OK);
    cr_expect_eq(cut.n, 0);
    cr_expect_eq(ipu_graph_slice(graph, joined, 11, 5, &cut), MT_INPUT);
    cr_expect_str_eq(mt_message(), "graph: 5 elements from 11 of a tensor of 15");
}

Test(graph, growth_keeps_existing_entries)
{
    for (uint32_t i = 0; i < 100; i++) {
        ipu_tensor t;
        uint32_t id;
        char name[8];
        (void)snprintf(name, sizeof name, "x%u", i);
        cr_assert_eq(ipu_graph_add_variable(graph, name, IPU_FLOAT, i + 1, &id), MT_OK);
        cr_assert_eq(ipu_graph_variable_tensor(graph, id, &t), MT_OK);
    }
    for (uint32_t i = 0; i < 100; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "x%u", i);
        cr_assert_str_eq(graph->variables[3 + i].name, name);
        cr_assert_eq(graph->slices[i].n, i + 1);
    }
}

Test(graph, invalid_graphs_are_rejected_with_the_names_involved)
{
    ipu_tensor t;
    ipu_tensor u;
    uint32_t set;
    size_t vertex;
    ipu_slice mixed[] = {{a, 0, 1}, {ids, 0, 1}};
    cr_expect_eq(ipu_graph_set_tile_mapping(graph, a, 8, 3, 0), MT_INPUT);
    cr_expect_str_eq(mt_message(), "graph: variable 'a': 3 elements from 8; it has 10");
    cr_expect_eq(ipu_graph_set_tile_mapping(graph, a, 0, 3, 4), MT_INPUT);
    cr_expect_str_eq(mt_message(), "graph: variable 'a': mapped to tile 4; the machine has 4 tiles");
    cr_expect_eq(ipu_graph_add_tensor(graph, mixed, 2, &t), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "graph: a tensor of 'a' (float) and 'ids' (unsigned short); allowed: one type");
    cr_expect_eq(ipu_graph_variable_tensor(graph, 9, &t), MT_INPUT);
    cr_expect_str_eq(mt_message(), "graph: variable 9; allowed: below 3");

    cr_assert_eq(ipu_graph_add_compute_set(graph, "set", &set), MT_OK);
    cr_expect_eq(ipu_graph_add_vertex(graph, set + 1, &ring_copy_codelet, 0, NULL, &vertex), MT_INPUT);
    cr_expect_eq(ipu_graph_add_vertex(graph, set, &ring_copy_codelet, 4, NULL, &vertex), MT_INPUT);
    cr_expect_str_eq(mt_message(), "graph: a vertex 'copy' on tile 4; the machine has 4 tiles");
    cr_assert_eq(ipu_graph_add_vertex(graph, set, &ring_copy_codelet, 3, NULL, &vertex), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(graph, ids, &t), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(graph, a, &u), MT_OK);
    cr_expect_eq(ipu_graph_connect(graph, vertex, "inn", u), MT_INPUT);
    cr_expect_str_eq(mt_message(), "graph: codelet 'copy' has no field 'inn'");
    cr_expect_eq(ipu_graph_connect(graph, vertex, "in", t), MT_INPUT);
    cr_expect_str_eq(mt_message(), "graph: tile 3: codelet 'copy' field 'in' is of type float, its tensor "
                                   "('ids') of type unsigned short");
    cr_expect_eq(ipu_graph_connect(graph, vertex, "in", u), MT_OK);
    cr_expect_eq(ipu_graph_connect(graph, vertex, "in", u), MT_INPUT);
    cr_expect_str_eq(mt_message(), "graph: tile 3: codelet 'copy' field 'in' is connected twice");
}

Test(graph, a_constant_is_read_only)
{
    static const float values[] = {1, 2};
    uint32_t two, set, stream;
    size_t vertex;
    ipu_tensor whole, mixed;
    const ipu_program *program;
    cr_assert_eq(ipu_graph_add_constant(graph, "two", IPU_FLOAT, 2, values, &two), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(graph, two, &whole), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(graph, (ipu_slice[]){{a, 0, 1}, {two, 1, 1}}, 2, &mixed), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(graph, "set", &set), MT_OK);
    cr_assert_eq(ipu_graph_add_vertex(graph, set, &ring_copy_codelet, 3, NULL, &vertex), MT_OK);
    cr_expect_eq(ipu_graph_connect(graph, vertex, "out", mixed), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "graph: tile 3: codelet 'copy' field 'out' would write to the constant 'two'");
    cr_expect_eq(ipu_graph_connect(graph, vertex, "in", mixed), MT_OK);
    cr_expect_eq(ipu_graph_set_temporary(graph, two), MT_INPUT);
    cr_assert_eq(ipu_graph_add_stream(graph, "s", IPU_FLOAT, &stream), MT_OK);
    cr_assert_eq(ipu_program_host_write(&arena, stream, whole, &program), MT_OK);
    cr_expect_eq(ipu_program_check(program, graph), MT_INPUT);
    cr_expect_str_eq(mt_message(), "program: stream 's' would write to the constant 'two'");
    cr_assert_eq(ipu_program_host_read(&arena, whole, stream, &program), MT_OK);
    cr_expect_eq(ipu_program_check(program, graph), MT_OK);
}
