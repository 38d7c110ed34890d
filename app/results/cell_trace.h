/* The trace of one cell as CSV: a row every so many ms, with the time, V, all states and all currents that the model tells. The header
 * names them as the model does, with units: t[ms],V[mV],Xr1,...,Ca_i[mM],...,I_Na[pA/pF]. */
#pragma once

#include <stdio.h>

#include "data/core/arena.h"
#include "solver/cells/pacing.h"

typedef struct mt_cell_trace {
    FILE *stream;
    double every; /* steps from row to row; need not be whole */
    size_t first, rows,
        next;        /* steps before the first row; rows so far; the step after which the next comes */
    double *current; /* [n_currents] room for a row's */
} mt_cell_trace;

/* Writes the header. Rows come after the steps first, first + every, first + 2 every and so on, each at the first step that is
 * not before its time. Borrows the stream until the end; its failures stay with it. MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_trace_begin(mt_arena *arena, FILE *stream, const mt_cell_model *model,
    size_t first, double every, mt_cell_trace *trace);

/* What the cell is after so many steps: a row, where it is time for one. To be called after each step, and before the first. */
void mt_cell_trace_add(mt_cell_trace *trace, size_t steps, const mt_lone_cell *cell);
