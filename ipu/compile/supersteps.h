/* The supersteps of an executable, made of its messages, inputs, places and tasks: what each sends and writes, what the
 * copies of the graph must not do, and its exchange. */
#pragma once

#include "ipu/compile/executable.h"

#define IPU_NO_VARIABLE UINT32_MAX

/* How the executable's arrays are cut: slot s is tile s % tiles in compute set s / tiles. */
typedef struct ipu_slots {
    const size_t *first_task, *first_message, *first_input; /* [slots + 1] */
    const size_t *first_kept;                               /* [slots]: as in ipu_superstep */
    uint32_t *sent;   /* of each message: the variable that it comes from */
    uint32_t *placed; /* of each place: the variable in which it lies, or none */
} ipu_slots;

/* Makes executable->supersteps in `arena`; keeps the first four arrays of slots, so that those of all supersteps lie behind
 * one another. MT_INPUT: copies write an element twice, or one that is sent or copied elsewhere in the same compute set; the
 * message names it. MT_MEMORY. */
MT_NODISCARD mt_status ipu_supersteps_make(
    mt_arena *arena, ipu_executable *executable, const ipu_slots *slots);
