#include "ipu/run/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"
#include "ipu/compile/assembly.h"
#include "ipu/compile/streaming.h"
#include "ipu/cost/dram.h"
#include "ipu/cost/links.h"
#include "ipu/cost/workers.h"
#include "ipu/machine/integer.h"

static const ipu_target *target_of(const ipu_timing *timing) { return &timing->executable->graph->target; }

/* Returns the chip of a tile. The target of a single chip may have `ipus` = 0. */
static size_t chip_of(const ipu_timing *timing, size_t tile)
{
    return timing->network ? ipu_target_chip(target_of(timing), tile) : 0;
}

/* ---- exchange inside chips, and copies inside tiles ---- */

/* Tiles without copies keep the zeros of their memory, which is not touched: on large machines most of it is never used. The
 * same applies to tiles without vertices in time_compute. */
static mt_status time_copies(mt_arena *arena, const ipu_target *target, const ipu_copying *copying,
    const uint64_t **cycles, uint64_t *phase)
{
    uint64_t *of_tile = NULL;
    MT_ALLOC(arena, of_tile, target->tiles);
    for (size_t t = 0; t < target->tiles; t++) {
        const uint64_t cycles_there = ipu_copies_cycles(target, &copying[t]);
        if (cycles_there == 0) continue;
        of_tile[t] = cycles_there;
        *phase = ipu_larger(*phase, cycles_there);
    }
    *cycles = of_tile;
    return MT_OK;
}

static mt_status time_exchange(
    mt_arena *arena, const ipu_target *target, const ipu_exchange *exchange, ipu_superstep_timing *timing)
{
    timing->exchange_cycles = exchange->tile_bound;
    timing->exchange_phase_cycles = exchange->cycles;
    timing->exchange_bound_cycles = exchange->bound;
    timing->exchange_words_cycles = exchange->bound_words;
    if (exchange->ranges_received > 0) timing->sync_cycles = target->sync_cycles;
    MT_TRY(
        time_copies(arena, target, exchange->before, &timing->gather_cycles, &timing->gather_phase_cycles));
    return time_copies(
        arena, target, exchange->after, &timing->scatter_cycles, &timing->scatter_phase_cycles);
}

/* ---- compute ---- */

ipu_cycles ipu_timing_vertex(const ipu_executable *e, const ipu_task *task)
{
    size_t n[2 * IPU_MAX_FIELDS] = {0}, *n_ranges = n + task->codelet->n_fields;
    for (size_t f = 0; f < task->codelet->n_fields; f++) {
        const ipu_place *p = ipu_task_places(e, task, f, &n_ranges[f]);
        for (size_t k = 0; k < n_ranges[f]; k++) n[f] += p[k].n;
    }
    return task->codelet->cost(&e->graph->target, n, task->context);
}

uint64_t ipu_timing_tile_cycles(const ipu_executable *e, const ipu_task *task)
{
    const ipu_cycles cost = ipu_timing_vertex(e, task);
    const bool one = task->codelet->kind == IPU_SINGLE_WORKER;
    return cost.entry + (one ? 1 : e->graph->target.worker_contexts) * cost.worker;
}

static mt_status compute_tile(
    const ipu_executable *e, const ipu_superstep *step, size_t tile, ipu_workers *workers)
{
    const ipu_target *target = &e->graph->target;
    *workers = ipu_workers_begin(target);
    for (size_t i = step->first_task[tile]; i < step->first_task[tile + 1]; i++) {
        const ipu_task *task = &e->tasks[i];
        const ipu_cycles cost = ipu_timing_vertex(e, task);
        if (!ipu_workers_cost_valid(target, task->codelet->kind, cost))
            return ipu_workers_fail(target, step->name, tile, task->codelet, cost);
        ipu_workers_add(workers, task->codelet->kind, cost);
    }
    return MT_OK;
}

