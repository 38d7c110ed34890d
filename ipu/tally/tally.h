/* Counts the instructions of a codelet's inner loop in its source, as executed by a worker (ipu/cost/mix.h).
 *
 * The source is compiled to LLVM's intermediate representation (clang -S -emit-llvm, 32-bit pointers, no vectorisation, no
 * contraction). The rules below translate the loop of a function to instructions, registers and bundles of a worker. This is
 * not part of the library: the tool `tally` writes the counts into the source tree, and a test fails if source and counts
 * disagree.
 *
 * Rules and their sources:
 *   (a) graphcore/llvm-project-fork and esa-tu-darmstadt/llvm-ipu, llvm/lib/Target/Colossus: the vendor's code generator
 *   (b) L. Burchard et al., Front. Phys. 11 (2023) 979699, section 4.3
 *   (c) assumed, without a public source
 *
 *  1. A worker issues one bundle per slot: at most one main instruction (memory, integer, control) and one auxiliary
 *     (float) instruction. (a)
 *  2. Pairs of floats (<2 x float>) load, store, add, subtract, negate and multiply like single ones and take two
 *     registers (a); so do four halves (<4 x half>), and words of 64 bits that are only loaded, stored or used as pairs. A pair is
 *     divided lane by lane (a). Other vectors, half, double and arithmetic of 64 bits are rejected. Each float addition,
 *     subtraction, negation, multiplication, division, exp, log and sqrt is one auxiliary instruction; there is no fused
 *     multiply-add of three registers (a); expm1 is exp and a subtraction (c). The machine file has the slots of the longer ones
 *     (ipu/machine/target.h).
 *  3. Loads and stores reach base + immediate and base + scaled register, so that v[column[k]] needs no address step; a
 *     pointer that is used once in a turn is incremented for free; one that is used more often takes one main instruction. (a)
 *  4. A float constant is built at each use: by one auxiliary instruction if its upper 12 or lower 20 bits are zero, by
 *     two otherwise, by none for zero. (a: the instructions; c: at each use)
 *  5. A comparison of floats takes a compare and a move between register files; each choice between two floats a branch and
 *     a move; and, or and not of conditions one main instruction. The larger of two floats is one instruction, which counts as a
 *     compare. (a)
 *     Absolute values and roundings of floats to integers take one auxiliary instruction each; a move between register files takes one. (a)
 *  6. A counted loop ends with one decrement-and-branch. (a) It must be the only loop of its function.
 *     Integer arithmetic that only counts turns or addresses the data of the loop is free; any other takes one main instruction each,
 *     including integer comparisons (a); division is rejected.
 *  7. Order: top-down, smallest depth of dependences first, ties as in the source; instructions that would overfill a register file
 *     are deferred while anything else is ready. (a: top-down, with equal latencies; c: the ties)
 *  8. 11 main and 8 float registers; the value with the farthest next use is spilled first. (a: the registers; c: the choice)
 *  9. Neighbours in that order share a bundle if one is main and the other auxiliary, the second does not need the first's
 *     result, and the first is no branch (a). Spill code shares no bundle: the paper counts 18 spill instructions as 18 of
 *     107 cycles (b), which, taken literally, implies it (c).
 * 10. A pair is two adjacent registers of 32 bits, such as $a0:1, each of which is a float (a). So a lane at a constant index is
 *     extracted without an instruction, and a pair of two floats is made without one if they are computed, loaded or built in
 *     its registers. Each lane that cannot be there takes a move (auxiliary): one that changes its side, one of a pair that is
 *     read later, a float that is also a lane of another pair that is read later, and zero beside another float. Shuffles are
 *     such moves, too (a: the generator expands them; sort4x32 and roll32 would join lanes of two pairs at once). Both lanes of
 *     an addition or a multiplication, or of the first operand of a subtraction, can be one register, $a0:B, so equal lanes are
 *     not copied there (a). What only has values from before the loop is made there. (c: the first pair in the text gets the
 *     register of a float; an extracted lane keeps both registers of its pair; a value that is carried to the next turn stays in
 *     its registers)
 *
 * Single floats are counted singly, also where the machine could compute pairs: LLVM's intermediate representation for another
 * processor, without vectorisation, only has the pairs that the source has. A mix has no band; count a loop written in pairs, too,
 * to have the fast end.
 *
 * Without a public source, (c), the choice is the one nearest to the paper's figures for its own code: 18 and 111 spill
 * instructions, 1,077 bundles. Rules 7 to 9 are ipu/cost/issue.h. */
#pragma once

#include "data/core/status.h"
#include "ipu/cost/mix.h"

/* The names of the instructions, in the order of the enum: "load". */
extern const char *const ipu_operation_name[IPU_OPERATIONS];

/* Counts the only loop of `function` (one basic block) in the text of an LLVM module. Fails with MT_INPUT if the module has no
 * such function, or if the rules do not cover a line of it (the message has the line). The mix borrows `function` as its name. */
MT_NODISCARD mt_status ipu_tally_count(const char *module, const char *function, ipu_mix *mix);
