/* c = a + b over all tiles of a chip, with a user-defined codelet; host streams transfer the vectors.
 *     vector_add MACHINE.yaml */
#include <stdio.h>

#include "ipu/compile/compile.h"
#include "ipu/run/profile.h"

enum { EACH = 300 }; /* elements on a tile */

/* A codelet corresponds to Poplar's vertex class: fields, code, and here also the cost. All workers of a tile share one vertex
 * of this kind, as a MultiVertex. A field's data are contiguous in the tile's memory, whatever their source. */
static void add(const ipu_span *f, const void *context)
{
    const float *a = f[0].data, *b = f[1].data;
    float *c = f[2].data;
    for (size_t i = 0; i < f[2].n; i++) c[i] = a[i] + b[i];
}

/* 20 cycles of overhead; a worker adds two floats in three cycles. */
static ipu_cycles add_cost(const ipu_target *target, const size_t *n, const void *context)
{
    const size_t of_worker = (n[2] + target->worker_contexts - 1) / target->worker_contexts;
    return (ipu_cycles){.entry = target->vertex_entry_cycles, .worker = 20 + 3 * ((of_worker + 1) / 2)};
}

static const ipu_field add_fields[] = {
    {"a", IPU_INPUT, IPU_FLOAT}, {"b", IPU_INPUT, IPU_FLOAT}, {"c", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_codelet add_codelet = {
    "add", 3, add_fields, add, add_cost, .code_bytes = 96, .vertex_bytes = 16};

/* Adds a variable of EACH elements on each tile, with a host stream of the same name. */
static mt_status add_vector(ipu_graph *g, const char *name, uint32_t *v, ipu_tensor *whole, uint32_t *stream)
{
    const size_t tiles = g->target.tiles;
    MT_TRY(ipu_graph_add_variable(g, name, IPU_FLOAT, EACH * tiles, v));
    for (uint32_t t = 0; t < tiles; t++) MT_TRY(ipu_graph_set_tile_mapping(g, *v, EACH * t, EACH, t));
    MT_TRY(ipu_graph_add_stream(g, name, IPU_FLOAT, stream));
    return ipu_graph_variable_tensor(g, *v, whole);
}

static mt_status run(mt_arena *arena, const char *machine)
{
    static const char *const names[] = {"a", "b", "c"};
    ipu_target target;
    ipu_graph *g;
    uint32_t v[3], stream[3], set;
    ipu_tensor whole[3], part;
    size_t vertex;
    MT_TRY(ipu_target_load(arena, machine, NULL, 0, &target));
    MT_TRY(ipu_graph_new(arena, &target, &g));
    for (int k = 0; k < 3; k++) MT_TRY(add_vector(g, names[k], &v[k], &whole[k], &stream[k]));
    MT_TRY(ipu_graph_add_compute_set(g, "add", &set));
    for (uint32_t t = 0; t < target.tiles; t++) {
        MT_TRY(ipu_graph_add_vertex(g, set, &add_codelet, t, NULL, &vertex));
        for (int k = 0; k < 3; k++) {
            MT_TRY(ipu_graph_slice(g, whole[k], EACH * t, EACH, &part));
            MT_TRY(ipu_graph_connect(g, vertex, names[k], part));
        }
    }

    const ipu_program *step[4], *program;
    MT_TRY(ipu_program_host_write(arena, stream[0], whole[0], &step[0]));
    MT_TRY(ipu_program_host_write(arena, stream[1], whole[1], &step[1]));
    MT_TRY(ipu_program_execute(arena, set, &step[2]));
    MT_TRY(ipu_program_host_read(arena, whole[2], stream[2], &step[3]));
    MT_TRY(ipu_program_sequence(arena, step, 4, &program));

    ipu_executable *executable;
    ipu_engine *engine;
    ipu_profile p;
    const size_t n = whole[0].n;
    float *host[3];
    for (int k = 0; k < 3; k++) MT_ALLOC(arena, host[k], n);
    for (size_t i = 0; i < n; i++) host[0][i] = (float)i, host[1][i] = 1 / (1 + (float)i);
    MT_TRY(ipu_compile(arena, g, &program, 1, &executable));
    MT_TRY(ipu_engine_new(arena, executable, false, &engine));
    for (int k = 0; k < 3; k++) MT_TRY(ipu_engine_connect_stream(engine, stream[k], host[k], n));
    MT_TRY(ipu_engine_run(engine, 0));
    for (size_t i = 0; i < n; i++)
        if (host[2][i] != host[0][i] + host[1][i]) return mt_fail(MT_NUMERICS, "element %zu differs", i);
    MT_TRY(ipu_profile_make(arena, engine, &p));
    printf("%s: %zu sums on %zu tiles, all as in plain C\n", target.name, n, target.tiles);
    printf("cycles %ju: sync %ju, exchange %ju, compute %ju, host %ju\n", p.cycles, p.sync_cycles,
        p.exchange_cycles, p.compute_cycles, p.host_cycles);
    return MT_OK;
}

int main(int n, char **words)
{
    mt_arena arena = {0};
    if (n == 2 && run(&arena, words[1]) == MT_OK) return 0;
    fprintf(stderr, "vector_add MACHINE.yaml: %s\n", mt_message());
    return 1;
}
