#include "mesh/cut/partition.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "data/core/offsets.h"
#include "mesh/cut/bisection.h"
#include "mesh/cut/curve.h"
#include "mesh/cut/level.h"
#include "mesh/cut/metis.h"
#include "mesh/cut/repair.h"

const char *const mt_partition_methods[MT_PARTITION_METHODS + 1] = {
    "flat", "hierarchical", "curve", "bisection", "auto", NULL};

/* ---- one graph ---- */

/* Parameters for the partitioning of one graph. */
struct division {
    uint32_t n_parts;
    double imbalance;
    size_t least;  /* smallest number of elements of a part */
    uint64_t most; /* largest sum of the weights of a part */
    size_t nodes;  /* largest number of nodes of a part, unless there are too many; SIZE_MAX: any */
};

/* Counts METIS' failed attempts; writes a remark for the user on the first. */
static void note(const struct division *division, size_t n_elements, const mt_metis_outcome *outcome,
    mt_partition *partition)
{
    if (outcome->attempts == 1) return;
    if (partition->metis_failures == 0)
        (void)snprintf(partition->remark, sizeof partition->remark,
            "METIS failed on %zu elements in %u parts (%s); it succeeded with seed %u, imbalance %g, so this "
            "partition differs from the default one",
            n_elements, division->n_parts, outcome->failure, outcome->seed, outcome->imbalance);
    partition->metis_failures += outcome->attempts - 1;
}

/* Computes part[n_elements], initially zero. Records failures of METIS in `partition`. */
static mt_status divide(
    const mt_cut_graph *graph, const struct division *division, uint32_t *part, mt_partition *partition)
{
    const size_t n = graph->n_nodes;
    size_t moves = 0;
    if (division->n_parts == 1) return MT_OK;
    if (division->n_parts >= n) {
        for (size_t c = 0; c < n; c++) part[c] = (uint32_t)c;
        return MT_OK;
    }
    mt_metis_outcome outcome;
    MT_TRY(mt_metis_divide(
        graph, division->n_parts, fmax(division->imbalance, MT_IMBALANCE_LEAST), part, &outcome));
    note(division, n, &outcome, partition);
    const bool bounded =
        division->nodes < n && division->nodes >= (n + division->n_parts - 1) / division->n_parts;
    const size_t nodes = bounded ? division->nodes : n;
    const size_t most = graph->weight || division->most > nodes ? nodes : (size_t)division->most;
    MT_TRY(mt_repair_parts(graph, division->n_parts, division->least, most, part, &moves));
    if (!graph->weight) return MT_OK;
    return mt_level_parts(graph, division->n_parts, division->most, nodes, part, &moves);
}

/* ---- groups ---- */

/* The elements of each group: element[start[g] .. start[g + 1]), ascending. */
struct groups {
    uint32_t n;
    uint32_t *of_element; /* [n_elements] */
    size_t *start;        /* [n + 1] */
    uint32_t *element;    /* [n_elements] */
};

/* Builds the graph of groups, weighted by the number of faces between them. Allocates space for one pair of groups per cut face. */
static mt_status join_groups(
    mt_arena *scratch, const mt_cut_graph *whole, const struct groups *groups, mt_placement_graph *graph)
{
    size_t *place; /* [n] position of the pair with each group, plus 1; at most the group's start if new */
    size_t n = 0;
    const size_t room = 2 * mt_cut_graph_edges_cut(whole, groups->of_element);
    graph->n_groups = groups->n;
    MT_ALLOC(scratch, graph->start, (size_t)groups->n + 1);
    MT_ALLOC(scratch, graph->near, room);
    MT_ALLOC(scratch, graph->weight, room);
    MT_ALLOC(scratch, place, groups->n);
    for (uint32_t g = 0; g < groups->n; g++) {
        graph->start[g] = n;
        for (size_t i = groups->start[g]; i < groups->start[g + 1]; i++) {
            size_t n_near;
            const uint32_t *near = mt_cut_graph_near(whole, groups->element[i], &n_near);
            for (size_t k = 0; k < n_near; k++) {
                if (near[k] == MT_NO_ELEMENT || groups->of_element[near[k]] == g) continue;
                const uint32_t other = groups->of_element[near[k]];
                if (place[other] <= graph->start[g]) {
                    graph->near[n] = other;
                    place[other] = ++n;
                }
                graph->weight[place[other] - 1]++;
            }
        }
    }
    graph->start[groups->n] = n;
    return MT_OK;
}

/* Computes the place of each group, which determines the numbers of its parts; METIS' number if there are no distances. */
static mt_status place_groups(mt_arena *scratch, const mt_cut_graph *whole, const struct groups *groups,
    mt_placement_distance *distance, uint32_t *place)
{
    mt_placement_graph graph = {.distance = distance};
    for (uint32_t g = 0; g < groups->n; g++) place[g] = g;
    if (!distance) return MT_OK;
    MT_TRY(join_groups(scratch, whole, groups, &graph));
    return mt_placement_find(&graph, place);
}

