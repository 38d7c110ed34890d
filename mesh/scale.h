/* Units of length, and a plausibility check of the unit of a mesh. */
#pragma once

#include "data/core/status.h"

/* Returns in *mm the length in millimetres of one "um", "mm", "cm" or "m". MT_INPUT: another unit. */
MT_NODISCARD mt_status mt_unit_mm(const char *name, double *mm);
enum { MT_UNIT_SIZE = 64 }; /* buffer size of the name of a unit in a file, with the terminating 0 */

/* Plausible range of the extent of a tissue mesh: from a few myocytes to the heart of a large animal. */
#define MT_SCALE_LEAST_MM 0.5
#define MT_SCALE_MOST_MM 1000.0

/* A point is likely given in another unit if its distance from the mesh exceeds this multiple of the mesh's largest extent. */
#define MT_SCALE_FAR 10

/* Returns the largest extent of a box. */
double mt_scale_extent_mm(const double low_mm[3], const double high_mm[3]);

/* Returns the distance from a point to a box; 0 inside the box. */
double mt_scale_distance_mm(const double low_mm[3], const double high_mm[3], const double at_mm[3]);

/* Returns a suggestion about the unit, such as "; this looks like micrometres: 1 mm = 1000 um", if a length exceeds MT_SCALE_FAR times the
 * extent of the mesh; else "". */
const char *mt_scale_advice(double extent_mm, double length_mm);
