/* The cpu backend for one arithmetic: the four parts of a step over the entire mesh, with OpenMP. Each sum has the order of its row, so
 * threads do not change the result. In single precision it computes what the emulated machine computes, to the bit.
 *
 * Included after solver/kernels/lanes.h has selected the arithmetic, by the file that defines its row of the table of backends.
 *
 * If ranks share the mesh, each has a part of it in the part's local order (mesh/cut/halo.h): its own elements,
 * then the elements of other ranks that its rows read, which are received before each diffusion step. A single
 * process has all elements in an order in which neighbours are close (mesh/element_order.h): the rows of a
 * diffusion step find their values in the nearest cache, and cells that rest in a multirate step are in the same
 * blocks.
 *
 * With voltages at the vertices (solver/diffusion/nodal.h), "elements" are vertices here, rows have different lengths, and the reaction
 * spreads to neighbours: with the increments d = v* - v, w = v* + sum_j s_ij (d_j - d_i), and + a d during the diffusion. With ranks,
 * increments are exchanged, too, before they spread. */
#pragma once

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/offsets.h"
#include "solver/backends/backend.h"
#include "solver/cells/tabulated.h"
#include "solver/diffusion/implicit_solver.h"
#include "solver/diffusion/nodal_rows.h"
#include "solver/kernels/activation_equations.h"
#include "solver/kernels/block.h"
#include "solver/kernels/ellpack.h"
#include "solver/kernels/flushing.h"
#include "solver/kernels/record_equations.h"
#include "solver/kernels/sliced.h"

#ifdef MT_DOUBLE
#    define CPU_TABULATES false
#    define CPU_REACT mt_cell_react_double
#    define CPU_MULTIRATE_REACT mt_cell_multirate_react_double
#    define CPU_CONSTANTS mt_cell_constants_double
#    define CPU_EXPLICIT_ROW mt_diffusion_step_row
#    define CPU_IMPLICIT_ROW mt_implicit_row
#    define CPU_SLICED_VALUES mt_sliced_values_double
#    define CPU_SLICED_ROWS mt_sliced_rows_double
#else
#    define CPU_TABULATES true
#    define CPU_REACT mt_cell_react_float
#    define CPU_MULTIRATE_REACT mt_cell_multirate_react_float
#    define CPU_CONSTANTS mt_cell_constants_float
#    define CPU_EXPLICIT_ROW mt_diffusion_step_row_float
#    define CPU_IMPLICIT_ROW mt_implicit_row_float
#    define CPU_SLICED_VALUES mt_sliced_values_float
#    define CPU_SLICED_ROWS mt_sliced_rows_float
#endif

/* The own elements of a stimulus, by local number; with delays in their order, and the first one of each delay. */
typedef struct own_stimulus {
    size_t n;
    const uint32_t *element;
    const size_t *first; /* [longest + 2]; NULL: without delays */
} own_stimulus;

/* The own unknowns that are coupled to a conduction system: local numbers, and positions in the list of all. */
typedef struct connected {
    size_t n;
    uint32_t *element, *position;
} connected;

/* The rows of voltages at the vertices. */
typedef struct nodal_step {
    mt_sliced rows;
    real *rate;     /* [rows.n_values] dt a_ij of a diffusion step, or G_ij of implicit steps */
    real *spread;   /* [rows.n_values] s_ij; NULL without spreading */
    real *d;        /* [own and received] increments of the reaction; NULL without spreading */
    void *exchange; /* receives increments of other ranks, if there are ranks */
} nodal_step;

typedef struct cpu {
    const mt_monodomain *problem;
    size_t n;                     /* own elements */
    const mt_communicator *ranks; /* ranks that share the mesh; NULL for a single process */
    const mt_halo *halo;          /* one part per rank; NULL for a single process */
    const uint32_t *element;      /* [n] own elements of the mesh */
    uint32_t *local;              /* [elements of the mesh] inverse; UINT32_MAX: not own */
    void *exchange[2];      /* receive elements of other ranks into v and into v_next, swapped with these */
    own_stimulus *stimulus; /* [n_stimuli] */
    const uint16_t *of;     /* [n] variants; NULL if all are equal */
    real *v, *v_next, *before, *activation_ms;
    real *recorded[MT_RECORDED]; /* [n] if all is recorded */
    record_rule rule;
    size_t beat_first;          /* first step of the beat */
    real *state;                /* [n][n_states] in blocks */
    real *paced[MT_PACED];      /* [n] with multirate stepping; else NULL */
    const mt_cell_model *model; /* with tables, if the problem's evaluation is tabulated */
    real *constants;            /* [n_variants][n_constants]; one row if all elements have one variant */
    size_t n_variants;
    real *share, *s;      /* [n] mt_monodomain_share, and the spread reaction; NULL without spreading */
    real *diagonal, *off; /* off [n][16] in blocks; with nodal, only the diagonal of implicit steps */
    mt_ellpack_columns *columns; /* one per block */
    real *v_low;                 /* [n] low parts of V between diffusion steps in double words; else NULL */
    implicit_solver implicit;    /* for implicit steps, which use the rows above */
    connected connected;
    nodal_step *nodal; /* voltages at the vertices, instead of the rows above; else NULL */
} cpu;

enum { LIST = 8192 }; /* rows computed together */
_Static_assert(LIST % MT_BLOCK == 0, "columns are packed in blocks");

