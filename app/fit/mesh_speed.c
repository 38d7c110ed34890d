#include "app/fit/mesh_speed.h"

#include <math.h>

#include "data/core/progress.h"

enum { ROUNDS = 6 };
static const double converged = 0.005, largest_error = 0.25;

/* Returns the front with the most elements in a group. */
static const mt_front *front_of(const mt_fit_model *model, const mt_fronts *fronts, size_t group)
{
    const mt_front *most = NULL;
    for (size_t k = 0; k < fronts->n; k++) {
        const mt_front *front = &fronts->front[k];
        if (front->medium == model->group[group].medium && (!most || front->n_elements > most->n_elements))
            most = front;
    }
    return most;
}

/* Stores the errors of the groups. MT_NUMERICS: one is too large. */
static mt_status take_errors(const mt_fit_model *model, const mt_fronts *fronts, double *late)
{
    for (size_t g = 0; g < model->n_groups; g++) {
        const mt_front *front = front_of(model, fronts, g);
        late[2 * g] = late[2 * g + 1] = 0;
        if (!front || !front->measured) continue;
        late[2 * g] = front->calibration.errors.sector[0];
        late[2 * g + 1] = front->calibration.errors.sector[MT_CORNER_SECTORS - 1];
        if (fabs(late[2 * g]) < largest_error && fabs(late[2 * g + 1]) < largest_error) continue;
        return mt_fail(MT_NUMERICS,
            "correction: found element size %.3g mm, with which activation times in the fitted tissue are "
            "%.0f %% "
            "(longitudinal) and %.0f %% (transverse) off; needed: at most %.0f %%; refine the mesh, or use "
            "--eikonal-only",
            front->length_mm, 100 * late[2 * g], 100 * late[2 * g + 1], 100 * largest_error);
    }
    return MT_OK;
}

/* Measures the errors with the conductivities of these factors. */
static mt_status measure(const mt_fit_model *model, const mt_fit_factors *factors, double *late)
{
    MT_SCRATCH(scratch);
    const mt_problem *p = model->problem;
    mt_media media = p->media;
    mt_fronts fronts;
    MT_COPY(scratch, media.medium, p->media.medium, media.n);
    for (size_t g = 0; g < model->n_groups; g++)
        mt_fit_case_medium(model, factors, g, &media.medium[model->group[g].medium]);
    MT_TRY(mt_fronts_make(
        scratch, model->input, &p->mesh, &p->adjacency, &media, &p->monodomain, model->cached, &fronts));
    return take_errors(model, &fronts, late);
}

mt_status mt_mesh_speed_realise(const mt_fit_model *model, const mt_fit_values *values,
    mt_fit_factors *factors, double late[2 * MT_FIT_GROUPS_MAX])
{
    const mt_fit_factors target = mt_fit_case_factors(model, values);
    *factors = target;
    mt_progress_stage("measuring CV on elements of this size");
    for (int round = 0; round < ROUNDS; round++) {
        double change = 0;
        MT_TRY(measure(model, factors, late));
        for (size_t g = 0; g < model->n_groups; g++) {
            const double along = target.along[g] * (1 + late[2 * g]),
                         across = target.across[g] * (1 + late[2 * g + 1]);
            change = fmax(change, fabs(log(along / factors->along[g])));
            change = fmax(change, fabs(log(across / factors->across[g])));
            factors->along[g] = along, factors->across[g] = across;
        }
        if (change < converged) break;
    }
    return MT_OK;
}
