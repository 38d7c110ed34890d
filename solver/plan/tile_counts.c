#include "solver/plan/tile_counts.h"

#include <math.h>

#include "data/core/select.h"

double mt_tile_elements(const mt_halo *h, uint32_t p) { return (double)mt_halo_own(h, p); }
double mt_tile_separator(const mt_halo *h, uint32_t p) { return mt_tile_elements(h, p) - h->n_interior[p]; }
double mt_tile_needed(const mt_halo *h, uint32_t p) { return (double)h->needed[p]; }
double mt_tile_received(const mt_halo *h, uint32_t p) { return (double)h->inbound[p]; }
double mt_tile_unused(const mt_halo *h, uint32_t p) { return mt_tile_received(h, p) - mt_tile_needed(h, p); }
double mt_tile_local(const mt_halo *h, uint32_t p) { return (double)mt_halo_local(h, p); }

double mt_tile_ranges_sent(const mt_halo *h, uint32_t p)
{
    return (double)(h->range_offset[p + 1] - h->range_offset[p]);
}

double mt_tile_pieces_received(const mt_halo *h, uint32_t p) { return (double)mt_halo_pieces_in(h, p); }

double mt_tile_neighbours(const mt_halo *h, uint32_t p)
{
    uint32_t n = 0, last = UINT32_MAX; /* received ranges are sorted by source */
    for (size_t k = h->in_offset[p]; k < h->in_offset[p + 1]; k++) {
        uint32_t source = h->range[h->in_range[k]].source;
        n += source != last;
        last = source;
    }
    return n;
}

mt_status mt_tile_spread_find(const mt_halo *halo, mt_tile_count *count, mt_tile_spread *spread)
{
    MT_SCRATCH(scratch);
    const uint32_t n = halo->n_parts;
    double *value;
    MT_ALLOC(scratch, value, n);
    *spread = (mt_tile_spread){0};
    spread->min = INFINITY, spread->max = -INFINITY;
    for (uint32_t p = 0; p < n; p++) {
        spread->sum += value[p] = count(halo, p);
        spread->min = fmin(spread->min, value[p]);
        spread->max = fmax(spread->max, value[p]);
    }
    spread->median = mt_median(value, n);
    return MT_OK;
}

size_t mt_tile_crossing(const mt_halo *halo)
{
    size_t n = 0;
    for (size_t r = 0; r < halo->n_ranges; r++)
        for (size_t k = halo->to_offset[r]; k < halo->to_offset[r + 1]; k++)
            if (mt_halo_group_of(halo, halo->to_part[k]) != mt_halo_group_of(halo, halo->range[r].source))
                n += halo->range[r].end - halo->range[r].begin;
    return n;
}
