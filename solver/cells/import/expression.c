#include "solver/cells/import/expression.h"

#include <stdio.h>
#include <string.h>

/* Levels of precedence, from weak to strong. */
typedef enum level { OR = 1, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER } level;

typedef enum operation {
    MAKE_OP, /* of the graph */
    MAKE_SWAPPED,
    MAKE_NOT_EQUAL,
    MAKE_QUOTIENT,
    MAKE_REMAINDER
} operation;

typedef struct infix {
    const char *text;
    level level;
    operation make;
    mt_op op;
    bool of_conditions;
} infix;

static const infix infixes[] = {
    {"or", OR, MAKE_OP, MT_OP_OR, true},
    {"||", OR, MAKE_OP, MT_OP_OR, true},
    {"and", AND, MAKE_OP, MT_OP_AND, true},
    {"&&", AND, MAKE_OP, MT_OP_AND, true},
    {"==", COMPARISON, MAKE_OP, MT_OP_EQUAL, false},
    {"!=", COMPARISON, MAKE_NOT_EQUAL, MT_OP_EQUAL, false},
    {"<", COMPARISON, MAKE_OP, MT_OP_LESS, false},
    {"<=", COMPARISON, MAKE_OP, MT_OP_LESS_EQUAL, false},
    {">", COMPARISON, MAKE_SWAPPED, MT_OP_LESS, false},
    {">=", COMPARISON, MAKE_SWAPPED, MT_OP_LESS_EQUAL, false},
    {"+", SUM, MAKE_OP, MT_OP_ADD, false},
    {"-", SUM, MAKE_OP, MT_OP_SUBTRACT, false},
    {"*", PRODUCT, MAKE_OP, MT_OP_MULTIPLY, false},
    {"/", PRODUCT, MAKE_OP, MT_OP_DIVIDE, false},
    {"//", PRODUCT, MAKE_QUOTIENT, MT_OP_DIVIDE, false},
    {"%", PRODUCT, MAKE_REMAINDER, MT_OP_REMAINDER, false},
};
static const infix power = {NULL, POWER, MAKE_OP, MT_OP_POWER, false};

typedef struct parser {
    mt_lexer *lexer;
    const mt_dialect *dialect;
    const mt_expression_scope *scope;
    mt_graph *graph;
    mt_arena *scratch;
    mt_node *argument; /* of the calls that are open, [n] */
    size_t n, room;
    size_t depth;
} parser;

static mt_status expression(parser *p, mt_node *node);
static mt_status operators(parser *p, level least, mt_node *node);

/* Adds the place to a failure that has none. */
static mt_status placed(const parser *p, const mt_token *token, mt_status status)
{
    const char *path = p->lexer->path;
    if (status != MT_INPUT || strncmp(mt_message(), path, strlen(path)) == 0) return status;
    return mt_lexer_fail(p->lexer, token, "%s", mt_message());
}

static mt_status enter(parser *p)
{
    if (p->depth++ < MT_EXPRESSION_DEPTH) return MT_OK;
    return mt_lexer_fail(p->lexer, &p->lexer->token, "brackets, calls and signs are nested more than %d deep",
        MT_EXPRESSION_DEPTH);
}

/* MT_INPUT if the types differ in a dialect that distinguishes them. `token`: the beginning of the expression, or its operator. */
static mt_status check_type(const parser *p, const mt_token *token, mt_node node, bool condition)
{
    char shown[MT_TOKEN_SHOWN];
    if (!p->dialect->conditions || mt_dialect_is_condition(p->graph, node) == condition) return MT_OK;
    return mt_lexer_fail(p->lexer, token, "at %s: found a %s, expected a %s", mt_token_shown(token, shown),
        condition ? "number" : "condition", condition ? "condition such as a < b" : "number");
}

/* ---- operands ---- */

static mt_status in_brackets(parser *p, mt_node *node)
{
    const mt_token opening = p->lexer->token;
    MT_TRY(enter(p));
    mt_lexer_next(p->lexer);
    MT_TRY(expression(p, node));
    if (p->lexer->token.kind == MT_TOKEN_END)
        return mt_lexer_fail(
            p->lexer, &opening, "`(` is not closed: found the end of the text, expected `)`");
    if (!mt_lexer_take(p->lexer, ")")) return mt_lexer_expected(p->lexer, "an operator or `)`");
    p->depth--;
    return MT_OK;
}

