/* The invariants of mesh/cut/halo.h; the message names the first offending part. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/cut/halo.h"

/* Walks the local order of a part: map[element] becomes its position, or UINT32_MAX again if `clear`. */
static inline void mark_local(const mt_halo *halo, uint32_t part, uint32_t *map, bool clear)
{
    uint32_t position = 0;
    for (size_t i = halo->own_offset[part]; i < halo->own_offset[part + 1]; i++, position++)
        map[halo->own_element[i]] = clear ? UINT32_MAX : position;
    for (size_t k = halo->in_offset[part]; k < halo->in_offset[part + 1]; k++) {
        const mt_scheme_range *range = halo->range + halo->in_range[k];
        const uint32_t *element = halo->own_element + halo->own_offset[range->source];
        for (uint32_t i = range->begin; i < range->end; i++, position++)
            map[element[i]] = clear ? UINT32_MAX : position;
    }
}

static inline mt_status check_cells(const mt_halo *halo, const mt_partition *partition, uint32_t *map)
{
    if (halo->own_offset[0] != 0 || halo->own_offset[halo->n_parts] != halo->n_elements)
        return mt_fail(MT_INPUT, "halo: the parts own %zu elements; there are %zu",
            halo->own_offset[halo->n_parts], halo->n_elements);
    for (uint32_t p = 0; p < halo->n_parts; p++)
        for (size_t i = halo->own_offset[p]; i < halo->own_offset[p + 1]; i++) {
            uint32_t c = halo->own_element[i];
            if (c >= halo->n_elements || partition->part[c] != p || map[c] != UINT32_MAX)
                return mt_fail(
                    MT_INPUT, "halo: part %u lists element %u, which is not its own or listed twice", p, c);
            map[c] = p;
        }
    memset(map, 0xff, halo->n_elements * sizeof *map);
    return MT_OK;
}

static inline mt_status check_range(const mt_halo *halo, uint32_t p, size_t r)
{
    const mt_scheme_range *range = halo->range + r;
    bool first = r == halo->range_offset[p];
    if (range->source != p || range->begin >= range->end || range->end > mt_halo_own(halo, p) ||
        range->begin < halo->n_interior[p] || (!first && range->begin < range[-1].begin))
        return mt_fail(MT_INPUT,
            "halo: range %zu, %u to %u of part %u, is empty, outside its separator or out of order", r,
            range->begin, range->end, range->source);
    size_t begin = halo->to_offset[r], end = halo->to_offset[r + 1];
    if (begin >= end) return mt_fail(MT_INPUT, "halo: range %zu of part %u has no destination", r, p);
    for (size_t k = begin; k < end; k++)
        if (halo->to_part[k] >= halo->n_parts || halo->to_part[k] == p ||
            (k > begin && halo->to_part[k] <= halo->to_part[k - 1]))
            return mt_fail(MT_INPUT,
                "halo: range %zu of part %u has the destination part %u: itself, invalid, or out of order", r,
                p, halo->to_part[k]);
    return MT_OK;
}

/* Checks that both lists have the same number of pairs, and that the pairs of the second are distinct and in the first. */
static inline mt_status check_directions(const mt_halo *halo)
{
    if (halo->in_offset[halo->n_parts] != halo->to_offset[halo->n_ranges])
        return mt_fail(MT_INPUT, "halo: %zu ranges are received and %zu sent", halo->in_offset[halo->n_parts],
            halo->to_offset[halo->n_ranges]);
    for (uint32_t q = 0; q < halo->n_parts; q++) {
        size_t elements = 0;
        for (size_t k = halo->in_offset[q]; k < halo->in_offset[q + 1]; k++) {
            size_t r = halo->in_range[k];
            if (r >= halo->n_ranges || (k > halo->in_offset[q] && r <= halo->in_range[k - 1]))
                return mt_fail(
                    MT_INPUT, "halo: part %u receives range %zu, which is none or out of order", q, r);
            if (!bsearch(&q, halo->to_part + halo->to_offset[r], halo->to_offset[r + 1] - halo->to_offset[r],
                    sizeof q, mt_compare_ids))
                return mt_fail(MT_INPUT, "halo: part %u receives range %zu, which is not sent to it", q, r);
            elements += halo->range[r].end - halo->range[r].begin;
        }
        if (elements != halo->inbound[q] || halo->inbound[q] < halo->needed[q])
            return mt_fail(MT_INPUT, "halo: part %u receives %zu elements, says %zu and needs %zu", q,
                elements, halo->inbound[q], halo->needed[q]);
    }
    return MT_OK;
}

/* Checks that every element read by a row of part q is owned or received, and nothing is received twice. */
static inline mt_status check_part(const mt_halo *halo, const mt_pattern *pattern, uint32_t q, uint32_t *map)
{
    size_t needed = 0;
    for (size_t k = halo->in_offset[q] + 1; k < halo->in_offset[q + 1]; k++) {
        const mt_scheme_range *a = halo->range + halo->in_range[k - 1], *b = halo->range + halo->in_range[k];
        if (a->source == b->source && b->begin < a->end)
            return mt_fail(MT_INPUT, "halo: part %u receives elements of part %u twice", q, a->source);
    }
    mark_local(halo, q, map, false);
    size_t n_own = mt_halo_own(halo, q);
    for (size_t i = 0; i < n_own; i++)
        for (size_t k = 0; k < mt_pattern_length(pattern, halo->own_element[halo->own_offset[q] + i]); k++) {
            uint32_t ring[MT_RING_MAX];
            uint32_t c = mt_pattern_row(pattern, halo->own_element[halo->own_offset[q] + i], ring)[k];
            if (map[c] == UINT32_MAX)
                return mt_fail(MT_INPUT, "halo: part %u reads element %u and does not receive it", q, c);
            if (map[c] >= n_own && map[c] != UINT32_MAX - 1) map[c] = UINT32_MAX - 1, needed++;
        }
    mark_local(halo, q, map, true);
    if (needed != halo->needed[q])
        return mt_fail(MT_INPUT, "halo: part %u needs %zu elements and says %zu", q, needed, halo->needed[q]);
    return MT_OK;
}

static inline mt_status check_all(
    mt_arena *scratch, const mt_halo *halo, const mt_pattern *pattern, const mt_partition *partition)
{
    uint32_t *map;
    MT_ALLOC(scratch, map, halo->n_elements);
    memset(map, 0xff, halo->n_elements * sizeof *map);
    MT_TRY(check_cells(halo, partition, map));
    if (halo->range_offset[halo->n_parts] != halo->n_ranges)
        return mt_fail(MT_INPUT, "halo: the parts have %zu ranges; there are %zu",
            halo->range_offset[halo->n_parts], halo->n_ranges);
    for (uint32_t p = 0; p < halo->n_parts; p++)
        for (size_t r = halo->range_offset[p]; r < halo->range_offset[p + 1]; r++)
            MT_TRY(check_range(halo, p, r));
    MT_TRY(check_directions(halo));
    for (uint32_t q = 0; q < halo->n_parts; q++) MT_TRY(check_part(halo, pattern, q, map));
    return MT_OK;
}

static inline mt_status halo_check(
    const mt_halo *halo, const mt_pattern *pattern, const mt_partition *partition)
{
    mt_arena scratch = {0};
    mt_status status = check_all(&scratch, halo, pattern, partition);
    mt_arena_free(&scratch);
    return status;
}
