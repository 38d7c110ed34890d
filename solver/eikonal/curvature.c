#include "solver/eikonal/curvature.h"

#include <math.h>
#include <stdlib.h>

#include "data/core/progress.h"
#include "data/core/vec3.h"
#include "solver/eikonal/local_solve.h"

/* Sweeps at most, those without damping, and points between two checks for a stop. At elements of poor quality a point can alternate between
 * paths: later steps are shorter. */
enum { SWEEPS = 5000, UNDAMPED = 100, CHECK = 4096 };

/* Over-relaxation where diffusion dominates: of q parts of diffusion to one of propagation. Without diffusion it is 1, since
 * over-relaxed steps would grow along the paths of the wavefront. */
static const double most_relaxation = 1.7;

/* A point with its time in the first solution. */
typedef struct timed {
    double time_ms;
    uint32_t point;
} timed;

typedef struct sweeping {
    const mt_eikonal *e;
    double *time_ms;
    double *source_ms;  /* [n_points] infinite: no source */
    double *volume_mm3; /* [n_points] a quarter of the elements of a vertex */
    double *strength;   /* [n_elements] volume times tau */
    uint8_t *waiting;   /* [n_points] 1: a neighbour has changed */
    timed *order;       /* [n_reached] by time */
    size_t n_reached;
    double tolerance_ms, damping;
} sweeping;

/* ---- a point ---- */

/* The diffusion at a point of the volume V: div M grad T = sum / V, with the derivative -weight / V by its own time. */
typedef struct stencil {
    double sum, weight;
} stencil;

/* Adds the diffusion in an element: strength * sum over i of g_i t_i, g = G^-1 (1, 1, 1), with the Gram matrix G of the edges from the
 * point and the differences t along them. */
static inline void add_diffusion(const mt_local *l, const double t[3], double strength, stencil *s)
{
    const double ab = (l->va + l->vb - l->ab) / 2, ac = (l->va + l->vc - l->ac) / 2,
                 bc = (l->vb + l->vc - l->bc) / 2;
    const double c00 = l->vb * l->vc - bc * bc, c11 = l->va * l->vc - ac * ac, c22 = l->va * l->vb - ab * ab,
                 c01 = ac * bc - ab * l->vc, c02 = ab * bc - ac * l->vb, c12 = ab * ac - bc * l->va;
    const double det = l->va * c00 + ab * c01 + ac * c02;
    if (!(det > 0)) return;
    const double g0 = c00 + c01 + c02, g1 = c01 + c11 + c12, g2 = c02 + c12 + c22, scale = strength / det;
    s->sum += scale * (g0 * t[0] + g1 * t[1] + g2 * t[2]);
    s->weight += scale * (g0 + g1 + g2);
}

/* Returns an element in the local form of a corner, with the times at its other vertices. */
static inline mt_local local_of(const sweeping *s, uint32_t corner, double t[3])
{
    const mt_eikonal_element *element = &s->e->element[corner / 4];
    const mt_eikonal_view *view = &mt_eikonal_views[corner % 4];
    const double *square = element->square;
    for (size_t k = 0; k < 3; k++) t[k] = s->time_ms[element->vertex[view->face[k]]];
    return (mt_local){square[view->edge[0]], square[view->edge[1]], square[view->edge[2]],
        square[view->edge[3]], square[view->edge[4]], square[view->edge[5]]};
}

/* Returns the first arrival at a point with this slowness; *path_ms: the time along its last path with slowness 1. */
static double arrival(const sweeping *s, uint32_t point, double slowness, double *path_ms)
{
    const mt_eikonal *e = s->e;
    const double squared = slowness * slowness;
    double least = INFINITY;
    *path_ms = 0;
    for (size_t at = e->start[point]; at < e->start[point + 1]; at++) {
        double t[3], weight[3];
        mt_local l = local_of(s, e->corner[at], t);
        if (fmin(t[0], fmin(t[1], t[2])) >= least) continue;
        l = (mt_local){
            squared * l.va, squared * l.vb, squared * l.vc, squared * l.ab, squared * l.ac, squared * l.bc};
        const double found = mt_local_face(&l, t, weight);
        if (!(found < least)) continue;
        least = found;
        double from = 0;
        for (size_t k = 0; k < 3; k++)
            if (weight[k] > 0) from += weight[k] * t[k];
        *path_ms = (found - from) / slowness;
    }
    return least;
}

/* Returns the time of a point after a Newton step, without sources and links. */
static double step(const sweeping *s, uint32_t point)
{
    const mt_eikonal *e = s->e;
    const double time_ms = s->time_ms[point], volume = s->volume_mm3[point];
    stencil of = {0};
    double path_ms;
    if (!(volume > 0)) return INFINITY;
    for (size_t at = e->start[point]; at < e->start[point + 1]; at++) {
        double t[3];
        const mt_local l = local_of(s, e->corner[at], t);
        for (size_t k = 0; k < 3; k++) t[k] -= time_ms;
        add_diffusion(&l, t, s->strength[e->corner[at] / 4], &of);
    }
    const double found = arrival(s, point, fmax(1 + of.sum / volume, MT_CURVATURE_LEAST), &path_ms);
    const double q = path_ms * of.weight / volume, relaxation = fmin((1 + q) / (1 + q / 3), most_relaxation);
    return time_ms + relaxation * (found - time_ms) / (1 + q);
}

