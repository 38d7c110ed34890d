/* One cell by itself: its steps, and pacing, which takes it to the state that it has after many beats.
 *
 * A step is that of tissue without diffusion (solver/monodomain.h): a stimulus adds to V, then comes the model's step. In single
 * precision it is the machine's: subnormal numbers count as zero.
 *
 * Whose charge a stimulus is does not matter for a beat, but it does for many: V rises without ions, and each beat then loses
 * potassium for what V falls. A stimulus that is carried by potassium puts it back, as the CellML versions of models have it.
 *
 *     mt_lone_cell cell;
 *     MT_TRY(mt_lone_cell_make(arena, model, variant, dt_ms, false, variant->v_mV, variant->states, &cell));
 *     for (size_t s = 0; s < n; s++) MT_TRY(mt_lone_cell_step(&cell, mt_pulse_is_on(&steps, s) ? rise_mV_ms : 0));
 */
#pragma once

#include <stdbool.h>

#include "data/core/arena.h"
#include "solver/cells/model.h"

/* ---- the cell */

typedef struct mt_lone_cell {
    const mt_cell_model *model;
    double *constants; /* [n_constants] of its variant */
    double dt_ms;
    bool
        carried; /* the charge of stimuli comes with the model's carrier, K_i of tp06, whose amount changes (model->carrier) */
    double v_mV;
    double *state; /* [n_states]; not those of now where there is a `single` */
    float *single; /* [n_states] in single precision; NULL: the cell is computed in double */
    float *single_constants;
} mt_lone_cell;

/* Gives a cell with the parameters of the variant, wherever that rests, with this V and a copy of these states [n_states]; keeps the
 * model. Stimuli are not carried, unless the caller says so. MT_MEMORY. */
MT_NODISCARD mt_status mt_lone_cell_make(mt_arena *arena, const mt_cell_model *model,
    const mt_cell_variant *variant, double dt_ms, bool single, double v_mV, const double *states,
    mt_lone_cell *cell);

/* One step, in which a stimulus changes V by rise_mV_ms a millisecond. MT_NUMERICS: V has left -200 .. 200 mV. */
MT_NODISCARD mt_status mt_lone_cell_step(mt_lone_cell *cell, double rise_mV_ms);

/* The states of now [n_states], valid until the next step; and one of them. */
const double *mt_lone_cell_states(const mt_lone_cell *cell);
static inline double mt_lone_cell_state(const mt_lone_cell *cell, size_t k)
{
    return cell->single ? (double)cell->single[k] : cell->state[k];
}

/* ---- pulses */

/* One in each of `beats` cycles: from start_ms of the cycle on V changes by rise_mV_ms a millisecond for duration_ms. */
typedef struct mt_pulses {
    double bcl_ms; /* the basic cycle length, from pulse to pulse; INFINITY: there is only one cycle */
    size_t beats;
    double start_ms, duration_ms, rise_mV_ms;
    bool carried; /* mt_lone_cell.carried, of cells that are paced */
} mt_pulses;

/* The same in whole steps: a pulse is on in the steps on <= s < off of its cycle. */
typedef struct mt_pulse_steps {
    size_t cycle, beats, on, off; /* cycle SIZE_MAX: the only one */
} mt_pulse_steps;

enum { MT_PULSE_STEPS_MAX = 1000000000 }; /* of all cycles, and up to the end of a pulse */

/* Rounds times to whole steps. MT_INPUT, with a text that names bcl, start and duration: below 0, a pulse that ends behind its
 * cycle, more than MT_PULSE_STEPS_MAX steps. */
MT_NODISCARD mt_status mt_pulses_in_steps(const mt_pulses *pulses, double dt_ms, mt_pulse_steps *steps);

/* Is there a pulse in this step, counted from the start of the first cycle? */
static inline bool mt_pulse_is_on(const mt_pulse_steps *p, size_t step)
{
    const size_t in_cycle = step % p->cycle;
    return in_cycle >= p->on && in_cycle < p->off && step / p->cycle < p->beats;
}

/* ---- pacing */

/* Asked at the end of every beat, with the number of beats done; false: stop. */
typedef bool mt_cell_go_on(void *user, size_t beats);

/* Paces a cell in double precision for pulses->beats whole cycles: *v_mV and states [n_states] are where it begins and where it
 * ends, at the start of the next cycle. go_on may be NULL. MT_INPUT: as mt_pulses_in_steps, and a cycle without end. MT_NUMERICS:
 * V left -200 .. 200 mV; the message says in which beat. MT_STOPPED. MT_MEMORY. Where it fails V and states are as they were. */
MT_NODISCARD mt_status mt_cell_pace(const mt_cell_model *model, const mt_cell_variant *variant, double dt_ms,
    const mt_pulses *pulses, mt_cell_go_on *go_on, void *user, double *v_mV, double *states);
