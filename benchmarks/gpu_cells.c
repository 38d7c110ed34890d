/* Single kernels on an OpenCL device: a copy, the ionic models, the record. */
#define MT_LANES_ONE
#include "solver/kernels/lanes.h"

#include <math.h>
#include <stdio.h>

#include <omp.h>

#include "benchmarks/gpu.h"
#include "solver/cells/tabulated.h"
#include "solver/device/program.h"
#include "solver/kernels/block.h"
#include "solver/kernels/flushing.h"
#include "solver/kernels/multirate_equations.h"
#include "solver/record.h"

/* A period of multirate stepping, in which every cell is evaluated at least once. */
enum { STEPS = MT_MULTIRATE_MOST, CHUNK = 64 * MT_BLOCK };
static const double dt_ms = 0.02, tolerance_mV = 0.1;

/* ---- a copy ---- */

static const char copy_text[] =
    "kernel void copy(const ulong n, global const float4 *from, global float4 *to)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    if (i < n) to[i] = from[i];\n"
    "}\n";

typedef struct copying {
    mt_opencl *opencl;
    mt_opencl_kernel *kernel;
    size_t n;
} copying;

enum { COPIES = 8 };

static double take_copy(void *data)
{
    const copying *c = data;
    const double start = bench_wall_s();
    for (int k = 0; k < COPIES; k++) bench_must(mt_opencl_launch(c->kernel, c->n, 64));
    bench_must(mt_opencl_finish(c->opencl));
    return bench_wall_s() - start;
}

int gpu_add_copy(bench_list *list, mt_opencl *opencl)
{
    static copying c;
    const mt_device *device = mt_opencl_device(opencl);
    const char *text = copy_text;
    mt_opencl_program *program;
    mt_opencl_buffer *buffer[2];
    size_t bytes = (size_t)256 << 20;
    if (bytes > device->memory_bytes / 16) bytes = device->memory_bytes / 16;
    c = (copying){.opencl = opencl, .n = bytes / 16};
    bench_must(mt_opencl_program_make(opencl, "copy", 1, &text, "-cl-std=CL1.2", &program));
    bench_must(mt_opencl_kernel_make(program, "copy", &c.kernel));
    for (int k = 0; k < 2; k++) bench_must(mt_opencl_buffer_make(opencl, "copy", c.n * 16, NULL, &buffer[k]));
    bench_must(mt_opencl_set(c.kernel, 0, sizeof(uint64_t), &(uint64_t){c.n}));
    bench_must(mt_opencl_set_buffer(c.kernel, 1, buffer[0]));
    bench_must(mt_opencl_set_buffer(c.kernel, 2, buffer[1]));
    return bench_add(list,
        (bench_figure){
            .unit = "B/s", .take = take_copy, .data = &c, .rate = true, .items = COPIES * 32.0 * (double)c.n},
        "device: copy of %zu MiB", c.n * 16 >> 20);
}

/* ---- cells ---- */

typedef struct cells {
    const mt_cell_model *model;
    bool multirate;
    size_t n;
    float *constants, *v, *state, *paced[MT_PACED];
    mt_opencl *opencl;
    mt_opencl_kernel *kernel;
    mt_device_shape shape;
} cells;

static mt_multirate_step step_of(const cells *c, size_t step)
{
    return mt_cell_limited_step(c->model, &(const mt_multirate_step){dt_ms, tolerance_mV, step});
}

/* The rule of multirate stepping: arguments 2 to 4 of its kernel. */
static void set_rule(const cells *c, size_t step)
{
    const mt_multirate_step at = step_of(c, step);
    const multirate_rule rule = multirate_rule_of(&at);
    const real of[] = {rule.tolerance_mV, rule.half_tolerance_mV, rule.together};
    for (unsigned k = 0; k < 3; k++) bench_must(mt_opencl_set(c->kernel, 2 + k, sizeof of[k], &of[k]));
}

