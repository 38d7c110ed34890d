/* A trial of explicit diffusion with a given step on a mesh: an experiment, not a proof.
 *
 * Starts from noise and repeats v += dt V^-1 M v in double precision; |v - mean|, weighted by volume, must
 * decrease in every step, up to rounding. Demonstrates that the step limit of an operator
 * (solver/diffusion/diffusion.h) holds; the limit itself comes from the spectrum. */
#pragma once

#include "solver/diffusion/diffusion.h"

typedef struct mt_stability_trial {
    size_t n_steps;
    double dt_ms;
    double before, after; /* |v - mean| = sqrt(sum V_c (v_c - mean)^2 / sum V_c) */
    double most_growth;   /* largest ratio of it over one step; 0 without steps */
} mt_stability_trial;

/* Takes n steps of dt_ms; borrows the operator. v starts uniform in [-1, 1): element after element from the
 * upper 53 bits of the generator x -> 6364136223846793005 x + 1442695040888963407 mod 2^64 (Knuth's MMIX)
 * with the initial state 1. With u = 2^-53, R = max_c sum_k |rate_ck| and m = max |v - mean|, one step may
 * add
 *   16 u |v - mean| + u (max |v| + 40 dt R m):
 * the first term for the two norms (compensated sums), the second for the 18 roundings of a row's
 * differences, products and sums, each at most 2 R m, and for the roundings of the step's product and of its
 * sum with v. Fails with MT_NUMERICS if |v - mean| is not finite or grew by more; the message names the step.
 * MT_INPUT: dt_ms is not finite or not above 0. MT_MEMORY (16 bytes per element, freed). */
MT_NODISCARD mt_status mt_stability_trial_run(
    const mt_diffusion *diffusion, double dt_ms, size_t n_steps, mt_stability_trial *trial);
