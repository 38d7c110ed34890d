/* Instructions of imported models: counts of small programs by hand, and of the equations of a built-in model by the tally. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ipu/machine/target.h"
#include "solver/cells/graph/program_mix.h"
#include "solver/cells/import/import.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/cells/trial.h"

static mt_arena arena;

static void free_arena(void) { mt_arena_free(&arena); }

TestSuite(program_mix, .fini = free_arena);

static ipu_instruction_costs gc200(void)
{
    ipu_target target;
    cr_assert_eq(ipu_target_load(&arena, "data/machines/gc200.yaml", NULL, 0, &target), MT_OK);
    return target.instructions;
}

/* ---- the equations of a built-in model ---- */

/* tp06.mmt, with the methods of the built-in model. */
typedef struct tp06_file {
    mt_system system;
    mt_cell_program program;
    mt_cell_variant variant;
    mt_cell_model row;
} tp06_file;

static const tp06_file *read_tp06(void)
{
    tp06_file *x = mt_arena_alloc(&arena, 1, sizeof *x);
    mt_system *system = &x->system;
    mt_equations *e;
    mt_step step;
    const mt_system_names none = {0};
    cr_assert_eq(mt_import_read(&arena, "tests/solver/cells/graph/tp06.mmt", &e), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_system_build(&arena, e, &none, system), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_step_cautious(&arena, system, &step), MT_OK);
    for (size_t k = 0; k < system->n_states; k++)
        step.method[k] =
            strcmp(e->variable[system->state[k]].name, "m") == 0 ? MT_METHOD_RUSH_LARSEN : MT_METHOD_EULER;
    cr_assert_eq(mt_step_build(&arena, system, &step), MT_OK);
    cr_assert_eq(mt_cell_program_make(&arena, system, &step, 0, &x->program), MT_OK, "%s", mt_message());
    double *parameters = mt_arena_alloc(&arena, system->n_parameters, sizeof *parameters);
    for (size_t k = 0; k < system->n_parameters; k++) parameters[k] = e->variable[system->parameter[k]].value;
    x->variant.parameters = parameters;
    x->row = (mt_cell_model){.n_states = system->n_states,
        .n_parameters = system->n_parameters,
        .n_constants = x->program.n_constants,
        .n_variants = 1,
        .variants = &x->variant,
        .program = &x->program};
    mt_cell_program_kernels(&x->row);
    cr_assert_eq(mt_program_mixes(&x->row), MT_OK, "%s", mt_message());
    return x;
}

/* The index of a state of the built-in model by its name. */
static size_t state_of(const char *name)
{
    size_t k = 0;
    while (k < TP06_STATES && strcmp(mt_cell_tp06.states[k].name, name) != 0) k++;
    cr_assert_lt(k, (size_t)TP06_STATES, "%s", name);
    return k;
}

/* From a state of the upstroke, so that no term is small. */
Test(program_mix, the_file_of_the_test_has_the_equations_of_the_built_in_model)
{
    double y[2][TP06_STATES], v[2] = {-20, -20}, c[2][MT_CELL_CONSTANTS];
    size_t of[TP06_STATES];
    const tp06_file *x = read_tp06();
    cr_assert_eq(x->row.n_states, (size_t)TP06_STATES);
    for (size_t k = 0; k < TP06_STATES; k++) {
        of[k] = state_of(x->system.equations->variable[x->system.state[k]].name);
        y[0][k] = y[1][of[k]] = mt_cell_tp06.variants[TP06_EPI].states[of[k]] * 0.9;
    }
    mt_cell_constants_double(&x->row, x->row.variants, 1, c[0]);
    mt_cell_constants_double(&mt_cell_tp06, mt_cell_tp06.variants, 1, c[1]);
    mt_cell_react_double(&x->row, c[0], 1, NULL, 0.02, 1, y[0], &v[0], &v[0]);
    mt_cell_react_double(&mt_cell_tp06, c[1], 1, NULL, 0.02, 1, y[1], &v[1], &v[1]);
    cr_expect(fabs(v[0] - v[1]) <= 1e-12 * fabs(v[1]), "V: %.17g, not %.17g", v[0], v[1]);
    for (size_t k = 0; k < TP06_STATES; k++)
        cr_expect(fabs(y[0][k] - y[1][of[k]]) <= 1e-12 * fabs(y[1][of[k]]), "%s: %.17g, not %.17g",
            mt_cell_tp06.states[of[k]].name, y[0][k], y[1][of[k]]);
}

