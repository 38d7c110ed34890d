/* The exchange inside chips that an executable needs, scheduled: the messages of its supersteps, and its predicates, which go
 * from their tile to all others. A schedule itself is not kept; made again it is the same. */
#pragma once

#include "ipu/compile/executable.h"

/* Fills in step->exchange, its arrays in `arena`, and `copied` of its inputs; messages and places are complete. MT_MEMORY. */
MT_NODISCARD mt_status ipu_exchange_of_superstep(
    mt_arena *arena, ipu_executable *executable, ipu_superstep *step);

/* Fills in control->words and exchange_cycles, of a predicate that has its place. MT_MEMORY. */
MT_NODISCARD mt_status ipu_exchange_of_predicate(const ipu_target *target, ipu_control *control);

/* Check that the schedule can run. MT_INPUT, MT_FILE: as ipu_schedule_check. */
MT_NODISCARD mt_status ipu_exchange_check_superstep(
    const ipu_executable *executable, const ipu_superstep *step);
MT_NODISCARD mt_status ipu_exchange_check_predicate(const ipu_target *target, const ipu_control *control);
