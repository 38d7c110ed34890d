#include "app/study/machine/machine_programs.h"

#include <math.h>

#include "ipu/compile/compile.h"
#include "ipu/cost/mix.h"
#include "ipu/library/elementwise.h"
#include "ipu/machine/integer.h"

/* ---- all programs ---- */

static void do_nothing(const ipu_span *fields, const void *context) { (void)fields, (void)context; }

static ipu_cycles no_work(const ipu_target *target, const size_t *n, const void *context)
{
    (void)target, (void)n, (void)context;
    return (ipu_cycles){0};
}

#define TALLY(loop, instructions, ...) static const ipu_mix loop##_mix = {.name = #loop, __VA_ARGS__};
#include "app/study/machine/machine_tally.inc"
#undef TALLY

/* Returns the cycles of a single-worker vertex that loops over its input. */
static ipu_cycles cost_of(const ipu_target *target, const ipu_mix *mix, size_t n)
{
    const double turns = (double)n * ipu_mix_cycles(mix, &target->instructions);
    return (ipu_cycles){.entry = target->vertex_entry_cycles, .worker = mix->start + (uint64_t)ceil(turns)};
}

static ipu_cycles dot_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return cost_of(target, &dot_mix, n[0]);
}

static ipu_cycles total_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return cost_of(target, &total_mix, n[0]);
}

static const ipu_field floats[] = {{"in", IPU_INPUT, IPU_FLOAT}}, halves[] = {{"in", IPU_INPUT, IPU_HALF}};
static const ipu_codelet takes_floats = {
    "takes floats", 1, floats, do_nothing, no_work, .kind = IPU_SINGLE_WORKER};
static const ipu_codelet takes_halves = {
    "takes halves", 1, halves, do_nothing, no_work, .kind = IPU_SINGLE_WORKER};

static const ipu_codelet dot = {"dot", 1, floats, do_nothing, dot_cost, .kind = IPU_SINGLE_WORKER};
static const ipu_codelet total = {"total", 1, floats, do_nothing, total_cost, .kind = IPU_SINGLE_WORKER};

static mt_status add_vertex(
    ipu_graph *g, uint32_t set, const ipu_codelet *codelet, size_t tile, const ipu_slice *slices, size_t n)
{
    ipu_tensor in;
    size_t vertex;
    MT_TRY(ipu_graph_add_tensor(g, slices, n, &in));
    MT_TRY(ipu_graph_add_vertex(g, set, codelet, (uint32_t)tile, NULL, &vertex));
    return ipu_graph_connect(g, vertex, "in", in);
}

static double mean_of(const uint64_t *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i];
    return sum / (double)n;
}

static mt_program_cycles cycles_of(const ipu_timing *timing, uint32_t set)
{
    const ipu_executable *e = timing->executable;
    const ipu_superstep_timing *s = &timing->supersteps[set];
    return (mt_program_cycles){.gather = (double)s->gather_phase_cycles,
        .sync = (double)s->sync_cycles,
        .exchange = (double)(s->exchange_phase_cycles - s->external_cycles),
        .external = (double)s->external_cycles,
        .scatter = (double)s->scatter_phase_cycles,
        .exchange_mean = mean_of(e->supersteps[set].exchange.tile_cycles, e->graph->target.tiles),
        .compute_mean = mean_of(s->compute_cycles, e->graph->target.tiles)};
}

ipu_target mt_program_target(const ipu_target *target, int at)
{
    return at == MT_AT_VALUES ? *target : ipu_target_at(target, at == MT_AT_FAST ? IPU_FAST : IPU_SLOW);
}

static mt_status time_graph(mt_arena *arena, const ipu_graph *g, ipu_timing timing[MT_ATS])
{
    ipu_executable *e;
    MT_TRY(ipu_compile(arena, g, NULL, 0, &e));
    MT_TRY(ipu_timing_make(arena, e, &timing[MT_AT_VALUES]));
    for (int at = MT_AT_FAST; at < MT_ATS; at++) {
        const ipu_target end = mt_program_target(&g->target, at);
        ipu_executable *same;
        MT_TRY(ipu_compile_for(arena, e, &end, &same));
        MT_TRY(ipu_timing_make(arena, same, &timing[at]));
    }
    return MT_OK;
}

