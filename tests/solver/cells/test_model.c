/* Requirements on every row of the table of ionic models. Properties of single models have their own tests. */
#include <criterion/criterion.h>

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "solver/cells/model.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/diffusion/spreading.h"
#include "solver/kernels/block.h"
#include "solver/cells/open.h"
#include "tests/random.h"

enum { MOST = 40, STATES_MOST = 64, VARIANTS_MOST = 200 };

#define EACH(model)                                                                                          \
    const mt_cell_model *const *model = mt_cell_models;                                                      \
    *model;                                                                                                  \
    model++

static mt_arena arena;
static uint64_t seed = 7;

static double uniform(double low, double high) { return between(&seed, low, high); }

/* ---- the contents of a row ---- */

/* The measured delays, if any: larger elements have larger errors. */
static void expect_delays(const mt_cell_model *model)
{
    const mt_cell_delay none = {0}, *before = &none;
    for (size_t k = 0; k < model->n_delays; before = &model->delays[k++]) {
        const mt_cell_delay *d = &model->delays[k];
        cr_expect_gt(d->length_mm, before->length_mm, "%s", model->name);
        cr_expect_gt(fabs(d->usual_percent), fabs(before->usual_percent), "%s", model->name);
        cr_expect_gt(fabs(d->plain_percent), fabs(before->plain_percent), "%s", model->name);
    }
}

static void expect_quantities(const mt_cell_model *model, size_t n, const mt_cell_quantity *list)
{
    for (size_t k = 0; k < n; k++) {
        cr_assert(list[k].name && list[k].name[0] && list[k].unit, "%s: quantity %zu", model->name, k);
        for (size_t other = 0; other < k; other++)
            cr_expect_str_neq(list[k].name, list[other].name, "%s", model->name);
    }
}

static void expect_variants(const mt_cell_model *model)
{
    cr_assert(model->n_variants >= 1 && model->n_variants <= MT_CELL_VARIANTS, "%s", model->name);
    cr_assert(model->n_constants >= 1 && model->n_constants <= MT_CELL_CONSTANTS, "%s", model->name);
    cr_assert(model->constants || model->n_constants == model->n_parameters, "%s", model->name);
    for (size_t v = 0; v < model->n_variants; v++) {
        const mt_cell_variant *variant = &model->variants[v];
        size_t found = SIZE_MAX;
        cr_assert_eq(mt_cell_variant_find(model, variant->name, &found), MT_OK, "%s", mt_message());
        cr_expect_eq(found, v, "%s: %s appears twice", model->name, variant->name);
        cr_expect(fabs(variant->v_mV) < 200, "%s %s", model->name, variant->name);
        for (size_t k = 0; k < model->n_states; k++) cr_expect(isfinite(variant->states[k]));
        for (size_t k = 0; k < model->n_parameters; k++) cr_expect(isfinite(variant->parameters[k]));
    }
}

Test(model, every_model_of_the_table_is_complete_and_consistent)
{
    for (EACH(m)) {
        const mt_cell_model *model = *m, *found = NULL;
        cr_assert_eq(mt_cell_model_find(model->name, &found), MT_OK, "%s", mt_message());
        cr_expect_eq(found, model, "%s appears twice", model->name);
        cr_expect(strcmp(model->identity, model->name) == 0 && !model->program, "%s", model->name);
        for (const char *c = model->name; *c; c++)
            cr_expect(
                islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '-', "%s", model->name);
        cr_expect(model->title[0] && strstr(model->source, "doi "), "%s", model->name);
        cr_assert(model->n_states >= 1 && model->n_states <= STATES_MOST, "%s", model->name);
        cr_expect(model->dt_max_ms > 0 && model->dt_max_ms <= 1, "%s: %g ms", model->name, model->dt_max_ms);
        cr_expect(model->front_ms > 0 && model->front_ms < 1000, "%s: %g ms", model->name, model->front_ms);
        expect_delays(model);
        expect_quantities(model, model->n_states, model->states);
        expect_quantities(model, model->n_parameters, model->parameters);
        expect_quantities(model, model->n_currents, model->currents);
        cr_expect_eq(model->n_currents > 0, model->currents_of != NULL, "%s", model->name);
        expect_variants(model);
    }
}

