/* Generated Purkinje networks. */
#include <criterion/criterion.h>

#include <omp.h>
#include <string.h>

#include "data/core/disjoint.h"
#include "data/core/vec3.h"
#include "mesh/anatomy/nearest.h"
#include "mesh/network/endocardium.h"
#include "mesh/network/purkinje.h"
#include "tests/mesh/gmsh_ventricles.h"
#include "tests/mesh/shell.h"

static mt_arena arena;

static void end(void) { mt_arena_free(&arena); }

TestSuite(purkinje, .fini = end);

/* ---- hearts and networks ---- */

typedef struct heart {
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_coordinates coordinates;
} heart;

static void connect(heart *h, const double *to_septum)
{
    cr_assert_eq(mt_adjacency_make(&arena, &h->mesh, &h->adjacency), MT_OK);
    cr_assert_eq(
        mt_coordinates_make(&arena, &h->mesh, to_septum, &h->coordinates), MT_OK, "%s", mt_message());
}

/* A left ventricle with the septum at +x and the anterior side at +y. */
static void make_left(heart *h)
{
    const shell s = {10, 2, 1};
    shell_make(&arena, &s, &h->mesh);
    connect(h, (double[]){1, 0, 0});
}

/* Both, with the right ventricle at +x and the base z = 0. */
static void make_both(heart *h)
{
    gmsh_ventricles_alike(&arena, 6, &h->mesh);
    connect(h, NULL);
}

/* For the shell, of 20 mm radius. */
static mt_purkinje_rule small_rule(void)
{
    mt_purkinje_rule r = mt_purkinje_default;
    r.segment_mm = 0.5, r.branch_mm = 4, r.coverage_mm = 2, r.depth_mm = 1.5;
    r.his_mm = 3, r.left_bundle_mm = 5;
    return r;
}

/* A network, with the degrees of its nodes. */
typedef struct grown {
    mt_network network;
    mt_purkinje_info info;
    uint32_t *degree;
} grown;

static grown grow(const heart *h, const mt_purkinje_rule *rule)
{
    grown g;
    cr_assert_eq(
        mt_purkinje_make(&arena, &h->mesh, &h->adjacency, &h->coordinates, rule, &g.network, &g.info), MT_OK,
        "%s", mt_message());
    cr_assert_eq(mt_network_check(&g.network, NULL), MT_OK, "%s", mt_message());
    g.degree = mt_arena_alloc(&arena, g.network.n_nodes, sizeof *g.degree);
    for (size_t i = 0; i < 2 * g.network.n_segments; i++) g.degree[g.network.segment_node[i]]++;
    return g;
}

static const double *node_of(const grown *g, size_t segment, size_t i)
{
    return g->network.xyz_mm + 3 * (size_t)g->network.segment_node[2 * segment + i];
}

/* True for the last segment of a terminal, into the wall. Its second node is the end. */
static bool is_terminal(const grown *g, size_t segment)
{
    return g->degree[g->network.segment_node[2 * segment + 1]] == 1;
}

static double length_of(const grown *g, size_t segment)
{
    return sqrt(mt_square3(node_of(g, segment, 0), node_of(g, segment, 1)));
}

static bool same_bits(const grown *a, const grown *b)
{
    return a->network.n_nodes == b->network.n_nodes &&
           !memcmp(a->network.xyz_mm, b->network.xyz_mm, 3 * a->network.n_nodes * sizeof(double)) &&
           !memcmp(a->network.segment_node, b->network.segment_node,
               2 * a->network.n_segments * sizeof(uint32_t)) &&
           !memcmp(a->network.kind, b->network.kind, a->network.n_segments * sizeof(int32_t));
}

/* ---- structure ---- */

