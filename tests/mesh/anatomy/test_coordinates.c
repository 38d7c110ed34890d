/* Ventricular coordinates of shells, where they are known, and of two ventricles. */
#include <criterion/criterion.h>

#include <omp.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/anatomy/coordinates.h"
#include "mesh/make/refine.h"
#include "mesh/make/slab.h"
#include "tests/mesh/gmsh_ventricles.h"
#include "tests/mesh/shell.h"

static mt_arena arena;
static const double x_axis[3] = {1, 0, 0};

static void end(void) { mt_arena_free(&arena); }

TestSuite(coordinates, .fini = end);

static mt_coordinates coordinates_of(const mt_mesh *mesh, const double *to_septum)
{
    mt_coordinates c;
    cr_assert_eq(mt_coordinates_make(&arena, mesh, to_septum, &c), MT_OK, "%s", mt_message());
    return c;
}

/* The distance of two rotational coordinates. */
static double turn_between(double a, double b)
{
    const double apart = fabs(a - b);
    return apart > 0.5 ? 1 - apart : apart;
}

/* ---- shells ---- */

/* The rotational coordinate at an angle [degrees] from the direction to the septum towards the anterior, -180 .. 180: the septum is within
 * 60 degrees, from its anterior (2/3) to its posterior end (1), and the free wall continues from there (0). */
static double rotational_at(double anterior_deg)
{
    if (fabs(anterior_deg) <= 60) return 2.0 / 3 + (60 - anterior_deg) / 120 / 3;
    return ((anterior_deg > 0 ? 360 - anterior_deg : -anterior_deg) - 60) / 240 * 2 / 3;
}

typedef struct errors {
    double transmural, apicobasal, rotational; /* root mean squares */
} errors;

/* Returns the errors in a shell with the septum at +x. Anterior is long axis x direction to the septum: z x x = y. The rotational error is
 * an arc, which vanishes towards the apex; its unit is that of the base. */
static errors shell_errors(const mt_mesh *mesh, const mt_coordinates *c)
{
    errors sum = {0};
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        const double *x = mesh->xyz_mm + 3 * v, r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        const double out = (r - SHELL_INNER_MM) / (SHELL_OUTER_MM - SHELL_INNER_MM);
        const double polar = atan2(hypot(x[0], x[1]), -x[2]), turn = atan2(x[1], x[0]) * 180 / M_PI;
        const double arc = turn_between(c->rotational[v], rotational_at(turn)) * sin(polar);
        sum.transmural += (c->transmural[v] - out) * (c->transmural[v] - out);
        sum.apicobasal += (c->apicobasal[v] - polar / (M_PI / 2)) * (c->apicobasal[v] - polar / (M_PI / 2));
        sum.rotational += arc * arc;
    }
    const double n = (double)mesh->n_vertices;
    return (errors){sqrt(sum.transmural / n), sqrt(sum.apicobasal / n), sqrt(sum.rotational / n)};
}

/* Edges have 5 mm at first: an eighth of the meridian, and 2.5 mm across the wall. A linear element deviates from a curve of radius R by at
 * most h^2 / (8 R), here 0.012 of the wall; the average is far smaller. Laplace's solution would have an error of 0.07. Halving the edges
 * divides errors of second order by four. The distance from the apex, where directions meet, has an error of first order, of 0.2 mm here;
 * as the straight rings around the apex become smaller, too, it is divided by less than two. */
Test(coordinates, a_shell_has_its_analytic_coordinates)
{
    errors e[2];
    for (size_t k = 0; k < 2; k++) {
        mt_mesh mesh;
        const shell s = {(size_t)8 << k, (size_t)4 << k, 1};
        shell_make(&arena, &s, &mesh);
        const mt_coordinates c = coordinates_of(&mesh, x_axis);
        e[k] = shell_errors(&mesh, &c);
        cr_assert(!c.has_rv && !c.arbitrary);
        cr_assert_float_eq(c.wall_mm[0], SHELL_OUTER_MM - SHELL_INNER_MM, 0.01, "%g", c.wall_mm[0]);
        cr_assert_lt(c.nonlinearity, k ? 0.002 : 0.008, "%g", c.nonlinearity);
    }
    cr_assert(e[0].transmural < 0.001 && e[1].transmural < e[0].transmural / 3, "%g, %g", e[0].transmural,
        e[1].transmural);
    cr_assert(e[0].rotational < 0.002 && e[1].rotational < e[0].rotational / 2, "%g, %g", e[0].rotational,
        e[1].rotational);
    cr_assert(e[0].apicobasal < 0.005 && e[1].apicobasal < e[0].apicobasal / 1.25, "%g, %g", e[0].apicobasal,
        e[1].apicobasal);
}

