#include "ipu/compile/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/disjoint.h"
#include "data/core/offsets.h"
#include "data/core/order.h"
#include "ipu/compile/routed.h"
#include "ipu/machine/integer.h"

enum {
    MOST_TRIED = 256, /* transfers of a tile, until the best so far is selected although its sender is busy */
    SLACK_SHARE = 16  /* a tile spends 1 / SLACK_SHARE of its slack on one wait */
};

/* A fragment, or two that are sent to a pair of tiles together. Its items have one word, or two if paired. */
typedef struct transfer {
    size_t from, to; /* items of the source */
    uint64_t latency;
    size_t fragment[2];
    uint32_t receiver[2];
    uint32_t source;
    uint32_t width; /* number of receivers, and words per item: 1, or 2 if paired */
} transfer;

/* A transfer in its receiver's list, with copies of the members used there, because transfers are far apart in memory. */
typedef struct wanted {
    size_t transfer;
    uint32_t source, items, latency;
    bool done;
} wanted;

/* A transfer in its group: [from, to) of the source's items. */
typedef struct member {
    size_t from, to, transfer;
    uint32_t width;
} member;

/* Items that leave together: item x leaves in cycle shift + x. As x is an address, shift may be negative. */
typedef struct run {
    int64_t shift;
    size_t from, to;
    size_t n; /* number of transfers, in `taken` */
} run;

/* Cycles [begin, end). */
typedef struct stretch {
    uint64_t begin, end;
} stretch;

/* The tiles that send or receive, and their partners if words can be paired, ascending. The planner numbers only these. */
typedef struct participants {
    size_t n;
    uint32_t *tile;    /* [n] tiles of the target */
    uint32_t *number;  /* [target->tiles] undefined for a tile that is not in `tile` */
    uint32_t *partner; /* [n] numbers */
} participants;

/* The state of list scheduling. A *group* is the set of transfers of one source and one width that are connected by overlaps,
 * so that they can leave together. Tiles are participants' numbers. */
typedef struct planner {
    const ipu_target *target;
    const ipu_fragment *fragments;
    const participants *with;
    size_t n, n_tiles;
    ipu_position *positions; /* [n_tiles] */
    transfer *transfers;
    size_t n_transfers, n_paired;
    member *members;      /* by (source, group); in a group the unsent ones come first */
    size_t *first_member; /* of each group */
    size_t *unsent;       /* [n_groups] number of unsent transfers */
    size_t *group;        /* [n_transfers] */
    size_t n_groups;
    bool *done;   /* [n_transfers] */
    wanted *todo; /* of each receiver: its transfers are todo[head] to todo[last - 1] */
    size_t *head, *last;
    size_t (*entry)[2]; /* [n_transfers] its indices in todo */
    /* of each receiver: the cycle in which it can receive the first item of the next transfer */
    uint64_t *ready;
    uint64_t *load;  /* of each receiver: cycles of its pending transfers */
    uint64_t *asked; /* of each sender: its items, counted once per transfer */
    uint64_t aim;    /* no tile waits beyond this cycle */
    size_t *receivers, *first_receiver, n_components; /* by component; a heap in each */
    /* the receivers of a component, the earliest ready one on top; their positions in the heap */
    size_t *heap, *heap_at, n_heap;
    ipu_send *sends; /* of tile t, in the order of planning: starting at first_send[t] */
    /* of tile t, likewise: cycles in which its output is busy, including its partner's paired runs; ascending and disjoint */
    stretch *busy;
    size_t *first_send, *n_sends, *n_busy;
    member *taken;    /* transfers of the current run */
    size_t *taken_at; /* of every tile of the run: its index in `taken` */
    ipu_arrival *arrivals;
} planner;

uint64_t ipu_schedule_begin(const ipu_target *target, size_t receiver)
{
    size_t row = 0, column = 0;
    ipu_target_place(target, receiver, &row, &column);
    return target->exchange_fixed_cycles + target->exchange_row_cycles * row;
}

bool ipu_fragment_may_pair(const ipu_target *target, const ipu_fragment *f)
{
    return target->exchange_paired && f->words >= IPU_PAIRED_LEAST &&
           (f->from | f->words | f->to) % IPU_PAIRED_WORDS == 0 &&
           ipu_target_partner(target, f->source) != f->source &&
           ipu_target_partner(target, f->receiver) != f->receiver &&
           ipu_target_chip(target, f->source) == ipu_target_chip(target, f->receiver);
}

/* ---- transfers ---- */

typedef struct mate {
    const ipu_fragment *f;
    size_t fragment;
} mate;

MT_ORDER(by_what_is_taken, mate, f->source, f->from, f->words, f->receiver, fragment)

