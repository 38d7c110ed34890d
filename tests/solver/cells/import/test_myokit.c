#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "solver/cells/import/myokit.h"
#include "tests/one_file.h"

static mt_arena arena;
static mt_equations *model;
static double *value, *rate;

static void leave_all(void)
{
    mt_arena_free(&arena);
    leave();
}

TestSuite(myokit, .init = enter, .fini = leave_all);

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    cr_assert(fputs(text, file) >= 0);
    cr_assert_eq(fclose(file), 0);
}

/* Reads a model and computes its values and rates. */
static void read_model(const char *text)
{
    write_file(text);
    const mt_status status = mt_myokit_read(&arena, path, &model);
    cr_assert_eq(status, MT_OK, "%s", mt_message());
    value = mt_arena_alloc(&arena, model->n, sizeof *value);
    rate = mt_arena_alloc(&arena, model->n, sizeof *rate);
    cr_assert_eq(mt_equations_values(model, value, rate), MT_OK);
}

static size_t index_of(const char *name)
{
    size_t index = 0;
    cr_assert(mt_equations_find(model, name, &index), "%s", name);
    return index;
}

static const mt_variable *variable_of(const char *name) { return &model->variable[index_of(name)]; }

static void check(const char *name, double found, double expected)
{
    cr_assert(found == expected || fabs(found - expected) <= 1e-14 * fabs(expected),
        "%s: %.17g, expected %.17g", name, found, expected);
}

static void check_value(const char *name, double expected) { check(name, value[index_of(name)], expected); }
static void check_rate(const char *name, double expected) { check(name, rate[index_of(name)], expected); }

/* The equations of Hodgkin and Huxley (1952), with resting potential -65 mV. */
static const char squid[] =
    "[[model]]\n"
    "name: squid\n"
    "display_name: Squid axon\n"
    "desc: \"\"\"\n"
    "    Hodgkin, A. L. & Huxley, A. F. (1952)\n"
    "    A quantitative description. https://doi.org/10.1113/jphysiol.(1952).sp004764.\n"
    "    \"\"\"\n"
    "# initial values\n"
    "membrane.V = -63\n"
    "sodium.m = 0.06\n"
    "sodium.h = 3 * sodium.fifth\n"
    "potassium.n = 0.3\n"
    "\n"
    "[engine]\n"
    "time = 0 [ms] in [ms] bind time\n"
    "pace = 0 bind pace\n"
    "[membrane]\n"
    "desc: The membrane, (its capacitance is\n"
    "C = 1 [uF/cm^2] : capacitance # of one cm^2\n"
    "    in [uF/cm^2]\n"
    "dot(V) = -(sodium.i + potassium.i\n"
    "    # and the leak\n"
    "\n"
    "  + leak.i + i_stim) / C\n"
    "    in [mV]\n"
    "    label membrane_potential\n"
    "    desc: transmembrane voltage\n"
    "i_stim = engine.pace * amplitude in [uA/cm^2]\n"
    "    amplitude = -20 [uA/cm^2]\n"
    "[sodium]\n"
    "use membrane.V, membrane.C as capacitance\n"
    "fifth = 0.2\n"
    "dot(m) = alpha * (1 - m) - beta * m\n"
    "    alpha = if(x == 0, 1, \\\n"
    "               x / (1 - exp(-x)))\n"
    "        x = (V + 40) / 10\n"
    "    beta = 4 * exp(-(V + 65) / 18)\n"
    "dot(h) = alpha * (1 - h) - beta * h\n"
    "    alpha = 0.07 * exp(-(V + 65) / 20)\n"
    "    beta = 1 / (1 + exp(-(V + 35) / 10))\n"
    "i = g * m^3 * h * (V - 50)\n"
    "    g = 120 [mS/cm^2]\n"
    "[potassium]\n"
    "use membrane.V as v\n"
    "dot(n) = alpha * (1 - n) - beta * n\n"
    "    alpha = 0.01 * (v + 55) / (1 - exp(-(v + 55) / 10))\n"
    "    beta = 0.125 * exp(-(v + 65) / 80)\n"
    "i = 36 * n^4 * (v + 77)\n"
    "[leak]\n"
    "i = 0.3 * (membrane.V + 54.4)\n"
    "[[protocol]]\n"
    "# Level  Start (\n"
    "1.0 10 0.5 1000 0\n"
    "[[script]]\n"
    "print('[x')\n";

