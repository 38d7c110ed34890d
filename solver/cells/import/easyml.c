#include "solver/cells/import/easyml.h"

#include <stdlib.h>
#include <string.h>

#include "data/files/scan.h"
#include "solver/cells/import/expression.h"
#include "solver/cells/import/initial.h"
#include "solver/cells/import/scoped_names.h"
#include "solver/cells/graph/complete.h"

enum { NAME_LENGTH = 128, NESTED = 32, MARKUPS = 64, SCOPE = 0 };
#define NONE SIZE_MAX

/* Names of a variable X that belong to it: indices of symbols, NONE without. */
typedef enum part { RATE, INITIAL, ALPHA, BETA, TAU, INF, PARTS } part;

typedef struct symbol {
    mt_token name;
    mt_token assigned;       /* at its first assignment; length 0: none */
    mt_token unit, external; /* by markup; length 0: none */
    bool used;               /* in an expression */
    bool gate;               /* a state by alpha and beta, or tau and inf */
    size_t flag;             /* its number by .flag, or NONE */
    size_t part[PARTS];
    size_t of;       /* the symbol of which this is the derivative or the initial value, or NONE */
    size_t variable; /* in the equations, or NONE */
    mt_node value;   /* so far; MT_NO_NODE before the first assignment */
    size_t changed;  /* 1 + index of its newest change; 0: none */
} symbol;

/* An assignment to a symbol for the first time in a branch, and what it replaced. */
typedef struct change {
    size_t symbol, changed;
    mt_node value;
} change;

/* The value of a symbol at the end of a branch of an `if`. */
typedef struct outcome {
    size_t symbol, branch;
    mt_node value;
} outcome;

/* The text is read twice by the same functions: first for names and markup, then (`building`) for expressions. */
typedef struct reader {
    mt_lexer lexer;
    mt_arena *scratch;
    mt_equations *e;
    mt_scoped_names names; /* value: index of a symbol */
    symbol *symbol;
    size_t n, room;
    size_t *mention; /* symbols in the order of statements, for markup */
    size_t n_mentions, mentions_room;
    change *change;                              /* those of open branches */
    size_t n_changes, changes_room, branch_from; /* first one of the innermost branch */
    outcome *outcome;
    size_t n_outcomes, outcomes_room;
    mt_node *condition; /* of the branches of open `if`s */
    size_t n_conditions, conditions_room;
    size_t n_flags, nested;
    bool building;
} reader;

/* Makes room for one more item of an array. */
#define ROOM(r, array, n, room)                                                                              \
    do {                                                                                                     \
        if ((r)->n == (r)->room) {                                                                           \
            void *const more_ = mt_arena_alloc((r)->scratch, 2 * (r)->room + 16, sizeof *(r)->array);        \
            if (!more_) return MT_MEMORY;                                                                    \
            if ((r)->n) memcpy(more_, (r)->array, (r)->n * sizeof *(r)->array);                              \
            (r)->array = more_;                                                                              \
            (r)->room = 2 * (r)->room + 16;                                                                  \
        }                                                                                                    \
    } while (0)

/* ---- symbols ---- */

static size_t find_symbol(const reader *r, const char *text, size_t length)
{
    const mt_scoped_name *found = mt_scoped_names_find(&r->names, SCOPE, text, length);
    return found ? found->value : NONE;
}

/* Finds or adds a symbol. */
static mt_status need_symbol(reader *r, const mt_token *name, size_t *index)
{
    *index = find_symbol(r, name->text, name->length);
    if (*index != NONE) return MT_OK;
    if (name->length > NAME_LENGTH)
        return mt_lexer_fail(
            &r->lexer, name, "a name has %zu characters; allowed: at most %d", name->length, NAME_LENGTH);
    ROOM(r, symbol, n, room);
    symbol *s = &r->symbol[r->n];
    *s = (symbol){.name = *name, .flag = NONE, .of = NONE, .variable = NONE, .value = MT_NO_NODE};
    for (size_t k = 0; k < PARTS; k++) s->part[k] = NONE;
    *index = r->n++;
    return mt_scoped_names_add(r->scratch, &r->names, SCOPE, name->text, name->length, *index);
}

