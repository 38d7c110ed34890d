#include "solver/cells/pacing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ipu/run/engine.h"

/* ---- the cell ---- */

mt_status mt_lone_cell_make(mt_arena *arena, const mt_cell_model *model, const mt_cell_variant *variant,
    double dt_ms, bool single, double v_mV, const double *states, mt_lone_cell *cell)
{
    *cell = (mt_lone_cell){.model = model, .dt_ms = dt_ms, .v_mV = v_mV};
    MT_ALLOC(arena, cell->parameters, model->n_parameters);
    MT_ALLOC(arena, cell->constants, model->n_constants);
    MT_ALLOC(arena, cell->state, model->n_states);
    mt_cell_constants_double(model, variant, 1, cell->constants);
    memcpy(cell->parameters, variant->parameters, model->n_parameters * sizeof *cell->parameters);
    memcpy(cell->state, states, model->n_states * sizeof *states);
    if (!single) return MT_OK;
    MT_ALLOC(arena, cell->single_constants, model->n_constants);
    MT_ALLOC(arena, cell->single, model->n_states);
    mt_cell_constants_float(model, variant, 1, cell->single_constants);
    for (size_t k = 0; k < model->n_states; k++) cell->single[k] = (float)states[k];
    cell->v_mV = (double)(float)v_mV;
    return MT_OK;
}

static void step_in_double(mt_lone_cell *cell, double rise_mV_ms)
{
    double v = cell->v_mV;
    if (rise_mV_ms != 0) v += cell->dt_ms * rise_mV_ms;
    if (cell->carried)
        cell->state[cell->model->carrier] += cell->dt_ms * rise_mV_ms * cell->model->carrier_per_mV;
    mt_cell_react_double(cell->model, cell->constants, 1, NULL, cell->dt_ms, 1, cell->state, &v, &v);
    cell->v_mV = v;
}

static void step_in_single(mt_lone_cell *cell, double rise_mV_ms)
{
    float v = (float)cell->v_mV;
    if (rise_mV_ms != 0) v += (float)(cell->dt_ms * rise_mV_ms);
    if (cell->carried)
        cell->single[cell->model->carrier] += (float)(cell->dt_ms * rise_mV_ms * cell->model->carrier_per_mV);
    const uint64_t before = ipu_begin_flushing();
    mt_cell_react_float(cell->model, cell->single_constants, 1, NULL, cell->dt_ms, 1, cell->single, &v, &v);
    ipu_end_flushing(before);
    cell->v_mV = (double)v;
}

static mt_status impossible(double v_mV)
{
    char value[32] = "not a number";
    if (!isnan(v_mV)) (void)snprintf(value, sizeof value, "%g mV", v_mV);
    return mt_fail(MT_NUMERICS, "V is %s; it must stay within -200 .. 200 mV", value);
}

mt_status mt_lone_cell_step(mt_lone_cell *cell, double rise_mV_ms)
{
    (cell->single ? step_in_single : step_in_double)(cell, rise_mV_ms);
    return fabs(cell->v_mV) <= MT_LONE_CELL_MOST_MV ? MT_OK : impossible(cell->v_mV);
}

const double *mt_lone_cell_states(const mt_lone_cell *cell)
{
    for (size_t k = 0; cell->single && k < cell->model->n_states; k++)
        cell->state[k] = (double)cell->single[k];
    return cell->state;
}

/* ---- pulses ---- */

