/* The solver of implicit diffusion steps on the host, for a mesh or a rank's part of it, with OpenMP (solver/diffusion/implicit.h).
 *
 * Included after solver/kernels/lanes.h has selected the arithmetic. Sums do not depend on an order, so the bits depend neither on threads
 * nor on ranks: products are added in fixed point. In double precision with 59 bits below a bound of all products; in single precision with
 * the words and scalars of the emulated machine (solver/kernels/bicgstab_scalars.h), and thus with its bits. The bounds follow from the
 * largest |r| and |p| and from the largest absolute row sum of A. */
#pragma once

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "solver/diffusion/implicit.h"
#include "solver/kernels/block.h"
#include "solver/kernels/ellpack.h"
#include "solver/kernels/sliced.h"
#include "solver/kernels/flushing.h"
#include "solver/kernels/bicgstab_equations.h"
#ifndef MT_DOUBLE
#    include "solver/kernels/bicgstab_scalars.h"
#endif

/* The rows of G, borrowed. */
typedef struct implicit_rows {
    const real *d, *off;               /* [n], [n][16] in blocks (solver/kernels/block.h) */
    const mt_ellpack_columns *columns; /* one per block; columns < n_local */
    const mt_sliced
        *sliced; /* rows of different lengths, with off [n_values], in place of `columns`; else NULL */
} implicit_rows;

typedef struct implicit_solver {
    size_t n;
    double theta, tolerance_mV;
    implicit_rows rows;
    real *x, *r, *shadow, *p, *q, *t; /* [n]; x, r and p [n_local] */
    real norm;                        /* of A */
    struct findings *found;           /* one per piece of the elements */
    const mt_communicator *ranks;     /* NULL for a single process */
    void *come[3];                    /* receives x, r and p from other ranks */
} implicit_solver;

/* The ranks of a common step. Received elements follow the rank's n own elements, n_local in total; `neighbour` [n_ranks] lists the pieces
 * of an array of reals to exchange. Zero-initialised means one process with all elements. */
typedef struct implicit_ranks {
    const mt_communicator *with;
    size_t n_local;
    const mt_neighbour *neighbour;
} implicit_ranks;

#ifdef MT_DOUBLE
#    define multiply_rows mt_ellpack_rows_double
#    define multiply_sliced mt_sliced_rows_double
#else
#    define multiply_rows mt_ellpack_rows_float
#    define multiply_sliced mt_sliced_rows_float
#endif

enum { PIECE = 64 * MT_BLOCK }; /* elements per thread and iteration */

static size_t pieces(const implicit_solver *m) { return (m->n + PIECE - 1) / PIECE; }

/* ---- sums independent of the order ---- */

#ifdef MT_DOUBLE
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
#    pragma omp simd reduction(+ : high, low)
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
static double sum_value(uint64_t high, uint64_t low, double scale)
{
    return ((double)(int64_t)high + (double)(int64_t)low * 0x1p-30) / scale;
}
#else
static uint64_t integer_of(int64_t x) { return (uint64_t)x; }

/* Returns (x, y) over n terms. */
static fixed_sum product(size_t n, float scale, const float *x, const float *y)
{
    fixed_sum sum = {0};
    for (size_t i = 0; i < n; i++) fixed_add_product(&sum, scale, x[i], y[i]);
    return sum;
}
#endif

enum { SUMS = 3, MOST = 3 };

/* Results over some elements: sums, or maxima of non-negative numbers. */
typedef struct findings {
    fixed_sum sum[SUMS];
    real most[MOST];
} findings;

/* ---- opening ---- */

static real size_of(real x) { return x < 0 ? -x : x; }

/* Returns off[k] of a row. */
static real entry_of(const implicit_solver *m, size_t row, size_t k)
{
    const mt_sliced *sliced = m->rows.sliced;
    if (!sliced) return m->rows.off[mt_block_index(m->n, MT_ELLPACK_WIDTH, row, k)];
    return m->rows.off[MT_BLOCK * (sliced->block[row / MT_BLOCK].first + k) + row % MT_BLOCK];
}

