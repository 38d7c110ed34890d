#include "ipu/run/engine.h"

#include <inttypes.h>
#include <string.h>

#include "ipu/compile/controls.h"
#include "ipu/cost/workers.h"

#if defined(__SSE2__)
#    include <xmmintrin.h>
#endif

/* ---- subnormals: the floating-point mode of this thread ---- */

uint64_t ipu_begin_flushing(void)
{
#if defined(__SSE2__)
    enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 };
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
    return before;
#elif defined(__aarch64__)
    uint64_t before = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | (UINT64_C(1) << 24)));
    return before;
#else
    return 0;
#endif
}

void ipu_end_flushing(uint64_t before)
{
#if defined(__SSE2__)
    _mm_setcsr((unsigned)before);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
#else
    (void)before;
#endif
}

/* ---- creation ---- */

static void write_constants(ipu_engine *engine);

/* Sets the span of every range, and for a list field the span of its ranges' spans. */
static void make_spans(ipu_engine *engine)
{
    const ipu_executable *e = engine->executable;
    for (size_t i = 0; i < e->n_tasks; i++) {
        const ipu_task *task = &e->tasks[i];
        for (size_t f = 0; f < task->codelet->n_fields; f++) {
            size_t n;
            const ipu_place *p = ipu_task_places(e, task, f, &n);
            ipu_span *spans = &engine->spans[p - e->places];
            for (size_t k = 0; k < n; k++) spans[k] = (ipu_span){engine->image + p[k].offset, p[k].n};
            if (task->codelet->lists >> f & 1) engine->spans[task->first_place + f] = (ipu_span){spans, n};
        }
    }
}

static void poison_own(ipu_engine *e)
{
    const size_t *offset = e->executable->tile_offset;
    memset(e->image + offset[e->ranks.first_tile], 0xff,
        offset[e->ranks.end_tile] - offset[e->ranks.first_tile]);
}

mt_status ipu_engine_new(mt_arena *arena, const ipu_executable *executable, bool checked, ipu_engine **engine)
{
    return ipu_engine_new_of_rank(arena, NULL, executable, checked, engine);
}

mt_status ipu_engine_new_of_rank(mt_arena *arena, const mt_communicator *with,
    const ipu_executable *executable, bool checked, ipu_engine **engine)
{
    const ipu_graph *graph = executable->graph;
    size_t bytes = executable->tile_offset[graph->target.tiles];
    ipu_engine *e = NULL;
    MT_ALLOC(arena, e, 1);
    e->executable = executable;
    e->checked = checked;
    MT_TRY((executable->untimed ? ipu_timing_none : ipu_timing_make)(arena, executable, &e->timing));
    MT_ALLOC(arena, e->image, bytes); /* pages of other ranks' tiles are never touched, and take no memory */
    MT_TRY(ipu_ranks_make(arena, with, executable, e->image, &e->ranks));
    MT_ALLOC(arena, e->spans, executable->n_places);
    MT_ALLOC(arena, e->streams, graph->n_streams);
    MT_ALLOC(arena, e->runs, graph->n_compute_sets);
    MT_ALLOC(arena, e->compute_cycles, graph->n_compute_sets);
    MT_ALLOC(arena, e->used_slots, graph->n_compute_sets);
    MT_TRY(ipu_clocks_make(arena, &e->timing, &e->clocks));
    if (e->clocks) MT_ALLOC(arena, e->overlapped_cycles, graph->n_compute_sets);
    MT_ALLOC(arena, e->control_runs, executable->n_controls);
    MT_TRY(ipu_stream_buffers_new(arena, &e->timing, &e->stream_room));
    if (e->checked) poison_own(e);
    make_spans(e);
    write_constants(e);
    *engine = e;
    return MT_OK;
}

/* ---- counters ---- */

typedef struct counter {
    uint64_t *first;
    size_t n;
} counter;

enum { COUNTERS = 10 };

