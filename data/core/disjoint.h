/* Disjoint sets of numbers that are joined one pair after the other: which set is a number in? (union-find)
 *
 * parent[k] <= k leads to the lowest number of k's set, its root, in one step or several. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Each of the n numbers is a set of its own. */
static inline void mt_disjoint_begin(uint32_t *parent, size_t n)
{
    for (size_t k = 0; k < n; k++) parent[k] = (uint32_t)k;
}

/* The lowest number of the set that k is in; shortens the way there. */
static inline uint32_t mt_disjoint_root(uint32_t *parent, uint32_t k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

/* Makes the sets of a and b one; gives its root. */
static inline uint32_t mt_disjoint_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = mt_disjoint_root(parent, a), b = mt_disjoint_root(parent, b);
    return a < b ? (parent[b] = a) : (parent[a] = b);
}
