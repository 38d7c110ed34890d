/* Graphs for published programs on a grid of tiles: variables with a part on each tile, vertices without values, and the cycles of compute
 * sets in order. Errors: those of the functions of ipu/graph, and MT_MEMORY. */
#pragma once

#include "ipu/compile/compile.h"
#include "ipu/run/timing.h"

/* A grid of tiles with `nz` elements each, and a compute set at a time. */
typedef struct mt_tile_grid {
    mt_arena *arena;
    ipu_graph *graph;
    size_t nx, ny, nz;
    uint32_t set;
} mt_tile_grid;

/* Compute sets in the order of a program. */
enum { MT_TILE_SETS = 32 };
typedef struct mt_tile_sets {
    uint32_t set[MT_TILE_SETS];
    size_t n;
} mt_tile_sets;

/* The function of a codelet without values. */
void mt_no_values(const ipu_span *fields, const void *context);

/* A codelet for one worker, with an array of fields and a function of its cost. */
#define MT_TIMED_CODELET(about, field, price)                                                                \
    {                                                                                                        \
        .name = about, .n_fields = sizeof(field) / sizeof *(field), .fields = (field),                       \
        .compute = mt_no_values, .cost = price, .kind = IPU_SINGLE_WORKER                                    \
    }

/* Creates in `arena` an empty graph for nx x ny tiles like those of `one`, in a mesh of nx columns. Tiles receive words in their place. */
MT_NODISCARD mt_status mt_tile_grid_begin(
    mt_arena *arena, const ipu_target *one, size_t nx, size_t ny, size_t nz, mt_tile_grid *grid);

uint32_t mt_tile_grid_at(const mt_tile_grid *grid, size_t x, size_t y);

/* Adds a variable with n elements on each tile. */
MT_NODISCARD mt_status mt_tile_grid_add(
    const mt_tile_grid *grid, const char *name, ipu_type type, size_t n, uint32_t *variable);

/* Connects a field of a vertex with n slices as one range. */
MT_NODISCARD mt_status mt_tile_grid_connect(
    const mt_tile_grid *grid, size_t vertex, const char *field, const ipu_slice *slices, size_t n);

/* Appends n compute sets. */
void mt_tile_sets_append(mt_tile_sets *list, const uint32_t *sets, size_t n);

/* Compiles the graph with a program of these compute sets, and computes the cycles of one of many runs. Also returns the errors of
 * `ipu_compile` and `ipu_timing_make`. */
MT_NODISCARD mt_status mt_tile_grid_cycles(
    const mt_tile_grid *grid, const mt_tile_sets *list, double *cycles);
