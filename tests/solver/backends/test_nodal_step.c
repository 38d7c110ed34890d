/* The time step of voltages at the vertices, on the backends of the host. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "mesh/make/slab.h"
#include "ipu/run/engine.h"
#include "solver/backends/backend.h"
#include "solver/diffusion/nodal.h"
#include "solver/kernels/block.h"

enum { STEPS = 150 };

typedef struct tissue_block {
    mt_arena arena;
    mt_mesh mesh;
    mt_diffusion diffusion;
    mt_stimulus stimulus;
    mt_monodomain problem;
    double *v; /* [n] of the backend */
} tissue_block;

static tissue_block b;

/* 1287 vertices: several chunks of the backend, and a last block of 7. Those near a corner are stimulated for 1 ms. */
static void make_block(const mt_nodal_spreading *spreading)
{
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    const double size_mm[3] = {6, 5, 4};
    b = (tissue_block){0};
    cr_assert_eq(mt_slab_make(&b.arena, size_mm, 0.5, &b.mesh), MT_OK);
    cr_assert_eq(
        mt_nodal_diffusion_make(&b.arena, &b.mesh, &tissues, spreading, &(mt_watch){0}, &b.diffusion), MT_OK,
        "%s", mt_message());
    const size_t n = b.diffusion.n_unknowns;
    uint32_t *near = mt_arena_alloc(&b.arena, n, sizeof *near);
    size_t n_near = 0;
    for (size_t i = 0; i < n; i++) {
        const double *x = b.mesh.xyz_mm + 3 * i;
        if (x[0] < 1.7 && x[1] < 1.7 && x[2] < 1.7) near[n_near++] = (uint32_t)i;
    }
    b.stimulus = (mt_stimulus){0, 1, 50 / 1.4, n_near, near, 0, 0};
    b.problem = (mt_monodomain){.diffusion = &b.diffusion,
        .model = mt_cell_models[0],
        .dt_ms = 0.02,
        .pde_steps = 2 * mt_monodomain_pde_steps(&b.diffusion, 0.02),
        .splitting = MT_SPLITTING_COMPENSATED,
        .tolerance_mV = 0.1,
        .n_stimuli = 1,
        .stimulus = &b.stimulus,
        .mesh = &b.mesh};
    b.v = mt_arena_alloc(&b.arena, n, sizeof *b.v);
}

static const mt_nodal_spreading usual = {1, &mt_nodal_law_default, NULL};

static void make_spreading_block(void) { make_block(&usual); }
static void free_block(void) { mt_arena_free(&b.arena); }

TestSuite(nodal_step, .init = make_spreading_block, .fini = free_block);

/* Runs steps from rest and reads an array. */
static void run_on(const mt_backend *backend, size_t n_steps, size_t array, double *values)
{
    mt_arena arena = {0};
    void *self = NULL;
    cr_assert_eq(backend->open(&arena, &b.problem, NULL, &self), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_backend_run(&b.problem, backend, self, 0, n_steps, NULL, NULL, NULL), MT_OK, "%s", mt_message());
    backend->read(self, array, values);
    mt_arena_free(&arena);
}

/* ---- the same step by plain loops ---- */

typedef struct plain {
    size_t n;
    double *v, *before, *w, *state, *constants, *paced[MT_PACED];
    double added; /* charge from the cells and the stimulus */
} plain;

static double charge(const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < b.diffusion.n_unknowns; i++) sum += b.diffusion.volume_mm3[i] * v[i];
    return sum;
}

static void begin_plain(plain *p)
{
    const mt_cell_model *model = b.problem.model;
    const size_t n = b.diffusion.n_unknowns;
    *p = (plain){.n = n};
    p->v = mt_arena_alloc(&b.arena, n, sizeof *p->v);
    p->before = mt_arena_alloc(&b.arena, n, sizeof *p->before);
    p->w = mt_arena_alloc(&b.arena, n, sizeof *p->w);
    p->state = mt_arena_alloc(&b.arena, n * model->n_states, sizeof *p->state);
    p->constants = mt_arena_alloc(&b.arena, model->n_constants, sizeof *p->constants);
    mt_cell_constants_double(model, model->variants, 1, p->constants);
    for (size_t i = 0; i < n; i++) {
        p->v[i] = model->variants[0].v_mV;
        for (size_t k = 0; k < model->n_states; k++)
            p->state[mt_block_index(n, model->n_states, i, k)] = model->variants[0].states[k];
    }
    for (int k = 0; k < MT_PACED; k++) {
        p->paced[k] = mt_arena_alloc(&b.arena, n, sizeof *p->paced[k]);
        for (size_t i = 0; i < n; i++) p->paced[k][i] = mt_paced_start[k];
    }
}

static void react_plain(plain *p, size_t step)
{
    const mt_monodomain *problem = &b.problem;
    const mt_multirate_step at = {problem->dt_ms, problem->tolerance_mV, step};
    if (problem->stepping == MT_STEPPING_UNIFORM)
        mt_cell_react_double(
            problem->model, p->constants, 1, NULL, problem->dt_ms, p->n, p->state, p->v, p->v);
    else
        mt_cell_multirate_react_double(problem->model, p->constants, 1, NULL, &at, p->n, p->state,
            p->paced[MT_PACED_KEPT], p->paced[MT_PACED_CHANGE], p->paced[MT_PACED_SINCE], p->v, p->v);
}

