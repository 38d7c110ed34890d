/* Elements that a file lists several times, once for each part of the mesh they belong to. */
#pragma once

#include "mesh/mesh.h"

enum { MT_REPEATS_PAIRS = 4 };

typedef struct mt_repeats {
    size_t n_merged; /* elements removed */
    size_t n_lost;   /* lost memberships, beyond MT_GROUPS_MAX groups */
    struct {
        int32_t region, other; /* of the element kept and of the removed one */
        size_t n;
    } pair[MT_REPEATS_PAIRS]; /* the first different pairs of regions; unused entries have n = 0 */
} mt_repeats;

/* Merges elements with the same four vertices and different regions or groups, in place. The first is kept, with the groups
 * of the others; their regions become groups it belongs to (mesh/names.h). A repeat with the same region and groups is not
 * merged: it is a defect. `without` [n_elements]: nonzero for an element without a region, which takes the first region of
 * its repeats; updated. NULL: all have a region. The mesh has passed mt_mesh_check_content. MT_MEMORY. Time O(n log n) in the
 * worst case, O(n) in practice. */
MT_NODISCARD mt_status mt_repeats_merge(
    mt_arena *arena, mt_mesh *mesh, uint8_t *without, mt_repeats *repeats);

/* Adds notes on merged elements, with their regions, and on lost memberships. MT_MEMORY. */
MT_NODISCARD mt_status mt_repeats_note(mt_arena *arena, mt_mesh *mesh, const mt_repeats *repeats);

/* Final step of readers of formats that list an element once for each part it belongs to: merges repeats, with notes, and
 * assigns a tag to elements without a region (mt_names_unassigned). `n_lost`: memberships lost before. MT_MEMORY. */
MT_NODISCARD mt_status mt_repeats_settle(mt_arena *arena, mt_mesh *mesh, uint8_t *without, size_t n_lost);
