#include "solver/cells/import/dictionary.h"

#include <string.h>

#include "data/core/hash.h"

mt_status mt_dictionary_new(mt_arena *arena, size_t n, mt_dictionary *dictionary)
{
    size_t room = 16;
    while (room < 2 * n) room *= 2;
    dictionary->mask = room - 1;
    MT_ALLOC(arena, dictionary->entry, room);
    return MT_OK;
}

/* Returns the entry of a name, or the empty one where it belongs. */
static mt_dictionary_entry *entry_of(const mt_dictionary *dictionary, size_t scope, const char *name)
{
    const uint64_t spread = 0x9e3779b97f4a7c15; /* 2^64 divided by the golden ratio */
    const uint64_t hash = mt_hash_short(name, strlen(name)) ^ (scope * spread);
    for (size_t k = (size_t)hash & dictionary->mask;; k = (k + 1) & dictionary->mask) {
        mt_dictionary_entry *entry = &dictionary->entry[k];
        if (!entry->name || (entry->scope == scope && strcmp(entry->name, name) == 0)) return entry;
    }
}

bool mt_dictionary_add(mt_dictionary *dictionary, size_t scope, const char *name, size_t index)
{
    mt_dictionary_entry *entry = entry_of(dictionary, scope, name);
    if (entry->name) return false;
    *entry = (mt_dictionary_entry){.name = name, .scope = scope, .index = index};
    return true;
}

bool mt_dictionary_find(const mt_dictionary *dictionary, size_t scope, const char *name, size_t *index)
{
    const mt_dictionary_entry *entry = entry_of(dictionary, scope, name);
    if (entry->name) *index = entry->index;
    return entry->name != NULL;
}
