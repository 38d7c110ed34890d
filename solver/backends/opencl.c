/* The backend for OpenCL devices: the arrays of the cpu backend in single precision, on a device, with one kernel for each part of a time
 * step (solver/device/steps.cl). All bits are those of cpu-single and of the emulated machine.
 *
 * A step moves nothing between host and device, except received values if ranks share the mesh. The host keeps a copy of all arrays, which
 * is brought up to date when something is read. */
#define MT_LANES_ONE
#include "solver/kernels/lanes.h"
#include "solver/backends/cpu_backend.h"

#include <stdio.h>

#include "data/opencl/opencl.h"
#include "solver/backends/opencl.h"
#include "solver/device/program.h"
#include "solver/device/rows.h"
#include "solver/device/self_test.h"
#include "solver/kernels/multirate_equations.h"

/* The arrays on the host, and their reading and writing. */
static const mt_backend host = CPU_BACKEND("", true);

_Static_assert((int)MT_DEVICE_ROW == (int)MT_ELLPACK_WIDTH, "the kernels have rows of the same length");

typedef struct device {
    cpu *host;
    mt_opencl *opencl;
    mt_backend_device described; /* but for its bytes */
    mt_device_shape shape;
    size_t row_bytes; /* of the buffers that a diffusion step reads, except V */
    mt_opencl_buffer *v[2], *before, *activation_ms, *recorded[MT_RECORDED], *state, *paced[MT_PACED],
        *constants, *of, *tables, *table_of, *share, *s, *d, *diagonal, *a, *spread, *columns, *rows, *v_low;
    size_t now; /* v[now] is V */
    mt_opencl_kernel *stimulate, *hold, *react, *spread_nodal, *diffuse, *record, *turn, *pick, *look,
        *charge;
    mt_opencl_buffer **stimulus; /* [n_stimuli] its unknowns */
    /* to read some numbers: their places, and they themselves, at most n_picked */
    mt_opencl_buffer *place, *picked, *any;
    size_t n_picked;
    uint64_t *places;
    real *values;
    /* the unknowns that are coupled to a conduction system: their places, and numbers for them */
    mt_opencl_buffer *connected, *exchanged;
    real *exchange;
    bool host_is_old, device_is_old; /* arrays changed in the other place */
} device;

/* ---- arguments ---- */

/* Sets the arguments of a kernel one after another, up to the first failure. */
typedef struct arguments {
    mt_opencl_kernel *kernel;
    unsigned next;
    mt_status status;
} arguments;

static void put(arguments *a, size_t bytes, const void *value)
{
    if (a->status == MT_OK) a->status = mt_opencl_set(a->kernel, a->next++, bytes, value);
}

static void put_number(arguments *a, size_t n) { put(a, sizeof(uint64_t), &(uint64_t){n}); }
static void put_flag(arguments *a, uint32_t flag) { put(a, sizeof flag, &flag); }
static void put_real(arguments *a, real x) { put(a, sizeof x, &x); }

static void put_buffer(arguments *a, mt_opencl_buffer *buffer)
{
    if (a->status == MT_OK) a->status = mt_opencl_set_buffer(a->kernel, a->next++, buffer);
}

/* Begins with the argument of a kernel for all unknowns: their number. */
static arguments arguments_of(const device *d, mt_opencl_kernel *kernel)
{
    arguments a = {.kernel = kernel};
    put_number(&a, d->host->n);
    return a;
}

/* Launches a kernel for all unknowns. */
static mt_status launch(const device *d, const arguments *a)
{
    MT_TRY(a->status);
    return mt_opencl_launch(a->kernel, (d->host->n + d->shape.lanes - 1) / d->shape.lanes, d->shape.group);
}

/* ---- opening ---- */

static mt_status make_buffer(
    const device *d, const char *name, size_t n, size_t size, const void *data, mt_opencl_buffer **buffer)
{
    return mt_opencl_buffer_make(d->opencl, name, n * size, data, buffer);
}

static mt_status make_reals(
    const device *d, const char *name, size_t n, const real *data, mt_opencl_buffer **buffer)
{
    return make_buffer(d, name, data ? n : 0, sizeof *data, data, buffer);
}

