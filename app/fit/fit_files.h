/* The files of a fit in its folder: those of a run (app/results/run_files.h) with the activation map of the fitted case, by the
 * monodomain equation or, without correction, the eikonal equation, and
 *
 *   fitted.yaml       the case with the fitted conductivities and stimuli, for `myotile run`
 *   fit.csv, parameters.csv, sites.csv, correlation.csv, points.csv
 *   residual.png      measured minus fitted LAT: at each element the mean of the points within 10 mm, weighted by (1 - (d / 10 mm)^2)^2;
 *                     also a map of result.hdf
 *   lat.png           fitted LAT and residual of each point against the measured LAT
 *   report.html       with these maps and tables (app/report/html_report.h), unless output.report is false */
#pragma once

#include "app/fit/lat_fit.h"

/* Checks that the files can be written, before long work. MT_FILE. */
MT_NODISCARD mt_status mt_fit_files_check(const mt_case *input, const char *folder);

/* Writes all files; *page: true if report.html is one of them. The end of the fitted case is moved after its last activation if it is
 * before it, with a warning. Returns the errors of mt_eikonal_map_make and mt_run_files_write. */
MT_NODISCARD mt_status mt_fit_files_write(const mt_lat_fit *fit, const char *folder, bool *page);
