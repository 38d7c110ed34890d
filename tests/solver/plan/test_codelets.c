#include <criterion/criterion.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipu/cost/mix.h"
#include "ipu/machine/target.h"
#include "solver/kernels/block.h"
#include "solver/cells/open.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/plan/codelets.h"
#include "solver/kernels/ellpack.h"
#include "tests/sets.h"

static ipu_target gc200(mt_arena *arena)
{
    ipu_target target;
    cr_assert_eq(
        ipu_target_load(arena, "data/machines/gc200.yaml", NULL, 0, &target), MT_OK, "%s", mt_message());
    return target;
}

static mt_arena models_arena;
static const mt_cell_model *models[16]; /* those of the table, and an imported one; the last is NULL */

static void open_models(void)
{
    size_t n = 0;
    for (; mt_cell_models[n]; n++) models[n] = mt_cell_models[n];
    cr_assert_lt(n + 1, sizeof models / sizeof *models);
    cr_assert_eq(
        mt_cell_model_open(&models_arena, "tests/solver/cells/graph/mitchell_schaeffer.mmt", &models[n]),
        MT_OK, "%s", mt_message());
}

static void close_models(void) { mt_arena_free(&models_arena); }

TestSuite(codelets, .init = open_models, .fini = close_models);

/* A codelet with the instruction mix of its cost: the codelets of every problem, and two for each ionic model. */
typedef struct counted {
    ipu_codelet codelet;
    const ipu_mix *mix;
    mt_ode_context context; /* of an ionic model */
} counted;

enum { MOST = 64 };

static size_t all_codelets(counted all[MOST])
{
    const ipu_codelet *const common[] = {&mt_codelet_pde, &mt_codelet_pde_double_word,
        mt_codelet_record(false, false), mt_codelet_record(false, true), &mt_codelet_stimulus};
    size_t n = 0;
    for (size_t k = 0; k < sizeof common / sizeof *common; k++)
        all[n++] = (counted){.codelet = *common[k], .mix = mt_codelet_mix(common[k]->name)};
    for (const mt_cell_model *const *m = models; *m; m++) {
        cr_assert_lt(n + 2, MOST);
        all[n++] = (counted){
            mt_codelet_ode(&(mt_ode_context){.model = *m}), &(*m)->mix.ode, {.model = *m, .dt_ms = 0.02}};
        all[n++] = (counted){mt_codelet_ode(&(mt_ode_context){.model = *m, .mixed = true}),
            &(*m)->mix.ode_mixed, {.model = *m, .dt_ms = 0.02, .mixed = true}};
    }
    return n;
}

/* Returns a number of data/reference/published.csv, which also contains its source. */
static double published(const char *key)
{
    char line[512];
    double low = NAN;
    FILE *file = fopen("data/reference/published.csv", "r");
    cr_assert_not_null(file);
    while (isnan(low) && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ',')
            low = strtod(line + strlen(key) + 1, NULL);
    fclose(file);
    cr_assert(isfinite(low), "%s is not in data/reference/published.csv", key);
    return low;
}

Test(codelets, counted_cycles_are_within_5_percent_of_the_measured_ones)
{
    mt_arena arena = {0};
    const ipu_target target = gc200(&arena);
    const double pde = ipu_mix_cycles(mt_codelet_mix("pde"), &target.instructions),
                 ode = ipu_mix_cycles(&mt_cell_tp06.mix.ode, &target.instructions);
    cr_expect(fabs(pde / published("spmv_measured") - 1) <= 0.05, "SpMV: %g cycles", pde);
    cr_expect(fabs(ode / published("tp06_measured") - 1) <= 0.05, "TP06: %g cycles", ode);
    mt_arena_free(&arena);
}

/* Minimum counts, independent of the counting rules. A row reads D, its own v, 16 A, 16 columns and 16 v, and computes 17 products and
 * 16 sums. A cell reads and writes 18 states and V. Its equations contain, counted in the paper: m 5 exp, h and j 12, Xr1, Xr2, Xs 3
 * each, d, f, f2 4 each less one that f and f2 share, s 3, r 2, I_K1 4, I_pK 1, I_NaK 2, I_NaCa 2: 51; I_CaL an expm1; a log in each of
 * four reversal potentials; a square root in the rate of Xs. */