static void check_tree(const grown *g, int n_kinds, const int32_t *kinds)
{
    const mt_network *n = &g->network;
    mt_network_info info;
    double length_mm[MT_PURKINJE_KINDS] = {0};
    size_t n_terminals = 0;
    cr_assert_eq(n->n_segments, n->n_nodes - 1);
    cr_assert_null(n->radius_mm);
    cr_assert_eq(mt_network_describe(n, &info), MT_OK);
    cr_assert_eq(info.n_components, 1);
    cr_assert_eq(info.n_loops, 0);
    for (size_t s = 0; s < n->n_segments; s++) {
        cr_assert_eq(n->segment_node[2 * s + 1], s + 1);
        cr_assert_leq(n->segment_node[2 * s], s);
        length_mm[n->kind[s]] += length_of(g, s);
        n_terminals += is_terminal(g, s);
    }
    for (int32_t k = 0; k < MT_PURKINJE_KINDS; k++) {
        bool expected = false;
        for (int i = 0; i < n_kinds; i++) expected |= kinds[i] == k;
        cr_assert_eq(length_mm[k] > 0, expected, "%s", mt_purkinje_kind_names[k]);
        cr_assert_float_eq(g->info.length_mm[k], length_mm[k], 1e-9);
    }
    cr_assert_eq(info.n_terminals, n_terminals + 1); /* and the His bundle's end */
    cr_assert_eq(g->info.n_terminals[0] + g->info.n_terminals[1], n_terminals);
}

Test(purkinje, the_network_of_a_left_ventricle_is_one_tree)
{
    heart h;
    make_left(&h);
    const mt_purkinje_rule rule = small_rule();
    const grown g = grow(&h, &rule);
    check_tree(&g, 3, (int32_t[]){MT_PURKINJE_HIS, MT_PURKINJE_LEFT_BUNDLE, MT_PURKINJE_LEFT});
    cr_assert(g.info.n_terminals[0] > 50 && g.info.n_terminals[1] == 0, "%zu", g.info.n_terminals[0]);
    cr_assert_eq(g.info.area_mm2[1], 0);
}

/* ---- false tendons ---- */

/* True if a point is inside an element. */
static bool is_in_wall(const heart *h, const double x[3])
{
    for (size_t c = 0; c < h->mesh.n_elements; c++) {
        const uint32_t *vertex = h->mesh.element_vertex + 4 * c;
        bool inside = true;
        for (int f = 0; f < 4 && inside; f++) {
            const double *at[4];
            double a[3], b[3], n[3], to[3], own[3];
            for (int k = 0; k < 4; k++) at[k] = h->mesh.xyz_mm + 3 * (size_t)vertex[(f + k) % 4];
            mt_minus3(at[1], at[0], a);
            mt_minus3(at[2], at[0], b);
            mt_cross3(a, b, n);
            mt_minus3(x, at[0], to);
            mt_minus3(at[3], at[0], own);
            inside = mt_dot3(n, to) * mt_dot3(n, own) > 0;
        }
        if (inside) return true;
    }
    return false;
}

/* Checks that the segments of the left bundle branch away from the wall are n straight chains whose ends are on the endocardium. Returns
 * the number of their segments. */
static size_t check_tendons(const heart *h, const grown *g, size_t n)
{
    mt_nearest surface;
    size_t n_ends = 0, n_starts = 0, n_free = 0;
    uint8_t *on = mt_arena_alloc(&arena, g->network.n_nodes, 1);
    cr_assert_eq(mt_nearest_make(&arena, &h->mesh, MT_SURFACE_LV, &surface), MT_OK);
    for (size_t i = 0; i < g->network.n_nodes; i++) {
        double distance_mm;
        (void)mt_nearest_find(&surface, g->network.xyz_mm + 3 * i, NULL, &distance_mm);
        on[i] = distance_mm < 1e-9;
    }
    for (size_t s = 0; s < g->network.n_segments; s++) {
        const uint32_t *node = g->network.segment_node + 2 * s;
        double middle[3];
        if (g->network.kind[s] != MT_PURKINJE_LEFT_BUNDLE || (on[node[0]] && on[node[1]])) continue;
        for (int k = 0; k < 3; k++) middle[k] = (node_of(g, s, 0)[k] + node_of(g, s, 1)[k]) / 2;
        if (is_in_wall(h, middle)) continue; /* from the His bundle */
        n_free++;
        n_starts += on[node[0]], n_ends += on[node[1]];
        if (!on[node[1]]) {
            cr_assert_not(is_in_wall(h, node_of(g, s, 1)), "segment %zu", s);
            cr_assert_eq(g->degree[node[1]], 2, "segment %zu has a branch in the cavity", s);
        }
        if (on[node[0]]) continue;
        double before[3], here[3], turn[3]; /* the segment before is that of its first node */
        mt_minus3(node_of(g, node[0] - (size_t)1, 1), node_of(g, node[0] - (size_t)1, 0), before);
        mt_minus3(node_of(g, s, 1), node_of(g, s, 0), here);
        mt_cross3(before, here, turn);
        cr_assert_lt(mt_length3(turn), 1e-9, "segment %zu is not straight", s);
    }
    cr_assert_eq(n_starts, n);
    cr_assert_eq(n_ends, n);
    return n_free;
}

