/* Compresses chunks of arrays on all threads, as HDF5's filters shuffle and deflate would: a zlib stream of the chunk's byte planes
 * (the first bytes of all values, then the second bytes, ...). Planes that deflate does not shrink, such as low bytes of coordinates,
 * are stored, which takes a fraction of the time and has the same size. The bytes do not depend on the number of threads.
 *
 *     MT_TRY(mt_planes_make(arena, 8, 8, n_chunk, n, &planes));
 *     mt_planes_run(&planes, n_now, values);       at most planes.n_slots chunks of n_chunk values
 *     for (k = 0; k < chunks; k++) bytes = mt_planes_bytes(&planes, k, &size); */
#pragma once

#include <stddef.h>

#include "data/core/arena.h"

typedef struct mt_planes_slot mt_planes_slot;

typedef struct mt_planes {
    size_t value_bytes, stored_bytes; /* of a value in memory, and in the chunk, which ends with zeros */
    size_t n_chunk;                   /* values of a chunk */
    size_t n_slots;                   /* chunks compressed at the same time */
    mt_planes_slot *slot;
} mt_planes;

/* Prepares the compression of n values. They are little-endian integers or floating-point numbers; unsigned integers can have more bytes
 * in the chunk than in memory. Allocates a slot for each thread, at most one for each chunk, of twice the bytes of a chunk. MT_MEMORY. */
MT_NODISCARD mt_status mt_planes_make(
    mt_arena *arena, size_t value_bytes, size_t stored_bytes, size_t n_chunk, size_t n, mt_planes *p);

/* Compresses n values, at most n_slots chunks. The last chunk is filled with zeros. */
void mt_planes_run(const mt_planes *p, size_t n, const void *values);

/* Returns the bytes of a compressed chunk, valid until the next run, and their number: 0 if zlib failed. */
const void *mt_planes_bytes(const mt_planes *p, size_t chunk, size_t *n);
