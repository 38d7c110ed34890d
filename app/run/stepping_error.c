#include "app/run/stepping_error.h"

#include <math.h>

#include "solver/cable.h"

static const double length_mm = 10, dx_mm = 0.1;

/* Returns the mean APD90 of the central half of the cable; NaN if a point did not repolarise. */
static double mean_apd90(const mt_cable_wave *wave)
{
    double sum = 0;
    const size_t from = wave->n / 4, end = wave->n - from;
    for (size_t i = from; i < end; i++) sum += isfinite(wave->apd90_ms[i]) ? wave->apd90_ms[i] : NAN;
    return sum / (double)(end - from);
}

static mt_status compare(mt_arena *scratch, const mt_cable *cable, mt_stepping_error *error)
{
    mt_cable uniform = *cable;
    mt_cable_wave with, without;
    uniform.stepping = MT_STEPPING_UNIFORM;
    MT_TRY(mt_cable_run(scratch, cable, &with));
    MT_TRY(mt_cable_run(scratch, &uniform, &without));
    const double from_mm = length_mm / 4, to_mm = length_mm - from_mm;
    error->speed_percent =
        100 * (mt_cable_speed(&with, from_mm, to_mm) / mt_cable_speed(&without, from_mm, to_mm) - 1);
    error->apd90_ms = mean_apd90(&with) - mean_apd90(&without);
    return MT_OK;
}

mt_status mt_stepping_error_find(const mt_case *input, const mt_monodomain *problem, mt_stepping_error *error)
{
    const mt_tissue tissue = mt_case_tissue(input);
    const mt_cable cable = {.model = problem->model,
        .changed = mt_monodomain_variant(problem, 0),
        .diffusivity_mm2_ms = mt_tissue_diffusivity_l(&tissue),
        .length_mm = length_mm,
        .dx_mm = dx_mm,
        .dt_ms = problem->dt_ms,
        .end_ms = 1000,
        .splitting = problem->splitting,
        .stepping = problem->stepping,
        .tolerance_mV = problem->tolerance_mV,
        .repolarises = true,
        .stimulated_mm = 1,
        .duration_ms = 2,
        .rise_mV_ms = 50};
    MT_SCRATCH(scratch);
    return compare(scratch, &cable, error);
}
