/* What a program takes beside its supersteps: predicates that every tile must know, and transfers from and to the
 * host. All in tile cycles, found once when the program is compiled; the engine counts how often each happens.
 *
 * A predicate (IPU_IF, IPU_REPEAT_WHILE), each time it decides:
 *   exchange = the schedule (ipu/compile/schedule.h) of a phase in which its word goes from its tile to all others
 *              + on several chips, the busiest link's cycles with one word from its chip to each other
 *   sync     = sync_cycles + on several chips the sync of all, as of a superstep
 *   A machine of one tile takes nothing.
 * Left out: the supervisor's own instructions (a branch takes 6 cycles: a turn of a repeat or of a while that much
 * more, and a predicate, loaded before, 12, where its sync and exchange are some hundred), and memory for the word
 * that arrives and for the code of its exchange.
 *
 * A transfer of the host, each time:
 *   link     = of a chip: its bytes over its link to the host; every chip has one. Each range that is contiguous in
 *              a tile's memory goes in packets of its own, of at most write_packet_bytes or read_packet_bytes,
 *              each with a header.
 *   port     = of a tile: its words, one a cycle
 *   exchange = the longest link or port
 *   sync     = sync_cycles + host.sync_cycles + on several chips the sync of all
 *   A tensor of no elements takes nothing.
 * Left out: what the host does, the way to it and what it waits for. No source gives them. */
#ifndef IPU_COST_CONTROL_H
#define IPU_COST_CONTROL_H

#include "ipu/compile/compile.h"

/* Fills in executable->controls, in `arena`, for every such part of its programs; variables have their places and
 * supersteps their network. MT_INPUT: a transfer on a machine that has no link to the host, and as
 * ipu_compile for networks; MT_MEMORY. */
MT_NODISCARD mt_status ipu_control_make(mt_arena *arena, ipu_executable *executable);

/* That every predicate lies in its tile's memory, and that the schedule by which it goes to all others can
 * run (ipu_schedule_check). It was not kept; made again it is the same. */
MT_NODISCARD mt_status ipu_control_check(const ipu_executable *executable, mt_arena *scratch);

#endif
