#include "mesh/anatomy/laplace.h"

#include <math.h>
#include <string.h>

#include "data/core/flood.h"
#include "data/core/offsets.h"

enum {
    MAX_BLOCKS = 32,       /* of the preconditioner: sufficient for the threads of a workstation */
    MIN_BLOCK_ROWS = 4096, /* smaller blocks save no time and cost iterations */
    SUM_ROWS = 2048        /* rows of one partial sum */
};

/* The matrix before reordering: rows of all vertices, by vertex number. */
typedef struct graph {
    size_t n;
    /* [n + 1] elements of vertex v: element[element_of[v] .. element_of[v + 1]), ascending */
    size_t *element_of;
    uint32_t *element;
    size_t *row; /* [n + 1] */
    uint32_t *column;
    double *value;
} graph;

/* Assembles row v without its diagonal: columns ascending, and values, unless `value` is NULL. Returns the number of columns. Sorts by
 * insertion, as rows are short. Adds values in the order of the elements. */
static size_t gather_row(const mt_mesh *mesh, const graph *g, size_t v, uint32_t *column, double *value)
{
    size_t n = 0;
    for (size_t e = g->element_of[v]; e < g->element_of[v + 1]; e++) {
        size_t element = g->element[e], self = 0;
        const uint32_t *corner = mesh->element_vertex + 4 * element;
        double area[3], other[3], volume = value ? mt_mesh_volume_mm3(mesh, element) : 0;
        while (corner[self] != v) self++;
        if (value) mt_mesh_face_area(mesh, element, self, area);
        for (size_t f = 0; f < 4; f++) {
            if (f == self) continue;
            size_t k = n;
            while (k > 0 && column[k - 1] > corner[f]) k--;
            if (k == 0 || column[k - 1] != corner[f]) {
                memmove(column + k + 1, column + k, (n - k) * sizeof *column);
                if (value) memmove(value + k + 1, value + k, (n - k) * sizeof *value);
                column[k] = corner[f], n++;
                if (value) value[k] = 0;
                k++;
            }
            if (!value) continue;
            /* The gradient of a hat function is minus the area vector of the opposite face divided by 3 V. */
            mt_mesh_face_area(mesh, element, f, other);
            value[k - 1] += (area[0] * other[0] + area[1] * other[1] + area[2] * other[2]) / (9 * volume);
        }
    }
    return n;
}

static mt_status assemble(mt_arena *scratch, const mt_mesh *mesh, graph *g)
{
    MT_TRY(mt_offsets_make(
        scratch, mesh->n_elements, 4, mesh->element_vertex, g->n, &g->element_of, &g->element));
    MT_ALLOC(scratch, g->row, g->n + 1);
    /* Space for counting: a vertex of m elements has at most 3 m neighbours. */
    uint32_t *room;
    MT_ALLOC(scratch, room, 12 * mesh->n_elements);
#pragma omp parallel for schedule(static)
    for (size_t v = 0; v < g->n; v++)
        g->row[v + 1] = gather_row(mesh, g, v, room + 3 * g->element_of[v], NULL);
    mt_offsets_sum(g->row, g->n + 1);
    MT_ALLOC(scratch, g->column, g->row[g->n]);
    MT_ALLOC(scratch, g->value, g->row[g->n]);
#pragma omp parallel for schedule(static)
    for (size_t v = 0; v < g->n; v++) gather_row(mesh, g, v, g->column + g->row[v], g->value + g->row[v]);
    return MT_OK;
}

static size_t neighbours_of(void *context, uint32_t vertex, const uint32_t **neighbour)
{
    const graph *g = context;
    *neighbour = g->column + g->row[vertex];
    return g->row[vertex + 1] - g->row[vertex];
}

/* Orders the vertices so that neighbours are close: breadth first from one end of each component to the other (Cuthill and McKee, Proc.
 * 24th ACM Conf. (1969) 157, without sorting by degree). Fails if a component has no given vertex. */
static mt_status order_vertices(mt_arena *scratch, graph *g, const unsigned char *given, uint32_t *order)
{
    uint32_t *seen;
    size_t n = 0, total = 0;
    MT_ALLOC(scratch, seen, g->n);
    for (size_t v = 0; v < g->n; v++) {
        if (seen[v]) continue;
        const size_t end = n + mt_flood((uint32_t)v, 1, neighbours_of, g, seen, order + n);
        size_t n_given = 0;
        (void)mt_flood(order[end - 1], 2, neighbours_of, g, seen, order + n);
        for (size_t k = n; k < end; k++) n_given += given[order[k]] != 0;
        if (n_given == 0 && end - n > 1)
            return mt_fail(MT_INPUT,
                "Laplace's equation: none of the %zu vertices connected to vertex %zu has a given value; "
                "every connected component of the mesh needs one",
                end - n, v);
        n = end, total += n_given;
    }
    if (total == 0) return mt_fail(MT_INPUT, "Laplace's equation: no vertex has a given value");
    return MT_OK;
}

/* Fills `vertex` with the unknowns in the order of `order`, then the other vertices; sets position[vertex[i]] = i. Returns the number of
 * unknowns. */
