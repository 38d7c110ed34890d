/* Compiles a graph and its programs to what an engine can run: checks them, places everything in memory, makes the messages and
 * schedules their exchange. How long all of it takes is told by ipu/run/timing.h.
 *
 * Checks:
 *   every element is mapped once;
 *   every field is connected;
 *   a vertex writes only to its own tile, and there to one contiguous range, or one for each range of a list;
 *   no element is written by one vertex while another vertex of the same compute set writes it or reads it *in place* (an
 *     input that is received or copied is safe: that happens before the compute set begins);
 *   copies of the graph write no element twice in a compute set, and none that it sends or copies elsewhere;
 *   every tile has enough memory (ipu/compile/memory.h).
 *
 * How a vertex gets an input:
 *   direct  one contiguous range of the tile's own memory: a pointer, no cost;
 *   tail    its first piece ends the tile's part of a variable, and everything behind that comes from other tiles: it is
 *           received into memory directly behind the part, so the own elements are not copied;
 *   edge    everything else: gathered into a buffer, by messages and by copies inside the tile.
 * That is how it lies in the host image. On the machine a tail or an edge may come together by copies instead
 * (ipu/compile/assembly.h).
 *
 * Vertices of a compute set on one tile that take the same tensor share its memory. Tails and edge buffers keep their content
 * for one superstep. In the host image compute sets share the memory behind a part, which is as long as the longest tail there,
 * and the memory for edge buffers, which is as long as the largest that one compute set needs on the tile.
 *
 * A word of the exchange has exchange_bytes_per_cycle bytes and stands at a multiple of that in its tile's memory. */
#pragma once

#include "ipu/compile/executable.h"

/* Gives the executable in `arena`; it keeps the graph and the programs. MT_INPUT: a check above fails; the message names tile,
 * codelet, field and variable. MT_FIT: as ipu_memory_place. MT_MEMORY. */
MT_NODISCARD mt_status ipu_compile(mt_arena *arena, const ipu_graph *graph,
    const ipu_program *const *programs, size_t n_programs, ipu_executable **executable);

/* The same, only to run: no exchange is scheduled and nothing is placed in the machine's memory, which is most of the work. For ranks whose tiles
 * another one times (ipu/run/ranks.h). It cannot be saved, timed or checked; an engine of it counts no cycles. Fails as ipu_compile, but not with
 * MT_FIT. */
MT_NODISCARD mt_status ipu_compile_untimed(mt_arena *arena, const ipu_graph *graph,
    const ipu_program *const *programs, size_t n_programs, ipu_executable **executable);

/* Gives in `arena` the same executable for a machine that differs only in its constants, to be timed: what comes together by copies
 * is decided and all exchange is scheduled anew, while memory is not placed again. It borrows the first one's arrays. MT_MEMORY. */
MT_NODISCARD mt_status ipu_compile_for(
    mt_arena *arena, const ipu_executable *executable, const ipu_target *other, ipu_executable **same);
