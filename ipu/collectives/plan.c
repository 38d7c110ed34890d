#include "ipu/collectives/plan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"

const char *const ipu_collective_name[IPU_COLLECTIVES + 1] = {
    "all-reduce", "reduce-scatter", "all-gather", "broadcast", NULL};
const char *const ipu_method_name[IPU_METHODS + 1] = {
    "auto", "clockwise", "anticlockwise", "bidirectional", "meet-in-the-middle", "quad", NULL};

/* ---- choice of the method ---- */

/* Thresholds by the maximum number of chips of a ring: the bytes of a gathered shard, and of the vector to reduce, from which
 * data are sent in halves both ways. For a twist: the bytes of the shard; n times as many to reduce. */
static const struct {
    size_t chips;
    uint64_t gathered, reduced;
} thresholds[] = {{4, 622592, 1245184}, {8, 2490368, 4980736}, {16, 19922944, 39845888}};
static const uint64_t twist_threshold = 196608;

static ipu_method choose(const ipu_rings *rings, ipu_collective collective, uint64_t bytes)
{
    const size_t n = rings->ring[0].n;
    const bool gathers = collective == IPU_ALL_GATHER || collective == IPU_BROADCAST;
    const uint64_t share = gathers ? bytes / n : bytes;
    if (rings->logical == IPU_PRISM) return IPU_CLOCKWISE;
    if (rings->logical == IPU_BARLEY_TWIST)
        return share < twist_threshold * (gathers ? 1 : n) ? IPU_MEET_IN_THE_MIDDLE : IPU_QUAD;
    if (rings->replica > 1 && rings->shape == IPU_TORUS) return IPU_MEET_IN_THE_MIDDLE;
    if (rings->replica > 1 || n <= 2) return IPU_CLOCKWISE;
    for (size_t k = 0; k < sizeof thresholds / sizeof *thresholds; k++)
        if (n <= thresholds[k].chips)
            return share < (gathers ? thresholds[k].gathered : thresholds[k].reduced) ? IPU_MEET_IN_THE_MIDDLE
                                                                                      : IPU_BIDIRECTIONAL;
    return IPU_MEET_IN_THE_MIDDLE;
}

static mt_status check(const ipu_rings *rings, ipu_collective collective, ipu_method method, size_t root)
{
    const bool twist = rings->logical == IPU_BARLEY_TWIST;
    const size_t n = rings->ring[0].n;
    if (method == IPU_QUAD && !twist)
        return mt_fail(MT_INPUT,
            "collective: quad on a %s; allowed: quad on a barley-twist, all other methods here",
            ipu_logical_name[rings->logical]);
    if (method == IPU_BIDIRECTIONAL && twist)
        return mt_fail(MT_INPUT, "collective: bidirectional on a barley-twist; allowed: quad, which is "
                                 "bidirectional on both rings");
    if (collective == IPU_BROADCAST && root >= n)
        return mt_fail(MT_INPUT, "collective: a broadcast from rank %zu; allowed: below %zu", root, n);
    return MT_OK;
}

/* ---- hops ---- */

typedef struct planning {
    const ipu_rings *rings;
    ipu_collective collective;
    ipu_plan *plan;
    size_t n_parts, root;
    size_t *rank; /* [n] of each position in the current ring */
    size_t n_hops;
} planning;

size_t ipu_plan_fragment(const ipu_plan *plan, size_t fragment)
{
    return plan->n_elements * fragment / plan->n_fragments;
}

/* The data of a chain of hops: fragment `rank` of a part. */
typedef struct load {
    size_t begin, n;
} load;

static load load_of(const planning *p, size_t n, size_t part, size_t rank)
{
    const size_t begin = ipu_plan_fragment(p->plan, part * n + rank);
    return (load){begin, ipu_plan_fragment(p->plan, part * n + rank + 1) - begin};
}

/* Adds `hops` hops from position `start`, one per step from `step` on; each to the next or to the previous position in the
 * ring. */
