#include "data/core/flood.h"

size_t mt_flood(uint32_t first, uint32_t label, mt_flood_neighbours *look, void *context, uint32_t *labels,
    uint32_t *queue)
{
    size_t n = 1;
    queue[0] = first;
    labels[first] = label;
    for (size_t next = 0; next < n; next++) {
        const uint32_t *neighbour;
        const size_t count = look(context, queue[next], &neighbour);
        for (size_t k = 0; k < count; k++) {
            if (neighbour[k] == MT_FLOOD_NONE || labels[neighbour[k]] == label) continue;
            labels[neighbour[k]] = label;
            queue[n++] = neighbour[k];
        }
    }
    return n;
}
