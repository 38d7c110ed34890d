/* Construction of the supersteps of an executable from its messages, inputs, places and tasks: the variables that each sends
 * and writes, the checks of graph copies, and the exchange. */
#pragma once

#include "ipu/compile/executable.h"

#define IPU_NO_VARIABLE UINT32_MAX

/* Segments of the executable's arrays: slot s is tile s % tiles in compute set s / tiles. */
typedef struct ipu_slots {
    const size_t *first_task, *first_message, *first_input; /* [slots + 1] */
    const size_t *first_stored;                             /* [slots] as in ipu_superstep */
    uint32_t *sent;                                         /* [n_messages] the variable of the source */
    uint32_t *placed; /* [n_places] the variable that contains the place, or IPU_NO_VARIABLE */
} ipu_slots;

/* Builds executable->supersteps in `arena`. Borrows the first four arrays of slots; the segments of all supersteps are
 * consecutive in them. Fails with MT_INPUT if copies write an element twice, or one that is sent or copied elsewhere in the
 * same compute set (the message names it), or with MT_MEMORY. */
MT_NODISCARD mt_status ipu_supersteps_make(
    mt_arena *arena, ipu_executable *executable, const ipu_slots *slots);
