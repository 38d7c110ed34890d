#include "app/report/decimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/disjoint.h"
#include "data/core/vec3.h"
#include "mesh/adjacency.h"
#include "data/core/order.h"

enum { GRID_BITS = 10, BISECTIONS = 11 };

/* ---- the grid ---- */

typedef struct grid {
    const mt_mesh *mesh;
    const mt_display_cells *cells;
    size_t n;         /* number of vertices of the cells */
    uint32_t *vertex; /* [n] these vertices */
    double low_mm[3], extent_mm, cube_mm;
    uint64_t *cube; /* [n_vertices of the mesh] the cube of a vertex, in Morton order */
    uint32_t *root; /* [n_vertices of the mesh] the first vertex of the cluster (data/core/disjoint.h) */
} grid;

/* Returns the bits of x with two zero bits after each, for a Morton number. */
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
    const double *x = g->mesh->xyz_mm + 3 * (size_t)vertex;
    uint64_t cube = 0;
    for (size_t k = 0; k < 3; k++) cube |= spread((uint64_t)((x[k] - g->low_mm[k]) / g->cube_mm)) << k;
    return cube;
}

/* Joins the vertices of a cell that are in the same cube. Returns the number of joined pairs of clusters. */
static size_t join_corners(const grid *g, const uint32_t *corner)
{
    size_t joined = 0;
    for (size_t i = 1; i < g->cells->corners; i++)
        for (size_t k = 0; k < i; k++) {
            if (g->cube[corner[i]] != g->cube[corner[k]]) continue;
            if (mt_disjoint_root(g->root, corner[i]) == mt_disjoint_root(g->root, corner[k])) continue;
            (void)mt_disjoint_join(g->root, corner[i], corner[k]);
            joined++;
        }
    return joined;
}

/* Assigns vertices to cubes of this edge, and joins them until at most `enough` clusters are left. Returns their number. */
static size_t lay(grid *g, double cube_mm, size_t enough)
{
    size_t clusters = g->n;
    g->cube_mm = cube_mm;
    mt_disjoint_begin(g->root, g->mesh->n_vertices);
    for (size_t k = 0; k < g->n; k++) g->cube[g->vertex[k]] = cube_of(g, g->vertex[k]);
    for (size_t c = 0; c < g->cells->n && clusters > enough; c++)
        clusters -= join_corners(g, g->cells->vertex + c * g->cells->corners);
    return clusters;
}

/* Finds, by bisection, the finest grid with at most `most` clusters. Returns their number. */
static size_t choose(grid *g, size_t most)
{
    double low = log2(g->extent_mm) - GRID_BITS, high = log2(g->extent_mm) + 1; /* all are in one cube */
    for (int k = 0; k < BISECTIONS; k++) {
        const double middle = (low + high) / 2;
        *(lay(g, exp2(middle), most) <= most ? &high : &low) = middle;
    }
    return lay(g, exp2(high), 0);
}

/* Lists the vertices of the cells, by number. */
static mt_status list_vertices(mt_arena *scratch, grid *g)
{
    const size_t n = g->mesh->n_vertices;
    uint8_t *used;
    MT_ALLOC(scratch, used, n);
    for (size_t k = 0; k < g->cells->n * g->cells->corners; k++) used[g->cells->vertex[k]] = 1;
    for (size_t v = 0; v < n; v++) g->n += used[v];
    MT_ALLOC(scratch, g->vertex, g->n);
    for (size_t v = 0, k = 0; v < n; v++)
        if (used[v]) g->vertex[k++] = (uint32_t)v;
    MT_ALLOC(scratch, g->cube, n);
    MT_ALLOC(scratch, g->root, n);
    return MT_OK;
}

/* Computes the lowest corner and the longest side of the bounding box of these vertices. */
static void measure(grid *g)
{
    for (size_t k = 0; k < 3; k++) {
        double high_mm = -INFINITY;
        g->low_mm[k] = INFINITY;
        for (size_t i = 0; i < g->n; i++) {
            const double x = g->mesh->xyz_mm[3 * (size_t)g->vertex[i] + k];
            g->low_mm[k] = fmin(g->low_mm[k], x), high_mm = fmax(high_mm, x);
        }
        g->extent_mm = fmax(g->extent_mm, high_mm - g->low_mm[k]);
    }
    if (!(g->extent_mm > 0)) g->extent_mm = 1;
}

/* ---- representative vertices ---- */

/* A vertex in its cluster. */
typedef struct placed {
    uint64_t cube;
    uint32_t root, vertex;
} placed;

MT_ORDER(by_place, placed, cube, root, vertex)

/* Returns the vertex nearest to the mean of a cluster; the first if there are several. */
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

