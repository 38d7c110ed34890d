/* The expected delay of activation as a function of element size. */
#include <criterion/criterion.h>

#include <math.h>

#include "solver/case/delay.h"
#include "solver/tissue/medium.h"

Test(delay, delays_at_tabulated_element_sizes_equal_the_measured_ones)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        for (size_t k = 0; k < (*m)->n_delays; k++) {
            const mt_cell_delay *d = &(*m)->delays[k];
            cr_assert_float_eq(
                mt_delay_percent(*m, &mt_diffusion_scheme_default, &mt_tissue_default, d->length_mm),
                d->usual_percent, 1e-9);
            cr_assert_float_eq(
                mt_delay_percent(*m, &mt_diffusion_scheme_plain, &mt_tissue_default, d->length_mm),
                d->plain_percent, 1e-9);
        }
}

Test(delay, the_element_size_for_an_error_is_the_largest_within_it)
{
    const mt_tissue slow = {
        .sigma_l_mS_mm = 0.01, .sigma_t_mS_mm = 0.01, .chi_per_mm = 140, .cm_uF_mm2 = 0.01};
    const mt_tissue *const tissues[] = {&mt_tissue_default, &slow};
    for (int t = 0; t < 2; t++)
        for (double percent = 1; percent < 17; percent += 3) {
            const mt_cell_model *model = mt_cell_models[0];
            const double length_mm =
                mt_delay_length_mm(model, &mt_diffusion_scheme_default, tissues[t], percent);
            cr_assert_float_eq(
                mt_delay_percent(model, &mt_diffusion_scheme_default, tissues[t], length_mm), percent, 1e-9);
        }
    cr_assert_float_eq(
        mt_delay_length_mm(mt_cell_models[0], &mt_diffusion_scheme_default, &mt_tissue_default, 1000),
        mt_cell_models[0]->delays[mt_cell_models[0]->n_delays - 1].length_mm, 1e-12);
}

/* A quarter of D in all directions: lengths are halved. */
Test(delay, tissue_of_lower_conductivity_needs_smaller_elements)
{
    mt_tissue slow = mt_tissue_default;
    slow.sigma_l_mS_mm /= 4, slow.sigma_t_mS_mm /= 4;
    cr_assert_float_eq(mt_delay_length_mm(mt_cell_models[0], &mt_diffusion_scheme_default, &slow, 10),
        mt_delay_length_mm(mt_cell_models[0], &mt_diffusion_scheme_default, &mt_tissue_default, 10) / 2,
        1e-9);
}

Test(delay, the_default_medium_is_the_default_tissue)
{
    const mt_tissue tissue = mt_medium_tissue(&mt_medium_default);
    cr_assert_float_eq(tissue.sigma_l_mS_mm, mt_tissue_default.sigma_l_mS_mm, 1e-15);
    cr_assert_float_eq(tissue.sigma_t_mS_mm, mt_tissue_default.sigma_t_mS_mm, 1e-15);
    cr_assert_eq(tissue.chi_per_mm, mt_tissue_default.chi_per_mm);
    cr_assert_eq(tissue.cm_uF_mm2, mt_tissue_default.cm_uF_mm2);
}
