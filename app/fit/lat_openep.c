#include <math.h>
#include <stdio.h>

#include "app/fit/lat_points.h"
#include "data/files/h5.h"

#define ELECTRIC "userdata/electric/"
static const double usual_hz = 1000;

/* Arrays of a file, in its order: MATLAB's columns are its rows. */
typedef struct arrays {
    size_t n;
    double *place;           /* [3][n] */
    double *map, *reference; /* [n] */
    double *window;          /* [2][n] or NULL */
    double *include;         /* [n] or NULL */
    double frequency_hz;
} arrays;

/* Reads an array of [rows][n] numbers; n 0: any, which is stored. */
static mt_status read_array(
    mt_arena *scratch, mt_h5 *h5, const char *name, size_t rows, size_t *n, double **values)
{
    size_t rank, shape[MT_H5_RANK_MAX], count = 1;
    MT_TRY(mt_h5_extents(h5, name, &rank, shape));
    for (size_t k = 0; k < rank; k++) count *= shape[k];
    if (count == 0 || count % rows != 0 || (*n > 0 && count != rows * *n) || (rows > 1 && shape[0] != rows))
        return mt_fail(
            MT_INPUT, "%s: %s: found %zu numbers; needed: %zu for each point", h5->path, name, count, rows);
    *n = count / rows;
    MT_ALLOC(scratch, *values, count);
    return mt_h5_read_numbers(h5, name, count, *values);
}

/* Same, for an array that can be missing: NULL. */
static mt_status read_optional(
    mt_arena *scratch, mt_h5 *h5, const char *name, size_t rows, size_t n, double **values)
{
    bool has;
    *values = NULL;
    MT_TRY(mt_h5_has(h5, name, &has));
    return has ? read_array(scratch, h5, name, rows, &n, values) : MT_OK;
}

static mt_status read_arrays(mt_arena *scratch, mt_h5 *h5, arrays *a)
{
    double *frequency;
    *a = (arrays){.frequency_hz = usual_hz};
    MT_TRY(read_array(scratch, h5, ELECTRIC "egmX", 3, &a->n, &a->place));
    MT_TRY(read_array(scratch, h5, ELECTRIC "annotations/mapAnnot", 1, &a->n, &a->map));
    MT_TRY(read_array(scratch, h5, ELECTRIC "annotations/referenceAnnot", 1, &a->n, &a->reference));
    MT_TRY(read_optional(scratch, h5, ELECTRIC "annotations/woi", 2, a->n, &a->window));
    MT_TRY(read_optional(scratch, h5, ELECTRIC "include", 1, a->n, &a->include));
    MT_TRY(read_optional(scratch, h5, ELECTRIC "sampleFrequency", 1, 1, &frequency));
    if (frequency) a->frequency_hz = *frequency;
    if (a->frequency_hz > 0 && isfinite(a->frequency_hz)) return MT_OK;
    return mt_fail(
        MT_INPUT, "%s: " ELECTRIC "sampleFrequency: found %g; allowed: above 0", h5->path, a->frequency_hz);
}

/* True if a point has an activation inside its window. */
static bool is_valid(const arrays *a, size_t k)
{
    const double after = a->map[k] - a->reference[k];
    if (a->include && a->include[k] == 0) return false;
    if (a->window && !(after >= a->window[k] && after <= a->window[a->n + k])) return false;
    return isfinite(after) && isfinite(a->place[k] + a->place[a->n + k] + a->place[2 * a->n + k]);
}

mt_status mt_lat_openep_read(mt_arena *arena, const char *path, mt_lat_points *points)
{
    MT_SCRATCH(scratch);
    MT_H5_SCOPE(h5);
    arrays a;
    MT_TRY(mt_h5_open(path, h5));
    MT_TRY(read_arrays(scratch, h5, &a));
    MT_ALLOC(arena, points->point, a.n);
    for (size_t k = 0; k < a.n; k++) {
        if (!is_valid(&a, k)) continue;
        points->point[points->n++] =
            (mt_lat_point){.xyz_mm = {a.place[k], a.place[a.n + k], a.place[2 * a.n + k]},
                .lat_ms = (a.map[k] - a.reference[k]) * 1000 / a.frequency_hz,
                .weight = 1,
                .row = k + 1};
    }
    points->n_left_out = a.n - points->n;
    return MT_OK;
}
