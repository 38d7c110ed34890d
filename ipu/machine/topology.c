#include "ipu/machine/topology.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"

/* ---- ladder and torus: links by number ---- */

enum { LINKS_OF_RUNG = 4, LINKS_OF_JOINT = 4 }; /* a joint: both rails between a rung and the next */

static uint32_t joints_of(ipu_shape shape, uint32_t n_rungs)
{
    return shape == IPU_TORUS && n_rungs > 2 ? n_rungs : n_rungs - 1;
}

/* Returns the link that leaves a chip across its rung. */
static uint32_t rung_link(uint32_t chip, bool cross)
{
    return chip / 2 * LINKS_OF_RUNG + 2 * cross + chip % 2;
}

/* Returns the link of a side's rail through a joint. */
static uint32_t rail_link(uint32_t n_rungs, uint32_t joint, uint32_t side, bool down)
{
    return n_rungs * LINKS_OF_RUNG + joint * LINKS_OF_JOINT + 2 * side + down;
}

/* Returns the direction along the rail between two rungs; a tie avoids the joint of the last and the first rung. */
static bool goes_down(ipu_shape shape, uint32_t n_rungs, uint32_t from, uint32_t to)
{
    const uint32_t inside = from > to ? from - to : to - from;
    const bool round = shape == IPU_TORUS && n_rungs - inside < inside;
    return round != (to < from);
}

static uint32_t next_on_rungs(const ipu_topology *t, uint32_t at, uint32_t to)
{
    const uint32_t n_rungs = t->n_chips / 2, rung = at / 2, side = at % 2;
    if (rung == to / 2) return rung_link(at, false);
    if (side != to % 2) return rung_link(at, true);
    const bool down = goes_down(t->shape, n_rungs, rung, to / 2);
    return rail_link(n_rungs, down ? (rung + n_rungs - 1) % n_rungs : rung, side, down);
}

ipu_way ipu_topology_way(const ipu_topology *t, uint32_t from, uint32_t to)
{
    const uint32_t route = t->stated ? t->stated[(size_t)from * t->n_chips + to] : 0;
    return (ipu_way){t, route ? t->stated_link + t->first_stated[route - 1] : NULL, from, to};
}

/* Returns the next link at a chip of all routes that are not stated. */
static uint32_t next_link(const ipu_topology *t, uint32_t at, uint32_t to)
{
    return t->next ? t->next[(size_t)at * t->n_chips + to] : next_on_rungs(t, at, to);
}

uint32_t ipu_way_next(ipu_way *w)
{
    const uint32_t link = w->stated ? *w->stated++ : next_link(w->topology, w->at, w->to);
    w->at = w->topology->links[link].to;
    return link;
}

uint64_t ipu_topology_ladder_distance(uint32_t chip, uint32_t other)
{
    const uint32_t a = chip / 2, b = other / 2;
    if (a == b) return chip != other;
    return 2 * ((uint64_t)(a < b ? b - a : a - b) + (chip % 2 != other % 2));
}

/* ---- construction ---- */

static mt_status allows_number(size_t n_chips)
{
    if (n_chips == 0 || n_chips > UINT16_MAX)
        return mt_fail(MT_INPUT, "%zu IPUs; allowed: 1 to %d", n_chips, UINT16_MAX);
    return MT_OK;
}

static const char *name_of(ipu_shape shape) { return shape == IPU_TORUS ? "torus" : "ladder"; }

static mt_status allows_rungs(ipu_shape shape, size_t n_chips)
{
    MT_TRY(allows_number(n_chips));
    if (n_chips > 1 && n_chips % 2 == 1)
        return mt_fail(MT_INPUT, "%zu IPUs on a %s; allowed: 1, or an even number, with two per rung",
            n_chips, name_of(shape));
    return MT_OK;
}

size_t ipu_topology_listed(const ipu_links *links)
{
    size_t n = 1;
    for (size_t l = 0; l < links->n_list; l++) {
        const ipu_listed_link *link = &links->list[l];
        const size_t last = link->from > link->to ? link->from : link->to;
        if (last >= n) n = last + 1;
    }
    return n;
}

