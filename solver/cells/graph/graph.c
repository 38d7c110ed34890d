#include "solver/cells/graph/graph.h"

#include <math.h>
#include <string.h>

#include "data/core/hash.h"
#include "solver/kernels/kernels.h"

static const struct {
    const char *name;
    size_t operands;
    mt_function function; /* of solver/kernels; MT_FUNCTIONS: none */
} ops[MT_OPS] = {
    [MT_OP_NUMBER] = {"number", 0, MT_FUNCTIONS},
    [MT_OP_VARIABLE] = {"variable", 0, MT_FUNCTIONS},
    [MT_OP_NEGATE] = {"-", 1, MT_FUNCTIONS},
    [MT_OP_SQRT] = {"sqrt", 1, MT_SQRT},
    [MT_OP_EXP] = {"exp", 1, MT_EXP},
    [MT_OP_EXPM1] = {"expm1", 1, MT_EXPM1},
    [MT_OP_LOG] = {"log", 1, MT_LOG},
    [MT_OP_LOG10] = {"log10", 1, MT_LOG10},
    [MT_OP_LOG2] = {"log2", 1, MT_LOG2},
    [MT_OP_ABS] = {"abs", 1, MT_ABS},
    [MT_OP_FLOOR] = {"floor", 1, MT_FLOOR},
    [MT_OP_CEIL] = {"ceil", 1, MT_CEIL},
    [MT_OP_SIN] = {"sin", 1, MT_SIN},
    [MT_OP_COS] = {"cos", 1, MT_COS},
    [MT_OP_TAN] = {"tan", 1, MT_TAN},
    [MT_OP_ASIN] = {"asin", 1, MT_ASIN},
    [MT_OP_ACOS] = {"acos", 1, MT_ACOS},
    [MT_OP_ATAN] = {"atan", 1, MT_ATAN},
    [MT_OP_SINH] = {"sinh", 1, MT_SINH},
    [MT_OP_COSH] = {"cosh", 1, MT_COSH},
    [MT_OP_TANH] = {"tanh", 1, MT_TANH},
    [MT_OP_CBRT] = {"cbrt", 1, MT_CBRT},
    [MT_OP_NOT] = {"not", 1, MT_FUNCTIONS},
    [MT_OP_ADD] = {"+", 2, MT_FUNCTIONS},
    [MT_OP_SUBTRACT] = {"-", 2, MT_FUNCTIONS},
    [MT_OP_MULTIPLY] = {"*", 2, MT_FUNCTIONS},
    [MT_OP_DIVIDE] = {"/", 2, MT_FUNCTIONS},
    [MT_OP_POWER] = {"power", 2, MT_POW},
    [MT_OP_MIN] = {"min", 2, MT_FUNCTIONS},
    [MT_OP_MAX] = {"max", 2, MT_FUNCTIONS},
    [MT_OP_REMAINDER] = {"remainder", 2, MT_REMAINDER},
    [MT_OP_LESS] = {"<", 2, MT_FUNCTIONS},
    [MT_OP_LESS_EQUAL] = {"<=", 2, MT_FUNCTIONS},
    [MT_OP_EQUAL] = {"==", 2, MT_FUNCTIONS},
    [MT_OP_AND] = {"and", 2, MT_FUNCTIONS},
    [MT_OP_OR] = {"or", 2, MT_FUNCTIONS},
    [MT_OP_SELECT] = {"if", 3, MT_FUNCTIONS},
};

size_t mt_op_operands(mt_op op) { return ops[op].operands; }
const char *mt_op_name(mt_op op) { return ops[op].name; }

mt_status mt_graph_new(mt_arena *arena, mt_graph **graph)
{
    enum { ROOM = 256 };
    MT_ALLOC(arena, *graph, 1);
    (*graph)->arena = arena;
    (*graph)->room = ROOM;
    (*graph)->n_slots = 2 * ROOM;
    MT_ALLOC(arena, (*graph)->node, (*graph)->room);
    MT_ALLOC(arena, (*graph)->slot, (*graph)->n_slots);
    memset((*graph)->slot, 0xff, (*graph)->n_slots * sizeof *(*graph)->slot);
    return MT_OK;
}

/* True if both nodes are the same operation on the same operands. Numbers are compared by their bits. */
static bool same(const mt_graph_node *a, const mt_graph_node *b) { return memcmp(a, b, sizeof *a) == 0; }

/* Returns the slot of a node: one that holds an equal node, or an empty one. */
static size_t slot_of(const mt_graph *graph, const mt_graph_node *node)
{
    size_t s = mt_hash_short(node, sizeof *node) & (graph->n_slots - 1);
    while (graph->slot[s] != MT_NO_NODE && !same(&graph->node[graph->slot[s]], node))
        s = (s + 1) & (graph->n_slots - 1);
    return s;
}

