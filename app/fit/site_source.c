#include "app/fit/site_source.h"

#include <math.h>
#include <string.h>

#include "app/eikonal/cell_front.h"
#include "data/core/dense.h"
#include "data/core/vec3.h"

enum { BISECTIONS = 200 };

/* ---- the metric at a site ---- */

/* A ball and the metric around it. */
typedef struct ball {
    const double *centre_mm;
    double radius_mm;
    double metric[3][3], transverse[3][3]; /* complete, and its transverse part [ms^2/mm^2] */
    double value[3], axis[3][3];           /* eigenvalues of the metric, and unit eigenvectors, one a row */
    size_t group;
} ball;

/* Returns the element of the eikonal equation with a triangle, or one with its first vertex. SIZE_MAX: no element conducts there. */
static size_t element_at(const mt_fit_model *model, const uint32_t corner[3])
{
    const mt_eikonal *e = &model->eikonal;
    size_t found = SIZE_MAX;
    for (size_t at = e->start[corner[0]]; at < e->start[corner[0] + 1]; at++) {
        const uint32_t *v = e->element[e->corner[at] / 4].vertex;
        int n = 0;
        for (int k = 0; k < 4; k++) n += v[k] == corner[0] || v[k] == corner[1] || v[k] == corner[2];
        if (n == 3 || found == SIZE_MAX) found = e->corner[at] / 4;
        if (n == 3) break;
    }
    return found;
}

/* Adds factor f f' to a tensor. */
static void add_product(double factor, const double f[3], double tensor[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) tensor[i][k] += factor * f[i] * f[k];
}

/* Fills in the metric of an element with these values. */
static void set_metric(const mt_fit_model *model, const mt_fit_values *values, size_t element, ball *b)
{
    const mt_tissue_field *field = &model->speeds->field;
    const size_t number = model->element[element];
    double squared[3], of_axis[3], copy[9], vector[9];
    b->group = model->group_of[element];
    (void)mt_cell_speeds_squared(model->speeds, number, squared);
    const double a = values->log_speed[b->group], r = values->log_ratio[b->group];
    const double along = exp(-2 * a) / squared[0];
    of_axis[0] = 0;
    for (int k = 1; k < 3; k++) of_axis[k] = exp(-2 * (a - r)) / squared[k];
    mt_tissue_field_tensor(field, number, of_axis, b->transverse);
    memcpy(b->metric, b->transverse, sizeof b->metric);
    add_product(along, field->fibre + 3 * number, b->metric);
    memcpy(copy, b->metric, sizeof copy);
    mt_dense_eigen(3, copy, b->value, vector);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) b->axis[k][i] = vector[3 * i + k];
}

/* Computes the vector `way` from the nearest point of the ball, in its metric, to the point u of its centre; 0 inside. The nearest point z
 * satisfies (M + m) z = M u with the multiplier m for which |z| is the radius. */
static void way_from_ball(const ball *b, const double u[3], double way[3])
{
    double along[3], largest = 0, low = 0, high;
    for (int k = 0; k < 3; k++) {
        along[k] = mt_dot3(b->axis[k], u);
        largest = fmax(largest, b->value[k]);
        way[k] = 0;
    }
    const double length = mt_length3(u);
    if (length <= b->radius_mm) return;
    high = largest * length / b->radius_mm;
    for (int i = 0; i < BISECTIONS; i++) {
        const double m = 0.5 * (low + high);
        double square = 0;
        if (m <= low || m >= high) break;
        for (int k = 0; k < 3; k++) {
            const double z = b->value[k] * along[k] / (b->value[k] + m);
            square += z * z;
        }
        *(square > b->radius_mm * b->radius_mm ? &low : &high) = m;
    }
    for (int k = 0; k < 3; k++) {
        const double outside = along[k] * high / (b->value[k] + high); /* u - z */
        for (int i = 0; i < 3; i++) way[i] += outside * b->axis[k][i];
    }
}

static double form(double metric[3][3], const double a[3])
{
    return a[0] * mt_dot3(metric[0], a) + a[1] * mt_dot3(metric[1], a) + a[2] * mt_dot3(metric[2], a);
}

/* ---- sources ---- */

/* Returns the latency of the wavefront at a site in a variant of the cells. */
static mt_status find_launch(mt_fit_model *model, size_t element, double *launch_ms)
{
    const mt_problem *p = model->problem;
    const size_t number = model->element[element], variant = mt_cell_speeds_variant(p, number);
    const mt_medium *medium = mt_media_at(&p->media, number);
    const mt_cell_front front = {
        p->monodomain.model, &model->speeds->variants[variant], model->input->time.dt_ms};
    mt_latency latency;
    if (isnan(model->launch_ms[variant])) {
        const double rise_mV_ms = model->stimulus.strength_uA_mm3 / (medium->chi_per_mm * medium->cm_uF_mm2);
        MT_TRY(
            mt_cell_front_latency(&front, rise_mV_ms, model->stimulus.duration_ms, model->cached, &latency));
        model->launch_ms[variant] = latency.launch_ms;
    }
    *launch_ms = model->launch_ms[variant];
    if (isfinite(*launch_ms)) return MT_OK;
    return mt_fail(MT_INPUT,
        "stimuli.0: found no capture of a cable with cells \"%s\" by its strength and duration; needed at a "
        "site "
        "of earliest activation",
        front.cells->name);
}