static size_t split_free(
    const graph *g, const unsigned char *given, const uint32_t *order, uint32_t *vertex, uint32_t *position)
{
    size_t n_free = 0, n = 0;
    for (int fixed = 0; fixed < 2; fixed++) {
        for (size_t k = 0; k < g->n; k++) {
            uint32_t v = order[k];
            if ((given[v] || g->row[v] == g->row[v + 1]) != fixed) continue;
            position[v] = (uint32_t)n;
            vertex[n++] = v;
        }
        if (!fixed) n_free = n;
    }
    return n_free;
}

static void copy_row(const graph *g, const uint32_t *position, size_t i, mt_laplace *problem)
{
    uint32_t *column = problem->column + problem->row[i];
    double *value = problem->value + problem->row[i], sum = 0;
    size_t v = problem->vertex[i], n = 0;
    for (size_t k = g->row[v]; k < g->row[v + 1]; k++, n++) {
        uint32_t c = position[g->column[k]];
        size_t at = n;
        for (; at > 0 && column[at - 1] > c; at--) column[at] = column[at - 1], value[at] = value[at - 1];
        column[at] = c, value[at] = g->value[k];
        sum -= g->value[k];
    }
    problem->diagonal[i] = sum;
}

/* Computes the pivots D of (D + L) D^-1 (D + L^T), with the diagonal of the matrix and its entries L within the block (J. A. Meijerink and
 * H. A. van der Vorst, Math. Comp. 31 (1977) 148, without fill). Obtuse elements can make a pivot too small; the diagonal entry then
 * replaces it, as the preconditioner is definite for any positive pivots. */
static void find_pivots(mt_laplace *problem, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        double d = problem->diagonal[i];
        for (size_t k = problem->row[i]; k < problem->row[i + 1] && problem->column[k] < i; k++)
            if (problem->column[k] >= begin)
                d -= problem->value[k] * problem->value[k] / problem->pivot[problem->column[k]];
        problem->pivot[i] = d > 0.01 * problem->diagonal[i] ? d : problem->diagonal[i];
    }
}

static size_t count_blocks(const mt_laplace *problem)
{
    return (problem->n_free + problem->block_rows - 1) / problem->block_rows;
}

static size_t block_end(const mt_laplace *problem, size_t block)
{
    size_t end = (block + 1) * problem->block_rows;
    return end < problem->n_free ? end : problem->n_free;
}

mt_status mt_laplace_make(
    mt_arena *arena, const mt_mesh *mesh, const unsigned char *given, mt_laplace *problem)
{
    MT_SCRATCH(scratch);
    graph g = {.n = mesh->n_vertices};
    uint32_t *order, *position;
    MT_TRY(assemble(scratch, mesh, &g));
    MT_ALLOC(scratch, order, g.n);
    MT_ALLOC(scratch, position, g.n);
    MT_TRY(order_vertices(scratch, &g, given, order));
    *problem = (mt_laplace){.n_vertices = g.n};
    MT_ALLOC(arena, problem->vertex, g.n);
    problem->n_free = split_free(&g, given, order, problem->vertex, position);
    MT_ALLOC(arena, problem->row, problem->n_free + 1);
    for (size_t i = 0; i < problem->n_free; i++)
        problem->row[i + 1] = problem->row[i] + g.row[problem->vertex[i] + 1] - g.row[problem->vertex[i]];
    MT_ALLOC(arena, problem->column, problem->row[problem->n_free]);
    MT_ALLOC(arena, problem->value, problem->row[problem->n_free]);
    MT_ALLOC(arena, problem->diagonal, problem->n_free);
    MT_ALLOC(arena, problem->pivot, problem->n_free);
    problem->block_rows = (problem->n_free + MAX_BLOCKS - 1) / MAX_BLOCKS;
    if (problem->block_rows < MIN_BLOCK_ROWS) problem->block_rows = MIN_BLOCK_ROWS;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < problem->n_free; i++) copy_row(&g, position, i, problem);
    size_t n_blocks = count_blocks(problem);
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t b = 0; b < n_blocks; b++)
        find_pivots(problem, b * problem->block_rows, block_end(problem, b));
    return MT_OK;
}

/* Computes z = M^-1 r within a block. */
static void precondition(const mt_laplace *p, size_t begin, size_t end, const double *r, double *z)
{
    for (size_t i = begin; i < end; i++) {
        double sum = r[i];
        for (size_t k = p->row[i]; k < p->row[i + 1] && p->column[k] < i; k++)
            if (p->column[k] >= begin) sum -= p->value[k] * z[p->column[k]];
        z[i] = sum / p->pivot[i];
    }
    for (size_t i = end; i-- > begin;) {
        double sum = 0;
        for (size_t k = p->row[i + 1]; k > p->row[i] && p->column[k - 1] > i; k--)
            if (p->column[k - 1] < end) sum += p->value[k - 1] * z[p->column[k - 1]];
        z[i] -= sum / p->pivot[i];
    }
}

/* Vectors of the conjugate gradient iteration. x and p have entries for the given vertices after the unknowns, where p is 0, so that the
 * same rows multiply both. */
