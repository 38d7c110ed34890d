#include "mesh/vtk/vtkhdf_other.h"

#include <stdio.h>
#include <string.h>

#include "mesh/vtk/vtk_grid.h"
#include "mesh/vtk/vtkhdf_grid.h"

static const char *const groups[2] = {"VTKHDF/CellData", "VTKHDF/PointData"};

/* Returns the number of components of an array with n rows; 0 for any other array. */
static mt_status find_components(mt_h5 *h5, const char *path, size_t n, size_t *components)
{
    size_t rank, shape[MT_H5_RANK_MAX];
    MT_TRY(mt_h5_extents(h5, path, &rank, shape));
    *components = rank < 1 || rank > 2 || shape[0] != n ? 0 : rank == 2 ? shape[1] : 1;
    return MT_OK;
}

/* Determines whether a group has an array with a role under a name that Myotile does not write. */
static mt_status has_other_names(mt_arena *scratch, mt_h5 *h5, bool of_points, bool *other)
{
    const char **names;
    size_t n;
    MT_TRY(mt_h5_list(scratch, h5, groups[of_points], &n, &names));
    for (size_t k = 0; k < n && !*other; k++)
        *other = (of_points || !mt_vtkhdf_is_own(names[k])) &&
                 (mt_vtk_known_find(names[k], 3, of_points) || mt_vtk_known_find(names[k], 1, of_points));
    return MT_OK;
}

mt_status mt_vtkhdf_is_other(mt_arena *scratch, mt_h5 *h5, bool *other)
{
    char program[256];
    const mt_status status = mt_h5_read_text(h5, "/", "program", program, sizeof program);
    if (status == MT_MEMORY) return status;
    *other = status != MT_OK || strncmp(program, "myotile", strlen("myotile")) != 0;
    if (!*other) MT_TRY(has_other_names(scratch, h5, false, other));
    return *other ? MT_OK : has_other_names(scratch, h5, true, other);
}

/* Reads all numbers of an array of any shape. */
static mt_status read_all(mt_arena *scratch, mt_h5 *h5, const char *name, size_t *n, double **values)
{
    size_t rank, shape[MT_H5_RANK_MAX];
    *n = 1;
    MT_TRY(mt_h5_extents(h5, name, &rank, shape));
    for (size_t k = 0; k < rank; k++) *n *= shape[k];
    MT_ALLOC(scratch, *values, *n);
    return mt_h5_read_numbers(h5, name, *n, *values);
}

static mt_status check_pieces(mt_arena *scratch, mt_h5 *h5)
{
    size_t n;
    double *counts;
    MT_TRY(read_all(scratch, h5, "VTKHDF/NumberOfPoints", &n, &counts));
    if (n == 1) return MT_OK;
    return mt_fail(MT_INPUT, "%s: VTKHDF/NumberOfPoints: the mesh is in %zu pieces; allowed: 1", h5->path, n);
}

static mt_status read_cells(mt_arena *scratch, mt_h5 *h5, mt_vtk_grid *grid)
{
    size_t n_types, n_ends, n_corners;
    double *types, *ends, *corners;
    mt_vtk_cells *cells;
    MT_TRY(read_all(scratch, h5, "VTKHDF/Types", &n_types, &types));
    MT_TRY(read_all(scratch, h5, "VTKHDF/Offsets", &n_ends, &ends));
    MT_TRY(read_all(scratch, h5, "VTKHDF/Connectivity", &n_corners, &corners));
    if (n_ends != n_types + 1)
        return mt_fail(MT_INPUT,
            "%s: VTKHDF/Offsets: %zu numbers for %zu cells; allowed: one more than cells", h5->path, n_ends,
            n_types);
    MT_ALLOC(scratch, cells, 1);
    *cells = (mt_vtk_cells){.n_points = grid->n_points,
        .n = n_types,
        .type = types,
        .end = ends + 1,
        .n_corners = n_corners,
        .corner = corners};
    grid->cells = cells;
    grid->n_elements = n_types;
    return MT_OK;
}

/* Reads the arrays of cells or points that the mesh uses. */
static mt_status read_data(mt_arena *scratch, mt_h5 *h5, bool of_points, mt_vtk_grid *grid)
{
    const char **names;
    const size_t n = of_points ? grid->n_points : grid->n_elements;
    size_t n_names;
    MT_TRY(mt_h5_list(scratch, h5, groups[of_points], &n_names, &names));
    for (size_t k = 0; k < n_names; k++) {
        char path[512];
        size_t components;
        mt_vtk_data *data;
        (void)snprintf(path, sizeof path, "%s/%s", groups[of_points], names[k]);
        MT_TRY(find_components(h5, path, n, &components));
        if (!mt_vtk_grid_take(grid, names[k], components, of_points, &data)) continue;
        MT_ALLOC(scratch, data->values, n * components);
        MT_TRY(mt_h5_read_numbers(h5, path, n * components, data->values));
    }
    return MT_OK;
}

mt_status mt_vtkhdf_read_other(mt_arena *arena, mt_h5 *h5, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    mt_vtk_grid grid = {.path = h5->path};
    size_t n;
    MT_TRY(check_pieces(scratch, h5));
    MT_TRY(read_all(scratch, h5, "VTKHDF/Points", &n, &grid.xyz));
    if (n % 3)
        return mt_fail(
            MT_INPUT, "%s: VTKHDF/Points: %zu numbers; allowed: three for each point", h5->path, n);
    grid.n_points = n / 3;
    MT_TRY(read_cells(scratch, h5, &grid));
    MT_TRY(mt_vtkhdf_read_names(scratch, h5, &grid.n_names, &grid.names));
    MT_TRY(read_data(scratch, h5, false, &grid));
    MT_TRY(read_data(scratch, h5, true, &grid));
    return mt_vtk_grid_mesh(arena, &grid, 1, mesh);
}
