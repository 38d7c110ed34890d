/* Positions by ventricular coordinates: of shells, where they are known, and of two ventricles. */
#include <criterion/criterion.h>

#include <string.h>

#include "data/core/vec3.h"
#include "mesh/anatomy/coordinates.h"
#include "mesh/anatomy/position.h"
#include "mesh/anatomy/segments.h"
#include "tests/mesh/gmsh_ventricles.h"
#include "tests/mesh/shell.h"

static mt_arena arena;
static const double x_axis[3] = {1, 0, 0};

static void end(void) { mt_arena_free(&arena); }

TestSuite(position, .fini = end);

/* Computes the coordinates of a mesh and prepares the search. */
static mt_positions prepared(mt_mesh *mesh, const double *to_septum)
{
    mt_coordinates c;
    mt_positions positions;
    cr_assert_eq(mt_coordinates_make(&arena, mesh, to_septum, &c), MT_OK, "%s", mt_message());
    mt_coordinates_put(&c, mesh);
    cr_assert_eq(mt_positions_make(&arena, mesh, &positions), MT_OK);
    return positions;
}

static mt_positions shell_positions(size_t half, mt_mesh *mesh)
{
    const shell s = {half, half / 2, 1};
    shell_make(&arena, &s, mesh);
    return prepared(mesh, x_axis);
}

/* The point of the shell with a position: the angle [degrees] from the septum, at +x, towards the anterior, +y, is the inverse of that of
 * tests/mesh/anatomy/test_coordinates.c. */
static void shell_place(const mt_position *p, double x[3])
{
    const double r = SHELL_INNER_MM + p->transmural * (SHELL_OUTER_MM - SHELL_INNER_MM),
                 polar = p->apicobasal * M_PI / 2,
                 deg = p->rotational >= 2.0 / 3 ? 60 - (p->rotational - 2.0 / 3) * 360
                                                : -60 - p->rotational * 360;
    x[0] = r * sin(polar) * cos(deg * M_PI / 180);
    x[1] = r * sin(polar) * sin(deg * M_PI / 180);
    x[2] = -r * cos(polar);
}

/* Positions at regular distances, borders included. */
enum { ALONG = 11, AROUND = 25, ACROSS = 5, POSITIONS = ALONG * AROUND * ACROSS };

static mt_position position_of(size_t i)
{
    return (mt_position){(double)(i % ALONG) / (ALONG - 1), (double)(i / ALONG % AROUND) / (AROUND - 1),
        (double)(i / ALONG / AROUND) / (ACROSS - 1), 0};
}

/* The largest distance of the points found from the exact ones. */
static double worst_mm(const mt_positions *positions)
{
    double worst = 0;
    for (size_t i = 0; i < POSITIONS; i++) {
        const mt_position p = position_of(i);
        const mt_located at = mt_positions_find(positions, &p);
        double found[3], exact[3];
        cr_assert(mt_positions_has(positions, &at), "%zu: %g mm", i, at.distance_mm);
        mt_positions_point(positions, &at, found);
        shell_place(&p, exact);
        worst = fmax(worst, sqrt(mt_square3(found, exact)));
    }
    return worst;
}

/* The error is below an edge, of 4.9 mm on average in the coarse shell, and decreases with it. */
Test(position, places_of_a_shell_are_within_an_edge_of_the_exact_ones)
{
    mt_mesh coarse, fine;
    const mt_positions a = shell_positions(6, &coarse), b = shell_positions(12, &fine);
    const double of_a = worst_mm(&a), of_b = worst_mm(&b);
    cr_assert(of_a < 0.5 * a.edge_mm && of_b < 0.5 * b.edge_mm, "%g of %g, %g of %g", of_a, a.edge_mm, of_b,
        b.edge_mm);
    cr_assert_lt(of_b, 0.75 * of_a, "%g, %g", of_a, of_b);
}

/* Interpolates a coordinate at a point, the rotational one relative to `near`. */
static double interpolated(const mt_mesh *mesh, const mt_located *at, mt_coordinate which, double near)
{
    const uint32_t *v = mesh->element_vertex + 4 * (size_t)at->element;
    double sum = 0;
    for (size_t k = 0; k < 4; k++) {
        const double x = mesh->coordinate[which][v[k]];
        sum += at->weight[k] * (which == MT_ROTATIONAL ? x - round(x - near) : x);
    }
    return sum;
}

