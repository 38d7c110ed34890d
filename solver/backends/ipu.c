/* The ipu backend: the plan, compiled and run on the emulated machine, in its arithmetic (float, flush to zero). */
#include <math.h>
#include <string.h>

#include "data/yaml/yaml.h"
#include "ipu/compile/compile.h"
#include "ipu/run/details.h"
#include "solver/diffusion/implicit.h"
#include "solver/conduction/conducting_functions.h"
#include "solver/plan/implicit.h"
#include "solver/plan/network.h"
#include "solver/plan/nodal.h"
#include "solver/backends/backend.h"
#include "solver/kernels/block.h"

typedef struct ipu {
    const mt_communicator *ranks;  /* ranks that share the machine; NULL for a single process */
    uint32_t first_part, end_part; /* own parts are [first_part, end_part) */
    mt_plan plan;
    ipu_executable *executable;
    ipu_engine *engine;
    float *network;         /* [places or states of the conduction system], and */
    uint32_t *network_part; /* [places] their parts */
    float *buffer;          /* [largest part][n_states], or [parts], for transfers from and to the host */
    uint32_t *place;        /* [n] index of each of the mesh's elements in the order of the parts */
    ipu_trace *trace;
    mt_tracing traced; /* used if there is a trace */
} ipu;

/* Returns a part's piece of a variable in the order of the parts, with `entries` values per element. */
static ipu_slice piece_of(const ipu *self, const ipu_tensor *tensor, uint32_t part, size_t entries)
{
    const mt_halo *halo = self->plan.halo;
    return (ipu_slice){self->plan.graph->slices[tensor->first_slice].variable,
        entries * halo->own_offset[part], entries * mt_halo_own(halo, part)};
}

static void write_piece(
    ipu *self, const ipu_tensor *tensor, uint32_t part, size_t entries, const void *values)
{
    const ipu_slice piece = piece_of(self, tensor, part, entries);
    if (piece.n > 0) ipu_engine_write_slice(self->engine, &piece, values);
}

static void read_piece(ipu *self, const ipu_tensor *tensor, uint32_t part, size_t entries)
{
    const ipu_slice piece = piece_of(self, tensor, part, entries);
    if (piece.n > 0) ipu_engine_read_slice(self->engine, &piece, self->buffer);
}

/* Fills a per-element variable with one value. */
static void write_constant(ipu *self, const ipu_tensor *tensor, float value)
{
    size_t most = 0;
    for (uint32_t part = 0; part < self->plan.halo->n_parts; part++)
        if (mt_halo_own(self->plan.halo, part) > most) most = mt_halo_own(self->plan.halo, part);
    for (size_t k = 0; k < most; k++) self->buffer[k] = value;
    for (uint32_t part = self->first_part; part < self->end_part; part++)
        write_piece(self, tensor, part, 1, self->buffer);
}

/* Writes a counter that every tile has. */
static void write_count(ipu *self, const ipu_tensor *tensor, size_t count)
{
    for (uint32_t part = 0; part < self->plan.halo->n_parts; part++) self->buffer[part] = (float)count;
    ipu_engine_write(self->engine, tensor, self->buffer);
}

/* Writes the number of the step in its beat. */
static void write_step(ipu *self, size_t step) { write_count(self, &self->plan.step, step); }

/* Writes the number of the step in the windows of stimuli with delays. */
static void write_elapsed(ipu *self, size_t step)
{
    const mt_monodomain *problem = self->plan.problem;
    for (size_t s = 0; s < problem->n_stimuli; s++) {
        const mt_stimulus *stimulus = &problem->stimulus[s];
        if (!stimulus->delay) continue;
        const bool on = mt_stimulus_is_on(stimulus, problem->dt_ms, step);
        write_count(
            self, &self->plan.elapsed[s], on ? mt_stimulus_elapsed(stimulus, problem->dt_ms, step) : 0);
    }
}

