#include "solver/cells/import/scoped_names.h"

#include <string.h>

#include "data/core/hash.h"

/* Returns the slot of a name: the one that holds it, or an empty one. */
static mt_scoped_name *slot_of(const mt_scoped_names *names, size_t scope, const char *text, size_t length)
{
    size_t s = (mt_hash_short(text, length) + scope * 0x9e3779b97f4a7c15) & (names->n_slots - 1);
    for (;; s = (s + 1) & (names->n_slots - 1)) {
        mt_scoped_name *slot = &names->slot[s];
        if (!slot->text) return slot;
        if (slot->scope == scope && slot->length == length && memcmp(slot->text, text, length) == 0)
            return slot;
    }
}

mt_scoped_name *mt_scoped_names_find(
    const mt_scoped_names *names, size_t scope, const char *text, size_t length)
{
    if (names->n == 0) return NULL;
    mt_scoped_name *slot = slot_of(names, scope, text, length);
    return slot->text ? slot : NULL;
}

mt_status mt_scoped_names_add(
    mt_arena *arena, mt_scoped_names *names, size_t scope, const char *text, size_t length, size_t value)
{
    if (2 * (names->n + 1) > names->n_slots) {
        mt_scoped_names more = {.n = names->n, .n_slots = names->n_slots ? 2 * names->n_slots : 64};
        MT_ALLOC(arena, more.slot, more.n_slots);
        for (size_t s = 0; s < names->n_slots; s++) {
            const mt_scoped_name *old = &names->slot[s];
            if (old->text) *slot_of(&more, old->scope, old->text, old->length) = *old;
        }
        *names = more;
    }
    *slot_of(names, scope, text, length) = (mt_scoped_name){scope, text, length, value};
    names->n++;
    return MT_OK;
}
