/* The graph of a computation: variables mapped to tiles, codelets, vertices with connected fields, and compute sets.
 *
 * A graph only describes. The program contains no messages: compilation (ipu/compile/compile.h) creates an exchange for each
 * vertex input that is mapped to another tile. Building a graph checks ids, ranges, field names and types; compilation checks
 * the rest.
 *
 *     ipu_graph *graph;
 *     MT_TRY(ipu_graph_new(arena, &target, &graph));
 *     MT_TRY(ipu_graph_add_variable(graph, "v", IPU_FLOAT, 2 * n, &v));
 *     MT_TRY(ipu_graph_set_tile_mapping(graph, v, 0, n, 0));          // the first half on tile 0
 *     MT_TRY(ipu_graph_set_tile_mapping(graph, v, n, n, 1));
 *     MT_TRY(ipu_graph_add_compute_set(graph, "sum", &sum));
 *     MT_TRY(ipu_graph_add_vertex(graph, sum, &add, 0, NULL, &vertex));
 *     ipu_slice halo[] = {{v, 0, n}, {v, n, 1}};                      // own part, then one element of tile 1
 *     MT_TRY(ipu_graph_add_tensor(graph, halo, 2, &tensor));
 *     MT_TRY(ipu_graph_connect(graph, vertex, "in", tensor));
 *
 * All data are in the arena passed to ipu_graph_new; arrays grow by doubling. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "ipu/machine/target.h"

/* Element types of 4, 2, 4, 2, 4 and 1 bytes. IPU_HALF: see ipu/machine/half.h. A checked run marks elements that were not
 * received by setting all bits to 1. An int with this pattern is a valid -1, so ints are not checked. */
typedef enum ipu_type {
    IPU_FLOAT,
    IPU_UNSIGNED_SHORT,
    IPU_UNSIGNED_INT,
    IPU_HALF,
    IPU_INT,
    IPU_BOOL
} ipu_type;
typedef enum ipu_direction { IPU_INPUT, IPU_OUTPUT, IPU_INOUT } ipu_direction;

size_t ipu_type_bytes(ipu_type type);
const char *ipu_type_name(ipu_type type);

/* A field as its codelet sees it: contiguous in the memory of the vertex's tile. `data` of a list field: the spans of its
 * ranges. */
typedef struct ipu_span {
    void *data;
    size_t n; /* elements; of a list: ranges */
} ipu_span;

typedef struct ipu_field {
    const char *name;
    ipu_direction direction;
    ipu_type type;
} ipu_field;

/* The execution unit of a vertex. ipu/cost/workers.h has the time of a tile with several vertices. */
typedef enum ipu_vertex_kind {
    IPU_MULTI_WORKER,  /* all workers of the tile, jointly */
    IPU_SINGLE_WORKER, /* one worker; other workers execute other vertices */
    IPU_SUPERVISOR     /* the supervisor; the workers are idle */
} ipu_vertex_kind;

/* The time of a vertex. A worker issues once in worker_contexts tile cycles, which are one worker cycle. */
typedef struct ipu_cycles {
    uint64_t entry;  /* tile cycles of the supervisor, before the workers start */
    uint64_t worker; /* worker cycles of the slowest worker; 0 for supervisor vertices */
    /* worker cycles in which workers wait for the slowest one; 0 except for multi-worker vertices */
    uint64_t idle;
} ipu_cycles;

enum { IPU_MAX_FIELDS = 32 };

/* A kind of vertex, borrowed by the graph. `compute` accesses only its fields and its read-only context: the vertices of a
 * compute set run concurrently in any order. `cost` depends only on its arguments: n_elements[f] is the number of elements of
 * field f (of a list: the sum over its ranges), and n_elements[n_fields + f] the number of its ranges (1 if it is no list).
 *
 * If the time depends on the data, `compute_timed` replaces `compute` and returns the cycles taken, which depend only on its
 * arguments. `cost` is then a typical value, used where nothing has run (ipu/run/timing.h, ipu_profile_costs). */
