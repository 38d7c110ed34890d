/* Generated Purkinje networks: His bundle, bundle branches, and a fractal tree on the endocardium of each ventricle.
 *
 * Method: F. S. Costabal, D. E. Hurtado and E. Kuhl, J. Biomech. 49 (2016) 2455. A branch is a chain of segments on the endocardium
 * (mesh/network/endocardium.h). After the first segment, its direction turns away from the nearest node of another branch:
 *
 *   d' = d + repulsion x (x - x_nearest) / |x - x_nearest|, in the plane of the triangle, normalised
 *
 * From the end of a complete branch two new ones start, at +-angle_deg: a generation. All branches of a generation grow together, one
 * segment each in turn (the authors grow one after the other, in random order). A branch stops if its next segment would leave the surface
 * at the base, or would be nearer than collision x branch_mm to a branch other than its parent and its sister, or nearer than a fifth of a
 * segment to any segment with which it shares no node. A branch without a segment is discarded.
 *
 * Lengths are normally distributed, at least a tenth of the mean, and rounded to segments. The random numbers are sums of twelve uniform
 * ones from seed, ventricle and number of the branch, computed without functions of the C library: the same network on every machine, for
 * the same mesh and coordinates. More generations keep the branches of fewer ones.
 *
 * Bundles. Each root is on the septal endocardium, at given coordinates or, if no place has them, at the nearest place within 0.2 of
 * them; a His bundle of his_mm points up the long axis from the middle between the roots, to which straight lines through the septum join
 * them. The left bundle branch runs straight from its root in the direction of the steepest descent of the apicobasal coordinate
 * (mesh/anatomy/coordinates.h), for left_bundle_mm, and divides into three fascicles. A fascicle runs along the endocardium towards its
 * end, at given coordinates. The right bundle branch descends steeply along the septum, undivided; the moderator band, a straight line
 * through the cavity, continues it to the free wall. Bundles are insulated from the wall: trees grow from the ends of the fascicles, of the
 * right bundle branch and of the moderator band, there towards apex and base. Without a right ventricle there is only the left tree, and
 * the His bundle ends at the left root.
 *
 * False tendons, if any are requested, are straight lines through the left cavity, from places on the lower half of the septal fascicle to
 * random places of the free wall near the papillary muscles, inferolateral and anterolateral in turn. They leave the wall nowhere else, and
 * are insulated; Purkinje fibres grow from their ends as from that of the moderator band. A tendon for which no such line is found in
 * MT_PURKINJE_TRIALS trials is left out.
 *
 * The ends are the earliest sites of human hearts (D. Durrer et al., Circulation 41, 899, 1970): on the left endocardium a high anterior
 * one next to the septum, the middle of the septum, and a low posterior one next to the septum; on the right one the insertion of the
 * anterior papillary muscle. The same authors find the basal parts of both ventricles activated last, by muscle: no branch of a tree
 * grows above the apicobasal coordinate `highest`. On a surface without a place near such an end, as one of a
 * few triangles, its bundle is left out.
 *
 * Terminals. Each end of the tree continues by one straight segment along the inward normal of the wall, by depth_mm, or by half the
 * thickness of the wall along this normal if that is less. */
#pragma once

#include "mesh/anatomy/coordinates.h"
#include "mesh/network/network.h"

/* Kinds of segments (mt_network.kind). */
typedef enum mt_purkinje_kind {
    MT_PURKINJE_HIS = 1,
    MT_PURKINJE_LEFT_BUNDLE = 2,  /* left bundle branch, with its fascicles and false tendons */
    MT_PURKINJE_RIGHT_BUNDLE = 3, /* with the moderator band */
    MT_PURKINJE_LEFT = 4,         /* Purkinje fibres of the left ventricle, with their terminal segments */
    MT_PURKINJE_RIGHT = 5
} mt_purkinje_kind;

enum { MT_PURKINJE_KINDS = MT_PURKINJE_RIGHT + 1 }; /* length of arrays indexed by mt_purkinje_kind */

enum { MT_PURKINJE_FASCICLES = 3, MT_PURKINJE_TENDONS = 10, MT_PURKINJE_TRIALS = 200 };

