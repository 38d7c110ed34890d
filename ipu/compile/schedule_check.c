/* The check of schedules. It shares no code with the scheduler. */
#include <stdlib.h>

#include "data/core/order.h"
#include "ipu/compile/routed.h"
#include "ipu/compile/schedule.h"

typedef struct checker {
    const ipu_target *target;
    const ipu_fragment *fragments;
    size_t n;
    const ipu_schedule *schedule;
    ipu_send *sends; /* [n_sends] of the schedule, by (tile, cycle) */
} checker;

static size_t words_a_cycle(bool paired) { return paired ? IPU_PAIRED_WORDS : 1; }

MT_ORDER(by_tile_and_cycle, ipu_send, tile, cycle)

/* The busy cycles [cycle, end) of a tile: with its own run, with a paired one of its partner, or with a received fragment. */
typedef struct busy {
    uint32_t tile;
    uint64_t cycle, end;
    size_t of; /* index of the run or of the arrival */
} busy;

MT_ORDER(by_time, busy, tile, cycle, end, of)

/* ---- sends ---- */

static mt_status check_paired_send(const checker *c, const ipu_send *s)
{
    if (c->target->exchange_paired && ipu_target_partner(c->target, s->tile) != s->tile &&
        s->from % IPU_PAIRED_WORDS == 0 && s->words % IPU_PAIRED_WORDS == 0)
        return MT_OK;
    return mt_fail(MT_INPUT, "schedule: tile %u cannot send words %zu to %zu paired in cycle %ju", s->tile,
        s->from, s->from + s->words, (uintmax_t)s->cycle);
}

static mt_status clash(const checker *c, const busy *first, const busy *second)
{
    const ipu_send *a = &c->sends[first->of];
    const ipu_send *b = &c->sends[second->of];
    const uintmax_t cycle = second->cycle;
    if (a->tile == b->tile)
        return mt_fail(MT_INPUT, "schedule: tile %u sends two words in cycle %ju", a->tile, cycle);
    const ipu_send *paired = a->paired ? a : b;
    const ipu_send *other = paired == a ? b : a;
    return mt_fail(MT_INPUT, "schedule: tile %u sends in cycle %ju, in which its partner %u sends paired",
        other->tile, cycle, paired->tile);
}

/* Sorts the runs by (tile, cycle) and checks that none overlaps the one before it. */
static mt_status check_sends(const checker *c, busy *lanes)
{
    const ipu_schedule *schedule = c->schedule;
    size_t n = 0;
    for (size_t i = 0; i < schedule->n_sends; i++) c->sends[i] = schedule->sends[i];
    if (schedule->n_sends > 1) qsort(c->sends, schedule->n_sends, sizeof *c->sends, by_tile_and_cycle);
    for (size_t i = 0; i < schedule->n_sends; i++) {
        const ipu_send *s = &c->sends[i];
        const uint64_t end = s->cycle + s->words / words_a_cycle(s->paired);
        lanes[n++] = (busy){s->tile, s->cycle, end, i};
        if (!s->paired) continue;
        MT_TRY(check_paired_send(c, s));
        lanes[n++] = (busy){(uint32_t)ipu_target_partner(c->target, s->tile), s->cycle, end, i};
    }
    if (n > 1) qsort(lanes, n, sizeof *lanes, by_time);
    for (size_t i = 1; i < n; i++)
        if (lanes[i].tile == lanes[i - 1].tile && lanes[i].cycle < lanes[i - 1].end)
            return clash(c, &lanes[i - 1], &lanes[i]);
    return MT_OK;
}

/* ---- arrivals ---- */

/* Returns the last run of a tile that begins no later than `cycle`; NULL if there is none. */
static const ipu_send *run_before(const checker *c, uint32_t tile, uint64_t cycle)
{
    size_t low = 0;
    size_t high = c->schedule->n_sends;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const ipu_send *s = &c->sends[middle];
        if (s->tile < tile || (s->tile == tile && s->cycle <= cycle))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && c->sends[low - 1].tile == tile ? &c->sends[low - 1] : NULL;
}

/* Checks that the source sent exactly the words of the fragment at the times of their arrival. */
static mt_status check_words(const checker *c, const ipu_arrival *a)
{
    const ipu_fragment *f = &c->fragments[a->fragment];
    const size_t rate = words_a_cycle(a->paired);
    const uint64_t latency = a->paired ? ipu_route_paired_latency(c->target, f->source, f->receiver)
                                       : ipu_route_latency(c->target, f->source, f->receiver);
    for (size_t w = 0; w < f->words; w++) {
        const uint64_t there = a->cycle + w / rate;
        const ipu_send *s = there < latency ? NULL : run_before(c, f->source, there - latency);
        const uint64_t since = s ? there - latency - s->cycle : 0;
        if (!s || since >= s->words / words_a_cycle(s->paired))
            return mt_fail(MT_INPUT,
                "schedule: tile %u takes word %zu of tile %u in cycle %ju, but none was sent", f->receiver,
                f->from + w, f->source, (uintmax_t)there);
        if (s->paired != a->paired)
            return mt_fail(MT_INPUT,
                "schedule: tile %u takes word %zu of tile %u %s in cycle %ju, but it was %s", f->receiver,
                f->from + w, f->source, a->paired ? "paired" : "singly", (uintmax_t)there,
                a->paired ? "not" : "sent paired");
        const size_t sent = s->from + (size_t)since * rate + w % rate;
        if (sent != f->from + w)
            return mt_fail(MT_INPUT,
                "schedule: tile %u takes word %zu of tile %u in cycle %ju, but word %zu was sent",
                f->receiver, f->from + w, f->source, (uintmax_t)there, sent);
    }
    return MT_OK;
}

