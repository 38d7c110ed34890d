#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/cells/import/expression.h"

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(expression, .fini = leave);

/* Variables a, b, c, d, as "x.a" in a dialect with dots, have these values; so has the function twice(x). */
static const double values[] = {3, 5, 7, 0.5};

static mt_graph *graph;
static char unit_text[32];

static mt_status name_node(void *context, const mt_token *name, mt_node *node)
{
    (void)context;
    const bool dotted = name->length == 3 && memcmp(name->text, "x.", 2) == 0;
    const char letter = name->text[name->length - 1];
    if ((name->length != 1 && !dotted) || letter < 'a' || letter > 'd') return MT_OK;
    return mt_graph_variable(graph, (size_t)(letter - 'a'), node);
}

static mt_status call_node(
    void *context, const mt_token *name, const mt_node *argument, size_t n, mt_node *node)
{
    (void)context;
    if (!mt_token_is(name, "twice") || n != 1) return MT_OK;
    return mt_graph_binary(graph, MT_OP_ADD, argument[0], argument[0], node);
}

static mt_status unit_index(void *context, const mt_token *unit, uint32_t *index)
{
    (void)context;
    (void)snprintf(unit_text, sizeof unit_text, "%.*s", (int)unit->length, unit->text);
    *index = 9;
    return MT_OK;
}

/* Parses an expression; `rest` is where it ended. */
static mt_status parse(const mt_dialect *dialect, const char *text, mt_node *node, mt_token *rest)
{
    mt_lexer lexer;
    const mt_status made = mt_graph_new(&arena, &graph);
    if (made != MT_OK) return made;
    const mt_expression_scope scope = {graph, NULL, name_node, call_node, unit_index};
    mt_lexer_start(&lexer, dialect, "a.file", text, strlen(text), 3);
    const mt_status status = mt_expression_parse(&lexer, &scope, node);
    *rest = lexer.token;
    return status;
}

static double value_of(const mt_dialect *dialect, const char *text)
{
    mt_node node = MT_NO_NODE;
    mt_token rest;
    const mt_status status = parse(dialect, text, &node, &rest);
    cr_assert_eq(status, MT_OK, "%s", mt_message());
    cr_assert_eq(rest.kind, MT_TOKEN_END, "%s: a rest at column %zu", text, rest.column);
    double *value = calloc(graph->n, sizeof *value);
    for (size_t k = 0; k < graph->n; k++) value[k] = mt_graph_node_value(graph, (mt_node)k, values, value);
    const double result = value[node];
    free(value);
    return result;
}

typedef struct sample {
    const char *text;
    double value;
} sample;

static void check_samples(const mt_dialect *dialect, const sample *s, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const double found = value_of(dialect, s[k].text);
        cr_assert(found == s[k].value || fabs(found - s[k].value) <= 1e-15 * fabs(s[k].value),
            "%s: %s is %.17g, expected %.17g", dialect->name, s[k].text, found, s[k].value);
    }
}

#define CHECK_SAMPLES(dialect, samples) check_samples(dialect, samples, sizeof(samples) / sizeof *(samples))

static const mt_dialect *const all[] = {&mt_dialect_myokit, &mt_dialect_gotran, &mt_dialect_easyml};

Test(expression, arithmetic_is_the_same_in_all_formats)
{
    const sample samples[] = {{"a - b - c", -9}, {"a / b / c", 3.0 / 5 / 7}, {"a - b * c + d", -31.5},
        {"(a - b) * c", -14}, {"-a - -b", 2}, {"+a", 3}, {"a * -b", -15}, {"- -a", 3}, {"-a / b", -0.6},
        {"1.5e-3", 0.0015}, {"2.E+1", 20}, {".5", 0.5}, {"1e3*a", 3000}, {"sqrt(a * a + 4*4)", 5},
        {"exp(-d)", exp(-0.5)}, {"log(b)", log(5)}, {"log(b, a)", log(5) / log(3)}, {"log10(1000)", 3},
        {"abs(a - b)", 2}, {"floor(-d)", -1}, {"ceil(d)", 1},
        {"sin(d) + cos(d) + tan(d)", sin(.5) + cos(.5) + tan(.5)},
        {"asin(d)+acos(d)+atan(d)", asin(.5) + acos(.5) + atan(.5)}, {"twice(a) + 1", 7}, {"\ta\r", 3}};
    for (size_t k = 0; k < 3; k++) CHECK_SAMPLES(all[k], samples);
}