static mt_status time_compute(
    mt_arena *arena, const ipu_executable *e, const ipu_superstep *step, ipu_superstep_timing *timing)
{
    uint64_t *cycles = NULL;
    ipu_workers workers;
    MT_ALLOC(arena, cycles, e->graph->target.tiles);
    for (size_t t = 0; t < e->graph->target.tiles; t++) {
        if (step->first_task[t] == step->first_task[t + 1]) continue;
        MT_TRY(compute_tile(e, step, t, &workers));
        cycles[t] = ipu_workers_cycles(&workers);
        timing->compute_phase_cycles = ipu_larger(timing->compute_phase_cycles, cycles[t]);
        timing->used_slots += workers.used;
    }
    timing->compute_cycles = cycles;
    return MT_OK;
}

/* ---- outside of the chips ---- */

/* Adds up the data of the tiles [first, end) of a chip. */
static void load_chip(const ipu_executable *e, const ipu_superstep *step, size_t first, size_t end,
    ipu_dram_load *load, ipu_superstep_timing *timing)
{
    const ipu_target *target = &e->graph->target;
    const size_t port = target->exchange_bytes_per_cycle;
    uint64_t read = 0, written = 0;
    for (size_t t = first; t < end; t++) {
        const ipu_dram_use s = ipu_streaming_of(e, step, t).use;
        const uint64_t chunks = ipu_dram_chunks(&target->dram, &s),
                       latency = chunks * target->dram.latency_cycles;
        if (chunks == 0) continue;
        load->chunks = ipu_larger(load->chunks, chunks);
        if (s.read > 0)
            load->read_cycles = ipu_larger(load->read_cycles, latency + ipu_divide_up(s.read, port));
        if (s.written > 0)
            load->write_cycles = ipu_larger(load->write_cycles, latency + ipu_divide_up(s.written, port));
        read += s.read;
        written += s.written;
    }
    load->read = ipu_larger(load->read, read);
    load->written = ipu_larger(load->written, written);
    timing->dram_read += read;
    timing->dram_written += written;
}

static void time_dram(const ipu_executable *e, const ipu_superstep *step, ipu_superstep_timing *timing)
{
    const ipu_target *target = &e->graph->target;
    const size_t chips = ipu_larger(1, target->ipus), tiles = target->tiles / chips;
    ipu_dram_load load = {.compute = timing->compute_phase_cycles};
    if (!ipu_streaming_any(e->graph)) return;
    for (size_t c = 0; c < chips; c++) load_chip(e, step, c * tiles, (c + 1) * tiles, &load, timing);
    timing->dram_cycles = ipu_dram_cycles(target, &load);
}

/* ---- between chips ---- */

/* Bytes [from, to) of the host image that one tile sends to another chip. */
typedef struct crossing {
    size_t from, to;
    uint32_t source_tile, chip;
} crossing;

MT_ORDER(by_route, crossing, chip, source_tile, from, to)

static mt_status find_crossings(
    mt_arena *scratch, const ipu_executable *e, const ipu_superstep *step, crossing **crossings, size_t *n)
{
    const ipu_target *target = &e->graph->target;
    MT_ALLOC(scratch, *crossings, step->first_message[target->tiles] - step->first_message[0]);
    for (size_t t = 0; t < target->tiles; t++) {
        const size_t chip = ipu_target_chip(target, t);
        for (size_t i = step->first_message[t]; i < step->first_message[t + 1]; i++) {
            const ipu_message *m = &e->messages[i];
            if (ipu_target_chip(target, m->source_tile) == chip) continue;
            (*crossings)[(*n)++] =
                (crossing){m->source, m->source + m->bytes, m->source_tile, (uint32_t)chip};
        }
    }
    if (*n > 1) qsort(*crossings, *n, sizeof **crossings, by_route);
    return MT_OK;
}

/* Adds up bytes[from * chips + to], including headers, and returns the payload. Data that several tiles of a chip receive from
 * one tile cross once, and adjacent ranges cross as one. */