static void add_chain(
    planning *p, const ipu_ring *ring, load l, size_t start, size_t hops, bool clockwise, size_t step)
{
    const size_t n = ring->n, onward = clockwise ? 1 : n - 1;
    for (size_t t = 0; t < hops && l.n > 0; t++) {
        const size_t from = (start + t * onward) % n, to = (from + onward) % n;
        if (p->plan->hops)
            p->plan->hops[p->n_hops] = (ipu_hop){(uint32_t)((step + t) * p->rings->turns + ring->turn),
                ring->chip[from], ring->chip[to], l.begin, l.n};
        p->n_hops++;
    }
}

/* The numbers of hops of a fragment each way in a ring of n. */
typedef struct ways {
    size_t clockwise, anticlockwise;
} ways;

static ways ways_of(ipu_method method, size_t n, size_t direction)
{
    if (method == IPU_MEET_IN_THE_MIDDLE && n > 2) return (ways){n / 2, (n - 1) - n / 2};
    const bool back = method == IPU_ANTICLOCKWISE || direction == 1;
    return back ? (ways){0, n - 1} : (ways){n - 1, 0};
}

static size_t longest(ways w) { return w.clockwise > w.anticlockwise ? w.clockwise : w.anticlockwise; }

/* Moves the contributions to a fragment to its chip, from the far ends of both ways. */
static void add_reduction(planning *p, const ipu_ring *ring, load l, size_t owner, ways w)
{
    const size_t n = ring->n;
    add_chain(p, ring, l, (owner + n - w.clockwise) % n, w.clockwise, true, 0);
    add_chain(p, ring, l, (owner + w.anticlockwise) % n, w.anticlockwise, false, 0);
}

static void add_gathering(planning *p, const ipu_ring *ring, load l, size_t owner, ways w, size_t step)
{
    add_chain(p, ring, l, owner, w.clockwise, true, step);
    add_chain(p, ring, l, owner, w.anticlockwise, false, step);
}

static size_t position_of(const planning *p, size_t n, size_t rank)
{
    size_t k = 0;
    while (k < n && p->rank[k] != rank) k++;
    return k;
}

/* Counts the non-empty fragments of lower ranks: a broadcast sends one after another. */
static size_t filled_before(const planning *p, size_t n, size_t part, size_t rank)
{
    size_t filled = 0;
    for (size_t r = 0; r < rank; r++) filled += load_of(p, n, part, r).n > 0;
    return filled;
}

static void add_fragments(planning *p, const ipu_ring *ring, size_t part, ways w)
{
    const size_t n = ring->n;
    const bool reduces = p->collective == IPU_ALL_REDUCE || p->collective == IPU_REDUCE_SCATTER;
    const bool gathers = p->collective != IPU_REDUCE_SCATTER;
    const size_t reducing = reduces ? longest(w) : 0;
    for (size_t k = 0; k < n; k++) {
        const load l = load_of(p, n, part, p->rank[k]);
        if (p->collective == IPU_BROADCAST) {
            add_gathering(p, ring, l, position_of(p, n, p->root), w, filled_before(p, n, part, p->rank[k]));
            continue;
        }
        if (reduces) add_reduction(p, ring, l, k, w);
        if (gathers) add_gathering(p, ring, l, k, w, reducing);
    }
    if (reduces) p->plan->n_reducing = reducing * p->rings->turns;
}

/* Adds all hops, or counts them. */
static void add_hops(planning *p)
{
    const size_t directions = p->n_parts / p->rings->streams;
    p->n_hops = 0;
    for (size_t r = 0; r < p->rings->n_rings; r++) {
        const ipu_ring *ring = &p->rings->ring[r];
        for (size_t k = 0; k < ring->n; k++) p->rank[k] = ipu_ring_rank(ring, k);
        for (size_t d = 0; d < directions; d++)
            add_fragments(p, ring, ring->stream * directions + d, ways_of(p->plan->method, ring->n, d));
    }
}

