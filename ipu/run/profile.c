#include "ipu/run/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/select.h"
#include "ipu/compile/compile.h"
#include "ipu/compile/exchange.h"

static ipu_spread spread_of(const uint64_t *x, size_t n)
{
    ipu_spread s = {0};
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (x[i] == 0) continue;
        if (s.tiles == 0 || x[i] < s.min) s.min = x[i];
        if (x[i] > s.max) s.max = x[i];
        sum += x[i];
        s.tiles++;
    }
    if (s.tiles == 0) return s;
    s.mean = (double)sum / (double)s.tiles;
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > 0) squares += ((double)x[i] - s.mean) * ((double)x[i] - s.mean);
    s.sd = sqrt(squares / (double)s.tiles);
    return s;
}

/* Returns used slots as a fraction of the slots of n_tiles tiles in `cycles`. */
static double share(uint64_t used, uint64_t cycles, size_t n_tiles)
{
    return cycles > 0 ? (double)used / ((double)cycles * (double)n_tiles) : 0;
}

double ipu_spread_effectiveness(const ipu_spread *spread)
{
    return spread->max > 0 ? spread->mean / (double)spread->max : 1;
}

static ipu_profile_step step_of(
    const ipu_superstep *superstep, const ipu_superstep_timing *step, size_t n_tiles)
{
    return (ipu_profile_step){.name = superstep->name,
        .cycles = step->cycles,
        .sync_cycles = step->sync_cycles,
        .external_sync_cycles = step->external_sync_cycles,
        .exchange_phase_cycles = step->exchange_phase_cycles,
        .external_cycles = step->external_cycles,
        .external_fixed_cycles = step->external_fixed_cycles,
        .rearrangement_phase_cycles = step->gather_phase_cycles + step->scatter_phase_cycles,
        .exchange_bound_cycles = step->exchange_bound_cycles,
        .dram_cycles = step->dram_cycles,
        .dram_read = step->dram_read,
        .dram_written = step->dram_written,
        .exchange_words_cycles = step->exchange_words_cycles,
        .bytes_crossing = step->bytes_crossing,
        .busiest_link = step->busiest_link,
        .gather = spread_of(step->gather_cycles, n_tiles),
        .exchange = spread_of(step->exchange_cycles, n_tiles),
        .scatter = spread_of(step->scatter_cycles, n_tiles),
        .compute = spread_of(step->compute_cycles, n_tiles),
        .tile_gather_cycles = step->gather_cycles,
        .tile_exchange_cycles = step->exchange_cycles,
        .tile_scatter_cycles = step->scatter_cycles,
        .tile_compute_cycles = step->compute_cycles,
        .tile_received = superstep->exchange.tile_received,
        .tile_sent = superstep->exchange.tile_sent,
        .ranges_received = superstep->exchange.ranges_received,
        .bytes_received = superstep->exchange.bytes_received,
        .bytes_sent = superstep->exchange.bytes_sent,
        .bytes_copied = superstep->exchange.bytes_copied,
        .workers_busy = share(step->used_slots, step->compute_phase_cycles, n_tiles)};
}

static void add_tile(ipu_tile_memory *sum, const ipu_tile_memory *tile)
{
    for (int k = 0; k < IPU_MEMORY_CATEGORIES; k++) sum->bytes[k] += tile->bytes[k];
    sum->total += tile->total;
    sum->gaps += tile->gaps;
    sum->always_live += tile->always_live;
    sum->not_always_live += tile->not_always_live;
}

/* Copies a name of the graph or the network, which the profile can outlive. */
static mt_status keep_name(mt_arena *arena, const char **name)
{
    if (!*name) return MT_OK;
    *name = mt_arena_text(arena, *name);
    return *name ? MT_OK : MT_MEMORY;
}

static mt_status add_memory(mt_arena *arena, const ipu_executable *e, ipu_profile *profile)
{
    size_t n = e->graph->target.tiles;
    MT_SCRATCH(scratch);
    ipu_tile_memory *memory;
    MT_ALLOC(arena, memory, n);
    double *totals = mt_arena_alloc(scratch, n, sizeof *totals);
    if (!totals) return MT_MEMORY;
    profile->memory = memcpy(memory, e->memory, n * sizeof *memory);
    for (size_t t = 0; t < n; t++) {
        totals[t] = (double)(e->memory[t].total + e->memory[t].gaps);
        add_tile(&profile->memory_all, &e->memory[t]);
        if (totals[t] > totals[profile->fullest_tile]) profile->fullest_tile = t;
    }
    profile->fullest = e->memory[profile->fullest_tile];
    profile->memory_max = profile->fullest.total + profile->fullest.gaps;
    profile->memory_median = (size_t)mt_select(totals, n, (n - 1) / 2);
    profile->memory_available = e->graph->target.bytes_per_tile;
    return MT_OK;
}

