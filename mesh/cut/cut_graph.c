#include "mesh/cut/cut_graph.h"

size_t mt_cut_graph_entries(const mt_cut_graph *graph)
{
    return graph->adjacency ? 2 * mt_adjacency_inner_faces(graph->adjacency) : graph->start[graph->n_nodes];
}

uint64_t mt_cut_graph_total(const mt_cut_graph *graph)
{
    uint64_t total = 0;
    for (size_t i = 0; i < graph->n_nodes; i++) total += mt_cut_graph_weight(graph, i);
    return total;
}

size_t mt_cut_graph_edges_cut(const mt_cut_graph *graph, const uint32_t *part)
{
    size_t cut = 0;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        size_t n;
        const uint32_t *near = mt_cut_graph_near(graph, i, &n);
        for (size_t k = 0; k < n; k++)
            cut += near[k] != MT_NO_ELEMENT && near[k] > i && part[near[k]] != part[i];
    }
    return cut;
}

mt_status mt_cut_graph_largest(
    const mt_cut_graph *graph, uint32_t n_parts, const uint32_t *part, uint64_t *largest)
{
    MT_SCRATCH(scratch);
    uint64_t *load;
    MT_ALLOC(scratch, load, n_parts);
    *largest = 0;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        load[part[i]] += mt_cut_graph_weight(graph, i);
        if (load[part[i]] > *largest) *largest = load[part[i]];
    }
    return MT_OK;
}
