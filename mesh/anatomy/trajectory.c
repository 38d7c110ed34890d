#include "mesh/anatomy/trajectory.h"

#include <math.h>
#include <string.h>

#include "data/core/offsets.h"
#include "data/core/vec3.h"

enum { MAX_SWEEPS = 10000 };
/* Changes of a distance by less than this share of the largest one end the sweeps. */
static const double settled = 1e-10;
/* The potential rises at least by this share of its range along a path, so that paths have an order. */
static const double rise = 1e-13;

/* The upstream point of a vertex: a point of a face, or another vertex. */
typedef struct upstream_point {
    uint32_t vertex[3];
    double weight[3]; /* sum 1; 0 for vertices that do not count */
    double step_mm;
} upstream_point;

typedef struct body {
    const mt_trajectories *t;
    size_t n; /* vertices */
    double sign;
    size_t *first; /* [n + 1] active elements of vertex v: element[first[v] .. first[v + 1]) */
    uint32_t *element;
    double *raised;   /* [n] potential, raised in local minima */
    uint32_t *parent; /* [n] the neighbour towards the lowest pass */
    uint8_t *fixed;   /* [n] 1 where the distance is known: at the start, and in the straight rings */
    uint32_t *order;  /* [n_order] vertices with a path to the start, by raised potential */
    size_t n_order;
    double *direction; /* [n][3] at vertices, upstream; 0 where unknown */
    upstream_point *from;
} body;

/* ---- elements of vertices, directions ---- */

static bool is_active(const mt_trajectories *t, size_t element)
{
    return !t->active || t->active[element] == t->active_value;
}

static mt_status list_elements(mt_arena *scratch, body *b)
{
    const mt_mesh *mesh = b->t->mesh;
    size_t n = 0;
    MT_ALLOC(scratch, b->first, b->n + 2);
    for (size_t e = 0; e < mesh->n_elements; e++)
        for (size_t k = 0; k < 4 && is_active(b->t, e); k++, n++)
            b->first[mesh->element_vertex[4 * e + k] + 2]++;
    MT_ALLOC(scratch, b->element, n);
    mt_offsets_sum(b->first, b->n + 2);
    for (size_t e = 0; e < mesh->n_elements; e++)
        for (size_t k = 0; k < 4 && is_active(b->t, e); k++)
            b->element[b->first[mesh->element_vertex[4 * e + k] + 1]++] = (uint32_t)e;
    return MT_OK;
}

/* Computes the direction upstream at each vertex: against that of the trajectories as seen from the start. */
static void average_directions(body *b)
{
#pragma omp parallel for schedule(static)
    for (size_t v = 0; v < b->n; v++) {
        double *sum = b->direction + 3 * v;
        for (size_t i = b->first[v]; i < b->first[v + 1]; i++) {
            const double volume = mt_mesh_volume_mm3(b->t->mesh, b->element[i]);
            for (size_t k = 0; k < 3; k++)
                sum[k] -= b->sign * volume * b->t->direction[3 * (size_t)b->element[i] + k];
        }
        (void)mt_normalise3(sum);
    }
}

/* ---- the raised potential ---- */

/* A heap of vertices by raised potential, then by number; the smallest first. */
typedef struct heap {
    const double *key;
    uint32_t *vertex;
    size_t n;
} heap;

static bool precedes(const heap *h, uint32_t a, uint32_t b)
{
    return h->key[a] < h->key[b] || (h->key[a] <= h->key[b] && a < b);
}

static void push(heap *h, uint32_t vertex)
{
    size_t at = h->n++;
    for (; at > 0 && precedes(h, vertex, h->vertex[(at - 1) / 2]); at = (at - 1) / 2)
        h->vertex[at] = h->vertex[(at - 1) / 2];
    h->vertex[at] = vertex;
}

