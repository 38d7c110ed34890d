/* Implicit diffusion steps on the host: every solver solves the equation of the header. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <string.h>

#include "tests/random.h"
#include "tests/solver/slab_problem.h"
#include "solver/kernels/block.h"

#define MT_LANES_ONE
#define MT_DOUBLE
#include "solver/kernels/lanes.h"
#include "solver/diffusion/implicit_solver.h"

enum { ROW = MT_DIFFUSION_ROW };

static slab_problem s;
static void free_slab(void) { mt_arena_free(&s.arena); }
TestSuite(implicit, .fini = free_slab);

static double *numbers(size_t n) { return mt_arena_alloc(&s.arena, n, sizeof(double)); }

/* Builds a step of dt on the slab, in the block layout of the kernels. */
static implicit_solver step_of(double dt_ms, double theta, double tolerance_mV)
{
    const size_t n = s.mesh.n_elements;
    double *d = numbers(n), *off = numbers(n * ROW);
    uint32_t *column = mt_arena_alloc(&s.arena, n * ROW, sizeof *column),
             *room = mt_arena_alloc(&s.arena, n * ROW, sizeof *room);
    mt_ellpack_columns *columns = mt_arena_alloc(&s.arena, (n + MT_BLOCK - 1) / MT_BLOCK, sizeof *columns);
    implicit_solver implicit;
    for (size_t c = 0; c < n; c++) {
        double row[ROW];
        d[c] = mt_implicit_row(s.diffusion.rate + ROW * c, theta * dt_ms, row);
        for (size_t k = 0; k < ROW; k++) {
            off[mt_block_index(n, ROW, c, k)] = row[k];
            column[mt_block_index(n, ROW, c, k)] = s.diffusion.column[ROW * c + k];
        }
    }
    (void)mt_ellpack_pack(n, column, room, columns);
    cr_assert_eq(implicit_open(&s.arena, n, d, off, columns, theta, tolerance_mV,
                     &(implicit_ranks){.with = NULL}, &implicit),
        MT_OK, "%s", mt_message());
    return implicit;
}

static double *noise(uint64_t seed)
{
    double *v = numbers(s.mesh.n_elements);
    for (size_t c = 0; c < s.mesh.n_elements; c++) v[c] = between(&seed, -90, 40);
    return v;
}

static double norm_V(const double *v)
{
    double sum = 0;
    for (size_t c = 0; c < s.mesh.n_elements; c++) sum += s.diffusion.volume_mm3[c] * v[c] * v[c];
    return sqrt(sum);
}

/* (1 - theta dt L) x = dt L w, evaluated with the operator itself. The rows of A are divided by their diagonals, at least 1, so the
 * residual is below the tolerance times the largest diagonal. Both schemes, steps of 1 to 1000 times the explicit limit. */
Test(implicit, steps_solve_the_equation_of_their_scheme)
{
    make_slab_problem(&s, (double[3]){5, 2, 1.5}, 0.5);
    const size_t n = s.mesh.n_elements;
    const double tolerance_mV = 1e-9;
    double *change = numbers(n), *of_w = numbers(n), *of_x = numbers(n);
    for (double theta = 0.5; theta <= 1; theta += 0.5)
        for (double times = 1; times <= 1000; times *= 10) {
            const double dt_ms = times * s.diffusion.limit_dt_ms;
            implicit_solver implicit = step_of(dt_ms, theta, tolerance_mV);
            double *w = noise(7), *v = noise(7), residual = 0, stiffest = 0;
            cr_assert_eq(implicit_step(&implicit, v), MT_OK, "%s", mt_message());
            for (size_t c = 0; c < n; c++) change[c] = v[c] - w[c];
            mt_diffusion_apply(&s.diffusion, w, of_w);
            mt_diffusion_apply(&s.diffusion, change, of_x);
            for (size_t c = 0; c < n; c++) {
                double diagonal = 1;
                for (size_t k = 0; k < ROW; k++) diagonal += theta * dt_ms * s.diffusion.rate[ROW * c + k];
                residual = fmax(residual, fabs(change[c] - theta * dt_ms * of_x[c] - dt_ms * of_w[c]));
                stiffest = fmax(stiffest, diagonal);
            }
            cr_expect_lt(residual, 4 * tolerance_mV * stiffest, "theta %g, %g times the limit: %g", theta,
                times, residual);
        }
}