mt_status ipu_topology_allows(const ipu_links *links, size_t n_chips)
{
    if (links->shape == IPU_NO_LINKS && n_chips > 1)
        return mt_fail(MT_INPUT, "%zu chips without links (links.shape none); allowed: 1", n_chips);
    if (links->shape != IPU_LINK_LIST) return allows_rungs(links->shape, n_chips);
    MT_TRY(allows_number(n_chips));
    const size_t joined = ipu_topology_listed(links);
    if (n_chips > 1 && n_chips != joined)
        return mt_fail(
            MT_INPUT, "%zu IPUs on links that connect %zu; allowed: 1 or %zu", n_chips, joined, joined);
    return MT_OK;
}

static mt_status text(
    mt_arena *arena, const char **name, const char *what, size_t number, const ipu_link *link)
{
    char line[96];
    char *copy = NULL;
    int n = snprintf(line, sizeof line, "%s %zu, IPU %u to %u", what, number, link->from, link->to);
    MT_ALLOC(arena, copy, (size_t)n + 1);
    memcpy(copy, line, (size_t)n + 1);
    *name = copy;
    return MT_OK;
}

static double rate_of(const ipu_links *links, size_t lanes)
{
    return (double)lanes * links->lane_bits_per_second / 8 * links->efficiency;
}

/* A ladder or torus under construction. */
typedef struct building {
    mt_arena *arena;
    const ipu_links *links;
    ipu_topology *topology;
} building;

/* Adds the link with this number. Its name consists of `what` and the number `of`. */
static mt_status set_link(
    const building *b, uint32_t number, ipu_listed_link way, const char *what, size_t of)
{
    ipu_link *link = &b->topology->links[number];
    *link = (ipu_link){way.from, way.to, rate_of(b->links, way.lanes), NULL};
    return text(b->arena, &link->name, what, of, link);
}

static mt_status set_rungs(const building *b)
{
    for (uint32_t chip = 0; chip < b->topology->n_chips; chip++) {
        const ipu_listed_link direct = {chip, chip ^ 1, b->links->direct},
                              cross = {chip, chip ^ 1, b->links->cross};
        MT_TRY(set_link(b, rung_link(chip, false), direct, "direct, rung", chip / 2));
        MT_TRY(set_link(b, rung_link(chip, true), cross, "cross, rung", chip / 2));
    }
    return MT_OK;
}

static mt_status set_rails(const building *b, uint32_t n_joints)
{
    const uint32_t n_rungs = b->topology->n_chips / 2;
    for (uint32_t joint = 0; joint < n_joints; joint++)
        for (uint32_t side = 0; side < 2; side++) {
            const uint32_t low = 2 * joint + side, high = 2 * ((joint + 1) % n_rungs) + side;
            const ipu_listed_link up = {low, high, b->links->rail}, down = {high, low, b->links->rail};
            MT_TRY(set_link(b, rail_link(n_rungs, joint, side, false), up, "rail", side));
            MT_TRY(set_link(b, rail_link(n_rungs, joint, side, true), down, "rail", side));
        }
    return MT_OK;
}

/* Sorts the links by the chip at which they begin (or end): chip c has list[first[c]] .. list[first[c + 1] - 1], in
 * ascending order. */
static mt_status by_chip(mt_arena *arena, const ipu_topology *t, bool ends, uint32_t **first, uint32_t **list)
{
    uint32_t *at = NULL;
    MT_ALLOC(arena, at, t->n_chips + 2);
    MT_ALLOC(arena, *list, t->n_links);
    for (uint32_t l = 0; l < t->n_links; l++) at[(ends ? t->links[l].to : t->links[l].from) + 2]++;
    for (uint32_t c = 0; c < t->n_chips; c++) at[c + 2] += at[c + 1];
    for (uint32_t l = 0; l < t->n_links; l++)
        (*list)[at[(ends ? t->links[l].to : t->links[l].from) + 1]++] = l;
    *first = at;
    return MT_OK;
}

static mt_status join_rungs(mt_arena *arena, const ipu_links *links, size_t n_chips, ipu_topology **topology)
{
    MT_TRY(ipu_topology_allows(links, n_chips));
    const uint32_t n_rungs = (uint32_t)n_chips / 2, n_joints = n_rungs ? joints_of(links->shape, n_rungs) : 0;
    ipu_topology *t = NULL;
    MT_ALLOC(arena, t, 1);
    *t = (ipu_topology){.shape = links->shape,
        .n_chips = (uint32_t)n_chips,
        .n_links = n_rungs * LINKS_OF_RUNG + n_joints * LINKS_OF_JOINT,
        .hops = n_rungs ? 1 + n_rungs / 2 : 0,
        .buffers = (uint32_t)links->buffers};
    MT_ALLOC(arena, t->links, t->n_links);
    if (n_rungs) {
        const building b = {arena, links, t};
        MT_TRY(set_rungs(&b));
        MT_TRY(set_rails(&b, n_joints));
    }
    *topology = t;
    return by_chip(arena, t, false, &t->first_out, &t->out);
}

