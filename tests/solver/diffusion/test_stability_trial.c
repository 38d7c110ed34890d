#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/make/slab.h"
#include "solver/diffusion/stability_trial.h"
#include "tests/random.h"

typedef struct problem {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion op;
} problem;

/* Builds a slab of identically divided boxes, with inner vertices displaced by up to a fifth of an edge. */
static void make(problem *p, double x, double y, double z, double jitter)
{
    uint64_t state = 7;
    *p = (problem){0};
    cr_assert_eq(mt_slab_make_cut(&p->arena, (double[]){x, y, z}, 0.5, MT_SLAB_KUHN, &p->mesh), MT_OK, "%s",
        mt_message());
    for (size_t k = 0; k < 3 * p->mesh.n_vertices; k++) {
        const double side[3] = {x, y, z}, at = p->mesh.xyz_mm[k], shift = between(&state, -1, 1);
        if (at > 0 && at < side[k % 3]) p->mesh.xyz_mm[k] += jitter * shift;
    }
    cr_assert_eq(mt_adjacency_make(&p->arena, &p->mesh, &p->adjacency), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_diffusion_make(&p->arena, &p->mesh, &p->adjacency, &mt_tissue_default,
                     &mt_diffusion_scheme_plain, &p->op),
        MT_OK, "%s", mt_message());
}

/* The slowest pattern, a half cosine along y (transverse), decays by exp(-D (pi / L)^2 t). It remains in the end, and no step reduces
 * noise less. The discrete pattern has a second-order error, about (pi h / L)^2 / 12 = 5 % of the rate; three times this is allowed. Its
 * share of the noise was at most 1 at first. */
Test(stability_trial, noise_at_the_step_limit_decays_at_the_rate_of_the_slowest_mode)
{
    problem p;
    mt_stability_trial t;
    make(&p, 4, 2, 1, 0.1);
    cr_assert_eq(mt_stability_trial_run(&p.op, p.op.limit_dt_ms, 3000, &t), MT_OK, "%s", mt_message());
    const double rate = mt_tissue_diffusivity_t(&mt_tissue_default) * pow(acos(-1) / 2, 2),
                 dt = p.op.limit_dt_ms;
    cr_assert(t.n_steps == 3000 && t.dt_ms == dt);
    cr_assert(t.before > 0.5 && t.before < 0.65, "uniform numbers in [-1, 1) have 0.577: %g", t.before);
    cr_assert(t.after < t.before * exp(-0.85 * rate * 3000 * dt), "%g", t.after);
    cr_assert(t.most_growth > exp(-1.15 * rate * dt) && t.most_growth < exp(-0.85 * rate * dt),
        "%.17g beside %.17g", t.most_growth, exp(-rate * dt));
    mt_arena_free(&p.arena);
}

/* limit_dt_ms is 0.9 of the limit of the spectrum; from 1.1 of that on some pattern grows by 20 % per step. */
Test(stability_trial, an_unstable_step_is_detected_and_reported)
{
    problem p;
    mt_stability_trial t;
    make(&p, 4, 2, 1, 0.1);
    cr_assert_eq(mt_stability_trial_run(&p.op, 1.1 / 0.9 * p.op.limit_dt_ms, 3000, &t), MT_NUMERICS);
    cr_assert(
        strncmp(mt_message(), "step ", 5) == 0 && strstr(mt_message(), "; it must decrease in every step"),
        "%s", mt_message());
    cr_assert(atoi(mt_message() + 5) > 1, "noise falls at first: %s", mt_message());
    mt_arena_free(&p.arena);
}

/* After such a long time only rounding errors around a constant remain. They fluctuate, and do not count as growth. */
Test(stability_trial, rounding_errors_do_not_count_as_growth)
{
    problem p;
    mt_stability_trial t;
    make(&p, 1, 1, 1, 0.05);
    cr_assert_eq(mt_stability_trial_run(&p.op, p.op.limit_dt_ms, 20000, &t), MT_OK, "%s", mt_message());
    cr_assert(t.after < 1e-14 && t.most_growth > 1, "%g, %.17g", t.after, t.most_growth);
    mt_arena_free(&p.arena);
}

Test(stability_trial, a_growing_operator_is_detected_at_any_step)
{
    problem p;
    mt_stability_trial t;
    make(&p, 2, 1, 1, 0);
    for (size_t k = 0; k < MT_DIFFUSION_ROW * p.op.n_unknowns; k++) p.op.rate[k] = -p.op.rate[k];
    cr_assert_eq(mt_stability_trial_run(&p.op, 1e-3 * p.op.limit_dt_ms, 10, &t), MT_NUMERICS);
    cr_assert(strncmp(mt_message(), "step 1 ", 7) == 0, "%s", mt_message());
    p.op.rate[5] = NAN;
    cr_assert_eq(mt_stability_trial_run(&p.op, p.op.limit_dt_ms, 10, &t), MT_NUMERICS);
    mt_arena_free(&p.arena);
}

Test(stability_trial, invalid_steps_and_out_of_memory_are_reported)
{
    problem p;
    mt_stability_trial t;
    make(&p, 1, 1, 1, 0);
    cr_assert_eq(mt_stability_trial_run(&p.op, 0, 1, &t), MT_INPUT);
    cr_assert_eq(mt_stability_trial_run(&p.op, INFINITY, 1, &t), MT_INPUT);
    cr_assert_eq(mt_stability_trial_run(&p.op, NAN, 1, &t), MT_INPUT);
    for (size_t n = 1; n < 3; n++) {
        mt_arena_fail_at(n);
        cr_assert_eq(mt_stability_trial_run(&p.op, 1e-3, 1, &t), MT_MEMORY, "take %zu", n);
        mt_arena_fail_at(0);
    }
    cr_assert_eq(mt_stability_trial_run(&p.op, 1e-3, 0, &t), MT_OK);
    cr_assert(t.after == t.before && t.most_growth == 0);
    mt_arena_free(&p.arena);
}
