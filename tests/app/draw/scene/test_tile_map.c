#include <criterion/criterion.h>

#include <string.h>

#include "app/draw/scene/tile_map.h"

/* Room for the map: 1480 x 780 pixels. */
Test(tile_map, tiles_have_the_most_pixels_that_fit)
{
    const mt_tile_map_place small = mt_tile_map_place_of(10, 4), wafer = mt_tile_map_place_of(750, 994),
                            large = mt_tile_map_place_of(3000, 1000);
    cr_expect(!small.transposed && small.pixels == 148 && small.tiles == 1);
    cr_expect_eq(small.width, 1480);
    cr_expect_eq(small.height, 4 * 148);
    cr_expect(wafer.transposed && wafer.pixels == 1 && wafer.tiles == 1, "994 rows are too many upright");
    cr_expect(wafer.width == 994 && wafer.height == 750);
    cr_expect(!large.transposed && large.pixels == 1 && large.tiles == 3);
    cr_expect(large.width == 1000 && large.height == 334);
}

Test(tile_map, a_map_without_tiles_is_refused)
{
    cr_expect_eq(mt_tile_map_write("none.png", &(mt_tile_map){.columns = 3}), MT_INPUT);
    cr_expect(strstr(mt_message(), "3 x 0 tiles"), "%s", mt_message());
}
