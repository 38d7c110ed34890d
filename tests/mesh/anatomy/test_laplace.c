#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/anatomy/laplace.h"
#include "mesh/make/slab.h"
#include "tests/random.h"

static uint64_t state = 4711;

static double noise(void) { return between(&state, -1, 1); }

/* A slab with vertices displaced by up to `jitter` edges along each axis, within their sides. All boxes are divided alike: without jitter
 * the elements yield the seven-point stencil at every vertex. */
static void jittered_slab(mt_arena *arena, const double size[3], double edge, double jitter, mt_mesh *mesh)
{
    cr_assert_eq(mt_slab_make_cut(arena, size, edge, MT_SLAB_KUHN, mesh), MT_OK, "%s", mt_message());
    for (size_t v = 0; v < mesh->n_vertices; v++)
        for (size_t k = 0; k < 3; k++) {
            double *x = mesh->xyz_mm + 3 * v + k;
            if (*x > 0 && *x < size[k]) *x += jitter * edge * noise();
        }
    cr_assert_eq(mt_mesh_check(mesh), MT_OK, "%s", mt_message());
}

/* Returns the error of the solution with values `exact` at `fixed` vertices: the largest, or with `mean` the root mean square over the
 * vertices. */
static double error_of(int mean, mt_arena *arena, const mt_mesh *mesh, int (*fixed)(const double *),
    double (*exact)(const double *), mt_laplace_convergence *report)
{
    mt_laplace problem;
    unsigned char *given = mt_arena_alloc(arena, mesh->n_vertices, 1);
    double *phi = mt_arena_alloc(arena, mesh->n_vertices, sizeof *phi), worst = 0, squares = 0;
    cr_assert(given && phi);
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        given[v] = fixed(mesh->xyz_mm + 3 * v) != 0;
        phi[v] = given[v] ? exact(mesh->xyz_mm + 3 * v) : 1e3; /* the initial value must be irrelevant */
    }
    cr_assert_eq(mt_laplace_make(arena, mesh, given, &problem), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_laplace_solve(&problem, 1e-13, 1000, phi, report), MT_OK, "%s", mt_message());
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        double error = fabs(phi[v] - exact(mesh->xyz_mm + 3 * v));
        worst = fmax(worst, error);
        squares += error * error;
    }
    return mean ? sqrt(squares / (double)mesh->n_vertices) : worst;
}

static const double brick[3] = {4, 3, 2};

static int at_x_ends(const double *p) { return p[0] == 0 || p[0] == brick[0]; }
static double along_x(const double *p) { return 0.25 * p[0]; }

static int at_surface(const double *p)
{
    for (int k = 0; k < 3; k++)
        if (p[k] == 0 || p[k] == brick[k]) return 1;
    return 0;
}
static double slope(const double *p) { return 1 + 0.5 * p[0] - 2 * p[1] + 3 * p[2]; }

/* Linear functions are in the space of the elements, so only rounding and the 1e-13 of the iteration remain. The error of the values is at
 * most the residual times the inverse's norm, some hundred here. */
Test(laplace, linear_functions_are_exact_on_a_jittered_slab_with_and_without_flux_through_the_sides)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_laplace_convergence report;
    jittered_slab(&arena, brick, 0.25, 0.15, &mesh);
    double error = error_of(0, &arena, &mesh, at_x_ends, along_x, &report);
    cr_assert_lt(error, 1e-10, "natural sides: %g", error);
    cr_assert_leq(report.residual, 1e-11, "%g", report.residual);
    error = error_of(0, &arena, &mesh, at_surface, slope, &report);
    cr_assert_lt(error, 1e-10, "given sides: %g", error);
    mt_arena_free(&arena);
}

static int at_z_ends(const double *p) { return p[2] == 0 || p[2] == 1; }
static int at_unit_surface(const double *p)
{
    return at_z_ends(p) || p[0] == 0 || p[0] == 1 || p[1] == 0 || p[1] == 1;
}
static double harmonic(const double *p) { return cos(M_PI * p[1]) * cosh(M_PI * p[2]); }

/* Returns the ratio of the errors with edges 1/8 and 1/16. */
static double gain(int mean, int (*fixed)(const double *))
{
    double error[2];
    for (int level = 0; level < 2; level++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_laplace_convergence report;
        jittered_slab(&arena, (double[]){1, 1, 1}, level ? 1.0 / 16 : 1.0 / 8, 0, &mesh);
        error[level] = error_of(mean, &arena, &mesh, fixed, harmonic, &report);
        mt_arena_free(&arena);
    }
    return error[0] / error[1];
}