/* Documentation of Myokit: all operators are left-associative, a sign binds between products and powers. */
Test(expression, myokit_evaluates_powers_from_the_left)
{
    static const sample samples[] = {{"2^3^2", 64}, {"-a^2", -9}, {"2^-1", 0.5}, {"2^-3^2", 1.0 / 512},
        {"-2^-2", -0.25}, {"2*a^2", 18}, {"a^2*2", 18}, {"8 / 2^2", 2}, {"(-a)^2", 9}, {"x.a + x.b", 8}};
    CHECK_SAMPLES(&mt_dialect_myokit, samples);
}

Test(expression, gotran_evaluates_powers_from_the_right)
{
    static const sample samples[] = {{"2**3**2", 512}, {"-a**2", -9}, {"2**-1", 0.5}, {"-2**-2", -0.25},
        {"2**-3**2", 1.0 / 512}, {"pow(2, 3)**2", 64}, {"2*a**2", 18}};
    CHECK_SAMPLES(&mt_dialect_gotran, samples);
}

Test(expression, quotients_are_rounded_down)
{
    static const sample samples[] = {{"7 // 3", 2}, {"-7 // 3", -3}, {"5 // -3", -2}, {"7 % 3", 1},
        {"-7 % 3", 2}, {"5 % -3", -1}, {"2 * 7 // 3", 4}, {"7 % 4 * 2", 6}};
    CHECK_SAMPLES(&mt_dialect_myokit, samples);
    static const sample of_c[] = {{"fmod(-7, 3)", -1}};
    CHECK_SAMPLES(&mt_dialect_easyml, of_c);
    static const sample of_sympy[] = {{"Mod(-7, 3)", 2}};
    CHECK_SAMPLES(&mt_dialect_gotran, of_sympy);
}

Test(expression, conditions_of_myokit_choose_values)
{
    static const sample samples[] = {{"if(a < b, 1, 2)", 1}, {"if(a > b, 1, 2)", 2}, {"if(a <= 3, 1, 2)", 1},
        {"if(a >= 3.5, 1, 2)", 2}, {"if(a >= 3, 1, 2)", 1}, {"if(a > 3, 1, 2)", 2}, {"if(a == 3, 1, 2)", 1},
        {"if(a != 3, 1, 2)", 2}, {"if(not (a == 3), 1, 2)", 2}, {"if(not(a == 3), 1, 2)", 2},
        {"if(a + 1 < b and b < c, 1, 2)", 1},
        {"if(a == 3 or a == 4 and a == 5, 1, 2)", 2}, /* from left to right */
        {"if(a == 5 and a == 4 or a == 3, 1, 2)", 1}, {"piecewise(a > 4, 1, a > 2, 2, a > 1, 3, 4)", 2},
        {"piecewise(a > 4, 1, a > 5, 2, 4)", 4}, {"piecewise(a > 2, 1, a > 1, 2, 4)", 1}};
    CHECK_SAMPLES(&mt_dialect_myokit, samples);
    cr_assert(isinf(value_of(&mt_dialect_myokit, "infinity")));
    cr_assert(isnan(value_of(&mt_dialect_myokit, "nan")));
}