static uint64_t add_crossings(const ipu_target *target, const crossing *x, size_t n, uint64_t *bytes)
{
    uint64_t crossing_data = 0;
    for (size_t i = 0; i < n;) {
        crossing joined = x[i++];
        for (; i < n && x[i].chip == joined.chip && x[i].source_tile == joined.source_tile &&
               x[i].from <= joined.to;
             i++)
            joined.to = ipu_larger(joined.to, x[i].to);
        const size_t data = ipu_round_up(joined.to - joined.from, target->exchange_bytes_per_cycle);
        const size_t chip = ipu_target_chip(target, joined.source_tile);
        bytes[chip * target->ipus + joined.chip] +=
            ipu_links_bytes(data, target->links.packet_bytes, target->links.packet_header_bytes);
        crossing_data += data;
    }
    return crossing_data;
}

/* Adds the busiest link to the exchange, and the sync of all chips to the sync of each chip. */
static mt_status time_links(mt_arena *arena, mt_arena *scratch, const ipu_timing *t,
    const ipu_superstep *step, ipu_superstep_timing *timing)
{
    const ipu_target *target = target_of(t);
    crossing *crossings = NULL;
    uint64_t *bytes = NULL;
    ipu_link_loads loads;
    char what[256];
    size_t n = 0;
    if (!t->network) return MT_OK;
    MT_TRY(find_crossings(scratch, t->executable, step, &crossings, &n));
    if (n == 0) return MT_OK;
    MT_ALLOC(scratch, bytes, target->ipus * target->ipus);
    timing->bytes_crossing = add_crossings(target, crossings, n, bytes);
    (void)snprintf(what, sizeof what, "compute set '%s'", step->name);
    MT_TRY(ipu_links_load(arena, target, t->network, bytes, what, &loads));
    timing->link_bytes = loads.bytes;
    timing->busiest_link = loads.busiest;
    timing->external_cycles = loads.cycles;
    timing->external_fixed_cycles = loads.fixed;
    timing->exchange_phase_cycles += loads.cycles;
    timing->external_sync_cycles = ipu_links_sync_cycles(target, t->network);
    timing->sync_cycles += timing->external_sync_cycles;
    return MT_OK;
}

static mt_status time_superstep(mt_arena *arena, mt_arena *scratch, const ipu_timing *t,
    const ipu_superstep *step, ipu_superstep_timing *timing)
{
    MT_TRY(time_exchange(arena, target_of(t), &step->exchange, timing));
    MT_TRY(time_compute(arena, t->executable, step, timing));
    time_dram(t->executable, step, timing);
    MT_TRY(time_links(arena, scratch, t, step, timing));
    timing->cycles = timing->gather_phase_cycles + timing->sync_cycles + timing->exchange_phase_cycles +
                     timing->scatter_phase_cycles + timing->compute_phase_cycles + timing->dram_cycles;
    return MT_OK;
}

/* ---- predicates ---- */

/* The links carry a packet of the predicate's words from its chip to each other chip. */
static mt_status time_predicate(
    mt_arena *scratch, const ipu_timing *t, const ipu_control *control, ipu_control_cost *cost)
{
    const ipu_target *target = target_of(t);
    const size_t chip = chip_of(t, control->tile);
    const size_t data = control->words * target->exchange_bytes_per_cycle;
    uint64_t *bytes = NULL;
    ipu_link_loads loads = {0};
    if (t->network) {
        MT_ALLOC(scratch, bytes, target->ipus * target->ipus);
        for (size_t k = 0; k < target->ipus; k++)
            if (k != chip)
                bytes[chip * target->ipus + k] =
                    ipu_links_bytes(data, target->links.packet_bytes, target->links.packet_header_bytes);
        MT_TRY(ipu_links_load(scratch, target, t->network, bytes, "a predicate", &loads));
    }
    *cost = ipu_control_predicate(target, t->network, control->exchange_cycles, loads.cycles);
    return MT_OK;
}

/* ---- host transfers ---- */

