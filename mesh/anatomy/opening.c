#include "mesh/anatomy/opening.h"

#include <math.h>

#include "data/core/flood.h"
#include "data/core/vec3.h"

/* An element is in a ball if its centroid is not farther outside than SLACK elements, as borders are rough and the centres are a few points
 * only. */
static const double SLACK = 0.25;

/* While the opening is made: wide elements in a ball, and those with the centre of one. */
enum { OPENED = MT_WIDE, CORE };

typedef struct opening {
    const mt_mesh *mesh;
    const mt_adjacency *adjacency;
    mt_clearance *clearance;
    uint8_t *kind; /* [n_elements] */
} opening;

/* ---- the core ---- */

/* Lists the elements that may be in the core; sets the kind of the others. */
static size_t list_candidates(const opening *o, const uint8_t *conducting, uint32_t *candidate)
{
    size_t n = 0;
#pragma omp parallel for schedule(dynamic, 1024)
    for (size_t c = 0; c < o->mesh->n_elements; c++)
        if (conducting[c]) o->kind[c] = mt_clearance_narrow(o->clearance, c) ? MT_NARROW : CORE;
    for (size_t c = 0; c < o->mesh->n_elements; c++)
        if (o->kind[c] == CORE) candidate[n++] = (uint32_t)c;
    return n;
}

/* Sets the kind of all elements to non-conducting, core or, for now, narrow. */
static mt_status find_core(opening *o, const uint8_t *conducting)
{
    MT_SCRATCH(scratch);
    uint32_t *candidate;
    MT_ALLOC(scratch, candidate, o->mesh->n_elements);
    const size_t n = list_candidates(o, conducting, candidate);
    const mt_clearance *clearance = o->clearance;
    MT_TRY(mt_clearance_measure(o->clearance, n, candidate));
#pragma omp parallel for schedule(dynamic, 1024)
    for (size_t k = 0; k < n; k++) {
        const uint32_t c = candidate[k];
        if (mt_clearance_find(clearance, c).distance_mm < clearance->wide * clearance->length_mm[c])
            o->kind[c] = MT_NARROW;
    }
    return MT_OK;
}

/* ---- balls ---- */

static bool has_neighbour(const opening *o, size_t element, uint8_t wanted)
{
    for (size_t i = 4 * element; i < 4 * element + 4; i++)
        if (o->adjacency->neighbour[i] != MT_NO_ELEMENT && o->kind[o->adjacency->neighbour[i]] == wanted)
            return true;
    return false;
}

/* Elements in the order of a breadth-first search. stamp[c]: the last search that found c. */
typedef struct search {
    uint32_t *queue, *stamp, number;
    size_t n;
} search;

static void reach(search *s, uint32_t element)
{
    if (s->stamp[element] == s->number) return;
    s->stamp[element] = s->number;
    s->queue[s->n++] = element;
}

/* Marks the elements outside the core that are in the largest ball around a point of a core element, and connected with it there. */
static void open_ball(opening *o, uint32_t element, search *s)
{
    const mt_clear_point centre = mt_clearance_find(o->clearance, element);
    const double free_mm = isinf(centre.distance_mm) ? mt_clearance_at(o->clearance, centre.point_mm)
                                                     : centre.distance_mm,
                 radius_mm = free_mm + SLACK * o->clearance->length_mm[element];
    s->n = 0, s->number++;
    reach(s, element);
    for (size_t k = 0; k < s->n; k++)
        for (size_t i = 4 * (size_t)s->queue[k]; i < 4 * (size_t)s->queue[k] + 4; i++) {
            const uint32_t next = o->adjacency->neighbour[i];
            double x[3];
            if (next == MT_NO_ELEMENT || (o->kind[next] != MT_NARROW && o->kind[next] != OPENED)) continue;
            mt_mesh_centroid(o->mesh, next, x);
            if (mt_square3(x, centre.point_mm) > radius_mm * radius_mm) continue;
            o->kind[next] = OPENED;
            reach(s, next);
        }
}

static mt_status open_elements(opening *o)
{
    MT_SCRATCH(scratch);
    search s = {0};
    MT_ALLOC(scratch, s.queue, o->mesh->n_elements);
    MT_ALLOC(scratch, s.stamp, o->mesh->n_elements);
    for (size_t c = 0; c < o->mesh->n_elements; c++)
        if (o->kind[c] == CORE && (has_neighbour(o, c, MT_NARROW) || has_neighbour(o, c, OPENED)))
            open_ball(o, (uint32_t)c, &s);
    return MT_OK;
}

/* ---- pieces ---- */

/* Finds the wide neighbours of an element; for mt_flood. */
typedef struct look {
    const opening *o;
    uint32_t neighbour[4];
} look;

static size_t wide_neighbours(void *context, uint32_t element, const uint32_t **neighbour)
{
    look *l = context;
    for (size_t side = 0; side < 4; side++) {
        const uint32_t next = l->o->adjacency->neighbour[4 * (size_t)element + side];
        l->neighbour[side] = next != MT_NO_ELEMENT && l->o->kind[next] >= MT_WIDE ? next : MT_FLOOD_NONE;
    }
    *neighbour = l->neighbour;
    return 4;
}

/* Makes small pieces of wide tissue narrow, and all others wide. */
static mt_status end_pieces(opening *o, size_t piece_min)
{
    MT_SCRATCH(scratch);
    look wide = {.o = o};
    uint32_t *seen, *piece;
    MT_ALLOC(scratch, seen, o->mesh->n_elements);
    MT_ALLOC(scratch, piece, o->mesh->n_elements);
    for (size_t c = 0; c < o->mesh->n_elements; c++) {
        if (o->kind[c] < MT_WIDE || seen[c]) continue;
        const size_t n = mt_flood((uint32_t)c, 1, wide_neighbours, &wide, seen, piece);
        for (size_t k = 0; k < n; k++) o->kind[piece[k]] = n < piece_min ? MT_NARROW : MT_WIDE;
    }
    return MT_OK;
}

mt_status mt_opening_make(mt_arena *arena, const mt_adjacency *adjacency, const uint8_t *conducting,
    mt_clearance *clearance, size_t piece_min, uint8_t **width)
{
    opening o = {.mesh = clearance->mesh, .adjacency = adjacency, .clearance = clearance};
    MT_ALLOC(arena, o.kind, o.mesh->n_elements);
    MT_TRY(find_core(&o, conducting));
    MT_TRY(open_elements(&o));
    MT_TRY(end_pieces(&o, piece_min));
    *width = o.kind;
    return MT_OK;
}