/* Zeroes the low parts, as between time steps. */
static void begin_double_words(ipu *self)
{
    write_constant(self, &self->plan.v_low, 0);
    write_count(self, &self->plan.substep, 0);
}

/* Writes the resting state of every element of a part. */
static void write_states(ipu *self, const mt_monodomain *problem, uint32_t part)
{
    const mt_halo *halo = self->plan.halo;
    const size_t n_states = problem->model->n_states, n = mt_halo_own(halo, part);
    const uint32_t *own = halo->own_element + halo->own_offset[part];
    for (size_t element = 0; element < n; element++) {
        const mt_cell_variant *variant = mt_monodomain_variant(problem, own[element]);
        for (size_t k = 0; k < n_states; k++)
            self->buffer[mt_block_index(n, n_states, element, k)] = (float)variant->states[k];
    }
    write_piece(self, &self->plan.state, part, n_states, self->buffer);
    for (size_t k = 0; k < n; k++) self->buffer[k] = (float)mt_monodomain_variant(problem, own[k])->v_mV;
    write_piece(self, self->plan.v, part, 1, self->buffer);
    write_piece(self, &self->plan.before, part, 1, self->buffer);
}

static float largest(const mt_communicator *ranks, float value)
{
    double most = (double)value;
    mt_communicator_largest(ranks, &most, 1);
    return (float)most;
}

/* Writes values of a part to a variable with pieces of different lengths. */
static void write_values(
    ipu *self, const ipu_tensor *tensor, const size_t *from, uint32_t part, const void *values)
{
    const ipu_slice piece = {
        self->plan.graph->slices[tensor->first_slice].variable, from[part], from[part + 1] - from[part]};
    if (piece.n > 0) ipu_engine_write_slice(self->engine, &piece, values);
}

/* Writes the state of the implicit solver; `norm`: of this rank's rows. */
static void write_solver(ipu *self, float norm)
{
    float state[MT_IMPLICIT_STATE];
    mt_plan_implicit_state(&self->plan, largest(self->ranks, norm), state);
    ipu_engine_write(self->engine, &self->plan.implicit->state, state);
}

/* Writes the rows of voltages at the vertices. */
static mt_status write_nodal(ipu *self, mt_arena *scratch)
{
    const mt_plan_nodal *nodal = self->plan.nodal;
    mt_plan_nodal_values m;
    MT_TRY(mt_plan_nodal_values_allocate(scratch, &self->plan, &m));
    for (uint32_t part = self->first_part; part < self->end_part; part++) {
        MT_TRY(mt_plan_nodal_values_of(&self->plan, part, &m));
        write_piece(self, &nodal->row, part, 1, nodal->rows[part].row);
        write_values(self, &nodal->width, nodal->block_from, part, nodal->rows[part].width);
        write_values(self, &nodal->rate, nodal->value_from, part, m.rate);
        write_values(self, &nodal->column, nodal->value_from, part, m.column);
        if (nodal->spreads) write_values(self, &nodal->spread, nodal->value_from, part, m.spread);
        if (m.d) write_piece(self, &self->plan.d, part, 1, m.d);
    }
    if (self->plan.implicit) write_solver(self, m.norm);
    return MT_OK;
}

static mt_status write_matrix(ipu *self, mt_arena *scratch)
{
    if (self->plan.nodal) return write_nodal(self, scratch);
    mt_plan_matrix m;
    MT_TRY(mt_plan_matrix_allocate(scratch, &self->plan, &m));
    for (uint32_t part = self->first_part; part < self->end_part; part++) {
        MT_TRY(mt_plan_matrix_of(&self->plan, part, &m));
        if (!self->plan.double_words) write_piece(self, &self->plan.d, part, 1, m.d);
        write_piece(self, &self->plan.a, part, MT_DIFFUSION_ROW, m.a);
        write_piece(self, &self->plan.column, part, MT_DIFFUSION_ROW, m.column);
    }
    if (self->plan.implicit) write_solver(self, m.norm);
    return MT_OK;
}

