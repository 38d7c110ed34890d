/* Simplified expressions have the value of the original ones; derivatives are those of difference quotients. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/solver/cells/graph/random_expressions.h"

enum { NODES_MOST = 1 << 15 };
static double value[NODES_MOST];

static mt_algebra algebra_in(mt_arena *arena)
{
    mt_algebra m;
    cr_assert_eq(mt_algebra_new(arena, leaf_is_constant, &m), MT_OK);
    return m;
}

static double value_of(const mt_algebra *m, mt_node node, const double *leaf)
{
    cr_assert_eq(m->status, MT_OK);
    cr_assert_lt(m->graph->n, NODES_MOST);
    values_of(m->graph, leaf, value);
    return value[node];
}

Test(algebra, copies_of_random_expressions_have_their_values)
{
    uint64_t random = 3;
    for (int turn = 0; turn < 300; turn++) {
        MT_SCRATCH(arena);
        mt_graph *g;
        cr_assert_eq(mt_graph_new(arena, &g), MT_OK);
        random_expression(g, &random, 60);
        mt_algebra m = algebra_in(arena);
        mt_node leaf[LEAVES], *copy = mt_arena_alloc(arena, g->n, sizeof *copy);
        double at[LEAVES], *expected = mt_arena_alloc(arena, g->n, sizeof *expected);
        for (size_t k = 0; k < LEAVES; k++) leaf[k] = mt_symbol(&m, k), at[k] = between(&random, -3, 3);
        mt_algebra_copy(&m, g, 0, g->n, leaf, copy);
        values_of(g, at, expected);
        (void)value_of(&m, 0, at);
        for (size_t k = 0; k < g->n; k++) {
            const mt_op op = g->node[k].op;
            if (op == MT_OP_FLOOR || op == MT_OP_CEIL || op == MT_OP_REMAINDER || op == MT_OP_EQUAL)
                break; /* jumps at rounding errors */
            cr_assert(fabs(value[copy[k]] - expected[k]) <= 1e-11 * (1 + fabs(expected[k])),
                "turn %d, node %zu, %s: %.17g, expected %.17g", turn, k, mt_op_name(op), value[copy[k]],
                expected[k]);
        }
    }
}

/* x < y ? x : y, in all four orders: one operation instead of two. */
Test(algebra, selections_of_the_smaller_or_larger_number_are_minima_and_maxima)
{
    const double leaf[LEAVES] = {[2] = 1.5, [3] = -0.5};
    for (int kind = 0; kind < 4; kind++) {
        MT_SCRATCH(arena);
        mt_algebra m = algebra_in(arena);
        const mt_node x[2] = {mt_symbol(&m, 2), mt_symbol(&m, 3)};
        const bool larger = kind % 2 != 0;
        const mt_node less = mt_apply(&m, kind < 2 ? MT_OP_LESS : MT_OP_LESS_EQUAL, x),
                      node = mt_choice(&m, less, x[larger], x[!larger]);
        cr_assert_eq(m.status, MT_OK);
        cr_expect_eq(m.graph->node[node].op, larger ? MT_OP_MAX : MT_OP_MIN, "%d", kind);
        cr_expect_eq(value_of(&m, node, leaf), larger ? 1.5 : -0.5, "%d", kind);
    }
}

Test(algebra, derivatives_are_limits_of_difference_quotients)
{
    uint64_t random = 5;
    size_t compared = 0;
    for (int turn = 0; turn < 400; turn++) {
        MT_SCRATCH(arena);
        mt_graph *g;
        cr_assert_eq(mt_graph_new(arena, &g), MT_OK);
        const mt_node root = random_expression(g, &random, 12);
        mt_algebra m = algebra_in(arena);
        mt_node leaf[LEAVES], *copy = mt_arena_alloc(arena, g->n, sizeof *copy);
        double at[LEAVES], moved[LEAVES];
        for (size_t k = 0; k < LEAVES; k++) leaf[k] = mt_symbol(&m, k), at[k] = between(&random, -3, 3);
        mt_algebra_copy(&m, g, 0, g->n, leaf, copy);
        const size_t by = draw(&random, LEAVES);
        const mt_node slope = mt_derivative(&m, copy[root], by);
        const double d = value_of(&m, slope, at), h = 1e-5;
        double quotient[2];
        for (int half = 0; half < 2; half++) {
            double f[2];
            for (int side = 0; side < 2; side++) {
                memcpy(moved, at, sizeof moved);
                moved[by] += (side ? 1 : -1) * h / (1 + half);
                f[side] = value_of(&m, copy[root], moved);
            }
            quotient[half] = (f[1] - f[0]) / (2 * h / (1 + half));
        }
        if (!(fabs(quotient[0] - quotient[1]) < 1e-6 * (1 + fabs(d))))
            continue; /* a kink or a jump is near */
        compared++;
        cr_assert(
            fabs(d - quotient[1]) < 1e-5 * (1 + fabs(d)), "turn %d: %g, quotient %g", turn, d, quotient[1]);
    }
    cr_expect_gt(compared, 300);
}