/* In a cavity of 40 mm, and in that of a heart of 80 mm with a right ventricle. */
Test(purkinje, false_tendons_are_straight_chains_through_the_left_cavity)
{
    for (int right = 0; right < 2; right++) {
        heart h;
        mt_purkinje_rule rule = right ? mt_purkinje_default : small_rule();
        (right ? make_both : make_left)(&h);
        rule.generations = 4;
        const grown none = grow(&h, &rule);
        cr_assert_eq(check_tendons(&h, &none, 0), 0);
        cr_assert_eq(none.info.n_false_tendons, 0);
        rule.false_tendons = 4;
        const grown four = grow(&h, &rule);
        cr_assert_eq(four.info.n_false_tendons, 4);
        const double length_mm = (double)check_tendons(&h, &four, 4) * rule.segment_mm;
        cr_assert(length_mm > 4 * 10 && length_mm < 4 * (right ? 80 : 45), "%g mm", length_mm);
        cr_assert_gt(four.info.n_terminals[0], none.info.n_terminals[0] + 8, "trees grow from their ends");
        const grown same = grow(&h, &rule);
        cr_assert(same_bits(&four, &same));
        rule.seed = 2;
        const grown other = grow(&h, &rule);
        (void)check_tendons(&h, &other, 4);
        cr_assert_neq(
            four.info.length_mm[MT_PURKINJE_LEFT_BUNDLE], other.info.length_mm[MT_PURKINJE_LEFT_BUNDLE]);
    }
}

/* ---- surface ---- */

/* The nodes of bundle branches from the root on, and of the tree, are on the surface within rounding: 1e-12 mm at 20 mm. The straight
 * segment is shorter than the line on the surface by its bends: 8 degrees between triangles at most, a factor of cos(4 degrees). */
Test(purkinje, nodes_are_on_the_endocardium_and_segments_have_the_requested_length)
{
    heart h;
    mt_nearest surface;
    size_t n_short = 0, n = 0;
    make_left(&h);
    const mt_purkinje_rule rule = small_rule();
    const grown g = grow(&h, &rule);
    cr_assert_eq(mt_nearest_make(&arena, &h.mesh, MT_SURFACE_LV, &surface), MT_OK);
    for (size_t s = 0; s < g.network.n_segments; s++) {
        double distance_mm;
        if (g.network.kind[s] == MT_PURKINJE_HIS || is_terminal(&g, s)) continue;
        (void)mt_nearest_find(&surface, node_of(&g, s, 1), NULL, &distance_mm);
        cr_assert_lt(distance_mm, 1e-12, "node %zu: %g", s + 1, distance_mm);
        const double share = length_of(&g, s) / rule.segment_mm;
        cr_assert(share > 0.97 && share < 1 + 1e-12, "segment %zu: %.17g", s, share);
        n_short += share < 1 - 1e-9, n++;
    }
    cr_assert(n_short > 0 && n_short < n / 2, "%zu of %zu segments are bent", n_short, n);
}

/* ---- distances of branches ---- */

/* Returns a distance of two segments that is at most 0.05 segments too large, by sampling. */
static double between(const grown *g, size_t a, size_t b)
{
    double least = INFINITY;
    for (int i = 0; i <= 20; i++)
        for (int j = 0; j <= 20; j++) {
            double x[3], y[3];
            for (size_t k = 0; k < 3; k++) {
                x[k] = node_of(g, a, 0)[k] + i / 20.0 * (node_of(g, a, 1)[k] - node_of(g, a, 0)[k]);
                y[k] = node_of(g, b, 0)[k] + j / 20.0 * (node_of(g, b, 1)[k] - node_of(g, b, 0)[k]);
            }
            least = fmin(least, mt_square3(x, y));
        }
    return sqrt(least);
}

/* Computes the branch of each segment: the number of its first segment. */
static uint32_t *branches_of(const grown *g)
{
    uint32_t *branch = mt_arena_alloc(&arena, g->network.n_segments, sizeof *branch);
    for (size_t s = 0; s < g->network.n_segments; s++) {
        const uint32_t parent = g->network.segment_node[2 * s];
        branch[s] = parent > 0 && g->degree[parent] == 2 ? branch[parent - 1] : (uint32_t)s;
    }
    return branch;
}

