#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "solver/cells/import/cellml.h"
#include "tests/answers.h"
#include "tests/one_file.h"

#define FOLDER "tests/solver/cells/import/"

enum { ROOM = 64 };

static mt_arena arena;
static mt_equations *equations;
static double value[ROOM], rate[ROOM];

static void finish(void)
{
    mt_arena_free(&arena);
    leave();
}

TestSuite(cellml, .init = enter, .fini = finish);

static void write_model(const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
}

static void read_model(const char *from)
{
    ok(mt_cellml_read(&arena, from, &equations));
    cr_assert_leq(equations->n, ROOM);
    ok(mt_equations_values(equations, value, rate));
}

static size_t find(const char *name)
{
    size_t k = 0;
    cr_assert(mt_equations_find(equations, name, &k), "%s", name);
    return k;
}

static const mt_variable *variable(const char *name) { return &equations->variable[find(name)]; }

static void near(const char *name, double got, double expected)
{
    cr_assert(
        fabs(got - expected) <= 1e-14 * fabs(expected), "%s: %.17g instead of %.17g", name, got, expected);
}

static void has_value(const char *name, double expected) { near(name, value[find(name)], expected); }

static void has_rate(const char *name, double expected)
{
    cr_assert_eq(variable(name)->kind, MT_VARIABLE_STATE, "%s", name);
    near(name, rate[find(name)], expected);
}

/* ---- models ---- */

Test(cellml, the_squid_axon_has_the_derivatives_of_its_formulas)
{
    const double V = -60, m = 0.05, h = 0.6, n = 0.325;
    read_model(FOLDER "hodgkin_huxley.cellml");
    cr_assert_str_eq(equations->format, "CellML 1.0");
    cr_assert_str_eq(equations->name, "hodgkin_huxley_1952");
    const double am = 0.1 * (V + 40) / (1 - exp(-(V + 40) / 10)), bm = 4 * exp(-(V + 65) / 18),
                 ah = 0.07 * exp(-(V + 65) / 20), bh = 1 / (1 + exp(-(V + 35) / 10)),
                 an = 0.01 * (V + 55) / (1 - exp(-(V + 55) / 10)), bn = 0.125 * exp(-(V + 65) / 80);
    const double i_Na = 120 * m * m * m * h * (V - 50), i_K = 36 * pow(n, 4) * (V + 77),
                 i_L = 0.3 * (V + 54.387);
    has_value("membrane.V", V);
    has_value("sodium_channel.i_Na", i_Na);
    has_value("potassium_channel.i_K", i_K);
    has_value("leak.i_L", 1e-6 * i_L);
    /* time is in seconds in the environment, where it comes from */
    has_rate("membrane.V", -1000 * (i_Na + i_K + i_L));
    has_rate("m_gate.m", 1000 * (am * (1 - m) - bm * m));
    has_rate("h_gate.h", 1000 * (ah * (1 - h) - bh * h));
    has_rate("n_gate.n", 1000 * (an * (1 - n) - bn * n));
    cr_assert_eq(equations->n, 4 + 7 + 9 + 1, "%zu", equations->n);
    cr_assert_eq(equations->n_warnings, 0);
}

Test(cellml, a_connected_set_is_one_variable_with_the_units_of_its_definition)
{
    size_t k;
    read_model(FOLDER "hodgkin_huxley.cellml");
    const mt_variable *time = variable("environment.time"), *V = variable("membrane.V"),
                      *g = variable("sodium_channel.g");
    cr_assert(!mt_equations_find(equations, "membrane.time", &k));
    cr_assert(!mt_equations_find(equations, "membrane.i_L", &k));
    cr_assert_eq(time->kind, MT_VARIABLE_TIME);
    cr_assert_str_eq(time->unit_text, "second");
    cr_assert_eq(time->line, 14);
    cr_assert_str_eq(V->unit_text, "mV");
    cr_assert(V->unit.known);
    near("mV", V->unit.factor, 1e-3);
    cr_assert_eq(V->line, 24, "%zu", V->line);
    cr_assert(g->kind == MT_VARIABLE_PARAMETER && g->value == 120 && g->line == 33, "%zu", g->line);
    near("mS/cm2", g->unit.factor, 10);
    near("A/cm2", variable("leak.i_L")->unit.factor, 1e4);
}