/* Stores one row of the diffusion step in the blocks; the columns in those of its list of rows. */
static void put_row(cpu *c, size_t at_row, const double *rate, const uint32_t *column, uint32_t *list)
{
    const mt_monodomain *problem = c->problem;
    const double dt_ms = problem->dt_ms / (double)problem->pde_steps,
                 step_ms = mt_diffusing_theta(problem->diffusing) * problem->dt_ms;
    real off[MT_DIFFUSION_ROW];
    c->diagonal[at_row] = problem->diffusing == MT_DIFFUSING_EXPLICIT
                              ? CPU_EXPLICIT_ROW(rate, dt_ms, off)
                              : CPU_IMPLICIT_ROW(MT_DIFFUSION_ROW, rate, step_ms, 1, off);
    for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) {
        const size_t at = mt_block_index(c->n, MT_ELLPACK_WIDTH, at_row, k);
        c->off[at] = off[k];
        list[at % (LIST * MT_ELLPACK_WIDTH)] = column[k];
    }
}

/* Stores n own rows, starting at `first`, with the columns of the pattern. */
static void put_rows(
    cpu *c, const mt_pattern *pattern, size_t first, size_t n, const double *rate, uint32_t *list)
{
#pragma omp parallel for schedule(static) if (c->n > MT_BLOCK)
    for (size_t i = 0; i < n; i++) {
        uint32_t ring[MT_RING_MAX], local[MT_ELLPACK_WIDTH];
        const uint32_t *column = mt_pattern_row(pattern, c->element[first + i], ring);
        for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) local[k] = c->local[column[k]];
        put_row(c, first + i, rate + MT_DIFFUSION_ROW * i, local, list);
    }
}

/* Same with ranks; `local` are the columns of all own rows. */
static void put_rows_of_rank(
    cpu *c, size_t first, size_t n, const double *rate, const uint32_t *local, uint32_t *list)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        put_row(c, first + i, rate + MT_DIFFUSION_ROW * i, local + MT_ELLPACK_WIDTH * (first + i), list);
}

/* Finds the columns of the own rows in local numbers. */
static mt_status find_columns(mt_arena *scratch, const cpu *c, const mt_pattern *pattern, uint32_t **local)
{
    uint32_t *map;
    MT_ALLOC(scratch, *local, MT_ELLPACK_WIDTH * c->n);
    MT_ALLOC(scratch, map, pattern->n_elements);
    memset(map, 0xff, pattern->n_elements * sizeof *map);
    return mt_halo_columns(c->halo, pattern, c->ranks->rank, map, *local);
}

static mt_status fill_matrix(mt_arena *arena, cpu *c)
{
    MT_ALLOC(arena, c->diagonal, c->n);
    MT_ALLOC(arena, c->off, c->n * MT_ELLPACK_WIDTH);
    MT_ALLOC(arena, c->columns, (c->n + MT_BLOCK - 1) / MT_BLOCK);
    uint32_t *list, *room; /* of the room, only what the packed columns use takes memory */
    MT_ALLOC(arena, room, c->n * MT_ELLPACK_WIDTH);
    MT_SCRATCH(scratch);
    MT_ALLOC(scratch, list, (size_t)LIST * MT_ELLPACK_WIDTH);
    const mt_diffusion *diffusion = c->problem->diffusion;
    const mt_pattern pattern = mt_diffusion_pattern(diffusion);
    uint32_t *local = NULL;
    mt_diffusion_rows rows;
    if (c->ranks) MT_TRY(find_columns(scratch, c, &pattern, &local));
    MT_TRY(mt_diffusion_rows_allocate(scratch, diffusion, LIST, &rows));
    for (size_t first = 0; first < c->n; first += LIST) {
        const size_t n = c->n - first < LIST ? c->n - first : LIST;
        const double *rate = mt_diffusion_rows_of(&rows, n, c->element + first);
        if (c->ranks)
            put_rows_of_rank(c, first, n, rate, local, list);
        else
            put_rows(c, &pattern, first, n, rate, list);
        room = mt_ellpack_pack(n, list, room, c->columns + first / MT_BLOCK);
    }
    return MT_OK;
}

/* Finds the local numbers of own and received vertices. */
static mt_status find_places(mt_arena *scratch, const cpu *c, const uint32_t **place)
{
    const mt_nodal *nodal = c->problem->diffusion->nodal;
    uint32_t *numbers;
    *place = c->local;
    if (!c->ranks) return MT_OK;
    const size_t n = c->problem->diffusion->n_unknowns;
    MT_COPY(scratch, numbers, c->local, n);
    mt_halo_number_received(c->halo, c->ranks->rank, numbers);
    *place = numbers;
    for (size_t k = 0; k < c->n; k++)
        for (size_t i = nodal->start[c->element[k]]; i < nodal->start[c->element[k] + (size_t)1]; i++)
            if (nodal->column[i] >= n || numbers[nodal->column[i]] == UINT32_MAX)
                return mt_fail(MT_INPUT,
                    "the halo of another operator: part %u does not receive all neighbours of vertex %u",
                    c->ranks->rank, c->element[k]);
    return MT_OK;
}

/* Stores the rows of G for implicit steps. */
static void put_implicit_nodal(cpu *c, const nodal_step *step)
{
    const mt_monodomain *problem = c->problem;
    const mt_nodal *nodal = problem->diffusion->nodal;
    const double step_ms = mt_diffusing_theta(problem->diffusing) * problem->dt_ms;
#pragma omp parallel for schedule(static) if (c->n > MT_BLOCK)
    for (size_t row = 0; row < c->n; row++) {
        const size_t from = nodal->start[c->element[row]],
                     at = MT_BLOCK * step->rows.block[row / MT_BLOCK].first + row % MT_BLOCK;
        c->diagonal[row] = CPU_IMPLICIT_ROW(nodal->start[c->element[row] + (size_t)1] - from,
            nodal->rate + from, step_ms, MT_BLOCK, step->rate + at);
    }
}

