#include <criterion/criterion.h>

#include <string.h>

#include "mesh/adjacency.h"
#include "mesh/make/slab.h"
#include "tests/mesh/check_adjacency.h"
#include "tests/random.h"

static uint64_t state = 12345;

static size_t below(size_t n) { return draw(&state, n); }

static void slab(mt_arena *arena, mt_mesh *mesh)
{
    cr_assert_eq(mt_slab_make(arena, (double[]){3, 2, 2}, 1, mesh), MT_OK, "%s", mt_message());
}

/* Renumbers vertices and elements at random, and applies a random even permutation to each element's vertices. */
static void shuffle(mt_arena *arena, mt_mesh *mesh)
{
    static const int even[3][4] = {{0, 1, 2, 3}, {1, 2, 0, 3}, {3, 0, 2, 1}};
    uint32_t *name = mt_arena_alloc(arena, mesh->n_vertices, sizeof *name);
    uint32_t *old = mt_arena_alloc(arena, 4 * mesh->n_elements, sizeof *old);
    cr_assert(name && old);
    for (size_t v = 0; v < mesh->n_vertices; v++) name[v] = (uint32_t)v;
    for (size_t v = mesh->n_vertices - 1; v > 0; v--) {
        size_t w = below(v + 1);
        uint32_t t = name[v];
        name[v] = name[w], name[w] = t;
    }
    for (size_t c = mesh->n_elements - 1; c > 0; c--) {
        size_t d = below(c + 1);
        for (size_t k = 0; k < 4; k++) {
            uint32_t t = mesh->element_vertex[4 * c + k];
            mesh->element_vertex[4 * c + k] = mesh->element_vertex[4 * d + k],
                                         mesh->element_vertex[4 * d + k] = t;
        }
    }
    memcpy(old, mesh->element_vertex, 4 * mesh->n_elements * sizeof *old);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        size_t turn = below(3);
        for (size_t k = 0; k < 4; k++)
            mesh->element_vertex[4 * c + k] = name[old[4 * c + (size_t)even[turn][k]]];
    }
}

/* Finds the neighbour across face f by brute force: the element with the three other vertices. */
static uint32_t oracle(const mt_mesh *mesh, size_t element, size_t face)
{
    for (size_t d = 0; d < mesh->n_elements; d++) {
        int shared = 0;
        for (size_t k = 0; k < 4; k++)
            for (size_t j = 0; j < 4; j++)
                if (k != face && mesh->element_vertex[4 * element + k] == mesh->element_vertex[4 * d + j])
                    shared++;
        if (d != element && shared == 3) return (uint32_t)d;
    }
    return MT_NO_ELEMENT;
}

static void assert_like_oracle(const mt_mesh *mesh, const mt_adjacency *adjacency)
{
    for (size_t c = 0; c < mesh->n_elements; c++)
        for (size_t f = 0; f < 4; f++)
            cr_assert_eq(adjacency->neighbour[4 * c + f], oracle(mesh, c, f), "element %zu face %zu", c, f);
}

Test(adjacency, adjacency_agrees_with_a_brute_force_search)
{
    for (int round = 0; round < 4; round++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_adjacency adjacency;
        slab(&arena, &mesh);
        if (round > 0) shuffle(&arena, &mesh);
        cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK, "%s", mt_message());
        cr_assert_eq(adjacency_check(&adjacency), MT_OK, "%s", mt_message());
        assert_like_oracle(&mesh, &adjacency);
        cr_assert_eq(2 * mt_adjacency_inner_faces(&adjacency) + mt_adjacency_boundary_faces(&adjacency),
            4 * mesh.n_elements);
        mt_arena_free(&arena);
    }
}

static bool is_neighbour(const mt_adjacency *adjacency, size_t c, size_t d)
{
    for (size_t f = 0; f < 4; f++)
        if (adjacency->neighbour[4 * c + f] == d) return true;
    return false;
}

static bool is_near(const mt_adjacency *adjacency, size_t c, size_t d)
{
    if (is_neighbour(adjacency, c, d)) return true;
    for (size_t e = 0; e < adjacency->n_elements; e++)
        if (is_neighbour(adjacency, c, e) && is_neighbour(adjacency, e, d)) return true;
    return false;
}