Test(cellml, annotations_are_labels_title_and_source)
{
    read_model(FOLDER "hodgkin_huxley.cellml");
    cr_assert_str_eq(variable("membrane.V")->label, "membrane_voltage");
    cr_assert_null(variable("m_gate.m")->label);
    cr_assert_str_eq(equations->title, "The squid axon");
    cr_assert_str_eq(equations->source, "A quantitative description");
    read_model(FOLDER "driven.cellml");
    cr_assert_str_eq(equations->title, "driven");
    cr_assert_str_eq(equations->source, "");
}

/* x' = a y = 2 * 5 mV/ms is 10 V/s in the other component, of which 1e3 are mV. */
Test(cellml, a_derivative_on_a_right_side_is_its_expression_in_the_units_of_the_component)
{
    read_model(FOLDER "driven.cellml");
    cr_assert_str_eq(equations->format, "CellML 1.1");
    has_value("fast.x", 3);
    has_rate("fast.x", 10);
    has_value("slow.rate", 1e4);
    has_rate("slow.y", (1e4 / 2 - 5) * 1e-3);
    cr_assert_eq(equations->n_warnings, 0, "%s", equations->warning[0]);
    has_value("fast.d(x)/d(t)", 10);
    cr_assert_eq(variable("fast.a")->kind, MT_VARIABLE_PARAMETER);
    cr_assert_eq(variable("fast.x_0")->kind, MT_VARIABLE_PARAMETER);
}

Test(cellml, initial_values_and_parameters_of_other_components_are_converted)
{
    read_model(FOLDER "van_der_pol.cellml");
    cr_assert_str_eq(equations->format, "CellML 2.0");
    has_value("main.x", 2);
    has_value("settings.mu", 15);
    has_rate("main.x", 0.5);
    has_rate("main.rate", 1.5 * (1 - 2 * 2) * 0.5 - 2);
    cr_assert_eq(equations->n, 4);
}

/* ---- errors ---- */

#define MODEL(version, content)                                                                              \
    "<model xmlns='http://www.cellml.org/cellml/" version "#' xmlns:cellml='http://www.cellml.org/cellml/"   \
    "1.0#' name='n'>\n" content "</model>\n"
#define C(name, content) "<component name='" name "'>\n" content "</component>\n"
#define V(name, more) "<variable name='" name "' units='second' " more "/>\n"
#define MATH(content) "<math>\n" content "</math>\n"
#define EQ(left, right) "<apply><eq/>" left right "</apply>\n"
#define CI(name) "<ci>" name "</ci>"
#define CN "<cn cellml:units='dimensionless'>1</cn>"
#define DIFF(x, t) "<apply><diff/><bvar>" CI(t) "</bvar>" CI(x) "</apply>"
#define MAP(a, b, first, second)                                                                             \
    "<connection><map_components component_1='" a "' component_2='" b                                        \
    "'/>\n<map_variables variable_1='" first "' variable_2='" second "'/></connection>\n"
#define STATE V("t", "") V("x", "initial_value='1'") MATH(EQ(DIFF("x", "t"), CN))

