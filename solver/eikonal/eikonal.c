#include "solver/eikonal/eikonal.h"

#include <math.h>

#include "data/core/offsets.h"
#include "data/core/progress.h"
#include "data/core/vec3.h"
#include "solver/eikonal/local_solve.h"

_Static_assert(sizeof(mt_eikonal_element) == 64, "an element fills a cache line");

const mt_eikonal_view mt_eikonal_views[4] = {{{0, 1, 2, 3, 4, 5}, {1, 2, 3}}, {{0, 3, 4, 1, 2, 5}, {0, 2, 3}},
    {{1, 3, 5, 0, 2, 4}, {0, 1, 3}}, {{2, 4, 5, 0, 1, 3}, {0, 1, 2}}};

/* Items of a loop below which one thread is faster. */
enum { PARALLEL_FROM = 512, CHUNK = 64 };

/* The width of the band, in mean times along the shortest edge of an element. */
#define BAND 4.0

/* ---- the equations ---- */

/* Inverts a symmetric tensor. Returns false if it is not finite or not positive definite. */
static bool invert(double c[3][3], double m[3][3])
{
    for (size_t i = 0; i < 3; i++) {
        double row[3];
        mt_cross3(c[(i + 1) % 3], c[(i + 2) % 3], row);
        for (size_t k = 0; k < 3; k++) m[i][k] = row[k];
    }
    const double det = mt_dot3(c[0], m[0]);
    if (!(c[0][0] > 0 && m[2][2] > 0 && det > 0 && isfinite(det))) return false;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) m[i][k] /= det;
    return true;
}

/* Fills in the lengths of an element. Returns false if its tensor is invalid. */
static bool measure(const mt_mesh *mesh, size_t element, double squared[3][3], mt_eikonal_element *measured)
{
    double metric[3][3];
    const uint32_t *vertex = &mesh->element_vertex[4 * element];
    if (!invert(squared, metric)) return false;
    for (size_t e = 0; e < 6; e++) {
        double d[3];
        mt_minus3(&mesh->xyz_mm[3 * (size_t)vertex[mt_mesh_edge[e][0]]],
            &mesh->xyz_mm[3 * (size_t)vertex[mt_mesh_edge[e][1]]], d);
        measured->square[e] =
            d[0] * mt_dot3(metric[0], d) + d[1] * mt_dot3(metric[1], d) + d[2] * mt_dot3(metric[2], d);
        if (!(measured->square[e] > 0 && isfinite(measured->square[e]))) return false;
    }
    return true;
}

/* Measures the conducting elements. */
static mt_status make_elements(mt_arena *arena, const mt_eikonal_problem *p, mt_eikonal *eikonal)
{
    const mt_mesh *mesh = p->mesh;
    size_t invalid = SIZE_MAX, n = 0;
    MT_ALLOC(arena, eikonal->element, mesh->n_elements);
#pragma omp parallel for schedule(static) reduction(min : invalid)
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double squared[3][3];
        mt_eikonal_element *e = &eikonal->element[c];
        if (!p->velocity(p->context, c, squared)) continue;
        if (!measure(mesh, c, squared, e) && c < invalid) invalid = c;
        for (size_t k = 0; k < 4; k++) e->vertex[k] = mesh->element_vertex[4 * c + k];
    }
    if (invalid != SIZE_MAX)
        return mt_fail(MT_INPUT,
            "element %zu: found an invalid velocity tensor; allowed: finite and positive definite",
            mt_mesh_number(mesh, invalid));
    for (size_t c = 0; c < mesh->n_elements; c++) /* the vertices of others are all 0 */
        if (eikonal->element[c].vertex[0] != eikonal->element[c].vertex[1])
            eikonal->element[n++] = eikonal->element[c];
    eikonal->n_elements = n;
    return MT_OK;
}

/* Lists the elements of each vertex. */
static mt_status list_corners(mt_arena *arena, mt_eikonal *eikonal)
{
    size_t *start;
    MT_ALLOC(arena, start, eikonal->n_points + 2);
    MT_ALLOC(arena, eikonal->corner, 4 * eikonal->n_elements);
    for (size_t c = 0; c < eikonal->n_elements; c++)
        for (size_t k = 0; k < 4; k++) start[eikonal->element[c].vertex[k] + 2]++;
    mt_offsets_sum(start, eikonal->n_points + 2);
    for (size_t c = 0; c < eikonal->n_elements; c++)
        for (size_t k = 0; k < 4; k++)
            eikonal->corner[start[eikonal->element[c].vertex[k] + 1]++] = (uint32_t)(4 * c + k);
    eikonal->start = start;
    return MT_OK;
}