static void list_counters(ipu_engine *e, counter list[COUNTERS])
{
    const size_t n = e->executable->graph->n_compute_sets;
    const counter all[COUNTERS] = {{e->runs, n}, {e->compute_cycles, n}, {e->used_slots, n},
        {e->control_runs, e->executable->n_controls}, {&e->stream_runs, 1}, {&e->stream_cycles, 1},
        {&e->host_bytes_written, 1}, {&e->host_bytes_read, 1}, {e->overlapped_cycles, e->clocks ? n : 0},
        {e->clocks ? e->clocks->tile : NULL, e->clocks ? e->executable->graph->target.tiles : 0}};
    memcpy(list, all, sizeof all);
}

size_t ipu_engine_counts(const ipu_engine *engine)
{
    ipu_engine only_read = *engine;
    counter list[COUNTERS];
    size_t n = 0;
    list_counters(&only_read, list);
    for (int k = 0; k < COUNTERS; k++) n += list[k].n;
    return n;
}

static void copy_counts(uint64_t *to, const uint64_t *from, size_t n)
{
    if (n > 0) memcpy(to, from, n * sizeof *to);
}

void ipu_engine_count(const ipu_engine *engine, uint64_t *counts)
{
    ipu_engine only_read = *engine;
    counter list[COUNTERS];
    list_counters(&only_read, list);
    for (int k = 0; k < COUNTERS; counts += list[k++].n) copy_counts(counts, list[k].first, list[k].n);
}

void ipu_engine_recount(ipu_engine *engine, const uint64_t *counts)
{
    counter list[COUNTERS];
    list_counters(engine, list);
    for (int k = 0; k < COUNTERS; counts += list[k++].n) copy_counts(list[k].first, counts, list[k].n);
    if (engine->clocks) ipu_clocks_find_latest(engine->clocks);
}

mt_status ipu_engine_connect_stream(ipu_engine *engine, uint32_t stream, void *data, size_t n)
{
    size_t n_streams = engine->executable->graph->n_streams;
    if (stream >= n_streams)
        return mt_fail(MT_INPUT, "engine: stream %u; allowed: below %zu", stream, n_streams);
    engine->streams[stream] = (ipu_stream_buffer){.data = data, .n = n};
    return MT_OK;
}

static const ipu_control *count_control(ipu_engine *engine, const ipu_program *program)
{
    const ipu_control *control = ipu_controls_find(engine->executable, program);
    const size_t number = (size_t)(control - engine->executable->controls);
    engine->control_runs[number]++;
    if (engine->clocks) ipu_clocks_join(engine->clocks, engine->timing.controls[number].cycles);
    return control;
}

/* ---- host access ---- */

/* An iterator over the elements of slices, by contiguous stretches of a tile's memory. */
typedef struct walk {
    const ipu_engine *engine;
    const ipu_slice *slices;
    size_t n_slices, next_slice, range;
    ipu_slice left; /* the rest of the current slice */
} walk;

static walk begin_walk(const ipu_engine *engine, const ipu_tensor *tensor)
{
    return (walk){.engine = engine,
        .slices = engine->executable->graph->slices + tensor->first_slice,
        .n_slices = tensor->n_slices};
}

/* Advances to the next stretch; false at the end. `tile` is NULL if another rank has it. */
static bool next_stretch(walk *w, unsigned char **tile, size_t *bytes)
{
    const ipu_executable *e = w->engine->executable;
    if (w->left.n == 0) {
        if (w->next_slice == w->n_slices) return false;
        w->left = w->slices[w->next_slice++];
        w->range = ipu_executable_range(e, w->left.variable, w->left.from);
    }
    const ipu_range *range = &e->ranges[w->range++];
    const size_t element = ipu_type_bytes(e->graph->variables[w->left.variable].type);
    size_t skip = w->left.from - range->from;
    size_t n = range->n - skip < w->left.n ? range->n - skip : w->left.n;
    *tile = ipu_ranks_has(&w->engine->ranks, range->tile) ? w->engine->image + range->offset + skip * element
                                                          : NULL;
    *bytes = n * element;
    w->left.from += n;
    w->left.n -= n;
    return true;
}

static void copy_in(walk w, const void *data)
{
    const unsigned char *from = data;
    unsigned char *tile = NULL;
    for (size_t bytes = 0; next_stretch(&w, &tile, &bytes); from += bytes)
        if (tile) memcpy(tile, from, bytes);
}

