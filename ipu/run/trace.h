/* What an engine did, superstep by superstep: a recorder, off unless an engine is given one (ipu_engine.trace).
 *
 * It notes which compute set ran and in which cycle it began. What each tile did in it is known from the executable:
 * a compute set costs the same each time it runs, but for compute that depends on data, of which the tiles' typical
 * cycles are known and what the phase took. So what is kept for a superstep does not grow with the machine. Room is
 * taken before anything runs; a superstep that finds none is counted and left out.
 *
 * In a superstep that begins in cycle b all tiles synchronise until b + sync_cycles. Then tile t is busy with the
 * exchange for exchange_cycles[t], waits for the end of the exchange phase, b + sync_cycles + exchange_phase_cycles,
 * computes for compute_cycles[t], and waits for the slowest one. */
#ifndef IPU_RUN_TRACE_H
#define IPU_RUN_TRACE_H

#include "ipu/compile/compile.h"

typedef struct ipu_trace_superstep {
    uint32_t compute_set;
    uint64_t begin;          /* cycles of everything that the engine ran before */
    uint64_t compute_cycles; /* of the compute phase */
} ipu_trace_superstep;

typedef struct ipu_trace {
    const ipu_executable *executable;
    ipu_trace_superstep *supersteps; /* [room] */
    size_t n, room;
    size_t left_out;
} ipu_trace;

/* Gives a trace in `arena` with room for so many supersteps; it keeps the executable. MT_MEMORY. */
MT_NODISCARD mt_status ipu_trace_new(
    mt_arena *arena, const ipu_executable *executable, size_t room, ipu_trace **trace);

/* For the engine. */
void ipu_trace_note(ipu_trace *trace, uint32_t compute_set, uint64_t begin, uint64_t compute_cycles);

/* How many supersteps one run of a program has at most, and how many times in it a tile of [first, last] exchanges or
 * computes. */
typedef struct ipu_trace_size {
    uint64_t supersteps, slices;
} ipu_trace_size;

ipu_trace_size ipu_trace_size_of(
    const ipu_executable *executable, const ipu_program *program, size_t first, size_t last);

#endif
