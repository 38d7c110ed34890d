#include "solver/cells/restitution.h"

#include <math.h>
#include <string.h>

/* ---- S1-S2 ---- */

mt_status mt_restitution_premature(const mt_cell_model *model, const mt_cell_variant *variant, double dt_ms,
    const mt_pulses *pulses, double interval_ms, double v_mV, const double *states, mt_beat *beat)
{
    mt_pulses both = *pulses;
    mt_pulse_steps steps;
    mt_lone_cell cell;
    mt_beats beats;
    MT_SCRATCH(scratch);
    both.bcl_ms = interval_ms, both.beats = 2;
    MT_TRY(mt_pulses_in_steps(&both, dt_ms, &steps));
    const size_t n = steps.cycle + (size_t)llround(pulses->bcl_ms / dt_ms);
    MT_TRY(mt_lone_cell_make(scratch, model, variant, dt_ms, false, v_mV, states, &cell));
    cell.carried = pulses->carried;
    MT_TRY(mt_lone_cell_record(scratch, &cell, &steps, both.rise_mV_ms, n, 2, &beats));
    *beat = beats.beat[1];
    return MT_OK;
}

/* ---- dynamic ---- */

mt_status mt_restitution_paced(const mt_cell_model *model, const mt_cell_variant *variant, double dt_ms,
    const mt_pulses *pulses, double *v_mV, double *states, mt_beat beats[2])
{
    if (pulses->beats < MT_RESTITUTION_BEATS_LEAST)
        return mt_fail(MT_INPUT, "%zu beats per cycle length; allowed: at least %d", pulses->beats,
            MT_RESTITUTION_BEATS_LEAST);
    MT_SCRATCH(scratch);
    mt_pulses before = *pulses;
    mt_pulse_steps steps;
    mt_lone_cell cell;
    mt_beats all;
    double *paced;
    MT_COPY(scratch, paced, states, model->n_states);
    double v = *v_mV;
    before.beats -= MT_RESTITUTION_BEATS_LEAST;
    MT_TRY(mt_cell_pace(model, variant, dt_ms, &before, NULL, NULL, &v, paced));
    MT_TRY(mt_pulses_in_steps(pulses, dt_ms, &steps));
    MT_TRY(mt_lone_cell_make(scratch, model, variant, dt_ms, false, v, paced, &cell));
    cell.carried = pulses->carried;
    MT_TRY(mt_lone_cell_record(scratch, &cell, &steps, pulses->rise_mV_ms,
        MT_RESTITUTION_BEATS_LEAST * steps.cycle, MT_RESTITUTION_BEATS_LEAST, &all));
    memcpy(beats, all.beat + MT_RESTITUTION_BEATS_LEAST - 3, 2 * sizeof *beats);
    *v_mV = cell.v_mV;
    memcpy(states, cell.state, model->n_states * sizeof *states);
    return MT_OK;
}

bool mt_restitution_is_point(const mt_beat *beat)
{
    return isfinite(beat->apd_ms[MT_APD90]) && beat->interval_ms > 0;
}
