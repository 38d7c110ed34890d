#include "data/core/axes.h"

void mt_axes_find(double a[3][3], double axes[3][3])
{
    double rows[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < 12; sweep++) { /* convergence is quadratic: 6 sweeps suffice */
        mt_axes_rotate(3, 3, a[0], rows[0], 0, 1);
        mt_axes_rotate(3, 3, a[0], rows[0], 0, 2);
        mt_axes_rotate(3, 3, a[0], rows[0], 1, 2);
    }
    for (int i = 0; i < 9; i++) axes[i / 3][i % 3] = rows[i % 3][i / 3];
}
