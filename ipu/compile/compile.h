/* The compiler of a graph and its programs to an executable: it checks them, allocates memory, creates the messages and
 * schedules their exchange. ipu/run/timing.h computes the time of the result.
 *
 * Checks:
 *   every element is mapped once;
 *   every field is connected;
 *   a vertex writes only to its own tile, and there to one contiguous range, or one for each range of a list;
 *   no element is written by one vertex while another vertex of the same compute set writes it or reads it *in place* (an
 *     input that is received or copied is safe: that happens before the compute set begins);
 *   copies of the graph write no element twice in a compute set, and none that is sent or copied elsewhere in it;
 *   every tile has enough memory (ipu/compile/memory.h).
 *
 * Kinds of vertex inputs:
 *   direct  one contiguous range of the tile's own memory: a pointer, no cost;
 *   tail    its first piece ends the tile's part of a variable, and all further pieces come from other tiles: they are
 *           received in memory directly after the part, so the own elements are not copied;
 *   edge    everything else: gathered into a buffer, by messages and by copies inside the tile.
 * This is the layout of the host image. On the machine a tail or an edge may be assembled by copies instead
 * (ipu/compile/assembly.h).
 *
 * Vertices of a compute set on one tile that take the same tensor share its memory. Tails and edge buffers keep their content
 * for one superstep. In the host image compute sets share the memory after a part, with the length of the longest tail there,
 * and the memory for edge buffers, with the largest size that one compute set needs on the tile.
 *
 * A word of the exchange has exchange_bytes_per_cycle bytes; its address in its tile's memory is a multiple of that. */
#pragma once

#include "ipu/compile/executable.h"

/* Builds the executable in `arena`; it borrows the graph and the programs. Fails with MT_INPUT if a check above fails (the
 * message names tile, codelet, field and variable), with the errors of `ipu_memory_place`, or MT_MEMORY. */
MT_NODISCARD mt_status ipu_compile(mt_arena *arena, const ipu_graph *graph,
    const ipu_program *const *programs, size_t n_programs, ipu_executable **executable);

/* The same for execution only: exchange is not scheduled and the machine's memory is not allocated, which is most of the work.
 * For ranks with tiles that another rank times (ipu/run/ranks.h). The result cannot be saved, timed or checked; an engine of it
 * counts no cycles. Fails as ipu_compile, except for MT_FIT. */
MT_NODISCARD mt_status ipu_compile_untimed(mt_arena *arena, const ipu_graph *graph,
    const ipu_program *const *programs, size_t n_programs, ipu_executable **executable);

/* Builds in `arena` the same executable for a machine that differs only in its constants, to be timed. Assembly is decided and
 * exchange is scheduled again; the allocation of memory is unchanged. It borrows the arrays of the first executable. MT_MEMORY. */
MT_NODISCARD mt_status ipu_compile_for(
    mt_arena *arena, const ipu_executable *executable, const ipu_target *other, ipu_executable **same);
