#include "ipu/compile/routed.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"
#include "ipu/machine/integer.h"

enum {
    WINDOW = 64, /* cycles of a word of bits */
    BLOCK = 8,   /* windows of a resource that are adjacent in memory: a line of the processor's cache */
    PIECE =
        64 /* most words of a send, unless its set-up is longer: others can use links and tiles in between */
};

/* Words [from, to) of a tile, for the receivers of fragments stop[first_stop] .. [first_stop + n_stops - 1]. */
typedef struct send {
    size_t from, to, first_stop;
    uint32_t source, n_stops;
    uint64_t latency, cycle; /* of the longest route; of the departure */
    uint64_t urgency;
} send;

/* A resource that a send needs, and the cycles from the departure until it needs it. The resources are the links, then the output of every
 * tile, then the input of every tile. */
typedef struct need {
    uint32_t resource;
    uint64_t offset;
} need;

/* The bits of BLOCK windows: mask[(plane * n_resources + r) * BLOCK + w % BLOCK] has a bit for each cycle of window w in which resource r
 * has more than `plane` words. */
typedef struct block {
    uint64_t *mask;
} block;

/* Which receivers share a send, with multicast: all, those whose routes begin with the same link, or none. A send that has fewer receivers
 * finds free cycles earlier, and uses more. */
typedef enum sharing { SHARED_BY_ALL, SHARED_BY_FIRST_LINK, NOT_SHARED, SHARINGS } sharing;

typedef struct planner {
    sharing how;
    const ipu_target *target;
    const ipu_fragment *fragments;
    ipu_fabric fabric;
    size_t n, n_resources, n_planes, n_sends;
    send *sends;
    size_t *stop; /* [n_stops] fragments */
    size_t n_stops;
    need *needs;    /* room for those of any send */
    uint32_t *seen; /* [n_links] 1 + the last send that needed the link */
    block *blocks;
    size_t n_blocks, most_blocks;
    uint32_t *full; /* [n_resources] leading windows without a free cycle */
    uint64_t *load; /* [n_resources] cycles in use */
} planner;

static uint32_t output(const planner *p, uint32_t tile) { return p->fabric.n_links + tile; }

static uint32_t input(const planner *p, uint32_t tile)
{
    return p->fabric.n_links + (uint32_t)p->target->tiles + tile;
}

static bool is_input(const planner *p, uint32_t resource)
{
    return resource >= p->fabric.n_links + p->target->tiles;
}

static size_t rate(const planner *p, uint32_t resource)
{
    return resource < p->fabric.n_links ? ipu_fabric_rate(&p->fabric, resource) : 1;
}

/* ---- sends ---- */

static size_t most_words(const planner *p) { return ipu_larger(PIECE, p->target->exchange_fragment_cycles); }

/* A fragment of the current tile, in the order of its words. */
typedef struct piece {
    size_t from, to, fragment;
    uint32_t receiver;
} piece;

typedef struct ordered {
    uint32_t source;
    size_t from, fragment;
} ordered;

MT_ORDER(by_source, ordered, source, from, fragment)
MT_ORDER(by_receiver, piece, receiver, from, fragment)
MT_ORDER_NUMBERS(by_number, size_t)

/* Room to cut the words of one tile. */
typedef struct cutting {
    piece *pieces, *now; /* [n] of the tile by `from`; those that contain the current words, by receiver */
    size_t *ends;        /* [2 n] */
    bool *taken;         /* [n] */
} cutting;

/* Returns the first link of a route; UINT32_MAX if it has none. */
static uint32_t first_link(const planner *p, uint32_t source, uint32_t receiver)
{
    uint32_t link = UINT32_MAX;
    ipu_path path = ipu_fabric_path(&p->fabric, source, receiver);
    (void)ipu_path_next(&path, &link);
    return link;
}

static bool can_join(const planner *p, const send *s, uint32_t receiver)
{
    if (s->n_stops == 0) return true;
    const uint32_t first = p->fragments[p->stop[s->first_stop]].receiver,
                   last = p->fragments[p->stop[p->n_stops - 1]].receiver;
    if (last == receiver) return false;
    return p->how == SHARED_BY_ALL || first_link(p, s->source, first) == first_link(p, s->source, receiver);
}

/* Adds the sends of words that n pieces contain. A receiver takes words from a send once: a second fragment of the same receiver with the
 * same words makes another send. */
