#include "mesh/cut/level.h"

#include <stdbool.h>

#include "mesh/cut/members.h"

typedef struct levels {
    const mt_cut_graph *graph;
    uint64_t most;
    size_t most_nodes;
    mt_members of;
    uint64_t *load; /* [n_parts] sums of weights */
    bool *stuck;    /* [n_parts] no element can leave */
} levels;

/* A move, with its worth: edges to the receiver minus edges to the giver. */
typedef struct handing {
    uint32_t element, to;
    int64_t worth;
} handing;

static int64_t edges_to(const levels *l, uint32_t element, uint32_t part)
{
    size_t n;
    int64_t edges = 0;
    const uint32_t *near = mt_cut_graph_near(l->graph, element, &n);
    for (size_t k = 0; k < n; k++) edges += near[k] != MT_NO_ELEMENT && l->of.part[near[k]] == part;
    return edges;
}

/* True if the element can move to the part. */
static bool can_move(const levels *l, uint32_t element, uint32_t to)
{
    const uint64_t from = l->load[l->of.part[element]],
                   after = l->load[to] + mt_cut_graph_weight(l->graph, element);
    return l->of.size[to] < l->most_nodes && (after <= l->most || after < from);
}

/* Replaces *best by a better move of an element; ties are broken by the number of the element, then of the part. */
static void weigh(const levels *l, uint32_t element, handing *best)
{
    size_t n;
    const uint32_t own = l->of.part[element], *near = mt_cut_graph_near(l->graph, element, &n);
    const int64_t kept = edges_to(l, element, own);
    for (size_t k = 0; k < n; k++) {
        const uint32_t to = near[k] == MT_NO_ELEMENT ? own : l->of.part[near[k]];
        if (to == own || !can_move(l, element, to)) continue;
        const handing move = {element, to, edges_to(l, element, to) - kept};
        const bool first = best->element == MT_NO_MEMBER || move.worth > best->worth,
                   tie = move.worth == best->worth &&
                         (element < best->element || (element == best->element && to < best->to));
        if (first || tie) *best = move;
    }
}

/* Hands one element of a part to another part, or marks the part as stuck. */
static bool hand(levels *l, uint32_t part)
{
    handing best = {.element = MT_NO_MEMBER};
    for (uint32_t c = l->of.first[part]; l->of.size[part] > 1 && c != MT_NO_MEMBER; c = l->of.next[c])
        weigh(l, c, &best);
    l->stuck[part] = best.element == MT_NO_MEMBER;
    if (l->stuck[part]) return false;
    const uint64_t weight = mt_cut_graph_weight(l->graph, best.element);
    l->load[part] -= weight;
    l->load[best.to] += weight;
    mt_members_move(&l->of, best.element, best.to);
    return true;
}

/* Returns the heaviest part above the bound that is not stuck, the first among equals; n_parts if there is none. */
static uint32_t heaviest(const levels *l, uint32_t n_parts)
{
    uint32_t found = n_parts;
    for (uint32_t p = 0; p < n_parts; p++)
        if (!l->stuck[p] && l->load[p] > l->most && (found == n_parts || l->load[p] > l->load[found]))
            found = p;
    return found;
}

mt_status mt_level_parts(const mt_cut_graph *graph, uint32_t n_parts, uint64_t most, size_t most_nodes,
    uint32_t *part, size_t *moves)
{
    MT_SCRATCH(scratch);
    levels l = {.graph = graph, .most = most, .most_nodes = most_nodes};
    MT_ALLOC(scratch, l.load, n_parts);
    MT_ALLOC(scratch, l.stuck, n_parts);
    MT_TRY(mt_members_make(scratch, graph->n_nodes, n_parts, part, &l.of));
    for (size_t c = 0; c < graph->n_nodes; c++) l.load[part[c]] += mt_cut_graph_weight(graph, c);
    *moves = 0;
    for (uint32_t p; *moves < 4 * graph->n_nodes && (p = heaviest(&l, n_parts)) < n_parts;)
        *moves += hand(&l, p);
    return MT_OK;
}
