/* Local activation times (LAT) measured with an electroanatomical mapping system, and their places.
 *
 * CSV: a header with the columns x_mm, y_mm, z_mm, lat_ms and, optionally, weight (relative, above 0) or sd_ms (standard deviation of the
 * measurement). Any order; other columns are refused.
 *
 * MATLAB file of version 7.3 (HDF5) in the data format of OpenEP (openep.io): the struct `userdata` with, for n points and in MATLAB's
 * shapes,
 *
 *     electric.egmX [n][3]                  places [mm]; electric.egmSurfX, on the system's own surface, is not used
 *     electric.annotations.mapAnnot [n]     sample of the activation
 *     electric.annotations.referenceAnnot [n]
 *     electric.annotations.woi [n][2]       window of interest, relative to the reference; optional
 *     electric.sampleFrequency              [Hz]; 1000 if missing
 *     electric.include [n]                  0: left out by the operator; optional
 *
 * LAT = (mapAnnot - referenceAnnot) / sampleFrequency. Points outside of their window, points that are left out, and points with a value
 * that is not finite are not read; their number is reported. */
#pragma once

#include <stdbool.h>

#include "data/core/arena.h"
#include "data/core/status.h"

typedef struct mt_lat_point {
    double xyz_mm[3], lat_ms;
    double weight; /* relative, or 1 / sd^2 [1/ms^2] */
    size_t row;    /* line of the CSV, or number of the point in the MATLAB file, from 1 */
} mt_lat_point;

typedef struct mt_lat_points {
    const char *path; /* borrowed */
    size_t n, n_left_out;
    mt_lat_point *point; /* [n] */
    bool has_sd;         /* true if weights follow from standard deviations */
} mt_lat_points;

/* Reads the points of a file into `arena`, at least one. MT_FILE: it cannot be read. MT_MEMORY. MT_INPUT: a column or array is missing,
 * unknown, repeated or invalid; the message has the file, the line or array, the column and the value found. */
MT_NODISCARD mt_status mt_lat_points_read(mt_arena *arena, const char *path, mt_lat_points *points);

/* ---- for app/fit/lat_openep.c */

/* Reads a file of OpenEP. Returns the errors of mt_lat_points_read. */
MT_NODISCARD mt_status mt_lat_openep_read(mt_arena *arena, const char *path, mt_lat_points *points);
