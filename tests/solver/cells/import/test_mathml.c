#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "solver/cells/import/mathml.h"
#include "tests/answers.h"

static mt_arena arena;
static mt_xml_tree tree;

static void finish(void) { mt_arena_free(&arena); }

TestSuite(mathml, .fini = finish);

/* Variables 0 and 1 are x and y, with values below; the derivative of x by t is variable 2. */
static const double values[] = {0.75, -2.5, 4};

static mt_status find_variable(
    void *context, const mt_xml_element *e, const mt_mathml_variable *variable, mt_node *node)
{
    mt_mathml *math = context;
    if (variable->by[0]) {
        cr_assert(strcmp(variable->name, "x") == 0 && strcmp(variable->by, "t") == 0);
        return mt_graph_variable(math->equations->graph, 2, node);
    }
    if (variable->name[1] || (variable->name[0] != 'x' && variable->name[0] != 'y'))
        return mt_xml_tree_fail(math->tree, e, "unknown");
    return mt_graph_variable(math->equations->graph, variable->name[0] == 'y', node);
}

static mt_status find_unit(void *context, const mt_xml_element *e, const char *name, uint32_t *unit)
{
    (void)context, (void)e;
    *unit = strcmp(name, "ms") == 0 ? 7 : 8;
    return MT_OK;
}

static mt_status read_text(const char *text)
{
    const mt_scan scan = {.path = "a.xml", .begin = text, .at = text, .end = text + strlen(text), .line = 1};
    return mt_xml_tree_read(&arena, &scan, 64, &tree);
}

static mt_status build(const char *text, mt_mathml *math, mt_node *node)
{
    ok(read_text(text));
    *math = (mt_mathml){
        .tree = &tree, .dimensionless = 1, .context = math, .variable = find_variable, .unit = find_unit};
    ok(mt_equations_new(&arena, "a.xml", "test", &math->equations));
    return mt_mathml_expression(math, tree.root, node);
}

static double compute(const char *text)
{
    mt_mathml math;
    mt_node node;
    ok(build(text, &math, &node));
    const mt_graph *graph = math.equations->graph;
    double *value;
    value = mt_arena_alloc(&arena, graph->n, sizeof *value);
    for (mt_node k = 0; k < graph->n; k++) value[k] = mt_graph_node_value(graph, k, values, value);
    return value[node];
}

#define X "<ci>x</ci>"
#define Y "<ci> y\n</ci>"
#define N(number) "<cn>" number "</cn>"
#define F(operator, operands) "<apply><" operator"/>" operands "</apply>"
#define T "<true/>"
#define O "<false/>"