Test(model, an_unknown_name_is_rejected_with_the_known_ones)
{
    const mt_cell_model *model = NULL;
    size_t variant;
    cr_expect_eq(mt_cell_model_find("hodgkin-huxley", &model), MT_INPUT);
    for (EACH(m)) cr_expect(strstr(mt_message(), (*m)->name), "%s", mt_message());
    for (EACH(m)) {
        cr_expect_eq(mt_cell_variant_find(*m, "purkinje", &variant), MT_INPUT);
        cr_expect(strstr(mt_message(), "'purkinje'"), "%s", mt_message());
        for (size_t v = 0; v < (*m)->n_variants; v++)
            cr_expect(strstr(mt_message(), (*m)->variants[v].name), "%s", mt_message());
    }
}

Test(model, a_model_is_opened_by_its_name_or_the_path_of_a_file)
{
    static const char *const files[] = {"a.cellml", "models/b.mmt", "/c.ode", "tp06.model"},
                             *const names[] = {"tp06", ".cellml", "a.mmt.yaml", "a.MMT", "mmt", ""};
    for (EACH(m)) {
        const mt_cell_model *opened;
        cr_assert_eq(mt_cell_model_open(&arena, (*m)->name, &opened), MT_OK, "%s", mt_message());
        cr_expect(opened == *m && !mt_import_is_file((*m)->name));
    }
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) cr_expect(mt_import_is_file(files[k]));
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        cr_expect_not(mt_import_is_file(names[k]), "%s", names[k]);
    const mt_cell_model *model;
    cr_expect_eq(mt_cell_model_open(&arena, "models/b.mmt", &model), MT_FILE);
    cr_expect(strstr(mt_message(), "models/b.mmt: "), "%s", mt_message());
    cr_expect_eq(mt_cell_model_open(&arena, "tp07", &model), MT_INPUT);
    cr_expect_str_eq(mt_message(),
        "ionic model 'tp07'; allowed: tp06, torord, courtemanche, stewart, bueno-orovio, mitchell-schaeffer, "
        "the path of a .cellml, .mmt, .ode or .model file");
    mt_arena_free(&arena);
}

Test(model, an_identity_depends_on_file_name_and_content_but_not_on_the_folder)
{
    char a[MT_CELL_IDENTITY], b[MT_CELL_IDENTITY], name[200];
    cr_assert_eq(mt_cell_model_identity("x/beat.mmt", "one", 3, a), MT_OK);
    cr_expect(strncmp(a, "beat.mmt#", 9) == 0 && strlen(a) == 9 + 32, "%s", a);
    cr_assert_eq(mt_cell_model_identity("beat.mmt", "one", 3, b), MT_OK);
    cr_expect_str_eq(a, b);
    cr_assert_eq(mt_cell_model_identity("beat.mmt", "two", 3, b), MT_OK);
    cr_expect_str_neq(a, b);
    cr_assert_eq(mt_cell_model_identity("rest.mmt", "one", 3, b), MT_OK);
    cr_expect_str_neq(a, b);
    memset(name, 'n', sizeof name), name[sizeof name - 1] = 0;
    cr_assert_eq(mt_cell_model_identity(name, "one", 3, b), MT_OK);
    cr_expect(strlen(b) == MT_CELL_IDENTITY - 1 && strcmp(strchr(a, '#'), strchr(b, '#')) == 0, "%s", b);
    mt_cell_model one = mt_cell_tp06, two = mt_cell_tp06;
    one.identity = a, two.identity = b;
    cr_expect(mt_cell_model_same(&one, &one) && !mt_cell_model_same(&one, &two));
    cr_expect(mt_cell_model_same(&(mt_cell_model){.identity = "tp06"}, &mt_cell_tp06));
}

