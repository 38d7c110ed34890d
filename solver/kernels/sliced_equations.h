/* The sum of a row of different lengths (solver/kernels/sliced.h), for kernels and tally. */
#pragma once

/* Adds an entry to the sum of a row with the value `own`; of numbers, or of lanes of them. */
#define SLICED_ADD(sum, a, x, own) ((sum) + (a) * ((x) - (own)))
