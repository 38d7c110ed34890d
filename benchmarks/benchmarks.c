/* How fast, as ratios of rates measured in the same run, each the best of several repetitions:
 *
 *   cell model     float, all lanes, one core, against one lane in double with the C library's functions
 *   diffusion      ELLPACK rows (16-bit columns, two threads) against streaming the same bytes through the
 * same threads machine        the 0.2 mm slab on the emulated machine (1,472 tiles) against the same float
 * kernels on the whole mesh
 *
 * Run it on an idle machine: build/release/benchmarks. Nothing here is a test. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mesh/slab.h"
#include "solver/block.h"
#include "solver/ellpack.h"
#include "solver/kernels.h"
#include "solver/monodomain.h"
#include "solver/tissue.h"

void mt_tp06_step_double_one(
    const mt_tp06_type *, const uint16_t *, double, size_t, double *, const double *, double *);

static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(mt_status status)
{
    if (status == MT_OK) return;
    (void)fprintf(stderr, "benchmarks: %s\n", mt_message());
    exit((int)status);
}

static void *take(mt_arena *arena, size_t count, size_t size)
{
    void *memory = mt_arena_take(arena, count, size);
    must(memory ? MT_OK : MT_FILE);
    return memory;
}

/* Work per second: the best of `repeats` goes at what `go` does with `data`. */
static double best_rate(void (*go)(void *), void *data, double work, int repeats)
{
    double best = 0;
    for (int r = 0; r < repeats; r++) {
        double start = now_s();
        go(data);
        best = fmax(best, work / (now_s() - start));
    }
    return best;
}

/* ---- cell model ---- */

enum { CELLS = 4096, CELL_STEPS = 50 };

typedef struct cells {
    float *v, *state;
    double *v_double, *state_double;
    const mt_kernels *kernels;
} cells;

static void go_float(void *data)
{
    cells *c = data;
    for (int s = 0; s < CELL_STEPS; s++)
        c->kernels->tp06_float(&mt_tp06_types[0], NULL, 0.02, CELLS, c->state, c->v, c->v);
}

static void go_double(void *data)
{
    cells *c = data;
    for (int s = 0; s < CELL_STEPS; s++)
        c->kernels->tp06_double(
            &mt_tp06_types[0], NULL, 0.02, CELLS, c->state_double, c->v_double, c->v_double);
}

static void go_double_one(void *data)
{
    cells *c = data;
    for (int s = 0; s < CELL_STEPS; s++)
        mt_tp06_step_double_one(
            &mt_tp06_types[0], NULL, 0.02, CELLS, c->state_double, c->v_double, c->v_double);
}

static void cell_model(void)
{
    mt_arena arena = {0};
    cells c = {take(&arena, CELLS, 4), take(&arena, CELLS * TP06_STATES, 4), take(&arena, CELLS, 8),
        take(&arena, CELLS * TP06_STATES, 8), NULL};
    const mt_kernels *all[3];
    const size_t n = mt_kernels_all(all);
    for (size_t cell = 0; cell < CELLS; cell++) {
        c.v_double[cell] = mt_tp06_types[0].v_mV + (double)(cell % 100); /* cells at rest and firing */
        c.v[cell] = (float)c.v_double[cell];
        for (size_t k = 0; k < TP06_STATES; k++) {
            size_t at = mt_block_index(CELLS, TP06_STATES, cell, k);
            c.state_double[at] = mt_tp06_types[0].state[k];
            c.state[at] = (float)mt_tp06_types[0].state[k];
        }
    }
    const double work = (double)CELLS * CELL_STEPS, one = best_rate(go_double_one, &c, work, 5);
    printf("cell model, one core, cell-steps/s (ratio to one lane in double)\n");
    printf("  %-8s double %9.3g  (1)\n", "one lane", one);
    for (size_t k = 0; k < n; k++) {
        c.kernels = all[k];
        double rate = best_rate(go_double, &c, work, 5), rate_float = best_rate(go_float, &c, work, 5);
        printf("  %-8s double %9.3g  (%.1f)   float %9.3g  (%.1f)\n", all[k]->isa, rate, rate / one,
            rate_float, rate_float / one);
    }
    mt_arena_free(&arena);
}

/* ---- a slab ---- */

typedef struct slab {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion diffusion;
    mt_partition partition;
    mt_halo halo;
    ipu_target target;
    mt_monodomain problem;
    mt_layout layout;
} slab;