Test(program_mix, a_beat_of_the_file_is_that_of_the_built_in_model)
{
    static mt_trial beat[2];
    tp06_file x = *read_tp06();
    double states[TP06_STATES];
    for (size_t k = 0; k < TP06_STATES; k++)
        states[k] = mt_cell_tp06.variants[TP06_EPI]
                        .states[state_of(x.system.equations->variable[x.system.state[k]].name)];
    x.variant.states = states;
    x.variant.v_mV = mt_cell_tp06.variants[TP06_EPI].v_mV;
    cr_assert_eq(mt_trial_run(NULL, &x.row, &x.variant, 0.02, &beat[0]), MT_OK);
    cr_assert_eq(mt_trial_run(NULL, &mt_cell_tp06, &mt_cell_tp06.variants[TP06_EPI], 0.02, &beat[1]), MT_OK);
    cr_expect_gt(beat[1].apd90_ms, 250);
    for (size_t k = 0; k < MT_TRIAL_SAMPLES; k++)
        cr_assert(fabs(beat[0].v_mV[k] - beat[1].v_mV[k]) < 1e-6, "sample %zu: %.9g and %.9g mV", k,
            beat[0].v_mV[k], beat[1].v_mV[k]);
}

/* The equations are the same but for three things: the algebra makes products of divisions by constants, and of quotients of quotients;
 * exponentials share others; and the built-in model bounds four time constants. With the cycles of these divisions and exponentials the
 * cycles agree within 5 %. */
Test(program_mix, counted_cycles_are_within_5_percent_of_the_tally_of_the_built_in_model)
{
    static const ipu_operation equal[] = {IPU_OP_LOAD, IPU_OP_STORE, IPU_OP_EXPM1, IPU_OP_LOG, IPU_OP_SQRT,
        IPU_OP_SELECT, IPU_OP_MOVE, IPU_OP_TRANSFER, IPU_OP_ADDRESS, IPU_OP_LOOP};
    const ipu_instruction_costs costs = gc200();
    const tp06_file *x = read_tp06();
    const ipu_mix *found = &x->row.mix.ode, *expected = &mt_cell_tp06.mix.ode;
    for (size_t k = 0; k < sizeof equal / sizeof *equal; k++)
        cr_expect_eq(found->count[equal[k]], expected->count[equal[k]], "operation %d: %u, not %u", equal[k],
            found->count[equal[k]], expected->count[equal[k]]);
    cr_expect_eq(expected->count[IPU_OP_COMPARE] - found->count[IPU_OP_COMPARE], 4);
    const unsigned products = expected->count[IPU_OP_DIVIDE] - found->count[IPU_OP_DIVIDE],
                   shared = expected->count[IPU_OP_EXP] - found->count[IPU_OP_EXP];
    const double less = products * (costs.f32_div - 1) + shared * (costs.f32_exp - 1),
                 cycles = ipu_mix_cycles(found, &costs), of_tally = ipu_mix_cycles(expected, &costs);
    cr_log_info(
        "%g cycles, %g with all divisions and exponentials; the tally: %g", cycles, cycles + less, of_tally);
    cr_expect(products >= 30 && products <= 55, "%u", products);
    cr_expect_eq(shared, 17);
    /* an argument V + c of an exponential becomes a product */
    cr_expect(expected->count[IPU_OP_ADD] - found->count[IPU_OP_ADD] <= shared, "%u, not %u",
        found->count[IPU_OP_ADD], expected->count[IPU_OP_ADD]);
    cr_expect(fabs((cycles + less) / of_tally - 1) <= 0.05, "%g, not %g", cycles + less, of_tally);
    cr_expect(cycles < of_tally, "%g, not below %g", cycles, of_tally);
}