void ipu_engine_write(ipu_engine *engine, const ipu_tensor *tensor, const void *data)
{
    copy_in(begin_walk(engine, tensor), data);
}

void ipu_engine_write_slice(ipu_engine *engine, const ipu_slice *slice, const void *data)
{
    copy_in((walk){.engine = engine, .slices = slice, .n_slices = 1}, data);
}

static void write_constants(ipu_engine *engine)
{
    const ipu_graph *graph = engine->executable->graph;
    for (uint32_t v = 0; v < graph->n_variables; v++)
        if (graph->variables[v].constant)
            ipu_engine_write_slice(
                engine, &(ipu_slice){v, 0, graph->variables[v].n}, graph->variables[v].constant);
}

/* Copies to `data` and returns the number of bytes. */
static size_t copy_out(walk w, void *data)
{
    unsigned char *to = data;
    unsigned char *tile = NULL;
    for (size_t bytes = 0; next_stretch(&w, &tile, &bytes); to += bytes)
        if (tile) memcpy(to, tile, bytes);
    return (size_t)(to - (unsigned char *)data);
}

void ipu_engine_read(const ipu_engine *engine, const ipu_tensor *tensor, void *data)
{
    (void)copy_out(begin_walk(engine, tensor), data);
}

void ipu_engine_read_slice(const ipu_engine *engine, const ipu_slice *slice, void *data)
{
    (void)copy_out((walk){.engine = engine, .slices = slice, .n_slices = 1}, data);
}

mt_status ipu_engine_stream(ipu_engine *engine, const ipu_slice *slices, size_t n_slices, void *data)
{
    ipu_control_cost cost = {0};
    if (!engine->executable->untimed)
        MT_TRY(ipu_timing_stream(&engine->timing, slices, n_slices, &engine->stream_room, &cost));
    engine->host_bytes_read +=
        copy_out((walk){.engine = engine, .slices = slices, .n_slices = n_slices}, data);
    engine->stream_cycles += cost.cycles;
    if (engine->clocks) ipu_clocks_join(engine->clocks, cost.cycles);
    engine->stream_runs++;
    return MT_OK;
}

static mt_status run_transfer(ipu_engine *engine, const ipu_program *program)
{
    const char *name = engine->executable->graph->streams[program->stream].name;
    const ipu_tensor *tensor = &program->tensor;
    ipu_stream_buffer *stream = &engine->streams[program->stream];
    if (!stream->data) return mt_fail(MT_INPUT, "engine: stream '%s' is not connected", name);
    if (stream->at == stream->n) stream->at = 0;
    if (tensor->n > stream->n - stream->at)
        return mt_fail(MT_INPUT, "engine: stream '%s': a transfer of %zu elements; %zu of %zu are left", name,
            tensor->n, stream->n - stream->at, stream->n);
    size_t bytes = ipu_type_bytes(tensor->type);
    unsigned char *data = stream->data + stream->at * bytes;
    stream->at += tensor->n;
    if (program->kind == IPU_HOST_WRITE) {
        ipu_engine_write(engine, tensor, data);
        engine->host_bytes_written += tensor->n * bytes;
    } else {
        ipu_engine_read(engine, tensor, data);
        engine->host_bytes_read += tensor->n * bytes;
    }
    (void)count_control(engine, program);
    return MT_OK;
}

/* ---- poison ---- */

/* Returns the offset of the first element with all bits 1, or `n`. */
static size_t find_poison(const unsigned char *bytes, size_t n, size_t element)
{
    static const unsigned char poison[4] = {0xff, 0xff, 0xff, 0xff};
    size_t i = 0;
    while (i < n && memcmp(bytes + i, poison, element) != 0) i += element;
    return i;
}

/* Finds the first message of the tile that delivered poison, and the byte in it; false if there is none. */
static bool find_unreceived(
    const ipu_engine *engine, const ipu_superstep *step, size_t tile, size_t *message, size_t *byte)
{
    const ipu_executable *e = engine->executable;
    for (size_t i = step->first_message[tile]; i < step->first_stored[tile]; i++) {
        const ipu_message *m = &e->messages[i];
        size_t element = ipu_type_bytes((ipu_type)e->message_type[i]);
        if (e->message_type[i] == IPU_INT) continue;
        *message = i;
        *byte = find_poison(engine->image + m->destination, m->bytes, element);
        if (*byte < m->bytes) return true;
    }
    return false;
}

