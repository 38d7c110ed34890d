#include "ipu/run/clocks.h"

#include <string.h>

#include "data/core/offsets.h"
#include "ipu/machine/integer.h"

static const ipu_target *target_of(const ipu_timing *timing) { return &timing->executable->graph->target; }

bool ipu_clocks_needed(const ipu_target *target)
{
    return target->sync != IPU_SYNC_GLOBAL || target->overlap;
}

/* ---- tiles that wait for each other ---- */

/* Counts the tiles for which each tile waits, in counts[tile], or lists them if `list` is not NULL, at counts[tile]. A sender that also
 * receives from its receiver is listed twice. `seen`: [tiles] last receiver + 1. */
static void pair_tiles(
    const ipu_executable *e, const ipu_superstep *step, size_t *seen, size_t *counts, uint32_t *list)
{
    const ipu_target *target = &e->graph->target;
    memset(seen, 0, target->tiles * sizeof *seen);
    for (size_t t = 0; t < target->tiles; t++)
        for (size_t m = step->first_message[t]; m < step->first_message[t + 1]; m++) {
            const uint32_t source = e->messages[m].source_tile;
            if (source == t || seen[source] == t + 1) continue;
            seen[source] = t + 1;
            if (list) list[counts[t]] = source;
            counts[t]++;
            if (target->sync != IPU_SYNC_NEIGHBOURS) continue;
            if (list) list[counts[source]] = (uint32_t)t;
            counts[source]++;
        }
}

static mt_status find_waits(
    mt_arena *arena, const ipu_executable *e, const ipu_superstep *step, ipu_waits *waits)
{
    const size_t n = e->graph->target.tiles;
    MT_SCRATCH(scratch);
    size_t *first, *seen;
    uint32_t *tile;
    if (step->exchange.ranges_received == 0 || e->graph->target.sync == IPU_SYNC_GLOBAL) return MT_OK;
    MT_ALLOC(scratch, seen, n);
    MT_ALLOC(arena, first, n + 2);
    pair_tiles(e, step, seen, first + 2, NULL);
    mt_offsets_sum(first, n + 2);
    MT_ALLOC(arena, tile, first[n + 1]);
    pair_tiles(e, step, seen, first + 1, tile);
    *waits = (ipu_waits){first, tile};
    return MT_OK;
}

mt_status ipu_clocks_make(mt_arena *arena, const ipu_timing *timing, ipu_clocks **clocks)
{
    const ipu_executable *e = timing->executable;
    const size_t n = e->graph->target.tiles;
    ipu_clocks *c;
    ipu_waits *waits;
    *clocks = NULL;
    if (e->untimed || !ipu_clocks_needed(&e->graph->target)) return MT_OK;
    MT_ALLOC(arena, c, 1);
    MT_ALLOC(arena, c->tile, n);
    MT_ALLOC(arena, c->ready, n);
    MT_ALLOC(arena, c->compute, n);
    MT_ALLOC(arena, waits, e->graph->n_compute_sets);
    for (size_t s = 0; s < e->graph->n_compute_sets; s++)
        MT_TRY(find_waits(arena, e, &e->supersteps[s], &waits[s]));
    c->timing = timing;
    c->waits = waits;
    *clocks = c;
    return MT_OK;
}

/* ---- supersteps ---- */

/* A run of a superstep. */
typedef struct run {
    const ipu_target *target;
    const ipu_superstep *step;
    const ipu_superstep_timing *timing;
    const ipu_waits *waits;
    const uint64_t *compute; /* [tiles] */
} run;

/* Returns the cycles of a tile from its begin to its end. */
static uint64_t work_of(const run *r, size_t tile)
{
    const ipu_exchange *exchange = &r->step->exchange;
    const bool computes = r->step->first_task[tile + 1] > r->step->first_task[tile];
    const uint64_t compute = r->compute[tile] + (computes ? r->timing->dram_cycles : 0),
                   last = exchange->tile_cycles[tile], scatter = r->timing->scatter_cycles[tile];
    if (!r->target->overlap || scatter > 0 || r->step->receive_all_first) return last + scatter + compute;
    const uint64_t words = exchange->tile_received[tile] / r->target->exchange_bytes_per_cycle,
                   rest = words > 0 ? ipu_divide_up(compute, words) : 0;
    return ipu_larger(exchange->tile_first[tile] + compute, last + rest);
}

