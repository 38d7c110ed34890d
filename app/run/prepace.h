/* Cells that were paced before tissue begins with them: each variant of a problem by itself, from where it rests, in double precision
 * and the problem's time steps (mt_cell_pace). One that many elements are of is paced once.
 *
 * Where a cell then stands is kept in the cache (app/run/cache.h), each variant for itself. The key is a fingerprint of the model's
 * name, parameters, rest, time step, pulses and MT_PREPACE_VERSION, and of where the first beat ends: with other equations that is
 * elsewhere. So that beat is computed in every run. */
#pragma once

#include "data/core/arena.h"
#include "solver/monodomain.h"
#include "solver/cells/pacing.h"

/* To be raised by whoever changes what the pacing of a cell is, or what is kept. */
enum { MT_PREPACE_VERSION = 1 };

/* Gives the problem, in `arena`, variants that begin where pulses->beats cycles end; nothing else of them changes. Those that no
 * element is of stay at rest. Without beats nothing is done. Shows progress; a signal ends the program at once. `cached`: use the
 * cache. MT_NUMERICS: V left -200 .. 200 mV; the message names the variant and the beat. MT_INPUT: as mt_pulses_in_steps. MT_MEMORY. */
MT_NODISCARD mt_status mt_prepace(
    mt_arena *arena, const mt_pulses *pulses, bool cached, mt_monodomain *problem);
