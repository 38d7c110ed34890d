/* The latency of a word from one tile of a chip to another.
 *
 * Each tile counts its own cycles from the moment at which the sync releases it. A word that leaves in the sender's cycle t is
 * in the receiver's memory in the receiver's cycle t + ipu_route_latency.
 *
 * With columns (exchange_columns > 0) the latency is that of the C600's fabric, with the facts and numbers recovered in
 * github.com/osmarks/ipu-stack (crates/ipu-target/src/ipu21/fabric.rs and docs/EXCHANGE_INSTRUCTION_REFERENCE.md): the time
 * from the send to the receiver's multiplexer, and from there to the receiver's memory 52 cycles and 2 for each row of the
 * receiver. The sum simplifies to
 *
 *     way_cycles + 4 + row_cycles * row(sender) + skew + |inlet(receiver) - outlet(sender)|
 *
 * The rows of the receiver cancel out: its clock lags by the additional length of its own path. Words travel along the foot of
 * the columns, 6 cycles per column. Column c of C is f = min(c, C - 1 - c) columns from the edge, on the left (c < C / 2) or on
 * the right. A column has two pairs of tiles in each row; the near pair is the one numbered first (on the right: second). Then
 *
 *     outlet = 6 f, of the far pair 6 f + 6
 *     inlet  = 6 f + 1 + lane, of the far pair 6 f + 5 - lane; lane: 0 for the first tile of a pair, 1 for the second
 *     skew   = 5 (f(sender) - f(receiver)) for a receiver on the left, 3 (...) on the right;
 *              16 more from the right to the left
 *
 * Over all ordered pairs of the 1,472 tiles the minimum is 18 (way_cycles of these machines), the median 62, the mean 64.1 and
 * the maximum 164. All numbers except rows, columns and way_cycles belong to this fabric; other chips are assumed to have the
 * same.
 *
 * Without columns only the measured law of ipu/compile/schedule.h is known, and the latency is row_cycles * row(receiver).
 *
 * Between chips the latency is modelled as if both tiles were on one chip: the positions of the links on a chip are not public. */
#pragma once

#include "ipu/machine/target.h"

/* The coordinates of a tile that determine latencies. */
typedef struct ipu_position {
    uint64_t row;
    int64_t column, outlet, inlet; /* column from the edge; inlet and outlet [cycles], as above */
    bool right;
} ipu_position;

ipu_position ipu_route_position(const ipu_target *target, size_t tile);

/* Returns the latency between two positions. */
uint64_t ipu_route_cycles(const ipu_target *target, const ipu_position *sender, const ipu_position *receiver);

/* Returns the cycles from the departure of a word to its arrival in the receiver's memory. */
uint64_t ipu_route_latency(const ipu_target *target, size_t sender, size_t receiver);

/* The same for words that both tiles of the receiver's pair receive: the longer of the two latencies. */
uint64_t ipu_route_paired_latency(const ipu_target *target, size_t sender, size_t receiver);