mt_status mt_expression_unit(mt_lexer *lexer, mt_token *unit)
{
    if (!mt_lexer_is(lexer, "[")) return mt_lexer_expected(lexer, "a unit in brackets, such as [mV]");
    const mt_token opening = lexer->token;
    const char *from = lexer->at;
    do mt_lexer_next(lexer);
    while (!mt_lexer_is(lexer, "]") && !mt_lexer_is(lexer, "[") && !mt_lexer_line_ends(lexer));
    if (!mt_lexer_is(lexer, "]"))
        return mt_lexer_fail(lexer, &opening, "a unit has no closing bracket: expected `]` in the same line");
    const char *to = lexer->token.text;
    while (from < to && (*from == ' ' || *from == '\t')) from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t')) to--;
    *unit = opening;
    unit->kind = MT_TOKEN_STRING;
    unit->text = from;
    unit->length = (size_t)(to - from);
    mt_lexer_next(lexer);
    return MT_OK;
}

/* Builds a number, with the unit that follows. */
static mt_status number(parser *p, const mt_token *token, double value, mt_node *node)
{
    uint32_t unit = 0;
    if (p->dialect->units && mt_lexer_is(p->lexer, "[")) {
        mt_token text;
        MT_TRY(mt_expression_unit(p->lexer, &text));
        if (p->scope->unit) MT_TRY(placed(p, &text, p->scope->unit(p->scope->context, &text, &unit)));
    }
    return placed(p, token, mt_graph_number_in(p->graph, value, unit, node));
}

static mt_status add_argument(parser *p, mt_node node)
{
    if (p->n == p->room) {
        mt_node *more;
        const size_t room = p->room ? 2 * p->room : 16;
        MT_ALLOC(p->scratch, more, room);
        if (p->n) memcpy(more, p->argument, p->n * sizeof *more);
        p->argument = more;
        p->room = room;
    }
    p->argument[p->n++] = node;
    return MT_OK;
}

/* Parses "(a, b, ...)" and adds the arguments, whose types are those of `function`, or numbers if it is NULL. */
static mt_status arguments(parser *p, const mt_token *name, const mt_function *function)
{
    const mt_conditions conditions = function ? function->conditions : MT_CONDITIONS_NONE;
    const size_t before = p->n;
    MT_TRY(enter(p));
    mt_lexer_next(p->lexer);
    for (bool more = !mt_lexer_is(p->lexer, ")"); more;) {
        const mt_token first = p->lexer->token;
        const size_t k = p->n - before;
        mt_node node;
        MT_TRY(expression(p, &node));
        more = mt_lexer_take(p->lexer, ",");
        if (!more && !mt_lexer_is(p->lexer, ")")) break;
        const bool last = !more || (p->dialect->trailing_comma && mt_lexer_is(p->lexer, ")"));
        MT_TRY(check_type(p, &first, node,
            conditions == MT_CONDITIONS_ALL || (conditions == MT_CONDITIONS_FIRST && k == 0) ||
                (conditions == MT_CONDITIONS_PAIRS && k % 2 == 0 && !last)));
        MT_TRY(add_argument(p, node));
        more = !last;
    }
    if (p->lexer->token.kind == MT_TOKEN_END)
        return mt_lexer_fail(p->lexer, name, "the arguments of %.*s have no end: expected `)`",
            name->length < 40 ? (int)name->length : 40, name->text);
    if (!mt_lexer_take(p->lexer, ")")) return mt_lexer_expected(p->lexer, "an operator, `,` or `)`");
    p->depth--;
    return MT_OK;
}

