#include "solver/cells/import/gotran.h"

#include <string.h>

#include "data/files/scan.h"
#include "solver/cells/import/expression.h"
#include "solver/cells/import/scoped_names.h"
#include "solver/cells/graph/complete.h"

enum { NAME_LENGTH = 128 };
#define NONE SIZE_MAX

/* Scopes of names: of variables the value is their index in the equations, of derivatives (by the name of their state) an index of
 * definitions. */
enum { VARIABLES, RATES };

/* An expression that is parsed when all names are known. */
typedef struct definition {
    mt_token name;
    mt_lexer value;    /* at its first token */
    size_t variable;   /* of which it is the value, the initial value or, if `rate`, the derivative */
    bool rate, listed; /* `listed`: a comma or bracket ends it */
    size_t copy;       /* of a derivative that other expressions use: its variable; otherwise NONE */
} definition;

typedef struct reader {
    mt_lexer lexer;
    mt_arena *scratch;
    mt_equations *e;
    mt_scoped_names names;
    definition *definition;
    size_t n, room;
    const char *component; /* of assignments */
    size_t time;           /* its variable, or NONE */
} reader;

/* ---- definitions ---- */

/* MT_INPUT if the token is not a name that can be defined. */
static mt_status check_name(const reader *r, const mt_token *name)
{
    if (name->kind != MT_TOKEN_NAME)
        return mt_lexer_expected(
            &r->lexer, "the name of a variable, parameters(, states(, expressions( or component(");
    if (name->length <= NAME_LENGTH) return MT_OK;
    return mt_lexer_fail(
        &r->lexer, name, "a name has %zu characters; allowed: at most %d", name->length, NAME_LENGTH);
}

/* Returns the length of the name of the state in d<state>_dt, 0 for other names. */
static size_t rate_of(const mt_token *name)
{
    const bool is =
        name->length > 4 && name->text[0] == 'd' && memcmp(name->text + name->length - 3, "_dt", 3) == 0;
    return is ? name->length - 4 : 0;
}

static mt_status add_definition(reader *r, const mt_token *name, size_t variable, bool rate, bool listed)
{
    if (r->n == r->room) {
        definition *more;
        MT_ALLOC(r->scratch, more, 2 * r->room + 16);
        if (r->n) memcpy(more, r->definition, r->n * sizeof *more);
        r->definition = more;
        r->room = 2 * r->room + 16;
    }
    r->definition[r->n++] = (definition){*name, r->lexer, variable, rate, listed, NONE};
    return MT_OK;
}

/* Adds a variable whose value begins at the current token. */
static mt_status define(reader *r, const mt_token *name, mt_variable_kind kind, const char *component)
{
    const mt_scoped_name *old = mt_scoped_names_find(&r->names, VARIABLES, name->text, name->length);
    char shown[MT_TOKEN_SHOWN], text[NAME_LENGTH + 1] = {0};
    if (old)
        return mt_lexer_fail(&r->lexer, name, "%s is defined again; its first definition is in line %zu",
            mt_token_shown(name, shown), r->e->variable[old->value].line);
    size_t index;
    memcpy(text, name->text, name->length);
    MT_TRY(mt_equations_add(r->e, component, text, name->line, &index));
    r->e->variable[index].kind = kind;
    MT_TRY(mt_scoped_names_add(r->scratch, &r->names, VARIABLES, name->text, name->length, index));
    return add_definition(r, name, index, false, kind != MT_VARIABLE_INTERMEDIATE);
}

/* Adds the derivative whose value begins at the current token; its state may be defined later. */
static mt_status define_rate(reader *r, const mt_token *name)
{
    const mt_scoped_name *old = mt_scoped_names_find(&r->names, RATES, name->text + 1, rate_of(name));
    char shown[MT_TOKEN_SHOWN];
    if (old)
        return mt_lexer_fail(&r->lexer, name, "%s is defined again; its first definition is in line %zu",
            mt_token_shown(name, shown), r->definition[old->value].name.line);
    MT_TRY(mt_scoped_names_add(r->scratch, &r->names, RATES, name->text + 1, rate_of(name), r->n));
    return add_definition(r, name, NONE, true, false);
}

/* ---- statements ---- */

