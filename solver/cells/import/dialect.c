#include "solver/cells/import/dialect.h"

#include <math.h>
#include <string.h>

/* ---- calls that are formulas ---- */

static mt_status log_to_base(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    mt_node x, base;
    MT_TRY(mt_graph_unary(graph, MT_OP_LOG, argument[0], &x));
    *node = x;
    if (n == 1) return MT_OK;
    MT_TRY(mt_graph_unary(graph, MT_OP_LOG, argument[1], &base));
    return mt_graph_binary(graph, MT_OP_DIVIDE, x, base, node);
}

static mt_status square(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    (void)n;
    return mt_graph_binary(graph, MT_OP_MULTIPLY, argument[0], argument[0], node);
}

static mt_status cube(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    mt_node two;
    MT_TRY(square(graph, argument, n, &two));
    return mt_graph_binary(graph, MT_OP_MULTIPLY, two, argument[0], node);
}

/* Builds piecewise(c1, v1, c2, v2, ..., otherwise) from the end. */
static mt_status piecewise(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    *node = argument[n - 1];
    for (size_t k = n - 1; k >= 2; k -= 2)
        MT_TRY(mt_graph_select(graph, argument[k - 2], argument[k - 1], *node, node));
    return MT_OK;
}

static mt_status left_to_right(mt_graph *graph, mt_op op, const mt_node *argument, size_t n, mt_node *node)
{
    *node = argument[0];
    for (size_t k = 1; k < n; k++) MT_TRY(mt_graph_binary(graph, op, *node, argument[k], node));
    return MT_OK;
}

static mt_status all(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    return left_to_right(graph, MT_OP_AND, argument, n, node);
}

static mt_status any(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    return left_to_right(graph, MT_OP_OR, argument, n, node);
}

static mt_status least(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    return left_to_right(graph, MT_OP_MIN, argument, n, node);
}

static mt_status most(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    return left_to_right(graph, MT_OP_MAX, argument, n, node);
}

static mt_status greater(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    (void)n;
    return mt_graph_binary(graph, MT_OP_LESS, argument[1], argument[0], node);
}

static mt_status greater_equal(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    (void)n;
    return mt_graph_binary(graph, MT_OP_LESS_EQUAL, argument[1], argument[0], node);
}

static mt_status not_equal(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    (void)n;
    mt_node equal;
    MT_TRY(mt_graph_binary(graph, MT_OP_EQUAL, argument[0], argument[1], &equal));
    return mt_graph_unary(graph, MT_OP_NOT, equal, node);
}

static mt_status modulo(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    (void)n;
    return mt_dialect_remainder(graph, argument[0], argument[1], node);
}

/* Builds gotran's ContinuousConditional(a < b, yes, no, width = 1): w yes + (1 - w) no with w = 1 / (1 + exp((a - b) / width)). A condition
 * a > b is b < a in a graph, whose weight is the same formula. */
static mt_status blend(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node)
{
    const mt_graph_node condition = graph->node[argument[0]];
    if (condition.op != MT_OP_LESS && condition.op != MT_OP_LESS_EQUAL)
        return mt_fail(MT_INPUT, "the first argument of ContinuousConditional must be Lt, Le, Gt or Ge");
    mt_node one, x, w, rest, no;
    MT_TRY(mt_graph_number(graph, 1, &one));
    MT_TRY(mt_graph_binary(graph, MT_OP_SUBTRACT, condition.operand[0], condition.operand[1], &x));
    if (n == 4) MT_TRY(mt_graph_binary(graph, MT_OP_DIVIDE, x, argument[3], &x));
    MT_TRY(mt_graph_unary(graph, MT_OP_EXP, x, &x));
    MT_TRY(mt_graph_binary(graph, MT_OP_ADD, one, x, &x));
    MT_TRY(mt_graph_binary(graph, MT_OP_DIVIDE, one, x, &w));
    MT_TRY(mt_graph_binary(graph, MT_OP_SUBTRACT, one, w, &rest));
    MT_TRY(mt_graph_binary(graph, MT_OP_MULTIPLY, argument[1], w, node));
    MT_TRY(mt_graph_binary(graph, MT_OP_MULTIPLY, argument[2], rest, &no));
    return mt_graph_binary(graph, MT_OP_ADD, *node, no, node);
}

/* ---- functions ---- */

#define ONE(name, op)                                                                                        \
    {                                                                                                        \
        name, 1, 1, op, NULL, MT_CONDITIONS_NONE                                                             \
    }
#define TWO(name, op)                                                                                        \
    {                                                                                                        \
        name, 2, 2, op, NULL, MT_CONDITIONS_NONE                                                             \
    }
#define BUILT(name, least, most, build, conditions)                                                          \
    {                                                                                                        \
        name, least, most, MT_OPS, build, MT_CONDITIONS_##conditions                                         \
    }
#define COMMON                                                                                               \
    ONE("sqrt", MT_OP_SQRT), ONE("exp", MT_OP_EXP), ONE("log10", MT_OP_LOG10), ONE("abs", MT_OP_ABS),        \
        ONE("floor", MT_OP_FLOOR), ONE("ceil", MT_OP_CEIL), ONE("sin", MT_OP_SIN), ONE("cos", MT_OP_COS),    \
        ONE("tan", MT_OP_TAN), ONE("asin", MT_OP_ASIN), ONE("acos", MT_OP_ACOS), ONE("atan", MT_OP_ATAN),    \
        BUILT("log", 1, 2, log_to_base, NONE)
