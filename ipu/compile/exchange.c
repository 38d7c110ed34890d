#include "ipu/compile/exchange.h"

#include "ipu/compile/assembly.h"
#include "ipu/compile/routed.h"
#include "ipu/machine/integer.h"

/* The assembly of an exchange and its schedule, in one arena. */
typedef struct scheduled {
    const ipu_target *target;
    mt_arena *scratch;
    ipu_assembly assembly; /* of a predicate: fragments only */
    ipu_schedule schedule;
} scheduled;

/* Makes the schedule, by a plan or, if it is 0, by the shortest one. */
static mt_status make_schedule(scheduled *s, unsigned plan)
{
    return ipu_schedule_make_by(
        s->scratch, s->target, s->assembly.fragments, s->assembly.n_fragments, plan, &s->schedule);
}

static mt_status check_schedule(const scheduled *s)
{
    return ipu_schedule_check(s->target, s->assembly.fragments, s->assembly.n_fragments, &s->schedule);
}

/* ---- supersteps ---- */

/* The copies of each tile are in `arena`. */
static mt_status schedule_superstep(
    mt_arena *arena, const ipu_executable *e, const ipu_superstep *step, scheduled *s)
{
    s->target = &e->graph->target;
    MT_TRY(ipu_assembly_make(arena, s->scratch, e, step, &s->assembly));
    return make_schedule(s, step->exchange.plan);
}

static void count_words(const scheduled *s, uint64_t *received, uint64_t *sent, ipu_exchange *exchange)
{
    const size_t word = s->target->exchange_bytes_per_cycle;
    for (size_t i = 0; i < s->assembly.n_fragments; i++)
        received[s->assembly.fragments[i].receiver] += s->assembly.fragments[i].words * word;
    for (size_t i = 0; i < s->schedule.n_sends; i++)
        sent[s->schedule.sends[i].tile] += s->schedule.sends[i].words * word;
    for (size_t t = 0; t < s->target->tiles; t++) exchange->bytes_received += received[t];
    exchange->ranges_received = s->assembly.n_fragments;
    exchange->tile_received = received;
    exchange->tile_sent = sent;
    for (size_t t = 0; t < s->target->tiles; t++)
        exchange->bytes_copied += exchange->before[t].bytes + exchange->after[t].bytes;
}

/* Returns the cycle after the first word that a tile has received so far, and a word that arrives in `cycle`. */
static uint64_t earlier(uint64_t first, uint64_t cycle)
{
    return first == 0 || cycle + 1 < first ? cycle + 1 : first;
}

static void find_first(const scheduled *s, uint64_t *first)
{
    for (size_t i = 0; i < s->schedule.n_arrivals; i++) {
        const ipu_arrival *arrival = &s->schedule.arrivals[i];
        uint64_t *of_tile = &first[s->assembly.fragments[arrival->fragment].receiver];
        *of_tile = earlier(*of_tile, arrival->cycle);
    }
}

/* Counts the pieces with exchange code on each tile. */
static void count_pieces(const scheduled *s, size_t *pieces)
{
    for (size_t i = 0; i < s->assembly.n_fragments; i++) pieces[s->assembly.fragments[i].receiver]++;
    for (size_t i = 0; i < s->schedule.n_sends; i++)
        pieces[s->schedule.sends[i].tile] +=
            ipu_divide_up(s->schedule.sends[i].words, s->target->memory.send_words);
}

/* Copies nonzero values of tiles; fresh memory is zero and is not touched. */
static mt_status keep(mt_arena *arena, size_t n, const uint64_t *from, const uint64_t **kept)
{
    uint64_t *copy;
    MT_ALLOC(arena, copy, n);
    for (size_t i = 0; i < n; i++)
        if (from[i] != 0) copy[i] = from[i];
    *kept = copy;
    return MT_OK;
}

