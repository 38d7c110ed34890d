/* Connected components by breadth-first search from one item over its neighbours. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define MT_FLOOD_NONE UINT32_MAX

/* Finds the neighbours of an item, with MT_FLOOD_NONE for each missing one; returns their number. `neighbour` is borrowed until
 * the next call. */
typedef size_t mt_flood_neighbours(void *context, uint32_t item, const uint32_t **neighbour);

/* Labels the first item, which has another label, and every item connected with it through items of other labels. Writes the
 * labelled items to queue in breadth-first order, neighbours of one item in their order, and returns their number. */
size_t mt_flood(uint32_t first, uint32_t label, mt_flood_neighbours *look, void *context, uint32_t *labels,
    uint32_t *queue);