/* Returns the sum of value_ij (x_j - x_i) of a row. */
static double row_sum(const double *value, const double *x, size_t i)
{
    const mt_nodal *nodal = b.diffusion.nodal;
    double sum = 0;
    for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++)
        sum += value[k] * (x[nodal->column[k]] - x[i]);
    return sum;
}

static void step_plain(plain *p, size_t step)
{
    const mt_monodomain *problem = &b.problem;
    const mt_nodal *nodal = b.diffusion.nodal;
    const double a = mt_splitting_compensation(problem->splitting, problem->pde_steps), start = charge(p->v);
    double *d = p->before;
    for (size_t k = 0; mt_stimulus_is_on(&b.stimulus, problem->dt_ms, step) && k < b.stimulus.n_elements; k++)
        p->v[b.stimulus.element[k]] += problem->dt_ms * b.stimulus.rise_mV_ms;
    memcpy(p->before, p->v, p->n * sizeof *p->v);
    react_plain(p, step);
    p->added += charge(p->v) - start;
    for (size_t i = 0; i < p->n; i++) d[i] = p->v[i] - p->before[i];
    for (size_t i = 0; i < p->n; i++)
        p->v[i] += (nodal->spread ? row_sum(nodal->spread, d, i) : 0) + a * d[i];
    for (size_t s = 0; s < problem->pde_steps; s++) {
        const double dt_ms = problem->dt_ms / (double)problem->pde_steps;
        for (size_t i = 0; i < p->n; i++) p->w[i] = p->v[i] + dt_ms * row_sum(nodal->rate, p->v, i);
        memcpy(p->v, p->w, p->n * sizeof *p->v);
    }
    for (size_t i = 0; i < p->n; i++) p->v[i] -= a * d[i];
}

/* Runs both, and compares the voltages. 150 steps have fewer than 1000 roundings in a row, of some 1e-16 of 100 mV, and the upstroke
 * amplifies them less than ten times. */
static void compare_with_plain_loops(plain *p)
{
    double least = INFINITY, most = -INFINITY;
    begin_plain(p);
    for (size_t step = 0; step < STEPS; step++) step_plain(p, step);
    run_on(&mt_backend_cpu, STEPS, MT_ARRAY_V, b.v);
    for (size_t i = 0; i < p->n; i++) {
        cr_assert_float_eq(b.v[i], p->v[i], 1e-12 * 100, "vertex %zu: %.17g, %.17g", i, b.v[i], p->v[i]);
        least = fmin(least, b.v[i]), most = fmax(most, b.v[i]);
    }
    cr_assert(least < -80 && most > 10, "no front: %g to %g mV", least, most);
}

Test(nodal_step, a_step_agrees_with_plain_loops_over_the_rows)
{
    plain p;
    compare_with_plain_loops(&p);
}

Test(nodal_step, a_step_without_spreading_agrees_with_plain_loops)
{
    plain p;
    free_block();
    make_block(NULL);
    compare_with_plain_loops(&p);
}

Test(nodal_step, a_multirate_step_spreads_whatever_the_reaction_changed)
{
    plain p;
    b.problem.stepping = MT_STEPPING_MULTIRATE;
    compare_with_plain_loops(&p);
}

/* The sums of V_i v_i before and after the diffusion and the spreading differ by roundings. */
Test(nodal_step, diffusion_and_spreading_conserve_the_charge)
{
    plain p;
    double size = 0;
    compare_with_plain_loops(&p);
    const double rest = b.problem.model->variants[0].v_mV;
    for (size_t i = 0; i < p.n; i++) size += b.diffusion.volume_mm3[i];
    const double found = charge(b.v), expected = size * rest + p.added;
    cr_expect(p.added > size, "the cells added only %g", p.added);
    cr_expect_float_eq(found, expected, 1e-11 * size, "%.17g, not %.17g", found, expected);
}

Test(nodal_step, threads_change_no_bit)
{
    double *other = mt_arena_alloc(&b.arena, b.diffusion.n_unknowns, sizeof *other);
    const mt_backend *backends[] = {&mt_backend_cpu, &mt_backend_cpu_single};
    for (size_t k = 0; k < 2; k++) {
        omp_set_num_threads(1);
        run_on(backends[k], STEPS, MT_ARRAY_V, b.v);
        omp_set_num_threads(2);
        run_on(backends[k], STEPS, MT_ARRAY_V, other);
        cr_expect_arr_eq(b.v, other, b.diffusion.n_unknowns * sizeof *other, "%s", backends[k]->name);
    }
}