/* cos(pi y) cosh(pi z) solves the equation on the unit cube without flux through x = 0, 1 and y = 0, 1. Second order: half the edge, a
 * quarter of the error, within some per cent for higher terms of (pi / 8)^2 / 12 = 1 % in the equation. The largest error is of order h^2
 * |log h| at edges between sides without flux. */
Test(laplace, the_error_is_second_order_in_the_edge)
{
    double largest = gain(0, at_unit_surface), mean = gain(1, at_z_ends), corner = gain(0, at_z_ends);
    cr_assert_float_eq(largest, 4, 0.4, "values all around, largest error: %.3f", largest);
    cr_assert_float_eq(mean, 4, 0.4, "two sides, mean error: %.3f", mean);
    cr_assert_float_eq(corner, 4 * log(8) / log(16), 0.4, "two sides, largest error: %.3f", corner);
}

static int at_a_corner(const double *p) { return p[0] + p[1] + p[2] == 0 || p[0] == brick[0]; }

/* Solves A x = 0 at the free vertices with the full matrix by Gauss-Seidel to stagnation: slow and simple. */
static void relax(const mt_mesh *mesh, const unsigned char *given, double *full, double *x)
{
    size_t n = mesh->n_vertices;
    for (size_t c = 0; c < mesh->n_elements; c++)
        for (size_t a = 0; a < 4; a++)
            for (size_t b = 0; b < 4; b++) {
                double p[3], q[3], v = mt_mesh_volume_mm3(mesh, c);
                mt_mesh_face_area(mesh, c, a, p);
                mt_mesh_face_area(mesh, c, b, q);
                full[mesh->element_vertex[4 * c + a] * n + mesh->element_vertex[4 * c + b]] +=
                    (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]) / (9 * v);
            }
    for (double moved = 1; moved > 1e-14;) {
        moved = 0;
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            if (given[i]) continue;
            for (size_t j = 0; j < n; j++) sum += full[i * n + j] * x[j];
            x[i] -= sum / full[i * n + i];
            moved = fmax(moved, fabs(sum / full[i * n + i]));
        }
    }
}

Test(laplace, the_solution_agrees_with_relaxation_if_one_side_is_a_single_vertex)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_laplace problem;
    mt_laplace_convergence report;
    jittered_slab(&arena, brick, 0.5, 0.2, &mesh);
    size_t n = mesh.n_vertices;
    unsigned char *given = mt_arena_alloc(&arena, n, 1);
    double *phi = mt_arena_alloc(&arena, n, sizeof *phi), *x = mt_arena_alloc(&arena, n, sizeof *x);
    double *full = mt_arena_alloc(&arena, n * n, sizeof *full);
    cr_assert(given && phi && x && full);
    for (size_t v = 0; v < n; v++) {
        given[v] = at_a_corner(mesh.xyz_mm + 3 * v) != 0;
        phi[v] = x[v] = mesh.xyz_mm[3 * v] == brick[0];
    }
    relax(&mesh, given, full, x);
    cr_assert_eq(mt_laplace_make(&arena, &mesh, given, &problem), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_laplace_solve(&problem, 1e-13, 1000, phi, &report), MT_OK, "%s", mt_message());
    /* The iteration stops at changes of 1e-14 and reduces its error by about 1 % per sweep: 1e-12 remains. */
    for (size_t v = 0; v < n; v++) cr_assert_float_eq(phi[v], x[v], 1e-10, "%zu: %g %g", v, phi[v], x[v]);
    mt_arena_free(&arena);
}

/* 14,025 vertices: several blocks of the preconditioner and several partial sums. */
Test(laplace, solutions_are_bit_identical_for_one_two_and_three_threads)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    double *phi[3];
    mt_laplace_convergence report[3];
    jittered_slab(&arena, brick, 0.125, 0.1, &mesh);
    unsigned char *given = mt_arena_alloc(&arena, mesh.n_vertices, 1);
    cr_assert(given);
    for (size_t v = 0; v < mesh.n_vertices; v++) given[v] = at_x_ends(mesh.xyz_mm + 3 * v) != 0;
    for (int t = 0; t < 3; t++) {
        mt_laplace problem;
        phi[t] = mt_arena_alloc(&arena, mesh.n_vertices, sizeof **phi);
        cr_assert(phi[t]);
        for (size_t v = 0; v < mesh.n_vertices; v++) phi[t][v] = cos(3 * mesh.xyz_mm[3 * v + 1]);
        omp_set_num_threads(t + 1);
        cr_assert_eq(mt_laplace_make(&arena, &mesh, given, &problem), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_laplace_solve(&problem, 1e-8, 1000, phi[t], &report[t]), MT_OK, "%s", mt_message());
        cr_assert(memcmp(phi[t], phi[0], mesh.n_vertices * sizeof **phi) == 0, "%d threads", t + 1);
        cr_assert(report[t].iterations == report[0].iterations && report[t].residual == report[0].residual);
        cr_assert_gt(problem.n_free, 2 * problem.block_rows, "the mesh must be of several blocks");
    }
    mt_arena_free(&arena);
}