/* Describes n columns of a block that are stored from `begin` on; returns their end. */
static const char *describe_columns(
    const mt_ellpack_columns *from, const char *begin, size_t n, mt_device_rows *row)
{
    const char *stored = from->stored;
    row->at = (size_t)(stored - begin) / sizeof(uint16_t);
    row->base = from->base;
    row->wide = from->wide;
    return stored + n * (from->wide ? sizeof(uint32_t) : sizeof(uint16_t));
}

/* Lists the rows of elements, all of the same length. Returns the end of their columns. */
static const char *list_elements(const cpu *c, mt_device_rows *rows)
{
    const char *begin = c->columns[0].stored, *end = begin;
    for (size_t b = 0; b < (c->n + MT_BLOCK - 1) / MT_BLOCK; b++) {
        rows[b] = (mt_device_rows){.entries = MT_ELLPACK_WIDTH};
        end = describe_columns(
            &c->columns[b], begin, MT_ELLPACK_WIDTH * mt_block_width(c->n, b * MT_BLOCK), &rows[b]);
    }
    return end;
}

/* Same for vertices. */
static const char *list_vertices(const mt_sliced *sliced, mt_device_rows *rows)
{
    const char *begin = sliced->block[0].columns.stored, *end = begin;
    for (size_t b = 0; b < (sliced->n + MT_BLOCK - 1) / MT_BLOCK; b++) {
        const mt_sliced_block *block = &sliced->block[b];
        rows[b] = (mt_device_rows){.first = block->first, .entries = (uint32_t)block->width};
        end = describe_columns(&block->columns, begin, MT_BLOCK * block->width, &rows[b]);
    }
    return end;
}

static mt_status make_rows(device *d)
{
    const cpu *c = d->host;
    const nodal_step *nodal = c->nodal;
    const size_t n_blocks = (c->n + MT_BLOCK - 1) / MT_BLOCK;
    mt_device_rows *rows;
    MT_SCRATCH(scratch);
    MT_ALLOC(scratch, rows, n_blocks);
    const char *begin = NULL, *end = NULL; /* a rank can have no unknowns */
    if (n_blocks > 0) {
        begin = nodal ? nodal->rows.block[0].columns.stored : c->columns[0].stored;
        end = nodal ? list_vertices(&nodal->rows, rows) : list_elements(c, rows);
    }
    MT_TRY(make_buffer(d, "rows", n_blocks, sizeof *rows, rows, &d->rows));
    MT_TRY(make_buffer(d, "columns", (size_t)(end - begin), 1, begin, &d->columns));
    MT_TRY(make_reals(d, "diagonal", c->n, c->diagonal, &d->diagonal));
    MT_TRY(nodal ? make_reals(d, "matrix", nodal->rows.n_values, nodal->rate, &d->a)
                 : make_reals(d, "matrix", MT_ELLPACK_WIDTH * c->n, c->off, &d->a));
    d->row_bytes = mt_opencl_bytes(d->opencl); /* these are the first buffers */
    return nodal ? make_reals(d, "spreading", nodal->rows.n_values, nodal->spread, &d->spread) : MT_OK;
}

/* Copies the tables of functions of V; without them the buffers are empty. */
static mt_status make_tables(device *d)
{
    const mt_tables *tables = d->host->model->tables;
    const size_t size = sizeof(float) * MT_TABLE_INTERVALS * MT_TABLE_COEFFICIENTS *
                        MT_TABLE_STRIDE(d->host->model->n_functions);
    MT_TRY(make_buffer(
        d, "tables", tables ? tables->n : 0, size, tables ? tables->coefficient : NULL, &d->tables));
    return make_buffer(d, "tables of variants", tables ? d->host->n_variants : 0, sizeof(uint16_t),
        tables ? tables->of : NULL, &d->table_of);
}

static mt_status make_cells(device *d)
{
    const cpu *c = d->host;
    const mt_cell_model *model = c->problem->model;
    MT_TRY(make_reals(d, "states", model->n_states * c->n, c->state, &d->state));
    MT_TRY(make_reals(d, "constants", c->n_variants * model->n_constants, c->constants, &d->constants));
    MT_TRY(make_buffer(d, "variants", c->of ? c->n : 0, sizeof *c->of, c->of, &d->of));
    MT_TRY(make_tables(d));
    MT_TRY(make_reals(d, "activation times", c->n, c->activation_ms, &d->activation_ms));
    for (int r = 0; r < MT_RECORDED; r++)
        MT_TRY(make_reals(d, "records", c->n, c->recorded[r], &d->recorded[r]));
    for (int k = 0; k < MT_PACED; k++)
        MT_TRY(make_reals(d, "multirate stepping", c->n, c->paced[k], &d->paced[k]));
    return MT_OK;
}

