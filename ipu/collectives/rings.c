#include "ipu/collectives/rings.h"

#include <stdio.h>
#include <string.h>

const char *const ipu_logical_name[IPU_LOGICALS + 1] = {"peripheral-ring", "barley-twist", "ring-on-line",
    "rung-ring-2", "rung-ring-4", "rung-ring-8", "prism", NULL};
const char *const ipu_routing_name[IPU_ROUTINGS + 1] = {"DNC", "SWNC", "RINGSWNC", "BTNC", NULL};

/* ---- table 8.1 ---- */

enum { ON_LADDER = 1 << IPU_LADDER, ON_TORUS = 1 << IPU_TORUS, MOST_ON_LADDER = 16 };
enum { DNC = 1 << IPU_DNC, SWNC = 1 << IPU_SWNC, RINGSWNC = 1 << IPU_RINGSWNC, BTNC = 1 << IPU_BTNC };

typedef struct combination {
    size_t replica;
    ipu_logical logical;
    unsigned shapes, routings;
    size_t most; /* maximum of chips; 0: any number */
} combination;

/* Rung-rings of 4 and 8 are supported on a ladder of up to 16 chips (section 8.2.2). */
static const combination table[] = {
    {1, IPU_PERIPHERAL_RING, ON_LADDER | ON_TORUS, DNC | SWNC | RINGSWNC, 0},
    {1, IPU_BARLEY_TWIST, ON_TORUS, BTNC, 0},
    {2, IPU_RING_ON_LINE, ON_LADDER, DNC | SWNC, 0},
    {2, IPU_RUNG_RING_2, ON_TORUS, DNC | RINGSWNC, 0},
    {4, IPU_RUNG_RING_4, ON_LADDER, DNC, MOST_ON_LADDER},
    {4, IPU_RUNG_RING_4, ON_TORUS, DNC | RINGSWNC, 0},
    {8, IPU_RUNG_RING_8, ON_LADDER, DNC, MOST_ON_LADDER},
    {8, IPU_RUNG_RING_8, ON_TORUS, DNC | RINGSWNC, 0},
};
enum { ROWS = sizeof table / sizeof *table };

static const char *shape_name(ipu_shape shape)
{
    static const char *const names[] = {
        [IPU_LADDER] = "ladder", [IPU_TORUS] = "torus", [IPU_LINK_LIST] = "list", [IPU_NO_LINKS] = "none"};
    return names[shape];
}

/* Lists the combinations for a shape of n_chips chips. */
static void list_allowed(ipu_shape shape, size_t n_chips, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (const combination *c = table; c < table + ROWS; c++) {
        if (!(c->shapes >> shape & 1) || (c->most > 0 && n_chips > c->most)) continue;
        for (int r = 0; r < IPU_ROUTINGS && used < size; r++)
            if (c->routings >> r & 1)
                used += (size_t)snprintf(text + used, size - used, "%s%s with %s for replicas of %zu",
                    used > 0 ? ", " : "", ipu_logical_name[c->logical], ipu_routing_name[r], c->replica);
    }
    if (used == 0) (void)snprintf(text, size, "none");
}

static mt_status check_combination(ipu_shape shape, size_t n_chips, const ipu_ring_choice *choice)
{
    char allowed[1024];
    for (const combination *c = table; c < table + ROWS; c++)
        if (c->replica == choice->replica && c->logical == choice->logical && c->shapes >> shape & 1 &&
            c->routings >> choice->routing & 1 && (c->most == 0 || n_chips <= c->most))
            return MT_OK;
    list_allowed(shape, n_chips, allowed, sizeof allowed);
    return mt_fail(MT_INPUT, "rings: %s with %s for replicas of %zu on a %s of %zu chips; allowed on it: %s",
        ipu_logical_name[choice->logical], ipu_routing_name[choice->routing], choice->replica,
        shape_name(shape), n_chips, allowed);
}

/* ---- groups ---- */

/* The number of groups, and replicas per group. */
typedef struct groups {
    size_t n, size;
} groups;

static mt_status find_groups(size_t n_chips, const ipu_ring_choice *choice, groups *found)
{
    const size_t replicas = n_chips / choice->replica;
    const bool all = choice->grouping == IPU_ALL;
    const size_t size = all ? replicas : choice->group;
    if (n_chips % choice->replica != 0)
        return mt_fail(
            MT_INPUT, "rings: %zu chips in replicas of %zu; allowed: a multiple", n_chips, choice->replica);
    if (size < 2 || replicas % size != 0)
        return mt_fail(MT_INPUT,
            "rings: %zu replicas in groups of %zu; allowed: at least 2, a divisor of %zu", replicas, size,
            replicas);
    const bool up_and_down = choice->logical == IPU_PERIPHERAL_RING || choice->logical == IPU_RING_ON_LINE;
    if (up_and_down && size % 2 != 0)
        return mt_fail(MT_INPUT, "rings: %s over %zu replicas; allowed: an even number",
            ipu_logical_name[choice->logical], size);
    if (choice->logical == IPU_BARLEY_TWIST && (size != replicas || size % 4 != 0))
        return mt_fail(MT_INPUT,
            "rings: barley-twist over %zu of %zu chips; allowed: all of an even number of rungs", size,
            n_chips);
    *found = (groups){replicas / size, size};
    return MT_OK;
}

/* Returns the replica of a member of a group. */
static size_t replica_of(const groups *g, ipu_grouping grouping, size_t group, size_t member)
{
    return grouping == IPU_ORTHOGONAL ? group + member * g->n : group * g->size + member;
}