/* Returns the first input field of the tile's tasks that covers an offset of the image, with its codelet and element; NULL if
 * there is none. */
static const ipu_field *field_at(const ipu_executable *e, const ipu_superstep *step, size_t tile, size_t at,
    const ipu_codelet **codelet, size_t *n)
{
    for (size_t i = step->first_task[tile]; i < step->first_task[tile + 1]; i++) {
        const ipu_task *task = &e->tasks[i];
        for (size_t f = 0; f < task->codelet->n_fields; f++) {
            const ipu_field *field = &task->codelet->fields[f];
            const size_t bytes = ipu_type_bytes(field->type);
            size_t ranges;
            const ipu_place *p = ipu_task_places(e, task, f, &ranges);
            for (size_t k = 0, before = 0; k < ranges && field->direction == IPU_INPUT; before += p[k++].n) {
                if (at < p[k].offset || at >= p[k].offset + p[k].n * bytes) continue;
                *codelet = task->codelet;
                *n = before + (at - p[k].offset) / bytes;
                return field;
            }
        }
    }
    return NULL;
}

static mt_status report_unreceived(const ipu_engine *engine, const ipu_superstep *step, size_t tile)
{
    const ipu_executable *e = engine->executable;
    const ipu_codelet *codelet = NULL;
    size_t message = 0;
    size_t byte = 0;
    size_t n = 0;
    size_t element = 0;
    (void)find_unreceived(engine, step, tile, &message, &byte);
    const ipu_message *m = &e->messages[message];
    const ipu_field *field = field_at(e, step, tile, m->destination + byte, &codelet, &n);
    const ipu_range *from = ipu_executable_range_at(e, m->source + byte, &element);
    if (from)
        return mt_fail(MT_NUMERICS,
            "compute set '%s', tile %zu: codelet '%s' field '%s' element %zu would be read before it was "
            "received: variable '%s' element %zu from tile %u",
            step->name, tile, codelet ? codelet->name : "", field ? field->name : "", n,
            e->graph->variables[from->variable].name, element, m->source_tile);
    return mt_fail(
        MT_NUMERICS, "compute set '%s', tile %zu: message %zu has no source", step->name, tile, message);
}

/* ---- supersteps ---- */

/* Explicit prefetching, because the host's prefetcher cannot predict the first accesses of a tile. It covers the start of each
 * field of the next task, and targets the L2 cache (2), because data would not stay in L1 for long enough. A prefetch outside
 * the image is harmless. */
enum { CACHE_LINE = 64, MESSAGES_AHEAD = 8, BYTES_AHEAD = 64 * CACHE_LINE };

static void fetch_source(const ipu_engine *engine, const ipu_message *m)
{
    uintptr_t source = (uintptr_t)engine->image + m->source;
    __builtin_prefetch((const void *)source);
    __builtin_prefetch((const void *)(source + CACHE_LINE));
}

static void fetch_fields(const ipu_engine *engine, const ipu_task *task)
{
    for (size_t f = 0; f < task->codelet->n_fields; f++) {
        const ipu_span *field = &engine->spans[task->first_place + f];
        const bool list = task->codelet->lists >> f & 1;
        const size_t all = field->n * (list ? sizeof *field : ipu_type_bytes(task->codelet->fields[f].type)),
                     bytes = all < BYTES_AHEAD ? all : BYTES_AHEAD;
        for (size_t byte = 0; byte < bytes; byte += CACHE_LINE)
            __builtin_prefetch((const char *)field->data + byte, 0, 2);
    }
}

static void receive(const ipu_engine *engine, const ipu_superstep *step, size_t tile)
{
    const ipu_message *messages = engine->executable->messages;
    unsigned char *image = engine->image;
    const size_t last = step->first_message[engine->executable->graph->target.tiles];
    for (size_t i = step->first_message[tile]; i < step->first_message[tile + 1]; i++) {
        const ipu_message *m = &messages[i];
        if (i + MESSAGES_AHEAD < last) fetch_source(engine, m + MESSAGES_AHEAD);
        if (ipu_ranks_has(&engine->ranks, m->source_tile))
            memcpy(image + m->destination, image + m->source, m->bytes);
    }
}