static void make_slab(slab *s, double edge_mm)
{
    *s = (slab){0};
    must(mt_slab_make(&s->arena, (double[]){20, 7, 3}, edge_mm, &s->mesh));
    must(mt_adjacency_make(&s->arena, &s->mesh, &s->adjacency));
    must(mt_diffusion_make(
        &s->arena, &s->mesh, &s->adjacency, &mt_tissue_usual, MT_DIFFUSION_ALPHA, &s->diffusion));
    must(ipu_target_load(&s->arena, MT_DATA_DIR "/machines/gc200.yaml", NULL, 0, &s->target));
    must(mt_partition_make(&s->arena, &s->adjacency,
        &(mt_partition_options){MT_PARTITION_FLAT, 1, (uint32_t)s->target.tiles, 1.03}, &s->partition));
    mt_scheme scheme;
    must(mt_scheme_find("mixed-clean", 0, &scheme));
    must(mt_halo_make(
        &s->arena, s->mesh.n_cells, MT_DIFFUSION_ROW, s->diffusion.column, &s->partition, &scheme, &s->halo));
    s->problem = (mt_monodomain){.diffusion = &s->diffusion,
        .cell_type = MT_EPI,
        .dt_ms = 0.02,
        .pde_steps = mt_monodomain_pde_steps(&s->diffusion, 0.02)};
    s->layout = (mt_layout){&s->target, &s->halo, false, -1};
}

/* ---- diffusion ---- */

/* The rows of all tiles as each tile holds them, and plain memory of as many bytes. */
typedef struct rows {
    slab *s;
    float *d, *a, *v, *out, *sums;
    uint16_t *column;
    size_t *v_offset; /* [parts + 1] of each tile's local order in v */
} rows;

static void go_rows(void *data)
{
    rows *r = data;
    const mt_halo *halo = &r->s->halo;
#pragma omp parallel for schedule(static)
    for (uint32_t p = 0; p < halo->n_parts; p++) {
        const size_t from = halo->own_offset[p];
        const float *v = r->v + r->v_offset[p];
        mt_ellpack_rows_float16(mt_halo_own(halo, p), r->d + from, r->a + MT_ELLPACK_WIDTH * from,
            r->column + MT_ELLPACK_WIDTH * from, mt_halo_local(halo, p), v, r->out + from);
    }
}

/* Reads every byte that the rows read, once, and writes what they write. */
static void go_stream(void *data)
{
    rows *r = data;
    const size_t n_blocks = r->s->mesh.n_cells / MT_BLOCK,
                 v_blocks = r->v_offset[r->s->halo.n_parts] / MT_BLOCK;
    const float *restrict a = r->a, *restrict columns = (const float *)(const void *)r->column;
    float checksum = 0;
#pragma omp parallel reduction(+ : checksum)
    {
        float sum[MT_BLOCK] = {0};
#pragma omp for schedule(static) nowait
        for (size_t block = 0; block < n_blocks; block++) {
            memcpy(sum, r->d + block * MT_BLOCK, sizeof sum);
            for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++)
                for (size_t lane = 0; lane < MT_BLOCK; lane++)
                    sum[lane] += a[(block * MT_ELLPACK_WIDTH + k) * MT_BLOCK + lane];
            for (size_t k = 0; k < MT_ELLPACK_WIDTH / 2; k++)
                for (size_t lane = 0; lane < MT_BLOCK; lane++)
                    sum[lane] += columns[(block * MT_ELLPACK_WIDTH / 2 + k) * MT_BLOCK + lane];
            memcpy(r->out + block * MT_BLOCK, sum, sizeof sum);
        }
#pragma omp for schedule(static)
        for (size_t block = 0; block < v_blocks; block++)
            for (size_t lane = 0; lane < MT_BLOCK; lane++) sum[lane] += r->v[block * MT_BLOCK + lane];
        for (size_t lane = 0; lane < MT_BLOCK; lane++) checksum += sum[lane];
    }
    r->out[0] = checksum;
}

static void diffusion(slab *s)
{
    mt_arena arena = {0};
    const size_t n = s->mesh.n_cells;
    rows r = {.s = s,
        .d = take(&arena, n, 4),
        .a = take(&arena, n * MT_ELLPACK_WIDTH, 4),
        .out = take(&arena, n, 4),
        .column = take(&arena, n * MT_ELLPACK_WIDTH, 2),
        .v_offset = take(&arena, s->halo.n_parts + (size_t)1, 8)};
    uint32_t *map = take(&arena, n, 4), *local = take(&arena, n * MT_ELLPACK_WIDTH, 4);
    memset(map, 0xff, n * 4);
    for (uint32_t p = 0; p < s->halo.n_parts; p++) {
        const size_t own = mt_halo_own(&s->halo, p), from = s->halo.own_offset[p];
        r.v_offset[p + 1] = r.v_offset[p] + mt_halo_local(&s->halo, p);
        must(mt_halo_columns(&s->halo, MT_DIFFUSION_ROW, s->diffusion.column, p, map, local));
        for (size_t row = 0; row < own; row++)
            for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++)
                r.column[MT_ELLPACK_WIDTH * from + mt_block_index(own, MT_ELLPACK_WIDTH, row, k)] =
                    (uint16_t)local[MT_ELLPACK_WIDTH * row + k];
    }
    r.v = take(&arena, r.v_offset[s->halo.n_parts], 4);
    const double bytes = (double)n * (MT_ELLPACK_WIDTH * 6 + 8) + 4 * (double)r.v_offset[s->halo.n_parts];
    const double stream = best_rate(go_stream, &r, bytes, 20), rate = best_rate(go_rows, &r, bytes, 20);
    printf("diffusion, %zu rows, %d threads: ELLPACK %.1f GB/s, streaming the same bytes %.1f GB/s: ratio "
           "%.2f\n",
        n, omp_get_max_threads(), rate / 1e9, stream / 1e9, rate / stream);
    mt_arena_free(&arena);
}