/* ---- a list ---- */

static mt_status check_link(const ipu_link *link, size_t number, size_t n_chips)
{
    if (link->from >= n_chips || link->to >= n_chips)
        return mt_fail(MT_INPUT, "link %zu: from IPU %u to IPU %u; allowed: 0 to %zu", number, link->from,
            link->to, n_chips - 1);
    if (link->from == link->to)
        return mt_fail(MT_INPUT, "link %zu: from IPU %u to itself; allowed: to another", number, link->from);
    if (!(link->bytes_per_second > 0) || isinf(link->bytes_per_second))
        return mt_fail(
            MT_INPUT, "link %zu: %g bytes per second; allowed: above 0", number, link->bytes_per_second);
    return MT_OK;
}

/* Computes hops[c], the minimum of links from chip c to `to`, and queue[], the chips with a route to it, nearest first. Returns
 * the number of these chips. */
static uint32_t spread_back(const ipu_topology *t, const uint32_t *first, const uint32_t *in, uint32_t to,
    uint32_t *hops, uint32_t *queue)
{
    uint32_t n = 1;
    for (uint32_t c = 0; c < t->n_chips; c++) hops[c] = UINT32_MAX;
    hops[to] = 0;
    queue[0] = to;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = first[queue[i]]; k < first[queue[i] + 1]; k++) {
            const uint32_t chip = t->links[in[k]].from;
            if (hops[chip] != UINT32_MAX) continue;
            hops[chip] = hops[queue[i]] + 1;
            queue[n++] = chip;
        }
    return n;
}

/* Returns the lowest link to a nearer chip. A chip's links are in ascending order, so it is the first one. */
static uint32_t lowest_nearer(const ipu_topology *t, uint32_t chip, const uint32_t *hops)
{
    uint32_t k = t->first_out[chip];
    while (hops[t->links[t->out[k]].to] != hops[chip] - 1) k++;
    return t->out[k];
}

/* Returns the link with the lowest number from a chip to another; n_links if there is none. */
static uint32_t link_between(const ipu_topology *t, uint32_t from, uint32_t to)
{
    for (uint32_t k = t->first_out[from]; k < t->first_out[from + 1]; k++)
        if (t->links[t->out[k]].to == to) return t->out[k];
    return t->n_links;
}

/* Computes shares[]. */
static mt_status find_shares(mt_arena *arena, mt_arena *scratch, ipu_topology *t)
{
    uint32_t *last = NULL; /* [n_chips] 1 + the latest link to each chip from the current one */
    MT_ALLOC(arena, t->shares, t->n_links);
    MT_ALLOC(scratch, last, t->n_chips);
    for (uint32_t c = 0; c < t->n_chips; c++) {
        for (uint32_t k = t->first_out[c]; k < t->first_out[c + 1]; k++) {
            const uint32_t link = t->out[k], to = t->links[link].to;
            if (last[to] > 0) t->shares[last[to] - 1] = link;
            t->shares[link] = link;
            last[to] = link + 1;
        }
        for (uint32_t k = t->first_out[c]; k < t->first_out[c + 1]; k++) last[t->links[t->out[k]].to] = 0;
    }
    return MT_OK;
}

/* Computes next[] and hops, the largest distance to the most central chip. */
static mt_status find_routes(mt_arena *scratch, ipu_topology *t)
{
    uint32_t *first = NULL, *in = NULL, *hops = NULL, *queue = NULL;
    MT_TRY(by_chip(scratch, t, true, &first, &in));
    MT_ALLOC(scratch, hops, t->n_chips);
    MT_ALLOC(scratch, queue, t->n_chips);
    t->hops = UINT32_MAX;
    for (uint32_t to = 0; to < t->n_chips; to++) {
        const uint32_t reached = spread_back(t, first, in, to, hops, queue);
        for (uint32_t from = 0; from < t->n_chips; from++) {
            if (hops[from] == UINT32_MAX)
                return mt_fail(MT_INPUT, "no route over the links from IPU %u to IPU %u", from, to);
            if (from != to) t->next[(size_t)from * t->n_chips + to] = lowest_nearer(t, from, hops);
        }
        const uint32_t farthest = hops[queue[reached - 1]];
        if (farthest < t->hops) t->hops = farthest;
    }
    return MT_OK;
}

