/* Partitions in the cache (app/run/cache.h): cutting three million elements takes METIS some ten seconds, every time the same.
 *
 * The key is a fingerprint of all that decides a cut: the adjacency, the tiling with its machine, the number of IPUs, the scheme, and
 * MT_PARTITION_VERSION. A cut for which METIS failed on the way is not kept, as it is another one than usual. Below 100,000 elements the
 * time is not worth a file. */
#pragma once

#include "solver/plan/tiling.h"

/* The algorithm that cuts. To be raised by whoever changes what it finds. */
enum { MT_PARTITION_VERSION = 1, MT_PARTITION_KEPT_FROM = 100000 };

/* The key of a cut. MT_MEMORY. */
MT_NODISCARD mt_status mt_kept_partition_key(const mt_tiling *tiling, const mt_scheme *scheme, uint32_t ipus,
    const mt_adjacency *adjacency, char key[MT_HASH_SIZE]);

/* Gives the partition kept under a key in `arena`; *found is false where there is none of so many elements. MT_MEMORY. */
MT_NODISCARD mt_status mt_kept_partition_find(
    mt_arena *arena, const char key[MT_HASH_SIZE], size_t n_elements, mt_partition *partition, bool *found);

/* Keeps a partition under a key. MT_MEMORY. */
MT_NODISCARD mt_status mt_kept_partition_keep(const char key[MT_HASH_SIZE], const mt_partition *partition);
