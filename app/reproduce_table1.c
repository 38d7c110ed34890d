/* myotile reproduce table1: what each way to send separator cells costs, beside what was published. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/chart.h"
#include "app/gmsh.h"
#include "app/progress.h"
#include "app/published.h"
#include "app/table.h"
#include "app/tiling.h"
#include "data/file.h"
#include "mesh/formats.h"
#include "solver/diffusion.h"

static mt_status table1(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {"--mesh", "MESH.hdf", "a heart; default: one like heart04, made with the gmsh program", false},
    {"--ipus", "N,...", "how many IPUs; default: 1,2,4,8,16", false},
    {"--schemes", "NAME,...", "which ranges of separator cells are sent; default: all there are", false},
    MT_TILING_OPTIONS,
    {"--picture", "OUT.png", "a chart of what tiles own, need and receive without using it", false},
    {"--format", "text|json|csv", "of the tables; default: text", false}, {NULL, NULL, NULL, false}};

const mt_command mt_command_reproduce_table1 = {
    .name = "reproduce table1",
    .operands = "",
    .summary = "what each separator scheme costs on 1 to 16 IPUs, beside what was published",
    .example = "myotile reproduce table1 --mesh heart.hdf --ipus 1,2 --schemes mixed-clean,exact",
    .options = options,
    .run = table1,
};

enum { SCHEMES_MAX = 16 };
enum { CELLS, COSTS, TABLES };
enum { OWN, NEEDED, NOT_USED, KINDS };

typedef struct reproducing {
    mt_tiling tiling;
    size_t n_ipus, n_schemes;
    uint32_t ipus[MT_TILING_COUNTS];
    mt_scheme scheme[SCHEMES_MAX];
    mt_arena mesh_arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    uint32_t *columns;
    bool comparable; /* with the published mesh: as many cells, within a tenth */
    mt_table tables[TABLES];
    double *bars, *marks; /* [n_ipus][n_schemes][KINDS] and [n_ipus][n_schemes]: see draw */
} reproducing;

/* ---- what is asked for ---- */

/* Those named, or all; --ranges is for those among them that have a limit. */
static mt_status choose_schemes(const mt_arguments *arguments, reproducing *r)
{
    const char *text = mt_option_value(arguments, "--schemes", NULL);
    uint32_t ranges;
    bool limited = false;
    MT_TRY(mt_tiling_ranges(arguments, &ranges));
    for (const char *at = text; at; at = *at ? at + 1 : NULL) {
        char name[64] = "";
        const size_t length = strcspn(at, ",");
        if (length >= sizeof name || r->n_schemes == SCHEMES_MAX)
            return mt_fail(
                MT_INPUT, "--schemes %s; allowed: at most %d names, separated by commas", text, SCHEMES_MAX);
        memcpy(name, at, length);
        MT_TRY(mt_scheme_find(name, 0, &r->scheme[r->n_schemes++]));
        at += length;
    }
    for (; !text && mt_schemes[r->n_schemes].name; r->n_schemes++)
        r->scheme[r->n_schemes] = mt_schemes[r->n_schemes];
    for (size_t k = 0; k < r->n_schemes && ranges > 0; k++) {
        if (r->scheme[k].ranges == 0) continue;
        r->scheme[k].ranges = ranges;
        limited = true;
    }
    if (ranges > 0 && !limited)
        return mt_fail(MT_INPUT, "--ranges %u; allowed: with a scheme that has such a limit", ranges);
    return MT_OK;
}

/* A heart of our own, by gmsh, whose file is gone afterwards. */
static mt_status make_heart(mt_arena *arena, mt_mesh *mesh)
{
    const char *folder = getenv("TMPDIR");
    char temporary[MT_FILE_PATH_MAX];
    unsigned long cells;
    MT_TRY(mt_gmsh_cells_like("heart04", &cells));
    (void)snprintf(temporary, sizeof temporary, "%s/myotile-XXXXXX.msh", folder ? folder : "/tmp");
    const int file = mkstemps(temporary, 4);
    if (file < 0) return mt_fail(MT_FILE, "%s: cannot be made", temporary);
    (void)close(file);
    mt_progress_catch_interrupt(); /* gmsh must go, too */
    mt_status status = mt_gmsh_ventricles(arena, cells, temporary, mesh);
    mt_progress_leave_on_interrupt();
    (void)unlink(temporary);
    return status;
}

static mt_status get_mesh(const mt_arguments *arguments, reproducing *r)
{
    const char *path = mt_option_value(arguments, "--mesh", NULL);
    double low, high;
    mt_progress_stage("getting the mesh");
    if (path)
        MT_TRY(mt_mesh_read(&r->mesh_arena, path, &r->mesh));
    else
        MT_TRY(make_heart(&r->mesh_arena, &r->mesh));
    MT_TRY(mt_published("heart04_cells", &low, &high));
    r->comparable = fabs((double)r->mesh.n_cells - low) <= 0.1 * low;
    MT_TRY(mt_adjacency_make(&r->mesh_arena, &r->mesh, &r->adjacency));
    return mt_tiling_columns(&r->mesh_arena, &r->adjacency, &r->columns);
}

