/* Transfer of fields by ventricular coordinates: between shells of different sizes and shapes, and between ventricles. */
#include <criterion/criterion.h>

#include <math.h>

#include "mesh/anatomy/coordinates.h"
#include "mesh/anatomy/transfer.h"
#include "tests/mesh/gmsh_ventricles.h"
#include "tests/mesh/shell.h"

static mt_arena arena;
static const double x_axis[3] = {1, 0, 0};

static void end(void) { mt_arena_free(&arena); }

TestSuite(transfer, .fini = end);

static void give_coordinates(mt_mesh *mesh, const double *to_septum)
{
    mt_coordinates c;
    cr_assert_eq(mt_coordinates_make(&arena, mesh, to_septum, &c), MT_OK, "%s", mt_message());
    mt_coordinates_put(&c, mesh);
}

/* A shell, larger by a factor. */
static mt_mesh shell_of(size_t half, double stretch, double factor)
{
    const shell s = {half, half / 2, stretch};
    mt_mesh mesh;
    shell_make(&arena, &s, &mesh);
    for (size_t k = 0; k < 3 * mesh.n_vertices; k++) mesh.xyz_mm[k] *= factor;
    give_coordinates(&mesh, x_axis);
    return mesh;
}

static mt_positions positions_of(const mt_mesh *mesh)
{
    mt_positions positions;
    cr_assert_eq(mt_positions_make(&arena, mesh, &positions), MT_OK);
    return positions;
}

/* A smooth function of the coordinates, also at the apex and at the jump of the rotational one; within about -1 and 2. */
static double on_surfaces(const mt_position *p)
{
    return p->apicobasal * p->apicobasal + p->apicobasal * sin(2 * M_PI * p->rotational);
}

/* Another one, not constant across the wall. */
static double smooth(const mt_position *p) { return on_surfaces(p) + p->transmural * (0.5 - p->transmural); }

static size_t places_of(const mt_mesh *mesh, bool at_vertices)
{
    return at_vertices ? mesh->n_vertices : mesh->n_elements;
}

static mt_position place_of(const mt_mesh *mesh, bool at_vertices, size_t k)
{
    return at_vertices ? mt_position_of_vertex(mesh, k) : mt_position_of_element(mesh, k);
}

static double *smooth_field(const mt_mesh *mesh, bool at_vertices)
{
    const size_t n = places_of(mesh, at_vertices);
    double *values = mt_arena_alloc(&arena, n, sizeof *values);
    cr_assert_not_null(values);
    for (size_t k = 0; k < n; k++) {
        const mt_position p = place_of(mesh, at_vertices, k);
        values[k] = smooth(&p);
    }
    return values;
}

/* Root mean square and largest error of the transferred smooth field. */
typedef struct errors {
    double rms, worst;
} errors;

static errors errors_between(const mt_mesh *from, const mt_mesh *to, bool at_vertices)
{
    const mt_positions positions = positions_of(from);
    const double *values = smooth_field(from, at_vertices), *exact = smooth_field(to, at_vertices);
    const size_t n = places_of(to, at_vertices);
    mt_transfer t;
    double *found;
    errors e = {0};
    cr_assert_eq(mt_transfer_make(&arena, &positions, to, at_vertices, &t), MT_OK);
    cr_assert(t.n == n && t.n_used == n && t.n_without == 0, "%zu of %zu", t.n_without, t.n_used);
    cr_assert_eq(mt_transfer_values(&arena, &t, values, &found), MT_OK);
    for (size_t k = 0; k < n; k++) {
        const double d = fabs(found[k] - exact[k]);
        e.rms += d * d / (double)n;
        e.worst = fmax(e.worst, d);
    }
    e.rms = sqrt(e.rms);
    return e;
}

/* Linear interpolation of vertices is of second order: halving the edges divides the error by about four. That of elements is of first
 * order near the surfaces, where means are biased. */
Test(transfer, a_smooth_function_agrees_in_another_shell)
{
    const mt_mesh to = shell_of(7, 1.6, 1.5), coarse = shell_of(6, 1, 1), fine = shell_of(12, 1, 1);
    const errors v[] = {errors_between(&coarse, &to, true), errors_between(&fine, &to, true)},
                 e[] = {errors_between(&coarse, &to, false), errors_between(&fine, &to, false)};
    cr_assert(v[0].rms < 0.008 && v[1].rms < 0.4 * v[0].rms, "%g, %g", v[0].rms, v[1].rms);
    cr_assert(v[0].worst < 0.04 && v[1].worst < 0.6 * v[0].worst, "%g, %g", v[0].worst, v[1].worst);
    cr_assert(e[0].rms < 0.04 && e[1].rms < 0.6 * e[0].rms, "%g, %g", e[0].rms, e[1].rms);
}

