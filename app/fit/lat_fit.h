/* A fit of conduction velocities and sites of earliest activation to local activation times.
 *
 * 1. Points are projected onto the surface (app/fit/lat_places.h).
 * 2. The eikonal model is fitted with one site, then with more (app/fit/site_search.h).
 * 3. Parameters that the points do not determine are set to the values of the case, the worst first, and the others are fitted again: a
 *    CV or ratio with a standard error above a limit. A site above its limit is only reported, as a case has no other value for it.
 * 4. Unless omitted, the fitted values are corrected for the differences between both equations, by curvature and boundaries.
 *    Conductivities realise the fitted CV on this mesh (app/fit/mesh_speed.h). The monodomain equation is solved with them, and the
 *    eikonal model is fitted to the LAT minus the defect, that is the monodomain LAT minus the eikonal ones (app/fit/fit_run.h). This
 *    repeats, with Anderson's acceleration, until no CV or ratio changes by 1 %. Residuals are those of a last run with the final values.
 * 5. Optionally a parametric bootstrap follows: the eikonal model is fitted to its own LAT with the noise of the residuals, with the same
 *    sites and free parameters. The spread of the results is a standard error without linearisation. */
#pragma once

#include "app/fit/fit_run.h"
#include "app/fit/lat_places.h"
#include "app/fit/site_search.h"

enum { MT_FIT_CORRECTIONS_MAX = 6, MT_FIT_CORRECTIONS = 4 };

/* The reason for the value of a parameter. */
typedef enum mt_fit_reason {
    MT_FIT_FITTED,
    MT_FIT_NOT_SELECTED,
    MT_FIT_NOT_IDENTIFIABLE,
    MT_FIT_NO_FIBRES, /* the ratio of a mesh without fibres */
    MT_FIT_REFERENCE, /* the start of the first site */
    MT_FIT_REASONS
} mt_fit_reason;

typedef struct mt_lat_fit_options {
    const char *surface, *site_surface; /* mt_fit_surface_make */
    const char *regions;                /* comma-separated: "default" or numbers of regions; NULL: all */
    size_t n_sites, most_sites;         /* 0: automatic, up to the second */
    double max_distance_mm;             /* of points from the surface */
    double radius_mm;    /* of the balls at the sites; NaN: 2 mm, or three element sizes if that is larger */
    double fibre_sd_deg; /* standard deviation of the fibre angles; 0: they are exact */
    double limit_percent, limit_mm; /* of standard errors */
    size_t corrections;             /* by the monodomain equation; 0: none */
    size_t bootstrap;               /* number of repetitions */
    bool cached;
} mt_lat_fit_options;

typedef struct mt_lat_fit {
    const char *path; /* of the case */
    mt_case input;    /* with absolute paths */
    mt_lat_fit_options options;
    mt_lat_points points; /* as read */
    mt_problem problem;
    mt_cell_speeds speeds;
    mt_fit_surface surface, site_surface;
    mt_fit_model model;
    mt_lat_places places; /* of the points that are used */
    double *fitted_ms;    /* [places.n] with the defect */
    double *defect_ms;    /* [places.n] 0 without correction */
    mt_site_trials trials;
    mt_fit_minimum minimum;
    mt_fit_reason reason[MT_FIT_PARAMETERS_MAX];
    /* standard errors; of a parameter that is not identifiable, that of the fit in which it was free */
    double error[MT_FIT_PARAMETERS_MAX], from_fibres[MT_FIT_PARAMETERS_MAX];
    mt_fit_covariance covariance;
    double rms_ms;
    size_t n_corrections;
    double change_percent[MT_FIT_CORRECTIONS_MAX], defect_rms_ms[MT_FIT_CORRECTIONS_MAX];
    mt_fit_factors factors; /* of the conductivities */
    double late
        [2 *
            MT_FIT_GROUPS_MAX]; /* expected errors of activation times on this mesh (mt_mesh_speed_realise) */
    mt_fit_run *run;            /* with the final values; NULL without correction */
    double spread[MT_FIT_PARAMETERS_MAX]; /* standard deviations of the bootstrap; NaN without */
} mt_lat_fit;

/* Computes the fit of fit->input to fit->points, in `arena`. path, input, options and points are set; `fit` must not be moved afterwards.
 * Reports progress and warns. MT_INPUT: the case has a conduction network or a start state, `regions` is invalid, or there are too few
 * points. Returns the errors of the parts. */
MT_NODISCARD mt_status mt_lat_fit_make(mt_arena *arena, mt_lat_fit *fit);

/* True if a parameter of a CV or a site was fitted but its standard error exceeds the limit. */
bool mt_lat_fit_exceeds(const mt_lat_fit *fit, size_t parameter);