static const struct {
    const char *model, *message;
} damaged[] = {
    {"", ": not well-formed XML: no element found"},
    {"<model>\n<component>\n</model>", ":3: not well-formed XML: mismatched tag"},
    {"<mesh/>", ":1: <mesh>: is not a CellML <model>"},
    {"<!-- -->\n<model/>",
        ":2: <model>: namespace ''; supported: http://www.cellml.org/cellml/1.0#, 1.1# and 2.0#"},
    {MODEL("3.0", ""), ":1: <model>: namespace 'http://www.cellml.org/cellml/3.0#'; supported: "},
    {MODEL("1.0", ""), ": no variable has a derivative"},
    {MODEL("1.0", "\n<component/>\n"), ":3: <component>: without the attribute name"},
    {MODEL("1.0", C("a", "<variable units='second'/>")), ":3: <variable>: without the attribute name"},
    {MODEL("1.0", C("a", "<variable name='x' units=''/>")), ":3: <variable>: without the attribute units"},
    {MODEL("1.0", C("a", "<variable name='x' units='u'/>")), ":3: <variable>: units 'u' are not defined"},
    {MODEL("1.0", C("a", V("x", "") V("x", ""))), ":4: <variable>: a second variable 'x' of component 'a'"},
    {MODEL("1.0", C("a", V("x", "")) C("a", "")), ":5: <component>: a second component 'a'"},
    {MODEL("1.0", C("a", "<reaction/>")),
        ":3: <reaction>: is not supported; supported are equations in <math>"},
    {MODEL("2.0", C("a", "<reset/>")), ":3: <reset>: is not supported; supported are equations in <math>"},
    {MODEL("1.1", "<import/>"), ":2: <import>: is not supported; the model must be in one file"},
    {MODEL("1.0", C("a", STATE) "<connection/>"), ":9: <connection>: without the attribute component_1"},
    {MODEL("1.0", C("a", STATE) MAP("a", "b", "x", "x")), ":9: <map_components>: there is no component 'b'"},
    {MODEL("1.0", C("a", STATE) C("b", "") MAP("a", "b", "x", "x")),
        ":12: <map_variables>: component 'b' has no variable 'x'"},
    {MODEL("2.0", C("a", STATE) C("b", "") "<connection component_1='a' component_2='b'>\n<map_variables "
                                           "variable_1='x'/></connection>"),
        ":12: <map_variables>: without the attribute variable_2"},
    {MODEL("1.0", C("a", STATE) C("b", "<variable name='x' units='volt'/>") MAP("a", "b", "x", "x")),
        ":12: <map_variables>: units 'second' of a.x and 'volt' of b.x cannot be converted"},
    {MODEL("1.0", C("a", "<variable name='x' units='kelvin'/>") C("b", "<variable name='y' units='celsius'/>")
                      MAP("a", "b", "x", "y")),
        ":7: <map_variables>: units 'kelvin' of a.x and 'celsius' of b.y cannot be converted"},
    {MODEL("1.0", "<units name='unknown' base_units='yes'/>\n" C("a", V("x", "initial_value='1'")) C("b",
                      "<variable name='y' units='unknown'/>\n") C("c", "<variable name='z' units='volt'/>")
                      MAP("a", "b", "x", "y") MAP("b", "c", "y", "z")),
        ":10: <variable>: units 'volt' of c.z and 'second' of a.x cannot be converted"},
    {MODEL("1.0", C("a", V("x", "") MATH(EQ(CI("x"), CN) EQ(CI("x"), CN)))),
        ":6: <apply>: the value of a.x is defined twice, here and in line 5"},
    {MODEL("1.0", C("a", V("x", "initial_value='2'") MATH(EQ(CI("x"), CN)))),
        ":3: <variable>: the value of a.x is defined twice, here and in line 5"},
    {MODEL("1.0",
         C("a", V("x", "initial_value='2'")) C("b", V("x", "initial_value='2'")) MAP("a", "b", "x", "x")),
        ":6: <variable>: the value of b.x is defined twice, here and in line 3"},
    {MODEL("1.0", C("a", V("x", "")) C("b", V("x", "initial_value='2'") MATH(EQ(CI("x"), CN))) MAP(
                      "a", "b", "x", "x") C("c", V("x", "") MATH(EQ(CI("x"), CN))) MAP("b", "c", "x", "x")),
        ":16: <apply>: the value of c.x is defined twice, here and in line 8"},
    {MODEL("1.0", C("a", STATE V("s", "") V("y", "") MATH(EQ(DIFF("y", "s"), CN)))),
        ":11: <apply>: a derivative by a.s, and others by a.t; supported: one variable of integration"},
    {MODEL("1.0", C("a", STATE MATH(EQ(CI("t"), CN)))), ":9: <apply>: defines the variable of integration"},
    {MODEL("1.0", C("a", STATE MATH("\n" EQ(CI("y"), CN)))), ":10: <ci>: component 'a' has no variable 'y'"},
    {MODEL("1.0", C("a", STATE V("z", "") MATH(EQ(DIFF("z", "y"), CN)))),
        ":10: <apply>: component 'a' has no variable 'y'"},
    {MODEL("1.0", C("a", STATE MATH("<semantics/>"))),
        ":9: <semantics>: is not an equation; allowed in <math>: "},
    {MODEL("1.0", C("a", STATE V("y", "") V("z", "") MATH(EQ(CI("y"), "\n" CI("z"))))),
        ":12: <ci>: a.z has no value: neither a number nor an equation"},
    {MODEL("1.0", C("a", STATE V("y", "") MATH(EQ(CI("y"), "\n" CI("z"))))),
        ":11: <ci>: component 'a' has no variable 'z'"},
    {MODEL("1.0", C("a", STATE V("y", "") MATH(EQ(CI("y"), DIFF("y", "t"))))),
        ":10: <diff>: no equation defines the derivative of a.y"},
    {MODEL("1.0", C("a", STATE V("y", "") MATH(EQ(CI("y"), DIFF("x", "x"))))),
        ":10: <diff>: a.x is not the variable of integration"},
    {MODEL("1.0", C("a", STATE V("y", "") MATH(EQ(CI("y"), "<cn cellml:units='u'>1</cn>")))),
        ":10: <cn>: units 'u' are not defined"},
    {MODEL("1.1", C("a", STATE V("y", "initial_value='z'"))),
        ":8: <variable>: initial_value 'z'; allowed: a number, or a variable of the same component"},
    {MODEL("1.1", C("a", STATE "<variable name='y' units='volt' initial_value='x'/>")),
        ":8: <variable>: units 'volt' of a.y and 'second' of a.x cannot be converted"},
    {MODEL("1.1", C("a", STATE V("y", "initial_value='z'") V("z", ""))),
        ":8: <variable>: a.z has no value: neither a number nor an equation"},
    {MODEL("1.0", C("a", V("t", "") V("x", "") MATH(EQ(DIFF("x", "t"), CN)))),
        ":6: a.x has a derivative but no initial value"},
    {MODEL("1.0", C("a", STATE V("y", "") V("z", "") MATH(EQ(CI("y"), CI("z")) EQ(CI("z"), CI("y"))))),
        ":12: a value depends on itself: a.z -> a.y"},
    {MODEL("1.0", C("a", V("t", "") V("x", "initial_value='1'") MATH(EQ(DIFF("x", "t"), DIFF("x", "t"))))),
        ":6: a value depends on itself: a.d(x)/d(t)"},
};

