#include <criterion/criterion.h>

#include <math.h>

#include "mesh/network/network.h"
#include "tests/answers.h"
#include "tests/random.h"

enum { SEGMENTS_MOST = 16, NODES_MOST = 14 };

/* A network at distinct places, of which no two segments have the same length in general. */
static void make(
    mt_arena *arena, size_t n_nodes, size_t n_segments, const uint32_t *node, mt_network *network)
{
    ok(mt_network_new(arena, n_nodes, n_segments, network));
    for (size_t v = 0; v < n_nodes; v++) {
        network->xyz_mm[3 * v] = (double)v;
        network->xyz_mm[3 * v + 1] = (double)(v * v) / 8;
        network->xyz_mm[3 * v + 2] = (double)(v % 3) - 1;
    }
    memcpy(network->segment_node, node, 2 * n_segments * sizeof *node);
}

/* ---- counts */

static const struct shape {
    const char *what;
    size_t n_nodes, n_segments;
    uint32_t node[2 * SEGMENTS_MOST];
    size_t n_terminals, n_branch_points, n_branches, n_components, n_loops;
} shapes[] = {
    {"a segment", 2, 1, {1, 0}, 2, 0, 1, 1, 0},
    {"a chain", 4, 3, {2, 1, 2, 3, 0, 1}, 2, 0, 1, 1, 0},
    {"a fork", 4, 3, {0, 1, 1, 2, 3, 1}, 3, 1, 3, 1, 0},
    {"a tree of two forks", 7, 6, {0, 1, 1, 2, 1, 3, 3, 4, 4, 5, 4, 6}, 4, 2, 5, 1, 0},
    {"a crossing", 5, 4, {4, 0, 4, 1, 4, 2, 4, 3}, 4, 1, 4, 1, 0},
    {"a ring", 3, 3, {0, 1, 1, 2, 2, 0}, 0, 0, 1, 1, 1},
    {"a ring with a tail", 4, 4, {0, 1, 1, 2, 2, 0, 2, 3}, 1, 1, 2, 1, 1},
    {"two nodes joined by three chains", 5, 6, {0, 1, 1, 4, 0, 2, 2, 4, 0, 3, 3, 4}, 0, 2, 3, 1, 2},
    {"two rings with a common node", 5, 6, {0, 1, 1, 2, 2, 0, 0, 3, 3, 4, 4, 0}, 0, 1, 2, 1, 2},
    {"a chain and a fork", 7, 5, {0, 1, 1, 2, 3, 4, 3, 5, 3, 6}, 5, 1, 4, 2, 0},
    {"a chain and two rings", 8, 7, {0, 1, 2, 3, 3, 4, 4, 2, 5, 6, 6, 7, 7, 5}, 2, 0, 3, 3, 2},
};

Test(network, counts_of_hand_made_networks_are_exact)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const struct shape *s = &shapes[k];
        mt_arena arena = {0};
        mt_network network;
        mt_network_info i;
        make(&arena, s->n_nodes, s->n_segments, s->node, &network);
        ok(mt_network_check(&network, NULL));
        ok(mt_network_describe(&network, &i));
        cr_assert_eq(i.n_terminals, s->n_terminals, "%s: %zu terminals", s->what, i.n_terminals);
        cr_assert_eq(
            i.n_branch_points, s->n_branch_points, "%s: %zu branch points", s->what, i.n_branch_points);
        cr_assert_eq(i.n_branches, s->n_branches, "%s: %zu branches", s->what, i.n_branches);
        cr_assert_eq(i.n_components, s->n_components, "%s: %zu components", s->what, i.n_components);
        cr_assert_eq(i.n_loops, s->n_loops, "%s: %zu loops", s->what, i.n_loops);
        mt_arena_free(&arena);
    }
}

/* ---- an oracle: walks */

typedef struct graph {
    size_t n_nodes, n_segments;
    uint32_t node[2 * SEGMENTS_MOST];
} graph;

static size_t degree(const graph *g, uint32_t v)
{
    size_t n = 0;
    for (size_t k = 0; k < 2 * g->n_segments; k++) n += g->node[k] == v;
    return n;
}

/* True if the first `n` segments lead from a to b. */
static bool leads(const graph *g, size_t n, uint32_t a, uint32_t b)
{
    bool in[NODES_MOST] = {false};
    in[a] = true;
    for (size_t turn = 0; turn < g->n_nodes; turn++)
        for (size_t s = 0; s < n; s++)
            if (in[g->node[2 * s]] || in[g->node[2 * s + 1]])
                in[g->node[2 * s]] = in[g->node[2 * s + 1]] = true;
    return in[b];
}

/* Marks the segments of the branch that leaves v by segment s. */
static void walk(const graph *g, uint32_t v, size_t s, bool *walked)
{
    while (!walked[s]) {
        walked[s] = true;
        v = g->node[2 * s] == v ? g->node[2 * s + 1] : g->node[2 * s];
        for (size_t t = 0; t < g->n_segments && degree(g, v) == 2; t++)
            if (!walked[t] && (g->node[2 * t] == v || g->node[2 * t + 1] == v)) {
                s = t;
                break;
            }
    }
}

