/* Rule-based fibres: the direction of the muscle in each element of a heart from where the element is in the
 * wall, by the Laplace-Dirichlet rule (J. D. Bayer et al., Ann. Biomed. Eng. 40 (2012) 2243). For a left
 * ventricle or both, cut off at the base; atria, outflow tracts and measured fibres are other matters.
 *
 * The rule. phi_lv is 1 on the left endocardium and 0 on the right one and the epicardium, phi_rv the other
 * way round, phi_epi = 1 - phi_lv - phi_rv; psi is 0 at the apex and 1 on the base; all four solve Laplace's
 * equation. Their gradients give each element a frame for the inner and one for the outer surface
 * (mesh/anatomy/frame.h), turned by the angles there, and the element's frame lies between:
 *
 *   d = phi_rv / (phi_lv + phi_rv)
 *   inner angle  endo (1 - d) - endo d         (so it runs from endo to -endo through the septum)
 *   outer angle  endo (1 - w) + epi w          w = phi_epi (MT_FIBRES_BAYER) or sqrt(phi_epi)
 *   frame        between the inner ones of both ventricles by d, then between that and the outer one by w.
 *
 * An element takes the mean over its vertices, clamped to 0 .. 1.
 *
 * Depth and layers. Through the wall of one ventricle phi_epi is the depth; through the septum it is 0 all the
 * way, so
 *
 *   depth = 1 - max(phi_lv, phi_rv)
 *
 * which is phi_epi where one of the two is 0, and in the septum 0 on both sides and 1/2 half-way. The layers are
 * cut at values of it (in the way of L. E. Perotti et al., Int. J. Numer. Meth. Biomed. Eng. 31 (2015),
 * doi:10.1002/cnm.2718). So the septum is endocardial on both sides with a middle between (M elements lie deep in
 * it: S. Sicouri et al., J. Cardiovasc. Electrophysiol. 5 (1994) 824), and has an outer layer only where that
 * one's share is above 1/2; other codes call the right side of the septum epicardium. A share is one of the
 * depth, not of thickness or volume: depth goes linearly with distance through a flat wall only, and faster near
 * the inner surface of a round one.
 *
 * Angles are positive where the fibre climbs to the base counter-clockwise seen from the base, the usual
 * +60 at the endocardium and -60 at the epicardium being a left-handed helix outside. Fibres are axes: f
 * and -f are the same.
 *
 * Degenerate elements get directions too, never NaN: where psi is constant (an element with all its vertices on the
 * base) apex to base is the normal of the base plane; where one ventricle or surface gives no frame
 * the others are taken; where none does (an element with all its vertices on the epicardium) the element takes the
 * directions of its lowest-numbered face neighbour that has some, in rounds from all sides. */
#pragma once

#include <stdbool.h>

#include "mesh/adjacency.h"
#include "mesh/anatomy/laplace.h"

typedef enum mt_fibres_variant {
    /* Angles run linearly with phi_epi through a free wall, and do not jump there. Of the two directions of a
     * frame the one is taken that is right by construction: columns 0 and 2 of the inner frame are turned
     * round where d > 1/2 (the "adapted" rule of KIT's LDRB_Fibers). */
    MT_FIBRES_SMOOTH,
    /* As published: before interpolation the nearest of four half turns is chosen, which with angles that
     * differ by more than 90 degrees turns fibres over on a sheet within the free walls. */
    MT_FIBRES_BAYER
} mt_fibres_variant;

typedef struct mt_fibres_rule {
    mt_fibres_variant variant;
    double endo_deg, epi_deg;             /* of the fibre, -90 .. 90 */
    double sheet_endo_deg, sheet_epi_deg; /* of the sheet out of the wall's normal, -90 .. 90 */
    double layer_share[3];                /* of the depth: inner, middle, outer; each >= 0, sum 1 to 1e-6 */
    double tolerance;                     /* of Laplace's equations, see mt_laplace_solve */
    size_t max_iterations;
} mt_fibres_rule;

/* MT_FIBRES_SMOOTH, 60 and -60, 0 and 0 degrees, thirds, 1e-10, 10000. (About 30 % of the human left wall are M
 * elements, the middle layer: E. Drouin et al., J. Am. Coll. Cardiol. 26 (1995) 185.) */
