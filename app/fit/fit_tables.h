/* The tables of a fit. */
#pragma once

#include "app/cli/table.h"
#include "app/fit/lat_fit.h"

enum { MT_FIT_TABLES = 6, MT_FIT_PARAMETER_NAME = 48 };

/* Writes the name of a parameter: "cv_default", "ratio_region2", "site1_along1", "site1_start", "offset". */
const char *mt_fit_parameter_name(const mt_lat_fit *fit, size_t parameter, char text[MT_FIT_PARAMETER_NAME]);

/* Return single tables in `arena`, complete or with an error: a summary; CV and ratios; sites; correlations of free parameters; points. */
mt_table mt_fit_summary_table(mt_arena *arena, const mt_lat_fit *fit);
mt_table mt_fit_parameters_table(mt_arena *arena, const mt_lat_fit *fit);
mt_table mt_fit_sites_table(mt_arena *arena, const mt_lat_fit *fit);
mt_table mt_fit_correlation_table(mt_arena *arena, const mt_lat_fit *fit);
mt_table mt_fit_points_table(mt_arena *arena, const mt_lat_fit *fit);

/* Builds the printed tables in `arena`, complete or with an error: a summary, the trials with growing numbers of sites, CV and ratios,
 * sites, strong correlations if any, and the corrections if any. Returns their number. */
size_t mt_fit_tables(mt_arena *arena, const mt_lat_fit *fit, mt_table tables[MT_FIT_TABLES]);