/* A step reads and writes V and each state once. */
Test(model, instruction_counts_include_loads_and_stores_of_every_value)
{
    for (EACH(m)) {
        const ipu_mix *mixes[] = {&(*m)->mix.ode, &(*m)->mix.ode_mixed};
        for (size_t k = 0; k < 2; k++) {
            cr_expect_str_eq(mixes[k]->name, k ? "ode_mixed" : "ode");
            cr_expect_eq(mixes[k]->count[IPU_OP_STORE], 1 + (*m)->n_states, "%s", (*m)->name);
            cr_expect_geq(mixes[k]->count[IPU_OP_LOAD], 1 + (*m)->n_states, "%s", (*m)->name);
        }
        cr_expect_geq((*m)->mix.ode_mixed.count[IPU_OP_LOAD], (*m)->mix.ode.count[IPU_OP_LOAD]);
    }
}

/* ---- the kernels ---- */

/* MOST cells in the order of cells and entries, or n of them in blocks. */
typedef struct cells {
    float state_f[MOST * STATES_MOST], v_f[MOST];
    double state_d[MOST * STATES_MOST], v_d[MOST];
} cells;

/* Returns cells with states near rest and any V, some at voltages where a model may switch branches. */
static cells random_cells(const mt_cell_model *model)
{
    static const double sides_mV[] = {-40, 15, 0, -67};
    const size_t n_states = model->n_states;
    cells c;
    memset(&c, 0, sizeof c);
    for (size_t cell = 0; cell < MOST; cell++) {
        const double *rest = model->variants[cell % model->n_variants].states;
        for (size_t k = 0; k < n_states; k++)
            c.state_f[cell * n_states + k] =
                (float)(c.state_d[cell * n_states + k] = rest[k] * uniform(0.5, 1.5));
        c.v_d[cell] = cell % 9 < 4 ? sides_mV[cell % 9] : uniform(-100, 60);
        c.v_f[cell] = (float)c.v_d[cell];
    }
    return c;
}

/* Returns the first n cells in block layout. */
static cells in_blocks(const mt_cell_model *model, const cells *from, size_t n)
{
    const size_t n_states = model->n_states;
    cells to = *from;
    for (size_t cell = 0; cell < n; cell++)
        for (size_t k = 0; k < n_states; k++) {
            size_t at = mt_block_index(n, n_states, cell, k);
            to.state_f[at] = from->state_f[cell * n_states + k];
            to.state_d[at] = from->state_d[cell * n_states + k];
        }
    return to;
}

static void step_among(const mt_cell_model *model, const mt_kernels *kernels, const mt_cell_variant *variants,
    size_t n_variants, const uint16_t *of, size_t n, cells *c)
{
    static float single[VARIANTS_MOST * MT_CELL_CONSTANTS];
    static double exact[VARIANTS_MOST * MT_CELL_CONSTANTS];
    mt_cell_constants_float(model, variants, n_variants, single);
    mt_cell_constants_double(model, variants, n_variants, exact);
    model->kernel_float[kernels->set](model, single, n_variants, of, 0.02, n, c->state_f, c->v_f, c->v_f);
    model->kernel_double[kernels->set](model, exact, n_variants, of, 0.02, n, c->state_d, c->v_d, c->v_d);
}

static void step(const mt_cell_model *model, const mt_kernels *kernels, size_t variant, const uint16_t *of,
    size_t n, cells *c)
{
    step_among(model, kernels, model->variants + variant, of ? model->n_variants : 1, of, n, c);
}

