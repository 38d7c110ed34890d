/* Elementwise functions on tensors of floats or halves, without writing codelets. Each call adds multi-worker vertices to a
 * compute set, one for each range of the result that is contiguous on a tile. Inputs from other tiles are exchanged
 * automatically. The vertices compute in float and convert halves, as the machine's vertices do.
 *
 *     MT_TRY(ipu_add_binary(graph, set, IPU_MULTIPLY, a, b, out));        // out = a * b
 *     MT_TRY(ipu_add_scaled_add(graph, set, &factor, a, b));              // a += factor * b
 *     MT_TRY(ipu_add_cast(graph, set, a, halves));
 *
 * The costs are those of the vendor's estimators of its standard vertices (github.com/graphcore/poplibs, lib/popops,
 * popopsCycleEstimators and PerformanceEstimation). For n elements, in vectors of 2 floats or 4 halves, with w =
 * worker_contexts:
 *
 *     vectors = ceil(ceil(n / w) / elements of a vector)
 *     unary        entry 20, worker 17 (exp: 33) + vectors x cycles
 *     binary       entry 11, worker 29 (halves: 26) + vectors x cycles
 *     scaled add   entry 57, worker 15 + 6 + 3 (vectors - 1) + 3, of floats only
 *
 * with the cycles of one vector, its loads and store included:
 *
 *                exp  ln  tanh  sigmoid  sqrt  rsqrt  inverse   add  subtract  multiply  divide  maximum  minimum
 *     2 floats     6  12    12       12    10      8        6     3         3         3      10        3        3
 *     4 halves     4   4     4        6    23     19       15     3         3         3      21        4        4
 *
 * and for m = ceil(n / w) elements of a worker
 *
 *     cast         entry 12, worker 18 + 19 + 2 floor(m / 4) + 2 + 2 bits(m mod 4)   float to half; bits: of the binary number
 *                                         + floor(m / 2) + 1 + 2 (m mod 2)           half to float
 *                                         + 2 m                                      float to int, and back
 *     fill         worker 23 + floor(m / 2) + m mod 2    float, int
 *                         26 + floor(m / 4)              half; 15 and 21 for m = 1 and 2
 *
 * A fill is a single-worker vertex.
 *
 * On a machine that issues single instructions (ipu/machine/target.h) the entry is that of a vertex, and an element takes a load and an
 * address for each input, a store with its address, a loop instruction, and
 *
 *     exp exp; ln log; sqrt sqrt; inverse and divide a division; rsqrt sqrt and division; add, subtract, multiply, maximum and minimum one
 *     float instruction; sigmoid exp, addition, division; tanh multiplication, expm1, addition, division; scaled add two float
 *     instructions; cast a conversion; fill none
 *
 * in vectors of f32_lanes; functions and fills of halves in vectors of f16_lanes (ipu/cost/mix.h). */
#pragma once

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

/* All tensors of a call have the same length, and the results are mapped. Unless stated otherwise all are floats, or all are
 * halves. Fails with MT_INPUT otherwise, or with MT_MEMORY. */
MT_NODISCARD mt_status ipu_add_unary(
    ipu_graph *graph, uint32_t compute_set, ipu_unary function, ipu_tensor in, ipu_tensor out);
MT_NODISCARD mt_status ipu_add_binary(
    ipu_graph *graph, uint32_t compute_set, ipu_binary function, ipu_tensor a, ipu_tensor b, ipu_tensor out);

/* Computes a += *scale * b, of floats. Borrows `scale`, which must outlive the graph's engines. */
MT_NODISCARD mt_status ipu_add_scaled_add(
    ipu_graph *graph, uint32_t compute_set, const float *scale, ipu_tensor a, ipu_tensor b);

/* Converts float to half or int, half or int to float. A half is rounded to nearest. An int is rounded towards 0 and saturates
 * if the float is out of range; NaN becomes 0. */
MT_NODISCARD mt_status ipu_add_cast(ipu_graph *graph, uint32_t compute_set, ipu_tensor in, ipu_tensor out);

/* Sets every element of `out` (floats, halves, ints or unsigned ints) to *value, one element of its type. Borrows `value` as
 * above. */
MT_NODISCARD mt_status ipu_add_fill(
    ipu_graph *graph, uint32_t compute_set, const void *value, ipu_tensor out);

/* Lists its codelets, as ipu_library_codelets does for all. */
size_t ipu_elementwise_codelets(const ipu_codelet **list);
