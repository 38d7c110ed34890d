/* The compensated splitting: its effects, and the results that it leaves unchanged. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/solver/gmsh_box.h"
#include "tests/solver/slab_problem.h"
#include "tests/solver/splitting_cable.h"

static slab_problem s;

static void small_slab(void) { make_slab_problem(&s, (double[3]){5, 3, 1.5}, 0.5); } /* 1,080 elements */
static void free_slab(void) { mt_arena_free(&s.arena); }

TestSuite(splitting, .init = small_slab, .fini = free_slab);

static double *values(void) { return mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof(double)); }
static bool same_bits(const double *a, const double *b)
{
    return memcmp(a, b, s.mesh.n_elements * sizeof *a) == 0;
}

/* The same slab without kappa. */
static void make_plain(void)
{
    mt_arena_free(&s.arena);
    s = (slab_problem){.scheme = &mt_diffusion_scheme_plain};
    cr_assert_eq(mt_slab_make(&s.arena, (double[3]){5, 3, 1.5}, 0.5, &s.mesh), MT_OK, "%s", mt_message());
    make_problem(&s, (double[]){1.5, 1.5, 1.5});
    cr_assert_null(s.diffusion.kappa_ms);
}

Test(splitting, the_compensated_fraction_grows_from_0_to_a_half_with_the_diffusion_steps)
{
    for (int plain = 0; plain < 2; plain++) {
        if (plain) make_plain();
        for (size_t p = 1; p <= 8; p++)
            for (int k = MT_SPLITTING_GODUNOV; k <= MT_SPLITTING_COMPENSATED; k++) {
                s.problem.pde_steps = p, s.problem.splitting = (mt_splitting)k;
                const double kappa_ms = plain ? 0 : s.diffusion.kappa_ms[7],
                             a = k == MT_SPLITTING_COMPENSATED ? ((double)p - 1) / (2 * (double)p) : 0;
                cr_expect_float_eq(mt_monodomain_share(&s.problem, 7), kappa_ms / s.problem.dt_ms + a, 1e-12);
                cr_expect_eq(mt_monodomain_spreads(&s.problem), kappa_ms > 0 || a > 0);
            }
    }
}

Test(splitting, compensation_changes_nothing_with_one_diffusion_step)
{
    for (int plain = 0; plain < 2; plain++) {
        if (plain) make_plain();
        double *v[2] = {values(), values()}, *activation[2] = {values(), values()};
        for (int k = MT_SPLITTING_GODUNOV; k <= MT_SPLITTING_COMPENSATED; k++) {
            s.problem.splitting = (mt_splitting)k;
            run_backend(&s, "cpu", NULL, 500, v[k], activation[k]);
        }
        cr_expect(same_bits(v[0], v[1]) && same_bits(activation[0], activation[1]), "plain %d", plain);
    }
}

/* Returns the latest activation time [ms]; it includes the upstroke of the stimulated elements. */
static double latest_ms(size_t pde_steps, mt_splitting splitting)
{
    double *v = values(), *activation = values(), latest = 0;
    s.problem.pde_steps = pde_steps, s.problem.splitting = splitting;
    run_backend(&s, "cpu", NULL, (size_t)llround(20 / s.problem.dt_ms), v, activation);
    for (size_t c = 0; c < s.mesh.n_elements; c++) latest = fmax(latest, activation[c]);
    cr_assert(isfinite(latest));
    return latest;
}

/* solver/README.md, "Time stepping": with four diffusion steps of 0.05 ms activation is delayed by 3 %. At most a third of that remains. */
Test(splitting, several_diffusion_steps_do_not_delay_activation_with_compensation)
{
    for (int plain = 0; plain < 2; plain++) {
        if (plain) make_plain();
        s.problem.dt_ms = 0.05;
        const double one = latest_ms(1, MT_SPLITTING_GODUNOV);
        for (size_t p = 2; p <= 8; p *= 2) {
            const double late = latest_ms(p, MT_SPLITTING_GODUNOV) - one,
                         left = latest_ms(p, MT_SPLITTING_COMPENSATED) - one;
            cr_log_info(
                "plain %d, %zu steps: %.3f ms late of %.2f; compensated %.3f ms", plain, p, late, one, left);
            cr_expect_gt(late, 0.01 * one, "plain %d, %zu steps: %g of %g ms", plain, p, late, one);
            cr_expect_lt(3 * fabs(left), late, "plain %d, %zu steps: %g and %g ms", plain, p, left, late);
        }
    }
}

