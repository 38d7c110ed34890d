#include "app/study/machine/tile_grid.h"

#include "ipu/run/clocks.h"

void mt_no_values(const ipu_span *fields, const void *context) { (void)fields, (void)context; }

mt_status mt_tile_grid_begin(
    mt_arena *arena, const ipu_target *one, size_t nx, size_t ny, size_t nz, mt_tile_grid *grid)
{
    ipu_target target = *one;
    target.tiles = nx * ny;
    target.fabric.width = nx;
    target.copies = IPU_COPIES_NEVER;
    *grid = (mt_tile_grid){.arena = arena, .nx = nx, .ny = ny, .nz = nz};
    return ipu_graph_new(arena, &target, &grid->graph);
}

uint32_t mt_tile_grid_at(const mt_tile_grid *grid, size_t x, size_t y)
{
    return (uint32_t)(y * grid->nx + x);
}

mt_status mt_tile_grid_add(
    const mt_tile_grid *grid, const char *name, ipu_type type, size_t n, uint32_t *variable)
{
    MT_TRY(ipu_graph_add_variable(grid->graph, name, type, grid->nx * grid->ny * n, variable));
    for (uint32_t t = 0; t < grid->nx * grid->ny; t++)
        MT_TRY(ipu_graph_set_tile_mapping(grid->graph, *variable, t * n, n, t));
    return MT_OK;
}

mt_status mt_tile_grid_connect(
    const mt_tile_grid *grid, size_t vertex, const char *field, const ipu_slice *slices, size_t n)
{
    ipu_tensor tensor;
    MT_TRY(ipu_graph_add_tensor(grid->graph, slices, n, &tensor));
    return ipu_graph_connect(grid->graph, vertex, field, tensor);
}

void mt_tile_sets_append(mt_tile_sets *list, const uint32_t *sets, size_t n)
{
    for (size_t k = 0; k < n; k++) list->set[list->n++] = sets[k];
}

/* Builds the program that executes these compute sets in order. */
static mt_status sequence(mt_arena *arena, const mt_tile_sets *list, const ipu_program **program)
{
    const ipu_program **parts;
    MT_ALLOC(arena, parts, list->n);
    for (size_t k = 0; k < list->n; k++) MT_TRY(ipu_program_execute(arena, list->set[k], &parts[k]));
    return ipu_program_sequence(arena, parts, list->n, program);
}

mt_status mt_tile_grid_cycles(const mt_tile_grid *grid, const mt_tile_sets *list, double *cycles)
{
    const ipu_program *program;
    ipu_executable *e;
    ipu_timing timing;
    uint64_t sum_of_sets = 0, overlapped = 0;
    MT_TRY(sequence(grid->arena, list, &program));
    MT_TRY(ipu_compile(grid->arena, grid->graph, &program, 1, &e));
    MT_TRY(ipu_timing_make(grid->arena, e, &timing));
    for (size_t k = 0; k < list->n; k++) sum_of_sets += timing.supersteps[list->set[k]].cycles;
    MT_TRY(ipu_clocks_steady(&timing, program, &overlapped));
    *cycles = (double)(sum_of_sets - overlapped);
    return MT_OK;
}
