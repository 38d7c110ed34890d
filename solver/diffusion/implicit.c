#include "solver/diffusion/implicit.h"

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

enum {
    PIECE = 64 * MT_BLOCK,
    SUMS = 3
}; /* elements that a thread takes at a time; numbers that a piece sums */

static size_t pieces(const mt_implicit *m) { return (m->n + PIECE - 1) / PIECE; }

mt_status mt_implicit_open(mt_arena *arena, size_t n, const double *d, const double *off,
    const uint32_t *column, double theta, double tolerance_mV, mt_implicit *m)
{
    *m = (mt_implicit){
        .n = n, .theta = theta, .tolerance_mV = tolerance_mV, .d = d, .off = off, .column = column};
    MT_ALLOC(arena, m->x, n);
    MT_ALLOC(arena, m->r, n);
    MT_ALLOC(arena, m->shadow, n);
    MT_ALLOC(arena, m->p, n);
    MT_ALLOC(arena, m->q, n);
    MT_ALLOC(arena, m->t, n);
    MT_ALLOC(arena, m->sums, pieces(m) * SUMS);
    return MT_OK;
}

/* What is done to the elements [from, end); gives up to SUMS sums, or one maximum. */
typedef struct work work;
typedef void do_piece(const mt_implicit *m, const work *w, size_t from, size_t end, double *sums);
struct work {
    do_piece *piece;
    double *v;
    bicgstab_scalars scalars;
};

static void do_all(const mt_implicit *m, const work *w)
{
#pragma omp parallel for schedule(static) if (m->n > PIECE)
    for (size_t k = 0; k < pieces(m); k++) {
        const size_t from = k * PIECE, end = m->n - from < PIECE ? m->n : from + PIECE;
        w->piece(m, w, from, end, m->sums + SUMS * k);
    }
}

static double sum_of(const mt_implicit *m, size_t which)
{
    double sum = 0;
    for (size_t k = 0; k < pieces(m); k++) sum += m->sums[SUMS * k + which];
    return sum;
}

static double largest(const mt_implicit *m)
{
    double most = 0;
    for (size_t k = 0; k < pieces(m); k++) most = bicgstab_larger(m->sums[SUMS * k], most);
    return most;
}

/* out = G v. */
static void multiply(const mt_implicit *m, size_t from, size_t end, const double *v, double *out)
{
    mt_ellpack_rows_double32(end - from, m->d + from, m->off + from * MT_ELLPACK_WIDTH,
        m->column + from * MT_ELLPACK_WIDTH, v + from, v, out + from);
}

static void increments(const mt_implicit *m, const work *w, size_t from, size_t end, double *sums)
{
    (void)sums;
    multiply(m, from, end, w->v, m->x);
    for (size_t i = from; i < end; i++) m->x[i] /= m->theta;
}

static void start(const mt_implicit *m, const work *w, size_t from, size_t end, double *sums)
{
    double most = 0;
    (void)w;
    multiply(m, from, end, m->x, m->r);
    for (size_t i = from; i < end; i++) {
        m->r[i] = m->p[i] = m->shadow[i] = bicgstab_start(m->d[i], m->x[i], m->r[i]);
        most = bicgstab_larger(bicgstab_residual(m->d[i], m->r[i]), most);
    }
    sums[0] = most;
}

static void first_product(const mt_implicit *m, const work *w, size_t from, size_t end, double *sums)
{
    double r = 0, q = 0;
    (void)w;
    multiply(m, from, end, m->p, m->q);
    for (size_t i = from; i < end; i++) {
        m->q[i] = bicgstab_product(m->d[i], m->p[i], m->q[i]);
        r += m->shadow[i] * m->r[i];
        q += m->shadow[i] * m->q[i];
    }
    sums[0] = r, sums[1] = q;
}

static void half(const mt_implicit *m, const work *w, size_t from, size_t end, double *sums)
{
    (void)sums;
    for (size_t i = from; i < end; i++) m->r[i] = bicgstab_half(w->scalars.alpha, m->r[i], m->q[i]);
}

static void second_product(const mt_implicit *m, const work *w, size_t from, size_t end, double *sums)
{
    double ts = 0, tt = 0, rt = 0;
    (void)w;
    multiply(m, from, end, m->r, m->t);
    for (size_t i = from; i < end; i++) {
        m->t[i] = bicgstab_product(m->d[i], m->r[i], m->t[i]);
        ts += m->t[i] * m->r[i];
        tt += m->t[i] * m->t[i];
        rt += m->shadow[i] * m->t[i];
    }
    sums[0] = ts, sums[1] = tt, sums[2] = rt;
}

static void end_of_iteration(const mt_implicit *m, const work *w, size_t from, size_t end, double *sums)
{
    double most = 0;
    for (size_t i = from; i < end; i++) {
        bicgstab_end(w->scalars, m->q[i], m->t[i], &m->x[i], &m->r[i], &m->p[i]);
        most = bicgstab_larger(bicgstab_residual(m->d[i], m->r[i]), most);
    }
    sums[0] = most;
}

static void add(const mt_implicit *m, const work *w, size_t from, size_t end, double *sums)
{
    (void)sums;
    for (size_t i = from; i < end; i++) w->v[i] += m->x[i];
}

/* A direction without length is not gone along. */
static double quotient(double x, double y) { return y == 0 ? 0 : x / y; }

/* False where nothing can be told of what is no number: x stays as it was. */
static bool iterate(const mt_implicit *m)
{
    do_all(m, &(work){.piece = first_product});
    const double rho = sum_of(m, 0), alpha = quotient(rho, sum_of(m, 1));
    do_all(m, &(work){.piece = half, .scalars = {.alpha = alpha}});
    do_all(m, &(work){.piece = second_product});
    const double omega = quotient(sum_of(m, 0), sum_of(m, 1)), beta = quotient(-alpha * sum_of(m, 2), rho);
    if (!isfinite(alpha) || !isfinite(omega) || !isfinite(beta)) return false;
    do_all(m, &(work){.piece = end_of_iteration, .scalars = {alpha, omega, beta}});
    return true;
}

mt_status mt_implicit_step(mt_implicit *m, double *v)
{
    do_all(m, &(work){.piece = increments, .v = v});
    do_all(m, &(work){.piece = start});
    for (size_t iteration = 0; largest(m) > m->tolerance_mV; iteration++) {
        if (iteration == MT_IMPLICIT_ITERATIONS_MOST) return mt_implicit_failed(largest(m), m->tolerance_mV);
        if (!iterate(m)) break;
    }
    do_all(m, &(work){.piece = add, .v = v});
    return MT_OK;
}