/* To rounding. Elements that overlap in coordinates, at the apex, could differ. */
Test(transfer, to_the_same_mesh_it_is_the_identity)
{
    const mt_mesh mesh = shell_of(8, 1.4, 1);
    const errors v = errors_between(&mesh, &mesh, true);
    cr_assert_lt(v.worst, 1e-12, "%g", v.worst);
    const errors e = errors_between(&mesh, &mesh, false);
    cr_assert_lt(e.worst, 1e-9, "%g", e.worst);

    const mt_positions positions = positions_of(&mesh);
    mt_transfer t;
    int64_t *found, *numbers = mt_arena_alloc(&arena, mesh.n_elements, sizeof *numbers);
    size_t n_other = 0;
    for (size_t k = 0; k < mesh.n_elements; k++) numbers[k] = (int64_t)k;
    cr_assert_eq(mt_transfer_make(&arena, &positions, &mesh, false, &t), MT_OK);
    cr_assert_eq(mt_transfer_numbers(&arena, &t, numbers, -1, &found), MT_OK);
    for (size_t k = 0; k < mesh.n_elements; k++) n_other += found[k] != (int64_t)k;
    cr_assert_lt(n_other, mesh.n_elements / 100, "%zu of %zu", n_other, mesh.n_elements);
}

/* Values that are not finite have no effect beyond their elements. */
Test(transfer, missing_values_stay_missing)
{
    const mt_mesh mesh = shell_of(6, 1, 1);
    const mt_positions positions = positions_of(&mesh);
    for (int at = 0; at < 2; at++) {
        double *values = smooth_field(&mesh, at), *found;
        const size_t n = places_of(&mesh, at);
        mt_transfer t;
        size_t n_missing = 0;
        values[n / 2] = NAN, values[n / 3] = INFINITY;
        cr_assert_eq(mt_transfer_make(&arena, &positions, &mesh, at, &t), MT_OK);
        cr_assert_eq(mt_transfer_values(&arena, &t, values, &found), MT_OK);
        cr_assert(isnan(found[n / 2]) && isnan(found[n / 3]));
        for (size_t k = 0; k < n; k++) n_missing += isnan(found[k]) ? 1 : 0;
        cr_assert_leq(n_missing, 4, "%zu", n_missing);
    }
}

/* In a hole of the source, places farther than an edge from it have no value. */
Test(transfer, places_in_a_hole_have_no_counterpart)
{
    const mt_mesh mesh = shell_of(8, 1, 1);
    mt_mesh part;
    mt_transfer t;
    double *found;
    size_t n_nan = 0;
    uint8_t *keep = mt_arena_alloc(&arena, mesh.n_elements, 1);
    for (size_t e = 0; e < mesh.n_elements; e++) {
        const mt_position p = mt_position_of_element(&mesh, e);
        keep[e] = p.rotational < 0.1 || p.rotational > 0.5 || p.apicobasal < 0.4;
    }
    cr_assert_eq(mt_mesh_select(&arena, &mesh, keep, &part), MT_OK);
    const mt_positions positions = positions_of(&part);
    cr_assert_eq(mt_transfer_make(&arena, &positions, &mesh, false, &t), MT_OK);
    cr_assert_eq(mt_transfer_values(&arena, &t, smooth_field(&part, false), &found), MT_OK);
    for (size_t e = 0; e < mesh.n_elements; e++) {
        if (keep[e]) cr_assert(isfinite(found[e]), "%zu", e);
        n_nan += isnan(found[e]) ? 1 : 0;
    }
    cr_assert(n_nan == t.n_without && n_nan > 100, "%zu, %zu", n_nan, t.n_without);
    cr_assert_leq(t.farthest_mm, positions.edge_mm);
}

/* Between ventricles and a left ventricle alone, in both directions. */
Test(transfer, a_right_ventricle_has_no_counterpart_in_a_left_one)
{
    mt_mesh both, left;
    mt_transfer t;
    gmsh_ventricles(&arena, 7, &both);
    give_coordinates(&both, NULL);
    left = shell_of(8, 2, 1.2);
    const mt_positions in_left = positions_of(&left), in_both = positions_of(&both);
    size_t n_right = 0;
    for (size_t v = 0; v < both.n_vertices; v++) n_right += both.coordinate[MT_TRANSVENTRICULAR][v] == 1;
    cr_assert_eq(mt_transfer_make(&arena, &in_left, &both, true, &t), MT_OK);
    cr_assert(n_right > 100 && t.n_without == n_right, "%zu, %zu", t.n_without, n_right);
    for (size_t v = 0; v < both.n_vertices; v++)
        cr_assert_eq(
            t.at[v].element == MT_NO_ELEMENT, both.coordinate[MT_TRANSVENTRICULAR][v] == 1, "%zu", v);
    cr_assert_eq(mt_transfer_make(&arena, &in_both, &left, true, &t), MT_OK);
    cr_assert_eq(t.n_without, 0, "%zu", t.n_without);
    /* the shell's septum and free wall are those of the ventricles; elements are as thick as the septum */
    double *values = mt_arena_alloc(&arena, both.n_vertices, sizeof *values), *found, sum = 0;
    for (size_t v = 0; v < both.n_vertices; v++) {
        const mt_position p = mt_position_of_vertex(&both, v);
        values[v] = on_surfaces(&p);
    }
    cr_assert_eq(mt_transfer_values(&arena, &t, values, &found), MT_OK);
    for (size_t v = 0; v < left.n_vertices; v++) {
        const mt_position p = mt_position_of_vertex(&left, v);
        sum += fabs(found[v] - on_surfaces(&p));
    }
    cr_assert_lt(sum / (double)left.n_vertices, 0.01, "%g", sum / (double)left.n_vertices);
}
