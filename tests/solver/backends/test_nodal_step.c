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
#include "tests/solver/diffusion_ways.h"

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
static const double usual_mm[3] = {6, 5, 4};
static const double small_mm[3] = {4, 3, 2.5}; /* 378 vertices, of dense matrices */

static void make_block(const double size_mm[3], const mt_nodal_spreading *spreading)
{
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
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
    b.stimulus = (mt_stimulus){0, 1, 50 / 1.4, n_near, near, 0, 0, NULL, 0, 0, 0, 0};
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

static void make_spreading_block(void) { make_block(usual_mm, &usual); }
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
    double *factor; /* [n][n] of implicit steps */
    double added;   /* charge from the cells and the stimulus */
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

/* Fills the lower triangle of V (1 - step_ms L), which is symmetric and positive definite, and decomposes it by Cholesky's method. */
static void decompose(plain *p, double step_ms)
{
    const mt_nodal *nodal = b.diffusion.nodal;
    const size_t n = p->n;
    double *l = mt_arena_alloc(&b.arena, n * n, sizeof *l);
    for (size_t i = 0; i < n; i++) {
        l[n * i + i] = b.diffusion.volume_mm3[i];
        for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++) {
            const double coupling = step_ms * b.diffusion.volume_mm3[i] * nodal->rate[k];
            l[n * i + i] += coupling;
            if (nodal->column[k] < i) l[n * i + nodal->column[k]] = -coupling;
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = l[n * i + j];
            for (size_t k = 0; k < j; k++) sum -= l[n * i + k] * l[n * j + k];
            l[n * i + j] = i == j ? sqrt(sum) : sum / l[n * j + j];
        }
    p->factor = l;
}

/* Adds to v the x of (1 - theta dt L) x = dt L v, multiplied by the volumes. */
static void diffuse_by_dense_solution(plain *p)
{
    const mt_monodomain *problem = &b.problem;
    const size_t n = p->n;
    const double *l = p->factor;
    double *x = p->w;
    if (!l) {
        decompose(p, mt_diffusing_theta(problem->diffusing) * problem->dt_ms);
        l = p->factor;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = problem->dt_ms * b.diffusion.volume_mm3[i] * row_sum(b.diffusion.nodal->rate, p->v, i);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) x[i] -= l[n * i + k] * x[k];
        x[i] /= l[n * i + i];
    }
    for (size_t i = n; i-- > 0;) {
        x[i] /= l[n * i + i];
        for (size_t k = 0; k < i; k++) x[k] -= l[n * i + k] * x[i];
    }
    for (size_t i = 0; i < n; i++) p->v[i] += x[i];
}

static void diffuse_by_plain_loops(plain *p)
{
    const mt_monodomain *problem = &b.problem;
    const double dt_ms = problem->dt_ms / (double)problem->pde_steps;
    for (size_t s = 0; s < problem->pde_steps; s++) {
        for (size_t i = 0; i < p->n; i++)
            p->w[i] = p->v[i] + dt_ms * row_sum(b.diffusion.nodal->rate, p->v, i);
        memcpy(p->v, p->w, p->n * sizeof *p->v);
    }
}

/* Returns a of solver/monodomain.h. */
static double compensation(void)
{
    const mt_monodomain *problem = &b.problem;
    if (problem->splitting == MT_SPLITTING_GODUNOV) return 0;
    if (problem->diffusing == MT_DIFFUSING_EXPLICIT) return (1 - 1 / (double)problem->pde_steps) / 2;
    return problem->diffusing == MT_DIFFUSING_EULER ? 1 : 0.5;
}

static void step_plain(plain *p, size_t step)
{
    const mt_monodomain *problem = &b.problem;
    const mt_nodal *nodal = b.diffusion.nodal;
    const double a = compensation(), start = charge(p->v);
    double *d = p->before;
    for (size_t k = 0; mt_stimulus_is_on(&b.stimulus, problem->dt_ms, step) && k < b.stimulus.n_elements; k++)
        p->v[b.stimulus.element[k]] += problem->dt_ms * b.stimulus.rise_mV_ms;
    memcpy(p->before, p->v, p->n * sizeof *p->v);
    react_plain(p, step);
    p->added += charge(p->v) - start;
    for (size_t i = 0; i < p->n; i++) d[i] = p->v[i] - p->before[i];
    for (size_t i = 0; i < p->n; i++)
        p->v[i] += (nodal->spread ? row_sum(nodal->spread, d, i) : 0) + a * d[i];
    if (problem->diffusing == MT_DIFFUSING_EXPLICIT)
        diffuse_by_plain_loops(p);
    else
        diffuse_by_dense_solution(p);
    for (size_t i = 0; i < p->n; i++) p->v[i] -= a * d[i];
}

/* Runs both, and compares the voltages. 150 steps have fewer than 1000 roundings in a row, of some 1e-16 of 100 mV, and the upstroke
 * amplifies them less than ten times. In implicit steps the residual replaces the roundings. */
