/* The expected mesh of tests/mesh/vtk_files.h, and modifications of its files. */
#pragma once

#include "mesh/vtk/vtk.h"
#include "tests/mesh/vtk_files.h"

static inline void assert_sample(const mt_mesh *mesh, const char *of)
{
    static const uint32_t cells[8] = {1, 0, 2, 3, 1, 0, 2, 4}, faces[6] = {1, 3, 0, 4, 0, 2};
    static const double fibre[6] = {0, 0, 1, 1, 0, 0}, sheet[6] = {0, 1, 0, 0, 1, 0};
    cr_assert(mesh->n_vertices == N_POINTS && mesh->n_elements == 2 && mesh->n_faces == 2, "%s", of);
    cr_assert_arr_eq(mesh->xyz_mm, sample_xyz, sizeof sample_xyz, "%s", of);
    cr_assert_arr_eq(mesh->element_vertex, cells, sizeof cells, "%s", of);
    cr_assert_arr_eq(mesh->face_vertex, faces, sizeof faces, "%s", of);
    cr_assert(mesh->region[0] == 3 && mesh->region[1] == -70000, "%s", of);
    cr_assert(mesh->face_tag[0] == 4 && mesh->face_tag[1] == 2, "%s", of);
    cr_assert(mesh->fibre && mesh->sheet && mesh->depth && mesh->layer, "%s", of);
    cr_assert_arr_eq(mesh->fibre, fibre, sizeof fibre, "%s", of);
    for (int k = 0; k < 6; k++) cr_assert_float_eq(mesh->sheet[k], sheet[k], 4e-16, "%s", of);
    cr_assert(mesh->depth[0] == 0.25 && mesh->depth[1] == 0.75, "%s", of);
    cr_assert(mesh->layer[0] == 1 && mesh->layer[1] == 3, "%s", of);
}

/* Replaces the first `from` in the buffer by `to`. */
static inline void replace(buffer *b, const char *from, const char *to)
{
    const buffer old = *b;
    const unsigned char *at = memmem(old.bytes, old.n, from, strlen(from));
    cr_assert_not_null(at, "no '%s'", from);
    b->n = (size_t)(at - old.bytes);
    add(b, to, strlen(to));
    add(b, at + strlen(from), old.n - (size_t)(at - old.bytes) - strlen(from));
}
