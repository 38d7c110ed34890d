/* What a codelet's inner loop costs a worker, counted on the codelet's own source.
 *
 * The source is compiled to LLVM's intermediate form (clang -S -emit-llvm, 32-bit pointers, no vectorisation, no
 * contraction); the count takes the loop of a function and turns it into the instructions, registers and bundles of a
 * tile's worker by the rules below. The program does not do this while it runs: the tool `tally` writes the counts into
 * the tree, and a test fails when source and counts drift apart.
 *
 * Rules, and where they come from:
 *   (a) graphcore/llvm-project-fork and esa-tu-darmstadt/llvm-ipu, llvm/lib/Target/Colossus: the vendor's code generator
 *   (b) L. Burchard et al., Front. Phys. 11 (2023) 979699, section 4.3
 *   (c) assumed: nothing public says it
 *
 *  1. A worker issues one bundle a slot: at most one main instruction (memory, integer, control) and one auxiliary
 *     (float) instruction. (a)
 *  2. A float add, subtract, negation, multiply, divide, exp, log and sqrt is one auxiliary instruction; there is no
 *     fused multiply-add of three registers (a); expm1 is exp and a subtraction (c). How many slots the longer ones
 *     take is in the machine's description (ipu/machine/target.h).
 *  3. Loads and stores reach base + immediate and base + scaled register, so that v[column[k]] needs no address step; a
 *     pointer used once a turn steps for free, one used more often takes one main instruction. (a)
 *  4. A float constant is made where it is used: one auxiliary instruction where its upper 12 or lower 20 bits are zero,
 *     two otherwise, none for zero. (a: the instructions; c: at each use)
 *  5. Comparing floats takes a compare and a move between register files; each choice between two floats a branch and
 *     a move. (a)
 *  6. A counted loop ends with one decrement-and-branch. (a)
 *  7. Order: top-down, what depends on the least first, ties as in the source; what would overfill a register file is put
 *     off as long as anything else is ready. (a: top-down, all latencies taken as one; c: the ties)
 *  8. 11 main and 8 float registers; what does not fit is spilled, the value with the farthest next use first. (a: the
 *     registers; c: the choice)
 *  9. Neighbours in that order share a bundle if one is main and one auxiliary, the second does not need the first's
 *     result and the first is no branch (a). Spill code goes alone: the paper counts 18 spill instructions as 18 of 107
 *     cycles (b), which says so if read to the letter (c).
 *
 * Where nothing public decides, (c), the choice was the one that comes nearest to what the paper says of its own
 * code: 18 and 111 spill instructions, 1,077 bundles. */
#ifndef IPU_TALLY_TALLY_H
#define IPU_TALLY_TALLY_H

#include "data/status.h"
#include "ipu/cost/mix.h"

/* The names of the instructions, as in the enum: "load". */
extern const char *const ipu_operation_name[IPU_OPERATIONS];

/* Counts the only loop of `function` (one basic block) in the text of an LLVM module. MT_INPUT where the
 * module has no such function, or has what the rules do not know, with the line. The mix borrows `function`
 * for its name. */
MT_NODISCARD mt_status ipu_tally_count(const char *module, const char *function, ipu_mix *mix);

#endif
