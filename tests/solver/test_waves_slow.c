/* Every row of solver/README.md, "Coarse meshes conduct slowly". */
#include <criterion/criterion.h>

#include "tests/solver/plane_wave.h"

Test(waves, are_as_slow_as_the_readme_says_on_meshes_of_any_edge)
{
    static const struct {
        double edge_mm, along, across;
    } row[] = {
        {0.25, -2, 0}, {0.5, -13, -10}, {0.8, -26, -25}, {1, -34, -34}, {1.25, -42, -45}, {1.5, -50, -56}};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        const double along =
                         100 * (slab_speed(mt_cell_models[0], 0, row[k].edge_mm, 0.25) / usual_speed(0) - 1),
                     across =
                         100 * (slab_speed(mt_cell_models[0], 1, row[k].edge_mm, 0.07) / usual_speed(1) - 1);
        cr_log_info("%g mm: %.2f %% along, %.2f %% across", row[k].edge_mm, along, across);
        cr_expect_float_eq(along, row[k].along, 0.6, "%g mm: %g %% along", row[k].edge_mm, along);
        cr_expect_float_eq(across, row[k].across, 0.6, "%g mm: %g %% across", row[k].edge_mm, across);
    }
}
