#include "mesh/anatomy/channels.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/disjoint.h"
#include "data/core/flood.h"
#include "data/core/order.h"
#include "mesh/anatomy/opening.h"

#define NONE UINT32_MAX

/* The clearance of wide tissue [elements]. */
static const double WIDE = MT_CHANNEL_ELEMENTS / 2.0;

/* The narrowest part of a channel has a clearance within this of the smallest one [elements]. */
static const double EQUALLY_NARROW = 0.25;

/* Smaller pieces of wide tissue are narrow: in a channel that is hardly wide enough some balls fit by chance. */
enum { PIECE_MIN = MT_CHANNEL_ELEMENTS * MT_CHANNEL_ELEMENTS * MT_CHANNEL_ELEMENTS };

typedef struct finding {
    const mt_mesh *mesh;
    mt_adjacency adjacency;
    mt_clearance clearance;
    uint8_t *width;       /* [n_elements] */
    double *clearance_mm; /* [n_elements] of narrow elements, once needed */
} finding;

/* ---- components of narrow elements ---- */

/* Finds the narrow neighbours of an element; for mt_flood. */
typedef struct look {
    const finding *f;
    uint32_t neighbour[4];
} look;

static size_t narrow_neighbours(void *context, uint32_t element, const uint32_t **neighbour)
{
    look *l = context;
    for (size_t side = 0; side < 4; side++) {
        const uint32_t next = l->f->adjacency.neighbour[4 * (size_t)element + side];
        l->neighbour[side] = next != MT_NO_ELEMENT && l->f->width[next] == MT_NARROW ? next : MT_FLOOD_NONE;
    }
    *neighbour = l->neighbour;
    return 4;
}

/* The components, in the order of their first elements: element[start[k] .. start[k + 1]). */
typedef struct components {
    size_t n, largest;
    uint32_t *start, *element;
    uint32_t *place; /* [n_elements] of a narrow element: its place in its component; of others: NONE */
} components;

static void add_component(const finding *f, uint32_t first, components *all)
{
    look narrow = {.f = f};
    uint32_t *element = all->element + all->start[all->n];
    const size_t n = mt_flood(first, 0, narrow_neighbours, &narrow, all->place, element);
    for (uint32_t k = 0; k < n; k++) all->place[element[k]] = k;
    all->start[all->n + 1] = all->start[all->n] + (uint32_t)n;
    all->n++;
    if (n > all->largest) all->largest = n;
}

static mt_status find_components(mt_arena *scratch, const finding *f, components *all)
{
    size_t n = 0;
    *all = (components){0};
    for (size_t c = 0; c < f->mesh->n_elements; c++) n += f->width[c] == MT_NARROW;
    MT_ALLOC(scratch, all->start, n + 1);
    MT_ALLOC(scratch, all->element, n);
    MT_ALLOC(scratch, all->place, f->mesh->n_elements);
    memset(all->place, 0xff, f->mesh->n_elements * sizeof *all->place);
    for (size_t c = 0; c < f->mesh->n_elements; c++)
        if (f->width[c] == MT_NARROW && all->place[c] == NONE) add_component(f, (uint32_t)c, all);
    return MT_OK;
}

/* ---- mouths ---- */

/* A component, with arrays for the largest one. */
typedef struct component {
    const finding *f;
    size_t n;
    const uint32_t *element; /* [n] */
    const uint32_t *place;   /* of the components */
    size_t n_faces;          /* to wide tissue */
    uint32_t *face;          /* [n_faces] ascending: 4 place + side */
    uint32_t *faces_from;    /* [n + 1] the faces of an element: faces_from[place] .. faces_from[place + 1] */
    uint32_t *mouth;         /* [n_faces] the face with the same mouth, as disjoint sets */
    size_t n_mouths;
    uint32_t *at_vertex; /* [n_vertices] a face of the component at the vertex, or NONE */
} component;

static void join(component *a, uint32_t x, uint32_t y)
{
    if (mt_disjoint_root(a->mouth, x) == mt_disjoint_root(a->mouth, y)) return;
    (void)mt_disjoint_join(a->mouth, x, y);
    a->n_mouths--;
}

static void list_faces(component *a)
{
    a->n_faces = 0;
    for (size_t k = 0; k < a->n; k++) {
        for (size_t side = 0; side < 4; side++) {
            const uint32_t other = a->f->adjacency.neighbour[4 * (size_t)a->element[k] + side];
            if (other != MT_NO_ELEMENT && a->f->width[other] == MT_WIDE)
                a->face[a->n_faces++] = (uint32_t)(4 * k + side);
        }
        a->faces_from[k + 1] = (uint32_t)a->n_faces;
    }
    a->n_mouths = a->n_faces;
    mt_disjoint_begin(a->mouth, a->n_faces);
}

/* Returns corner k of a face. */
static uint32_t corner_of(const component *a, size_t face, size_t k)
{
    const size_t element = a->element[a->face[face] / 4];
    return a->f->mesh->element_vertex[4 * element + mt_mesh_face[a->face[face] % 4][k]];
}