static mt_status make_voltages(device *d)
{
    const cpu *c = d->host;
    const size_t n_local = c->ranks ? mt_halo_local(c->halo, c->ranks->rank) : c->n;
    for (int k = 0; k < 2; k++) MT_TRY(make_reals(d, "voltages", n_local, c->v, &d->v[k]));
    MT_TRY(make_reals(d, "voltages", c->n, c->before, &d->before));
    MT_TRY(make_reals(d, "spread reaction", c->n, c->share, &d->share));
    MT_TRY(make_reals(d, "spread reaction", c->n, c->s, &d->s));
    MT_TRY(make_reals(d, "increments", n_local, c->nodal ? c->nodal->d : NULL, &d->d));
    return make_reals(d, "low parts", c->n, c->v_low, &d->v_low);
}

static mt_status make_stimuli(mt_arena *arena, device *d)
{
    const cpu *c = d->host;
    const size_t n = c->problem->n_stimuli;
    MT_ALLOC(arena, d->stimulus, n);
    for (size_t s = 0; s < n; s++) {
        const own_stimulus *own = &c->stimulus[s];
        MT_TRY(make_buffer(d, "stimuli", own->n, sizeof *own->element, own->element, &d->stimulus[s]));
        if (!own->first && own->n > d->n_picked) d->n_picked = own->n;
    }
    return MT_OK;
}

/* Allocates the room for numbers that are read: at least those of a stimulus. */
static mt_status make_room(mt_arena *arena, device *d)
{
    enum { LEAST = 1024 };
    if (d->n_picked < LEAST) d->n_picked = LEAST;
    MT_ALLOC(arena, d->places, d->n_picked);
    MT_ALLOC(arena, d->values, d->n_picked);
    MT_TRY(make_buffer(d, "places", d->n_picked, sizeof *d->places, NULL, &d->place));
    MT_TRY(make_buffer(d, "values", d->n_picked, sizeof *d->values, NULL, &d->picked));
    return make_buffer(d, "a flag", 1, sizeof(uint32_t), NULL, &d->any);
}

static mt_status make_kernels(device *d)
{
    const cpu *c = d->host;
    const mt_monodomain *problem = c->problem;
    const char *text[MT_DEVICE_TEXTS];
    char options[MT_DEVICE_OPTIONS];
    mt_opencl_program *program;
    MT_SCRATCH(scratch);
    MT_TRY(mt_device_program(scratch, problem->model, text));
    mt_device_options(mt_opencl_device(d->opencl), &d->shape, c->model->tables != NULL, options);
    MT_TRY(mt_opencl_program_make(d->opencl, problem->model->name, MT_DEVICE_TEXTS, text, options, &program));
    const bool multirate = problem->stepping == MT_STEPPING_MULTIRATE;
    const char *const diffuse = c->v_low   ? c->nodal ? "diffuse_nodal_double_word" : "diffuse_double_word"
                                : c->nodal ? "diffuse_nodal"
                                           : "diffuse";
    MT_TRY(mt_opencl_kernel_make(program, "stimulate", &d->stimulate));
    MT_TRY(mt_opencl_kernel_make(program, "hold", &d->hold));
    MT_TRY(mt_opencl_kernel_make(program, multirate ? "react_multirate" : "react", &d->react));
    MT_TRY(mt_opencl_kernel_make(program, "spread_nodal", &d->spread_nodal));
    MT_TRY(mt_opencl_kernel_make(program, diffuse, &d->diffuse));
    MT_TRY(
        mt_opencl_kernel_make(program, problem->record.all ? "record_all" : "record_activation", &d->record));
    MT_TRY(mt_opencl_kernel_make(program, "turn", &d->turn));
    MT_TRY(mt_opencl_kernel_make(program, "pick", &d->pick));
    MT_TRY(mt_opencl_kernel_make(program, "charge", &d->charge));
    return mt_opencl_kernel_make(program, "look", &d->look);
}

static void close_device(void *opaque)
{
    device *d = opaque;
    mt_opencl_close(&d->opencl);
}

