/* Pre-pacing: each cell variant of a problem is paced as a single cell from its resting state, in double precision and with the problem's
 * time step (`mt_cell_pace`). A variant is paced once, for all elements that use it.
 *
 * The final state is stored in the cache (data/files/cache.h), separately for each variant. The key is a fingerprint of the model's name,
 * parameters, resting state, time step, pulses and MT_PREPACE_VERSION, and of the state after the first beat, which reveals a change of the
 * equations. That beat is therefore computed in every run. */
#pragma once

#include "data/core/arena.h"
#include "solver/monodomain.h"
#include "solver/cells/pacing.h"

/* A change of the pacing or of the stored data must increment this. */
enum { MT_PREPACE_VERSION = 1 };

/* Replaces the variants of a problem by copies in `arena` that start from the state after pulses->beats cycles. Variants without elements
 * remain at rest. Does nothing if the number of beats is 0. Reports progress; a signal ends the program at once. `cached`: true to use the
 * cache. Fails with MT_NUMERICS if V leaves -200 .. 200 mV; the message names the variant and the beat. Other errors come from
 * `mt_pulses_in_steps`. */
MT_NODISCARD mt_status mt_prepace(
    mt_arena *arena, const mt_pulses *pulses, bool cached, mt_monodomain *problem);
