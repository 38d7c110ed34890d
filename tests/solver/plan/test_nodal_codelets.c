#include <criterion/criterion.h>

#include <string.h>

#include "solver/cells/tp06/tp06.h"
#include "solver/kernels/sliced.h"
#include "solver/plan/codelets.h"
#include "solver/plan/implicit_codelets.h"
#include "solver/plan/nodal_codelets.h"
#include "tests/random.h"

static mt_arena arena;
static ipu_target target;

static void load_target(void)
{
    cr_assert_eq(ipu_target_load(&arena, "data/machines/gc200.yaml", NULL, 0, &target), MT_OK);
}

static void free_all(void) { mt_arena_free(&arena); }

TestSuite(nodal_codelets, .init = load_target, .fini = free_all);

Test(nodal_codelets, rows_are_sorted_by_length_and_equal_ones_keep_their_order)
{
    const size_t length[] = {3, 5, 4, 5, 3, 9};
    const uint16_t expected[] = {5, 1, 3, 2, 0, 4};
    mt_tile_rows rows;
    cr_assert_eq(mt_tile_rows_make(&arena, 6, length, &rows), MT_OK);
    cr_expect_arr_eq(rows.row, expected, sizeof expected);
    cr_expect_eq(rows.n_blocks, 1);
    cr_expect_eq(rows.width[0], 9);
    cr_expect_eq(rows.n_values, 6 * 9);
    cr_assert_eq(mt_tile_rows_make(&arena, 0, NULL, &rows), MT_OK);
    cr_expect_eq(rows.n_values, 0);
}

/* 17 rows: 16 of the block have width 20, and the last row alone has width 3. */
Test(nodal_codelets, a_last_block_has_only_the_lanes_of_its_rows)
{
    size_t length[17], stride, width;
    mt_tile_rows rows;
    for (size_t r = 0; r < 17; r++) length[r] = 3 + r + (r > 0);
    cr_assert_eq(mt_tile_rows_make(&arena, 17, length, &rows), MT_OK);
    cr_expect_eq(rows.n_values, 16 * 20 + 3);
    cr_expect_eq(mt_tile_rows_at(&rows, 15, &stride, &width), 15);
    cr_expect(stride == 16 && width == 20);
    cr_expect_eq(mt_tile_rows_at(&rows, 16, &stride, &width), 320);
    cr_expect(stride == 1 && width == 3);
}

/* ---- values: those of the host's kernel, to the bit ---- */

enum { OWN = 53, ALL = 80, LONGEST = 23 };

/* Random rows of a tile, and the same in the form of the host. */
typedef struct tile {
    size_t start[ALL + 1];
    uint32_t column[OWN * LONGEST], order[ALL];
    double value[OWN * LONGEST];
    float x[ALL], v[OWN], share[OWN], s[OWN], expected[ALL];
    mt_tile_rows rows;
    float *a;
    uint16_t *local;
} tile;

static float any(uint64_t *state) { return (float)draw(state, 1000003) / 7919 - 60; }

static void fill_tile(tile *t)
{
    size_t length[OWN], stride, width;
    for (size_t i = 0; i < OWN; i++) length[i] = t->start[i + 1] - t->start[i];
    cr_assert_eq(mt_tile_rows_make(&arena, OWN, length, &t->rows), MT_OK);
    t->a = mt_arena_alloc(&arena, t->rows.n_values, sizeof *t->a);
    t->local = mt_arena_alloc(&arena, t->rows.n_values, sizeof *t->local);
    for (size_t r = 0; r < OWN; r++) {
        const size_t cell = t->rows.row[r], at = mt_tile_rows_at(&t->rows, r, &stride, &width);
        for (size_t k = 0; k < width; k++) {
            const bool used = k < length[cell];
            t->a[at + k * stride] = used ? (float)t->value[t->start[cell] + k] : 0;
            t->local[at + k * stride] = (uint16_t)(used ? t->column[t->start[cell] + k] : cell);
        }
    }
}

