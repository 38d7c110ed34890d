/* Runs an executable on the host: the numbers are really computed, in one memory image a tile.
 *
 * In a superstep every tile receives, then every tile computes. Where no vertex writes what is sent, the host lets each tile
 * compute as soon as it has received. Where the next compute sets of a program receive nothing and do not write what was sent, it
 * lets each tile go on with them at once, while the tile's numbers are in the host's cache (checked runs and compute sets whose time
 * depends on data go one by one). The result is the same. Tiles share nothing else, so the result does not depend on the
 * number of OpenMP threads. While tile code runs, subnormal numbers are flushed to zero on input and output, as on the machine;
 * afterwards the host's own setting is restored.
 *
 * The engine counts modelled cycles; it measures no time. Running and streaming allocate nothing. The tiles' memory begins as
 * zero bytes.
 *
 * Several processes may share the machine (ipu/run/ranks.h). Then all of them call the same functions in the same order, and each
 * computes its own tiles; while what comes from others is on its way, it does those that do not wait for it. Numbers and counts are those of
 * one process. What is read, streamed or written is that of the own tiles; the places of others in the host's data stay as they are. */
#pragma once

#include "ipu/run/ranks.h"
#include "ipu/run/timing.h"
#include "ipu/run/trace.h"

/* A host buffer that programs read from or write to, starting over at its end. */
typedef struct ipu_stream_buffer {
    unsigned char *data; /* NULL: not connected */
    size_t n, at;        /* elements; the next transfer begins at `at` */
} ipu_stream_buffer;

enum { IPU_TOGETHER = 8 }; /* supersteps that the host runs together, at most */

/* Read it freely; change it only through the functions below. */
typedef struct ipu_engine {
    const ipu_executable *executable;
    ipu_timing timing;                            /* of the executable */
    ipu_ranks ranks;                              /* whose tiles it computes */
    unsigned char *image;                         /* executable->tile_offset[tiles] bytes */
    ipu_span *spans;                              /* of executable->places */
    ipu_stream_buffer *streams;                   /* [n_streams] */
    uint64_t *runs;                               /* [n_compute_sets]: how often each ran */
    uint64_t *compute_cycles, *used_slots;        /* [n_compute_sets]: of all runs (ipu/cost/workers.h) */
    uint64_t *control_runs;                       /* [executable->n_controls] */
    uint64_t stream_runs, stream_cycles;          /* ipu_engine_stream: how often, and what they took */
    uint64_t host_bytes_written, host_bytes_read; /* by programs and streams */
    ipu_stream_room stream_room;
    const ipu_superstep *waiting[IPU_TOGETHER]; /* counted and not yet done; none between runs */
    size_t n_waiting;
    bool checked;
    ipu_trace *trace; /* of what runs from now on, or NULL; set it freely */
} ipu_engine;

/* Gives an engine in `arena`; it keeps the executable. MT_INPUT, MT_FILE: as ipu_timing_make.
 *
 * Constants have their values; everything else begins as 0, but in a checked engine as poison.
 *
 * Checked: memory begins as poison (all bits 1: a NaN, 65535, 4294967295), what was received becomes poison again after its
 * superstep, and a vertex that would read poison in what it received stops the run. An exchanged value that really is 65535
 * or 4294967295 looks the same: do not use these values in checked runs. */
MT_NODISCARD mt_status ipu_engine_new(
    mt_arena *arena, const ipu_executable *executable, bool checked, ipu_engine **engine);

/* The same for the tiles of one rank; keeps the communicator; NULL: all tiles. Rank 0 counts for all, so the others' executable may be untimed.
 * MT_INPUT also as ipu_ranks_make. Collective. */
MT_NODISCARD mt_status ipu_engine_new_of_rank(mt_arena *arena, const mt_communicator *with,
    const ipu_executable *executable, bool checked, ipu_engine **engine);

/* Runs a program. MT_INPUT: no such program; a stream that is not connected or whose length is no multiple of the transfer's; a
 * compute_timed gives what its vertex cannot have. MT_NUMERICS: a checked run found poison, and the message names compute set, tile,
 * codelet, field, variable, element and sender, or a predicate that was never written; or (checked or not) a loop's predicate is
 * still true after its last turn. After a failure the content of the tiles is undefined. */
MT_NODISCARD mt_status ipu_engine_run(ipu_engine *engine, size_t program);

/* Write or read tensor->n elements from the host, outside programs and at no cost. */
void ipu_engine_write(ipu_engine *engine, const ipu_tensor *tensor, const void *data);
void ipu_engine_read(const ipu_engine *engine, const ipu_tensor *tensor, void *data);

/* The same for a piece of one variable. */
void ipu_engine_write_slice(ipu_engine *engine, const ipu_slice *slice, const void *data);
void ipu_engine_read_slice(const ipu_engine *engine, const ipu_slice *slice, void *data);

/* Reads n_slices slices, all of one type, as a program would send them to its host: the same bits as ipu_engine_read, counted
 * as one transfer with its cycles and bytes (ipu/cost/control.h). MT_INPUT: as ipu_timing_stream. */
MT_NODISCARD mt_status ipu_engine_stream(
    ipu_engine *engine, const ipu_slice *slices, size_t n_slices, void *data);

/* What the engine has counted so far, in the runs of its programs and in streams: so many numbers; copied out, and put back
 * into an engine of an executable with the same compute sets and control, which then counts on from there. */
size_t ipu_engine_counts(const ipu_engine *engine);
void ipu_engine_count(const ipu_engine *engine, uint64_t *counts);
void ipu_engine_recount(ipu_engine *engine, const uint64_t *counts);

/* Connects `n` elements at `data` (kept) to a stream; each transfer takes the next tensor->n of them, and after the last the
 * first again. MT_INPUT: no such stream. */
MT_NODISCARD mt_status ipu_engine_connect_stream(ipu_engine *engine, uint32_t stream, void *data, size_t n);

/* From here on this thread computes with the machine's float arithmetic: subnormal numbers count as zero, as inputs and as
 * results. Returns the previous setting, for ipu_end_flushing. Does nothing on hosts other than x86 and arm64. */
uint64_t ipu_begin_flushing(void);
void ipu_end_flushing(uint64_t before);

/* Modelled cycles of all runs so far: supersteps, predicates and the host's transfers, streams with them. */
uint64_t ipu_engine_cycles(const ipu_engine *engine);