/* True if two branches share a node. A branch ends where another starts: at the second node of its last segment. */
static bool adjacent(const grown *g, const uint32_t *last, uint32_t a, uint32_t b)
{
    const uint32_t *node = g->network.segment_node;
    const uint32_t from_a = node[2 * (size_t)a], from_b = node[2 * (size_t)b];
    return from_a == from_b || from_a == last[b] + 1 || from_b == last[a] + 1;
}

static void check_distances(const heart *h, const mt_purkinje_rule *rule)
{
    const double near_mm = 0.2 * rule->segment_mm, far_mm = rule->collision * rule->branch_mm;
    const grown g = grow(h, rule);
    const uint32_t *branch = branches_of(&g), *node = g.network.segment_node;
    uint32_t *last = mt_arena_alloc(&arena, g.network.n_segments, sizeof *last);
    double least = INFINITY;
    for (size_t s = 0; s < g.network.n_segments; s++) last[branch[s]] = (uint32_t)s;
    for (size_t a = 0; a < g.network.n_segments; a++)
        for (size_t b = 0; b < a; b++) {
            if (g.network.kind[b] == MT_PURKINJE_HIS || is_terminal(&g, a) || is_terminal(&g, b)) continue;
            if (node[2 * a] == node[2 * b] || node[2 * a] == node[2 * b + 1]) continue;
            if (mt_square3(node_of(&g, a, 1), node_of(&g, b, 1)) > 4) continue;
            const double mm = between(&g, a, b);
            cr_assert_gt(mm, near_mm, "%zu, %zu: %g", a, b, mm);
            if (branch[a] == branch[b] || adjacent(&g, last, branch[a], branch[b])) continue;
            cr_assert_gt(mm, far_mm, "%zu, %zu: %g", a, b, mm);
            least = fmin(least, mm);
        }
    if (far_mm > near_mm)
        cr_assert_lt(least, 1.2 * far_mm, "%g", least); /* the surface is filled up to this distance */
}

/* Strong repulsion makes branches turn sharply, also towards their sisters and parents. */
Test(purkinje, branches_keep_their_distance)
{
    heart h;
    make_left(&h);
    mt_purkinje_rule rule = small_rule();
    check_distances(&h, &rule);
    rule.repulsion = 3;
    check_distances(&h, &rule);
}

/* ---- terminals ---- */

static bool in_mesh(const mt_mesh *mesh, const double x[3])
{
    for (size_t e = 0; e < mesh->n_elements; e++) {
        bool inside = true;
        for (size_t f = 0; f < 4 && inside; f++) {
            double area[3], to[3];
            mt_mesh_face_area(mesh, e, f, area);
            mt_minus3(x, mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * e + mt_mesh_face[f][0]], to);
            inside = mt_dot3(area, to) <= 0;
        }
        if (inside) return true;
    }
    return false;
}

/* The wall has 10 mm: 1.5 mm deep as requested, and 5 mm, half of it, instead of 8 mm. Along the normal of a flat triangle, the wall has
 * between 9.9 mm (between concentric flat triangles) and 10.2 mm. */
Test(purkinje, terminals_end_in_the_wall_at_the_requested_depth)
{
    heart h;
    mt_nearest surface;
    make_left(&h);
    cr_assert_eq(mt_nearest_make(&arena, &h.mesh, MT_SURFACE_LV, &surface), MT_OK);
    mt_purkinje_rule rule = small_rule();
    rule.generations = 5;
    for (int deep = 0; deep < 2; deep++) {
        rule.depth_mm = deep ? 8 : 1.5;
        const grown g = grow(&h, &rule);
        cr_assert_eq(g.info.n_shallow[0], deep ? g.info.n_terminals[0] : 0);
        for (size_t s = 0; s < g.network.n_segments; s++) {
            double distance_mm;
            if (!is_terminal(&g, s)) continue;
            const double *end_mm = node_of(&g, s, 1), depth_mm = length_of(&g, s);
            (void)mt_nearest_find(&surface, end_mm, NULL, &distance_mm);
            cr_assert_float_eq(depth_mm, deep ? 5 : 1.5, deep ? 0.1 : 1e-12, "%g", depth_mm);
            cr_assert_float_eq(distance_mm, depth_mm, 0.02 * depth_mm, "%g", distance_mm); /* perpendicular */
            cr_assert(in_mesh(&h.mesh, end_mm));
        }
    }
    rule.depth_mm = 0;
    const grown flat = grow(&h, &rule);
    double distance_mm;
    (void)mt_nearest_find(&surface, node_of(&flat, flat.network.n_segments - 1, 1), NULL, &distance_mm);
    cr_assert_lt(distance_mm, 1e-12);
}

