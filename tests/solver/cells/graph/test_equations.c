/* The table of equations: what is complete, what depends on itself, and which values result. */
#include <criterion/criterion.h>

#include <math.h>

#include "tests/solver/cells/graph/small_equations.h"
#include "solver/cells/graph/complete.h"

TestSuite(equations, .init = begin, .fini = clear);

static void expect_failure(const char *text)
{
    cr_assert_eq(mt_equations_finish(e), MT_INPUT, "accepted instead of: %s", text);
    cr_expect_str_eq(mt_message(), text);
}

/* Finishes equations to which a state was added, and returns the value of a variable. */
static double value_of(const char *name)
{
    double value[20], rate[20];
    state("last", num(0), num(0));
    cr_assert_eq(mt_equations_finish(e), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_equations_values(e, value, rate), MT_OK);
    return value[find(name) - e->variable];
}

/* ---- variables ---- */

Test(equations, a_variable_is_found_by_its_full_name_or_a_unique_one)
{
    size_t a, b, c, found = 99;
    cr_assert_eq(mt_equations_add(e, "ina", "m", 1, &a), MT_OK);
    cr_assert_eq(mt_equations_add(e, "ical", "m", 2, &b), MT_OK);
    cr_assert_eq(mt_equations_add(e, "", "V", 3, &c), MT_OK);
    cr_assert(mt_equations_find(e, "ical.m", &found));
    cr_expect_eq(found, b);
    cr_assert(mt_equations_find(e, "V", &found));
    cr_expect_eq(found, c);
    cr_expect_not(mt_equations_find(e, "m", &found));
    cr_expect_not(mt_equations_find(e, "ina.V", &found));
    cr_expect_not(mt_equations_find(e, ".V", &found));
    cr_expect_not(mt_equations_find(e, "h", &found));
}

Test(equations, the_table_of_variables_grows_and_is_limited)
{
    size_t index;
    for (size_t k = 0; k < MT_EQUATIONS_VARIABLES_MAX; k++) {
        cr_assert_eq(mt_equations_add(e, "", "x", k, &index), MT_OK);
        cr_assert_eq(index, k);
    }
    cr_expect_eq(e->variable[77].line, 77);
    cr_expect_eq(mt_equations_add(e, "", "x", 5, &index), MT_INPUT);
    cr_expect_str_eq(mt_message(), "some.file:5: more than 65536 variables");
}

Test(equations, a_new_variable_has_neither_unit_nor_expression)
{
    const mt_variable *v = find("x");
    cr_expect_eq(v->kind, MT_VARIABLE_INTERMEDIATE);
    cr_expect(v->expression == MT_NO_NODE && v->initial == MT_NO_NODE && v->flat == MT_NO_NODE);
    cr_expect_str_eq(v->unit_text, "");
    cr_expect_not(v->unit.known);
    char name[MT_VARIABLE_NAME];
    cr_expect_str_eq(mt_variable_name(v, name), "cell.x");
}

Test(equations, equal_units_are_one_entry)
{
    uint32_t a, b, c, none;
    mt_unit mV = unit_of("mV"), other;
    cr_assert_eq(mt_equations_unit(e, mV, &a), MT_OK);
    memset(&other, 0x55, sizeof other); /* its padding differs */
    other.known = true;
    other.factor = mV.factor;
    memcpy(other.exponent, mV.exponent, sizeof other.exponent);
    cr_assert_eq(mt_equations_unit(e, other, &b), MT_OK);
    cr_assert_eq(mt_equations_unit(e, unit_of("V"), &c), MT_OK);
    cr_assert_eq(mt_equations_unit(e, mt_unit_unknown, &none), MT_OK);
    cr_expect_eq(a, b);
    cr_expect_neq(a, c);
    cr_expect_eq(none, 0);
}

Test(equations, the_table_of_units_grows_and_is_limited)
{
    uint32_t index;
    for (uint32_t k = 1; k < MT_EQUATIONS_UNITS_MAX; k++) {
        cr_assert_eq(mt_equations_unit(e, mt_unit_scaled(mt_unit_none, k), &index), MT_OK);
        cr_assert_eq(index, k);
    }
    cr_expect_eq(e->unit[77].factor, 77);
    cr_expect_eq(mt_equations_unit(e, unit_of("mV"), &index), MT_INPUT);
    cr_expect_str_eq(mt_message(), "some.file: more than 4096 different units");
}

Test(equations, warnings_have_a_place_and_are_limited)
{
    for (size_t k = 1; k <= MT_EQUATIONS_WARNINGS + 5; k++) mt_equations_warn(e, k, "number %zu", k);
    cr_expect_eq(e->n_warnings, MT_EQUATIONS_WARNINGS);
    cr_expect_eq(e->n_more_warnings, 5);
    cr_expect_str_eq(e->warning[2], "some.file:3: number 3");
}

/* ---- completeness ---- */

Test(equations, a_state_without_derivative_is_rejected)
{
    state("V", MT_NO_NODE, num(0));
    expect_failure("some.file:10: cell.V has no derivative");
}

