/* The interpreter computes the values of expressions, with the same bits on every instruction set, for any number of cells and mixture of
 * variants, and with multirate stepping. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "solver/cells/graph/cell_program.h"
#include "solver/cells/compiled/compiled.h"
#include "solver/kernels/block.h"
#include "tests/solver/cells/graph/random_expressions.h"

enum { CELLS = 16 * 21 + 5, STATES = 2, PARAMETERS = 2, VARIANTS = 3 };
/* the leaves of the expressions */
enum { P, Q, V, S, T, DT, STEP };

typedef struct example {
    mt_graph *graph; /* of the expressions as written */
    mt_node root[STATES + 1];
    mt_cell_model row;
    mt_cell_program program;
} example;

static const double start_states[STATES] = {0.4, -1.1};
static const mt_cell_variant variants[VARIANTS] = {
    {.name = "a", .parameters = (const double[]){0.5, -1.25}, .states = start_states},
    {.name = "b", .parameters = (const double[]){0.75, -1.25}, .states = start_states},
    {.name = "c", .parameters = (const double[]){-0.3, 2}, .states = start_states}};

/* Makes a cell whose next states and change of V are random expressions. */
static void make(mt_arena *arena, uint64_t *random, size_t operations, example *x)
{
    static uint32_t states[] = {S, T}, parameters[] = {P, Q};
    mt_system *system = mt_arena_alloc(arena, 1, sizeof *system);
    mt_node leaf[LEAVES], next[STATES];
    *system = (mt_system){.dt = DT,
        .step = STEP,
        .v = V,
        .n_states = STATES,
        .n_parameters = PARAMETERS,
        .state = states,
        .parameter = parameters};
    cr_assert_eq(mt_graph_new(arena, &x->graph), MT_OK);
    for (size_t k = 0; k <= STATES; k++) x->root[k] = random_expression(x->graph, random, operations);
    cr_assert_eq(mt_algebra_new(arena, leaf_is_constant, &system->algebra), MT_OK);
    mt_algebra *m = &system->algebra;
    for (size_t k = 0; k < LEAVES; k++) leaf[k] = mt_symbol(m, k);
    mt_node *copy = mt_arena_alloc(arena, x->graph->n, sizeof *copy);
    mt_algebra_copy(m, x->graph, 0, x->graph->n, leaf, copy);
    for (size_t k = 0; k < STATES; k++) next[k] = copy[x->root[k]];
    const mt_step step = {.next = next, .v_change = copy[x->root[STATES]]};
    cr_assert_eq(mt_cell_program_make(arena, system, &step, 0, &x->program), MT_OK, "%s", mt_message());
    x->row = (mt_cell_model){.n_states = STATES,
        .n_parameters = PARAMETERS,
        .n_constants = x->program.n_constants,
        .variants = variants,
        .n_variants = VARIANTS,
        .dt_max_ms = 0.1,
        .program = &x->program};
    mt_cell_program_kernels(&x->row);
}

typedef struct cells {
    double v[CELLS], state[CELLS * STATES];
    float v_single[CELLS], state_single[CELLS * STATES];
    uint16_t of[CELLS];
} cells;

static void fill(uint64_t *random, size_t n, cells *c)
{
    for (size_t k = 0; k < n; k++) {
        c->v[k] = between(random, -2, 2);
        for (size_t s = 0; s < STATES; s++)
            c->state[mt_block_index(n, STATES, k, s)] = between(random, -2, 2);
        c->of[k] = (uint16_t)(k < 40 ? 1 : draw(random, VARIANTS));
    }
    for (size_t k = 0; k < n; k++) c->v_single[k] = (float)c->v[k];
    for (size_t k = 0; k < STATES * n; k++) c->state_single[k] = (float)c->state[k];
}

