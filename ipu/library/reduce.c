#include "ipu/library/reduce.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/core/order.h"
#include "ipu/library/vertices.h"
#include "ipu/machine/integer.h"

enum { MOST_STEPS = 8 };

/* ---- the trees ---- */

/* A result of some columns, partial or final: one row, on a tile. */
typedef struct part {
    uint32_t tile, variable;
    size_t column, columns;
    size_t from; /* its first element in the variable */
} part;

/* Columns with a separate tree: parts [first, first + n), by tile, each with these columns. */
typedef struct piece {
    size_t column, columns, first, n;
} piece;

typedef struct tree {
    ipu_graph *graph;
    mt_arena *scratch;
    ipu_reduction reduction;
    ipu_tensor in, out;
    ipu_slice *room;   /* scratch for the slices of an input */
    ipu_block *wanted; /* blocks of the result */
    size_t n_wanted;
    part *parts; /* of the current step */
    size_t n_parts;
    piece *pieces;
    size_t n_pieces;
    const ipu_program *steps[MOST_STEPS + 3]; /* of shares, own parts, and the result */
    size_t n_steps;
} tree;

static size_t chip_of(const tree *t, const part *p) { return ipu_target_chip(&t->graph->target, p->tile); }

static ipu_type part_type(const tree *t) { return t->in.type == IPU_INT ? IPU_INT : IPU_FLOAT; }

/* Returns the first part after p on another tile; `end` if there is none. */
static const part *next_branch(const part *p, const part *end)
{
    const uint32_t tile = p->tile;
    while (p < end && p->tile == tile) p++;
    return p;
}

/* Adds a compute set, and its execution to the program. */
static mt_status add_step(tree *t, uint32_t *set)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s, step %zu", ipu_reduction_name(t->reduction), t->n_steps + 1);
    MT_TRY(ipu_graph_add_compute_set(t->graph, name, set));
    return ipu_program_execute(t->graph->arena, *set, &t->steps[t->n_steps++]);
}

static mt_status add_variable(tree *t, size_t n, uint32_t *variable)
{
    MT_TRY(ipu_graph_add_variable(t->graph, "parts", part_type(t), n, variable));
    return ipu_graph_set_temporary(t->graph, *variable);
}

/* ---- the first step: every worker reduces its share of its tile's elements ---- */

/* The numbers of workers that share the columns of a block, and its rows. */
typedef struct split {
    size_t columns, rows;
} split;

MT_ORDER(by_tile, ipu_block, tile, column, row)

/* Splits a block so that a worker has about `share` elements, in groups of `together` columns. */
static split split_of(const ipu_block *b, size_t share, size_t together)
{
    const size_t shares = ipu_divide_up(b->rows * b->columns, share),
                 most = ipu_divide_up(b->columns, together), columns = shares < most ? shares : most,
                 rows = shares / columns;
    return (split){columns, rows < b->rows ? rows : b->rows};
}

/* Splits the blocks, sorted by tile. */
static void find_splits(const tree *t, const ipu_block *blocks, size_t n, split *splits)
{
    const size_t together = ipu_reduced_at_once(t->in.type);
    for (size_t k = 0, end; k < n; k = end) {
        size_t there = 0;
        for (end = k; end < n && blocks[end].tile == blocks[k].tile; end++)
            there += blocks[end].rows * blocks[end].columns;
        const size_t share = ipu_divide_up(there, t->graph->target.worker_contexts);
        for (size_t i = k; i < end; i++) splits[i] = split_of(&blocks[i], share, together);
    }
}

/* Returns the block of the result that contains a column. */
static const ipu_block *wanted_at(const tree *t, size_t column)
{
    size_t low = 0, high = t->n_wanted;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (t->wanted[middle].column <= column)
            low = middle;
        else
            high = middle;
    }
    return &t->wanted[low];
}

/* True if each tile has all rows of its columns, one vertex for each, and their results. There are no vertices from half to
 * half. */
static bool nothing_is_sent(const tree *t, const ipu_block *blocks, const split *splits, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const ipu_block *b = &blocks[k], *wanted = wanted_at(t, b->column);
        if (splits[k].rows > 1 || b->rows < t->in.n / t->out.n || wanted->tile != b->tile ||
            b->column + b->columns > wanted->column + wanted->columns)
            return false;
    }
    return t->in.type != IPU_HALF || t->out.type != IPU_HALF;
}

