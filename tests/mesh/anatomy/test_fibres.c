#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <string.h>

#include "tests/mesh/anatomy/check_fibres.h"
#include "tests/mesh/fibred_heart.h"
#include "tests/mesh/gmsh_ventricles.h"
#include "mesh/make/slab.h"
#include "tests/random.h"

static void one_thread(void) { omp_set_num_threads(1); } /* many short solves */

TestSuite(fibres, .init = one_thread);

static uint64_t state = 31;

static double noise(void) { return between(&state, -1, 1); }

/* x through the wall, y around, z up to the base; the lower side has no condition. */
static const double wall[3] = {4, 3, 3};

/* Tags the triangles of the wall, with spare capacity: x = 0 left endocardium, x = 4 epicardium (or right endocardium), z = 3 base. */
static void tag_wall(heart *h, int32_t far_tag)
{
    mt_mesh *mesh = &h->mesh;
    mesh->n_faces = 0;
    mesh->face_vertex =
        mt_arena_alloc(&h->arena, 12 * mt_adjacency_boundary_faces(&h->adjacency), sizeof(uint32_t));
    mesh->face_tag =
        mt_arena_alloc(&h->arena, 4 * mt_adjacency_boundary_faces(&h->adjacency), sizeof(int32_t));
    cr_assert(mesh->face_vertex && mesh->face_tag);
    for (size_t c = 0; c < mesh->n_elements; c++)
        for (size_t f = 0; f < 4; f++) {
            if (h->adjacency.neighbour[4 * c + f] != MT_NO_ELEMENT) continue;
            double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
            for (size_t k = 0; k < 3; k++) {
                uint32_t v = mesh->element_vertex[4 * c + mt_mesh_face[f][k]];
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

/* A wall with displaced inner vertices. Its lower side slopes along y, so that the epicardium has a unique lowest point; no side without a
 * boundary value extends across x. */
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

/* Computes the wall's axes in an element: apex-to-base by psi, and outward orthogonal to it. */
static void wall_axes(const heart *h, size_t element, double along[3], double out[3])
{
    double g[3], none[3] = {0};
    mt_laplace_gradient(&h->mesh, element, h->fibres.psi, g);
    across(g, none, along);
    across((double[]){1, 0, 0}, along, out);
}

/* phi is linear through the wall, which linear elements represent exactly, so the angle must be that of the rule at the centroid's x. The
 * equations are solved to 1e-10. At the smallest depth, 1/48, the square root amplifies this by 1 / 0.3, and the directions by the number
 * of elements along a side, some hundred: 1e-6 degrees is far above the sum. */
static double worst_angle(const heart *h, double (*rule)(double depth))
{
    double worst = 0;
    for (size_t c = 0; c < h->mesh.n_elements; c++) {
        double x[3], along[3], out[3];
        mt_mesh_centroid(&h->mesh, c, x);
        wall_axes(h, c, along, out);
        double expected = rule(x[0] / wall[0]),
               angle = angle_of(h->fibres.fibre + 3 * c, along, out, expected);
        worst = fmax(worst, fabs(angle - expected));
    }
    return worst;
}

/* Counts faces above z with fibres that differ by more than 30 degrees, from both elements. */
static size_t jumps_above(const heart *h, double z)
{
    size_t n = 0;
    for (size_t c = 0; c < h->mesh.n_elements; c++)
        for (size_t f = 0; f < 4; f++) {
            double x[3], y[3];
            uint32_t near = h->adjacency.neighbour[4 * c + f];
            if (near == MT_NO_ELEMENT) continue;
            mt_mesh_centroid(&h->mesh, c, x);
            mt_mesh_centroid(&h->mesh, near, y);
            double angle =
                acos(fmin(1, fabs(mt_dot3(h->fibres.fibre + 3 * c, h->fibres.fibre + 3 * (size_t)near))));
            n += x[2] > z && y[2] > z && angle > 30 * degree;
        }
    return n / 2;
}

/* Around the apex directions turn within an element for any rule: jumps are counted above it. */
static const double above_apex = 1;

static double linear(double w) { return 60 - 120 * w; }
static double squared(double w) { return w < 0.75 ? 60 - 120 * w * w : -120 + (180 - 120 * w) * w; }
static double right_angle(double w) { return 40 - 90 * w * w; }

Test(fibres, helix_angle_varies_linearly_from_60_to_minus_60_degrees_through_a_wall)
{
    heart h;
    make_wall(&h, 0.5, MT_SURFACE_EPI);
    grow(&h, &mt_fibres_rule_default);
    double worst = worst_angle(&h, linear), x[3], deepest = 0;
    cr_assert_lt(worst, 1e-6, "%g degrees off", worst);
    for (size_t c = 0; c < h.mesh.n_elements; c++) {
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

/* As published the angle is proportional to the square of the depth. If inner and outer frame differ by more than 90 degrees, beyond 3/4 of
 * the wall, interpolation starts from the half turn of the inner frame: a jump. With 90 degrees between the surfaces there is none. */
Test(fibres, fibres_by_the_bayer_rule_jump_at_three_quarters_of_the_wall)
{
    heart h;
    mt_fibres_rule rule = mt_fibres_rule_default;
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

/* With left endocardium on one side and right endocardium on the other the wall is a septum: d = x / 4 = 1 - phi_lv, and the angle runs
 * from 60 to -60 with d for every variant. The right side's triangles are also tagged as epicardium, for the apex; the endocardium has
 * precedence, so phi_epi = 0. */
Test(fibres, helix_angle_varies_from_60_left_to_minus_60_degrees_right_in_a_septum)
{
    for (int variant = MT_FIBRES_SMOOTH; variant <= MT_FIBRES_BAYER; variant++) {
        heart h;
        mt_fibres_rule rule = mt_fibres_rule_default;
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
        for (size_t c = 0; c < h.mesh.n_elements; c++) {
            double x[3];
            mt_mesh_centroid(&h.mesh, c, x);
            cr_assert_float_eq(h.fibres.depth[c], 0.5 - fabs(0.5 - x[0] / wall[0]), 1e-9);
        }
        mt_arena_free(&h.arena);
    }
}

static void assert_angles_of_faces_and_middle(const heart *h, const mt_fibres_rule *rule)
{
    size_t n[3] = {0};
    for (size_t c = 0; c < h->mesh.n_elements; c++) {
        double x[3], along[3], out[3], half = rule->variant == MT_FIBRES_BAYER ? 0.25 : 0.5;
        mt_mesh_centroid(&h->mesh, c, x);
        int at = x[0] < 1e-6 ? 0 : x[0] > wall[0] - 1e-6 ? 2 : fabs(x[0] - wall[0] / 2) < 1e-9 ? 1 : 3;
        if (at == 3) continue;
        double share = at == 0 ? 0 : at == 1 ? half : 1;
        double expected = rule->endo_deg * (1 - share) + rule->epi_deg * share;
        wall_axes(h, c, along, out);
        cr_assert_float_eq(angle_of(h->fibres.fibre + 3 * c, along, out, expected), expected, 2e-4);
        n[at]++;
    }
    cr_assert(n[0] > 0 && n[1] > 0 && n[2] > 0, "%zu, %zu, %zu", n[0], n[1], n[2]);
}

/* The left wall and a copy of it at a distance of 10 mm, a tenth less deep, with right endocardium on its inside. */
static void make_pair(const heart *left, heart *h)
{
    const mt_mesh *one = &left->mesh;
    mt_mesh *two = &h->mesh;
    cr_assert_eq(mt_mesh_new(&h->arena, 2 * one->n_vertices, 2 * one->n_elements, two), MT_OK);
    cr_assert_eq(mt_mesh_new_faces(&h->arena, 2 * one->n_faces, two), MT_OK);
    for (size_t v = 0; v < two->n_vertices; v++) {
        const double *p = one->xyz_mm + 3 * (v % one->n_vertices);
        const int copy = v >= one->n_vertices;
        two->xyz_mm[3 * v] = p[0];
        two->xyz_mm[3 * v + 1] = p[1] + (copy ? 10 : 0);
        two->xyz_mm[3 * v + 2] = copy ? wall[2] - 0.9 * (wall[2] - p[2]) : p[2];
    }
    for (size_t k = 0; k < 4 * two->n_elements; k++)
        two->element_vertex[k] = one->element_vertex[k % (4 * one->n_elements)] +
                                 (k >= 4 * one->n_elements ? (uint32_t)one->n_vertices : 0);
    for (size_t f = 0; f < two->n_faces; f++) {
        const int copy = f >= one->n_faces;
        const size_t from = f % one->n_faces;
        for (size_t k = 0; k < 3; k++)
            two->face_vertex[3 * f + k] =
                one->face_vertex[3 * from + k] + (copy ? (uint32_t)one->n_vertices : 0);
        two->face_tag[f] = copy && one->face_tag[from] == MT_SURFACE_LV ? MT_SURFACE_RV : one->face_tag[from];
    }
    connect(h);
}

/* The first elements at either side are a millionth of a millimetre thick, so that they have the surface's angle within a millionth of 180
 * degrees; the elements half-way in the middle boxes have the middle's angle. If the angles of the surfaces differ by at most 90 degrees,
 * the published rule does not jump. */
Test(fibres, fibres_on_both_surfaces_and_at_midwall_follow_the_rule)
{
    static const double angles[][2] = {{60, -60}, {40, -50}, {-30, 50}, {0, 90}, {20, 20}};
    heart h;
    make_wall(&h, 0.5, MT_SURFACE_EPI);
    for (size_t v = 0; v < h.mesh.n_vertices; v++) {
        static const double at[] = {0, 1e-6, 0.8, 1.6, 2.4, 3.2, 3.6, 4 - 1e-6, 4};
        h.mesh.xyz_mm[3 * v] = at[(size_t)nearbyint(h.mesh.xyz_mm[3 * v] / 0.5)];
    }
    connect(&h);
    for (size_t a = 0; a < sizeof angles / sizeof *angles; a++)
        for (int variant = MT_FIBRES_SMOOTH; variant <= MT_FIBRES_BAYER; variant++) {
            mt_fibres_rule rule = mt_fibres_rule_default;
            rule.variant = (mt_fibres_variant)variant;
            rule.endo_deg = angles[a][0], rule.epi_deg = angles[a][1];
            if (variant == MT_FIBRES_BAYER && fabs(angles[a][0] - angles[a][1]) > 90) continue;
            grow(&h, &rule);
            assert_angles_of_faces_and_middle(&h, &rule);
        }
    mt_arena_free(&h.arena);
}

/* The wall of a right ventricle next to that of a left one, not connected to it and less deep: psi is 1 throughout, and the base's normal
 * is its apex-to-base direction. */
Test(fibres, fibres_in_a_right_ventricular_wall_equal_those_in_a_left_one)
{
    heart left, h = {0};
    make_wall(&left, 0.5, MT_SURFACE_EPI);
    make_pair(&left, &h);
    for (int variant = MT_FIBRES_SMOOTH; variant <= MT_FIBRES_BAYER; variant++) {
        mt_fibres_rule rule = mt_fibres_rule_default;
        rule.variant = (mt_fibres_variant)variant;
        grow(&h, &rule);
        cr_assert_eq(h.fibres.n_psi_constant, left.mesh.n_elements);
        for (size_t c = 0; c < h.mesh.n_elements; c++) {
            double x[3], along[3] = {0, 0, 1}, out[3] = {1, 0, 0};
            mt_mesh_centroid(&h.mesh, c, x);
            if (c < left.mesh.n_elements) wall_axes(&h, c, along, out);
            double expected = variant == MT_FIBRES_BAYER ? squared(x[0] / wall[0]) : linear(x[0] / wall[0]);
            double angle = angle_of(h.fibres.fibre + 3 * c, along, out, expected);
            cr_assert_float_eq(angle, expected, 1e-6, "element %zu: %g, not %g", c, angle, expected);
        }
    }
    mt_arena_free(&left.arena);
    mt_arena_free(&h.arena);
}

/* With the same angles on both surfaces both frames are equal, and columns are known everywhere: the sheet is inclined by its angle to the
 * wall's normal. */
Test(fibres, sheets_are_transmural_and_tilted_by_the_sheet_angle)
{
    heart h;
    mt_fibres_rule rule = mt_fibres_rule_default;
    make_wall(&h, 0.5, MT_SURFACE_EPI);
    for (int leaning = 0; leaning < 2; leaning++) {
        rule.endo_deg = rule.epi_deg = 20;
        rule.sheet_endo_deg = rule.sheet_epi_deg = 30 * leaning;
        grow(&h, &rule);
        for (size_t c = 0; c < h.mesh.n_elements; c++) {
            double along[3], out[3], b = rule.sheet_endo_deg * degree;
            wall_axes(&h, c, along, out);
            cr_assert_float_eq(mt_dot3(h.fibres.sheet + 3 * c, out), cos(b), 1e-7);
            cr_assert_float_eq(mt_dot3(h.fibres.sheet + 3 * c, along), sin(b) * cos(20 * degree), 1e-7);
            cr_assert_float_eq(mt_dot3(h.fibres.fibre + 3 * c, along), sin(20 * degree), 1e-7);
        }
    }
    mt_arena_free(&h.arena);
}

/* Solved to 1e-10 both times; gradients of small elements and roots of small depths amplify this to at most 1e-7. */
Test(fibres, fibres_rotate_with_the_heart_and_do_not_depend_on_units)
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
                two.mesh.xyz_mm[3 * v + k] = scale * (mt_dot3(turn[k], one.mesh.xyz_mm + 3 * v) + 7);
        grow(&one, &mt_fibres_rule_default);
        grow(&two, &mt_fibres_rule_default);
        cr_assert_eq(one.fibres.n_apex, two.fibres.n_apex);
        const double *from[3] = {one.fibres.fibre, one.fibres.sheet, one.fibres.normal};
        const double *to[3] = {two.fibres.fibre, two.fibres.sheet, two.fibres.normal};
        for (size_t element = 0; element < one.mesh.n_elements; element++)
            for (int f = 0; f < 3; f++)
                for (size_t k = 0; k < 3; k++)
                    worst =
                        fmax(worst, fabs(mt_dot3(turn[k], from[f] + 3 * element) - to[f][3 * element + k]));
        cr_assert_lt(worst, 1e-6, "%g off", worst);
        for (size_t element = 0; element < one.mesh.n_elements; element++) {
            cr_assert_float_eq(one.fibres.depth[element], two.fibres.depth[element], 1e-8);
            cr_assert_eq(one.fibres.layer[element], two.fibres.layer[element]);
        }
        cr_assert_eq(one.fibres.n_jumps, two.fibres.n_jumps);
        for (int k = 0; k < 3; k++)
            cr_assert_float_eq(one.fibres.layer_volume[k], two.fibres.layer_volume[k], 1e-12);
        mt_arena_free(&one.arena);
        mt_arena_free(&two.arena);
    }
}

/* A reflection maps the helix of a rule to that of the opposite angle; the inclination of sheets is unchanged. The two problems have the
 * same numbers with opposite signs, solved to 1e-10. */
Test(fibres, fibres_of_a_mirrored_heart_are_mirrored_fibres_of_the_opposite_angle)
{
    for (int variant = MT_FIBRES_SMOOTH; variant <= MT_FIBRES_BAYER; variant++) {
        heart here, there;
        double worst = 0, same = 0;
        mt_fibres_rule rule = mt_fibres_rule_default;
        rule.variant = (mt_fibres_variant)variant;
        rule.sheet_endo_deg = 20, rule.sheet_epi_deg = -10;
        make_wall(&here, 0.5, MT_SURFACE_EPI);
        make_wall(&there, 0.5, MT_SURFACE_EPI);
        for (size_t v = 0; v < there.mesh.n_vertices; v++) there.mesh.xyz_mm[3 * v + 1] *= -1;
        cr_assert_eq(mt_mesh_orient(&there.mesh), there.mesh.n_elements);
        cr_assert_eq(mt_adjacency_make(&there.arena, &there.mesh, &there.adjacency), MT_OK);
        grow(&there, &rule);
        grow(&here, &rule);
        const double *old = here.fibres.fibre;
        rule.endo_deg *= -1, rule.epi_deg *= -1;
        grow(&here, &rule);
        for (size_t c = 0; c < here.mesh.n_elements; c++) {
            const double *f = there.fibres.fibre + 3 * c, *s = there.fibres.sheet + 3 * c;
            const double fibre[3] = {f[0], -f[1], f[2]}, sheet[3] = {s[0], -s[1], s[2]};
            worst = fmax(worst, 1 - fabs(mt_dot3(fibre, here.fibres.fibre + 3 * c)));
            worst = fmax(worst, 1 - fabs(mt_dot3(sheet, here.fibres.sheet + 3 * c)));
            same += fabs(mt_dot3(fibre, old + 3 * c)) > cos(10 * degree);
        }
        cr_assert_lt(worst, 1e-9, "%g off", worst);
        cr_assert_lt(same, 0.2 * (double)here.mesh.n_elements, "%g elements alike", same);
        mt_arena_free(&here.arena);
        mt_arena_free(&there.arena);
    }
}

Test(fibres, fibres_are_bit_identical_for_one_and_two_threads)
{
    heart h[2];
    for (int t = 0; t < 2; t++) {
        make_wall(h + t, 0.25, MT_SURFACE_EPI);
        omp_set_num_threads(t + 1);
        grow(h + t, &mt_fibres_rule_default);
    }
    size_t bytes = 3 * h[0].mesh.n_elements * sizeof(double);
    cr_assert(memcmp(h[0].fibres.fibre, h[1].fibres.fibre, bytes) == 0);
    cr_assert(memcmp(h[0].fibres.sheet, h[1].fibres.sheet, bytes) == 0);
    cr_assert(memcmp(h[0].fibres.depth, h[1].fibres.depth, bytes / 3) == 0);
    for (int t = 0; t < 2; t++) mt_arena_free(&h[t].arena);
}

/* phi_epi is computed as the complement of the other two; solved separately it is the same. */
static void assert_three_sum_to_one(heart *h)
{
    size_t n = h->mesh.n_vertices;
    unsigned char *given = mt_arena_alloc(&h->arena, n, 1);
    double *phi = mt_arena_alloc(&h->arena, n, sizeof *phi);
    mt_laplace problem;
    mt_laplace_convergence report;
    cr_assert(given && phi);
    for (int pass = 0; pass < 2; pass++) /* the endocardium has precedence */
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

static void assert_septum_is_inside_on_both_sides(const heart *h)
{
    size_t n[3][4] = {0};
    for (size_t c = 0; c < h->mesh.n_elements; c++) {
        double x[3], out[3], share;
        mt_mesh_centroid(&h->mesh, c, x);
        if (!in_region(SEPTUM, x, out)) continue;
        share = (60 - linear_rule(h, SEPTUM, c)) / 120;
        n[(size_t)(3 * share)][h->fibres.layer[c]]++;
    }
    for (int part = 0; part < 3; part++) {
        cr_assert_eq(n[part][MT_LAYER_EPI], 0);
        cr_assert_gt(n[part][part == 1 ? MT_LAYER_MID : MT_LAYER_ENDO],
            3 * n[part][part == 1 ? MT_LAYER_ENDO : MT_LAYER_MID]);
    }
}

/* 10 thousand elements, 4 or 5 through the left wall and one or two through the right. Axes are those of the ellipsoids, not the solutions'
 * gradients, so this is not exact: the gradient on an element has an error of its edge over the radius of the wall, a tenth, and the fibres
 * a part of it. In the thin wall angles differ by 60 degrees and more between neighbours; the published rule adds its jumps. */
Test(fibres, fibres_of_two_ventricles_follow_the_rule_in_walls_and_septum)
{
    heart h = {0};
    gmsh_ventricles(&h.arena, 4.87, &h.mesh);
    connect(&h);
    grow(&h, &mt_fibres_rule_default);
    cr_assert(h.fibres.has_rv && h.fibres.n_copied < 20);
    assert_three_sum_to_one(&h);
    for (int region = LV_WALL; region <= SEPTUM; region++) assert_follows_the_rule(&h, region);
    assert_septum_is_inside_on_both_sides(&h);
    double smooth = jump_share(&h);
    mt_fibres_rule rule = mt_fibres_rule_default;
    rule.variant = MT_FIBRES_BAYER;
    grow(&h, &rule);
    cr_assert_lt(smooth, 0.2, "%g", smooth);
    cr_assert_lt(smooth, 0.8 * jump_share(&h), "%g, as published %g", smooth, jump_share(&h));
    mt_arena_free(&h.arena);
}

Test(fibres, fibres_of_a_left_ventricle_follow_the_rule_all_around)
{
    heart h = {0};
    gmsh_left_ventricle(&h.arena, 6, &h.mesh);
    connect(&h);
    grow(&h, &mt_fibres_rule_default);
    cr_assert(!h.fibres.has_rv);
    assert_follows_the_rule(&h, WHOLE_LV);
    assert_three_sum_to_one(&h);
    mt_arena_free(&h.arena);
}

/* A wall of one box, with all vertices on surfaces, and a separate element with all its vertices on the epicardium and three on the
 * base. */
Test(fibres, fibres_are_unit_vectors_even_where_gradients_vanish)
{
    for (int variant = MT_FIBRES_SMOOTH; variant <= MT_FIBRES_BAYER; variant++) {
        heart h = {0};
        mt_mesh box;
        mt_fibres_rule rule = mt_fibres_rule_default;
        rule.variant = (mt_fibres_variant)variant;
        cr_assert_eq(mt_slab_make(&h.arena, (double[]){1, 1, 1}, 1, &box), MT_OK);
        cr_assert_eq(mt_mesh_new(&h.arena, 12, 7, &h.mesh), MT_OK);
        memcpy(h.mesh.xyz_mm, box.xyz_mm, 24 * sizeof(double));
        memcpy(h.mesh.xyz_mm + 24, (double[]){3, 0, 1, 4, 0, 1, 3, 1, 1, 3, 0, 2}, 12 * sizeof(double));
        memcpy(h.mesh.element_vertex, box.element_vertex, 24 * sizeof(uint32_t));
        memcpy(h.mesh.element_vertex + 24, (uint32_t[]){8, 9, 10, 11}, 4 * sizeof(uint32_t));
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

/* A wall of flat, obtuse elements with an outer side that is half epicardium and half right endocardium. Linear elements overshoot there,
 * and values above 1 or below 0 have no square root and no depth. */
Test(fibres, fibres_are_unit_vectors_in_obtuse_elements_with_solutions_outside_0_to_1)
{
    for (int variant = MT_FIBRES_SMOOTH; variant <= MT_FIBRES_BAYER; variant++) {
        heart h;
        mt_fibres_rule rule = mt_fibres_rule_default;
        rule.variant = (mt_fibres_variant)variant;
        make_wall(&h, 0.5, MT_SURFACE_EPI);
        for (size_t f = 0; f < h.mesh.n_faces; f++)
            if (h.mesh.face_tag[f] == MT_SURFACE_EPI &&
                h.mesh.xyz_mm[3 * h.mesh.face_vertex[3 * f] + 2] > 1.5)
                h.mesh.face_tag[f] = MT_SURFACE_RV;
        for (size_t v = 0; v < h.mesh.n_vertices; v++) h.mesh.xyz_mm[3 * v] *= 0.05;
        grow(&h, &rule);
        size_t n_below = 0, n_layer[4] = {0};
        for (size_t c = 0; c < h.mesh.n_elements; c++) {
            double epi = 0;
            for (size_t k = 0; k < 4; k++) {
                uint32_t v = h.mesh.element_vertex[4 * c + k];
                epi += (1 - h.fibres.phi_lv[v] - h.fibres.phi_rv[v]) / 4;
            }
            n_below += epi < -1e-3;
            n_layer[h.fibres.layer[c]]++;
        }
        cr_assert_gt(n_below, 0);
        cr_assert(n_layer[MT_LAYER_ENDO] > 0 && n_layer[MT_LAYER_MID] > 0 && n_layer[MT_LAYER_EPI] > 0);
        mt_arena_free(&h.arena);
    }
}

/* Adds a copy of triangle `from`, as part of another surface. */
static void tag_again(heart *h, size_t from, int32_t tag)
{
    memcpy(h->mesh.face_vertex + 3 * h->mesh.n_faces, h->mesh.face_vertex + 3 * from, 3 * sizeof(uint32_t));
    h->mesh.face_tag[h->mesh.n_faces++] = tag;
}

static size_t first_tagged(const heart *h, int32_t tag)
{
    size_t f = 0;
    while (f < h->mesh.n_faces && h->mesh.face_tag[f] != tag) f++;
    cr_assert_lt(f, h->mesh.n_faces, "no triangle is tagged %d", tag);
    return f;
}

static int32_t layer_by(const double share[3], double depth)
{
    return depth < share[0] ? MT_LAYER_ENDO : depth < 1 - share[2] ? MT_LAYER_MID : MT_LAYER_EPI;
}

/* The wall is flat, so its depth is the centroid's x, or in a septum the distance to the nearer side. An element counts at its centroid; it
 * extends at most one edge (1/8 of the wall) from it. */
Test(fibres, layers_are_bounded_at_the_specified_fractions_of_depth)
{
    static const double shares[][3] = {{1.0 / 3, 1.0 / 3, 1.0 / 3}, {0.2, 0.5, 0.3}, {0.2, 0, 0.8},
        {0.6, 0.4, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int septum = 0; septum < 2; septum++) {
        heart h;
        make_wall(&h, 0.5, septum ? MT_SURFACE_RV : MT_SURFACE_EPI);
        if (septum) tag_again(&h, first_tagged(&h, MT_SURFACE_RV), MT_SURFACE_EPI);
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
            mt_fibres_rule rule = mt_fibres_rule_default;
            double mm3[4] = {0}, all = 0;
            memcpy(rule.layer_share, shares[k], sizeof rule.layer_share);
            grow(&h, &rule);
            for (size_t c = 0; c < h.mesh.n_elements; c++) {
                double x[3];
                mt_mesh_centroid(&h.mesh, c, x);
                double depth = septum ? 0.5 - fabs(0.5 - x[0] / wall[0]) : x[0] / wall[0];
                cr_assert_eq(h.fibres.layer[c], layer_by(shares[k], depth), "shares %zu, depth %g", k, depth);
                mm3[h.fibres.layer[c]] += mt_mesh_volume_mm3(&h.mesh, c);
                all += mt_mesh_volume_mm3(&h.mesh, c);
            }
            for (int l = 0; l < 3; l++) {
                cr_assert_float_eq(h.fibres.layer_volume[l], mm3[l + 1] / all, 1e-12);
                if (!septum) cr_assert_float_eq(h.fibres.layer_volume[l], shares[k][l], 0.125);
                if (shares[k][l] == 0) cr_assert_eq(h.fibres.layer_volume[l], 0);
            }
        }
        mt_arena_free(&h.arena);
    }
}

Test(fibres, the_check_rejects_fibres_with_one_wrong_value)
{
    heart h;
    make_wall(&h, 1, MT_SURFACE_EPI);
    grow(&h, &mt_fibres_rule_default);
    mt_fibres *f = &h.fibres;
    double *const number[] = {f->fibre + 3, f->sheet + 4, f->normal + 5, f->depth + 1, f->fibre};
    const double wrong[] = {f->fibre[3] + 1e-11, f->sheet[4] - 1e-11, NAN, 1.01, NAN};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        double kept = *number[k];
        *number[k] = wrong[k];
        cr_assert_eq(fibres_check(f), MT_INPUT, "number %zu", k);
        cr_assert(strstr(mt_message(), k == 4 ? "element 0" : "element 1"), "%s", mt_message());
        *number[k] = kept;
    }
    for (int layer = 0; layer <= 4; layer++) {
        f->layer[2] = layer;
        cr_assert_eq(fibres_check(f), layer % 4 ? MT_OK : MT_INPUT, "layer %d", layer);
    }
    f->layer[2] = MT_LAYER_MID;
    for (size_t k = 0; k < 3; k++) f->normal[k] *= -1; /* left-handed */
    cr_assert_eq(fibres_check(f), MT_INPUT);
    mt_arena_free(&h.arena);
}

Test(fibres, fibres_are_compared_as_axes)
{
    double a[10][3], b[10][3];
    mt_fibres_angles angles;
    for (int c = 0; c < 10; c++) {
        double turn = 10 * degree * ((c * 7) % 10); /* 0 .. 90, unordered */
        memcpy(a[c], (double[]){0, 1, 0}, sizeof a[c]);
        memcpy(b[c], (double[]){0, cos(turn) * (c % 2 ? 1 : -1), sin(turn)}, sizeof b[c]);
    }
    cr_assert_eq(mt_fibres_compare(10, a[0], b[0], &angles), MT_OK);
    cr_assert_float_eq(angles.mean_deg, 45, 1e-12);
    cr_assert_float_eq(angles.median_deg, 45, 1e-12);
    cr_assert_float_eq(angles.high_deg, 80, 1e-12);
    cr_assert_eq(mt_fibres_compare(1, (double[]){1, 0, 0}, (double[]){-1, 1e-9, 0}, &angles), MT_OK);
    cr_assert_float_eq(angles.high_deg, 1e-9 / degree, 1e-20); /* the cosine alone would not resolve this */
    cr_assert_eq(mt_fibres_compare(0, NULL, NULL, &angles), MT_OK);
    cr_assert_eq(angles.mean_deg, 0);
    mt_arena_fail_at(1);
    cr_assert_eq(mt_fibres_compare(10, a[0], b[0], &angles), MT_MEMORY);
    mt_arena_fail_at(0);
}

Test(fibres, elements_entirely_on_the_epicardium_take_the_directions_of_a_neighbour)
{
    heart h;
    size_t copied = 0;
    make_wall(&h, 0.5, MT_SURFACE_EPI);
    /* An element in the middle of the outer half is tagged as epicardium: two triangles contain its four vertices. */
    for (size_t c = 0; c < h.mesh.n_elements && !copied; c++) {
        double x[3];
        mt_mesh_centroid(&h.mesh, c, x);
        if (x[0] > 2.5 && x[0] < 3 && x[2] > 1 && x[2] < 2) copied = c;
    }
    for (size_t f = 0; f < 2; f++, h.mesh.n_faces++) {
        memcpy(h.mesh.face_vertex + 3 * h.mesh.n_faces, h.mesh.element_vertex + 4 * copied + f,
            3 * sizeof(uint32_t));
        h.mesh.face_tag[h.mesh.n_faces] = MT_SURFACE_EPI;
    }
    grow(&h, &mt_fibres_rule_default);
    cr_assert_eq(h.fibres.n_copied, 1);
    uint32_t lowest = MT_NO_ELEMENT;
    for (size_t f = 0; f < 4; f++)
        if (h.adjacency.neighbour[4 * copied + f] < lowest) lowest = h.adjacency.neighbour[4 * copied + f];
    cr_assert_eq(h.fibres.depth[copied], 1);
    cr_assert(memcmp(h.fibres.fibre + 3 * copied, h.fibres.fibre + 3 * (size_t)lowest, 24) == 0);
    mt_fibres_rule rule = mt_fibres_rule_default; /* depth 1 is not the epicardium if there is none */
    for (int mid = 0; mid < 2; mid++) {
        memcpy(
            rule.layer_share, mid ? (double[]){0.6, 0.4, 0} : (double[]){1, 0, 0}, sizeof rule.layer_share);
        grow(&h, &rule);
        cr_assert_eq(h.fibres.layer[copied], mid ? MT_LAYER_MID : MT_LAYER_ENDO);
    }
    mt_arena_free(&h.arena);
}

Test(fibres, vertices_on_several_surfaces_follow_the_precedence_of_surfaces)
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
        /* The resulting plane is irrelevant: any apex is also on the base. */
        if (twice || h.mesh.face_tag[f] == MT_SURFACE_EPI) tag_again(&h, f, MT_SURFACE_BASE);
    }
    grow(&h, &mt_fibres_rule_default);
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

Test(fibres, a_mesh_without_surfaces_or_an_invalid_rule_is_an_input_error)
{
    heart h;
    make_wall(&h, 1, MT_SURFACE_EPI);
    mt_fibres_rule rule = mt_fibres_rule_default;
    rule.epi_deg = NAN;
    cr_assert_eq(mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &rule, &h.fibres), MT_INPUT);
    rule.epi_deg = -91;
    cr_assert_eq(mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &rule, &h.fibres), MT_INPUT);
    cr_assert(strstr(mt_message(), "-91"), "%s", mt_message());
    static const double shares[][3] = {{0.5, 0.6, -0.1}, {0.3, 0.4, 0.4}, {NAN, 0.5, 0.5}, {1e300, 0, 0}};
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        rule = mt_fibres_rule_default;
        memcpy(rule.layer_share, shares[k], sizeof shares[k]);
        cr_assert_eq(mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &rule, &h.fibres), MT_INPUT, "%zu", k);
    }
    rule = mt_fibres_rule_default;
    rule.max_iterations = 1;
    cr_assert_eq(mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &rule, &h.fibres), MT_NUMERICS);
    for (int tag = MT_SURFACE_BASE; tag <= MT_SURFACE_LV; tag++) {
        for (size_t f = 0; f < h.mesh.n_faces; f++) h.mesh.face_tag[f] += h.mesh.face_tag[f] == tag ? 100 : 0;
        cr_assert_eq(
            mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &mt_fibres_rule_default, &h.fibres), MT_INPUT);
        for (size_t f = 0; f < h.mesh.n_faces; f++) h.mesh.face_tag[f] %= 100;
    }
    h.mesh.face_vertex[0] = (uint32_t)h.mesh.n_vertices;
    cr_assert_eq(
        mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &mt_fibres_rule_default, &h.fibres), MT_INPUT);
    h.mesh.n_faces = 0;
    cr_assert_eq(
        mt_fibres_make(&h.arena, &h.mesh, &h.adjacency, &mt_fibres_rule_default, &h.fibres), MT_INPUT);
    mt_arena_free(&h.arena);
}

Test(fibres, out_of_memory_is_reported_without_a_leak)
{
    heart h;
    make_wall(&h, 1, MT_SURFACE_EPI);
    for (size_t n = 1;; n++) {
        mt_arena result = {0};
        mt_arena_fail_at(n);
        mt_status status = mt_fibres_make(&result, &h.mesh, &h.adjacency, &mt_fibres_rule_default, &h.fibres);
        mt_arena_fail_at(0);
        mt_arena_free(&result);
        if (status == MT_OK) {
            cr_assert_gt(n, 40, "only %zu takes failed", n - 1);
            break;
        }
        cr_assert_eq(status, MT_MEMORY, "take %zu: %s", n, mt_message());
    }
    mt_arena_free(&h.arena);
}