/* Cells with mixed variants load the constants in place of building them; a multirate step computes its own dt. */
Test(program_mix, mixed_variants_load_constants_and_multirate_steps_their_time)
{
    const tp06_file *x = read_tp06();
    const ipu_mix *ode = &x->row.mix.ode, *mixed = &x->row.mix.ode_mixed,
                  *multirate = &x->row.mix.ode_multirate;
    cr_expect_eq(mixed->count[IPU_OP_LOAD], ode->count[IPU_OP_LOAD] + 1 + x->row.n_constants);
    cr_expect_lt(mixed->count[IPU_OP_CONSTANT], ode->count[IPU_OP_CONSTANT]);
    cr_expect_eq(multirate->count[IPU_OP_LOAD], ode->count[IPU_OP_LOAD] + 1);
    cr_expect_eq(multirate->count[IPU_OP_STORE], ode->count[IPU_OP_STORE] + 2);
    cr_expect_eq(multirate->count[IPU_OP_MULTIPLY], ode->count[IPU_OP_MULTIPLY] + 1);
    cr_expect_eq(multirate->count[IPU_OP_ADD], ode->count[IPU_OP_ADD] - 1);
    cr_expect_str_eq(x->row.mix.ode_mixed_multirate.name, "ode_mixed_multirate");
}

/* ---- small programs ---- */

/* Registers of a cell with one state: the numbers 1.5, 0.1 and 0, a constant, dt, step, V, the state, and the first that is written. */
enum { SHORT, LONG, ZERO, CONSTANT, DT, STEP, V, Y, FREE, LAST = FREE + 200 };

/* Counts a program of n instructions; next: the register of the next state. V does not change. */
static ipu_mix count(size_t n, const mt_instruction *code, uint16_t next, double constant, bool mixed)
{
    static const double numbers[] = {1.5, 0.1, 0};
    const uint16_t output[] = {next, ZERO};
    const mt_cell_program program = {.n_numbers = 3,
        .n_constants = 1,
        .n_states = 1,
        .number = numbers,
        .step = {.n_inputs = FREE,
            .n_registers = LAST,
            .n_instructions = n,
            .n_outputs = 2,
            .instruction = code,
            .output = output}};
    ipu_mix mix;
    cr_assert_eq(mt_program_mix(&program, &constant, mixed, false, &mix), MT_OK, "%s", mt_message());
    return mix;
}

typedef struct expectation {
    ipu_operation operation;
    unsigned count;
} expectation;

/* Expects these instructions beside those of every cell: V and the state loaded and stored, V + 0, and the end of a turn. */
static void expect(const char *what, const ipu_mix *mix, const expectation *expected)
{
    unsigned want[IPU_OPERATIONS] = {
        [IPU_OP_LOAD] = 2, [IPU_OP_STORE] = 2, [IPU_OP_ADD] = 1, [IPU_OP_ADDRESS] = 1, [IPU_OP_LOOP] = 1};
    unsigned sum = 0;
    for (; expected->count; expected++) want[expected->operation] += expected->count;
    for (int o = 0; o < IPU_OPERATIONS; o++) {
        cr_expect_eq(mix->count[o], want[o], "%s: operation %d: %u, not %u", what, o, mix->count[o], want[o]);
        sum += mix->count[o];
    }
    cr_expect_eq(sum, mix->bundles + mix->pairs);
}

#define EXPECT(what, mix, ...) expect(what, mix, (const expectation[]){__VA_ARGS__, {0, 0}})

/* y + dt (0.1 y) */
Test(program_mix, an_euler_step_is_counted)
{
    const mt_instruction code[] = {{MT_CODE_MULTIPLY, FREE, {Y, LONG}}, {MT_CODE_MULTIPLY, FREE, {DT, FREE}},
        {MT_CODE_ADD, FREE, {Y, FREE}}};
    const ipu_mix mix = count(3, code, FREE, 0, false);
    EXPECT("Euler", &mix, {IPU_OP_CONSTANT, 2}, {IPU_OP_MULTIPLY, 2}, {IPU_OP_ADD, 1});
}

/* Numbers of one and of two words, and 0. */
Test(program_mix, numbers_are_built_at_each_use)
{
    const mt_instruction code[] = {{MT_CODE_ADD, FREE, {Y, SHORT}}, {MT_CODE_MULTIPLY, FREE, {FREE, SHORT}},
        {MT_CODE_DIVIDE, FREE, {FREE, LONG}}, {MT_CODE_SUBTRACT, FREE, {ZERO, FREE}}};
    const ipu_mix mix = count(4, code, FREE, 0, false);
    EXPECT("numbers", &mix, {IPU_OP_CONSTANT, 4}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_ADD, 2}, {IPU_OP_DIVIDE, 1});
}