static mt_status write_all(ipu *self, mt_arena *scratch, const mt_monodomain *problem)
{
    const mt_plan *plan = &self->plan;
    MT_TRY(write_matrix(self, scratch));
    for (size_t s = 0; s < problem->n_stimuli; s++)
        ipu_engine_write(self->engine, &plan->elements[s], plan->elements_value[s]);
    for (size_t s = 0; s < problem->n_stimuli; s++)
        if (problem->stimulus[s].delay) ipu_engine_write(self->engine, &plan->delay[s], plan->delay_value[s]);
    write_elapsed(self, 0);
    if (plan->share_value) ipu_engine_write(self->engine, &plan->share, plan->share_value);
    if (plan->of_value) ipu_engine_write(self->engine, &plan->of, plan->of_value);
    if (plan->of_value) ipu_engine_write(self->engine, &plan->constants, plan->constants_value);
    for (uint32_t part = self->first_part; part < self->end_part; part++) write_states(self, problem, part);
    write_constant(self, &plan->activation, INFINITY);
    for (int r = 0; problem->record.all && r < MT_RECORDED; r++)
        write_constant(self, &plan->recorded[r], (float)mt_recorded_start[r]);
    for (int k = 0; problem->stepping == MT_STEPPING_MULTIRATE && k < MT_PACED; k++)
        write_constant(self, &plan->paced[k], (float)mt_paced_start[k]);
    if (plan->double_words) begin_double_words(self);
    write_step(self, 0);
    return MT_OK;
}

/* ---- the conduction system ---- */

/* Returns the tensor of an array of the conduction system, and the values per point. */
static const ipu_tensor *network_tensor(const mt_plan_network *n, size_t array, size_t *entries)
{
    const size_t n_states = n->conduction->model->n_states,
                 recorded = mt_conducting_arrays(n->conduction) - MT_CONDUCTING_RECORDED;
    if (array == recorded - 1) return *entries = 1, &n->d;
    *entries = array > 0 && array <= n_states ? n_states : 1;
    if (array == 0) return &n->v;
    if (array >= recorded) return &n->recorded[array - recorded];
    return array <= n_states ? &n->state : &n->paced[array - 1 - n_states];
}

/* Returns the position of number k of an array in the piece of its part. */
static size_t network_position(const mt_plan_network *n, size_t array, size_t k, uint32_t part)
{
    const size_t n_states = n->conduction->model->n_states,
                 at = mt_plan_network_place(n, part, k) - n->place_from[part];
    if (array == 0 || array > n_states) return at;
    return mt_block_index(n->point_from[part + 1] - n->point_from[part], n_states, at, array - 1);
}

/* Returns a part's piece of an array. */
static ipu_slice network_piece(const ipu *self, size_t array, uint32_t part)
{
    const mt_plan_network *n = self->plan.network;
    size_t entries;
    const ipu_tensor *tensor = network_tensor(n, array, &entries);
    const bool recorded = array >= mt_conducting_arrays(n->conduction) - MT_CONDUCTING_RECORDED;
    const size_t *from = recorded ? n->place_from : n->point_from;
    return (ipu_slice){self->plan.graph->slices[tensor->first_slice].variable, entries * from[part],
        entries * (from[part + 1] - from[part])};
}

/* Copies an array from the tiles to `values`, or in the opposite direction. */
static void copy_network(ipu *self, size_t array, size_t length, double *values, bool writes)
{
    const mt_plan_network *n = self->plan.network;
    uint32_t *of = self->network_part;
    for (uint32_t part = 0; part < n->n_parts; part++) {
        const ipu_slice piece = network_piece(self, array, part);
        if (piece.n > 0) ipu_engine_read_slice(self->engine, &piece, self->network + piece.from);
    }
    for (size_t k = 0; k < length; k++) {
        float *number =
            self->network + network_piece(self, array, of[k]).from + network_position(n, array, k, of[k]);
        if (writes)
            *number = (float)values[k];
        else
            values[k] = (double)*number;
    }
    for (uint32_t part = 0; writes && part < n->n_parts; part++) {
        const ipu_slice piece = network_piece(self, array, part);
        if (piece.n > 0) ipu_engine_write_slice(self->engine, &piece, self->network + piece.from);
    }
}

