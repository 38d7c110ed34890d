#include "app/fit/bootstrap.h"

#include <math.h>
#include <stdint.h>

#include "app/fit/fit_times.h"
#include "data/core/hash.h"
#include "data/core/progress.h"
#include "data/core/vec3.h"

enum { STEPS = 15 };
static const uint64_t seed = 1;

/* Returns the next uniform number in (0, 1). used: numbers taken from the sequence. */
static double uniform(uint64_t *used)
{
    return ((double)(mt_random_bits(seed, (*used)++) >> 11) + 0.5) * 0x1p-53;
}

/* Returns the next normal number, by Box and Muller. */
static double normal(uint64_t *used)
{
    const double u = uniform(used), v = uniform(used);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Computes the difference of two values by parameters. */
static void difference(
    const mt_fit_model *model, const mt_fit_values *a, const mt_fit_values *b, double *difference)
{
    for (size_t g = 0; g < model->n_groups; g++) {
        difference[mt_fit_of_group(g)] = a->log_speed[g] - b->log_speed[g];
        difference[mt_fit_of_group(g) + 1] = a->log_ratio[g] - b->log_ratio[g];
    }
    for (size_t s = 0; s < a->n_sites; s++) {
        double *own = difference + mt_fit_of_site(model, s), tangent[2][3], way[3];
        mt_fit_surface_tangents(model->site_surface, b->site[s].place.triangle, tangent);
        mt_minus3(a->site[s].place.xyz_mm, b->site[s].place.xyz_mm, way);
        own[0] = mt_dot3(way, tangent[0]), own[1] = mt_dot3(way, tangent[1]);
        own[2] = a->site[s].start_ms - b->site[s].start_ms;
    }
    difference[mt_fit_of_offset(model, a)] = a->offset_ms - b->offset_ms;
}

mt_status mt_fit_bootstrap(mt_fit_model *model, const mt_fit_data *data, const mt_fit_minimum *minimum,
    double noise_ms, size_t n, double spread[MT_FIT_PARAMETERS_MAX])
{
    MT_SCRATCH(scratch);
    uint64_t used = 0;
    double *lat_ms, *exact_ms, *fitted_ms, change[MT_FIT_PARAMETERS_MAX],
        sum[MT_FIT_PARAMETERS_MAX] = {0}, squares[MT_FIT_PARAMETERS_MAX] = {0};
    const size_t n_parameters = mt_fit_n_parameters(model, &minimum->values);
    MT_ALLOC(scratch, lat_ms, data->n);
    MT_ALLOC(scratch, exact_ms, data->n);
    MT_ALLOC(scratch, fitted_ms, data->n);
    mt_fit_data drawn = *data;
    drawn.lat_ms = lat_ms;
    if (n > 0) MT_TRY(mt_fit_model_times(model, &minimum->values, exact_ms));
    for (size_t i = 0; i < n; i++) {
        mt_fit_minimum m = *minimum;
        mt_progress_stage_part("bootstrap", (double)i / (double)n);
        for (size_t k = 0; k < data->n; k++)
            lat_ms[k] = exact_ms[k] + noise_ms / sqrt(data->weight[k]) * normal(&used);
        MT_TRY(mt_least_squares(model, &drawn, STEPS, &m, fitted_ms));
        difference(model, &m.values, &minimum->values, change);
        for (size_t p = 0; p < n_parameters; p++) sum[p] += change[p], squares[p] += change[p] * change[p];
    }
    for (size_t p = 0; p < n_parameters; p++)
        spread[p] = n > 1 ? sqrt(fmax(squares[p] - sum[p] * sum[p] / (double)n, 0) / (double)(n - 1)) : NAN;
    return MT_OK;
}