static void expect_same_cells(const cells *a, const cells *b, const char *isa, const char *model, size_t n)
{
    cr_expect(memcmp(a->v_f, b->v_f, sizeof a->v_f) == 0, "V in float, %s, %s, %zu cells", model, isa, n);
    cr_expect(memcmp(a->v_d, b->v_d, sizeof a->v_d) == 0, "V in double, %s, %s, %zu cells", model, isa, n);
    cr_expect(memcmp(a->state_f, b->state_f, sizeof a->state_f) == 0, "states in float, %s, %s, %zu cells",
        model, isa, n);
    cr_expect(memcmp(a->state_d, b->state_d, sizeof a->state_d) == 0, "states in double, %s, %s, %zu cells",
        model, isa, n);
}

/* Expects that the values after the n cells are unchanged. */
static void expect_rest_untouched(const mt_cell_model *model, const cells *now, const cells *start, size_t n)
{
    const size_t from = n * model->n_states;
    cr_expect(memcmp(now->v_f + n, start->v_f + n, (MOST - n) * sizeof(float)) == 0, "V after cell %zu", n);
    cr_expect(memcmp(now->v_d + n, start->v_d + n, (MOST - n) * sizeof(double)) == 0, "V after cell %zu", n);
    cr_expect(memcmp(now->state_f + from, start->state_f + from,
                  (MOST * model->n_states - from) * sizeof(float)) == 0,
        "states after cell %zu", n);
    cr_expect(memcmp(now->state_d + from, start->state_d + from,
                  (MOST * model->n_states - from) * sizeof(double)) == 0,
        "states after cell %zu", n);
}

Test(model, a_step_is_bit_identical_on_every_instruction_set)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    for (EACH(m))
        for (size_t n = 1; n <= MOST; n++) {
            const size_t variant = n % (*m)->n_variants;
            const cells start = random_cells(*m), blocks = in_blocks(*m, &start, n);
            cells first = blocks;
            step(*m, all[0], variant, NULL, n, &first);
            step(*m, all[0], variant, NULL, n, &first);
            cr_assert(
                memcmp(first.v_f, start.v_f, sizeof first.v_f) != 0, "%s: V did not change", (*m)->name);
            expect_rest_untouched(*m, &first, &start, n);
            for (size_t k = 1; k < n_all; k++) {
                cells other = blocks;
                step(*m, all[k], variant, NULL, n, &other);
                step(*m, all[k], variant, NULL, n, &other);
                expect_same_cells(&first, &other, all[k]->isa, (*m)->name, n);
            }
        }
}

Test(model, results_of_a_cell_do_not_depend_on_its_position_in_the_block)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    for (EACH(m)) {
        const cells start = random_cells(*m);
        const size_t n_states = (*m)->n_states;
        for (size_t k = 0; k < n_all; k++) {
            cells alone = start;
            float single[MT_CELL_CONSTANTS];
            double exact[MT_CELL_CONSTANTS];
            mt_cell_constants_float(*m, (*m)->variants, 1, single);
            mt_cell_constants_double(*m, (*m)->variants, 1, exact);
            for (size_t cell = 0; cell < MOST; cell++) {
                (*m)->kernel_float[all[k]->set](*m, single, 1, NULL, 0.02, 1, alone.state_f + cell * n_states,
                    alone.v_f + cell, alone.v_f + cell);
                (*m)->kernel_double[all[k]->set](*m, exact, 1, NULL, 0.02, 1, alone.state_d + cell * n_states,
                    alone.v_d + cell, alone.v_d + cell);
            }
            for (size_t n = 1; n <= MOST; n++) {
                cells together = in_blocks(*m, &start, n), expected = in_blocks(*m, &alone, n);
                step(*m, all[k], 0, NULL, n, &together);
                expect_rest_untouched(*m, &together, &start, n);
                for (size_t cell = n; cell < MOST; cell++) /* these did not take part */
                    expected.v_f[cell] = start.v_f[cell], expected.v_d[cell] = start.v_d[cell];
                for (size_t at = n * n_states; at < MOST * n_states; at++)
                    expected.state_f[at] = start.state_f[at], expected.state_d[at] = start.state_d[at];
                expect_same_cells(&expected, &together, all[k]->isa, (*m)->name, n);
            }
        }
    }
}

