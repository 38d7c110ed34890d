#include "mesh/cut/halo.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/offsets.h"

#define NONE UINT32_MAX

/* ---- needs ---- */

struct needs {
    size_t *offset; /* [n_elements + 2] */
    uint32_t *part; /* [offset[n_elements]] ascending within an element */
};

/* Visits every pair of an element c and a part q that needs it, with q ascending, in one pass over the rows of all parts. If `to` is NULL,
 * counts the pairs in offset[c + 2] and needed[q]; else stores q at to[offset[c + 1]++]. seen[n_elements] is scratch. */
static void pass_over_needs(const mt_pattern *pattern, const uint32_t *part, const mt_halo *halo,
    uint32_t *seen, size_t *offset, uint32_t *to)
{
    memset(seen, 0xff, pattern->n_elements * sizeof *seen);
    for (uint32_t q = 0; q < halo->n_parts; q++)
        for (size_t i = halo->own_offset[q]; i < halo->own_offset[q + 1]; i++) {
            uint32_t ring[MT_RING_MAX];
            const uint32_t *row = mt_pattern_row(pattern, halo->own_element[i], ring);
            const size_t length = mt_pattern_length(pattern, halo->own_element[i]);
            for (size_t k = 0; k < length; k++) {
                uint32_t c = row[k];
                if (part[c] == q || seen[c] == q) continue;
                seen[c] = q;
                if (to)
                    to[offset[(size_t)c + 1]++] = q;
                else
                    offset[(size_t)c + 2]++, halo->needed[q]++;
            }
        }
}

static mt_status find_needs(mt_arena *scratch, const mt_pattern *pattern, const uint32_t *part,
    const mt_halo *halo, struct needs *needs)
{
    uint32_t *seen;
    MT_ALLOC(scratch, seen, pattern->n_elements);
    MT_ALLOC(scratch, needs->offset, pattern->n_elements + 2);
    pass_over_needs(pattern, part, halo, seen, needs->offset, NULL);
    mt_offsets_sum(needs->offset, pattern->n_elements + 2);
    MT_ALLOC(scratch, needs->part, needs->offset[pattern->n_elements + 1]);
    pass_over_needs(pattern, part, halo, seen, needs->offset, needs->part);
    return MT_OK;
}

/* ---- ranges ---- */

struct planner {
    const mt_scheme *scheme;
    const struct needs *needs;
    uint32_t *ascending; /* [n_elements] owned elements by part, ascending */
    uint32_t *neighbour; /* [n_parts] */
    uint32_t *mark;      /* [n_parts] last source with this part as a neighbour, or NONE */
};

static uint32_t find_neighbours(
    struct planner *planner, uint32_t source, const uint32_t *element, size_t n_own)
{
    uint32_t n = 0;
    for (size_t i = 0; i < n_own; i++)
        for (size_t k = planner->needs->offset[element[i]];
             k < planner->needs->offset[(size_t)element[i] + 1]; k++) {
            uint32_t q = planner->needs->part[k];
            if (planner->mark[q] == source) continue;
            planner->mark[q] = source;
            planner->neighbour[n++] = q;
        }
    qsort(planner->neighbour, n, sizeof *planner->neighbour, mt_compare_ids);
    return n;
}

/* Applies the scheme to every part. */
static mt_status plan_parts(struct planner *planner, mt_halo *halo, mt_scheme_sink *sink)
{
    memset(planner->mark, 0xff, halo->n_parts * sizeof *planner->mark);
    for (uint32_t p = 0; p < halo->n_parts; p++) {
        const uint32_t *element = planner->ascending + halo->own_offset[p];
        size_t n_own = mt_halo_own(halo, p);
        mt_needs source = {.part = p,
            .n_own = (uint32_t)n_own,
            .n_neighbours = find_neighbours(planner, p, element, n_own),
            .element = element,
            .need_offset = planner->needs->offset,
            .need_part = planner->needs->part,
            .neighbour = planner->neighbour};
        MT_SCRATCH(scratch);
        sink->source = p;
        MT_TRY(planner->scheme->plan(planner->scheme, &source, scratch,
            halo->own_element + halo->own_offset[p], &halo->n_interior[p], sink));
        halo->range_offset[p + 1] = sink->n_ranges;
    }
    return MT_OK;
}

