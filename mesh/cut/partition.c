#include "mesh/cut/partition.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "data/core/offsets.h"
#include "mesh/cut/metis.h"
#include "mesh/cut/repair.h"

const char *const mt_partition_methods[MT_PARTITION_METHODS + 1] = {"flat", "hierarchical", NULL};

/* ---- one graph ---- */

/* Parameters for the partitioning of one graph. */
struct division {
    uint32_t n_parts;
    double imbalance;
    size_t least, most; /* bounds of the number of elements of a part */
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
    const mt_adjacency *adjacency, const struct division *division, uint32_t *part, mt_partition *partition)
{
    const size_t n = adjacency->n_elements;
    size_t moves = 0;
    if (division->n_parts == 1) return MT_OK;
    if (division->n_parts >= n) {
        for (size_t c = 0; c < n; c++) part[c] = (uint32_t)c;
        return MT_OK;
    }
    mt_metis_outcome outcome;
    MT_TRY(mt_metis_divide(
        adjacency, division->n_parts, fmax(division->imbalance, MT_IMBALANCE_LEAST), part, &outcome));
    note(division, n, &outcome, partition);
    return mt_repair_parts(adjacency, division->n_parts, division->least, division->most, part, &moves);
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
    mt_arena *scratch, const mt_adjacency *adjacency, const struct groups *groups, mt_placement_graph *graph)
{
    size_t *place; /* [n] position of the pair with each group, plus 1; at most the group's start if new */
    size_t n = 0;
    const size_t room = 2 * mt_partition_edge_cut(adjacency, groups->of_element);
    graph->n_groups = groups->n;
    MT_ALLOC(scratch, graph->start, (size_t)groups->n + 1);
    MT_ALLOC(scratch, graph->near, room);
    MT_ALLOC(scratch, graph->weight, room);
    MT_ALLOC(scratch, place, groups->n);
    for (uint32_t g = 0; g < groups->n; g++) {
        graph->start[g] = n;
        for (size_t k = 4 * groups->start[g]; k < 4 * groups->start[g + 1]; k++) {
            const uint32_t near = adjacency->neighbour[4 * (size_t)groups->element[k / 4] + k % 4];
            if (near == MT_NO_ELEMENT || groups->of_element[near] == g) continue;
            const uint32_t other = groups->of_element[near];
            if (place[other] <= graph->start[g]) {
                graph->near[n] = other;
                place[other] = ++n;
            }
            graph->weight[place[other] - 1]++;
        }
    }
    graph->start[groups->n] = n;
    return MT_OK;
}

/* Computes the place of each group, which determines the numbers of its parts; METIS' number if there are no distances. */
static mt_status place_groups(mt_arena *scratch, const mt_adjacency *adjacency, const struct groups *groups,
    mt_placement_distance *distance, uint32_t *place)
{
    mt_placement_graph graph = {.distance = distance};
    for (uint32_t g = 0; g < groups->n; g++) place[g] = g;
    if (!distance) return MT_OK;
    MT_TRY(join_groups(scratch, adjacency, groups, &graph));
    return mt_placement_find(&graph, place);
}

/* Extracts the graph of one group, with local numbers: local[] has the position of each element of the mesh within its group. */
static mt_status extract(mt_arena *scratch, const mt_adjacency *adjacency, const struct groups *groups,
    uint32_t group, const uint32_t *local, mt_adjacency *inner)
{
    const uint32_t *element = groups->element + groups->start[group];
    inner->n_elements = groups->start[group + 1] - groups->start[group];
    MT_ALLOC(scratch, inner->neighbour, 4 * inner->n_elements);
    for (size_t k = 0; k < 4 * inner->n_elements; k++) {
        const uint32_t near = adjacency->neighbour[4 * (size_t)element[k / 4] + k % 4];
        const bool inside = near != MT_NO_ELEMENT && groups->of_element[near] == group;
        inner->neighbour[k] = inside ? local[near] : MT_NO_ELEMENT;
    }
    return MT_OK;
}

/* Partitions one group; its parts are numbered from `first` on. */
static mt_status divide_group(mt_arena *scratch, const mt_adjacency *adjacency, const struct groups *groups,
    uint32_t group, const uint32_t *local, const struct division *division, uint32_t first,
    mt_partition *partition)
{
    mt_adjacency inner;
    uint32_t *part;
    MT_TRY(extract(scratch, adjacency, groups, group, local, &inner));
    MT_ALLOC(scratch, part, inner.n_elements);
    struct division within = *division;
    if (inner.n_elements > 0) within.imbalance *= (double)within.n_parts / (double)inner.n_elements;
    MT_TRY(divide(&inner, &within, part, partition));
    for (size_t i = 0; i < inner.n_elements; i++)
        partition->part[groups->element[groups->start[group] + i]] = first + part[i];
    return MT_OK;
}

