/* A cache for results that take long to compute, kept from run to run: bytes of a kind by a key, one file each in
 * $XDG_CACHE_HOME/myotile, or ~/.cache/myotile where that is not set. A file says its kind and key and ends with a fingerprint of all
 * that it holds, so that damaged ones, and those that were renamed, are seen.
 *
 * Never more than 256 files and 64 MiB: keeping something removes the files that were used longest ago. Files appear whole
 * (data/files/file.h), so any number of programs may use the cache at once. Nothing that goes wrong here is an error: what cannot be
 * read is not there, and what cannot be written is not kept. The folder may be deleted at any time. */
#pragma once

#include <stdbool.h>

#include "data/core/arena.h"
#include "data/core/hash.h"

enum { MT_CACHE_FILES = 256, MT_CACHE_BYTES = 64 << 20 };

/* Gives the bytes of a kind, a word of at most 15 characters, that were kept under a key, in `arena`, at an address for any type; false:
 * there are none. Marks them as used. */
bool mt_cache_find(
    mt_arena *arena, const char *kind, const char key[MT_HASH_SIZE], const void **bytes, size_t *n);

/* Keeps bytes under a key. */
void mt_cache_keep(const char *kind, const char key[MT_HASH_SIZE], const void *bytes, size_t n);