static void add_sends(planner *p, uint32_t source, size_t from, size_t to, const cutting *c, size_t n)
{
    for (size_t left = n, first = 0; left > 0;) {
        send *s = &p->sends[p->n_sends++];
        *s = (send){.from = from, .to = to, .first_stop = p->n_stops, .source = source};
        for (size_t i = first; i < n; i++) {
            if (c->taken[i]) continue;
            if (s->n_stops > 0 && p->how == NOT_SHARED) break;
            if (!can_join(p, s, c->now[i].receiver)) continue;
            c->taken[i] = true;
            while (first < n && c->taken[first]) first++;
            p->stop[p->n_stops++] = c->now[i].fragment;
            s->n_stops++;
            left--;
        }
    }
}

/* Visits the words between two ends of pieces; a call with p->sends NULL only counts. */
static void cut_tile(planner *p, uint32_t source, cutting *c, size_t n, size_t *n_sends, size_t *n_stops)
{
    size_t n_ends = 0, begun = 0, n_now = 0;
    for (size_t i = 0; i < n; i++) c->ends[n_ends++] = c->pieces[i].from, c->ends[n_ends++] = c->pieces[i].to;
    qsort(c->ends, n_ends, sizeof *c->ends, by_number);
    for (size_t k = 0; k + 1 < n_ends; k++) {
        const size_t from = c->ends[k], to = c->ends[k + 1];
        size_t kept = 0;
        if (from == to) continue;
        for (size_t i = 0; i < n_now; i++)
            if (c->now[i].to > from) c->now[kept++] = c->now[i];
        n_now = kept;
        while (begun < n && c->pieces[begun].from <= from) c->now[n_now++] = c->pieces[begun++];
        if (n_now == 0) continue;
        const size_t pieces = ipu_divide_up(to - from, most_words(p));
        *n_sends += pieces * n_now;
        *n_stops += pieces * n_now;
        if (!p->sends) continue;
        if (n_now > 1) qsort(c->now, n_now, sizeof *c->now, by_receiver);
        for (size_t at = from, next; at < to; at = next) {
            next = ipu_smaller(to, at + most_words(p));
            memset(c->taken, 0, n_now * sizeof *c->taken);
            add_sends(p, source, at, next, c, n_now);
        }
    }
}

/* Without multicast each fragment is sent on its own. */
static mt_status send_fragments(planner *p, mt_arena *scratch, const ordered *order)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) n += ipu_divide_up(p->fragments[i].words, most_words(p));
    MT_ALLOC(scratch, p->sends, n);
    MT_ALLOC(scratch, p->stop, n);
    for (size_t i = 0; i < p->n; i++) {
        const ipu_fragment *f = &p->fragments[order[i].fragment];
        for (size_t at = f->from, next; at < f->from + f->words; at = next) {
            next = ipu_smaller(f->from + f->words, at + most_words(p));
            p->stop[p->n_stops] = order[i].fragment;
            p->sends[p->n_sends++] =
                (send){.from = at, .to = next, .first_stop = p->n_stops++, .source = f->source, .n_stops = 1};
        }
    }
    return MT_OK;
}

static void cut_all(planner *p, cutting *c, const ordered *order, size_t *n_sends, size_t *n_stops)
{
    for (size_t i = 0, end; i < p->n; i = end) {
        size_t n = 0;
        for (end = i; end < p->n && order[end].source == order[i].source; end++) {
            const ipu_fragment *f = &p->fragments[order[end].fragment];
            c->pieces[n++] = (piece){f->from, f->from + f->words, order[end].fragment, f->receiver};
        }
        cut_tile(p, order[i].source, c, n, n_sends, n_stops);
    }
}

static mt_status make_sends(planner *p, mt_arena *scratch)
{
    ordered *order;
    cutting c = {0};
    size_t n_sends = 0, n_stops = 0, most = 0;
    MT_ALLOC(scratch, order, p->n);
    for (size_t i = 0; i < p->n; i++) order[i] = (ordered){p->fragments[i].source, p->fragments[i].from, i};
    if (p->n > 1) qsort(order, p->n, sizeof *order, by_source);
    if (!p->target->fabric.multicast) return send_fragments(p, scratch, order);
    for (size_t i = 0, end; i < p->n; i = end) {
        for (end = i; end < p->n && order[end].source == order[i].source;) end++;
        most = ipu_larger(most, end - i);
    }
    MT_ALLOC(scratch, c.pieces, most);
    MT_ALLOC(scratch, c.now, most);
    MT_ALLOC(scratch, c.ends, 2 * most);
    MT_ALLOC(scratch, c.taken, most);
    cut_all(p, &c, order, &n_sends, &n_stops);
    MT_ALLOC(scratch, p->sends, n_sends);
    MT_ALLOC(scratch, p->stop, n_stops);
    cut_all(p, &c, order, &n_sends, &n_stops);
    return MT_OK;
}

