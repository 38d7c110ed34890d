#include "ipu/machine/fabric.h"

#include <stdio.h>

#include "ipu/machine/integer.h"

/* The sides of a tile of a mesh, in the order of its links. */
enum { EAST, WEST, SOUTH, NORTH };

/* The links of cluster k: WAYS * k + OUT and + IN. */
enum { OUT, IN, WAYS };

static bool is_grid(const ipu_fabric *f)
{
    return f->target->fabric.kind == IPU_MESH || f->target->fabric.kind == IPU_TILE_TORUS;
}

static mt_status make_listed(mt_arena *arena, const ipu_target *target, ipu_fabric *fabric)
{
    MT_SCRATCH(scratch);
    ipu_link *links;
    ipu_topology *listed;
    MT_ALLOC(scratch, links, target->fabric.n_list);
    for (size_t k = 0; k < target->fabric.n_list; k++) {
        const ipu_listed_link *l = &target->fabric.list[k];
        links[k] = (ipu_link){l->from, l->to, (double)l->lanes, NULL};
    }
    MT_TRY(mt_fail_in(
        "fabric.list", ipu_topology_list(arena, links, target->fabric.n_list, target->tiles, &listed)));
    fabric->listed = listed;
    fabric->n_links = listed->n_links;
    return MT_OK;
}

mt_status ipu_fabric_make(mt_arena *arena, const ipu_target *target, ipu_fabric *fabric)
{
    const ipu_fabric_rules *rules = &target->fabric;
    *fabric = (ipu_fabric){.target = target};
    if (rules->kind == IPU_TILE_LINKS) return make_listed(arena, target, fabric);
    if (rules->kind == IPU_CLUSTERS) {
        fabric->n_links = (uint32_t)(WAYS * ipu_divide_up(target->tiles, rules->cluster_tiles));
        return MT_OK;
    }
    fabric->height = target->tiles / rules->width;
    fabric->n_links = (uint32_t)(IPU_SIDES * target->tiles);
    return MT_OK;
}

ipu_path ipu_fabric_path(const ipu_fabric *fabric, uint32_t sender, uint32_t receiver)
{
    ipu_path path = {.fabric = fabric, .at = sender, .to = receiver};
    if (is_grid(fabric)) {
        const uint32_t width = (uint32_t)fabric->target->fabric.width;
        path.column = sender % width, path.row = sender / width;
        path.to_column = receiver % width, path.to_row = receiver / width;
    } else if (!fabric->listed) {
        const uint32_t size = (uint32_t)fabric->target->fabric.cluster_tiles;
        path.at = sender / size, path.to = receiver / size;
    }
    return path;
}

/* Returns true if a coordinate of a grid increases on the way from `at` to `to`, among n. */
static bool increases(const ipu_fabric *f, uint32_t at, uint32_t to, uint32_t n)
{
    if (f->target->fabric.kind == IPU_MESH) return to > at;
    return 2 * (to >= at ? to - at : to + n - at) <= n;
}

/* Steps to the neighbour in one direction, in a ring of n. */
static uint32_t step(uint32_t at, bool up, uint32_t n)
{
    if (up) return at + 1 == n ? 0 : at + 1;
    return at == 0 ? n - 1 : at - 1;
}

static uint32_t next_of_grid(ipu_path *path)
{
    const ipu_fabric *f = path->fabric;
    const uint32_t width = (uint32_t)f->target->fabric.width, height = (uint32_t)f->height;
    const uint32_t link = IPU_SIDES * path->at;
    const bool rows_first = f->target->fabric.first == IPU_ROWS_FIRST;
    const bool in_row = rows_first ? path->column != path->to_column : path->row == path->to_row;
    const bool up = in_row ? increases(f, path->column, path->to_column, width)
                           : increases(f, path->row, path->to_row, height);
    if (in_row)
        path->column = step(path->column, up, width);
    else
        path->row = step(path->row, up, height);
    path->at = path->row * width + path->column;
    return link + (in_row ? (up ? EAST : WEST) : (up ? SOUTH : NORTH));
}

bool ipu_path_next(ipu_path *path, uint32_t *link)
{
    if (path->at == path->to) return false;
    if (is_grid(path->fabric)) {
        *link = next_of_grid(path);
        return true;
    }
    if (path->fabric->listed) {
        const ipu_topology *t = path->fabric->listed;
        *link = t->next[(size_t)path->at * t->n_chips + path->to];
        path->at = t->links[*link].to;
        return true;
    }
    *link = path->out ? WAYS * path->to + IN : WAYS * path->at + OUT;
    if (path->out) path->at = path->to;
    path->out = true;
    return true;
}

/* Returns the distance of two coordinates of a grid, among n. */
static size_t distance(const ipu_fabric *f, uint32_t a, uint32_t b, size_t n)
{
    const size_t straight = a > b ? a - b : b - a;
    return f->target->fabric.kind == IPU_TILE_TORUS && n - straight < straight ? n - straight : straight;
}

uint64_t ipu_fabric_delay(const ipu_target *target, size_t n)
{
    const double cycles = (double)n * target->fabric.hop_cycles;
    const uint64_t whole = (uint64_t)cycles;
    return (double)whole < cycles ? whole + 1 : whole;
}

size_t ipu_fabric_hops(const ipu_fabric *fabric, uint32_t sender, uint32_t receiver)
{
    size_t n = 0;
    uint32_t link;
    if (is_grid(fabric)) {
        const ipu_path p = ipu_fabric_path(fabric, sender, receiver);
        return distance(fabric, p.column, p.to_column, fabric->target->fabric.width) +
               distance(fabric, p.row, p.to_row, fabric->height);
    }
    for (ipu_path p = ipu_fabric_path(fabric, sender, receiver); ipu_path_next(&p, &link);) n++;
    return n;
}

size_t ipu_fabric_rate(const ipu_fabric *fabric, uint32_t link)
{
    const ipu_topology *t = fabric->listed;
    if (!t) return fabric->target->fabric.words_per_cycle;
    double words = t->links[link].bytes_per_second;
    if (t->shares)
        for (uint32_t k = link; t->shares[k] != k; k = t->shares[k])
            words += t->links[t->shares[k]].bytes_per_second;
    return (size_t)words;
}

const char *ipu_fabric_link_name(const ipu_fabric *fabric, uint32_t link, char text[IPU_LINK_NAME])
{
    static const char *const sides[IPU_SIDES] = {"east", "west", "south", "north"};
    if (is_grid(fabric))
        (void)snprintf(text, IPU_LINK_NAME, "%s of tile %u", sides[link % IPU_SIDES], link / IPU_SIDES);
    else if (fabric->listed)
        (void)snprintf(text, IPU_LINK_NAME, "tile %u to %u", fabric->listed->links[link].from,
            fabric->listed->links[link].to);
    else
        (void)snprintf(
            text, IPU_LINK_NAME, "%s cluster %u", link % WAYS == OUT ? "out of" : "into", link / WAYS);
    return text;
}
