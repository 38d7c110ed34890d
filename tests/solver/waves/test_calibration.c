/* The calibration of reaction spreading, and the waves from a corner that it measures. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/make/mosaic.h"
#include "solver/cable.h"
#include "solver/diffusion/spreading.h"
#include "solver/waves/calibration.h"
#include "solver/waves/wave_run.h"
#include "tests/solver/cells/reduced_sodium.h"

/* A kind of cells at rest, with a share of g_Na. */
typedef struct kind {
    mt_arena arena;
    reduced_sodium_cells cells;
    mt_cell_variant rested;
    mt_corner corner;
} kind;

static void make(kind *k, double share, double length_mm)
{
    *k = (kind){0};
    const mt_cell_model *model = reduced_sodium_model(&k->cells, share);
    cr_assert_eq(mt_calibration_rest(&k->arena, model, &model->variants[0], &k->rested), MT_OK);
    k->corner = (mt_corner){model, &k->rested, &mt_tissue_default, length_mm, 0.05, false, NULL};
}

static mt_calibration calibrate(const kind *k, const double *beta)
{
    mt_calibration found;
    cr_assert_eq(
        mt_calibrate(&k->corner, &mt_diffusion_scheme_default, beta, &found), MT_OK, "%s", mt_message());
    return found;
}

/* Sodium conductance dominates at the peak of the upstroke: j is proportional to it. The published model has at most g_Na / Cm = 14.8 per
 * ms with all channels open. */
Test(calibration, the_restoring_rate_follows_the_sodium_conductance)
{
    double rate[2];
    for (int i = 0; i < 2; i++) {
        kind k;
        make(&k, i == 0 ? 1 : 0.25, 0.4);
        rate[i] = mt_calibration_restoring_rate(k.corner.model, &k.rested, 0.02);
        mt_arena_free(&k.arena);
    }
    cr_expect(rate[0] > 3 && rate[0] < 14.8, "%g per ms", rate[0]);
    cr_expect_float_eq(rate[1] / rate[0], 0.25, 0.05, "%g", rate[1] / rate[0]);
}

/* CV of the cable of solver/cable.h, with a quarter of the time step and half the distance of points. */
Test(calibration, the_converged_velocity_is_that_of_a_finer_cable)
{
    kind k;
    mt_corner_slab slab;
    mt_cable_wave wave;
    make(&k, 0.5, 0.6);
    const mt_cable cable = {.model = k.corner.model,
        .changed = &k.rested,
        .diffusivity_mm2_ms = mt_tissue_diffusivity_l(&mt_tissue_default),
        .length_mm = 12,
        .dx_mm = 0.02,
        .dt_ms = 0.0125,
        .end_ms = 100,
        .splitting = MT_SPLITTING_COMPENSATED,
        .stimulated_mm = 2.5,
        .duration_ms = 2,
        .rise_mV_ms = 50 / 1.4};
    cr_assert_eq(mt_cable_run(&k.arena, &cable, &wave), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_corner_make(&k.arena, &k.corner, &slab), MT_OK, "%s", mt_message());
    const double right = mt_cable_speed(&wave, 5, 11);
    cr_expect(fabs(slab.speed_mm_ms / right - 1) < 0.01, "%g and %g mm/ms", slab.speed_mm_ms, right);
    mt_arena_free(&k.arena);
}

Test(calibration, healthy_cells_keep_the_law_that_was_fitted_to_many_meshes)
{
    kind k;
    make(&k, 1, 0.4);
    const mt_calibration found = calibrate(&k, NULL);
    const mt_spreading_law usual = mt_spreading_law_of(&mt_diffusion_scheme_default);
    cr_expect_eq(found.law.beta, usual.beta);
    cr_expect(!found.law.limits_kappa);
    cr_expect_eq(found.n_waves, 1);
    cr_expect_lt(fabs(found.errors.mean), MT_CALIBRATION_KEPT, "%g", found.errors.mean);
    mt_arena_free(&k.arena);
}

/* With half and a quarter of g_Na and the default law activation is 8 and 14 % late on Gmsh's meshes of 0.37 mm. */
Test(calibration, activation_is_later_the_less_sodium_current_the_cells_have)
{
    static const struct {
        double share, low, high;
    } late[] = {{0.5, 0.06, 0.1}, {0.25, 0.11, 0.17}};
    for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
        kind k;
        make(&k, late[i].share, 0.37);
        const mt_calibration found = calibrate(&k, &mt_diffusion_scheme_default.spreading);
        cr_expect(
            found.errors.mean > late[i].low && found.errors.mean < late[i].high, "%g", found.errors.mean);
        mt_arena_free(&k.arena);
    }
}

/* With half of g_Na beta has to be larger by a factor of 1.3; the first trial has a factor of 2. */
Test(calibration, cells_with_little_sodium_current_get_a_law_without_mean_error)
{
    kind k;
    make(&k, 0.5, 0.37);
    const mt_calibration found = calibrate(&k, NULL), again = calibrate(&k, &found.law.beta);
    cr_expect(
        found.law.limits_kappa && found.law.beta > 0.065 && found.law.beta < 0.085, "%g", found.law.beta);
    cr_expect_lt(fabs(found.errors.mean), MT_CALIBRATION_TOLERANCE, "%g", found.errors.mean);
    cr_expect_eq(memcmp(&again.errors, &found.errors, sizeof again.errors), 0, "a given strength differs");
    mt_arena_free(&k.arena);
}