/* Determines whether an open device computes the bits of the host, and why it may not. */
static mt_status test_device(mt_opencl *opencl, size_t n_lanes, char *differs, size_t size)
{
    const char *lacks = mt_device_lacks(mt_opencl_device(opencl));
    char difference[MT_DEVICE_DIFFERENCE];
    MT_TRY(mt_device_self_test(opencl, n_lanes, NULL, difference));
    if (difference[0])
        (void)snprintf(differs, size, "its self-test differs from the host: %s", difference);
    else if (lacks)
        (void)snprintf(differs, size, "its driver does not state %s", lacks);
    return MT_OK;
}

/* Refuses a device whose bits may differ, unless the layout is lenient. */
static mt_status check_device(const mt_layout *layout, device *d)
{
    const mt_device *of = mt_opencl_device(d->opencl);
    mt_backend_device *described = &d->described;
    (void)snprintf(described->name, sizeof described->name, "%s", of->name);
    MT_TRY(test_device(d->opencl, d->shape.lanes, described->differs, sizeof described->differs));
    if (!described->differs[0] || (layout && layout->lenient)) return MT_OK;
    return mt_fail(MT_INPUT,
        "OpenCL device %zu (%s): %s; allowed: a device with the bits of the host, or machine.strict: "
        "false, if results may differ in their last digits",
        of->number, of->name, described->differs);
}

/* Opens the device of a layout, on several ranks one for each. */
static mt_status open_device(mt_arena *arena, const mt_layout *layout, device *d)
{
    const mt_communicator *ranks = layout ? layout->ranks : NULL;
    const mt_device *found;
    MT_TRY(mt_arena_at_end(arena, close_device, d));
    MT_TRY(mt_fail_in("machine.device", mt_devices_find_for_rank(arena, layout ? layout->device : NULL,
                                            ranks ? ranks->rank : 0, ranks ? ranks->n_ranks : 1, &found)));
    MT_TRY(mt_opencl_open_on(arena, found, &d->opencl));
    d->shape = mt_device_shape_of(found, layout ? layout->lanes : 0);
    return check_device(layout, d);
}

static mt_status open_opencl(
    mt_arena *arena, const mt_monodomain *problem, const mt_layout *layout, void **self)
{
    device *d;
    void *opened;
    if (problem->diffusing != MT_DIFFUSING_EXPLICIT)
        return mt_fail(MT_INPUT, "backend opencl: implicit diffusion steps; allowed: explicit ones");
    MT_ALLOC(arena, d, 1);
    MT_TRY(open_device(arena, layout, d));
    MT_TRY(host.open(arena, problem, layout, &opened));
    d->host = opened;
    MT_TRY(make_kernels(d));
    MT_TRY(make_rows(d));
    MT_TRY(make_cells(d));
    MT_TRY(make_voltages(d));
    MT_TRY(make_stimuli(arena, d));
    MT_TRY(make_room(arena, d));
    *self = d;
    return MT_OK;
}

/* ---- between host and device ---- */

/* An array that is on both. */
typedef struct twin {
    real *host;
    mt_opencl_buffer *device;
    size_t n;
} twin;

enum { TWINS = 4 + MT_RECORDED + MT_PACED };

/* Lists the arrays that change; returns their number. */
static size_t list_twins(const device *d, twin twins[TWINS])
{
    const cpu *c = d->host;
    size_t n = 0;
    twins[n++] = (twin){c->v, d->v[d->now], c->n};
    twins[n++] = (twin){c->before, d->before, c->n};
    twins[n++] = (twin){c->activation_ms, d->activation_ms, c->n};
    twins[n++] = (twin){c->state, d->state, c->n * c->problem->model->n_states};
    for (int r = 0; r < MT_RECORDED; r++)
        if (c->recorded[r]) twins[n++] = (twin){c->recorded[r], d->recorded[r], c->n};
    for (int k = 0; k < MT_PACED; k++)
        if (c->paced[k]) twins[n++] = (twin){c->paced[k], d->paced[k], c->n};
    return n;
}

static mt_status update_one(const twin *t)
{
    return mt_opencl_read(t->device, 0, t->n * sizeof(real), t->host);
}

/* Brings all arrays of the host up to date. */
static mt_status update_host(device *d)
{
    twin twins[TWINS];
    const size_t n = list_twins(d, twins);
    for (size_t k = 0; d->host_is_old && k < n; k++) MT_TRY(update_one(&twins[k]));
    d->host_is_old = false;
    return MT_OK;
}