/* ---- singularities ---- */

static mt_node exp_of(mt_algebra *m, mt_node x) { return mt_apply(m, MT_OP_EXP, &x); }

/* Computes x + c. */
static mt_node plus(mt_algebra *m, mt_node x, double c) { return mt_sum(m, x, mt_number(m, c)); }
static mt_node times(mt_algebra *m, double c, mt_node x) { return mt_product(m, mt_number(m, c), x); }

Test(algebra, removable_singularities_have_their_limit)
{
    MT_SCRATCH(arena);
    mt_algebra m = algebra_in(arena);
    const mt_node v = mt_symbol(&m, 2), one_ = mt_number(&m, 1);
    const struct {
        mt_node node;
        double zero, limit; /* where it is 0 / 0 */
    } cases[] = {
        {mt_quotient(&m, times(&m, 0.32, plus(&m, v, 47.13)),
             mt_difference(&m, one_, exp_of(&m, times(&m, -0.1, plus(&m, v, 47.13))))),
            -47.13, 3.2},
        {mt_quotient(&m, plus(&m, v, 40), plus(&m, exp_of(&m, plus(&m, times(&m, 0.2, v), 8)), -1)), -40, 5},
        {mt_quotient(&m, times(&m, 7, v), plus(&m, exp_of(&m, mt_quotient(&m, v, mt_number(&m, 25))), -1)), 0,
            175},
        {mt_quotient(&m, mt_difference(&m, one_, exp_of(&m, times(&m, -0.1, plus(&m, v, 10)))),
             times(&m, 0.035, plus(&m, v, 10))),
            -10, 0.1 / 0.035},
        /* the slope is a parameter */
        {mt_quotient(&m, mt_product(&m, mt_product(&m, v, mt_symbol(&m, 3)), mt_number(&m, 4)),
             plus(&m, exp_of(&m, mt_product(&m, v, mt_symbol(&m, 0))), -1)),
            0, 4 * 3 / 0.5},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int e = -1; e < 16; e++) {
            const double away = e < 0 ? 0 : pow(10, -e - 1), leaf[LEAVES] = {0.5, 1, cases[k].zero + away, 3};
            const double limit = cases[k].limit, found = value_of(&m, cases[k].node, leaf);
            cr_assert(fabs(found / limit - 1) < 0.5 * away + 1e-9, "case %zu, %g away: %.12g, limit %g", k,
                away, found, limit);
        }
    }
}

/* ---- forms ---- */

/* Counts the operations of one kind that a node needs. */
static size_t count(const mt_algebra *m, mt_node root, mt_op op)
{
    MT_SCRATCH(scratch);
    bool *used = mt_arena_alloc(scratch, m->graph->n, sizeof *used);
    size_t n = 0;
    mt_graph_mark(m->graph, root, used);
    for (mt_node k = 0; k <= root; k++) n += used[k] && m->graph->node[k].op == op;
    return n;
}

Test(algebra, constants_are_collected_and_powers_are_products)
{
    MT_SCRATCH(arena);
    mt_algebra m = algebra_in(arena);
    const mt_node p = mt_symbol(&m, 0), q = mt_symbol(&m, 1), x = mt_symbol(&m, 2), y = mt_symbol(&m, 3);
    /* p (x (q y)) / 3 = ((p q) / 3) (x y): one product of variables, and one with a constant */
    const mt_node product =
        mt_quotient(&m, mt_product(&m, p, mt_product(&m, x, mt_product(&m, q, y))), mt_number(&m, 3));
    cr_expect_eq(m.graph->node[product].op, MT_OP_MULTIPLY);
    cr_expect(mt_is_constant(&m, m.graph->node[product].operand[0]));
    cr_expect_not(mt_is_constant(&m, product));
    const mt_node cube = mt_power(&m, x, mt_number(&m, 3)), square = mt_product(&m, x, x);
    cr_expect_eq(count(&m, cube, MT_OP_POWER), 0);
    cr_expect(count(&m, cube, MT_OP_MULTIPLY) == 2 && m.graph->node[cube].operand[1] == square);
    cr_expect_eq(mt_product(&m, mt_power(&m, x, mt_number(&m, -1)), x), mt_number(&m, 1));
    cr_expect_eq(mt_difference(&m, x, x), mt_number(&m, 0));
    cr_expect_eq(m.graph->node[mt_power(&m, x, mt_number(&m, 0.37))].op, MT_OP_POWER);
    const mt_node cold = mt_power(&m, mt_number(&m, 3), x);
    cr_expect_eq(m.graph->node[cold].op, MT_OP_EXP);
    cr_expect_eq(m.status, MT_OK);
}

