/* Errors of single-precision results in units in the last place (ulp).
 *
 * An ulp is the distance of adjacent floats in the binade of the exact result t: 2^(k - 23) for 2^k <= |t| < 2^(k + 1), and at
 * least 2^-149. The error of a result y is |y - t| / ulp. The study's measure is the distance of y from the float nearest to t,
 * counted in floats: 0 for a correctly rounded result, 1 for its neighbours.
 *
 * The machine has no subnormal numbers. If |t| < 2^-126, y can be 0 with the sign of t (flushed), or 2^-126. A subnormal y with the
 * sign of t counts as unflushed: later operations read it as 0, but it should be 0 itself. If the float nearest to t is 0, infinite
 * or NaN, y must be the same, with its sign unless it is NaN. These cases have no error in ulp and are counted separately. Any
 * other y that is 0, subnormal, infinite or NaN, or not so if t requires it, is a mismatch. */
#pragma once

#include <stdint.h>

/* Bins of errors: bin b contains the errors above edge b - 1 and at most edge b. The last bin is unbounded. */
enum { MT_ACCURACY_BINS = 8, MT_ACCURACY_PLACES = 3 };
extern const double mt_accuracy_edge_ulp[MT_ACCURACY_BINS];

/* Operands of a function, as bits: x in the upper half, the divisor in the lower one (0 if there is none). */
uint64_t mt_accuracy_operands(float x, float by);
float mt_accuracy_x(uint64_t operands);
float mt_accuracy_by(uint64_t operands);

/* Counts of results. measured = the sum of `places` = the sum of `bin`. */
typedef struct mt_accuracy {
    uint64_t results;                    /* all, measured or counted separately */
    uint64_t measured;                   /* with an error in ulp */
    uint64_t places[MT_ACCURACY_PLACES]; /* distance from the float nearest to the exact result: 0, 1, more */
    uint64_t bin[MT_ACCURACY_BINS];
    double largest_ulp; /* the largest error */
    uint64_t largest;   /* its operands; the lowest bits if there are several */
    uint64_t largest_places;
    uint64_t zeros, infinities, nans; /* correct ones */
    uint64_t flushed;                 /* 0 for a subnormal exact result */
    uint64_t unflushed;               /* subnormal instead of 0 */
    uint64_t subnormal_operands;      /* results with a subnormal operand, included in the other counts */
    uint64_t mismatches;
    uint64_t mismatch; /* operands of a mismatch, with the lowest bits */
} mt_accuracy;

/* Counts of zero results. */
extern const mt_accuracy mt_accuracy_empty;

/* Counts a result y of these operands. Must not be called while the thread flushes subnormal numbers. */
void mt_accuracy_add(mt_accuracy *accuracy, uint64_t operands, double truth, float y);

/* Adds the counts of another. The order of results and their distribution over several counts have no effect. */
void mt_accuracy_merge(mt_accuracy *accuracy, const mt_accuracy *other);
