#include "ipu/schedule.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_TRIED = 64, /* fragments of a tile, before the best of them is taken although its sender is busy */
    SLACK_SHARE = 16 /* of the cycles that a tile could be idle it spends one in so many on one wait */
};

/* A fragment in its group: [from, to) of the source's words. */
typedef struct member {
    size_t from, to, fragment;
} member;

/* Words that leave together: word x leaves in cycle shift + x, which may be any number as addresses are. */
typedef struct run {
    int64_t shift;
    size_t from, to;
    size_t n; /* fragments, in `taken` */
} run;

/* A *group* holds the fragments of one source whose windows overlap, one after the other: what can leave together. */
typedef struct planner {
    const ipu_target *target;
    const ipu_fragment *fragments;
    size_t n, n_tiles;
    member *members;      /* by (source, group); in a group those still to be sent come first */
    size_t *first_member; /* of each group */
    size_t *live;         /* of each group: fragments still to be sent */
    size_t *group;        /* of each fragment */
    size_t n_groups;
    bool *done;                 /* of each fragment */
    size_t *todo, *head, *last; /* of each receiver: its fragments are todo[head] to todo[last - 1] */
    uint64_t *ready;            /* of each receiver: when the next fragment's first word may leave for it */
    uint64_t *load;             /* of each receiver: cycles of what it still has to take */
    uint64_t *asked;            /* of each sender: its words, counted for every receiver */
    uint64_t bound;
    size_t *heap, *heap_at; /* receivers, first ready first; where each of them is */
    ipu_send *sends;        /* of sender t, by cycle: from first_send[t] on, n_sends[t] */
    size_t *first_send, *n_sends;
    member *taken;    /* of the run at hand */
    size_t *taken_at; /* its number, for every tile that takes part */
    ipu_arrival *arrivals;
} planner;

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

uint64_t ipu_exchange_latency(const ipu_target *target, uint32_t receiver)
{
    return target->exchange_row_cycles * ipu_target_row(target, receiver);
}

/* ---- loads and bounds ---- */

static int by_window(const void *left, const void *right)
{
    const member *a = left;
    const member *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return a->fragment < b->fragment ? -1 : a->fragment > b->fragment;
}

/* Members by source, groups, and the words that each source must send at least once. */
static mt_status make_groups(planner *p, mt_arena *scratch, size_t *first, uint64_t *words_out)
{
    MT_TAKE(scratch, p->members, p->n);
    MT_TAKE(scratch, p->first_member, p->n + 1);
    MT_TAKE(scratch, p->live, p->n);
    MT_TAKE(scratch, p->group, p->n);
    size_t *at = NULL;
    MT_TAKE(scratch, at, p->n_tiles);
    for (size_t i = 0; i < p->n; i++) first[p->fragments[i].source + 1]++;
    for (size_t t = 0; t < p->n_tiles; t++) first[t + 1] += at[t] = first[t];
    for (size_t i = 0; i < p->n; i++) {
        const ipu_fragment *f = &p->fragments[i];
        p->members[at[f->source]++] = (member){f->from, f->from + f->words, i};
    }
    for (size_t t = 0; t < p->n_tiles; t++) {
        if (first[t + 1] - first[t] > 1)
            qsort(p->members + first[t], first[t + 1] - first[t], sizeof *p->members, by_window);
        size_t end = 0;
        for (size_t i = first[t]; i < first[t + 1]; i++) {
            const member *m = &p->members[i];
            const bool opens = i == first[t] || m->from >= end;
            if (opens) p->first_member[p->n_groups++] = i;
            if (opens) end = m->from;
            if (m->to > end) words_out[t] += m->to - end;
            if (m->to > end) end = m->to;
            p->group[m->fragment] = p->n_groups - 1;
            p->live[p->n_groups - 1]++;
        }
    }
    return MT_OK;
}

