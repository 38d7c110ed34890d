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

/* The results that suffice to rebuild the operator to the last bit without a search; with values, a lean operator is rebuilt without
 * stars. Arrays without a comment are as in mt_diffusion (solver/diffusion/diffusion.h), for the listed elements. */
typedef struct mt_limits {
    double limit_dt_ms, top_per_ms; /* as in mt_diffusion, like the counts */
    size_t n_indefinite, n_rounds, n_limited;
    const uint32_t *limited; /* [n_limited] the elements with theta < 1, ascending */

    bool has_values; /* False if the following are not known */
    const float *theta;
    size_t n_slivers, n_slowed, n_raised;
    const uint32_t *raised; /* [n_raised] elements whose V_c is not volume times capacity, ascending */
    const double *volume_mm3;
    const float *slowed;    /* 1 without spreading */
    size_t n_kappa;         /* number of elements of the mesh; 0 without spreading */
    const double *kappa_ms; /* [n_kappa] */
} mt_limits;

/* Version of the algorithm that computes the limits, and of their bytes. Raise it with every change of its results. */
enum { MT_LIMITS_VERSION = 6 };

/* Computes the key of the operator that mt_diffusion_make_with would build; `spreading`: as in its options.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_limits_key(const mt_mesh *mesh, const mt_tissues *tissues,
    const mt_diffusion_scheme *scheme, const mt_spreading *spreading, char key[MT_HASH_SIZE]);

/* True if limits can belong to a mesh of n elements; with values: and `spreads` tells whether there is spreading. */
bool mt_limits_fit(const mt_limits *known, size_t n);
bool mt_limits_values_fit(const mt_limits *known, size_t n, bool spreads);

/* Returns the limits as bytes in `arena`: 80, and 4 per limited element. With values, 4 more per limited element, 16 per raised one, and
 * 8 per kappa. MT_MEMORY. */
MT_NODISCARD mt_status mt_limits_pack(mt_arena *arena, const mt_limits *known, void **bytes, size_t *n);

/* Reads limits from aligned bytes; `known` points into them. False if n is not the size of any limits. */
bool mt_limits_unpack(const void *bytes, size_t n, mt_limits *known);