Test(expression, conditions_of_gotran_are_functions)
{
    const double w = 1 / (1 + exp((3.0 - 5.0) / 0.5));
    const sample samples[] = {{"Conditional(Lt(a, b), 1, 2)", 1}, {"Conditional(Gt(a, b), 1, 2)", 2},
        {"Conditional(Le(a, 3), 1, 2)", 1}, {"Conditional(Ge(a, 4), 1, 2)", 2},
        {"Conditional(Eq(a, 3), 1, 2)", 1}, {"Conditional(Ne(a, 3), 1, 2)", 2},
        {"Conditional(Not(Eq(a, 3)), 1, 2)", 2},
        {"Conditional(And(Lt(a, b), Lt(b, c), Lt(a, 1), ), 1, 2)", 2},
        {"Conditional(Or(Lt(b, a), Lt(a, b)), 1, 2)", 1},
        {"ContinuousConditional(Lt(a, b), 10, 20, 0.5)", 10 * w + 20 * (1 - w)},
        {"ContinuousConditional(Gt(a, b), 10, 20, 0.5)", 10 * (1 - w) + 20 * w},
        {"ContinuousConditional(Ge(a, 3), 10, 20)", 15}, {"pi", M_PI}, {"Max(a, b, c) - Min(a, b, c)", 4},
        {"expm1(a) + ln(b)", expm1(3) + log(5)}};
    CHECK_SAMPLES(&mt_dialect_gotran, samples);
}

Test(expression, easyml_has_the_operators_of_c)
{
    static const sample samples[] = {{"a < b ? 1 : 2", 1}, {"a > b ? 1 : a > 2 ? 2 : 3", 2},
        {"a > b ? 1 : (a > 4) ? 2 : 3", 3}, {"a < b && b < c ? 1 : 2", 1},
        {"a == 3 || a == 4 && a == 5 ? 1 : 2", 1}, {"!(a < b) ? 1 : 2", 2}, {"!a == 1 ? 1 : 2", 2},
        {"not a == 1 ? 1 : 2", 1}, {"not a == 3 ? 1 : 2", 2}, {"(a < b) * c", 7},
        {"a == 3 or a == 4 and a == 5 ? 1 : 2", 1}, {"square(a) + cube(b)", 134}, {"pow(a, b)", 243},
        {"max(a, b) + min(a, b)", 8}, {"a /* 1 */ + b // c", 8}, {"1 + (a ? b : c) * 2", 11}};
    CHECK_SAMPLES(&mt_dialect_easyml, samples);
}

Test(expression, numbers_have_the_unit_that_follows)
{
    mt_node node = MT_NO_NODE;
    mt_token rest;
    cr_assert_eq(parse(&mt_dialect_myokit, "12 [ mS/cm^2 ]", &node, &rest), MT_OK, "%s", mt_message());
    cr_assert_str_eq(unit_text, "mS/cm^2");
    cr_assert_eq(graph->node[node].unit, 9);
    cr_assert_eq(graph->node[node].value, 12);
    cr_assert_eq(parse(&mt_dialect_myokit, "12", &node, &rest), MT_OK);
    cr_assert_eq(graph->node[node].unit, 0);
}

Test(expression, expressions_end_with_their_line_or_at_a_word)
{
    static const struct {
        const mt_dialect *dialect;
        const char *text, *rest;
        size_t line, column;
    } samples[] = {{&mt_dialect_myokit, "a + b # + c\nd", "\n", 3, 12},
        {&mt_dialect_myokit, "a in [mV]", "in", 3, 3},
        {&mt_dialect_myokit, "(a\n # text\n\n + b) bind c", "bind", 6, 7},
        {&mt_dialect_myokit, "a + \\\n b: text", ":", 4, 3}, {&mt_dialect_gotran, "a = 1", "=", 3, 3},
        {&mt_dialect_easyml, "a\n + b\n;", ";", 5, 1}, {&mt_dialect_easyml, "a b", "b", 3, 3},
        {&mt_dialect_gotran, "sqrt(\na,\n)\nb", "\n", 5, 2}};
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        mt_node node = MT_NO_NODE;
        mt_token rest;
        cr_assert_eq(parse(samples[k].dialect, samples[k].text, &node, &rest), MT_OK, "%s", mt_message());
        cr_assert_eq(rest.length, strlen(samples[k].rest), "%s", samples[k].text);
        cr_assert_eq(memcmp(rest.text, samples[k].rest, rest.length), 0, "%s", samples[k].text);
        cr_assert_eq(rest.line, samples[k].line, "%s: line %zu", samples[k].text, rest.line);
        cr_assert_eq(rest.column, samples[k].column, "%s: column %zu", samples[k].text, rest.column);
    }
}