static uint32_t pop(heap *h)
{
    const uint32_t top = h->vertex[0], last = h->vertex[--h->n];
    size_t at = 0;
    for (size_t child = 1; child < h->n; child = 2 * at + 1) {
        if (child + 1 < h->n && precedes(h, h->vertex[child + 1], h->vertex[child])) child++;
        if (!precedes(h, h->vertex[child], last)) break;
        h->vertex[at] = h->vertex[child];
        at = child;
    }
    h->vertex[at] = last;
    return top;
}

static double potential_range(const body *b)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < b->n; v++) {
        if (b->first[v] == b->first[v + 1]) continue;
        low = fmin(low, b->t->potential[v]);
        high = fmax(high, b->t->potential[v]);
    }
    return high > low ? high - low : 1;
}

/* Floods the body from the start in the order of the potential. Sets distance[v] to the length of the path along parents. */
static mt_status flood(mt_arena *scratch, body *b, double *distance)
{
    const mt_mesh *mesh = b->t->mesh;
    const double least = rise * potential_range(b);
    heap h = {.key = b->raised};
    uint8_t *seen;
    MT_ALLOC(scratch, h.vertex, b->n);
    MT_ALLOC(scratch, seen, b->n);
    for (size_t v = 0; v < b->n; v++) {
        if (b->first[v] == b->first[v + 1]) continue;
        distance[v] = INFINITY;
        if (!b->t->start[v]) continue;
        b->raised[v] = b->sign * b->t->potential[v];
        b->parent[v] = (uint32_t)v;
        distance[v] = 0, seen[v] = 1;
        push(&h, (uint32_t)v);
    }
    while (h.n > 0) {
        const uint32_t v = pop(&h);
        b->order[b->n_order++] = v;
        for (size_t i = b->first[v]; i < b->first[v + 1]; i++)
            for (size_t k = 0; k < 4; k++) {
                const uint32_t next = mesh->element_vertex[4 * (size_t)b->element[i] + k];
                if (seen[next]) continue;
                seen[next] = 1;
                b->raised[next] = fmax(b->sign * b->t->potential[next], b->raised[v] + least);
                b->parent[next] = v;
                distance[next] = distance[v] + sqrt(mt_square3(mesh->xyz_mm + 3 * (size_t)v,
                                                   mesh->xyz_mm + 3 * (size_t)next));
                push(&h, next);
            }
    }
    return MT_OK;
}

/* ---- upstream points ---- */

/* Finds the point where the line from local vertex `self` of an element in a direction leaves the opposite face, or the nearest point of
 * that face if it leaves elsewhere. Returns the smallest barycentric coordinate before that, negative if it leaves elsewhere; -INFINITY if
 * the line does not approach the face or the point does not have a smaller potential. */
static double leave(
    const body *b, size_t element, size_t self, const double direction[3], upstream_point *point)
{
    const uint32_t *corner = b->t->mesh->element_vertex + 4 * element;
    double sum = 0, kept = 0, least = INFINITY, potential = 0, beta[4];
    for (size_t f = 0; f < 4; f++) {
        double area[3];
        if (f == self) continue;
        mt_mesh_face_area(b->t->mesh, element, f, area);
        beta[f] = -mt_dot3(area, direction); /* times 3 V: the derivative of the hat function of corner f */
        sum += beta[f];
        kept += fmax(beta[f], 0);
    }
    if (!(sum > 0)) return -INFINITY;
    for (size_t f = 0, n = 0; f < 4; f++) {
        if (f == self) continue;
        least = fmin(least, beta[f] / sum);
        point->vertex[n] = corner[f];
        point->weight[n] = fmax(beta[f], 0) / kept;
        if (point->weight[n] > 0) potential += point->weight[n] * b->raised[corner[f]];
        n++;
    }
    return potential < b->raised[corner[self]] ? least : -INFINITY;
}

/* Interpolates vectors of vertices at an upstream point. */
static void vector_at(const upstream_point *point, const double *values, double at[3])
{
    for (size_t k = 0; k < 3; k++) {
        at[k] = 0;
        for (size_t i = 0; i < 3; i++) at[k] += point->weight[i] * values[3 * (size_t)point->vertex[i] + k];
    }
}

