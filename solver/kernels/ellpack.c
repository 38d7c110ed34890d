#include "solver/kernels/ellpack.h"
#include "solver/kernels/block.h"

#include <string.h>

void *mt_ellpack_pack_block(size_t n, const uint32_t *column, void *room, mt_ellpack_columns *block)
{
    uint32_t least = n > 0 ? UINT32_MAX : 0, most = 0;
    for (size_t k = 0; k < n; k++) {
        least = column[k] < least ? column[k] : least;
        most = column[k] > most ? column[k] : most;
    }
    if (most - least > UINT16_MAX) {
        *block = (mt_ellpack_columns){room, 0, 1};
        memcpy(room, column, n * sizeof *column);
        return (uint32_t *)room + n;
    }
    uint16_t *near = room;
    *block = (mt_ellpack_columns){room, least, 0};
    for (size_t k = 0; k < n; k++) near[k] = (uint16_t)(column[k] - least);
    return near + n;
}

void *mt_ellpack_pack(size_t n, const uint32_t *column, void *room, mt_ellpack_columns *block)
{
    for (size_t row = 0; row < n; row += MT_BLOCK)
        room = mt_ellpack_pack_block(MT_ELLPACK_WIDTH * mt_block_width(n, row),
            column + MT_ELLPACK_WIDTH * row, room, block + row / MT_BLOCK);
    return room;
}
