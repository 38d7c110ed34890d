#include <criterion/criterion.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipu/cost/mix.h"
#include "ipu/machine/target.h"
#include "solver/kernels/block.h"
#include "solver/plan/codelets.h"
#include "solver/kernels/ellpack.h"

static ipu_target gc200(mt_arena *arena)
{
    ipu_target target;
    cr_assert_eq(
        ipu_target_load(arena, "data/machines/gc200.yaml", NULL, 0, &target), MT_OK, "%s", mt_message());
    return target;
}

static const ipu_codelet *const codelets[] = {
    &mt_codelet_pde, &mt_codelet_ode, &mt_codelet_activation, &mt_codelet_stimulus};
enum { CODELETS = sizeof codelets / sizeof codelets[0] };

/* A number of data/reference/published.csv, where its source stands. */
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
                 ode = ipu_mix_cycles(mt_codelet_mix("ode"), &target.instructions);
    cr_expect(fabs(pde / published("spmv_measured") - 1) <= 0.05, "SpMV: %g cycles", pde);
    cr_expect(fabs(ode / published("tp06_measured") - 1) <= 0.05, "TP06: %g cycles", ode);
    mt_arena_free(&arena);
}

/* What no way of counting can get around: a row reads D, its own v, 16 A, 16 columns and 16 v, and makes 17
 * products and 16 sums; a cell reads and writes 18 states and V. Its equations hold, counted in the paper: m
 * 5 exp, h and j 12, Xr1, Xr2, Xs 3 each, d, f, f2 4 each less one that f and f2 share, s 3, r 2, I_K1 4,
 * I_pK 1, I_NaK 2, I_NaCa 2: 51; I_CaL an expm1; a log in each of four reversal potentials; a square root in
 * the rate of Xs. */
Test(codelets, mixes_hold_what_the_equations_need)
{
    const ipu_mix *pde = mt_codelet_mix("pde"), *ode = mt_codelet_mix("ode");
    cr_assert(pde && ode);
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
    for (int k = 0; k < CODELETS; k++) {
        const ipu_mix *t = mt_codelet_mix(codelets[k]->name);
        cr_assert_not_null(t, "%s", codelets[k]->name);
        unsigned all = 0;
        for (int o = 0; o < IPU_OPERATIONS; o++) all += t->count[o];
        cr_expect_eq(all, t->bundles + t->pairs, "%s", t->name);
        cr_expect_eq(t->count[IPU_OP_LOOP], 1, "%s", t->name);
    }
    cr_expect_null(mt_codelet_mix("purkinje"));
}

/* Six workers share n cells: the slowest has n / 6 of them, rounded up; tile entry and worker start are paid
 * once. The rows by hand: 3 + turns * 111 for pde. */
Test(codelets, a_vertex_costs_its_entry_and_its_slowest_worker)
{
    static const struct {
        size_t cells, turns;
    } rows[] = {{0, 0}, {1, 1}, {6, 1}, {7, 2}, {12, 2}, {2060, 344}};
    mt_arena arena = {0};
    const ipu_target target = gc200(&arena);
    for (int k = 0; k < CODELETS; k++) {
        const ipu_mix *t = mt_codelet_mix(codelets[k]->name);
        const double turn = ipu_mix_cycles(t, &target.instructions);
        cr_expect_eq(turn, floor(turn), "the GC200's costs are whole");
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            size_t n[IPU_MAX_FIELDS];
            for (size_t f = 0; f < codelets[k]->n_fields; f++) n[f] = rows[r].cells;
            if (codelets[k] == &mt_codelet_pde) {
                n[1] = n[2] = 16 * rows[r].cells;
                n[3] = rows[r].cells + 77; /* and those received */
            }
            if (codelets[k] == &mt_codelet_ode) n[0] = TP06_STATES * rows[r].cells;
            if (codelets[k] == &mt_codelet_activation) n[0] = 1;
            if (codelets[k] == &mt_codelet_stimulus) n[1] = 2060;
            const ipu_cycles cost = codelets[k]->cost(&target, n, NULL);
            cr_expect_eq(cost.entry, 11, "%s", t->name);
            cr_expect_eq(6 * cost.worker - cost.idle, 6 * t->start + rows[r].cells * (uint64_t)turn,
                "%s of %zu cells: what its workers do", t->name, rows[r].cells);
            cr_expect_eq(cost.worker, t->start + rows[r].turns * (uint64_t)turn, "%s of %zu cells", t->name,
                rows[r].cells);
        }
    }
    mt_arena_free(&arena);
}