Test(myokit, the_squid_axon_has_its_values_and_derivatives)
{
    read_model(squid);
    const double V = -63, m = 0.06, h = 0.6, n = 0.3, x = (V + 40) / 10;
    const double i_Na = 120 * pow(m, 3) * h * (V - 50), i_K = 36 * pow(n, 4) * (V + 77),
                 i_L = 0.3 * (V + 54.4);
    check_value("sodium.i", i_Na);
    check_value("potassium.i", i_K);
    check_value("leak.i", i_L);
    check_rate("membrane.V", -(i_Na + i_K + i_L));
    check_rate("sodium.m", x / (1 - exp(-x)) * (1 - m) - 4 * exp(-(V + 65) / 18) * m);
    check_rate("sodium.h", 0.07 * exp(-(V + 65) / 20) * (1 - h) - h / (1 + exp(-(V + 35) / 10)));
    check_rate("potassium.n",
        0.01 * (V + 55) / (1 - exp(-(V + 55) / 10)) * (1 - n) - 0.125 * exp(-(V + 65) / 80) * n);
    size_t states = 0;
    for (size_t k = 0; k < model->n; k++) states += model->variable[k].kind == MT_VARIABLE_STATE;
    cr_assert_eq(states, 4);
    cr_assert_eq(model->n_warnings, 0, "%s", model->warning[0]);
}

Test(myokit, metadata_units_and_labels_are_kept)
{
    read_model(squid);
    cr_assert_str_eq(model->format, "Myokit");
    cr_assert_str_eq(model->name, "squid");
    cr_assert_str_eq(model->title, "Squid axon");
    cr_assert_str_eq(model->source, "https://doi.org/10.1113/jphysiol.(1952).sp004764");
    const mt_variable *v = variable_of("membrane.V"), *c = variable_of("membrane.C");
    cr_assert_str_eq(v->label, "membrane_potential");
    cr_assert_str_eq(v->text, "transmembrane voltage");
    cr_assert_str_eq(v->unit_text, "mV");
    cr_assert_float_eq(v->unit.factor, 1e-3, 1e-18);
    cr_assert_eq(v->line, 21);
    cr_assert_str_eq(c->text, "capacitance");
    cr_assert_str_eq(c->unit_text, "uF/cm^2");
    cr_assert_eq(c->kind, MT_VARIABLE_PARAMETER);
    cr_assert_eq(variable_of("engine.time")->kind, MT_VARIABLE_TIME);
    cr_assert_eq(variable_of("engine.pace")->kind, MT_VARIABLE_INPUT);
    cr_assert_null(c->label);
    cr_assert_str_eq(variable_of("leak.i")->unit_text, "");
}

Test(myokit, nested_variables_get_the_name_of_their_parent_if_theirs_is_not_unique)
{
    read_model(squid);
    (void)index_of("sodium.m_alpha");
    (void)index_of("sodium.h_beta");
    (void)index_of("sodium.x");
    (void)index_of("sodium.g");
    (void)index_of("membrane.amplitude");
    (void)index_of("potassium.alpha");
    cr_assert_not(mt_equations_find(model, "sodium.alpha", &(size_t){0}));
}

#define HEADER "[[model]]\nc.x = 1\n[c]\n"

Test(myokit, without_display_name_or_doi_the_name_and_a_line_with_a_year_are_used)
{
    read_model("[[model]]\nname: A\ndesc: \"\"\"\nText.\n  Noble D  (1962), 10.5/x\n\"\"\"\nc.x = "
               "1\n[c]\ndot(x) = 1\n");
    cr_assert_str_eq(model->title, "A");
    cr_assert_str_eq(model->source, "Noble D (1962), 10.5/x");
    read_model(HEADER "dot(x) = 1\n");
    cr_assert_str_eq(model->title, "");
    cr_assert_str_eq(model->source, "");
}

Test(myokit, names_are_found_in_the_nearest_scope)
{
    read_model(HEADER "dot(x) = y + a\n"
                      "    y = a + z\n"
                      "        z = a + w\n"
                      "        w = 100\n"
                      "    a = 2\n"
                      "b = a + d.a\n"
                      "a = 1000\n"
                      "[d]\n"
                      "use c.b as B, c.a as A\n"
                      "a = 7\n"
                      "sum = A + B + c.x\n");
    check_rate("c.x", 2 + 2 + 100 + 2);
    check_value("c.b", 1007);
    check_value("d.sum", 1000 + 1007 + 1);
}

