#include <criterion/criterion.h>

#include "data/core/flood.h"

enum { SIDE = 7, N = SIDE * SIDE };

/* A grid of squares; some are walls, which are not neighbours of any square. */
typedef struct field {
    const char *squares;
    uint32_t near[4];
} field;

static uint32_t open_square(const field *f, int x, int y)
{
    if (x < 0 || x >= SIDE || y < 0 || y >= SIDE || f->squares[y * SIDE + x] == '#') return MT_FLOOD_NONE;
    return (uint32_t)(y * SIDE + x);
}

static size_t around(void *context, uint32_t item, const uint32_t **neighbour)
{
    field *f = context;
    const int x = (int)item % SIDE, y = (int)item / SIDE;
    f->near[0] = open_square(f, x, y - 1), f->near[1] = open_square(f, x - 1, y);
    f->near[2] = open_square(f, x + 1, y), f->near[3] = open_square(f, x, y + 1);
    *neighbour = f->near;
    return 4;
}

Test(flood, only_connected_items_are_labelled_in_order_of_distance)
{
    field f = {.squares = "...#....#.#.#..#...#..#####........#######..#...."};
    uint32_t label[N] = {0}, queue[N];
    size_t distance[N] = {0};
    const size_t n = mt_flood(2, 5, around, &f, label, queue);
    cr_assert_eq(n, 24);
    cr_assert_eq(queue[0], 2);
    for (size_t k = 1; k < n; k++) { /* adjacent to an earlier one, and not nearer than the one before */
        size_t least = SIZE_MAX;
        const uint32_t *near;
        (void)around(&f, queue[k], &near);
        for (size_t i = 0; i < k; i++)
            for (int j = 0; j < 4; j++)
                if (near[j] == queue[i] && distance[queue[i]] + 1 < least) least = distance[queue[i]] + 1;
        cr_assert(least != SIZE_MAX);
        distance[queue[k]] = least;
        cr_assert(distance[queue[k]] >= distance[queue[k - 1]]);
    }
    for (size_t k = 0; k < N; k++) cr_assert_eq(label[k], k < 5 * SIDE && f.squares[k] != '#' ? 5 : 0);
    cr_assert_eq(mt_flood(6 * SIDE, 9, around, &f, label, queue), 2);
    cr_assert(label[6 * SIDE] == 9 && label[6 * SIDE + 1] == 9 && label[6 * SIDE + 3] == 0);
}
