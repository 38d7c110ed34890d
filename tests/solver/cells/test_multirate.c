/* Multirate stepping of single cells: the times of evaluations, and the loss of accuracy. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/cells/model.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/kernels/block.h"

enum { N = 37, STATES_MOST = 64 }; /* two full blocks and a partial one */

/* The state of N cells in single and in double precision. */
typedef struct cells {
    const mt_cell_model *model;
    float v[N], kept[N], change[N], since[N], state[N * STATES_MOST],
        constants[MT_CELL_VARIANTS * MT_CELL_CONSTANTS];
    double v_double[N], kept_double[N], change_double[N], since_double[N], state_double[N * STATES_MOST],
        constants_double[MT_CELL_VARIANTS * MT_CELL_CONSTANTS];
    uint16_t of[N];
} cells;

/* Starts cells of all variants, some at rest, some well above it. */
static void begin(cells *c, const mt_cell_model *model)
{
    *c = (cells){.model = model};
    mt_cell_constants_float(model, model->variants, model->n_variants, c->constants);
    mt_cell_constants_double(model, model->variants, model->n_variants, c->constants_double);
    for (size_t k = 0; k < N; k++) {
        const mt_cell_variant *variant = &model->variants[k % model->n_variants];
        c->of[k] = (uint16_t)(k % model->n_variants);
        c->v_double[k] = variant->v_mV + (k % 3 ? 0 : 2.5 * (double)k);
        c->v[k] = (float)c->v_double[k];
        c->kept[k] = INFINITY, c->kept_double[k] = INFINITY;
        for (size_t s = 0; s < model->n_states; s++) {
            const size_t at = mt_block_index(N, model->n_states, k, s);
            c->state_double[at] = variant->states[s];
            c->state[at] = (float)variant->states[s];
        }
    }
}

static void multirate(cells *c, double tolerance_mV, size_t step)
{
    const mt_multirate_step at = {0.02, tolerance_mV, step};
    const size_t n_variants = c->model->n_variants;
    mt_cell_multirate_react_float(c->model, c->constants, n_variants, c->of, &at, N, c->state, c->kept,
        c->change, c->since, c->v, c->v);
    mt_cell_multirate_react_double(c->model, c->constants_double, n_variants, c->of, &at, N, c->state_double,
        c->kept_double, c->change_double, c->since_double, c->v_double, c->v_double);
}

static void uniform(cells *c)
{
    const size_t n_variants = c->model->n_variants;
    mt_cell_react_float(c->model, c->constants, n_variants, c->of, 0.02, N, c->state, c->v, c->v);
    mt_cell_react_double(
        c->model, c->constants_double, n_variants, c->of, 0.02, N, c->state_double, c->v_double, c->v_double);
}

static void expect_same(const cells *a, const cells *b)
{
    const size_t n = N * a->model->n_states;
    cr_assert_arr_eq(a->v, b->v, sizeof a->v, "%s", a->model->name);
    cr_assert_arr_eq(a->v_double, b->v_double, sizeof a->v_double, "%s", a->model->name);
    cr_assert_arr_eq(a->state, b->state, n * sizeof *a->state, "%s", a->model->name);
    cr_assert_arr_eq(a->state_double, b->state_double, n * sizeof *a->state_double, "%s", a->model->name);
}

Test(multirate, a_tolerance_of_0_is_uniform_stepping_to_the_bit)
{
    static cells a, b;
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++) {
        begin(&a, *m), begin(&b, *m);
        for (size_t step = 0; step < 100; step++) multirate(&a, 0, step), uniform(&b);
        expect_same(&a, &b);
    }
}

Test(multirate, multirate_stepping_is_bit_identical_on_every_instruction_set)
{
    static cells first, other;
    const mt_kernels *all[MT_ISAS];
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        for (size_t k = 0, n = mt_kernels_all(all); k < n; k++) {
            cells *c = k == 0 ? &first : &other;
            cr_assert_eq(mt_kernels_choose(all[k]->isa), MT_OK);
            begin(c, *m);
            for (size_t step = 0; step < 200; step++) multirate(c, 0.1, step);
            expect_same(&first, c);
            cr_assert_arr_eq(first.since, c->since, sizeof c->since, "%s", all[k]->isa);
        }
    cr_assert_eq(mt_kernels_choose(NULL), MT_OK);
}

