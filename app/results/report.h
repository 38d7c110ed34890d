/* The tables and files of a run that has ended or was stopped. */
#pragma once

#include "app/cli/table.h"
#include "app/results/sample_files.h"
#include "app/run/run.h"

enum { MT_RUN_NAME = 64 }; /* with its NUL */

/* Does the case want this map (the activation it always has)? And gives one of a beat, of the whole mesh, in `arena`
 * (solver/outputs/maps.h). */
bool mt_run_has_map(const mt_run *run, mt_map map);
MT_NODISCARD mt_status mt_run_map(
    mt_arena *arena, const mt_run *run, mt_map map, size_t beat, float **values);

/* Computes the conduction velocities of each beat for run->velocities, in `arena`, if the case has their map. MT_MEMORY. */
MT_NODISCARD mt_status mt_run_find_velocities(mt_arena *arena, mt_run *run);

/* Returns what ended a run: the signal, or "its end". */
const char *mt_run_ended_by(const mt_run *run);

/* What files call a map of a beat: "apd90", and "apd90_beat2" of the second. */
void mt_run_map_name(const mt_run *run, mt_map map, size_t beat, char text[MT_RUN_NAME]);

/* How many time steps the profile is of. */
size_t mt_run_counted(const mt_run *run);

/* Cycles of all time steps that the profile is of, without what the host took (ipu_profile.host_cycles). */
uint64_t mt_run_step_cycles(const mt_run *run);

enum { MT_REPORT_TABLES = 12 };

/* Gives the run's tables in `arena`: a summary, what multirate stepping does where the run has it, the maps if there are more than the
 * activation, the first of the limited elements if there are any, activation at the points, and on an emulated machine cycles, exchange,
 * what the host took, and memory; the segments, where there are several. */
MT_NODISCARD mt_status mt_report_tables(
    mt_arena *arena, const mt_run *run, mt_table tables[MT_REPORT_TABLES], size_t *n);

/* Gives a table of the activation times at the points and, if asked for, behind them at the line, a row for each beat; NaN where the
 * wave did not arrive within the simulated time. */
mt_table mt_report_probes(mt_arena *arena, const mt_run *run, bool with_line);

/* Does the profile have a folder of its own, another than the other results? */
bool mt_report_profile_apart(const mt_run *run, const char *folder);

/* The page that a run can be shown as (app/report/html_report.h), which is made of the other files: one of an earlier run goes when they
 * are written. */
extern const char mt_report_page[]; /* "report.html" */

/* Writes result.hdf, the samples over time (app/results/sample_files.h), a picture of each map of each beat (activation.png,
 * activation_beat2.png), the maps at the vertices (app/results/vertex_map.h), activation.csv and used.yaml into the folder, and, on an
 * emulated machine, its profile (ipu/run/profile_files.h) with trace.json (ipu/run/trace_file.h). All of them are one set
 * (data/files/file.h): if one cannot be written, the folder stays as it was. A profile with a folder of its own is a second set, after the
 * first. The folders were entered by these paths. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_report_write(const mt_run *run, const char *folder);

/* Checks before the work that the files of a case can be written there; with the profile of an emulated
 * machine, all its files in the folder `details` (NULL: only profile.json), and a trace. MT_FILE: they cannot; the message says why. */
MT_NODISCARD mt_status mt_report_check(
    const char *folder, const mt_case *input, bool profile, const char *details, bool trace);