static tile *make_tile(void)
{
    uint64_t state = 7;
    tile *t = mt_arena_alloc(&arena, 1, sizeof *t);
    for (size_t i = 0; i < ALL; i++) {
        const size_t length = i < OWN ? 1 + draw(&state, LONGEST) : 0;
        t->start[i + 1] = t->start[i] + length;
        t->order[i] = (uint32_t)i;
        t->x[i] = any(&state);
        for (size_t k = t->start[i]; k < t->start[i + 1]; k++) {
            t->column[k] = (uint32_t)draw(&state, ALL);
            t->value[k] = (double)any(&state) / 1000;
        }
    }
    for (size_t i = 0; i < OWN; i++) t->v[i] = any(&state), t->share[i] = any(&state) / 100;
    fill_tile(t);
    return t;
}

/* Computes base + the sums of all rows as the host does. */
static void on_host(tile *t, const float *base)
{
    const mt_sliced_source source = {ALL, t->start, t->column, t->order, t->order};
    mt_sliced sliced;
    float all[ALL] = {0};
    memcpy(all, base, OWN * sizeof *base);
    cr_assert_eq(mt_sliced_make(&arena, &source, &sliced), MT_OK);
    float *a = mt_arena_alloc(&arena, sliced.n_values, sizeof *a);
    mt_sliced_values_float(&sliced, &source, t->value, 1, a);
    mt_sliced_rows_float(ALL, sliced.block, a, all, t->x, t->x, t->expected);
}

Test(nodal_codelets, a_diffusion_step_has_the_bits_of_the_host)
{
    tile *t = make_tile();
    float out[OWN];
    const ipu_span f[] = {{t->rows.row, OWN}, {t->rows.width, t->rows.n_blocks}, {t->a, t->rows.n_values},
        {t->local, t->rows.n_values}, {t->x, ALL}, {out, OWN}};
    mt_codelet_nodal_pde.compute(f, &t->rows);
    on_host(t, t->x);
    cr_expect_arr_eq(out, t->expected, sizeof out);
}

Test(nodal_codelets, spreading_adds_the_sums_and_the_share_of_the_own_increment)
{
    for (int shares = 0; shares < 2; shares++) {
        tile *t = make_tile();
        const ipu_span f[] = {{t->rows.row, OWN}, {t->rows.width, t->rows.n_blocks}, {t->a, t->rows.n_values},
            {t->local, t->rows.n_values}, {t->x, ALL}, {t->v, OWN}, {t->share, OWN}, {t->s, OWN}};
        on_host(t, t->v);
        mt_codelet_nodal_spread(shares == 1)->compute(f, &t->rows);
        for (size_t i = 0; i < OWN; i++) {
            const float s = shares ? t->share[i] * t->x[i] : 0;
            cr_assert_eq(t->s[i], s, "cell %zu", i);
            cr_assert_eq(t->v[i], shares ? t->expected[i] + s : t->expected[i], "cell %zu", i);
        }
    }
}

/* Two diffusion steps of a time step: the low parts remain after the first, and not after the last. */
Test(nodal_codelets, a_diffusion_step_in_double_words_has_the_bits_of_the_host)
{
    tile *t = make_tile();
    const mt_tile_words c = {&t->rows, 2};
    const mt_sliced_source source = {ALL, t->start, t->column, t->order, t->order};
    mt_sliced sliced;
    float low[OWN], expected_low[ALL] = {0}, step = 0, out[OWN];
    cr_assert_eq(mt_sliced_make(&arena, &source, &sliced), MT_OK);
    float *a = mt_arena_alloc(&arena, sliced.n_values, sizeof *a);
    mt_sliced_values_float(&sliced, &source, t->value, 1, a);
    for (size_t i = 0; i < OWN; i++) low[i] = expected_low[i] = t->share[i] * 0x1p-24F;
    const ipu_span f[] = {{t->rows.row, OWN}, {t->rows.width, t->rows.n_blocks}, {t->a, t->rows.n_values},
        {t->local, t->rows.n_values}, {t->x, ALL}, {low, OWN}, {&step, 1}, {out, OWN}};
    for (int k = 0; k < 2; k++) {
        mt_sliced_rows_double_word(
            ALL, sliced.block, a, t->x, t->x, k == 0 ? 1 : 0, expected_low, t->expected);
        mt_codelet_nodal_pde_double_word.compute(f, &c);
        cr_expect_eq(step, k == 0 ? 1 : 0);
        for (size_t i = 0; i < OWN; i++) {
            cr_assert_eq(out[i], t->expected[i], "step %d, cell %zu", k, i);
            cr_assert_eq(low[i], expected_low[i], "step %d, cell %zu", k, i);
            cr_assert(k == 0 || low[i] == 0);
        }
        memcpy(t->x, out, sizeof out);
    }
}

