/* myotile reproduce machines, on a small slab: numbers in its tables compared with counts of the partition and the halo. */
#include <criterion/criterion.h>

#include "app/cli/tiling_options.h"
#include "mesh/files/formats.h"
#include "mesh/cut/halo.h"
#include "tests/app/study/slab_tables.h"

/* 15 tiles in rows of 5. */
enum { TILES = 15, WIDTH = 5 };
#define SMALL_MESH "--machine-set tiles=15 --machine-set fabric.width=5"
#define MACHINES "reproduce machines --mesh slab.hdf "

TestSuite(machines_command, .init = enter_tables, .fini = leave_tables);

/* Cuts the slab as the command does, with the scheme exact. */
static mt_halo halo_on_tiles(void)
{
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_pattern pattern;
    mt_partition parts;
    mt_scheme scheme;
    mt_halo halo;
    cr_assert_eq(mt_mesh_read(&arena, "slab.hdf", &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK);
    cr_assert_eq(mt_tiling_pattern(&arena, &adjacency, &pattern), MT_OK);
    mt_cut_graph graph = mt_cut_graph_of(&adjacency);
    const mt_tiling tiling = {.method = MT_PARTITION_BISECTION};
    cr_assert_eq(mt_tiling_place(&arena, &tiling, &(mt_unknowns){&mesh, false}, &graph), MT_OK);
    const mt_partition_options options = {.method = MT_PARTITION_BISECTION,
        .n_groups = 1,
        .parts_per_group = TILES,
        .imbalance = 1.03,
        .width = WIDTH};
    cr_assert_eq(mt_partition_make_of(&arena, &graph, &options, &parts), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_scheme_find("exact", 0, &scheme), MT_OK);
    cr_assert_eq(mt_halo_make(&arena, &pattern, &parts, &scheme, &halo), MT_OK, "%s", mt_message());
    return halo;
}

static size_t apart(size_t a, size_t b) { return a > b ? a - b : b - a; }

/* A word is a float. The hops of a word are the columns and rows between two tiles. */
Test(machines_command, a_mesh_of_tiles_has_the_counts_of_its_halo)
{
    const mt_halo halo = halo_on_tiles();
    size_t own = 0, received = 0, words = 0, hops = 0;
    for (uint32_t q = 0; q < halo.n_parts; q++) {
        own = mt_halo_own(&halo, q) > own ? mt_halo_own(&halo, q) : own;
        received = halo.inbound[q] > received ? halo.inbound[q] : received;
        for (size_t k = halo.in_offset[q]; k < halo.in_offset[q + 1]; k++) {
            const mt_scheme_range *r = &halo.range[halo.in_range[k]];
            words += r->end - r->begin;
            hops += (r->end - r->begin) *
                    (apart(r->source % WIDTH, q % WIDTH) + apart(r->source / WIDTH, q / WIDTH));
        }
    }
    const json *tables = tables_of(MACHINES "--machines wse2 " SMALL_MESH);
    const json *tiles = table_row(tables, "tiles", 0), *exchange = table_row(tables, "exchange", 0),
               *times = table_row(tables, "times", 0);
    cr_expect_eq(json_value(tiles, "chips"), 1);
    cr_expect_eq(json_value(tiles, "tiles"), TILES);
    cr_expect_eq(json_value(tiles, "tiles_used"), TILES);
    cr_expect_eq(json_value(tiles, "own_max"), (double)own);
    cr_expect_eq(json_value(tiles, "received_max"), (double)received);
    cr_expect_float_eq(
        json_value(tiles, "received_percent"), 100.0 * (double)words / (double)(words + SLAB_ELEMENTS), 1e-9);
    cr_expect_eq(json_value(exchange, "words"), (double)words);
    cr_expect_float_eq(json_value(exchange, "hops_mean"), (double)hops / (double)words, 1e-9);
    cr_expect_leq(json_value(exchange, "busiest_link_words"), json_value(exchange, "exchange_cycles"));
    cr_expect_leq(json_value(exchange, "exchange_bound_cycles"), json_value(exchange, "exchange_cycles"));
    cr_expect_eq(json_value(times, "time_step_cycles"),
        json_value(times, "diffusion_cycles") + json_value(times, "reaction_cycles") +
            json_value(times, "record_cycles") - json_value(times, "overlapped_cycles"));
    cr_expect_float_eq(
        json_value(times, "time_s"), json_value(times, "time_step_cycles") * 25000 / 0.85e9, 1e-9);
}

/* The rows are in the order of the option; the first is 100 %. */
Test(machines_command, numbers_of_chips_are_side_by_side)
{
    const json *tables = tables_of(MACHINES "--machines three.yaml:1,three.yaml:2 --pde-steps 2");
    const json *one = table_row(tables, "times", 0), *two = table_row(tables, "times", 1);
    cr_expect_eq(json_value(table_row(tables, "tiles", 0), "tiles"), 3);
    cr_expect_eq(json_value(table_row(tables, "tiles", 1), "tiles"), 6);
    cr_expect_eq(json_value(two, "chips"), 2);
    cr_expect_eq(json_value(one, "time_percent"), 100);
    cr_expect_float_eq(
        json_value(two, "time_percent"), 100 * json_value(two, "time_s") / json_value(one, "time_s"), 1e-9);
    cr_expect_eq(json_value(table_row(tables, "exchange", 0), "bytes_between_chips"), 0);
    cr_expect_gt(json_value(table_row(tables, "exchange", 1), "bytes_between_chips"), 0);
}

Test(machines_command, a_heart_that_does_not_fit_has_a_row_with_the_reason)
{
    const json *tables =
        tables_of(MACHINES "--machines wse2 " SMALL_MESH " --machine-set bytes_per_tile=12288 "
                           "--machine-set memory.region0_bytes=12288");
    cr_expect(strstr(json_at(table_row(tables, "times", 0), "fits")->text, "12288"), "%s",
        json_at(table_row(tables, "times", 0), "fits")->text);
    cr_expect_eq(json_value(table_row(tables, "tiles", 0), "tiles_used"), TILES);
}

Test(machines_command, the_words_on_links_are_drawn)
{
    size_t n;
    free(works(MACHINES "--machines wse2 " SMALL_MESH " --picture links.png"));
    char *png = bytes_of("links.png", &n);
    cr_assert(n > 5000 && memcmp(png, "\x89PNG", 4) == 0, "%zu bytes", n);
    free(png);
}

Test(machines_command, invalid_options_are_rejected)
{
    refuses(2, "--machines gc200,; allowed: 1 to 16 machines", MACHINES "--machines gc200,");
    refuses(2, "--machines 0; allowed: ", MACHINES "--machines gc200:0");
    refuses(2, "no_such", MACHINES "--machines no_such");
    refuses(2, "--picture x.png; allowed: with a machine whose tiles are in a mesh or torus",
        MACHINES "--machines three.yaml --picture x.png");
    refuses(2, "--pde-steps 0; allowed", MACHINES "--machines three.yaml --pde-steps 0");
    refuses(2, "separator scheme 'best'; allowed: ", MACHINES "--machines three.yaml --scheme best");
}
