#include "solver/diffusion/spectrum.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "data/core/axes.h"
#include "data/core/hash.h"

enum {
    LOOK_EVERY = 10,
    SUM_BLOCK = 4096,
    /* with fewer, threads cost more than they save */
    PARALLEL_FROM = 16384
};

/* ---- Sums in an order that does not depend on the number of threads: within blocks, then over the blocks in
 * order. */

typedef struct lanczos {
    const mt_spectrum_map *map;
    double *q_old, *q, *y; /* [n] */
    double *partial;       /* [number of blocks][2] */
    size_t n, n_blocks;
} lanczos;

/* Computes y += a x and returns z . y, in one pass through memory. */
static double add_and_dot(const lanczos *l, double a, const double *x, double *y, const double *z)
{
#pragma omp parallel for schedule(static) if (l->n >= PARALLEL_FROM)
    for (size_t b = 0; b < l->n_blocks; b++) {
        size_t end = (b + 1) * SUM_BLOCK < l->n ? (b + 1) * SUM_BLOCK : l->n;
        double sum = 0;
        for (size_t i = b * SUM_BLOCK; i < end; i++) {
            y[i] += a * x[i];
            sum += z[i] * y[i];
        }
        l->partial[b] = sum;
    }
    double sum = 0;
    for (size_t b = 0; b < l->n_blocks; b++) sum += l->partial[b];
    return sum;
}

/* y += a x */
static void add(size_t n, double a, const double *x, double *y)
{
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) y[i] += a * x[i];
}

/* x = (x - part * y) * a */
static void subtract_and_scale(size_t n, double part, const double *y, double a, double *x)
{
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) x[i] = (x[i] - part * y[i]) * a;
}

static void scale(size_t n, double a, double *x)
{
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t i = 0; i < n; i++) x[i] *= a;
}

/* Computes y += a x, y . y and z . y, in one pass through memory. */
static void add_and_two_dots(
    const lanczos *l, double a, const double *x, double *y, const double *z, double *yy, double *zy)
{
#pragma omp parallel for schedule(static) if (l->n >= PARALLEL_FROM)
    for (size_t b = 0; b < l->n_blocks; b++) {
        size_t end = (b + 1) * SUM_BLOCK < l->n ? (b + 1) * SUM_BLOCK : l->n;
        double square = 0, product = 0;
        for (size_t i = b * SUM_BLOCK; i < end; i++) {
            y[i] += a * x[i];
            square += y[i] * y[i];
            product += z[i] * y[i];
        }
        l->partial[2 * b] = square;
        l->partial[2 * b + 1] = product;
    }
    *yy = *zy = 0;
    for (size_t b = 0; b < l->n_blocks; b++) {
        *yy += l->partial[2 * b];
        *zy += l->partial[2 * b + 1];
    }
}

/* ---- The recurrence. */

/* Returns a value in [-1, 1), uniform, from the index alone. */
static double noise(uint64_t index) { return (double)(mt_random_bits(0, index) >> 11) * 0x1p-52 - 1; }

/* Computes y += a x, removes the null vector from y and normalises y if it is not 0. Returns the norm before
 * normalisation. If y was mostly null vector, the norm by Pythagoras is mostly rounding; callers that need it call
 * twice. */
static double add_and_clean(const lanczos *l, double a, const double *x, double *y)
{
    const double *null_vector = l->map->null_vector;
    double length, square, part;
    if (!null_vector) {
        length = sqrt(add_and_dot(l, a, x, y, y));
        if (length > 0) scale(l->n, 1 / length, y);
        return length;
    }
    add_and_two_dots(l, a, x, y, null_vector, &square, &part);
    length = sqrt(fmax(square - part * part, 0));
    subtract_and_scale(l->n, part, null_vector, length > 0 ? 1 / length : 1, y);
    return length;
}

/* Sets q to the unit start vector; false if the space is empty. */
static bool start(lanczos *l)
{
    const uint32_t *number = l->map->number;
    memset(l->q_old, 0, l->n * sizeof *l->q_old);
#pragma omp parallel for schedule(static) if (l->n >= PARALLEL_FROM)
    for (size_t i = 0; i < l->n; i++) l->q[i] = noise(number ? number[i] : i);
    double before = sqrt(add_and_dot(l, 0, l->q_old, l->q, l->q));
    double length = add_and_clean(l, 0, l->q_old, l->q);
    if (!(length > 1e-7 * before)) return false;
    add_and_clean(l, 0, l->q_old, l->q);
    return true;
}