/* Finds the best upstream point of a vertex in a direction; returns false if there is none. */
static bool find_point(const body *b, uint32_t v, const double direction[3], upstream_point *best)
{
    double quality = -INFINITY;
    if (mt_dot3(direction, direction) == 0) return false;
    for (size_t i = b->first[v]; i < b->first[v + 1]; i++) {
        upstream_point point;
        double at[3];
        size_t self = 0;
        const size_t element = b->element[i];
        while (b->t->mesh->element_vertex[4 * element + self] != v) self++;
        const double q = leave(b, element, self, direction, &point);
        if (!(q > quality)) continue;
        vector_at(&point, b->t->mesh->xyz_mm, at);
        mt_minus3(at, b->t->mesh->xyz_mm + 3 * (size_t)v, at);
        point.step_mm = mt_dot3(at, direction);
        if (!(point.step_mm > 0)) continue;
        quality = q, *best = point;
    }
    return quality > -INFINITY;
}

/* Uses the edge to the parent. */
static void follow_parent(const body *b, uint32_t v, upstream_point *from)
{
    const uint32_t to = b->parent[v];
    const double *xyz = b->t->mesh->xyz_mm, *direction = b->direction + 3 * (size_t)v;
    double edge[3];
    mt_minus3(xyz + 3 * (size_t)to, xyz + 3 * (size_t)v, edge);
    const double along = mt_dot3(edge, direction);
    *from = (upstream_point){{to, to, to}, {1, 0, 0}, along > 0 ? along : 0};
    if (mt_dot3(direction, direction) == 0) from->step_mm = mt_length3(edge);
}

static void find_upstream(const body *b, uint32_t v, upstream_point *from)
{
    double there[3], mean[3];
    const double *here = b->direction + 3 * (size_t)v;
    if (!find_point(b, v, here, from)) {
        follow_parent(b, v, from);
        return;
    }
    vector_at(from, b->direction, there);
    const double length = mt_length3(there);
    if (!(length > 0) || mt_dot3(there, here) <= 0) return;
    for (size_t k = 0; k < 3; k++) mean[k] = here[k] + there[k] / length;
    const double both = mt_length3(mean);
    for (size_t k = 0; k < 3; k++) mean[k] /= both;
    upstream_point better;
    if (find_point(b, v, mean, &better)) *from = better;
}

/* ---- distances ---- */

static double square_from_segment(const double *x, const double *a, const double *b)
{
    double along[3], from[3], nearest[3];
    mt_minus3(b, a, along);
    mt_minus3(x, a, from);
    const double length = mt_dot3(along, along), at = length > 0 ? mt_dot3(from, along) / length : 0;
    const double share = fmin(fmax(at, 0), 1);
    for (int k = 0; k < 3; k++) nearest[k] = a[k] + share * along[k];
    return mt_square3(x, nearest);
}

/* Lists the edges of active elements within the start, possibly repeatedly, and each of its vertices as an edge of length 0. */
static mt_status list_start(mt_arena *scratch, const body *b, size_t *n, uint32_t **end)
{
    const mt_mesh *mesh = b->t->mesh;
    for (int put = 0; put < 2; put++) {
        *n = 0;
        for (size_t i = 0; i < b->n_order; i++) {
            const uint32_t v = b->order[i];
            if (!b->t->start[v]) continue;
            if (put) (*end)[2 * *n] = (*end)[2 * *n + 1] = v;
            ++*n;
            for (size_t j = b->first[v]; j < b->first[v + 1]; j++)
                for (size_t k = 0; k < 4; k++) {
                    const uint32_t next = mesh->element_vertex[4 * (size_t)b->element[j] + k];
                    if (next <= v || !b->t->start[next]) continue;
                    if (put) (*end)[2 * *n] = v, (*end)[2 * *n + 1] = next;
                    ++*n;
                }
        }
        if (!put) MT_ALLOC(scratch, *end, 2 * *n);
    }
    return MT_OK;
}