Test(model, results_of_a_cell_do_not_depend_on_variants_of_other_cells)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    for (EACH(m))
        for (size_t n = 1; n <= MOST; n++) {
            const cells start = random_cells(*m), blocks = in_blocks(*m, &start, n);
            uint16_t of[MOST];
            for (size_t cell = 0; cell < n; cell++) of[cell] = (uint16_t)(cell * 7 % 5 % (*m)->n_variants);
            for (size_t k = 0; k < n_all; k++) {
                cells expected = blocks, mixed = blocks;
                for (size_t variant = 0; variant < (*m)->n_variants; variant++) {
                    cells like = blocks;
                    step(*m, all[k], variant, NULL, n, &like);
                    for (size_t cell = 0; cell < n; cell++) {
                        if (of[cell] != variant) continue;
                        expected.v_f[cell] = like.v_f[cell], expected.v_d[cell] = like.v_d[cell];
                        for (size_t s = 0; s < (*m)->n_states; s++) {
                            const size_t at = mt_block_index(n, (*m)->n_states, cell, s);
                            expected.state_f[at] = like.state_f[at], expected.state_d[at] = like.state_d[at];
                        }
                    }
                }
                step(*m, all[k], 0, of, n, &mixed);
                expect_same_cells(&expected, &mixed, all[k]->isa, (*m)->name, n);
            }
        }
}

/* More variants than are known when a kernel is compiled: all parameters changed by different factors, or only some. Some neighbours are
 * equal, and so are complete blocks. */
Test(model, results_of_a_cell_do_not_depend_on_the_number_of_variants)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all), counts[] = {2, 5, VARIANTS_MOST};
    static double parameters[VARIANTS_MOST][STATES_MOST];
    static mt_cell_variant variants[VARIANTS_MOST];
    for (EACH(m))
        for (size_t round = 0; round < 3 * sizeof counts / sizeof *counts; round++) {
            const size_t n_variants = counts[round / 3], n = MOST - round % 3;
            for (size_t v = 0; v < n_variants; v++) {
                variants[v] = (*m)->variants[v % (*m)->n_variants];
                for (size_t k = 0; k < (*m)->n_parameters; k++)
                    parameters[v][k] =
                        variants[v].parameters[k] * (k % 3 < round % 3 ? 1 : uniform(0.8, 1.2));
                variants[v].parameters = parameters[v];
            }
            const cells start = random_cells(*m), blocks = in_blocks(*m, &start, n);
            uint16_t of[MOST];
            for (size_t cell = 0; cell < n; cell++)
                of[cell] = cell < 16 || (cell > 0 && uniform(0, 1) < 0.7)
                               ? (cell > 0 ? of[cell - 1] : (uint16_t)(n_variants - 1))
                               : (uint16_t)uniform(0, (double)n_variants);
            for (size_t k = 0; k < n_all; k++) {
                cells expected = blocks, mixed = blocks, like = blocks;
                for (size_t cell = 0; cell < n; cell++) {
                    if (cell == 0 || of[cell] != of[cell - 1]) {
                        like = blocks;
                        step_among(*m, all[k], &variants[of[cell]], 1, NULL, n, &like);
                    }
                    expected.v_f[cell] = like.v_f[cell], expected.v_d[cell] = like.v_d[cell];
                    for (size_t s = 0; s < (*m)->n_states; s++) {
                        const size_t at = mt_block_index(n, (*m)->n_states, cell, s);
                        expected.state_f[at] = like.state_f[at], expected.state_d[at] = like.state_d[at];
                    }
                }
                step_among(*m, all[k], variants, n_variants, of, n, &mixed);
                expect_same_cells(&expected, &mixed, all[k]->isa, (*m)->name, n);
            }
        }
}

