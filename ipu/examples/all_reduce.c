/* Every chip ends with the sum of all chips' vectors, by rings on a ladder of chips.    all_reduce MACHINE.yaml CHIPS */
#include <stdio.h>
#include <stdlib.h>

#include "ipu/collectives/collective.h"
#include "ipu/compile/compile.h"
#include "ipu/run/profile.h"

enum { N = 65536, MOST = 64 }; /* elements of a vector; chips */

/* Adds a vector on a chip, mapped evenly to its tiles. */
static mt_status add_vector(ipu_graph *g, size_t chip, uint32_t *v, ipu_tensor *vector)
{
    const size_t tiles = g->target.tiles / g->target.ipus;
    MT_TRY(ipu_graph_add_variable(g, "vector", IPU_FLOAT, N, v));
    for (size_t t = 0; t < tiles; t++) {
        const size_t from = N * t / tiles, end = N * (t + 1) / tiles;
        MT_TRY(ipu_graph_set_tile_mapping(g, *v, from, end - from, (uint32_t)(chip * tiles + t)));
    }
    return ipu_graph_variable_tensor(g, *v, vector);
}

static mt_status run(mt_arena *arena, const char *machine, size_t chips)
{
    const ipu_ring_choice choice = {IPU_PERIPHERAL_RING, IPU_DNC, .replica = 1};
    ipu_target one, target;
    ipu_rings rings;
    ipu_plan plan;
    ipu_graph *g;
    uint32_t v[MOST];
    ipu_tensor vectors[MOST];
    const ipu_program *program;
    ipu_executable *executable;
    ipu_engine *engine;
    ipu_profile p;
    float *vector, *sum;
    if (chips > MOST) return mt_fail(MT_INPUT, "%zu chips; allowed: up to %d", chips, MOST);
    MT_TRY(ipu_target_load(arena, machine, NULL, 0, &one));
    MT_TRY(ipu_target_several(&one, chips, &target));
    MT_TRY(ipu_graph_new(arena, &target, &g));
    for (size_t c = 0; c < chips; c++) MT_TRY(add_vector(g, c, &v[c], &vectors[c]));

    /* The rings, the transfers of each step, and the program that executes them. */
    MT_TRY(ipu_rings_make(arena, target.links.shape, chips, &choice, &rings));
    MT_TRY(ipu_plan_make(arena, &rings, IPU_ALL_REDUCE, IPU_BIDIRECTIONAL, N, sizeof(float), 0, &plan));
    MT_TRY(ipu_collective_program(g, &plan, IPU_SUM, vectors, chips, &program));
    MT_TRY(ipu_compile(arena, g, &program, 1, &executable));
    MT_TRY(ipu_engine_new(arena, executable, false, &engine));

    MT_ALLOC(arena, vector, N);
    MT_ALLOC(arena, sum, N);
    for (size_t c = 0; c < chips; c++) {
        for (size_t i = 0; i < N; i++) vector[i] = (float)((i + c) % 1000), sum[i] += vector[i];
        ipu_engine_write(engine, &vectors[c], vector);
    }
    MT_TRY(ipu_engine_run(engine, 0));
    for (size_t c = 0; c < chips; c++) {
        ipu_engine_read(engine, &vectors[c], vector);
        for (size_t i = 0; i < N; i++) /* integers: their sums are exact in any order */
            if (vector[i] != sum[i]) return mt_fail(MT_NUMERICS, "element %zu of chip %zu differs", i, c);
    }
    MT_TRY(ipu_profile_make(arena, engine, &p));
    printf("%zu chips, %zu steps; cycles of a step %ju: sync %ju, exchange %ju, compute %ju\n", chips,
        plan.n_steps, p.cycles / plan.n_steps, p.sync_cycles / plan.n_steps, p.exchange_cycles / plan.n_steps,
        p.compute_cycles / plan.n_steps);
    return MT_OK;
}

int main(int n, char **words)
{
    mt_arena arena = {0};
    if (n == 3 && run(&arena, words[1], strtoul(words[2], NULL, 10)) == MT_OK) return 0;
    fprintf(stderr, "all_reduce MACHINE.yaml CHIPS: %s\n", mt_message());
    return 1;
}