static mt_status mention(reader *r, size_t index)
{
    if (r->building) return MT_OK;
    ROOM(r, mention, n_mentions, mentions_room);
    r->mention[r->n_mentions++] = index;
    return MT_OK;
}

/* ---- markup ---- */

/* Takes "(text)"; `text` is between the brackets. */
static mt_status take_arguments(reader *r, mt_token *text)
{
    mt_lexer *l = &r->lexer;
    const size_t depth = l->depth;
    MT_TRY(mt_lexer_need(l, "(", "the name of a markup"));
    *text = l->token;
    while (l->token.kind != MT_TOKEN_END && !(mt_lexer_is(l, ")") && l->depth < depth)) mt_lexer_next(l);
    text->length = (size_t)(l->token.text - text->text);
    while (text->length > 0 && (text->text[text->length - 1] == ' ' || text->text[text->length - 1] == '\n'))
        text->length--;
    return mt_lexer_need(l, ")", "the arguments of a markup");
}

/* Defines the names of .flag(A, B, ...) as numbers, those of all flags of a file being different. `from`: after the bracket. */
static mt_status take_flags(reader *r, mt_lexer from)
{
    while (from.token.kind == MT_TOKEN_NAME) {
        size_t index;
        MT_TRY(need_symbol(r, &from.token, &index));
        if (r->symbol[index].flag == NONE) r->symbol[index].flag = r->n_flags++;
        mt_lexer_next(&from);
        if (!mt_lexer_take(&from, ",")) break;
    }
    return mt_lexer_is(&from, ")") ? MT_OK : mt_lexer_expected(&from, "a name or `)`");
}

static bool is_any(const mt_token *word, const char *const *words)
{
    for (; *words; words++)
        if (mt_token_is(word, *words)) return true;
    return false;
}

/* Takes a markup; it applies to the mentioned symbols from `from`. */
static mt_status take_markup(reader *r, size_t from)
{
    static const char *const ignored[] = {"nodal", "regional", "param", "trace", "lookup", "method", NULL};
    static const char *const bounds[] = {"lb", "ub", NULL};
    mt_lexer *l = &r->lexer;
    mt_token text;
    mt_lexer_next(l);
    const mt_token word = l->token;
    mt_lexer inside = *l;
    const bool unit = mt_token_is(&word, "units"), external = mt_token_is(&word, "external");
    const bool flag = mt_token_is(&word, "flag"), bound = is_any(&word, bounds);
    if (!unit && !external && !flag && !bound && !is_any(&word, ignored))
        return mt_lexer_expected(
            l, "external, units, flag, param, nodal, regional, trace, lookup, method, lb or ub after `.`");
    mt_lexer_next(l);
    mt_lexer_next(&inside), mt_lexer_next(&inside);
    MT_TRY(take_arguments(r, &text));
    if (r->building) return MT_OK;
    if (flag) MT_TRY(take_flags(r, inside));
    if (bound) mt_equations_warn(r->e, word.line, ".%.2s is ignored: variables are not bounded", word.text);
    for (size_t k = from; k < r->n_mentions && (unit || external); k++) {
        symbol *s = &r->symbol[r->mention[k]];
        if (unit) s->unit = text;
        if (external) s->external = text.length > 0 ? text : s->name;
    }
    return MT_OK;
}

/* ---- expressions and assignments ---- */

/* Moves over an expression up to `;`, or to the bracket after a condition. Marks the names in it as used. */
static mt_status skip_expression(reader *r, bool condition)
{
    mt_lexer *l = &r->lexer;
    const size_t depth = l->depth - mt_lexer_is(l, "(");
    while (l->token.kind != MT_TOKEN_END && !mt_lexer_is(l, ";") && !mt_lexer_is(l, "{")) {
        if (condition && mt_lexer_is(l, ")") && l->depth < depth) break;
        const mt_token word = l->token;
        mt_lexer_next(l);
        if (word.kind != MT_TOKEN_NAME || mt_lexer_is(l, "(")) continue;
        size_t index;
        MT_TRY(need_symbol(r, &word, &index));
        r->symbol[index].used = true;
    }
    return MT_OK;
}

