/* Linked lists of the elements of each part; an element moves to another part in constant time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

#define MT_NO_MEMBER UINT32_MAX

/* Part p has size[p] elements: first[p], next[first[p]], ... up to MT_NO_MEMBER, each with part[c] = p. Initially they are in ascending
 * order. */
typedef struct mt_members {
    uint32_t *part;            /* [n_elements] borrowed, changed by moves */
    size_t *size;              /* [n_parts] */
    uint32_t *first;           /* [n_parts] */
    uint32_t *next, *previous; /* [n_elements] */
} mt_members;

/* Builds the lists of part[n_elements], with all values below n_parts, in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_members_make(
    mt_arena *arena, size_t n_elements, uint32_t n_parts, uint32_t *part, mt_members *members);

/* Moves an element to the front of part `to`. */
void mt_members_move(mt_members *members, uint32_t element, uint32_t to);