/* Computes with[i], the fragment paired with fragment i, or i itself. */
static mt_status make_pairs(const planner *p, mt_arena *scratch, bool paired, size_t *with)
{
    mate *mates = NULL;
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) with[i] = i;
    if (!paired) return MT_OK;
    MT_ALLOC(scratch, mates, p->n);
    for (size_t i = 0; i < p->n; i++)
        if (ipu_fragment_may_pair(p->target, &p->fragments[i])) mates[n++] = (mate){&p->fragments[i], i};
    if (n > 1) qsort(mates, n, sizeof *mates, by_what_is_taken);
    for (size_t i = 0; i + 1 < n; i++) {
        const ipu_fragment *a = mates[i].f;
        const ipu_fragment *b = mates[i + 1].f;
        if (a->source != b->source || a->from != b->from || a->words != b->words ||
            b->receiver != ipu_target_partner(p->target, a->receiver) || a->receiver == b->receiver)
            continue;
        with[mates[i].fragment] = mates[i + 1].fragment;
        with[mates[i + 1].fragment] = mates[i].fragment;
        i++;
    }
    return MT_OK;
}

static uint64_t latency_between(const planner *p, uint32_t source, uint32_t receiver)
{
    return ipu_route_cycles(p->target, &p->positions[source], &p->positions[receiver]);
}

static mt_status make_transfers(planner *p, mt_arena *scratch, bool paired)
{
    size_t *with = NULL;
    MT_ALLOC(scratch, with, p->n);
    MT_ALLOC(scratch, p->transfers, p->n);
    MT_ALLOC(scratch, p->positions, p->n_tiles);
    MT_TRY(make_pairs(p, scratch, paired, with));
    for (size_t t = 0; t < p->n_tiles; t++) p->positions[t] = ipu_route_position(p->target, p->with->tile[t]);
    for (size_t i = 0; i < p->n; i++) {
        if (with[i] < i) continue;
        const ipu_fragment *f = &p->fragments[i];
        const uint32_t width = with[i] == i ? 1 : 2;
        const uint32_t source = p->with->number[f->source], receiver = p->with->number[f->receiver],
                       other = p->with->number[p->fragments[with[i]].receiver];
        p->transfers[p->n_transfers++] = (transfer){.from = f->from / width,
            .to = (f->from + f->words) / width,
            .latency = ipu_larger(latency_between(p, source, receiver), latency_between(p, source, other)),
            .fragment = {i, with[i]},
            .receiver = {receiver, other},
            .source = source,
            .width = width};
        p->n_paired += width - 1;
    }
    return MT_OK;
}

/* ---- groups, loads and bounds ---- */

MT_ORDER(by_window, member, width, from, to, transfer)

/* Computes a lower bound on the sending cycles of each source, every word once. A word that one tile receives singly and a pair
 * receives, too, need not leave twice. */
static void count_out(const planner *p, const size_t *first, uint64_t *cycles_out)
{
    for (size_t t = 0; t < p->n_tiles; t++) {
        uint64_t items[3] = {0};
        size_t end = 0;
        for (size_t i = first[t]; i < first[t + 1]; i++) {
            const member *m = &p->members[i];
            if (i == first[t] || m->width != m[-1].width || m->from >= end) end = m->from;
            if (m->to > end) items[m->width] += m->to - end;
            if (m->to > end) end = m->to;
        }
        const uint64_t in_pairs = 2 * items[2];
        cycles_out[t] = items[1] + (in_pairs > items[1] ? (in_pairs - items[1] + 1) / 2 : 0);
    }
}

/* Sorts the members by source and splits them into groups. */
static mt_status make_groups(planner *p, mt_arena *scratch, size_t *first)
{
    MT_ALLOC(scratch, p->members, p->n_transfers);
    MT_ALLOC(scratch, p->first_member, p->n_transfers + 1);
    MT_ALLOC(scratch, p->unsent, p->n_transfers);
    MT_ALLOC(scratch, p->group, p->n_transfers);
    size_t *at = NULL;
    MT_ALLOC(scratch, at, p->n_tiles);
    for (size_t i = 0; i < p->n_transfers; i++) first[p->transfers[i].source + 1]++;
    for (size_t t = 0; t < p->n_tiles; t++) first[t + 1] += at[t] = first[t];
    for (size_t i = 0; i < p->n_transfers; i++) {
        const transfer *f = &p->transfers[i];
        p->members[at[f->source]++] = (member){f->from, f->to, i, f->width};
    }
    for (size_t t = 0; t < p->n_tiles; t++) {
        if (first[t + 1] - first[t] > 1)
            qsort(p->members + first[t], first[t + 1] - first[t], sizeof *p->members, by_window);
        size_t end = 0;
        for (size_t i = first[t]; i < first[t + 1]; i++) {
            const member *m = &p->members[i];
            const bool opens = i == first[t] || m->width != m[-1].width || m->from >= end;
            if (opens) p->first_member[p->n_groups++] = i;
            if (opens || m->to > end) end = m->to;
            p->group[m->transfer] = p->n_groups - 1;
            p->unsent[p->n_groups - 1]++;
        }
    }
    return MT_OK;
}

