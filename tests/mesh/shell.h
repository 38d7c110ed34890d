/* For tests: a left ventricle between two concentric half spheres, whose ventricular coordinates are known. */
#pragma once

#include <criterion/criterion.h>

#include <math.h>

#include "mesh/adjacency.h"
#include "mesh/names.h"

#define SHELL_INNER_MM 20.0
#define SHELL_OUTER_MM 30.0

/* The shell from a square block of 2 half x 2 half x layers cells: a square is mapped to a disc, and the disc to a half sphere, with the
 * apex at the centre of the square, below the base z = 0. */
typedef struct shell {
    size_t half, layers;
    double stretch; /* factor of z; 1: half spheres */
} shell;

static inline uint32_t shell_vertex(const shell *s, size_t i, size_t j, size_t k)
{
    const size_t side = 2 * s->half + 1;
    return (uint32_t)((k * side + j) * side + i);
}

static inline void shell_point(const shell *s, size_t i, size_t j, size_t k, double x[3])
{
    const double n = (double)s->half, u = (double)i / n - 1, v = (double)j / n - 1;
    const double a = u * sqrt(1 - v * v / 2), b = v * sqrt(1 - u * u / 2), polar = hypot(a, b) * M_PI / 2,
                 around = atan2(b, a), share = (double)k / (double)s->layers,
                 r = SHELL_INNER_MM + share * (SHELL_OUTER_MM - SHELL_INNER_MM);
    const bool rim = i == 0 || j == 0 || i == 2 * s->half || j == 2 * s->half;
    x[0] = r * sin(polar) * cos(around);
    x[1] = r * sin(polar) * sin(around);
    x[2] = rim ? 0 : -r * cos(polar) * s->stretch;
}

/* Divides a cell into six elements along its diagonal from the corner nearest to the centre of the square: no element of a corner of the
 * square is flat. */
static inline size_t shell_cell(const shell *s, const size_t at[3], size_t element, mt_mesh *mesh)
{
    static const uint8_t order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t p = 0; p < 6; p++, element++) {
        size_t x[3];
        int step[3];
        for (int d = 0; d < 3; d++) {
            step[d] = d < 2 && at[d] < s->half ? -1 : 1;
            x[d] = at[d] + (step[d] < 0);
        }
        for (size_t k = 0; k < 4; k++) {
            mesh->element_vertex[4 * element + k] = shell_vertex(s, x[0], x[1], x[2]);
            if (k < 3) x[order[p][k]] += (size_t)step[order[p][k]];
        }
    }
    return element;
}

/* Returns the surface of a boundary face. */
static inline int32_t shell_tag(const shell *s, const uint32_t v[3])
{
    const size_t side = 2 * s->half + 1;
    int inner = 1, outer = 1;
    for (int k = 0; k < 3; k++) {
        const size_t layer = v[k] / (side * side);
        inner &= layer == 0;
        outer &= layer == s->layers;
    }
    return inner ? MT_SURFACE_LV : outer ? MT_SURFACE_EPI : MT_SURFACE_BASE;
}

static inline void shell_make(mt_arena *arena, const shell *s, mt_mesh *mesh)
{
    const size_t side = 2 * s->half + 1;
    size_t n = 0;
    mt_adjacency adjacency;
    cr_assert_eq(
        mt_mesh_new(arena, side * side * (s->layers + 1), 24 * s->half * s->half * s->layers, mesh), MT_OK);
    for (size_t k = 0; k <= s->layers; k++)
        for (size_t j = 0; j < side; j++)
            for (size_t i = 0; i < side; i++)
                shell_point(s, i, j, k, mesh->xyz_mm + 3 * (size_t)shell_vertex(s, i, j, k));
    for (size_t k = 0; k < s->layers; k++)
        for (size_t j = 0; j + 1 < side; j++)
            for (size_t i = 0; i + 1 < side; i++) n = shell_cell(s, (size_t[]){i, j, k}, n, mesh);
    for (size_t e = 0; e < n; e++) mesh->region[e] = 1;
    (void)mt_mesh_orient(mesh);
    cr_assert_eq(mt_mesh_check(mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(arena, mesh, &adjacency), MT_OK);
    cr_assert_eq(mt_mesh_new_faces(arena, mt_adjacency_boundary_faces(&adjacency), mesh), MT_OK);
    n = 0;
    for (size_t i = 0; i < 4 * mesh->n_elements; i++) {
        if (adjacency.neighbour[i] != MT_NO_ELEMENT) continue;
        uint32_t *v = mesh->face_vertex + 3 * n;
        for (size_t k = 0; k < 3; k++) v[k] = mesh->element_vertex[4 * (i / 4) + mt_mesh_face[i % 4][k]];
        mesh->face_tag[n++] = shell_tag(s, v);
    }
    cr_assert_eq(mt_names_put_surfaces(arena, mesh), MT_OK);
}