/* Copies the ranges from the sink to the halo. */
static mt_status keep_ranges(mt_arena *arena, const mt_scheme_sink *sink, mt_halo *halo)
{
    if (sink->n_ranges >= UINT32_MAX)
        return mt_fail(MT_INPUT, "halo: %zu ranges; fewer than %u are allowed", sink->n_ranges, UINT32_MAX);
    halo->n_ranges = sink->n_ranges;
    MT_ALLOC(arena, halo->range, sink->n_ranges);
    MT_ALLOC(arena, halo->to_offset, sink->n_ranges + 1);
    MT_ALLOC(arena, halo->to_part, sink->n_to);
    for (size_t r = 0; r < sink->n_ranges; r++) {
        halo->range[r] = sink->range[r];
        halo->to_offset[r + 1] = sink->to_end[r];
    }
    for (size_t k = 0; k < sink->n_to; k++) halo->to_part[k] = sink->to_part[k];
    return MT_OK;
}

static mt_status plan_ranges(mt_arena *arena, mt_arena *scratch, struct planner *planner, mt_halo *halo)
{
    MT_ALLOC(scratch, planner->neighbour, halo->n_parts);
    MT_ALLOC(scratch, planner->mark, halo->n_parts);
    MT_ALLOC(scratch, planner->ascending, halo->n_elements);
    memcpy(planner->ascending, halo->own_element, halo->n_elements * sizeof *halo->own_element);
    __attribute__((cleanup(mt_scheme_sink_free))) mt_scheme_sink sink = {0};
    MT_TRY(plan_parts(planner, halo, &sink));
    return keep_ranges(arena, &sink, halo);
}

/* Computes the inverse relation: the ranges that each part receives. */
static mt_status turn_around(mt_arena *arena, mt_halo *halo)
{
    const size_t n = halo->to_offset[halo->n_ranges];
    MT_ALLOC(arena, halo->in_offset, (size_t)halo->n_parts + 2);
    MT_ALLOC(arena, halo->in_range, n);
    for (size_t k = 0; k < n; k++) halo->in_offset[(size_t)halo->to_part[k] + 2]++;
    mt_offsets_sum(halo->in_offset, (size_t)halo->n_parts + 2);
    for (size_t r = 0; r < halo->n_ranges; r++)
        for (size_t k = halo->to_offset[r]; k < halo->to_offset[r + 1]; k++) {
            uint32_t q = halo->to_part[k];
            halo->in_range[halo->in_offset[(size_t)q + 1]++] = (uint32_t)r;
            halo->inbound[q] += halo->range[r].end - halo->range[r].begin;
        }
    return MT_OK;
}

static mt_status check_input(const mt_pattern *pattern, const mt_partition *partition)
{
    if (partition->n_elements != pattern->n_elements || pattern->n_elements >= NONE)
        return mt_fail(MT_INPUT,
            "halo: a pattern of %zu elements and a partition of %zu; they must be the same and below %u",
            pattern->n_elements, partition->n_elements, NONE);
    if (partition->n_parts == 0 || partition->n_parts == NONE)
        return mt_fail(MT_INPUT, "halo: %u parts; 1 to %u are allowed", partition->n_parts, NONE - 1);
    MT_TRY(mt_partition_check(partition));
    if (pattern->n_elements > 0 && !pattern->columns && !pattern->adjacency)
        return mt_fail(MT_INPUT,
            "halo: a pattern of %zu elements without rows; rows, or an adjacency, are allowed",
            pattern->n_elements);
    for (size_t c = 0; pattern->columns && c < pattern->n_elements; c++) {
        const uint32_t *row = mt_pattern_row(pattern, c, NULL);
        for (size_t k = 0; k < mt_pattern_length(pattern, c); k++)
            if (row[k] >= pattern->n_elements)
                return mt_fail(MT_INPUT, "halo: row %zu reads element %u; elements are 0 to %zu", c, row[k],
                    pattern->n_elements - 1);
    }
    return MT_OK;
}

