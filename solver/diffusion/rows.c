#include "solver/diffusion/rows.h"

#include <string.h>

#define NONE UINT32_MAX

enum { PARALLEL_FROM = 512 }; /* elements of a list */

/* ---- one row ---- */

typedef struct row {
    size_t count;
    uint32_t column[MT_ROW]; /* mt_adjacency_ring, padded with NONE */
    double value[MT_ROW];
} row;

/* Adds to the entry of an existing column, which is found without branches, as these would be unpredictable. */
static void row_add(row *r, uint32_t column, double value)
{
    uint32_t k = 0;
    for (size_t j = 0; j < MT_ROW; j++) k += r->column[j] < column;
    r->value[k] += value;
}

/* Computes row c of M without its diagonal: half the fluxes of its own star, minus half the fluxes that the
 * neighbours' stars send here, with coefficients back[f]. */
static void row_of(
    const mt_adjacency *adjacency, size_t c, const double *own, const double *const back[4], row *r)
{
    const uint32_t *neighbour = adjacency->neighbour + 4 * c;
    r->count = mt_adjacency_ring(adjacency, c, r->column);
    for (size_t k = r->count; k < MT_ROW; k++) r->column[k] = NONE;
    for (size_t k = 0; k < MT_ROW; k++) r->value[k] = 0;
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = neighbour[f];
        if (n == MT_NO_ELEMENT) continue;
        const double *k = back[f];
        const uint32_t *beyond = adjacency->neighbour + 4 * (size_t)n;
        row_add(r, n, (own[f] + own[4 + f] + own[8 + f] + own[12 + f]) / 2);
        row_add(r, n, (k[0] + k[1] + k[2] + k[3]) / 2);
        for (size_t g = 0; g < 4; g++)
            if (beyond[g] != MT_NO_ELEMENT && beyond[g] != c) row_add(r, beyond[g], -k[g] / 2);
    }
}

/* ---- in an element order ---- */

/* Converts the columns in the element order to those of the mesh, which have another ascending order. */
static void row_leave_order(const mt_element_order *order, row *r)
{
    for (size_t k = 0; k < r->count; k++) {
        const uint32_t column = order->element[r->column[k]];
        const double value = r->value[k];
        size_t at = k;
        for (; at > 0 && r->column[at - 1] > column; at--) {
            r->column[at] = r->column[at - 1];
            r->value[at] = r->value[at - 1];
        }
        r->column[at] = column;
        r->value[at] = value;
    }
}

void mt_rows_ordered(const mt_stars *s, size_t element, uint32_t *column, double *rate)
{
    const size_t c = s->order->place[element];
    const double *back[4] = {0};
    row r;
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = s->adjacency->neighbour[4 * c + f];
        if (n != MT_NO_ELEMENT) back[f] = s->star + 16 * (size_t)n + 4 * (size_t)s->back[4 * c + f];
    }
    row_of(s->adjacency, c, s->star + 16 * c, back, &r);
    row_leave_order(s->order, &r);
    for (size_t k = 0; k < MT_ROW; k++) {
        column[k] = k < r.count ? r.column[k] : (uint32_t)element;
        rate[k] = k < r.count ? r.value[k] / s->volume[c] : 0;
    }
}

/* ---- recomputed rows ---- */

mt_status mt_rows_allocate(mt_arena *arena, const mt_stars *stars, size_t most, mt_rows *rows)
{
    const size_t around = 5 * most < stars->n ? 5 * most : stars->n;
    *rows = (mt_rows){.stars = stars, .most = most};
    MT_ALLOC(arena, rows->rate, MT_ROW * most);
    MT_ALLOC(arena, rows->element, around);
    MT_ALLOC(arena, rows->star, 16 * around);
    MT_ALLOC(arena, rows->place, stars->n);
    memset(rows->place, 0xff, stars->n * sizeof *rows->place);
    return MT_OK;
}

static void add(const mt_rows *rows, uint32_t element, size_t *n)
{
    if (element == MT_NO_ELEMENT || rows->place[element] != NONE) return;
    rows->place[element] = (uint32_t)*n;
    rows->element[(*n)++] = element;
}

/* Collects the elements of the list, then their neighbours; returns their number. */
static size_t gather(const mt_rows *rows, size_t n, const uint32_t *element)
{
    size_t all = 0;
    for (size_t k = 0; k < n; k++) add(rows, element[k], &all);
    for (size_t k = 0; k < n; k++)
        for (size_t f = 0; f < 4; f++)
            add(rows, rows->stars->adjacency->neighbour[4 * (size_t)element[k] + f], &all);
    return all;
}

/* Returns the row of the neighbour's star for the face shared with element c. */
static const double *back_to(const mt_rows *rows, size_t c, uint32_t neighbour)
{
    const uint32_t *of = rows->stars->adjacency->neighbour + 4 * (size_t)neighbour;
    size_t g = 0;
    while (of[g] != c) g++;
    return rows->star + 16 * (size_t)rows->place[neighbour] + 4 * g;
}

static void fill(const mt_rows *rows, size_t k)
{
    const mt_stars *s = rows->stars;
    const size_t c = rows->element[k];
    const double *back[4] = {0};
    row r;
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = s->adjacency->neighbour[4 * c + f];
        if (n != MT_NO_ELEMENT) back[f] = back_to(rows, c, n);
    }
    row_of(s->adjacency, c, rows->star + 16 * k, back, &r);
    for (size_t j = 0; j < MT_ROW; j++)
        rows->rate[MT_ROW * k + j] = j < r.count ? r.value[j] / s->volume[c] : 0;
}

const double *mt_rows_of(const mt_rows *rows, size_t n, const uint32_t *element)
{
    const size_t all = gather(rows, n, element);
#pragma omp parallel if (all >= PARALLEL_FROM)
    {
#pragma omp for schedule(static)
        for (size_t k = 0; k < all; k += MT_STARS_GROUP)
            mt_stars_some(rows->stars, all - k < MT_STARS_GROUP ? all - k : MT_STARS_GROUP, rows->element + k,
                rows->star + 16 * k);
#pragma omp for schedule(static)
        for (size_t k = 0; k < n; k++) fill(rows, k);
    }
    for (size_t k = 0; k < all; k++) rows->place[rows->element[k]] = NONE;
    return rows->rate;
}
