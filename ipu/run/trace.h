/* A record of the supersteps that an engine ran, with their times; off unless the engine has a trace (ipu_engine.trace).
 *
 * An entry is the compute set and the cycle in which it began. The activity of each tile follows from the timing: a compute set
 * has the same cost in each run. If compute depends on data, the tiles' typical cycles and the actual cycles of the phase are
 * known. So the size of an entry does not depend on the machine. Memory is allocated before anything runs; supersteps beyond
 * the capacity are counted but not recorded.
 *
 * A superstep that begins in cycle b has the consecutive phases gather, sync, exchange, scatter and compute. In each phase tile
 * t is busy for gather_cycles[t], exchange_cycles[t] and so on, and then waits for the end of the phase. */
#pragma once

#include "ipu/run/timing.h"

typedef struct ipu_trace_superstep {
    uint32_t compute_set;
    uint64_t begin;          /* cycles of the engine before it */
    uint64_t compute_cycles; /* of the compute phase */
} ipu_trace_superstep;

typedef struct ipu_trace {
    const ipu_timing *timing;
    ipu_trace_superstep *supersteps; /* [room] */
    size_t n, room;
    size_t left_out;
} ipu_trace;

/* Creates a trace in `arena` with capacity for `room` supersteps; it borrows the timing. Fails with MT_INPUT for a machine
 * with clocks (ipu/run/clocks.h), or MT_MEMORY. */
MT_NODISCARD mt_status ipu_trace_new(
    mt_arena *arena, const ipu_timing *timing, size_t room, ipu_trace **trace);

/* Records a superstep; called by the engine. */
void ipu_trace_note(ipu_trace *trace, uint32_t compute_set, uint64_t begin, uint64_t compute_cycles);

/* The maximum of supersteps in one run of a program, and of phases in which tiles of [first, last] are busy. */
typedef struct ipu_trace_size {
    uint64_t supersteps, slices;
} ipu_trace_size;

ipu_trace_size ipu_trace_size_of(
    const ipu_timing *timing, const ipu_program *program, size_t first, size_t last);
