#include "solver/plan/nodal_codelets.h"

#include <math.h>

#include "data/core/offsets.h"
#include "solver/kernels/block.h"
#include "solver/kernels/sliced.h"
#include "solver/kernels/sliced_equations.h"
#include "solver/plan/codelets.h"

#define MT_LANES_ONE
#include "solver/kernels/lanes.h"
#include "solver/kernels/double_word_equations.h"

/* ---- the rows of a tile ---- */

/* Counting sort by length, the longest first. */
static mt_status sort_rows(size_t n, const size_t *length, uint16_t *row)
{
    MT_SCRATCH(scratch);
    size_t longest = 0, *start;
    for (size_t r = 0; r < n; r++) longest = length[r] > longest ? length[r] : longest;
    MT_ALLOC(scratch, start, longest + 3);
    for (size_t r = 0; r < n; r++) start[longest - length[r] + 2]++;
    mt_offsets_sum(start, longest + 3);
    for (size_t r = 0; r < n; r++) row[start[longest - length[r] + 1]++] = (uint16_t)r;
    return MT_OK;
}

mt_status mt_tile_rows_make(mt_arena *arena, size_t n, const size_t *length, mt_tile_rows *rows)
{
    *rows = (mt_tile_rows){.n = n, .n_blocks = (n + MT_BLOCK - 1) / MT_BLOCK};
    MT_ALLOC(arena, rows->row, n);
    MT_ALLOC(arena, rows->width, rows->n_blocks);
    MT_TRY(sort_rows(n, length, rows->row));
    for (size_t r = 0; r < n; r += MT_BLOCK) {
        const size_t longest = length[rows->row[r]];
        rows->width[r / MT_BLOCK] = (uint16_t)(longest > 0 ? longest : 1);
        rows->n_values += rows->width[r / MT_BLOCK] * mt_block_width(n, r);
    }
    return MT_OK;
}

size_t mt_tile_rows_at(const mt_tile_rows *rows, size_t r, size_t *stride, size_t *width)
{
    size_t first = 0;
    for (size_t block = 0; block < r / MT_BLOCK; block++) first += MT_BLOCK * (size_t)rows->width[block];
    *stride = mt_block_width(rows->n, r);
    *width = rows->width[r / MT_BLOCK];
    return first + r % MT_BLOCK;
}

/* ---- values ---- */

enum { ROWS_ROW, ROWS_WIDTH, ROWS_A, ROWS_COLUMN, ROWS_X, ROWS_FIELDS };
#define ROWS(x)                                                                                              \
    [ROWS_ROW] = {"row", IPU_INPUT, IPU_UNSIGNED_SHORT},                                                     \
    [ROWS_WIDTH] = {"width", IPU_INPUT, IPU_UNSIGNED_SHORT}, [ROWS_A] = {"a", IPU_INPUT, IPU_FLOAT},         \
    [ROWS_COLUMN] = {"column", IPU_INPUT, IPU_UNSIGNED_SHORT}, [ROWS_X] = {x, IPU_INPUT, IPU_FLOAT}

/* A block of rows: its entries, and the own values of its rows. */
typedef struct row_block {
    size_t n, width;
    const float *a, *base, *own, *x;
    const uint16_t *column;
    float *low; /* low parts of double words, whose base is `own`; NULL for plain sums */
    float keeps;
} row_block;

/* Computes the rows of a last block, whose entries are closer than those of the kernel's blocks. */
static void last_block(const row_block *b, float *out)
{
    for (size_t lane = 0; lane < b->n; lane++) {
        float sum = b->low ? b->low[lane] : 0;
        for (size_t k = 0; k < b->width; k++) {
            const size_t at = k * b->n + lane;
            sum = SLICED_ADD(sum, b->a[at], b->x[b->column[at]], b->own[lane]);
        }
        const double_word both = double_word_of(b->base[lane], sum);
        out[lane] = both.high;
        if (b->low) b->low[lane] = b->keeps * both.low;
    }
}

static void one_block(const row_block *b, float *out)
{
    const mt_sliced_block block = {.columns = {.stored = b->column}, .width = b->width};
    if (b->n < MT_BLOCK)
        last_block(b, out);
    else if (b->low)
        mt_sliced_rows_double_word(MT_BLOCK, &block, b->a, b->own, b->x, b->keeps, b->low, out);
    else
        mt_sliced_rows_float(MT_BLOCK, &block, b->a, b->base, b->own, b->x, out);
}

