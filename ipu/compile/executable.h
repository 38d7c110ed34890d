/* A compiled graph: the layout of memory, the messages, and the vertices of each tile. Data for the engine and for the timing
 * (ipu/run/timing.h), built by ipu/compile/compile.h.
 *
 * The host image holds the memory of all tiles. Tile t owns bytes [tile_offset[t], tile_offset[t + 1]), with 64-byte aligned
 * items: its parts of the variables, in the order of the variables, then its edge buffers. The machine's own memory has another
 * layout (ipu/compile/memory.h).
 *
 * It can be saved and loaded (ipu/compile/executable_file.h, which transfers every member of these structures). */
#pragma once

#include <stdbool.h>

#include "ipu/compile/liveness.h"
#include "ipu/graph/graph.h"
#include "ipu/graph/program.h"

/* A copy of `bytes` bytes in the host image from `source`, in the memory of source_tile, to `destination`. */
typedef struct ipu_message {
    size_t source, destination;
    uint32_t bytes, source_tile;
} ipu_message;

/* Data assembled on a tile (ipu/compile/assembly.h): `bytes` of the host image, starting at `offset`. It is an input of a
 * vertex that is not one range of its tile's memory, or the destination of a graph copy within one range of a variable. Its
 * messages are in its order; a message with source_tile equal to its own tile is a copy. Vertices of a tile that take the same
 * tensor share it. */
typedef struct ipu_input {
    size_t first_message, n_messages;
    size_t offset, bytes;
    size_t tail_at; /* of a tail: bytes of the own part before the received data; else 0 */
    bool stored;    /* True if it is a range of a variable, which stores it */
    bool copied;    /* True if the machine assembles it by copies */
} ipu_input;

/* The copies that a tile performs together inside its memory: `rows` are ranges that belong to one of the `strided` copies, `ranges`
 * are all others (ipu/compile/assembly.h). */
typedef struct ipu_copying {
    uint64_t ranges, rows, strided, bytes;
} ipu_copying;

/* Elements [from, from + n) of a variable, at `offset` in the host image. */
typedef struct ipu_range {
    uint32_t variable, tile;
    size_t from, n;
    size_t offset;
} ipu_range;

/* The location of a field of a vertex. Of a list: the places of its ranges. */
typedef struct ipu_place {
    size_t offset; /* in the host image; of a list: index of its first place */
    size_t n;      /* elements; of a list: ranges */
} ipu_place;

/* A vertex to execute. */
typedef struct ipu_task {
    const ipu_codelet *codelet;
    const void *context;
    size_t first_place; /* index of the first of codelet->n_fields places */
} ipu_task;

/* The scheduled exchange of one superstep inside chips (ipu/compile/schedule.h). */
typedef struct ipu_exchange {
    const uint64_t *tile_cycles, *tile_bound; /* [tiles] as in the schedule */
    const uint64_t *tile_first;               /* [tiles] the cycle after its first received word; 0: none */
    uint64_t cycles, bound, bound_words;      /* as in the schedule */
    const ipu_copying *before, *after;        /* [tiles] copies inside a tile (ipu/compile/assembly.h) */
    const size_t *buffer_bytes;               /* [tiles] of these copies */
    const size_t *tile_pieces; /* [tiles] fragments received, and runs of at most send_words sent */
    const uint64_t *tile_received, *tile_sent; /* [tiles] bytes, in complete words, counted as below */
    uint64_t ranges_received, bytes_received, bytes_copied; /* sums over tiles, one run */
    /* complete words; a word sent twice counts twice */
    uint64_t bytes_sent;
    unsigned plan; /* as in the schedule */
} ipu_exchange;

/* One compute set. Tile t runs tasks [first_task[t], first_task[t + 1]) after it has received messages [first_message[t],
 * first_message[t + 1]) for its inputs [first_input[t], first_input[t + 1]), all indices of the executable's arrays. From
 * first_stored[t] on these are messages to variables, which keep the data. */
typedef struct ipu_superstep {
    const char *name;
    const size_t *first_task, *first_message, *first_input; /* [tiles + 1] */
    const size_t *first_stored;                             /* [tiles] */
    /* True if vertices write a variable that is sent: all tiles must receive before any computes */
    bool receive_all_first;
    bool data_dependent;    /* True if a codelet has compute_timed */
    const uint32_t *sends;  /* [n_sends] variables with elements that are sent, ascending */
    const uint32_t *writes; /* [n_writes] variables with elements that vertices write */
    size_t n_sends, n_writes;
    ipu_exchange exchange;
} ipu_superstep;