/* 2^-3 = exp(-3 log(2)), and so on, by hand. */
Test(program_mix, functions_without_an_instruction_are_counted_by_those_they_consist_of)
{
    static const struct {
        const char *name;
        mt_code code;
        expectation expected[12];
    } rows[] = {{"sqrt", MT_CODE_SQRT, {{IPU_OP_SQRT, 1}}}, {"exp", MT_CODE_EXP, {{IPU_OP_EXP, 1}}},
        {"expm1", MT_CODE_EXPM1, {{IPU_OP_EXPM1, 1}}}, {"log", MT_CODE_LOG, {{IPU_OP_LOG, 1}}},
        {"abs", MT_CODE_ABS, {{IPU_OP_CONVERT, 1}}}, {"floor", MT_CODE_FLOOR, {{IPU_OP_CONVERT, 1}}},
        {"-", MT_CODE_NEGATE, {{IPU_OP_ADD, 1}}}, {"max", MT_CODE_MAX, {{IPU_OP_COMPARE, 1}}},
        {"pow", MT_CODE_POWER, {{IPU_OP_LOG, 1}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_EXP, 1}}},
        {"tanh", MT_CODE_TANH,
            {{IPU_OP_EXPM1, 1}, {IPU_OP_DIVIDE, 1}, {IPU_OP_ADD, 2}, {IPU_OP_CONSTANT, 1}}},
        {"sinh", MT_CODE_SINH,
            {{IPU_OP_EXPM1, 1}, {IPU_OP_DIVIDE, 1}, {IPU_OP_ADD, 2}, {IPU_OP_MULTIPLY, 1},
                {IPU_OP_CONSTANT, 2}}},
        {"cosh", MT_CODE_COSH,
            {{IPU_OP_EXP, 1}, {IPU_OP_DIVIDE, 1}, {IPU_OP_ADD, 1}, {IPU_OP_MULTIPLY, 1},
                {IPU_OP_CONSTANT, 2}}},
        {"cbrt", MT_CODE_CBRT,
            {{IPU_OP_LOG, 1}, {IPU_OP_EXP, 1}, {IPU_OP_CONVERT, 2}, {IPU_OP_MULTIPLY, 1},
                {IPU_OP_CONSTANT, 2}}},
        {"remainder", MT_CODE_REMAINDER,
            {{IPU_OP_DIVIDE, 1}, {IPU_OP_CONVERT, 1}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_ADD, 1}}}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const mt_instruction code = {(uint16_t)rows[k].code, FREE, {Y, V}};
        const ipu_mix mix = count(1, &code, FREE, 0, false);
        expect(rows[k].name, &mix, rows[k].expected);
    }
}

/* Both selections are by one comparison; the condition is also used as a number, 0 or 1. */
Test(program_mix, equal_comparisons_are_executed_once)
{
    const mt_instruction code[] = {{MT_CODE_SELECT_LESS, FREE, {V, SHORT, Y, DT}},
        {MT_CODE_LESS, FREE + 1, {V, SHORT}}, {MT_CODE_SELECT, FREE, {FREE + 1, FREE, V}},
        {MT_CODE_ADD, FREE, {FREE, FREE + 1}}};
    const ipu_mix two = count(3, code, FREE, 0, false), number = count(4, code, FREE, 0, false);
    EXPECT("two selections", &two, {IPU_OP_CONSTANT, 1}, {IPU_OP_COMPARE, 1}, {IPU_OP_TRANSFER, 1},
        {IPU_OP_SELECT, 2}, {IPU_OP_MOVE, 2});
    EXPECT("and a number", &number, {IPU_OP_CONSTANT, 2}, {IPU_OP_COMPARE, 1}, {IPU_OP_TRANSFER, 1},
        {IPU_OP_SELECT, 3}, {IPU_OP_MOVE, 3}, {IPU_OP_ADD, 1});
}

