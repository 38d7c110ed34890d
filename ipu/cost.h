/* What the supersteps of an executable cost: the cycles of its exchange, of its links and of its vertices. The model stands in
 * ipu/compile.h; this is only the sum. Nothing here depends on values: it is what every run costs. */
#ifndef IPU_COST_H
#define IPU_COST_H

#include "ipu/compile.h"

/* Fills in the cycles and bytes of all supersteps, whose tasks and messages are there; per-tile arrays in `arena`. Fails as
 * ipu_compile does for networks and memory. */
MT_NODISCARD mt_status ipu_cost_supersteps(mt_arena *arena, ipu_executable *executable);

/* Tile cycles of one vertex: its entry, and its slowest worker's. */
uint64_t ipu_cost_task(const ipu_executable *executable, const ipu_task *task);

/* That the schedule of a superstep's exchange can run (ipu_schedule_check). It was not kept; made again it is the same. */
MT_NODISCARD mt_status ipu_cost_check_schedule(
    const ipu_executable *executable, const ipu_superstep *step, mt_arena *scratch);

#endif