/* Low parts of the tile's cells in double words. */
typedef struct low_parts {
    float keeps, *low;
} low_parts;

/* Computes out = base + sum of A (x[column] - x) of all rows; out can be base, and base can be NULL for 0. In double words if there are
 * `low` parts, with the base x. */
static void all_rows(const ipu_span *f, const float *base, const low_parts *low, float *out)
{
    const uint16_t *row = f[ROWS_ROW].data, *width = f[ROWS_WIDTH].data;
    const float *x = f[ROWS_X].data;
    float own[MT_BLOCK], before[MT_BLOCK], after[MT_BLOCK], rest[MT_BLOCK];
    row_block b = {.a = f[ROWS_A].data,
        .column = f[ROWS_COLUMN].data,
        .base = before,
        .own = own,
        .x = x,
        .low = low ? rest : NULL,
        .keeps = low ? low->keeps : 0};
    for (size_t first = 0; first < f[ROWS_ROW].n; first += MT_BLOCK, row += MT_BLOCK) {
        b.n = mt_block_width(f[ROWS_ROW].n, first);
        b.width = width[first / MT_BLOCK];
        for (size_t lane = 0; lane < b.n; lane++) {
            own[lane] = x[row[lane]];
            before[lane] = base ? base[row[lane]] : 0;
            if (low) rest[lane] = low->low[row[lane]];
        }
        one_block(&b, after);
        for (size_t lane = 0; lane < b.n; lane++) out[row[lane]] = after[lane];
        for (size_t lane = 0; low && lane < b.n; lane++) low->low[row[lane]] = rest[lane];
        b.a += b.n * b.width;
        b.column += b.n * b.width;
    }
}

void mt_tile_rows_multiply(const ipu_span f[5], float *out) { all_rows(f, NULL, NULL, out); }

enum { PDE_OUT = ROWS_FIELDS };
static const ipu_field nodal_pde_fields[] = {ROWS("v"), [PDE_OUT] = {"out", IPU_OUTPUT, IPU_FLOAT}};

static void nodal_pde_compute(const ipu_span *f, const void *context)
{
    (void)context;
    all_rows(f, f[ROWS_X].data, NULL, f[PDE_OUT].data);
}

enum { WORDS_LOW = ROWS_FIELDS, WORDS_SUBSTEP, WORDS_OUT };
static const ipu_field nodal_word_fields[] = {ROWS("v"), [WORDS_LOW] = {"v_low", IPU_INOUT, IPU_FLOAT},
    [WORDS_SUBSTEP] = {"substep", IPU_INOUT, IPU_FLOAT}, [WORDS_OUT] = {"out", IPU_OUTPUT, IPU_FLOAT}};

static void nodal_word_compute(const ipu_span *f, const void *context)
{
    const mt_tile_words *c = context;
    const float steps = (float)c->pde_steps; /* exact up to 2^24 */
    float *substep = f[WORDS_SUBSTEP].data;
    const bool last = *substep + 1 == steps;
    all_rows(f, f[ROWS_X].data, &(const low_parts){last ? 0 : 1, f[WORDS_LOW].data}, f[WORDS_OUT].data);
    *substep = last ? 0 : *substep + 1;
}

enum { SPREAD_V = ROWS_FIELDS, SPREAD_SHARE, SPREAD_S };
#define SPREAD_FIELDS ROWS("d"), [SPREAD_V] = {"v", IPU_INOUT, IPU_FLOAT}
static const ipu_field nodal_spread_fields[] = {SPREAD_FIELDS};
static const ipu_field nodal_share_fields[] = {SPREAD_FIELDS,
    [SPREAD_SHARE] = {"share", IPU_INPUT, IPU_FLOAT}, [SPREAD_S] = {"s", IPU_OUTPUT, IPU_FLOAT}};

static void nodal_spread_compute(const ipu_span *f, const void *context)
{
    (void)context;
    all_rows(f, f[SPREAD_V].data, NULL, f[SPREAD_V].data);
}

static void nodal_share_compute(const ipu_span *f, const void *context)
{
    const float *share = f[SPREAD_SHARE].data, *d = f[ROWS_X].data;
    float *v = f[SPREAD_V].data, *s = f[SPREAD_S].data;
    nodal_spread_compute(f, context);
    for (size_t cell = 0; cell < f[SPREAD_V].n; cell++) {
        s[cell] = share[cell] * d[cell];
        v[cell] += s[cell];
    }
}

