/* The trace of one cell as CSV: rows at a constant interval, with the time, V, all states and all currents of the model. The header has
 * their names in the model, with units: t[ms],V[mV],Xr1,...,Ca_i[mM],...,I_Na[pA/pF]. */
#pragma once

#include <stdio.h>

#include "data/core/arena.h"
#include "solver/cells/pacing.h"

typedef struct mt_cell_trace {
    FILE *stream;
    double every; /* time steps between rows; not necessarily an integer */
    /* Number of steps before the first row; rows so far; number of steps before the next row. */
    size_t first, rows, next;
    double *current; /* [n_currents] scratch */
} mt_cell_trace;

/* Writes the header. Rows follow after the steps first, first + every, first + 2 every and so on, each rounded up to the next step. Borrows
 * the stream for the lifetime of the trace; the caller checks it for write errors. */
MT_NODISCARD mt_status mt_cell_trace_begin(mt_arena *arena, FILE *stream, const mt_cell_model *model,
    size_t first, double every, mt_cell_trace *trace);

/* Writes a row with the state of the cell after `steps` steps, if one is due. Call it before the first step and after each step. */
void mt_cell_trace_add(mt_cell_trace *trace, size_t steps, const mt_lone_cell *cell);
