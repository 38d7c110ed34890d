/* Every row of solver/README.md, "Conduction velocity on coarse meshes". */
#include <criterion/criterion.h>

#include "tests/solver/plane_wave.h"

Test(waves, cv_equals_the_readme_for_every_element_size)
{
    static const struct {
        double edge_mm, plain[2], usual[2];
    } row[] = {{0.25, {-5, -3}, {-2, -1}}, {0.5, {-16, -12}, {-3, 0}}, {0.8, {-28, -27}, {-4, -1}},
        {1, {-36, -36}, {-5, -3}}, {1.25, {-44, -46}, {-4, -8}}, {1.5, {-51, -57}, {-4, -16}}};
    const mt_diffusion_scheme *const schemes[] = {&mt_diffusion_scheme_plain, &mt_diffusion_scheme_default};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++)
        for (size_t axis = 0; axis < 2; axis++)
            for (int s = 0; s < 2; s++) {
                const double speed = slab_speed(mt_cell_models[0], schemes[s], axis, row[k].edge_mm,
                                 axis == 0 ? 0.25 : 0.07),
                             error = 100 * (speed / usual_speed(axis) - 1),
                             expected = s == 0 ? row[k].plain[axis] : row[k].usual[axis];
                cr_log_info("%g mm, axis %zu, scheme %d: %.2f %%", row[k].edge_mm, axis, s, error);
                cr_expect_float_eq(error, expected, 0.6, "%g mm, axis %zu, scheme %d: %g %%", row[k].edge_mm,
                    axis, s, error);
            }
}
