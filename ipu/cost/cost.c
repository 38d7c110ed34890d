#include "ipu/cost/cost.h"

#include <stdio.h>
#include <stdlib.h>

#include "ipu/compile/schedule.h"
#include "ipu/machine/integer.h"
#include "ipu/cost/workers.h"

typedef struct costing {
    mt_arena *arena;
    const ipu_executable *executable;
    const ipu_target *target;
    size_t n_tiles;
    const ipu_topology *network; /* between the chips; NULL where there is one */
} costing;

/* ---- exchange inside chips ---- */

/* The messages of a superstep between different tiles, in the words of the exchange. */
static mt_status fragments_of(
    const ipu_executable *e, const ipu_superstep *step, mt_arena *arena, ipu_fragment **fragments, size_t *n)
{
    const size_t word = e->graph->target.exchange_bytes_per_cycle;
    const size_t n_tiles = e->graph->target.tiles;
    MT_TAKE(arena, *fragments, step->first_message[n_tiles] - step->first_message[0]);
    *n = 0;
    for (size_t t = 0; t < n_tiles; t++) {
        for (size_t i = step->first_message[t]; i < step->first_message[t + 1]; i++) {
            const ipu_message *m = &e->messages[i];
            if (m->source_tile == t) continue;
            const size_t from = m->source / word;
            const size_t words = ipu_divide_up(m->source + m->bytes, word) - from;
            (*fragments)[(*n)++] =
                (ipu_fragment){m->source_tile, (uint32_t)t, from, words, m->destination / word};
        }
    }
    return MT_OK;
}

static void count_messages(const costing *c, ipu_superstep *step, uint64_t *copied)
{
    for (size_t t = 0; t < c->n_tiles; t++) {
        for (size_t i = step->first_message[t]; i < step->first_message[t + 1]; i++) {
            const ipu_message *m = &c->executable->messages[i];
            if (m->source_tile == t) {
                copied[t] += m->bytes;
                continue;
            }
            step->bytes_received += m->bytes;
            step->ranges_received++;
        }
        step->bytes_copied += copied[t];
    }
}

/* What takes code on each tile. */
static mt_status count_pieces(const costing *c, const ipu_fragment *fragments, size_t n,
    const ipu_schedule *schedule, ipu_superstep *step)
{
    size_t *pieces = NULL;
    MT_TAKE(c->arena, pieces, c->n_tiles);
    for (size_t i = 0; i < n; i++) pieces[fragments[i].receiver]++;
    for (size_t i = 0; i < schedule->n_sends; i++)
        pieces[schedule->sends[i].tile] +=
            ipu_divide_up(schedule->sends[i].words, c->target->memory.send_words);
    step->exchange_pieces = pieces;
    return MT_OK;
}

/* A tile copies inside itself when all its words have left and are there. */
static mt_status cost_exchange(
    const costing *c, mt_arena *scratch, ipu_superstep *step, uint64_t *exchange, uint64_t *copied)
{
    const ipu_target *target = c->target;
    ipu_fragment *fragments = NULL;
    size_t n = 0;
    ipu_schedule schedule;
    MT_TRY(fragments_of(c->executable, step, scratch, &fragments, &n));
    MT_TRY(ipu_schedule_make(scratch, target, fragments, n, &schedule));
    MT_TRY(count_pieces(c, fragments, n, &schedule, step));
    count_messages(c, step, copied);
    step->exchange_bound_cycles = schedule.bound;
    for (size_t t = 0; t < c->n_tiles; t++) {
        const uint64_t copy = ipu_divide_up(copied[t], target->local_copy_bytes_per_cycle);
        exchange[t] = schedule.tile_bound[t] + copy;
        step->exchange_phase_cycles = ipu_larger(step->exchange_phase_cycles, schedule.tile_cycles[t] + copy);
        step->exchange_bound_cycles = ipu_larger(step->exchange_bound_cycles, exchange[t]);
    }
    step->bytes_sent = schedule.words_sent * target->exchange_bytes_per_cycle;
    return MT_OK;
}

/* ---- compute ---- */

