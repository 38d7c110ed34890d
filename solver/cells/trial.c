#include "solver/cells/trial.h"

#include <math.h>
#include <string.h>

#include "solver/cells/beats.h"
#include "solver/cells/pacing.h"
#include "solver/kernels/block.h"

mt_status mt_trial_run(mt_arena *arena, const mt_cell_model *model, const mt_cell_variant *variant,
    double dt_ms, mt_trial *trial)
{
    MT_SCRATCH(scratch);
    const size_t n = model->n_states, each = (size_t)llround(MT_TRIAL_EVERY_MS / dt_ms),
                 steps = MT_TRIAL_SAMPLES * each;
    mt_lone_cell cell;
    mt_beats beats;
    trial->states = NULL;
    if (arena) MT_ALLOC(arena, trial->states, MT_TRIAL_SAMPLES * n);
    MT_TRY(mt_lone_cell_make(scratch, model, variant, dt_ms, false, variant->v_mV, variant->states, &cell));
    MT_TRY(mt_beats_begin(scratch, 1, steps, dt_ms, variant->v_mV, NAN, &beats));
    for (size_t s = 0; s < steps; s++) {
        const double time_ms = ((double)s + 0.5) * dt_ms - MT_TRIAL_START_MS;
        const bool on = time_ms > 0 && time_ms < MT_TRIAL_PULSE_MS;
        MT_TRY(mt_lone_cell_step(&cell, on ? MT_TRIAL_RISE_mV_MS : 0));
        mt_beats_add(&beats, cell.v_mV, NAN);
        if (s % each != each - 1) continue;
        trial->v_mV[s / each] = cell.v_mV;
        if (arena) memcpy(trial->states + s / each * n, cell.state, n * sizeof *cell.state);
    }
    mt_beats_end(&beats);
    trial->peak_mV = beats.beat[0].peak_mV;
    trial->apd90_ms = beats.beat[0].apd_ms[MT_APD90];
    return MT_OK;
}

/* Adds diffusion and stimulus of one step to V of a cable with closed ends. */
static void diffuse(double number, double rise_mV, const double *v, double *to)
{
    enum { LAST = MT_TRIAL_CABLE - 1, STIMULATED = 5 };
    for (size_t k = 0; k <= LAST; k++)
        to[k] = v[k] + number * (v[k > 0 ? k - 1 : 0] - 2 * v[k] + v[k < LAST ? k + 1 : LAST]) +
                (k < STIMULATED ? rise_mV : 0);
}

static bool all_in_range(const double *v)
{
    for (size_t k = 0; k < MT_TRIAL_CABLE; k++)
        if (!(fabs(v[k]) <= MT_LONE_CELL_MOST_MV)) return false;
    return true;
}

mt_status mt_trial_run_cable(const mt_cell_model *model, const mt_cell_variant *variant, double dt_ms)
{
    MT_SCRATCH(scratch);
    const double interval_mm = 0.2;
    const size_t n = model->n_states, steps = (size_t)llround(MT_TRIAL_CABLE_MS / dt_ms);
    double v[2][MT_TRIAL_CABLE], *states, *constants;
    MT_ALLOC(scratch, states, n * MT_TRIAL_CABLE);
    MT_ALLOC(scratch, constants, model->n_constants);
    mt_cell_constants_double(model, variant, 1, constants);
    for (size_t cell = 0; cell < MT_TRIAL_CABLE; cell++) {
        v[0][cell] = variant->v_mV;
        for (size_t k = 0; k < n; k++)
            states[mt_block_index(MT_TRIAL_CABLE, n, cell, k)] = variant->states[k];
    }
    for (size_t s = 0; s < steps; s++) {
        const double time_ms = ((double)s + 0.5) * dt_ms - MT_TRIAL_START_MS;
        const bool on = time_ms > 0 && time_ms < MT_TRIAL_PULSE_MS;
        diffuse(MT_TRIAL_DIFFUSIVITY_MM2_MS * dt_ms / (interval_mm * interval_mm),
            on ? dt_ms * MT_TRIAL_RISE_mV_MS : 0, v[0], v[1]);
        mt_cell_react_double(model, constants, 1, NULL, dt_ms, MT_TRIAL_CABLE, states, v[1], v[0]);
        if (!all_in_range(v[0]))
            return mt_fail(MT_NUMERICS, "cable: V leaves -200 .. 200 mV at %g ms", (double)s * dt_ms);
    }
    return MT_OK;
}

double mt_trial_difference_mV(const mt_trial *a, const mt_trial *b)
{
    double sum = 0;
    for (size_t k = 0; k < MT_TRIAL_SAMPLES; k++)
        sum += (a->v_mV[k] - b->v_mV[k]) * (a->v_mV[k] - b->v_mV[k]);
    return sqrt(sum / MT_TRIAL_SAMPLES);
}
