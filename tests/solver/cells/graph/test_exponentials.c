/* Expressions with shared exponentials have the values of the original ones, with fewer exponentials. */
#include <criterion/criterion.h>

#include <math.h>

#include "solver/cells/graph/exponentials.h"
#include "tests/solver/cells/graph/random_expressions.h"

enum { CONSTANT = 0, V = 2, OTHER = 3, MOST = 64 };

static mt_arena arena;
static mt_algebra m;

static void begin(void) { cr_assert_eq(mt_algebra_new(&arena, leaf_is_constant, &m), MT_OK); }
static void end(void) { mt_arena_free(&arena); }
TestSuite(exponentials, .init = begin, .fini = end);

/* exp(slope x + intercept) */
static mt_node exponential_of(mt_node slope, size_t x, double intercept)
{
    const mt_node argument = mt_sum(&m, mt_product(&m, slope, mt_symbol(&m, x)), mt_number(&m, intercept));
    return mt_apply(&m, MT_OP_EXP, &argument);
}

static mt_node exponential(double slope, double intercept)
{
    return exponential_of(mt_number(&m, slope), V, intercept);
}

/* Returns the number of exponentials in expressions. */
static size_t count(size_t n, const mt_node *root)
{
    bool *used = mt_arena_alloc(&arena, m.graph->n, sizeof *used);
    size_t found = 0;
    for (size_t k = 0; k < n; k++) mt_graph_mark(m.graph, root[k], used);
    for (size_t k = 0; k < m.graph->n; k++) found += used[k] && m.graph->node[k].op == MT_OP_EXP;
    return found;
}

/* Shares in expressions; they must have their values at all V, and so many exponentials. A value is a product of at most 5 factors, each
 * with a rounding error of 2 or of its argument. */
static void expect_shared(size_t n, const mt_node *root, size_t exponentials)
{
    mt_node shared[MOST];
    mt_exponentials_share(&m, V, n, root, shared);
    cr_assert_eq(m.status, MT_OK, "%s", mt_message());
    double leaf[LEAVES] = {0.7, 1, 0, 2}, *value = mt_arena_alloc(&arena, m.graph->n, sizeof *value);
    for (double v = -300; v <= 300; v += 12.5) {
        leaf[V] = v;
        values_of(m.graph, leaf, value);
        for (size_t k = 0; k < n; k++) {
            const double expected = value[root[k]], found = value[shared[k]];
            cr_assert(fabs(found - expected) <= 100 * 0x1p-53 * fabs(expected),
                "%zu at %g mV: %.17g, expected %.17g", k, v, found, expected);
        }
    }
    cr_expect_eq(count(n, shared), exponentials, "%zu, expected %zu", count(n, shared), exponentials);
}

Test(exponentials, equal_slopes_of_both_signs_share_one)
{
    const mt_node root[] = {
        exponential(0.2, 7), exponential(-0.2, -12), exponential(0.2, 0), exponential(-0.2, 3)};
    expect_shared(4, root, 1);
}

/* 0.05 is the base of 0.1, 0.15 and 0.2; 0.25 is 5 times as large, and 0.07 none of these. */
Test(exponentials, small_multiples_of_a_slope_are_powers)
{
    const mt_node root[] = {exponential(0.2, 1), exponential(0.1, -2), exponential(-0.05, 5),
        exponential(0.15, 0), exponential(-0.25, 1), exponential(0.07, 1)};
    expect_shared(6, root, 3);
}

/* 1/10 of a division, and 0.1 as written in a file, differ by rounding. */
Test(exponentials, slopes_that_differ_by_rounding_are_equal)
{
    const double tenth = 1.0 / 10, other = nextafter(tenth, 1);
    const mt_node root[] = {exponential(tenth, 1), exponential(other, -1), exponential(-3 * tenth / 3, 2)};
    expect_shared(3, root, 1);
}

Test(exponentials, exponentials_inside_of_expressions_share)
{
    const mt_node one = mt_number(&m, 1), up = exponential(0.2, 4), down = exponential(-0.2, 4);
    const mt_node root[] = {mt_quotient(&m, one, mt_sum(&m, one, up)),
        mt_product(&m, mt_quotient(&m, one, mt_sum(&m, one, down)), mt_symbol(&m, OTHER)), up};
    expect_shared(3, root, 1);
}

/* One alone, a slope that is a parameter, another variable, a slope that overflows single precision within 300 mV, and an intercept that
 * does. The first remains the same node. */
Test(exponentials, others_remain)
{
    const mt_node root[] = {exponential(0.2, 7), exponential_of(mt_symbol(&m, CONSTANT), V, 1),
        exponential_of(mt_symbol(&m, CONSTANT), V, 2), exponential_of(mt_number(&m, 0.2), OTHER, 1),
        exponential_of(mt_number(&m, 0.2), OTHER, 2), exponential(0.5, 1), exponential(0.5, 2),
        exponential(0.2, 90)};
    mt_node shared[8];
    expect_shared(8, root, 8);
    mt_exponentials_share(&m, V, 8, root, shared);
    for (size_t k = 0; k < 8; k++) cr_expect_eq(shared[k], root[k], "%zu", k);
}

Test(exponentials, lack_of_memory_is_a_status_of_the_algebra)
{
    for (size_t n = 1; n < 100; n++) {
        const mt_node root[] = {exponential(0.2, 7), exponential(-0.2, -12)};
        mt_node shared[2] = {0};
        mt_arena_fail_at(n);
        mt_exponentials_share(&m, V, 2, root, shared);
        mt_arena_fail_at(0);
        cr_assert(m.status == MT_OK || m.status == MT_MEMORY);
        if (m.status == MT_OK && n > 5) return;
        end(), begin();
    }
    cr_assert_fail("memory was never enough");
}