static void compute(const ipu_engine *engine, const ipu_superstep *step, size_t tile)
{
    const ipu_task *tasks = engine->executable->tasks;
    const size_t last = step->first_task[engine->executable->graph->target.tiles];
    for (size_t i = step->first_task[tile]; i < step->first_task[tile + 1]; i++) {
        if (i + 1 < last) fetch_fields(engine, &tasks[i + 1]);
        tasks[i].codelet->compute(engine->spans + tasks[i].first_place, tasks[i].context);
    }
}

static void poison(const ipu_engine *engine, const ipu_superstep *step, size_t tile)
{
    const ipu_message *messages = engine->executable->messages;
    for (size_t i = step->first_message[tile]; i < step->first_stored[tile]; i++)
        memset(engine->image + messages[i].destination, 0xff, messages[i].bytes);
}

/* Runs a vertex and returns its cost. */
static ipu_cycles compute_timed(const ipu_engine *engine, const ipu_task *task)
{
    const ipu_codelet *codelet = task->codelet;
    const ipu_span *fields = engine->spans + task->first_place;
    if (codelet->compute_timed)
        return codelet->compute_timed(&engine->executable->graph->target, fields, task->context);
    codelet->compute(fields, task->context);
    return ipu_timing_vertex(engine->executable, task);
}

/* The reason why a tile stopped: a vertex with an impossible cost, or, if `task` is NULL, received poison. */
typedef struct fault {
    size_t tile;
    const ipu_task *task;
    ipu_cycles cost;
} fault;

/* The cycles and slots of a tile, if they depend on data. */
typedef struct taken {
    uint64_t cycles, used;
} taken;

/* Computes and counts the cost of vertices with data-dependent time. False if the cost of a vertex is impossible. */
static bool compute_counting(
    const ipu_engine *engine, const ipu_superstep *step, size_t tile, taken *took, fault *why)
{
    const ipu_target *target = &engine->executable->graph->target;
    ipu_workers workers = ipu_workers_begin(target);
    const size_t last = step->first_task[target->tiles];
    if (step->first_task[tile] == step->first_task[tile + 1]) return true;
    for (size_t i = step->first_task[tile]; i < step->first_task[tile + 1]; i++) {
        const ipu_task *task = &engine->executable->tasks[i];
        if (i + 1 < last) fetch_fields(engine, task + 1);
        const ipu_cycles cost = compute_timed(engine, task);
        if (!ipu_workers_cost_valid(target, task->codelet->kind, cost)) {
            *why = (fault){tile, task, cost};
            return false;
        }
        ipu_workers_add(&workers, task->codelet->kind, cost);
    }
    *took = (taken){ipu_workers_cycles(&workers), workers.used};
    return true;
}

/* Receives (unless already done), checks and computes. False if a check failed. */
static bool run_tile(
    const ipu_engine *engine, const ipu_superstep *step, size_t tile, taken *took, fault *why)
{
    size_t message = 0;
    size_t byte = 0;
    if (!step->receive_all_first) receive(engine, step, tile);
    *why = (fault){.tile = tile};
    if (engine->checked && find_unreceived(engine, step, tile, &message, &byte)) return false;
    if (!step->data_dependent)
        compute(engine, step, tile);
    else if (!compute_counting(engine, step, tile, took, why))
        return false;
    if (engine->checked) poison(engine, step, tile);
    return true;
}

/* The outcome of one run of a superstep: the fault of the lowest faulty tile (without a fault first.tile is the number of
 * tiles), and the cost if it depends on data. */
typedef struct outcome {
    fault first;
    uint64_t compute_cycles, used_slots;
} outcome;

/* Supersteps that run together: none after the first receives data. */
typedef struct together {
    const ipu_superstep *const *step;
    size_t n;
} together;

/* Runs all of them on one tile. False if a check failed. */
static bool run_tile_through(
    const ipu_engine *engine, const together *all, size_t tile, taken *took, fault *why)
{
    if (!run_tile(engine, all->step[0], tile, took, why)) return false;
    for (size_t k = 1; k < all->n; k++) compute(engine, all->step[k], tile);
    return true;
}