typedef struct work {
    double *x, *p, *r, *z, *q;
    double *partial; /* partial sums of SUM_ROWS rows, so that sums do not depend on the number of threads */
    size_t n_partial;
} work;

static double dot(const work *w, size_t n, const double *a, const double *b)
{
    double sum = 0;
#pragma omp parallel for schedule(static)
    for (size_t s = 0; s < w->n_partial; s++) {
        size_t end = (s + 1) * SUM_ROWS < n ? (s + 1) * SUM_ROWS : n;
        double part = 0;
        for (size_t i = s * SUM_ROWS; i < end; i++) part += a[i] * b[i];
        w->partial[s] = part;
    }
    for (size_t s = 0; s < w->n_partial; s++) sum += w->partial[s];
    return sum;
}

/* Computes y = A x. */
static void multiply(const mt_laplace *p, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < p->n_free; i++) {
        double sum = p->diagonal[i] * x[i];
        for (size_t k = p->row[i]; k < p->row[i + 1]; k++) sum += p->value[k] * x[p->column[k]];
        y[i] = sum;
    }
}

static void precondition_all(const mt_laplace *problem, const double *r, double *z)
{
    size_t n_blocks = count_blocks(problem);
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t b = 0; b < n_blocks; b++)
        precondition(problem, b * problem->block_rows, block_end(problem, b), r, z);
}

static void step(const mt_laplace *problem, work *w, double alpha)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < problem->n_free; i++) {
        w->x[i] += alpha * w->p[i];
        w->r[i] -= alpha * w->q[i];
    }
}

/* Iterates from x = 0 at the unknowns and r = b. */
static mt_status iterate(const mt_laplace *problem, double tolerance, size_t max_iterations, work *w,
    mt_laplace_convergence *report)
{
    size_t n = problem->n_free;
    double start = sqrt(dot(w, n, w->r, w->r)), norm = start, rho = 0;
    if (!isfinite(start)) return mt_fail(MT_NUMERICS, "Laplace's equation: the given values are not finite");
    while (norm > tolerance * start) {
        if (report->iterations == max_iterations)
            return mt_fail(MT_NUMERICS,
                "Laplace's equation: relative residual %.3g after %zu steps; allowed: at most %.3g",
                norm / start, max_iterations, tolerance);
        precondition_all(problem, w->r, w->z);
        double before = rho;
        rho = dot(w, n, w->r, w->z);
        double beta = report->iterations > 0 ? rho / before : 0;
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < n; i++) w->p[i] = w->z[i] + beta * w->p[i];
        multiply(problem, w->p, w->q);
        double curvature = dot(w, n, w->p, w->q);
        if (!(curvature > 0) || !isfinite(rho))
            return mt_fail(MT_NUMERICS,
                "Laplace's equation: breakdown at step %zu with relative residual %.3g (p.Ap = %g)",
                report->iterations, norm / start, curvature);
        step(problem, w, rho / curvature);
        norm = sqrt(dot(w, n, w->r, w->r));
        report->iterations++;
    }
    if (start > 0) { /* the true residual, not the recursively updated one */
        multiply(problem, w->x, w->q);
        report->residual = sqrt(dot(w, n, w->q, w->q)) / start;
    }
    return MT_OK;
}

mt_status mt_laplace_solve(const mt_laplace *problem, double tolerance, size_t max_iterations, double *phi,
    mt_laplace_convergence *report)
{
    *report = (mt_laplace_convergence){0};
    MT_SCRATCH(scratch);
    work w = {.n_partial = (problem->n_free + SUM_ROWS - 1) / SUM_ROWS};
    size_t n = problem->n_free;
    MT_ALLOC(scratch, w.x, problem->n_vertices);
    MT_ALLOC(scratch, w.p, problem->n_vertices);
    MT_ALLOC(scratch, w.r, n);
    MT_ALLOC(scratch, w.z, n);
    MT_ALLOC(scratch, w.q, n);
    MT_ALLOC(scratch, w.partial, w.n_partial);
    for (size_t i = n; i < problem->n_vertices; i++) w.x[i] = phi[problem->vertex[i]];
    multiply(problem, w.x, w.r);
    for (size_t i = 0; i < n; i++) w.r[i] = -w.r[i];
    MT_TRY(iterate(problem, tolerance, max_iterations, &w, report));
    for (size_t i = 0; i < n; i++) phi[problem->vertex[i]] = w.x[i];
    return MT_OK;
}

void mt_laplace_gradient(const mt_mesh *mesh, size_t element, const double *phi, double gradient[3])
{
    const uint32_t *corner = mesh->element_vertex + 4 * element;
    double factor = -1 / (3 * mt_mesh_volume_mm3(mesh, element)), area[3];
    gradient[0] = gradient[1] = gradient[2] = 0;
    /* The hat functions sum to 1; with differences to one vertex, the gradient of a constant is exactly 0. */
    for (size_t f = 1; f < 4; f++) {
        double weight = factor * (phi[corner[f]] - phi[corner[0]]);
        mt_mesh_face_area(mesh, element, f, area);
        for (size_t k = 0; k < 3; k++) gradient[k] += weight * area[k];
    }
}
