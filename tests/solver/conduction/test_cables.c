#include <criterion/criterion.h>

#include "tests/solver/conduction/networks.h"

typedef struct sample {
    mt_arena arena;
    mt_network network;
    uint8_t *used; /* NULL: all */
    mt_cables cables;
} sample;

enum { SAMPLES = 400 };

/* Builds a sample: a random network, of which some segments do not conduct in every second one. */
static void make_sample(sample *s, uint64_t number)
{
    uint64_t seed = number;
    *s = (sample){0};
    random_network(&s->arena, &seed, (int)(number % SHAPES), 2, &s->network);
    if (number / SHAPES % 2 == 1) {
        s->used = mt_arena_alloc(&s->arena, s->network.n_segments, 1);
        for (size_t k = 0; k < s->network.n_segments; k++) s->used[k] = draw(&seed, 4) > 0;
        s->used[draw(&seed, s->network.n_segments)] = 1;
    }
    ok(mt_cables_make(&s->arena, &s->network, s->used, &usual_rule, &s->cables));
}

static void on_samples(void (*check)(const sample *s, const char *name))
{
    for (uint64_t k = 0; k < SAMPLES; k++) {
        char name[64];
        sample s;
        snprintf(name, sizeof name, "sample %d, %s", (int)k, shape_name[k % SHAPES]);
        make_sample(&s, k);
        check(&s, name);
        mt_arena_free(&s.arena);
    }
}

static bool is_used(const sample *s, size_t segment) { return !s->used || s->used[segment]; }

static size_t degree(const sample *s, size_t node)
{
    size_t n = 0;
    for (size_t k = 0; k < 2 * s->network.n_segments; k++)
        n += s->network.segment_node[k] == node && is_used(s, k / 2);
    return n;
}

/* ---- numbers of points, chains and pieces ---- */

static bool is_hub(const mt_cables *c, uint32_t point)
{
    return point >= c->n_chained && point < c->n_points;
}

static void check_numbers(const sample *s, const char *name)
{
    const mt_cables *c = &s->cables;
    uint32_t next = 0;
    for (size_t k = 0; k < c->n_chains; k++) {
        const mt_cable_chain *chain = &c->chain[k];
        cr_assert_eq(chain->first, next, "%s: chain %zu begins at %u", name, k, chain->first);
        cr_assert_geq(chain->end, chain->first, "%s", name);
        next = chain->end;
        const bool free_left = chain->left == MT_NO_POINT, free_right = chain->right == MT_NO_POINT;
        cr_assert(free_left || is_hub(c, chain->left), "%s: left of chain %zu", name, k);
        cr_assert(free_right || is_hub(c, chain->right), "%s: right of chain %zu", name, k);
        cr_assert(free_left || !free_right, "%s: only the right end of chain %zu is free", name, k);
        cr_assert(chain->end > chain->first || !free_left, "%s: free chain %zu without points", name, k);
        for (size_t piece = chain->first + k; piece <= chain->end + k; piece++) {
            uint32_t point[2];
            mt_cables_piece(c, k, piece, point);
            const uint32_t left = piece == chain->first + k ? chain->left : (uint32_t)(piece - k - 1),
                           right = piece == chain->end + k ? chain->right : (uint32_t)(piece - k);
            cr_assert(point[0] == left && point[1] == right, "%s: piece %zu of chain %zu", name, piece, k);
            const bool beyond = left == MT_NO_POINT || right == MT_NO_POINT;
            cr_assert_eq(c->conductance_mS[piece] == 0, beyond, "%s: conductance of piece %zu", name, piece);
            cr_assert_eq(c->segment_of[piece] == MT_NO_POINT, beyond, "%s: segment of %zu", name, piece);
        }
    }
    cr_assert_eq(next, c->n_chained, "%s", name);
    cr_assert_eq(c->n_pieces, c->n_chained + c->n_chains, "%s", name);
}

Test(cables, points_chains_and_pieces_have_the_documented_numbers) { on_samples(check_numbers); }

/* ---- the pieces of segments ---- */

/* The pieces as a list, found by their segments. */
typedef struct piece {
    uint32_t point[2];
    size_t number;
} piece;

static size_t pieces_of(const mt_cables *c, uint32_t segment, piece *of)
{
    size_t n = 0;
    for (size_t k = 0; k < c->n_chains; k++)
        for (size_t p = c->chain[k].first + k; p <= c->chain[k].end + k; p++) {
            if (c->segment_of[p] != segment) continue;
            mt_cables_piece(c, k, p, of[n].point);
            of[n++].number = p;
        }
    return n;
}

