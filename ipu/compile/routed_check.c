/* The check of schedules over links. It shares no code with the scheduler. */
#include <stdlib.h>

#include "data/core/order.h"
#include "ipu/compile/routed.h"

/* What is busy in the cycles [begin, end): a link, the output or the input of a tile. `of`: the send. */
typedef enum busy_kind { LINK, OUTPUT, INPUT } busy_kind;
typedef struct busy {
    busy_kind kind;
    uint32_t number;
    uint64_t begin, end;
    size_t of;
} busy;

MT_ORDER(by_time, busy, kind, number, begin, end, of)
MT_ORDER_NUMBERS(by_cycle, uint64_t)

typedef struct checker {
    const ipu_target *target;
    const ipu_fragment *fragments;
    size_t n;
    const ipu_schedule *schedule;
    ipu_fabric fabric;
    busy *all;
    size_t n_all;
} checker;

/* Adds link k of the routes of a send, unless another of its routes has it. */
static void add_link(checker *c, size_t first, busy b)
{
    for (size_t i = first; i < c->n_all; i++)
        if (c->all[i].kind == LINK && c->all[i].number == b.number) return;
    c->all[c->n_all++] = b;
}

/* Counts, or with c->all lists, what all sends use. */
static size_t list_uses(checker *c)
{
    const uint64_t way = c->target->exchange_way_cycles;
    size_t n = 0;
    for (size_t i = 0; i < c->schedule->n_sends; i++) {
        const ipu_send *s = &c->schedule->sends[i];
        const size_t first = c->n_all;
        if (c->all) c->all[c->n_all++] = (busy){OUTPUT, s->tile, s->cycle, s->cycle + s->words, i};
        n++;
        for (size_t k = c->schedule->first_stop[i]; k < c->schedule->first_stop[i + 1]; k++) {
            const uint32_t receiver = c->fragments[c->schedule->stop[k]].receiver;
            uint64_t at = s->cycle;
            size_t links = 0;
            uint32_t link;
            for (ipu_path p = ipu_fabric_path(&c->fabric, s->tile, receiver); ipu_path_next(&p, &link);
                 at = s->cycle + ipu_fabric_delay(c->target, ++links), n++)
                if (c->all) add_link(c, first, (busy){LINK, link, at, at + s->words, i});
            if (c->all) c->all[c->n_all++] = (busy){INPUT, receiver, at + way, at + way + s->words, i};
            n++;
        }
    }
    return n;
}

/* Checks that stops are fragments that have the words of their send, and that there is one without multicast. */
static mt_status check_stops(const checker *c)
{
    for (size_t i = 0; i < c->schedule->n_sends; i++) {
        const ipu_send *s = &c->schedule->sends[i];
        const size_t first = c->schedule->first_stop[i], end = c->schedule->first_stop[i + 1];
        if (end == first || (end > first + 1 && !c->target->fabric.multicast))
            return mt_fail(MT_INPUT, "schedule: tile %u sends words %zu to %zu in cycle %ju to %zu tiles",
                s->tile, s->from, s->from + s->words, (uintmax_t)s->cycle, end - first);
        for (size_t k = first; k < end; k++) {
            const size_t f = c->schedule->stop[k];
            if (f >= c->n)
                return mt_fail(MT_INPUT, "schedule: tile %u sends to fragment %zu; there are %zu fragments",
                    s->tile, f, c->n);
            const ipu_fragment *g = &c->fragments[f];
            if (g->source != s->tile || s->from < g->from || s->from + s->words > g->from + g->words)
                return mt_fail(MT_INPUT,
                    "schedule: tile %u takes words %zu to %zu of tile %u, which its fragment %zu does not "
                    "have",
                    g->receiver, s->from, s->from + s->words, s->tile, f);
        }
    }
    return MT_OK;
}

/* The words [from, to) of a fragment. */
typedef struct part {
    size_t fragment, from, to;
} part;

MT_ORDER(by_words, part, fragment, from, to)

