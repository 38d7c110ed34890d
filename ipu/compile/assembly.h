/* Assembly of data on a tile: of a vertex input that is not one range of the tile's own memory, or of the destination of a copy
 * within one range of a variable.
 *
 * Such an input has pieces: ranges of other tiles' memory, each a message, and ranges of its own tile. There are two methods:
 *
 *   directly   Each message is received in its place in the input, as one fragment. Own pieces are copied there, unless
 *              the input is a *tail* (ipu/compile/compile.h).
 *   by copies  The messages are received in a buffer; then all pieces, including own ones, are copied to the input, as by
 *              the vendor's compiler. If a tile sends several ranges for it, the tile first gathers them in a buffer,
 *              provided that the copy takes fewer bytes than the exchange code that it saves, at the sender and at the
 *              receiver; then they are one fragment.
 *
 * The exchange transfers complete words. An input is always assembled by copies if a message is not aligned to words on both
 * sides, or ends within a word that continues with other data. Halves, shorts and bools can cause this.
 *
 * Copies are work of the tile before and after the exchange. Those that a tile performs together take, in tile cycles,
 *
 *     copy_call_cycles + copy_range_cycles x ranges + copy_row_cycles x rows + bytes / local_copy_bytes_per_cycle
 *
 * A row is one of at least four ranges from the same tile that have equal lengths, and follow each other at equal distances, both at
 * their sources and at their destinations: a loop copies them. Ranges in the order of their destinations are searched first, then the
 * others in the order of their sources.
 *
 * For all other inputs the machine's `copies` decides: never, always, or by the cycles that the input takes alone,
 *
 *     turns of its fragments (ipu/compile/schedule.h) + its copies on its own tile + the longest gather of a sender
 *
 * without distinction of rows.
 *
 * A tile that sends the same short ranges for several inputs gathers them for each; gathered ranges are not shared.
 *
 * With either method the host copies every piece once, directly to its place: only time and memory differ.
 *
 * Memory of copies, category "rearrangement": both buffers, live during their compute set, and copy_range_bytes for each range and
 * strided copy, always live. */
#pragma once

#include "ipu/compile/executable.h"
#include "ipu/compile/schedule.h"

/* Returns the cycles of the copies that a tile performs together; 0 without copies. */
uint64_t ipu_copies_cycles(const ipu_target *target, const ipu_copying *copying);

/* Returns the number of exchange words that contain `bytes` bytes starting at `from`. */
size_t ipu_words_of(const ipu_target *target, size_t from, size_t bytes);

/* The demands of a superstep on the exchange and on the tiles. */
typedef struct ipu_assembly {
    ipu_fragment *fragments;
    size_t n_fragments;
    bool *copied;                /* [inputs of the superstep] True if it is assembled by copies */
    ipu_copying *before, *after; /* [tiles] copies before and after the exchange */
    size_t *buffer_bytes;        /* [tiles] of both buffers */
} ipu_assembly;

/* Chooses the method for each input of a superstep; messages and places must be complete. The fragments are in the arena
 * `fragments`, the rest in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status ipu_assembly_make(mt_arena *arena, mt_arena *fragments,
    const ipu_executable *executable, const ipu_superstep *step, ipu_assembly *assembly);
