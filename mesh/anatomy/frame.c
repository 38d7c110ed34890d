#include "mesh/anatomy/frame.h"

#include <math.h>
#include <string.h>

#include "data/core/vec3.h"

int mt_frame_axis(const double u[3], const double v[3], double smallest, mt_frame *frame)
{
    double u_length = mt_length3(u), v_length = mt_length3(v);
    if (!(u_length > smallest) || !(v_length > smallest)) return 0;
    double *e0 = frame->column[0], *e1 = frame->column[1], *e2 = frame->column[2];
    for (int k = 0; k < 3; k++) e1[k] = u[k] / u_length, e2[k] = v[k] / v_length;
    double along = mt_dot3(e1, e2);
    for (int k = 0; k < 3; k++) e2[k] -= along * e1[k];
    double length = mt_length3(e2);
    if (!(length > 1e-6)) return 0;
    for (int k = 0; k < 3; k++) e2[k] /= length;
    along = mt_dot3(e1, e2); /* again, as cancellation lost digits if v was nearly parallel to u */
    for (int k = 0; k < 3; k++) e2[k] -= along * e1[k];
    mt_cross3(e1, e2, e0);
    return 1;
}

mt_frame mt_frame_turn(const mt_frame *frame, double around_2, double around_0)
{
    double ca = cos(around_2), sa = sin(around_2), cb = cos(around_0), sb = sin(around_0);
    const double weight[3][3] = {{ca, sa, 0}, {-sa * cb, ca * cb, -sb}, {-sa * sb, ca * sb, cb}};
    mt_frame turned;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            turned.column[c][k] = weight[c][0] * frame->column[0][k] + weight[c][1] * frame->column[1][k] +
                                  weight[c][2] * frame->column[2][k];
    return turned;
}

static void normalise(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= length;
}

/* Starts from the largest of the four squares, to avoid division by small numbers (S. W. Shepperd, J. Guid. Control 1 (1978) 223). */
void mt_frame_to_quaternion(const mt_frame *frame, double q[4])
{
    const double(*c)[3] = frame->column;
    double trace = c[0][0] + c[1][1] + c[2][2];
    int big = 0;
    for (int k = 1; k < 3; k++)
        if (c[k][k] > c[big][big]) big = k;
    if (trace > c[big][big]) {
        q[0] = 1 + trace;
        q[1] = c[1][2] - c[2][1];
        q[2] = c[2][0] - c[0][2];
        q[3] = c[0][1] - c[1][0];
    } else {
        int i = big, j = (big + 1) % 3, k = (big + 2) % 3;
        q[0] = c[j][k] - c[k][j];
        q[1 + i] = 1 + 2 * c[i][i] - trace;
        q[1 + j] = c[j][i] + c[i][j];
        q[1 + k] = c[k][i] + c[i][k];
    }
    normalise(q);
}

mt_frame mt_frame_of_quaternion(const double q[4])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return (mt_frame){{
        {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
        {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
        {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)},
    }};
}

void mt_frame_half_turn(const double q[4], int k, double turned[4])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double all[4][4] = {{w, x, y, z}, {-x, w, z, -y}, {-y, -z, w, x}, {-z, y, -x, w}};
    memcpy(turned, all[k], sizeof all[k]);
}

static double dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

void mt_frame_slerp(const double a[4], const double b[4], double t, double q[4])
{
    double c = dot4(a, b), sign = c < 0 ? -1 : 1, from = 1 - t, to = t, sum[4], gap[4];
    /* The angle from its sine and cosine, accurate for small angles. */
    for (int k = 0; k < 4; k++) sum[k] = a[k] + sign * b[k], gap[k] = a[k] - sign * b[k];
    double angle = 2 * atan2(sqrt(dot4(gap, gap)), sqrt(dot4(sum, sum)));
    if (angle > 1e-8) from = sin((1 - t) * angle), to = sin(t * angle);
    for (int k = 0; k < 4; k++) sum[k] = from * a[k] + to * sign * b[k];
    normalise(sum);
    memcpy(q, sum, sizeof sum);
}

void mt_frame_bislerp(const double a[4], const double b[4], double t, double q[4])
{
    double best[4], candidate[4];
    memcpy(best, a, sizeof best);
    for (int k = 1; k < 4; k++) {
        mt_frame_half_turn(a, k, candidate);
        if (fabs(dot4(candidate, b)) > fabs(dot4(best, b))) memcpy(best, candidate, sizeof best);
    }
    mt_frame_slerp(best, b, t, q);
}