/* Doubles the room of a full graph. */
static mt_status grow(mt_graph *graph)
{
    mt_graph_node *node;
    MT_ALLOC(graph->arena, node, 2 * graph->room);
    memcpy(node, graph->node, graph->n * sizeof *node);
    graph->node = node;
    graph->room *= 2;
    graph->n_slots *= 2;
    MT_ALLOC(graph->arena, graph->slot, graph->n_slots);
    memset(graph->slot, 0xff, graph->n_slots * sizeof *graph->slot);
    for (size_t k = 0; k < graph->n; k++) graph->slot[slot_of(graph, &graph->node[k])] = (uint32_t)k;
    return MT_OK;
}

static mt_status add(mt_graph *graph, const mt_graph_node *node, mt_node *result)
{
    size_t slot = slot_of(graph, node);
    *result = graph->slot[slot];
    if (*result != MT_NO_NODE) return MT_OK;
    if (graph->n == MT_GRAPH_NODES_MAX)
        return mt_fail(MT_INPUT, "the equations have more than %d different operations", MT_GRAPH_NODES_MAX);
    if (graph->n == graph->room) {
        MT_TRY(grow(graph));
        slot = slot_of(graph, node);
    }
    *result = (mt_node)graph->n++;
    graph->node[*result] = *node;
    graph->slot[slot] = *result;
    return MT_OK;
}

/* Returns a node whose unused bytes are defined, since nodes are compared as bytes. */
static mt_graph_node blank(mt_op op)
{
    mt_graph_node node;
    memset(&node, 0, sizeof node);
    node.op = op;
    return node;
}

mt_status mt_graph_number(mt_graph *graph, double value, mt_node *node)
{
    return mt_graph_number_in(graph, value, 0, node);
}

mt_status mt_graph_number_in(mt_graph *graph, double value, uint32_t unit, mt_node *node)
{
    mt_graph_node number = blank(MT_OP_NUMBER);
    number.unit = unit;
    number.value = isnan(value) ? (double)NAN : value;
    return add(graph, &number, node);
}

mt_status mt_graph_variable(mt_graph *graph, size_t variable, mt_node *node)
{
    mt_graph_node leaf = blank(MT_OP_VARIABLE);
    leaf.variable = (uint32_t)variable;
    return add(graph, &leaf, node);
}

mt_status mt_graph_operation(mt_graph *graph, mt_op op, const mt_node *operand, mt_node *node)
{
    mt_graph_node made = blank(op);
    for (size_t k = 0; k < 3; k++) made.operand[k] = k < mt_op_operands(op) ? operand[k] : MT_NO_NODE;
    return add(graph, &made, node);
}

mt_status mt_graph_unary(mt_graph *graph, mt_op op, mt_node a, mt_node *node)
{
    return mt_graph_operation(graph, op, &a, node);
}

mt_status mt_graph_binary(mt_graph *graph, mt_op op, mt_node a, mt_node b, mt_node *node)
{
    return mt_graph_operation(graph, op, (const mt_node[]){a, b}, node);
}

mt_status mt_graph_select(mt_graph *graph, mt_node condition, mt_node yes, mt_node no, mt_node *node)
{
    return mt_graph_operation(graph, MT_OP_SELECT, (const mt_node[]){condition, yes, no}, node);
}

/* Evaluates a function of the kernels, which has the same bits on every host. */
static double function_value(mt_function function, double a, double b)
{
    double value;
    mt_kernels_used()->function_double(function, 1, &a, &b, &value);
    return value;
}

double mt_op_value(mt_op op, double a, double b, double c)
{
    switch (op) {
    case MT_OP_ADD:
        return a + b;
    case MT_OP_SUBTRACT:
        return a - b;
    case MT_OP_MULTIPLY:
        return a * b;
    case MT_OP_DIVIDE:
        return a / b;
    case MT_OP_MIN:
        return b < a ? b : a;
    case MT_OP_MAX:
        return a < b ? b : a;
    case MT_OP_LESS:
        return a < b;
    case MT_OP_LESS_EQUAL:
        return a <= b;
    case MT_OP_EQUAL:
        return a == b;
    case MT_OP_AND:
        return a != 0 && b != 0;
    case MT_OP_OR:
        return a != 0 || b != 0;
    case MT_OP_SELECT:
        return a != 0 ? b : c;
    case MT_OP_NEGATE:
        return -a;
    case MT_OP_NOT:
        return a == 0;
    default:
        return function_value(ops[op].function, a, b);
    }
}

double mt_graph_node_value(const mt_graph *graph, mt_node node, const double *variables, const double *value)
{
    const mt_graph_node *one = &graph->node[node];
    if (one->op == MT_OP_NUMBER) return one->value;
    if (one->op == MT_OP_VARIABLE) return variables[one->variable];
    double operand[3] = {0};
    for (size_t k = 0; k < mt_op_operands(one->op); k++) operand[k] = value[one->operand[k]];
    return mt_op_value(one->op, operand[0], operand[1], operand[2]);
}

void mt_graph_mark(const mt_graph *graph, mt_node node, bool *used)
{
    used[node] = true;
    /* operands have smaller indices */
    for (mt_node k = node + 1; k-- > 0;) {
        if (!used[k]) continue;
        for (size_t o = 0; o < mt_op_operands(graph->node[k].op); o++) used[graph->node[k].operand[o]] = true;
    }
}
