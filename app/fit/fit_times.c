#include "app/fit/fit_times.h"

#include <math.h>

#include "app/fit/site_source.h"
#include "data/core/vec3.h"
#include "solver/eikonal/tangent.h"

static const double tolerance_ms = 1e-4; /* of solutions */

static void scale(mt_fit_model *model, const mt_fit_values *values)
{
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < model->eikonal.n_elements; k++) {
        const double a = values->log_speed[model->group_of[k]], b = values->log_ratio[model->group_of[k]],
                     along = exp(-2 * a), across = exp(-2 * (a - b));
        for (int e = 0; e < 6; e++)
            model->eikonal.element[k].square[e] =
                along * model->longitudinal[k][e] + across * model->transverse[k][e];
    }
    mt_eikonal_changed(&model->eikonal);
}

/* A model with its values, for mt_eikonal_slopes_of. */
typedef struct point_of_model {
    const mt_fit_model *model;
    const mt_fit_values *values;
} point_of_model;

static void slopes_of(const void *context, size_t element, mt_eikonal_slopes *slopes)
{
    const point_of_model *at = context;
    const mt_fit_model *model = at->model;
    const size_t g = model->group_of[element];
    const double across = exp(-2 * (at->values->log_speed[g] - at->values->log_ratio[g]));
    slopes->n = 2;
    slopes->parameter[0] = (uint32_t)mt_fit_of_group(g);
    slopes->parameter[1] = slopes->parameter[0] + 1;
    for (int e = 0; e < 6; e++) {
        slopes->square[0][e] = -2 * model->eikonal.element[element].square[e];
        slopes->square[1][e] = 2 * across * model->transverse[element][e];
    }
}

/* Lists the sources of all sites in `scratch`. */
static mt_status list_sources(
    mt_arena *scratch, mt_fit_model *model, const mt_fit_values *values, mt_site_sources *sources)
{
    *sources = (mt_site_sources){.n_parameters = mt_fit_n_parameters(model, values)};
    for (size_t s = 0; s < values->n_sites; s++)
        MT_TRY(mt_site_sources_add(scratch, model, values, s, sources));
    return MT_OK;
}

/* Computes derivatives at the points from those at the vertices, slope [vertices][n]. */
static void to_points(const mt_fit_model *model, size_t n, const double *slope, double *of_points)
{
    for (size_t k = 0; k < model->n_points; k++)
        for (size_t p = 0; p < n; p++) {
            double sum = 0;
            for (size_t i = 0; i < 3; i++)
                sum += model->point[k].weight[i] * slope[n * model->corner[3 * k + i] + p];
            of_points[n * k + p] = sum;
        }
}

mt_status mt_fit_model_jacobian(mt_fit_model *model, const mt_fit_values *values, double *jacobian)
{
    MT_SCRATCH(scratch);
    mt_site_sources sources;
    double *slope;
    MT_TRY(list_sources(scratch, model, values, &sources));
    const point_of_model at = {model, values};
    const size_t n = sources.n_parameters;
    const mt_eikonal_tangent tangent = {n, slopes_of, &at, sources.n, sources.source, sources.slope};
    MT_ALLOC(scratch, slope, n * model->eikonal.n_points);
    MT_TRY(mt_eikonal_differentiate(&model->eikonal, &tangent, model->time_ms, slope));
    to_points(model, n, slope, jacobian);
    for (size_t k = 0; k < model->n_points; k++) jacobian[n * k + n - 1] = 1; /* the offset */
    return MT_OK;
}

mt_status mt_fit_model_times(mt_fit_model *model, const mt_fit_values *values, double *lat_ms)
{
    MT_SCRATCH(scratch);
    mt_eikonal_report report;
    mt_site_sources sources;
    scale(model, values);
    MT_TRY(list_sources(scratch, model, values, &sources));
    MT_TRY(
        mt_eikonal_solve(&model->eikonal, sources.n, sources.source, tolerance_ms, model->time_ms, &report));
    model->n_solutions++;
    for (size_t k = 0; k < model->n_points; k++) {
        const mt_fit_place *point = &model->point[k];
        lat_ms[k] = values->offset_ms;
        for (int i = 0; i < 3; i++)
            if (point->weight[i] > 0)
                lat_ms[k] += point->weight[i] * model->time_ms[model->corner[3 * k + (size_t)i]];
        if (isinf(lat_ms[k]))
            return mt_fail(MT_INPUT,
                "found tissue at (%.4g, %.4g, %.4g) mm that no site activates; needed: points on connected "
                "tissue",
                point->xyz_mm[0], point->xyz_mm[1], point->xyz_mm[2]);
    }
    return MT_OK;
}

