#include "ipu/library/vertices.h"

#include <stdlib.h>

/* A mapping, and where it begins in its tile's part of the variable. */
typedef struct placed {
    ipu_mapping mapping;
    size_t there;
} placed;

static int by_place(const void *left, const void *right)
{
    const ipu_mapping *a = &((const placed *)left)->mapping;
    const ipu_mapping *b = &((const placed *)right)->mapping;
    if (a->variable != b->variable) return a->variable < b->variable ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

/* The first of n sorted mappings that ends behind an element of a variable; n: there is none. */
static size_t first_behind(const placed *sorted, size_t n, uint32_t variable, size_t element)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const ipu_mapping *m = &sorted[middle].mapping;
        const bool before = m->variable < variable || (m->variable == variable && m->from + m->n <= element);
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Puts the ranges into `ranges`, unless it is null, and counts them. */
static mt_status walk(const ipu_graph *graph, ipu_tensor tensor, const placed *sorted, const char *what,
    ipu_tile_range *ranges, size_t *n)
{
    size_t at = 0;
    *n = 0;
    for (size_t s = 0; s < tensor.n_slices; s++) {
        ipu_slice left = graph->slices[tensor.first_slice + s];
        size_t k = first_behind(sorted, graph->n_mappings, left.variable, left.from);
        for (; left.n > 0; k++) {
            const ipu_mapping *m = &sorted[k].mapping;
            if (k == graph->n_mappings || m->variable != left.variable || m->from > left.from)
                return mt_fail(MT_INPUT, "%s: variable '%s': element %zu is mapped to no tile", what,
                    graph->variables[left.variable].name, left.from);
            const size_t there = m->from + m->n - left.from, count = left.n < there ? left.n : there;
            if (ranges)
                ranges[*n] = (ipu_tile_range){
                    m->tile, {left.variable, left.from, count}, at, sorted[k].there + left.from - m->from};
            *n += 1;
            left.from += count;
            left.n -= count;
            at += count;
        }
    }
    return MT_OK;
}

/* Sorts the mappings, and finds where each begins. */
static mt_status sort_mappings(mt_arena *scratch, const ipu_graph *graph, placed **sorted)
{
    struct {
        uint32_t variable;
        size_t n;
    } * held; /* by each tile, of the current variable */
    MT_ALLOC(scratch, *sorted, graph->n_mappings);
    MT_ALLOC(scratch, held, graph->target.tiles);
    for (size_t k = 0; k < graph->n_mappings; k++) (*sorted)[k].mapping = graph->mappings[k];
    if (graph->n_mappings > 1) qsort(*sorted, graph->n_mappings, sizeof **sorted, by_place);
    for (size_t k = 0; k < graph->n_mappings; k++) {
        const ipu_mapping *m = &(*sorted)[k].mapping;
        if (held[m->tile].variable != m->variable) held[m->tile].n = 0;
        held[m->tile].variable = m->variable;
        (*sorted)[k].there = held[m->tile].n;
        held[m->tile].n += m->n;
    }
    return MT_OK;
}

static mt_status ranges_of(mt_arena *arena, mt_arena *scratch, const ipu_graph *graph, ipu_tensor tensor,
    const char *what, ipu_tile_range **ranges, size_t *n)
{
    placed *sorted;
    MT_TRY(sort_mappings(scratch, graph, &sorted));
    MT_TRY(walk(graph, tensor, sorted, what, NULL, n));
    MT_ALLOC(arena, *ranges, *n);
    return walk(graph, tensor, sorted, what, *ranges, n);
}

mt_status ipu_ranges_of(mt_arena *arena, const ipu_graph *graph, ipu_tensor tensor, const char *what,
    ipu_tile_range **ranges, size_t *n)
{
    mt_arena scratch = {0};
    const mt_status status = ranges_of(arena, &scratch, graph, tensor, what, ranges, n);
    mt_arena_free(&scratch);
    return status;
}
