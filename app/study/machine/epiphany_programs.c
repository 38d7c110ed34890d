#include "app/study/machine/epiphany_programs.h"

#include "app/study/machine/tile_grid.h"

/* ---- all programs ---- */

enum { BRANCH = 4 }; /* cycles of a taken branch */

/* The cost of a vertex is a number of cycles. */
static ipu_cycles counted_cost(const ipu_target *target, const size_t *n, const void *context)
{
    const uint64_t *cycles = context;
    (void)target, (void)n;
    return (ipu_cycles){.worker = *cycles};
}

static const ipu_field received_fields[] = {{"in", IPU_INPUT, IPU_FLOAT}};
static const ipu_field stencil_fields[] = {{"near", IPU_INPUT, IPU_FLOAT}, {"points", IPU_INOUT, IPU_FLOAT}};
static const ipu_field product_fields[] = {{"block", IPU_INOUT, IPU_FLOAT}};
static const ipu_codelet receive = MT_TIMED_CODELET("receive", received_fields, counted_cost),
                         stencil = MT_TIMED_CODELET("stencil", stencil_fields, counted_cost),
                         product = MT_TIMED_CODELET("product", product_fields, counted_cost);

static const uint64_t no_cycles = 0;

/* Returns the machine with copies by DMA, which do not wait for flags. */
static ipu_target with_dma(const ipu_target *one, int at)
{
    ipu_target target = *one;
    target.exchange_fixed_cycles += MT_EPIPHANY_DMA_START;
    target.exchange_fragment_cycles = 0; /* of further descriptors: during the words before */
    target.sync_cycles = 0;
    if (at == MT_AT_SLOW && target.exchange_bytes_per_cycle > 1) {
        target.exchange_bytes_per_cycle /= 2;
        target.fabric.words_per_cycle *= 2;
    }
    return target;
}

/* Adds a vertex that receives n slices of `variable` on a tile. */
static mt_status add_receiver(
    const mt_tile_grid *g, uint32_t tile, const ipu_slice *slices, size_t n, const uint64_t *cost)
{
    size_t vertex;
    MT_TRY(ipu_graph_add_vertex(g->graph, g->set, &receive, tile, cost, &vertex));
    return mt_tile_grid_connect(g, vertex, "in", slices, n);
}

/* ---- stores and copies ---- */

enum { SIDE = 4, LAST = SIDE * SIDE - 1 }; /* tiles of an Epiphany-III */

mt_status mt_epiphany_store(const ipu_target *one, uint32_t to, double *cycles)
{
    static const uint64_t wait = 3 + 4; /* half a turn of the loop, and load, wait, comparison, branch */
    MT_SCRATCH(arena);
    ipu_target target = *one;
    mt_tile_grid g;
    mt_tile_sets list = {0};
    uint32_t flag;
    target.sync_cycles = target.exchange_fragment_cycles = 0; /* the store is the flag */
    MT_TRY(mt_tile_grid_begin(arena, &target, SIDE, SIDE, 1, &g));
    MT_TRY(mt_tile_grid_add(&g, "flag", IPU_FLOAT, 1, &flag));
    MT_TRY(ipu_graph_add_compute_set(g.graph, "store", &g.set));
    mt_tile_sets_append(&list, &g.set, 1);
    MT_TRY(add_receiver(&g, to, &(ipu_slice){flag, 0, 1}, 1, &wait));
    return mt_tile_grid_cycles(&g, &list, cycles);
}

mt_status mt_epiphany_copy(const ipu_target *one, int at, size_t bytes, bool others, double *cycles)
{
    enum { TO_7 = 7, TO_11 = 11 };
    MT_SCRATCH(arena);
    const ipu_target target = with_dma(one, others ? MT_AT_VALUES : at);
    const size_t n = bytes / sizeof(float), senders = others ? 4 : 1;
    double answer;
    mt_tile_grid g;
    mt_tile_sets list = {0};
    uint32_t data;
    MT_TRY(mt_epiphany_store(one, LAST, &answer));
    MT_TRY(mt_tile_grid_begin(arena, &target, SIDE, SIDE, n, &g));
    MT_TRY(ipu_graph_add_variable(g.graph, "data", IPU_FLOAT, senders * n, &data));
    for (uint32_t t = 0; t < senders; t++) MT_TRY(ipu_graph_set_tile_mapping(g.graph, data, t * n, n, t));
    MT_TRY(ipu_graph_add_compute_set(g.graph, "copy", &g.set));
    mt_tile_sets_append(&list, &g.set, 1);
    MT_TRY(add_receiver(&g, LAST, &(ipu_slice){data, 0, n}, 1, &no_cycles));
    if (others) {
        const ipu_slice of_1_and_3[] = {{data, 1 * n, n}, {data, 3 * n, n}};
        MT_TRY(add_receiver(&g, TO_7, &(ipu_slice){data, 2 * n, n}, 1, &no_cycles));
        MT_TRY(add_receiver(&g, TO_11, of_1_and_3, 2, &no_cycles));
    }
    MT_TRY(mt_tile_grid_cycles(&g, &list, cycles));
    *cycles += answer;
    return MT_OK;
}

/* ---- the stencil ---- */

enum { CHIP_SIDE = 8, POINTS = 60, PADDED = POINTS + 2 };