ipu_cycles ipu_cost_vertex(const ipu_executable *e, const ipu_task *task)
{
    size_t n[IPU_MAX_FIELDS] = {0};
    for (size_t f = 0; f < task->codelet->n_fields; f++) n[f] = e->places[task->first_place + f].n;
    return task->codelet->cost(&e->graph->target, n, task->context);
}

static mt_status compute_tile(
    const costing *c, size_t tile, ipu_superstep *step, uint64_t *cycles, uint64_t *used)
{
    ipu_workers workers = ipu_workers_begin(c->target);
    for (size_t i = step->first_task[tile]; i < step->first_task[tile + 1]; i++) {
        const ipu_task *task = &c->executable->tasks[i];
        const ipu_cycles cost = ipu_cost_vertex(c->executable, task);
        if (!ipu_workers_can(c->target, task->codelet->kind, cost))
            return ipu_workers_fail(c->target, step->name, tile, task->codelet, cost);
        ipu_workers_add(&workers, task->codelet->kind, cost);
        step->data_dependent |= task->codelet->cost_of_data != NULL;
    }
    *cycles = ipu_workers_cycles(&workers);
    *used = workers.used;
    return MT_OK;
}

static mt_status cost_compute(const costing *c, ipu_superstep *step)
{
    uint64_t *compute = NULL;
    uint64_t *used = NULL;
    MT_TAKE(c->arena, compute, c->n_tiles);
    MT_TAKE(c->arena, used, c->n_tiles);
    for (size_t t = 0; t < c->n_tiles; t++) {
        MT_TRY(compute_tile(c, t, step, &compute[t], &used[t]));
        step->compute_phase_cycles = ipu_larger(step->compute_phase_cycles, compute[t]);
        step->all_used_slots += used[t];
    }
    step->compute_cycles = compute;
    step->used_slots = used;
    return MT_OK;
}

/* ---- between chips ---- */

/* Bytes [from, to) of the host image, of a tile, for a chip other than the tile's. */
typedef struct crossing {
    size_t from, to;
    uint32_t source_tile, chip;
} crossing;

