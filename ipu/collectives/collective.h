/* Collectives as programs of a graph: what a plan says (ipu/collectives/plan.h), really done with the vectors of chips.
 *
 *     ipu_ring_choice choice = {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1};
 *     MT_TRY(ipu_rings_make(arena, links.shape, chips, &choice, &rings));
 *     MT_TRY(ipu_plan_make(arena, &rings, IPU_ALL_REDUCE, IPU_AUTO, n, sizeof(float), 0, &plan));
 *     MT_TRY(ipu_collective_program(graph, &plan, IPU_SUM, vectors, chips, &program));
 *
 * Each step is a compute set, so its sync, its links, the exchange inside chips and the vertices take what they always take. A step
 * that reduces has a vertex for all workers for each range that lies together on a tile, which reads its element from its neighbour's
 * memory; other steps are copies. All chips of a ring end with the same bits: each fragment is reduced once, on its owner, and then
 * copied. Between methods, rings and numbers of chips the last bits of sums and products of floats differ.
 *
 * A vertex that reduces m elements of each of k neighbours takes, by w = worker_contexts, as a binary function of the library
 * (ipu/library/elementwise.h) for each of them,
 *
 *     entry 11, worker 29 + k 3 ceil(ceil(m / w) / elements of 8 bytes)
 *
 * in which ints and bools are taken to be as fast as floats. */
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

/* Adds compute sets to the graph and gives, in its arena, the program of all steps. vectors[n_chips] are of one type, of the
 * plan's length and each on its chip, those of chips that the plan names. Sum, product, minimum and maximum are of floats,
 * halves, ints and unsigned ints; and and or of bools and unsigned ints, bit by bit. A plan without reducing steps does not
 * look at the operator. MT_INPUT: this does not hold. MT_MEMORY. */
MT_NODISCARD mt_status ipu_collective_program(ipu_graph *graph, const ipu_plan *plan, ipu_operator with,
    const ipu_tensor *vectors, size_t n_chips, const ipu_program **program);

/* The codelets of collectives, as ipu_library_codelets gives those of the library. */
size_t ipu_collective_codelets(const ipu_codelet **list);