/* Returns the cycle in which a tile begins, if all tiles have their `ready`. */
static uint64_t begin_of(const run *r, const uint64_t *ready, size_t tile)
{
    uint64_t begin = ready[tile];
    const ipu_waits *w = r->waits;
    for (size_t i = w->first ? w->first[tile] : 0; w->first && i < w->first[tile + 1]; i++)
        begin = ipu_larger(begin, ready[w->tile[i]]);
    return begin + (r->step->exchange.tile_cycles[tile] > 0 ? r->target->sync_cycles : 0);
}

uint64_t ipu_clocks_advance(ipu_clocks *c, uint32_t compute_set, const uint64_t *compute)
{
    const ipu_executable *e = c->timing->executable;
    const run r = {&e->graph->target, &e->supersteps[compute_set], &c->timing->supersteps[compute_set],
        &c->waits[compute_set], compute};
    const bool global = r.target->sync == IPU_SYNC_GLOBAL;
    const size_t n = r.target->tiles;
    const uint64_t before = c->latest,
                   together = before + r.timing->gather_phase_cycles + r.timing->sync_cycles;
    uint64_t latest = 0;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (size_t t = 0; t < n; t++) c->ready[t] = c->tile[t] + r.timing->gather_cycles[t];
#pragma omp for schedule(static) reduction(max : latest)
        for (size_t t = 0; t < n; t++) {
            c->tile[t] = (global ? together : begin_of(&r, c->ready, t)) + work_of(&r, t);
            latest = ipu_larger(latest, c->tile[t]);
        }
    }
    c->latest = latest;
    return latest - before;
}

void ipu_clocks_join(ipu_clocks *c, uint64_t cycles)
{
    c->latest += cycles;
    for (size_t t = 0; t < target_of(c->timing)->tiles; t++) c->tile[t] = c->latest;
}

void ipu_clocks_find_latest(ipu_clocks *c)
{
    c->latest = 0;
    for (size_t t = 0; t < target_of(c->timing)->tiles; t++) c->latest = ipu_larger(c->latest, c->tile[t]);
}

/* ---- a program that runs repeatedly ---- */

/* Runs a program and returns the cycles of its phases. */
static uint64_t run_program(ipu_clocks *c, const ipu_program *program)
{
    uint64_t sum = 0;
    const uint64_t turns = program->kind == IPU_REPEAT ? program->count : 1;
    if (program->kind == IPU_EXECUTE) {
        const ipu_superstep_timing *step = &c->timing->supersteps[program->compute_set];
        (void)ipu_clocks_advance(c, program->compute_set, step->compute_cycles);
        return step->cycles;
    }
    if (ipu_program_has_predicate(program)) return 0;
    for (uint64_t turn = 0; turn < turns; turn++)
        for (size_t i = 0; i < program->n_children; i++) sum += run_program(c, program->children[i]);
    return sum;
}

mt_status ipu_clocks_steady(const ipu_timing *timing, const ipu_program *program, uint64_t *overlapped_cycles)
{
    enum { FIRST_RUNS = 8, RUNS = 8 };
    uint64_t sum = 0;
    MT_SCRATCH(scratch);
    ipu_clocks *c;
    *overlapped_cycles = 0;
    MT_TRY(ipu_clocks_make(scratch, timing, &c));
    if (!c) return MT_OK;
    for (int k = 0; k < FIRST_RUNS; k++) (void)run_program(c, program);
    const uint64_t before = c->latest;
    for (int k = 0; k < RUNS; k++) sum += run_program(c, program);
    *overlapped_cycles = (sum - (c->latest - before)) / RUNS;
    return MT_OK;
}