mt_status mt_halo_make(mt_arena *arena, const mt_pattern *pattern, const mt_partition *partition,
    const mt_scheme *scheme, mt_halo *halo)
{
    MT_TRY(check_input(pattern, partition));
    *halo = (mt_halo){.n_parts = partition->n_parts,
        .parts_per_group = partition->parts_per_group,
        .n_elements = pattern->n_elements};
    MT_SCRATCH(scratch);
    struct needs needs;
    MT_TRY(mt_offsets_make(
        arena, halo->n_elements, 1, partition->part, halo->n_parts, &halo->own_offset, &halo->own_element));
    MT_ALLOC(arena, halo->n_interior, halo->n_parts);
    MT_ALLOC(arena, halo->range_offset, (size_t)halo->n_parts + 1);
    MT_ALLOC(arena, halo->inbound, halo->n_parts);
    MT_ALLOC(arena, halo->needed, halo->n_parts);
    MT_TRY(find_needs(scratch, pattern, partition->part, halo, &needs));
    struct planner planner = {.scheme = scheme, .needs = &needs};
    MT_TRY(plan_ranges(arena, scratch, &planner, halo));
    MT_TRY(turn_around(arena, halo));
    for (uint32_t q = 0; q < halo->n_parts; q++)
        if (mt_halo_local(halo, q) >= NONE)
            return mt_fail(MT_INPUT,
                "halo: part %u owns and receives %zu elements; fewer than %u are allowed", q,
                mt_halo_local(halo, q), NONE);
    return MT_OK;
}

/* ---- subset for some parts ---- */

typedef struct view {
    const mt_halo *whole;
    uint32_t first, end;
    size_t n_ranges;
    uint32_t *range; /* [n_ranges] numbers of the ranges sent or received by these parts, ascending */
    uint8_t *kept;   /* [whole->n_elements] 1 if own_element[k] is in the subset */
    uint32_t *place; /* [whole->n_elements] its position in the subset */
    uint8_t *sends;  /* [n_parts] 1 if the part sends a range, or is one of these parts */
    uint8_t *stays;  /* [n_parts] 1 if the part retains an element, unless it has none */
    mt_halo *seen;
} view;

static bool sees_from(const view *v, uint32_t part) { return part - v->first < v->end - v->first; }

/* True if the subset contains this range with this receiver. */
static bool goes(const view *v, const mt_scheme_range *range, uint32_t to)
{
    return sees_from(v, range->source) || sees_from(v, to);
}

/* Lists the ranges received from other parts, ascending and without duplicates; returns their number. */
static size_t list_received(const view *v, uint32_t *range)
{
    const mt_halo *whole = v->whole;
    size_t n = 0, once = 0;
    for (size_t k = whole->in_offset[v->first]; k < whole->in_offset[v->end]; k++)
        if (!sees_from(v, whole->range[whole->in_range[k]].source)) range[n++] = whole->in_range[k];
    qsort(range, n, sizeof *range, mt_compare_ids);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || range[k] != range[k - 1]) range[once++] = range[k];
    return once;
}

/* Merges the received ranges with the ranges that these parts send, which are consecutive. */
static mt_status find_ranges(mt_arena *scratch, view *v)
{
    const mt_halo *whole = v->whole;
    const size_t sent = whole->range_offset[v->first], n_sent = whole->range_offset[v->end] - sent;
    MT_ALLOC(scratch, v->range, whole->in_offset[v->end] - whole->in_offset[v->first] + n_sent);
    const size_t n = list_received(v, v->range);
    size_t before = 0;
    while (before < n && v->range[before] < sent) before++;
    memmove(v->range + before + n_sent, v->range + before, (n - before) * sizeof *v->range);
    for (size_t k = 0; k < n_sent; k++) v->range[before + k] = (uint32_t)(sent + k);
    v->n_ranges = n + n_sent;
    return MT_OK;
}

