/* y = A x: each tile has rows of A, x is distributed over the chip.    matrix_vector MACHINE.yaml */
#include <stdio.h>

#include "ipu/compile/compile.h"
#include "ipu/run/profile.h"

enum { ROWS = 4, COLUMNS = 1024, PIECE = 4 }; /* rows of a tile; elements of x on a tile that has some */

/* As a MultiVertex: fields A (consecutive rows), x and y. */
static void product(const ipu_span *f, const void *context)
{
    const float *a = f[0].data, *x = f[1].data;
    float *y = f[2].data;
    for (size_t r = 0; r < f[2].n; r++) {
        y[r] = 0;
        for (size_t c = 0; c < f[1].n; c++) y[r] += a[r * f[1].n + c] * x[c];
    }
}

/* A worker has one row or none; it takes 12 cycles, plus 3 for two products. */
static ipu_cycles cost(const ipu_target *target, const size_t *n, const void *context)
{
    const size_t rows = (n[2] + target->worker_contexts - 1) / target->worker_contexts;
    return (ipu_cycles){.entry = target->vertex_entry_cycles, .worker = rows * (12 + 3 * (n[1] / 2))};
}

static const ipu_field fields[] = {
    {"A", IPU_INPUT, IPU_FLOAT}, {"x", IPU_INPUT, IPU_FLOAT}, {"y", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_codelet codelet = {
    "product", 3, fields, product, cost, .code_bytes = 128, .vertex_bytes = 20};

static mt_status add_product(ipu_graph *g, const uint32_t v[3], const ipu_program **program)
{
    uint32_t set;
    MT_TRY(ipu_graph_add_compute_set(g, "product", &set));
    for (uint32_t t = 0; t < COLUMNS / PIECE; t++)
        MT_TRY(ipu_graph_set_tile_mapping(g, v[1], (size_t)t * PIECE, PIECE, t));
    for (uint32_t t = 0; t < g->target.tiles; t++) {
        /* No tile has all of x: all tiles receive the same words simultaneously, and copy their own. */
        const ipu_slice slice[] = {{v[0], (size_t)t * ROWS * COLUMNS, ROWS * COLUMNS}, {v[1], 0, COLUMNS},
            {v[2], (size_t)t * ROWS, ROWS}};
        size_t vertex;
        MT_TRY(ipu_graph_set_tile_mapping(g, v[0], slice[0].from, slice[0].n, t));
        MT_TRY(ipu_graph_set_tile_mapping(g, v[2], slice[2].from, slice[2].n, t));
        MT_TRY(ipu_graph_add_vertex(g, set, &codelet, t, NULL, &vertex));
        for (int f = 0; f < 3; f++) {
            ipu_tensor tensor;
            MT_TRY(ipu_graph_add_tensor(g, &slice[f], 1, &tensor));
            MT_TRY(ipu_graph_connect(g, vertex, fields[f].name, tensor));
        }
    }
    return ipu_program_execute(g->arena, set, program);
}

static mt_status run(mt_arena *arena, const char *machine)
{
    ipu_target target;
    ipu_graph *g;
    uint32_t v[3];
    const ipu_program *program;
    ipu_executable *executable;
    ipu_engine *engine;
    ipu_profile p;
    float *data[3], sum;
    MT_TRY(ipu_target_load(arena, machine, NULL, 0, &target));
    MT_TRY(ipu_graph_new(arena, &target, &g));
    const size_t rows = target.tiles * ROWS, n[] = {rows * COLUMNS, COLUMNS, rows};
    for (int f = 0; f < 3; f++) {
        MT_TRY(ipu_graph_add_variable(g, fields[f].name, IPU_FLOAT, n[f], &v[f]));
        MT_ALLOC(arena, data[f], n[f]);
        for (size_t i = 0; i < n[f]; i++) data[f][i] = (float)(i % 97) / 97;
    }
    MT_TRY(add_product(g, v, &program));
    MT_TRY(ipu_compile(arena, g, &program, 1, &executable));
    MT_TRY(ipu_engine_new(arena, executable, false, &engine));
    for (int f = 0; f < 2; f++) ipu_engine_write_slice(engine, &(ipu_slice){v[f], 0, n[f]}, data[f]);
    MT_TRY(ipu_engine_run(engine, 0));
    ipu_engine_read_slice(engine, &(ipu_slice){v[2], 0, n[2]}, data[2]);
    MT_TRY(ipu_profile_make(arena, engine, &p));
    printf("%zu x %d; cycles of a step %ju: copies %ju, sync %ju, exchange %ju, compute %ju\n", rows, COLUMNS,
        p.cycles, p.rearrangement_cycles, p.sync_cycles, p.exchange_cycles, p.compute_cycles);
    for (size_t r = 0; r < rows; r++) {
        sum = 0;
        for (size_t c = 0; c < COLUMNS; c++) sum += data[0][r * COLUMNS + c] * data[1][c];
        if (sum != data[2][r]) return mt_fail(MT_NUMERICS, "row %zu differs", r);
    }
    return MT_OK;
}

int main(int n, char **words)
{
    mt_arena arena = {0};
    if (n == 2 && run(&arena, words[1]) == MT_OK) return 0;
    fprintf(stderr, "matrix_vector MACHINE.yaml: %s\n", mt_message());
    return 1;
}
