/* Tabulated evaluation: the functions of V in a model's equations are read from tables (solver/kernels/tables.h), in single precision.
 *
 * The tables are made from the same equations, evaluated in double precision. In each interval of V a function is interpolated at the zeros
 * of the Chebyshev polynomial of degree 5. The largest error is found at the points between them at which that polynomial is extreme.
 * Outside the range of the tables the functions are computed. The results are the same bits on every instruction set and for any number of
 * threads, tiles and ranks. */
#pragma once

#include "solver/cells/model.h"

/* Largest error of a function allowed in an interval, relative to its largest magnitude there. The functions themselves, computed in single
 * precision, have errors of up to about 3e-6: exp(0.3485 V) with an argument of 30 that is rounded to 24 bits. */
#define MT_TABULATED_ERROR 1e-5

/* Points of V at which functions are examined: those of interpolation and those of the largest errors, in all intervals. */
enum { MT_TABLE_POINTS = MT_TABLE_INTERVALS * (2 * MT_TABLE_COEFFICIENTS + 1) };
void mt_table_points(double v_mV[MT_TABLE_POINTS]);

/* Returns the largest error of a function from its values at these points; infinity if one is not finite. */
double mt_table_error(const double of_v[MT_TABLE_POINTS]);

/* Makes a row of a model in `arena` that differs in mt_cell_model.tables only, for the constants of n variants and the step of a run.
 * *error: the largest one, as above. MT_INPUT: the model has no such kernels, or an error is larger than allowed; the message begins with
 * cell.evaluation. MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_tabulate(mt_arena *arena, const mt_cell_model *model,
    const mt_cell_variant *variants, size_t n, double dt_ms, bool multirate, const mt_cell_model **tabulated,
    double *error);