/* ---- the stencil ---- */

enum { CHANNELS = 4 };

typedef struct box {
    size_t row, column, rows, columns; /* pixels */
} box;

typedef struct stencil {
    const mt_blur *blur;
    size_t least_columns; /* of a tile; blur->least: its rows */
    ipu_graph *graph;
    uint32_t image;
    uint32_t set, store;  /* compute sets: the stencil; copies of the workers' columns to the image */
    ipu_slice *rows;      /* row pieces of an input */
    ipu_slice *from, *to; /* [rows of a tile x workers] copies of a tile */
    size_t n_copies;
    size_t most; /* values of a worker */
    /* of the earlier version, from image to other in `set`, and back; NULL: the later one */
    const float *zeros;
    uint32_t other, back;
    ipu_tensor *ranges; /* of an output */
} stencil;

/* Returns the begin of part k of n; the first parts have one more. */
static size_t share_begin(size_t all, size_t n, size_t k)
{
    return k * (all / n) + (k < all % n ? k : all % n);
}

static box part_of(const box *all, size_t n_rows, size_t n_columns, size_t row, size_t column)
{
    const size_t r = share_begin(all->rows, n_rows, row), c = share_begin(all->columns, n_columns, column);
    return (box){all->row + r, all->column + c, share_begin(all->rows, n_rows, row + 1) - r,
        share_begin(all->columns, n_columns, column + 1) - c};
}

static void tiles_of(const stencil *s, const box *chip, size_t *rows, size_t *columns)
{
    const size_t tiles = s->graph->target.tiles / s->graph->target.ipus;
    const size_t most_columns = ipu_larger(1, chip->columns / s->least_columns);
    const size_t most_rows = ipu_larger(1, chip->rows / s->blur->least);
    const size_t wished = (size_t)ceil(sqrt((double)tiles * (double)chip->columns / (double)chip->rows));
    *columns = wished < most_columns ? wished : most_columns;
    *rows = tiles / *columns < most_rows ? tiles / *columns : most_rows;
}

/* Adds a worker with the pixels of a box and their neighbours inside the image. */
static mt_status add_worker(stencil *s, size_t tile, const box *own)
{
    const size_t top = own->row > 0 ? own->row - 1 : 0, left = own->column > 0 ? own->column - 1 : 0;
    size_t bottom = own->row + own->rows + 1, right = own->column + own->columns + 1, n = 0;
    if (bottom > s->blur->height) bottom = s->blur->height;
    if (right > s->blur->width) right = s->blur->width;
    for (size_t r = top; r < bottom; r++)
        s->rows[n++] =
            (ipu_slice){s->image, (r * s->blur->width + left) * CHANNELS, (right - left) * CHANNELS};
    return add_vertex(s->graph, s->set, s->blur->half ? &takes_halves : &takes_floats, tile, s->rows, n);
}

/* ---- the earlier version of the stencil ---- */

enum { SIDES = 9, SELF = 4, NINE_FIELDS = SIDES + 1 };

