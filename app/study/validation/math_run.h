/* Accuracy of the ionic models' functions in single precision, over all floats or a subset.
 *
 * The functions run as in a simulation, with subnormal numbers flushed (ipu_begin_flushing). References are the C library's
 * functions and the host's division in double precision, with subnormal operands replaced by 0. Their error is below 2^-52 of the
 * result, so an error in ulp of single precision is known to 2^-28. */
#pragma once

#include "app/study/validation/accuracy.h"
#include "solver/kernels/kernels.h"

/* The tested operands. For a function of one operand: every float with bits that, as an integer, are a multiple of `every`, and all
 * floats within 4096 of critical places: 0, the smallest normal number, 1, infinity, thresholds at which results become 0,
 * subnormal or infinite, and others. For the division: `pairs` pairs of random bits, without repetition and reproducible. */
typedef struct mt_math_plan {
    uint64_t every; /* at least 1: all floats */
    uint64_t pairs; /* at least 1 */
} mt_math_plan;

/* Returns the number of tested floats or pairs, in millions: the total of its progress. */
double mt_math_millions(const mt_math_plan *plan, mt_function f);

/* Counts the errors of f, with all threads of OpenMP; the result does not depend on their number. */
mt_accuracy mt_math_run(const mt_math_plan *plan, mt_function f);
