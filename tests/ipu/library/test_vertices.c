#include "ipu/library/vertices.h"

#include "tests/ipu/small_graph.h"

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(vertices, .fini = teardown);

/* Tile 1 holds elements 0 to 2, 5 to 6 and 9 of w, mapped in another order; the tensor begins in the middle. */
Test(vertices, ranges_record_their_offset_on_their_tile)
{
    static const ipu_tile_range truth[] = {{1, {1, 1, 2}, 0, 1}, {2, {1, 3, 2}, 2, 0}, {1, {1, 5, 2}, 4, 3},
        {2, {1, 7, 2}, 6, 2}, {1, {1, 9, 1}, 8, 5}};
    ipu_graph *graph = small_graph(3, false);
    ipu_tile_range *ranges;
    ipu_tensor tensor;
    uint32_t v;
    size_t n;
    cr_assert_eq(ipu_graph_set_tile_mapping(graph, 0, 0, 8, 1), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(graph, "w", IPU_FLOAT, 10, &v), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(graph, v, 9, 1, 1), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(graph, v, 7, 2, 2), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(graph, v, 0, 3, 1), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(graph, v, 5, 2, 1), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(graph, v, 3, 2, 2), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(graph, &(ipu_slice){v, 1, 9}, 1, &tensor), MT_OK);
    cr_assert_eq(ipu_ranges_of(&arena, graph, tensor, "test", &ranges, &n), MT_OK, "%s", mt_message());
    cr_assert_eq(n, sizeof truth / sizeof *truth);
    for (size_t k = 0; k < n; k++) {
        cr_expect_eq(ranges[k].tile, truth[k].tile, "%zu", k);
        cr_expect_eq(ranges[k].slice.variable, truth[k].slice.variable, "%zu", k);
        cr_expect_eq(ranges[k].slice.from, truth[k].slice.from, "%zu", k);
        cr_expect_eq(ranges[k].slice.n, truth[k].slice.n, "%zu", k);
        cr_expect_eq(ranges[k].at, truth[k].at, "%zu", k);
        cr_expect_eq(ranges[k].there, truth[k].there, "%zu", k);
    }
}
