/* Records which supersteps an engine ran and when; off unless the engine has a trace (ipu_engine.trace).
 *
 * A record is the compute set and the cycle in which it began. What each tile did then follows from the timing: a compute set
 * costs the same in each run, except where compute depends on data; there the tiles' typical cycles and the actual cycles of
 * the phase are known. So a record does not grow with the machine. Memory is taken before anything runs; supersteps that find
 * no room are counted and not recorded.
 *
 * A superstep that begins in cycle b has the phases gather, sync, exchange, scatter and compute, one behind the other. In each
 * tile t is busy for gather_cycles[t], exchange_cycles[t] and so on, and then waits for the end of the phase. */
#pragma once

#include "ipu/run/timing.h"

typedef struct ipu_trace_superstep {
    uint32_t compute_set;
    uint64_t begin;          /* all cycles that the engine ran before */
    uint64_t compute_cycles; /* of the compute phase */
} ipu_trace_superstep;

typedef struct ipu_trace {
    const ipu_timing *timing;
    ipu_trace_superstep *supersteps; /* [room] */
    size_t n, room;
    size_t left_out;
} ipu_trace;

/* Gives a trace in `arena` with room for `room` supersteps; it keeps the timing. MT_MEMORY. */
MT_NODISCARD mt_status ipu_trace_new(
    mt_arena *arena, const ipu_timing *timing, size_t room, ipu_trace **trace);

/* The engine calls this for each superstep. */
void ipu_trace_note(ipu_trace *trace, uint32_t compute_set, uint64_t begin, uint64_t compute_cycles);

/* How many supersteps one run of a program has at most, and in how many phases of them tiles of [first, last] are busy. */
typedef struct ipu_trace_size {
    uint64_t supersteps, slices;
} ipu_trace_size;

ipu_trace_size ipu_trace_size_of(
    const ipu_timing *timing, const ipu_program *program, size_t first, size_t last);