MT_ORDER(by_step, ipu_hop, step, to, begin, from)

static mt_status order_hops(mt_arena *arena, planning *p)
{
    ipu_plan *plan = p->plan;
    if (p->n_hops > 1) qsort(plan->hops, p->n_hops, sizeof *plan->hops, by_step);
    plan->n_steps = p->n_hops > 0 ? plan->hops[p->n_hops - 1].step + 1 : 0;
    MT_ALLOC(arena, plan->first_hop, plan->n_steps + 1);
    for (size_t h = 0; h < p->n_hops; h++) plan->first_hop[plan->hops[h].step + 1]++;
    for (size_t s = 0; s < plan->n_steps; s++) plan->first_hop[s + 1] += plan->first_hop[s];
    return MT_OK;
}

mt_status ipu_plan_make(mt_arena *arena, const ipu_rings *rings, ipu_collective collective, ipu_method method,
    size_t n_elements, size_t element_bytes, size_t root, ipu_plan *plan)
{
    MT_TRY(check(rings, collective, method, root));
    *plan = (ipu_plan){.method = method, .n_elements = n_elements};
    if (method == IPU_AUTO) plan->method = choose(rings, collective, (uint64_t)n_elements * element_bytes);
    const bool halves = plan->method == IPU_BIDIRECTIONAL || plan->method == IPU_QUAD;
    planning p = {.rings = rings,
        .collective = collective,
        .plan = plan,
        .n_parts = rings->streams * (halves ? 2 : 1),
        .root = root};
    plan->n_fragments = p.n_parts * rings->ring[0].n;
    MT_ALLOC(arena, p.rank, rings->ring[0].n);
    add_hops(&p);
    MT_ALLOC(arena, plan->hops, p.n_hops);
    add_hops(&p);
    return order_hops(arena, &p);
}

/* ---- kinds of steps ---- */

/* A hop without its fragment. */
typedef struct passing {
    uint32_t from, to;
    bool together; /* True if it has the fragment of the previous one */
    bool joined;   /* True if it begins where another hop between the same chips ends */
} passing;

static bool is_same(const passing *a, const passing *b)
{
    return a->from == b->from && a->to == b->to && a->together == b->together && a->joined == b->joined;
}

/* True if another hop between the same chips ends where this one begins. Hops to one chip are adjacent, by first element. */
static bool is_joined(const ipu_plan *plan, size_t step, size_t h)
{
    const ipu_hop *hop = &plan->hops[h];
    for (size_t i = h; i > plan->first_hop[step] && plan->hops[i - 1].to == hop->to; i--) {
        const ipu_hop *before = &plan->hops[i - 1];
        if (before->from == hop->from && before->begin + before->n == hop->begin) return true;
    }
    return false;
}

MT_ORDER(by_sender, ipu_hop, from, begin, to)

/* Lists the hops of a step by receivers and then by senders, each with its fragments in the order of the vector. Returns the
 * length of the list; `room` has space for half of it. */
static size_t list_passing(const ipu_plan *plan, size_t step, ipu_hop *room, passing *list)
{
    const size_t first = plan->first_hop[step], n = plan->first_hop[step + 1] - first;
    for (size_t k = 0; k < n; k++) {
        const ipu_hop *hop = &plan->hops[first + k];
        room[k] = *hop;
        list[k] = (passing){.from = hop->from,
            .to = hop->to,
            .together = k > 0 && hop[-1].to == hop->to && hop[-1].begin == hop->begin,
            .joined = is_joined(plan, step, first + k)};
    }
    if (n > 1) qsort(room, n, sizeof *room, by_sender);
    for (size_t k = 0; k < n; k++)
        list[n + k] = (passing){.from = room[k].from,
            .to = room[k].to,
            .together = k > 0 && room[k - 1].from == room[k].from && room[k - 1].begin == room[k].begin};
    return 2 * n;
}

