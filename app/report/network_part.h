/* The conduction network of a run as a part of a page: lines with activation times and V in the frames, and the junctions. */
#pragma once

#include "app/report/html.h"
#include "app/report/run_folder.h"

/* The amounts to show and shown. */
typedef struct mt_network_shown {
    size_t most; /* points, if ends and branch points are fewer */
    mt_html_levels frame_levels;
    size_t n_frames; /* of the page */
    const double *time_ms;
    size_t points, all_points; /* out */
} mt_network_shown;

/* Writes the object "network" from network.hdf and junctions.csv of the folder, or null if it has no network. Of the points of the cables
 * between ends and branch points every second, third ... is drawn, so that the lines pass through points of the network with their values.
 * MT_FILE. MT_INPUT: a file is damaged. MT_MEMORY. */
MT_NODISCARD mt_status mt_network_part_put(
    mt_html_part *part, const mt_run_folder *folder, mt_network_shown *shown);
