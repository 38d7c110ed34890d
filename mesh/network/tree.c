#include "mesh/network/tree.h"

#include <math.h>
#include <string.h>

#include "data/core/vec3.h"

enum { CELLS_MAX = 1 << 22, NODES_MAX = 10000000, ROOM = 1024 };

/* ---- cells ---- */

mt_status mt_tree_clear(mt_tree *tree, const double low_mm[3], const double high_mm[3], double reach_mm)
{
    size_t n = CELLS_MAX + 1;
    for (tree->cell_mm = reach_mm; n > CELLS_MAX; tree->cell_mm *= n > CELLS_MAX ? 1.5 : 1) {
        n = 1;
        for (int d = 0; d < 3; d++) {
            const double cells = 1 + floor((high_mm[d] - low_mm[d]) / tree->cell_mm);
            tree->n_cells[d] = cells < CELLS_MAX ? (size_t)cells : CELLS_MAX;
            n = n > CELLS_MAX ? n : n * tree->n_cells[d];
        }
    }
    memcpy(tree->low_mm, low_mm, sizeof tree->low_mm);
    MT_ALLOC(tree->arena, tree->cell, n);
    for (size_t i = 0; i < n; i++) tree->cell[i] = MT_NO_NODE;
    return MT_OK;
}

static void cell_of(const mt_tree *tree, const double point[3], long at[3])
{
    for (int d = 0; d < 3; d++) {
        const double k = floor((point[d] - tree->low_mm[d]) / tree->cell_mm);
        at[d] = (long)fmin(fmax(k, 0), (double)(tree->n_cells[d] - 1));
    }
}

/* Returns the first node of a cell; MT_NO_NODE outside the grid. */
static uint32_t first_in(const mt_tree *tree, long i, long j, long k)
{
    if (i < 0 || j < 0 || k < 0) return MT_NO_NODE;
    const size_t x = (size_t)i, y = (size_t)j, z = (size_t)k, *n = tree->n_cells;
    return x < n[0] && y < n[1] && z < n[2] ? tree->cell[(z * n[1] + y) * n[0] + x] : MT_NO_NODE;
}

/* ---- growth ---- */

/* Makes room for one more item: doubles the array if it is full. */
#define MAKE_ROOM(tree, array, count, room)                                                                  \
    do {                                                                                                     \
        if ((tree)->count < (tree)->room) break;                                                             \
        const size_t more = (tree)->room ? 2 * (tree)->room : ROOM;                                          \
        void *larger = mt_arena_alloc((tree)->arena, more, sizeof *(tree)->array);                           \
        if (!larger) return MT_MEMORY;                                                                       \
        if ((tree)->count) memcpy(larger, (tree)->array, (tree)->count * sizeof *(tree)->array);             \
        (tree)->array = larger;                                                                              \
        (tree)->room = more;                                                                                 \
    } while (0)

mt_status mt_tree_add_branch(mt_tree *tree, uint32_t parent, uint32_t *branch)
{
    MAKE_ROOM(tree, branch_parent, n_branches, branch_room);
    *branch = (uint32_t)tree->n_branches;
    tree->branch_parent[tree->n_branches++] = parent;
    return MT_OK;
}

mt_status mt_tree_add(mt_tree *tree, uint32_t parent, uint32_t branch, int32_t kind, const double xyz_mm[3],
    const mt_endocardium_place *place, uint32_t *node)
{
    if (tree->n_nodes >= NODES_MAX)
        return mt_fail(MT_INPUT,
            "the network has more than %d nodes; longer segments or fewer generations "
            "are needed",
            (int)NODES_MAX);
    MAKE_ROOM(tree, node, n_nodes, node_room);
    *node = (uint32_t)tree->n_nodes++;
    mt_tree_node *new = tree->node + *node;
    *new = (mt_tree_node){
        .parent = parent, .branch = branch, .kind = kind, .next = MT_NO_NODE, .on_surface = place != NULL};
    memcpy(new->xyz_mm, xyz_mm, sizeof new->xyz_mm);
    if (parent != MT_NO_NODE) tree->node[parent].n_children++;
    if (!place) return MT_OK;
    long at[3];
    cell_of(tree, xyz_mm, at);
    uint32_t *first =
        tree->cell + ((size_t)at[2] * tree->n_cells[1] + (size_t)at[1]) * tree->n_cells[0] + (size_t)at[0];
    new->place = *place;
    new->next = *first;
    *first = *node;
    return MT_OK;
}

mt_status mt_tree_add_line(mt_tree *tree, uint32_t from, uint32_t branch, int32_t kind, double segment_mm,
    const double xyz_mm[3], const mt_endocardium_place *place, uint32_t *node)
{
    double start[3], between[3];
    memcpy(start, tree->node[from].xyz_mm, sizeof start);
    mt_minus3(xyz_mm, start, between);
    const double n = ceil(mt_length3(between) / segment_mm * (1 - 1e-12));
    *node = from;
    for (double i = 1; i <= n; i++) {
        double at[3];
        for (int d = 0; d < 3; d++) at[d] = i < n ? start[d] + i / n * between[d] : xyz_mm[d];
        MT_TRY(mt_tree_add(tree, *node, branch, kind, at, i < n ? NULL : place, node));
    }
    return MT_OK;
}

