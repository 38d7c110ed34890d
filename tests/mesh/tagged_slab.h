/* For tests: a slab as a piece of a heart's wall, transmural along x, z up to the base. The sides x = 0 (left endocardium), x = size
 * (epicardium) and z = size (base) are tagged with these surfaces. */
#pragma once

#include <criterion/criterion.h>

#include "mesh/adjacency.h"
#include "mesh/make/slab.h"
#include "mesh/names.h"

/* Returns the tag of a triangle; 0 if it is on none of the three sides. */
static inline int32_t tag_of_side(const mt_mesh *mesh, const uint32_t v[3], const double size_mm[3])
{
    static const struct {
        int axis, far, tag;
    } side[] = {{0, 0, MT_SURFACE_LV}, {0, 1, MT_SURFACE_EPI}, {2, 1, MT_SURFACE_BASE}};
    for (size_t s = 0; s < 3; s++) {
        size_t on = 0;
        for (size_t k = 0; k < 3; k++)
            on += mesh->xyz_mm[3 * v[k] + (size_t)side[s].axis] == (side[s].far ? size_mm[side[s].axis] : 0);
        if (on == 3) return side[s].tag;
    }
    return 0;
}

static inline void tagged_slab(mt_arena *arena, const double size_mm[3], double edge_mm, mt_mesh *mesh)
{
    mt_adjacency adjacency;
    cr_assert_eq(mt_slab_make(arena, size_mm, edge_mm, mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(arena, mesh, &adjacency), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_mesh_new_faces(arena, mt_adjacency_boundary_faces(&adjacency), mesh), MT_OK);
    size_t n = 0;
    for (size_t i = 0; i < 4 * mesh->n_elements; i++) {
        if (adjacency.neighbour[i] != MT_NO_ELEMENT) continue;
        uint32_t *v = mesh->face_vertex + 3 * n;
        for (size_t k = 0; k < 3; k++) v[k] = mesh->element_vertex[4 * (i / 4) + mt_mesh_face[i % 4][k]];
        mesh->face_tag[n] = tag_of_side(mesh, v, size_mm);
        n += mesh->face_tag[n] != 0;
    }
    mesh->n_faces = n;
    cr_assert_eq(mt_names_put_surfaces(arena, mesh), MT_OK);
}

/* Changes the epicardial side to right endocardium, except one triangle: the slab is then a septum. */
static inline void make_septum(mt_mesh *mesh)
{
    size_t outside = 0;
    for (size_t f = 0; f < mesh->n_faces; f++)
        if (mesh->face_tag[f] == MT_SURFACE_EPI && outside++) mesh->face_tag[f] = MT_SURFACE_RV;
}
