/* What compiling a graph gives: where everything lies, what is sent, and which vertices each tile runs. Data for the engine and
 * for the timing (ipu/run/timing.h); ipu/compile/compile.h makes it.
 *
 * The host image holds the memory of all tiles: tile t owns bytes [tile_offset[t], tile_offset[t + 1]), every item 64-byte
 * aligned: its parts of the variables, in the variables' order, then its edge buffers. The machine's own memory has another
 * layout (ipu/compile/memory.h).
 *
 * It can be saved and loaded (ipu/compile/executable_file.h, which moves every member of these structures). */
#pragma once

#include <stdbool.h>

#include "ipu/compile/liveness.h"
#include "ipu/graph/graph.h"
#include "ipu/graph/program.h"

/* Copies `bytes` of the host image from `source`, in the memory of source_tile, to `destination`. */
typedef struct ipu_message {
    size_t source, destination;
    uint32_t bytes, source_tile;
} ipu_message;

/* What comes together on a tile (ipu/compile/assembly.h): `bytes` of the host image from `offset` on. It is an input of a
 * vertex that is not one range of its tile's memory, or what a copy of the graph brings to one range of a variable. Its
 * messages come in its order; those whose source_tile is its own tile are copies. Vertices of a tile that take the same
 * tensor share it. */
typedef struct ipu_input {
    size_t first_message, n_messages;
    size_t offset, bytes;
    size_t tail_at; /* of a tail: bytes of the own part before what is received; else 0 */
    bool kept;      /* it is a range of a variable, which keeps it */
    bool copied;    /* on the machine it comes together by copies */
} ipu_input;

/* What a tile copies inside its memory at one time. */
typedef struct ipu_copying {
    uint64_t ranges, bytes;
} ipu_copying;

/* Elements [from, from + n) of a variable, at `offset` in the host image. */
typedef struct ipu_range {
    uint32_t variable, tile;
    size_t from, n;
    size_t offset;
} ipu_range;

/* Where a field of a vertex lies. Of a list: which places its ranges have. */
typedef struct ipu_place {
    size_t offset; /* in the host image; of a list: the number of the first */
    size_t n;      /* elements; of a list: ranges */
} ipu_place;

/* A vertex to run. */
typedef struct ipu_task {
    const ipu_codelet *codelet;
    const void *context;
    size_t first_place; /* of codelet->n_fields */
} ipu_task;

/* The exchange of one superstep inside chips, as scheduled (ipu/compile/schedule.h). */
typedef struct ipu_exchange {
    const uint64_t *tile_cycles, *tile_bound; /* [tiles]: as in the schedule */
    uint64_t cycles, bound, bound_words;      /* as in the schedule */
    const ipu_copying *before, *after;        /* [tiles]: copies inside a tile (ipu/compile/assembly.h) */
    const size_t *buffer_bytes;               /* [tiles]: of these copies */
    const size_t *tile_pieces; /* [tiles]: fragments received, and runs of at most send_words sent */
    const uint64_t *tile_received, *tile_sent; /* [tiles]: bytes, each whole words, counted as below */
    uint64_t ranges_received, bytes_received, bytes_copied; /* all tiles, one run */
    uint64_t bytes_sent;                                    /* whole words; what leaves twice counts twice */
} ipu_exchange;

/* One compute set. Tile t runs tasks [first_task[t], first_task[t + 1]) after it has received messages
 * [first_message[t], first_message[t + 1]) for its inputs [first_input[t], first_input[t + 1]), all numbered in the executable's
 * arrays. From first_kept[t] on these are messages that variables keep. */
typedef struct ipu_superstep {
    const char *name;
    const size_t *first_task, *first_message, *first_input; /* [tiles + 1] */
    const size_t *first_kept;                               /* [tiles] */
    bool apart; /* vertices write something that is sent: all tiles must receive before any computes */
    bool data_dependent;      /* some codelet has compute_timed */
    const uint32_t *sends;    /* [n_sends]: variables of which something is sent, ascending */
    const uint32_t *writes;   /* [n_writes]: of which something is written */
    size_t n_sends, n_writes; /* by vertices */
    ipu_exchange exchange;
} ipu_superstep;