static mt_status keep_exchange(mt_arena *arena, const scheduled *s, ipu_input *inputs, ipu_superstep *step)
{
    const size_t n_tiles = s->target->tiles;
    ipu_exchange *exchange = &step->exchange;
    size_t *pieces = NULL;
    uint64_t *received, *sent, *first;
    MT_ALLOC(arena, pieces, n_tiles);
    MT_ALLOC(arena, first, n_tiles);
    find_first(s, first);
    MT_ALLOC(arena, received, n_tiles);
    MT_ALLOC(arena, sent, n_tiles);
    count_pieces(s, pieces);
    *exchange = (ipu_exchange){.cycles = s->schedule.cycles,
        .bound = s->schedule.bound,
        .bound_words = s->schedule.bound_words,
        .before = s->assembly.before,
        .after = s->assembly.after,
        .buffer_bytes = s->assembly.buffer_bytes,
        .tile_first = first,
        .tile_pieces = pieces,
        .plan = s->schedule.plan,
        .bytes_sent = s->schedule.words_sent * s->target->exchange_bytes_per_cycle};
    count_words(s, received, sent, exchange);
    for (size_t i = step->first_input[0]; i < step->first_input[n_tiles]; i++)
        inputs[i].copied = s->assembly.copied[i - step->first_input[0]];
    MT_TRY(keep(arena, n_tiles, s->schedule.tile_cycles, &exchange->tile_cycles));
    return keep(arena, n_tiles, s->schedule.tile_bound, &exchange->tile_bound);
}

/* ---- supersteps with the same exchange ---- */

/* The distance of the addresses of two supersteps on a tile; `known`: True after the first address. */
typedef struct shift {
    size_t by;
    bool known;
} shift;

/* True if a distance is the one of its tile, or the first there. It must not change the place in a word, nor the parity of words. */
static bool is_shifted(shift *s, size_t from, size_t to)
{
    enum { ALIGNMENT = 64 };
    if (!s->known) *s = (shift){to - from, true};
    return s->by == to - from && s->by % ALIGNMENT == 0;
}

static bool same_input(
    const ipu_executable *e, const ipu_superstep *a, const ipu_superstep *b, size_t k, shift *here)
{
    const ipu_input *x = &e->inputs[a->first_input[0] + k], *y = &e->inputs[b->first_input[0] + k];
    return x->first_message - a->first_message[0] == y->first_message - b->first_message[0] &&
           x->n_messages == y->n_messages && x->bytes == y->bytes && x->tail_at == y->tail_at &&
           x->stored == y->stored && is_shifted(here, x->offset, y->offset);
}

/* True if two supersteps have the same messages and inputs, except for a shift of what each tile sends and of what it receives. */
static bool same_messages(
    const ipu_executable *e, const ipu_superstep *a, const ipu_superstep *b, shift *sent, shift *received)
{
    const size_t n = e->graph->target.tiles;
    for (size_t t = 0; t < n; t++) {
        const size_t first = a->first_message[t] - a->first_message[0],
                     end = a->first_message[t + 1] - a->first_message[0];
        for (size_t m = first; m < end; m++) {
            const ipu_message *x = &e->messages[a->first_message[0] + m],
                              *y = &e->messages[b->first_message[0] + m];
            if (x->source_tile != y->source_tile || x->bytes != y->bytes ||
                !is_shifted(&sent[x->source_tile], x->source, y->source) ||
                !is_shifted(&received[t], x->destination, y->destination))
                return false;
        }
        for (size_t k = a->first_input[t]; k < a->first_input[t + 1]; k++)
            if (!same_input(e, a, b, k - a->first_input[0], &received[t])) return false;
    }
    return true;
}

static bool same_counts(const size_t *a, const size_t *b, size_t n)
{
    if (a[n] - a[0] != b[n] - b[0]) return false;
    for (size_t t = 0; t < n; t++)
        if (a[t] - a[0] != b[t] - b[0]) return false;
    return true;
}

