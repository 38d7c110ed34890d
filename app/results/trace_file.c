#include "app/results/trace_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "app/cli/json.h"
#include "data/file.h"

typedef struct tracing {
    FILE *stream;
    const ipu_target *target;
    bool filled; /* an event stands before the next one */
} tracing;

static size_t pid_of(const tracing *t, size_t tile) { return ipu_target_chip(t->target, tile) + 1; }

static void begin_event(tracing *t)
{
    (void)fputs(t->filled ? ",\n" : "\n", t->stream);
    t->filled = true;
}

static void name_thing(tracing *t, const char *what, size_t pid, size_t tid, const char *name)
{
    begin_event(t);
    (void)fprintf(t->stream,
        "{\"name\": \"%s\", \"ph\": \"M\", \"pid\": %zu, \"tid\": %zu, \"args\": {\"name\": ", what, pid,
        tid);
    mt_json_string(t->stream, name);
    (void)fputs("}}", t->stream);
}

/* Both ends are rounded, so that slices which touch do so in nanoseconds, too. */
static uint64_t nanoseconds(const tracing *t, uint64_t cycle)
{
    return (uint64_t)llround((double)cycle / t->target->clock_hz * 1e9);
}

/* A slice; nothing where it has no cycles. */
static void add_slice(
    tracing *t, size_t pid, size_t tid, const char *phase, const char *step, uint64_t begin, uint64_t cycles)
{
    char name[256];
    if (cycles == 0) return;
    const uint64_t from = nanoseconds(t, begin), took = nanoseconds(t, begin + cycles) - from;
    (void)snprintf(name, sizeof name, "%s: %s", phase, step);
    begin_event(t);
    (void)fputs("{\"name\": ", t->stream);
    mt_json_string(t->stream, name);
    (void)fprintf(t->stream,
        ", \"cat\": \"%s\", \"ph\": \"X\", \"pid\": %zu, \"tid\": %zu, \"ts\": %" PRIu64
        ".%03u, \"dur\": %" PRIu64 ".%03u, \"args\": {\"cycles\": %" PRIu64 "}}",
        phase, pid, tid, from / 1000, (unsigned)(from % 1000), took / 1000, (unsigned)(took % 1000), cycles);
}

/* A tile's typical compute may be longer than what a phase took whose cycles depend on data. */
static void add_superstep(
    tracing *t, const ipu_timing *timing, const ipu_trace_superstep *ran, size_t first, size_t last)
{
    const char *name = timing->executable->supersteps[ran->compute_set].name;
    const ipu_superstep_timing *step = &timing->supersteps[ran->compute_set];
    const uint64_t begin = ran->begin;
    const size_t machine = t->target->ipus + 1, whole = t->target->tiles + 1;
    const uint64_t exchange = begin + step->sync_cycles, compute = exchange + step->exchange_phase_cycles;
    add_slice(t, machine, whole, "sync", name, begin, step->sync_cycles);
    add_slice(t, machine, whole, "exchange", name, exchange, step->exchange_phase_cycles);
    add_slice(t, machine, whole, "compute", name, compute, ran->compute_cycles);
    for (size_t tile = first; tile <= last; tile++) {
        const size_t pid = pid_of(t, tile);
        add_slice(t, pid, tile + 1, "exchange", name, exchange, step->exchange_cycles[tile]);
        const uint64_t busy = step->compute_cycles[tile];
        add_slice(t, pid, tile + 1, "compute", name, compute,
            busy < ran->compute_cycles ? busy : ran->compute_cycles);
    }
}

static void name_things(tracing *t, size_t first, size_t last)
{
    const size_t machine = t->target->ipus + 1, tiles = t->target->tiles / t->target->ipus;
    char name[64];
    name_thing(t, "process_name", machine, t->target->tiles + 1, "machine");
    name_thing(t, "thread_name", machine, t->target->tiles + 1, "phases");
    begin_event(t);
    (void)fprintf(t->stream,
        "{\"name\": \"process_sort_index\", \"ph\": \"M\", \"pid\": %zu, \"args\": {\"sort_index\": -1}}",
        machine);
    for (size_t tile = first; tile <= last; tile++) {
        const size_t pid = pid_of(t, tile);
        (void)snprintf(name, sizeof name, "IPU %zu", pid - 1);
        if (tile == first || pid_of(t, tile - 1) != pid) name_thing(t, "process_name", pid, tile + 1, name);
        (void)snprintf(name, sizeof name, "tile %zu", tile % tiles);
        name_thing(t, "thread_name", pid, tile + 1, name);
    }
}

mt_status mt_trace_write(
    const ipu_trace *trace, const char *title, size_t first, size_t last, const char *path)
{
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    tracing t = {.stream = file.stream, .target = &trace->timing->executable->graph->target};
    (void)fputs("{\"displayTimeUnit\": \"ns\",\n\"otherData\": {\"title\": ", t.stream);
    mt_json_string(t.stream, title);
    (void)fputs(", \"machine\": ", t.stream);
    mt_json_string(t.stream, t.target->name);
    (void)fprintf(t.stream, ", \"clock_hz\": %.17g, \"supersteps\": %zu},\n", t.target->clock_hz, trace->n);
    (void)fputs("\"traceEvents\": [", t.stream);
    name_things(&t, first, last);
    for (size_t k = 0; k < trace->n; k++)
        add_superstep(&t, trace->timing, &trace->supersteps[k], first, last);
    (void)fputs("\n]}\n", t.stream);
    return mt_file_end(&file, MT_OK);
}
