/* For tests: nearly flat elements (slivers), planted in a mesh of well-shaped ones. */
#pragma once

#include <criterion/criterion.h>

#include <stdbool.h>
#include <string.h>

#include "mesh/adjacency.h"
#include "tests/random.h"

/* Cuts an element of `to` into four around a new vertex, at `flatness` of the way from its face to the opposite vertex: the piece on
 * that face is a sliver. The first piece replaces the element; the others are appended. */
static inline void cut_element(mt_mesh *to, size_t c, size_t face, double flatness, uint64_t *seed)
{
    uint32_t v[4];
    memcpy(v, to->element_vertex + 4 * c, sizeof v);
    const uint32_t p = (uint32_t)to->n_vertices++;
    double weight[4], sum = 0, *x = to->xyz_mm + 3 * (size_t)p;
    for (size_t k = 0; k < 4; k++) sum += weight[k] = k == face ? 0 : between(seed, 0.1, 1);
    for (size_t k = 0; k < 4; k++) weight[k] = k == face ? flatness : weight[k] / sum * (1 - flatness);
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < 3; i++) x[i] += weight[k] * to->xyz_mm[3 * (size_t)v[k] + i];
    for (size_t k = 0; k < 4; k++) {
        const size_t piece = k == 0 ? c : to->n_elements++;
        memcpy(to->element_vertex + 4 * piece, v, sizeof v);
        to->element_vertex[4 * piece + k] = p;
        memcpy(to->fibre + 3 * piece, to->fibre + 3 * c, 3 * sizeof *to->fibre);
    }
}

/* Returns the mesh with n pairs of slivers, one on each side of an inner face, too far apart to touch. The line between the two is
 * almost in their face. The mesh has fibres. */
static inline void plant_slivers(
    mt_arena *arena, const mt_mesh *from, size_t n, double flatness, uint64_t seed, mt_mesh *to)
{
    mt_adjacency adjacency;
    cr_assert_eq(mt_adjacency_make(arena, from, &adjacency), MT_OK);
    cr_assert_eq(mt_mesh_new(arena, from->n_vertices + 2 * n, from->n_elements + 6 * n, to), MT_OK);
    cr_assert_eq(mt_mesh_new_fibres(arena, to), MT_OK);
    bool *taken = mt_arena_alloc(arena, from->n_elements, sizeof *taken);
    memcpy(to->xyz_mm, from->xyz_mm, 3 * from->n_vertices * sizeof *to->xyz_mm);
    memcpy(to->element_vertex, from->element_vertex, 4 * from->n_elements * sizeof *to->element_vertex);
    memcpy(to->fibre, from->fibre, 3 * from->n_elements * sizeof *to->fibre);
    to->n_vertices = from->n_vertices;
    to->n_elements = from->n_elements;
    for (size_t tries = 0; n > 0; tries++) {
        cr_assert(tries < 100 * from->n_elements, "no space for all slivers");
        const size_t c = draw(&seed, from->n_elements), f = draw(&seed, 4);
        const uint32_t other = adjacency.neighbour[4 * c + f];
        if (other == MT_NO_ELEMENT || taken[c] || taken[other]) continue;
        taken[c] = taken[other] = true;
        size_t g = 0;
        while (adjacency.neighbour[4 * (size_t)other + g] != c) g++;
        cut_element(to, c, f, flatness, &seed);
        cut_element(to, other, g, flatness, &seed);
        n--;
    }
    cr_assert_eq(mt_mesh_check(to), MT_OK, "%s", mt_message());
}
