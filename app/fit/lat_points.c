#include "app/fit/lat_points.h"

#include <math.h>
#include <string.h>

#include "data/core/utf8.h"
#include "data/files/csv.h"
#include "data/files/input.h"

enum { X, Y, Z, LAT, WEIGHT, SD, COLUMNS };

static const char *const column_name[COLUMNS] = {"x_mm", "y_mm", "z_mm", "lat_ms", "weight", "sd_ms"};

/* Finds the columns of the file, *n_columns for a missing one. */
static mt_status find_columns(const char *path, const mt_csv *csv, size_t at[COLUMNS])
{
    for (int k = 0; k < COLUMNS; k++) at[k] = csv->n_columns;
    for (size_t c = 0; c < csv->n_columns; c++) {
        int k = 0;
        while (k < COLUMNS && strcmp(csv->column[c], column_name[k]) != 0) k++;
        if (k == COLUMNS)
            return mt_fail(MT_INPUT, "%s:1: column '%s'; allowed: x_mm, y_mm, z_mm, lat_ms, weight or sd_ms",
                path, mt_utf8_shown(csv->column[c]));
        if (at[k] < csv->n_columns)
            return mt_fail(MT_INPUT, "%s:1: duplicate column %s", path, column_name[k]);
        at[k] = c;
    }
    for (int k = X; k <= LAT; k++)
        if (at[k] == csv->n_columns)
            return mt_fail(
                MT_INPUT, "%s:1: no column %s; needed: x_mm, y_mm, z_mm and lat_ms", path, column_name[k]);
    if (at[WEIGHT] < csv->n_columns && at[SD] < csv->n_columns)
        return mt_fail(MT_INPUT, "%s:1: columns weight and sd_ms; allowed: one of them", path);
    return MT_OK;
}

static mt_status read_point(
    const char *path, const mt_csv *csv, const size_t at[COLUMNS], size_t row, mt_lat_point *point)
{
    double value[COLUMNS] = {[WEIGHT] = 1, [SD] = 1};
    for (int k = 0; k < COLUMNS; k++) {
        if (at[k] == csv->n_columns) continue;
        value[k] = mt_csv_number(csv, row, at[k]);
        if (isfinite(value[k]) && (k < WEIGHT || value[k] > 0)) continue;
        return mt_fail(MT_INPUT, "%s:%zu: %s: found '%s'; allowed: a number%s", path, row + 2, column_name[k],
            mt_utf8_shown(csv->cell[row * csv->n_columns + at[k]]), k < WEIGHT ? "" : " above 0");
    }
    *point = (mt_lat_point){.xyz_mm = {value[X], value[Y], value[Z]},
        .lat_ms = value[LAT],
        .weight = value[WEIGHT] / (value[SD] * value[SD]),
        .row = row + 2};
    return MT_OK;
}

static mt_status read_csv(mt_arena *arena, const char *path, mt_lat_points *points)
{
    MT_SCRATCH(scratch);
    mt_csv csv;
    size_t at[COLUMNS];
    MT_TRY(mt_csv_read(scratch, path, &csv));
    MT_TRY(find_columns(path, &csv, at));
    points->n = csv.n_rows;
    points->has_sd = at[SD] < csv.n_columns;
    MT_ALLOC(arena, points->point, points->n);
    for (size_t k = 0; k < points->n; k++) MT_TRY(read_point(path, &csv, at, k, &points->point[k]));
    return MT_OK;
}

mt_status mt_lat_points_read(mt_arena *arena, const char *path, mt_lat_points *points)
{
    static const char matlab[] = "MATLAB ", hdf[] = "MATLAB 7.3";
    char first[sizeof hdf] = "";
    (void)mt_input_peek(path, first, sizeof hdf - 1);
    *points = (mt_lat_points){.path = path};
    if (strncmp(first, hdf, sizeof hdf - 1) == 0)
        MT_TRY(mt_lat_openep_read(arena, path, points));
    else if (strncmp(first, matlab, sizeof matlab - 1) == 0)
        return mt_fail(MT_INPUT,
            "%s: found a MATLAB file of an old version; allowed: version 7.3, by save(..., '-v7.3'), or CSV",
            path);
    else
        MT_TRY(read_csv(arena, path, points));
    return points->n > 0 ? MT_OK : mt_fail(MT_INPUT, "%s: found no points; needed: at least one", path);
}
