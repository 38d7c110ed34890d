/* Absolute activation times of the slab benchmark. Finer meshes and all corners are in test_niederer_slow.c. */
#include <criterion/criterion.h>

#include "tests/solver/niederer.h"

static slab_problem s;

/* Returns the time of a plane wave from the stimulated cube to a point, with the converged 1-D conduction velocities
 * (tests/solver/test_waves.c): 0.600 mm/ms longitudinal, 0.2181 transverse. This is the eikonal equation without the delay of a curved
 * wavefront. */
static double plane_wave_ms(const double at[3])
{
    static const double speed[3] = {0.600, 0.2181, 0.2181};
    double squares = 0;
    for (int k = 0; k < 3; k++) squares += pow(fmax(0, at[k] - 1.5) / speed[k], 2);
    return sqrt(squares);
}

/* On elements of 0.28 mm plane waves are late by up to 2 % (solver/README.md, "Conduction velocity on coarse meshes"), and the curvature of the
 * wavefront delays it: from the time of the plane wave up to a seventh more. The cube itself takes 1.2 ms to activate. */
Test(niederer, activation_times_at_0_5_mm_equal_the_readme_and_exceed_those_of_a_plane_wave)
{
    double ms[POINTS];
    make_slab_problem(&s, benchmark_mm, 0.5);
    corner_times(&s, "cpu-single", benchmark_mm, 0, 44, ms);
    for (size_t p = 0; p < POINTS; p++) {
        const double least = 1.2 + plane_wave_ms(points_mm[p]);
        cr_expect_float_eq(ms[p], printed_ms[p], 0.015, "P%zu: %g ms", p + 1, ms[p]);
        cr_expect(
            ms[p] > least && ms[p] < least * 8 / 7 + 0.5, "P%zu: %g ms, expected %g", p + 1, ms[p], least);
    }
    mt_arena_free(&s.arena);
}

/* Even numbers of boxes along every axis: the mesh is its own mirror image (tests/mesh/make/test_slab.c), and so are all results except
 * for the order of sums. Rounding errors of a row are 1e-16 of about 100 mV; thousands of steps accumulate them, and propagation does
 * not amplify them: below 1e-9 ms, while times with the other cut differ by more than 0.1 ms. */
/* Returns the spread over the first n_corners corners: a second one suffices to detect the asymmetry of the other cut. */
static double spread_of_corners(mt_slab_cut cut, size_t n_corners)
{
    static const double size[3] = {4, 2, 2};
    double ms[CORNERS][POINTS], largest = 0;
    s = (slab_problem){0};
    cr_assert_eq(mt_slab_make_cut(&s.arena, size, 0.5, cut, &s.mesh), MT_OK, "%s", mt_message());
    make_problem(&s, (double[]){1.5, 1.5, 1.5});
    for (size_t corner = 0; corner < n_corners; corner++) {
        corner_times(&s, "cpu", size, corner, 12, ms[corner]);
        for (size_t p = 0; p < POINTS; p++) {
            cr_assert(isfinite(ms[corner][p]), "corner %zu: P%zu is not activated", corner, p + 1);
            largest = fmax(largest, fabs(ms[corner][p] - ms[0][p]));
        }
    }
    mt_arena_free(&s.arena);
    return largest;
}

Test(niederer, all_base_corners_have_equal_activation_times_on_mirrored_boxes)
{
    const double mirrored = spread_of_corners(MT_SLAB_MIRRORED, CORNERS),
                 kuhn = spread_of_corners(MT_SLAB_KUHN, 2);
    cr_assert_lt(mirrored, 1e-9, "%g ms", mirrored);
    cr_assert_gt(kuhn, 0.1, "%g ms", kuhn);
}
