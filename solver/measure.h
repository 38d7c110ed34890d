/* Reading a field of cell values at places that are no cell centres.
 *
 * The value at a place is that of the linear function which fits best, in the sense of least squares, the
 * values of the nearest cell and of the cells its diffusion row reads (at most 17): second order, also at the
 * corners of a slab, where the nearest centre is off by a good part of an edge. */
#ifndef MT_SOLVER_MEASURE_H
#define MT_SOLVER_MEASURE_H

#include "mesh/mesh.h"
#include "solver/diffusion.h"

/* value[k] at the n places xyz_mm [n][3] of a field by cell; values that are not finite are left out of the
 * fit, and where the nearest cell has none the answer is not finite either. Where fewer than four cells, or
 * cells in one plane, are left, the nearest cell's own value is given. O(n * n_cells). */
void mt_measure_at(const mt_mesh *mesh, const mt_diffusion *diffusion, const double *field, size_t n,
    const double *xyz_mm, double *value);

#endif