#define OF_MATH                                                                                              \
    ONE("expm1", MT_OP_EXPM1), ONE("log2", MT_OP_LOG2), ONE("ln", MT_OP_LOG), ONE("fabs", MT_OP_ABS),        \
        ONE("sinh", MT_OP_SINH), ONE("cosh", MT_OP_COSH), ONE("tanh", MT_OP_TANH), ONE("cbrt", MT_OP_CBRT),  \
        TWO("pow", MT_OP_POWER), TWO("fmod", MT_OP_REMAINDER), BUILT("min", 1, MT_ANY_NUMBER, least, NONE),  \
        BUILT("max", 1, MT_ANY_NUMBER, most, NONE)

static const mt_function myokit_functions[] = {COMMON, {"if", 3, 3, MT_OP_SELECT, NULL, MT_CONDITIONS_FIRST},
    BUILT("piecewise", 3, MT_ANY_NUMBER, piecewise, PAIRS), {0}};

static const mt_function gotran_functions[] = {COMMON, OF_MATH, ONE("Abs", MT_OP_ABS),
    ONE("ceiling", MT_OP_CEIL), BUILT("Mod", 2, 2, modulo, NONE), BUILT("Min", 1, MT_ANY_NUMBER, least, NONE),
    BUILT("Max", 1, MT_ANY_NUMBER, most, NONE), TWO("Lt", MT_OP_LESS), TWO("Le", MT_OP_LESS_EQUAL),
    TWO("Eq", MT_OP_EQUAL), BUILT("Gt", 2, 2, greater, NONE), BUILT("Ge", 2, 2, greater_equal, NONE),
    BUILT("Ne", 2, 2, not_equal, NONE), {"Not", 1, 1, MT_OP_NOT, NULL, MT_CONDITIONS_ALL},
    BUILT("And", 1, MT_ANY_NUMBER, all, ALL), BUILT("Or", 1, MT_ANY_NUMBER, any, ALL),
    {"Conditional", 3, 3, MT_OP_SELECT, NULL, MT_CONDITIONS_FIRST},
    BUILT("ContinuousConditional", 3, 4, blend, FIRST), {0}};

static const mt_function easyml_functions[] = {
    COMMON, OF_MATH, BUILT("square", 1, 1, square, NONE), BUILT("cube", 1, 1, cube, NONE), {0}};

/* ---- dialects ---- */

static const mt_constant myokit_constants[] = {{"infinity", INFINITY}, {"nan", NAN}, {NULL, 0}};
static const mt_constant pi[] = {{"pi", M_PI}, {"M_PI", M_PI}, {NULL, 0}};

const mt_dialect mt_dialect_myokit = {
    .name = "Myokit",
    .comment = {"#"},
    .quoted_comments = true,
    .line_ends = true,
    .dots = true,
    .units = true,
    .words = true,
    .flat_logic = true,
    .conditions = true,
    .quotient = true,
    .power = "^",
    .functions = myokit_functions,
    .constants = myokit_constants,
};

/* Files of gotran are run by Python, with conditions as functions. */
const mt_dialect mt_dialect_gotran = {
    .name = "gotran",
    .comment = {"#"},
    .line_ends = true,
    .strings = true,
    .quotient = true,
    .trailing_comma = true,
    .power = "**",
    .power_from_right = true,
    .functions = gotran_functions,
    .constants = pi,
};

/* The operators of C, and words for logic. */
const mt_dialect mt_dialect_easyml = {
    .name = "EasyML",
    .comment = {"#", "//"},
    .block_comments = true,
    .words = true,
    .symbols = true,
    .ternary = true,
    .functions = easyml_functions,
    .constants = pi,
};

static bool same(const char *entry, const char *name, size_t length)
{
    return strncmp(entry, name, length) == 0 && entry[length] == 0;
}

const mt_function *mt_dialect_function(const mt_dialect *dialect, const char *name, size_t length)
{
    for (const mt_function *f = dialect->functions; f->name; f++)
        if (same(f->name, name, length)) return f;
    return NULL;
}

const mt_constant *mt_dialect_constant(const mt_dialect *dialect, const char *name, size_t length)
{
    for (const mt_constant *c = dialect->constants; c->name; c++)
        if (same(c->name, name, length)) return c;
    return NULL;
}

bool mt_dialect_is_condition(const mt_graph *graph, mt_node node)
{
    switch (graph->node[node].op) {
    case MT_OP_LESS:
    case MT_OP_LESS_EQUAL:
    case MT_OP_EQUAL:
    case MT_OP_AND:
    case MT_OP_OR:
    case MT_OP_NOT:
        return true;
    default:
        return false;
    }
}

mt_status mt_dialect_quotient(mt_graph *graph, mt_node a, mt_node b, mt_node *node)
{
    MT_TRY(mt_graph_binary(graph, MT_OP_DIVIDE, a, b, node));
    return mt_graph_unary(graph, MT_OP_FLOOR, *node, node);
}

mt_status mt_dialect_remainder(mt_graph *graph, mt_node a, mt_node b, mt_node *node)
{
    mt_node quotient;
    MT_TRY(mt_dialect_quotient(graph, a, b, &quotient));
    MT_TRY(mt_graph_binary(graph, MT_OP_MULTIPLY, b, quotient, node));
    return mt_graph_binary(graph, MT_OP_SUBTRACT, a, *node, node);
}
