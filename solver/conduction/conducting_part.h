/* The arithmetic of a conduction system, in single or double precision (solver/conduction/conducting.h).
 *
 * Included after solver/kernels/lanes.h has selected the arithmetic, by the file that defines PART_FUNCTIONS. */
#pragma once

#include <math.h>
#include <omp.h>
#include <string.h>

#include "solver/cells/tabulated.h"
#include "solver/conduction/chain_equations.h"
#include "solver/conduction/conducting_functions.h"
#include "solver/conduction/coefficients.h"
#include "solver/kernels/block.h"
#include "solver/kernels/flushing.h"

#ifdef MT_DOUBLE
#    define PART_TABULATES false
#    define PART_REACT mt_cell_react_double
#    define PART_MULTIRATE_REACT mt_cell_multirate_react_double
#    define PART_CONSTANTS mt_cell_constants_double
#else
#    define PART_TABULATES true
#    define PART_REACT mt_cell_react_float
#    define PART_MULTIRATE_REACT mt_cell_multirate_react_float
#    define PART_CONSTANTS mt_cell_constants_float
#endif

/* Voltages and coefficients of a system; the lengths are those of the cables, the elimination and the junctions. */
typedef struct part {
    const mt_conduction *conduction;
    double step_ms, dt_ms;      /* of the problem, and of the cables */
    mt_elimination elimination; /* its lists; the coefficients are below */
    const mt_cell_model *model; /* with tables, if the evaluation is tabulated */
    real *constants;
    real *paced[MT_PACED]; /* [n_points] with multirate stepping; else NULL */
    real *v, *d, *state;   /* d: increments of V by the cells; state in blocks */
    real *w, *b;           /* w, later W; right-hand side, later x */
    real *conductance;     /* [n_pieces] */
    real *along, *across, *inverse, *factor, *earlier_factor;
    real *added;                            /* [n_chains][2] */
    real *tissue, *rise;                    /* [n_unknowns] V_i, and its change in a step */
    real *coupling, *gain;                  /* h_i, and dt h_i / C_i */
    real *mean_weight;                      /* h_i / their sum */
    real *mean;                             /* [junctions] of V_i */
    real *recorded[MT_CONDUCTING_RECORDED]; /* [points, then junctions] */
} part;

enum { CHUNK = 64 * MT_BLOCK }; /* points per thread and iteration */

/* ---- opening ---- */

static mt_status to_real(mt_arena *arena, const double *from, size_t n, real **to)
{
    MT_ALLOC(arena, *to, n);
    for (size_t k = 0; k < n; k++) (*to)[k] = (real)from[k];
    return MT_OK;
}

static mt_status open_coefficients(mt_arena *arena, part *p)
{
    const mt_cables *c = &p->conduction->cables;
    const mt_junctions *j = &p->conduction->junctions;
    const size_t n = j->start[j->n];
    mt_conduction_coefficients of;
    mt_elimination *e = &p->elimination;
    MT_TRY(mt_conduction_coefficients_make(arena, p->conduction, p->dt_ms, &of));
    MT_TRY(to_real(arena, of.coupling_mS, n, &p->coupling));
    MT_TRY(to_real(arena, of.gain, n, &p->gain));
    MT_TRY(to_real(arena, of.mean_weight, n, &p->mean_weight));
    *e = of.elimination;
    MT_TRY(to_real(arena, c->conductance_mS, c->n_pieces, &p->conductance));
    MT_TRY(to_real(arena, e->along, c->n_chained, &p->along));
    MT_TRY(to_real(arena, e->across, c->n_chained, &p->across));
    MT_TRY(to_real(arena, e->inverse, c->n_points, &p->inverse));
    MT_TRY(to_real(arena, e->factor, e->column[e->n_hubs], &p->factor));
    MT_TRY(to_real(arena, e->earlier_factor, e->row[e->n_hubs], &p->earlier_factor));
    MT_ALLOC(arena, p->tissue, j->n_unknowns);
    MT_ALLOC(arena, p->rise, j->n_unknowns);
    MT_ALLOC(arena, p->added, 2 * c->n_chains);
    return MT_OK;
}

