/* Collectives as programs of a graph: the execution of a plan (ipu/collectives/plan.h) on the vectors of chips.
 *
 *     ipu_ring_choice choice = {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1};
 *     MT_TRY(ipu_rings_make(arena, links.shape, chips, &choice, &rings));
 *     MT_TRY(ipu_plan_make(arena, &rings, IPU_ALL_REDUCE, IPU_AUTO, n, sizeof(float), 0, &plan));
 *     MT_TRY(ipu_collective_program(graph, &plan, IPU_SUM, vectors, chips, &program));
 *
 * Each step is a compute set, with the usual costs of sync, links, exchange inside chips and vertices. A step that reduces has
 * a multi-worker vertex for each range that is contiguous on a tile, which reads the neighbour's elements by exchange; other
 * steps are copies. All chips of a ring end with the same bits: each fragment is reduced once, on its owner, and then copied.
 * Between methods, rings and numbers of chips the last bits of sums and products of floats differ.
 *
 * A vertex that reduces m elements of each of k neighbours has the cost of k binary functions of the library
 * (ipu/library/elementwise.h). With w = worker_contexts:
 *
 *     entry 11, worker 29 + k 3 ceil(ceil(m / w) / elements of 8 bytes)
 *
 * Ints and bools are assumed to be as fast as floats. This is the cost of the IPU, also for a machine that issues single
 * instructions. */
#pragma once

#include "ipu/collectives/plan.h"
#include "ipu/graph/program.h"

typedef enum ipu_operator {
    IPU_SUM,
    IPU_PRODUCT,
    IPU_MINIMUM_OF,
    IPU_MAXIMUM_OF,
    IPU_AND,
    IPU_OR,
    IPU_OPERATORS
} ipu_operator;

/* "add", "mul", "min", "max", "and", "or"; the last is NULL. */
extern const char *const ipu_operator_name[IPU_OPERATORS + 1];

/* Adds compute sets to the graph and builds, in its arena, the program of all steps. vectors[n_chips]: of one type and of the
 * plan's length, each on its chip; only those of the plan's chips are used. Sum, product, minimum and maximum: floats, halves,
 * ints and unsigned ints; and, or: bools and unsigned ints, bitwise. `with` is ignored for a plan without reducing steps. Fails
 * with MT_INPUT otherwise, or with MT_MEMORY. */
MT_NODISCARD mt_status ipu_collective_program(ipu_graph *graph, const ipu_plan *plan, ipu_operator with,
    const ipu_tensor *vectors, size_t n_chips, const ipu_program **program);

/* Lists the codelets of collectives, as ipu_library_codelets does for the library. */
size_t ipu_collective_codelets(const ipu_codelet **list);
