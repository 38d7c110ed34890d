/* The kernels without tiles for one arithmetic (set by the build): benchmarks/bare.h. */
#include "solver/kernels/lanes.h"

#include "benchmarks/bare.h"
#include "solver/cells/tabulated.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/kernels/activation_equations.h"
#include "solver/kernels/block.h"
#include "solver/kernels/ellpack.h"

#ifdef MT_DOUBLE
#    define OF(name) name##_double
#    define ROWS mt_ellpack_rows_double
#    define STEP_ROW mt_diffusion_step_row
#else
#    define OF(name) name##_float
#    define ROWS mt_ellpack_rows_float
#    define STEP_ROW mt_diffusion_step_row_float
#endif

typedef struct bare {
    const mt_monodomain *problem;
    const mt_cell_model *model;
    size_t n;
    real *v, *next, *before, *activation, *state, *d, *a;
    mt_ellpack_columns *columns;
    double column_bytes; /* per column, with what locates them */
} bare;

enum { CHUNK = 64 * MT_BLOCK };

static size_t chunk(const bare *b, size_t at) { return b->n - at < CHUNK ? b->n - at : CHUNK; }

static void go_cells(void *data)
{
    const bare *b = data;
#pragma omp parallel for schedule(static)
    for (size_t at = 0; at < b->n; at += CHUNK) OF(mt_cell_step)
    (b->model, 0, NULL, b->problem->dt_ms, chunk(b, at), b->state + at * TP06_STATES, b->v + at, b->v + at);
}

static void go_diffusion(void *data)
{
    const bare *b = data;
    for (size_t p = 0; p < b->problem->pde_steps; p++) {
        const real *from = p % 2 ? b->next : b->v;
        real *to = p % 2 ? b->v : b->next;
#pragma omp parallel for schedule(static)
        for (size_t at = 0; at < b->n; at += CHUNK)
            ROWS(chunk(b, at), b->d + at, b->a + at * MT_ELLPACK_WIDTH, b->columns + at / MT_BLOCK, from + at,
                from, to + at);
    }
}

static void go_record(void *data)
{
    const bare *b = data;
#pragma omp parallel for schedule(static)
    for (size_t c = 0; c < b->n; c++) {
        if (b->before[c] < 0 && b->v[c] >= 0)
            b->activation[c] =
                activation_step(0, (real)b->problem->dt_ms, b->before[c], b->v[c], b->activation[c]);
        b->before[c] = b->v[c];
    }
}

/* Computes the start and the matrix, except the columns, which it stores as indices [n][16] in blocks. */
static void fill(bare *b, uint32_t *column)
{
    const mt_diffusion *diffusion = b->problem->diffusion;
    const double substep_ms = b->problem->dt_ms / (double)b->problem->pde_steps;
    const mt_cell_variant *rest = &mt_cell_tp06.variants[0];
    for (size_t c = 0; c < b->n; c++) {
        real off[MT_ELLPACK_WIDTH];
        b->d[c] = STEP_ROW(diffusion->rate + MT_ELLPACK_WIDTH * c, substep_ms, off);
        b->v[c] = b->next[c] = b->before[c] = (real)rest->v_mV;
        for (size_t k = 0; k < TP06_STATES; k++)
            b->state[mt_block_index(b->n, TP06_STATES, c, k)] = (real)rest->states[k];
        for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) {
            const size_t at = mt_block_index(b->n, MT_ELLPACK_WIDTH, c, k);
            b->a[at] = off[k];
            column[at] = diffusion->column[MT_ELLPACK_WIDTH * c + k];
        }
    }
}

static bare *make(mt_arena *arena, const mt_monodomain *problem)
{
    const size_t n = problem->diffusion->n_unknowns;
    bare *b = bench_take(arena, 1, sizeof *b);
    *b = (bare){.problem = problem, .model = &mt_cell_tp06, .n = n};
    real **each[] = {&b->v, &b->next, &b->before, &b->activation, &b->d};
    for (size_t k = 0; k < sizeof each / sizeof each[0]; k++) *each[k] = bench_take(arena, n, sizeof(real));
    b->state = bench_take(arena, n * TP06_STATES, sizeof *b->state);
    b->a = bench_take(arena, n * MT_ELLPACK_WIDTH, sizeof *b->a);
    const size_t n_columns = n * MT_ELLPACK_WIDTH, n_blocks = (n + MT_BLOCK - 1) / MT_BLOCK;
    b->columns = bench_take(arena, n_blocks, sizeof *b->columns);
    MT_SCRATCH(scratch);
    uint32_t *column = bench_take(scratch, n_columns, sizeof *column);
    char *room = bench_take(arena, n_columns, sizeof *column);
    fill(b, column);
    const char *end = mt_ellpack_pack(n, column, room, b->columns);
    b->column_bytes = (double)((size_t)(end - room) + n_blocks * sizeof *b->columns) / (double)n_columns;
    return b;
}

static int add(bench_list *list, bench_figure f, void (*go)(void *), bare_work work, const char *name)
{
    f.go = go;
    f.flops = work.flops;
    f.bytes = work.bytes;
    return bench_add(list, f, "mesh, %s: %s", REAL_BYTES == 8 ? "double" : "float", name);
}

#ifndef MT_DOUBLE
/* Tables are read instead of the flops of the tally, so the limit is that of bytes. */
static void add_tabulated(bench_list *list, mt_arena *arena, const bare *exact, bench_figure f,
    const bare_figures *of, double step_bytes)
{
    const bare_work cells = {0, bare_cells(false).bytes}, step = {0, step_bytes};
    bare *with = bench_take(arena, 1, sizeof *with);
    double error;
    *with = *exact;
    bench_must(mt_cell_tabulate(
        arena, exact->model, exact->model->variants, 1, exact->problem->dt_ms, false, &with->model, &error));
    f.data = with;
    f.baseline = of->cells;
    f.plus[0] = add(list, f, go_cells, cells, "cells, tabulated");
    f.plus[1] = of->diffusion, f.plus[2] = of->record;
    f.baseline = of->step;
    (void)add(list, f, NULL, step, "step, tabulated");
}
#endif

bare_figures OF(bare_add)(
    bench_list *list, mt_arena *arena, const mt_monodomain *problem, const bench_figure *like)
{
    const bool is_double = REAL_BYTES == 8;
    bare *data = make(arena, problem);
    const bare_work cells = bare_cells(is_double),
                    rows = bare_diffusion(is_double, problem, data->column_bytes),
                    record = bare_record(is_double),
                    all = {cells.flops + rows.flops + record.flops, cells.bytes + rows.bytes + record.bytes};
    bench_figure f = *like;
    bare_figures of;
    f.data = data;
    of.cells = add(list, f, go_cells, cells, "cells");
    of.diffusion = add(list, f, go_diffusion, rows, "diffusion");
    of.record = add(list, f, go_record, record, "record");
    f.plus[0] = of.cells, f.plus[1] = of.diffusion, f.plus[2] = of.record;
    of.step = add(list, f, NULL, all, "step");
#ifndef MT_DOUBLE
    add_tabulated(list, arena, data, *like, &of, all.bytes);
#endif
    return of;
}