static void compare_with_plain_loops(plain *p)
{
    const double apart_mV =
        b.problem.diffusing == MT_DIFFUSING_EXPLICIT ? 1e-12 * 100 : 1000 * b.problem.residual_mV;
    double least = INFINITY, most = -INFINITY;
    begin_plain(p);
    for (size_t step = 0; step < STEPS; step++) step_plain(p, step);
    run_on(&mt_backend_cpu, STEPS, MT_ARRAY_V, b.v);
    for (size_t i = 0; i < p->n; i++) {
        cr_assert_float_eq(b.v[i], p->v[i], apart_mV, "vertex %zu: %.17g, %.17g", i, b.v[i], p->v[i]);
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
    make_block(usual_mm, NULL);
    compare_with_plain_loops(&p);
}

Test(nodal_step, a_multirate_step_spreads_whatever_the_reaction_changed)
{
    plain p;
    b.problem.stepping = MT_STEPPING_MULTIRATE;
    compare_with_plain_loops(&p);
}

/* With and without spreading, with and without the compensated splitting. */
Test(nodal_step, an_implicit_step_agrees_with_the_dense_solution_of_its_equation)
{
    for (int kind = 0; kind < 4; kind++) {
        plain p;
        free_block();
        make_block(small_mm, kind & 1 ? NULL : &usual);
        set_way(&b.problem, kind & 2 ? 2 : 3, 1, 1e-10);
        if (kind == 1 || kind == 2) b.problem.splitting = MT_SPLITTING_GODUNOV;
        compare_with_plain_loops(&p);
    }
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
    const size_t pde_steps = b.problem.pde_steps;
    for (size_t k = 0; k < 2 * WAYS; k++) {
        const mt_backend *backend = backends[k % 2];
        set_way(&b.problem, k / 2, pde_steps, 1e-4);
        omp_set_num_threads(1);
        run_on(backend, STEPS, MT_ARRAY_V, b.v);
        omp_set_num_threads(3);
        run_on(backend, STEPS, MT_ARRAY_V, other);
        cr_expect_arr_eq(b.v, other, b.diffusion.n_unknowns * sizeof *other, "%s, %s", backend->name,
            diffusion_ways[k / 2].name);
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

/* Without the share a, which is added and subtracted again. In all ways. */
Test(nodal_step, a_uniform_reaction_is_that_of_a_single_cell_to_the_bit)
{
    const mt_backend *backends[] = {&mt_backend_cpu, &mt_backend_cpu_single};
    const size_t n = b.diffusion.n_unknowns;
    uint32_t *all = mt_arena_alloc(&b.arena, n, sizeof *all);
    for (size_t i = 0; i < n; i++) all[i] = (uint32_t)i;
    b.stimulus.n_elements = n, b.stimulus.element = all;
    b.problem.splitting = MT_SPLITTING_GODUNOV;
    for (size_t k = 0; k < 2 * WAYS; k++) {
        const mt_backend *backend = backends[k % 2];
        const double expected = single_cell(k % 2 == 1);
        cr_assert(expected > 0, "%g mV: not excited", expected);
        set_way(&b.problem, k / 2, 2, 1e-4);
        run_on(backend, STEPS, MT_ARRAY_V, b.v);
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(b.v[i], expected, "%s, %s, vertex %zu: %.17g, not %.17g", backend->name,
                diffusion_ways[k / 2].name, i, b.v[i], expected);
    }
}

/* Returns the largest difference between both precisions after some steps, in a way. */
static double rounding_mV(size_t way, size_t pde_steps, size_t n_steps)
{
    double *single = mt_arena_alloc(&b.arena, b.diffusion.n_unknowns, sizeof *single), most = 0;
    set_way(&b.problem, way, pde_steps, 1e-4);
    run_on(&mt_backend_cpu, n_steps, MT_ARRAY_V, b.v);
    run_on(&mt_backend_cpu_single, n_steps, MT_ARRAY_V, single);
    for (size_t i = 0; i < b.diffusion.n_unknowns; i++) most = fmax(most, fabs(b.v[i] - single[i]));
    return most;
}

Test(nodal_step, single_precision_agrees_with_double)
{
    const size_t pde_steps = b.problem.pde_steps;
    for (size_t way = 0; way < WAYS; way++) {
        const double apart_mV = rounding_mV(way, pde_steps, STEPS);
        cr_expect(apart_mV > 0 && apart_mV < 0.05, "%s: %g mV", diffusion_ways[way].name, apart_mV);
    }
}

/* Rounding errors of 64 diffusion steps per time step delay the front. With double words those of the ionic model remain. */
Test(nodal_step, double_words_are_much_closer_to_double_precision_with_many_diffusion_steps)
{
    const double single = rounding_mV(0, 256, 100), words = rounding_mV(WORDS_WAY, 256, 100);
    cr_expect_lt(words, single / 10, "%g and %g mV", words, single);
}

/* The low parts end with the time step: a run in which V is read and written after each step is the same. */
Test(nodal_step, double_words_have_no_low_parts_between_time_steps)
{
    mt_arena arena = {0};
    void *self = NULL, *again = NULL;
    double *other = mt_arena_alloc(&b.arena, b.diffusion.n_unknowns, sizeof *other);
    const mt_backend *backend = &mt_backend_cpu_single;
    set_way(&b.problem, WORDS_WAY, 3, 0);
    cr_assert_eq(backend->open(&arena, &b.problem, NULL, &self), MT_OK, "%s", mt_message());
    cr_assert_eq(backend->open(&arena, &b.problem, NULL, &again), MT_OK, "%s", mt_message());
    cr_assert_eq(backend->advance(self, 0, 50), MT_OK);
    for (size_t array = 0; array < mt_arrays(&b.problem); array++) {
        backend->read(self, array, b.v);
        backend->write(again, array, b.v);
    }
    backend->resume(again, 50);
    cr_assert_eq(backend->advance(self, 50, 50), MT_OK);
    cr_assert_eq(backend->advance(again, 50, 50), MT_OK);
    backend->read(self, MT_ARRAY_V, b.v);
    backend->read(again, MT_ARRAY_V, other);
    cr_expect_arr_eq(b.v, other, b.diffusion.n_unknowns * sizeof *other);
    mt_arena_free(&arena);
}

/* ---- refusals ---- */

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