/* The length of the meridian of an ellipse with half axes r and r * stretch from the apex to this parametric angle. */
static double meridian_mm(double r, double stretch, double angle)
{
    double sum = 0;
    const int n = 200;
    for (int i = 0; i < n; i++) {
        const double t = (i + 0.5) / n * angle;
        sum += hypot(r * cos(t), stretch * r * sin(t)) * angle / n;
    }
    return sum;
}

/* In an elongated shell, unlike in half spheres, neither height nor angle is linear in arc length: the angle differs from it by up to 0.13.
 * On both surfaces the trajectories are meridians; inside they are not known. An edge is 0.08 of a meridian; half of that is allowed. */
Test(coordinates, apicobasal_is_the_arc_length_of_meridians)
{
    mt_mesh mesh;
    const shell s = {12, 4, 2.5};
    double worst = 0, by_angle = 0;
    shell_make(&arena, &s, &mesh);
    const mt_coordinates c = coordinates_of(&mesh, x_axis);
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        const double *x = mesh.xyz_mm + 3 * v, angle = atan2(hypot(x[0], x[1]), -x[2] / s.stretch);
        if (c.transmural[v] > 0 && c.transmural[v] < 1) continue;
        const double r = c.transmural[v] > 0 ? SHELL_OUTER_MM : SHELL_INNER_MM;
        const double exact = meridian_mm(r, s.stretch, angle) / meridian_mm(r, s.stretch, M_PI / 2);
        worst = fmax(worst, fabs(c.apicobasal[v] - exact));
        by_angle = fmax(by_angle, fabs(angle / (M_PI / 2) - exact));
    }
    cr_assert(worst < 0.04 && by_angle > 0.1, "%g, %g", worst, by_angle);
}

/* The meshes differ only by rounding, so that the coordinates differ by the tolerance of the equations (1e-8), relative to small
 * gradients. At single vertices another element may be chosen upstream, which changes less than a twentieth of an edge. */
Test(coordinates, rigid_motion_changes_no_coordinate)
{
    mt_mesh mesh;
    const shell s = {6, 3, 1.5};
    const double turn[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}; /* Pythagorean */
    double to_septum[3];
    shell_make(&arena, &s, &mesh);
    const mt_coordinates here = coordinates_of(&mesh, (double[]){0.9, 0.2, 0});
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        double x[3];
        memcpy(x, mesh.xyz_mm + 3 * v, sizeof x);
        for (size_t i = 0; i < 3; i++)
            mesh.xyz_mm[3 * v + i] = turn[i][0] * x[0] + turn[i][1] * x[1] + turn[i][2] * x[2] + 50;
    }
    for (int i = 0; i < 3; i++) to_septum[i] = turn[i][0] * 0.9 + turn[i][1] * 0.2;
    const mt_coordinates there = coordinates_of(&mesh, to_septum);
    double worst = 0, mean = 0;
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        const double by[3] = {fabs(here.transmural[v] - there.transmural[v]),
            fabs(here.apicobasal[v] - there.apicobasal[v]),
            here.apicobasal[v] > 0 ? turn_between(here.rotational[v], there.rotational[v]) : 0};
        const double most = fmax(fmax(by[0], by[1]), by[2]);
        worst = fmax(worst, most);
        mean += most / (double)mesh.n_vertices;
    }
    cr_assert(worst < 0.005 && mean < 1e-5, "%g, %g", worst, mean);
}