static void keep_parts(view *v)
{
    const mt_halo *whole = v->whole;
    for (uint32_t part = v->first; part < v->end; part++) {
        v->sends[part] = 1;
        memset(v->kept + whole->own_offset[part], 1, mt_halo_own(whole, part));
    }
    for (size_t i = 0; i < v->n_ranges; i++) {
        const size_t r = v->range[i];
        const mt_scheme_range *range = &whole->range[r];
        v->sends[range->source] = 1;
        memset(v->kept + whole->own_offset[range->source] + range->begin, 1, range->end - range->begin);
        for (size_t k = whole->to_offset[r]; k < whole->to_offset[r + 1]; k++)
            if (goes(v, range, whole->to_part[k])) v->stays[whole->to_part[k]] = 1;
    }
}

/* Numbers the retained elements of a part from n on; returns the next number. */
static size_t place_part(view *v, uint32_t part, size_t n)
{
    const mt_halo *whole = v->whole;
    const size_t first = whole->own_offset[part], end = whole->own_offset[part + 1];
    if (first < end && !v->sends[part]) v->kept[first] = 1;
    for (size_t k = first; k < end; k++) {
        v->place[k] = (uint32_t)n;
        n += v->kept[k];
        if (k - first + 1 == whole->n_interior[part])
            v->seen->n_interior[part] = (uint32_t)(n - v->seen->own_offset[part]);
    }
    return n;
}

static mt_status keep_elements(mt_arena *arena, view *v)
{
    const mt_halo *whole = v->whole;
    mt_halo *seen = v->seen;
    size_t n = 0;
    for (uint32_t part = 0; part < whole->n_parts; part++) {
        seen->own_offset[part] = n;
        if (v->sends[part] || v->stays[part]) n = place_part(v, part, n);
    }
    seen->own_offset[whole->n_parts] = seen->n_elements = n;
    MT_ALLOC(arena, seen->own_element, n);
    for (uint32_t part = 0; part < whole->n_parts; part++)
        for (size_t k = whole->own_offset[part];
             mt_halo_own(seen, part) > 0 && k < whole->own_offset[part + 1]; k++)
            if (v->kept[k]) seen->own_element[v->place[k]] = whole->own_element[k];
    return MT_OK;
}

/* Counts the receivers of the ranges; also stores ranges and receivers if to_part is allocated. */
static void keep_ranges_seen(view *v)
{
    const mt_halo *whole = v->whole;
    mt_halo *seen = v->seen;
    size_t n_to = 0;
    for (size_t i = 0; i < v->n_ranges; i++) {
        const size_t r = v->range[i];
        const mt_scheme_range *range = &whole->range[r];
        for (size_t k = whole->to_offset[r]; k < whole->to_offset[r + 1]; k++) {
            if (!goes(v, range, whole->to_part[k])) continue;
            if (seen->to_part) seen->to_part[n_to] = whole->to_part[k];
            n_to++;
        }
        seen->to_offset[i + 1] = n_to;
        if (!seen->to_part) continue;
        const uint32_t begin = v->place[whole->own_offset[range->source] + range->begin] -
                               (uint32_t)seen->own_offset[range->source];
        seen->range[i] = (mt_scheme_range){range->source, begin, begin + (range->end - range->begin)};
        seen->range_offset[range->source + (size_t)1]++;
    }
}

mt_status mt_halo_seen(
    mt_arena *arena, const mt_halo *halo, uint32_t first, uint32_t end, bool each, mt_halo *seen)
{
    MT_SCRATCH(scratch);
    view v = {.whole = halo, .first = first, .end = end, .seen = seen};
    *seen = (mt_halo){.n_parts = halo->n_parts, .parts_per_group = halo->parts_per_group};
    MT_ALLOC(scratch, v.kept, halo->n_elements);
    MT_ALLOC(scratch, v.place, halo->n_elements);
    MT_ALLOC(scratch, v.sends, halo->n_parts);
    MT_ALLOC(scratch, v.stays, halo->n_parts);
    MT_ALLOC(arena, seen->own_offset, (size_t)halo->n_parts + 1);
    MT_ALLOC(arena, seen->n_interior, halo->n_parts);
    MT_ALLOC(arena, seen->range_offset, (size_t)halo->n_parts + 1);
    MT_ALLOC(arena, seen->inbound, halo->n_parts);
    MT_ALLOC(arena, seen->needed, halo->n_parts);
    if (each) memset(v.stays, 1, halo->n_parts);
    MT_TRY(find_ranges(scratch, &v));
    keep_parts(&v);
    MT_TRY(keep_elements(arena, &v));
    seen->n_ranges = v.n_ranges;
    MT_ALLOC(arena, seen->range, seen->n_ranges);
    MT_ALLOC(arena, seen->to_offset, seen->n_ranges + 1);
    keep_ranges_seen(&v);
    MT_ALLOC(arena, seen->to_part, seen->to_offset[seen->n_ranges]);
    keep_ranges_seen(&v);
    mt_offsets_sum(seen->range_offset, (size_t)halo->n_parts + 1);
    for (uint32_t part = first; part < end; part++) seen->needed[part] = halo->needed[part];
    return turn_around(arena, seen);
}