/* Stores the rows of a diffusion step for voltages at the vertices. */
static mt_status put_diffusion_nodal(
    mt_arena *arena, cpu *c, const mt_sliced_source *source, nodal_step *step)
{
    const mt_monodomain *problem = c->problem;
    MT_ALLOC(arena, step->rate, step->rows.n_values);
    if (problem->diffusing == MT_DIFFUSING_EXPLICIT) {
        CPU_SLICED_VALUES(&step->rows, source, problem->diffusion->nodal->rate,
            problem->dt_ms / (double)problem->pde_steps, step->rate);
        return MT_OK;
    }
    MT_ALLOC(arena, c->diagonal, c->n);
    put_implicit_nodal(c, step);
    return MT_OK;
}

/* Stores the rows of voltages at the vertices. */
static mt_status fill_nodal(mt_arena *arena, size_t n_local, cpu *c)
{
    MT_SCRATCH(scratch);
    const mt_nodal *nodal = c->problem->diffusion->nodal;
    const uint32_t *place;
    nodal_step *step;
    MT_TRY(find_places(scratch, c, &place));
    const mt_sliced_source source = {c->n, nodal->start, nodal->column, c->element, place};
    MT_ALLOC(arena, step, 1);
    MT_TRY(mt_sliced_make(arena, &source, &step->rows));
    MT_TRY(put_diffusion_nodal(arena, c, &source, step));
    c->nodal = step;
    if (!nodal->spread) return MT_OK;
    MT_ALLOC(arena, step->spread, step->rows.n_values);
    MT_ALLOC(arena, step->d, n_local);
    CPU_SLICED_VALUES(&step->rows, &source, nodal->spread, 1, step->spread);
    return MT_OK;
}

static mt_status open_record(mt_arena *arena, cpu *c)
{
    const mt_monodomain *p = c->problem;
    c->rule = (record_rule){.dt_ms = (real)p->dt_ms,
        .per_dt = (real)(1 / p->dt_ms),
        .threshold_mV = (real)p->record.threshold_mV,
        .fraction = (real)p->record.fraction,
        .slowest_mV_ms = MT_RECORD_UPSTROKE_LEAST,
        .rest_steps = mt_record_rest_steps(p->dt_ms)};
    for (int r = 0; r < MT_RECORDED; r++) {
        MT_ALLOC(arena, c->recorded[r], c->n);
        for (size_t element = 0; element < c->n; element++)
            c->recorded[r][element] = (real)mt_recorded_start[r];
    }
    return MT_OK;
}

static mt_status open_paced(mt_arena *arena, cpu *c)
{
    for (int k = 0; k < MT_PACED; k++) {
        MT_ALLOC(arena, c->paced[k], c->n);
        for (size_t element = 0; element < c->n; element++) c->paced[k][element] = (real)mt_paced_start[k];
    }
    return MT_OK;
}

static mt_status find_constants(mt_arena *arena, cpu *c)
{
    const mt_monodomain *problem = c->problem;
    const mt_cell_variant *variants = mt_monodomain_variants(problem, &c->n_variants);
    if (!problem->variant_of) variants += problem->variant, c->n_variants = 1;
    MT_ALLOC(arena, c->constants, c->n_variants * problem->model->n_constants);
    CPU_CONSTANTS(problem->model, variants, c->n_variants, c->constants);
    c->model = problem->model;
    if (!CPU_TABULATES || problem->evaluation == MT_EVALUATION_EXACT) return MT_OK;
    double error;
    return mt_cell_tabulate(arena, problem->model, variants, c->n_variants, problem->dt_ms,
        problem->stepping == MT_STEPPING_MULTIRATE, &c->model, &error);
}

/* ---- ranks ---- */

/* Selects the own elements of a stimulus with delays, in their order, by local number. */
static mt_status own_delayed(mt_arena *arena, const cpu *c, const mt_stimulus *all, own_stimulus *own)
{
    uint32_t *element;
    size_t *first;
    MT_ALLOC(arena, first, all->longest + 3);
    for (size_t k = 0; k < all->n_elements; k++)
        if (c->local[all->element[k]] != UINT32_MAX) first[all->delay[k] + (size_t)2]++;
    mt_offsets_sum(first, all->longest + 3);
    own->n = first[all->longest + 2];
    MT_ALLOC(arena, element, own->n);
    for (size_t k = 0; k < all->n_elements; k++)
        if (c->local[all->element[k]] != UINT32_MAX)
            element[first[all->delay[k] + (size_t)1]++] = c->local[all->element[k]];
    own->element = element;
    own->first = first;
    return MT_OK;
}

/* Selects the own elements of a stimulus, by local number. */
static mt_status own_of(mt_arena *arena, const cpu *c, const mt_stimulus *all, own_stimulus *own)
{
    uint32_t *element;
    size_t n = 0;
    if (all->delay) return own_delayed(arena, c, all, own);
    MT_ALLOC(arena, element, all->n_elements);
    for (size_t k = 0; k < all->n_elements; k++)
        if (c->local[all->element[k]] != UINT32_MAX) element[n++] = c->local[all->element[k]];
    *own = (own_stimulus){n, element, NULL};
    return MT_OK;
}

