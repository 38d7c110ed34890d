/* The ionic model and functions on one core: every arithmetic and instruction set, compared with scalar code and the C library's
 * functions. */
#include <math.h>
#include <stdint.h>

#include "benchmarks/benchmarks.h"
#include "benchmarks/limits.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/cells/model.h"
#include "solver/kernels/block.h"

/* ---- cells ---- */

mt_cell_kernel_double mt_cell_tp06_double_one;

enum { CELLS = 4096, STEPS = 10 }; /* this number of cells stays in a core's L2 cache */

typedef struct cells_float {
    mt_cell_kernel_float *kernel;
    float *v, *state, *constants;
} cells_float;
typedef struct cells_double {
    mt_cell_kernel_double *kernel;
    double *v, *state, *constants;
} cells_double;

static void go_cells_float(void *data)
{
    const cells_float *c = data;
    for (int s = 0; s < STEPS; s++)
        c->kernel(&mt_cell_tp06, c->constants, 1, NULL, 0.02, CELLS, c->state, c->v, c->v);
}

static void go_cells_double(void *data)
{
    const cells_double *c = data;
    for (int s = 0; s < STEPS; s++)
        c->kernel(&mt_cell_tp06, c->constants, 1, NULL, 0.02, CELLS, c->state, c->v, c->v);
}

/* Initial values of resting and activated cells. */
static double start_mV(size_t cell) { return mt_cell_tp06.variants[0].v_mV + (double)(cell % 100); }
static double start_state(size_t k) { return mt_cell_tp06.variants[0].states[k]; }

static cells_float *make_float(mt_arena *arena, mt_cell_kernel_float *kernel)
{
    cells_float *c = bench_take(arena, 1, sizeof *c);
    *c = (cells_float){kernel, bench_take(arena, CELLS, sizeof *c->v),
        bench_take(arena, CELLS * TP06_STATES, sizeof *c->state),
        bench_take(arena, TP06_CONSTANTS, sizeof *c->constants)};
    mt_cell_constants_float(&mt_cell_tp06, mt_cell_tp06.variants, 1, c->constants);
    for (size_t cell = 0; cell < CELLS; cell++) {
        c->v[cell] = (float)start_mV(cell);
        for (size_t k = 0; k < TP06_STATES; k++)
            c->state[mt_block_index(CELLS, TP06_STATES, cell, k)] = (float)start_state(k);
    }
    return c;
}

static cells_double *make_double(mt_arena *arena, mt_cell_kernel_double *kernel)
{
    cells_double *c = bench_take(arena, 1, sizeof *c);
    *c = (cells_double){kernel, bench_take(arena, CELLS, sizeof *c->v),
        bench_take(arena, CELLS * TP06_STATES, sizeof *c->state),
        bench_take(arena, TP06_CONSTANTS, sizeof *c->constants)};
    mt_cell_constants_double(&mt_cell_tp06, mt_cell_tp06.variants, 1, c->constants);
    for (size_t cell = 0; cell < CELLS; cell++) {
        c->v[cell] = start_mV(cell);
        for (size_t k = 0; k < TP06_STATES; k++)
            c->state[mt_block_index(CELLS, TP06_STATES, cell, k)] = start_state(k);
    }
    return c;
}

static void add_cells_float(bench_list *list, bench_figure figure, mt_arena *arena, const mt_kernels *kernels)
{
    figure.go = go_cells_float;
    figure.data = make_float(arena, mt_cell_tp06.kernel_float[kernels->set]);
    figure.flops = bench_flops(&mt_cell_tp06.mix.ode, false);
    (void)bench_add(list, figure, "cell float %s", kernels->isa);
}

static void add_cells_double(
    bench_list *list, bench_figure figure, mt_arena *arena, const mt_kernels *kernels)
{
    figure.go = go_cells_double;
    figure.data = make_double(arena, mt_cell_tp06.kernel_double[kernels->set]);
    figure.flops = bench_flops(&mt_cell_tp06.mix.ode, true);
    (void)bench_add(list, figure, "cell double %s", kernels->isa);
}

/* Numbers of the limits of two arithmetics in each instruction set. The clock is added first, as baseline for flops per cycle. */
typedef int limits[2][MT_ISAS];
static size_t add_limits(bench_list *list, const mt_kernels *all[MT_ISAS], limits peak)
{
    const int clock = bench_add_clock(list);
    const size_t n = mt_kernels_all(all);
    for (size_t k = 0; k < n; k++)
        for (int is_double = 0; is_double < 2; is_double++)
            peak[is_double][all[k]->set] = bench_add_multiply_adds(list, all[k], is_double, 1, clock);
    return n;
}

