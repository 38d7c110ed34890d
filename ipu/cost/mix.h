/* Worker cycles of an instruction mix: one turn of the inner loop of a codelet, with its instructions counted.
 *
 * The tool `tally` counts the mixes for an IPU (ipu/tally/tally.h). Its worker issues one bundle per slot, and a bundle holds one
 * or two instructions. Most instructions take one slot; the target has the cycles of division, exp, log and sqrt, and of the
 * classes of all others:
 *
 *     memory    load, store, spill, reload
 *     float     add, multiply, compare, move, convert, transfer, select, logic
 *     integer   integer, address, constant, loop
 *
 * The cycles of a turn, by `issue` of the target:
 *
 *     paired    bundles + sum over instructions of max(0, cycles - 1); expm1 takes one more than exp
 *     single    sum over instructions of their cycles; expm1 is an exp and a float instruction
 *
 * For a machine with `single` the mix is still that of an IPU: its registers, hence spills, and its separate load, store and
 * address instructions. A class with 0 cycles is free. Instructions outside the loop (`start`) take one cycle each. */
#pragma once

#include "ipu/machine/target.h"

typedef enum ipu_operation {
    IPU_OP_LOAD,
    IPU_OP_STORE,
    IPU_OP_ADD,
    IPU_OP_MULTIPLY,
    IPU_OP_DIVIDE,
    IPU_OP_EXP,
    IPU_OP_EXPM1,
    IPU_OP_LOG,
    IPU_OP_SQRT,
    IPU_OP_CONSTANT,
    IPU_OP_COMPARE,
    IPU_OP_MOVE,
    IPU_OP_CONVERT,
    IPU_OP_TRANSFER,
    IPU_OP_SELECT,
    IPU_OP_LOGIC,
    IPU_OP_INTEGER,
    IPU_OP_ADDRESS,
    IPU_OP_LOOP,
    IPU_OP_SPILL,
    IPU_OP_RELOAD,
    IPU_OPERATIONS
} ipu_operation;

/* An instruction mix. MOVE: between float registers. TRANSFER: from float to main registers. CONVERT: rounds a float to an
 * integer, or clears its sign. LOGIC: combines conditions. INTEGER: integer arithmetic except addresses. ADDRESS: advances a
 * pointer. LOOP: decrement-and-branch. The sum of `count` is bundles + pairs. */
typedef struct ipu_mix {
    const char *name;
    unsigned count[IPU_OPERATIONS]; /* instructions in one turn of the loop */
    unsigned pairs;                 /* bundles that hold two instructions */
    unsigned bundles;               /* issue slots of one turn if every instruction takes one */
    unsigned start;                 /* instructions outside the loop, run once */
} ipu_mix;

/* Returns the worker cycles of one turn. */
double ipu_mix_cycles(const ipu_mix *mix, const ipu_instruction_costs *costs);

/* Returns the turns of a loop over n elements. `lanes`: elements of each instruction (f32_lanes or f16_lanes of the target) if the
 * loop is the same for every element and its data are contiguous; 1 if it loads from computed addresses, adds up in a fixed order, or
 * decides what it computes. All instructions of a turn then take the cycles of one on all lanes. */
size_t ipu_mix_turns(size_t n, size_t lanes);

/* Returns the worker cycles of these turns, rounded up. */
uint64_t ipu_mix_loop(const ipu_mix *mix, const ipu_instruction_costs *costs, size_t n, size_t lanes);
