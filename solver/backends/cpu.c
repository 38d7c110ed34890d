/* The cpu backend: the four parts of a step over the whole mesh in double precision, with OpenMP. The
 * yardstick for the emulated machine; the order of every sum is the row's, so the threads do not change the
 * result. */
#include <math.h>
#include <string.h>

#include "solver/backends/backend.h"
#include "solver/diffusion/implicit.h"
#include "solver/kernels/block.h"
#include "solver/kernels/ellpack.h"

#define MT_LANES_ONE
#define MT_DOUBLE
#include "solver/kernels/lanes.h"
#include "solver/kernels/activation_equations.h"
#include "solver/kernels/record_equations.h"

typedef struct cpu {
    const mt_monodomain *problem;
    size_t n;
    double *v, *v_next, *before, *activation_ms;
    double *recorded[MT_RECORDED]; /* [n] where all is recorded */
    record_rule rule;
    size_t beat_first;       /* the first step of the beat */
    double *state;           /* [n][n_states] in blocks */
    double *paced[MT_PACED]; /* [n] with multirate stepping; else NULL */
    double *constants;       /* [n_variants][n_constants]; of one variant where all elements are */
    size_t n_variants;
    double *share, *s;      /* [n] mt_monodomain_share, and the spread reaction; NULL where none is */
    double *diagonal, *off; /* off [n][16] in blocks */
    uint32_t *column;       /* [n][16] in blocks */
    mt_implicit implicit;   /* where steps are; the rows above are its */
} cpu;

enum { LIST = 8192 }; /* rows that are made together */

/* Rows of the diffusion step, in blocks. */
static void put_rows(cpu *c, const mt_pattern *pattern, size_t n, const uint32_t *element, const double *rate)
{
    const mt_monodomain *problem = c->problem;
    const bool is_explicit = problem->diffusing == MT_DIFFUSING_EXPLICIT;
    const double dt_ms = problem->dt_ms / (double)problem->pde_steps,
                 step_ms = mt_diffusing_theta(problem->diffusing) * problem->dt_ms;
#pragma omp parallel for schedule(static) if (c->n > MT_BLOCK)
    for (size_t i = 0; i < n; i++) {
        double off[MT_DIFFUSION_ROW];
        uint32_t ring[MT_RING_MAX];
        const uint32_t *column = mt_pattern_row(pattern, element[i], ring);
        const double *row = rate + MT_DIFFUSION_ROW * i;
        c->diagonal[element[i]] =
            is_explicit ? mt_diffusion_step_row(row, dt_ms, off) : mt_implicit_row(row, step_ms, off);
        for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) {
            const size_t at = mt_block_index(c->n, MT_ELLPACK_WIDTH, element[i], k);
            c->off[at] = off[k];
            c->column[at] = column[k];
        }
    }
}

static mt_status fill_matrix_with(mt_arena *scratch, cpu *c)
{
    const mt_diffusion *diffusion = c->problem->diffusion;
    const mt_pattern pattern = mt_diffusion_pattern(diffusion);
    uint32_t *element;
    mt_diffusion_rows rows;
    MT_TRY(mt_diffusion_order(scratch, diffusion, &element));
    MT_TRY(mt_diffusion_rows_room(scratch, diffusion, LIST, &rows));
    for (size_t first = 0; first < c->n; first += LIST) {
        const size_t n = c->n - first < LIST ? c->n - first : LIST;
        put_rows(c, &pattern, n, element + first, mt_diffusion_rows_of(&rows, n, element + first));
    }
    return MT_OK;
}

static mt_status fill_matrix(mt_arena *arena, cpu *c)
{
    mt_arena scratch = {0};
    MT_ALLOC(arena, c->diagonal, c->n);
    MT_ALLOC(arena, c->off, c->n * MT_ELLPACK_WIDTH);
    MT_ALLOC(arena, c->column, c->n * MT_ELLPACK_WIDTH);
    const mt_status status = fill_matrix_with(&scratch, c);
    mt_arena_free(&scratch);
    return status;
}

