#include "app/fit/fit_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/vec3.h"

/* ---- groups ---- */

/* Returns the group of a medium, and adds it if it is new. */
static mt_status group_of_medium(mt_fit_model *model, size_t medium, size_t *group)
{
    const mt_media *media = &model->problem->media;
    const size_t by = media->by ? media->by[medium] : MT_MEDIA_WHOLE;
    size_t g = 0;
    while (g < model->n_groups && model->group[g].by != by) g++;
    *group = g;
    if (g == model->n_groups) {
        model->group[model->n_groups++] = (mt_fit_group){.by = by, .medium = medium};
        return MT_OK;
    }
    if (model->group[g].medium == medium) return MT_OK;
    return mt_fail(MT_INPUT,
        "regions.%zu: found several tissues in it, as it overlaps earlier regions; allowed in a fit: one "
        "tissue in "
        "each region",
        by);
}

/* Sets the CV of a group to that of its most frequent cells. */
static void set_speed(const mt_fit_model *model, mt_fit_group *group, const size_t *n_of_variant)
{
    const mt_cell_speeds *speeds = model->speeds;
    const mt_tissue *tissue = &speeds->tissues.tissue[group->medium];
    const double d[] = {
        mt_tissue_diffusivity_l(tissue), mt_tissue_diffusivity_t(tissue), mt_tissue_diffusivity_n(tissue)};
    size_t variant = 0;
    for (size_t v = 1; v < speeds->n_variants; v++)
        if (n_of_variant[v] > n_of_variant[variant]) variant = v;
    for (int k = 0; k < 3; k++)
        group->speed_mm_ms[k] = speeds->speed_mm_ms[variant] * sqrt(d[k] / speeds->default_mm2_ms);
}

/* ---- elements ---- */

/* Computes the parts of the squared edges of an element in the metric of the case. */
static void measure(const mt_fit_model *model, size_t k)
{
    const mt_mesh *mesh = &model->problem->mesh;
    const size_t number = model->element[k];
    const uint32_t *v = &mesh->element_vertex[4 * number];
    double squared[3];
    (void)mt_cell_speeds_squared(model->speeds, number, squared);
    for (size_t e = 0; e < 6; e++) {
        double d[3];
        mt_minus3(&mesh->xyz_mm[3 * (size_t)v[mt_mesh_edge[e][0]]],
            &mesh->xyz_mm[3 * (size_t)v[mt_mesh_edge[e][1]]], d);
        const double along = mt_dot3(d, model->speeds->field.fibre + 3 * number);
        model->longitudinal[k][e] = along * along / squared[0];
        model->transverse[k][e] = fmax(model->eikonal.element[k].square[e] - model->longitudinal[k][e], 0);
    }
}

/* Lists the conducting elements with their groups. */
static mt_status list_elements(mt_arena *arena, mt_fit_model *model)
{
    MT_SCRATCH(scratch);
    const mt_problem *p = model->problem;
    size_t *n_of, n = 0;
    MT_ALLOC(scratch, n_of, MT_FIT_GROUPS_MAX * model->speeds->n_variants);
    MT_ALLOC(arena, model->element, model->eikonal.n_elements);
    MT_ALLOC(arena, model->group_of, model->eikonal.n_elements);
    for (size_t c = 0; c < p->mesh.n_elements; c++) {
        double squared[3];
        size_t group;
        if (!mt_cell_speeds_squared(model->speeds, c, squared)) continue;
        MT_TRY(group_of_medium(model, p->media.of ? p->media.of[c] : 0, &group));
        model->element[n] = (uint32_t)c;
        model->group_of[n++] = (uint8_t)group;
        model->group[group].n_elements++;
        n_of[group * model->speeds->n_variants + mt_cell_speeds_variant(p, c)]++;
    }
    for (size_t g = 0; g < model->n_groups; g++)
        set_speed(model, &model->group[g], n_of + g * model->speeds->n_variants);
    return MT_OK;
}

mt_status mt_fit_model_make(mt_arena *arena, mt_fit_model *model)
{
    const mt_eikonal_problem problem = {
        .mesh = &model->problem->mesh, .velocity = mt_cell_speeds_velocity, .context = model->speeds};
    MT_TRY(mt_eikonal_make(arena, &problem, &model->eikonal));
    model->eikonal.silent = true;
    MT_TRY(list_elements(arena, model));
    const size_t n = model->eikonal.n_elements;
    MT_ALLOC(arena, model->longitudinal, n);
    MT_ALLOC(arena, model->transverse, n);
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < n; k++) measure(model, k);
    MT_ALLOC(arena, model->time_ms, model->eikonal.n_points);
    MT_ALLOC(arena, model->mark, model->eikonal.n_points);
    MT_ALLOC(arena, model->launch_ms, model->speeds->n_variants);
    for (size_t v = 0; v < model->speeds->n_variants; v++) model->launch_ms[v] = NAN;
    return MT_OK;
}

mt_status mt_fit_model_set_points(
    mt_arena *arena, const mt_fit_surface *surface, size_t n, const mt_fit_place *place, mt_fit_model *model)
{
    uint32_t *corner;
    MT_ALLOC(arena, corner, 3 * n);
    for (size_t k = 0; k < n; k++)
        memcpy(corner + 3 * k, surface->mesh.face_vertex + 3 * (size_t)place[k].triangle, 3 * sizeof *corner);
    model->n_points = n, model->point = place, model->corner = corner;
    return MT_OK;
}

/* ---- steps ---- */

void mt_fit_model_step(const mt_fit_model *model, const double *step, mt_fit_values *values)
{
    for (size_t g = 0; g < model->n_groups; g++) {
        values->log_speed[g] += step[mt_fit_of_group(g)];
        values->log_ratio[g] += step[mt_fit_of_group(g) + 1];
    }
    values->offset_ms += step[mt_fit_of_offset(model, values)];
    for (size_t s = 0; s < values->n_sites; s++) {
        const double *own = step + mt_fit_of_site(model, s);
        mt_fit_site *site = &values->site[s];
        double tangent[2][3], to_mm[3];
        site->start_ms += own[2];
        if (own[0] == 0 && own[1] == 0) continue;
        mt_fit_surface_tangents(model->site_surface, site->place.triangle, tangent);
        for (int k = 0; k < 3; k++)
            to_mm[k] = site->place.xyz_mm[k] + own[0] * tangent[0][k] + own[1] * tangent[1][k];
        mt_fit_surface_project(model->site_surface, to_mm, &site->place);
    }
}
