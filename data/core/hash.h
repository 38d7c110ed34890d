/* A fingerprint of what was given, 128 bits (XXH3): equal for equal bytes in equal order, on every machine of the same byte
 * order. It tells meshes and operators apart; against forgery it is nothing.
 *
 *     mt_hash hash;
 *     MT_TRY(mt_hash_begin(&hash));
 *     mt_hash_add(&hash, xyz_mm, n * sizeof *xyz_mm);
 *     mt_hash_end(&hash, text);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/status.h"

enum { MT_HASH_SIZE = 33 }; /* of a fingerprint as text, 32 hexadecimal digits, with its final 0 */

typedef struct mt_hash {
    void *state; /* xxhash's; owned until mt_hash_end */
} mt_hash;

/* Starts one. MT_MEMORY. */
MT_NODISCARD mt_status mt_hash_begin(mt_hash *hash);

/* Adds these bytes; in pieces of any size. */
void mt_hash_add(mt_hash *hash, const void *bytes, size_t n);

/* Ends it and writes the fingerprint of all that was added. */
void mt_hash_end(mt_hash *hash, char text[MT_HASH_SIZE]);

/* 64 bits of these bytes alone: for what is summed up in a fingerprint. */
uint64_t mt_hash_short(const void *bytes, size_t n);

/* The fingerprint of these bytes alone. MT_MEMORY. */
MT_NODISCARD mt_status mt_hash_of(const void *bytes, size_t n, char text[MT_HASH_SIZE]);
