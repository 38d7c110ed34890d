/* The comparison of the kernels of a compiled model with the interpreter, for one arithmetic and one instruction set. */
#include "solver/kernels/lanes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "solver/cells/model.h"
#include "solver/kernels/block.h"

#ifdef MT_DOUBLE
typedef mt_cell_kernel_double kernel;
typedef mt_cell_multirate_double multirate_kernel;
#else
typedef mt_cell_kernel_float kernel;
typedef mt_cell_multirate_float multirate_kernel;
#endif

extern kernel MT_KERNEL(cell_program);
extern multirate_kernel MT_KERNEL(cell_program_multirate);

/* Several chunks of the interpreter in double precision, and a narrow block. */
enum { CELLS = 20 * MT_BLOCK + 5, STEPS = 4 };

/* Returns a number from 0 to 1 that depends on n. */
static real arbitrary(size_t n)
{
    const uint64_t mixed = (n + 1) * 0x9e3779b97f4a7c15u;
    return (real)((double)((mixed ^ (mixed >> 29)) >> 40) / (1 << 24));
}

/* Sets V from -110 to 70 mV, beyond both ends of tables, and states near those at rest. */
static void fill(const mt_cell_model *model, real *state, real *v)
{
    const size_t n_states = model->n_states;
    for (size_t cell = 0; cell < CELLS; cell++) {
        v[cell] = (real)(-110) + (real)180 * arbitrary(cell);
        for (size_t k = 0; k < n_states; k++)
            state[mt_block_index(CELLS, n_states, cell, k)] =
                (real)model->variants[0].states[k] *
                ((real)0.75 + (real)0.5 * arbitrary(7 * cell + 1000 * k));
    }
}

/* True if all numbers have the same bits, or are NaN in both. */
static bool are_same(size_t n, const real *a, const real *b)
{
    for (size_t k = 0; k < n; k++)
        if (memcmp(&a[k], &b[k], sizeof *a) != 0 && !(isnan(a[k]) && isnan(b[k]))) return false;
    return true;
}

/* Cells that are advanced by a kernel. */
typedef struct cells {
    size_t n_state;
    real *state, v[CELLS], paced[MT_PACED][CELLS];
} cells;

/* Steps that are compared: an interpreted one and a compiled one. */
typedef void step_kernel(const void *data, bool compiled, const uint16_t *of, size_t n, cells *c);

/* True if both compute the same bits for cells of one and of mixed variants. */
static bool compare(const mt_cell_model *model, step_kernel *step, const void *data)
{
    const size_t n_state = CELLS * model->n_states;
    real state[2][n_state + 1];
    cells c[2] = {{.n_state = n_state, .state = state[0]}, {.n_state = n_state, .state = state[1]}};
    uint16_t of[CELLS];
    for (size_t cell = 0; cell < CELLS; cell++) of[cell] = cell < CELLS / 2 ? 0 : cell % 2;
    for (int mixed = 0; mixed < 2; mixed++) {
        for (int k = 0; k < 2; k++) {
            fill(model, c[k].state, c[k].v);
            for (int q = 0; q < MT_PACED; q++)
                for (size_t cell = 0; cell < CELLS; cell++) c[k].paced[q][cell] = (real)mt_paced_start[q];
            for (size_t n = 0; n < STEPS; n++) step(data, k != 0, mixed ? of : NULL, n, &c[k]);
        }
        if (!are_same(n_state, c[0].state, c[1].state) || !are_same(CELLS, c[0].v, c[1].v) ||
            !are_same(MT_PACED * CELLS, &c[0].paced[0][0], &c[1].paced[0][0]))
            return false;
    }
    return true;
}

#define PACED(c) (c)->paced[MT_PACED_KEPT], (c)->paced[MT_PACED_CHANGE], (c)->paced[MT_PACED_SINCE]

typedef struct exact {
    const mt_cell_model *model;
    const real *constants; /* of two variants */
    double dt_ms;
    kernel *step;
    multirate_kernel *multirate;
} exact;

static void step_exact(const void *data, bool compiled, const uint16_t *of, size_t n, cells *c)
{
    const exact *e = data;
    const mt_multirate_step at = {e->dt_ms, 0.5, n};
    (compiled ? e->step : MT_KERNEL(cell_program))(
        e->model, e->constants, 2, of, e->dt_ms, CELLS, c->state, c->v, c->v);
    (compiled ? e->multirate : MT_KERNEL(cell_program_multirate))(
        e->model, e->constants, 2, of, &at, CELLS, c->state, PACED(c), c->v, c->v);
}

bool MT_KERNEL(cell_compiled_same)(const mt_cell_model *model, const real *constants, double dt_ms,
    kernel *step, multirate_kernel *multirate);

bool MT_KERNEL(cell_compiled_same)(const mt_cell_model *model, const real *constants, double dt_ms,
    kernel *step, multirate_kernel *multirate)
{
    return compare(model, step_exact, &(exact){model, constants, dt_ms, step, multirate});
}

#ifndef MT_DOUBLE
extern mt_cell_tabulated_float MT_KERNEL(cell_program_tabulated);
extern mt_cell_tabulated_multirate_float MT_KERNEL(cell_program_tabulated_multirate);

typedef struct tabulated {
    const mt_cell_model *model[2]; /* with the tables of the ways of stepping */
    const real *constants;
    double dt_ms;
    mt_cell_tabulated_float *step;
    mt_cell_tabulated_multirate_float *multirate;
} tabulated;

static void step_tabulated(const void *data, bool compiled, const uint16_t *of, size_t n, cells *c)
{
    const tabulated *t = data;
    const mt_multirate_step at = {t->dt_ms, 0.5, n};
    (compiled ? t->step : MT_KERNEL(cell_program_tabulated))(
        t->model[0], t->model[0]->tables, t->constants, 2, of, t->dt_ms, CELLS, c->state, c->v, c->v);
    (compiled ? t->multirate : MT_KERNEL(cell_program_tabulated_multirate))(
        t->model[1], t->model[1]->tables, t->constants, 2, of, &at, CELLS, c->state, PACED(c), c->v, c->v);
}

bool MT_KERNEL(cell_compiled_tabulated_same)(const mt_cell_model *const model[2], const real *constants,
    double dt_ms, mt_cell_tabulated_float *step, mt_cell_tabulated_multirate_float *multirate);

bool MT_KERNEL(cell_compiled_tabulated_same)(const mt_cell_model *const model[2], const real *constants,
    double dt_ms, mt_cell_tabulated_float *step, mt_cell_tabulated_multirate_float *multirate)
{
    return compare(
        model[0], step_tabulated, &(tabulated){{model[0], model[1]}, constants, dt_ms, step, multirate});
}
#endif
