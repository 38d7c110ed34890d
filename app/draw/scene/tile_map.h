/* A heat map of a grid of tiles, such as the words on their links. A PNG of MT_PAGE_WIDTH x MT_PAGE_HEIGHT pixels.
 *
 * A tile is a square of the largest whole number of pixels that fits. If tiles are smaller than a pixel, each pixel has the maximum of its
 * tiles. If only this avoids it, or enlarges the tiles, the map is transposed; the note below the map then says so. */
#pragma once

#include <stdbool.h>

#include "app/draw/page.h"

/* All members are borrowed; text is UTF-8. */
typedef struct mt_tile_map {
    const char *title, *label,
        *unit;        /* label of the colour bar, which spans 0 to the largest value, and its unit */
    const char *note; /* below the bar */
    size_t columns, rows;
    const double *value; /* [rows][columns] finite, at least 0 */
} mt_tile_map;

/* The place of the tiles: each has `pixels` pixels in both directions, or a pixel has `tiles` in both; one of the two is 1. */
typedef struct mt_tile_map_place {
    bool transposed;
    size_t pixels, tiles;
    size_t left, top, width, height; /* of the map [pixels] */
} mt_tile_map_place;

mt_tile_map_place mt_tile_map_place_of(size_t columns, size_t rows);

/* Writes the picture, completely or not at all. Fails with MT_INPUT if there is no tile or text is not UTF-8, with MT_MEMORY, or with
 * MT_FILE if the file cannot be written. */
MT_NODISCARD mt_status mt_tile_map_write(const char *path, const mt_tile_map *map);