static mt_status list_links(mt_arena *arena, const mt_eikonal_problem *p, mt_eikonal *eikonal)
{
    MT_SCRATCH(scratch);
    uint32_t *end;
    MT_ALLOC(scratch, end, p->n_links);
    for (size_t k = 0; k < p->n_links; k++) {
        const mt_eikonal_link *link = &p->link[k];
        if (link->from >= eikonal->n_points || link->to >= eikonal->n_points || !(link->delay_ms >= 0))
            return mt_fail(MT_INPUT,
                "link %zu: found points %u and %u, delay %g ms; allowed: points below %zu, at least 0 ms", k,
                link->from, link->to, link->delay_ms, eikonal->n_points);
    }
    eikonal->link = p->link;
    for (size_t k = 0; k < p->n_links; k++) end[k] = p->link[k].to;
    MT_TRY(mt_offsets_make(arena, p->n_links, 1, end, eikonal->n_points, &eikonal->to_start, &eikonal->to));
    for (size_t k = 0; k < p->n_links; k++) end[k] = p->link[k].from;
    return mt_offsets_make(
        arena, p->n_links, 1, end, eikonal->n_points, &eikonal->from_start, &eikonal->from);
}

/* Returns the width of the band. The sum has a fixed order. */
static double find_band_ms(const mt_eikonal *eikonal)
{
    double sum = 0;
    for (size_t c = 0; c < eikonal->n_elements; c++) {
        const double *square = eikonal->element[c].square;
        double least = square[0];
        for (size_t e = 1; e < 6; e++) least = fmin(least, square[e]);
        sum += sqrt(least);
    }
    return eikonal->n_elements > 0 ? BAND * sum / (double)eikonal->n_elements : 1;
}

void mt_eikonal_changed(mt_eikonal *eikonal) { eikonal->band_ms = find_band_ms(eikonal); }

mt_status mt_eikonal_make(mt_arena *arena, const mt_eikonal_problem *p, mt_eikonal *eikonal)
{
    const size_t n = p->mesh->n_vertices + p->n_extra;
    *eikonal = (mt_eikonal){.n_points = n};
    if (n > UINT32_MAX || p->mesh->n_elements > UINT32_MAX / 4 || p->n_links > UINT32_MAX)
        return mt_fail(MT_INPUT, "%zu points, %zu elements, %zu links; allowed: at most %u, %u, %u", n,
            p->mesh->n_elements, p->n_links, UINT32_MAX, UINT32_MAX / 4, UINT32_MAX);
    MT_TRY(make_elements(arena, p, eikonal));
    MT_TRY(list_corners(arena, eikonal));
    MT_TRY(list_links(arena, p, eikonal));
    eikonal->band_ms = find_band_ms(eikonal);
    MT_ALLOC(arena, eikonal->next_ms, n);
    MT_ALLOC(arena, eikonal->pending, n);
    MT_ALLOC(arena, eikonal->due, n);
    MT_ALLOC(arena, eikonal->candidate, n);
    MT_ALLOC(arena, eikonal->due_round, n);
    MT_ALLOC(arena, eikonal->seen_round, n);
    MT_ALLOC(arena, eikonal->is_pending, n);
    return MT_OK;
}

/* ---- a round ---- */

/* A solution in progress: the numbers of entries of the lists. */
typedef struct solution {
    mt_eikonal *e;
    double *time_ms, tolerance_ms;
    uint32_t round;
    size_t n_pending, n_due, n_candidates;
} solution;

/* Adds a point to the pending ones. */
static void add_pending(solution *s, uint32_t point)
{
    if (s->e->is_pending[point]) return;
    s->e->is_pending[point] = 1;
    s->e->pending[s->n_pending++] = point;
}

/* Moves the earliest pending points, those within the band, to the due ones. */
static void choose_due(solution *s)
{
    mt_eikonal *e = s->e;
    double first_ms = INFINITY;
    size_t n = 0;
    for (size_t k = 0; k < s->n_pending; k++) first_ms = fmin(first_ms, s->time_ms[e->pending[k]]);
    s->n_due = 0;
    for (size_t k = 0; k < s->n_pending; k++) {
        const uint32_t point = e->pending[k];
        if (s->time_ms[point] > first_ms + e->band_ms) {
            e->pending[n++] = point;
            continue;
        }
        e->is_pending[point] = 0;
        e->due_round[point] = s->round;
        e->due[s->n_due++] = point;
    }
    s->n_pending = n;
}

/* Adds a point to the candidates once. The order of the candidates has no effect. */
static void add_candidate(solution *s, uint32_t point)
{
    uint32_t seen;
    size_t at;
#pragma omp atomic capture
    {
        seen = s->e->seen_round[point];
        s->e->seen_round[point] = s->round;
    }
    if (seen == s->round) return;
#pragma omp atomic capture
    at = s->n_candidates++;
    s->e->candidate[at] = point;
}

/* Adds the neighbours of a due point that can decrease: an arrival is later than the earliest of the other vertices. */
static void add_neighbours(solution *s, uint32_t point)
{
    const mt_eikonal *e = s->e;
    for (size_t at = e->start[point]; at < e->start[point + 1]; at++) {
        const uint32_t *vertex = e->element[e->corner[at] / 4].vertex;
        double least_ms = INFINITY;
        for (size_t k = 0; k < 4; k++) least_ms = fmin(least_ms, s->time_ms[vertex[k]]);
        for (size_t k = 0; k < 4; k++)
            if (vertex[k] != point && s->time_ms[vertex[k]] > least_ms) add_candidate(s, vertex[k]);
    }
    for (size_t at = e->from_start[point]; at < e->from_start[point + 1]; at++)
        add_candidate(s, e->link[e->from[at]].to);
}