extern const char *const mt_purkinje_kind_names[MT_PURKINJE_KINDS];

/* Their names in files: his, left_bundle, right_bundle, left_purkinje, right_purkinje. Finds the kind of such a name, or of a number.
 * MT_INPUT. */
MT_NODISCARD mt_status mt_purkinje_kind_find(const char *text, int32_t *kind);

/* The parameters, with their defaults (mt_purkinje_default): those of the authors' programs (github.com/fsahli/fractal-tree and
 * purkinje-learning) where [f] is written, otherwise our choices. */
typedef struct mt_purkinje_rule {
    uint64_t seed; /* 1 */
    double
        segment_mm; /* 1 [f] along the surface; the straight segment is shorter where the surface is curved */
    double branch_mm;      /* 5: mean length of a branch */
    double deviation;      /* sqrt(0.2) [f] standard deviation of the length, as a share of branch_mm */
    double angle_deg;      /* 20: between the direction of a branch and that of its parent */
    double repulsion;      /* 0.1 [f] */
    double collision;      /* 0.2 [f] least distance of branches, as a share of branch_mm */
    size_t generations;    /* 20 [f] at most, in each ventricle */
    double coverage;       /* 1: a ventricle's tree stops when this share of its endocardium is covered */
    double coverage_mm;    /* 5: covered places are within this distance of a Purkinje node */
    double depth_mm;       /* 0.5; human Purkinje fibres end in the subendocardium. 0: no terminal segments */
    double his_mm;         /* 10; human bundles are 10 to 20 mm long */
    double left_bundle_mm; /* 5; until it divides */
    double fascicle[MT_PURKINJE_FASCICLES]
                   [2];  /* rotational and apicobasal coordinate of the ends: anterior, septal, posterior */
    double right_end;    /* 0.5: apicobasal coordinate at which the right bundle branch ends */
    double papillary[2]; /* 0.4, 0.6: coordinates of the end of the moderator band, on the right free wall */
    double highest;      /* 0.9: largest apicobasal coordinate of Purkinje fibres */
    double root_rotational; /* 5/6, the middle of the septum, and */
    double root_apicobasal; /* 0.85: positions of the roots, unless they are given */
    double
        root_far_mm; /* 10: largest distance of a given root from its endocardium, to which it is projected */
    size_t false_tendons;        /* 0, at most MT_PURKINJE_TENDONS: in the left ventricle */
    const double *left_root_mm;  /* [3] or NULL; borrowed */
    const double *right_root_mm; /* [3] or NULL; borrowed */
} mt_purkinje_rule;

extern const mt_purkinje_rule mt_purkinje_default;

/* Arrays of two: left, right. Without a right ventricle its numbers are 0. */
typedef struct mt_purkinje_info {
    double area_mm2[2];   /* endocardium */
    double coverage[2];   /* share of the endocardium that is covered */
    double root_mm[2][3]; /* on the endocardium */
    size_t n_generations[2];
    size_t n_branches[2];  /* of the fractal tree */
    size_t n_discarded[2]; /* without a segment */
    size_t n_terminals[2];
    size_t n_shallow[2]; /* terminals with less than depth_mm */
    size_t n_false_tendons;
    double length_mm[MT_PURKINJE_KINDS];
} mt_purkinje_info;

/* Checks the parameters. MT_INPUT: one is out of range; the message states its value and the range. */
MT_NODISCARD mt_status mt_purkinje_check(const mt_purkinje_rule *rule);

/* Generates a network in `arena`: a tree with n_nodes - 1 segments and their kinds, without radii. Node 0 is the upper end of the His
 * bundle, and segment k joins node k + 1 to an earlier one. Borrows the mesh, which has passed mt_mesh_check, its adjacency and its
 * coordinates. Uses one thread. MT_INPUT: a parameter is out of range; the left endocardium is missing; a given root is far from its
 * endocardium, or belongs to a ventricle that the mesh lacks; no place has the coordinates of a root. MT_MEMORY. */
MT_NODISCARD mt_status mt_purkinje_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_coordinates *coordinates, const mt_purkinje_rule *rule, mt_network *network,
    mt_purkinje_info *info);
