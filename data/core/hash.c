#include "data/core/hash.h"

#include <stdio.h>
#include <xxhash.h>

mt_status mt_hash_begin(mt_hash *hash)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state) return mt_fail(MT_MEMORY, "out of memory for a fingerprint");
    (void)XXH3_128bits_reset(state);
    hash->state = state;
    return MT_OK;
}

void mt_hash_add(mt_hash *hash, const void *bytes, size_t n)
{
    if (n > 0) (void)XXH3_128bits_update(hash->state, bytes, n);
}

void mt_hash_end(mt_hash *hash, char text[MT_HASH_SIZE])
{
    const XXH128_hash_t sum = XXH3_128bits_digest(hash->state);
    (void)XXH3_freeState(hash->state);
    hash->state = NULL;
    (void)snprintf(
        text, MT_HASH_SIZE, "%016llx%016llx", (unsigned long long)sum.high64, (unsigned long long)sum.low64);
}

uint64_t mt_hash_short(const void *bytes, size_t n) { return XXH3_64bits(bytes, n); }

mt_status mt_hash_of(const void *bytes, size_t n, char text[MT_HASH_SIZE])
{
    mt_hash hash = {0};
    MT_TRY(mt_hash_begin(&hash));
    mt_hash_add(&hash, bytes, n);
    mt_hash_end(&hash, text);
    return MT_OK;
}
