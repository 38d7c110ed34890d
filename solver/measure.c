#include "solver/measure.h"

#include <math.h>
#include <stdbool.h>

static size_t nearest_cell(const mt_mesh *mesh, const double xyz_mm[3])
{
    size_t nearest = 0;
    double least = INFINITY;
    for (size_t cell = 0; cell < mesh->n_cells; cell++) {
        double x[3], distance = 0;
        mt_mesh_centroid(mesh, cell, x);
        for (int axis = 0; axis < 3; axis++) distance += (x[axis] - xyz_mm[axis]) * (x[axis] - xyz_mm[axis]);
        if (distance < least) {
            least = distance;
            nearest = cell;
        }
    }
    return nearest;
}

/* Solves the 4 x 4 normal equations a x = b by Cholesky's method; false where a is not safely positive
 * definite. */
static bool solve(double a[4][4], double b[4])
{
    for (int i = 0; i < 4; i++) {
        const double before = a[i][i];
        for (int k = 0; k < i; k++) a[i][i] -= a[i][k] * a[i][k];
        if (!(a[i][i] > 1e-9 * before)) return false;
        a[i][i] = sqrt(a[i][i]);
        for (int j = i + 1; j < 4; j++) {
            for (int k = 0; k < i; k++) a[j][i] -= a[j][k] * a[i][k];
            a[j][i] /= a[i][i];
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i; k++) b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = 3; i >= 0; i--) {
        for (int k = i + 1; k < 4; k++) b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
    return true;
}

static void add_to_fit(
    double a[4][4], double b[4], const mt_mesh *mesh, size_t cell, const double origin[3], double value)
{
    double x[3], basis[4] = {1};
    mt_mesh_centroid(mesh, cell, x);
    for (int axis = 0; axis < 3; axis++) basis[axis + 1] = x[axis] - origin[axis];
    for (int i = 0; i < 4; i++) {
        b[i] += basis[i] * value;
        for (int j = 0; j < 4; j++) a[i][j] += basis[i] * basis[j];
    }
}

static double value_at(
    const mt_mesh *mesh, const mt_diffusion *diffusion, const double *field, const double xyz_mm[3])
{
    const size_t cell = nearest_cell(mesh, xyz_mm);
    if (!isfinite(field[cell])) return field[cell];
    double a[4][4] = {{0}}, b[4] = {0};
    int n = 1;
    add_to_fit(a, b, mesh, cell, xyz_mm, field[cell]);
    for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) {
        size_t other = diffusion->column[MT_DIFFUSION_ROW * cell + k];
        if (other == cell || !isfinite(field[other])) continue;
        add_to_fit(a, b, mesh, other, xyz_mm, field[other]);
        n++;
    }
    return n >= 4 && solve(a, b) ? b[0] : field[cell];
}

void mt_measure_at(const mt_mesh *mesh, const mt_diffusion *diffusion, const double *field, size_t n,
    const double *xyz_mm, double *value)
{
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < n; k++) value[k] = value_at(mesh, diffusion, field, xyz_mm + 3 * k);
}
