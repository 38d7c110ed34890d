/* Slabs to send waves through, of three families of meshes. */
#pragma once

#include "mesh/mesh.h"

/* Boxes of one edge that are cut alike, or each as the mirror image of the next (mesh/make/slab.h); unstructured, by the gmsh program. */
typedef enum mt_slab_family { MT_FAMILY_KUHN, MT_FAMILY_MIRRORED, MT_FAMILY_GMSH } mt_slab_family;

enum { MT_FAMILIES = 3 };

/* Their names: "kuhn", "mirrored", "gmsh". */
extern const char *const mt_slab_family_name[MT_FAMILIES];

/* Elements of a family and a size. Of the two sizes one is given and the other 0. */
typedef struct mt_slab_kind {
    mt_slab_family family;
    double edge_mm; /* of the boxes; of gmsh: the edge that it is asked for, which the mean comes close to */
    double length_mm;   /* the cube root of the elements' mean volume; of gmsh within 1 %, as a rule */
    unsigned long seed; /* of gmsh's random numbers */
} mt_slab_kind;

/* The edge of boxes whose elements are as large: for gmsh, too, about the mean edge. */
double mt_slab_kind_edge_mm(const mt_slab_kind *kind);

/* Gives a slab with a corner at 0 that is at least so large, of boxes rounded up to whole ones, fibres along x. Frees the arena between
 * attempts to meet a length. Failures: those of mt_slab_make_cut and mt_gmsh_slab. */
MT_NODISCARD mt_status mt_slab_kind_make(
    mt_arena *arena, const mt_slab_kind *kind, const double least_mm[3], mt_mesh *mesh);
