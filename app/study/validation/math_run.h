/* The functions of the cell models in single precision beside the truth: over all floats, or over some.
 *
 * They run as in a simulation, with subnormal numbers flushed (ipu_begin_flushing). Truth is what the C library's functions and the host's
 * division give in double precision, for operands of which subnormal ones count as 0. That is less than 2^-52 of the result away from the
 * real truth, and so an error in ulps of single precision is known to 2^-28. */
#pragma once

#include "app/study/validation/accuracy.h"
#include "solver/kernels/kernels.h"

/* What is looked at. Of a function of one operand: every float whose bits, as a whole number, are a multiple of `every`, and all those
 * within 4096 floats of places where something begins or ends: 0, the least normal number, 1, infinity, where results become 0, subnormal
 * or infinite, and others. Of the division: so many pairs with random bits, no pair twice, the same every time. */
typedef struct mt_math_plan {
    uint64_t every; /* at least 1: all floats */
    uint64_t pairs; /* at least 1 */
} mt_math_plan;

/* How many floats, or pairs, are gone through, in millions: the total of its progress. */
double mt_math_millions(const mt_math_plan *plan, mt_function f);

/* Counts how accurate f is, by as many threads as OpenMP has; the count is the same for any number of them. */
mt_accuracy mt_math_run(const mt_math_plan *plan, mt_function f);
