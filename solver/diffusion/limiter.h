/* Which gradients of a diffusion operator are limited, so that nothing grows, and the longest stable step: growth is sought
 * close to the indefinite stars (solver/diffusion/growth.h), proof is sought that there is none left (solver/diffusion/proof.h), and
 * what neither settles is left to the spectrum. */
#pragma once

#include "solver/diffusion/limits.h"
#include "solver/diffusion/stars.h"

/* Limits stars until nothing grows, and tells how many, and in how many rounds; borrows the stars, whose indefinite ones are
 * found->n_indefinite. MT_NUMERICS: the spectrum cannot be found. MT_MEMORY. MT_STOPPED. */
MT_NODISCARD mt_status mt_limiter_find(mt_stars *stars, mt_limits *found);

/* Measures the longest stable step of stars that were limited, and whose volumes may have been raised since, which lets nothing grow;
 * and tells the highest eigenvalue that it sees. The stars have forms, and need no stars. Errors as above. */
MT_NODISCARD mt_status mt_limiter_measure(const mt_stars *stars, mt_limits *found);

/* Limits the elements that are known to need it instead. False, and all as it was, where these are not indefinite, or no elements:
 * then that was of another mesh. */
bool mt_limiter_recall(mt_stars *stars, const mt_limits *known);
