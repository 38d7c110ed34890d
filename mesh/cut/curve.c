#include "mesh/cut/curve.h"

#include <math.h>

#include "mesh/cut/part_box.h"

enum { BITS = 21, DIGIT = 16, DIGITS = 1 << DIGIT };

typedef struct keyed {
    uint64_t key;
    uint32_t element;
} keyed;

/* Returns the position on the Hilbert curve of a cell (J. Skilling, AIP Conf. Proc. 707, 2004). */
static uint64_t key_of(uint32_t x[3])
{
    uint64_t key = 0;
    uint32_t turn = 0;
    for (uint32_t bit = UINT32_C(1) << (BITS - 1); bit > 1; bit >>= 1)
        for (int k = 0; k < 3; k++) {
            const uint32_t low = bit - 1, swap = (x[0] ^ x[k]) & low;
            if (x[k] & bit)
                x[0] ^= low;
            else
                x[0] ^= swap, x[k] ^= swap;
        }
    for (int k = 1; k < 3; k++) x[k] ^= x[k - 1];
    for (uint32_t bit = UINT32_C(1) << (BITS - 1); bit > 1; bit >>= 1)
        if (x[2] & bit) turn ^= bit - 1;
    for (int bit = BITS - 1; bit >= 0; bit--)
        for (int k = 0; k < 3; k++) key = key << 1 | ((x[k] ^ turn) >> bit & 1);
    return key;
}

static void find_keys(const mt_cut_graph *graph, keyed *item)
{
    mt_part_box box = mt_part_box_empty;
    double side = 0;
    for (size_t i = 0; i < graph->n_nodes; i++) mt_part_box_add(&box, graph->xyz_mm + 3 * i);
    for (int k = 0; k < 3; k++) side = fmax(side, box.high[k] - box.low[k]);
    const double per_mm = side > 0 ? (1 << BITS) / side : 0;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < graph->n_nodes; i++) {
        uint32_t x[3];
        for (int k = 0; k < 3; k++)
            x[k] = (uint32_t)fmin((graph->xyz_mm[3 * i + (size_t)k] - box.low[k]) * per_mm, (1 << BITS) - 1);
        item[i] = (keyed){key_of(x), (uint32_t)i};
    }
}

/* Sorts stably by 16 bits of the keys. */
static void sort_digit(size_t n, int shift, size_t *start, const keyed *from, keyed *to)
{
    for (size_t d = 0; d <= DIGITS; d++) start[d] = 0;
    for (size_t i = 0; i < n; i++) start[(from[i].key >> shift & (DIGITS - 1)) + 1]++;
    for (size_t d = 0; d < DIGITS; d++) start[d + 1] += start[d];
    for (size_t i = 0; i < n; i++) to[start[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

static mt_status sort(mt_arena *scratch, size_t n, keyed *item)
{
    keyed *other;
    size_t *start;
    MT_ALLOC(scratch, other, n);
    MT_ALLOC(scratch, start, DIGITS + 1);
    for (int shift = 0; shift < 4 * DIGIT; shift += 2 * DIGIT) {
        sort_digit(n, shift, start, item, other);
        sort_digit(n, shift + DIGIT, start, other, item);
    }
    return MT_OK;
}

/* Returns the piece, of n, of the i-th element of the order. `last`: piece of the element before it; `share`: of the weights up to the
 * middle of this element. With weights, no piece is skipped, and an element remains for each of the following pieces. */
static uint64_t piece_of(const mt_cut_graph *graph, uint64_t n, size_t i, uint64_t last, double share)
{
    const size_t n_nodes = graph->n_nodes;
    if (n_nodes <= n) return i;
    if (!graph->weight) return i * n / n_nodes;
    const uint64_t piece = (uint64_t)(share * (double)n);
    const uint64_t from = n_nodes - i < n && n - (n_nodes - i) > last ? n - (n_nodes - i) : last;
    const uint64_t to = i > 0 ? last + 1 : 0, most = to < n - 1 ? to : n - 1;
    return piece < from ? from : piece > most ? most : piece;
}

mt_status mt_curve_divide(const mt_cut_graph *graph, uint32_t n_groups, uint32_t parts_per_group,
    const mt_part_grid *grid, uint32_t *part)
{
    MT_SCRATCH(scratch);
    keyed *item;
    uint32_t *place;
    uint64_t piece = 0, sum = 0;
    const double total = (double)mt_cut_graph_total(graph);
    MT_ALLOC(scratch, item, graph->n_nodes);
    MT_ALLOC(scratch, place, grid->n);
    find_keys(graph, item);
    MT_TRY(sort(scratch, graph->n_nodes, item));
    mt_part_grid_curve(grid, place);
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const uint32_t element = item[i].element, weight = mt_cut_graph_weight(graph, element);
        const double share = ((double)sum + weight / 2.) / total;
        piece = piece_of(graph, (uint64_t)n_groups * grid->n, i, piece, share);
        part[element] = (uint32_t)(piece / grid->n) * parts_per_group + place[piece % grid->n];
        sum += weight;
    }
    return MT_OK;
}
