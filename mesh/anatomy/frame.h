/* Orthonormal frames: construction, rotation and interpolation for rule-based fibres (J. D. Bayer et al., Ann. Biomed. Eng. 40 (2012)
 * 2243). Pure arithmetic, independent of meshes.
 *
 * The columns of a frame are right-handed: column[0] x column[1] = column[2]. In the ventricular wall, before rotation, column 0 is
 * circumferential (counter-clockwise seen from the base), column 1 points from apex to base, and column 2 is transmural, outward.
 *
 * Quaternions {w, x, y, z} have unit length; q and -q are the same rotation. */
#pragma once

typedef struct mt_frame {
    double column[3][3];
} mt_frame;

/* Builds the frame with column 1 along u and column 2 along the component of v perpendicular to u; returns 1. Returns 0 if u or v is not
 * longer than `smallest`, or if v is parallel to u to 1e-6. */
int mt_frame_axis(const double u[3], const double v[3], double smallest, mt_frame *frame);

/* Rotates a frame about column 2 by `around_2` [rad] (from column 0 towards 1), then about the new column 0 by `around_0` [rad] (from
 * column 2 towards 1). */
mt_frame mt_frame_turn(const mt_frame *frame, double around_2, double around_0);

/* Convert a frame to a quaternion and back, exact up to rounding. */
void mt_frame_to_quaternion(const mt_frame *frame, double q[4]);
mt_frame mt_frame_of_quaternion(const double q[4]);

/* Computes q times the k-th of {1, i, j, k}, from the right: for k > 0 the same frame with two columns reversed. */
void mt_frame_half_turn(const double q[4], int k, double turned[4]);

/* Spherical linear interpolation from a (t = 0) to b or -b (t = 1), whichever is closer. */
void mt_frame_slerp(const double a[4], const double b[4], double t, double q[4]);

/* Same, from the one of a's four half turns (mt_frame_half_turn) that is closest to b. */
void mt_frame_bislerp(const double a[4], const double b[4], double t, double q[4]);
