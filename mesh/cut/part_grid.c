#include "mesh/cut/part_grid.h"

#include <math.h>

static uint32_t least(uint64_t a, uint64_t b) { return (uint32_t)(a < b ? a : b); }

static uint64_t quotient_up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

mt_part_grid mt_part_grid_fit(
    size_t n_elements, bool weighted, uint32_t n_groups, uint32_t parts, uint32_t width, uint32_t most)
{
    const uint64_t n = n_elements > 0 ? n_elements : 1, share = quotient_up(n, n_groups);
    const uint64_t largest = weighted ? 1 : quotient_up(n, (uint64_t)n_groups * most);
    const uint32_t needed = least(quotient_up(share, largest), most);
    mt_part_grid grid = {.width = width > 0 ? width : parts};
    const uint32_t height = parts / grid.width, side = (uint32_t)ceil(sqrt(needed));
    const uint32_t broad = (uint32_t)quotient_up(needed, height);
    grid.columns = least(side > broad ? side : broad, grid.width);
    grid.rows = (uint32_t)quotient_up(needed, grid.columns);
    grid.n = least(least((uint64_t)grid.columns * grid.rows, most), share);
    return grid;
}

/* ---- the curve ---- */

/* A side of a rectangle: n steps of one part. */
typedef struct side {
    int32_t x, y, n;
} side;

typedef struct walk {
    const mt_part_grid *grid;
    uint32_t *part, n; /* visited parts */
} walk;

static side shorter(side a, int32_t n) { return (side){a.x, a.y, n}; }

static side reversed(side a, int32_t n) { return (side){-a.x, -a.y, n}; }

static void visit_line(walk *w, int32_t x, int32_t y, side a)
{
    const mt_part_grid *grid = w->grid;
    for (int32_t i = 0; i < a.n; i++, x += a.x, y += a.y)
        if ((uint64_t)y * grid->columns + (uint32_t)x < grid->n)
            w->part[w->n++] = mt_part_grid_part(grid, (uint32_t)x, (uint32_t)y);
}

/* Returns half of a length, increased to an even number if it is odd and not the whole. */
static int32_t half(int32_t n)
{
    const int32_t some = n / 2;
    return n > 2 ? some + some % 2 : some;
}

/* Visits the rectangle of sides a and b, from its corner (x, y) to the corner at the end of a. */
static void visit(walk *w, int32_t x, int32_t y, side a, side b)
{
    if (b.n == 1) {
        visit_line(w, x, y, a);
        return;
    }
    if (a.n == 1) {
        visit_line(w, x, y, b);
        return;
    }
    const int32_t half_a = half(a.n), half_b = half(b.n), end_a = a.n - 1, end_b = half_b - 1;
    if (2 * (int64_t)a.n > 3 * (int64_t)b.n) {
        visit(w, x, y, shorter(a, half_a), b);
        visit(w, x + half_a * a.x, y + half_a * a.y, shorter(a, a.n - half_a), b);
        return;
    }
    visit(w, x, y, shorter(b, half_b), shorter(a, a.n / 2));
    visit(w, x + half_b * b.x, y + half_b * b.y, a, shorter(b, b.n - half_b));
    visit(w, x + end_a * a.x + end_b * b.x, y + end_a * a.y + end_b * b.y, reversed(b, half_b),
        reversed(a, a.n - a.n / 2));
}

void mt_part_grid_curve(const mt_part_grid *grid, uint32_t *part)
{
    walk w = {grid, part, 0};
    const side right = {1, 0, (int32_t)grid->columns}, up = {0, 1, (int32_t)grid->rows};
    if (grid->columns >= grid->rows)
        visit(&w, 0, 0, right, up);
    else
        visit(&w, 0, 0, up, right);
}

/* ---- use ---- */

static uint32_t apart(uint32_t a, uint32_t b) { return a < b ? b - a : a - b; }

mt_part_grid_use mt_part_grid_use_of(
    uint32_t width, uint32_t parts_per_group, const mt_cut_graph *graph, const uint32_t *part)
{
    mt_part_grid_use use = {0};
    uint64_t n = 0, sum = 0;
    for (size_t i = 0; i < graph->n_nodes && width > 0; i++) {
        size_t n_near;
        const uint32_t *near = mt_cut_graph_near(graph, i, &n_near), group = part[i] / parts_per_group,
                       at = part[i] % parts_per_group, column = at % width, row = at / width;
        if (column >= use.columns) use.columns = column + 1;
        if (row >= use.rows) use.rows = row + 1;
        for (size_t k = 0; k < n_near; k++) {
            if (near[k] == MT_NO_ELEMENT || part[near[k]] == part[i]) continue;
            if (part[near[k]] / parts_per_group != group) continue;
            const uint32_t to = part[near[k]] % parts_per_group;
            sum += apart(column, to % width) + apart(row, to / width), n++;
        }
    }
    use.distance = width > 0 ? (double)sum / (double)n : 0;
    return use;
}
