/* A trace of the emulated machine as a file of the Trace Event format (JSON), which Perfetto (ui.perfetto.dev) and
 * chrome://tracing open.
 *
 * A process is a chip: pid is its number + 1, because viewers give 0 a meaning of their own; a thread is a tile, tid
 * its number on the machine + 1. Each has a slice (event X) for its exchange and one for its compute in every superstep
 * in which it has anything to do. One more process, shown first, is the machine as a whole: its phases sync, exchange and
 * compute follow one another, and so do supersteps, except for gaps where programs evaluate predicates or transfer to and from
 * the host: these have no slices. ts and dur are microseconds of modelled time, to whole
 * nanoseconds; args.cycles is exact. In which cycles of an exchange phase a tile is busy is not known: its slice
 * is drawn at the begin of the phase. */
#pragma once

#include "ipu/run/trace.h"

/* Writes the trace of tiles [first, last] to `path`: whole, or not at all. Title and the machine's name are UTF-8.
 * MT_MEMORY, or it cannot be written. */
MT_NODISCARD mt_status ipu_trace_write(
    const ipu_trace *trace, const char *title, size_t first, size_t last, const char *path);
