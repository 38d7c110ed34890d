/* The two arithmetics of a conduction system. */
#pragma once

#include "solver/conduction/conduction.h"

typedef struct mt_conducting_functions {
    mt_status (*open)(mt_arena *arena, const mt_conduction *conduction, double dt_ms, void **part);

    /* Takes a time step. tissue_mV, rise_mV [n_unknowns]; sets place_mV [points, then junctions]. */
    void (*step)(void *part, size_t step, const double *tissue_mV, double *rise_mV, double *place_mV);

    /* V, the states, then kept, change and since with multirate stepping. */
    void (*read)(void *part, size_t array, double *values);
    void (*write)(void *part, size_t array, const double *values);
} mt_conducting_functions;

extern const mt_conducting_functions mt_conducting_single, mt_conducting_double;
