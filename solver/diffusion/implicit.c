#include "solver/diffusion/implicit.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "solver/kernels/block.h"
#include "solver/kernels/ellpack.h"

#define MT_LANES_ONE
#define MT_DOUBLE
#include "solver/kernels/lanes.h"
#include "solver/kernels/bicgstab_equations.h"

double mt_implicit_row(const double *rate, double step_ms, double *off)
{
    double sum = 0, taken = 0;
    for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) sum += rate[k];
    for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) {
        off[k] = step_ms * rate[k] / (1 + step_ms * sum);
        taken += off[k];
    }
    return -taken;
}

float mt_implicit_row_float(const double *rate, double step_ms, float *off)
{
    double exact[MT_ELLPACK_WIDTH], taken = 0;
    (void)mt_implicit_row(rate, step_ms, exact);
    for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) {
        off[k] = (float)exact[k];
        taken += (double)off[k];
    }
    return (float)-taken;
}

mt_status mt_implicit_failed(double residual_mV, double tolerance_mV)
{
    return mt_fail(MT_NUMERICS,
        "diffusion.tolerance_mV %g: the solver's residual is still %.3g mV after %d iterations; a larger "
        "tolerance or a smaller time.dt_ms may help",
        tolerance_mV, residual_mV, MT_IMPLICIT_ITERATIONS_MOST);
}

enum { PIECE = 64 * MT_BLOCK /* elements per thread and iteration */ };

static size_t pieces(const mt_implicit *m) { return (m->n + PIECE - 1) / PIECE; }

/* ---- sums independent of the order ---- */

/* Returns the power of two that scales the bound of the terms to at most 2^29, half of which is left for roundings. */
static double scale_of(double bound)
{
    int exponent;
    (void)frexp(bound > DBL_MIN ? bound : DBL_MIN, &exponent);
    return ldexp(1, 29 - exponent);
}

/* A partial sum: the integer parts of the terms, and their next 30 bits. Both are integers, which doubles add
 * exactly below 2^53. */
typedef struct fixed_sum {
    double high, low;
} fixed_sum;

_Static_assert(PIECE <= 1 << 22, "the sum of a piece is exact");

/* Rounds to the nearest integer, up to 2^51. */
static inline double whole_of(double x)
{
    const double integers = 0x1.8p52; /* doubles of this size are integers */
    return (x + integers) - integers;
}

/* Returns (x, y) over n terms. */
static fixed_sum product(size_t n, double scale, const double *x, const double *y)
{
    double high = 0, low = 0;
#pragma omp simd reduction(+ : high, low)
    for (size_t i = 0; i < n; i++) {
        const double scaled = x[i] * y[i] * scale, whole = whole_of(scaled);
        high += whole;
        low += whole_of((scaled - whole) * 0x1p30);
    }
    return (fixed_sum){high, low};
}

/* NaN or infinite values come from unbounded voltages. */
static uint64_t integer_of(double x) { return fabs(x) < 0x1p53 ? (uint64_t)(int64_t)x : 0; }

/* Converts a sum of up to 2^32 terms. */
static double value_of(uint64_t high, uint64_t low, double scale)
{
    return ((double)(int64_t)high + (double)(int64_t)low * 0x1p-30) / scale;
}

enum { SUMS = 3, MOST = 3 };

/* Results over some elements: sums, or maxima of non-negative numbers. */
typedef struct mt_implicit_found {
    fixed_sum sum[SUMS];
    double most[MOST];
} findings;

/* ---- opening ---- */

/* Returns the largest absolute row sum of A. */
static double norm_of(const mt_implicit *m)
{
    double norm = 0;
    for (size_t i = 0; i < m->n; i++) {
        double sum = fabs(1 + m->d[i]);
        for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++)
            sum += fabs(m->off[mt_block_index(m->n, MT_ELLPACK_WIDTH, i, k)]);
        norm = fmax(norm, sum);
    }
    mt_communicator_largest(m->ranks, &norm, 1);
    return norm;
}

enum { X, R, P };