Test(cellml, a_damaged_or_unsupported_model_is_refused_with_file_line_and_element)
{
    for (size_t k = 0; k < sizeof damaged / sizeof *damaged; k++) {
        write_model(damaged[k].model);
        const mt_status status = mt_cellml_read(&arena, path, &equations);
        cr_assert_eq(status, MT_INPUT, "%zu: %d for %s", k, status, damaged[k].model);
        cr_assert_eq(strncmp(mt_message(), path, strlen(path)), 0, "%s", mt_message());
        assert_message(damaged[k].message);
    }
}

Test(cellml, a_missing_file_is_an_error)
{
    cr_assert_eq(mt_cellml_read(&arena, "/tmp/none/none.cellml", &equations), MT_FILE);
}

Test(cellml, a_variable_without_value_that_no_equation_needs_is_a_warning)
{
    write_model(MODEL("1.0", C("a", STATE V("y", "")) C("b", V("y", "")) MAP("a", "b", "y", "y")));
    read_model(path);
    cr_assert_eq(equations->n_warnings, 1);
    cr_assert_not_null(
        strstr(equations->warning[0], ":8: a.y has no value: neither a number nor an equation"));
    cr_assert_eq(equations->n, 2);
}

Test(cellml, the_variable_of_integration_is_that_of_its_source)
{
    write_model(MODEL("1.0", C("a", V("t", "public_interface='in' initial_value='4'")
                                        V("x", "initial_value='1'") MATH(EQ(DIFF("x", "t"), CI("t"))))
                                 C("b", V("t", "initial_value='5'")) MAP("a", "b", "t", "t")));
    read_model(path);
    cr_assert_eq(variable("b.t")->kind, MT_VARIABLE_TIME);
    has_value("b.t", 0);
    cr_assert_eq(equations->n, 2);
}

/* 1e-3 / 1e-6 is 1000.0000000000001 in floating point. */
Test(cellml, factors_between_units_are_decimal_numbers)
{
    write_model(MODEL("1.0", "<units name='us'><unit units='second' prefix='micro'/></units>"
                             "<units name='ms'><unit units='second' prefix='milli'/></units>"
                             "<units name='minute'><unit units='second' multiplier='60'/></units>" C(
                                 "a", STATE "<variable name='z' units='ms' initial_value='1'/>") C("b",
                                 "<variable name='z' "
                                 "units='us'/>" V("y", "") MATH(EQ(CI("y"), CI("z")))) C("c",
                                 "<variable name='z' units='minute'/>" V("y", "") MATH(EQ(CI("y"), CI("z"))))
                                 MAP("a", "b", "z", "z") MAP("b", "c", "z", "z")));
    read_model(path);
    cr_assert_eq(value[find("b.y")], 1000, "%.17g", value[find("b.y")]);
    cr_assert_eq(value[find("c.y")], 1e-3 / 60, "%.17g", value[find("c.y")]);
}

