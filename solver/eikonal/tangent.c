#include "solver/eikonal/tangent.h"

#include <math.h>
#include <stdlib.h>

#include "solver/eikonal/local_solve.h"

enum { PASSES = 1000 };
static const double relative_tolerance = 1e-12;

#define NOT_REACHED UINT32_MAX

/* The origin of the time of a point: at most three other points, or a source, and the direct effect of parameters. */
typedef struct origin {
    uint32_t point[3];
    double weight[3];
    uint32_t source; /* NOT_REACHED: none */
    size_t n;
    uint32_t parameter[MT_EIKONAL_SLOPES];
    double change[MT_EIKONAL_SLOPES];
} origin;

typedef struct differentiation {
    const mt_eikonal *e;
    const mt_eikonal_tangent *tangent;
    const double *time_ms;
    double *slope;
    origin *of;      /* [n_points] */
    uint32_t *order; /* [n_points] by ascending time */
} differentiation;

/* ---- origins ---- */

/* Returns W or dW from squared lengths, or their derivatives, in the order of the local problem. */
static double quadratic(const double square[6], const mt_eikonal_view *view, const double l[3])
{
    const uint8_t *e = view->edge;
    return l[0] * square[e[0]] + l[1] * square[e[1]] + l[2] * square[e[2]] - l[0] * l[1] * square[e[3]] -
           l[0] * l[2] * square[e[4]] - l[1] * l[2] * square[e[5]];
}

/* Stores the direct effect of the parameters on the path through an element. */
static void add_changes(const differentiation *d, uint32_t corner, origin *of)
{
    const mt_eikonal_view *view = &mt_eikonal_views[corner % 4];
    const double w = quadratic(d->e->element[corner / 4].square, view, of->weight);
    mt_eikonal_slopes slopes = {0};
    if (!d->tangent->slopes_of || !(w > 0)) return;
    d->tangent->slopes_of(d->tangent->context, corner / 4, &slopes);
    of->n = slopes.n;
    for (size_t k = 0; k < slopes.n; k++) {
        of->parameter[k] = slopes.parameter[k];
        of->change[k] = quadratic(slopes.square[k], view, of->weight) / (2 * sqrt(w));
    }
}

/* Returns the arrival at a corner, and its weights. */
static double arrive(const differentiation *d, uint32_t corner, double weight[3])
{
    const mt_eikonal_element *element = &d->e->element[corner / 4];
    const mt_eikonal_view *view = &mt_eikonal_views[corner % 4];
    const double *square = element->square;
    double t[3];
    for (size_t k = 0; k < 3; k++) t[k] = d->time_ms[element->vertex[view->face[k]]];
    const mt_local local = {square[view->edge[0]], square[view->edge[1]], square[view->edge[2]],
        square[view->edge[3]], square[view->edge[4]], square[view->edge[5]]};
    return mt_local_face(&local, t, weight);
}

/* Finds the earliest arrival at a point; of equal ones the first. Sources have been stored, with their times. */
static void find_origin(const differentiation *d, uint32_t point)
{
    const mt_eikonal *e = d->e;
    origin *of = &d->of[point];
    double least_ms = of->source == NOT_REACHED ? INFINITY : d->tangent->source[of->source].time_ms;
    uint32_t best = NOT_REACHED;
    for (size_t at = e->start[point]; at < e->start[point + 1]; at++) {
        double weight[3];
        const double arrival_ms = arrive(d, e->corner[at], weight);
        if (!(arrival_ms < least_ms)) continue;
        least_ms = arrival_ms, best = e->corner[at];
        for (size_t k = 0; k < 3; k++) of->weight[k] = weight[k];
    }
    for (size_t at = e->to_start[point]; at < e->to_start[point + 1]; at++) {
        const mt_eikonal_link *link = &e->link[e->to[at]];
        const double arrival_ms = d->time_ms[link->from] + link->delay_ms;
        if (!(arrival_ms < least_ms)) continue;
        least_ms = arrival_ms, best = NOT_REACHED, of->source = NOT_REACHED;
        of->point[0] = link->from, of->weight[0] = 1, of->weight[1] = of->weight[2] = 0;
    }
    if (best == NOT_REACHED) return;
    of->source = NOT_REACHED;
    for (size_t k = 0; k < 3; k++)
        of->point[k] = e->element[best / 4].vertex[mt_eikonal_views[best % 4].face[k]];
    add_changes(d, best, of);
}