Test(expression, errors_name_place_word_and_what_is_expected)
{
    static const struct {
        const mt_dialect *dialect;
        const char *text, *message;
    } wrong[] = {{&mt_dialect_myokit, "a + * b", "a.file:3:5: found `*`, expected a number, a name or `(`"},
        {&mt_dialect_myokit, "a +", "a.file:3:4: found the end of the text, expected a number"},
        {&mt_dialect_myokit, "a +\nb", "a.file:3:4: found the end of the line, expected a number"},
        {&mt_dialect_myokit, "(a + b",
            "a.file:3:1: `(` is not closed: found the end of the text, expected `)`"},
        {&mt_dialect_myokit, "(a\n b)", "a.file:4:2: found `b`, expected an operator or `)`"},
        {&mt_dialect_myokit, "a + e", "a.file:3:5: unknown name `e`, expected a variable in scope"},
        {&mt_dialect_myokit, "pi", "unknown name `pi`"},
        {&mt_dialect_myokit, "tanh(a)",
            "a.file:3:1: unknown function `tanh` with 1 arguments; functions are sqrt, exp, "},
        {&mt_dialect_myokit, "sqrt(a, b)", "a.file:3:1: sqrt has 2 arguments, expected 1"},
        {&mt_dialect_myokit, "log(a, b, c)", "log has 3 arguments, expected 1 to 2"},
        {&mt_dialect_myokit, "sqrt()", "sqrt has 0 arguments, expected 1"},
        {&mt_dialect_myokit, "sqrt(a,)", "a.file:3:8: found `)`, expected a number"},
        {&mt_dialect_myokit, "sqrt(a b)", "a.file:3:8: found `b`, expected an operator, `,` or `)`"},
        {&mt_dialect_myokit, "1 + sqrt(a", "a.file:3:5: the arguments of sqrt have no end: expected `)`"},
        {&mt_dialect_myokit, "piecewise(a < b, a, b < c, d)",
            "piecewise has 4 arguments, expected condition, value, ..., value"},
        {&mt_dialect_myokit, "piecewise(a < b, b < c, d)",
            "a.file:3:18: at `b`: found a condition, expected a number"},
        {&mt_dialect_myokit, "piecewise(a < b, a, b, c)",
            "a.file:3:21: at `b`: found a number, expected a condition"},
        {&mt_dialect_myokit, "if(a, b, c)",
            "a.file:3:4: at `a`: found a number, expected a condition such as a < b"},
        {&mt_dialect_myokit, "a + (b < c)", "a.file:3:3: at `+`: found a condition, expected a number"},
        {&mt_dialect_myokit, "a < b < c", "a.file:3:7: at `<`: found a condition, expected a number"},
        {&mt_dialect_myokit, "if(not a == b, 1, 2)",
            "a.file:3:4: at `not`: found a number, expected a condition"},
        {&mt_dialect_myokit, "if(a and b < c, 1, 2)",
            "a.file:3:6: at `and`: found a number, expected a condition"},
        {&mt_dialect_myokit, "a == b", "a.file:3:1: at `a`: found a condition, expected a number"},
        {&mt_dialect_myokit, "-(a == b)", "a.file:3:1: at `-`: found a condition, expected a number"},
        {&mt_dialect_myokit, "exp(a == b)", "a.file:3:5: at `a`: found a condition, expected a number"},
        {&mt_dialect_myokit, "1 [mV",
            "a.file:3:3: a unit has no closing bracket: expected `]` in the same line"},
        {&mt_dialect_myokit, "1e999", "a.file:3:1: found a number outside the range of doubles"},
        {&mt_dialect_myokit, "a + \x01", "a.file:3:5: found the byte 0x01, expected a number"},
        {&mt_dialect_myokit, "a + \xc3\xa4", "a.file:3:5: found `\xc3\xa4`, expected a number"},
        {&mt_dialect_myokit, "if(a < b && b < c, 1, 2)",
            "a.file:3:10: found `&&`, expected an operator, `,` or `)`"},
        {&mt_dialect_gotran, "(Lt(a, b) and Lt(b, c))",
            "a.file:3:11: found `and`, expected an operator or `)`"},
        {&mt_dialect_easyml, "(a % b)", "a.file:3:4: found `%`, expected an operator or `)`"},
        {&mt_dialect_myokit, "and", "found `and`, expected a number"},
        {&mt_dialect_gotran, "ContinuousConditional(Eq(a, b), 1, 2)", "must be Lt, Le, Gt or Ge"},
        {&mt_dialect_gotran, "Conditional(Lt(a, b), 1)", "Conditional has 2 arguments, expected 3"},
        {&mt_dialect_gotran, "And()", "And has 0 arguments, expected 1 or more"},
        {&mt_dialect_gotran, "'text", "a.file:3:1: found a text without closing quote"},
        {&mt_dialect_easyml, "a ? b",
            "a.file:3:6: found the end of the text, expected `:` after the first value of ?:"},
        {&mt_dialect_easyml, "a + /* b", "a.file:3:5: found a comment without end"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        mt_node node = MT_NO_NODE;
        mt_token rest;
        cr_assert_eq(parse(wrong[k].dialect, wrong[k].text, &node, &rest), MT_INPUT, "%s", wrong[k].text);
        cr_assert(strstr(mt_message(), wrong[k].message), "%s: %s", wrong[k].text, mt_message());
    }
}

/* Writes n times `open`, then "a", then n times `close`. */
static const char *repeated(const char *open, const char *close, size_t n)
{
    char *text = mt_arena_alloc(&arena, n * (strlen(open) + strlen(close)) + 2, 1), *to = text;
    for (size_t k = 0; k < n; k++) to = stpcpy(to, open);
    to = stpcpy(to, "a");
    for (size_t k = 0; k < n; k++) to = stpcpy(to, close);
    return text;
}

Test(expression, nesting_is_bounded_and_long_sums_are_not)
{
    static const struct {
        const mt_dialect *dialect;
        const char *open, *close;
    } nested[] = {{&mt_dialect_myokit, "(", ")"}, {&mt_dialect_myokit, "-", ""},
        {&mt_dialect_myokit, "2^-", ""}, {&mt_dialect_myokit, "abs(", ")"}, {&mt_dialect_gotran, "2**", ""},
        {&mt_dialect_easyml, "1 ? 2 : ", ""}, {&mt_dialect_easyml, "1 ? ", " : 2"},
        {&mt_dialect_easyml, "!", ""}};
    mt_node node = MT_NO_NODE;
    mt_token rest;
    for (size_t k = 0; k < sizeof nested / sizeof *nested; k++) {
        const char *text = repeated(nested[k].open, nested[k].close, MT_EXPRESSION_DEPTH);
        cr_assert_eq(
            parse(nested[k].dialect, text, &node, &rest), MT_OK, "%s: %s", nested[k].open, mt_message());
        text = repeated(nested[k].open, nested[k].close, 100000);
        cr_assert_eq(parse(nested[k].dialect, text, &node, &rest), MT_INPUT, "%s", nested[k].open);
        cr_assert(strstr(mt_message(), "nested more than 200 deep"), "%s", mt_message());
    }
    cr_assert_eq(parse(&mt_dialect_myokit, repeated("(a) + ", " - 2^3^a", 100000), &node, &rest), MT_OK, "%s",
        mt_message());
    cr_assert_eq(rest.kind, MT_TOKEN_END);
}

/* ---- words */

Test(expression, tokens_have_place_and_indentation)
{
    static const struct {
        const char *text;
        mt_token_kind kind;
        size_t line, column, indentation;
        bool first;
    } expected[] = {{"a", MT_TOKEN_NAME, 1, 1, 0, true}, {"=", MT_TOKEN_SYMBOL, 1, 3, 0, false},
        {"2.5", MT_TOKEN_NUMBER, 1, 5, 0, false}, {"\n", MT_TOKEN_LINE_END, 1, 8, 0, false},
        {"b", MT_TOKEN_NAME, 4, 3, 9, true}, {"(", MT_TOKEN_SYMBOL, 4, 4, 9, false},
        {"c", MT_TOKEN_NAME, 5, 2, 9, false}, {")", MT_TOKEN_SYMBOL, 6, 1, 9, false},
        {"**", MT_TOKEN_SYMBOL, 6, 3, 9, false}, {"d_1", MT_TOKEN_NAME, 7, 1, 9, false},
        {"\n", MT_TOKEN_LINE_END, 7, 4, 9, false}, {"text", MT_TOKEN_STRING, 8, 1, 0, true},
        {"", MT_TOKEN_END, 8, 7, 0, false}, {"", MT_TOKEN_END, 8, 7, 0, false}};
    const char *text = "a = 2.5\n\n # b\n\t b(\n c\n) ** \\\nd_1\n'text'";
    mt_lexer lexer;
    mt_lexer_start(&lexer, &mt_dialect_gotran, "a.file", text, strlen(text), 1);
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const mt_token *t = &lexer.token;
        cr_assert_eq(t->kind, expected[k].kind, "%zu: kind %d", k, (int)t->kind);
        cr_assert_eq(t->length, strlen(expected[k].text), "%zu: length %zu", k, t->length);
        cr_assert_eq(memcmp(t->text, expected[k].text, t->length), 0, "%zu", k);
        cr_assert_eq(t->line, expected[k].line, "%zu: line %zu", k, t->line);
        cr_assert_eq(t->column, expected[k].column, "%zu: column %zu", k, t->column);
        cr_assert_eq(t->indentation, expected[k].indentation, "%zu: indentation %zu", k, t->indentation);
        cr_assert_eq(t->first, expected[k].first, "%zu", k);
        mt_lexer_next(&lexer);
    }
}

