/* The shares and laws of reaction spreading from plane waves along chains of points. */
#include <criterion/criterion.h>

#include <math.h>

#include "solver/cable.h"
#include "solver/diffusion/tissue.h"
#include "solver/waves/calibration.h"
#include "solver/waves/chain.h"
#include "solver/waves/corner_wave.h"
#include "tests/solver/cells/reduced_sodium.h"

/* A chain in the default tissue, of cells with a share of g_Na at rest. */
typedef struct kind {
    mt_arena arena;
    reduced_sodium_cells cells;
    mt_cell_variant rested;
    mt_chain chain;
} kind;

static void make(kind *k, double share, double dt_ms)
{
    *k = (kind){0};
    const mt_cell_model *model = reduced_sodium_model(&k->cells, share);
    cr_assert_eq(mt_calibration_rest(&k->arena, model, &model->variants[0], &k->rested), MT_OK);
    k->chain = (mt_chain){model, &k->rested, mt_tissue_diffusivity_l(&mt_tissue_default), dt_ms};
}

static double speed(const mt_chain *chain, double y_ms, double share)
{
    double found;
    cr_assert_eq(
        mt_chain_speed(chain, mt_chain_distance(chain, y_ms), share, &found), MT_OK, "%s", mt_message());
    return found;
}

static mt_chain_match match(const mt_chain *chain, double y_ms)
{
    double converged;
    mt_chain_match found;
    cr_assert_eq(mt_chain_converged(chain, &converged), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_chain_share(chain, mt_chain_distance(chain, y_ms), converged, &found), MT_OK, "%s", mt_message());
    return found;
}

static mt_chain_fit fit(const mt_chain *chain)
{
    mt_chain_fit found;
    cr_assert_eq(mt_chain_law(chain, &found), MT_OK, "%s", mt_message());
    return found;
}

/* CV of the cable of solver/cable.h. */
static double cable_speed(const mt_chain *chain, double dx_mm)
{
    MT_SCRATCH(scratch);
    mt_cable_wave wave;
    const mt_cable cable = {.model = chain->model,
        .changed = chain->cells,
        .diffusivity_mm2_ms = chain->diffusivity_mm2_ms,
        .length_mm = 12.2,
        .dx_mm = dx_mm,
        .dt_ms = chain->dt_ms,
        .end_ms = 200,
        .splitting = MT_SPLITTING_COMPENSATED,
        .stimulated_mm = 2.5,
        .duration_ms = 2,
        .rise_mV_ms = mt_corner_rise_mV_ms};
    cr_assert_eq(mt_cable_run(scratch, &cable, &wave), MT_OK, "%s", mt_message());
    return mt_cable_speed(&wave, 5, 11);
}

/* The same time step, written twice. Points 0.1 and 0.05 mm apart take 2 and 5 substeps, and the compensation is 1/4 and 2/5. */
Test(chain, without_a_share_it_is_a_cable)
{
    kind k;
    make(&k, 1, 0.05);
    for (double dx_mm = 0.1; dx_mm > 0.04; dx_mm /= 2) {
        const double y_ms = dx_mm * dx_mm / k.chain.diffusivity_mm2_ms;
        cr_expect_float_eq(speed(&k.chain, y_ms, 0) / cable_speed(&k.chain, dx_mm), 1, 1e-9);
    }
    mt_arena_free(&k.arena);
}

/* The default law was found by other code, with a time step of 0.01 ms. */
Test(chain, shares_of_the_default_cells_are_those_of_the_default_law)
{
    kind k;
    make(&k, 1, 0.01);
    for (double y_ms = 1; y_ms < 33; y_ms *= 2) {
        const mt_chain_match found = match(&k.chain, y_ms);
        const double expected = (y_ms + 0.645 * 4.5) / (y_ms + 4.5) / 6;
        cr_expect(found.reached);
        cr_expect_float_eq(
            found.share / expected, 1, 0.02, "Y %g ms: %g and %g", y_ms, found.share, expected);
    }
    mt_arena_free(&k.arena);
}