/* Reduces some rows of a block to a part, or to the result if `to` is NULL. */
static mt_status reduce_rows(tree *t, uint32_t set, const ipu_block *b, const split *shares, const part *to)
{
    const ipu_block row = {.rows = 1, .column = b->column, .columns = b->columns};
    ipu_tensor in, out;
    MT_TRY(ipu_columns_of(t->graph, t->in, t->out.n, b, t->room, &in));
    if (to)
        MT_TRY(ipu_graph_add_tensor(t->graph, &(ipu_slice){to->variable, to->from, to->columns}, 1, &out));
    else
        MT_TRY(ipu_columns_of(t->graph, t->out, t->out.n, &row, t->room, &out));
    return ipu_add_reduction(t->graph, set, t->reduction, b->tile, in, out, shares->columns);
}

static mt_status reduce_at_once(tree *t, const ipu_block *blocks, const split *splits, size_t n)
{
    uint32_t set;
    MT_TRY(add_step(t, &set));
    for (size_t k = 0; k < n; k++) MT_TRY(reduce_rows(t, set, &blocks[k], &splits[k], NULL));
    return MT_OK;
}

static mt_status reduce_shares(tree *t, const ipu_block *blocks, const split *splits, size_t n)
{
    uint32_t set, variable;
    size_t elements = 0, from = 0;
    t->n_parts = 0;
    for (size_t k = 0; k < n; k++) {
        t->n_parts += splits[k].rows;
        elements += splits[k].rows * blocks[k].columns;
    }
    MT_ALLOC(t->scratch, t->parts, t->n_parts);
    MT_TRY(add_step(t, &set));
    MT_TRY(add_variable(t, elements, &variable));
    for (size_t k = 0, p = 0; k < n; k++) {
        const ipu_block *b = &blocks[k];
        const size_t shares = splits[k].rows;
        MT_TRY(ipu_graph_set_tile_mapping(t->graph, variable, from, shares * b->columns, b->tile));
        for (size_t s = 0; s < shares; s++, p++, from += b->columns) {
            ipu_block some = *b;
            some.row += b->rows * s / shares;
            some.rows = b->rows * (s + 1) / shares - b->rows * s / shares;
            t->parts[p] = (part){b->tile, variable, b->column, b->columns, from};
            MT_TRY(reduce_rows(t, set, &some, &splits[k], &t->parts[p]));
        }
    }
    return MT_OK;
}

/* ---- pieces ---- */

MT_ORDER_NUMBERS(by_number, size_t)

/* Returns the index of the border at this column. */
static size_t border_at(const size_t *borders, size_t n, size_t column)
{
    const size_t *found = bsearch(&column, borders, n, sizeof *borders, by_number);
    return (size_t)(found - borders);
}

/* Cuts the columns and all parts at these borders, which are sorted and include the ends of all parts. */
static mt_status cut(tree *t, const size_t *borders, size_t n)
{
    size_t first = 0;
    part *parts;
    t->n_pieces = n - 1;
    MT_ALLOC(t->scratch, t->pieces, n - 1);
    for (const part *p = t->parts; p < t->parts + t->n_parts; p++)
        for (size_t k = border_at(borders, n, p->column); borders[k] < p->column + p->columns; k++)
            t->pieces[k].n++;
    for (size_t k = 0; k < n - 1; k++) {
        const size_t there = t->pieces[k].n;
        t->pieces[k] = (piece){borders[k], borders[k + 1] - borders[k], first, 0};
        first += there;
    }
    MT_ALLOC(t->scratch, parts, first);
    for (const part *p = t->parts; p < t->parts + t->n_parts; p++)
        for (size_t k = border_at(borders, n, p->column); borders[k] < p->column + p->columns; k++) {
            piece *to = &t->pieces[k];
            parts[to->first + to->n++] =
                (part){p->tile, p->variable, to->column, to->columns, p->from + to->column - p->column};
        }
    t->parts = parts;
    t->n_parts = first;
    return MT_OK;
}

/* Cuts at the ends of all parts. */
static mt_status cut_at_parts(tree *t)
{
    size_t *borders, n = 0, distinct = 0;
    MT_ALLOC(t->scratch, borders, 2 * t->n_parts);
    for (const part *p = t->parts; p < t->parts + t->n_parts; p++) {
        borders[n++] = p->column;
        borders[n++] = p->column + p->columns;
    }
    qsort(borders, n, sizeof *borders, by_number);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || borders[k] != borders[k - 1]) borders[distinct++] = borders[k];
    return cut(t, borders, distinct);
}

