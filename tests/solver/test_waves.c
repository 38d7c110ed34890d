/* Absolute speeds of plane waves: on a fine mesh those of the continuum, on coarse ones those that README.md tells, by which
 * users choose their meshes. The whole table stands in test_waves_slow.c. */
#include <criterion/criterion.h>

#include "tests/solver/plane_wave.h"

/* Second order: with points 0.1 mm apart the speed is off by some 1 %, with 0.02 mm by a 25th of that. Others find
 * 0.600 mm/ms on lines of 0.01 mm with steps of 0.02 ms (an exact integration would give 0.613). */
Test(waves, along_a_line_they_have_the_speed_that_others_find)
{
    const double fine = line_speed(0.02, 0.02), coarse = line_speed(0.1, 0.02);
    cr_assert_float_eq(fine, 0.600, 0.003, "%g mm/ms", fine);
    cr_assert_float_eq(coarse, fine, 0.015 * fine, "%g and %g mm/ms", coarse, fine);
}

/* Boxes of 0.25 mm (cells of 0.14 mm): what is left of the error of second order is some 2 % along the fibres, where an edge of
 * 0.5 mm gives 13 %, and less across, where it gives 10 %. */
Test(waves, on_a_fine_mesh_they_are_as_fast_as_on_the_line_along_and_across_the_fibres)
{
    const double along = slab_speed(0, 0.25, 0.5), across = slab_speed(1, 0.25, 0.18);
    cr_assert_float_eq(along, usual_speed(0), 0.03 * along, "%g mm/ms along", along);
    cr_assert_float_eq(across, usual_speed(1), 0.03 * across, "%g mm/ms across", across);
}

/* README.md, "Coarse meshes conduct slowly", in whole per cent. */
Test(waves, on_coarse_meshes_they_are_as_slow_as_the_readme_says)
{
    static const struct {
        double edge_mm, along, across;
    } row[] = {{0.5, -13, -10}, {1, -34, -34}};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        const double along = 100 * (slab_speed(0, row[k].edge_mm, 0.35) / usual_speed(0) - 1),
                     across = 100 * (slab_speed(1, row[k].edge_mm, 0.12) / usual_speed(1) - 1);
        cr_assert_float_eq(along, row[k].along, 0.6, "%g mm: %g %% along", row[k].edge_mm, along);
        cr_assert_float_eq(across, row[k].across, 0.6, "%g mm: %g %% across", row[k].edge_mm, across);
    }
}
