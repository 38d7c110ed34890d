/* Proof that no mode grows: the stars around each indefinite star dissipate at least the energy that it
 * creates, and no star is counted for more than it has.
 *
 * The operator dissipates 1/2 sum_c e_c(z), e_c = delta_c' sym(K_c) delta_c (solver/diffusion/diffusion.h).
 * The eigenvectors of sym(K_c) of an indefinite star with negative eigenvalues are *debts*: e_c = (a
 * non-negative part) - sum debt (n . delta_c)^2. The remaining dissipation F = sum_j e_j of the stars at most
 * some rings away is at least 1 / m for n . delta_c = 1, with
 *
 *     A x = b,   m = b . x,   z' A z = F(z),   b . z = n . delta_c(z)
 *
 * and by the Cauchy-Schwarz inequality, first in each star and then over the stars,
 *
 *     debt (n . delta_c(z))^2  <=  debt m sum_j (delta_j(z)' K_j delta_j(x))^2 / e_j(x)   for all z
 *
 * So if debt m <= 1, the debt is paid by taking that share of one direction from each star; the other
 * directions stay intact:
 *
 *     K_j  <-  K_j - debt m (K_j delta_j(x)) (K_j delta_j(x))' / e_j(x)
 *
 * which remains positive semidefinite. Debts are paid one after the other in the order of the elements, so
 * that the result does not depend on the number of threads: first with one ring of stars, then with more
 * rings for the remaining debts. If all debts are paid, the sum has only non-negative terms: this proves the
 * absence of growth, up to rounding (1e-8 of a star's own rate). The greedy algorithm fails in a few places
 * where stars need nearly all dissipation that there is. It leaves the debts around such a place unpaid, and
 * to them the dissipation that remains, which near the place is all; solver/diffusion/limiter.h decides if
 * they can be paid together. */
#pragma once

#include "solver/diffusion/stars.h"

/* Pays as many debts as possible for the stars as they are limited now. The forms become the remaining
 * dissipation, without the unpaid debts. Returns in `arena` unpaid[n], non-zero for the *n_unpaid elements
 * with unpaid debts. mt_stars_form restores the forms. MT_MEMORY. MT_STOPPED. */
MT_NODISCARD mt_status mt_proof_pay_debts(
    mt_arena *arena, mt_stars *stars, uint8_t **unpaid, size_t *n_unpaid);

/* Adds the unpaid debts to the forms again. */
void mt_proof_restore_debts(mt_stars *stars, const uint8_t *unpaid);
