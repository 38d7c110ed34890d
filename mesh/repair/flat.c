#include "mesh/repair/flat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/offsets.h"
#include "data/core/order.h"
#include "mesh/adjacency.h"
#include "mesh/repair/form.h"

enum {
    STAR_MAX = 256,          /* elements around a vertex */
    SCAN_MAX = 8 * STAR_MAX, /* elements visited to find them */
    REGION_FACES = 4 * 2 * STAR_MAX,
    ROUNDS = 8,
    EFFORT_LEAST = 1 << 18, /* elements visited around edges, in total: this number ... */
    EFFORT_A_ELEMENT = 20   /* ... plus this number for each element of the mesh */
};

/* relative to the longest edge of an element: maximum length of edges that may be collapsed if their ends are on the surface */
static const double SHORT = 1e-3;

/* The elements around each vertex, updated as vertices are merged. */
typedef struct region {
    mt_mesh *mesh;
    uint8_t *dead;
    size_t *start;     /* [n_vertices + 2] element[start[v] .. start[v + 1]) had vertex v initially */
    uint32_t *element; /* [4 n_elements] */
    uint32_t *next;    /* [n_vertices] a ring of merged vertices */
    uint32_t *into;    /* [n_vertices] the vertex that v was merged into; v itself if it still exists */
    size_t effort;     /* remaining number of element visits around edges */
} region;

/* A face of the elements around an edge. */
typedef struct side {
    uint32_t v[3]; /* ascending */
    int turn;      /* orientation seen from outside its element: 1 or -1; 0 if the element is flat */
} side;

typedef struct sides {
    size_t n;
    side of[REGION_FACES];
} sides;

/* ---- elements around a vertex ---- */

static mt_status region_make(mt_arena *scratch, mt_mesh *mesh, uint8_t *dead, region *r)
{
    *r = (region){.mesh = mesh, .dead = dead, .effort = EFFORT_LEAST + EFFORT_A_ELEMENT * mesh->n_elements};
    MT_ALLOC(scratch, r->next, mesh->n_vertices);
    MT_ALLOC(scratch, r->into, mesh->n_vertices);
    MT_TRY(mt_offsets_make(
        scratch, mesh->n_elements, 4, mesh->element_vertex, mesh->n_vertices, &r->start, &r->element));
    for (size_t v = 0; v < mesh->n_vertices; v++) r->next[v] = r->into[v] = (uint32_t)v;
    return MT_OK;
}

static bool has(const mt_mesh *mesh, size_t element, uint32_t vertex)
{
    const uint32_t *v = mesh->element_vertex + 4 * element;
    return v[0] == vertex || v[1] == vertex || v[2] == vertex || v[3] == vertex;
}

/* Finds the current elements of a vertex. Returns false if there are more than STAR_MAX, or too many were removed or merged. */
static bool star(const region *r, uint32_t vertex, uint32_t elements[STAR_MAX], size_t *n)
{
    uint32_t v = vertex;
    size_t looked = 0;
    *n = 0;
    do {
        for (size_t k = r->start[v]; k < r->start[v + 1]; k++) {
            if (++looked > SCAN_MAX) return false;
            if (r->dead[r->element[k]] || !has(r->mesh, r->element[k], vertex)) continue;
            if (*n == STAR_MAX) return false;
            elements[(*n)++] = r->element[k];
        }
        v = r->next[v];
    } while (v != vertex && ++looked <= SCAN_MAX);
    return v == vertex;
}

static bool is_flat(const mt_mesh *mesh, size_t element) { return mt_form_of(mesh, element) == MT_FORM_FLAT; }

/* ---- faces around an edge ---- */

static void swap_down(side *s, int i)
{
    if (s->v[i] <= s->v[i + 1]) return;
    const uint32_t t = s->v[i];
    s->v[i] = s->v[i + 1], s->v[i + 1] = t;
    s->turn = -s->turn;
}

static void sort_corners(side *s) { swap_down(s, 0), swap_down(s, 1), swap_down(s, 0); }

/* Adds the faces of an element. `turn`: the sign of its volume; 0 if it is flat. */
static void add_faces(sides *list, const uint32_t *vertex, int turn)
{
    for (int f = 0; f < 4; f++) {
        side *s = &list->of[list->n++];
        for (int k = 0; k < 3; k++) s->v[k] = vertex[mt_mesh_face[f][k]];
        s->turn = turn;
        sort_corners(s);
    }
}

static bool same_corners(const side *a, const side *b) { return mt_face_compare(a->v, b->v) == 0; }

/* Keeps the faces of exactly one element. Returns false if a face has more than two elements, or two on one side. */
static bool keep_outer(sides *list)
{
    size_t n = 0, next;
    qsort(list->of, list->n, sizeof *list->of, mt_face_compare);
    for (size_t k = 0; k < list->n; k = next) {
        const side *a = &list->of[k];
        for (next = k + 1; next < list->n && same_corners(a, &list->of[next]);) next++;
        if (next - k > 2 || (next - k == 2 && a->turn * a[1].turn > 0)) return false;
        if (next - k == 1) list->of[n++] = *a;
    }
    list->n = n;
    return true;
}

