/* The heat equation on a 3-D grid with insulated walls; each tile has a plane.    heat MACHINE.yaml CHIPS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipu/compile/compile.h"
#include "ipu/run/profile.h"

enum { X = 32, Y = 16, PLANE = X * Y, STEPS = 20 };

/* Computes a plane one step later from itself, the one below and the one above, all in the tile's memory. */
static void plane(const float *u, const float *below, const float *above, float *to)
{
    for (size_t i = 0; i < PLANE; i++) {
        const float left = u[i % X > 0 ? i - 1 : i], right = u[i % X + 1 < X ? i + 1 : i];
        const float front = u[i >= X ? i - X : i], back = u[i + X < PLANE ? i + X : i];
        to[i] = u[i] + (left + right + front + back + below[i] + above[i] - 6 * u[i]) / 8;
    }
}

static void heat(const ipu_span *f, const void *context)
{
    plane(f[0].data, f[1].data, f[2].data, f[3].data);
}

/* Workers share the rows of X cells; a row takes 10 cycles, plus 8 for each of its cells. */
static ipu_cycles cost(const ipu_target *target, const size_t *n, const void *context)
{
    const size_t rows = (n[3] / X + target->worker_contexts - 1) / target->worker_contexts;
    return (ipu_cycles){.entry = target->vertex_entry_cycles, .worker = rows * (10 + 8 * X)};
}

static const ipu_field fields[] = {{"own", IPU_INPUT, IPU_FLOAT}, {"below", IPU_INPUT, IPU_FLOAT},
    {"above", IPU_INPUT, IPU_FLOAT}, {"next", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_codelet codelet = {"heat", 4, fields, heat, cost, .code_bytes = 200, .vertex_bytes = 16};

/* Adds a step from one variable to the other. A wall mirrors its plane. Planes of other tiles are exchanged. */
static mt_status add_step(ipu_graph *g, uint32_t from, uint32_t to, const ipu_program **step)
{
    uint32_t set, last = (uint32_t)g->target.tiles - 1;
    MT_TRY(ipu_graph_add_compute_set(g, "heat", &set));
    for (uint32_t t = 0; t <= last; t++) {
        const size_t at[] = {t, t - (t > 0), t + (t < last), t};
        size_t vertex;
        MT_TRY(ipu_graph_set_tile_mapping(g, to, at[0] * PLANE, PLANE, t));
        MT_TRY(ipu_graph_add_vertex(g, set, &codelet, t, NULL, &vertex));
        for (int f = 0; f < 4; f++) {
            ipu_tensor tensor;
            MT_TRY(
                ipu_graph_add_tensor(g, &(ipu_slice){f < 3 ? from : to, at[f] * PLANE, PLANE}, 1, &tensor));
            MT_TRY(ipu_graph_connect(g, vertex, fields[f].name, tensor));
        }
    }
    return ipu_program_execute(g->arena, set, step);
}

static mt_status run(mt_arena *arena, const char *machine, size_t chips)
{
    ipu_target one, target;
    ipu_graph *g;
    uint32_t v[2];
    const ipu_program *step[2], *both, *program;
    ipu_executable *executable;
    ipu_engine *engine;
    ipu_profile p;
    float *u[3]; /* two grids for the reference in plain C, and the result of the tiles */
    MT_TRY(ipu_target_load(arena, machine, NULL, 0, &one));
    MT_TRY(ipu_target_several(&one, chips, &target));
    MT_TRY(ipu_graph_new(arena, &target, &g));
    const size_t n = target.tiles * PLANE;
    for (int k = 0; k < 2; k++) MT_TRY(ipu_graph_add_variable(g, k ? "v" : "u", IPU_FLOAT, n, &v[k]));
    for (int k = 0; k < 2; k++) MT_TRY(add_step(g, v[k], v[1 - k], &step[k]));
    MT_TRY(ipu_program_sequence(arena, step, 2, &both));
    MT_TRY(ipu_program_repeat(arena, STEPS / 2, both, &program));
    MT_TRY(ipu_compile(arena, g, &program, 1, &executable));
    MT_TRY(ipu_engine_new(arena, executable, false, &engine));
    for (int k = 0; k < 3; k++) MT_ALLOC(arena, u[k], n);
    for (size_t i = 0; i < n; i++) u[0][i] = (float)(i % 1009);
    ipu_engine_write_slice(engine, &(ipu_slice){v[0], 0, n}, u[0]);
    MT_TRY(ipu_engine_run(engine, 0));
    ipu_engine_read_slice(engine, &(ipu_slice){v[0], 0, n}, u[2]);
    MT_TRY(ipu_profile_make(arena, engine, &p));
    printf("%zu cells; cycles of a step %ju: sync %ju, exchange %ju, compute %ju\n", n, p.cycles / STEPS,
        p.sync_cycles / STEPS, p.exchange_cycles / STEPS, p.compute_cycles / STEPS);
    for (size_t k = 0, z = 0; k < STEPS * target.tiles; z = ++k % target.tiles) {
        const float *at = u[k / target.tiles % 2] + z * PLANE;
        float *to = u[1 - k / target.tiles % 2] + z * PLANE;
        plane(at, at - (z > 0) * PLANE, at + (z + 1 < target.tiles) * PLANE, to);
    }
    return memcmp(u[0], u[2], n * sizeof **u) == 0 ? MT_OK : mt_fail(MT_NUMERICS, "plain C differs");
}

int main(int n, char **words)
{
    mt_arena arena = {0};
    if (n == 3 && run(&arena, words[1], strtoul(words[2], NULL, 10)) == MT_OK) return 0;
    fprintf(stderr, "heat MACHINE.yaml CHIPS: %s\n", mt_message());
    return 1;
}
