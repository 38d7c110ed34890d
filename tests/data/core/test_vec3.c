#include <criterion/criterion.h>

#include "data/core/vec3.h"

Test(vec3, products_lengths_and_distances_match_their_definitions)
{
    const double a[3] = {2, -3, 5}, b[3] = {-7, 11, 13};
    double turn[3];
    mt_cross3(a, b, turn);
    cr_assert_eq(mt_dot3(a, b), 18);
    cr_assert(turn[0] == -94 && turn[1] == -61 && turn[2] == 1);
    cr_assert_eq(mt_length3(turn), sqrt(94 * 94 + 61 * 61 + 1));
    cr_assert_eq(mt_square3(a, b), 81 + 196 + 64);
}

Test(vec3, a_difference_can_be_stored_in_either_operand)
{
    for (int which = 0; which < 2; which++) {
        double x[2][3] = {{2, -3, 5}, {-7, 11, 13}};
        mt_minus3(x[0], x[1], x[which]);
        cr_assert(x[which][0] == 9 && x[which][1] == -14 && x[which][2] == -8);
    }
}