Test(codelets, instruction_mixes_match_the_equations)
{
    const ipu_mix *pde = mt_codelet_mix("pde"), *ode = &mt_cell_tp06.mix.ode;
    counted all[MOST];
    const size_t n = all_codelets(all);
    cr_assert_not_null(pde);
    cr_expect_eq(pde->count[IPU_OP_LOAD], 2 + 3 * 16);
    cr_expect_eq(pde->count[IPU_OP_STORE], 1);
    cr_expect_eq(pde->count[IPU_OP_MULTIPLY], 17);
    cr_expect_eq(pde->count[IPU_OP_ADD], 16);
    cr_expect_eq(ode->count[IPU_OP_LOAD], 19);
    cr_expect_eq(ode->count[IPU_OP_STORE], 19);
    cr_expect_eq(ode->count[IPU_OP_EXP], 51);
    cr_expect_eq(ode->count[IPU_OP_EXPM1], 1);
    cr_expect_eq(ode->count[IPU_OP_LOG], 4);
    cr_expect_eq(ode->count[IPU_OP_SQRT], 1);
    for (size_t k = 0; k < n; k++) {
        const ipu_mix *t = all[k].mix;
        cr_assert_not_null(t, "%s", all[k].codelet.name);
        unsigned sum = 0;
        for (int o = 0; o < IPU_OPERATIONS; o++) sum += t->count[o];
        cr_expect_eq(sum, t->bundles + t->pairs, "%s", t->name);
        cr_expect_eq(t->count[IPU_OP_LOOP], 1, "%s", t->name);
    }
    cr_expect_null(mt_codelet_mix("purkinje"));
}

/* Six workers share n cells: the slowest has n / 6, rounded up. Tile entry and worker start are paid once. Rows calculated by hand: 3 +
 * turns * 111 for pde. */
Test(codelets, a_vertex_costs_its_entry_plus_its_slowest_worker)
{
    static const struct {
        size_t cells, turns;
    } rows[] = {{0, 0}, {1, 1}, {6, 1}, {7, 2}, {12, 2}, {2060, 344}};
    mt_arena arena = {0};
    const ipu_target target = gc200(&arena);
    counted all[MOST];
    const size_t n_all = all_codelets(all);
    for (size_t k = 0; k < n_all; k++) {
        const ipu_mix *t = all[k].mix;
        const ipu_codelet *codelet = &all[k].codelet;
        const double turn = ipu_mix_cycles(t, &target.instructions);
        cr_expect_eq(turn, floor(turn), "the costs of the GC200 are whole numbers");
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            size_t n[IPU_MAX_FIELDS];
            for (size_t f = 0; f < codelet->n_fields; f++) n[f] = rows[r].cells;
            if (strcmp(codelet->name, "pde") == 0) {
                n[1] = n[2] = 16 * rows[r].cells;
                n[3] = rows[r].cells + 77; /* and the received elements */
            }
            if (strcmp(codelet->name, "pde_double_word") == 0) {
                n[0] = n[1] = 16 * rows[r].cells;
                n[2] = rows[r].cells + 77;
                n[4] = 1;
            }
            if (all[k].context.model) n[0] = all[k].context.model->n_states * rows[r].cells;
            if (strncmp(codelet->name, "activation", 10) == 0) n[0] = 1;
            if (strcmp(codelet->name, "stimulus") == 0) n[1] = 2060;
            const ipu_cycles cost = codelet->cost(&target, n, &all[k].context);
            cr_expect_eq(cost.entry, 11, "%s", t->name);
            cr_expect_eq(6 * cost.worker - cost.idle, 6 * t->start + rows[r].cells * (uint64_t)turn,
                "%s of %zu cells: what its workers do", t->name, rows[r].cells);
            cr_expect_eq(cost.worker, t->start + rows[r].turns * (uint64_t)turn, "%s of %zu cells", t->name,
                rows[r].cells);
        }
    }
    mt_arena_free(&arena);
}

Test(codelets, fractional_costs_are_rounded_up)
{
    static const char *const set = "instructions.f32_div=3.25";
    mt_arena arena = {0};
    ipu_target target;
    cr_assert_eq(ipu_target_load(&arena, "data/machines/gc200.yaml", sets_of(&set, 1), 1, &target), MT_OK);
    const ipu_mix *t = mt_codelet_mix("activation");
    cr_assert_eq(t->count[IPU_OP_DIVIDE], 1);
    const size_t n[] = {1, 5, 5, 5}; /* one turn: bundles + 2.25 */
    const ipu_cycles cost = mt_codelet_record(false, false)->cost(&target, n, NULL);
    cr_expect_eq(cost.worker, t->start + t->bundles + 3);
    /* five of six workers have a cell of bundles + 2.25: 11.25 in five, and 3 each in six */
    cr_expect_eq(cost.idle, 6 * (t->bundles + 3) - (5 * t->bundles + 12));
    mt_arena_free(&arena);
}

