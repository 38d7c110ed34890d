/* V at the vertices of the surface and of the cut of a page at the moments of a series (mesh/vtk/series.h): the means over the elements
 * that have a vertex (mesh/vertex_mean.h). */
#pragma once

#include "app/report/run_folder.h"
#include "mesh/vertex_mean.h"

/* Where V is shown. */
typedef enum mt_frames_where { MT_FRAMES_SURFACE, MT_FRAMES_CUT, MT_FRAMES_WHERE } mt_frames_where;

typedef struct mt_frames_shown {
    size_t n;        /* moments; 0: the run has no series, or none of V */
    size_t n_there;  /* of the series */
    double *time_ms; /* [n] */
    double
        *v_mV[MT_FRAMES_WHERE]; /* [n][stars[where]->n] NaN where no element of the series has the vertex */
} mt_frames_shown;

/* Gives at most `most` (at least 2) of the moments, the first and the last and others evenly between, in `arena`. MT_INPUT: the series is of
 * another mesh, or damaged. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_frames_shown_read(mt_arena *arena, const mt_run_folder *folder,
    const mt_vertex_stars *const stars[MT_FRAMES_WHERE], size_t most, mt_frames_shown *frames);