mt_status mt_implicit_open(mt_arena *arena, size_t n, const double *d, const double *off,
    const uint32_t *column, double theta, double tolerance_mV, const mt_implicit_ranks *ranks, mt_implicit *m)
{
    const size_t n_local = ranks->with ? ranks->n_local : n;
    *m = (mt_implicit){.n = n,
        .theta = theta,
        .tolerance_mV = tolerance_mV,
        .d = d,
        .off = off,
        .column = column,
        .ranks = ranks->with};
    MT_ALLOC(arena, m->x, n_local);
    MT_ALLOC(arena, m->r, n_local);
    MT_ALLOC(arena, m->p, n_local);
    MT_ALLOC(arena, m->shadow, n);
    MT_ALLOC(arena, m->q, n);
    MT_ALLOC(arena, m->t, n);
    MT_ALLOC(arena, m->found, pieces(m));
    m->norm = norm_of(m);
    double *const memory[] = {[X] = m->x, [R] = m->r, [P] = m->p};
    for (int k = X; m->ranks && k <= P; k++)
        MT_TRY(m->ranks->connect(m->ranks, memory[k], ranks->neighbour, &m->come[k]));
    return MT_OK;
}

/* ---- passes over the elements ---- */

/* Arguments shared by all pieces. */
typedef struct work work;

/* A function applied to the elements [from, end). */
typedef void do_piece(const mt_implicit *m, const work *w, size_t from, size_t end, findings *found);
struct work {
    do_piece *piece;
    double *v;
    bicgstab_scalars scalars;
    double scale[SUMS];
};

static void do_all(const mt_implicit *m, const work *w)
{
#pragma omp parallel for schedule(static) if (m->n > PIECE)
    for (size_t k = 0; k < pieces(m); k++) {
        const size_t from = k * PIECE, end = m->n - from < PIECE ? m->n : from + PIECE;
        m->found[k] = (findings){0};
        w->piece(m, w, from, end, &m->found[k]);
    }
}

/* Receives the other ranks' part of an array before a product with it. */
static void do_with_others(const mt_implicit *m, int array, const work *w)
{
    if (m->ranks) {
        m->ranks->start(m->come[array]);
        m->ranks->finish(m->come[array]);
    }
    do_all(m, w);
}

/* Adds the sums over all elements of all ranks. */
static void sum_up(const mt_implicit *m, const double scale[SUMS], double value[SUMS])
{
    uint64_t words[2 * SUMS] = {0}; /* integers that wrap around */
    for (size_t k = 0; k < pieces(m); k++)
        for (size_t s = 0; s < SUMS; s++) {
            words[2 * s] += integer_of(m->found[k].sum[s].high);
            words[2 * s + 1] += integer_of(m->found[k].sum[s].low);
        }
    if (m->ranks) m->ranks->reduce(m->ranks, MT_REDUCE_SUM, words, 2 * SUMS);
    for (size_t s = 0; s < SUMS; s++) value[s] = value_of(words[2 * s], words[2 * s + 1], scale[s]);
}

enum { RESIDUAL, LARGEST_R, LARGEST_P };

static void find_largest(const mt_implicit *m, double most[MOST])
{
    for (int j = 0; j < MOST; j++) {
        most[j] = 0;
        for (size_t k = 0; k < pieces(m); k++) most[j] = bicgstab_larger(m->found[k].most[j], most[j]);
    }
    mt_communicator_largest(m->ranks, most, MOST);
}

/* Computes out = G v. */
static void multiply(const mt_implicit *m, size_t from, size_t end, const double *v, double *out)
{
    mt_ellpack_rows_double32(end - from, m->d + from, m->off + from * MT_ELLPACK_WIDTH,
        m->column + from * MT_ELLPACK_WIDTH, v + from, v, out + from);
}

static void increments(const mt_implicit *m, const work *w, size_t from, size_t end, findings *found)
{
    (void)found;
    multiply(m, from, end, w->v, m->x);
    for (size_t i = from; i < end; i++) m->x[i] /= m->theta;
}

static void note_largest(const mt_implicit *m, size_t i, double most[MOST])
{
    most[RESIDUAL] = bicgstab_larger(bicgstab_residual(m->d[i], m->r[i]), most[RESIDUAL]);
    most[LARGEST_R] = bicgstab_larger(m->r[i], most[LARGEST_R]);
    most[LARGEST_P] = bicgstab_larger(m->p[i], most[LARGEST_P]);
}

static void start(const mt_implicit *m, const work *w, size_t from, size_t end, findings *found)
{
    (void)w;
    multiply(m, from, end, m->x, m->r);
    for (size_t i = from; i < end; i++) {
        m->r[i] = m->p[i] = m->shadow[i] = bicgstab_start(m->d[i], m->x[i], m->r[i]);
        note_largest(m, i, found->most);
    }
}