static mt_status make_on(mt_arena *arena, const mt_mesh *mesh, size_t first, size_t n, mt_laplace *problem)
{
    unsigned char *given = calloc(mesh->n_vertices, 1);
    for (size_t v = first; v < first + n; v++) given[v] = 1;
    mt_status status = mt_laplace_make(arena, mesh, given, problem);
    free(given);
    return status;
}

Test(laplace, a_component_without_a_boundary_condition_is_an_input_error)
{
    mt_arena arena = {0};
    mt_mesh one, two = {0};
    mt_laplace problem;
    jittered_slab(&arena, (double[]){1, 1, 1}, 0.5, 0, &one);
    cr_assert_eq(make_on(&arena, &one, 0, 0, &problem), MT_INPUT);
    cr_assert_eq(mt_mesh_new(&arena, 2 * one.n_vertices, 2 * one.n_elements, &two), MT_OK);
    for (size_t k = 0; k < 6 * one.n_vertices; k++)
        two.xyz_mm[k] = k < 3 * one.n_vertices ? one.xyz_mm[k] : 5 + one.xyz_mm[k - 3 * one.n_vertices];
    for (size_t k = 0; k < 8 * one.n_elements; k++)
        two.element_vertex[k] = k < 4 * one.n_elements
                                    ? one.element_vertex[k]
                                    : one.element_vertex[k - 4 * one.n_elements] + (uint32_t)one.n_vertices;
    cr_assert_eq(make_on(&arena, &two, 0, 3, &problem), MT_INPUT);
    cr_assert(strstr(mt_message(), "27 vertices"), "%s", mt_message());
    cr_assert_eq(make_on(&arena, &two, one.n_vertices - 1, 2, &problem), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
}

Test(laplace, nonconvergence_and_nonfinite_values_are_numerics_errors)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_laplace problem;
    mt_laplace_convergence report;
    jittered_slab(&arena, brick, 0.25, 0.1, &mesh);
    double *phi = mt_arena_alloc(&arena, mesh.n_vertices, sizeof *phi);
    cr_assert(phi);
    cr_assert_eq(make_on(&arena, &mesh, 0, 2, &problem), MT_OK, "%s", mt_message());
    phi[0] = 1;
    cr_assert_eq(mt_laplace_solve(&problem, 1e-12, 3, phi, &report), MT_NUMERICS);
    cr_assert_eq(report.iterations, 3);
    phi[0] = NAN;
    cr_assert_eq(mt_laplace_solve(&problem, 1e-12, 1000, phi, &report), MT_NUMERICS);
    phi[0] = phi[1] = 0;
    cr_assert_eq(mt_laplace_solve(&problem, 1e-12, 0, phi, &report), MT_OK, "zero needs no step");
    mt_arena_free(&arena);
}

Test(laplace, out_of_memory_is_reported_without_a_leak)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    omp_set_num_threads(1); /* many short solves */
    jittered_slab(&arena, (double[]){1, 1, 1}, 0.5, 0, &mesh);
    double *phi = mt_arena_alloc(&arena, mesh.n_vertices, sizeof *phi);
    cr_assert(phi);
    for (size_t n = 1;; n++) {
        mt_arena result = {0};
        mt_laplace problem;
        mt_laplace_convergence report;
        mt_arena_fail_at(n);
        mt_status status = make_on(&result, &mesh, 0, 2, &problem);
        if (status == MT_OK) status = mt_laplace_solve(&problem, 1e-10, 100, phi, &report);
        mt_arena_fail_at(0);
        mt_arena_free(&result);
        if (status == MT_OK) {
            cr_assert_gt(n, 18, "only %zu takes failed", n - 1);
            break;
        }
        cr_assert_eq(status, MT_MEMORY, "take %zu: %s", n, mt_message());
    }
    mt_arena_free(&arena);
}