static mt_status own_stimuli(mt_arena *arena, cpu *c)
{
    const mt_monodomain *problem = c->problem;
    MT_ALLOC(arena, c->stimulus, problem->n_stimuli);
    for (size_t s = 0; s < problem->n_stimuli; s++)
        MT_TRY(own_of(arena, c, &problem->stimulus[s], &c->stimulus[s]));
    return MT_OK;
}

static mt_status own_variants(mt_arena *arena, cpu *c)
{
    uint16_t *of;
    c->of = c->problem->variant_of;
    if (!c->of) return MT_OK;
    MT_ALLOC(arena, of, c->n);
    for (size_t k = 0; k < c->n; k++) of[k] = c->problem->variant_of[c->element[k]];
    c->of = of;
    return MT_OK;
}

/* Counts the pieces exchanged between ranks before a diffusion step, and lists them if there is memory: each range
 * of the halo, once for each receiving part, in the order in which the parts list what they receive. */
static void find_pieces(const cpu *c, mt_neighbour *neighbour)
{
    const mt_halo *halo = c->halo;
    const uint32_t mine = c->ranks->rank;
    for (uint32_t to = 0; to < halo->n_parts; to++) {
        size_t at = mt_halo_own(halo, to);
        for (size_t i = halo->in_offset[to]; i < halo->in_offset[to + 1]; i++) {
            const mt_scheme_range *range = &halo->range[halo->in_range[i]];
            const size_t n = range->end - range->begin, bytes = n * sizeof(real);
            if (range->source == mine) mt_neighbour_send(&neighbour[to], range->begin * sizeof(real), bytes);
            if (to == mine) mt_neighbour_receive(&neighbour[range->source], at * sizeof(real), bytes);
            at += n;
        }
    }
}

static mt_status find_neighbours(mt_arena *scratch, const cpu *c, mt_neighbour **neighbour)
{
    const uint32_t n_ranks = c->ranks->n_ranks;
    MT_ALLOC(scratch, *neighbour, n_ranks);
    find_pieces(c, *neighbour);
    MT_TRY(mt_neighbours_allocate(scratch, n_ranks, *neighbour));
    find_pieces(c, *neighbour);
    return MT_OK;
}

/* Opens the messages before each diffusion step, and the implicit solver if there is one. */
static mt_status open_steps(mt_arena *arena, mt_arena *scratch, size_t n_local, cpu *c)
{
    const mt_monodomain *problem = c->problem;
    real *const memory[2] = {c->v, c->v_next};
    const int n = problem->diffusing == MT_DIFFUSING_EXPLICIT ? 2 : 1; /* an implicit step stays in v */
    mt_neighbour *neighbour = NULL;
    if (c->ranks) MT_TRY(find_neighbours(scratch, c, &neighbour));
    for (int k = 0; c->ranks && k < n; k++)
        MT_TRY(c->ranks->connect(c->ranks, memory[k], neighbour, &c->exchange[k]));
    if (c->ranks && c->nodal && c->nodal->d)
        MT_TRY(c->ranks->connect(c->ranks, c->nodal->d, neighbour, &c->nodal->exchange));
    if (problem->diffusing == MT_DIFFUSING_EXPLICIT) return MT_OK;
#ifndef MT_DOUBLE
    if (problem->diffusion->n_unknowns >> FIXED_TERMS_BITS)
        return mt_fail(MT_FIT, "%zu %s; allowed with implicit steps in single precision: fewer than %d",
            problem->diffusion->n_unknowns, c->nodal ? "vertices" : "elements", 1 << FIXED_TERMS_BITS);
#endif
    const implicit_ranks ranks = {c->ranks, n_local, neighbour};
    const implicit_rows rows = {
        c->diagonal, c->nodal ? c->nodal->rate : c->off, c->columns, c->nodal ? &c->nodal->rows : NULL};
    return implicit_open(arena, c->n, &rows, mt_diffusing_theta(problem->diffusing), problem->residual_mV,
        &ranks, &c->implicit);
}

/* Brings the interior vertices of a rank into the order of the operator. The order of the others is that of the exchange. */
static mt_status order_interior(mt_arena *arena, cpu *c)
{
    MT_SCRATCH(scratch);
    const mt_element_order *order = &c->problem->diffusion->nodal->order;
    const size_t n = c->halo->n_interior[c->ranks->rank];
    uint32_t *place, *element;
    MT_ALLOC(scratch, place, n);
    MT_COPY(arena, element, c->element, c->n);
    for (size_t k = 0; k < n; k++) place[k] = order->place[element[k]];
    qsort(place, n, sizeof *place, mt_compare_ids);
    for (size_t k = 0; k < n; k++) element[k] = order->element[place[k]];
    c->element = element;
    return MT_OK;
}

/* Finds the own elements: of this rank, or all. */
static mt_status share_out(mt_arena *arena, const mt_layout *layout, cpu *c)
{
    const mt_diffusion *diffusion = c->problem->diffusion;
    if (!layout || !layout->ranks) {
        mt_element_order order;
        MT_TRY(mt_diffusion_order(arena, diffusion, &order));
        c->n = order.n;
        c->element = order.element;
        c->local = order.place;
        return MT_OK;
    }
    c->ranks = layout->ranks;
    c->halo = layout->halo;
    c->n = mt_halo_own(c->halo, c->ranks->rank);
    c->element = c->halo->own_element + c->halo->own_offset[c->ranks->rank];
    if (diffusion->nodal) MT_TRY(order_interior(arena, c));
    MT_ALLOC(arena, c->local, diffusion->n_unknowns);
    memset(c->local, 0xff, diffusion->n_unknowns * sizeof *c->local);
    for (size_t k = 0; k < c->n; k++) c->local[c->element[k]] = (uint32_t)k;
    return MT_OK;
}