/* Checks that every word of every fragment arrives once. */
static mt_status check_words(const checker *c, part *parts)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < c->schedule->n_sends; i++)
        for (size_t k = c->schedule->first_stop[i]; k < c->schedule->first_stop[i + 1]; k++)
            parts[n++] = (part){c->schedule->stop[k], c->schedule->sends[i].from,
                c->schedule->sends[i].from + c->schedule->sends[i].words};
    if (n > 1) qsort(parts, n, sizeof *parts, by_words);
    for (size_t f = 0; f < c->n; f++) {
        const ipu_fragment *g = &c->fragments[f];
        size_t word = g->from;
        for (; at < n && parts[at].fragment == f; word = parts[at++].to)
            if (parts[at].from != word)
                return mt_fail(MT_INPUT, "schedule: tile %u takes word %zu of tile %u %s", g->receiver,
                    parts[at].from < word ? parts[at].from : word, g->source,
                    parts[at].from < word ? "a second time" : "never");
        if (word != g->from + g->words)
            return mt_fail(
                MT_INPUT, "schedule: tile %u never takes word %zu of tile %u", g->receiver, word, g->source);
    }
    return MT_OK;
}

static mt_status fail_busy(const checker *c, const busy *b, size_t words)
{
    char name[IPU_LINK_NAME];
    if (b->kind == LINK)
        return mt_fail(MT_INPUT, "schedule: link %s carries more than %zu words in cycle %ju",
            ipu_fabric_link_name(&c->fabric, b->number, name), words, (uintmax_t)b->begin);
    return mt_fail(MT_INPUT, "schedule: tile %u %s two words in cycle %ju", b->number,
        b->kind == OUTPUT ? "sends" : "takes", (uintmax_t)b->begin);
}

/* Checks the uses of one resource, sorted by time: at most `words` in a cycle. `ends`: room for their ends. */
static mt_status check_resource(const checker *c, const busy *b, size_t n, uint64_t *ends)
{
    const size_t words = b->kind == LINK ? ipu_fabric_rate(&c->fabric, b->number) : 1;
    size_t ended = 0;
    for (size_t i = 0; i < n; i++) ends[i] = b[i].end;
    if (n > 1) qsort(ends, n, sizeof *ends, by_cycle);
    for (size_t i = 0; i < n; i++) {
        while (ends[ended] <= b[i].begin) ended++;
        if (i + 1 - ended > words) return fail_busy(c, &b[i], words);
    }
    return MT_OK;
}

/* Checks the set-ups of a tile, with its words sorted by time. */
static mt_status check_setups(const checker *c, const busy *b, size_t n)
{
    const uint64_t setup = c->target->exchange_fragment_cycles;
    for (size_t i = 0; i < n; i++) {
        const uint64_t there = i > 0 ? b[i - 1].begin : c->target->exchange_fixed_cycles;
        if (b[i].begin < there + setup)
            return mt_fail(MT_INPUT,
                "schedule: tile %u takes the first word of a send in cycle %ju; its set-up of %ju cycles "
                "begins in "
                "cycle %ju",
                b[i].number, (uintmax_t)b[i].begin, (uintmax_t)setup, (uintmax_t)there);
    }
    return MT_OK;
}

static mt_status check(mt_arena *scratch, checker *c)
{
    part *parts;
    uint64_t *ends;
    MT_TRY(ipu_fabric_make(scratch, c->target, &c->fabric));
    if (c->schedule->n_sends == 0) return c->n == 0 ? MT_OK : check_words(c, NULL);
    MT_TRY(check_stops(c));
    MT_ALLOC(scratch, parts, c->schedule->first_stop[c->schedule->n_sends]);
    MT_TRY(check_words(c, parts));
    const size_t n = list_uses(c);
    MT_ALLOC(scratch, c->all, n);
    MT_ALLOC(scratch, ends, n);
    (void)list_uses(c);
    qsort(c->all, c->n_all, sizeof *c->all, by_time);
    for (size_t i = 0, end; i < c->n_all; i = end) {
        const busy *b = &c->all[i];
        for (end = i; end < c->n_all && c->all[end].kind == b->kind && c->all[end].number == b->number;)
            end++;
        MT_TRY(check_resource(c, b, end - i, ends));
        if (b->kind == INPUT) MT_TRY(check_setups(c, b, end - i));
    }
    return MT_OK;
}

mt_status ipu_routed_check(
    const ipu_target *target, const ipu_fragment *fragments, size_t n_fragments, const ipu_schedule *schedule)
{
    MT_SCRATCH(scratch);
    checker c = {.target = target, .fragments = fragments, .n = n_fragments, .schedule = schedule};
    return check(scratch, &c);
}