static size_t branches_of(const tree *t, const piece *p)
{
    const part *const end = &t->parts[p->first + p->n];
    size_t n = 0;
    for (const part *b = &t->parts[p->first]; b < end; b = next_branch(b, end)) n++;
    return n;
}

/* Returns the number of pieces into which k tiles split these columns. */
static size_t spread_of(size_t columns, size_t k)
{
    const size_t most = ipu_divide_up(columns, ipu_reduced_at_once(IPU_FLOAT));
    return k < most ? k : most;
}

/* Cuts each piece so that its tiles share it. */
static mt_status spread(tree *t)
{
    size_t *borders, n = 0;
    MT_ALLOC(t->scratch, borders, t->out.n + 1);
    for (const piece *p = t->pieces; p < t->pieces + t->n_pieces; p++) {
        const size_t shares = spread_of(p->columns, branches_of(t, p));
        for (size_t k = 0; k < shares; k++) borders[n++] = p->column + p->columns * k / shares;
    }
    borders[n++] = t->out.n;
    return cut(t, borders, n);
}

/* ---- the other steps ---- */

/* Creates the tensor of columns [column, column + columns) of the parts, one row each. */
static mt_status rows_of(
    tree *t, const part *first, const part *end, size_t column, size_t columns, ipu_tensor *rows)
{
    ipu_slice *room;
    size_t n = 0;
    MT_ALLOC(t->scratch, room, (size_t)(end - first));
    for (const part *p = first; p < end; p++) {
        const ipu_slice s = {p->variable, p->from + column - p->column, columns};
        if (n > 0 && room[n - 1].from + room[n - 1].n == s.from)
            room[n - 1].n += s.n;
        else
            room[n++] = s;
    }
    return ipu_graph_add_tensor(t->graph, room, n, rows);
}

/* Returns the end of the group that starts at p: the parts of at most `group` branches of one chip. *tile is the tile of branch
 * `number` modulo the number of branches. */
static const part *group_from(
    const tree *t, const part *p, const part *end, size_t group, size_t number, uint32_t *tile)
{
    const part *behind = p, *chosen = p;
    size_t n = 0;
    for (; n < group && behind < end && chip_of(t, behind) == chip_of(t, p); n++)
        behind = next_branch(behind, end);
    for (size_t k = 0; k < number % n; k++) chosen = next_branch(chosen, end);
    *tile = chosen->tile;
    return behind;
}

/* Combines every `group` branches of a chip on one of their tiles; the pieces alternate between the tiles. */
static mt_status combine(tree *t, size_t group)
{
    const size_t workers = t->graph->target.worker_contexts;
    uint32_t set, variable;
    size_t n = 0, from = 0, elements = 0;
    part *next;
    for (const piece *p = t->pieces; p < t->pieces + t->n_pieces; p++) {
        const part *const end = &t->parts[p->first + p->n];
        uint32_t tile;
        for (const part *b = &t->parts[p->first]; b < end; b = group_from(t, b, end, group, 0, &tile))
            n++, elements += p->columns;
    }
    MT_ALLOC(t->scratch, next, n);
    MT_TRY(add_step(t, &set));
    MT_TRY(add_variable(t, elements, &variable));
    n = 0;
    for (size_t k = 0; k < t->n_pieces; k++) {
        piece *p = &t->pieces[k];
        const part *const end = &t->parts[p->first + p->n];
        const size_t first = n;
        for (const part *b = &t->parts[p->first], *behind; b < end; b = behind, from += p->columns) {
            part *to = &next[n++];
            ipu_tensor in, out;
            *to = (part){0, variable, p->column, p->columns, from};
            behind = group_from(t, b, end, group, k, &to->tile);
            MT_TRY(ipu_graph_set_tile_mapping(t->graph, variable, from, p->columns, to->tile));
            MT_TRY(rows_of(t, b, behind, p->column, p->columns, &in));
            MT_TRY(ipu_graph_add_tensor(t->graph, &(ipu_slice){variable, from, p->columns}, 1, &out));
            MT_TRY(ipu_add_reduction(t->graph, set, t->reduction, to->tile, in, out, workers));
        }
        p->first = first;
        p->n = n - first;
    }
    t->parts = next;
    t->n_parts = n;
    return MT_OK;
}