Test(chain, with_its_share_a_chain_is_as_fast_as_a_fine_cable)
{
    kind k;
    make(&k, 1, 0.02);
    const double converged = cable_speed(&k.chain, 0.01);
    for (double y_ms = 2; y_ms < 33; y_ms *= 4) {
        const mt_chain_match found = match(&k.chain, y_ms);
        cr_expect_float_eq(speed(&k.chain, y_ms, found.share) / converged, 1, 0.003, "Y %g ms", y_ms);
        cr_expect_lt(fabs(found.error), 2e-4, "%g", found.error);
    }
    cr_expect_lt(speed(&k.chain, 8, 0), 0.8 * converged);
    mt_arena_free(&k.arena);
}

Test(chain, the_share_depends_on_the_diffusivity_and_the_distance_only_through_y)
{
    kind k;
    make(&k, 1, 0.05);
    const double usual = match(&k.chain, 8).share;
    k.chain.diffusivity_mm2_ms *= 0.13;
    cr_expect_float_eq(match(&k.chain, 8).share, usual, 1e-6);
    mt_arena_free(&k.arena);
}

/* The effect: CV with a share that is larger by 1 %. */
Test(chain, the_effect_of_a_share_is_that_on_the_velocity)
{
    kind k;
    make(&k, 0.5, 0.02);
    const mt_chain_match found = match(&k.chain, 8);
    const double ratio = speed(&k.chain, 8, 1.01 * found.share) / speed(&k.chain, 8, found.share),
                 expected = found.effect * 0.01 * found.share;
    cr_expect_float_eq(log(ratio) / expected, 1, 0.1, "%g and %g", log(ratio), expected);
    mt_arena_free(&k.arena);
}

/* Laws that rise and fall, one of them with little effect on short distances. */
Test(chain, the_law_of_given_shares_is_found)
{
    static const mt_nodal_law laws[] = {
        {1, 0.645, 4.5, 0.1}, {0.27, 1.7, 6.5, 0.1}, {1.75, 0.1, 0.7, 0.1}, {2.9, 0.3, 200, 0.1}};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        double share[MT_CHAIN_POINTS], sigma[MT_CHAIN_POINTS];
        for (int k = 0; k < MT_CHAIN_POINTS; k++) {
            share[k] = mt_chain_law_share(&laws[i], mt_chain_y_ms[k]);
            sigma[k] = hypot(0.01 * share[k], 0.002 / mt_chain_y_ms[k]);
        }
        const mt_nodal_law found = mt_chain_law_of(MT_CHAIN_POINTS, mt_chain_y_ms, share, sigma);
        for (int k = 0; k < MT_CHAIN_POINTS; k++)
            cr_expect_float_eq(
                mt_chain_law_share(&found, mt_chain_y_ms[k]) / share[k], 1, 2e-4, "law %zu", i);
        cr_expect_float_eq(found.front_ms / laws[i].front_ms, 1, 0.01, "%g ms", found.front_ms);
        const double one = mt_chain_law_share(&laws[i], 3), y_ms = 3;
        const mt_nodal_law of_one = mt_chain_law_of(1, &y_ms, &one, sigma);
        cr_expect_float_eq(mt_chain_law_share(&of_one, 3), one, 1e-9);
    }
}

/* Shares that no law reaches, and shares at the limits. */
Test(chain, laws_stay_in_the_range_of_shares)
{
    static const double shares[][4] = {
        {0, 0, 0.5, 0.5}, {0.5, 0.5, 0, 0}, {0, 0.4, 0.5, 0}, {0, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5}};
    static const double y_ms[4] = {1, 2, 8, 32}, sigma[4] = {0.01, 0.01, 0.01, 0.01};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const mt_nodal_law law = mt_chain_law_of(4, y_ms, shares[i], sigma);
        cr_expect(law.front_ms > 0 && isfinite(law.fine));
        for (double y = 1e-4; y < 1e5; y *= 10) {
            const double share = mt_chain_law_share(&law, y);
            cr_expect(share > 0 && share <= 0.5 + 1e-12, "case %zu, Y %g: %g", i, y, share);
        }
    }
}

