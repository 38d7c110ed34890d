/* Probes with voltages at the vertices. */
#include <criterion/criterion.h>

#include <math.h>

#include "mesh/unknowns.h"
#include "solver/case/probe.h"
#include "tests/random.h"
#include "tests/solver/gmsh_box.h"

enum { PLACES = 200 };

static mt_arena arena;
static mt_mesh mesh;

static void make(void) { gmsh_box(&arena, 0.4, &mesh); }
static void end(void) { mt_arena_free(&arena); }

TestSuite(probe_at_vertices, .init = make, .fini = end);

static double linear(const double x[3]) { return 7 - 2.5 * x[0] + 11 * x[1] + 0.75 * x[2]; }

static double *linear_field(const mt_mesh *of)
{
    double *field = mt_arena_alloc(&arena, of->n_vertices, sizeof *field);
    for (size_t v = 0; v < of->n_vertices; v++) field[v] = linear(of->xyz_mm + 3 * v);
    return field;
}

static mt_probes probes_at(size_t n, double *xyz_mm, const mt_mesh *part)
{
    mt_probes probes = {.n = n, .n_points = n, .xyz_mm = xyz_mm};
    probes.element = mt_arena_alloc(&arena, n, sizeof *probes.element);
    cr_assert_eq(mt_probes_locate(&arena, &mesh, part, &probes), MT_OK, "%s", mt_message());
    return probes;
}

/* Corners, edges and faces of the box and of elements, and random points. */
Test(probe_at_vertices, linear_fields_are_interpolated_exactly)
{
    static double at[PLACES][3];
    double low[3], high[3];
    uint64_t state = 1;
    mt_mesh_box(&mesh, low, high);
    for (size_t k = 0; k < PLACES; k++)
        for (int axis = 0; axis < 3; axis++)
            at[k][axis] = k < 8    ? (k >> axis & 1 ? high : low)[axis]
                          : k < 40 ? mesh.xyz_mm[3 * (7 * k % mesh.n_vertices) + (size_t)axis]
                                   : between(&state, low[axis], high[axis]);
    const mt_probes probes = probes_at(PLACES, at[0], &mesh);
    const double *field = linear_field(&mesh);
    for (size_t k = 0; k < PLACES; k++) {
        cr_assert_neq(probes.element[k], MT_NO_ELEMENT);
        cr_assert_float_eq(
            mt_probes_state(&probes, k, &mesh, NULL, field), linear(at[k]), 1e-12, "place %zu", k);
    }
}

Test(probe_at_vertices, the_needed_vertices_are_those_of_the_element)
{
    double at[3];
    uint8_t *needed = mt_arena_alloc(&arena, mesh.n_vertices, 1);
    mt_mesh_centroid(&mesh, 17, at);
    const mt_probes probes = probes_at(1, at, &mesh);
    cr_assert_eq(probes.element[0], 17);
    mt_probes_needs(&probes, 0, &mesh, NULL, needed);
    size_t n = 0;
    for (size_t v = 0; v < mesh.n_vertices; v++) n += needed[v];
    cr_expect_eq(n, 4);
    for (size_t k = 0; k < 4; k++) {
        cr_expect_eq(needed[mesh.element_vertex[4 * 17 + k]], 1);
        cr_expect_float_eq(probes.weight[k], 0.25, 1e-12);
    }
}

/* A place outside has the value of a point of the surface, within the range of its element. */
Test(probe_at_vertices, a_place_outside_has_a_value_of_the_nearest_element)
{
    double low[3], high[3];
    mt_mesh_box(&mesh, low, high);
    double at[3] = {high[0] + 0.05, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2};
    const double on[3] = {high[0], at[1], at[2]};
    const mt_probes probes = probes_at(1, at, &mesh);
    double *x_field = mt_arena_alloc(&arena, mesh.n_vertices, sizeof *x_field);
    for (size_t v = 0; v < mesh.n_vertices; v++) x_field[v] = mesh.xyz_mm[3 * v];
    cr_expect_float_eq(mt_probes_state(&probes, 0, &mesh, NULL, x_field), high[0], 1e-12);
    cr_expect_float_eq(mt_probes_state(&probes, 0, &mesh, NULL, linear_field(&mesh)), linear(on), 0.5);
}

/* Conducting: the elements with centroids at smaller x. A place on their border belongs to them. */
Test(probe_at_vertices, a_place_in_a_nonconducting_element_has_no_value)
{
    mt_mesh part;
    uint8_t *keep = mt_arena_alloc(&arena, mesh.n_elements, 1);
    double low[3], high[3], at[3][3];
    size_t inside = 0, outside = 0;
    mt_mesh_box(&mesh, low, high);
    for (size_t c = 0; c < mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        keep[c] = x[0] < (low[0] + high[0]) / 2;
        *(keep[c] ? &inside : &outside) = c;
    }
    cr_assert_eq(mt_mesh_select(&arena, &mesh, keep, &part), MT_OK);
    cr_assert_eq(mt_unknowns_mesh(&arena, &part, &part), MT_OK);
    mt_mesh_centroid(&mesh, inside, at[0]);
    mt_mesh_centroid(&mesh, outside, at[1]);
    size_t border = 0; /* a vertex of elements of both kinds */
    for (size_t c = 0; c < mesh.n_elements; c++)
        for (size_t k = 0; !keep[c] && k < 4; k++)
            for (size_t v = 0; v < part.n_vertices; v++)
                if (part.vertex_number[v] == mesh.element_vertex[4 * c + k]) border = v;
    for (size_t axis = 0; axis < 3; axis++) at[2][axis] = part.xyz_mm[3 * border + axis];
    const mt_probes probes = probes_at(3, at[0], &part);
    const double *field = linear_field(&part);
    cr_expect_eq(mt_mesh_number(&part, probes.element[0]), inside);
    cr_expect_float_eq(mt_probes_state(&probes, 0, &part, NULL, field), linear(at[0]), 1e-12);
    cr_expect_eq(probes.element[1], MT_NO_ELEMENT);
    cr_expect(isnan(mt_probes_state(&probes, 1, &part, NULL, field)));
    cr_expect(isnan(mt_probe_activation_ms(&probes, 1, &part, NULL, field, 100)));
    cr_expect_float_eq(mt_probes_state(&probes, 2, &part, NULL, field), linear(at[2]), 1e-12);
}

Test(probe_at_vertices, the_activation_time_is_undefined_if_a_vertex_with_weight_is_not_activated)
{
    double at[2][3];
    double *field = linear_field(&mesh);
    mt_mesh_centroid(&mesh, 17, at[0]);
    for (size_t axis = 0; axis < 3; axis++)
        at[1][axis] = mesh.xyz_mm[3 * (size_t)mesh.element_vertex[4 * 17] + axis];
    const mt_probes probes = probes_at(2, at[0], &mesh);
    cr_expect_float_eq(mt_probe_activation_ms(&probes, 0, &mesh, NULL, field, 100), linear(at[0]), 1e-12);
    field[mesh.element_vertex[4 * 17 + 1]] = INFINITY;
    cr_expect(isnan(mt_probe_activation_ms(&probes, 0, &mesh, NULL, field, 100)));
}
