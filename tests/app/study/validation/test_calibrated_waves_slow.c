/* Calibrated reaction spreading on unstructured meshes: activation from a corner of a Gmsh slab, compared with a circular wavefront on a
 * converged cable of the same cells (solver/cable.h), which shares neither mesh nor operator. solver/README.md has the figures. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "app/study/validation/slab_waves.h"
#include "app/waves/slab_family.h"
#include "solver/cells/parameters.h"
#include "solver/waves/calibration.h"

enum { KINDS = 4 };

static const struct {
    const char *what, *change;
    bool sets;    /* true for values, false for factors */
    double worst; /* largest error at 0.4 mm */
} kinds[KINDS] = {{"half of g_Na", "g_Na=0.5", false, 0.06}, {"a quarter of g_Na", "g_Na=0.25", false, 0.06},
    {"0.12 of g_Na", "g_Na=0.12", false, 0.11}, {"K_o 10 mM", "K_o=10", true, 0.08}};

/* Cells of one kind at rest, as a model with that variant only. */
typedef struct cells {
    mt_arena arena;
    mt_cell_model model;
    mt_cell_variant changed, rested;
} cells;

static void make_cells(cells *c, int kind)
{
    const mt_cell_model *model = mt_cell_models[0];
    const mt_yaml_override change = {"test", kinds[kind].change};
    const mt_cell_request asked = kinds[kind].sets ? (mt_cell_request){.sets = &change, .n_sets = 1}
                                                   : (mt_cell_request){.scales = &change, .n_scales = 1};
    *c = (cells){.model = *model};
    cr_assert_eq(mt_cell_variant_change(&c->arena, model, &model->variants[0], &asked, &c->changed), MT_OK,
        "%s", mt_message());
    cr_assert_eq(mt_calibration_rest(&c->arena, model, &c->changed, &c->rested), MT_OK);
    c->model.variants = &c->rested;
    c->model.n_variants = 1;
}

/* Makes a slab at least width_mm wide. */
static void make_slab(mt_arena *arena, double length_mm, double width_mm, mt_mesh *mesh)
{
    const mt_slab_kind kind = {.family = MT_FAMILY_GMSH, .length_mm = length_mm, .seed = 1};
    const double size_mm[] = {mt_slab_waves_size_mm[0], width_mm, fmax(4 * mt_slab_kind_edge_mm(&kind), 1.4)};
    cr_assert_eq(mt_slab_kind_make(arena, &kind, size_mm, mesh), MT_OK, "%s", mt_message());
}

static mt_slab_waves measure(
    const mt_mesh *mesh, const mt_slab_references *references, const mt_spreading_law *law)
{
    const mt_slab_method method = {.scheme = mt_diffusion_scheme_default, .law = law};
    mt_slab_waves waves;
    cr_assert_eq(mt_slab_waves_measure(mesh, &method, references, &waves), MT_OK, "%s", mt_message());
    return waves;
}

/* A calibration, and the errors that it should predict. */
typedef struct trial {
    const mt_mesh *mesh;
    const mt_cell_model *model;
    const mt_cell_variant *rested; /* its first variant */
    const mt_tissue *tissue;
    double length_mm;
    mt_calibration found;
    mt_slab_waves usual, own; /* with the default law, and with that of the calibration */
} trial;

static void try_out(const char *what, trial *t)
{
    MT_SCRATCH(arena);
    mt_slab_references references;
    const mt_corner corner = {t->model, t->rested, t->tissue, t->length_mm, 0.02, false, NULL};
    cr_assert_eq(
        mt_calibrate(&corner, &mt_diffusion_scheme_default, NULL, &t->found), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_slab_references_make(arena, t->model, t->tissue, 0.02, &references), MT_OK, "%s", mt_message());
    t->usual = measure(t->mesh, &references, NULL);
    t->own = measure(t->mesh, &references, &t->found.law);
    cr_log_info("%s, %g mm: beta %.3f, expected %.1f %%; default law %.1f %% (mean %+.1f), own law %.1f %% "
                "(mean %+.1f), peak %.0f mV, %.0f mV below rest",
        what, t->length_mm, t->found.law.beta, 100 * t->found.errors.rms, 100 * t->usual.delay_rms,
        100 * t->usual.delay_mean, 100 * t->own.delay_rms, 100 * t->own.delay_mean, t->own.peak_mV,
        t->own.low_mV);
    cr_expect_float_eq(t->own.delay_rms, t->found.errors.rms, 0.03, "%s: %g, expected %g", what,
        t->own.delay_rms, t->found.errors.rms);
}

/* With the default law activation is 4 to 20 % late. Calibrated, the root mean square over all directions is at most 6 % (at 0.4 mm
 * more for the weakest cells), and the expected
 * error, without a Gmsh mesh, is right within 3 points. */
static void expect_calibrated(double length_mm)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    make_slab(&arena, length_mm, mt_slab_waves_size_mm[1], &mesh);
    for (int k = 0; k < KINDS; k++) {
        cells c;
        make_cells(&c, k);
        trial t = {.mesh = &mesh,
            .model = &c.model,
            .rested = &c.rested,
            .tissue = &mt_tissue_default,
            .length_mm = length_mm};
        try_out(kinds[k].what, &t);
        cr_expect_gt(t.usual.delay_mean, t.own.delay_mean + 0.02, "%s", kinds[k].what);
        cr_expect_lt(t.own.delay_rms, length_mm < 0.3 ? 0.06 : kinds[k].worst, "%s: %g", kinds[k].what,
            t.own.delay_rms);
        mt_arena_free(&c.arena);
    }
    mt_arena_free(&arena);
}

Test(calibrated_waves, activation_maps_of_0_4_mm_are_right_with_reduced_excitability)
{
    expect_calibrated(0.4);
}
Test(calibrated_waves, activation_maps_of_0_27_mm_are_right_with_reduced_excitability)
{
    expect_calibrated(0.27);
}

/* D_l / D_t of 1, 3.8, 15 and 30, on a mesh of 0.36 mm: the expected error is right within 3 points. With strong anisotropy the default law
 * makes activation early. */
Test(calibrated_waves, expected_errors_are_right_for_any_anisotropy)
{
    static const struct {
        double factor, width_mm; /* of D_t; the wavefront propagates 18 scaled mm */
    } tissues[] = {{7.58, 20}, {2, 10}, {0.5, 7}, {0.25, 7}};
    const mt_cell_model *model = mt_cell_models[0];
    for (size_t k = 0; k < sizeof tissues / sizeof *tissues; k++) {
        const double factor = tissues[k].factor;
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_tissue tissue = mt_tissue_default;
        char what[64];
        make_slab(&arena, 0.36, tissues[k].width_mm, &mesh);
        tissue.sigma_t_mS_mm *= factor;
        trial t = {.mesh = &mesh,
            .model = model,
            .rested = &model->variants[0],
            .tissue = &tissue,
            .length_mm = 0.36};
        (void)snprintf(what, sizeof what, "D_t times %g", factor);
        try_out(what, &t);
        cr_expect_lt(t.own.delay_rms, factor < 0.3 ? 0.11 : 0.06, "%s: %g", what, t.own.delay_rms);
        if (factor < 1) cr_expect_lt(t.usual.delay_mean, t.own.delay_mean - 0.03, "%s", what);
        mt_arena_free(&arena);
    }
}