/* ---- needs ---- */

/* Lists the resources that send number i needs, each once; its latency is that of the longest route. */
static size_t list_needs(const planner *p, const send *s, size_t i, uint64_t *latency)
{
    const uint64_t way = p->target->exchange_way_cycles;
    size_t n = 0;
    *latency = 0;
    p->needs[n++] = (need){output(p, s->source), 0};
    for (size_t k = 0; k < s->n_stops; k++) {
        const uint32_t receiver = p->fragments[p->stop[s->first_stop + k]].receiver;
        uint64_t at = 0;
        size_t links = 0;
        uint32_t link;
        for (ipu_path path = ipu_fabric_path(&p->fabric, s->source, receiver); ipu_path_next(&path, &link);) {
            if (p->seen[link] != i + 1) p->needs[n++] = (need){link, at};
            p->seen[link] = (uint32_t)i + 1;
            at = ipu_fabric_delay(p->target, ++links);
        }
        p->needs[n++] = (need){input(p, receiver), way + at};
        *latency = ipu_larger(*latency, way + at);
    }
    return n;
}

/* Returns the cycle in which a tile can receive its first word. */
static uint64_t first_there(const planner *p)
{
    return p->target->exchange_fixed_cycles + p->target->exchange_fragment_cycles;
}

static uint64_t cycles_at(const planner *p, const send *s, uint32_t resource)
{
    return is_input(p, resource) ? ipu_target_turn(p->target, s->to - s->from) : s->to - s->from;
}

/* Allocates room for the needs of any send: at most all links, and each stop's route. */
static mt_status make_room(planner *p, mt_arena *scratch)
{
    size_t most = 0;
    for (size_t i = 0; i < p->n_sends; i++) {
        const send *s = &p->sends[i];
        size_t n = 1 + s->n_stops;
        for (size_t k = 0; k < s->n_stops && n < p->fabric.n_links; k++)
            n += ipu_fabric_hops(&p->fabric, s->source, p->fragments[p->stop[s->first_stop + k]].receiver);
        most = ipu_larger(most, n < p->fabric.n_links ? n : 1 + s->n_stops + p->fabric.n_links);
    }
    MT_ALLOC(scratch, p->needs, most);
    MT_ALLOC(scratch, p->seen, p->fabric.n_links);
    return MT_OK;
}

/* ---- bounds ---- */

typedef struct bounds {
    uint64_t *before, *after; /* [n_resources] shortest ways to and from it */
} bounds;

static uint64_t bound_of(const planner *p, const bounds *b, uint32_t r)
{
    if (p->load[r] == 0) return 0;
    return b->before[r] + ipu_divide_up(p->load[r], rate(p, r)) + b->after[r];
}

static void add_loads(planner *p, bounds *b)
{
    memset(b->before, 0xff, p->n_resources * sizeof *b->before);
    memset(b->after, 0xff, p->n_resources * sizeof *b->after);
    for (size_t i = 0; i < p->n_sends; i++) {
        send *s = &p->sends[i];
        const size_t n = list_needs(p, s, i, &s->latency);
        for (size_t k = 0; k < n; k++) {
            const uint32_t r = p->needs[k].resource;
            uint64_t before = p->needs[k].offset, after = s->latency - p->needs[k].offset;
            if (is_input(p, r)) before = ipu_larger(before, first_there(p)), after = 0;
            p->load[r] += cycles_at(p, s, r);
            if (before < b->before[r]) b->before[r] = before;
            if (after < b->after[r]) b->after[r] = after;
        }
    }
}