/* ---- opening ---- */

/* True if diffusion steps are added in double words, which double precision does not need. */
static bool has_double_words(const mt_monodomain *problem)
{
    return sizeof(real) == sizeof(float) && problem->diffusing == MT_DIFFUSING_EXPLICIT &&
           problem->accumulation == MT_ACCUMULATION_DOUBLE_WORD;
}

static uint32_t first_part(const mt_layout *layout, uint32_t rank)
{
    (void)layout;
    return rank;
}

static mt_status open_cpu(mt_arena *arena, const mt_monodomain *problem, const mt_layout *layout, void **self)
{
    MT_TRY(mt_monodomain_check(problem));
    MT_SCRATCH(scratch);
    cpu *c;
    MT_ALLOC(arena, c, 1);
    c->problem = problem;
    MT_TRY(share_out(arena, layout, c));
    const size_t n = c->n, n_states = problem->model->n_states,
                 n_local = c->ranks ? mt_halo_local(c->halo, c->ranks->rank) : n;
    MT_TRY(problem->diffusion->nodal ? fill_nodal(arena, n_local, c) : fill_matrix(arena, c));
    MT_ALLOC(arena, c->v, n_local);
    MT_ALLOC(arena, c->v_next, n_local);
    MT_TRY(own_stimuli(arena, c));
    MT_TRY(own_variants(arena, c));
    MT_TRY(open_steps(arena, scratch, n_local, c));
    if (has_double_words(problem)) MT_ALLOC(arena, c->v_low, n);
    MT_ALLOC(arena, c->before, n);
    MT_ALLOC(arena, c->activation_ms, n);
    MT_ALLOC(arena, c->state, n * n_states);
    MT_TRY(find_constants(arena, c));
    if (problem->record.all) MT_TRY(open_record(arena, c));
    if (problem->stepping == MT_STEPPING_MULTIRATE) MT_TRY(open_paced(arena, c));
    if (mt_monodomain_spreads(problem)) {
        MT_ALLOC(arena, c->share, n);
        MT_ALLOC(arena, c->s, n);
        for (size_t element = 0; element < n; element++)
            c->share[element] = (real)mt_monodomain_share(problem, c->element[element]);
    }
    for (size_t element = 0; element < n; element++) {
        const mt_cell_variant *variant = mt_monodomain_variant(problem, c->element[element]);
        c->v[element] = c->before[element] = (real)variant->v_mV;
        c->activation_ms[element] = (real)INFINITY;
        for (size_t k = 0; k < n_states; k++)
            c->state[mt_block_index(n, n_states, element, k)] = (real)variant->states[k];
    }
    *self = c;
    return MT_OK;
}

/* Selects the elements of a stimulus with delays from `first` to `end`, excluded. */
static own_stimulus with_delays(const own_stimulus *own, size_t first, size_t end)
{
    return (own_stimulus){own->first[end] - own->first[first], own->element + own->first[first], NULL};
}

/* Selects the elements of a stimulus that are held in a step of its window. */
static own_stimulus held(const own_stimulus *own, const mt_stimulus *stimulus, double dt_ms, size_t step)
{
    if (!own->first) return (own_stimulus){0};
    const size_t from = mt_stimulus_elapsed(stimulus, dt_ms, step) + 1, end = stimulus->longest + 1,
                 to = from + stimulus->held;
    return from < end ? with_delays(own, from, to < end ? to : end) : (own_stimulus){0};
}

/* Selects the elements of a stimulus that are stimulated in a step of its window. */
static own_stimulus stimulated(
    const own_stimulus *own, const mt_stimulus *stimulus, double dt_ms, size_t step)
{
    if (!own->first) return *own;
    const size_t elapsed = mt_stimulus_elapsed(stimulus, dt_ms, step),
                 duration = mt_stimulus_duration(stimulus, dt_ms),
                 from = elapsed < duration ? 0 : elapsed + 1 - duration,
                 to = (elapsed < stimulus->longest ? elapsed : stimulus->longest) + 1;
    return with_delays(own, from, to);
}

/* Holds V of elements before their currents. */
static void hold(cpu *c, const mt_stimulus *stimulus, const own_stimulus *own, size_t step)
{
    const own_stimulus those = held(own, stimulus, c->problem->dt_ms, step);
    const real low = (real)stimulus->held_mV, high = (real)stimulus->free_mV;
    for (size_t k = 0; k < those.n; k++) {
        real *v = &c->v[those.element[k]];
        *v = *v > low && *v < high ? low : *v;
    }
}

static void stimulate(cpu *c, size_t step)
{
    for (size_t s = 0; s < c->problem->n_stimuli; s++) {
        const mt_stimulus *stimulus = &c->problem->stimulus[s];
        if (!mt_stimulus_is_on(stimulus, c->problem->dt_ms, step)) continue;
        const real rise_mV = (real)(c->problem->dt_ms * stimulus->rise_mV_ms);
        const own_stimulus on = stimulated(&c->stimulus[s], stimulus, c->problem->dt_ms, step);
        for (size_t k = 0; k < on.n; k++) c->v[on.element[k]] += rise_mV;
        hold(c, stimulus, &c->stimulus[s], step);
    }
}

