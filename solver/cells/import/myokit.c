#include "solver/cells/import/myokit.h"

#include <stdio.h>
#include <string.h>

#include "data/core/number.h"
#include "data/files/scan.h"
#include "solver/cells/import/expression.h"
#include "solver/cells/import/scoped_names.h"
#include "solver/cells/graph/complete.h"

enum { NAME_LENGTH = 128, NESTED = 32, PARAMETERS = 64, EXPANDED_PER_BYTE = 16, EXPANDED = 4096 };
#define NONE SIZE_MAX

/* Scopes of names: components and variables have one each, others are fixed. */
enum { COMPONENTS, LABELS, UNITS, INITIALS, FUNCTIONS, SCOPES = FUNCTIONS + PARAMETERS + 1 };

/* A variable; its index is that of the variable in the equations, too. */
typedef struct entry {
    mt_token name;
    size_t component, parent; /* `parent`: the entry of which this is a nested variable; NONE */
    bool state;
    mt_token unit, label, binding; /* length 0: none */
    const char *text;              /* description, or NULL */
    mt_lexer definition;           /* at the first token after `=` */
    size_t rate;                   /* variable dot(x), or NONE */
} entry;

/* The name of a variable of another component; in a table of names its index is counted from ALIAS. */
typedef mt_token alias;
#define ALIAS (SIZE_MAX / 2)

/* A template function: the nodes of its value, in which variable k is the k-th parameter. */
typedef struct template
{
    mt_graph_node *node; /* [n] */
    size_t n;
    mt_node value;
}
template;

typedef struct initial {
    mt_token name;
    mt_lexer definition;
    bool used;
} initial;

typedef struct reader {
    mt_lexer lexer;
    mt_arena *scratch;
    mt_equations *e;
    mt_scoped_names names; /* of all scopes */
    mt_scoped_names
        plain; /* number of variables with a name in a component, nested ones included; then their final names */
    mt_token *component; /* names */
    size_t n_components, components_room;
    entry *entry;
    size_t n, room;
    alias *alias;
    size_t n_aliases, aliases_room;
    initial *initial;
    size_t n_initials, initials_room;
    template *function;
    size_t n_functions, functions_room;
    mt_graph *body; /* of the template function that is parsed */
    size_t expanded,
        expanded_most; /* nodes by template functions so far; their limit, in proportion to the file */
    size_t here;       /* component, or entry, whose expression is parsed */
    mt_token parameter[PARAMETERS]; /* of the template function that is parsed */
    size_t n_parameters;
    mt_graph *target; /* of the expression that is parsed */
} reader;

/* Makes room for one more item. */
#define ROOM(r, array, n, room)                                                                              \
    do {                                                                                                     \
        if ((r)->n == (r)->room) {                                                                           \
            void *more_ = mt_arena_alloc((r)->scratch, 2 * (r)->room + 16, sizeof *(r)->array);              \
            if (!more_) return MT_MEMORY;                                                                    \
            if ((r)->n) memcpy(more_, (r)->array, (r)->n * sizeof *(r)->array);                              \
            (r)->array = more_;                                                                              \
            (r)->room = 2 * (r)->room + 16;                                                                  \
        }                                                                                                    \
    } while (0)

static size_t scope_of_component(size_t component) { return SCOPES + 2 * component; }
static size_t scope_of_entry(size_t index) { return SCOPES + 2 * index + 1; }

/* ---- words of the structure */

/* Takes a name. `dots`: how many it contains. */
static mt_status take_name(reader *r, const char *expected, size_t dots, mt_token *name)
{
    mt_lexer *l = &r->lexer;
    *name = l->token;
    size_t found = 0;
    for (size_t k = 0; k < name->length; k++) found += name->text[k] == '.';
    if (name->kind != MT_TOKEN_NAME || found != dots) return mt_lexer_expected(l, expected);
    if (name->length > NAME_LENGTH)
        return mt_lexer_fail(
            l, name, "a name has %zu characters; allowed: at most %d", name->length, NAME_LENGTH);
    mt_lexer_next(l);
    return MT_OK;
}