static mt_status find_name(void *context, const mt_token *name, mt_node *node)
{
    reader *r = context;
    char shown[MT_TOKEN_SHOWN];
    const size_t index = find_symbol(r, name->text, name->length);
    const symbol *s = index == NONE ? NULL : &r->symbol[index];
    if (s && s->variable != NONE) return mt_graph_variable(r->e->graph, s->variable, node);
    if (s && s->flag != NONE) return mt_graph_number(r->e->graph, (double)s->flag, node);
    if (mt_token_is(name, "dt"))
        return mt_lexer_fail(&r->lexer, name, "the time step `dt` is not supported in equations");
    if (s && s->external.length > 0)
        return mt_lexer_fail(&r->lexer, name,
            "the external variable %s has neither an equation nor an initial value (_init); plug-ins are not "
            "supported",
            mt_token_shown(name, shown));
    return MT_OK;
}

/* Takes an expression; `node` is set when building. */
static mt_status take_expression(reader *r, bool condition, mt_node *node)
{
    const mt_expression_scope scope = {.graph = r->e->graph, .context = r, .name = find_name};
    *node = MT_NO_NODE;
    return r->building ? mt_expression_parse(&r->lexer, &scope, node) : skip_expression(r, condition);
}

/* Changes the value of a symbol in this branch. */
static mt_status set_value(reader *r, size_t index, mt_node value)
{
    symbol *s = &r->symbol[index];
    if (s->changed <= r->branch_from) {
        ROOM(r, change, n_changes, changes_room);
        r->change[r->n_changes++] = (change){index, s->changed, s->value};
        s->changed = r->n_changes;
    }
    s->value = value;
    return MT_OK;
}

/* Takes `=`, or one of += -= *= /=, whose operation becomes `op`. */
static mt_status take_equals(reader *r, mt_op *op)
{
    static const struct {
        const char *text;
        mt_op op;
    } update[] = {{"+", MT_OP_ADD}, {"-", MT_OP_SUBTRACT}, {"*", MT_OP_MULTIPLY}, {"/", MT_OP_DIVIDE}};
    mt_lexer *l = &r->lexer;
    *op = MT_OPS;
    for (size_t k = 0; k < sizeof update / sizeof *update; k++)
        if (mt_lexer_is(l, update[k].text) && l->at[0] == '=') {
            *op = update[k].op;
            mt_lexer_next(l);
        }
    return mt_lexer_take(l, "=") ? MT_OK
                                 : mt_lexer_expected(l, "`=`, `+=` or `;` after the name of a variable");
}

/* Takes an assignment after the name of its variable. */
static mt_status take_assignment(reader *r, const mt_token *name, size_t index)
{
    mt_op op;
    mt_node value;
    char shown[MT_TOKEN_SHOWN];
    MT_TRY(take_equals(r, &op));
    MT_TRY(take_expression(r, false, &value));
    symbol *s = &r->symbol[index];
    if (s->assigned.length == 0) s->assigned = *name;
    if (!r->building) return MT_OK;
    if (op != MT_OPS && s->value == MT_NO_NODE)
        return mt_lexer_fail(
            &r->lexer, name, "%s has no value that could be changed here", mt_token_shown(name, shown));
    if (op == MT_OPS && s->changed > r->branch_from)
        return mt_lexer_fail(&r->lexer, name, "%s is assigned again; its first assignment is in line %zu",
            mt_token_shown(name, shown), s->assigned.line);
    if (op != MT_OPS) MT_TRY(mt_graph_binary(r->e->graph, op, s->value, value, &value));
    return set_value(r, index, value);
}