/* The load of a transfer. */
typedef struct carrying {
    size_t packet;                   /* maximum of data per packet */
    ipu_stream_buffers sums;         /* bytes of chips including headers, words of tiles */
    uint64_t most_bytes, most_words; /* maximum over chips, over tiles */
} carrying;

static void carry(const ipu_timing *t, carrying *c, size_t tile, size_t bytes)
{
    const ipu_target *target = target_of(t);
    const size_t word = target->exchange_bytes_per_cycle, words = ipu_divide_up(bytes, word);
    uint64_t *chip_bytes = &c->sums.chip_bytes[chip_of(t, tile)];
    c->sums.tile_words[tile] += words;
    *chip_bytes += ipu_links_bytes(words * word, c->packet, target->host.packet_header_bytes);
    c->most_words = ipu_larger(c->most_words, c->sums.tile_words[tile]);
    c->most_bytes = ipu_larger(c->most_bytes, *chip_bytes);
}

/* Adds slices, in stretches that are contiguous in their tile's memory. */
static void carry_all(const ipu_timing *t, carrying *c, const ipu_slice *slices, size_t n_slices)
{
    const ipu_executable *e = t->executable;
    size_t tile = 0, end = 0, n = 0; /* of the current stretch: its tile, end and bytes */
    for (size_t s = 0; s < n_slices; s++) {
        ipu_slice left = slices[s];
        const size_t bytes = ipu_type_bytes(e->graph->variables[left.variable].type);
        for (size_t r = ipu_executable_range(e, left.variable, left.from); left.n > 0; r++) {
            const ipu_range *range = &e->ranges[r];
            const size_t skip = left.from - range->from;
            const size_t take = range->n - skip < left.n ? range->n - skip : left.n;
            const size_t at = range->offset + skip * bytes;
            if (n > 0 && (range->tile != tile || at != end)) {
                carry(t, c, tile, n);
                n = 0;
            }
            tile = range->tile;
            n += take * bytes;
            end = at + take * bytes;
            left.from += take;
            left.n -= take;
        }
    }
    if (n > 0) carry(t, c, tile, n);
}

static size_t n_chips(const ipu_timing *t) { return t->network ? t->network->n_chips : 1; }

mt_status ipu_stream_buffers_new(mt_arena *arena, const ipu_timing *t, ipu_stream_buffers *room)
{
    MT_ALLOC(arena, room->chip_bytes, n_chips(t));
    MT_ALLOC(arena, room->tile_words, target_of(t)->tiles);
    return MT_OK;
}

static mt_status check_host_link(const ipu_timing *t, bool write, const char *what, const char *name)
{
    const ipu_host *host = &target_of(t)->host;
    const double rate = write ? host->write_bytes_per_second : host->read_bytes_per_second;
    const size_t packet = write ? host->write_packet_bytes : host->read_packet_bytes;
    if (rate > 0 && packet > 0) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s'%s': a transfer %s the host at %g bytes/s in packets of %zu; allowed: both above 0", what, name,
        write ? "from" : "to", rate, packet);
}

/* There must be a host link and at least one element. */
static ipu_control_cost cost_of_transfer(
    const ipu_timing *t, bool write, const ipu_slice *slices, size_t n_slices, const ipu_stream_buffers *room)
{
    const ipu_host *host = &target_of(t)->host;
    carrying c = {.packet = write ? host->write_packet_bytes : host->read_packet_bytes, .sums = *room};
    memset(room->chip_bytes, 0, n_chips(t) * sizeof *room->chip_bytes);
    memset(room->tile_words, 0, target_of(t)->tiles * sizeof *room->tile_words);
    carry_all(t, &c, slices, n_slices);
    return ipu_control_transfer(target_of(t), t->network, write, c.most_bytes, c.most_words);
}