/* Reserves space on every output, for the runs of the tile and the paired ones of its partner. */
static void place_sends(planner *p)
{
    for (size_t i = 0; i < p->n_transfers; i++) {
        const transfer *f = &p->transfers[i];
        p->first_send[f->source + 1]++;
        if (f->width > 1) p->first_send[p->with->partner[f->source] + 1]++;
    }
    for (size_t t = 0; t < p->n_tiles; t++) p->first_send[t + 1] += p->first_send[t];
}

static uint64_t turn(const planner *p, size_t items) { return ipu_target_turn(p->target, items); }

static void count_loads(planner *p)
{
    for (size_t i = 0; i < p->n_transfers; i++) {
        const transfer *f = &p->transfers[i];
        for (uint32_t r = 0; r < f->width; r++) p->load[f->receiver[r]] += turn(p, f->to - f->from);
        p->asked[f->source] += f->to - f->from;
    }
}

/* Returns the cycle, in the sender's count, in which an item must leave to arrive in `cycle` or as soon as possible after it. */
static uint64_t leaves_for(uint64_t latency, uint64_t cycle) { return cycle > latency ? cycle - latency : 0; }

/* Returns the cycle in which a tile can receive its very first item. */
static uint64_t first_there(const planner *p, size_t tile)
{
    return ipu_schedule_begin(p->target, p->with->tile[tile]) + p->target->exchange_fragment_cycles;
}

static mt_status make_bounds(
    planner *p, mt_arena *scratch, const uint64_t *cycles_out, ipu_schedule *schedule)
{
    /* of each sender: the first cycle in which a word can leave; its shortest latency */
    uint64_t *begin = NULL, *shortest = NULL;
    uint64_t *words_in = NULL; /* of each receiver: cycles of its words */
    uint64_t *spare = NULL;    /* of each receiver: the most cycles of a turn without words */
    MT_ALLOC(scratch, begin, p->n_tiles);
    MT_ALLOC(scratch, shortest, p->n_tiles);
    MT_ALLOC(scratch, words_in, p->n_tiles);
    MT_ALLOC(scratch, spare, p->n_tiles);
    for (size_t t = 0; t < p->n_tiles; t++) begin[t] = shortest[t] = UINT64_MAX;
    for (size_t i = 0; i < p->n_transfers; i++) {
        const transfer *f = &p->transfers[i];
        for (uint32_t r = 0; r < f->width; r++) {
            const size_t tile = f->receiver[r], items = f->to - f->from;
            words_in[tile] += items;
            spare[tile] = ipu_larger(spare[tile], turn(p, items) - items);
        }
        begin[f->source] =
            ipu_smaller(begin[f->source], leaves_for(f->latency, first_there(p, f->receiver[0])));
        for (uint32_t r = 0; r < f->width; r++)
            shortest[f->source] =
                ipu_smaller(shortest[f->source], latency_between(p, f->source, f->receiver[r]));
    }
    for (size_t t = 0; t < p->n_tiles; t++) {
        const uint64_t in = p->load[t] > 0 ? first_there(p, t) + p->load[t] - spare[t] : 0;
        const uint64_t out = cycles_out[t] > 0 ? begin[t] + cycles_out[t] : 0;
        schedule->tile_bound[p->with->tile[t]] = ipu_larger(in, out);
        const uint64_t all_out = out > 0 ? out + shortest[t] : 0;
        if (ipu_larger(in, all_out) <= schedule->bound) continue;
        schedule->bound = ipu_larger(in, all_out);
        schedule->bound_words = in >= all_out ? words_in[t] : cycles_out[t];
    }
    return MT_OK;
}

/* Returns the range of latencies: the maximum wait of tiles that receive the first words of a run together. */
static uint64_t spread_of_latencies(const planner *p)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < p->n_transfers; i++) {
        least = ipu_smaller(least, p->transfers[i].latency);
        most = ipu_larger(most, p->transfers[i].latency);
    }
    return most - ipu_smaller(least, most);
}

/* ---- receivers in the order in which they become ready ---- */

static bool before(const planner *p, size_t a, size_t b)
{
    if (p->ready[a] != p->ready[b]) return p->ready[a] < p->ready[b];
    if (p->load[a] != p->load[b]) return p->load[a] > p->load[b];
    return a < b;
}

