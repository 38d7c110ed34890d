#include <criterion/criterion.h>

#include "solver/cells/import/gotran.h"
#include "tests/solver/cells/import/small_model.h"

TestSuite(gotran, .init = enter, .fini = leave_all);

/* A membrane with one gate, with every kind of statement. */
static const char membrane[] =
    "# A comment (with = and \"quotes\"\n"
    "parameters(\"Membrane\", # a comment in a list\n"
    "           C = ScalarParam(0.5, unit=\"uF*mm**-2\", description=\"capacitance\"),\n"
    "           g=ScalarParam(2e-1, description=\"a, (b\", unit='mS'),)\n"
    "\n"
    "parameters(\"Stimulus\", \"Protocol\",\n"
    "           start = -1, height=2*g,\n"
    "           half = max(g, 0.1)/2)\n"
    "states(\"Membrane\", V = ScalarParam(-80, unit=\"mV\"))\n"
    "states(\"Gate\",\n"
    "    m = 0.25)\n"
    "component(\"Gate\", \"Rates\")\n"
    "alpha = exp(-(V + 40)/20)/4 # ms**-1\n"
    "beta = Conditional(And(Lt(V, -40), Ge(time, start), ), \\\n"
    "    alpha/2, 7) # closing rate # 2\n"
    "\n"
    "expressions(\"Membrane\")\n"
    "dV_dt = (Istim -\n"
    "    Iion)/C # mV\n";
static const char rest[] = "Iion = g*m**3*(V - E)\n"
                           "E = 2*dm_dt\n"
                           "dm_dt = alpha*(1 - m) - beta*m\n"
                           "expressions(\"Stimulus\", \"Protocol\")\n"
                           "Istim = height*Gt(t, start)";

static void read_membrane(void)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "%s%s", membrane, rest);
    read_model(mt_gotran_read, text);
}

Test(gotran, derivatives_are_those_of_the_formulas)
{
    read_membrane();
    const double alpha = exp(2.) / 4, beta = alpha / 2, dm = alpha * 0.75 - beta * 0.25;
    check_rate("m", dm);
    check_rate("V", (0.4 - 0.2 * pow(0.25, 3) * (-80 - 2 * dm)) / 0.5);
    check_value("V", -80);
    check_value("E", 2 * dm);
    check_value("half", 0.1);
    check_value("height", 0.4);
}

Test(gotran, variables_have_components_units_and_descriptions)
{
    read_membrane();
    cr_assert_str_eq(model->format, "gotran");
    const mt_variable *c = variable_of("Membrane.C"), *beta = variable_of("Gate, Rates.beta");
    cr_assert_eq(c->kind, MT_VARIABLE_PARAMETER);
    cr_assert_str_eq(c->text, "capacitance");
    cr_assert_str_eq(c->unit_text, "uF*mm**-2");
    cr_assert_float_eq(c->unit.factor, 1, 1e-12); /* uF/mm^2 = F/m^2 */
    cr_assert_eq(c->line, 3);
    cr_assert_str_eq(variable_of("g")->text, "a, (b");
    cr_assert_str_eq(variable_of("g")->unit_text, "mS");
    cr_assert_str_eq(variable_of("alpha")->unit_text, "ms**-1");
    cr_assert_float_eq(variable_of("alpha")->unit.factor, 1000, 1e-9);
    cr_assert_null(variable_of("alpha")->text);
    cr_assert_str_eq(beta->text, "closing rate # 2");
    cr_assert(!beta->unit.known);
    cr_assert_str_eq(variable_of("V")->unit_text, "mV");
    cr_assert_eq(variable_of("time")->kind, MT_VARIABLE_TIME);
    cr_assert_str_eq(variable_of("Stimulus, Protocol.start")->component, "Stimulus, Protocol");
    for (size_t k = 0; k < model->n; k++) cr_assert_null(model->variable[k].label);
}

Test(gotran, a_derivative_is_a_variable_only_if_it_is_used)
{
    size_t index;
    read_membrane();
    cr_assert_eq(variable_of("dm_dt")->kind, MT_VARIABLE_INTERMEDIATE);
    cr_assert_eq(variable_of("dm_dt")->line, 22);
    cr_assert(!mt_equations_find(model, "dV_dt", &index));
}

Test(gotran, a_smooth_conditional_weighs_both_values)
{
    read_model(mt_gotran_read, "states(x=0.3)\n"
                               "dx_dt = ContinuousConditional(Ge(x, 0.5), 2, 5, 0.1)\n");
    const double w = 1 / (1 + exp((0.5 - 0.3) / 0.1));
    check_rate("x", 2 * w + 5 * (1 - w));
}

