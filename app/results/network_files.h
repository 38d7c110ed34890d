/* The results of the conduction network of a run: network.vtp, junctions.csv and a table. */
#pragma once

#include "app/cli/table.h"
#include "app/run/run.h"

/* Writes the points of the cables with the activation times of each beat [ms], NaN if not activated, and the segments' kinds and radii.
 * MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_run_network_write(const mt_run *run, const char *path);

/* Builds a table with a row for each junction and beat: the place of its free end, the activation times of both sides, their difference,
 * and
 * the passage (mt_passage). */
mt_table mt_run_junctions_table(mt_arena *arena, const mt_run *run);

/* Builds the summary of the network: its size, and for each beat the passages of its junctions. */
mt_table mt_run_network_table(mt_arena *arena, const mt_run *run);

/* Returns the names of the network's files for a list, "network.vtp, junctions.csv, ", or "" without a network. */
const char *mt_run_network_names(const mt_run *run);
