/* How many cells of one part another part needs, for all pairs of parts that touch: a table from pairs to counts. */
#ifndef MT_MESH_CUT_CONTACTS_H
#define MT_MESH_CUT_CONTACTS_H

#include <stddef.h>
#include <stdint.h>

#include "data/arena.h"
#include "data/status.h"

/* All zero is an empty table, in which every pair counts zero. Open addressing, at most half full. */
typedef struct mt_contacts {
    size_t room, used; /* a power of two, or zero; places that have a pair */
    uint64_t *pair;    /* [room] */
    uint32_t *count;   /* [room] */
} mt_contacts;

uint32_t mt_contacts_count(const mt_contacts *contacts, uint32_t source, uint32_t reader);

/* Adds to the count of a pair, which stays at or above zero. A table that is half full moves to one twice as large, the
 * old one stays in the arena. MT_FILE: no memory; never for a pair that has been added to before. */
MT_NODISCARD mt_status mt_contacts_add(
    mt_arena *arena, mt_contacts *contacts, uint32_t source, uint32_t reader, int32_t more);

#endif