/* Joins the faces that share a vertex. */
static void join_at_vertices(component *a)
{
    for (uint32_t i = 0; i < a->n_faces; i++)
        for (size_t k = 0; k < 3; k++) {
            uint32_t *at = &a->at_vertex[corner_of(a, i, k)];
            if (*at == NONE)
                *at = i;
            else
                join(a, *at, i);
        }
    for (uint32_t i = 0; i < a->n_faces; i++)
        for (size_t k = 0; k < 3; k++) a->at_vertex[corner_of(a, i, k)] = NONE;
}

/* ---- the narrowest place ---- */

typedef struct ranked {
    double clearance_mm;
    uint32_t element, place;
} ranked;

MT_ORDER_DOWN(by_clearance, ranked, clearance_mm, element)

typedef struct step {
    uint32_t to, from; /* places; equal at the beginning of a path */
} step;

/* The widest path between two mouths, with arrays for the largest component. */
typedef struct bottleneck {
    ranked *ranked;
    uint32_t *set;          /* [n] by place: disjoint sets of the elements added so far */
    uint32_t *mouth;        /* [n] by place, at the root of a set: one of its mouths, or NONE */
    uint8_t *done;          /* [n] by place: added to the sets; or reached by a path */
    uint32_t *before;       /* [n] by place: the previous element of the path; itself at the beginning */
    step *now, *later;      /* [5 n] steps to take in this round and in the next */
    uint32_t first, second; /* the mouths */
    double clearance_mm;    /* the smallest one of the path */
    double length_mm;       /* local element size there */
} bottleneck;

static double clearance_at(const component *a, uint32_t place)
{
    return a->f->clearance_mm[a->element[place]];
}

/* Returns the neighbour of an element in its component, or NONE. */
static uint32_t neighbour_at(const component *a, uint32_t place, size_t side)
{
    const uint32_t next = a->f->adjacency.neighbour[4 * (size_t)a->element[place] + side];
    return next == MT_NO_ELEMENT ? NONE : a->place[next];
}

/* True if an element borders on a mouth. */
static bool touches(const component *a, uint32_t place, uint32_t mouth)
{
    for (uint32_t i = a->faces_from[place]; i < a->faces_from[place + 1]; i++)
        if (mt_disjoint_root(a->mouth, i) == mouth) return true;
    return false;
}

/* Adds a mouth to a set. Returns true if the set then connects two. */
static bool add_mouth(bottleneck *b, uint32_t root, uint32_t mouth)
{
    if (mouth == NONE || b->mouth[root] == mouth) return false;
    if (b->mouth[root] == NONE) {
        b->mouth[root] = mouth;
        return false;
    }
    b->first = b->mouth[root], b->second = mouth;
    return true;
}

/* Adds an element to the sets. Returns true if its set then connects two mouths. */
static bool add_element(const component *a, bottleneck *b, uint32_t place)
{
    b->done[place] = 1;
    for (uint32_t i = a->faces_from[place]; i < a->faces_from[place + 1]; i++)
        if (add_mouth(b, place, mt_disjoint_root(a->mouth, i))) return true;
    for (size_t side = 0; side < 4; side++) {
        const uint32_t next = neighbour_at(a, place, side);
        if (next == NONE || !b->done[next]) continue;
        const uint32_t x = mt_disjoint_root(b->set, place), y = mt_disjoint_root(b->set, next);
        if (x == y) continue;
        const uint32_t mouth[2] = {b->mouth[x], b->mouth[y]}, root = mt_disjoint_join(b->set, x, y);
        b->mouth[root] = mouth[0];
        if (add_mouth(b, root, mouth[1])) return true;
    }
    return false;
}

/* Finds the clearance of the elements. */
static mt_status measure(finding *f, const component *a)
{
    MT_TRY(mt_clearance_measure(&f->clearance, a->n, a->element));
#pragma omp parallel for schedule(dynamic, 256)
    for (size_t k = 0; k < a->n; k++)
        f->clearance_mm[a->element[k]] = mt_clearance_find(&f->clearance, a->element[k]).distance_mm;
    return MT_OK;
}

/* Adds the elements in descending order of clearance until two mouths are connected. */
static void find_bottleneck(const component *a, bottleneck *b)
{
    size_t k = 0;
    for (uint32_t p = 0; p < a->n; p++)
        b->ranked[p] = (ranked){clearance_at(a, p), a->element[p], p}, b->mouth[p] = NONE;
    qsort(b->ranked, a->n, sizeof *b->ranked, by_clearance);
    mt_disjoint_begin(b->set, a->n);
    memset(b->done, 0, a->n);
    while (!add_element(a, b, b->ranked[k].place)) k++;
    b->clearance_mm = b->ranked[k].clearance_mm;
    b->length_mm = a->f->clearance.length_mm[b->ranked[k].element];
}

/* True if an element is about as narrow as the narrowest of the path. */
static bool is_narrowest(const component *a, const bottleneck *b, uint32_t place)
{
    return clearance_at(a, place) <= b->clearance_mm + EQUALLY_NARROW * b->length_mm;
}

/* Returns the end of a path from the first mouth to the second that has the largest possible width and, of these, the smallest number of
 * elements that are about as narrow as the narrowest. */