/* v_out can be another array; v_in is then unchanged. */
Test(model, the_new_voltage_can_be_written_to_another_array)
{
    enum { N = 21 };
    for (EACH(m)) {
        const cells start = random_cells(*m);
        cells apart = in_blocks(*m, &start, N), same = apart;
        double out[N];
        mt_cell_step_double(*m, 0, NULL, 0.02, N, apart.state_d, apart.v_d, out);
        cr_expect_arr_eq(apart.v_d, start.v_d, sizeof start.v_d, "%s", (*m)->name);
        mt_cell_step_double(*m, 0, NULL, 0.02, N, same.state_d, same.v_d, same.v_d);
        cr_expect_arr_eq(same.v_d, out, sizeof out, "%s", (*m)->name);
        cr_expect_arr_eq(same.state_d, apart.state_d, sizeof same.state_d, "%s", (*m)->name);
    }
}

/* ---- the behaviour of a cell ---- */

/* Sets V, then the states, of a cell at rest. */
static void at_rest(const mt_cell_model *model, const mt_cell_variant *variant, double y[1 + STATES_MOST])
{
    y[0] = variant->v_mV;
    memcpy(y + 1, variant->states, model->n_states * sizeof *y);
}

/* Advances by n steps of 0.02 ms; the first 50 add `rise` mV/ms. */
static void run(const mt_cell_model *model, const mt_cell_variant *variant, size_t n, double rise,
    double y[1 + STATES_MOST])
{
    double constants[MT_CELL_CONSTANTS];
    mt_cell_constants_double(model, variant, 1, constants);
    for (size_t s = 0; s < n; s++) {
        if (s < 50) y[0] += 0.02 * rise;
        model->kernel_double[mt_kernels_used()->set](model, constants, 1, NULL, 0.02, 1, y + 1, y, y);
    }
}

/* Published resting values may belong to a paced cell, with concentrations that drift for minutes. V stays within 3 mV. */
Test(model, an_unstimulated_cell_stays_at_rest)
{
    for (EACH(m))
        for (size_t v = 0; v < (*m)->n_variants; v++) {
            double y[1 + STATES_MOST];
            if ((*m)->rhythm_ms > 0) continue;
            at_rest(*m, &(*m)->variants[v], y);
            for (int ms = 0; ms < 500; ms++) {
                run(*m, &(*m)->variants[v], 50, 0, y);
                cr_assert(fabs(y[0] - (*m)->variants[v].v_mV) < 3, "%s %s: %g mV after %d ms", (*m)->name,
                    (*m)->variants[v].name, y[0], ms);
            }
        }
}

/* Returns the time of the next step in which V passes 0 mV upwards. */
static double next_upstroke_ms(const mt_cell_model *model, double y[1 + STATES_MOST])
{
    for (int step = 1; step < 100000; step++) {
        const double before = y[0];
        run(model, model->variants, 1, 0, y);
        if (before < 0 && y[0] >= 0) return 0.02 * step;
    }
    return NAN;
}

/* The first cycles are 0.1 % from the steady one. */
Test(model, a_cell_with_a_rhythm_beats_in_it)
{
    for (EACH(m)) {
        double y[1 + STATES_MOST];
        if ((*m)->rhythm_ms <= 0) continue;
        at_rest(*m, (*m)->variants, y);
        (void)next_upstroke_ms(*m, y);
        for (int beat = 0; beat < 2; beat++)
            cr_expect_float_eq(
                next_upstroke_ms(*m, y), (*m)->rhythm_ms, 0.002 * (*m)->rhythm_ms, "%s", (*m)->name);
    }
}

/* A stimulus of 1 ms raises V above 0 mV, which counts as activation; V is near rest again within a second. In single precision V
 * differs only by rounding errors: a step rounds V, below 128 mV, by at most 2^-18 mV. If all of the 25,000 had the same sign, that
 * would be 0.1 mV; as much again for the states. */
