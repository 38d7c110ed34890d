#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "data/core/vec3.h"
#include "solver/tissue/medium.h"

/* Media: intracellular and extracellular conductivities, part by part. */

static const mt_medium whole = {.intracellular_l_mS_mm = 0.17,
    .intracellular_t_mS_mm = 0.019,
    .intracellular_n_mS_mm = NAN,
    .extracellular_l_mS_mm = 0.62,
    .extracellular_t_mS_mm = 0.24,
    .extracellular_n_mS_mm = NAN,
    .chi_per_mm = 140,
    .cm_uF_mm2 = 0.01};

static mt_medium_change nothing(void)
{
    return (mt_medium_change){.named = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}, .conductivity_factor = NAN};
}

static void ok(mt_status status) { cr_assert_eq(status, MT_OK, "%s", mt_message()); }

static void change(mt_arena *arena, mt_media *media, uint32_t from, uint32_t to, mt_medium_change what)
{
    uint32_t elements[16];
    for (uint32_t c = from; c < to; c++) elements[c - from] = c;
    ok(mt_media_change(arena, media, &whole, to - from, elements, &what, to));
}

Test(medium, the_default_medium_is_the_default_tissue)
{
    const mt_tissue tissue = mt_medium_tissue(&whole);
    cr_expect_eq(memcmp(&tissue, &mt_tissue_default, sizeof tissue), 0);
}

Test(medium, unused_media_are_removed_and_equal_ones_merged)
{
    mt_arena arena = {0};
    mt_media media;
    mt_tissues tissues;
    mt_medium_change twice = nothing(), back = nothing();
    twice.conductivity_factor = 2;
    back.conductivity_factor = 1;
    ok(mt_media_begin(&arena, &whole, 8, &media));
    change(&arena, &media, 0, 8, twice);
    change(&arena, &media, 2, 5, back);
    change(&arena, &media, 0, 3, twice);
    ok(mt_media_end(&arena, 8, &media));
    const uint16_t of[] = {1, 1, 1, 0, 0, 1, 1, 1};
    cr_assert_eq(media.n, 2);
    cr_expect_arr_eq(media.of, of, sizeof of);
    cr_expect(media.by[0] == MT_MEDIA_WHOLE && media.by[1] == 8, "the first change that created it");
    cr_expect_eq(mt_media_at(&media, 0)->intracellular_l_mS_mm, 0.34);
    ok(mt_media_tissues(&arena, &media, &tissues));
    ok(mt_tissues_check(&tissues, 8));
    cr_expect_eq(memcmp(&tissues.tissue[0], &mt_tissue_default, sizeof(mt_tissue)), 0);
    cr_expect_float_eq(tissues.tissue[1].sigma_t_mS_mm, 2 * mt_tissue_default.sigma_t_mS_mm, 1e-15);
    mt_arena_free(&arena);
}

/* The conductivities of the intracellular currents, from which the electrocardiogram is computed. */
Test(medium, intracellular_conductivities_follow_the_axes_of_each_element)
{
    mt_arena arena = {0};
    mt_media media;
    double fibre[] = {0.6, 0.8, 0, 0, 0, 1}, sheet[] = {0, 0, 1, 0.8, -0.6, 0};
    const mt_mesh mesh = {.n_elements = 2, .fibre = fibre, .sheet = sheet};
    mt_medium_change normal = nothing();
    normal.named.intracellular_n_mS_mm = 0.008;
    normal.conductivity_factor = 3;
    ok(mt_media_begin(&arena, &whole, 2, &media));
    change(&arena, &media, 1, 2, normal);
    ok(mt_media_end(&arena, 2, &media));
    const double axes[2][3] = {{0.17, 0.019, 0.019}, {3 * 0.17, 3 * 0.019, 0.008}};
    for (size_t c = 0; c < 2; c++) {
        double along_axes[3], tensor[3][3], normal_axis[3];
        mt_medium_intracellular(mt_media_at(&media, c), along_axes);
        mt_media_intracellular_tensor(&media, &mesh, c, tensor);
        mt_cross3(fibre + 3 * c, sheet + 3 * c, normal_axis);
        const double *axis[3] = {fibre + 3 * c, sheet + 3 * c, normal_axis};
        for (int k = 0; k < 3; k++) {
            cr_expect_eq(along_axes[k], axes[c][k]);
            for (int i = 0; i < 3; i++)
                cr_expect_float_eq(mt_dot3(tensor[i], axis[k]), axes[c][k] * axis[k][i], 1e-15);
        }
    }
    mt_arena_free(&arena);
}

Test(medium, a_change_without_values_changes_nothing)
{
    mt_medium_change what = nothing();
    double value[sizeof what / sizeof(double)];
    const size_t n = sizeof value / sizeof *value;
    cr_expect(!mt_medium_change_names(&what));
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < n; i++) value[i] = i == k ? 1 : NAN;
        memcpy(&what, value, sizeof what);
        cr_expect(mt_medium_change_names(&what), "%zu", k);
    }
}