static void count_loads(planner *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const ipu_fragment *f = &p->fragments[i];
        p->load[f->receiver] += f->words + p->target->exchange_fragment_cycles;
        p->asked[f->source] += f->words;
    }
}

static void make_bounds(planner *p, const uint64_t *words_out, ipu_schedule *schedule)
{
    const uint64_t fixed = p->target->exchange_fixed_cycles;
    for (size_t t = 0; t < p->n_tiles; t++) {
        uint64_t in = p->load[t] > 0 ? fixed + ipu_exchange_latency(p->target, (uint32_t)t) + p->load[t] : 0;
        uint64_t out = words_out[t] > 0 ? fixed + p->target->exchange_fragment_cycles + words_out[t] : 0;
        schedule->tile_bound[t] = larger(in, out);
        schedule->bound = larger(schedule->bound, schedule->tile_bound[t]);
    }
    p->bound = schedule->bound;
}

/* ---- receivers in the order in which they are ready ---- */

static bool before(const planner *p, size_t a, size_t b)
{
    if (p->ready[a] != p->ready[b]) return p->ready[a] < p->ready[b];
    if (p->load[a] != p->load[b]) return p->load[a] > p->load[b];
    return a < b;
}

/* A receiver's time has grown: it goes down to its place. */
static void sink(planner *p, size_t i)
{
    const size_t tile = p->heap[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= p->n_tiles) break;
        if (child + 1 < p->n_tiles && before(p, p->heap[child + 1], p->heap[child])) child++;
        if (!before(p, p->heap[child], tile)) break;
        p->heap[i] = p->heap[child];
        p->heap_at[p->heap[i]] = i;
        i = child;
    }
    p->heap[i] = tile;
    p->heap_at[tile] = i;
}

typedef struct candidate {
    uint64_t asked;
    size_t fragment;
} candidate;

static int by_sender_load(const void *left, const void *right)
{
    const candidate *a = left;
    const candidate *b = right;
    if (a->asked != b->asked) return a->asked > b->asked ? -1 : 1;
    return a->fragment < b->fragment ? -1 : a->fragment > b->fragment;
}

/* Each receiver's fragments, those of the busiest senders first. */
static mt_status make_receivers(planner *p, mt_arena *scratch)
{
    candidate *candidates = NULL;
    MT_TAKE(scratch, candidates, p->n);
    MT_TAKE(scratch, p->todo, p->n);
    MT_TAKE(scratch, p->head, p->n_tiles + 1);
    MT_TAKE(scratch, p->last, p->n_tiles);
    MT_TAKE(scratch, p->ready, p->n_tiles);
    MT_TAKE(scratch, p->heap, p->n_tiles);
    MT_TAKE(scratch, p->heap_at, p->n_tiles);
    for (size_t i = 0; i < p->n; i++) p->head[p->fragments[i].receiver + 1]++;
    for (size_t t = 0; t < p->n_tiles; t++) p->head[t + 1] += p->last[t] = p->head[t];
    for (size_t i = 0; i < p->n; i++) {
        const ipu_fragment *f = &p->fragments[i];
        candidates[p->last[f->receiver]++] = (candidate){p->asked[f->source], i};
    }
    const uint64_t first = p->target->exchange_fixed_cycles + p->target->exchange_fragment_cycles;
    for (size_t t = 0; t < p->n_tiles; t++) {
        size_t n = p->last[t] - p->head[t];
        if (n > 1) qsort(candidates + p->head[t], n, sizeof *candidates, by_sender_load);
        p->ready[t] = n > 0 ? first : UINT64_MAX;
        p->heap[t] = t;
    }
    for (size_t i = 0; i < p->n; i++) p->todo[i] = candidates[i].fragment;
    for (size_t t = p->n_tiles; t-- > 0;) sink(p, t);
    return MT_OK;
}

/* ---- senders ---- */