/* Steps one cell without tissue; returns its V. */
static double single_cell(bool single)
{
    const mt_cell_model *model = b.problem.model;
    const mt_cell_variant *variant = model->variants;
    double *state = mt_arena_alloc(&b.arena, model->n_states, sizeof *state), v = variant->v_mV;
    double *constants = mt_arena_alloc(&b.arena, model->n_constants, sizeof *constants);
    float *state_f = mt_arena_alloc(&b.arena, model->n_states, sizeof *state_f), v_f = (float)v;
    float *constants_f = mt_arena_alloc(&b.arena, model->n_constants, sizeof *constants_f);
    mt_cell_constants_double(model, variant, 1, constants);
    mt_cell_constants_float(model, variant, 1, constants_f);
    for (size_t k = 0; k < model->n_states; k++) state_f[k] = (float)(state[k] = variant->states[k]);
    for (size_t step = 0; step < STEPS; step++) {
        const double dt_ms = b.problem.dt_ms, rise_mV = dt_ms * b.stimulus.rise_mV_ms;
        const bool on = mt_stimulus_is_on(&b.stimulus, dt_ms, step);
        v += on ? rise_mV : 0, v_f += on ? (float)rise_mV : 0;
        mt_cell_react_double(model, constants, 1, NULL, dt_ms, 1, state, &v, &v);
        const uint64_t setting = ipu_begin_flushing();
        mt_cell_react_float(model, constants_f, 1, NULL, dt_ms, 1, state_f, &v_f, &v_f);
        ipu_end_flushing(setting);
    }
    return single ? (double)v_f : v;
}

/* Without the share a, which is added and subtracted again. */
Test(nodal_step, a_uniform_reaction_is_that_of_a_single_cell_to_the_bit)
{
    const mt_backend *backends[] = {&mt_backend_cpu, &mt_backend_cpu_single};
    const size_t n = b.diffusion.n_unknowns;
    uint32_t *all = mt_arena_alloc(&b.arena, n, sizeof *all);
    for (size_t i = 0; i < n; i++) all[i] = (uint32_t)i;
    b.stimulus.n_elements = n, b.stimulus.element = all;
    b.problem.splitting = MT_SPLITTING_GODUNOV;
    for (int k = 0; k < 2; k++) {
        const double expected = single_cell(k == 1);
        cr_assert(expected > 0, "%g mV: not excited", expected);
        run_on(backends[k], STEPS, MT_ARRAY_V, b.v);
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(
                b.v[i], expected, "%s, vertex %zu: %.17g, not %.17g", backends[k]->name, i, b.v[i], expected);
    }
}

Test(nodal_step, single_precision_agrees_with_double)
{
    double *single = mt_arena_alloc(&b.arena, b.diffusion.n_unknowns, sizeof *single), most = 0;
    run_on(&mt_backend_cpu, STEPS, MT_ARRAY_V, b.v);
    run_on(&mt_backend_cpu_single, STEPS, MT_ARRAY_V, single);
    for (size_t i = 0; i < b.diffusion.n_unknowns; i++) most = fmax(most, fabs(b.v[i] - single[i]));
    cr_expect(most > 0 && most < 0.05, "%g mV", most);
}

/* ---- refusals ---- */

static void expect_refused(const mt_backend *backend, const mt_layout *layout, const char *words)
{
    mt_arena arena = {0};
    void *self = NULL;
    cr_expect_eq(backend->open(&arena, &b.problem, layout, &self), MT_INPUT, "%s", words);
    cr_expect(strstr(mt_message(), words) && strstr(mt_message(), "allowed"), "%s", mt_message());
    mt_arena_free(&arena);
}

Test(nodal_step, implicit_steps_are_refused)
{
    b.problem.diffusing = MT_DIFFUSING_CRANK_NICOLSON;
    b.problem.residual_mV = 1e-6;
    expect_refused(&mt_backend_cpu, NULL, "implicit");
    expect_refused(&mt_backend_cpu_single, NULL, "implicit");
}

Test(nodal_step, double_words_are_refused_in_single_precision_and_ignored_in_double)
{
    b.problem.accumulation = MT_ACCUMULATION_DOUBLE_WORD;
    expect_refused(&mt_backend_cpu_single, NULL, "double-word");
    run_on(&mt_backend_cpu, 1, MT_ARRAY_V, b.v);
}

Test(nodal_step, an_impossible_voltage_is_reported_with_its_vertex)
{
    mt_arena arena = {0};
    void *self = NULL;
    char place[64];
    const double *x = b.mesh.xyz_mm + 3 * (size_t)b.stimulus.element[0];
    b.stimulus.rise_mV_ms = 1e5;
    cr_assert_eq(mt_backend_cpu.open(&arena, &b.problem, NULL, &self), MT_OK, "%s", mt_message());
    cr_expect_eq(mt_backend_run(&b.problem, &mt_backend_cpu, self, 0, 10, NULL, NULL, NULL), MT_NUMERICS);
    (void)snprintf(
        place, sizeof place, "vertex %u at [%.4g, %.4g, %.4g]", b.stimulus.element[0], x[0], x[1], x[2]);
    cr_expect(strstr(mt_message(), place), "%s, not %s", mt_message(), place);
    mt_arena_free(&arena);
}