/* ---- tiles ---- */

/* Counts the senders and the vertices of each tile. */
static mt_status count_tiles(
    mt_arena *arena, const ipu_executable *e, const ipu_superstep *from, ipu_profile_step *to)
{
    const size_t n = e->graph->target.tiles;
    MT_SCRATCH(scratch);
    uint32_t *senders, *vertices;
    size_t *seen; /* [n_tiles] last receiver + 1 */
    MT_ALLOC(arena, senders, n);
    MT_ALLOC(arena, vertices, n);
    MT_ALLOC(scratch, seen, n);
    for (size_t t = 0; t < n; t++) {
        vertices[t] = (uint32_t)(from->first_task[t + 1] - from->first_task[t]);
        for (size_t m = from->first_message[t]; m < from->first_message[t + 1]; m++) {
            const uint32_t source = e->messages[m].source_tile;
            if (source == t || seen[source] == t + 1) continue;
            seen[source] = t + 1;
            senders[t]++;
        }
    }
    to->tile_senders = senders;
    to->tile_vertices = vertices;
    return MT_OK;
}

static mt_status keep_counts(mt_arena *arena, const uint64_t **counts, size_t n)
{
    uint64_t *kept;
    MT_COPY(arena, kept, *counts, n);
    *counts = kept;
    return MT_OK;
}

ipu_exchange_parts ipu_profile_exchange_parts(const ipu_profile_step *step)
{
    return (ipu_exchange_parts){.setup = step->exchange_bound_cycles - step->exchange_words_cycles,
        .words = step->exchange_words_cycles,
        .waiting = step->exchange_phase_cycles - step->external_cycles - step->exchange_bound_cycles};
}

/* ---- links ---- */

static mt_status add_links(mt_arena *arena, const ipu_topology *network, ipu_profile *profile)
{
    if (!network) return MT_OK;
    profile->n_links = network->n_links;
    MT_ALLOC(arena, profile->links, profile->n_links);
    for (size_t l = 0; l < profile->n_links; l++) {
        const ipu_link *link = &network->links[l];
        profile->links[l] = (ipu_profile_link){link->name, link->from, link->to};
        MT_TRY(keep_name(arena, &profile->links[l].name));
    }
    return MT_OK;
}

static mt_status add_loads(
    mt_arena *arena, const ipu_timing *timing, const ipu_superstep_timing *step, ipu_profile_step *to)
{
    uint64_t *cycles;
    if (!step->link_bytes) return MT_OK;
    const ipu_topology *network = timing->network;
    to->link_bytes = step->link_bytes;
    MT_TRY(keep_counts(arena, &to->link_bytes, network->n_links));
    MT_ALLOC(arena, cycles, network->n_links);
    for (size_t l = 0; l < network->n_links; l++)
        cycles[l] = ipu_link_cycles(
            &network->links[l], step->link_bytes[l], timing->executable->graph->target.clock_hz);
    to->link_cycles = cycles;
    return MT_OK;
}

/* ---- kinds of vertices ---- */

/* The rows so far, with their codelets. */
typedef struct kinds {
    ipu_profile_vertices *rows;
    const ipu_codelet **codelets;
    size_t n;
} kinds;

/* Returns the row of a codelet, starting at `first`; adds it if it is missing. */
static ipu_profile_vertices *row_of(kinds *k, size_t first, size_t step, const ipu_codelet *codelet)
{
    size_t row = first;
    while (row < k->n && k->codelets[row] != codelet) row++;
    if (row == k->n) {
        k->codelets[k->n] = codelet;
        k->rows[k->n++] = (ipu_profile_vertices){.step = step, .codelet = codelet->name};
    }
    return &k->rows[row];
}

static mt_status count_kinds(mt_arena *scratch, const ipu_executable *e, kinds *k)
{
    const size_t n_tiles = e->graph->target.tiles;
    MT_ALLOC(scratch, k->rows, e->n_tasks);
    MT_ALLOC(scratch, k->codelets, e->n_tasks);
    for (size_t s = 0; s < e->graph->n_compute_sets; s++) {
        const ipu_superstep *step = &e->supersteps[s];
        const size_t first = k->n;
        for (size_t i = step->first_task[0]; i < step->first_task[n_tiles]; i++) {
            ipu_profile_vertices *row = row_of(k, first, s, e->tasks[i].codelet);
            row->instances++;
            row->cycles += ipu_timing_tile_cycles(e, &e->tasks[i]);
        }
    }
    return MT_OK;
}

