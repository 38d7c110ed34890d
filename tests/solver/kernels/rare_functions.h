/* The functions of one number in solver/kernels/rare_functions.h, their references and the ranges where tests draw arguments. */
#pragma once

#include <math.h>
#include <stdint.h>

#include "solver/kernels/kernels.h"
#include "tests/random.h"

typedef enum course { RISES, FALLS, RISES_FROM_0, NEITHER } course;

typedef struct rare_function {
    const char *name;
    mt_function f;
    double (*truth)(double);
    long double (*long_truth)(long double);
    double low,
        high; /* range of most arguments in models, and of most results that are neither 0 nor infinite */
    double most_ulp;         /* documented bound of the error */
    double last_float, last; /* larger arguments are replaced by this one with their sign */
    course course;
} rare_function;

#define RARE(name, f, low, high, most_ulp, course)                                                           \
    {                                                                                                        \
#        name, f, name, name##l, low, high, most_ulp, INFINITY, INFINITY, course                             \
    }
#define RARE_ANGLE(name, f)                                                                                  \
    {                                                                                                        \
#        name, f, name, name##l, -1e5, 1e5, 1, 0x1p17, 0x1p30, NEITHER                                       \
    }
static const rare_function rare_functions[] = {RARE(log2, MT_LOG2, 0, 1000, 1, RISES),
    RARE(log10, MT_LOG10, 0, 1000, 1, RISES), RARE(log1p, MT_LOG1P, -1, 10, 1, RISES),
    RARE(sinh, MT_SINH, -711, 711, 1, RISES), RARE(cosh, MT_COSH, -711, 711, 1, RISES_FROM_0),
    RARE(tanh, MT_TANH, -23, 23, 1, RISES), RARE_ANGLE(sin, MT_SIN), RARE_ANGLE(cos, MT_COS),
    RARE_ANGLE(tan, MT_TAN), RARE(asin, MT_ASIN, -1, 1, 1, RISES), RARE(acos, MT_ACOS, -1, 1, 1, FALLS),
    RARE(atan, MT_ATAN, -10, 10, 1, RISES), RARE(cbrt, MT_CBRT, -1000, 1000, 1, RISES),
    RARE(floor, MT_FLOOR, -100, 100, 0, RISES), RARE(ceil, MT_CEIL, -100, 100, 0, RISES),
    RARE(fabs, MT_ABS, -100, 100, 0, RISES_FROM_0)};
enum { RARE_FUNCTIONS = sizeof rare_functions / sizeof *rare_functions };

/* Returns x, or the last number with its sign if it is larger. */
static inline double rare_argument(double x, double last)
{
    return isfinite(x) && fabs(x) > last ? copysign(last, x) : x;
}

/* Draws a base from all magnitudes or near 1, and an exponent that mostly yields a power within the range of a double, or a float. */
static inline void rare_draw_power(uint64_t *state, uint64_t turn, double most, double *x, double *y)
{
    const double near = between(state, -1, 1) * exp(between(state, -0.42 * most / 8, -1)),
                 far = between(state, -most, most);
    *x = turn % 4 == 0   ? between(state, 0, 10)
         : turn % 4 == 1 ? exp(0.94 * far)
                         : 1 + (turn % 4 == 2 ? near : near * 0x1p-20);
    *y = turn % 4 == 0 ? between(state, -10, 10) : between(state, -1.05 * most, most) / log(*x);
}
