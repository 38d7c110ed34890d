#include "app/draw/scene/tile_map.h"

#include <math.h>
#include <stdio.h>

#include "app/draw/scene/bar.h"
#include "app/draw/scene/figure.h"

enum { LEFT = 60, TOP = 84, WIDTH = MT_PAGE_WIDTH - 2 * LEFT, HEIGHT = 780, NOTE_WORDS = 512 };

static size_t divided_up(size_t n, size_t by) { return (n + by - 1) / by; }

/* Places a grid of w x h tiles. */
static mt_tile_map_place place_of(size_t w, size_t h)
{
    const size_t across = WIDTH / w, down = HEIGHT / h, pixels = across < down ? across : down;
    const size_t most_across = divided_up(w, WIDTH), most_down = divided_up(h, HEIGHT);
    mt_tile_map_place p = {
        .pixels = pixels > 0 ? pixels : 1, .tiles = most_across > most_down ? most_across : most_down};
    p.width = divided_up(w, p.tiles) * p.pixels;
    p.height = divided_up(h, p.tiles) * p.pixels;
    p.left = LEFT + (WIDTH - p.width) / 2;
    p.top = TOP + (HEIGHT - p.height) / 2;
    return p;
}

mt_tile_map_place mt_tile_map_place_of(size_t columns, size_t rows)
{
    const mt_tile_map_place upright = place_of(columns, rows);
    mt_tile_map_place turned = place_of(rows, columns);
    turned.transposed = true;
    return turned.pixels * upright.tiles > upright.pixels * turned.tiles ? turned : upright;
}

/* Returns the largest value among the tiles of a cell of the map. */
static double value_at(const mt_tile_map *map, const mt_tile_map_place *p, size_t x, size_t y)
{
    const size_t w = p->transposed ? map->rows : map->columns, h = p->transposed ? map->columns : map->rows;
    double most = 0;
    for (size_t j = y * p->tiles; j < (y + 1) * p->tiles && j < h; j++)
        for (size_t i = x * p->tiles; i < (x + 1) * p->tiles && i < w; i++)
            most = fmax(most, map->value[p->transposed ? i * map->columns + j : j * map->columns + i]);
    return most;
}

static void draw_tiles(mt_page *page, const mt_tile_map *map, const mt_tile_map_place *p, const mt_bar *bar)
{
    const double side = (double)p->pixels;
    for (size_t y = 0; y < p->height / p->pixels; y++)
        for (size_t x = 0; x < p->width / p->pixels; x++) {
            double linear[3];
            mt_bar_shade(bar, value_at(map, p, x, y) / bar->high, linear);
            mt_page_fill(page, (double)(p->left + x * p->pixels), (double)(p->top + y * p->pixels), side,
                side, linear);
        }
    mt_page_grey(page, mt_page_secondary);
    mt_page_frame(page, (double)p->left, (double)p->top, (double)p->width, (double)p->height);
}

static mt_status draw(mt_page *page, const mt_tile_map *map, mt_bar *bar)
{
    const mt_tile_map_place p = mt_tile_map_place_of(map->columns, map->rows);
    char note[NOTE_WORDS];
    mt_bar_make(bar);
    draw_tiles(page, map, &p, bar);
    mt_page_grey(page, mt_page_ink);
    mt_bar_draw(page, bar, map->label, map->unit);
    (void)snprintf(note, sizeof note, "%s%s", map->note,
        p.transposed ? "; transposed: column 0 of the tiles is the upper edge" : "");
    mt_page_grey(page, mt_page_secondary);
    mt_page_write(page, MT_PAGE_WIDTH / 2.0, MT_GREY_Y + 12, MT_MIDDLE, 16, WIDTH, note);
    mt_page_title(page, map->title);
    return MT_OK;
}

mt_status mt_tile_map_write(const char *path, const mt_tile_map *map)
{
    MT_SCRATCH(scratch);
    mt_bar *bar;
    mt_page page;
    if (map->columns == 0 || map->rows == 0)
        return mt_fail(
            MT_INPUT, "a map of %zu x %zu tiles; allowed: at least one of each", map->columns, map->rows);
    MT_ALLOC(scratch, bar, 1);
    for (size_t k = 0; k < map->columns * map->rows; k++) bar->high = fmax(bar->high, map->value[k]);
    if (bar->high <= 0) bar->high = 1;
    MT_TRY(mt_page_begin(&page));
    return mt_page_end(&page, draw(&page, map, bar), path);
}