/* The sender's first run that ends after `cycle`; n_sends where there is none. */
static size_t first_after(const planner *p, size_t tile, uint64_t cycle)
{
    const ipu_send *sends = p->sends + p->first_send[tile];
    size_t low = 0;
    size_t high = p->n_sends[tile];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sends[middle].cycle + sends[middle].words > cycle)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The first cycle from `cycle` on in which the sender can begin with so many words. */
static uint64_t free_from(const planner *p, size_t tile, uint64_t cycle, size_t words)
{
    const ipu_send *sends = p->sends + p->first_send[tile];
    for (size_t i = first_after(p, tile, cycle); i < p->n_sends[tile]; i++) {
        if (sends[i].cycle >= cycle + words) break;
        cycle = sends[i].cycle + sends[i].words;
    }
    return cycle;
}

static void add_send(planner *p, ipu_send send)
{
    ipu_send *sends = p->sends + p->first_send[send.tile];
    size_t at = first_after(p, send.tile, send.cycle);
    memmove(sends + at + 1, sends + at, (p->n_sends[send.tile] - at) * sizeof *sends);
    sends[at] = send;
    p->n_sends[send.tile]++;
}

/* ---- the next run ---- */

/* What `tile` takes next, and from when its sender can send it. */
static size_t choose(planner *p, size_t tile, uint64_t *cycle)
{
    size_t best = SIZE_MAX;
    *cycle = UINT64_MAX;
    while (p->done[p->todo[p->head[tile]]]) p->head[tile]++;
    for (size_t i = p->head[tile], tried = 0; i < p->last[tile] && tried < MOST_TRIED; i++, tried++) {
        const ipu_fragment *f = &p->fragments[p->todo[i]];
        if (p->done[p->todo[i]]) continue;
        uint64_t from = free_from(p, f->source, p->ready[tile], f->words);
        if (from >= *cycle) continue;
        *cycle = from;
        best = p->todo[i];
        if (from == p->ready[tile]) break;
    }
    return best;
}

/* How long a fragment's receiver waits for others: never so long that it would exceed the bound. Who has more to take
 * keeps most of its time for senders that will be busy. */
static int64_t patience(const planner *p, const member *m)
{
    const size_t tile = p->fragments[m->fragment].receiver;
    const size_t setup = p->target->exchange_fragment_cycles;
    const uint64_t end =
        p->ready[tile] - setup + p->load[tile] + ipu_exchange_latency(p->target, (uint32_t)tile);
    const uint64_t slack = end < p->bound ? p->bound - end : 0;
    const bool last = p->load[tile] == m->to - m->from + setup;
    return (int64_t)(last ? slack : slack / SLACK_SHARE);
}

static void take(planner *p, run *r, const member *m)
{
    r->from = r->n == 0 || m->from < r->from ? m->from : r->from;
    r->to = r->n == 0 || m->to > r->to ? m->to : r->to;
    p->taken_at[p->fragments[m->fragment].receiver] = r->n;
    p->taken[r->n++] = *m;
}

static bool takes_part(const planner *p, const run *r, size_t tile)
{
    size_t at = p->taken_at[tile];
    return at < r->n && p->fragments[p->taken[at].fragment].receiver == tile;
}

/* A run for `first`, which can leave in `cycle`, and for all of its group that can wait for one another. */
static run gather(planner *p, const member *first, uint64_t cycle)
{
    const ipu_fragment *f = &p->fragments[first->fragment];
    const size_t group = p->group[first->fragment];
    const member *members = p->members + p->first_member[group];
    run alone = {.shift = (int64_t)cycle - (int64_t)first->from};
    take(p, &alone, first);
    run r = alone;
    int64_t latest = r.shift + patience(p, first);
    for (size_t i = 0; i < p->live[group]; i++) {
        const size_t tile = p->fragments[members[i].fragment].receiver;
        if (members[i].from >= r.to || members[i].to <= r.from || takes_part(p, &r, tile)) continue;
        int64_t key = (int64_t)p->ready[tile] - (int64_t)members[i].from;
        int64_t limit = key + patience(p, &members[i]);
        int64_t shift = key > r.shift ? key : r.shift;
        if (limit > latest) limit = latest;
        if (shift > limit) continue;
        take(p, &r, &members[i]);
        r.shift = shift;
        latest = limit;
    }
    const uint64_t start = (uint64_t)(r.shift + (int64_t)r.from);
    const int64_t wait = (int64_t)(free_from(p, f->source, start, r.to - r.from) - start);
    if (latest < r.shift + wait) return alone;
    r.shift += wait;
    return r;
}

