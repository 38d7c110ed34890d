#include "app/study/validation/accuracy.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

const double mt_accuracy_edge_ulp[MT_ACCURACY_BINS] = {0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1, INFINITY};

const mt_accuracy mt_accuracy_empty = {.largest = UINT64_MAX, .mismatch = UINT64_MAX};

/* ---- bits ---- */

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

uint64_t mt_accuracy_operands(float x, float by) { return (uint64_t)bits_of(x) << 32 | bits_of(by); }
float mt_accuracy_x(uint64_t operands) { return float_of((uint32_t)(operands >> 32)); }
float mt_accuracy_by(uint64_t operands) { return float_of((uint32_t)operands); }

static const uint32_t sign = 0x80000000, infinity = 0x7f800000, least_normal = 0x00800000;

/* True if the float is finite and not 0; if it is normal; if it is subnormal. */
static bool is_number(uint32_t bits) { return (bits & ~sign) - 1 < infinity - 1; }
static bool is_normal(uint32_t bits) { return (bits & ~sign) - least_normal < infinity - least_normal; }
static bool is_subnormal(uint32_t bits) { return (bits & ~sign) - 1 < least_normal - 1; }

/* Returns the distance of two values, counted in floats; both zeros are one. */
static uint64_t floats_between(uint32_t a, uint32_t b)
{
    const int64_t from = a & sign ? -(int64_t)(a & ~sign) : (int64_t)a,
                  to = b & sign ? -(int64_t)(b & ~sign) : (int64_t)b;
    return (uint64_t)(from < to ? to - from : from - to);
}

/* Returns 1 / ulp of a finite exact result other than 0: 2^(23 - k), computed from its bits, since frexp and ldexp are slow. */
static double per_ulp(double truth)
{
    enum { BIAS = 1023, FRACTION_BITS = 52, OF_FLOAT = 23, LEAST = BIAS - 126 };
    uint64_t bits;
    double scale;
    memcpy(&bits, &truth, sizeof bits);
    uint64_t exponent = bits >> FRACTION_BITS & 0x7ff;
    if (exponent < LEAST) exponent = LEAST;
    bits = (2 * BIAS + OF_FLOAT - exponent) << FRACTION_BITS;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

/* ---- one result ---- */

/* Returns the bin of an error. Most errors are in the first two bins, about equally often, so these are found without branches. */
static size_t bin_of(double error_ulp)
{
    const double *edge = mt_accuracy_edge_ulp;
    size_t bin = (size_t)(error_ulp > edge[0]) + (size_t)(error_ulp > edge[1]);
    while (bin > 1 && error_ulp > edge[bin]) bin++;
    return bin;
}

static void measure(mt_accuracy *a, uint64_t operands, double truth, float y)
{
    const double error_ulp = fabs((double)y - truth) * per_ulp(truth);
    const uint64_t away = floats_between(bits_of(y), bits_of((float)truth));
    const size_t bin = bin_of(error_ulp);
    a->measured++;
    a->bin[bin]++;
    a->places[away < MT_ACCURACY_PLACES - 1 ? away : MT_ACCURACY_PLACES - 1]++;
    if (away > a->largest_places) a->largest_places = away;
    if (error_ulp < a->largest_ulp || (error_ulp == a->largest_ulp && operands >= a->largest)) return;
    a->largest_ulp = error_ulp;
    a->largest = operands;
}

static void mismatch(mt_accuracy *a, uint64_t operands)
{
    a->mismatches++;
    if (operands < a->mismatch) a->mismatch = operands;
}

/* Counts a result that is 0, infinite, NaN or subnormal, or has an exact result nearest to 0, infinity or NaN. */
static void count_apart(mt_accuracy *a, uint64_t operands, double truth, float y)
{
    const uint32_t got = bits_of(y), nearest = bits_of((float)truth);
    const bool same = got == nearest;
    if (isnan(truth) && isnan(y))
        a->nans++;
    else if ((nearest & ~sign) == 0 && same)
        a->zeros++;
    else if ((nearest & ~sign) == infinity && same)
        a->infinities++;
    else if (fabs(truth) < (double)FLT_MIN && got == (nearest & sign))
        a->flushed++;
    else if (fabs(truth) < (double)FLT_MIN && is_subnormal(got) && (got & sign) == (nearest & sign))
        a->unflushed++;
    else
        mismatch(a, operands);
}

void mt_accuracy_add(mt_accuracy *a, uint64_t operands, double truth, float y)
{
    const uint32_t nearest = bits_of((float)truth);
    a->results++;
    a->subnormal_operands += is_subnormal((uint32_t)(operands >> 32)) || is_subnormal((uint32_t)operands);
    if (is_number(nearest) && is_normal(bits_of(y)))
        measure(a, operands, truth, y);
    else
        count_apart(a, operands, truth, y);
}

/* ---- several counts ---- */

void mt_accuracy_merge(mt_accuracy *a, const mt_accuracy *other)
{
    a->results += other->results;
    a->measured += other->measured;
    for (size_t k = 0; k < MT_ACCURACY_PLACES; k++) a->places[k] += other->places[k];
    for (size_t k = 0; k < MT_ACCURACY_BINS; k++) a->bin[k] += other->bin[k];
    a->zeros += other->zeros;
    a->infinities += other->infinities;
    a->nans += other->nans;
    a->flushed += other->flushed;
    a->unflushed += other->unflushed;
    a->subnormal_operands += other->subnormal_operands;
    a->mismatches += other->mismatches;
    if (other->mismatch < a->mismatch) a->mismatch = other->mismatch;
    if (other->largest_places > a->largest_places) a->largest_places = other->largest_places;
    if (other->largest_ulp < a->largest_ulp ||
        (other->largest_ulp == a->largest_ulp && other->largest >= a->largest))
        return;
    a->largest_ulp = other->largest_ulp;
    a->largest = other->largest;
}
