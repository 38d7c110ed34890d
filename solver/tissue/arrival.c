#include "solver/tissue/arrival.h"

#include <math.h>

#include "data/core/offsets.h"
#include "data/core/vec3.h"

/* Shortest-path search: reached vertices in a heap, with the earliest at [0]. */
typedef struct search {
    const mt_mesh *mesh;
    double along_mm_ms, across_mm_ms;
    size_t *start; /* the elements of vertex v are around[start[v] .. start[v + 1]) */
    uint32_t *around;
    double *at_ms; /* [n_vertices] infinite: not reached */
    size_t n;
    uint32_t *heap;  /* [n] with capacity [n_vertices] */
    uint32_t *place; /* [n_vertices] position in the heap */
} search;

static void put(search *s, size_t place, uint32_t vertex)
{
    s->heap[place] = vertex;
    s->place[vertex] = (uint32_t)place;
}

/* Updates a vertex that was not reached before, or later. */
static void reach(search *s, uint32_t vertex, double at_ms)
{
    size_t k = isinf(s->at_ms[vertex]) ? s->n++ : s->place[vertex];
    s->at_ms[vertex] = at_ms;
    for (size_t up; k > 0 && s->at_ms[s->heap[up = (k - 1) / 2]] > at_ms; k = up) put(s, k, s->heap[up]);
    put(s, k, vertex);
}

static uint32_t take_earliest(search *s)
{
    const uint32_t first = s->heap[0], last = s->heap[--s->n];
    size_t k = 0;
    for (size_t down; (down = 2 * k + 1) < s->n; k = down) {
        if (down + 1 < s->n && s->at_ms[s->heap[down + 1]] < s->at_ms[s->heap[down]]) down++;
        if (s->at_ms[s->heap[down]] >= s->at_ms[last]) break;
        put(s, k, s->heap[down]);
    }
    put(s, k, last);
    return first;
}

static double way_ms(const search *s, size_t element, uint32_t from, uint32_t to)
{
    double way[3];
    mt_minus3(s->mesh->xyz_mm + 3 * (size_t)to, s->mesh->xyz_mm + 3 * (size_t)from, way);
    const double along = s->mesh->fibre ? mt_dot3(way, s->mesh->fibre + 3 * element) : 0,
                 across_squared = fmax(0, mt_dot3(way, way) - along * along);
    return sqrt(along * along / (s->along_mm_ms * s->along_mm_ms) +
                across_squared / (s->across_mm_ms * s->across_mm_ms));
}

static void go_on(search *s, uint32_t from)
{
    for (size_t k = s->start[from]; k < s->start[from + 1]; k++) {
        const uint32_t *v = s->mesh->element_vertex + 4 * (size_t)s->around[k];
        for (int to = 0; to < 4; to++) {
            const double at_ms = s->at_ms[from] + way_ms(s, s->around[k], from, v[to]);
            if (at_ms < s->at_ms[v[to]]) reach(s, v[to], at_ms);
        }
    }
}

static mt_status prepare(mt_arena *scratch, search *s)
{
    const mt_mesh *mesh = s->mesh;
    MT_TRY(mt_offsets_make(
        scratch, mesh->n_elements, 4, mesh->element_vertex, mesh->n_vertices, &s->start, &s->around));
    MT_ALLOC(scratch, s->at_ms, mesh->n_vertices);
    MT_ALLOC(scratch, s->heap, mesh->n_vertices);
    MT_ALLOC(scratch, s->place, mesh->n_vertices);
    for (size_t v = 0; v < mesh->n_vertices; v++) s->at_ms[v] = INFINITY;
    return MT_OK;
}

static mt_status find_latest(
    mt_arena *scratch, search *s, size_t n, const uint32_t *element, double *latest_ms)
{
    MT_TRY(prepare(scratch, s));
    for (size_t k = 0; k < 4 * n; k++) {
        const uint32_t v = s->mesh->element_vertex[4 * (size_t)element[k / 4] + k % 4];
        if (s->at_ms[v] > 0) reach(s, v, 0);
    }
    for (*latest_ms = 0; s->n > 0;) {
        const uint32_t from = take_earliest(s);
        *latest_ms = s->at_ms[from];
        go_on(s, from);
    }
    return MT_OK;
}

mt_status mt_arrival_latest(const mt_mesh *mesh, size_t n, const uint32_t *element, double along_mm_ms,
    double across_mm_ms, double *latest_ms)
{
    MT_SCRATCH(scratch);
    search s = {.mesh = mesh, .along_mm_ms = along_mm_ms, .across_mm_ms = across_mm_ms};
    return find_latest(scratch, &s, n, element, latest_ms);
}