/* ---- queries ---- */

uint32_t mt_halo_groups(const mt_halo *halo) { return halo->n_parts / halo->parts_per_group; }
uint32_t mt_halo_group_of(const mt_halo *halo, uint32_t part) { return part / halo->parts_per_group; }

size_t mt_halo_own(const mt_halo *halo, uint32_t part)
{
    return halo->own_offset[part + 1] - halo->own_offset[part];
}

size_t mt_halo_local(const mt_halo *halo, uint32_t part)
{
    return mt_halo_own(halo, part) + halo->inbound[part];
}

size_t mt_halo_pieces_in(const mt_halo *halo, uint32_t part)
{
    size_t n = 0;
    const mt_scheme_range *last = NULL;
    for (size_t k = halo->in_offset[part]; k < halo->in_offset[part + 1]; k++) {
        const mt_scheme_range *range = halo->range + halo->in_range[k];
        n += !last || range->source != last->source || range->begin != last->end;
        last = range;
    }
    return n;
}

/* Sets map[element] of received elements to the position in the local order of a part, or to NONE if `clear`. */
static void mark_received(const mt_halo *halo, uint32_t part, uint32_t *map, bool clear)
{
    uint32_t position = (uint32_t)mt_halo_own(halo, part);
    for (size_t k = halo->in_offset[part]; k < halo->in_offset[part + 1]; k++) {
        const mt_scheme_range *range = halo->range + halo->in_range[k];
        const uint32_t *element = halo->own_element + halo->own_offset[range->source];
        for (uint32_t i = range->begin; i < range->end; i++, position++)
            map[element[i]] = clear ? NONE : position;
    }
}

void mt_halo_number_received(const mt_halo *halo, uint32_t part, uint32_t *place)
{
    mark_received(halo, part, place, false);
}

/* Same for all elements of the local order. */
static void mark_local(const mt_halo *halo, uint32_t part, uint32_t *map, bool clear)
{
    uint32_t position = 0;
    for (size_t i = halo->own_offset[part]; i < halo->own_offset[part + 1]; i++, position++)
        map[halo->own_element[i]] = clear ? NONE : position;
    mark_received(halo, part, map, clear);
}

mt_status mt_halo_columns(
    const mt_halo *halo, const mt_pattern *pattern, uint32_t part, uint32_t *map, uint32_t *local)
{
    mt_status status = MT_OK;
    size_t first = halo->own_offset[part], n_own = mt_halo_own(halo, part), n = 0;
    mark_local(halo, part, map, false);
    for (size_t i = 0; i < n_own && status == MT_OK; i++) {
        uint32_t ring[MT_RING_MAX];
        const uint32_t *row = mt_pattern_row(pattern, halo->own_element[first + i], ring);
        const size_t length = mt_pattern_length(pattern, halo->own_element[first + i]);
        for (size_t k = 0; k < length && status == MT_OK; k++) {
            local[n] = row[k] < pattern->n_elements ? map[row[k]] : NONE;
            if (local[n++] == NONE)
                status = mt_fail(MT_INPUT,
                    "halo: row %u of part %u reads element %u, which it neither owns nor receives",
                    halo->own_element[first + i], part, row[k]);
        }
    }
    mark_local(halo, part, map, true);
    return status;
}
