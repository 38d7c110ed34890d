/* Stimuli: which elements of a mesh get current, and in which time steps.
 *
 * A case names the elements by a region:
 *
 *   min_mm, max_mm         a box
 *   centre_mm, radius_mm   a sphere
 *   at: apex, radius_mm    a sphere around the apex of the left ventricle (mt_landmarks)
 *   surface                a surface, by name or number: the elements with a face on it, and with depth_mm those
 *                          whose centre is that near; may be given together with a box or a sphere
 *   vtx                    a file with a list of vertices, numbered as in the mesh's file (mesh/files/vtx.h): the elements
 *                          that have one of them; may be given together with all others. openCARP's stimulus at a
 *                          node acts on the part of these elements around it: a quarter of each
 *
 * An element is in a box or a sphere when its centroid is, borders included: to 1e-12 of the mesh's largest coordinate, so that of
 * elements on a border rounding does not take some and leave others (the border of the benchmark's stimulus, at 1.5 mm, goes
 * through centroids of boxes of 0.2 mm). A region reaches the elements that meet all of its conditions. */
#ifndef MT_SOLVER_STIMULUS_H
#define MT_SOLVER_STIMULUS_H

#include <stdbool.h>

#include "mesh/mesh.h"

/* The region of a stimulus as a case gives it. What is not given is NaN or "". */
typedef struct mt_stimulus_region {
    const char *at; /* "apex" */
    double centre_mm[3], radius_mm;
    double min_mm[3], max_mm[3];
    const char *surface;
    double depth_mm; /* given where surface is, once checked */
    const char *vtx; /* path */
} mt_stimulus_region;

/* Checks what keys must agree on, and fills in depth_mm. MT_INPUT; the message begins with the key's name and
 * has what is allowed. */
MT_NODISCARD mt_status mt_stimulus_region_check(mt_stimulus_region *region);

/* Gives the elements of a mesh that a checked region reaches, ascending; borrows both. MT_INPUT where it reaches
 * none (the message has how far it is from the nearest element's centre), the mesh lacks the tagged triangles
 * that it needs, or something is wrong with the file of vertices. MT_FILE: that cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status mt_stimulus_region_elements(
    mt_arena *arena, const mt_stimulus_region *region, const mt_mesh *mesh, size_t *n, uint32_t **elements);

/* Elements that get current from start_ms for duration_ms, and again after each of `repeats` periods. A step is
 * stimulated when its start lies in [start, start + duration) or as much later, all of them rounded to whole
 * steps; duration < period in steps. */
typedef struct mt_stimulus {
    double start_ms, duration_ms;
    double rise_mV_ms; /* strength / (chi Cm) */
    size_t n_elements;
    const uint32_t *element; /* [n_elements] ascending */
    double period_ms;        /* not looked at where repeats is 0 */
    size_t repeats;
} mt_stimulus;

/* Is the stimulus on in the step with this number? */
bool mt_stimulus_is_on(const mt_stimulus *stimulus, double dt_ms, size_t step);

/* The first step after `step`, at most `end`, at which the stimulus is switched on or off. */
size_t mt_stimulus_next_switch(const mt_stimulus *stimulus, double dt_ms, size_t step, size_t end);

#endif