static mt_status end_line(reader *r, const char *expected)
{
    if (!mt_lexer_line_ends(&r->lexer)) return mt_lexer_expected(&r->lexer, expected);
    mt_lexer_next(&r->lexer);
    return MT_OK;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Returns a copy of text[length] with one blank for each run of blanks. */
static const char *one_line(mt_arena *arena, const char *text, size_t length)
{
    char *copy = mt_arena_alloc(arena, length + 1, 1);
    if (!copy) return NULL;
    size_t n = 0;
    for (size_t k = 0; k < length; k++) {
        if (!is_blank(text[k]))
            copy[n++] = text[k];
        else if (n > 0 && copy[n - 1] != ' ')
            copy[n++] = ' ';
    }
    if (n > 0 && copy[n - 1] == ' ') n--;
    copy[n] = 0;
    return copy;
}

/* Takes plain text after the current token `:`, up to the end of the line, of a line without `\` before its end, or between three quotes.
 * The current token becomes the line end. */
static mt_status take_text(reader *r, mt_token *text)
{
    mt_lexer *l = &r->lexer;
    *text = l->token;
    while (l->at < l->end && (*l->at == ' ' || *l->at == '\t')) l->at++;
    const bool quoted = l->end - l->at >= 3 && memcmp(l->at, "\"\"\"", 3) == 0;
    if (quoted) l->at += 3;
    text->text = l->at;
    const char *to = NULL;
    for (; l->at < l->end; l->at++) {
        if (quoted && l->end - l->at >= 3 && memcmp(l->at, "\"\"\"", 3) == 0) break;
        if (!quoted && *l->at == '\n' && (l->at == text->text || l->at[-1] != '\\')) break;
        if (!quoted && *l->at == '#' && !to) to = l->at;
        if (*l->at != '\n') continue;
        l->line++;
        l->line_from = l->at + 1;
    }
    if (quoted && l->at == l->end)
        return mt_lexer_fail(l, text, "a text in three quotes has no end: expected `\"\"\"`");
    text->length = (size_t)((to ? to : l->at) - text->text);
    if (quoted) l->at += 3;
    mt_lexer_next(l);
    return MT_OK;
}

/* ---- metadata */

/* Finds "10.1234/abc" in a text. */
static bool find_doi(const char *text, size_t length, const char **doi, size_t *n)
{
    for (const char *c = text; c + 8 <= text + length; c++) {
        if (memcmp(c, "10.", 3) != 0 || (c > text && c[-1] >= '0' && c[-1] <= '9')) continue;
        size_t k = 3, more, open = 0;
        while (c + k < text + length && c[k] >= '0' && c[k] <= '9') k++;
        if (k < 7 || c + k == text + length || c[k] != '/') continue;
        for (more = k + 1; c + more < text + length && !strchr(" \t\r\n\",;>]", c[more]); more++) {
            if (c[more] == ')' && open-- == 0) break;
            open += c[more] == '(';
        }
        while (more > k + 1 && c[more - 1] == '.') more--;
        if (more == k + 1) continue;
        *doi = c;
        *n = more;
        return true;
    }
    return false;
}

/* Finds the line with the first year in brackets: "Noble, D. (1962) ...". */
static bool find_reference(const char *text, size_t length, const char **reference, size_t *n)
{
    const char *end = text + length, *line = text;
    for (const char *c = text; c + 6 <= end; c++) {
        if (*c == '\n') line = c + 1;
        const bool century = memcmp(c, "(19", 3) == 0 || memcmp(c, "(20", 3) == 0;
        if (!century || c[3] < '0' || c[3] > '9' || c[4] < '0' || c[4] > '9' || c[5] != ')') continue;
        const char *to = memchr(c, '\n', (size_t)(end - c));
        *reference = line;
        *n = (size_t)((to ? to : end) - line);
        return true;
    }
    return false;
}

static mt_status find_source(mt_equations *e, const mt_token *text)
{
    const char *found = NULL;
    size_t n = 0;
    char *source;
    if (find_doi(text->text, text->length, &found, &n)) {
        MT_ALLOC(e->arena, source, n + sizeof "https://doi.org/");
        (void)snprintf(source, n + sizeof "https://doi.org/", "https://doi.org/%.*s", (int)n, found);
        e->source = source;
    } else if (find_reference(text->text, text->length, &found, &n)) {
        e->source = one_line(e->arena, found, n);
        if (!e->source) return MT_MEMORY;
    }
    return MT_OK;
}

/* True at "key:", also "group:key:". */
static bool at_metadata(const mt_lexer *l)
{
    return l->token.kind == MT_TOKEN_NAME && l->at < l->end && *l->at == ':';
}

/* Takes "key: text"; `key` is the name up to the last colon. */
static mt_status take_metadata(reader *r, mt_token *key, mt_token *text)
{
    mt_lexer *l = &r->lexer;
    *key = l->token;
    mt_lexer_next(l); /* the colon */
    for (;;) {
        const mt_lexer colon = *l;
        mt_lexer_next(l);
        if (l->token.text != colon.at || !at_metadata(l)) {
            *l = colon;
            break;
        }
        key->length = (size_t)(l->at - key->text);
        mt_lexer_next(l);
    }
    MT_TRY(take_text(r, text));
    return end_line(r, "the end of the line after a text");
}

static bool key_is(const mt_token *key, const char *text)
{
    return key->length == strlen(text) && memcmp(key->text, text, key->length) == 0;
}

static mt_status model_metadata(reader *r)
{
    mt_token key, text;
    MT_TRY(take_metadata(r, &key, &text));
    mt_equations *e = r->e;
    const char *line = one_line(e->arena, text.text, text.length);
    if (!line) return MT_MEMORY;
    if (key_is(&key, "name")) e->name = line;
    if (key_is(&key, "display_name")) e->title = line;
    return key_is(&key, "desc") ? find_source(e, &text) : MT_OK;
}

/* ---- expressions */

static mt_status read_unit(reader *r, const mt_token *text, mt_unit *unit)
{
    size_t length = text->length;
    double factor = 1;
    const char *bracket = memchr(text->text, '(', length);
    if (bracket && text->text[length - 1] == ')') { /* a factor: [cm (2.54)] */
        char number[MT_NUMBER_SIZE] = "";
        const size_t n = (size_t)(text->text + length - 1 - (bracket + 1));
        if (n < sizeof number) memcpy(number, bracket + 1, n);
        if (mt_number_read(number, &factor))
            length = (size_t)(bracket - text->text);
        else
            factor = 1;
    }
    while (length > 0 && is_blank(text->text[length - 1])) length--;
    if (mt_unit_read(text->text, length, unit)) {
        *unit = mt_unit_scaled(*unit, factor);
        return MT_OK;
    }
    *unit = mt_unit_unknown;
    char shown[MT_TOKEN_SHOWN];
    mt_equations_warn(r->e, text->line, "unknown unit %s; it is not checked", mt_token_shown(text, shown));
    return MT_OK;
}

/* Finds the index of a unit; each text is read once. */
static mt_status unit_index(void *context, const mt_token *text, uint32_t *index)
{
    reader *r = context;
    const mt_scoped_name *known = mt_scoped_names_find(&r->names, UNITS, text->text, text->length);
    if (known) {
        *index = (uint32_t)known->value;
        return MT_OK;
    }
    mt_unit unit;
    MT_TRY(read_unit(r, text, &unit));
    MT_TRY(mt_equations_unit(r->e, unit, index));
    return mt_scoped_names_add(r->scratch, &r->names, UNITS, text->text, text->length, *index);
}

/* Returns the entry of component.name; NONE if there is none. */
static size_t qualified(const reader *r, const mt_token *name)
{
    const char *dot = memchr(name->text, '.', name->length);
    if (!dot) return NONE;
    const size_t part = (size_t)(dot - name->text);
    const mt_scoped_name *component = mt_scoped_names_find(&r->names, COMPONENTS, name->text, part);
    if (!component) return NONE;
    const mt_scoped_name *found = mt_scoped_names_find(
        &r->names, scope_of_component(component->value), dot + 1, name->length - part - 1);
    return found && found->value < ALIAS ? found->value : NONE;
}

/* Returns the entry of a name in an expression of the entry `here`: among its nested variables, those of its parents, and in its
 * component. */
static size_t in_scope(const reader *r, const mt_token *name)
{
    if (memchr(name->text, '.', name->length)) return qualified(r, name);
    if (r->here == NONE) return NONE;
    const mt_scoped_name *found = NULL;
    for (size_t at = r->here; !found && at != NONE; at = r->entry[at].parent)
        found = mt_scoped_names_find(&r->names, scope_of_entry(at), name->text, name->length);
    const size_t component = scope_of_component(r->entry[r->here].component);
    if (!found) found = mt_scoped_names_find(&r->names, component, name->text, name->length);
    if (!found) return NONE;
    return found->value < ALIAS ? found->value : qualified(r, &r->alias[found->value - ALIAS]);
}

static mt_status name_node(void *context, const mt_token *name, mt_node *node)
{
    reader *r = context;
    const size_t found = in_scope(r, name);
    return found != NONE ? mt_graph_variable(r->e->graph, found, node) : MT_OK;
}

static mt_status parameter_node(void *context, const mt_token *name, mt_node *node)
{
    reader *r = context;
    for (size_t k = 0; k < r->n_parameters; k++)
        if (r->parameter[k].length == name->length &&
            memcmp(r->parameter[k].text, name->text, name->length) == 0)
            return mt_graph_variable(r->target, k, node);
    return MT_OK;
}

/* Copies the value of a template function into a graph, with nodes for its parameters. */
static mt_status expand(
    reader *r, const mt_token *name, const template *f, const mt_node *argument, mt_node *node)
{
    MT_SCRATCH(scratch);
    mt_node *copy;
    MT_ALLOC(scratch, copy, f->n);
    r->expanded += f->n;
    if (r->expanded > r->expanded_most)
        return mt_lexer_fail(&r->lexer, name,
            "template functions expand to more than %zu operations: %d, and %d for each byte of the file",
            r->expanded_most, EXPANDED, EXPANDED_PER_BYTE);
    for (size_t k = 0; k < f->n; k++) {
        const mt_graph_node *one = &f->node[k];
        mt_node operand[3];
        for (size_t o = 0; o < mt_op_operands(one->op); o++) operand[o] = copy[one->operand[o]];
        if (one->op == MT_OP_VARIABLE)
            copy[k] = argument[one->variable];
        else if (one->op == MT_OP_NUMBER)
            MT_TRY(mt_graph_number_in(r->target, one->value, one->unit, &copy[k]));
        else
            MT_TRY(mt_graph_operation(r->target, one->op, operand, &copy[k]));
    }
    *node = copy[f->value];
    return MT_OK;
}

/* Builds dot(x), the derivative of a state. */
static mt_status rate(reader *r, const mt_token *name, mt_node x, mt_node *node)
{
    const mt_graph_node *one = &r->e->graph->node[x];
    const bool variable = one->op == MT_OP_VARIABLE && one->variable < r->n;
    entry *state = variable ? &r->entry[one->variable] : NULL;
    if (!state || !state->state)
        return mt_lexer_fail(
            &r->lexer, name, "the argument of dot is not a state: a variable with an equation dot(x) = ...");
    if (state->rate == NONE) {
        char text[NAME_LENGTH + 8];
        const mt_variable *v = &r->e->variable[one->variable];
        (void)snprintf(text, sizeof text, "dot(%s)", v->name);
        MT_TRY(mt_equations_add(r->e, v->component, text, v->line, &state->rate));
    }
    return mt_graph_variable(r->e->graph, state->rate, node);
}

static mt_status call_node(
    void *context, const mt_token *name, const mt_node *argument, size_t n, mt_node *node)
{
    reader *r = context;
    if (mt_token_is(name, "dot") && n == 1 && r->target == r->e->graph)
        return rate(r, name, argument[0], node);
    if (n > PARAMETERS) return MT_OK;
    const mt_scoped_name *f = mt_scoped_names_find(&r->names, FUNCTIONS + n, name->text, name->length);
    return f ? expand(r, name, &r->function[f->value], argument, node) : MT_OK;
}

/* True at a word that cannot belong to an expression. */
static bool ends_expression(const mt_lexer *l)
{
    return mt_lexer_is(l, "in") || mt_lexer_is(l, "bind") || mt_lexer_is(l, "label") || mt_lexer_is(l, ":");
}

/* Parses the expression at `from`, which ends with its line or before `in`, `bind`, `label` or `:`. */
static mt_status parse(reader *r, const mt_lexer *from, bool in_function, mt_node *node)
{
    const mt_expression_scope scope = {
        r->target, r, in_function ? parameter_node : name_node, call_node, unit_index};
    mt_lexer l = *from;
    MT_TRY(mt_expression_parse(&l, &scope, node));
    if (mt_lexer_line_ends(&l) || ends_expression(&l)) return MT_OK;
    return mt_lexer_expected(&l, "an operator or the end of the line");
}

/* Takes "= expression" and stores its place; names in it can be defined later. */
static mt_status take_definition(reader *r, const char *after, mt_lexer *definition)
{
    mt_lexer *l = &r->lexer;
    MT_TRY(mt_lexer_need(l, "=", after));
    *definition = *l;
    mt_token opening = l->token;
    while (!mt_lexer_line_ends(l) && !(l->depth == 0 && ends_expression(l))) {
        if (l->token.kind == MT_TOKEN_DAMAGED) return mt_lexer_expected(l, "an expression");
        if (l->depth == 1 && mt_lexer_is(l, "(")) opening = l->token;
        mt_lexer_next(l);
    }
    if (l->depth > 0)
        return mt_lexer_fail(l, &opening, "`(` is not closed: found the end of the file, expected `)`");
    return MT_OK;
}

/* ---- the header */

/* Sets `target` to an empty graph. A graph that has grown is not cleared but replaced, since clearing takes as long as its size. */
static mt_status begin_body(reader *r)
{
    if (!r->body || 2 * r->body->n > r->body->room)
        MT_TRY(mt_graph_new(r->scratch, &r->body));
    else
        memset(r->body->slot, 0xff, r->body->n_slots * sizeof *r->body->slot);
    r->body->n = 0;
    r->target = r->body;
    return MT_OK;
}

/* Takes "name(a, b) = expression" and stores the nodes of its value. Functions after it cannot be used in it. */
static mt_status take_function(reader *r)
{
    mt_token name;
    MT_TRY(take_name(r, "the name of a function", 0, &name));
    MT_TRY(mt_lexer_need(&r->lexer, "(", "the name of a function"));
    r->n_parameters = 0;
    while (!mt_lexer_is(&r->lexer, ")")) {
        if (r->n_parameters == PARAMETERS)
            return mt_lexer_fail(&r->lexer, &name, "a function has more than %d parameters", PARAMETERS);
        MT_TRY(take_name(r, "the name of a parameter or `)`", 0, &r->parameter[r->n_parameters++]));
        if (!mt_lexer_take(&r->lexer, ",")) break;
    }
    MT_TRY(mt_lexer_need(&r->lexer, ")", "the parameters of a function"));
    mt_lexer definition;
    MT_TRY(take_definition(r, "the parameters of a function", &definition));
    ROOM(r, function, n_functions, functions_room);
    template *f = &r->function[r->n_functions];
    MT_TRY(begin_body(r));
    MT_TRY(parse(r, &definition, true, &f->value));
    f->n = r->body->n;
    MT_COPY(r->scratch, f->node, r->body->node, f->n);
    MT_TRY(end_line(r, "the end of the line after a function"));
    const size_t scope = FUNCTIONS + r->n_parameters;
    if (mt_scoped_names_find(&r->names, scope, name.text, name.length) ||
        mt_dialect_function(&mt_dialect_myokit, name.text, name.length))
        return mt_lexer_fail(&r->lexer, &name, "there is already a function %.*s with %zu parameters",
            (int)name.length, name.text, r->n_parameters);
    return mt_scoped_names_add(r->scratch, &r->names, scope, name.text, name.length, r->n_functions++);
}

/* Takes "component.name = expression". */
static mt_status take_initial(reader *r)
{
    ROOM(r, initial, n_initials, initials_room);
    initial *i = &r->initial[r->n_initials];
    MT_TRY(take_name(r, "component.name = value, name: text, or [component]", 1, &i->name));
    if (mt_scoped_names_find(&r->names, INITIALS, i->name.text, i->name.length))
        return mt_lexer_fail(
            &r->lexer, &i->name, "%.*s has already an initial value", (int)i->name.length, i->name.text);
    MT_TRY(take_definition(r, "the name of a state", &i->definition));
    MT_TRY(end_line(r, "an operator or the end of the line"));
    return mt_scoped_names_add(
        r->scratch, &r->names, INITIALS, i->name.text, i->name.length, r->n_initials++);
}

/* True at "[[name]]". */
static bool at_section(const mt_lexer *l, const char *name)
{
    const size_t n = strlen(name);
    return mt_lexer_is(l, "[") && (size_t)(l->end - l->at) >= n && memcmp(l->at, name, n) == 0;
}

static mt_status take_header(reader *r)
{
    mt_lexer *l = &r->lexer;
    if (!at_section(l, "[model]]")) return mt_lexer_expected(l, "[[model]]");
    mt_lexer_skip_line(l);
    while (l->token.kind == MT_TOKEN_NAME) {
        const mt_lexer name = *l;
        mt_lexer_next(l);
        const bool function = mt_lexer_is(l, "(");
        *l = name;
        MT_TRY(at_metadata(l) ? model_metadata(r) : function ? take_function(r) : take_initial(r));
    }
    if (!mt_lexer_is(l, "[") && l->token.kind != MT_TOKEN_END)
        return mt_lexer_expected(l, "component.name = value, name: text, or [component]");
    return MT_OK;
}

/* ---- components */

static mt_status add_component(reader *r)
{
    mt_lexer *l = &r->lexer;
    mt_token name;
    MT_TRY(mt_lexer_need(l, "[", "the previous component"));
    MT_TRY(take_name(r, "the name of a component", 0, &name));
    MT_TRY(mt_lexer_need(l, "]", "the name of a component"));
    MT_TRY(end_line(r, "the end of the line after the name of a component"));
    if (mt_scoped_names_find(&r->names, COMPONENTS, name.text, name.length))
        return mt_lexer_fail(l, &name, "there is already a component %.*s", (int)name.length, name.text);
    MT_TRY(mt_scoped_names_add(r->scratch, &r->names, COMPONENTS, name.text, name.length, r->n_components));
    ROOM(r, component, n_components, components_room);
    r->component[r->n_components++] = name;
    return MT_OK;
}

static mt_status add_name(reader *r, size_t scope, const mt_token *name, size_t value)
{
    if (mt_scoped_names_find(&r->names, scope, name->text, name->length))
        return mt_lexer_fail(
            &r->lexer, name, "there is already a variable or alias %.*s", (int)name->length, name->text);
    return mt_scoped_names_add(r->scratch, &r->names, scope, name->text, name->length, value);
}

/* Takes "use component.name as alias, ...". */
static mt_status take_aliases(reader *r)
{
    do {
        mt_lexer_next(&r->lexer); /* use, or a comma */
        mt_token of, name;
        MT_TRY(take_name(r, "component.name after `use`", 1, &of));
        name = of;
        const size_t part = (size_t)((const char *)memchr(of.text, '.', of.length) - of.text) + 1;
        name.text += part;
        name.length -= part;
        if (mt_lexer_take(&r->lexer, "as")) MT_TRY(take_name(r, "a name after `as`", 0, &name));
        ROOM(r, alias, n_aliases, aliases_room);
        r->alias[r->n_aliases] = of;
        MT_TRY(add_name(r, scope_of_component(r->n_components - 1), &name, ALIAS + r->n_aliases++));
    } while (mt_lexer_is(&r->lexer, ","));
    return end_line(r, "`,`, `as` or the end of the line");
}

/* Takes "bind name" or "label name"; no two variables have the same. */
static mt_status take_word(reader *r, size_t index, mt_token *word)
{
    mt_lexer *l = &r->lexer;
    const mt_token kind = l->token;
    mt_lexer_next(l);
    if (word->length > 0)
        return mt_lexer_fail(l, &kind, "%.*s has already a %.*s", (int)r->entry[index].name.length,
            r->entry[index].name.text, (int)kind.length, kind.text);
    MT_TRY(take_name(r, "a name after `bind` or `label`", 0, word));
    if (mt_scoped_names_find(&r->names, LABELS, word->text, word->length))
        return mt_lexer_fail(
            l, word, "another variable has already the label or binding %.*s", (int)word->length, word->text);
    return mt_scoped_names_add(r->scratch, &r->names, LABELS, word->text, word->length, index);
}

/* Takes "in [unit]", "bind name" or "label name" of an entry. */
static mt_status take_property(reader *r, size_t index)
{
    mt_lexer *l = &r->lexer;
    entry *v = &r->entry[index];
    if (mt_lexer_is(l, "bind")) return take_word(r, index, &v->binding);
    if (mt_lexer_is(l, "label")) return take_word(r, index, &v->label);
    const mt_token in = l->token;
    mt_lexer_next(l);
    if (v->unit.length > 0)
        return mt_lexer_fail(l, &in, "%.*s has already a unit", (int)v->name.length, v->name.text);
    return mt_expression_unit(l, &v->unit);
}

/* Takes "name = expression" or "dot(name) = expression", and the properties in the same line. */
static mt_status take_variable(reader *r, size_t parent)
{
    mt_lexer *l = &r->lexer;
    if (r->n == MT_EQUATIONS_VARIABLES_MAX)
        return mt_lexer_fail(l, &l->token, "more than %d variables", MT_EQUATIONS_VARIABLES_MAX);
    ROOM(r, entry, n, room);
    entry *v = &r->entry[r->n];
    *v = (entry){.component = r->n_components - 1, .parent = parent, .rate = NONE};
    MT_TRY(take_name(r, "a variable, name = expression, or [component]", 0, &v->name));
    if (mt_lexer_is(l, "(")) {
        if (!mt_token_is(&v->name, "dot") || parent != NONE)
            return mt_lexer_fail(l, &v->name, "found a call before `=`, expected %s",
                parent != NONE ? "a name: nested variables are not states" : "name or dot(name)");
        mt_lexer_next(l);
        MT_TRY(take_name(r, "the name of a state", 0, &v->name));
        MT_TRY(mt_lexer_need(l, ")", "the name of a state"));
        v->state = true;
    }
    const size_t scope = parent == NONE ? scope_of_component(v->component) : scope_of_entry(parent);
    MT_TRY(add_name(r, scope, &v->name, r->n));
    MT_TRY(take_definition(r, "the name of a variable", &v->definition));
    const size_t index = r->n++;
    while (!mt_lexer_line_ends(l) && !mt_lexer_is(l, ":")) {
        if (!ends_expression(l))
            return mt_lexer_expected(l, "`in`, `bind`, `label`, `:` or the end of the line");
        MT_TRY(take_property(r, index));
    }
    if (mt_lexer_is(l, ":")) {
        mt_token text;
        MT_TRY(take_text(r, &text));
        v->text = one_line(r->e->arena, text.text, text.length);
        if (!v->text) return MT_MEMORY;
    }
    return end_line(r, "`in`, `bind`, `label`, `:` or the end of the line");
}

/* Takes a line of a component, or of the block of a variable. */
static mt_status take_line(reader *r, size_t parent)
{
    mt_lexer *l = &r->lexer;
    mt_token key, text;
    if (at_metadata(l)) {
        MT_TRY(take_metadata(r, &key, &text));
        if (parent == NONE || !key_is(&key, "desc")) return MT_OK;
        r->entry[parent].text = one_line(r->e->arena, text.text, text.length);
        return r->entry[parent].text ? MT_OK : MT_MEMORY;
    }
    if (parent == NONE && mt_lexer_is(l, "use")) return take_aliases(r);
    if (parent == NONE || !ends_expression(l)) return take_variable(r, parent);
    MT_TRY(take_property(r, parent));
    return end_line(r, "the end of the line");
}

/* Takes the lines of a component. A line with more indentation than the one before begins the block of its variable. */
static mt_status take_component(reader *r)
{
    mt_lexer *l = &r->lexer;
    size_t indentation[NESTED] = {l->token.indentation}, parent[NESTED] = {NONE}, depth = 1;
    MT_TRY(add_component(r));
    size_t last = NONE; /* the variable of the line before */
    while (!mt_lexer_is(l, "[") && l->token.kind != MT_TOKEN_END) {
        const size_t here = l->token.indentation;
        if (here > indentation[depth - 1]) {
            if (last == NONE)
                return mt_lexer_fail(l, &l->token, "an indented line does not follow a variable");
            if (depth == NESTED)
                return mt_lexer_fail(l, &l->token, "variables are nested more than %d deep", NESTED);
            indentation[depth] = here;
            parent[depth++] = last;
        }
        while (depth > 1 && here < indentation[depth - 1]) depth--;
        if (here != indentation[depth - 1])
            return mt_lexer_fail(
                l, &l->token, "the indentation of %zu columns is not that of a line before", here);
        const size_t before = r->n;
        MT_TRY(take_line(r, parent[depth - 1]));
        last = r->n > before ? before : NONE;
    }
    return MT_OK;
}

/* ---- the equations */

/* Chooses the name of a variable in the equations: its own, or parent_name if that is not unique in the component. */
static mt_status add_variable(reader *r, size_t index)
{
    enum { TEXT = 2 * NAME_LENGTH + 32 };
    const entry *v = &r->entry[index];
    const mt_token *component = &r->component[v->component];
    char of[NAME_LENGTH + 1], name[TEXT];
    (void)snprintf(of, sizeof of, "%.*s", (int)component->length, component->text);
    (void)snprintf(name, sizeof name, "%.*s", (int)v->name.length, v->name.text);
    const mt_scoped_name *plain = mt_scoped_names_find(&r->plain, v->component, v->name.text, v->name.length);
    if (v->parent != NONE && plain->value > 1) {
        const mt_token *parent = &r->entry[v->parent].name;
        int n = snprintf(name, sizeof name, "%.*s_%.*s", (int)parent->length, parent->text,
            (int)v->name.length, v->name.text);
        if (mt_scoped_names_find(&r->plain, v->component, name, (size_t)n)) /* lines are unique */
            n += snprintf(name + n, sizeof name - (size_t)n, "_%zu", v->name.line);
        const char *kept = mt_arena_text(r->scratch, name);
        if (!kept) return MT_MEMORY;
        if (mt_scoped_names_find(&r->plain, v->component, name, (size_t)n))
            return mt_lexer_fail(&r->lexer, &v->name, "the names %s of two variables are the same", name);
        MT_TRY(mt_scoped_names_add(r->scratch, &r->plain, v->component, kept, (size_t)n, 1));
    }
    size_t added;
    return mt_equations_add(r->e, of, name, v->name.line, &added);
}

static mt_status add_variables(reader *r)
{
    for (size_t k = 0; k < r->n; k++) {
        const entry *v = &r->entry[k];
        mt_scoped_name *plain = mt_scoped_names_find(&r->plain, v->component, v->name.text, v->name.length);
        if (plain)
            plain->value++;
        else
            MT_TRY(mt_scoped_names_add(r->scratch, &r->plain, v->component, v->name.text, v->name.length, 1));
    }
    for (size_t k = 0; k < r->n; k++) MT_TRY(add_variable(r, k));
    for (size_t k = 0; k < r->n_aliases; k++)
        if (qualified(r, &r->alias[k]) == NONE)
            return mt_lexer_fail(&r->lexer, &r->alias[k], "unknown variable %.*s after `use`",
                (int)r->alias[k].length, r->alias[k].text);
    return MT_OK;
}

static mt_status copy_token(mt_arena *arena, const mt_token *token, const char **text)
{
    char *copy;
    MT_ALLOC(arena, copy, token->length + 1);
    memcpy(copy, token->text, token->length);
    *text = copy;
    return MT_OK;
}

/* Sets what a binding means: time, an input, or nothing if no simulation provides it. */
static mt_status bind(reader *r, size_t index)
{
    static const char *const inputs[] = {"pace", "diffusion_current", "realtime", "evaluations"};
    const entry *v = &r->entry[index];
    mt_variable *variable = &r->e->variable[index];
    if (v->binding.length == 0) return MT_OK;
    if (v->state)
        return mt_lexer_fail(&r->lexer, &v->binding, "%.*s is a state, which cannot be bound",
            (int)v->name.length, v->name.text);
    if (mt_token_is(&v->binding, "time")) variable->kind = MT_VARIABLE_TIME;
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++)
        if (mt_token_is(&v->binding, inputs[k])) variable->kind = MT_VARIABLE_INPUT;
    if (variable->kind == MT_VARIABLE_INTERMEDIATE)
        mt_equations_warn(r->e, v->binding.line,
            "%s is bound to %.*s, which is not provided; its value in the file is used", variable->name,
            (int)v->binding.length, v->binding.text);
    else
        variable->expression = MT_NO_NODE;
    return MT_OK;
}

