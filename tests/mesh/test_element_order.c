#include <criterion/criterion.h>

#include <math.h>
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

/* ---- vertices ---- */

/* Renumbers the vertices at random. */
static void shuffle_vertices(mt_mesh *mesh)
{
    uint64_t state = 11;
    for (size_t v = mesh->n_vertices - 1; v > 0; v--) {
        double *x = mesh->xyz_mm + 3 * v, *y = mesh->xyz_mm + 3 * draw(&state, v + 1), other[3];
        memcpy(other, x, sizeof other);
        memcpy(x, y, sizeof other);
        memcpy(y, other, sizeof other);
    }
}

static double distance_mm(const mt_mesh *mesh, size_t a, size_t b)
{
    const double *x = mesh->xyz_mm + 3 * a, *y = mesh->xyz_mm + 3 * b;
    return sqrt(
        (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
}

/* The vertices are 0.5 mm apart; at random, consecutive ones are 4 mm apart on average. */
Test(element_order, consecutive_vertices_are_close_in_space)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_element_order order;
    double shuffled_mm = 0, ordered_mm = 0;
    cr_assert_eq(mt_slab_make(&arena, (double[]){8, 7, 6}, 0.5, &mesh), MT_OK);
    shuffle_vertices(&mesh);
    cr_assert_eq(mt_vertex_order_make(&arena, &mesh, &order), MT_OK);
    cr_assert_eq(order.n, mesh.n_vertices);
    for (size_t k = 0; k < order.n; k++) {
        cr_assert(order.element[k] < order.n);
        cr_assert_eq(order.place[order.element[k]], k);
        if (k == 0) continue;
        shuffled_mm += distance_mm(&mesh, k - 1, k) / (double)order.n;
        ordered_mm += distance_mm(&mesh, order.element[k - 1], order.element[k]) / (double)order.n;
    }
    cr_expect(shuffled_mm > 3, "%g", shuffled_mm);
    cr_expect(ordered_mm < 1, "%g", ordered_mm);
    mt_arena_free(&arena);
}

Test(element_order, the_order_of_vertices_is_the_same_on_any_number_of_threads)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_element_order order[2];
    cr_assert_eq(mt_slab_make(&arena, (double[]){8, 7, 6}, 0.25, &mesh), MT_OK);
    cr_assert(mesh.n_vertices > 16384, "%zu vertices: not parallel", mesh.n_vertices);
    shuffle_vertices(&mesh);
    for (int k = 0; k < 2; k++) {
        omp_set_num_threads(k + 1);
        cr_assert_eq(mt_vertex_order_make(&arena, &mesh, &order[k]), MT_OK);
    }
    cr_expect_arr_eq(order[0].element, order[1].element, order[0].n * sizeof *order[0].element);
    mt_arena_free(&arena);
}
