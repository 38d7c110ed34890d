/* Partitions by recursive coordinate bisection of the elements together with the grid of parts, so that neighbouring parts are neighbours
 * in the grid as far as a plane can represent a body.
 *
 * The elements, in the order of their coordinates along the longest side of their box, and the rectangle of parts, along its longer side,
 * are split together. The elements are split in proportion to the numbers of parts of both halves. Elements with the same coordinate are in
 * the order of their numbers. Groups are split before their parts, as a line (Berger and Bokhari, IEEE Trans. Comput. C-36, 1987, without
 * the rectangle). */
#pragma once

#include "mesh/cut/cut_graph.h"
#include "mesh/cut/part_grid.h"

/* Computes part[graph->n_nodes]; group g has the parts from g * parts_per_group. Without weights the sizes of the parts of the grid differ
 * by at most one. With weights the sums of weights differ from their mean by about the weight of an element. No part of the grid is empty
 * if there are enough elements. Deterministic and single-threaded. Needs the positions. Time: O(n_nodes log(parts)) on average. Scratch: 32
 * bytes per element. MT_MEMORY. */
MT_NODISCARD mt_status mt_bisection_divide(const mt_cut_graph *graph, uint32_t n_groups,
    uint32_t parts_per_group, const mt_part_grid *grid, uint32_t *part);