/* Appends a source with its derivatives. */
static mt_status add(mt_arena *arena, uint32_t point, double time_ms, mt_site_sources *to)
{
    if (to->n == to->room) {
        const size_t room = 2 * to->room + 64, n = to->n_parameters;
        mt_eikonal_source *source;
        double *slope;
        MT_ALLOC(arena, source, room);
        MT_ALLOC(arena, slope, room * n);
        if (to->n > 0) memcpy(source, to->source, to->n * sizeof *source);
        if (to->n > 0) memcpy(slope, to->slope, to->n * n * sizeof *slope);
        to->source = source, to->slope = slope, to->room = room;
    }
    to->source[to->n++] = (mt_eikonal_source){point, time_ms};
    return MT_OK;
}

/* Fills in the derivatives of the last source. */
static void put_slopes(const mt_fit_model *model, const mt_fit_values *values, size_t site, ball *b,
    const double way[3], mt_site_sources *to)
{
    double *slope = to->slope + (to->n - 1) * to->n_parameters, tangent[2][3];
    const size_t own = mt_fit_of_site(model, site), of_group = mt_fit_of_group(b->group);
    const double distance = sqrt(form(b->metric, way));
    slope[own + 2] = 1;
    if (!(distance > 0)) return;
    mt_fit_surface_tangents(model->site_surface, values->site[site].place.triangle, tangent);
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 3; k++)
            slope[own + (size_t)t] -= mt_dot3(b->metric[k], way) * tangent[t][k] / distance;
    slope[of_group] = -distance;
    slope[of_group + 1] = form(b->transverse, way) / distance;
}

/* A search through the elements around a site: the first n_inside of the vertices are in the ball, or at its triangle. */
typedef struct search {
    uint32_t *vertex;
    size_t n, room;
} search;

static mt_status push(mt_arena *scratch, mt_fit_model *model, uint32_t vertex, search *s)
{
    if (model->mark[vertex] == model->last_mark) return MT_OK;
    model->mark[vertex] = model->last_mark;
    if (s->n == s->room) {
        uint32_t *more;
        s->room = 2 * s->room + 64;
        MT_ALLOC(scratch, more, s->room);
        if (s->n > 0) memcpy(more, s->vertex, s->n * sizeof *more);
        s->vertex = more;
    }
    s->vertex[s->n++] = vertex;
    return MT_OK;
}

/* Lists the vertices of all elements with a vertex in the ball or a corner of the site. */
static mt_status list_vertices(
    mt_arena *scratch, mt_fit_model *model, const uint32_t corner[3], const ball *b, search *s)
{
    const mt_eikonal *e = &model->eikonal;
    const double *xyz = model->problem->mesh.xyz_mm, square = b->radius_mm * b->radius_mm;
    model->last_mark++;
    for (int k = 0; k < 3; k++) MT_TRY(push(scratch, model, corner[k], s));
    for (size_t k = 0; k < s->n; k++) {
        const uint32_t v = s->vertex[k];
        if (k >= 3 && !(mt_square3(xyz + 3 * (size_t)v, b->centre_mm) <= square)) continue;
        for (size_t at = e->start[v]; at < e->start[v + 1]; at++)
            for (int i = 0; i < 4; i++)
                MT_TRY(push(scratch, model, e->element[e->corner[at] / 4].vertex[i], s));
    }
    return MT_OK;
}

mt_status mt_site_sources_add(
    mt_arena *arena, mt_fit_model *model, const mt_fit_values *values, size_t site, mt_site_sources *sources)
{
    MT_SCRATCH(scratch);
    const mt_fit_site *of = &values->site[site];
    const uint32_t *corner = model->site_surface->mesh.face_vertex + 3 * (size_t)of->place.triangle;
    const size_t element = element_at(model, corner);
    ball b = {.centre_mm = of->place.xyz_mm, .radius_mm = model->stimulus.radius_mm};
    search s = {0};
    double launch_ms;
    if (element == SIZE_MAX)
        return mt_fail(MT_INPUT, "site of earliest activation: found cells there that do not conduct");
    set_metric(model, values, element, &b);
    MT_TRY(find_launch(model, element, &launch_ms));
    MT_TRY(list_vertices(scratch, model, corner, &b, &s));
    for (size_t k = 0; k < s.n; k++) {
        double u[3], way[3];
        mt_minus3(model->problem->mesh.xyz_mm + 3 * (size_t)s.vertex[k], b.centre_mm, u);
        way_from_ball(&b, u, way);
        MT_TRY(add(arena, s.vertex[k], of->start_ms + launch_ms + sqrt(form(b.metric, way)), sources));
        put_slopes(model, values, site, &b, way, sources);
    }
    return MT_OK;
}
