/* Networks for the tests of the conduction system: random ones, and straight cables. */
#pragma once

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver/cells/model.h"
#include "solver/conduction/cables.h"
#include "tests/answers.h"
#include "tests/random.h"

/* sigma, Cm and the radius yield a diffusivity of 1.1 mm^2/ms. */
static const mt_cables_rule usual_rule = {
    .spacing_mm = 0.2, .radius_mm = 0.02, .conductivity_mS_mm = 1.1, .capacitance_uF_mm2 = 0.01, .fibres = 1};

static inline const mt_cell_model *stewart(void)
{
    const mt_cell_model *model;
    ok(mt_cell_model_find("stewart", &model));
    return model;
}

enum { NODES_MOST = 80, SEGMENTS_MOST = 120 };

/* A network under construction. */
typedef struct draft {
    size_t n_nodes, n_segments;
    uint32_t node[2 * SEGMENTS_MOST];
} draft;

static inline bool are_joined(const draft *d, uint32_t a, uint32_t b)
{
    for (size_t s = 0; s < d->n_segments; s++)
        if ((d->node[2 * s] == a && d->node[2 * s + 1] == b) ||
            (d->node[2 * s] == b && d->node[2 * s + 1] == a))
            return true;
    return false;
}

static inline void join(draft *d, size_t a, size_t b)
{
    cr_assert_lt(d->n_segments, SEGMENTS_MOST);
    d->node[2 * d->n_segments] = (uint32_t)a;
    d->node[2 * d->n_segments++ + 1] = (uint32_t)b;
}

/* Adds a tree of n nodes: most are joined to the previous one, so that there are chains. */
static inline void add_tree(draft *d, uint64_t *seed, size_t n)
{
    const size_t first = d->n_nodes;
    for (size_t k = 1; k < n; k++) join(d, first + (draw(seed, 3) > 0 ? k - 1 : draw(seed, k)), first + k);
    d->n_nodes += n;
}

static inline void add_ring(draft *d, size_t n)
{
    for (size_t k = 0; k < n; k++) join(d, d->n_nodes + k, d->n_nodes + (k + 1) % n);
    d->n_nodes += n;
}

/* Adds n loops: segments between random nodes. */
static inline void add_loops(draft *d, uint64_t *seed, size_t n)
{
    while (n > 0) {
        const uint32_t a = (uint32_t)draw(seed, d->n_nodes), b = (uint32_t)draw(seed, d->n_nodes);
        if (a == b || are_joined(d, a, b)) continue;
        join(d, a, b);
        n--;
    }
}

/* Renumbers nodes and segments at random. */
static inline void shuffle(draft *d, uint64_t *seed)
{
    uint32_t name[NODES_MOST];
    for (size_t k = 0; k < d->n_nodes; k++) {
        const size_t other = draw(seed, k + 1);
        name[k] = name[other];
        name[other] = (uint32_t)k;
    }
    for (size_t k = 0; k < 2 * d->n_segments; k++) d->node[k] = name[d->node[k]];
    for (size_t k = d->n_segments; k-- > 1;) {
        const size_t other = draw(seed, k + 1), turned = draw(seed, 2);
        uint32_t *x = d->node + 2 * k, *y = d->node + 2 * other, old[2] = {x[0], x[1]};
        x[0] = y[turned], x[1] = y[1 - turned];
        y[0] = old[0], y[1] = old[1];
    }
}

/* Places the nodes at random, with segments of several lengths and radii. */
static inline void place_nodes(
    mt_arena *arena, const draft *d, uint64_t *seed, double size_mm, mt_network *network)
{
    ok(mt_network_new(arena, d->n_nodes, d->n_segments, network));
    for (size_t k = 0; k < 3 * d->n_nodes; k++) network->xyz_mm[k] = between(seed, 0, size_mm);
    memcpy(network->segment_node, d->node, 2 * d->n_segments * sizeof *d->node);
    network->radius_mm = mt_arena_alloc(arena, d->n_segments, sizeof *network->radius_mm);
    for (size_t s = 0; s < d->n_segments; s++) network->radius_mm[s] = between(seed, 0.01, 0.1);
    ok(mt_network_check(network, NULL));
}

/* Random networks: trees; with loops; rings; several components. */
enum { TREE, LOOPS, RING, SEVERAL, SHAPES };

static const char *const shape_name[] = {
    [TREE] = "tree", [LOOPS] = "loops", [RING] = "ring", [SEVERAL] = "several components"};

static inline void random_network(
    mt_arena *arena, uint64_t *seed, int shape, double size_mm, mt_network *network)
{
    draft d = {0};
    if (shape == RING)
        add_ring(&d, 3 + draw(seed, 5));
    else
        add_tree(&d, seed, 2 + draw(seed, 30));
    if (shape == SEVERAL) {
        add_ring(&d, 3 + draw(seed, 5));
        add_tree(&d, seed, 2 + draw(seed, 20));
        add_ring(&d, 3 + draw(seed, 5));
    }
    if (shape == LOOPS && d.n_nodes > 6) add_loops(&d, seed, 1 + draw(seed, d.n_nodes / 2));
    shuffle(&d, seed);
    place_nodes(arena, &d, seed, size_mm, network);
}

/* A square grid of n by n nodes, 1 mm apart and displaced at random: all inner nodes are hubs. Without radii. */
static inline void grid_network(mt_arena *arena, uint64_t *seed, size_t n, mt_network *network)
{
    size_t segment = 0;
    ok(mt_network_new(arena, n * n, 2 * n * (n - 1), network));
    for (size_t k = 0; k < n * n; k++) {
        const size_t place[] = {k % n, k / n, 0};
        for (size_t x = 0; x < 3; x++)
            network->xyz_mm[3 * k + x] = (double)place[x] + between(seed, -0.2, 0.2);
        for (size_t x = 0; x < 2; x++) {
            if (place[x] + 1 == n) continue;
            network->segment_node[2 * segment] = (uint32_t)k;
            network->segment_node[2 * segment++ + 1] = (uint32_t)(k + (x == 0 ? 1 : n));
        }
    }
    ok(mt_network_check(network, NULL));
}

/* A straight cable along x of n segments. Without radii. */
static inline void straight_network(mt_arena *arena, size_t n, double segment_mm, mt_network *network)
{
    ok(mt_network_new(arena, n + 1, n, network));
    for (size_t k = 0; k <= n; k++) network->xyz_mm[3 * k] = (double)k * segment_mm;
    for (uint32_t s = 0; s < n; s++)
        network->segment_node[2 * s] = s, network->segment_node[2 * s + 1] = s + 1;
}
