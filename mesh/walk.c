#include "mesh/walk.h"

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

/* Returns the sorting key: the position of the centroid on the curve in the high half, the element in the low half. */
static uint64_t key_of(const mt_mesh *mesh, size_t element, const double low[3], const double per_mm[3])
{
    double x[3];
    uint32_t at = 0;
    mt_mesh_centroid(mesh, element, x);
    for (int k = 0; k < 3; k++) {
        const double cell = fmin(fmax((x[k] - low[k]) * per_mm[k], 0), CUTS - 1);
        at |= spread_bits((uint32_t)cell) << k;
    }
    return (uint64_t)at << 32 | element;
}

/* Sorts stably by ten bits of the keys. */
static void sort_digit(size_t n, int shift, const uint64_t *from, uint64_t *to)
{
    size_t start[CUTS + 1] = {0};
    for (size_t k = 0; k < n; k++) start[(from[k] >> shift & (CUTS - 1)) + 1]++;
    for (size_t d = 0; d < CUTS; d++) start[d + 1] += start[d];
    for (size_t k = 0; k < n; k++) to[start[from[k] >> shift & (CUTS - 1)]++] = from[k];
}

mt_status mt_walk_make(mt_arena *arena, const mt_mesh *mesh, mt_walk *walk)
{
    walk->n = mesh->n_elements;
    MT_ALLOC(arena, walk->element, walk->n);
    MT_ALLOC(arena, walk->place, walk->n);
    MT_SCRATCH(scratch);
    double low[3], high[3], per_mm[3];
    uint64_t *keys, *sorted;
    MT_ALLOC(scratch, keys, walk->n);
    MT_ALLOC(scratch, sorted, walk->n);
    mt_mesh_box(mesh, low, high);
    for (int k = 0; k < 3; k++) per_mm[k] = high[k] > low[k] ? CUTS / (high[k] - low[k]) : 0;
#pragma omp parallel for schedule(static) if (walk->n >= PARALLEL_FROM)
    for (size_t c = 0; c < walk->n; c++) keys[c] = key_of(mesh, c, low, per_mm);
    sort_digit(walk->n, 32, keys, sorted);
    sort_digit(walk->n, 32 + BITS, sorted, keys);
    sort_digit(walk->n, 32 + 2 * BITS, keys, sorted);
    for (size_t k = 0; k < walk->n; k++) walk->element[k] = (uint32_t)sorted[k];
    for (size_t k = 0; k < walk->n; k++) walk->place[walk->element[k]] = (uint32_t)k;
    return MT_OK;
}

/* ---- reordered copies ---- */

/* Copies rows of `bytes` bytes in the order of the walk. */
static mt_status copy_rows(mt_arena *arena, const mt_walk *walk, const void *rows, size_t bytes, void **out)
{
    *out = mt_arena_alloc(arena, walk->n, bytes);
    if (!*out) return MT_MEMORY;
    const char *from = rows;
    char *to = *out;
#pragma omp parallel for schedule(static) if (walk->n >= PARALLEL_FROM)
    for (size_t k = 0; k < walk->n; k++) memcpy(to + bytes * k, from + bytes * walk->element[k], bytes);
    return MT_OK;
}

static mt_status copy_directions(mt_arena *arena, const mt_walk *walk, const double *from, double **to)
{
    void *rows = NULL;
    if (from) MT_TRY(copy_rows(arena, walk, from, 3 * sizeof *from, &rows));
    *to = rows;
    return MT_OK;
}

mt_status mt_walk_along(mt_arena *of_adjacency, mt_arena *of_mesh, const mt_walk *walk, const mt_mesh *mesh,
    const mt_adjacency *adjacency, mt_mesh *mesh_along, mt_adjacency *adjacency_along)
{
    void *vertex, *neighbour;
    *mesh_along =
        (mt_mesh){.n_vertices = mesh->n_vertices, .n_elements = mesh->n_elements, .xyz_mm = mesh->xyz_mm};
    MT_TRY(copy_rows(of_mesh, walk, mesh->element_vertex, 4 * sizeof *mesh->element_vertex, &vertex));
    MT_TRY(copy_rows(of_adjacency, walk, adjacency->neighbour, 4 * sizeof *adjacency->neighbour, &neighbour));
    MT_TRY(copy_directions(of_mesh, walk, mesh->fibre, &mesh_along->fibre));
    MT_TRY(copy_directions(of_mesh, walk, mesh->sheet, &mesh_along->sheet));
    MT_ALLOC(of_mesh, mesh_along->number, walk->n);
    mesh_along->element_vertex = vertex;
    *adjacency_along = (mt_adjacency){walk->n, neighbour};
    for (size_t k = 0; k < walk->n; k++)
        mesh_along->number[k] = (uint32_t)mt_mesh_number(mesh, walk->element[k]);
#pragma omp parallel for schedule(static) if (walk->n >= PARALLEL_FROM)
    for (size_t k = 0; k < 4 * walk->n; k++) {
        uint32_t *n = adjacency_along->neighbour + k;
        if (*n != MT_NO_ELEMENT) *n = walk->place[*n];
    }
    return MT_OK;
}
