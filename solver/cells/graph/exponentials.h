/* Exponentials of V with equal slopes share one: exp(V/5 + 7) and exp(-V/5 - 12) become K1 e and K2 / e with e = exp(V/5). So do those with
 * 2, 3 or 4 times its slope, as powers of it.
 *
 * Rates of gates are full of them: of 51 exponentials in a step of the ten Tusscher-Panfilov 2006 model 34 remain. Values are those of the
 * original expressions up to rounding: a few products in place of the argument of the exponential, of which a rounding error of e changes
 * the result by the argument times e.
 *
 * Shared are those whose factor K and whose values at V from -300 to 300 mV are in the range of single precision. Only numbers count as
 * slope and intercept, no parameters. */
#pragma once

#include "solver/cells/graph/algebra.h"

/* Fills shared[n] with the expressions root[n], in which exponentials of the variable V [mV] share. Errors are kept in m->status, as in
 * algebra.h; also MT_MEMORY. */
void mt_exponentials_share(mt_algebra *m, size_t v, size_t n, const mt_node *root, mt_node *shared);
