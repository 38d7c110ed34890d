/* Absolute speeds of plane waves: on a fine mesh those of the continuum, on coarse ones those that README.md tells, which users
 * choose their meshes by. */
#include <criterion/criterion.h>

#include <omp.h>

#include "plane_wave.h"

static double usual_speed(size_t axis)
{
    const double along = mt_tissue_diffusivity_l(&mt_tissue_usual),
                 across = mt_tissue_diffusivity_t(&mt_tissue_usual);
    return line_speed(along, 0.02, 0.02) * (axis == 0 ? 1 : sqrt(across / along));
}

static void one_thread(void) { omp_set_num_threads(1); } /* the slabs are small */

TestSuite(waves, .init = one_thread);

/* Second order: points 0.1 mm apart are off by some 1 %, 0.02 mm by some 0.04 %. A step of 0.02 ms is the benchmark's coarsest; an
 * exact integration would make it 0.613 mm/ms. */
Test(waves, along_a_line_they_have_the_speed_that_others_find)
{
    const double d = mt_tissue_diffusivity_l(&mt_tissue_usual);
    const double fine = line_speed(d, 0.02, 0.02), coarse = line_speed(d, 0.1, 0.02);
    cr_assert_float_eq(fine, 0.600, 0.003, "%g mm/ms", fine);
    cr_assert_float_eq(coarse, fine, 0.015 * fine, "%g and %g mm/ms", coarse, fine);
    /* lengths go with the square root of the diffusivity: the same numbers on a longer line */
    cr_assert_float_eq(line_speed(d / 4, 0.01, 0.02), fine / 2, 1e-9);
}
