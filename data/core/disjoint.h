/* Disjoint sets of numbers with union and find.
 *
 * parent[k] <= k leads, in one or more steps, to the root of the set of k, which is its lowest number. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Initialises n sets of one number each. */
static inline void mt_disjoint_begin(uint32_t *parent, size_t n)
{
    for (size_t k = 0; k < n; k++) parent[k] = (uint32_t)k;
}

/* Returns the lowest number of the set of k, and shortens the path to it. */
static inline uint32_t mt_disjoint_root(uint32_t *parent, uint32_t k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

/* Joins the sets of a and b; returns their root. */
static inline uint32_t mt_disjoint_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = mt_disjoint_root(parent, a), b = mt_disjoint_root(parent, b);
    return a < b ? (parent[b] = a) : (parent[a] = b);
}
