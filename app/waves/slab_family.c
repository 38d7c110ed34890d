#include "app/waves/slab_family.h"

#include <math.h>

#include "app/heart/gmsh.h"
#include "mesh/make/slab.h"

const char *const mt_slab_family_name[MT_FAMILIES] = {"kuhn", "mirrored", "gmsh"};

/* A cube has six elements. */
double mt_slab_kind_edge_mm(const mt_slab_kind *kind)
{
    return kind->length_mm > 0 ? cbrt(6) * kind->length_mm : kind->edge_mm;
}

static mt_status make_boxes(
    mt_arena *arena, double edge_mm, mt_slab_cut cut, const double least_mm[3], mt_mesh *mesh)
{
    double size_mm[3];
    for (int axis = 0; axis < 3; axis++) size_mm[axis] = ceil(least_mm[axis] / edge_mm - 1e-9) * edge_mm;
    return mt_slab_make_cut(arena, size_mm, edge_mm, cut, mesh);
}

/* Corrects the target edge until the length is within 1 %. The length is nearly proportional to the edge, so that few corrections suffice;
 * after ATTEMPTS the last mesh is used. */
static mt_status make_with_gmsh(
    mt_arena *arena, double length_mm, unsigned long seed, const double size_mm[3], mt_mesh *mesh)
{
    enum { ATTEMPTS = 5 };
    double edge_mm = 1.77 * length_mm;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        mt_arena_free(arena);
        MT_TRY(mt_gmsh_slab(arena, size_mm, edge_mm, seed, mesh));
        const double ratio = mt_mesh_length_mm(mesh) / length_mm;
        if (fabs(ratio - 1) <= 0.01) break;
        edge_mm /= ratio;
    }
    return MT_OK;
}

mt_status mt_slab_kind_make(
    mt_arena *arena, const mt_slab_kind *kind, const double least_mm[3], mt_mesh *mesh)
{
    if (kind->family != MT_FAMILY_GMSH)
        return make_boxes(arena, mt_slab_kind_edge_mm(kind),
            kind->family == MT_FAMILY_KUHN ? MT_SLAB_KUHN : MT_SLAB_MIRRORED, least_mm, mesh);
    if (kind->length_mm > 0) return make_with_gmsh(arena, kind->length_mm, kind->seed, least_mm, mesh);
    return mt_gmsh_slab(arena, least_mm, kind->edge_mm, kind->seed, mesh);
}
