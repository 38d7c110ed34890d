/* Units of lengths, and whether numbers are likely in the unit of the mesh. */
#pragma once

#include "data/core/status.h"

/* Returns in *mm the millimetres of "um", "mm", "cm" or "m". MT_INPUT names the four. */
MT_NODISCARD mt_status mt_unit_mm(const char *name, double *mm);
enum { MT_UNIT_SIZE = 64 }; /* bytes of a unit as a file states it, with its final 0 */

/* Meshes of tissue have a longest side from a few cells to the heart of a large animal. */
#define MT_SCALE_LEAST_MM 0.5
#define MT_SCALE_MOST_MM 1000.0

/* A place that is farther from a mesh than this many times the mesh's largest extent is likely in another unit. */
#define MT_SCALE_FAR 10

/* Returns the largest extent of a box. */
double mt_scale_extent_mm(const double low_mm[3], const double high_mm[3]);

/* Returns the distance from a place to a box; 0 inside it. */
double mt_scale_distance_mm(const double low_mm[3], const double high_mm[3], const double at_mm[3]);

/* Returns a text that suggests the unit of a length, "; this looks like micrometres: 1 mm = 1000 um", if the length is more than
 * MT_SCALE_FAR times the extent of the mesh; else "". */
const char *mt_scale_advice(double extent_mm, double length_mm);
