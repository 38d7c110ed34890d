/* For tests: closed surfaces of bowls with an anatomy known by construction. */
#pragma once

#include <criterion/criterion.h>

#include <math.h>

#include "mesh/mesh.h"

enum { BOWL_AROUND = 32, BOWL_DOWN = 12, BOWL_HALF = BOWL_AROUND * BOWL_DOWN };

/* Writes the lower half of an ellipsoid, z <= 0, with half axes r, r, depth: vertices from `vertex` on and triangles from `face` on,
 * counter-clockwise seen from outside (or inside). */
static inline void bowl_half(
    mt_mesh *mesh, double r, double depth, uint32_t vertex, size_t face, int inside, int32_t tag)
{
    for (uint32_t i = 0; i < BOWL_HALF; i++) {
        const double down = i / BOWL_AROUND * (M_PI / 2 / BOWL_DOWN),
                     around = i % BOWL_AROUND * (2 * M_PI / BOWL_AROUND);
        const double x[3] = {r * cos(down) * cos(around), r * cos(down) * sin(around), -depth * sin(down)};
        for (size_t k = 0; k < 3; k++) mesh->xyz_mm[3 * ((size_t)vertex + i) + k] = x[k];
    }
    mesh->xyz_mm[3 * ((size_t)vertex + BOWL_HALF) + 2] = -depth;
    for (uint32_t i = 0; i < BOWL_HALF; i++) {
        const uint32_t right = i % BOWL_AROUND == BOWL_AROUND - 1 ? i + 1 - BOWL_AROUND : i + 1;
        const int last = i >= BOWL_HALF - BOWL_AROUND;
        const uint32_t below = last ? BOWL_HALF : i + BOWL_AROUND,
                       across = last ? BOWL_HALF : right + BOWL_AROUND;
        const uint32_t two[2][3] = {{i, below, right}, {right, below, across}};
        for (int t = 0; t < (last ? 1 : 2); t++) {
            for (size_t k = 0; k < 3; k++)
                mesh->face_vertex[3 * face + k] = vertex + two[t][inside && k > 0 ? 3 - k : k];
            mesh->face_tag[face++] = tag;
        }
    }
}

/* Builds a left ventricle: the space between two such halves, with a flat base, or with a sharp rim if the radii are the same. Tags are the
 * true surfaces of the triangles; the base of the sharp one is epicardium and endocardium. */
static inline void bowl_make(mt_arena *arena, double outer, double inner, double depth, mt_mesh *mesh)
{
    const uint32_t n = BOWL_HALF + 1;
    const size_t half = 2 * BOWL_HALF - BOWL_AROUND;
    const bool sharp = outer == inner;
    cr_assert_eq(mt_mesh_new(arena, 2 * (size_t)n, 0, mesh), MT_OK);
    cr_assert_eq(mt_mesh_new_faces(arena, 2 * half + (sharp ? 0 : 2 * BOWL_AROUND), mesh), MT_OK);
    bowl_half(mesh, outer, depth, 0, 0, 0, MT_SURFACE_EPI);
    bowl_half(mesh, inner, 0.8 * depth, n, half, 1, MT_SURFACE_LV);
    for (size_t k = 0; sharp && k < 3 * half; k++) { /* one rim for both */
        uint32_t *v = &mesh->face_vertex[3 * half + k];
        if (*v < n + BOWL_AROUND) *v -= n;
    }
    for (uint32_t i = 0; !sharp && i < BOWL_AROUND; i++) {
        const uint32_t right = (i + 1) % BOWL_AROUND,
                       two[2][3] = {{i, right, n + i}, {right, n + right, n + i}};
        memcpy(mesh->face_vertex + 3 * (2 * half + 2 * i), two, sizeof two);
        mesh->face_tag[2 * half + 2 * i] = mesh->face_tag[2 * half + 2 * i + 1] = MT_SURFACE_BASE;
    }
}