Test(adjacency, a_ring_contains_all_elements_at_most_two_faces_away)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    slab(&arena, &mesh);
    shuffle(&arena, &mesh);
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK, "%s", mt_message());
    for (size_t c = 0; c < mesh.n_elements; c++) {
        uint32_t ring[MT_RING_MAX];
        size_t n = 0, count = mt_adjacency_ring(&adjacency, c, ring);
        for (size_t d = 0; d < mesh.n_elements; d++) {
            if (d == c || !is_near(&adjacency, c, d)) continue;
            cr_assert(n < count && ring[n] == d, "element %zu: entry %zu is not %zu", c, n, d);
            n++;
        }
        cr_assert_eq(n, count);
        for (; n < MT_RING_MAX; n++) cr_assert_eq(ring[n], c);
    }
    mt_arena_free(&arena);
}

/* A fan: n elements around the edge 0-1; their other vertices 2 .. n + 1 form a ring, and vertex 0 is the lowest. One bucket then holds 3 n
 * faces, more than the limit of the insertion sort. */
Test(adjacency, a_vertex_with_many_elements_is_handled)
{
    enum { N = 500 };
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    cr_assert_eq(mt_mesh_new(&arena, N + 2, N, &mesh), MT_OK);
    for (uint32_t c = 0; c < N; c++)
        memcpy(mesh.element_vertex + 4 * c, (uint32_t[]){0, 1, 2 + c, 2 + (c + 1) % N}, 4 * sizeof(uint32_t));
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK, "%s", mt_message());
    for (uint32_t c = 0; c < N; c++) {
        const uint32_t *n = adjacency.neighbour + 4 * (size_t)c;
        cr_assert(
            n[0] == MT_NO_ELEMENT && n[1] == MT_NO_ELEMENT && n[2] == (c + 1) % N && n[3] == (c + N - 1) % N);
    }
    mt_arena_free(&arena);
}

static void assert_refused(const uint32_t *elements, size_t n_elements, const char *why)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    cr_assert_eq(mt_mesh_new(&arena, 10, n_elements, &mesh), MT_OK);
    memcpy(mesh.element_vertex, elements, 4 * n_elements * sizeof *elements);
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), why), "%s", mt_message());
    mt_arena_free(&arena);
}

Test(adjacency, a_face_of_three_elements_is_rejected_with_their_numbers)
{
    assert_refused((uint32_t[]){0, 1, 2, 3, 0, 1, 2, 4, 5, 6, 7, 8, 2, 1, 0, 9}, 4,
        "vertices 0, 1, 2 belongs to 3 elements (0, 1, 3)");
    assert_refused(
        (uint32_t[]){0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 2, 5, 2, 1, 0, 9}, 4, "4 elements (0, 1, 2, ...)");
}

Test(adjacency, a_duplicate_element_is_rejected)
{
    assert_refused(
        (uint32_t[]){5, 6, 7, 8, 0, 1, 2, 3, 1, 2, 0, 3}, 3, "elements 1 and 2 have the same four vertices");
}

Test(adjacency, the_check_detects_asymmetry)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    slab(&arena, &mesh);
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK);
    for (size_t k = 0; k < 4 * mesh.n_elements; k += 7) {
        uint32_t right = adjacency.neighbour[k];
        uint32_t wrong[] = {
            right == MT_NO_ELEMENT ? (uint32_t)((k / 4 + 40) % mesh.n_elements) : MT_NO_ELEMENT,
            (uint32_t)(k / 4), (uint32_t)mesh.n_elements};
        for (int i = 0; i < 3; i++) {
            adjacency.neighbour[k] = wrong[i];
            cr_assert_eq(adjacency_check(&adjacency), MT_INPUT, "entry %zu set to %u", k, wrong[i]);
        }
        adjacency.neighbour[k] = right;
    }
    cr_assert_eq(adjacency_check(&adjacency), MT_OK);
    mt_arena_free(&arena);
}

Test(adjacency, out_of_memory_is_reported_without_a_leak)
{
    mt_arena lasting = {0};
    mt_mesh mesh;
    slab(&lasting, &mesh);
    mt_status status = MT_MEMORY;
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_adjacency adjacency;
        mt_arena_fail_at(n);
        status = mt_adjacency_make(&arena, &mesh, &adjacency);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK ? n == 4 : status == MT_MEMORY, "take %zu", n);
    }
    mt_arena_free(&lasting);
}
