#include "mesh/vtk/directions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/axes.h"
#include "data/core/vec3.h"

bool mt_directions_mean(const double *const direction[4], double mean[3])
{
    double sum[3][3] = {{0}}, axes[3][3];
    const double *f = direction[0];
    for (int i = 3; i >= 0; i--)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) sum[r][c] += direction[i][r] * direction[i][c];
    mt_axes_find(sum, axes);
    int most = 0;
    for (int k = 1; k < 3; k++)
        if (sum[k][k] > sum[most][most]) most = k;
    const double side = f[0] * axes[0][most] + f[1] * axes[1][most] + f[2] * axes[2][most];
    const double length = sum[most][most] > 0 ? side < 0 ? -1 : 1 : 0;
    for (int k = 0; k < 3; k++) mean[k] = length * axes[k][most];
    return sum[most][most] < 0.75 * (sum[0][0] + sum[1][1] + sum[2][2]);
}

static bool is_unit(const double v[3]) { return fabs(mt_length3(v) - 1) <= 1e-6; }

bool mt_directions_put(mt_mesh *mesh, size_t element, const double fibre[3], const double sheet[3])
{
    const bool good_sheet = !mesh->sheet || (is_unit(sheet) && fabs(mt_dot3(fibre, sheet)) <= 1e-6);
    if (is_unit(fibre) && good_sheet) {
        memcpy(mesh->fibre + 3 * element, fibre, 3 * sizeof *fibre);
        if (mesh->sheet) memcpy(mesh->sheet + 3 * element, sheet, 3 * sizeof *sheet);
        return true;
    }
    if (mt_mesh_put_directions(mesh, element, fibre, sheet)) return true;
    double *sheets = mesh->sheet;
    mesh->sheet = NULL;
    if (mt_mesh_put_directions(mesh, element, fibre, NULL)) return true;
    mesh->sheet = sheets;
    return false;
}

mt_status mt_directions_note(
    mt_arena *arena, mt_mesh *mesh, const char *what, const char *name, size_t n_spread)
{
    char spread[128] = "";
    if (n_spread > 0)
        (void)snprintf(spread, sizeof spread,
            "; in %zu of %zu elements a vertex direction differs from the mean by more than 30 degrees",
            n_spread, mesh->n_elements);
    return mt_mesh_note(
        arena, mesh, "%s: means of %.40s over the vertices of each element%s", what, name, spread);
}