/* ---- costs ---- */

/* Returns the rows of worker i of `workers` in a block of n rows that begins with row `first`. */
static size_t rows_of(size_t first, size_t n, size_t worker, size_t workers)
{
    return (first + n + workers - 1 - worker) / workers - (first + workers - 1 - worker) / workers;
}

typedef struct row_costs {
    double block_start, block, row_start, row, entry;
} row_costs;

static row_costs costs_of(const ipu_target *target, const char *name)
{
    const ipu_mix *block = mt_codelet_mix("nodal_block"), *row = mt_codelet_mix(name),
                  *entry = mt_codelet_mix("nodal_entry");
    const ipu_instruction_costs *i = &target->instructions;
    return (row_costs){.block_start = block->start,
        .block = ipu_mix_cycles(block, i),
        .row_start = row->start,
        .row = ipu_mix_cycles(row, i) + entry->start,
        .entry = ipu_mix_cycles(entry, i)};
}

ipu_cycles mt_tile_rows_cost(const ipu_target *target, const mt_tile_rows *rows, const char *row_mix)
{
    const row_costs c = costs_of(target, row_mix);
    const size_t workers = target->worker_contexts;
    uint64_t slowest = 0, busy = 0;
    for (size_t w = 0; w < workers; w++) {
        double cycles = c.block_start;
        for (size_t block = 0; block < rows->n_blocks; block++) {
            const size_t first = MT_BLOCK * block, n = mt_block_width(rows->n, first);
            cycles += c.block + c.row_start +
                      (double)rows_of(first, n, w, workers) * (c.row + (rows->width[block] - 1) * c.entry);
        }
        const uint64_t rounded = (uint64_t)ceil(cycles);
        slowest = rounded > slowest ? rounded : slowest;
        busy += rounded;
    }
    return (ipu_cycles){
        .entry = target->vertex_entry_cycles, .worker = slowest, .idle = workers * slowest - busy};
}

#define COST(kind, mix)                                                                                      \
    static ipu_cycles kind##_cost(const ipu_target *target, const size_t *n, const void *context)            \
    {                                                                                                        \
        (void)n;                                                                                             \
        return mt_tile_rows_cost(target, context, mix);                                                      \
    }
COST(nodal_pde, "nodal_row")
COST(nodal_spread, "nodal_spread_row")
COST(nodal_share, "nodal_share_row")

static ipu_cycles nodal_word_cost(const ipu_target *target, const size_t *n, const void *context)
{
    const mt_tile_words *c = context;
    (void)n;
    return mt_tile_rows_cost(target, c->rows, "nodal_word_row");
}

double mt_nodal_entry_cycles(const ipu_target *target) { return costs_of(target, "nodal_row").entry; }

double mt_nodal_row_cycles(const ipu_target *target, const char *row_mix)
{
    const row_costs c = costs_of(target, row_mix);
    return c.row - c.entry;
}

/* ---- codelets ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TALLY(codelet, instructions, ...) CODE_BYTES_##codelet = 4 * (instructions),
enum {
#include "solver/plan/codelets_tally.inc"
};
#undef TALLY

/* The code that each row of any kind has, and that of the kind. */
#define ROWS_CODE_BYTES (CODE_BYTES_nodal_block + CODE_BYTES_nodal_entry)
size_t mt_tile_rows_code_bytes(const char *row_mix)
{
    return ROWS_CODE_BYTES + mt_codelet_code_bytes(mt_codelet_mix(row_mix));
}

/* A pointer, or a pointer and a length, for each field, and a word of context. */
#define CODELET(kind, mix)                                                                                   \
    {                                                                                                        \
        .name = #kind, .n_fields = COUNT(kind##_fields), .fields = kind##_fields, .compute = kind##_compute, \
        .cost = kind##_cost, .code_bytes = ROWS_CODE_BYTES + CODE_BYTES_##mix,                               \
        .vertex_bytes = 4 * (2 * COUNT(kind##_fields) + 1)                                                   \
    }

const ipu_codelet mt_codelet_nodal_pde = CODELET(nodal_pde, nodal_row);
const ipu_codelet mt_codelet_nodal_pde_double_word = CODELET(nodal_word, nodal_word_row);

const ipu_codelet *mt_codelet_nodal_spread(bool shares)
{
    static const ipu_codelet spread = CODELET(nodal_spread, nodal_spread_row),
                             share = CODELET(nodal_share, nodal_share_row);
    return shares ? &share : &spread;
}
