#include "app/report/decimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/vec3.h"
#include "mesh/adjacency.h"

enum { GRID_BITS = 20, BISECTIONS = 16 };

/* ---- the grid ---- */

/* A vertex in the cube that it is in. */
typedef struct placed {
    uint64_t cube; /* cubes near each other mostly have numbers near each other */
    uint32_t vertex;
} placed;

typedef struct grid {
    const double *xyz_mm;
    double low_mm[3], cube_mm;
} grid;

/* The bits of x, two free places behind each. */
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & 0x1F00000000FFFFu;
    x = (x | x << 16) & 0x1F0000FF0000FFu;
    x = (x | x << 8) & 0x100F00F00F00F00Fu;
    x = (x | x << 4) & 0x10C30C30C30C30C3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static uint64_t cube_of(const grid *g, uint32_t vertex)
{
    uint64_t cube = 0;
    for (size_t k = 0; k < 3; k++)
        cube |= spread((uint64_t)((g->xyz_mm[3 * (size_t)vertex + k] - g->low_mm[k]) / g->cube_mm)) << k;
    return cube;
}

static int by_cube(const void *left, const void *right)
{
    const placed *a = left, *b = right;
    if (a->cube != b->cube) return a->cube < b->cube ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static void place(const grid *g, size_t n, placed *vertices)
{
    for (size_t k = 0; k < n; k++) vertices[k].cube = cube_of(g, vertices[k].vertex);
}

/* How many cubes have vertices; `seen` has room for more than n, a power of two. */
static size_t count_cubes(const grid *g, size_t n, const placed *vertices, size_t room, uint64_t *seen)
{
    size_t cubes = 0;
    memset(seen, 0, room * sizeof *seen);
    for (size_t k = 0; k < n; k++) {
        const uint64_t mark = cube_of(g, vertices[k].vertex) + 1; /* 0 is none */
        size_t at = (size_t)(mark * 0x9E3779B97F4A7C15u >> 20) & (room - 1);
        while (seen[at] && seen[at] != mark) at = (at + 1) & (room - 1);
        cubes += seen[at] == 0;
        seen[at] = mark;
    }
    return cubes;
}

/* Gives the edge of the cubes. */
static mt_status choose_grid(
    mt_arena *scratch, grid *g, double extent_mm, size_t n, const placed *vertices, size_t most)
{
    double low = log2(extent_mm) - GRID_BITS, high = log2(extent_mm) + 1; /* all are in one cube */
    size_t room = 2;
    uint64_t *seen;
    while (room < 2 * n) room *= 2;
    MT_ALLOC(scratch, seen, room);
    for (int k = 0; k < BISECTIONS; k++) {
        const double middle = (low + high) / 2;
        g->cube_mm = exp2(middle);
        *(count_cubes(g, n, vertices, room, seen) <= most ? &high : &low) = middle;
    }
    g->cube_mm = exp2(high);
    return MT_OK;
}

/* ---- which vertex shows which ---- */

/* Of vertices in one cube, the one nearest to their mean, and of several the first. */
static uint32_t middle_one(const double *xyz_mm, size_t n, const placed *vertices)
{
    double mean[3] = {0}, nearest = INFINITY;
    uint32_t found = vertices[0].vertex;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++) mean[k] += xyz_mm[3 * (size_t)vertices[i].vertex + k] / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double square = mt_square3(xyz_mm + 3 * (size_t)vertices[i].vertex, mean);
        if (square >= nearest) continue;
        nearest = square;
        found = vertices[i].vertex;
    }
    return found;
}

/* Cubes become vertices of `coarse`; shown_by[v] is which of these shows vertex v of the mesh. */
static void show(
    const double *xyz_mm, size_t n, const placed *vertices, bool each, uint32_t *shown_by, mt_coarse *coarse)
{
    for (size_t k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && !each && vertices[end].cube == vertices[k].cube;) end++;
        const uint32_t shown = middle_one(xyz_mm, end - k, vertices + k);
        for (size_t i = k; i < end; i++) {
            shown_by[vertices[i].vertex] = (uint32_t)coarse->n_vertices;
            coarse->error_mm = fmax(coarse->error_mm,
                sqrt(mt_square3(xyz_mm + 3 * (size_t)vertices[i].vertex, xyz_mm + 3 * (size_t)shown)));
        }
        coarse->vertex[coarse->n_vertices++] = shown;
    }
}

