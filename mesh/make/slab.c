#include "mesh/make/slab.h"

#include <math.h>

const char *const mt_slab_cut_name[MT_SLAB_CUTS + 1] = {
    [MT_SLAB_MIRRORED] = "mirrored", [MT_SLAB_KUHN] = "kuhn"};

/* Corner k of a box has the coordinates (k & 1, k >> 1 & 1, k >> 2 & 1). Each tetrahedron follows one of the six paths from
 * corner 0 to corner 7 along the axes (H. W. Kuhn, IBM J. Res. Dev. 4 (1960) 518). If the order of the axes is an odd
 * permutation, the two middle corners are exchanged, so that the volume is positive. */
static const uint8_t kuhn[6][4] = {
    {0, 1, 3, 7}, /* x y z */
    {0, 2, 6, 7}, /* y z x */
    {0, 4, 5, 7}, /* z x y */
    {0, 3, 2, 7}, /* y x z, odd */
    {0, 6, 4, 7}, /* z y x, odd */
    {0, 5, 1, 7}, /* x z y, odd */
};

static mt_status count_boxes(const double size_mm[3], double edge_mm, size_t n[3])
{
    double elements = 6;
    if (!(edge_mm > 0) || !isfinite(edge_mm))
        return mt_fail(MT_INPUT, "slab: the edge is %g mm; it must be finite and above 0", edge_mm);
    for (int k = 0; k < 3; k++) {
        double boxes = round(size_mm[k] / edge_mm);
        if (!(size_mm[k] > 0) || !isfinite(size_mm[k]))
            return mt_fail(
                MT_INPUT, "slab: size %c is %g mm; it must be finite and above 0", "xyz"[k], size_mm[k]);
        if (!(boxes >= 1) || !(fabs(boxes * edge_mm - size_mm[k]) <= 1e-6 * size_mm[k]))
            return mt_fail(MT_INPUT,
                "slab: size %c is %.9g mm and the edge %.9g mm; the size must be a whole multiple of the "
                "edge",
                "xyz"[k], size_mm[k], edge_mm);
        elements *= boxes;
        n[k] = boxes < UINT32_MAX ? (size_t)boxes : UINT32_MAX;
    }
    if (!(elements < UINT32_MAX))
        return mt_fail(MT_INPUT,
            "slab: %g x %g x %g mm with edge %g mm has %.0f elements; fewer than %u are allowed", size_mm[0],
            size_mm[1], size_mm[2], edge_mm, elements, UINT32_MAX);
    return MT_OK;
}

static void place_vertices(const double size_mm[3], const size_t n[3], double *xyz_mm)
{
    double *p = xyz_mm;
    for (size_t k = 0; k <= n[2]; k++)
        for (size_t j = 0; j <= n[1]; j++)
            for (size_t i = 0; i <= n[0]; i++) {
                *p++ = size_mm[0] * ((double)i / (double)n[0]);
                *p++ = size_mm[1] * ((double)j / (double)n[1]);
                *p++ = size_mm[2] * ((double)k / (double)n[2]);
            }
}

/* Cuts a box with lowest corner `lowest` into six elements. Mirroring along an axis flips that axis's bit of every corner.
 * An odd number of mirrorings inverts the elements; exchanging two vertices restores them. */
static void cut_box(
    size_t lowest, size_t row, size_t layer, unsigned mirrored, uint32_t element_vertex[static 24])
{
    const bool odd = (mirrored ^ mirrored >> 1 ^ mirrored >> 2) & 1;
    for (size_t t = 0; t < 6; t++)
        for (size_t v = 0; v < 4; v++) {
            const size_t from = odd && (v == 1 || v == 2) ? 3 - v : v, corner = kuhn[t][from] ^ mirrored;
            element_vertex[4 * t + v] =
                (uint32_t)(lowest + (corner & 1) + (corner >> 1 & 1) * row + (corner >> 2) * layer);
        }
}

static void place_elements(const size_t n[3], mt_slab_cut cut, mt_mesh *mesh)
{
    const size_t row = n[0] + 1, layer = row * (n[1] + 1);
    uint32_t *element_vertex = mesh->element_vertex;
    for (size_t k = 0; k < n[2]; k++)
        for (size_t j = 0; j < n[1]; j++)
            for (size_t i = 0; i < n[0]; i++, element_vertex += 24) {
                const size_t parity = (i & 1) | (j & 1) << 1 | (k & 1) << 2;
                cut_box(k * layer + j * row + i, row, layer, cut == MT_SLAB_MIRRORED ? (unsigned)parity : 0,
                    element_vertex);
            }
    for (size_t element = 0; element < mesh->n_elements; element++) mesh->region[element] = 1;
}

mt_status mt_slab_make_cut(
    mt_arena *arena, const double size_mm[3], double edge_mm, mt_slab_cut cut, mt_mesh *mesh)
{
    size_t n[3];
    MT_TRY(count_boxes(size_mm, edge_mm, n));
    MT_TRY(mt_mesh_new(arena, (n[0] + 1) * (n[1] + 1) * (n[2] + 1), 6 * n[0] * n[1] * n[2], mesh));
    place_vertices(size_mm, n, mesh->xyz_mm);
    place_elements(n, cut, mesh);
    return mt_mesh_new_fibres(arena, mesh);
}

mt_status mt_slab_make(mt_arena *arena, const double size_mm[3], double edge_mm, mt_mesh *mesh)
{
    return mt_slab_make_cut(arena, size_mm, edge_mm, MT_SLAB_MIRRORED, mesh);
}

mt_status mt_slab_check(const double size_mm[3], double edge_mm)
{
    size_t boxes[3];
    return count_boxes(size_mm, edge_mm, boxes);
}
