/* Warnings about units: each kind of difference has one, and consistent or unknown units have none. */
#include <criterion/criterion.h>

#include "solver/cells/graph/unit_check.h"
#include "tests/solver/cells/graph/small_equations.h"
#include "solver/cells/graph/complete.h"

/* V in mV, t in ms, c in mM; a is defined by the test. */
static void prepare(void)
{
    begin();
    in("V", "mV");
    in("t", "ms");
    find("t")->kind = MT_VARIABLE_TIME;
    in("c", "mM");
    parameter("c", 2);
}

TestSuite(unit_check, .init = prepare, .fini = clear);

static void expect_warnings(size_t n)
{
    e->n_warnings = 0;
    cr_assert_eq(mt_equations_check_units(e), MT_OK);
    cr_assert_eq(e->n_warnings, n, "%s", e->n_warnings ? e->warning[0] : "none");
}

/* Checks a definition of `a`, which has no declared unit; `text` NULL: no warning. */
static void expect_value(mt_node value, const char *text)
{
    define("a", value);
    expect_warnings(text != NULL);
    if (!text) return;
    char complete[200];
    (void)snprintf(complete, sizeof complete, "some.file:%zu: cell.a: %s", find("a")->line, text);
    cr_expect_str_eq(e->warning[0], complete);
}

/* ---- operations ---- */

Test(unit_check, a_sum_needs_equal_units)
{
    expect_value(op2(MT_OP_ADD, var("V"), num_in(20, "mV")), NULL);
    expect_value(op2(MT_OP_ADD, var("V"), var("c")), "adds mV and mM");
    expect_value(op2(MT_OP_SUBTRACT, var("V"), var("c")), "subtracts mM from mV");
    expect_value(op2(MT_OP_ADD, var("V"), num_in(20, "1")), "adds mV and 1");
}

Test(unit_check, a_factor_is_a_difference)
{
    expect_value(op2(MT_OP_ADD, var("V"), num_in(20, "V")), "adds mV and kg m^2 s^-3 A^-1");
    in("other", "V");
    parameter("other", 1);
    expect_value(op2(MT_OP_ADD, var("V"), num_in(20, "V")), "adds mV and V");
    expect_value(op2(MT_OP_ADD, var("V"), op2(MT_OP_MULTIPLY, num_in(1000, "mV/V"), var("other"))), NULL);
    expect_value(op2(MT_OP_ADD, var("V"), num_in(1, "V (0.0010000001)")), NULL);
}

Test(unit_check, comparisons_and_choices_need_equal_units)
{
    static const mt_op compare[] = {MT_OP_LESS, MT_OP_LESS_EQUAL, MT_OP_EQUAL, MT_OP_MIN, MT_OP_MAX};
    for (size_t k = 0; k < sizeof compare / sizeof *compare; k++) {
        expect_value(op2(compare[k], var("V"), var("c")), "compares mV with mM");
        expect_value(op2(compare[k], var("V"), num_in(1, "mV")), NULL);
    }
    const mt_node condition = op2(MT_OP_LESS, var("V"), num(0));
    expect_value(choose(condition, var("V"), var("c")), "is in mV or in mM, depending on a condition");
    expect_value(choose(condition, var("V"), var("V")), NULL);
    expect_value(choose(op2(MT_OP_EQUAL, var("V"), var("c")), num(1), num(2)), "compares mV with mM");
    expect_value(op2(MT_OP_REMAINDER, var("t"), var("V")), "divides ms by mV with a remainder");
    expect_value(op2(MT_OP_REMAINDER, var("t"), num_in(3, "ms")), NULL);
}

Test(unit_check, functions_need_a_dimensionless_argument)
{
    static const mt_op functions[] = {MT_OP_EXP, MT_OP_EXPM1, MT_OP_LOG, MT_OP_LOG10, MT_OP_LOG2, MT_OP_SIN,
        MT_OP_COS, MT_OP_TAN, MT_OP_ASIN, MT_OP_ACOS, MT_OP_ATAN, MT_OP_SINH, MT_OP_COSH, MT_OP_TANH};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        char text[80];
        (void)snprintf(
            text, sizeof text, "takes %s of mV, which should be dimensionless", mt_op_name(functions[k]));
        expect_value(op1(functions[k], var("V")), text);
        expect_value(op1(functions[k], op2(MT_OP_DIVIDE, var("V"), num_in(5, "mV"))), NULL);
        expect_value(op1(functions[k], op2(MT_OP_DIVIDE, var("V"), num(5))), NULL);
    }
    expect_value(op1(MT_OP_EXP, op2(MT_OP_DIVIDE, var("V"), num_in(5, "V"))),
        "takes exp of 0.001, which should be dimensionless");
}

