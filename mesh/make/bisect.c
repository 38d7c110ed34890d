#include "mesh/make/bisect.h"

#include <math.h>
#include <string.h>

#include "data/core/pairs.h"
#include "data/core/vec3.h"
#include "mesh/names.h"

/* ---- elements and vertices under refinement ---- */

/* An element of the refined mesh. */
typedef struct leaf {
    uint32_t vertex[4]; /* positively oriented */
    uint32_t root;      /* the coarse element */
    uint32_t next;      /* the next descendant of this root; 0: none */
    uint32_t generation;
} leaf;

typedef struct bisection {
    mt_arena *arena; /* of all that follows */
    const mt_mesh *coarse;
    const uint8_t *selected;
    double edge_mm;
    size_t n, room;
    leaf *leaf; /* [room] first the coarse elements, each replaced by its first descendant */
    size_t n_vertices, vertex_room;
    double *xyz_mm;  /* [vertex_room][3] */
    uint8_t *is_end; /* [vertex_room] 1: a halved edge ends at this vertex */
    mt_pairs
        midpoint; /* 1 + the vertex at the midpoint of a halved edge, by the ends of the edge, the lower first */
} bisection;

static mt_status begin(bisection *b)
{
    b->n_vertices = b->coarse->n_vertices;
    b->room = b->coarse->n_elements + 1024;
    b->vertex_room = b->n_vertices + 1024;
    MT_ALLOC(b->arena, b->leaf, b->room);
    MT_ALLOC(b->arena, b->xyz_mm, 3 * b->vertex_room);
    MT_ALLOC(b->arena, b->is_end, b->vertex_room);
    memcpy(b->xyz_mm, b->coarse->xyz_mm, 3 * b->n_vertices * sizeof *b->xyz_mm);
    return mt_pairs_reserve(b->arena, &b->midpoint, 1024);
}

/* Moves an array of n items to twice its room. */
static void *moved(mt_arena *arena, const void *items, size_t n, size_t bytes)
{
    void *larger = mt_arena_alloc(arena, 2 * n, bytes);
    if (larger) memcpy(larger, items, n * bytes);
    return larger;
}

static mt_status make_room(bisection *b)
{
    if (b->n == b->room) {
        if (!(b->leaf = moved(b->arena, b->leaf, b->n, sizeof *b->leaf))) return MT_MEMORY;
        b->room *= 2;
    }
    if (b->n_vertices == b->vertex_room) {
        if (!(b->xyz_mm = moved(b->arena, b->xyz_mm, b->n_vertices, 3 * sizeof *b->xyz_mm))) return MT_MEMORY;
        if (!(b->is_end = moved(b->arena, b->is_end, b->n_vertices, sizeof *b->is_end))) return MT_MEMORY;
        b->vertex_room *= 2;
    }
    if (b->n < UINT32_MAX - 1 && b->n_vertices < UINT32_MAX - 1) return MT_OK;
    return mt_fail(MT_INPUT,
        "the refined mesh has more than %zu elements and %zu vertices; allowed: fewer than %u of each", b->n,
        b->n_vertices, UINT32_MAX);
}

static double length2(const bisection *b, uint32_t p, uint32_t q)
{
    return mt_square3(b->xyz_mm + 3 * (size_t)p, b->xyz_mm + 3 * (size_t)q);
}

/* Returns 1 + the midpoint of an edge; 0 if the edge was not halved. */
static uint32_t midpoint_of(const bisection *b, uint32_t p, uint32_t q)
{
    return mt_pairs_value(&b->midpoint, p < q ? p : q, p < q ? q : p);
}

/* Returns the vertex at the midpoint of an edge, a new one if necessary. There is room. */
static mt_status halve_edge(bisection *b, uint32_t p, uint32_t q, uint32_t *vertex)
{
    uint32_t *value;
    MT_TRY(mt_pairs_at(b->arena, &b->midpoint, p < q ? p : q, p < q ? q : p, &value));
    if (*value == 0) {
        const double *x = b->xyz_mm + 3 * (size_t)p, *y = b->xyz_mm + 3 * (size_t)q;
        double *middle = b->xyz_mm + 3 * b->n_vertices;
        for (size_t k = 0; k < 3; k++) middle[k] = x[k] / 2 + y[k] / 2;
        b->is_end[p] = b->is_end[q] = 1;
        *value = (uint32_t)++b->n_vertices;
    }
    *vertex = *value - 1;
    return MT_OK;
}

/* ---- elements ---- */

