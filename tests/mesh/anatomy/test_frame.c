#include <criterion/criterion.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/anatomy/frame.h"
#include "tests/random.h"

static uint64_t state = 99;

static double noise(void) { return between(&state, -1, 1); }

static mt_frame random_frame(void)
{
    mt_frame frame;
    const double u[3] = {noise(), noise(), noise()}, v[3] = {noise(), noise(), noise()};
    cr_assert(mt_frame_axis(u, v, 1e-6, &frame));
    return frame;
}

static double difference(const mt_frame *a, const mt_frame *b)
{
    double worst = 0;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(a->column[c][k] - b->column[c][k]));
    return worst;
}

Test(frame, the_frame_of_the_axes_is_the_identity)
{
    mt_frame frame;
    const mt_frame axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    cr_assert(mt_frame_axis((double[]){0, 7, 0}, (double[]){0, 5, 3}, 0.1, &frame));
    cr_assert_lt(difference(&frame, &axes), 1e-15);
}

Test(frame, small_or_parallel_directions_have_no_frame)
{
    mt_frame frame;
    const double u[3] = {1, 2, 3}, twice[3] = {-2, -4, -6 - 1e-7}, small[3] = {0, 1e-3, 0}, none[3] = {0};
    cr_assert_not(mt_frame_axis(u, twice, 0, &frame));
    cr_assert_not(mt_frame_axis(u, small, 1e-2, &frame));
    cr_assert_not(mt_frame_axis(small, u, 1e-2, &frame));
    cr_assert_not(mt_frame_axis(none, u, 0, &frame));
    cr_assert_not(mt_frame_axis((double[]){NAN, 0, 0}, u, 0, &frame));
    cr_assert(mt_frame_axis(small, u, 1e-4, &frame));
}

/* One test for all operations that must preserve orthonormal frames, including nearly parallel directions. */
Test(frame, columns_stay_orthonormal_and_right_handed)
{
    for (int n = 0; n < 1000; n++) {
        const double u[3] = {noise(), noise(), noise()};
        double v[3] = {u[0] + 2e-5 * noise(), u[1] + 2e-5 * noise(), u[2]}, q[4], p[4], between[4];
        mt_frame frame;
        if (!mt_frame_axis(u, v, 1e-6, &frame)) continue;
        frame = mt_frame_turn(&frame, 3 * noise(), 3 * noise());
        mt_frame other = random_frame();
        mt_frame_to_quaternion(&frame, q);
        mt_frame_to_quaternion(&other, p);
        mt_frame_bislerp(q, p, 0.5 + 0.5 * noise(), between);
        mt_frame all[2] = {frame, mt_frame_of_quaternion(between)};
        for (int k = 0; k < 2; k++) {
            const double(*c)[3] = all[k].column;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) cr_assert_float_eq(mt_dot3(c[i], c[j]), i == j, 1e-14);
            cr_assert_gt(c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                             c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
                             c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]),
                0);
        }
    }
}

Test(frame, the_first_angle_rotates_column_0_towards_column_1)
{
    const mt_frame axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    mt_frame turned = mt_frame_turn(&axes, M_PI / 3, 0);
    const mt_frame expected = {{{0.5, sqrt(0.75), 0}, {-sqrt(0.75), 0.5, 0}, {0, 0, 1}}};
    cr_assert_lt(difference(&turned, &expected), 1e-15);
    turned = mt_frame_turn(&axes, 0, M_PI / 6);
    const mt_frame leaning = {{{1, 0, 0}, {0, sqrt(0.75), -0.5}, {0, 0.5, sqrt(0.75)}}};
    cr_assert_lt(difference(&turned, &leaning), 1e-15);
}

Test(frame, conversion_to_a_quaternion_and_back_preserves_the_frame)
{
    /* The four cases of the conversion meet at half turns about the axes. */
    const mt_frame half[3] = {{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}}, {{{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}},
        {{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}}};
    for (int n = 0; n < 1000; n++) {
        mt_frame frame = n < 3 ? half[n] : random_frame();
        double q[4];
        mt_frame_to_quaternion(&frame, q);
        mt_frame back = mt_frame_of_quaternion(q);
        cr_assert_lt(difference(&frame, &back), 1e-14, "%d", n);
    }
}

Test(frame, half_turns_negate_two_columns)
{
    for (int n = 0; n < 100; n++)
        for (int k = 0; k < 4; k++) {
            mt_frame frame = random_frame();
            double q[4], turned[4];
            mt_frame_to_quaternion(&frame, q);
            mt_frame_half_turn(q, k, turned);
            mt_frame other = mt_frame_of_quaternion(turned);
            for (int c = 0; c < 3; c++) {
                double sign = k == 0 || c == k - 1 ? 1 : -1;
                cr_assert_float_eq(
                    mt_dot3(frame.column[c], other.column[c]), sign, 1e-14, "k %d column %d", k, c);
            }
        }
}

/* About one axis the angle must vary uniformly, and on the shorter path: by 100 degrees, for either sign of the quaternion; with half turns
 * allowed by 80 degrees in the opposite direction. */
Test(frame, slerp_takes_the_shorter_path_at_constant_speed)
{
    for (int n = 0; n < 100; n++) {
        mt_frame start = random_frame(), end = mt_frame_turn(&start, 100 * M_PI / 180, 0);
        double a[4], b[4], q[4], t = 0.5 + 0.5 * noise();
        mt_frame_to_quaternion(&start, a);
        mt_frame_to_quaternion(&end, b);
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int k = 0; k < 4; k++) b[k] *= sign;
            mt_frame_slerp(a, b, t, q);
            mt_frame there = mt_frame_of_quaternion(q),
                     expected = mt_frame_turn(&start, t * 100 * M_PI / 180, 0);
            cr_assert_lt(difference(&there, &expected), 1e-14);
            mt_frame_bislerp(a, b, t, q);
            there = mt_frame_of_quaternion(q);
            expected = mt_frame_turn(&start, M_PI - t * 80 * M_PI / 180, 0);
            cr_assert_lt(difference(&there, &expected), 1e-14);
        }
    }
}
