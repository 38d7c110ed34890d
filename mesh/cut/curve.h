/* Partitions by a space-filling curve: the elements, ordered along a Hilbert curve through their box, are cut into pieces of equal number
 * or weight. */
#pragma once

#include "mesh/cut/cut_graph.h"
#include "mesh/cut/part_grid.h"

/* Computes part[graph->n_nodes]. Groups follow each other along the curve; group g has the parts from g * parts_per_group. Within a group,
 * consecutive pieces are in consecutive parts of the grid's curve (mt_part_grid_curve). The curve has 2^21 cells along each axis of a cube;
 * elements in the same cell are in the order of their numbers. Without weights the sizes of pieces differ by at most one; with weights each
 * element belongs to the piece that has the middle of its weight. No piece is empty if there are enough elements. Deterministic for any
 * number of threads. Needs the positions. Scratch: 32 bytes per element. MT_MEMORY. */
MT_NODISCARD mt_status mt_curve_divide(const mt_cut_graph *graph, uint32_t n_groups, uint32_t parts_per_group,
    const mt_part_grid *grid, uint32_t *part);