Test(unit_check, rounding_and_sign_keep_the_unit)
{
    static const mt_op keep[] = {MT_OP_NEGATE, MT_OP_ABS, MT_OP_FLOOR, MT_OP_CEIL};
    for (size_t k = 0; k < sizeof keep / sizeof *keep; k++) {
        expect_value(op2(MT_OP_ADD, op1(keep[k], var("V")), var("V")), NULL);
        expect_value(op2(MT_OP_ADD, op1(keep[k], var("V")), var("c")), "adds mV and mM");
    }
}

Test(unit_check, products_and_quotients_multiply_units)
{
    in("a", "mM/ms");
    expect_value(op2(MT_OP_DIVIDE, var("c"), var("t")), NULL);
    in("a", "mM*ms");
    expect_value(op2(MT_OP_MULTIPLY, var("c"), var("t")), NULL);
    expect_value(
        op2(MT_OP_DIVIDE, var("c"), var("t")), "its value is in 1000 m^-3 s^-1 mol instead of mM*ms");
}

Test(unit_check, roots_divide_exponents)
{
    in("a", "mM");
    expect_value(op1(MT_OP_SQRT, op2(MT_OP_MULTIPLY, var("c"), var("c"))), NULL);
    expect_value(
        op1(MT_OP_CBRT, op2(MT_OP_MULTIPLY, op2(MT_OP_MULTIPLY, var("c"), var("c")), var("c"))), NULL);
    in("a", "mM^0.5");
    expect_value(op1(MT_OP_SQRT, var("c")), NULL);
}

Test(unit_check, a_constant_exponent_multiplies_exponents)
{
    in("a", "mM^3");
    parameter("n", 3);
    define("m", op2(MT_OP_ADD, num(1), num(2)));
    define("k", op2(MT_OP_SUBTRACT, var("m"), num(1)));
    expect_value(op2(MT_OP_POWER, var("c"), num(3)), NULL);
    expect_value(op2(MT_OP_POWER, var("c"), op2(MT_OP_DIVIDE, num(6), num(2))), NULL);
    expect_value(op2(MT_OP_POWER, var("c"), var("n")), NULL);
    expect_value(op2(MT_OP_POWER, var("c"), var("m")), NULL);
    expect_value(op2(MT_OP_POWER, var("c"), num(2)), "its value is in m^-6 mol^2 instead of mM^3");
    expect_value(op2(MT_OP_POWER, var("c"), op2(MT_OP_SUBTRACT, var("m"), num(1))),
        "its value is in m^-6 mol^2 instead of mM^3");
    expect_value(op2(MT_OP_POWER, var("c"), var("k")), NULL); /* not followed: unknown */
    expect_value(op2(MT_OP_POWER, var("c"), op1(MT_OP_EXP, var("x"))), NULL);
}

Test(unit_check, an_exponent_is_dimensionless)
{
    expect_value(op2(MT_OP_POWER, num(2), var("V")), "has an exponent in mV, which should be dimensionless");
    in("a", "1");
    expect_value(op2(MT_OP_POWER, num_in(2, "1"), op2(MT_OP_DIVIDE, var("x"), num(10))), NULL);
}

Test(unit_check, truth_values_are_not_checked)
{
    expect_value(op2(MT_OP_AND, var("V"), op1(MT_OP_NOT, var("c"))), NULL);
    expect_value(choose(op2(MT_OP_OR, var("V"), var("c")), num(1), num(2)), NULL);
}

/* ---- unknown units ---- */

Test(unit_check, unknown_units_pass)
{
    expect_value(op2(MT_OP_ADD, var("V"), num(20)), NULL);
    expect_value(op2(MT_OP_ADD, var("V"), var("x")), NULL);
    expect_value(op2(MT_OP_ADD, op2(MT_OP_MULTIPLY, num(2), var("V")), var("c")), NULL);
    expect_value(op2(MT_OP_ADD, op1(MT_OP_EXP, var("x")), var("c")), NULL);
}