/* ---- orders, by numbers within a group ---- */

/* Returns a member of 0, 1, 3, 5, ..., n - 1, n - 2, ..., 4, 2. */
static size_t up_and_down(size_t n, size_t step)
{
    if (step == 0) return 0;
    return step <= n / 2 ? 2 * step - 1 : 2 * (n - step);
}

/* Returns a member of the twist: across the rung in every first step of two, up one rung in the second. */
static size_t twist(size_t n, size_t step, unsigned stream)
{
    size_t at = stream;
    for (size_t k = 0; k < step; k++) at = k % 2 == 0 ? at ^ 1 : (at + 2) % n;
    return at;
}

static size_t member_at(ipu_logical logical, size_t n, size_t step, unsigned stream)
{
    switch (logical) {
    case IPU_PERIPHERAL_RING:
    case IPU_RING_ON_LINE:
        return up_and_down(n, step);
    case IPU_BARLEY_TWIST:
        return twist(n, step, stream);
    case IPU_RUNG_RING_2:
    case IPU_RUNG_RING_4:
    case IPU_RUNG_RING_8:
    case IPU_PRISM:
    case IPU_LOGICALS:
        break;
    }
    return step;
}

static mt_status add_ring(mt_arena *arena, const groups *g, const ipu_ring_choice *choice, size_t group,
    size_t place, unsigned stream, ipu_rings *rings)
{
    ipu_ring *ring = &rings->ring[rings->n_rings++];
    *ring = (ipu_ring){.n = g->size, .stream = stream};
    MT_ALLOC(arena, ring->chip, g->size);
    for (size_t k = 0; k < g->size; k++) {
        const size_t member = member_at(choice->logical, g->size, k, stream);
        ring->chip[k] = (uint32_t)(replica_of(g, choice->grouping, group, member) * choice->replica + place);
    }
    return MT_OK;
}

size_t ipu_ring_rank(const ipu_ring *ring, size_t k)
{
    size_t rank = 0;
    for (size_t i = 0; i < ring->n; i++) rank += ring->chip[i] < ring->chip[k];
    return rank;
}

/* ---- turns ---- */

/* The turns so far: bytes[turn][from * n_chips + to] counts the hops of their rings, both ways. */
typedef struct turning {
    const ipu_topology *network;
    size_t n_chips;
    uint64_t **bytes;
} turning;

/* Adds the hops of a ring to a turn, or removes them. */
static void count_hops(const turning *t, const ipu_ring *ring, bool out)
{
    const uint64_t one = out ? UINT64_MAX : 1; /* -1, modulo 2^64 */
    uint64_t *bytes = t->bytes[ring->turn];
    for (size_t k = 0; k < ring->n; k++) {
        const uint32_t a = ring->chip[k], b = ring->chip[(k + 1) % ring->n];
        bytes[a * t->n_chips + b] += one;
        bytes[b * t->n_chips + a] += one;
    }
}

/* Finds the first turn in which messages of this ring and of its other rings cannot deadlock, or adds a new turn. */
static mt_status find_turn(mt_arena *scratch, const turning *t, ipu_ring *ring, unsigned *n_turns)
{
    for (ring->turn = 0;; ring->turn++) {
        const bool is_new = ring->turn == *n_turns;
        if (is_new) MT_ALLOC(scratch, t->bytes[ring->turn], t->n_chips * t->n_chips);
        count_hops(t, ring, false);
        const mt_status status = ipu_topology_check_deadlock(t->network, t->bytes[ring->turn]);
        if (status == MT_OK && is_new) ++*n_turns;
        if (status == MT_OK || status != MT_INPUT || is_new) return status;
        count_hops(t, ring, true);
    }
}

static mt_status find_turns(ipu_shape shape, size_t n_chips, ipu_rings *rings)
{
    rings->turns = shape == IPU_TORUS ? 0 : 1;
    if (shape != IPU_TORUS) return MT_OK;
    MT_SCRATCH(scratch);
    const ipu_links links = {.shape = shape,
        .direct = 1,
        .cross = 1,
        .rail = 1,
        .lane_bits_per_second = 1,
        .efficiency = 1,
        .buffers = 1};
    ipu_topology *network;
    turning t = {.n_chips = n_chips};
    MT_TRY(ipu_topology_of(scratch, &links, n_chips, &network));
    t.network = network;
    MT_ALLOC(scratch, t.bytes, rings->n_rings);
    for (size_t r = 0; r < rings->n_rings; r++)
        MT_TRY(find_turn(scratch, &t, &rings->ring[r], &rings->turns));
    return MT_OK;
}

mt_status ipu_rings_make(
    mt_arena *arena, ipu_shape shape, size_t n_chips, const ipu_ring_choice *choice, ipu_rings *rings)
{
    groups g = {0};
    MT_TRY(check_combination(shape, n_chips, choice));
    MT_TRY(find_groups(n_chips, choice, &g));
    *rings = (ipu_rings){.streams = choice->logical == IPU_BARLEY_TWIST ? 2 : 1,
        .logical = choice->logical,
        .shape = shape,
        .replica = choice->replica};
    MT_ALLOC(arena, rings->ring, g.n * choice->replica * rings->streams);
    for (size_t group = 0; group < g.n; group++)
        for (size_t place = 0; place < choice->replica; place++)
            for (unsigned stream = 0; stream < rings->streams; stream++)
                MT_TRY(add_ring(arena, &g, choice, group, place, stream, rings));
    return find_turns(shape, n_chips, rings);
}