static void check_place(const double *found, const double a[3], const double b[3], double t, const char *name)
{
    for (int x = 0; x < 3; x++)
        cr_assert_float_eq(found[x], (1 - t) * a[x] + t * b[x], 1e-12, "%s: %.17g", name, found[x]);
}

/* Follows the pieces of a segment from its first node to its second one. Adds the membrane to the points. */
static void follow_segment(const sample *s, uint32_t segment, double *capacitance_uF, const char *name)
{
    const mt_cables *c = &s->cables;
    const uint32_t *node = s->network.segment_node + 2 * (size_t)segment;
    const double *a = s->network.xyz_mm + 3 * (size_t)node[0], *b = s->network.xyz_mm + 3 * (size_t)node[1],
                 length_mm = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2)),
                 radius_mm = s->network.radius_mm[segment];
    static piece of[1000];
    const size_t n = pieces_of(c, segment, of);
    cr_assert_eq(
        n, (size_t)ceil(length_mm / usual_rule.spacing_mm), "%s: %zu pieces of %g mm", name, n, length_mm);
    uint32_t at = c->point_of[node[0]];
    double resistance_kOhm = 0;
    check_place(c->xyz_mm + 3 * (size_t)at, a, a, 0, name);
    for (size_t k = 0; k < n; k++) {
        size_t found = n;
        for (size_t i = k; i < n; i++)
            if (of[i].point[0] == at || of[i].point[1] == at) found = i;
        cr_assert_lt(found, n, "%s: segment %u ends after %zu pieces", name, segment, k);
        const piece next = of[found];
        of[found] = of[k];
        resistance_kOhm += 1 / c->conductance_mS[next.number];
        capacitance_uF[at] += usual_rule.capacitance_uF_mm2 * M_PI * radius_mm * length_mm / (double)n;
        at = next.point[0] == at ? next.point[1] : next.point[0];
        capacitance_uF[at] += usual_rule.capacitance_uF_mm2 * M_PI * radius_mm * length_mm / (double)n;
        check_place(c->xyz_mm + 3 * (size_t)at, a, b, (double)(k + 1) / (double)n, name);
    }
    const double expected = length_mm / (usual_rule.conductivity_mS_mm * M_PI * radius_mm * radius_mm);
    cr_assert_float_eq(resistance_kOhm, expected, 1e-12 * expected, "%s: %.15g, expected %.15g kOhm", name,
        resistance_kOhm, expected);
    cr_assert_eq(at, c->point_of[node[1]], "%s: segment %u ends at point %u", name, segment, at);
}

static void check_segments(const sample *s, const char *name)
{
    const mt_cables *c = &s->cables;
    double capacitance_uF[4000] = {0}, membrane_uF = 0, sum_uF = 0;
    cr_assert_leq(c->n_points, 4000);
    for (uint32_t k = 0; k < s->network.n_segments; k++) {
        static piece none[1000];
        if (is_used(s, k))
            follow_segment(s, k, capacitance_uF, name);
        else
            cr_assert_eq(pieces_of(c, k, none), 0, "%s: unused segment %u", name, k);
        if (is_used(s, k))
            membrane_uF += 2 * M_PI * s->network.radius_mm[k] * mt_network_length_mm(&s->network, k) *
                           usual_rule.capacitance_uF_mm2;
    }
    for (size_t k = 0; k < c->n_points; k++) {
        cr_assert_float_eq(c->capacitance_uF[k], capacitance_uF[k], 1e-12 * capacitance_uF[k],
            "%s: point %zu has %.15g uF, expected %.15g", name, k, c->capacitance_uF[k], capacitance_uF[k]);
        sum_uF += c->capacitance_uF[k];
    }
    cr_assert_float_eq(
        sum_uF, membrane_uF, 1e-12 * membrane_uF, "%s: %.15g, expected %.15g uF", name, sum_uF, membrane_uF);
}

/* Each used segment is a chain of equal pieces, not longer than the spacing, between the points of its nodes. Its resistance is
 * L / (sigma pi a^2), and the membrane is 2 pi a L Cm. */
Test(cables, segments_are_divided_into_equal_pieces_with_their_resistance_and_membrane)
{
    on_samples(check_segments);
}

/* ---- nodes and hubs ---- */