Test(codelets, a_cost_that_is_not_whole_is_rounded_up)
{
    static const char *const set = "instructions.f32_div=3.25";
    mt_arena arena = {0};
    ipu_target target;
    cr_assert_eq(ipu_target_load(&arena, "data/machines/gc200.yaml", &set, 1, &target), MT_OK);
    const ipu_mix *t = mt_codelet_mix("activation");
    cr_assert_eq(t->count[IPU_OP_DIVIDE], 1);
    const size_t n[] = {1, 5, 5, 5}; /* one turn: bundles + 2.25 */
    const ipu_cycles cost = mt_codelet_activation.cost(&target, n, NULL);
    cr_expect_eq(cost.worker, t->start + t->bundles + 3);
    /* five of six workers have a cell of bundles + 2.25: 11.25 of five, and 3 each of six are there */
    cr_expect_eq(cost.idle, 6 * (t->bundles + 3) - (5 * t->bundles + 12));
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

Test(codelets, fields_say_what_is_read_and_written)
{
    expect_field(&mt_codelet_pde, 0, "d", IPU_INPUT, IPU_FLOAT);
    expect_field(&mt_codelet_pde, 1, "a", IPU_INPUT, IPU_FLOAT);
    expect_field(&mt_codelet_pde, 2, "column", IPU_INPUT, IPU_UNSIGNED_SHORT);
    expect_field(&mt_codelet_pde, 3, "v", IPU_INPUT, IPU_FLOAT);
    expect_field(&mt_codelet_pde, 4, "out", IPU_OUTPUT, IPU_FLOAT);
    expect_field(&mt_codelet_ode, 0, "state", IPU_INOUT, IPU_FLOAT);
    expect_field(&mt_codelet_ode, 1, "v_in", IPU_INPUT, IPU_FLOAT);
    expect_field(&mt_codelet_ode, 2, "v_out", IPU_OUTPUT, IPU_FLOAT);
    expect_field(&mt_codelet_activation, 0, "step", IPU_INOUT, IPU_FLOAT);
    expect_field(&mt_codelet_activation, 1, "v", IPU_INPUT, IPU_FLOAT);
    expect_field(&mt_codelet_activation, 2, "before", IPU_INOUT, IPU_FLOAT);
    expect_field(&mt_codelet_activation, 3, "activation", IPU_INOUT, IPU_FLOAT);
    expect_field(&mt_codelet_stimulus, 0, "cell", IPU_INPUT, IPU_UNSIGNED_SHORT);
    expect_field(&mt_codelet_stimulus, 1, "v", IPU_INOUT, IPU_FLOAT);
    static const size_t n[CODELETS] = {5, 3, 4, 2};
    for (int k = 0; k < CODELETS; k++) {
        cr_expect_eq(codelets[k]->n_fields, n[k], "%s", codelets[k]->name);
        cr_expect(codelets[k]->code_bytes > 0 && codelets[k]->code_bytes % 4 == 0, "%s", codelets[k]->name);
        cr_expect(codelets[k]->vertex_bytes >= 4 * n[k], "%s: a pointer each", codelets[k]->name);
    }
}

/* By hand, dt 0.5 ms, step 4 (from 2 to 2.5 ms); every number here is exact in float. */
Test(codelets, activation_is_the_first_upward_crossing_interpolated)
{
    enum { N = 8 };
    static float before[N] = {-10, -30, -10, 10, 0, -10, -10, -80}, v[N] = {30, 10, -1, -10, 20, 30, 0, -90};
    const float expected[N] = {2.125F, 2.375F, INFINITY, INFINITY, INFINITY, 1, 2.5F, INFINITY};
    float time[N] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, 1, INFINITY, INFINITY}, step = 4;
    const float dt_ms = 0.5F;
    const ipu_span f[] = {{&step, 1}, {v, N}, {before, N}, {time, N}};
    mt_codelet_activation.compute(f, &dt_ms);
    for (int k = 0; k < N; k++) {
        cr_expect_eq(time[k], expected[k], "cell %d: %g", k, (double)time[k]);
        cr_expect_eq(before[k], v[k], "cell %d", k);
    }
    cr_expect_eq(step, 5);
    v[0] = -20; /* down and up again: the first time stays */
    mt_codelet_activation.compute(f, &dt_ms);
    v[0] = 20;
    mt_codelet_activation.compute(f, &dt_ms);
    cr_expect_eq(time[0], 2.125F);
    cr_expect_eq(step, 7);
}

Test(codelets, the_stimulus_lifts_the_listed_cells)
{
    float v[] = {-85, -80, -75, -70};
    uint16_t cell[] = {0, 3};
    const float rise_mV = 0.75F;
    const ipu_span f[] = {{cell, 2}, {v, 4}};
    mt_codelet_stimulus.compute(f, &rise_mV);
    cr_expect(v[0] == -84.25F && v[1] == -80 && v[2] == -75 && v[3] == -69.25F);
}

/* The matrix codelet takes the tile's own rows, and own values first. */
Test(codelets, pde_multiplies_the_tiles_rows)
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
        float sum = 0.5F * (float)(r * r); /* quarters of whole numbers: exact in any order */
        for (size_t k = 0; k < ROW; k++) sum += (float)(k % 4) / 4 * (float)((r + k) % ALL * ((r + k) % ALL));
        cr_expect_eq(out[r], sum, "row %zu", r);
    }
}

Test(codelets, ode_is_a_step_of_the_cell_model)
{
    enum { N = 19 };
    static float state[2][N * TP06_STATES], v[N], out[2][N];
    const mt_tp06_type *type = &mt_tp06_types[MT_ENDO];
    for (size_t cell = 0; cell < N; cell++) {
        for (size_t k = 0; k < TP06_STATES; k++)
            state[0][mt_block_index(N, TP06_STATES, cell, k)] =
                state[1][mt_block_index(N, TP06_STATES, cell, k)] = (float)type->state[k];
        v[cell] = -90 + 6 * (float)cell;
    }
    const mt_ode_context context = {type, 0.01};
    const ipu_span f[] = {{state[0], N * TP06_STATES}, {v, N}, {out[0], N}};
    mt_codelet_ode.compute(f, &context);
    mt_tp06_step_float(type, 0.01, N, state[1], v, out[1]);
    cr_expect_arr_eq(out[0], out[1], sizeof out[0]);
    cr_expect_arr_eq(state[0], state[1], sizeof state[0]);
    cr_expect(memcmp(out[0], v, sizeof v) != 0);
}
