#include "mesh/anatomy/level_cut.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"

enum { PIECES = 6, TET_STACK = 8 }; /* an element becomes at most six; a triangle at most three */

/* The sides of the vertices, and the divided edges. */
typedef struct cutting {
    const mt_mesh *mesh;
    const double *value;
    double level;
    int8_t *side; /* [n_vertices] -1 below, 0 on the surface, 1 above */
    size_t n_edges;
    uint64_t *edge; /* [n_edges] lower end << 32 | upper end, ascending */
} cutting;

MT_ORDER_NUMBERS(by_edge, uint64_t)

static uint64_t edge_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static bool is_cut(const cutting *c, uint32_t a, uint32_t b) { return c->side[a] * c->side[b] < 0; }

/* Returns the position of the level between two vertices, as a share from the first. */
static double share_of(const cutting *c, uint32_t a, uint32_t b)
{
    return (c->level - c->value[a]) / (c->value[b] - c->value[a]);
}

static void find_sides(cutting *c)
{
    for (size_t v = 0; v < c->mesh->n_vertices; v++) {
        const double above = c->value[v] - c->level;
        c->side[v] = (int8_t)((above > 0) - (above < 0));
    }
}

/* Puts vertices on the surface that are too close to it on an edge. The decision depends on the values alone, not on the order. */
static void snap(const cutting *c, const int8_t *before)
{
    for (size_t e = 0; e < c->mesh->n_elements; e++)
        for (size_t k = 0; k < 6; k++) {
            const uint32_t *v = c->mesh->element_vertex + 4 * e;
            const uint32_t a = v[mt_mesh_edge[k][0]], b = v[mt_mesh_edge[k][1]];
            if (before[a] * before[b] >= 0) continue;
            const double share = share_of(c, a, b);
            if (share < MT_LEVEL_CUT_SNAP) c->side[a] = 0;
            if (share > 1 - MT_LEVEL_CUT_SNAP) c->side[b] = 0;
        }
}

static void list_edges(cutting *c)
{
    size_t n = 0, kept = 0;
    for (size_t e = 0; e < c->mesh->n_elements; e++)
        for (size_t k = 0; k < 6; k++) {
            const uint32_t *v = c->mesh->element_vertex + 4 * e;
            const uint32_t a = v[mt_mesh_edge[k][0]], b = v[mt_mesh_edge[k][1]];
            if (is_cut(c, a, b)) c->edge[n++] = edge_of(a, b);
        }
    qsort(c->edge, n, sizeof *c->edge, by_edge);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || c->edge[i] != c->edge[i - 1]) c->edge[kept++] = c->edge[i];
    c->n_edges = kept;
}

static size_t count_cut(const cutting *c)
{
    size_t n = 0;
    for (size_t e = 0; e < c->mesh->n_elements; e++)
        for (size_t k = 0; k < 6; k++) {
            const uint32_t *v = c->mesh->element_vertex + 4 * e;
            n += is_cut(c, v[mt_mesh_edge[k][0]], v[mt_mesh_edge[k][1]]);
        }
    return n;
}

/* Returns the number of a divided edge; n_edges if it is not one (an edge of a triangle that is no face). */
static size_t edge_number(const cutting *c, uint32_t a, uint32_t b)
{
    const uint64_t key = edge_of(a, b);
    const uint64_t *at = bsearch(&key, c->edge, c->n_edges, sizeof key, by_edge);
    return at ? (size_t)(at - c->edge) : c->n_edges;
}

/* Halves a simplex of n corners at its first divided edge until no edge is divided. Writes the pieces and returns their number. The order
 * of the edges is the same in all simplices, so the pieces of a shared face are the same, too. */
static size_t divide(const cutting *c, size_t n, const uint32_t *simplex, uint32_t *piece)
{
    uint32_t stack[TET_STACK][4] = {{0}};
    size_t n_stack = 1, n_pieces = 0;
    const uint32_t first_new = (uint32_t)c->mesh->n_vertices;
    memcpy(stack[0], simplex, n * sizeof *simplex);
    while (n_stack > 0) {
        uint32_t at[4];
        size_t best = c->n_edges, i_best = 0, j_best = 0;
        memcpy(at, stack[--n_stack], sizeof at);
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++) {
                if (at[i] >= first_new || at[j] >= first_new || !is_cut(c, at[i], at[j])) continue;
                const size_t number = edge_number(c, at[i], at[j]);
                if (number < best) best = number, i_best = i, j_best = j;
            }
        if (best == c->n_edges) {
            memcpy(piece + n * n_pieces++, at, n * sizeof *at);
            continue;
        }
        memcpy(stack[n_stack], at, sizeof at);
        memcpy(stack[n_stack + 1], at, sizeof at);
        stack[n_stack++][j_best] = first_new + (uint32_t)best;
        stack[n_stack++][i_best] = first_new + (uint32_t)best;
    }
    return n_pieces;
}

static bool any_cut(const cutting *c, size_t n, const uint32_t *v)
{
    for (size_t k = 1; k < n; k++)
        for (size_t i = 0; i < k; i++)
            if (is_cut(c, v[i], v[k])) return true;
    return false;
}