static mt_status add_vertices(mt_arena *arena, const ipu_executable *e, ipu_profile *profile)
{
    MT_SCRATCH(scratch);
    kinds k = {0};
    MT_TRY(count_kinds(scratch, e, &k));
    profile->n_vertices = k.n;
    MT_ALLOC(arena, profile->vertices, k.n);
    for (size_t v = 0; v < k.n; v++) {
        profile->vertices[v] = k.rows[v];
        MT_TRY(keep_name(arena, &profile->vertices[v].codelet));
    }
    return MT_OK;
}

/* ---- profile ---- */

static mt_status make_costs(mt_arena *arena, const ipu_timing *timing, ipu_profile *profile)
{
    const ipu_executable *executable = timing->executable;
    const size_t n_tiles = executable->graph->target.tiles;
    *profile = (ipu_profile){.n_steps = executable->graph->n_compute_sets, .n_tiles = n_tiles};
    MT_ALLOC(arena, profile->steps, profile->n_steps);
    for (size_t s = 0; s < profile->n_steps; s++) {
        ipu_profile_step *step = &profile->steps[s];
        *step = step_of(&executable->supersteps[s], &timing->supersteps[s], n_tiles);
        MT_TRY(keep_name(arena, &step->name));
        MT_TRY(keep_name(arena, &step->busiest_link));
        MT_TRY(keep_counts(arena, &step->tile_gather_cycles, n_tiles));
        MT_TRY(keep_counts(arena, &step->tile_exchange_cycles, n_tiles));
        MT_TRY(keep_counts(arena, &step->tile_scatter_cycles, n_tiles));
        MT_TRY(keep_counts(arena, &step->tile_compute_cycles, n_tiles));
        MT_TRY(keep_counts(arena, &step->tile_received, n_tiles));
        MT_TRY(keep_counts(arena, &step->tile_sent, n_tiles));
        MT_TRY(count_tiles(arena, executable, &executable->supersteps[s], step));
        MT_TRY(add_loads(arena, timing, &timing->supersteps[s], step));
    }
    MT_TRY(add_links(arena, timing->network, profile));
    MT_TRY(add_vertices(arena, executable, profile));
    return add_memory(arena, executable, profile);
}

mt_status ipu_profile_costs(mt_arena *arena, const ipu_executable *executable, ipu_profile *profile)
{
    MT_SCRATCH(scratch);
    ipu_timing timing;
    MT_TRY(ipu_timing_make(scratch, executable, &timing));
    return make_costs(arena, &timing, profile);
}

static void add_controls(const ipu_engine *engine, ipu_profile *profile)
{
    profile->transfers = engine->stream_runs;
    profile->host_cycles = engine->stream_cycles;
    for (size_t c = 0; c < engine->executable->n_controls; c++) {
        const ipu_control *control = &engine->executable->controls[c];
        const uint64_t runs = engine->control_runs[c];
        const bool host = ipu_program_is_transfer(control->program);
        *(host ? &profile->transfers : &profile->predicates) += runs;
        *(host ? &profile->host_cycles : &profile->control_cycles) +=
            runs * engine->timing.controls[c].cycles;
    }
}

mt_status ipu_profile_make(mt_arena *arena, const ipu_engine *engine, ipu_profile *profile)
{
    const size_t n_tiles = engine->executable->graph->target.tiles;
    MT_TRY(make_costs(arena, &engine->timing, profile));
    profile->host_bytes_written = engine->host_bytes_written;
    profile->host_bytes_read = engine->host_bytes_read;
    for (size_t s = 0; s < profile->n_steps; s++) {
        ipu_profile_step *step = &profile->steps[s];
        step->runs = engine->runs[s];
        step->total_compute_cycles = engine->compute_cycles[s];
        step->total_cycles = step->runs * (step->rearrangement_phase_cycles + step->sync_cycles +
                                              step->exchange_phase_cycles + step->dram_cycles) +
                             step->total_compute_cycles;
        if (step->runs > 0)
            step->workers_busy = share(engine->used_slots[s], engine->compute_cycles[s], n_tiles);
        profile->rearrangement_cycles += step->runs * step->rearrangement_phase_cycles;
        profile->sync_cycles += step->runs * step->sync_cycles;
        profile->exchange_cycles += step->runs * step->exchange_phase_cycles;
        profile->compute_cycles += step->total_compute_cycles;
        profile->dram_cycles += step->runs * step->dram_cycles;
        profile->external_sync_cycles += step->runs * step->external_sync_cycles;
        step->overlapped_cycles = engine->clocks ? engine->overlapped_cycles[s] : 0;
        profile->overlapped_cycles += step->overlapped_cycles;
    }
    add_controls(engine, profile);
    profile->cycles = profile->rearrangement_cycles + profile->sync_cycles + profile->exchange_cycles +
                      profile->compute_cycles + profile->dram_cycles + profile->control_cycles +
                      profile->host_cycles - profile->overlapped_cycles;
    profile->seconds = (double)profile->cycles / engine->executable->graph->target.clock_hz;
    return MT_OK;
}