static void find_origins(const differentiation *d)
{
    const mt_eikonal_tangent *t = d->tangent;
    for (size_t v = 0; v < d->e->n_points; v++) d->of[v].source = NOT_REACHED;
    for (size_t k = 0; k < t->n_sources; k++) {
        uint32_t *source = &d->of[t->source[k].point].source;
        if (*source == NOT_REACHED || t->source[k].time_ms < t->source[*source].time_ms)
            *source = (uint32_t)k;
    }
#pragma omp parallel for schedule(dynamic, 256)
    for (size_t v = 0; v < d->e->n_points; v++)
        if (isfinite(d->time_ms[v])) find_origin(d, (uint32_t)v);
}

/* ---- passes ---- */

typedef struct timed {
    double time_ms;
    uint32_t point;
} timed;

static int by_time(const void *a, const void *b)
{
    const timed *x = a, *y = b;
    if (x->time_ms != y->time_ms) return x->time_ms < y->time_ms ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static mt_status sort_points(mt_arena *scratch, differentiation *d)
{
    timed *points;
    const size_t n = d->e->n_points;
    MT_ALLOC(scratch, points, n);
    MT_ALLOC(scratch, d->order, n);
    for (size_t v = 0; v < n; v++) points[v] = (timed){d->time_ms[v], (uint32_t)v};
    qsort(points, n, sizeof *points, by_time);
    for (size_t v = 0; v < n; v++) d->order[v] = points[v].point;
    return MT_OK;
}

/* True if a point depends on one that comes later in the order. */
static bool any_later(const differentiation *d, uint32_t *place)
{
    bool any = false;
    for (size_t k = 0; k < d->e->n_points; k++) place[d->order[k]] = (uint32_t)k;
    for (size_t v = 0; v < d->e->n_points; v++)
        for (size_t k = 0; k < 3; k++)
            any |= d->of[v].weight[k] > 0 && d->of[v].source == NOT_REACHED &&
                   place[d->of[v].point[k]] > place[v];
    return any;
}

/* Computes the derivatives of a point; returns the largest change. */
static double update(const differentiation *d, uint32_t point, double *sum)
{
    const size_t n = d->tangent->n_parameters;
    const origin *of = &d->of[point];
    double *slope = d->slope + n * point, largest = 0;
    for (size_t p = 0; p < n; p++)
        sum[p] = of->source == NOT_REACHED ? 0 : d->tangent->source_slope[n * of->source + p];
    for (size_t k = 0; k < 3 && of->source == NOT_REACHED; k++) {
        if (!(of->weight[k] > 0)) continue;
        const double *from = d->slope + n * of->point[k];
        for (size_t p = 0; p < n; p++) sum[p] += of->weight[k] * from[p];
    }
    for (size_t k = 0; k < of->n && of->source == NOT_REACHED; k++) sum[of->parameter[k]] += of->change[k];
    for (size_t p = 0; p < n; p++) {
        largest = fmax(largest, fabs(sum[p] - slope[p]));
        slope[p] = sum[p];
    }
    return largest;
}

static mt_status take_passes(const differentiation *d, bool later, double *sum)
{
    const size_t n = d->e->n_points * d->tangent->n_parameters;
    for (size_t k = 0; k < n; k++) d->slope[k] = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        double change = 0, largest = 0;
        for (size_t k = 0; k < d->e->n_points; k++) change = fmax(change, update(d, d->order[k], sum));
        if (!later) return MT_OK;
        for (size_t k = 0; k < n; k++) largest = fmax(largest, fabs(d->slope[k]));
        if (change <= relative_tolerance * largest) return MT_OK;
    }
    return mt_fail(MT_NUMERICS, "derivatives of the eikonal equation: not converged after %d passes", PASSES);
}

mt_status mt_eikonal_differentiate(
    const mt_eikonal *eikonal, const mt_eikonal_tangent *tangent, const double *time_ms, double *slope)
{
    MT_SCRATCH(scratch);
    differentiation d = {.e = eikonal, .tangent = tangent, .time_ms = time_ms, .slope = slope};
    uint32_t *place;
    double *sum;
    MT_ALLOC(scratch, d.of, eikonal->n_points);
    MT_ALLOC(scratch, place, eikonal->n_points);
    MT_ALLOC(scratch, sum, tangent->n_parameters);
    find_origins(&d);
    MT_TRY(sort_points(scratch, &d));
    return take_passes(&d, any_later(&d, place), sum);
}
