#include "ipu/library/vertices.h"

#include <stdlib.h>

static int by_place(const void *left, const void *right)
{
    const ipu_mapping *a = left;
    const ipu_mapping *b = right;
    if (a->variable != b->variable) return a->variable < b->variable ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

/* The first of n sorted mappings that ends behind an element of a variable; n: there is none. */
static size_t first_behind(const ipu_mapping *m, size_t n, uint32_t variable, size_t element)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const bool before = m[middle].variable < variable ||
                            (m[middle].variable == variable && m[middle].from + m[middle].n <= element);
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Puts the ranges into `ranges`, unless it is null, and counts them. */
static mt_status walk(const ipu_graph *graph, ipu_tensor tensor, const ipu_mapping *mappings,
    const char *what, ipu_range *ranges, size_t *n)
{
    size_t at = 0;
    *n = 0;
    for (size_t s = 0; s < tensor.n_slices; s++) {
        ipu_slice left = graph->slices[tensor.first_slice + s];
        size_t k = first_behind(mappings, graph->n_mappings, left.variable, left.from);
        for (; left.n > 0; k++) {
            const ipu_mapping *m = &mappings[k];
            if (k == graph->n_mappings || m->variable != left.variable || m->from > left.from)
                return mt_fail(MT_INPUT, "%s: variable '%s': element %zu is mapped to no tile", what,
                    graph->variables[left.variable].name, left.from);
            const size_t there = m->from + m->n - left.from, count = left.n < there ? left.n : there;
            if (ranges) ranges[*n] = (ipu_range){m->tile, {left.variable, left.from, count}, at};
            *n += 1;
            left.from += count;
            left.n -= count;
            at += count;
        }
    }
    return MT_OK;
}

static mt_status ranges_of(mt_arena *arena, const ipu_graph *graph, ipu_tensor tensor, const char *what,
    const ipu_mapping *sorted, ipu_range **ranges, size_t *n)
{
    MT_TRY(walk(graph, tensor, sorted, what, NULL, n));
    *ranges = mt_arena_alloc(arena, *n, sizeof **ranges);
    return *ranges ? walk(graph, tensor, sorted, what, *ranges, n) : MT_MEMORY;
}

mt_status ipu_ranges_of(mt_arena *arena, const ipu_graph *graph, ipu_tensor tensor, const char *what,
    ipu_range **ranges, size_t *n)
{
    mt_arena scratch = {0};
    ipu_mapping *sorted = mt_arena_alloc(&scratch, graph->n_mappings, sizeof *sorted);
    if (!sorted) return MT_MEMORY;
    for (size_t k = 0; k < graph->n_mappings; k++) sorted[k] = graph->mappings[k];
    if (graph->n_mappings > 1) qsort(sorted, graph->n_mappings, sizeof *sorted, by_place);
    const mt_status status = ranges_of(arena, graph, tensor, what, sorted, ranges, n);
    mt_arena_free(&scratch);
    return status;
}