/* Returns the lowest node of a component of used segments. */
static size_t lowest_of_component(const sample *s, size_t node)
{
    uint8_t in[NODES_MOST] = {0};
    in[node] = 1;
    for (bool more = true; more;) {
        more = false;
        for (size_t k = 0; k < s->network.n_segments; k++) {
            uint8_t *a = &in[s->network.segment_node[2 * k]], *b = &in[s->network.segment_node[2 * k + 1]];
            if (!is_used(s, k) || *a == *b) continue;
            *a = *b = 1;
            more = true;
        }
    }
    size_t lowest = 0;
    while (!in[lowest]) lowest++;
    for (size_t k = 0; k < s->network.n_nodes; k++)
        if (in[k] && degree(s, k) != 2) return SIZE_MAX;
    return lowest;
}

/* Hubs are the nodes with three or more segments, the first nodes of rings, and nodes that divide long chains, in ascending order. */
static void check_nodes(const sample *s, const char *name)
{
    const mt_cables *c = &s->cables;
    uint32_t hub = (uint32_t)c->n_chained;
    uint8_t taken[4000] = {0};
    for (size_t node = 0; node < s->network.n_nodes; node++) {
        const uint32_t point = c->point_of[node];
        cr_assert_eq(point == MT_NO_POINT, degree(s, node) == 0, "%s: node %zu", name, node);
        if (point == MT_NO_POINT) continue;
        cr_assert(point < c->n_points && !taken[point], "%s: node %zu is point %u", name, node, point);
        taken[point] = 1;
        cr_assert_eq(memcmp(c->xyz_mm + 3 * (size_t)point, s->network.xyz_mm + 3 * node, 3 * sizeof(double)),
            0, "%s: place of node %zu", name, node);
        const bool expected = degree(s, node) > 2 || lowest_of_component(s, node) == node;
        cr_assert(point >= c->n_chained || !expected, "%s: node %zu", name, node);
        cr_assert(point < c->n_chained || expected || degree(s, node) == 2, "%s: node %zu", name, node);
        if (point >= c->n_chained) cr_assert_eq(point, hub++, "%s: node %zu is point %u", name, node, point);
    }
    cr_assert_eq(hub, c->n_points, "%s: %zu hubs", name, c->n_points - c->n_chained);
}

Test(cables, nodes_have_points_and_hubs_are_branch_points_or_first_nodes_of_rings)
{
    on_samples(check_nodes);
}

/* Segments of 1 mm have five pieces of 0.2 mm. */
Test(cables, long_chains_are_divided_into_nearly_equal_ones_at_nodes)
{
    static const struct {
        uint32_t segments;
        size_t chains;
    } line[] = {{6, 1}, {7, 2}, {12, 2}, {13, 3}, {200, 32}};
    for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
        mt_arena arena = {0};
        mt_network network;
        mt_cables c;
        const uint32_t n = line[k].segments;
        size_t shortest = SIZE_MAX;
        straight_network(&arena, n, 1, &network);
        ok(mt_cables_make(&arena, &network, NULL, &usual_rule, &c));
        cr_assert_eq(c.n_chains, line[k].chains, "%u segments: %zu chains", n, c.n_chains);
        for (size_t chain = 0; chain < c.n_chains; chain++) {
            const size_t points = c.chain[chain].end - c.chain[chain].first;
            cr_assert_leq(points, MT_CHAIN_LONGEST + 3);
            if (points < shortest) shortest = points;
        }
        cr_assert_geq((double)shortest, 5.0 * n / (double)c.n_chains - 6);
        mt_arena_free(&arena);
    }
}

/* ---- directions ---- */