static double take_on_device(void *data)
{
    const cells *c = data;
    const double start = bench_wall_s();
    for (size_t step = 0; step < STEPS; step++) {
        if (c->multirate) set_rule(c, step);
        bench_must(mt_opencl_launch(c->kernel, (c->n + c->shape.lanes - 1) / c->shape.lanes, c->shape.group));
    }
    bench_must(mt_opencl_finish(c->opencl));
    return bench_wall_s() - start;
}

static void react(const cells *c, size_t at, size_t step)
{
    const size_t n = c->n - at < CHUNK ? c->n - at : CHUNK;
    float *v = c->v + at, *state = c->state + at * c->model->n_states;
    const mt_multirate_step rule = step_of(c, step);
    if (c->multirate)
        mt_cell_multirate_react_float(c->model, c->constants, 1, NULL, &rule, n, state,
            c->paced[MT_PACED_KEPT] + at, c->paced[MT_PACED_CHANGE] + at, c->paced[MT_PACED_SINCE] + at, v,
            v);
    else
        mt_cell_react_float(c->model, c->constants, 1, NULL, dt_ms, n, state, v, v);
}

static double take_on_host(void *data)
{
    const cells *c = data;
    const double start = bench_wall_s();
    for (size_t step = 0; step < STEPS; step++) {
#pragma omp parallel
        {
            const uint64_t before = begin_arithmetic();
#pragma omp for schedule(static)
            for (size_t at = 0; at < c->n; at += CHUNK) react(c, at, step);
            end_arithmetic(before);
        }
    }
    return bench_wall_s() - start;
}

/* Fills the host's arrays with cells at rest. */
static void make_host(mt_arena *arena, cells *c)
{
    const mt_cell_model *model = c->model;
    c->constants = bench_take(arena, model->n_constants, sizeof(float));
    c->v = bench_take(arena, c->n, sizeof(float));
    c->state = bench_take(arena, c->n * model->n_states, sizeof(float));
    for (int k = 0; k < MT_PACED; k++) c->paced[k] = bench_take(arena, c->n, sizeof(float));
    mt_cell_constants_float(model, model->variants, 1, c->constants);
    for (size_t cell = 0; cell < c->n; cell++) {
        c->v[cell] = (float)model->variants->v_mV;
        for (int k = 0; k < MT_PACED; k++) c->paced[k][cell] = (float)mt_paced_start[k];
        for (size_t k = 0; k < model->n_states; k++)
            c->state[mt_block_index(c->n, model->n_states, cell, k)] = (float)model->variants->states[k];
    }
}

static void append_bytes(const cells *c, unsigned *argument, size_t bytes, const void *data)
{
    mt_opencl_buffer *buffer;
    bench_must(mt_opencl_buffer_make(c->opencl, "cells", bytes, data, &buffer));
    bench_must(mt_opencl_set_buffer(c->kernel, (*argument)++, buffer));
}

/* Appends a buffer with a copy of n numbers to the arguments; an empty one if `data` is NULL. */
static void append(const cells *c, unsigned *argument, size_t n, const float *data)
{
    append_bytes(c, argument, data ? n * sizeof *data : 0, data);
}

/* Appends the tables of functions of V, and the table of the only variant. */
static void append_tables(const cells *c, unsigned *argument)
{
    const mt_tables *tables = c->model->tables;
    const size_t numbers =
        MT_TABLE_INTERVALS * MT_TABLE_COEFFICIENTS * MT_TABLE_STRIDE(c->model->n_functions);
    append(c, argument, numbers, tables ? tables->coefficient : NULL);
    append_bytes(c, argument, tables ? sizeof *tables->of : 0, tables ? tables->of : NULL);
}

static void append_flag(const cells *c, unsigned *argument)
{
    bench_must(mt_opencl_set(c->kernel, (*argument)++, sizeof(uint32_t), &(uint32_t){0}));
}

