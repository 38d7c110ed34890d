#include "mesh/cut/halo.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* ---- who needs what ---- */

struct pattern {
    size_t n_cells, width;
    const uint32_t *columns;
    const uint32_t *part;
};

struct needs {
    size_t *offset; /* [n_cells + 2] */
    uint32_t *part; /* [offset[n_cells]] ascending within a cell */
};

/* Owned cells by part, ascending within each: a counting sort. */
static void sort_cells(const mt_partition *partition, size_t *offset, uint32_t *cell, size_t *cursor)
{
    for (size_t c = 0; c < partition->n_cells; c++) offset[partition->part[c] + 1]++;
    for (size_t p = 0; p < partition->n_parts; p++) offset[p + 1] += offset[p];
    memcpy(cursor, offset, partition->n_parts * sizeof *cursor);
    for (size_t c = 0; c < partition->n_cells; c++) cell[cursor[partition->part[c]]++] = (uint32_t)c;
}

/* One pass over all rows, part by part. For every cell c and part q that needs it, q ascending: counts the
 * pair in offset[c + 2]; where `to` is given, puts it at to[offset[c + 1]++]. seen[n_cells] is scratch. */
static void pass_over_needs(
    const struct pattern *pattern, const mt_halo *halo, uint32_t *seen, size_t *offset, uint32_t *to)
{
    memset(seen, 0xff, pattern->n_cells * sizeof *seen);
    for (uint32_t q = 0; q < halo->n_parts; q++)
        for (size_t i = halo->own_offset[q]; i < halo->own_offset[q + 1]; i++) {
            const uint32_t *row = pattern->columns + pattern->width * halo->own_cell[i];
            for (size_t k = 0; k < pattern->width; k++) {
                uint32_t c = row[k];
                if (pattern->part[c] == q || seen[c] == q) continue;
                seen[c] = q;
                if (to)
                    to[offset[(size_t)c + 1]++] = q;
                else
                    offset[(size_t)c + 2]++, halo->needed[q]++;
            }
        }
}

static mt_status find_needs(
    mt_arena *scratch, const struct pattern *pattern, const mt_halo *halo, struct needs *needs)
{
    uint32_t *seen;
    MT_TAKE(scratch, seen, pattern->n_cells);
    MT_TAKE(scratch, needs->offset, pattern->n_cells + 2);
    pass_over_needs(pattern, halo, seen, needs->offset, NULL);
    for (size_t c = 2; c < pattern->n_cells + 2; c++) needs->offset[c] += needs->offset[c - 1];
    MT_TAKE(scratch, needs->part, needs->offset[pattern->n_cells + 1]);
    pass_over_needs(pattern, halo, seen, needs->offset, needs->part);
    return MT_OK;
}

/* ---- what is sent ---- */

struct planner {
    const mt_scheme *scheme;
    const struct needs *needs;
    uint32_t *ascending; /* [n_cells] owned cells by part, ascending */
    uint32_t *neighbour; /* [n_parts] */
    uint32_t *mark;      /* [n_parts], NONE or the last source that has this part as its neighbour */
};

static uint32_t find_neighbours(struct planner *planner, uint32_t source, const uint32_t *cell, size_t n_own)
{
    uint32_t n = 0;
    for (size_t i = 0; i < n_own; i++)
        for (size_t k = planner->needs->offset[cell[i]]; k < planner->needs->offset[(size_t)cell[i] + 1];
             k++) {
            uint32_t q = planner->needs->part[k];
            if (planner->mark[q] == source) continue;
            planner->mark[q] = source;
            planner->neighbour[n++] = q;
        }
    qsort(planner->neighbour, n, sizeof *planner->neighbour, mt_compare_ids);
    return n;
}

/* Runs the scheme on every part. */
static mt_status plan_parts(struct planner *planner, mt_halo *halo, mt_scheme_sink *sink)
{
    memset(planner->mark, 0xff, halo->n_parts * sizeof *planner->mark);
    for (uint32_t p = 0; p < halo->n_parts; p++) {
        const uint32_t *cell = planner->ascending + halo->own_offset[p];
        size_t n_own = mt_halo_own(halo, p);
        mt_needs source = {.part = p,
            .n_own = (uint32_t)n_own,
            .n_neighbours = find_neighbours(planner, p, cell, n_own),
            .cell = cell,
            .need_offset = planner->needs->offset,
            .need_part = planner->needs->part,
            .neighbour = planner->neighbour};
        mt_arena scratch = {0};
        sink->source = p;
        mt_status status = planner->scheme->plan(planner->scheme, &source, &scratch,
            halo->own_cell + halo->own_offset[p], &halo->n_interior[p], sink);
        mt_arena_free(&scratch);
        MT_TRY(status);
        halo->range_offset[p + 1] = sink->n_ranges;
    }
    return MT_OK;
}