mt_status ipu_topology_list(
    mt_arena *arena, const ipu_link *links, size_t n_links, size_t n_chips, ipu_topology **topology)
{
    MT_SCRATCH(scratch);
    ipu_topology *t = NULL;
    MT_TRY(allows_number(n_chips));
    if (n_links > INT32_MAX)
        return mt_fail(MT_INPUT, "%zu links between IPUs; allowed: at most %d", n_links, INT32_MAX);
    MT_ALLOC(arena, t, 1);
    *t = (ipu_topology){
        .shape = IPU_LINK_LIST, .n_chips = (uint32_t)n_chips, .n_links = (uint32_t)n_links, .buffers = 1};
    MT_ALLOC(arena, t->links, n_links);
    MT_ALLOC(arena, t->next, n_chips * n_chips);
    for (size_t l = 0; l < n_links; l++) {
        MT_TRY(check_link(&links[l], l, n_chips));
        t->links[l] = links[l];
        if (!links[l].name) MT_TRY(text(arena, &t->links[l].name, "link", l, &links[l]));
    }
    MT_TRY(by_chip(arena, t, false, &t->first_out, &t->out));
    *topology = t;
    MT_TRY(find_routes(scratch, t));
    return find_shares(arena, scratch, t);
}

/* ---- stated routes ---- */

/* Returns the chip at a position of a route: its start, the chips in between, its end. */
static uint32_t chip_on(const ipu_listed_route *r, size_t place)
{
    return place == 0 ? r->from : place <= r->n_via ? r->via[place - 1] : r->to;
}

static mt_status check_route(const char *file, const ipu_topology *t, const ipu_listed_route *r,
    size_t number, size_t *met) /* [n_chips] 1 + the last route that visited each */
{
    for (size_t place = 0; place < r->n_via + 2; place++) {
        const uint32_t chip = chip_on(r, place);
        if (chip >= t->n_chips)
            return mt_fail(MT_INPUT, "%s: links.routes.%zu: IPU %u; allowed: 0 to %u", file, number, chip,
                t->n_chips - 1);
        if (met[chip] == number + 1)
            return mt_fail(
                MT_INPUT, "%s: links.routes.%zu: IPU %u twice; allowed: each IPU once", file, number, chip);
        met[chip] = number + 1;
        if (place > 0 && link_between(t, chip_on(r, place - 1), chip) == t->n_links)
            return mt_fail(MT_INPUT,
                "%s: links.routes.%zu: no link from IPU %u to IPU %u; allowed: a route over links.list", file,
                number, chip_on(r, place - 1), chip);
    }
    return MT_OK;
}

/* The pair of a route, and its position in the file. */
typedef struct routed {
    uint32_t from, to;
    size_t number;
} routed;

MT_ORDER(by_pair, routed, from, to, number)

static mt_status check_pairs(mt_arena *scratch, const char *file, const ipu_links *links)
{
    routed *pair = NULL;
    MT_ALLOC(scratch, pair, links->n_routes);
    for (size_t r = 0; r < links->n_routes; r++)
        pair[r] = (routed){links->routes[r].from, links->routes[r].to, r};
    if (links->n_routes > 1) qsort(pair, links->n_routes, sizeof *pair, by_pair);
    for (size_t r = 1; r < links->n_routes; r++)
        if (pair[r].from == pair[r - 1].from && pair[r].to == pair[r - 1].to)
            return mt_fail(MT_INPUT,
                "%s: links.routes.%zu: from IPU %u to IPU %u, as links.routes.%zu; allowed: each pair once",
                file, pair[r].number, pair[r].from, pair[r].to, pair[r - 1].number);
    return MT_OK;
}

static mt_status check_routes(
    mt_arena *scratch, const char *file, const ipu_links *links, const ipu_topology *t)
{
    size_t *met = NULL;
    MT_ALLOC(scratch, met, t->n_chips);
    for (size_t r = 0; r < links->n_routes; r++) MT_TRY(check_route(file, t, &links->routes[r], r, met));
    return check_pairs(scratch, file, links);
}

