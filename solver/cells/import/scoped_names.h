/* Names in scopes, with a number each: variables of components, components, units by their text. A hash table, so that a file with many
 * names is read in linear time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "data/core/arena.h"

typedef struct mt_scoped_name {
    size_t scope; /* chosen by the reader */
    const char *text;
    size_t length;
    size_t value; /* chosen by the reader */
} mt_scoped_name;

typedef struct mt_scoped_names {
    mt_scoped_name *slot; /* [n_slots]; an empty one has text NULL */
    size_t n, n_slots;
} mt_scoped_names; /* all zero: none */

/* Finds a name in a scope; its value can be changed until the next mt_scoped_names_add. NULL if there is none. */
mt_scoped_name *mt_scoped_names_find(
    const mt_scoped_names *names, size_t scope, const char *text, size_t length);

/* Finds the value of a name that ends with a 0. False if the scope does not have it. */
static inline bool mt_scoped_names_value(
    const mt_scoped_names *names, size_t scope, const char *text, size_t *value)
{
    const mt_scoped_name *found = mt_scoped_names_find(names, scope, text, strlen(text));
    if (found) *value = found->value;
    return found != NULL;
}

/* Adds a name that is not there; keeps the text. MT_MEMORY. */
MT_NODISCARD mt_status mt_scoped_names_add(
    mt_arena *arena, mt_scoped_names *names, size_t scope, const char *text, size_t length, size_t value);
