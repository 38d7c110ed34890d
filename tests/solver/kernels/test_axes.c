/* Axes of eight matrices at once have the bits of scalar rotations of each, on every instruction set. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "data/core/axes.h"
#include "solver/kernels/kernels.h"
#include "tests/random.h"

/* Diagonalises one matrix with scalar rotations, up to the same accuracy. */
static void expected(double a[3][3], double axis[3][3])
{
    double size = 0, off = INFINITY;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) axis[i][j] = i == j, size = fmax(size, fabs(a[i][j]));
    for (int sweep = 0; sweep < 30 && off > 0x1p-52 * size; sweep++) {
        off = 0;
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 3; q++) {
                off = fmax(off, fabs(a[p][q]));
                if (!(fabs(a[p][q]) > 0x1p-56 * size)) continue;
                mt_axes_rotate(3, 3, a[0], axis[0], p, q);
                a[p][q] = a[q][p] = 0;
            }
    }
}

/* Fills a symmetric matrix; kinds: full, diagonal, zero, one off-diagonal, nearly diagonal, of rank 1, with negative zeros. */
static void fill(int kind, uint64_t *seed, double a[3][3])
{
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = between(seed, -1, 1);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            const double some = between(seed, -1, 1), zero = kind == 6 ? -0.0 : 0;
            double value = some;
            if (kind == 1 && i != j) value = zero;
            if (kind == 2) value = zero;
            if ((kind == 3 || kind == 6) && i != j && i + j != 1) value = zero;
            if (kind == 4 && i != j) value *= 1e-15;
            if (kind == 5) value = x[i] * x[j];
            a[i][j] = a[j][i] = value;
        }
}

/* Bits, also of zeros, do not depend on the other matrices of the group, which take other numbers of rotations. */
Test(axes, groups_have_the_bits_of_single_matrices_on_every_instruction_set)
{
    enum { KINDS = 7, ROUNDS = 500 };
    const mt_kernels *all[MT_ISAS];
    const size_t n = mt_kernels_all(all);
    uint64_t seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        double a[MT_AXES_GROUP][3][3], axis[3][3];
        for (int k = 0; k < MT_AXES_GROUP; k++) fill((round + k * (round % 3)) % KINDS, &seed, a[k]);
        for (size_t set = 0; set < n; set++) {
            double group[3][3][MT_AXES_GROUP], axes[3][3][MT_AXES_GROUP];
            for (int k = 0; k < 9 * MT_AXES_GROUP; k++)
                group[k / 3 % 3][k % 3][k / 9] = a[k / 9][k / 3 % 3][k % 3];
            all[set]->axes(group, axes);
            for (int k = 0; k < MT_AXES_GROUP; k++) {
                double one[3][3];
                memcpy(one, a[k], sizeof one);
                expected(one, axis);
                for (int i = 0; i < 9; i++) {
                    const double value = group[i / 3][i % 3][k], part = axes[i / 3][i % 3][k];
                    cr_assert(memcmp(&value, &one[i / 3][i % 3], sizeof value) == 0 &&
                                  memcmp(&part, &axis[i / 3][i % 3], sizeof part) == 0,
                        "%s, round %d, matrix %d: %g, %g instead of %g, %g", all[set]->isa, round, k, value,
                        part, one[i / 3][i % 3], axis[i / 3][i % 3]);
                }
            }
        }
    }
}