/* A part of a program that decides by a predicate, or transfers from or to the host. */
typedef struct ipu_control {
    const ipu_program *program;
    /* of a predicate */
    size_t place; /* in the host image */
    uint32_t tile;
    size_t words;             /* of the exchange */
    uint64_t exchange_cycles; /* of the schedule by which it goes from its tile to all others */
} ipu_control;

typedef enum ipu_memory_category {
    IPU_MEMORY_VARIABLES,     /* always live */
    IPU_MEMORY_TEMPORARIES,   /* variables that are not */
    IPU_MEMORY_RECEIVED,      /* tails and edge buffers */
    IPU_MEMORY_REARRANGEMENT, /* buffers and tables of copies */
    IPU_MEMORY_VERTEX_STATE,
    IPU_MEMORY_VERTEX_CODE,
    IPU_MEMORY_EXCHANGE_CODE,
    IPU_MEMORY_RESERVED,
    IPU_MEMORY_CATEGORIES
} ipu_memory_category;

/* Bytes of one tile. Bytes that items of several categories share count for the first of them. A tile needs total + gaps: up to
 * the highest byte in use, and what is reserved. */
typedef struct ipu_tile_memory {
    size_t bytes[IPU_MEMORY_CATEGORIES];
    size_t total; /* the sum of these: bytes in use at any time */
    size_t gaps;  /* below the highest byte in use, and never in use */
    size_t always_live;
    size_t not_always_live; /* the most of the others that are live at once */
} ipu_tile_memory;

/* Ranges are sorted by (variable, from); variable v has ranges [first_range[v], first_range[v + 1]). In the same order, tile t
 * has the ranges with the numbers tile_range[first_tile_range[t]] to before tile_range[first_tile_range[t + 1]]. Messages,
 * inputs and tasks are sorted by (compute set, tile). */
typedef struct ipu_executable {
    const ipu_graph *graph;
    const ipu_program *const *programs;
    size_t n_programs;
    size_t *tile_offset; /* [tiles + 1] */
    size_t *edge_offset; /* [tiles]: where the edge buffers begin */
    ipu_range *ranges;
    size_t *first_range;      /* [n_variables + 1] */
    size_t *tile_range;       /* a number for each range */
    size_t *first_tile_range; /* [tiles + 1] */
    ipu_task *tasks;
    size_t n_tasks;
    ipu_place *places;
    size_t n_places;
    ipu_message *messages;
    uint8_t *message_type; /* an ipu_type each */
    size_t n_messages;
    ipu_input *inputs;         /* in the order of their messages */
    ipu_superstep *supersteps; /* [graph->n_compute_sets] */
    ipu_liveness liveness;     /* of the graph's variables over the programs */
    ipu_tile_memory *memory;   /* [tiles] */
    ipu_control *controls;     /* of all programs, sorted by the address of `program` */
    size_t n_controls;
    bool
        untimed; /* only to run: nothing of its exchange, its memory and what takes time is known (ipu_compile_untimed) */
} ipu_executable;

/* The ranges of a field, each with its place: one, unless the field is a list. */
static inline const ipu_place *ipu_task_places(
    const ipu_executable *executable, const ipu_task *task, size_t field, size_t *n)
{
    const ipu_place *place = &executable->places[task->first_place + field];
    const bool list = task->codelet->lists >> field & 1;
    *n = list ? place->n : 1;
    return list ? &executable->places[place->offset] : place;
}

/* Whether a message of an input takes what is at the input's own beginning: a copy that repeats its source. */
static inline bool ipu_input_repeats(const ipu_input *input, const ipu_message *message)
{
    return input->kept && message->source == input->offset;
}

/* The index of the range that holds an element of a variable. */
size_t ipu_executable_range(const ipu_executable *executable, uint32_t variable, size_t element);

/* The range that holds a byte of the host image, and the element of its variable; NULL: none does. Slow. */
const ipu_range *ipu_executable_range_at(const ipu_executable *executable, size_t byte, size_t *element);

/* Does a superstep write to a variable of which another one sends something? */
bool ipu_superstep_overwrites(const ipu_superstep *step, const ipu_superstep *sender);

/* Checks that messages, places and predicates stay inside their tiles, that no message of a superstep writes where another
 * reads or writes, and that the schedules of all exchanges can run (ipu_schedule_check). MT_INPUT: one of these does not hold;
 * MT_MEMORY. Slow; for tests and checked runs. */
MT_NODISCARD mt_status ipu_executable_check(const ipu_executable *executable);
