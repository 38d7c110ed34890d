/* What the supersteps of an executable cost: the cycles of its exchange, of its links and of its vertices. The model
 * stands in ipu/compile/compile.h; this is only the sum. It is what every run costs, or where a codelet's cost depends on data
 * a typical one. */
#ifndef IPU_COST_COST_H
#define IPU_COST_COST_H

#include "ipu/compile/compile.h"
#include "ipu/machine/topology.h"

/* What it takes when bytes[from * n_chips + to], some of them not 0, go from chip to chip, headers with them:
 * load[n_links] in bytes, cycles of the busiest link, and its name. MT_INPUT, said of `what`: they can wait for each
 * other for ever. */
MT_NODISCARD mt_status ipu_cost_links(const ipu_target *target, const ipu_topology *network,
    const uint64_t *bytes, const char *what, uint64_t *load, uint64_t *cycles, const char **busiest);

/* What a vertex takes that does not depend on data: its codelet's `cost`. */
ipu_cycles ipu_cost_vertex(const ipu_executable *executable, const ipu_task *task);

/* Fills in the cycles and bytes of all supersteps, whose tasks and messages are there; per-tile arrays in `arena`.
 * Fails as ipu_compile does for networks and memory. */
MT_NODISCARD mt_status ipu_cost_supersteps(mt_arena *arena, ipu_executable *executable);

/* That the schedule of a superstep's exchange can run (ipu_schedule_check). It was not kept; made again it is the
 * same. */
MT_NODISCARD mt_status ipu_cost_check_schedule(
    const ipu_executable *executable, const ipu_superstep *step, mt_arena *scratch);

#endif
