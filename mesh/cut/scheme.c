#include "mesh/cut/scheme.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/utf8.h"
#include "data/core/order.h"
#include "mesh/cut/sets.h"

/* ---- list of ranges ---- */

/* Reallocates an array; returns NULL and sets the message if out of memory. */
static void *grown(void *array, size_t room, size_t size)
{
    void *larger = realloc(array, room * size);
    if (!larger) (void)mt_fail(MT_MEMORY, "out of memory: %zu items of %zu bytes", room, size);
    return larger;
}

static mt_status reserve_ranges(mt_scheme_sink *sink)
{
    if (sink->n_ranges < sink->room_ranges) return MT_OK;
    const size_t room = 2 * sink->room_ranges + 64;
    mt_scheme_range *range = grown(sink->range, room, sizeof *range);
    if (!range) return MT_MEMORY;
    sink->range = range;
    size_t *to_end = grown(sink->to_end, room, sizeof *to_end);
    if (!to_end) return MT_MEMORY;
    sink->to_end = to_end;
    sink->room_ranges = room;
    return MT_OK;
}

static mt_status reserve_to(mt_scheme_sink *sink, size_t n)
{
    if (sink->n_to + n <= sink->room_to) return MT_OK;
    const size_t room = 2 * (sink->n_to + n) + 64;
    uint32_t *to_part = grown(sink->to_part, room, sizeof *to_part);
    if (!to_part) return MT_MEMORY;
    sink->to_part = to_part;
    sink->room_to = room;
    return MT_OK;
}

mt_status mt_scheme_send(
    mt_scheme_sink *sink, uint32_t begin, uint32_t end, uint32_t n_to, const uint32_t *to)
{
    if (begin == end || n_to == 0) return MT_OK;
    MT_TRY(reserve_ranges(sink));
    MT_TRY(reserve_to(sink, n_to));
    memcpy(sink->to_part + sink->n_to, to, n_to * sizeof *to);
    sink->n_to += n_to;
    sink->range[sink->n_ranges] = (mt_scheme_range){sink->source, begin, end};
    sink->to_end[sink->n_ranges++] = sink->n_to;
    return MT_OK;
}

void mt_scheme_sink_free(mt_scheme_sink *sink)
{
    free(sink->range);
    free(sink->to_end);
    free(sink->to_part);
    *sink = (mt_scheme_sink){0};
}

/* ---- mixed-clean ---- */

static size_t n_needing(const mt_needs *source, uint32_t element)
{
    return source->need_offset[(size_t)element + 1] - source->need_offset[element];
}

/* Appends the elements that `least` to `most` parts need to `order`; returns its new length. */
static uint32_t append(const mt_needs *source, size_t least, size_t most, uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < source->n_own; i++) {
        const size_t needing = n_needing(source, source->element[i]);
        if (needing >= least && needing <= most) order[n++] = source->element[i];
    }
    return n;
}

MT_ORDER_NUMBERS(compare_keys, uint64_t)

static mt_status mixed_clean(const mt_scheme *scheme, const mt_needs *source, mt_arena *scratch,
    uint32_t *order, uint32_t *n_interior, mt_scheme_sink *sink)
{
    (void)scheme;
    *n_interior = append(source, 0, 0, order, 0);
    uint32_t n = append(source, 2, SIZE_MAX, order, *n_interior), n_clean = 0;
    MT_TRY(mt_scheme_send(sink, *n_interior, n, source->n_neighbours, source->neighbour));

    uint64_t *clean; /* keys (destination, element) */
    MT_ALLOC(scratch, clean, source->n_own);
    for (uint32_t i = 0; i < source->n_own; i++)
        if (n_needing(source, source->element[i]) == 1)
            clean[n_clean++] = (uint64_t)source->need_part[source->need_offset[source->element[i]]] << 32 |
                               source->element[i];
    qsort(clean, n_clean, sizeof *clean, compare_keys);
    for (uint32_t i = 0, k; i < n_clean; i = k) {
        uint32_t to = (uint32_t)(clean[i] >> 32), begin = n;
        for (k = i; k < n_clean && clean[k] >> 32 == to; k++) order[n++] = (uint32_t)clean[k];
        MT_TRY(mt_scheme_send(sink, begin, n, 1, &to));
    }
    return MT_OK;
}

/* ---- full ---- */

static mt_status full(const mt_scheme *scheme, const mt_needs *source, mt_arena *scratch, uint32_t *order,
    uint32_t *n_interior, mt_scheme_sink *sink)
{
    (void)scheme, (void)scratch;
    *n_interior = append(source, 0, 0, order, 0);
    return mt_scheme_send(sink, *n_interior, append(source, 1, SIZE_MAX, order, *n_interior),
        source->n_neighbours, source->neighbour);
}

/* ---- exact and budget ---- */

/* Writes the interior, then the sets in this order; stores the beginning of each set in begin[n_sets]. */
static mt_status lay_out(mt_arena *scratch, const mt_needs *source, const mt_sets *sets,
    const uint32_t *set_order, uint32_t *order, uint32_t *n_interior, uint32_t *begin)
{
    uint32_t *next, n = *n_interior = append(source, 0, 0, order, 0);
    MT_ALLOC(scratch, next, sets->n_sets);
    for (uint32_t i = 0; i < sets->n_sets; i++) {
        next[set_order[i]] = begin[set_order[i]] = n;
        n += sets->size[set_order[i]];
    }
    for (uint32_t i = 0; i < sets->n_elements; i++) order[next[sets->set_of[i]]++] = sets->element[i];
    return MT_OK;
}

