/* Laplace's equation on the vertices of a mesh: linear finite elements, values given at some vertices, no
 * flux through the rest of the surface. For smooth coordinates of a body (how far through its wall, how far
 * along it); not for the electrical problem, which lives on the elements.
 *
 * A problem is a mesh and the set of vertices whose value is given; it can be solved for any such values.
 *
 * Invariants:
 *   vertex[0 .. n_free) are the vertices to solve for and vertex[n_free .. n_vertices) the others; all
 *     together are a permutation; neighbours stand near each other;
 *   row i < n_free has column[row[i] .. row[i + 1]), ascending positions in `vertex`, other than i itself;
 *   value[k] = integral of grad N_i . grad N_column[k] [mm], symmetric;
 *   diagonal[i] = -sum of row i's values, so that constants are solutions. */
#pragma once

#include "mesh/mesh.h"

typedef struct mt_laplace {
    size_t n_vertices, n_free;
    uint32_t *vertex;  /* [n_vertices] */
    size_t *row;       /* [n_free + 1] */
    uint32_t *column;  /* [row[n_free]] */
    double *value;     /* [row[n_free]] */
    double *diagonal;  /* [n_free], above 0 */
    double *pivot;     /* [n_free] of the preconditioner, above 0 */
    size_t block_rows; /* rows the preconditioner treats together; of the mesh, never of the threads */
} mt_laplace;

/* When to stop, and how it went. */
typedef struct mt_laplace_report {
    size_t iterations;
    double residual; /* |b - A x| / |b|, computed anew from the solution; 0 where all given values are 0 */
} mt_laplace_report;

/* Gives the problem in which the vertices with given[v] != 0 have values (given [n_vertices] is borrowed, as
 * the mesh is, which has passed mt_mesh_check). Vertices of no element are not solved for: they keep
 * their value. MT_INPUT: no vertex is given, or a piece of the mesh has none. MT_MEMORY. Time O(n log n);
 * memory about 12 bytes for each pair of vertices that share an element, and three times that on the way. */
MT_NODISCARD mt_status mt_laplace_make(
    mt_arena *arena, const mt_mesh *mesh, const unsigned char *given, mt_laplace *problem);

/* Solves by conjugate gradients until the residual has fallen to `tolerance` times that of zero. phi
 * [n_vertices] holds the values at the given vertices, which stay; the others are overwritten.
 * Preconditioner: diagonal incomplete Cholesky within blocks of rows. Same bits for any number of threads.
 * MT_NUMERICS: not converged after max_iterations, or not finite (or a given value is not). MT_MEMORY. */
MT_NODISCARD mt_status mt_laplace_solve(const mt_laplace *problem, double tolerance, size_t max_iterations,
    double *phi, mt_laplace_report *report);

/* The constant gradient [1/mm] on an element of the function with these values at the mesh's vertices. */
void mt_laplace_gradient(const mt_mesh *mesh, size_t element, const double *phi, double gradient[3]);