static int by_way(const void *left, const void *right)
{
    const crossing *a = left;
    const crossing *b = right;
    if (a->chip != b->chip) return a->chip < b->chip ? -1 : 1;
    if (a->source_tile != b->source_tile) return a->source_tile < b->source_tile ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static mt_status find_crossings(
    const costing *c, mt_arena *scratch, const ipu_superstep *step, crossing **crossings, size_t *n)
{
    const ipu_target *target = c->target;
    MT_TAKE(scratch, *crossings, step->first_message[c->n_tiles] - step->first_message[0]);
    for (size_t t = 0; t < c->n_tiles; t++) {
        const size_t chip = ipu_target_chip(target, t);
        for (size_t i = step->first_message[t]; i < step->first_message[t + 1]; i++) {
            const ipu_message *m = &c->executable->messages[i];
            if (ipu_target_chip(target, m->source_tile) == chip) continue;
            (*crossings)[(*n)++] =
                (crossing){m->source, m->source + m->bytes, m->source_tile, (uint32_t)chip};
        }
    }
    if (*n > 1) qsort(*crossings, *n, sizeof **crossings, by_way);
    return MT_OK;
}

/* Bytes from chip to chip, headers with them: what several tiles of a chip receive of a tile crosses once, as
 * one range where it touches. */
static void add_crossings(const costing *c, const crossing *x, size_t n, ipu_superstep *step, uint64_t *bytes)
{
    const ipu_target *target = c->target;
    for (size_t i = 0; i < n;) {
        crossing joined = x[i++];
        for (; i < n && x[i].chip == joined.chip && x[i].source_tile == joined.source_tile &&
               x[i].from <= joined.to;
             i++)
            joined.to = ipu_larger(joined.to, x[i].to);
        const size_t data = ipu_round_up(joined.to - joined.from, target->exchange_bytes_per_cycle);
        const size_t chip = ipu_target_chip(target, joined.source_tile);
        bytes[chip * c->network->n_chips + joined.chip] +=
            data + ipu_divide_up(data, target->links.packet_bytes) * target->links.packet_header_bytes;
        step->bytes_crossing += data;
    }
}

mt_status ipu_cost_links(const ipu_target *target, const ipu_topology *network, const uint64_t *bytes,
    const char *what, uint64_t *load, uint64_t *cycles, const char **busiest)
{
    MT_TRY(mt_fail_in(what, ipu_topology_check_deadlock(network, bytes)));
    ipu_topology_load(network, bytes, load);
    const uint32_t most = ipu_topology_busiest(network, load);
    *busiest = network->links[most].name;
    *cycles = ipu_link_cycles(&network->links[most], load[most], target->clock_hz);
    return MT_OK;
}

/* What crosses between chips, and the cycles of the busiest link with it. Then all chips are synchronised, after each
 * one's tiles. */
static mt_status external_cycles(const costing *c, mt_arena *scratch, ipu_superstep *step)
{
    const ipu_target *target = c->target;
    crossing *crossings = NULL;
    uint64_t *bytes = NULL, *load = NULL;
    char what[256];
    size_t n = 0;
    if (!c->network) return MT_OK;
    MT_TRY(find_crossings(c, scratch, step, &crossings, &n));
    if (n == 0) return MT_OK;
    MT_TAKE(scratch, bytes, (size_t)c->network->n_chips * c->network->n_chips);
    add_crossings(c, crossings, n, step, bytes);
    (void)snprintf(what, sizeof what, "compute set '%s'", step->name);
    MT_TAKE(c->arena, load, c->network->n_links);
    MT_TRY(
        ipu_cost_links(target, c->network, bytes, what, load, &step->external_cycles, &step->busiest_link));
    step->link_bytes = load;
    step->exchange_phase_cycles += step->external_cycles;
    step->external_sync_cycles =
        ipu_topology_sync_cycles(c->network, target->links.sync_ns_per_hop, target->clock_hz);
    step->sync_cycles += step->external_sync_cycles;
    return MT_OK;
}

static mt_status cost_superstep(const costing *c, mt_arena *scratch, ipu_superstep *step)
{
    uint64_t *exchange = NULL;
    uint64_t *copied = NULL;
    MT_TAKE(c->arena, exchange, c->n_tiles);
    MT_TAKE(scratch, copied, c->n_tiles);
    MT_TRY(cost_exchange(c, scratch, step, exchange, copied));
    MT_TRY(cost_compute(c, step));
    if (step->ranges_received > 0) step->sync_cycles = c->target->sync_cycles;
    MT_TRY(external_cycles(c, scratch, step));
    step->cycles = step->sync_cycles + step->exchange_phase_cycles + step->compute_phase_cycles;
    step->exchange_cycles = exchange;
    return MT_OK;
}

mt_status ipu_cost_supersteps(mt_arena *arena, ipu_executable *executable)
{
    costing c = {.arena = arena,
        .executable = executable,
        .target = &executable->graph->target,
        .n_tiles = executable->graph->target.tiles};
    if (c.target->worker_contexts < 1 || c.target->worker_contexts > IPU_MAX_WORKERS)
        return mt_fail(MT_INPUT, "a machine of %zu worker contexts a tile; allowed: from 1 to %d",
            c.target->worker_contexts, IPU_MAX_WORKERS);
    MT_TRY(ipu_target_network(arena, c.target, &c.network));
    executable->network = c.network;
    for (size_t s = 0; s < executable->graph->n_compute_sets; s++) {
        mt_arena scratch = {0};
        mt_status status = cost_superstep(&c, &scratch, &executable->supersteps[s]);
        mt_arena_free(&scratch);
        MT_TRY(status);
    }
    return MT_OK;
}

/* ---- the check ---- */

mt_status ipu_cost_check_schedule(const ipu_executable *e, const ipu_superstep *step, mt_arena *scratch)
{
    const ipu_target *target = &e->graph->target;
    ipu_fragment *fragments = NULL;
    size_t n = 0;
    ipu_schedule schedule;
    MT_TRY(fragments_of(e, step, scratch, &fragments, &n));
    MT_TRY(ipu_schedule_make(scratch, target, fragments, n, &schedule));
    return ipu_schedule_check(target, fragments, n, &schedule);
}
