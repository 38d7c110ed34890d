/* Hubs of an elimination in groups that can be solved at the same time.
 *
 * The parent of a hub in the elimination tree is the next one in its column; all hubs in its row are below it. Groups are the largest
 * subtrees of at most as many hubs as the root of their number, and the hubs above all of these, the *top*. Upwards, a group needs nothing
 * of other groups, and the top needs b of hubs below. Downwards, a group needs x of hubs above. */
#pragma once

#include "solver/conduction/elimination.h"

typedef struct mt_hub_group {
    size_t n, n_got_up, n_got_down;    /* hubs, and hubs of other groups that are needed */
    uint32_t *hub, *got_up, *got_down; /* from 0; hubs in the order of the elimination */
    size_t n_levels;
    uint32_t *level; /* [n] from 0: one above the highest of the group's hubs in its row */
} mt_hub_group;

typedef struct mt_hub_groups {
    uint32_t *rank;      /* [n_hubs] place of a hub in the order of the elimination */
    size_t n_below;      /* groups below the top */
    mt_hub_group *group; /* [n_below + 1] the last is the top, possibly without hubs */
} mt_hub_groups;

/* Divides the hubs into groups, in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_hub_groups_make(
    mt_arena *arena, const mt_elimination *elimination, mt_hub_groups *groups);