/* ---- statements ---- */

static mt_status take_block(reader *r);

/* Stores the values at the end of a branch, and restores those before it. */
static mt_status end_branch(reader *r, size_t branch, size_t from)
{
    for (; r->n_changes > from; r->n_changes--) {
        const change *c = &r->change[r->n_changes - 1];
        ROOM(r, outcome, n_outcomes, outcomes_room);
        r->outcome[r->n_outcomes++] = (outcome){c->symbol, branch, r->symbol[c->symbol].value};
        r->symbol[c->symbol].value = c->value;
        r->symbol[c->symbol].changed = c->changed;
    }
    return MT_OK;
}

static int by_symbol(const void *a, const void *b)
{
    const outcome *x = a, *y = b;
    if (x->symbol != y->symbol) return x->symbol < y->symbol ? -1 : 1;
    return x->branch < y->branch ? -1 : x->branch > y->branch;
}

/* Selects the value of a symbol from its outcomes o[n] in branches with these conditions[n_conditions], and an `else` without one. */
static mt_status select_value(reader *r, const outcome *o, size_t n, const mt_node *condition,
    size_t n_conditions, const mt_token *word)
{
    const symbol *s = &r->symbol[o->symbol];
    char shown[MT_TOKEN_SHOWN];
    mt_node value = s->value;
    if (o[n - 1].branch == n_conditions) value = o[--n].value;
    for (size_t k = n_conditions; k-- > 0 && value != MT_NO_NODE;) {
        const mt_node here = n > 0 && o[n - 1].branch == k ? o[--n].value : s->value;
        if (here == MT_NO_NODE) value = here;
        if (here != value) MT_TRY(mt_graph_select(r->e->graph, condition[k], here, value, &value));
    }
    if (value != MT_NO_NODE) return set_value(r, o->symbol, value);
    return mt_lexer_fail(&r->lexer, word,
        "%s is not assigned in all branches of this `if` (with `else`), and has no value before it",
        mt_token_shown(&s->name, shown));
}

/* Selects the values of all symbols that the branches of an `if` assign. `word`: the if. */
static mt_status join_branches(reader *r, size_t outcomes, size_t conditions, const mt_token *word)
{
    if (!r->building) return MT_OK;
    const size_t all = r->n_outcomes - outcomes;
    outcome *const o = all > 0 ? r->outcome + outcomes : NULL;
    if (all > 1) qsort(o, all, sizeof *o, by_symbol);
    for (size_t k = 0, n; k < all; k += n) {
        for (n = 1; k + n < all && o[k + n].symbol == o[k].symbol;) n++;
        MT_TRY(select_value(r, o + k, n, r->condition + conditions, r->n_conditions - conditions, word));
    }
    r->n_outcomes = outcomes;
    r->n_conditions = conditions;
    return MT_OK;
}

/* Takes a condition in brackets. */
static mt_status take_condition(reader *r)
{
    mt_node condition;
    MT_TRY(mt_lexer_need(&r->lexer, "(", "if or elif"));
    MT_TRY(take_expression(r, true, &condition));
    ROOM(r, condition, n_conditions, conditions_room);
    r->condition[r->n_conditions++] = condition;
    return mt_lexer_need(&r->lexer, ")", "a condition");
}

/* Takes "{ ... }" as a branch. */
static mt_status take_branch(reader *r, size_t branch)
{
    const size_t outer = r->branch_from;
    r->branch_from = r->n_changes;
    MT_TRY(take_block(r));
    MT_TRY(end_branch(r, branch, r->branch_from));
    r->branch_from = outer;
    return MT_OK;
}

/* Takes an `if` with its branches after the word. */
static mt_status take_if(reader *r, const mt_token *word)
{
    const size_t outcomes = r->n_outcomes, conditions = r->n_conditions;
    size_t branch = 0;
    do {
        MT_TRY(take_condition(r));
        MT_TRY(take_branch(r, branch++));
    } while (mt_lexer_take(&r->lexer, "elif"));
    if (mt_lexer_take(&r->lexer, "else")) MT_TRY(take_branch(r, branch));
    MT_TRY(join_branches(r, outcomes, conditions, word));
    if (!r->building) r->n_conditions = conditions;
    return MT_OK;
}

