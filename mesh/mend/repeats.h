/* Elements that a file lists several times, once for each part of the mesh they belong to. */
#ifndef MT_MESH_MEND_REPEATS_H
#define MT_MESH_MEND_REPEATS_H

#include "mesh/mesh.h"

typedef struct mt_repeats {
    size_t n_merged; /* elements removed */
    size_t n_lost;   /* memberships without room: more than MT_GROUPS_MAX groups */
} mt_repeats;

/* Merges elements that have the same four vertices and different regions, in place. The first stays; the regions of the others
 * become groups it belongs to (mesh/names.h). A repeat with the region of the first stays, too: a defect. `zero_is_none`: an
 * element of region 0 has none, so it takes the first other region. The mesh has passed mt_mesh_check_content. MT_MEMORY.
 * O(n log n) at worst, in practice O(n). */
MT_NODISCARD mt_status mt_repeats_merge(
    mt_arena *arena, mt_mesh *mesh, bool zero_is_none, mt_repeats *repeats);

/* Adds what was merged and lost to the notes of the mesh; nothing if there was nothing. MT_MEMORY. */
MT_NODISCARD mt_status mt_repeats_note(mt_arena *arena, const mt_repeats *repeats, mt_mesh *mesh);

#endif