static mt_status open_record(mt_arena *arena, cpu *c)
{
    const mt_monodomain *p = c->problem;
    c->rule = (record_rule){.dt_ms = p->dt_ms,
        .per_dt = 1 / p->dt_ms,
        .threshold_mV = p->record.threshold_mV,
        .fraction = p->record.fraction,
        .slowest_mV_ms = MT_RECORD_UPSTROKE_LEAST,
        .rest_steps = mt_record_rest_steps(p->dt_ms)};
    for (int r = 0; r < MT_RECORDED; r++) {
        MT_ALLOC(arena, c->recorded[r], c->n);
        for (size_t element = 0; element < c->n; element++) c->recorded[r][element] = mt_recorded_start[r];
    }
    return MT_OK;
}

static mt_status open_paced(mt_arena *arena, cpu *c)
{
    for (int k = 0; k < MT_PACED; k++) {
        MT_ALLOC(arena, c->paced[k], c->n);
        for (size_t element = 0; element < c->n; element++) c->paced[k][element] = mt_paced_start[k];
    }
    return MT_OK;
}

static mt_status find_constants(mt_arena *arena, cpu *c)
{
    const mt_monodomain *problem = c->problem;
    const mt_cell_variant *variants = mt_monodomain_variants(problem, &c->n_variants);
    if (!problem->variant_of) variants += problem->variant, c->n_variants = 1;
    MT_ALLOC(arena, c->constants, c->n_variants * problem->model->n_constants);
    mt_cell_constants_double(problem->model, variants, c->n_variants, c->constants);
    return MT_OK;
}

static mt_status open_cpu(mt_arena *arena, const mt_monodomain *problem, const mt_layout *layout, void **self)
{
    (void)layout;
    MT_TRY(mt_monodomain_check(problem));
    const size_t n = problem->diffusion->n_elements, n_states = problem->model->n_states;
    cpu *c;
    MT_ALLOC(arena, c, 1);
    *c = (cpu){.problem = problem, .n = n};
    MT_TRY(fill_matrix(arena, c));
    if (problem->diffusing != MT_DIFFUSING_EXPLICIT)
        MT_TRY(mt_implicit_open(arena, n, c->diagonal, c->off, c->column,
            mt_diffusing_theta(problem->diffusing), problem->residual_mV, &c->implicit));
    MT_ALLOC(arena, c->v, n);
    MT_ALLOC(arena, c->v_next, n);
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
            c->share[element] = mt_monodomain_share(problem, element);
    }
    for (size_t element = 0; element < n; element++) {
        const mt_cell_variant *variant = mt_monodomain_variant(problem, element);
        c->v[element] = c->before[element] = variant->v_mV;
        c->activation_ms[element] = INFINITY;
        for (size_t k = 0; k < n_states; k++)
            c->state[mt_block_index(n, n_states, element, k)] = variant->states[k];
    }
    *self = c;
    return MT_OK;
}

static void stimulate(cpu *c, size_t step)
{
    for (size_t s = 0; s < c->problem->n_stimuli; s++) {
        const mt_stimulus *stimulus = &c->problem->stimulus[s];
        if (!mt_stimulus_is_on(stimulus, c->problem->dt_ms, step)) continue;
        for (size_t k = 0; k < stimulus->n_elements; k++)
            c->v[stimulus->element[k]] += c->problem->dt_ms * stimulus->rise_mV_ms;
    }
}

enum { CHUNK = 64 * MT_BLOCK }; /* elements that a thread takes at a time */

static size_t chunk_length(size_t n, size_t from) { return n - from < CHUNK ? n - from : CHUNK; }

/* s and w of n elements from v before the reaction and after it; w takes its place. */
static void spread(size_t n, const double *share, const double *before, double *after, double *s)
{
    for (size_t k = 0; k < n; k++) {
        s[k] = share[k] * (after[k] - before[k]);
        after[k] += s[k];
    }
}

