#include "mesh/cut/bisection.h"

#include <string.h>

#include "mesh/cut/part_box.h"

typedef struct item {
    double xyz_mm[3];
    uint32_t element, weight;
} item;

typedef struct bisection {
    const mt_part_grid *grid;
    uint32_t parts_per_group, *part;
    bool weighted;
} bisection;

/* Some groups, or a rectangle of parts of one group. */
typedef struct area {
    uint32_t group, n_groups, column, columns, row, rows;
} area;

/* Returns the number of parts with elements of an area. */
static uint64_t n_parts(const mt_part_grid *grid, const area *a)
{
    if (a->n_groups > 1) return (uint64_t)a->n_groups * grid->n;
    if (a->row + a->rows < grid->rows) return (uint64_t)a->columns * a->rows;
    const uint32_t length = grid->n - (grid->rows - 1) * grid->columns; /* of the last row */
    const uint32_t in_last = length > a->column ? length - a->column : 0;
    return (uint64_t)a->columns * (a->rows - 1) + (in_last < a->columns ? in_last : a->columns);
}

/* Splits an area in two halves; false if it is one part. */
static bool halve(const area *whole, area *low, area *high)
{
    *low = *high = *whole;
    if (whole->n_groups > 1) {
        low->n_groups = whole->n_groups / 2;
        high->group += low->n_groups, high->n_groups -= low->n_groups;
        return true;
    }
    if (whole->columns >= whole->rows) {
        low->columns = whole->columns / 2;
        high->column += low->columns, high->columns -= low->columns;
    } else {
        low->rows = whole->rows / 2;
        high->row += low->rows, high->rows -= low->rows;
    }
    return whole->columns > 1 || whole->rows > 1;
}

static bool is_before(const item *a, const item *b, int axis)
{
    return a->xyz_mm[axis] != b->xyz_mm[axis] ? a->xyz_mm[axis] < b->xyz_mm[axis] : a->element < b->element;
}

static void swap(item *a, item *b)
{
    const item kept = *a;
    *a = *b;
    *b = kept;
}

/* Moves the median of the first, middle and last item to the front. */
static void choose_pivot(item *x, size_t n, int axis)
{
    item *a = x + n / 2, *b = x + n - 1;
    if (is_before(b, a, axis)) swap(a, b);
    if (is_before(x, a, axis)) swap(x, a);
    if (is_before(b, x, axis)) swap(x, b);
}

/* Reorders n items so that those before a pivot come first; returns its position. Adds the weights before it, or numbers, to `sum`. */
static size_t divide_items(item *x, size_t n, int axis, bool weighted, uint64_t *sum)
{
    size_t m = 0;
    choose_pivot(x, n, axis);
    for (size_t i = 1; i < n; i++)
        if (is_before(x + i, x, axis)) {
            swap(x + ++m, x + i);
            *sum += weighted ? x[m].weight : 1;
        }
    swap(x, x + m);
    return m;
}

/* Reorders the items so that the first k are those that are first along an axis, and the k-th is the last of them; returns k, the least
 * number with a sum of weights, or number, that is not below `target`. *sum: this sum. */
static size_t select_first(item *x, size_t n, int axis, bool weighted, uint64_t target, uint64_t *sum)
{
    size_t from = 0, to = n;
    *sum = 0;
    while (*sum < target && from < to) {
        uint64_t before = *sum;
        const size_t m = from + divide_items(x + from, to - from, axis, weighted, &before);
        if (target <= before) {
            to = m;
            continue;
        }
        from = m + 1, *sum = before + (weighted ? x[m].weight : 1);
        if (target <= *sum) break;
    }
    return from;
}

/* Returns total * part / whole, rounded to the nearest integer; part and whole are below 2^31. */
static uint64_t proportion(uint64_t total, uint64_t part, uint64_t whole)
{
    return total / whole * part + (2 * (total % whole) * part + whole) / (2 * whole);
}

/* Splits the items along the longest side of their box, for p and q parts; returns the number of the first ones. */
static size_t split(const bisection *b, item *x, size_t n, uint64_t p, uint64_t q)
{
    mt_part_box box = mt_part_box_empty;
    uint64_t total = 0, sum;
    for (size_t i = 0; i < n; i++) mt_part_box_add(&box, x[i].xyz_mm), total += x[i].weight;
    const int axis = mt_part_box_axis(&box);
    if (!b->weighted) return select_first(x, n, axis, false, proportion(n, p, p + q), &sum);
    const uint64_t target = proportion(total, p, p + q);
    size_t k = select_first(x, n, axis, true, target, &sum);
    if (k > 0 && 2 * (sum - target) > x[k - 1].weight) k--;
    const bool enough = n >= p + q; /* for one item at least in each part, else for one at most */
    const size_t least = enough ? p : n > q ? n - q : 0, most = enough ? n - q : n < p ? n : p;
    if (k >= least && k <= most) return k;
    return select_first(x, n, axis, false, k < least ? least : most, &sum);
}

static void divide(const bisection *b, item *x, size_t n, const area *whole)
{
    area low, high;
    if (n == 0) return;
    if (!halve(whole, &low, &high)) {
        for (size_t i = 0; i < n; i++)
            b->part[x[i].element] =
                whole->group * b->parts_per_group + mt_part_grid_part(b->grid, whole->column, whole->row);
        return;
    }
    const uint64_t p = n_parts(b->grid, &low), q = n_parts(b->grid, &high);
    const size_t k = p == 0 ? 0 : q == 0 ? n : split(b, x, n, p, q);
    divide(b, x, k, &low);
    divide(b, x + k, n - k, &high);
}

mt_status mt_bisection_divide(const mt_cut_graph *graph, uint32_t n_groups, uint32_t parts_per_group,
    const mt_part_grid *grid, uint32_t *part)
{
    MT_SCRATCH(scratch);
    item *x;
    const bisection b = {grid, parts_per_group, part, graph->weight != NULL};
    const area all = {.n_groups = n_groups, .columns = grid->columns, .rows = grid->rows};
    MT_ALLOC(scratch, x, graph->n_nodes);
    for (size_t i = 0; i < graph->n_nodes; i++) {
        memcpy(x[i].xyz_mm, graph->xyz_mm + 3 * i, sizeof x[i].xyz_mm);
        x[i].element = (uint32_t)i, x[i].weight = mt_cut_graph_weight(graph, i);
    }
    divide(&b, x, graph->n_nodes, &all);
    return MT_OK;
}