static mt_status divide_groups(mt_arena *scratch, const mt_adjacency *adjacency, const struct groups *groups,
    const struct division *division, mt_placement_distance *distance, mt_partition *partition)
{
    uint32_t *place, *local;
    MT_ALLOC(scratch, place, groups->n);
    MT_ALLOC(scratch, local, adjacency->n_elements);
    MT_TRY(place_groups(scratch, adjacency, groups, distance, place));
    for (uint32_t g = 0; g < groups->n; g++)
        for (size_t i = groups->start[g]; i < groups->start[g + 1]; i++)
            local[groups->element[i]] = (uint32_t)(i - groups->start[g]);
    for (uint32_t g = 0; g < groups->n; g++) {
        MT_SCRATCH(inner);
        MT_TRY(divide_group(
            inner, adjacency, groups, g, local, division, place[g] * division->n_parts, partition));
    }
    return MT_OK;
}

/* Partitions the mesh by the chosen method. The imbalance of groups is a tenth of that of parts. */
static mt_status divide_mesh(
    const mt_adjacency *adjacency, const mt_partition_options *options, mt_partition *partition)
{
    const size_t n = adjacency->n_elements;
    const size_t most = (size_t)ceil(options->imbalance * (double)n / partition->n_parts);
    if (2 * mt_adjacency_inner_faces(adjacency) > INT32_MAX)
        return mt_fail(MT_INPUT, "METIS: a graph of %zu elements has %zu entries; at most %d are allowed", n,
            2 * mt_adjacency_inner_faces(adjacency), INT32_MAX);
    if (options->method == MT_PARTITION_FLAT || options->n_groups == 1 || partition->n_parts >= n)
        return divide(adjacency, &(struct division){partition->n_parts, options->imbalance, 1, most},
            partition->part, partition);
    MT_SCRATCH(scratch);
    const double imbalance = options->imbalance;
    const uint32_t in_group = partition->parts_per_group;
    struct groups groups = {.n = mt_partition_groups(partition)};
    const double mean = (double)adjacency->n_elements / groups.n, bound = 1 + (imbalance - 1) / 10;
    size_t most_of_group = (size_t)ceil(bound * mean);
    if (most_of_group > most * in_group) most_of_group = most * in_group;
    MT_ALLOC(scratch, groups.of_element, adjacency->n_elements);
    MT_TRY(divide(adjacency, &(struct division){groups.n, bound, in_group, most_of_group}, groups.of_element,
        partition));
    MT_TRY(mt_offsets_make(
        scratch, adjacency->n_elements, 1, groups.of_element, groups.n, &groups.start, &groups.element));
    /* The bound of a part does not depend on the size of its group: here `imbalance` is a number of elements, not yet a ratio. */
    const struct division inner = {in_group, imbalance * mean / in_group, 1, most};
    return divide_groups(scratch, adjacency, &groups, &inner, options->distance, partition);
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
    size_t cut = 0;
    for (size_t c = 0; c < adjacency->n_elements; c++)
        for (size_t f = 0; f < 4; f++) {
            uint32_t n = adjacency->neighbour[4 * c + f];
            cut += n != MT_NO_ELEMENT && n > c && part[n] != part[c];
        }
    return cut;
}

mt_status mt_partition_make(mt_arena *arena, const mt_adjacency *adjacency,
    const mt_partition_options *options, mt_partition *partition)
{
    const uint64_t n_parts = (uint64_t)options->n_groups * options->parts_per_group;
    if (n_parts == 0 || n_parts > INT32_MAX)
        return mt_fail(MT_INPUT, "a partition into %u groups of %u parts; 1 to %d parts are allowed",
            options->n_groups, options->parts_per_group, INT32_MAX);
    if (!(options->imbalance >= MT_IMBALANCE_LEAST && options->imbalance <= MT_IMBALANCE_MOST))
        return mt_fail(MT_INPUT, "a partition with imbalance %g; %g to %g are allowed", options->imbalance,
            MT_IMBALANCE_LEAST, MT_IMBALANCE_MOST);
    if (adjacency->n_elements > INT32_MAX)
        return mt_fail(
            MT_INPUT, "METIS: %zu elements; at most %d are allowed", adjacency->n_elements, INT32_MAX);
    *partition = (mt_partition){.n_parts = (uint32_t)n_parts,
        .parts_per_group = options->parts_per_group,
        .n_elements = adjacency->n_elements};
    MT_ALLOC(arena, partition->part, adjacency->n_elements);
    MT_TRY(divide_mesh(adjacency, options, partition));
    partition->edge_cut = mt_partition_edge_cut(adjacency, partition->part);
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
