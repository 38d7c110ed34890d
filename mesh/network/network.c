#include "mesh/network/network.h"

#include <math.h>
#include <stdlib.h>

#include "data/core/disjoint.h"
#include "data/core/order.h"
#include "data/core/vec3.h"

mt_status mt_network_new(mt_arena *arena, size_t n_nodes, size_t n_segments, mt_network *network)
{
    if (n_nodes >= UINT32_MAX || n_segments >= UINT32_MAX)
        return mt_fail(MT_INPUT, "a network of %zu nodes and %zu segments; each must stay below %u", n_nodes,
            n_segments, UINT32_MAX);
    *network = (mt_network){.n_nodes = n_nodes, .n_segments = n_segments};
    MT_ALLOC(arena, network->xyz_mm, 3 * n_nodes);
    MT_ALLOC(arena, network->segment_node, 2 * n_segments);
    return MT_OK;
}

/* ---- segments ---- */

static const double *place_of(const mt_network *network, size_t segment, int end)
{
    return network->xyz_mm + 3 * (size_t)network->segment_node[2 * segment + (size_t)end];
}

double mt_network_length_mm(const mt_network *network, size_t segment)
{
    return sqrt(mt_square3(place_of(network, segment, 0), place_of(network, segment, 1)));
}

/* A segment with its nodes in ascending order. */
typedef struct link {
    uint32_t low, high, segment;
} link;

MT_ORDER(by_nodes, link, low, high, segment)

mt_status mt_network_find_repeat(const mt_network *network, size_t *first, size_t *repeat)
{
    MT_SCRATCH(scratch);
    link *links;
    const size_t n = network->n_segments;
    MT_ALLOC(scratch, links, n);
    for (size_t s = 0; s < n; s++) {
        const uint32_t a = network->segment_node[2 * s], b = network->segment_node[2 * s + 1];
        links[s] = (link){a < b ? a : b, a < b ? b : a, (uint32_t)s};
    }
    if (n > 0) qsort(links, n, sizeof *links, by_nodes);
    *first = *repeat = n;
    for (size_t k = 1; k < n; k++) {
        const link *a = &links[k - 1], *b = &links[k];
        if (a->low != b->low || a->high != b->high || b->segment >= *repeat) continue;
        *first = a->segment;
        *repeat = b->segment;
    }
    return MT_OK;
}

/* ---- invariants ---- */

static mt_status check_nodes(const mt_network *network)
{
    for (size_t k = 0; k < 3 * network->n_nodes; k++)
        if (!(fabs(network->xyz_mm[k]) <= mt_mesh_far_mm))
            return mt_fail(MT_INPUT, "node %zu: coordinate %c is %g mm; allowed: -%g to %g", k / 3,
                "xyz"[k % 3], network -> xyz_mm[k], mt_mesh_far_mm, mt_mesh_far_mm);
    return MT_OK;
}

static mt_status check_segment(const mt_network *network, size_t s)
{
    const double *a, *b;
    for (size_t k = 2 * s; k < 2 * s + 2; k++)
        if (network->segment_node[k] >= network->n_nodes)
            return mt_fail(MT_INPUT, "segment %zu: node %u; the network has nodes 0 to %lld", s,
                network->segment_node[k], (long long)network->n_nodes - 1);
    a = place_of(network, s, 0), b = place_of(network, s, 1);
    if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2])
        return mt_fail(MT_INPUT, "segment %zu: both nodes are at [%.6g, %.6g, %.6g] mm; they must differ", s,
            a[0], a[1], a[2]);
    if (network->radius_mm && !(network->radius_mm[s] > 0 && network->radius_mm[s] <= mt_mesh_far_mm))
        return mt_fail(MT_INPUT, "segment %zu: radius %g mm; allowed: above 0, at most %g", s,
            network->radius_mm[s], mt_mesh_far_mm);
    return MT_OK;
}

static mt_status check_use(const mt_network *network)
{
    MT_SCRATCH(scratch);
    uint8_t *used;
    MT_ALLOC(scratch, used, network->n_nodes);
    for (size_t k = 0; k < 2 * network->n_segments; k++) used[network->segment_node[k]] = 1;
    for (size_t v = 0; v < network->n_nodes; v++)
        if (!used[v]) return mt_fail(MT_INPUT, "node %zu belongs to no segment", v);
    return MT_OK;
}

static mt_status check(const mt_network *network)
{
    size_t first, repeat;
    if (network->n_segments == 0) return mt_fail(MT_INPUT, "the network has no segments");
    MT_TRY(check_nodes(network));
    for (size_t s = 0; s < network->n_segments; s++) MT_TRY(check_segment(network, s));
    MT_TRY(mt_network_find_repeat(network, &first, &repeat));
    if (repeat < network->n_segments)
        return mt_fail(MT_INPUT, "segment %zu joins the same nodes as segment %zu: %u and %u", repeat, first,
            network->segment_node[2 * repeat], network->segment_node[2 * repeat + 1]);
    return check_use(network);
}

