/* V at the vertices of the surface and of the cut of a page, for the frames of a series (mesh/vtk/series.h): means over the elements at a
 * vertex (mesh/vertex_mean.h). */
#pragma once

#include "app/report/run_folder.h"
#include "mesh/vertex_mean.h"

/* The two displayed meshes. */
typedef enum mt_frames_place { MT_FRAMES_SURFACE, MT_FRAMES_CUT, MT_FRAMES_PLACES } mt_frames_place;

typedef struct mt_frames_shown {
    size_t n;        /* number of frames; 0 if the run has no series of V */
    size_t n_there;  /* number of frames in the series */
    double *time_ms; /* [n] */
    /* [n][stars[where]->n]; NaN if no element of the series has the vertex. */
    double *v_mV[MT_FRAMES_PLACES];
} mt_frames_shown;

/* Reads at most `most` (at least 2) of the frames into `arena`: the first, the last, and others evenly between. Fails with MT_INPUT if the
 * series is damaged or belongs to another mesh, or with MT_FILE. */
MT_NODISCARD mt_status mt_frames_shown_read(mt_arena *arena, const mt_run_folder *folder,
    const mt_vertex_stars *const stars[MT_FRAMES_PLACES], size_t most, mt_frames_shown *frames);
