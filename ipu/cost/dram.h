/* The time in which vertices compute on data in memory outside of their chip (ipu_dram of ipu/machine/target.h).
 *
 * The tiles of a chip share the memory. A tile divides its data in chunks that fit its buffers. For each chunk it loads the input,
 * computes, and stores the output. Let R, C and W be the cycles to load, compute and store all of it:
 *
 *     C   the largest compute time of a tile, and the launch of a vertex for each chunk after the first
 *     R   max(bytes of all tiles / rate, max over tiles of (bytes / port + chunks latency)); W likewise
 *
 * The port of a tile carries exchange_bytes_per_cycle. With n chunks on the tile that has the most of them
 *
 *     without overlap   T = R + C + W
 *     with overlap      T = (R + C + W) / n + (n - 1) / n max(C, bus),   bus = max(R, W) if duplex, else R + W
 *
 * The second line is a pipeline of three stages: a tile loads the next chunk and stores the previous one while it computes, so it has two
 * buffers for the input of a chunk and two for its output. It is exact for equal chunks and a duplex memory. Otherwise loads and stores of
 * the first and last chunk could use cycles of a shared bus that the pipeline leaves idle, at most R / n + W / n in total.
 *
 * A model of the sustained rate: pages, refresh and the order of requests are not modelled. */
#pragma once

#include "ipu/machine/target.h"

/* The data of the tiles of a machine in one compute set. */
typedef struct ipu_dram_load {
    uint64_t read, written;             /* bytes of the chip with the most bytes */
    uint64_t read_cycles, write_cycles; /* of the slowest tile alone, with its latencies */
    uint64_t chunks;                    /* of the tile with the most chunks; 0: no tile has data there */
    uint64_t compute;                   /* the largest compute cycles of a tile */
} ipu_dram_load;

/* The data of a tile in one compute set [bytes]: inputs, outputs, and all of it, in which data that are both count once. */
typedef struct ipu_dram_use {
    uint64_t read, written, bytes;
} ipu_dram_use;

/* Returns the number of chunks of a tile; 0 without data. */
uint64_t ipu_dram_chunks(const ipu_dram *dram, const ipu_dram_use *use);

/* Returns the bytes of its buffers: at most dram->buffer_bytes. Without overlap data that are input and output have one buffer. */
size_t ipu_dram_buffers(const ipu_dram *dram, const ipu_dram_use *use);

/* Returns the cycles by which loads and stores prolong the compute phase: T - load->compute, rounded up. */
uint64_t ipu_dram_cycles(const ipu_target *target, const ipu_dram_load *load);
