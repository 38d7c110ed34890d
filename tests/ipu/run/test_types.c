#include "tests/ipu/small_graph.h"

#include <string.h>

#include "ipu/machine/half.h"

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(types, .fini = teardown);

static void copy_bytes(const ipu_span *f, const void *context)
{
    memcpy(f[1].data, f[0].data, f[1].n * *(const size_t *)context);
}

/* Sends three elements of a type from tile 0 to tile 1 in a checked run, and on to the host. */
static void send_three(ipu_type type, const void *values, void *found)
{
    const ipu_field fields[] = {{"in", IPU_INPUT, type}, {"out", IPU_OUTPUT, type}};
    const ipu_codelet codelet = {"move", 2, fields, copy_bytes, ring_cost, .code_bytes = 8};
    const size_t bytes = ipu_type_bytes(type);
    const ipu_target target = ring_target(2);
    const ipu_program *program;
    ipu_executable *e;
    ipu_engine *engine;
    ipu_graph *g;
    ipu_tensor in, out;
    uint32_t a, b, set;
    size_t vertex;
    cr_assert_eq(ipu_graph_new(&arena, &target, &g), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(g, "a", type, 3, &a), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(g, "b", type, 3, &b), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(g, a, 0, 3, 0), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(g, b, 0, 3, 1), MT_OK);
    cr_assert_eq(ipu_graph_add_compute_set(g, "set", &set), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, a, &in), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(g, b, &out), MT_OK);
    cr_assert_eq(ipu_graph_add_vertex(g, set, &codelet, 1, &bytes, &vertex), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "in", in), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "out", out), MT_OK);
    cr_assert_eq(ipu_program_execute(&arena, set, &program), MT_OK);
    cr_assert_eq(ipu_compile(&arena, g, &program, 1, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_executable_check(e), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_new(&arena, e, true, &engine), MT_OK);
    ipu_engine_write(engine, &in, values);
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s: %s", ipu_type_name(type), mt_message());
    ipu_engine_read(engine, &out, found);
    cr_expect_eq(e->supersteps[0].exchange.bytes_received, (3 * bytes + 3) / 4 * 4, "whole words of %s",
        ipu_type_name(type));
}

Test(types, every_type_is_exchanged_unchanged)
{
    const float floats[] = {1, -2.5F, 3e30F};
    const uint16_t shorts[] = {1, 2, 65534},
                   halves[] = {ipu_half_of(1), ipu_half_of(-0.1F), ipu_half_of(0x1p-24F)};
    const uint32_t counts[] = {0, 7, 4000000000U};
    const int32_t ints[] = {-1, 0, INT32_MIN};
    const bool bools[] = {true, false, true};
    const struct {
        ipu_type type;
        const void *values;
    } cases[] = {{IPU_FLOAT, floats}, {IPU_UNSIGNED_SHORT, shorts}, {IPU_UNSIGNED_INT, counts},
        {IPU_HALF, halves}, {IPU_INT, ints}, {IPU_BOOL, bools}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        unsigned char found[12];
        send_three(cases[k].type, cases[k].values, found);
        cr_expect_eq(memcmp(found, cases[k].values, 3 * ipu_type_bytes(cases[k].type)), 0, "%s",
            ipu_type_name(cases[k].type));
    }
}
