/* Worker cycles of an instruction mix: one turn of the inner loop of a codelet, with its instructions counted.
 *
 * A worker issues one bundle per slot, and a bundle holds one or two instructions. Most instructions take one slot; the target
 * has the cycles of division, exp, log and sqrt. The tool `tally` counts the mixes (ipu/tally/tally.h). */
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

/* Returns the worker cycles of one turn: its bundles, and the cycles beyond one slot of each exp, expm1 (one more than exp),
 * log, sqrt and division. */
double ipu_mix_cycles(const ipu_mix *mix, const ipu_instruction_costs *costs);