/* Subtracts from the load of an input the most cycles of a turn without words, because the last turn ends with its words. */
static mt_status spare_last_turn(planner *p, mt_arena *scratch)
{
    uint64_t *spare;
    MT_ALLOC(scratch, spare, p->target->tiles);
    for (size_t i = 0; i < p->n_sends; i++) {
        const send *s = &p->sends[i];
        const uint64_t idle = ipu_target_turn(p->target, s->to - s->from) - (s->to - s->from);
        for (size_t k = 0; k < s->n_stops; k++) {
            uint64_t *most = &spare[p->fragments[p->stop[s->first_stop + k]].receiver];
            *most = ipu_larger(*most, idle);
        }
    }
    for (uint32_t t = 0; t < p->target->tiles; t++) p->load[input(p, t)] -= spare[t];
    return MT_OK;
}

/* Sets the urgency of each send: the most that a resource which it needs has to do from then on. */
static void set_urgencies(planner *p)
{
    for (size_t i = 0; i < p->n_sends; i++) {
        send *s = &p->sends[i];
        const size_t n = list_needs(p, s, p->n_sends + i, &s->latency);
        for (size_t k = 0; k < n; k++) {
            const uint32_t r = p->needs[k].resource;
            const uint64_t after = s->latency - p->needs[k].offset;
            s->urgency = ipu_larger(s->urgency, p->load[r] / rate(p, r) + after);
        }
    }
}

static mt_status make_bounds(planner *p, mt_arena *scratch, ipu_schedule *schedule)
{
    bounds b;
    MT_ALLOC(scratch, b.before, p->n_resources);
    MT_ALLOC(scratch, b.after, p->n_resources);
    add_loads(p, &b);
    MT_TRY(spare_last_turn(p, scratch));
    for (uint32_t r = 0; r < p->n_resources; r++) {
        const uint64_t bound = bound_of(p, &b, r);
        if (bound <= schedule->bound) continue;
        schedule->bound = bound;
        schedule->bound_words = ipu_divide_up(p->load[r], rate(p, r));
    }
    for (uint32_t t = 0; t < p->target->tiles; t++)
        schedule->tile_bound[t] = ipu_larger(bound_of(p, &b, input(p, t)), p->load[output(p, t)]);
    set_urgencies(p);
    return MT_OK;
}

/* ---- free cycles ---- */

static mt_status add_windows(planner *p, mt_arena *scratch, size_t n)
{
    const size_t wanted = ipu_divide_up(n, BLOCK);
    if (wanted > p->most_blocks) {
        const size_t most = 2 * wanted;
        block *more;
        MT_ALLOC(scratch, more, most);
        if (p->n_blocks > 0) memcpy(more, p->blocks, p->n_blocks * sizeof *more);
        p->blocks = more;
        p->most_blocks = most;
    }
    for (; p->n_blocks < wanted; p->n_blocks++)
        MT_ALLOC(scratch, p->blocks[p->n_blocks].mask, p->n_planes * p->n_resources * BLOCK);
    return MT_OK;
}

/* Returns the bits of a window that exists. */
static uint64_t *window_of(const planner *p, uint32_t r, size_t plane, size_t w)
{
    return &p->blocks[w / BLOCK].mask[(plane * p->n_resources + r) * BLOCK + w % BLOCK];
}

static uint64_t bits_of(const planner *p, uint32_t r, size_t plane, size_t w)
{
    return w < p->n_blocks * BLOCK ? *window_of(p, r, plane, w) : 0;
}

/* Returns a bit for each of the 64 cycles from `cycle` on: 1 if the resource is busy. */
static uint64_t busy_from(const planner *p, uint32_t r, uint64_t cycle)
{
    const size_t plane = p->n_planes == 1 ? 0 : rate(p, r) - 1, w = cycle / WINDOW;
    const unsigned shift = cycle % WINDOW;
    const uint64_t low = bits_of(p, r, plane, w) >> shift;
    return shift == 0 ? low : low | bits_of(p, r, plane, w + 1) << (WINDOW - shift);
}

/* The end of a search: a run of free cycles. */
typedef struct search {
    uint64_t begin, length;
} search;

/* Extends the run over the 64 cycles from `base` on, until it has `wanted` cycles. */
static void extend(search *run, uint64_t base, uint64_t busy, uint64_t wanted)
{
    for (unsigned at = 0; at < WINDOW && run->length < wanted;) {
        const uint64_t left = busy >> at;
        if (left & 1) {
            const uint64_t others = ~left;
            at += others == 0 ? WINDOW : (unsigned)__builtin_ctzll(others);
            run->length = 0;
            continue;
        }
        const unsigned zeros = left == 0 ? WINDOW - at : (unsigned)__builtin_ctzll(left);
        if (run->length == 0) run->begin = base + at;
        run->length += zeros;
        at += zeros;
    }
}