/* Takes a statement that begins with a name: an `if`, a group, a declaration, an assignment. */
static mt_status take_statement(reader *r)
{
    mt_lexer *l = &r->lexer;
    const mt_token word = l->token;
    size_t index;
    if (word.kind != MT_TOKEN_NAME) return mt_lexer_expected(l, "a statement");
    mt_lexer_next(l);
    if (mt_token_is(&word, "if")) return take_if(r, &word);
    if (mt_token_is(&word, "group")) return take_block(r);
    MT_TRY(need_symbol(r, &word, &index));
    MT_TRY(mention(r, index));
    if (!mt_lexer_is(l, ";")) MT_TRY(take_assignment(r, &word, index));
    return mt_lexer_need(l, ";", "a statement");
}

/* Takes statements up to `}` or the end of the text. */
static mt_status take_statements(reader *r)
{
    mt_lexer *l = &r->lexer;
    size_t from = NONE, markups = 0;
    while (l->token.kind != MT_TOKEN_END && !mt_lexer_is(l, "}")) {
        if (mt_lexer_take(l, ";")) continue;
        if (!mt_lexer_is(l, ".")) {
            from = r->n_mentions;
            markups = 0;
            MT_TRY(take_statement(r));
        } else if (from == NONE) {
            return mt_lexer_expected(l, "a variable before a markup");
        } else if (markups++ == MARKUPS) {
            return mt_lexer_expected(l, "at most 64 markups of a statement");
        } else {
            MT_TRY(take_markup(r, from));
        }
    }
    return MT_OK;
}

static mt_status take_block(reader *r)
{
    if (r->nested++ == NESTED) return mt_lexer_expected(&r->lexer, "at most 32 nested groups and ifs");
    MT_TRY(mt_lexer_need(&r->lexer, "{", "group, a condition or else"));
    MT_TRY(take_statements(r));
    r->nested--;
    return mt_lexer_need(&r->lexer, "}", "the statements of a group or branch");
}

static mt_status take_all(reader *r, const mt_scan *file, bool building)
{
    mt_lexer *l = &r->lexer;
    r->building = building;
    mt_lexer_start(l, &mt_dialect_easyml, file->path, file->begin, (size_t)(file->end - file->begin), 1);
    MT_TRY(take_statements(r));
    return l->token.kind == MT_TOKEN_END ? MT_OK : mt_lexer_expected(l, "a statement");
}

/* ---- variables ---- */

/* Finds X in names such as diff_X; `before` and `after` are the rest of the name. NONE if it is no symbol. */
static size_t find_base(const reader *r, const mt_token *name, const char *before, const char *after)
{
    const size_t b = strlen(before), a = strlen(after);
    if (name->length <= a + b || memcmp(name->text, before, b) != 0 ||
        memcmp(name->text + name->length - a, after, a) != 0)
        return NONE;
    return find_symbol(r, name->text + b, name->length - a - b);
}

/* Finds the parts of all symbols. Long names of rates come last, and replace short ones. */
static mt_status find_parts(reader *r)
{
    static const struct {
        const char *before, *after;
        part part;
    } pattern[] = {{"diff_", "", RATE}, {"d_", "_dt", RATE}, {"", "_init", INITIAL}, {"a_", "", ALPHA},
        {"b_", "", BETA}, {"alpha_", "", ALPHA}, {"beta_", "", BETA}, {"tau_", "", TAU}, {"", "_inf", INF}};
    for (size_t p = 0; p < sizeof pattern / sizeof *pattern; p++)
        for (size_t k = 0; k < r->n; k++) {
            symbol *s = &r->symbol[k];
            if (s->assigned.length == 0) continue;
            const size_t x = find_base(r, &s->name, pattern[p].before, pattern[p].after);
            if (x == NONE) continue;
            size_t *const place = &r->symbol[x].part[pattern[p].part];
            char shown[MT_TOKEN_SHOWN];
            if (pattern[p].part == RATE && *place != NONE)
                return mt_lexer_fail(&r->lexer, &s->assigned, "%s is a second derivative of this variable",
                    mt_token_shown(&s->name, shown));
            *place = k;
            if (pattern[p].part <= INITIAL) s->of = x;
        }
    return MT_OK;
}

