/* A collective operation over the chips of a machine: its program, which is executed or only timed. Every chip has a vector of
 * 4-byte elements. Each fragment of it is distributed over all tiles of the chip, so that all tiles send, receive and compute in
 * each step. */
#pragma once

#include "ipu/collectives/collective.h"
#include "ipu/run/engine.h"

typedef struct mt_collective {
    ipu_target target; /* all chips */
    ipu_rings rings;
    ipu_collective operation; /* a broadcast starts from rank 0 */
    ipu_operator with;        /* on floats; and, or: on unsigned ints */
    ipu_plan plan;
} mt_collective;

/* A compiled program. Its compute sets are steps [plan.n_steps]. */
typedef struct mt_collective_program {
    ipu_tensor *vector; /* [target.ipus] */
    ipu_executable *executable;
} mt_collective_program;

/* Plans the collective by a method, from target, rings, operation and operator. Returns the errors of `ipu_plan_make`. */
MT_NODISCARD mt_status mt_collective_plan(
    mt_arena *arena, ipu_method method, size_t elements, mt_collective *collective);

/* Builds the program in `arena`. Returns the errors of `ipu_compile`. */
MT_NODISCARD mt_status mt_collective_make(
    mt_arena *arena, const mt_collective *collective, mt_collective_program *made);

/* Executes the collective with small integers, so that sums do not depend on the order, and checks the results of each chip.
 * Returns in `arena` the engine after one run. Fails with MT_NUMERICS if a chip has another result. Returns the errors of
 * `ipu_engine_new`. */
MT_NODISCARD mt_status mt_collective_execute(
    mt_arena *arena, const mt_collective *collective, const mt_collective_program *made, ipu_engine **engine);

/* Computes the cycles of all steps without executing them. It uses a program with one step of each kind (ipu_plan_kinds), or all
 * steps if the exchange has words longer than an element. The vectors must fit the tile memory; the complete program is not
 * checked. Returns the errors of `ipu_compile` and `ipu_timing_make`. */
MT_NODISCARD mt_status mt_collective_cycles(const mt_collective *collective, uint64_t *cycles);