/* x = G v / theta, and r = p = shadow = x - A x = G x - d x. */
Test(nodal_codelets, products_of_implicit_steps_have_the_bits_of_the_host)
{
    tile *t = make_tile();
    const float zero[OWN] = {0};
    const mt_implicit_context c = {2, &t->rows};
    float x[OWN], r[OWN], p[OWN], shadow[OWN], bound[3], most = 0;
    const ipu_codelet increments = mt_codelet_implicit(MT_IMPLICIT_INCREMENTS, true),
                      start = mt_codelet_implicit(MT_IMPLICIT_START, true);
    const ipu_span row = {t->rows.row, OWN}, width = {t->rows.width, t->rows.n_blocks},
                   a = {t->a, t->rows.n_values}, column = {t->local, t->rows.n_values}, d = {t->share, OWN},
                   v = {t->x, ALL}, first[] = {d, a, column, v, {x, OWN}, row, width},
                   second[] = {d, a, column, v, {r, OWN}, {p, OWN}, {shadow, OWN}, {bound, 3}, row, width};
    cr_assert_eq(increments.n_fields, 7);
    cr_assert_eq(start.n_fields, 10);
    increments.compute(first, &c);
    start.compute(second, &c);
    on_host(t, zero);
    for (size_t i = 0; i < OWN; i++) {
        const float residual = t->expected[i] - t->share[i] * t->x[i];
        cr_assert_eq(x[i], 2 * t->expected[i], "cell %zu", i);
        cr_assert(r[i] == residual && p[i] == residual && shadow[i] == residual, "cell %zu", i);
        most = residual > most ? residual : -residual > most ? -residual : most;
    }
    cr_expect(bound[0] == most && bound[1] == most);
}

/* The increments of cells that react, with and without multirate stepping, in place. */
Test(nodal_codelets, the_reaction_stores_its_increments)
{
    enum { N = 275 }; /* more than one piece */
    const mt_cell_model *model = &mt_cell_tp06;
    for (int multirate = 0; multirate < 2; multirate++) {
        static float v[N], before[N], expected[N], d[N], paced[3][N];
        float *state = mt_arena_alloc(&arena, 2 * N * model->n_states, sizeof *state),
              *other = state + N * model->n_states, constants[MT_CELL_CONSTANTS], step = 0;
        for (size_t k = 0; k < N * model->n_states; k++) state[k] = other[k] = 0.1F;
        for (size_t k = 0; k < N; k++) v[k] = before[k] = expected[k] = -90 + 0.4F * (float)k;
        for (size_t k = 0; k < 3 * N; k++) paced[k / N][k % N] = (float)mt_paced_start[k / N];
        mt_cell_constants_float(model, model->variants, 1, constants);
        const mt_ode_context c = {.model = model,
            .constants = constants,
            .dt_ms = 0.02,
            .multirate = multirate == 1,
            .tolerance_mV = 0.1,
            .increments = true};
        const ipu_codelet codelet = mt_codelet_ode(&c);
        cr_expect_str_eq(codelet.name, multirate ? "ode_multirate_increments" : "ode_increments");
        cr_expect_str_eq(codelet.fields[3].name, "d");
        const ipu_span f[] = {{state, N * model->n_states}, {v, N}, {v, N}, {d, N}, {paced[0], N},
            {paced[1], N}, {paced[2], N}, {&step, 1}};
        if (multirate)
            (void)codelet.compute_timed(&target, f, &c);
        else
            codelet.compute(f, &c);
        mt_cell_react_float(model, constants, 1, NULL, 0.02, N, other, expected, expected);
        for (size_t k = 0; k < N; k++) {
            cr_assert_eq(d[k], v[k] - before[k], "cell %zu", k);
            cr_assert(multirate || v[k] == expected[k], "cell %zu", k);
        }
        const ipu_mix *increment = mt_codelet_mix("nodal_increment");
        cr_expect_eq(codelet.code_bytes % 4, 0);
        cr_expect_float_eq(mt_codelet_ode_cycles(&target, &c) -
                               mt_codelet_ode_cycles(
                                   &target, &(mt_ode_context){.model = model, .multirate = multirate == 1}),
            (double)increment->bundles, 1e-9);
    }
}

