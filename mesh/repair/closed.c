#include "mesh/repair/closed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/flood.h"
#include "data/core/vec3.h"

static const double merge_distance = 1e-5; /* relative to the diagonal of the bounding box */
static const double chip_area = 1e-3;      /* relative to the total area */

mt_status mt_closed_join(mt_arena *arena, const mt_mesh *surfaces, size_t n, mt_mesh *joined)
{
    size_t n_vertices = 0, n_faces = 0;
    for (size_t k = 0; k < n; k++) n_vertices += surfaces[k].n_vertices, n_faces += surfaces[k].n_faces;
    MT_TRY(mt_mesh_new(arena, n_vertices, 0, joined));
    MT_TRY(mt_mesh_new_faces(arena, n_faces, joined));
    n_vertices = n_faces = 0;
    for (size_t k = 0; k < n; k++) {
        const mt_mesh *one = surfaces + k;
        memcpy(joined->xyz_mm + 3 * n_vertices, one->xyz_mm, 3 * one->n_vertices * sizeof *one->xyz_mm);
        for (size_t i = 0; i < 3 * one->n_faces; i++)
            joined->face_vertex[3 * n_faces + i] = one->face_vertex[i] + (uint32_t)n_vertices;
        for (size_t f = 0; f < one->n_faces; f++) joined->face_tag[n_faces + f] = one->face_tag[f];
        n_vertices += one->n_vertices;
        n_faces += one->n_faces;
    }
    return MT_OK;
}

/* ---- coincident points ---- */

/* A spatial hash of the points kept, with cubic cells of side merge_distance. */
typedef struct boxes {
    const double *xyz_mm;
    double low[3], side;
    size_t mask;    /* length of head, a power of two, minus 1 */
    uint32_t *head; /* a point in the cells with this hash; MT_NO_TRIANGLE if there is none */
    uint32_t *next; /* [n_vertices] the next point with the same hash */
} boxes;

static size_t hash_of(const boxes *b, const int64_t box[3])
{
    uint64_t h = 0;
    for (int k = 0; k < 3; k++) h = (h ^ (uint64_t)box[k]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    return (size_t)h & b->mask;
}

/* Returns a kept point closer to x than the side of a cell; MT_NO_TRIANGLE if there is none. */
static uint32_t find_point(const boxes *b, const double x[3], const int64_t box[3])
{
    for (int neighbour = 0; neighbour < 27; neighbour++) {
        const int64_t near[3] = {
            box[0] + neighbour % 3 - 1, box[1] + neighbour / 3 % 3 - 1, box[2] + neighbour / 9 - 1};
        for (uint32_t v = b->head[hash_of(b, near)]; v != MT_NO_TRIANGLE; v = b->next[v]) {
            const double *y = b->xyz_mm + 3 * (size_t)v;
            if (hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) < b->side) return v;
        }
    }
    return MT_NO_TRIANGLE;
}

static mt_status merge_points(mt_arena *scratch, mt_mesh *surface, mt_closed *report)
{
    boxes b = {.xyz_mm = surface->xyz_mm, .mask = 1};
    uint32_t *becomes;
    double high[3], diagonal = 0;
    mt_mesh_box(surface, b.low, high);
    for (int k = 0; k < 3; k++) diagonal = hypot(diagonal, high[k] - b.low[k]);
    b.side = merge_distance * diagonal;
    if (surface->n_vertices > 0 && !(b.side > 0))
        return mt_fail(MT_INPUT, "all points of the surface coincide");
    while (b.mask < surface->n_vertices) b.mask = 2 * b.mask + 1;
    MT_ALLOC(scratch, b.head, b.mask + 1);
    MT_ALLOC(scratch, b.next, surface->n_vertices);
    MT_ALLOC(scratch, becomes, surface->n_vertices);
    for (size_t k = 0; k <= b.mask; k++) b.head[k] = MT_NO_TRIANGLE;
    for (size_t v = 0; v < surface->n_vertices; v++) {
        const double *x = surface->xyz_mm + 3 * v;
        int64_t box[3];
        for (int k = 0; k < 3; k++) box[k] = (int64_t)floor((x[k] - b.low[k]) / b.side);
        becomes[v] = find_point(&b, x, box);
        if (becomes[v] != MT_NO_TRIANGLE) {
            report->n_merged++;
            continue;
        }
        becomes[v] = (uint32_t)v;
        uint32_t *head = &b.head[hash_of(&b, box)];
        b.next[v] = *head;
        *head = (uint32_t)v;
    }
    for (size_t k = 0; k < 3 * surface->n_faces; k++)
        surface->face_vertex[k] = becomes[surface->face_vertex[k]];
    return MT_OK;
}