/* Sifts a receiver down the heap after its time has increased. */
static void sink(planner *p, size_t i)
{
    const size_t tile = p->heap[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= p->n_heap) break;
        if (child + 1 < p->n_heap && before(p, p->heap[child + 1], p->heap[child])) child++;
        if (!before(p, p->heap[child], tile)) break;
        p->heap[i] = p->heap[child];
        p->heap_at[p->heap[i]] = i;
        i = child;
    }
    p->heap[i] = tile;
    p->heap_at[tile] = i;
}

/* A transfer in the list of its receiver: `turn` is the sender's place in this list less the receiver's place among those of the
 * sender, as a remainder by the length of the list. So tiles that exchange with the same tiles begin with different ones. */
typedef struct candidate {
    uint64_t asked;
    size_t source, turn, transfer;
} candidate;

MT_ORDER(by_source, candidate, source, transfer)
MT_ORDER_DOWN(by_sender_load, candidate, asked, turn, transfer)

/* Sorts a receiver's transfers: the busiest senders first, equal ones in turn. served[s]: earlier receivers' transfers from sender s. */
static void sort_candidates(candidate *c, size_t n, size_t *served)
{
    if (n < 2) return;
    qsort(c, n, sizeof *c, by_source);
    for (size_t i = 0; i < n; i++) c[i].turn = (i + n - served[c[i].source]++ % n) % n;
    qsort(c, n, sizeof *c, by_sender_load);
}

/* Lists each receiver's transfers. */
static mt_status make_receivers(planner *p, mt_arena *scratch)
{
    candidate *candidates = NULL;
    size_t *served = NULL;
    MT_ALLOC(scratch, candidates, p->n);
    MT_ALLOC(scratch, served, p->n_tiles);
    MT_ALLOC(scratch, p->todo, p->n);
    MT_ALLOC(scratch, p->entry, p->n_transfers);
    MT_ALLOC(scratch, p->head, p->n_tiles + 1);
    MT_ALLOC(scratch, p->last, p->n_tiles);
    MT_ALLOC(scratch, p->ready, p->n_tiles);
    for (size_t i = 0; i < p->n; i++) p->head[p->with->number[p->fragments[i].receiver] + 1]++;
    for (size_t t = 0; t < p->n_tiles; t++) p->head[t + 1] += p->last[t] = p->head[t];
    for (size_t i = 0; i < p->n_transfers; i++) {
        const transfer *f = &p->transfers[i];
        for (uint32_t r = 0; r < f->width; r++)
            candidates[p->last[f->receiver[r]]++] =
                (candidate){.asked = p->asked[f->source], .source = f->source, .transfer = i};
    }
    for (size_t t = 0; t < p->n_tiles; t++) {
        sort_candidates(candidates + p->head[t], p->last[t] - p->head[t], served);
        p->ready[t] = p->last[t] > p->head[t] ? first_there(p, t) : UINT64_MAX;
    }
    for (size_t t = 0; t < p->n_tiles; t++)
        for (size_t i = p->head[t]; i < p->last[t]; i++) {
            const size_t k = candidates[i].transfer;
            const transfer *f = &p->transfers[k];
            p->todo[i] = (wanted){k, f->source, (uint32_t)(f->to - f->from), (uint32_t)f->latency, false};
            p->entry[k][f->receiver[0] == t ? 0 : 1] = i;
        }
    return MT_OK;
}

/* ---- components ---- */

/* Numbers the connected components: component[tile], of tiles connected by transfers and by paired outputs. */
static mt_status find_components(planner *p, mt_arena *scratch, uint32_t *component)
{
    uint32_t *parent = NULL;
    MT_ALLOC(scratch, parent, p->n_tiles);
    mt_disjoint_begin(parent, p->n_tiles);
    for (size_t i = 0; i < p->n_transfers; i++) {
        const transfer *f = &p->transfers[i];
        const uint32_t source = mt_disjoint_root(parent, f->source);
        parent[mt_disjoint_root(parent, f->receiver[0])] = source;
        parent[mt_disjoint_root(parent, f->receiver[1])] = source;
        if (f->width > 1) parent[mt_disjoint_root(parent, p->with->partner[f->source])] = source;
    }
    for (uint32_t t = 0; t < p->n_tiles; t++)
        if (parent[t] == t) component[t] = (uint32_t)p->n_components++;
    for (uint32_t t = 0; t < p->n_tiles; t++) component[t] = component[mt_disjoint_root(parent, t)];
    return MT_OK;
}

/* Sorts the receiving tiles by component. A run of one component never delays another one, so each is planned separately, in a
 * small heap. */
