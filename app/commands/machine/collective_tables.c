#include "app/commands/machine/collective_tables.h"

#include <stdio.h>

#include "ipu/run/profile.h"

typedef struct tabling {
    mt_arena *arena;
    const mt_collective *of;
    const ipu_engine *engine;
} tabling;

static mt_table order_table(const tabling *a)
{
    mt_table table = mt_table_begin(
        a->arena, "rings", "Rings, each from a chip to the next and from the last to the first");
    mt_table_decimals(&table, "ring", "ring", "", 0);
    mt_table_decimals(&table, "part", "part of the data", "", 0);
    mt_table_decimals(&table, "turn", "turn", "", 0);
    mt_table_strings(&table, "chips", "chips");
    for (size_t r = 0; r < a->of->rings.n_rings; r++) {
        const ipu_ring *ring = &a->of->rings.ring[r];
        char *order = mt_arena_alloc(a->arena, ring->n, 12);
        size_t used = 0;
        for (size_t k = 0; k < ring->n && order; k++)
            used += (size_t)sprintf(order + used, k > 0 ? " %u" : "%u", ring->chip[k]);
        MT_TABLE_NUMBERS(&table, (double)r, ring->stream, ring->turn);
        mt_table_text(&table, order);
    }
    return table;
}

/* The most bytes that a chip sends in a step. */
static uint64_t most_sent(const tabling *a, size_t step, uint64_t *bytes)
{
    const size_t n = a->of->target.ipus;
    uint64_t most = 0;
    ipu_plan_bytes(&a->of->plan, step, sizeof(float), n, bytes);
    for (size_t from = 0; from < n; from++) {
        uint64_t sent = 0;
        for (size_t to = 0; to < n; to++) sent += bytes[from * n + to];
        if (sent > most) most = sent;
    }
    return most;
}

static bool alike(const tabling *a, const ipu_superstep_timing *steps, size_t s, size_t t)
{
    return (s < a->of->plan.n_reducing) == (t < a->of->plan.n_reducing) &&
           steps[s].cycles == steps[t].cycles && steps[s].external_cycles == steps[t].external_cycles &&
           steps[s].compute_phase_cycles == steps[t].compute_phase_cycles;
}

/* Steps that are alike and follow each other share a row. */
static mt_status steps_table(const tabling *a, mt_table *out)
{
    const ipu_superstep_timing *steps = a->engine->timing.supersteps;
    uint64_t *bytes;
    mt_table table = mt_table_begin(a->arena, "steps", "Steps, in tile cycles");
    MT_ALLOC(a->arena, bytes, a->of->target.ipus * a->of->target.ipus);
    mt_table_strings(&table, "kind", "kind");
    mt_table_decimals(&table, "steps", "steps", "", 0);
    mt_table_decimals(&table, "sent_bytes", "sent by a chip", "bytes", 0);
    mt_table_decimals(&table, "sync_cycles", "sync", "", 0);
    mt_table_decimals(&table, "copies_cycles", "copies", "", 0);
    mt_table_decimals(&table, "inside_cycles", "exchange inside", "", 0);
    mt_table_decimals(&table, "between_cycles", "between chips", "", 0);
    mt_table_decimals(&table, "compute_cycles", "compute", "", 0);
    mt_table_decimals(&table, "step_cycles", "one step", "", 0);
    mt_table_decimals(&table, "all_cycles", "all of them", "", 0);
    for (size_t s = 0, n = 1; s < a->of->plan.n_steps; s += n) {
        const ipu_superstep_timing *step = &steps[s];
        for (n = 1; s + n < a->of->plan.n_steps && alike(a, steps, s, s + n);) n++;
        mt_table_text(&table, s < a->of->plan.n_reducing ? "reduce" : "gather");
        MT_TABLE_NUMBERS(&table, (double)n, (double)most_sent(a, s, bytes), (double)step->sync_cycles,
            (double)(step->gather_phase_cycles + step->scatter_phase_cycles),
            (double)(step->exchange_phase_cycles - step->external_cycles), (double)step->external_cycles,
            (double)step->compute_phase_cycles, (double)step->cycles, (double)(n * step->cycles));
    }
    *out = table;
    return MT_OK;
}

