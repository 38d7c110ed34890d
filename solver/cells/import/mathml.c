#include "solver/cells/import/mathml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/number.h"
#include "data/core/utf8.h"

typedef mt_xml_element element;

static bool is(const element *e, const char *name) { return e && strcmp(e->name, name) == 0; }

/* Adds the element to an error of the graph. */
static mt_status at(const mt_mathml *math, const element *e, mt_status status)
{
    return status == MT_INPUT ? mt_xml_tree_fail(math->tree, e, "%s", mt_message()) : status;
}

/* ---- numbers and names ---- */

static bool is_exponent(const char *text)
{
    text += *text == '+' || *text == '-';
    return *text && !text[strspn(text, "0123456789")];
}

/* Reads the number of a <cn>. False: it is not a number of its type, or not finite. */
static bool read_number(const element *e, const char *type, double *value)
{
    char text[64], second[64] = "", joined[2 * sizeof text];
    const element *separator = e->first;
    if (!mt_xml_tree_text(e, text, sizeof text)) return false;
    if (separator && (separator->next || !mt_xml_tree_tail(separator, second, sizeof second))) return false;
    if (strcmp(type, "real") == 0) return !separator && mt_number_read(text, value);
    if (strcmp(type, "integer") == 0) return !separator && is_exponent(text) && mt_number_read(text, value);
    if (strcmp(type, "e-notation") == 0) {
        if (!separator || strpbrk(text, "eE") || !is_exponent(second)) return false;
        (void)snprintf(joined, sizeof joined, "%se%s", text, second);
        return mt_number_read(joined, value);
    }
    double below = 0;
    if (!separator || !is_exponent(text) || !is_exponent(second)) return false;
    if (!mt_number_read(text, value) || !mt_number_read(second, &below) || below == 0) return false;
    *value /= below;
    return isfinite(*value);
}

static mt_status build_number(const mt_mathml *math, const element *e, mt_node *node)
{
    static const char *const types[] = {"real", "integer", "e-notation", "rational"};
    const char *type = mt_xml_tree_attribute(e, "type", "real"),
               *base = mt_xml_tree_attribute(e, "base", "10"), *unit = mt_xml_tree_local(e, "units", NULL);
    char text[64];
    double value = 0;
    uint32_t in = 0;
    size_t k = 0;
    while (k < sizeof types / sizeof *types && strcmp(type, types[k]) != 0) k++;
    if (k == sizeof types / sizeof *types)
        return mt_xml_tree_fail(
            math->tree, e, "type '%s'; allowed: real, integer, e-notation, rational", mt_utf8_shown(type));
    if (strcmp(base, "10") != 0)
        return mt_xml_tree_fail(math->tree, e, "base '%s'; allowed: 10", mt_utf8_shown(base));
    if (e->first && !is(e->first, "sep"))
        return mt_xml_tree_fail(
            math->tree, e, "contains <%s>; allowed: a number, <sep>", mt_utf8_shown(e->first->name));
    if (!read_number(e, type, &value)) {
        (void)mt_xml_tree_text(e, text, sizeof text);
        return mt_xml_tree_fail(
            math->tree, e, "'%s' is not a finite number of type %s", mt_utf8_shown(text), type);
    }
    if (unit) MT_TRY(math->unit(math->context, e, unit, &in));
    return at(math, e, mt_graph_number_in(math->equations->graph, value, in, node));
}

/* Copies the name of a variable. `e` is NULL if the element around it has no more operands. */
static mt_status read_name(
    const mt_xml_tree *tree, const element *around, const element *e, char name[MT_MATHML_NAME])
{
    if (!e) return mt_xml_tree_fail(tree, around, "without <ci>, the name of a variable");
    if (!is(e, "ci"))
        return mt_xml_tree_fail(
            tree, e, "allowed in <%s>: <ci>, the name of a variable", mt_utf8_shown(around->name));
    if (e->first)
        return mt_xml_tree_fail(
            tree, e, "contains <%s>; allowed: the name of a variable", mt_utf8_shown(e->first->name));
    if (mt_xml_tree_text(e, name, MT_MATHML_NAME) && *name) return MT_OK;
    return mt_xml_tree_fail(tree, e, "a name of 1 to %d bytes is required", MT_MATHML_NAME - 1);
}

