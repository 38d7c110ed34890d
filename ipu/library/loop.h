/* Loops with a counter.
 *
 *     MT_TRY(ipu_counted_loop(graph, 10, turn, body, &program));     // turn is 0, 1, ..., 9 while body runs
 *
 * One vertex sets the counter to 0, as a fill of one word (ipu/library/elementwise.h). Another adds 1 after each turn, in 43
 * tile cycles, the value of the vendor's estimator for its loop counter (github.com/graphcore/poplibs, lib/popops,
 * ForLoopCounter). On a machine that issues single instructions it takes its entry, a load, an addition and a store. Vertices on
 * other tiles receive the counter like any input. */
#pragma once

#include "ipu/graph/program.h"

/* Adds two compute sets to the graph and builds, in its arena, the program that runs `body` n times. `counter` is one unsigned
 * int, mapped, and is n at the end; the body must not write to it. Fails with MT_INPUT if it is something else or n exceeds
 * UINT32_MAX, or with MT_MEMORY. */
MT_NODISCARD mt_status ipu_counted_loop(
    ipu_graph *graph, uint64_t n, ipu_tensor counter, const ipu_program *body, const ipu_program **program);

/* Lists its codelets, as ipu_library_codelets does for all. */
size_t ipu_loop_codelets(const ipu_codelet **list);