Test(unit_check, an_unknown_operand_takes_the_unit_of_the_other)
{
    expect_value(op2(MT_OP_ADD, op2(MT_OP_ADD, num(20), var("V")), var("c")), "adds mV and mM");
    expect_value(op2(MT_OP_ADD, choose(var("x"), num(1), var("V")), var("c")), "adds mV and mM");
}

Test(unit_check, zero_has_every_unit)
{
    expect_value(op2(MT_OP_ADD, var("V"), num_in(0, "1")), NULL);
    expect_value(choose(var("x"), num_in(0, "1"), var("c")), NULL);
}

/* ---- definitions ---- */

Test(unit_check, a_definition_has_the_declared_unit)
{
    in("a", "V");
    expect_value(var("V"), "its value is in mV instead of V");
    expect_value(num_in(5, "mM"), "its value is in mM instead of V");
    expect_value(num_in(5, "V"), NULL);
    expect_value(num(5), NULL);
}

Test(unit_check, a_derivative_is_in_the_unit_of_its_state_by_time)
{
    in("I", "A/F");
    parameter("I", 1);
    state("V", op1(MT_OP_NEGATE, var("I")), num(-80));
    expect_warnings(0);
    state("V", var("V"), num(-80));
    expect_warnings(1);
    cr_expect_str_eq(e->warning[0], "some.file:10: cell.V: its derivative is in mV instead of A/F");
    find("t")->unit = mt_unit_unknown;
    expect_warnings(0);
}

Test(unit_check, an_initial_value_is_in_the_unit_of_its_state)
{
    state("V", num(0), num_in(-80, "mV"));
    expect_warnings(0);
    state("V", num(0), num_in(-0.08, "V"));
    expect_warnings(1);
    cr_expect_str_eq(
        e->warning[0], "some.file:10: cell.V: its initial value is in kg m^2 s^-3 A^-1 instead of mV");
}

Test(unit_check, a_variable_has_one_warning)
{
    const mt_node wrong = op2(MT_OP_ADD, var("V"), var("c"));
    in("a", "mM");
    expect_value(op2(MT_OP_ADD, op2(MT_OP_ADD, wrong, var("t")), op1(MT_OP_EXP, var("V"))), "adds mV and mM");
    define("b", op2(MT_OP_MULTIPLY, wrong, num(2)));
    expect_warnings(2); /* an equal sum in another definition */
    define("d", op2(MT_OP_ADD, var("a"), var("c")));
    expect_warnings(2); /* the variable that uses a wrong one is right */
}

Test(unit_check, many_warnings_are_counted)
{
    enum { N = MT_EQUATIONS_WARNINGS + 7 };
    for (int k = 0; k < N; k++) {
        char name[20];
        (void)snprintf(name, sizeof name, "x%d", k);
        define(name, op2(MT_OP_ADD, var("V"), var("c")));
    }
    cr_assert_eq(mt_equations_check_units(e), MT_OK);
    cr_expect_eq(e->n_warnings, MT_EQUATIONS_WARNINGS);
    cr_expect_eq(e->n_more_warnings, 7);
}

Test(unit_check, finished_equations_have_warnings_about_constants)
{
    in("a", "V");
    define("a", num_in(5, "mV"));
    state("V", num(0), num(0));
    cr_assert_eq(mt_equations_finish(e), MT_OK, "%s", mt_message());
    cr_expect_eq(find("a")->kind, MT_VARIABLE_PARAMETER);
    cr_assert_eq(e->n_warnings, 1);
    cr_expect_str_eq(e->warning[0], "some.file:40: cell.a: its value is in mV instead of V");
}

Test(unit_check, out_of_memory_is_reported)
{
    size_t n = 1;
    define("a", var("V"));
    for (;; n++) {
        mt_arena_fail_at(n);
        const mt_status status = mt_equations_check_units(e);
        mt_arena_fail_at(0);
        if (status == MT_OK) break;
        cr_assert(status == MT_MEMORY && n < 10);
    }
    cr_expect_eq(n, 6);
}
