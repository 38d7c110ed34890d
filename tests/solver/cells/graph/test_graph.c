/* The graph of expressions: what is one node, in which order, with which values. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "solver/cells/graph/graph.h"

static mt_arena arena;

static mt_graph *new_graph(void)
{
    mt_graph *graph = NULL;
    cr_assert_eq(mt_graph_new(&arena, &graph), MT_OK);
    return graph;
}

static mt_node number(mt_graph *graph, double value)
{
    mt_node node;
    cr_assert_eq(mt_graph_number(graph, value, &node), MT_OK);
    return node;
}

static mt_node variable(mt_graph *graph, size_t v)
{
    mt_node node;
    cr_assert_eq(mt_graph_variable(graph, v, &node), MT_OK);
    return node;
}

static mt_node unary(mt_graph *graph, mt_op op, mt_node a)
{
    mt_node node;
    cr_assert_eq(mt_graph_unary(graph, op, a, &node), MT_OK);
    return node;
}

static mt_node binary(mt_graph *graph, mt_op op, mt_node a, mt_node b)
{
    mt_node node;
    cr_assert_eq(mt_graph_binary(graph, op, a, b, &node), MT_OK);
    return node;
}

static void clear(void) { mt_arena_free(&arena); }

TestSuite(graph, .fini = clear);

Test(graph, equal_expressions_are_one_node)
{
    mt_graph *g = new_graph();
    const mt_node x = variable(g, 0), y = variable(g, 1);
    const mt_node sum = binary(g, MT_OP_ADD, x, y), e = unary(g, MT_OP_EXP, sum);
    mt_node choice, again;
    cr_assert_eq(mt_graph_select(g, x, sum, e, &choice), MT_OK);
    const size_t n = g->n;
    cr_expect_eq(variable(g, 0), x);
    cr_expect_eq(binary(g, MT_OP_ADD, x, y), sum);
    cr_expect_eq(unary(g, MT_OP_EXP, sum), e);
    cr_assert_eq(mt_graph_select(g, x, sum, e, &again), MT_OK);
    cr_expect_eq(again, choice);
    cr_expect_eq(g->n, n);
}

Test(graph, different_expressions_are_different_nodes)
{
    mt_graph *g = new_graph();
    const mt_node x = variable(g, 0), y = variable(g, 1);
    mt_node a, b;
    cr_expect_neq(x, y);
    cr_expect_neq(binary(g, MT_OP_ADD, x, y), binary(g, MT_OP_ADD, y, x), "nothing is reordered");
    cr_expect_neq(binary(g, MT_OP_ADD, x, y), binary(g, MT_OP_SUBTRACT, x, y));
    cr_expect_neq(unary(g, MT_OP_EXP, x), unary(g, MT_OP_EXPM1, x));
    cr_assert_eq(mt_graph_select(g, x, x, y, &a), MT_OK);
    cr_assert_eq(mt_graph_select(g, x, y, x, &b), MT_OK);
    cr_expect_neq(a, b);
    cr_expect_neq(number(g, 0), x, "a number is not the variable with the same bits");
}

Test(graph, numbers_are_compared_by_their_bits)
{
    mt_graph *g = new_graph();
    cr_expect_eq(number(g, 0.1), number(g, 0.1));
    cr_expect_neq(number(g, 0.1), number(g, nextafter(0.1, 1)));
    cr_expect_neq(number(g, 0.0), number(g, -0.0));
    cr_expect_eq(number(g, (double)NAN), number(g, -(double)NAN));
    cr_expect_neq(number(g, (double)INFINITY), number(g, -(double)INFINITY));
}

Test(graph, a_number_with_another_unit_is_another_node)
{
    mt_graph *g = new_graph();
    mt_node volts, amperes, again;
    cr_assert_eq(mt_graph_number_in(g, 5, 1, &volts), MT_OK);
    cr_assert_eq(mt_graph_number_in(g, 5, 2, &amperes), MT_OK);
    cr_assert_eq(mt_graph_number_in(g, 5, 1, &again), MT_OK);
    cr_expect_neq(volts, amperes);
    cr_expect_neq(volts, number(g, 5));
    cr_expect_eq(again, volts);
}

Test(graph, a_graph_grows_and_finds_its_nodes)
{
    enum { N = 5000 };
    mt_graph *g = new_graph();
    static mt_node node[N];
    for (size_t k = 0; k < N; k++) node[k] = number(g, (double)k);
    cr_expect_eq(g->n, N);
    for (size_t k = 0; k < N; k++) {
        cr_assert_eq(number(g, (double)k), node[k]);
        cr_assert_eq(g->node[node[k]].value, (double)k);
    }
    cr_expect_eq(g->n, N);
}

Test(graph, a_graph_with_too_many_nodes_is_rejected)
{
    mt_graph *g = new_graph();
    for (size_t k = 0; k < MT_GRAPH_NODES_MAX; k++) (void)variable(g, k);
    mt_node node;
    cr_expect_eq(mt_graph_variable(g, MT_GRAPH_NODES_MAX, &node), MT_INPUT);
    cr_expect(strstr(mt_message(), "1048576"), "%s", mt_message());
    cr_expect_eq(variable(g, 5), 5, "nodes that exist are found");
}

Test(graph, operands_precede_the_operation)
{
    mt_graph *g = new_graph();
    mt_node at = variable(g, 0);
    for (size_t k = 0; k < 1000; k++) at = binary(g, MT_OP_ADD, at, number(g, (double)(k % 7)));
    for (size_t k = 0; k < g->n; k++)
        for (size_t o = 0; o < 3; o++) {
            const mt_op op = g->node[k].op;
            if (op == MT_OP_NUMBER || op == MT_OP_VARIABLE) continue;
            if (o < mt_op_operands(op)) cr_assert_lt(g->node[k].operand[o], k);
            if (o >= mt_op_operands(op)) cr_assert_eq(g->node[k].operand[o], MT_NO_NODE);
        }
}

Test(graph, every_operation_has_a_name_and_operands)
{
    for (mt_op op = 0; op < MT_OPS; op++) {
        cr_assert(mt_op_name(op) && *mt_op_name(op), "%d", (int)op);
        const size_t n = op < MT_OP_NEGATE ? 0 : op < MT_OP_ADD ? 1 : op < MT_OP_SELECT ? 2 : 3;
        cr_expect_eq(mt_op_operands(op), n, "%s", mt_op_name(op));
    }
}

Test(graph, operations_have_their_usual_values)
{
    static const struct {
        mt_op op;
        double a, b, c, value;
    } cases[] = {{MT_OP_NEGATE, 2, 0, 0, -2}, {MT_OP_SQRT, 9, 0, 0, 3}, {MT_OP_EXP, 0, 0, 0, 1},
        {MT_OP_EXPM1, 0, 0, 0, 0}, {MT_OP_LOG, 1, 0, 0, 0}, {MT_OP_LOG10, 1000, 0, 0, 3},
        {MT_OP_LOG2, 8, 0, 0, 3}, {MT_OP_ABS, -2, 0, 0, 2}, {MT_OP_FLOOR, -1.5, 0, 0, -2},
        {MT_OP_CEIL, -1.5, 0, 0, -1}, {MT_OP_SIN, 0, 0, 0, 0}, {MT_OP_COS, 0, 0, 0, 1},
        {MT_OP_TAN, 0, 0, 0, 0}, {MT_OP_ASIN, 1, 0, 0, M_PI / 2}, {MT_OP_ACOS, 1, 0, 0, 0},
        {MT_OP_ATAN, 1, 0, 0, M_PI / 4}, {MT_OP_SINH, 0, 0, 0, 0}, {MT_OP_COSH, 0, 0, 0, 1},
        {MT_OP_TANH, 0, 0, 0, 0}, {MT_OP_CBRT, -27, 0, 0, -3}, {MT_OP_NOT, 0, 0, 0, 1},
        {MT_OP_NOT, 5, 0, 0, 0}, {MT_OP_ADD, 2, 3, 0, 5}, {MT_OP_SUBTRACT, 2, 3, 0, -1},
        {MT_OP_MULTIPLY, 2, 3, 0, 6}, {MT_OP_DIVIDE, 3, 2, 0, 1.5}, {MT_OP_POWER, 2, 3, 0, 8},
        {MT_OP_MIN, 2, 3, 0, 2}, {MT_OP_MAX, 2, 3, 0, 3}, {MT_OP_REMAINDER, -7, 3, 0, -1},
        {MT_OP_LESS, 2, 2, 0, 0}, {MT_OP_LESS, 1, 2, 0, 1}, {MT_OP_LESS_EQUAL, 2, 2, 0, 1},
        {MT_OP_EQUAL, 2, 2, 0, 1}, {MT_OP_EQUAL, 2, 3, 0, 0}, {MT_OP_AND, 2, 0, 0, 0},
        {MT_OP_AND, 2, -1, 0, 1}, {MT_OP_OR, 0, 3, 0, 1}, {MT_OP_OR, 0, 0, 0, 0}, {MT_OP_SELECT, 1, 5, 6, 5},
        {MT_OP_SELECT, 0, 5, 6, 6}, {MT_OP_SELECT, NAN, 5, 6, 5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        cr_expect_float_eq(mt_op_value(cases[k].op, cases[k].a, cases[k].b, cases[k].c), cases[k].value,
            1e-15, "%s of %g, %g, %g", mt_op_name(cases[k].op), cases[k].a, cases[k].b, cases[k].c);
}

Test(graph, nodes_in_order_are_a_program)
{
    mt_graph *g = new_graph();
    const mt_node x = variable(g, 1), sum = binary(g, MT_OP_ADD, x, number(g, 2));
    mt_node result;
    cr_assert_eq(
        mt_graph_select(g, binary(g, MT_OP_LESS, x, sum), binary(g, MT_OP_MULTIPLY, sum, sum), x, &result),
        MT_OK);
    const double variables[] = {100, 3};
    double value[20];
    for (size_t k = 0; k < g->n; k++) value[k] = mt_graph_node_value(g, (mt_node)k, variables, value);
    cr_expect_eq(value[result], 25);
}

Test(graph, marked_are_a_node_and_all_it_depends_on)
{
    mt_graph *g = new_graph();
    const mt_node x = variable(g, 0), y = variable(g, 1), two = number(g, 2);
    const mt_node a = binary(g, MT_OP_ADD, x, two), b = unary(g, MT_OP_EXP, y), c = unary(g, MT_OP_LOG, a);
    bool used[10] = {false};
    mt_graph_mark(g, c, used);
    cr_expect(used[x] && used[two] && used[a] && used[c]);
    cr_expect_not(used[y] || used[b]);
    mt_graph_mark(g, b, used);
    cr_expect(used[y] && used[b] && used[c], "earlier marks are kept");
}

Test(graph, out_of_memory_is_reported_without_a_leak)
{
    size_t n = 1;
    for (;; n++) {
        mt_graph *g = NULL;
        mt_node node;
        mt_arena_fail_at(n);
        mt_status status = mt_graph_new(&arena, &g);
        for (size_t k = 0; status == MT_OK && k < 1000; k++) status = mt_graph_number(g, (double)k, &node);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        if (status == MT_OK) break;
        cr_assert(status == MT_MEMORY && n < 20);
    }
    cr_expect_gt(n, 5, "growth allocates");
}
