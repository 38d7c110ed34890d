#include "ipu/run/details.h"

#include <stdlib.h>

#include "data/core/order.h"
#include "ipu/compile/assembly.h"
#include "ipu/run/timing.h"

/* ---- selection of tiles ---- */

/* The busy time of a tile. */
typedef struct busy {
    uint64_t cycles;
    uint32_t tile;
} busy;

MT_ORDER_DOWN(busiest_first, busy, cycles, tile)

MT_ORDER_NUMBERS(by_number, uint32_t)

static uint64_t busy_cycles(const ipu_profile *profile, size_t tile)
{
    uint64_t sum = 0;
    for (size_t s = 0; s < profile->n_steps; s++) {
        const ipu_profile_step *step = &profile->steps[s];
        sum += step->tile_gather_cycles[tile] + step->tile_exchange_cycles[tile] +
               step->tile_scatter_cycles[tile] + step->tile_compute_cycles[tile];
    }
    return sum;
}

static mt_status choose_worst(mt_arena *scratch, const ipu_profile *profile, ipu_details *details)
{
    busy *all;
    bool fullest = false;
    MT_ALLOC(scratch, all, profile->n_tiles);
    for (uint32_t t = 0; t < profile->n_tiles; t++) all[t] = (busy){busy_cycles(profile, t), t};
    qsort(all, profile->n_tiles, sizeof *all, busiest_first);
    for (size_t i = 0; i < IPU_DETAILED_WORST; i++) {
        details->tile[details->n++] = all[i].tile;
        fullest |= all[i].tile == profile->fullest_tile;
    }
    if (!fullest) details->tile[details->n++] = (uint32_t)profile->fullest_tile;
    qsort(details->tile, details->n, sizeof *details->tile, by_number);
    return MT_OK;
}

static mt_status choose(mt_arena *arena, mt_arena *scratch, const ipu_profile *profile, ipu_details *details)
{
    const bool all = profile->n_tiles <= IPU_DETAILED_MOST;
    MT_ALLOC(arena, details->tile, all ? profile->n_tiles : IPU_DETAILED_WORST + 1);
    if (!all) return choose_worst(scratch, profile, details);
    for (uint32_t t = 0; t < profile->n_tiles; t++) details->tile[details->n++] = t;
    return MT_OK;
}

/* ---- names: of the graph and of codelets, copied once for all tiles ---- */

typedef struct name {
    const char *from, *copy;
    const struct name *next;
} name;

typedef struct names {
    mt_arena *arena, *scratch;
    const name *first;
} names;

static mt_status copy_name(names *known, const char **text)
{
    const name *found = known->first;
    name *added;
    while (found && found->from != *text) found = found->next;
    if (!found) {
        MT_ALLOC(known->scratch, added, 1);
        *added = (name){*text, mt_arena_text(known->arena, *text), known->first};
        if (!added->copy) return MT_MEMORY;
        known->first = found = added;
    }
    *text = found->copy;
    return MT_OK;
}

/* ---- memory maps ---- */

static mt_status make_maps(mt_arena *arena, const ipu_executable *e, names *known, ipu_details *details)
{
    MT_ALLOC(arena, details->map, details->n);
    for (size_t k = 0; k < details->n; k++) {
        ipu_tile_map *map = &details->map[k];
        MT_TRY(ipu_memory_map(arena, e, details->tile[k], map));
        for (size_t i = 0; i < map->n_items; i++) MT_TRY(copy_name(known, &map->items[i].name));
    }
    return MT_OK;
}

/* ---- vertices ---- */

static size_t tasks_of(const ipu_executable *e, const ipu_details *details)
{
    size_t n = 0;
    for (size_t s = 0; s < e->graph->n_compute_sets; s++)
        for (size_t k = 0; k < details->n; k++)
            n += e->supersteps[s].first_task[details->tile[k] + 1] -
                 e->supersteps[s].first_task[details->tile[k]];
    return n;
}

