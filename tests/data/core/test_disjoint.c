#include <criterion/criterion.h>

#include "data/core/disjoint.h"
#include "tests/random.h"

enum { N = 60 };

/* A slow reference: every number has its set, and joining two sets visits all numbers. */
Test(disjoint, the_root_of_a_set_is_its_lowest_number)
{
    uint64_t state = 1;
    for (int round = 0; round < 50; round++) {
        uint32_t parent[N], lowest[N];
        mt_disjoint_begin(parent, N);
        for (uint32_t k = 0; k < N; k++) lowest[k] = k;
        for (int pair = 0; pair < round; pair++) {
            const uint32_t a = (uint32_t)draw(&state, N), b = (uint32_t)draw(&state, N);
            const uint32_t from = lowest[a] < lowest[b] ? lowest[b] : lowest[a];
            const uint32_t to = lowest[a] < lowest[b] ? lowest[a] : lowest[b];
            cr_assert_eq(mt_disjoint_join(parent, a, b), to);
            for (int k = 0; k < N; k++)
                if (lowest[k] == from) lowest[k] = to;
        }
        for (uint32_t k = 0; k < N; k++) cr_assert_eq(mt_disjoint_root(parent, k), lowest[k]);
    }
}
