/* What is connected with what: a search outwards from one item over neighbours, nearest first. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define MT_FLOOD_NONE UINT32_MAX

/* Gives the neighbours of an item, MT_FLOOD_NONE where there is none; returns how many. They are borrowed until the next
 * call. */
typedef size_t mt_flood_neighbours(void *context, uint32_t item, const uint32_t **neighbour);

/* Labels the first item, which has another label, and all that is connected with it by items of other labels. Writes them to
 * queue, nearest first (items as near in the order in which they were neighbours), and returns how many there are. */
size_t mt_flood(uint32_t first, uint32_t label, mt_flood_neighbours *look, void *context, uint32_t *labels,
    uint32_t *queue);
