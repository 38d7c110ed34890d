/* Plane waves of the Mitchell-Schaeffer model. */
#include <criterion/criterion.h>

#include <math.h>

#include "app/waves/plane_wave.h"

static mt_wave_medium medium(double along, double across)
{
    mt_wave_medium m = {.scheme = mt_diffusion_scheme_default, .tissue = mt_tissue_default, .dt_ms = 0.1};
    cr_assert_eq(mt_cell_model_find("mitchell-schaeffer", &m.model), MT_OK);
    m.scheme.front_ms = m.model->front_ms;
    m.splitting = MT_SPLITTING_COMPENSATED;
    m.tissue.sigma_l_mS_mm *= along;
    m.tissue.sigma_t_mS_mm *= across;
    return m;
}

static double line_mm_ms(const mt_wave_medium *m)
{
    double speed;
    cr_assert_eq(mt_plane_wave_cable_speed(m->model, 0, m->dt_ms, &speed), MT_OK, "%s", mt_message());
    return speed;
}

static mt_plane_wave wave_of(const mt_wave_medium *m, mt_slab_family family, double edge_mm, int axis)
{
    mt_arena arena = {0};
    mt_wave_slab slab;
    mt_plane_wave wave;
    const mt_slab_kind kind = {.family = family, .edge_mm = edge_mm, .seed = 1};
    const double d = axis == 0 ? mt_tissue_diffusivity_l(&m->tissue) : mt_tissue_diffusivity_t(&m->tissue),
                 unit = sqrt(d / mt_tissue_diffusivity_l(&mt_tissue_default));
    cr_assert_eq(
        mt_wave_slab_make(&arena, &kind, axis, unit * line_mm_ms(m), unit, &slab), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_plane_wave_measure(&slab, m, &wave), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
    return wave;
}

/* The wavefront of this model is wide, so that elements of half a millimetre are small. With nine times the conductivity and elements three
 * times as large the velocity is three times as high, to the digit, as there is no other length scale. */
Test(plane_wave, cv_through_small_elements_equals_that_of_a_cable)
{
    const mt_wave_medium usual = medium(1, 1), better = medium(9, 9);
    const double line = line_mm_ms(&usual), scale = sqrt(mt_tissue_diffusivity_t(&usual.tissue) /
                                                         mt_tissue_diffusivity_l(&usual.tissue));
    const mt_plane_wave along = wave_of(&usual, MT_FAMILY_MIRRORED, 0.5, 0),
                        across = wave_of(&usual, MT_FAMILY_KUHN, 0.25, 1),
                        thrice = wave_of(&better, MT_FAMILY_MIRRORED, 1.5, 0);
    cr_expect_float_eq(along.speed_mm_ms, line, 0.015 * line, "%g, %g", along.speed_mm_ms, line);
    cr_expect_float_eq(
        across.speed_mm_ms, scale * line, 0.015 * scale * line, "%g, %g", across.speed_mm_ms, scale * line);
    cr_expect_float_eq(thrice.speed_mm_ms, 3 * along.speed_mm_ms, 1e-9, "%g", thrice.speed_mm_ms);
    cr_expect(along.given > 0.99 && along.uneven < 0.02, "%g, %g", along.given, along.uneven);
    cr_expect_eq(along.pde_steps, 1);
}

Test(plane_wave, propagation_fails_through_much_too_large_elements)
{
    const mt_wave_medium usual = medium(0.1, 0.1);
    const mt_plane_wave wave = wave_of(&usual, MT_FAMILY_KUHN, 6.75, 0);
    cr_expect(isnan(wave.speed_mm_ms) && isnan(wave.uneven) && isnan(wave.given), "%g", wave.speed_mm_ms);
}
