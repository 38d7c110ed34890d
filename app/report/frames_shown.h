/* V at some vertices of a mesh at the moments of a series (mesh/files/series.h): the means over the elements that have a vertex
 * (mesh/vertex_mean.h). */
#ifndef MT_APP_REPORT_FRAMES_SHOWN_H
#define MT_APP_REPORT_FRAMES_SHOWN_H

#include "app/report/run_folder.h"
#include "mesh/vertex_mean.h"

typedef struct mt_frames_shown {
    size_t n;        /* moments; 0: the run has no series, or none of V */
    size_t n_there;  /* of the series */
    double *time_ms; /* [n] */
    double *v_mV;    /* [n][stars->n] NaN where no element of the series has the vertex */
} mt_frames_shown;

/* Gives at most `most` (at least 2) of the moments, the first and the last and others evenly between, in `arena`. MT_INPUT: the series is of
 * another mesh, or damaged. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_frames_shown_read(mt_arena *arena, const mt_run_folder *folder,
    const mt_vertex_stars *stars, size_t most, mt_frames_shown *frames);

#endif