/* Extracts the graph of one group, with local numbers: local[] has the position of each element of the mesh within its group. */
static mt_status extract(mt_arena *scratch, const mt_cut_graph *whole, const struct groups *groups,
    uint32_t group, const uint32_t *local, mt_cut_graph *inner)
{
    const uint32_t *element = groups->element + groups->start[group];
    const size_t n = groups->start[group + 1] - groups->start[group];
    size_t room = 0, n_near, *start;
    uint32_t *near, *weight = NULL;
    for (size_t i = 0; i < n; i++) (void)mt_cut_graph_near(whole, element[i], &n_near), room += n_near;
    MT_ALLOC(scratch, start, n + 1);
    MT_ALLOC(scratch, near, room);
    if (whole->weight) MT_ALLOC(scratch, weight, n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t *all = mt_cut_graph_near(whole, element[i], &n_near);
        start[i + 1] = start[i];
        for (size_t k = 0; k < n_near; k++)
            if (all[k] != MT_NO_ELEMENT && groups->of_element[all[k]] == group)
                near[start[i + 1]++] = local[all[k]];
        if (weight) weight[i] = whole->weight[element[i]];
    }
    *inner = (mt_cut_graph){
        .together = whole->together, .n_nodes = n, .start = start, .near = near, .weight = weight};
    return MT_OK;
}

/* Partitions one group; its parts are numbered from `first` on. */
static mt_status divide_group(mt_arena *scratch, const mt_cut_graph *whole, const struct groups *groups,
    uint32_t group, const uint32_t *local, const struct division *division, uint32_t first,
    mt_partition *partition)
{
    mt_cut_graph inner;
    uint32_t *part;
    MT_TRY(extract(scratch, whole, groups, group, local, &inner));
    MT_ALLOC(scratch, part, inner.n_nodes);
    struct division within = *division;
    if (inner.n_nodes > 0) within.imbalance *= (double)within.n_parts / (double)mt_cut_graph_total(&inner);
    MT_TRY(divide(&inner, &within, part, partition));
    for (size_t i = 0; i < inner.n_nodes; i++)
        partition->part[groups->element[groups->start[group] + i]] = first + part[i];
    return MT_OK;
}

static mt_status divide_groups(mt_arena *scratch, const mt_cut_graph *whole, const struct groups *groups,
    const struct division *division, mt_placement_distance *distance, mt_partition *partition)
{
    uint32_t *place, *local;
    MT_ALLOC(scratch, place, groups->n);
    MT_ALLOC(scratch, local, whole->n_nodes);
    MT_TRY(place_groups(scratch, whole, groups, distance, place));
    for (uint32_t g = 0; g < groups->n; g++)
        for (size_t i = groups->start[g]; i < groups->start[g + 1]; i++)
            local[groups->element[i]] = (uint32_t)(i - groups->start[g]);
    for (uint32_t g = 0; g < groups->n; g++) {
        MT_SCRATCH(inner);
        MT_TRY(
            divide_group(inner, whole, groups, g, local, division, place[g] * division->n_parts, partition));
    }
    return MT_OK;
}

/* Returns the largest multiple of nodes that are processed together within the bound of the imbalance; SIZE_MAX if there is none that
 * suffices. */
static size_t most_nodes(const mt_cut_graph *graph, double imbalance, uint32_t n_parts)
{
    const double mean = (double)graph->n_nodes / n_parts;
    if (graph->together < 2) return SIZE_MAX;
    const size_t most = (size_t)ceil(imbalance * mean) / graph->together * graph->together;
    return (double)most >= mean ? most : SIZE_MAX;
}

/* Partitions the mesh by the chosen method. The imbalance of groups is a tenth of that of parts. */
static mt_status divide_mesh(const mt_cut_graph *graph, const mt_partition_options *options,
    mt_partition_method method, mt_partition *partition)
{
    const size_t n = graph->n_nodes, entries = mt_cut_graph_entries(graph);
    const double total = (double)mt_cut_graph_total(graph);
    const uint64_t most = (uint64_t)ceil(options->imbalance * total / partition->n_parts);
    const size_t nodes = most_nodes(graph, options->imbalance, partition->n_parts);
    if (entries > INT32_MAX)
        return mt_fail(MT_INPUT, "METIS: a graph of %zu elements has %zu entries; at most %d are allowed", n,
            entries, INT32_MAX);
    if (method == MT_PARTITION_FLAT || options->n_groups == 1 || partition->n_parts >= n)
        return divide(graph, &(struct division){partition->n_parts, options->imbalance, 1, most, nodes},
            partition->part, partition);
    MT_SCRATCH(scratch);
    const double imbalance = options->imbalance;
    const uint32_t in_group = partition->parts_per_group;
    struct groups groups = {.n = mt_partition_groups(partition)};
    const double mean = total / groups.n, bound = 1 + (imbalance - 1) / 10;
    uint64_t most_of_group = (uint64_t)ceil(bound * mean);
    if (most_of_group > most * in_group) most_of_group = most * in_group;
    MT_ALLOC(scratch, groups.of_element, n);
    const size_t of_group = nodes < SIZE_MAX ? nodes * in_group : SIZE_MAX;
    MT_TRY(divide(graph, &(struct division){groups.n, bound, in_group, most_of_group, of_group},
        groups.of_element, partition));
    MT_TRY(mt_offsets_make(scratch, n, 1, groups.of_element, groups.n, &groups.start, &groups.element));
    /* The bound of a part does not depend on the size of its group: here `imbalance` is a sum of weights, not yet a ratio. */
    const struct division inner = {in_group, imbalance * mean / in_group, 1, most, nodes};
    return divide_groups(scratch, graph, &groups, &inner, options->distance, partition);
}

