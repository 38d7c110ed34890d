/* How long a word is on its way from one tile of a chip to another.
 *
 * Both tiles count their cycles from when the synchronisation has let them go; a word that its sender sends in cycle t
 * of its own is in the receiver's memory in cycle t + ipu_exchange_latency of the receiver's.
 *
 * With columns (exchange_columns > 0) it is the time in the fabric of a C600. Facts and numbers are those recovered in
 * github.com/osmarks/ipu-stack (crates/ipu-target/src/ipu21/fabric.rs and docs/EXCHANGE_INSTRUCTION_REFERENCE.md):
 * a time from the send to the receiver's multiplexer, and 52 cycles and 2 for each row of the receiver from there to
 * its memory. The sum of the two, put more simply, is
 *
 *     way_cycles + 4 + row_cycles * row(sender) + skew + |inlet(receiver) - outlet(sender)|
 *
 * The rows of the receiver cancel out: what its own way is longer, its clock is behind. Words run along the foot of the
 * columns, 6 cycles a column. Column c of C stands f = min(c, C - 1 - c) from the edge, and is on the left (c < C / 2)
 * or on the right; of its two pairs that which is numbered first (on the right: second) is the near one. Then
 *
 *     outlet = 6 f, of the far pair 6 f + 6
 *     inlet  = 6 f + 1 + lane, of the far pair 6 f + 5 - lane; lane: 0 for the first tile of a pair, 1 for the second
 *     skew   = 5 (f(sender) - f(receiver)) for a receiver on the left, 3 (...) on the right;
 *              16 more from the right to the left
 *
 * Over all ordered pairs of the 1,472 tiles: least 18 (way_cycles of these machines), median 62, mean 64.1, most 164. All
 * numbers but rows, columns and way_cycles are of this one fabric; other chips are taken to have the same.
 *
 * Without columns only the measured law of ipu/compile/schedule.h is known, and the way is row_cycles * row(receiver).
 *
 * Between chips the way is taken as if both tiles stood on one chip: where links end on a chip is not public. */
#ifndef IPU_MACHINE_ROUTE_H
#define IPU_MACHINE_ROUTE_H

#include "ipu/machine/target.h"

/* What of a tile's place the ways of its words depend on. */
typedef struct ipu_stand {
    uint64_t row;
    int64_t column, outlet, inlet; /* from the edge; in cycles, as above */
    bool right;
} ipu_stand;

ipu_stand ipu_stand_of(const ipu_target *target, size_t tile);

/* Cycles between two that stand so. */
uint64_t ipu_stand_latency(const ipu_target *target, const ipu_stand *sender, const ipu_stand *receiver);

/* Cycles from a word's leaving until the receiver has it. */
uint64_t ipu_exchange_latency(const ipu_target *target, size_t sender, size_t receiver);

/* The same for words that a pair takes together: of both tiles the longer. */
uint64_t ipu_exchange_paired_latency(const ipu_target *target, size_t sender, size_t receiver);

#endif
