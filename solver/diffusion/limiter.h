/* Selection of the gradients to limit so that no mode grows, and the longest stable step. Growth is searched
 * near the indefinite stars (solver/diffusion/growth.h); then a proof of its absence is attempted
 * (solver/diffusion/proof.h); the spectrum decides the remaining cases. */
#pragma once

#include "solver/diffusion/limits.h"
#include "solver/diffusion/stars.h"

/* Limits stars until no mode grows, and returns the numbers of limited elements and of rounds. Borrows the
 * stars; found->n_indefinite is the number of indefinite ones. Fails with MT_NUMERICS if the spectrum cannot
 * be found. MT_MEMORY. MT_STOPPED. */
MT_NODISCARD mt_status mt_limiter_find(mt_stars *stars, mt_limits *found);

/* Computes the longest stable step of limited stars, also after their volumes were raised (which causes no
 * growth), and returns the highest eigenvalue found. Reads only the forms of the stars. Errors as above. */
MT_NODISCARD mt_status mt_limiter_measure(const mt_stars *stars, mt_limits *found);

/* Limits the known elements instead. Returns false and changes nothing if one of them is not an indefinite
 * element of this mesh: the limits then belong to another mesh. */
bool mt_limiter_recall(mt_stars *stars, const mt_limits *known);