/* Computes S q = beta_old q_old + alpha q + beta y, then (q_old, q) <- (q, y), while beta > 0. */
static mt_status step(lanczos *l, double beta_old, double *alpha, double *beta)
{
    if (!l->map->apply(l->map->context, l->q, l->y)) return mt_fail(MT_STOPPED, "stopped");
    *alpha = add_and_dot(l, -beta_old, l->q_old, l->y, l->q);
    *beta = add_and_clean(l, -*alpha, l->q, l->y);
    double *oldest = l->q_old;
    l->q_old = l->q;
    l->q = l->y;
    l->y = oldest;
    return MT_OK;
}

static mt_status lanczos_make(mt_arena *arena, const mt_spectrum_map *map, lanczos *l)
{
    l->map = map;
    l->n = map->n;
    l->n_blocks = (map->n + SUM_BLOCK - 1) / SUM_BLOCK;
    MT_ALLOC(arena, l->q_old, map->n);
    MT_ALLOC(arena, l->q, map->n);
    MT_ALLOC(arena, l->y, map->n);
    MT_ALLOC(arena, l->partial, 2 * l->n_blocks);
    return MT_OK;
}

/* ---- The tridiagonal matrix. */

/* Computes an interval that contains all eigenvalues (Gershgorin). */
static void span(const mt_spectrum *s, size_t steps, double *low, double *high)
{
    *low = DBL_MAX;
    *high = -DBL_MAX;
    for (size_t k = 0; k < steps; k++) {
        double radius = (k > 0 ? s->beta[k - 1] : 0) + (k + 1 < steps ? s->beta[k] : 0);
        *low = fmin(*low, s->alpha[k] - radius);
        *high = fmax(*high, s->alpha[k] + radius);
    }
}

/* Returns the number of eigenvalues below x: the negative pivots of T - x (Sturm). */
static size_t count_below(const mt_spectrum *s, size_t steps, double x)
{
    size_t below = 0;
    double pivot = 1;
    for (size_t k = 0; k < steps; k++) {
        double b = k > 0 ? s->beta[k - 1] : 0;
        pivot = s->alpha[k] - x - b * b / pivot;
        if (fabs(pivot) < DBL_MIN) pivot = -DBL_MIN;
        below += pivot < 0;
    }
    return below;
}

/* Returns eigenvalue number `index`, counted from the lowest, by bisection to nearly the last bit. */
static double tridiagonal_value(const mt_spectrum *s, size_t steps, size_t index)
{
    double low, high;
    span(s, steps, &low, &high);
    double tiny = 2 * DBL_EPSILON * fmax(fabs(low), fabs(high));
    low -= tiny;
    high += tiny;
    for (int round = 0; round < 200 && high - low > 2 * DBL_EPSILON * fmax(fabs(low), fabs(high)); round++) {
        double middle = low + (high - low) / 2;
        if (count_below(s, steps, middle) > index)
            high = middle;
        else
            low = middle;
    }
    return low + (high - low) / 2;
}

