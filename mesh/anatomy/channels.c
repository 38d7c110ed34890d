#include "mesh/anatomy/channels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/disjoint.h"
#include "data/core/flood.h"
#include "data/core/order.h"
#include "data/core/vec3.h"
#include "mesh/anatomy/nearest.h"

#define NONE UINT32_MAX

/* The radius of a ball of wide tissue is at least RADIUS elements. An element is in a ball if its centroid is not farther outside than SLACK
 * elements, as borders are rough and the centres are a few points only. */
static const double RADIUS = MT_CHANNEL_ELEMENTS / 2.0, SLACK = 0.25;

/* The narrowest part of a channel has a clearance within this of the smallest one [elements]. */
static const double EQUALLY_NARROW = 0.25;

/* Smaller pieces of wide tissue are narrow: in a channel that is hardly wide enough some balls fit by chance. */
enum { PIECE_MIN = MT_CHANNEL_ELEMENTS * MT_CHANNEL_ELEMENTS * MT_CHANNEL_ELEMENTS };

typedef enum kind { NON_CONDUCTING, NARROW, OPENED, CORE } kind;

typedef struct finding {
    const mt_mesh *mesh;
    const uint8_t *conducting;
    mt_adjacency adjacency;
    mt_mesh interface;
    mt_nearest nearest;
    double *star_mm3;     /* [n_vertices] mean volume of the elements around a vertex */
    double *length_mm;    /* [n_elements] local element size */
    double *distance_mm;  /* [n_vertices] from the interface */
    double *clearance_mm; /* [n_elements] of conducting elements; infinite far from the interface */
    uint8_t *kind;        /* [n_elements] */
} finding;

/* ---- element sizes ---- */

static mt_status find_lengths(mt_arena *scratch, finding *f)
{
    const mt_mesh *mesh = f->mesh;
    uint32_t *n;
    MT_ALLOC(scratch, f->length_mm, mesh->n_elements);
    MT_ALLOC(scratch, f->star_mm3, mesh->n_vertices);
    MT_ALLOC(scratch, n, mesh->n_vertices);
    for (size_t i = 0; i < 4 * mesh->n_elements; i++) {
        f->star_mm3[mesh->element_vertex[i]] += mt_mesh_volume_mm3(mesh, i / 4);
        n[mesh->element_vertex[i]]++;
    }
    for (size_t v = 0; v < mesh->n_vertices; v++)
        if (n[v] > 0) f->star_mm3[v] /= n[v];
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const uint32_t *v = mesh->element_vertex + 4 * c;
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += f->star_mm3[v[k]];
        f->length_mm[c] = cbrt(sum / 4);
    }
    return MT_OK;
}

/* ---- the interface, and distances from it ---- */

static double distance_of(const finding *f, const double point_mm[3])
{
    double distance_mm;
    (void)mt_nearest_find(&f->nearest, point_mm, NULL, &distance_mm);
    return distance_mm;
}

/* Finds the distances of the vertices of conducting elements; infinite if they are clearly in the core. */
static mt_status find_distances(mt_arena *scratch, finding *f)
{
    enum { FAR = 3 }; /* radii of a ball */
    const mt_mesh *mesh = f->mesh;
    uint8_t *wanted;
    MT_ALLOC(scratch, wanted, mesh->n_vertices);
    MT_ALLOC(scratch, f->distance_mm, mesh->n_vertices);
    for (size_t i = 0; i < 4 * mesh->n_elements; i++)
        if (f->conducting[i / 4]) wanted[mesh->element_vertex[i]] = 1;
    for (size_t i = 0; i < 3 * f->interface.n_faces; i++) wanted[f->interface.face_vertex[i]] = 0;
#pragma omp parallel for schedule(dynamic, 256)
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        const double *x = mesh->xyz_mm + 3 * v;
        if (!wanted[v]) continue;
        f->distance_mm[v] = INFINITY;
        if (mt_nearest_within(&f->nearest, x, FAR * RADIUS * cbrt(f->star_mm3[v])))
            f->distance_mm[v] = distance_of(f, x);
    }
    return MT_OK;
}

/* A point of an element and its distance from the interface. */
typedef struct clearance {
    double point_mm[3], distance_mm;
} clearance;

/* Replaces the point if another one is farther from the interface. `bound_mm`: an upper bound of its distance. */
static void extend(const finding *f, const double point_mm[3], double bound_mm, clearance *best)
{
    if (bound_mm <= best->distance_mm) return;
    const double distance_mm = distance_of(f, point_mm);
    if (!(distance_mm > best->distance_mm)) return;
    best->distance_mm = distance_mm;
    memcpy(best->point_mm, point_mm, sizeof best->point_mm);
}

