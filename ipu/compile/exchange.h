/* The scheduled exchange inside chips of an executable: the messages of its supersteps, and its predicates, broadcast from
 * their tile to all others. Schedules are not stored; recomputation yields the same schedule. */
#pragma once

#include "ipu/compile/executable.h"
#include "ipu/machine/fabric.h"

/* Computes step->exchange, with arrays in `arena`, and `copied` of its inputs; messages and places must be complete. Of a machine that is
 * not a crossbar, the plan of a schedule that step->exchange already has is retained. A superstep that has the same exchange as an earlier
 * one of the executable, such as the other half of a pair of steps between two variables, shares its arrays. MT_MEMORY. */
MT_NODISCARD mt_status ipu_exchange_of_superstep(
    mt_arena *arena, ipu_executable *executable, ipu_superstep *step);

/* Counts the words of the links between tiles in `arena`, from a schedule that is computed again. MT_MEMORY. */
MT_NODISCARD mt_status ipu_exchange_loads(
    mt_arena *arena, const ipu_executable *executable, const ipu_superstep *step, ipu_link_words *loads);

/* Computes `words` and `exchange_cycles` of the control of a predicate that has its place. MT_MEMORY. */
MT_NODISCARD mt_status ipu_exchange_of_predicate(const ipu_target *target, ipu_control *control);

/* Check that the schedule can run. Return the errors of `ipu_schedule_check`. */
MT_NODISCARD mt_status ipu_exchange_check_superstep(
    const ipu_executable *executable, const ipu_superstep *step);
MT_NODISCARD mt_status ipu_exchange_check_predicate(const ipu_target *target, const ipu_control *control);
