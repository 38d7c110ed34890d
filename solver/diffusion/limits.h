/* What was found for a diffusion operator (mt_diffusion_known), as bytes to be kept and found again by a key.
 *
 * The key is a fingerprint of all that decides it: coordinates, cells, fibres, tissue, alpha and MT_DIFFUSION_VERSION. The
 * bytes say their key and end with a fingerprint of themselves, so that damaged ones, or those of another key, are seen.
 * They are of one byte order (so is the key). Knows no files. */
#ifndef MT_SOLVER_DIFFUSION_LIMITS_H
#define MT_SOLVER_DIFFUSION_LIMITS_H

#include "data/hash.h"
#include "solver/diffusion/diffusion.h"

/* The key of the operator that mt_diffusion_make would make of these. MT_FILE: no memory. */
MT_NODISCARD mt_status mt_limits_key(
    const mt_mesh *mesh, const mt_tissue *tissue, double alpha, char key[MT_HASH_SIZE]);

/* Gives in `arena` what was found for an operator. */
MT_NODISCARD mt_status mt_limits_of(
    mt_arena *arena, const mt_diffusion *diffusion, mt_diffusion_known *known);

/* Gives it as bytes in `arena`: 120 and 4 for each limited cell. */
MT_NODISCARD mt_status mt_limits_pack(mt_arena *arena, const char key[MT_HASH_SIZE],
    const mt_diffusion_known *known, unsigned char **bytes, size_t *n);

/* And back; the list of cells lies in `arena`. *valid is false where the bytes are damaged or of another key. */
MT_NODISCARD mt_status mt_limits_unpack(mt_arena *arena, const char key[MT_HASH_SIZE],
    const unsigned char *bytes, size_t n, mt_diffusion_known *known, bool *valid);

#endif