static mt_status update_device(device *d)
{
    twin twins[TWINS];
    const size_t n = list_twins(d, twins);
    for (size_t k = 0; d->device_is_old && k < n; k++)
        MT_TRY(mt_opencl_write(twins[k].device, 0, twins[k].n * sizeof(real), twins[k].host));
    d->device_is_old = false;
    return MT_OK;
}

/* ---- a time step ---- */

/* Launches a kernel over some elements of a stimulus, with one or two numbers. */
static mt_status launch_on(const device *d, mt_opencl_kernel *kernel, size_t stimulus, own_stimulus some,
    size_t n_numbers, const double *number)
{
    if (some.n == 0) return MT_OK;
    arguments a = {.kernel = kernel};
    put_number(&a, (size_t)(some.element - d->host->stimulus[stimulus].element));
    put_number(&a, some.n);
    for (size_t k = 0; k < n_numbers; k++) put_real(&a, (real)number[k]);
    put_buffer(&a, d->stimulus[stimulus]);
    put_buffer(&a, d->v[d->now]);
    MT_TRY(a.status);
    return mt_opencl_launch(kernel, some.n, d->shape.group);
}

static mt_status stimulate_on_device(const device *d, size_t step)
{
    const mt_monodomain *problem = d->host->problem;
    for (size_t s = 0; s < problem->n_stimuli; s++) {
        const mt_stimulus *stimulus = &problem->stimulus[s];
        const own_stimulus *own = &d->host->stimulus[s];
        if (!mt_stimulus_is_on(stimulus, problem->dt_ms, step)) continue;
        const own_stimulus on = stimulated(own, stimulus, problem->dt_ms, step),
                           kept = held(own, stimulus, problem->dt_ms, step);
        const double range_mV[2] = {stimulus->held_mV, stimulus->free_mV};
        MT_TRY(launch_on(d, d->stimulate, s, on, 1, &(double){problem->dt_ms * stimulus->rise_mV_ms}));
        MT_TRY(launch_on(d, d->hold, s, kept, 2, range_mV));
    }
    return MT_OK;
}

static bool spreads_between_vertices(const cpu *c) { return c->nodal && c->nodal->spread; }

static mt_status react_on_device(const device *d, size_t step)
{
    const cpu *c = d->host;
    const mt_monodomain *problem = c->problem;
    const bool multirate = problem->stepping == MT_STEPPING_MULTIRATE, vertices = spreads_between_vertices(c);
    arguments a = arguments_of(d, d->react);
    put_real(&a, (real)problem->dt_ms);
    if (multirate) {
        const mt_multirate_step at = mt_cell_limited_step(problem->model,
            &(const mt_multirate_step){problem->dt_ms, problem->tolerance_mV, step - c->beat_first});
        const multirate_rule rule = multirate_rule_of(&at);
        put_real(&a, rule.tolerance_mV);
        put_real(&a, rule.half_tolerance_mV);
        put_real(&a, rule.together);
    }
    put_buffer(&a, d->constants);
    put_flag(&a, c->of != NULL);
    put_buffer(&a, d->of);
    put_buffer(&a, d->tables);
    put_buffer(&a, d->table_of);
    put_buffer(&a, d->state);
    put_flag(&a, vertices ? MT_DEVICE_SPREADS_VERTICES
                 : c->s   ? MT_DEVICE_SPREADS_ELEMENTS
                          : MT_DEVICE_NOT_SPREAD);
    put_buffer(&a, d->share);
    put_buffer(&a, vertices ? d->d : d->s);
    for (int k = 0; multirate && k < MT_PACED; k++) put_buffer(&a, d->paced[k]);
    put_buffer(&a, d->v[d->now]);
    return launch(d, &a);
}

/* Receives the values of other ranks: own ones that they may need leave the device, and received ones arrive there. After an earlier
 * failure, `status`, only messages are exchanged, since other ranks wait for them. */
static mt_status exchange(
    const device *d, real *values, void *messages, mt_opencl_buffer *buffer, mt_status status)
{
    const cpu *c = d->host;
    if (!c->ranks) return status;
    const size_t inside = c->halo->n_interior[c->ranks->rank],
                 n_local = mt_halo_local(c->halo, c->ranks->rank);
    if (status == MT_OK)
        status =
            mt_opencl_read(buffer, inside * sizeof(real), (c->n - inside) * sizeof(real), values + inside);
    c->ranks->start(messages);
    c->ranks->finish(messages);
    MT_TRY(status);
    return mt_opencl_write(buffer, c->n * sizeof(real), (n_local - c->n) * sizeof(real), values + c->n);
}

