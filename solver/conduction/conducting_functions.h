/* The functions that compute a conduction system: those of the host in two arithmetics, or of a backend, which has `read` and `write` only
 * (solver/backends/backend.h). */
#pragma once

#include "solver/conduction/conduction.h"

/* Recorded arrays: activation time since the beginning of the beat, infinite if there is none; V at the last record, infinite before the
 * first one at a junction; 1 if the next passage is an activation, else 0. */
enum { MT_CONDUCTING_ACTIVATION, MT_CONDUCTING_BEFORE, MT_CONDUCTING_FREE, MT_CONDUCTING_RECORDED };

/* Steps of the cables are counted modulo this, a multiple of MT_MULTIRATE_MOST that single precision counts exactly. */
enum { MT_CONDUCTING_STEPS = 1 << 20 };

typedef struct mt_conducting_functions {
    mt_status (*open)(mt_arena *arena, const mt_conduction *conduction, double dt_ms, void **part);

    /* Takes the step `step` of the run and `step_of_beat` of the beat: reads tissue_mV and sets changed_mV, V_i after it, [n_unknowns]. */
    void (*step)(void *part, size_t step, size_t step_of_beat, const double *tissue_mV, double *changed_mV);

    /* Copy the n numbers of an array (mt_conducting_array). */
    void (*read)(void *part, size_t array, size_t n, double *values);
    void (*write)(void *part, size_t array, size_t n, const double *values);
} mt_conducting_functions;

extern const mt_conducting_functions mt_conducting_single, mt_conducting_double;
