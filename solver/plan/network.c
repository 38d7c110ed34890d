#include "solver/plan/network.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "data/core/offsets.h"
#include "solver/conduction/coefficients.h"

/* A plan in the making. */
typedef struct making {
    mt_arena *constants; /* of their values */
    mt_plan *plan;
    mt_plan_network *n;
    const mt_cables *cables;
    const mt_junctions *junctions;
    mt_conduction_coefficients of;
    const uint32_t *chain_part; /* [n_chains] */
    uint32_t *end_chain;        /* [n_junctions] chain of the free end */
    ipu_tensor conductance, along, across, inverse, coupling, weight;
    ipu_slice *slices; /* scratch: at least as many as entries of junctions, points and ends of chains */
    size_t *entry_at;  /* [n_junctions] position of its first entry, in the order of the parts */
    size_t *shares_at; /* [n_junctions] position of its shares in that order, if it has several */
    ipu_tensor shares;
} making;

static size_t n_parts_of(const making *m) { return m->plan->halo->n_parts; }

/* ---- the order of the parts ---- */

/* Counts items by part into the first of each part. */
static mt_status count_by_part(
    mt_arena *arena, const making *m, size_t n, const uint32_t *part, const size_t *each, size_t **from)
{
    MT_ALLOC(arena, *from, n_parts_of(m) + 1);
    for (size_t k = 0; k < n; k++) (*from)[part[k] + (size_t)1] += each ? each[k] : 1;
    mt_offsets_sum(*from, n_parts_of(m) + 1);
    return MT_OK;
}

/* Places the chains and their points, and then the hubs, in the order of the parts. */
static mt_status order_points(mt_arena *arena, making *m)
{
    MT_SCRATCH(scratch);
    mt_plan_network *n = m->n;
    const mt_cables *c = m->cables;
    const size_t n_parts = n_parts_of(m), n_hubs = c->n_points - c->n_chained;
    const mt_elimination *e = &m->of.elimination;
    size_t *length, *hub_from, *chain, *chained, *point;
    MT_ALLOC(scratch, length, c->n_chains);
    MT_ALLOC(arena, n->chain, c->n_chains);
    MT_ALLOC(arena, n->chain_at, c->n_chains);
    MT_ALLOC(arena, n->chained_at, c->n_chains);
    MT_ALLOC(arena, n->point_at, c->n_points);
    MT_ALLOC(arena, n->hub_part_of, n_hubs);
    MT_ALLOC(arena, n->point_from, n_parts + 1);
    MT_ALLOC(arena, n->piece_from, n_parts + 1);
    for (size_t k = 0; k < c->n_chains; k++) length[k] = c->chain[k].end - c->chain[k].first;
    for (size_t h = 0; h < n_hubs; h++) n->hub_part_of[h] = m->chain_part[e->end[e->ends[h]] / 2];
    MT_TRY(count_by_part(arena, m, c->n_chains, m->chain_part, NULL, &n->chain_from));
    MT_TRY(count_by_part(arena, m, c->n_chains, m->chain_part, length, &n->chained_from));
    MT_TRY(count_by_part(scratch, m, n_hubs, n->hub_part_of, NULL, &hub_from));
    for (size_t p = 0; p <= n_parts; p++) {
        n->point_from[p] = n->chained_from[p] + hub_from[p];
        n->piece_from[p] = n->chained_from[p] + n->chain_from[p];
    }
    MT_COPY(scratch, point, n->point_from, n_parts + 1);
    MT_COPY(scratch, chain, n->chain_from, n_parts + 1);
    MT_COPY(scratch, chained, n->chained_from, n_parts + 1);
    for (uint32_t k = 0; k < c->n_chains; k++) {
        const uint32_t part = m->chain_part[k];
        n->chain[chain[part]] = k;
        n->chain_at[k] = (uint32_t)chain[part]++;
        n->chained_at[k] = (uint32_t)chained[part];
        chained[part] += length[k];
        for (size_t i = c->chain[k].first; i < c->chain[k].end; i++) n->point_at[i] = (uint32_t)point[part]++;
    }
    for (size_t h = 0; h < n_hubs; h++) n->point_at[c->n_chained + h] = (uint32_t)point[n->hub_part_of[h]]++;
    return MT_OK;
}

/* Finds the chain of each free end, and places the junctions. */
static mt_status order_junctions(mt_arena *arena, mt_arena *scratch, making *m)
{
    mt_plan_network *n = m->n;
    const mt_cables *c = m->cables;
    const mt_junctions *j = m->junctions;
    const size_t n_parts = n_parts_of(m);
    uint32_t *chain_of, *part;
    size_t *at;
    MT_ALLOC(scratch, chain_of, c->n_points);
    MT_ALLOC(scratch, part, j->n);
    MT_ALLOC(scratch, m->end_chain, j->n);
    MT_ALLOC(scratch, m->entry_at, j->n);
    MT_ALLOC(arena, n->junction_at, j->n);
    MT_ALLOC(arena, n->place_from, n_parts + 1);
    for (uint32_t k = 0; k < c->n_chains; k++)
        for (size_t i = c->chain[k].first; i < c->chain[k].end; i++) chain_of[i] = k;
    for (size_t k = 0; k < j->n; k++) {
        assert(j->point[k] < c->n_chained);
        m->end_chain[k] = chain_of[j->point[k]];
        part[k] = m->chain_part[m->end_chain[k]];
    }
    MT_TRY(count_by_part(arena, m, j->n, part, NULL, &n->junction_from));
    MT_COPY(scratch, at, n->junction_from, n_parts + 1);
    for (size_t k = 0; k < j->n; k++) n->junction_at[k] = (uint32_t)at[part[k]]++;
    for (size_t p = 0; p <= n_parts; p++) n->place_from[p] = n->point_from[p] + n->junction_from[p];
    return MT_OK;
}