Test(equations, a_state_without_initial_value_is_rejected)
{
    state("V", num(1), MT_NO_NODE);
    expect_failure("some.file:10: cell.V has a derivative but no initial value");
}

Test(equations, a_variable_without_value_is_rejected)
{
    mention("Vx");
    state("V", var("x"), num(0));
    expect_failure("some.file:20: cell.x has no value: neither a number nor an equation");
}

Test(equations, equations_without_a_state_are_rejected)
{
    parameter("a", 1);
    expect_failure("some.file: no variable has a derivative");
}

Test(equations, a_long_name_is_shortened_in_messages)
{
    char name[200] = {0};
    memset(name, 'x', sizeof name - 1);
    state("V", var(name), num(0));
    cr_assert_eq(mt_equations_finish(e), MT_INPUT);
    cr_expect_leq(strlen(mt_message()), 150, "%s", mt_message());
}

/* ---- cycles ---- */

Test(equations, a_cycle_of_definitions_is_named)
{
    mention("Vabc");
    state("V", var("a"), num(0));
    define("a", op2(MT_OP_ADD, var("b"), num(1)));
    define("b", op1(MT_OP_EXP, op1(MT_OP_NEGATE, var("c"))));
    define("c", op2(MT_OP_MULTIPLY, var("V"), var("a")));
    expect_failure("some.file:20: a value depends on itself: cell.a -> cell.b -> cell.c; "
                   "supported are ordinary differential equations");
}

Test(equations, a_cycle_is_named_without_the_way_to_it)
{
    mention("Vab");
    state("V", var("a"), num(0));
    define("a", op1(MT_OP_EXP, var("b")));
    define("b", op2(MT_OP_ADD, var("b"), num(1)));
    expect_failure("some.file:30: a value depends on itself: cell.b; "
                   "supported are ordinary differential equations");
}

Test(equations, a_cycle_in_an_unused_definition_is_found)
{
    state("V", num(1), num(0));
    define("a", var("b"));
    define("b", var("a"));
    cr_expect_eq(mt_equations_finish(e), MT_INPUT);
    cr_expect(strstr(mt_message(), "cell.a") && strstr(mt_message(), "cell.b"), "%s", mt_message());
}

Test(equations, a_long_cycle_has_a_bounded_message)
{
    char name[20], next[20];
    state("V", var("x0"), num(0));
    for (int k = 0; k < 500; k++) {
        (void)snprintf(name, sizeof name, "x%d", k);
        (void)snprintf(next, sizeof next, "x%d", (k + 1) % 500);
        const mt_node to = var(next);
        define(name, to);
    }
    cr_expect_eq(mt_equations_finish(e), MT_INPUT);
    cr_expect(strstr(mt_message(), "cell.x2 -> cell.x3") && strstr(mt_message(), " -> ...; supported"), "%s",
        mt_message());
}

Test(equations, a_derivative_may_depend_on_its_state)
{
    const mt_node v = var("V"),
                  w = var("w"); /* C leaves the order of arguments open, and the variables need one */
    state("V", op2(MT_OP_SUBTRACT, w, v), num(0.5));
    state("w", v, num(2));
    cr_expect_eq(mt_equations_finish(e), MT_OK, "%s", mt_message());
    double value[2], rate[2];
    cr_assert_eq(mt_equations_values(e, value, rate), MT_OK);
    cr_expect(value[0] == 0.5 && value[1] == 2);
    cr_expect(rate[0] == 1.5 && rate[1] == 0.5);
}

Test(equations, a_definition_used_twice_is_no_cycle)
{
    define("a", num(3));
    define("b", op2(MT_OP_ADD, var("a"), var("last")));
    define("c", op2(MT_OP_MULTIPLY, op2(MT_OP_ADD, var("b"), var("a")), var("b")));
    cr_expect_eq(value_of("c"), 18);
}

/* ---- values ---- */

Test(equations, a_constant_definition_becomes_a_parameter)
{
    define("a", op2(MT_OP_MULTIPLY, num(6), op1(MT_OP_SQRT, num(49))));
    define("b", op2(MT_OP_ADD, var("a"), num(1)));
    cr_expect_eq(value_of("a"), 42);
    cr_expect_eq(find("a")->kind, MT_VARIABLE_PARAMETER);
    cr_expect_eq(find("a")->value, 42);
    cr_expect_eq(find("a")->expression, MT_NO_NODE);
    cr_expect_eq(find("b")->kind, MT_VARIABLE_INTERMEDIATE, "it changes with a parameter");
}

Test(equations, the_flat_graph_has_no_intermediates)
{
    parameter("p", 2);
    define("a", op2(MT_OP_ADD, var("V"), var("p")));
    define("b", op1(MT_OP_EXP, var("a")));
    state("V", op2(MT_OP_MULTIPLY, var("b"), op1(MT_OP_EXP, op2(MT_OP_ADD, var("V"), var("p")))), num(-2));
    cr_assert_eq(mt_equations_finish(e), MT_OK, "%s", mt_message());
    size_t exponentials = 0;
    for (size_t k = 0; k < e->flat->n; k++) {
        const mt_graph_node *node = &e->flat->node[k];
        exponentials += node->op == MT_OP_EXP;
        if (node->op == MT_OP_VARIABLE)
            cr_expect_neq(e->variable[node->variable].kind, MT_VARIABLE_INTERMEDIATE);
    }
    cr_expect_eq(exponentials, 1, "equal definitions are computed once");
    double value[4], rate[4];
    cr_assert_eq(mt_equations_values(e, value, rate), MT_OK);
    cr_expect_eq(value[find("a") - e->variable], 0);
    cr_expect_eq(rate[find("V") - e->variable], 1);
}