/* A subset of the own tiles: all of them, or, during communication with other ranks, the tiles that do not wait for it or the
 * tiles that do. */
typedef enum which_tiles { ALL_TILES, FREE_TILES, WAITING_TILES } which_tiles;

static void receive_all(const ipu_engine *engine, const ipu_superstep *step)
{
#pragma omp parallel for schedule(static)
    for (size_t t = engine->ranks.first_tile; t < engine->ranks.end_tile; t++) receive(engine, step, t);
}

static void merge(outcome *all, const fault *why, const taken *took)
{
    if (why && why->tile < all->first.tile) all->first = *why;
    if (took->cycles > all->compute_cycles) all->compute_cycles = took->cycles;
    all->used_slots += took->used;
}

/* If no vertex writes a variable that is sent, a tile computes as soon as it has received, while the data are in the host's
 * cache. */
static void run_tiles(const ipu_engine *engine, const together *all, which_tiles which, outcome *out)
{
    const bool *waits =
        which == ALL_TILES ? NULL : engine->ranks.waits[all->step[0] - engine->executable->supersteps];
#pragma omp parallel
    {
        const uint64_t before = ipu_begin_flushing();
        outcome own = {.first.tile = engine->executable->graph->target.tiles};
#pragma omp for schedule(static) nowait
        for (size_t t = engine->ranks.first_tile; t < engine->ranks.end_tile; t++) {
            taken took = {0};
            fault why;
            if (waits && waits[t] != (which == WAITING_TILES)) continue;
            const bool ran = run_tile_through(engine, all, t, &took, &why);
            if (engine->clocks && all->step[0]->data_dependent) engine->clocks->compute[t] = took.cycles;
            merge(&own, ran ? NULL : &why, &took);
        }
        ipu_end_flushing(before);
#pragma omp critical(ipu_engine_outcome)
        merge(out, &own.first, &(taken){own.compute_cycles, own.used_slots});
    }
}

/* True if the cycles of a superstep depend on data on any rank. A rank without elements cannot decide this alone. */
static bool depends_on_data(const ipu_engine *engine, const ipu_superstep *step)
{
    return engine->ranks.with ? engine->ranks.depends[step - engine->executable->supersteps]
                              : step->data_dependent;
}

/* Reduces the outcome over all ranks: the maximum of cycles, the sum of slots, the lowest faulty tile. */
static void reduce_outcome(const ipu_engine *engine, outcome *out)
{
    const mt_communicator *with = engine->ranks.with;
    uint64_t tile = out->first.tile;
    with->reduce(with, MT_REDUCE_MIN, &tile, 1);
    with->reduce(with, MT_REDUCE_MAX, &out->compute_cycles, 1);
    with->reduce(with, MT_REDUCE_SUM, &out->used_slots, 1);
    if (out->first.tile != tile) out->first = (fault){.tile = tile};
}

/* Returns the exchange of a superstep with other ranks; NULL if no data cross ranks. */
static void *exchange_of(const ipu_engine *engine, const ipu_superstep *step)
{
    return engine->ranks.with ? engine->ranks.exchange[step - engine->executable->supersteps] : NULL;
}

/* Receives and computes; communication with other ranks overlaps. */
static outcome run_together(const ipu_engine *engine, const together *all)
{
    const mt_communicator *with = engine->ranks.with;
    const ipu_superstep *step = all->step[0];
    void *exchange = exchange_of(engine, step);
    outcome out = {.first.tile = engine->executable->graph->target.tiles};
    if (exchange) with->start(exchange);
    if (step->receive_all_first) receive_all(engine, step);
    if (exchange && !step->receive_all_first) run_tiles(engine, all, FREE_TILES, &out);
    if (exchange) with->finish(exchange);
    run_tiles(engine, all, exchange && !step->receive_all_first ? WAITING_TILES : ALL_TILES, &out);
    if (with && (engine->checked || depends_on_data(engine, step))) reduce_outcome(engine, &out);
    return out;
}

