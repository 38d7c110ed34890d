/* Implicit diffusion steps on the host: every solver solves the equation of the header. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <string.h>

#include "solver/diffusion/nodal.h"
#include "tests/random.h"
#include "tests/solver/slab_problem.h"
#include "solver/kernels/block.h"

#define MT_LANES_ONE
#define MT_DOUBLE
#include "solver/kernels/lanes.h"
#include "solver/diffusion/implicit_solver.h"

enum { ROW = MT_DIFFUSION_ROW };

static slab_problem s;
static mt_diffusion at_vertices;
static const mt_diffusion *op; /* that of the slab, or at_vertices */
static void free_slab(void) { mt_arena_free(&s.arena); }
TestSuite(implicit, .fini = free_slab);

static double *numbers(size_t n) { return mt_arena_alloc(&s.arena, n, sizeof(double)); }

/* Builds a slab with voltages at the vertices, or at the centres of the elements. */
static void make_slab(bool nodes, const double size_mm[3])
{
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    free_slab();
    make_slab_problem(&s, size_mm, 0.5);
    op = nodes ? &at_vertices : &s.diffusion;
    if (nodes)
        cr_assert_eq(mt_nodal_diffusion_make(&s.arena, &s.mesh, &tissues, NULL, &(mt_watch){0}, &at_vertices),
            MT_OK, "%s", mt_message());
}

static void make_small_slab(bool nodes) { make_slab(nodes, (double[3]){5, 2, 1.5}); }

/* Returns the number of entries of a row, with their rates and columns. */
static size_t row_of(size_t i, const double **rate, const uint32_t **column)
{
    const mt_nodal *nodal = op->nodal;
    const size_t first = nodal ? nodal->start[i] : ROW * i;
    *rate = (nodal ? nodal->rate : op->rate) + first;
    *column = (nodal ? nodal->column : op->column) + first;
    return nodal ? nodal->start[i + 1] - first : ROW;
}

/* Computes L v, and the diagonal of 1 - step_ms L. */
static double apply(const double *v, size_t i)
{
    const double *rate;
    const uint32_t *column;
    double sum = 0;
    for (size_t n = row_of(i, &rate, &column), k = 0; k < n; k++) sum += rate[k] * (v[column[k]] - v[i]);
    return sum;
}

static double diagonal(double step_ms, size_t i)
{
    const double *rate;
    const uint32_t *column;
    double sum = 1;
    for (size_t n = row_of(i, &rate, &column), k = 0; k < n; k++) sum += step_ms * rate[k];
    return sum;
}

/* Returns the rows of G for elements, in the block layout of the kernels. */
static implicit_rows rows_of_elements(double step_ms)
{
    const size_t n = op->n_unknowns;
    double *d = numbers(n), *off = numbers(n * ROW);
    uint32_t *column = mt_arena_alloc(&s.arena, n * ROW, sizeof *column),
             *room = mt_arena_alloc(&s.arena, n * ROW, sizeof *room);
    mt_ellpack_columns *columns = mt_arena_alloc(&s.arena, (n + MT_BLOCK - 1) / MT_BLOCK, sizeof *columns);
    for (size_t c = 0; c < n; c++) {
        double row[ROW];
        d[c] = mt_implicit_row(ROW, op->rate + ROW * c, step_ms, 1, row);
        for (size_t k = 0; k < ROW; k++) {
            off[mt_block_index(n, ROW, c, k)] = row[k];
            column[mt_block_index(n, ROW, c, k)] = op->column[ROW * c + k];
        }
    }
    (void)mt_ellpack_pack(n, column, room, columns);
    return (implicit_rows){d, off, columns, NULL};
}

/* Same for vertices, in the order of the mesh. */
static implicit_rows rows_of_vertices(double step_ms)
{
    const mt_nodal *nodal = op->nodal;
    const size_t n = op->n_unknowns;
    uint32_t *same = mt_arena_alloc(&s.arena, n, sizeof *same);
    mt_sliced *sliced = mt_arena_alloc(&s.arena, 1, sizeof *sliced);
    for (size_t i = 0; i < n; i++) same[i] = (uint32_t)i;
    const mt_sliced_source source = {n, nodal->start, nodal->column, same, same};
    cr_assert_eq(mt_sliced_make(&s.arena, &source, sliced), MT_OK);
    double *d = numbers(n), *off = numbers(sliced->n_values);
    for (size_t i = 0; i < n; i++)
        d[i] = mt_implicit_row(nodal->start[i + 1] - nodal->start[i], nodal->rate + nodal->start[i], step_ms,
            MT_BLOCK, off + MT_BLOCK * sliced->block[i / MT_BLOCK].first + i % MT_BLOCK);
    return (implicit_rows){d, off, NULL, sliced};
}

