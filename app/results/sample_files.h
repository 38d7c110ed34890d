/* The files that a run makes of what it took as time passed (app/run/samples.h):
 *
 *   traces.csv, traces.png      V and states at the points: a column for each point and field, "apex V[mV]"
 *   series.hdf, series.xdmf     frames of the elements (mesh/vtk/series.h), with the notes of the run
 *   ecg.csv, ecg.png            the leads of the electrodes (solver/outputs/leads.h) in mV
 *
 * A run that was stopped before the first moment of something has no file of it. */
#pragma once

#include "app/run/samples.h"
#include "mesh/vtk/vtkhdf_grid.h"

/* What they are of; borrowed. */
typedef struct mt_sample_files {
    const mt_sampling *sampling; /* whose frames are open */
    const char *title;
    size_t n_notes;
    const mt_vtkhdf_note *notes; /* of the series */
} mt_sample_files;

/* Writes the requested ones into the folder, in the open set of files, and removes others that an earlier run left there. MT_FILE.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_sample_files_write(const mt_sample_files *files, const char *folder);

/* Can those that a case asks for be written there? MT_FILE. */
MT_NODISCARD mt_status mt_sample_files_check(const mt_case *input, const char *folder);

/* Their names, "traces.csv, ecg.png", for a line of a table; "" where there are none. */
void mt_sample_files_names(const mt_sampling *sampling, char *text, size_t size);
