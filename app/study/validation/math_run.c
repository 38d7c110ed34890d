#include "data/core/progress.h"
#include "app/study/validation/math_run.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stddef.h>

#include "data/core/hash.h"
#include "ipu/run/engine.h"

/* ---- results and references ---- */

enum { BATCH = 1024 };

typedef struct batch {
    mt_function f;
    mt_function_float *compute;
    mt_accuracy accuracy;
    size_t n;
    float x[BATCH], by[BATCH], y[BATCH];
} batch;

/* Returns an operand with subnormal values flushed, as on the machine. */
static double operand_of(float x) { return fabsf(x) < FLT_MIN ? copysign(0, (double)x) : (double)x; }

static double truth_of(mt_function f, double x, double by)
{
    switch (f) {
    case MT_EXP:
        return exp(x);
    case MT_EXPM1:
        return expm1(x);
    case MT_LOG:
        return log(x);
    case MT_SQRT:
        return sqrt(x);
    default:
        return x / by;
    }
}

static void count(batch *b)
{
    const uint64_t before = ipu_begin_flushing();
    b->compute(b->f, b->n, b->x, b->by, b->y);
    ipu_end_flushing(before);
    for (size_t k = 0; k < b->n; k++) {
        const double truth = truth_of(b->f, operand_of(b->x[k]), operand_of(b->by[k]));
        mt_accuracy_add(&b->accuracy, mt_accuracy_operands(b->x[k], b->by[k]), truth, b->y[k]);
    }
    b->n = 0;
}

static void push(batch *b, uint64_t operands)
{
    b->x[b->n] = mt_accuracy_x(operands);
    b->by[b->n++] = mt_accuracy_by(operands);
    if (b->n == BATCH) count(b);
}

/* ---- operands ---- */

/* Operands per work item. */
static const uint64_t block = 8192, floats = UINT64_C(1) << 32;

/* True if a float from `first` to `last`, which have the same sign, is close to a critical one. */
static bool is_special(uint64_t first, uint64_t last)
{
    enum { CLOSE = 4096 };
    static const float special[] = {0, 0x1p-126F, 0x1p-50F, 0x1p-25F, 0x1p-24F, 0x1p-12F, 0.25F, 0.34657359F,
        0.5F, 0.70710678F, 1, 1.41421356F, 2, 17.328680F, 64, 87.336545F, 88.722839F, 103.97208F, 0x1p23F,
        0x1p64F, FLT_MAX, INFINITY};
    static const uint64_t magnitude = 0x7fffffff;
    for (size_t k = 0; k < sizeof special / sizeof *special; k++) {
        const uint64_t at = mt_accuracy_operands(special[k], 0) >> 32;
        if ((first & magnitude) <= at + CLOSE && at <= (last & magnitude) + CLOSE) return true;
    }
    return false;
}

static void push_floats(batch *b, uint64_t every, uint64_t first)
{
    const uint64_t end = first + block, multiple = (first + every - 1) / every * every;
    if (every > 1 && is_special(first, end - 1))
        for (uint64_t x = first; x < end; x++) {
            if (x % every == 0 || is_special(x, x)) push(b, x << 32);
        }
    else
        for (uint64_t x = multiple; x < end; x += every) push(b, x << 32);
}

static void push_pairs(batch *b, uint64_t pairs, uint64_t first)
{
    const uint64_t end = first + block < pairs ? first + block : pairs;
    for (uint64_t k = first; k < end; k++) push(b, mt_random_bits(0, k));
}

/* ---- the run ---- */

static uint64_t total_of(const mt_math_plan *plan, mt_function f)
{
    return f == MT_DIVIDE ? plan->pairs : floats;
}

double mt_math_millions(const mt_math_plan *plan, mt_function f) { return 1e-6 * (double)total_of(plan, f); }

static void report(double total, uint64_t blocks)
{
    const double millions = 1e-6 * (double)block * (double)blocks;
    mt_progress_update(fmin(millions, total), 0);
}

mt_accuracy mt_math_run(const mt_math_plan *plan, mt_function f)
{
    const double total = mt_math_millions(plan, f);
    mt_accuracy all = mt_accuracy_empty;
    const uint64_t blocks = (total_of(plan, f) + block - 1) / block;
    uint64_t done = 0;
#pragma omp parallel
    {
        batch own = {.f = f, .compute = mt_kernels_used()->function_float, .accuracy = mt_accuracy_empty};
#pragma omp for schedule(dynamic, 64)
        for (uint64_t k = 0; k < blocks; k++) {
            uint64_t done_by_now;
            f == MT_DIVIDE ? push_pairs(&own, plan->pairs, k * block)
                           : push_floats(&own, plan->every, k * block);
#pragma omp atomic capture
            done_by_now = ++done;
            if (omp_get_thread_num() == 0) report(total, done_by_now);
        }
        count(&own);
#pragma omp critical
        mt_accuracy_merge(&all, &own.accuracy);
    }
    report(total, blocks);
    return all;
}
