/* The two arithmetics of a conduction system. */
#pragma once

#include "solver/conduction/conducting.h"

typedef struct mt_conducting_functions {
    mt_status (*open)(mt_arena *arena, const mt_conduction *conduction, double dt_ms, void **part);

    /* Takes the step `step` of the run and `step_of_beat` of the beat: reads tissue_mV and sets changed_mV, V_i after it, [n_unknowns]. */
    void (*step)(void *part, size_t step, size_t step_of_beat, const double *tissue_mV, double *changed_mV);

    /* Copy the n numbers of an array (mt_conducting_array). */
    void (*read)(void *part, size_t array, size_t n, double *values);
    void (*write)(void *part, size_t array, size_t n, const double *values);
} mt_conducting_functions;

extern const mt_conducting_functions mt_conducting_single, mt_conducting_double;