Test(equations, the_order_of_definitions_is_free)
{
    state("V", var("late"), num(1));
    define("late", op2(MT_OP_ADD, var("later"), var("V")));
    define("later", op2(MT_OP_MULTIPLY, var("latest"), var("V")));
    parameter("latest", 5);
    cr_expect_eq(value_of("late"), 6);
}

Test(equations, an_initial_value_is_computed_from_parameters)
{
    parameter("p", 3);
    define("q", op2(MT_OP_ADD, var("p"), num(1)));
    state("V", num(0), op2(MT_OP_MULTIPLY, num(-20), var("q")));
    cr_assert_eq(mt_equations_finish(e), MT_OK, "%s", mt_message());
    cr_expect_eq(find("V")->value, -80);
}

Test(equations, an_initial_value_that_depends_on_a_state_is_rejected)
{
    mention("V");
    state("V", num(0), var("a"));
    define("a", op2(MT_OP_ADD, var("w"), num(1)));
    state("w", num(0), num(1));
    expect_failure(
        "some.file:10: the initial value of cell.V is not a finite number: it depends on a state or "
        "on time");
}

Test(equations, an_initial_value_that_is_not_finite_is_rejected)
{
    state("V", num(0), op2(MT_OP_DIVIDE, num(1), num(0)));
    expect_failure("some.file:10: the initial value of cell.V is not a finite number");
}

Test(equations, time_and_inputs_are_zero)
{
    find("t")->kind = MT_VARIABLE_TIME;
    find("pace")->kind = MT_VARIABLE_INPUT;
    define("a", op2(MT_OP_ADD, op1(MT_OP_COS, var("t")), var("pace")));
    cr_expect_eq(value_of("a"), 1);
}

/* ---- depth and memory ---- */

Test(equations, deep_nesting_does_not_overflow_the_stack)
{
    enum { DEPTH = 100000 };
    mt_node at = var("V");
    for (int k = 0; k < DEPTH; k++) at = op2(MT_OP_ADD, at, num(1));
    state("V", at, num(0));
    in("V", "mV");
    cr_assert_eq(mt_equations_finish(e), MT_OK, "%s", mt_message());
    double value[1], rate[1];
    cr_assert_eq(mt_equations_values(e, value, rate), MT_OK);
    cr_expect_eq(rate[0], DEPTH);
}

Test(equations, a_long_chain_of_definitions_does_not_overflow_the_stack)
{
    enum { LENGTH = 50000 };
    size_t index;
    for (int k = 0; k < LENGTH; k++) {
        cr_assert_eq(mt_equations_add(e, "", "x", 1, &index), MT_OK);
        cr_assert_eq(mt_graph_variable(e->graph, index + 1, &e->variable[index].expression), MT_OK);
    }
    cr_assert_eq(mt_equations_add(e, "", "V", 1, &index), MT_OK);
    state("V", num(1), num(7));
    cr_assert_eq(mt_equations_finish(e), MT_OK, "%s", mt_message());
    cr_expect_eq(e->variable[0].flat, e->variable[LENGTH - 1].flat);
}

static mt_status build_and_finish(void)
{
    mt_equations *made = NULL;
    size_t index;
    uint32_t unit;
    mt_node node, sum;
    MT_TRY(mt_equations_new(&arena, "some.file", "test", &made));
    for (size_t k = 0; k < 100; k++) { /* enough to grow */
        MT_TRY(mt_equations_add(made, "", "x", 1, &index));
        MT_TRY(mt_equations_unit(made, mt_unit_scaled(mt_unit_none, (double)(k + 1)), &unit));
        MT_TRY(mt_graph_number_in(made->graph, (double)k, unit, &node));
        MT_TRY(mt_graph_variable(made->graph, (k + 1) % 100, &sum));
        MT_TRY(mt_graph_binary(made->graph, MT_OP_ADD, node, sum, &made->variable[index].expression));
    }
    made->variable[index].kind = MT_VARIABLE_STATE;
    MT_TRY(mt_graph_number(made->graph, 1, &made->variable[index].initial));
    MT_TRY(mt_equations_finish(made));
    double value[100], rate[100];
    return mt_equations_values(made, value, rate);
}

Test(equations, out_of_memory_is_reported_without_a_leak)
{
    size_t n = 1;
    for (;; n++) {
        mt_arena_fail_at(n);
        const mt_status status = build_and_finish();
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        if (status == MT_OK) break;
        cr_assert(status == MT_MEMORY && n < 400, "%zu: %s", n, mt_message());
    }
    cr_expect_gt(n, 200, "names are allocated");
}