/* Combines the remaining parts on the tiles of the result. */
static mt_status finish(tree *t)
{
    const size_t workers = t->graph->target.worker_contexts;
    uint32_t set;
    MT_TRY(add_step(t, &set));
    for (const piece *p = t->pieces; p < t->pieces + t->n_pieces; p++) {
        const part *const first = &t->parts[p->first];
        for (size_t from = p->column, to; from < p->column + p->columns; from = to) {
            const ipu_block *wanted = wanted_at(t, from);
            ipu_tensor in, out;
            to = wanted->column + wanted->columns;
            if (to > p->column + p->columns) to = p->column + p->columns;
            MT_TRY(rows_of(t, first, first + p->n, from, to - from, &in));
            MT_TRY(ipu_graph_slice(t->graph, t->out, from, to - from, &out));
            MT_TRY(ipu_add_reduction(t->graph, set, t->reduction, wanted->tile, in, out, workers));
        }
    }
    return MT_OK;
}

/* Copies pieces of one part each to the tiles of the result. */
static mt_status deliver(tree *t)
{
    const piece *p = t->pieces;
    ipu_slice *room;
    uint32_t set;
    MT_ALLOC(t->scratch, room, t->n_pieces);
    MT_TRY(add_step(t, &set));
    for (const ipu_block *b = t->wanted; b < t->wanted + t->n_wanted; b++) {
        const size_t end = b->column + b->columns;
        ipu_tensor in, out;
        size_t n = 0;
        for (size_t from = b->column, to; from < end; from = to) {
            while (p->column + p->columns <= from) p++;
            to = p->column + p->columns < end ? p->column + p->columns : end;
            const part *only = &t->parts[p->first];
            room[n++] = (ipu_slice){only->variable, only->from + from - p->column, to - from};
        }
        MT_TRY(ipu_graph_add_tensor(t->graph, room, n, &in));
        MT_TRY(ipu_graph_slice(t->graph, t->out, b->column, b->columns, &out));
        MT_TRY(ipu_add_reduction(
            t->graph, set, t->reduction, b->tile, in, out, t->graph->target.worker_contexts));
    }
    return MT_OK;
}

/* ---- shape of the trees ---- */

typedef struct shape {
    /* True if the tiles with a piece share its columns, which are delivered in a separate step */
    bool spread;
    bool own; /* True if a tile first combines the parts of its workers */
    size_t steps, group;
} shape;

/* Maxima over the pieces: branches on a chip, parts of a branch, columns, and columns of the result on a tile. */
typedef struct extent {
    size_t branches, parts, columns, wanted;
} extent;

static uint64_t reducing_cycles(const tree *t, size_t rows, size_t columns)
{
    return ipu_reduction_cycles(&t->graph->target, t->reduction, part_type(t), rows, columns);
}

/* Returns the cycles in which a tile receives `words` words from each of k others. */
static uint64_t receiving_cycles(const tree *t, size_t k, size_t words)
{
    const ipu_target *m = &t->graph->target;
    return m->sync_cycles + m->exchange_fixed_cycles + m->exchange_fragment_cycles +
           k * ipu_target_turn(m, words);
}

static uint64_t combining_cycles(const tree *t, size_t k, size_t w, size_t columns)
{
    return receiving_cycles(t, k, w * columns) + reducing_cycles(t, k * w, columns);
}

/* Returns the smallest group with which `steps` steps combine k branches. */
static size_t group_of(size_t k, size_t steps)
{
    for (size_t group = 1;; group++) {
        size_t left = k;
        for (size_t s = 0; s < steps; s++) left = ipu_divide_up(left, group);
        if (left <= 1) return group;
    }
}

/* True if each piece is on one chip: then the last step of its tree writes the result. */
static bool one_chip(const tree *t)
{
    for (const piece *p = t->pieces; p < t->pieces + t->n_pieces; p++)
        if (chip_of(t, &t->parts[p->first]) != chip_of(t, &t->parts[p->first + p->n - 1])) return false;
    return true;
}

static uint64_t shape_cycles(const tree *t, shape s, const extent *e)
{
    const size_t shares = s.spread ? spread_of(e->columns, e->branches) : 1,
                 columns = ipu_divide_up(e->columns, shares),
                 last = one_chip(t) && !s.spread ? s.steps - 1 : s.steps;
    uint64_t cycles = s.own ? reducing_cycles(t, e->parts, columns) : 0;
    size_t k = e->branches, words = s.own ? 1 : e->parts;
    for (size_t i = 0; i < s.steps; i++) {
        cycles += combining_cycles(t, s.group < k ? s.group : k, words, i == last ? e->wanted : columns);
        k = ipu_divide_up(k, s.group);
        words = 1;
    }
    if (s.spread && one_chip(t))
        cycles += receiving_cycles(t, shares, columns) + reducing_cycles(t, 1, e->wanted);
    return cycles;
}

