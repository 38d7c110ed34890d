/* myotile reproduce table1: cost of each separator scheme, compared with published numbers. */
#include <math.h>
#include <string.h>

#include "app/draw/chart/chart.h"
#include "app/study/published.h"
#include "app/study/reproduce.h"
#include "solver/plan/tile_counts.h"

static mt_status table1(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_REPRODUCE_MESH, MT_REPRODUCE_IPUS,
    {.name = "--schemes", .value = "NAME,...", .help = "separator schemes; default: all"}, MT_TILING_OPTIONS,
    {.name = "--picture",
        .value = "OUT.png",
        .help = "chart of owned, needed and unused elements of the tiles"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_table1 = {
    .name = "reproduce table1",
    .operands = "",
    .summary = "cost of each separator scheme on 1 to 16 IPUs, compared with the study",
    .example = "myotile reproduce table1 --mesh heart.hdf --ipus 1,2 --schemes mixed-clean,exact",
    .options = options,
    .run = table1,
};

enum { CELLS, COSTS, TABLES };
enum { OWN, NEEDED, NOT_USED, KINDS };

typedef struct reproducing {
    mt_reproduce base;
    mt_table tables[TABLES];
    double *bars, *marks; /* [n_ipus][n_schemes][KINDS] and [n_ipus][n_schemes]: see draw */
} reproducing;

/* ---- the table ---- */

static void begin_tables(mt_arena *arena, reproducing *r)
{
    char title[256];
    (void)snprintf(title, sizeof title, "Elements on the tiles of a %s: mesh of %zu elements, %s partition%s",
        r->base.tiling.one.name, r->base.mesh.n_elements, mt_partition_methods[r->base.tiling.method],
        r->base.tiling.balance_halo ? " with balanced halos" : "");
    mt_table *elements = &r->tables[CELLS], *costs = &r->tables[COSTS];
    *elements = mt_table_begin(arena, "elements", title);
    *costs =
        mt_table_begin(arena, "costs", "Costs on the machine: tile memory, exchange of a diffusion substep");
    for (int k = 0; k < TABLES; k++) {
        mt_table_decimals(&r->tables[k], "ipus", "IPUs", "", 0);
        mt_table_strings(&r->tables[k], "scheme", "scheme");
    }
    mt_table_decimals(elements, "received_max", "received max", "", 0);
    mt_table_decimals(elements, "received_median", "received median", "", 0);
    mt_table_decimals(elements, "unused_median", "unused median", "", 0);
    mt_table_decimals(elements, "largest_tile", "largest tile", "", 0);
    mt_table_decimals(elements, "share_received_percent", "share received", "%", 2);
    mt_table_decimals(elements, "published_percent", "published", "%", 2);
    mt_table_decimals(elements, "difference_points", "difference", "points", 2);
    mt_table_decimals(costs, "memory_max_kib", "memory max", "KiB", 1);
    mt_table_decimals(costs, "memory_median_kib", "memory median", "KiB", 1);
    mt_table_decimals(costs, "pieces_max", "pieces max", "", 0);
    mt_table_decimals(costs, "from_other_ipus_elements", "from other IPUs", "elements", 0);
    mt_table_decimals(costs, "exchange_cycles", "exchange", "cycles", 0);
    mt_table_decimals(costs, "load_balance_percent", "load balance", "%", 1);
}

static mt_status published_share(const mt_reproduce *r, const mt_scheme *scheme, uint32_t ipus, double *share)
{
    char key[64];
    *share = NAN;
    if (!r->like || strcmp(r->like, "heart04") != 0 || !mt_reproduce_as_studied(r, scheme)) return MT_OK;
    (void)snprintf(key, sizeof key, "heart04_halo_share_%u", ipus);
    return mt_published(key, share, share);
}

static void add_numbers(mt_table *table, uint32_t ipus, const char *scheme, size_t n, const double *number)
{
    mt_table_number(table, ipus);
    mt_table_text(table, scheme);
    for (size_t k = 0; k < n; k++) mt_table_number(table, number[k]);
}

/* Adds the rows and the bar of scheme k on ipus[i]. */
static mt_status add_rows(void *context, size_t i, size_t k, const mt_halo *halo)
{
    reproducing *r = context;
    const mt_scheme *scheme = &r->base.scheme[k];
    const uint32_t ipus = r->base.ipus[i];
    mt_tile_spread received, unused, all, pieces;
    mt_costs costs;
    double published;
    MT_TRY(mt_tile_spread_find(halo, mt_tile_received, &received));
    MT_TRY(mt_tile_spread_find(halo, mt_tile_unused, &unused));
    MT_TRY(mt_tile_spread_find(halo, mt_tile_local, &all));
    MT_TRY(mt_tile_spread_find(halo, mt_tile_pieces_received, &pieces));
    MT_TRY(mt_costs_find(&r->base.tiling, halo, &costs));
    if (!costs.fits) mt_reproduce_warn(scheme, ipus, &costs);
    MT_TRY(published_share(&r->base, scheme, ipus, &published));
    const double share = 100 * received.sum / all.sum;
    const double elements[] = {
        received.max, received.median, unused.median, all.max, share, published, share - published};
    const double cost[] = {(double)costs.memory_max / 1024, (double)costs.memory_median / 1024, pieces.max,
        (double)mt_tile_crossing(halo), (double)costs.exchange_cycles, 100 * costs.effectiveness};
    const double owned = (double)halo->n_elements;
    const double bar[KINDS] = {1, (received.sum - unused.sum) / owned, unused.sum / owned};
    memcpy(r->bars + KINDS * (i * r->base.n_schemes + k), bar, sizeof bar);
    r->marks[i * r->base.n_schemes + k] = 1 / (1 - published / 100);
    const double unknown[] = {NAN, NAN, pieces.max, cost[3], NAN, NAN};
    add_numbers(&r->tables[CELLS], ipus, scheme->name, sizeof elements / sizeof *elements, elements);
    add_numbers(
        &r->tables[COSTS], ipus, scheme->name, sizeof cost / sizeof *cost, costs.fits ? cost : unknown);
    return MT_OK;
}

/* ---- the picture ---- */

/* Draws, per owned element, the numbers of needed halo elements and of received but unused ones. A published share x of received
 * elements corresponds to 1 / (1 - x) elements per owned one. */
static mt_status draw(mt_arena *scratch, const reproducing *r)
{
    const mt_reproduce *base = &r->base;
    static const char *const kinds[KINDS] = {"owned", "needed", "received, unused"};
    const char **groups, *bars[MT_REPRODUCE_SCHEMES];
    mt_reproduce_name *names;
    MT_ALLOC(scratch, groups, base->n_ipus);
    MT_ALLOC(scratch, names, base->n_ipus);
    for (size_t k = 0; k < base->n_ipus; k++) {
        mt_reproduce_ipus(base->ipus[k], names[k]);
        groups[k] = names[k];
    }
    for (size_t k = 0; k < base->n_schemes; k++) bars[k] = base->scheme[k].name;
    bool published = false;
    for (size_t k = 0; k < base->n_ipus * base->n_schemes; k++) published |= !isnan(r->marks[k]);
    return mt_chart_write(base->picture, &(mt_chart){.title = r->tables[CELLS].title,
                                             .caption = "Elements on the tiles per owned element",
                                             .n_groups = base->n_ipus,
                                             .n_bars = base->n_schemes,
                                             .n_kinds = KINDS,
                                             .group = groups,
                                             .bar = bars,
                                             .kind = kinds,
                                             .value = r->bars,
                                             .mark = published ? r->marks : NULL,
                                             .mark_name = "published"});
}

/* Refuses, before the work, requests that a chart cannot show. */
static mt_status check_picture(const mt_reproduce *r)
{
    if (!r->picture || (r->n_ipus <= MT_CHART_GROUPS_MAX && r->n_schemes <= MT_CHART_BARS_MAX)) return MT_OK;
    return mt_fail(MT_INPUT, "--picture with %zu counts of IPUs and %zu schemes; allowed: at most %d and %d",
        r->n_ipus, r->n_schemes, MT_CHART_GROUPS_MAX, MT_CHART_BARS_MAX);
}

static mt_status table1_with(mt_arena *arena, const mt_arguments *arguments, reproducing *r)
{
    mt_reproduce *base = &r->base;
    uint32_t ranges;
    MT_TRY(mt_reproduce_parse(arena, arguments, base));
    MT_TRY(mt_tiling_options_ranges(arguments, &ranges));
    MT_TRY(mt_reproduce_schemes("--schemes", mt_option_value(arguments, "--schemes", NULL), ranges, base));
    MT_TRY(check_picture(base));
    MT_ALLOC(arena, r->bars, base->n_ipus * base->n_schemes * KINDS);
    MT_ALLOC(arena, r->marks, base->n_ipus * base->n_schemes);
    MT_TRY(mt_reproduce_mesh(mt_option_value(arguments, "--mesh", NULL), base));
    begin_tables(arena, r);
    MT_TRY(mt_reproduce_each(base, add_rows, r));
    if (base->picture) MT_TRY(draw(arena, r));
    return mt_print_tables(arguments, r->tables, TABLES);
}

static mt_status table1(mt_arena *arena, const mt_arguments *arguments)
{
    reproducing *r;
    MT_ALLOC(arena, r, 1);
    mt_status status = table1_with(arena, arguments, r);
    mt_reproduce_free_mesh(&r->base);
    return status;
}
