#include "solver/conduction/cables.h"

#include <math.h>
#include <string.h>

#include "data/core/offsets.h"

/* Chains of segments in the network. A step of a chain is twice a segment, plus 1 if it leads from the second node of the segment to the
 * first. */
typedef struct tracing {
    const mt_network *network;
    size_t *start; /* segments of node k: around[start[k] .. start[k + 1]) */
    uint32_t *around;
    uint32_t *degree;  /* [n_nodes] number of used segments */
    uint8_t *hub;      /* [n_nodes] */
    uint8_t *visited;  /* [n_segments]; unused segments are visited from the beginning */
    size_t n, n_steps; /* chains found, and their steps */
    size_t *path;      /* [n_segments + 1] first step of each chain */
    uint32_t *step;    /* [n_segments] */
} tracing;

static uint32_t begin_of(const tracing *t, uint32_t step)
{
    return t->network->segment_node[2 * (size_t)(step / 2) + step % 2];
}

static uint32_t end_of(const tracing *t, uint32_t step) { return begin_of(t, step ^ 1); }

static mt_status begin_tracing(mt_arena *scratch, const mt_network *network, const uint8_t *used, tracing *t)
{
    const size_t n_segments = network->n_segments;
    *t = (tracing){.network = network};
    MT_TRY(mt_offsets_make(
        scratch, n_segments, 2, network->segment_node, network->n_nodes, &t->start, &t->around));
    MT_ALLOC(scratch, t->degree, network->n_nodes);
    MT_ALLOC(scratch, t->hub, network->n_nodes);
    MT_ALLOC(scratch, t->visited, n_segments);
    MT_ALLOC(scratch, t->path, n_segments + 1);
    MT_ALLOC(scratch, t->step, n_segments);
    for (size_t s = 0; s < n_segments; s++) {
        t->visited[s] = used && !used[s];
        for (size_t k = 0; k < 2 && !t->visited[s]; k++) t->degree[network->segment_node[2 * s + k]]++;
    }
    for (size_t node = 0; node < network->n_nodes; node++) t->hub[node] = t->degree[node] > 2;
    return MT_OK;
}

/* Returns the step along the first unvisited segment of a node; MT_NO_POINT if all are visited. */
static uint32_t next_step(const tracing *t, uint32_t node)
{
    for (size_t k = t->start[node]; k < t->start[node + (size_t)1]; k++) {
        const uint32_t segment = t->around[k], step = 2 * segment;
        if (!t->visited[segment]) return begin_of(t, step) == node ? step : step + 1;
    }
    return MT_NO_POINT;
}

/* Reverses a chain. */
static void turn_round(uint32_t *step, size_t n)
{
    for (size_t i = 0; i < (n + 1) / 2; i++) {
        const uint32_t first = step[i], last = step[n - 1 - i];
        step[i] = last ^ 1;
        step[n - 1 - i] = first ^ 1;
    }
}

/* Follows the chains that begin at a hub or a free end. A free end becomes the left one. */
static void trace_from(tracing *t, uint32_t node)
{
    for (uint32_t step; (step = next_step(t, node)) != MT_NO_POINT;) {
        uint32_t at = node;
        for (; step != MT_NO_POINT; step = t->hub[at] ? MT_NO_POINT : next_step(t, at)) {
            t->visited[step / 2] = 1;
            t->step[t->n_steps++] = step;
            at = end_of(t, step);
        }
        const size_t first = t->path[t->n];
        if (t->hub[node] && !t->hub[at]) turn_round(t->step + first, t->n_steps - first);
        t->path[++t->n] = t->n_steps;
    }
}

/* Finds all chains: those of the hubs first, then those between free ends, and rings. */
static void trace(tracing *t)
{
    const uint32_t n_nodes = (uint32_t)t->network->n_nodes;
    for (uint32_t node = 0; node < n_nodes; node++)
        if (t->hub[node]) trace_from(t, node);
    for (uint32_t node = 0; node < n_nodes; node++)
        if (t->degree[node] == 1) trace_from(t, node);
    for (uint32_t node = 0; node < n_nodes; node++)
        if (next_step(t, node) != MT_NO_POINT) {
            t->hub[node] = 1;
            trace_from(t, node);
        }
}

