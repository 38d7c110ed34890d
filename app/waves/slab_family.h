/* Slabs for plane waves, with three families of meshes. */
#pragma once

#include "mesh/mesh.h"

/* Kuhn: cubes that are all divided alike. Mirrored: each cube is the mirror image of the next (mesh/make/slab.h). Gmsh: unstructured. */
typedef enum mt_slab_family { MT_FAMILY_KUHN, MT_FAMILY_MIRRORED, MT_FAMILY_GMSH } mt_slab_family;

enum { MT_FAMILIES = 3 };

/* Their names: "kuhn", "mirrored", "gmsh". */
extern const char *const mt_slab_family_name[MT_FAMILIES];

/* A family of meshes and the size of their elements. One of the two sizes is set; the other is 0. */
typedef struct mt_slab_kind {
    mt_slab_family family;
    double edge_mm;     /* edge of the cubes; for Gmsh the target edge, close to the mean edge */
    double length_mm;   /* cube root of the mean volume of the elements; for Gmsh usually within 1 % */
    unsigned long seed; /* of Gmsh's random numbers */
} mt_slab_kind;

/* Returns the edge of the cubes with elements of that size. For Gmsh, too, this is about the mean edge. */
double mt_slab_kind_edge_mm(const mt_slab_kind *kind);

/* Builds a slab with a corner at 0, at least least_mm large, with fibres along x. The number of cubes is rounded up. Frees the arena
 * between attempts to match length_mm. Returns the errors of `mt_slab_make_cut` or `mt_gmsh_slab`. */
MT_NODISCARD mt_status mt_slab_kind_make(
    mt_arena *arena, const mt_slab_kind *kind, const double least_mm[3], mt_mesh *mesh);
