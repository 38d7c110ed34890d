/* What is computed where: variables mapped to tiles, codelets, vertices that connect the two, and compute sets.
 *
 * A graph only describes. Nobody writes messages: when the graph is compiled (ipu/compile/compile.h), a vertex input that is
 * mapped to another tile becomes exchange. Building a graph checks ids, ranges, field names and types; compiling checks the
 * rest.
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
 * Everything lives in the arena given to ipu_graph_new; arrays grow by doubling. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "ipu/machine/target.h"

/* Of 4, 2, 4, 2, 4 and 1 bytes. Halves are those of ipu/machine/half.h. A checked run cannot tell an int that was not
 * received from -1, and does not look for it; of the other types all bits 1 means that. */
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

/* A field as its codelet sees it: contiguous in the memory of the vertex's tile. The data of a list are the spans of its ranges. */
typedef struct ipu_span {
    void *data;
    size_t n; /* elements, or ranges */
} ipu_span;

typedef struct ipu_field {
    const char *name;
    ipu_direction direction;
    ipu_type type;
} ipu_field;

/* Who executes a vertex; ipu/cost/workers.h tells how long a tile with several vertices takes. */
typedef enum ipu_vertex_kind {
    IPU_MULTI_WORKER,  /* all workers of its tile, together */
    IPU_SINGLE_WORKER, /* one worker, while others execute other vertices */
    IPU_SUPERVISOR     /* the supervisor, while the workers are idle */
} ipu_vertex_kind;

/* How long a vertex takes. A worker issues once in worker_contexts tile cycles, which are one worker cycle. */
typedef struct ipu_cycles {
    uint64_t entry;  /* tile cycles of the supervisor, before the workers start */
    uint64_t worker; /* worker cycles of the slowest worker; 0 for a supervisor's vertex */
    uint64_t
        idle; /* worker cycles in which workers wait for the slowest; 0 except for multi-worker vertices */
} ipu_cycles;

enum { IPU_MAX_FIELDS = 32 };

/* A kind of vertex, kept by the graph. `compute` may access its fields and read its context, nothing else: the vertices of a
 * compute set run in any order and at the same time. `cost` must depend on its arguments only: n_elements[f] are the elements
 * of field f, all ranges of a list together, and n_elements[n_fields + f] its ranges; 1 where it is no list.
 *
 * Where the time depends on data, `compute_timed` computes in place of `compute` and gives what it took, which must depend on its
 * arguments only. `cost` is then a typical value, used where nothing has run (ipu/run/timing.h, ipu_profile_costs). */
typedef struct ipu_codelet {
    const char *name;
    size_t n_fields; /* at most IPU_MAX_FIELDS */
    const ipu_field *fields;
    void (*compute)(const ipu_span *fields, const void *context);
    ipu_cycles (*cost)(const ipu_target *target, const size_t *n_elements, const void *context);
    size_t code_bytes;   /* once on each tile that runs it */
    size_t vertex_bytes; /* each vertex's own state: pointers, sizes, constants */
    ipu_vertex_kind kind;
    /* instead of `compute`, or NULL */
    ipu_cycles (*compute_timed)(const ipu_target *target, const ipu_span *fields, const void *context);
    uint32_t interleaved; /* bit f: field f is read by 128-bit loads, so its data must lie in region 1 */
    uint32_t lists;       /* bit f: field f is a list of ranges, each contiguous by itself */
    /* of a context that is plain data, which can be saved (ipu/compile/executable_file.h); 0: there is none, or it has pointers */
    size_t context_bytes;
} ipu_codelet;

/* `n` elements of a variable from element `from`. */
typedef struct ipu_slice {
    uint32_t variable;
    size_t from, n;
} ipu_slice;

/* Slices joined end to end, all of one type; a handle into its graph. */
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
    const void *constant; /* its values; NULL: it is none */
} ipu_variable;

typedef struct ipu_mapping {
    uint32_t variable, tile;
    size_t from, n;
} ipu_mapping;

typedef struct ipu_vertex {
    const ipu_codelet *codelet;
    const void *context;
    uint32_t compute_set, tile;
    size_t first_connection; /* codelet->n_fields of them */
} ipu_vertex;

/* A field's tensor; `connected` is false until ipu_graph_connect. Of a list: all its ranges joined, and which they are of the graph's
 * `ranges`. Memory ends before these numbers do. */
typedef struct ipu_connection {
    ipu_tensor tensor;
    uint32_t first_range;
    uint32_t n_ranges : 31, connected : 1;
} ipu_connection;

/* Elements that go from one tensor to another when a compute set begins, in its exchange. */
typedef struct ipu_copy {
    uint32_t compute_set;
    ipu_tensor from, to;
} ipu_copy;

/* A named buffer on the host that programs read from or write to (ipu/graph/program.h, ipu/run/engine.h). */
typedef struct ipu_stream {
    const char *name;
    ipu_type type;
} ipu_stream;