/* The errors of a second-order operator fall with the square of the element size. For small elements they are scaled. */
Test(calibration, errors_of_small_elements_are_scaled_from_larger_ones)
{
    const double usual = mt_diffusion_scheme_default.spreading;
    kind small, large;
    make(&small, 0.5, 0.15), make(&large, 0.5, MT_CALIBRATION_LEAST_MM);
    const mt_calibration a = calibrate(&small, &usual), b = calibrate(&large, &usual);
    const double ratio = pow(0.15 / MT_CALIBRATION_LEAST_MM, 2);
    cr_expect_gt(b.errors.mean, 0.02, "%g", b.errors.mean);
    cr_expect_float_eq(a.errors.mean, ratio * b.errors.mean, 1e-6);
    mt_arena_free(&small.arena), mt_arena_free(&large.arena);
}

Test(calibration, cells_that_do_not_conduct_are_found_on_the_cable)
{
    kind k;
    make(&k, 0.02, 0.4);
    const mt_calibration found = calibrate(&k, NULL);
    cr_expect(isnan(found.speed_l_mm_ms));
    cr_expect_eq(found.law.beta, mt_diffusion_scheme_default.spreading);
    mt_arena_free(&k.arena);
}

/* Fully recovered, partly recovered and refractory cells: the action potential takes about 300 ms. After 360 ms activation is 10.2 to 10.7
 * % late on two Gmsh meshes. */
Test(calibration, premature_activation_is_later_the_shorter_the_interval_and_stops_in_refractory_tissue)
{
    static const double interval_ms[] = {1000, 360, 280};
    const mt_spreading_law law = mt_spreading_law_of(&mt_diffusion_scheme_default);
    const mt_corner_method method = {.scheme = &mt_diffusion_scheme_default, .law = &law};
    mt_corner_errors errors[3];
    bool conducts[3];
    kind k;
    make(&k, 1, 0.4);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(mt_calibration_early(&k.corner, &method, interval_ms[i], &conducts[i], &errors[i]),
            MT_OK, "%s", mt_message());
    cr_expect(conducts[0] && conducts[1] && !conducts[2]);
    cr_expect_lt(errors[0].rms, 0.05, "%g", errors[0].rms);
    cr_expect_float_eq(errors[1].mean, 0.104, 0.03, "%g", errors[1].mean);
    mt_arena_free(&k.arena);
}

/* Nothing is fitted to the slab: the law is that of a chain. The default law is far from that of weak cells. */
Test(calibration, at_vertices_the_law_of_a_chain_is_right_for_weak_cells_too)
{
    static const double share[] = {1, 0.25};
    for (int i = 0; i < 2; i++) {
        kind k;
        mt_calibration own;
        mt_corner_slab slab;
        mt_corner_errors usual;
        const mt_corner_method method = {.nodal = &mt_nodal_law_default};
        make(&k, share[i], 0.3);
        k.corner.dt_ms = 0.02;
        k.corner.at_vertices = true;
        cr_assert_eq(mt_calibrate_nodal(&k.corner, 1, &own), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_corner_make(&k.arena, &k.corner, &slab), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_corner_measure(&slab, &method, "default law", &usual), MT_OK, "%s", mt_message());
        cr_expect(
            own.errors.rms < 0.08, "%g of g_Na: %g, mean %g", share[i], own.errors.rms, own.errors.mean);
        if (i == 1) cr_expect(usual.mean > own.errors.mean + 0.15, "%g, %g", usual.mean, own.errors.mean);
        mt_arena_free(&k.arena);
    }
}

Test(calibration, upstrokes_differ_with_the_sodium_current_only)
{
    double upstroke[3][MT_CALIBRATION_UPSTROKE];
    kind k;
    for (int i = 0; i < 3; i++) {
        make(&k, i == 1 ? 0.9 : 1, 0.4);
        if (i == 2) k.cells.parameters[TP06_G_KS] *= 0.5;
        mt_calibration_upstroke(k.corner.model, &k.rested, 0.02, upstroke[i]);
        mt_arena_free(&k.arena);
    }
    cr_expect(!mt_calibration_same_upstroke(upstroke[0], upstroke[1]));
    cr_expect(mt_calibration_same_upstroke(upstroke[0], upstroke[2]));
}

/* The range of V in a run. */
typedef struct range {
    size_t n;
    double low_mV, high_mV;
} range;

static void widen(void *user, const double *v_mV)
{
    range *r = user;
    for (size_t c = 0; c < r->n; c++) {
        r->low_mV = fmin(r->low_mV, v_mV[c]);
        r->high_mV = fmax(r->high_mV, v_mV[c]);
    }
}

