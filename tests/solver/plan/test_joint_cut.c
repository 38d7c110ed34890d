/* Places of chains, if the tissue has been partitioned. */
#include <criterion/criterion.h>

#include "solver/plan/joint_cut.h"

/* Parts with loads of 7, 3 and 2, and on the first a chain of 4, one of 6 and one of 1. The heaviest goes to part 2, the next to part 1,
 * and the last to part 0, which has the least load then. */
Test(joint_cut, the_heaviest_chain_goes_to_the_least_loaded_part_first)
{
    mt_arena arena = {0};
    uint32_t weight[] = {4 + 11, 3, 3, 2}, chain_weight[] = {4, 6, 1}, attached[] = {0, 0, 0};
    uint32_t part[] = {0, 0, 1, 2}, *chain_part;
    const mt_joint_cut joint = {attached, weight, chain_weight};
    const mt_partition tissue = {.n_parts = 3, .parts_per_group = 3, .n_elements = 4, .part = part};
    cr_assert_eq(mt_joint_cut_place(&arena, &joint, 3, &tissue, &chain_part), MT_OK);
    cr_expect_eq(chain_part[1], 2);
    cr_expect_eq(chain_part[0], 1);
    cr_expect_eq(chain_part[2], 0);
    mt_arena_free(&arena);
}

/* All on part 0, loads are 18, 3 and 2. The chain of 6 moves to part 2 (12, 3, 8), that of 4 to part 1 (8, 7, 8), and the last one stays,
 * as it would make part 1 the largest. Lighter chains do not move. */
Test(joint_cut, chains_move_from_the_most_to_the_least_loaded_part_while_this_helps)
{
    mt_arena arena = {0};
    uint32_t weight[] = {4 + 11, 3, 3, 2}, chain_weight[] = {4, 6, 1}, attached[] = {0, 0, 0};
    uint32_t part[] = {0, 0, 1, 2}, *chain_part;
    const mt_joint_cut joint = {attached, weight, chain_weight};
    const mt_partition tissue = {.n_parts = 3, .parts_per_group = 3, .n_elements = 4, .part = part};
    cr_assert_eq(mt_joint_cut_parts(&arena, &joint, 3, &tissue, &chain_part), MT_OK);
    cr_expect_eq(chain_part[1], 2);
    cr_expect_eq(chain_part[0], 1);
    cr_expect_eq(chain_part[2], 0);
    mt_arena_free(&arena);
}