/* Steps cells once by the kernels of an instruction set; `of` NULL: all are of the first variant. */
static void step(const example *x, mt_isa set, const uint16_t *of, double dt_ms, size_t n, cells *c)
{
    static double exact[VARIANTS * MT_CELL_CONSTANTS];
    static float single[VARIANTS * MT_CELL_CONSTANTS];
    mt_cell_constants_double(&x->row, variants, VARIANTS, exact);
    mt_cell_constants_float(&x->row, variants, VARIANTS, single);
    x->row.kernel_double[set](&x->row, exact, VARIANTS, of, dt_ms, n, c->state, c->v, c->v);
    x->row.kernel_float[set](
        &x->row, single, VARIANTS, of, dt_ms, n, c->state_single, c->v_single, c->v_single);
}

Test(cell_program, programs_have_the_values_of_their_expressions)
{
    static cells start, c;
    static double value[1 << 14];
    uint64_t random = 7;
    for (int turn = 0; turn < 60; turn++) {
        MT_SCRATCH(arena);
        example x;
        const size_t n = turn % 3 ? 16 * 8 + 11 : CELLS;
        const double dt_ms = 0.125;
        make(arena, &random, 60, &x);
        fill(&random, n, &start);
        c = start;
        step(&x, mt_kernels_used()->set, c.of, dt_ms, n, &c);
        for (size_t k = 0; k < n; k++) {
            const double *p = variants[start.of[k]].parameters,
                         leaf[LEAVES] = {p[0], p[1], start.v[k], start.state[mt_block_index(n, STATES, k, 0)],
                             start.state[mt_block_index(n, STATES, k, 1)], dt_ms, dt_ms};
            values_of(x.graph, leaf, value);
            for (size_t s = 0; s <= STATES; s++) {
                const double found =
                                 s < STATES ? c.state[mt_block_index(n, STATES, k, s)] : c.v[k] - start.v[k],
                             expected = value[x.root[s]];
                cr_assert(fabs(found - expected) <= 1e-10 * (1 + fabs(expected)),
                    "turn %d, cell %zu, result %zu: %.17g, expected %.17g", turn, k, s, found, expected);
            }
        }
    }
}

static bool same_bits(const cells *a, const cells *b, size_t n)
{
    return memcmp(a->v, b->v, n * sizeof *a->v) == 0 &&
           memcmp(a->state, b->state, n * STATES * sizeof *a->state) == 0 &&
           memcmp(a->v_single, b->v_single, n * sizeof *a->v_single) == 0 &&
           memcmp(a->state_single, b->state_single, n * STATES * sizeof *a->state_single) == 0;
}

Test(cell_program, every_instruction_set_computes_the_same_bits)
{
    static cells start, first, c;
    const mt_kernels *all[MT_ISAS];
    const size_t sets = mt_kernels_all(all);
    uint64_t random = 9;
    for (int turn = 0; turn < 60; turn++) {
        MT_SCRATCH(arena);
        example x;
        make(arena, &random, 80, &x);
        fill(&random, CELLS, &start);
        first = start;
        step(&x, all[0]->set, first.of, 0.1, CELLS, &first);
        for (size_t k = 1; k < sets; k++) {
            c = start;
            step(&x, all[k]->set, c.of, 0.1, CELLS, &c);
            cr_assert(same_bits(&c, &first, CELLS), "turn %d: %s and %s", turn, all[k]->isa, all[0]->isa);
        }
    }
}

/* A program with every operation, several times. */
Test(cell_program, compiled_programs_have_the_bits_of_the_interpreter)
{
    static cells start, c, expected;
    uint64_t random = 17;
    MT_SCRATCH(arena);
    const mt_isa used = mt_kernels_used()->set;
    const mt_cell_model *compiled;
    example x, y;
    make(arena, &random, 400, &x);
    y = x;
    cr_assert_eq(mt_cell_compile(arena, &x.row, false, false, &compiled), MT_OK, "%s", mt_message());
    y.row = *compiled;
    for (int turn = 0; turn < 20; turn++) {
        const size_t n = turn % 3 ? 16 * 8 + 11 : CELLS;
        fill(&random, n, &start);
        c = expected = start;
        const uint16_t *of = turn % 2 ? start.of : NULL;
        step(&x, used, of, 0.1, n, &expected);
        step(&y, used, of, 0.1, n, &c);
        cr_assert(same_bits(&c, &expected, n), "turn %d", turn);
    }
}