static bool on(const side *s, uint32_t vertex)
{
    return s->v[0] == vertex || s->v[1] == vertex || s->v[2] == vertex;
}

/* Replaces `from` by `to` in the outer faces, and omits faces with both. Returns false if two faces coincide afterwards. */
static bool stay_apart(sides *list, uint32_t from, uint32_t to)
{
    size_t n = 0;
    for (size_t k = 0; k < list->n; k++) {
        side s = list->of[k];
        if (on(&s, from) && on(&s, to)) continue;
        for (int i = 0; i < 3; i++)
            if (s.v[i] == from) s.v[i] = to;
        sort_corners(&s);
        list->of[n++] = s;
    }
    qsort(list->of, n, sizeof *list->of, mt_face_compare);
    for (size_t k = 1; k < n; k++)
        if (same_corners(&list->of[k - 1], &list->of[k])) return false;
    return true;
}

/* False if an interior edge joins two surface vertices, since its collapse would pinch the surface, or if a surface vertex
 * would move without `may_move`. */
static bool keeps_surface(const sides *outer, uint32_t from, uint32_t to, bool may_move)
{
    bool from_on = false, to_on = false, both_on = false;
    for (size_t k = 0; k < outer->n; k++) {
        const bool a = on(&outer->of[k], from), b = on(&outer->of[k], to);
        from_on = from_on || a, to_on = to_on || b, both_on = both_on || (a && b);
    }
    return (!from_on || may_move) && (!(from_on && to_on) || both_on);
}

/* ---- collapse of an edge ---- */

/* The elements around both ends: first those with `from` only, then those with both ends, then those with `to` only. */
typedef struct around {
    size_t n_from, n_both, n;
    uint32_t element[2 * STAR_MAX];
} around;

static bool look_around(region *r, uint32_t from, uint32_t to, around *a)
{
    uint32_t far[STAR_MAX];
    size_t n, n_far;
    *a = (around){0};
    if (r->effort == 0) return false;
    if (!star(r, from, far, &n) || !star(r, to, a->element + STAR_MAX, &n_far)) return false;
    for (size_t k = 0; k < n; k++)
        if (!has(r->mesh, far[k], to)) a->element[a->n_from++] = far[k];
    a->n = a->n_from;
    for (size_t k = 0; k < n; k++)
        if (has(r->mesh, far[k], to)) a->element[a->n++] = far[k];
    a->n_both = a->n - a->n_from;
    for (size_t k = 0; k < n_far; k++) {
        const uint32_t element = a->element[STAR_MAX + k];
        if (!has(r->mesh, element, from)) a->element[a->n++] = element;
    }
    r->effort -= a->n < r->effort ? a->n : r->effort;
    return true;
}

static void move_vertex(mt_mesh *mesh, size_t element, uint32_t from, uint32_t to)
{
    for (size_t k = 0; k < 4; k++)
        if (mesh->element_vertex[4 * element + k] == from) mesh->element_vertex[4 * element + k] = to;
}

static int turn_of(mt_form form) { return form == MT_FORM_SOUND ? 1 : form == MT_FORM_INVERTED ? -1 : 0; }

/* Computes the outer faces after the collapse. Returns false if a sound element becomes flat or inverted, or if a face has
 * two elements on one side. A flat element that gains volume may have either winding. */
static bool faces_after(const region *r, const around *a, uint32_t from, uint32_t to, sides *list)
{
    mt_mesh *mesh = r->mesh;
    list->n = 0;
    for (size_t k = 0; k < a->n; k++) {
        const size_t element = a->element[k];
        if (k >= a->n_from && k < a->n_from + a->n_both) continue;
        const bool moves = k < a->n_from, flat = is_flat(mesh, element);
        if (moves) move_vertex(mesh, element, from, to);
        const mt_form form = mt_form_of(mesh, element);
        add_faces(list, mesh->element_vertex + 4 * element, turn_of(form));
        if (moves) move_vertex(mesh, element, to, from);
        if (!flat && form != MT_FORM_SOUND) return false;
    }
    return keep_outer(list);
}

/* True if an edge may be collapsed. The move is linear, so the outer faces afterwards are the moved outer faces before,
 * unless two of them coincide: the region stays closed. */
static bool may_collapse(const region *r, const around *a, uint32_t from, uint32_t to, bool may_move)
{
    sides before = {.n = 0}, after;
    for (size_t k = 0; k < a->n; k++)
        add_faces(&before, r->mesh->element_vertex + 4 * (size_t)a->element[k], 0);
    if (!keep_outer(&before) || !keeps_surface(&before, from, to, may_move)) return false;
    return stay_apart(&before, from, to) && faces_after(r, a, from, to, &after);
}

static void turn_round(mt_mesh *mesh, size_t element)
{
    uint32_t *v = mesh->element_vertex + 4 * element, last = v[3];
    if (mt_form_of(mesh, element) != MT_FORM_INVERTED) return;
    v[3] = v[2], v[2] = last;
}