/* True if edge pq is longer than edge rs, or as long with lower vertex numbers: a strict order of all edges. */
static bool is_longer(const bisection *b, const uint32_t pq[2], const uint32_t rs[2])
{
    const double of_pq = length2(b, pq[0], pq[1]), of_rs = length2(b, rs[0], rs[1]);
    const uint32_t low_pq = pq[0] < pq[1] ? pq[0] : pq[1], low_rs = rs[0] < rs[1] ? rs[0] : rs[1];
    if (of_pq != of_rs) return of_pq > of_rs;
    return low_pq != low_rs ? low_pq < low_rs : pq[0] + pq[1] - low_pq < rs[0] + rs[1] - low_rs;
}

/* Returns the number of the longest edge of an element. */
static size_t longest_edge(const bisection *b, const uint32_t vertex[4])
{
    size_t longest = 0;
    for (size_t k = 1; k < 6; k++) {
        const uint32_t pq[2] = {vertex[mt_mesh_edge[k][0]], vertex[mt_mesh_edge[k][1]]},
                       rs[2] = {vertex[mt_mesh_edge[longest][0]], vertex[mt_mesh_edge[longest][1]]};
        if (is_longer(b, pq, rs)) longest = k;
    }
    return longest;
}

/* Halves an element at its longest edge. */
static mt_status halve(bisection *b, size_t l)
{
    uint32_t middle;
    MT_TRY(make_room(b));
    const uint8_t *ends = mt_mesh_edge[longest_edge(b, b->leaf[l].vertex)];
    leaf *first = &b->leaf[l], *second = &b->leaf[b->n];
    MT_TRY(halve_edge(b, first->vertex[ends[0]], first->vertex[ends[1]], &middle));
    first->generation++;
    *second = *first;
    first->vertex[ends[1]] = second->vertex[ends[0]] = middle;
    first->next = (uint32_t)b->n++;
    return MT_OK;
}

static double mean_edge(const bisection *b, const uint32_t vertex[4])
{
    double sum = 0;
    for (size_t k = 0; k < 6; k++)
        sum += sqrt(length2(b, vertex[mt_mesh_edge[k][0]], vertex[mt_mesh_edge[k][1]]));
    return sum / 6;
}

/* Edges longer by up to this factor count as short enough: rounding does not distinguish equal elements. */
static const double tolerance = 1 + 1e-9;

static bool is_large(const bisection *b, const leaf *l)
{
    return b->selected[l->root] && mean_edge(b, l->vertex) > b->edge_mm * tolerance;
}

/* True if an edge of the element was halved. */
static bool is_hanging(const bisection *b, const leaf *l)
{
    const uint32_t *v = l->vertex;
    if (b->is_end[v[0]] + b->is_end[v[1]] + b->is_end[v[2]] + b->is_end[v[3]] < 2) return false;
    for (size_t k = 0; k < 6; k++)
        if (midpoint_of(b, v[mt_mesh_edge[k][0]], v[mt_mesh_edge[k][1]]) > 0) return true;
    return false;
}

/* Halves elements until the mesh conforms and no selected element is large. */
static mt_status halve_all(bisection *b)
{
    const size_t n = b->coarse->n_elements;
    bool any = n > 0;
    for (size_t c = 0; c < n; c++) {
        memcpy(b->leaf[c].vertex, b->coarse->element_vertex + 4 * c, sizeof b->leaf[c].vertex);
        b->leaf[c].root = (uint32_t)c;
    }
    b->n = n;
    while (any) {
        any = false;
        for (size_t l = 0; l < b->n; l++)
            while (is_large(b, &b->leaf[l]) || is_hanging(b, &b->leaf[l])) {
                MT_TRY(halve(b, l));
                any = true;
            }
    }
    return MT_OK;
}

/* ---- tagged triangles ---- */

/* Returns the number of the vertex opposite the longest halved edge of a triangle; -1 if no edge was halved. */
static int opposite_halved(const bisection *b, const uint32_t vertex[3])
{
    int found = -1;
    uint32_t longest[2] = {0};
    for (int k = 0; k < 3; k++) {
        const uint32_t edge[2] = {vertex[(k + 1) % 3], vertex[(k + 2) % 3]};
        if (midpoint_of(b, edge[0], edge[1]) == 0 || (found >= 0 && is_longer(b, longest, edge))) continue;
        found = k;
        memcpy(longest, edge, sizeof longest);
    }
    return found;
}

