#include "app/fit/fit_times.h"

#include <math.h>

#include "app/fit/site_source.h"
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
    for (size_t k = 0; k < model->n_points; k++)
        for (size_t p = 0; p < n; p++) {
            double sum = p == n - 1 ? 1 : 0; /* the offset */
            for (int i = 0; i < 3; i++)
                sum += model->point[k].weight[i] * slope[n * model->corner[3 * k + (size_t)i] + p];
            jacobian[n * k + p] = sum;
        }
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
