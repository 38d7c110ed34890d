/* Ventricular coordinates: the position of each vertex in the ventricles of any heart, as four numbers with the same meaning in all.
 *
 * The coordinates are those of S. Schuler et al., Med. Image Anal. 74 (2021) 102247 (Cobiveco), except that the transmural coordinate has
 * the opposite direction, as has the depth of mesh/anatomy/fibres.h:
 *
 *   transventricular  0 in the left, 1 in the right ventricle. Jumps on the septal surface
 *   transmural        0 on the endocardium of either ventricle, 1 on the epicardium and on the septal surface
 *   rotational        in each ventricle from 0 at the posterior through the free wall to 2/3 at the anterior interventricular junction, and
 *                     through the septum to 1 at the posterior one, where it jumps to 0. The jump is the only one
 *   apicobasal        0 at the apex, 1 on the base
 *
 * All but the first are linear in distance along their trajectories: the ratio d / (d + d') of the distances d and d' along a trajectory to
 * its two ends (mesh/anatomy/trajectory.h). Solutions of Laplace's equation only direct the trajectories. With Dirichlet values and no flux
 * through the rest of the surface,
 *
 *   u     0 on the left, 1 on the right endocardium. The septal surface is u = 1/2
 *   w     0 on the endocardia, 1 on the epicardium and the septal surface
 *   r     0 on the epicardium, 1 on the septal surface, 1/2 where they meet. The septum is r > 1/2, the free walls are r < 1/2, and the
 *         ridges between them are r = 1/2
 *   psi   0 at the apex, 1 on the base
 *   phi   0 on the posterior, 1 on the anterior ridge
 *
 *   T_w = +-grad w / |grad w|, from left to right     transmural trajectories; + in the left ventricle
 *   T_phi = T_w x grad psi / |..|                     rotational ones, at constant transmural coordinate; the reverse in the septum
 *   T_psi = T_w x grad f / |..|                       apicobasal ones, at constant transmural and rotational coordinates
 *
 * with f = d / (d + d') between the ridges: rotational = 2/3 f in a free wall and 1 - f/3 in the septum. The mesh is cut along the septal
 * surface and the ridges for this (mesh/anatomy/level_cut.h); results are those of its own vertices.
 *
 * Axes. The long axis points from the apex of the left ventricle (mt_landmarks) to the centre of the rim between left endocardium and base.
 * The septal normal is the vector area of the septal surface, from left to right, perpendicular to the long axis; posterior is normal x
 * long axis. A ridge is posterior if it is on that side of the plane through the centre of the left endocardium (its centre of area), long
 * axis and septal normal. The apex is where this plane intersects the ridges below that centre, in whole vertices. Schuler et al. obtain
 * the axes from principal components, and follow the curve of the septal surface on the epicardium.
 *
 * A left ventricle alone has no septum. A direction towards the septum replaces it: the septum is the sector within 60 degrees of that
 * direction around the long axis, which passes through the apex. Without a direction, the x axis of the file replaces it, or the y axis if
 * the long axis is within 45 degrees of x: arbitrary, but the same for the same file.
 *
 * Accuracy: the surfaces deviate from the level sets by up to a tenth of an edge, the apex by half an edge. At the apex all rotational
 * values meet. Between vertices on both sides of the jump (0 and 1), interpolate the angle 2 pi x rotational, not the number. */
#pragma once

#include "mesh/anatomy/fibres.h"

/* Invariants: 0 <= every coordinate <= 1; transventricular is 0 or 1, and 0 without a right ventricle; the vertices of tagged surfaces
 * have the values above exactly. Vertices without elements have 0. */
typedef struct mt_coordinates {
    size_t n_vertices;
    bool has_rv;
    bool arbitrary;           /* true if the direction towards the septum is arbitrary */
    double *transventricular; /* [n_vertices] and so on */
    double *transmural;
    double *rotational;
    double *apicobasal;
    double up[3];        /* long axis, from apex to base */
    double to_septum[3]; /* septal normal, from left to right */
    size_t n_apex;       /* vertices of the apex in the cut mesh */
    /* mean length of the transmural trajectories from the endocardium to the epicardium or the septal surface, of the left and the right
     * ventricle, weighted by volume; 0 without a right ventricle */
    double wall_mm[2];
    double nonlinearity;    /* root mean square of |grad transmural| (d + d') - 1, weighted by volume */
    size_t most_iterations; /* of the solutions of Laplace's equation */
} mt_coordinates;

/* Computes the coordinates in `arena`. Borrows the mesh, which has passed mt_mesh_check, with triangles tagged BASE, EPI and LV; RV is
 * optional. to_septum: a direction towards the septum, only for a mesh without RV; NULL: none. The result has the same bits for any number
 * of threads. MT_INPUT: a surface is missing; a direction is given for a mesh with RV, is 0 or along the long axis; the septal surface does
 * not divide the ventricles from apex to base; see also mt_landmarks_find and mt_laplace_make. MT_NUMERICS: see mt_laplace_solve and
 * mt_trajectory_distance. MT_MEMORY. Memory: about 2 kB per vertex, freed. */
MT_NODISCARD mt_status mt_coordinates_make(
    mt_arena *arena, const mt_mesh *mesh, const double *to_septum, mt_coordinates *coordinates);

/* Stores the coordinates in the mesh, which borrows them. */
void mt_coordinates_put(const mt_coordinates *coordinates, mt_mesh *mesh);

/* Returns the mean of n rotational coordinates as angles; 0 if it is undefined. */
double mt_coordinates_mean_rotational(size_t n, const double *rotational);
