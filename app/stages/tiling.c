#include "app/stages/tiling.h"

#include <stdlib.h>
#include <string.h>

#include "app/cli/progress.h"
#include "app/stages/warnings.h"
#include "data/room.h"
#include "ipu/machine/topology.h"
#include "solver/diffusion/diffusion.h"
#include "solver/plan/plan.h"

/* ---- how to cut ---- */

/* "GC200 with links.shape=torus, clock_hz=1.5e9": a machine of which values are set is not what its file names. */
static mt_status name_changes(mt_arena *arena, size_t n, const char *const *sets, const char **name)
{
    size_t size = strlen(*name) + 1, used;
    char *text;
    for (size_t k = 0; k < n; k++) size += strlen(" with ") + strlen(sets[k]);
    MT_TAKE(arena, text, size);
    used = (size_t)snprintf(text, size, "%s", *name);
    for (size_t k = 0; k < n; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k > 0 ? ", " : " with ", sets[k]);
    *name = text;
    return MT_OK;
}

mt_status mt_tiling_parse(mt_arena *arena, const mt_arguments *arguments, mt_tiling *tiling)
{
    const char *machine, **sets;
    size_t n_sets;
    *tiling = (mt_tiling){.balance_halo = mt_option_given(arguments, "--balance-halo")};
    const char *imbalance = mt_option_value(arguments, "--imbalance", "1.03");
    MT_TRY(mt_numbers("--imbalance", imbalance, 1, 0, &tiling->imbalance));
    if (!(tiling->imbalance >= MT_IMBALANCE_LEAST && tiling->imbalance <= MT_IMBALANCE_MOST))
        return mt_fail(
            MT_INPUT, "--imbalance %s; allowed: %g to %g", imbalance, MT_IMBALANCE_LEAST, MT_IMBALANCE_MOST);
    MT_TRY(mt_partition_method_find(mt_option_value(arguments, "--partition", "flat"), &tiling->method));
    MT_TRY(mt_machine_path(arena, mt_option_value(arguments, "--target", "gc200"), &machine));
    MT_TRY(mt_option_all(arena, arguments, "--set", &n_sets, &sets));
    MT_TRY(ipu_target_load(arena, machine, sets, n_sets, &tiling->one));
    MT_TRY(name_changes(arena, n_sets, sets, &tiling->one.name));
    tiling->tiles = (uint32_t)tiling->one.tiles;
    return MT_OK;
}

mt_status mt_tiling_ranges(const mt_arguments *arguments, uint32_t *ranges)
{
    unsigned long number = 0;
    const char *text = mt_option_value(arguments, "--ranges", NULL);
    if (text) MT_TRY(mt_whole_number("--ranges", text, 1, 1000000, &number));
    *ranges = (uint32_t)number;
    return MT_OK;
}

mt_status mt_tiling_check_room(const mt_tiling *tiling, uint32_t ipus)
{
    char need[256], left[64] = "";
    const size_t there = mt_room_left();
    const double tiles = (double)tiling->one.tiles * ipus, bytes = tiles * MT_TILE_HOST_BYTES;
    if (there < SIZE_MAX) (void)snprintf(left, sizeof left, "; %.1f GB are available", (double)there / 1e9);
    (void)snprintf(need, sizeof need,
        "%u IPUs of %zu tiles: the emulator's tables of %.0f tiles take at least %.1f GB (%d bytes a tile), "
        "whatever the mesh%s",
        ipus, tiling->one.tiles, tiles, bytes / 1e9, MT_TILE_HOST_BYTES, left);
    if (bytes > (double)there) return mt_fail(MT_FILE, "%s", need);
    if (bytes >= 1e9) mt_warn("%s", need);
    return MT_OK;
}