/* Returns the number of pieces of a segment. */
static double pieces_of(const mt_network *network, size_t segment, double spacing_mm)
{
    return fmax(1, ceil(mt_network_length_mm(network, segment) / spacing_mm * (1 - 1e-9)));
}

/* Divides the chain of the steps first to end - 1, which has n points, into parts of nearly equal length, and appends these to `path`. */
static void divide_chain(tracing *t, size_t first, size_t end, double spacing_mm, double n)
{
    const double parts = ceil(n / MT_CHAIN_LONGEST);
    double at = 0, part = 1;
    size_t begin = first;
    for (size_t i = first; i < end; i++) {
        at += pieces_of(t->network, t->step[i] / 2, spacing_mm);
        /* cuts at the node that is nearest to the end of the part */
        if (i + 1 < end && at + pieces_of(t->network, t->step[i + 1] / 2, spacing_mm) / 2 < part * n / parts)
            continue;
        const uint32_t from = begin_of(t, t->step[begin]), to = end_of(t, t->step[i]);
        if (i + 1 < end) t->hub[to] = 1;
        if (t->hub[from] && !t->hub[to]) turn_round(t->step + begin, i + 1 - begin);
        t->path[++t->n] = begin = i + 1;
        part++;
    }
}

/* Divides long chains. */
static mt_status divide(mt_arena *scratch, tracing *t, double spacing_mm)
{
    const size_t n_chains = t->n;
    const size_t *whole = t->path;
    MT_ALLOC(scratch, t->path, t->n_steps + 1);
    t->n = 0;
    for (size_t k = 0; k < n_chains; k++) {
        double n = 0;
        for (size_t i = whole[k]; i < whole[k + 1]; i++)
            n += pieces_of(t->network, t->step[i] / 2, spacing_mm);
        divide_chain(t, whole[k], whole[k + 1], spacing_mm, n);
    }
    return MT_OK;
}

/* Numbers the points: those of the chains, then the hubs. */
static mt_status number_points(mt_arena *arena, const tracing *t, double spacing_mm, mt_cables *c)
{
    const mt_network *network = t->network;
    double n = 0;
    for (size_t i = 0; i < t->n_steps; i++) n += pieces_of(network, t->step[i] / 2, spacing_mm);
    if (t->n_steps == 0) return mt_fail(MT_INPUT, "no segment of the network conducts; needed: one");
    if (n >= UINT32_MAX / 2)
        return mt_fail(MT_INPUT, "%.3g points of cables at distances of %g mm; allowed: fewer than %u", n,
            spacing_mm, UINT32_MAX / 2);
    MT_ALLOC(arena, c->chain, t->n);
    MT_ALLOC(arena, c->point_of, network->n_nodes);
    memset(c->point_of, 0xff, network->n_nodes * sizeof *c->point_of);
    c->n_chains = t->n;
    uint32_t point = 0;
    for (size_t k = 0; k < t->n; k++) {
        mt_cable_chain *chain = &c->chain[k];
        chain->first = point;
        for (size_t i = t->path[k]; i < t->path[k + 1]; i++) {
            const uint32_t from = begin_of(t, t->step[i]), to = end_of(t, t->step[i]);
            if (i == t->path[k] && !t->hub[from]) c->point_of[from] = point++;
            point += (uint32_t)pieces_of(network, t->step[i] / 2, spacing_mm) - 1;
            if (!t->hub[to]) c->point_of[to] = point++;
        }
        chain->end = point;
    }
    c->n_chained = point;
    for (size_t node = 0; node < network->n_nodes; node++)
        if (t->hub[node]) c->point_of[node] = point++;
    c->n_points = point;
    c->n_pieces = c->n_chained + c->n_chains;
    return MT_OK;
}