/* Adds the stated routes, which must have been checked. */
static mt_status state_routes(mt_arena *arena, const ipu_links *links, ipu_topology *t)
{
    size_t n = 0;
    if (links->n_routes == 0) return MT_OK;
    for (size_t r = 0; r < links->n_routes; r++) n += links->routes[r].n_via + 1;
    MT_ALLOC(arena, t->stated, (size_t)t->n_chips * t->n_chips);
    MT_ALLOC(arena, t->first_stated, links->n_routes + 1);
    MT_ALLOC(arena, t->stated_link, n);
    n = 0;
    for (size_t r = 0; r < links->n_routes; r++) {
        const ipu_listed_route *route = &links->routes[r];
        t->stated[(size_t)route->from * t->n_chips + route->to] = (uint32_t)r + 1;
        for (size_t place = 0; place <= route->n_via; place++)
            t->stated_link[n++] = link_between(t, chip_on(route, place), chip_on(route, place + 1));
        t->first_stated[r + 1] = (uint32_t)n;
    }
    return MT_OK;
}

/* ---- topology of a machine ---- */

mt_status ipu_topology_of(mt_arena *arena, const ipu_links *links, size_t n_chips, ipu_topology **topology)
{
    MT_SCRATCH(scratch);
    ipu_link *listed = NULL;
    if (links->shape != IPU_LINK_LIST) return join_rungs(arena, links, n_chips, topology);
    if (n_chips == 1) return ipu_topology_list(arena, NULL, 0, 1, topology);
    MT_TRY(ipu_topology_allows(links, n_chips));
    MT_ALLOC(scratch, listed, links->n_list);
    for (size_t l = 0; l < links->n_list; l++)
        listed[l] =
            (ipu_link){links->list[l].from, links->list[l].to, rate_of(links, links->list[l].lanes), NULL};
    MT_TRY(ipu_topology_list(arena, listed, links->n_list, n_chips, topology));
    MT_TRY(check_routes(scratch, "machine", links, *topology));
    return state_routes(arena, links, *topology);
}

/* Checks for a route from each chip to chip 0 or, with `back`, from chip 0 to each. */
static mt_status check_ways(mt_arena *scratch, const char *file, const ipu_links *links, bool back)
{
    ipu_topology t = {.n_chips = (uint32_t)ipu_topology_listed(links), .n_links = (uint32_t)links->n_list};
    uint32_t *first = NULL, *in = NULL, *hops = NULL, *queue = NULL;
    MT_ALLOC(scratch, t.links, t.n_links);
    MT_ALLOC(scratch, hops, t.n_chips);
    MT_ALLOC(scratch, queue, t.n_chips);
    for (uint32_t l = 0; l < t.n_links; l++) {
        const ipu_listed_link *link = &links->list[l];
        t.links[l] = (ipu_link){back ? link->to : link->from, back ? link->from : link->to, 0, NULL};
    }
    MT_TRY(by_chip(scratch, &t, true, &first, &in));
    if (spread_back(&t, first, in, 0, hops, queue) == t.n_chips) return MT_OK;
    uint32_t chip = 0;
    while (hops[chip] != UINT32_MAX) chip++;
    return mt_fail(MT_INPUT,
        "%s: links.list: no route from IPU %u to IPU %u; allowed: routes between all of IPUs 0 to %u", file,
        back ? 0 : chip, back ? chip : 0, t.n_chips - 1);
}

/* Checks that a link leaves every chip. With more chips than links, one of the first n_list + 1 chips has none, so memory does
 * not depend on the highest number of a chip. */
static mt_status check_leaves(mt_arena *scratch, const char *file, const ipu_links *links)
{
    const size_t n_chips = ipu_topology_listed(links),
                 n = n_chips <= links->n_list ? n_chips : links->n_list + 1;
    bool *leaves = NULL;
    MT_ALLOC(scratch, leaves, n);
    for (size_t l = 0; l < links->n_list; l++)
        if (links->list[l].from < n) leaves[links->list[l].from] = true;
    for (size_t c = 0; c < n; c++)
        if (!leaves[c])
            return mt_fail(MT_INPUT,
                "%s: links.list: no link from IPU %zu; allowed: routes between all of IPUs 0 to %zu", file, c,
                n_chips - 1);
    return MT_OK;
}