Test(coordinates, without_a_direction_the_septum_of_a_left_ventricle_is_at_an_axis_of_the_file)
{
    mt_mesh mesh;
    const shell s = {4, 2, 1};
    shell_make(&arena, &s, &mesh);
    const mt_coordinates c = coordinates_of(&mesh, NULL), same = coordinates_of(&mesh, x_axis);
    cr_assert(c.arbitrary && !same.arbitrary);
    cr_assert_float_eq(c.to_septum[0], 1, 1e-12);
    cr_assert_arr_eq(c.rotational, same.rotational, mesh.n_vertices * sizeof *c.rotational);
    for (size_t k = 0; k < 3 * mesh.n_vertices; k += 3) { /* a long axis along x: then it is y */
        const double z = mesh.xyz_mm[k + 2];
        mesh.xyz_mm[k + 2] = mesh.xyz_mm[k + 1];
        mesh.xyz_mm[k + 1] = mesh.xyz_mm[k];
        mesh.xyz_mm[k] = z;
    }
    const mt_coordinates along_x = coordinates_of(&mesh, NULL);
    cr_assert_float_eq(along_x.up[0], 1, 1e-12);
    cr_assert_float_eq(along_x.to_septum[1], 1, 1e-12);
}

/* ---- two ventricles ---- */

static void check_surfaces(const mt_mesh *mesh, const mt_coordinates *c)
{
    for (size_t k = 0; k < 3 * mesh->n_faces; k++) {
        const size_t v = mesh->face_vertex[k];
        const int32_t tag = mesh->face_tag[k / 3];
        if (tag == MT_SURFACE_LV || tag == MT_SURFACE_RV) cr_assert_eq(c->transmural[v], 0, "%zu", v);
        if (tag == MT_SURFACE_EPI && c->transmural[v] > 0) cr_assert_eq(c->transmural[v], 1, "%zu", v);
        if (tag == MT_SURFACE_LV) cr_assert_eq(c->transventricular[v], 0, "%zu", v);
        if (tag == MT_SURFACE_RV) cr_assert_eq(c->transventricular[v], 1, "%zu", v);
        if (tag == MT_SURFACE_BASE) cr_assert_eq(c->apicobasal[v], 1, "%zu", v);
    }
}

static double length_mm(const mt_mesh *mesh, size_t a, size_t b)
{
    return sqrt(mt_square3(mesh->xyz_mm + 3 * a, mesh->xyz_mm + 3 * b));
}

/* Walls are at least 5 mm thick, as is half of the septum, so that a transmural difference is at most an edge over that. Ventricles have a
 * circumference of 160 mm or more above the apical quarter, of which a third is septum. Heights are 60 mm or more. The factor 2 is for
 * oblique trajectories. */
static void check_jumps(const mt_mesh *mesh, const mt_coordinates *c)
{
    for (size_t e = 0; e < mesh->n_elements; e++)
        for (size_t k = 0; k < 6; k++) {
            const uint32_t *v = mesh->element_vertex + 4 * e;
            const size_t a = v[mt_mesh_edge[k][0]], b = v[mt_mesh_edge[k][1]];
            const double mm = length_mm(mesh, a, b);
            cr_assert_leq(fabs(c->transmural[a] - c->transmural[b]), fmin(1, 2 * mm / 5), "%zu %zu", a, b);
            cr_assert_leq(fabs(c->apicobasal[a] - c->apicobasal[b]), 2 * mm / 60, "%zu %zu", a, b);
            if (c->apicobasal[a] < 0.25 || c->apicobasal[b] < 0.25) continue;
            cr_assert_leq(turn_between(c->rotational[a], c->rotational[b]), 2 * mm / 160, "%zu %zu", a, b);
            if (fabs(c->rotational[a] - c->rotational[b]) > 0.5) /* only over the posterior ridge, at -y */
                cr_assert(mesh->xyz_mm[3 * a + 1] < 0 && mesh->xyz_mm[3 * b + 1] < 0, "%zu %zu", a, b);
            if (c->transventricular[a] != c->transventricular[b]) /* the septal surface is between the two */
                cr_assert_leq(2 - c->transmural[a] - c->transmural[b], 1.2 * mm / 5, "%zu %zu", a, b);
        }
}