/* The kernel with its arguments, in the order of solver/device/steps.cl: one variant, without spreading. */
static void make_on_device(cells *c, mt_opencl_program *program)
{
    const float dt = (float)dt_ms;
    unsigned argument = c->multirate ? 5 : 2;
    bench_must(mt_opencl_kernel_make(program, c->multirate ? "react_multirate" : "react", &c->kernel));
    bench_must(mt_opencl_set(c->kernel, 0, sizeof(uint64_t), &(uint64_t){c->n}));
    bench_must(mt_opencl_set(c->kernel, 1, sizeof dt, &dt));
    append(c, &argument, c->model->n_constants, c->constants);
    append_flag(c, &argument);
    append(c, &argument, 0, NULL); /* variants */
    append_tables(c, &argument);
    append(c, &argument, c->n * c->model->n_states, c->state);
    append_flag(c, &argument);
    append(c, &argument, 0, NULL); /* the share that is spread, and its result */
    append(c, &argument, 0, NULL);
    for (int k = 0; c->multirate && k < MT_PACED; k++) append(c, &argument, c->n, c->paced[k]);
    append(c, &argument, c->n, c->v);
}

static mt_opencl_program *make_program(mt_opencl *opencl, const mt_cell_model *model)
{
    const char *text[MT_DEVICE_TEXTS];
    const mt_device *device = mt_opencl_device(opencl);
    const mt_device_shape shape = mt_device_shape_of(device, 0);
    char options[MT_DEVICE_OPTIONS];
    mt_opencl_program *program;
    MT_SCRATCH(scratch);
    bench_must(mt_device_program(scratch, model, text));
    mt_device_options(device, &shape, model->tables != NULL, options);
    bench_must(mt_opencl_program_make(opencl, model->name, MT_DEVICE_TEXTS, text, options, &program));
    return program;
}

/* Adds the cells of a model, with tables if it has them, on the host and on the device. */
static void add_way(bench_list *list, mt_arena *arena, mt_opencl *opencl, size_t n,
    const mt_cell_model *model, mt_opencl_program *program, bool multirate)
{
    const char *name = multirate ? "multirate at rest" : model->tables ? "uniform, tabulated" : "uniform";
    cells *c = bench_take(arena, 1, sizeof *c);
    *c = (cells){.model = model,
        .multirate = multirate,
        .n = n,
        .opencl = opencl,
        .shape = mt_device_shape_of(mt_opencl_device(opencl), 0)};
    make_host(arena, c);
    make_on_device(c, program);
    bench_figure f = {.unit = "element-steps/s", .data = c, .rate = true, .items = (double)STEPS * (double)n};
    f.take = take_on_host;
    f.baseline = bench_add(list, f, "cpu-single: %s, %s", model->name, name);
    f.take = take_on_device;
    (void)bench_add(list, f, "device: %s, %s", model->name, name);
}

static void add_model(
    bench_list *list, mt_arena *arena, mt_opencl *opencl, size_t n, const mt_cell_model *model)
{
    mt_opencl_program *program = make_program(opencl, model);
    const mt_cell_model *tabulated;
    double error;
    add_way(list, arena, opencl, n, model, program, false);
    add_way(list, arena, opencl, n, model, program, true);
    if (model->n_functions == 0) return;
    bench_must(mt_cell_tabulate(arena, model, model->variants, 1, dt_ms, false, &tabulated, &error));
    add_way(list, arena, opencl, n, tabulated, make_program(opencl, tabulated), false);
}

void gpu_add_cells(bench_list *list, mt_arena *arena, mt_opencl *opencl, size_t n)
{
    for (const mt_cell_model *const *model = mt_cell_models; *model; model++)
        add_model(list, arena, opencl, n, *model);
}

/* ---- the record ---- */

typedef struct recording {
    mt_opencl *opencl;
    mt_opencl_kernel *kernel;
    size_t n;
    mt_device_shape shape;
} recording;