static void read_network(void *opaque, size_t array, size_t n, double *values)
{
    copy_network(opaque, array, n, values, false);
}

static void write_network(void *opaque, size_t array, size_t n, const double *values)
{
    copy_network(opaque, array, n, (double *)(uintptr_t)values, true);
}

static const mt_conducting_functions network_functions = {.read = read_network, .write = write_network};

/* Writes the counters of the conduction system, whose cables count the steps of the run. */
static void resume_network(ipu *self, size_t steps_done, size_t step_of_beat)
{
    const mt_plan_network *n = self->plan.network;
    if (!n) return;
    write_count(self, &n->step, step_of_beat);
    if (n->ode.multirate)
        write_count(self, &n->substep, /* the last one */
            (steps_done * n->conduction->steps + MT_CONDUCTING_STEPS - 1) % MT_CONDUCTING_STEPS);
}

/* Allocates the buffers of the conduction system. */
static mt_status open_network(mt_arena *arena, ipu *self)
{
    const mt_plan_network *n = self->plan.network;
    if (!n) return MT_OK;
    const size_t n_places = n->place_from[n->n_parts], n_states = n->conduction->model->n_states;
    MT_ALLOC(arena, self->network, n_places * (n_states > 1 ? n_states : 1));
    MT_ALLOC(arena, self->network_part, n_places);
    for (size_t k = 0; k < n_places; k++) self->network_part[k] = mt_plan_network_part(n, k);
    ipu_engine_write(self->engine, &n->b, self->network); /* zeros */
    resume_network(self, 0, 0);
    return MT_OK;
}

/* ---- opening ---- */

static mt_status take_buffer(mt_arena *arena, ipu *self)
{
    const mt_halo *halo = self->plan.halo;
    size_t most = halo->n_parts;
    for (uint32_t part = 0; part < halo->n_parts; part++) {
        const size_t n = self->plan.problem->model->n_states * mt_halo_own(halo, part);
        if (n > most) most = n;
    }
    for (uint32_t part = 0; part < halo->n_parts; part++)
        if (mt_halo_own(halo, part) > most) most = mt_halo_own(halo, part); /* for models without states */
    MT_ALLOC(arena, self->buffer, most);
    return MT_OK;
}

/* Each rank has complete chips, as in ipu/run/ranks.h. */
static uint32_t first_part(const mt_layout *layout, uint32_t rank)
{
    const ipu_target *target = layout->target;
    const size_t first_tile = ipu_ranks_first(target, layout->ranks->n_ranks, rank);
    return (uint32_t)(first_tile / (target->tiles / target->ipus)) * layout->halo->parts_per_group;
}

static void share_out(const mt_layout *layout, ipu *self)
{
    const mt_communicator *ranks = layout->ranks;
    self->ranks = ranks;
    self->first_part = ranks ? first_part(layout, ranks->rank) : 0;
    self->end_part = ranks ? first_part(layout, ranks->rank + 1) : layout->halo->n_parts;
}

/* Compiles the executable. Rank 0 models the time of the machine; other ranks only run their tiles. */
static mt_status compile(mt_arena *arena, const mt_layout *layout, ipu *self)
{
    const mt_plan *plan = &self->plan;
    if (layout->ranks && layout->ranks->rank > 0)
        return ipu_compile_untimed(arena, plan->graph, plan->program, plan->n_programs, &self->executable);
    MT_TRY(ipu_compile(arena, plan->graph, plan->program, plan->n_programs, &self->executable));
    return layout->checked ? mt_plan_check(self->executable) : MT_OK;
}

