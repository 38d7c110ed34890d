/* The tables and files of a run that has ended or was stopped. */
#pragma once

#include "app/cli/table.h"
#include "app/results/sample_files.h"
#include "app/run/run.h"

enum { MT_RUN_NAME = 64 }; /* with its NUL */

/* True if the case has this map; it always has the activation. */
bool mt_run_has_map(const mt_run *run, mt_map map);

/* Returns the places of the values of maps: the elements or the vertices of the complete mesh. */
mt_unknowns mt_run_places(const mt_run *run);

/* Computes a map of a beat for the complete mesh, in `arena`, one value for each of mt_run_places (solver/outputs/maps.h). */
MT_NODISCARD mt_status mt_run_map(
    mt_arena *arena, const mt_run *run, mt_map map, size_t beat, float **values);

/* Same, for the elements of the complete mesh: with voltages at the vertices the mean of the four of an element, NaN if one is NaN. */
MT_NODISCARD mt_status mt_run_map_of_elements(
    mt_arena *arena, const mt_run *run, mt_map map, size_t beat, float **values);

/* Computes the conduction velocities of each beat for run->velocities, in `arena`, if the case has their map. */
MT_NODISCARD mt_status mt_run_find_velocities(mt_arena *arena, mt_run *run);

/* Returns the reason for the end of a run: the signal, or "its end". */
const char *mt_run_ended_by(const mt_run *run);

/* Writes the name of a map of a beat in files: "apd90", and "apd90_beat2" for the second beat. */
void mt_run_map_name(const mt_run *run, mt_map map, size_t beat, char text[MT_RUN_NAME]);

/* Returns the number of time steps that the profile covers. */
size_t mt_run_profiled_steps(const mt_run *run);

/* Returns the cycles of all time steps that the profile covers, without host transfers (ipu_profile.host_cycles). */
uint64_t mt_run_step_cycles(const mt_run *run);

enum { MT_RUN_TABLES = 20 };

/* Builds the tables of a run in `arena`: a summary; the discretisation, if it was chosen (app/run/placing.h); the measured fronts
 * (app/run/fronts.h), if any; the channels (mesh/anatomy/channels.h), if any; multirate stepping and tabulated evaluation, if used; the
 * maps, if there are others than the activation; the first limited elements, if any; the conduction network, if any; activation at the
 * points; QRS complexes (app/results/qrs_tables.h), with electrodes; on an emulated machine cycles, exchange, host transfers and memory;
 * the segments, if there are several. */
MT_NODISCARD mt_status mt_run_tables(
    mt_arena *arena, const mt_run *run, mt_table tables[MT_RUN_TABLES], size_t *n);

/* Builds a table of the activation times at the points and, for `with_line`, at the line after them, with a row for each beat. NaN if a
 * place was not activated within the simulated time. */
mt_table mt_run_probes_table(mt_arena *arena, const mt_run *run, bool with_line);

/* The residuals of a fit (app/fit), a further map of result.hdf, without its values. */
extern const mt_run_more_map mt_run_residual;

/* The note in result.hdf with the choice of the discretisation (mt_placing_text), if it was chosen. */
extern const char mt_run_choice_note[],
    mt_run_device_note[]; /* the second: why the bits may differ from those of the host */

/* Writes the case of a run with every value used, and the machine as a comment, as text in `arena`: used.yaml. MT_MEMORY. */
MT_NODISCARD mt_status mt_run_used_text(mt_arena *arena, const mt_run *run, const char **text);

/* True if the profile has another folder than the other results. */
bool mt_run_has_profile_folder(const mt_run *run, const char *folder);

/* The page of a run (app/report/html_report.h), built from the other files. A page of an earlier run is deleted when they are written. */
extern const char mt_run_report_page[]; /* "report.html" */

/* Writes the results into the folder: result.hdf, the time series (app/results/sample_files.h), a picture of each map of each beat
 * (activation.png, activation_beat2.png) unless output.pictures is false, the maps at the vertices (app/results/vertex_map.h),
 * activation.csv, used.yaml, with a conduction network network.vtp, network.hdf (and .xdmf), network.csv and junctions.csv
 * (app/results/network_files.h), and with electrodes qrs.csv, the first table of app/results/qrs_tables.h. On an emulated machine also
 * the profile (ipu/run/profile_files.h) with trace.json (ipu/run/trace_file.h). All files are one set (data/files/file.h): the folder is
 * unchanged if one cannot be written. A profile in another folder is a second set, written after the first. The folders were entered by
 * these paths. Fails with MT_FILE. */
MT_NODISCARD mt_status mt_run_files_write(const mt_run *run, const char *folder);

/* Same, and calls `more`, which writes further files into the folder, as a part of the set. Also returns its errors. */
typedef mt_status mt_run_files_more(const void *context, const char *folder);
MT_NODISCARD mt_status mt_run_files_write_more(
    const mt_run *run, const char *folder, mt_run_files_more *more, const void *context);

/* Checks, before long computations, that the files of a case can be written into a folder.
 * `profile`: true for the profile of an emulated machine; `details`: folder for all its files, or NULL for profile.json only;
 * `trace`: true for a trace. Fails with MT_FILE; the message has the reason. */
MT_NODISCARD mt_status mt_run_files_check(
    const char *folder, const mt_case *input, bool profile, const char *details, bool trace);