/* Returns the largest absolute row sum of A. */
static real norm_of(const implicit_solver *m)
{
    const mt_sliced *sliced = m->rows.sliced;
    double norm = 0;
    for (size_t i = 0; i < m->n; i++) {
        const size_t width = sliced ? sliced->block[i / MT_BLOCK].width : MT_ELLPACK_WIDTH;
        real sum = 1; /* the diagonal of A */
        for (size_t k = 0; k < width; k++) sum += size_of(entry_of(m, i, k));
        norm = fmax(norm, (double)sum);
    }
    mt_communicator_largest(m->ranks, &norm, 1);
    return (real)norm;
}

enum { X, R, P };

/* Allocates six arrays in `arena`, and keeps the rows of G. MT_MEMORY. Collective. */
static mt_status implicit_open(mt_arena *arena, size_t n, const implicit_rows *rows, double theta,
    double tolerance_mV, const implicit_ranks *ranks, implicit_solver *m)
{
    const size_t n_local = ranks->with ? ranks->n_local : n;
    *m = (implicit_solver){
        .n = n, .theta = theta, .tolerance_mV = tolerance_mV, .rows = *rows, .ranks = ranks->with};
    MT_ALLOC(arena, m->x, n_local);
    MT_ALLOC(arena, m->r, n_local);
    MT_ALLOC(arena, m->p, n_local);
    MT_ALLOC(arena, m->shadow, n);
    MT_ALLOC(arena, m->q, n);
    MT_ALLOC(arena, m->t, n);
    MT_ALLOC(arena, m->found, pieces(m));
    m->norm = norm_of(m);
    real *const memory[] = {[X] = m->x, [R] = m->r, [P] = m->p};
    for (int k = X; m->ranks && k <= P; k++)
        MT_TRY(m->ranks->connect(m->ranks, memory[k], ranks->neighbour, &m->come[k]));
    return MT_OK;
}

/* ---- passes over the elements ---- */

/* Arguments shared by all pieces. */
typedef struct work work;

/* A function applied to the elements [from, end). */
typedef void do_piece(const implicit_solver *m, const work *w, size_t from, size_t end, findings *found);
struct work {
    do_piece *piece;
    real *v;
    bicgstab_scalars scalars;
    real scale[SUMS];
};

static void do_all(const implicit_solver *m, const work *w)
{
#pragma omp parallel if (m->n > PIECE)
    {
        const uint64_t before = begin_arithmetic();
#pragma omp for schedule(static)
        for (size_t k = 0; k < pieces(m); k++) {
            const size_t from = k * PIECE, end = m->n - from < PIECE ? m->n : from + PIECE;
            m->found[k] = (findings){0};
            w->piece(m, w, from, end, &m->found[k]);
        }
        end_arithmetic(before);
    }
}

/* Receives the other ranks' part of an array before a product with it. */
static void do_with_others(const implicit_solver *m, int array, const work *w)
{
    if (m->ranks) {
        m->ranks->start(m->come[array]);
        m->ranks->finish(m->come[array]);
    }
    do_all(m, w);
}

/* Adds the sums over all elements of all ranks: high and low parts, as integers that wrap around. */
static void sum_up(const implicit_solver *m, uint64_t parts[2 * SUMS])
{
    for (size_t s = 0; s < SUMS; s++) {
        parts[2 * s] = parts[2 * s + 1] = 0;
        for (size_t k = 0; k < pieces(m); k++) {
            parts[2 * s] += integer_of(m->found[k].sum[s].high);
            parts[2 * s + 1] += integer_of(m->found[k].sum[s].low);
        }
    }
    if (m->ranks) m->ranks->reduce(m->ranks, MT_REDUCE_SUM, parts, 2 * SUMS);
}

enum { RESIDUAL, LARGEST_R, LARGEST_P };

static void find_largest(const implicit_solver *m, real most[MOST])
{
    double all[MOST];
    for (int j = 0; j < MOST; j++) {
        most[j] = 0;
        for (size_t k = 0; k < pieces(m); k++) most[j] = bicgstab_larger(m->found[k].most[j], most[j]);
        all[j] = (double)most[j];
    }
    mt_communicator_largest(m->ranks, all, MOST);
    for (int j = 0; j < MOST; j++) most[j] = (real)all[j];
}