typedef struct ipu_codelet {
    const char *name;
    size_t n_fields; /* at most IPU_MAX_FIELDS */
    const ipu_field *fields;
    void (*compute)(const ipu_span *fields, const void *context);
    ipu_cycles (*cost)(const ipu_target *target, const size_t *n_elements, const void *context);
    size_t code_bytes;   /* once on each tile that runs it */
    size_t vertex_bytes; /* state of each vertex: pointers, sizes, constants */
    ipu_vertex_kind kind;
    /* replaces `compute`; may be NULL */
    ipu_cycles (*compute_timed)(const ipu_target *target, const ipu_span *fields, const void *context);
    uint32_t interleaved; /* bit f: field f is read by 128-bit loads, so its data must be in region 1 */
    uint32_t lists;       /* bit f: field f is a list of ranges, each contiguous on its own */
    /* bit f: the codelet accesses field f in its order, chunk by chunk together with the other ones, so the variable can be outside of the
     * chip (ipu_graph_set_dram) */
    uint32_t streamed;
    /* size of a context that is plain data and can be saved (ipu/compile/executable_file.h); 0 if there is no context or it has
     * pointers */
    size_t context_bytes;
} ipu_codelet;

/* `n` elements of a variable, starting at element `from`. */
typedef struct ipu_slice {
    uint32_t variable;
    size_t from, n;
} ipu_slice;

/* A concatenation of slices of one type; a handle into its graph. */
typedef struct ipu_tensor {
    size_t first_slice, n_slices;
    size_t n; /* elements */
    ipu_type type;
} ipu_tensor;

typedef struct ipu_variable {
    const char *name;
    ipu_type type;
    size_t n;
    bool temporary;
    bool dram;            /* True if it is outside of the chip of its tiles (ipu_dram) */
    const void *constant; /* its values; NULL if it is no constant */
} ipu_variable;

typedef struct ipu_mapping {
    uint32_t variable, tile;
    size_t from, n;
} ipu_mapping;

typedef struct ipu_vertex {
    const ipu_codelet *codelet;
    const void *context;
    uint32_t compute_set, tile;
    size_t first_connection; /* index of the first of codelet->n_fields connections */
} ipu_vertex;

/* The tensor of a field. `connected` is false until ipu_graph_connect. Of a list: the concatenation of its ranges, and their
 * place in the graph's `ranges`. 31 bits suffice: memory is exhausted first. */
typedef struct ipu_connection {
    ipu_tensor tensor;
    uint32_t first_range;
    uint32_t n_ranges : 31, connected : 1;
} ipu_connection;

/* A copy of elements from one tensor to another, in the exchange at the start of a compute set. */
typedef struct ipu_copy {
    uint32_t compute_set;
    ipu_tensor from, to;
} ipu_copy;

/* A named buffer on the host that programs read from or write to (ipu/graph/program.h, ipu/run/engine.h). */
typedef struct ipu_stream {
    const char *name;
    ipu_type type;
} ipu_stream;

/* Members are for reading; only the functions below modify them. */
typedef struct ipu_graph {
    mt_arena *arena;
    ipu_target target;
    ipu_variable *variables;
    size_t n_variables, capacity_variables;
    ipu_mapping *mappings; /* in the order of the calls */
    size_t n_mappings, capacity_mappings;
    ipu_slice *slices;
    size_t n_slices, capacity_slices;
    const char **compute_sets; /* [n_compute_sets] names */
    size_t n_compute_sets, capacity_compute_sets;
    ipu_vertex *vertices;
    size_t n_vertices, capacity_vertices;
    ipu_connection *connections;
    size_t n_connections, capacity_connections;
    ipu_tensor *ranges; /* [n_ranges] of list fields */
    size_t n_ranges, capacity_ranges;
    ipu_copy *copies;
    size_t n_copies, capacity_copies;
    ipu_stream *streams;
    size_t n_streams, capacity_streams;
} ipu_graph;

/* All functions below return MT_INPUT for invalid arguments, and MT_MEMORY. Names are copied. */

MT_NODISCARD mt_status ipu_graph_new(mt_arena *arena, const ipu_target *target, ipu_graph **graph);
MT_NODISCARD mt_status ipu_graph_add_variable(
    ipu_graph *graph, const char *name, ipu_type type, size_t n, uint32_t *variable);

/* Adds a variable that has these values in every engine from the start. The values are borrowed until the last engine has been
 * created. It needs a tile mapping like any other variable. Neither vertices nor programs can write to it. */
