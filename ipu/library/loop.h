/* Loops that count their turns.
 *
 *     MT_TRY(ipu_counted_loop(graph, 10, turn, body, &program));     // turn is 0, 1, ..., 9 while body runs
 *
 * One vertex sets the counter to 0, as a fill of one word (ipu/library/elementwise.h). Another adds 1 after each turn, in 43
 * tile cycles, which the vendor's estimator gives its loop counter (github.com/graphcore/poplibs, lib/popops,
 * ForLoopCounter). Whatever reads the counter on other tiles receives it, as any input. */
#pragma once

#include "ipu/graph/program.h"

/* Adds two compute sets to the graph and gives, in its arena, the program that runs `body` n times. `counter` is one unsigned
 * int, mapped, which is n at the end; the body must not write to it. MT_INPUT: it is not; n is above UINT32_MAX. MT_MEMORY. */
MT_NODISCARD mt_status ipu_counted_loop(
    ipu_graph *graph, uint64_t n, ipu_tensor counter, const ipu_program *body, const ipu_program **program);

/* Its codelets, as ipu_library_codelets gives those of all. */
size_t ipu_loop_codelets(const ipu_codelet **list);
