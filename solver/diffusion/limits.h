/* What took long to find for a diffusion operator, also as bytes to be kept and found again by a key.
 *
 * The key is a fingerprint of all that decides it: coordinates, elements, fibres, tissues and who is of which, sheets
 * where they matter, scheme and MT_LIMITS_VERSION. The bytes are of one byte order, as the key is. Knows no files. */
#pragma once

#include "data/core/hash.h"
#include "mesh/mesh.h"
#include "solver/diffusion/scheme.h"
#include "solver/diffusion/tissue.h"

/* Enough to make the operator again to the last bit without seeking. */
typedef struct mt_limits {
    double limit_dt_ms, top_per_ms; /* as of mt_diffusion (solver/diffusion/diffusion.h), like the counts */
    size_t n_indefinite, n_rounds, n_limited;
    const uint32_t *limited; /* [n_limited] the elements with theta < 1, ascending */
} mt_limits;

/* The algorithm that finds these. To be raised by whoever changes what it finds. */
enum { MT_LIMITS_VERSION = 5 };

/* The key of the operator that mt_diffusion_make_with would make of these. MT_MEMORY. */
MT_NODISCARD mt_status mt_limits_key(const mt_mesh *mesh, const mt_tissues *tissues,
    const mt_diffusion_scheme *scheme, char key[MT_HASH_SIZE]);

/* Gives it as bytes in `arena`: 32 and 4 for each limited element. MT_MEMORY. */
MT_NODISCARD mt_status mt_limits_pack(mt_arena *arena, const mt_limits *known, void **bytes, size_t *n);

/* And back, from aligned bytes, of which the list of elements is a part. False: no limits have so many. */
bool mt_limits_unpack(const void *bytes, size_t n, mt_limits *known);