static const ipu_field nine_fields[NINE_FIELDS] = {{"nw", IPU_INPUT, IPU_FLOAT}, {"n", IPU_INPUT, IPU_FLOAT},
    {"ne", IPU_INPUT, IPU_FLOAT}, {"w", IPU_INPUT, IPU_FLOAT}, {"in", IPU_INPUT, IPU_FLOAT},
    {"e", IPU_INPUT, IPU_FLOAT}, {"sw", IPU_INPUT, IPU_FLOAT}, {"s", IPU_INPUT, IPU_FLOAT},
    {"se", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_codelet takes_nine = {"takes nine", NINE_FIELDS, nine_fields, do_nothing, no_work,
    .vertex_bytes = 4 * (NINE_FIELDS + 2), /* pointers, width and height */
    .kind = IPU_SINGLE_WORKER, .lists = 1U << SIDES};

/* Steps from a range to the pixel before or after it. False if that is outside the image, or its first or last one, which the program
 * treats as outside. */
static bool step_aside(int by, size_t all, size_t *from, size_t *n)
{
    const bool inside = by == 0 || (by < 0 ? *from > 1 : *from + *n + 1 < all);
    if (by == 0) return inside;
    *from = by < 0 ? *from - 1 : *from + *n;
    *n = 1;
    return inside;
}

static size_t rows_of(const stencil *s, uint32_t variable, const box *b)
{
    for (size_t r = 0; r < b->rows; r++)
        s->rows[r] = (ipu_slice){
            variable, ((b->row + r) * s->blur->width + b->column) * CHANNELS, b->columns * CHANNELS};
    return b->rows;
}

/* Connects input k, of a row and a column of three: pixels of a box, or zeros on the tile. */
static mt_status connect_side(
    const stencil *s, size_t vertex, size_t tile, uint32_t from, const box *own, int k)
{
    box side = *own;
    ipu_tensor in;
    const bool in_rows = step_aside(k / 3 - 1, s->blur->height, &side.row, &side.rows);
    const bool in_columns = step_aside(k % 3 - 1, s->blur->width, &side.column, &side.columns);
    if (in_rows && in_columns) {
        MT_TRY(ipu_graph_add_tensor(s->graph, s->rows, rows_of(s, from, &side), &in));
    } else {
        uint32_t zeros;
        const size_t n = side.rows * side.columns * CHANNELS;
        MT_TRY(ipu_graph_add_constant(s->graph, "zeros", IPU_FLOAT, n, s->zeros, &zeros));
        MT_TRY(ipu_graph_set_tile_mapping(s->graph, zeros, 0, n, (uint32_t)tile));
        MT_TRY(ipu_graph_variable_tensor(s->graph, zeros, &in));
    }
    return ipu_graph_connect(s->graph, vertex, nine_fields[k].name, in);
}

static mt_status add_nine(
    const stencil *s, uint32_t set, size_t tile, uint32_t from, uint32_t to, const box *own)
{
    size_t vertex;
    MT_TRY(ipu_graph_add_vertex(s->graph, set, &takes_nine, (uint32_t)tile, NULL, &vertex));
    for (int k = 0; k < SIDES; k++) MT_TRY(connect_side(s, vertex, tile, from, own, k));
    const size_t n = rows_of(s, to, own);
    for (size_t r = 0; r < n; r++) MT_TRY(ipu_graph_add_tensor(s->graph, &s->rows[r], 1, &s->ranges[r]));
    return ipu_graph_connect_list(s->graph, vertex, "out", s->ranges, n);
}

/* ---- both versions ---- */

/* Adds copies of a worker's columns, which start at `from` in a variable of its tile, to the image; returns their end. */
static size_t add_strip(stencil *s, uint32_t variable, size_t from, const box *part)
{
    const size_t n = part->columns * CHANNELS;
    for (size_t r = 0; r < part->rows; r++) {
        s->from[s->n_copies] = (ipu_slice){variable, from + r * n, n};
        s->to[s->n_copies++] =
            (ipu_slice){s->image, ((part->row + r) * s->blur->width + part->column) * CHANNELS, n};
    }
    return from + part->rows * n;
}

/* Adds the results of workers that have columns of a tile: each writes one range, which is copied to the image. */
static mt_status store_columns(stencil *s, size_t tile, const box *own, size_t workers)
{
    const size_t n = own->rows * own->columns * CHANNELS;
    uint32_t variable;
    size_t end = 0;
    ipu_tensor from, to;
    MT_TRY(ipu_graph_add_variable(s->graph, "strips", s->blur->half ? IPU_HALF : IPU_FLOAT, n, &variable));
    MT_TRY(ipu_graph_set_tile_mapping(s->graph, variable, 0, n, (uint32_t)tile));
    s->n_copies = 0;
    for (size_t w = 0; w < workers; w++) {
        const box part = part_of(own, 1, workers, 0, w);
        end = add_strip(s, variable, end, &part);
    }
    MT_TRY(ipu_graph_add_tensor(s->graph, s->from, s->n_copies, &from));
    MT_TRY(ipu_graph_add_tensor(s->graph, s->to, s->n_copies, &to));
    return ipu_graph_add_copy(s->graph, s->store, from, to);
}

/* Divides a tile among its workers by rows or by columns, whichever is more even. */
static mt_status add_workers(stencil *s, size_t tile, const box *own)
{
    const size_t workers = s->graph->target.worker_contexts;
    const bool by_rows = own->rows % workers * own->columns <= own->columns % workers * own->rows;
    const size_t length = by_rows ? own->rows : own->columns, n = length < workers ? length : workers;
    for (size_t w = 0; w < n; w++) {
        const box part = part_of(own, by_rows ? n : 1, by_rows ? 1 : n, by_rows ? w : 0, by_rows ? 0 : w);
        s->most = ipu_larger(s->most, part.rows * part.columns * CHANNELS);
        if (!s->zeros) {
            MT_TRY(add_worker(s, tile, &part));
            continue;
        }
        MT_TRY(add_nine(s, s->set, tile, s->image, s->other, &part));
        MT_TRY(add_nine(s, s->back, tile, s->other, s->image, &part));
    }
    return by_rows || s->zeros ? MT_OK : store_columns(s, tile, own, n);
}

static mt_status map_box(stencil *s, size_t tile, const box *own)
{
    for (size_t r = own->row; r < own->row + own->rows; r++)
        for (int v = 0; v < (s->zeros ? 2 : 1); v++)
            MT_TRY(ipu_graph_set_tile_mapping(s->graph, v == 0 ? s->image : s->other,
                (r * s->blur->width + own->column) * CHANNELS, own->columns * CHANNELS, (uint32_t)tile));
    return MT_OK;
}

static mt_status add_chip(stencil *s, size_t chip, const box *own)
{
    size_t rows, columns;
    tiles_of(s, own, &rows, &columns);
    for (size_t k = 0; k < rows * columns; k++) {
        const size_t tile = chip * (s->graph->target.tiles / s->graph->target.ipus) + k;
        const box part = part_of(own, rows, columns, k / columns, k % columns);
        MT_TRY(map_box(s, tile, &part));
        MT_TRY(add_workers(s, tile, &part));
    }
    return MT_OK;
}

/* Adds 1, 2, 4, 8 or 16 chips: in strips, or as nearly square as possible. More of them follow each other in the direction that they
 * divide more evenly. */
static mt_status add_chips(stencil *s)
{
    const mt_blur *b = s->blur;
    const box all = {.rows = b->height, .columns = b->width};
    const bool tall = b->height % b->ipus * b->width < b->width % b->ipus * b->height;
    size_t least = 1;
    while (b->grid && 4 * least * least <= b->ipus) least *= 2;
    const size_t rows = tall ? b->ipus / least : least, columns = b->ipus / rows;
    for (size_t k = 0; k < b->ipus; k++) {
        const box part = part_of(&all, rows, columns, k / columns, k % columns);
        MT_TRY(add_chip(s, k, &part));
    }
    return MT_OK;
}

static mt_status make_stencil(mt_arena *arena, const ipu_target *one, stencil *s)
{
    const mt_blur *b = s->blur;
    ipu_target target;
    MT_TRY(ipu_target_several(one, b->ipus, &target));
    MT_TRY(ipu_graph_new(arena, &target, &s->graph));
    MT_TRY(ipu_graph_add_variable(
        s->graph, "image", b->half ? IPU_HALF : IPU_FLOAT, b->width * b->height * CHANNELS, &s->image));
    MT_TRY(ipu_graph_add_compute_set(s->graph, "stencil", &s->set));
    MT_TRY(ipu_graph_add_compute_set(s->graph, "store", &s->store));
    MT_ALLOC(arena, s->rows, b->height);
    MT_ALLOC(arena, s->from, b->height * target.worker_contexts);
    MT_ALLOC(arena, s->to, b->height * target.worker_contexts);
    return add_chips(s);
}

mt_status mt_blur_cycles(const ipu_target *one, const mt_blur *blur, mt_program_cycles cycles[MT_ATS])
{
    MT_SCRATCH(arena);
    stencil s = {.blur = blur, .least_columns = blur->least};
    ipu_timing timing[MT_ATS];
    mt_status status = make_stencil(arena, one, &s);
    if (status == MT_OK) status = time_graph(arena, s.graph, timing);
    for (int at = 0; status == MT_OK && at < MT_ATS; at++) {
        cycles[at] = cycles_of(&timing[at], s.set);
        cycles[at].store = (double)timing[at].supersteps[s.store].cycles;
        cycles[at].channels = (double)s.most;
    }
    return status;
}

static mt_status make_earlier(mt_arena *arena, const ipu_target *one, stencil *s)
{
    const mt_blur *b = s->blur;
    const size_t n = b->width * b->height * CHANNELS;
    ipu_target target;
    float *zeros = NULL;
    MT_TRY(ipu_target_several(one, b->ipus, &target));
    target.bytes_per_tile *= 4; /* for programs that do not fit */
    MT_TRY(ipu_graph_new(arena, &target, &s->graph));
    MT_TRY(ipu_graph_add_variable(s->graph, "img", IPU_FLOAT, n, &s->image));
    MT_TRY(ipu_graph_add_variable(s->graph, "tmpImg", IPU_FLOAT, n, &s->other));
    MT_TRY(ipu_graph_set_temporary(s->graph, s->other));
    MT_TRY(ipu_graph_add_compute_set(s->graph, "inToOut", &s->set));
    MT_TRY(ipu_graph_add_compute_set(s->graph, "outToIn", &s->back));
    MT_ALLOC(arena, zeros, (b->width + b->height) * CHANNELS);
    MT_ALLOC(arena, s->rows, b->height);
    MT_ALLOC(arena, s->ranges, b->height);
    s->zeros = zeros;
    return add_chips(s);
}

static mt_status compile_earlier(mt_arena *arena, const stencil *s, ipu_executable **e)
{
    const ipu_program *both[2], *turn;
    MT_TRY(ipu_program_execute(arena, s->set, &both[0]));
    MT_TRY(ipu_program_execute(arena, s->back, &both[1]));
    MT_TRY(ipu_program_sequence(arena, both, 2, &turn));
    return ipu_compile(arena, s->graph, &turn, 1, e);
}

mt_status mt_blur_memory(
    const ipu_target *one, const mt_blur *blur, size_t least_columns, size_t tile, ipu_tile_memory *memory)
{
    MT_SCRATCH(arena);
    stencil s = {.blur = blur, .least_columns = least_columns};
    ipu_executable *e = NULL;
    mt_status status = make_earlier(arena, one, &s);
    if (status == MT_OK) status = compile_earlier(arena, &s, &e);
    if (status == MT_OK) *memory = e->memory[tile];
    return status;
}

/* ---- matrix times vector ---- */

enum { M = 10000, N = 1000, SEGMENTS = 7 };

typedef struct tutorial {
    ipu_graph *graph;
    size_t tiles;
    uint32_t streamed, in, partial;
    uint32_t matrix, products, sums; /* compute sets */
    ipu_slice *slices;
} tutorial;

static size_t first_column(size_t segment) { return segment * N / SEGMENTS; }

/* Returns the first of n items on a tile, if item k is on tile k T / n. */
static size_t first_on(const tutorial *t, size_t tile, size_t n) { return ipu_divide_up(tile * n, t->tiles); }

static mt_status map_evenly(const tutorial *t, uint32_t variable, size_t n)
{
    for (size_t tile = 0; tile < t->tiles; tile++) {
        const size_t from = first_on(t, tile, n), end = first_on(t, tile + 1, n);
        if (end > from)
            MT_TRY(ipu_graph_set_tile_mapping(t->graph, variable, from, end - from, (uint32_t)tile));
    }
    return MT_OK;
}

/* Adds the products of a tile: their parts of the matrix as one input, and the segments of the vector. */
static mt_status add_products(const tutorial *t, size_t tile)
{
    const size_t from = first_on(t, tile, SEGMENTS * M), end = first_on(t, tile + 1, SEGMENTS * M);
    for (size_t p = from; p < end; p++) {
        const size_t row = p % M, s = p / M, left = first_column(s), columns = first_column(s + 1) - left;
        t->slices[p - from] = (ipu_slice){t->streamed, row * N + left, columns};
        const ipu_slice segment = {t->in, left, columns};
        MT_TRY(add_vertex(t->graph, t->products, &dot, tile, &segment, 1));
    }
    return add_vertex(t->graph, t->matrix, &takes_floats, tile, t->slices, end - from);
}

static mt_status add_sums(const tutorial *t, size_t tile)
{
    for (size_t row = first_on(t, tile, M); row < first_on(t, tile + 1, M); row++) {
        for (size_t s = 0; s < SEGMENTS; s++) t->slices[s] = (ipu_slice){t->partial, s * M + row, 1};
        MT_TRY(add_vertex(t->graph, t->sums, &total, tile, t->slices, SEGMENTS));
    }
    return MT_OK;
}

static mt_status make_tutorial(mt_arena *arena, const ipu_target *one, tutorial *t)
{
    t->tiles = one->tiles;
    MT_TRY(ipu_graph_new(arena, one, &t->graph));
    MT_TRY(ipu_graph_add_variable(t->graph, "streamed", IPU_FLOAT, M * N, &t->streamed));
    MT_TRY(ipu_graph_add_variable(t->graph, "in", IPU_FLOAT, N, &t->in));
    MT_TRY(ipu_graph_add_variable(t->graph, "partial", IPU_FLOAT, SEGMENTS * M, &t->partial));
    MT_TRY(ipu_graph_add_compute_set(t->graph, "matrix", &t->matrix));
    MT_TRY(ipu_graph_add_compute_set(t->graph, "products", &t->products));
    MT_TRY(ipu_graph_add_compute_set(t->graph, "sums", &t->sums));
    MT_TRY(map_evenly(t, t->streamed, M * N));
    MT_TRY(map_evenly(t, t->in, N));
    MT_TRY(map_evenly(t, t->partial, SEGMENTS * M));
    MT_ALLOC(arena, t->slices, SEGMENTS * M);
    for (size_t tile = 0; tile < t->tiles; tile++) {
        MT_TRY(add_products(t, tile));
        MT_TRY(add_sums(t, tile));
    }
    return MT_OK;
}

mt_status mt_tutorial_cycles(const ipu_target *one, mt_program_cycles cycles[MT_TUTORIAL_SETS][MT_ATS])
{
    MT_SCRATCH(arena);
    tutorial t = {0};
    ipu_timing timing[MT_ATS];
    mt_status status = make_tutorial(arena, one, &t);
    if (status == MT_OK) status = time_graph(arena, t.graph, timing);
    for (int at = 0; status == MT_OK && at < MT_ATS; at++) {
        cycles[MT_TUTORIAL_MATRIX][at] = cycles_of(&timing[at], t.matrix);
        cycles[MT_TUTORIAL_PRODUCTS][at] = cycles_of(&timing[at], t.products);
        cycles[MT_TUTORIAL_SUMS][at] = cycles_of(&timing[at], t.sums);
    }
    return status;
}

/* ---- additions ---- */

static mt_status add_variable(ipu_graph *g, const char *name, size_t n, ipu_tensor *tensor)
{
    ipu_slice all = {.n = n};
    MT_TRY(ipu_graph_add_variable(g, name, IPU_FLOAT, n, &all.variable));
    MT_TRY(ipu_graph_set_tile_mapping(g, all.variable, 0, n, 0));
    return ipu_graph_add_tensor(g, &all, 1, tensor);
}

static mt_status make_addition(mt_arena *arena, const ipu_target *one, size_t n, bool scaled, ipu_graph **g)
{
    static const float scale = 2;
    uint32_t set;
    ipu_tensor a, b, out;
    MT_TRY(ipu_graph_new(arena, one, g));
    MT_TRY(ipu_graph_add_compute_set(*g, "addition", &set));
    MT_TRY(add_variable(*g, "a", n, &a));
    MT_TRY(add_variable(*g, "b", n, &b));
    if (scaled) return ipu_add_scaled_add(*g, set, &scale, a, b);
    MT_TRY(add_variable(*g, "out", n, &out));
    return ipu_add_binary(*g, set, IPU_ADD, a, b, out);
}

mt_status mt_addition_cycles(const ipu_target *one, size_t n, bool scaled, double *cycles)
{
    MT_SCRATCH(arena);
    ipu_graph *g;
    ipu_executable *e;
    ipu_timing timing;
    MT_TRY(make_addition(arena, one, n, scaled, &g));
    MT_TRY(ipu_compile(arena, g, NULL, 0, &e));
    MT_TRY(ipu_timing_make(arena, e, &timing));
    *cycles = (double)timing.supersteps[0].compute_phase_cycles;
    return MT_OK;
}