static mt_status check_stated(mt_arena *scratch, const char *file, const ipu_links *links)
{
    ipu_topology t = {.n_chips = (uint32_t)ipu_topology_listed(links), .n_links = (uint32_t)links->n_list};
    MT_ALLOC(scratch, t.links, t.n_links);
    for (uint32_t l = 0; l < t.n_links; l++)
        t.links[l] = (ipu_link){links->list[l].from, links->list[l].to, 0, NULL};
    MT_TRY(by_chip(scratch, &t, false, &t.first_out, &t.out));
    return check_routes(scratch, file, links, &t);
}

/* Checks that members of a list are absent from other shapes. */
static mt_status check_no_list(const char *file, const ipu_links *links)
{
    const char *shape = name_of(links->shape);
    if (links->n_list > 0)
        return mt_fail(MT_INPUT, "%s: links.list: %zu links; allowed with links.shape %s: none", file,
            links->n_list, shape);
    if (links->n_routes > 0)
        return mt_fail(MT_INPUT, "%s: links.routes: %zu routes; allowed with links.shape %s: none", file,
            links->n_routes, shape);
    if (links->chips > 0)
        return mt_fail(MT_INPUT, "%s: links.chips: %zu; allowed with links.shape %s: 0, or omitted", file,
            links->chips, shape);
    return MT_OK;
}

static mt_status check_lanes(const char *file, const ipu_links *links)
{
    static const char *const names[] = {"direct", "cross", "rail"};
    const size_t lanes[] = {links->direct, links->cross, links->rail};
    for (size_t k = 0; k < sizeof lanes / sizeof lanes[0]; k++) {
        if (links->shape == IPU_LINK_LIST && lanes[k] > 0)
            return mt_fail(MT_INPUT, "%s: links.%s: %zu; allowed with links.shape list: 0, or omitted", file,
                names[k], lanes[k]);
        if (links->shape != IPU_LINK_LIST && lanes[k] == 0)
            return mt_fail(MT_INPUT, "%s: links.%s: 0 or missing; allowed with links.shape %s: at least 1",
                file, names[k], name_of(links->shape));
    }
    return MT_OK;
}

static mt_status check_no_lanes(const char *file, const ipu_links *links)
{
    if (links->direct + links->cross + links->rail + links->n_list + links->n_routes + links->chips > 0)
        return mt_fail(MT_INPUT,
            "%s: links: lanes, chips, a list or routes; allowed with links.shape none: nothing", file);
    return MT_OK;
}

mt_status ipu_topology_check_links(const char *file, const ipu_links *links)
{
    if (links->shape == IPU_NO_LINKS) return check_no_lanes(file, links);
    MT_TRY(check_lanes(file, links));
    if (links->buffers > 1 && links->shape != IPU_TORUS)
        return mt_fail(MT_INPUT, "%s: links.buffers: %zu; allowed with links.shape %s: 1", file,
            links->buffers, links->shape == IPU_LINK_LIST ? "list" : name_of(links->shape));
    if (links->shape != IPU_LINK_LIST) return check_no_list(file, links);
    if (links->n_list == 0)
        return mt_fail(MT_INPUT, "%s: links.list: no links; allowed with links.shape list: at least 2", file);
    for (size_t l = 0; l < links->n_list; l++)
        if (links->list[l].from == links->list[l].to)
            return mt_fail(MT_INPUT,
                "%s: links.list.%zu.to: %u; allowed: an IPU other than links.list.%zu.from", file, l,
                links->list[l].to, l);
    if (links->chips > 0 && links->chips != ipu_topology_listed(links))
        return mt_fail(MT_INPUT,
            "%s: links.chips: %zu; allowed: %zu, since links.list connects IPUs 0 to %zu", file, links->chips,
            ipu_topology_listed(links), ipu_topology_listed(links) - 1);
    MT_SCRATCH(scratch);
    MT_TRY(check_leaves(scratch, file, links));
    MT_TRY(check_ways(scratch, file, links, false));
    MT_TRY(check_ways(scratch, file, links, true));
    return links->n_routes > 0 ? check_stated(scratch, file, links) : MT_OK;
}

/* ---- loads and times ---- */

/* Splits the bytes of the first of several links that share among all of them. Cumulative bytes are proportional to cumulative
 * rates, rounded down. */
