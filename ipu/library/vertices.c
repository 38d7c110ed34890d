#include "ipu/library/vertices.h"

#include <stdlib.h>

#include "data/core/order.h"
#include "ipu/machine/integer.h"

/* A mapping, and its offset in its tile's part of the variable. */
typedef struct placed {
    ipu_mapping mapping;
    size_t there;
} placed;

/* The mappings of the variables of a tensor, by (variable, from). */
typedef struct placing {
    placed *sorted;
    size_t n;
} placing;

MT_ORDER(by_place, placed, mapping.variable, mapping.from)

/* Returns the first mapping that ends after an element of a variable; n if there is none. */
static size_t first_behind(const placing *p, uint32_t variable, size_t element)
{
    size_t low = 0, high = p->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const ipu_mapping *m = &p->sorted[middle].mapping;
        const bool before = m->variable < variable || (m->variable == variable && m->from + m->n <= element);
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Writes the ranges to `ranges` (may be NULL) and counts them. */
static mt_status walk(const ipu_graph *graph, ipu_tensor tensor, const placing *p, const char *what,
    ipu_tile_range *ranges, size_t *n)
{
    size_t at = 0;
    *n = 0;
    for (size_t s = 0; s < tensor.n_slices; s++) {
        ipu_slice left = graph->slices[tensor.first_slice + s];
        size_t k = first_behind(p, left.variable, left.from);
        for (; left.n > 0; k++) {
            const ipu_mapping *m = &p->sorted[k].mapping;
            if (k == p->n || m->variable != left.variable || m->from > left.from)
                return mt_fail(MT_INPUT, "%s: variable '%s': element %zu is mapped to no tile", what,
                    graph->variables[left.variable].name, left.from);
            const size_t there = m->from + m->n - left.from, count = left.n < there ? left.n : there;
            if (ranges)
                ranges[*n] = (ipu_tile_range){
                    m->tile, {left.variable, left.from, count}, at, p->sorted[k].there + left.from - m->from};
            *n += 1;
            left.from += count;
            left.n -= count;
            at += count;
        }
    }
    return MT_OK;
}

/* Copies the mappings of the tensor's variables. */
static mt_status pick_mappings(mt_arena *scratch, const ipu_graph *graph, ipu_tensor tensor, placing *p)
{
    bool *wanted;
    size_t n = 0;
    MT_ALLOC(scratch, wanted, graph->n_variables);
    for (size_t s = 0; s < tensor.n_slices; s++)
        wanted[graph->slices[tensor.first_slice + s].variable] = true;
    for (size_t k = 0; k < graph->n_mappings; k++) n += wanted[graph->mappings[k].variable];
    MT_ALLOC(scratch, p->sorted, n);
    for (size_t k = 0; k < graph->n_mappings; k++)
        if (wanted[graph->mappings[k].variable]) p->sorted[p->n++].mapping = graph->mappings[k];
    return MT_OK;
}

/* Sorts unless already sorted: most programs map their variables in ascending order. */
static void sort_mappings(placing *p)
{
    size_t k = 1;
    while (k < p->n && by_place(&p->sorted[k - 1], &p->sorted[k]) < 0) k++;
    if (k < p->n) qsort(p->sorted, p->n, sizeof *p->sorted, by_place);
}

/* Sorts the mappings, and computes their offsets. */
static mt_status place_mappings(mt_arena *scratch, const ipu_graph *graph, ipu_tensor tensor, placing *p)
{
    struct {
        uint32_t variable;
        size_t n;
    } * held; /* [tiles] elements of the current variable */
    MT_TRY(pick_mappings(scratch, graph, tensor, p));
    MT_ALLOC(scratch, held, graph->target.tiles);
    sort_mappings(p);
    for (size_t k = 0; k < p->n; k++) {
        const ipu_mapping *m = &p->sorted[k].mapping;
        if (held[m->tile].variable != m->variable) held[m->tile].n = 0;
        held[m->tile].variable = m->variable;
        p->sorted[k].there = held[m->tile].n;
        held[m->tile].n += m->n;
    }
    return MT_OK;
}

mt_status ipu_ranges_of(mt_arena *arena, const ipu_graph *graph, ipu_tensor tensor, const char *what,
    ipu_tile_range **ranges, size_t *n)
{
    MT_SCRATCH(scratch);
    placing p = {0};
    MT_TRY(place_mappings(scratch, graph, tensor, &p));
    MT_TRY(walk(graph, tensor, &p, what, NULL, n));
    MT_ALLOC(arena, *ranges, *n);
    return walk(graph, tensor, &p, what, *ranges, n);
}

/* ---- blocks ---- */

MT_ORDER(by_columns, ipu_block, column, columns, row)

/* True if b begins at the end of a on its tile. */
static bool follows(const ipu_block *a, const ipu_block *b)
{
    return a->tile == b->tile && a->variable == b->variable && a->there + a->rows * a->columns == b->there;
}

/* Cuts the ranges into complete rows, and parts of one row. */
static size_t find_pieces(const ipu_tile_range *ranges, size_t n_ranges, size_t width, ipu_block *pieces)
{
    size_t n = 0;
    for (size_t r = 0; r < n_ranges; r++)
        for (size_t at = 0; at < ranges[r].slice.n;) {
            const ipu_tile_range *all = &ranges[r];
            const size_t left = all->slice.n - at, row = (all->at + at) / width,
                         column = (all->at + at) % width,
                         columns = left < width - column ? left : width - column,
                         rows = columns == width ? left / width : 1;
            const ipu_block piece = {
                all->tile, all->slice.variable, row, rows, column, columns, all->there + at};
            if (n > 0 && column > 0 && pieces[n - 1].row == row && follows(&pieces[n - 1], &piece))
                pieces[n - 1].columns += columns;
            else
                pieces[n++] = piece;
            at += rows * columns;
        }
    return n;
}

mt_status ipu_blocks_of(mt_arena *arena, const ipu_graph *graph, ipu_tensor tensor, size_t width,
    const char *what, ipu_block **blocks, size_t *n)
{
    ipu_tile_range *ranges;
    size_t n_ranges, n_pieces;
    ipu_block *b;
    MT_TRY(ipu_ranges_of(arena, graph, tensor, what, &ranges, &n_ranges));
    MT_ALLOC(arena, b, 3 * n_ranges);
    n_pieces = find_pieces(ranges, n_ranges, width, b);
    if (n_pieces > 1) qsort(b, n_pieces, sizeof *b, by_columns);
    *blocks = b;
    *n = 0;
    for (size_t k = 0; k < n_pieces; k++) {
        ipu_block *last = *n > 0 ? &b[*n - 1] : NULL;
        if (last && last->column == b[k].column && last->columns == b[k].columns &&
            last->row + last->rows == b[k].row && follows(last, &b[k]))
            last->rows += b[k].rows;
        else
            b[(*n)++] = b[k];
    }
    return MT_OK;
}

mt_status ipu_columns_of(
    ipu_graph *graph, ipu_tensor whole, size_t width, const ipu_block *b, ipu_slice *room, ipu_tensor *tensor)
{
    const ipu_slice *slice = &graph->slices[whole.first_slice];
    size_t at = 0, n = 0; /* the slice's first element; slices written */
    for (size_t row = b->row; row < b->row + b->rows; row++)
        for (size_t from = row * width + b->column, to = from + b->columns; from < to;) {
            if (at + slice->n <= from) {
                at += slice++->n;
                continue;
            }
            ipu_slice s = {slice->variable, slice->from + from - at, at + slice->n - from};
            if (s.n > to - from) s.n = to - from;
            from += s.n;
            if (n > 0 && room[n - 1].variable == s.variable && room[n - 1].from + room[n - 1].n == s.from)
                room[n - 1].n += s.n;
            else
                room[n++] = s;
        }
    return ipu_graph_add_tensor(graph, room, n, tensor);
}

/* ---- codelets ---- */

size_t ipu_list_codelets(const ipu_codelet **list, size_t at, const ipu_codelet *codelets, size_t n)
{
    for (size_t i = 0; i < n && list; i++) list[at + i] = &codelets[i];
    return at + n;
}

/* ---- elements of two tensors ---- */

/* Elements [from, to) of a variable, in the first tensor or the second. */
typedef struct stretch {
    size_t from, to;
    uint32_t variable;
    bool second;
} stretch;

MT_ORDER(by_element, stretch, variable, from)

static size_t add_stretches(const ipu_graph *graph, ipu_tensor tensor, bool second, stretch *out)
{
    for (size_t s = 0; s < tensor.n_slices; s++) {
        const ipu_slice *slice = &graph->slices[tensor.first_slice + s];
        out[s] = (stretch){slice->from, slice->from + slice->n, slice->variable, second};
    }
    return tensor.n_slices;
}

static bool any_shared(const stretch *all, size_t n)
{
    size_t reached[2] = {0, 0}; /* maximum of `to`, by tensor, in the current variable */
    for (size_t k = 0; k < n; k++) {
        if (k == 0 || all[k].variable != all[k - 1].variable) reached[0] = reached[1] = 0;
        if (reached[!all[k].second] > all[k].from) return true;
        reached[all[k].second] = ipu_larger(reached[all[k].second], all[k].to);
    }
    return false;
}

mt_status ipu_tensors_share(const ipu_graph *graph, ipu_tensor a, ipu_tensor b, bool *share)
{
    MT_SCRATCH(scratch);
    const size_t n = a.n_slices + b.n_slices;
    stretch *all = mt_arena_alloc(scratch, n, sizeof *all);
    if (!all) return MT_MEMORY;
    (void)add_stretches(graph, b, true, all + add_stretches(graph, a, false, all));
    if (n > 1) qsort(all, n, sizeof *all, by_element);
    *share = any_shared(all, n);
    return MT_OK;
}