/* Writes "sqrt, exp, ..." */
static const char *function_names(const mt_dialect *dialect, char *text, size_t size)
{
    size_t n = 0;
    for (const mt_function *f = dialect->functions; f->name && n < size; f++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", f->name);
    return text;
}

static mt_status check_count(const parser *p, const mt_token *name, const mt_function *function, size_t n)
{
    const bool pairs = function->conditions == MT_CONDITIONS_PAIRS;
    if (n >= function->least && n <= function->most && (!pairs || n % 2 == 1)) return MT_OK;
    char expected[64];
    if (pairs)
        (void)snprintf(expected, sizeof expected, "condition, value, ..., value");
    else if (function->most == MT_ANY_NUMBER)
        (void)snprintf(expected, sizeof expected, "%zu or more", function->least);
    else if (function->least == function->most)
        (void)snprintf(expected, sizeof expected, "%zu", function->least);
    else
        (void)snprintf(expected, sizeof expected, "%zu to %zu", function->least, function->most);
    return mt_lexer_fail(p->lexer, name, "%s has %zu arguments, expected %s", function->name, n, expected);
}

static mt_status call(parser *p, const mt_token *name, mt_node *node)
{
    enum { NAMES = 600 };
    const mt_function *function = mt_dialect_function(p->dialect, name->text, name->length);
    const size_t before = p->n;
    MT_TRY(arguments(p, name, function));
    const size_t n = p->n - before;
    p->n = before;
    *node = MT_NO_NODE;
    if (function) {
        MT_TRY(check_count(p, name, function, n));
        const mt_node *argument = p->argument + before;
        return placed(p, name,
            function->build ? function->build(p->graph, argument, n, node)
                            : mt_graph_operation(p->graph, function->op, argument, node));
    }
    if (p->scope->call) {
        const mt_node *argument = n ? p->argument + before : NULL;
        MT_TRY(placed(p, name, p->scope->call(p->scope->context, name, argument, n, node)));
    }
    if (*node != MT_NO_NODE) return MT_OK;
    char shown[MT_TOKEN_SHOWN], names[NAMES];
    return mt_lexer_fail(p->lexer, name, "unknown function %s with %zu arguments; functions are %s",
        mt_token_shown(name, shown), n, function_names(p->dialect, names, sizeof names));
}

/* Parses a variable, a constant or a call. */
static mt_status named(parser *p, mt_node *node)
{
    const mt_token name = p->lexer->token;
    mt_lexer_next(p->lexer);
    if (mt_lexer_is(p->lexer, "(")) return call(p, &name, node);
    *node = MT_NO_NODE;
    MT_TRY(placed(p, &name, p->scope->name(p->scope->context, &name, node)));
    if (*node != MT_NO_NODE) return MT_OK;
    const mt_constant *constant = mt_dialect_constant(p->dialect, name.text, name.length);
    if (constant) return number(p, &name, constant->value, node);
    char shown[MT_TOKEN_SHOWN];
    return mt_lexer_fail(
        p->lexer, &name, "unknown name %s, expected a variable in scope", mt_token_shown(&name, shown));
}

/* True at a word of logic, which is not the name of a variable. */
static bool at_word(const parser *p)
{
    return p->dialect->words &&
           (mt_lexer_is(p->lexer, "and") || mt_lexer_is(p->lexer, "or") || mt_lexer_is(p->lexer, "not"));
}

/* Parses a sign or a negation and its operand. */
static mt_status prefixed(parser *p, mt_node *node)
{
    const mt_token sign = p->lexer->token;
    const bool plus = mt_token_is(&sign, "+"), minus = mt_token_is(&sign, "-");
    const bool weak = mt_token_is(&sign, "not") && !p->dialect->flat_logic;
    MT_TRY(enter(p));
    mt_lexer_next(p->lexer);
    MT_TRY(operators(p, weak ? COMPARISON : POWER, node));
    p->depth--;
    MT_TRY(check_type(p, &sign, *node, !plus && !minus));
    if (plus) return MT_OK;
    return placed(p, &sign, mt_graph_unary(p->graph, minus ? MT_OP_NEGATE : MT_OP_NOT, *node, node));
}

static mt_status operand(parser *p, mt_node *node)
{
    const mt_token *t = &p->lexer->token;
    if (t->kind == MT_TOKEN_NUMBER) {
        const mt_token token = *t;
        mt_lexer_next(p->lexer);
        return number(p, &token, token.value, node);
    }
    if (mt_token_is(t, "(")) return in_brackets(p, node);
    if (mt_token_is(t, "+") || mt_token_is(t, "-") || (p->dialect->symbols && mt_token_is(t, "!")) ||
        (p->dialect->words && mt_token_is(t, "not")))
        return prefixed(p, node);
    if (t->kind == MT_TOKEN_NAME && !at_word(p)) return named(p, node);
    return mt_lexer_expected(p->lexer, "a number, a name or `(`");
}

/* ---- operators ---- */

/* Returns the operator at the current token, and its level in this dialect; NULL if there is none. */
static const infix *infix_at(const parser *p, level *at)
{
    const mt_dialect *d = p->dialect;
    const mt_token *t = &p->lexer->token;
    if (t->kind != MT_TOKEN_SYMBOL && t->kind != MT_TOKEN_NAME) return NULL;
    *at = POWER;
    if (d->power && mt_token_is(t, d->power)) return &power;
    for (size_t k = 0; k < sizeof infixes / sizeof *infixes; k++) {
        const infix *i = &infixes[k];
        if (!mt_token_is(t, i->text)) continue;
        const bool word = t->kind == MT_TOKEN_NAME;
        if (i->of_conditions && !(word ? d->words : d->symbols)) return NULL;
        if ((i->make == MAKE_QUOTIENT || i->make == MAKE_REMAINDER) && !d->quotient) return NULL;
        *at = i->level == AND && d->flat_logic ? OR : i->level;
        return i;
    }
    return NULL;
}

static mt_status make(const parser *p, const infix *i, mt_node a, mt_node b, mt_node *node)
{
    switch (i->make) {
    case MAKE_SWAPPED:
        return mt_graph_binary(p->graph, i->op, b, a, node);
    case MAKE_NOT_EQUAL:
        MT_TRY(mt_graph_binary(p->graph, i->op, a, b, node));
        return mt_graph_unary(p->graph, MT_OP_NOT, *node, node);
    case MAKE_QUOTIENT:
        return mt_dialect_quotient(p->graph, a, b, node);
    case MAKE_REMAINDER:
        return mt_dialect_remainder(p->graph, a, b, node);
    default:
        return mt_graph_binary(p->graph, i->op, a, b, node);
    }
}

/* Parses an operand and the operators of at least this level that follow. */
static mt_status operators(parser *p, level least, mt_node *node)
{
    MT_TRY(operand(p, node));
    for (;;) {
        level at = OR;
        const infix *i = infix_at(p, &at);
        if (!i || at < least) return MT_OK;
        const mt_token token = p->lexer->token;
        const bool from_right = i == &power && p->dialect->power_from_right;
        mt_node right;
        MT_TRY(check_type(p, &token, *node, i->of_conditions));
        mt_lexer_next(p->lexer);
        if (from_right) MT_TRY(enter(p));
        /* after the strongest operator from the left only an operand follows: POWER + 1 */
        MT_TRY(operators(p, from_right ? at : (level)(at + 1), &right));
        if (from_right) p->depth--;
        MT_TRY(check_type(p, &token, right, i->of_conditions));
        MT_TRY(placed(p, &token, make(p, i, *node, right, node)));
    }
}

static mt_status expression(parser *p, mt_node *node)
{
    MT_TRY(operators(p, OR, node));
    if (!p->dialect->ternary || !mt_lexer_is(p->lexer, "?")) return MT_OK;
    const mt_token question = p->lexer->token;
    mt_node yes, no;
    MT_TRY(enter(p));
    mt_lexer_next(p->lexer);
    MT_TRY(expression(p, &yes));
    MT_TRY(mt_lexer_need(p->lexer, ":", "the first value of ?:"));
    MT_TRY(expression(p, &no));
    p->depth--;
    return placed(p, &question, mt_graph_select(p->graph, *node, yes, no, node));
}

mt_status mt_expression_parse(mt_lexer *lexer, const mt_expression_scope *scope, mt_node *node)
{
    MT_SCRATCH(scratch);
    parser p = {
        .lexer = lexer, .dialect = lexer->dialect, .scope = scope, .graph = scope->graph, .scratch = scratch};
    const mt_token first = lexer->token;
    MT_TRY(expression(&p, node));
    return check_type(&p, &first, *node, false);
}
