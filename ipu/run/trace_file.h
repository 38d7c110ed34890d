/* A trace of the emulated machine as a file in the Trace Event format (JSON), for Perfetto (ui.perfetto.dev) and
 * chrome://tracing.
 *
 * A process is a chip: pid is its number + 1, because 0 has a special meaning in viewers. A thread is a tile: tid is its number
 * on the machine + 1. Each thread has slices (events X) for its copies, its exchange and its compute in every superstep in
 * which it is busy. One more process, shown first, is the complete machine with its consecutive phases rearrangement, sync,
 * exchange, rearrangement and compute. Supersteps are consecutive, too, except for gaps in which programs evaluate predicates
 * or transfer data from or to the host: these have no slices. ts and dur are microseconds of modelled time, rounded to
 * nanoseconds; args.cycles is exact. The cycles of an exchange phase in which a tile is busy are unknown: its slice is drawn at
 * the start of the phase. */
#pragma once

#include "ipu/run/trace.h"

/* Writes the trace of tiles [first, last] to `path`, completely or not at all. Title and machine name are UTF-8. Fails with
 * MT_FILE if it cannot be written, or MT_MEMORY. */
MT_NODISCARD mt_status ipu_trace_write(
    const ipu_trace *trace, const char *title, size_t first, size_t last, const char *path);