mt_status mt_tiling_counts(
    const mt_tiling *tiling, const char *text, size_t *n, uint32_t ipus[MT_TILING_COUNTS])
{
    unsigned long counts[MT_TILING_COUNTS];
    MT_TRY(mt_whole_numbers("--ipus", text, 1, 4096, MT_TILING_COUNTS, n, counts));
    for (size_t k = 0; k < *n; k++) {
        const uint64_t parts = (uint64_t)counts[k] * tiling->tiles;
        if (parts > INT32_MAX)
            return mt_fail(MT_INPUT, "%lu machines of %u tiles make %llu parts; allowed: at most %d",
                counts[k], tiling->tiles, (unsigned long long)parts, INT32_MAX);
        MT_TRY(ipu_topology_allows(&tiling->one.links, counts[k]));
        ipus[k] = (uint32_t)counts[k];
        MT_TRY(mt_tiling_check_room(tiling, ipus[k]));
    }
    return MT_OK;
}

mt_status mt_tiling_columns(mt_arena *arena, const mt_adjacency *adjacency, uint32_t **columns)
{
    MT_TAKE(arena, *columns, adjacency->n_cells * MT_DIFFUSION_ROW);
#pragma omp parallel for schedule(static)
    for (size_t cell = 0; cell < adjacency->n_cells; cell++)
        (void)mt_adjacency_ring(adjacency, cell, *columns + cell * MT_DIFFUSION_ROW);
    return MT_OK;
}

static void warn_of_another_cut(const mt_partition *parts)
{
    if (parts->metis_failures == 0) return;
    mt_warn("%s", parts->remark);
}

mt_status mt_tiling_cut(mt_arena *arena, const mt_tiling *tiling, const mt_adjacency *adjacency,
    const uint32_t *columns, uint32_t ipus, mt_partition *parts, mt_balance *balance)
{
    const mt_partition_options options = {tiling->method, ipus, tiling->tiles, tiling->imbalance};
    *balance = (mt_balance){0};
    MT_TRY(mt_partition_make(arena, adjacency, &options, parts));
    warn_of_another_cut(parts);
    if (!tiling->balance_halo) return MT_OK;
    MT_TRY(mt_balance_halo(
        adjacency->n_cells, MT_DIFFUSION_ROW, columns, tiling->imbalance, MT_BALANCE_NEEDED, parts, balance));
    parts->edge_cut = mt_partition_edge_cut(adjacency, parts->part);
    return MT_OK;
}

mt_status mt_tiling_suit(const mt_tiling *tiling, const mt_scheme *scheme, const mt_adjacency *adjacency,
    const uint32_t *columns, mt_partition *parts, mt_balance *balance)
{
    mt_balance second;
    if (!tiling->balance_halo || !scheme->broadcasts) return MT_OK;
    MT_TRY(mt_balance_halo(
        adjacency->n_cells, MT_DIFFUSION_ROW, columns, tiling->imbalance, MT_BALANCE_MIXED, parts, &second));
    balance->moves += second.moves;
    parts->edge_cut = mt_partition_edge_cut(adjacency, parts->part);
    return MT_OK;
}

/* ---- what each tile holds and receives ---- */

double mt_tile_cells(const mt_halo *h, uint32_t p) { return (double)mt_halo_own(h, p); }
double mt_tile_separator(const mt_halo *h, uint32_t p) { return mt_tile_cells(h, p) - h->n_interior[p]; }
double mt_tile_needed(const mt_halo *h, uint32_t p) { return (double)h->needed[p]; }
double mt_tile_received(const mt_halo *h, uint32_t p) { return (double)h->inbound[p]; }
double mt_tile_unused(const mt_halo *h, uint32_t p) { return mt_tile_received(h, p) - mt_tile_needed(h, p); }
double mt_tile_all(const mt_halo *h, uint32_t p) { return (double)mt_halo_local(h, p); }

double mt_tile_ranges_sent(const mt_halo *h, uint32_t p)
{
    return (double)(h->range_offset[p + 1] - h->range_offset[p]);
}

double mt_tile_pieces_received(const mt_halo *h, uint32_t p) { return (double)mt_halo_pieces_in(h, p); }