/* Reads <bvar><ci>t</ci></bvar>, possibly with a <degree> of 1. */
static mt_status read_bvar(const mt_xml_tree *tree, const element *bvar, char by[MT_MATHML_NAME])
{
    const element *name = bvar->first;
    const element *degree = is(name, "degree") ? name : name ? name->next : NULL;
    if (is(name, "degree")) name = name->next;
    MT_TRY(read_name(tree, bvar, name, by));
    if (!degree) return MT_OK;
    const element *number = degree->first;
    double order = 0;
    if (!is(degree, "degree")) return mt_xml_tree_fail(tree, degree, "allowed in <bvar>: <ci> and <degree>");
    if (is(number, "cn") && !number->next &&
        read_number(number, mt_xml_tree_attribute(number, "type", "real"), &order) && order == 1)
        return MT_OK;
    return mt_xml_tree_fail(
        tree, degree, "a derivative of another order than 1; supported: first derivatives");
}

/* Reads <apply><diff/><bvar>...</bvar><ci>x</ci></apply>. */
static mt_status read_derivative(const mt_xml_tree *tree, const element *apply, mt_mathml_variable *variable)
{
    const element *bvar = apply->first->next, *of = bvar ? bvar->next : NULL;
    if (!is(bvar, "bvar"))
        return mt_xml_tree_fail(tree, apply->first, "without <bvar>, the variable of integration");
    MT_TRY(read_bvar(tree, bvar, variable->by));
    if (is(of, "bvar"))
        return mt_xml_tree_fail(tree, of, "a derivative by several variables; supported: one <bvar>");
    MT_TRY(read_name(tree, apply, of, variable->name));
    if (!of->next) return MT_OK;
    return mt_xml_tree_fail(tree, of->next, "allowed in a derivative: <bvar> and one <ci>");
}

mt_status mt_mathml_equation(
    const mt_xml_tree *tree, const element *equation, mt_mathml_variable *left, const element **right)
{
    const element *eq = is(equation, "apply") ? equation->first : NULL, *first = eq ? eq->next : NULL;
    if (!is(eq, "eq"))
        return mt_xml_tree_fail(
            tree, equation, "is not an equation; allowed in <math>: <apply><eq/> LEFT RIGHT</apply>");
    *right = first ? first->next : NULL;
    if (!*right || (*right)->next)
        return mt_xml_tree_fail(tree, eq, "an equation has a left and a right side");
    left->by[0] = 0;
    if (is(first, "ci")) return read_name(tree, equation, first, left->name);
    if (is(first, "apply") && is(first->first, "diff")) return read_derivative(tree, first, left);
    return mt_xml_tree_fail(tree, first,
        "an expression on the left side of an equation; supported: a variable (<ci>) or a derivative "
        "(<diff>)");
}

/* ---- operators ---- */

typedef struct mt_mathml_call call;

typedef struct operator_row {
    const char *name;
    size_t least, most; /* number of operands */
    mt_status (*build)(const call *c, mt_node *node);
    mt_op op;
    bool of_reciprocal, reciprocal; /* 1/x in place of the operand; 1/y in place of the result */
} operator_row;

/* An operator and its operands. */
struct mt_mathml_call {
    const mt_mathml *math;
    const element *apply, *qualifier; /* <degree> or <logbase>; NULL: none */
    const operator_row *row;
    const mt_node *operand;
    size_t n;
};

static mt_status number(const call *c, double value, mt_node *node)
{
    return at(c->math, c->apply,
        mt_graph_number_in(c->math->equations->graph, value, c->math->dimensionless, node));
}

static mt_status one(const call *c, mt_op op, mt_node a, mt_node *node)
{
    return at(c->math, c->apply, mt_graph_unary(c->math->equations->graph, op, a, node));
}

static mt_status two(const call *c, mt_op op, mt_node a, mt_node b, mt_node *node)
{
    return at(c->math, c->apply, mt_graph_binary(c->math->equations->graph, op, a, b, node));
}

static mt_status invert(const call *c, mt_node a, mt_node *node)
{
    mt_node unity;
    MT_TRY(number(c, 1, &unity));
    return two(c, MT_OP_DIVIDE, unity, a, node);
}