extern const mt_fibres_rule mt_fibres_rule_usual;

/* Invariants: fibre, sheet and normal of an element are orthonormal to 1e-12, fibre x sheet = normal;
 * 0 <= depth <= 1; layer is one of mt_layer; n_jumps <= n_inner_faces. */
typedef struct mt_fibres {
    size_t n_elements, n_vertices;
    bool has_rv;    /* there is a right endocardium */
    double *fibre;  /* [n_elements][3] */
    double *sheet;  /* [n_elements][3] across the fibre in its sheet: through the wall where its angle is 0 */
    double *normal; /* [n_elements][3] of the sheet */
    double *depth;  /* [n_elements] see above: 0 at the endocardium, 1 at the epicardium */
    int32_t *layer; /* [n_elements] none of a layer whose share is 0 */
    double *phi_lv; /* [n_vertices] as solved: obtuse elements may take them a little out of 0 .. 1 */
    double *phi_rv; /* [n_vertices], 0 without a right ventricle */
    double *psi;    /* [n_vertices] */
    mt_laplace_report lv, rv, apex_base;
    size_t n_apex;         /* vertices with psi = 0 */
    size_t n_psi_constant; /* elements where the base's normal stood in */
    size_t n_copied;       /* elements that took a neighbour's directions */
    size_t n_inner_faces;
    size_t n_jumps;         /* inner faces whose two fibre axes differ by more than 30 degrees */
    double layer_volume[3]; /* share of the volume: inner, middle, outer; sum 1 */
} mt_fibres;

/* Where a heart stands in space.
 *
 * The apex is that of the left ventricle, whichever ventricle reaches lower: from the left cavity's lowest
 * point (of the left endocardium the vertex farthest below the base's plane) the way to the nearest
 * epicardial vertex is the wall there; of the epicardial vertices within twice that way the apex is the one
 * farthest below the base. */
typedef struct mt_landmarks {
    double base_mm[3]; /* the middle of the base's vertices, on the plane fitted to them */
    double up[3];      /* that plane's unit normal, out of the heart: from the apex to the base */
    double lv_mm[3];   /* the middle of the vertices of the left endocardium */
    double to_rv[3];   /* unit, across up: from the middle of the left endocardium to that of the right one; 0
                        * without a right one, or where they stand above each other */
    size_t apex;       /* a vertex */
} mt_landmarks;

/* Gives the landmarks of a mesh (mt_mesh_check passed) whose tagged triangles have BASE, EPI and LV.
 * MT_INPUT: one is missing, or the base is no plane. MT_MEMORY. */
MT_NODISCARD mt_status mt_landmarks_find(const mt_mesh *mesh, mt_landmarks *landmarks);

/* Gives the fibres of a mesh; borrows it (mt_mesh_check passed; its own fibres are not read), its adjacency
 * and the rule. Its tagged triangles (mt_surface) must have BASE, EPI and LV; RV may be missing. A vertex
 * of several surfaces counts as RV before LV before EPI; as apex before BASE. psi is 0 at the apex (see
 * mt_landmarks) and all epicardial vertices within 5 % of its depth around it: one vertex alone would make a
 * spike. Same bits for any number of threads.
 * MT_INPUT: a surface is missing, a triangle's vertex, an angle or a share out of range, a base that is no plane (its
 * vertices in a line), or a piece of the mesh without given values. MT_NUMERICS: see mt_laplace_solve.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_fibres_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_fibres_rule *rule, mt_fibres *fibres);

/* The angles between two directions of each element, as axes, 0 .. 90 degrees; every element counts alike. */
typedef struct mt_fibres_angles {
    double mean_deg, median_deg;
    double high_deg; /* the 90th percentile: nine of ten are at most this */
} mt_fibres_angles;

/* Compares unit vectors a and b [n_elements][3]. All 0 for no elements. MT_MEMORY (8 bytes an element). */
MT_NODISCARD mt_status mt_fibres_compare(
    size_t n_elements, const double *a, const double *b, mt_fibres_angles *angles);