static mt_status spread_on_device(const device *d, mt_status status)
{
    const cpu *c = d->host;
    if (!spreads_between_vertices(c)) return status;
    MT_TRY(exchange(d, c->nodal->d, c->nodal->exchange, d->d, status));
    arguments a = arguments_of(d, d->spread_nodal);
    put_buffer(&a, d->rows);
    put_buffer(&a, d->columns);
    put_buffer(&a, d->spread);
    put_buffer(&a, d->d);
    put_flag(&a, c->s != NULL);
    put_buffer(&a, d->share);
    put_buffer(&a, d->v[d->now]);
    put_buffer(&a, d->s);
    return launch(d, &a);
}

static mt_status diffuse_on_device(device *d, bool last, mt_status status)
{
    const cpu *c = d->host;
    MT_TRY(exchange(d, c->v, c->exchange[0], d->v[d->now], status));
    arguments a = arguments_of(d, d->diffuse);
    put_buffer(&a, d->rows);
    put_buffer(&a, d->columns);
    if (!c->nodal && !c->v_low) put_buffer(&a, d->diagonal);
    put_buffer(&a, d->a);
    put_buffer(&a, d->v[d->now]);
    if (c->v_low) {
        put_real(&a, last ? 0 : 1);
        put_buffer(&a, d->v_low);
    }
    put_buffer(&a, d->v[1 - d->now]);
    MT_TRY(launch(d, &a));
    d->now = 1 - d->now;
    return MT_OK;
}

static void put_record_arrays(const device *d, arguments *a)
{
    put_buffer(a, d->activation_ms);
    put_buffer(a, d->recorded[MT_RECORDED_REST]);
    put_buffer(a, d->recorded[MT_RECORDED_PEAK]);
    put_buffer(a, d->recorded[MT_RECORDED_UPSTROKE]);
    put_buffer(a, d->recorded[MT_RECORDED_REPOLARISATION]);
    put_buffer(a, d->recorded[MT_RECORDED_LOW]);
}

static mt_status record_on_device(const device *d, size_t step)
{
    const cpu *c = d->host;
    const mt_monodomain *problem = c->problem;
    const record_rule *rule = &c->rule;
    const size_t of_beat = step - c->beat_first;
    arguments a = arguments_of(d, d->record);
    put_real(&a, (real)of_beat);
    if (problem->record.all) {
        put_flag(&a, of_beat % rule->rest_steps == 0);
        put_real(&a, rule->dt_ms);
        put_real(&a, rule->per_dt);
        put_real(&a, rule->threshold_mV);
        put_real(&a, rule->fraction);
        put_real(&a, rule->slowest_mV_ms);
    } else {
        put_real(&a, (real)problem->dt_ms);
    }
    put_flag(&a, c->s != NULL);
    put_buffer(&a, d->s);
    put_buffer(&a, d->v[d->now]);
    put_buffer(&a, d->before);
    if (problem->record.all)
        put_record_arrays(d, &a);
    else
        put_buffer(&a, d->activation_ms);
    return launch(d, &a);
}

static mt_status take_step_on_device(device *d, size_t step, mt_status status)
{
    const size_t n_diffusing = d->host->problem->pde_steps;
    if (status == MT_OK) status = stimulate_on_device(d, step);
    if (status == MT_OK) status = react_on_device(d, step);
    status = spread_on_device(d, status);
    for (size_t p = 0; p < n_diffusing; p++) status = diffuse_on_device(d, p + 1 == n_diffusing, status);
    return status == MT_OK ? record_on_device(d, step) : status;
}

static mt_status advance_opencl(void *self, size_t first, size_t n)
{
    device *d = self;
    mt_status status = update_device(d);
    d->host_is_old = true;
    for (size_t step = first; step < first + n; step++) status = take_step_on_device(d, step, status);
    return status;
}

static mt_status turn_opencl(void *self, size_t steps_done, bool begins)
{
    device *d = self;
    if (begins) d->host->beat_first = steps_done;
    MT_TRY(update_device(d));
    d->host_is_old = true;
    arguments a = arguments_of(d, d->turn);
    put_real(&a, record_until(begins));
    put_buffer(&a, d->v[d->now]);
    put_record_arrays(d, &a);
    return launch(d, &a);
}

