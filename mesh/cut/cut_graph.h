/* The graph to be partitioned: the dual graph of a mesh, or rows of any lengths, such as those of an operator on vertices. */
#pragma once

#include "mesh/adjacency.h"

/* A graph without loops and repeated edges; an edge is stored at both of its nodes. All arrays are borrowed. */
typedef struct mt_cut_graph {
    size_t n_nodes;
    const mt_adjacency *adjacency; /* its elements are the nodes; NULL: the rows below */
    const size_t
        *start; /* [n_nodes + 1] node i has the neighbours near[start[i]] .. near[start[i + 1] - 1] */
    const uint32_t *near;
    const uint32_t *weight; /* [n_nodes] cost of a node, above 0; NULL: all are 1 */
    const double *xyz_mm;   /* [n_nodes][3] positions; NULL: unknown */
    /* nodes that a part processes together, such as one on each worker of a tile: a part then costs as much as one of the next multiple;
     * 0 or 1: none */
    uint32_t together;
} mt_cut_graph;

/* Returns the dual graph of a mesh, with equal weights and without positions. */
static inline mt_cut_graph mt_cut_graph_of(const mt_adjacency *adjacency)
{
    return (mt_cut_graph){.n_nodes = adjacency->n_elements, .adjacency = adjacency};
}

/* Returns the neighbours of a node, and their number. In a dual graph some can be MT_NO_ELEMENT. */
static inline const uint32_t *mt_cut_graph_near(const mt_cut_graph *graph, size_t node, size_t *n)
{
    if (graph->adjacency) {
        *n = 4;
        return graph->adjacency->neighbour + 4 * node;
    }
    *n = graph->start[node + 1] - graph->start[node];
    return graph->near + graph->start[node];
}

static inline uint32_t mt_cut_graph_weight(const mt_cut_graph *graph, size_t node)
{
    return graph->weight ? graph->weight[node] : 1;
}

/* Return the number of edges, each counted at both of its nodes; and the sum of the weights. */
size_t mt_cut_graph_entries(const mt_cut_graph *graph);
uint64_t mt_cut_graph_total(const mt_cut_graph *graph);

/* Returns the number of edges between nodes of different parts. `part`: [n_nodes]. */
size_t mt_cut_graph_edges_cut(const mt_cut_graph *graph, const uint32_t *part);

/* Returns the largest sum of weights of a part; 0 without parts. MT_MEMORY. */
MT_NODISCARD mt_status mt_cut_graph_largest(
    const mt_cut_graph *graph, uint32_t n_parts, const uint32_t *part, uint64_t *largest);
