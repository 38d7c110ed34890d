#include <criterion/criterion.h>

#include <arpack/arpack.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "solver/diffusion/spectrum.h"

/* The path of n nodes with free ends: y_i = sum over the neighbours of (x_j - x_i) times weight, plus `extra` on the diagonal.
 * Eigenvalues without extra: -4 sin^2(pi k / 2n), k = 0 .. n - 1 (times the weight); k = 0 is the constant. */
typedef struct path {
    size_t n;
    double weight;
    const double *extra;
} path;

static bool path_apply(const void *context, const double *x, double *y)
{
    const path *p = context;
    for (size_t i = 0; i < p->n; i++) {
        double sum = p->extra ? p->extra[i] * x[i] : 0;
        if (i > 0) sum += p->weight * (x[i - 1] - x[i]);
        if (i + 1 < p->n) sum += p->weight * (x[i + 1] - x[i]);
        y[i] = sum;
    }
    return true;
}

static double path_eigenvalue(size_t n, size_t k)
{
    double s = sin(acos(-1) * (double)k / (2 * (double)n));
    return -4 * s * s;
}

static const mt_spectrum_goal all_steps = {
    .max_steps = 100000, .lowest_tolerance = 0, .above = 1e300, .above_tolerance = 0};

static mt_spectrum run(mt_arena *arena, const mt_spectrum_map *map, const mt_spectrum_goal *goal)
{
    mt_spectrum s;
    cr_assert(mt_spectrum_run(arena, map, goal, &s) == MT_OK, "%s", mt_message());
    return s;
}

