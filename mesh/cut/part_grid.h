/* The grid of the parts of a group, such as the tiles of a chip whose links join neighbours: part p is in column p % width of row
 * p / width. The parts with elements form a rectangle from part 0 on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh/cut/cut_graph.h"

typedef struct mt_part_grid {
    uint32_t width;         /* parts in a row */
    uint32_t columns, rows; /* of the rectangle */
    uint32_t n;             /* its parts with elements; parts without are the last of its last row */
} mt_part_grid;

/* Returns the rectangle for a number of elements: the fewest parts such that the largest part is as small as with `most` parts in each
 * group, then filled up to full rows if `most` and the number of elements permit it. It is as near to a square as the grid permits.
 * `weighted`: elements have different weights; the rectangle then has as many parts as elements, or `most`.
 * `parts`: of a group, a multiple of `width`; `width`: of the grid, 0: a line; `most`: from 1 to `parts`. */
mt_part_grid mt_part_grid_fit(
    size_t n_elements, bool weighted, uint32_t n_groups, uint32_t parts, uint32_t width, uint32_t most);

/* Returns the part in a column and a row. */
static inline uint32_t mt_part_grid_part(const mt_part_grid *grid, uint32_t column, uint32_t row)
{
    return row * grid->width + column;
}

/* Lists part[grid->n], the parts with elements, in the order of a Hilbert curve generalised to any rectangle (J. Cerveny, "gilbert", 2019).
 * In a full rectangle, consecutive parts are horizontal or vertical neighbours, except one diagonal step if the longer side is odd. */
void mt_part_grid_curve(const mt_part_grid *grid, uint32_t *part);

/* The use of a grid by any partition. */
typedef struct mt_part_grid_use {
    uint32_t columns, rows; /* of the smallest rectangle from part 0 on with all elements, in any group */
    double
        distance; /* |columns| + |rows| between two parts of a group, mean over the edges between them; NaN if there are none */
} mt_part_grid_use;

/* Measures part[graph->n_nodes]; zeros if width is 0. */
mt_part_grid_use mt_part_grid_use_of(
    uint32_t width, uint32_t parts_per_group, const mt_cut_graph *graph, const uint32_t *part);