/* The steps of opening that may fail on one rank alone. */
static mt_status plan_and_compile(
    mt_arena *arena, mt_arena *values, const mt_monodomain *problem, const mt_layout *layout, ipu *self)
{
    MT_TRY(mt_plan_make(arena, values, problem, layout, &self->plan));
    return compile(arena, layout, self);
}

static mt_status open_with(
    mt_arena *arena, mt_arena *values, const mt_monodomain *problem, const mt_layout *layout, void **out)
{
    ipu *self;
    MT_ALLOC(arena, self, 1);
    const mt_status compiled = plan_and_compile(arena, values, problem, layout, self);
    MT_TRY(layout->ranks ? mt_communicator_agree(layout->ranks, compiled) : compiled);
    MT_TRY(ipu_engine_new_of_rank(arena, layout->ranks, self->executable, layout->checked, &self->engine));
    share_out(layout, self);
    MT_TRY(take_buffer(arena, self));
    MT_TRY(open_network(arena, self));
    MT_ALLOC(arena, self->place, problem->diffusion->n_unknowns);
    for (size_t k = 0; k < self->plan.halo->n_elements; k++)
        self->place[self->plan.halo->own_element[k]] = (uint32_t)k;
    *out = self;
    return write_all(self, values, problem);
}

static mt_status open_ipu(mt_arena *arena, const mt_monodomain *problem, const mt_layout *layout, void **self)
{
    MT_TRY(mt_monodomain_check(problem));
    MT_SCRATCH(values);
    return open_with(arena, values, problem, layout, self);
}

/* Returns the error of a failed run: the engine only knows that a loop did not end. */
static mt_status explain(const ipu *self, mt_status status)
{
    const mt_plan_implicit *implicit = self->plan.implicit;
    float state[MT_IMPLICIT_STATE] = {0};
    if (status != MT_NUMERICS || !implicit) return status;
    ipu_engine_read(self->engine, &implicit->state, state);
    for (int k = 0; k < MT_IMPLICIT_STATE; k++) state[k] = largest(self->ranks, state[k]);
    const double residual_mV = mt_plan_implicit_residual_mV(state), most_mV = self->plan.problem->residual_mV;
    return residual_mV > most_mV ? mt_implicit_failed(residual_mV, most_mV) : status;
}

static mt_status advance_ipu(void *opaque, size_t first, size_t n)
{
    ipu *self = opaque;
    const size_t program = mt_plan_program(&self->plan, first);
    for (size_t step = first; step < first + n; step++) {
        const bool traced = step >= self->traced.first_step && step <= self->traced.last_step;
        self->engine->trace = traced ? self->trace : NULL;
        MT_TRY(explain(self, ipu_engine_run(self->engine, program)));
    }
    return MT_OK;
}

static mt_status turn_ipu(void *opaque, size_t steps_done, bool begins)
{
    ipu *self = opaque;
    (void)steps_done; /* the tiles count from 0 */
    self->engine->trace = NULL;
    return ipu_engine_run(self->engine, begins ? self->plan.beat_begins : self->plan.beat_goes_on);
}

static bool is_state(const ipu *self, size_t array)
{
    return array >= mt_array_states(self->plan.problem) && array < mt_array_paced(self->plan.problem);
}

static const ipu_tensor *tensor_of(const ipu *self, size_t array)
{
    if (is_state(self, array)) return &self->plan.state;
    if (array == MT_ARRAY_V) return self->plan.v;
    const size_t paced = mt_array_paced(self->plan.problem);
    if (array >= paced) return &self->plan.paced[array - paced];
    return array == MT_ARRAY_ACTIVATION ? &self->plan.activation
                                        : &self->plan.recorded[array - MT_ARRAY_RECORD];
}