static mt_status check_pulses(const mt_pulses *p, double dt_ms)
{
    const double end_ms = p->start_ms + p->duration_ms, most = MT_PULSE_STEPS_MAX;
    if (!(p->start_ms >= 0 && p->duration_ms >= 0))
        return mt_fail(MT_INPUT, "start %g, duration %g; allowed: at least 0", p->start_ms, p->duration_ms);
    if (!(end_ms / dt_ms <= most))
        return mt_fail(MT_INPUT, "start %g, duration %g: ends after %.3g steps of %g ms; allowed: at most %g",
            p->start_ms, p->duration_ms, end_ms / dt_ms, dt_ms, most);
    if (isinf(p->bcl_ms)) return MT_OK;
    if (!(p->bcl_ms >= dt_ms))
        return mt_fail(MT_INPUT, "bcl %g ms; allowed: at least one step, %g ms", p->bcl_ms, dt_ms);
    if (!(end_ms <= p->bcl_ms))
        return mt_fail(MT_INPUT, "start %g, duration %g: ends after the cycle of %g ms", p->start_ms,
            p->duration_ms, p->bcl_ms);
    if (!((double)p->beats * p->bcl_ms / dt_ms <= most))
        return mt_fail(MT_INPUT, "%zu beats, bcl %g ms: %.3g steps of %g ms; allowed: at most %g", p->beats,
            p->bcl_ms, (double)p->beats * p->bcl_ms / dt_ms, dt_ms, most);
    return MT_OK;
}

mt_status mt_pulses_in_steps(const mt_pulses *pulses, double dt_ms, mt_pulse_steps *steps)
{
    MT_TRY(check_pulses(pulses, dt_ms));
    *steps = (mt_pulse_steps){
        .cycle = isinf(pulses->bcl_ms) ? SIZE_MAX : (size_t)llround(pulses->bcl_ms / dt_ms),
        .beats = pulses->beats,
        .on = (size_t)llround(pulses->start_ms / dt_ms),
        .off = (size_t)llround((pulses->start_ms + pulses->duration_ms) / dt_ms),
    };
    return MT_OK;
}

mt_status mt_lone_cell_record(mt_arena *arena, mt_lone_cell *cell, const mt_pulse_steps *steps,
    double rise_mV_ms, size_t n, size_t n_beats, mt_beats *beats)
{
    MT_TRY(mt_beats_begin(arena, n_beats, steps->cycle, cell->dt_ms, cell->v_mV, NAN, beats));
    for (size_t s = 0; s < n; s++) {
        MT_TRY(mt_lone_cell_step(cell, mt_pulse_is_on(steps, s) ? rise_mV_ms : 0));
        mt_beats_add(beats, cell->v_mV, NAN);
    }
    mt_beats_end(beats);
    return MT_OK;
}

/* ---- pacing ---- */

static mt_status one_beat(mt_lone_cell *cell, const mt_pulse_steps *steps, double rise_mV_ms)
{
    size_t s = 0;
    for (; s < steps->on; s++) MT_TRY(mt_lone_cell_step(cell, 0));
    for (; s < steps->off; s++) MT_TRY(mt_lone_cell_step(cell, rise_mV_ms));
    for (; s < steps->cycle; s++) MT_TRY(mt_lone_cell_step(cell, 0));
    return MT_OK;
}

mt_status mt_cell_pace(const mt_cell_model *model, const mt_cell_variant *variant, double dt_ms,
    const mt_pulses *pulses, mt_cell_continue *go_on, void *user, double *v_mV, double *states)
{
    mt_pulse_steps steps;
    mt_lone_cell cell;
    MT_SCRATCH(scratch);
    MT_TRY(mt_pulses_in_steps(pulses, dt_ms, &steps));
    if (isinf(pulses->bcl_ms)) return mt_fail(MT_INPUT, "pacing: bcl is infinite");
    MT_TRY(mt_lone_cell_make(scratch, model, variant, dt_ms, false, *v_mV, states, &cell));
    cell.carried = pulses->carried;
    for (size_t beat = 1; beat <= steps.beats; beat++) {
        const mt_status status = one_beat(&cell, &steps, pulses->rise_mV_ms);
        if (status != MT_OK) return mt_fail(status, "pacing, beat %zu: %s", beat, mt_message());
        if (go_on && !go_on(user, beat)) return mt_fail(MT_STOPPED, "stopped while pacing a cell");
    }
    *v_mV = cell.v_mV;
    memcpy(states, cell.state, model->n_states * sizeof *states);
    return MT_OK;
}