/* The vertices of cells, by number. */
static mt_status list_vertices(
    mt_arena *scratch, const mt_mesh *mesh, const mt_cells *cells, size_t *n, placed **vertices)
{
    uint8_t *used;
    MT_ALLOC(scratch, used, mesh->n_vertices);
    for (size_t k = 0; k < cells->n * cells->corners; k++) used[cells->vertex[k]] = 1;
    *n = 0;
    for (size_t v = 0; v < mesh->n_vertices; v++) *n += used[v];
    MT_ALLOC(scratch, *vertices, *n);
    *n = 0;
    for (size_t v = 0; v < mesh->n_vertices; v++)
        if (used[v]) (*vertices)[(*n)++].vertex = (uint32_t)v;
    return MT_OK;
}

/* The box around vertices; gives its longest side. */
static double lay_grid(grid *g, size_t n, const placed *vertices)
{
    double high_mm[3], extent_mm = 0;
    for (size_t k = 0; k < 3; k++) {
        g->low_mm[k] = INFINITY, high_mm[k] = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            const double x = g->xyz_mm[3 * (size_t)vertices[i].vertex + k];
            g->low_mm[k] = fmin(g->low_mm[k], x), high_mm[k] = fmax(high_mm[k], x);
        }
        extent_mm = fmax(extent_mm, high_mm[k] - g->low_mm[k]);
    }
    return extent_mm > 0 ? extent_mm : 1;
}

static mt_status cluster(mt_arena *arena, mt_arena *scratch, const mt_mesh *mesh, const mt_cells *cells,
    size_t most, uint32_t *shown_by, mt_coarse *coarse)
{
    grid g = {.xyz_mm = mesh->xyz_mm};
    placed *vertices;
    size_t n;
    MT_TRY(list_vertices(scratch, mesh, cells, &n, &vertices));
    const double extent_mm = lay_grid(&g, n, vertices);
    const bool each = n <= most;
    g.cube_mm = ldexp(extent_mm, -10); /* for their order */
    if (!each) MT_TRY(choose_grid(scratch, &g, extent_mm, n, vertices, most));
    place(&g, n, vertices);
    qsort(vertices, n, sizeof *vertices, by_cube);
    MT_ALLOC(arena, coarse->vertex, each ? n : most);
    show(mesh->xyz_mm, n, vertices, each, shown_by, coarse);
    coarse->cube_mm = each ? 0 : g.cube_mm;
    return MT_OK;
}

/* ---- which cells stay ---- */

/* A cell by its corners in ascending order, of which `turned` tells that they are an odd permutation of how they stood. */
typedef struct kept {
    uint32_t corner[4], cell;
    bool turned;
} kept;