static size_t count_pieces(const cutting *c, size_t n, size_t n_simplices, const uint32_t *vertex)
{
    uint32_t piece[4 * PIECES];
    size_t total = 0;
    for (size_t s = 0; s < n_simplices; s++)
        total += any_cut(c, n, vertex + n * s) ? divide(c, n, vertex + n * s, piece) : 1;
    return total;
}

/* True if a piece of an element is above the level; one with all vertices on the surface follows the mean of the element's values. */
static uint8_t is_above(const cutting *c, const uint32_t piece[4], const uint32_t whole[4])
{
    double sum = 0;
    for (size_t k = 0; k < 4; k++)
        if (piece[k] < c->mesh->n_vertices && c->side[piece[k]] != 0) return c->side[piece[k]] > 0;
    for (size_t k = 0; k < 4; k++) sum += c->value[whole[k]];
    return sum > 4 * c->level;
}

static mt_status put_elements(mt_arena *arena, const cutting *c, mt_level_cut *cut)
{
    size_t n = 0;
    MT_ALLOC(arena, cut->element, cut->mesh.n_elements);
    MT_ALLOC(arena, cut->above, cut->mesh.n_elements);
    for (size_t e = 0; e < c->mesh->n_elements; e++) {
        uint32_t piece[4 * PIECES];
        const uint32_t *whole = c->mesh->element_vertex + 4 * e;
        const size_t pieces = divide(c, 4, whole, piece);
        memcpy(cut->mesh.element_vertex + 4 * n, piece, 4 * pieces * sizeof *piece);
        for (size_t k = 0; k < pieces; k++, n++) {
            cut->element[n] = (uint32_t)e;
            cut->above[n] = is_above(c, piece + 4 * k, whole);
        }
    }
    return MT_OK;
}

static void put_triangles(const cutting *c, mt_mesh *to)
{
    size_t n = 0;
    for (size_t f = 0; f < c->mesh->n_faces; f++) {
        const size_t pieces = divide(c, 3, c->mesh->face_vertex + 3 * f, to->face_vertex + 3 * n);
        for (size_t k = 0; k < pieces; k++) to->face_tag[n++] = c->mesh->face_tag[f];
    }
}

static mt_status put_vertices(mt_arena *arena, const cutting *c, mt_level_cut *cut)
{
    const size_t n = c->mesh->n_vertices;
    cut->n_edges = c->n_edges;
    MT_ALLOC(arena, cut->on, n + c->n_edges);
    MT_ALLOC(arena, cut->edge_end, 2 * c->n_edges);
    MT_ALLOC(arena, cut->share, c->n_edges);
    memcpy(cut->mesh.xyz_mm, c->mesh->xyz_mm, 3 * n * sizeof *c->mesh->xyz_mm);
    for (size_t v = 0; v < n; v++) cut->on[v] = c->side[v] == 0;
    for (size_t i = 0; i < c->n_edges; i++) {
        const uint32_t a = (uint32_t)(c->edge[i] >> 32), b = (uint32_t)c->edge[i];
        const double *from = c->mesh->xyz_mm + 3 * (size_t)a, *to = c->mesh->xyz_mm + 3 * (size_t)b;
        cut->edge_end[2 * i] = a, cut->edge_end[2 * i + 1] = b;
        cut->share[i] = share_of(c, a, b);
        cut->on[n + i] = 1;
        for (size_t k = 0; k < 3; k++)
            cut->mesh.xyz_mm[3 * (n + i) + k] = from[k] + cut->share[i] * (to[k] - from[k]);
    }
    return MT_OK;
}

mt_status mt_level_cut_make(
    mt_arena *arena, const mt_mesh *mesh, const double *value, double level, mt_level_cut *cut)
{
    MT_SCRATCH(scratch);
    cutting c = {.mesh = mesh, .value = value, .level = level};
    int8_t *before;
    *cut = (mt_level_cut){0};
    MT_ALLOC(scratch, c.side, mesh->n_vertices);
    MT_ALLOC(scratch, before, mesh->n_vertices);
    find_sides(&c);
    memcpy(before, c.side, mesh->n_vertices * sizeof *before);
    snap(&c, before);
    MT_ALLOC(scratch, c.edge, count_cut(&c));
    list_edges(&c);
    MT_TRY(mt_mesh_new(arena, mesh->n_vertices + c.n_edges,
        count_pieces(&c, 4, mesh->n_elements, mesh->element_vertex), &cut->mesh));
    MT_TRY(mt_mesh_new_faces(arena, count_pieces(&c, 3, mesh->n_faces, mesh->face_vertex), &cut->mesh));
    MT_TRY(put_vertices(arena, &c, cut));
    MT_TRY(put_elements(arena, &c, cut));
    put_triangles(&c, &cut->mesh);
    return MT_OK;
}

mt_status mt_level_cut_extend(
    mt_arena *arena, const mt_level_cut *cut, const double *original, double **values)
{
    const size_t n = cut->mesh.n_vertices - cut->n_edges;
    MT_ALLOC(arena, *values, cut->mesh.n_vertices);
    memcpy(*values, original, n * sizeof *original);
    for (size_t i = 0; i < cut->n_edges; i++) {
        const double a = original[cut->edge_end[2 * i]], b = original[cut->edge_end[2 * i + 1]];
        (*values)[n + i] = a + cut->share[i] * (b - a);
    }
    return MT_OK;
}