/* The curve of healthy cells is nearly the default's. With a quarter of g_Na shares are larger by half. */
Test(chain, cells_with_little_sodium_current_get_another_law_that_has_their_shares)
{
    for (int i = 0; i < 2; i++) {
        kind k;
        make(&k, i == 0 ? 1 : 0.25, 0.02);
        const mt_chain_fit found = fit(&k.chain);
        double largest = 0;
        for (int p = 0; p < MT_CHAIN_POINTS; p++) {
            if (!found.match[p].reached) continue;
            const double right = match(&k.chain, mt_chain_y_ms[p]).share;
            largest = fmax(largest, fabs(mt_chain_law_share(&found.law, mt_chain_y_ms[p]) / right - 1));
        }
        cr_expect_float_eq(found.share_error, largest, 1e-6);
        cr_expect_lt(largest, 0.04, "%g", largest);
        const double ratio = mt_chain_law_share(&found.law, 8) / mt_chain_law_share(&mt_nodal_law_default, 8);
        cr_expect_float_eq(ratio, i == 0 ? 1 : 1.47, 0.05, "%g", ratio);
        mt_arena_free(&k.arena);
    }
}

Test(chain, waves_propagate_up_to_the_farthest_y)
{
    mt_arena arena = {0};
    mt_cell_variant rested;
    const mt_cell_model *model;
    cr_assert_eq(mt_cell_model_find("bueno-orovio", &model), MT_OK);
    cr_assert_eq(mt_calibration_rest(&arena, model, &model->variants[0], &rested), MT_OK);
    const mt_chain chain = {model, &rested, mt_tissue_diffusivity_l(&mt_tissue_default), 0.05};
    const mt_chain_fit found = fit(&chain);
    const double near = found.farthest_y_ms, far = 1.1 * near;
    cr_assert(isfinite(near));
    cr_expect(speed(&chain, near, mt_chain_law_share(&found.law, near)) > 0);
    cr_expect(isnan(speed(&chain, far, mt_chain_law_share(&found.law, far))));
    mt_arena_free(&arena);
}

/* Without sodium current a slow plane wave propagates by calcium current. */
Test(chain, cells_that_do_not_conduct_keep_the_default_law)
{
    kind k;
    make(&k, 0, 0.05);
    k.cells.parameters[TP06_G_CAL] *= 0.1;
    const mt_chain_fit found = fit(&k.chain);
    cr_expect(isnan(found.speed_mm_ms));
    cr_expect(isnan(speed(&k.chain, 2, 0.2)));
    cr_expect_eq(found.law.strength, mt_nodal_law_default.strength);
    cr_expect_eq(found.law.fine, mt_nodal_law_default.fine);
    cr_expect_eq(found.law.front_ms, mt_nodal_law_default.front_ms);
    mt_arena_free(&k.arena);
}

/* A cable that is 10 times as fast: no share up to 1/2 is large enough. A tenth of CV: the wave is too fast without a share. */
Test(chain, velocities_out_of_reach_are_reported)
{
    kind k;
    mt_chain_match found;
    make(&k, 1, 0.05);
    const double b_mm = mt_chain_distance(&k.chain, 2);
    cr_assert_eq(mt_chain_share(&k.chain, b_mm, 6, &found), MT_OK);
    cr_expect(!found.reached && found.error < -0.5 && found.share > 0.49, "%g, %g", found.error, found.share);
    cr_assert_eq(mt_chain_share(&k.chain, b_mm, 0.06, &found), MT_OK);
    cr_expect(!found.reached && found.error > 5 && found.share < 0.01, "%g, %g", found.error, found.share);
    mt_arena_free(&k.arena);
}

Test(chain, invalid_arguments_are_rejected)
{
    kind k;
    double found;
    make(&k, 1, 0.05);
    cr_expect_eq(mt_chain_speed(&k.chain, 0.3, 0.6, &found), MT_INPUT);
    cr_expect_eq(mt_chain_speed(&k.chain, 0.3, NAN, &found), MT_INPUT);
    cr_expect_eq(mt_chain_speed(&k.chain, -0.3, 0.1, &found), MT_INPUT);
    k.chain.dt_ms = 0.1;
    cr_expect_eq(mt_chain_speed(&k.chain, 0.3, 0.1, &found), MT_INPUT);
    mt_arena_free(&k.arena);
}
