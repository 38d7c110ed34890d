#include "ipu/run/trace_file.h"

#include <math.h>
#include <stdio.h>

#include "data/files/file.h"
#include "data/files/json.h"

typedef struct tracing {
    mt_json json; /* within the list of events */
    const ipu_target *target;
} tracing;

static size_t pid_of(const tracing *t, size_t tile) { return ipu_target_chip(t->target, tile) + 1; }

static void begin_metadata(tracing *t, const char *what, size_t pid)
{
    mt_json_open(&t->json, NULL, '{');
    mt_json_text(&t->json, "name", what);
    mt_json_text(&t->json, "ph", "M");
    mt_json_count(&t->json, "pid", pid);
}

static void add_name(tracing *t, const char *what, size_t pid, size_t tid, const char *name)
{
    begin_metadata(t, what, pid);
    mt_json_count(&t->json, "tid", tid);
    mt_json_open(&t->json, "args", '{');
    mt_json_text(&t->json, "name", name);
    mt_json_close(&t->json), mt_json_close(&t->json);
}

/* Makes viewers show this process first. */
static void put_first(tracing *t, size_t pid)
{
    begin_metadata(t, "process_sort_index", pid);
    mt_json_open(&t->json, "args", '{');
    mt_json_number(&t->json, "sort_index", -1);
    mt_json_close(&t->json), mt_json_close(&t->json);
}

/* Rounds a time. Both ends of a slice are rounded, so that adjacent slices remain adjacent in nanoseconds. */
static uint64_t nanoseconds(const tracing *t, uint64_t cycle)
{
    return (uint64_t)llround((double)cycle / t->target->clock_hz * 1e9);
}

/* Adds a slice unless it has no cycles. */
static void add_slice(
    tracing *t, size_t pid, size_t tid, const char *phase, const char *step, uint64_t begin, uint64_t cycles)
{
    char name[256];
    if (cycles == 0) return;
    const uint64_t from = nanoseconds(t, begin), took = nanoseconds(t, begin + cycles) - from;
    (void)snprintf(name, sizeof name, "%s: %s", phase, step);
    mt_json_open(&t->json, NULL, '{');
    mt_json_text(&t->json, "name", name);
    mt_json_text(&t->json, "cat", phase);
    mt_json_text(&t->json, "ph", "X");
    mt_json_count(&t->json, "pid", pid);
    mt_json_count(&t->json, "tid", tid);
    mt_json_thousandths(&t->json, "ts", from);
    mt_json_thousandths(&t->json, "dur", took);
    mt_json_open(&t->json, "args", '{');
    mt_json_count(&t->json, "cycles", cycles);
    mt_json_close(&t->json), mt_json_close(&t->json);
}

/* If cycles depend on data, the typical compute of a tile can exceed the actual phase; it is clipped. */
static void add_superstep(
    tracing *t, const ipu_timing *timing, const ipu_trace_superstep *ran, size_t first, size_t last)
{
    const char *name = timing->executable->supersteps[ran->compute_set].name;
    const ipu_superstep_timing *step = &timing->supersteps[ran->compute_set];
    const uint64_t begin = ran->begin;
    const size_t machine = t->target->ipus + 1, whole = t->target->tiles + 1;
    const uint64_t sync = begin + step->gather_phase_cycles, exchange = sync + step->sync_cycles,
                   scatter = exchange + step->exchange_phase_cycles,
                   compute = scatter + step->scatter_phase_cycles;
    add_slice(t, machine, whole, "rearrangement", name, begin, step->gather_phase_cycles);
    add_slice(t, machine, whole, "sync", name, sync, step->sync_cycles);
    add_slice(t, machine, whole, "exchange", name, exchange, step->exchange_phase_cycles);
    add_slice(t, machine, whole, "rearrangement", name, scatter, step->scatter_phase_cycles);
    add_slice(t, machine, whole, "compute", name, compute, ran->compute_cycles);
    add_slice(t, machine, whole, "DRAM", name, compute + ran->compute_cycles, step->dram_cycles);
    for (size_t tile = first; tile <= last; tile++) {
        const size_t pid = pid_of(t, tile);
        add_slice(t, pid, tile + 1, "rearrangement", name, begin, step->gather_cycles[tile]);
        add_slice(t, pid, tile + 1, "exchange", name, exchange, step->exchange_cycles[tile]);
        add_slice(t, pid, tile + 1, "rearrangement", name, scatter, step->scatter_cycles[tile]);
        const uint64_t busy = step->compute_cycles[tile];
        add_slice(t, pid, tile + 1, "compute", name, compute,
            busy < ran->compute_cycles ? busy : ran->compute_cycles);
    }
}

static void add_names(tracing *t, size_t first, size_t last)
{
    const size_t machine = t->target->ipus + 1, tiles = t->target->tiles / t->target->ipus;
    char name[64];
    add_name(t, "process_name", machine, t->target->tiles + 1, "machine");
    add_name(t, "thread_name", machine, t->target->tiles + 1, "phases");
    put_first(t, machine);
    for (size_t tile = first; tile <= last; tile++) {
        const size_t pid = pid_of(t, tile);
        (void)snprintf(name, sizeof name, "IPU %zu", pid - 1);
        if (tile == first || pid_of(t, tile - 1) != pid) add_name(t, "process_name", pid, tile + 1, name);
        (void)snprintf(name, sizeof name, "tile %zu", tile % tiles);
        add_name(t, "thread_name", pid, tile + 1, name);
    }
}

/* Writes the document up to the first event. */
static void begin_document(tracing *t, const char *title, size_t n_supersteps)
{
    mt_json_open(&t->json, NULL, '{');
    mt_json_text(&t->json, "displayTimeUnit", "ns");
    mt_json_open(&t->json, "otherData", '{');
    mt_json_text(&t->json, "title", title);
    mt_json_text(&t->json, "machine", t->target->name);
    mt_json_number(&t->json, "clock_hz", t->target->clock_hz);
    mt_json_count(&t->json, "supersteps", n_supersteps);
    mt_json_close(&t->json);
    mt_json_open(&t->json, "traceEvents", '[');
}

mt_status ipu_trace_write(
    const ipu_trace *trace, const char *title, size_t first, size_t last, const char *path)
{
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    tracing t = {.json = mt_json_begin(file.stream, &mt_json_long),
        .target = &trace->timing->executable->graph->target};
    begin_document(&t, title, trace->n);
    add_names(&t, first, last);
    for (size_t k = 0; k < trace->n; k++)
        add_superstep(&t, trace->timing, &trace->supersteps[k], first, last);
    mt_json_close(&t.json), mt_json_close(&t.json);
    (void)fputc('\n', file.stream);
    return mt_file_end(&file, MT_OK);
}