/* A list for each kind so far, and one for the current step. */
typedef struct sorting {
    const ipu_plan *plan;
    passing **list; /* [n_kinds + 1] */
    ipu_hop *room;
    size_t *n, *first, *times;
    size_t n_kinds;
    bool alike; /* True if all fragments have the same length */
} sorting;

/* Returns the kind of a step; adds a new kind if necessary. */
static size_t kind_of(sorting *s, size_t step)
{
    const bool reduces = step < s->plan->n_reducing;
    passing *list = s->list[s->n_kinds];
    const size_t n = list_passing(s->plan, step, s->room, list);
    for (size_t k = 0; s->alike && k < s->n_kinds; k++) {
        size_t i = 0;
        if (s->n[k] != n || (s->first[k] < s->plan->n_reducing) != reduces) continue;
        while (i < n && is_same(&list[i], &s->list[k][i])) i++;
        if (i == n) return k;
    }
    s->n[s->n_kinds] = n;
    s->first[s->n_kinds] = step;
    return s->n_kinds++;
}

static mt_status sort_steps(mt_arena *scratch, sorting *s)
{
    const ipu_plan *plan = s->plan;
    size_t most = 0;
    for (size_t step = 0; step < plan->n_steps; step++) {
        const size_t n = plan->first_hop[step + 1] - plan->first_hop[step];
        if (n > most) most = n;
    }
    MT_ALLOC(scratch, s->list, plan->n_steps + 1);
    MT_ALLOC(scratch, s->n, plan->n_steps);
    MT_ALLOC(scratch, s->first, plan->n_steps);
    MT_ALLOC(scratch, s->room, most);
    for (size_t step = 0; step < plan->n_steps; step++) {
        if (!s->list[s->n_kinds]) MT_ALLOC(scratch, s->list[s->n_kinds], 2 * most);
        s->times[kind_of(s, step)]++;
    }
    return MT_OK;
}

static mt_status copy_steps(mt_arena *arena, const sorting *s, ipu_plan *kinds)
{
    const ipu_plan *plan = s->plan;
    MT_ALLOC(arena, kinds->first_hop, s->n_kinds + 1);
    for (size_t k = 0; k < s->n_kinds; k++) {
        const size_t step = s->first[k];
        kinds->n_reducing += step < plan->n_reducing;
        kinds->first_hop[k + 1] = kinds->first_hop[k] + plan->first_hop[step + 1] - plan->first_hop[step];
    }
    MT_ALLOC(arena, kinds->hops, kinds->first_hop[s->n_kinds]);
    for (size_t k = 0; k < s->n_kinds; k++)
        for (size_t h = kinds->first_hop[k], i = plan->first_hop[s->first[k]]; h < kinds->first_hop[k + 1];
             h++, i++) {
            kinds->hops[h] = plan->hops[i];
            kinds->hops[h].step = (uint32_t)k;
        }
    kinds->n_steps = s->n_kinds;
    return MT_OK;
}

mt_status ipu_plan_kinds(mt_arena *arena, const ipu_plan *plan, ipu_plan *kinds, size_t **times)
{
    MT_SCRATCH(scratch);
    sorting s = {.plan = plan, .alike = plan->n_elements % plan->n_fragments == 0};
    *kinds =
        (ipu_plan){.method = plan->method, .n_elements = plan->n_elements, .n_fragments = plan->n_fragments};
    MT_ALLOC(arena, *times, plan->n_steps);
    s.times = *times;
    MT_TRY(sort_steps(scratch, &s));
    return copy_steps(arena, &s, kinds);
}

void ipu_plan_bytes(const ipu_plan *plan, size_t step, size_t element_bytes, size_t n_chips, uint64_t *bytes)
{
    memset(bytes, 0, n_chips * n_chips * sizeof *bytes);
    for (size_t h = plan->first_hop[step]; h < plan->first_hop[step + 1]; h++) {
        const ipu_hop *hop = &plan->hops[h];
        bytes[hop->from * n_chips + hop->to] += (uint64_t)hop->n * element_bytes;
    }
}