/* ---- the table ---- */

static void begin_tables(mt_arena *arena, reproducing *r)
{
    char title[256];
    (void)snprintf(title, sizeof title, "What tiles of a %s hold: a mesh of %zu cells, %s partition%s",
        r->tiling.one.name, r->mesh.n_cells, mt_partition_methods[r->tiling.method],
        r->tiling.balance_halo ? " with balanced halos" : "");
    mt_table *cells = &r->tables[CELLS], *costs = &r->tables[COSTS];
    *cells = mt_table_begin(arena, title);
    *costs = mt_table_begin(arena, "What it costs the machine: memory of a tile, "
                                   "exchange of a diffusion step");
    for (int k = 0; k < TABLES; k++) {
        mt_table_decimals(&r->tables[k], "IPUs", "", 0);
        mt_table_strings(&r->tables[k], "scheme");
    }
    mt_table_decimals(cells, "received max", "", 0);
    mt_table_decimals(cells, "received median", "", 0);
    mt_table_decimals(cells, "unused median", "", 0);
    mt_table_decimals(cells, "largest tile", "", 0);
    mt_table_decimals(cells, "share received", "%", 2);
    mt_table_decimals(cells, "published", "%", 2);
    mt_table_decimals(cells, "difference", "points", 2);
    mt_table_decimals(costs, "memory max", "KiB", 1);
    mt_table_decimals(costs, "memory median", "KiB", 1);
    mt_table_decimals(costs, "pieces max", "", 0);
    mt_table_decimals(costs, "from other IPUs", "cells", 0);
    mt_table_decimals(costs, "exchange", "cycles", 0);
    mt_table_decimals(costs, "mean against max", "%", 1);
}

/* What was published is of mixed-clean on a flat partition as METIS makes it. */
static mt_status published_share(const reproducing *r, const mt_scheme *scheme, uint32_t ipus, double *share)
{
    char key[64];
    *share = NAN;
    if (!r->comparable || r->tiling.method != MT_PARTITION_FLAT || r->tiling.balance_halo ||
        strcmp(scheme->name, "mixed-clean") != 0)
        return MT_OK;
    (void)snprintf(key, sizeof key, "heart04_halo_share_%u", ipus);
    return mt_published(key, share, share);
}

static void add_numbers(mt_table *table, uint32_t ipus, const char *scheme, size_t n, const double *number)
{
    mt_table_number(table, ipus);
    mt_table_text(table, scheme);
    for (size_t k = 0; k < n; k++) mt_table_number(table, number[k]);
}

/* The rows and the bar of scheme k on ipus[i]. */
static mt_status add_rows(reproducing *r, size_t i, size_t k, const mt_halo *halo)
{
    const mt_scheme *scheme = &r->scheme[k];
    const uint32_t ipus = r->ipus[i];
    mt_tile_spread received, unused, all, pieces;
    mt_tiling_costs costs;
    double published;
    MT_TRY(mt_tile_spread_of(halo, mt_tile_received, &received));
    MT_TRY(mt_tile_spread_of(halo, mt_tile_unused, &unused));
    MT_TRY(mt_tile_spread_of(halo, mt_tile_all, &all));
    MT_TRY(mt_tile_spread_of(halo, mt_tile_pieces_received, &pieces));
    MT_TRY(mt_tiling_costs_of(&r->tiling.one, halo, &costs));
    if (!costs.fits)
        (void)fprintf(stderr, "myotile: warning: %s on %u IPU%s does not fit: %s\n", scheme->name, ipus,
            ipus > 1 ? "s" : "", costs.why);
    MT_TRY(published_share(r, scheme, ipus, &published));
    const double share = 100 * received.sum / all.sum;
    const double cells[] = {
        received.max, received.median, unused.median, all.max, share, published, share - published};
    const double cost[] = {(double)costs.memory_max / 1024, (double)costs.memory_median / 1024, pieces.max,
        (double)mt_tiling_crossing(halo), (double)costs.exchange_cycles, 100 * costs.effectiveness};
    const double owned = (double)halo->n_cells;
    const double bar[KINDS] = {1, (received.sum - unused.sum) / owned, unused.sum / owned};
    memcpy(r->bars + KINDS * (i * r->n_schemes + k), bar, sizeof bar);
    r->marks[i * r->n_schemes + k] = 1 / (1 - published / 100);
    const double unknown[] = {NAN, NAN, pieces.max, cost[3], NAN, NAN};
    add_numbers(&r->tables[CELLS], ipus, scheme->name, sizeof cells / sizeof *cells, cells);
    add_numbers(
        &r->tables[COSTS], ipus, scheme->name, sizeof cost / sizeof *cost, costs.fits ? cost : unknown);
    return MT_OK;
}