/* The rule again, for one cell. */
static bool is_due(
    double v, double kept, double change, double since, double tolerance, size_t step, size_t most)
{
    size_t a = 1;
    while (a < most && (step + 1) % (2 * a) == 0) a *= 2;
    const double strain = fmax(fabs(v - kept), 10 * fabs(v - (kept + since * change)));
    return a == most || strain > tolerance || (strain > tolerance / 2 && since <= (double)a);
}

/* A cell with a growing current from neighbouring tissue: from step 400 on the increase of V per step grows by 0.0004 mV each step. */
Test(multirate, a_cell_is_evaluated_when_the_rule_requires_it)
{
    enum { STEPS = 1000 };
    static cells c;
    size_t evaluated = 0, early = 0;
    begin(&c, &*mt_cell_models[0]);
    for (size_t step = 0; step < STEPS; step++) {
        const double v = c.v_double[1], kept = c.kept_double[1], change = c.change_double[1],
                     since = c.since_double[1] + 1;
        const bool due = is_due(v, kept, change, since, 0.1, step, 16);
        multirate(&c, 0.1, step);
        cr_assert_eq(c.since_double[1], due ? 0 : since, "step %zu", step);
        cr_assert_eq(c.v_double[1], v + c.change_double[1], "step %zu", step);
        cr_assert_eq(c.kept_double[1], due ? v : kept);
        evaluated += due;
        early += due && (step + 1) % 16 != 0;
        if (step > 400) c.v_double[1] += 0.0004 * (double)(step - 400);
    }
    cr_expect(early > 100 && evaluated < STEPS * 3 / 4, "%zu, %zu", early, evaluated);
}

/* One beat of a cell: the number of steps with an evaluation, the activation time, and the action potential duration. */
typedef struct beat {
    size_t evaluated;
    double activation_ms, apd_ms;
} beat;

static beat beat_of(const mt_cell_model *model, size_t variant, double tolerance_mV)
{
    const double dt_ms = 0.02;
    double constants[MT_CELL_CONSTANTS], state[STATES_MOST], kept = INFINITY, change = 0, since = 0,
                                                             v = model->variants[variant].v_mV, peak = v;
    const double rest = v;
    beat b = {0, INFINITY, INFINITY};
    mt_cell_constants_double(model, &model->variants[variant], 1, constants);
    memcpy(state, model->variants[variant].states, model->n_states * sizeof *state);
    for (size_t step = 0; step < 25000 && isinf(b.apd_ms); step++) {
        const double before = v, now_ms = (double)step * dt_ms;
        const mt_multirate_step at = {dt_ms, tolerance_mV, step};
        if (step >= 50 && step < 150) v += 20 * dt_ms;
        mt_cell_multirate_react_double(
            model, constants, 1, NULL, &at, 1, state, &kept, &change, &since, &v, &v);
        b.evaluated += since == 0;
        if (isinf(b.activation_ms) && before < 0 && v >= 0)
            b.activation_ms = now_ms + dt_ms * before / (before - v);
        peak = fmax(peak, v);
        const double end = peak - 0.9 * (peak - rest);
        if (isfinite(b.activation_ms) && before >= end && v < end)
            b.apd_ms = now_ms + dt_ms * (before - end) / (before - v) - b.activation_ms;
    }
    return b;
}

/* The error is of first order in the tolerance: at 0.1 mV durations differ by less than two of the longest intervals between
 * evaluations, 0.32 ms. */
/* With a tolerance that no cell exceeds: 0.1 ms allow 4 steps of 0.02 ms, 0.03 ms only one. Without a limit there are 16. */
Test(multirate, a_model_with_a_longest_interval_is_evaluated_at_least_that_often)
{
    static cells c;
    static const struct {
        double interval_max_ms, most;
    } limits[] = {{0, 16}, {0.1, 4}, {0.03, 1}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        mt_cell_model model = *mt_cell_models[0];
        double longest[2] = {0};
        model.interval_max_ms = limits[i].interval_max_ms;
        begin(&c, &model);
        for (size_t step = 0; step < 64; step++) {
            const double waited[2] = {c.since[0] + 1, c.since_double[0] + 1};
            multirate(&c, 1000, step);
            if (step > 0 && c.since[0] == 0) longest[0] = fmax(longest[0], waited[0]);
            if (step > 0 && c.since_double[0] == 0) longest[1] = fmax(longest[1], waited[1]);
        }
        cr_expect(longest[0] == limits[i].most && longest[1] == limits[i].most, "%g ms: %g and %g steps",
            limits[i].interval_max_ms, longest[0], longest[1]);
    }
}

