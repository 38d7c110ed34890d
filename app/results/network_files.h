/* The results of the conduction network of a run: network.vtp, network.hdf, network.xdmf, network.csv, junctions.csv, and its lines in
 * pictures. */
#pragma once

#include "app/cli/table.h"
#include "app/draw/scene/picture.h"
#include "app/run/run.h"
#include "mesh/vtk/vtkhdf_grid.h"

/* Writes the points of the cables with the activation times of each beat [ms], NaN if not activated, and the segments' kinds and radii.
 * MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_run_network_write(const mt_run *run, const char *path);

/* True if the run stored V of its network. */
bool mt_run_has_network_frames(const mt_run *run);

/* Writes the same as VTKHDF (mesh/network/network_hdf.h), with V of the points at the times of the series, if there is one. MT_FILE.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_run_network_write_hdf(
    const mt_run *run, size_t n_notes, const mt_vtkhdf_note *notes, const char *path);

/* Builds the lines of the network for a picture of the activation of a beat. MT_MEMORY. */
MT_NODISCARD mt_status mt_run_network_picture(
    mt_arena *arena, const mt_run *run, size_t beat, mt_network_lines *picture);

/* Builds a table with a row for each junction and beat: the place of its free end, the activation times of both sides, their difference
 * (whatever the passage is), and the passage (mt_passage). */
mt_table mt_run_junctions_table(mt_arena *arena, const mt_run *run);

/* Builds the summary of the network: its size, and for each beat the passages of its junctions with their median delays. MT_MEMORY. */
MT_NODISCARD mt_status mt_run_network_table(mt_arena *arena, const mt_run *run, mt_table *table);

/* Numbers of junctions of a beat. */
typedef struct mt_run_junctions {
    size_t failed; /* reached by a wavefront that did not pass */
    size_t open;   /* reached too shortly before the end of the beat or run to tell (MT_PASSAGE_OPEN) */
} mt_run_junctions;

mt_run_junctions mt_run_junctions_count(const mt_run *run, size_t beat);

/* Returns the names of the network's files for a list, "network.vtp, network.hdf, ", or "" without a network. */
const char *mt_run_network_names(const mt_run *run);
