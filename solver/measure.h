/* Reading a field of cell values at places that are no cell centres.
 *
 * The value at a place is that of the linear function which fits best, in the sense of least squares, the values of the
 * nearest cell and of the cells its diffusion row reads (at most 17): second order, also at the corners of a slab, where
 * the nearest centre is off by a good part of an edge. Where several cells are nearest, to 1e-9 of their distance, all of
 * them are taken with their rows: which of them rounding puts first does not matter, and places that mirror each other have
 * the same value where the field mirrors itself. */
#ifndef MT_SOLVER_MEASURE_H
#define MT_SOLVER_MEASURE_H

#include "mesh/mesh.h"
#include "solver/diffusion/diffusion.h"

/* Finds the cell whose centre is nearest to each of the n places xyz_mm [n][3]; the lowest of equals. MT_INPUT where a place
 * is outside the mesh: farther from that centre than 1.5 times the cell's farthest vertex; the message gives the coordinates of
 * the first one, how far it is from which cell, and the box the mesh is in. O(n n_cells), one pass over the
 * cells. */
MT_NODISCARD mt_status mt_measure_find(const mt_mesh *mesh, size_t n, const double *xyz_mm, uint32_t *cell);

/* The first of the places, whose nearest cells have been found, that is outside; n: none is. */
size_t mt_measure_outside(const mt_mesh *mesh, size_t n, const double *xyz_mm, const uint32_t *cell);

/* The value of a field at one place a nearest cell of which is known. Values that are not finite are left out of the fit, and
 * where a nearest cell has none the answer is not finite either. Where fewer than four cells, or cells in one plane, are
 * left, the mean of the nearest cells' own values is given. */
double mt_measure_value(const mt_mesh *mesh, const mt_diffusion *diffusion, const double *field,
    const double xyz_mm[3], uint32_t cell);

#endif
