/* Bytes that took long to find, kept by their key from run to run: one file each in $XDG_CACHE_HOME/myotile, or
 * ~/.cache/myotile where that is not set.
 *
 * Never more than 256 files and 64 MiB: whoever keeps something removes the files that were used longest ago. Files appear
 * whole (data/file.h), so that any number of programs may use it at once. Nothing that goes wrong here is an error: what
 * cannot be read is not there, what cannot be written is not kept. Whoever reads must know for himself whether the bytes
 * are those that were kept. It may be deleted at any time. */
#ifndef MT_APP_STAGES_CACHE_H
#define MT_APP_STAGES_CACHE_H

#include <stdbool.h>

#include "data/arena.h"
#include "data/hash.h"

enum { MT_CACHE_FILES = 256, MT_CACHE_BYTES = 64 << 20 };

/* Gives the bytes kept under a key, in `arena`; false: there are none. Marks them as used. */
bool mt_cache_find(mt_arena *arena, const char key[MT_HASH_SIZE], unsigned char **bytes, size_t *n);

/* Keeps bytes under a key. */
void mt_cache_keep(const char key[MT_HASH_SIZE], const unsigned char *bytes, size_t n);

#endif