Test(cellml, an_initial_value_from_a_variable_is_converted)
{
    write_model(MODEL("1.1", "<units name='ms'><unit units='second' prefix='milli'/></units>" C(
                                 "a", V("t", "") "<variable name='x' units='ms' initial_value='y'/>" V(
                                          "y", "initial_value='2'") MATH(EQ(DIFF("x", "t"), CN)))));
    read_model(path);
    has_value("a.x", 2000);
}

Test(cellml, a_label_needs_a_reference_to_an_id)
{
#define LABEL(about, name)                                                                                   \
    "<r:Description r:about='" about "'><is r:resource='http://a/oxford-metadata#" name "'/></"              \
    "r:Description>"
    write_model(MODEL("2.0", C("a", V("t", "id='i'") V("x", "id='j' initial_value='1'")
                                        MATH(EQ(DIFF("x", "t"), CN))) "<r:RDF xmlns:r='r'>" LABEL("ri",
                                 "wrong") LABEL("#none", "wrong") LABEL("#i", "time") LABEL("#i", "second")
                                 LABEL("", "wrong") "<r:Description r:about='#j'><is r:resource='#other'/>"
                                                    "</r:Description></r:RDF>"));
    read_model(path);
    cr_assert_str_eq(variable("a.t")->label, "time");
    cr_assert_null(variable("a.x")->label);
}

/* Writes `n` copies of a text between two others. */
static void write_repeated(
    const char *before, const char *text, size_t n, const char *middle, const char *close, const char *after)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    (void)fputs(before, file);
    for (size_t k = 0; k < n; k++) (void)fprintf(file, text, k);
    (void)fputs(middle, file);
    for (size_t k = 0; k < n; k++) (void)fputs(close, file);
    (void)fputs(after, file);
    cr_assert_eq(fclose(file), 0);
}

Test(cellml, deep_and_long_files_are_refused_or_read_without_recursion_over_definitions)
{
    static const char begin[] = "<model xmlns='http://www.cellml.org/cellml/1.0#' name='n'>\n";
    write_repeated(begin, "<a>", 300, "", "</a>", "</model>");
    cr_assert_eq(mt_cellml_read(&arena, path, &equations), MT_INPUT);
    assert_message(":2: elements are nested more than 256 levels deep");
    /* a chain of definitions, each after the unit that needs it */
    write_repeated(begin,
        "<units name='u%1$zu'><unit units='v%1$zu'/></units><units name='v%1$zu'><unit "
        "units='volt'/></units>\n",
        20000, "", "", "</model>");
    cr_assert_eq(mt_cellml_read(&arena, path, &equations), MT_INPUT);
    assert_message(": no variable has a derivative");
    write_repeated(begin, "", 0, "<component name='a'>", "", "");
    write_repeated("<model xmlns='http://www.cellml.org/cellml/1.0#' name='n'><component name='a'>\n",
        "<variable name='x%zu' units='volt'/>\n", MT_EQUATIONS_VARIABLES_MAX + 1, "", "",
        "</component></model>");
    cr_assert_eq(mt_cellml_read(&arena, path, &equations), MT_INPUT);
    assert_message(":1: <model>: 65537 variables; supported: at most 65536");
}

Test(cellml, every_failed_allocation_is_reported)
{
    static const char *const files[] = {FOLDER "hodgkin_huxley.cellml", FOLDER "driven.cellml"};
    for (size_t k = 0; k < 2; k++) {
        mt_status status = MT_MEMORY;
        size_t n = 1;
        for (; status == MT_MEMORY; n++) {
            mt_arena own = {0};
            mt_arena_fail_at(n);
            status = mt_cellml_read(&own, files[k], &equations);
            mt_arena_fail_at(0);
            mt_arena_free(&own);
        }
        ok(status);
        cr_assert_gt(n, 100);
    }
}
