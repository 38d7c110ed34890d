#include "solver/cells/graph/unit_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UNIT_TEXT = 100 };

/* The units of all nodes. */
typedef struct check {
    mt_equations *e;
    mt_unit *unit;   /* of each node */
    mt_node *fault;  /* the first node with different operands on which a node depends; MT_NO_NODE: none */
    bool *constant;  /* nodes that contain numbers and constant variables only: as exponents */
    double *value;   /* of constant nodes */
    double *numbers; /* [e->n] of constant variables; NaN: of others */
} check;

/* ---- constants ---- */

/* Computes the nodes that contain only numbers and variables whose number is known. */
static void find_constants(check *c)
{
    const mt_graph *graph = c->e->graph;
    for (size_t k = 0; k < graph->n; k++) {
        const mt_graph_node *node = &graph->node[k];
        c->constant[k] = node->op != MT_OP_VARIABLE || !isnan(c->numbers[node->variable]);
        for (size_t o = 0; o < mt_op_operands(node->op); o++) c->constant[k] &= c->constant[node->operand[o]];
        if (c->constant[k]) c->value[k] = mt_graph_node_value(graph, (mt_node)k, c->numbers, c->value);
    }
}

/* Finds the constants that can be exponents: numbers, parameters, and expressions of them. */
static void find_exponents(check *c)
{
    for (size_t k = 0; k < c->e->n; k++) {
        const mt_variable *v = &c->e->variable[k];
        c->numbers[k] = v->kind == MT_VARIABLE_PARAMETER ? v->value : (double)NAN;
    }
    find_constants(c);
    /* "n = 2": a parameter that mt_equations_finish has not yet made one */
    for (size_t k = 0; k < c->e->n; k++) {
        const mt_variable *v = &c->e->variable[k];
        if (v->kind == MT_VARIABLE_INTERMEDIATE && v->expression != MT_NO_NODE && c->constant[v->expression])
            c->numbers[k] = c->value[v->expression];
    }
    find_constants(c);
}

/* ---- units of nodes ---- */

static bool is_number_one(mt_unit unit) { return !unit.known || mt_unit_same(unit, mt_unit_none); }

/* Returns the common unit of two operands; `right` says if there is one. */
static mt_unit common(mt_unit a, mt_unit b, bool *right)
{
    *right = mt_unit_same(a, b);
    return a.known ? a : b;
}

static mt_unit of_power(const check *c, const mt_graph_node *node, bool *right)
{
    const mt_unit base = c->unit[node->operand[0]];
    const mt_node exponent = node->operand[1];
    *right = is_number_one(c->unit[exponent]);
    if (base.known && is_number_one(base)) return mt_unit_none;
    return *right && c->constant[exponent] ? mt_unit_power(base, c->value[exponent]) : mt_unit_unknown;
}

/* Returns the unit of a node from those of its operands. Clears `right` if theirs do not fit. */
static mt_unit of_node(const check *c, const mt_graph_node *node, bool *right)
{
    mt_unit operand[3] = {mt_unit_unknown, mt_unit_unknown, mt_unit_unknown};
    for (size_t k = 0; k < mt_op_operands(node->op); k++) operand[k] = c->unit[node->operand[k]];
    switch (node->op) {
    case MT_OP_NUMBER:
        return node->value == 0 ? mt_unit_unknown : c->e->unit[node->unit];
    case MT_OP_VARIABLE:
        return c->e->variable[node->variable].unit;
    case MT_OP_NEGATE:
    case MT_OP_ABS:
    case MT_OP_FLOOR:
    case MT_OP_CEIL:
        return operand[0];
    case MT_OP_SQRT:
        return mt_unit_power(operand[0], 0.5);
    case MT_OP_CBRT:
        return mt_unit_power(operand[0], 1 / 3.0);
    case MT_OP_ADD:
    case MT_OP_SUBTRACT:
    case MT_OP_MIN:
    case MT_OP_MAX:
    case MT_OP_REMAINDER:
        return common(operand[0], operand[1], right);
    case MT_OP_SELECT:
        return common(operand[1], operand[2], right);
    case MT_OP_LESS:
    case MT_OP_LESS_EQUAL:
    case MT_OP_EQUAL:
        *right = mt_unit_same(operand[0], operand[1]);
        return mt_unit_none;
    case MT_OP_NOT:
    case MT_OP_AND:
    case MT_OP_OR:
        return mt_unit_none;
    case MT_OP_MULTIPLY:
        return mt_unit_times(operand[0], operand[1]);
    case MT_OP_DIVIDE:
        return mt_unit_times(operand[0], mt_unit_power(operand[1], -1));
    case MT_OP_POWER:
        return of_power(c, node, right);
    default: /* exp, log, sin ... */
        *right = is_number_one(operand[0]);
        return operand[0].known ? mt_unit_none : mt_unit_unknown;
    }
}

static void find_units(check *c)
{
    const mt_graph *graph = c->e->graph;
    for (size_t k = 0; k < graph->n; k++) {
        const mt_graph_node *node = &graph->node[k];
        bool right = true;
        c->unit[k] = of_node(c, node, &right);
        c->fault[k] = right ? MT_NO_NODE : (mt_node)k;
        for (size_t o = 0; o < mt_op_operands(node->op); o++)
            if (c->fault[node->operand[o]] < c->fault[k]) c->fault[k] = c->fault[node->operand[o]];
    }
}