/* ---- seeds and generations ---- */

Test(purkinje, the_seed_determines_the_network)
{
    heart h;
    make_left(&h);
    mt_purkinje_rule rule = small_rule();
    rule.generations = 8;
    omp_set_num_threads(1);
    const grown one = grow(&h, &rule);
    omp_set_num_threads(4);
    const grown again = grow(&h, &rule);
    cr_assert(same_bits(&one, &again));
    rule.seed = 2;
    const grown other = grow(&h, &rule);
    cr_assert(!same_bits(&one, &other));
    rule.deviation = 0;
    const grown equal = grow(&h, &rule);
    rule.seed = 3;
    const grown lengths = grow(&h, &rule);
    cr_assert(same_bits(&equal, &lengths)); /* the seed is for lengths only */
}

/* The six branches of the first generation of 200 seeds: 8 segments in the mean, with a standard deviation of 3.58 and at least one.
 * Nothing stops them. The mean of 1200 has a standard error of 0.1; its tolerance is 4 of these. */
Test(purkinje, lengths_of_branches_are_distributed_as_requested)
{
    heart h;
    make_left(&h);
    double n = 0, sum = 0, squares = 0;
    mt_purkinje_rule rule = small_rule();
    rule.generations = 1;
    rule.collision = 0;
    for (rule.seed = 0; rule.seed < 200; rule.seed++) {
        const grown g = grow(&h, &rule);
        const uint32_t *node = g.network.segment_node;
        size_t *length =
            mt_arena_alloc(&arena, g.network.n_segments, sizeof *length); /* up to a segment, in its branch */
        for (size_t s = 0; s < g.network.n_segments; s++) {
            if (g.network.kind[s] != MT_PURKINJE_LEFT) continue;
            const size_t before = length[node[2 * s] - 1];
            length[s] = before + 1;
            if (is_terminal(&g, s)) n++, sum += (double)before, squares += (double)(before * before);
        }
    }
    cr_assert_eq(n, 1200);
    const double mean = sum / n, deviation = sqrt(squares / n - mean * mean);
    cr_assert_float_eq(mean, 8, 0.41, "%g", mean);
    cr_assert_float_eq(deviation, 3.58, 0.3, "%g", deviation);
}

/* Returns the number of nodes of `some` that are nodes of `all`, too, both in their order of growth. */
static size_t shared_nodes(const grown *some, const grown *all)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < some->network.n_nodes; i++) {
        if (some->degree[i] == 1 && i > 0) continue; /* ends of terminals come last */
        while (k < all->network.n_nodes &&
               memcmp(all->network.xyz_mm + 3 * k, some->network.xyz_mm + 3 * i, 3 * sizeof(double)))
            k++;
        n += k < all->network.n_nodes;
    }
    return n;
}

Test(purkinje, more_generations_only_add_and_cover_more)
{
    heart h;
    make_left(&h);
    mt_purkinje_rule rule = small_rule();
    double before = 0;
    grown smaller = {0};
    for (rule.generations = 1; rule.generations <= 9; rule.generations += 2) {
        const grown g = grow(&h, &rule);
        cr_assert_eq(g.info.n_generations[0], rule.generations);
        cr_assert_gt(g.info.coverage[0], before, "%zu generations: %g", rule.generations, g.info.coverage[0]);
        before = g.info.coverage[0];
        if (smaller.degree)
            cr_assert_eq(shared_nodes(&smaller, &g), smaller.network.n_nodes - smaller.info.n_terminals[0],
                "%zu", rule.generations);
        smaller = g;
    }
    rule = small_rule();
    rule.coverage = 0.5;
    const grown stopped = grow(&h, &rule);
    cr_assert(stopped.info.coverage[0] >= 0.5 && stopped.info.n_generations[0] < 9);
    rule.generations = stopped.info.n_generations[0] - 1;
    const grown previous = grow(&h, &rule);
    cr_assert_lt(previous.info.coverage[0], 0.5);
    rule.generations = 20;
    rule.coverage = 1;
    const grown full = grow(&h, &rule);
    cr_assert_gt(full.info.coverage[0], 0.7, "%g", full.info.coverage[0]); /* not the base */
}