static mt_status build_unary(const call *c, mt_node *node) { return one(c, c->row->op, c->operand[0], node); }

/* Builds a + b + c as (a + b) + c. */
static mt_status build_chain(const call *c, mt_node *node)
{
    *node = c->operand[0];
    for (size_t k = 1; k < c->n; k++) MT_TRY(two(c, c->row->op, *node, c->operand[k], node));
    return MT_OK;
}

static mt_status build_minus(const call *c, mt_node *node)
{
    if (c->n == 1) return one(c, MT_OP_NEGATE, c->operand[0], node);
    return build_chain(c, node);
}

/* Builds a xor b as not (not a == not b). */
static mt_status build_xor(const call *c, mt_node *node)
{
    *node = c->operand[0];
    for (size_t k = 1; k < c->n; k++) {
        mt_node a, b;
        MT_TRY(one(c, MT_OP_NOT, *node, &a));
        MT_TRY(one(c, MT_OP_NOT, c->operand[k], &b));
        MT_TRY(two(c, MT_OP_EQUAL, a, b, node));
        MT_TRY(one(c, MT_OP_NOT, *node, node));
    }
    return MT_OK;
}

/* Builds a < b < c as a < b and b < c. */
static mt_status build_comparisons(const call *c, mt_node *node)
{
    MT_TRY(two(c, c->row->op, c->operand[0], c->operand[1], node));
    for (size_t k = 2; k < c->n; k++) {
        mt_node next;
        MT_TRY(two(c, c->row->op, c->operand[k - 1], c->operand[k], &next));
        MT_TRY(two(c, MT_OP_AND, *node, next, node));
    }
    return MT_OK;
}

/* Builds a > b > c as b < a and c < b. */
static mt_status build_reversed(const call *c, mt_node *node)
{
    MT_TRY(two(c, c->row->op, c->operand[1], c->operand[0], node));
    for (size_t k = 2; k < c->n; k++) {
        mt_node next;
        MT_TRY(two(c, c->row->op, c->operand[k], c->operand[k - 1], &next));
        MT_TRY(two(c, MT_OP_AND, *node, next, node));
    }
    return MT_OK;
}

static mt_status build_unequal(const call *c, mt_node *node)
{
    MT_TRY(two(c, MT_OP_EQUAL, c->operand[0], c->operand[1], node));
    return one(c, MT_OP_NOT, *node, node);
}

/* Builds the only operand of a qualifier. */
static mt_status build_qualifier(const call *c, mt_node *node)
{
    const element *operand = c->qualifier->first;
    if (!operand || operand->next)
        return mt_xml_tree_fail(c->math->tree, c->qualifier, "must contain one expression");
    return mt_mathml_expression(c->math, operand, node);
}

/* True if a node is this number. */
static bool is_number(const call *c, mt_node node, double value)
{
    const mt_graph_node *n = &c->math->equations->graph->node[node];
    return n->op == MT_OP_NUMBER && n->value == value;
}

static mt_status build_root(const call *c, mt_node *node)
{
    mt_node degree;
    if (!c->qualifier) return one(c, MT_OP_SQRT, c->operand[0], node);
    MT_TRY(build_qualifier(c, &degree));
    if (is_number(c, degree, 2)) return one(c, MT_OP_SQRT, c->operand[0], node);
    if (is_number(c, degree, 3)) return one(c, MT_OP_CBRT, c->operand[0], node);
    MT_TRY(invert(c, degree, &degree));
    return two(c, MT_OP_POWER, c->operand[0], degree, node);
}

static mt_status build_log(const call *c, mt_node *node)
{
    mt_node base;
    if (!c->qualifier) return one(c, MT_OP_LOG10, c->operand[0], node);
    MT_TRY(build_qualifier(c, &base));
    if (is_number(c, base, 10)) return one(c, MT_OP_LOG10, c->operand[0], node);
    if (is_number(c, base, 2)) return one(c, MT_OP_LOG2, c->operand[0], node);
    MT_TRY(one(c, MT_OP_LOG, base, &base));
    MT_TRY(one(c, MT_OP_LOG, c->operand[0], node));
    return two(c, MT_OP_DIVIDE, *node, base, node);
}