/* ---- time step ---- */

static size_t executions_of(const ipu_program *program)
{
    size_t n = program->kind == IPU_EXECUTE;
    for (size_t i = 0; i < program->n_children; i++) n += executions_of(program->children[i]);
    return n;
}

static void list_executions(const ipu_program *program, uint64_t times, ipu_profile *profile)
{
    if (program->kind == IPU_EXECUTE)
        profile->executions[profile->n_executions++] = (ipu_profile_execution){program->compute_set, times};
    if (program->kind == IPU_REPEAT) times *= program->count;
    if (ipu_program_has_predicate(program)) times = 0;
    for (size_t i = 0; i < program->n_children; i++) list_executions(program->children[i], times, profile);
}

mt_status ipu_profile_add_executions(mt_arena *arena, const ipu_program *program, ipu_profile *profile)
{
    MT_ALLOC(arena, profile->executions, executions_of(program));
    profile->n_executions = 0;
    list_executions(program, 1, profile);
    return MT_OK;
}

mt_status ipu_profile_add_overlap(
    const ipu_executable *executable, const ipu_program *program, ipu_profile *profile)
{
    MT_SCRATCH(scratch);
    ipu_timing timing;
    profile->step_overlapped_cycles = 0;
    if (!ipu_clocks_needed(&executable->graph->target)) return MT_OK;
    MT_TRY(ipu_timing_make(scratch, executable, &timing));
    return ipu_clocks_steady(&timing, program, &profile->step_overlapped_cycles);
}

mt_status ipu_profile_add_fabric(
    mt_arena *arena, const ipu_executable *executable, size_t compute_set, ipu_profile *profile)
{
    return ipu_exchange_loads(arena, executable, &executable->supersteps[compute_set], &profile->fabric);
}

/* ---- bands ---- */

/* Returns the part of the cycles of all supersteps that remains after the overlap. */
static double remaining(const ipu_profile *profile)
{
    uint64_t sum = 0;
    for (size_t s = 0; s < profile->n_steps; s++) sum += profile->steps[s].total_cycles;
    return sum > 0 ? (double)(sum - profile->overlapped_cycles) / (double)sum : 1;
}

/* Returns the cycles of all runs of a step at one end of the bands. */
static uint64_t total_at(const ipu_profile_step *step, ipu_end end)
{
    const uint64_t compute = step->compute_band.at[end], rest = step->band.at[end] - compute;
    const double by = step->compute.max > 0 ? (double)compute / (double)step->compute.max : 1;
    return step->runs * rest + (uint64_t)llround((double)step->total_compute_cycles * by);
}

static uint64_t predicates_of(const ipu_timing *timing)
{
    uint64_t cycles = 0;
    for (size_t c = 0; c < timing->executable->n_controls; c++)
        if (ipu_program_has_predicate(timing->executable->controls[c].program))
            cycles += timing->controls[c].cycles;
    return cycles;
}

static void add_end(const ipu_timing *at, uint64_t predicates_here, ipu_end end, ipu_profile *profile)
{
    uint64_t sum = 0;
    for (size_t s = 0; s < profile->n_steps; s++) {
        ipu_profile_step *step = &profile->steps[s];
        step->band.at[end] = at->supersteps[s].cycles;
        step->compute_band.at[end] = at->supersteps[s].compute_phase_cycles;
        sum += total_at(step, end);
    }
    if (profile->overlapped_cycles > 0) sum = (uint64_t)llround((double)sum * remaining(profile));
    if (predicates_here > 0)
        sum += (uint64_t)llround(
            (double)profile->control_cycles * (double)predicates_of(at) / (double)predicates_here);
    profile->band.at[end] = sum;
}

mt_status ipu_profile_add_bands(const ipu_executable *executable, ipu_profile *profile)
{
    MT_SCRATCH(arena);
    ipu_timing here, at;
    MT_TRY(ipu_timing_make(arena, executable, &here));
    for (int end = 0; end < IPU_ENDS; end++) {
        const ipu_target other = ipu_target_at(&executable->graph->target, (ipu_end)end);
        ipu_executable *same;
        MT_TRY(ipu_compile_for(arena, executable, &other, &same));
        MT_TRY(ipu_timing_make(arena, same, &at));
        add_end(&at, predicates_of(&here), (ipu_end)end, profile);
    }
    return MT_OK;
}

bool ipu_profile_crosses(const ipu_profile *profile)
{
    for (size_t s = 0; s < profile->n_steps; s++)
        if (profile->steps[s].link_bytes) return true;
    return false;
}