/* Returns the first cycle in which a send can leave. */
static uint64_t first_fit(const planner *p, const send *s, size_t n)
{
    const uint64_t wanted = s->to - s->from;
    uint64_t base = 0;
    for (size_t k = 0; k < n; k++) {
        const uint32_t r = p->needs[k].resource;
        uint64_t free = (uint64_t)WINDOW * p->full[r];
        if (is_input(p, r)) free = ipu_larger(free, first_there(p));
        if (free > p->needs[k].offset) base = ipu_larger(base, free - p->needs[k].offset);
    }
    for (search run = {0};; base += WINDOW) {
        uint64_t busy = 0;
        for (size_t k = 0; k < n && ~busy != 0; k++)
            busy |= busy_from(p, p->needs[k].resource, base + p->needs[k].offset);
        extend(&run, base, busy, wanted);
        if (run.length >= wanted) return run.begin;
    }
}

static void occupy(planner *p, uint32_t r, uint64_t begin, uint64_t end)
{
    const size_t planes = p->n_planes == 1 ? 1 : rate(p, r);
    for (size_t w = begin / WINDOW; (uint64_t)w * WINDOW < end; w++) {
        uint64_t bits = UINT64_MAX;
        if ((uint64_t)w * WINDOW < begin) bits &= UINT64_MAX << (begin % WINDOW);
        if ((uint64_t)(w + 1) * WINDOW > end) bits &= UINT64_MAX >> (WINDOW - end % WINDOW);
        for (size_t plane = planes - 1; plane > 0; plane--)
            *window_of(p, r, plane, w) |= *window_of(p, r, plane - 1, w) & bits;
        *window_of(p, r, 0, w) |= bits;
    }
    while (p->full[r] < p->n_blocks * BLOCK && bits_of(p, r, planes - 1, p->full[r]) == UINT64_MAX)
        p->full[r]++;
}

/* Reserves the cycles of a send. Another one cannot begin at an input during its set-up, nor so shortly before it that its own set-up would
 * have no time: these cycles are reserved, too. */
static mt_status place(planner *p, mt_arena *scratch, const send *s, size_t n)
{
    const uint64_t words = s->to - s->from, setup = p->target->exchange_fragment_cycles;
    const uint64_t turn = ipu_target_turn(p->target, words);
    MT_TRY(add_windows(p, scratch, (s->cycle + s->latency + turn) / WINDOW + 1));
    for (size_t k = 0; k < n; k++) {
        const uint32_t r = p->needs[k].resource;
        const uint64_t begin = s->cycle + p->needs[k].offset;
        const uint64_t before = is_input(p, r) && setup > 1 ? setup - 1 : 0;
        occupy(p, r, begin > before ? begin - before : 0, begin + (is_input(p, r) ? turn : words));
    }
    return MT_OK;
}

/* ---- the schedule ---- */

typedef struct entry {
    uint64_t first, second;
    size_t send;
} entry;

MT_ORDER(in_order, entry, first, second, send)

typedef enum order_of_sends { URGENT_FIRST, LONGEST_FIRST, BY_TILE, ORDERS } order_of_sends;

/* Plans all sends, unless the plan takes `limit` cycles or more; `cycles` is then the limit. */
static mt_status plan(planner *p, mt_arena *scratch, order_of_sends order, uint64_t limit, uint64_t *cycles)
{
    entry *entries;
    *cycles = 0;
    MT_ALLOC(scratch, entries, p->n_sends);
    MT_ALLOC(scratch, p->full, p->n_resources);
    memset(p->seen, 0, p->fabric.n_links * sizeof *p->seen);
    p->n_blocks = p->most_blocks = 0;
    for (size_t i = 0; i < p->n_sends; i++) {
        const send *s = &p->sends[i];
        const uint64_t key[ORDERS] = {UINT64_MAX - s->urgency, UINT64_MAX - s->latency, 0};
        entries[i] = (entry){key[order], UINT64_MAX - (s->to - s->from), i};
        if (order == BY_TILE) entries[i].second = 0;
    }
    if (p->n_sends > 1) qsort(entries, p->n_sends, sizeof *entries, in_order);
    for (size_t i = 0; i < p->n_sends && *cycles < limit; i++) {
        const size_t k = entries[i].send;
        send *s = &p->sends[k];
        const size_t n = list_needs(p, s, k, &s->latency);
        s->cycle = first_fit(p, s, n);
        MT_TRY(place(p, scratch, s, n));
        *cycles = ipu_larger(*cycles, s->cycle + s->latency + s->to - s->from);
    }
    *cycles = ipu_smaller(*cycles, limit);
    return MT_OK;
}