/* Counts branches from branch points and terminals, then rings. */
static size_t count_branches(const graph *g)
{
    bool walked[SEGMENTS_MOST] = {false};
    size_t n = 0;
    for (int rings = 0; rings < 2; rings++)
        for (size_t k = 0; k < 2 * g->n_segments; k++) {
            if (walked[k / 2] || (degree(g, g->node[k]) == 2) != rings) continue;
            walk(g, g->node[k], k / 2, walked);
            n++;
        }
    return n;
}

/* Draws a network whose nodes all have segments, and no two segments the same nodes. */
static graph draw_graph(uint64_t *state)
{
    graph g = {.n_segments = 0};
    const size_t wanted = 1 + draw(state, SEGMENTS_MOST), room = 2 + draw(state, NODES_MOST - 2);
    uint32_t number[NODES_MOST];
    for (size_t turn = 0; turn < wanted; turn++) {
        const uint32_t a = (uint32_t)draw(state, room), b = (uint32_t)draw(state, room);
        bool fresh = a != b;
        for (size_t s = 0; s < g.n_segments; s++)
            fresh = fresh && !((g.node[2 * s] == a && g.node[2 * s + 1] == b) ||
                                 (g.node[2 * s] == b && g.node[2 * s + 1] == a));
        if (!fresh) continue;
        g.node[2 * g.n_segments] = a, g.node[2 * g.n_segments + 1] = b;
        g.n_segments++;
    }
    if (g.n_segments == 0) g.node[0] = 0, g.node[1] = 1, g.n_segments = 1;
    for (uint32_t v = 0; v < room; v++)
        if (degree(&g, v) > 0) number[v] = (uint32_t)g.n_nodes++;
    for (size_t k = 0; k < 2 * g.n_segments; k++) g.node[k] = number[g.node[k]];
    return g;
}

/* A segment closes a loop exactly if its nodes are already joined. */
Test(network, loops_components_and_branches_of_random_networks_are_those_of_walks)
{
    uint64_t state = 7;
    size_t most_loops = 0, most_components = 0;
    for (int turn = 0; turn < 2000; turn++) {
        mt_arena arena = {0};
        mt_network network;
        mt_network_info i;
        const graph g = draw_graph(&state);
        size_t loops = 0;
        for (size_t s = 0; s < g.n_segments; s++) loops += leads(&g, s, g.node[2 * s], g.node[2 * s + 1]);
        make(&arena, g.n_nodes, g.n_segments, g.node, &network);
        ok(mt_network_check(&network, NULL));
        ok(mt_network_describe(&network, &i));
        cr_assert_eq(i.n_loops, loops, "network %d", turn);
        cr_assert_eq(i.n_components, loops + g.n_nodes - g.n_segments, "network %d", turn);
        cr_assert_eq(i.n_branches, count_branches(&g), "network %d", turn);
        most_loops = loops > most_loops ? loops : most_loops;
        most_components = i.n_components > most_components ? i.n_components : most_components;
        mt_arena_free(&arena);
    }
    cr_assert(most_loops >= 5 && most_components >= 4, "%zu, %zu", most_loops, most_components);
}

/* ---- lengths, radii, kinds */

/* Lengths 3, 5 and 13 mm. */
static void make_measured(mt_arena *arena, mt_network *network)
{
    static const double xyz[] = {0, 0, 0, 0, 0, 3, 3, 4, 3, -2, 4, -9};
    ok(mt_network_new(arena, 4, 3, network));
    memcpy(network->xyz_mm, xyz, sizeof xyz);
    memcpy(network->segment_node, (uint32_t[]){0, 1, 2, 1, 2, 3}, 6 * sizeof(uint32_t));
}

Test(network, lengths_box_and_radii_are_exact)
{
    mt_arena arena = {0};
    mt_network network;
    mt_network_info i;
    make_measured(&arena, &network);
    ok(mt_network_describe(&network, &i));
    cr_assert(i.length_mm == 21 && i.shortest_mm == 3 && i.longest_mm == 13);
    cr_assert_eq(mt_network_length_mm(&network, 1), 5);
    cr_assert_arr_eq(i.low_mm, ((double[]){-2, 0, -9}), sizeof i.low_mm);
    cr_assert_arr_eq(i.high_mm, ((double[]){3, 4, 3}), sizeof i.high_mm);
    cr_assert(i.radius_low_mm == 0 && i.radius_high_mm == 0);
    network.radius_mm = (double[]){0.5, 0.125, 2};
    ok(mt_network_describe(&network, &i));
    cr_assert(i.radius_low_mm == 0.125 && i.radius_high_mm == 2);
    mt_arena_free(&arena);
}

