#include "solver/cells/graph/complete.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver/cells/graph/unit_check.h"

enum { TEXT = 512 };

/* Makes parameters of the intermediates whose expression contains numbers only. */
static mt_status find_parameters(mt_equations *e)
{
    MT_SCRATCH(scratch);
    const mt_graph *graph = e->graph;
    double *value;
    bool *constant;
    MT_ALLOC(scratch, value, graph->n);
    MT_ALLOC(scratch, constant, graph->n);
    for (size_t k = 0; k < graph->n; k++) {
        const mt_graph_node *node = &graph->node[k];
        constant[k] = node->op != MT_OP_VARIABLE;
        for (size_t o = 0; o < mt_op_operands(node->op); o++) constant[k] &= constant[node->operand[o]];
        if (constant[k]) value[k] = mt_graph_node_value(graph, (mt_node)k, NULL, value);
    }
    for (size_t k = 0; k < e->n; k++) {
        mt_variable *v = &e->variable[k];
        if (v->kind != MT_VARIABLE_INTERMEDIATE || !constant[v->expression]) continue;
        v->kind = MT_VARIABLE_PARAMETER;
        v->value = value[v->expression];
        v->expression = MT_NO_NODE;
    }
    return MT_OK;
}

static mt_status check_complete(const mt_equations *e)
{
    size_t states = 0;
    char name[MT_VARIABLE_NAME];
    for (size_t k = 0; k < e->n; k++) {
        const mt_variable *v = &e->variable[k];
        const bool state = v->kind == MT_VARIABLE_STATE;
        states += state;
        if ((state || v->kind == MT_VARIABLE_INTERMEDIATE) && v->expression == MT_NO_NODE)
            return mt_equations_fail(e, v->line, "%s has no %s", mt_variable_name(v, name),
                state ? "derivative" : "value: neither a number nor an equation");
        if (state && v->initial == MT_NO_NODE)
            return mt_equations_fail(
                e, v->line, "%s has a derivative but no initial value", mt_variable_name(v, name));
    }
    if (states == 0) return mt_fail(MT_INPUT, "%s: no variable has a derivative", e->path);
    return MT_OK;
}

/* A walk over the nodes of expressions into the definitions of their variables, without recursion: a file can nest them deeply. */
typedef struct walk {
    mt_equations *e;
    mt_node *flat; /* of each node; MT_NO_NODE: not yet */
    bool *open;
    mt_node *stack;
    size_t depth;
} walk;

/* Returns MT_INPUT with the cycle of definitions that ends at the node `again`. */
static mt_status cycle(const walk *w, mt_node again)
{
    char names[TEXT - 100] = "", name[MT_VARIABLE_NAME];
    size_t from = w->depth - 1, line = 0;
    while (w->stack[from] != again) from--;
    for (size_t k = from; k < w->depth; k++) {
        const mt_graph_node *node = &w->e->graph->node[w->stack[k]];
        if (node->op != MT_OP_VARIABLE) continue;
        const mt_variable *v = &w->e->variable[node->variable];
        const size_t n = strlen(names);
        const bool fits = n + MT_VARIABLE_NAME + sizeof " -> ..." < sizeof names;
        (void)snprintf(
            names + n, sizeof names - n, "%s%s", n ? " -> " : "", fits ? mt_variable_name(v, name) : "...");
        if (line == 0) line = v->line;
        if (!fits) break;
    }
    return mt_equations_fail(
        w->e, line, "a value depends on itself: %s; supported are ordinary differential equations", names);
}

/* Returns the k-th node that `node` needs: an operand, or the definition of an intermediate; MT_NO_NODE after the last. */
static mt_node needed(const mt_equations *e, mt_node node, size_t k)
{
    const mt_graph_node *one = &e->graph->node[node];
    if (one->op != MT_OP_VARIABLE) return k < mt_op_operands(one->op) ? one->operand[k] : MT_NO_NODE;
    const mt_variable *v = &e->variable[one->variable];
    return k == 0 && v->kind == MT_VARIABLE_INTERMEDIATE ? v->expression : MT_NO_NODE;
}