/* Adds a piece between two points: half of its membrane to each. */
static void put_piece(mt_cables *c, size_t piece, const uint32_t point[2], uint32_t segment, double radius_mm,
    double length_mm, const mt_cables_rule *rule)
{
    const double half_mm2 = rule->fibres * M_PI * radius_mm * length_mm;
    c->segment_of[piece] = segment;
    c->conductance_mS[piece] =
        rule->fibres * rule->conductivity_mS_mm * M_PI * radius_mm * radius_mm / length_mm;
    for (int k = 0; k < 2; k++) c->capacitance_uF[point[k]] += rule->capacitance_uF_mm2 * half_mm2;
}

/* Places the points of a step and its pieces. `at`: its first piece. Returns the piece after its last. */
static size_t put_step(
    const tracing *t, uint32_t step, size_t chain, size_t at, const mt_cables_rule *rule, mt_cables *c)
{
    const mt_network *network = t->network;
    const uint32_t segment = step / 2, from = begin_of(t, step), to = end_of(t, step);
    const double *a = network->xyz_mm + 3 * (size_t)from, *b = network->xyz_mm + 3 * (size_t)to;
    const size_t n = (size_t)pieces_of(network, segment, rule->spacing_mm);
    const double h_mm = mt_network_length_mm(network, segment) / (double)n,
                 radius_mm = network->radius_mm ? network->radius_mm[segment] : rule->radius_mm;
    for (size_t k = 0; k < n; k++, at++) {
        uint32_t point[2];
        mt_cables_piece(c, chain, at, point);
        put_piece(c, at, point, segment, radius_mm, h_mm, rule);
        for (size_t end = 0; end < 2; end++)
            for (size_t x = 0; x < 3; x++)
                c->xyz_mm[3 * (size_t)point[end] + x] =
                    a[x] + (b[x] - a[x]) * ((double)(k + end) / (double)n);
    }
    return at;
}

mt_status mt_cables_make(
    mt_arena *arena, const mt_network *network, const uint8_t *used, const mt_cables_rule *rule, mt_cables *c)
{
    MT_SCRATCH(scratch);
    tracing t;
    *c = (mt_cables){0};
    MT_TRY(begin_tracing(scratch, network, used, &t));
    trace(&t);
    MT_TRY(divide(scratch, &t, rule->spacing_mm));
    MT_TRY(number_points(arena, &t, rule->spacing_mm, c));
    MT_ALLOC(arena, c->xyz_mm, 3 * c->n_points);
    MT_ALLOC(arena, c->capacitance_uF, c->n_points);
    MT_ALLOC(arena, c->conductance_mS, c->n_pieces);
    MT_ALLOC(arena, c->segment_of, c->n_pieces);
    memset(c->segment_of, 0xff, c->n_pieces * sizeof *c->segment_of);
    for (size_t k = 0; k < t.n; k++) {
        mt_cable_chain *chain = &c->chain[k];
        const uint32_t from = begin_of(&t, t.step[t.path[k]]), to = end_of(&t, t.step[t.path[k + 1] - 1]);
        chain->left = t.hub[from] ? c->point_of[from] : MT_NO_POINT;
        chain->right = t.hub[to] ? c->point_of[to] : MT_NO_POINT;
        size_t piece = chain->first + k + (chain->left == MT_NO_POINT);
        for (size_t i = t.path[k]; i < t.path[k + 1]; i++) piece = put_step(&t, t.step[i], k, piece, rule, c);
    }
    return MT_OK;
}

void mt_cables_piece(const mt_cables *c, size_t chain, size_t piece, uint32_t point[2])
{
    const mt_cable_chain *of = &c->chain[chain];
    const size_t right = piece - chain; /* the point to the right of the piece, if the chain has one there */
    point[0] = right == of->first ? of->left : (uint32_t)(right - 1);
    point[1] = right == of->end ? of->right : (uint32_t)right;
}

uint32_t mt_cables_inside(const mt_cables *c, uint32_t free_end, uint32_t steps)
{
    for (size_t k = 0; k < c->n_chains; k++) {
        const mt_cable_chain *of = &c->chain[k];
        if (free_end < of->first || free_end >= of->end) continue;
        const uint32_t last = of->end - 1;
        if (free_end != of->first) return free_end - of->first > steps ? free_end - steps : of->first;
        if (last - free_end >= steps) return free_end + steps;
        return of->right != MT_NO_POINT ? of->right : last;
    }
    return free_end;
}
