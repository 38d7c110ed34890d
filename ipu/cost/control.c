#include "ipu/cost/control.h"

#include <stdlib.h>

#include "ipu/cost/cost.h"
#include "ipu/compile/schedule.h"
#include "ipu/machine/integer.h"

typedef struct making {
    mt_arena *scratch;
    const ipu_executable *executable;
    const ipu_target *target;
    const ipu_topology *network; /* between the chips; NULL where there is one */
    ipu_control *controls;
    size_t n;
} making;

/* A machine of one chip may say nothing of chips. */
static size_t chip_of(const making *m, size_t tile)
{
    return m->network ? ipu_target_chip(m->target, tile) : 0;
}

/* ---- which parts of the programs ---- */

static bool is_predicate(const ipu_program *program)
{
    return program->kind == IPU_IF || program->kind == IPU_REPEAT_WHILE;
}

static bool is_transfer(const ipu_program *program)
{
    return program->kind == IPU_HOST_WRITE || program->kind == IPU_HOST_READ;
}

static bool is_control(const ipu_program *program) { return is_predicate(program) || is_transfer(program); }

static size_t count(const ipu_program *program)
{
    size_t n = is_control(program);
    for (size_t i = 0; i < program->n_children; i++) n += count(program->children[i]);
    return n;
}

static void collect(making *m, const ipu_program *program)
{
    if (is_control(program)) m->controls[m->n++].program = program;
    for (size_t i = 0; i < program->n_children; i++) collect(m, program->children[i]);
}

static int by_program(const void *left, const void *right)
{
    const uintptr_t a = (uintptr_t)((const ipu_control *)left)->program;
    const uintptr_t b = (uintptr_t)((const ipu_control *)right)->program;
    return a < b ? -1 : a > b;
}

/* Parts that programs share stand there once. */
static mt_status collect_all(making *m, mt_arena *arena)
{
    const ipu_executable *e = m->executable;
    size_t n = 0;
    for (size_t p = 0; p < e->n_programs; p++) n += count(e->programs[p]);
    MT_TAKE(arena, m->controls, n);
    for (size_t p = 0; p < e->n_programs; p++) collect(m, e->programs[p]);
    if (n > 1) qsort(m->controls, n, sizeof *m->controls, by_program);
    m->n = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || m->controls[i].program != m->controls[m->n - 1].program)
            m->controls[m->n++] = m->controls[i];
    return MT_OK;
}

const ipu_control *ipu_executable_control(const ipu_executable *e, const ipu_program *program)
{
    const ipu_control wanted = {.program = program};
    return bsearch(&wanted, e->controls, e->n_controls, sizeof *e->controls, by_program);
}

/* ---- predicates ---- */

static void place_predicate(const making *m, ipu_control *control)
{
    const ipu_graph *graph = m->executable->graph;
    const ipu_slice *slice = &graph->slices[control->program->tensor.first_slice];
    const ipu_range *range =
        &m->executable->ranges[ipu_executable_range(m->executable, slice->variable, slice->from)];
    control->tile = range->tile;
    control->place = range->offset + (slice->from - range->from) * ipu_type_bytes(IPU_UNSIGNED_INT);
}

/* From the predicate's chip to each other: a packet of its words. */
static mt_status cross(const making *m, size_t words, ipu_control *control)
{
    const ipu_target *target = m->target;
    const size_t chip = chip_of(m, control->tile), n = m->network->n_chips;
    const size_t data = words * target->exchange_bytes_per_cycle;
    const char *busiest;
    uint64_t *bytes = NULL, *load = NULL;
    MT_TAKE(m->scratch, bytes, n * n);
    MT_TAKE(m->scratch, load, m->network->n_links);
    for (size_t k = 0; k < n; k++)
        if (k != chip)
            bytes[chip * n + k] =
                data + ipu_divide_up(data, target->links.packet_bytes) * target->links.packet_header_bytes;
    return ipu_cost_links(
        target, m->network, bytes, "a predicate", load, &control->external_cycles, &busiest);
}

static uint64_t sync_of_chips(const making *m)
{
    if (!m->network) return 0;
    return ipu_topology_sync_cycles(m->network, m->target->links.sync_ns_per_hop, m->target->clock_hz);
}

/* From the predicate's tile to all others, and when every word of it goes. */
static mt_status schedule_predicate(const ipu_target *target, const ipu_control *control, mt_arena *scratch,
    ipu_fragment **fragments, size_t *n, ipu_schedule *schedule)
{
    const size_t word = target->exchange_bytes_per_cycle, from = control->place / word;
    const size_t words = ipu_divide_up(control->place + ipu_type_bytes(IPU_UNSIGNED_INT), word) - from;
    MT_TAKE(scratch, *fragments, target->tiles);
    *n = 0;
    for (uint32_t t = 0; t < target->tiles; t++)
        if (t != control->tile) (*fragments)[(*n)++] = (ipu_fragment){control->tile, t, from, words, from};
    return ipu_schedule_make(scratch, target, *fragments, *n, schedule);
}

static mt_status cost_predicate(const making *m, ipu_control *control)
{
    const ipu_target *target = m->target;
    ipu_fragment *fragments = NULL;
    ipu_schedule schedule;
    size_t n = 0;
    place_predicate(m, control);
    if (target->tiles == 1) return MT_OK;
    MT_TRY(schedule_predicate(target, control, m->scratch, &fragments, &n, &schedule));
    if (m->network) MT_TRY(cross(m, fragments[0].words, control));
    control->exchange_cycles = schedule.cycles + control->external_cycles;
    control->external_sync_cycles = sync_of_chips(m);
    control->sync_cycles = target->sync_cycles + control->external_sync_cycles;
    control->cycles = control->sync_cycles + control->exchange_cycles;
    return MT_OK;
}