static void commit(planner *p, const run *r, uint32_t source)
{
    const size_t setup = p->target->exchange_fragment_cycles;
    for (size_t i = 0; i < r->n; i++) {
        const member *m = &p->taken[i];
        const uint32_t tile = p->fragments[m->fragment].receiver;
        const size_t words = m->to - m->from;
        const uint64_t leaves = (uint64_t)(r->shift + (int64_t)m->from);
        p->arrivals[m->fragment] = (ipu_arrival){m->fragment, leaves + ipu_exchange_latency(p->target, tile)};
        p->done[m->fragment] = true;
        p->load[tile] -= words + setup;
        p->ready[tile] = p->load[tile] > 0 ? leaves + words + setup : UINT64_MAX;
        sink(p, p->heap_at[tile]);
    }
    add_send(p, (ipu_send){source, r->from, r->to - r->from, (uint64_t)(r->shift + (int64_t)r->from)});
    const size_t group = p->group[p->taken[0].fragment];
    member *members = p->members + p->first_member[group];
    size_t left = 0;
    for (size_t i = 0; i < p->live[group]; i++)
        if (!p->done[members[i].fragment]) members[left++] = members[i];
    p->live[group] = left;
}

static mt_status list(planner *p, mt_arena *scratch)
{
    MT_TAKE(scratch, p->done, p->n);
    MT_TAKE(scratch, p->sends, p->n);
    MT_TAKE(scratch, p->n_sends, p->n_tiles);
    MT_TAKE(scratch, p->taken, p->n_tiles);
    MT_TAKE(scratch, p->taken_at, p->n_tiles);
    while (p->ready[p->heap[0]] != UINT64_MAX) {
        uint64_t cycle = 0;
        const size_t fragment = choose(p, p->heap[0], &cycle);
        const ipu_fragment *f = &p->fragments[fragment];
        const member first = {f->from, f->from + f->words, fragment};
        const run r = gather(p, &first, cycle);
        commit(p, &r, f->source);
    }
    return MT_OK;
}

/* ---- all of it ---- */

static mt_status hand_over(const planner *p, mt_arena *arena, ipu_schedule *schedule)
{
    for (size_t t = 0; t < p->n_tiles; t++) schedule->n_sends += p->n_sends[t];
    MT_TAKE(arena, schedule->sends, schedule->n_sends);
    size_t n = 0;
    for (size_t t = 0; t < p->n_tiles; t++) {
        for (size_t i = p->first_send[t]; i < p->first_send[t] + p->n_sends[t]; i++) {
            const ipu_send *s = schedule->sends + n;
            schedule->sends[n++] = p->sends[i];
            schedule->words_sent += s->words;
            schedule->tile_cycles[t] = s->cycle + s->words;
        }
    }
    for (size_t i = 0; i < p->n; i++) {
        uint64_t *end = &schedule->tile_cycles[p->fragments[i].receiver];
        *end = larger(*end, p->arrivals[i].cycle + p->fragments[i].words);
    }
    for (size_t t = 0; t < p->n_tiles; t++)
        schedule->cycles = larger(schedule->cycles, schedule->tile_cycles[t]);
    return MT_OK;
}