static mt_status report(const ipu_engine *engine, const ipu_superstep *step, const fault *why)
{
    if (!why->task) return report_unreceived(engine, step, why->tile);
    return ipu_workers_fail(
        &engine->executable->graph->target, step->name, why->tile, why->task->codelet, why->cost);
}

/* Agrees on the status on all ranks; only the rank of the tile knows the reason. */
static mt_status report_on_all(const ipu_engine *engine, const ipu_superstep *step, const fault *why)
{
    const mt_communicator *with = engine->ranks.with;
    const mt_status status = ipu_ranks_has(&engine->ranks, why->tile) ? report(engine, step, why) : MT_OK;
    return with ? mt_communicator_agree(with, status) : status;
}

/* Executes the waiting supersteps. `now`: optional. */
static mt_status do_waiting(ipu_engine *engine, outcome *now)
{
    const together all = {engine->waiting, engine->n_waiting};
    engine->n_waiting = 0;
    if (all.n == 0) return MT_OK;
    const outcome done = run_together(engine, &all);
    if (done.first.tile < engine->executable->graph->target.tiles)
        return report_on_all(engine, all.step[0], &done.first);
    if (now) *now = done;
    return MT_OK;
}

/* True if a superstep can join the waiting ones and run tile by tile with them. A tile that is ahead must not change data that
 * others have yet to receive. Nor can a rank without messages leave out an exchange that other ranks make. */
static bool joins(const ipu_engine *engine, const ipu_superstep *step)
{
    const ipu_superstep *first = engine->waiting[0];
    if (engine->n_waiting == 0 || engine->n_waiting == IPU_TOGETHER || depends_on_data(engine, step))
        return false;
    if (exchange_of(engine, step)) return false;
    if (step->first_message[0] < step->first_message[engine->executable->graph->target.tiles]) return false;
    return first->receive_all_first || !ipu_superstep_overwrites(step, first);
}

/* Advances the clocks by a superstep of `cycles` in all its phases. */
static void advance_clocks(ipu_engine *engine, uint32_t compute_set, uint64_t cycles)
{
    const bool depends = engine->executable->supersteps[compute_set].data_dependent;
    const uint64_t *compute =
        depends ? engine->clocks->compute : engine->timing.supersteps[compute_set].compute_cycles;
    engine->overlapped_cycles[compute_set] +=
        cycles - ipu_clocks_advance(engine->clocks, compute_set, compute);
}

/* Counts a superstep. Executes it immediately and alone if it is checked or its cycles depend on data; otherwise it waits for
 * others to join. */
static mt_status run_superstep(ipu_engine *engine, uint32_t compute_set)
{
    const ipu_superstep *step = &engine->executable->supersteps[compute_set];
    const ipu_superstep_timing *timing = &engine->timing.supersteps[compute_set];
    uint64_t cycles = timing->compute_phase_cycles, used_slots = timing->used_slots;
    outcome now;
    if (!joins(engine, step)) MT_TRY(do_waiting(engine, NULL));
    engine->waiting[engine->n_waiting++] = step;
    if (engine->checked || depends_on_data(engine, step)) MT_TRY(do_waiting(engine, &now));
    if (depends_on_data(engine, step)) {
        cycles = now.compute_cycles;
        used_slots = now.used_slots;
    }
    if (engine->trace) ipu_trace_note(engine->trace, compute_set, ipu_engine_cycles(engine), cycles);
    if (engine->clocks)
        advance_clocks(engine, compute_set, timing->cycles - timing->compute_phase_cycles + cycles);
    engine->runs[compute_set]++;
    engine->compute_cycles[compute_set] += cycles;
    engine->used_slots[compute_set] += used_slots;
    return MT_OK;
}

/* ---- programs ---- */

static mt_status run_program(ipu_engine *engine, const ipu_program *program);

static const char *predicate_name(const ipu_engine *engine, const ipu_program *program)
{
    const ipu_graph *graph = engine->executable->graph;
    return graph->variables[graph->slices[program->tensor.first_slice].variable].name;
}