static const struct {
    const char *text;
    double value;
} expressions[] = {
    {X, 0.75},
    {Y, -2.5},
    {"<apply><diff/><bvar><ci>t</ci></bvar><ci>x</ci></apply>", 4},
    {"<apply><diff/><bvar><degree>" N("1") "</degree><ci>t</ci></bvar><ci>x</ci></apply>", 4},
    {"<apply><diff/><bvar><ci>t</ci><degree>" N("1.0") "</degree></bvar><ci>x</ci></apply>", 4},
    {N("1.5"), 1.5},
    {N(" -1.5e-3 "), -1.5e-3},
    {N("<!-- a -->.5<!-- b -->"), 0.5},
    {"<cn type='integer'>-12</cn>", -12},
    {"<cn type='e-notation'>1<sep/>-5</cn>", 1e-5},
    {"<cn type='e-notation'> -2.5 <sep></sep> +2 </cn>", -250},
    {"<cn type='rational'>3<sep/>-4</cn>", -0.75},
    {"<pi/>", 3.14159265358979323846},
    {"<exponentiale/>", 2.71828182845904523536},
    {"<eulergamma/>", 0.57721566490153286061},
    {"<infinity/>", (double)INFINITY},
    {"<notanumber/>", (double)NAN},
    {T, 1},
    {O, 0},
    {F("plus", X), 0.75},
    {F("plus", X Y), -1.75},
    {F("plus", X Y N("10") N("0.5")), 8.75},
    {F("minus", X), -0.75},
    {F("minus", X Y), 3.25},
    {F("times", Y), -2.5},
    {F("times", X Y N("2")), -3.75},
    {F("divide", X Y), -0.3},
    {F("power", Y N("3")), -15.625},
    {F("root", N("9")), 3},
    {F("root", "<degree>" N("2") "</degree>" N("9")), 3},
    {F("root", "<degree>" N("3") "</degree>" N("-27")), -3},
    {F("root", N("16") "<degree>" N("4") "</degree>"), 2},
    {F("rem", N("-7") N("4")), -3},
    {F("rem", N("7") N("-4")), 3},
    {F("min", X), 0.75},
    {F("min", X Y N("3")), -2.5},
    {F("max", X Y N("3")), 3},
    {F("abs", Y), 2.5},
    {F("floor", Y), -3},
    {F("ceiling", Y), -2},
    {F("exp", X), 2.117000016612674669},
    {F("ln", N("2")), 0.69314718055994530942},
    {F("log", N("1000")), 3},
    {F("log", "<logbase>" N("10") "</logbase>" N("1000")), 3},
    {F("log", "<logbase>" N("2") "</logbase>" N("8")), 3},
    {F("log", "<logbase>" N("3") "</logbase>" N("81")), 4},
    {F("sin", X), 0.68163876002333416673},
    {F("cos", X), 0.73168886887382088631},
    {F("tan", X), 0.93159645994407246117},
    {F("sec", X), 1 / 0.73168886887382088631},
    {F("csc", X), 1 / 0.68163876002333416673},
    {F("cot", X), 1 / 0.93159645994407246117},
    {F("sinh", X), 0.82231673193582998070},
    {F("cosh", X), 1.2946832846768446895},
    {F("tanh", X), 0.63514895238728731921},
    {F("sech", X), 1 / 1.2946832846768446895},
    {F("csch", X), 1 / 0.82231673193582998070},
    {F("coth", X), 1 / 0.63514895238728731921},
    {F("arcsin", X), 0.84806207898148100805},
    {F("arccos", X), 0.72273424781341561118},
    {F("arctan", X), 0.64350110879328438680},
    {F("arcsec", Y), 1.9823131728623845},
    {F("arccsc", Y), -0.41151684606748801938},
    {F("arccot", Y), -0.38050637711236488630},
    {F("arcsinh", X), 0.69314718055994530942},
    {F("arcsinh", Y), -1.6472311463710957106},
    {F("arcsinh", N("-1e9")), -21.416413017506356},
    {F("arccosh", N("1.25")), 0.69314718055994530942},
    {F("arctanh", N("0.6")), 0.69314718055994530942},
    {F("arccsch", F("divide", N("4") N("3"))), 0.69314718055994530942},
    {F("arcsech", N("0.8")), 0.69314718055994530942},
    {F("arccoth", N("-2.5")), -0.42364893019360180684},
    {F("eq", X X), 1},
    {F("eq", X X Y), 0},
    {F("neq", X Y), 1},
    {F("neq", X X), 0},
    {F("lt", Y X), 1},
    {F("lt", X X), 0},
    {F("lt", Y X N("1")), 1},
    {F("lt", Y X N("0")), 0},
    {F("leq", Y X X N("1")), 1},
    {F("leq", X Y), 0},
    {F("gt", X Y), 1},
    {F("gt", X X), 0},
    {F("gt", N("1") X Y), 1},
    {F("gt", N("0") X Y), 0},
    {F("geq", X X Y), 1},
    {F("geq", Y X), 0},
    {F("and", T T), 1},
    {F("and", T T O), 0},
    {F("or", O O), 0},
    {F("or", O O T), 1},
    {F("xor", T T), 0},
    {F("xor", T O), 1},
    {F("xor", O T), 1},
    {F("xor", O O), 0},
    {F("xor", T N("2") T), 1},
    {F("not", X), 0},
    {F("not", O), 1},
    {"<piecewise><piece>" X T "</piece><piece>" Y T "</piece></piecewise>", 0.75},
    {"<piecewise><piece>" X O "</piece><piece>" Y T "</piece><otherwise>" N("1") "</otherwise></piecewise>",
        -2.5},
    {"<piecewise><otherwise>" N("1") "</otherwise><piece>" X O "</piece><piece>" Y O "</piece></piecewise>",
        1},
    {"<piecewise><piece>" X O "</piece></piecewise>", (double)NAN},
    {"<piecewise><otherwise>" X "</otherwise></piecewise>", 0.75},
};

Test(mathml, every_element_has_its_value)
{
    for (size_t k = 0; k < sizeof expressions / sizeof *expressions; k++) {
        const double got = compute(expressions[k].text), expected = expressions[k].value;
        cr_assert((isnan(got) && isnan(expected)) || got == expected ||
                      fabs(got - expected) <= 4e-16 * fabs(expected),
            "%s: %.17g instead of %.17g", expressions[k].text, got, expected);
    }
}

Test(mathml, numbers_have_their_units)
{
    mt_mathml math;
    mt_node node;
    ok(build("<cn cellml:units='ms'>2</cn>", &math, &node));
    cr_assert_eq(math.equations->graph->node[node].unit, 7);
    ok(build(N("2"), &math, &node));
    cr_assert_eq(math.equations->graph->node[node].unit, 0);
    ok(build("<pi/>", &math, &node));
    cr_assert_eq(math.equations->graph->node[node].unit, 1);
}