static implicit_solver step_of(double dt_ms, double theta, double tolerance_mV)
{
    implicit_solver implicit;
    const implicit_rows rows = op->nodal ? rows_of_vertices(theta * dt_ms) : rows_of_elements(theta * dt_ms);
    cr_assert_eq(implicit_open(&s.arena, op->n_unknowns, &rows, theta, tolerance_mV,
                     &(implicit_ranks){.with = NULL}, &implicit),
        MT_OK, "%s", mt_message());
    return implicit;
}

static double *noise(uint64_t seed)
{
    double *v = numbers(op->n_unknowns);
    for (size_t c = 0; c < op->n_unknowns; c++) v[c] = between(&seed, -90, 40);
    return v;
}

static double norm_V(const double *v)
{
    double sum = 0;
    for (size_t c = 0; c < op->n_unknowns; c++) sum += op->volume_mm3[c] * v[c] * v[c];
    return sqrt(sum);
}

/* (1 - theta dt L) x = dt L w, evaluated with the operator itself. The rows of A are divided by their diagonals, at least 1, so the
 * residual is below the tolerance times the largest diagonal. */
static void expect_solution(double theta, double dt_ms, const char *what)
{
    const size_t n = op->n_unknowns;
    const double tolerance_mV = 1e-9;
    implicit_solver implicit = step_of(dt_ms, theta, tolerance_mV);
    double *w = noise(7), *v = noise(7), *change = numbers(n), residual = 0, stiffest = 0;
    cr_assert_eq(implicit_step(&implicit, v), MT_OK, "%s", mt_message());
    for (size_t c = 0; c < n; c++) change[c] = v[c] - w[c];
    for (size_t c = 0; c < n; c++) {
        residual = fmax(residual, fabs(change[c] - theta * dt_ms * apply(change, c) - dt_ms * apply(w, c)));
        stiffest = fmax(stiffest, diagonal(theta * dt_ms, c));
    }
    cr_expect_lt(
        residual, 4 * tolerance_mV * stiffest, "%s, theta %g, %g ms: %g", what, theta, dt_ms, residual);
}

/* Both schemes, steps of 1 to 1000 times the explicit limit. */
Test(implicit, steps_solve_the_equation_of_their_scheme)
{
    for (int nodes = 0; nodes < 2; nodes++) {
        make_small_slab(nodes);
        for (double theta = 0.5; theta <= 1; theta += 0.5)
            for (double times = 1; times <= 1000; times *= 10)
                expect_solution(theta, times * op->limit_dt_ms, nodes ? "vertices" : "elements");
    }
}

/* Negative couplings, on vertices displaced at random. */
Test(implicit, couplings_of_both_signs_are_solved)
{
    uint64_t seed = 5;
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    make_small_slab(true);
    for (size_t i = 0; i < 3 * s.mesh.n_vertices; i++) s.mesh.xyz_mm[i] += between(&seed, -0.12, 0.12);
    cr_assert_eq(mt_nodal_diffusion_make(&s.arena, &s.mesh, &tissues, NULL, &(mt_watch){0}, &at_vertices),
        MT_OK, "%s", mt_message());
    cr_assert_gt(op->nodal->n_negative, op->nodal->start[op->n_unknowns] / 10);
    for (double theta = 0.5; theta <= 1; theta += 0.5)
        for (double times = 1; times <= 1000; times *= 10)
            expect_solution(theta, times * op->limit_dt_ms, "displaced");
}

/* A constant field does not change, to the bit at vertices, and the change of charge is bounded by the residual. */
Test(implicit, steps_keep_constants_and_charge)
{
    const double tolerance_mV = 1e-10;
    for (int nodes = 0; nodes < 2; nodes++) {
        make_small_slab(nodes);
        implicit_solver implicit = step_of(1, 1, tolerance_mV);
        double *v = noise(3), before = 0, after = 0, most = 0, volume = 0;
        for (size_t c = 0; c < op->n_unknowns; c++) before += op->volume_mm3[c] * v[c];
        cr_assert_eq(implicit_step(&implicit, v), MT_OK, "%s", mt_message());
        for (size_t c = 0; c < op->n_unknowns; c++) {
            after += op->volume_mm3[c] * v[c];
            volume += op->volume_mm3[c];
            most = fmax(most, diagonal(1, c));
        }
        cr_expect_lt(fabs(after - before) / volume, 4 * tolerance_mV * most);
        for (size_t c = 0; c < op->n_unknowns; c++) v[c] = -85.23;
        cr_assert_eq(implicit_step(&implicit, v), MT_OK, "%s", mt_message());
        for (size_t c = 0; c < op->n_unknowns; c++)
            cr_assert(nodes ? v[c] == -85.23 : fabs(v[c] + 85.23) < 1e-12, "%.17g", v[c]);
    }
}

