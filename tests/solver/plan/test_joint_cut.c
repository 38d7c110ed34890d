/* Places of chains, if the tissue has been partitioned. */
#include <criterion/criterion.h>

#include "solver/plan/joint_cut.h"

/* Parts with loads of 7, 3 and 2; chains of 4, 6 and 1: the heaviest goes to part 2, the next to part 1, and the last to part 1 or 0, of
 * which the first has the least load. */
Test(joint_cut, the_heaviest_chain_goes_to_the_least_loaded_part_first)
{
    mt_arena arena = {0};
    const uint32_t weight[] = {4, 3, 3, 2, 4, 6, 1};
    uint32_t part[] = {0, 0, 1, 2}, *chain_part;
    const mt_cut_graph joint = {.n_nodes = 7, .weight = weight};
    const mt_partition tissue = {.n_parts = 3, .parts_per_group = 3, .n_elements = 4, .part = part};
    cr_assert_eq(mt_joint_place(&arena, &joint, &tissue, &chain_part), MT_OK);
    cr_expect_eq(chain_part[1], 2);
    cr_expect_eq(chain_part[0], 1);
    cr_expect_eq(chain_part[2], 0);
    mt_arena_free(&arena);
}