Test(network, kinds_are_listed_in_order_with_their_lengths)
{
    mt_arena arena = {0};
    mt_network network;
    mt_network_kind *kinds;
    size_t n;
    make_measured(&arena, &network);
    ok(mt_network_kinds(&arena, &network, &n, &kinds));
    cr_assert_eq(n, 0);
    network.kind = (int32_t[]){7, -2, 7};
    ok(mt_network_kinds(&arena, &network, &n, &kinds));
    cr_assert_eq(n, 2);
    cr_assert(kinds[0].kind == -2 && kinds[0].n_segments == 1 && kinds[0].length_mm == 5);
    cr_assert(kinds[1].kind == 7 && kinds[1].n_segments == 2 && kinds[1].length_mm == 16);
    mt_arena_free(&arena);
}

/* ---- the check */

static void far_away(mt_network *n) { n->xyz_mm[7] = 2e9; }
static void not_a_number(mt_network *n) { n->xyz_mm[2] = NAN; }
static void beyond(mt_network *n) { n->segment_node[3] = 4; }
static void same_place(mt_network *n) { memcpy(n->xyz_mm + 9, n->xyz_mm + 6, 3 * sizeof *n->xyz_mm); }
static void same_node(mt_network *n) { n->segment_node[5] = 2; }
static void joined_twice(mt_network *n) { n->segment_node[4] = 1, n->segment_node[5] = 2; }
static double radii[2][3] = {{1, 0, 1}, {1, 1, NAN}};
static void no_radius(mt_network *n) { n->radius_mm = radii[0]; }
static void bad_radius(mt_network *n) { n->radius_mm = radii[1]; }
static void unused_node(mt_network *n) { n->n_segments = 2; }
static void empty(mt_network *n) { n->n_segments = 0; }

Test(network, every_violated_invariant_is_named)
{
    static const struct {
        void (*violate)(mt_network *network);
        const char *why;
    } cases[] = {{far_away, "node 2: coordinate y is 2e+09 mm; allowed: -1e+09 to 1e+09"},
        {not_a_number, "node 0: coordinate z is nan mm; allowed"},
        {beyond, "segment 1: node 4; the network has nodes 0 to 3"},
        {same_place, "segment 2: both nodes are at [3, 4, 3] mm; they must differ"},
        {same_node, "segment 2: both nodes are at [3, 4, 3] mm; they must differ"},
        {joined_twice, "segment 2 joins the same nodes as segment 1: 1 and 2"},
        {no_radius, "segment 1: radius 0 mm; allowed: above 0, at most 1e+09"},
        {bad_radius, "segment 2: radius nan mm; allowed"}, {unused_node, "node 3 belongs to no segment"},
        {empty, "the network has no segments"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mt_arena arena = {0};
        mt_network network;
        make_measured(&arena, &network);
        ok(mt_network_check(&network, "a.vtp"));
        cases[k].violate(&network);
        cr_assert_eq(mt_network_check(&network, NULL), MT_INPUT, "%s", cases[k].why);
        cr_assert(strncmp(mt_message(), cases[k].why, strlen(cases[k].why)) == 0, "%s", mt_message());
        cr_assert_eq(mt_network_check(&network, "a.vtp"), MT_INPUT);
        assert_message("a.vtp: ");
        assert_message(cases[k].why);
        mt_arena_free(&arena);
    }
}

Test(network, the_first_repeat_is_found_in_either_direction)
{
    mt_arena arena = {0};
    mt_network network;
    size_t first, repeat;
    make(&arena, 4, 5, (uint32_t[]){2, 3, 0, 1, 1, 2, 1, 0, 3, 2}, &network);
    ok(mt_network_find_repeat(&network, &first, &repeat));
    cr_assert(first == 1 && repeat == 3, "%zu %zu", first, repeat);
    network.n_segments = 3;
    ok(mt_network_find_repeat(&network, &first, &repeat));
    cr_assert_eq(repeat, 3);
    mt_arena_free(&arena);
}

Test(network, too_many_nodes_or_segments_are_refused)
{
    mt_arena arena = {0};
    mt_network network;
    cr_assert_eq(mt_network_new(&arena, UINT32_MAX, 1, &network), MT_INPUT);
    cr_assert_eq(mt_network_new(&arena, 2, UINT32_MAX, &network), MT_INPUT);
    assert_message("a network of 2 nodes and 4294967295 segments; each must stay below 4294967295");
    mt_arena_free(&arena);
}

Test(network, out_of_memory_is_reported_by_every_function)
{
    mt_arena base = {0};
    mt_network network;
    mt_status status = MT_MEMORY;
    size_t n;
    make_measured(&base, &network);
    network.kind = (int32_t[]){1, 2, 1};
    for (n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_network fresh;
        mt_network_info i;
        mt_network_kind *kinds;
        size_t n_kinds;
        mt_arena_fail_at(n);
        status = mt_network_new(&arena, 2, 1, &fresh);
        if (status == MT_OK) status = mt_network_check(&network, "a.vtp");
        if (status == MT_OK) status = mt_network_describe(&network, &i);
        if (status == MT_OK) status = mt_network_kinds(&arena, &network, &n_kinds, &kinds);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        cr_assert(status == MT_OK || status == MT_MEMORY, "take %zu: %s", n, mt_message());
    }
    cr_assert(n > 2 + 2 + 3 + 2, "%zu", n);
    mt_arena_free(&base);
}
