#include "ipu/compile/exchange.h"

#include "ipu/compile/schedule.h"
#include "ipu/machine/integer.h"

/* Fragments and the schedule by which they go, in an arena of their own. */
typedef struct scheduled {
    const ipu_target *target;
    mt_arena scratch;
    ipu_fragment *fragments;
    size_t n;
    ipu_schedule schedule;
} scheduled;

static size_t words_of(const ipu_target *target, size_t from, size_t bytes)
{
    const size_t word = target->exchange_bytes_per_cycle;
    return ipu_divide_up(from + bytes, word) - from / word;
}

static mt_status make_schedule(scheduled *s)
{
    return ipu_schedule_make(&s->scratch, s->target, s->fragments, s->n, &s->schedule);
}

/* Checks what was made with this status, and ends it. */
static mt_status check_made(mt_status status, scheduled *s)
{
    if (status == MT_OK) status = ipu_schedule_check(s->target, s->fragments, s->n, &s->schedule);
    mt_arena_free(&s->scratch);
    return status;
}

/* ---- supersteps ---- */

/* The messages between different tiles. */
static mt_status schedule_superstep(const ipu_executable *e, const ipu_superstep *step, scheduled *s)
{
    const ipu_target *target = s->target = &e->graph->target;
    const size_t word = target->exchange_bytes_per_cycle;
    MT_ALLOC(&s->scratch, s->fragments, step->first_message[target->tiles] - step->first_message[0]);
    for (uint32_t t = 0; t < target->tiles; t++) {
        for (size_t i = step->first_message[t]; i < step->first_message[t + 1]; i++) {
            const ipu_message *m = &e->messages[i];
            if (m->source_tile == t) continue;
            s->fragments[s->n++] = (ipu_fragment){m->source_tile, t, m->source / word,
                words_of(target, m->source, m->bytes), m->destination / word};
        }
    }
    return make_schedule(s);
}

static void count_messages(
    const ipu_executable *e, const ipu_superstep *step, ipu_exchange *exchange, uint64_t *copied)
{
    for (size_t t = 0; t < e->graph->target.tiles; t++) {
        for (size_t i = step->first_message[t]; i < step->first_message[t + 1]; i++) {
            const ipu_message *m = &e->messages[i];
            if (m->source_tile == t) {
                copied[t] += m->bytes;
                continue;
            }
            exchange->bytes_received += m->bytes;
            exchange->ranges_received++;
        }
        exchange->bytes_copied += copied[t];
    }
}

/* What takes code on each tile. */
static void count_pieces(const scheduled *s, size_t *pieces)
{
    for (size_t i = 0; i < s->n; i++) pieces[s->fragments[i].receiver]++;
    for (size_t i = 0; i < s->schedule.n_sends; i++)
        pieces[s->schedule.sends[i].tile] +=
            ipu_divide_up(s->schedule.sends[i].words, s->target->memory.send_words);
}

static mt_status keep(mt_arena *arena, size_t n, const uint64_t *from, const uint64_t **kept)
{
    uint64_t *copy;
    MT_ALLOC(arena, copy, n);
    for (size_t i = 0; i < n; i++) copy[i] = from[i];
    *kept = copy;
    return MT_OK;
}

static mt_status keep_exchange(
    mt_arena *arena, const ipu_executable *e, const scheduled *s, ipu_superstep *step)
{
    const ipu_target *target = s->target;
    ipu_exchange *exchange = &step->exchange;
    uint64_t *copied = NULL;
    size_t *pieces = NULL;
    MT_ALLOC(arena, copied, target->tiles);
    MT_ALLOC(arena, pieces, target->tiles);
    count_messages(e, step, exchange, copied);
    count_pieces(s, pieces);
    exchange->tile_copied = copied;
    exchange->tile_pieces = pieces;
    exchange->bound = s->schedule.bound;
    exchange->bytes_sent = s->schedule.words_sent * target->exchange_bytes_per_cycle;
    MT_TRY(keep(arena, target->tiles, s->schedule.tile_cycles, &exchange->tile_cycles));
    return keep(arena, target->tiles, s->schedule.tile_bound, &exchange->tile_bound);
}

mt_status ipu_exchange_of_superstep(mt_arena *arena, const ipu_executable *e, ipu_superstep *step)
{
    scheduled s = {0};
    mt_status status = schedule_superstep(e, step, &s);
    if (status == MT_OK) status = keep_exchange(arena, e, &s, step);
    mt_arena_free(&s.scratch);
    return status;
}

mt_status ipu_exchange_check_superstep(const ipu_executable *e, const ipu_superstep *step)
{
    scheduled s = {0};
    return check_made(schedule_superstep(e, step, &s), &s);
}

/* ---- predicates ---- */

static size_t words_of_predicate(const ipu_target *target, const ipu_control *control)
{
    return words_of(target, control->place, ipu_type_bytes(IPU_UNSIGNED_INT));
}

/* A fragment to every other tile. */
static mt_status schedule_predicate(const ipu_target *target, const ipu_control *control, scheduled *s)
{
    const size_t from = control->place / target->exchange_bytes_per_cycle;
    const size_t words = words_of_predicate(target, control);
    s->target = target;
    MT_ALLOC(&s->scratch, s->fragments, target->tiles);
    for (uint32_t t = 0; t < target->tiles; t++)
        if (t != control->tile) s->fragments[s->n++] = (ipu_fragment){control->tile, t, from, words, from};
    return make_schedule(s);
}

mt_status ipu_exchange_of_predicate(const ipu_target *target, ipu_control *control)
{
    scheduled s = {0};
    const mt_status status = schedule_predicate(target, control, &s);
    control->words = words_of_predicate(target, control);
    control->exchange_cycles = s.schedule.cycles;
    mt_arena_free(&s.scratch);
    return status;
}

mt_status ipu_exchange_check_predicate(const ipu_target *target, const ipu_control *control)
{
    scheduled s = {0};
    return check_made(schedule_predicate(target, control, &s), &s);
}
