#include "ipu/collectives/prism.h"

ipu_prism ipu_prism_claimed(size_t layers, size_t faces, size_t lanes)
{
    return (ipu_prism){layers, faces, .between = lanes, .inside = 2 * lanes, .inside_end = 3 * lanes};
}

static mt_status check(const ipu_prism *p)
{
    if (p->layers < 2 || p->faces < 3)
        return mt_fail(MT_INPUT,
            "prism: %zu layers of %zu chips; allowed: at least 2 layers of at least 3 chips", p->layers,
            p->faces);
    if (p->between == 0 || p->inside == 0 || p->inside_end == 0)
        return mt_fail(MT_INPUT, "prism: %zu, %zu and %zu lanes; allowed: at least 1 each", p->between,
            p->inside, p->inside_end);
    return MT_OK;
}

static uint32_t chip_at(const ipu_prism *p, size_t layer, size_t column)
{
    return (uint32_t)(layer * p->faces + column % p->faces);
}

/* ---- links ---- */

static void join(ipu_listed_link *list, size_t *n, uint32_t a, uint32_t b, size_t lanes)
{
    list[(*n)++] = (ipu_listed_link){a, b, lanes};
    list[(*n)++] = (ipu_listed_link){b, a, lanes};
}

mt_status ipu_prism_links(mt_arena *arena, const ipu_prism *p, ipu_listed_link **list, size_t *n_list)
{
    enum { WAYS = 2, KINDS = 2 };
    MT_TRY(check(p));
    MT_ALLOC(arena, *list, WAYS * KINDS * p->layers * p->faces);
    *n_list = 0;
    for (size_t l = 0; l < p->layers; l++) {
        const bool end = l == 0 || l + 1 == p->layers;
        for (size_t c = 0; c < p->faces; c++) {
            join(*list, n_list, chip_at(p, l, c), chip_at(p, l, c + 1), end ? p->inside_end : p->inside);
            if (l + 1 < p->layers) join(*list, n_list, chip_at(p, l, c), chip_at(p, l + 1, c), p->between);
        }
    }
    return MT_OK;
}

/* ---- rings ---- */

/* Returns column k of `n` columns starting at `first`, in one layer: forwards or backwards. */
static size_t column_of(size_t first, size_t n, size_t k, bool back)
{
    return first + (back ? n - 1 - k : k);
}

/* Fills in the ring of a face. It runs up the face, alternating in direction, then down the other columns, alternating, too. So
 * consecutive chips are neighbours: the first column of the others follows the end of the way up, and the way down ends in the
 * column before the face. */
static void fill_ring(const ipu_prism *p, size_t face, uint32_t *chip)
{
    enum { FACE = 2 };
    const size_t others = p->faces - FACE;
    size_t n = 0;
    for (size_t l = 0; l < p->layers; l++)
        for (size_t k = 0; k < FACE; k++) chip[n++] = chip_at(p, l, column_of(face, FACE, k, l % 2 == 1));
    for (size_t l = p->layers; l-- > 0;)
        for (size_t k = 0; k < others; k++)
            chip[n++] = chip_at(p, l, column_of(face + FACE, others, k, l % 2 == 1));
}

mt_status ipu_prism_rings(mt_arena *arena, const ipu_prism *p, ipu_rings *rings)
{
    MT_TRY(check(p));
    *rings = (ipu_rings){.n_rings = p->faces,
        .streams = (unsigned)p->faces,
        .turns = 1,
        .logical = IPU_PRISM,
        .shape = IPU_LINK_LIST,
        .replica = 1};
    MT_ALLOC(arena, rings->ring, p->faces);
    for (size_t k = 0; k < p->faces; k++) {
        rings->ring[k] = (ipu_ring){.n = p->layers * p->faces, .stream = (unsigned)k};
        MT_ALLOC(arena, rings->ring[k].chip, rings->ring[k].n);
        fill_ring(p, k, rings->ring[k].chip);
    }
    return MT_OK;
}