enum { CHUNK = 64 * MT_BLOCK }; /* elements per thread and iteration */

/* Works on elements [from, from + n), at most CHUNK. `what`: the step, or a condition. */
typedef void on_chunk(cpu *c, size_t what, size_t from, size_t n);

/* Returns how many neighbouring chunks a thread takes at a time. With multirate stepping cells near wavefronts take most of the time, so
 * neighbouring chunks are on different threads. Otherwise each thread has one part of the mesh, in memory that is close to it. */
static int chunks_together(const cpu *c, size_t n)
{
    const size_t chunks = (n + CHUNK - 1) / CHUNK, threads = (size_t)omp_get_max_threads();
    return c->problem->stepping == MT_STEPPING_MULTIRATE ? 1 : (int)((chunks + threads - 1) / threads);
}

/* Applies a function to the elements [first, end), by chunks on all threads, in the arithmetic of the backend. */
static void each_chunk(cpu *c, size_t first, size_t end, size_t what, on_chunk *f)
{
    if (first == end) return;
    const int together = chunks_together(c, end - first);
#pragma omp parallel if (end - first > CHUNK)
    {
        const uint64_t setting = begin_arithmetic();
#pragma omp for schedule(static, together)
        for (size_t from = first; from < end; from += CHUNK)
            f(c, what, from, end - from < CHUNK ? end - from : CHUNK);
        end_arithmetic(setting);
    }
}

/* Computes s and w of n elements from v before and after the reaction; w overwrites the latter. */
static void spread(size_t n, const real *share, const real *before, real *after, real *s)
{
    for (size_t k = 0; k < n; k++) {
        s[k] = share[k] * (after[k] - before[k]);
        after[k] += s[k];
    }
}

/* Reaction of n elements, starting at `from`; `step` is that of the beat. */
static void react_some(cpu *c, size_t step, size_t from, size_t n, real *v)
{
    const mt_monodomain *problem = c->problem;
    const uint16_t *of = c->of ? c->of + from : NULL;
    real *state = c->state + from * problem->model->n_states;
    if (problem->stepping == MT_STEPPING_UNIFORM) {
        CPU_REACT(c->model, c->constants, c->n_variants, of, problem->dt_ms, n, state, v, v);
        return;
    }
    const mt_multirate_step at = {problem->dt_ms, problem->tolerance_mV, step};
    CPU_MULTIRATE_REACT(c->model, c->constants, c->n_variants, of, &at, n, state,
        c->paced[MT_PACED_KEPT] + from, c->paced[MT_PACED_CHANGE] + from, c->paced[MT_PACED_SINCE] + from, v,
        v);
}

static void react(cpu *c, size_t step, size_t from, size_t n)
{
    real *v = c->v + from, before[CHUNK];
    if (c->s) memcpy(before, v, n * sizeof *v);
    react_some(c, step - c->beat_first, from, n, v);
    if (c->s) spread(n, c->share + from, before, v, c->s + from);
}

/* Same for voltages at the vertices whose reaction spreads: stores the increments. */
static void react_nodal(cpu *c, size_t step, size_t from, size_t n)
{
    real *v = c->v + from, *d = c->nodal->d + from, before[CHUNK];
    memcpy(before, v, n * sizeof *v);
    react_some(c, step - c->beat_first, from, n, v);
    for (size_t k = 0; k < n; k++) d[k] = v[k] - before[k];
}

/* Computes w, which overwrites v*, from the increments of the neighbours. */
static void spread_nodal(cpu *c, size_t unused, size_t from, size_t n)
{
    const nodal_step *step = c->nodal;
    real *v = c->v + from;
    (void)unused;
    CPU_SLICED_ROWS(n, step->rows.block + from / MT_BLOCK, step->spread, v, step->d + from, step->d, v);
    for (size_t k = 0; c->s && k < n; k++) {
        c->s[from + k] = c->share[from + k] * step->d[from + k];
        v[k] += c->s[from + k];
    }
}

/* Computes rows of voltages at the vertices. `last`: in the last diffusion step of a time step. */
static void diffuse_nodal(cpu *c, size_t last, size_t from, size_t n)
{
    const real *own = c->v + from;
    const mt_sliced_block *block = c->nodal->rows.block + from / MT_BLOCK;
#ifdef MT_DOUBLE
    (void)last;
#else
    if (c->v_low) {
        mt_sliced_rows_double_word(
            n, block, c->nodal->rate, own, c->v, last ? 0 : 1, c->v_low + from, c->v_next + from);
        return;
    }
#endif
    CPU_SLICED_ROWS(n, block, c->nodal->rate, own, own, c->v, c->v_next + from);
}

/* Computes rows. `last`: in the last diffusion step of a time step. */
static void diffuse_rows(cpu *c, size_t last, size_t from, size_t n)
{
    const real *off = c->off + from * MT_ELLPACK_WIDTH, *own = c->v + from;
    const mt_ellpack_columns *columns = c->columns + from / MT_BLOCK;
#ifdef MT_DOUBLE
    (void)last;
    mt_ellpack_rows_double(n, c->diagonal + from, off, columns, own, c->v, c->v_next + from);
#else
    if (c->v_low)
        mt_ellpack_rows_double_word(
            n, off, columns, own, c->v, last ? 0 : 1, c->v_low + from, c->v_next + from);
    else
        mt_ellpack_rows_float(n, c->diagonal + from, off, columns, own, c->v, c->v_next + from);
#endif
}

