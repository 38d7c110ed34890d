/* The model of a fit: activation times at measured points by the eikonal equation (solver/eikonal/eikonal.h), as a function of parameters,
 * with the exact derivatives of the discrete times (solver/eikonal/tangent.h).
 *
 * Tissue: each group of elements has a factor of its longitudinal CV and one of its anisotropy ratio (longitudinal to transverse), both
 * relative to the case. The default tissue is a group, and so is each region of the case with its own tissue. The ratio of the CV normal to
 * the sheets to the transverse CV remains that of the case. With a = log of the first factor and b of the second, the square of a length
 * in the metric is
 *
 *     s = s_l exp(-2 a) + s_t exp(-2 (a - b)),      s_l, s_t: its longitudinal and its other part in the case
 *
 * Sites: balls around points of a surface that are stimulated at their start. As in `myotile eikonal` the wavefront leaves the ball at the
 * start plus the latency of the stimulus. A vertex in the ball has this time. A vertex outside that shares an element with one inside has
 * this time plus its distance from the ball, in the metric of the element at the site. These times change smoothly with the place of the
 * ball, which a selection of vertices does not. Vertices are searched through elements, so that a ball does not extend across a cavity.
 *
 * Parameters, in this order: (a, b) of each group; of each site its displacement along two tangents [mm] and its start [ms]; and the offset
 * of the measurements [ms]. */
#pragma once

#include "app/eikonal/cell_speeds.h"
#include "app/fit/fit_surface.h"
#include "solver/eikonal/eikonal.h"

enum {
    MT_FIT_GROUPS_MAX = 65, /* regions of a case, and the default tissue */
    MT_FIT_SITES_MAX = 16,
    MT_FIT_PARAMETERS_MAX = 2 * MT_FIT_GROUPS_MAX + 3 * MT_FIT_SITES_MAX + 1
};

/* Tissue with a common factor of CV. */
typedef struct mt_fit_group {
    size_t by;     /* region of the case; MT_MEDIA_WHOLE: default tissue */
    size_t medium; /* of mt_problem.media */
    size_t n_elements;
    double speed_mm_ms
        [3]; /* of the case, in its most frequent cells: longitudinal, transverse, normal to the sheets */
} mt_fit_group;

typedef struct mt_fit_site {
    mt_fit_place place;
    double start_ms;
} mt_fit_site;

typedef struct mt_fit_values {
    double log_speed[MT_FIT_GROUPS_MAX], log_ratio[MT_FIT_GROUPS_MAX]; /* a and b */
    size_t n_sites;
    mt_fit_site site[MT_FIT_SITES_MAX];
    double offset_ms;
} mt_fit_values;

/* The stimulus at a site. */
typedef struct mt_fit_stimulus {
    double radius_mm, duration_ms, strength_uA_mm3;
} mt_fit_stimulus;

typedef struct mt_fit_model {
    const char *path; /* of the case, for messages; borrowed, as the next four */
    const mt_case *input;
    const mt_problem *problem;
    const mt_cell_speeds *speeds;
    const mt_fit_surface *site_surface;
    bool cached;
    mt_fit_stimulus stimulus;
    double *launch_ms; /* [variants] latency of the wavefront; NaN: not yet measured */
    size_t n_groups;
    mt_fit_group group[MT_FIT_GROUPS_MAX];
    mt_eikonal eikonal;
    uint32_t *element;         /* [eikonal.n_elements] numbers in the mesh */
    uint8_t *group_of;         /* [eikonal.n_elements] */
    double (*longitudinal)[6]; /* [eikonal.n_elements] s_l of the edges */
    double (*transverse)[6];   /* [eikonal.n_elements] s_t */
    size_t n_points;           /* the measured points */
    const mt_fit_place *point; /* [n_points] borrowed */
    const uint32_t *corner;    /* [n_points][3] vertices of their triangles */
    double *time_ms;           /* [vertices] of the last solution */
    uint32_t *mark;            /* [vertices] scratch, and its last value */
    uint32_t last_mark;
    size_t n_solutions;
} mt_fit_model;

/* Completes a model in `arena`; path, input, problem, speeds, site_surface, cached and stimulus are set. MT_INPUT: regions overlap so that
 * one has several tissues. Returns the errors of mt_eikonal_make. */
MT_NODISCARD mt_status mt_fit_model_make(mt_arena *arena, mt_fit_model *model);

/* Sets the measured points, which are on `surface`; copies nothing but the corners. MT_MEMORY. */
MT_NODISCARD mt_status mt_fit_model_set_points(
    mt_arena *arena, const mt_fit_surface *surface, size_t n, const mt_fit_place *place, mt_fit_model *model);

/* Return the number of parameters, and the first parameter of a group, of a site, and of the offset. */
static inline size_t mt_fit_of_group(size_t group) { return 2 * group; }
static inline size_t mt_fit_of_site(const mt_fit_model *model, size_t site)
{
    return 2 * model->n_groups + 3 * site;
}
static inline size_t mt_fit_of_offset(const mt_fit_model *model, const mt_fit_values *values)
{
    return mt_fit_of_site(model, values->n_sites);
}
static inline size_t mt_fit_n_parameters(const mt_fit_model *model, const mt_fit_values *values)
{
    return mt_fit_of_offset(model, values) + 1;
}

/* Adds a step to the parameters; sites stay on their surface. */
void mt_fit_model_step(const mt_fit_model *model, const double *step, mt_fit_values *values);