static double take_record(void *data)
{
    const recording *r = data;
    const double start = bench_wall_s();
    for (size_t step = 0; step < STEPS; step++)
        bench_must(mt_opencl_launch(r->kernel, (r->n + r->shape.lanes - 1) / r->shape.lanes, r->shape.group));
    bench_must(mt_opencl_finish(r->opencl));
    return bench_wall_s() - start;
}

/* Appends a buffer of n equal numbers to the arguments; an empty one for n = 0. */
static void append_constant(mt_arena *arena, const recording *r, unsigned *argument, size_t n, double value)
{
    mt_opencl_buffer *buffer;
    float *values = bench_take(arena, n + 1, sizeof *values);
    for (size_t k = 0; k < n; k++) values[k] = (float)value;
    bench_must(
        mt_opencl_buffer_make(r->opencl, "records", n * sizeof *values, n > 0 ? values : NULL, &buffer));
    bench_must(mt_opencl_set_buffer(r->kernel, (*argument)++, buffer));
}

/* Sets the arguments up to the flag of spreading, in the order of solver/device/steps.cl. */
static void set_rule_of_record(const recording *r, bool all, unsigned *argument)
{
    const float at_step = 1, rule[] = {(float)dt_ms, (float)(1 / dt_ms), 0, 0.9F, MT_RECORD_UPSTROKE_LEAST};
    const uint32_t no = 0;
    bench_must(mt_opencl_set(r->kernel, (*argument)++, sizeof(uint64_t), &(uint64_t){r->n}));
    bench_must(mt_opencl_set(r->kernel, (*argument)++, sizeof at_step, &at_step));
    if (all) bench_must(mt_opencl_set(r->kernel, (*argument)++, sizeof no, &no));
    for (size_t k = 0; k < (all ? sizeof rule / sizeof *rule : 1); k++)
        bench_must(mt_opencl_set(r->kernel, (*argument)++, sizeof rule[k], &rule[k]));
    bench_must(mt_opencl_set(r->kernel, (*argument)++, sizeof no, &no));
}

static void add_record(
    bench_list *list, mt_arena *arena, recording *r, mt_opencl_program *program, bool all, int copy)
{
    static const int order[] = {MT_RECORDED_REST, MT_RECORDED_PEAK, MT_RECORDED_UPSTROKE,
        MT_RECORDED_REPOLARISATION, MT_RECORDED_LOW};
    const double rest_mV = mt_cell_models[0]->variants->v_mV;
    unsigned argument = 0;
    bench_must(mt_opencl_kernel_make(program, all ? "record_all" : "record_activation", &r->kernel));
    set_rule_of_record(r, all, &argument);
    append_constant(arena, r, &argument, 0, 0); /* without spreading */
    append_constant(arena, r, &argument, r->n, rest_mV);
    append_constant(arena, r, &argument, r->n, rest_mV);
    append_constant(arena, r, &argument, r->n, INFINITY);
    for (size_t k = 0; all && k < sizeof order / sizeof *order; k++)
        append_constant(arena, r, &argument, r->n, mt_recorded_start[order[k]]);
    /* reads V, V before, and to detect a change the peak and the low level; writes V before */
    (void)bench_add(list,
        (bench_figure){.unit = "element-steps/s",
            .take = take_record,
            .data = r,
            .rate = true,
            .items = (double)STEPS * (double)r->n,
            .stream = copy,
            .bytes = all ? 20 : 12},
        "device: record of %s", all ? "all quantities" : "activation");
}

void gpu_add_records(bench_list *list, mt_arena *arena, mt_opencl *opencl, size_t n, int copy)
{
    mt_opencl_program *program = make_program(opencl, mt_cell_models[0]);
    for (int all = 0; all < 2; all++) {
        recording *r = bench_take(arena, 1, sizeof *r);
        *r = (recording){.opencl = opencl, .n = n, .shape = mt_device_shape_of(mt_opencl_device(opencl), 0)};
        add_record(list, arena, r, program, all != 0, copy);
    }
}
