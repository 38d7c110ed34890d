/* The ipu backend: the plan compiled and run on the emulated machine, in its arithmetic (float, flush to
 * zero). */
#include <math.h>
#include <string.h>

#include "ipu/compile/compile.h"
#include "solver/backends/backend.h"
#include "solver/kernels/block.h"

typedef struct ipu {
    mt_plan plan;
    ipu_executable *executable;
    ipu_engine *engine;
    float *buffer;     /* [n][n_states], for the host's reading and writing */
    bool holds_states; /* what is in the buffer are the states, */
    bool changed;      /*   and not yet those of the tiles */
    uint32_t *place;   /* [n] of each of the mesh's elements in the parts' order */
    ipu_trace *trace;
    mt_tracing traced; /* looked at where there is a trace */
} ipu;

/* Fills a per-element variable with the same value everywhere. */
static void write_constant(ipu *self, const ipu_tensor *tensor, float value)
{
    for (size_t k = 0; k < tensor->n; k++) self->buffer[k] = value;
    ipu_engine_write(self->engine, tensor, self->buffer);
}

/* Every element at rest. */
static void write_states(ipu *self, const mt_monodomain *problem)
{
    const mt_halo *halo = self->plan.halo;
    const size_t n_states = problem->model->n_states;
    for (uint32_t part = 0; part < halo->n_parts; part++) {
        const size_t n = mt_halo_own(halo, part), from = halo->own_offset[part];
        float *state = self->buffer + n_states * from;
        for (size_t element = 0; element < n; element++) {
            const mt_cell_variant *variant =
                mt_monodomain_variant(problem, halo->own_element[from + element]);
            for (size_t k = 0; k < n_states; k++)
                state[mt_block_index(n, n_states, element, k)] = (float)variant->states[k];
        }
    }
    ipu_engine_write(self->engine, &self->plan.state, self->buffer);
    for (size_t k = 0; k < halo->n_elements; k++)
        self->buffer[k] = (float)mt_monodomain_variant(problem, halo->own_element[k])->v_mV;
    ipu_engine_write(self->engine, self->plan.v, self->buffer);
    ipu_engine_write(self->engine, &self->plan.before, self->buffer);
}

static void write_all(ipu *self, const mt_monodomain *problem)
{
    const mt_plan *plan = &self->plan;
    ipu_engine_write(self->engine, &plan->d, plan->d_value);
    ipu_engine_write(self->engine, &plan->a, plan->a_value);
    ipu_engine_write(self->engine, &plan->column, plan->column_value);
    for (size_t s = 0; s < problem->n_stimuli; s++)
        ipu_engine_write(self->engine, &plan->elements[s], plan->elements_value[s]);
    if (plan->share_value) ipu_engine_write(self->engine, &plan->share, plan->share_value);
    if (plan->of_value) ipu_engine_write(self->engine, &plan->of, plan->of_value);
    if (plan->of_value) ipu_engine_write(self->engine, &plan->constants, plan->constants_value);
    write_states(self, problem);
    write_constant(self, &plan->activation, INFINITY);
    for (int r = 0; problem->record.all && r < MT_RECORDED; r++)
        write_constant(self, &plan->recorded[r], (float)mt_recorded_start[r]);
    write_constant(self, &plan->step, 0);
}

static mt_status open_with(
    mt_arena *arena, mt_arena *values, const mt_monodomain *problem, const mt_layout *layout, void **out)
{
    ipu *self;
    MT_ALLOC(arena, self, 1);
    MT_TRY(mt_plan_make(arena, values, problem, layout, &self->plan));
    MT_TRY(
        ipu_compile(arena, self->plan.graph, self->plan.program, self->plan.n_programs, &self->executable));
    if (layout->checked) MT_TRY(mt_plan_check(self->executable));
    MT_TRY(ipu_engine_new(arena, self->executable, layout->checked, &self->engine));
    MT_ALLOC(arena, self->buffer,
        problem->model->n_states * self->plan.halo->n_elements + self->plan.halo->n_parts);
    MT_ALLOC(arena, self->place, self->plan.halo->n_elements);
    for (size_t k = 0; k < self->plan.halo->n_elements; k++)
        self->place[self->plan.halo->own_element[k]] = (uint32_t)k;
    write_all(self, problem);
    *out = self;
    return MT_OK;
}

static mt_status open_ipu(mt_arena *arena, const mt_monodomain *problem, const mt_layout *layout, void **self)
{
    MT_TRY(mt_monodomain_check(problem));
    mt_arena values = {0};
    mt_status status = open_with(arena, &values, problem, layout, self);
    mt_arena_free(&values);
    return status;
}

static mt_status advance_ipu(void *opaque, size_t first, size_t n)
{
    ipu *self = opaque;
    self->holds_states = false;
    const size_t program = mt_plan_program(&self->plan, first);
    for (size_t step = first; step < first + n; step++) {
        const bool traced = step >= self->traced.first_step && step <= self->traced.last_step;
        self->engine->trace = traced ? self->trace : NULL;
        MT_TRY(ipu_engine_run(self->engine, program));
    }
    return MT_OK;
}

