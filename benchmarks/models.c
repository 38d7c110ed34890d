/* An ionic model from a file on one core, interpreted and compiled, also with tables in single precision, compared with the built-in TP06
 * model. */
#include "benchmarks/benchmarks.h"
#include "data/files/data_folder.h"
#include "solver/cells/compiled/compiled.h"
#include "solver/cells/open.h"
#include "solver/cells/tabulated.h"
#include "solver/kernels/block.h"

enum { CELLS = 4096, STEPS = 10 }; /* this number of cells stays in a core's L2 cache */

/* Cells of a model in both arithmetics. */
typedef struct cells {
    const mt_cell_model *model;
    float *constants, *v, *state;
    double *constants_double, *v_double, *state_double;
} cells;

static cells *make_cells(mt_arena *arena, const mt_cell_model *model)
{
    cells *c = bench_take(arena, 1, sizeof *c);
    const size_t n_states = CELLS * model->n_states;
    *c = (cells){model, bench_take(arena, model->n_constants, sizeof(float)),
        bench_take(arena, CELLS, sizeof(float)), bench_take(arena, n_states, sizeof(float)),
        bench_take(arena, model->n_constants, sizeof(double)), bench_take(arena, CELLS, sizeof(double)),
        bench_take(arena, n_states, sizeof(double))};
    mt_cell_constants_float(model, model->variants, 1, c->constants);
    mt_cell_constants_double(model, model->variants, 1, c->constants_double);
    for (size_t cell = 0; cell < CELLS; cell++) {
        c->v_double[cell] = model->variants->v_mV + (double)(cell % 100);
        c->v[cell] = (float)c->v_double[cell];
        for (size_t k = 0; k < model->n_states; k++) {
            const size_t at = mt_block_index(CELLS, model->n_states, cell, k);
            c->state_double[at] = model->variants->states[k];
            c->state[at] = (float)c->state_double[at];
        }
    }
    return c;
}

static void go_float(void *data)
{
    const cells *c = data;
    for (int s = 0; s < STEPS; s++)
        mt_cell_react_float(c->model, c->constants, 1, NULL, 0.02, CELLS, c->state, c->v, c->v);
}

static void go_double(void *data)
{
    const cells *c = data;
    for (int s = 0; s < STEPS; s++)
        mt_cell_react_double(
            c->model, c->constants_double, 1, NULL, 0.02, CELLS, c->state_double, c->v_double, c->v_double);
}

/* Returns a model with tables; NULL if it has no functions for them. */
static const mt_cell_model *tabulated(mt_arena *arena, const mt_cell_model *model)
{
    const mt_cell_model *with;
    double error;
    if (model->n_functions == 0) return NULL;
    bench_must(mt_cell_tabulate(arena, model, model->variants, 1, 0.02, false, &with, &error));
    return with;
}

void bench_models(bench_list *list, const char *file)
{
    mt_arena arena = {0};
    const char *path = file;
    const mt_cell_model *model, *compiled;
    if (!file) bench_must(mt_data_path(&arena, "models/beeler-reuter-1977.mmt", &path));
    bench_must(mt_cell_model_open(&arena, path, &model));
    bench_must(mt_cell_compile(&arena, model, true, false, &compiled));
    const struct {
        const char *name;
        const mt_cell_model *model;
        bool single_only;
    } of[] = {{"built-in tp06", mt_cell_models[0], false}, {"file, interpreted", model, false},
        {"file, compiled", compiled, false},
        {"built-in tp06, tabulated", tabulated(&arena, mt_cell_models[0]), true},
        {"file, interpreted, tabulated", tabulated(&arena, model), true},
        {"file, compiled, tabulated", tabulated(&arena, compiled), true}};
    for (int is_double = 0; is_double < 2; is_double++) {
        bench_figure figure = {.unit = "element-steps/s",
            .rate = true,
            .items = (double)CELLS * STEPS,
            .go = is_double ? go_double : go_float};
        for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
            if (!of[k].model || (is_double && of[k].single_only)) continue;
            figure.data = make_cells(&arena, of[k].model);
            const int n = bench_add(list, figure, "%s %s", is_double ? "double" : "float", of[k].name);
            if (k == 0) figure.baseline = n;
        }
    }
    bench_measure(list);
    mt_arena_free(&arena);
}