Test(algebra, numbers_of_inexact_functions_are_left_to_the_program)
{
    MT_SCRATCH(arena);
    mt_algebra m = algebra_in(arena);
    const mt_node two_ = mt_number(&m, 2);
    cr_expect_eq(mt_apply(&m, MT_OP_SQRT, &(const mt_node){mt_number(&m, 4)}), two_);
    cr_expect_eq(m.graph->node[mt_apply(&m, MT_OP_EXP, &two_)].op, MT_OP_EXP);
    cr_expect(mt_is_constant(&m, mt_apply(&m, MT_OP_EXP, &two_)));
}

Test(algebra, lack_of_memory_is_a_status_of_the_algebra)
{
    for (size_t n = 1; n < 40; n++) {
        MT_SCRATCH(arena);
        mt_algebra m;
        mt_arena_fail_at(n);
        if (mt_algebra_new(arena, leaf_is_constant, &m) != MT_OK) continue;
        mt_node x = mt_symbol(&m, 2);
        for (int k = 0; k < 300; k++) x = mt_sum(&m, mt_product(&m, x, x), mt_number(&m, k));
        x = mt_derivative(&m, x, 2);
        x = mt_replaced(&m, x, 2, mt_symbol(&m, 3));
        mt_arena_fail_at(0);
        cr_expect(m.status == MT_OK || m.status == MT_MEMORY);
        if (m.status == MT_OK) return;
    }
    cr_expect_fail("memory was never enough");
}

/* Single precision holds neither 2000^16 nor 0.001^16. */
Test(algebra, powers_keep_a_ratio_together)
{
    MT_SCRATCH(arena);
    mt_algebra m = algebra_in(arena);
    const mt_node ratio = mt_quotient(&m, mt_symbol(&m, 2), mt_number(&m, 0.0005)),
                  power = mt_power(&m, ratio, mt_number(&m, 16));
    const double leaf[LEAVES] = {1, 1, 0.001};
    cr_expect_float_eq(value_of(&m, power, leaf) / 65536, 1, 1e-12);
    for (mt_node k = 0; k < m.graph->n; k++) cr_expect_lt(fabs(value[k]), 1e6);
}

/* Returns w v u (v + u) / (exp(u / 7) - 1). The variables are created in this order, and w v before or after u (v + u). */
static double product_of(const size_t order[3], bool first, const double *leaf)
{
    MT_SCRATCH(arena);
    mt_algebra m = algebra_in(arena);
    for (size_t k = 0; k < 3; k++) (void)mt_symbol(&m, order[k]);
    const mt_node u = mt_symbol(&m, 2), v = mt_symbol(&m, 3), w = mt_symbol(&m, 4), sum = mt_sum(&m, v, u);
    const mt_node before = first ? mt_product(&m, w, v) : mt_product(&m, u, sum);
    const mt_node after = first ? mt_product(&m, sum, u) : mt_product(&m, v, w);
    const mt_node grown = plus(&m, exp_of(&m, times(&m, 1. / 7, u)), -1);
    return value_of(&m, mt_quotient(&m, mt_product(&m, before, after), grown), leaf);
}

Test(algebra, the_order_in_which_nodes_are_created_does_not_change_a_bit)
{
    static const size_t orders[][3] = {{2, 3, 4}, {4, 3, 2}, {3, 4, 2}, {2, 4, 3}, {3, 2, 4}, {4, 2, 3}};
    uint64_t random = 21;
    for (int turn = 0; turn < 100; turn++) {
        double leaf[LEAVES];
        for (size_t k = 0; k < LEAVES; k++) leaf[k] = between(&random, -3, 3);
        const double first = product_of(orders[0], true, leaf);
        for (size_t k = 0; k < 12; k++) {
            const double other = product_of(orders[k / 2], k % 2 == 0, leaf);
            cr_assert(memcmp(&first, &other, sizeof first) == 0, "order %zu: %.17g, %.17g", k, first, other);
        }
    }
}