static mt_status define_variable(reader *r, size_t index)
{
    const entry *v = &r->entry[index];
    mt_node expression;
    r->here = index;
    MT_TRY(parse(r, &v->definition, false, &expression));
    mt_variable *variable = &r->e->variable[index]; /* dot(x) can have moved it */
    variable->expression = expression;
    variable->text = v->text;
    if (v->state) variable->kind = MT_VARIABLE_STATE;
    if (v->unit.length > 0) {
        uint32_t unit;
        MT_TRY(copy_token(r->e->arena, &v->unit, &variable->unit_text));
        MT_TRY(unit_index(r, &v->unit, &unit));
        variable->unit = r->e->unit[unit];
    }
    if (v->label.length > 0) MT_TRY(copy_token(r->e->arena, &v->label, &variable->label));
    return bind(r, index);
}

static mt_status define(reader *r)
{
    r->target = r->e->graph;
    for (size_t k = 0; k < r->n; k++) MT_TRY(define_variable(r, k));
    r->here = NONE;
    for (size_t k = 0; k < r->n_initials; k++) {
        const initial *i = &r->initial[k];
        const size_t index = qualified(r, &i->name);
        if (index == NONE || !r->entry[index].state)
            return mt_lexer_fail(&r->lexer, &i->name,
                "%.*s has an initial value but no equation dot(name) = ...", (int)i->name.length,
                i->name.text);
        mt_node value;
        MT_TRY(parse(r, &i->definition, false, &value));
        r->e->variable[index].initial = value;
    }
    for (size_t k = 0; k < r->n; k++)
        if (r->entry[k].rate != NONE)
            r->e->variable[r->entry[k].rate].expression = r->e->variable[k].expression;
    return MT_OK;
}