#define LINE "\n"

static const struct {
    const char *text, *message;
} wrong[] = {
    {"<cn type='real' base='16'>1</cn>", "a.xml:1: <cn>: base '16'; allowed: 10"},
    {LINE "<cn type='complex'>1</cn>",
        "a.xml:2: <cn>: type 'complex'; allowed: real, integer, e-notation, rational"},
    {F("plus", LINE "<cn>1<ci>x</ci></cn>"), "a.xml:2: <cn>: contains <ci>; allowed: a number, <sep>"},
    {N(""), "a.xml:1: <cn>: '' is not a finite number of type real"},
    {N("1 2"), "<cn>: '1 2' is not a finite number of type real"},
    {N("1<sep/>2"), "<cn>: '1' is not a finite number of type real"},
    {N("nan"), "<cn>: 'nan' is not a finite number of type real"},
    {N("1e999"), "<cn>: '1e999' is not a finite number of type real"},
    {"<cn type='integer'>1.5</cn>", "<cn>: '1.5' is not a finite number of type integer"},
    {"<cn type='integer'>-</cn>", "<cn>: '-' is not a finite number of type integer"},
    {"<cn type='e-notation'>1</cn>", "<cn>: '1' is not a finite number of type e-notation"},
    {"<cn type='e-notation'>1e1<sep/>2</cn>", "<cn>: '1e1' is not a finite number of type e-notation"},
    {"<cn type='e-notation'>1<sep/>2.5</cn>", "<cn>: '1' is not a finite number of type e-notation"},
    {"<cn type='e-notation'>1<sep/>2<sep/>3</cn>", "<cn>: '1' is not a finite number of type e-notation"},
    {"<cn type='e-notation'><sep/>3</cn>", "<cn>: '' is not a finite number of type e-notation"},
    {"<cn type='e-notation'>1<sep/>999</cn>", "<cn>: '1' is not a finite number of type e-notation"},
    {"<cn type='rational'>1<sep/>0</cn>", "<cn>: '1' is not a finite number of type rational"},
    {"<cn type='rational'>1.5<sep/>2</cn>", "<cn>: '1.5' is not a finite number of type rational"},
    {F("plus", LINE "<ci/>"), "a.xml:2: <ci>: a name of 1 to 255 bytes is required"},
    {"<ci>z</ci>", "a.xml:1: <ci>: unknown"},
    {"<ci>x<sep/></ci>", "a.xml:1: <ci>: contains <sep>; allowed: the name of a variable"},
    {F("plus", LINE F("diff", X)), "a.xml:2: <diff>: without <bvar>, the variable of integration"},
    {F("diff", "<bvar/>" X), "a.xml:1: <bvar>: without <ci>, the name of a variable"},
    {F("diff", "<bvar>" LINE N("1") "</bvar>" X),
        "a.xml:2: <cn>: allowed in <bvar>: <ci>, the name of a variable"},
    {F("diff", "<bvar><ci>t</ci>" LINE "<degree>" N("2") "</degree></bvar>" X),
        "a.xml:2: <degree>: a derivative of another order than 1; supported: first derivatives"},
    {F("diff", "<bvar><ci>t</ci><degree>" X "</degree></bvar>" X),
        "<degree>: a derivative of another order than 1"},
    {F("diff", "<bvar><ci>t</ci><degree/></bvar>" X), "<degree>: a derivative of another order than 1"},
    {F("diff", "<bvar><ci>t</ci>" LINE X "</bvar>" X), "a.xml:2: <ci>: allowed in <bvar>: <ci> and <degree>"},
    {F("diff", "<bvar><ci>t</ci></bvar>" LINE "<bvar><ci>s</ci></bvar>" X),
        "a.xml:2: <bvar>: a derivative by several variables; supported: one <bvar>"},
    {F("diff", "<bvar><ci>t</ci></bvar>"), "a.xml:1: <apply>: without <ci>, the name of a variable"},
    {F("diff", "<bvar><ci>t</ci></bvar>" F("plus", X)),
        "<apply>: allowed in <apply>: <ci>, the name of a variable"},
    {F("diff", "<bvar><ci>t</ci></bvar>" X LINE Y),
        "a.xml:2: <ci>: allowed in a derivative: <bvar> and one <ci>"},
    {LINE "<apply/>", "a.xml:2: <apply>: is empty; allowed: an operator and its operands"},
    {F("factorial", X),
        "<factorial>: is not an operator; supported: those that CellML allows, except factorial"},
    {"<apply>" X Y "</apply>", "<ci>: is not an operator; supported: "},
    {F("plus", ""), "a.xml:1: <plus>: 0 operands; allowed: at least 1"},
    {LINE F("minus", X X X), "a.xml:2: <minus>: 3 operands; allowed: 1 or 2"},
    {F("divide", X), "<divide>: 1 operands; allowed: 2"},
    {F("lt", X), "<lt>: 1 operands; allowed: at least 2"},
    {F("neq", X X X), "<neq>: 3 operands; allowed: 2"},
    {F("root", "<degree>" X "</degree>"), "<root>: 0 operands; allowed: 1"},
    {F("root", LINE "<degree/>" X), "a.xml:2: <degree>: must contain one expression"},
    {F("log", "<logbase>" X X "</logbase>" X), "<logbase>: must contain one expression"},
    {F("exp", "<degree>" X "</degree>"),
        "<degree>: is not a supported expression; allowed: apply, cn, ci, piecewise, "},
    {F("plus", LINE "<lambda/>"), "a.xml:2: <lambda>: is not a supported expression"},
    {"<piecewise>" LINE X "</piecewise>", "a.xml:2: <ci>: allowed in <piecewise>: <piece>, <otherwise>"},
    {"<piecewise>" LINE "<piece>" X "</piece></piecewise>",
        "a.xml:2: <piece>: must contain a value and a condition"},
    {"<piecewise><piece>" X X X "</piece></piecewise>", "<piece>: must contain a value and a condition"},
    {"<piecewise><piece/></piecewise>", "<piece>: must contain a value and a condition"},
    {"<piecewise><otherwise/></piecewise>", "<otherwise>: must contain a value"},
    {"<piecewise><otherwise>" X X "</otherwise></piecewise>", "<otherwise>: must contain a value"},
    {"<piecewise><otherwise>" X "</otherwise>" LINE "<otherwise>" X "</otherwise></piecewise>",
        "a.xml:2: <otherwise>: there is more than one"},
    {LINE "<piecewise/>", "a.xml:2: <piecewise>: is empty; allowed: <piece>, <otherwise>"},
};