/* From the sink into the halo. */
static mt_status keep_ranges(mt_arena *arena, const mt_scheme_sink *sink, mt_halo *halo)
{
    if (sink->n_ranges >= UINT32_MAX)
        return mt_fail(MT_INPUT, "halo: %zu ranges; fewer than %u are allowed", sink->n_ranges, UINT32_MAX);
    halo->n_ranges = sink->n_ranges;
    MT_TAKE(arena, halo->range, sink->n_ranges);
    MT_TAKE(arena, halo->to_offset, sink->n_ranges + 1);
    MT_TAKE(arena, halo->to_part, sink->n_to);
    for (size_t r = 0; r < sink->n_ranges; r++) {
        halo->range[r] = sink->range[r];
        halo->to_offset[r + 1] = sink->to_end[r];
    }
    for (size_t k = 0; k < sink->n_to; k++) halo->to_part[k] = sink->to_part[k];
    return MT_OK;
}

static mt_status plan_ranges(mt_arena *arena, mt_arena *scratch, struct planner *planner, mt_halo *halo)
{
    MT_TAKE(scratch, planner->neighbour, halo->n_parts);
    MT_TAKE(scratch, planner->mark, halo->n_parts);
    MT_TAKE(scratch, planner->ascending, halo->n_cells);
    memcpy(planner->ascending, halo->own_cell, halo->n_cells * sizeof *halo->own_cell);
    mt_scheme_sink sink = {0};
    mt_status status = plan_parts(planner, halo, &sink);
    if (status == MT_OK) status = keep_ranges(arena, &sink, halo);
    mt_scheme_sink_free(&sink);
    return status;
}

/* The other direction: which ranges each part receives. */
static mt_status turn_around(mt_arena *arena, mt_arena *scratch, mt_halo *halo)
{
    size_t *cursor;
    for (size_t k = 0; k < halo->to_offset[halo->n_ranges]; k++) halo->in_offset[halo->to_part[k] + 1]++;
    for (size_t q = 0; q < halo->n_parts; q++) halo->in_offset[q + 1] += halo->in_offset[q];
    MT_TAKE(arena, halo->in_range, halo->in_offset[halo->n_parts]);
    MT_TAKE(scratch, cursor, halo->n_parts);
    memcpy(cursor, halo->in_offset, halo->n_parts * sizeof *cursor);
    for (size_t r = 0; r < halo->n_ranges; r++)
        for (size_t k = halo->to_offset[r]; k < halo->to_offset[r + 1]; k++) {
            uint32_t q = halo->to_part[k];
            halo->in_range[cursor[q]++] = (uint32_t)r;
            halo->inbound[q] += halo->range[r].end - halo->range[r].begin;
        }
    return MT_OK;
}

static mt_status make(mt_arena *arena, mt_arena *scratch, const struct pattern *pattern,
    const mt_partition *partition, const mt_scheme *scheme, mt_halo *halo)
{
    size_t *cursor;
    struct needs needs;
    MT_TAKE(arena, halo->own_offset, (size_t)halo->n_parts + 1);
    MT_TAKE(arena, halo->own_cell, halo->n_cells);
    MT_TAKE(arena, halo->n_interior, halo->n_parts);
    MT_TAKE(arena, halo->range_offset, (size_t)halo->n_parts + 1);
    MT_TAKE(arena, halo->in_offset, (size_t)halo->n_parts + 1);
    MT_TAKE(arena, halo->inbound, halo->n_parts);
    MT_TAKE(arena, halo->needed, halo->n_parts);
    MT_TAKE(scratch, cursor, halo->n_parts);
    sort_cells(partition, halo->own_offset, halo->own_cell, cursor);
    MT_TRY(find_needs(scratch, pattern, halo, &needs));
    struct planner planner = {.scheme = scheme, .needs = &needs};
    MT_TRY(plan_ranges(arena, scratch, &planner, halo));
    MT_TRY(turn_around(arena, scratch, halo));
    for (uint32_t q = 0; q < halo->n_parts; q++)
        if (mt_halo_local(halo, q) >= NONE)
            return mt_fail(MT_INPUT, "halo: part %u owns and receives %zu cells; fewer than %u are allowed",
                q, mt_halo_local(halo, q), NONE);
    return MT_OK;
}