/* Sets the model with its tables, if it uses them, and the arrays of multirate stepping. */
static mt_status open_cells(mt_arena *arena, part *p)
{
    const mt_conduction *c = p->conduction;
    const bool multirate = c->stepping == MT_STEPPING_MULTIRATE;
    double error;
    p->model = c->model;
    for (int k = 0; multirate && k < MT_PACED; k++) {
        MT_ALLOC(arena, p->paced[k], c->cables.n_points);
        for (size_t i = 0; i < c->cables.n_points; i++) p->paced[k][i] = (real)mt_paced_start[k];
    }
    if (!PART_TABULATES || c->evaluation == MT_EVALUATION_EXACT || c->model->n_functions == 0) return MT_OK;
    return mt_cell_tabulate(arena, c->model, &c->variant, 1, p->dt_ms, multirate, &p->model, &error);
}

static mt_status open_record(mt_arena *arena, part *p)
{
    const mt_conduction *c = p->conduction;
    const size_t n = c->cables.n_points, n_places = n + c->junctions.n;
    MT_ALLOC(arena, p->mean, c->junctions.n);
    for (int r = 0; r < MT_CONDUCTING_RECORDED; r++) MT_ALLOC(arena, p->recorded[r], n_places);
    for (size_t k = 0; k < n_places; k++) {
        const double start_mV = k < n ? c->variant.v_mV : INFINITY;
        p->recorded[MT_CONDUCTING_ACTIVATION][k] = (real)INFINITY;
        p->recorded[MT_CONDUCTING_BEFORE][k] = (real)start_mV;
        p->recorded[MT_CONDUCTING_FREE][k] = start_mV < MT_CONDUCTION_FREE_mV;
    }
    return MT_OK;
}

static mt_status part_open(mt_arena *arena, const mt_conduction *conduction, double dt_ms, void **opened)
{
    const mt_cell_model *model = conduction->model;
    const size_t n = conduction->cables.n_points;
    part *p;
    MT_ALLOC(arena, p, 1);
    *p = (part){.conduction = conduction, .step_ms = dt_ms, .dt_ms = dt_ms / (double)conduction->steps};
    MT_ALLOC(arena, p->constants, model->n_constants);
    MT_ALLOC(arena, p->v, n);
    MT_ALLOC(arena, p->d, n);
    MT_ALLOC(arena, p->w, n);
    MT_ALLOC(arena, p->b, n);
    MT_ALLOC(arena, p->state, n * model->n_states);
    PART_CONSTANTS(model, &conduction->variant, 1, p->constants);
    for (size_t k = 0; k < n; k++) {
        p->v[k] = (real)conduction->variant.v_mV;
        for (size_t s = 0; s < model->n_states; s++)
            p->state[mt_block_index(n, model->n_states, k, s)] = (real)conduction->variant.states[s];
    }
    *opened = p;
    MT_TRY(open_record(arena, p));
    MT_TRY(open_cells(arena, p));
    return open_coefficients(arena, p);
}

/* ---- a step ---- */

static void stimulate(part *p, size_t step)
{
    for (size_t s = 0; s < p->conduction->n_stimuli; s++) {
        const mt_stimulus *stimulus = &p->conduction->stimulus[s];
        if (!mt_stimulus_is_on(stimulus, p->step_ms, step)) continue;
        const real rise_mV = (real)(p->dt_ms * stimulus->rise_mV_ms);
        for (size_t k = 0; k < stimulus->n_elements; k++) p->v[stimulus->element[k]] += rise_mV;
    }
}

/* Takes a step of the cells of n points, by its number; sets their increments. */
static void react(part *p, size_t step, size_t from, size_t n)
{
    const mt_cell_model *model = p->model;
    real *v = p->v + from, *d = p->d + from, *state = p->state + from * model->n_states;
    memcpy(d, v, n * sizeof *d);
    if (p->paced[0]) {
        const mt_multirate_step at = {p->dt_ms, p->conduction->tolerance_mV, step};
        PART_MULTIRATE_REACT(model, p->constants, 1, NULL, &at, n, state, p->paced[MT_PACED_KEPT] + from,
            p->paced[MT_PACED_CHANGE] + from, p->paced[MT_PACED_SINCE] + from, v, v);
    } else
        PART_REACT(model, p->constants, 1, NULL, p->dt_ms, n, state, v, v);
    for (size_t k = 0; k < n; k++) d[k] = v[k] - d[k];
}