mt_status mt_myokit_read(mt_arena *arena, const char *path, mt_equations **equations)
{
    MT_SCRATCH(scratch);
    mt_scan scan;
    reader r = {.scratch = scratch, .here = NONE};
    MT_TRY(mt_scan_open(scratch, path, &scan));
    MT_TRY(mt_equations_new(arena, path, "Myokit", equations));
    r.e = *equations;
    r.expanded_most = EXPANDED + EXPANDED_PER_BYTE * (size_t)(scan.end - scan.begin);
    mt_lexer_start(&r.lexer, &mt_dialect_myokit, r.e->path, scan.begin, (size_t)(scan.end - scan.begin), 1);
    MT_TRY(take_header(&r));
    while (mt_lexer_is(&r.lexer, "[") && !at_section(&r.lexer, "[")) MT_TRY(take_component(&r));
    if (r.lexer.token.kind != MT_TOKEN_END && !at_section(&r.lexer, "[protocol]]") &&
        !at_section(&r.lexer, "[script]]"))
        return mt_lexer_expected(&r.lexer, "[component], [[protocol]] or [[script]]");
    if (!*r.e->title) r.e->title = r.e->name;
    MT_TRY(add_variables(&r));
    MT_TRY(define(&r));
    return mt_equations_finish(*equations);
}
