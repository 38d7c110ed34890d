/* The expensive results of building a diffusion operator, and their conversion to bytes for a cache.
 *
 * The key of the cache is a fingerprint of all inputs: coordinates, elements, fibres, tissues and their
 * indices, sheets if they matter, scheme, laws of the spreading and MT_LIMITS_VERSION. Key and bytes use the byte order of the
 * machine. Independent of files. */
#pragma once

#include "data/core/hash.h"
#include "mesh/mesh.h"
#include "solver/diffusion/scheme.h"
#include "solver/diffusion/tissue.h"

/* The results that suffice to rebuild the operator to the last bit without a search. */
typedef struct mt_limits {
    double limit_dt_ms, top_per_ms; /* as in mt_diffusion (solver/diffusion/diffusion.h), like the counts */
    size_t n_indefinite, n_rounds, n_limited;
    const uint32_t *limited; /* [n_limited] the elements with theta < 1, ascending */
} mt_limits;

/* Version of the algorithm that computes the limits. Raise it with every change of its results. */
enum { MT_LIMITS_VERSION = 5 };

/* Computes the key of the operator that mt_diffusion_make_with would build; `spreading`: as in its options.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_limits_key(const mt_mesh *mesh, const mt_tissues *tissues,
    const mt_diffusion_scheme *scheme, const mt_spreading *spreading, char key[MT_HASH_SIZE]);

/* Returns the limits as bytes in `arena`: 32, and 4 per limited element. MT_MEMORY. */
MT_NODISCARD mt_status mt_limits_pack(mt_arena *arena, const mt_limits *known, void **bytes, size_t *n);

/* Reads limits from aligned bytes; `known` points into them. False if n is not the size of any limits. */
bool mt_limits_unpack(const void *bytes, size_t n, mt_limits *known);