/* Reads a predicate and counts the cost of sending it to every tile. */
static mt_status evaluate(ipu_engine *engine, const ipu_program *program, uint32_t *value)
{
    MT_TRY(do_waiting(engine, NULL));
    const ipu_control *control = count_control(engine, program);
    if (ipu_ranks_has(&engine->ranks, control->tile))
        memcpy(value, engine->image + control->place, sizeof *value);
    if (engine->ranks.with)
        engine->ranks.with->broadcast(engine->ranks.with,
            ipu_ranks_of(&engine->ranks, &engine->executable->graph->target, control->tile), value,
            sizeof *value);
    if (engine->checked && *value == UINT32_MAX)
        return mt_fail(MT_NUMERICS,
            "engine: the predicate, element %zu of variable '%s' on tile %u, would be read before it was "
            "written",
            engine->executable->graph->slices[program->tensor.first_slice].from,
            predicate_name(engine, program), control->tile);
    return MT_OK;
}

static mt_status run_if(ipu_engine *engine, const ipu_program *program)
{
    uint32_t holds;
    MT_TRY(evaluate(engine, program, &holds));
    if (holds) return run_program(engine, program->children[0]);
    return program->n_children > 1 ? run_program(engine, program->children[1]) : MT_OK;
}

static mt_status run_switch(ipu_engine *engine, const ipu_program *program)
{
    const size_t otherwise = program->n_children - 1;
    uint32_t number;
    MT_TRY(evaluate(engine, program, &number));
    return run_program(engine, program->children[number < otherwise ? number : otherwise]);
}

static mt_status run_while(ipu_engine *engine, const ipu_program *program)
{
    for (uint64_t turn = 0;; turn++) {
        uint32_t holds;
        MT_TRY(run_program(engine, program->children[0]));
        MT_TRY(evaluate(engine, program, &holds));
        if (!holds) return MT_OK;
        if (turn == program->count)
            return mt_fail(MT_NUMERICS,
                "engine: the predicate of a loop, in variable '%s', is still true after %" PRIu64
                " iterations; allowed: at most this number",
                predicate_name(engine, program), turn);
        MT_TRY(run_program(engine, program->children[1]));
    }
}

static mt_status run_repeat(ipu_engine *engine, const ipu_program *program)
{
    for (uint64_t turn = 0; turn < program->count; turn++) {
        MT_TRY(run_program(engine, program->children[0]));
    }
    return MT_OK;
}

static mt_status run_program(ipu_engine *engine, const ipu_program *program)
{
    switch (program->kind) {
    case IPU_SEQUENCE:
        for (size_t i = 0; i < program->n_children; i++) MT_TRY(run_program(engine, program->children[i]));
        return MT_OK;
    case IPU_REPEAT:
        return run_repeat(engine, program);
    case IPU_IF:
        return run_if(engine, program);
    case IPU_SWITCH:
        return run_switch(engine, program);
    case IPU_REPEAT_WHILE:
        return run_while(engine, program);
    case IPU_EXECUTE:
        return run_superstep(engine, program->compute_set);
    case IPU_HOST_WRITE:
    case IPU_HOST_READ:
        break;
    }
    MT_TRY(do_waiting(engine, NULL));
    return run_transfer(engine, program);
}

mt_status ipu_engine_run(ipu_engine *engine, size_t program)
{
    size_t n = engine->executable->n_programs;
    if (program >= n) return mt_fail(MT_INPUT, "engine: program %zu; allowed: below %zu", program, n);
    MT_TRY(run_program(engine, engine->executable->programs[program]));
    return do_waiting(engine, NULL);
}

uint64_t ipu_engine_cycles(const ipu_engine *engine)
{
    const ipu_superstep_timing *steps = engine->timing.supersteps;
    uint64_t cycles = 0;
    for (size_t s = 0; s < engine->executable->graph->n_compute_sets; s++)
        cycles +=
            engine->runs[s] * (steps[s].cycles - steps[s].compute_phase_cycles) + engine->compute_cycles[s];
    for (size_t s = 0; engine->clocks && s < engine->executable->graph->n_compute_sets; s++)
        cycles -= engine->overlapped_cycles[s];
    for (size_t c = 0; c < engine->executable->n_controls; c++)
        cycles += engine->control_runs[c] * engine->timing.controls[c].cycles;
    return cycles + engine->stream_cycles;
}