/* Read it freely; change it only through the functions below. */
typedef struct ipu_graph {
    mt_arena *arena;
    ipu_target target;
    ipu_variable *variables;
    size_t n_variables, capacity_variables;
    ipu_mapping *mappings; /* in the order given */
    size_t n_mappings, capacity_mappings;
    ipu_slice *slices;
    size_t n_slices, capacity_slices;
    const char **compute_sets; /* names */
    size_t n_compute_sets, capacity_compute_sets;
    ipu_vertex *vertices;
    size_t n_vertices, capacity_vertices;
    ipu_connection *connections;
    size_t n_connections, capacity_connections;
    ipu_tensor *ranges; /* of lists */
    size_t n_ranges, capacity_ranges;
    ipu_copy *copies;
    size_t n_copies, capacity_copies;
    ipu_stream *streams;
    size_t n_streams, capacity_streams;
} ipu_graph;

/* All of these: MT_INPUT for invalid arguments, MT_MEMORY. Names are copied. */

MT_NODISCARD mt_status ipu_graph_new(mt_arena *arena, const ipu_target *target, ipu_graph **graph);
MT_NODISCARD mt_status ipu_graph_add_variable(
    ipu_graph *graph, const char *name, ipu_type type, size_t n, uint32_t *variable);

/* A variable that has these values in every engine from its beginning; they must outlive the making of engines. It is mapped
 * as any other. Neither vertices nor programs can write to it. */
MT_NODISCARD mt_status ipu_graph_add_constant(
    ipu_graph *graph, const char *name, ipu_type type, size_t n, const void *values, uint32_t *variable);

/* Maps elements [from, from + n) of the variable to `tile`. Each element must be mapped exactly once. The elements on one tile
 * are contiguous there, in their order. */
MT_NODISCARD mt_status ipu_graph_set_tile_mapping(
    ipu_graph *graph, uint32_t variable, size_t from, size_t n, uint32_t tile);

/* Marks a variable whose content nobody needs between runs: outside programs the host neither writes nor reads it. It may then
 * share its memory (ipu/compile/liveness.h). */
MT_NODISCARD mt_status ipu_graph_set_temporary(ipu_graph *graph, uint32_t variable);

/* A tensor of `n` slices (borrowed); without slices it has no elements and type IPU_FLOAT. */
MT_NODISCARD mt_status ipu_graph_add_tensor(
    ipu_graph *graph, const ipu_slice *slices, size_t n, ipu_tensor *tensor);
MT_NODISCARD mt_status ipu_graph_whole(ipu_graph *graph, uint32_t variable, ipu_tensor *tensor);

/* Gives the first variable of this name. MT_INPUT: there is none. */
MT_NODISCARD mt_status ipu_graph_variable(const ipu_graph *graph, const char *name, uint32_t *variable);

/* The name of the first constant that a tensor has elements of; NULL: there is none. */
const char *ipu_graph_constant_in(const ipu_graph *graph, const ipu_tensor *tensor);

/* Elements [from, from + n) of a tensor. */
MT_NODISCARD mt_status ipu_graph_slice(
    ipu_graph *graph, ipu_tensor tensor, size_t from, size_t n, ipu_tensor *slice);
MT_NODISCARD mt_status ipu_graph_add_compute_set(ipu_graph *graph, const char *name, uint32_t *compute_set);

/* Keeps codelet and context: both must outlive the graph and its engines. */
MT_NODISCARD mt_status ipu_graph_add_vertex(ipu_graph *graph, uint32_t compute_set,
    const ipu_codelet *codelet, uint32_t tile, const void *context, size_t *vertex);
MT_NODISCARD mt_status ipu_graph_connect(
    ipu_graph *graph, size_t vertex, const char *field, ipu_tensor tensor);

/* Connects a field that is a list: `n` ranges (borrowed), each a tensor that comes together by itself, so that what is
 * contiguous in the tile's own memory is not copied, however many other ranges there are. Each range of an output must be
 * contiguous. */
MT_NODISCARD mt_status ipu_graph_connect_list(
    ipu_graph *graph, size_t vertex, const char *field, const ipu_tensor *ranges, size_t n);

/* When the compute set begins, `to` becomes what `from` was before; its vertices find it done. Both are of one type; where
 * `to` has several times as many elements, it becomes `from` as often, of which a tile receives once what lies there behind
 * itself several times. In one compute set no element is copied to twice, and none that is sent, or copied elsewhere, is
 * copied to (ipu/compile/compile.h checks both). ipu_program_copy makes a program of it. */
MT_NODISCARD mt_status ipu_graph_add_copy(
    ipu_graph *graph, uint32_t compute_set, ipu_tensor from, ipu_tensor to);

MT_NODISCARD mt_status ipu_graph_add_stream(
    ipu_graph *graph, const char *name, ipu_type type, uint32_t *stream);
