/* From a graph to what an engine can run: checked, placed in memory, with messages and with cycles.
 *
 * Checked:
 *   every element is mapped once;
 *   every field is connected;
 *   a vertex writes only to its own tile, and there to one contiguous range;
 *   no element is written by one vertex while another of the same compute set writes it, or reads it
 *     *in place* (an input that was received or copied was so before the compute set began, so it is safe);
 *   every tile's memory is enough.
 *
 * How an input is given to its vertex:
 *   direct  one contiguous range of the tile's own memory: a pointer, no cost;
 *   tail    its first piece ends the tile's part of a variable, and everything behind it comes from other
 *           tiles: that is received into memory kept directly behind the part, so the own elements are not
 *           copied;
 *   edge    everything else: gathered into a buffer, by messages and by copies inside the tile.
 * Vertices of a compute set on one tile that take the same tensor share its memory. Tails and edge buffers
 * hold their content during one superstep only. So compute sets share the memory behind a part, which is as
 * long as the longest tail there, and the memory for edge buffers, which is as long as the most that one
 * compute set needs on the tile. Parts do not share: two variables with tails have memory for both, even
 * where no compute set uses both.
 *
 * What a superstep costs, in tile cycles (ipu/README.md explains):
 *   exchange       = the cycle in which the last tile has its last word, by a schedule (ipu/schedule.h), and has made
 *                    its copies: copied bytes / local_copy rate
 *   exchange(tile) = what the tile itself is busy for: the schedule's bound of it, and its copies
 *   compute(tile)  = sum over its vertices (entry + worker_contexts * slowest worker)
 *   T              = sync_cycles + exchange + max compute
 * On a machine of several chips (ipu/topology.h), where anything goes from chip to chip, the busiest link's
 * cycles come on top of the exchange, and the sync of all chips on top of that of each. What several tiles of a chip
 * receive of a tile of another crosses once, each range in packets.
 * Where nothing is received anywhere, sync_cycles is 0 and there is no schedule. Words are of
 * exchange_bytes_per_cycle, at multiples of it in their tile's memory. */
#ifndef IPU_COMPILE_H
#define IPU_COMPILE_H

#include <stdbool.h>

#include "ipu/graph.h"
#include "ipu/program.h"

/* `bytes` from the host image at `source`, in the memory of source_tile, to `destination`. */
typedef struct ipu_message {
    size_t source, destination;
    uint32_t bytes, source_tile;
} ipu_message;

/* Elements [from, from + n) of a variable, at `offset` in the host image. */
typedef struct ipu_range {
    uint32_t variable, tile;
    size_t from, n;
    size_t offset;
} ipu_range;

typedef struct ipu_place {
    size_t offset; /* in the host image */
    size_t n;      /* elements */
} ipu_place;

typedef struct ipu_task {
    const ipu_codelet *codelet;
    const void *context;
    size_t first_place; /* of codelet->n_fields */
} ipu_task;

/* One compute set. Tile t runs tasks [first_task[t], first_task[t + 1]) after it has received messages
 * [first_message[t], first_message[t + 1]), both numbered in the executable's arrays. */
typedef struct ipu_superstep {
    const char *name;
    const size_t *first_task, *first_message;         /* [tiles + 1] */
    const uint64_t *exchange_cycles, *compute_cycles; /* [tiles] */
    uint64_t sync_cycles;           /* inside chips and, where anything crosses, of all chips */
    uint64_t external_sync_cycles;  /* of these: of all chips */
    uint64_t exchange_phase_cycles; /* the schedule's + external */
    uint64_t exchange_bound_cycles; /* no schedule has a shorter phase, but for external */
    uint64_t external_cycles;       /* the busiest link's between chips */
    uint64_t compute_phase_cycles;  /* max compute */
    uint64_t cycles;                /* sync, exchange and compute phase */
    bool apart; /* something that is sent is written by the vertices: all must receive before any computes */
    uint64_t ranges_received, bytes_received, bytes_copied; /* all tiles, one run */
    uint64_t bytes_sent;                                    /* whole words; what leaves twice counts twice */
    uint64_t bytes_crossing;  /* from chip to chip, whole words; a byte counts once a chip that receives it */
    const char *busiest_link; /* between chips; NULL where nothing crosses */
    const uint64_t *link_bytes; /* [links of the network], headers with them; NULL where nothing crosses */
} ipu_superstep;

/* What the memory of a tile is used for. */
typedef enum ipu_memory_category {
    IPU_MEMORY_VARIABLES,
    IPU_MEMORY_RECEIVED, /* tails and edge buffers */
    IPU_MEMORY_VERTEX_STATE,
    IPU_MEMORY_VERTEX_CODE,
    IPU_MEMORY_CATEGORIES
} ipu_memory_category;

extern const char *const ipu_memory_category_name[IPU_MEMORY_CATEGORIES];

/* Modelled bytes of one tile: every item 8-byte aligned; total = the sum of the others. */
typedef struct ipu_tile_memory {
    size_t bytes[IPU_MEMORY_CATEGORIES], total;
} ipu_tile_memory;

/* Host image: tile t owns bytes [tile_offset[t], tile_offset[t + 1]), every item 64-byte aligned. Modelled
 * bytes and host offsets are different things. Ranges are sorted by (variable, from); variable v has
 * [first_range[v], first_range[v + 1]). Messages and tasks are sorted by (compute set, tile). */
typedef struct ipu_executable {
    const ipu_graph *graph;
    const ipu_program *const *programs;
    size_t n_programs;
    size_t *tile_offset; /* [tiles + 1] */
    ipu_range *ranges;
    size_t *first_range; /* [n_variables + 1] */
    ipu_task *tasks;
    ipu_place *places;
    size_t n_places;
    ipu_message *messages;
    uint8_t *message_type; /* an ipu_type each */
    size_t n_messages;
    ipu_superstep *supersteps;          /* [graph->n_compute_sets] */
    ipu_tile_memory *memory;            /* [tiles] */
    const struct ipu_topology *network; /* between the chips; NULL where there is one */
} ipu_executable;

/* Gives the executable in `arena`; it keeps the graph and the programs. Fails with MT_INPUT (a check above;
 * the message names tile, codelet, field and variable; or the chips' network: as ipu_topology_of and
 * ipu_topology_check_deadlock, or not of as many chips as the machine), MT_FIT (a tile's memory: bytes asked
 * and there, the
 * biggest items, how many tiles are over) or MT_FILE (no memory). */
MT_NODISCARD mt_status ipu_compile(mt_arena *arena, const ipu_graph *graph,
    const ipu_program *const *programs, size_t n_programs, ipu_executable **executable);

/* That messages and places stay inside their tiles, that no message of a superstep writes where another
 * reads or writes, and that the schedule of its exchange can run (ipu_schedule_check). Slow; for tests. */
MT_NODISCARD mt_status ipu_executable_check(const ipu_executable *executable);

/* The index of the range that holds an element of a variable. */
size_t ipu_executable_range(const ipu_executable *executable, uint32_t variable, size_t element);

#endif