Test(expression, texts_in_quotes_keep_escaped_quotes_and_lines)
{
    const char *text = "\"a\\\"b\" '''c\n'd'''";
    mt_lexer lexer;
    mt_lexer_start(&lexer, &mt_dialect_gotran, "a.file", text, strlen(text), 1);
    cr_assert_eq(lexer.token.length, 4);
    cr_assert_eq(memcmp(lexer.token.text, "a\\\"b", 4), 0);
    mt_lexer_next(&lexer);
    cr_assert_eq(lexer.token.length, 4);
    cr_assert_eq(memcmp(lexer.token.text, "c\n'd", 4), 0);
    mt_lexer_next(&lexer);
    cr_assert_eq(lexer.token.kind, MT_TOKEN_END);
    cr_assert_eq(lexer.token.line, 2);
}

Test(expression, a_lexer_skips_lines_and_block_comments)
{
    const char *text = "a (b\n\"\"\"\nc\n\"\"\"d\n e";
    mt_lexer lexer;
    mt_lexer_start(&lexer, &mt_dialect_myokit, "a.file", text, strlen(text), 1);
    mt_lexer_next(&lexer);
    mt_lexer_skip_line(&lexer);
    cr_assert(mt_lexer_is(&lexer, "d"));
    cr_assert_eq(lexer.token.line, 4);
    cr_assert_eq(lexer.depth, 0);
    mt_lexer_skip_line(&lexer);
    cr_assert(mt_lexer_is(&lexer, "e"));
    cr_assert(lexer.token.first);
    mt_lexer_skip_line(&lexer);
    cr_assert_eq(lexer.token.kind, MT_TOKEN_END);
}