/* ---- warnings ---- */

/* Writes a unit as the file writes it for a variable, else in base units. */
static const char *shown(const check *c, mt_unit unit, char text[UNIT_TEXT])
{
    for (size_t k = 0; k < c->e->n && unit.known; k++) {
        const mt_variable *v = &c->e->variable[k];
        if (!*v->unit_text || !v->unit.known || !mt_unit_same(v->unit, unit)) continue;
        (void)snprintf(text, UNIT_TEXT, "%s", v->unit_text);
        return text;
    }
    mt_unit_write(unit, text, UNIT_TEXT);
    return text;
}

/* The text about an operation with different units: that of operand `first` between `before` and `between`, then that of `second`. */
typedef struct phrase {
    const char *before, *between, *after;
    size_t first, second;
} phrase;

static const phrase *phrase_of(mt_op op)
{
    static const phrase add = {"adds ", " and ", "", 0, 1};
    static const phrase subtract = {"subtracts ", " from ", "", 1, 0};
    static const phrase remainder = {"divides ", " by ", " with a remainder", 0, 1};
    static const phrase compare = {"compares ", " with ", "", 0, 1};
    static const phrase select = {"is in ", " or in ", ", depending on a condition", 1, 2};
    switch (op) {
    case MT_OP_ADD:
        return &add;
    case MT_OP_SUBTRACT:
        return &subtract;
    case MT_OP_REMAINDER:
        return &remainder;
    case MT_OP_SELECT:
        return &select;
    case MT_OP_POWER:
        return NULL;
    default:
        return mt_op_operands(op) == 2 ? &compare : NULL;
    }
}

/* Warns that a variable depends on a node with different operands. */
static void warn_node(const check *c, const mt_variable *v, mt_node at)
{
    char name[MT_VARIABLE_NAME], a[UNIT_TEXT], b[UNIT_TEXT];
    const mt_graph_node *node = &c->e->graph->node[at];
    const phrase *words = phrase_of(node->op);
    (void)mt_variable_name(v, name);
    if (words)
        mt_equations_warn(c->e, v->line, "%s: %s%s%s%s%s", name, words->before,
            shown(c, c->unit[node->operand[words->first]], a), words->between,
            shown(c, c->unit[node->operand[words->second]], b), words->after);
    else if (node->op == MT_OP_POWER)
        mt_equations_warn(c->e, v->line, "%s: has an exponent in %s, which should be dimensionless", name,
            shown(c, c->unit[node->operand[1]], a));
    else
        mt_equations_warn(c->e, v->line, "%s: takes %s of %s, which should be dimensionless", name,
            mt_op_name(node->op), shown(c, c->unit[node->operand[0]], a));
}

/* Checks a definition: `expected` is the unit of the variable, or of its derivative. True if there is nothing to warn of. */
static bool check_definition(
    const check *c, const mt_variable *v, const char *what, mt_unit expected, mt_node node)
{
    if (node == MT_NO_NODE) return true;
    const bool same = mt_unit_same(expected, c->unit[node]);
    if (same && c->fault[node] == MT_NO_NODE) return true;
    if (c->e->n_warnings == MT_EQUATIONS_WARNINGS) {
        c->e->n_more_warnings++;
        return false;
    }
    char name[MT_VARIABLE_NAME], a[UNIT_TEXT], b[UNIT_TEXT];
    if (c->fault[node] != MT_NO_NODE)
        warn_node(c, v, c->fault[node]);
    else
        mt_equations_warn(c->e, v->line, "%s: its %s is in %s instead of %s", mt_variable_name(v, name), what,
            shown(c, c->unit[node], a), shown(c, expected, b));
    return false;
}

/* Returns the unit of the variable of integration. */
static mt_unit unit_of_time(const mt_equations *e)
{
    for (size_t k = 0; k < e->n; k++)
        if (e->variable[k].kind == MT_VARIABLE_TIME) return e->variable[k].unit;
    return mt_unit_unknown;
}

mt_status mt_equations_check_units(mt_equations *e)
{
    MT_SCRATCH(scratch);
    check c = {.e = e};
    MT_ALLOC(scratch, c.unit, e->graph->n);
    MT_ALLOC(scratch, c.fault, e->graph->n);
    MT_ALLOC(scratch, c.constant, e->graph->n);
    MT_ALLOC(scratch, c.value, e->graph->n);
    MT_ALLOC(scratch, c.numbers, e->n);
    find_exponents(&c);
    find_units(&c);
    const mt_unit per_time = mt_unit_power(unit_of_time(e), -1);
    for (size_t k = 0; k < e->n; k++) {
        const mt_variable *v = &e->variable[k];
        const bool state = v->kind == MT_VARIABLE_STATE;
        const mt_unit expected = state ? mt_unit_times(v->unit, per_time) : v->unit;
        if (check_definition(&c, v, state ? "derivative" : "value", expected, v->expression))
            (void)check_definition(&c, v, "initial value", v->unit, v->initial);
    }
    return MT_OK;
}
