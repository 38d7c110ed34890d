/* Tabulated evaluation, of built-in and of imported models: steps agree with those of computed functions, within the errors of tables; they
 * are the same bits on every instruction set and for any neighbours; functions that polynomials cannot represent are refused. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "solver/cells/open.h"
#include "solver/cells/tabulated.h"
#include "solver/kernels/block.h"

enum { CELLS = 4 * MT_BLOCK + 5, VARIANTS = MT_CELL_VARIANTS };

#define DT_MS 0.02

/* Cells of a model in single precision. */
typedef struct cells {
    float v[CELLS], state[CELLS * MT_CELL_STATES], kept[CELLS], change[CELLS], since[CELLS];
} cells;

static mt_arena arena;

/* The models of the table and two of files. */
static const mt_cell_model *models[32];

/* Opens the model of a file, and adds a variant with other parameters. */
static const mt_cell_model *open_file(const char *path)
{
    const mt_cell_model *opened;
    mt_cell_model *model;
    mt_cell_variant *variant;
    double *parameters;
    cr_assert_eq(mt_cell_model_open(&arena, path, &opened), MT_OK, "%s", mt_message());
    cr_assert_not_null(model = mt_arena_alloc(&arena, 1, sizeof *model));
    cr_assert_not_null(variant = mt_arena_alloc(&arena, 2, sizeof *variant));
    cr_assert_not_null(parameters = mt_arena_alloc(&arena, opened->n_parameters, sizeof *parameters));
    for (size_t k = 0; k < opened->n_parameters; k++)
        parameters[k] = 1.02 * opened->variants[0].parameters[k];
    variant[0] = variant[1] = opened->variants[0];
    variant[1].parameters = parameters;
    *model = *opened;
    model->variants = variant;
    model->n_variants = 2;
    return model;
}

static void open_models(void)
{
    size_t n = 0;
    for (; mt_cell_models[n]; n++) models[n] = mt_cell_models[n];
    models[n++] = open_file("data/models/beeler-reuter-1977.mmt");
    models[n++] = open_file("tests/solver/cells/graph/tp06.mmt");
    cr_assert_lt(n, sizeof models / sizeof *models);
}

static void leave(void) { mt_arena_free(&arena); }

TestSuite(tabulated, .fini = leave);

#define EACH(m)                                                                                              \
    const mt_cell_model *const *m = models;                                                                  \
    *m;                                                                                                      \
    m++

/* Returns a number from 0 to 1 that depends on n. */
static double arbitrary(size_t n)
{
    const uint64_t mixed = (n + 1) * 0x9e3779b97f4a7c15u;
    return (double)((mixed ^ (mixed >> 29)) >> 40) / (1 << 24);
}

/* Returns cells with V from -130 to 90 mV, beyond both ends of the tables, and states near those at rest. */
static cells *cells_of(const mt_cell_model *model, size_t n)
{
    cells *c;
    cr_assert_not_null(c = mt_arena_alloc(&arena, 1, sizeof *c));
    memset(c, 0, sizeof *c);
    for (size_t cell = 0; cell < n; cell++) {
        c->v[cell] = (float)(-130 + 220 * arbitrary(cell));
        c->kept[cell] = (float)mt_paced_start[MT_PACED_KEPT];
        c->since[cell] = (float)(cell % 7);
        for (size_t k = 0; k < model->n_states; k++)
            c->state[mt_block_index(n, model->n_states, cell, k)] =
                (float)(model->variants[0].states[k] * (0.75 + 0.25 * arbitrary(7 * cell + 1000 * k)));
    }
    return c;
}

static cells *copy_of(const cells *from)
{
    cells *c;
    cr_assert_not_null(c = mt_arena_alloc(&arena, 1, sizeof *c));
    memcpy(c, from, sizeof *c);
    return c;
}

static const mt_cell_model *tabulate(const mt_cell_model *model, bool multirate)
{
    const mt_cell_model *tabulated;
    double error;
    cr_assert_eq(mt_cell_tabulate(
                     &arena, model, model->variants, model->n_variants, DT_MS, multirate, &tabulated, &error),
        MT_OK, "%s", mt_message());
    cr_expect(error > 0 && error <= MT_TABULATED_ERROR, "%s: error %g", model->name, error);
    return tabulated;
}