Test(myokit, operators_have_the_precedence_of_the_documentation)
{
    read_model(HEADER "dot(x) = 0\n"
                      "a = -2^2\n"
                      "b = 2^3^2\n"
                      "c = 2^-1 * 3\n"
                      "d = 5 + -2 * 11 // 3\n"
                      "e = 11 % 3 - 6 / 3 / 2\n"
                      "f = if(1 < 2 or 2 < 1 and 3 < 1, 1, 0)\n"
                      "g = +5 + -2\n");
    check_value("c.a", -4);
    check_value("c.b", 64);
    check_value("c.c", 1.5);
    check_value("c.d", -3);
    check_value("c.e", 1);
    check_value("c.f", 0);
    check_value("c.g", 3);
}

Test(myokit, template_functions_are_expanded)
{
    read_model("[[model]]\n"
               "sigmoid(V, Vh, s) = 1 / (1 + exp((Vh - V) / s))\n"
               "one() = 1 [mV]\n"
               "twice(x) = x + x\n"
               "f(x) = twice(sigmoid(x, 3, 2)) * one()\n"
               "f(x, y) = f(x) + y * x # the same name, two parameters\n"
               "c.x = 4\n"
               "[c]\n"
               "dot(x) = f(x) + f(x + 1, twice(x))\n");
    const double s4 = 2 / (1 + exp((3.0 - 4) / 2)), s5 = 2 / (1 + exp((3.0 - 5) / 2));
    check_rate("c.x", s4 + s5 + 8 * 5);
}

Test(myokit, derivatives_can_be_used_in_expressions)
{
    read_model("[[model]]\nc.x = 1\nd.y = 2\n[c]\nuse d.y as Y\ndot(x) = 3 * dot(Y)\n[d]\ndot(y) = 5 * y\n"
               "a = dot(y) + dot(c.x)\n");
    check_rate("d.y", 10);
    check_rate("c.x", 30);
    check_value("d.a", 40);
    check_value("d.dot(y)", 10);
    cr_assert_eq(variable_of("c.dot(x)")->kind, MT_VARIABLE_INTERMEDIATE);
}

Test(myokit, bindings_that_nothing_provides_keep_their_value)
{
    read_model(HEADER "dot(x) = 1\nT = 310 bind temperature\nd = 5 bind diffusion_current\n");
    check_value("c.T", 310);
    check_value("c.d", 0);
    cr_assert_eq(variable_of("c.d")->kind, MT_VARIABLE_INPUT);
    cr_assert_eq(model->n_warnings, 1);
    cr_assert(strstr(model->warning[0], ":5: T is bound to temperature, which is not provided"), "%s",
        model->warning[0]);
}

Test(myokit, units_are_read_with_factors_and_checked)
{
    read_model(HEADER "dot(x) = 1\na = 1 [m (0.0254)] + 2 [m]\n    in [cm (2.54)]\nb = 1 [wurst] in [wurst]\n"
                      "c = 1 [mV] + 1 [mA]\n");
    const mt_unit inch = variable_of("c.a")->unit;
    cr_assert(inch.known);
    cr_assert_float_eq(inch.factor, 0.0254, 1e-15);
    cr_assert_eq(inch.exponent[MT_METRE], 1);
    cr_assert_not(variable_of("c.b")->unit.known);
    cr_assert_str_eq(variable_of("c.b")->unit_text, "wurst");
    size_t unknown = 0, different = 0;
    for (size_t k = 0; k < model->n_warnings; k++) {
        unknown += strstr(model->warning[k], ":7: unknown unit `wurst`") != NULL;
        different += strstr(model->warning[k], ":8: ") != NULL;
    }
    cr_assert_eq(unknown, 1, "once, although it is written twice");
    cr_assert_eq(different, 1);
}

Test(myokit, comments_text_and_line_ends_can_be_anywhere)
{
    read_model("\n# comment\n\"\"\"\n[[model]] (\n\"\"\"\n[[model]] # the model\r\n"
               "name:long: not the name\n"
               "note: a (bracket [ \\\n   continued (\n"
               "empty:\n"
               "c.x = (1 +\n\n 2)\r\n"
               "[c] # component\n"
               "desc: indented\n"
               "\n"
               "dot(x) = 1 \\\n\n"
               "\t  a:desc: no text\n"
               "\t  desc: \"\"\"two\n\tlines\"\"\"\n"
               "b = 2 in [1] label two : text: more # comment\n");
    cr_assert_str_eq(model->name, "");
    check_value("c.x", 3);
    cr_assert_str_eq(variable_of("c.x")->text, "two lines");
    cr_assert_str_eq(variable_of("c.b")->text, "text: more");
    cr_assert_str_eq(variable_of("c.b")->label, "two");
    cr_assert(mt_unit_is_dimensionless(variable_of("c.b")->unit));
}

