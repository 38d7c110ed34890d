#include "mesh/element_order.h"

#include <math.h>
#include <string.h>

enum { BITS = 10, CUTS = 1 << BITS, PARALLEL_FROM = 16384 };

/* ---- the order ---- */

/* Moves bit k of a number below 1024 to bit 3 k. */
static uint32_t spread_bits(uint32_t x)
{
    x = (x | (x << 16)) & UINT32_C(0x030000ff);
    x = (x | (x << 8)) & UINT32_C(0x0300f00f);
    x = (x | (x << 4)) & UINT32_C(0x030c30c3);
    return (x | (x << 2)) & UINT32_C(0x09249249);
}

/* Computes the position of an element or a vertex. */
typedef void position_of(const mt_mesh *mesh, size_t item, double x[3]);

static void vertex_position(const mt_mesh *mesh, size_t vertex, double x[3])
{
    memcpy(x, mesh->xyz_mm + 3 * vertex, 3 * sizeof *x);
}

/* Returns the sorting key: the position on the curve in the high half, the item in the low half. */
static uint64_t key_of(
    const mt_mesh *mesh, position_of *position, size_t item, const double low[3], const double per_mm[3])
{
    double x[3];
    uint32_t at = 0;
    position(mesh, item, x);
    for (int k = 0; k < 3; k++) {
        const double cell = fmin(fmax((x[k] - low[k]) * per_mm[k], 0), CUTS - 1);
        at |= spread_bits((uint32_t)cell) << k;
    }
    return (uint64_t)at << 32 | item;
}

/* Sorts stably by ten bits of the keys. */
static void sort_digit(size_t n, int shift, const uint64_t *from, uint64_t *to)
{
    size_t start[CUTS + 1] = {0};
    for (size_t k = 0; k < n; k++) start[(from[k] >> shift & (CUTS - 1)) + 1]++;
    for (size_t d = 0; d < CUTS; d++) start[d + 1] += start[d];
    for (size_t k = 0; k < n; k++) to[start[from[k] >> shift & (CUTS - 1)]++] = from[k];
}

/* Computes the order of `n` items. */
static mt_status make_order(
    mt_arena *arena, const mt_mesh *mesh, size_t n, position_of *position, mt_element_order *order)
{
    order->n = n;
    MT_ALLOC(arena, order->element, order->n);
    MT_ALLOC(arena, order->place, order->n);
    MT_SCRATCH(scratch);
    double low[3], high[3], per_mm[3];
    uint64_t *keys, *sorted;
    MT_ALLOC(scratch, keys, order->n);
    MT_ALLOC(scratch, sorted, order->n);
    mt_mesh_box(mesh, low, high);
    for (int k = 0; k < 3; k++) per_mm[k] = high[k] > low[k] ? CUTS / (high[k] - low[k]) : 0;
#pragma omp parallel for schedule(static) if (order->n >= PARALLEL_FROM)
    for (size_t c = 0; c < order->n; c++) keys[c] = key_of(mesh, position, c, low, per_mm);
    sort_digit(order->n, 32, keys, sorted);
    sort_digit(order->n, 32 + BITS, sorted, keys);
    sort_digit(order->n, 32 + 2 * BITS, keys, sorted);
    for (size_t k = 0; k < order->n; k++) order->element[k] = (uint32_t)sorted[k];
    for (size_t k = 0; k < order->n; k++) order->place[order->element[k]] = (uint32_t)k;
    return MT_OK;
}

mt_status mt_element_order_make(mt_arena *arena, const mt_mesh *mesh, mt_element_order *order)
{
    return make_order(arena, mesh, mesh->n_elements, mt_mesh_centroid, order);
}

mt_status mt_vertex_order_make(mt_arena *arena, const mt_mesh *mesh, mt_element_order *order)
{
    return make_order(arena, mesh, mesh->n_vertices, vertex_position, order);
}

/* ---- reordered copies ---- */

/* Copies rows of `bytes` bytes in the element order. */
static mt_status copy_rows(
    mt_arena *arena, const mt_element_order *order, const void *rows, size_t bytes, void **out)
{
    *out = mt_arena_alloc(arena, order->n, bytes);
    if (!*out) return MT_MEMORY;
    const char *from = rows;
    char *to = *out;
#pragma omp parallel for schedule(static) if (order->n >= PARALLEL_FROM)
    for (size_t k = 0; k < order->n; k++) memcpy(to + bytes * k, from + bytes * order->element[k], bytes);
    return MT_OK;
}

static mt_status copy_directions(
    mt_arena *arena, const mt_element_order *order, const double *from, double **to)
{
    void *rows = NULL;
    if (from) MT_TRY(copy_rows(arena, order, from, 3 * sizeof *from, &rows));
    *to = rows;
    return MT_OK;
}

mt_status mt_element_order_apply(mt_arena *of_adjacency, mt_arena *of_mesh, const mt_element_order *order,
    const mt_mesh *mesh, const mt_adjacency *adjacency, mt_mesh *mesh_ordered,
    mt_adjacency *adjacency_ordered)
{
    void *vertex, *neighbour;
    *mesh_ordered =
        (mt_mesh){.n_vertices = mesh->n_vertices, .n_elements = mesh->n_elements, .xyz_mm = mesh->xyz_mm};
    MT_TRY(copy_rows(of_mesh, order, mesh->element_vertex, 4 * sizeof *mesh->element_vertex, &vertex));
    MT_TRY(
        copy_rows(of_adjacency, order, adjacency->neighbour, 4 * sizeof *adjacency->neighbour, &neighbour));
    MT_TRY(copy_directions(of_mesh, order, mesh->fibre, &mesh_ordered->fibre));
    MT_TRY(copy_directions(of_mesh, order, mesh->sheet, &mesh_ordered->sheet));
    MT_ALLOC(of_mesh, mesh_ordered->number, order->n);
    mesh_ordered->element_vertex = vertex;
    *adjacency_ordered = (mt_adjacency){order->n, neighbour};
    for (size_t k = 0; k < order->n; k++)
        mesh_ordered->number[k] = (uint32_t)mt_mesh_number(mesh, order->element[k]);
#pragma omp parallel for schedule(static) if (order->n >= PARALLEL_FROM)
    for (size_t k = 0; k < 4 * order->n; k++) {
        uint32_t *n = adjacency_ordered->neighbour + k;
        if (*n != MT_NO_ELEMENT) *n = order->place[*n];
    }
    return MT_OK;
}