/* Advances n cells by one step with the kernels of an instruction set: computed functions, or those of tables if the model has them. */
static void step(
    const mt_cell_model *model, mt_isa set, bool multirate, const uint16_t *of, size_t n, cells *c)
{
    static float constants[VARIANTS * MT_CELL_CONSTANTS];
    const mt_multirate_step at = {DT_MS, 0.1, 2};
    const size_t n_variants = model->n_variants;
    mt_cell_constants_float(model, model->variants, n_variants, constants);
    if (model->tables && multirate)
        model->tabulated_multirate_float[set](model, model->tables, constants, n_variants, of, &at, n,
            c->state, c->kept, c->change, c->since, c->v, c->v);
    else if (model->tables)
        model->tabulated_float[set](
            model, model->tables, constants, n_variants, of, DT_MS, n, c->state, c->v, c->v);
    else if (multirate)
        model->multirate_float[set](
            model, constants, n_variants, of, &at, n, c->state, c->kept, c->change, c->since, c->v, c->v);
    else
        model->kernel_float[set](model, constants, n_variants, of, DT_MS, n, c->state, c->v, c->v);
}

/* Expects equal changes up to the error of tables, and rounding. A change is a sum of terms that can cancel; those of V are the largest. */
static void expect_near(
    const mt_cell_model *model, const cells *start, const cells *computed, const cells *read, bool multirate)
{
    for (size_t cell = 0; cell < CELLS; cell++) {
        cr_expect_float_eq(read->v[cell], computed->v[cell],
            1e-4 * fabs((double)(computed->v[cell] - start->v[cell])) + 1e-4, "%s, V of %g mV, multirate %d",
            model->name, (double)start->v[cell], multirate);
        for (size_t k = 0; k < model->n_states; k++) {
            const size_t at = mt_block_index(CELLS, model->n_states, cell, k);
            cr_expect_float_eq(read->state[at], computed->state[at],
                1e-4 * fabs((double)(computed->state[at] - start->state[at])) +
                    4e-7 * fabs((double)start->state[at]) + 1e-9,
                "%s, %s at %g mV, multirate %d: %.9g, computed %.9g", model->name, model->states[k].name,
                (double)start->v[cell], multirate, (double)read->state[at], (double)computed->state[at]);
        }
    }
}

Test(tabulated, steps_agree_with_computed_functions_of_v)
{
    const mt_isa set = mt_kernels_used()->set;
    size_t tabulated = 0;
    open_models();
    for (EACH(m))
        for (int multirate = 0; (*m)->n_functions > 0 && multirate < 2; multirate++) {
            const mt_cell_model *with = tabulate(*m, multirate);
            const cells *start = cells_of(*m, CELLS);
            cells *computed = copy_of(start), *read = copy_of(start);
            step(*m, set, multirate, NULL, CELLS, computed);
            step(with, set, multirate, NULL, CELLS, read);
            cr_expect(memcmp(read->state, computed->state, sizeof read->state) != 0, "%s", (*m)->name);
            expect_near(*m, start, computed, read, multirate);
            tabulated++;
        }
    cr_expect_eq(tabulated, 12);
}

/* Gate j of tp06 follows its target above 61 mV with this time step, which is a kink: tables may not reach it. */
Test(tabulated, every_model_has_tables_with_its_longest_time_step)
{
    const mt_cell_model *with;
    double error;
    open_models();
    for (EACH(m))
        for (int multirate = 0; (*m)->n_functions > 0 && multirate < 2; multirate++)
            cr_expect_eq(mt_cell_tabulate(&arena, *m, (*m)->variants, (*m)->n_variants, (*m)->dt_max_ms,
                             multirate, &with, &error),
                MT_OK, "%s", mt_message());
}