/* Sets `same` to an earlier superstep whose exchange this one has, or NULL. */
static mt_status find_same(const ipu_executable *e, const ipu_superstep *step, const ipu_superstep **same)
{
    const size_t n = e->graph->target.tiles;
    *same = NULL;
    for (const ipu_superstep *other = e->supersteps; other < step && !*same; other++) {
        MT_SCRATCH(scratch);
        shift *sent, *received;
        if (!same_counts(other->first_message, step->first_message, n) ||
            !same_counts(other->first_input, step->first_input, n))
            continue;
        MT_ALLOC(scratch, sent, n);
        MT_ALLOC(scratch, received, n);
        if (same_messages(e, other, step, sent, received)) *same = other;
    }
    return MT_OK;
}

mt_status ipu_exchange_of_superstep(mt_arena *arena, ipu_executable *e, ipu_superstep *step)
{
    MT_SCRATCH(scratch);
    const ipu_superstep *same;
    scheduled s = {.scratch = scratch};
    MT_TRY(find_same(e, step, &same));
    if (same) {
        step->exchange = same->exchange;
        for (size_t k = 0; k < step->first_input[e->graph->target.tiles] - step->first_input[0]; k++)
            e->inputs[step->first_input[0] + k].copied = e->inputs[same->first_input[0] + k].copied;
        return MT_OK;
    }
    MT_TRY(schedule_superstep(arena, e, step, &s));
    return keep_exchange(arena, &s, e->inputs, step);
}

mt_status ipu_exchange_check_superstep(const ipu_executable *e, const ipu_superstep *step)
{
    MT_SCRATCH(scratch);
    scheduled s = {.scratch = scratch};
    MT_TRY(schedule_superstep(scratch, e, step, &s));
    return check_schedule(&s);
}

static void count_hops(const scheduled *s, const ipu_fabric *fabric, ipu_link_words *loads)
{
    for (size_t i = 0; i < s->assembly.n_fragments; i++) {
        const ipu_fragment *f = &s->assembly.fragments[i];
        loads->received += f->words;
        loads->hops += f->words * ipu_fabric_hops(fabric, f->source, f->receiver);
    }
}

mt_status ipu_exchange_loads(
    mt_arena *arena, const ipu_executable *e, const ipu_superstep *step, ipu_link_words *loads)
{
    MT_SCRATCH(scratch);
    scheduled s = {.scratch = scratch};
    ipu_fabric fabric;
    *loads = (ipu_link_words){0};
    if (e->graph->target.fabric.kind == IPU_CROSSBAR) return MT_OK;
    MT_TRY(schedule_superstep(scratch, e, step, &s));
    MT_TRY(ipu_fabric_make(scratch, s.target, &fabric));
    count_hops(&s, &fabric, loads);
    loads->n_links = fabric.n_links;
    return ipu_routed_loads(arena, &fabric, s.assembly.fragments, &s.schedule, &loads->words);
}

/* ---- predicates ---- */

static size_t words_of_predicate(const ipu_target *target, const ipu_control *control)
{
    return ipu_words_of(target, control->place, ipu_type_bytes(IPU_UNSIGNED_INT));
}

/* Creates a fragment to every other tile. */
static mt_status schedule_predicate(const ipu_target *target, const ipu_control *control, scheduled *s)
{
    const size_t from = control->place / target->exchange_bytes_per_cycle;
    const size_t words = words_of_predicate(target, control);
    s->target = target;
    MT_ALLOC(s->scratch, s->assembly.fragments, target->tiles);
    for (uint32_t t = 0; t < target->tiles; t++)
        if (t != control->tile)
            s->assembly.fragments[s->assembly.n_fragments++] =
                (ipu_fragment){control->tile, t, from, words, from};
    return make_schedule(s, 0);
}

mt_status ipu_exchange_of_predicate(const ipu_target *target, ipu_control *control)
{
    MT_SCRATCH(scratch);
    scheduled s = {.scratch = scratch};
    MT_TRY(schedule_predicate(target, control, &s));
    control->words = words_of_predicate(target, control);
    control->exchange_cycles = s.schedule.cycles;
    return MT_OK;
}

mt_status ipu_exchange_check_predicate(const ipu_target *target, const ipu_control *control)
{
    MT_SCRATCH(scratch);
    scheduled s = {.scratch = scratch};
    MT_TRY(schedule_predicate(target, control, &s));
    return check_schedule(&s);
}
