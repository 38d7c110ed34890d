/* The case of a fit: that of the user with the fitted conductivities and stimuli. */
#pragma once

#include "app/fit/fit_model.h"

/* Factors of the converged CV of the groups, longitudinal and other, relative to the case. They determine the conductivities. */
typedef struct mt_fit_factors {
    double along[MT_FIT_GROUPS_MAX], across[MT_FIT_GROUPS_MAX];
} mt_fit_factors;

/* Returns the factors of fitted values. */
mt_fit_factors mt_fit_case_factors(const mt_fit_model *model, const mt_fit_values *values);

/* Builds the case with these conductivities and the sites of the values, in `arena`. Conductivities of a group are those of its medium,
 * longitudinal ones multiplied by the square of its longitudinal factor, the others by that of the other: CV is proportional to the
 * square root of the conductivity. They are stated in `tissue` and in the regions with their own tissue, in place of factors. The stimuli
 * are balls at the sites, the earliest one at 0 ms, the others at multiples of the time step. MT_MEMORY. */
MT_NODISCARD mt_status mt_fit_case_make(mt_arena *arena, const mt_fit_model *model,
    const mt_fit_values *values, const mt_fit_factors *factors, mt_case *fitted);

/* Sets the six conductivities of `to` to those of a group with these factors. */
void mt_fit_case_medium(
    const mt_fit_model *model, const mt_fit_factors *factors, size_t group, mt_medium *to);

/* Returns the start of the earliest site, which is 0 ms in the case. */
double mt_fit_case_earliest_ms(const mt_fit_values *values);