static mt_status turn_ipu(void *opaque, size_t steps_done, bool begins)
{
    ipu *self = opaque;
    (void)steps_done; /* the tiles count from 0 */
    self->holds_states = false;
    self->engine->trace = NULL;
    return ipu_engine_run(self->engine, begins ? self->plan.beat_begins : self->plan.beat_goes_on);
}

/* Where element k of the parts' order, an element of this part, has its number in the buffer: of the states if it holds them. */
static size_t place_of(const ipu *self, uint32_t part, size_t k, size_t array)
{
    const mt_halo *halo = self->plan.halo;
    const size_t n_states = self->plan.problem->model->n_states, from = halo->own_offset[part],
                 states = mt_array_states(self->plan.problem);
    if (array < states) return k;
    return n_states * from + mt_block_index(mt_halo_own(halo, part), n_states, k - from, array - states);
}

/* The states are taken from the tiles once for all that are read or written one after the other, and put back once. */
static void hold_states(ipu *self)
{
    if (!self->holds_states) ipu_engine_read(self->engine, &self->plan.state, self->buffer);
    self->holds_states = true;
}

/* The buffer is free for something else. */
static void let_go_of_states(ipu *self)
{
    if (self->changed) ipu_engine_write(self->engine, &self->plan.state, self->buffer);
    self->holds_states = self->changed = false;
}

static const ipu_tensor *tensor_of(const ipu *self, size_t array)
{
    if (array == MT_ARRAY_V) return self->plan.v;
    return array == MT_ARRAY_ACTIVATION ? &self->plan.activation
                                        : &self->plan.recorded[array - MT_ARRAY_RECORD];
}

static bool is_state(const ipu *self, size_t array) { return array >= mt_array_states(self->plan.problem); }

/* From the parts' order to the mesh's. */
static void read_ipu(void *opaque, size_t array, double *values)
{
    ipu *self = opaque;
    const mt_halo *halo = self->plan.halo;
    if (is_state(self, array)) {
        hold_states(self);
    } else {
        let_go_of_states(self);
        ipu_engine_read(self->engine, tensor_of(self, array), self->buffer);
    }
    for (uint32_t part = 0; part < halo->n_parts; part++)
        for (size_t k = halo->own_offset[part]; k < halo->own_offset[part + 1]; k++)
            values[halo->own_element[k]] = (double)self->buffer[place_of(self, part, k, array)];
}

/* And back. */
static void write_ipu(void *opaque, size_t array, const double *values)
{
    ipu *self = opaque;
    const mt_halo *halo = self->plan.halo;
    if (is_state(self, array))
        hold_states(self);
    else
        let_go_of_states(self);
    for (uint32_t part = 0; part < halo->n_parts; part++)
        for (size_t k = halo->own_offset[part]; k < halo->own_offset[part + 1]; k++)
            self->buffer[place_of(self, part, k, array)] = (float)values[halo->own_element[k]];
    self->changed = is_state(self, array);
    if (!self->changed) ipu_engine_write(self->engine, tensor_of(self, array), self->buffer);
    if (array == MT_ARRAY_V) ipu_engine_write(self->engine, &self->plan.before, self->buffer);
}

static void resume_ipu(void *opaque, size_t steps_done)
{
    ipu *self = opaque;
    let_go_of_states(self);
    const mt_record *record = &self->plan.problem->record;
    const size_t first = mt_record_first(record, mt_record_beat(record, steps_done));
    write_constant(self, &self->plan.step, (float)(steps_done - first));
}

/* ---- streams ---- */