/* Returns the number of vertices without a larger and a smaller value among their neighbours, which are not at an end (0 or 1). */
static size_t count_extrema(const mt_mesh *mesh, const double *value)
{
    size_t n = 0;
    uint8_t *seen = mt_arena_alloc(&arena, mesh->n_vertices, 1);
    cr_assert(seen);
    for (size_t e = 0; e < mesh->n_elements; e++)
        for (size_t k = 0; k < 12; k++) {
            const uint32_t *v = mesh->element_vertex + 4 * e;
            const size_t a = v[mt_mesh_edge[k % 6][k / 6]], b = v[mt_mesh_edge[k % 6][1 - k / 6]];
            seen[a] = (uint8_t)(seen[a] | (value[b] < value[a]) | (value[b] > value[a]) << 1);
        }
    for (size_t v = 0; v < mesh->n_vertices; v++) n += value[v] > 0 && value[v] < 1 && seen[v] != 3;
    return n;
}

/* The script's heart has the right ventricle at +x of the left one, the base at z = 0, and mirror symmetry in y; posterior is direction to
 * the septum x long axis, -y. At the middle of a free wall, opposite the other ventricle, the rotational coordinate is 1/3, and in the
 * middle of the septum 5/6, within an edge of 6 mm over a circumference of 160 mm. */
static void check_directions(const mt_mesh *mesh, const mt_coordinates *c)
{
    size_t n[3] = {0};
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        const double *x = mesh->xyz_mm + 3 * v, turn = c->rotational[v];
        if (x[2] < -35 || x[2] > -5) continue;
        const bool septum = x[0] > 0 && x[0] < 40 && turn > 2.0 / 3;
        if (!septum && fabs(x[1]) > 8) cr_assert(x[1] > 0 ? turn > 1.0 / 3 : turn < 1.0 / 3, "%zu", v);
        if (fabs(x[1]) > 2) continue;
        cr_assert_lt(fabs(turn - (septum ? 5.0 / 6 : 1.0 / 3)), 6.0 / 160, "%zu: %g", v, turn);
        n[septum ? 2 : c->transventricular[v] > 0]++;
    }
    cr_assert(n[0] > 5 && n[1] > 5 && n[2] > 5, "%zu, %zu, %zu", n[0], n[1], n[2]);
}

Test(coordinates, two_ventricles_have_smooth_coordinates_with_the_jumps_of_the_definition)
{
    mt_mesh mesh;
    gmsh_ventricles_alike(&arena, 6, &mesh);
    const mt_coordinates c = coordinates_of(&mesh, NULL);
    const double *const all[] = {c.transventricular, c.transmural, c.rotational, c.apicobasal};
    cr_assert(c.has_rv && !c.arbitrary);
    cr_assert(c.to_septum[0] > 0.99 && c.up[2] > 0.99, "%g %g", c.to_septum[0], c.up[2]);
    for (int k = 0; k < 4; k++)
        for (size_t v = 0; v < mesh.n_vertices; v++)
            cr_assert(all[k][v] >= 0 && all[k][v] <= 1, "%d %zu", k, v);
    check_surfaces(&mesh, &c);
    check_jumps(&mesh, &c);
    check_directions(&mesh, &c);
    /* without local extrema, but for vertices at the apex and at the borders of surfaces */
    const size_t most = mesh.n_vertices / 200;
    cr_assert_leq(count_extrema(&mesh, c.transmural), most, "%zu", count_extrema(&mesh, c.transmural));
    cr_assert_leq(count_extrema(&mesh, c.apicobasal), most, "%zu", count_extrema(&mesh, c.apicobasal));
}

/* Root mean square of the change of a coordinate at the vertices of both meshes, outside the apical tenth. */
static double change(const mt_mesh *mesh, const mt_coordinates *a, const double *x, const double *y)
{
    double sum = 0, n = 0;
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        if (a->apicobasal[v] < 0.1) continue;
        const double d = turn_between(x[v], y[v]);
        sum += d * d, n++;
    }
    return sqrt(sum / n);
}