void bench_cells(bench_list *list, const char *mesh)
{
    mt_arena arena = {0};
    const mt_kernels *all[MT_ISAS];
    limits peak;
    const size_t n = add_limits(list, all, peak);
    bench_figure figure = {
        .unit = "element-steps/s", .rate = true, .items = (double)CELLS * STEPS, .go = go_cells_double};
    (void)mesh;
    figure.data = make_double(&arena, mt_cell_tp06_double_one);
    figure.baseline = bench_add(list, figure, "cell double, one lane, C library");
    for (size_t k = 0; k < n; k++) {
        figure.peak = peak[1][all[k]->set];
        add_cells_double(list, figure, &arena, all[k]);
        figure.peak = peak[0][all[k]->set];
        add_cells_float(list, figure, &arena, all[k]);
    }
    bench_measure(list);
    mt_arena_free(&arena);
}

/* ---- functions ---- */

enum { NUMBERS = 4096, PASSES = 20 };

typedef struct numbers {
    const mt_kernels *kernels;
    mt_function function;
    float *x, *y;
    double *x_double, *y_double;
    float (*c_float)(float);
    double (*c_double)(double);
} numbers;

static void go_function_float(void *data)
{
    const numbers *n = data;
    for (int p = 0; p < PASSES; p++) n->kernels->function_float(n->function, NUMBERS, n->x, NULL, n->y);
}
static void go_function_double(void *data)
{
    const numbers *n = data;
    for (int p = 0; p < PASSES; p++)
        n->kernels->function_double(n->function, NUMBERS, n->x_double, NULL, n->y_double);
}
static void go_c_float(void *data)
{
    const numbers *n = data;
    for (int p = 0; p < PASSES; p++)
        for (size_t k = 0; k < NUMBERS; k++) n->y[k] = n->c_float(n->x[k]);
}
static void go_c_double(void *data)
{
    const numbers *n = data;
    for (int p = 0; p < PASSES; p++)
        for (size_t k = 0; k < NUMBERS; k++) n->y_double[k] = n->c_double(n->x_double[k]);
}

static const struct {
    const char *name;
    mt_function function;
    float (*c_float)(float);
    double (*c_double)(double);
    double from, to; /* range of its arguments */
} functions[] = {{"exp", MT_EXP, expf, exp, -20, 20}, {"expm1", MT_EXPM1, expm1f, expm1, -2, 2},
    {"log", MT_LOG, logf, log, 1e-5, 200}};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static numbers make_numbers(mt_arena *arena, size_t of)
{
    numbers n = {.function = functions[of].function,
        .x = bench_take(arena, NUMBERS, sizeof(float)),
        .y = bench_take(arena, NUMBERS, sizeof(float)),
        .x_double = bench_take(arena, NUMBERS, sizeof(double)),
        .y_double = bench_take(arena, NUMBERS, sizeof(double)),
        .c_float = functions[of].c_float,
        .c_double = functions[of].c_double};
    for (size_t k = 0; k < NUMBERS; k++) {
        const double part = (double)(k * 1597 % NUMBERS) / NUMBERS; /* unordered */
        n.x_double[k] = functions[of].from + part * (functions[of].to - functions[of].from);
        n.x[k] = (float)n.x_double[k];
    }
    return n;
}

static void add_function(bench_list *list, mt_arena *arena, size_t of, bool is_double,
    const mt_kernels *const all[MT_ISAS], size_t n_all, limits peak)
{
    numbers *n = bench_take(arena, n_all + 1, sizeof *n);
    const char *arithmetic = is_double ? "double" : "float";
    bench_figure figure = {.unit = "numbers/s", .rate = true, .items = (double)NUMBERS * PASSES};
    n[n_all] = make_numbers(arena, of);
    figure.data = &n[n_all];
    figure.go = is_double ? go_c_double : go_c_float;
    figure.baseline = bench_add(list, figure, "%s %s, C library", functions[of].name, arithmetic);
    figure.go = is_double ? go_function_double : go_function_float;
    figure.flops = bench_flops_of_function(functions[of].function, is_double);
    for (size_t k = 0; k < n_all; k++) {
        n[k] = n[n_all];
        n[k].kernels = all[k];
        figure.data = &n[k];
        figure.peak = peak[is_double][all[k]->set];
        (void)bench_add(list, figure, "%s %s %s", functions[of].name, arithmetic, all[k]->isa);
    }
}

void bench_functions(bench_list *list, const char *mesh)
{
    mt_arena arena = {0};
    const mt_kernels *all[MT_ISAS];
    limits peak;
    const size_t n = add_limits(list, all, peak);
    (void)mesh;
    for (size_t of = 0; of < FUNCTIONS; of++)
        for (int is_double = 0; is_double < 2; is_double++)
            add_function(list, &arena, of, is_double, all, n, peak);
    bench_measure(list);
    mt_arena_free(&arena);
}