/* Returns the new time of a point; *change_ms: its change without damping. */
static double update(const sweeping *s, uint32_t point, double *change_ms)
{
    const mt_eikonal *e = s->e;
    double least_ms = fmin(step(s, point), s->source_ms[point]);
    for (size_t at = e->to_start[point]; at < e->to_start[point + 1]; at++) {
        const mt_eikonal_link *link = &e->link[e->to[at]];
        least_ms = fmin(least_ms, s->time_ms[link->from] + link->delay_ms);
    }
    *change_ms = fabs(least_ms - s->time_ms[point]);
    return s->damping < 1 ? s->time_ms[point] + s->damping * (least_ms - s->time_ms[point]) : least_ms;
}

/* ---- sweeps ---- */

static void wake_neighbours(const sweeping *s, uint32_t point)
{
    const mt_eikonal *e = s->e;
    for (size_t at = e->start[point]; at < e->start[point + 1]; at++)
        for (size_t k = 0; k < 4; k++) s->waiting[e->element[e->corner[at] / 4].vertex[k]] = 1;
    for (size_t at = e->from_start[point]; at < e->from_start[point + 1]; at++)
        s->waiting[e->link[e->from[at]].to] = 1;
}

/* Updates the waiting points in their order. */
static mt_status sweep(sweeping *s, mt_curvature_report *report)
{
    report->change_ms = 0;
    report->n_sweeps++;
    s->damping = fmin(1, UNDAMPED / (double)report->n_sweeps);
    for (size_t k = 0; k < s->n_reached; k++) {
        const uint32_t point = s->order[k].point;
        if (k % CHECK == 0 && mt_progress_interrupted()) return mt_fail(MT_STOPPED, "stopped");
        if (!s->waiting[point]) continue;
        s->waiting[point] = 0;
        double change;
        s->time_ms[point] = update(s, point, &change);
        report->n_updates++;
        report->change_ms = fmax(report->change_ms, change);
        if (change > s->tolerance_ms) wake_neighbours(s, point);
    }
    return MT_OK;
}

static mt_status take_sweeps(sweeping *s, bool silent, mt_curvature_report *report)
{
    do {
        const size_t before = report->n_updates;
        MT_TRY(sweep(s, report));
        const double updated = (double)(report->n_updates - before) / (double)s->n_reached;
        if (!silent) mt_progress_stage_part("settled points", 1 - updated);
    } while (report->change_ms > s->tolerance_ms && report->n_sweeps < SWEEPS);
    if (report->change_ms <= s->tolerance_ms) return MT_OK;
    return mt_fail(MT_NUMERICS,
        "curvature of the wavefront: not converged after %d sweeps: the last one changed times by %.3g ms",
        SWEEPS, report->change_ms);
}

/* ---- preparation ---- */

static int by_time(const void *a, const void *b)
{
    const timed *x = a, *y = b;
    if (x->time_ms != y->time_ms) return x->time_ms < y->time_ms ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* Sorts the points that are reached. All wait. */
static mt_status sort_points(mt_arena *arena, sweeping *s)
{
    const size_t n = s->e->n_points;
    MT_ALLOC(arena, s->waiting, n);
    MT_ALLOC(arena, s->order, n);
    for (size_t p = 0; p < n; p++) {
        s->waiting[p] = 1;
        if (isfinite(s->time_ms[p])) s->order[s->n_reached++] = (timed){s->time_ms[p], (uint32_t)p};
    }
    qsort(s->order, s->n_reached, sizeof *s->order, by_time);
    return MT_OK;
}

static mt_status measure_volumes(mt_arena *arena, const mt_curvature *of, sweeping *s)
{
    const double *xyz_mm = of->mesh->xyz_mm;
    MT_ALLOC(arena, s->volume_mm3, s->e->n_points);
    MT_ALLOC(arena, s->strength, s->e->n_elements);
    for (size_t c = 0; c < s->e->n_elements; c++) {
        const uint32_t *vertex = s->e->element[c].vertex;
        double edge[3][3], normal[3];
        for (size_t k = 0; k < 3; k++)
            mt_minus3(&xyz_mm[3 * (size_t)vertex[k + 1]], &xyz_mm[3 * (size_t)vertex[0]], edge[k]);
        mt_cross3(edge[0], edge[1], normal);
        const double volume_mm3 = mt_dot3(normal, edge[2]) / 6;
        s->strength[c] = volume_mm3 * of->tau_ms[c];
        for (size_t k = 0; k < 4; k++) s->volume_mm3[vertex[k]] += volume_mm3 / 4;
    }
    return MT_OK;
}

mt_status mt_curvature_add(const mt_eikonal *e, const mt_curvature *of, size_t n_sources,
    const mt_eikonal_source *source, double *time_ms, mt_curvature_report *report)
{
    MT_SCRATCH(scratch);
    sweeping s = {.e = e, .time_ms = time_ms, .tolerance_ms = of->tolerance_ms};
    *report = (mt_curvature_report){0};
    MT_ALLOC(scratch, s.source_ms, e->n_points);
    for (size_t p = 0; p < e->n_points; p++) s.source_ms[p] = INFINITY;
    for (size_t k = 0; k < n_sources; k++)
        s.source_ms[source[k].point] = fmin(s.source_ms[source[k].point], source[k].time_ms);
    if (!e->silent) mt_progress_stage("adding the curvature of the wavefront");
    MT_TRY(sort_points(scratch, &s));
    MT_TRY(measure_volumes(scratch, of, &s));
    const mt_status status = take_sweeps(&s, e->silent, report);
    if (!e->silent) mt_progress_stage(NULL);
    return status;
}