static extent extent_of(const tree *t)
{
    extent e = {0};
    for (const piece *p = t->pieces; p < t->pieces + t->n_pieces; p++) {
        const part *const end = &t->parts[p->first + p->n];
        size_t here = 0, chip = SIZE_MAX;
        for (const part *b = &t->parts[p->first], *next; b < end; b = next) {
            next = next_branch(b, end);
            here = chip_of(t, b) == chip ? here + 1 : 1;
            chip = chip_of(t, b);
            e.branches = ipu_larger(e.branches, here);
            e.parts = ipu_larger(e.parts, (size_t)(next - b));
        }
        e.columns = ipu_larger(e.columns, p->columns);
    }
    for (const ipu_block *b = t->wanted; b < t->wanted + t->n_wanted; b++)
        e.wanted = ipu_larger(e.wanted, b->columns < e.columns ? b->columns : e.columns);
    return e;
}

static shape best_shape(const tree *t)
{
    const extent e = extent_of(t);
    shape best = {false, false, 1, e.branches};
    for (int spreads = 0; spreads < 2; spreads++)
        for (int own = 0; own < 2; own++)
            for (size_t steps = 1; steps <= MOST_STEPS; steps++) {
                const shape s = {spreads, own, steps, group_of(e.branches, steps)};
                if (shape_cycles(t, s, &e) < shape_cycles(t, best, &e)) best = s;
            }
    return best;
}

static mt_status reduce_in_trees(tree *t)
{
    MT_TRY(cut_at_parts(t));
    const shape s = best_shape(t);
    if (s.spread) MT_TRY(spread(t));
    if (s.own) MT_TRY(combine(t, 1));
    for (size_t k = one_chip(t) && !s.spread ? 1 : 0; k < s.steps; k++) MT_TRY(combine(t, s.group));
    return s.spread && one_chip(t) ? deliver(t) : finish(t);
}

static mt_status reduce(tree *t, const ipu_program **program)
{
    const char *name = ipu_reduction_name(t->reduction);
    ipu_block *blocks;
    split *splits;
    size_t n;
    MT_TRY(ipu_blocks_of(t->scratch, t->graph, t->out, t->out.n, name, &t->wanted, &t->n_wanted));
    MT_TRY(ipu_blocks_of(t->scratch, t->graph, t->in, t->out.n, name, &blocks, &n));
    qsort(blocks, n, sizeof *blocks, by_tile);
    MT_ALLOC(t->scratch, splits, n);
    MT_ALLOC(t->scratch, t->room, t->in.n_slices + t->out.n_slices + t->in.n / t->out.n);
    find_splits(t, blocks, n, splits);
    if (nothing_is_sent(t, blocks, splits, n)) {
        MT_TRY(reduce_at_once(t, blocks, splits, n));
    } else {
        MT_TRY(reduce_shares(t, blocks, splits, n));
        MT_TRY(reduce_in_trees(t));
    }
    return ipu_program_sequence(t->graph->arena, t->steps, t->n_steps, program);
}

static mt_status check(const char *name, ipu_tensor in, ipu_tensor out)
{
    const bool floats =
        (in.type == IPU_FLOAT || in.type == IPU_HALF) && (out.type == IPU_FLOAT || out.type == IPU_HALF);
    if (in.n == 0 || out.n == 0 || in.n % out.n != 0)
        return mt_fail(MT_INPUT, "%s: from %zu elements to %zu; allowed: to 1, or to the length of the rows",
            name, in.n, out.n);
    if (!floats && (in.type != IPU_INT || out.type != IPU_INT))
        return mt_fail(MT_INPUT,
            "%s: from type %s to %s; allowed: float or half to float or half, int to int", name,
            ipu_type_name(in.type), ipu_type_name(out.type));
    return MT_OK;
}

mt_status ipu_reduce(
    ipu_graph *graph, ipu_reduction reduction, ipu_tensor in, ipu_tensor out, const ipu_program **program)
{
    if (reduction >= IPU_REDUCTIONS)
        return mt_fail(MT_INPUT, "reduction %d; allowed: below %d", (int)reduction, IPU_REDUCTIONS);
    MT_TRY(check(ipu_reduction_name(reduction), in, out));
    MT_SCRATCH(scratch);
    tree t = {.graph = graph, .scratch = scratch, .reduction = reduction, .in = in, .out = out};
    return reduce(&t, program);
}
