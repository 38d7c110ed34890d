#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <string.h>

#include "gmsh_ventricles.h"
#include "mesh/fibres.h"
#include "mesh/slab.h"

static const double degree = M_PI / 180;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* a without its part along the unit vector b, made a unit vector. */
static void across(const double a[3], const double b[3], double c[3])
{
    double along = dot(a, b), length = 0;
    for (int k = 0; k < 3; k++) c[k] = a[k] - along * b[k], length += c[k] * c[k];
    for (int k = 0; k < 3; k++) c[k] /= sqrt(length);
}

/* The angle of an axis, in degrees and less than 90 from `near`: from `round` towards `along` is positive,
 * where round = along x out. */
static double angle_of(const double axis[3], const double along[3], const double out[3], double near)
{
    const double round[3] = {along[1] * out[2] - along[2] * out[1], along[2] * out[0] - along[0] * out[2],
        along[0] * out[1] - along[1] * out[0]};
    double angle = atan2(dot(axis, along), dot(axis, round)) / degree;
    return angle - 180 * nearbyint((angle - near) / 180);
}

static uint64_t state = 31;

static double noise(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-52 - 1;
}

typedef struct heart {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_fibres fibres;
} heart;

static void connect(heart *h)
{
    cr_assert_eq(mt_mesh_check(&h->mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(&h->arena, &h->mesh, &h->adjacency), MT_OK, "%s", mt_message());
}

static void grow(heart *h, const mt_fibres_rule *rule)
{
    cr_assert_eq(
        mt_fibres_make(&h->arena, &h->mesh, &h->adjacency, rule, &h->fibres), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_fibres_check(&h->fibres), MT_OK, "%s", mt_message());
}

/* x through the wall, y around, z up to the base; the lower side is left free. */
static const double wall[3] = {4, 3, 3};

/* The wall's tagged triangles, with room for more: x = 0 the left endocardium, x = 4 the epicardium (or the
 * right endocardium), z = 3 the base. */
static void tag_wall(heart *h, int32_t far_tag)
{
    mt_mesh *mesh = &h->mesh;
    mesh->n_faces = 0;
    mesh->face_vertex =
        mt_arena_take(&h->arena, 12 * mt_adjacency_boundary_faces(&h->adjacency), sizeof(uint32_t));
    mesh->face_tag =
        mt_arena_take(&h->arena, 4 * mt_adjacency_boundary_faces(&h->adjacency), sizeof(int32_t));
    cr_assert(mesh->face_vertex && mesh->face_tag);
    for (size_t c = 0; c < mesh->n_cells; c++)
        for (size_t f = 0; f < 4; f++) {
            if (h->adjacency.neighbour[4 * c + f] != MT_NO_CELL) continue;
            double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
            for (size_t k = 0; k < 3; k++) {
                uint32_t v = mesh->cell_vertex[4 * c + mt_mesh_face[f][k]];
                mesh->face_vertex[3 * mesh->n_faces + k] = v;
                for (size_t i = 0; i < 3; i++) {
                    low[i] = fmin(low[i], mesh->xyz_mm[3 * v + i]);
                    high[i] = fmax(high[i], mesh->xyz_mm[3 * v + i]);
                }
            }
            int32_t tag = high[0] == 0        ? MT_SURFACE_LV
                          : low[0] == wall[0] ? far_tag
                          : low[2] == wall[2] ? MT_SURFACE_BASE
                                              : 0;
            if (tag) mesh->face_tag[mesh->n_faces++] = tag;
        }
}

/* A wall whose inner vertices are moved about, and whose lower side slopes along y, so that the lowest
 * point of the epicardium is one; no side without a given value lies across x. */
static void make_wall(heart *h, double edge, int32_t far_tag)
{
    state = 31;
    *h = (heart){0};
    cr_assert_eq(mt_slab_make(&h->arena, wall, edge, &h->mesh), MT_OK, "%s", mt_message());
    for (size_t v = 0; v < h->mesh.n_vertices; v++) {
        double *p = h->mesh.xyz_mm + 3 * v;
        for (size_t k = 0; k < 3; k++)
            if (p[k] > 0 && p[k] < wall[k]) p[k] += 0.15 * edge * noise();
        p[2] -= 0.2 * p[1] * (wall[2] - p[2]) / wall[2];
    }
    connect(h);
    tag_wall(h, far_tag);
}

/* The wall's axes in a cell: up its length by psi, and outward across that. */
static void wall_axes(const heart *h, size_t cell, double along[3], double out[3])
{
    double g[3], none[3] = {0};
    mt_laplace_gradient(&h->mesh, cell, h->fibres.psi, g);
    across(g, none, along);
    across((double[]){1, 0, 0}, along, out);
}

/* Through the wall phi is linear, which the elements have exactly, so the angle must be what the rule says
 * of the centroid's x. The equations are solved to 1e-10; where depth is least, 1/48, its root has that
 * over 0.3, the directions have it times the sides' cells, some hundred: 1e-6 degrees are far above all
 * that. */
static double worst_angle(const heart *h, double (*rule)(double depth))
{
    double worst = 0;
    for (size_t c = 0; c < h->mesh.n_cells; c++) {
        double x[3], along[3], out[3];
        mt_mesh_centroid(&h->mesh, c, x);
        wall_axes(h, c, along, out);
        double expected = rule(x[0] / wall[0]),
               angle = angle_of(h->fibres.fibre + 3 * c, along, out, expected);
        worst = fmax(worst, fabs(angle - expected));
    }
    return worst;
}

/* Faces above z whose two fibres differ by more than 30 degrees, looked at from both cells. */
static size_t jumps_above(const heart *h, double z)
{
    size_t n = 0;
    for (size_t c = 0; c < h->mesh.n_cells; c++)
        for (size_t f = 0; f < 4; f++) {
            double x[3], y[3];
            uint32_t near = h->adjacency.neighbour[4 * c + f];
            if (near == MT_NO_CELL) continue;
            mt_mesh_centroid(&h->mesh, c, x);
            mt_mesh_centroid(&h->mesh, near, y);
            double angle =
                acos(fmin(1, fabs(dot(h->fibres.fibre + 3 * c, h->fibres.fibre + 3 * (size_t)near))));
            n += x[2] > z && y[2] > z && angle > 30 * degree;
        }
    return n / 2;
}

/* Around the apex directions turn within a cell whatever the rule: jumps are looked for above. */
static const double above_apex = 1;

static double linear(double w) { return 60 - 120 * w; }
static double squared(double w) { return w < 0.75 ? 60 - 120 * w * w : -120 + (180 - 120 * w) * w; }
static double right_angle(double w) { return 40 - 90 * w * w; }

Test(fibres, through_a_wall_run_linearly_from_60_to_minus_60_degrees)
{
    heart h;
    make_wall(&h, 0.5, MT_SURFACE_EPI);
    grow(&h, &mt_fibres_rule_usual);
    double worst = worst_angle(&h, linear), x[3], deepest = 0;
    cr_assert_lt(worst, 1e-6, "%g degrees off", worst);
    for (size_t c = 0; c < h.mesh.n_cells; c++) {
        mt_mesh_centroid(&h.mesh, c, x);
        deepest = fmax(deepest, fabs(h.fibres.depth[c] - x[0] / wall[0]));
    }
    cr_assert_lt(deepest, 1e-9, "depth %g off", deepest);
    cr_assert_eq(h.fibres.n_jumps, jumps_above(&h, -INFINITY));
    cr_assert_eq(h.fibres.n_inner_faces, mt_adjacency_inner_faces(&h.adjacency));
    cr_assert_eq(jumps_above(&h, above_apex), 0, "%zu", jumps_above(&h, above_apex));
    cr_assert_eq(h.fibres.has_rv, 0);
    mt_arena_free(&h.arena);
}

/* As published the angle goes with the square of the depth, and where inner and outer frame differ by more
 * than 90 degrees, beyond 3/4 of the wall, from the inner frame's half turn: a jump. With 90 degrees
 * between the surfaces there is none. */
Test(fibres, by_bayers_rule_jump_at_three_quarters_of_the_wall)
{
    heart h;
    mt_fibres_rule rule = mt_fibres_rule_usual;
    rule.variant = MT_FIBRES_BAYER;
    make_wall(&h, 0.5, MT_SURFACE_EPI);
    grow(&h, &rule);
    double worst = worst_angle(&h, squared);
    cr_assert_lt(worst, 1e-6, "%g degrees off", worst);
    cr_assert_gt(jumps_above(&h, above_apex), 0);
    rule.endo_deg = 40, rule.epi_deg = -50;
    grow(&h, &rule);
    worst = worst_angle(&h, right_angle);
    cr_assert_lt(worst, 1e-6, "%g degrees off", worst);
    cr_assert_eq(jumps_above(&h, above_apex), 0);
    mt_arena_free(&h.arena);
}

/* With the left endocardium on one side and the right one on the other the wall is a septum: d = x / 4
 * = 1 - phi_lv, and the angle runs from 60 to -60 with d whatever the variant. The right side's triangles are
 * tagged as epicardium as well, for the apex; the endocardium goes before it, so phi_epi = 0. */
Test(fibres, through_a_septum_run_from_60_on_the_left_to_minus_60_on_the_right)
{
    for (int variant = MT_FIBRES_SMOOTH; variant <= MT_FIBRES_BAYER; variant++) {
        heart h;
        mt_fibres_rule rule = mt_fibres_rule_usual;
        rule.variant = (mt_fibres_variant)variant;
        make_wall(&h, 0.5, MT_SURFACE_RV);
        for (size_t f = 0, n = h.mesh.n_faces; f < n; f++) {
            if (h.mesh.face_tag[f] != MT_SURFACE_RV) continue;
            size_t more = h.mesh.n_faces++;
            for (size_t k = 0; k < 3; k++) h.mesh.face_vertex[3 * more + k] = h.mesh.face_vertex[3 * f + k];
            h.mesh.face_tag[more] = MT_SURFACE_EPI;
        }
        grow(&h, &rule);
        cr_assert(h.fibres.has_rv);
        double worst = worst_angle(&h, linear);
        cr_assert_lt(worst, 1e-6, "%g degrees off", worst);
        cr_assert_eq(jumps_above(&h, above_apex), 0);
        for (size_t c = 0; c < h.mesh.n_cells; c++) {
            double x[3];
            mt_mesh_centroid(&h.mesh, c, x);
            cr_assert_float_eq(h.fibres.depth[c], 0.5 - fabs(0.5 - x[0] / wall[0]), 1e-9);
        }
        mt_arena_free(&h.arena);
    }
}

/* With the same angles on both surfaces both frames are one, and columns are known everywhere: the sheet
 * leans by its angle out of the wall's normal. */
Test(fibres, sheets_stand_across_the_wall_and_lean_by_their_angle)
{
    heart h;
    mt_fibres_rule rule = mt_fibres_rule_usual;
    make_wall(&h, 0.5, MT_SURFACE_EPI);
    for (int leaning = 0; leaning < 2; leaning++) {
        rule.endo_deg = rule.epi_deg = 20;
        rule.sheet_endo_deg = rule.sheet_epi_deg = 30 * leaning;
        grow(&h, &rule);
        for (size_t c = 0; c < h.mesh.n_cells; c++) {
            double along[3], out[3], b = rule.sheet_endo_deg * degree;
            wall_axes(&h, c, along, out);
            cr_assert_float_eq(dot(h.fibres.sheet + 3 * c, out), cos(b), 1e-7);
            cr_assert_float_eq(dot(h.fibres.sheet + 3 * c, along), sin(b) * cos(20 * degree), 1e-7);
            cr_assert_float_eq(dot(h.fibres.fibre + 3 * c, along), sin(20 * degree), 1e-7);
        }
    }
    mt_arena_free(&h.arena);
}

/* Solved to 1e-10 both times; gradients of small cells and roots of small depths make up to 1e-7 of it. */
Test(fibres, turn_with_the_heart_and_do_not_know_its_units)
{
    heart one, two;
    const double c = cos(1.1), s = sin(1.1), cc = cos(-0.4), ss = sin(-0.4);
    const double turn[3][3] = {{c, -s * cc, s * ss}, {s, c * cc, -c * ss}, {0, ss, cc}};
    for (int scaled = 0; scaled < 2; scaled++) {
        double worst = 0, scale = scaled ? 1000 : 1;
        make_wall(&one, 0.5, MT_SURFACE_EPI);
        make_wall(&two, 0.5, MT_SURFACE_EPI);
        for (size_t v = 0; v < one.mesh.n_vertices; v++)
            for (size_t k = 0; k < 3; k++)
                two.mesh.xyz_mm[3 * v + k] = scale * (dot(turn[k], one.mesh.xyz_mm + 3 * v) + 7);
        grow(&one, &mt_fibres_rule_usual);
        grow(&two, &mt_fibres_rule_usual);
        cr_assert_eq(one.fibres.n_apex, two.fibres.n_apex);
        const double *from[3] = {one.fibres.fibre, one.fibres.sheet, one.fibres.normal};
        const double *to[3] = {two.fibres.fibre, two.fibres.sheet, two.fibres.normal};
        for (size_t cell = 0; cell < one.mesh.n_cells; cell++)
            for (int f = 0; f < 3; f++)
                for (size_t k = 0; k < 3; k++)
                    worst = fmax(worst, fabs(dot(turn[k], from[f] + 3 * cell) - to[f][3 * cell + k]));
        cr_assert_lt(worst, 1e-6, "%g off", worst);
        mt_arena_free(&one.arena);
        mt_arena_free(&two.arena);
    }
}

Test(fibres, one_and_two_threads_give_the_same_bits)
{
    heart h[2];
    for (int t = 0; t < 2; t++) {
        make_wall(h + t, 0.25, MT_SURFACE_EPI);
        omp_set_num_threads(t + 1);
        grow(h + t, &mt_fibres_rule_usual);
    }
    size_t bytes = 3 * h[0].mesh.n_cells * sizeof(double);
    cr_assert(memcmp(h[0].fibres.fibre, h[1].fibres.fibre, bytes) == 0);
    cr_assert(memcmp(h[0].fibres.sheet, h[1].fibres.sheet, bytes) == 0);
    cr_assert(memcmp(h[0].fibres.depth, h[1].fibres.depth, bytes / 3) == 0);
    for (int t = 0; t < 2; t++) mt_arena_free(&h[t].arena);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { LV_WALL, RV_WALL, SEPTUM };

/* Where the geometry of the script says a point is: 1, and the outward (in the septum: to the right) normal
 * of the ellipsoid through the middle of that wall. Away from base, apex and where the right ventricle
 * starts. */
static int in_region(int region, const double x[3], double out[3])
{
    const double s = 1.10, none[3] = {0};
    double a = s * (region == RV_WALL ? 38 : 29), b = s * (region == RV_WALL ? 34 : 29);
    double c = s * (region == RV_WALL ? 68 : 77), centre = region == RV_WALL ? s * 28 : 0;
    const double g[3] = {(x[0] - centre) / (a * a), x[1] / (b * b), x[2] / (c * c)};
    across(g, none, out);
    if (x[2] > -0.15 * c || x[2] < -0.65 * c) return 0;
    if (region == LV_WALL) return x[0] < -0.2 * a;
    if (region == RV_WALL) return x[0] > centre + 0.3 * a && fabs(x[1]) < 0.6 * b;
    return x[0] > 0 && x[0] < s * 40 && fabs(x[1]) < 0.4 * b;
}

/* Median and 95th percentile of how far angles are from `expected` where in_region says. */
static void angle_errors(heart *h, int region, double *median, double *high)
{
    double *error = mt_arena_take(&h->arena, h->mesh.n_cells, sizeof *error);
    size_t n = 0;
    cr_assert(error);
    for (size_t c = 0; c < h->mesh.n_cells; c++) {
        double x[3], out[3], along[3];
        mt_mesh_centroid(&h->mesh, c, x);
        if (!in_region(region, x, out)) continue;
        across((double[]){0, 0, 1}, out, along);
        double d = 0, lv = 0;
        for (size_t k = 0; k < 4; k++) {
            d += h->fibres.phi_rv[h->mesh.cell_vertex[4 * c + k]];
            lv += h->fibres.phi_lv[h->mesh.cell_vertex[4 * c + k]];
        }
        double expected = 60 - 120 * (region == SEPTUM ? d / (d + lv) : h->fibres.depth[c]);
        error[n++] = fabs(angle_of(h->fibres.fibre + 3 * c, along, out, expected) - expected);
    }
    cr_assert_gt(n, 100);
    qsort(error, n, sizeof *error, compare);
    *median = error[n / 2], *high = error[n * 95 / 100];
}

/* phi_epi is taken as what the other two leave; solved for itself it is the same. */
static void assert_three_sum_to_one(heart *h)
{
    size_t n = h->mesh.n_vertices;
    unsigned char *given = mt_arena_take(&h->arena, n, 1);
    double *phi = mt_arena_take(&h->arena, n, sizeof *phi);
    mt_laplace problem;
    mt_laplace_report report;
    cr_assert(given && phi);
    for (int pass = 0; pass < 2; pass++) /* the endocardium has the last word */
        for (size_t k = 0; k < 3 * h->mesh.n_faces; k++) {
            int32_t tag = h->mesh.face_tag[k / 3];
            uint32_t v = h->mesh.face_vertex[k];
            if (tag == MT_SURFACE_BASE || (tag != MT_SURFACE_EPI) != pass) continue;
            given[v] = 1;
            phi[v] = !pass;
        }
    cr_assert_eq(mt_laplace_make(&h->arena, &h->mesh, given, &problem), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_laplace_solve(&problem, 1e-10, 1000, phi, &report), MT_OK, "%s", mt_message());
    for (size_t v = 0; v < n; v++)
        cr_assert_float_eq(phi[v] + h->fibres.phi_lv[v] + h->fibres.phi_rv[v], 1, 1e-8, "vertex %zu", v);
}

static double jump_share(const heart *h)
{
    return (double)h->fibres.n_jumps / (double)h->fibres.n_inner_faces;
}

/* 10 thousand cells, 4 or 5 through the left wall and one or two through the right. Axes are those of the
 * ellipsoids, not the solutions' gradients, so this is not exact: the gradient on a cell is off by its edge
 * over the radius of the wall, a tenth, of which fibres see a part. In the thin wall angles differ by 60
 * degrees and more between neighbours; the published rule adds its jumps to that. */
Test(fibres, of_two_ventricles_follow_the_rule_in_walls_and_septum)
{
    heart h = {0};
    static const double allowed[3][2] = {
        [LV_WALL] = {2, 5}, [RV_WALL] = {6, 20}, [SEPTUM] = {2, 5}}; /* degrees: median, 95th percentile */
    gmsh_ventricles(&h.arena, 4.87, &h.mesh);
    connect(&h);
    grow(&h, &mt_fibres_rule_usual);
    cr_assert(h.fibres.has_rv && h.fibres.n_copied < 20);
    assert_three_sum_to_one(&h);
    for (int region = LV_WALL; region <= SEPTUM; region++) {
        double median, high;
        angle_errors(&h, region, &median, &high);
        cr_assert_lt(median, allowed[region][0], "region %d: median %g", region, median);
        cr_assert_lt(high, allowed[region][1], "region %d: 95th percentile %g", region, high);
    }
    double smooth = jump_share(&h);
    mt_fibres_rule rule = mt_fibres_rule_usual;
    rule.variant = MT_FIBRES_BAYER;
    grow(&h, &rule);
    cr_assert_lt(smooth, 0.2, "%g", smooth);
    cr_assert_lt(smooth, 0.8 * jump_share(&h), "%g, as published %g", smooth, jump_share(&h));
    mt_arena_free(&h.arena);
}

/* A wall of one box, all of whose vertices are on surfaces, and apart from it a cell with all its vertices
 * on the epicardium and three on the base. */
Test(fibres, where_nothing_points_anywhere_are_directions_all_the_same)
{
    for (int variant = MT_FIBRES_SMOOTH; variant <= MT_FIBRES_BAYER; variant++) {
        heart h = {0};
        mt_mesh box;
        mt_fibres_rule rule = mt_fibres_rule_usual;
        rule.variant = (mt_fibres_variant)variant;
        cr_assert_eq(mt_slab_make(&h.arena, (double[]){1, 1, 1}, 1, &box), MT_OK);
        cr_assert_eq(mt_mesh_new(&h.arena, 12, 7, &h.mesh), MT_OK);
        memcpy(h.mesh.xyz_mm, box.xyz_mm, 24 * sizeof(double));
        memcpy(h.mesh.xyz_mm + 24, (double[]){3, 0, 1, 4, 0, 1, 3, 1, 1, 3, 0, 2}, 12 * sizeof(double));
        memcpy(h.mesh.cell_vertex, box.cell_vertex, 24 * sizeof(uint32_t));
        memcpy(h.mesh.cell_vertex + 24, (uint32_t[]){8, 9, 10, 11}, 4 * sizeof(uint32_t));
        connect(&h);
        h.mesh.n_faces = 9;
        h.mesh.face_vertex = (uint32_t[]){0, 2, 4, 2, 4, 6, 1, 3, 5, 3, 5, 7, 4, 5, 6, 5, 6, 7, /* the box */
            8, 9, 10, 9, 10, 11, 8, 9, 10};
        h.mesh.face_tag = (int32_t[]){3, 3, 2, 2, 1, 1, 2, 2, 1};
        grow(&h, &rule);
        cr_assert_eq(h.fibres.n_copied, 1);
        cr_assert_gt(h.fibres.n_psi_constant, 0);
        mt_arena_free(&h.arena);
    }
}

Test(fibres, cells_all_on_the_epicardium_take_the_directions_of_a_neighbour)
{
    heart h;
    size_t copied = 0;
    make_wall(&h, 0.5, MT_SURFACE_EPI);
    /* A cell in the middle of the outer half is made epicardium: two triangles have its four vertices. */
    for (size_t c = 0; c < h.mesh.n_cells && !copied; c++) {
        double x[3];
        mt_mesh_centroid(&h.mesh, c, x);
        if (x[0] > 2.5 && x[0] < 3 && x[2] > 1 && x[2] < 2) copied = c;
    }
    for (size_t f = 0; f < 2; f++, h.mesh.n_faces++) {
        memcpy(h.mesh.face_vertex + 3 * h.mesh.n_faces, h.mesh.cell_vertex + 4 * copied + f,
            3 * sizeof(uint32_t));
        h.mesh.face_tag[h.mesh.n_faces] = MT_SURFACE_EPI;
    }
    grow(&h, &mt_fibres_rule_usual);
    cr_assert_eq(h.fibres.n_copied, 1);
    uint32_t lowest = MT_NO_CELL;
    for (size_t f = 0; f < 4; f++)
        if (h.adjacency.neighbour[4 * copied + f] < lowest) lowest = h.adjacency.neighbour[4 * copied + f];
    cr_assert_eq(h.fibres.depth[copied], 1);
    cr_assert(memcmp(h.fibres.fibre + 3 * copied, h.fibres.fibre + 3 * (size_t)lowest, 24) == 0);
    mt_arena_free(&h.arena);
}

/* Adds the triangle `from` once more, as part of another surface. */
static void tag_again(heart *h, size_t from, int32_t tag)
{
    memcpy(h->mesh.face_vertex + 3 * h->mesh.n_faces, h->mesh.face_vertex + 3 * from, 3 * sizeof(uint32_t));
    h->mesh.face_tag[h->mesh.n_faces++] = tag;
}

Test(fibres, vertices_of_several_surfaces_are_right_before_left_before_outside_and_apex_before_base)
{
    heart h;
    make_wall(&h, 1, MT_SURFACE_EPI);
    const double *xyz = h.mesh.xyz_mm;
    for (size_t f = 0, n = h.mesh.n_faces; f < n; f++) {
        const uint32_t *v = h.mesh.face_vertex + 3 * f;
        int at_top = xyz[3 * v[0] + 2] > 1.5 && xyz[3 * v[1] + 2] > 1.5 && xyz[3 * v[2] + 2] > 1.5;
        int twice = h.mesh.face_tag[f] == MT_SURFACE_LV && at_top;
        if (twice) tag_again(&h, f, MT_SURFACE_EPI);
        if (twice) tag_again(&h, f, MT_SURFACE_RV);
        /* What plane that gives does not matter: wherever the apex is, it is on the base as well. */
        if (twice || h.mesh.face_tag[f] == MT_SURFACE_EPI) tag_again(&h, f, MT_SURFACE_BASE);
    }
    grow(&h, &mt_fibres_rule_usual);
    size_t n_left = 0, n_right = 0, n_apex = 0;
    for (size_t v = 0; v < h.mesh.n_vertices; v++) {
        n_apex += h.fibres.psi[v] == 0;
        if (xyz[3 * v] != 0) continue;
        n_left += h.fibres.phi_lv[v] == 1 && h.fibres.phi_rv[v] == 0;
        n_right += h.fibres.phi_lv[v] == 0 && h.fibres.phi_rv[v] == 1;
    }
    cr_assert(n_left > 0 && n_right > 0);
    cr_assert_eq(n_left + n_right, 16, "%zu and %zu", n_left, n_right);
    cr_assert(n_apex >= 1 && n_apex == h.fibres.n_apex, "%zu of %zu", n_apex, h.fibres.n_apex);
    mt_arena_free(&h.arena);
}

Test(fibres, of_a_mesh_without_surfaces_or_by_an_impossible_rule_are_an_input_error)
{
    heart h;
    make_wall(&h, 1, MT_SURFACE_EPI);
    mt_fibres_rule rule = mt_fibres_rule_usual;
    rule.epi_deg = NAN;
    cr_assert_eq(mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &rule, &h.fibres), MT_INPUT);
    rule.epi_deg = -91;
    cr_assert_eq(mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &rule, &h.fibres), MT_INPUT);
    cr_assert(strstr(mt_message(), "-91"), "%s", mt_message());
    rule = mt_fibres_rule_usual;
    rule.max_iterations = 1;
    cr_assert_eq(mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &rule, &h.fibres), MT_NUMERICS);
    for (int tag = MT_SURFACE_BASE; tag <= MT_SURFACE_LV; tag++) {
        for (size_t f = 0; f < h.mesh.n_faces; f++) h.mesh.face_tag[f] += h.mesh.face_tag[f] == tag ? 100 : 0;
        cr_assert_eq(
            mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &mt_fibres_rule_usual, &h.fibres), MT_INPUT);
        for (size_t f = 0; f < h.mesh.n_faces; f++) h.mesh.face_tag[f] %= 100;
    }
    h.mesh.face_vertex[0] = (uint32_t)h.mesh.n_vertices;
    cr_assert_eq(mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &mt_fibres_rule_usual, &h.fibres), MT_INPUT);
    h.mesh.n_faces = 0;
    cr_assert_eq(mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &mt_fibres_rule_usual, &h.fibres), MT_INPUT);
    mt_arena_free(&h.arena);
}

Test(fibres, out_of_memory_is_a_file_error_and_leaks_nothing)
{
    heart h;
    omp_set_num_threads(1); /* many short solutions */
    make_wall(&h, 1, MT_SURFACE_EPI);
    for (size_t n = 1;; n++) {
        mt_arena result = {0};
        mt_arena_fail_at(n);
        mt_status status = mt_fibres_make(&result, &h.mesh, &h.adjacency, &mt_fibres_rule_usual, &h.fibres);
        mt_arena_fail_at(0);
        mt_arena_free(&result);
        if (status == MT_OK) {
            cr_assert_gt(n, 40, "only %zu takes failed", n - 1);
            break;
        }
        cr_assert_eq(status, MT_FILE, "take %zu: %s", n, mt_message());
    }
    mt_arena_free(&h.arena);
}