/* Computes the current into the free end of junction k, whose W is w, and the mean of V_i there. */
static void sum_junction(const part *p, size_t k, real w, real *current, real *mean)
{
    const mt_junctions *j = &p->conduction->junctions;
    const size_t from = j->start[k];
    const junction_entries entries = {
        j->start[k + 1] - from, p->coupling + from, p->mean_weight + from, p->tissue, j->slot + from};
    real shares[2 * MT_JUNCTION_SHARES];
    junction_sums(&entries, w, shares, current, mean);
}

/* Computes the current into a free end from its junction. */
static void add_junctions(part *p)
{
    const mt_junctions *j = &p->conduction->junctions;
    real mean;
    for (size_t k = 0; k < j->n; k++) sum_junction(p, k, p->w[j->point[k]], &p->b[j->point[k]], &mean);
}

static chain_rows rows_of(const part *p, size_t k)
{
    const mt_cable_chain *c = &p->conduction->cables.chain[k];
    return (chain_rows){.n = c->end - c->first,
        .conductance = p->conductance + c->first + k,
        .along = p->along + c->first,
        .across = p->across + c->first,
        .inverse = p->inverse + c->first};
}

/* Eliminates the points of a chain. */
static void forward(part *p, size_t k)
{
    const mt_cable_chain *c = &p->conduction->cables.chain[k];
    const chain_rows rows = rows_of(p, k);
    const uint32_t left = c->left != MT_NO_POINT ? c->left : c->first,
                   right = c->right != MT_NO_POINT ? c->right : c->end - 1;
    chain_forward(&rows, p->w + c->first, p->w[left], p->w[right], p->b + c->first, p->added + 2 * k);
}

/* Solves for the hubs. */
static void solve_hubs(part *p)
{
    const mt_elimination *e = &p->elimination;
    real *b = p->b + p->conduction->cables.n_chained;
    const real *inverse = p->inverse + p->conduction->cables.n_chained;
    for (size_t k = 0; k < e->n_hubs; k++) {
        const uint32_t hub = e->order[k];
        real sum = 0;
        for (size_t i = e->ends[hub]; i < e->ends[hub + (size_t)1]; i++) sum += p->added[e->end[i]];
        b[hub] = hub_entries(sum, (uint32_t)(e->row[k + 1] - e->row[k]), e->earlier + e->row[k],
            p->earlier_factor + e->row[k], b);
    }
    for (size_t k = e->n_hubs; k-- > 0;) {
        const uint32_t hub = e->order[k];
        b[hub] = hub_entries(inverse[hub] * b[hub], (uint32_t)(e->column[k + 1] - e->column[k]),
            e->hub + e->column[k], p->factor + e->column[k], b);
    }
}

/* Solves for the points of a chain. */
static void backward(part *p, size_t k)
{
    const mt_cable_chain *c = &p->conduction->cables.chain[k];
    const chain_rows rows = rows_of(p, k);
    chain_backward(&rows, c->left != MT_NO_POINT ? p->b[c->left] : 0,
        c->right != MT_NO_POINT ? p->b[c->right] : 0, p->b + c->first, p->v + c->first, p->w + c->first);
}

/* Gives the tissue the charge that the free ends lose. */
static void charge_tissue(part *p)
{
    const mt_junctions *j = &p->conduction->junctions;
    for (size_t k = 0; k < j->n; k++) {
        const real w = p->w[j->point[k]];
        for (size_t i = j->start[k]; i < j->start[k + 1]; i++) {
            const uint32_t slot = j->slot[i];
            p->rise[slot] = junction_charge(p->rise[slot], p->gain[i], w, p->tissue[slot]);
        }
    }
    for (size_t i = 0; i < j->n_unknowns; i++) {
        p->tissue[i] += p->rise[i];
        p->rise[i] = 0;
    }
}