/* Adds a node, all needed ones being there, to the flat graph. */
static mt_status flatten_node(walk *w, mt_node node)
{
    mt_graph *flat = w->e->flat;
    const mt_graph_node *one = &w->e->graph->node[node];
    mt_node *to = &w->flat[node], operand[3];
    if (one->op == MT_OP_NUMBER) return mt_graph_number(flat, one->value, to);
    if (one->op == MT_OP_VARIABLE) {
        const mt_node definition = needed(w->e, node, 0);
        if (definition == MT_NO_NODE) return mt_graph_variable(flat, one->variable, to);
        *to = w->flat[definition];
        return MT_OK;
    }
    const size_t n = mt_op_operands(one->op);
    for (size_t k = 0; k < n; k++) operand[k] = w->flat[one->operand[k]];
    return mt_graph_operation(flat, one->op, operand, to);
}

/* Flattens a node after all that it needs. */
static mt_status flatten(walk *w, mt_node root)
{
    w->depth = 0;
    if (w->flat[root] == MT_NO_NODE) w->stack[w->depth++] = root;
    while (w->depth > 0) {
        const mt_node at = w->stack[w->depth - 1];
        w->open[at] = true;
        mt_node next = MT_NO_NODE;
        for (size_t k = 0; (next = needed(w->e, at, k)) != MT_NO_NODE && w->flat[next] != MT_NO_NODE; k++) {}
        if (next != MT_NO_NODE) {
            if (w->open[next]) return cycle(w, next);
            w->stack[w->depth++] = next;
            continue;
        }
        MT_TRY(flatten_node(w, at));
        w->open[at] = false;
        w->depth--;
    }
    return MT_OK;
}

static mt_status flatten_all(mt_equations *e)
{
    MT_SCRATCH(scratch);
    walk w = {.e = e};
    const size_t n = e->graph->n;
    MT_ALLOC(scratch, w.flat, n);
    MT_ALLOC(scratch, w.open, n);
    MT_ALLOC(scratch, w.stack, n);
    memset(w.flat, 0xff, n * sizeof *w.flat);
    MT_TRY(mt_graph_new(e->arena, &e->flat));
    for (size_t k = 0; k < e->n; k++) {
        mt_variable *v = &e->variable[k];
        if (v->initial != MT_NO_NODE) {
            MT_TRY(flatten(&w, v->initial));
            v->initial = w.flat[v->initial];
        }
        if (v->expression == MT_NO_NODE) continue;
        MT_TRY(flatten(&w, v->expression));
        v->flat = w.flat[v->expression];
    }
    return MT_OK;
}

/* Computes the initial values from the parameters. */
static mt_status find_initial_values(mt_equations *e)
{
    MT_SCRATCH(scratch);
    double *variable, *value;
    bool *varies;
    MT_ALLOC(scratch, variable, e->n);
    MT_ALLOC(scratch, value, e->flat->n);
    MT_ALLOC(scratch, varies, e->flat->n);
    for (size_t k = 0; k < e->n; k++) variable[k] = e->variable[k].value;
    for (size_t k = 0; k < e->flat->n; k++) {
        const mt_graph_node *node = &e->flat->node[k];
        varies[k] = node->op == MT_OP_VARIABLE && e->variable[node->variable].kind != MT_VARIABLE_PARAMETER;
        for (size_t o = 0; o < mt_op_operands(node->op); o++) varies[k] |= varies[node->operand[o]];
        value[k] = mt_graph_node_value(e->flat, (mt_node)k, variable, value);
    }
    char name[MT_VARIABLE_NAME];
    for (size_t k = 0; k < e->n; k++) {
        mt_variable *v = &e->variable[k];
        if (v->initial == MT_NO_NODE) continue;
        v->value = value[v->initial];
        if (varies[v->initial] || !isfinite(v->value))
            return mt_equations_fail(e, v->line, "the initial value of %s is not a finite number%s",
                mt_variable_name(v, name), varies[v->initial] ? ": it depends on a state or on time" : "");
    }
    return MT_OK;
}

mt_status mt_equations_finish(mt_equations *e)
{
    MT_TRY(check_complete(e));
    MT_TRY(mt_equations_check_units(e)); /* while constants have their expressions */
    MT_TRY(find_parameters(e));
    MT_TRY(flatten_all(e));
    return find_initial_values(e);
}