/* Solves (T - value) x = x in place by elimination with row exchanges; u is [3][steps] scratch. */
static void tridiagonal_solve(const mt_spectrum *s, double value, double *u, double *x)
{
    size_t n = s->steps;
    double *d = u, *e = u + n, *f = u + 2 * n; /* upper triangle: diagonal, first and second superdiagonal */
    double smallest = DBL_EPSILON * fmax(fabs(s->lowest), fabs(s->highest)) + DBL_MIN;
    d[0] = s->alpha[0] - value;
    e[0] = n > 1 ? s->beta[0] : 0;
    f[0] = 0;
    for (size_t k = 0; k + 1 < n; k++) {
        double a = s->beta[k], b = s->alpha[k + 1] - value, c = k + 2 < n ? s->beta[k + 1] : 0;
        /* row k + 1 is (a, b, c) in the columns of row k = (d, e, f) */
        if (fabs(a) > fabs(d[k])) {
            double old[3] = {d[k], e[k], f[k]}, rhs = x[k];
            d[k] = a, e[k] = b, f[k] = c;
            a = old[0], b = old[1], c = old[2];
            x[k] = x[k + 1];
            x[k + 1] = rhs;
        }
        if (fabs(d[k]) < smallest) d[k] = smallest;
        double m = a / d[k];
        d[k + 1] = b - m * e[k];
        e[k + 1] = c - m * f[k];
        f[k + 1] = 0;
        x[k + 1] -= m * x[k];
    }
    if (fabs(d[n - 1]) < smallest) d[n - 1] = smallest;
    for (size_t k = n; k-- > 0;) {
        if (k + 1 < n) x[k] -= e[k] * x[k + 1];
        if (k + 2 < n) x[k] -= f[k] * x[k + 2];
        x[k] /= d[k];
    }
}

/* Computes the unit eigenvector of an eigenvalue by inverse iteration; u is [3][steps] scratch. */
static void tridiagonal_vector(const mt_spectrum *s, double value, double *u, double *x)
{
    for (size_t k = 0; k < s->steps; k++) x[k] = noise(k);
    for (int round = 0; round < 4; round++) {
        double largest = 0, sum = 0;
        for (size_t k = 0; k < s->steps; k++) largest = fmax(largest, fabs(x[k]));
        for (size_t k = 0; k < s->steps; k++) sum += (x[k] / largest) * (x[k] / largest);
        for (size_t k = 0; k < s->steps; k++) x[k] /= largest * sqrt(sum);
        if (round < 3) tridiagonal_solve(s, value, u, x);
    }
}

/* ---- Public functions. */

static double relative_change(double from, double to)
{
    return to == from ? 0 : fabs(to - from) / fmax(fabs(to), DBL_MIN);
}

/* Computes both extreme eigenvalues; true if the goal is reached. */
static bool look(const mt_spectrum_goal *goal, mt_spectrum *s)
{
    double low = tridiagonal_value(s, s->steps, 0);
    double high = tridiagonal_value(s, s->steps, s->steps - 1);
    bool first = s->steps <= LOOK_EVERY;
    s->settled = !first && relative_change(s->lowest, low) < goal->lowest_tolerance;
    bool bad_news = !first && high > goal->above && relative_change(s->highest, high) < goal->above_tolerance;
    s->lowest = low;
    s->highest = high;
    return s->settled && (goal->lowest_only || bad_news);
}

static mt_status run(lanczos *l, const mt_spectrum_goal *goal, size_t max_steps, mt_spectrum *s)
{
    double largest = 0;
    bool done = !start(l) || max_steps == 0;
    s->settled = done;
    while (!done) {
        double *alpha = s->alpha + s->steps, *beta = s->beta + s->steps;
        MT_TRY(step(l, s->steps > 0 ? s->beta[s->steps - 1] : 0, alpha, beta));
        s->steps++;
        if (!isfinite(*alpha) || !isfinite(*beta))
            return mt_fail(MT_NUMERICS, "Lanczos step %zu resulted in %g and %g; both must be finite",
                s->steps, *alpha, *beta);
        largest = fmax(largest, fmax(fabs(*alpha), *beta));
        bool exhausted = s->steps == l->n || *beta <= 1e-13 * largest;
        done = exhausted || s->steps == max_steps;
        if (done || s->steps % LOOK_EVERY == 0) done = look(goal, s) || done;
        s->settled = s->settled || exhausted;
    }
    return MT_OK;
}

mt_status mt_spectrum_run(
    mt_arena *arena, const mt_spectrum_map *map, const mt_spectrum_goal *goal, mt_spectrum *spectrum)
{
    size_t max_steps = goal->max_steps < map->n ? goal->max_steps : map->n;
    memset(spectrum, 0, sizeof *spectrum);
    MT_ALLOC(arena, spectrum->alpha, max_steps);
    MT_ALLOC(arena, spectrum->beta, max_steps);
    MT_SCRATCH(scratch);
    lanczos l;
    MT_TRY(lanczos_make(scratch, map, &l));
    return run(&l, goal, max_steps, spectrum);
}