/* Adds the symbols of states that are mentioned in the name of their derivative only. */
static mt_status add_states(reader *r)
{
    const size_t n = r->n;
    for (size_t k = 0; k < n; k++) {
        mt_token name = r->symbol[k].name;
        size_t index;
        if (r->symbol[k].assigned.length == 0 || name.length <= 5) continue;
        const bool d = memcmp(name.text, "d_", 2) == 0 && memcmp(name.text + name.length - 3, "_dt", 3) == 0;
        if (!d && memcmp(name.text, "diff_", 5) != 0) continue;
        name.text += d ? 2 : 5;
        name.length -= 5;
        MT_TRY(need_symbol(r, &name, &index));
    }
    return MT_OK;
}

static bool has(const symbol *s, part a, part b) { return s->part[a] != NONE && s->part[b] != NONE; }

static mt_status add_variable(reader *r, symbol *s, mt_variable_kind kind)
{
    char text[NAME_LENGTH + 1] = {0};
    const mt_token *place = s->assigned.length > 0 ? &s->assigned : &s->name;
    memcpy(text, s->name.text, s->name.length);
    MT_TRY(mt_equations_add(r->e, "", text, place->line, &s->variable));
    mt_variable *v = &r->e->variable[s->variable];
    v->kind = kind;
    if (s->unit.length == 0) return MT_OK;
    char *unit;
    MT_ALLOC(r->e->arena, unit, s->unit.length + 1);
    memcpy(unit, s->unit.text, s->unit.length);
    v->unit_text = unit;
    (void)mt_unit_read(s->unit.text, s->unit.length, &v->unit); /* unknown if it cannot be read */
    return MT_OK;
}

/* Decides what a symbol is, and adds its variable. Derivatives and initial values have one only if an expression uses them. */
static mt_status define(reader *r, symbol *s)
{
    const bool assigned = s->assigned.length > 0, state = s->part[RATE] != NONE;
    char shown[MT_TOKEN_SHOWN];
    if (assigned && state)
        return mt_lexer_fail(&r->lexer, &s->assigned,
            "%s has a value and a derivative; it can have one of them", mt_token_shown(&s->name, shown));
    if (s->flag != NONE && (assigned || state))
        return mt_lexer_fail(&r->lexer, assigned ? &s->assigned : &s->name,
            "%s is a value of .flag; it cannot be assigned", mt_token_shown(&s->name, shown));
    if (assigned && s->of != NONE && !s->used) return MT_OK;
    if (assigned) return add_variable(r, s, MT_VARIABLE_INTERMEDIATE);
    if (state) return add_variable(r, s, MT_VARIABLE_STATE);
    s->gate = s->used && (has(s, TAU, INF) || has(s, ALPHA, BETA));
    if (s->gate && has(s, TAU, INF) && has(s, ALPHA, BETA))
        mt_equations_warn(r->e, s->name.line, "%s has alpha and beta, and tau and inf; tau and inf are used",
            mt_token_shown(&s->name, shown));
    if (s->gate) return add_variable(r, s, MT_VARIABLE_STATE);
    if (s->part[INITIAL] != NONE && s->used) return add_variable(r, s, MT_VARIABLE_INTERMEDIATE);
    if (s->used && mt_token_is(&s->name, "t")) return add_variable(r, s, MT_VARIABLE_TIME);
    return MT_OK;
}