static void part_load(const ipu_topology *t, uint32_t first, uint64_t *load)
{
    const uint64_t bytes = load[first];
    double all = 0, reached = 0;
    uint64_t before = 0;
    for (uint32_t l = first, last = UINT32_MAX; l != last; last = l, l = t->shares[l])
        all += t->links[l].bytes_per_second;
    for (uint32_t l = first, last = UINT32_MAX; l != last; last = l, l = t->shares[l]) {
        reached += t->links[l].bytes_per_second;
        const uint64_t upto = t->shares[l] == l ? bytes : (uint64_t)((double)bytes * (reached / all));
        load[l] = upto - before;
        before = upto;
    }
}

void ipu_topology_load(const ipu_topology *t, const uint64_t *bytes, uint64_t *load)
{
    memset(load, 0, t->n_links * sizeof *load);
    for (uint32_t from = 0; from < t->n_chips; from++)
        for (uint32_t to = 0; to < t->n_chips; to++) {
            const uint64_t n = bytes[(size_t)from * t->n_chips + to];
            for (ipu_way w = ipu_topology_way(t, from, to); n > 0 && w.at != to;) load[ipu_way_next(&w)] += n;
        }
    for (uint32_t l = t->n_links; t->shares && l-- > 0;) /* backwards, as others have higher numbers */
        if (load[l] > 0 && t->shares[l] != l) part_load(t, l, load);
}

static bool passes(const ipu_topology *t, uint32_t from, uint32_t to)
{
    ipu_way w = ipu_topology_way(t, from, to);
    (void)ipu_way_next(&w);
    return w.at != to;
}

bool ipu_topology_has_multi_link_routes(const ipu_topology *t, const uint64_t *bytes)
{
    for (uint32_t from = 0; from < t->n_chips; from++)
        for (uint32_t to = 0; to < t->n_chips; to++)
            if (from != to && bytes[(size_t)from * t->n_chips + to] > 0 && passes(t, from, to)) return true;
    return false;
}

uint64_t ipu_link_cycles(const ipu_link *link, uint64_t bytes, double clock_hz)
{
    return (uint64_t)ceil((double)bytes * clock_hz / link->bytes_per_second);
}

uint32_t ipu_topology_busiest(const ipu_topology *t, const uint64_t *load)
{
    uint32_t busiest = 0;
    double most = -1;
    for (uint32_t l = 0; l < t->n_links; l++) {
        const double seconds = (double)load[l] / t->links[l].bytes_per_second;
        if (seconds > most) {
            most = seconds;
            busiest = l;
        }
    }
    return busiest;
}

uint64_t ipu_topology_sync_cycles(const ipu_topology *t, double ns_per_hop, double clock_hz)
{
    return (uint64_t)ceil(2 * ns_per_hop * t->hops * (clock_hz / 1e9));
}

/* ---- deadlock ---- */

/* A node of the dependency graph is a buffer at the end of a link: link * BUFFERS + 0 or 1. The second buffer is for messages
 * that have passed the seam of a torus, the joint of the last and the first rung. */
enum { BUFFERS = 2 };

static bool is_seam(const ipu_topology *t, uint32_t link)
{
    const uint32_t from = t->links[link].from / 2, to = t->links[link].to / 2;
    return t->shape == IPU_TORUS && (from > to ? from - to : to - from) > 1;
}

/* Returns the node that follows on the next link. */
static uint32_t node_after(const ipu_topology *t, uint32_t node, uint32_t next_link)
{
    const uint32_t link = node / BUFFERS;
    const bool second = t->buffers >= BUFFERS && (node % BUFFERS == 1 || is_seam(t, link));
    return next_link * BUFFERS + (second ? 1 : 0);
}

/* The channel dependency graph: follows[first[n] + k] is true if a route passes from node n to the k-th link that leaves the
 * chip at the end of the link of n. */
typedef struct waits {
    const ipu_topology *topology;
    size_t *first; /* [n_links * BUFFERS] */
    bool *follows;
} waits;

static void note_wait(const waits *w, uint32_t node, uint32_t then)
{
    const ipu_topology *t = w->topology;
    const uint32_t begin = t->first_out[t->links[node / BUFFERS].to];
    uint32_t k = begin;
    while (t->out[k] != then) k++;
    w->follows[w->first[node] + k - begin] = true;
}

