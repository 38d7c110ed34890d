/* Worker cycles of an imported model on a tile: the instruction mixes of its program, counted when it is opened, by the rules for the
 * equations of built-in models (ipu/tally/tally.h).
 *
 * The program is translated to instructions of a worker in its own order, as a compiler would write it: a loop over the cells that loads
 * V and the states, executes the program, and stores the results. Order, registers with spills and reloads, and bundles are those of
 * ipu/cost/issue.h. Numbers are immediate values of the code. Constants are, too, where all cells have one variant, with the values of
 * the default variant: a selection by such a constant takes no instruction, and its other branch is no code. Cells with mixed variants
 * load their constants. dt is loaded before the loop. Equal comparisons are executed once.
 *
 *   + - negation, * / exp expm1 log sqrt   one instruction each
 *   min, max                               one comparison
 *   abs, floor, ceil                       one conversion
 *   < <= ==                                a comparison and a transfer; and, or, not: one of logic; a selection: a branch and a move
 *
 * The other functions are expressed by these. Polynomials have the terms of solver/kernels/rare_functions.h in single precision, without
 * its corrections of rounding errors and its special cases:
 *
 *   x^y         exp(y log(x))                        remainder   x - y floor(x / y)
 *   sinh(x)     (e + e / (e + 1)) / 2, e = expm1(x)  cbrt(x)     exp(log(|x|) / 3) with the sign of x
 *   cosh(x)     (e + 1 / e) / 2, e = exp(x)          tanh(x)     e / (e + 2), e = expm1(2 x)
 *   sin, cos    the quadrant in two steps of reduction, both polynomials, 4 and 3 terms, and a selection; tan: their quotient
 *   asin, acos  a polynomial of 6 terms and a square root, two selections
 *   atan        a quotient and a polynomial of 5 terms, in three ranges of |x|
 *
 * The equations of the built-in model TP06 as a file are counted with 1,308 cycles; the tally of the built-in model has 1,411. Of the
 * difference 90 are divisions, most of them by constants, which in a program are products with their reciprocals. */
#pragma once

#include "solver/cells/graph/cell_program.h"

/* Counts the mix of a step. constants: [n_constants] of the variant of all cells. `mixed`, `multirate`: as in mt_ode_context
 * (solver/plan/codelets.h). MT_MEMORY. */
MT_NODISCARD mt_status mt_program_mix(
    const mt_cell_program *program, const double *constants, bool mixed, bool multirate, ipu_mix *mix);

/* Sets the four mixes of an imported model's row. MT_MEMORY. */
MT_NODISCARD mt_status mt_program_mixes(mt_cell_model *row);