/* ---- costs ---- */

/* Calculated by hand. 20 rows, a block of 16 of width 5 and one of 4 of width 3. Worker 0 has the rows 0, 6, 12 and 18, worker 1 the rows
 * 1, 7, 13 and 19; workers 2 to 5 have three rows: 2, 8, 14; ...; 5, 11, 17, of which worker 4 has 16 and worker 5 has 17 in the second
 * block. With 4 instructions to start, 4 cycles a block with 3 to start its rows, and 11 + 6 cycles a row with 6 for each entry but one:
 *     worker 0, 1:  4 + 2 (4 + 3) + 3 (17 + 4 6) + (17 + 2 6) = 170
 *     worker 2, 3:  4 + 14 + 3 41 = 141
 *     worker 4, 5:  4 + 14 + 2 41 + 29 = 129 */
Test(nodal_codelets, a_vertex_costs_its_entry_plus_its_slowest_worker)
{
    size_t length[20];
    mt_tile_rows rows;
    for (size_t r = 0; r < 20; r++) length[r] = r < 16 ? 4 + (r == 9) : 3;
    cr_assert_eq(mt_tile_rows_make(&arena, 20, length, &rows), MT_OK);
    const ipu_cycles cost = mt_codelet_nodal_pde.cost(&target, NULL, &rows);
    cr_expect_eq(cost.entry, target.vertex_entry_cycles);
    cr_expect_eq(cost.worker, 170);
    cr_expect_eq(cost.idle, 2 * (170 - 141) + 2 * (170 - 129));
}

/* Also by hand: the rows of spreading cost 11 and 14 cycles, with a single row of two entries. */
Test(nodal_codelets, spreading_costs_its_own_rows)
{
    mt_tile_rows rows;
    cr_assert_eq(mt_tile_rows_make(&arena, 1, (size_t[]){2}, &rows), MT_OK);
    const ipu_cycles plain = mt_codelet_nodal_spread(false)->cost(&target, NULL, &rows),
                     share = mt_codelet_nodal_spread(true)->cost(&target, NULL, &rows);
    cr_expect_eq(plain.worker, 4 + 4 + 3 + 11 + 6 + 6);
    cr_expect_eq(share.worker, 4 + 4 + 3 + 14 + 6 + 6);
    cr_expect_eq(plain.idle, 5 * (11 + 6 + 6));
}

/* Also by hand: 18 cycles a row in double words, and 3 to start its rows. */
Test(nodal_codelets, double_words_cost_their_own_rows)
{
    mt_tile_rows rows;
    cr_assert_eq(mt_tile_rows_make(&arena, 1, (size_t[]){2}, &rows), MT_OK);
    const ipu_cycles cost =
        mt_codelet_nodal_pde_double_word.cost(&target, NULL, &(const mt_tile_words){&rows, 3});
    cr_expect_eq(cost.entry, target.vertex_entry_cycles);
    cr_expect_eq(cost.worker, 4 + 4 + 3 + 18 + 6 + 6);
    cr_expect_eq(mt_codelet_nodal_pde_double_word.code_bytes - mt_codelet_nodal_pde.code_bytes, 4 * (22 - 14),
        "instructions of a row");
    cr_expect_eq(mt_codelet_nodal_pde_double_word.vertex_bytes - mt_codelet_nodal_pde.vertex_bytes, 2 * 8);
}

/* By hand, of a row of two entries: instructions to start, cycles of a row, of which a division takes 2 more, and the supervisor's
 * 2 cycles for each of the 6 workers' words and 3 for each word of the tile. Without rows of vertices the elements pay for 16 entries. */