/* Of n elements from the `from`-th on; `step` is that of the beat. */
static void react_some(cpu *c, size_t step, size_t from, size_t n, double *v)
{
    const mt_monodomain *problem = c->problem;
    const uint16_t *of = problem->variant_of ? problem->variant_of + from : NULL;
    double *state = c->state + from * problem->model->n_states;
    if (problem->stepping == MT_STEPPING_UNIFORM) {
        mt_cell_react_double(problem->model, c->constants, c->n_variants, of, problem->dt_ms, n, state, v, v);
        return;
    }
    const mt_multirate_step at = {problem->dt_ms, problem->tolerance_mV, step};
    mt_cell_multirate_react_double(problem->model, c->constants, c->n_variants, of, &at, n, state,
        c->paced[MT_PACED_KEPT] + from, c->paced[MT_PACED_CHANGE] + from, c->paced[MT_PACED_SINCE] + from, v,
        v);
}

static void react(cpu *c, size_t step)
{
#pragma omp parallel for schedule(static) if (c->n > CHUNK)
    for (size_t from = 0; from < c->n; from += CHUNK) {
        const size_t n = chunk_length(c->n, from);
        double *v = c->v + from, before[CHUNK];
        if (c->s) memcpy(before, v, n * sizeof *v);
        react_some(c, step - c->beat_first, from, n, v);
        if (c->s) spread(n, c->share + from, before, v, c->s + from);
    }
}

static void diffuse_once(cpu *c)
{
#pragma omp parallel for schedule(static) if (c->n > CHUNK)
    for (size_t from = 0; from < c->n; from += CHUNK)
        mt_ellpack_rows_double32(chunk_length(c->n, from), c->diagonal + from,
            c->off + from * MT_ELLPACK_WIDTH, c->column + from * MT_ELLPACK_WIDTH, c->v + from, c->v,
            c->v_next + from);
    double *swapped = c->v;
    c->v = c->v_next;
    c->v_next = swapped;
}

static mt_status diffuse(cpu *c)
{
    if (c->problem->diffusing != MT_DIFFUSING_EXPLICIT) return mt_implicit_step(&c->implicit, c->v);
    for (size_t p = 0; p < c->problem->pde_steps; p++) diffuse_once(c);
    return MT_OK;
}

/* Notes who activates. */
static void record_activation(cpu *c, size_t step, size_t from, size_t n)
{
    const double dt_ms = c->problem->dt_ms, *before = c->before + from, *now = c->v + from;
    double *activation_ms = c->activation_ms + from;
    for (size_t first = 0; first < n; first += MT_BLOCK) {
        const size_t end = first + MT_BLOCK < n ? first + MT_BLOCK : n;
        if (end - first == MT_BLOCK && !activates_any(before + first, now + first)) continue;
        for (size_t k = first; k < end; k++)
            activation_ms[k] = activation_step((double)step, dt_ms, before[k], now[k], activation_ms[k]);
    }
}

static recorded record_of(const cpu *c, size_t element)
{
    double *const *r = c->recorded;
    return (recorded){c->activation_ms[element], r[MT_RECORDED_REST][element], r[MT_RECORDED_PEAK][element],
        r[MT_RECORDED_UPSTROKE][element], r[MT_RECORDED_REPOLARISATION][element],
        r[MT_RECORDED_LOW][element]};
}

static void put_record(cpu *c, size_t element, recorded y)
{
    double **r = c->recorded;
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
    put_record(c, element, record_step(&c->rule, (double)step, looks, c->before[element], c->v[element], x));
}

/* Most elements are at rest or on their plateau: of a block of them it is asked whether there is anything to note. Steps are those of
 * the beat. */
static void record_all(cpu *c, size_t step, size_t from, size_t n)
{
    const double *before = c->before + from, *now = c->v + from, *peak = c->recorded[MT_RECORDED_PEAK] + from,
                 *low = c->recorded[MT_RECORDED_LOW] + from;
    for (size_t first = 0; first < n; first += MT_BLOCK) {
        const size_t end = first + MT_BLOCK < n ? first + MT_BLOCK : n;
        const bool whole = end - first == MT_BLOCK && step % c->rule.rest_steps != 0;
        if (whole && !record_changes_any(&c->rule, before + first, now + first, peak + first, low + first))
            continue;
        for (size_t k = first; k < end; k++) record_one(c, step, from + k);
    }
}