/* Sets the cycles of tiles, arrivals and the phase. `arrived`: [n] false. */
static void set_cycles(const planner *p, bool *arrived, ipu_schedule *schedule)
{
    const uint64_t way = p->target->exchange_way_cycles;
    memset(schedule->tile_cycles, 0, p->target->tiles * sizeof *schedule->tile_cycles);
    schedule->cycles = schedule->words_sent = 0;
    for (size_t i = 0; i < p->n_sends; i++) {
        const send *s = &p->sends[i];
        const uint64_t words = s->to - s->from;
        uint64_t *sent = &schedule->tile_cycles[s->source];
        *sent = ipu_larger(*sent, s->cycle + words);
        schedule->words_sent += words;
        for (size_t k = 0; k < s->n_stops; k++) {
            const size_t f = p->stop[s->first_stop + k];
            const uint32_t receiver = p->fragments[f].receiver;
            const uint64_t there =
                s->cycle + way +
                ipu_fabric_delay(p->target, ipu_fabric_hops(&p->fabric, s->source, receiver));
            uint64_t *end = &schedule->tile_cycles[receiver];
            ipu_arrival *a = &schedule->arrivals[f];
            if (!arrived[f] || there < a->cycle) *a = (ipu_arrival){f, there, false};
            arrived[f] = true;
            *end = ipu_larger(*end, there + words);
        }
    }
    for (size_t t = 0; t < p->target->tiles; t++)
        schedule->cycles = ipu_larger(schedule->cycles, schedule->tile_cycles[t]);
}

/* Copies the sends in the order of tile and cycle. */
static mt_status hand_over(const planner *p, mt_arena *arena, mt_arena *scratch, ipu_schedule *schedule)
{
    entry *entries;
    bool *arrived;
    MT_ALLOC(scratch, arrived, p->n);
    MT_ALLOC(scratch, entries, p->n_sends);
    MT_ALLOC(arena, schedule->sends, p->n_sends);
    MT_ALLOC(arena, schedule->first_stop, p->n_sends + 1);
    MT_ALLOC(arena, schedule->stop, p->n_stops);
    for (size_t i = 0; i < p->n_sends; i++) entries[i] = (entry){p->sends[i].source, p->sends[i].cycle, i};
    if (p->n_sends > 1) qsort(entries, p->n_sends, sizeof *entries, in_order);
    size_t n = 0;
    for (size_t i = 0; i < p->n_sends; i++) {
        const send *s = &p->sends[entries[i].send];
        schedule->sends[i] = (ipu_send){s->source, s->from, s->to - s->from, s->cycle, false};
        schedule->first_stop[i] = n;
        for (size_t k = 0; k < s->n_stops; k++) schedule->stop[n++] = p->stop[s->first_stop + k];
    }
    schedule->first_stop[p->n_sends] = n;
    schedule->n_sends = p->n_sends;
    set_cycles(p, arrived, schedule);
    return MT_OK;
}

static size_t most_planes(const planner *p)
{
    size_t most = 1;
    for (uint32_t l = 0; l < p->fabric.n_links; l++) {
        most = ipu_larger(most, ipu_fabric_rate(&p->fabric, l));
        if (!p->fabric.listed) break;
    }
    return most;
}

/* True if a plan is so near to the bound that no other is searched: by a 50th part, of many fragments by a 20th. */
static bool is_short(const planner *p, uint64_t cycles, uint64_t bound)
{
    enum { NEAR = 50, NEAR_OF_MANY = 20, MANY = 1000000 };
    return cycles - bound <= bound / (p->n < MANY ? NEAR : NEAR_OF_MANY) || cycles < bound;
}

/* Number of a plan, from 1: how sends are shared, and their order. */
static unsigned number_of(sharing how, order_of_sends order) { return 1 + how * ORDERS + order; }