/* Returns the part with a position in an order that begins at from[part]. */
static uint32_t part_at(const mt_plan_network *n, const size_t *from, size_t position)
{
    uint32_t low = 0, high = n->n_parts;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (from[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t mt_plan_network_part(const mt_plan_network *n, size_t place)
{
    const size_t n_points = n->conduction->cables.n_points;
    return place < n_points ? part_at(n, n->point_from, n->point_at[place])
                            : part_at(n, n->junction_from, n->junction_at[place - n_points]);
}

size_t mt_plan_network_place(const mt_plan_network *n, uint32_t part, size_t place)
{
    const size_t n_points = n->conduction->cables.n_points, first = n->place_from[part];
    if (place < n_points) return first + n->point_at[place] - n->point_from[part];
    return first + (n->point_from[part + 1] - n->point_from[part]) + n->junction_at[place - n_points] -
           n->junction_from[part];
}

/* ---- groups of hubs ---- */

/* Returns the part with the fewest points and unknowns, and among these the first. */
static uint32_t least_part(const making *m)
{
    uint32_t best = 0;
    size_t least = SIZE_MAX;
    for (uint32_t part = 0; part < n_parts_of(m); part++) {
        const size_t n = mt_plan_count(m->plan, part) + m->n->point_from[part + 1] - m->n->point_from[part];
        if (n < least) least = n, best = part;
    }
    return best;
}

/* Computes the lengths of the lists of a group in one direction. */
static mt_status count_entries(
    mt_arena *arena, const making *m, const mt_hub_group *g, bool up, mt_network_hubs *hubs)
{
    const mt_elimination *e = &m->of.elimination;
    const size_t *start = up ? e->row : e->column;
    *hubs = (mt_network_hubs){.n = g->n, .n_levels = g->n_levels, .level = g->level};
    MT_ALLOC(arena, hubs->entries, g->n);
    if (up) MT_ALLOC(arena, hubs->ends, g->n);
    for (size_t k = 0; k < g->n; k++) {
        const size_t hub = g->hub[k], rank = m->n->groups.rank[hub];
        hubs->entries[k] = (uint32_t)(start[rank + 1] - start[rank]);
        if (up) hubs->ends[k] = (uint32_t)(e->ends[hub + 1] - e->ends[hub]);
    }
    return MT_OK;
}

/* Places the groups: on the tile of their last hub; the top on one with little else. */
static mt_status place_groups(mt_arena *arena, making *m)
{
    mt_plan_network *n = m->n;
    const mt_hub_groups *groups = &n->groups;
    size_t x = 0;
    MT_ALLOC(arena, n->placed, groups->n_below + 1);
    MT_ALLOC(arena, n->x_at, m->of.elimination.n_hubs);
    for (size_t k = 0; k <= groups->n_below; k++) {
        const mt_hub_group *g = &groups->group[k];
        mt_placed_group *p = &n->placed[k];
        p->part = k < groups->n_below ? n->hub_part_of[g->hub[g->n - 1]] : least_part(m);
        p->x_from = x;
        for (size_t i = 0; i < g->n; i++) n->x_at[g->hub[i]] = x + i;
        MT_TRY(count_entries(arena, m, g, true, &p->up));
        MT_TRY(count_entries(arena, m, g, false, &p->down));
        x += g->n + (g->n_got_up > g->n_got_down ? g->n_got_up : g->n_got_down);
    }
    n->n_x = x;
    return MT_OK;
}

/* ---- variables ---- */

/* Adds a constant, the values of the parts one after another. */
static mt_status add_constant(
    making *m, const char *name, ipu_type type, const size_t *from, const void *values, ipu_tensor *tensor)
{
    ipu_graph *graph = m->plan->graph;
    uint32_t variable;
    MT_TRY(ipu_graph_add_constant(graph, name, type, from[n_parts_of(m)], values, &variable));
    for (uint32_t part = 0; part < n_parts_of(m); part++)
        if (from[part + 1] > from[part])
            MT_TRY(ipu_graph_set_tile_mapping(
                graph, variable, from[part], from[part + 1] - from[part], mt_plan_tile(m->plan, part)));
    return ipu_graph_variable_tensor(graph, variable, tensor);
}

/* Adds a constant of one tile. */
static mt_status add_here(making *m, uint32_t part, const char *name, ipu_type type, size_t n,
    const void *values, ipu_tensor *tensor)
{
    ipu_graph *graph = m->plan->graph;
    uint32_t variable;
    MT_TRY(ipu_graph_add_constant(graph, name, type, n, values, &variable));
    if (n > 0) MT_TRY(ipu_graph_set_tile_mapping(graph, variable, 0, n, mt_plan_tile(m->plan, part)));
    return ipu_graph_variable_tensor(graph, variable, tensor);
}

static mt_status add_pieces(
    making *m, const char *name, const size_t *from, size_t each, bool temporary, ipu_tensor *tensor)
{
    MT_SCRATCH(scratch);
    size_t *begin;
    MT_ALLOC(scratch, begin, n_parts_of(m) + 1);
    for (size_t p = 0; p <= n_parts_of(m); p++) begin[p] = each * from[p];
    MT_TRY(mt_plan_add_pieces(m->plan, name, IPU_FLOAT, begin, tensor));
    return temporary ? mt_plan_set_temporary(m->plan, *tensor) : MT_OK;
}

/* Adds x: of each group, on its tile. */
static mt_status add_x(making *m)
{
    mt_plan_network *n = m->n;
    ipu_graph *graph = m->plan->graph;
    uint32_t x;
    MT_TRY(ipu_graph_add_variable(graph, "network x", IPU_FLOAT, n->n_x, &x));
    for (size_t k = 0; k <= n->groups.n_below; k++) {
        const size_t from = n->placed[k].x_from,
                     end = k < n->groups.n_below ? n->placed[k + 1].x_from : n->n_x;
        if (end > from)
            MT_TRY(ipu_graph_set_tile_mapping(
                graph, x, from, end - from, mt_plan_tile(m->plan, n->placed[k].part)));
    }
    MT_TRY(ipu_graph_variable_tensor(graph, x, &n->x));
    return mt_plan_set_temporary(m->plan, n->x);
}

static mt_status add_variables(making *m)
{
    static const char *const recorded[MT_CONDUCTING_RECORDED] = {
        [MT_CONDUCTING_ACTIVATION] = "network activation",
        [MT_CONDUCTING_BEFORE] = "network before",
        [MT_CONDUCTING_FREE] = "network free"};
    static const char *const paced[MT_PACED] = {"network kept", "network change", "network since"};
    mt_plan_network *n = m->n;
    MT_TRY(add_pieces(m, "network v", n->point_from, 1, false, &n->v));
    MT_TRY(add_pieces(m, "network d", n->point_from, 1, false, &n->d));
    MT_TRY(add_pieces(m, "network w", n->point_from, 1, true, &n->w));
    MT_TRY(add_pieces(m, "network b", n->chained_from, 1, false, &n->b));
    MT_TRY(add_pieces(m, "network state", n->point_from, n->conduction->model->n_states, false, &n->state));
    for (int k = 0; n->ode.multirate && k < MT_PACED; k++)
        MT_TRY(add_pieces(m, paced[k], n->point_from, 1, false, &n->paced[k]));
    MT_TRY(add_pieces(m, "network added", n->chain_from, 2, true, &n->added));
    MT_TRY(add_pieces(m, "network mean", n->junction_from, 1, true, &n->mean));
    for (int r = 0; r < MT_CONDUCTING_RECORDED; r++)
        MT_TRY(add_pieces(m, recorded[r], n->place_from, 1, false, &n->recorded[r]));
    MT_TRY(mt_plan_add_per_part(m->plan, "network step", IPU_FLOAT, 1, &n->step));
    if (n->ode.multirate) MT_TRY(mt_plan_add_per_part(m->plan, "network substep", IPU_FLOAT, 1, &n->substep));
    return add_x(m);
}

/* Adds the coefficients of the chains. */
static mt_status add_coefficients(making *m)
{
    const mt_plan_network *n = m->n;
    const mt_cables *c = m->cables;
    const mt_elimination *e = &m->of.elimination;
    float *conductance, *along, *across, *inverse;
    MT_ALLOC(m->constants, conductance, c->n_pieces);
    MT_ALLOC(m->constants, along, c->n_chained);
    MT_ALLOC(m->constants, across, c->n_chained);
    MT_ALLOC(m->constants, inverse, c->n_chained);
    for (size_t k = 0; k < c->n_chains; k++) {
        const size_t first = c->chain[k].first, points = c->chain[k].end - first, at = n->chained_at[k],
                     piece = at + n->chain_at[k];
        for (size_t i = 0; i < points; i++) {
            along[at + i] = (float)e->along[first + i];
            across[at + i] = (float)e->across[first + i];
            inverse[at + i] = (float)e->inverse[first + i];
        }
        for (size_t i = 0; i <= points; i++) conductance[piece + i] = (float)c->conductance_mS[first + k + i];
    }
    MT_TRY(add_constant(m, "network conductance", IPU_FLOAT, n->piece_from, conductance, &m->conductance));
    MT_TRY(add_constant(m, "network along", IPU_FLOAT, n->chained_from, along, &m->along));
    MT_TRY(add_constant(m, "network across", IPU_FLOAT, n->chained_from, across, &m->across));
    return add_constant(m, "network inverse", IPU_FLOAT, n->chained_from, inverse, &m->inverse);
}

/* ---- vertices ---- */

/* Connects a field with a range of a variable. */
static mt_status connect(
    making *m, size_t vertex, const char *field, ipu_tensor whole, size_t from, size_t count)
{
    return mt_plan_connect_range(m->plan, vertex, field, whole, from, count);
}

/* Connects a field with the collected slices. */
static mt_status connect_slices(making *m, size_t vertex, const char *field, size_t n_slices)
{
    ipu_tensor tensor;
    MT_TRY(ipu_graph_add_tensor(m->plan->graph, m->slices, n_slices, &tensor));
    return ipu_graph_connect(m->plan->graph, vertex, field, tensor);
}

static uint32_t variable_of(const making *m, ipu_tensor whole)
{
    return m->plan->graph->slices[whole.first_slice].variable;
}

static mt_status add_vertex(
    making *m, uint32_t set, mt_network_part kind, uint32_t part, const void *context, size_t *vertex)
{
    return ipu_graph_add_vertex(m->plan->graph, m->n->first_set + set, &m->n->codelet[kind],
        mt_plan_tile(m->plan, part), context, vertex);
}

/* Adds the vertex of the cells of a part to a compute set. */
static mt_status add_cells(making *m, uint32_t set, uint32_t part)
{
    static const char *const paced[MT_PACED] = {"kept", "change", "since"};
    mt_plan_network *n = m->n;
    const size_t n_states = n->conduction->model->n_states, from = n->point_from[part],
                 count = n->point_from[part + 1] - from;
    size_t vertex;
    MT_TRY(
        ipu_graph_add_vertex(m->plan->graph, set, &n->cells, mt_plan_tile(m->plan, part), &n->ode, &vertex));
    MT_TRY(connect(m, vertex, "state", n->state, n_states * from, n_states * count));
    MT_TRY(connect(m, vertex, "v_in", n->v, from, count));
    MT_TRY(connect(m, vertex, "v_out", n->v, from, count));
    MT_TRY(connect(m, vertex, "d", n->d, from, count));
    if (n->ode.multirate) MT_TRY(connect(m, vertex, "step", n->substep, part, 1));
    for (int k = 0; n->ode.multirate && k < MT_PACED; k++)
        MT_TRY(connect(m, vertex, paced[k], n->paced[k], from, count));
    return MT_OK;
}

/* Adds the vertices of a part with all its points. */
static mt_status add_points(making *m, uint32_t part)
{
    mt_plan_network *n = m->n;
    const size_t from = n->point_from[part], count = n->point_from[part + 1] - from,
                 place = n->place_from[part];
    size_t vertex;
    MT_TRY(add_cells(m, MT_PLAN_ODE, part));
    if (n->conduction->steps > 1) MT_TRY(add_cells(m, n->first_set + MT_NETWORK_SET_CELLS, part));
    MT_TRY(add_vertex(m, MT_NETWORK_SET_STATE, MT_NETWORK_STATE, part, NULL, &vertex));
    MT_TRY(connect(m, vertex, "v", n->v, from, count));
    MT_TRY(connect(m, vertex, "d", n->d, from, count));
    MT_TRY(connect(m, vertex, "w", n->w, from, count));
    if (n->ode.multirate) {
        MT_TRY(add_vertex(m, MT_NETWORK_SET_STATE, MT_NETWORK_COUNT, part, NULL, &vertex));
        MT_TRY(connect(m, vertex, "substep", n->substep, part, 1));
    }
    MT_TRY(add_vertex(m, MT_NETWORK_SET_POINTS, MT_NETWORK_POINTS, part, &n->record, &vertex));
    MT_TRY(connect(m, vertex, "v", n->v, from, count));
    MT_TRY(connect(m, vertex, "step", n->step, part, 1));
    MT_TRY(connect(m, vertex, "before", n->recorded[MT_CONDUCTING_BEFORE], place, count));
    MT_TRY(connect(m, vertex, "free", n->recorded[MT_CONDUCTING_FREE], place, count));
    return connect(m, vertex, "activation", n->recorded[MT_CONDUCTING_ACTIVATION], place, count);
}

/* Connects a field with the value of a hub, from a variable of the points or of the hubs. At a free end some value, which is not read or
 * has no effect. */
static mt_status connect_end(
    making *m, size_t vertex, const char *field, uint32_t hub, bool forward, ipu_tensor own, size_t own_at)
{
    if (hub == MT_NO_POINT) return connect(m, vertex, field, own, own_at, 1);
    return forward ? connect(m, vertex, field, m->n->w, m->n->point_at[hub], 1)
                   : connect(m, vertex, field, m->n->x, m->n->x_at[hub - m->cables->n_chained], 1);
}

static mt_status add_forward(making *m, uint32_t k, uint32_t part)
{
    const mt_plan_network *n = m->n;
    const mt_cable_chain *c = &m->cables->chain[k];
    const size_t points = c->end - c->first, at = n->chained_at[k], piece = at + n->chain_at[k],
                 own = points > 0 ? n->point_at[c->first] : 0;
    size_t vertex;
    MT_TRY(add_vertex(
        m, MT_NETWORK_SET_FORWARD, points > 0 ? MT_NETWORK_FORWARD : MT_NETWORK_PIECE, part, NULL, &vertex));
    MT_TRY(connect_end(m, vertex, "left", c->left, true, n->w, own));
    MT_TRY(connect_end(m, vertex, "right", c->right, true, n->w, own + (points > 0 ? points - 1 : 0)));
    MT_TRY(connect(m, vertex, "conductance", m->conductance, piece, points + 1));
    MT_TRY(connect(m, vertex, "added", n->added, 2 * (size_t)n->chain_at[k], 2));
    if (points == 0) return MT_OK;
    MT_TRY(connect(m, vertex, "w", n->w, own, points));
    MT_TRY(connect(m, vertex, "along", m->along, at, points));
    MT_TRY(connect(m, vertex, "across", m->across, at, points));
    return connect(m, vertex, "b", n->b, at, points);
}

static mt_status add_backward(making *m, uint32_t k, uint32_t part)
{
    static const mt_network_ends ends[2][2] = {
        {{false, false}, {false, true}}, {{true, false}, {true, true}}};
    const mt_plan_network *n = m->n;
    const mt_cable_chain *c = &m->cables->chain[k];
    const size_t points = c->end - c->first, at = n->chained_at[k];
    size_t vertex;
    if (points == 0) return MT_OK;
    MT_TRY(add_vertex(m, MT_NETWORK_SET_BACKWARD, MT_NETWORK_BACKWARD, part,
        &ends[c->left != MT_NO_POINT][c->right != MT_NO_POINT], &vertex));
    MT_TRY(connect_end(m, vertex, "left", c->left, false, m->inverse, at));
    MT_TRY(connect_end(m, vertex, "right", c->right, false, m->inverse, at));
    MT_TRY(connect(m, vertex, "inverse", m->inverse, at, points));
    MT_TRY(connect(m, vertex, "along", m->along, at, points));
    MT_TRY(connect(m, vertex, "across", m->across, at, points));
    MT_TRY(connect(m, vertex, "b", n->b, at, points));
    MT_TRY(connect(m, vertex, "v", n->v, n->point_at[c->first], points));
    return connect(m, vertex, "w", n->w, n->point_at[c->first], points);
}

/* Adds the vertex that moves the hubs of a part. */
static mt_status add_own_hubs(making *m, uint32_t part)
{
    const mt_plan_network *n = m->n;
    const size_t n_hubs = m->cables->n_points - m->cables->n_chained,
                 from = n->point_from[part] + n->chained_from[part + 1] - n->chained_from[part],
                 count = n->point_from[part + 1] - from;
    size_t vertex, slices = 0;
    if (count == 0) return MT_OK;
    MT_TRY(add_vertex(m, MT_NETWORK_SET_BACKWARD, MT_NETWORK_GAIN, part, NULL, &vertex));
    for (size_t h = 0; h < n_hubs; h++)
        if (n->hub_part_of[h] == part) m->slices[slices++] = (ipu_slice){variable_of(m, n->x), n->x_at[h], 1};
    MT_TRY(connect_slices(m, vertex, "x", slices));
    return connect(m, vertex, "v", n->v, from, count);
}

/* Connects a field with a constant of the group. */
static mt_status connect_list(
    making *m, size_t vertex, size_t group, const char *field, ipu_type type, size_t n, const void *values)
{
    char name[64];
    ipu_tensor tensor;
    (void)snprintf(name, sizeof name, "network hubs %zu %s", group, field);
    if (n == 0)
        MT_TRY(ipu_graph_add_tensor(m->plan->graph, NULL, 0, &tensor));
    else
        MT_TRY(add_here(m, m->n->placed[group].part, name, type, n, values, &tensor));
    return ipu_graph_connect(m->plan->graph, vertex, field, tensor);
}

/* Connects `got` with the x of the hubs that a group receives. */
static mt_status connect_got(making *m, size_t vertex, size_t n, const uint32_t *hub)
{
    for (size_t k = 0; k < n; k++) m->slices[k] = (ipu_slice){variable_of(m, m->n->x), m->n->x_at[hub[k]], 1};
    return connect_slices(m, vertex, "got", n);
}

/* The lists of a group in one direction. */
typedef struct lists {
    uint32_t *start, *index; /* [n + 1]; of x of the group */
    float *factor;
} lists;

/* Fills the lists from those of the elimination, with the numbers of hubs in the group's x. `local`: [n_hubs] scratch. */
static mt_status fill_lists(making *m, const mt_hub_group *g, bool up, uint32_t *local, lists *l)
{
    const mt_elimination *e = &m->of.elimination;
    const uint32_t *rank = m->n->groups.rank;
    const size_t *start = up ? e->row : e->column, n_got = up ? g->n_got_up : g->n_got_down;
    const uint32_t *hub = up ? e->earlier : e->hub, *got = up ? g->got_up : g->got_down;
    const double *factor = up ? e->earlier_factor : e->factor;
    size_t n = 0;
    for (size_t k = 0; k < g->n; k++) local[g->hub[k]] = (uint32_t)k;
    for (size_t k = 0; k < n_got; k++) local[got[k]] = (uint32_t)(g->n + k);
    for (size_t k = 0; k < g->n; k++) n += start[rank[g->hub[k]] + (size_t)1] - start[rank[g->hub[k]]];
    MT_ALLOC(m->constants, l->start, g->n + 1);
    MT_ALLOC(m->constants, l->index, n);
    MT_ALLOC(m->constants, l->factor, n);
    n = 0;
    for (size_t k = 0; k < g->n; k++) {
        const size_t of = rank[g->hub[k]];
        for (size_t i = start[of]; i < start[of + 1]; i++) {
            l->index[n] = local[hub[i]];
            l->factor[n++] = (float)factor[i];
        }
        l->start[k + 1] = (uint32_t)n;
    }
    return MT_OK;
}

/* Connects `added` with what the chains add to each hub of a group, hub by hub. */
static mt_status connect_added(making *m, size_t vertex, size_t group)
{
    const mt_hub_group *g = &m->n->groups.group[group];
    const mt_elimination *e = &m->of.elimination;
    uint32_t *ends;
    size_t n = 0;
    MT_ALLOC(m->constants, ends, g->n + 1);
    for (size_t k = 0; k < g->n; k++) {
        for (size_t i = e->ends[g->hub[k]]; i < e->ends[g->hub[k] + (size_t)1]; i++)
            m->slices[n++] = (ipu_slice){
                variable_of(m, m->n->added), 2 * (size_t)m->n->chain_at[e->end[i] / 2] + e->end[i] % 2, 1};
        ends[k + 1] = (uint32_t)n;
    }
    MT_TRY(connect_list(m, vertex, group, "ends", IPU_UNSIGNED_INT, g->n + 1, ends));
    return connect_slices(m, vertex, "added", n);
}

static mt_status add_group(making *m, size_t group, uint32_t *local)
{
    const mt_plan_network *n = m->n;
    const mt_hub_group *g = &n->groups.group[group];
    const mt_placed_group *p = &n->placed[group];
    const bool top = group == n->groups.n_below;
    float *inverse;
    lists l;
    size_t vertex;
    if (g->n == 0) return MT_OK;
    MT_TRY(add_vertex(
        m, top ? MT_NETWORK_SET_TOP_UP : MT_NETWORK_SET_UP, MT_NETWORK_UP, p->part, &p->up, &vertex));
    MT_TRY(fill_lists(m, g, true, local, &l));
    MT_TRY(connect_list(m, vertex, group, "row", IPU_UNSIGNED_INT, g->n + 1, l.start));
    MT_TRY(connect_list(m, vertex, group, "earlier", IPU_UNSIGNED_INT, l.start[g->n], l.index));
    MT_TRY(connect_list(m, vertex, group, "factor", IPU_FLOAT, l.start[g->n], l.factor));
    MT_TRY(connect_added(m, vertex, group));
    MT_TRY(connect_got(m, vertex, g->n_got_up, g->got_up));
    MT_TRY(connect(m, vertex, "x", n->x, p->x_from, g->n + g->n_got_up));
    MT_TRY(add_vertex(
        m, top ? MT_NETWORK_SET_TOP_DOWN : MT_NETWORK_SET_DOWN, MT_NETWORK_DOWN, p->part, &p->down, &vertex));
    MT_TRY(fill_lists(m, g, false, local, &l));
    MT_ALLOC(m->constants, inverse, g->n);
    for (size_t k = 0; k < g->n; k++)
        inverse[k] = (float)m->of.elimination.inverse[m->cables->n_chained + g->hub[k]];
    MT_TRY(connect_list(m, vertex, group, "column", IPU_UNSIGNED_INT, g->n + 1, l.start));
    MT_TRY(connect_list(m, vertex, group, "later", IPU_UNSIGNED_INT, l.start[g->n], l.index));
    MT_TRY(connect_list(m, vertex, group, "factor", IPU_FLOAT, l.start[g->n], l.factor));
    MT_TRY(connect_list(m, vertex, group, "inverse", IPU_FLOAT, g->n, inverse));
    MT_TRY(connect_got(m, vertex, g->n_got_down, g->got_down));
    return connect(m, vertex, "x", n->x, p->x_from, g->n + g->n_got_down);
}

/* Adds the vertices that solve for the hubs. */
static mt_status add_hubs(making *m)
{
    MT_SCRATCH(scratch);
    uint32_t *local;
    MT_ALLOC(scratch, local, m->of.elimination.n_hubs);
    for (size_t group = 0; group <= m->n->groups.n_below; group++) MT_TRY(add_group(m, group, local));
    return MT_OK;
}

/* ---- junctions ---- */

/* Finds the position of each coupled unknown in the order of the parts, and its part. */
typedef struct coupled {
    uint32_t *part, *at; /* [n_unknowns]; at: in the order of all */
} coupled;

static mt_status find_coupled(mt_arena *scratch, const making *m, coupled *c)
{
    const mt_halo *halo = m->plan->halo;
    const mt_junctions *j = m->junctions;
    uint32_t *slot_of;
    MT_ALLOC(scratch, c->part, j->n_unknowns);
    MT_ALLOC(scratch, c->at, j->n_unknowns);
    MT_ALLOC(scratch, slot_of, m->plan->problem->diffusion->n_unknowns);
    memset(slot_of, 0xff, m->plan->problem->diffusion->n_unknowns * sizeof *slot_of);
    for (size_t s = 0; s < j->n_unknowns; s++) slot_of[j->unknown[s]] = (uint32_t)s;
    for (uint32_t part = 0; part < halo->n_parts; part++)
        for (size_t k = halo->own_offset[part]; k < halo->own_offset[part + 1]; k++) {
            const uint32_t slot = slot_of[halo->own_element[k]];
            if (slot == UINT32_MAX) continue;
            c->part[slot] = part;
            c->at[slot] = (uint32_t)k;
        }
    return MT_OK;
}

static bool is_shared(const mt_junctions *j, size_t k)
{
    return mt_junction_shares(j->start[k + 1] - j->start[k]) > 1;
}

/* Adds room for the shares of junctions that have several. junction [n_junctions]: in the order of the parts. */
static mt_status add_shares(mt_arena *scratch, making *m, const uint32_t *junction)
{
    const mt_plan_network *n = m->n;
    size_t *from, at = 0;
    MT_ALLOC(scratch, from, n_parts_of(m) + 1);
    MT_ALLOC(scratch, m->shares_at, m->junctions->n);
    for (uint32_t part = 0; part < n_parts_of(m); part++) {
        for (size_t k = n->junction_from[part]; k < n->junction_from[part + 1]; k++) {
            m->shares_at[junction[k]] = 2 * MT_JUNCTION_SHARES * at;
            at += is_shared(m->junctions, junction[k]);
        }
        from[part + 1] = at;
    }
    return at > 0 ? add_pieces(m, "network shares", from, 2 * MT_JUNCTION_SHARES, true, &m->shares) : MT_OK;
}

/* Adds the weights of the junctions' unknowns, junction by junction in the order of the parts. */
static mt_status add_entries(mt_arena *scratch, making *m)
{
    const mt_plan_network *n = m->n;
    const mt_junctions *j = m->junctions;
    const size_t n_entries = j->start[j->n];
    uint32_t *junction;
    size_t *from, at = 0;
    float *coupling, *weight;
    MT_ALLOC(scratch, junction, j->n);
    MT_ALLOC(scratch, from, n_parts_of(m) + 1);
    MT_ALLOC(m->constants, coupling, n_entries);
    MT_ALLOC(m->constants, weight, n_entries);
    for (uint32_t k = 0; k < j->n; k++) junction[n->junction_at[k]] = k;
    MT_TRY(add_shares(scratch, m, junction));
    for (uint32_t part = 0; part < n_parts_of(m); part++) {
        for (size_t k = n->junction_from[part]; k < n->junction_from[part + 1]; k++) {
            m->entry_at[junction[k]] = at;
            for (size_t i = j->start[junction[k]]; i < j->start[junction[k] + (size_t)1]; i++, at++) {
                coupling[at] = (float)m->of.coupling_mS[i];
                weight[at] = (float)m->of.mean_weight[i];
            }
        }
        from[part + 1] = at;
    }
    MT_TRY(add_constant(m, "network coupling", IPU_FLOAT, from, coupling, &m->coupling));
    return add_constant(m, "network weight", IPU_FLOAT, from, weight, &m->weight);
}

static mt_status add_junction(making *m, size_t k, const coupled *c)
{
    const mt_plan_network *n = m->n;
    const mt_junctions *j = m->junctions;
    const uint32_t chain = m->end_chain[k];
    const size_t point = n->point_at[j->point[k]], count = j->start[k + 1] - j->start[k];
    size_t vertex;
    MT_TRY(add_vertex(m, MT_NETWORK_SET_STATE, is_shared(j, k) ? MT_NETWORK_SHARED : MT_NETWORK_JUNCTION,
        m->chain_part[chain], NULL, &vertex));
    if (is_shared(j, k))
        MT_TRY(connect(m, vertex, "shares", m->shares, m->shares_at[k], 2 * (size_t)MT_JUNCTION_SHARES));
    for (size_t i = 0; i < count; i++)
        m->slices[i] = (ipu_slice){variable_of(m, *m->plan->v), c->at[j->slot[j->start[k] + i]], 1};
    MT_TRY(connect_slices(m, vertex, "tissue", count));
    MT_TRY(connect(m, vertex, "v", n->v, point, 1));
    MT_TRY(connect(m, vertex, "d", n->d, point, 1));
    MT_TRY(connect(m, vertex, "coupling", m->coupling, m->entry_at[k], count));
    MT_TRY(connect(m, vertex, "weight", m->weight, m->entry_at[k], count));
    MT_TRY(connect(
        m, vertex, "current", n->b, n->chained_at[chain] + j->point[k] - m->cables->chain[chain].first, 1));
    return connect(m, vertex, "mean", n->mean, n->junction_at[k], 1);
}

/* Adds the vertices that record the junctions of each part. */
static mt_status add_means(making *m)
{
    const mt_plan_network *n = m->n;
    for (uint32_t part = 0; part < n_parts_of(m); part++) {
        const size_t from = n->junction_from[part], count = n->junction_from[part + 1] - from,
                     place = n->place_from[part] + n->point_from[part + 1] - n->point_from[part];
        size_t vertex;
        if (count == 0) continue;
        MT_TRY(add_vertex(m, MT_NETWORK_SET_MEANS, MT_NETWORK_JUNCTIONS, part, &n->record, &vertex));
        MT_TRY(connect(m, vertex, "v", n->mean, from, count));
        MT_TRY(connect(m, vertex, "step", n->step, part, 1));
        MT_TRY(connect(m, vertex, "before", n->recorded[MT_CONDUCTING_BEFORE], place, count));
        MT_TRY(connect(m, vertex, "free", n->recorded[MT_CONDUCTING_FREE], place, count));
        MT_TRY(connect(m, vertex, "activation", n->recorded[MT_CONDUCTING_ACTIVATION], place, count));
    }
    return MT_OK;
}

/* The lists of a part with coupled unknowns. */
typedef struct charged {
    size_t n_unknowns, n_entries, n_junctions;
    uint16_t *cell, *entries, *junction;
    float *gain;
    uint32_t *listed; /* [n_junctions] */
} charged;

/* The entries of a junction, by unknown. */
typedef struct by_unknown {
    size_t *start; /* [n_unknowns + 1] */
    uint32_t *entry, *junction;
    uint32_t *local; /* [n_junctions] number in the part's list; UINT32_MAX: not listed */
} by_unknown;

static mt_status sort_entries(mt_arena *scratch, const mt_junctions *j, by_unknown *b)
{
    MT_TRY(mt_offsets_make(scratch, j->start[j->n], 1, j->slot, j->n_unknowns, &b->start, &b->entry));
    MT_ALLOC(scratch, b->junction, j->start[j->n]);
    MT_ALLOC(scratch, b->local, j->n);
    for (uint32_t k = 0; k < j->n; k++) {
        b->local[k] = UINT32_MAX;
        for (size_t i = j->start[k]; i < j->start[k + (size_t)1]; i++) b->junction[i] = k;
    }
    return MT_OK;
}

/* Fills the lists of a part from its n coupled unknowns, in ascending order of the junctions for each. */
static mt_status fill_charged(mt_arena *scratch, const making *m, const coupled *c, const by_unknown *b,
    size_t n, const uint32_t *slot, charged *l)
{
    *l = (charged){.n_unknowns = n};
    for (size_t s = 0; s < n; s++) l->n_entries += b->start[slot[s] + (size_t)1] - b->start[slot[s]];
    MT_ALLOC(m->constants, l->cell, n);
    MT_ALLOC(m->constants, l->entries, n);
    MT_ALLOC(m->constants, l->junction, l->n_entries);
    MT_ALLOC(m->constants, l->gain, l->n_entries);
    MT_ALLOC(scratch, l->listed, l->n_entries);
    for (size_t s = 0, at = 0; s < n; s++) {
        l->cell[s] = (uint16_t)(c->at[slot[s]] - mt_plan_from(m->plan, c->part[slot[s]]));
        l->entries[s] = (uint16_t)(b->start[slot[s] + (size_t)1] - b->start[slot[s]]);
        for (size_t i = b->start[slot[s]]; i < b->start[slot[s] + (size_t)1]; i++) {
            const uint32_t entry = b->entry[i], junction = b->junction[entry];
            if (b->local[junction] == UINT32_MAX) {
                b->local[junction] = (uint32_t)l->n_junctions;
                l->listed[l->n_junctions++] = junction;
            }
            l->junction[at] = (uint16_t)b->local[junction];
            l->gain[at++] = (float)m->of.gain[entry];
        }
    }
    for (size_t k = 0; k < l->n_junctions; k++) b->local[l->listed[k]] = UINT32_MAX;
    if (l->n_junctions > UINT16_MAX)
        return mt_fail(MT_FIT, "tile %u: coupled to %zu junctions; allowed: at most %u",
            mt_plan_tile(m->plan, c->part[slot[0]]), l->n_junctions, UINT16_MAX);
    return MT_OK;
}

static mt_status add_charge(making *m, const charged *l, uint32_t part)
{
    ipu_tensor tensor;
    size_t vertex;
    MT_TRY(add_vertex(m, MT_NETWORK_SET_CHARGE, MT_NETWORK_CHARGE, part, NULL, &vertex));
    for (size_t k = 0; k < l->n_junctions; k++)
        m->slices[k] =
            (ipu_slice){variable_of(m, m->n->w), m->n->point_at[m->junctions->point[l->listed[k]]], 1};
    MT_TRY(connect_slices(m, vertex, "w", l->n_junctions));
    const struct {
        const char *field;
        ipu_type type;
        size_t n;
        const void *values;
    } list[] = {{"cell", IPU_UNSIGNED_SHORT, l->n_unknowns, l->cell},
        {"entries", IPU_UNSIGNED_SHORT, l->n_unknowns, l->entries},
        {"junction", IPU_UNSIGNED_SHORT, l->n_entries, l->junction},
        {"gain", IPU_FLOAT, l->n_entries, l->gain}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char name[64];
        (void)snprintf(name, sizeof name, "network charge %s %u", list[k].field, part);
        MT_TRY(add_here(m, part, name, list[k].type, list[k].n, list[k].values, &tensor));
        MT_TRY(ipu_graph_connect(m->plan->graph, vertex, list[k].field, tensor));
    }
    return mt_plan_connect(m->plan, vertex, "v", *m->plan->v, 1, part);
}

static mt_status add_charges(making *m, const coupled *c)
{
    MT_SCRATCH(scratch);
    by_unknown b;
    size_t *from;
    uint32_t *slot;
    MT_TRY(sort_entries(scratch, m->junctions, &b));
    MT_TRY(mt_offsets_make(scratch, m->junctions->n_unknowns, 1, c->part, n_parts_of(m), &from, &slot));
    for (uint32_t part = 0; part < n_parts_of(m); part++) {
        charged l;
        if (from[part + 1] == from[part]) continue;
        MT_TRY(fill_charged(scratch, m, c, &b, from[part + 1] - from[part], slot + from[part], &l));
        MT_TRY(add_charge(m, &l, part));
    }
    return MT_OK;
}

static mt_status add_junctions(making *m)
{
    MT_SCRATCH(scratch);
    coupled c;
    if (m->junctions->n == 0) return MT_OK;
    MT_TRY(find_coupled(scratch, m, &c));
    MT_TRY(add_entries(scratch, m));
    for (size_t k = 0; k < m->junctions->n; k++) MT_TRY(add_junction(m, k, &c));
    MT_TRY(add_means(m));
    return add_charges(m, &c);
}

/* ---- stimuli and beats ---- */

static mt_status add_stimulus(mt_arena *arena, making *m, size_t s)
{
    MT_SCRATCH(scratch);
    const mt_plan_network *n = m->n;
    const mt_stimulus *stimulus = &n->conduction->stimulus[s];
    uint32_t *part;
    size_t *from, *at;
    uint16_t *cell;
    float *rise_mV;
    char name[48];
    ipu_tensor cells;
    MT_ALLOC(scratch, part, stimulus->n_elements);
    MT_ALLOC(m->constants, cell, stimulus->n_elements);
    MT_ALLOC(arena, rise_mV, 1);
    *rise_mV = (float)(n->ode.dt_ms * stimulus->rise_mV_ms);
    for (size_t k = 0; k < stimulus->n_elements; k++) part[k] = mt_plan_network_part(n, stimulus->element[k]);
    MT_TRY(count_by_part(scratch, m, stimulus->n_elements, part, NULL, &from));
    MT_COPY(scratch, at, from, n_parts_of(m) + 1);
    for (size_t k = 0; k < stimulus->n_elements; k++)
        cell[at[part[k]]++] = (uint16_t)(n->point_at[stimulus->element[k]] - n->point_from[part[k]]);
    (void)snprintf(name, sizeof name, "network stimulus %zu", s);
    MT_TRY(add_constant(m, name, IPU_UNSIGNED_SHORT, from, cell, &cells));
    for (uint32_t p = 0; p < n_parts_of(m); p++) {
        size_t vertex;
        if (from[p + 1] == from[p]) continue;
        MT_TRY(ipu_graph_add_vertex(m->plan->graph, n->first_set + MT_NETWORK_SETS + (uint32_t)s,
            &mt_codelet_stimulus, mt_plan_tile(m->plan, p), rise_mV, &vertex));
        MT_TRY(mt_plan_connect_pieces(m->plan, vertex, "cell", cells, from, p));
        MT_TRY(mt_plan_connect_pieces(m->plan, vertex, "v", n->v, n->point_from, p));
    }
    return MT_OK;
}

static mt_status add_beat(making *m, uint32_t set, uint32_t part)
{
    const mt_plan_network *n = m->n;
    size_t vertex;
    MT_TRY(ipu_graph_add_vertex(
        m->plan->graph, set, &n->codelet[MT_NETWORK_BEAT], mt_plan_tile(m->plan, part), NULL, &vertex));
    MT_TRY(connect(m, vertex, "step", n->step, part, 1));
    return mt_plan_connect_pieces(
        m->plan, vertex, "activation", n->recorded[MT_CONDUCTING_ACTIVATION], n->place_from, part);
}

/* ---- all ---- */

static mt_status add_sets(making *m)
{
    static const char *const names[MT_NETWORK_SETS] = {"network cells", "network state", "network means",
        "network forward", "network up", "network top up", "network top down", "network down",
        "network backward", "network charge", "network points"};
    uint32_t set;
    m->n->first_set = (uint32_t)m->plan->graph->n_compute_sets;
    for (size_t k = 0; k < MT_NETWORK_SETS + m->n->conduction->n_stimuli; k++) {
        char name[48];
        if (k < MT_NETWORK_SETS)
            (void)snprintf(name, sizeof name, "%s", names[k]);
        else
            (void)snprintf(name, sizeof name, "network stimulus %zu", k - MT_NETWORK_SETS);
        MT_TRY(ipu_graph_add_compute_set(m->plan->graph, name, &set));
    }
    return MT_OK;
}

static mt_status add_vertices(mt_arena *arena, making *m, const uint32_t *turn)
{
    mt_plan_network *n = m->n;
    for (uint32_t part = 0; part < n_parts_of(m); part++) {
        if (n->point_from[part + 1] - n->point_from[part] > UINT16_MAX)
            return mt_fail(MT_FIT, "tile %u: %zu points of the network; allowed: at most %u",
                mt_plan_tile(m->plan, part), n->point_from[part + 1] - n->point_from[part], UINT16_MAX);
        if (n->point_from[part + 1] > n->point_from[part]) MT_TRY(add_points(m, part));
        for (size_t k = n->chain_from[part]; k < n->chain_from[part + 1]; k++) {
            MT_TRY(add_forward(m, n->chain[k], part));
            MT_TRY(add_backward(m, n->chain[k], part));
        }
        MT_TRY(add_own_hubs(m, part));
        if (turn && n->point_from[part + 1] > n->point_from[part]) MT_TRY(add_beat(m, *turn, part));
    }
    MT_TRY(add_hubs(m));
    MT_TRY(add_junctions(m));
    for (size_t s = 0; s < n->conduction->n_stimuli; s++) MT_TRY(add_stimulus(arena, m, s));
    return MT_OK;
}

/* Sets the codelets and their contexts. */
static mt_status set_codelets(mt_arena *arena, const mt_monodomain *problem, mt_plan_network *n)
{
    const mt_conduction *c = n->conduction;
    float *constants;
    MT_ALLOC(arena, constants, c->model->n_constants);
    mt_cell_constants_float(c->model, &c->variant, 1, constants);
    n->ode = (mt_ode_context){.model = c->model,
        .constants = constants,
        .dt_ms = problem->dt_ms / (double)c->steps,
        .multirate = c->stepping == MT_STEPPING_MULTIRATE,
        .tolerance_mV = c->tolerance_mV,
        .increments = true};
    n->cells = mt_codelet_ode(&n->ode);
    n->record = (mt_network_record){(float)problem->dt_ms, (float)c->threshold_mV};
    for (int k = 0; k < MT_NETWORK_PARTS; k++) n->codelet[k] = mt_codelet_network((mt_network_part)k);
    return MT_OK;
}

mt_status mt_plan_add_network(
    mt_arena *arena, mt_arena *values, mt_plan *plan, const mt_layout *layout, const uint32_t *turn)
{
    MT_SCRATCH(scratch);
    const mt_conduction *conduction = plan->problem->conduction;
    making m = {.constants = values ? values : arena,
        .plan = plan,
        .cables = &conduction->cables,
        .junctions = &conduction->junctions,
        .chain_part = layout->chain_part};
    MT_ALLOC(arena, m.n, 1);
    *m.n = (mt_plan_network){.conduction = conduction, .n_parts = plan->halo->n_parts};
    plan->network = m.n;
    MT_TRY(set_codelets(arena, plan->problem, m.n));
    MT_TRY(mt_conduction_coefficients_make(m.constants, conduction, m.n->ode.dt_ms, &m.of));
    MT_TRY(order_points(arena, &m));
    MT_TRY(order_junctions(arena, scratch, &m));
    MT_TRY(mt_hub_groups_make(arena, &m.of.elimination, &m.n->groups));
    MT_TRY(place_groups(arena, &m));
    MT_ALLOC(
        scratch, m.slices, m.junctions->start[m.junctions->n] + m.cables->n_points + 2 * m.cables->n_chains);
    MT_TRY(add_sets(&m));
    MT_TRY(add_variables(&m));
    MT_TRY(add_coefficients(&m));
    return add_vertices(arena, &m, turn);
}

size_t mt_plan_network_sets(const mt_monodomain *problem)
{
    return problem->conduction ? MT_NETWORK_SETS + problem->conduction->n_stimuli : 0;
}

/* ---- programs ---- */

/* Adds the programs of the stimuli that are on. */
static mt_status add_stimuli(
    mt_arena *arena, const mt_plan *plan, const bool *on, const ipu_program **parts, size_t *n_parts)
{
    const mt_plan_network *n = plan->network;
    for (uint32_t s = 0; s < n->conduction->n_stimuli; s++)
        if (on[s])
            MT_TRY(ipu_program_execute(arena, n->first_set + MT_NETWORK_SETS + s, &parts[(*n_parts)++]));
    return MT_OK;
}

/* Adds the programs of an implicit step; the first one of a time step records. */
static mt_status add_step(
    mt_arena *arena, const mt_plan *plan, bool first, const ipu_program **parts, size_t *n_parts)
{
    const mt_plan_network *n = plan->network;
    const bool below = n->groups.n_below > 0, top = n->groups.group[n->groups.n_below].n > 0,
               junctions = n->conduction->junctions.n > 0;
    const bool runs[MT_NETWORK_SETS] = {[MT_NETWORK_SET_STATE] = true,
        [MT_NETWORK_SET_MEANS] = first && junctions,
        [MT_NETWORK_SET_FORWARD] = true,
        [MT_NETWORK_SET_UP] = below,
        [MT_NETWORK_SET_TOP_UP] = top,
        [MT_NETWORK_SET_TOP_DOWN] = top,
        [MT_NETWORK_SET_DOWN] = below,
        [MT_NETWORK_SET_BACKWARD] = true,
        [MT_NETWORK_SET_CHARGE] = junctions,
        [MT_NETWORK_SET_POINTS] = first};
    for (uint32_t set = 0; set < MT_NETWORK_SETS; set++)
        if (runs[set]) MT_TRY(ipu_program_execute(arena, n->first_set + set, &parts[(*n_parts)++]));
    return MT_OK;
}

mt_status mt_plan_network_program(
    mt_arena *arena, const mt_plan *plan, const bool *on, const ipu_program **program)
{
    const mt_plan_network *n = plan->network;
    const size_t steps = n->conduction->steps, most = n->conduction->n_stimuli + MT_NETWORK_SETS;
    const ipu_program **parts, **again, *one;
    size_t n_parts = 0, n_again = 0;
    MT_ALLOC(arena, parts, most + 1);
    MT_ALLOC(arena, again, most);
    MT_TRY(add_step(arena, plan, true, parts, &n_parts));
    if (steps > 1) {
        MT_TRY(add_stimuli(arena, plan, on, again, &n_again));
        MT_TRY(ipu_program_execute(arena, n->first_set + MT_NETWORK_SET_CELLS, &again[n_again++]));
        MT_TRY(add_step(arena, plan, false, again, &n_again));
        MT_TRY(ipu_program_sequence(arena, again, n_again, &one));
        MT_TRY(ipu_program_repeat(arena, steps - 1, one, &parts[n_parts++]));
    }
    MT_TRY(add_stimuli(arena, plan, on, parts, &n_parts));
    return ipu_program_sequence(arena, parts, n_parts, program);
}