/* Moves over an expression of a list, up to the comma or bracket after it. */
static void skip_item(mt_lexer *l)
{
    const size_t depth = l->depth - mt_lexer_is(l, "(");
    if (mt_lexer_is(l, ")")) return;
    for (; l->token.kind != MT_TOKEN_END; mt_lexer_next(l)) {
        if (l->depth == depth && mt_lexer_is(l, ",")) return;
        if (l->depth + 1 == depth && mt_lexer_is(l, ")")) return;
    }
}

static mt_status copy_text(mt_arena *arena, const mt_token *from, const char **to)
{
    char *text;
    MT_ALLOC(arena, text, from->length + 1);
    memcpy(text, from->text, from->length);
    *to = text;
    return MT_OK;
}

/* Takes the texts at the beginning of a list, joined by ", ", and the commas after them. */
static mt_status take_component(reader *r, const char **component)
{
    mt_lexer *l = &r->lexer;
    char *joined = "";
    for (size_t n = 0; l->token.kind == MT_TOKEN_STRING;) {
        const char *const old = joined;
        MT_ALLOC(r->scratch, joined, n + l->token.length + 3);
        memcpy(joined, old, n);
        if (n > 0) joined[n++] = ',', joined[n++] = ' ';
        memcpy(joined + n, l->token.text, l->token.length);
        n += l->token.length;
        mt_lexer_next(l);
        if (n > NAME_LENGTH)
            return mt_fail(MT_INPUT, "%s:%zu: the names of a component have more than %d characters", l->path,
                l->token.line, NAME_LENGTH);
        if (!mt_lexer_take(l, ",")) break;
    }
    *component = joined;
    return MT_OK;
}

static mt_status set_unit(reader *r, size_t variable, const mt_token *text)
{
    mt_variable *v = &r->e->variable[variable];
    MT_TRY(copy_text(r->e->arena, text, &v->unit_text));
    (void)mt_unit_read(text->text, text->length, &v->unit); /* unknown if it cannot be read */
    return MT_OK;
}

/* Takes the rest of ScalarParam(value, unit="...", description="...") after its value; other arguments are limits for users. */
static mt_status take_details(reader *r, size_t variable)
{
    mt_lexer *l = &r->lexer;
    while (mt_lexer_take(l, ",")) {
        const mt_token key = l->token;
        if (mt_lexer_is(l, ")")) break;
        if (key.kind != MT_TOKEN_NAME) return mt_lexer_expected(l, "unit=\"...\" or description=\"...\"");
        mt_lexer_next(l);
        MT_TRY(mt_lexer_need(l, "=", "the name of an argument of ScalarParam"));
        const bool unit = mt_token_is(&key, "unit"), text = mt_token_is(&key, "description");
        if ((unit || text) && l->token.kind != MT_TOKEN_STRING)
            return mt_lexer_expected(l, "a text in quotes");
        if (unit) MT_TRY(set_unit(r, variable, &l->token));
        if (text) MT_TRY(copy_text(r->e->arena, &l->token, &r->e->variable[variable].text));
        skip_item(l);
    }
    return mt_lexer_need(l, ")", "the arguments of ScalarParam");
}

/* Takes `name = value` of a list, up to the comma or bracket after it. */
static mt_status take_item(reader *r, mt_variable_kind kind, const char *component)
{
    mt_lexer *l = &r->lexer;
    const mt_token name = l->token;
    MT_TRY(check_name(r, &name));
    mt_lexer_next(l);
    MT_TRY(mt_lexer_need(l, "=", "the name of a parameter or state"));
    if (!mt_lexer_take(l, "ScalarParam")) {
        MT_TRY(define(r, &name, kind, component));
        skip_item(l);
        return MT_OK;
    }
    MT_TRY(mt_lexer_need(l, "(", "ScalarParam"));
    MT_TRY(define(r, &name, kind, component));
    skip_item(l);
    return take_details(r, r->e->n - 1);
}

