#include "app/fit/fit_run.h"

#include <math.h>

#include "mesh/vertex_mean.h"

/* A run ends after this multiple of the latest eikonal time, and this time. */
static const double longest = 3, and_ms = 50;

/* Removes everything from a case but its first activation. */
static void reduce(const mt_fit_model *model, mt_case *c)
{
    double latest_ms = 0;
    for (size_t v = 0; v < model->eikonal.n_points; v++)
        if (isfinite(model->time_ms[v])) latest_ms = fmax(latest_ms, model->time_ms[v]);
    c->time.until = MT_CASE_UNTIL_ACTIVATED;
    c->time.end_ms = ceil((longest * latest_ms + and_ms) / c->time.dt_ms) * c->time.dt_ms;
    c->machine.backend = MT_CASE_CPU;
    c->output.maps = (uint32_t)1 << MT_MAP_ACTIVATION;
    c->output.beats = MT_CASE_BEATS_FIRST;
    c->traces.when = c->series.samples.when = (mt_moments_request){.every_ms = NAN};
    c->n_electrodes = 0;
    c->checkpoint.keep = 0;
}

mt_status mt_fit_run_make(mt_arena *arena, const mt_fit_model *model, const mt_fit_values *values,
    const mt_fit_factors *factors, mt_fit_run *r)
{
    mt_case *c = &r->input;
    MT_TRY(mt_fit_case_make(arena, model, values, factors, c));
    reduce(model, c);
    MT_TRY(mt_mapping_choose(arena, model->path, c, NULL, &r->choice));
    r->choice.cached = model->cached;
    MT_TRY(mt_problem_make(arena, c, model->cached, &r->problem));
    MT_TRY(mt_problem_fix(arena, &r->problem, c));
    MT_TRY(mt_problem_prepace(arena, c, model->cached, &r->problem));
    MT_TRY(mt_mapping_make(arena, c, &r->choice, &r->problem, &r->mapping));
    r->run = (mt_run){.path = model->path,
        .input = c,
        .problem = &r->problem,
        .backend = mt_case_backend(c),
        .layout = &r->mapping.layout,
        .until_activated = true,
        .what = "monodomain equation"};
    return mt_run_make(arena, &r->run);
}

/* Computes values at the vertices from those at the elements; NaN or infinite: none. */
static mt_status to_vertices(
    mt_arena *scratch, const mt_mesh *mesh, const double *of_element_ms, double **of_vertex_ms)
{
    float *values;
    MT_ALLOC(scratch, values, mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++)
        values[c] = isfinite(of_element_ms[c]) ? (float)of_element_ms[c] : NAN;
    return mt_vertex_mean(scratch, mesh, values, of_vertex_ms);
}

/* Averages the eikonal times as those of the run: over the elements and back. */
static mt_status average(mt_arena *scratch, const mt_fit_model *model, double **of_vertex_ms)
{
    const mt_mesh *mesh = &model->problem->mesh;
    double *mean_ms;
    MT_ALLOC(scratch, mean_ms, mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++)
        for (size_t i = 0; i < 4; i++) mean_ms[c] += model->time_ms[mesh->element_vertex[4 * c + i]] / 4;
    return to_vertices(scratch, mesh, mean_ms, of_vertex_ms);
}

static mt_status compare(const mt_fit_model *model, const double *run_ms, const double *eikonal_ms,
    double earliest_ms, double *defect_ms)
{
    for (size_t k = 0; k < model->n_points; k++) {
        const mt_fit_place *point = &model->point[k];
        defect_ms[k] = earliest_ms;
        for (size_t i = 0; i < 3; i++) {
            const uint32_t v = model->corner[3 * k + i];
            if (point->weight[i] > 0) defect_ms[k] += point->weight[i] * (run_ms[v] - eikonal_ms[v]);
        }
        if (isfinite(defect_ms[k])) continue;
        return mt_fail(MT_NUMERICS,
            "correction: found no activation at (%.4g, %.4g, %.4g) mm by the monodomain equation with the "
            "fitted conductivities and sites; on a coarse mesh use --eikonal-only, or refine it",
            point->xyz_mm[0], point->xyz_mm[1], point->xyz_mm[2]);
    }
    return MT_OK;
}

mt_status mt_fit_run_defect(
    const mt_fit_model *model, const mt_fit_values *values, const mt_fit_run *r, double *defect_ms)
{
    MT_SCRATCH(scratch);
    const double *run_ms = r->run.results.beats[0].activation_ms, *eikonal_ms = model->time_ms;
    double *averaged_ms, *of_run_ms;
    if (!r->problem.unknowns.at_vertices) {
        MT_TRY(to_vertices(scratch, &r->problem.mesh, run_ms, &of_run_ms));
        MT_TRY(average(scratch, model, &averaged_ms));
        run_ms = of_run_ms, eikonal_ms = averaged_ms;
    }
    return compare(model, run_ms, eikonal_ms, mt_fit_case_earliest_ms(values), defect_ms);
}