/* Returns the values per element in the variable of an array. */
static size_t entries_of(const ipu *self, size_t array)
{
    return is_state(self, array) ? self->plan.problem->model->n_states : 1;
}

/* Returns the index of the value of element k of a part in the part's piece of the variable. */
static size_t place_in_piece(const ipu *self, uint32_t part, size_t k, size_t array)
{
    if (!is_state(self, array)) return k;
    return mt_block_index(mt_halo_own(self->plan.halo, part), entries_of(self, array), k,
        array - mt_array_states(self->plan.problem));
}

/* Returns the index in the variable for element k in the order of the parts. */
static size_t place_of(const ipu *self, uint32_t part, size_t k, size_t array)
{
    const size_t from = self->plan.halo->own_offset[part];
    return entries_of(self, array) * from + place_in_piece(self, part, k - from, array);
}

/* Reads from the order of the parts into that of the mesh. */
static mt_status read_ipu(void *opaque, size_t array, double *values)
{
    ipu *self = opaque;
    const mt_halo *halo = self->plan.halo;
    for (uint32_t part = self->first_part; part < self->end_part; part++) {
        const uint32_t *own = halo->own_element + halo->own_offset[part];
        read_piece(self, tensor_of(self, array), part, entries_of(self, array));
        for (size_t k = 0; k < mt_halo_own(halo, part); k++)
            values[own[k]] = (double)self->buffer[place_in_piece(self, part, k, array)];
    }
    return MT_OK;
}

/* Writes in the opposite direction. For a state, the other states keep their values. */
static void write_ipu(void *opaque, size_t array, const double *values)
{
    ipu *self = opaque;
    const mt_halo *halo = self->plan.halo;
    const ipu_tensor *tensor = tensor_of(self, array);
    const size_t entries = entries_of(self, array);
    for (uint32_t part = self->first_part; part < self->end_part; part++) {
        const uint32_t *own = halo->own_element + halo->own_offset[part];
        if (entries > 1) read_piece(self, tensor, part, entries);
        for (size_t k = 0; k < mt_halo_own(halo, part); k++)
            self->buffer[place_in_piece(self, part, k, array)] = (float)values[own[k]];
        write_piece(self, tensor, part, entries, self->buffer);
        if (array == MT_ARRAY_V) write_piece(self, &self->plan.before, part, 1, self->buffer);
    }
}

static void resume_ipu(void *opaque, size_t steps_done)
{
    ipu *self = opaque;
    const mt_record *record = &self->plan.problem->record;
    const size_t step_of_beat = steps_done - mt_record_first(record, mt_record_beat(record, steps_done));
    write_step(self, step_of_beat);
    write_elapsed(self, steps_done);
    resume_network(self, steps_done, step_of_beat);
}

/* ---- streams ---- */

/* Returns the part of element k in the order of the parts. */
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

/* A stream in progress: its elements in sending order, and their locations. */
typedef struct sending {
    size_t n;
    const uint32_t *element; /* [n] elements of the mesh */
    ipu_slice *slices;
    size_t n_slices;
    float *values; /* [n] */
} sending;

/* Finds the slices of the values in their variable, in the order of the parts; contiguous ones are joined. Without
 * memory for the slices, only counts them. */
static void find_slices(const ipu *self, size_t array, sending *s)
{
    const uint32_t variable = self->plan.graph->slices[tensor_of(self, array)->first_slice].variable;
    size_t next = SIZE_MAX;
    s->n_slices = 0;
    for (size_t i = 0; i < s->n; i++) {
        const size_t k = self->place[s->element[i]],
                     at = place_of(self, part_of(self->plan.halo, k), k, array);
        if (at != next) {
            if (s->slices) s->slices[s->n_slices] = (ipu_slice){variable, at, 0};
            s->n_slices++;
        }
        if (s->slices) s->slices[s->n_slices - 1].n++;
        next = at + 1;
    }
}