/* Takes a list after the word parameters or states. */
static mt_status take_list(reader *r, mt_variable_kind kind)
{
    mt_lexer *l = &r->lexer;
    const char *component;
    MT_TRY(mt_lexer_need(l, "(", "the beginning of a list"));
    MT_TRY(take_component(r, &component));
    while (!mt_lexer_is(l, ")")) {
        if (mt_lexer_take(l, ",")) continue; /* gotranx allows several */
        MT_TRY(take_item(r, kind, component));
        if (!mt_lexer_is(l, ",") && !mt_lexer_is(l, ")"))
            return mt_lexer_expected(l, "`,` or `)` after a value");
    }
    mt_lexer_next(l);
    return MT_OK;
}

static mt_status take_heading(reader *r)
{
    mt_lexer *l = &r->lexer;
    MT_TRY(mt_lexer_need(l, "(", "expressions or component"));
    if (l->token.kind != MT_TOKEN_STRING) return mt_lexer_expected(l, "the name of a component in quotes");
    MT_TRY(take_component(r, &r->component));
    return mt_lexer_need(l, ")", "the name of a component");
}

/* Reads the comment at the end of an assignment, before the current token: a unit, or a description. */
static mt_status take_comment(reader *r, const char *from)
{
    const char *to = r->lexer.token.text, *begin = NULL;
    for (const char *c = to; c > from && c[-1] != '\n'; c--)
        if (c[-1] == '#') begin = c;
    mt_variable *v = &r->e->variable[r->e->n - 1];
    if (!begin) return MT_OK;
    while (begin < to && (*begin == ' ' || *begin == '\t')) begin++;
    while (to > begin && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r')) to--;
    const mt_token text = {.text = begin, .length = (size_t)(to - begin)};
    if (text.length == 0) return MT_OK;
    if (!mt_unit_read(text.text, text.length, &v->unit)) return copy_text(r->e->arena, &text, &v->text);
    return copy_text(r->e->arena, &text, &v->unit_text);
}

static mt_status take_assignment(reader *r, const mt_token *name)
{
    mt_lexer *l = &r->lexer;
    const bool rate = rate_of(name) > 0;
    MT_TRY(check_name(r, name));
    if (!mt_lexer_is(l, "=")) {
        char shown[MT_TOKEN_SHOWN];
        return mt_lexer_fail(l, name,
            "found %s without `=`; supported statements: name = value, parameters(, states(, expressions(, "
            "component(",
            mt_token_shown(name, shown));
    }
    mt_lexer_next(l);
    const char *const from = l->token.text;
    MT_TRY(rate ? define_rate(r, name) : define(r, name, MT_VARIABLE_INTERMEDIATE, r->component));
    while (!mt_lexer_line_ends(l)) mt_lexer_next(l);
    return rate ? MT_OK : take_comment(r, from);
}

static mt_status take_statement(reader *r)
{
    mt_lexer *l = &r->lexer;
    const mt_token word = l->token;
    mt_lexer after = *l;
    mt_lexer_next(&after);
    MT_TRY(check_name(r, &word));
    *l = after;
    const bool list = mt_lexer_is(l, "(");
    if (list && mt_token_is(&word, "parameters")) {
        MT_TRY(take_list(r, MT_VARIABLE_PARAMETER));
    } else if (list && mt_token_is(&word, "states")) {
        MT_TRY(take_list(r, MT_VARIABLE_STATE));
    } else if (list && (mt_token_is(&word, "expressions") || mt_token_is(&word, "component"))) {
        MT_TRY(take_heading(r));
    } else {
        MT_TRY(take_assignment(r, &word));
    }
    return mt_lexer_line_ends(l) ? MT_OK : mt_lexer_expected(l, "the end of the line");
}

/* ---- expressions ---- */

/* Finds the variable of a derivative for use in expressions, and adds it at its first use. */
static mt_status find_rate(reader *r, const mt_token *name, size_t *variable)
{
    const mt_scoped_name *rate = mt_scoped_names_find(&r->names, RATES, name->text + 1, rate_of(name));
    *variable = NONE;
    if (!rate) return MT_OK;
    definition *d = &r->definition[rate->value];
    if (d->copy == NONE) {
        char text[NAME_LENGTH + 1] = {0};
        memcpy(text, name->text, name->length);
        MT_TRY(mt_equations_add(r->e, r->e->variable[d->variable].component, text, d->name.line, &d->copy));
    }
    *variable = d->copy;
    return MT_OK;
}

static mt_status find_time(reader *r, const mt_token *name, size_t *variable)
{
    if (r->time == NONE) {
        char text[sizeof "time"] = {0};
        memcpy(text, name->text, name->length);
        MT_TRY(mt_equations_add(r->e, "", text, name->line, &r->time));
        r->e->variable[r->time].kind = MT_VARIABLE_TIME;
    }
    *variable = r->time;
    return MT_OK;
}

static mt_status find_name(void *context, const mt_token *name, mt_node *node)
{
    reader *r = context;
    const mt_scoped_name *found = mt_scoped_names_find(&r->names, VARIABLES, name->text, name->length);
    size_t variable = found ? found->value : NONE;
    if (!found && rate_of(name)) MT_TRY(find_rate(r, name, &variable));
    if (!found && (mt_token_is(name, "time") || mt_token_is(name, "t")))
        MT_TRY(find_time(r, name, &variable));
    return variable == NONE ? MT_OK : mt_graph_variable(r->e->graph, variable, node);
}

/* Parses the value of a definition. */
static mt_status parse(reader *r, const definition *d)
{
    const mt_expression_scope scope = {.graph = r->e->graph, .context = r, .name = find_name};
    mt_node node = MT_NO_NODE;
    r->lexer = d->value;
    MT_TRY(mt_expression_parse(&r->lexer, &scope, &node));
    const bool ends = d->listed ? mt_lexer_is(&r->lexer, ",") || mt_lexer_is(&r->lexer, ")")
                                : mt_lexer_line_ends(&r->lexer);
    if (!ends) return mt_lexer_expected(&r->lexer, "an operator or the end of the expression");
    mt_variable *v = &r->e->variable[d->variable];
    if (v->kind == MT_VARIABLE_STATE && !d->rate) {
        v->initial = node;
    } else {
        v->kind = d->rate ? MT_VARIABLE_STATE : MT_VARIABLE_INTERMEDIATE; /* a number becomes a parameter */
        v->expression = node;
    }
    return MT_OK;
}

/* Finds the state of each derivative. */
static mt_status find_states(reader *r)
{
    for (size_t k = 0; k < r->n; k++) {
        definition *d = &r->definition[k];
        char shown[MT_TOKEN_SHOWN];
        if (!d->rate) continue;
        const mt_scoped_name *state =
            mt_scoped_names_find(&r->names, VARIABLES, d->name.text + 1, rate_of(&d->name));
        if (!state || r->e->variable[state->value].kind != MT_VARIABLE_STATE)
            return mt_lexer_fail(&r->lexer, &d->name,
                "%s is the derivative of something that is not in states(...)",
                mt_token_shown(&d->name, shown));
        d->variable = state->value;
    }
    return MT_OK;
}

/* Moves derivatives that other expressions use into their variables. */
static mt_status share_rates(reader *r)
{
    for (size_t k = 0; k < r->n; k++) {
        const definition *d = &r->definition[k];
        if (!d->rate || d->copy == NONE) continue;
        mt_variable *state = &r->e->variable[d->variable];
        r->e->variable[d->copy].expression = state->expression;
        MT_TRY(mt_graph_variable(r->e->graph, d->copy, &state->expression));
    }
    return MT_OK;
}

mt_status mt_gotran_read(mt_arena *arena, const char *path, mt_equations **equations)
{
    MT_SCRATCH(scratch);
    mt_scan file;
    MT_TRY(mt_scan_open(scratch, path, &file));
    MT_TRY(mt_equations_new(arena, path, "gotran", equations));
    reader r = {.scratch = scratch, .e = *equations, .component = "", .time = NONE};
    mt_lexer_start(&r.lexer, &mt_dialect_gotran, path, file.begin, (size_t)(file.end - file.begin), 1);
    for (;;) {
        while (r.lexer.token.kind == MT_TOKEN_LINE_END) mt_lexer_next(&r.lexer);
        if (r.lexer.token.kind == MT_TOKEN_END) break;
        MT_TRY(take_statement(&r));
    }
    MT_TRY(find_states(&r));
    for (size_t k = 0; k < r.n; k++) MT_TRY(parse(&r, &r.definition[k]));
    MT_TRY(share_rates(&r));
    return mt_equations_finish(*equations);
}