/* Marks the vertices of one more ring, with 1 + the number of the ring, counted from 1. */
static void grow_ring(const body *b, uint8_t ring, uint8_t *of)
{
    const mt_mesh *mesh = b->t->mesh;
    for (size_t i = 0; i < b->n_order; i++) {
        const uint32_t v = b->order[i];
        if (of[v] != ring) continue;
        for (size_t j = b->first[v]; j < b->first[v + 1]; j++)
            for (size_t k = 0; k < 4; k++) {
                uint8_t *next = of + mesh->element_vertex[4 * (size_t)b->element[j] + k];
                if (!*next) *next = (uint8_t)(ring + 1);
            }
    }
}

/* Fixes the distances at the start and in the rings around it. */
static mt_status fix_start(mt_arena *scratch, body *b, double *distance)
{
    const double *xyz = b->t->mesh->xyz_mm;
    uint32_t *end = NULL;
    size_t n;
    for (size_t v = 0; v < b->n; v++) b->fixed[v] = b->t->start[v] != 0;
    if (b->t->straight_rings == 0) return MT_OK;
    for (unsigned r = 1; r <= b->t->straight_rings; r++) grow_ring(b, (uint8_t)r, b->fixed);
    MT_TRY(list_start(scratch, b, &n, &end));
    for (size_t i = 0; i < b->n_order; i++) {
        const uint32_t v = b->order[i];
        double square = INFINITY;
        if (b->fixed[v] < 2) continue;
        for (size_t k = 0; k < n; k++)
            square = fmin(square, square_from_segment(xyz + 3 * (size_t)v, xyz + 3 * (size_t)end[2 * k],
                                      xyz + 3 * (size_t)end[2 * k + 1]));
        distance[v] = sqrt(square);
    }
    return MT_OK;
}

/* Solves by Gauss-Seidel sweeps in the order of the potential, in which most upstream points come first. */
static mt_status sweep(const body *b, double *distance)
{
    double largest = 0, change = INFINITY;
    for (size_t i = 0; i < b->n_order; i++) largest = fmax(largest, distance[b->order[i]]);
    for (size_t n = 0; change > settled * largest; n++) {
        if (n == MAX_SWEEPS)
            return mt_fail(MT_NUMERICS,
                "distances along trajectories: the last of %d sweeps changed one by %.3g mm; allowed: at "
                "most "
                "%.3g mm",
                MAX_SWEEPS, change, settled * largest);
        change = 0;
        for (size_t i = 0; i < b->n_order; i++) {
            const uint32_t v = b->order[i];
            const upstream_point *from = b->from + v;
            if (b->fixed[v]) continue;
            double d = from->step_mm;
            for (size_t k = 0; k < 3; k++)
                if (from->weight[k] > 0) d += from->weight[k] * distance[from->vertex[k]];
            change = fmax(change, fabs(d - distance[v]));
            distance[v] = d;
        }
    }
    return MT_OK;
}

mt_status mt_trajectory_distance(const mt_trajectories *trajectories, double *distance_mm)
{
    MT_SCRATCH(scratch);
    body b = {
        .t = trajectories, .n = trajectories->mesh->n_vertices, .sign = trajectories->upstream ? -1 : 1};
    MT_ALLOC(scratch, b.raised, b.n);
    MT_ALLOC(scratch, b.parent, b.n);
    MT_ALLOC(scratch, b.order, b.n);
    MT_ALLOC(scratch, b.fixed, b.n);
    MT_ALLOC(scratch, b.direction, 3 * b.n);
    MT_ALLOC(scratch, b.from, b.n);
    MT_TRY(list_elements(scratch, &b));
    average_directions(&b);
    MT_TRY(flood(scratch, &b, distance_mm));
    MT_TRY(fix_start(scratch, &b, distance_mm));
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < b.n_order; i++)
        if (!b.fixed[b.order[i]]) find_upstream(&b, b.order[i], b.from + b.order[i]);
    return sweep(&b, distance_mm);
}
