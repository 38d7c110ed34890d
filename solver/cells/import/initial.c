#include "solver/cells/import/initial.h"

#include <string.h>

/* A walk over the nodes of initial values, without recursion. The first n nodes of the graph are those before it. */
typedef struct walk {
    mt_equations *e;
    size_t n;
    mt_node *to; /* [n] what replaces a node; MT_NO_NODE: not yet */
    bool *open;
    mt_node *stack; /* [n] */
    size_t depth;
} walk;

/* True for the value of a parameter: a number, or one with a sign. */
static bool is_number(const mt_graph *graph, mt_node node)
{
    const mt_graph_node *one = &graph->node[node];
    if (one->op == MT_OP_NEGATE) one = &graph->node[one->operand[0]];
    return one->op == MT_OP_NUMBER;
}

/* Returns the node that replaces a variable; MT_NO_NODE if it remains. */
static mt_node replacement(const mt_equations *e, const mt_variable *v)
{
    if (v->kind == MT_VARIABLE_STATE) return v->initial;
    if (v->kind != MT_VARIABLE_INTERMEDIATE || v->expression == MT_NO_NODE) return MT_NO_NODE;
    return is_number(e->graph, v->expression) ? MT_NO_NODE : v->expression;
}

/* Returns the k-th node that `node` needs; MT_NO_NODE after the last. */
static mt_node needed(const walk *w, mt_node node, size_t k)
{
    const mt_graph_node *one = &w->e->graph->node[node];
    if (one->op != MT_OP_VARIABLE) return k < mt_op_operands(one->op) ? one->operand[k] : MT_NO_NODE;
    return k == 0 ? replacement(w->e, &w->e->variable[one->variable]) : MT_NO_NODE;
}

/* Replaces a node, all needed ones being replaced. */
static mt_status replace(walk *w, mt_node node)
{
    const mt_graph_node one = w->e->graph->node[node];
    mt_node operand[3];
    const size_t n = mt_op_operands(one.op);
    w->to[node] = node;
    if (one.op == MT_OP_VARIABLE && needed(w, node, 0) != MT_NO_NODE) w->to[node] = w->to[needed(w, node, 0)];
    if (n == 0) return MT_OK;
    for (size_t k = 0; k < n; k++) operand[k] = w->to[one.operand[k]];
    return mt_graph_operation(w->e->graph, one.op, operand, &w->to[node]);
}

/* Replaces a node after all that it needs. A node that needs itself remains, with those between. */
static mt_status replace_all(walk *w, mt_node root)
{
    w->depth = 0;
    if (w->to[root] == MT_NO_NODE) w->stack[w->depth++] = root;
    while (w->depth > 0) {
        const mt_node at = w->stack[w->depth - 1];
        mt_node next = MT_NO_NODE;
        w->open[at] = true;
        for (size_t k = 0; (next = needed(w, at, k)) != MT_NO_NODE && w->to[next] != MT_NO_NODE; k++) {}
        if (next != MT_NO_NODE && w->open[next]) break;
        if (next != MT_NO_NODE) {
            w->stack[w->depth++] = next;
            continue;
        }
        MT_TRY(replace(w, at));
        w->open[at] = false;
        w->depth--;
    }
    for (; w->depth > 0; w->depth--) { /* nodes that need themselves: each is walked once */
        const mt_node at = w->stack[w->depth - 1];
        w->to[at] = at;
        w->open[at] = false;
    }
    return MT_OK;
}

mt_status mt_initial_express(mt_equations *e)
{
    MT_SCRATCH(scratch);
    walk w = {.e = e, .n = e->graph->n};
    mt_node *initial;
    MT_ALLOC(scratch, w.to, w.n);
    MT_ALLOC(scratch, w.open, w.n);
    MT_ALLOC(scratch, w.stack, w.n);
    MT_ALLOC(scratch, initial, e->n);
    memset(w.to, 0xff, w.n * sizeof *w.to);
    for (size_t k = 0; k < e->n; k++) {
        initial[k] = e->variable[k].initial;
        if (initial[k] == MT_NO_NODE) continue;
        MT_TRY(replace_all(&w, initial[k]));
        initial[k] = w.to[initial[k]];
    }
    for (size_t k = 0; k < e->n; k++) e->variable[k].initial = initial[k];
    return MT_OK;
}
