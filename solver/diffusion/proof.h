/* Proof that nothing grows: what indefinite stars could create is paid for by the stars around them, none of which gives more than it
 * has.
 *
 * What the operator takes from z is 1/2 sum_c e_c(z), e_c = delta_c' sym(K_c) delta_c (solver/diffusion/diffusion.h). Of an
 * indefinite star the eigenvectors of sym(K_c) with negative eigenvalues are *debts*: e_c = (a part that is never negative) -
 * sum debt (n . delta_c)^2. All that is left of the stars, F = sum_j e_j over those at most some rings away, is at least 1 / m where
 * n . delta_c = 1, for
 *
 *     A x = b,   m = b . x,   z' A z = F(z),   b . z = n . delta_c(z)
 *
 * and by the inequality of Cauchy and Schwarz, first in each star and then over the stars,
 *
 *     debt (n . delta_c(z))^2  <=  debt m sum_j (delta_j(z)' K_j delta_j(x))^2 / e_j(x)   for all z
 *
 * So with debt m <= 1 the debt is paid if each star gives up that share of one direction, and keeps all it has in the others:
 *
 *     K_j  <-  K_j - debt m (K_j delta_j(x)) (K_j delta_j(x))' / e_j(x)
 *
 * which is still not negative. One debt after the other in the order of the elements, so that the outcome is the same for any number of
 * threads: with one ring of stars where these have plenty, and with more of them for what is left. When all debts are paid the
 * sum is one of terms that are never negative, and nothing grows: that is proved, up to rounding (1e-8 of a star's own rate). Where this greedy way does not reach,
 * a few places where stars need nearly all there is, the debts around are left unpaid and what is there is left to them: whether they
 * can be paid together is for others to find (solver/diffusion/limiter.h). */
#pragma once

#include "solver/diffusion/stars.h"

/* Pays what it can for the stars as they are limited now, whose forms become what they have left, and tells in `arena` who has debts:
 * unpaid[n] != 0 for *n_unpaid elements. Those are not part of the forms. mt_stars_form undoes it. MT_MEMORY. MT_STOPPED. */
MT_NODISCARD mt_status mt_proof_seek(mt_arena *arena, mt_stars *stars, uint8_t **unpaid, size_t *n_unpaid);

/* Puts the debts that are unpaid back into the forms. */
void mt_proof_owe(mt_stars *stars, const uint8_t *unpaid);
