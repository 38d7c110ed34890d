#include <criterion/criterion.h>

#include <omp.h>
#include <string.h>

#include "mesh/make/slab.h"
#include "mesh/element_order.h"
#include "tests/mesh/check_adjacency.h"
#include "tests/random.h"

typedef struct problem {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_element_order order;
} problem;

/* A slab with elements in random order and distinct directions. */
static void shuffled(problem *p)
{
    uint64_t state = 7;
    *p = (problem){0};
    cr_assert_eq(mt_slab_make(&p->arena, (double[]){8, 7, 6}, 0.5, &p->mesh), MT_OK);
    uint32_t *v = p->mesh.element_vertex;
    for (size_t c = p->mesh.n_elements - 1; c > 0; c--) {
        const size_t d = draw(&state, c + 1);
        uint32_t other[4];
        memcpy(other, v + 4 * c, sizeof other);
        memcpy(v + 4 * c, v + 4 * d, sizeof other);
        memcpy(v + 4 * d, other, sizeof other);
    }
    for (size_t c = 0; c < p->mesh.n_elements; c++) p->mesh.fibre[3 * c] = (double)c;
    cr_assert_eq(mt_adjacency_make(&p->arena, &p->mesh, &p->adjacency), MT_OK);
    cr_assert_eq(mt_element_order_make(&p->arena, &p->mesh, &p->order), MT_OK);
}

Test(element_order, the_order_contains_every_element_once)
{
    problem p;
    shuffled(&p);
    cr_assert_eq(p.order.n, p.mesh.n_elements);
    for (size_t k = 0; k < p.order.n; k++) {
        cr_assert(p.order.element[k] < p.order.n);
        cr_assert_eq(p.order.place[p.order.element[k]], k);
    }
    mt_arena_free(&p.arena);
}

static double share_near(const mt_adjacency *adjacency, size_t within)
{
    size_t near = 0, all = 0;
    for (size_t k = 0; k < 4 * adjacency->n_elements; k++) {
        const size_t n = adjacency->neighbour[k], c = k / 4;
        if (n == MT_NO_ELEMENT) continue;
        near += (n > c ? n - c : c - n) <= within;
        all++;
    }
    return (double)near / (double)all;
}

/* A box of the slab has 6 elements, and a cell of the curve contains at most one box. In a random order 1 % of the neighbours are as
 * near. */
Test(element_order, neighbouring_elements_are_near_each_other_in_the_order)
{
    problem p;
    mt_mesh mesh;
    mt_adjacency adjacency;
    shuffled(&p);
    cr_assert_eq(
        mt_element_order_apply(&p.arena, &p.arena, &p.order, &p.mesh, &p.adjacency, &mesh, &adjacency),
        MT_OK);
    cr_assert(share_near(&p.adjacency, 64) < 0.02, "%g", share_near(&p.adjacency, 64));
    cr_assert(share_near(&adjacency, 64) > 0.6, "%g", share_near(&adjacency, 64));
    mt_arena_free(&p.arena);
}

Test(element_order, the_reordered_mesh_is_equivalent)
{
    problem p;
    mt_mesh mesh;
    mt_adjacency adjacency;
    shuffled(&p);
    cr_assert_eq(
        mt_element_order_apply(&p.arena, &p.arena, &p.order, &p.mesh, &p.adjacency, &mesh, &adjacency),
        MT_OK);
    cr_assert_eq(adjacency_check(&adjacency), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < p.order.n; k++) {
        const size_t c = p.order.element[k];
        cr_assert_eq(mt_mesh_number(&mesh, k), c);
        cr_assert_eq(mesh.fibre[3 * k], (double)c);
        cr_assert_eq(memcmp(mesh.element_vertex + 4 * k, p.mesh.element_vertex + 4 * c, 16), 0);
        for (size_t f = 0; f < 4; f++) {
            const uint32_t n = p.adjacency.neighbour[4 * c + f];
            cr_assert_eq(adjacency.neighbour[4 * k + f], n == MT_NO_ELEMENT ? n : p.order.place[n]);
        }
    }
    mt_arena_free(&p.arena);
}

Test(element_order, a_mesh_without_extent_keeps_its_order)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_element_order order;
    cr_assert_eq(mt_slab_make(&arena, (double[]){1, 1, 1}, 1, &mesh), MT_OK);
    memset(mesh.xyz_mm, 0, 3 * mesh.n_vertices * sizeof *mesh.xyz_mm);
    cr_assert_eq(mt_element_order_make(&arena, &mesh, &order), MT_OK);
    for (size_t k = 0; k < order.n; k++) cr_assert_eq(order.element[k], k);
    mt_arena_free(&arena);
}
