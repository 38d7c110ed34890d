/* Eigenvalues of symmetric matrices: small dense ones by Jacobi, the two ends of a large one by Lanczos.
 *
 * Lanczos keeps three vectors whatever the number of steps (short recurrence, no reorthogonalisation): an end
 * that has converged may show up more than once in between, but the two ends themselves are those of Rayleigh
 * quotients and so never lie outside the true spectrum by more than rounding. Vectors are made by running the
 * same recurrence a second time. Everything is deterministic for any number of threads. Not a general
 * eigensolver. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* A symmetric matrix known by what it does: y = S x (false: the work shall stop, MT_STOPPED). `null_vector` is a unit vector with S null_vector = 0
 * that shall be kept out of the spectrum, or NULL. The start vector is noise of the `number` [n] of each place: whoever changes the
 * order of places keeps it so; NULL: they are numbered as they stand. All pointers are borrowed. */
typedef struct mt_spectrum_map {
    size_t n;
    bool (*apply)(const void *context, const double *x, double *y);
    const void *context;
    const double *null_vector;
    const uint32_t *number;
} mt_spectrum_map;

/* When to stop. The ends are looked at every 10 steps. */
typedef struct mt_spectrum_goal {
    size_t max_steps;        /* never more than this, nor more than n */
    bool lowest_only;        /* stop as soon as the lowest end has settled */
    double lowest_tolerance; /* relative change over 10 steps below which the lowest end has settled */
    double above;            /* a highest end above this is bad news: stop once both ends have settled ... */
    double above_tolerance;  /* ... which for the highest means this relative change over 10 steps */
} mt_spectrum_goal;

/* The Lanczos matrix: symmetric tridiagonal, alpha on its diagonal, beta beside it, and its two ends.
 *   beta[k] couples k and k + 1; beta[steps - 1] is the norm of what was left. */
typedef struct mt_spectrum {
    size_t steps;
    double *alpha; /* [steps] */
    double *beta;  /* [steps] */
    double lowest;
    double highest; /* a lower bound of the true one */
    bool settled;   /* the lowest end changed by less than its tolerance, or the space was exhausted */
} mt_spectrum;

/* Runs Lanczos from a fixed start vector until the goal. Gives alpha and beta in `arena`. A map without any
 * space (n = 0, or nothing beside the null vector) has 0 steps and ends 0. Fails with MT_NUMERICS on a value
 * that is not finite, MT_MEMORY (3 vectors of n). */
MT_NODISCARD mt_status mt_spectrum_run(
    mt_arena *arena, const mt_spectrum_map *map, const mt_spectrum_goal *goal, mt_spectrum *spectrum);

/* The unit Ritz vectors of the highest values above `above`, at most `max_vectors`, highest first; copies of
 * one value are given once. Gives values [count] and vectors [count][n] in `arena`; costs as many steps
 * again. */
MT_NODISCARD mt_status mt_spectrum_vectors(mt_arena *arena, const mt_spectrum_map *map,
    const mt_spectrum *spectrum, double above, size_t max_vectors, size_t *count, double **values,
    double **vectors);

/* Eigenvalues, ascending, and unit eigenvectors (vectors[k] belongs to values[k]) of a symmetric matrix of
 * order n <= 4 by cyclic Jacobi rotations. `a` is destroyed. */
void mt_spectrum_small(int n, double a[4][4], double values[4], double vectors[4][4]);
