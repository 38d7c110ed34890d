/* Partitions in the cache (data/files/cache.h). METIS takes about ten seconds for three million elements and always returns the same
 * partition.
 *
 * The key is a fingerprint of all inputs: the graph with its weights, and with positions if the method needs them, the tiling with its
 * machine, the number of IPUs, the scheme, and MT_PARTITION_VERSION. A partition for which METIS failed on the way is not stored, as it
 * differs from the usual one. Partitions of less than 100,000 elements are not cached, as they are fast to compute. With voltages at
 * the vertices, "elements" are vertices. */
#pragma once

#include "solver/plan/tiling.h"

/* MT_PARTITION_VERSION: version of the partitioning algorithm; a change of its results must increment it. */
enum { MT_PARTITION_VERSION = 1, MT_PARTITION_KEPT_FROM = 100000 };

/* Computes the key of a partition. */
MT_NODISCARD mt_status mt_cached_partition_key(const mt_tiling *tiling, const mt_scheme *scheme,
    uint32_t ipus, const mt_cut_graph *graph, char key[MT_HASH_SIZE]);

/* Reads the partition with this key into `arena`; *found is false if there is none with n_elements elements. */
MT_NODISCARD mt_status mt_cached_partition_find(
    mt_arena *arena, const char key[MT_HASH_SIZE], size_t n_elements, mt_partition *partition, bool *found);

/* Stores a partition. */
MT_NODISCARD mt_status mt_cached_partition_store(const char key[MT_HASH_SIZE], const mt_partition *partition);
