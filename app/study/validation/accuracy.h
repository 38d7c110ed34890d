/* How far results in single precision are from the truth, in units of the last place.
 *
 * An ulp is the distance of neighbouring floats in the binade of the truth t: 2^(k - 23) for 2^k <= |t| < 2^(k + 1), and at least 2^-149.
 * The error of a result y is |y - t| / ulp. Next to it stands the study's measure: how many floats y is away from the float nearest to t. It is
 * 0 for a correctly rounded result, and 1 for its neighbours.
 *
 * The machine has no subnormal numbers. Where |t| is below 2^-126, y may be 0 with t's sign (flushed), or 2^-126. A subnormal y of t's
 * sign is not flushed: whatever computes with it takes it as 0, but it should be 0 itself. Where the float nearest to t is 0, infinite or a
 * NaN, y must be the same, with its sign unless it is a NaN. All of these have no error in ulps and are counted apart. Whatever else is 0,
 * subnormal, infinite, a NaN, or not so where it should be, is a mismatch.
 */
#pragma once

#include <stdint.h>

/* Bins of errors: bin b has those above the edge of b - 1 and at most at its own. The last has no upper end. */
enum { MT_ACCURACY_BINS = 8, MT_ACCURACY_PLACES = 3 };
extern const double mt_accuracy_edge_ulp[MT_ACCURACY_BINS];

/* Operands of a function, as bits: x is the upper half, and what it is divided by the lower one (0 where there is none). */
uint64_t mt_accuracy_operands(float x, float by);
float mt_accuracy_x(uint64_t operands);
float mt_accuracy_by(uint64_t operands);

/* Counts of results. measured = the sum of `places` = the sum of `bin`. */
typedef struct mt_accuracy {
    uint64_t results;                    /* all: those measured, and those counted apart */
    uint64_t measured;                   /* in ulps */
    uint64_t places[MT_ACCURACY_PLACES]; /* the float nearest to the truth; its neighbour; farther away */
    uint64_t bin[MT_ACCURACY_BINS];
    double largest_ulp; /* the largest error */
    uint64_t largest;   /* its operands; of several the first by their bits */
    uint64_t largest_places;
    uint64_t zeros, infinities, nans; /* as they should be */
    uint64_t flushed;                 /* 0 where the truth is subnormal */
    uint64_t unflushed;               /* subnormal where it should be 0 */
    uint64_t subnormal_operands;      /* results of which an operand was subnormal: among all others */
    uint64_t mismatches;
    uint64_t mismatch; /* operands of one: the first by their bits */
} mt_accuracy;

/* Of no results. */
extern const mt_accuracy mt_accuracy_none;

/* Counts a result y of these operands. Not while the thread flushes subnormal numbers. */
void mt_accuracy_add(mt_accuracy *accuracy, uint64_t operands, double truth, float y);

/* Adds what another has counted. The order of results, and which of several counts took them, changes nothing. */
void mt_accuracy_merge(mt_accuracy *accuracy, const mt_accuracy *other);