double mt_tile_neighbours(const mt_halo *h, uint32_t p)
{
    uint32_t n = 0, last = UINT32_MAX; /* ranges received are sorted by source */
    for (size_t k = h->in_offset[p]; k < h->in_offset[p + 1]; k++) {
        uint32_t source = h->range[h->in_range[k]].source;
        n += source != last;
        last = source;
    }
    return n;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

mt_status mt_tile_spread_of(const mt_halo *halo, mt_tile_count *count, mt_tile_spread *spread)
{
    mt_arena scratch = {0};
    const uint32_t n = halo->n_parts;
    double *value;
    MT_TAKE(&scratch, value, n);
    *spread = (mt_tile_spread){0};
    for (uint32_t p = 0; p < n; p++) spread->sum += value[p] = count(halo, p);
    qsort(value, n, sizeof *value, compare_doubles);
    spread->min = value[0];
    spread->median = value[(n - 1) / 2];
    spread->max = value[n - 1];
    mt_arena_free(&scratch);
    return MT_OK;
}

size_t mt_tiling_crossing(const mt_halo *halo)
{
    size_t n = 0;
    for (size_t r = 0; r < halo->n_ranges; r++)
        for (size_t k = halo->to_offset[r]; k < halo->to_offset[r + 1]; k++)
            if (mt_halo_group_of(halo, halo->to_part[k]) != mt_halo_group_of(halo, halo->range[r].source))
                n += halo->range[r].end - halo->range[r].begin;
    return n;
}

/* ---- what the machine would need ---- */

static mt_tiling_costs costs_in(const ipu_profile *profile)
{
    const ipu_profile_step *step = &profile->steps[MT_PLAN_PDE_AB];
    mt_tiling_costs costs = {.fits = true,
        .memory_max = profile->memory_max,
        .memory_median = profile->memory_median,
        .exchange_cycles = step->exchange_phase_cycles,
        .external_cycles = step->external_cycles,
        .exchange_bound_cycles = step->exchange_bound_cycles,
        .bytes_crossing = step->bytes_crossing,
        .effectiveness = ipu_spread_effectiveness(&step->exchange),
        .sync_cycles = step->sync_cycles,
        .external_sync_cycles = step->external_sync_cycles,
        .exchange = step->exchange,
        .pde = step->compute,
        .ode = profile->steps[MT_PLAN_ODE].compute};
    if (step->busiest_link)
        (void)snprintf(costs.busiest_link, sizeof costs.busiest_link, "%s", step->busiest_link);
    return costs;
}

const char *mt_tiling_fits(const mt_tiling_costs *costs)
{
    return costs->fits ? "yes" : costs->stands_still ? "could stand still" : "does not fit";
}

mt_status mt_tiling_profile(mt_arena *arena, const mt_tiling *tiling, const mt_halo *halo, ipu_target *target,
    ipu_profile *profile, mt_tiling_costs *costs)
{
    MT_TRY(ipu_target_several(&tiling->one, mt_halo_groups(halo), target));
    const mt_layout layout = {target, halo, tiling->checked, -1};
    *costs = (mt_tiling_costs){0};
    const mt_status status = mt_plan_costs(arena, mt_cell_models[0], &layout, profile);
    if (status == MT_OK) *costs = costs_in(profile);
    if (status != MT_FIT && status != MT_INPUT) return status;
    costs->stands_still = status == MT_INPUT;
    (void)snprintf(costs->why, sizeof costs->why, "%s", mt_message());
    return MT_OK;
}

mt_status mt_tiling_costs_of(const mt_tiling *tiling, const mt_halo *halo, mt_tiling_costs *costs)
{
    mt_arena scratch = {0};
    ipu_target target;
    ipu_profile profile;
    const mt_status status = mt_tiling_profile(&scratch, tiling, halo, &target, &profile, costs);
    mt_arena_free(&scratch);
    return status;
}