/* Scheme k on ipus[i]. */
static mt_status add_scheme(reproducing *r, size_t i, size_t k, const mt_partition *common)
{
    mt_arena arena = {0};
    mt_halo halo;
    mt_balance balance = {0};
    mt_partition parts = *common;
    parts.part = mt_arena_take(&arena, common->n_cells, sizeof *parts.part);
    mt_status status = parts.part ? MT_OK : MT_FILE;
    if (parts.part) memcpy(parts.part, common->part, common->n_cells * sizeof *parts.part);
    if (status == MT_OK)
        status = mt_tiling_suit(&r->tiling, &r->scheme[k], &r->adjacency, r->columns, &parts, &balance);
    if (status == MT_OK)
        status =
            mt_halo_make(&arena, r->mesh.n_cells, MT_DIFFUSION_ROW, r->columns, &parts, &r->scheme[k], &halo);
    if (status == MT_OK) status = add_rows(r, i, k, &halo);
    mt_arena_free(&arena);
    return status;
}

/* All schemes, on one partition but for what balancing does for each. */
static mt_status cut_for(mt_arena *scratch, reproducing *r, size_t i)
{
    const uint32_t ipus = r->ipus[i];
    mt_partition parts;
    mt_balance balance;
    char stage[64];
    (void)snprintf(stage, sizeof stage, "cutting for %u IPU%s", ipus, ipus > 1 ? "s" : "");
    mt_progress_stage(stage);
    MT_TRY(mt_tiling_cut(scratch, &r->tiling, &r->adjacency, r->columns, ipus, &parts, &balance));
    for (size_t k = 0; k < r->n_schemes; k++) MT_TRY(add_scheme(r, i, k, &parts));
    return MT_OK;
}

/* ---- the picture ---- */

/* For each cell that tiles own, how many cells of others they need, and how many they receive besides. What was published
 * is a share of received cells, x: that is 1 / (1 - x) cells for each owned. */
static mt_status draw(mt_arena *scratch, const reproducing *r, const char *path)
{
    static const char *const kinds[KINDS] = {"owned", "needed", "received, not used"};
    const char **groups, *bars[SCHEMES_MAX];
    char(*names)[32];
    MT_TAKE(scratch, groups, r->n_ipus);
    MT_TAKE(scratch, names, r->n_ipus);
    for (size_t k = 0; k < r->n_ipus; k++) {
        (void)snprintf(names[k], sizeof names[k], "%u IPU%s", r->ipus[k], r->ipus[k] > 1 ? "s" : "");
        groups[k] = names[k];
    }
    for (size_t k = 0; k < r->n_schemes; k++) bars[k] = r->scheme[k].name;
    bool published = false;
    for (size_t k = 0; k < r->n_ipus * r->n_schemes; k++) published |= !isnan(r->marks[k]);
    return mt_chart_write(path, &(mt_chart){.title = r->tables[CELLS].title,
                                    .caption = "Cells that tiles hold for each one they own",
                                    .n_groups = r->n_ipus,
                                    .n_bars = r->n_schemes,
                                    .n_kinds = KINDS,
                                    .group = groups,
                                    .bar = bars,
                                    .kind = kinds,
                                    .value = r->bars,
                                    .mark = published ? r->marks : NULL,
                                    .mark_name = "published"});
}

/* What a chart cannot show is told before the work. */
static mt_status check_picture(const reproducing *r, const char *path)
{
    if (!path || (r->n_ipus <= MT_CHART_GROUPS_MAX && r->n_schemes <= MT_CHART_BARS_MAX)) return MT_OK;
    return mt_fail(MT_INPUT, "--picture with %zu counts of IPUs and %zu schemes; allowed: at most %d and %d",
        r->n_ipus, r->n_schemes, MT_CHART_GROUPS_MAX, MT_CHART_BARS_MAX);
}

static mt_status table1_with(mt_arena *arena, const mt_arguments *arguments, reproducing *r)
{
    mt_format format;
    const char *picture = mt_option_value(arguments, "--picture", NULL);
    MT_TRY(mt_format_parse(mt_option_value(arguments, "--format", "text"), &format));
    MT_TRY(mt_tiling_parse(arena, arguments, &r->tiling));
    MT_TRY(mt_tiling_counts(
        &r->tiling, mt_option_value(arguments, "--ipus", "1,2,4,8,16"), &r->n_ipus, r->ipus));
    MT_TRY(choose_schemes(arguments, r));
    MT_TRY(check_picture(r, picture));
    if (picture) MT_TRY(mt_page_check_name(picture));
    MT_TAKE(arena, r->bars, r->n_ipus * r->n_schemes * KINDS);
    MT_TAKE(arena, r->marks, r->n_ipus * r->n_schemes);
    MT_TRY(get_mesh(arguments, r));
    begin_tables(arena, r);
    for (size_t k = 0; k < r->n_ipus; k++) {
        mt_arena scratch = {0};
        mt_status status = cut_for(&scratch, r, k);
        mt_arena_free(&scratch);
        MT_TRY(status);
    }
    mt_progress_stage(NULL);
    if (picture) MT_TRY(draw(arena, r, picture));
    return mt_tables_print(arguments->out, r->tables, TABLES, format);
}

static mt_status table1(mt_arena *arena, const mt_arguments *arguments)
{
    reproducing *r;
    MT_TAKE(arena, r, 1);
    mt_status status = table1_with(arena, arguments, r);
    mt_arena_free(&r->mesh_arena);
    return status;
}