/* Adds the vertex of a tile. The points are numbered such that each side is one range. */
static mt_status add_stencil(const mt_tile_grid *g, uint32_t points, size_t x, size_t y, const uint64_t *cost)
{
    ipu_slice near[4];
    size_t n = 0, vertex;
    const uint32_t t = mt_tile_grid_at(g, x, y);
    const size_t last = CHIP_SIDE - 1;
    if (y > 0) near[n++] = (ipu_slice){points, mt_tile_grid_at(g, x, y - 1) * g->nz, PADDED};
    if (y < last) near[n++] = (ipu_slice){points, mt_tile_grid_at(g, x, y + 1) * g->nz, PADDED};
    if (x > 0) near[n++] = (ipu_slice){points, mt_tile_grid_at(g, x - 1, y) * g->nz, PADDED};
    if (x < last) near[n++] = (ipu_slice){points, mt_tile_grid_at(g, x + 1, y) * g->nz, PADDED};
    MT_TRY(ipu_graph_add_vertex(g->graph, g->set, &stencil, t, cost, &vertex));
    MT_TRY(mt_tile_grid_connect(g, vertex, "near", near, n));
    return mt_tile_grid_connect(g, vertex, "points", &(ipu_slice){points, t * g->nz, g->nz}, 1);
}

mt_status mt_epiphany_stencil(const ipu_target *one, int at, double *cycles)
{
    enum { CALLS = 3, TURNS = 30, PAIRS = 200, BEFORE = 52 + 25, AFTER = 18, FLAGS = 36, BORDER_TURN = 24 };
    MT_SCRATCH(arena);
    const uint64_t turn = PAIRS + 2 + BRANCH, calls = CALLS * (BEFORE + TURNS * turn - (BRANCH - 1) + AFTER),
                   cost = calls + PADDED * BORDER_TURN + 2 * FLAGS + one->sync_cycles;
    ipu_target target = with_dma(one, at);
    mt_tile_grid g;
    mt_tile_sets list = {0};
    uint32_t points;
    target.sync_cycles = one->sync_cycles;
    MT_TRY(mt_tile_grid_begin(arena, &target, CHIP_SIDE, CHIP_SIDE, (size_t)PADDED * PADDED, &g));
    MT_TRY(mt_tile_grid_add(&g, "points", IPU_FLOAT, g.nz, &points));
    MT_TRY(ipu_graph_add_compute_set(g.graph, "iteration", &g.set));
    mt_tile_sets_append(&list, &g.set, 1);
    for (size_t y = 0; y < CHIP_SIDE; y++)
        for (size_t x = 0; x < CHIP_SIDE; x++) MT_TRY(add_stencil(&g, points, x, y, &cost));
    return mt_tile_grid_cycles(&g, &list, cycles);
}

/* ---- the product ---- */

/* Adds the product of the blocks of every tile. */
static mt_status add_products(mt_tile_grid *g, uint32_t block, const uint64_t *cost)
{
    MT_TRY(ipu_graph_add_compute_set(g->graph, "product", &g->set));
    for (uint32_t t = 0; t < g->nx * g->ny; t++) {
        size_t vertex;
        MT_TRY(ipu_graph_add_vertex(g->graph, g->set, &product, t, cost, &vertex));
        MT_TRY(mt_tile_grid_connect(g, vertex, "block", &(ipu_slice){block, t * g->nz, g->nz}, 1));
    }
    return MT_OK;
}

/* Adds copies of half a block from the next tile in the row, or in the column. */
static mt_status add_copies(mt_tile_grid *g, uint32_t block, bool in_row, size_t half)
{
    const size_t n = g->nz / 2;
    MT_TRY(ipu_graph_add_compute_set(g->graph, in_row ? "A" : "B", &g->set));
    for (size_t y = 0; y < g->ny; y++)
        for (size_t x = 0; x < g->nx; x++) {
            const uint32_t from =
                in_row ? mt_tile_grid_at(g, (x + 1) % g->nx, y) : mt_tile_grid_at(g, x, (y + 1) % g->ny);
            const ipu_slice slice = {block, from * g->nz + half * n, n};
            MT_TRY(add_receiver(g, mt_tile_grid_at(g, x, y), &slice, 1, &no_cycles));
        }
    return MT_OK;
}

mt_status mt_epiphany_product(const ipu_target *one, int at, double *cycles)
{
    enum { ROWS = 32, PAIRS = ROWS * ROWS, OTHERS = 33, BEFORE = 40, AFTER = 20, CALL = 25, STEPS = 8 };
    static const uint64_t cost = ROWS * (PAIRS + OTHERS + 2 + BRANCH) - (BRANCH - 1) + BEFORE + AFTER + CALL;
    MT_SCRATCH(arena);
    const ipu_target target = with_dma(one, at);
    mt_tile_grid g;
    mt_tile_sets list = {0};
    uint32_t a, b, c;
    MT_TRY(mt_tile_grid_begin(arena, &target, CHIP_SIDE, CHIP_SIDE, PAIRS, &g));
    MT_TRY(mt_tile_grid_add(&g, "A", IPU_FLOAT, PAIRS, &a));
    MT_TRY(mt_tile_grid_add(&g, "B", IPU_FLOAT, PAIRS, &b));
    MT_TRY(mt_tile_grid_add(&g, "C", IPU_FLOAT, PAIRS, &c));
    MT_TRY(add_products(&g, c, &cost));
    mt_tile_sets_append(&list, &g.set, 1);
    for (size_t half = 0; half < 2; half++) {
        MT_TRY(add_copies(&g, a, true, half));
        mt_tile_sets_append(&list, &g.set, 1);
        MT_TRY(add_copies(&g, b, false, half));
        mt_tile_sets_append(&list, &g.set, 1);
    }
    MT_TRY(mt_tile_grid_cycles(&g, &list, cycles));
    *cycles *= STEPS;
    return MT_OK;
}