/* ---- machine ---- */

enum { MACHINE_STEPS = 20 };

typedef struct on_machine {
    const mt_backend *backend;
    void *self;
} on_machine;

static void go_machine(void *data)
{
    on_machine *m = data;
    must(m->backend->advance(m->self, 0, MACHINE_STEPS));
}

/* The same kernels on the whole mesh: no tiles, no exchange. */
typedef struct bare {
    const mt_monodomain *problem;
    float *v, *next, *before, *activation, *state, *d, *a;
    uint32_t *column;
} bare;

static void bare_step(bare *b)
{
    enum { CHUNK = 64 * MT_BLOCK };
    const size_t n = b->problem->diffusion->n_cells;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (size_t at = 0; at < n; at += CHUNK)
            mt_tp06_step_float(&mt_tp06_types[0], b->problem->dt_ms, n - at < CHUNK ? n - at : CHUNK,
                b->state + at * TP06_STATES, b->v + at, b->v + at);
        for (size_t p = 0; p < b->problem->pde_steps; p++) {
            const float *from = p % 2 ? b->next : b->v;
            float *to = p % 2 ? b->v : b->next;
#pragma omp for schedule(static)
            for (size_t at = 0; at < n; at += CHUNK)
                mt_ellpack_rows_float32(n - at < CHUNK ? n - at : CHUNK, b->d + at,
                    b->a + at * MT_ELLPACK_WIDTH, b->column + at * MT_ELLPACK_WIDTH, from + at, from,
                    to + at);
        }
#pragma omp for schedule(static)
        for (size_t c = 0; c < n; c++) {
            if (b->before[c] < 0 && b->v[c] >= 0) b->activation[c] = b->before[c] / (b->before[c] - b->v[c]);
            b->before[c] = b->v[c];
        }
    }
}

static void go_bare(void *data)
{
    for (int s = 0; s < MACHINE_STEPS; s++) bare_step(data);
}

static bare make_bare(mt_arena *arena, const slab *s)
{
    const size_t n = s->mesh.n_cells;
    bare b = {&s->problem, take(arena, n, 4), take(arena, n, 4), take(arena, n, 4), take(arena, n, 4),
        take(arena, n * TP06_STATES, 4), take(arena, n, 4), take(arena, n * MT_ELLPACK_WIDTH, 4),
        take(arena, n * MT_ELLPACK_WIDTH, 4)};
    float *off = take(arena, n * MT_ELLPACK_WIDTH, 4);
    mt_diffusion_step_matrix_float(&s->diffusion, s->problem.dt_ms / (double)s->problem.pde_steps, b.d, off);
    for (size_t c = 0; c < n; c++) {
        b.v[c] = b.before[c] = (float)mt_tp06_types[0].v_mV;
        for (size_t k = 0; k < TP06_STATES; k++)
            b.state[mt_block_index(n, TP06_STATES, c, k)] = (float)mt_tp06_types[0].state[k];
        for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) {
            size_t at = mt_block_index(n, MT_ELLPACK_WIDTH, c, k);
            b.a[at] = off[MT_ELLPACK_WIDTH * c + k];
            b.column[at] = s->diffusion.column[MT_ELLPACK_WIDTH * c + k];
        }
    }
    return b;
}

static void machine(slab *s)
{
    on_machine m = {mt_backend_find("ipu"), NULL};
    must(m.backend->open(&s->arena, &s->problem, &s->layout, &m.self));
    bare b = make_bare(&s->arena, s);
    const double work = (double)s->mesh.n_cells * MACHINE_STEPS;
    const double without = best_rate(go_bare, &b, work, 5), with = best_rate(go_machine, &m, work, 5);
    printf("machine, %zu cells, %zu diffusion steps, %d threads, cell-steps/s: %.3g on %zu tiles, %.3g "
           "without: %.2f times the time\n",
        s->mesh.n_cells, s->problem.pde_steps, omp_get_max_threads(), with, s->target.tiles, without,
        without / with);
}

int main(void)
{
    slab s;
    cell_model();
    make_slab(&s, 0.1);
    diffusion(&s);
    mt_arena_free(&s.arena);
    make_slab(&s, 0.2);
    diffusion(&s);
    machine(&s);
    mt_arena_free(&s.arena);
    return 0;
}
