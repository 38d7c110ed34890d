/* The diffusion operator of a mesh, built with the help of the cache.
 *
 * Building it takes about 10 s of processor time for a million elements. More than half of that is spent on finding the elements to limit
 * and the longest stable step. Both are stored in the cache (data/files/cache.h, solver/diffusion/limits.h); the operator has the same
 * bits.
 * Meshes of less than 2,000 elements do not use the cache, as the computation is fast. */
#pragma once

#include "solver/diffusion/nodal.h"

/* Builds the operator by `mt_diffusion_make_with`, lean. Reports progress within the current stage. `spreading`: laws of
 * the elements, or NULL. `cached`: true to use the cache. Borrows mesh, adjacency and the assignment of tissues for the lifetime of the
 * operator. */
MT_NODISCARD mt_status mt_operator_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_tissues *tissues, const mt_diffusion_scheme *scheme, const mt_spreading *spreading, bool cached,
    mt_diffusion *diffusion);

/* Builds the operator with voltages at the vertices, of which each belongs to an element (mt_nodal_diffusion_make). Nothing is spread
 * if `spreading` has no laws. Does not use the cache, since the computation is fast. Reports progress and borrows as above. */
MT_NODISCARD mt_status mt_operator_make_nodal(mt_arena *arena, const mt_mesh *mesh, const mt_tissues *tissues,
    const mt_nodal_spreading *spreading, mt_diffusion *diffusion);

/* True if any element was limited. */
bool mt_operator_is_limited(const mt_diffusion *diffusion);