/* Builds log(x + sqrt(x x + constant)). */
static mt_status build_area(const call *c, mt_node x, double constant, mt_node *node)
{
    mt_node square, shift;
    MT_TRY(two(c, MT_OP_MULTIPLY, x, x, &square));
    MT_TRY(number(c, constant, &shift));
    MT_TRY(two(c, MT_OP_ADD, square, shift, node));
    MT_TRY(one(c, MT_OP_SQRT, *node, node));
    MT_TRY(two(c, MT_OP_ADD, x, *node, node));
    return one(c, MT_OP_LOG, *node, node);
}

static mt_status build_arccosh(const call *c, mt_node *node)
{
    return build_area(c, c->operand[0], -1, node);
}

/* Uses |x|, because the sum cancels for x < 0. */
static mt_status build_arcsinh(const call *c, mt_node *node)
{
    mt_node size, zero, below, opposite;
    MT_TRY(one(c, MT_OP_ABS, c->operand[0], &size));
    MT_TRY(build_area(c, size, 1, node));
    MT_TRY(number(c, 0, &zero));
    MT_TRY(two(c, MT_OP_LESS, c->operand[0], zero, &below));
    MT_TRY(one(c, MT_OP_NEGATE, *node, &opposite));
    return at(c->math, c->apply, mt_graph_select(c->math->equations->graph, below, opposite, *node, node));
}

/* Builds log((1 + x) / (1 - x)) / 2. */
static mt_status build_arctanh(const call *c, mt_node *node)
{
    mt_node unity, half, above, below;
    MT_TRY(number(c, 1, &unity));
    MT_TRY(number(c, 0.5, &half));
    MT_TRY(two(c, MT_OP_ADD, unity, c->operand[0], &above));
    MT_TRY(two(c, MT_OP_SUBTRACT, unity, c->operand[0], &below));
    MT_TRY(two(c, MT_OP_DIVIDE, above, below, node));
    MT_TRY(one(c, MT_OP_LOG, *node, node));
    return two(c, MT_OP_MULTIPLY, half, *node, node);
}

enum { ANY = 1 << 30 };

