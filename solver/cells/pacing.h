/* A single cell: its time steps, and pacing, which computes the state after many beats.
 *
 * A step is that of tissue without diffusion (solver/monodomain.h): a stimulus is added to V, then the model takes a step. Single precision
 * is that of the machine: subnormal numbers are flushed to zero.
 *
 * The carrier of the stimulus charge is irrelevant for one beat but not for many: without ions V rises for free, and each beat loses
 * potassium as V falls. A stimulus carried by potassium restores it, as in the CellML versions of models.
 *
 *     mt_lone_cell cell;
 *     MT_TRY(mt_lone_cell_make(arena, model, variant, dt_ms, false, variant->v_mV, variant->states, &cell));
 *     for (size_t s = 0; s < n; s++) MT_TRY(mt_lone_cell_step(&cell, mt_pulse_is_on(&steps, s) ? rise_mV_ms : 0)); */
#pragma once

#include <stdbool.h>

#include "data/core/arena.h"
#include "solver/cells/beats.h"
#include "solver/cells/model.h"

/* ---- cell */

typedef struct mt_lone_cell {
    const mt_cell_model *model;
    double *parameters, *constants; /* [n_parameters], [n_constants] of its variant */
    double dt_ms;
    bool carried; /* stimuli change the amount of the carrier ion: K_i of tp06 (model->carrier) */
    double v_mV;
    double *state; /* [n_states]; outdated if `single` is not NULL */
    float *single; /* [n_states] in single precision; NULL: computed in double precision */
    float *single_constants;
} mt_lone_cell;

/* Creates a cell with the variant's parameters, this V and a copy of these states [n_states]; stores `model`. Stimuli have no carrier until
 * the caller sets it. MT_MEMORY. */
MT_NODISCARD mt_status mt_lone_cell_make(mt_arena *arena, const mt_cell_model *model,
    const mt_cell_variant *variant, double dt_ms, bool single, double v_mV, const double *states,
    mt_lone_cell *cell);

#define MT_LONE_CELL_MOST_MV 200.0

/* Takes one step, in which a stimulus changes V by rise_mV_ms [mV/ms]. MT_NUMERICS if |V| exceeds MT_LONE_CELL_MOST_MV. */
MT_NODISCARD mt_status mt_lone_cell_step(mt_lone_cell *cell, double rise_mV_ms);

/* Return the current states [n_states], valid until the next step; and one of them. */
const double *mt_lone_cell_states(const mt_lone_cell *cell);
static inline double mt_lone_cell_state(const mt_lone_cell *cell, size_t k)
{
    return cell->single ? (double)cell->single[k] : cell->state[k];
}

/* ---- pulses */

/* Pacing pulses, one in each of `beats` cycles: from start_ms of the cycle V changes by rise_mV_ms per millisecond for duration_ms. */
typedef struct mt_pulses {
    double bcl_ms; /* basic cycle length (BCL); INFINITY: a single cycle */
    size_t beats;
    double start_ms, duration_ms, rise_mV_ms;
    bool carried; /* mt_lone_cell.carried of the paced cells */
} mt_pulses;

/* The pulses in whole steps: a pulse is on in the steps on <= s < off of its cycle. */
typedef struct mt_pulse_steps {
    size_t cycle, beats, on, off; /* cycle SIZE_MAX: a single cycle */
} mt_pulse_steps;

enum { MT_PULSE_STEPS_MAX = 1000000000 }; /* in all cycles, and up to the end of a pulse */

/* Rounds times to whole steps. MT_INPUT, with a message that names bcl, start and duration, if a time is negative, a pulse ends after its
 * cycle, or there are more than MT_PULSE_STEPS_MAX steps. */
MT_NODISCARD mt_status mt_pulses_in_steps(const mt_pulses *pulses, double dt_ms, mt_pulse_steps *steps);

/* True if a pulse is on in this step, counted from the start of the first cycle. */
static inline bool mt_pulse_is_on(const mt_pulse_steps *p, size_t step)
{
    const size_t in_cycle = step % p->cycle;
    return in_cycle >= p->on && in_cycle < p->off && step / p->cycle < p->beats;
}

/* Advances a cell by n steps with these pulses, and records its first n_beats beats in `arena`, without calcium. MT_NUMERICS as for a step.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_lone_cell_record(mt_arena *arena, mt_lone_cell *cell, const mt_pulse_steps *steps,
    double rise_mV_ms, size_t n, size_t n_beats, mt_beats *beats);

/* ---- pacing */

/* Called at the end of every beat with the number of completed beats; returns false to stop. */
typedef bool mt_cell_continue(void *user, size_t beats);

/* Paces a cell in double precision for pulses->beats complete cycles, from *v_mV and states [n_states] to their values at the start of the
 * next cycle. go_on may be NULL. MT_INPUT: the errors of mt_pulses_in_steps, and an infinite cycle. MT_NUMERICS if V leaves -200 .. 200 mV;
 * the message names the beat. MT_STOPPED. MT_MEMORY. On failure V and states are unchanged. */
MT_NODISCARD mt_status mt_cell_pace(const mt_cell_model *model, const mt_cell_variant *variant, double dt_ms,
    const mt_pulses *pulses, mt_cell_continue *go_on, void *user, double *v_mV, double *states);
