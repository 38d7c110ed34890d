/* The diffusion operator of a mesh, made with the help of the cache.
 *
 * Making one takes some 10 s of processor time for a million elements; more than half of it goes into finding which elements to limit and
 * the longest stable step. These are kept in the cache (app/run/cache.h, solver/diffusion/limits.h); the operator is the same to the bit.
 * Below 2,000 elements the time is not worth a file. */
#pragma once

#include "solver/diffusion/diffusion.h"

/* mt_diffusion_make_with, lean; reports progress within the stage that the caller has begun. `cached`: use the
 * cache. Mesh, adjacency and who is of which tissue are kept. */
MT_NODISCARD mt_status mt_operator_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_tissues *tissues, const mt_diffusion_scheme *scheme, bool cached, mt_diffusion *diffusion);

/* Was any element limited? */
bool mt_operator_limits(const mt_diffusion *diffusion);