/* Follows elements of 0.85 mm of these cells for 5 ms, with the strength that calibration finds for such elements. The first step
 * hyperpolarises all elements by down_mV, and half of them, at random, by 4 mV more. */
static range follow(mt_arena *arena, const kind *k, const mt_cell_variant *start, double down_mV)
{
    static const double size_mm[2] = {15, 5}, length_mm = 0.85;
    const mt_spreading_law law = mt_calibration_law(&k->corner, &mt_diffusion_scheme_default, 0.22);
    const mt_spreading spreading = {.n = 1, .law = &law};
    const mt_diffusion_options options = {.spreading = &spreading};
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    mt_cell_model model = *k->corner.model;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion diffusion;
    uint32_t *element;
    double *activation_ms;
    model.variants = start;
    cr_assert_eq(mt_mosaic_make(arena, length_mm, size_mm, &mesh), MT_OK);
    cr_assert_eq(mt_adjacency_make(arena, &mesh, &adjacency), MT_OK);
    cr_assert_eq(mt_diffusion_make_with(
                     arena, &mesh, &adjacency, &tissues, &mt_diffusion_scheme_default, &options, &diffusion),
        MT_OK, "%s", mt_message());
    element = mt_arena_alloc(arena, 2 * mesh.n_elements, sizeof *element);
    activation_ms = mt_arena_alloc(arena, mesh.n_elements, sizeof *activation_ms);
    mt_stimulus stimuli[2] = {{.duration_ms = 0.02, .rise_mV_ms = -down_mV / 0.02, .element = element},
        {.duration_ms = 0.02, .rise_mV_ms = -4 / 0.02, .element = element + mesh.n_elements}};
    for (uint32_t e = 0; e < mesh.n_elements; e++) {
        element[stimuli[0].n_elements++] = e;
        if (e * UINT64_C(2654435761) >> 20 & 1) element[mesh.n_elements + stimuli[1].n_elements++] = e;
    }
    const mt_monodomain problem = {.diffusion = &diffusion,
        .model = &model,
        .dt_ms = 0.02,
        .pde_steps = mt_monodomain_pde_steps(&diffusion, 0.02),
        .splitting = MT_SPLITTING_COMPENSATED,
        .n_stimuli = 2,
        .stimulus = stimuli,
        .mesh = &mesh};
    range seen = {mesh.n_elements, INFINITY, -INFINITY};
    const mt_wave_run run = {
        .problem = &problem, .what = "rest", .end_ms = 5, .dead_ms = 5, .look = widen, .user = &seen};
    cr_assert_eq(mt_wave_run_make(arena, &run, activation_ms), MT_OK, "%s", mt_message());
    return seen;
}

/* Sawtooth patterns must not grow where I_K1 restores V: in cells with K_o 10 mM, which rest at -70 mV and start at -85 mV, and in cells
 * with 0.12 of g_Na that are hyperpolarised by 10 mV. If the law ignores the rate after a hyperpolarisation, or if kappa is not averaged, V
 * diverges or the tissue is activated within 3 ms. */
Test(calibration, cells_far_below_rest_return_to_it_without_activation)
{
    for (int i = 0; i < 2; i++) {
        kind k;
        make(&k, i == 0 ? 1 : 0.12, 0.4); /* the law is the same for all sizes */
        const mt_cell_variant start = k.corner.model->variants[0];
        if (i == 0) {
            k.cells.parameters[TP06_K_O] = 10;
            cr_assert_eq(mt_calibration_rest(&k.arena, k.corner.model, &start, &k.rested), MT_OK);
        }
        const range seen = follow(&k.arena, &k, &start, i == 0 ? 0 : 10);
        cr_log_info("%g to %g mV", seen.low_mV, seen.high_mV);
        cr_expect_gt(seen.low_mV, -101, "%g mV", seen.low_mV);
        cr_expect_lt(seen.high_mV, i == 0 ? -52 : -75, "%g mV", seen.high_mV);
        mt_arena_free(&k.arena);
    }
}

/* The reference solutions do not depend on the discretisation. */
Test(calibration, cables_kept_for_both_discretisations_change_no_bit)
{
    kind k;
    mt_calibration own[2], shared[2];
    make(&k, 0.5, 0.6);
    mt_corner_cables cables = {.arena = &k.arena};
    for (int keep = 0; keep < 2; keep++) {
        mt_calibration *found = keep ? shared : own;
        k.corner.cables = keep ? &cables : NULL;
        memset(found, 0, 2 * sizeof *found);
        k.corner.at_vertices = true;
        cr_assert_eq(mt_calibrate_nodal(&k.corner, 1, &found[0]), MT_OK, "%s", mt_message());
        k.corner.at_vertices = false;
        found[1] = calibrate(&k, &mt_diffusion_scheme_default.spreading);
    }
    cr_expect(cables.made);
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(memcmp(&shared[i].errors, &own[i].errors, sizeof own[i].errors), 0);
        cr_expect_eq(shared[i].speed_l_mm_ms, own[i].speed_l_mm_ms);
        cr_expect_eq(shared[i].nodal.strength, own[i].nodal.strength);
    }
    mt_arena_free(&k.arena);
}
