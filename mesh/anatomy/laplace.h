/* Laplace's equation on the vertices of a mesh by linear finite elements, with Dirichlet values at given vertices and no flux through the
 * rest of the surface. Computes smooth coordinates of a body, such as transmural and apicobasal; the electrical problem is discretised on
 * elements instead.
 *
 * A problem consists of a mesh and its set of Dirichlet vertices; it can be solved for any values at these vertices.
 *
 * Invariants:
 *   vertex[] is a permutation: vertex[0 .. n_free) are the unknowns, vertex[n_free .. n_vertices) the other vertices; neighbours have
 *     positions close to each other;
 *   row i < n_free has columns column[row[i] .. row[i + 1]), ascending positions in `vertex` without i itself;
 *   value[k] = integral of grad N_i . grad N_column[k] [mm], the symmetric stiffness matrix;
 *   diagonal[i] = -sum of the values of row i, so that constants are solutions. */
#pragma once

#include "mesh/mesh.h"

typedef struct mt_laplace {
    size_t n_vertices, n_free;
    uint32_t *vertex;  /* [n_vertices] */
    size_t *row;       /* [n_free + 1] */
    uint32_t *column;  /* [row[n_free]] */
    double *value;     /* [row[n_free]] */
    double *diagonal;  /* [n_free], above 0 */
    double *pivot;     /* [n_free] pivots of the preconditioner, above 0 */
    size_t block_rows; /* rows per preconditioner block; independent of the number of threads */
} mt_laplace;

/* Convergence of a solution. */
typedef struct mt_laplace_convergence {
    size_t iterations;
    double residual; /* |b - A x| / |b|, recomputed from the solution; 0 if b = 0 */
} mt_laplace_convergence;

/* Assembles the problem with Dirichlet values at the vertices with given[v] != 0, in `arena`. Borrows given[n_vertices] and the mesh, which
 * has passed mt_mesh_check. Vertices without elements are no unknowns and keep their values. MT_INPUT: no vertex is given, or a component
 * of the mesh has no given vertex. MT_MEMORY. Time: O(n log n). Memory: about 12 bytes for each ordered pair of vertices that share an
 * element, and three times as much temporarily. */
MT_NODISCARD mt_status mt_laplace_make(
    mt_arena *arena, const mt_mesh *mesh, const unsigned char *given, mt_laplace *problem);

/* Solves by preconditioned conjugate gradients, from zero, until the residual is at most `tolerance` times the initial one. phi[n_vertices]
 * holds the given values, which are unchanged; the others are overwritten. The preconditioner is diagonal incomplete Cholesky within blocks
 * of rows. The result has the same bits for any number of threads. MT_NUMERICS: not converged after max_iterations, a breakdown, or a given
 * value is not finite. MT_MEMORY. */
MT_NODISCARD mt_status mt_laplace_solve(const mt_laplace *problem, double tolerance, size_t max_iterations,
    double *phi, mt_laplace_convergence *report);

/* Computes the constant gradient [1/mm] on an element of the linear function with values phi[n_vertices] at the vertices. */
void mt_laplace_gradient(const mt_mesh *mesh, size_t element, const double *phi, double gradient[3]);