/* ---- the host ---- */

/* What a transfer has to carry. */
typedef struct carrying {
    size_t packet;        /* the most data in one */
    uint64_t *chip_bytes; /* headers with them */
    uint64_t *tile_words;
} carrying;

static void carry(const making *m, carrying *c, size_t tile, size_t bytes)
{
    const size_t word = m->target->exchange_bytes_per_cycle, words = ipu_divide_up(bytes, word);
    c->tile_words[tile] += words;
    c->chip_bytes[chip_of(m, tile)] +=
        words * word + ipu_divide_up(words * word, c->packet) * m->target->host.packet_header_bytes;
}

/* All of a tensor, in stretches that are contiguous in their tile's memory. */
static void carry_all(const making *m, carrying *c, const ipu_tensor *tensor)
{
    const ipu_executable *e = m->executable;
    const size_t bytes = ipu_type_bytes(tensor->type);
    size_t tile = 0, end = 0, n = 0; /* of the stretch at hand: its tile, where it ends, and its bytes */
    for (size_t s = 0; s < tensor->n_slices; s++) {
        ipu_slice left = e->graph->slices[tensor->first_slice + s];
        for (size_t r = ipu_executable_range(e, left.variable, left.from); left.n > 0; r++) {
            const ipu_range *range = &e->ranges[r];
            const size_t skip = left.from - range->from;
            const size_t take = range->n - skip < left.n ? range->n - skip : left.n;
            const size_t at = range->offset + skip * bytes;
            if (n > 0 && (range->tile != tile || at != end)) {
                carry(m, c, tile, n);
                n = 0;
            }
            tile = range->tile;
            n += take * bytes;
            end = at + take * bytes;
            left.from += take;
            left.n -= take;
        }
    }
    if (n > 0) carry(m, c, tile, n);
}

static mt_status cost_transfer(const making *m, ipu_control *control)
{
    const ipu_target *target = m->target;
    const bool write = control->program->kind == IPU_HOST_WRITE;
    const ipu_link link = {
        .bytes_per_second = write ? target->host.write_bytes_per_second : target->host.read_bytes_per_second};
    carrying c = {.packet = write ? target->host.write_packet_bytes : target->host.read_packet_bytes};
    if (control->program->tensor.n == 0) return MT_OK;
    if (!(link.bytes_per_second > 0) || c.packet == 0)
        return mt_fail(MT_INPUT,
            "program: stream '%s': a transfer %s the host at %g bytes a second in packets of %zu; allowed: "
            "both above 0",
            m->executable->graph->streams[control->program->stream].name, write ? "from" : "to",
            link.bytes_per_second, c.packet);
    MT_TAKE(m->scratch, c.chip_bytes, m->network ? m->network->n_chips : 1);
    MT_TAKE(m->scratch, c.tile_words, target->tiles);
    carry_all(m, &c, &control->program->tensor);
    for (size_t t = 0; t < target->tiles; t++) {
        const uint64_t busy = ipu_link_cycles(&link, c.chip_bytes[chip_of(m, t)], target->clock_hz);
        control->external_cycles = ipu_larger(control->external_cycles, busy);
        control->exchange_cycles = ipu_larger(control->exchange_cycles, ipu_larger(busy, c.tile_words[t]));
    }
    control->external_sync_cycles = target->host.sync_cycles + sync_of_chips(m);
    control->sync_cycles = target->sync_cycles + control->external_sync_cycles;
    control->cycles = control->sync_cycles + control->exchange_cycles;
    return MT_OK;
}

static mt_status cost_control(making *m, ipu_control *control)
{
    mt_arena scratch = {0};
    m->scratch = &scratch;
    const mt_status status =
        is_transfer(control->program) ? cost_transfer(m, control) : cost_predicate(m, control);
    mt_arena_free(&scratch);
    return status;
}

mt_status ipu_control_make(mt_arena *arena, ipu_executable *executable)
{
    making m = {
        .executable = executable, .target = &executable->graph->target, .network = executable->network};
    MT_TRY(collect_all(&m, arena));
    for (size_t i = 0; i < m.n; i++) MT_TRY(cost_control(&m, &m.controls[i]));
    executable->controls = m.controls;
    executable->n_controls = m.n;
    return MT_OK;
}

/* ---- the check ---- */

static mt_status check_predicate(const ipu_executable *e, const ipu_control *control, mt_arena *scratch)
{
    const ipu_target *target = &e->graph->target;
    const size_t begin = e->tile_offset[control->tile], end = e->tile_offset[control->tile + 1];
    ipu_fragment *fragments = NULL;
    ipu_schedule schedule;
    size_t n = 0;
    if (control->place < begin || control->place + ipu_type_bytes(IPU_UNSIGNED_INT) > end)
        return mt_fail(MT_INPUT, "executable: a predicate at %zu is not in tile %u's memory [%zu, %zu)",
            control->place, control->tile, begin, end);
    MT_TRY(schedule_predicate(target, control, scratch, &fragments, &n, &schedule));
    return ipu_schedule_check(target, fragments, n, &schedule);
}

mt_status ipu_control_check(const ipu_executable *e, mt_arena *scratch)
{
    for (size_t c = 0; c < e->n_controls; c++)
        if (is_predicate(e->controls[c].program)) MT_TRY(check_predicate(e, &e->controls[c], scratch));
    return MT_OK;
}