Test(nodal_codelets, products_of_implicit_steps_cost_their_own_rows)
{
    static const struct {
        mt_implicit_part part;
        const char *name;
        uint64_t start, row, held, words;
    } products[] = {{MT_IMPLICIT_INCREMENTS, "nodal_increments", 3, 11, 0, 0},
        {MT_IMPLICIT_START, "nodal_start", 10, 18 + 2, 2, 3},
        {MT_IMPLICIT_FIRST, "nodal_first", 28, 39, 4, 6}, {MT_IMPLICIT_SECOND, "nodal_second", 41, 52, 6, 9}};
    mt_tile_rows rows;
    cr_assert_eq(mt_tile_rows_make(&arena, 1, (size_t[]){2}, &rows), MT_OK);
    const mt_implicit_context at_vertices = {1, &rows}, at_centres = {1, NULL};
    const size_t n[] = {[4] = 1, [9] = 0};
    for (size_t k = 0; k < 4; k++) {
        const ipu_codelet codelet = mt_codelet_implicit(products[k].part, true);
        const ipu_cycles cost = codelet.cost(&target, n, &at_vertices),
                         elements = codelet.cost(&target, n, &at_centres);
        cr_expect_str_eq(codelet.name, products[k].name);
        cr_expect_eq(cost.worker, 4 + 4 + products[k].start + products[k].row + 6 + 6, "%s: %zu",
            codelet.name, (size_t)cost.worker);
        cr_expect_eq(cost.entry, target.vertex_entry_cycles + 12 * products[k].held + 3 * products[k].words);
        cr_expect_eq(elements.entry, cost.entry);
        cr_expect_gt(elements.worker, 2 * cost.worker - products[k].start, "%s", codelet.name);
    }
}

/* The minimum of a row: an index, three values and a column; of an entry: a value, a column and the neighbour. */
Test(nodal_codelets, instruction_mixes_match_the_equations)
{
    const ipu_mix *row = mt_codelet_mix("nodal_row"), *entry = mt_codelet_mix("nodal_entry"),
                  *share = mt_codelet_mix("nodal_share_row");
    cr_expect_eq(entry->count[IPU_OP_LOAD], 3);
    cr_expect_eq(entry->count[IPU_OP_ADD], 2);
    cr_expect_eq(entry->count[IPU_OP_MULTIPLY], 1);
    cr_expect_eq(row->count[IPU_OP_LOAD], 2 + 3);
    cr_expect_eq(row->count[IPU_OP_ADD], 3);
    cr_expect_eq(row->count[IPU_OP_STORE], 1);
    cr_expect_eq(share->count[IPU_OP_LOAD], 4 + 3);
    cr_expect_eq(share->count[IPU_OP_STORE], 2);
    const ipu_mix *words = mt_codelet_mix("nodal_word_row"), *first = mt_codelet_mix("nodal_first_row");
    cr_expect_eq(words->count[IPU_OP_LOAD], 3 + 3);
    cr_expect_eq(words->count[IPU_OP_ADD], 2 + 6, "the last entry, and the exact sum");
    cr_expect_eq(words->count[IPU_OP_STORE], 2);
    cr_expect_eq(first->count[IPU_OP_LOAD], 5 + 3, "index, own value, d, shadow and r, and an entry");
    cr_expect_eq(first->count[IPU_OP_STORE], 1);
}

/* The weights of vertices are differences of the costs of tiles: 6 more rows of 14 entries, one for each worker. */
Test(nodal_codelets, cycles_of_rows_and_entries_are_those_of_tiles)
{
    mt_tile_rows rows[2];
    size_t length[96];
    for (size_t r = 0; r < 96; r++) length[r] = 14;
    cr_assert_eq(mt_tile_rows_make(&arena, 90, length, &rows[0]), MT_OK);
    cr_assert_eq(mt_tile_rows_make(&arena, 96, length, &rows[1]), MT_OK);
    uint64_t more = 0;
    for (int k = 0; k < 2; k++) {
        const uint64_t both = 3 * mt_codelet_nodal_pde.cost(&target, NULL, &rows[k]).worker +
                              mt_codelet_nodal_spread(true)->cost(&target, NULL, &rows[k]).worker;
        more = both - more;
    }
    cr_expect_eq((double)more, 3 * mt_nodal_row_cycles(&target, "nodal_row") +
                                   mt_nodal_row_cycles(&target, "nodal_share_row") +
                                   14 * 4 * mt_nodal_entry_cycles(&target));
}