/* Divides a triangle; returns the number of its parts, and stores their vertices unless `out` is NULL. */
static size_t divide_triangle(const bisection *b, const uint32_t vertex[3], uint32_t *out)
{
    enum { DEPTH = 64 }; /* more generations would need 2^64 elements around the triangle */
    uint32_t stack[DEPTH][3];
    size_t n = 0, depth = 1;
    memcpy(stack[0], vertex, sizeof stack[0]);
    while (depth > 0) {
        uint32_t *first = stack[depth - 1], *second = stack[depth % DEPTH];
        const int off = depth < DEPTH ? opposite_halved(b, first) : -1;
        if (off < 0) {
            if (out) memcpy(out + 3 * n, first, sizeof stack[0]);
            n++, depth--;
            continue;
        }
        const int p = (off + 1) % 3, q = (off + 2) % 3;
        const uint32_t middle = midpoint_of(b, first[p], first[q]) - 1;
        memcpy(second, first, sizeof stack[0]);
        first[p] = second[q] = middle;
        depth++;
    }
    return n;
}

static mt_status divide_triangles(mt_arena *arena, const bisection *b, mt_mesh *fine)
{
    const mt_mesh *coarse = b->coarse;
    size_t n = 0;
    for (size_t f = 0; f < coarse->n_faces; f++) n += divide_triangle(b, coarse->face_vertex + 3 * f, NULL);
    if (n == 0) return MT_OK;
    MT_TRY(mt_mesh_new_faces(arena, n, fine));
    n = 0;
    for (size_t f = 0; f < coarse->n_faces; f++) {
        const size_t parts = divide_triangle(b, coarse->face_vertex + 3 * f, fine->face_vertex + 3 * n);
        for (size_t k = 0; k < parts; k++) fine->face_tag[n + k] = coarse->face_tag[f];
        n += parts;
    }
    return MT_OK;
}

/* ---- the refined mesh ---- */

static mt_status make_fine(mt_arena *arena, const bisection *b, mt_mesh *fine)
{
    size_t n = 0;
    uint32_t *root;
    *fine = (mt_mesh){.n_vertices = b->n_vertices, .n_elements = b->n};
    MT_ALLOC(arena, fine->xyz_mm, 3 * b->n_vertices);
    MT_ALLOC(arena, fine->element_vertex, 4 * b->n);
    MT_ALLOC(b->arena, root, b->n);
    memcpy(fine->xyz_mm, b->xyz_mm, 3 * b->n_vertices * sizeof *fine->xyz_mm);
    for (size_t c = 0; c < b->coarse->n_elements; c++) {
        size_t l = c;
        do {
            memcpy(fine->element_vertex + 4 * n, b->leaf[l].vertex, sizeof b->leaf[l].vertex);
            root[n++] = (uint32_t)c;
            l = b->leaf[l].next;
        } while (l > 0);
    }
    MT_TRY(divide_triangles(arena, b, fine));
    MT_TRY(mt_names_copy(arena, b->coarse, fine));
    return mt_mesh_inherit(arena, b->coarse, root, fine);
}

static mt_status check(const bisection *b, mt_bisected *done)
{
    double expected = (double)b->coarse->n_elements;
    if (!(b->edge_mm > 0)) return mt_fail(MT_INPUT, "edge %g mm; allowed: above 0", b->edge_mm);
    for (size_t c = 0; c < b->coarse->n_elements; c++) {
        if (!b->selected[c]) continue;
        const double ratio = mean_edge(b, b->coarse->element_vertex + 4 * c) / b->edge_mm;
        if (ratio <= tolerance) continue;
        done->n_selected++;
        expected += ratio * ratio * ratio;
    }
    if (expected < UINT32_MAX) return MT_OK;
    return mt_fail(MT_INPUT,
        "edges of %g mm in %zu of %zu elements result in about %.2g elements; allowed: fewer than %u",
        b->edge_mm, done->n_selected, b->coarse->n_elements, expected, UINT32_MAX);
}

/* Counts the divided elements that were not large, and the generations. */
static void summarise(const bisection *b, mt_bisected *done)
{
    size_t n_divided = 0;
    for (size_t c = 0; c < b->coarse->n_elements; c++) n_divided += b->leaf[c].generation > 0;
    for (size_t l = 0; l < b->n; l++)
        if (b->leaf[l].generation > done->generations) done->generations = b->leaf[l].generation;
    done->n_others = n_divided - done->n_selected;
}

mt_status mt_bisect(mt_arena *arena, const mt_mesh *coarse, const uint8_t *selected, double edge_mm,
    mt_mesh *fine, mt_bisected *done)
{
    MT_SCRATCH(scratch);
    bisection b = {.arena = scratch, .coarse = coarse, .selected = selected, .edge_mm = edge_mm};
    *done = (mt_bisected){0};
    MT_TRY(begin(&b));
    MT_TRY(check(&b, done));
    MT_TRY(halve_all(&b));
    summarise(&b, done);
    return make_fine(arena, &b, fine);
}