static int by_corners(const void *left, const void *right)
{
    const kept *a = left, *b = right;
    for (int k = 0; k < 4; k++)
        if (a->corner[k] != b->corner[k]) return a->corner[k] < b->corner[k] ? -1 : 1;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

/* Sorts the corners; false where two are the same. */
static bool sort_corners(kept *cell, size_t corners)
{
    for (size_t i = 1; i < corners; i++)
        for (size_t k = i; k > 0 && cell->corner[k - 1] >= cell->corner[k]; k--) {
            const uint32_t lower = cell->corner[k];
            if (lower == cell->corner[k - 1]) return false;
            cell->corner[k] = cell->corner[k - 1], cell->corner[k - 1] = lower;
            cell->turned = !cell->turned;
        }
    return true;
}

static bool take_cell(const mt_cells *cells, size_t c, const uint32_t *shown_by, kept *cell)
{
    *cell = (kept){.cell = (uint32_t)c};
    for (size_t k = 0; k < cells->corners; k++)
        cell->corner[k] = shown_by[cells->vertex[c * cells->corners + k]];
    return sort_corners(cell, cells->corners);
}

/* Six times the volume between four vertices of the mesh. */
static double volume_six(const mt_mesh *mesh, const mt_coarse *coarse, const uint32_t corner[4])
{
    const double *x[4];
    double side[3][3], area[3];
    for (int k = 0; k < 4; k++) x[k] = mesh->xyz_mm + 3 * (size_t)coarse->vertex[corner[k]];
    for (int k = 0; k < 3; k++) mt_minus3(x[k + 1], x[0], side[k]);
    mt_cross3(side[0], side[1], area);
    return mt_dot3(area, side[2]);
}

/* Puts a cell, its corners as they shall be turned, unless it is flat. */
static void put_cell(const mt_mesh *mesh, const mt_cells *cells, const kept *cell, mt_coarse *coarse)
{
    const size_t last = coarse->corners - 1;
    uint32_t *to = coarse->corner + coarse->n * coarse->corners;
    memcpy(to, cell->corner, coarse->corners * sizeof *to);
    const double six = coarse->corners == 4 ? volume_six(mesh, coarse, to) : cell->turned ? -1 : 1;
    if (six == 0) return;
    if (six < 0) {
        const uint32_t swapped = to[last];
        to[last] = to[last - 1], to[last - 1] = swapped;
    }
    coarse->cell[coarse->n] = cell->cell;
    coarse->element[coarse->n++] = cells->element ? cells->element[cell->cell] : cell->cell;
}

static mt_status keep_cells(mt_arena *arena, mt_arena *scratch, const mt_mesh *mesh, const mt_cells *cells,
    const uint32_t *shown_by, mt_coarse *coarse)
{
    kept *list, cell;
    size_t n = 0;
    for (size_t c = 0; c < cells->n; c++) n += take_cell(cells, c, shown_by, &cell);
    MT_ALLOC(scratch, list, n);
    n = 0;
    for (size_t c = 0; c < cells->n; c++)
        if (take_cell(cells, c, shown_by, &cell)) list[n++] = cell;
    qsort(list, n, sizeof *list, by_corners);
    MT_ALLOC(arena, coarse->corner, n * cells->corners);
    MT_ALLOC(arena, coarse->cell, n);
    MT_ALLOC(arena, coarse->element, n);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || memcmp(list[k].corner, list[k - 1].corner, sizeof cell.corner) != 0)
            put_cell(mesh, cells, &list[k], coarse);
    return MT_OK;
}

/* Vertices that no cell has any more go. */
static mt_status drop_vertices(mt_arena *scratch, mt_coarse *coarse)
{
    uint32_t *number, n = 0;
    MT_ALLOC(scratch, number, coarse->n_vertices);
    for (size_t k = 0; k < coarse->n * coarse->corners; k++) number[coarse->corner[k]] = 1;
    for (size_t v = 0; v < coarse->n_vertices; v++) {
        if (!number[v]) continue;
        number[v] = n;
        coarse->vertex[n++] = coarse->vertex[v];
    }
    coarse->n_vertices = n;
    for (size_t k = 0; k < coarse->n * coarse->corners; k++) coarse->corner[k] = number[coarse->corner[k]];
    return MT_OK;
}

static mt_status make(mt_arena *arena, mt_arena *scratch, const mt_mesh *mesh, const mt_cells *cells,
    size_t most, mt_coarse *coarse)
{
    uint32_t *shown_by;
    MT_ALLOC(scratch, shown_by, mesh->n_vertices);
    MT_TRY(cluster(arena, scratch, mesh, cells, most, shown_by, coarse));
    MT_TRY(keep_cells(arena, scratch, mesh, cells, shown_by, coarse));
    return drop_vertices(scratch, coarse);
}

mt_status mt_coarse_make(
    mt_arena *arena, const mt_mesh *mesh, const mt_cells *cells, size_t most, mt_coarse *coarse)
{
    mt_arena scratch = {0};
    *coarse = (mt_coarse){.corners = cells->corners};
    const mt_status status = make(arena, &scratch, mesh, cells, most, coarse);
    mt_arena_free(&scratch);
    return status;
}

/* ---- the boundary ---- */

mt_status mt_cells_boundary(mt_arena *arena, const mt_mesh *mesh, const uint32_t *neighbour, mt_cells *cells)
{
    uint32_t *vertex, *element;
    size_t n = 0;
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) n += neighbour[k] == MT_NO_ELEMENT;
    MT_ALLOC(arena, vertex, 3 * n);
    MT_ALLOC(arena, element, n);
    *cells = (mt_cells){n, 3, vertex, element};
    n = 0;
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) {
        if (neighbour[k] != MT_NO_ELEMENT) continue;
        for (size_t i = 0; i < 3; i++)
            vertex[3 * n + i] = mesh->element_vertex[k / 4 * 4 + mt_mesh_face[k % 4][i]];
        element[n++] = (uint32_t)(k / 4);
    }
    return MT_OK;
}
