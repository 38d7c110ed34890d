/* One collective over the chips of a machine: its program, really done or only timed. Every chip has a vector of 4-byte elements,
 * each fragment of which is spread over all tiles of the chip, so that all of them send, receive and compute in each step. */
#pragma once

#include "ipu/collectives/collective.h"
#include "ipu/run/engine.h"

typedef struct mt_collective {
    ipu_target target; /* of all chips */
    ipu_rings rings;
    ipu_collective operation; /* a broadcast is from rank 0 */
    ipu_operator with;        /* of floats; and, or: of unsigned ints */
    ipu_plan plan;
} mt_collective;

/* A program of steps [plan.n_steps], which are its compute sets. */
typedef struct mt_collective_made {
    ipu_tensor *vector; /* [target.ipus] */
    ipu_executable *executable;
} mt_collective_made;

/* Plans the collective of a target, rings, an operation and an operator by a method. Fails as ipu_plan_make. */
MT_NODISCARD mt_status mt_collective_plan(
    mt_arena *arena, ipu_method method, size_t elements, mt_collective *collective);

/* Gives the program in `arena`. Fails as ipu_compile. */
MT_NODISCARD mt_status mt_collective_make(
    mt_arena *arena, const mt_collective *collective, mt_collective_made *made);

/* Does it with small whole numbers, of which no order changes a sum, and compares what each chip ends with. Gives in `arena` the
 * engine, which has run once. MT_NUMERICS: a chip has another number. Fails as ipu_engine_new, too. */
MT_NODISCARD mt_status mt_collective_do(
    mt_arena *arena, const mt_collective *collective, const mt_collective_made *made, ipu_engine **engine);

/* Gives the cycles of all steps, without moving or checking a number: from a program with one step of each kind (ipu_plan_kinds), or,
 * where the exchange has words longer than an element, of all steps. Whether the whole program fits the memory of its tiles is not
 * looked at, but its vectors must. Fails as ipu_compile, ipu_timing_make. */
MT_NODISCARD mt_status mt_collective_cycles(const mt_collective *collective, uint64_t *cycles);