/* Computes out = G v. */
static void multiply(const implicit_solver *m, size_t from, size_t end, const real *v, real *out)
{
    static const real zero[PIECE];
    const implicit_rows *g = &m->rows;
    if (g->sliced)
        multiply_sliced(
            end - from, g->sliced->block + from / MT_BLOCK, g->off, zero, v + from, v, out + from);
    else
        multiply_rows(end - from, g->d + from, g->off + from * MT_ELLPACK_WIDTH, g->columns + from / MT_BLOCK,
            v + from, v, out + from);
}

static void increments(const implicit_solver *m, const work *w, size_t from, size_t end, findings *found)
{
    (void)found;
    multiply(m, from, end, w->v, m->x);
#ifdef MT_DOUBLE
    for (size_t i = from; i < end; i++) m->x[i] /= m->theta;
#else
    const float over_theta = (float)(1 / m->theta);
    for (size_t i = from; i < end; i++) m->x[i] *= over_theta;
#endif
}

static void note_largest(const implicit_solver *m, size_t i, real most[MOST])
{
    most[RESIDUAL] = bicgstab_larger(bicgstab_residual(m->rows.d[i], m->r[i]), most[RESIDUAL]);
    most[LARGEST_R] = bicgstab_larger(m->r[i], most[LARGEST_R]);
    most[LARGEST_P] = bicgstab_larger(m->p[i], most[LARGEST_P]);
}

static void start(const implicit_solver *m, const work *w, size_t from, size_t end, findings *found)
{
    (void)w;
    multiply(m, from, end, m->x, m->r);
    for (size_t i = from; i < end; i++) {
        m->r[i] = m->p[i] = m->shadow[i] = bicgstab_start(m->rows.d[i], m->x[i], m->r[i]);
        note_largest(m, i, found->most);
    }
}

static void first_product(const implicit_solver *m, const work *w, size_t from, size_t end, findings *found)
{
    const size_t n = end - from;
    multiply(m, from, end, m->p, m->q);
    for (size_t i = from; i < end; i++) m->q[i] = bicgstab_product(m->rows.d[i], m->p[i], m->q[i]);
    found->sum[0] = product(n, w->scale[0], m->shadow + from, m->r + from);
    found->sum[1] = product(n, w->scale[1], m->shadow + from, m->q + from);
}

static void half(const implicit_solver *m, const work *w, size_t from, size_t end, findings *found)
{
    (void)found;
    for (size_t i = from; i < end; i++) m->r[i] = bicgstab_half(w->scalars.alpha, m->r[i], m->q[i]);
}

static void second_product(const implicit_solver *m, const work *w, size_t from, size_t end, findings *found)
{
    const size_t n = end - from;
    multiply(m, from, end, m->r, m->t);
    for (size_t i = from; i < end; i++) m->t[i] = bicgstab_product(m->rows.d[i], m->r[i], m->t[i]);
    found->sum[0] = product(n, w->scale[0], m->t + from, m->r + from);
    found->sum[1] = product(n, w->scale[1], m->t + from, m->t + from);
    found->sum[2] = product(n, w->scale[2], m->shadow + from, m->t + from);
}

static void end_of_iteration(
    const implicit_solver *m, const work *w, size_t from, size_t end, findings *found)
{
    for (size_t i = from; i < end; i++) {
        bicgstab_end(w->scalars, m->q[i], m->t[i], &m->x[i], &m->r[i], &m->p[i]);
        note_largest(m, i, found->most);
    }
}

static void add(const implicit_solver *m, const work *w, size_t from, size_t end, findings *found)
{
    (void)found;
    for (size_t i = from; i < end; i++) w->v[i] += m->x[i];
}

/* ---- the iteration ---- */

#ifdef MT_DOUBLE
/* A direction of length 0 has no effect. */
static double quotient(double x, double y) { return y == 0 ? 0 : x / y; }

static void sums_of(const implicit_solver *m, const double scale[SUMS], double value[SUMS])
{
    uint64_t parts[2 * SUMS];
    sum_up(m, parts);
    for (size_t s = 0; s < SUMS; s++) value[s] = sum_value(parts[2 * s], parts[2 * s + 1], scale[s]);
}

/* One iteration, given the largest |r^|, and the largest |r| and |p|, which are updated for the next iteration.
 * False if values are not numbers; x is then unchanged. */