Test(cell_program, a_cell_has_the_same_bits_alone_and_among_others)
{
    static cells start, c, alone;
    uint64_t random = 11;
    for (int turn = 0; turn < 20; turn++) {
        MT_SCRATCH(arena);
        example x;
        make(arena, &random, 60, &x);
        fill(&random, CELLS, &start);
        c = start;
        step(&x, mt_kernels_used()->set, c.of, 0.1, CELLS, &c);
        for (size_t k = 0; k < CELLS; k += 7) {
            alone.v[0] = start.v[k];
            alone.v_single[0] = start.v_single[k];
            for (size_t s = 0; s < STATES; s++) {
                alone.state[s] = start.state[mt_block_index(CELLS, STATES, k, s)];
                alone.state_single[s] = start.state_single[mt_block_index(CELLS, STATES, k, s)];
            }
            step(&x, mt_kernels_used()->set, &start.of[k], 0.1, 1, &alone);
            cr_assert(memcmp(&alone.v[0], &c.v[k], sizeof c.v[0]) == 0, "turn %d, cell %zu", turn, k);
            cr_assert(memcmp(&alone.v_single[0], &c.v_single[k], sizeof c.v_single[0]) == 0,
                "turn %d, cell %zu", turn, k);
            for (size_t s = 0; s < STATES; s++)
                cr_assert_eq(alone.state_single[s], c.state_single[mt_block_index(CELLS, STATES, k, s)]);
        }
    }
}

Test(cell_program, a_multirate_step_of_all_cells_is_a_uniform_step)
{
    static cells start, c, expected;
    static double kept[CELLS], change[CELLS], since[CELLS], exact[VARIANTS * MT_CELL_CONSTANTS];
    uint64_t random = 13;
    for (int turn = 0; turn < 20; turn++) {
        MT_SCRATCH(arena);
        example x;
        make(arena, &random, 60, &x);
        fill(&random, CELLS, &start);
        expected = c = start;
        step(&x, mt_kernels_used()->set, start.of, 0.1, CELLS, &expected);
        for (size_t k = 0; k < CELLS; k++) kept[k] = INFINITY, change[k] = since[k] = 0;
        const mt_multirate_step at = {0.1, 1, 0};
        mt_cell_constants_double(&x.row, variants, VARIANTS, exact);
        x.row.multirate_double[mt_kernels_used()->set](
            &x.row, exact, VARIANTS, c.of, &at, CELLS, c.state, kept, change, since, c.v, c.v);
        cr_assert(
            memcmp(c.v, expected.v, sizeof c.v) == 0 && memcmp(c.state, expected.state, sizeof c.state) == 0,
            "turn %d", turn);
        for (size_t k = 0; k < CELLS; k++) cr_assert(kept[k] == start.v[k] && since[k] == 0);
    }
}

Test(cell_program, a_cell_that_waits_keeps_its_states_and_its_rate)
{
    static cells start, c;
    static double kept[CELLS], change[CELLS], since[CELLS], exact[VARIANTS * MT_CELL_CONSTANTS];
    uint64_t random = 15;
    MT_SCRATCH(arena);
    example x;
    make(arena, &random, 60, &x);
    fill(&random, CELLS, &start);
    c = start;
    /* every third cell has moved by more than the tolerance */
    for (size_t k = 0; k < CELLS; k++)
        kept[k] = start.v[k] + (k % 3 ? 0 : 5), change[k] = 0.001, since[k] = 0;
    const mt_multirate_step at = {0.1, 1, 0};
    mt_cell_constants_double(&x.row, variants, VARIANTS, exact);
    x.row.multirate_double[mt_kernels_used()->set](
        &x.row, exact, VARIANTS, c.of, &at, CELLS, c.state, kept, change, since, c.v, c.v);
    for (size_t k = 0; k < CELLS; k++) {
        cr_assert_eq(since[k], k % 3 ? 1 : 0);
        if (k % 3 == 0) continue;
        cr_assert_eq(c.v[k], start.v[k] + 0.001);
        for (size_t s = 0; s < STATES; s++)
            cr_assert_eq(c.state[mt_block_index(CELLS, STATES, k, s)],
                start.state[mt_block_index(CELLS, STATES, k, s)]);
    }
}
