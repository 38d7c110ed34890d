/* Elementwise functions on tensors of floats or halves, for those who write no codelets: each call adds vertices to a compute set, one for
 * each range of the result that lies together on a tile, executed by all workers there. What their inputs need from other tiles is
 * exchanged, as always. They compute in float and convert halves, as the machine's vertices do.
 *
 *     MT_TRY(ipu_add_binary(graph, set, IPU_MULTIPLY, a, b, out));        // out = a * b
 *     MT_TRY(ipu_add_scaled_add(graph, set, &factor, a, b));              // a += factor * b
 *
 * What a vertex costs is what the vendor's own estimators say of its standard vertices (github.com/graphcore/poplibs,
 * lib/popops, files ...CycleEstimators.cpp), for n elements and vectors of 2 floats or 4 halves:
 *
 *     vectors = ceil(ceil(n / worker_contexts) / elements of a vector)
 *     unary        entry 11, worker 17 (exp: 33) + vectors x cycles
 *     binary       entry 11, worker 29 (halves: 26) + vectors x cycles
 *     scaled add   entry 57, worker 15 + 6 + 3 (vectors - 1) + 3, of floats only
 *
 * with the cycles of one vector, its loads and store included:
 *
 *                exp  ln  tanh  sigmoid  sqrt  rsqrt  inverse   add  subtract  multiply  divide  maximum  minimum
 *     2 floats     6  12    12       12    10      8        6     3         3         3      10        3        3
 *     4 halves     4   4     4        6    23     19       15     3         3         3      21        -        -
 *
 * Their code is taken to have 256 bytes each, as nothing public tells. */
#ifndef IPU_LIBRARY_ELEMENTWISE_H
#define IPU_LIBRARY_ELEMENTWISE_H

#include "ipu/graph/graph.h"

typedef enum ipu_unary {
    IPU_EXP,
    IPU_LN,
    IPU_TANH,
    IPU_SIGMOID,
    IPU_SQRT,
    IPU_RSQRT,
    IPU_INVERSE,
    IPU_UNARY_FUNCTIONS
} ipu_unary;

typedef enum ipu_binary {
    IPU_ADD,
    IPU_SUBTRACT,
    IPU_MULTIPLY,
    IPU_DIVIDE,
    IPU_MAXIMUM,
    IPU_MINIMUM,
    IPU_BINARY_FUNCTIONS
} ipu_binary;

/* All tensors have as many elements and one type, float or half; those that are written are mapped. MT_INPUT: they do not, or the
 * function has no vertex for the type. MT_MEMORY. */
MT_NODISCARD mt_status ipu_add_unary(
    ipu_graph *graph, uint32_t compute_set, ipu_unary function, ipu_tensor in, ipu_tensor out);
MT_NODISCARD mt_status ipu_add_binary(
    ipu_graph *graph, uint32_t compute_set, ipu_binary function, ipu_tensor a, ipu_tensor b, ipu_tensor out);

/* a += *scale * b, of floats. Keeps `scale`, which must outlive the graph's engines. */
MT_NODISCARD mt_status ipu_add_scaled_add(
    ipu_graph *graph, uint32_t compute_set, const float *scale, ipu_tensor a, ipu_tensor b);

#endif