/* One mesh for both, since gmsh takes most of the time. */
Test(coordinates, results_depend_on_refinement_by_less_than_half_an_edge_and_not_on_threads)
{
    mt_mesh mesh, fine;
    mt_coordinates c[2];
    gmsh_ventricles_alike(&arena, 8, &mesh);
    const int usual = omp_get_max_threads();
    for (int k = 0; k < 2; k++) {
        omp_set_num_threads(k ? 3 : 1);
        c[k] = coordinates_of(&mesh, NULL);
    }
    omp_set_num_threads(usual);
    cr_assert_arr_eq(c[0].transmural, c[1].transmural, mesh.n_vertices * sizeof(double));
    cr_assert_arr_eq(c[0].rotational, c[1].rotational, mesh.n_vertices * sizeof(double));
    cr_assert_arr_eq(c[0].apicobasal, c[1].apicobasal, mesh.n_vertices * sizeof(double));
    cr_assert_arr_eq(c[0].transventricular, c[1].transventricular, mesh.n_vertices * sizeof(double));

    cr_assert_eq(mt_refine(&arena, &mesh, &fine), MT_OK);
    const mt_coordinates b = coordinates_of(&fine, NULL);
    /* half an edge, 4 mm, over the thickness (10 mm), the circumference (160 mm) and the height (80 mm) */
    const double by[3] = {change(&mesh, c, c->transmural, b.transmural),
        change(&mesh, c, c->rotational, b.rotational), change(&mesh, c, c->apicobasal, b.apicobasal)};
    cr_assert_lt(by[0], 0.4, "%g", by[0]);
    cr_assert_lt(by[1], 0.025, "%g", by[1]);
    cr_assert_lt(by[2], 0.05, "%g", by[2]);
}

/* ---- errors ---- */

static void fails(const mt_mesh *mesh, const double *to_septum, const char *message)
{
    mt_coordinates c;
    cr_assert_eq(mt_coordinates_make(&arena, mesh, to_septum, &c), MT_INPUT);
    cr_assert(strstr(mt_message(), message), "%s", mt_message());
}

Test(coordinates, missing_surfaces_and_wrong_directions_are_rejected)
{
    mt_mesh mesh;
    const shell s = {4, 2, 1};
    static const char *const names[] = {"base", "epicardium", "left endocardium"};
    shell_make(&arena, &s, &mesh);
    for (int32_t tag = MT_SURFACE_BASE; tag <= MT_SURFACE_LV; tag++) {
        for (size_t f = 0; f < mesh.n_faces; f++) mesh.face_tag[f] += 100 * (mesh.face_tag[f] == tag);
        fails(&mesh, NULL, names[tag - MT_SURFACE_BASE]);
        for (size_t f = 0; f < mesh.n_faces; f++) mesh.face_tag[f] %= 100;
    }
    fails(&mesh, (double[]){0, 0, 2}, "along the long axis");
    fails(&mesh, (double[]){0, 0, 0}, "along the long axis");
    for (size_t f = 0; f < mesh.n_faces; f++) /* a right endocardium among the outer triangles */
        if (mesh.face_tag[f] == MT_SURFACE_EPI && f % 2) mesh.face_tag[f] = MT_SURFACE_RV;
    fails(&mesh, x_axis, "only one of them");
}

/* A septum with a free wall on two opposite sides, y = 0 and y = 12: its ridges do not meet at an apex. */
Test(coordinates, ventricles_without_an_apex_are_rejected)
{
    mt_mesh mesh;
    mt_adjacency adjacency;
    const double size_mm[3] = {4, 12, 4};
    cr_assert_eq(mt_slab_make(&arena, size_mm, 1, &mesh), MT_OK);
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK);
    cr_assert_eq(mt_mesh_new_faces(&arena, mt_adjacency_boundary_faces(&adjacency), &mesh), MT_OK);
    mesh.n_faces = 0;
    for (size_t i = 0; i < 4 * mesh.n_elements; i++) {
        static const int32_t tag_of[3][2] = {
            {MT_SURFACE_LV, MT_SURFACE_RV}, {MT_SURFACE_EPI, MT_SURFACE_EPI}, {0, MT_SURFACE_BASE}};
        double area[3];
        if (adjacency.neighbour[i] != MT_NO_ELEMENT) continue;
        mt_mesh_face_area(&mesh, i / 4, i % 4, area);
        const size_t axis = fabs(area[0]) > 0.1 ? 0 : fabs(area[1]) > 0.1 ? 1 : 2;
        for (size_t k = 0; k < 3; k++)
            mesh.face_vertex[3 * mesh.n_faces + k] =
                mesh.element_vertex[4 * (i / 4) + mt_mesh_face[i % 4][k]];
        mesh.face_tag[mesh.n_faces++] = tag_of[axis][area[axis] > 0];
    }
    fails(&mesh, NULL, "each must be at least 1");
}