/* Element k of the parts' order lives in this part. */
static uint32_t part_of(const mt_halo *halo, size_t k)
{
    uint32_t low = 0, high = halo->n_parts;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (halo->own_offset[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A stream under way: the elements in the order in which they are sent, and where they are. */
typedef struct sending {
    size_t n;
    const uint32_t *element; /* [n] of the mesh */
    ipu_slice *slices;
    size_t n_slices;
    float *values; /* [n] */
} sending;

/* Joins what follows one another. */
static void add_slice(sending *s, uint32_t variable, size_t at)
{
    ipu_slice *last = s->n_slices > 0 ? &s->slices[s->n_slices - 1] : NULL;
    if (last && last->from + last->n == at)
        last->n++;
    else
        s->slices[s->n_slices++] = (ipu_slice){variable, at, 1};
}

/* Where the values are in their variable, which is a whole one in the parts' order. */
static mt_status find_slices(mt_arena *scratch, const ipu *self, size_t array, sending *s)
{
    const ipu_tensor *tensor = is_state(self, array) ? &self->plan.state : tensor_of(self, array);
    const uint32_t variable = self->plan.graph->slices[tensor->first_slice].variable;
    MT_ALLOC(scratch, s->slices, s->n);
    for (size_t i = 0; i < s->n; i++) {
        const size_t k = self->place[s->element[i]];
        add_slice(s, variable, place_of(self, part_of(self->plan.halo, k), k, array));
    }
    return MT_OK;
}

static mt_status send(mt_arena *scratch, const ipu *self, size_t array, sending *s, double *values)
{
    MT_TRY(find_slices(scratch, self, array, s));
    MT_ALLOC(scratch, s->values, s->n);
    MT_TRY(ipu_engine_stream(self->engine, s->slices, s->n_slices, s->values));
    for (size_t i = 0; i < s->n; i++) values[s->element[i]] = (double)s->values[i];
    return MT_OK;
}

static mt_status stream_ipu(void *opaque, size_t array, size_t n, const uint32_t *element, double *values)
{
    ipu *self = opaque;
    const mt_halo *halo = self->plan.halo;
    mt_arena scratch = {0};
    sending s = {element ? n : halo->n_elements, element ? element : halo->own_element, NULL, 0, NULL};
    let_go_of_states(self);
    const mt_status status = send(&scratch, self, array, &s, values);
    mt_arena_free(&scratch);
    return status;
}

/* ---- what the machine counts ---- */

static mt_status count_ipu(void *opaque, mt_arena *arena, size_t *n, uint64_t **counts)
{
    const ipu *self = opaque;
    *n = ipu_engine_counts(self->engine);
    MT_ALLOC(arena, *counts, *n);
    ipu_engine_count(self->engine, *counts);
    return MT_OK;
}

static void recount_ipu(void *opaque, const uint64_t *counts)
{
    const ipu *self = opaque;
    ipu_engine_recount(self->engine, counts);
}

static mt_status fingerprint_ipu(void *opaque, char text[MT_HASH_SIZE])
{
    const ipu *self = opaque;
    const mt_halo *halo = self->plan.halo;
    const char *target;
    mt_arena scratch = {0};
    mt_hash hash;
    mt_status status = mt_yaml_write(&scratch, &ipu_target_table, &self->plan.graph->target, &target);
    if (status == MT_OK) status = mt_hash_begin(&hash);
    if (status == MT_OK) {
        mt_hash_add(&hash, target, strlen(target));
        mt_hash_add(&hash, halo->own_offset, (halo->n_parts + (size_t)1) * sizeof *halo->own_offset);
        mt_hash_add(&hash, halo->own_element, halo->n_elements * sizeof *halo->own_element);
        mt_hash_add(&hash, halo->in_offset, (halo->n_parts + (size_t)1) * sizeof *halo->in_offset);
        mt_hash_add(&hash, halo->in_range, halo->in_offset[halo->n_parts] * sizeof *halo->in_range);
        mt_hash_end(&hash, text);
    }
    mt_arena_free(&scratch);
    return status;
}

static mt_status profile_ipu(void *opaque, mt_arena *arena, ipu_profile *profile)
{
    const ipu *self = opaque;
    return ipu_profile_make(arena, self->engine, profile);
}

static mt_status trace_ipu(void *opaque, mt_arena *arena, const mt_tracing *what, ipu_trace **trace)
{
    enum { PHASES = 3 }; /* of the machine, a slice each */
    ipu *self = opaque;
    ipu_trace_size all = {0}, *of;
    size_t fitting = 0;
    MT_ALLOC(arena, of, self->plan.n_programs);
    for (size_t p = 0; p < self->plan.n_programs; p++) {
        of[p] = ipu_trace_size_of(
            &self->engine->timing, self->plan.program[p], what->first_tile, what->last_tile);
        of[p].slices += PHASES * of[p].supersteps;
    }
    for (size_t step = what->first_step; step <= what->last_step; step++) {
        const ipu_trace_size size = of[mt_plan_program(&self->plan, step)];
        all.supersteps += size.supersteps;
        all.slices += size.slices;
        fitting += all.slices <= what->slices_max;
    }
    if (all.slices > what->slices_max)
        return mt_fail(MT_INPUT,
            "a trace of time steps %zu to %zu of tiles %zu to %zu would have %llu slices; allowed: at most "
            "%llu, as in the first %zu of these steps",
            what->first_step, what->last_step, what->first_tile, what->last_tile,
            (unsigned long long)all.slices, (unsigned long long)what->slices_max, fitting);
    self->traced = *what;
    MT_TRY(ipu_trace_new(arena, &self->engine->timing, all.supersteps, &self->trace));
    *trace = self->trace;
    return MT_OK;
}

const mt_backend mt_backend_ipu = {.name = "ipu",
    .single = true,
    .open = open_ipu,
    .advance = advance_ipu,
    .turn = turn_ipu,
    .read = read_ipu,
    .stream = stream_ipu,
    .write = write_ipu,
    .resume = resume_ipu,
    .count = count_ipu,
    .recount = recount_ipu,
    .fingerprint = fingerprint_ipu,
    .profile = profile_ipu,
    .trace = trace_ipu};