Test(mathml, a_wrong_expression_is_refused_with_line_and_element)
{
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        mt_mathml math;
        mt_node node;
        cr_assert_eq(build(wrong[k].text, &math, &node), MT_INPUT, "%s", wrong[k].text);
        assert_message(wrong[k].message);
    }
}

Test(mathml, an_equation_has_a_variable_or_a_derivative_on_the_left)
{
    static const struct {
        const char *text, *answer; /* the message; or the name, and by what it is derived */
    } cases[] = {
        {F("eq", X Y), "x by "},
        {F("eq", F("diff", "<bvar><ci>t</ci></bvar>" X) Y), "x by t"},
        {LINE "<ci>x</ci>",
            "a.xml:2: <ci>: is not an equation; allowed in <math>: <apply><eq/> LEFT RIGHT</apply>"},
        {"<apply/>", "a.xml:1: <apply>: is not an equation"},
        {F("neq", X Y), "a.xml:1: <apply>: is not an equation"},
        {F("eq", X), "a.xml:1: <eq>: an equation has a left and a right side"},
        {F("eq", X Y X), "a.xml:1: <eq>: an equation has a left and a right side"},
        {F("eq", LINE F("plus", X) Y),
            "a.xml:2: <apply>: an expression on the left side of an equation; supported: a "
            "variable (<ci>) or a derivative (<diff>)"},
        {F("eq", N("0") F("minus", X Y)), "a.xml:1: <cn>: an expression on the left side of an equation"},
        {F("eq", "<ci/>" Y), "a.xml:1: <ci>: a name of 1 to 255 bytes is required"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char answer[2 * MT_MATHML_NAME + 8];
        mt_mathml_variable left;
        const mt_xml_element *right;
        ok(read_text(cases[k].text));
        if (mt_mathml_equation(&tree, tree.root, &left, &right) == MT_OK) {
            (void)snprintf(answer, sizeof answer, "%s by %s", left.name, left.by);
            cr_assert_str_eq(answer, cases[k].answer);
            cr_assert_str_eq(right->name, "ci");
        } else
            assert_message(cases[k].answer);
    }
}

Test(mathml, too_many_operations_are_refused_with_line_and_element)
{
    mt_mathml math;
    mt_node node;
    ok(build(X, &math, &node));
    mt_graph *graph = math.equations->graph;
    for (size_t k = graph->n; k < MT_GRAPH_NODES_MAX; k++) ok(mt_graph_number(graph, (double)k, &node));
    ok(read_text(F("plus", LINE F("exp", X))));
    cr_assert_eq(mt_mathml_expression(&math, tree.root, &node), MT_INPUT);
    assert_message("a.xml:2: <apply>: the equations have more than 1048576 different operations");
}
