/* A series as a movie: an animated PNG (app/draw/png.h) of a field on the outer surface of a mesh, which any browser plays.
 *
 * The views, the axes and the size are those of mt_picture_map. One scale of colours holds for all frames, and each says its time. What
 * does not move is found once. The same input gives the same bytes, for any number of threads. */
#ifndef MT_APP_DRAW_SCENE_MOVIE_H
#define MT_APP_DRAW_SCENE_MOVIE_H

#include "mesh/adjacency.h"
#include "mesh/mesh.h"

/* Writes the values of a frame into values[n_elements]; NaN where an element has none: it is grey. */
typedef mt_status mt_movie_give(void *context, size_t frame, float *values);

/* Borrowed. Texts are UTF-8. */
typedef struct mt_movie {
    const mt_mesh *mesh;
    const mt_adjacency *adjacency;
    size_t n_frames;       /* above 0 */
    const double *time_ms; /* [n_frames] */
    mt_movie_give *give;
    void *context;                    /* of give */
    const char *title, *label, *unit; /* of the picture; of the values: "Membrane potential", "mV" */
    double low, high; /* of the scale, low < high; what lies beyond has the colour of its end */
    unsigned show_ms; /* how long a frame is shown, 1 to 65535; the last one a second longer */
} mt_movie;

/* Writes it; whole, or not at all. O(elements) time before the first frame, and O(elements that touch the surface + pixels) for each.
 * MT_INPUT: no elements, an adjacency of another mesh, no frames, an empty scale, words that are not UTF-8. MT_MEMORY. MT_FILE. Or what
 * `give` answers. */
MT_NODISCARD mt_status mt_movie_write(const char *path, const mt_movie *movie);

#endif