/* Above the elements at the apex, the interpolated coordinates are those of the position to rounding. */
Test(position, the_point_found_has_the_coordinates)
{
    mt_mesh mesh;
    const mt_positions positions = shell_positions(10, &mesh);
    for (size_t i = 0; i < POSITIONS; i++) {
        const mt_position p = position_of(i);
        if (p.apicobasal < 0.35) continue;
        const mt_located at = mt_positions_find(&positions, &p);
        cr_assert_eq(at.distance_mm, 0, "%zu: %g", i, at.distance_mm);
        cr_assert_float_eq(interpolated(&mesh, &at, MT_APICOBASAL, 0), p.apicobasal, 1e-7, "%zu", i);
        cr_assert_float_eq(interpolated(&mesh, &at, MT_TRANSMURAL, 0), p.transmural, 1e-7, "%zu", i);
        cr_assert_float_eq(
            interpolated(&mesh, &at, MT_ROTATIONAL, p.rotational), p.rotational, 1e-7, "%zu", i);
    }
}

/* At a vertex, the point is that vertex; the apex is one for all rotational coordinates. */
Test(position, positions_of_vertices_are_the_vertices)
{
    mt_mesh mesh;
    const mt_positions positions = shell_positions(8, &mesh);
    double worst = 0;
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        const mt_position p = {mesh.coordinate[MT_APICOBASAL][v], mesh.coordinate[MT_ROTATIONAL][v],
            mesh.coordinate[MT_TRANSMURAL][v], 0};
        const mt_located at = mt_positions_find(&positions, &p);
        double found[3];
        mt_positions_point(&positions, &at, found);
        worst = fmax(worst, sqrt(mt_square3(found, mesh.xyz_mm + 3 * v)));
    }
    cr_assert_lt(worst, 1e-5, "%g", worst);
}

/* Returns the distance of a position from the nearest of all elements, each in a grid with one cell. */
static double least_distance(const mt_positions *positions, const mt_position *p)
{
    double least = INFINITY;
    for (size_t e = 0; e < positions->mesh->n_elements; e++) {
        mt_positions one = *positions;
        mt_position_grid *grid = &one.grid[0];
        grid->start = (size_t[]){0, 1, 1};
        grid->element = (uint32_t[]){(uint32_t)e};
        memcpy(grid->n, (size_t[]){1, 1, 1}, sizeof grid->n);
        least = fmin(least, mt_positions_find(&one, p).distance_mm);
    }
    return least;
}

/* Also in a shell with a hole, where the nearest element is some cells away. */
Test(position, the_grid_misses_no_element)
{
    mt_mesh mesh, part;
    mt_positions positions = shell_positions(6, &mesh);
    size_t n_far = 0;
    uint8_t *keep = mt_arena_alloc(&arena, mesh.n_elements, 1);
    for (size_t e = 0; e < mesh.n_elements; e++) {
        const uint32_t v = mesh.element_vertex[4 * e];
        const double turn = mesh.coordinate[MT_ROTATIONAL][v], height = mesh.coordinate[MT_APICOBASAL][v];
        keep[e] = turn < 0.2 || turn > 0.5 || height < 0.3 || height > 0.8;
    }
    cr_assert_eq(mt_mesh_select(&arena, &mesh, keep, &part), MT_OK);
    for (int hole = 0; hole < 2; hole++) {
        if (hole) cr_assert_eq(mt_positions_make(&arena, &part, &positions), MT_OK);
        for (size_t i = 0; i < POSITIONS; i += 7) {
            const mt_position p = position_of(i);
            const mt_located found = mt_positions_find(&positions, &p);
            const double least = least_distance(&positions, &p);
            cr_assert_eq(found.distance_mm, least, "%zu: %g, %g", i, found.distance_mm, least);
            n_far += !mt_positions_has(&positions, &found);
        }
    }
    cr_assert_gt(n_far, 0);
}

/* As between separate valves, rotational coordinates near the base are those of thirds of the free wall. Their elements overlap all others
 * in coordinates, but are not taken. */
Test(position, torn_elements_near_the_base_are_not_taken)
{
    mt_mesh mesh;
    mt_positions positions = shell_positions(10, &mesh);
    for (size_t v = 0; v < mesh.n_vertices; v++)
        if (mesh.coordinate[MT_APICOBASAL][v] > 0.87) mesh.coordinate[MT_ROTATIONAL][v] = (double)(v % 3) / 3;
    cr_assert_eq(mt_positions_make(&arena, &mesh, &positions), MT_OK);
    for (size_t i = 0; i < POSITIONS; i++) {
        const mt_position p = position_of(i);
        double found[3], exact[3];
        if (p.apicobasal > 0.75) continue;
        const mt_located at = mt_positions_find(&positions, &p);
        mt_positions_point(&positions, &at, found);
        shell_place(&p, exact);
        cr_assert_lt(sqrt(mt_square3(found, exact)), positions.edge_mm, "%zu: %g %g %g", i, found[0],
            found[1], found[2]);
    }
}