/* ---- reading and writing ---- */

static mt_status read_opencl(void *self, size_t array, double *values)
{
    device *d = self;
    const cpu *c = d->host;
    real *whole = array_of(c, array);
    twin twins[TWINS];
    const size_t n = list_twins(d, twins);
    /* one array alone; the states, which are read one after another, with all others */
    if (!whole) MT_TRY(update_host(d));
    for (size_t k = 0; d->host_is_old && k < n; k++)
        if (twins[k].host == whole) MT_TRY(update_one(&twins[k]));
    return host.read(d->host, array, values);
}

/* Reads n numbers of a buffer, at most n_picked, whose places are in d->places, to d->values. */
static mt_status pick_values(const device *d, size_t n, mt_opencl_buffer *buffer)
{
    arguments a = {.kernel = d->pick};
    MT_TRY(mt_opencl_write(d->place, 0, n * sizeof *d->places, d->places));
    put_number(&a, n);
    put_buffer(&a, d->place);
    put_buffer(&a, buffer);
    put_buffer(&a, d->picked);
    MT_TRY(a.status);
    MT_TRY(mt_opencl_launch(d->pick, n, d->shape.group));
    return mt_opencl_read(d->picked, 0, n * sizeof *d->values, d->values);
}

/* Returns the buffer of an array. */
static mt_opencl_buffer *buffer_of(const device *d, size_t array)
{
    const real *whole = array_of(d->host, array);
    twin twins[TWINS];
    const size_t n = list_twins(d, twins);
    for (size_t k = 0; whole && k < n; k++)
        if (twins[k].host == whole) return twins[k].device;
    return d->state;
}

/* Reads up to n_picked unknowns of an array, by their numbers in the mesh. */
static mt_status stream_some(device *d, size_t array, size_t n, const uint32_t *unknown, double *values)
{
    const cpu *c = d->host;
    const bool whole = array_of(c, array) != NULL;
    size_t n_own = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t k = c->local[unknown[i]];
        if (k == UINT32_MAX) continue;
        d->places[n_own++] =
            whole ? k
                  : mt_block_index(c->n, c->problem->model->n_states, k, array - mt_array_states(c->problem));
    }
    if (n_own == 0) return MT_OK;
    MT_TRY(pick_values(d, n_own, buffer_of(d, array)));
    for (size_t i = 0, own = 0; i < n; i++)
        if (c->local[unknown[i]] != UINT32_MAX) values[unknown[i]] = (double)d->values[own++];
    return MT_OK;
}

static mt_status stream_opencl(void *self, size_t array, size_t n, const uint32_t *unknown, double *values)
{
    device *d = self;
    if (!unknown) return read_opencl(self, array, values);
    MT_TRY(update_device(d));
    for (size_t i = 0; i < n; i += d->n_picked)
        MT_TRY(stream_some(d, array, n - i < d->n_picked ? n - i : d->n_picked, unknown + i, values));
    return MT_OK;
}

static mt_status connect_opencl(void *self, mt_arena *arena, size_t n, const uint32_t *unknown)
{
    MT_SCRATCH(scratch);
    device *d = self;
    const connected *own = &d->host->connected;
    uint64_t *place;
    MT_TRY(host.connect(d->host, arena, n, unknown));
    MT_ALLOC(arena, d->exchange, own->n);
    MT_ALLOC(scratch, place, own->n);
    for (size_t i = 0; i < own->n; i++) place[i] = own->element[i];
    MT_TRY(make_buffer(d, "coupled unknowns", own->n, sizeof *place, place, &d->connected));
    return make_buffer(d, "their voltages", own->n, sizeof *d->exchange, NULL, &d->exchanged);
}

/* Launches a kernel for the coupled unknowns, with their places and two further buffers. */
static mt_status launch_connected(
    const device *d, mt_opencl_kernel *kernel, mt_opencl_buffer *from, mt_opencl_buffer *to)
{
    arguments a = {.kernel = kernel};
    put_number(&a, d->host->connected.n);
    put_buffer(&a, d->connected);
    put_buffer(&a, from);
    put_buffer(&a, to);
    MT_TRY(a.status);
    return mt_opencl_launch(kernel, d->host->connected.n, d->shape.group);
}

