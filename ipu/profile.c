#include "ipu/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ipu_spread spread_of(const uint64_t *x, size_t n)
{
    ipu_spread s = {.min = x[0], .max = x[0]};
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (x[i] < s.min) s.min = x[i];
        if (x[i] > s.max) s.max = x[i];
        sum += x[i];
    }
    s.mean = (double)sum / (double)n;
    double squares = 0;
    for (size_t i = 0; i < n; i++) squares += ((double)x[i] - s.mean) * ((double)x[i] - s.mean);
    s.sd = sqrt(squares / (double)n);
    return s;
}

static ipu_profile_step step_of(const ipu_superstep *step, size_t n_tiles)
{
    return (ipu_profile_step){.name = step->name,
        .cycles = step->cycles,
        .sync_cycles = step->sync_cycles,
        .external_sync_cycles = step->external_sync_cycles,
        .exchange_phase_cycles = step->exchange_phase_cycles,
        .external_cycles = step->external_cycles,
        .exchange_bound_cycles = step->exchange_bound_cycles,
        .bytes_crossing = step->bytes_crossing,
        .busiest_link = step->busiest_link,
        .exchange = spread_of(step->exchange_cycles, n_tiles),
        .compute = spread_of(step->compute_cycles, n_tiles),
        .ranges_received = step->ranges_received,
        .bytes_received = step->bytes_received,
        .bytes_sent = step->bytes_sent,
        .bytes_copied = step->bytes_copied};
}

static int by_size(const void *left, const void *right)
{
    const size_t *a = left;
    const size_t *b = right;
    return *a < *b ? -1 : *a > *b;
}

static mt_status add_memory(const ipu_executable *e, ipu_profile *profile)
{
    size_t n = e->graph->target.tiles;
    mt_arena scratch = {0};
    size_t *totals = mt_arena_take(&scratch, n, sizeof *totals);
    if (!totals) return MT_FILE;
    for (size_t t = 0; t < n; t++) {
        totals[t] = e->memory[t].total;
        if (totals[t] > e->memory[profile->fullest_tile].total) profile->fullest_tile = t;
    }
    qsort(totals, n, sizeof *totals, by_size);
    profile->fullest = e->memory[profile->fullest_tile];
    profile->memory_max = totals[n - 1];
    profile->memory_median = totals[(n - 1) / 2];
    profile->memory_there = e->graph->target.bytes_per_tile;
    mt_arena_free(&scratch);
    return MT_OK;
}

/* A name that lives as long as the profile, not as the graph or the network. */
static mt_status keep_name(mt_arena *arena, const char **name)
{
    if (!*name) return MT_OK;
    const size_t n = strlen(*name) + 1;
    char *kept;
    MT_TAKE(arena, kept, n);
    *name = memcpy(kept, *name, n);
    return MT_OK;
}

mt_status ipu_profile_costs(mt_arena *arena, const ipu_executable *executable, ipu_profile *profile)
{
    *profile = (ipu_profile){.n_steps = executable->graph->n_compute_sets};
    MT_TAKE(arena, profile->steps, profile->n_steps);
    for (size_t s = 0; s < profile->n_steps; s++) {
        profile->steps[s] = step_of(&executable->supersteps[s], executable->graph->target.tiles);
        MT_TRY(keep_name(arena, &profile->steps[s].name));
        MT_TRY(keep_name(arena, &profile->steps[s].busiest_link));
    }
    return add_memory(executable, profile);
}

mt_status ipu_profile_make(mt_arena *arena, const ipu_engine *engine, ipu_profile *profile)
{
    MT_TRY(ipu_profile_costs(arena, engine->executable, profile));
    profile->host_bytes_written = engine->host_bytes_written;
    profile->host_bytes_read = engine->host_bytes_read;
    for (size_t s = 0; s < profile->n_steps; s++) {
        ipu_profile_step *step = &profile->steps[s];
        step->runs = engine->runs[s];
        step->total_cycles = step->runs * step->cycles;
        profile->sync_cycles += step->runs * step->sync_cycles;
        profile->exchange_cycles += step->runs * step->exchange_phase_cycles;
        profile->compute_cycles += step->runs * step->compute.max;
    }
    profile->cycles = profile->sync_cycles + profile->exchange_cycles + profile->compute_cycles;
    profile->seconds = (double)profile->cycles / engine->executable->graph->target.clock_hz;
    return MT_OK;
}