/* A constant field does not change, and the change of charge is bounded by the residual. */
Test(implicit, steps_keep_constants_and_charge)
{
    make_slab_problem(&s, (double[3]){5, 2, 1.5}, 0.5);
    const double tolerance_mV = 1e-10;
    implicit_solver implicit = step_of(1, 1, tolerance_mV);
    double *v = noise(3), before = 0, after = 0, most = 0, volume = 0;
    for (size_t c = 0; c < s.mesh.n_elements; c++) before += s.diffusion.volume_mm3[c] * v[c];
    cr_assert_eq(implicit_step(&implicit, v), MT_OK, "%s", mt_message());
    for (size_t c = 0; c < s.mesh.n_elements; c++) {
        double diagonal = 1;
        for (size_t k = 0; k < ROW; k++) diagonal += s.diffusion.rate[ROW * c + k];
        after += s.diffusion.volume_mm3[c] * v[c];
        volume += s.diffusion.volume_mm3[c];
        most = fmax(most, diagonal);
    }
    cr_expect_lt(fabs(after - before) / volume, 4 * tolerance_mV * most);
    for (size_t c = 0; c < s.mesh.n_elements; c++) v[c] = -85.23;
    cr_assert_eq(implicit_step(&implicit, v), MT_OK, "%s", mt_message());
    for (size_t c = 0; c < s.mesh.n_elements; c++) cr_assert_lt(fabs(v[c] + 85.23), 1e-12);
}

/* The V norm of noise decreases in every step of backward Euler, of any length. */
Test(implicit, backward_Euler_damps_noise_in_steps_of_any_length)
{
    make_slab_problem(&s, (double[3]){5, 2, 1.5}, 0.5);
    for (double times = 1; times <= 1000; times *= 10) {
        implicit_solver implicit = step_of(times * s.diffusion.limit_dt_ms, 1, 1e-9);
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

/* Returns the error of the diffusion of a smooth field over 4 ms in n steps, compared with many steps of Crank-Nicolson. */
static double error_of(double theta, size_t n_steps, const double *exact, double *v)
{
    implicit_solver implicit = step_of(4 / (double)n_steps, theta, 1e-11);
    double error = 0;
    for (size_t c = 0; c < s.mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&s.mesh, c, x);
        v[c] = 50 * cos(acos(-1) * x[0] / 5) * cos(acos(-1) * x[1] / 2);
    }
    for (size_t k = 0; k < n_steps; k++) cr_assert_eq(implicit_step(&implicit, v), MT_OK, "%s", mt_message());
    for (size_t c = 0; exact && c < s.mesh.n_elements; c++) error = fmax(error, fabs(v[c] - exact[c]));
    return error;
}

Test(implicit, halving_the_step_halves_the_error_of_Euler_and_quarters_that_of_Crank_Nicolson)
{
    make_slab_problem(&s, (double[3]){5, 2, 1.5}, 0.5);
    double *exact = numbers(s.mesh.n_elements), *v = numbers(s.mesh.n_elements);
    (void)error_of(0.5, 1024, NULL, exact);
    const double euler = error_of(1, 16, exact, v) / error_of(1, 32, exact, v),
                 crank = error_of(0.5, 16, exact, v) / error_of(0.5, 32, exact, v);
    cr_expect(euler > 1.8 && euler < 2.2, "%g", euler);
    cr_expect(crank > 3.6 && crank < 4.4, "%g", crank);
}

/* More elements than the threads process at a time. */
Test(implicit, the_bits_do_not_depend_on_threads)
{
    make_slab_problem(&s, (double[3]){10, 5, 2.5}, 0.5); /* 6,000 */
    double *v[2];
    for (int k = 0; k < 2; k++) {
        implicit_solver implicit = step_of(1, 1, 1e-6);
        omp_set_num_threads(k == 0 ? 1 : 3);
        v[k] = noise(5);
        for (int step = 0; step < 3; step++)
            cr_assert_eq(implicit_step(&implicit, v[k]), MT_OK, "%s", mt_message());
    }
    cr_expect_eq(memcmp(v[0], v[1], s.mesh.n_elements * sizeof *v[0]), 0);
}

Test(implicit, a_tolerance_that_rounding_does_not_allow_is_an_error)
{
    make_slab_problem(&s, (double[3]){5, 2, 1.5}, 0.5);
    implicit_solver implicit = step_of(1, 1, 0);
    double *v = noise(1);
    cr_assert_eq(implicit_step(&implicit, v), MT_NUMERICS);
    cr_expect(strstr(mt_message(), "diffusion.tolerance_mV 0") && strstr(mt_message(), "200 iterations"),
        "%s", mt_message());
}
