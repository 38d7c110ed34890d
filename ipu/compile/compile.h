/* From a graph to what an engine can run: checked, placed in memory, with messages and with cycles.
 *
 * Checked:
 *   every element is mapped once;
 *   every field is connected;
 *   a vertex writes only to its own tile, and there to one contiguous range;
 *   no element is written by one vertex while another of the same compute set writes it, or reads it
 *     *in place* (an input that was received or copied was so before the compute set began, so it is safe);
 *   every tile's memory is enough (ipu/compile/memory.h).
 *
 * How an input is given to its vertex:
 *   direct  one contiguous range of the tile's own memory: a pointer, no cost;
 *   tail    its first piece ends the tile's part of a variable, and everything behind it comes from other
 *           tiles: that is received into memory kept directly behind the part, so the own elements are not
 *           copied;
 *   edge    everything else: gathered into a buffer, by messages and by copies inside the tile.
 * Vertices of a compute set on one tile that take the same tensor share its memory. Tails and edge buffers
 * hold their content during one superstep only. On the host compute sets share the memory behind a part, which is as
 * long as the longest tail there, and the memory for edge buffers, which is as long as the most that one
 * compute set needs on the tile.
 *
 * What a superstep costs, in tile cycles (ipu/README.md explains):
 *   exchange       = the cycle in which the last tile has its last word, by a schedule (ipu/compile/schedule.h), and has made
 *                    its copies: copied bytes / local_copy rate
 *   exchange(tile) = what the tile itself is busy for: the schedule's bound of it, and its copies
 *   compute(tile)  = sum over its vertices (entry + worker_contexts * slowest worker), where all are of all workers;
 *                    ipu/cost/workers.h has the others
 *   T              = sync_cycles + exchange + max compute
 * On a machine of several chips (ipu/machine/topology.h), where anything goes from chip to chip, the busiest link's
 * cycles come on top of the exchange, and the sync of all chips on top of that of each. What several tiles of a chip
 * receive of a tile of another crosses once, each range in packets.
 * Where nothing is received anywhere, sync_cycles is 0 and there is no schedule. Words are of
 * exchange_bytes_per_cycle, at multiples of it in their tile's memory.
 *
 * Where a codelet's time depends on data (cost_of_data), compute and T stand for a typical run, and the engine
 * counts what each run takes. What a program takes beside its supersteps stands in ipu/cost/control.h. */
#ifndef IPU_COMPILE_COMPILE_H
#define IPU_COMPILE_COMPILE_H

#include <stdbool.h>

#include "ipu/graph/graph.h"
#include "ipu/compile/memory.h"
#include "ipu/graph/program.h"

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
    const uint64_t *used_slots;                       /* [tiles]: worker cycles of all workers of the tile */
    uint64_t all_used_slots;                          /* of all tiles; of tiles * compute_phase_cycles */
    const size_t *exchange_pieces;  /* [tiles]: fragments received, runs of at most send_words sent */
    uint64_t sync_cycles;           /* inside chips and, where anything crosses, of all chips */
    uint64_t external_sync_cycles;  /* of these: of all chips */
    uint64_t exchange_phase_cycles; /* the schedule's + external */
    uint64_t exchange_bound_cycles; /* no schedule has a shorter phase, but for external */
    uint64_t external_cycles;       /* the busiest link's between chips */
    uint64_t compute_phase_cycles;  /* max compute */
    uint64_t cycles;                /* sync, exchange and compute phase */
    bool data_dependent;            /* some codelet has cost_of_data */
    bool apart; /* something that is sent is written by the vertices: all must receive before any computes */
    uint64_t ranges_received, bytes_received, bytes_copied; /* all tiles, one run */
    uint64_t bytes_sent;                                    /* whole words; what leaves twice counts twice */
    uint64_t bytes_crossing;  /* from chip to chip, whole words; a byte counts once a chip that receives it */
    const char *busiest_link; /* between chips; NULL where nothing crosses */
    const uint64_t *link_bytes; /* [links of the network], headers with them; NULL where nothing crosses */
} ipu_superstep;

/* A part of a program that makes a predicate known or transfers from or to the host (ipu/cost/control.h). */
typedef struct ipu_control {
    const ipu_program *program;
    size_t place;  /* of a predicate, in the host image */
    uint32_t tile; /* of a predicate */
    uint64_t sync_cycles;
    uint64_t external_sync_cycles; /* of these: of all chips, and with the host */
    uint64_t exchange_cycles;
    uint64_t external_cycles; /* of these: of a link between chips, or the host's */
    uint64_t cycles;          /* sync and exchange */
} ipu_control;

/* Host image: tile t owns bytes [tile_offset[t], tile_offset[t + 1]), every item 64-byte aligned: its parts of the
 * variables, in their order, then its edge buffers. The machine's memory is another thing (ipu/compile/memory.h). Ranges are
 * sorted by (variable, from); variable v has [first_range[v], first_range[v + 1]). In the same order, tile t has
 * those numbered tile_range[first_tile_range[t]] to before tile_range[first_tile_range[t + 1]]. Messages and tasks
 * are sorted by (compute set, tile). */
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
    ipu_place *places;
    size_t n_places;
    ipu_message *messages;
    uint8_t *message_type; /* an ipu_type each */
    size_t n_messages;
    ipu_superstep *supersteps; /* [graph->n_compute_sets] */
    ipu_liveness liveness;     /* of the graph's variables over the programs */
    ipu_tile_memory *memory;   /* [tiles] */
    ipu_control *controls;     /* of all programs, by the address of their part */
    size_t n_controls;
    const struct ipu_topology *network; /* between the chips; NULL where there is one */
} ipu_executable;

/* Gives the executable in `arena`; it keeps the graph and the programs. Fails with MT_INPUT (a check above;
 * the message names tile, codelet, field and variable; or a cost that a vertex cannot have, ipu/cost/workers.h; or
 * more than 64 workers a tile; or what ipu/cost/control.h refuses; or the chips' network: as ipu_topology_of and
 * ipu_topology_check_deadlock, or not of as many chips as the machine), MT_FIT (as ipu_memory_place) or
 * MT_MEMORY. */
MT_NODISCARD mt_status ipu_compile(mt_arena *arena, const ipu_graph *graph,
    const ipu_program *const *programs, size_t n_programs, ipu_executable **executable);

/* That messages and places stay inside their tiles, that no message of a superstep writes where another
 * reads or writes, and that the schedules of its exchange and of predicates can run (ipu_schedule_check).
 * Slow; for tests. */
MT_NODISCARD mt_status ipu_executable_check(const ipu_executable *executable);

/* The index of the range that holds an element of a variable. */
size_t ipu_executable_range(const ipu_executable *executable, uint32_t variable, size_t element);

/* The control of a part of a program that has one. */
const ipu_control *ipu_executable_control(const ipu_executable *executable, const ipu_program *program);

#endif