static mt_status plan(planner *p, mt_arena *arena, mt_arena *scratch, ipu_schedule *schedule)
{
    uint64_t *words_out = NULL;
    MT_TAKE(arena, schedule->tile_cycles, p->n_tiles);
    MT_TAKE(arena, schedule->tile_bound, p->n_tiles);
    MT_TAKE(arena, schedule->arrivals, p->n);
    MT_TAKE(scratch, words_out, p->n_tiles);
    MT_TAKE(scratch, p->first_send, p->n_tiles + 1);
    MT_TAKE(scratch, p->load, p->n_tiles);
    MT_TAKE(scratch, p->asked, p->n_tiles);
    p->arrivals = schedule->arrivals;
    schedule->n_arrivals = p->n;
    MT_TRY(make_groups(p, scratch, p->first_send, words_out));
    count_loads(p);
    make_bounds(p, words_out, schedule);
    MT_TRY(make_receivers(p, scratch));
    MT_TRY(list(p, scratch));
    return hand_over(p, arena, schedule);
}

mt_status ipu_schedule_make(mt_arena *arena, const ipu_target *target, const ipu_fragment *fragments,
    size_t n_fragments, ipu_schedule *schedule)
{
    mt_arena scratch = {0};
    planner p = {.target = target, .fragments = fragments, .n = n_fragments, .n_tiles = target->tiles};
    *schedule = (ipu_schedule){0};
    mt_status status = plan(&p, arena, &scratch, schedule);
    mt_arena_free(&scratch);
    return status;
}

/* ---- the check ---- */

static int by_tile_and_cycle(const void *left, const void *right)
{
    const ipu_send *a = left;
    const ipu_send *b = right;
    if (a->tile != b->tile) return a->tile < b->tile ? -1 : 1;
    return a->cycle < b->cycle ? -1 : a->cycle > b->cycle;
}

/* The runs by (tile, cycle), and that none meets the one before it. */
static mt_status check_sends(const ipu_schedule *schedule, ipu_send *sends)
{
    for (size_t i = 0; i < schedule->n_sends; i++) sends[i] = schedule->sends[i];
    if (schedule->n_sends > 1) qsort(sends, schedule->n_sends, sizeof *sends, by_tile_and_cycle);
    for (size_t i = 1; i < schedule->n_sends; i++)
        if (sends[i].tile == sends[i - 1].tile && sends[i].cycle < sends[i - 1].cycle + sends[i - 1].words)
            return mt_fail(MT_INPUT, "schedule: tile %u sends two words in cycle %ju", sends[i].tile,
                (uintmax_t)sends[i].cycle);
    return MT_OK;
}

/* That what stands on the source's wire when the fragment's words arrive is the fragment. */
static mt_status check_words(
    const ipu_target *target, const ipu_fragment *f, uint64_t cycle, const ipu_send *sends, size_t n_sends)
{
    const uint64_t latency = ipu_exchange_latency(target, f->receiver);
    for (size_t w = 0; w < f->words; w++) {
        const uint64_t leaves = cycle + w - latency;
        size_t low = 0;
        size_t high = n_sends;
        while (low < high) { /* the last run that begins no later */
            size_t middle = low + (high - low) / 2;
            const ipu_send *s = &sends[middle];
            if (s->tile < f->source || (s->tile == f->source && s->cycle <= leaves))
                low = middle + 1;
            else
                high = middle;
        }
        const ipu_send *s = low > 0 ? &sends[low - 1] : NULL;
        if (!s || s->tile != f->source || leaves >= s->cycle + s->words)
            return mt_fail(MT_INPUT,
                "schedule: tile %u takes word %zu of tile %u in cycle %ju, but none was sent", f->receiver,
                f->from + w, f->source, (uintmax_t)(cycle + w));
        const size_t sent = s->from + (size_t)(leaves - s->cycle);
        if (sent != f->from + w)
            return mt_fail(MT_INPUT,
                "schedule: tile %u takes word %zu of tile %u in cycle %ju, but word %zu was sent",
                f->receiver, f->from + w, f->source, (uintmax_t)(cycle + w), sent);
    }
    return MT_OK;
}