/* The bytes over a link in all steps, headers with them. */
static uint64_t link_bytes(const ipu_timing *timing, size_t n_steps, uint32_t link)
{
    uint64_t bytes = 0;
    for (size_t s = 0; s < n_steps; s++)
        if (timing->supersteps[s].link_bytes) bytes += timing->supersteps[s].link_bytes[link];
    return bytes;
}

/* Those that carry something. */
static mt_table links_table(const tabling *a)
{
    const ipu_timing *timing = &a->engine->timing;
    const ipu_topology *network = timing->network;
    const double all = (double)ipu_engine_cycles(a->engine);
    size_t idle = 0;
    char title[80];
    for (uint32_t l = 0; l < network->n_links; l++) idle += link_bytes(timing, a->of->plan.n_steps, l) == 0;
    (void)snprintf(title, sizeof title, "Links, in all steps; %zu others carry nothing", idle);
    mt_table table = mt_table_begin(a->arena, "links", title);
    mt_table_strings(&table, "link", "link");
    mt_table_decimals(&table, "bytes", "bytes", "", 0);
    mt_table_decimals(&table, "busy_cycles", "busy", "cycles", 0);
    mt_table_decimals(&table, "busy_percent", "share of the time", "%", 1);
    for (uint32_t l = 0; l < network->n_links; l++) {
        const uint64_t bytes = link_bytes(timing, a->of->plan.n_steps, l);
        if (bytes == 0) continue;
        const double busy = (double)ipu_link_cycles(&network->links[l], bytes, a->of->target.clock_hz);
        mt_table_text(&table, network->links[l].name);
        MT_TABLE_NUMBERS(&table, (double)bytes, busy, 100 * busy / all);
    }
    return table;
}

static mt_status totals_table(const tabling *a, mt_table *out)
{
    const double clock = a->of->target.clock_hz, bytes = (double)(a->of->plan.n_elements * sizeof(float));
    ipu_profile profile;
    char title[320];
    MT_TRY(ipu_profile_make(a->arena, a->engine, &profile));
    MT_TRY(ipu_profile_add_bands(a->engine->timing.executable, &profile));
    const double us = profile.seconds * 1e6, fast = (double)profile.band.at[IPU_FAST],
                 slow = (double)profile.band.at[IPU_SLOW];
    (void)snprintf(title, sizeof title, "%s of %.0f bytes on each of %zu IPUs: %s, %s, %s",
        ipu_collective_name[a->of->operation], bytes, a->of->target.ipus, a->of->target.name,
        ipu_logical_name[a->of->rings.logical], ipu_method_name[a->of->plan.method]);
    mt_table table = mt_table_properties(a->arena, "totals", title);
    mt_table_property(&table, "steps", "steps", (double)a->of->plan.n_steps, "");
    mt_table_property(&table, "cycles", "all steps", (double)profile.cycles, "cycles");
    mt_table_property(&table, "time_us", "time", us, "us");
    mt_table_property(
        &table, "fast_us", "with uncertain constants at their fast ends", fast / clock * 1e6, "us");
    mt_table_property(&table, "slow_us", "at their slow ends", slow / clock * 1e6, "us");
    mt_table_property(&table, "bandwidth_gb_per_s", "vector a second", bytes / us / 1e3, "GB/s");
    *out = table;
    return MT_OK;
}

mt_status mt_collective_tables(mt_arena *arena, const mt_collective *collective, const ipu_engine *engine,
    mt_table tables[MT_COLLECTIVE_TABLES])
{
    const tabling a = {arena, collective, engine};
    MT_TRY(totals_table(&a, &tables[0]));
    tables[1] = order_table(&a);
    MT_TRY(steps_table(&a, &tables[2]));
    tables[3] = links_table(&a);
    return MT_OK;
}