static mt_status check_input(const struct pattern *pattern, const mt_partition *partition)
{
    if (partition->n_cells != pattern->n_cells || pattern->n_cells >= NONE)
        return mt_fail(MT_INPUT,
            "halo: a pattern of %zu cells and a partition of %zu; they must be the same and below %u",
            pattern->n_cells, partition->n_cells, NONE);
    if (partition->n_parts == 0 || partition->n_parts == NONE)
        return mt_fail(MT_INPUT, "halo: %u parts; 1 to %u are allowed", partition->n_parts, NONE - 1);
    MT_TRY(mt_partition_check(partition));
    for (size_t c = 0; c < pattern->n_cells; c++)
        for (size_t k = 0; k < pattern->width; k++)
            if (pattern->columns[c * pattern->width + k] >= pattern->n_cells)
                return mt_fail(MT_INPUT, "halo: row %zu reads cell %u; cells are 0 to %zu", c,
                    pattern->columns[c * pattern->width + k], pattern->n_cells - 1);
    return MT_OK;
}

mt_status mt_halo_make(mt_arena *arena, size_t n_cells, size_t width, const uint32_t *columns,
    const mt_partition *partition, const mt_scheme *scheme, mt_halo *halo)
{
    struct pattern pattern = {n_cells, width, columns, partition->part};
    MT_TRY(check_input(&pattern, partition));
    mt_arena scratch = {0};
    *halo = (mt_halo){
        .n_parts = partition->n_parts, .parts_per_group = partition->parts_per_group, .n_cells = n_cells};
    mt_status status = make(arena, &scratch, &pattern, partition, scheme, halo);
    mt_arena_free(&scratch);
    return status;
}

/* ---- using it ---- */

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

/* Walks the local order of a part: map[cell] becomes its position, or NONE again where `clear`. */
static void mark_local(const mt_halo *halo, uint32_t part, uint32_t *map, bool clear)
{
    uint32_t position = 0;
    for (size_t i = halo->own_offset[part]; i < halo->own_offset[part + 1]; i++, position++)
        map[halo->own_cell[i]] = clear ? NONE : position;
    for (size_t k = halo->in_offset[part]; k < halo->in_offset[part + 1]; k++) {
        const mt_scheme_range *range = halo->range + halo->in_range[k];
        const uint32_t *cell = halo->own_cell + halo->own_offset[range->source];
        for (uint32_t i = range->begin; i < range->end; i++, position++)
            map[cell[i]] = clear ? NONE : position;
    }
}

mt_status mt_halo_columns(
    const mt_halo *halo, size_t width, const uint32_t *columns, uint32_t part, uint32_t *map, uint32_t *local)
{
    mt_status status = MT_OK;
    size_t first = halo->own_offset[part], n_own = mt_halo_own(halo, part);
    mark_local(halo, part, map, false);
    for (size_t i = 0; i < n_own && status == MT_OK; i++) {
        const uint32_t *row = columns + width * halo->own_cell[first + i];
        for (size_t k = 0; k < width && status == MT_OK; k++) {
            local[i * width + k] = map[row[k]];
            if (map[row[k]] == NONE)
                status = mt_fail(MT_INPUT,
                    "halo: row %u of part %u reads cell %u, which it neither owns nor receives",
                    halo->own_cell[first + i], part, row[k]);
        }
    }
    mark_local(halo, part, map, true);
    return status;
}

/* ---- checking it ---- */

static mt_status check_cells(const mt_halo *halo, const mt_partition *partition, uint32_t *map)
{
    if (halo->own_offset[0] != 0 || halo->own_offset[halo->n_parts] != halo->n_cells)
        return mt_fail(MT_INPUT, "halo: the parts own %zu cells; there are %zu",
            halo->own_offset[halo->n_parts], halo->n_cells);
    for (uint32_t p = 0; p < halo->n_parts; p++)
        for (size_t i = halo->own_offset[p]; i < halo->own_offset[p + 1]; i++) {
            uint32_t c = halo->own_cell[i];
            if (c >= halo->n_cells || partition->part[c] != p || map[c] != NONE)
                return mt_fail(
                    MT_INPUT, "halo: part %u lists cell %u, which is not its own or listed twice", p, c);
            map[c] = p;
        }
    memset(map, 0xff, halo->n_cells * sizeof *map);
    return MT_OK;
}

static mt_status check_range(const mt_halo *halo, uint32_t p, size_t r)
{
    const mt_scheme_range *range = halo->range + r;
    bool first = r == halo->range_offset[p];
    if (range->source != p || range->begin >= range->end || range->end > mt_halo_own(halo, p) ||
        range->begin < halo->n_interior[p] || (!first && range->begin < range[-1].begin))
        return mt_fail(MT_INPUT,
            "halo: range %zu, %u to %u of part %u, is empty, outside its separator or out of order", r,
            range->begin, range->end, range->source);
    size_t begin = halo->to_offset[r], end = halo->to_offset[r + 1];
    if (begin >= end) return mt_fail(MT_INPUT, "halo: range %zu of part %u goes to nobody", r, p);
    for (size_t k = begin; k < end; k++)
        if (halo->to_part[k] >= halo->n_parts || halo->to_part[k] == p ||
            (k > begin && halo->to_part[k] <= halo->to_part[k - 1]))
            return mt_fail(MT_INPUT,
                "halo: range %zu of part %u goes to part %u: itself, none, or out of order", r, p,
                halo->to_part[k]);
    return MT_OK;
}

