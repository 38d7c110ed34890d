#include "app/fit/fit_case.h"

#include <math.h>

mt_fit_factors mt_fit_case_factors(const mt_fit_model *model, const mt_fit_values *values)
{
    mt_fit_factors factors;
    for (size_t g = 0; g < model->n_groups; g++) {
        factors.along[g] = exp(values->log_speed[g]);
        factors.across[g] = exp(values->log_speed[g] - values->log_ratio[g]);
    }
    return factors;
}

double mt_fit_case_earliest_ms(const mt_fit_values *values)
{
    double earliest_ms = INFINITY;
    for (size_t s = 0; s < values->n_sites; s++) earliest_ms = fmin(earliest_ms, values->site[s].start_ms);
    return earliest_ms;
}

void mt_fit_case_medium(const mt_fit_model *model, const mt_fit_factors *factors, size_t group, mt_medium *to)
{
    const mt_medium *medium = &model->problem->media.medium[model->group[group].medium];
    const double l = factors->along[group] * factors->along[group],
                 t = factors->across[group] * factors->across[group];
    to->intracellular_l_mS_mm = l * medium->intracellular_l_mS_mm;
    to->extracellular_l_mS_mm = l * medium->extracellular_l_mS_mm;
    to->intracellular_t_mS_mm = t * medium->intracellular_t_mS_mm;
    to->extracellular_t_mS_mm = t * medium->extracellular_t_mS_mm;
    to->intracellular_n_mS_mm = t * medium->intracellular_n_mS_mm;
    to->extracellular_n_mS_mm = t * medium->extracellular_n_mS_mm;
}

/* Returns the multiple of the time step that is nearest to a start, as a run uses it. */
static double start_of_step(const mt_case *c, double start_ms)
{
    return round(start_ms / c->time.dt_ms) * c->time.dt_ms;
}

static mt_status put_stimuli(
    mt_arena *arena, const mt_fit_model *model, const mt_fit_values *values, mt_case *fitted)
{
    const double earliest_ms = mt_fit_case_earliest_ms(values);
    fitted->n_stimuli = values->n_sites;
    MT_ALLOC(arena, fitted->stimuli, values->n_sites);
    for (size_t s = 0; s < values->n_sites; s++) {
        mt_case_stimulus *stimulus = &fitted->stimuli[s];
        *stimulus = (mt_case_stimulus){.region = mt_region_empty,
            .start_ms = start_of_step(fitted, values->site[s].start_ms - earliest_ms),
            .duration_ms = model->stimulus.duration_ms,
            .period_ms = NAN,
            .count = 1,
            .strength_uA_mm3 = model->stimulus.strength_uA_mm3};
        for (int k = 0; k < 3; k++) stimulus->region.centre_mm[k] = values->site[s].place.xyz_mm[k];
        stimulus->region.radius_mm = model->stimulus.radius_mm;
    }
    return MT_OK;
}

mt_status mt_fit_case_make(mt_arena *arena, const mt_fit_model *model, const mt_fit_values *values,
    const mt_fit_factors *factors, mt_case *fitted)
{
    *fitted = *model->input;
    MT_COPY(arena, fitted->regions, model->input->regions, model->input->n_regions);
    for (size_t g = 0; g < model->n_groups; g++) {
        const size_t by = model->group[g].by;
        mt_medium *to = by == MT_MEDIA_WHOLE ? &fitted->tissue : &fitted->regions[by].tissue.named;
        if (by != MT_MEDIA_WHOLE) fitted->regions[by].tissue.conductivity_factor = NAN;
        mt_fit_case_medium(model, factors, g, to);
    }
    return put_stimuli(arena, model, values, fitted);
}