/* Lists the tasks of one tile in one compute set, merged by codelet. */
static void list_vertices(const ipu_executable *e, uint32_t tile, uint32_t s, ipu_details *details)
{
    const ipu_superstep *step = &e->supersteps[s];
    const size_t first = details->n_vertices;
    for (size_t i = step->first_task[tile]; i < step->first_task[tile + 1]; i++) {
        const ipu_task *task = &e->tasks[i];
        size_t row = first;
        while (row < details->n_vertices && details->vertices[row].codelet != task->codelet->name) row++;
        if (row == details->n_vertices)
            details->vertices[details->n_vertices++] =
                (ipu_tile_vertices){.tile = tile, .step = s, .codelet = task->codelet->name};
        details->vertices[row].instances++;
        details->vertices[row].cycles += ipu_timing_tile_cycles(e, task);
    }
}

static mt_status make_vertices(mt_arena *arena, const ipu_executable *e, names *known, ipu_details *details)
{
    MT_ALLOC(arena, details->vertices, tasks_of(e, details));
    for (size_t k = 0; k < details->n; k++)
        for (uint32_t s = 0; s < e->graph->n_compute_sets; s++)
            list_vertices(e, details->tile[k], s, details);
    for (size_t v = 0; v < details->n_vertices; v++) MT_TRY(copy_name(known, &details->vertices[v].codelet));
    return MT_OK;
}

/* ---- received data ---- */

MT_ORDER(by_tile, ipu_tile_received, tile, step, from)

/* Merges the rows of a pair of tiles. */
static void join_received(ipu_details *details)
{
    size_t n = 0;
    ipu_tile_received *row = details->received;
    if (details->n_received > 1) qsort(row, details->n_received, sizeof *row, by_tile);
    for (size_t i = 0; i < details->n_received; i++) {
        if (n > 0 && by_tile(&row[n - 1], &row[i]) == 0)
            row[n - 1].bytes += row[i].bytes;
        else
            row[n++] = row[i];
    }
    details->n_received = n;
}

static mt_status list_received(
    mt_arena *scratch, const ipu_executable *e, uint32_t s, const bool *chosen, ipu_details *details)
{
    const size_t word = e->graph->target.exchange_bytes_per_cycle;
    ipu_assembly assembly;
    MT_TRY(ipu_assembly_make(scratch, scratch, e, &e->supersteps[s], &assembly));
    for (size_t i = 0; i < assembly.n_fragments; i++) {
        const ipu_fragment *f = &assembly.fragments[i];
        if (chosen[f->receiver])
            details->received[details->n_received++] =
                (ipu_tile_received){f->receiver, s, f->source, f->words * word};
    }
    return MT_OK;
}

static mt_status make_received(
    mt_arena *arena, mt_arena *scratch, const ipu_executable *e, ipu_details *details)
{
    size_t most = 0;
    bool *chosen;
    for (size_t s = 0; s < e->graph->n_compute_sets; s++) most += e->supersteps[s].exchange.ranges_received;
    MT_ALLOC(arena, details->received, most);
    MT_ALLOC(scratch, chosen, e->graph->target.tiles);
    for (size_t k = 0; k < details->n; k++) chosen[details->tile[k]] = true;
    for (uint32_t s = 0; s < e->graph->n_compute_sets; s++)
        MT_TRY(list_received(scratch, e, s, chosen, details));
    join_received(details);
    return MT_OK;
}

/* ---- entry point ---- */

mt_status ipu_details_add(mt_arena *arena, const ipu_executable *executable, ipu_profile *profile)
{
    MT_SCRATCH(scratch);
    names known = {.arena = arena, .scratch = scratch};
    ipu_details *details;
    MT_ALLOC(arena, details, 1);
    MT_TRY(choose(arena, scratch, profile, details));
    MT_TRY(make_maps(arena, executable, &known, details));
    MT_TRY(make_vertices(arena, executable, &known, details));
    MT_TRY(make_received(arena, scratch, executable, details));
    profile->details = details;
    return MT_OK;
}
