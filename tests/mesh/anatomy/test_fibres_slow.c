/* The fibres of a heart of the published study's size, and their convergence with the mesh. */
#include <criterion/criterion.h>

#include "tests/mesh/fibred_heart.h"
#include "tests/mesh/gmsh_ventricles.h"

/* 3 million elements of 0.4 mm. The jumps are at the apex and along the insertions of the right ventricle, so that their share is
 * proportional to the edge length: 17 % of 10 thousand elements, 1.9 % of 100 thousand. */
Test(fibres_slow, fibres_of_three_million_elements_follow_the_rule_with_few_jumps)
{
    heart h = {0};
    gmsh_ventricles(&h.arena, 0.6327, &h.mesh);
    cr_assert(h.mesh.n_elements > 2900000 && h.mesh.n_elements < 3100000, "%zu elements", h.mesh.n_elements);
    connect(&h);
    grow(&h, &mt_fibres_rule_default);
    cr_assert_leq(jump_share(&h), 0.0025, "%g", jump_share(&h));
    for (int region = LV_WALL; region <= SEPTUM; region++) assert_follows_the_rule(&h, region);
    mt_arena_free(&h.arena);
}

/* The gradient of a linear element, and with it the wall's axes, is first-order accurate: half the edge, half the error. The meshes also
 * differ in their structure, with a tolerance of a quarter. */
Test(fibres_slow, helix_angle_error_halves_with_the_edge)
{
    double median[3], high[3];
    for (int k = 0; k < 3; k++) {
        heart h = {0};
        gmsh_left_ventricle(&h.arena, 5.2 / (1 << k), &h.mesh);
        connect(&h);
        grow(&h, &mt_fibres_rule_default);
        angle_errors(&h, WHOLE_LV, median + k, high + k);
        mt_arena_free(&h.arena);
        if (k == 0) continue;
        cr_assert_float_eq(median[k] / median[k - 1], 0.5, 0.125, "%g after %g", median[k], median[k - 1]);
        cr_assert_float_eq(high[k] / high[k - 1], 0.5, 0.125, "%g after %g", high[k], high[k - 1]);
    }
}