static uint32_t find_path(const component *a, bottleneck *b)
{
    size_t n_now = 0, n_later = 0;
    memset(b->done, 0, a->n);
    for (uint32_t p = 0; p < a->n; p++)
        if (clearance_at(a, p) >= b->clearance_mm && touches(a, p, b->first)) b->now[n_now++] = (step){p, p};
    for (;; n_now = n_later, n_later = 0) {
        for (size_t k = 0; k < n_now; k++) {
            const step s = b->now[k];
            if (b->done[s.to]) continue;
            b->done[s.to] = 1;
            b->before[s.to] = s.from;
            if (touches(a, s.to, b->second)) return s.to;
            for (size_t side = 0; side < 4; side++) {
                const uint32_t next = neighbour_at(a, s.to, side);
                if (next == NONE || b->done[next] || clearance_at(a, next) < b->clearance_mm) continue;
                if (is_narrowest(a, b, next))
                    b->later[n_later++] = (step){next, s.to};
                else
                    b->now[n_now++] = (step){next, s.to};
            }
        }
        step *const taken = b->now;
        b->now = b->later, b->later = taken;
    }
}

/* Returns the element in the middle of the narrowest elements of the path that ends at `end`. */
static uint32_t middle_of(const component *a, const bottleneck *b, uint32_t end)
{
    size_t n = is_narrowest(a, b, end), n_before = 0;
    uint32_t p = end;
    for (; b->before[p] != p; p = b->before[p]) n += is_narrowest(a, b, b->before[p]);
    for (p = end;; p = b->before[p]) {
        n_before += is_narrowest(a, b, p);
        if (n_before > (n - 1) / 2) return a->element[p];
    }
}

/* ---- channels ---- */

static mt_status make_arrays(mt_arena *scratch, const components *all, component *a, bottleneck *b)
{
    const size_t n = all->largest, n_vertices = a->f->mesh->n_vertices;
    MT_ALLOC(scratch, a->face, 4 * n);
    MT_ALLOC(scratch, a->faces_from, n + 1);
    MT_ALLOC(scratch, a->mouth, 4 * n);
    MT_ALLOC(scratch, a->at_vertex, n_vertices);
    MT_ALLOC(scratch, b->ranked, n);
    MT_ALLOC(scratch, b->set, n);
    MT_ALLOC(scratch, b->mouth, n);
    MT_ALLOC(scratch, b->done, n);
    MT_ALLOC(scratch, b->before, n);
    MT_ALLOC(scratch, b->now, 5 * n);
    MT_ALLOC(scratch, b->later, 5 * n);
    memset(a->at_vertex, 0xff, n_vertices * sizeof *a->at_vertex);
    return MT_OK;
}

static bool has_two_mouths(component *a)
{
    list_faces(a);
    join_at_vertices(a);
    return a->n_mouths > 1;
}

static void add_channel(const component *a, bottleneck *b, mt_channels *channels)
{
    find_bottleneck(a, b);
    if (b->clearance_mm >= WIDE * b->length_mm) return;
    mt_channel *channel = &channels->channel[channels->n++];
    channel->n_elements = a->n;
    channel->width_mm = 2 * b->clearance_mm;
    channel->length_mm = b->length_mm;
    channel->middle = middle_of(a, b, find_path(a, b));
    mt_mesh_centroid(a->f->mesh, channel->middle, channel->middle_mm);
    for (size_t k = 0; k < a->n; k++) channels->of[a->element[k]] = (uint32_t)channels->n;
}

static mt_status find_channels(mt_arena *arena, finding *f, mt_channels *channels)
{
    MT_SCRATCH(scratch);
    components all;
    component a = {.f = f};
    bottleneck b = {0};
    MT_TRY(find_components(scratch, f, &all));
    MT_TRY(make_arrays(scratch, &all, &a, &b));
    MT_ALLOC(arena, channels->channel, all.n);
    MT_ALLOC(scratch, f->clearance_mm, f->mesh->n_elements);
    a.place = all.place;
    for (size_t k = 0; k < all.n; k++) {
        a.element = all.element + all.start[k];
        a.n = all.start[k + 1] - all.start[k];
        if (!has_two_mouths(&a)) continue;
        MT_TRY(measure(f, &a));
        add_channel(&a, &b, channels);
    }
    return MT_OK;
}

mt_status mt_channels_find(
    mt_arena *arena, const mt_mesh *mesh, const uint8_t *conducting, mt_channels *channels)
{
    MT_SCRATCH(scratch);
    finding f = {.mesh = mesh};
    *channels = (mt_channels){0};
    MT_ALLOC(arena, channels->of, mesh->n_elements);
    if (!conducting) return MT_OK;
    MT_TRY(mt_adjacency_make(scratch, mesh, &f.adjacency));
    MT_TRY(mt_clearance_make(scratch, mesh, &f.adjacency, conducting, WIDE, &f.clearance));
    if (f.clearance.interface.n_faces == 0) return MT_OK;
    MT_TRY(mt_opening_make(scratch, &f.adjacency, conducting, &f.clearance, PIECE_MIN, &f.width));
    return find_channels(arena, &f, channels);
}
