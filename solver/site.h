/* Where a stimulus acts: some of a mesh's cells, in words that stand in a case.
 *
 *   min_mm, max_mm         a box
 *   centre_mm, radius_mm   a sphere
 *   at: apex, radius_mm    a sphere around the apex of the left ventricle (mt_landmarks)
 *   surface                a surface, by name or number: the cells with a face on it, and with depth_mm those
 *                          whose centre is that near; may be given together with a box or a sphere
 *   vtx                    a file with a list of vertices, numbered as in the mesh's file (mesh/files/vtx.h): the cells
 *                          that have one of them; may be given together with all others. openCARP's stimulus at a
 *                          node acts on the part of these cells around it: a quarter of each
 *
 * A cell is in a box or a sphere when its centroid is, borders included: to 1e-12 of the mesh's largest coordinate, so that of
 * cells on a border rounding does not take some and leave others (the border of the benchmark's stimulus, at 1.5 mm, goes
 * through centroids of boxes of 0.2 mm). A site reaches the cells that are in all that is given. */
#ifndef MT_SOLVER_SITE_H
#define MT_SOLVER_SITE_H

#include "mesh/mesh.h"

/* What is not given is NaN or "". */
typedef struct mt_site {
    const char *at; /* "apex" */
    double centre_mm[3], radius_mm;
    double min_mm[3], max_mm[3];
    const char *surface;
    double depth_mm; /* given where surface is, once checked */
    const char *vtx; /* path */
} mt_site;

/* Checks what keys must agree on, and fills in depth_mm. MT_INPUT; the message begins with the key's name and
 * has what is allowed. */
MT_NODISCARD mt_status mt_site_check(mt_site *site);

/* Gives the cells of a mesh that a checked site reaches, ascending; borrows both. MT_INPUT where it reaches
 * none (the message has how far it is from the nearest cell's centre), the mesh lacks the tagged triangles
 * that it needs, or something is wrong with the file of vertices. MT_FILE: that cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status mt_site_cells(
    mt_arena *arena, const mt_site *site, const mt_mesh *mesh, size_t *n, uint32_t **cells);

#endif