/* Finds the external variable with this name outside the model; NONE without. */
static mt_status find_external(const reader *r, const char *name, size_t *index)
{
    *index = NONE;
    for (size_t k = 0; k < r->n; k++) {
        const symbol *s = &r->symbol[k];
        if (s->external.length != strlen(name) || memcmp(s->external.text, name, s->external.length) != 0)
            continue;
        if (*index != NONE)
            return mt_lexer_fail(&r->lexer, &s->name, "a second variable is .external(%s)", name);
        *index = k;
    }
    return MT_OK;
}

/* Finds the membrane voltage and Iion, and makes the voltage a state: with -Iion, or with its own derivative without Iion. */
static mt_status define_voltage(reader *r, size_t *voltage, size_t *current)
{
    MT_TRY(find_external(r, "Vm", voltage));
    MT_TRY(find_external(r, "Iion", current));
    if (*voltage == NONE)
        return mt_fail(MT_INPUT,
            "%s: no variable is the membrane voltage; expected a declaration such as `V; .external(Vm);`",
            r->e->path);
    if (*current == NONE) *current = find_symbol(r, "Iion", strlen("Iion"));
    symbol *v = &r->symbol[*voltage];
    const bool sum = *current != NONE && r->symbol[*current].assigned.length > 0;
    if (sum && v->part[RATE] != NONE)
        return mt_lexer_fail(&r->lexer, &r->symbol[v->part[RATE]].assigned,
            "the membrane voltage has a derivative, and Iion has a value; expected one of them");
    if (!sum && v->part[RATE] == NONE)
        return mt_lexer_fail(&r->lexer, &v->name, "Iion, the current of the membrane, is not assigned");
    if (!sum)
        *current = NONE;
    else
        v->part[RATE] = *current;
    return MT_OK;
}

/* ---- states ---- */

/* Builds the node of a part of a symbol. */
static mt_status part_of(reader *r, const symbol *s, part which, mt_node *node)
{
    const symbol *p = &r->symbol[s->part[which]];
    *node = p->value;
    return p->variable == NONE ? MT_OK : mt_graph_variable(r->e->graph, p->variable, node);
}

/* Builds (inf - x) / tau and its steady state. */
static mt_status relax(reader *r, const symbol *s, mt_node x, mt_node *rate, mt_node *steady)
{
    mt_node tau, difference;
    MT_TRY(part_of(r, s, TAU, &tau));
    MT_TRY(part_of(r, s, INF, steady));
    MT_TRY(mt_graph_binary(r->e->graph, MT_OP_SUBTRACT, *steady, x, &difference));
    return mt_graph_binary(r->e->graph, MT_OP_DIVIDE, difference, tau, rate);
}

/* Builds alpha (1 - x) - beta x and its steady state. */
static mt_status open_and_close(reader *r, const symbol *s, mt_node x, mt_node *rate, mt_node *steady)
{
    mt_graph *g = r->e->graph;
    mt_node alpha, beta, one, closed, opening, closing, sum;
    MT_TRY(part_of(r, s, ALPHA, &alpha));
    MT_TRY(part_of(r, s, BETA, &beta));
    MT_TRY(mt_graph_number(g, 1, &one));
    MT_TRY(mt_graph_binary(g, MT_OP_SUBTRACT, one, x, &closed));
    MT_TRY(mt_graph_binary(g, MT_OP_MULTIPLY, alpha, closed, &opening));
    MT_TRY(mt_graph_binary(g, MT_OP_MULTIPLY, beta, x, &closing));
    MT_TRY(mt_graph_binary(g, MT_OP_SUBTRACT, opening, closing, rate));
    MT_TRY(mt_graph_binary(g, MT_OP_ADD, alpha, beta, &sum));
    return mt_graph_binary(g, MT_OP_DIVIDE, alpha, sum, steady);
}