/* Both lists hold the same number of pairs, and every pair of the second, all different, is in the first. */
static mt_status check_directions(const mt_halo *halo)
{
    if (halo->in_offset[halo->n_parts] != halo->to_offset[halo->n_ranges])
        return mt_fail(MT_INPUT, "halo: %zu ranges are received and %zu sent", halo->in_offset[halo->n_parts],
            halo->to_offset[halo->n_ranges]);
    for (uint32_t q = 0; q < halo->n_parts; q++) {
        size_t cells = 0;
        for (size_t k = halo->in_offset[q]; k < halo->in_offset[q + 1]; k++) {
            size_t r = halo->in_range[k];
            if (r >= halo->n_ranges || (k > halo->in_offset[q] && r <= halo->in_range[k - 1]))
                return mt_fail(
                    MT_INPUT, "halo: part %u receives range %zu, which is none or out of order", q, r);
            if (!bsearch(&q, halo->to_part + halo->to_offset[r], halo->to_offset[r + 1] - halo->to_offset[r],
                    sizeof q, mt_compare_ids))
                return mt_fail(MT_INPUT, "halo: part %u receives range %zu, which is not sent to it", q, r);
            cells += halo->range[r].end - halo->range[r].begin;
        }
        if (cells != halo->inbound[q] || halo->inbound[q] < halo->needed[q])
            return mt_fail(MT_INPUT, "halo: part %u receives %zu cells, says %zu and needs %zu", q, cells,
                halo->inbound[q], halo->needed[q]);
    }
    return MT_OK;
}

/* Every cell that a row of part q reads is owned or received, and nothing is received twice. */
static mt_status check_part(
    const mt_halo *halo, size_t width, const uint32_t *columns, uint32_t q, uint32_t *map)
{
    size_t needed = 0;
    for (size_t k = halo->in_offset[q] + 1; k < halo->in_offset[q + 1]; k++) {
        const mt_scheme_range *a = halo->range + halo->in_range[k - 1], *b = halo->range + halo->in_range[k];
        if (a->source == b->source && b->begin < a->end)
            return mt_fail(MT_INPUT, "halo: part %u receives cells of part %u twice", q, a->source);
    }
    mark_local(halo, q, map, false);
    size_t n_own = mt_halo_own(halo, q);
    for (size_t i = 0; i < n_own; i++)
        for (size_t k = 0; k < width; k++) {
            uint32_t c = columns[width * halo->own_cell[halo->own_offset[q] + i] + k];
            if (map[c] == NONE)
                return mt_fail(MT_INPUT, "halo: part %u reads cell %u and does not receive it", q, c);
            if (map[c] >= n_own && map[c] != NONE - 1) map[c] = NONE - 1, needed++;
        }
    mark_local(halo, q, map, true);
    if (needed != halo->needed[q])
        return mt_fail(MT_INPUT, "halo: part %u needs %zu cells and says %zu", q, needed, halo->needed[q]);
    return MT_OK;
}

static mt_status check(mt_arena *scratch, const mt_halo *halo, size_t width, const uint32_t *columns,
    const mt_partition *partition)
{
    uint32_t *map;
    MT_TAKE(scratch, map, halo->n_cells);
    memset(map, 0xff, halo->n_cells * sizeof *map);
    MT_TRY(check_cells(halo, partition, map));
    if (halo->range_offset[halo->n_parts] != halo->n_ranges)
        return mt_fail(MT_INPUT, "halo: the parts have %zu ranges; there are %zu",
            halo->range_offset[halo->n_parts], halo->n_ranges);
    for (uint32_t p = 0; p < halo->n_parts; p++)
        for (size_t r = halo->range_offset[p]; r < halo->range_offset[p + 1]; r++)
            MT_TRY(check_range(halo, p, r));
    MT_TRY(check_directions(halo));
    for (uint32_t q = 0; q < halo->n_parts; q++) MT_TRY(check_part(halo, width, columns, q, map));
    return MT_OK;
}

mt_status mt_halo_check(
    const mt_halo *halo, size_t width, const uint32_t *columns, const mt_partition *partition)
{
    mt_arena scratch = {0};
    mt_status status = check(&scratch, halo, width, columns, partition);
    mt_arena_free(&scratch);
    return status;
}
