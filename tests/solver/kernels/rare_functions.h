/* The functions of one number in solver/kernels/rare_functions.h, their references and the ranges where tests draw arguments. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "solver/kernels/kernels.h"
#include "tests/random.h"

typedef enum course { RISES, FALLS, RISES_FROM_0, NO_COURSE } course;
typedef enum symmetry { ODD, EVEN, NO_SYMMETRY } symmetry;

/* low, high: a range that contains most arguments in models, and most with results that are neither 0 nor infinite.
 * most_ulp: the bound of the error. last_float, last: larger arguments are replaced by this one with their sign. */
typedef struct rare_function {
    mt_function f;
    const char *name;
    double (*truth)(double);
    long double (*long_truth)(long double);
    double low, high, most_ulp, last_float, last;
    course course;
    symmetry symmetry;
} rare_function;

#define RARE(name, f, low, high, most_ulp, course, symmetry)                                                 \
    {                                                                                                        \
        f, #name, name, name##l, low, high, most_ulp, INFINITY, INFINITY, course, symmetry                   \
    }
#define RARE_ANGLE(name, f, symmetry)                                                                        \
    {                                                                                                        \
        f, #name, name, name##l, -1e5, 1e5, 1, 0x1p17, 0x1p30, NO_COURSE, symmetry                           \
    }
static const rare_function rare_functions[] = {RARE_ANGLE(sin, MT_SIN, ODD), RARE_ANGLE(cos, MT_COS, EVEN),
    RARE_ANGLE(tan, MT_TAN, ODD), RARE(log2, MT_LOG2, 0, 1000, 1, RISES, NO_SYMMETRY),
    RARE(log10, MT_LOG10, 0, 1000, 1, RISES, NO_SYMMETRY),
    RARE(log1p, MT_LOG1P, -1, 10, 1, RISES, NO_SYMMETRY), RARE(sinh, MT_SINH, -711, 711, 1, RISES, ODD),
    RARE(cosh, MT_COSH, -711, 711, 1, RISES_FROM_0, EVEN), RARE(tanh, MT_TANH, -23, 23, 1, RISES, ODD),
    RARE(asin, MT_ASIN, -1, 1, 1, RISES, ODD), RARE(acos, MT_ACOS, -1, 1, 1, FALLS, NO_SYMMETRY),
    RARE(atan, MT_ATAN, -10, 10, 1, RISES, ODD), RARE(cbrt, MT_CBRT, -1000, 1000, 1, RISES, ODD),
    RARE(floor, MT_FLOOR, -100, 100, 0, RISES, NO_SYMMETRY),
    RARE(ceil, MT_CEIL, -100, 100, 0, RISES, NO_SYMMETRY),
    RARE(fabs, MT_ABS, -100, 100, 0, RISES_FROM_0, EVEN)};
enum { RARE_FUNCTIONS = sizeof rare_functions / sizeof *rare_functions };

/* Returns x, or the last number with its sign if it is larger. */
static inline double rare_argument(double x, double last)
{
    return isfinite(x) && fabs(x) > last ? copysign(last, x) : x;
}

/* Draws a base of any magnitude or near 1, and an exponent. `most`: bound of the logarithm of most powers, 104 (floats) or 745. */
static inline void rare_draw_power(uint64_t *state, uint64_t turn, double most, double *x, double *y)
{
    const double near = between(state, -1, 1) * exp(between(state, -0.42 * most / 8, -1)),
                 far = between(state, -most, most);
    const double bases[] = {between(state, 0, 10), exp(0.94 * far), 1 + near, 1 + near * 0x1p-20};
    *x = bases[turn % 4];
    *y = turn % 4 == 0 ? between(state, -10, 10) : between(state, -1.05 * most, most) / log(*x);
}

/* True if the results of two arguments x < after are in the wrong order. */
static inline bool rare_misplaced(course expected, double x, double y, double after, double y_after)
{
    if (expected == NO_COURSE || !(x < after)) return false;
    const bool falls = expected == FALLS || (expected == RISES_FROM_0 && after <= 0);
    return falls ? y < y_after : y > y_after;
}