Test(model, an_action_potential_agrees_in_single_and_double_precision)
{
    for (EACH(m))
        for (size_t v = 0; v < (*m)->n_variants; v++) {
            const mt_cell_variant *variant = &(*m)->variants[v];
            double y[1 + STATES_MOST], peak = -INFINITY, worst = 0;
            float f[1 + STATES_MOST];
            at_rest(*m, variant, y);
            for (size_t k = 0; k <= (*m)->n_states; k++) f[k] = (float)y[k];
            for (int s = 0; s < 25000; s++) {
                if (s < 50) y[0] += 0.02 * 52, f[0] += (float)(0.02 * 52);
                mt_cell_step_double(*m, v, NULL, 0.02, 1, y + 1, y, y);
                mt_cell_step_float(*m, v, NULL, 0.02, 1, f + 1, f, f);
                peak = fmax(peak, y[0]);
                worst = fmax(worst, fabs(y[0] - (double)f[0]));
            }
            cr_expect(peak > 0 && peak < 60, "%s %s: %g mV", (*m)->name, variant->name, peak);
            cr_expect(worst > 0 && worst < 0.2, "%s %s: %g mV", (*m)->name, variant->name, worst);
            for (int s = 0; s < 25000; s++) mt_cell_step_double(*m, v, NULL, 0.02, 1, y + 1, y, y);
            cr_expect(fabs(y[0] - variant->v_mV) < 3, "%s %s: %g mV", (*m)->name, variant->name, y[0]);
        }
}

/* Every named parameter enters the equations: the cell behaves differently without it. */
Test(model, every_named_parameter_changes_an_action_potential)
{
    for (EACH(m))
        for (size_t k = 0; k < (*m)->n_parameters; k++) {
            double parameters[STATES_MOST], usual[1 + STATES_MOST], changed[1 + STATES_MOST];
            mt_cell_variant other = (*m)->variants[0];
            cr_assert_leq((*m)->n_parameters, (size_t)STATES_MOST);
            memcpy(parameters, other.parameters, (*m)->n_parameters * sizeof *parameters);
            parameters[k] = parameters[k] == 0 ? 0.1 : 1.1 * parameters[k];
            other.parameters = parameters;
            at_rest(*m, &other, usual), at_rest(*m, &other, changed);
            bool same = true;
            for (size_t ms = 0; same && ms < 300; ms++) {
                run(*m, &(*m)->variants[0], 50, ms == 0 ? 52 : 0, usual);
                run(*m, &other, 50, ms == 0 ? 52 : 0, changed);
                same = memcmp(usual, changed, (1 + (*m)->n_states) * sizeof *usual) == 0;
            }
            cr_expect_not(same, "%s: %s", (*m)->name, (*m)->parameters[k].name);
        }
}

/* The longest step that a row allows is stable and follows an action potential as shorter steps do. The first-order error of forward
 * Euler in the plateau and after it is a few mV. */
Test(model, the_longest_step_is_stable)
{
    for (EACH(m))
        for (size_t v = 0; v < (*m)->n_variants; v++) {
            const double dt_ms = (*m)->dt_max_ms;
            const size_t ratio = 10;
            double coarse[1 + STATES_MOST], fine[1 + STATES_MOST];
            at_rest(*m, &(*m)->variants[v], coarse), at_rest(*m, &(*m)->variants[v], fine);
            for (size_t s = 0; (double)s * dt_ms < 200; s++) {
                const double rise = (double)s * dt_ms < 1 - 1e-9 ? 52 : 0;
                coarse[0] += dt_ms * rise;
                mt_cell_step_double(*m, v, NULL, dt_ms, 1, coarse + 1, coarse, coarse);
                for (size_t k = 0; k < ratio; k++) {
                    fine[0] += dt_ms / (double)ratio * rise;
                    mt_cell_step_double(*m, v, NULL, dt_ms / (double)ratio, 1, fine + 1, fine, fine);
                }
                cr_assert((double)s * dt_ms < 10 || fabs(coarse[0] - fine[0]) < 3, "%s: %g, %g mV at %g ms",
                    (*m)->name, coarse[0], fine[0], (double)s * dt_ms);
            }
        }
}