static const operator_row operators[] = {
    {"plus", 1, ANY, build_chain, MT_OP_ADD, false, false},
    {"minus", 1, 2, build_minus, MT_OP_SUBTRACT, false, false},
    {"times", 1, ANY, build_chain, MT_OP_MULTIPLY, false, false},
    {"divide", 2, 2, build_chain, MT_OP_DIVIDE, false, false},
    {"power", 2, 2, build_chain, MT_OP_POWER, false, false},
    {"root", 1, 1, build_root, MT_OPS, false, false},
    {"rem", 2, 2, build_chain, MT_OP_REMAINDER, false, false},
    {"min", 1, ANY, build_chain, MT_OP_MIN, false, false},
    {"max", 1, ANY, build_chain, MT_OP_MAX, false, false},
    {"abs", 1, 1, build_unary, MT_OP_ABS, false, false},
    {"floor", 1, 1, build_unary, MT_OP_FLOOR, false, false},
    {"ceiling", 1, 1, build_unary, MT_OP_CEIL, false, false},
    {"exp", 1, 1, build_unary, MT_OP_EXP, false, false},
    {"ln", 1, 1, build_unary, MT_OP_LOG, false, false},
    {"log", 1, 1, build_log, MT_OPS, false, false},
    {"sin", 1, 1, build_unary, MT_OP_SIN, false, false},
    {"cos", 1, 1, build_unary, MT_OP_COS, false, false},
    {"tan", 1, 1, build_unary, MT_OP_TAN, false, false},
    {"sec", 1, 1, build_unary, MT_OP_COS, false, true},
    {"csc", 1, 1, build_unary, MT_OP_SIN, false, true},
    {"cot", 1, 1, build_unary, MT_OP_TAN, false, true},
    {"sinh", 1, 1, build_unary, MT_OP_SINH, false, false},
    {"cosh", 1, 1, build_unary, MT_OP_COSH, false, false},
    {"tanh", 1, 1, build_unary, MT_OP_TANH, false, false},
    {"sech", 1, 1, build_unary, MT_OP_COSH, false, true},
    {"csch", 1, 1, build_unary, MT_OP_SINH, false, true},
    {"coth", 1, 1, build_unary, MT_OP_TANH, false, true},
    {"arcsin", 1, 1, build_unary, MT_OP_ASIN, false, false},
    {"arccos", 1, 1, build_unary, MT_OP_ACOS, false, false},
    {"arctan", 1, 1, build_unary, MT_OP_ATAN, false, false},
    {"arcsec", 1, 1, build_unary, MT_OP_ACOS, true, false},
    {"arccsc", 1, 1, build_unary, MT_OP_ASIN, true, false},
    {"arccot", 1, 1, build_unary, MT_OP_ATAN, true, false},
    {"arcsinh", 1, 1, build_arcsinh, MT_OPS, false, false},
    {"arccosh", 1, 1, build_arccosh, MT_OPS, false, false},
    {"arctanh", 1, 1, build_arctanh, MT_OPS, false, false},
    {"arccsch", 1, 1, build_arcsinh, MT_OPS, true, false},
    {"arcsech", 1, 1, build_arccosh, MT_OPS, true, false},
    {"arccoth", 1, 1, build_arctanh, MT_OPS, true, false},
    {"eq", 2, ANY, build_comparisons, MT_OP_EQUAL, false, false},
    {"neq", 2, 2, build_unequal, MT_OPS, false, false},
    {"lt", 2, ANY, build_comparisons, MT_OP_LESS, false, false},
    {"leq", 2, ANY, build_comparisons, MT_OP_LESS_EQUAL, false, false},
    {"gt", 2, ANY, build_reversed, MT_OP_LESS, false, false},
    {"geq", 2, ANY, build_reversed, MT_OP_LESS_EQUAL, false, false},
    {"and", 1, ANY, build_chain, MT_OP_AND, false, false},
    {"or", 1, ANY, build_chain, MT_OP_OR, false, false},
    {"xor", 1, ANY, build_xor, MT_OPS, false, false},
    {"not", 1, 1, build_unary, MT_OP_NOT, false, false},
};

/* Finds the operator of an <apply>. */
static mt_status find_operator(const mt_mathml *math, const element *apply, const operator_row **row)
{
    const element *e = apply->first;
    if (!e) return mt_xml_tree_fail(math->tree, apply, "is empty; allowed: an operator and its operands");
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
        *row = &operators[k];
        if (is(e, (*row)->name)) return MT_OK;
    }
    return mt_xml_tree_fail(
        math->tree, e, "is not an operator; supported: those that CellML allows, except factorial");
}

/* True if an element is the qualifier of this operator. */
static bool qualifies(const element *e, const operator_row *row)
{
    return (row->build == build_root && is(e, "degree")) || (row->build == build_log && is(e, "logbase"));
}

static mt_status build_operands(call *c, mt_node *operand)
{
    for (const element *e = c->apply->first->next; e; e = e->next) {
        if (e != c->qualifier) MT_TRY(mt_mathml_expression(c->math, e, operand++));
    }
    return MT_OK;
}

static mt_status build_call(call *c, mt_node *node)
{
    MT_SCRATCH(scratch);
    mt_node *operand;
    MT_ALLOC(scratch, operand, c->n);
    MT_TRY(build_operands(c, operand));
    if (c->row->of_reciprocal) MT_TRY(invert(c, operand[0], &operand[0]));
    c->operand = operand;
    MT_TRY(c->row->build(c, node));
    return c->row->reciprocal ? invert(c, *node, node) : MT_OK;
}

static mt_status build_derivative(const mt_mathml *math, const element *apply, mt_node *node)
{
    mt_mathml_variable variable;
    MT_TRY(read_derivative(math->tree, apply, &variable));
    return math->variable(math->context, apply->first, &variable, node);
}