mt_status mt_network_check(const mt_network *network, const char *path)
{
    const mt_status status = check(network);
    return path ? mt_fail_in(path, status) : status;
}

/* ---- properties ---- */

static void find_lengths(const mt_network *network, mt_network_info *info)
{
    info->shortest_mm = INFINITY;
    for (size_t s = 0; s < network->n_segments; s++) {
        const double length_mm = mt_network_length_mm(network, s);
        info->length_mm += length_mm;
        if (length_mm < info->shortest_mm) info->shortest_mm = length_mm;
        if (length_mm > info->longest_mm) info->longest_mm = length_mm;
    }
}

static void find_box(const mt_network *network, mt_network_info *info)
{
    for (size_t k = 0; k < 3; k++) info->low_mm[k] = info->high_mm[k] = network->xyz_mm[k];
    for (size_t k = 0; k < 3 * network->n_nodes; k++) {
        const double x = network->xyz_mm[k];
        if (x < info->low_mm[k % 3]) info->low_mm[k % 3] = x;
        if (x > info->high_mm[k % 3]) info->high_mm[k % 3] = x;
    }
}

static void find_radii(const mt_network *network, mt_network_info *info)
{
    if (!network->radius_mm) return;
    info->radius_low_mm = info->radius_high_mm = network->radius_mm[0];
    for (size_t s = 0; s < network->n_segments; s++) {
        const double radius_mm = network->radius_mm[s];
        if (radius_mm < info->radius_low_mm) info->radius_low_mm = radius_mm;
        if (radius_mm > info->radius_high_mm) info->radius_high_mm = radius_mm;
    }
}

/* Counts terminals, branch points, components, loops and branches. A branch that is not a closed ring has two ends, each a segment at a
 * node of a degree other than 2. A ring is a component without such nodes. */
static mt_status count(const mt_network *network, mt_network_info *info)
{
    MT_SCRATCH(scratch);
    uint32_t *degree, *parent;
    uint8_t *open; /* 1 for the root of a component with a node of a degree other than 2 */
    size_t n_ends = 0, n_rings = 0;
    MT_ALLOC(scratch, degree, network->n_nodes);
    MT_ALLOC(scratch, parent, network->n_nodes);
    MT_ALLOC(scratch, open, network->n_nodes);
    mt_disjoint_begin(parent, network->n_nodes);
    for (size_t s = 0; s < network->n_segments; s++) {
        const uint32_t *v = network->segment_node + 2 * s;
        degree[v[0]]++, degree[v[1]]++;
        (void)mt_disjoint_join(parent, v[0], v[1]);
    }
    for (size_t v = 0; v < network->n_nodes; v++) {
        info->n_terminals += degree[v] == 1;
        info->n_branch_points += degree[v] >= 3;
        if (degree[v] == 2) continue;
        n_ends += degree[v];
        open[mt_disjoint_root(parent, (uint32_t)v)] = 1;
    }
    for (size_t v = 0; v < network->n_nodes; v++) {
        const bool root = parent[v] == v;
        info->n_components += root;
        n_rings += root && !open[v];
    }
    info->n_branches = n_ends / 2 + n_rings;
    info->n_loops = network->n_segments + info->n_components - network->n_nodes;
    return MT_OK;
}

mt_status mt_network_describe(const mt_network *network, mt_network_info *info)
{
    *info = (mt_network_info){0};
    find_lengths(network, info);
    find_box(network, info);
    find_radii(network, info);
    return count(network, info);
}

/* A segment with its kind. */
typedef struct kinded {
    int32_t kind;
    uint32_t segment;
} kinded;

MT_ORDER(by_kind, kinded, kind, segment)

mt_status mt_network_kinds(mt_arena *arena, const mt_network *network, size_t *n, mt_network_kind **kinds)
{
    MT_SCRATCH(scratch);
    kinded *of;
    const size_t n_segments = network->kind ? network->n_segments : 0;
    MT_ALLOC(scratch, of, n_segments);
    for (size_t s = 0; s < n_segments; s++) of[s] = (kinded){network->kind[s], (uint32_t)s};
    if (n_segments > 0) qsort(of, n_segments, sizeof *of, by_kind);
    *n = 0;
    for (size_t k = 0; k < n_segments; k++) *n += k == 0 || of[k].kind != of[k - 1].kind;
    MT_ALLOC(arena, *kinds, *n);
    mt_network_kind *at = *kinds;
    for (size_t k = 0; k < n_segments; k++) {
        if (k > 0 && of[k].kind != of[k - 1].kind) at++;
        at->kind = of[k].kind;
        at->n_segments++;
        at->length_mm += mt_network_length_mm(network, of[k].segment);
    }
    return MT_OK;
}