/* The V norm of noise decreases in every step of backward Euler, of any length. */
Test(implicit, backward_Euler_damps_noise_in_steps_of_any_length)
{
    for (int nodes = 0; nodes < 2; nodes++) {
        make_small_slab(nodes);
        for (double times = 1; times <= 1000; times *= 10) {
            implicit_solver implicit = step_of(times * op->limit_dt_ms, 1, 1e-9);
            double *v = noise(11), norm = norm_V(v);
            for (int step = 0; step < 20; step++) {
                cr_assert_eq(implicit_step(&implicit, v), MT_OK, "%s", mt_message());
                const double next = norm_V(v);
                cr_assert(next <= norm * (1 + 1e-9), "%g times the limit, step %d: %g after %g", times, step,
                    next, norm);
                norm = next;
            }
        }
    }
}

static void smooth_field(double *v)
{
    const mt_unknowns unknowns = {&s.mesh, op->nodal != NULL};
    for (size_t c = 0; c < op->n_unknowns; c++) {
        double x[3];
        mt_unknowns_place(&unknowns, c, x);
        v[c] = 50 * cos(acos(-1) * x[0] / 5) * cos(acos(-1) * x[1] / 2);
    }
}

/* Advances the smooth field over 4 ms in small explicit steps, twice as many in the second run, and extrapolates to steps of 0. */
static void diffuse_exactly(double *exact)
{
    const size_t n = op->n_unknowns, steps = 4096;
    double *v = numbers(n), *next = numbers(n);
    cr_assert_lt(4 / (double)steps, op->limit_dt_ms);
    for (size_t run = 1; run <= 2; run++) {
        smooth_field(v);
        for (size_t k = 0; k < run * steps; k++) {
            for (size_t c = 0; c < n; c++) next[c] = v[c] + 4 / (double)(run * steps) * apply(v, c);
            memcpy(v, next, n * sizeof *v);
        }
        for (size_t c = 0; c < n; c++) exact[c] = run == 1 ? v[c] : 2 * v[c] - exact[c];
    }
}

/* Returns the error of the diffusion of the smooth field over 4 ms in n steps. */
static double error_of(double theta, size_t n_steps, const double *exact, double *v)
{
    implicit_solver implicit = step_of(4 / (double)n_steps, theta, 1e-11);
    double error = 0;
    smooth_field(v);
    for (size_t k = 0; k < n_steps; k++) cr_assert_eq(implicit_step(&implicit, v), MT_OK, "%s", mt_message());
    for (size_t c = 0; c < op->n_unknowns; c++) error = fmax(error, fabs(v[c] - exact[c]));
    return error;
}

Test(implicit, halving_the_step_halves_the_error_of_Euler_and_quarters_that_of_Crank_Nicolson)
{
    for (int nodes = 0; nodes < 2; nodes++) {
        make_small_slab(nodes);
        double *exact = numbers(op->n_unknowns), *v = numbers(op->n_unknowns);
        diffuse_exactly(exact);
        const double euler = error_of(1, 16, exact, v) / error_of(1, 32, exact, v),
                     crank = error_of(0.5, 16, exact, v) / error_of(0.5, 32, exact, v);
        cr_expect(euler > 1.8 && euler < 2.2, "%d: %g", nodes, euler);
        cr_expect(crank > 3.6 && crank < 4.4, "%d: %g", nodes, crank);
    }
}

/* More elements than the threads process at a time. */
Test(implicit, the_bits_do_not_depend_on_threads)
{
    for (int nodes = 0; nodes < 2; nodes++) {
        make_slab(nodes, (double[3]){10, 5, 2.5}); /* 6,000 elements, 1,386 vertices */
        double *v[2];
        for (int k = 0; k < 2; k++) {
            implicit_solver implicit = step_of(1, 1, 1e-6);
            omp_set_num_threads(k == 0 ? 1 : 3);
            v[k] = noise(5);
            for (int step = 0; step < 3; step++)
                cr_assert_eq(implicit_step(&implicit, v[k]), MT_OK, "%s", mt_message());
        }
        cr_expect_eq(memcmp(v[0], v[1], op->n_unknowns * sizeof *v[0]), 0);
    }
}

Test(implicit, a_tolerance_that_rounding_does_not_allow_is_an_error)
{
    make_small_slab(false);
    implicit_solver implicit = step_of(1, 1, 0);
    double *v = noise(1);
    cr_assert_eq(implicit_step(&implicit, v), MT_NUMERICS);
    cr_expect(strstr(mt_message(), "diffusion.tolerance_mV 0") && strstr(mt_message(), "200 iterations"),
        "%s", mt_message());
}
