/* Three orthonormal directions in space, as rotations: building, turning and interpolating them, as the
 * rule-based fibres do (J. D. Bayer et al., Ann. Biomed. Eng. 40 (2012) 2243). Pure arithmetic; knows no
 * mesh.
 *
 * A frame's columns (column[k] is the k-th) are right-handed: column 0 x column 1 = column 2. In the wall
 * of a heart and before it is turned: 0 around it (counter-clockwise seen from the base), 1 from apex to
 * base, 2 outward through the wall.
 *
 * A quaternion {w, x, y, z} here is a unit one; q and -q are the same rotation. */
#pragma once

typedef struct mt_frame {
    double column[3][3];
} mt_frame;

/* The frame whose column 1 is along u, and column 2 along what of v is perpendicular to u. 0, and no frame,
 * where u or v is below `smallest` or v within 1e-6 of parallel to u; else 1. */
int mt_frame_axis(const double u[3], const double v[3], double smallest, mt_frame *frame);

/* Turns columns 0 and 1 by `around_2` [rad] about column 2 (from 0 towards 1), then columns 1 and 2 about the
 * new column 0 by `around_0` (from 2 towards 1). */
mt_frame mt_frame_turn(const mt_frame *frame, double around_2, double around_0);

/* The quaternion of a frame and back; to rounding. */
void mt_frame_to_quaternion(const mt_frame *frame, double q[4]);
mt_frame mt_frame_of_quaternion(const double q[4]);

/* q times the k-th of {1, i, j, k}, on the right: the same columns but for two signs. */
void mt_frame_half_turn(const double q[4], int k, double turned[4]);

/* The way from a (t = 0) to b (t = 1) on the sphere, the shorter one of a to b and a to -b. */
void mt_frame_slerp(const double a[4], const double b[4], double t, double q[4]);

/* The same from that of a's four half turns which is nearest to b. */
void mt_frame_bislerp(const double a[4], const double b[4], double t, double q[4]);