/* Solves for the cables and junctions, from the increments of the cells. */
static void diffuse(part *p)
{
    const mt_cables *c = &p->conduction->cables;
#pragma omp parallel if (c->n_points > CHUNK)
    {
        const uint64_t setting = begin_arithmetic();
#pragma omp for schedule(static)
        for (size_t k = 0; k < c->n_points; k++) p->w[k] = p->v[k] + p->d[k];
#pragma omp single
        add_junctions(p);
#pragma omp for schedule(static)
        for (size_t k = 0; k < c->n_chains; k++) forward(p, k);
#pragma omp single
        solve_hubs(p);
#pragma omp for schedule(static)
        for (size_t k = 0; k < c->n_chains; k++) backward(p, k);
#pragma omp single
        {
            for (size_t k = c->n_chained; k < c->n_points; k++) p->v[k] += p->b[k];
            charge_tissue(p);
        }
        end_arithmetic(setting);
    }
}

static void react_all(part *p, size_t step)
{
    const size_t n = p->conduction->cables.n_points;
#pragma omp parallel for schedule(static) if (n > CHUNK)
    for (size_t from = 0; from < n; from += CHUNK) {
        const uint64_t setting = begin_arithmetic();
        react(p, step, from, n - from < CHUNK ? n - from : CHUNK);
        end_arithmetic(setting);
    }
}

/* Computes the mean of V_i at each junction. */
static void find_means(part *p)
{
    real current;
    for (size_t k = 0; k < p->conduction->junctions.n; k++) sum_junction(p, k, 0, &current, &p->mean[k]);
}

/* Records n places from `first` on, whose V became now[n] in a step of the beat. */
static void record(part *p, size_t first, size_t n, const real *now, real step)
{
    const real threshold_mV = (real)p->conduction->threshold_mV, dt_ms = (real)p->step_ms;
    real *activation_ms = p->recorded[MT_CONDUCTING_ACTIVATION] + first,
         *before = p->recorded[MT_CONDUCTING_BEFORE] + first,
         *is_free = p->recorded[MT_CONDUCTING_FREE] + first;
    for (size_t k = 0; k < n; k++) {
        if (now[k] >= threshold_mV && is_free[k] > 0) /* else it would change nothing */
            activation_ms[k] =
                place_activation(step, dt_ms, threshold_mV, before[k], now[k], is_free[k], activation_ms[k]);
        is_free[k] = place_frees(threshold_mV, MT_CONDUCTION_FREE_mV, now[k], is_free[k]);
        before[k] = now[k];
    }
}

static void part_step(
    void *opened, size_t step, size_t step_of_beat, const double *tissue_mV, double *changed_mV)
{
    part *p = opened;
    const size_t n = p->conduction->junctions.n_unknowns, n_points = p->conduction->cables.n_points;
    const uint64_t setting = begin_arithmetic();
    for (size_t k = 0; k < n; k++) p->tissue[k] = (real)tissue_mV[k];
    find_means(p);
    record(p, n_points, p->conduction->junctions.n, p->mean, (real)step_of_beat - 1);
    for (size_t k = 0; k < p->conduction->steps; k++) {
        diffuse(p);
        if (k == 0) record(p, 0, n_points, p->v, (real)step_of_beat - 1);
        stimulate(p, step);
        react_all(p, (step * p->conduction->steps + k) % MT_CONDUCTING_STEPS);
    }
    for (size_t k = 0; k < n; k++) changed_mV[k] = (double)p->tissue[k];
    end_arithmetic(setting);
}

/* Returns a number of an array: V, then the states, those of multirate stepping, the increments, and the recorded ones. */
static real *number_of(part *p, size_t array, size_t k)
{
    const size_t n = p->conduction->cables.n_points, n_states = p->model->n_states,
                 recorded = 2 + n_states + (p->paced[0] ? MT_PACED : 0);
    if (array == 0) return &p->v[k];
    if (array >= recorded) return &p->recorded[array - recorded][k];
    if (array == recorded - 1) return &p->d[k];
    if (array > n_states) return &p->paced[array - 1 - n_states][k];
    return &p->state[mt_block_index(n, n_states, k, array - 1)];
}

static void part_read(void *opened, size_t array, size_t n, double *values)
{
    part *p = opened;
    for (size_t k = 0; k < n; k++) values[k] = (double)*number_of(p, array, k);
}

static void part_write(void *opened, size_t array, size_t n, const double *values)
{
    part *p = opened;
    for (size_t k = 0; k < n; k++) *number_of(p, array, k) = (real)values[k];
}

#define PART_FUNCTIONS                                                                                       \
    {                                                                                                        \
        part_open, part_step, part_read, part_write                                                          \
    }