/* Adds a vertex to `coarse` for each cluster. shown_by[v]: the representative of vertex v of the mesh, among these. */
static void show(
    const double *xyz_mm, size_t n, const placed *vertices, uint32_t *shown_by, mt_coarse *coarse)
{
    for (size_t k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && vertices[end].root == vertices[k].root;) end++;
        const uint32_t shown = middle_one(xyz_mm, end - k, vertices + k);
        for (size_t i = k; i < end; i++) {
            shown_by[vertices[i].vertex] = (uint32_t)coarse->n_vertices;
            coarse->error_mm = fmax(coarse->error_mm,
                sqrt(mt_square3(xyz_mm + 3 * (size_t)vertices[i].vertex, xyz_mm + 3 * (size_t)shown)));
        }
        coarse->vertex[coarse->n_vertices++] = shown;
    }
}

/* Makes each vertex a cluster; the cubes then only define the order. */
static size_t leave_apart(grid *g)
{
    (void)lay(g, ldexp(g->extent_mm, -GRID_BITS), 0);
    mt_disjoint_begin(g->root, g->mesh->n_vertices);
    return g->n;
}

static mt_status cluster(
    mt_arena *arena, mt_arena *scratch, grid *g, size_t most, uint32_t *shown_by, mt_coarse *coarse)
{
    placed *vertices;
    MT_TRY(list_vertices(scratch, g));
    measure(g);
    const size_t n = g->n <= most ? leave_apart(g) : choose(g, most);
    MT_ALLOC(scratch, vertices, g->n);
    for (size_t k = 0; k < g->n; k++) {
        const uint32_t v = g->vertex[k];
        vertices[k] = (placed){g->cube[v], mt_disjoint_root(g->root, v), v};
    }
    qsort(vertices, g->n, sizeof *vertices, by_place);
    MT_ALLOC(arena, coarse->vertex, n);
    show(g->mesh->xyz_mm, g->n, vertices, shown_by, coarse);
    coarse->cube_mm = n < g->n ? g->cube_mm : 0;
    return MT_OK;
}

/* ---- remaining cells ---- */

/* A cell with its corners in ascending order. `turned`: true if this is an odd permutation of the original order. */
typedef struct kept {
    uint32_t corner[4], cell;
    bool turned;
} kept;

MT_ORDER(by_corners, kept, corner[0], corner[1], corner[2], corner[3], cell)

/* Sorts the corners; false if two are equal. */
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

static bool take_cell(const mt_display_cells *cells, size_t c, const uint32_t *shown_by, kept *cell)
{
    *cell = (kept){.cell = (uint32_t)c};
    for (size_t k = 0; k < cells->corners; k++)
        cell->corner[k] = shown_by[cells->vertex[c * cells->corners + k]];
    return sort_corners(cell, cells->corners);
}

/* Returns six times the signed volume of a tetrahedron. */
static double volume_six(const mt_mesh *mesh, const mt_coarse *coarse, const uint32_t corner[4])
{
    const double *x[4];
    double side[3][3], area[3];
    for (int k = 0; k < 4; k++) x[k] = mesh->xyz_mm + 3 * (size_t)coarse->vertex[corner[k]];
    for (int k = 0; k < 3; k++) mt_minus3(x[k + 1], x[0], side[k]);
    mt_cross3(side[0], side[1], area);
    return mt_dot3(area, side[2]);
}

/* Adds a cell with the right orientation, unless it is flat. */
static void put_cell(const mt_mesh *mesh, const mt_display_cells *cells, const kept *cell, mt_coarse *coarse)
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

static mt_status keep_cells(mt_arena *arena, mt_arena *scratch, const mt_mesh *mesh,
    const mt_display_cells *cells, const uint32_t *shown_by, mt_coarse *coarse)
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

/* Deletes vertices that no cell uses. */
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

mt_status mt_coarse_make(
    mt_arena *arena, const mt_mesh *mesh, const mt_display_cells *cells, size_t most, mt_coarse *coarse)
{
    *coarse = (mt_coarse){.corners = cells->corners};
    MT_SCRATCH(scratch);
    grid g = {.mesh = mesh, .cells = cells};
    uint32_t *shown_by;
    MT_ALLOC(scratch, shown_by, mesh->n_vertices);
    MT_TRY(cluster(arena, scratch, &g, most, shown_by, coarse));
    MT_TRY(keep_cells(arena, scratch, mesh, cells, shown_by, coarse));
    return drop_vertices(scratch, coarse);
}

/* ---- the boundary ---- */

mt_status mt_display_cells_boundary(
    mt_arena *arena, const mt_mesh *mesh, const uint32_t *neighbour, mt_display_cells *cells)
{
    uint32_t *vertex, *element;
    size_t n = 0;
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) n += neighbour[k] == MT_NO_ELEMENT;
    MT_ALLOC(arena, vertex, 3 * n);
    MT_ALLOC(arena, element, n);
    *cells = (mt_display_cells){n, 3, vertex, element};
    n = 0;
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) {
        if (neighbour[k] != MT_NO_ELEMENT) continue;
        for (size_t i = 0; i < 3; i++)
            vertex[3 * n + i] = mesh->element_vertex[k / 4 * 4 + mt_mesh_face[k % 4][i]];
        element[n++] = (uint32_t)(k / 4);
    }
    return MT_OK;
}