static bool iterate(const implicit_solver *m, double shadow, double most[MOST])
{
    const double q = m->norm * most[LARGEST_P],
                 of_first[SUMS] = {scale_of(shadow * most[LARGEST_R]), scale_of(shadow * q), 1};
    double first[SUMS], second[SUMS];
    do_with_others(m, P, &(work){.piece = first_product, .scale = {of_first[0], of_first[1]}});
    sums_of(m, of_first, first);
    const double rho = first[0], alpha = quotient(rho, first[1]), s = most[LARGEST_R] + fabs(alpha) * q,
                 t = m->norm * s, of_second[SUMS] = {scale_of(t * s), scale_of(t * t), scale_of(shadow * t)};
    if (!isfinite(alpha) || !isfinite(t * t)) return false;
    do_all(m, &(work){.piece = half, .scalars = {.alpha = alpha}});
    do_with_others(
        m, R, &(work){.piece = second_product, .scale = {of_second[0], of_second[1], of_second[2]}});
    sums_of(m, of_second, second);
    const double omega = quotient(second[0], second[1]), beta = quotient(-alpha * second[2], rho);
    if (!isfinite(omega) || !isfinite(beta)) return false;
    do_all(m, &(work){.piece = end_of_iteration, .scalars = {alpha, omega, beta}});
    find_largest(m, most);
    return true;
}

static mt_status solve(const implicit_solver *m, double most[MOST])
{
    const double shadow = most[LARGEST_R];
    for (size_t iteration = 0; most[RESIDUAL] > m->tolerance_mV; iteration++) {
        if (iteration == MT_IMPLICIT_ITERATIONS_MOST)
            return mt_implicit_failed(most[RESIDUAL], m->tolerance_mV);
        if (!iterate(m, shadow, most)) break;
    }
    return MT_OK;
}
#else
/* The words that the tiles of a machine send, added over all of them. */
static void words_of(const implicit_solver *m, int32_t word[SUMS * FIXED_WORDS])
{
    uint64_t parts[2 * SUMS];
    sum_up(m, parts);
    for (size_t s = 0; s < SUMS; s++)
        fixed_words((int64_t)parts[2 * s], (int64_t)parts[2 * s + 1], word + FIXED_WORDS * s);
}

static mt_status solve(const implicit_solver *m, float most[MOST])
{
    bicgstab_state state = {.norm = m->norm, .tolerance_mV = (float)m->tolerance_mV};
    bicgstab_sent sent = {0};
    int32_t word[SUMS * FIXED_WORDS], iteration = 0;
    while (bicgstab_next(iteration, most[LARGEST_R], most[LARGEST_P], most[RESIDUAL], &state, &sent)) {
        if (iteration++ == MT_IMPLICIT_ITERATIONS_MOST)
            return mt_implicit_failed((double)most[RESIDUAL], m->tolerance_mV);
        do_with_others(m, P, &(work){.piece = first_product, .scale = {sent.scale_r, sent.scale_q}});
        words_of(m, word);
        bicgstab_alpha(word, &state, &sent);
        do_all(m, &(work){.piece = half, .scalars = {.alpha = sent.alpha}});
        do_with_others(
            m, R, &(work){.piece = second_product, .scale = {sent.scale_ts, sent.scale_tt, sent.scale_rt}});
        words_of(m, word);
        bicgstab_omega(word, &state, &sent);
        do_all(m, &(work){.piece = end_of_iteration, .scalars = {sent.alpha, sent.omega, sent.beta}});
        find_largest(m, most);
    }
    return MT_OK;
}
#endif

/* Advances v [n], followed by received elements, by one step. Fails with MT_NUMERICS if the residual does not fall below the tolerance.
 * Values that are not numbers spread in v and are not reported. Collective. */
static mt_status implicit_step(implicit_solver *m, real *v)
{
    real most[MOST];
    do_all(m, &(work){.piece = increments, .v = v});
    do_with_others(m, X, &(work){.piece = start});
    find_largest(m, most);
    const uint64_t before = begin_arithmetic();
    const mt_status status = solve(m, most);
    end_arithmetic(before);
    MT_TRY(status);
    do_all(m, &(work){.piece = add, .v = v});
    return MT_OK;
}
