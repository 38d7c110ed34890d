/* The files of the time series of a run (app/run/samples.h):
 *
 *   traces.csv, traces.png      V and states at the points: a column for each point and field, "apex V[mV]"
 *   series.hdf, series.xdmf     frames of the elements or vertices (mesh/vtk/series.h), with the notes of the run
 *   ecg.csv, ecg.png            the leads of the electrodes (solver/outputs/leads.h) in mV
 *
 * A run that was stopped before the first sample of a kind has no file of it. */
#pragma once

#include "app/run/samples.h"
#include "mesh/vtk/vtkhdf_grid.h"
#include "solver/outputs/leads.h"

/* The data of the files; borrowed. */
typedef struct mt_sample_files {
    const mt_sampling *sampling; /* with open frames */
    const char *title;
    size_t n_notes;
    const mt_vtkhdf_note *notes; /* of the series */
} mt_sample_files;

/* Writes the requested files into the folder, in the open set of files, and deletes the other ones of an earlier run. Fails with MT_FILE.
 * */
MT_NODISCARD mt_status mt_sample_files_write(const mt_sample_files *files, const char *folder);

/* Checks that the files that a case requests can be written into the folder. Fails with MT_FILE. */
MT_NODISCARD mt_status mt_sample_files_check(const mt_case *input, const char *folder);

/* Writes their names, "traces.csv, ecg.png", for a row of a table; "" if there are none. */
void mt_sample_files_names(const mt_sampling *sampling, char *text, size_t size);

/* Reads the traces of a case that has them: columns such as "apex V[mV]", the n times, and the values [n][n_columns]. Fails with MT_FILE or
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_sample_traces(mt_arena *arena, const mt_sampling *sampling, size_t *n_columns,
    const char *const **column, size_t *n, const double **time_ms, const double **value);

/* Reads the samples of a case with electrodes: the leads, the n times, and the values [n][leads->n]. Fails with MT_FILE or MT_MEMORY. */
MT_NODISCARD mt_status mt_sample_leads(mt_arena *arena, const mt_sampling *sampling, mt_leads *leads,
    size_t *n, const double **time_ms, const double **lead_mV);
