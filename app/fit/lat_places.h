/* Measured points on the surface of a heart.
 *
 * Coordinates and times in another unit would be fitted, too, with wrong CV. Checks of the points within the largest distance:
 *
 *     extent of the points < element size                          refused: coordinates in m, or all points at one place
 *     extent of the points < a fifth of that of the tissue         a warning: coordinates in cm, or a map of a part
 *     extent / range of the LAT outside of 0.01 to 20 mm/ms        refused: times in s or us, or an outlier
 *
 * Extents are largest sides of boxes. Tissue conducts at 0.1 to 1 mm/ms, a conduction system at 2 to 4 mm/ms. */
#pragma once

#include "app/fit/fit_surface.h"
#include "app/fit/lat_points.h"

/* The points that are close enough to the surface. */
typedef struct mt_lat_places {
    size_t n, n_far;         /* used, and left out */
    uint32_t *point;         /* [n] their numbers in the file's points */
    mt_fit_place *place;     /* [n] */
    double *lat_ms;          /* [n] */
    double *weight;          /* [n] */
    double mean_mm, most_mm; /* distance of all points from the surface */
} mt_lat_places;

/* Projects the points, in `arena`. name: of the surface, for messages. Warns of points that are left out or repeated. MT_INPUT: no point is
 * within max_mm of the surface, or a check above fails; the message has the file, the lines and the values. MT_MEMORY. */
MT_NODISCARD mt_status mt_lat_places_make(mt_arena *arena, const mt_lat_points *points,
    const mt_fit_surface *surface, const char *name, double max_mm, mt_lat_places *places);