static mt_status split_receivers(planner *p, mt_arena *scratch)
{
    uint32_t *component = NULL;
    size_t *next = NULL;
    MT_ALLOC(scratch, component, p->n_tiles);
    MT_TRY(find_components(p, scratch, component));
    MT_ALLOC(scratch, p->receivers, p->n_tiles);
    MT_ALLOC(scratch, p->heap_at, p->n_tiles);
    MT_ALLOC(scratch, p->first_receiver, p->n_components + 1);
    MT_ALLOC(scratch, next, p->n_components);
    for (size_t t = 0; t < p->n_tiles; t++)
        if (p->ready[t] != UINT64_MAX) p->first_receiver[component[t] + 1]++;
    for (size_t k = 0; k < p->n_components; k++) p->first_receiver[k + 1] += next[k] = p->first_receiver[k];
    for (size_t t = 0; t < p->n_tiles; t++)
        if (p->ready[t] != UINT64_MAX) p->receivers[next[component[t]]++] = t;
    return MT_OK;
}

static void make_heap(planner *p, size_t component)
{
    const size_t first = p->first_receiver[component];
    p->heap = p->receivers + first;
    p->n_heap = p->first_receiver[component + 1] - first;
    for (size_t i = p->n_heap; i-- > 0;) sink(p, i);
}

/* ---- senders ---- */

static uint64_t cycles_of(const ipu_send *s) { return s->paired ? s->words / IPU_PAIRED_WORDS : s->words; }