/* Computes rows that read received elements. Interior chunks, whose rows read none, are computed during the exchange. */
static void each_chunk_of_rows(cpu *c, void *exchange, size_t what, on_chunk *f)
{
    const size_t free = c->ranks ? c->halo->n_interior[c->ranks->rank] / CHUNK * CHUNK : 0;
    if (c->ranks) c->ranks->start(exchange);
    each_chunk(c, 0, free, what, f);
    if (c->ranks) c->ranks->finish(exchange);
    each_chunk(c, free, c->n, what, f);
}

static void diffuse_once(cpu *c, bool last)
{
    each_chunk_of_rows(c, c->exchange[0], last, c->nodal ? diffuse_nodal : diffuse_rows);
    real *swapped = c->v;
    void *exchange = c->exchange[0];
    c->v = c->v_next;
    c->v_next = swapped;
    c->exchange[0] = c->exchange[1];
    c->exchange[1] = exchange;
}

static mt_status diffuse_implicitly(cpu *c)
{
    if (c->ranks) {
        c->ranks->start(c->exchange[0]);
        c->ranks->finish(c->exchange[0]);
    }
    return implicit_step(&c->implicit, c->v);
}

static mt_status diffuse(cpu *c)
{
    if (c->problem->diffusing != MT_DIFFUSING_EXPLICIT) return diffuse_implicitly(c);
    const size_t steps = c->problem->pde_steps;
    for (size_t p = 0; p < steps; p++) diffuse_once(c, p + 1 == steps);
    return MT_OK;
}

/* Records activation times. */
static void record_activation(cpu *c, size_t step, size_t from, size_t n)
{
    const real dt_ms = (real)c->problem->dt_ms, *before = c->before + from, *now = c->v + from;
    real *activation_ms = c->activation_ms + from;
    for (size_t first = 0; first < n; first += MT_BLOCK) {
        const size_t end = first + MT_BLOCK < n ? first + MT_BLOCK : n;
        if (end - first == MT_BLOCK && !activates_any(before + first, now + first)) continue;
        for (size_t k = first; k < end; k++)
            activation_ms[k] = activation_step((real)step, dt_ms, before[k], now[k], activation_ms[k]);
    }
}

static recorded record_of(const cpu *c, size_t element)
{
    real *const *r = c->recorded;
    return (recorded){c->activation_ms[element], r[MT_RECORDED_REST][element], r[MT_RECORDED_PEAK][element],
        r[MT_RECORDED_UPSTROKE][element], r[MT_RECORDED_REPOLARISATION][element],
        r[MT_RECORDED_LOW][element]};
}

static void put_record(cpu *c, size_t element, recorded y)
{
    real **r = c->recorded;
    c->activation_ms[element] = y.activation_ms;
    r[MT_RECORDED_REST][element] = y.rest_mV;
    r[MT_RECORDED_PEAK][element] = y.peak_mV;
    r[MT_RECORDED_UPSTROKE][element] = y.upstroke_mV_ms;
    r[MT_RECORDED_REPOLARISATION][element] = y.repolarisation_ms;
    r[MT_RECORDED_LOW][element] = y.low_mV;
}

static void record_one(cpu *c, size_t step, size_t element)
{
    const recorded x = record_of(c, element);
    const bool looks = step % c->rule.rest_steps == 0;
    put_record(c, element, record_step(&c->rule, (real)step, looks, c->before[element], c->v[element], x));
}

/* Most elements are at rest or on their plateau and do not change their record, so blocks are tested first. Steps
 * count from the beginning of the beat. */
static void record_all(cpu *c, size_t step, size_t from, size_t n)
{
    const real *before = c->before + from, *now = c->v + from, *peak = c->recorded[MT_RECORDED_PEAK] + from,
               *low = c->recorded[MT_RECORDED_LOW] + from;
    for (size_t first = 0; first < n; first += MT_BLOCK) {
        const size_t end = first + MT_BLOCK < n ? first + MT_BLOCK : n;
        const bool whole = end - first == MT_BLOCK && step % c->rule.rest_steps != 0;
        if (whole && !record_changes_any(&c->rule, before + first, now + first, peak + first, low + first))
            continue;
        for (size_t k = first; k < end; k++) record_one(c, step, from + k);
    }
}

/* Subtracts the spread reaction, if any, and records. */
static void record(cpu *c, size_t step, size_t from, size_t n)
{
    real *now = c->v + from;
    for (size_t k = 0; c->s && k < n; k++) now[k] -= c->s[from + k];
    if (c->problem->record.all)
        record_all(c, step - c->beat_first, from, n);
    else
        record_activation(c, step, from, n);
    memcpy(c->before + from, now, n * sizeof *now);
}

static mt_status take_step(cpu *c, size_t step)
{
    const uint64_t setting = begin_arithmetic();
    stimulate(c, step);
    end_arithmetic(setting);
    const bool spreads = c->nodal && c->nodal->spread;
    each_chunk(c, 0, c->n, step, spreads ? react_nodal : react);
    if (spreads) each_chunk_of_rows(c, c->nodal->exchange, 0, spread_nodal);
    MT_TRY(diffuse(c));
    each_chunk(c, 0, c->n, step, record);
    return MT_OK;
}

static mt_status advance_cpu(void *self, size_t first, size_t n)
{
    for (size_t step = first; step < first + n; step++) MT_TRY(take_step(self, step));
    return MT_OK;
}

