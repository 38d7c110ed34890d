#include "app/study/machine/wafer_programs.h"

#include "app/study/machine/tile_grid.h"
#include "ipu/machine/integer.h"

/* ---- all programs ---- */

/* Returns the cycles of a vector instruction on n elements in memory. */
static uint64_t vector(size_t n, size_t lanes) { return 1 + ipu_divide_up(n, lanes); }

/* Returns the same for n elements of `bytes` bytes from the network. */
static uint64_t stream(const ipu_target *target, size_t n, size_t bytes)
{
    return 1 + ipu_divide_up(n * bytes, target->exchange_bytes_per_cycle);
}

/* Returns the cost of some tasks that take `cycles` together. */
static ipu_cycles tasks(const ipu_target *target, size_t n, uint64_t cycles)
{
    return (ipu_cycles){.entry = n * target->vertex_entry_cycles, .worker = cycles};
}

/* Creates a grid whose tiles have room for all words that they receive: operations take words as they arrive, so no tile keeps them. */
static mt_status begin(
    mt_arena *arena, const ipu_target *one, size_t nx, size_t ny, size_t nz, mt_tile_grid *w)
{
    ipu_target target = *one;
    target.bytes_per_tile *= 4;
    return mt_tile_grid_begin(arena, &target, nx, ny, nz, w);
}

/* Lists the columns of up to `reach` tiles in each direction along x and y; returns their number. */
static size_t list_neighbours(
    const mt_tile_grid *w, uint32_t variable, size_t x, size_t y, size_t reach, ipu_slice *slices)
{
    size_t n = 0;
    for (size_t k = 1; k <= reach; k++) {
        if (x >= k) slices[n++] = (ipu_slice){variable, mt_tile_grid_at(w, x - k, y) * w->nz, w->nz};
        if (x + k < w->nx) slices[n++] = (ipu_slice){variable, mt_tile_grid_at(w, x + k, y) * w->nz, w->nz};
        if (y >= k) slices[n++] = (ipu_slice){variable, mt_tile_grid_at(w, x, y - k) * w->nz, w->nz};
        if (y + k < w->ny) slices[n++] = (ipu_slice){variable, mt_tile_grid_at(w, x, y + k) * w->nz, w->nz};
    }
    return n;
}

/* Adds a vertex to every tile that takes the columns of its neighbours and its own, and writes to another variable. */
static mt_status add_stencil(
    mt_tile_grid *w, const char *name, const ipu_codelet *codelet, uint32_t from, uint32_t to, size_t reach)
{
    enum { MOST_REACH = 4, SIDES = 4 };
    ipu_slice near[SIDES * MOST_REACH];
    MT_TRY(ipu_graph_add_compute_set(w->graph, name, &w->set));
    for (size_t y = 0; y < w->ny; y++)
        for (size_t x = 0; x < w->nx; x++) {
            const uint32_t t = mt_tile_grid_at(w, x, y);
            const ipu_slice own = {from, t * w->nz, w->nz}, out = {to, t * w->nz, w->nz};
            size_t vertex;
            MT_TRY(ipu_graph_add_vertex(w->graph, w->set, codelet, t, NULL, &vertex));
            MT_TRY(
                mt_tile_grid_connect(w, vertex, "near", near, list_neighbours(w, from, x, y, reach, near)));
            MT_TRY(mt_tile_grid_connect(w, vertex, "own", &own, 1));
            MT_TRY(mt_tile_grid_connect(w, vertex, "out", &out, 1));
        }
    return MT_OK;
}

/* ---- BiCGStab ---- */

enum { HALF_BYTES = 2 };

/* The multiplications of the four neighbours and of the own column with its two neighbours along z take their operand from the network. */
static ipu_cycles product_cost(const ipu_target *target, const size_t *n, const void *context)
{
    enum { MULTIPLICATIONS = 6, ADDITIONS = 6, OWN = 2 };
    (void)context;
    const size_t sides = n[0] / n[1];
    const uint64_t multiply = (sides + OWN) * stream(target, n[1], HALF_BYTES);
    const uint64_t add = ADDITIONS * vector(n[1], target->instructions.f16_lanes);
    return tasks(target, MULTIPLICATIONS + 1, multiply + add);
}

static ipu_cycles vectors_cost(const ipu_target *target, const size_t *n, const void *context)
{
    const size_t *times = context;
    return tasks(target, *times, *times * vector(n[0], target->instructions.f16_lanes));
}

/* Products of halves with sums in floats: half as many lanes. */
static ipu_cycles dots_cost(const ipu_target *target, const size_t *n, const void *context)
{
    const size_t *times = context;
    const size_t lanes = ipu_larger(1, target->instructions.f16_lanes / 2);
    return tasks(target, *times, *times * vector(n[0], lanes));
}