/* Sets derivative and initial value of a state, and the value of another variable. */
static mt_status complete(reader *r, const symbol *s)
{
    mt_variable *v = &r->e->variable[s->variable];
    mt_node x, steady = MT_NO_NODE;
    const bool pair = has(s, TAU, INF) || has(s, ALPHA, BETA);
    if (v->kind == MT_VARIABLE_INTERMEDIATE) v->expression = s->value;
    if (v->kind == MT_VARIABLE_INTERMEDIATE && s->value == MT_NO_NODE)
        return part_of(r, s, INITIAL, &v->initial); /* becomes its value */
    if (v->kind != MT_VARIABLE_STATE) return MT_OK;
    MT_TRY(mt_graph_variable(r->e->graph, s->variable, &x));
    if (pair) MT_TRY((has(s, TAU, INF) ? relax : open_and_close)(r, s, x, &v->expression, &steady));
    if (s->part[RATE] != NONE) MT_TRY(part_of(r, s, RATE, &v->expression));
    v->initial = steady;
    return s->part[INITIAL] == NONE ? MT_OK : part_of(r, s, INITIAL, &v->initial);
}

static mt_status complete_voltage(reader *r, size_t voltage, size_t current)
{
    mt_variable *v = &r->e->variable[r->symbol[voltage].variable];
    v->label = "membrane_voltage";
    if (v->unit_text[0] == 0) {
        v->unit_text = "mV";
        (void)mt_unit_read("mV", 2, &v->unit);
    }
    if (current == NONE) return MT_OK;
    return mt_graph_unary(r->e->graph, MT_OP_NEGATE, v->expression, &v->expression);
}

/* Makes the initial value of a variable without derivative its value. Sets the unit of time. Warns of initial values that are not used. */
static void finish_others(reader *r)
{
    char shown[MT_TOKEN_SHOWN];
    for (size_t k = 0; k < r->n; k++) {
        const symbol *s = &r->symbol[k];
        mt_variable *v = s->variable == NONE ? NULL : &r->e->variable[s->variable];
        if (v && v->kind == MT_VARIABLE_TIME && v->unit_text[0] == 0) {
            v->unit_text = "ms";
            (void)mt_unit_read("ms", 2, &v->unit);
        }
        if (v && v->kind == MT_VARIABLE_INTERMEDIATE && v->initial != MT_NO_NODE) {
            v->expression = v->initial;
            v->initial = MT_NO_NODE;
        }
        if (s->part[INITIAL] != NONE && s->assigned.length > 0)
            mt_equations_warn(r->e, r->symbol[s->part[INITIAL]].assigned.line,
                "an initial value of %s is ignored: it has no derivative", mt_token_shown(&s->name, shown));
    }
}

/* Reads the text of a file into empty equations. */
static mt_status read_text(const mt_scan *file, mt_equations *e)
{
    MT_SCRATCH(scratch);
    size_t voltage, current;
    reader r = {.scratch = scratch, .e = e};
    MT_TRY(take_all(&r, file, false));
    MT_TRY(add_states(&r));
    MT_TRY(find_parts(&r));
    MT_TRY(define_voltage(&r, &voltage, &current));
    for (size_t k = 0; k < r.n; k++) MT_TRY(define(&r, &r.symbol[k]));
    MT_TRY(take_all(&r, file, true));
    for (size_t k = 0; k < r.n; k++)
        if (r.symbol[k].variable != NONE) MT_TRY(complete(&r, &r.symbol[k]));
    MT_TRY(complete_voltage(&r, voltage, current));
    MT_TRY(mt_initial_express(e));
    finish_others(&r);
    return mt_equations_finish(e);
}

mt_status mt_easyml_read(mt_arena *arena, const char *path, mt_equations **equations)
{
    MT_SCRATCH(scratch);
    mt_scan file;
    MT_TRY(mt_scan_open(scratch, path, &file));
    MT_TRY(mt_equations_new(arena, path, "EasyML", equations));
    const mt_status status = read_text(&file, *equations);
    if (status != MT_INPUT || strncmp(mt_message(), path, strlen(path)) == 0) return status;
    return mt_fail(status, "%s: %s", path, mt_message()); /* of the graph: too many nodes */
}