static void turn(cpu *c, size_t begins, size_t from, size_t n)
{
    for (size_t k = from; k < from + n; k++)
        put_record(c, k, record_turn(record_until(begins != 0), c->v[k], record_of(c, k)));
}

static mt_status turn_cpu(void *self, size_t steps_done, bool begins)
{
    cpu *c = self;
    if (begins) c->beat_first = steps_done;
    each_chunk(c, 0, c->n, begins, turn);
    return MT_OK;
}

/* Returns an array that is stored contiguously; NULL for a state. */
static real *array_of(const cpu *c, size_t array)
{
    if (array == MT_ARRAY_V) return c->v;
    if (array == MT_ARRAY_ACTIVATION) return c->activation_ms;
    if (array >= mt_array_paced(c->problem)) return c->paced[array - mt_array_paced(c->problem)];
    return array < mt_array_states(c->problem) ? c->recorded[array - MT_ARRAY_RECORD] : NULL;
}

/* Returns the first value of a state in the block of element k: the values of its elements are consecutive. */
static real *block_of(const cpu *c, size_t array, size_t k)
{
    const size_t n_states = c->problem->model->n_states, states = mt_array_states(c->problem);
    return c->state + mt_block_index(c->n, n_states, k / MT_BLOCK * MT_BLOCK, array - states);
}

static real value_of(const cpu *c, size_t array, size_t k)
{
    const real *whole = array_of(c, array);
    return whole ? whole[k] : block_of(c, array, k)[k % MT_BLOCK];
}

/* The values of a state are far apart: those of later blocks are prefetched. Beyond the end this is harmless. */
static void fetch_ahead(const cpu *c, const real *block)
{
    enum { AHEAD = 16 };
    const uintptr_t stride = MT_BLOCK * c->problem->model->n_states * sizeof(real);
    for (uintptr_t byte = 0; byte < MT_BLOCK * sizeof(real); byte += 64)
        __builtin_prefetch((const void *)((uintptr_t)block + AHEAD * stride + byte));
}

static mt_status read_cpu(void *self, size_t array, double *values)
{
    const cpu *c = self;
    const real *whole = array_of(c, array);
#pragma omp parallel for schedule(static) if (c->n > CHUNK)
    for (size_t first = 0; first < c->n; first += MT_BLOCK) {
        const size_t width = mt_block_width(c->n, first);
        const real *block = whole ? whole + first : block_of(c, array, first);
        if (!whole) fetch_ahead(c, block);
        for (size_t k = 0; k < width; k++) values[c->element[first + k]] = (double)block[k];
    }
    return MT_OK;
}

/* The host has all values, so this is a copy. */
static mt_status stream_cpu(void *self, size_t array, size_t n, const uint32_t *element, double *values)
{
    const cpu *c = self;
    if (!element) return read_cpu(self, array, values);
    for (size_t i = 0; i < n; i++) {
        const uint32_t k = c->local[element[i]];
        if (k != UINT32_MAX) values[element[i]] = (double)value_of(c, array, k);
    }
    return MT_OK;
}

static void write_cpu(void *self, size_t array, const double *values)
{
    const cpu *c = self;
    real *whole = array_of(c, array);
#pragma omp parallel for schedule(static) if (c->n > CHUNK)
    for (size_t first = 0; first < c->n; first += MT_BLOCK) {
        const size_t width = mt_block_width(c->n, first);
        real *block = whole ? whole + first : block_of(c, array, first);
        for (size_t k = 0; k < width; k++) block[k] = (real)values[c->element[first + k]];
        if (array == MT_ARRAY_V) memcpy(c->before + first, block, width * sizeof *block);
    }
}

static void resume_cpu(void *self, size_t steps_done)
{
    cpu *c = self;
    const mt_record *record = &c->problem->record;
    c->beat_first = mt_record_first(record, mt_record_beat(record, steps_done));
}

static mt_status connect_cpu(void *self, mt_arena *arena, size_t n, const uint32_t *unknown)
{
    cpu *c = self;
    connected *own = &c->connected;
    *own = (connected){0};
    MT_ALLOC(arena, own->element, n);
    MT_ALLOC(arena, own->position, n);
    for (size_t i = 0; i < n; i++) {
        if (c->local[unknown[i]] == UINT32_MAX) continue;
        own->element[own->n] = c->local[unknown[i]];
        own->position[own->n++] = (uint32_t)i;
    }
    return MT_OK;
}

static mt_status sense_cpu(void *self, double *v_mV)
{
    const cpu *c = self;
    const connected *own = &c->connected;
    for (size_t i = 0; i < own->n; i++) v_mV[own->position[i]] = (double)c->v[own->element[i]];
    return MT_OK;
}

static mt_status charge_cpu(void *self, const double *v_mV)
{
    const cpu *c = self;
    const connected *own = &c->connected;
    for (size_t i = 0; i < own->n; i++) c->v[own->element[i]] = (real)v_mV[own->position[i]];
    return MT_OK;
}

#define CPU_BACKEND(name_, single_)                                                                          \
    {                                                                                                        \
        .name = (name_), .single = (single_), .first_part = first_part, .open = open_cpu,                    \
        .advance = advance_cpu, .turn = turn_cpu, .read = read_cpu, .stream = stream_cpu,                    \
        .write = write_cpu, .resume = resume_cpu, .connect = connect_cpu, .sense = sense_cpu,                \
        .charge = charge_cpu                                                                                 \
    }