/* Two workers with six and five cells, in vectors of four: two turns each. Rows of a matrix, and cells with a variant each, load from
 * computed addresses: eleven turns. */
Test(codelets, vectors_are_for_loops_over_contiguous_cells)
{
    mt_arena arena = {0};
    ipu_target target = gc200(&arena);
    target.worker_contexts = 2;
    target.instructions.f32_lanes = 4;
    const size_t cells = 11, records[] = {1, cells, cells, cells},
                 rows[] = {cells, 16 * cells, 16 * cells, cells, cells};
    const size_t ode[] = {mt_cell_tp06.n_states * cells, cells, cells, cells, 1};
    const mt_ode_context one = {.model = &mt_cell_tp06, .dt_ms = 0.02},
                         mixed = {.model = &mt_cell_tp06, .dt_ms = 0.02, .mixed = true};
    const struct {
        ipu_cycles cost;
        const ipu_mix *mix;
        size_t most, all; /* turns of the slower worker, and of both */
    } cases[] = {
        {mt_codelet_record(false, false)->cost(&target, records, NULL), mt_codelet_mix("activation"), 2, 4},
        {mt_codelet_ode(&one).cost(&target, ode, &one), &mt_cell_tp06.mix.ode, 2, 4},
        {mt_codelet_ode(&mixed).cost(&target, ode, &mixed), &mt_cell_tp06.mix.ode_mixed, 6, 11},
        {mt_codelet_pde.cost(&target, rows, NULL), mt_codelet_mix("pde"), 6, 11}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const uint64_t turn = (uint64_t)ipu_mix_cycles(cases[k].mix, &target.instructions),
                       start = cases[k].mix->start;
        cr_expect_eq(cases[k].cost.worker, start + cases[k].most * turn, "%zu", k);
        cr_expect_eq(
            2 * cases[k].cost.worker - cases[k].cost.idle, 2 * start + cases[k].all * turn, "%zu", k);
    }
    mt_arena_free(&arena);
}

static void expect_field(
    const ipu_codelet *c, size_t k, const char *name, ipu_direction direction, ipu_type type)
{
    cr_assert(k < c->n_fields);
    cr_expect_str_eq(c->fields[k].name, name);
    cr_expect_eq(c->fields[k].direction, direction, "%s.%s", c->name, name);
    cr_expect_eq(c->fields[k].type, type, "%s.%s", c->name, name);
}