static double *constant(mt_arena *arena, size_t n)
{
    double *x = mt_arena_alloc(arena, n, sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = 1 / sqrt((double)n);
    return x;
}

/* Bisection stops at an interval of a few epsilon of |T| = 4, and each of the 60 steps has rounding errors of a few epsilon: 1e-12. */
Test(spectrum, extreme_eigenvalues_of_a_path_match_the_formula)
{
    mt_arena arena = {0};
    path p = {60, 1, NULL};
    mt_spectrum s = run(&arena, &(mt_spectrum_map){p.n, path_apply, &p, NULL, NULL}, &all_steps);
    cr_assert_float_eq(s.lowest, path_eigenvalue(60, 59), 1e-12, "%.16g", s.lowest);
    cr_assert_float_eq(s.highest, 0, 1e-12, "%.16g", s.highest);
    cr_assert(s.settled);
    mt_arena_free(&arena);
}

Test(spectrum, a_known_null_vector_is_deflated)
{
    mt_arena arena = {0};
    path p = {60, 1, NULL};
    mt_spectrum s =
        run(&arena, &(mt_spectrum_map){p.n, path_apply, &p, constant(&arena, p.n), NULL}, &all_steps);
    cr_assert_float_eq(s.highest, path_eigenvalue(60, 1), 1e-12, "%.16g", s.highest);
    mt_arena_free(&arena);
}

/* Ritz values are Rayleigh quotients: for any number of steps they are inside the spectrum, up to rounding. */
Test(spectrum, estimated_eigenvalues_never_exceed_the_true_spectrum)
{
    mt_arena arena = {0};
    path p = {5000, 1, NULL};
    mt_spectrum_map map = {p.n, path_apply, &p, constant(&arena, p.n), NULL};
    double before = 0;
    for (size_t steps = 1; steps <= 400; steps += 57) {
        mt_spectrum_goal goal = all_steps;
        goal.max_steps = steps;
        mt_spectrum s = run(&arena, &map, &goal);
        cr_assert(s.steps == steps);
        cr_assert(s.lowest >= path_eigenvalue(p.n, p.n - 1) - 1e-12 &&
                  s.highest <= path_eigenvalue(p.n, 1) + 1e-12);
        cr_assert(s.lowest <= before + 1e-12, "more steps must not reduce the accuracy");
        before = s.lowest;
    }
    mt_arena_free(&arena);
}

/* Two bad nodes with a small positive eigenvalue each, far inside a spectrum that extends to -400, as in the limiter. */
enum { BAD_N = 3000, BAD_1 = 700, BAD_2 = 2100 };

static path bad_path(mt_arena *arena)
{
    double *extra = mt_arena_alloc(arena, BAD_N, sizeof *extra);
    extra[BAD_1] = 60;
    extra[BAD_2] = 50;
    return (path){BAD_N, 100, extra};
}

/* A defect e on an infinite path of weight w binds one state: value = -2 w + sqrt(e^2 + 4 w^2), which decays by exp(-asinh(e / 2 w)) per
 * node; the exponent is 0.3 here, so the ends contribute only exp(-2 * 0.25 * 700). */
static double bound_state(double extra, double weight)
{
    return -2 * weight + sqrt(extra * extra + 4 * weight * weight);
}

Test(spectrum, growing_eigenvectors_are_found_with_their_eigenvalues)
{
    mt_arena arena = {0};
    path p = bad_path(&arena);
    mt_spectrum_map map = {p.n, path_apply, &p, NULL, NULL};
    mt_spectrum_goal goal = {
        .max_steps = 400, .lowest_tolerance = 1e-3, .above = 1e-6, .above_tolerance = 1e-10};
    mt_spectrum s = run(&arena, &map, &goal);
    cr_assert_float_eq(s.highest, bound_state(60, 100), 1e-6, "%.10g", s.highest);
    size_t count;
    double *values, *vectors;
    cr_assert(mt_spectrum_vectors(&arena, &map, &s, 1e-6, 12, &count, &values, &vectors) == MT_OK);
    cr_assert(count >= 2, "%zu", count);
    cr_assert_float_eq(values[1], bound_state(50, 100), 1e-3, "%.10g", values[1]);
    double *image = mt_arena_alloc(&arena, BAD_N, sizeof *image);
    for (size_t k = 0; k < 2; k++) {
        const double *x = vectors + k * BAD_N;
        double residual = 0, length = 0;
        path_apply(&p, x, image);
        for (size_t i = 0; i < BAD_N; i++) {
            residual += pow(image[i] - values[k] * x[i], 2);
            length += x[i] * x[i];
        }
        /* the error of the value is residual^2 / gap, so 1e-6 (1e-3) in the value allows 3e-3 (1e-1) here; gap about 3 */
        cr_assert(sqrt(residual) < (k == 0 ? 3e-3 : 1e-1), "vector %zu: residual %g", k, sqrt(residual));
        cr_assert_float_eq(length, 1, 1e-12);
        size_t largest = 0;
        for (size_t i = 0; i < BAD_N; i++)
            if (fabs(x[i]) > fabs(x[largest])) largest = i;
        cr_assert(largest == (k == 0 ? BAD_1 : BAD_2), "vector %zu has its maximum at %zu", k, largest);
    }
    mt_arena_free(&arena);
}

Test(spectrum, a_positive_eigenvalue_stops_the_iteration_early)
{
    mt_arena arena = {0};
    path p = bad_path(&arena);
    mt_spectrum_goal goal = {
        .max_steps = 400, .lowest_tolerance = 1e-3, .above = 1e-6, .above_tolerance = 1e-2};
    mt_spectrum s = run(&arena, &(mt_spectrum_map){p.n, path_apply, &p, NULL, NULL}, &goal);
    cr_assert(s.steps < 200 && s.highest > 1e-6, "%zu steps, highest %g", s.steps, s.highest);
    mt_arena_free(&arena);
}

/* Computes the same ends with ARPACK. `which` is "SA" or "LA". */
static double arpack_end(const path *p, const char *which)
{
    enum { NCV = 40 };
    int n = (int)p->n, ido = 0, info = 0, iparam[11] = {1, 0, 3000, 1, 0, 0, 1}, ipntr[11] = {0};
    double *resid = calloc(p->n, sizeof *resid), *v = calloc(p->n * NCV, sizeof *v);
    double *workd = calloc(3 * p->n, sizeof *workd), workl[NCV * (NCV + 8)], value = NAN;
    for (;;) {
        dsaupd_c(&ido, "I", n, which, 1, 1e-10, resid, NCV, v, n, iparam, ipntr, workd, workl,
            NCV * (NCV + 8), &info);
        if (ido != 1 && ido != -1) break;
        path_apply(p, workd + ipntr[0] - 1, workd + ipntr[1] - 1);
    }
    cr_assert(info == 0, "ARPACK: info %d", info);
    int select[NCV];
    dseupd_c(0, "A", select, &value, v, n, 0, "I", n, which, 1, 1e-10, resid, NCV, v, n, iparam, ipntr, workd,
        workl, NCV * (NCV + 8), &info);
    free(resid);
    free(v);
    free(workd);
    return value;
}

/* The operator requires a relative change of 1e-3 over ten steps; the factor 0.9 of its time step covers a per cent. */
Test(spectrum, converged_extreme_eigenvalues_agree_with_arpack)
{
    mt_arena arena = {0};
    path p = bad_path(&arena);
    double *extra = mt_arena_alloc(&arena, BAD_N, sizeof *extra);
    memcpy(extra, p.extra, BAD_N * sizeof *extra);
    for (size_t i = 0; i < BAD_N; i++) extra[i] -= 10 * (double)(i * 7919 % 1009) / 1009;
    p.extra = extra;
    mt_spectrum_goal goal = {
        .max_steps = 400, .lowest_tolerance = 1e-3, .above = 1e-6, .above_tolerance = 1e-4};
    mt_spectrum s = run(&arena, &(mt_spectrum_map){p.n, path_apply, &p, NULL, NULL}, &goal);
    double lowest = arpack_end(&p, "SA"), highest = arpack_end(&p, "LA");
    cr_assert(s.settled && s.lowest >= lowest - 1e-7 && s.lowest <= 0.99 * lowest, "%g, ARPACK %g", s.lowest,
        lowest);
    cr_assert(
        highest > 1 && fabs(s.highest - highest) <= 1e-2 * highest, "%g, ARPACK %g", s.highest, highest);
    mt_arena_free(&arena);
}

Test(spectrum, the_spectrum_is_equal_for_any_number_of_threads)
{
    mt_arena arena = {0};
    path p = {20000, 1, NULL};
    mt_spectrum_goal goal = all_steps;
    goal.max_steps = 50;
    mt_spectrum s[3];
    for (int k = 0; k < 3; k++) {
        omp_set_num_threads(k + 1);
        s[k] = run(&arena, &(mt_spectrum_map){p.n, path_apply, &p, constant(&arena, p.n), NULL}, &goal);
        cr_assert(memcmp(s[k].alpha, s[0].alpha, 50 * sizeof(double)) == 0);
        cr_assert(memcmp(s[k].beta, s[0].beta, 50 * sizeof(double)) == 0);
    }
    mt_arena_free(&arena);
}

Test(spectrum, a_space_of_dimension_zero_takes_no_steps)
{
    mt_arena arena = {0};
    path p = {1, 1, NULL};
    double one = 1;
    mt_spectrum s = run(&arena, &(mt_spectrum_map){1, path_apply, &p, &one, NULL}, &all_steps);
    cr_assert(s.steps == 0 && s.lowest == 0 && s.highest == 0);
    s = run(&arena, &(mt_spectrum_map){0, path_apply, &p, NULL, NULL}, &all_steps);
    cr_assert(s.steps == 0);
    mt_arena_free(&arena);
}

static bool not_a_number(const void *context, const double *x, double *y)
{
    (void)context;
    y[0] = x[0];
    y[1] = NAN;
    return true;
}

Test(spectrum, nonfinite_values_are_rejected)
{
    mt_arena arena = {0};
    mt_spectrum s;
    cr_assert(mt_spectrum_run(&arena, &(mt_spectrum_map){2, not_a_number, NULL, NULL, NULL}, &all_steps,
                  &s) == MT_NUMERICS);
    mt_arena_free(&arena);
}

/* A = sum values_k u_k u_k' must be recovered; Jacobi leaves off-diagonals of one epsilon of |A|: 1e-14. */
static void check_small(int n, double a[4][4])
{
    double copy[4][4], values[4], vectors[4][4], size = 1e-300;
    memcpy(copy, a, sizeof copy);
    mt_spectrum_small(n, copy, values, vectors);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) size = fmax(size, fabs(a[i][j]));
    for (int i = 0; i < n; i++) {
        cr_assert(i == 0 || values[i] >= values[i - 1]);
        for (int j = 0; j < n; j++) {
            double sum = 0, product = 0;
            for (int k = 0; k < n; k++) {
                sum += values[k] * vectors[k][i] * vectors[k][j];
                product += vectors[i][k] * vectors[j][k];
            }
            cr_assert(fabs(sum - a[i][j]) <= 1e-14 * size, "order %d (%d, %d): %.17g, was %.17g", n, i, j,
                sum, a[i][j]);
            cr_assert_float_eq(product, i == j, 1e-14);
        }
    }
}

Test(spectrum, small_matrices_are_reassembled_from_their_eigendecomposition)
{
    srand(1);
    for (int n = 1; n <= 4; n++)
        for (int round = 0; round < 2000; round++) {
            double a[4][4] = {{0}};
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++)
                    a[i][j] = a[j][i] =
                        round % 3 == 0 ? rand() % 3 - 1 : ldexp(rand() % 2001 - 1000, rand() % 40 - 20);
            check_small(n, a);
        }
}

Test(spectrum, out_of_memory_at_any_point_is_reported)
{
    path p = {100, 1, NULL};
    mt_spectrum_map map = {p.n, path_apply, &p, NULL, NULL};
    mt_spectrum s;
    mt_status status = MT_MEMORY;
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        size_t count;
        double *values, *vectors;
        mt_arena_fail_at(n);
        status = mt_spectrum_run(&arena, &map, &all_steps, &s);
        if (status == MT_OK) status = mt_spectrum_vectors(&arena, &map, &s, -1, 3, &count, &values, &vectors);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK || status == MT_MEMORY);
        cr_assert(n < 100);
        mt_arena_free(&arena);
    }
}