/* A single equation: Mitchell-Schaeffer with the gate kept open. */
static void step_of_a_front(const void *user, double dt_ms, size_t n, double *state, double *v)
{
    mt_cell_step_double(user, 0, NULL, dt_ms, n, state, v, v);
    for (size_t c = 0; c < n; c++) state[c] = 1;
}

/* The error of a front as stated in solver/monodomain.h: with many diffusion steps its velocity has an error proportional to dt, and to
 * dt^2 if compensated. (Approximately: points are 0.02 mm apart in a front of 0.13 mm, and "many" is 64.) The splitting is that of
 * tests/solver/splitting_cable.h. */
Test(splitting, the_wavefront_error_is_first_order_in_dt_and_second_order_if_compensated)
{
    splitting_cable l = {.step = step_of_a_front, .d_mm2_ms = 0.019, .dx_mm = 0.02, .substeps = 64};
    double speed[2][4];
    cr_assert_eq(mt_cell_model_find("mitchell-schaeffer", &l.model), MT_OK, "%s", mt_message());
    for (int k = 0; k < 2; k++)
        for (int d = 0; d < 4; d++) {
            l.a = k ? NAN : 0, l.dt_ms = 0.025 * (1 << d);
            speed[k][d] = wave_along(&l).speed_mm_ms;
        }
    for (int d = 0; d < 2;
         d++) { /* differences between a step and twice the step double, or become four times as large */
        const double first = (speed[0][d + 2] - speed[0][d + 1]) / (speed[0][d + 1] - speed[0][d]),
                     second = (speed[1][d + 2] - speed[1][d + 1]) / (speed[1][d + 1] - speed[1][d]);
        cr_log_info("dt %g ms: %.6f and %.6f mm/ms, ratios %.2f and %.2f", 0.025 * (1 << d), speed[0][d],
            speed[1][d], first, second);
        cr_expect(first > 1.8 && first < 2.2, "%g", first);
        cr_expect(second > 3 && second < 5, "%g", second);
    }
}

/* Lowers V of half of the cells by 15 mV within 1 ms, to voltages at which I_K1 restores V fastest. Returns the range of V 10 ms later. */
static double noise_left(void)
{
    uint32_t *elements = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *elements);
    double *v = values(), low = INFINITY, high = -INFINITY;
    size_t n = 0;
    for (uint32_t c = 0; c < s.mesh.n_elements; c += 1 + c % 3) elements[n++] = c;
    s.stimulus[0] = (mt_stimulus){0, 1, -15, n, elements, 0, 0, NULL, 0, 0, 0, 0};
    s.problem.splitting = MT_SPLITTING_COMPENSATED;
    run_backend(&s, "cpu", NULL, (size_t)(11 / s.problem.dt_ms), v, NULL);
    for (size_t c = 0; c < s.mesh.n_elements; c++) low = fmin(low, v[c]), high = fmax(high, v[c]);
    return high - low;
}

/* Takes as many diffusion steps as fit into the longest time step of the ionic model. */
static void take_the_longest_diffusion_steps(void)
{
    s.problem.pde_steps = (size_t)(mt_cell_models[0]->dt_max_ms / s.diffusion.limit_dt_ms);
    s.problem.dt_ms = 0.999999 * s.diffusion.limit_dt_ms * (double)s.problem.pde_steps;
    cr_assert_gt(s.problem.pde_steps, 1);
}

Test(splitting, noise_at_rest_decays_at_the_longest_stable_diffusion_step)
{
    for (int unstructured = 0; unstructured < 2; unstructured++) {
        mt_arena_free(&s.arena);
        s = (slab_problem){0};
        if (unstructured)
            gmsh_box(&s.arena, 1 / 7., &s.mesh);
        else
            cr_assert_eq(mt_slab_make(&s.arena, (double[3]){1, 1, 1}, 1 / 7., &s.mesh), MT_OK);
        make_problem(&s, (double[]){1, 1, 1});
        take_the_longest_diffusion_steps();
        const double left = noise_left();
        cr_log_info("unstructured %d, %zu steps in %.4f ms: %g mV", unstructured, s.problem.pde_steps,
            s.problem.dt_ms, left);
        cr_expect_lt(
            left, 0.01, "unstructured %d, %zu steps: %g mV", unstructured, s.problem.pde_steps, left);
    }
}