/* Merges vertex `from` into vertex `to` if the mesh remains valid. */
static bool collapse(region *r, uint32_t from, uint32_t to, bool may_move, mt_flat *counts)
{
    around a;
    if (!look_around(r, from, to, &a) || !may_collapse(r, &a, from, to, may_move)) return false;
    for (size_t k = 0; k < a.n_from; k++) {
        move_vertex(r->mesh, a.element[k], from, to);
        turn_round(r->mesh, a.element[k]);
    }
    for (size_t k = a.n_from; k < a.n_from + a.n_both; k++) r->dead[a.element[k]] = 1;
    const uint32_t t = r->next[from];
    r->next[from] = r->next[to], r->next[to] = t;
    r->into[from] = to;
    counts->edges++;
    counts->elements += a.n_both;
    return true;
}

/* ---- one flat element ---- */

typedef struct edge {
    uint32_t a, b;
    double length_mm;
} edge;

MT_ORDER(compare_edges, edge, length_mm, a, b)

/* Lists the edges of an element, the shortest first. */
static void edges_of(const mt_mesh *mesh, size_t element, edge edges[6])
{
    size_t n = 0;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = i + 1; j < 4; j++) {
            const uint32_t p = mesh->element_vertex[4 * element + i],
                           q = mesh->element_vertex[4 * element + j];
            const double *x = mesh->xyz_mm + 3 * (size_t)p, *y = mesh->xyz_mm + 3 * (size_t)q;
            edges[n++] =
                (edge){p < q ? p : q, p < q ? q : p, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2])};
        }
    qsort(edges, 6, sizeof *edges, compare_edges);
}

/* Collapses the shortest edge of an element that may be collapsed. */
static bool collapse_one(region *r, size_t element, bool may_move, mt_flat *counts)
{
    edge edges[6];
    edges_of(r->mesh, element, edges);
    for (int e = 0; e < 6; e++) {
        const bool may = may_move || edges[e].length_mm <= SHORT * edges[5].length_mm;
        if (collapse(r, edges[e].b, edges[e].a, may, counts) ||
            collapse(r, edges[e].a, edges[e].b, may, counts))
            return true;
    }
    return false;
}

/* True if one of its faces has no other element. Faces at a vertex of too many elements are skipped. */
static bool on_surface(const region *r, size_t element)
{
    const uint32_t *v = r->mesh->element_vertex + 4 * element;
    uint32_t elements[STAR_MAX];
    for (int f = 0; f < 4; f++) {
        const uint8_t *corner = mt_mesh_face[f];
        size_t n, met = 0;
        if (!star(r, v[corner[0]], elements, &n)) continue;
        for (size_t k = 0; k < n; k++)
            met += has(r->mesh, elements[k], v[corner[1]]) && has(r->mesh, elements[k], v[corner[2]]);
        if (met == 1) return true;
    }
    return false;
}

static void remove_one(region *r, size_t element, mt_flat *counts)
{
    const bool outside = on_surface(r, element);
    if (!outside && collapse_one(r, element, true, counts)) return;
    r->dead[element] = 1;
    counts->surface += outside;
    counts->inside += !outside;
}

/* ---- all flat elements ---- */

static void move_triangles(const region *r)
{
    for (size_t k = 0; k < 3 * r->mesh->n_faces; k++) {
        uint32_t *v = &r->mesh->face_vertex[k], end = *v;
        while (r->into[end] != end) end = r->into[end];
        for (uint32_t at = *v, next; at != end; at = next) next = r->into[at], r->into[at] = end;
        *v = end;
    }
}

static mt_status list_flat(mt_arena *scratch, const mt_mesh *mesh, uint32_t **flat, size_t *n)
{
    size_t k = 0;
    *n = 0;
    for (size_t c = 0; c < mesh->n_elements; c++) *n += is_flat(mesh, c);
    MT_ALLOC(scratch, *flat, *n);
    for (size_t c = 0; c < mesh->n_elements; c++)
        if (is_flat(mesh, c)) (*flat)[k++] = (uint32_t)c;
    return MT_OK;
}

/* True if an element still exists and is flat; one moved with a vertex may have gained volume. */
static bool is_left(const region *r, uint32_t element)
{
    return !r->dead[element] && is_flat(r->mesh, element);
}

mt_status mt_flat_remove(mt_mesh *mesh, uint8_t *dead, mt_flat *counts)
{
    MT_SCRATCH(scratch);
    region r;
    uint32_t *flat;
    size_t n, drawn = 1;
    MT_TRY(list_flat(scratch, mesh, &flat, &n));
    if (n == 0) return MT_OK;
    MT_TRY(region_make(scratch, mesh, dead, &r));
    for (int round = 0; round < ROUNDS && drawn > 0; round++) {
        drawn = 0;
        for (size_t k = 0; k < n; k++)
            if (is_left(&r, flat[k])) drawn += collapse_one(&r, flat[k], false, counts);
    }
    for (size_t k = 0; k < n; k++)
        if (is_left(&r, flat[k])) remove_one(&r, flat[k], counts);
    move_triangles(&r);
    return MT_OK;
}