static mt_status build_apply(const mt_mathml *math, const element *apply, mt_node *node)
{
    if (is(apply->first, "diff")) return build_derivative(math, apply, node);
    call c = {.math = math, .apply = apply};
    MT_TRY(find_operator(math, apply, &c.row));
    for (const element *e = apply->first->next; e; e = e->next) {
        if (!c.qualifier && qualifies(e, c.row))
            c.qualifier = e;
        else
            c.n++;
    }
    if (c.n >= c.row->least && c.n <= c.row->most) return build_call(&c, node);
    if (c.row->most == ANY)
        return mt_xml_tree_fail(
            math->tree, apply->first, "%zu operands; allowed: at least %zu", c.n, c.row->least);
    return mt_xml_tree_fail(math->tree, apply->first, "%zu operands; allowed: %zu%s", c.n, c.row->least,
        c.row->most > c.row->least ? " or 2" : "");
}

/* ---- pieces ---- */

/* Counts the pieces and finds <otherwise>. */
static mt_status survey_pieces(
    const mt_mathml *math, const element *piecewise, size_t *n, const element **otherwise)
{
    *n = 0, *otherwise = NULL;
    if (!piecewise->first)
        return mt_xml_tree_fail(math->tree, piecewise, "is empty; allowed: <piece>, <otherwise>");
    for (const element *e = piecewise->first; e; e = e->next) {
        const bool last = is(e, "otherwise");
        const element *value = e->first, *condition = value ? value->next : NULL;
        if (!last && !is(e, "piece"))
            return mt_xml_tree_fail(math->tree, e, "allowed in <piecewise>: <piece>, <otherwise>");
        if (last && *otherwise) return mt_xml_tree_fail(math->tree, e, "there is more than one");
        if (last ? !value || condition : !condition || condition->next)
            return mt_xml_tree_fail(
                math->tree, e, last ? "must contain a value" : "must contain a value and a condition");
        if (last)
            *otherwise = e;
        else
            ++*n;
    }
    return MT_OK;
}

static mt_status build_pieces(const mt_mathml *math, const element *piecewise, mt_node *node)
{
    MT_SCRATCH(scratch);
    mt_graph *graph = math->equations->graph;
    size_t n, k = 0;
    const element *otherwise;
    mt_node *value, *condition;
    MT_TRY(survey_pieces(math, piecewise, &n, &otherwise));
    MT_ALLOC(scratch, value, n);
    MT_ALLOC(scratch, condition, n);
    for (const element *e = piecewise->first; e; e = e->next) {
        if (e == otherwise) continue;
        MT_TRY(mt_mathml_expression(math, e->first, &value[k]));
        MT_TRY(mt_mathml_expression(math, e->first->next, &condition[k++]));
    }
    if (otherwise)
        MT_TRY(mt_mathml_expression(math, otherwise->first, node));
    else
        MT_TRY(at(math, piecewise, mt_graph_number(graph, (double)NAN, node)));
    while (k-- > 0) MT_TRY(at(math, piecewise, mt_graph_select(graph, condition[k], value[k], *node, node)));
    return MT_OK;
}

/* ---- expressions ---- */

static const struct {
    const char *name;
    double value;
    bool dimensionless;
} constants[] = {
    {"true", 1, false},
    {"false", 0, false},
    {"pi", 3.14159265358979323846, true},
    {"exponentiale", 2.71828182845904523536, true},
    {"eulergamma", 0.57721566490153286061, true},
    {"infinity", (double)INFINITY, false},
    {"notanumber", (double)NAN, false},
};

static mt_status build_variable(const mt_mathml *math, const element *e, mt_node *node)
{
    mt_mathml_variable variable;
    variable.by[0] = 0;
    MT_TRY(read_name(math->tree, e, e, variable.name));
    return math->variable(math->context, e, &variable, node);
}

mt_status mt_mathml_expression(const mt_mathml *math, const element *e, mt_node *node)
{
    if (is(e, "apply")) return build_apply(math, e, node);
    if (is(e, "cn")) return build_number(math, e, node);
    if (is(e, "piecewise")) return build_pieces(math, e, node);
    if (is(e, "ci")) return build_variable(math, e, node);
    for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
        if (is(e, constants[k].name))
            return at(math, e,
                mt_graph_number_in(math->equations->graph, constants[k].value,
                    constants[k].dimensionless ? math->dimensionless : 0, node));
    return mt_xml_tree_fail(
        math->tree, e, "is not a supported expression; allowed: apply, cn, ci, piecewise, and constants");
}