static ipu_cycles sum_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return tasks(target, 1, stream(target, n[0], sizeof(float)));
}

static ipu_cycles divide_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)n, (void)context;
    return tasks(target, 1, (uint64_t)target->instructions.f32_div);
}

static ipu_cycles take_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return tasks(target, 1, stream(target, n[0], sizeof(float)));
}

static const ipu_field product_fields[] = {
    {"near", IPU_INPUT, IPU_HALF}, {"own", IPU_INPUT, IPU_HALF}, {"out", IPU_OUTPUT, IPU_HALF}};
static const ipu_field vectors_fields[] = {{"out", IPU_OUTPUT, IPU_HALF}};
static const ipu_field dots_fields[] = {{"in", IPU_INPUT, IPU_HALF}, {"out", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_field sum_fields[] = {{"in", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_field take_fields[] = {{"in", IPU_INPUT, IPU_FLOAT}};

static const ipu_codelet product = MT_TIMED_CODELET("product", product_fields, product_cost),
                         vectors = MT_TIMED_CODELET("vectors", vectors_fields, vectors_cost),
                         dots = MT_TIMED_CODELET("dots", dots_fields, dots_cost),
                         sum = {.name = "sum",
                             .n_fields = 2,
                             .fields = sum_fields,
                             .compute = mt_no_values,
                             .cost = sum_cost,
                             .kind = IPU_SINGLE_WORKER,
                             .lists = 1},
                         divide = MT_TIMED_CODELET("divide", take_fields, divide_cost),
                         take = MT_TIMED_CODELET("take", take_fields, take_cost);

static const size_t one_time = 1, two_times = 2, three_times = 3;

/* Adds operations on the own column of every tile. */
static mt_status add_vectors(mt_tile_grid *w, const char *name, uint32_t variable, const size_t *times)
{
    MT_TRY(ipu_graph_add_compute_set(w->graph, name, &w->set));
    for (uint32_t t = 0; t < w->nx * w->ny; t++) {
        size_t vertex;
        MT_TRY(ipu_graph_add_vertex(w->graph, w->set, &vectors, t, times, &vertex));
        MT_TRY(mt_tile_grid_connect(w, vertex, "out", &(ipu_slice){variable, t * w->nz, w->nz}, 1));
    }
    return MT_OK;
}

/* Adds dot products of every tile, with `*times` sums each. */
static mt_status add_dots(
    mt_tile_grid *w, const char *name, uint32_t variable, uint32_t sums, const size_t *times)
{
    MT_TRY(ipu_graph_add_compute_set(w->graph, name, &w->set));
    for (uint32_t t = 0; t < w->nx * w->ny; t++) {
        size_t vertex;
        MT_TRY(ipu_graph_add_vertex(w->graph, w->set, &dots, t, times, &vertex));
        MT_TRY(mt_tile_grid_connect(w, vertex, "in", &(ipu_slice){variable, t * w->nz, w->nz}, 1));
        MT_TRY(mt_tile_grid_connect(w, vertex, "out", &(ipu_slice){sums, t * *times, *times}, 1));
    }
    return MT_OK;
}

enum { REDUCTION_SETS = 4 };

/* The compute sets of a reduction of `n` numbers of each tile. */
typedef struct sum_of_all {
    size_t n;
    uint32_t from, rows, columns, total; /* variables */
    uint32_t sets[REDUCTION_SETS];
} sum_of_all;

/* Adds a sum of slices on a tile to element `to` of a variable. The first slice, or else the last one, is on the tile itself: it is a range
 * of its own, so that it is not copied. */
static mt_status add_sum(const mt_tile_grid *w, const sum_of_all *r, uint32_t tile, const ipu_slice *slices,
    size_t n, bool own_first, uint32_t variable, size_t to)
{
    enum { RANGES = 2 };
    const size_t first = own_first ? 1 : n - 1;
    size_t vertex;
    ipu_tensor ranges[RANGES];
    MT_TRY(ipu_graph_add_vertex(w->graph, w->set, &sum, tile, NULL, &vertex));
    MT_TRY(ipu_graph_add_tensor(w->graph, slices, first, &ranges[0]));
    MT_TRY(ipu_graph_add_tensor(w->graph, slices + first, n - first, &ranges[1]));
    MT_TRY(ipu_graph_connect_list(w->graph, vertex, "in", ranges, RANGES));
    return mt_tile_grid_connect(w, vertex, "out", &(ipu_slice){variable, to * r->n, r->n}, 1);
}

/* Returns the middle tile of the first or second half. */
static size_t middle(size_t n, size_t half) { return n / 2 - 1 + half; }

static size_t first_of_half(size_t n, size_t half) { return half == 0 ? 0 : n / 2; }

static size_t end_of_half(size_t n, size_t half) { return half == 0 ? n / 2 : n; }

static mt_status add_rows(mt_tile_grid *w, sum_of_all *r, ipu_slice *slices)
{
    MT_TRY(ipu_graph_add_variable(w->graph, "sums of rows", IPU_FLOAT, 2 * w->ny * r->n, &r->rows));
    MT_TRY(ipu_graph_add_compute_set(w->graph, "rows", &w->set));
    r->sets[0] = w->set;
    for (size_t y = 0; y < w->ny; y++)
        for (size_t half = 0; half < 2; half++) {
            const uint32_t tile = mt_tile_grid_at(w, middle(w->nx, half), y);
            size_t n = 0;
            for (size_t x = first_of_half(w->nx, half); x < end_of_half(w->nx, half); x++)
                slices[n++] = (ipu_slice){r->from, mt_tile_grid_at(w, x, y) * r->n, r->n};
            MT_TRY(ipu_graph_set_tile_mapping(w->graph, r->rows, (half * w->ny + y) * r->n, r->n, tile));
            MT_TRY(add_sum(w, r, tile, slices, n, half == 1, r->rows, half * w->ny + y));
        }
    return MT_OK;
}

static mt_status add_middle_columns(mt_tile_grid *w, sum_of_all *r, ipu_slice *slices)
{
    enum { QUARTERS = 4 };
    MT_TRY(ipu_graph_add_variable(w->graph, "sums of columns", IPU_FLOAT, QUARTERS * r->n, &r->columns));
    MT_TRY(ipu_graph_add_compute_set(w->graph, "columns", &w->set));
    r->sets[1] = w->set;
    for (size_t k = 0; k < QUARTERS; k++) {
        const size_t column = k / 2, half = k % 2;
        const uint32_t tile = mt_tile_grid_at(w, middle(w->nx, column), middle(w->ny, half));
        size_t n = 0;
        for (size_t y = first_of_half(w->ny, half); y < end_of_half(w->ny, half); y++)
            slices[n++] = (ipu_slice){r->rows, (column * w->ny + y) * r->n, r->n};
        MT_TRY(ipu_graph_set_tile_mapping(w->graph, r->columns, k * r->n, r->n, tile));
        MT_TRY(add_sum(w, r, tile, slices, n, half == 1, r->columns, k));
    }
    MT_TRY(ipu_graph_add_variable(w->graph, "total", IPU_FLOAT, r->n, &r->total));
    MT_TRY(ipu_graph_add_compute_set(w->graph, "total", &w->set));
    r->sets[2] = w->set;
    const uint32_t centre = mt_tile_grid_at(w, w->nx / 2, w->ny / 2);
    MT_TRY(ipu_graph_set_tile_mapping(w->graph, r->total, 0, r->n, centre));
    for (size_t k = 0; k < QUARTERS; k++) slices[k] = (ipu_slice){r->columns, k * r->n, r->n};
    return add_sum(w, r, centre, slices, QUARTERS, false, r->total, 0);
}

/* Sends the total to all tiles, which divide it or only take it. */
static mt_status add_reduction(mt_tile_grid *w, size_t n, const ipu_codelet *with_total, sum_of_all *r)
{
    ipu_slice *slices;
    r->n = n;
    MT_ALLOC(w->arena, slices, w->nx + w->ny + 4);
    MT_TRY(add_rows(w, r, slices));
    MT_TRY(add_middle_columns(w, r, slices));
    MT_TRY(ipu_graph_add_compute_set(w->graph, "to all", &w->set));
    r->sets[3] = w->set;
    for (uint32_t t = 0; t < w->nx * w->ny; t++) {
        size_t vertex;
        MT_TRY(ipu_graph_add_vertex(w->graph, w->set, with_total, t, NULL, &vertex));
        MT_TRY(mt_tile_grid_connect(w, vertex, "in", &(ipu_slice){r->total, 0, n}, 1));
    }
    return MT_OK;
}

/* Adds dot products with their reduction. */
static mt_status add_dot_all(mt_tile_grid *w, mt_tile_sets *list, const char *name, uint32_t variable,
    const size_t *times, sum_of_all *r)
{
    MT_TRY(mt_tile_grid_add(w, "sums", IPU_FLOAT, *times, &r->from));
    MT_TRY(add_dots(w, name, variable, r->from, times));
    mt_tile_sets_append(list, &w->set, 1);
    MT_TRY(add_reduction(w, *times, &divide, r));
    mt_tile_sets_append(list, r->sets, REDUCTION_SETS);
    return MT_OK;
}

/* p, v = A p, s in place of r, t = A s, and x; the six diagonals of the matrix only take memory. */
static mt_status make_iteration(mt_tile_grid *w, mt_tile_sets *list)
{
    enum { DIAGONALS = 6 };
    uint32_t matrix, p, v, r, x;
    sum_of_all alpha = {0}, omega = {0}, rho = {0};
    MT_TRY(mt_tile_grid_add(w, "matrix", IPU_HALF, DIAGONALS * w->nz, &matrix));
    MT_TRY(mt_tile_grid_add(w, "p", IPU_HALF, w->nz, &p));
    MT_TRY(mt_tile_grid_add(w, "v", IPU_HALF, w->nz, &v));
    MT_TRY(mt_tile_grid_add(w, "r", IPU_HALF, w->nz, &r));
    MT_TRY(mt_tile_grid_add(w, "x", IPU_HALF, w->nz, &x));
    MT_TRY(add_stencil(w, "v = A p", &product, p, v, 1));
    mt_tile_sets_append(list, &w->set, 1);
    MT_TRY(add_dot_all(w, list, "r0 v", v, &one_time, &alpha));
    MT_TRY(add_vectors(w, "s", r, &one_time));
    mt_tile_sets_append(list, &w->set, 1);
    MT_TRY(add_stencil(w, "t = A s", &product, r, x, 1));
    mt_tile_sets_append(list, &w->set, 1);
    MT_TRY(add_dot_all(w, list, "t s, t t", r, &two_times, &omega));
    MT_TRY(add_vectors(w, "x, r", x, &three_times));
    mt_tile_sets_append(list, &w->set, 1);
    MT_TRY(add_dot_all(w, list, "r0 r", r, &one_time, &rho));
    MT_TRY(add_vectors(w, "p", p, &two_times));
    mt_tile_sets_append(list, &w->set, 1);
    return MT_OK;
}

/* Computes the cycles of a reduction of n numbers that all tiles `with_total`. */
static mt_status time_reduction(
    const ipu_target *one, size_t nx, size_t ny, size_t n, const ipu_codelet *with_total, double *cycles)
{
    MT_SCRATCH(arena);
    mt_tile_grid w;
    mt_tile_sets list = {0};
    sum_of_all r = {0};
    MT_TRY(begin(arena, one, nx, ny, 1, &w));
    MT_TRY(mt_tile_grid_add(&w, "sums", IPU_FLOAT, n, &r.from));
    MT_TRY(add_reduction(&w, n, with_total, &r));
    mt_tile_sets_append(&list, r.sets, REDUCTION_SETS);
    return mt_tile_grid_cycles(&w, &list, cycles);
}

/* Computes the cycles of the three reductions of an iteration. */
static mt_status time_reductions(const ipu_target *one, size_t nx, size_t ny, double *cycles)
{
    double of_one, of_two;
    MT_TRY(time_reduction(one, nx, ny, 1, &divide, &of_one));
    MT_TRY(time_reduction(one, nx, ny, 2, &divide, &of_two));
    *cycles = 2 * of_one + of_two;
    return MT_OK;
}

static mt_status time_iteration(const ipu_target *one, size_t tiles, size_t nz, double *cycles)
{
    MT_SCRATCH(arena);
    mt_tile_grid w;
    mt_tile_sets list = {0};
    MT_TRY(begin(arena, one, tiles, tiles, nz, &w));
    MT_TRY(make_iteration(&w, &list));
    return mt_tile_grid_cycles(&w, &list, cycles);
}

/* An iteration on fewer tiles differs in its reductions only: all tiles wait for them. */
mt_status mt_wafer_bicgstab(
    const ipu_target at[MT_ATS], size_t nx, size_t ny, size_t nz, double iteration[MT_ATS], double *reduction)
{
    enum { TILES = 20 };
    double all, few;
    MT_TRY(time_reduction(&at[MT_AT_VALUES], nx, ny, 1, &take, reduction));
    MT_TRY(time_reductions(&at[MT_AT_VALUES], nx, ny, &all));
    MT_TRY(time_reductions(&at[MT_AT_VALUES], TILES, TILES, &few));
    for (int k = 0; k < MT_ATS; k++) {
        MT_TRY(time_iteration(&at[k], TILES, nz, &iteration[k]));
        iteration[k] += all - few;
    }
    return MT_OK;
}

/* ---- seismic waves ---- */

static ipu_cycles seismic_cost(const ipu_target *target, const size_t *n, const void *context)
{
    enum { STREAMS = 20, SENDS = 4, VECTORS = 32 }; /* 20 additions, 8 along z, 4 of the time step */
    (void)context;
    const uint64_t streams = (STREAMS + SENDS) * stream(target, n[1], sizeof(float));
    return tasks(target, STREAMS + SENDS, streams + VECTORS * vector(n[1], target->instructions.f32_lanes));
}

static const ipu_field seismic_fields[] = {
    {"near", IPU_INPUT, IPU_FLOAT}, {"own", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_codelet seismic = MT_TIMED_CODELET("seismic", seismic_fields, seismic_cost);

mt_status mt_wafer_seismic(const ipu_target *one, size_t n, size_t nz, double *cycles)
{
    enum { REACH = 4 };
    MT_SCRATCH(arena);
    mt_tile_grid w;
    mt_tile_sets list = {0};
    uint32_t now, next;
    MT_TRY(begin(arena, one, n, n, nz, &w));
    MT_TRY(mt_tile_grid_add(&w, "now", IPU_FLOAT, nz, &now));
    MT_TRY(mt_tile_grid_add(&w, "next", IPU_FLOAT, nz, &next));
    MT_TRY(add_stencil(&w, "forward", &seismic, now, next, REACH));
    mt_tile_sets_append(&list, &w.set, 1);
    MT_TRY(add_stencil(&w, "back", &seismic, next, now, REACH));
    mt_tile_sets_append(&list, &w.set, 1);
    MT_TRY(mt_tile_grid_cycles(&w, &list, cycles));
    *cycles /= 2;
    return MT_OK;
}

/* ---- the stencil in rectangles ---- */

/* The points and the length of all four sides. */
static ipu_cycles rectangle_cost(const ipu_target *target, const size_t *n, const void *context)
{
    enum { TASKS = 10, OPERATIONS = 6, SENDS = 4 };
    const size_t *sides = context;
    const uint64_t sends = SENDS + ipu_divide_up(*sides * sizeof(float), target->exchange_bytes_per_cycle);
    return tasks(target, TASKS, sends + OPERATIONS * vector(n[1], target->instructions.f32_lanes));
}

static const ipu_field rectangle_fields[] = {
    {"near", IPU_INPUT, IPU_FLOAT}, {"points", IPU_INOUT, IPU_FLOAT}};
static const ipu_codelet rectangle = MT_TIMED_CODELET("rectangle", rectangle_fields, rectangle_cost);

/* Adds the vertex of a tile, which receives a side of `width` or `height` points from each neighbour. The points are numbered such that
 * each side is one range. */
static mt_status add_rectangle(const mt_tile_grid *w, uint32_t points, const size_t *sides, size_t x,
    size_t y, size_t width, size_t height)
{
    ipu_slice near[4];
    size_t n = 0, vertex;
    const uint32_t t = mt_tile_grid_at(w, x, y);
    if (y > 0) near[n++] = (ipu_slice){points, mt_tile_grid_at(w, x, y - 1) * w->nz, width};
    if (y + 1 < w->ny) near[n++] = (ipu_slice){points, mt_tile_grid_at(w, x, y + 1) * w->nz, width};
    if (x > 0) near[n++] = (ipu_slice){points, mt_tile_grid_at(w, x - 1, y) * w->nz, height};
    if (x + 1 < w->nx) near[n++] = (ipu_slice){points, mt_tile_grid_at(w, x + 1, y) * w->nz, height};
    MT_TRY(ipu_graph_add_vertex(w->graph, w->set, &rectangle, t, sides, &vertex));
    MT_TRY(mt_tile_grid_connect(w, vertex, "near", near, n));
    return mt_tile_grid_connect(w, vertex, "points", &(ipu_slice){points, t * w->nz, w->nz}, 1);
}

mt_status mt_wafer_stencil(const ipu_target *one, size_t n, size_t width, size_t height, double *cycles)
{
    MT_SCRATCH(arena);
    const size_t sides = 2 * (width + height);
    mt_tile_grid w;
    mt_tile_sets list = {0};
    uint32_t points;
    MT_TRY(begin(arena, one, n, n, width * height, &w));
    MT_TRY(mt_tile_grid_add(&w, "points", IPU_FLOAT, w.nz, &points));
    MT_TRY(ipu_graph_add_compute_set(w.graph, "step", &w.set));
    mt_tile_sets_append(&list, &w.set, 1);
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) MT_TRY(add_rectangle(&w, points, &sides, x, y, width, height));
    return mt_tile_grid_cycles(&w, &list, cycles);
}