/* Checks that no two fragments of a tile overlap, and that each has time for its set-up. */
static mt_status check_takings(const checker *c, const busy *takings, size_t n)
{
    const uint64_t setup = c->target->exchange_fragment_cycles;
    for (size_t i = 0; i < n; i++) {
        const busy *t = &takings[i];
        const bool follows = i > 0 && t[-1].tile == t->tile;
        const uint64_t there = follows ? t[-1].cycle : ipu_schedule_begin(c->target, t->tile);
        if (follows && t->cycle < t[-1].end)
            return mt_fail(
                MT_INPUT, "schedule: tile %u takes two words in cycle %ju", t->tile, (uintmax_t)t->cycle);
        if (t->cycle < there + setup)
            return mt_fail(MT_INPUT,
                "schedule: tile %u takes the first word of a fragment in cycle %ju; its set-up of %ju cycles "
                "begins in cycle %ju",
                t->tile, (uintmax_t)t->cycle, (uintmax_t)setup, (uintmax_t)there);
    }
    return MT_OK;
}

/* Checks that a paired fragment may be paired, and that the receiver's partner receives the same words simultaneously. */
static mt_status check_pair(const checker *c, const ipu_arrival *a, const busy *takings, size_t n)
{
    const ipu_fragment *f = &c->fragments[a->fragment];
    const uint32_t partner = (uint32_t)ipu_target_partner(c->target, f->receiver);
    if (!ipu_fragment_may_pair(c->target, f))
        return mt_fail(MT_INPUT,
            "schedule: tile %u cannot take words %zu to %zu of tile %u paired in cycle %ju", f->receiver,
            f->from, f->from + f->words, f->source, (uintmax_t)a->cycle);
    const busy key = {partner, a->cycle, 0, 0};
    size_t low = 0;
    for (size_t high = n; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (by_time(&takings[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < n && takings[low].tile == partner && takings[low].cycle == a->cycle) {
        const ipu_arrival *b = &c->schedule->arrivals[takings[low].of];
        const ipu_fragment *g = &c->fragments[b->fragment];
        if (b->paired && g->source == f->source && g->from == f->from && g->words == f->words) return MT_OK;
    }
    return mt_fail(MT_INPUT,
        "schedule: tile %u takes words %zu to %zu of tile %u paired in cycle %ju, but its partner %u does "
        "not",
        f->receiver, f->from, f->from + f->words, f->source, (uintmax_t)a->cycle, partner);
}

static mt_status check_arrivals(const checker *c, busy *takings, bool *seen)
{
    const ipu_schedule *schedule = c->schedule;
    const size_t n = schedule->n_arrivals;
    for (size_t i = 0; i < n; i++) {
        const ipu_arrival *a = &schedule->arrivals[i];
        if (a->fragment >= c->n)
            return mt_fail(MT_INPUT, "schedule: fragment %zu arrives in cycle %ju; there are %zu fragments",
                a->fragment, (uintmax_t)a->cycle, c->n);
        const ipu_fragment *f = &c->fragments[a->fragment];
        if (seen[a->fragment])
            return mt_fail(MT_INPUT, "schedule: tile %u takes word %zu of tile %u a second time in cycle %ju",
                f->receiver, f->from, f->source, (uintmax_t)a->cycle);
        seen[a->fragment] = true;
        takings[i] = (busy){f->receiver, a->cycle, a->cycle + f->words / words_a_cycle(a->paired), i};
    }
    for (size_t i = 0; i < c->n; i++)
        if (!seen[i])
            return mt_fail(MT_INPUT, "schedule: tile %u never takes word %zu of tile %u",
                c->fragments[i].receiver, c->fragments[i].from, c->fragments[i].source);
    if (n > 1) qsort(takings, n, sizeof *takings, by_time);
    MT_TRY(check_takings(c, takings, n));
    for (size_t i = 0; i < n; i++) {
        const ipu_arrival *a = &schedule->arrivals[i];
        if (a->paired) MT_TRY(check_pair(c, a, takings, n));
        MT_TRY(check_words(c, a));
    }
    return MT_OK;
}

static mt_status check(mt_arena *scratch, checker *c)
{
    busy *lanes = NULL, *takings = NULL;
    bool *seen = NULL;
    MT_ALLOC(scratch, c->sends, c->schedule->n_sends);
    MT_ALLOC(scratch, lanes, 2 * c->schedule->n_sends);
    MT_ALLOC(scratch, takings, c->schedule->n_arrivals);
    MT_ALLOC(scratch, seen, c->n);
    MT_TRY(check_sends(c, lanes));
    return check_arrivals(c, takings, seen);
}

mt_status ipu_schedule_check(
    const ipu_target *target, const ipu_fragment *fragments, size_t n_fragments, const ipu_schedule *schedule)
{
    if (target->fabric.kind != IPU_CROSSBAR)
        return ipu_routed_check(target, fragments, n_fragments, schedule);
    MT_SCRATCH(scratch);
    checker c = {.target = target, .fragments = fragments, .n = n_fragments, .schedule = schedule};
    return check(scratch, &c);
}