Test(codelets, fields_declare_reads_and_writes)
{
    expect_field(&mt_codelet_pde, 0, "d", IPU_INPUT, IPU_FLOAT);
    expect_field(&mt_codelet_pde, 1, "a", IPU_INPUT, IPU_FLOAT);
    expect_field(&mt_codelet_pde, 2, "column", IPU_INPUT, IPU_UNSIGNED_SHORT);
    expect_field(&mt_codelet_pde, 3, "v", IPU_INPUT, IPU_FLOAT);
    expect_field(&mt_codelet_pde, 4, "out", IPU_OUTPUT, IPU_FLOAT);
    expect_field(&mt_codelet_pde_double_word, 2, "v", IPU_INPUT, IPU_FLOAT);
    expect_field(&mt_codelet_pde_double_word, 3, "v_low", IPU_INOUT, IPU_FLOAT);
    expect_field(&mt_codelet_pde_double_word, 4, "substep", IPU_INOUT, IPU_FLOAT);
    counted all[MOST];
    const size_t n_all = all_codelets(all);
    for (size_t k = 0; k < n_all; k++) {
        if (!all[k].context.model) continue;
        const size_t mixed = strcmp(all[k].codelet.name, "ode_mixed") == 0;
        cr_expect(mixed || strcmp(all[k].codelet.name, "ode") == 0);
        expect_field(&all[k].codelet, 0, "state", IPU_INOUT, IPU_FLOAT);
        expect_field(&all[k].codelet, 1, "v_in", IPU_INPUT, IPU_FLOAT);
        expect_field(&all[k].codelet, 2, "v_out", IPU_OUTPUT, IPU_FLOAT);
        if (mixed) expect_field(&all[k].codelet, 3, "of", IPU_INPUT, IPU_UNSIGNED_SHORT);
        if (mixed) expect_field(&all[k].codelet, 4, "constants", IPU_INPUT, IPU_FLOAT);
    }
    expect_field(mt_codelet_record(false, false), 0, "step", IPU_INOUT, IPU_FLOAT);
    expect_field(mt_codelet_record(false, false), 1, "v", IPU_INPUT, IPU_FLOAT);
    expect_field(mt_codelet_record(false, false), 2, "before", IPU_INOUT, IPU_FLOAT);
    expect_field(mt_codelet_record(false, false), 3, "activation", IPU_INOUT, IPU_FLOAT);
    const ipu_codelet spread =
        mt_codelet_ode(&(mt_ode_context){.model = &mt_cell_tp06, .mixed = true, .spread = true});
    expect_field(&spread, 3, "share", IPU_INPUT, IPU_FLOAT);
    expect_field(&spread, 4, "s", IPU_OUTPUT, IPU_FLOAT);
    expect_field(&spread, 5, "of", IPU_INPUT, IPU_UNSIGNED_SHORT);
    expect_field(&spread, 6, "constants", IPU_INPUT, IPU_FLOAT);
    expect_field(mt_codelet_record(false, true), 1, "v", IPU_INOUT, IPU_FLOAT);
    expect_field(mt_codelet_record(false, true), 4, "s", IPU_INPUT, IPU_FLOAT);
    expect_field(&mt_codelet_stimulus, 0, "cell", IPU_INPUT, IPU_UNSIGNED_SHORT);
    expect_field(&mt_codelet_stimulus, 1, "v", IPU_INOUT, IPU_FLOAT);
    for (size_t k = 0; k < n_all; k++) {
        static const size_t n[] = {5, 6, 4, 5, 2, 3, 5}; /* and ode and ode_mixed again */
        const ipu_codelet *c = &all[k].codelet;
        const ipu_mix *t = all[k].mix;
        cr_expect_eq(c->n_fields, n[k < 7 ? k : 6 - k % 2], "%s", c->name);
        cr_expect_eq(
            c->code_bytes, 4 * (t->start + t->bundles + t->pairs), "%s: 4 bytes an instruction", c->name);
        cr_expect(c->vertex_bytes >= 4 * c->n_fields, "%s: a pointer each", c->name);
    }
}

/* Calculated by hand, dt 0.5 ms, step 4 (from 2 to 2.5 ms); every number is exact in single precision. */
Test(codelets, activation_is_the_first_upward_crossing_interpolated)
{
    enum { N = 8 };
    static float before[N] = {-10, -30, -10, 10, 0, -10, -10, -80}, v[N] = {30, 10, -1, -10, 20, 30, 0, -90};
    const float expected[N] = {2.125F, 2.375F, INFINITY, INFINITY, INFINITY, 1, 2.5F, INFINITY};
    float time[N] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, 1, INFINITY, INFINITY}, step = 4;
    const float dt_ms = 0.5F;
    const ipu_span f[] = {{&step, 1}, {v, N}, {before, N}, {time, N}};
    mt_codelet_record(false, false)->compute(f, &dt_ms);
    for (int k = 0; k < N; k++) {
        cr_expect_eq(time[k], expected[k], "cell %d: %g", k, (double)time[k]);
        cr_expect_eq(before[k], v[k], "cell %d", k);
    }
    cr_expect_eq(step, 5);
    v[0] = -20; /* down and up again: the first time is kept */
    mt_codelet_record(false, false)->compute(f, &dt_ms);
    v[0] = 20;
    mt_codelet_record(false, false)->compute(f, &dt_ms);
    cr_expect_eq(time[0], 2.125F);
    cr_expect_eq(step, 7);
}

Test(codelets, the_stimulus_raises_the_voltage_of_the_listed_cells)
{
    float v[] = {-85, -80, -75, -70};
    uint16_t cell[] = {0, 3};
    const float rise_mV = 0.75F;
    const ipu_span f[] = {{cell, 2}, {v, 4}};
    mt_codelet_stimulus.compute(f, &rise_mV);
    cr_expect(v[0] == -84.25F && v[1] == -80 && v[2] == -75 && v[3] == -69.25F);
}

