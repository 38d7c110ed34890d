/* The sources of a site of a fit (app/fit/fit_model.h): times and their derivatives at the vertices in and next to its ball. */
#pragma once

#include "app/fit/fit_model.h"

/* The sources of all sites. */
typedef struct mt_site_sources {
    size_t n, room;
    mt_eikonal_source *source;
    double *slope; /* [n][n_parameters] */
    size_t n_parameters;
} mt_site_sources;

/* Appends the sources of a site, in `arena`. MT_INPUT: its stimulus does not capture the cells there. MT_MEMORY. */
MT_NODISCARD mt_status mt_site_sources_add(
    mt_arena *arena, mt_fit_model *model, const mt_fit_values *values, size_t site, mt_site_sources *sources);