/* Both ends, and their neighbours: the distance of the last number below 60 mV from the lower end is rounded to 160 mV. */
Test(tabulated, the_ends_belong_to_the_tables)
{
    const mt_cell_model *model = mt_cell_models[0], *with = tabulate(model, false);
    const mt_isa set = mt_kernels_used()->set;
    cells *start = cells_of(model, CELLS);
    for (size_t cell = 0; cell < CELLS; cell++) {
        const float end = cell % 2 ? MT_TABLE_LAST_mV : MT_TABLE_FIRST_mV, way[] = {end, 0, 2 * end};
        start->v[cell] = nextafterf(end, way[cell / 2 % 3]);
    }
    cells *computed = copy_of(start), *read = copy_of(start);
    step(model, set, false, NULL, CELLS, computed);
    step(with, set, false, NULL, CELLS, read);
    expect_near(model, start, computed, read, false);
}

/* Expects the cells of a variant to have the same bits alone, with this variant as the only one. */
static void expect_same_alone(const mt_cell_model *model, const mt_kernels *kernels, bool multirate,
    const uint16_t *of, size_t variant, const cells *among)
{
    mt_cell_model one = *model;
    one.variants = &model->variants[variant];
    one.n_variants = 1;
    const mt_cell_model *with = tabulate(&one, multirate);
    for (size_t cell = 0; cell < CELLS; cell++) {
        if (of[cell] != variant) continue;
        cells *alone = cells_of(model, CELLS);
        float state[MT_CELL_STATES];
        for (size_t k = 0; k < model->n_states; k++)
            state[k] = alone->state[mt_block_index(CELLS, model->n_states, cell, k)];
        memcpy(alone->state, state, sizeof state);
        alone->v[0] = alone->v[cell], alone->kept[0] = alone->kept[cell];
        alone->since[0] = alone->since[cell];
        step(with, kernels->set, multirate, NULL, 1, alone);
        cr_expect_eq(alone->v[0], among->v[cell], "%s, cell %zu, multirate %d", model->name, cell, multirate);
    }
}

Test(tabulated, steps_have_the_same_bits_on_every_instruction_set_and_among_other_variants)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    uint16_t of[CELLS];
    open_models();
    for (EACH(m))
        for (int multirate = 0; (*m)->n_functions > 0 && multirate < 2; multirate++) {
            const mt_cell_model *with = tabulate(*m, multirate);
            for (size_t cell = 0; cell < CELLS; cell++) of[cell] = (uint16_t)(cell / 3 % (*m)->n_variants);
            cells *first = cells_of(*m, CELLS);
            step(with, all[0]->set, multirate, of, CELLS, first);
            for (size_t k = 1; k < n_all; k++) {
                cells *other = cells_of(*m, CELLS);
                step(with, all[k]->set, multirate, of, CELLS, other);
                cr_expect(memcmp(first, other, sizeof *first) == 0, "%s, %s", (*m)->name, all[k]->isa);
            }
            for (size_t variant = 0; variant < (*m)->n_variants; variant++)
                expect_same_alone(*m, all[0], multirate, of, variant, first);
        }
}

Test(tabulated, functions_that_polynomials_cannot_represent_are_refused)
{
    const mt_cell_model *tabulated, *model = mt_cell_models[0];
    mt_cell_variant steep = model->variants[0];
    double *parameters, error;
    cr_assert_not_null(parameters = mt_arena_alloc(&arena, model->n_parameters, sizeof *parameters));
    memcpy(parameters, steep.parameters, model->n_parameters * sizeof *parameters);
    for (size_t k = 0; k < model->n_parameters; k++)
        if (strcmp(model->parameters[k].name, "s_width") == 0) parameters[k] = 0.5;
    steep.parameters = parameters;
    cr_expect_eq(mt_cell_tabulate(&arena, model, &steep, 1, DT_MS, false, &tabulated, &error), MT_INPUT);
    cr_expect_not_null(strstr(mt_message(), "cell.evaluation: tabulated, but between"), "%s", mt_message());
}

Test(tabulated, models_without_tables_are_refused)
{
    const mt_cell_model *model, *tabulated;
    double error;
    cr_assert_eq(mt_cell_model_find("mitchell-schaeffer", &model), MT_OK);
    cr_expect_eq(
        mt_cell_tabulate(&arena, model, model->variants, 1, DT_MS, false, &tabulated, &error), MT_INPUT);
    cr_expect_str_eq(mt_message(), "cell.evaluation: found tabulated; allowed for mitchell-schaeffer: exact");
}