static mt_status sense_opencl(void *self, double *v_mV)
{
    device *d = self;
    const connected *own = &d->host->connected;
    if (own->n == 0) return MT_OK;
    MT_TRY(update_device(d));
    MT_TRY(launch_connected(d, d->pick, d->v[d->now], d->exchanged));
    MT_TRY(mt_opencl_read(d->exchanged, 0, own->n * sizeof *d->exchange, d->exchange));
    for (size_t i = 0; i < own->n; i++) v_mV[own->position[i]] = (double)d->exchange[i];
    return MT_OK;
}

static mt_status charge_opencl(void *self, const double *v_mV)
{
    device *d = self;
    const connected *own = &d->host->connected;
    if (own->n == 0) return MT_OK;
    MT_TRY(update_device(d));
    for (size_t i = 0; i < own->n; i++) d->exchange[i] = (real)v_mV[own->position[i]];
    MT_TRY(mt_opencl_write(d->exchanged, 0, own->n * sizeof *d->exchange, d->exchange));
    MT_TRY(launch_connected(d, d->charge, d->exchanged, d->v[d->now]));
    d->host_is_old = true;
    return MT_OK;
}

static void write_opencl(void *self, size_t array, const double *values)
{
    device *d = self;
    if (!d->device_is_old && update_host(d) != MT_OK) return; /* the next step fails, too */
    host.write(d->host, array, values);
    d->device_is_old = true;
}

static void resume_opencl(void *self, size_t steps_done)
{
    const device *d = self;
    host.resume(d->host, steps_done);
}

/* ---- the check of the voltages ---- */

/* True if V is possible everywhere. */
static mt_status check_all(const device *d, bool *possible)
{
    const uint32_t none = 0;
    uint32_t any;
    arguments a = arguments_of(d, d->look);
    put_real(&a, MT_POSSIBLE_mV);
    put_buffer(&a, d->v[d->now]);
    put_buffer(&a, d->any);
    MT_TRY(mt_opencl_fill(d->any, 0, sizeof none, &none, sizeof none));
    MT_TRY(launch(d, &a));
    MT_TRY(mt_opencl_read(d->any, 0, sizeof any, &any));
    *possible = any == 0;
    return MT_OK;
}

/* Finds the highest V and the highest -V of a stimulus without delays. */
static mt_status find_extremes(const device *d, size_t stimulus, double *high_mV, double *low_mV)
{
    const own_stimulus *own = &d->host->stimulus[stimulus];
    *high_mV = *low_mV = -INFINITY;
    if (own->n == 0 || own->first) return MT_OK;
    for (size_t k = 0; k < own->n; k++) d->places[k] = own->element[k];
    MT_TRY(pick_values(d, own->n, d->v[d->now]));
    for (size_t k = 0; k < own->n; k++) {
        *high_mV = fmax(*high_mV, (double)d->values[k]);
        *low_mV = fmax(*low_mV, -(double)d->values[k]);
    }
    return MT_OK;
}

static bool survey_opencl(void *self, double *v_mV, double *extreme_mV)
{
    device *d = self;
    const size_t n = d->host->problem->n_stimuli;
    bool possible = false;
    (void)v_mV;
    if (update_device(d) != MT_OK || check_all(d, &possible) != MT_OK) return false;
    for (size_t s = 0; possible && s < n; s++)
        if (find_extremes(d, s, &extreme_mV[s], &extreme_mV[n + s]) != MT_OK) return false;
    return possible;
}

static void describe_opencl(void *self, mt_backend_device *described)
{
    const device *d = self;
    *described = d->described;
    described->bytes = mt_opencl_bytes(d->opencl);
}

mt_device_use mt_device_used(const void *self)
{
    const device *d = self;
    const mt_opencl_counts counts = mt_opencl_counted(d->opencl);
    return (mt_device_use){.buffer_bytes = mt_opencl_bytes(d->opencl),
        .row_bytes = d->row_bytes,
        .written_bytes = counts.written_bytes,
        .read_bytes = counts.read_bytes,
        .launches = counts.launches};
}

const mt_backend mt_backend_opencl = {
    .name = "opencl",
    .single = true,
    .first_part = first_part,
    .open = open_opencl,
    .advance = advance_opencl,
    .turn = turn_opencl,
    .read = read_opencl,
    .survey = survey_opencl,
    .stream = stream_opencl,
    .write = write_opencl,
    .resume = resume_opencl,
    .connect = connect_opencl,
    .sense = sense_opencl,
    .charge = charge_opencl,
    .describe = describe_opencl,
};
