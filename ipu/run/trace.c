#include "ipu/run/trace.h"

#include "ipu/run/clocks.h"

mt_status ipu_trace_new(mt_arena *arena, const ipu_timing *timing, size_t room, ipu_trace **trace)
{
    static const char *const syncs[] = {"global", "neighbours", "none"};
    const ipu_target *target = &timing->executable->graph->target;
    ipu_trace *t = NULL;
    if (ipu_clocks_needed(target))
        return mt_fail(MT_INPUT,
            "a trace of a machine with exchange.sync %s and exchange.overlap %s; allowed: global and false, "
            "with "
            "the same phases on all tiles",
            syncs[target->sync], target->overlap ? "true" : "false");
    MT_ALLOC(arena, t, 1);
    MT_ALLOC(arena, t->supersteps, room);
    t->timing = timing;
    t->room = room;
    *trace = t;
    return MT_OK;
}

void ipu_trace_note(ipu_trace *trace, uint32_t compute_set, uint64_t begin, uint64_t compute_cycles)
{
    if (trace->n == trace->room)
        trace->left_out++;
    else
        trace->supersteps[trace->n++] = (ipu_trace_superstep){compute_set, begin, compute_cycles};
}

static uint64_t slices_of(const ipu_superstep_timing *step, size_t first, size_t last)
{
    uint64_t n = 0;
    for (size_t t = first; t <= last; t++) {
        n += step->gather_cycles[t] > 0;
        n += step->exchange_cycles[t] > 0;
        n += step->scatter_cycles[t] > 0;
        n += step->compute_cycles[t] > 0;
    }
    return n;
}

/* Saturating sum and product. */
static uint64_t plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static uint64_t times(uint64_t a, uint64_t b) { return b > 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b; }

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Returns the maximum of runs of a child: all turns of a loop. The condition of a while runs once more than its body. */
static uint64_t turns_of(const ipu_program *program, size_t child)
{
    if (program->kind == IPU_REPEAT) return program->count;
    if (program->kind == IPU_REPEAT_WHILE) return child == 0 ? plus(program->count, 1) : program->count;
    return 1;
}

ipu_trace_size ipu_trace_size_of(
    const ipu_timing *timing, const ipu_program *program, size_t first, size_t last)
{
    ipu_trace_size size = {0};
    if (program->kind == IPU_EXECUTE)
        return (ipu_trace_size){1, slices_of(&timing->supersteps[program->compute_set], first, last)};
    for (size_t i = 0; i < program->n_children; i++) {
        const ipu_trace_size child = ipu_trace_size_of(timing, program->children[i], first, last);
        if (program->kind == IPU_IF || program->kind == IPU_SWITCH) {
            size.supersteps = larger(size.supersteps, child.supersteps);
            size.slices = larger(size.slices, child.slices);
            continue;
        }
        const uint64_t turns = turns_of(program, i);
        size.supersteps = plus(size.supersteps, times(turns, child.supersteps));
        size.slices = plus(size.slices, times(turns, child.slices));
    }
    return size;
}