static void check_reversal(const sample *s, const char *name)
{
    const mt_cables *c = &s->cables;
    mt_arena arena = {0};
    mt_network other = s->network;
    mt_cables d;
    other.segment_node = mt_arena_alloc(&arena, 2 * other.n_segments, sizeof *other.segment_node);
    for (size_t k = 0; k < 2 * other.n_segments; k++)
        other.segment_node[k] = s->network.segment_node[k / 4 % 2 == 0 ? k ^ 1 : k];
    ok(mt_cables_make(&arena, &other, s->used, &usual_rule, &d));
    cr_assert(
        c->n_points == d.n_points && c->n_chains == d.n_chains && c->n_chained == d.n_chained, "%s", name);
    cr_assert_eq(memcmp(c->chain, d.chain, c->n_chains * sizeof *c->chain), 0, "%s", name);
    cr_assert_eq(memcmp(c->xyz_mm, d.xyz_mm, 3 * c->n_points * sizeof(double)), 0, "%s", name);
    cr_assert_eq(memcmp(c->capacitance_uF, d.capacitance_uF, c->n_points * sizeof(double)), 0, "%s", name);
    cr_assert_eq(memcmp(c->conductance_mS, d.conductance_mS, c->n_pieces * sizeof(double)), 0, "%s", name);
    cr_assert_eq(memcmp(c->segment_of, d.segment_of, c->n_pieces * sizeof(uint32_t)), 0, "%s", name);
    cr_assert_eq(memcmp(c->point_of, d.point_of, other.n_nodes * sizeof(uint32_t)), 0, "%s", name);
    mt_arena_free(&arena);
}

Test(cables, bits_do_not_depend_on_the_directions_of_segments) { on_samples(check_reversal); }

/* ---- spacing, radii and failures ---- */

/* 3 * 0.1 is a little more than 0.3, which does not cause a further piece. */
Test(cables, a_multiple_of_the_spacing_has_no_further_piece)
{
    for (int k = 1; k < 100; k++) {
        mt_arena arena = {0};
        mt_network network;
        mt_cables cables;
        mt_cables_rule rule = usual_rule;
        rule.spacing_mm = 0.1;
        straight_network(&arena, 1, k * 0.1, &network);
        ok(mt_cables_make(&arena, &network, NULL, &rule, &cables));
        cr_assert_eq(cables.n_points, (size_t)k + 1, "%zu points of %d pieces", cables.n_points, k);
        network.xyz_mm[3] *= 1 + 1e-6;
        ok(mt_cables_make(&arena, &network, NULL, &rule, &cables));
        cr_assert_eq(cables.n_points, (size_t)k + 2, "%zu points of %d pieces", cables.n_points, k + 1);
        mt_arena_free(&arena);
    }
}

/* The radius of the rule is used only if the network has none. */
Test(cables, a_network_without_radii_has_that_of_the_rule)
{
    mt_arena arena = {0};
    mt_network network;
    mt_cables cables;
    double radius_mm[] = {0.05};
    straight_network(&arena, 1, 0.1, &network);
    ok(mt_cables_make(&arena, &network, NULL, &usual_rule, &cables));
    cr_assert_float_eq(cables.conductance_mS[1], 1.1 * M_PI * 0.02 * 0.02 / 0.1, 1e-15);
    cr_assert_float_eq(cables.capacitance_uF[0], 0.01 * M_PI * 0.02 * 0.1, 1e-17);
    network.radius_mm = radius_mm;
    ok(mt_cables_make(&arena, &network, NULL, &usual_rule, &cables));
    cr_assert_float_eq(cables.conductance_mS[1], 1.1 * M_PI * 0.05 * 0.05 / 0.1, 1e-15);
    cr_assert_float_eq(cables.capacitance_uF[0], 0.01 * M_PI * 0.05 * 0.1, 1e-17);
    mt_arena_free(&arena);
}

Test(cables, networks_without_used_segments_or_with_too_many_points_are_refused)
{
    mt_arena arena = {0};
    mt_network network;
    mt_cables cables;
    mt_cables_rule rule = usual_rule;
    straight_network(&arena, 3, 1000, &network);
    cr_assert_eq(mt_cables_make(&arena, &network, (uint8_t[]){0, 0, 0}, &rule, &cables), MT_INPUT);
    assert_message("no segment");
    rule.spacing_mm = 1e-6;
    cr_assert_eq(mt_cables_make(&arena, &network, NULL, &rule, &cables), MT_INPUT);
    assert_message("3e+09 points");
    mt_arena_free(&arena);
}

Test(cables, a_failing_allocation_is_reported)
{
    mt_arena arena = {0};
    sample s;
    size_t n = 0;
    make_sample(&s, 3);
    for (mt_status status = MT_MEMORY; status == MT_MEMORY; mt_arena_free(&arena)) {
        mt_cables cables;
        mt_arena_fail_at(++n);
        status = mt_cables_make(&arena, &s.network, s.used, &usual_rule, &cables);
        mt_arena_fail_at(0);
        cr_assert(status == MT_MEMORY || status == MT_OK);
    }
    cr_assert_gt(n, 12);
    mt_arena_free(&s.arena);
}