/* The matrix codelet computes the rows of the tile; own values come first. */
Test(codelets, pde_multiplies_the_rows_of_the_tile)
{
    enum { N = 18, ALL = 25, ROW = MT_ELLPACK_WIDTH };
    static float d[N], a[N * ROW], v[ALL], out[N];
    static uint16_t column[N * ROW];
    for (size_t k = 0; k < ALL; k++) v[k] = (float)(k * k);
    for (size_t r = 0; r < N; r++) {
        d[r] = 0.5F;
        for (size_t k = 0; k < ROW; k++) {
            a[mt_block_index(N, ROW, r, k)] = (float)(k % 4) / 4;
            column[mt_block_index(N, ROW, r, k)] = (uint16_t)((r + k) % ALL);
        }
    }
    const ipu_span f[] = {{d, N}, {a, N * ROW}, {column, N * ROW}, {v, ALL}, {out, N}};
    mt_codelet_pde.compute(f, NULL);
    for (size_t r = 0; r < N; r++) {
        float sum = 0.5F * (float)(r * r); /* quarters of integers: exact in any order */
        for (size_t k = 0; k < ROW; k++) sum += (float)(k % 4) / 4 * (float)((r + k) % ALL * ((r + k) % ALL));
        cr_expect_eq(out[r], sum, "row %zu", r);
    }
}

/* The last of three diffusion steps in a time step drops the low parts. Each element has a received neighbour. */
Test(codelets, double_words_keep_low_parts_within_a_time_step)
{
    enum { N = 18, ROW = MT_ELLPACK_WIDTH };
    static float a[N * ROW], v[N + 1], v_low[N], out[N];
    static uint16_t column[N * ROW];
    const size_t steps = 3;
    float substep = 0;
    v[N] = 2;
    for (size_t r = 0; r < N; r++) {
        v[r] = 1;
        a[mt_block_index(N, ROW, r, 0)] = 0x1p-26F;
        column[mt_block_index(N, ROW, r, 0)] = N;
    }
    const ipu_span f[] = {{a, N * ROW}, {column, N * ROW}, {v, N + 1}, {v_low, N}, {&substep, 1}, {out, N}};
    for (size_t turn = 0; turn < 2 * steps; turn++) {
        const bool last = turn % steps == steps - 1;
        cr_expect_eq(substep, (float)(turn % steps));
        mt_codelet_pde_double_word.compute(f, &steps);
        for (size_t r = 0; r < N; r++) {
            cr_expect_eq(out[r], 1, "step %zu, row %zu", turn, r);
            cr_expect_eq(
                v_low[r], last ? 0 : (float)(turn % steps + 1) * 0x1p-26F, "step %zu, row %zu", turn, r);
        }
    }
}

/* A step equals that of the model, with or without spreading, in place or not. */
static void check_ode(const mt_cell_model *model, bool mixed, bool spread, bool in_place)
{
    enum { N = 275, STATES_MOST = 64 }; /* more than one batch */
    static float state[2][N * STATES_MOST], v[N], out[2][N], share[N], s[N];
    static uint16_t of[N];
    const size_t n_states = model->n_states, variant = model->n_variants - 1;
    cr_assert_leq(n_states, (size_t)STATES_MOST);
    for (size_t cell = 0; cell < N; cell++) {
        of[cell] = (uint16_t)(cell % model->n_variants);
        for (size_t k = 0; k < n_states; k++) {
            const size_t at = mt_block_index(N, n_states, cell, k);
            state[0][at] = state[1][at] = (float)model->variants[variant].states[k];
        }
        v[cell] = out[0][cell] = -90 + 0.4F * (float)cell;
        share[cell] = (float)(cell % 7);
    }
    float constants[MT_CELL_VARIANTS * MT_CELL_CONSTANTS];
    mt_cell_constants_float(model, model->variants, model->n_variants, constants);
    const mt_ode_context context = {
        model, mixed ? NULL : constants + variant * model->n_constants, 0.01, mixed, spread, false, 0, false};
    const ipu_codelet codelet = mt_codelet_ode(&context);
    ipu_span f[7] = {{state[0], N * n_states}, {in_place ? out[0] : v, N}, {out[0], N}};
    size_t n = 3;
    if (spread) f[n++] = (ipu_span){share, N}, f[n++] = (ipu_span){s, N};
    if (mixed) f[n++] = (ipu_span){of, N};
    if (mixed) f[n++] = (ipu_span){constants, model->n_variants * model->n_constants};
    cr_assert_eq(codelet.n_fields, n);
    codelet.compute(f, &context);
    mt_cell_step_float(model, variant, mixed ? of : NULL, 0.01, N, state[1], v, out[1]);
    for (size_t cell = 0; spread && cell < N; cell++) {
        const float expected = share[cell] * (out[1][cell] - v[cell]);
        cr_expect_eq(s[cell], expected, "%s, cell %zu", model->name, cell);
        out[1][cell] += expected;
    }
    cr_expect_arr_eq(out[0], out[1], sizeof out[0], "%s", model->name);
    cr_expect_arr_eq(state[0], state[1], n_states * N * sizeof **state, "%s", model->name);
    cr_expect(memcmp(out[0], v, sizeof v) != 0, "%s", model->name);
}

