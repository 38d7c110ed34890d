/* Axes of several symmetric 3 x 3 matrices at once: see solver/kernels/axes.h. */
#include "solver/kernels/lanes.h"
#include "solver/kernels/kernels.h"

#ifdef MT_DOUBLE
#    include <float.h>
#    include <math.h>

enum { SWEEPS = 30, PARTS = MT_AXES_GROUP / LANES };
_Static_assert(MT_AXES_GROUP % LANES == 0, "groups have complete lanes");

/* One number of each matrix of a group. The parts are independent, so that a processor computes them side by side. */
typedef lanes group[PARTS];

static inline lanes size_of(lanes x) { return lanes_select_below(x, 0, -x, x); }
static inline lanes larger(lanes x, lanes y) { return lanes_select_less(x, y, y, x); }

/* Rotates two numbers where `least` is below `size`. */
static inline void turn(lanes least, lanes size, lanes c, lanes s, lanes *x, lanes *y)
{
    const lanes from = *x, to = *y;
    *x = lanes_select_less(least, size, c * from - s * to, from);
    *y = lanes_select_less(least, size, s * from + c * to, to);
}

/* As mt_axes_rotate (data/core/axes.h), where |a[p][q]| exceeds `least`. */
static inline void rotate(int p, int q, int g, const group least, group a[3][3], group vectors[3][3])
{
    const lanes off = a[p][q][g], size = size_of(off), one = lanes_all(1);
    const lanes theta = (a[q][q][g] - a[p][p][g]) / (2 * off);
    const lanes t =
        lanes_select_below(theta, 0, -one, one) / (size_of(theta) + lanes_sqrt(theta * theta + 1));
    const lanes c = 1 / lanes_sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) turn(least[g], size, c, s, &a[k][p][g], &a[k][q][g]);
    for (int k = 0; k < 3; k++) turn(least[g], size, c, s, &a[p][k][g], &a[q][k][g]);
    for (int k = 0; k < 3; k++) turn(least[g], size, c, s, &vectors[p][k][g], &vectors[q][k][g]);
    a[p][q][g] = lanes_select_less(least[g], size, lanes_all(0), a[p][q][g]);
    a[q][p][g] = lanes_select_less(least[g], size, lanes_all(0), a[q][p][g]);
}

/* Rotates all matrices once about each axis; `least` becomes infinite for those that were diagonal before. True if there are others. */
static inline int sweep(const group most, group least, group a[3][3], group vectors[3][3])
{
    real left[LANES];
    int others = 0;
    group off;
    for (int g = 0; g < PARTS; g++) off[g] = lanes_all(0);
    for (int p = 0; p < 3; p++)
        for (int q = p + 1; q < 3; q++)
            for (int g = 0; g < PARTS; g++) {
                off[g] = larger(off[g], size_of(a[p][q][g]));
                rotate(p, q, g, least, a, vectors);
            }
    for (int g = 0; g < PARTS; g++) {
        least[g] = lanes_select_less_equal(off[g], most[g], lanes_all(INFINITY), least[g]);
        lanes_store(left, least[g]);
        for (int lane = 0; lane < LANES; lane++) others |= left[lane] < INFINITY;
    }
    return others;
}

void MT_KERNEL(axes)(double matrix[3][3][MT_AXES_GROUP], double axis[3][3][MT_AXES_GROUP])
{
    group a[3][3], vectors[3][3], most, least;
    for (int g = 0; g < PARTS; g++) {
        lanes size = lanes_all(0);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                a[i][j][g] = lanes_load(&matrix[i][j][g * LANES]);
                vectors[i][j][g] = lanes_all(i == j);
                size = larger(size, size_of(a[i][j][g]));
            }
        most[g] = DBL_EPSILON * size;
        least[g] = DBL_EPSILON / 16 * size;
    }
    for (int k = 0; k < SWEEPS && sweep(most, least, a, vectors);) k++;
    for (int g = 0; g < PARTS; g++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                lanes_store(&matrix[i][j][g * LANES], a[i][j][g]);
                lanes_store(&axis[i][j][g * LANES], vectors[i][j][g]);
            }
}
#else
typedef int no_axes; /* only in double precision */
#endif