Test(program_mix, conditions_are_combined_by_logic)
{
    const mt_instruction code[] = {{MT_CODE_LESS, FREE, {V, Y}}, {MT_CODE_EQUAL, FREE + 1, {V, DT}},
        {MT_CODE_AND, FREE + 2, {FREE, FREE + 1}}, {MT_CODE_NOT, FREE + 3, {FREE + 2}},
        {MT_CODE_OR, FREE + 4, {FREE + 3, V}}, {MT_CODE_SELECT, FREE + 5, {FREE + 4, Y, DT}}};
    const ipu_mix mix = count(6, code, FREE + 5, 0, false);
    EXPECT("logic", &mix, {IPU_OP_COMPARE, 3}, {IPU_OP_TRANSFER, 3}, {IPU_OP_LOGIC, 4}, {IPU_OP_SELECT, 1},
        {IPU_OP_MOVE, 1});
}

/* As with the type of a cell: if the constant is known, the branch that is not taken is no code. */
Test(program_mix, a_selection_by_a_known_constant_takes_no_instruction)
{
    const mt_instruction code[] = {{MT_CODE_EXP, FREE, {Y}}, {MT_CODE_LOG, FREE + 1, {Y}},
        {MT_CODE_SQRT, FREE + 2, {FREE + 1}},
        {MT_CODE_SELECT_EQUAL, FREE + 3, {CONSTANT, SHORT, FREE, FREE + 2}}};
    const ipu_mix yes = count(4, code, FREE + 3, 1.5, false), no = count(4, code, FREE + 3, 1, false),
                  mixed = count(4, code, FREE + 3, 1.5, true);
    EXPECT("yes", &yes, {IPU_OP_EXP, 1});
    EXPECT("no", &no, {IPU_OP_LOG, 1}, {IPU_OP_SQRT, 1});
    EXPECT("mixed", &mixed, {IPU_OP_LOAD, 2}, {IPU_OP_EXP, 1}, {IPU_OP_LOG, 1}, {IPU_OP_SQRT, 1},
        {IPU_OP_CONSTANT, 1}, {IPU_OP_COMPARE, 1}, {IPU_OP_TRANSFER, 1}, {IPU_OP_SELECT, 1},
        {IPU_OP_MOVE, 1});
}

/* The sum of n exponentials, then their product, so that all are needed at a time; there are 8 registers. */
Test(program_mix, more_values_than_registers_are_spilled)
{
    for (uint16_t n = 3; n <= 30; n = (uint16_t)(n + 3)) {
        mt_instruction code[200];
        size_t m = 0;
        for (uint16_t k = 0; k < n; k++)
            code[m++] =
                (mt_instruction){MT_CODE_EXP, (uint16_t)(FREE + 1 + k), {k == 0 ? Y : (uint16_t)(FREE + k)}};
        for (uint16_t k = 0; k < n; k++)
            code[m++] = (mt_instruction){MT_CODE_ADD, FREE, {k == 0 ? Y : FREE, (uint16_t)(FREE + 1 + k)}};
        for (uint16_t k = 0; k < n; k++)
            code[m++] = (mt_instruction){MT_CODE_MULTIPLY, FREE, {FREE, (uint16_t)(FREE + 1 + k)}};
        const ipu_mix mix = count(m, code, FREE, 0, false);
        if (n <= 6) cr_expect_eq(mix.count[IPU_OP_SPILL] + mix.count[IPU_OP_RELOAD], 0, "%u values", n);
        if (n >= 12)
            cr_expect_geq(mix.count[IPU_OP_RELOAD], n - 9U, "%u values: %u", n, mix.count[IPU_OP_RELOAD]);
    }
}

/* The memory for lines is reserved by the largest number of lines of an instruction. */
Test(program_mix, no_instruction_takes_more_lines_than_are_reserved)
{
    for (uint16_t code = 0; code < MT_CODES_PLAIN; code++) {
        const bool rare = (code >= MT_CODE_SIN && code <= MT_CODE_CBRT) || code == MT_CODE_POWER ||
                          code == MT_CODE_REMAINDER;
        const mt_instruction lines[] = {{MT_CODE_LESS, FREE, {V, DT}},
            {code, FREE + 1, {FREE, FREE, FREE, FREE}}, {code, FREE + 2, {Y, V, LONG, LONG}},
            {MT_CODE_ADD, FREE + 3, {FREE + 1, FREE + 2}}};
        const ipu_mix mix = count(4, lines, FREE + 3, 0, false);
        unsigned sum = 0;
        for (int o = 0; o < IPU_OP_SPILL; o++) sum += mix.count[o];
        cr_expect_leq(sum, 7U + 8U + 2U * (rare ? 96U : 16U), "%u: %u lines", code, sum);
    }
}