/* ---- queries ---- */

static double clamp(double x) { return fmin(fmax(x, 0), 1); }

/* Returns the squared distance of two segments, p to q and a to b, of positive length. */
static double segments_square(const double p[3], const double q[3], const double a[3], const double b[3])
{
    double u[3], v[3], w[3], x[3], y[3];
    mt_minus3(q, p, u);
    mt_minus3(b, a, v);
    mt_minus3(p, a, w);
    const double uu = mt_dot3(u, u), uv = mt_dot3(u, v), vv = mt_dot3(v, v), uw = mt_dot3(u, w),
                 vw = mt_dot3(v, w), square = uu * vv - uv * uv;
    double s = square > 0 ? clamp((uv * vw - uw * vv) / square) : 0, t = (uv * s + vw) / vv;
    if (t < 0) t = 0, s = clamp(-uw / uu);
    if (t > 1) t = 1, s = clamp((uv - uw) / uu);
    for (int d = 0; d < 3; d++) x[d] = p[d] + s * u[d], y[d] = a[d] + t * v[d];
    return mt_square3(x, y);
}

static bool related(const mt_tree *tree, uint32_t a, uint32_t b)
{
    if (a == MT_NO_BRANCH || b == MT_NO_BRANCH) return false;
    const uint32_t of_a = tree->branch_parent[a], of_b = tree->branch_parent[b];
    return a == b || of_a == b || of_b == a || (of_a == of_b && of_a != MT_NO_BRANCH);
}

bool mt_tree_blocked(
    const mt_tree *tree, uint32_t from, uint32_t branch, const double to_mm[3], double near_mm, double far_mm)
{
    const double *start = tree->node[from].xyz_mm;
    long at[3];
    cell_of(tree, to_mm, at);
    for (int i = 0; i < 27; i++) {
        uint32_t k = first_in(tree, at[0] + i % 3 - 1, at[1] + i / 3 % 3 - 1, at[2] + i / 9 - 1);
        for (; k != MT_NO_NODE; k = tree->node[k].next) {
            const mt_tree_node *other = tree->node + k;
            if (k == from || other->parent == from || other->parent == MT_NO_NODE) continue;
            const double least = related(tree, branch, other->branch) ? near_mm : far_mm;
            if (segments_square(start, to_mm, tree->node[other->parent].xyz_mm, other->xyz_mm) <
                least * least)
                return true;
        }
    }
    return false;
}

/* Updates the nearest node with those of a cell. */
static void nearer(const mt_tree *tree, uint32_t k, uint32_t branch, const double point[3], uint32_t *nearest,
    double *square)
{
    for (; k != MT_NO_NODE; k = tree->node[k].next) {
        if (tree->node[k].branch == branch) continue;
        const double this = mt_square3(tree->node[k].xyz_mm, point);
        if (this < *square) *square = this, *nearest = k;
    }
}

uint32_t mt_tree_nearest(const mt_tree *tree, uint32_t branch, const double point_mm[3])
{
    uint32_t nearest = MT_NO_NODE;
    double square = INFINITY;
    long at[3], most = 0;
    cell_of(tree, point_mm, at);
    for (int d = 0; d < 3; d++) most = (long)tree->n_cells[d] > most ? (long)tree->n_cells[d] : most;
    for (long r = 0; r < most; r++) {
        for (long z = -r; z <= r; z++)
            for (long y = -r; y <= r; y++) {
                const bool face = z == -r || z == r || y == -r || y == r;
                for (long x = -r; x <= r; x += face || r == 0 ? 1 : 2 * r)
                    nearer(tree, first_in(tree, at[0] + x, at[1] + y, at[2] + z), branch, point_mm, &nearest,
                        &square);
            }
        const double seen = (double)r * tree->cell_mm;
        if (square <= seen * seen) break;
    }
    return nearest;
}

bool mt_tree_within(const mt_tree *tree, int32_t kind, const double point_mm[3], double distance_mm)
{
    long at[3];
    const long r = (long)ceil(fmin(distance_mm / tree->cell_mm, 1e6));
    cell_of(tree, point_mm, at);
    for (long z = at[2] - r; z <= at[2] + r; z++)
        for (long y = at[1] - r; y <= at[1] + r; y++)
            for (long x = at[0] - r; x <= at[0] + r; x++)
                for (uint32_t k = first_in(tree, x, y, z); k != MT_NO_NODE; k = tree->node[k].next)
                    if (tree->node[k].kind == kind &&
                        mt_square3(tree->node[k].xyz_mm, point_mm) <= distance_mm * distance_mm)
                        return true;
    return false;
}