Test(multirate, a_fifth_of_the_evaluations_preserves_the_apd)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        for (size_t variant = 0; variant < (*m)->n_variants; variant++) {
            const beat all = beat_of(*m, variant, 0), some = beat_of(*m, variant, 0.1);
            cr_expect(fabs(some.activation_ms - all.activation_ms) < 0.01, "%s %zu: %g", (*m)->name, variant,
                some.activation_ms - all.activation_ms);
            cr_expect(fabs(some.apd_ms - all.apd_ms) < 0.64, "%s %zu: %g", (*m)->name, variant,
                some.apd_ms - all.apd_ms);
            cr_expect_lt(some.evaluated, all.evaluated / 5, "%s %zu", (*m)->name, variant);
        }
}

/* Paced cells of all types of tp06, computed together. */
enum { TYPES = 3, BEATS = 3 };
typedef struct paced_cells {
    double v[TYPES], kept[TYPES], change[TYPES], since[TYPES], state[TYPES * TP06_STATES],
        constants[TYPES * MT_CELL_CONSTANTS];
    uint16_t of[TYPES];
    size_t evaluated;
    double peak_mM[TYPES]; /* of Ca_i, in the last beat */
} paced_cells;

static double concentration(const paced_cells *c, size_t cell, size_t state)
{
    return c->state[mt_block_index(TYPES, TP06_STATES, cell, state)];
}

static void begin_paced(paced_cells *c)
{
    *c = (paced_cells){.evaluated = 0};
    cr_assert_eq(mt_cell_tp06.n_variants, TYPES);
    mt_cell_constants_double(&mt_cell_tp06, mt_cell_tp06.variants, TYPES, c->constants);
    for (size_t k = 0; k < TYPES; k++) {
        c->of[k] = (uint16_t)k, c->v[k] = mt_cell_tp06.variants[k].v_mV, c->kept[k] = INFINITY;
        for (size_t s = 0; s < TP06_STATES; s++)
            c->state[mt_block_index(TYPES, TP06_STATES, k, s)] = mt_cell_tp06.variants[k].states[s];
    }
}

static void step_paced(paced_cells *c, const mt_multirate_step *at)
{
    mt_cell_multirate_react_double(&mt_cell_tp06, c->constants, TYPES, c->of, at, TYPES, c->state, c->kept,
        c->change, c->since, c->v, c->v);
    for (size_t k = 0; k < TYPES; k++) c->evaluated += c->since[k] == 0;
}

static void pace_cells(paced_cells *c, double bcl_ms, double dt_ms, double tolerance_mV)
{
    const size_t steps = (size_t)round(bcl_ms / dt_ms);
    begin_paced(c);
    for (size_t step = 0; step < BEATS * steps; step++) {
        const bool pulse = (double)(step % steps) * dt_ms < 2;
        for (size_t k = 0; k < TYPES && pulse; k++) c->v[k] += 50 / 1.4 * dt_ms;
        step_paced(c, &(mt_multirate_step){dt_ms, tolerance_mV, step});
        for (size_t k = 0; k < TYPES; k++)
            if (step >= (BEATS - 1) * steps)
                c->peak_mM[k] = fmax(c->peak_mM[k], concentration(c, k, TP06_CAI));
    }
}

/* Errors are at most 0.15 %. With forward Euler for calcium over all time steps since the last evaluation they would be 0.5 to 3 %. */
Test(multirate, calcium_peaks_within_half_a_percent_of_uniform_stepping)
{
    static const double bcl_ms[] = {1000, 500}, dt_ms[] = {0.02, 0.05};
    for (int b = 0; b < 2; b++)
        for (int d = 0; d < 2; d++) {
            paced_cells all, some;
            pace_cells(&all, bcl_ms[b], dt_ms[d], 0);
            pace_cells(&some, bcl_ms[b], dt_ms[d], 0.1);
            cr_log_info("BCL %g ms, dt %g ms: %.4f of the evaluations", bcl_ms[b], dt_ms[d],
                (double)some.evaluated / (double)all.evaluated);
            for (size_t k = 0; k < TYPES; k++)
                cr_expect_lt(fabs(some.peak_mM[k] / all.peak_mM[k] - 1), 0.005, "%s, %g ms, %g ms: %g %%",
                    mt_cell_tp06.variants[k].name, bcl_ms[b], dt_ms[d],
                    100 * (some.peak_mM[k] / all.peak_mM[k] - 1));
            cr_expect_lt(some.evaluated, all.evaluated / 4, "%g ms, %g ms", bcl_ms[b], dt_ms[d]);
        }
}