/* Takes back the spread reaction, where there is any, and records. */
static void record(cpu *c, size_t step)
{
#pragma omp parallel for schedule(static) if (c->n > CHUNK)
    for (size_t from = 0; from < c->n; from += CHUNK) {
        const size_t n = chunk_length(c->n, from);
        double *now = c->v + from;
        for (size_t k = 0; c->s && k < n; k++) now[k] -= c->s[from + k];
        if (c->problem->record.all)
            record_all(c, step - c->beat_first, from, n);
        else
            record_activation(c, step, from, n);
        memcpy(c->before + from, now, n * sizeof *now);
    }
}

static mt_status advance_cpu(void *self, size_t first, size_t n)
{
    cpu *c = self;
    for (size_t step = first; step < first + n; step++) {
        stimulate(c, step);
        react(c, step);
        MT_TRY(diffuse(c));
        record(c, step);
    }
    return MT_OK;
}

static mt_status turn_cpu(void *self, size_t steps_done, bool begins)
{
    cpu *c = self;
    if (begins) c->beat_first = steps_done;
#pragma omp parallel for schedule(static)
    for (size_t element = 0; element < c->n; element++)
        put_record(c, element, record_turn(record_until(begins), c->v[element], record_of(c, element)));
    return MT_OK;
}

/* Those that lie as they are; NULL: a state. */
static double *array_of(const cpu *c, size_t array)
{
    if (array == MT_ARRAY_V) return c->v;
    if (array == MT_ARRAY_ACTIVATION) return c->activation_ms;
    if (array >= mt_array_paced(c->problem)) return c->paced[array - mt_array_paced(c->problem)];
    return array < mt_array_states(c->problem) ? c->recorded[array - MT_ARRAY_RECORD] : NULL;
}

static void read_cpu(void *self, size_t array, double *values)
{
    const cpu *c = self;
    const size_t n_states = c->problem->model->n_states, states = mt_array_states(c->problem);
    const double *whole = array_of(c, array);
    if (whole) memcpy(values, whole, c->n * sizeof *values);
    for (size_t element = 0; !whole && element < c->n; element++)
        values[element] = c->state[mt_block_index(c->n, n_states, element, array - states)];
}

/* The host has it all. */
static mt_status stream_cpu(void *self, size_t array, size_t n, const uint32_t *element, double *values)
{
    const cpu *c = self;
    const size_t n_states = c->problem->model->n_states, states = mt_array_states(c->problem);
    const double *whole = array_of(c, array);
    if (!element) read_cpu(self, array, values);
    for (size_t k = 0; element && k < n; k++)
        values[element[k]] =
            whole ? whole[element[k]] : c->state[mt_block_index(c->n, n_states, element[k], array - states)];
    return MT_OK;
}

static void write_cpu(void *self, size_t array, const double *values)
{
    const cpu *c = self;
    const size_t n_states = c->problem->model->n_states, states = mt_array_states(c->problem);
    double *whole = array_of(c, array);
    if (whole) memcpy(whole, values, c->n * sizeof *values);
    if (array == MT_ARRAY_V) memcpy(c->before, values, c->n * sizeof *values);
    for (size_t element = 0; !whole && element < c->n; element++)
        c->state[mt_block_index(c->n, n_states, element, array - states)] = values[element];
}

static void resume_cpu(void *self, size_t steps_done)
{
    cpu *c = self;
    const mt_record *record = &c->problem->record;
    c->beat_first = mt_record_first(record, mt_record_beat(record, steps_done));
}

const mt_backend mt_backend_cpu = {.name = "cpu",
    .open = open_cpu,
    .advance = advance_cpu,
    .turn = turn_cpu,
    .read = read_cpu,
    .stream = stream_cpu,
    .write = write_cpu,
    .resume = resume_cpu};
