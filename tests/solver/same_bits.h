/* Runs of one problem on two backends, which must leave the same bits: in all arrays, and in the results of the time loop. */
#pragma once

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "solver/backends/backend.h"

typedef struct outcome {
    size_t n, n_arrays;
    double *array; /* [n_arrays][n] */
    mt_results results;
} outcome;

/* Returns the results with which a run starts: empty ones, or a copy of those at which it resumes. */
static inline mt_results results_from(mt_arena *arena, const mt_monodomain *problem, const outcome *start)
{
    mt_results r = {0};
    cr_assert_eq(mt_results_new(arena, problem, &r), MT_OK, "%s", mt_message());
    if (!start) return r;
    const size_t n = start->n;
    memcpy(r.peak_mV, start->results.peak_mV, problem->n_stimuli * sizeof *r.peak_mV);
    for (size_t b = 0; b < mt_record_beats(&problem->record); b++) {
        memcpy(r.beats[b].activation_ms, start->results.beats[b].activation_ms, n * sizeof(double));
        for (int k = 0; k < MT_RECORDED; k++)
            if (r.beats[b].recorded[k])
                memcpy(r.beats[b].recorded[k], start->results.beats[b].recorded[k], n * sizeof(double));
    }
    return r;
}

/* Writes all arrays to an open backend, which then resumes at a step. */
static inline void write_all(
    const mt_monodomain *problem, const mt_backend *backend, void *self, const outcome *start, size_t step)
{
    for (size_t a = 0; a < mt_arrays(problem); a++) backend->write(self, a, start->array + a * start->n);
    backend->resume(self, step);
}

/* Runs steps [first, end) on a backend: from rest, or from the arrays of another run. The outcome is in the arena. */
static inline outcome outcome_of(mt_arena *arena, const mt_monodomain *problem, const mt_backend *backend,
    const mt_layout *layout, const outcome *start, size_t first, size_t end)
{
    const size_t n = problem->diffusion->n_unknowns;
    outcome o = {n, mt_arrays(problem), NULL, results_from(arena, problem, start)};
    mt_arena own = {0};
    void *self = NULL;
    o.array = mt_arena_alloc(arena, n * o.n_arrays, sizeof *o.array);
    cr_assert_eq(backend->open(&own, problem, layout, &self), MT_OK, "%s", mt_message());
    if (start) write_all(problem, backend, self, start, first);
    cr_assert_eq(mt_backend_run(problem, backend, self, first, end, &o.results, NULL, NULL), MT_OK, "%s: %s",
        backend->name, mt_message());
    for (size_t a = 0; a < o.n_arrays; a++)
        cr_assert_eq(backend->read(self, a, o.array + a * n), MT_OK, "%s", mt_message());
    mt_arena_free(&own);
    return o;
}

static inline void expect_same_values(
    const double *a, const double *b, size_t n, const char *what, const char *name)
{
    for (size_t k = 0; k < n; k++)
        cr_assert(memcmp(&a[k], &b[k], sizeof *a) == 0, "%s: %s of unknown %zu is %.9g and %.9g", what, name,
            k, a[k], b[k]);
}

static inline void expect_same_outcome(
    const mt_monodomain *problem, const outcome *a, const outcome *b, const char *what)
{
    for (size_t k = 0; k < a->n_arrays; k++)
        expect_same_values(a->array + k * a->n, b->array + k * a->n, a->n, what, mt_array(problem, k).name);
    expect_same_values(
        a->results.peak_mV, b->results.peak_mV, problem->n_stimuli, what, "peak of a stimulus");
    cr_assert_eq(a->results.n_beats, b->results.n_beats, "%s", what);
    for (size_t beat = 0; beat < mt_record_beats(&problem->record); beat++) {
        const mt_records *x = &a->results.beats[beat], *y = &b->results.beats[beat];
        expect_same_values(x->activation_ms, y->activation_ms, a->n, what, "activation of a beat");
        for (int k = 0; k < MT_RECORDED; k++)
            if (x->recorded[k])
                expect_same_values(x->recorded[k], y->recorded[k], a->n, what, mt_recorded_quantity[k].name);
    }
    for (size_t k = 0; k < problem->n_stimuli; k++) {
        const mt_capture *x = &a->results.capture[k], *y = &b->results.capture[k];
        cr_assert(
            x->judged == y->judged && x->lost == y->lost && x->due == y->due, "%s: captures of %zu", what, k);
    }
}

/* Some unknowns were activated, so that equal bits are not those of a resting sheet. */
static inline void expect_front(const outcome *o, const char *what)
{
    size_t activated = 0;
    for (size_t k = 0; k < o->n; k++) activated += isfinite(o->results.beats[0].activation_ms[k]) != 0;
    cr_assert(activated > 0, "%s: nothing happened", what);
}

/* Runs steps [0, end) on the host and on a device, and compares. */
static inline void expect_bits_of_host(
    mt_arena *arena, const mt_monodomain *problem, const mt_layout *layout, size_t end, const char *what)
{
    const outcome on_host = outcome_of(arena, problem, &mt_backend_cpu_single, NULL, NULL, 0, end),
                  on_device = outcome_of(arena, problem, &mt_backend_opencl, layout, NULL, 0, end);
    expect_front(&on_host, what);
    expect_same_outcome(problem, &on_host, &on_device, what);
}

/* Sets three variants of the model: the first 32 unknowns have one of them, and the others change from one to the next. */
static inline void mix_variants(mt_arena *arena, mt_monodomain *problem)
{
    enum { KINDS = 3, ALIKE = 32 };
    static mt_cell_variant variant[KINDS];
    const mt_cell_model *model = problem->model;
    const size_t n = problem->diffusion->n_unknowns;
    uint16_t *of = mt_arena_alloc(arena, n, sizeof *of);
    for (size_t k = 0; k < n; k++) of[k] = k < ALIKE ? 2 : (uint16_t)(k * k % KINDS);
    for (size_t v = 0; v < KINDS; v++) {
        double *parameters = mt_arena_alloc(arena, model->n_parameters, sizeof *parameters),
               *states = mt_arena_alloc(arena, model->n_states, sizeof *states);
        for (size_t k = 0; k < model->n_parameters; k++)
            parameters[k] = model->variants[0].parameters[k] * (1 - 0.02 * (double)(v * (1 + k % 3)));
        for (size_t k = 0; k < model->n_states; k++)
            states[k] = model->variants[0].states[k] * (1 - 0.01 * (double)v);
        variant[v] = (mt_cell_variant){"other", parameters, model->variants[0].v_mV + (double)v, states};
    }
    problem->variants = variant;
    problem->n_variants = KINDS;
    problem->variant_of = of;
}