/* A part of a program that tests a predicate, or transfers data from or to the host. */
typedef struct ipu_control {
    const ipu_program *program;
    /* members of a predicate: */
    size_t place; /* in the host image */
    uint32_t tile;
    size_t words;             /* of the exchange */
    uint64_t exchange_cycles; /* of the schedule that broadcasts it from its tile */
} ipu_control;

typedef enum ipu_memory_category {
    IPU_MEMORY_VARIABLES,     /* always live */
    IPU_MEMORY_TEMPORARIES,   /* temporary variables that are not always live */
    IPU_MEMORY_RECEIVED,      /* tails and edge buffers; buffers of data outside of the chip */
    IPU_MEMORY_REARRANGEMENT, /* buffers and tables of copies */
    IPU_MEMORY_VERTEX_STATE,
    IPU_MEMORY_VERTEX_CODE,
    IPU_MEMORY_EXCHANGE_CODE,
    IPU_MEMORY_RESERVED,
    IPU_MEMORY_CATEGORIES
} ipu_memory_category;

/* Memory of one tile [bytes]. Bytes that items of several categories share count for the first of them. A tile needs total +
 * gaps: all bytes up to the highest one in use, and the reserved ones. */
typedef struct ipu_tile_memory {
    size_t bytes[IPU_MEMORY_CATEGORIES];
    size_t total; /* sum of these: bytes in use at any time */
    size_t gaps;  /* below the highest byte in use, and never in use */
    size_t always_live;
    size_t not_always_live; /* maximum of the other bytes that are live at once */
} ipu_tile_memory;

/* A compiled graph. Ranges are sorted by (variable, from); variable v has ranges [first_range[v], first_range[v + 1]). Tile t
 * has the ranges with indices tile_range[first_tile_range[t]] to tile_range[first_tile_range[t + 1] - 1], in the same order.
 * Messages, inputs and tasks are sorted by (compute set, tile). */
typedef struct ipu_executable {
    const ipu_graph *graph;
    const ipu_program *const *programs;
    size_t n_programs;
    size_t *tile_offset; /* [tiles + 1] */
    size_t *edge_offset; /* [tiles] start of the edge buffers */
    ipu_range *ranges;
    size_t *first_range;      /* [n_variables + 1] */
    size_t *tile_range;       /* [number of ranges] indices of ranges */
    size_t *first_tile_range; /* [tiles + 1] */
    ipu_task *tasks;
    size_t n_tasks;
    ipu_place *places;
    size_t n_places;
    ipu_message *messages;
    uint8_t *message_type; /* [n_messages] an ipu_type each */
    size_t n_messages;
    ipu_input *inputs;         /* in the order of their messages */
    ipu_superstep *supersteps; /* [graph->n_compute_sets] */
    ipu_liveness liveness;     /* of the graph's variables over the programs */
    ipu_tile_memory *memory;   /* [tiles] */
    ipu_control *controls;     /* of all programs, sorted by the address of `program` */
    size_t n_controls;
    bool untimed; /* True if built by ipu_compile_untimed: exchange, memory and controls are unknown */
} ipu_executable;

/* Returns the places of the n ranges of a field; n is 1 unless the field is a list. */
static inline const ipu_place *ipu_task_places(
    const ipu_executable *executable, const ipu_task *task, size_t field, size_t *n)
{
    const ipu_place *place = &executable->places[task->first_place + field];
    const bool list = task->codelet->lists >> field & 1;
    *n = list ? place->n : 1;
    return list ? &executable->places[place->offset] : place;
}

/* True if a message of an input copies from the start of the input itself: a copy that repeats its source. */
static inline bool ipu_input_repeats(const ipu_input *input, const ipu_message *message)
{
    return input->stored && message->source == input->offset;
}

/* Returns the index of the range that contains an element of a variable. */
size_t ipu_executable_range(const ipu_executable *executable, uint32_t variable, size_t element);

/* Returns the range that contains a byte of the host image, and the element of its variable; NULL if there is none. Slow. */
const ipu_range *ipu_executable_range_at(const ipu_executable *executable, size_t byte, size_t *element);

/* True if a superstep writes to a variable of which `sender` sends elements. */
bool ipu_superstep_overwrites(const ipu_superstep *step, const ipu_superstep *sender);

/* Checks that messages, places and predicates are within their tiles, that no message of a superstep writes where another one
 * reads or writes, and that the schedules of all exchanges can run (ipu_schedule_check). Fails with MT_INPUT otherwise, or with
 * MT_MEMORY. Slow; for tests and checked runs. */
MT_NODISCARD mt_status ipu_executable_check(const ipu_executable *executable);
