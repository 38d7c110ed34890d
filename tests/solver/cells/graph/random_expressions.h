/* Random expressions of every operation, for tests of what is done with expressions. Values stay within about 1e3. */
#pragma once

#include "solver/cells/graph/algebra.h"
#include "tests/random.h"

enum { LEAVES = 7 }; /* variables 0 .. LEAVES - 1; the first two are constant */
static const bool leaf_is_constant[LEAVES] = {true, true};

/* Returns sin(x), which keeps the arguments of other operations small. */
static mt_node tamed(mt_graph *g, mt_node x)
{
    mt_node y = 0;
    cr_assert_eq(mt_graph_unary(g, MT_OP_SIN, x, &y), MT_OK);
    return y;
}

static mt_node two(mt_graph *g, mt_op op, mt_node a, mt_node b)
{
    mt_node y = 0;
    cr_assert_eq(mt_graph_binary(g, op, a, b, &y), MT_OK);
    return y;
}

static mt_node one(mt_graph *g, mt_op op, mt_node a)
{
    mt_node y = 0;
    cr_assert_eq(mt_graph_unary(g, op, a, &y), MT_OK);
    return y;
}

static mt_node number(mt_graph *g, double value)
{
    mt_node y = 0;
    cr_assert_eq(mt_graph_number(g, value, &y), MT_OK);
    return y;
}

/* Returns |x| + 1/2. */
static mt_node positive(mt_graph *g, mt_node x)
{
    return two(g, MT_OP_ADD, one(g, MT_OP_ABS, tamed(g, x)), number(g, 0.5));
}

/* Adds an operation on nodes that exist. */
static mt_node random_operation(mt_graph *g, mt_op op, mt_node a, mt_node b, mt_node c)
{
    static const double exponents[] = {0, 1, 2, 3, 4, -1, -2, 0.5, 1.5, -0.5, 16, 0.7, -1.3};
    mt_node y = 0;
    switch (op) {
    case MT_OP_SQRT:
    case MT_OP_LOG:
    case MT_OP_LOG10:
    case MT_OP_LOG2:
        return one(g, op, positive(g, a));
    case MT_OP_TAN:
    case MT_OP_ASIN:
    case MT_OP_ACOS:
        return one(g, op, two(g, MT_OP_MULTIPLY, number(g, 0.9), tamed(g, a)));
    case MT_OP_DIVIDE:
    case MT_OP_REMAINDER:
        return two(g, op, tamed(g, a), positive(g, b));
    case MT_OP_POWER:
        return two(g, op, positive(g, a), number(g, exponents[b % (sizeof exponents / sizeof *exponents)]));
    case MT_OP_SELECT:
        cr_assert_eq(mt_graph_select(g, two(g, MT_OP_LESS, tamed(g, a), tamed(g, b)), c, a, &y), MT_OK);
        return tamed(g, y);
    default:
        return mt_op_operands(op) == 1 ? one(g, op, tamed(g, a)) : two(g, op, tamed(g, a), tamed(g, b));
    }
}

/* Adds `n` random operations; returns the last node. */
static inline mt_node random_expression(mt_graph *g, uint64_t *random, size_t n)
{
    mt_node y = 0;
    for (size_t k = 0; k < LEAVES; k++) cr_assert_eq(mt_graph_variable(g, k, &y), MT_OK);
    for (size_t k = 0; k < 4; k++) y = number(g, between(random, -2, 2));
    for (size_t k = 0; k < n; k++) {
        const mt_op op = MT_OP_NEGATE + (mt_op)draw(random, MT_OPS - MT_OP_NEGATE);
        const mt_node a = (mt_node)draw(random, g->n), b = (mt_node)draw(random, g->n),
                      c = (mt_node)draw(random, g->n);
        y = random_operation(g, op, a, b, c);
    }
    return y;
}

/* Computes all nodes of a graph. */
static void values_of(const mt_graph *g, const double *leaf, double *value)
{
    for (mt_node k = 0; k < g->n; k++) value[k] = mt_graph_node_value(g, k, leaf, value);
}