/* The share of the area within coverage_mm, by brute force. */
Test(purkinje, coverage_is_the_share_of_the_area_near_purkinje_nodes)
{
    heart h;
    make_left(&h);
    mt_purkinje_rule rule = small_rule();
    rule.generations = 4;
    const grown g = grow(&h, &rule);
    double covered = 0, all = 0;
    for (size_t f = 0; f < h.mesh.n_faces; f++) {
        if (h.mesh.face_tag[f] != MT_SURFACE_LV) continue;
        double corner[3][3], middle[3], least = INFINITY;
        mt_triangle_corners(&h.mesh, f, corner);
        for (int k = 0; k < 3; k++) middle[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3;
        for (size_t s = 0; s < g.network.n_segments; s++)
            if (g.network.kind[s] == MT_PURKINJE_LEFT && !is_terminal(&g, s))
                least = fmin(least, mt_square3(node_of(&g, s, 1), middle));
        all += mt_triangle_mm2(&h.mesh, f);
        if (sqrt(least) <= rule.coverage_mm) covered += mt_triangle_mm2(&h.mesh, f);
    }
    cr_assert_float_eq(g.info.coverage[0], covered / all, 1e-9);
    cr_assert_float_eq(g.info.area_mm2[0], all, 1e-9 * all);
}

/* ---- roots and bundles ---- */

/* True if a later segment of a bundle starts at the end of a segment. */
static bool bundle_goes_on(const grown *g, size_t segment)
{
    for (size_t s = segment + 1; s < g->network.n_segments; s++)
        if (g->network.segment_node[2 * s] == segment + 1 && g->network.kind[s] == g->network.kind[segment])
            return true;
    return false;
}

/* Returns the point of a sphere around 0 with rotational and apicobasal coordinates at[2], and the middle of the septum at +x. */
static const double *point_at(const double at[2], double radius_mm)
{
    static double x[3];
    const double around = (5.0 / 6 - at[0]) * 2 * M_PI, up = at[1] * M_PI / 2;
    x[0] = radius_mm * sin(up) * cos(around), x[1] = radius_mm * sin(up) * sin(around);
    x[2] = -radius_mm * cos(up);
    return x;
}

/* The middle of the septum is +x. 0.85 of the way from apex to base along the meridian. */
Test(purkinje, the_left_bundle_starts_on_the_septum_and_divides)
{
    heart h;
    make_left(&h);
    mt_purkinje_rule rule = small_rule();
    rule.generations = 3;
    const grown g = grow(&h, &rule);
    const double angle = 0.85 * M_PI / 2, *root = g.info.root_mm[0], *top = g.network.xyz_mm;
    cr_assert(
        fabs(root[0] - 20 * sin(angle)) < 0.3 && fabs(root[1]) < 0.5 && fabs(root[2] + 20 * cos(angle)) < 0.5,
        "(%g, %g, %g)", root[0], root[1], root[2]);
    cr_assert_float_eq(top[2] - root[2], 3, 1e-9); /* up the long axis, z */
    cr_assert_float_eq(g.info.length_mm[MT_PURKINJE_HIS], 3, 1e-9);
    /* the trunk descends by 5 mm; from its end, three fascicles run to their ends, by at most a segment and the size of a triangle */
    size_t n = 0, n_ends = 0, near[MT_PURKINJE_FASCICLES] = {0};
    const double *fork = NULL;
    for (size_t s = 0; s < g.network.n_segments; s++) {
        if (g.network.kind[s] != MT_PURKINJE_LEFT_BUNDLE) continue;
        if (++n == 10) fork = node_of(&g, s, 1);
        if (n > 10 && bundle_goes_on(&g, s)) continue;
        n_ends += n > 10;
        for (size_t k = 0; n > 10 && k < MT_PURKINJE_FASCICLES; k++)
            near[k] += sqrt(mt_square3(node_of(&g, s, 1), point_at(rule.fascicle[k], 20))) < 1.2;
    }
    cr_assert_float_eq(atan2(fork[0], -fork[2]), angle - 5 / 20.0, 0.02);
    cr_assert_eq(n_ends, 3, "%zu", n_ends);
    for (size_t k = 0; k < MT_PURKINJE_FASCICLES; k++)
        cr_assert_eq(near[k], 1, "fascicle %zu: %zu", k, near[k]);
}

/* Checks that a node is on the right endocardium, with an apicobasal coordinate within 0.04 below `most`, and returns its rotational one.
 * */
static double check_right_end(const heart *h, const mt_endocardium *right, const double *end_mm, double most)
{
    mt_endocardium_place place;
    double distance_mm;
    cr_assert_eq(mt_endocardium_nearest(right, end_mm, &place, &distance_mm), MT_OK);
    cr_assert_lt(distance_mm, 1e-10);
    const double here = mt_endocardium_value(right, &place, h->coordinates.apicobasal);
    cr_assert(here <= most + 1e-9 && here > most - 0.04, "%g", here);
    return mt_endocardium_value(right, &place, h->coordinates.rotational);
}

/* The right bundle is one chain from the fork along the septum to the coordinate 0.5, and through the cavity to the free wall; Purkinje
 * segments start at both ends only: two on the septum, two in each of four directions on the free wall. */
static void check_right_bundle(const heart *h, const grown *g)
{
    mt_endocardium right;
    size_t septal = 0, free_wall = 0, n_septal = 0, n_free = 0;
    cr_assert_eq(mt_endocardium_make(&arena, &h->mesh, &h->adjacency, MT_SURFACE_RV, &right), MT_OK);
    for (size_t s = 0; s < g->network.n_segments; s++)
        if (g->network.kind[s] == MT_PURKINJE_RIGHT_BUNDLE) free_wall = s + 1;
    for (size_t s = 0; s < g->network.n_segments; s++) {
        const uint32_t from = g->network.segment_node[2 * s];
        if (g->network.kind[s] != MT_PURKINJE_RIGHT || g->network.kind[from - 1] != MT_PURKINJE_RIGHT_BUNDLE)
            continue;
        n_free += from == free_wall;
        if (from == free_wall) continue;
        cr_assert(septal == 0 || septal == from);
        septal = from;
        n_septal++;
    }
    cr_assert(n_septal == 2 && n_free >= 6 && n_free <= 8, "%zu, %zu", n_septal, n_free);
    const double on_septum = check_right_end(h, &right, g->network.xyz_mm + 3 * septal, 0.5),
                 on_wall = check_right_end(h, &right, g->network.xyz_mm + 3 * free_wall, 0.6);
    cr_assert(on_septum > 2.0 / 3 && fabs(on_wall - 0.4) < 0.01, "%g, %g", on_septum, on_wall);
}

/* The nodes of the tree are below the coordinate 0.6, and some are just below; without that limit they are not. */
Test(purkinje, branches_stay_below_the_highest_coordinate)
{
    heart h;
    mt_endocardium left;
    make_left(&h);
    mt_purkinje_rule rule = small_rule();
    cr_assert_eq(mt_endocardium_make(&arena, &h.mesh, &h.adjacency, MT_SURFACE_LV, &left), MT_OK);
    rule.fascicle[0][1] = 0.5;
    rule.generations = 8;
    for (int limited = 0; limited < 2; limited++) {
        double most = 0;
        rule.highest = limited ? 0.6 : 1;
        const grown g = grow(&h, &rule);
        for (size_t s = 0; s < g.network.n_segments; s++) {
            mt_endocardium_place place;
            double distance_mm;
            if (g.network.kind[s] != MT_PURKINJE_LEFT || is_terminal(&g, s)) continue;
            cr_assert_eq(mt_endocardium_nearest(&left, node_of(&g, s, 1), &place, &distance_mm), MT_OK);
            most = fmax(most, mt_endocardium_value(&left, &place, h.coordinates.apicobasal));
        }
        cr_assert(limited ? most > 0.55 && most < 0.6 + 1e-9 : most > 0.7, "%g", most);
    }
}

Test(purkinje, both_ventricles_have_one_tree)
{
    heart h;
    make_both(&h);
    mt_purkinje_rule rule = mt_purkinje_default;
    const grown g = grow(&h, &rule);
    check_tree(&g, 5,
        (int32_t[]){MT_PURKINJE_HIS, MT_PURKINJE_LEFT_BUNDLE, MT_PURKINJE_RIGHT_BUNDLE, MT_PURKINJE_LEFT,
            MT_PURKINJE_RIGHT});
    const double *left = g.info.root_mm[0], *right = g.info.root_mm[1];
    cr_assert(left[0] > 20 && right[0] > left[0] + 8 && right[0] < left[0] + 14, "%g, %g", left[0], right[0]);
    cr_assert(
        fabs(left[1]) < 4 && fabs(right[1]) < 4, "%g, %g", left[1], right[1]); /* the middle of the septum */
    check_right_bundle(&h, &g);
    for (size_t s = 0; s < 2; s++) {
        cr_assert_gt(g.info.coverage[s], 0.8, "%g", g.info.coverage[s]);
        cr_assert_gt(g.info.n_terminals[s], 100);
    }
    const double *top = g.network.xyz_mm, half_mm = 10 + (left[2] + right[2]) / 2;
    cr_assert_float_eq(top[0], (left[0] + right[0]) / 2, 0.1);
    cr_assert_float_eq(top[2], half_mm, 0.1);

    rule.left_root_mm = (double[]){24, 6, -20}, rule.right_root_mm = (double[]){40, -6, -16};
    rule.generations = 1;
    const grown given = grow(&h, &rule);
    cr_assert_lt(sqrt(mt_square3(given.info.root_mm[0], rule.left_root_mm)), 4);
    cr_assert_lt(sqrt(mt_square3(given.info.root_mm[1], rule.right_root_mm)), 6);
    check_right_bundle(&h, &given);
}

/* ---- errors ---- */

static void fails(const heart *h, const mt_purkinje_rule *rule, const char *text)
{
    mt_network network;
    mt_purkinje_info info;
    cr_assert_eq(mt_purkinje_make(&arena, &h->mesh, &h->adjacency, &h->coordinates, rule, &network, &info),
        MT_INPUT, "%s", text);
    cr_assert(strstr(mt_message(), text), "'%s' lacks '%s'", mt_message(), text);
}

Test(purkinje, errors_name_the_value_and_the_allowed_ones)
{
    heart h;
    make_left(&h);
    const mt_purkinje_rule usual = small_rule();
    mt_purkinje_rule r = usual;
    r.segment_mm = 0, fails(&h, &r, "segment_mm: 0; allowed: 0.01 to 100");
    r = usual, r.branch_mm = 0.4, fails(&h, &r, "branch_mm: 0.4; allowed: at least segment_mm, 0.5");
    r = usual, r.angle_deg = 5, fails(&h, &r, "angle_deg: 5; allowed: 6 to 80");
    r = usual, r.fascicle[2][1] = 2, fails(&h, &r, "fascicle, posterior, apicobasal: 2; allowed: 0 to 1");
    r = usual, r.coverage = NAN, fails(&h, &r, "coverage: nan; allowed: 0 to 1");
    r = usual, r.left_root_mm = (double[]){0, 0, 0};
    fails(&h, &r, "the left root (0, 0, 0) mm is 19.");
    r = usual, r.left_root_mm = (double[]){NAN, 0, 0}, fails(&h, &r, "the left root is not finite");
    r = usual, r.right_root_mm = (double[]){20, 0, 0}, fails(&h, &r, "the mesh has no right ventricle");
    r = usual, r.left_root_mm = (double[]){12, 0, -9};
    cr_assert_lt(grow(&h, &r).info.root_mm[0][2], -11); /* 5 mm away: projected */
    for (size_t f = 0; f < h.mesh.n_faces; f++) h.mesh.face_tag[f] += h.mesh.face_tag[f] == MT_SURFACE_LV;
    fails(&h, &usual, "no face of the wall is tagged as left endocardium (tag 3)");
}

/* A septum that ends at 0.8: the root is in its uppermost triangles, whose coordinates are within 0.06 of the end. */
Test(purkinje, the_root_of_a_low_septum_is_at_its_upper_end)
{
    heart h;
    make_left(&h);
    const mt_purkinje_rule rule = small_rule();
    double highest = -INFINITY;
    for (size_t v = 0; v < h.mesh.n_vertices; v++) {
        h.coordinates.apicobasal[v] *= 0.8;
        highest = fmax(highest, h.mesh.xyz_mm[3 * v + 2]);
    }
    const grown g = grow(&h, &rule);
    cr_assert_gt(g.info.root_mm[0][2], highest - 8, "%g of %g", g.info.root_mm[0][2], highest);
}

/* The coordinates of no place, nor near one. */
Test(purkinje, an_unknown_root_is_reported)
{
    heart h;
    make_left(&h);
    const mt_purkinje_rule rule = small_rule();
    for (size_t v = 0; v < h.mesh.n_vertices; v++) h.coordinates.apicobasal[v] *= 0.6;
    fails(&h, &rule,
        "no place of the left endocardium has the rotational coordinate 0.833 and the apicobasal one 0.850");
}