/* Partitions by the positions of the elements. */
static mt_status divide_space(const mt_cut_graph *graph, const mt_partition_options *options,
    mt_partition_method method, mt_partition *partition)
{
    const uint32_t parts = options->parts_per_group, width = options->width;
    const uint32_t most = options->most > 0 && options->most < parts ? options->most : parts;
    if (!graph->xyz_mm)
        return mt_fail(
            MT_INPUT, "a partition by %s without positions of the elements", mt_partition_methods[method]);
    if (width > 0 && parts % width != 0)
        return mt_fail(
            MT_INPUT, "a grid of %u parts in rows of %u; a width that divides it is allowed", parts, width);
    const mt_part_grid grid =
        mt_part_grid_fit(graph->n_nodes, graph->weight != NULL, options->n_groups, parts, width, most);
    return (method == MT_PARTITION_CURVE ? mt_curve_divide : mt_bisection_divide)(
        graph, options->n_groups, parts, &grid, partition->part);
}

/* ---- partitions ---- */

uint32_t mt_partition_groups(const mt_partition *partition)
{
    return partition->n_parts / partition->parts_per_group;
}

uint32_t mt_partition_group_of(const mt_partition *partition, size_t element)
{
    return partition->part[element] / partition->parts_per_group;
}

size_t mt_partition_edge_cut(const mt_adjacency *adjacency, const uint32_t *part)
{
    const mt_cut_graph graph = mt_cut_graph_of(adjacency);
    return mt_cut_graph_edges_cut(&graph, part);
}

mt_status mt_partition_make(mt_arena *arena, const mt_adjacency *adjacency,
    const mt_partition_options *options, mt_partition *partition)
{
    const mt_cut_graph graph = mt_cut_graph_of(adjacency);
    return mt_partition_make_of(arena, &graph, options, partition);
}

mt_status mt_partition_make_of(
    mt_arena *arena, const mt_cut_graph *graph, const mt_partition_options *options, mt_partition *partition)
{
    const uint64_t n_parts = (uint64_t)options->n_groups * options->parts_per_group;
    if (n_parts == 0 || n_parts > INT32_MAX)
        return mt_fail(MT_INPUT, "a partition into %u groups of %u parts; 1 to %d parts are allowed",
            options->n_groups, options->parts_per_group, INT32_MAX);
    if (!(options->imbalance >= MT_IMBALANCE_LEAST && options->imbalance <= MT_IMBALANCE_MOST))
        return mt_fail(MT_INPUT, "a partition with imbalance %g; %g to %g are allowed", options->imbalance,
            MT_IMBALANCE_LEAST, MT_IMBALANCE_MOST);
    if (graph->n_nodes > INT32_MAX)
        return mt_fail(MT_INPUT, "METIS: %zu elements; at most %d are allowed", graph->n_nodes, INT32_MAX);
    *partition = (mt_partition){.n_parts = (uint32_t)n_parts,
        .parts_per_group = options->parts_per_group,
        .n_elements = graph->n_nodes,
        .weight = graph->weight,
        .together = graph->together};
    MT_ALLOC(arena, partition->part, graph->n_nodes);
    const mt_partition_method method = mt_partition_chosen(options->method, options->width);
    MT_TRY(mt_partition_by_position(method) ? divide_space(graph, options, method, partition)
                                            : divide_mesh(graph, options, method, partition));
    partition->edge_cut = mt_cut_graph_edges_cut(graph, partition->part);
    return mt_partition_check(partition);
}

mt_status mt_partition_check(const mt_partition *partition)
{
    if (partition->parts_per_group == 0 || partition->n_parts % partition->parts_per_group != 0)
        return mt_fail(MT_INPUT, "%u parts in groups of %u", partition->n_parts, partition->parts_per_group);
    for (size_t c = 0; c < partition->n_elements; c++)
        if (partition->part[c] >= partition->n_parts)
            return mt_fail(
                MT_INPUT, "element %zu: part %u; there are %u", c, partition->part[c], partition->n_parts);
    return MT_OK;
}
