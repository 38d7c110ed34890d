/* A run of the monodomain equation with the values of a fit, until all tissue is activated, with the backend cpu. */
#pragma once

#include "app/fit/fit_case.h"
#include "app/run/mapping.h"
#include "app/run/run.h"

typedef struct mt_fit_run {
    mt_case input;
    mt_problem problem;
    mt_mapping_choice choice;
    mt_mapping mapping;
    mt_run run; /* points to the members above; complete for app/results */
} mt_fit_run;

/* Executes the run in `arena`; `run` must not be moved afterwards. model->time_ms are the eikonal times of these values, which determine
 * its longest time. Reports progress. Returns the errors of mt_problem_make and mt_run_make. */
MT_NODISCARD mt_status mt_fit_run_make(mt_arena *arena, const mt_fit_model *model,
    const mt_fit_values *values, const mt_fit_factors *factors, mt_fit_run *run);

/* Computes the LAT of the run minus the eikonal ones, model->time_ms, at the measured points: defect_ms [points]. Both maps have the same
 * places: with voltages at the elements also the eikonal times are averaged to elements and back to vertices. MT_NUMERICS: the run does not
 * activate a point. */
MT_NODISCARD mt_status mt_fit_run_defect(
    const mt_fit_model *model, const mt_fit_values *values, const mt_fit_run *run, double *defect_ms);
