/* Rule-based fibres by the Laplace-Dirichlet method (J. D. Bayer et al., Ann. Biomed. Eng. 40 (2012) 2243): the fibre direction of each
 * element from its position in the wall. For a left ventricle or both ventricles, truncated at the base; not for atria, outflow tracts or
 * measured fibres.
 *
 * Rule. phi_lv is 1 on the left endocardium and 0 on the right endocardium and the epicardium; phi_rv vice versa; phi_epi =
 * 1 - phi_lv - phi_rv; psi is 0 at the apex and 1 on the base. All four solve Laplace's equation. Their gradients define a frame for the
 * inner and one for the outer surface in each element (mesh/anatomy/frame.h), rotated by the angles below. The element's frame is
 * interpolated between them:
 *
 *   d = phi_rv / (phi_lv + phi_rv)
 *   inner angle  endo (1 - d) - endo d         (from endo to -endo through the septum)
 *   outer angle  endo (1 - w) + epi w          w = phi_epi (MT_FIBRES_BAYER) or sqrt(phi_epi)
 *   frame        interpolated between the inner frames of both ventricles by d, then between the result and the outer frame by w.
 *
 * The value of an element is the mean over its vertices, clamped to 0 .. 1.
 *
 * Depth and layers. In a free wall phi_epi is the transmural depth; in the septum it is 0 everywhere. Therefore
 *
 *   depth = 1 - max(phi_lv, phi_rv)
 *
 * which equals phi_epi if phi_lv or phi_rv is 0; in the septum it is 0 on both sides and 1/2 in the middle. The layers are intervals of
 * the depth (similar to L. E. Perotti et al., Int. J. Numer. Meth. Biomed. Eng. 31 (2015), doi:10.1002/cnm.2718). The septum is therefore
 * endocardial on both sides with a middle layer between (M cells are found deep in it: S. Sicouri et al., J. Cardiovasc. Electrophysiol. 5
 * (1994) 824). It has an outer layer only if the share of that layer is above 1/2; other codes call the right side of the septum
 * epicardial. Shares are shares of depth, not of thickness or volume: depth is linear in distance through a flat wall only, and increases
 * faster near the inner surface of a curved one.
 *
 * An angle is positive if the fibre rises towards the base counter-clockwise as seen from the base. With the usual +60 at the endocardium
 * and -60 at the epicardium, the outer fibres are a left-handed helix. Fibres are axes: f and -f are equivalent.
 *
 * Degenerate elements get directions, too, never NaN. If psi is constant (all vertices of the element are on the base), the apex-to-base
 * direction is the normal of the base plane. If one ventricle or surface yields no frame, the others are used. If none does (all vertices
 * are on the epicardium), the element copies the directions of its lowest-numbered face neighbour that has them; this is repeated in
 * rounds until all elements have directions. */
#pragma once

#include <stdbool.h>

#include "mesh/adjacency.h"
#include "mesh/anatomy/laplace.h"

typedef enum mt_fibres_variant {
    /* Angles are continuous and linear in phi_epi through a free wall. The sign of the frame's directions follows from the
     * construction: columns 0 and 2 of the inner frame are reversed if d > 1/2 (the "adapted" rule of KIT's LDRB_Fibers). */
    MT_FIBRES_SMOOTH,
    /* As published: interpolation starts from the closest of four equivalent rotations. If the angles differ by more than 90
     * degrees, the fibres flip on a surface within the free walls. */
    MT_FIBRES_BAYER
} mt_fibres_variant;

typedef struct mt_fibres_rule {
    mt_fibres_variant variant;
    double endo_deg, epi_deg;             /* helix angle of the fibre, -90 .. 90 */
    double sheet_endo_deg, sheet_epi_deg; /* sheet angle from the transmural direction, -90 .. 90 */
    double layer_share[3]; /* shares of depth: inner, middle, outer; each >= 0, sum 1 to 1e-6 */
    double tolerance;      /* of mt_laplace_solve */
    size_t max_iterations;
} mt_fibres_rule;

/* MT_FIBRES_SMOOTH, 60 and -60, 0 and 0 degrees, thirds, 1e-10, 10000. (About 30 % of the human left wall are M
 * cells, the middle layer: E. Drouin et al., J. Am. Coll. Cardiol. 26 (1995) 185.) */
