/* A persistent cache of results that take long to compute. An entry is a file in $XDG_CACHE_HOME/myotile, or in ~/.cache/myotile if that
 * variable is not set, found by a kind and a key. The file contains both and ends with a fingerprint of its content, which reveals damaged
 * and renamed files.
 *
 * The cache has at most 256 files and 256 MiB; storing an entry deletes the least recently used files. Files appear complete
 * (data/files/file.h), so that several programs can use the cache at the same time. No failure here is an error: an unreadable entry counts
 * as missing, and an entry that cannot be written is not stored. The folder can be deleted at any time. */
#pragma once

#include <stdbool.h>

#include "data/core/arena.h"
#include "data/core/hash.h"

enum { MT_CACHE_FILES = 256, MT_CACHE_BYTES = 256 << 20 };

/* Reads an entry into `arena`, aligned for any type, and marks it as used. `kind`: a word of at most 15 characters. Returns false if there
 * is no such entry. */
bool mt_cache_find(
    mt_arena *arena, const char *kind, const char key[MT_HASH_SIZE], const void **bytes, size_t *n);

/* Stores an entry. */
void mt_cache_store(const char *kind, const char key[MT_HASH_SIZE], const void *bytes, size_t n);