/* ---- degenerate and duplicate triangles ---- */

/* Removes the triangles with nonzero drop[t]. */
static void drop_triangles(mt_mesh *surface, const unsigned char *drop)
{
    size_t n = 0;
    for (size_t t = 0; t < surface->n_faces; t++) {
        if (drop[t]) continue;
        memmove(surface->face_vertex + 3 * n, surface->face_vertex + 3 * t, 3 * sizeof(uint32_t));
        surface->face_tag[n++] = surface->face_tag[t];
    }
    surface->n_faces = n;
}

typedef struct corners {
    uint32_t v[3]; /* ascending */
    uint32_t id;
} corners;

static int compare_corners(const void *left, const void *right)
{
    const corners *a = left, *b = right;
    const int order = mt_face_compare(a->v, b->v);
    return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

/* Drops degenerate triangles, and all but the first of triangles with the same corners. */
static mt_status drop_useless(mt_arena *scratch, mt_mesh *surface, mt_closed *report)
{
    corners *sorted;
    unsigned char *drop;
    size_t n = 0;
    MT_ALLOC(scratch, sorted, surface->n_faces);
    MT_ALLOC(scratch, drop, surface->n_faces);
    for (size_t t = 0; t < surface->n_faces; t++) {
        const uint32_t *v = surface->face_vertex + 3 * t;
        drop[t] = mt_mesh_triangle_repeats(v);
        report->n_degenerate += drop[t];
        if (drop[t]) continue;
        corners *c = sorted + n++;
        *c = (corners){{v[0], v[1], v[2]}, (uint32_t)t};
        mt_face_sort(c->v);
    }
    qsort(sorted, n, sizeof *sorted, compare_corners);
    for (size_t k = 1; k < n; k++) {
        if (mt_face_compare(sorted[k].v, sorted[k - 1].v) != 0) continue;
        drop[sorted[k].id] = 1;
        report->n_duplicate++;
    }
    drop_triangles(surface, drop);
    return MT_OK;
}

/* ---- pieces and winding ---- */

/* True if both triangles traverse their common side in the same direction, so that one of them is wound the wrong way. */
static bool same_direction(const mt_mesh *surface, size_t s, size_t mate)
{
    return surface->face_vertex[s] == surface->face_vertex[mate];
}

/* The connected pieces of a surface. */
typedef struct pieces {
    const mt_mesh *surface;
    const mt_sides *sides;
    /* number of pieces; number of sides with two triangles that cannot be wound consistently */
    size_t n, contradictions;
    uint32_t *of;        /* [n_faces] the piece of a triangle */
    unsigned char *turn; /* [n_faces] 1 if it is wound opposite to the first triangle of its piece */
    double *area;        /* [n] */
    double whole;
    uint32_t other[3]; /* buffer of neighbours_of */
} pieces;

/* Returns the triangles adjacent to triangle t, after setting their `turn` to a consistent winding. */
static size_t neighbours_of(void *context, uint32_t t, const uint32_t **neighbour)
{
    pieces *p = context;
    for (size_t k = 0; k < 3; k++) {
        const size_t s = 3 * (size_t)t + k;
        const uint32_t mate = p->sides->mate[s], other = mate == MT_NO_TRIANGLE ? MT_FLOOD_NONE : mate / 3;
        p->other[k] = other;
        if (other == MT_FLOOD_NONE) continue;
        const unsigned char wanted = p->turn[t] ^ same_direction(p->surface, s, mate);
        if (p->of[other] == p->of[t])
            p->contradictions += p->turn[other] != wanted;
        else
            p->turn[other] = wanted;
    }
    *neighbour = p->other;
    return 3;
}

static mt_status find_pieces(mt_arena *scratch, const mt_mesh *surface, const mt_sides *sides, pieces *p)
{
    uint32_t *queue;
    *p = (pieces){.surface = surface, .sides = sides};
    MT_ALLOC(scratch, p->of, surface->n_faces);
    MT_ALLOC(scratch, p->turn, surface->n_faces);
    MT_ALLOC(scratch, p->area, surface->n_faces);
    MT_ALLOC(scratch, queue, surface->n_faces);
    for (size_t t = 0; t < surface->n_faces; t++) p->of[t] = MT_NO_TRIANGLE;
    for (size_t t = 0; t < surface->n_faces; t++) {
        if (p->of[t] == MT_NO_TRIANGLE)
            (void)mt_flood((uint32_t)t, (uint32_t)p->n++, neighbours_of, p, p->of, queue);
        const double size = mt_triangle_mm2(surface, t);
        p->area[p->of[t]] += size;
        p->whole += size;
    }
    return MT_OK;
}

static mt_status drop_chips(mt_arena *scratch, mt_mesh *surface, mt_closed *report)
{
    mt_sides sides;
    pieces p;
    unsigned char *drop;
    MT_TRY(mt_sides_make(scratch, surface, &sides));
    MT_TRY(find_pieces(scratch, surface, &sides, &p));
    MT_ALLOC(scratch, drop, surface->n_faces);
    for (size_t t = 0; t < surface->n_faces; t++) {
        drop[t] = p.area[p.of[t]] < chip_area * p.whole;
        report->n_chips += drop[t];
    }
    drop_triangles(surface, drop);
    return MT_OK;
}

/* Removes points of no triangle. */
static mt_status drop_points(mt_arena *scratch, mt_mesh *surface)
{
    uint8_t *used;
    MT_ALLOC(scratch, used, surface->n_vertices);
    for (size_t k = 0; k < 3 * surface->n_faces; k++) used[surface->face_vertex[k]] = 1;
    return mt_mesh_keep_vertices(scratch, surface, used);
}

static mt_status check_edges(const mt_mesh *surface, const mt_sides *sides)
{
    if (sides->n_single + sides->n_crowded == 0) return MT_OK;
    const uint32_t *edge = sides->n_single > 0 ? sides->single : sides->crowded;
    const double *a = surface->xyz_mm + 3 * (size_t)edge[0], *b = surface->xyz_mm + 3 * (size_t)edge[1];
    return mt_fail(MT_INPUT,
        "the surface is not closed: %zu edges have one triangle and %zu have more than two; each must have "
        "two; the first is from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) mm",
        sides->n_single, sides->n_crowded, a[0], a[1], a[2], b[0], b[1], b[2]);
}

/* Reverses either all triangles wound opposite to the first one or all others, so that the volume is positive. */
static mt_status wind(mt_mesh *surface, const pieces *p, mt_closed *report)
{
    const double *origin = surface->xyz_mm + 3 * (size_t)surface->face_vertex[0];
    double six = 0;
    for (size_t t = 0; t < surface->n_faces; t++)
        six += (p->turn[t] ? -1 : 1) * mt_triangle_volume_six(surface, t, origin);
    report->area_mm2 = p->whole;
    report->volume_mm3 = fabs(six) / 6;
    if (!(report->volume_mm3 > 1e-6 * p->whole * sqrt(p->whole)))
        return mt_fail(MT_INPUT, "the surface of %g mm^3 enclosed volume and %g mm^2 area is not a solid",
            report->volume_mm3, p->whole);
    for (size_t t = 0; t < surface->n_faces; t++) {
        if (p->turn[t] == (six < 0)) continue;
        uint32_t *v = surface->face_vertex + 3 * t, last = v[2];
        v[2] = v[1];
        v[1] = last;
        report->n_turned++;
    }
    return MT_OK;
}

mt_status mt_closed_make(mt_mesh *surface, mt_closed *report)
{
    *report = (mt_closed){0};
    MT_SCRATCH(scratch);
    mt_sides sides;
    pieces p;
    MT_TRY(merge_points(scratch, surface, report));
    MT_TRY(drop_useless(scratch, surface, report));
    MT_TRY(drop_chips(scratch, surface, report));
    if (surface->n_faces == 0) return mt_fail(MT_INPUT, "the surface has no triangles");
    MT_TRY(drop_points(scratch, surface));
    MT_TRY(mt_sides_make(scratch, surface, &sides));
    MT_TRY(check_edges(surface, &sides));
    MT_TRY(find_pieces(scratch, surface, &sides, &p));
    if (p.contradictions > 0) return mt_fail(MT_INPUT, "the surface is not orientable, like a Moebius strip");
    if (p.n > 1)
        return mt_fail(MT_INPUT,
            "the surface has %zu separate closed components (the first with %g %% of the area); needed: one",
            p.n, 100 * p.area[0] / p.whole);
    return wind(surface, &p, report);
}
