/* The invariants of mesh/adjacency.h; the message names the first offending element. */
#pragma once

#include "mesh/adjacency.h"

static inline size_t times_in(const uint32_t four[4], uint32_t element)
{
    return (size_t)(four[0] == element) + (four[1] == element) + (four[2] == element) + (four[3] == element);
}

static inline mt_status adjacency_check(const mt_adjacency *adjacency)
{
    for (size_t c = 0; c < adjacency->n_elements; c++)
        for (size_t f = 0; f < 4; f++) {
            const uint32_t *mine = adjacency->neighbour + 4 * c;
            uint32_t n = mine[f];
            if (n == MT_NO_ELEMENT) continue;
            if (n >= adjacency->n_elements || n == c)
                return mt_fail(MT_INPUT,
                    "element %zu: neighbour %u across face %zu; another element below %zu is allowed", c, n,
                    f, adjacency->n_elements);
            if (times_in(mine, n) != 1 || times_in(adjacency->neighbour + 4 * (size_t)n, (uint32_t)c) != 1)
                return mt_fail(MT_INPUT,
                    "elements %zu and %u: neighbours by %zu faces one way and %zu the other; it must be 1 "
                    "and 1",
                    c, n, times_in(mine, n), times_in(adjacency->neighbour + 4 * (size_t)n, (uint32_t)c));
        }
    return MT_OK;
}
