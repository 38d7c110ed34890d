/* Activation times with implicit and explicit diffusion steps agree within the order of the splitting. */
#include <criterion/criterion.h>

#include <math.h>

#include "tests/solver/slab_problem.h"

static slab_problem s;

static void long_slab(void) { make_slab_problem(&s, (double[3]){10, 1, 1}, 0.5); }
static void free_slab(void) { mt_arena_free(&s.arena); }
TestSuite(implicit_waves, .init = long_slab, .fini = free_slab);

/* Returns the mean activation time [ms] of the elements at the far end, on the cpu. */
static double arrival_ms(mt_diffusing way, double dt_ms, size_t pde_steps)
{
    const size_t n = s.mesh.n_elements;
    double *v = mt_arena_alloc(&s.arena, n, sizeof *v),
           *activation_ms = mt_arena_alloc(&s.arena, n, sizeof *v), sum = 0, there = 0;
    s.problem.diffusing = way;
    s.problem.residual_mV = 1e-4;
    s.problem.dt_ms = dt_ms;
    s.problem.pde_steps = pde_steps;
    run_backend(&s, "cpu", NULL, (size_t)lround(25 / dt_ms), v, activation_ms);
    for (size_t c = 0; c < n; c++) {
        double x[3];
        mt_mesh_centroid(&s.mesh, c, x);
        if (x[0] < 9) continue;
        sum += activation_ms[c];
        there += 1;
    }
    cr_assert(isfinite(sum), "the far end is not activated yet");
    return sum / there;
}

/* The error of backward Euler is of first order. The error of Crank-Nicolson, and of many explicit steps, is mostly the splitting error
 * that the compensation removes (solver/monodomain.h). */
Test(implicit_waves, implicit_and_explicit_activation_times_agree_to_the_order_of_the_splitting)
{
    const double exact = arrival_ms(MT_DIFFUSING_EXPLICIT, 0.0025, 1),
                 many = arrival_ms(MT_DIFFUSING_EXPLICIT, 0.02, 20) - exact,
                 crank = arrival_ms(MT_DIFFUSING_CRANK_NICOLSON, 0.02, 1) - exact,
                 coarse = arrival_ms(MT_DIFFUSING_EULER, 0.04, 1) - exact,
                 fine = arrival_ms(MT_DIFFUSING_EULER, 0.02, 1) - exact,
                 finer = arrival_ms(MT_DIFFUSING_EULER, 0.01, 1) - exact;
    cr_expect_lt(fabs(fine), 0.01 * exact, "%g ms of %g", fine, exact);
    cr_expect(coarse / fine > 1.6 && coarse / fine < 2.4, "%g and %g ms", coarse, fine);
    cr_expect(fine / finer > 1.6 && fine / finer < 2.4, "%g and %g ms", fine, finer);
    cr_expect_lt(fabs(crank), 0.001 * exact, "%g ms of %g", crank, exact);
    cr_expect_lt(fabs(crank - many), 0.001 * exact, "%g and %g ms", crank, many);
}