static void extend_to_centroid(const finding *f, size_t element, clearance *best)
{
    const uint32_t *v = f->mesh->element_vertex + 4 * element;
    double x[3], bound_mm = INFINITY;
    mt_mesh_centroid(f->mesh, element, x);
    for (int k = 0; k < 4; k++)
        bound_mm =
            fmin(bound_mm, f->distance_mm[v[k]] + sqrt(mt_square3(x, f->mesh->xyz_mm + 3 * (size_t)v[k])));
    extend(f, x, bound_mm, best);
}

static void extend_to_midpoint(const finding *f, uint32_t from, uint32_t to, clearance *best)
{
    const double *a = f->mesh->xyz_mm + 3 * (size_t)from, *b = f->mesh->xyz_mm + 3 * (size_t)to,
                 x[3] = {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
    extend(f, x, fmin(f->distance_mm[from], f->distance_mm[to]) + sqrt(mt_square3(a, b)) / 2, best);
}

/* Returns the point of an element that is farthest from the interface, or a vertex that is as far as a core element needs. */
static clearance find_clearance(const finding *f, size_t element)
{
    const uint32_t *v = f->mesh->element_vertex + 4 * element;
    clearance best = {.distance_mm = -1};
    for (int k = 0; k < 4; k++) {
        if (!(f->distance_mm[v[k]] > best.distance_mm)) continue;
        best.distance_mm = f->distance_mm[v[k]];
        memcpy(best.point_mm, f->mesh->xyz_mm + 3 * (size_t)v[k], sizeof best.point_mm);
    }
    if (best.distance_mm >= RADIUS * f->length_mm[element]) return best;
    extend_to_centroid(f, element, &best);
    for (int a = 0; a < 3; a++)
        for (int b = a + 1; b < 4; b++) extend_to_midpoint(f, v[a], v[b], &best);
    return best;
}

/* ---- wide tissue ---- */

/* Sets the kind of all elements to non-conducting, core or, for now, narrow. */
static mt_status find_core(mt_arena *scratch, finding *f)
{
    MT_ALLOC(scratch, f->clearance_mm, f->mesh->n_elements);
    MT_ALLOC(scratch, f->kind, f->mesh->n_elements);
#pragma omp parallel for schedule(dynamic, 1024)
    for (size_t c = 0; c < f->mesh->n_elements; c++) {
        if (!f->conducting[c]) continue;
        f->clearance_mm[c] = find_clearance(f, c).distance_mm;
        f->kind[c] = f->clearance_mm[c] < RADIUS * f->length_mm[c] ? NARROW : CORE;
    }
    return MT_OK;
}

static bool has_neighbour(const finding *f, size_t element, kind wanted)
{
    for (size_t i = 4 * element; i < 4 * element + 4; i++)
        if (f->adjacency.neighbour[i] != MT_NO_ELEMENT && f->kind[f->adjacency.neighbour[i]] == wanted)
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
static void open_ball(finding *f, uint32_t element, search *s)
{
    const clearance centre = find_clearance(f, element);
    const double free_mm = isinf(centre.distance_mm) ? distance_of(f, centre.point_mm) : centre.distance_mm,
                 radius_mm = free_mm + SLACK * f->length_mm[element];
    s->n = 0, s->number++;
    reach(s, element);
    for (size_t k = 0; k < s->n; k++)
        for (size_t i = 4 * (size_t)s->queue[k]; i < 4 * (size_t)s->queue[k] + 4; i++) {
            const uint32_t next = f->adjacency.neighbour[i];
            double x[3];
            if (next == MT_NO_ELEMENT || (f->kind[next] != NARROW && f->kind[next] != OPENED)) continue;
            mt_mesh_centroid(f->mesh, next, x);
            if (mt_square3(x, centre.point_mm) > radius_mm * radius_mm) continue;
            f->kind[next] = OPENED;
            reach(s, next);
        }
}

static mt_status open_elements(finding *f)
{
    MT_SCRATCH(scratch);
    search s = {0};
    MT_ALLOC(scratch, s.queue, f->mesh->n_elements);
    MT_ALLOC(scratch, s.stamp, f->mesh->n_elements);
    for (size_t c = 0; c < f->mesh->n_elements; c++)
        if (f->kind[c] == CORE && (has_neighbour(f, c, NARROW) || has_neighbour(f, c, OPENED)))
            open_ball(f, (uint32_t)c, &s);
    return MT_OK;
}

/* ---- connected elements of one sort ---- */

/* Finds the neighbours of wide (or else narrow) elements that are wide (or else narrow), too; for mt_flood. */
typedef struct look {
    const finding *f;
    bool wide;
    uint32_t neighbour[4];
} look;

static size_t neighbours_of(void *context, uint32_t element, const uint32_t **neighbour)
{
    look *l = context;
    for (size_t side = 0; side < 4; side++) {
        const uint32_t next = l->f->adjacency.neighbour[4 * (size_t)element + side];
        const bool same =
            next != MT_NO_ELEMENT && (l->wide ? l->f->kind[next] >= OPENED : l->f->kind[next] == NARROW);
        l->neighbour[side] = same ? next : MT_FLOOD_NONE;
    }
    *neighbour = l->neighbour;
    return 4;
}

/* Makes small pieces of wide tissue narrow. */
static mt_status remove_small_pieces(finding *f)
{
    MT_SCRATCH(scratch);
    look wide = {.f = f, .wide = true};
    uint32_t *seen, *piece;
    MT_ALLOC(scratch, seen, f->mesh->n_elements);
    MT_ALLOC(scratch, piece, f->mesh->n_elements);
    for (size_t c = 0; c < f->mesh->n_elements; c++) {
        if (f->kind[c] < OPENED || seen[c]) continue;
        const size_t n = mt_flood((uint32_t)c, 1, neighbours_of, &wide, seen, piece);
        for (size_t k = 0; k < n && n < PIECE_MIN; k++) f->kind[piece[k]] = NARROW;
    }
    return MT_OK;
}

/* ---- components of narrow elements ---- */

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
    const size_t n = mt_flood(first, 0, neighbours_of, &narrow, all->place, element);
    for (uint32_t k = 0; k < n; k++) all->place[element[k]] = k;
    all->start[all->n + 1] = all->start[all->n] + (uint32_t)n;
    all->n++;
    if (n > all->largest) all->largest = n;
}

static mt_status find_components(mt_arena *scratch, const finding *f, components *all)
{
    size_t n = 0;
    *all = (components){0};
    for (size_t c = 0; c < f->mesh->n_elements; c++) n += f->kind[c] == NARROW;
    MT_ALLOC(scratch, all->start, n + 1);
    MT_ALLOC(scratch, all->element, n);
    MT_ALLOC(scratch, all->place, f->mesh->n_elements);
    memset(all->place, 0xff, f->mesh->n_elements * sizeof *all->place);
    for (size_t c = 0; c < f->mesh->n_elements; c++)
        if (f->kind[c] == NARROW && all->place[c] == NONE) add_component(f, (uint32_t)c, all);
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
            if (other != MT_NO_ELEMENT && a->f->kind[other] >= OPENED)
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
    b->length_mm = a->f->length_mm[b->ranked[k].element];
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
    if (b->clearance_mm >= RADIUS * b->length_mm) return;
    mt_channel *channel = &channels->channel[channels->n++];
    channel->n_elements = a->n;
    channel->width_mm = 2 * b->clearance_mm;
    channel->length_mm = b->length_mm;
    channel->middle = middle_of(a, b, find_path(a, b));
    mt_mesh_centroid(a->f->mesh, channel->middle, channel->middle_mm);
    for (size_t k = 0; k < a->n; k++) channels->of[a->element[k]] = (uint32_t)channels->n;
}

static mt_status find_channels(mt_arena *arena, const finding *f, mt_channels *channels)
{
    MT_SCRATCH(scratch);
    components all;
    component a = {.f = f};
    bottleneck b = {0};
    MT_TRY(find_components(scratch, f, &all));
    MT_TRY(make_arrays(scratch, &all, &a, &b));
    MT_ALLOC(arena, channels->channel, all.n);
    a.place = all.place;
    for (size_t k = 0; k < all.n; k++) {
        a.element = all.element + all.start[k];
        a.n = all.start[k + 1] - all.start[k];
        if (has_two_mouths(&a)) add_channel(&a, &b, channels);
    }
    return MT_OK;
}

mt_status mt_channels_find(
    mt_arena *arena, const mt_mesh *mesh, const uint8_t *conducting, mt_channels *channels)
{
    MT_SCRATCH(scratch);
    finding f = {.mesh = mesh, .conducting = conducting};
    *channels = (mt_channels){0};
    MT_ALLOC(arena, channels->of, mesh->n_elements);
    if (!conducting) return MT_OK;
    MT_TRY(mt_adjacency_make(scratch, mesh, &f.adjacency));
    f.interface = *mesh;
    MT_TRY(mt_border_make(scratch, &f.adjacency, conducting, &f.interface));
    if (f.interface.n_faces == 0) return MT_OK;
    MT_TRY(mt_nearest_make(scratch, &f.interface, 0, &f.nearest));
    MT_TRY(find_lengths(scratch, &f));
    MT_TRY(find_distances(scratch, &f));
    MT_TRY(find_core(scratch, &f));
    MT_TRY(open_elements(&f));
    MT_TRY(remove_small_pieces(&f));
    return find_channels(arena, &f, channels);
}