/* The names of rotational coordinates are in the middle of the segments of these names. */
Test(position, names_are_the_middles_of_segments)
{
    for (const mt_named_number *n = mt_position_rotational; n->name; n++) {
        char key[40];
        int32_t segment;
        if (strstr(n->name, "junction")) continue;
        const bool four = strcmp(n->name, "lateral") == 0 || strcmp(n->name, "septal") == 0;
        (void)snprintf(key, sizeof key, "%s_%s", four ? "apical" : "basal", n->name);
        cr_assert_eq(mt_segment_parse(key, &segment), MT_OK, "%s", key);
        const double half = four ? 1.0 / 8 : 1.0 / 12, height = four ? 0.3 : 0.9;
        for (int side = -1; side <= 1; side++)
            cr_assert_eq(mt_segment_at(height, n->number + 0.999 * side * half), segment, "%s", key);
        cr_assert_neq(mt_segment_at(height, n->number + 1.001 * half), segment, "%s", key);
    }
}

Test(position, a_left_ventricle_alone_has_no_right_one)
{
    mt_mesh mesh;
    const mt_positions positions = shell_positions(4, &mesh);
    const mt_position p = {0.5, 0.25, 0, 1};
    const mt_located at = mt_positions_find(&positions, &p);
    cr_assert(at.element == MT_NO_ELEMENT && !mt_positions_has(&positions, &at));
}

/* ---- two ventricles ---- */

static void find_in(const mt_positions *positions, const mt_position *p, mt_located *at, double x[3])
{
    *at = mt_positions_find(positions, p);
    cr_assert(mt_positions_has(positions, at), "%g %g %g %d: %g mm", p->apicobasal, p->rotational,
        p->transmural, p->ventricle, at->distance_mm);
    mt_positions_point(positions, at, x);
}

/* All positions exist in both ventricles within an edge. Those at the septal surface are the same seen from both, as it is found in
 * elements with vertices of both. */
Test(position, two_ventricles_have_all_positions_and_share_the_septal_surface)
{
    mt_mesh mesh;
    gmsh_ventricles(&arena, 6, &mesh);
    const mt_positions positions = prepared(&mesh, NULL);
    double apart = 0;
    size_t n_inside = 0, n = 0;
    for (size_t i = 0; i < POSITIONS; i++) {
        mt_position p = position_of(i);
        double x[2][3];
        mt_located at;
        for (p.ventricle = 0; p.ventricle < 2; p.ventricle++, n++) {
            find_in(&positions, &p, &at, x[p.ventricle]);
            n_inside += at.distance_mm == 0;
        }
        const bool septal = p.rotational > 0.7 && p.rotational < 0.97 && p.apicobasal > 0.3;
        if (septal && p.transmural == 1) apart = fmax(apart, sqrt(mt_square3(x[0], x[1])));
    }
    cr_assert_gt((double)n_inside, 0.95 * (double)n, "%zu of %zu", n_inside, n);
    cr_assert_lt(apart, positions.edge_mm, "%g of %g", apart, positions.edge_mm);
}

/* A place moves by less than an edge of the coarse mesh if the mesh is refined. Near the base of the right ventricle and at the junctions
 * the coordinates themselves depend on the mesh; the mean is far smaller. */
Test(position, places_do_not_depend_on_the_mesh)
{
    mt_mesh mesh[2];
    mt_positions positions[2];
    double mean = 0;
    size_t n = 0, n_far = 0;
    for (int k = 0; k < 2; k++) {
        gmsh_ventricles(&arena, k == 0 ? 6 : 3.5, &mesh[k]);
        positions[k] = prepared(&mesh[k], NULL);
    }
    for (size_t i = 0; i < POSITIONS; i++) {
        mt_position p = position_of(i);
        for (p.ventricle = 0; p.ventricle < 2; p.ventricle++, n++) {
            double x[2][3];
            mt_located at;
            for (int k = 0; k < 2; k++) find_in(&positions[k], &p, &at, x[k]);
            const double apart = sqrt(mt_square3(x[0], x[1]));
            mean += apart;
            n_far += apart > positions[0].edge_mm;
        }
    }
    mean /= (double)n;
    cr_assert(mean < 0.25 * positions[0].edge_mm, "%g of %g", mean, positions[0].edge_mm);
    cr_assert_lt((double)n_far, 0.01 * (double)n, "%zu of %zu", n_far, n);
}
