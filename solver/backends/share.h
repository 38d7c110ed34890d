/* The part of a problem that a rank computes, as a problem of its own.
 *
 * It has the elements that the rank owns and those that it receives: all that are at most two faces away from its own are among these, of which
 * its rows are made (solver/diffusion/rows.h). They stand in the order of the whole, so that rows are the same to the bit; stimuli reach
 * own elements only. So a rank holds its part, the surface of that, and some numbers for each part of the partition. Rank 0 has the whole
 * problem, and gives the others theirs. */
#pragma once

#include "solver/backends/backend.h"

/* On rank 0: gives all other ranks of the layout their parts of a problem, whose operator is lean. A problem in which all tiles meet, as
 * implicit steps do, keeps an element on each (mt_halo_seen). MT_MEMORY. */
MT_NODISCARD mt_status mt_share_give(
    const mt_backend *backend, const mt_monodomain *problem, const mt_layout *layout);

/* On the others, at the same time: gives in `arena` this rank's part, and adds the halo to a layout without one, with the elements numbered
 * as in the part; those of parts that the rank has nothing to do with are not in it. MT_MEMORY. */
MT_NODISCARD mt_status mt_share_take(mt_arena *arena, mt_layout *layout, mt_monodomain **part);
