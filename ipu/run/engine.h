/* Execution of an executable on the host: it computes the actual values, in one memory image per tile.
 *
 * In a superstep every tile receives, then every tile computes. If no vertex writes a variable that is sent, a tile computes as
 * soon as it has received. If the next compute sets of a program receive nothing and do not write variables that were sent,
 * each tile executes them immediately, while its data are in the host's cache. Checked runs, and compute sets with
 * data-dependent time, run one by one. The result is the same. Tiles share nothing else, so the result does not depend on the
 * number of OpenMP threads. While tile code runs, subnormal numbers are flushed to zero on input and output, as on the machine;
 * afterwards the host's own setting is restored.
 *
 * The engine counts modelled cycles; it measures no time. Running and streaming allocate no memory. The tiles' memory is
 * initially zero.
 *
 * Several processes can share the machine (ipu/run/ranks.h). Then all of them call the same functions in the same order, and
 * each computes its own tiles. During communication it computes the tiles that need no data of other ranks. Values and counts
 * are the same as with one process. Read, stream and write access only the own tiles; the elements of other tiles in the host's
 * data are unchanged. */
#pragma once

#include "ipu/run/clocks.h"
#include "ipu/run/ranks.h"
#include "ipu/run/timing.h"
#include "ipu/run/trace.h"

/* A host buffer that programs read from or write to, restarting at its beginning when it ends. */
typedef struct ipu_stream_buffer {
    unsigned char *data; /* NULL if not connected */
    size_t n, at;        /* elements; the next transfer begins at `at` */
} ipu_stream_buffer;

enum { IPU_TOGETHER = 8 }; /* maximum of supersteps that the host runs together */

/* Members are for reading, except `trace`; only the functions below modify them. */
typedef struct ipu_engine {
    const ipu_executable *executable;
    ipu_timing timing;                            /* of the executable */
    ipu_ranks ranks;                              /* the tiles that this process computes */
    unsigned char *image;                         /* executable->tile_offset[tiles] bytes */
    ipu_span *spans;                              /* [executable->n_places] */
    ipu_stream_buffer *streams;                   /* [n_streams] */
    uint64_t *runs;                               /* [n_compute_sets] number of runs */
    uint64_t *compute_cycles, *used_slots;        /* [n_compute_sets] of all runs (ipu/cost/workers.h) */
    uint64_t *control_runs;                       /* [executable->n_controls] */
    uint64_t stream_runs, stream_cycles;          /* of ipu_engine_stream: number of calls, cycles */
    uint64_t host_bytes_written, host_bytes_read; /* by programs and streams */
    ipu_stream_buffers stream_room;
    const ipu_superstep *waiting[IPU_TOGETHER]; /* counted, but not yet executed; none between runs */
    size_t n_waiting;
    bool checked;
    ipu_trace *trace;   /* records subsequent runs; NULL or set by the caller */
    ipu_clocks *clocks; /* of the tiles; NULL if the machine needs none */
    /* [n_compute_sets] of all runs: cycles of the phases less the advance of the latest clock; NULL without clocks */
    uint64_t *overlapped_cycles;
} ipu_engine;

/* Creates an engine in `arena`; it borrows the executable. Returns the errors of `ipu_timing_make`.
 *
 * Constants have their values; all other memory is initially 0, in a checked engine poison.
 *
 * Checked: memory is initially poison (all bits 1: a NaN, 65535, 4294967295), received data become poison again after their
 * superstep, and a vertex that would read poison in received data stops the run. Exchanged values equal to 65535 or 4294967295
 * are indistinguishable from poison: do not use them in checked runs. */
MT_NODISCARD mt_status ipu_engine_new(
    mt_arena *arena, const ipu_executable *executable, bool checked, ipu_engine **engine);

/* The same for the tiles of one rank; borrows the communicator (NULL: all tiles). Rank 0 counts for all, so the executables of
 * other ranks may be untimed. Also returns the errors of `ipu_ranks_make`. Collective. */
MT_NODISCARD mt_status ipu_engine_new_of_rank(mt_arena *arena, const mt_communicator *with,
    const ipu_executable *executable, bool checked, ipu_engine **engine);

/* Runs a program. Fails with MT_INPUT if there is no such program, a stream is not connected or its length is not a multiple of
 * the transfer's, or compute_timed returns a cost that is impossible for its vertex. Fails with MT_NUMERICS if
 *  - a checked run finds poison (the message has compute set, tile, codelet, field, variable, element and sender) or a predicate that was
 *    never written;
 *  - a loop's predicate is still true after its last turn, in checked and other runs.
 * After a failure the content of the tiles is undefined. */
MT_NODISCARD mt_status ipu_engine_run(ipu_engine *engine, size_t program);

/* Write or read tensor->n elements from the host, outside programs and free of cost. */
void ipu_engine_write(ipu_engine *engine, const ipu_tensor *tensor, const void *data);
void ipu_engine_read(const ipu_engine *engine, const ipu_tensor *tensor, void *data);

/* The same for a slice of one variable. */
void ipu_engine_write_slice(ipu_engine *engine, const ipu_slice *slice, const void *data);
void ipu_engine_read_slice(const ipu_engine *engine, const ipu_slice *slice, void *data);

/* Reads n_slices slices, all of one type, as a program would send them to its host. The data are the same as of
 * ipu_engine_read; cycles and bytes are counted as one transfer (ipu/cost/control.h). Returns the errors of
 * `ipu_timing_stream`. */
MT_NODISCARD mt_status ipu_engine_stream(
    ipu_engine *engine, const ipu_slice *slices, size_t n_slices, void *data);

/* Save and restore the counters of the engine, from runs of programs and from streams, and the clocks of the tiles.
 * `ipu_engine_counts` returns their number, `ipu_engine_count` copies them to `counts`, and `ipu_engine_recount` sets them. They
 * can be restored in an engine of another executable with the same compute sets and controls, with clocks also the same number of
 * tiles, which then continues to count. */
size_t ipu_engine_counts(const ipu_engine *engine);
void ipu_engine_count(const ipu_engine *engine, uint64_t *counts);
void ipu_engine_recount(ipu_engine *engine, const uint64_t *counts);

/* Connects `n` elements at `data` (borrowed) to a stream. Each transfer takes the next tensor->n of them; the last is followed
 * by the first. Fails with MT_INPUT if there is no such stream. */
MT_NODISCARD mt_status ipu_engine_connect_stream(ipu_engine *engine, uint32_t stream, void *data, size_t n);

/* Starts flushing in this thread: subnormal numbers count as zero, as inputs and as results, as in the machine's float
 * arithmetic. Returns the previous setting, for ipu_end_flushing. Does nothing on hosts other than x86 and arm64. */
uint64_t ipu_begin_flushing(void);
void ipu_end_flushing(uint64_t before);

/* Returns the modelled cycles of all runs so far: supersteps, predicates and host transfers, including streams; with clocks
 * the latest of them. */
uint64_t ipu_engine_cycles(const ipu_engine *engine);
