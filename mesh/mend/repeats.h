/* Elements that a file lists several times, once for each part of the mesh they belong to. */
#pragma once

#include "mesh/mesh.h"

enum { MT_REPEATS_PAIRS = 4 };

typedef struct mt_repeats {
    size_t n_merged; /* elements removed */
    size_t n_lost;   /* memberships without room: more than MT_GROUPS_MAX groups */
    struct {
        int32_t region, other; /* of the element that stays and of the removed one */
        size_t n;
    } pair[MT_REPEATS_PAIRS]; /* the first different pairs of regions; n is 0 from the last one on */
} mt_repeats;

/* Merges elements that have the same four vertices and different regions or groups, in place. The first stays, with the groups of the
 * others; their regions become groups it belongs to (mesh/names.h). A repeat with the same region and groups stays, too: a defect.
 * `without` [n_elements]: not 0 for an element without a region, which takes the first one of its repeats; it is updated. NULL: all have
 * a region. The mesh has passed mt_mesh_check_content. MT_MEMORY. O(n log n) at worst, in practice O(n). */
MT_NODISCARD mt_status mt_repeats_merge(
    mt_arena *arena, mt_mesh *mesh, uint8_t *without, mt_repeats *repeats);

/* Adds notes on merged elements, with their regions, and on lost memberships. MT_MEMORY. */
MT_NODISCARD mt_status mt_repeats_note(mt_arena *arena, mt_mesh *mesh, const mt_repeats *repeats);

/* The last step of a reader whose files list elements once for each part they belong to: merges them, with notes, and gives a tag to
 * elements without a region (mt_names_unassigned). `n_lost`: memberships that were lost before. MT_MEMORY. */
MT_NODISCARD mt_status mt_repeats_settle(mt_arena *arena, mt_mesh *mesh, uint8_t *without, size_t n_lost);