extern const mt_fibres_rule mt_fibres_rule_default;

/* Invariants: fibre, sheet and normal of an element are orthonormal to 1e-12, fibre x sheet = normal;
 * 0 <= depth <= 1; layer is one of mt_layer; n_jumps <= n_inner_faces. */
typedef struct mt_fibres {
    size_t n_elements, n_vertices;
    bool has_rv;    /* true if there is a right endocardium */
    double *fibre;  /* [n_elements][3] */
    double *sheet;  /* [n_elements][3] transverse, in the sheet; transmural if the sheet angle is 0 */
    double *normal; /* [n_elements][3] sheet normal */
    double *depth;  /* [n_elements] transmural depth: 0 at the endocardium, 1 at the epicardium */
    int32_t *layer; /* [n_elements] mt_layer; layers with share 0 do not occur */
    double *phi_lv; /* [n_vertices] the solution, slightly outside 0 .. 1 near obtuse elements */
    double *phi_rv; /* [n_vertices] likewise; 0 without a right ventricle */
    double *psi;    /* [n_vertices] */
    mt_laplace_convergence lv, rv, apex_base;
    size_t n_apex;         /* number of vertices with psi = 0 */
    size_t n_psi_constant; /* elements with the base normal in place of grad psi */
    size_t n_copied;       /* elements with directions copied from a neighbour */
    size_t n_inner_faces;
    size_t n_jumps;         /* inner faces between fibre axes more than 30 degrees apart */
    double layer_volume[3]; /* volume fractions: inner, middle, outer; sum 1 */
} mt_fibres;

/* Landmarks of a heart: base plane, long axis, ventricles and apex.
 *
 * The apex is the apex of the left ventricle, even if the right ventricle extends lower. The lowest point of the left cavity is the left
 * endocardial vertex farthest below the base plane; its distance to the nearest epicardial vertex is the local wall thickness. The apex is
 * the epicardial vertex farthest below the base within twice that distance. */
typedef struct mt_landmarks {
    double base_mm[3]; /* centroid of the base's vertices, on their fitted plane */
    double up[3];      /* unit normal of that plane, from apex to base */
    double lv_mm[3];   /* centroid of the vertices of the left endocardium */
    /* unit vector perpendicular to `up`, from the centroid of the left to that of the right endocardium; 0 if there is no right one or
     * the two are aligned along `up` */
    double to_rv[3];
    size_t apex; /* vertex */
} mt_landmarks;

/* Computes the landmarks of a mesh that has passed mt_mesh_check, with triangles tagged BASE, EPI and LV. MT_INPUT: one of these is
 * missing, or the base vertices define no plane. MT_MEMORY. */
MT_NODISCARD mt_status mt_landmarks_find(const mt_mesh *mesh, mt_landmarks *landmarks);

/* Computes the fibres of a mesh in `arena`. Borrows the mesh, which has passed mt_mesh_check (its own fibres are not read), its adjacency
 * and the rule. The tagged triangles (mt_surface) must include BASE, EPI and LV; RV is optional. A vertex on several surfaces counts as
 * RV, else LV, else EPI; and as apex rather than BASE. psi is 0 at the apex (mt_landmarks) and at all epicardial vertices within 5 % of its
 * depth around it, as a single vertex would cause a singularity. The result has the same bits for any number of threads.
 * MT_INPUT: a surface is missing; a triangle's vertex, an angle or a share is out of range; the base vertices are collinear; or a
 * component of the mesh has no boundary values. MT_NUMERICS: see mt_laplace_solve. MT_MEMORY. */
MT_NODISCARD mt_status mt_fibres_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_fibres_rule *rule, mt_fibres *fibres);

/* Statistics of the angles between two axes per element, 0 .. 90 degrees, without weights. */
typedef struct mt_fibres_angles {
    double mean_deg, median_deg;
    double high_deg; /* 90th percentile */
} mt_fibres_angles;

/* Compares unit vectors a and b [n_elements][3]; zero if there are no elements. MT_MEMORY. Scratch: 8 bytes per element, freed. */
MT_NODISCARD mt_status mt_fibres_compare(
    size_t n_elements, const double *a, const double *b, mt_fibres_angles *angles);
