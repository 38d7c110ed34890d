/* A hash table of names: finds the index of a name within a scope. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"

typedef struct mt_dictionary_entry {
    const char *name; /* NULL: empty */
    size_t scope, index;
} mt_dictionary_entry;

typedef struct mt_dictionary {
    mt_dictionary_entry *entry; /* [mask + 1] */
    size_t mask;
} mt_dictionary;

/* Creates an empty dictionary for at most n names. MT_MEMORY. */
MT_NODISCARD mt_status mt_dictionary_new(mt_arena *arena, size_t n, mt_dictionary *dictionary);

/* Adds a name, whose text it keeps. False, without a change, if the scope has this name already. */
bool mt_dictionary_add(mt_dictionary *dictionary, size_t scope, const char *name, size_t index);

/* Finds a name. False if the scope does not have it. */
bool mt_dictionary_find(const mt_dictionary *dictionary, size_t scope, const char *name, size_t *index);
