/* The error of an eikonal map: its difference to the activation map of a run on the same mesh, of the first beat. At the elements; values
 * at vertices are averaged over the four of an element. */
#pragma once

#include "app/eikonal/eikonal_map.h"

typedef struct mt_eikonal_comparison {
    size_t n;                 /* elements that both activate */
    size_t n_only, n_missing; /* elements that only the eikonal equation activates, and only the run */
    /* differences, eikonal minus run; the last two of their magnitudes. NaN if n is 0 */
    double mean_ms, rms_ms, percentile_95_ms, largest_ms;
    size_t largest_element; /* of the complete mesh */
    double total_ms;        /* latest activation of the run in these elements, after the first one */
} mt_eikonal_comparison;

/* Compares a map with the run in a folder. MT_INPUT: the run has another mesh, or was not activated anywhere. Returns the errors of
 * mt_run_folder_read. */
MT_NODISCARD mt_status mt_eikonal_compare(
    const mt_eikonal_map *map, const char *folder, mt_eikonal_comparison *comparison);