/* Keeps the shortest of the plans that take less than schedule->cycles, or the one with the number `only`; `found`: True if there is
 * one. */
static mt_status choose(
    planner *p, mt_arena *scratch, unsigned only, uint64_t bound, ipu_schedule *schedule, bool *found)
{
    uint64_t *best, least = schedule->cycles;
    MT_ALLOC(scratch, best, p->n_sends);
    for (order_of_sends order = 0; order < ORDERS; order++) {
        MT_SCRATCH(of_plan);
        uint64_t cycles;
        if (only != 0 ? only != number_of(p->how, order) : *found && is_short(p, least, bound)) continue;
        MT_TRY(plan(p, of_plan, order, least, &cycles));
        if (cycles >= least) continue;
        least = cycles;
        *found = true;
        schedule->plan = number_of(p->how, order);
        for (size_t i = 0; i < p->n_sends; i++) best[i] = p->sends[i].cycle;
    }
    for (size_t i = 0; i < p->n_sends; i++) p->sends[i].cycle = best[i];
    return MT_OK;
}

/* Replaces the schedule, which has a bound after the first call, by a shorter one with this sharing, if there is one. */
static mt_status improve(
    mt_arena *arena, const planner *empty, sharing how, unsigned only, ipu_schedule *schedule)
{
    MT_SCRATCH(scratch);
    planner p = *empty;
    bool found = false;
    ipu_schedule longer = {0}, *bounded = how == SHARED_BY_ALL ? schedule : &longer;
    p.how = how;
    if (how != SHARED_BY_ALL) MT_ALLOC(scratch, longer.tile_bound, p.target->tiles);
    MT_ALLOC(scratch, p.load, p.n_resources);
    MT_TRY(make_sends(&p, scratch));
    MT_TRY(make_room(&p, scratch));
    MT_TRY(make_bounds(&p, scratch, bounded));
    if (bounded->bound >= schedule->cycles) return MT_OK;
    MT_TRY(choose(&p, scratch, only, bounded->bound, schedule, &found));
    return found ? hand_over(&p, arena, scratch, schedule) : MT_OK;
}

mt_status ipu_routed_make(mt_arena *arena, const ipu_target *target, const ipu_fragment *fragments,
    size_t n_fragments, unsigned only, ipu_schedule *schedule)
{
    MT_SCRATCH(scratch);
    planner p = {.target = target, .fragments = fragments, .n = n_fragments};
    *schedule = (ipu_schedule){.n_arrivals = n_fragments, .cycles = UINT64_MAX};
    MT_ALLOC(arena, schedule->tile_cycles, target->tiles);
    MT_ALLOC(arena, schedule->tile_bound, target->tiles);
    MT_ALLOC(arena, schedule->arrivals, n_fragments);
    MT_TRY(ipu_fabric_make(scratch, target, &p.fabric));
    p.n_resources = p.fabric.n_links + 2 * target->tiles;
    p.n_planes = most_planes(&p);
    for (sharing how = 0; how < (target->fabric.multicast ? SHARINGS : 1); how++) {
        if (how > 0 && only == 0 && is_short(&p, schedule->cycles, schedule->bound)) break;
        if (how > 0 && only != 0 && (only - 1) / ORDERS != how) continue;
        MT_TRY(improve(arena, &p, how, only, schedule));
    }
    return MT_OK;
}

mt_status ipu_routed_loads(mt_arena *arena, const ipu_fabric *fabric, const ipu_fragment *fragments,
    const ipu_schedule *schedule, uint64_t **words)
{
    MT_SCRATCH(scratch);
    size_t *seen;
    MT_ALLOC(scratch, seen, fabric->n_links);
    MT_ALLOC(arena, *words, fabric->n_links);
    for (size_t i = 0; i < schedule->n_sends; i++) {
        const ipu_send *s = &schedule->sends[i];
        for (size_t k = schedule->first_stop[i]; k < schedule->first_stop[i + 1]; k++) {
            const uint32_t receiver = fragments[schedule->stop[k]].receiver;
            uint32_t link;
            for (ipu_path p = ipu_fabric_path(fabric, s->tile, receiver); ipu_path_next(&p, &link);) {
                if (seen[link] != i + 1) (*words)[link] += s->words;
                seen[link] = i + 1;
            }
        }
    }
    return MT_OK;
}
