/* The elements of each part as linked lists, so that an element can move from part to part in constant time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

#define MT_NO_MEMBER UINT32_MAX

/* Part p has the elements first[p], next[first[p]], ... up to MT_NO_MEMBER: size[p] of them, and part[c] = p for each. They ascend
 * at first. */
typedef struct mt_members {
    uint32_t *part;            /* [n_elements], borrowed, changed by moves */
    size_t *size;              /* [n_parts] */
    uint32_t *first;           /* [n_parts] */
    uint32_t *next, *previous; /* [n_elements] */
} mt_members;

/* Of part[n_elements], every one below n_parts. MT_MEMORY. */
MT_NODISCARD mt_status mt_members_make(
    mt_arena *arena, size_t n_elements, uint32_t n_parts, uint32_t *part, mt_members *members);

/* Makes this element the first of part `to`. */
void mt_members_move(mt_members *members, uint32_t element, uint32_t to);
