/* How data comes together on a tile: of a vertex input that is not one range of the tile's own memory, or of a range of a
 * variable that is copied to.
 *
 * Such an input has pieces: ranges of other tiles' memory, each a message, and ranges of its own tile. There are two ways:
 *
 *   directly   Each message is received in its place in the input, one fragment a message. Own pieces are copied there, unless
 *              the input is a *tail* (ipu/compile/compile.h).
 *   by copies  The messages are received in a buffer, and then all pieces, own ones too, are copied to the input, as the vendor's
 *              compiler does. What one tile sends for it in several ranges it first gathers in a buffer of its own, where the
 *              copy takes fewer bytes than the exchange code that it saves, at the sender and at the receiver; then it is one
 *              fragment.
 *
 * The exchange carries whole words. An input whose messages do not begin at one on both sides, or end inside one where
 * something else goes on (halves, shorts and bools can do this), always comes together by copies.
 *
 * Copies are work of the tile before and after the exchange. Those that a tile makes at one time take, in tile cycles,
 *
 *     copy_call_cycles + copy_range_cycles x ranges + bytes / local_copy_bytes_per_cycle
 *
 * For all others the machine's `copies` decides: never, always, or by the cycles that an input takes if it is the only one,
 *
 *     fragments x exchange_fragment_cycles + its copies on its own tile + the longest that a sender gathers
 *
 * A tile that sends the same short ranges for several inputs gathers them for each; nobody shares a gathered range.
 *
 * The host copies every piece once, straight to its place, in either way: only time and memory differ.
 *
 * Memory of copies by category "rearrangement": both buffers, live during their compute set, and copy_range_bytes for each range,
 * always live. */
#pragma once

#include "ipu/compile/executable.h"
#include "ipu/compile/schedule.h"

/* Cycles of copies that a tile makes together; 0 where there are none. */
uint64_t ipu_copies_cycles(const ipu_target *target, const ipu_copying *copying);

/* Words of the exchange in which so many bytes from `from` on stand. */
size_t ipu_words_of(const ipu_target *target, size_t from, size_t bytes);

/* What a superstep asks of the exchange and of the tiles. */
typedef struct ipu_assembly {
    ipu_fragment *fragments;
    size_t n_fragments;
    bool *copied;                /* of each input of the superstep: whether it comes together by copies */
    ipu_copying *before, *after; /* [tiles]: what each copies before and after the exchange */
    size_t *buffer_bytes;        /* [tiles]: of both buffers */
} ipu_assembly;

/* Decides for each input of a superstep, whose messages and places are complete. Gives the fragments in `fragments`, the rest in
 * `arena`. MT_MEMORY. */
MT_NODISCARD mt_status ipu_assembly_make(mt_arena *arena, mt_arena *fragments,
    const ipu_executable *executable, const ipu_superstep *step, ipu_assembly *assembly);