Test(codelets, ode_performs_a_step_of_the_ionic_model)
{
    for (const mt_cell_model *const *m = models; *m; m++)
        for (int k = 0; k < 8; k++) check_ode(*m, k & 1, k & 2, k & 4);
}

/* 60 cells for 6 workers: each checks 10; worker 2 has the most evaluations. */
Test(codelets, multirate_stepping_costs_the_time_of_its_slowest_worker)
{
    enum { N = 60, STATES_MOST = 64 };
    static float state[N * STATES_MOST], v[N], out[N], kept[N], change[N], since[N], step = 4;
    const mt_cell_model *model = mt_cell_models[0];
    mt_arena arena = {0};
    const ipu_target target = gc200(&arena);
    float constants[MT_CELL_CONSTANTS];
    mt_cell_constants_float(model, model->variants, 1, constants);
    const mt_ode_context context = {
        .model = model, .constants = constants, .dt_ms = 0.02, .multirate = true, .tolerance_mV = 0.1};
    const ipu_codelet codelet = mt_codelet_ode(&context);
    const ipu_span f[] = {
        {state, N * model->n_states}, {v, N}, {out, N}, {kept, N}, {change, N}, {since, N}, {&step, 1}};
    v[2] = v[8] = v[50] = -1; /* workers 2, 2, 2 */
    v[0] = v[59] = 0.2F;      /* 0 and 5 */
    v[1] = 0.004F;            /* the change by diffusion is far below the tolerance */
    const ipu_mix *look = mt_codelet_mix("multirate"), *evaluation = &model->mix.ode_multirate;
    const double looks = (double)look->start + (double)evaluation->start +
                         10 * ipu_mix_cycles(look, &target.instructions),
                 one = ipu_mix_cycles(evaluation, &target.instructions);
    const ipu_cycles cost = codelet.compute_timed(&target, f, &context);
    cr_expect_eq(cost.worker, (uint64_t)ceil(looks + 3 * one));
    cr_expect_eq(cost.entry, target.vertex_entry_cycles);
    cr_expect_eq(cost.idle, 6 * cost.worker - (uint64_t)ceil(looks + 3 * one) -
                                2 * (uint64_t)ceil(looks + one) - 3 * (uint64_t)ceil(looks));
    step = 15; /* all are evaluated */
    cr_expect_eq(codelet.compute_timed(&target, f, &context).worker, (uint64_t)ceil(looks + 10 * one));
    cr_expect_eq(codelet.compute_timed(&target, f, &context).idle, 0);
    const size_t n[] = {0, N, N, N, N, N, 1};
    cr_expect_eq(codelet.cost(&target, n, &context).worker, (uint64_t)ceil(looks + 10 * one),
        "the typical cost is the cost of evaluating all cells");
    mt_arena_free(&arena);
}

/* In addition to the plain codelets. */
Test(codelets, the_cost_of_spreading_equals_the_counted_instructions)
{
    mt_arena arena = {0};
    const ipu_target target = gc200(&arena);
    const size_t n[] = {0, 0, 600, 0, 0};
    const double each = ipu_mix_cycles(mt_codelet_mix("spread"), &target.instructions);
    for (const mt_cell_model *const *m = models; *m; m++) {
        const mt_ode_context plain = {.model = *m, .dt_ms = 0.02},
                             spread = {.model = *m, .dt_ms = 0.02, .spread = true};
        const double more = (double)mt_codelet_ode(&spread).cost(&target, n, &spread).worker -
                            (double)mt_codelet_ode(&plain).cost(&target, n, &plain).worker;
        const double start = (double)mt_codelet_mix("spread")->start;
        cr_expect(fabs(more - start - 100 * each) <= 1, "%g cycles more", more);
    }
    mt_arena_free(&arena);
}