static bool is_own(const ipu *self, uint32_t element)
{
    const size_t *first = self->plan.halo->own_offset, k = self->place[element];
    return k >= first[self->first_part] && k < first[self->end_part];
}

static mt_status send(mt_arena *scratch, const ipu *self, size_t array, sending *s, double *values)
{
    find_slices(self, array, s);
    MT_ALLOC(scratch, s->slices, s->n_slices);
    find_slices(self, array, s);
    MT_ALLOC(scratch, s->values, s->n);
    MT_TRY(ipu_engine_stream(self->engine, s->slices, s->n_slices, s->values));
    for (size_t i = 0; i < s->n; i++)
        if (is_own(self, s->element[i])) values[s->element[i]] = (double)s->values[i];
    return MT_OK;
}

static mt_status stream_ipu(void *opaque, size_t array, size_t n, const uint32_t *element, double *values)
{
    ipu *self = opaque;
    const mt_halo *halo = self->plan.halo;
    MT_SCRATCH(scratch);
    sending s = {element ? n : halo->n_elements, element ? element : halo->own_element, NULL, 0, NULL};
    return send(scratch, self, array, &s, values);
}

/* ---- counts of the machine ---- */

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
    MT_SCRATCH(scratch);
    mt_hash hash;
    ipu_target certain = self->plan.graph->target; /* counts do not depend on bands */
    certain.n_bands = 0;
    mt_status status = mt_yaml_write(scratch, &ipu_target_table, &certain, &target);
    if (status == MT_OK) status = mt_hash_begin(&hash);
    if (status == MT_OK) {
        mt_hash_add(&hash, target, strlen(target));
        mt_hash_add(&hash, halo->own_offset, (halo->n_parts + (size_t)1) * sizeof *halo->own_offset);
        mt_hash_add(&hash, halo->own_element, halo->n_elements * sizeof *halo->own_element);
        mt_hash_add(&hash, halo->in_offset, (halo->n_parts + (size_t)1) * sizeof *halo->in_offset);
        mt_hash_add(&hash, halo->in_range, halo->in_offset[halo->n_parts] * sizeof *halo->in_range);
        if (self->plan.network)
            mt_hash_add(&hash, self->plan.network->chain_at,
                self->plan.network->conduction->cables.n_chains * sizeof *self->plan.network->chain_at);
        mt_hash_end(&hash, text);
    }
    return status;
}

static mt_status profile_ipu(void *opaque, mt_arena *arena, ipu_profile *profile)
{
    const ipu *self = opaque;
    MT_TRY(ipu_profile_make(arena, self->engine, profile));
    MT_TRY(ipu_profile_add_executions(arena, self->plan.program[0], profile)); /* without stimulus */
    return ipu_details_add(arena, self->engine->executable, profile);
}

static mt_status add_bands_ipu(void *opaque, ipu_profile *profile)
{
    const ipu *self = opaque;
    return ipu_profile_add_bands(self->engine->executable, profile);
}

static mt_status trace_ipu(void *opaque, mt_arena *arena, const mt_tracing *what, ipu_trace **trace)
{
    enum { PHASES = 5 }; /* of the machine, at most one slice each */
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
            "a trace of time steps %zu to %zu on tiles %zu to %zu can have %llu slices; allowed: at most "
            "%llu, which the first %zu of these steps need%s",
            what->first_step, what->last_step, what->first_tile, what->last_tile,
            (unsigned long long)all.slices, (unsigned long long)what->slices_max, fitting,
            self->plan.implicit ? ", if the implicit solver takes the maximum number of iterations" : "");
    self->traced = *what;
    MT_TRY(ipu_trace_new(arena, &self->engine->timing, all.supersteps, &self->trace));
    *trace = self->trace;
    return MT_OK;
}

const mt_backend mt_backend_ipu = {.name = "ipu",
    .first_part = first_part,
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
    .add_bands = add_bands_ipu,
    .trace = trace_ipu,
    .conducting = &network_functions};