Test(myokit, errors_name_line_and_word)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {{"", ":1:1: found the end of the text, expected [[model]]"},
        {"[[protocol]]\n", ":1:1: found `[`, expected [[model]]"},
        {"[[model]]\nc.x 1\n", ":2:5: found `1`, expected `=` after the name of a state"},
        {"[[model]]\nx = 1\n",
            ":2:1: found `x`, expected component.name = value, name: text, or [component]"},
        {"[[model]]\nc.x = 1\n= 2\n", ":3:1: found `=`, expected component.name = value"},
        {"[[model]]\nc.x = 1\nc.x = 2\n", ":3:1: c.x has already an initial value"},
        {"[[model]]\nc.x = 1 in [mV]\n[c]\ndot(x) = 1\n",
            ":2:9: found `in`, expected an operator or the end of the line"},
        {"[[model]]\nc.x = 1\nc.y = 2\n[c]\ndot(x) = 1\ny = 2\n",
            ":3:1: c.y has an initial value but no equation dot(name)"},
        {"[[model]]\n[c]\ndot(x) = 1\n", ":3: c.x has a derivative but no initial value"},
        {"[[model]]\nc.x = y\n[c]\ndot(x) = 1\ny = 1\n", ":2:7: unknown name `y`"},
        {"[[model]]\nf(x) = y\n", ":2:8: unknown name `y`"},
        {"[[model]]\nf(x) = g(x)\ng(x) = x\n", ":2:8: unknown function `g` with 1 arguments"},
        {"[[model]]\nf(x) = f(x)\n", ":2:8: unknown function `f`"},
        {"[[model]]\nf(x) = x\nf(y) = y\n", ":3:1: there is already a function f with 1 parameters"},
        {"[[model]]\nexp(x) = x\n", ":2:1: there is already a function exp"},
        {"[[model]]\nf(x y) = x\n", ":2:5: found `y`, expected `)` after the parameters"},
        {"[[model]]\nname: a\n[c]\nx = 1\n", ": no variable has a derivative"},
        {"[[model]]\ndesc: \"\"\"text\n", ":2:5: a text in three quotes has no end: expected `\"\"\"`"},
        {"[[model]]\ndesc: \"\"\"text\"\"\" more\n", ":2:18: found `more`, expected the end of the line"},
        {HEADER "dot(x) = (1 +\n[d]\n", ":4:10: `(` is not closed: found the end of the file, expected `)`"},
        {HEADER "dot(x) = (1 in [mV])\n", ":4:13: found `in`, expected an operator or `)`"},
        {HEADER "dot(x) = 1 +\n", ":4:13: found the end of the line, expected a number"},
        {HEADER "dot(x) = 1 2\n", ":4:12: found `2`, expected an operator or the end of the line"},
        {HEADER "dot(x) = 1 bind time\n", ":4:17: x is a state, which cannot be bound"},
        {HEADER "dot(x) = 1\nx = 2\n", ":5:1: there is already a variable or alias x"},
        {HEADER "dot(x) = 1\nt = 0 bind time\ns = 0 bind time\n",
            ":6:12: another variable has already the label or binding time"},
        {HEADER "dot(x) = 1\nt = 0 in [mV]\n    in [mV]\n", ":6:5: t has already a unit"},
        {HEADER "dot(x) = 1\nt = 0 label a\n    label b\n", ":6:5: t has already a label"},
        {HEADER "dot(x) = 1\nt = 0 in [mV\n", ":5:10: a unit has no closing bracket"},
        {HEADER "dot(x) = 1\nt = 0 in mV\n", ":5:10: found `mV`, expected a unit in brackets"},
        {HEADER "dot(x) = 1\n[d]\n[c]\n", ":6:2: there is already a component c"},
        {HEADER "dot(x) = 1\nuse d.y\n", ":5:5: unknown variable d.y after `use`"},
        {HEADER "dot(x) = 1\nuse y\n", ":5:5: found `y`, expected component.name after `use`"},
        {HEADER "dot(x) = 1\n    y = 2\nz = y\n", ":6:5: unknown name `y`"},
        {HEADER "dot(x) = 1\n    y = 2\nz = c.y\n", ":6:5: unknown name `c.y`"},
        {HEADER "dot(x) = 1\n    dot(y) = 2\n",
            ":5:5: found a call before `=`, expected a name: nested variables are not states"},
        {HEADER "f(x) = 1\n", ":4:1: found a call before `=`, expected name or dot(name)"},
        {HEADER "dot(x) = 1\n    y = 2\n  z = 3\n",
            ":6:3: the indentation of 2 columns is not that of a line before"},
        {HEADER "  dot(x) = 1\n", ":4:3: an indented line does not follow a variable"},
        {HEADER "dot(x) = dot(y)\ny = 2\n", ":4:10: the argument of dot is not a state"},
        {HEADER "dot(x) = dot(x + 1)\n", ":4:10: the argument of dot is not a state"},
        {HEADER "dot(x) = dot(x)\n", "a value depends on itself: c.dot(x)"},
        {HEADER "dot(x) = a\na = b\nb = a\n", ":5: a value depends on itself: c.a -> c.b"},
        {HEADER "dot(x) = 1\n[[modell]]\n",
            ":5:1: found `[`, expected [component], [[protocol]] or [[script]]"},
        {HEADER "dot(x) = 1\n[]\n", ":5:2: found `]`, expected the name of a component"},
        {HEADER "dot(x) = 1\n\"\"\"\n", ":5:1: found a comment without end"},
        {HEADER "dot(x) = 1\ny = a\n    a = 1\nz = b\n    a = 2\n    b = a\ny_a = 3\nz_a = 4\nz_a_8 = 4\n",
            ":8:5: the names z_a_8 of two variables are the same"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        write_file(wrong[k].text);
        cr_assert_eq(mt_myokit_read(&arena, path, &model), MT_INPUT, "%s", wrong[k].text);
        cr_assert_eq(strncmp(mt_message(), path, strlen(path)), 0, "%s", mt_message());
        cr_assert(strstr(mt_message(), wrong[k].message), "%s: %s", wrong[k].text, mt_message());
    }
}