/* Overlapping stimuli, and colliding wavefronts on coarse meshes, move V beyond the range of action potentials for some steps. For any V
 * that is held, gates stay between 0 and 1, and all states finite. */
Test(model, gates_stay_between_0_and_1_at_any_voltage)
{
    for (EACH(m))
        for (int k = 0; k < 3; k++)
            for (double v = -200; v <= 200; v += 10) {
                const double dt_ms = k == 0 ? 0.02 : k == 1 ? 0.05 : (*m)->dt_max_ms;
                double held, state[STATES_MOST];
                memcpy(state, (*m)->variants[0].states, (*m)->n_states * sizeof *state);
                for (double t = 0; t < 5; t += dt_ms)
                    mt_cell_step_double(*m, 0, NULL, dt_ms, 1, state, &v, &held);
                for (size_t s = 0; s < (*m)->n_states; s++) {
                    const mt_cell_quantity *of = &(*m)->states[s];
                    const bool gate = strcmp(of->unit, "") == 0;
                    cr_expect(isfinite(state[s]) && (!gate || (state[s] > -1e-9 && state[s] < 1 + 1e-9)),
                        "%s, %g mV, steps of %g ms: %s is %g", (*m)->name, v, dt_ms, of->name, state[s]);
                }
            }
}

/* Returns the rate at which the reaction restores V: -d(dV/dt)/dV at fixed states [per ms], by a finite difference. It is wide, since
 * currents of bueno-orovio jump at thresholds, by up to 1.4 mV/ms outwards. */
static double drawn_back(const mt_cell_model *model, size_t variant, double v, const double *state)
{
    const double dt_ms = 0.001, h = 0.25;
    double rate[2];
    for (int k = 0; k < 2; k++) {
        double s[STATES_MOST], to = v + (k == 0 ? -h : h);
        const double from = to;
        memcpy(s, state, model->n_states * sizeof *s);
        mt_cell_step_double(model, variant, NULL, dt_ms, 1, s, &from, &to);
        rate[k] = (to - from) / dt_ms;
    }
    return (rate[0] - rate[1]) / (2 * h);
}

/* An assumption of spreading (solver/diffusion/spreading.h): no cell restores V faster than 10 per ms, neither excited nor at rest, down
 * to 15 mV below rest, which wavefronts on coarse meshes reach. TP06 reaches 8.7 there, by I_K1, and 4.6 in the upstroke, by I_Na. */
Test(model, the_restoring_rate_of_the_reaction_is_within_the_limit_of_spreading)
{
    for (EACH(m))
        for (size_t variant = 0; variant < (*m)->n_variants; variant++) {
            const mt_cell_variant *at_rest = &(*m)->variants[variant];
            double state[STATES_MOST], v = at_rest->v_mV, fastest = 0;
            memcpy(state, at_rest->states, (*m)->n_states * sizeof *state);
            for (double below = 0; below <= 15; below += 0.5)
                fastest = fmax(fastest, drawn_back(*m, variant, v - below, state));
            for (size_t step = 0; step < 20000; step++) {
                if (step < 100) v += 0.02 * 50 / 1.4;
                mt_cell_step_double(*m, variant, NULL, 0.02, 1, state, &v, &v);
                fastest = fmax(fastest, drawn_back(*m, variant, v, state));
            }
            cr_expect(fastest < 1 / MT_SPREADING_REACTION_MS && fastest > 1, "%s %s: %g per ms", (*m)->name,
                at_rest->name, fastest);
        }
}