/* The scheme exact or, with a limit of ranges, budget: one range per set. */
static mt_status a_range_a_set(const mt_scheme *scheme, const mt_needs *source, mt_arena *scratch,
    uint32_t *order, uint32_t *n_interior, mt_scheme_sink *sink)
{
    mt_sets sets;
    MT_TRY(mt_sets_make(scratch, source, &sets));
    if (scheme->ranges > 0) MT_TRY(mt_sets_merge(scratch, &sets, scheme->ranges));
    uint32_t *set_order, *begin, *to;
    MT_ALLOC(scratch, set_order, sets.n_sets);
    MT_ALLOC(scratch, begin, sets.n_sets);
    MT_ALLOC(scratch, to, sets.n_to);
    MT_TRY(mt_sets_order_runs(scratch, &sets, set_order));
    MT_TRY(lay_out(scratch, source, &sets, set_order, order, n_interior, begin));
    for (uint32_t i = 0; i < sets.n_sets; i++) {
        const uint32_t set = set_order[i];
        uint32_t n_to = 0;
        for (uint32_t q = 0; q < sets.n_to; q++)
            if (mt_sets_has(&sets, set, q)) to[n_to++] = source->neighbour[q];
        MT_TRY(mt_scheme_send(sink, begin[set], begin[set] + sets.size[set], n_to, to));
    }
    return MT_OK;
}

/* ---- ranged ---- */

typedef struct interval {
    uint32_t begin, end, destination;
} interval;

MT_ORDER(compare_intervals, interval, begin, end, destination)

/* Computes the smallest interval that encloses the sets of each destination. */
static void enclose(const mt_needs *source, const mt_sets *sets, const uint32_t *begin, interval *of)
{
    for (uint32_t q = 0; q < sets->n_to; q++) of[q] = (interval){UINT32_MAX, 0, source->neighbour[q]};
    for (uint32_t s = 0; s < sets->n_sets; s++)
        for (uint32_t q = 0; q < sets->n_to; q++) {
            if (!mt_sets_has(sets, s, q)) continue;
            if (begin[s] < of[q].begin) of[q].begin = begin[s];
            if (begin[s] + sets->size[s] > of[q].end) of[q].end = begin[s] + sets->size[s];
        }
}

static mt_status ranged(const mt_scheme *scheme, const mt_needs *source, mt_arena *scratch, uint32_t *order,
    uint32_t *n_interior, mt_scheme_sink *sink)
{
    (void)scheme;
    mt_sets sets;
    MT_TRY(mt_sets_make(scratch, source, &sets));
    uint32_t *set_order, *begin, *to;
    interval *of;
    MT_ALLOC(scratch, set_order, sets.n_sets);
    MT_ALLOC(scratch, begin, sets.n_sets);
    MT_ALLOC(scratch, to, sets.n_to);
    MT_ALLOC(scratch, of, sets.n_to);
    MT_TRY(mt_sets_order_intervals(scratch, &sets, set_order));
    MT_TRY(lay_out(scratch, source, &sets, set_order, order, n_interior, begin));
    enclose(source, &sets, begin, of);
    qsort(of, sets.n_to, sizeof *of, compare_intervals);
    for (uint32_t i = 0, n_to = 0; i < sets.n_to; i++) {
        to[n_to++] = of[i].destination;
        if (i + 1 < sets.n_to && of[i + 1].begin == of[i].begin && of[i + 1].end == of[i].end) continue;
        MT_TRY(mt_scheme_send(sink, of[i].begin, of[i].end, n_to, to));
        n_to = 0;
    }
    return MT_OK;
}

/* ---- the table ---- */

const mt_scheme mt_schemes[] = {{"full", "the complete separator to every neighbour", full, 0, true},
    {"ranged", "to each neighbour the shortest range with all elements it needs", ranged, 0, false},
    {"mixed-clean", "elements needed by two or more neighbours to all, the others to the one that needs them",
        mixed_clean, 0, true},
    {"exact", "one range for each set of neighbours that need the same elements; no unused elements",
        a_range_a_set, 0, false},
    {"budget", "as exact, with ranges merged down to a limit", a_range_a_set, 22, false},
    {NULL, NULL, NULL, 0, false}};

mt_status mt_scheme_find(const char *name, uint32_t ranges, mt_scheme *scheme)
{
    char names[256] = "";
    for (const mt_scheme *s = mt_schemes; s->name; s++) {
        if (s != mt_schemes) (void)strncat(names, ", ", sizeof names - strlen(names) - 1);
        (void)strncat(names, s->name, sizeof names - strlen(names) - 1);
        if (strcmp(s->name, name) != 0) continue;
        *scheme = *s;
        if (ranges == 0) return MT_OK;
        if (s->ranges == 0)
            return mt_fail(
                MT_INPUT, "separator scheme '%s' has no limit of ranges, but %u is given", name, ranges);
        scheme->ranges = ranges;
        return MT_OK;
    }
    return mt_fail(MT_INPUT, "separator scheme '%s'; allowed: %s", mt_utf8_shown(name), names);
}