/* Returns the first busy stretch of a tile's output that ends at `cycle` or after it; n_busy if there is none. */
static size_t first_after(const planner *p, size_t tile, uint64_t cycle)
{
    const stretch *busy = p->busy + p->first_send[tile];
    size_t low = 0;
    size_t high = p->n_busy[tile];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (busy[middle].end >= cycle)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Returns the first cycle, at or after `cycle`, in which a tile's output is free for `items` items. */
static uint64_t free_alone(const planner *p, size_t tile, uint64_t cycle, size_t items)
{
    const stretch *busy = p->busy + p->first_send[tile];
    for (size_t i = first_after(p, tile, cycle); i < p->n_busy[tile]; i++) {
        if (busy[i].begin >= cycle + items) break;
        cycle = busy[i].end;
    }
    return cycle;
}

/* The same for items of this width, which may need the partner's output, too. */
static uint64_t free_from(const planner *p, size_t tile, uint32_t width, uint64_t cycle, size_t items)
{
    const size_t partner = width > 1 ? p->with->partner[tile] : tile;
    for (;;) {
        cycle = free_alone(p, tile, cycle, items);
        if (partner == tile) return cycle;
        const uint64_t both = free_alone(p, partner, cycle, items);
        if (both == cycle) return cycle;
        cycle = both;
    }
}

/* Marks a tile's output, free until now, as busy in [begin, end). */
static void occupy(planner *p, size_t tile, uint64_t begin, uint64_t end)
{
    stretch *busy = p->busy + p->first_send[tile];
    size_t *n = &p->n_busy[tile];
    const size_t at = first_after(p, tile, begin);
    const bool joins_one = at < *n && busy[at].end == begin;
    const size_t next = joins_one ? at + 1 : at;
    const bool joins_next = next < *n && busy[next].begin == end;
    if (joins_one && joins_next) {
        busy[at].end = busy[next].end;
        memmove(busy + next, busy + next + 1, (*n - next - 1) * sizeof *busy);
        (*n)--;
    } else if (joins_one) {
        busy[at].end = end;
    } else if (joins_next) {
        busy[next].begin = begin;
    } else {
        memmove(busy + at + 1, busy + at, (*n - at) * sizeof *busy);
        busy[at] = (stretch){begin, end};
        (*n)++;
    }
}

/* ---- the next run ---- */

/* Returns the cycle in which a transfer can leave its sender so that all its receivers are ready for it. */
static uint64_t may_leave(const planner *p, const wanted *w, size_t tile)
{
    uint64_t ready = p->ready[tile];
    uint32_t width = 1;
    if (p->n_paired > 0) {
        const transfer *f = &p->transfers[w->transfer];
        ready = ipu_larger(p->ready[f->receiver[0]], p->ready[f->receiver[1]]);
        width = f->width;
    }
    return free_from(p, w->source, width, leaves_for(w->latency, ready), w->items);
}

/* Returns the next transfer of `tile`, and the cycle in which it begins to leave. */
static size_t choose(planner *p, size_t tile, uint64_t *cycle)
{
    size_t best = SIZE_MAX;
    uint64_t soonest = UINT64_MAX;
    while (p->todo[p->head[tile]].done) p->head[tile]++;
    for (size_t i = p->head[tile], tried = 0; i < p->last[tile] && tried < MOST_TRIED; i++, tried++) {
        const wanted *w = &p->todo[i];
        if (w->done) continue;
        const uint64_t from = may_leave(p, w, tile), there = from + w->latency;
        if (there >= soonest) continue;
        soonest = there;
        *cycle = from;
        best = w->transfer;
        if (there == p->ready[tile]) break;
    }
    return best;
}

/* True if this is the last pending transfer of a receiver. */
static bool is_last(const planner *p, const member *m, size_t tile)
{
    return p->load[tile] == turn(p, m->to - m->from);
}

/* Returns the cycles that a transfer's receiver can wait for others without exceeding the aim. A tile with more to receive
 * reserves most of its slack for senders that will be busy. */
static int64_t patience(const planner *p, const member *m, size_t tile)
{
    const size_t items = m->to - m->from;
    const bool last = is_last(p, m, tile);
    const uint64_t end = p->ready[tile] + (last ? items : p->load[tile]);
    const uint64_t slack = end < p->aim ? p->aim - end : 0;
    return (int64_t)(last ? slack : slack / SLACK_SHARE);
}

/* Computes the range of shifts with which all receivers can receive a transfer without loss. */
static void shifts(const planner *p, const member *m, int64_t *least, int64_t *most)
{
    const transfer *f = &p->transfers[m->transfer];
    const int64_t from = (int64_t)m->from;
    *least = -from; /* no item leaves before cycle 0 */
    *most = INT64_MAX;
    for (uint32_t r = 0; r < f->width; r++) {
        const int64_t ready = (int64_t)p->ready[f->receiver[r]] - (int64_t)f->latency - from;
        const int64_t limit = ready + patience(p, m, f->receiver[r]);
        if (ready > *least) *least = ready;
        if (limit < *most) *most = limit;
    }
}

/* True if a transfer is the last of its receivers and cannot be sent before the run, so that otherwise it would wait for the
 * end of the run. */
static bool has_no_better(const planner *p, const run *r, const member *m, int64_t least)
{
    const transfer *f = &p->transfers[m->transfer];
    if (least + (int64_t)m->to <= r->shift + (int64_t)r->from) return false;
    for (uint32_t k = 0; k < f->width; k++)
        if (!is_last(p, m, f->receiver[k])) return false;
    return true;
}

static void take(planner *p, run *r, const member *m)
{
    const transfer *f = &p->transfers[m->transfer];
    r->from = r->n == 0 || m->from < r->from ? m->from : r->from;
    r->to = r->n == 0 || m->to > r->to ? m->to : r->to;
    p->taken_at[f->receiver[0]] = p->taken_at[f->receiver[1]] = r->n;
    p->taken[r->n++] = *m;
}

static bool takes_part(const planner *p, const run *r, size_t tile)
{
    size_t at = p->taken_at[tile];
    if (at >= r->n) return false;
    const transfer *f = &p->transfers[p->taken[at].transfer];
    return f->receiver[0] == tile || f->receiver[1] == tile;
}

/* Builds a run for `first`, which can leave in `cycle`, and for all transfers of its group that can wait for each other. */
static run gather(planner *p, const member *first, uint64_t cycle)
{
    const transfer *f = &p->transfers[first->transfer];
    const size_t group = p->group[first->transfer];
    const member *members = p->members + p->first_member[group];
    int64_t least = 0, most = 0;
    run alone = {.shift = (int64_t)cycle - (int64_t)first->from};
    take(p, &alone, first);
    run r = alone;
    int64_t latest = INT64_MAX;
    for (uint32_t k = 0; k < f->width; k++) {
        const int64_t limit = r.shift + patience(p, first, f->receiver[k]);
        if (limit < latest) latest = limit;
    }
    for (size_t i = 0; i < p->unsent[group]; i++) {
        if (members[i].from >= r.to || members[i].to <= r.from) continue;
        if (takes_part(p, &r, p->transfers[members[i].transfer].receiver[0])) continue;
        shifts(p, &members[i], &least, &most);
        if (most < r.shift && has_no_better(p, &r, &members[i], least)) most = r.shift;
        const int64_t shift = least > r.shift ? least : r.shift;
        if (most > latest) most = latest;
        if (shift > most) continue;
        take(p, &r, &members[i]);
        r.shift = shift;
        latest = most;
    }
    const uint64_t start = (uint64_t)(r.shift + (int64_t)r.from);
    const int64_t wait = (int64_t)(free_from(p, f->source, f->width, start, r.to - r.from) - start);
    if (latest < r.shift + wait) return alone;
    r.shift += wait;
    return r;
}

static void arrive(planner *p, const member *m, uint64_t there)
{
    const transfer *f = &p->transfers[m->transfer];
    const uint64_t cycles = turn(p, m->to - m->from);
    p->done[m->transfer] = true;
    for (uint32_t r = 0; r < f->width; r++) {
        const uint32_t tile = f->receiver[r];
        p->todo[p->entry[m->transfer][r]].done = true;
        p->arrivals[f->fragment[r]] = (ipu_arrival){f->fragment[r], there, f->width > 1};
        p->load[tile] -= cycles;
        p->ready[tile] = p->load[tile] > 0 ? there + cycles : UINT64_MAX;
        sink(p, p->heap_at[tile]);
    }
}

static void commit(planner *p, const run *r)
{
    const transfer *first = &p->transfers[p->taken[0].transfer];
    const uint32_t width = first->width;
    for (size_t i = 0; i < r->n; i++) {
        const member *m = &p->taken[i];
        arrive(p, m, (uint64_t)(r->shift + (int64_t)m->from) + p->transfers[m->transfer].latency);
    }
    const ipu_send send = {p->with->tile[first->source], r->from * width, (r->to - r->from) * width,
        (uint64_t)(r->shift + (int64_t)r->from), width > 1};
    p->sends[p->first_send[first->source] + p->n_sends[first->source]++] = send;
    occupy(p, first->source, send.cycle, send.cycle + cycles_of(&send));
    if (width > 1) occupy(p, p->with->partner[first->source], send.cycle, send.cycle + cycles_of(&send));
    const size_t group = p->group[p->taken[0].transfer];
    member *members = p->members + p->first_member[group];
    size_t left = 0;
    for (size_t i = 0; i < p->unsent[group]; i++)
        if (!p->done[members[i].transfer]) members[left++] = members[i];
    p->unsent[group] = left;
}

static void list_component(planner *p, size_t component)
{
    make_heap(p, component);
    while (p->n_heap > 0 && p->ready[p->heap[0]] != UINT64_MAX) {
        uint64_t cycle = 0;
        const size_t chosen = choose(p, p->heap[0], &cycle);
        const transfer *f = &p->transfers[chosen];
        const member first = {f->from, f->to, chosen, f->width};
        const run r = gather(p, &first, cycle);
        commit(p, &r);
    }
}

static mt_status list(planner *p, mt_arena *scratch)
{
    MT_ALLOC(scratch, p->done, p->n_transfers);
    MT_ALLOC(scratch, p->sends, p->first_send[p->n_tiles]);
    MT_ALLOC(scratch, p->n_sends, p->n_tiles);
    MT_ALLOC(scratch, p->busy, p->first_send[p->n_tiles]);
    MT_ALLOC(scratch, p->n_busy, p->n_tiles);
    MT_ALLOC(scratch, p->taken, p->n_tiles);
    MT_ALLOC(scratch, p->taken_at, p->n_tiles);
    for (size_t k = 0; k < p->n_components; k++) list_component(p, k);
    return MT_OK;
}

/* ---- entry point ---- */

/* Without ties: no two leave a tile in one cycle. */
MT_ORDER(by_cycle, ipu_send, cycle)

static mt_status hand_over(const planner *p, mt_arena *arena, ipu_schedule *schedule)
{
    size_t n = 0;
    for (size_t t = 0; t < p->n_tiles; t++) n += p->n_sends[t];
    MT_ALLOC(arena, schedule->sends, n);
    for (size_t t = 0; t < p->n_tiles; t++) {
        if (p->n_sends[t] > 1) qsort(p->sends + p->first_send[t], p->n_sends[t], sizeof *p->sends, by_cycle);
        for (size_t i = p->first_send[t]; i < p->first_send[t] + p->n_sends[t]; i++) {
            const ipu_send *s = &p->sends[i];
            schedule->sends[schedule->n_sends++] = *s;
            schedule->words_sent += s->words;
            schedule->tile_cycles[s->tile] = s->cycle + cycles_of(s);
        }
    }
    for (size_t i = 0; i < p->n_transfers; i++) {
        const transfer *f = &p->transfers[i];
        for (uint32_t r = 0; r < f->width; r++) {
            uint64_t *end = &schedule->tile_cycles[p->with->tile[f->receiver[r]]];
            *end = ipu_larger(*end, p->arrivals[f->fragment[r]].cycle + f->to - f->from);
        }
    }
    for (size_t t = 0; t < p->n_tiles; t++)
        schedule->cycles = ipu_larger(schedule->cycles, schedule->tile_cycles[p->with->tile[t]]);
    return MT_OK;
}

/* A variant of planning. `paired`: with pairs if allowed; `patient`: waits can exceed the bound by the range of latencies. */
typedef struct manner {
    bool paired, patient;
} manner;

static mt_status plan(planner *p, mt_arena *arena, mt_arena *scratch, manner how, ipu_schedule *schedule)
{
    uint64_t *cycles_out = NULL;
    size_t *first = NULL;
    *schedule = (ipu_schedule){.n_arrivals = p->n};
    MT_ALLOC(arena, schedule->tile_cycles, p->target->tiles);
    MT_ALLOC(arena, schedule->tile_bound, p->target->tiles);
    MT_ALLOC(arena, schedule->arrivals, p->n);
    MT_ALLOC(scratch, cycles_out, p->n_tiles);
    MT_ALLOC(scratch, first, p->n_tiles + 1);
    MT_ALLOC(scratch, p->first_send, p->n_tiles + 1);
    MT_ALLOC(scratch, p->load, p->n_tiles);
    MT_ALLOC(scratch, p->asked, p->n_tiles);
    p->arrivals = schedule->arrivals;
    MT_TRY(make_transfers(p, scratch, how.paired));
    MT_TRY(make_groups(p, scratch, first));
    count_out(p, first, cycles_out);
    place_sends(p);
    count_loads(p);
    MT_TRY(make_bounds(p, scratch, cycles_out, schedule));
    p->aim = schedule->bound + (how.patient ? spread_of_latencies(p) : 0);
    MT_TRY(make_receivers(p, scratch));
    MT_TRY(split_receivers(p, scratch));
    MT_TRY(list(p, scratch));
    return hand_over(p, arena, schedule);
}

/* Keeps the shorter schedule, with the bounds of the first plan, which hold for every schedule, paired or not. */
static void keep_shorter(ipu_schedule *schedule, ipu_schedule next)
{
    if (schedule->cycles <= next.cycles) return;
    next.tile_bound = schedule->tile_bound;
    next.bound = schedule->bound;
    next.bound_words = schedule->bound_words;
    *schedule = next;
}

/* Computes the shortest of all plans; stops at one that reaches the bound. */
static mt_status make(mt_arena *arena, const planner *empty, ipu_schedule *schedule)
{
    static const manner manners[] = {{true, false}, {true, true}, {false, false}, {false, true}};
    enum { UNPAIRED = 2, ALL = 4 };
    const size_t first = empty->target->exchange_paired ? 0 : UNPAIRED;
    for (size_t k = first; k < ALL; k++) {
        planner p = *empty;
        MT_SCRATCH(scratch);
        ipu_schedule next;
        MT_TRY(plan(&p, arena, scratch, manners[k], &next));
        if (k == first)
            *schedule = next;
        else
            keep_shorter(schedule, next);
        if (schedule->cycles == schedule->bound) return MT_OK;
        if (k < UNPAIRED && p.n_paired == 0)
            k += UNPAIRED; /* no pairs were found: the plans without pairs would be the same */
    }
    return MT_OK;
}

/* Numbers the participating tiles. */
static mt_status find_participants(mt_arena *scratch, const ipu_target *target, const ipu_fragment *fragments,
    size_t n_fragments, participants *with)
{
    MT_ALLOC(scratch, with->number, target->tiles);
    for (size_t i = 0; i < n_fragments; i++) {
        const ipu_fragment *f = &fragments[i];
        with->number[f->source] = with->number[f->receiver] = 1;
        if (target->exchange_paired) with->number[ipu_target_partner(target, f->source)] = 1;
    }
    for (size_t t = 0; t < target->tiles; t++) with->n += with->number[t];
    MT_ALLOC(scratch, with->tile, with->n);
    MT_ALLOC(scratch, with->partner, with->n);
    uint32_t n = 0;
    for (uint32_t t = 0; t < target->tiles; t++) {
        if (with->number[t] == 0) continue;
        with->tile[n] = t;
        with->number[t] = n++;
    }
    for (size_t k = 0; k < with->n; k++)
        with->partner[k] = with->number[ipu_target_partner(target, with->tile[k])];
    return MT_OK;
}

mt_status ipu_schedule_make(mt_arena *arena, const ipu_target *target, const ipu_fragment *fragments,
    size_t n_fragments, ipu_schedule *schedule)
{
    return ipu_schedule_make_by(arena, target, fragments, n_fragments, 0, schedule);
}

mt_status ipu_schedule_make_by(mt_arena *arena, const ipu_target *target, const ipu_fragment *fragments,
    size_t n_fragments, unsigned plan, ipu_schedule *schedule)
{
    if (target->fabric.kind != IPU_CROSSBAR)
        return ipu_routed_make(arena, target, fragments, n_fragments, plan, schedule);
    MT_SCRATCH(scratch);
    participants with = {0};
    MT_TRY(find_participants(scratch, target, fragments, n_fragments, &with));
    const planner p = {
        .target = target, .fragments = fragments, .with = &with, .n = n_fragments, .n_tiles = with.n};
    return make(arena, &p, schedule);
}
