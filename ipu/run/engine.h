/* Runs an executable on the host: the numbers are really computed, in one memory image a tile.
 *
 * A superstep is what the machine does: every tile receives, then every tile computes. Where no vertex writes what is
 * sent, the host lets each tile compute as soon as it has received, which nobody can tell from the result. Tiles
 * share nothing else, so the result does not depend on the number of OpenMP threads. While tile code runs, subnormal
 * numbers are flushed to zero on input and output, as the machine does; the host's own setting is restored behind it.
 *
 * The engine counts; it does not measure time. Running allocates nothing. Tiles begin as zero bytes. */
#ifndef IPU_RUN_ENGINE_H
#define IPU_RUN_ENGINE_H

#include "ipu/compile/compile.h"
#include "ipu/run/trace.h"

typedef struct ipu_engine_options {
    /* Checked: memory begins as poison (all bits 1: a NaN, 65535, 4294967295), what was received becomes
     * poison again after its superstep, and a vertex that would read poison from what it received stops the
     * run. A genuine 65535 or 4294967295 that is exchanged looks the same: do not use these values in checked
     * runs. */
    bool checked;
    /* For tests of the check: leave out one message (numbered in its compute set) every time; -1 = none. */
    ptrdiff_t drop_compute_set, drop_message;
} ipu_engine_options;

#define IPU_ENGINE_DEFAULTS                                                                                  \
    {                                                                                                        \
        .checked = false, .drop_compute_set = -1, .drop_message = -1                                         \
    }

/* A host buffer that programs read from or write to, round and round. */
typedef struct ipu_stream_buffer {
    unsigned char *data; /* NULL: not connected */
    size_t n, at;        /* elements; the next transfer begins at `at` */
} ipu_stream_buffer;

/* Read it freely; change it by the functions below only. */
typedef struct ipu_engine {
    const ipu_executable *executable;
    unsigned char *image;       /* executable->tile_offset[tiles] bytes */
    ipu_span *spans;            /* of executable->places */
    ipu_stream_buffer *streams; /* [n_streams] */
    uint64_t *runs;             /* [n_compute_sets]: how often each ran */
    uint64_t *compute_cycles,
        *used_slots;        /* [n_compute_sets]: of all runs (ipu/cost/workers.h); depend on data or not */
    uint64_t *control_runs; /* [executable->n_controls] */
    uint64_t host_bytes_written, host_bytes_read; /* by programs */
    bool checked;
    size_t dropped;              /* a message, or SIZE_MAX */
    bool (*stop)(void *context); /* NULL: nobody is asked */
    void *stop_context;
    ipu_trace *trace; /* of what is run from now on; NULL: none. May be set by anybody */
} ipu_engine;

/* Gives an engine in `arena`; it keeps the executable. `options` is borrowed, NULL = IPU_ENGINE_DEFAULTS.
 * MT_MEMORY; MT_INPUT: no such message to drop. */
MT_NODISCARD mt_status ipu_engine_new(mt_arena *arena, const ipu_executable *executable,
    const ipu_engine_options *options, ipu_engine **engine);

/* Runs a program. MT_INPUT: no such program, a stream that is not connected or does not hold a whole number
 * of transfers. MT_NUMERICS: the check of options.checked failed; the message names compute set, tile,
 * codelet, field, variable, element and the tile it should have come from; or a
 * predicate was never written; or a loop's predicate is still true after its most turns (checked or not).
 * MT_INPUT also: a cost_of_data that its vertex cannot have. MT_STOPPED: see below. After a failure the tiles'
 * content is undefined. */
MT_NODISCARD mt_status ipu_engine_run(ipu_engine *engine, size_t program);

/* From now on runs ask, on their own thread, before each turn of a repeat and of a while whether to stop; where
 * the answer is true the run ends with MT_STOPPED. NULL: nobody is asked. `context` is the caller's, kept. */
void ipu_engine_stop_if(ipu_engine *engine, bool (*stop)(void *context), void *context);

/* The host's own access, outside programs and not counted: tensor->n elements. */
void ipu_engine_write(ipu_engine *engine, const ipu_tensor *tensor, const void *data);
void ipu_engine_read(const ipu_engine *engine, const ipu_tensor *tensor, void *data);

/* `n` elements at `data` (kept) for a stream; each transfer takes the next tensor->n of them, and after the
 * last the first again. MT_INPUT: no such stream. */
MT_NODISCARD mt_status ipu_engine_connect_stream(ipu_engine *engine, uint32_t stream, void *data, size_t n);

/* The machine's float arithmetic on this thread from here on: subnormal numbers count as zero, as inputs and as results.
 * Gives what was set before, for ipu_end_flushing. On hosts other than x86 and arm64 nothing happens. */
uint64_t ipu_begin_flushing(void);
void ipu_end_flushing(uint64_t before);

/* Modelled cycles of everything that programs have run so far: supersteps, predicates, the host's transfers. */
uint64_t ipu_engine_cycles(const ipu_engine *engine);

#endif