/* Follows a route to its end. A route that is not stated ends at a node that was already followed for its destination. */
static void follow(waits *w, uint32_t from, uint32_t to, uint32_t *seen)
{
    ipu_way way = ipu_topology_way(w->topology, from, to);
    const bool stated = way.stated != NULL;
    uint32_t node = ipu_way_next(&way) * BUFFERS;
    while (way.at != to && (stated || seen[node] != to + 1)) {
        const uint32_t then = ipu_way_next(&way);
        if (!stated) seen[node] = to + 1;
        note_wait(w, node, then);
        node = node_after(w->topology, node, then);
    }
}

/* Collects the edges of the graph. Routes to one destination that meet in a node merge, unless they are stated, so each node is
 * followed once per destination. `seen` holds the last destination, + 1, for which it was followed. */
static mt_status collect_waits(mt_arena *scratch, const uint64_t *bytes, waits *w)
{
    const ipu_topology *t = w->topology;
    uint32_t *seen = NULL;
    size_t n = 0;
    MT_ALLOC(scratch, w->first, t->n_links * BUFFERS);
    MT_ALLOC(scratch, seen, t->n_links * BUFFERS);
    for (uint32_t node = 0; node < t->n_links * BUFFERS; node++) {
        const uint32_t to = t->links[node / BUFFERS].to;
        w->first[node] = n;
        n += t->first_out[to + 1] - t->first_out[to];
    }
    MT_ALLOC(scratch, w->follows, n);
    for (uint32_t to = 0; to < t->n_chips; to++)
        for (uint32_t from = 0; from < t->n_chips; from++) {
            if (from == to || bytes[(size_t)from * t->n_chips + to] == 0) continue;
            follow(w, from, to, seen);
        }
    return MT_OK;
}

/* Returns the next node, from *turn on, for which a node may wait; n_links * BUFFERS if there is none. */
static uint32_t next_wait(const waits *w, uint32_t node, uint32_t *turn)
{
    const ipu_topology *t = w->topology;
    const uint32_t to = t->links[node / BUFFERS].to, begin = t->first_out[to], end = t->first_out[to + 1];
    while (*turn < end - begin) {
        const uint32_t k = (*turn)++;
        if (w->follows[w->first[node] + k]) return node_after(t, node, t->out[begin + k]);
    }
    return t->n_links * BUFFERS;
}

static mt_status name_cycle(const ipu_topology *t, const uint32_t *node, size_t n)
{
    enum { NAMED = 12 };
    char names[700] = "";
    size_t at = 0;
    for (size_t i = 0; i < n && i < NAMED; i++)
        at += (size_t)snprintf(
            names + at, sizeof names - at, "%s'%.48s'", i ? ", " : "", t->links[node[i] / BUFFERS].name);
    return mt_fail(MT_INPUT,
        "messages between IPUs can deadlock: a cycle of %zu links, each required by a message that holds the "
        "previous one: %s%s; allowed: no cycle, as on a ladder",
        n, names, n > NAMED ? ", ..." : "");
}

/* Searches depth-first for a cycle; path[] leads to the current node. */
static mt_status search(mt_arena *scratch, const waits *w)
{
    enum { NEW, ON_PATH, DONE };
    const ipu_topology *t = w->topology;
    const uint32_t n_nodes = t->n_links * BUFFERS;
    uint32_t *path = NULL, *turn = NULL;
    unsigned char *state = NULL;
    MT_ALLOC(scratch, path, n_nodes);
    MT_ALLOC(scratch, turn, n_nodes);
    MT_ALLOC(scratch, state, n_nodes);
    for (uint32_t start = 0; start < n_nodes; start++) {
        if (state[start] != NEW) continue;
        size_t depth = 1;
        path[0] = start;
        state[start] = ON_PATH;
        while (depth > 0) {
            const uint32_t node = path[depth - 1], then = next_wait(w, node, &turn[node]);
            if (then == n_nodes) {
                state[node] = DONE;
                depth--;
            } else if (state[then] == NEW) {
                path[depth++] = then;
                state[then] = ON_PATH;
            } else if (state[then] == ON_PATH) {
                size_t i = depth - 1;
                while (path[i] != then) i--;
                return name_cycle(t, path + i, depth - i);
            }
        }
    }
    return MT_OK;
}

mt_status ipu_topology_check_deadlock(const ipu_topology *topology, const uint64_t *bytes)
{
    MT_SCRATCH(scratch);
    waits w = {.topology = topology};
    MT_TRY(collect_waits(scratch, bytes, &w));
    return search(scratch, &w);
}
