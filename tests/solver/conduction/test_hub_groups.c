/* Groups of hubs. */
#include <criterion/criterion.h>

#include "solver/conduction/hub_groups.h"
#include "tests/solver/conduction/networks.h"

enum { HUBS_MOST = 2000 };

static void check_groups(const mt_elimination *e, const mt_hub_groups *groups)
{
    size_t of[HUBS_MOST], level[HUBS_MOST], n = 0, most = 1;
    cr_assert_leq(e->n_hubs, HUBS_MOST);
    while (most * most < e->n_hubs) most++;
    for (size_t k = 0; k <= groups->n_below; k++) {
        const mt_hub_group *g = &groups->group[k];
        cr_assert(g->n > 0 || k == groups->n_below);
        cr_assert(g->n <= most || k == groups->n_below, "%zu of %zu hubs", g->n, e->n_hubs);
        for (size_t i = 0; i < g->n; i++, n++) of[g->hub[i]] = k, level[g->hub[i]] = g->level[i];
        for (size_t i = 1; i < g->n; i++) cr_assert_lt(groups->rank[g->hub[i - 1]], groups->rank[g->hub[i]]);
        cr_assert(k < groups->n_below ? g->n_got_up == 0 : g->n_got_down == 0);
    }
    cr_assert_eq(n, e->n_hubs);
    for (size_t k = 0; k < e->n_hubs; k++) {
        const uint32_t hub = e->order[k];
        cr_assert_eq(groups->rank[hub], k);
        size_t expected = 0;
        for (size_t i = e->row[k]; i < e->row[k + 1]; i++) {
            const uint32_t below = e->earlier[i];
            cr_assert(
                of[hub] == groups->n_below || of[below] == of[hub], "hub %u needs one of another group", hub);
            if (of[below] == of[hub] && level[below] >= expected) expected = level[below] + 1;
        }
        cr_assert_eq(level[hub], expected);
    }
}

/* Counts the hubs of a list that are not listed. */
static size_t n_missing(const mt_hub_groups *groups, size_t group, size_t n, const uint32_t *list, bool up)
{
    const mt_hub_group *g = &groups->group[group];
    size_t missing = 0;
    for (size_t i = 0; i < n; i++) {
        bool there = false;
        for (size_t k = 0; k < g->n; k++) there |= g->hub[k] == list[i];
        for (size_t k = 0; k < (up ? g->n_got_up : g->n_got_down); k++)
            there |= (up ? g->got_up : g->got_down)[k] == list[i];
        missing += !there;
    }
    return missing;
}

Test(hub_groups, groups_are_small_subtrees_and_have_all_that_they_need)
{
    size_t most_below = 0;
    for (uint64_t number = 0; number < 12; number++) {
        mt_arena arena = {0};
        mt_network network;
        mt_cables cables;
        mt_elimination e;
        mt_hub_groups groups;
        uint64_t seed = number;
        const mt_cables_rule rule = {0.2, 0.05, 0.4, 0.01, 1};
        if (number < 4)
            straight_network(&arena, 100 * (size_t)(number + 1), 1, &network);
        else
            random_network(&arena, &seed, number % 2 ? LOOPS : TREE, 8, &network);
        ok(mt_cables_make(&arena, &network, NULL, &rule, &cables));
        ok(mt_elimination_make(&arena, &cables, cables.capacitance_uF, &e));
        ok(mt_hub_groups_make(&arena, &e, &groups));
        check_groups(&e, &groups);
        for (size_t k = 0; k <= groups.n_below; k++)
            for (size_t i = 0; i < groups.group[k].n; i++) {
                const size_t rank = groups.rank[groups.group[k].hub[i]];
                cr_assert_eq(
                    n_missing(&groups, k, e.row[rank + 1] - e.row[rank], e.earlier + e.row[rank], true), 0);
                cr_assert_eq(
                    n_missing(&groups, k, e.column[rank + 1] - e.column[rank], e.hub + e.column[rank], false),
                    0);
            }
        if (groups.n_below > most_below) most_below = groups.n_below;
        mt_arena_free(&arena);
    }
    cr_assert_gt(most_below, 5);
}
