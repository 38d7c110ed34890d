/* myotile partition: what a mesh costs on so many tiles. */
#include <math.h>
#include <stdlib.h>

#include "app/command.h"
#include "app/progress.h"
#include "app/table.h"
#include "mesh/formats.h"
#include "mesh/halo.h"
#include "ipu/target.h"
#include "solver/diffusion.h"

static mt_status partition(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {{"--target", "NAME|FILE.yaml", "the machine; default: gc200", false},
    {"--ipus", "N", "how many of them; one part for each tile; default: 1", false},
    {"--scheme", "mixed-clean", "which ranges of separator cells are sent; default: mixed-clean", false},
    {"--imbalance", "X", "the largest part against the mean, above 1; default: 1.03", false},
    {"--format", "text|json|csv", "of the tables; default: text", false}, {NULL, NULL, NULL, false}};

const mt_command mt_command_partition = {
    .name = "partition",
    .operands = "MESH.hdf",
    .n_operands = 1,
    .summary = "cut a mesh for the tiles of a machine and count what they must exchange",
    .example = "myotile partition slab.hdf --target gc200 --ipus 1 --scheme mixed-clean",
    .options = options,
    .run = partition,
};

/* The cells that each cell's row of the diffusion step reads. */
static mt_status stencil(mt_arena *arena, const mt_adjacency *adjacency, uint32_t **columns)
{
    MT_TAKE(arena, *columns, adjacency->n_cells * MT_DIFFUSION_ROW);
#pragma omp parallel for schedule(static)
    for (size_t cell = 0; cell < adjacency->n_cells; cell++)
        (void)mt_adjacency_ring(adjacency, cell, *columns + cell * MT_DIFFUSION_ROW);
    return MT_OK;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef double of_part(const mt_halo *halo, uint32_t part);
static double cells(const mt_halo *h, uint32_t p) { return (double)mt_halo_own(h, p); }
static double separator(const mt_halo *h, uint32_t p) { return cells(h, p) - h->n_interior[p]; }
static double needed(const mt_halo *h, uint32_t p) { return (double)h->needed[p]; }
static double inbound(const mt_halo *h, uint32_t p) { return (double)h->inbound[p]; }
static double unused(const mt_halo *h, uint32_t p) { return inbound(h, p) - needed(h, p); }
static double ranges_in(const mt_halo *h, uint32_t p)
{
    return (double)(h->in_offset[p + 1] - h->in_offset[p]);
}
static double ranges_out(const mt_halo *h, uint32_t p)
{
    return (double)(h->range_offset[p + 1] - h->range_offset[p]);
}
static double neighbours(const mt_halo *h, uint32_t p)
{
    uint32_t n = 0, last = UINT32_MAX; /* ranges received are sorted by source */
    for (size_t k = h->in_offset[p]; k < h->in_offset[p + 1]; k++) {
        uint32_t source = h->range[h->in_range[k]].source;
        n += source != last;
        last = source;
    }
    return n;
}

static mt_status tile_table(mt_arena *arena, const mt_halo *halo, mt_table *table)
{
    static const struct {
        const char *name;
        of_part *count;
    } rows[] = {{"cells", cells}, {"separator cells", separator}, {"cells needed from others", needed},
        {"cells received", inbound}, {"of these unused", unused}, {"neighbours", neighbours},
        {"ranges sent", ranges_out}, {"ranges received", ranges_in}};
    double *value;
    MT_TAKE(arena, value, halo->n_parts);
    *table = mt_table_begin(arena, "A tile");
    mt_table_strings(table, "what");
    mt_table_decimals(table, "min", "", 0);
    mt_table_decimals(table, "median", "", 0);
    mt_table_decimals(table, "max", "", 0);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (uint32_t p = 0; p < halo->n_parts; p++) value[p] = rows[r].count(halo, p);
        qsort(value, halo->n_parts, sizeof *value, compare_doubles);
        mt_table_text(table, rows[r].name);
        mt_table_number(table, value[0]);
        mt_table_number(table, value[(halo->n_parts - 1) / 2]);
        mt_table_number(table, value[halo->n_parts - 1]);
    }
    return MT_OK;
}

static mt_table whole_table(mt_arena *arena, const char *title, const mt_partition *parts,
    const mt_halo *halo, const double seconds[2])
{
    size_t words = 0, empty = 0, received = 0;
    for (uint32_t p = 0; p < halo->n_parts; p++) {
        received += halo->inbound[p];
        empty += mt_halo_own(halo, p) == 0;
    }
    for (size_t r = 0; r < halo->n_ranges; r++) words += halo->range[r].end - halo->range[r].begin;
    mt_table table = mt_table_properties(arena, title);
    mt_table_property(&table, "parts", (double)halo->n_parts, "");
    mt_table_property(&table, "of these empty", (double)empty, "");
    mt_table_property(&table, "cells", (double)halo->n_cells, "");
    mt_table_property(&table, "faces cut", (double)parts->edge_cut, "");
    mt_table_property(&table, "ranges", (double)halo->n_ranges, "");
    mt_table_property(&table, "cells sent (a range once)", (double)words, "");
    mt_table_property(&table, "cells received", (double)received, "");
    mt_table_property(
        &table, "share of received cells", 100 * (double)received / (double)(received + halo->n_cells), "%");
    mt_table_property(&table, "time for the partition", seconds[0], "s");
    mt_table_property(&table, "time for the halo", seconds[1], "s");
    return table;
}

/* One part for each tile of all machines together. */
static mt_status check_parts(unsigned long ipus, const ipu_target *target)
{
    const uint64_t n = (uint64_t)ipus * target->tiles;
    if (n > INT32_MAX)
        return mt_fail(MT_INPUT, "%lu machines of %zu tiles make %llu parts; allowed: at most %d", ipus,
            target->tiles, (unsigned long long)n, INT32_MAX);
    return MT_OK;
}

static mt_status partition(mt_arena *arena, const mt_arguments *arguments)
{
    const char *path = mt_operand(arguments, &mt_command_partition, 0), *machine;
    mt_format format;
    unsigned long ipus;
    double imbalance;
    ipu_target target;
    MT_TRY(mt_format_parse(mt_option_value(arguments, "--format", "text"), &format));
    MT_TRY(mt_whole_number("--ipus", mt_option_value(arguments, "--ipus", "1"), 1, 4096, &ipus));
    MT_TRY(mt_numbers("--imbalance", mt_option_value(arguments, "--imbalance", "1.03"), 1, 1, &imbalance));
    MT_TRY(mt_machine_path(arena, mt_option_value(arguments, "--target", "gc200"), &machine));
    MT_TRY(ipu_target_load(arena, machine, NULL, 0, &target));
    mt_scheme scheme;
    MT_TRY(mt_scheme_find(mt_option_value(arguments, "--scheme", "mixed-clean"), 0, &scheme));
    MT_TRY(check_parts(ipus, &target));

    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_partition parts;
    mt_halo halo;
    uint32_t *columns;
    MT_TRY(mt_mesh_read(arena, path, &mesh));
    MT_TRY(mt_adjacency_make(arena, &mesh, &adjacency));
    MT_TRY(stencil(arena, &adjacency, &columns));
    const double start_s = mt_now_s();
    MT_TRY(mt_partition_make(arena, &adjacency,
        &(mt_partition_options){MT_PARTITION_FLAT, (uint32_t)ipus, (uint32_t)target.tiles, imbalance},
        &parts));
    const double cut_s = mt_now_s();
    MT_TRY(mt_halo_make(arena, mesh.n_cells, MT_DIFFUSION_ROW, columns, &parts, &scheme, &halo));
    const double seconds[2] = {cut_s - start_s, mt_now_s() - cut_s};

    mt_table tables[2] = {whole_table(arena, path, &parts, &halo, seconds)};
    MT_TRY(tile_table(arena, &halo, &tables[1]));
    return mt_tables_print(arguments->out, tables, 2, format);
}