Test(gotran, names_of_functions_and_time_can_be_variables)
{
    read_model(mt_gotran_read, "states(x=3, d_dt=1)\nparameters(t=4, exp=2, pi=5, dt_dt=6)\n"
                               "dx_dt = t + exp(0)*exp + pi + dt_dt\r\n"
                               "dd_dt_dt = -d_dt");
    check_rate("x", 17);
    check_rate("d_dt", -1);
    cr_assert_eq(variable_of("t")->kind, MT_VARIABLE_PARAMETER);
}

Test(gotran, powers_are_those_of_python)
{
    read_model(mt_gotran_read, "states(x=3)\ndx_dt = -x**2**0.5 + 2**-1");
    check_rate("x", -pow(3, sqrt(2.)) + 0.5);
}

Test(gotran, errors_name_line_and_word)
{
    static const char long_name[] =
        "states(x=1)\na123456789a123456789a123456789a123456789a123456789a123456789"
        "a123456789a123456789a123456789a123456789a123456789a123456789a123456789 = 1";
    static const refused cases[] = {
        {"", ": no variable has a derivative"},
        {"states(x=1)\n", ":1: x has no derivative"},
        {"states(x=1)\ndx_dt = y\n", ":2:9: unknown name `y`, expected a variable in scope"},
        {"states(x=1)\ndx_dt = 1\na = 1\na = 2\n",
            ":4:1: `a` is defined again; its first definition is in line 3"},
        {"states(x=1)\nparameters(\na=1,\nx=2)\n",
            ":4:1: `x` is defined again; its first definition is in line 1"},
        {"states(x=1)\ndx_dt = 1\ndx_dt = 2\n",
            ":3:1: `dx_dt` is defined again; its first definition is in line 2"},
        {"states(x=1)\ndx_dt = 1\n\ndy_dt = 2\n",
            ":4:1: `dy_dt` is the derivative of something that is not in states(...)"},
        {"states(x=1)\nimport_ode(\"a\")\n",
            ":2:1: found `import_ode` without `=`; supported statements: name = value, parameters(, states(, "
            "expressions(, component("},
        {"states(x=1)\ndx_dt = 1 2\n", ":2:11: found `2`, expected an operator or the end of the expression"},
        {"states(x=1)\ndx_dt = 1, 2\n",
            ":2:10: found `,`, expected an operator or the end of the expression"},
        {"states(x=1 2)\ndx_dt = 1\n", ":1:12: found `2`, expected an operator or the end of the expression"},
        {"states(x=)\ndx_dt = 1\n", ":1:10: found `)`, expected "
                                    "a number, a name or `(`"},
        {"states(x 1)\n", ":1:10: found `1`, expected `=` after the name of a parameter or state"},
        {"states(x=1\n", ":2:1: found the end of the text, expected `,` or `)` after a value"},
        {"states(x=ScalarParam(1, unit=3))\n", ":1:30: found `3`, expected a text in quotes"},
        {"states(x=ScalarParam(1, \"mV\"))\n",
            ":1:25: found `mV`, expected unit=\"...\" or description=\"...\""},
        {"states(x=ScalarParam(1)\ndx_dt=1", ":2:1: found `dx_dt`, expected `,` or `)` after a value"},
        {"states(x=1) y = 2\n", ":1:13: found `y`, expected the end of the line"},
        {"expressions(a)\n", ":1:13: found `a`, expected the name of a component in quotes"},
        {"states(\"x, x=1)\n", ":1:8: found a text without closing quote"},
        {"3 = x\n", ":1:1: found `3`, expected the name of a variable, parameters(, states(, expressions( or "
                    "component("},
        {"states(x=1)\na = b\nb = a\ndx_dt = a",
            ":2: a value depends on itself: a -> b; supported are ordinary "
            "differential equations"},
        {long_name, ":2:1: a name has 130 characters; allowed: at most 128"},
    };
    check_refused(mt_gotran_read, cases, sizeof cases / sizeof *cases);
}

Test(gotran, no_memory_is_an_error)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "%s%s", membrane, rest);
    check_memory(mt_gotran_read, text);
}

Test(gotran, a_file_that_does_not_exist_is_an_error_of_files)
{
    cr_assert_eq(mt_gotran_read(&arena, "/nowhere/a.ode", &model), MT_FILE);
}