static void first_product(const mt_implicit *m, const work *w, size_t from, size_t end, findings *found)
{
    const size_t n = end - from;
    multiply(m, from, end, m->p, m->q);
    for (size_t i = from; i < end; i++) m->q[i] = bicgstab_product(m->d[i], m->p[i], m->q[i]);
    found->sum[0] = product(n, w->scale[0], m->shadow + from, m->r + from);
    found->sum[1] = product(n, w->scale[1], m->shadow + from, m->q + from);
}

static void half(const mt_implicit *m, const work *w, size_t from, size_t end, findings *found)
{
    (void)found;
    for (size_t i = from; i < end; i++) m->r[i] = bicgstab_half(w->scalars.alpha, m->r[i], m->q[i]);
}

static void second_product(const mt_implicit *m, const work *w, size_t from, size_t end, findings *found)
{
    const size_t n = end - from;
    multiply(m, from, end, m->r, m->t);
    for (size_t i = from; i < end; i++) m->t[i] = bicgstab_product(m->d[i], m->r[i], m->t[i]);
    found->sum[0] = product(n, w->scale[0], m->t + from, m->r + from);
    found->sum[1] = product(n, w->scale[1], m->t + from, m->t + from);
    found->sum[2] = product(n, w->scale[2], m->shadow + from, m->t + from);
}

static void end_of_iteration(const mt_implicit *m, const work *w, size_t from, size_t end, findings *found)
{
    for (size_t i = from; i < end; i++) {
        bicgstab_end(w->scalars, m->q[i], m->t[i], &m->x[i], &m->r[i], &m->p[i]);
        note_largest(m, i, found->most);
    }
}

static void add(const mt_implicit *m, const work *w, size_t from, size_t end, findings *found)
{
    (void)found;
    for (size_t i = from; i < end; i++) w->v[i] += m->x[i];
}

/* ---- the step ---- */

/* A direction of length 0 has no effect. */
static double quotient(double x, double y) { return y == 0 ? 0 : x / y; }

/* One iteration, given the largest |r^|, and the largest |r| and |p|, which are updated for the next iteration.
 * False if values are not numbers; x is then unchanged. */
static bool iterate(const mt_implicit *m, double shadow, double most[MOST])
{
    const double q = m->norm * most[LARGEST_P],
                 of_first[SUMS] = {scale_of(shadow * most[LARGEST_R]), scale_of(shadow * q), 1};
    double first[SUMS], second[SUMS];
    do_with_others(m, P, &(work){.piece = first_product, .scale = {of_first[0], of_first[1]}});
    sum_up(m, of_first, first);
    const double rho = first[0], alpha = quotient(rho, first[1]), s = most[LARGEST_R] + fabs(alpha) * q,
                 t = m->norm * s, of_second[SUMS] = {scale_of(t * s), scale_of(t * t), scale_of(shadow * t)};
    if (!isfinite(alpha) || !isfinite(t * t)) return false;
    do_all(m, &(work){.piece = half, .scalars = {.alpha = alpha}});
    do_with_others(
        m, R, &(work){.piece = second_product, .scale = {of_second[0], of_second[1], of_second[2]}});
    sum_up(m, of_second, second);
    const double omega = quotient(second[0], second[1]), beta = quotient(-alpha * second[2], rho);
    if (!isfinite(omega) || !isfinite(beta)) return false;
    do_all(m, &(work){.piece = end_of_iteration, .scalars = {alpha, omega, beta}});
    find_largest(m, most);
    return true;
}

mt_status mt_implicit_step(mt_implicit *m, double *v)
{
    double most[MOST];
    do_all(m, &(work){.piece = increments, .v = v});
    do_with_others(m, X, &(work){.piece = start});
    find_largest(m, most);
    const double shadow = most[LARGEST_R];
    for (size_t iteration = 0; most[RESIDUAL] > m->tolerance_mV; iteration++) {
        if (iteration == MT_IMPLICIT_ITERATIONS_MOST)
            return mt_implicit_failed(most[RESIDUAL], m->tolerance_mV);
        if (!iterate(m, shadow, most)) break;
    }
    do_all(m, &(work){.piece = add, .v = v});
    return MT_OK;
}