/* Returns the arrival at a corner of an element, at most `most_ms`, which is returned if no other vertex is due or earlier. */
static inline double arrival(const solution *s, uint32_t corner, double most_ms)
{
    const mt_eikonal_element *element = &s->e->element[corner / 4];
    const mt_eikonal_view *view = &mt_eikonal_views[corner % 4];
    double t[3];
    bool due = false;
    for (size_t k = 0; k < 3; k++) {
        const uint32_t vertex = element->vertex[view->face[k]];
        t[k] = s->time_ms[vertex];
        due |= s->e->due_round[vertex] == s->round;
    }
    if (!due || fmin(t[0], fmin(t[1], t[2])) >= most_ms) return most_ms;
    const double *square = element->square;
    const mt_local local = {square[view->edge[0]], square[view->edge[1]], square[view->edge[2]],
        square[view->edge[3]], square[view->edge[4]], square[view->edge[5]]};
    return fmin(most_ms, mt_local_face(&local, t, NULL));
}

/* Returns the new time of a point. */
static double update(const solution *s, uint32_t point)
{
    const mt_eikonal *e = s->e;
    double least_ms = s->time_ms[point];
    for (size_t at = e->start[point]; at < e->start[point + 1]; at++)
        least_ms = arrival(s, e->corner[at], least_ms);
    for (size_t at = e->to_start[point]; at < e->to_start[point + 1]; at++) {
        const mt_eikonal_link *link = &e->link[e->to[at]];
        least_ms = fmin(least_ms, s->time_ms[link->from] + link->delay_ms);
    }
    return least_ms;
}

/* Takes a round. Returns the number of points that it reached for the first time. */
static size_t take_round(solution *s)
{
    mt_eikonal *e = s->e;
    size_t n_reached = 0;
    s->round++;
    choose_due(s);
    s->n_candidates = 0;
#pragma omp parallel for schedule(dynamic, CHUNK) if (s->n_due >= PARALLEL_FROM)
    for (size_t k = 0; k < s->n_due; k++) add_neighbours(s, e->due[k]);
    const size_t n = s->n_candidates;
#pragma omp parallel for schedule(dynamic, CHUNK) if (n >= PARALLEL_FROM)
    for (size_t k = 0; k < n; k++) e->next_ms[k] = update(s, e->candidate[k]);
    for (size_t k = 0; k < n; k++) {
        const uint32_t point = e->candidate[k];
        if (!(e->next_ms[k] < s->time_ms[point] - s->tolerance_ms)) continue;
        n_reached += isinf(s->time_ms[point]) ? 1 : 0;
        s->time_ms[point] = e->next_ms[k];
        add_pending(s, point);
    }
    return n_reached;
}

/* ---- the solution ---- */

/* Sets the times of the sources. */
static mt_status begin(solution *s, size_t n_sources, const mt_eikonal_source *source)
{
    for (size_t k = 0; k < s->e->n_points; k++) {
        s->time_ms[k] = INFINITY;
        s->e->due_round[k] = s->e->seen_round[k] = 0;
        s->e->is_pending[k] = 0;
    }
    for (size_t k = 0; k < n_sources; k++) {
        const uint32_t point = source[k].point;
        if (point >= s->e->n_points || !isfinite(source[k].time_ms))
            return mt_fail(MT_INPUT,
                "source %zu: found point %u at %g ms; allowed: below %zu, at a finite time", k, point,
                source[k].time_ms, s->e->n_points);
        s->time_ms[point] = fmin(s->time_ms[point], source[k].time_ms);
        add_pending(s, point);
    }
    return MT_OK;
}

mt_status mt_eikonal_solve(mt_eikonal *eikonal, size_t n_sources, const mt_eikonal_source *source,
    double tolerance_ms, double *time_ms, mt_eikonal_report *report)
{
    solution s = {.e = eikonal, .time_ms = time_ms, .tolerance_ms = tolerance_ms};
    *report = (mt_eikonal_report){0};
    MT_TRY(begin(&s, n_sources, source));
    size_t n_reached = s.n_pending;
    if (!eikonal->silent)
        mt_progress_begin_counting(
            "solving the eikonal equation", "vertices", 1e-6 * (double)eikonal->n_points);
    while (s.n_pending > 0 && !mt_progress_interrupted()) {
        n_reached += take_round(&s);
        report->n_updates += s.n_candidates;
        if (!eikonal->silent) mt_progress_update(1e-6 * (double)n_reached, 0);
    }
    report->n_rounds = s.round;
    if (!eikonal->silent) mt_progress_end();
    return s.n_pending > 0 ? mt_fail(MT_STOPPED, "stopped") : MT_OK;
}