/* ---- fibres ---- */

/* The wall at the elements, with the model and its values. */
typedef struct wall {
    point_of_model at;
    double (*normal)[3];
    double *depth;
} wall;

/* Finds normal and depth of the elements. */
static mt_status make_wall(
    mt_arena *scratch, const mt_fit_model *model, const mt_fit_surface *surface, wall *w)
{
    const mt_mesh *mesh = &model->problem->mesh;
    const size_t n = model->eikonal.n_elements;
    double farthest_mm = 0;
    MT_ALLOC(scratch, w->normal, n);
    MT_ALLOC(scratch, w->depth, n);
#pragma omp parallel for schedule(dynamic, 256) reduction(max : farthest_mm)
    for (size_t k = 0; k < n; k++) {
        double x[3];
        mt_mesh_centroid(mesh, model->element[k], x);
        const uint32_t triangle = mt_nearest_find(&surface->nearest, x, NULL, &w->depth[k]);
        mt_triangle_area(&surface->mesh, triangle, w->normal[k]);
        (void)mt_normalise3(w->normal[k]);
        farthest_mm = fmax(farthest_mm, w->depth[k]);
    }
    for (size_t k = 0; k < n; k++)
        w->depth[k] = mesh->depth ? mesh->depth[model->element[k]] : w->depth[k] / farthest_mm;
    return MT_OK;
}

/* With the unit vectors f and g along and across the fibre in the wall, and their CV v and u, a rotation changes the square of a length d
 * by 2 (d f) (d g) (1 / v^2 - 1 / u^2). */
static void fibre_slopes_of(const void *context, size_t element, mt_eikonal_slopes *slopes)
{
    const wall *w = context;
    const mt_fit_model *model = w->at.model;
    const size_t number = model->element[element], group = model->group_of[element];
    const mt_mesh *mesh = &model->problem->mesh;
    const uint32_t *v = &mesh->element_vertex[4 * number];
    const double *fibre = model->speeds->field.fibre + 3 * number, a = w->at.values->log_speed[group],
                 b = w->at.values->log_ratio[group];
    double squared[3], across[3];
    (void)mt_cell_speeds_squared(model->speeds, number, squared);
    mt_cross3(w->normal[element], fibre, across);
    (void)mt_normalise3(across);
    const double change = exp(-2 * a) / squared[0] - exp(-2 * (a - b)) / squared[1];
    *slopes = (mt_eikonal_slopes){.n = MT_FIT_FIBRE_MODES, .parameter = {0, 1}};
    for (size_t e = 0; e < 6; e++) {
        double d[3];
        mt_minus3(&mesh->xyz_mm[3 * (size_t)v[mt_mesh_edge[e][0]]],
            &mesh->xyz_mm[3 * (size_t)v[mt_mesh_edge[e][1]]], d);
        slopes->square[0][e] = 2 * mt_dot3(d, fibre) * mt_dot3(d, across) * change;
        slopes->square[1][e] = slopes->square[0][e] * (1 - 2 * w->depth[element]);
    }
}

mt_status mt_fit_model_fibre_slopes(
    mt_fit_model *model, const mt_fit_values *values, const mt_fit_surface *surface, double *slope)
{
    MT_SCRATCH(scratch);
    mt_site_sources sources;
    wall w = {.at = {model, values}};
    double *of_vertex, *of_source;
    for (size_t k = 0; k < MT_FIT_FIBRE_MODES * model->n_points; k++) slope[k] = 0;
    if (!model->problem->mesh.fibre) return MT_OK;
    MT_TRY(list_sources(scratch, model, values, &sources));
    MT_TRY(make_wall(scratch, model, surface, &w));
    MT_ALLOC(scratch, of_source, MT_FIT_FIBRE_MODES * sources.n);
    MT_ALLOC(scratch, of_vertex, MT_FIT_FIBRE_MODES * model->eikonal.n_points);
    const mt_eikonal_tangent tangent = {
        MT_FIT_FIBRE_MODES, fibre_slopes_of, &w, sources.n, sources.source, of_source};
    MT_TRY(mt_eikonal_differentiate(&model->eikonal, &tangent, model->time_ms, of_vertex));
    to_points(model, MT_FIT_FIBRE_MODES, of_vertex, slope);
    return MT_OK;
}