/* What a receiver takes, with the time for its set-up. */
typedef struct taking {
    uint32_t tile;
    uint64_t cycle, end;
} taking;

static int by_taker(const void *left, const void *right)
{
    const taking *a = left;
    const taking *b = right;
    if (a->tile != b->tile) return a->tile < b->tile ? -1 : 1;
    if (a->cycle != b->cycle) return a->cycle < b->cycle ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

static mt_status check_takings(const ipu_target *target, taking *takings, size_t n)
{
    const uint64_t setup = target->exchange_fragment_cycles;
    if (n > 1) qsort(takings, n, sizeof *takings, by_taker);
    for (size_t i = 0; i < n; i++) {
        const taking *t = &takings[i];
        const bool follows = i > 0 && t[-1].tile == t->tile;
        const uint64_t there =
            follows ? t[-1].end : target->exchange_fixed_cycles + ipu_exchange_latency(target, t->tile);
        if (follows && t->cycle < there)
            return mt_fail(
                MT_INPUT, "schedule: tile %u takes two words in cycle %ju", t->tile, (uintmax_t)t->cycle);
        if (t->cycle < there + setup)
            return mt_fail(MT_INPUT,
                "schedule: tile %u takes the first word of a fragment in cycle %ju; its set-up of %ju cycles "
                "begins "
                "in cycle %ju",
                t->tile, (uintmax_t)t->cycle, (uintmax_t)setup, (uintmax_t)there);
    }
    return MT_OK;
}

static mt_status check_arrivals(const ipu_target *target, const ipu_fragment *fragments, size_t n,
    const ipu_schedule *schedule, const ipu_send *sends, taking *takings, bool *seen)
{
    for (size_t i = 0; i < schedule->n_arrivals; i++) {
        const ipu_arrival *a = &schedule->arrivals[i];
        const ipu_fragment *f = &fragments[a->fragment];
        if (seen[a->fragment])
            return mt_fail(MT_INPUT, "schedule: tile %u takes word %zu of tile %u a second time in cycle %ju",
                f->receiver, f->from, f->source, (uintmax_t)a->cycle);
        seen[a->fragment] = true;
        takings[i] = (taking){f->receiver, a->cycle, a->cycle + f->words};
    }
    for (size_t i = 0; i < n; i++)
        if (!seen[i])
            return mt_fail(MT_INPUT, "schedule: tile %u takes word %zu of tile %u in no cycle",
                fragments[i].receiver, fragments[i].from, fragments[i].source);
    MT_TRY(check_takings(target, takings, schedule->n_arrivals));
    for (size_t i = 0; i < schedule->n_arrivals; i++)
        MT_TRY(check_words(target, &fragments[schedule->arrivals[i].fragment], schedule->arrivals[i].cycle,
            sends, schedule->n_sends));
    return MT_OK;
}

static mt_status check(mt_arena *scratch, const ipu_target *target, const ipu_fragment *fragments, size_t n,
    const ipu_schedule *schedule)
{
    ipu_send *sends = NULL;
    taking *takings = NULL;
    bool *seen = NULL;
    MT_TAKE(scratch, sends, schedule->n_sends);
    MT_TAKE(scratch, takings, schedule->n_arrivals);
    MT_TAKE(scratch, seen, n);
    MT_TRY(check_sends(schedule, sends));
    return check_arrivals(target, fragments, n, schedule, sends, takings, seen);
}

mt_status ipu_schedule_check(
    const ipu_target *target, const ipu_fragment *fragments, size_t n_fragments, const ipu_schedule *schedule)
{
    mt_arena scratch = {0};
    mt_status status = check(&scratch, target, fragments, n_fragments, schedule);
    mt_arena_free(&scratch);
    return status;
}