Test(myokit, names_and_nesting_are_bounded)
{
    char text[8192] = HEADER "dot(x) = 1\n";
    for (int k = 1; k < 40; k++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%*sy = 1\n", k, "");
    write_file(text);
    cr_assert_eq(mt_myokit_read(&arena, path, &model), MT_INPUT);
    cr_assert(strstr(mt_message(), "variables are nested more than 32 deep"), "%s", mt_message());
    (void)snprintf(text, sizeof text, HEADER "dot(x) = 1\n%0200d = 1\n", 0);
    memset(strstr(text, "000"), 'a', 200);
    write_file(text);
    cr_assert_eq(mt_myokit_read(&arena, path, &model), MT_INPUT);
    cr_assert(strstr(mt_message(), "a name has 200 characters; allowed: at most 128"), "%s", mt_message());
}

/* Each function has twice the operations of the one before, but shares them. */
Test(myokit, the_expansion_of_template_functions_is_bounded)
{
    char text[1 << 16] = "[[model]]\nf0(x) = x";
    for (int k = 1; k < 60; k++)
        (void)snprintf(
            text + strlen(text), sizeof text - strlen(text), "\nf%d(x) = f%d(x) + f%d(x)", k, k - 1, k - 1);
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "\nc.x = 1\n[c]\ndot(x) = f59(x)\n");
    read_model(text);
    check_rate("c.x", ldexp(1, 59));
    text[0] = 0;
    (void)snprintf(text, sizeof text, "[[model]]\nf0(x) = x");
    for (int k = 1; k < 800; k++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text),
            "\nf%d(x) = f%d(x + %d) + f%d(f%d(x))", k, k - 1, k, k - 1, k - 1);
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "\nc.x = 1\n[c]\ndot(x) = f799(x)\n");
    write_file(text);
    cr_assert_eq(mt_myokit_read(&arena, path, &model), MT_INPUT);
    cr_assert(strstr(mt_message(), "template functions expand to more than"), "%s", mt_message());
}

Test(myokit, each_failing_allocation_is_reported)
{
    write_file(squid);
    mt_status status = MT_MEMORY;
    size_t n = 0;
    while (status != MT_OK && n < 10000) {
        mt_arena all = {0};
        mt_arena_fail_at(++n);
        status = mt_myokit_read(&all, path, &model);
        mt_arena_fail_at(0);
        mt_arena_free(&all);
        cr_assert(status == MT_OK || status == MT_MEMORY, "%zu: %s", n, mt_message());
    }
    cr_assert_gt(n, 50);
    cr_assert_eq(status, MT_OK);
}

Test(myokit, a_missing_file_is_reported)
{
    leave();
    cr_assert_eq(mt_myokit_read(&arena, path, &model), MT_FILE);
}
