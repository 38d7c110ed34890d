/* Eigenvalues of symmetric matrices: small dense matrices by Jacobi, the two extreme eigenvalues of a large
 * one by Lanczos.
 *
 * Lanczos stores three vectors for any number of steps (short recurrence, no reorthogonalisation). Converged
 * extreme eigenvalues may therefore repeat in the interior, but the extremes are Rayleigh quotients and never
 * exceed the true spectrum by more than rounding. A second run of the same recurrence computes the vectors.
 * Deterministic for any number of threads. Not a general eigensolver. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* A symmetric matrix defined by its product: y = S x; `apply` returns false to stop (MT_STOPPED).
 * `null_vector` is a unit vector with S null_vector = 0 to exclude from the spectrum, or NULL. The start
 * vector is noise derived from `number` [n], which makes it independent of the order of the rows; NULL: the
 * row's index. All pointers are borrowed. */
typedef struct mt_spectrum_map {
    size_t n;
    bool (*apply)(const void *context, const double *x, double *y);
    const void *context;
    const double *null_vector;
    const uint32_t *number;
} mt_spectrum_map;

/* Stopping criteria, checked every 10 steps. */
typedef struct mt_spectrum_goal {
    size_t max_steps; /* upper limit, like n */
    bool lowest_only; /* True to stop once the lowest eigenvalue has settled */
    /* relative change over 10 steps below which the lowest eigenvalue has settled */
    double lowest_tolerance;
    double above;           /* stop if the highest eigenvalue exceeds this and both have settled */
    double above_tolerance; /* the same relative change, for the highest */
} mt_spectrum_goal;

/* The Lanczos matrix: symmetric tridiagonal, with diagonal alpha and off-diagonal beta, and its two extreme
 * eigenvalues.
 *   beta[k] couples k and k + 1; beta[steps - 1] is the norm of the remainder. */
typedef struct mt_spectrum {
    size_t steps;
    double *alpha; /* [steps] */
    double *beta;  /* [steps] */
    double lowest;
    double highest; /* a lower bound of the true one */
    bool settled;   /* True if the lowest changed by less than its tolerance, or the space is exhausted */
} mt_spectrum;

/* Runs Lanczos from a fixed start vector until the goal; alpha and beta are in `arena`. A map with an empty
 * space (n = 0, or only the null vector) has 0 steps and eigenvalues 0. Fails with MT_NUMERICS if a value is
 * not finite. MT_MEMORY (3 vectors of n). */
MT_NODISCARD mt_status mt_spectrum_run(
    mt_arena *arena, const mt_spectrum_map *map, const mt_spectrum_goal *goal, mt_spectrum *spectrum);

/* Computes the unit Ritz vectors of the highest values above `above`, at most `max_vectors`, highest first,
 * without copies of one value. Returns values [count] and vectors [count][n] in `arena`. Repeats all steps of
 * the run. */
MT_NODISCARD mt_status mt_spectrum_vectors(mt_arena *arena, const mt_spectrum_map *map,
    const mt_spectrum *spectrum, double above, size_t max_vectors, size_t *count, double **values,
    double **vectors);

/* Computes eigenvalues, ascending, and unit eigenvectors (vectors[k] belongs to values[k]) of a symmetric
 * matrix of order n <= 4 by cyclic Jacobi rotations. Destroys `a`. */
void mt_spectrum_small(int n, double a[4][4], double values[4], double vectors[4][4]);
