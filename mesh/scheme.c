#include "mesh/scheme.h"

#include <stdlib.h>
#include <string.h>

/* ---- where ranges go ---- */

/* The array with room for more; NULL and the message set where there is no memory. */
static void *grown(void *array, size_t room, size_t size)
{
    void *larger = realloc(array, room * size);
    if (!larger) (void)mt_fail(MT_FILE, "out of memory: %zu items of %zu bytes", room, size);
    return larger;
}

static mt_status reserve_ranges(mt_scheme_sink *sink)
{
    if (sink->n_ranges < sink->room_ranges) return MT_OK;
    const size_t room = 2 * sink->room_ranges + 64;
    mt_scheme_range *range = grown(sink->range, room, sizeof *range);
    if (!range) return MT_FILE;
    sink->range = range;
    size_t *to_end = grown(sink->to_end, room, sizeof *to_end);
    if (!to_end) return MT_FILE;
    sink->to_end = to_end;
    sink->room_ranges = room;
    return MT_OK;
}

static mt_status reserve_to(mt_scheme_sink *sink, size_t n)
{
    if (sink->n_to + n <= sink->room_to) return MT_OK;
    const size_t room = 2 * (sink->n_to + n) + 64;
    uint32_t *to_part = grown(sink->to_part, room, sizeof *to_part);
    if (!to_part) return MT_FILE;
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

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static mt_status mixed_clean(const mt_scheme *scheme, const mt_scheme_source *source, mt_arena *scratch,
    uint32_t *order, uint32_t *n_interior, mt_scheme_sink *sink)
{
    (void)scheme;
    uint64_t *clean; /* destination, cell */
    uint32_t n_clean = 0, n = 0;
    MT_TAKE(scratch, clean, source->n_own);
    for (uint32_t i = 0; i < source->n_own; i++) {
        size_t first = source->need_offset[source->cell[i]], last = source->need_offset[source->cell[i] + 1];
        if (last == first)
            order[n++] = source->cell[i];
        else if (last == first + 1)
            clean[n_clean++] = (uint64_t)source->need_part[first] << 32 | source->cell[i];
    }
    *n_interior = n;
    for (uint32_t i = 0; i < source->n_own; i++)
        if (source->need_offset[source->cell[i] + 1] - source->need_offset[source->cell[i]] > 1)
            order[n++] = source->cell[i];
    MT_TRY(mt_scheme_send(sink, *n_interior, n, source->n_neighbours, source->neighbour));

    qsort(clean, n_clean, sizeof *clean, compare_keys);
    for (uint32_t i = 0, k; i < n_clean; i = k) {
        uint32_t to = (uint32_t)(clean[i] >> 32), begin = n;
        for (k = i; k < n_clean && clean[k] >> 32 == to; k++) order[n++] = (uint32_t)clean[k];
        MT_TRY(mt_scheme_send(sink, begin, n, 1, &to));
    }
    return MT_OK;
}

/* ---- the table ---- */

const mt_scheme mt_schemes[] = {
    {"mixed-clean", "cells for two or more to all neighbours, the others each to its one", mixed_clean, 0},
    {NULL, NULL, NULL, 0}};

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
                MT_INPUT, "separator scheme '%s' has no limit of ranges; %u is given", name, ranges);
        scheme->ranges = ranges;
        return MT_OK;
    }
    return mt_fail(MT_INPUT, "separator scheme '%s'; there are: %s", name, names);
}