MT_NODISCARD mt_status ipu_graph_add_constant(
    ipu_graph *graph, const char *name, ipu_type type, size_t n, const void *values, uint32_t *variable);

/* Maps elements [from, from + n) of the variable to `tile`. Each element must be mapped exactly once. The elements on one tile
 * are contiguous there, in ascending order. */
MT_NODISCARD mt_status ipu_graph_set_tile_mapping(
    ipu_graph *graph, uint32_t variable, size_t from, size_t n, uint32_t tile);

/* Marks a variable as temporary: its content is not needed between runs, and the host does not access it outside programs. It
 * can then share its memory, and has none on tiles where nothing accesses its part (ipu/compile/liveness.h). ipu_engine_stream
 * rejects mapped ranges that nothing accesses. ipu_engine_read and ipu_engine_write still find them in the host image, where
 * they keep the initial value (0; poison in a checked engine) until the host writes them: the machine has no such data. */
MT_NODISCARD mt_status ipu_graph_set_temporary(ipu_graph *graph, uint32_t variable);

/* Moves a variable to the memory outside of the chip of its tiles (ipu_dram). It has no memory on its tiles, whose vertices stream it
 * (ipu/cost/dram.h). Compilation refuses any other access. The machine must have such memory. */
MT_NODISCARD mt_status ipu_graph_set_dram(ipu_graph *graph, uint32_t variable);

/* Creates a tensor of `n` slices (borrowed). Without slices it has no elements and type IPU_FLOAT. */
MT_NODISCARD mt_status ipu_graph_add_tensor(
    ipu_graph *graph, const ipu_slice *slices, size_t n, ipu_tensor *tensor);
MT_NODISCARD mt_status ipu_graph_variable_tensor(ipu_graph *graph, uint32_t variable, ipu_tensor *tensor);

/* Finds the first variable with this name. Fails with MT_INPUT if there is none. */
MT_NODISCARD mt_status ipu_graph_variable(const ipu_graph *graph, const char *name, uint32_t *variable);

/* Returns the name of the first constant that has elements in a tensor; NULL if there is none. */
const char *ipu_graph_constant_in(const ipu_graph *graph, const ipu_tensor *tensor);

/* Creates a tensor of elements [from, from + n) of another one. */
MT_NODISCARD mt_status ipu_graph_slice(
    ipu_graph *graph, ipu_tensor tensor, size_t from, size_t n, ipu_tensor *slice);
MT_NODISCARD mt_status ipu_graph_add_compute_set(ipu_graph *graph, const char *name, uint32_t *compute_set);

/* Borrows codelet and context: both must outlive the graph and its engines. */
MT_NODISCARD mt_status ipu_graph_add_vertex(ipu_graph *graph, uint32_t compute_set,
    const ipu_codelet *codelet, uint32_t tile, const void *context, size_t *vertex);
MT_NODISCARD mt_status ipu_graph_connect(
    ipu_graph *graph, size_t vertex, const char *field, ipu_tensor tensor);

/* Connects a list field to `n` ranges (borrowed). Each range is assembled separately, so that a range that is contiguous in the
 * tile's own memory is not copied, whatever the other ranges are. Each range of an output must be contiguous. */
MT_NODISCARD mt_status ipu_graph_connect_list(
    ipu_graph *graph, size_t vertex, const char *field, const ipu_tensor *ranges, size_t n);

/* Adds a copy to a compute set. It assigns to `to` the values that `from` has before the compute set, and precedes the
 * vertices. Both have the same type. If `to` has k times as many elements as `from`, it becomes k repetitions of `from`; a tile
 * that holds several of them receives each word once. Within a compute set no element is the destination of two copies, and no
 * destination is also sent or is the source of another copy (both checked by ipu/compile/compile.h). ipu_program_copy creates a
 * program of it. */
MT_NODISCARD mt_status ipu_graph_add_copy(
    ipu_graph *graph, uint32_t compute_set, ipu_tensor from, ipu_tensor to);

MT_NODISCARD mt_status ipu_graph_add_stream(
    ipu_graph *graph, const char *name, ipu_type type, uint32_t *stream);
