/* 128-bit fingerprints (XXH3): equal for the same bytes in the same order, on every machine of the same byte order. They
 * distinguish meshes and operators; they do not protect against forgery. Also: pseudo-random numbers.
 *
 *     mt_hash hash;
 *     MT_TRY(mt_hash_begin(&hash));
 *     mt_hash_add(&hash, xyz_mm, n * sizeof *xyz_mm);
 *     mt_hash_end(&hash, text);
 * */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/status.h"

enum { MT_HASH_SIZE = 33 }; /* bytes of a fingerprint as text: 32 hexadecimal digits and the final 0 */

typedef struct mt_hash {
    void *state; /* state of xxhash; owned until mt_hash_end */
} mt_hash;

/* Starts a fingerprint. MT_MEMORY. */
MT_NODISCARD mt_status mt_hash_begin(mt_hash *hash);

/* Adds n bytes; the result does not depend on how the bytes are divided into calls. */
void mt_hash_add(mt_hash *hash, const void *bytes, size_t n);

/* Ends the fingerprint and writes it as text. */
void mt_hash_end(mt_hash *hash, char text[MT_HASH_SIZE]);

/* Returns a 64-bit hash of these bytes alone, to be summed in a fingerprint. */
uint64_t mt_hash_short(const void *bytes, size_t n);

/* Returns the number at this index in the pseudo-random sequence of a seed: SplitMix64 (Steele, Lea and Flood 2014, doi
 * 10.1145/2660193.2660195). The 2^64 numbers of a seed are distinct. */
static inline uint64_t mt_random_bits(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Writes the fingerprint of these bytes alone. MT_MEMORY. */
MT_NODISCARD mt_status mt_hash_of(const void *bytes, size_t n, char text[MT_HASH_SIZE]);