/* Finds the highest eigenvalues above `above`, without copies, and their vectors in Lanczos coordinates
 * [count][steps]. */
static mt_status top_of_tridiagonal(mt_arena *arena, const mt_spectrum *s, double above, size_t max_vectors,
    double *values, double *coordinates, size_t *count)
{
    double *u;
    MT_ALLOC(arena, u, 3 * s->steps);
    double apart = 1e-9 * fmax(fabs(s->lowest), fabs(s->highest));
    *count = 0;
    for (size_t index = s->steps; index-- > 0 && *count < max_vectors;) {
        double value = tridiagonal_value(s, s->steps, index);
        if (!(value > above)) break;
        if (*count > 0 && values[*count - 1] - value < apart) continue;
        values[*count] = value;
        tridiagonal_vector(s, value, u, coordinates + *count * s->steps);
        (*count)++;
    }
    return MT_OK;
}

static mt_status gather_vectors(mt_arena *scratch, const mt_spectrum_map *map, const mt_spectrum *s,
    size_t count, const double *coordinates, double *vectors)
{
    lanczos l;
    MT_TRY(lanczos_make(scratch, map, &l));
    if (!start(&l)) return MT_OK;
    for (size_t k = 0; k < s->steps; k++) {
        for (size_t j = 0; j < count; j++) add(l.n, coordinates[j * s->steps + k], l.q, vectors + j * l.n);
        double alpha, beta;
        if (k + 1 < s->steps) MT_TRY(step(&l, k > 0 ? s->beta[k - 1] : 0, &alpha, &beta));
    }
    for (size_t j = 0; j < count; j++) {
        double length = sqrt(add_and_dot(&l, 0, l.q_old, vectors + j * l.n, vectors + j * l.n));
        if (length > 0) scale(l.n, 1 / length, vectors + j * l.n);
    }
    return MT_OK;
}

mt_status mt_spectrum_vectors(mt_arena *arena, const mt_spectrum_map *map, const mt_spectrum *spectrum,
    double above, size_t max_vectors, size_t *count, double **values, double **vectors)
{
    MT_SCRATCH(scratch);
    double *coordinates;
    MT_ALLOC(scratch, coordinates, max_vectors * spectrum->steps);
    MT_ALLOC(arena, *values, max_vectors);
    MT_TRY(top_of_tridiagonal(scratch, spectrum, above, max_vectors, *values, coordinates, count));
    MT_ALLOC(arena, *vectors, *count * map->n);
    return gather_vectors(scratch, map, spectrum, *count, coordinates, *vectors);
}

/* ---- Small matrices. */

static void sort_ascending(int n, double values[4], double vectors[4][4])
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && values[j] < values[j - 1]; j--) {
            double value = values[j];
            values[j] = values[j - 1];
            values[j - 1] = value;
            for (int k = 0; k < n; k++) {
                double x = vectors[j][k];
                vectors[j][k] = vectors[j - 1][k];
                vectors[j - 1][k] = x;
            }
        }
}

/* Returns the larger number; a NaN in y counts as absent. Inline, in contrast to fmax. */
static inline double larger(double x, double y) { return y > x ? y : x; }

static inline void rotate_until_diagonal(int n, double a[4][4], double vectors[4][4])
{
    double size = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            vectors[i][j] = i == j;
            size = larger(size, fabs(a[i][j]));
        }
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = 0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                off = larger(off, fabs(a[p][q]));
                if (!(fabs(a[p][q]) > DBL_EPSILON / 16 * size)) continue;
                mt_axes_rotate(n, 4, a[0], vectors[0], p, q);
                a[p][q] = a[q][p] = 0;
            }
        if (off <= DBL_EPSILON * size) break;
    }
}

void mt_spectrum_small(int n, double a[4][4], double values[4], double vectors[4][4])
{
    if (n == 3) /* most matrices: a constant order makes unrolled code */
        rotate_until_diagonal(3, a, vectors);
    else
        rotate_until_diagonal(n, a, vectors);
    for (int k = 0; k < n; k++) values[k] = a[k][k];
    sort_ascending(n, values, vectors);
}