static mt_status time_transfer(
    mt_arena *scratch, const ipu_timing *t, const ipu_control *control, ipu_control_cost *cost)
{
    const ipu_program *program = control->program;
    const ipu_graph *graph = t->executable->graph;
    const bool write = program->kind == IPU_HOST_WRITE;
    ipu_stream_buffers room;
    if (program->tensor.n == 0) return MT_OK;
    MT_TRY(check_host_link(t, write, "program: stream ", graph->streams[program->stream].name));
    MT_TRY(ipu_stream_buffers_new(scratch, t, &room));
    *cost = cost_of_transfer(
        t, write, graph->slices + program->tensor.first_slice, program->tensor.n_slices, &room);
    return MT_OK;
}

mt_status ipu_timing_none(mt_arena *arena, const ipu_executable *executable, ipu_timing *timing)
{
    *timing = (ipu_timing){.executable = executable};
    MT_ALLOC(arena, timing->supersteps, executable->graph->n_compute_sets);
    MT_ALLOC(arena, timing->controls, executable->n_controls);
    return MT_OK;
}

/* Fails if the host would read a range of a temporary variable that no program accesses. */
static mt_status check_used(const ipu_timing *t, const ipu_slice *slices, size_t n_slices)
{
    const ipu_executable *e = t->executable;
    for (size_t s = 0; s < n_slices; s++) {
        const ipu_slice *slice = &slices[s];
        const ipu_variable *v = &e->graph->variables[slice->variable];
        if (!v->temporary || slice->n == 0) continue;
        size_t r = ipu_executable_range(e, slice->variable, slice->from);
        for (; r < e->first_range[slice->variable + 1] && e->ranges[r].from < slice->from + slice->n; r++)
            if (e->liveness.unused[r])
                return mt_fail(MT_INPUT,
                    "engine: variable '%s' is temporary, and nothing accesses its elements from %zu on, of "
                    "tile "
                    "%u: they have no memory; allowed: elements that a program or a vertex accesses",
                    v->name, e->ranges[r].from, e->ranges[r].tile);
    }
    return MT_OK;
}

mt_status ipu_timing_stream(const ipu_timing *t, const ipu_slice *slices, size_t n_slices,
    const ipu_stream_buffers *room, ipu_control_cost *cost)
{
    size_t n = 0;
    for (size_t s = 0; s < n_slices; s++) n += slices[s].n;
    *cost = (ipu_control_cost){0};
    if (n == 0) return MT_OK;
    MT_TRY(check_host_link(
        t, false, "engine: variable ", t->executable->graph->variables[slices[0].variable].name));
    MT_TRY(check_used(t, slices, n_slices));
    *cost = cost_of_transfer(t, false, slices, n_slices, room);
    return MT_OK;
}

/* ---- entry point ---- */

static mt_status time_supersteps(mt_arena *arena, ipu_timing *t)
{
    MT_ALLOC(arena, t->supersteps, t->executable->graph->n_compute_sets);
    for (size_t s = 0; s < t->executable->graph->n_compute_sets; s++) {
        MT_SCRATCH(scratch);
        MT_TRY(time_superstep(arena, scratch, t, &t->executable->supersteps[s], &t->supersteps[s]));
    }
    return MT_OK;
}

static mt_status time_controls(mt_arena *arena, ipu_timing *t)
{
    MT_ALLOC(arena, t->controls, t->executable->n_controls);
    for (size_t c = 0; c < t->executable->n_controls; c++) {
        const ipu_control *control = &t->executable->controls[c];
        MT_SCRATCH(scratch);
        MT_TRY(ipu_program_is_transfer(control->program)
                   ? time_transfer(scratch, t, control, &t->controls[c])
                   : time_predicate(scratch, t, control, &t->controls[c]));
    }
    return MT_OK;
}

mt_status ipu_timing_make(mt_arena *arena, const ipu_executable *executable, ipu_timing *timing)
{
    const ipu_target *target = &executable->graph->target;
    *timing = (ipu_timing){.executable = executable};
    MT_TRY(ipu_workers_check(target));
    MT_TRY(ipu_target_network(arena, target, &timing->network));
    MT_TRY(time_supersteps(arena, timing));
    return time_controls(arena, timing);
}
