#include <criterion/criterion.h>

#include <stdlib.h>

#include "mesh/cut/part_grid.h"
#include "tests/random.h"

static size_t up(size_t a, size_t b) { return (a + b - 1) / b; }

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

Test(part_grid, the_fewest_parts_with_the_same_largest_part_form_a_rectangle_near_a_square)
{
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        const uint32_t width = 1 + (uint32_t)draw(&state, 60), height = 1 + (uint32_t)draw(&state, 60);
        const uint32_t groups = 1 + (uint32_t)draw(&state, 3), parts = width * height;
        const uint32_t most = 1 + (uint32_t)draw(&state, parts);
        const size_t n = draw(&state, (size_t)20 * parts), share = n > 0 ? up(n, groups) : 1;
        const size_t largest = n > 0 ? up(n, (size_t)groups * most) : 1, needed = up(share, largest);
        const mt_part_grid g = mt_part_grid_fit(n, false, groups, parts, width, most);
        cr_assert(g.width == width && g.columns <= width && g.rows <= height, "case %d", i);
        cr_assert(g.n <= most && g.n <= (size_t)g.columns * g.rows && g.n >= needed && g.n <= share,
            "case %d: %u", i, g.n);
        cr_assert(g.n < needed + g.columns && g.n > (size_t)(g.rows - 1) * g.columns, "case %d: %u", i, g.n);
        cr_assert(
            g.n == (size_t)g.columns * g.rows || g.n == most || g.n == share, "case %d: row not full", i);
        uint32_t side = 1;
        while ((size_t)side * side < needed) side++;
        const bool wide = side > height, tall = side > width;
        if (!wide && !tall) cr_assert_eq(larger(g.columns, g.rows), side, "case %d", i);
        if (wide) cr_assert_leq(g.columns, up(needed, height), "case %d", i);
        if (tall) cr_assert_eq(g.columns, width, "case %d", i);
    }
}

Test(part_grid, with_weights_there_are_as_many_parts_as_elements_or_all)
{
    cr_assert_eq(mt_part_grid_fit(1000, true, 1, 90, 9, 90).n, 90);
    cr_assert_eq(mt_part_grid_fit(70, true, 1, 90, 9, 90).n, 70);
    cr_assert_eq(mt_part_grid_fit(100, false, 1, 90, 9, 90).n, 56); /* two elements each: 8 x 7 */
}

Test(part_grid, without_a_width_parts_are_a_line)
{
    const mt_part_grid g = mt_part_grid_fit(70, false, 2, 1472, 0, 1472);
    cr_assert(g.width == 1472 && g.columns == 35 && g.rows == 1 && g.n == 35);
}

/* Checks the curve of a rectangle; returns the number of diagonal steps. */
static int check_curve(const mt_part_grid *g)
{
    uint32_t part[50 * 50];
    bool visited[60 * 50] = {false};
    int diagonal = 0;
    mt_part_grid_curve(g, part);
    for (uint32_t i = 0; i < g->n; i++) {
        const uint32_t column = part[i] % g->width, row = part[i] / g->width;
        cr_assert(row * g->columns + column < g->n && column < g->columns && !visited[part[i]], "%u x %u",
            g->columns, g->rows);
        visited[part[i]] = true;
        if (i == 0 || g->n < g->columns * g->rows) continue;
        const int dx = abs((int)column - (int)(part[i - 1] % g->width)),
                  dy = abs((int)row - (int)(part[i - 1] / g->width));
        cr_assert(dx <= 1 && dy <= 1, "%u x %u: step %u", g->columns, g->rows, i);
        diagonal += dx + dy == 2;
    }
    return diagonal;
}

Test(part_grid, the_curve_visits_every_part_of_any_rectangle_once_in_steps_to_neighbours)
{
    for (uint32_t columns = 1; columns <= 50; columns++)
        for (uint32_t rows = 1; rows <= 50; rows++) {
            const mt_part_grid all = {60, columns, rows, columns * rows};
            const int diagonal = check_curve(&all);
            cr_assert_leq(
                (unsigned)diagonal, larger(columns, rows) % 2, "%u x %u: %d", columns, rows, diagonal);
            const mt_part_grid some = {60, columns, rows, columns * rows - columns / 2};
            (void)check_curve(&some);
        }
}

/* A path of elements in two groups of 3 x 3 parts. */
Test(part_grid, the_use_is_the_rectangle_of_any_group_and_the_mean_distance_inside_groups)
{
    static const size_t start[] = {0, 1, 3, 5, 7, 9, 11, 12};
    static const uint32_t near[] = {1, 0, 2, 1, 3, 2, 4, 3, 5, 4, 6, 5};
    static const uint32_t part[] = {0, 0, 2, 7, 9 + 4, 9 + 4, 9 + 8};
    const mt_cut_graph graph = {.n_nodes = 7, .start = start, .near = near};
    const mt_part_grid_use use = mt_part_grid_use_of(3, 9, &graph, part);
    cr_expect(use.columns == 3 && use.rows == 3, "%u x %u", use.columns, use.rows);
    cr_expect_eq(use.distance, (2 + 3 + 2) / 3.);
}
